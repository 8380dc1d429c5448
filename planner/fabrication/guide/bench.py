"""The bench on which a tube is to grow, in numbers: start, goal, obstacles and passages from a datum, and how exact each must be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from environments.environment import Environment
from environments.objects import object_name, objects_of
from environments.obstacles import KINDS, SIDES, is_box
from environments.passages import Passage, passages_along
from planner.design.design import Design
from planner.drawing.room import room_notes
from planner.uncertainty.sensitivity import Margin, compute_margin, environment_parameters, object_parameters
from surrogate.kernels.compiled import Floats

PASSAGES, COMPARED, NEAR = 8, 16, 10.0
"""Largest number of passages that are listed, number of the narrowest from which they are taken, and distance of the obstacles beside them
from the tube's middle line, over its radius [-]."""
MOST_LISTED = 200
"""Largest number of obstacles that are listed: those nearest to the tube."""
MOST_CORNERS = 16
"""Largest number of corners of a polygon that are listed."""
LETTERS = dict(zip(KINDS, "BPCWE", strict=True))
"""Letters that mark the obstacles in drawings, by their kind."""


@dataclass(frozen=True, slots=True, eq=False)
class BenchObstacle:
    """One obstacle as it is placed on the bench."""

    name: str
    """Kind and number, as in the environment's file and in reports: "box 4"."""
    mark: str
    """Short name in drawings: "B4"."""
    place: str
    """Place and size from the datum [mm], as text."""
    shape: shapely.Geometry
    """Shape from the datum [m]; a wall without thickness is a line."""
    piece_of: str
    """Name of all that touch it and are moved together with it; empty if it stands alone."""
    margins: tuple[Margin, Margin] | None
    """Shifts along x and y of all that is moved together [mm]; None where no shift that is simulated brings it to the tube."""


@dataclass(frozen=True, eq=False)
class Bench:
    """Dimensions of an environment from its datum, the lower left corner of the bounds, for a design that grows in it."""

    environment: Environment
    design: Design
    obstacles: tuple[BenchObstacle, ...]
    """In the order of the file."""
    left_out: int
    """Number of obstacles that are not listed."""
    size: Margin | None
    """Change of the size of all obstacles together [%]; None without obstacles, or for a design that misses its goal."""

    @property
    def datum(self) -> Floats:
        """Position of the datum in the environment [m], shape (2,)."""
        return np.asarray(self.environment.bounds[:2])

    @property
    def extent(self) -> Floats:
        """Width and height of the bounds [m], shape (2,)."""
        return np.asarray(self.environment.bounds[2:] - self.environment.bounds[:2])

    @property
    def start(self) -> Floats:
        """Start from the datum: x, y [m] and heading [rad], shape (3,)."""
        return np.asarray(self.environment.start - [*self.datum, 0.0])

    @property
    def goal(self) -> Floats:
        """Goal from the datum: x, y and radius [m], shape (3,)."""
        return np.asarray(self.environment.goal - [*self.datum, 0.0])

    @cached_property
    def passages(self) -> list[Passage]:
        """The narrowest passages near the tube, in the coordinates of the environment: those that the tube goes through, and then others,
        each from the narrowest on."""
        tube = _middle_line(self.design, self.environment)
        found = passages_along(self.environment, tube, NEAR * self.design.params.radius, COMPARED)
        return sorted(found, key=lambda one: not self.goes_through(one))[:PASSAGES]

    @cached_property
    def notes(self) -> list[str]:
        """Sentences about the room that inflated actuators lack, with places from the datum: `planner.drawing.room.room_notes`."""
        return room_notes(self.design, self.environment, self.datum)

    def goes_through(self, passage: Passage) -> bool:
        """Return whether the planned tube goes through a passage."""
        return bool(shapely.LineString(passage.ends).intersects(_middle_line(self.design, self.environment)))

    def sides_of(self, passage: Passage) -> tuple[str, str]:
        """Return the names of the obstacles at both ends of a passage."""
        one, other = self.environment.solids.nearest(passage.ends).tolist()
        return self.environment.solids.name(one), self.environment.solids.name(other)

    def weakest(self, count: int) -> list[Margin]:
        """Return the shifts of obstacles on which success depends most, at most `count`, from the smallest."""
        margins = {id(one): one for obstacle in self.obstacles for one in obstacle.margins or ()}
        found = [one for one in margins.values() if one.missed != (None, None)]
        return sorted(found, key=lambda one: one.share)[:count]


def bench_of(design: Design, environment: Environment, reached: bool) -> Bench:
    """Measure an environment and, for a design that reaches its goal, simulate the margin of each object (42 trials of some milliseconds).

    Args:
        design: With its centreline in this environment.
    """
    margins: dict[str, list[Margin]] = {}
    for parameter in object_parameters(design, environment) if reached else ():
        margins.setdefault(parameter.subject, []).append(compute_margin(design, environment, parameter))
    solids, objects = environment.solids, objects_of(environment)
    listed = _listed(design, environment)
    made = []
    for index in solids.in_file.tolist():
        if index not in listed:
            continue
        whole = object_name(environment, int(objects[index]))
        both = margins.get(whole)
        alone = (objects == objects[index]).sum() == 1
        made.append(_obstacle(environment, index, "" if alone else whole, (both[0], both[1]) if both else None))
    sizes = environment_parameters(environment)[2:] if reached else []
    size = next((compute_margin(design, environment, one) for one in sizes), None)
    return Bench(environment, design, tuple(made), len(solids) - len(made), size)


def _listed(design: Design, environment: Environment) -> set[int]:
    """Return the indices of the solids that are listed."""
    shapes = np.array(environment.solids.shapes(), dtype=object)
    order = (
        np.argsort(shapely.distance(shapes, _middle_line(design, environment)), kind="stable")
        if len(shapes)
        else np.zeros(0, int)
    )
    return set(order[:MOST_LISTED].tolist())


def _middle_line(design: Design, environment: Environment) -> shapely.Geometry:
    """Return the middle line of the planned tube, or its start if it does not grow [m]."""
    line = design.centerline
    return shapely.LineString(line) if len(line) > 1 else shapely.Point(environment.start[:2])


def _obstacle(environment: Environment, index: int, whole: str, margins: tuple[Margin, Margin] | None) -> BenchObstacle:
    """Describe one of the solids."""
    solids, datum = environment.solids, environment.bounds[:2]
    kind, number = solids.labels[index].tolist()
    shape = solids.shapes()[index]
    moved = shapely.affinity.translate(shape, *(-datum))
    mark = f"{LETTERS[KINDS[kind]]}{number}"
    return BenchObstacle(solids.name(index), mark, _place(environment, index), moved, whole, margins)


def _place(environment: Environment, index: int) -> str:
    """Return place and size of one of the solids from the datum [mm], as text."""
    solids, datum = environment.solids, environment.bounds[:2]
    kind, number = (int(one) for one in solids.labels[index])
    polygons = len(solids.polygons)
    match KINDS[kind]:
        case "edge":
            return f"along the bounds, {SIDES[number - 1]}"
        case "box":
            corners = solids.polygons[index] - datum
            if is_box(corners):
                return f"{_span(corners)}; {' x '.join(map(signed_mm, np.ptp(corners, axis=0)))}"
            sides = " x ".join(signed_mm(side) for side in np.hypot(*np.diff(corners[:3], axis=0).T))
            return f"corners {', '.join(map(_point, corners))}; {sides}"
        case "circle":
            x, y, radius = solids.circles[index - polygons]
            return f"centre {_point((x, y) - datum)}, diameter {signed_mm(2 * radius)}"
        case "wall":
            return _wall_place(environment, index)
    corners = solids.polygons[index] - datum
    if len(corners) <= MOST_CORNERS:
        return f"corners {', '.join(map(_point, corners))}"
    return f"outline of {len(corners)} corners, {_span(corners)}; all corners are in environment.toml"


def _wall_place(environment: Environment, index: int) -> str:
    """Return ends and thickness of a wall from the datum [mm], as text."""
    solids, datum = environment.solids, environment.bounds[:2]
    polygons, circles = len(solids.polygons), len(solids.circles)
    if index < polygons:
        # Flat walls are the last polygons, before those of the frame, in the order of `flat`.
        flats = np.flatnonzero(solids.labels[:polygons, 0] == KINDS.index("wall"))
        row, ends = solids.flat[int(np.searchsorted(flats, index))], ""
    else:
        row = solids.walls[index - polygons - circles]
        ends = ", round ends" if row[4] else ""
    thick = f"{signed_mm(row[4])} thick" if row[4] else "without thickness"
    return f"middle line {_point(row[:2] - datum)} to {_point(row[2:4] - datum)}, {thick}{ends}"


def _span(corners: Floats) -> str:
    """Return the extent of corners along x and y as text."""
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return f"x {signed_mm(left)} to {signed_mm(right)}, y {signed_mm(bottom)} to {signed_mm(top)}"


def _point(point: Floats) -> str:
    return f"({signed_mm(point[0])}, {signed_mm(point[1])})"


def signed_mm(length: float) -> str:
    """Return a length [m] in millimetres, with at most one decimal, a true minus, and no negative zero."""
    return f"{round(1e3 * float(length), 1) + 0.0:.12g}".replace("-", "−")
