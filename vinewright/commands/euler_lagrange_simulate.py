"""`vinewright euler-lagrange simulate`: the motion of a robot under given inputs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.euler_lagrange_inputs import (
    CoreOption,
    CorePressureOption,
    InputOptions,
    InputsOption,
    PressuresOption,
    TensionsOption,
    parse_start,
    shown_path,
)
from vinewright.commands.euler_lagrange_run import Job, OutOption, Told, check_seconds, result_folder
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption, RobotArgument

if TYPE_CHECKING:
    from dynamics.euler_lagrange.motion import RobotMotion

USUAL_SECONDS = 10.0
"""Duration under constant inputs [s]: that of the paper's figures."""
NAME = "motion"
"""Name of the description and the picture."""

StartOption = Annotated[
    str,
    typer.Option(
        metavar="S,THETA,PHI",
        help="Length in metres, bend and its plane in radians, from which the robot is released at rest.",
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option(
        metavar="S", help="Duration in seconds. Default: the last time in --inputs, or 10.", show_default=False
    ),
]


def simulate(
    robot: RobotArgument,
    inputs: InputsOption = None,
    core: CoreOption = None,
    core_pressure: CorePressureOption = None,
    tensions: TensionsOption = None,
    pressures: PressuresOption = None,
    start: StartOption = "1,0,0",
    seconds: SecondsOption = None,
    out: OutOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Compute the motion of a robot under given inputs. Exit code 3 if the tube bends into a full circle, where the model ends.

    Ctrl-C keeps the motion so far.
    """
    answer = Answer(as_json)
    begun = time.perf_counter()
    with readable_errors():
        from dynamics.euler_lagrange.input_table import simulate as compute
        from dynamics.euler_lagrange.robot_file import load_robot
        from vinewright.console.study_options import command_line

        made = load_robot(robot)
        options = InputOptions(inputs, core, core_pressure, tensions, pressures)
        given, shown = options.table(), options.shown()
        released = parse_start(start)
        lasts = check_seconds((given.seconds or USUAL_SECONDS) if seconds is None else seconds)
        command = command_line(f"euler-lagrange simulate {shown_path(robot)}", **shown, start=start, seconds=seconds)
        head = {"robot": shown_path(robot), "inputs": shown["inputs"]}
        done = Job(answer, begun, made, NAME, "Motion under given inputs", command, head, lasts).run(
            result_folder(out, robot, force, inputs, "table of inputs"),
            lambda watch: compute(made.robot, given, released, lasts, watch=watch),
            lambda motion, content: Told([motion_sentence(content)], _missed(motion)),
        )
    return answer.end(*done)


def motion_sentence(content: dict[str, Any]) -> str:
    """Return how a motion ends as text, from the content of `motion.json`."""
    start, end = content["start"], content["end"]
    x, y, z = end["tip_m"]
    still = sum(end - begin for begin, end in content["growth_stood_still_s"])
    return (
        f"s from {start['s_m']:.4g} to {end['s_m']:.4g} m in {content['computed_s']:.4g} s, without growth for {still:.4g} s; at the "
        f"end bend {end['theta_rad']:.4g} rad in the plane {end['phi_rad']:.4g} rad, tip at ({x:.3f}, {y:.3f}, {z:.3f}) m"
    )


def _missed(motion: RobotMotion) -> str:
    if not motion.coiled:
        return ""
    return (
        f"after {motion.ended:.4g} s the tube bends into a full circle, beyond which the model is not valid; give smaller tensions "
        "or pressures, or a stiffer robot"
    )
