"""The parts list: everything to buy or print for one build, with quantities that include allowances."""

from __future__ import annotations

from collections.abc import Iterator

from planner.fabrication.assembly import clamp
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.assembly.films import strip_film
from planner.fabrication.assembly.folding import TAPE_WIDTH as FOLD_TAPE
from planner.fabrication.assembly.folding import tape_length
from planner.fabrication.assembly.strips import layers, material
from planner.fabrication.assembly.vessel import Vessel
from planner.fabrication.assembly.wall_base import COUPLING, SPARE, WallBase
from planner.fabrication.lists.cut_list import TAPE, TAPE_WIDTH
from planner.fabrication.lists.parts_entry import PartsListEntry
from planner.fabrication.lists.plumbing_parts import plumbing_parts
from planner.output.csv_table import csv_table
from planner.output.text import millimetres, plural

STRIP, STRIPS = 0.15, 12
"""Length of a test strip [m], and their number: three times at each of four temperatures."""
COLUMNS = "part", "quantity", "unit", "specification", "used_for"


def parts_list(build: Build, vessel: Vessel | None, wall: WallBase | None = None) -> list[PartsListEntry]:
    """Return all parts of a build."""
    return [
        *_films(build),
        *_fold_parts(build),
        *_actuator_parts(build),
        *plumbing_parts(build, vessel is not None),
        *_base(build, vessel, wall),
    ]


def parts_table(build: Build, vessel: Vessel | None, wall: WallBase | None = None) -> str:
    """Return the parts list as CSV."""
    rows = [(part.name, part.amount, part.unit, part.what, part.purpose) for part in parts_list(build, vessel, wall)]
    return csv_table(COLUMNS, rows)


def _films(build: Build) -> Iterator[PartsListEntry]:
    tested = STRIP * STRIPS
    film = f"{build.film.text('µm')} {build.film.material}"
    body, pieces = f"{millimetres(build.body_width)} mm lay-flat, {film}", f"{STRIPS} test strips"
    yield PartsListEntry(
        "tube of the body", build.body_length + tested, "m", body, f"body with clamp and seal, {pieces}"
    )
    areas = {film: 2 * build.body_width * (build.body_length + tested)}
    rolls: dict[tuple[str, str], list[ActuatorBuild]] = {}
    for one in (one for made in build.by_type.values() for one in sorted(made, key=lambda strip: strip.cut_width)):
        name, shape = ("tube", "lay-flat") if layers(one.actuator) == 2 else ("fabric", "wide")
        what = f"{millimetres(one.cut_width)} mm {shape}, {material(one.actuator, _film_of(one))}"
        rolls.setdefault((name, what), []).append(one)
    for (name, what), strips in rolls.items():
        of_strips = _film_of(strips[0])
        kinds = " and ".join(dict.fromkeys(one.actuator.kind for one in strips))
        length = sum(one.cut_length for one in strips) + tested
        purpose = f"{plural(len(strips), 'strip')} with seals, fittings and slack, {pieces}"
        of_kinds = f"{kinds} actuators" if build.mixed else "actuators"
        yield PartsListEntry(f"{name} of the {of_kinds}", length, "m", what, purpose)
        if name == "tube":
            areas[of_strips] = areas.get(of_strips, 0.0) + 2 * strips[0].cut_width * length
    for what, area in areas.items():
        yield PartsListEntry(
            "film in all", area, "m2", f"{what}, both layers of the tubes above", "to compare prices and weight"
        )


def _film_of(actuator: ActuatorBuild) -> str:
    film = strip_film(actuator.actuator)
    return f"{film.text('µm')} {film.material}"


def _fold_parts(build: Build) -> Iterator[PartsListEntry]:
    if not build.bends:
        return
    count = sum(len(bend.folds.at) for bend in build.bends)
    what = f"polyethylene tape that sticks to the film, {millimetres(FOLD_TAPE)} mm wide"
    yield PartsListEntry("fold tape", count * tape_length(build), "m", what, f"{count} folds of the preformed bends")


def _actuator_parts(build: Build) -> Iterator[PartsListEntry]:
    if not build.actuators:
        return
    brackets = sum(len(one.ends) for one in build.actuators if one.end == "bracket")
    if brackets:
        where = "one at every cell end" + (" of the spam actuators" if build.mixed else "")
        yield PartsListEntry("bracket", brackets, "pieces", "PETG or PLA, printed from bracket.stl", where)
    taped = sum(
        one.section.end - one.section.start if one.end == "seam" else TAPE * len(one.ends) for one in build.actuators
    )
    yield PartsListEntry("double-sided tape", taped, "m", f"{millimetres(TAPE_WIDTH)} mm wide", "actuators on the body")


def rod_parts(wall: WallBase) -> Iterator[PartsListEntry]:
    """Return the parts that carry a printed vessel behind a wall of the thickness T."""
    number = 3
    for name, count, what in (
        ("countersunk screw", number, f"M5 x (T + {millimetres(SPARE)} mm), T the thickness of the wall"),
        ("coupling nut", number, f"M5 x {millimetres(COUPLING)} mm"),
        ("threaded rod", number, f"M5 x ({millimetres(wall.rod or 0.0)} mm - T)"),
        ("nut with washer", 2 * number, "M5"),
    ):
        yield PartsListEntry(name, count, "pieces", what, "the vessel behind the wall")


def _base(build: Build, vessel: Vessel | None, wall: WallBase | None) -> Iterator[PartsListEntry]:
    if vessel is None:
        what = f"with a neck that fits into {millimetres(2 * build.design.params.radius)} mm; it is not printed"
        yield PartsListEntry("pressure vessel", 1, "pieces", what, "holds the inverted tube")
    else:
        yield PartsListEntry(
            "vessel",
            1,
            "pieces",
            f"printed from vessel.stl, about {1e3 * vessel.mass:.0f} g of PLA",
            "holds the inverted tube",
        )
        yield PartsListEntry("clamp half", 2, "pieces", "printed from clamp.stl", "the body on the neck")
        yield PartsListEntry(
            "bolt with nut and washers", 2, "pieces", f"M5 x {millimetres(clamp.bolt_length())} mm", "the clamp"
        )
        if wall:
            yield from rod_parts(wall)
        else:
            yield PartsListEntry("screw", 4, "pieces", "M5, for the board under the flange", "the vessel on its board")
        yield PartsListEntry(
            "rubber tape", 0.5, "m", "self-fusing silicone, 25 mm wide, 0.5 mm thick", "between neck and film"
        )
        yield PartsListEntry(
            "epoxy resin", 0.05, "kg", "thin laminating resin, brushed on", "to seal the inside of the vessel"
        )
