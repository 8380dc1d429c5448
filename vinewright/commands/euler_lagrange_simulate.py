"""`vinewright euler-lagrange simulate`: the motion of a robot under given inputs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.euler_lagrange_run import (
    Job,
    OutOption,
    Told,
    check_seconds,
    parse_start,
    parse_three,
    result_folder,
    shown_path,
)
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption, RobotArgument

if TYPE_CHECKING:
    from dynamics.euler_lagrange.input_table import InputTable
    from dynamics.euler_lagrange.motion import RobotMotion

USUAL_SECONDS = 10.0
"""Duration under constant inputs [s]: that of the paper's figures."""
NAME = "motion"
"""Name of the description and the picture."""

InputsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="Inputs over time: columns time_s, core_n, and spam_1_n, spam_2_n, spam_3_n (tensions) or spam_1_kpa, spam_2_kpa, "
        "spam_3_kpa (pressures); linear between rows, two rows with the same time are a jump. Default: constant inputs.",
    ),
]
CoreOption = Annotated[
    float | None,
    typer.Option(metavar="N", help="Constant force in the core, in newtons. Default: 0.", show_default=False),
]
TensionsOption = Annotated[
    str | None, typer.Option(metavar="N,N,N", help="Constant tensions of the three sPAMs, in newtons. Default: 0.")
]
PressuresOption = Annotated[
    str | None,
    typer.Option(metavar="KPA,KPA,KPA", help="Constant pressures of the three sPAMs, in kPa, instead of tensions."),
]
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
        given = _inputs(inputs, core, tensions, pressures)
        released = parse_start(start)
        lasts = check_seconds((given.seconds or USUAL_SECONDS) if seconds is None else seconds)
        shown = shown_path(inputs) if inputs else None
        options = {"inputs": shown, "core": core, "tensions": tensions, "pressures": pressures}
        command = command_line(f"euler-lagrange simulate {shown_path(robot)}", **options, start=start, seconds=seconds)
        head = {"robot": shown_path(robot), "inputs": shown}
        done = Job(answer, begun, made, NAME, "Motion under given inputs", command, head, lasts).run(
            result_folder(out, robot, force, inputs, "table of inputs"),
            lambda watch: compute(made.robot, given, released, lasts, watch=watch),
            lambda motion, content: Told([motion_sentence(content)], _missed(motion)),
        )
    return answer.end(*done)


def _inputs(file: Path | None, core: float | None, tensions: str | None, pressures: str | None) -> InputTable:
    """Return the inputs of the options.

    Raises:
        BadInput: Options exclude each other, or a value is out of range.
        InvalidTimeTable: The file cannot be used.
    """
    from dynamics.euler_lagrange.input_table import InputTable
    from dynamics.euler_lagrange.time_table import MOST_FORCE, MOST_PRESSURE, read_inputs

    if file is not None:
        for option, value in (("--core", core), ("--tensions", tensions), ("--pressures", pressures)):
            if value is not None:
                raise BadInput(f"--inputs and {option} exclude each other; give one of them")
        return read_inputs(file)
    if tensions is not None and pressures is not None:
        raise BadInput("--tensions and --pressures exclude each other; give one of them")
    option, text, most, unit = ("--tensions", tensions, MOST_FORCE, "N")
    if pressures is not None:
        option, text, most, unit = ("--pressures", pressures, MOST_PRESSURE, "kPa")
    pulls = (0.0, 0.0, 0.0) if text is None else parse_three(option, text, unit)
    pushed = core or 0.0
    for name, value, limit in (("--core", pushed, MOST_FORCE), *((option, one, most) for one in pulls)):
        if not 0 <= value <= limit:
            raise BadInput(f"{name} {value:g} must be from 0 to {limit:g} {'N' if name == '--core' else unit}")
    scaled = [1e3 * one for one in pulls] if pressures is not None else pulls
    return InputTable.constant(pushed, scaled, pressures is not None)


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
