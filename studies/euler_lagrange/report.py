"""Results of the experiments with paper 004's model, as text and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.output.markdown import markdown_table
from studies.euler_lagrange.study import (
    TIGHTER,
    TOLERANCE,
    Chase,
    ClosedFormCheck,
    ExperimentResult,
    check_motions,
    split_results,
    swinging_plane,
)
from vinewright.console.study import Report

CHASE = "", "length m", "bend rad", "plane rad", "core N", "tension N", "at a limit"

ALLOWED = 0.01
"""Largest error allowed where the reference does not shrink, in metres and radians."""
TITLES = {
    "static": "Fig. 4: release from a bend",
    "growth": "Fig. 5: growth",
    "ramp": "Fig. 6: bending by one actuator",
    "plane": "Fig. 7: change of the bending plane",
    "tracking": "Fig. 8: tracking a reference",
}
WORDS = {
    "static": (
        "A hanging tube without input is released at a bend of 0.1 rad. As in the paper, it swings about the straight",
        "shape, and comes to rest within a few seconds. The longer tube swings more slowly and farther, to -0.055 rad,",
        "where the axis of the paper's figure ends. If gravity acted across the axis, the tube would be bent at rest.",
    ),
    "growth": (
        "The core pushes with 5 N against a yield force of 4 N. The length grows linearly, as in the paper. The slope of",
        "0.667 m/s in its figure results only if gravity does not pull along the axis: in a hanging tube, the weight of",
        "the tip adds nearly as much force again as the 1 N above the yield force. The paper gives neither the gravity",
        "nor the initial length here; 0.5 m is assumed.",
    ),
    "ramp": (
        "The tension of sPAM 1 rises to 100 N (in the paper, tensions are negative). Here the weight must pull across the",
        "axis, against the actuator: only then does the tube of 5 m first sag to -0.17 rad and swing, as in the paper;",
        "the tube of 1 m hardly does. Bends of about 0.4 rad result from a lever arm of two tube diameters (2 D). With",
        "half a diameter (D / 2), as in Eq. 3, the actuator has only just lifted the weight at the end. At 1 m, the bend",
        "exceeds the axis of the paper's figure: no single arm matches both lengths. The closed form is the bend at rest",
        "under the tension minus the damping force.",
    ),
    "plane": (
        "sPAM 1 pulls with 20 N; after 5 s, sPAM 2 pulls instead. The paper's bend of 0.1 rad results from an arm of two",
        "diameters; half a diameter gives 0.025 rad. The bending plane phi turns to 2 pi / 3, the paper's 2 rad; with the",
        "plus sign printed in Eq. 3 it would turn to -2 pi / 3. In the paper it keeps oscillating around 2 rad, because",
        "the damper of Eq. 16 does not act on phi (red in the picture). Here damping acts on every direction of the bend.",
        "The length of 2 m is assumed.",
    ),
    "tracking": (
        "The controller follows a length, a bend and a plane that change every second. The paper gives no values for its",
        "references, so values of the same magnitude are used here, with smooth transitions. As in the paper, the length",
        "is not followed where the reference is shorter than the grown length (shaded), because a vine cannot shrink;",
        "everywhere else it is. With the paper's gains for s and theta, applied to s, u and v, the length lags behind;",
        "its gain for phi is not used. The arm is two diameters: with half a diameter, the tensions are four times as",
        "large. Either arm needs more force than a sPAM can exert, because the stiffness in Table 1 does not depend on",
        "the length.",
    ),
}
ERRATA = (
    "Eq. 3 needs cos(phi - beta_i): an actuator bends the tube into its own plane.",
    "Eq. 14 needs the transpose of J_l. Its tensions are negative; here they are positive.",
    "Eq. 15 lacks its constants and its equilibrium length. Here the force of a sPAM is linear, and its length grows with the tube.",
    "Eq. 16 leaves phi undamped. Here D_theta acts on the rates of u and v alike.",
    "Eq. 18 must be the second derivative of T by two rates; as printed it is zero at rest. With the correction, M = m J^T J.",
    "Eq. 22 needs M^-1.",
    "G in Eq. 20 must also contain K_theta theta.",
    "Eq. 24 needs the pseudo-inverse of the transpose of J_l, and Y_e. The smallest suitable inputs without negative tensions are used.",
    "Section 4.3 gives K_p twice; the second must be K_d.",
    "At theta = 0 the equations in theta and phi are singular, and the polynomials of Eq. 2 do not remedy this; those in u and v are not.",
    "To keep the length from shrinking, it is not enough to set its rate to zero: while growth stands still, its equation is left out.",
    "No single direction of gravity and no single lever arm fits all the figures.",
)


def report(results: Sequence[ExperimentResult], chases: Sequence[Chase]) -> Report:
    """Return the report as Markdown, and its data."""
    compared, (low, high) = check_motions(list(results)), _swing_of_last_second(results)
    slowest, speeds = min(results, key=lambda result: result.speed), [result.speed for result in results]
    lines = [
        "The robot is that of paper 004, Table 1: a point mass of 0.1 kg at the tip of an arc, a bending spring whose",
        "stiffness does not depend on the length, and dampers. The length is s, the bend theta, the direction of the",
        f"bending plane phi. Computing 10 s of open-loop motion on one thread takes 1 / {max(speeds):.0f} to",
        f"1 / {min(speeds):.0f} of that time (target 1 / 100); {_name(slowest)}, takes longest. Steps are adaptive, with a",
        f"tolerance of {TOLERANCE:g}; a tolerance of {TIGHTER:g} changes no result by more than",
        f"{max(result.moved for result in results):.1g} m or rad.",
    ]
    for figure, title in TITLES.items():
        lines += ["", f"## {title}", "", f"![{title}](euler-lagrange-{figure}.png)", "", *WORDS[figure], ""]
        lines += _chase_table(chases) if figure == "tracking" else _check_table(figure, compared, results)
        if figure == "plane":
            lines += [
                "",
                f"With the damper of Eq. 16, phi still oscillates between {low:.2f} and {high:.2f} rad in the last second.",
            ]
    lines += ["", "## Corrections to the printed equations", "", *(f"* {line}" for line in ERRATA)]
    content = {
        "motions": [_motion_content(result) for result in results],
        "checks": [
            {"figure": one.figure, "what": one.what, "found": one.found, "closed_form": one.expected, "unit": one.unit}
            for one in compared
        ],
        "phi_with_the_printed_damper_in_the_last_second_rad": [low, high],
        "tracking": [_chase_content(chase) for chase in chases],
    }
    return Report("The Euler-Lagrange model", lines, content)


def _swing_of_last_second(results: Sequence[ExperimentResult]) -> list[float]:
    """Minimum and maximum of phi in the last second of Fig. 7 with the damper of Eq. 16 [rad]."""
    times, polar = swinging_plane(next(result for result in results if result.experiment.figure == "plane"))
    late = polar[times >= times[-1] - 1, 2]
    return [float(late.min()), float(late.max())]


def _name(result: ExperimentResult) -> str:
    return f"{TITLES[result.experiment.figure].split(':')[0]}, {result.experiment.label}"


def _check_table(figure: str, compared: Sequence[ClosedFormCheck], results: Sequence[ExperimentResult]) -> list[str]:
    own = [one for one in compared if one.figure == figure]
    found = [[f"{one.what} [{one.unit}]", f"{one.found:.4f}", f"{one.expected:.4f}"] for one in own]
    times = [
        [one.experiment.label, f"{1e3 * one.seconds:.0f}", f"{one.speed:.0f}", f"{one.motion.evaluations}"]
        for one in results
        if one.experiment.figure == figure
    ]
    lines = [*markdown_table(("", "found", "closed form"), found), ""]
    return lines + markdown_table(("", "computing time ms", "times faster than real time", "evaluations"), times)


def _chase_table(chases: Sequence[Chase]) -> list[str]:
    lines = [
        f"Greatest errors where the reference does not shrink (target {ALLOWED:g} m and rad), and greatest forces:",
        "",
    ]
    rows = []
    for chase in chases:
        errors = [f"{error:.4f}" for error in chase.tracking.greatest_errors]
        inputs = chase.tracking.inputs
        events = ", ".join(
            f"{event.what.name.lower()} {event.begin:.2f} to {event.end:.2f} s" for event in chase.tracking.events
        )
        rows.append([chase.label, *errors, f"{inputs[:, 0].max():.0f}", f"{inputs[:, 1:].max():.0f}", events])
    return lines + markdown_table(CHASE, rows)


def _motion_content(result: ExperimentResult) -> dict[str, Any]:
    motion, experiment = result.motion, result.experiment
    return {
        "figure": experiment.figure,
        "label": experiment.label,
        "start": list(experiment.start),
        "end": [round(float(part), 9) for part in motion.polar[-1]],
        "seconds": result.seconds,
        "times_real_time": result.speed,
        "evaluations": motion.evaluations,
        "moved_by_a_tighter_tolerance": result.moved,
        "growth_stood_still_s": [list(lock) for lock in motion.locks],
    }


def _chase_content(chase: Chase) -> dict[str, Any]:
    return {
        "label": chase.label,
        "greatest_errors": chase.tracking.greatest_errors.tolist(),
        "within": bool(np.all(chase.tracking.greatest_errors < ALLOWED)),
        "greatest_inputs_n": chase.tracking.inputs.max(axis=0).tolist(),
        "events": [[event.what.value, event.begin, event.end] for event in chase.tracking.events],
    }


def missed_text(results: list[Any]) -> str:
    """Return the accuracy of tracking that was asked and not met, as text; empty if it was met."""
    errors = split_results(results)[1][0].tracking.greatest_errors
    if (errors < ALLOWED).all():
        return ""
    return f"the tracking errors are {errors.max():.3g} at most, less than {ALLOWED} was asked"
