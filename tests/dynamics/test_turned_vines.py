"""Vines with one turn that meet a wall: what gives way, against limit analysis and closed forms."""

import numpy as np
import pytest
import shapely

from dynamics.geometric.body import BASE, FREE, insert, new_body
from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.hinges import SLIDES, HingeTube, give_way, weakest
from dynamics.geometric.kinematics import Behaviour, behaviour, hinge_boundaries
from dynamics.geometric.walls import inflate_to_walls
from dynamics.vine import Status

RADIUS = 0.03
BOUNDS = np.array([-2.0, -2.0, 2.0, 2.0])
SMOOTH = HingeTube(RADIUS, 0.0, 1e-6)
"""Slender and without friction."""


def against_a_wall(
    turn: float,
    ratio: float,
    angle: float,
    tube: HingeTube,
    more: float,
    *others: shapely.Polygon,
    bounds: tuple[float, float, float, float] = (-20, -20, 20, 20),
    after: float = 0.8,
) -> Deployment:
    """A vine that has met a flat wall under a contact angle, `after` [m] beyond its turn, and has grown by `more` since."""
    tip = after * np.array([ratio + np.cos(turn), np.sin(turn)])
    tangent = np.array([np.cos(turn + angle), np.sin(turn + angle)])
    normal = np.array([-tangent[1], tangent[0]])  # out of the wall
    near = tip - tube.radius * normal
    corners = near + np.array([[-9.0, 0], [9, 0], [9, -0.5], [-9, -0.5]]) @ np.array([tangent, normal])
    walls = inflate_to_walls([shapely.Polygon(corners), *others], np.array(bounds, float), tube.radius)
    return deploy(walls, tube, Launch(0, 0, 0, (ratio + 1) * after + more, ratio * after, turn))


def seen(deployment: Deployment, turn: float) -> Behaviour:
    """Find the part that has given way."""
    (before, after), side = np.diff(deployment.shape, axis=0), np.sign(turn)
    aside = side * np.arctan2(before[1], before[0])
    bend = side * np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after)
    if deployment.status == Status.STALLED or (aside < -1e-9 and bend > abs(turn) + 1e-9):
        return Behaviour.FRICTION_LOCKED
    if abs(aside) > 1e-9:
        assert bend == pytest.approx(abs(turn), abs=1e-9)
        return Behaviour.POSITIVE_PIVOT if aside > 0 else Behaviour.NEGATIVE_PIVOT
    assert bend > abs(turn)
    return Behaviour.PIVOT_AT_TURN


def test_turned_vine_gives_way_as_limit_analysis_has_it() -> None:
    """At random turns, ratios, frictions and slendernesses the hinge that turns is that of `hinge_boundaries`, all four kinds."""
    rng, found = np.random.default_rng(3), []
    while len(found) < 300:
        turn, ratio = rng.choice([-1, 1]) * rng.uniform(0.1, 1.2), rng.uniform(0.3, 3)
        friction, slenderness, angle = rng.uniform(0, 0.6), rng.choice([1e-6, 0.03, 0.1]), rng.uniform(0.1, 3.0)
        # The base must be before the wall, and clear of the edge of a boundary.
        clear = ratio * np.sin(turn + angle) + np.sin(angle) > 0.1
        limits = hinge_boundaries(friction, turn, ratio, slenderness)
        if not clear or np.abs(limits - angle).min() < 0.01:
            continue
        tube = HingeTube(1e-3, friction, slenderness * 0.8)
        deployment = against_a_wall(turn, ratio, angle, tube, 2e-4)
        found.append(Behaviour(int(behaviour(angle, limits))))
        assert seen(deployment, turn) == found[-1], (turn, ratio, friction, slenderness, angle)
        # A slender tube does not buckle: locked, it folds and grows on.
        assert deployment.status == Status.GROWN or slenderness > 1e-3
    assert set(found) == set(Behaviour)


@pytest.mark.parametrize(("excess", "hinge", "turn"), [(0.0, 0, -1), (0.3, 1, -1), (-0.3, 0, -1)])
def test_what_has_bent_springs_back_first(excess: float, hinge: int, turn: int) -> None:
    """Pushed to the right, a turn to the left opens if it is bent by more than its own; otherwise the base gives way."""
    body = new_body(1)
    insert(body, 0, 0.0, 0.0, 0.0, 0.0, BASE)
    insert(body, 1, 1.0, 0.0, 0.5, 0.5, FREE)
    body.bend[1] += excess
    body.grown[:] = 1.0, 2.0
    found, side, lever = weakest(body, 0.0, -1.0, 0)
    assert (found, side) == (hinge, turn)
    assert lever == (np.inf if hinge else pytest.approx(1 + np.cos(0.5)))


def test_pressed_corner_holds_both_ways() -> None:
    """A tip pushes its end of a body to the right of a corner, all of it to the left onto the corner: it bends at the corner."""
    body, heading = new_body(1), -0.3
    ahead = np.array([np.cos(heading), np.sin(heading)])
    corner = np.array([1.0, 0.0]) + 0.2 * ahead
    insert(body, 0, 0.0, 0.0, 0.0, 0.0, BASE)
    insert(body, 1, 1.0, 0.0, heading, heading, FREE)
    insert(body, 2, *corner, heading, 0.0, 1)
    body.grown[:] = 0.8, 2.0
    tip = corner + 0.8 * ahead
    normal = np.array([np.cos(np.radians(167)), np.sin(np.radians(167))])
    levers = [float(np.cross([*(tip - node), 0], [*normal, 0])[2]) for node in (np.zeros(2), corner)]
    assert levers[0] > 0 > levers[1]
    along = np.array([-normal[1], normal[0]])
    square = tip - RADIUS * normal + np.array([[0, -3], [0, 3], [-1, 3], [-1, -3]]) @ np.array([normal, along])
    walls = inflate_to_walls([shapely.Polygon(square)], 9 * BOUNDS, RADIUS)
    edge = int(np.argmax(walls.direction @ along))
    motion = give_way(body, walls, edge, SMOOTH)
    assert (motion.kind, motion.hinge, motion.turn) == (SLIDES, 2, -1)
    assert motion.lever == pytest.approx(-levers[1])


def test_locked_vine_folds_until_friction_gives_way() -> None:
    """The tip stays while turn and base bend (Eqs. 26-29), until the line midway between them to the tip leaves the cone."""
    turn, ratio, tube = np.radians(40), 1.0, HingeTube(1e-3, 0.1, 1e-6)
    _, low, high = hinge_boundaries(tube.friction, turn, ratio)
    angle = low + 0.2 * (high - low)
    first = against_a_wall(turn, ratio, angle, tube, 0.0)
    for more in (0.002, 0.01, 0.02):
        shape = against_a_wall(turn, ratio, angle, tube, more).shape
        np.testing.assert_allclose(shape[2], first.shape[2], atol=1e-9)
        assert np.hypot(*shape[1]) == pytest.approx(0.8, abs=1e-9)
        assert shape[1][1] < first.shape[1][1]
    # Where the tip comes loose, by bisection over the length; there the force is at the edge of the cone.
    stays, slides = 0.02, 1.0
    for _ in range(60):
        middle = (stays + slides) / 2
        shape = against_a_wall(turn, ratio, angle, tube, middle).shape
        if np.hypot(*(shape[2] - first.shape[2])) < 1e-9:
            stays = middle
        else:
            slides = middle
    shape = against_a_wall(turn, ratio, angle, tube, stays).shape
    toward = shape[2] - (shape[0] + shape[1]) / 2
    normal = np.array([np.sin(turn + angle), -np.cos(turn + angle)])  # into the wall
    cosine = toward @ normal / np.hypot(*toward)
    assert np.arccos(cosine) == pytest.approx(np.arctan(tube.friction), abs=1e-5)


@pytest.mark.parametrize("side", [1, -1])
def test_locked_vine_folds_onto_what_is_beside_it(side: int) -> None:
    """Its last link, which turns about the tip, hangs on a corner in its way."""
    turn, tube = side * np.radians(50), HingeTube(1e-3, 0.5, 1e-6)
    angle = hinge_boundaries(tube.friction, turn, 1.0)[1:].mean()
    before, after = (against_a_wall(turn, 1.0, angle, tube, more).shape for more in (0.0, 0.3))
    np.testing.assert_allclose(before[2], after[2], atol=1e-9)
    # A post where the last link will have been half way.
    centre = after[2] + 0.5 * ((before[1] - after[2]) + (after[1] - after[2])) / 2
    post = shapely.Point(centre).buffer(0.01, quad_segs=2)
    shape = against_a_wall(turn, 1.0, angle, tube, 0.3, post).shape
    assert shapely.LineString(shape).distance(post) == pytest.approx(tube.radius, abs=1e-4)
    assert len(shape) == 4
    np.testing.assert_allclose(shape[2], centre, atol=0.013)


@pytest.mark.parametrize(("turn", "low", "high"), [(50, -0.1, 20), (-50, -20, 0.1)])
def test_body_that_folds_out_of_bounds_has_left_them(turn: float, low: float, high: float) -> None:
    """Not its tip alone: it ends when the first node is on the bounds."""
    tube = HingeTube(1e-3, 0.5, 1e-6)
    angle = hinge_boundaries(tube.friction, np.radians(turn), 1.0)[1:].mean()
    deployment = against_a_wall(np.radians(turn), 1.0, angle, tube, 0.3, bounds=(-20, low, 20, high))
    assert deployment.status == Status.OUT_OF_BOUNDS
    assert abs(deployment.shape[1][1]) == pytest.approx(0.1, abs=1e-9)
    assert np.hypot(*deployment.shape[1]) == pytest.approx(0.8)
