"""A base that is mounted in a wall: in every propagator with contact, that wall does not touch the tube's first diameter."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from dynamics.propagator import CannotRun
from dynamics.registry import load_propagator
from dynamics.vine import Rollout, Status, centerlines, to_host
from environments import Environment, Obstacles
from tests.dynamics.passive import PARAMS, grown

R = PARAMS.radius
WALL = (-0.2, -0.5, 0.0, 0.5)
"""A wall whose face lies on the y axis."""
AHEAD, BRIDGE = (0.2, -0.3, 0.3, 0.3), (-0.2, 0.3, 0.3, 0.4)
"""A box ahead of a base in the wall, and one that joins both."""
TOUCHING = "quasistatic", "impulse", "penalty", "geometric"
pytestmark = pytest.mark.usefixtures("single_thread")


def in_wall(boxes: Sequence[Sequence[float]], start: Sequence[float], **standing: Any) -> Environment:
    standing = {"mount": "wall", **standing}
    return Environment("wall", "", (-1, -1, 1, 1), start, (0.5, 0, 0.1), Obstacles(boxes=boxes), **standing)


def line_of(rollout: Rollout, environment: Environment) -> np.ndarray:
    """The last centreline [m], shape (n, 2)."""
    state = rollout.state(np.zeros(1, int), rollout.records - 1)
    line = centerlines(state, environment.start, PARAMS)[0]
    return np.asarray(line[~np.isnan(line[:, 0])])


@pytest.mark.parametrize("name", TOUCHING)
@pytest.mark.parametrize("depth", [0.0, 5e-3, R])
def test_leaves_its_wall_as_if_there_were_none(name: str, depth: float) -> None:
    """From the face, from 5 mm or from a radius inside, a tube grows straight out and feels nothing; a free one cannot."""
    rollout = grown(name, in_wall([WALL], (-depth, 0, 0)), 0.15)
    assert rollout.status[0] == Status.GROWN
    np.testing.assert_allclose(rollout.tips[0, :12, 0], 0.0125 * np.arange(1, 13) - depth, atol=1e-7)
    assert np.abs(rollout.tips[0, :12, 1:]).max() < 1e-7
    assert np.abs(to_host(rollout.contact_force)).max() < 1e-6


@pytest.mark.parametrize("name", TOUCHING[:3])
def test_free_base_at_the_same_point_has_no_room(name: str) -> None:
    """Without the mount the wall holds the tube from the first millimetre on."""
    assert grown(name, in_wall([WALL], (0, 0, 0), mount="free"), 0.05).status[0] != Status.GROWN


@pytest.mark.parametrize("name", TOUCHING)
@pytest.mark.parametrize("boxes", [(WALL, AHEAD), (WALL, AHEAD, BRIDGE)])
def test_everything_ahead_still_holds_the_tip(name: str, boxes: Sequence[Sequence[float]]) -> None:
    """Another obstacle counts, and so does the mount itself after the first diameter: here a part of it ahead of the base."""
    environment = in_wall(boxes, (0, 0, 0))
    assert environment.mounted.sum() == (1 if len(boxes) == 2 else 3)
    rollout = grown(name, environment, 0.2)
    records = rollout.records[0]
    assert rollout.status[0] != Status.GROWN
    assert 0.2 - R - 0.0126 < rollout.tips[0, records - 1, 0] < 0.2 - R + PARAMS.penetration_tolerance


@pytest.mark.parametrize("name", TOUCHING)
def test_tube_that_leaves_obliquely_lies_on_the_face_after_its_first_diameter(name: str) -> None:
    """At 15 degrees from the face, its axis would be half a radius from it after a diameter; it is pressed off to a whole one."""
    environment = in_wall([WALL], (0, 0, np.radians(75)))
    rollout = grown(name, environment, 0.2)
    line = line_of(rollout, environment)
    assert rollout.status[0] == Status.GROWN
    # A joint of a segment that ends just before the diameter is not held yet.
    beyond = np.hypot(*line.T) > 2 * R
    assert line[beyond, 0].min() > R - 1.2 * PARAMS.penetration_tolerance
    assert line[beyond, 0].min() < R + 0.2 * R
    assert np.sin(np.radians(15)) * 0.2 < line[-1, 0] - 0.02


@pytest.mark.parametrize("name", TOUCHING)
def test_comes_out_of_the_wall_around_the_bounds(name: str) -> None:
    """Bounds that are walls are a mount like any other."""
    bounds = Environment("walls", "", (0, -1, 1, 1), (0, 0.2, 0), (0.5, 0, 0.1), mount="wall", edge="wall")
    rollout = grown(name, bounds, 0.15)
    assert rollout.status[0] == Status.GROWN
    np.testing.assert_allclose(rollout.tips[0, 11], [0.15, 0.2, 0], atol=1e-7)


@pytest.mark.parametrize("name", TOUCHING)
def test_base_beside_the_bounds_does_not_leave_them(name: str) -> None:
    """The first diameter may be out of bounds, by which a displaced base is; the rest of the tube may not."""
    environment = in_wall([WALL], (0, 0, 0))
    outside = Environment(
        "", "", (2e-3, -1, 1, 1), environment.start, environment.goal, environment.obstacles, mount="wall"
    )
    assert grown(name, outside, 0.1).status[0] == Status.GROWN
    far = Environment("", "", (0.1, -1, 1, 1), environment.start, environment.goal, environment.obstacles, mount="wall")
    assert grown(name, far, 0.1).status[0] == Status.OUT_OF_BOUNDS


def test_arc_in_free_space_refuses_walls_as_bounds() -> None:
    """`euler-lagrange` knows no contact."""
    model: Callable[..., Any] = load_propagator("euler-lagrange")
    with pytest.raises(CannotRun, match="walls has walls as bounds, which euler-lagrange does not support"):
        model(Environment("walls", "", (0, -1, 1, 1), (0.5, 0.2, 0), (0.5, 0, 0.1), edge="wall"), PARAMS)
