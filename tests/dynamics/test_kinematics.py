"""Motion of a vine with a turn that meets a wall: moments from positions and forces, and mechanisms found by a linear program."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from dynamics.geometric.kinematics import (
    Behaviour,
    behaviour,
    boundaries,
    buckling_force,
    critical_angle,
    hinge_boundaries,
    largest_moment,
)
from surrogate.kernels.compiled import Floats

FORMS = [boundaries, hinge_boundaries]
Form = Callable[..., Floats]


def drawn(count: int, seed: int = 0) -> tuple[Floats, Floats, Floats, Floats]:
    """Friction, turn [rad], ratio and slenderness of vines whose tip is ahead of the pivot."""
    rng = np.random.default_rng(seed)
    friction, turn = rng.uniform(0, 0.9, count), rng.uniform(0.05, 1.5, count)
    return friction, turn, np.exp(rng.uniform(-1.5, 1.5, count)), np.exp(rng.uniform(-6, -1, count))


def balance(
    turn: ArrayLike, ratio: ArrayLike, contact_angle: ArrayLike, friction: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Moments about A and B, and push along the last heading, of a unit normal force with its friction, where L2 = 1.

    Args:
        friction: Force along the wall over the normal one, positive along the tangent that the heading has a part of.
    """
    turn, ratio, contact_angle, friction = np.broadcast_arrays(turn, ratio, contact_angle, friction)
    heading = np.stack([np.cos(turn), np.sin(turn)], -1)
    turning = np.stack([ratio, 0 * ratio], -1)
    tip = turning + heading
    tangent = np.stack([np.cos(turn + contact_angle), np.sin(turn + contact_angle)], -1)
    force = np.stack([-tangent[..., 1], tangent[..., 0]], -1) + friction[..., None] * tangent

    def about(point: Floats) -> Floats:
        arm = tip - point
        return np.asarray(arm[..., 0] * force[..., 1] - arm[..., 1] * force[..., 0])

    return about(0 * tip), about(turning), -(heading * force).sum(-1)


def mechanism(friction: float, turn: float, ratio: float, slenderness: float, contact_angle: float) -> Behaviour:
    """Find what yields last under a growth force that rises up to 1: the static theorem of limit analysis as a linear program.

    Unknowns are the wall's normal force and its friction. The radius is the largest moment over the growth force.
    """
    normal = np.array(balance(turn, ratio, contact_angle, 0.0))
    along = np.array(balance(turn, ratio, contact_angle, 1.0)) - normal
    at_base, at_turn, push = np.stack([normal, along], -1)
    rows = [at_base, -at_base, at_turn, [-friction, 1.0], [-friction, -1.0], push]
    limits = [slenderness] * 3 + [0.0, 0.0, 1.0]
    solved = linprog(-push, rows, limits, bounds=[(0, None), (None, None)])
    assert solved.status == 0
    base_forward, base_back, bends_at_turn, *_, grows = solved.ineqlin.marginals < -1e-9
    if grows or (base_back and bends_at_turn):
        return Behaviour.FRICTION_LOCKED
    if base_back:
        return Behaviour.NEGATIVE_PIVOT
    return Behaviour.POSITIVE_PIVOT if base_forward else Behaviour.PIVOT_AT_TURN


def test_largest_moment_is_that_of_the_wrinkled_tube() -> None:
    """The tube of paper 002 resists with 1.2052 N m at most."""
    assert largest_moment(1.5 * 6894.757293168, 33.35e-3) == pytest.approx(1.2052, abs=5e-5)


def test_buckling_force_between_its_limits() -> None:
    """A film that does not shear buckles as Euler's column, one that does not stretch by shear; it is less than either."""
    pressure, radius, length, film, young, shear = 8e3, 0.03, 0.7, 1e-4, 3e8, 1e8
    euler = np.pi**2 * young * (np.pi * radius**3 * film) / length**2
    shearing = np.pi * radius**2 * pressure + np.pi * radius * film * shear
    assert buckling_force(pressure, radius, length, film, young, 1e20) == pytest.approx(euler)
    assert buckling_force(1e15, radius, length, film, young, shear) == pytest.approx(euler)
    assert buckling_force(pressure, radius, length, film, 1e20, shear) == pytest.approx(shearing)
    assert buckling_force(0.0, radius, length, film, 1e20, 0.0) == 0.0
    force = buckling_force(pressure, radius, np.array([0.1, 0.7, 5.0]), film, young, shear)
    assert force.shape == (3,)
    assert np.all(np.diff(force) < 0)
    assert 1 / force[1] == pytest.approx(1 / euler + 1 / shearing)


def test_at_the_critical_angle_growth_just_bends_a_straight_tube() -> None:
    """There the force that brings the moment to pi P R^3 needs a push of pi P R^2; below it less, above it more."""
    friction, length = np.meshgrid([0.0, 0.3, 0.7], [2.0, 5.0, 40.0])
    for offset in (-1e-3, 0.0, 1e-3):
        moment, _, push = balance(0.0, length - 1, critical_angle(length, friction) + offset, -friction)
        needed = push / moment
        assert np.all(np.abs(needed - 1) < 1e-12 if offset == 0 else np.sign(needed - 1) == np.sign(offset))


def test_moments_at_the_papers_boundaries() -> None:
    """Equal about A and B at the first; at the others pi P R^3 about A, either way round, under a push of pi P R^2."""
    friction, turn, ratio, slenderness = drawn(300)
    first, second, third = boundaries(friction, turn, ratio, slenderness).T
    base, turning, push = balance(turn, ratio, first, -friction)
    bends = first < second
    assert 50 < bends.sum() < 300
    np.testing.assert_allclose(base[bends], turning[bends], atol=1e-12)
    base, _, push = balance(turn, ratio, second, -friction)
    np.testing.assert_allclose(base, slenderness * push, atol=1e-12)
    base, _, push = balance(turn, ratio, third, friction)
    np.testing.assert_allclose(base, -slenderness * push, atol=1e-12)


def test_moments_at_the_boundaries_of_limit_analysis() -> None:
    """The moments of a slender tube are equal about A and B at the first, opposite at the others with the friction fully used."""
    friction, turn, ratio, _ = drawn(300)
    first, second, third = hinge_boundaries(friction, turn, ratio).T
    for angle, slip, sign in ((first, -1, 1), (second, -1, -1), (third, 1, -1)):
        base, turning, _ = balance(turn, ratio, angle, slip * friction)
        np.testing.assert_allclose(base, sign * turning, atol=1e-12)


@pytest.mark.parametrize("longest", [-6.0, -1.0])
def test_limit_analysis_is_what_a_linear_program_finds(longest: float) -> None:
    """The mechanism at random parameters is that of the static theorem, for slender tubes and short ones."""
    friction, turn, ratio, slenderness = drawn(120, seed=3)
    slenderness *= np.exp(longest + 1)
    angle = np.random.default_rng(4).uniform(0.02, 2.8, 120)
    limits = hinge_boundaries(friction, turn, ratio, slenderness)
    clear = np.abs(limits - angle[:, None]).min(axis=1) > 1e-4
    expected = [mechanism(*one) for one in zip(friction, turn, ratio, slenderness, angle, strict=True)]
    assert set(expected) == set(Behaviour)
    np.testing.assert_array_equal(behaviour(angle, limits)[clear], np.array(expected)[clear])


@pytest.mark.parametrize("form", FORMS)
def test_mirrored_vines_do_the_same(form: Form) -> None:
    """A turn to the right under pi - theta is a turn to the left under theta."""
    friction, turn, ratio, slenderness = drawn(100)
    angle = np.random.default_rng(1).uniform(0, np.pi, 100)
    left, right = (form(friction, side * turn, ratio, slenderness) for side in (1, -1))
    np.testing.assert_allclose(left + right, np.pi)
    np.testing.assert_array_equal(behaviour(angle, left), behaviour(np.pi - angle, right))


@pytest.mark.parametrize("form", FORMS)
def test_without_a_turn_the_critical_angle_is_left(form: Form) -> None:
    """A straight vine pivots up to Eq. 3 of its whole length, and from its mirror image on; nothing bends between."""
    friction, _, ratio, slenderness = drawn(50)
    critical = critical_angle((1 + ratio) / slenderness, friction)
    np.testing.assert_allclose(form(friction, 0.0, ratio, slenderness).T, [critical, critical, np.pi - critical])


def test_slender_limit() -> None:
    """R = 0 is the limit, and gives the paper's equations with the angle psi between AC and the last heading's AB."""
    friction, turn, ratio, _ = drawn(100)
    for form in FORMS:
        np.testing.assert_allclose(form(friction, turn, ratio, 1e-9), form(friction, turn, ratio), atol=1e-7)
    psi, slip = np.arctan2(ratio * np.sin(turn), 1 + ratio * np.cos(turn)), np.arctan(friction)
    expected = [np.pi / 2 - slip - turn, np.pi / 2 - slip - psi, np.pi / 2 + slip - psi]
    np.testing.assert_allclose(boundaries(friction, turn, ratio).T, expected)


@pytest.mark.parametrize("form", FORMS)
def test_boundaries_follow_each_other(form: Form) -> None:
    """They rise; a behaviour is what lies between two; arrays are broadcast."""
    limits = form(*drawn(1000))
    assert np.all(np.diff(limits) >= 0)
    limits = form(0.3, [0.4, -0.4], 1.0)
    assert limits.shape == (2, 3)
    angles = (limits[0] + [[-0.1], [0.1]]).ravel()[[0, 3, 4, 5]]
    assert behaviour(angles, limits[0]).tolist() == list(Behaviour)
    assert behaviour(np.zeros((4, 1)), limits).shape == (4, 2)
    assert behaviour([0.0, np.pi], limits).tolist() == [Behaviour.POSITIVE_PIVOT] * 2


def folded(base: float, turn: float, ratio: float) -> tuple[float, float, float]:
    """Turn [rad], ratio and heading [rad] of a vine, with L2 = 1 at first, whose base is bent back with its tip held."""
    tip = np.array([ratio + np.cos(turn), np.sin(turn)])
    arm = tip - ratio * np.array([np.cos(base), -np.sin(base)])
    heading = np.arctan2(arm[1], arm[0])
    return heading + base, ratio / np.hypot(*arm), heading


def test_locked_vines_come_loose_where_the_line_from_the_middle_can_slide() -> None:
    """By limit analysis they then pivot at the turn, if friction is below the tangent of how far that line turns; by the paper never.

    With the tip held the middle of AB is on a circle about A, so the line from it is at asin(L1 / 2 |AC|) from AC at most.
    """
    turn, ratio = np.radians(50), 1.5
    ahead, aside = ratio + np.cos(turn), np.sin(turn)
    line = np.arctan2(aside, ahead - ratio / 2)
    most = np.arctan2(aside, ahead) + np.arcsin(ratio / 2 / np.hypot(ahead, aside)) - line
    assert 0.1 < most < 0.3
    for friction, last in (
        (np.tan(0.99 * most), Behaviour.PIVOT_AT_TURN),
        (np.tan(1.01 * most), Behaviour.FRICTION_LOCKED),
    ):
        starts = np.pi / 2 + line, np.pi / 2 + np.arctan2(aside, ahead)
        seen = []
        for base in np.arange(0, np.radians(60), 2e-3):
            *now, heading = folded(base, turn, ratio)
            forms = zip(starts, (hinge_boundaries, boundaries), strict=True)
            seen.append([int(behaviour(wall - heading, form(friction, *now))) for wall, form in forms])
        by_hinges, by_paper = np.transpose(seen)
        assert by_hinges[0] == Behaviour.FRICTION_LOCKED
        assert last in by_hinges
        assert set(by_hinges) <= {Behaviour.FRICTION_LOCKED, last}
        assert set(by_paper) == {Behaviour.FRICTION_LOCKED}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-0.1, 0.5, 1.0, 0.0), "friction"),
        ((0.3, 0.5, -1.0, 0.0), "ratio"),
        ((0.3, 0.5, 1.0, -1e-3), "slenderness"),
        ((0.3, 2.5, 2.0, 0.0), "ahead of the pivot"),
    ],
)
def test_what_the_equations_do_not_cover_is_refused(arguments: tuple[float, ...], words: str) -> None:
    """Negative parameters, and vines that turn back on themselves."""
    for form in FORMS:
        with pytest.raises(ValueError, match=words):
            form(*arguments)


def test_every_behaviour_is_described() -> None:
    """Each has its own description."""
    assert len({one.description for one in Behaviour}) == 4
