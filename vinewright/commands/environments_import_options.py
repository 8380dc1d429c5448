"""Options of `vinewright environments import`, and their values from text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from environments.importing.units import METRES
from vinewright.console.errors import BadInput

_LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)(mm|cm|m|in|ft)?")
CORNERS = "lower left, lower right, upper right, upper left"
FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A map of ROS (.yaml), a drawing (.dxf, .svg, .geojson) or a photograph from above (.png, .jpg).",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.toml", help="File to write. Default: FILE's name with .toml, in this folder."),
]
PictureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.png",
        help="Picture of the obstacles over what they were found in. Default: the name of --out with -imported.png. Without start or "
        "goal only this is written.",
    ),
]
StartOption = Annotated[
    str | None, typer.Option(metavar="X,Y,DEG", help="Start in mm and its heading in degrees, in place of the file's.")
]
GoalOption = Annotated[
    str | None, typer.Option(metavar="X,Y,RADIUS", help="Goal and its radius in mm, in place of the file's.")
]
PickOption = Annotated[
    bool,
    typer.Option(
        "--pick",
        help="Pick start and goal by mouse in a window with the picture, in place of the file's; those given are not picked.",
    ),
]
SimplifyOption = Annotated[
    float | None,
    typer.Option(
        metavar="MM",
        help="Largest distance in mm by which outlines may move so that they have fewer corners. Default: half a cell of a map, a "
        "pixel of a rectified photograph, 0 for drawings.",
    ),
]
MmPerUnitOption = Annotated[
    float | None, typer.Option(metavar="MM", help="Of .svg: millimetres for each unit, if not what the file says.")
]
SizeOption = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTHxHEIGHT", help="Of photographs: a rectangle on the bench in mm, which becomes the bounds."
    ),
]
CornersOption = Annotated[
    str | None,
    typer.Option(
        metavar="'X,Y X,Y X,Y X,Y'",
        help=f"Of photographs: pixels of its corners from the upper left of the picture: {CORNERS}.",
    ),
]
ArucoOption = Annotated[
    bool,
    typer.Option(
        "--aruco",
        help=f"Of photographs: ArUco markers 0 to 3 (DICT_4X4_50) lie with their centres at its corners: {CORNERS}.",
    ),
]
ColorOption = Annotated[
    str | None,
    typer.Option(
        metavar="'#rrggbb'", help="Of photographs: colour of the obstacles. Default: all that is darker than the bench."
    ),
]
ToleranceOption = Annotated[
    float | None, typer.Option(help="Of photographs: largest distance from --color, in CIELAB units. Default: 25.")
]
UnknownOption = Annotated[str, typer.Option(metavar="obstacle|free", help="Of maps: what unknown cells are.")]
UnitOption = Annotated[
    str | None,
    typer.Option(help="Of .dxf and .geojson: unit of lengths, mm, cm, m, in or ft, in place of the file's."),
]
KnownOption = Annotated[
    str | None,
    typer.Option(
        metavar="'LENGTH X,Y X,Y'",
        help="Of .dxf, .svg and photographs from straight above: a length in mm, or with a unit, and the two points between which "
        "it is, in units of the drawing or pixels, as '800mm 12,40 312,40'. A .geojson has its own scale: metres, degrees or --unit.",
    ),
]
SolidOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[KEY=]PATTERN",
        help="Of drawings: layers that are solid, as A-WALL or '*wall*', or KEY=PATTERN of colours, fills, types or properties, as "
        "fill=#000000 or indoor=wall; repeatable. Default: layer WALL, or all without one.",
    ),
]
FreeOption = Annotated[
    list[str] | None,
    typer.Option(metavar="[KEY=]PATTERN", help="Of drawings: what is left out, in the same form; repeatable."),
]
StartLayerOption = Annotated[
    str | None,
    typer.Option(help="Of drawings: layer or id of the start, in .geojson the name of its feature. Default: START."),
]
GoalLayerOption = Annotated[
    str | None,
    typer.Option(help="Of drawings: layer or id of the goal, in .geojson the name of its feature. Default: GOAL."),
]
WallThicknessOption = Annotated[
    float | None,
    typer.Option(
        metavar="MM",
        help="Of drawings: closed outlines without a fill, as of rooms, are walls so many mm thick. Default: they are solid.",
    ),
]
LeastSizeOption = Annotated[
    float,
    typer.Option(metavar="MM", help="Leave out obstacles that are less than so many mm across, as specks and letters."),
]
CropOption = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,X,Y|reach",
        help="Keep a rectangle only: its lower left and upper right corner in mm, or what can be reached from the start, with a margin.",
    ),
]
MountOption = Annotated[
    str, typer.Option(metavar="free|wall", help="Whether the base is free, or mounted in a wall at the start.")
]
EdgeOption = Annotated[
    str, typer.Option(metavar="open|table|wall", help="Edge of the bounds: open space, the edge of a table, or walls.")
]


def parse_numbers(option: str, text: str, form: str, separator: str = ",") -> list[float]:
    """Parse a text such as `1,2,3` into as many numbers as the form in the help has."""
    parts = text.split(separator)
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != len(form.split(separator)) or not all(map(math.isfinite, numbers)):
        raise BadInput(f"{option} {text} must be finite numbers: {form}")
    return numbers


def parse_position(option: str, text: str | None, form: str, third: float) -> tuple[float, float, float] | None:
    """Parse a position [m] and a third number, which is multiplied by its unit `third`."""
    if text is None:
        return None
    x, y, more = parse_numbers(option, text, form)
    return x / 1e3, y / 1e3, more * third


def parse_length(option: str, millimetres: float, least: float = 0.0) -> float:
    """Check a length in millimetres, and return it [m]."""
    if not least <= millimetres <= 1e6:
        raise BadInput(f"{option} {millimetres:g} must be from {least:g} to 1e6")
    return millimetres / 1e3


def parse_size(text: str | None) -> tuple[float, float] | None:
    """Parse width and height [m]."""
    if text is None:
        return None
    width, height = parse_numbers("--size", text.lower(), "WIDTHxHEIGHT", "x")
    if not (min(width, height) >= 1 and max(width, height) <= 1e6):
        raise BadInput(f"--size {text} must be from 1 to 1e6 mm, such as 600x400")
    return width / 1e3, height / 1e3


def parse_corners(text: str | None) -> tuple[tuple[float, float], ...]:
    """Parse the pixels of four corners."""
    if text is None:
        return ()
    if len(pairs := text.split()) != 4:
        raise BadInput(f"--corners {text} must be four corners, such as '90,610 1100,640 980,80 200,60'")
    numbers = [parse_numbers("--corners", pair, "X,Y") for pair in pairs]
    return tuple((x, y) for x, y in numbers)


def parse_known(text: str | None) -> tuple[float, tuple[float, float], tuple[float, float]] | None:
    """Parse a known length [m] and the points between which it is."""
    if text is None:
        return None
    form = "a length and two points, such as '800mm 12,40 312,40'"
    parts = text.split()
    match = _LENGTH.fullmatch(parts[0]) if len(parts) == 3 else None
    if match is None:
        raise BadInput(f"--known {text} must be {form}")
    length = float(match[1]) * METRES[match[2] or "mm"]
    one, other = (tuple(parse_numbers("--known", part, "X,Y")) for part in parts[1:])
    if not (0 < length < math.inf and one != other):
        raise BadInput(f"--known {text} must be {form}, apart from each other")
    return length, (one[0], one[1]), (other[0], other[1])


def parse_crop(text: str | None) -> tuple[float, float, float, float] | Literal["reach"] | None:
    """Parse a rectangle [m], or "reach"."""
    if text is None or text == "reach":
        return "reach" if text else None
    x0, y0, x1, y1 = parse_numbers("--crop", text, "X,Y,X,Y")
    if not (x0 < x1 and y0 < y1):
        raise BadInput(f"--crop {text} must be a lower left and an upper right corner, X,Y,X,Y in mm, or reach")
    return x0 / 1e3, y0 / 1e3, x1 / 1e3, y1 / 1e3


Word = TypeVar("Word", bound=str)


def parse_word(option: str, text: str, words: Sequence[Word]) -> Word:
    """Check that a text is one of some words, and return that."""
    for word in words:
        if text == word:
            return word
    raise BadInput(f"{option} {text} must be {' or '.join(words)}")
