"""Funneling: whether obstacles bring vines with different headings together (paper 002, section 6.4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial import KDTree

from dynamics.actuation import actuation_along
from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, centerlines
from dynamics.world import BuiltWorlds
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.catalogue import Catalogue
from surrogate.kernels.compiled import Floats

SHARES = {"free": 0.0, "sparse": 0.04, "medium": 0.08, "dense": 0.16}
"""Share of the field that obstacles cover [-]."""
FIELD = 2.0
"""Side of the square field, from the origin [m]."""
START = 0.2, 0.2
"""Base of all vines [m]."""
LENGTH = 1.8
"""Length of all vines [m]; without obstacles they stay inside the field."""
FAN = math.pi / 2
"""Angle between the first heading, along x, and the last, along y [rad]."""
SMALLEST, LARGEST = 80e-3, 120e-3
"""Minimum and maximum diameter of discs and side of square boxes [m]."""
KEPT_FREE = 0.15
"""Minimum distance of obstacles from the start [m]."""
TURN, TURN_AT = (0.1, 0.2), 0.3
"""Minimum and maximum turn of a vine by its actuator in free space, relative to the angle from its heading to the field's
diagonal [-]; distance of the actuator from the base [m]."""
NEIGHBOURS = 2, 3, 5, 8, 10, 15
FLOOR = 1e-3
"""Minimum mean distance to neighbours [m]: the penetration tolerance, below which ends cannot be distinguished."""
ONE_PLACE = 10e-3
"""Ends are in one place if a chain of ends with links no longer than this connects them [m]."""
NEARER, FARTHER = 0.5, 2.0
"""Neighbouring vines end together below the first, apart above the second distance, relative to that on an even fan [-]."""


def densities(points: Floats, k: int, floor: float = FLOOR) -> Floats:
    """Density of points around each of them [1/m^2], shape (n,): p_i = k / (pi r_k(i)^2).

    Args:
        points: Positions [m], shape (n, 2), n > k.
        k: Number of nearest neighbours; r_k is the mean distance to them.
        floor: Minimum r_k [m]. Vines in one pocket end at the same point, where the density would be infinite.
    Source: paper 002, section 6.4.
    """
    distance, _ = KDTree(points).query(points, k + 1)  # the first is the point itself, or one at the same position
    return k / (math.pi * np.maximum(distance[:, 1:].mean(axis=1), floor) ** 2)


def concentration(density: Floats) -> float:
    """Mean of the densest tenth relative to the mean of all [-]: from 1, if all are equal, to `highest_concentration`."""
    return float(np.sort(density)[-_tenth(len(density)) :].mean() / density.mean())


def highest_concentration(count: int) -> float:
    """Concentration of this many points if a tenth of them are in one place and the others are far from each other [-]."""
    return count / _tenth(count)


def _tenth(count: int) -> int:
    return math.ceil(count / 10)


def ratios(points: Floats, floor: float = FLOOR) -> Floats:
    """Concentration at each of `NEIGHBOURS`, shape (len(NEIGHBOURS),)."""
    return np.array([concentration(densities(points, k, floor)) for k in NEIGHBOURS])


def places(points: Floats) -> Integers:
    """Index of the place of each point, from 0, shape (n,); chains with links of at most `ONE_PLACE` connect the points of a place."""
    return fcluster(linkage(points, "single"), ONE_PLACE, "distance").astype(np.int64) - 1


def neighbour_distances(ends: Floats) -> Floats:
    """Distances between the ends of neighbouring vines, relative to that on an even fan [-], shape (n - 1,)."""
    even = 2 * LENGTH * math.sin(FAN / (len(ends) - 1) / 2)
    return np.hypot(*np.diff(ends, axis=0).T) / even


def headings(vines: int) -> Floats:
    """Evenly spread start headings [rad], shape (vines,)."""
    return np.linspace(0.0, FAN, vines)


def even_fan(vines: int) -> Floats:
    """Ends of straight vines in free space [m], shape (vines, 2)."""
    angle = headings(vines)
    return np.asarray(START) + LENGTH * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def scatter_points(rng: np.random.Generator, vines: int) -> Floats:
    """Random points, uniform over the area that straight vines can reach [m], shape (vines, 2)."""
    angle, reach = rng.uniform(0, FAN, vines), LENGTH * np.sqrt(rng.uniform(size=vines))
    return np.asarray(START) + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def make_field(rng: np.random.Generator, share: float, name: str = "field") -> Environment:
    """Random discs and rotated boxes in a field; the bounds are out of reach of all vines.

    With the same `rng`, a denser field contains all obstacles of a sparser one.

    Args:
        share: Share of the field that is covered [-], 0 to 0.3, accurate to one obstacle.
    """
    square, start = shapely.box(0, 0, FIELD, FIELD), shapely.Point(START).buffer(KEPT_FREE)
    half = ((SMALLEST + LARGEST) / 2) ** 2 / 2
    solid: shapely.Geometry = shapely.Polygon()
    boxes: list[Floats] = []
    discs: list[Floats] = []
    while share * FIELD**2 - solid.area > half:
        size, (x, y) = rng.uniform(SMALLEST, LARGEST), rng.uniform(0, FIELD, 2)
        round_one, turn = rng.random() < 0.5, rng.uniform(0, math.pi / 2)
        axes = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        corners = box_corners(-size / 2, -size / 2, size / 2, size / 2) @ axes + (x, y)
        shape = shapely.Point(x, y).buffer(size / 2, quad_segs=64) if round_one else shapely.Polygon(corners)
        if shape.intersects(start):
            continue
        if round_one:
            discs.append(np.array([x, y, size / 2]))
        else:
            boxes.append(corners)
        solid = solid.union(shape.intersection(square))
    return Environment(
        name=name,
        description=f"Discs and boxes at random over {share:.0%} of the field.",
        bounds=np.array([*np.subtract(START, LENGTH + 0.1), *np.add(START, LENGTH + 0.1)]),
        start=np.array([*START, 0.0]),
        goal=np.array([FIELD - 0.1, FIELD - 0.1, 0.1]),
        obstacles=Obstacles(tuple(boxes), np.array(discs).reshape(-1, 3)),
    )


def weakest_actuator(params: VineParams) -> tuple[float, float, float]:
    """Cell length [m], pressure [Pa] and curvature [1/m] of the actuator with the lowest curvature."""
    catalogue = Catalogue.of(params)
    entry = catalogue.curvature.argmin()
    return float(catalogue.l_0[entry]), float(catalogue.pressure[entry]), float(catalogue.curvature[entry])


def make_mild_actuation(rng: np.random.Generator, heading: Floats, params: VineParams) -> Actuation:
    """One actuator per vine, the weakest, long enough to turn the vine part of the way to the field's diagonal.

    Args:
        rng: Random generator of these parts, which are within `TURN`.
        heading: Start headings [rad], shape (vines,).
    """
    l_0, pressure, _ = weakest_actuator(params)
    per_length = float(free_curvature(joint_moments(params), pressure, l_0))
    turn = rng.uniform(*TURN, len(heading)) * (math.pi / 4 - heading)
    begin, end = np.full(len(heading), TURN_AT), TURN_AT + np.abs(turn) / per_length
    parts = begin, end, np.sign(turn) * pressure, np.full(len(heading), l_0)
    begin, end, side, cell = (part[:, None] for part in parts)
    return actuation_along(begin, end, Actuation(side, cell), LENGTH, params, _segments(params))


def _segments(params: VineParams) -> int:
    return math.ceil(LENGTH / params.segment_length - 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class Fan:
    """Vines grown in one field from one point, in the order of their headings."""

    environment: Environment
    """The field, with the name of its density."""
    number: int
    """Number of the field within its density, from 0; fields of equal number have the same actuators in all densities."""
    lines: tuple[Floats, ...]
    """Joints of each vine at the end of growth, from base to tip [m], each of shape (n, 2)."""
    status: Integers
    """`Status` of each vine, shape (vines,)."""

    @property
    def ends(self) -> Floats:
        """Positions of the tips [m], shape (vines, 2)."""
        return np.array([line[-1] for line in self.lines])


def grow_fan(
    environment: Environment, actuation: Actuation, params: VineParams, number: int = 0, threads: int | None = None
) -> Fan:
    """Grow one vine for each row of an actuation, with evenly spread headings; the number of threads does not affect the result."""
    planned = QuasiStatic(environment, params, threads=threads)
    starts = np.array([[*environment.start[:2], heading] for heading in headings(len(actuation.pressure))])
    models, state = (
        planned.in_worlds(BuiltWorlds.starting(planned.scene, starts)),
        planned.start(*actuation.pressure.shape),
    )
    rollout = planned.grow_in(models, np.arange(len(starts)), state, actuation, LENGTH, params.segment_length)
    lines = [start[None, :2] for start in starts]
    grown = np.flatnonzero(rollout.records)
    last = rollout.state(grown, rollout.records[grown] - 1)
    for vine, joints in zip(grown, centerlines(last, starts[grown], params), strict=True):
        lines[vine] = joints[~np.isnan(joints[:, 0])]
    return Fan(environment, number, tuple(lines), rollout.status)


def run_fields(
    numbers: Sequence[int], vines: int, seed: int, params: VineParams, threads: int | None = None
) -> Iterator[tuple[Fan, ...]]:
    """Fans in random fields, one per density in `SHARES` at a time; denser fields contain the obstacles of sparser ones."""
    for number in numbers:
        carried = make_mild_actuation(np.random.default_rng([seed, number, 0]), headings(vines), params)
        yield tuple(
            grow_fan(
                make_field(np.random.default_rng([seed, number, 1]), share, name), carried, params, number, threads
            )
            for name, share in SHARES.items()
        )
