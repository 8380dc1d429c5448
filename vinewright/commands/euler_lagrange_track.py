"""`vinewright euler-lagrange track`: a robot that follows a reference."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.euler_lagrange_inputs import parse_start, shown_path
from vinewright.commands.euler_lagrange_run import Job, OutOption, Told, result_folder
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption, RobotArgument

if TYPE_CHECKING:
    from dynamics.euler_lagrange.control import Tracking

NAME = "tracking"
"""Name of the description and the picture."""
STEP = 1e-3
"""Time step of the controller [s]."""
MOST_LISTED = 5
"""Maximum number of intervals at a limit that are printed."""
WORDS = {
    "shorter": "reference shorter than the tube",
    "core": "core at most_core_n",
    "empty": "core would have to pull",
    "tension": "tension at most_tension_n",
}
"""Limits in words, by the name of their `Saturation`."""
MOST_WITHIN = 100.0
"""Greatest error that may be allowed [m, rad]."""
ReferenceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="REFERENCE",
        help="A CSV file: columns time_s, and s_m, theta_rad, phi_rad (length, bend, its plane) or x_m, y_m, z_m (position of the tip). "
        "It is smooth between the rows.",
    ),
]
StartOption = Annotated[
    str | None,
    typer.Option(
        metavar="S,THETA,PHI",
        help="Length in metres, bend and its plane in radians, from which the robot starts at rest. Default: the first row.",
    ),
]
WithinOption = Annotated[
    float,
    typer.Option(
        metavar="E",
        help="Largest error allowed while the tube can follow: metres for the length, radians for the bend and its plane.",
    ),
]


def track(
    robot: RobotArgument,
    reference: ReferenceArgument,
    start: StartOption = None,
    within: WithinOption = 0.01,
    out: OutOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Let the robot's controller follow a reference. Exit code 3 if an error is larger than --within, or the tube would have to shrink.

    Ctrl-C keeps the motion so far.
    """
    answer = Answer(as_json)
    begun = time.perf_counter()
    if not 0 < within <= MOST_WITHIN:
        raise BadInput(f"--within {within:g} must be greater than 0 and at most {MOST_WITHIN:g}, in metres and radians")
    with readable_errors():
        from dynamics.euler_lagrange.control import track as compute
        from dynamics.euler_lagrange.robot_file import load_robot
        from dynamics.euler_lagrange.time_table import read_reference
        from vinewright.console.study_options import command_line

        made, wanted = load_robot(robot), read_reference(reference)
        begin, lasts = wanted.start if start is None else parse_start(start), wanted.seconds
        step = min(STEP, lasts)
        words = f"euler-lagrange track {shown_path(robot)} {shown_path(reference)}"
        command = command_line(words, start=start, within=within)
        head = {"robot": shown_path(robot), "reference": shown_path(reference), "within": within}
        done = Job(answer, begun, made, NAME, "Following a reference", command, head, lasts).run(
            result_folder(out, robot, force, reference, "reference"),
            lambda watch: compute(made.robot, made.controller, wanted, begin, lasts, step, watch=watch),
            lambda found, content: Told(tracking_lines(content), missed_text(found, within)),
        )
    return answer.end(*done)


def tracking_lines(content: dict[str, Any]) -> list[str]:
    """Return the errors, forces and limits that were met as text, from the content of `tracking.json`."""
    names = ("length", "m"), ("bend", "rad"), ("plane", "rad"), ("tip", "m")
    errors = ((name, content[f"greatest_{name}_error_{unit}"], unit) for name, unit in names)
    shown = ", ".join(f"{name} {'-' if value is None else f'{value:.2g} {unit}'}" for name, value, unit in errors)
    forces = f"core {content['greatest_core_n']:.1f} N, sPAMs {', '.join(f'{one:.1f}' for one in content['greatest_tensions_n'])} N"
    lines = [f"greatest errors while the tube can follow: {shown}", f"greatest forces: {forces}"]
    limits = [
        f"{WORDS.get(one['what'], one['what'])} from {one['begin_s']:.2f} to {one['end_s']:.2f} s"
        for one in content["limits_met"]
    ]
    more = f"; and {len(limits) - MOST_LISTED} more intervals" if len(limits) > MOST_LISTED else ""
    return [*lines, f"limits: {'; '.join(limits[:MOST_LISTED])}{more}"] if limits else lines


def missed_text(found: Tracking, within: float) -> str:
    """Return what of a reference was not followed, and what to do about it, as text; empty if it was followed."""
    from dynamics.euler_lagrange.control import Saturation

    parts = []
    if found.coiled:
        parts.append(f"after {found.times[-1]:.4g} s the tube bends into a full circle; ask for less bend")
    shorter = [event for event in found.events if event.what == Saturation.SHORTER]
    if shorter:
        excess = float((found.q[:, 0] - found.reference[:, 0]).max())
        parts.append(
            f"from {shorter[0].begin:.2f} to {shorter[0].end:.2f} s{' and later' * (len(shorter) > 1)} the reference is shorter than "
            f"the tube, by up to {excess:.3g} m; a vine cannot shrink: let the length only increase"
        )
    errors = found.greatest_errors
    if (errors > within).any():
        length, bend, plane = ("-" if math.isnan(one) else f"{one:.3g}" for one in errors)
        parts.append(
            f"the greatest errors are {length} m, {bend} rad and {plane} rad in its plane, more than --within {within:g}; {_advice(found)}"
        )
    return "; ".join(parts)


def _advice(found: Tracking) -> str:
    """Return what to do about errors: about the limit that was met for longest, or else about reference and gains."""
    from dynamics.euler_lagrange.control import Saturation

    advice = {
        Saturation.TENSION: "tensions are at most_tension_n for {:.2f} s: allow more, give a longer arm, or ask for less bend",
        Saturation.CORE: "the core is at most_core_n for {:.2f} s: allow more, or ask for slower growth or less bend",
        Saturation.EMPTY: "the core would have to pull for {:.2f} s: ask for slower changes of length and bend",
    }
    step = float(found.times[0])
    lasted = {what: step * float(found.during(what).sum()) for what in advice}
    worst = max(lasted, key=lambda what: lasted[what])
    if lasted[worst] > 0:
        return advice[worst].format(lasted[worst])
    return "ask for slower motion that begins at rest where the robot starts, or give larger gains in [controller]"
