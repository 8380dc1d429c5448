"""The fit of a recording from the unknowns of a solution: parameters, trajectory, errors and notes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from planner.recordings.identification.bounds import REASONS, excess, mean_beam, side_at_bound
from planner.recordings.identification.confidence import length_deviations
from planner.recordings.identification.matrices import FIRST, fitted_entries
from planner.recordings.identification.model import DAMPING, GROWTH, LENGTH, STIFFNESS
from planner.recordings.identification.observed import LONGEST_STEP
from planner.recordings.identification.result import (
    Convergence,
    FittedParameter,
    Profile,
    RecordingFit,
    from_deviation,
    from_profile,
)
from planner.recordings.identification.unknowns import Unknowns
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from planner.recordings.identification.problem import FitSolution
    from planner.recordings.identification.settings import Settings

CHAIN, BENDING = "EI of the chain", "bending stiffness EI"
"""Names of EI as fitted, of a chain of rigid links, and of the continuous tube that it stands for."""
NAMES = {STIFFNESS: ("stiffness", "N m/rad"), DAMPING: ("damping", "N m s/rad")}
MOST_STEP_ERROR = 1e-3
"""Relative error of K due to the time step above which a note says so."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """Best values of a search at a time, with their origin."""

    x: Floats
    kept: str
    """Origin of `x`."""
    solution: FitSolution | None = None
    """The minimum, if `x` is one."""
    profiles: tuple[Profile, ...] = ()
    spread: Floats | None = None
    """Covariance of the parameters, if computed."""
    iterations: int = 0
    seconds: float = 0.0


def summarise(settings: Settings, unknowns: Unknowns, found: SearchState) -> RecordingFit:
    """Make the fit from the state of a search."""
    recording, observed, x, best = settings.recording, unknowns.observed, found.x, found.solution
    joints = unknowns.joints(x)
    tips = joints[observed.frames, -1] - np.array([line[-1] for line in recording.centerlines])
    convergence = Convergence(
        best is not None,
        best.status if best else "not a minimum",
        found.iterations,
        found.seconds,
        best.primal if best else math.nan,
        best.dual if best else math.nan,
        found.kept,
    )
    return RecordingFit(
        recording, settings.bodies, settings.mass_per_length, float(np.diff(observed.times).max()),
        _parameters(unknowns, found), found.profiles, observed.times, joints, observed.frames, unknowns.contact_forces(x),
        np.abs(tips).mean(axis=0), unknowns.rms(x), unknowns.model_rms(x), convergence, False,
        tuple(_notes(settings, unknowns, found)),
    )  # fmt: skip


def with_matrices(
    fit: RecordingFit, unknowns: Unknowns, found: FitSolution, spread: Floats, gain: float
) -> RecordingFit:
    """Add the entries of the stiffness and damping matrices to a fit of equal joints.

    Args:
        unknowns: Those of joints that are not equal.
        found: Their solution.
        spread: Covariance of its parameters.
        gain: Cost of equal joints less that of the solution, over the variance of the noise: with equal joints, chi-squared.
    """
    if not found.converged:
        note = f"The fit of joints that are not equal did not converge ({found.status}); all parameters are those of equal joints."
        return replace(fit, notes=(*fit.notes, note))
    values, model = found.x[unknowns.slices["parameters"]], unknowns.model
    more = model.parameter_count - FIRST
    differ = gain > float(chi2.ppf(0.95, more)) if more else False
    note = (
        f"With joints that are not equal the points are {1e3 * unknowns.rms(found.x):.3g} mm from the fitted ones (root mean square), with "
        f"equal ones {1e3 * fit.rms:.3g} mm: {'their differences are significant' if differ else 'equal joints fit as well'} (95 %)."
    )
    entries = fitted_entries(values, spread, model.form, model.links)
    return replace(fit, parameters=(*fit.parameters, *entries), notes=(*fit.notes, note))


def _parameters(unknowns: Unknowns, found: SearchState) -> tuple[FittedParameter, ...]:
    """Return the fitted parameters, then those that do not depend on the number of bodies."""
    values, settled = unknowns.parameters(found.x), found.solution is not None
    length_deviation, growth_deviation = length_deviations(unknowns, found.x) if settled else (math.nan, math.nan)
    known = {one.name: one for one in found.profiles}
    parts = []
    for parameter, (name, unit) in NAMES.items():
        if name in known:
            parts.append(from_profile(name, values[parameter], unit, known[name]))
        else:
            words = f"How well these data identify the {name} was not examined."
            parts.append(FittedParameter(name, values[parameter], unit, (None, None), words))
    parts.append(from_deviation("first length", values[LENGTH], "m", length_deviation))
    parts.append(from_deviation("growth rate", values[GROWTH], "m/s", growth_deviation))
    logs = found.x[unknowns.slices["parameters"]]
    parts = [replace(one, bound=_bound(number, one, logs, unknowns.bounds)) for number, one in enumerate(parts)]
    stiffness, damping, length, growth = parts
    spacing = unknowns.mean_length(found.x) / unknowns.model.links
    chain = _scaled(
        stiffness, CHAIN, spacing, "It is the stiffness times the joints' spacing, and equally well identified."
    )
    words = "It is EI of the chain over (1 + 1/n)^2 for n links: that of a continuous clamped tube which bends as the chain."
    bending = _scaled(chain, BENDING, 1 / excess(unknowns.model.links), words)
    return stiffness, damping, growth, length, chain, bending, _damping_time(stiffness, damping, found.spread)


def _scaled(one: FittedParameter, name: str, factor: float, sentence: str) -> FittedParameter:
    """Return a bending stiffness [N m2] that is a parameter times a factor."""
    low, high = (side and side * factor for side in one.interval)
    return FittedParameter(name, one.value * factor, "N m2", (low, high), sentence, one.bound)


def _damping_time(stiffness: FittedParameter, damping: FittedParameter, spread: Floats | None) -> FittedParameter:
    """Return C / K, with the interval of the covariance if both are identified."""
    ratio = damping.value / stiffness.value
    interval: tuple[float | None, float | None] = None, None
    words = "It is the damping over the stiffness; not both are identified."
    if stiffness.identified and damping.identified and spread is not None:
        reach = np.exp(1.96 * math.sqrt(max(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1], 0.0)))
        interval, words = (
            (ratio / reach, ratio * reach),
            "It is the damping over the stiffness, by the covariance of both.",
        )
    return FittedParameter("damping time", ratio, "s", interval, words, damping.bound or stiffness.bound)


def _bound(number: int, one: FittedParameter, values: Floats, limits: Floats) -> str:
    """Return a sentence if a parameter is at a bound."""
    if (side := side_at_bound(number, values[number], limits)) is None:
        return ""
    end = limits[number, side] if number >= LENGTH else math.exp(limits[number, side])
    return (
        f"The {one.name} ended at its {('lower', 'upper')[side]} bound, {end:.3g} {one.unit}: {REASONS[number][side]}."
    )


def _notes(settings: Settings, unknowns: Unknowns, found: SearchState) -> list[str]:
    notes, recording, observed = [], settings.recording, unknowns.observed
    if settings.assumed:
        notes.append(
            f"The mass is not known: {settings.mass_per_length:.3g} kg/m is assumed (two layers of polyethylene film of 0.1 mm). "
            "Motion determines only stiffness and damping per mass: both scale with the mass."
        )
    touched = {contact.wall for contact in recording.contacts}
    if unlisted := len(recording.walls) - len(touched):
        have = "has" if unlisted == 1 else "have"
        notes.append(
            f"{unlisted} of {len(recording.walls)} walls {have} no contacts listed: they are not modelled, and the fit "
            "attributes their effect to stiffness, damping and errors."
        )
    gap = max(float(np.hypot(*(line[0] - recording.base[:2]))) for line in recording.centerlines)
    if gap > recording.tube_radius:
        notes.append(
            f"Centrelines begin up to {1e3 * gap:.0f} mm from the base: the tube is assumed straight up to there."
        )
    step = float(np.diff(observed.times).max())
    if (coarse := step_error(unknowns, found.x)) > MOST_STEP_ERROR:
        notes.append(
            f"Steps of {1e3 * step:.0f} ms are long for the natural frequency of the fitted model: "
            f"the stiffness is about {100 * coarse:.1g} % too high."
        )
    if step > 1.001 * LONGEST_STEP:
        notes.append(f"Steps are {1e3 * step:.0f} ms long: faster motion and faster damping are not resolved.")
    return notes


def step_error(unknowns: Unknowns, x: Floats) -> float:
    """Relative bias of the fitted K, (omega h)^2 / 6, because the midpoint rule oscillates too slowly.

    Its frequency is 2 / h atan(omega h / 2), which is too low by (omega h)^2 / 12, and K goes with the square of the frequency. omega
    is the angular frequency of the first mode of the chain without damping, which bends as a cantilever with EI / `excess`.
    """
    omega = mean_beam(unknowns.model, unknowns.mean_length(x)).omega(float(unknowns.parameters(x)[STIFFNESS]))
    return float((omega * np.diff(unknowns.observed.times).max()) ** 2 / (6 * excess(unknowns.model.links)))
