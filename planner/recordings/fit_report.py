"""Text and JSON reports of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.output.provenance import versions
from planner.recordings.identification import FittedParameter, Profile, RecordingFit
from planner.recordings.identification.bounds import excess
from planner.recordings.identification.summary import BENDING, CHAIN

SCHEMA = 1


def interval_text(parameter: FittedParameter) -> str:
    """Return `low ... high`, with a dash where the data give no limit."""
    low, high = ("-" if side is None else f"{side:.4g}" for side in parameter.interval)
    return f"{low} ... {high}"


def rows(parameters: Sequence[FittedParameter]) -> list[list[str]]:
    """Return table rows: parameter, value, interval and whether it is identified."""
    return [
        [f"{one.name} [{one.unit}]", f"{one.value:.4g}", interval_text(one), _identified(one)] for one in parameters
    ]


def _identified(one: FittedParameter) -> str:
    return "yes" if one.identified else "no, at its bound" if one.bound else "no"


def sentences(fit: RecordingFit) -> list[str]:
    """Return the summary of a fit: its error, the identification of stiffness and damping, and notes."""
    x, y = 1e3 * fit.tip_error
    near = (
        f"The fitted tip is {x:.2g} mm from the recorded one in x and {y:.2g} mm in y (mean absolute errors); "
        f"all points {1e3 * fit.rms:.2g} mm (root mean square)."
    )
    identified = [fit.parameter(name).sentence for name in ("stiffness", "damping")]
    identified.append("These intervals include measurement noise only, not errors of scale, mass or model.")
    ended = dict.fromkeys(one.bound for one in fit.parameters if one.bound)
    return [near, *ended, *(identified if fit.convergence.converged else []), *fit.notes]


def chain_note(fit: RecordingFit) -> str:
    """Return how EI of the tube follows from that of the fitted chain, as a sentence; empty if the recording does not determine it."""
    bending = fit.parameter(BENDING)
    if not fit.convergence.converged or not bending.identified:
        return ""
    links = fit.bodies // 2
    chain = "1 link" if links == 1 else f"{links} links"
    return (
        f"note: EI {bending.value:.4g} N m2 is that of the tube: the chain of {chain} has {fit.parameter(CHAIN).value:.4g} N m2, "
        f"(1 + 1/{links})^2 = {excess(links):.4g} times as much, since it bends at its joints only"
    )


def fit_content(fit: RecordingFit) -> dict[str, Any]:
    """Return the content of the JSON file of a fit; lengths in metres, as in a recording."""
    done = fit.convergence
    return {
        "schema": SCHEMA,
        "versions": versions(),
        "recording": fit.recording.name,
        "bodies": fit.bodies,
        "mass_per_length_kg_per_m": fit.mass_per_length,
        "longest_step_s": fit.step,
        "converged": done.converged,
        "interrupted": fit.interrupted,
        "kept": done.kept,
        "solver": {
            "status": done.status,
            "iterations": done.iterations,
            "seconds": round(done.seconds, 3),
            "primal_infeasibility": _number(done.primal),
            "dual_infeasibility": _number(done.dual),
        },
        "parameters": [_parameter_content(one) for one in fit.parameters],
        "profiles": [_profile_content(one) for one in fit.profiles],
        "tip_mean_absolute_error_m": [float(part) for part in fit.tip_error],
        "rms_m": fit.rms,
        "residual_acceleration_rms_m_per_s2": _number(fit.model_rms),
        "sentences": sentences(fit),
        "trajectory": {
            "times_s": np.round(fit.times, 6).tolist(),
            "joints_m": np.round(fit.joints, 6).tolist(),
            "greatest_contact_force_n": fit.contact_forces.tolist(),
        },
    }


def _parameter_content(one: FittedParameter) -> dict[str, Any]:
    return {
        "name": one.name,
        "value": float(one.value),
        "unit": one.unit,
        "interval_95": [None if side is None else float(side) for side in one.interval],
        "identified": one.identified,
        "at_bound": one.bound or None,
        "sentence": one.sentence,
    }


def _profile_content(one: Profile) -> dict[str, Any]:
    return {
        "name": one.name,
        "unit": one.unit,
        "values": one.values.tolist(),
        "rise": one.rise.tolist(),
        "complete": one.complete,
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
