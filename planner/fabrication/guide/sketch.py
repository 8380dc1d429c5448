"""Small line drawings of the parts of a vine robot, for the guide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import Polygon

from planner.drawing.style import ACTUATOR, FAINT, INK, TUBE
from planner.fabrication.assembly.strips import End
from planner.fabrication.guide.paper import Page
from surrogate.kernels.compiled import Floats

Points = Sequence[tuple[float, float]] | Floats
WIDTH, HEIGHT = 84.0, 34.0
"""Size of a drawing [mm]."""
FILM, STRIP, PAPER, PRINT, WATER = TUBE["none"], TUBE["left"], "#ffffff", "#d5d9de", "#d7ebf5"
SEAL, SEALED = "#a3006e", "#f3dcea"
"""Colours of the edges of a seal, and of the film that is sealed, as on the pattern."""
WIDEST_SEAL = 0.4
"""Largest width of a seal in a drawing, as a share of a cell [-]."""
LETTERS = 7.0
"""Size of the letters in drawings [point]."""


@dataclass(frozen=True, slots=True)
class PageSketch:
    """A drawing on a page; coordinates in millimetres from its lower left corner."""

    page: Page
    x: float
    y: float

    def line(self, *points: tuple[float, float], **style: Any) -> None:
        """Draw a line through points."""
        self.page.line(np.add(points, (self.x, self.y)), **{"linewidth": 0.8} | style)

    def shape(self, points: Points, face: str = FILM, **style: Any) -> None:
        """Draw a filled shape."""
        corners = np.add(points, (self.x, self.y))
        look: dict[str, Any] = {"facecolor": face, "edgecolor": INK, "linewidth": 0.8, "joinstyle": "round"} | style
        self.page.figure.add_artist(Polygon(corners, transform=self.page.scale, **look))

    def box(self, left: float, bottom: float, right: float, top: float, face: str = FILM, **style: Any) -> None:
        """Draw a filled rectangle."""
        self.shape([(left, bottom), (right, bottom), (right, top), (left, top)], face, **style)

    def disc(self, x: float, y: float, radius: float, face: str = PAPER, **style: Any) -> None:
        """Draw a filled circle."""
        turn = np.linspace(0, 2 * np.pi, 33)[:-1]
        self.shape(np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)]), face, **style)

    def seal(self, x: float, bottom: float, top: float, width: float, face: str = SEALED) -> None:
        """Draw a seal across a strip, centred on x: a band, or a line if it has no width, as on the pattern."""
        look: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (3, 1.5))}
        if width > 0:
            self.box(x - width / 2, bottom, x + width / 2, top, face, edgecolor=SEAL, **look)
        else:
            self.line((x, bottom), (x, top), color=SEAL, **look)

    def text(self, x: float, y: float, text: str, size: float = LETTERS, **style: Any) -> None:
        """Write a line of text, centred unless stated otherwise."""
        self.page.text(self.x + x, self.y + y, text, size, **{"ha": "center"} | style)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], both: bool = False, **style: Any) -> None:
        """Draw an arrow with an open head."""
        self.line(start, end, **style)
        for tip, tail in ((end, start), (start, end))[: 2 if both else 1]:
            along = np.subtract(tip, tail) / np.hypot(*np.subtract(tip, tail))
            aside = np.array([-along[1], along[0]])
            self.line(tip - 2.0 * along + 0.9 * aside, tip, tip - 2.0 * along - 0.9 * aside, **style)


def draw_sheets(s: PageSketch) -> None:
    """Draw two sheets of the pattern, glued onto each other at the crosses."""
    for left, face in ((40, PAPER), (4, PAPER)):
        s.box(left, 5, left + 40, 30, face)
        s.line((left, 12), (left + 40, 12), color=ACTUATOR["right"])
        s.line((left, 24), (left + 40, 24), color=ACTUATOR["left"])
    for y in (8, 27):
        s.line((40, y), (44, y))
        s.line((42, y - 2), (42, y + 2))
    s.arrow((60, 18), (49, 18))


def draw_body(s: PageSketch) -> None:
    """Draw the flat body on the pattern with its folds, clamped end and marks."""
    s.box(2, 2, 82, 32, PAPER, edgecolor=FAINT)
    s.box(6, 8, 78, 26)
    s.line((20, 8), (20, 26), color=FAINT)
    for x in range(30, 62, 8):
        s.line((x, 26), (x, 22.5), color=ACTUATOR["left"])
    s.text(45, 28, "LEFT fold", color=ACTUATOR["left"])
    s.text(45, 3.6, "RIGHT fold", color=ACTUATOR["right"])
    s.text(13, 16, "clamp")
    s.arrow((36, 15), (60, 15))
    s.text(48, 16.5, "growth")


def draw_tip_seal(s: PageSketch) -> None:
    """Draw a sealing bar across the tip of the body."""
    s.box(4, 9, 70, 25)
    s.seal(64, 9, 25, 5.0)
    for low, high in ((27, 32), (2, 7)):
        s.box(61.5, low, 66.5, high, PRINT)
    s.text(68, 28.5, "hot bar", ha="left")
    s.arrow((64, 26.8), (64, 25.2))
    s.arrow((64, 7.2), (64, 8.8))
    s.text(30, 16, "body")
    s.text(77, 16, "tip")


def draw_strip(s: PageSketch, end: End, bar: float) -> None:
    """Draw a strip with its fitting, and its brackets, seams or lines.

    Args:
        bar: Width of its seals, as a share of a cell [-].
    """
    first, cell = 30.0, 14.0
    ends, width = [first + cell * k for k in range(4)], cell * min(bar, WIDEST_SEAL)
    # The last seam closes the strip; a bracket is 2.4 mm thick.
    closing = ends[-1] + {"seam": 0.0, "bracket": 1.2 + width / 2, "line": width / 2}[end]
    s.box(4, 11, closing + width / 2 + 3, 23, STRIP)
    s.disc(15, 17, 2.6)
    s.line((15, 19.6), (15, 28))
    s.text(15, 29.5, "fitting")
    for k, x in enumerate(ends):
        if end == "seam" and k < 3:
            s.seal(x, 11, 15, width)
            s.seal(x, 19, 23, width)
        elif end == "line":
            s.line((x, 11), (x, 23))
            for left in (x, x + 4.7, x + 9.3) if k < 3 else ():  # threads
                s.line((left, 12.5), (left + 4, 16.5), color=FAINT)
                s.line((left, 16.5), (left + 4, 12.5), color=FAINT)
        elif end == "bracket":
            s.box(x - 1.2, 8.5, x + 1.2, 25.5, PRINT)
        s.text(x, 4.5, str(k))
    for at in (6.5 + width / 2, closing):
        s.seal(at, 11, 23, width)
    s.text(51, 29.5, {"seam": "gap left open for the air", "bracket": "brackets", "line": "threads at 45°"}[end])


def draw_attachment(s: PageSketch, end: End, bar: float) -> None:
    """Draw a strip on the body's fold, number on number, with the film before it in folds.

    Args:
        bar: Width of its seals, as a share of a cell [-].
    """
    cell, ends = 13.0, (24.0, 37.0, 50.0, 63.0)
    flat = cell * min(bar, WIDEST_SEAL) / 2 if end == "seam" else 0.0
    s.box(4, 4, 80, 16)
    s.text(70, 8.5, "body")
    folds = [(8.0, 19.0), (13.0, 19.0), (15.0, 22.5), (17.0, 18.5), (19.0, 22.5), (21.0, 18.5), (24.0 - flat, 19.0)]
    s.line(*folds, color=ACTUATOR["left"], linewidth=1.4)
    if end == "line":
        s.box(24, 17.5, 63, 23.5, STRIP)
        s.arrow((64, 26.5), (74, 26.5))
        s.text(69, 28.5, "pull", 7.0)
    else:
        turn, half = np.linspace(0, np.pi, 17), cell / 2 - flat
        for x in ends[:-1]:
            top = np.column_stack([x + cell / 2 - half * np.cos(turn), 18.5 + 6.0 * np.sin(turn)])
            s.shape(np.concatenate([top, [(x + cell - flat, 17.5), (x + flat, 17.5)]]), STRIP)
    for k, x in enumerate(ends):
        if end == "seam":
            s.seal(x, 16, 19, 2 * flat)
        else:
            s.box(x - 0.9, 16, x + 0.9, 24.3 if end == "line" else 20.5, PRINT)
        s.line((x, 16), (x, 13), color=ACTUATOR["left"])
        s.text(x, 9, str(k))
    s.text(15, 25.5, "folds, free")


def draw_hoses(s: PageSketch) -> None:
    """Draw feed lines along the body to the base and on to their valves."""
    s.box(22, 8, 80, 20)
    for left, y, name in ((40.0, 22.5, "L1"), (62.0, 25.5, "L2")):
        s.line((left, y), (12, y), linewidth=1.2)
        s.shape([(left, 20), (left, 27), (left + 15, 27), (left + 15, 20)], STRIP)
        s.text(left + 8, 22.2, name)
    for y in (20.0, 24.0):
        s.box(3, y, 12, y + 3.8, PRINT)
    s.text(8, 29.5, "valves", 7.0)
    s.line((22, 4), (22, 31), color=FAINT, dashes=(3, 2))
    s.text(22, 1, "base")


def draw_leak_test(s: PageSketch) -> None:
    """Draw an inflated part under water, with bubbles at a leak."""
    s.box(8, 2, 76, 25, WATER, edgecolor=FAINT)
    s.box(18, 8, 66, 18)
    for x, y, r in ((50, 20, 0.8), (51.5, 22.5, 1.0), (49.5, 24.0, 0.7)):
        s.disc(x, y, r)
    s.text(42, 11.5, "at its pressure")
    s.line((18, 13), (4, 13), (4, 30), linewidth=1.2)
    s.text(5.5, 28.5, "air", ha="left")


def draw_cup(s: PageSketch, left: float) -> None:
    """Draw the cut vessel, lying with its neck to the right, up to 48 mm from its left end."""
    for sign in (1, -1):
        wall = [
            (0, 13),
            (2, 13),
            (2, 10),
            (20, 10),
            (26, 5.6),
            (40, 5.6),
            (40, 4.4),
            (25, 4.4),
            (19.3, 8.8),
            (2, 8.8),
            (2, 0),
            (0, 0),
        ]
        s.shape([(left + x, 17 + sign * y) for x, y in wall], PRINT)


def draw_clamp(s: PageSketch) -> None:
    """Draw the body pulled over the neck, with rubber tape, clamp and the film folded back."""
    draw_cup(s, 6)
    for sign in (1, -1):
        y = 17 + sign * 6.4
        s.line((78, 17 + sign * 6.4), (33, y), (31, 17 + sign * 8.2), linewidth=1.3, color=ACTUATOR["left"])
        s.box(34, min(17 + sign * 6.9, 17 + sign * 10.5), 42, max(17 + sign * 6.9, 17 + sign * 10.5), PRINT)
    s.text(38, 29.3, "clamp behind the lip")
    s.text(64, 16, "body, outside out")
    s.text(14, 1, "vessel")


def _draw_bent_tube(s: PageSketch) -> tuple[Floats, Floats]:
    """Draw a tube with a bend, and the angle between its ends; return the middle line of the bend, and its left normals."""
    turn = np.linspace(0, 1.15, 25)
    middle = np.column_stack([30 + 26 * np.sin(turn), 8 + 26 * (1 - np.cos(turn))])
    aside = np.column_stack([-np.sin(turn), np.cos(turn)])
    ahead = np.array([np.cos(1.15), np.sin(1.15)])
    end = middle[-1] + 10 * ahead
    s.shape(np.concatenate([[(10, 5)], middle - 3 * aside, [end - 3 * aside[-1], end + 3 * aside[-1]], (middle + 3 * aside)[::-1],
                            [(10, 11)]]))  # fmt: skip
    s.line((30, 8), (80, 8), color=FAINT, dashes=(3, 2))
    s.line(tuple(middle[-1]), tuple(middle[-1] - 17 * ahead), color=FAINT, dashes=(3, 2))
    s.text(56, 10.2, "angle")
    s.text(19, 7, "straight")
    return middle, aside


def draw_free_bend(s: PageSketch) -> None:
    """Draw an actuated section that bends freely, with the angle between its ends."""
    middle, aside = _draw_bent_tube(s)
    s.shape(np.concatenate([middle + 3 * aside, (middle + 6 * aside)[::-1]]), STRIP)


def draw_fold(s: PageSketch) -> None:
    """Draw a fold: its lines on the flat body on the left, joined and taped on the right."""
    share = np.linspace(0, 1, 15)
    half = 2.6 * (1 - np.cos(np.pi * share))
    for left in (2, 50):
        s.shape([(left, 8), (left + 38, 8), (left + 38, 26), (left, 26)])
    s.line((21, 8), (21, 26), color=FAINT, dashes=(3, 2))
    for sign in (1, -1):
        s.line(*[(21 + sign * x, 8 + 18 * y) for x, y in zip(half.tolist(), share.tolist(), strict=True)],
               color=ACTUATOR["left"], linewidth=1.1)  # fmt: skip
    s.text(21, 28, "line on line")
    s.text(21, 3.5, "crease")
    s.arrow((41.5, 17), (48.5, 17))
    s.shape([(65, 8), (66.5, 8), (66.5, 26), (61.5, 26)], STRIP)
    s.line((66.5, 8), (66.5, 26), color=ACTUATOR["left"], linewidth=1.1)
    s.text(66, 28, "flap towards the base, taped")
    s.text(66, 3.5, "ends at this edge")


def draw_formed_bend(s: PageSketch) -> None:
    """Draw a preformed section with its folds, and the angle between its ends."""
    middle, aside = _draw_bent_tube(s)
    for k in range(3, 25, 6):
        s.shape([middle[k - 1] + 3 * aside[k - 1], middle[k] + 0.8 * aside[k], middle[k + 1] + 3 * aside[k + 1]], STRIP)


def draw_inversion(s: PageSketch) -> None:
    """Draw the tube inverted into the vessel through the mouth."""
    draw_cup(s, 6)
    folds = [(72, 17), (44, 17), (30, 17), (24, 20), (20, 12), (17, 22), (14, 12), (11, 22), (10, 15)]
    s.line(*[(float(x), float(y)) for x, y in folds], linewidth=1.3, color=ACTUATOR["left"])
    for sign in (1, -1):
        y = 17 + sign * 6.6
        s.line((33, y), (70, y), (73, 17 + sign * 4.5), (74, 17 + sign * 2), (72, 17 + sign * 0.7), (46, 17 + sign * 0.7),
               linewidth=1.3, color=ACTUATOR["left"])  # fmt: skip
        s.box(34, min(17 + sign * 7.1, 17 + sign * 10.5), 42, max(17 + sign * 7.1, 17 + sign * 10.5), PRINT)
    s.arrow((68, 28), (50, 28))
    s.text(59, 29.5, "tip pulled in", 7.0)


def draw_deployment(s: PageSketch) -> None:
    """Draw the vessel on its board at the start, with the tube growing along the start's heading."""
    draw_cup(s, 10)
    s.box(5, 1, 9.8, 33, "#e8dcc4")
    s.text(3, 12, "board", rotation=90, va="bottom")
    s.shape([(46, 10.5), (70, 10.5), (74, 13), (75.5, 17), (74, 21), (70, 23.5), (46, 23.5)])
    s.arrow((60, 17), (72, 17))
    s.line((50, 4), (50, 30), color=FAINT, dashes=(3, 2))
    s.text(50, 0.5, "start: mouth of the neck")
