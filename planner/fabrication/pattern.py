"""The flat pattern: cuts, seals, marks and labels on the lay-flat tubes of a build, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from planner.design.design import Section, Side
from planner.fabrication.build import CLAMP, FITTING, SEAL, ActuatorBuild, BendBuild, Build
from planner.fabrication.operation_marks import draw_operation_marks
from planner.output.text import plural
from surrogate.cpam import Cpam
from surrogate.kernels.compiled import Floats

ROW = 180.0
"""Height of a row of pieces [mm]; it fits on a sheet of A4 or Letter."""
GAP = 4.0
"""Gap between pieces, and between pieces and the edges of their row [mm]."""
SEAM = 5.0
"""Distance from the centre of a seam to the chamber that it closes [mm]; the rest of `SEAL` is for handling."""
AIRWAY = 8.0
"""Gap in the seam between two pouches that lets air pass [mm]."""
TICK = 8.0
"""Length of a bracket's mark, inwards from the fold [mm]."""
LABEL_EVERY = 180.0
"""Maximum spacing of repeated labels along a piece [mm], such that every sheet has at least one."""
LETTER = 0.98
"""Width reserved per character, relative to the height of capitals [-]."""
EDGE_POINTS = 25
"""Corners of the curved edge of a fold."""
NUMBER = 3.5
"""Height of the numbers at cell ends [mm]."""
BESIDE = 1.2
"""Gap between a line and its number [mm]."""
LEAST_SLACK = 25.0
"""Minimum slack that is labelled with its length [mm]."""
FULL_BODY, FULL_STRIP = 80.0, 48.0
"""Widths of body and strip below which labels and marks are scaled down [mm]."""

Point = tuple[float, float]
Align = Literal["left", "middle", "right"]


class Layer(StrEnum):
    """Purpose of a line; DXF and SVG have one layer for each."""

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
    """For a mark at a cell end on the body: the actuator's name and the number of the cell end, 0 at the base. For the edges of a fold:
    the bend's name and the number of the fold, from 1."""
    side: Side = "none"
    """Side of the actuator or bend that the line belongs to."""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, along x."""

    at: Point
    """Position on the baseline, at its left end, middle or right end [mm]."""
    height: float
    """Height of a capital letter [mm]."""
    text: str
    align: Align = "middle"
    side: Side = "none"


@dataclass(frozen=True, slots=True, eq=False)
class PatternPiece:
    """The body or the strip of an actuator."""

    name: str
    lines: tuple[Line, ...]
    texts: tuple[Text, ...]

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y [mm]."""
        points = np.concatenate([line.points for line in self.lines])
        low, high = points.min(axis=0), points.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def translate(self, x: float, y: float) -> PatternPiece:
        """Return the piece translated by (x, y) [mm]."""
        lines = tuple(replace(line, points=line.points + np.array([x, y])) for line in self.lines)
        return PatternPiece(self.name, lines, tuple(replace(t, at=(t.at[0] + x, t.at[1] + y)) for t in self.texts))


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """All pieces: x along the tube from its base, y upwards from the top of the first row.

    Row k extends downwards from y = -180 k mm. A piece stays within its row; a piece that is too wide spans several rows.
    """

    pieces: tuple[PatternPiece, ...]
    """The body first, then the strips from the base."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """min_x, min_y, max_x, max_y of the pieces [mm]."""
        each = np.array([piece.bounds for piece in self.pieces])
        low, high = each[:, :2].min(axis=0), each[:, 2:].max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return math.ceil(-self.bounds[1] / ROW)

    def lines(self) -> Iterator[Line]:
        """Return the lines of all pieces."""
        return (line for piece in self.pieces for line in piece.lines)

    def texts(self) -> Iterator[Text]:
        """Return the texts of all pieces."""
        return (text for piece in self.pieces for text in piece.texts)


def pattern_of(build: Build) -> Pattern:
    """Lay out all pieces of a build.

    The body is seen from above and grows to the right: its upper fold is the left actuator line, its lower fold the right
    one. Strips have their feed end on the left.
    """
    return Pattern(
        tuple(_place_in_rows(_draw_body(build), [_draw_strip(build, actuator) for actuator in build.actuators]))
    )


def millimetres(length: float) -> str:
    """Format a length [m] in millimetres with at most one decimal."""
    return f"{round(1e3 * length, 1):.12g}"


def _place_in_rows(body: PatternPiece, strips: Sequence[PatternPiece]) -> Iterator[PatternPiece]:
    """Place the pieces: each strip goes into the first lane that has room for it within the body's length."""
    left, _, right, _ = body.bounds
    body = body.translate(0.0, -GAP)
    yield body
    lowest, floor = body.bounds[1], -ROW * math.ceil((GAP - body.bounds[1]) / ROW)
    lanes: list[list[float]] = []  # top, and left edge of the free space
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
        yield strip.translate(lane[1], lane[0])
        lane[1] += length + GAP


@dataclass(slots=True, eq=False)
class _Sheet:
    """A piece under construction; its upper left corner is at the origin unless stated otherwise."""

    name: str
    width: float
    """Width across the tube [mm]."""
    scale: float
    """Scale of labels and marks [-]."""
    lines: list[Line] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def tube(self, left: float, right: float, sides: tuple[Side, Side] = ("none", "none")) -> None:
        """Draw a length of lay-flat tube, cut only at its ends; its long edges are folds on the given sides."""
        self.across(Layer.CUT, left)
        self.across(Layer.CUT, right)
        self.line(Layer.MARK, (left, 0.0), (right, 0.0), side=sides[0])
        self.line(Layer.MARK, (left, -self.width), (right, -self.width), side=sides[1])

    def line(self, layer: Layer, *points: Point, **what: Any) -> None:
        self.lines.append(Line(layer, np.array(points), **what))

    def across(self, layer: Layer, x: float, side: Side = "none") -> None:
        """Draw a line across the tube, from the upper edge to the lower."""
        self.line(layer, (x, 0.0), (x, -self.width), side=side)

    def write(self, at: Point, height: float, text: str, room: float = math.inf, **how: Any) -> None:
        """Write text of a height [mm] that is reduced on small pieces and to fit the `room` along x [mm]."""
        self.texts.append(Text(at, min(height * self.scale, room / (LETTER * len(text))), text, **how))

    def number(self, number: int, actuator: ActuatorBuild, x: float, y: float) -> None:
        """Number the cell end at x, on its right; the last one on its left, because another actuator may start there."""
        last, room = number == actuator.cells, (1e3 * actuator.section.l_0 - 3 * BESIDE) / 2
        at = (x - BESIDE if last else x + BESIDE), y
        self.write(at, NUMBER, str(number), room, align="right" if last else "left", side=actuator.section.side)

    def arrow(self, left: float, right: float, y: float) -> None:
        """Draw an arrow to the right."""
        head = 3.0 * self.scale
        self.line(Layer.MARK, (left, y), (right, y))
        self.line(Layer.MARK, (right - 2 * head, y + head), (right, y), (right - 2 * head, y - head))

    def piece(self) -> PatternPiece:
        return PatternPiece(self.name, tuple(self.lines), tuple(self.texts))


def _draw_body(build: Build) -> PatternPiece:
    """Draw the body, with its base at x = 0 and its upper fold at y = 0."""
    width, length, clamp = 1e3 * build.body_width, 1e3 * build.design.built, 1e3 * CLAMP
    sheet = _Sheet("body", width, min(1.0, width / FULL_BODY))
    sheet.tube(-clamp, 1e3 * build.body_length - clamp, ("left", "right"))
    sheet.across(Layer.MARK, 0.0)
    for section in build.design.sections:
        sheet.across(Layer.MARK, 1e3 * section.end)
    sheet.across(Layer.SEAL, length + SEAM)
    _write_clamp(sheet, build, clamp)
    facts = {actuator.section.start: _actuator_facts(build, actuator) for actuator in build.actuators}
    facts |= {bend.section.start: _bend_facts(bend) for bend in build.bends}
    folds = {bend.section.start: 1e3 * bend.folds.at for bend in build.bends}
    for section in build.design.sections:
        _write_section(sheet, section, facts.get(section.start, []), folds.get(section.start, np.zeros(0)))
    for actuator in build.actuators:
        _mark_ends(sheet, actuator)
    for bend in build.bends:
        _mark_folds(sheet, bend)
    draw_operation_marks(sheet, build, Layer.MARK)
    return sheet.piece()


def _write_clamp(sheet: _Sheet, build: Build, clamp: float) -> None:
    """Label the clamped film with the name and size of the piece and the direction of growth."""
    scale, middle, room = sheet.scale, -clamp / 2, 0.9 * clamp
    size = f"{millimetres(build.body_width)} × {millimetres(build.body_length)} mm"
    for y, height, text in ((14, 7.0, "BODY"), (4, 4.0, size), (-4, 3.5, "clamp up to the line")):
        sheet.write((middle, y * scale - sheet.width / 2), height, text, room)
    low = -sheet.width / 2 - 16 * scale
    sheet.write((middle - 2, low - 1.75 * scale), 3.5, "growth", 0.4 * clamp, align="right")
    sheet.arrow(middle + 2, middle + 0.4 * clamp, low)


def _actuator_facts(build: Build, actuator: ActuatorBuild) -> list[str]:
    """Return name, cells and pressure of an actuator, with its type if there are several."""
    kind = f"{actuator.actuator.kind}, " if build.mixed else ""
    cells = f"{kind}{actuator.cells} × {millimetres(actuator.section.l_0)} mm"
    return [actuator.name, cells, f"{actuator.section.pressure / 1e3:g} kPa"]


def _bend_facts(bend: BendBuild) -> list[str]:
    """Return name, folds and turn of a preformed bend."""
    return [
        bend.name,
        f"{plural(len(bend.folds.at), 'fold')}, {millimetres(bend.folds.depth)} deep",
        f"{math.degrees(bend.turn):.3g}° {bend.section.side}",
    ]


def _write_section(sheet: _Sheet, section: Section, facts: Sequence[str], folds: Floats) -> None:
    """Label a section with its data, and the folds with their sides, repeated along the section.

    Args:
        facts: Its name, and lines below its length; empty for a straight section.
        folds: Its folds [mm], between which it is labelled.
    """
    start, end, scale = 1e3 * section.start, 1e3 * section.end, sheet.scale
    span = f"{millimetres(section.start)} to {millimetres(section.end)} mm"
    texts = [(4.5, "no actuator"), (3.5, span), (3.5, f"{millimetres(section.end - section.start)} mm")]
    if facts:
        texts[0] = (6.0, facts[0])
        texts += [(3.5, fact) for fact in facts[1:]]
    parts = np.linspace(start, end, math.ceil((end - start) / LABEL_EVERY) + 1).tolist()
    gaps = np.array([start, *folds, end])
    for left, right in pairwise(parts):
        middle, room = (left + right) / 2, 0.9 * (right - left)
        if len(folds):
            k = int(np.argmin(np.abs((gaps[1:] + gaps[:-1]) / 2 - middle)))
            middle, room = float(gaps[k] + gaps[k + 1]) / 2, 0.8 * float(gaps[k + 1] - gaps[k])
        for k, (height, text) in enumerate(texts):
            side = section.side if k == 0 else "none"
            sheet.write((middle, (12 - 7 * k) * scale - sheet.width / 2), height, text, room, side=side)
        deep = (TICK + 3) * scale
        sheet.write((middle, -deep - 4 * scale), 4.0, "LEFT", room, side="left")
        sheet.write((middle, deep - sheet.width), 4.0, "RIGHT", room, side="right")


def _mark_ends(sheet: _Sheet, actuator: ActuatorBuild) -> None:
    """Draw a numbered tick on the fold at every cell end of an actuator."""
    edge, inwards = (0.0, -1.0) if actuator.section.side == "left" else (-sheet.width, 1.0)
    tip = edge + inwards * TICK * sheet.scale
    number = edge + inwards * (TICK / 2) * sheet.scale - NUMBER / 2 * sheet.scale
    for k, x in enumerate((1e3 * actuator.ends).tolist()):
        sheet.line(Layer.MARK, (x, edge), (x, tip), tick=(actuator.name, k), side=actuator.section.side)
        sheet.number(k, actuator, x, number)


def _mark_folds(sheet: _Sheet, bend: BendBuild) -> None:
    """Draw the two edges of every fold, which are joined, and its middle line, where the film is creased; number it in its middle."""
    side, share = bend.section.side, np.linspace(0.0, 1.0, EDGE_POINTS)
    inner, outer = (0.0, -sheet.width) if side == "left" else (-sheet.width, 0.0)
    across, half = outer + (inner - outer) * share, 1e3 * bend.folds.half_width(share)
    inwards = math.copysign(1.0, outer - inner)
    for k, x in enumerate((1e3 * bend.folds.at).tolist(), start=1):
        sheet.across(Layer.MARK, x)
        edges = np.stack(
            [np.concatenate([x - half, (x + half)[::-1]]), np.concatenate([across, across[::-1]])], axis=-1
        )
        sheet.lines.append(Line(Layer.MARK, edges, tick=(bend.name, k), side=side))
        room = 1e3 * (2 * bend.folds.depth) - 2 * BESIDE
        at = x + BESIDE, inner + inwards * 2 * NUMBER * sheet.scale - NUMBER / 2 * sheet.scale
        sheet.write(at, NUMBER, str(k), max(room / 2, NUMBER), align="left", side=side)


def _draw_strip(build: Build, actuator: ActuatorBuild) -> PatternPiece:
    """Draw the strip of an actuator, with its upper left corner at the origin."""
    width, length, cell = 1e3 * actuator.width, 1e3 * actuator.cut_length, 1e3 * actuator.pitch
    sheet, side = _Sheet(actuator.name, width, min(1.0, width / FULL_STRIP)), actuator.section.side
    sheet.tube(0.0, length)
    sheet.across(Layer.SEAL, 1e3 * SEAL - SEAM)
    ends = (1e3 * actuator.tail + cell * np.arange(actuator.cells + 1)).tolist()
    if actuator.end == "seam":
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
        sheet.number(k, actuator, x, 3 * sheet.scale - width)
    every = max(int(LABEL_EVERY / cell), 1)
    for left, right in list(pairwise(ends))[1::every]:
        sheet.write(((left + right) / 2, 2 * sheet.scale - width / 2), 5.0, actuator.name, 0.8 * cell, side=side)
    _write_tail(sheet, build, actuator)
    return sheet.piece()


def _write_tail(sheet: _Sheet, build: Build, actuator: ActuatorBuild) -> None:
    """Label the film before the first cell: data of the strip, position of its fitting, and slack."""
    section, scale, middle = actuator.section, sheet.scale, -sheet.width / 2
    x, room = 1e3 * (SEAL + FITTING / 2), 0.95e3 * FITTING
    turn = np.linspace(0, 2 * np.pi, 25)[:-1]
    circle = np.stack([x + 4 * scale * np.cos(turn), middle + 4 * scale * (1 + np.sin(turn))], axis=-1)
    sheet.lines.append(Line(Layer.MARK, circle, closed=True, side=section.side))
    name, cells, pressure = _actuator_facts(build, actuator)
    sheet.write((x, middle + 11 * scale), 7.0, name, room, side=section.side)
    texts = (-5, 3.0, "fitting"), (-12, 3.5, cells), (-18, 3.5, pressure)
    for y, height, text in (*texts, (-24, 3.5, _shaping_text(actuator))):
        if text:
            sheet.write((x, middle + y * scale), height, text, room)
    slack = 1e3 * actuator.contraction
    if slack > LEAST_SLACK:
        text = f"slack {millimetres(actuator.contraction)} mm"
        sheet.write((1e3 * (SEAL + FITTING) + slack / 2, middle - 2 * scale), 3.5, text, 0.9 * slack)


def _shaping_text(actuator: ActuatorBuild) -> str:
    """Return the work on a strip before it is closed or fixed, as text; empty if there is none."""
    kind = actuator.actuator
    if isinstance(kind, Cpam):
        return f"fold {millimetres(kind.fold_depth(actuator.section.l_0))} mm"
    return "" if actuator.stretch == 1 else f"pull to {100 * actuator.stretch:.0f} %"
