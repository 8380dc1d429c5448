"""Results of the experiments with paper 004's model, as text and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.markdown import table
from planner.studies.euler_lagrange.study import TIGHTER, TOLERANCE, Chase, Check, Result, checks, swinging_plane
from planner.studies.study import Report

CHASE = "", "length m", "bend rad", "plane rad", "core N", "tension N", "at a limit"

ALLOWED = 0.01
"""Maximum error while the tube can follow the reference, in metres and radians."""
TITLES = {
    "static": "Fig. 4: let go",
    "growth": "Fig. 5: growing",
    "ramp": "Fig. 6: bent",
    "plane": "Fig. 7: turned",
    "tracking": "Fig. 8: following",
}
WORDS = {
    "static": (
        "A hanging tube without input is let go at a bend of 0.1 rad. As in the paper it swings about straight, the longer one slower",
        "and wider, to -0.055 rad, where the paper's axis ends, and comes to rest within some seconds. With gravity across the axis it",
        "would come to rest bent.",
    ),
    "growth": (
        "The core pushes with 5 N against a yield force of 4 N. The length grows linearly, as in the paper. A slope of 0.667 m/s, as in",
        "its picture, results only if gravity does not pull along the axis; hanging, the weight of the tip pulls nearly as much as",
        "exceeds the yield force. The paper gives neither its gravity here nor the initial length; 0.5 m is taken.",
    ),
    "ramp": (
        "The tension of sPAM 1 rises to 100 N (the paper counts pulls as negative). Here the weight has to pull across the axis,",
        "against the actuator: then the tube of 5 m sags to -0.17 rad first and swings, as in the paper, and the one of 1 m hardly does.",
        "Bends of about 0.4 rad result from an arm of two diameters; with half of one, as in Eq. 3, the actuator has just lifted the",
        "weight by the end. At 1 m the bend ends above the paper's axis: no one arm gives both lengths. The closed form is the bend at",
        "rest under what the tension is less the damper's share.",
    ),
    "plane": (
        "sPAM 1 pulls with 20 N, after 5 s sPAM 2 does in its place. The paper's bend of 0.1 rad results from an arm of two diameters;",
        "half a diameter gives 0.025. The plane goes to 2 pi / 3, the paper's 2 rad; with the plus in Eq. 3 as printed it would go to",
        "-2 pi / 3. In the paper it goes on oscillating around 2, as the damper of Eq. 16 does not act on phi (red in the picture). Here",
        "one acts on every direction of the bend. The length of 2 m is chosen.",
    ),
    "tracking": (
        "The controller follows a length, a bend and a plane that change every second. The paper gives no values of its references, so",
        "these are of the same size, and blend smoothly. As in the paper the length is lost where the reference is shorter than what",
        "has grown (shaded), for a vine cannot shrink, and only there. The paper's gains for s and theta, taken for s, u and v, let the",
        "length lag; that for phi has no part here.",
        "The arm is two diameters: with half of one, tensions are four times as large. Either way this needs more force than a",
        "sPAM has, since Table 1's tube is as stiff at 6 m as at 1 m.",
    ),
}
ERRATA = (
    "Eq. 3 needs cos(phi - beta_i): an actuator bends the tube into its own plane.",
    "Eq. 14 needs the transpose of J_l, and tensions that pull are negative there. Here pulls are positive.",
    "Eq. 15 has neither its constants nor its equilibrium length: here a line through a sPAM's pull, which grows with the tube.",
    "Eq. 16 leaves phi undamped. Here D_theta acts on the rates of u and v alike.",
    "Eq. 18 must be the second derivative of T by two rates; as printed it is nothing at rest. Then M = m J^T J.",
    "Eq. 22 needs M^-1.",
    "Eq. 20's G holds K_theta theta too.",
    "Eq. 24 needs the pseudo-inverse of J_l's transpose, and Y_e; of all inputs that will do, the smallest that do not push are taken.",
    "Section 4.3 gives K_p twice; the second is K_d.",
    "At theta = 0 the equations in theta and phi are singular, which the polynomials of Eq. 2 do not mend; those in u and v are not.",
    "Growth that cannot turn back is more than a rate set to zero: while it stands still its equation is left out.",
    "No one gravity and no one arm fits all the figures.",
)


def report(results: Sequence[Result], chases: Sequence[Chase]) -> Report:
    """The report as Markdown, and its data."""
    compared, (low, high) = checks(list(results)), _last_second(results)
    slowest, speeds = min(results, key=lambda result: result.speed), [result.speed for result in results]
    lines = [
        "One thread is used. The robot is that of paper 004's Table 1: a point mass of 0.1 kg at the tip of an arc, a spring against",
        "bending that does not depend on the length, and dampers.",
        f"Computing 10 s of open loop takes 1 / {max(speeds):.0f} to 1 / {min(speeds):.0f} of that time (target 1 / 100),",
        f"longest for {_name(slowest)}. Steps are adaptive, with a tolerance of {TOLERANCE:g}; {TIGHTER:g} changes no result by more",
        f"than {max(result.moved for result in results):.1g} m or rad.",
    ]
    for figure, title in TITLES.items():
        lines += ["", f"## {title}", "", f"![{title}](euler-lagrange-{figure}.png)", "", *WORDS[figure], ""]
        lines += _chase_table(chases) if figure == "tracking" else _check_table(figure, compared, results)
        if figure == "plane":
            lines += [
                "",
                f"With the damper of Eq. 16 phi still swings between {low:.2f} and {high:.2f} rad in the last second.",
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


def _last_second(results: Sequence[Result]) -> list[float]:
    """Minimum and maximum of phi in the last second of Fig. 7 with the damper of Eq. 16 [rad]."""
    times, polar = swinging_plane(next(result for result in results if result.experiment.figure == "plane"))
    late = polar[times >= times[-1] - 1, 2]
    return [float(late.min()), float(late.max())]


def _name(result: Result) -> str:
    return f"{TITLES[result.experiment.figure].split(':')[0]}, {result.experiment.label}"


def _check_table(figure: str, compared: Sequence[Check], results: Sequence[Result]) -> list[str]:
    own = [one for one in compared if one.figure == figure]
    found = [[f"{one.what} [{one.unit}]", f"{one.found:.4f}", f"{one.expected:.4f}"] for one in own]
    times = [
        [one.experiment.label, f"{1e3 * one.seconds:.0f}", f"{one.speed:.0f}", f"{one.motion.evaluations}"]
        for one in results
        if one.experiment.figure == figure
    ]
    lines = [*table(("", "found", "closed form"), found), ""]
    return lines + table(("", "computed in ms", "times real time", "evaluations"), times)


def _chase_table(chases: Sequence[Chase]) -> list[str]:
    lines = [
        f"Greatest errors wherever the growth allows (target {ALLOWED:g} m and rad), and the greatest forces:",
        "",
    ]
    rows = []
    for chase in chases:
        errors = [f"{error:.4f}" for error in chase.errors]
        inputs = chase.tracking.inputs
        events = ", ".join(
            f"{event.what.name.lower()} {event.begin:.2f} to {event.end:.2f} s" for event in chase.tracking.events
        )
        rows.append([chase.label, *errors, f"{inputs[:, 0].max():.0f}", f"{inputs[:, 1:].max():.0f}", events])
    return lines + table(CHASE, rows)


def _motion_content(result: Result) -> dict[str, Any]:
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
        "greatest_errors": chase.errors.tolist(),
        "within": bool(np.all(chase.errors < ALLOWED)),
        "greatest_inputs_n": chase.tracking.inputs.max(axis=0).tolist(),
        "events": [[event.what.value, event.begin, event.end] for event in chase.tracking.events],
    }
