"""Obstacles and environments from traced files: simple outlines without holes, with no more corners than an environment file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import shapely

from environments.environment import Environment
from environments.environment_file import environment_text, parse_environment
from environments.file_model import LONGEST_NAME, MOST_CORNERS, MOST_SHAPES, InvalidEnvironment
from environments.importing.backdrop import Backdrop
from environments.importing.crop import Box, crop, reachable_box
from environments.importing.cut import cut_holes, extract_polygons
from environments.importing.options import USUAL, ImportOptions
from environments.importing.simplify import simplify_polygons
from environments.importing.small import drop_small
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_length
from environments.obstacles import Obstacles, box_corners

_DECIMALS = 6
"""Coordinates are rounded to a micrometre."""
_TOLERANCES = (0.1e-3, 0.5e-3, 2e-3, 10e-3, 50e-3, 250e-3)
"""Tolerances that are tried where an environment would have too many corners [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Imported:
    """Obstacles that were found in a file; an environment, once start and goal are known."""

    name: str
    """The file, for messages."""
    traced: Tracing
    """The shapes as traced, before they were simplified."""
    outlines: tuple[shapely.Geometry, ...]
    """The simplified polygons, which may have holes, the circles and the walls [m]."""
    obstacles: Obstacles
    """The outlines as obstacles: polygons are cut into simple ones and rounded to a micrometre."""
    bounds: tuple[float, float, float, float]
    """min_x, min_y, max_x, max_y [m]."""
    start: tuple[float, float, float] | None
    """x, y [m] and heading [rad]; None if neither file nor caller gave one."""
    goal: tuple[float, float, float] | None
    """x, y and radius [m]; None if neither file nor caller gave one."""
    moved: float
    """Largest distance between an outline of the file and that of the obstacles [m]."""
    notes: tuple[str, ...]
    """Notes on the content of the file and the changes to it, one sentence each, without a full stop."""
    backdrop: Backdrop | None = None
    """The picture that the obstacles were found in, if it was one."""
    mount: str = "free"
    """Whether the base is free or in a "wall"."""
    edge: str = "open"
    """Kind of bounds: "open", the edge of a "table", or a "wall"."""

    @property
    def missing(self) -> list[str]:
        """Names of start and goal, if they are not known."""
        return [name for name, value in (("start", self.start), ("goal", self.goal)) if value is None]

    def environment(self, name: str = "", tube_radius: float = 0.0) -> Environment:
        """Return the environment, as it is when it is written to a file and read again.

        Args:
            name: Its name; that of the file without its ending if empty.
            tube_radius: Room that the start needs [m] (`load_environment`); 0 if the tube is not yet known.
        Raises:
            UnusableFile: Start or goal are missing, or cannot be used.
        """
        if self.missing:
            raise UnusableFile(f"{self.name} has no {' and no '.join(self.missing)}; give {' and '.join(self.missing)}")
        made = Environment(
            name=(name or Path(self.name).stem)[:LONGEST_NAME],
            description=f"Imported from {self.name[:100]}.",
            bounds=self.bounds,
            start=self.start,
            goal=self.goal,
            obstacles=self.obstacles,
            mount=self.mount,
            edge=self.edge,
        )
        try:
            if tube_radius == 0 and self.mount == "free" and float(made.obstacles.clearance(made.start[:2])) == 0:
                x, y = (format_length(1e3 * float(side), "mm") for side in made.start[:2])
                raise InvalidEnvironment(
                    f"start.position = [{x}, {y}] is inside an obstacle; if the base is mounted in it, give mount = wall, with the start "
                    "at its surface"
                )
            return parse_environment(environment_text(made).encode(), made.name, tube_radius)
        except InvalidEnvironment as error:
            raise UnusableFile(f"{self.name}: {error}") from None


def build_obstacles(
    name: str,
    traced: Tracing,
    backdrop: Backdrop | None = None,
    options: ImportOptions = USUAL,
) -> Imported:
    """Make obstacles of a traced file.

    Args:
        name: The file, for messages.
        options: Those of all files; start and goal replace those of the file.
    Raises:
        UnusableFile: The file has no shapes, or more than an environment file can hold; or what is asked for cannot be done.
    """
    start, goal, simplify = options.start or traced.start, options.goal or traced.goal, options.simplify or 0.0
    traced = drop_small(_cropped(name, traced, options.crop, start), options.least_size)
    _check_size(name, len(traced.solid), 0, (), simplify)
    polygons, moved = simplify_polygons(traced.solid, simplify)
    corners = [count_corners(traced.solid), count_corners(polygons)]
    _check_size(name, len(polygons), corners[1], traced.solid, simplify)
    pieces = [piece for polygon in polygons for part in cut_holes(polygon) for piece in _round_polygon(part)]
    corners_of = [shapely.get_coordinates(piece)[:-1] for piece in pieces]
    boxes = [(*one.min(axis=0), *one.max(axis=0)) for one in corners_of if _is_rectangle(one)]
    others = [one for one in corners_of if not _is_rectangle(one)]
    obstacles = Obstacles(others, traced.circles, traced.walls, boxes)
    _check_size(name, len(obstacles), sum(map(len, obstacles.polygons)), traced.solid, simplify)
    outlines = *polygons, *Obstacles(circles=traced.circles, walls=traced.walls).shapes()
    x0, y0, x1, y1 = (round(float(side), _DECIMALS) for side in traced.bounds or _extent(name, obstacles, start, goal))
    notes = list(traced.notes)
    if backdrop is None:
        wide, high = x1 - x0, y1 - y0
        notes.append(f"the drawing is {wide:.3g} m wide and {high:.3g} m high; if not, give its unit or a known length")
    if corners[1] < corners[0]:
        most = format_length(1e3 * moved, "mm")
        by = f"outlines of {corners[0]} corners simplified to {corners[1]}: nowhere moved by more than {most} mm"
        notes.append(f"{by} (allowed: {format_length(1e3 * simplify, 'mm')} mm)")
    if traced.moved:
        notes.append(f"curves became lines, at most {format_length(1e3 * traced.moved, 'mm')} mm from them")
    if holes := sum(len(polygon.interiors) for polygon in polygons):
        notes.append(
            f"{len(polygons)} outlines with {holes} holes cut into {len(pieces)} polygons without, which touch"
        )
    return Imported(
        name, traced, outlines, obstacles, (x0, y0, x1, y1), start, goal, moved + traced.moved, tuple(notes), backdrop,
        options.mount, options.edge,
    )  # fmt: skip


def _cropped(
    name: str, traced: Tracing, box: Box | Literal["reach"] | None, start: tuple[float, float, float] | None
) -> Tracing:
    """Return a traced file, cropped as asked."""
    if box != "reach":
        return traced if box is None else crop(traced, box)
    if start is None:
        raise UnusableFile(f"{name} has no start, from which crop = reach could tell what can be reached; give start")
    return crop(traced, reachable_box(traced, traced.bounds or _extent(name, _whole(traced), start, None), start[:2]))


def _whole(traced: Tracing) -> Obstacles:
    """Return the obstacles of a traced file, without their holes."""
    rings = [shapely.get_coordinates(shapely.get_exterior_ring(one))[:-1] for one in traced.solid]
    return Obstacles(rings, traced.circles, traced.walls)


def count_corners(polygons: Sequence[shapely.Polygon]) -> int:
    """Return the number of corners of polygons, those of their holes included."""
    rings = shapely.get_rings(polygons)
    return int(shapely.get_num_coordinates(rings).sum()) - len(rings)


def _is_rectangle(corners: np.ndarray) -> bool:
    """Return whether a valid polygon is a box, whichever corner is the first and whichever way they run."""
    box = box_corners(*corners.min(axis=0), *corners.max(axis=0))
    return len(corners) == 4 and {*map(tuple, corners.tolist())} == {*map(tuple, box.tolist())}


def _round_polygon(piece: shapely.Polygon) -> Iterable[shapely.Polygon]:
    """Return a simple polygon, rounded to a micrometre: rarely several, or none if it is thinner than that."""
    points = np.round(shapely.get_coordinates(piece)[:-1], _DECIMALS)
    points = points[(points != np.roll(points, 1, axis=0)).any(axis=1)]
    if len(points) < 3:
        return []
    made = shapely.Polygon(points)
    if made.is_valid and made.area > 0:
        return [made]
    return [one for part in extract_polygons(shapely.make_valid(made)) for one in cut_holes(part)]


def _extent(
    name: str,
    obstacles: Obstacles,
    start: tuple[float, float, float] | None,
    goal: tuple[float, float, float] | None,
) -> tuple[float, float, float, float]:
    """Return the smallest box around all shapes, the start and the goal disc."""
    shapes = obstacles.shapes()
    shapes += [] if start is None else [shapely.Point(start[:2])]
    shapes += [] if goal is None else [shapely.Point(goal[:2]).buffer(goal[2], quad_segs=64)]
    if not len(obstacles):
        raise UnusableFile(f"{name} has no shapes that can be obstacles")
    x0, y0, x1, y1 = shapely.total_bounds(np.array(shapes, dtype=object)).tolist()
    return x0, y0, x1, y1


def _check_size(name: str, shapes: int, corners: int, polygons: Sequence[shapely.Polygon], tried: float) -> None:
    """Check that an environment file can hold so many shapes and corners.

    Args:
        polygons: Polygons as traced, for which the message names a tolerance that leaves few enough corners.
        tried: Tolerance with which there are so many [m].
    """
    if shapes > MOST_SHAPES:
        advice = "leave out those that do not matter with --least-size MM, or a part of the file with --crop"
        raise UnusableFile(f"{name} has {shapes} obstacles; at most {MOST_SHAPES} are allowed: {advice}")
    if corners <= MOST_CORNERS:
        return
    advice = "leave out a part of it with --crop"
    for tolerance in (one for one in _TOLERANCES if one > tried):
        left = count_corners(simplify_polygons(polygons, tolerance)[0])
        if left <= 0.9 * MOST_CORNERS:  # cuts of holes add some
            advice = f"--simplify {1e3 * tolerance:g} leaves {left} corners, by moving outlines by at most {1e3 * tolerance:g} mm"
            break
    raise UnusableFile(f"{name} has {corners} corners; at most {MOST_CORNERS} are allowed: {advice}")
