"""A builder who has the drawing and the printed guide of a pack only: reads them with ezdxf and pypdf, and finds the design in them.

Nothing of the project reads a file here. Lengths in the files are millimetres, pressures kPa.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from ezdxf.filemanagement import readfile
from pypdf import PdfReader

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.tube import VineParams
from planner.design.design import Design, Section, Side
from planner.design.schedule import Schedule
from surrogate.actuators import Actuator, Limits
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.kernels.compiled import Floats
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

KINDS: dict[str, type[Any]] = {"spam": Spam, "pouch": PouchMotor, "cpam": Cpam, "fpam": Fpam}
UNITS = {"_n_per_m": 1.0, "_n_m2": 1.0, "_mm": 1e-3, "_um": 1e-6, "_kpa": 1e3, "_mpa": 1e6, "_n": 1.0, "": 1.0}
"""Ends of the names of numbers, and the units in SI."""
NAME = r"[LRF]\d+"
PROMISE = r"in (\d+) % \((\d+)-(\d+)\) of ([\d ]+) trials under (\w+) errors"
Thing = TypeVar("Thing")


class CannotBuild(ValueError):
    """The files of a pack lack a statement, or two of them differ."""


def check(holds: bool, text: str) -> None:
    """Check a statement of the files.

    Raises:
        CannotBuild: It does not hold.
    """
    if not holds:
        raise CannotBuild(f"not so: {text}")


def only(found: Iterable[Thing], text: str) -> Thing:
    """Return the one thing of which the files must have exactly one.

    Raises:
        CannotBuild: There are none, or several.
    """
    every = list(found)
    check(len(every) == 1, f"{len(every)} of {text} instead of one")
    return every[0]


@dataclass
class Piece:
    """A piece of the drawing."""

    low: Floats
    high: Floats
    lines: dict[str, list[tuple[Floats, bool]]] = field(default_factory=dict)
    """Corners of each polyline, and whether it is closed, by layer."""
    marks: dict[str, dict[int, Floats]] = field(default_factory=dict)
    """Corners of the numbered marks, by name."""
    texts: list[tuple[float, str]] = field(default_factory=list)
    """x and text."""
    holes: list[tuple[Floats, float]] = field(default_factory=list)
    """Centre and diameter of each circle to cut."""

    def across(self, layer: str) -> list[float]:
        """Return the places of the straight lines from edge to edge."""
        found = [p for p, closed in self.lines.get(layer, []) if not closed and len(p) == 2 and np.ptp(p[:, 0]) < 1e-6]
        return sorted(p[0, 0] for p in found if np.ptp(p[:, 1]) > self.high[1] - self.low[1] - 1e-6)

    def bands(self, layer: str) -> list[tuple[float, float]]:
        """Return left and right edges of the closed outlines, each once."""
        closed = [p[:, 0] for p, is_closed in self.lines.get(layer, []) if is_closed]
        return sorted({(round(float(x.min()), 6), round(float(x.max()), 6)) for x in closed})

    def has(self, text: str) -> bool:
        """Return whether it has a text."""
        return any(text == one for _, one in self.texts)


@dataclass(frozen=True, slots=True)
class Promise:
    """Success that the cover of a guide states, in whole percent there."""

    rate: float
    """Success rate [-]."""
    interval: tuple[float, float]
    """Its 95 % confidence interval [-]."""
    trials: int
    errors: str
    """Name of the errors."""


@dataclass(frozen=True)
class Built:
    """Statements of the files of a pack."""

    design: Design
    cells: dict[str, int]
    """Number of cells of each actuator, by its name."""
    seams: dict[str, float]
    """Width of the seams [m], as drawn."""
    promised: Promise | None
    """Success under errors; None if the cover states none."""


def build_from(drawing: Path, guide: Path, environment: str) -> Built:
    """Rebuild the design from a drawing and a printed guide.

    Args:
        environment: Name of the place.
    Raises:
        CannotBuild: They lack a statement, or two of them differ.
    """
    body, strips = read_drawing(drawing)
    pages = [page.extract_text() for page in PdfReader(guide).pages]
    params, stop, schedule = read_numbers(pages)
    drawn = float(body.high[1] - body.low[1]) * 1e-3 / np.pi
    check(abs(params.radius - drawn) < 1e-8, "the body is drawn as wide as its radius in numbers says")
    base = body.across("MARK")[0]
    folds = [
        np.mean([p[:, 0].min(), p[:, 0].max()])
        for name in body.marks
        if name[0] == "F"
        for p in body.marks[name].values()
    ]
    ends = [x for x in body.across("MARK") if not any(abs(x - fold) < 1e-6 for fold in folds)]
    sections, cells, seams = list[Section](), dict[str, int](), dict[str, float]()
    for start, end in pairwise(ends):
        names = {text for x, text in body.texts if start < x < end and re.fullmatch(f"{NAME}|no actuator", text)}
        name = only(names, f"names between {start:g} and {end:g} mm of the body")
        span = (start - base) * 1e-3, (end - base) * 1e-3
        if name == "no actuator":
            sections.append(Section(*span, "none", 0.0, 0.0, 0.0))
        elif name[0] == "F":
            sections.append(_preformed(body, body.marks[name], span, params))
        else:
            section, seams[name] = _actuated(body, strips[name], name, base, params)
            apart = max(abs(section.start - span[0]), abs(section.end - span[1]))
            check(apart < 1e-6, f"the first and last mark of {name} are at the ends of its section")
            cells[name] = len(body.marks[name]) - 1
            sections.append(section)
    made = Design(
        environment, "0" * 64, params, tuple(sections), np.zeros(3), np.zeros((1, 2)), stop=stop, schedule=schedule
    )
    return Built(made, cells, seams, read_promise(pages[0]))


def read_promise(cover: str) -> Promise | None:
    """Read the success that a cover states; None if it states none."""
    found = re.search(PROMISE, " ".join(cover.split()))
    if found is None:
        return None
    rate, low, high, count, errors = found.groups()
    return Promise(int(rate) / 100, (int(low) / 100, int(high) / 100), int(count.replace(" ", "")), errors)


def read_drawing(path: Path) -> tuple[Piece, dict[str, Piece]]:
    """Read the pieces of a DXF file: the body, and the strips by name. Two cuts across a tube bound a piece."""
    space: Any = readfile(path).modelspace()
    polylines = [(line, np.array(line.get_points("xy"))) for line in space.query("LWPOLYLINE")]
    cuts = sorted(
        (p for line, p in polylines if line.dxf.layer == "CUT"), key=lambda p: (-round(p[:, 1].max(), 6), p[0, 0])
    )
    pieces = [
        Piece(*(f(np.concatenate(pair), axis=0) for f in (np.min, np.max)))
        for pair in zip(cuts[::2], cuts[1::2], strict=True)
    ]

    def piece_at(point: Floats) -> Piece:
        within = (one for one in pieces if (point >= one.low - 1e-6).all() and (point <= one.high + 1e-6).all())
        return only(within, f"pieces at {point}")

    for line, points in polylines:
        piece = piece_at(points.mean(axis=0))
        piece.lines.setdefault(line.dxf.layer, []).append((points, bool(line.closed)))
        if line.has_xdata("VINEWRIGHT"):
            name, number = (tag.value for tag in line.get_xdata("VINEWRIGHT"))
            piece.marks.setdefault(name, {})[number] = points
    for text in space.query("TEXT"):
        at = np.array(text.get_placement()[1].vec2)
        piece_at(at).texts.append((float(at[0]), text.dxf.text))
    for circle in space.query('CIRCLE[layer=="CUT"]'):
        centre = np.array(circle.dxf.center.vec2)
        piece_at(centre).holes.append((centre, 2 * circle.dxf.radius))
    body = only((piece for piece in pieces if piece.has("BODY")), "bodies")
    strips = {}
    for piece in pieces:
        if piece is not body:
            strips[only({text for _, text in piece.texts if re.fullmatch(NAME, text)}, "names of a strip")] = piece
    return body, strips


def _actuated(body: Piece, strip: Piece, name: str, base: float, params: VineParams) -> tuple[Section, float]:
    """Find a section with an actuator from its marks on the body and the texts and seams of its strip; also the width of its seams."""
    marks = body.marks[name]
    places = np.array([marks[number][0] for number in range(len(marks))])
    side: Side = "left" if np.allclose(places[:, 1], body.high[1]) else "right"
    edge = body.high[1] if side == "left" else body.low[1]
    check(np.allclose(places[:, 1], edge), f"the marks of {name} are on one edge of the body")
    steps = np.diff(places[:, 0])
    check(np.ptp(steps) < 1e-6, f"the cells of {name} are equally long")
    said = only(
        {text for _, text in strip.texts if re.fullmatch(r"\w+, seam [\d.]+ mm", text)}, f"types and seams on {name}"
    )
    pressed = only({text for _, text in strip.texts if " kPa" in text}, f"pressures on {name}")
    kind, stated = said.split(",")[0], float(said.split()[2]) * 1e-3
    number = [one.kind for one in params.actuators].index(kind)
    actuator = params.actuators[number]
    seam = _drawn_seam(strip, kind, len(places))
    check(abs(seam - stated) < 5.1e-5, f"the seams of {name} are drawn as wide as its text says")
    wide = float(strip.high[1] - strip.low[1]) * 1e-3
    check(abs(actuator.flat_width - wide) < 1e-6, f"{name} is drawn as wide as its type in numbers says")
    pressure, l_0 = 1e3 * float(pressed.split()[0]), float(np.mean(steps)) * 1e-3
    film = free_curvature(joint_moments(params), pressure, l_0, number)
    curvature = float(centerline_curvature(film, params))
    start, end = (float(x - base) * 1e-3 for x in places[[0, -1], 0])
    return Section(start, end, side, curvature, l_0, pressure, on="off" not in pressed, kind=number), seam


def _drawn_seam(strip: Piece, kind: str, ends: int) -> float:
    """Width of the seams between pouches, or of what the brackets hold [m]; all are equal, and one is at each cell end."""
    drawn = strip.bands("SEAL")[1:] if kind in ("pouch", "cpam") else strip.bands("MARK")
    widths = [right - left for left, right in drawn]
    if not widths:
        return 0.0
    check(len(widths) == ends, f"a strip has a seam at each of its {ends} cell ends")
    check(np.ptp(widths) < 1e-5, "the seams of a strip are equally wide")
    return float(np.mean(widths)) * 1e-3


def _preformed(body: Piece, folds: dict[int, Floats], span: tuple[float, float], params: VineParams) -> Section:
    """Find a preformed section from the outlines of its folds: each takes 2 d = 4 R tan(t / 2) out of the inner wall for its turn t,
    and nothing out of the outer one."""
    turn, sides = 0.0, set[Side]()
    for outline in folds.values():
        wide = {edge: np.ptp(outline[np.isclose(outline[:, 1], edge), 0]) for edge in (body.low[1], body.high[1])}
        sides.add("left" if wide[body.high[1]] > wide[body.low[1]] else "right")
        turn += 2 * np.arctan(max(wide.values()) * 1e-3 / 2 / (2 * params.radius))
    side = only(sides, "sides of a preformed section")
    rest = turn / (span[1] - span[0])
    return Section(*span, side, float(centerline_curvature(rest, params)), 0.0, 0.0, preformed=True)


def read_numbers(pages: list[str]) -> tuple[VineParams, float | None, Schedule | None]:
    """Read the page with the tube in numbers: its parameters, the length at which it is stopped [m], and its pressures over the length."""
    first = next(k for k, page in enumerate(pages) if page.startswith("The simulated tube in numbers"))
    last = next(k for k, page in enumerate(pages) if "row 1, sheet 1 of" in page)
    lines = [line for page in pages[first:last] for line in page.split("\n")]
    tables: list[dict[str, str]] = [{}]
    rows: list[list[float]] = []
    for line in lines:
        if re.match(r"Actuator \w+$", line):
            tables.append({})
        elif found := re.match(r"([a-z]\w+) (\S+)", line):
            tables[-1][found[1]] = found[2]
        elif re.fullmatch(r"[\d.e+-]+( [\d.e+-]+)+", line):
            rows.append([float(part) for part in line.split()])
    tube, *actuators = tables
    check(bool(actuators), "the guide states the numbers of an actuator")
    stop = float(tube.pop("stop_mm")) * 1e-3 if "stop_mm" in tube else None
    kinds: list[Actuator] = [_make(KINDS[table["type"]], table, limits=_make(Limits, table)) for table in actuators]
    one, *others = kinds
    params = _make(VineParams, tube, actuator=one, others=tuple(others), physics=tube["physics"])
    schedule = None
    if rows:
        numbers = np.array(rows)
        schedule = Schedule(numbers[:, 0] * 1e-3, numbers[:, 1:] * 1e3)
    return params, stop, schedule


def _make(what: type[Any], table: dict[str, str], **known: object) -> Any:
    """Make a thing from the numbers of a table that are fields of it; their units are the ends of their names."""
    found = {}
    for part in fields(what):
        for end, unit in UNITS.items():
            text = table.get(part.name + end)
            if text is not None and re.fullmatch(r"[\d.e+-]+", text):
                found[part.name] = float(text) * unit
    return what(**found | known)
