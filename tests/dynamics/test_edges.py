"""Edges of the bounds: open, the edge of a table, or walls, in every propagator."""

from typing import Any

import numpy as np
import pytest

from dynamics.chain import forward_kinematics, new_chain, outside
from dynamics.registry import propagators
from dynamics.scene import build_scene
from dynamics.table_edge import TableEdge, overhangs
from dynamics.vine import Status, to_host
from environments import Environment, Obstacles
from tests.dynamics.passive import PARAMS, grown

R = PARAMS.radius
pytestmark = pytest.mark.usefixtures("single_thread")


def within(edge: str, start: tuple[float, float, float], boxes: Any = (), far: float = 1.0) -> Environment:
    return Environment("bounds", "", (0, 0, far, 1), start, (0.5, 0, 0.1), Obstacles(boxes=boxes), edge=edge)


@pytest.mark.parametrize("name", propagators())
def test_side_of_the_tube_must_stay_on_a_table(name: str) -> None:
    """Along the edge, 1 mm nearer than a radius is refused, 1 mm farther is not; open bounds hold the axis only."""
    for edge, distance, ends in (
        ("table", R - 1e-3, Status.OUT_OF_BOUNDS),
        ("table", R + 1e-3, Status.GROWN),
        ("open", R - 1e-3, Status.GROWN),
    ):
        start = (0.3, distance, 0) if distance > R else (1 - distance, 0.3, np.pi / 2)
        assert grown(name, within(edge, start), 0.1).status[0] == ends


@pytest.mark.parametrize("name", propagators())
def test_tip_of_the_tube_must_stay_on_a_table(name: str) -> None:
    """Towards the edge, its round cap ends the growth a radius before the axis is there."""
    for edge, most in (("table", 0.105 - R), ("open", 0.105)):
        rollout = grown(name, within(edge, (0.895, 0.5, 0)), 0.125)
        assert rollout.status[0] == Status.OUT_OF_BOUNDS
        assert rollout.records[0] == int(most / 0.0125)


@pytest.mark.parametrize("name", propagators())
@pytest.mark.parametrize("tilt", [0.0, 20.0])
def test_base_may_stand_on_the_edge_of_a_table(name: str, tilt: float) -> None:
    """It has no cap behind it, and the first diameter may hang over the edge that it heads away from."""
    start = (0, 0.5, np.radians(tilt)) if tilt else (0.3, 1, -np.pi / 2)
    assert grown(name, within("table", start), 0.1).status[0] == Status.GROWN


@pytest.mark.parametrize("name", propagators())
def test_base_on_the_edge_of_a_table_must_head_away_from_it(name: str) -> None:
    """At 15 degrees from the edge, the side still hangs over it, by R cos 15 - 2 R sin 15, after the first diameter."""
    rollout = grown(name, within("table", (0.3, 0, np.radians(15))), 0.1)
    assert rollout.status[0] == Status.OUT_OF_BOUNDS
    assert 5 <= rollout.records[0] <= 6  # it is refused in the segment in which the first diameter ends, or after it


@pytest.mark.parametrize("name", propagators()[:4])
def test_wall_around_the_bounds_is_a_wall(name: str) -> None:
    """A vine that meets it grows exactly as at a box with the same face, and on past it in open bounds."""
    start = (0.9, 0.5, 1.0)
    wall = grown(name, within("wall", start), 0.25)
    box = grown(name, within("open", start, [(1, -0.1, 1.1, 1.1)], far=1.1), 0.25)
    assert wall.status[0] == box.status[0] != Status.OUT_OF_BOUNDS
    count = wall.records[0]
    assert count == box.records[0] > 8
    np.testing.assert_allclose(wall.tips[0, :count], box.tips[0, :count], atol=1e-9)
    np.testing.assert_allclose(to_host(wall.angles)[0, :count], to_host(box.angles)[0, :count], atol=1e-9)
    np.testing.assert_allclose(to_host(wall.contact_force)[0, :count], to_host(box.contact_force)[0, :count], atol=1e-5)
    assert np.abs(wall.tips[0, count - 1, 2] - 1.0) > 0.1  # it has been turned aside
    assert grown(name, within("open", start), 0.25).status[0] == Status.OUT_OF_BOUNDS


def bodies(joints: np.ndarray, heading: np.ndarray) -> np.ndarray:
    """Points on the outline of a tube: its sides, the outer sides of its bends and its cap, shape (n, 2)."""
    points = []
    for i, turned in enumerate(heading):
        normal = R * np.array([-np.sin(turned), np.cos(turned)])
        points += [joints[i] + normal, joints[i] - normal, joints[i + 1] + normal, joints[i + 1] - normal]
        after = heading[i + 1] if i + 1 < len(heading) else None
        angles = np.linspace(turned - np.pi / 2, turned + np.pi / 2, 721)
        if after is not None:  # from the normal of one segment to that of the next, on the outer side
            outer = -np.sign(after - turned) * np.pi / 2
            angles = np.linspace(turned + outer, after + outer, 200)
        points += list(joints[i + 1] + R * np.stack([np.cos(angles), np.sin(angles)], axis=1))
    return np.array(points)


def test_overhang_is_that_of_the_whole_body() -> None:
    """Random bent tubes hang over an edge where their outline does, in the kernel and in the array form alike."""
    rng, full, segments = np.random.default_rng(4), 0.05, 8
    found = []
    for _ in range(400):
        angles = rng.normal(0, 0.7, segments)
        heading = 0.3 + np.cumsum(angles)
        count, last = int(rng.integers(1, segments + 1)), float(rng.uniform(0.01, full))
        length = np.where(np.arange(segments) < count - 1, full, np.where(np.arange(segments) == count - 1, last, 0.0))
        start = np.array([0.5, 0.5, 0.3])
        moves = length[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
        joints = np.concatenate([start[None, :2], start[:2] + np.cumsum(moves, axis=0)])
        outline = bodies(joints[: count + 1], heading[:count])
        side = int(rng.integers(4))
        farthest = (outline.min(axis=0), outline.max(axis=0))[side // 2][side % 2]
        margin = float(rng.choice([-2e-3, 2e-3]))
        bounds = np.array([-1.0, -1.0, 2.0, 2.0])
        bounds[side] = farthest + (1 if side > 1 else -1) * margin
        # What hangs over within the first diameter of a tube that heads away from the edge does not count: keep off it.
        outward = (1 if side > 1 else -1) * (np.cos(heading), np.sin(heading))[side % 2][:count]
        if (outward[: int(np.ceil(2 * R / full))] < 0).any():
            continue
        environment = Environment("", "", bounds, start, (0.5, 0.5, 0.1), edge="table")
        scene, chain = build_scene(environment, 0.1, 0.1, radius=R), new_chain(segments)
        forward_kinematics(chain, angles, np.zeros(segments), start, count, last, full)
        over = outside(scene, chain, count)
        array = overhangs(
            TableEdge(bounds, R), joints[None, :, 0], joints[None, :, 1], np.cos(heading)[None], np.sin(heading)[None],
            length[None], np.array([[count - 1]]),
        )  # fmt: skip
        assert over == array.any() == (margin < 0)
        found.append(over)
    assert 20 < sum(found) < len(found) - 20
