"""`vinewright euler-lagrange`: shipped robots of paper 004's model, robot files, and their motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.commands.euler_lagrange_simulate import simulate
from vinewright.commands.euler_lagrange_sweep import sweep
from vinewright.commands.euler_lagrange_track import track
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.completion import robot_names
from vinewright.console.errors import readable_errors
from vinewright.console.options import RobotArgument
from vinewright.console.toml_files import write_new_toml

if TYPE_CHECKING:
    from dynamics.euler_lagrange.model import Robot

app = typer.Typer(
    help="Move a growing robot with a mass at its tip and three actuators in space: under given inputs, or along a reference."
)


@app.command("list")
def list_robots(as_json: JsonOption = False) -> int:
    """List the shipped robots."""
    from rich.table import Table

    from dynamics.euler_lagrange.robot_file import known_robots, load_robot, robot_content, robot_description

    answer = Answer(as_json)
    table = Table("name", "mass kg", "stiffness N m/rad", "arm mm", "what it is")
    listed = []
    for name in known_robots():
        made = load_robot(name)
        numbers = made.robot.mass, made.robot.stiffness, 1e3 * made.robot.arm
        table.add_row(name, *(f"{number:.4g}" for number in numbers), robot_description(name))
        listed.append({"name": name, "description": robot_description(name), "robot": robot_content(made)})
    answer.console.print(table)
    return answer.end({"robots": listed})


@app.command()
def show(robot: RobotArgument, as_json: JsonOption = False) -> int:
    """Show the parameters of a robot and its controller, and quantities derived from them."""
    from rich.table import Table

    answer = Answer(as_json)
    with readable_errors():
        from dynamics.euler_lagrange.robot_file import load_robot, robot_content
        from dynamics.euler_lagrange.robot_keys import ACTUATOR, CONTROLLER, GRAVITY, PLANES, ROBOT

        made = load_robot(robot)
    content = robot_content(made)
    table = Table("", "", "what it is", title=robot, title_justify="left")
    for values, keys in ((content, ROBOT), (content["actuator"], ACTUATOR), (content["controller"], CONTROLLER)):
        for key in keys.values():
            table.add_row(key.name, f"{values[key.name]:.6g}" if key.name in values else "no limit", key.meaning)
        if values is content:
            for name, _, meaning in (GRAVITY, PLANES):
                table.add_row(name, ", ".join(f"{one:g}" for one in content[name]), meaning)
    table.add_section()
    derived = _derived(made.robot)
    for name, (value, how) in derived.items():
        table.add_row(name, "none" if value is None else f"{value:.4g}", how)
    answer.console.print(table)
    return answer.end(
        {"name": robot, "robot": content, "derived": {name: value for name, (value, _) in derived.items()}}
    )


def _derived(robot: Robot) -> dict[str, tuple[float | None, str]]:
    """Return derived quantities with the way in which each is computed; None where it is infinite."""
    pull, damping = robot.mass * robot.gravity[2], robot.axial_damping
    return {
        "arm_mm": (1e3 * robot.arm, "arm_diameters times diameter_mm"),
        "bend_rad_per_n": (
            robot.arm / robot.stiffness if robot.stiffness else None,
            "bend at rest under 1 N of one sPAM, without gravity: arm / K_theta",
        ),
        "core_to_grow_n": (
            max(robot.yield_force - pull, 0.0),
            "core force above which a straight tube grows: Y_e - m g_z, or 0",
        ),
        "growth_rate_m_per_s_per_n": (
            1 / damping if damping else None,
            "steady growth rate per newton above that: 1 / D_s",
        ),
    }


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    like: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Write the values of this robot.", autocompletion=robot_names)
    ] = "el-hussieny",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a robot file with all values, and the unit and meaning of every key."""

    def make_text() -> str:
        from dynamics.euler_lagrange.robot_file import load_robot, robot_text

        return robot_text(load_robot(like))

    write_new_toml(file, make_text, force)


@app.command()
def check(robot: RobotArgument, as_json: JsonOption = False) -> int:
    """Check a robot file: exit code 0 if it is valid, otherwise an error message of one line and exit code 2."""
    answer = Answer(as_json)
    with readable_errors():
        from dynamics.euler_lagrange.robot_file import load_robot, robot_content

        made = load_robot(robot)
    answer.console.print(f"{robot}: valid")
    return answer.end({"name": robot, "robot": robot_content(made)})


app.command()(simulate)
app.command()(track)
app.command()(sweep)
