"""What to buy and cut, and where it goes, as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from planner.fabrication.build import CLAMP, FILM, FITTING, LEAD, SEAL, Build, Muscle
from planner.fabrication.pattern import millimetres
from surrogate.spam import Spam

TAPE = 60e-3
"""Length of double-sided tape for a bracket: through its slot, and onto the body before and behind [m]."""
TAPE_WIDTH = 12e-3
"""Width of that tape [m]."""
CUT_COLUMNS = "part", "name", "quantity", "cut_length_mm", "width_mm", "material", "made_up_of"
SECTION_COLUMNS = [
    "name",
    "start_mm",
    "end_mm",
    "side",
    "l0_mm",
    "cells",
    "pressure_kpa",
    "curvature_per_m",
    "cell_ends_mm",
]


def cut_list(build: Build) -> str:
    """Every part with quantity, length to cut and material, as CSV."""
    film = f"LDPE lay-flat tube, {1e6 * FILM:g} um"
    body = f"{millimetres(CLAMP)} clamp + {millimetres(build.design.length)} tube + {millimetres(SEAL)} seal at the tip"
    rows: list[Sequence[object]] = [
        ("body", "body", 1, millimetres(build.body_length), millimetres(build.body_width), film, body),
        *(
            ("muscle", m.name, 1, millimetres(m.cut_length), millimetres(build.muscle_width), film, _muscle_parts(m))
            for m in build.muscles
        ),
        *_joints(build),
    ]
    for muscle in build.muscles:
        reach = f"{millimetres(muscle.section.start)} to the section + {millimetres(LEAD)} to the regulator"
        tube = "soft tube, 4 x 2.5 mm"
        rows.append(("feed line", muscle.name, 1, millimetres(muscle.section.start + LEAD), "", tube, reach))
    if build.muscles:
        fitting = "barbed fitting for a 4 x 2.5 mm tube"
        rows.append(("fitting", "", len(build.muscles), "", "", fitting, "one a muscle, at the end nearest the base"))
    for pressure in sorted({muscle.section.pressure for muscle in build.muscles}):
        fed = ", ".join(muscle.name for muscle in build.muscles if muscle.section.pressure == pressure)
        rows.append(("regulator", f"{pressure / 1e3:g} kPa", 1, "", "", "pressure regulator", f"feeds {fed}"))
    growth = build.design.params.growth_pressure
    rows.append(("regulator", f"{growth / 1e3:.4g} kPa", 1, "", "", "pressure regulator", "feeds the body"))
    return _csv(CUT_COLUMNS, rows)


def _muscle_parts(muscle: Muscle) -> str:
    cells = f"{millimetres(muscle.cells * muscle.section.l_0)} of {muscle.cells} cells"
    return (
        f"{millimetres(SEAL)} seal + {millimetres(FITTING)} fitting + {millimetres(muscle.contraction)} slack for its shortening + {cells} "
        f"+ {millimetres(SEAL)} seal"
    )


def _joints(build: Build) -> Iterable[Sequence[object]]:
    """What holds the muscles to the body."""
    if not build.muscles:
        return
    ends = sum(len(muscle.ends) for muscle in build.muscles)
    tape = "double-sided tape"
    if isinstance(build.design.params.actuator, Spam):
        yield "bracket", "", ends, "", "", "PETG or PLA, printed from bracket.stl", "one at every cell's end"
        yield (
            "tape",
            "",
            ends,
            millimetres(TAPE),
            millimetres(TAPE_WIDTH),
            tape,
            "one through the slot of every bracket",
        )
    else:
        for muscle in build.muscles:
            length = millimetres(muscle.section.end - muscle.section.start)
            yield "tape", muscle.name, 1, length, millimetres(TAPE_WIDTH), tape, "along the middle of the pouches"


def section_table(build: Build) -> str:
    """The muscles in numbers, as CSV; `cell_ends_mm` are distances from the base, a bracket or seam at each."""
    rows = []
    for muscle in build.muscles:
        section = muscle.section
        ends = " ".join(map(millimetres, muscle.ends))
        lengths = [millimetres(length) for length in (section.start, section.end)]
        numbers = [millimetres(section.l_0), muscle.cells, f"{section.pressure / 1e3:g}", f"{section.curvature:.4g}"]
        rows.append([muscle.name, *lengths, section.side, *numbers, ends])
    return _csv(SECTION_COLUMNS, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
