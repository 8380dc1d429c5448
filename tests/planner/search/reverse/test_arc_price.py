"""Price of arcs along walls, and arcs that a vine can take."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment
from planner.search.reverse.arc_collision import (
    BLOCKED,
    FREE,
    TOUCH_STEP,
    UNREACHED,
    arc_scene,
    biarc_cost,
    biarc_shares,
    biarc_status,
    touching_share,
)
from planner.search.reverse.arc_price import BEND, STRAIGHT, TURNS, ArcCurvatures, arc_is_possible, arc_price
from planner.search.reverse.biarc import pose_on
from planner.search.sst import LENGTH_COST

MakeEnvironment = Callable[..., Environment]
REACH = 0.7, 3.6
MIRROR = np.array([1.0, -1.0, -1.0])


def test_the_price_is_monotone() -> None:
    """A larger angle costs no less, more wall costs no more; straight arcs are free, curved ones without a wall cost one."""
    turns, shares = np.linspace(0, np.pi, 200), np.linspace(0, 1, 21)
    prices = np.array([[arc_price(turn, share) for share in shares] for turn in turns])
    assert (np.diff(prices, axis=0) >= 0).all()
    assert (np.diff(prices, axis=1) <= 0).all()
    assert (prices[turns <= STRAIGHT] == 0).all()
    assert (prices[turns > STRAIGHT, 0] == 1).all()
    assert prices.min() >= 0
    assert prices[turns > STRAIGHT, -1].min() < 1, "contact saves something"
    assert all(arc_price(-turn, 0.5) == arc_price(turn, 0.5) for turn in TURNS)


@pytest.mark.parametrize("side", [-1, 1])
def test_curvatures_have_two_limits(params: VineParams, side: int) -> None:
    """A curved arc is possible from the least to the largest curvature of the actuators, and with any wall up to another."""
    bends, length = ArcCurvatures.of(REACH, params), 0.5
    touching = BEND / params.radius
    for bend, without, along in [
        (0.99 * REACH[0], False, True),
        (1.01 * REACH[0], True, True),
        (0.99 * REACH[1], True, True),
        (1.01 * REACH[1], False, True),
        (0.99 * touching, False, True),
        (1.01 * touching, False, False),
    ]:
        assert arc_is_possible(bends, side * bend, length, 0.0) == without
        assert arc_is_possible(bends, side * bend, length, 0.2) == along
        assert arc_is_possible(ArcCurvatures.of(REACH, params, contact=False), side * bend, length, 0.0) == without
    assert arc_is_possible(bends, side * 0.99 * STRAIGHT / length, length, 0.0), (
        "an arc that is hardly curved is straight"
    )


@pytest.mark.parametrize("side", [-1, 1])
def test_only_a_wall_outside_the_bend_counts(environment: MakeEnvironment, side: int) -> None:
    """Along a wall an arc leaves it at an angle that follows from the radii; mirrored and reversed it is the same.

    Where it has turned by t, an arc of radius R that began beside the wall, its axis at a distance d, is d + R (1 - cos t) from it.
    The disc of radius r on its outside, with its centre (R + r) cos t nearer than R + d, touches where that is less than r.
    """
    r, turn, away, most = 0.03, 0.2, 0.04, 1.2
    length = most * turn
    scene = arc_scene(environment(walls=[[-1, -away, 1, -away, 0.0]]), r)
    share = np.arccos((away + turn - r) / (turn + r)) / most
    assert 0.2 < share < 0.8
    assert touching_share(scene, r, 0.0, 0.0, 0.0, 1 / turn, length) == pytest.approx(
        share, abs=TOUCH_STEP * r / length
    )
    assert touching_share(scene, r, 0.0, 0.0, np.pi, -1 / turn, length) == pytest.approx(
        share, abs=TOUCH_STEP * r / length
    )
    x, y, heading = pose_on(np.zeros(3), np.array(1 / turn), np.array(length))
    assert touching_share(scene, r, x, y, heading + np.pi, -1 / turn, length) == pytest.approx(
        share, abs=TOUCH_STEP * r / length
    )
    # The same bend with the wall on its inside.
    inside = arc_scene(environment(walls=[[-1, 0.5 * turn, 1, 0.5 * turn, 0.0]]), r)
    assert touching_share(inside, r, 0.0, 0.0, 0.0, 1 / turn, 0.2 * length) == 0
    near = arc_scene(environment(walls=[[-1, side * away, 1, side * away, 0.0]]), r)
    assert (touching_share(near, r, 0.0, 0.0, 0.0, 3.0, 0.05) > 0) == (side < 0)
    assert touching_share(near, r, 0.0, 0.0, 0.0, 0.0, 0.3) == 0, "a straight arc has no outside"


def test_a_biarc_needs_its_wall_outside(environment: MakeEnvironment, params: VineParams) -> None:
    """A bend tighter than the actuators reach is possible only with the wall on its outside, and never through it."""
    bends, r = ArcCurvatures.of(REACH, params), params.clearance
    end = pose_on(np.zeros(3), np.array(6.0), np.array(0.12))
    places = {"outside": -1.2 * r, "inside": 0.12, "through": -0.8 * r, "far": -4 * r}
    found = {}
    for name, y in places.items():
        scene = arc_scene(environment(walls=[[-1, y, 0.08, y, 0.0]]), r)
        status, *prices = biarc_status(scene, r, bends, (0.0, 0.0, 0.0), end)
        found[name] = status
        if status == FREE:
            assert sum(prices) < 2
    assert found == {"outside": FREE, "inside": UNREACHED, "through": BLOCKED, "far": UNREACHED}


def test_mirrored_biarcs_are_alike(environment: MakeEnvironment) -> None:
    """In a mirrored environment the shares of mirrored biarcs are the same."""
    rng, r = np.random.default_rng(0), 0.03
    circles = np.column_stack([rng.uniform(-1, 1, (12, 2)), rng.uniform(0.05, 0.2, 12)])
    poses = rng.uniform([-1, -1, -np.pi], [1, 1, np.pi], (1500, 3))
    ends = poses + rng.uniform([-0.3, -0.3, -1], [0.3, 0.3, 1], (1500, 3))
    one = biarc_shares(arc_scene(environment(circles=circles), r), r, poses, ends)
    mirrored = arc_scene(environment(circles=circles * [1, -1, 1]), r)
    other = biarc_shares(mirrored, r, poses * MIRROR, ends * MIRROR)
    np.testing.assert_allclose(one, other, atol=1e-9)
    assert (np.nan_to_num(one) > 0).sum() > 20


def test_a_biarc_costs_its_actuators_and_its_length(environment: MakeEnvironment, params: VineParams) -> None:
    """In free space two curved arcs cost two actuators, a straight one none, and each metre the hundredth of one."""
    bends, scene = ArcCurvatures.of(REACH, params), arc_scene(environment(), params.clearance)
    assert biarc_cost(scene, params.clearance, bends, LENGTH_COST, (0.0, 0.0, 0.0), (1.5, 0.0, 0.0)) == pytest.approx(
        0.015
    )
    # Two quarter turns to opposite sides, of radius 0.5 m: half a turn of that radius is as long.
    cost = biarc_cost(scene, params.clearance, bends, LENGTH_COST, (0.0, 0.0, 0.0), (1.0, 1.0, 0.0))
    assert cost == pytest.approx(2 + 0.01 * np.pi * 0.5)
    assert biarc_cost(scene, params.clearance, bends, LENGTH_COST, (0.0, 0.0, 0.0), (0.1, 0.1, 0.0)) == np.inf


@pytest.mark.parametrize("second", [False, True])
def test_a_wall_counts_for_the_arc_that_it_is_beside(
    environment: MakeEnvironment, params: VineParams, second: bool
) -> None:
    """Beside the outside of one of two quarter turns, a pillar touches part of that one and nothing of the other."""
    gap, size, corner = params.clearance + 5e-3, 0.1, np.sqrt(0.5)
    # The turns are about (0, 0.5) and (1, 0.5), each of a radius of 0.5 m; the pillar is at the middle of its turn.
    centre, away = (
        (np.array([1.0, 0.5]), np.array([-corner, corner]))
        if second
        else (np.array([0.0, 0.5]), np.array([corner, -corner]))
    )
    pillar = centre + (0.5 + gap + size) * away
    scene = arc_scene(environment(circles=[[*pillar, size]], bounds=(-2, -2, 3, 3)), params.clearance)
    shares = biarc_shares(scene, params.clearance, np.zeros((1, 3)), np.array([[1.0, 1.0, 0.0]]))[:, 0]
    assert 0.1 < shares[int(second)] < 0.6
    assert shares[1 - int(second)] == 0.0
