"""The obstacles of an environment: polygons, circles and walls."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import compress, groupby
from types import MappingProxyType
from typing import Literal

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

Ends = Literal["flat", "round"]
KINDS = "box", "polygon", "circle", "wall", "edge"
"""Kinds of obstacles in the order of a file; an edge is a wall around bounds that are walls, and in no file."""
SIDES = "bottom", "top", "left", "right"
"""Edges, by their number."""
_MOST_NAMED = 3
"""Largest number of obstacles that are all named."""
_LONG = 32
"""Largest number of corners, with the first one again, of an outline that is not divided to find distances from it."""
THINNEST = 1e-6
"""Minimum thickness of a wall that becomes a polygon [m]; the ends of a thinner one are too small to matter."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Obstacles:
    """The solid shapes of an environment; they may overlap and may extend beyond the bounds.

    >>> obstacles = Obstacles(boxes=[(0.8, 0.0, 1.0, 0.6)], circles=[(1.4, 0.9, 0.1)])
    >>> float(obstacles.clearance([0.5, 0.3]).round(3))
    0.3

    Walls end flat at their end points, unless `ends="round"`: this doorway is 80 mm wide.

    >>> left, right = Obstacles(walls=[(0, 0, 0.5, 0, 0.018), (0.58, 0, 1, 0, 0.018)]).shapes()
    >>> round(left.distance(right), 6)
    0.08
    """

    polygons: tuple[np.ndarray, ...]
    """Corners of simple polygons [m], each of shape (n, 2), n >= 3; concave allowed, clockwise or anticlockwise, not closed.

    Boxes come first, then the polygons, then the walls with flat ends, which are rectangles."""
    circles: np.ndarray
    """Rows x, y, radius [m], shape (n, 3)."""
    walls: np.ndarray
    """Rows x1, y1, x2, y2, thickness [m], shape (n, 5), of the other walls: those with round ends, widened by half their thickness
    in all directions, and bare lines, of thickness 0."""
    flat: np.ndarray
    """Rows x1, y1, x2, y2, thickness [m], shape (n, 5), of the walls with flat ends, in the order of their rectangles in `polygons`."""
    labels: NDArray[np.int64]
    """Kind of each of `shapes`, an index of `KINDS`, and its number [-] among those of its kind, from 1 as in its file, shape (n, 2)."""
    boxes: np.ndarray
    """Rows x_min, y_min, x_max, y_max [m], angle [rad], shape (n, 5), of the boxes, in the order of their outlines in `polygons`."""
    own_names: tuple[str, ...]
    """Name that each of `shapes` was given, or "", shape (n,)."""

    def __init__(
        self,
        polygons: Iterable[ArrayLike] = (),
        circles: ArrayLike = (),
        walls: ArrayLike = (),
        boxes: Iterable[ArrayLike] = (),
        ends: Ends = "flat",
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """All lengths in metres.

        Args:
            walls: Rows x1, y1, x2, y2, thickness. With flat ends they become the last polygons, so that nothing else has to
                know of flat ends; with round ends, and as bare lines, they remain `walls`.
            boxes: Rows x_min, y_min, x_max, y_max, or with a fifth number, the angle [rad] by which the box is turned anticlockwise
                about its centre; they become the first polygons.
            ends: Shape of the walls' ends: "flat" at the end points, or "round", half the thickness beyond them. Give "round"
                to build obstacles from the `walls` of others.
            names: Names of obstacles, by `label`: `{"wall 6": "cabinet"}`.
        Raises:
            ValueError: `ends` is unknown, a wall with flat ends has no length, or `names` names an obstacle that is not there.
        """
        if ends not in ("flat", "round"):
            raise ValueError(f"ends = {ends!r} must be 'flat' or 'round'")
        rows = np.asarray(walls, float).reshape(-1, 5)
        flat = (rows[:, 4] >= THINNEST) & (ends == "flat")
        turned = np.array([[*np.asarray(box, float), 0.0][:5] for box in boxes]).reshape(-1, 5)
        first = [box_corners(*box) for box in turned]
        others = [np.asarray(polygon, float).reshape(-1, 2) for polygon in polygons]
        corners = [*first, *others, *map(wall_corners, rows[flat])]
        # Fields of a frozen dataclass can only be set this way.
        object.__setattr__(self, "polygons", tuple(corners))
        object.__setattr__(self, "circles", np.asarray(circles, float).reshape(-1, 3))
        object.__setattr__(self, "walls", rows[~flat])
        numbers = np.arange(len(rows)) + 1
        count = np.arange(len(others) + len(first) + len(self.circles)) + 1
        counted = [(0, count[: len(first)]), (1, count[: len(others)]), (3, numbers[flat])]
        counted += [(2, count[: len(self.circles)]), (3, numbers[~flat])]
        labels = np.vstack([np.column_stack([np.full(len(some), kind), some]) for kind, some in counted])
        self._label(labels, rows[flat], turned, ("",) * len(self))
        if names:
            self._label(labels, rows[flat], turned, tuple(names.get(self.label(k), "") for k in range(len(self))))
            if unknown := {*names} - {self.label(k) for k in range(len(self))}:
                raise ValueError(f"names has {min(unknown)!r}, which is not there")

    def _label(self, labels: ArrayLike, flat: np.ndarray, boxes: np.ndarray, own_names: tuple[str, ...]) -> "Obstacles":
        object.__setattr__(self, "labels", np.array(labels, np.int64).reshape(-1, 2))
        object.__setattr__(self, "flat", flat)
        object.__setattr__(self, "boxes", boxes)
        object.__setattr__(self, "own_names", own_names)
        return self

    def label(self, index: int) -> str:
        """Return the kind and the number of one of `shapes`, its key in files: "wall 6"."""
        kind, number = self.labels[index].tolist()
        return f"wall at the bounds, {SIDES[number - 1]}" if KINDS[kind] == "edge" else f"{KINDS[kind]} {number}"

    def name(self, index: int) -> str:
        """Return the name of one of `shapes` for people: its label, and the name that it was given: "wall 6 (cabinet)"."""
        own = self.own_names[index]
        return f"{self.label(index)} ({own})" if own else self.label(index)

    def names(self, indices: Iterable[int]) -> str:
        """Return the names of some of `shapes`: "walls 2 and 3"; of more than three, the first and how many more."""
        some = sorted(indices, key=lambda index: tuple(self.labels[index].tolist()))
        if len(some) > _MOST_NAMED:
            return f"{self.name(some[0])} and {len(some) - 1} more"
        words = []
        for kind, group in groupby(some, lambda index: KINDS[self.labels[index, 0]]):
            first, *others = [*group]
            numbers = [self.name(index).removeprefix(f"{kind} ") for index in (first, *others)]
            words.append(f"{plural(kind)} {_join(numbers)}" if others and kind != "edge" else self.name(first))
        return _join(words)

    @property
    def counts(self) -> dict[str, int]:
        """Number of obstacles by the key of their kind in a file."""
        return {plural(kind): int((self.labels[:, 0] == k).sum()) for k, kind in enumerate(KINDS[:4])}

    @property
    def in_file(self) -> NDArray[np.int64]:
        """Indices [-] of `shapes` in the order of a file: boxes, polygons, circles, walls, shape (n,)."""
        return np.lexsort((self.labels[:, 1], self.labels[:, 0]))

    def shapes(self) -> list[shapely.Geometry]:
        """Return the obstacles as shapely geometries [m], in the order polygons, circles, walls.

        Circles and the round ends of walls are inscribed polygons with 256 corners per turn; a bare wall is a line.
        """
        circles = shapely.buffer(shapely.points(self.circles[:, :2]), self.circles[:, 2], quad_segs=64)
        lines = shapely.linestrings(self.walls[:, :4].reshape(-1, 2, 2))
        thickness = self.walls[:, 4]
        walls = np.where(thickness > 0, shapely.buffer(lines, thickness / 2, quad_segs=64), lines)
        return [*self.outlines(), *circles, *walls]

    def outlines(self) -> np.ndarray:
        """Return the polygons as shapely geometries [m], shape (polygons,)."""
        # All at once: one by one takes five times as long.
        corners = np.concatenate([np.empty((0, 2)), *self.polygons])
        ring = np.repeat(np.arange(len(self.polygons)), [len(polygon) for polygon in self.polygons])
        outlines: np.ndarray = shapely.polygons(shapely.linearrings(corners, indices=ring))
        return outlines

    def clearance(self, points: ArrayLike) -> np.ndarray:
        """Distance from points to the nearest obstacle, exact also for circles and walls.

        Args:
            points: Finite positions [m], shape (..., 2).
        Returns:
            Distances [m], shape (...): 0 inside an obstacle, infinite if there are no obstacles.
        """
        points = np.asarray(points, dtype=float)
        flat = points.reshape(-1, 2)
        distance = np.full(len(flat), np.inf)
        if self.polygons and len(flat):
            outlines = self.outlines()
            long = shapely.get_num_coordinates(outlines) > _LONG
            inside = np.zeros(len(flat), bool)
            for outline in outlines[long]:
                shapely.prepare(outline)
                inside |= shapely.intersects_xy(outline, *flat.T)
            distance[inside] = 0.0
            # The nearest outline is looked for where it matters: that takes longer.
            outside = np.flatnonzero(~inside)
            tree = shapely.STRtree([*outlines[~long], *_pieces(outlines[long])])
            (index, _), nearest = tree.query_nearest(
                shapely.points(flat[outside]), return_distance=True, all_matches=False
            )
            distance[outside[index]] = nearest
        # One pass per shape keeps the memory proportional to the number of points.
        for x, y, radius in self.circles:
            np.minimum(distance, np.hypot(flat[:, 0] - x, flat[:, 1] - y) - radius, out=distance)
        for wall in self.walls:
            np.minimum(distance, _segment_distance(flat, wall[:2], wall[2:4]) - wall[4] / 2, out=distance)
        clearance: np.ndarray = np.maximum(distance, 0.0).reshape(points.shape[:-1])
        return clearance

    def nearest(self, points: ArrayLike) -> NDArray[np.int64]:
        """Return the index in `shapes` of the obstacle nearest to each point, the first of those equally near.

        Args:
            points: Finite positions [m], shape (n, 2).
        Returns:
            Indices [-], shape (n,).
        Raises:
            ValueError: There are no obstacles.
        """
        shapes = np.array(self.shapes(), dtype=object)
        away = shapely.distance(shapes, shapely.points(np.asarray(points, float))[:, None])
        nearest: NDArray[np.int64] = away.argmin(axis=1)
        return nearest

    def __len__(self) -> int:
        return len(self.polygons) + len(self.circles) + len(self.walls)

    def widths(self) -> np.ndarray:
        """Shorter side of the minimum rotated rectangle of each of `shapes` [m], shape (n,); 0 for bare walls."""
        sides = shapely.minimum_rotated_rectangle(self.outlines())
        lengths = [np.hypot(*np.diff(shapely.get_coordinates(side)[:3], axis=0).T).min() for side in sides]
        return np.array([*lengths, *2 * self.circles[:, 2], *self.walls[:, 4]])

    def part(self, chosen: np.ndarray) -> "Obstacles":
        """Select obstacles, which keep their names.

        Args:
            chosen: Which, in the order of `shapes`, shape (n,), bool.
        """
        polygons, circles, walls = np.split(chosen, np.cumsum([len(self.polygons), len(self.circles)]))
        found = Obstacles(compress(self.polygons, polygons), self.circles[circles], self.walls[walls], ends="round")
        flat, boxes = (polygons[self.labels[: len(polygons), 0] == KINDS.index(kind)] for kind in ("wall", "box"))
        own_names = tuple(compress(self.own_names, chosen))
        return found._label(self.labels[chosen], self.flat[flat], self.boxes[boxes], own_names)

    def framed(self, edges: Iterable[ArrayLike]) -> "Obstacles":
        """Return these obstacles and, as the last polygons, the walls around bounds that are walls.

        Args:
            edges: Rows x_min, y_min, x_max, y_max [m], in the order of `SIDES`.
        """
        corners = [box_corners(*np.asarray(edge, float)) for edge in edges]
        found = Obstacles((*self.polygons, *corners), self.circles, self.walls, ends="round")
        added = [(KINDS.index("edge"), number) for number in range(1, len(corners) + 1)]
        count = len(self.polygons)
        own_names = (*self.own_names[:count], *("" for _ in corners), *self.own_names[count:])
        return found._label(np.insert(self.labels, count, added, axis=0), self.flat, self.boxes, own_names)

    def at(self, polygons: Iterable[ArrayLike], circles: ArrayLike, walls: ArrayLike) -> "Obstacles":
        """Return obstacles of these names with other numbers, in the order and units of the fields."""
        found = Obstacles(polygons, circles, walls, ends="round")
        return found._label(self.labels, self.flat, self.boxes, self.own_names)

    def shifted(self, shifts: ArrayLike) -> "Obstacles":
        """Return these obstacles elsewhere, with their names.

        Args:
            shifts: Shift of each of `shapes` in x and y [m], shape (n, 2).
        """
        count, by = len(self.polygons), np.asarray(shifts, float).reshape(-1, 2)
        kinds = self.labels[:count, 0]
        of_boxes, of_flat = (np.tile(by[:count][kinds == KINDS.index(kind)], 2) for kind in ("box", "wall"))
        boxes = self.boxes + np.pad(of_boxes, ((0, 0), (0, 1)))
        flat = self.flat + np.pad(of_flat, ((0, 0), (0, 1)))
        polygons = [corners + shift for corners, shift in zip(self.polygons, by, strict=False)]
        # Those that are made from a row keep exactly the corners of that row, so that a file has them as such.
        for index, row in zip(np.flatnonzero(kinds == KINDS.index("box")).tolist(), boxes, strict=True):
            polygons[index] = box_corners(*row)
        for index, row in zip(np.flatnonzero(kinds == KINDS.index("wall")).tolist(), flat, strict=True):
            polygons[index] = wall_corners(row)
        round_ones, lines = by[count : count + len(self.circles)], np.tile(by[count + len(self.circles) :], 2)
        circles = self.circles + np.pad(round_ones, ((0, 0), (0, 1)))
        found = Obstacles(polygons, circles, self.walls + np.pad(lines, ((0, 0), (0, 1))), ends="round")
        return found._label(self.labels, flat, boxes, self.own_names)


def _join(words: list[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def plural(kind: str) -> str:
    """Return the plural of a kind of obstacle, which is its key in files."""
    return "boxes" if kind == "box" else f"{kind}s"


def is_box(corners: ArrayLike) -> bool:
    """Return whether a polygon has the corners of a box, in the order of `box_corners`."""
    polygon = np.asarray(corners)
    if polygon.shape != (4, 2) or (polygon[0] >= polygon[2]).any():
        return False
    return np.array_equal(polygon, box_corners(*polygon[0], *polygon[2]))


def box_corners(x_min: float, y_min: float, x_max: float, y_max: float, angle: float = 0.0) -> np.ndarray:
    """Corners of a box, shape (4, 2), anticlockwise from (x_min, y_min), in the unit of the arguments.

    Args:
        angle: Angle by which the box is turned anticlockwise about its centre [rad].
    """
    corners = np.array([[x_min, y_min], [x_max, y_min], [x_max, y_max], [x_min, y_max]], dtype=float)
    if not angle:
        return corners
    centre, (cos, sin) = (corners[0] + corners[2]) / 2, (math.cos(angle), math.sin(angle))
    # Rounded for the same reason as those of walls.
    turned: np.ndarray = np.round(centre + (corners - centre) @ np.array([[cos, sin], [-sin, cos]]), 12)
    return turned


def wall_corners(wall: np.ndarray) -> np.ndarray:
    """Corners of a wall x1, y1, x2, y2, thickness [m] with flat ends, anticlockwise, shape (4, 2) [m].

    Raises:
        ValueError: It has no length.
    """
    start, end = wall[:2], wall[2:4]
    if not (length := np.hypot(*(end - start))):
        raise ValueError(f"the wall {wall.tolist()} has no length: its two ends are the same point")
    side = wall[4] / (2 * length) * np.array([start[1] - end[1], end[0] - start[0]])
    # A picometre is far above the rounding errors and far below all that matters: a file in other units has the same corners.
    corners: np.ndarray = np.round([start - side, end - side, end + side, start + side], 12)
    return corners


def _pieces(outlines: np.ndarray) -> np.ndarray:
    """Return the outlines of polygons in lines of a few edges: the time of a distance grows with the number of edges."""
    points, ring = shapely.get_coordinates(outlines, return_index=True)
    place = np.arange(len(ring)) - np.searchsorted(ring, ring)
    # A piece has the first point of the one after it, if that belongs to the same outline and is not its last point.
    first = place % _LONG == 0
    piece = np.cumsum(first) - 1
    shared = np.flatnonzero(first & (place > 0))
    at = np.concatenate([np.arange(len(ring)), shared])
    of = np.concatenate([piece, piece[shared] - 1])
    order = np.lexsort((at, of))
    lonely = np.bincount(of) == 1
    kept = order[~lonely[of[order]]]
    numbers = np.unique(of[kept], return_inverse=True)[1]
    pieces: np.ndarray = shapely.linestrings(points[at[kept]], indices=numbers)
    return pieces


def _segment_distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    fraction = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    offset = points - start - fraction[:, None] * along
    distance: np.ndarray = np.hypot(offset[:, 0], offset[:, 1])
    return distance
