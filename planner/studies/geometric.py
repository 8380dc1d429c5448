"""Deployments by geometry: how long they take, whether they lie on the visibility graph, and what quasistatic says of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import shapely

from dynamics.geometric import Geometric
from dynamics.geometric.deployment import Deployment, Launch, deploy, grow
from dynamics.geometric.hinges import FRICTION, Tube
from dynamics.geometric.trace import new_trace
from dynamics.geometric.visibility import visibility_graph
from dynamics.geometric.walls import inflate, inflated
from dynamics.quasistatic import QuasiStatic
from dynamics.vine import Actuation, Rollout, Status, VineParams, VineState, grown_length
from environments import Environment, Obstacles, generate_environment
from planner.bench import machine
from planner.mapping.actions import Actions
from planner.versions import versions
from surrogate.compiled import Floats

RADIUS, LENGTH = 0.01, 1.2
"""Of the tube [m], in places of 1 m by 1 m."""
OBSTACLES, GAP = 10, 0.03
"""In each place, at least so far from each other and from where tubes are launched [m]."""
TIMED, COMPARED = 40, 120
"""Places for timing, and for the comparison."""
EVERY = 19
"""One action of so many is looked for on the visibility graph."""
BATCH, MOST, GROWN, SPACING = 4, 60, 1.5, 0.05
"""Vines compared in each place, the first of them passive; their segments; length, and between records [m]."""


@dataclass(frozen=True, slots=True)
class Timing:
    """All actions in one place."""

    outlines_ms: float
    """To inflate and merge its obstacles."""
    actions_ms: float
    """To deploy all actions, one after the other on one thread."""
    statuses: tuple[int, ...]
    """How many actions ended in each `Status`."""
    looked_for: int
    on_graph: int
    """Of those looked for, the shapes whose links are all lines of sight between corners, base, turn and tip."""
    crossing: int
    """Shapes, of all, that enter an inflated obstacle by more than a micrometre."""
    wrong_length: int
    """Shapes, of all, that are not as long as they are said to have grown, to a micrometre."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One vine grown by geometry without friction, and by quasistatic, which has none."""

    steered: bool
    apart: float
    """Between the tips, at the greatest length that both have a record of [m]; NaN where there is none."""
    touched: bool
    """Whether it met a wall."""
    statuses: tuple[int, int]


def random_place(rng: np.random.Generator) -> Environment:
    """A unit square with ten convex polygons."""
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


def time_places() -> Iterator[Timing]:
    """Time the 570 actions in random places; kernels are compiled first."""
    tube, trace, rng = Tube(RADIUS, FRICTION, RADIUS), new_trace(1), np.random.default_rng(0)
    for number in range(-1, TIMED):
        place = random_place(rng)
        shapes = [shapely.Polygon(corners) for corners in place.obstacles.polygons]
        launches = [Launch(*row) for row in Actions.of(place, "turning", RADIUS, LENGTH).launches.tolist()]
        start = time.perf_counter()
        walls = inflate(shapes, place.bounds, RADIUS)
        outlined = time.perf_counter()
        statuses = [grow(walls, tube, launch, trace) for launch in launches]
        deployed = time.perf_counter()
        if number >= 0:
            every = [deploy(walls, tube, launch) for launch in launches]
            on_graph = [lies_on_graph(shapes, place.bounds, one) for one in every[::EVERY]]
            lines = np.array([shapely.LineString(one.shape) for one in every])
            solid = shapely.union_all(inflated(shapes, place.bounds, RADIUS)).buffer(-1e-6)
            crossing = int(shapely.intersects(lines, solid).sum())
            off = np.abs(shapely.length(lines) - [one.length for one in every])
            yield Timing(
                1e3 * (outlined - start), 1e3 * (deployed - outlined),
                tuple(np.bincount(statuses, minlength=len(Status)).tolist()),
                len(on_graph), sum(on_graph), crossing, int((off > 1e-6).sum()),
            )  # fmt: skip


def lies_on_graph(shapes: Sequence[shapely.Polygon], bounds: Floats, deployment: Deployment) -> bool:
    """Whether all links are edges of the visibility graph of a place with the base, the turn and the tip."""
    graph = visibility_graph(shapes, bounds, RADIUS, deployment.shape)
    return all(graph.has_edge(i, i + 1) for i in range(len(deployment.shape) - 1))


def compare() -> Iterator[list[Pair]]:
    """Grow passive and steered vines by both models, in one place of random clutter after the other."""
    params = VineParams()
    for seed in range(COMPARED):
        rng = np.random.default_rng(seed)
        place = generate_environment(rng, density=0.2, kinds=("boxes", "polygons"))
        pressure = np.zeros((BATCH, MOST))
        for row in pressure[1:]:
            first = rng.integers(2, 30)
            row[first : first + rng.integers(4, 15)] = rng.choice([-1, 1]) * rng.uniform(5e3, 20e3)
        actuation = Actuation(pressure, np.full_like(pressure, 0.05))
        one, other = Geometric(place, params, friction=0.0), QuasiStatic(place, params)
        rollouts = [model.grow(model.start(BATCH, MOST), actuation, GROWN, SPACING) for model in (one, other)]
        yield [_pair(rollouts, b, params) for b in range(BATCH)]


def _pair(rollouts: Sequence[Rollout], b: int, params: VineParams) -> Pair:
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
    return Pair(b > 0, apart, bool(rollouts[0].contact_force[b].any()), (one, other))


def report(timings: Sequence[Timing], pairs: Sequence[Pair], command: str) -> tuple[str, dict[str, Any]]:
    """Tables as Markdown, and what they are made of."""
    actions = sum(timings[0].statuses)
    outlines, deployed = (np.array([getattr(one, name) for one in timings]) for name in ("outlines_ms", "actions_ms"))
    ended = np.sum([one.statuses for one in timings], axis=0)
    looked_for, on_graph = sum(one.looked_for for one in timings), sum(one.on_graph for one in timings)
    lines = [
        "# Deployments by geometry",
        "",
        f"Made by `{command}` on {machine()}; compiling apart. `geometric.png`: some deployments.",
        "",
        f"{len(timings)} random places of 1 m by 1 m with {OBSTACLES} polygons, the {actions} turning actions of paper 003 in each, one",
        f"after the other on one thread: {deployed.mean():.0f} ms ({deployed.min():.0f} to {deployed.max():.0f}), "
        f"{1e3 * deployed.mean() / actions:.0f} microseconds a deployment; the outlines before that, once a",
        f"place, {outlines.mean():.1f} ms. "
        + ", ".join(f"{count} {Status(k).name.lower().replace('_', ' ')}" for k, count in enumerate(ended) if count)
        + ".",
        f"Of {looked_for} shapes, {on_graph} lie on the visibility graph. Of all, {sum(one.crossing for one in timings)} "
        f"cross an obstacle, and {sum(one.wrong_length for one in timings)} are not as long as they say.",
        "",
        "## Against quasistatic",
        "",
        f"Vines of {1e3 * GROWN:g} mm in {COMPARED} places of random clutter, those that met a wall; geometry without friction, as",
        "quasistatic has none. Apart: the tips, at the greatest length that both reached.",
        "",
        "| vines | number | ended alike % | stuck by geometry alone % | apart, median mm | within 10 mm % | within a tube radius % |",
        "|---|---|---|---|---|---|---|",
    ]
    radius = VineParams().radius
    for kind in ("passive", "steered"):
        own = [
            pair for pair in pairs if pair.steered == (kind == "steered") and pair.touched and not np.isnan(pair.apart)
        ]
        apart = np.array([pair.apart for pair in own])
        alike = np.mean([pair.statuses[0] == pair.statuses[1] for pair in own])
        stuck = np.mean([pair.statuses[0] == Status.STALLED != pair.statuses[1] for pair in own])
        shares = [
            100 * alike,
            100 * stuck,
            1e3 * np.median(apart),
            100 * np.mean(apart < 0.01),
            100 * np.mean(apart < radius),
        ]
        lines.append(f"| {kind} | {len(own)} | {' | '.join(f'{share:.1f}' for share in shares)} |")
    lines += [
        "",
        "Stuck by geometry alone: within the critical angle, and where two walls push the tip into each other, it says that the tube",
        "buckles and ends there (paper 003: stuck). Quasistatic's tube, whose moment rises with the bend, buckles and grows on.",
    ]
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "timings": [asdict(one) for one in timings],
        "pairs": [asdict(pair) for pair in pairs],
    }
    return "\n".join(lines) + "\n", content
