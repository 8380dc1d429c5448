"""Symbols of the plumbing, after ISO 1219 in a simplified form: shapes around a point, with their ports on a horizontal line."""

from __future__ import annotations

import numpy as np

from planner.drawing.style import INK
from planner.fabrication.guide.sketch import PAPER, PageSketch

THIN = 0.6
"""Line width of symbols [point]."""
REGULATOR, VALVE, SHUT_OFF = 3.5, 2.5, 3.0
"""Half the width of a regulator, of one square of a 3/2-way valve, and of a shut-off valve [mm]."""
RELIEF_UP, RELIEF = 7.0, 2.5
"""Height of a relief valve's middle above its line, and half its width [mm]."""


def draw_supply(s: PageSketch, x: float, y: float) -> None:
    """Draw a source of compressed air, whose port is at x: a circle with a dot."""
    s.disc(x - 3, y, 3.0, linewidth=THIN)
    s.disc(x - 3, y, 0.8, face=INK, linewidth=THIN)


def draw_shut_off(s: PageSketch, x: float, y: float) -> None:
    """Draw a shut-off valve: two triangles, tip to tip."""
    for sign in (-1, 1):
        s.shape([(x, y), (x + sign * SHUT_OFF, y + 2), (x + sign * SHUT_OFF, y - 2)], PAPER, linewidth=THIN)


def draw_regulator(s: PageSketch, x: float, y: float, proportional: bool) -> None:
    """Draw a pressure regulator: a square with an arrow and its spring, and the pilot line from its outlet.

    A proportional one has an oblique arrow through its spring.
    """
    half = REGULATOR
    s.box(x - half, y - half, x + half, y + half, PAPER, linewidth=THIN)
    s.arrow((x - half + 0.8, y), (x + half - 0.6, y), linewidth=THIN)
    _spring(s, x, y + half, up=3.0)
    s.line((x + half, y), (x + half + 2, y), (x + half + 2, y - half - 1.5), (x, y - half - 1.5), (x, y - half),
           linewidth=THIN, dashes=(2, 1.5))  # fmt: skip
    if proportional:
        s.arrow((x - 2.5, y + half + 0.2), (x + 2.8, y + half + 3.4), linewidth=THIN)


def draw_relief(s: PageSketch, x: float, y: float) -> None:
    """Draw a relief valve on a branch above the line at y: a square with an arrow, its spring, and its vent."""
    middle = y + RELIEF_UP
    s.disc(x, y, 0.6, face=INK, linewidth=THIN)
    s.line((x, y), (x, middle - RELIEF), linewidth=THIN)
    s.box(x - RELIEF, middle - RELIEF, x + RELIEF, middle + RELIEF, PAPER, linewidth=THIN)
    s.arrow((x + 0.9, middle - RELIEF + 0.3), (x + 0.9, middle + RELIEF - 0.4), linewidth=THIN)
    _spring(s, x + RELIEF, middle, right=2.6)
    s.line((x, middle - RELIEF - 0.9), (x - RELIEF - 1.2, middle - RELIEF - 0.9), (x - RELIEF - 1.2, middle), (x - RELIEF, middle),
           linewidth=THIN, dashes=(2, 1.5))  # fmt: skip
    _vent(s, x, middle + RELIEF, 1.0)


def draw_valve(s: PageSketch, x: float, y: float) -> None:
    """Draw a 3/2-way valve, closed at rest: below, the square at rest, which vents the outlet; above, the open one; solenoid and spring."""
    half = VALVE
    s.box(x - half, y - half, x + half, y + half, PAPER, linewidth=THIN)
    s.box(x - half, y + half, x + half, y + 3 * half, PAPER, linewidth=THIN)
    s.arrow((x - half + 0.3, y + 2 * half), (x + half - 0.3, y + 2 * half), linewidth=THIN)
    s.line((x - half, y + 0.6), (x - half + 1.1, y + 0.6), linewidth=THIN)
    s.line((x - half + 1.1, y - 0.2), (x - half + 1.1, y + 1.4), linewidth=THIN)
    s.arrow((x + half - 0.2, y), (x - 1.2, y - half + 0.3), linewidth=THIN)
    _vent(s, x - 1.2, y - half, -1.0)
    _spring(s, x + 1.3, y - half, up=-2.6)
    s.box(x - 1.5, y + 3 * half, x + 1.5, y + 3 * half + 2.2, PAPER, linewidth=THIN)
    s.line((x - 1.5, y + 3 * half), (x + 1.5, y + 3 * half + 2.2), linewidth=THIN)


def draw_tee(s: PageSketch, x: float, y: float) -> None:
    """Draw a joint of tubes: a dot."""
    s.disc(x, y, 0.8, face=INK, linewidth=THIN)


def draw_fitting(s: PageSketch, x: float, y: float) -> None:
    """Draw a fitting: an open circle."""
    s.disc(x, y, 1.1, linewidth=THIN)


def _spring(s: PageSketch, x: float, y: float, up: float = 0.0, right: float = 0.0) -> None:
    """Draw a spring from a point, upwards or to the right [mm]."""
    along, aside = np.array([right, up]), np.array([up, right]) / max(abs(up), abs(right))
    points = [np.array([x, y]) + k / 6 * along + (0.8 * (-1) ** k * aside if 0 < k < 6 else 0.0) for k in range(7)]
    s.line(*[(float(px), float(py)) for px, py in points], linewidth=THIN)


def _vent(s: PageSketch, x: float, y: float, up: float) -> None:
    """Draw an opening to the air: a triangle that points away from a port."""
    s.shape([(x - 0.9, y), (x + 0.9, y), (x, y + 1.6 * up)], PAPER, linewidth=THIN)
