"""The shapes of a drawing while it is read, and what they become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import shapely

from environments.importing import enclosure
from environments.importing.chains import close_chains
from environments.importing.curves import SAGITTA
from environments.importing.options import USUAL, ImportOptions
from environments.importing.rings import CrossingCount, area_of, thicken
from environments.importing.traced import Tracing, UnusableFile

MOST_POINTS = 2_000_000
_FURTHEST = 1e8
"""Largest coordinate [m]: positions in the plane of a map projection are smaller."""
_FAR = 10_000.0
"""Coordinates beyond this distance [m] are those of a map, and are moved to the origin."""


@dataclass(slots=True)
class Sketch:
    """Shapes of a drawing read so far [m], y upwards."""

    filled: list[shapely.Polygon] = field(default_factory=list)
    """Areas that the drawing fills."""
    outlines: list[enclosure.Outline] = field(default_factory=list)
    """Closed curves, without a fill or with one."""
    lines: list[tuple[np.ndarray, float]] = field(default_factory=list)
    """Points (n, 2) of open curves, and their thickness."""
    edges: list[np.ndarray] = field(default_factory=list)
    """Closed curves around the filled areas, which an outline may repeat."""
    curved: bool = False
    """Whether curves became lines."""
    points: int = 0
    effort: CrossingCount = field(default_factory=CrossingCount)

    def count(self, points: np.ndarray, what: str) -> None:
        """Check points that are added.

        Raises:
            UnusableFile: A coordinate is no usable number, or there are too many points.
        """
        if not (np.abs(points) < _FURTHEST).all():
            raise UnusableFile(
                f"{what} has a coordinate that is not a number below {_FURTHEST:g} m; correct the drawing"
            )
        self.points += len(points)
        if self.points > MOST_POINTS:
            raise UnusableFile(f"has more than {MOST_POINTS} points along its curves; simplify it, or check its unit")

    def add_line(self, points: np.ndarray, thickness: float, what: str) -> None:
        """Add an open curve."""
        self.count(points, what)
        if not thickness < _FURTHEST:
            raise UnusableFile(f"{what} has a width that is not a number; correct the drawing")
        self.lines.append((points, thickness))

    def add_outline(self, points: np.ndarray, what: str, disc: tuple[float, float, float] | None = None) -> None:
        """Add a closed curve; with its centre and radius if it is a circle."""
        self.count(points, what)
        self.outlines.extend(enclosure.Outline(part, disc) for part in area_of([points], self.effort))

    def add_area(self, rings: Sequence[np.ndarray], even_odd: bool, what: str) -> None:
        """Add the area that closed curves enclose."""
        for ring in rings:
            self.count(ring, what)
        self.filled.extend(area_of(rings, self.effort, even_odd))
        self.edges.extend(rings)

    def trace(
        self,
        start: tuple[float, float, float] | None,
        goal: tuple[float, float, float] | None,
        notes: Iterable[str],
        page: tuple[float, float, float, float] | None = None,
        options: ImportOptions = USUAL,
    ) -> Tracing:
        """Trace the drawing: sort its outlines and lines into obstacles, walls and bounds.

        Args:
            start: x, y [m] and heading [rad], as drawn.
            goal: x, y and radius [m], as drawn.
            notes: Notes on the drawing so far.
            page: The extent of the sheet [m]; it counts if all shapes are on it.
            options: Start and goal in them replace those that are drawn.
        """
        told, gap = list(notes), 0.0
        thin = [points for points, thickness in self.lines if thickness == 0]
        closed, open_, gap = close_chains(thin)
        if closed:
            told.append(f"outlines put together from lines whose ends meet: {len(closed)}")
        outlines = self.outlines + [
            enclosure.Outline(part, None) for ring in closed for part in area_of([ring], self.effort)
        ]
        outlines = enclosure.drop_edges(outlines, self.edges)
        straight, bent = self._thicken_lines()
        walls, filled = _walls([*((points, 0.0) for points in open_), *straight]), [*self.filled, *bent]
        ends = self._ends((start, goal), (options.start, options.goal))
        found = enclosure.sort_out(outlines, filled, walls, ends)
        around = _walls([(np.asarray(ring), 0.0) for ring in found.walls])
        solid = (*filled, *found.solid, *(outline.area for outline in found.obstacles if outline.disc is None))
        discs = [outline.disc for outline in found.obstacles if outline.disc is not None]
        circles = np.array(discs).reshape(-1, 3)
        bounds = found.bounds
        if bounds is None and page is not None and _on_page(page, solid, circles, walls):
            bounds = page
            told.append("the page of the drawing is taken as the bounds")
        return move_near_origin(
            Tracing(
                solid=solid,
                circles=circles,
                walls=np.concatenate([walls, around]),
                bounds=bounds,
                start=start,
                goal=goal,
                moved=max(SAGITTA if self.curved else 0.0, gap),
                notes=(*told, *found.notes),
            )
        )

    def _ends(
        self,
        drawn: Iterable[tuple[float, float, float] | None],
        given: Iterable[tuple[float, float, float] | None],
    ) -> list[tuple[float, float]]:
        """Return the positions of start and goal in the frame of the drawing, as far as they are known [m]."""
        rings = [np.asarray(outline.area.exterior.coords) for outline in self.outlines]
        areas = [np.asarray(area.exterior.coords) for area in self.filled]
        dx, dy = _offset(
            np.concatenate([np.empty((0, 2)), *rings, *areas, *(points for points, _ in self.lines)])
        ).tolist()
        ends = []
        for mark, asked in zip(drawn, given, strict=True):
            if asked is not None:
                # The user gives positions as they will be in the environment.
                ends.append((asked[0] + dx, asked[1] + dy))
            elif mark is not None:
                ends.append(mark[:2])
        return ends

    def merge(
        self,
        circles: np.ndarray,
        start: tuple[float, float, float] | None,
        goal: tuple[float, float, float] | None,
        notes: Iterable[str],
    ) -> Tracing:
        """Return the filled areas, given discs (n, 3) and all lines, closed or not, without sorting them."""
        straight, bent = self._thicken_lines()
        walls = _walls([*(line for line in self.lines if line[1] == 0), *straight])
        return move_near_origin(
            Tracing(
                solid=(*self.filled, *bent), circles=circles, walls=walls, start=start, goal=goal, notes=tuple(notes)
            )
        )

    def _thicken_lines(self) -> tuple[list[tuple[np.ndarray, float]], list[shapely.Polygon]]:
        """Return the lines with a thickness: single straight ones, and the areas of those with corners, which are filled there."""
        lines = [line for line in self.lines if line[1] > 0]
        bent = [thicken(*line, self.effort) for line in lines if len(line[0]) > 2]
        return [line for line in lines if len(line[0]) == 2], [part for parts in bent for part in parts]


def _walls(lines: Iterable[tuple[np.ndarray, float]]) -> np.ndarray:
    """Rows x1, y1, x2, y2, thickness [m] of the parts of lines, without those of no length, shape (n, 5)."""
    rows = [
        np.column_stack([points[:-1], points[1:], np.full(len(points) - 1, thickness)]) for points, thickness in lines
    ]
    walls = np.concatenate([np.empty((0, 5)), *rows])
    return walls[(walls[:, :2] != walls[:, 2:4]).any(axis=1)]


def _on_page(
    page: tuple[float, float, float, float], solid: Sequence[shapely.Polygon], circles: np.ndarray, walls: np.ndarray
) -> bool:
    low, high = np.array(page[:2]) - SAGITTA, np.array(page[2:]) + SAGITTA
    points = np.concatenate([
        shapely.get_coordinates(list(solid)),
        circles[:, :2] - circles[:, 2:],
        circles[:, :2] + circles[:, 2:],
        walls[:, :2],
        walls[:, 2:4],
    ])  # fmt: skip
    return bool(len(points) and ((points >= low) & (points <= high)).all())


def _offset(points: np.ndarray) -> np.ndarray:
    """Return the whole metres by which points are moved back to the origin, shape (2,); 0 unless they are far from it."""
    return np.floor(points.min(axis=0)) if len(points) and np.abs(points).max() >= _FAR else np.zeros(2)


def move_near_origin(traced: Tracing) -> Tracing:
    """Move shapes to the origin by whole metres if they are far from it, as in the plane of a map projection."""
    if traced.bounds is not None:  # to a nanometre; the rest is noise of changed units
        min_x, min_y, max_x, max_y = np.round(traced.bounds, 9).tolist()
        traced = replace(traced, bounds=(min_x, min_y, max_x, max_y))
    points = np.concatenate([
        shapely.get_coordinates(list(traced.solid)), traced.circles[:, :2], traced.walls[:, :2]
    ])  # fmt: skip
    offset = _offset(points)
    if not offset.any():
        return traced
    dx, dy = offset.tolist()

    def back(values: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
        return None if values is None else (values[0] - dx, values[1] - dy, values[2])

    bounds = traced.bounds
    return replace(
        traced,
        solid=tuple(shapely.transform(np.array(traced.solid, object), lambda xy: xy - offset)),
        circles=traced.circles - [dx, dy, 0.0],
        walls=traced.walls - [dx, dy, dx, dy, 0.0],
        bounds=None if bounds is None else (bounds[0] - dx, bounds[1] - dy, bounds[2] - dx, bounds[3] - dy),
        start=back(traced.start),
        goal=back(traced.goal),
        notes=(*traced.notes, f"({dx:.0f}, {dy:.0f}) m in the file is the origin here"),
    )
