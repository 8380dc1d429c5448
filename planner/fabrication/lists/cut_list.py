"""The cut list and the table of sections, as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.fabrication.assembly.build import CLAMP, FITTING, HOLD, LEAD, ActuatorBuild, Build
from planner.fabrication.assembly.films import Thickness, strip_film
from planner.fabrication.assembly.folding import TAPE_WIDTH as FOLD_TAPE
from planner.fabrication.assembly.folding import tape_length
from planner.fabrication.assembly.strips import LAP, layers, material
from planner.fabrication.lists.plumbing_parts import FEED_TUBE, THREAD, base_rows
from planner.fabrication.plumbing.feed_lines import TAPE_EVERY, FeedLine, FeedLines
from planner.fabrication.plumbing.plumbing import plumbing_of
from planner.output.csv_table import csv_table
from planner.output.text import millimetres
from surrogate.cpam import Cpam

TAPE = 60e-3
"""Length of double-sided tape per bracket or line [m]: through the slot, or over the strip, and onto the body on both sides."""
TAPE_WIDTH = 12e-3
"""Width of the tape [m]."""
CUT_COLUMNS = "part", "name", "quantity", "cut_length_mm", "width_mm", "seam_mm", "material", "made_up_of"
SECTION_COLUMNS = [
    "name",
    "start_mm",
    "end_mm",
    "side",
    "l0_mm",
    "seam_mm",
    "cells",
    "pressure_kpa",
    "curvature_per_m",
    "cell_ends_mm",
]


def cut_list(build: Build) -> str:
    """Return all parts with quantity, cut length and material, as CSV."""
    seal = f"{millimetres(build.bar)} seal at the tip + {millimetres(HOLD)} to hold it"
    body = f"{millimetres(CLAMP)} clamp + {millimetres(build.design.built)} tube + {seal}"
    rows: list[Sequence[object]] = [
        (
            "body",
            "body",
            1,
            millimetres(build.body_length),
            millimetres(build.body_width),
            _tube_of(build.film),
            body,
            "",
        ),
        *(
            (
                "actuator",
                strip.name,
                1,
                millimetres(strip.cut_length),
                millimetres(strip.cut_width),
                material(strip.actuator, _tube_of(strip_film(strip.actuator))),
                _actuator_parts(strip),
                strip.actuator.kind,
            )
            for strip in build.actuators
        ),
        *_joints(build),
    ]
    for bend in build.bends:
        use = f"over the joined edges of each fold, {millimetres(bend.folds.depth)} mm deep"
        sizes = millimetres(tape_length(build)), millimetres(FOLD_TAPE)
        rows.append(("fold tape", bend.name, len(bend.folds.at), *sizes, "polyethylene tape", use, ""))
    for line in FeedLines(build).each:
        rows.append(("feed line", line.name, 1, millimetres(line.length), "", FEED_TUBE, _feed_line_parts(line), ""))
    if build.actuators:
        fitting = f"barbed fitting {THREAD} for a 4 x 2.5 mm tube"
        rows.append(("fitting", "", len(build.actuators), "", "", fitting, "one per actuator, at its proximal end", ""))
    rows += base_rows(plumbing_of(build))
    seals = {"body": build.bar} | {one.name: one.bar for one in build.actuators}
    sealed = [millimetres(seals[str(row[1])]) if row[0] in ("body", "actuator") else "" for row in rows]
    column = CUT_COLUMNS.index("seam_mm")
    rows = [(*row[:column], seam, *row[column:]) for row, seam in zip(rows, sealed, strict=True)]
    return _table(build, CUT_COLUMNS, rows)


def _tube_of(film: Thickness) -> str:
    return f"{film.material} lay-flat tube, {film.text()}"


def _feed_line_parts(line: FeedLine) -> str:
    """Return the lengths that make up a feed line, and where it runs."""
    parts = f"{millimetres(line.along)} to the fitting + {millimetres(line.across)} across to the fold + {millimetres(LEAD)} to the valve"
    side = line.actuator.section.side.upper()
    where = (
        "" if line.course == "none" else f"; on the {line.course}, {millimetres(line.from_fold)} from the {side} fold"
    )
    return f"{parts}{where}; taped every {millimetres(TAPE_EVERY)}; leaves at the base line"


def _actuator_parts(actuator: ActuatorBuild) -> str:
    kind = actuator.actuator
    name = "pitches" if actuator.end == "line" else "cells"
    parts = [
        (HOLD, "to hold it"),
        (actuator.bar, "seal"),
        (FITTING, "fitting"),
        (actuator.contraction, "slack for its shortening"),
        (actuator.seam / 2, "half a seam"),
        (actuator.cells * actuator.pitch, f"of {actuator.cells} {name}"),
        *_closed_end(actuator),
        (HOLD, "to hold it"),
    ]
    text = " + ".join(f"{millimetres(length)} {what}" for length, what in parts if length)
    flat = millimetres(actuator.width)
    if isinstance(kind, Cpam):
        return (
            f"{text}; both sides folded inwards by {millimetres(kind.fold_depth(actuator.section.l_0))} to {flat} wide"
        )
    if layers(kind) == 1:
        stretched = f"pulled to {actuator.stretch:.3f} times its length on the body"
        return f"{text}; long edges lapped by {millimetres(LAP)} to a tube {flat} wide when flat, {stretched}"
    return text


def _closed_end(actuator: ActuatorBuild) -> list[tuple[float, str]]:
    """Return the lengths of film from the last cell end to the end of the seal behind it."""
    if actuator.end == "seam":
        return [(actuator.seam / 2, "half a seam")]
    return [(actuator.closing, "for the last bracket"), (actuator.bar, "seal")]


def _joints(build: Build) -> Iterable[Sequence[object]]:
    """Return the parts that fix the actuators to the body."""
    tape, wide = "double-sided tape", millimetres(TAPE_WIDTH)
    for kind, strips in build.by_type.items():
        ends, end = sum(len(one.ends) for one in strips), strips[0].end
        if end == "bracket":
            yield (
                "bracket",
                "",
                ends,
                "",
                "",
                "",
                "PETG or PLA, printed from bracket.stl",
                "one at every cell end",
                kind,
            )
        if end != "seam":
            where = "one through the slot of every bracket" if end == "bracket" else "one over the strip at every line"
            yield "tape", "", ends, millimetres(TAPE), wide, tape, where, kind
        else:
            for one in strips:
                length = millimetres(one.section.end - one.section.start)
                yield "tape", one.name, 1, length, wide, tape, "along the middle of the pouches", kind


def section_table(build: Build) -> str:
    """Return the dimensions of all actuators, as CSV; `cell_ends_mm` are distances from the base, each with a bracket, seam or
    line."""
    rows = []
    for actuator in build.actuators:
        section = actuator.section
        ends = " ".join(map(millimetres, actuator.ends))
        lengths = [millimetres(length) for length in (section.start, section.end)]
        cells = [millimetres(section.l_0), millimetres(actuator.seam), actuator.cells]
        numbers = [*cells, f"{section.pressure / 1e3:g}", f"{section.curvature:.4g}"]
        rows.append([actuator.name, *lengths, section.side, *numbers, ends, actuator.actuator.kind])
    return _table(build, SECTION_COLUMNS, rows)


def _table(build: Build, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows that end in a type of actuator, as CSV; without that column if there is only one type."""
    return csv_table([*columns, "type"], rows) if build.mixed else csv_table(columns, [row[:-1] for row in rows])
