"""Stiffness and damping of joints as matrices over their bends (paper 000, Eq. 7): equal joints, a diagonal, or a symmetric band.

With D the stiffnesses of the joints, K = D^(1/2) (1 + R) D^(1/2), where R has a number rho between any two neighbours and 0 elsewhere;
the damping matrix C is likewise. Both are positive definite, since no |rho| is above 1/2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import casadi
import numpy as np

from planner.recordings.identification.result import CHI_SQUARE, FittedParameter, from_deviation
from surrogate.kernels.compiled import Floats

Joints = Literal["equal", "each", "coupled"]
"""Forms of the matrices: a multiple of the identity, a diagonal, or a symmetric tridiagonal matrix."""
JOINTS: tuple[Joints, ...] = get_args(Joints)
KINDS = ("stiffness", "N m/rad"), ("damping", "N m s/rad")
"""Names and units of the matrices, in the order of their parameters, the logarithms for the first joint."""
FIRST = 4
"""Number of parameters of equal joints; those of the matrices follow."""
MOST_RATIO, MOST_RHO = 100.0, 0.49
"""Largest factor between a joint and the first one, and largest |rho| [-]."""
AT_BOUND = 0.02
"""Distance from these bounds, of the logarithm or of rho, at which a parameter counts as at it."""


def parameter_count(joints: Joints, links: int) -> int:
    """Number of all parameters of a fit: after the first four, log ratios to the first joint of K and of C, then rho of K and of C."""
    return FIRST + 2 * (links - 1) * JOINTS.index(joints)


def matrix_bounds(joints: Joints, links: int) -> Floats:
    """Bounds of the parameters after the first four, shape (parameters, 2)."""
    ratios = 2 * (links - 1) * [np.log(MOST_RATIO)] if joints != "equal" else []
    most = np.array(ratios + (2 * (links - 1) * [MOST_RHO] if joints == "coupled" else []))
    return np.stack([-most, most], axis=-1)


def _parts(kind: int, links: int) -> tuple[slice, slice]:
    """Positions of the log ratios and of rho of a matrix among the parameters; `kind` is its index in `KINDS`."""
    ratios, rho = FIRST + kind * (links - 1), FIRST + (2 + kind) * (links - 1)
    return slice(ratios, ratios + links - 1), slice(rho, rho + links - 1)


def multiply(parameters: Any, kind: int, bends: Any, joints: Joints, time: Any = 1) -> Any:
    """Matrix times bends times a time, as CasADi expressions [N m s].

    Args:
        kind: Index in `KINDS`.
        bends: Bends of the joints [rad], or their changes.
        time: For stiffness [s]; a change of bend has it already.
    """
    if joints == "equal":
        return casadi.exp(parameters[kind]) * time * bends
    ratios, rho = _parts(kind, bends.numel())
    root = casadi.exp((parameters[kind] + casadi.vertcat(0, parameters[ratios])) / 2)
    scaled = root * time * bends
    if joints == "coupled" and bends.numel() > 1:
        off, ahead, behind = parameters[rho], scaled[1:], scaled[:-1]
        scaled = scaled + casadi.vertcat(off * ahead, 0) + casadi.vertcat(0, off * behind)
    return root * scaled


def joint_matrix(values: Floats, kind: int, joints: Joints, links: int) -> Floats:
    """A matrix [N m/rad] or [N m s/rad], shape (links, links).

    Args:
        values: Parameters as the programme has them, the first two as logarithms.
        kind: Index in `KINDS`.
    """
    ratios, rho = _parts(kind, links)
    logs = np.full(links, values[kind])
    if joints != "equal":
        logs[1:] += values[ratios]
    inner = np.eye(links)
    if joints == "coupled":
        inner += np.diag(values[rho], 1) + np.diag(values[rho], -1)
    root = np.exp(logs / 2)
    return np.asarray(root[:, None] * inner * root)


def fitted_entries(values: Floats, spread: Floats, joints: Joints, links: int) -> tuple[FittedParameter, ...]:
    """Entries of both matrices with 95 % intervals by the covariance: those on the diagonal, then those beside it.

    Args:
        values: Parameters, as for `joint_matrix`.
        spread: Their covariance, shape (parameters, parameters).
    """
    found: list[FittedParameter] = []
    for kind, (name, unit) in enumerate(KINDS):
        matrix, (ratios, rho) = joint_matrix(values, kind, joints, links), _parts(kind, links)
        # Of the logarithm of each diagonal entry, over all parameters.
        slopes = np.zeros((links, len(values)))
        slopes[:, kind] = 1.0
        slopes[np.arange(1, links), np.arange(ratios.start, ratios.stop)] = 1.0
        for joint in range(links):
            deviation = _deviation(slopes[joint], spread)
            ratio = values[ratios][joint - 1] if joint else 0.0
            found.append(_on_diagonal(f"{name} of joint {joint + 1}", matrix[joint, joint], unit, deviation, ratio))
        for joint in range(links - 1) if joints == "coupled" else ():
            entry, off = matrix[joint, joint + 1], values[rho][joint]
            slope = entry * (slopes[joint] + slopes[joint + 1]) / 2
            slope[rho.start + joint] += np.sqrt(matrix[joint, joint] * matrix[joint + 1, joint + 1])
            named = f"{name} between joints {joint + 1} and {joint + 2}"
            one = from_deviation(named, float(entry), unit, _deviation(slope, spread))
            limit = f"The {named} ended at its bound: no |rho| is above {MOST_RHO:g}, for a positive definite matrix."
            found.append(replace(one, bound=limit) if MOST_RHO - abs(off) < AT_BOUND else one)
    return tuple(found)


def _deviation(slope: Floats, spread: Floats) -> float:
    """Standard deviation of a quantity with these slopes over the parameters; NaN if it is unknown."""
    variance = float(slope @ spread @ slope)
    return float(np.sqrt(variance)) if variance > 0 else np.nan


def _on_diagonal(name: str, value: float, unit: str, deviation: float, ratio: float) -> FittedParameter:
    """Parameter with the interval of the standard deviation of its logarithm."""
    if not np.isfinite(deviation):
        return from_deviation(name, float(value), unit, deviation)
    factor = float(np.exp(min(CHI_SQUARE**0.5 * deviation, np.log(1e6))))
    interval = float(value / factor), float(value * factor)
    made = FittedParameter(name, float(value), unit, interval, "")
    if np.log(MOST_RATIO) - abs(ratio) < AT_BOUND:
        words = f"The {name} ended at its bound: {MOST_RATIO:g} times that of joint 1, or a {MOST_RATIO:g}th of it."
        made = replace(made, bound=words)
    known = "identify" if made.identified else "do not identify"
    return replace(
        made, sentence=f"These data {known} the {name}: {interval[0]:.4g} to {interval[1]:.4g} {unit} (95 %)."
    )
