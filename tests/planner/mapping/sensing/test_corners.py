"""Corners from made centrelines whose headings are known: true ones, and rotations of the body that need no corner."""

from collections.abc import Callable

import numpy as np
import pytest

from planner.mapping.sensing.corners import TrackedBody, corner_of, keep_most_exact
from planner.mapping.sensing.found import FoundCorner
from surrogate.kernels.compiled import Floats

RADIUS, FRAMES, LENGTH, GROWTH = 0.02, 16, 0.8, 0.1
"""Radius and length of the tube in the first frame and its growth until the last one [m]."""
SPACING = 0.001


def body(heading: Callable[[Floats, float, float], Floats], noise: float = 1e-4) -> TrackedBody:
    """Centrelines with the heading [rad] at the arcs [m], in a share of the frames, of a tube of a length [m]."""
    rng, lines, arcs = np.random.default_rng(5), [], []
    for share in np.linspace(0, 1, FRAMES):
        length = LENGTH + GROWTH * share
        own = np.arange(0, length, SPACING)
        angles = heading(own[:-1] + SPACING / 2, share, length)
        steps = SPACING * np.column_stack([np.cos(angles), np.sin(angles)])
        line = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])[::10]
        lines.append(line + rng.normal(0, noise, line.shape))
        arcs.append(own[::10])
    return TrackedBody(3, tuple(lines), tuple(arcs))


def beyond(arcs: Floats, place: float, width: float = 1e-9) -> Floats:
    """Share of a bend of a width about a place that lies before each arc: 0 before it, 1 beyond it."""
    return np.clip((arcs - place) / width + 0.5, 0, 1)


@pytest.mark.parametrize("side", [1, -1])
def test_bend_that_grows_is_a_corner(side: int) -> None:
    """A hinge at 0.5 m that bends from 0 to 10 degrees: the corner is there, on that side, with a circle of at most 1.5 radii."""
    corner = corner_of(body(lambda s, k, _: side * np.radians(10) * k * beyond(s, 0.5)), side, RADIUS)
    assert corner is not None
    assert corner.arc == pytest.approx(0.5, abs=0.1 * RADIUS)
    np.testing.assert_allclose(corner.pivot, [0.5, 0], atol=0.1 * RADIUS)
    assert corner.side == side
    bisector = side * np.radians(10) * np.linspace(0, 1, FRAMES)[FRAMES // 2 :].mean() / 2  # of the later frames
    touch = RADIUS * side * np.array([-np.sin(bisector), np.cos(bisector)])
    np.testing.assert_allclose(corner.touch - corner.pivot, touch, atol=0.02 * RADIUS)
    assert 0.5 * RADIUS <= corner.within <= 1.5 * RADIUS
    assert (corner.first, corner.last) == (3, 3 + FRAMES - 1)
    assert corner_of(body(lambda s, k, _: side * np.radians(10) * k * beyond(s, 0.5)), -side, RADIUS) is None


def test_bend_that_straightens_is_no_corner() -> None:
    """A tube bent to the right at 0.5 m that straightens turns to the left beyond, but nothing on its left holds it there."""
    assert corner_of(body(lambda s, k, _: -np.radians(10) * (1 - k) * beyond(s, 0.5)), 1, RADIUS) is None


def test_bend_that_moves_with_the_tip_is_no_corner() -> None:
    """A wave four radii behind the tip leaves a place as the tube grows, so that the heading there changes; the tube stays straight."""

    def heading(arcs: Floats, _: float, length: float) -> Floats:
        return -np.radians(10) * (abs(length - arcs - 4 * RADIUS) < RADIUS)

    assert corner_of(body(heading), 1, RADIUS) is None


def test_bend_that_reaches_the_mount_is_no_corner() -> None:
    """A tube bends from 2 to 6 radii behind its base; its mount explains that. The bend 10 radii behind the base is a corner."""
    assert corner_of(body(lambda s, k, _: np.radians(12) * k * beyond(s, 4 * RADIUS, 4 * RADIUS)), 1, RADIUS) is None
    free = corner_of(body(lambda s, k, _: np.radians(12) * k * beyond(s, 10 * RADIUS, 4 * RADIUS)), 1, RADIUS)
    assert free is not None
    assert free.arc == pytest.approx(10 * RADIUS, abs=RADIUS)


@pytest.mark.parametrize("edge", [0.43, 0.57])
def test_corner_may_be_anywhere_in_a_wide_bend(edge: float) -> None:
    """A tube lies around a corner at 0.5 m, bent over 0.12 m, and bends further only at the edge: the circle contains the corner."""

    def heading(arcs: Floats, share: float, _: float) -> Floats:
        return np.radians(25) * beyond(arcs, 0.5, 0.12) + np.radians(8) * share * beyond(arcs, edge)

    corner = corner_of(body(heading), 1, RADIUS)
    assert corner is not None
    assert abs(corner.arc - 0.5) < abs(edge - 0.5) / 2
    assert abs(corner.arc - 0.5) <= corner.within
    assert abs(corner.arc - edge) <= corner.within
    assert corner.within < 0.12


@pytest.mark.parametrize("place", [0.46, 0.54])
def test_circle_contains_the_place_of_the_turn(place: float) -> None:
    """A tube is bent at 0.5 m and turns two radii from there, where it straightens: the corner is in between or at one of both."""

    def heading(arcs: Floats, share: float, _: float) -> Floats:
        return np.radians(20) * beyond(arcs, 0.5) - np.radians(6) * (1 - share) * beyond(arcs, place)

    corner = corner_of(body(heading), 1, RADIUS)
    assert corner is not None
    assert corner.arc == pytest.approx(0.5, abs=RADIUS / 2)
    assert abs(corner.arc - place) <= corner.within < 4 * RADIUS


def test_bend_elsewhere_is_no_corner() -> None:
    """A tube that is bent at 0.25 m, where it does not turn, and turns at 0.5 m until it is straight there: no corner."""

    def heading(arcs: Floats, share: float, _: float) -> Floats:
        return np.radians(20) * beyond(arcs, 0.25) - np.radians(10) * (1 - share) * beyond(arcs, 0.5)

    assert corner_of(body(heading), 1, RADIUS) is None


def test_body_that_turns_as_one_has_no_corner() -> None:
    """A tube that turns about its base, and one that turns at 0.5 m but is seen in only 7 frames: none."""
    assert corner_of(body(lambda s, k, _: np.radians(10) * k + 0 * s), 1, RADIUS) is None
    seen = body(lambda s, k, _: np.radians(10) * k * beyond(s, 0.5))
    assert corner_of(TrackedBody(3, seen.lines[:7], seen.arcs[:7]), 1, RADIUS) is None


def test_most_exact_of_corners_at_one_place_is_kept() -> None:
    """Three corners, the first two at one place: the second, which is more exact, and the third, in the order of their frames."""

    def found(first: int, x: float, within: float) -> FoundCorner:
        return FoundCorner(first, first + 9, np.array([x, 0.0]), x, 1, np.array([x, RADIUS]), within)

    several = [found(0, 0.50, 0.09), found(10, 0.53, 0.03), found(20, 0.60, 0.02)]
    assert keep_most_exact(several, 0.04) == tuple(several[1:])
    assert keep_most_exact(several, 0.02) == tuple(several)
