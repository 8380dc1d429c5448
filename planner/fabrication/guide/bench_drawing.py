"""The drawing of the bench to a round scale, with the numbers of obstacles and passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import shapely
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from planner.drawing.style import ACTUATOR, DIMENSION, FAINT, GOAL, INK, NAME, OBSTACLE
from planner.fabrication.guide.bench import Bench
from planner.fabrication.guide.flow import MARGIN, SIZE, text_width
from planner.fabrication.guide.paper import LONG_EDGE, POINT, SHORT_EDGE, Page, Paper
from surrogate.kernels.compiled import Floats

HEAD, FOOT, BESIDE = 20.0, 14.0, 13.0
"""Height of the title, height of the scale bar, and room for the numbers at the axes [mm]."""
BEYOND = 3.0
"""Width of the strip outside of the bounds that is drawn [mm]."""
TICK, LEAST_STEP = 1.5, 9.0
"""Length of a tick on the axes, and least distance of two [mm]."""
LETTERS = 7.0
"""Size of numbers and names [point]."""
ARROW = 11.0
"""Length of the arrow at the start [mm]."""
BAR = 90.0
"""Maximum length of the scale bar [mm]."""
RINGS = 3.2, 4.0, 5.0, 7.5, 10.5, 14.0, 18.0, 23.0, 29.0
"""Distances from its obstacle at which a number is tried [mm]."""


def scale_that_fits(extent: Floats, room: Floats) -> int:
    """Return the smallest N of 1, 2, 5, 10, 20, 50, ... such that a drawing at 1:N fits.

    Args:
        extent: Width and height of what is drawn [m], shape (2,).
        room: Width and height of the page that are free [mm], shape (2,).
    """
    return next(n for n in _round_numbers() if np.all(1e3 * extent / n <= room + 1e-9))


def draw_bench(bench: Bench, paper: Paper) -> Page:
    """Draw the bench on a page, upright or across: whichever has the larger scale, upright if both have the same."""
    edges = np.array([SHORT_EDGE[paper], LONG_EDGE[paper]])
    pages = [(size, size - (2 * MARGIN + BESIDE, 2 * MARGIN + HEAD + FOOT + BESIDE)) for size in (edges, edges[::-1])]
    scales = [scale_that_fits(bench.extent, room) for _, room in pages]
    best = int(np.argmin(scales))
    drawing = BenchDrawing(bench, Page(*pages[best][0].tolist()), scales[best])
    drawing.draw()
    return drawing.page


@dataclass(slots=True)
class BenchDrawing:
    """A drawing of a bench on a page at the scale 1:`scale`, under its title."""

    bench: Bench
    page: Page
    scale: int
    taken: list[shapely.Polygon] = field(default_factory=list)
    """Areas that further texts keep off: texts so far, and the arrow at the start [mm]."""

    @property
    def origin(self) -> Floats:
        """Place of the datum on the page [mm], shape (2,)."""
        return np.array([MARGIN + BESIDE, self.page.height - MARGIN - HEAD - 1e3 * self.bench.extent[1] / self.scale])

    def at(self, points: Any) -> Floats:
        """Return points of the bench [m from the datum], shape (..., 2), on the page [mm]."""
        return np.asarray(self.origin + 1e3 * np.asarray(points) / self.scale)

    @property
    def _window(self) -> shapely.Polygon:
        """Drawn area [m from the datum]: the bounds and a strip around them."""
        beyond = 1e-3 * BEYOND * self.scale
        return shapely.box(-beyond, -beyond, *(self.bench.extent + beyond))

    def draw(self) -> None:
        """Draw everything."""
        title = f"Bench, scale 1:{self.scale}"
        self.page.text(MARGIN, self.page.height - MARGIN - 7, title, 15, weight="bold")
        under = "Measure from the datum; numbers are those of the tables. Lengths in millimetres."
        self.page.text(MARGIN, self.page.height - MARGIN - 12.5, under, SIZE, color=FAINT)
        self._draw_obstacles()
        self._draw_axes()
        self._draw_passages()
        self._draw_tube()
        self._name_obstacles()
        self._draw_bar()

    def _draw_obstacles(self) -> None:
        low, high = self.at([(0.0, 0.0), self.bench.extent])
        for obstacle in self.bench.obstacles:
            for part in shapely.get_parts(obstacle.shape.intersection(self._window)):
                if part.area:
                    self.page.figure.add_artist(PathPatch(_outline(part, self), transform=self.page.scale, **OBSTACLE))
                elif not obstacle.shape.area and part.length:
                    self.page.line(self.at(part.coords), linewidth=1.0)
        corners = [low, (high[0], low[1]), high, (low[0], high[1])]
        self.page.line(corners, closed=True, linewidth=1.4 if self.bench.environment.edge == "wall" else 0.7)

    def _draw_axes(self) -> None:
        """Draw ticks with numbers along the bounds at the bottom and on the left, and the datum."""
        step = next(n for n in _round_numbers() if n / self.scale >= LEAST_STEP)
        width, height = 1e3 * self.bench.extent
        foot = self.origin - (BEYOND, BEYOND)
        for value in np.arange(0.0, width + 1e-6, step):
            x = self.origin[0] + value / self.scale
            self.page.line([(x, foot[1]), (x, foot[1] - TICK)], color=FAINT)
            self._write((x, foot[1] - TICK - 3.0), f"{value:g}", FAINT)
        for value in np.arange(step, height + 1e-6, step):
            y = self.origin[1] + value / self.scale
            self.page.line([(foot[0], y), (foot[0] - TICK, y)], color=FAINT)
            self._write((foot[0] - TICK - 0.8, y - 0.9), f"{value:g}", FAINT, "right")
        self.page.circle(self.origin, 1.6, facecolor="white", edgecolor=DIMENSION, linewidth=1.0)
        for turn in (0.0, np.pi / 2):
            arm = 2.6 * np.array([np.cos(turn), np.sin(turn)])
            self.page.line([self.origin - arm, self.origin + arm], color=DIMENSION, linewidth=0.8)
        self._write((MARGIN, self.origin[1] - BEYOND - TICK - 3.0), "datum", DIMENSION, "left")

    def _draw_tube(self) -> None:
        """Draw the start as the width of the tube with an arrow, the goal, and the middle line of the tube as planned."""
        x, y, heading = self.bench.start
        goal, (ahead, aside) = self.bench.goal, _directions(heading)
        line = self.bench.design.centerline - self.bench.datum
        if len(line) > 1:
            self.page.line(self.at(line), color=ACTUATOR["left"], linewidth=0.7, dashes=(5, 2))
        radius = 1e3 * goal[2] / self.scale
        self.page.circle(self.at(goal[:2]), radius, facecolor="none", edgecolor=GOAL, linewidth=1.2)
        half = self.bench.design.params.radius * aside
        self.page.line(self.at(np.add((x, y), [-half, half])), linewidth=1.6)
        base = self.at((x, y))
        tip = base + ARROW * ahead
        self.page.line([base, tip], linewidth=1.0)
        self.page.line([tip - 2.2 * ahead + 1.0 * aside, tip, tip - 2.2 * ahead - 1.0 * aside], linewidth=1.0)
        # Names keep off the arrow.
        arrow = shapely.LineString([base, tip]).buffer(1.2)
        self.taken += [arrow, shapely.LineString(self.at(np.add((x, y), [-half, half]))).buffer(0.6)]
        self._place(base, "start", INK, beside=True)
        self._place(self.at(goal[:2]), "goal", GOAL)

    def _draw_passages(self) -> None:
        for letter, passage in zip(passage_letters(), self.bench.passages, strict=False):
            ends = self.at(passage.ends - self.bench.datum)
            self.page.line(ends, color=DIMENSION, linewidth=0.7)
            self._place(ends.mean(axis=0), letter, DIMENSION)

    def _name_obstacles(self) -> None:
        for obstacle in self.bench.obstacles:
            seen = obstacle.shape.intersection(self._window)
            if not seen.is_empty:
                parts = sorted(shapely.get_parts(seen), key=lambda part: (-part.area, -part.length))
                point = shapely.get_coordinates(parts[0].representative_point())[0]
                self._place(self.at(point), obstacle.mark, NAME)

    def _place(self, point: Floats, text: str, colour: str, beside: bool = False) -> None:
        """Write a text at a point of the page, or where there is room beside it, with a line to the point.

        Args:
            beside: Whether the point itself is kept free.
        """
        turns = np.linspace(0, 2 * np.pi, 17)[:-1] + 0.4
        aside = [ring * np.array([np.cos(turn), np.sin(turn)]) for ring in RINGS for turn in turns]
        for move in aside if beside else [np.zeros(2), *aside]:
            spot = point + move
            if self._is_free(spot, text):
                if move.any():
                    self.page.line([point, spot], color=colour, linewidth=0.35)
                self._write((spot[0], spot[1] - 0.9), text, colour, box=True)
                return

    def _is_free(self, spot: Floats, text: str) -> bool:
        box = _text_box((spot[0], spot[1] - 0.9), text, "center")
        left, bottom, right, top = box.bounds
        low, high = self.origin[1] - BEYOND, self.page.height - MARGIN - HEAD + BEYOND
        inside = left > self.origin[0] - BEYOND and right < self.page.width - MARGIN and bottom > low and top < high + 2
        return inside and not any(box.intersects(other) for other in self.taken)

    def _write(self, at: Sequence[float], text: str, colour: str, align: str = "center", box: bool = False) -> None:
        """Write a text with its baseline at a point, and keep its place from others."""
        behind = (
            {"bbox": {"facecolor": "white", "linewidth": 0, "alpha": 0.8, "boxstyle": "square,pad=0.1"}} if box else {}
        )
        self.page.text(at[0], at[1], text, LETTERS, ha=align, color=colour, **behind)
        self.taken.append(_text_box(at, text, align))

    def _draw_bar(self) -> None:
        """Draw the scale bar."""
        part = max(n for n in _numbers_to(BAR * self.scale / 2))
        parts = int(BAR * self.scale / part)
        y = self.origin[1] - BESIDE - 5.0
        long = part / self.scale
        for k in range(parts):
            face = INK if k % 2 == 0 else "white"
            box = self.page.box(MARGIN + k * long, y, long, 1.6, facecolor=face, edgecolor=INK, linewidth=0.6)
            self.page.figure.add_artist(box)
        for k in range(parts + 1):
            align = "left" if k == 0 else "center"
            self.page.text(MARGIN + k * long, y - 3.4, f"{k * part:g}", LETTERS, ha=align, color=FAINT)
        at = MARGIN + parts * long + text_width(f"{parts * part:g}", LETTERS) / 2 + 2
        self.page.text(at, y - 3.4, f"mm, scale 1:{self.scale}", LETTERS, color=FAINT)


def passage_letters() -> Iterator[str]:
    """Return the letters of the passages: a, b, c, ..."""
    return iter("abcdefghijklmnopqrstuvwxyz")


def _outline(shape: shapely.Polygon, drawing: BenchDrawing) -> Outline:
    """Return the path of an area on the page, its holes left out."""
    rings = [drawing.at(ring.coords) for ring in (shape.exterior, *shape.interiors)]
    return Outline.make_compound_path(*(Outline(ring, closed=True) for ring in rings))


def _directions(heading: float) -> tuple[Floats, Floats]:
    """Return the unit vectors ahead and to the left of a heading [rad], shape (2,) each."""
    ahead = np.array([np.cos(heading), np.sin(heading)])
    return ahead, np.array([-ahead[1], ahead[0]])


def _text_box(at: Sequence[float], text: str, align: str) -> shapely.Polygon:
    """Return the space of a text with its baseline at a point [mm]."""
    width, height = text_width(text, LETTERS), LETTERS * POINT
    left = at[0] - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
    return shapely.box(left - 0.4, at[1] - 0.3 * height, left + width + 0.4, at[1] + 0.95 * height)


def _round_numbers() -> Iterator[int]:
    """Return 1, 2, 5, 10, 20, 50, ... without end."""
    return (factor * 10**power for power in count() for factor in (1, 2, 5))


def _numbers_to(most: float) -> list[int]:
    """Return the round numbers up to a maximum of at least 1."""
    found = list[int]()
    for number in _round_numbers():
        if number > most:
            return found
        found.append(number)
    return found
