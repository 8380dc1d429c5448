"""Collision checks of tubes along arcs."""

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles, load_environment
from environments.generate import generate_environment
from planner.search.reverse.arc_collision import (
    BLOCKED,
    FREE,
    LEAST_STEP,
    LOOK_AHEAD,
    UNREACHED,
    arc_is_free,
    arc_scene,
    biarc_status,
    gap,
)
from planner.search.reverse.arc_price import STRAIGHT, ArcCurvatures
from planner.search.reverse.biarc import biarcs, pose_on

RADIUS = 0.03


def clearance_along(environment: Environment, pose: np.ndarray, curvature: float, length: float) -> float:
    """Minimum distance of an arc from all obstacles [m], by shapely; negative if it leaves the bounds."""
    along = np.linspace(0, length, max(int(length / 0.5e-3), 2))
    points = pose_on(np.broadcast_to(pose, (len(along), 3)), np.full(len(along), curvature), along)[:, :2]
    line = shapely.LineString(points)
    if not shapely.box(*environment.bounds).covers(line):
        return -1.0
    return min((shape.distance(line) for shape in environment.obstacles.shapes()), default=np.inf)


CLUTTER = generate_environment(np.random.default_rng(3), density=0.3)


@pytest.mark.parametrize(
    "environment", [*map(load_environment, ["maze", "tube", "spiral"]), CLUTTER], ids=lambda e: e.name
)
def test_arcs_agree_with_shapely(environment: Environment) -> None:
    """Random arcs from free poses: penetrations over one millimetre are detected, arcs without contact are free."""
    rng = np.random.default_rng(1)
    scene, found = arc_scene(environment, RADIUS), [0, 0]
    low, high = environment.bounds[:2], environment.bounds[2:]
    for _ in range(400):
        pose = np.array([*rng.uniform(low, high), rng.uniform(-np.pi, np.pi)])
        if environment.obstacles.clearance(pose[:2]) < RADIUS:
            continue
        curvature, length = rng.uniform(-4, 4), rng.uniform(0, 0.5)
        least = clearance_along(environment, pose, curvature, length)
        if abs(least - RADIUS) > LEAST_STEP / 2 + 1e-4:
            assert arc_is_free(scene, RADIUS, *pose, curvature, length) == (least > RADIUS)
            found[least > RADIUS] += 1
    assert min(found) > 20


def test_gap_is_the_distance_left() -> None:
    """At free points the gap is the clearance minus the radius, up to the look-ahead, also for round obstacles."""
    environment, rng = CLUTTER, np.random.default_rng(2)
    assert len(environment.obstacles.circles)
    scene = arc_scene(environment, RADIUS)
    points = rng.uniform(environment.bounds[:2], environment.bounds[2:], (300, 2))
    clearance = environment.obstacles.clearance(points)
    for point, left in zip(points[clearance > 0], clearance[clearance > 0], strict=True):
        assert gap(scene, RADIUS, *point) == pytest.approx(min(left - RADIUS, LOOK_AHEAD), abs=1e-4)


def test_status_of_biarcs() -> None:
    """Without contact UNREACHED has priority over BLOCKED; a biarc is FREE only if both arcs are, and then it has a price."""
    environment, rng = load_environment("building"), np.random.default_rng(3)
    bends = ArcCurvatures(0.7, 3.6, 0.0)
    scene, seen = arc_scene(environment, RADIUS), dict.fromkeys((FREE, UNREACHED, BLOCKED), 0)
    for _ in range(800):
        start = np.array([*rng.uniform([0.3, 2.0], [4.5, 2.6]), rng.uniform(-np.pi, np.pi)])
        end = start + rng.uniform([-1, -1, -2], [1, 1, 2])
        arcs = biarcs(start, end)
        status, *prices = biarc_status(scene, RADIUS, bends, tuple(start), tuple(end))
        seen[status] += 1
        bend, curved = np.abs(arcs.curvature), np.abs(arcs.sweep) > STRAIGHT
        assert prices == (curved.tolist() if status == FREE else [np.inf, np.inf])
        if bend.max() > 3.6 or (bend < 0.7)[curved].any():
            assert status == UNREACHED
            continue
        joint = pose_on(start, arcs.curvature[0], arcs.length[0])
        least = min(
            clearance_along(environment, pose, float(arcs.curvature[k]), float(arcs.length[k]))
            for k, pose in enumerate((start, joint))
        )
        if abs(least - RADIUS) > LEAST_STEP / 2 + 1e-4:
            assert status == (FREE if least > RADIUS else BLOCKED)
    assert min(seen.values()) > 20


def test_arcs_may_leave_the_wall_in_which_the_base_is_mounted() -> None:
    """Within the first diameter from the base the mount does not count, elsewhere and for a free base it does."""
    obstacles = Obstacles(boxes=[(0.0, 0.0, 0.2, 1.0), (0.5, 0.3, 0.6, 0.5)])
    bounds, start, goal = (0, 0, 1, 1), (0.2, 0.4, 0.0), (0.8, 0.8, 0.05)
    mounted = arc_scene(Environment("", "", bounds, start, goal, obstacles, mount="wall"), RADIUS)
    free = arc_scene(Environment("", "", bounds, start, goal, obstacles), RADIUS)
    assert arc_is_free(mounted, RADIUS, *start, 0.0, 0.3 - RADIUS - 1e-3)
    assert not arc_is_free(mounted, RADIUS, *start, 0.0, 0.3 - RADIUS + 3e-3)  # the box ahead
    assert not arc_is_free(free, RADIUS, *start, 0.0, 0.1)
    assert arc_is_free(mounted, RADIUS, 0.195, 0.4, 0.0, 0.0, 0.1) is False  # behind the base
    assert not arc_is_free(mounted, RADIUS, 0.2 + RADIUS, 0.6, np.pi, 0.0, 0.1)  # elsewhere into the mount
    assert not arc_is_free(mounted, RADIUS, 0.2 + RADIUS / 2, 0.4, np.pi / 2, 0.0, 0.1)  # along its face


def test_arcs_stay_a_radius_from_the_edge_of_a_table() -> None:
    """The whole tube must be on the table, but for the first diameter from a base on its edge; walls are obstacles."""
    start, goal = (0.5, 0.0, np.pi / 2), (0.8, 0.8, 0.05)
    for edge, margin in (("open", 0.0), ("table", RADIUS), ("wall", RADIUS)):
        scene = arc_scene(Environment("", "", (0, 0, 1, 1), start, goal, edge=edge), RADIUS)
        for beyond, expected in ((-3e-3, True), (3e-3, False)):
            assert arc_is_free(scene, RADIUS, 0.3, 0.3, 0.0, 0.0, 0.7 - margin + beyond) == expected
            assert arc_is_free(scene, RADIUS, 0.3, 0.3, np.pi, 0.0, 0.3 - margin + beyond) == expected
        assert arc_is_free(scene, RADIUS, *start, 0.0, 0.2) == (edge != "wall")
        assert arc_is_free(scene, RADIUS, 0.1, 0.0, np.pi / 2, 0.0, 0.2) == (edge == "open")
