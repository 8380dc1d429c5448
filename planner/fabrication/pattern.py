"""The flat pattern: what to cut, seal, mark and write on the lay-flat tubes of a build; all of it in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from planner.design import Section, Side
from planner.fabrication.build import CLAMP, FITTING, SEAL, Build, Muscle
from surrogate.compiled import Floats
from surrogate.pouch import PouchMotor

ROW = 180.0
"""Height of a row of pieces [mm]: what fits on a sheet of A4 or Letter."""
GAP = 4.0
"""Between pieces, and around them in their row [mm]."""
SEAM = 5.0
"""Middle of a seam from what it closes [mm]; the rest of `SEAL` is there to hold it by."""
AIRWAY = 8.0
"""Gap in the seam between two pouches, through which air gets from one into the other [mm]."""
TICK = 8.0
"""Length of a bracket's mark, inwards from the crease [mm]."""
LABEL_EVERY = 180.0
"""Names are repeated along a piece, at most this far from one another [mm]: every sheet has some."""
LETTER = 0.98
"""Width to allow for a character, over the height of capitals [-]."""
NUMBER = 3.5
"""Height of numbers at cell ends [mm]."""
BESIDE = 1.2
"""Between a line and the number beside it [mm]."""
LEAST_SLACK = 25.0
"""Slack that has room for its length to be written there [mm]."""
FULL_BODY, FULL_STRIP = 80.0, 48.0
"""Widths below which what is written and marked on a body or strip becomes smaller [mm]."""

Point = tuple[float, float]
Align = Literal["left", "middle", "right"]


class Layer(StrEnum):
    """What a line is for; DXF and SVG have a layer for each."""

    CUT = "CUT"
    SEAL = "SEAL"
    MARK = "MARK"
    TEXT = "TEXT"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A polyline."""

    layer: Layer
    points: Floats
    """Corners [mm], shape (n, 2)."""
    closed: bool = False
    tick: tuple[str, int] | None = None
    """Of a mark on the body where a cell of a muscle ends: the muscle's name, and the end's number from the base, from 0."""
    side: Side = "none"
    """Of an actuator line, and of what belongs to a muscle."""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of writing, along x."""

    at: Point
    """On the baseline, at its left end, middle or right end [mm]."""
    height: float
    """Of a capital letter [mm]."""
    text: str
    align: Align = "middle"
    side: Side = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The body or one muscle's strip."""

    name: str
    lines: tuple[Line, ...]
    texts: tuple[Text, ...]

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y [mm]."""
        points = np.concatenate([line.points for line in self.lines])
        low, high = points.min(axis=0), points.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def moved(self, x: float, y: float) -> Piece:
        """The same piece elsewhere [mm]."""
        lines = tuple(replace(line, points=line.points + np.array([x, y])) for line in self.lines)
        return Piece(self.name, lines, tuple(replace(t, at=(t.at[0] + x, t.at[1] + y)) for t in self.texts))


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """All pieces: x along the tube from its base, y upwards from the top of the first row.

    Row k lies from y = -180 k mm downwards. A piece stays in its row; one that is too wide takes as many as it needs.
    """

    pieces: tuple[Piece, ...]
    """The body first, then the strips from the base."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y of the pieces [mm]."""
        each = np.array([piece.bounds for piece in self.pieces])
        low, high = each[:, :2].min(axis=0), each[:, 2:].max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return math.ceil(-self.bounds[1] / ROW)

    def lines(self) -> Iterator[Line]:
        """The lines of all pieces."""
        return (line for piece in self.pieces for line in piece.lines)

    def texts(self) -> Iterator[Text]:
        """The writing of all pieces."""
        return (text for piece in self.pieces for text in piece.texts)


def pattern_of(build: Build) -> Pattern:
    """The body as seen from above, growing to the right: its upper fold is the left actuator line, its lower the right.

    Strips lie with the end that is fed to the left.
    """
    return Pattern(tuple(_in_rows(_body(build), [_strip(build, muscle) for muscle in build.muscles])))


def millimetres(length: float) -> str:
    """A length [m] as people read it, to a tenth of a millimetre."""
    return f"{round(1e3 * length, 1):.12g}"


def _in_rows(body: Piece, strips: Sequence[Piece]) -> Iterator[Piece]:
    """Pieces in their places: strips lie behind one another, up to the body's end, wherever there is room first."""
    left, _, right, _ = body.bounds
    body = body.moved(0.0, -GAP)
    yield body
    lowest, floor = body.bounds[1], -ROW * math.ceil((GAP - body.bounds[1]) / ROW)
    lanes: list[list[float]] = []  # top, and where the next strip may begin
    for strip in strips:
        _, bottom, length, _ = strip.bounds
        lane = next((lane for lane in lanes if lane[1] + length <= right), None)
        if lane is None:
            if lowest - GAP + bottom - GAP < floor:
                lowest = floor
                floor -= ROW * math.ceil((2 * GAP - bottom) / ROW)
            lane = [lowest - GAP, left]
            lanes.append(lane)
            lowest = lane[0] + bottom
        yield strip.moved(lane[1], lane[0])
        lane[1] += length + GAP


@dataclass(slots=True, eq=False)
class _Sheet:
    """A piece while it is being drawn, its upper left corner at the origin unless it says otherwise."""

    name: str
    width: float
    """Across [mm]."""
    scale: float
    """Of writing and marks [-]."""
    lines: list[Line] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def tube(self, left: float, right: float, sides: tuple[Side, Side] = ("none", "none")) -> None:
        """A stretch of lay-flat tube: cut at its ends only, its long edges are its folds, of the given sides."""
        self.across(Layer.CUT, left)
        self.across(Layer.CUT, right)
        self.line(Layer.MARK, (left, 0.0), (right, 0.0), side=sides[0])
        self.line(Layer.MARK, (left, -self.width), (right, -self.width), side=sides[1])

    def line(self, layer: Layer, *points: Point, **what: Any) -> None:
        self.lines.append(Line(layer, np.array(points), **what))

    def across(self, layer: Layer, x: float, side: Side = "none") -> None:
        """A line from the upper edge to the lower."""
        self.line(layer, (x, 0.0), (x, -self.width), side=side)

    def write(self, at: Point, height: float, text: str, room: float = math.inf, **how: Any) -> None:
        """Write at a height [mm] that becomes less on small pieces, and where there is little room along x [mm]."""
        self.texts.append(Text(at, min(height * self.scale, room / (LETTER * len(text))), text, **how))

    def number(self, number: int, muscle: Muscle, x: float, y: float) -> None:
        """Number the cell end at x, to its right; the last to its left, as another muscle may begin there."""
        last, room = number == muscle.cells, (1e3 * muscle.section.l_0 - 3 * BESIDE) / 2
        place = (x - BESIDE if last else x + BESIDE), y
        self.write(place, NUMBER, str(number), room, align="right" if last else "left", side=muscle.section.side)

    def arrow(self, left: float, right: float, y: float) -> None:
        """An arrow to the right."""
        head = 3.0 * self.scale
        self.line(Layer.MARK, (left, y), (right, y))
        self.line(Layer.MARK, (right - 2 * head, y + head), (right, y), (right - 2 * head, y - head))

    def piece(self) -> Piece:
        return Piece(self.name, tuple(self.lines), tuple(self.texts))


def _body(build: Build) -> Piece:
    """The body's tube, its base at x = 0 and its upper fold at y = 0."""
    width, length, clamp = 1e3 * build.body_width, 1e3 * build.design.length, 1e3 * CLAMP
    sheet = _Sheet("body", width, min(1.0, width / FULL_BODY))
    sheet.tube(-clamp, 1e3 * build.body_length - clamp, ("left", "right"))
    sheet.across(Layer.MARK, 0.0)
    for section in build.design.sections:
        sheet.across(Layer.MARK, 1e3 * section.end)
    sheet.across(Layer.SEAL, length + SEAM)
    _write_clamp(sheet, build, clamp)
    names = {muscle.section.start: muscle for muscle in build.muscles}
    for section in build.design.sections:
        _write_section(sheet, section, names.get(section.start))
    for muscle in build.muscles:
        _mark_ends(sheet, muscle)
    return sheet.piece()


def _write_clamp(sheet: _Sheet, build: Build, clamp: float) -> None:
    """On the film that is clamped: what the piece is, and where it grows."""
    scale, middle, room = sheet.scale, -clamp / 2, 0.9 * clamp
    size = f"{millimetres(build.body_width)} × {millimetres(build.body_length)} mm"
    for y, height, text in ((14, 7.0, "BODY"), (4, 4.0, size), (-4, 3.5, "clamp up to the line")):
        sheet.write((middle, y * scale - sheet.width / 2), height, text, room)
    low = -sheet.width / 2 - 16 * scale
    sheet.write((middle - 2, low - 1.75 * scale), 3.5, "growth", 0.4 * clamp, align="right")
    sheet.arrow(middle + 2, middle + 0.4 * clamp, low)


def _write_section(sheet: _Sheet, section: Section, muscle: Muscle | None) -> None:
    """What a section is, again and again along it, and which fold is which."""
    start, end, scale = 1e3 * section.start, 1e3 * section.end, sheet.scale
    span = f"{millimetres(section.start)} to {millimetres(section.end)} mm"
    texts = [(4.5, "no muscle"), (3.5, span), (3.5, f"{millimetres(section.end - section.start)} mm")]
    if muscle:
        texts[0] = (6.0, muscle.name)
        texts += [
            (3.5, f"{muscle.cells} × {millimetres(section.l_0)} mm"),
            (3.5, f"{section.pressure / 1e3:g} kPa"),
        ]
    parts = np.linspace(start, end, math.ceil((end - start) / LABEL_EVERY) + 1).tolist()
    for left, right in pairwise(parts):
        middle, room = (left + right) / 2, 0.9 * (right - left)
        for k, (height, text) in enumerate(texts):
            side = section.side if k == 0 else "none"
            sheet.write((middle, (12 - 7 * k) * scale - sheet.width / 2), height, text, room, side=side)
        deep = (TICK + 3) * scale
        sheet.write((middle, -deep - 4 * scale), 4.0, "LEFT", room, side="left")
        sheet.write((middle, deep - sheet.width), 4.0, "RIGHT", room, side="right")


def _mark_ends(sheet: _Sheet, muscle: Muscle) -> None:
    """A numbered tick on its fold at every end of a muscle's cells."""
    edge, inwards = (0.0, -1.0) if muscle.section.side == "left" else (-sheet.width, 1.0)
    tip = edge + inwards * TICK * sheet.scale
    number = edge + inwards * (TICK / 2) * sheet.scale - NUMBER / 2 * sheet.scale
    for k, x in enumerate((1e3 * muscle.ends).tolist()):
        sheet.line(Layer.MARK, (x, edge), (x, tip), tick=(muscle.name, k), side=muscle.section.side)
        sheet.number(k, muscle, x, number)


def _strip(build: Build, muscle: Muscle) -> Piece:
    """A muscle's tube, its upper left corner at the origin."""
    width, length, cell = 1e3 * build.muscle_width, 1e3 * muscle.cut_length, 1e3 * muscle.section.l_0
    sheet, side = _Sheet(muscle.name, width, min(1.0, width / FULL_STRIP)), muscle.section.side
    sheet.tube(0.0, length)
    sheet.across(Layer.SEAL, 1e3 * SEAL - SEAM)
    ends = (1e3 * muscle.tail + cell * np.arange(muscle.cells + 1)).tolist()
    if isinstance(build.design.params.actuator, PouchMotor):
        airway = min(AIRWAY, width / 4)
        for x in ends[:-1]:
            sheet.line(Layer.SEAL, (x, 0.0), (x, (airway - width) / 2))
            sheet.line(Layer.SEAL, (x, -(airway + width) / 2), (x, -width))
        sheet.across(Layer.SEAL, ends[-1])
    else:
        for x in ends:
            sheet.across(Layer.MARK, x, side)
        sheet.across(Layer.SEAL, ends[-1] + SEAM)
    for k, x in enumerate(ends):
        sheet.number(k, muscle, x, 3 * sheet.scale - width)
    every = max(int(LABEL_EVERY / cell), 1)
    for left, right in list(pairwise(ends))[1::every]:
        sheet.write(((left + right) / 2, 2 * sheet.scale - width / 2), 5.0, muscle.name, 0.8 * cell, side=side)
    _write_tail(sheet, muscle)
    return sheet.piece()


def _write_tail(sheet: _Sheet, muscle: Muscle) -> None:
    """Before the first cell: what the strip is, the place of its fitting, and the slack."""
    section, scale, middle = muscle.section, sheet.scale, -sheet.width / 2
    x, room = 1e3 * (SEAL + FITTING / 2), 0.95e3 * FITTING
    turn = np.linspace(0, 2 * np.pi, 25)[:-1]
    circle = np.stack([x + 4 * scale * np.cos(turn), middle + 4 * scale * (1 + np.sin(turn))], axis=-1)
    sheet.lines.append(Line(Layer.MARK, circle, closed=True, side=section.side))
    cells = f"{muscle.cells} × {millimetres(section.l_0)} mm"
    sheet.write((x, middle + 11 * scale), 7.0, muscle.name, room, side=section.side)
    texts = (-5, 3.0, "fitting"), (-12, 3.5, cells), (-18, 3.5, f"{section.pressure / 1e3:g} kPa")
    for y, height, text in texts:
        sheet.write((x, middle + y * scale), height, text, room)
    slack = 1e3 * muscle.contraction
    if slack > LEAST_SLACK:
        text = f"slack {millimetres(muscle.contraction)} mm"
        sheet.write((1e3 * (SEAL + FITTING) + slack / 2, middle - 2 * scale), 3.5, text, 0.9 * slack)
