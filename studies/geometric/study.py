"""The geometric simulator: its speed, whether shapes lie on the visibility graph, and a comparison with quasistatic."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
import shapely

from dynamics.geometric.deployment import Deployment, Launch, deploy, grow
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.propagator import Geometric
from dynamics.geometric.trace import new_trace
from dynamics.geometric.walls import inflate_obstacles, inflate_to_walls
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, grown_length
from environments import Environment, Obstacles, generate_environment
from environments.roadmap import visibility_graph
from planner.mapping.actions import Actions
from surrogate.kernels.compiled import Floats

RADIUS, LENGTH = 0.01, 1.2
"""Radius and length of the tube [m], in environments of 1 m by 1 m."""
OBSTACLES, GAP = 10, 0.03
"""Number of obstacles in each environment, and their minimum distance from each other and from launch points [m]."""
TIMED, COMPARED = 40, 120
"""Number of environments for timing and for the comparison."""
EVERY = 19
"""One in this many actions is checked on the visibility graph."""
SAME = 1e-6
"""Distance below which points are considered equal [m]."""
BATCH, MOST, GROWN, SPACING = 4, 60, 1.5, 0.05
"""Comparison: vines per environment, the first of them passive; their segments, length [m] and record spacing [m]."""


@dataclass(frozen=True, slots=True)
class ActionTiming:
    """All actions in one environment."""

    outlines_ms: float
    """Time to inflate and merge the obstacles [ms]."""
    actions_ms: float
    """Time to deploy all actions in sequence on one thread [ms]."""
    statuses: tuple[int, ...]
    """Number of actions with each `Status`."""
    looked_for: int
    """Number of shapes checked on the visibility graph."""
    on_graph: int
    """Number of these that are paths on the environment's visibility graph; see `lies_on_graph`."""
    crossing: int
    """Number of all shapes that enter an inflated obstacle by more than a micrometre."""
    wrong_length: int
    """Number of all shapes whose length differs from the reported grown length by more than a micrometre."""


@dataclass(frozen=True, slots=True)
class VinePair:
    """One vine grown by geometric without friction and by quasistatic, which has no friction."""

    steered: bool
    apart: float
    """Distance between the tips at the last length recorded by both [m]; NaN if there is none."""
    touched: bool
    """Whether the vine touched a wall."""
    statuses: tuple[int, int]


def cases() -> list[str]:
    """Return the measurement in each environment: first the timings, then the comparisons."""
    return ["timing"] * TIMED + ["comparison"] * COMPARED


def run_cases(several: Sequence[str]) -> Iterator[ActionTiming | list[VinePair]]:
    """Timings, then pairs of vines, one item per environment."""
    yield from islice(time_environments(), several.count("timing"))
    yield from islice(compare_models(), several.count("comparison"))


def split_items(found: Sequence[ActionTiming | list[VinePair]]) -> tuple[list[ActionTiming], list[VinePair]]:
    """Separate timings from pairs."""
    pairs = [pair for one in found if isinstance(one, list) for pair in one]
    return [one for one in found if isinstance(one, ActionTiming)], pairs


def make_polygons(rng: np.random.Generator) -> Environment:
    """Make a unit square with ten convex polygons."""
    shapes: list[shapely.Polygon] = []
    launches = [shapely.Point(share, 0).buffer(2 * GAP) for share in (1 / 3, 2 / 3)]
    while len(shapes) < OBSTACLES:
        points = rng.uniform(0.1, 0.9, 2) + rng.uniform(-0.08, 0.08, (7, 2))
        shape = shapely.convex_hull(shapely.MultiPoint(points))
        if all(shape.distance(other) > GAP for other in [*shapes, *launches]):
            shapes.append(shape)
    corners = tuple(shapely.get_coordinates(shape)[:-1] for shape in shapes)
    start, goal = np.array([0.5, 0, np.pi / 2]), np.array([0.5, 1, 0.1])
    return Environment("polygons", "", np.array([0.0, 0, 1, 1]), start, goal, Obstacles(corners))


def time_environments() -> Iterator[ActionTiming]:
    """Time the 570 actions in random environments; kernels are compiled first."""
    tube, trace, rng = HingeTube(RADIUS, FRICTION, RADIUS), new_trace(1), np.random.default_rng(0)
    for number in range(-1, TIMED):
        environment = make_polygons(rng)
        shapes = [shapely.Polygon(corners) for corners in environment.obstacles.polygons]
        launches = [Launch(*row) for row in Actions.of(environment, "turning", RADIUS, LENGTH).launches.tolist()]
        start = time.perf_counter()
        walls = inflate_to_walls(shapes, environment.bounds, RADIUS)
        outlined = time.perf_counter()
        statuses = [grow(walls, tube, launch, trace) for launch in launches]
        deployed = time.perf_counter()
        if number >= 0:
            every = [deploy(walls, tube, launch) for launch in launches]
            pairs = zip(launches[::EVERY], every[::EVERY], strict=True)
            on_graph = [lies_on_graph(shapes, environment.bounds, launch, one) for launch, one in pairs]
            lines = np.array([shapely.LineString(one.shape) for one in every])
            solid = shapely.union_all(inflate_obstacles(shapes, environment.bounds, RADIUS)).buffer(-1e-6)
            crossing = int(shapely.intersects(lines, solid).sum())
            off = np.abs(shapely.length(lines) - [one.length for one in every])
            yield ActionTiming(
                1e3 * (outlined - start), 1e3 * (deployed - outlined),
                tuple(np.bincount(statuses, minlength=len(Status)).tolist()),
                len(on_graph), sum(on_graph), crossing, int((off > 1e-6).sum()),
            )  # fmt: skip


def lies_on_graph(shapes: Sequence[shapely.Polygon], bounds: Floats, launch: Launch, deployment: Deployment) -> bool:
    """Return whether a shape is a path from base to tip on the visibility graph of the environment.

    The graph's nodes are the corners of the inflated obstacles, the base, the tip, and the turn if the launch has one, because
    that bend is preformed. Any other bend must be at a corner.
    """
    base, *bends, tip = deployment.shape
    turn = _turn_of(launch, deployment)
    free = [base, tip, *(bend for bend in bends if turn is not None and np.hypot(*(bend - turn)) < SAME)]
    graph = visibility_graph(inflate_obstacles(shapes, bounds, RADIUS), np.array(free))
    nodes = np.array([graph.nodes[i]["position"] for i in range(graph.number_of_nodes())])
    apart = np.hypot(*(deployment.shape[:, None] - nodes).transpose(2, 0, 1))
    on, found = apart.argmin(axis=1), apart.min(axis=1)
    on[0], on[-1] = 0, 1
    return bool((found < SAME).all()) and all(graph.has_edge(*link) for link in pairwise(on.tolist()))


def _turn_of(launch: Launch, deployment: Deployment) -> Floats | None:
    """Position of the launch's turn [m]; None if there is no turn, or the tube ended before it."""
    if launch.turn == 0 or launch.turn_at >= deployment.length:
        return None
    line = shapely.LineString(deployment.shape)
    return np.array(line.interpolate(launch.turn_at).coords[0])


def compare_models() -> Iterator[list[VinePair]]:
    """Grow passive and steered vines with both models in random environments, in sequence; actuators are thin in both."""
    params = VineParams(thickness_share=0.0)
    for seed in range(COMPARED):
        rng = np.random.default_rng(seed)
        environment = generate_environment(rng, density=0.2, kinds=("boxes", "polygons"))
        pressure = np.zeros((BATCH, MOST))
        for row in pressure[1:]:
            first = rng.integers(2, 30)
            row[first : first + rng.integers(4, 15)] = rng.choice([-1, 1]) * rng.uniform(5e3, 20e3)
        actuation = Actuation(pressure, np.full_like(pressure, 0.05))
        one, other = Geometric(environment, params, friction=0.0), QuasiStatic(environment, params)
        rollouts = [model.grow(model.start(BATCH, MOST), actuation, GROWN, SPACING) for model in (one, other)]
        yield [_pair(rollouts, b, params) for b in range(BATCH)]


def _pair(rollouts: Sequence[Rollout], b: int, params: VineParams) -> VinePair:
    lengths = []
    for rollout in rollouts:
        state = VineState(rollout.angles[b], rollout.segments[b], rollout.last_length[b])
        lengths.append(grown_length(state, params)[: rollout.records[b]])
    same = np.argwhere(np.abs(np.subtract.outer(*lengths)) < 1e-6)
    apart = np.nan
    if len(same):
        tips = [rollout.tips[b, k, :2] for rollout, k in zip(rollouts, same[-1], strict=True)]
        apart = float(np.hypot(*(tips[0] - tips[1])))
    one, other = (int(rollout.status[b]) for rollout in rollouts)
    return VinePair(b > 0, apart, bool(rollouts[0].contact_force[b].any()), (one, other))
