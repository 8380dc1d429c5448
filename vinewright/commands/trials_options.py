"""Options of `vinewright trials`, and measurements from their texts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from environments.importing.units import METRES
from vinewright.commands.environments_import_options import parse_length, parse_numbers, parse_word
from vinewright.console.errors import BadInput

if TYPE_CHECKING:
    from planner.built.trial import BendTest, Growth, MeasuredPoint

RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder of a run or a pack, whose design was built.")
]
ReachedOption = Annotated[
    bool | None,
    typer.Option(
        "--reached/--missed", help="Whether the tip was in the goal at some time, or never.", show_default=False
    ),
]
TipOption = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y",
        help="Where the tip ended, on the tube's axis, in the coordinates of the environment, in mm or the --unit.",
    ),
]
LengthOption = Annotated[
    float | None,
    typer.Option(metavar="L", help="Length grown when it ended or stalled, along the film, in mm or the --unit."),
]
PressuresOption = Annotated[
    str | None,
    typer.Option(
        metavar="KPA,KPA",
        help="Set points of all actuators from the base in kPa, if they were not those of the design.",
    ),
]
BendOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ACTUATOR:KPA:DEG",
        help="Bend of one actuator in free space: its number, its pressure in kPa, and the angle in degrees, positive to its own side; may "
        "be repeated.",
    ),
]
PointOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'OBSTACLE:X,Y:X,Y'",
        help="Point of an obstacle: where it should be, and where it is, as 'wall 6:400,0:403,1'; may be repeated.",
    ),
]
RecordingOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="Recording of the growth, as `vinewright track` writes it; it is copied into RUN, and its last tip counts without --tip.",
    ),
]
NoteOption = Annotated[str | None, typer.Option(metavar="TEXT", help="Text for people, about the growth.")]
UnitOption = Annotated[str, typer.Option(help="Unit of --tip, --length and --point: mm, cm, m, in or ft.")]


def parse_unit(unit: str) -> float:
    """Return a unit in metres."""
    return METRES[parse_word("--unit", unit, [*METRES])]


def parse_point(option: str, text: str, unit: float) -> tuple[float, float]:
    """Parse a position [m], given in a unit [m]."""
    x, y = parse_numbers(option, text, "X,Y")
    return x * unit, y * unit


def parse_growth(
    reached: bool | None, tip: str | None, length: float | None, pressures: str | None, note: str | None, unit: float
) -> Growth:
    """Parse what is known of a growth but its recording, given in a unit [m]."""
    from planner.built.trial import Growth

    set_points = None
    if pressures is not None:
        form = ",".join("KPA" for _ in pressures.split(","))
        set_points = tuple(1e3 * one for one in parse_numbers("--pressures", pressures, form))
    return Growth(
        reached,
        None if tip is None else parse_point("--tip", tip, unit),
        None if length is None else parse_length("--length", 1e3 * unit * length),
        set_points,
        None,
        note or "",
    )


def parse_bend(text: str) -> BendTest:
    """Parse the test of one actuator."""
    from planner.built.trial import BendTest

    section, pressure, bend = parse_numbers("--bend", text, "ACTUATOR:KPA:DEG", ":")
    if section != round(section) or not 1 <= section <= 2000:
        raise BadInput(f"--bend {text} must begin with the number of an actuator, 1 for the one next to the base")
    return BendTest(round(section), 1e3 * pressure, math.radians(bend))


def parse_measured(text: str, unit: float) -> MeasuredPoint:
    """Parse the point of an obstacle, given in a unit [m]."""
    from planner.built.trial import MeasuredPoint

    parts = text.rsplit(":", 2)
    if len(parts) != 3:
        raise BadInput(f"--point {text!r} must be OBSTACLE:X,Y:X,Y, such as 'wall 6:400,0:403,1'")
    obstacle, planned, measured = (part.strip() for part in parts)
    return MeasuredPoint(obstacle, *(parse_point("--point", part, unit) for part in (planned, measured)))
