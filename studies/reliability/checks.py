"""Validity checks of the states of a search, by evaluating their centrelines with shapely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from dynamics.vine import centerlines
from environments import Obstacles
from planner.search.run import Run
from surrogate.kernels.compiled import Floats

TOGETHER = 500
"""Number of nodes whose centrelines are computed in a batch."""
ROUNDING = 1e-9
"""Tolerance of lengths [m]."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of the checks of all nodes of a final search tree, and of all solutions."""

    states: int
    deepest: float
    """Maximum penetration of an obstacle [m]; 0 without contact."""
    faults: list[str]
    """Violations, as text."""


def check_states(run: Run) -> Checked:
    """Check every node of a search tree and every solution: finite numbers, bounds, tips and penetration."""
    tree, start, params = run.search.tree, np.asarray(run.environment.start), run.params
    lines, tips = [], []
    nodes = np.flatnonzero(tree.used)
    for some in np.array_split(nodes, len(nodes) // TOGETHER + 1):
        joints = centerlines(tree.state(some, params.segment_length), start, params)
        lines += [
            line[: count + 1] for line, count in zip(joints, np.maximum(tree.segments[some], 1).tolist(), strict=True)
        ]
        tips += list(tree.tips[some])
    best = [solution.design for solution in run.solutions.best]
    faults = []
    x, y, radius = run.environment.goal
    for design in best:
        if (outside := np.hypot(*(design.centerline[-1] - [x, y])) - radius) > ROUNDING:
            faults.append(f"a solution ends {outside * 1e3:.3g} mm outside the goal")
    deepest, more = check_tubes(
        run.environment.obstacles,
        run.environment.bounds,
        [*lines, *(design.centerline for design in best)],
        np.array([*tips, *(design.tip for design in best)]),
        params.radius,
        params.penetration_tolerance,
    )
    return Checked(len(lines) + len(best), deepest, faults + more)


def check_tubes(
    obstacles: Obstacles, bounds: Floats, lines: list[Floats], tips: Floats, radius: float, tolerance: float
) -> tuple[float, list[str]]:
    """Check tubes by their centrelines.

    Args:
        obstacles: Polygons and circles.
        bounds: Bounds of the environment [m], shape (4,).
        lines: Joints from base to tip of each tube [m], shape (n, 2) each.
        tips: Stored poses of the tips: x [m], y [m] and heading [rad], shape (tubes, 3).
        radius: Radius of the tubes [m].
        tolerance: Maximum permitted penetration of obstacles [m].
    Returns:
        The maximum penetration [m], and the violations.
    """
    finite = np.array([np.isfinite(line).all() for line in lines]) & np.isfinite(tips).all(axis=1)
    faults = [f"{(~finite).sum()} of {len(lines)} states hold numbers that are not finite"] * (not finite.all())
    lines, tips = [line for line, sound in zip(lines, finite, strict=True) if sound], tips[finite]
    if not lines:
        return 0.0, faults
    ends = np.array([line[-1] for line in lines])
    if (apart := np.hypot(*(ends - tips[:, :2]).T).max()) > 1e-6:
        faults.append(f"a tip lies {apart * 1e3:.3g} mm from the end of its centreline")
    low, high = np.array([line.min(axis=0) for line in lines]), np.array([line.max(axis=0) for line in lines])
    beyond = max((bounds[:2] - low).max(), (high - bounds[2:]).max())
    if beyond > ROUNDING:
        faults.append(f"a tube lies {beyond * 1e3:.3g} mm outside the bounds")
    depths = np.maximum(radius - _clearance(obstacles, lines), 0.0)
    if wrong := int((depths > tolerance + ROUNDING).sum()):
        faults.append(f"{wrong} of {len(lines)} states are too deep in an obstacle, up to {1e3 * depths.max():.4g} mm")
    return float(depths.max()), faults


def _clearance(obstacles: Obstacles, lines: list[Floats]) -> Floats:
    """Distance of each line to the nearest obstacle [m], exact for circles too; infinite without obstacles."""
    # A tube of length 0 has two equal points, which shapely accepts as a line.
    indices = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    shapes = shapely.linestrings(np.concatenate(lines), indices=indices)
    distance = np.full(len(lines), np.inf)
    if obstacles.polygons:
        tree = shapely.STRtree([shapely.Polygon(corners) for corners in obstacles.polygons])
        (of, _), nearest = tree.query_nearest(shapes, return_distance=True, all_matches=False)
        distance[of] = nearest
    for x, y, radius in obstacles.circles:
        distance = np.minimum(distance, shapely.distance(shapes, shapely.Point(x, y)) - radius)
    return distance
