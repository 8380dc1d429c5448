"""The mapping experiments of paper 003 (section 4.2): policies, turns, and partial information, in random environments."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import shapely
from shapely.affinity import rotate, scale, translate

from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.mapping.actions import Actions
from planner.mapping.belief import PRIOR
from planner.mapping.grid import CELLS
from planner.mapping.policies import INFORMATION, POLICIES, MappingTask, explore, random_scores
from surrogate.kernels.compiled import Floats, thread_count

KINDS, ACTIONS = ("uniform", "non-uniform"), ("straight", "turning")
RADIUS, LENGTH = 0.01, 1.2
"""Radius and length of the tube [m], in environments of 1 m by 1 m; the paper gives neither."""
DEPLOYMENTS, REPEATS = 20, 100
SIDE = 0.12
"""Side of the uniform squares [m], which the paper does not give."""
OUTSIDE = (-0.1, 0.0, 0.0, 1.1), (1.0, 0.0, 1.1, 1.1), (0.0, 1.0, 1.0, 1.1)
"""Boxes that close an environment on all sides except that of the launch points [m]."""
SIZES = 0.12, 0.28
"""Minimum and maximum square root of a polygon's area [m]."""
CONCAVE = 0.5
"""Share of the polygons that are unions of two hulls."""
LOST = (SIDE, PRIOR, True), (0.16, PRIOR, True), (SIDE, 0.4, True), (SIDE, PRIOR, False)
"""Sides [m], priors, and whether environments are closed: varied because the paper does not give them."""
ROOM = 1 / CELLS
"""Minimum distance between obstacles [m]: one cell, as in the paper."""


@dataclass(frozen=True, slots=True)
class MappingCase:
    """One environment mapped in one way."""

    kind: str
    number: int
    """Number of the environment."""
    actions: str
    policy: str
    information: str = "nominal"
    side: float = SIDE
    """Side of the squares in a uniform environment [m]."""
    prior: float = PRIOR
    closed: bool = True
    """Whether there are walls at the sides of the environment."""


@dataclass(frozen=True, slots=True, eq=False)
class MappingRecord:
    """The result of a case."""

    case: MappingCase
    scores: Floats
    """Scores after each deployment, shape (deployments,); for the random policy the mean of the repeats."""
    spread: Floats
    """Standard deviation over the repeats, the same shape; 0 for the other policies."""
    seconds: float


def cases(environments: int) -> list[MappingCase]:
    """Cases by environment: all policies and actions (Table 1), partial information (Table 2), other sides and priors."""
    several = []
    for k in range(environments):
        several += [
            MappingCase(kind, k, actions, policy) for kind in KINDS for actions in ACTIONS for policy in POLICIES
        ]
        several += [MappingCase("uniform", k, "straight", "monte-carlo", part) for part in INFORMATION[1:]]
        several += [
            MappingCase("uniform", k, "straight", policy, side=side, prior=prior, closed=closed)
            for side, prior, closed in LOST[1:]
            for policy in ("monte-carlo", "random")
        ]
    return several


def keep_whole_environments(records: Sequence[MappingRecord]) -> list[MappingRecord]:
    """Return the records of completed environments, from records in the order of `cases`."""
    each = len(cases(1))
    return list(records[: len(records) // each * each])


def run_cases(
    several: Sequence[MappingCase], deployments: int = DEPLOYMENTS, repeats: int = REPEATS
) -> Iterator[MappingRecord]:
    """Run cases in sequence, with a number of deployments, and of repeats of the random policy."""
    for case in several:
        start = time.perf_counter()
        task = make_task(case.kind, case.number, case.actions, case.side, case.closed).restrict(case.information)
        rng = np.random.default_rng(case.number)
        if case.policy == "random":
            scores = random_scores(task, deployments, repeats, rng, case.prior)
            spread = scores.std(axis=0, ddof=1)
        else:
            steps = explore(task, case.policy, deployments, rng, thread_count(), case.prior)
            scores, spread = np.array([[step.score for step in steps]]), np.zeros(deployments)
        yield MappingRecord(case, scores.mean(axis=0), spread, time.perf_counter() - start)


def time_choice() -> float:
    """Computing time of one choice among all turning actions without prior information [s], excluding compilation."""
    task = make_task("uniform", 0, "turning")
    seconds = []
    for _ in range(4):
        start = time.perf_counter()
        next(explore(task, "monte-carlo", 1, np.random.default_rng(0), thread_count()))
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:]))


@cache
def make_task(kind: str, number: int, actions: str, side: float = SIDE, closed: bool = True) -> MappingTask:
    """Make the mapping task in an environment of the study."""
    drawn = make_environment(kind, number, side, closed)
    return MappingTask.of(drawn, Actions.of(drawn, actions, RADIUS, LENGTH), RADIUS)


def make_environment(kind: str, number: int, side: float = SIDE, closed: bool = True) -> Environment:
    """Make a random environment of 1 m by 1 m: 3 to 5 equal squares, or 3 to 6 polygons, some of them concave.

    Source: paper 003, sections 4.2.1 and 4.2.4. There, obstacles are moved by hand until they are one cell apart; here,
    positions are drawn again until they are.
    """
    rng = np.random.default_rng([KINDS.index(kind), number])
    start = np.array([0.5, 0.0, np.pi / 2])
    launch = shapely.MultiPoint([(1 / 3, 0), (2 / 3, 0)])
    count = rng.integers(3, 6 if kind == "uniform" else 7)
    shapes: list[shapely.Polygon] = []
    while len(shapes) < count:
        shape = _square(rng, side) if kind == "uniform" else _polygon(rng)
        low_x, low_y, high_x, high_y = shape.bounds
        shape = translate(shape, rng.uniform(-low_x, 1 - high_x), rng.uniform(-low_y, 1 - high_y))
        if shapely.distance(shape, shapely.union_all([launch, *shapes])) >= ROOM:
            shapes.append(shape)
    corners = [np.array(shape.exterior.coords)[:-1] for shape in shapes]
    corners += [box_corners(*box) for box in OUTSIDE] if closed else []
    name, goal = f"{kind} {number + 1}", np.array([0.5, 1.0, 0.05])
    return Environment(name, "", np.array([0.0, 0.0, 1.0, 1.0]), start, goal, Obstacles(tuple(corners)))


def _square(rng: np.random.Generator, side: float) -> shapely.Polygon:
    return rotate(shapely.box(0, 0, side, side), rng.uniform(0, 90))


def _polygon(rng: np.random.Generator) -> shapely.Polygon:
    """Return the hull of random points, or the union of two such hulls that overlap, scaled."""
    shape = shapely.MultiPoint(rng.normal(size=(8, 2))).convex_hull
    if rng.random() < CONCAVE:
        other = shapely.MultiPoint(rng.normal(size=(8, 2))).convex_hull
        way = rng.uniform(0, 2 * np.pi)
        # Hulls of eight normal points have a radius of about 1.2; at this distance they overlap and form a notch.
        both = shape.union(translate(other, 2 * np.cos(way), 2 * np.sin(way)))
        shape = both if isinstance(both, shapely.Polygon) and not both.interiors else shape
    factor = rng.uniform(*SIZES) / np.sqrt(shape.area)
    return scale(shape, factor, factor)
