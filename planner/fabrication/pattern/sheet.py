"""A piece of the pattern while it is drawn: lines across, bands, texts, arrows and marks, in millimetres."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planner.design.design import Side
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.pattern.pattern import LETTER, Layer, Line, PatternPiece, Point, Text
from planner.output.text import millimetres
from surrogate.kernels.compiled import Floats

LABEL_EVERY = 180.0
"""Maximum spacing of repeated labels along a piece [mm], such that every sheet has at least one."""
TICK = 8.0
"""Length of the mark of a cell end, inwards from the fold [mm]."""
NUMBER = 3.5
"""Height of the numbers at cell ends [mm]."""
BESIDE = 1.2
"""Gap between a line and its number [mm]."""
CENTRING = 1.8
"""Length of a centring mark, inwards from a fold, and half its length on the middle line of a strip [mm]."""
CENTRING_EVERY = 100.0
"""Distance between centring marks along the body [mm]."""
CIRCLE_CORNERS = 48
"""Corners of the polygon that is drawn for a circle where a file has no circles."""


@dataclass(slots=True, eq=False)
class Sheet:
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
        """Draw a polyline; `what` are further fields of `Line`."""
        self.lines.append(Line(layer, np.array(points), **what))

    def across(self, layer: Layer, x: float, side: Side = "none") -> None:
        """Draw a line across the tube, from the upper edge to the lower."""
        self.line(layer, (x, 0.0), (x, -self.width), side=side)

    def band(
        self, layer: Layer, left: float, right: float, span: tuple[float, float] | None = None, side: Side = "none"
    ) -> None:
        """Draw the outline of a band across the tube, or a line if it has no width.

        Args:
            span: Its upper and lower end [mm]; None for the edges of the tube.
        """
        top, bottom = span or (0.0, -self.width)
        if right > left:
            corners = (left, top), (right, top), (right, bottom), (left, bottom)
            self.line(layer, *corners, closed=True, side=side)
        else:
            self.line(layer, (left, top), (left, bottom), side=side)

    def circle(self, layer: Layer, x: float, y: float, diameter: float) -> None:
        """Draw a circle."""
        turn = np.linspace(0, 2 * np.pi, CIRCLE_CORNERS + 1)[:-1]
        corners = np.stack([x + diameter / 2 * np.cos(turn), y + diameter / 2 * np.sin(turn)], axis=-1)
        self.lines.append(Line(layer, corners, closed=True, diameter=diameter))

    def centre_on_folds(self, places: Floats) -> None:
        """Draw a centring mark on both folds at each place [mm]."""
        length = CENTRING * self.scale
        for x in places.tolist():
            self.line(Layer.MARK, (x, 0.0), (x, -length))
            self.line(Layer.MARK, (x, -self.width), (x, length - self.width))

    def write(self, at: Point, height: float, text: str, room: float = math.inf, **how: Any) -> None:
        """Write text of a height [mm] that is reduced on small pieces and to fit the `room` along x [mm]."""
        self.texts.append(Text(at, min(height * self.scale, room / (LETTER * len(text))), text, **how))

    def number(self, number: int, actuator: ActuatorBuild, x: float, y: float, held: float = 0.0) -> None:
        """Number the cell end at x, on its right; the last one on its left, because another actuator may start there.

        Args:
            held: Length at the cell end that is drawn as a band, and which the number keeps clear of [mm].
        """
        last, beside = number == actuator.cells, held / 2 + BESIDE
        room = (1e3 * actuator.section.l_0 - held - 3 * BESIDE) / 2
        at = (x - beside if last else x + beside), y
        self.write(at, NUMBER, str(number), room, align="right" if last else "left", side=actuator.section.side)

    def arrow(self, left: float, right: float, y: float) -> None:
        """Draw an arrow to the right."""
        head = 3.0 * self.scale
        self.line(Layer.MARK, (left, y), (right, y))
        self.line(Layer.MARK, (right - 2 * head, y + head), (right, y), (right - 2 * head, y - head))

    def piece(self) -> PatternPiece:
        """Return the piece as drawn so far."""
        return PatternPiece(self.name, tuple(self.lines), tuple(self.texts))


def centring_places(start: float, end: float) -> Floats:
    """Places of the centring marks along the body, every `CENTRING_EVERY` from its base, within a part of it [mm]."""
    first, last = math.ceil(start / CENTRING_EVERY - 1e-9), math.floor(end / CENTRING_EVERY + 1e-9)
    return np.asarray(CENTRING_EVERY * np.arange(first, last + 1), float)


def cell_text(actuator: ActuatorBuild) -> str:
    """Return number and length of an actuator's cells."""
    return f"{actuator.cells} × {millimetres(actuator.section.l_0)} mm"


def pressure_text(actuator: ActuatorBuild) -> str:
    """Return the set point of an actuator, and whether it is off in this environment."""
    return f"{actuator.section.pressure / 1e3:.7g} kPa" + ("" if actuator.section.on else ", off")


def kind_text(actuator: ActuatorBuild, build: Build) -> str:
    """Return the type of an actuator if there are several, to put before other text; else nothing."""
    return f"{actuator.actuator.kind}, " if build.mixed else ""
