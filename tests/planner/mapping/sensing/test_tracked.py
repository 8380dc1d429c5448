"""Walls, corners and free area from centrelines, against the walls among which the geometric propagator grew them."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import shapely
from scipy.stats import binom

from dynamics.geometric.deployment import Launch
from planner.mapping.sensing.found import SensedSurroundings
from planner.mapping.sensing.paths import PathPiece
from planner.mapping.sensing.tracked import Track, sense_tracked, tip_heading
from tests.dynamics.grown import Grown, grown, two_walls

RADIUS, NOISE = 0.02, (0.002, 0.004)
CASES = 60


class Case(NamedTuple):
    solid: shapely.Geometry
    made: Grown
    found: SensedSurroundings


def sensed(made: Grown, radius: float = RADIUS) -> SensedSurroundings:
    return sense_tracked(Track.of(made.recording.centerlines, radius, made.recording.base))


@cache
def noisy() -> list[Case]:
    """Recordings with noise among two walls."""
    found = []
    for number in range(CASES):
        rng = np.random.default_rng([7, number])
        solids, launch = two_walls(rng)
        made = grown(solids, launch, RADIUS, 120, NOISE, rng)
        found.append(Case(shapely.union_all(solids), made, sensed(made)))
    return found


def likely(hits: int, count: int) -> bool:
    """Whether so many hits have a probability of more than 0.1 % if each has 95 %: not fewer."""
    return bool(binom.cdf(hits, count, 0.95) > 1e-3)


def test_intervals_of_walls_cover_the_truth() -> None:
    """Both ends and the direction of each found wall are within the stated 95 % intervals about as often as that."""
    ends, directions, widths = [], [], []
    for case in noisy():
        for wall in case.found.walls:
            quarter = (wall.last - wall.first) // 4
            exact = case.made.tips[wall.first + quarter : wall.last - quarter + 1]
            line = PathPiece.of(exact, 0, len(exact))
            assert abs(line.aside).max() < 1e-6  # all of the tip's places are on one wall
            normal = np.array([-np.sin(line.heading), np.cos(line.heading)])
            off = abs((wall.ends - line.middle) @ normal - wall.side * RADIUS)
            ends += (off <= wall.within).tolist()
            widths += wall.within.tolist()
            directions.append(abs(np.sin(wall.heading - line.heading)) <= np.sin(wall.angle_within))
    assert len(directions) >= 90
    assert likely(sum(ends), len(ends))
    assert likely(sum(directions), len(directions))
    assert np.median(widths) < 2 * NOISE[1]  # they are not true by being wide


def test_circles_of_corners_cover_the_truth() -> None:
    """The nearest bend of the exact shape is within the stated circle of each corner about as often as 95 %."""
    inside = []
    for case in noisy():
        for corner in case.found.corners:
            nearest = min((np.hypot(*(node - corner.pivot)) for node in case.made.shape[1:-1]), default=np.inf)
            inside.append(nearest <= corner.within)
    assert len(inside) >= 20
    assert likely(sum(inside), len(inside))


def test_corners_are_near_the_bends() -> None:
    """Three quarters of the corners, at least, are within a quarter of a radius of a bend of the exact shape, and all within two radii."""
    apart = [
        min((np.hypot(*(node - corner.pivot)) for node in case.made.shape[1:-1]), default=np.inf)
        for case in noisy()
        for corner in case.found.corners
    ]
    assert np.quantile(apart, 0.75) < RADIUS / 4
    assert max(apart) < 2 * RADIUS


def test_area_found_free_is_free() -> None:
    """In no more recordings than 5 % allow, the area that is said to be free has a part of a wall in it; it is not empty."""
    wrong = sum(shapely.intersection(case.found.free, case.solid).area > 1e-9 for case in noisy())
    assert likely(CASES - wrong, CASES)
    axes = [shapely.LineString(case.made.shape) for case in noisy()]
    shares = [shapely.intersection(a, case.found.free).length / a.length for a, case in zip(axes, noisy(), strict=True)]
    assert np.median(shares) > 0.9


def test_noise_is_measured() -> None:
    """The standard deviations of a straight growth: those that were drawn, within 25 %."""
    wall = [shapely.box(5, -1, 6, 1)]
    made = grown(wall, Launch(0, 0, 0.4, 1.0), RADIUS, 200, NOISE, np.random.default_rng(3))
    noise = Track.of(made.recording.centerlines, RADIUS, made.recording.base).noise
    assert noise.across == pytest.approx(NOISE[0], rel=0.25)
    assert noise.along == pytest.approx(np.hypot(*NOISE), rel=0.25)


@pytest.mark.parametrize("side", [1, -1])
def test_exact_recording_gives_the_walls(side: int) -> None:
    """Without noise: two walls, where the tip first touches them, and their directions, to 1e-6; and the base.

    At the end of a wall, the propagator's tip slides to the point of the inflated corner, up to a radius beyond.
    """
    rng = np.random.default_rng(2)
    solids, launch = two_walls(rng)
    mirrored = [shapely.transform(one, lambda points: points * [1, side]) for one in solids]
    made = grown(mirrored, launch._replace(heading=side * 0.02), RADIUS, 200)
    found = sensed(made)
    boundary = shapely.union_all([one.boundary for one in mirrored])
    corners = [shapely.get_coordinates(one) for one in mirrored]
    edges = np.concatenate([np.arctan2(*np.diff(one, axis=0).T[::-1]) for one in corners])
    assert len(found.walls) >= 2
    for wall in found.walls:
        assert shapely.distance(shapely.Point(wall.ends[0]), boundary) < 1e-6
        assert shapely.distance(shapely.Point(wall.ends[1]), boundary) < RADIUS
        assert min(abs(np.sin(edges - wall.heading))) < 1e-6
    np.testing.assert_allclose(found.start, [0, 0, side * 0.02], atol=1e-9)
    assert found.length == pytest.approx(np.hypot(*np.diff(made.shape, axis=0).T).sum(), abs=1e-3)


def test_free_growth_finds_nothing() -> None:
    """A tube that touches nothing finds no wall and no corner, in all of 30 noisy recordings."""
    for number in range(30):
        made = grown(
            [shapely.box(5, -1, 6, 1)], Launch(0, 0, 1.0, 0.8), RADIUS, 100, NOISE, np.random.default_rng(number)
        )
        found = sensed(made)
        assert not found.walls
        assert not found.corners


def test_corner_is_where_the_body_turned() -> None:
    """A tube slides on a wall, its body meets the corner of a block meanwhile, and it turns about that: place, side, and touch."""
    ahead = shapely.Polygon([(0.5, -0.2), (0.9, 0.6), (1.2, 0.6), (1.2, -0.2)])
    block = shapely.box(0.1, 0.045, 0.3, 0.3)
    made = grown([ahead, block], Launch(0, 0, 0.0, 0.95), RADIUS, 250)
    assert len(made.shape) == 3  # the base, the corner, the tip
    (corner,) = sensed(made).corners
    assert np.hypot(*(corner.pivot - made.shape[1])) < 0.5 * RADIUS
    assert corner.side == 1
    assert corner.touch[1] > corner.pivot[1]
    assert np.hypot(*(corner.touch - corner.pivot)) == pytest.approx(RADIUS)
    assert np.hypot(*(corner.touch - [0.3, 0.045])) < RADIUS


def test_heading_of_the_tip_is_that_of_its_last_part() -> None:
    """A kinked line: only the points of the given length count, two at least."""
    line = np.array([[0, 0], [0.1, 0], [0.2, 0], [0.2, 0.05], [0.2, 0.1]])
    assert tip_heading(line, 0.1) == pytest.approx(np.pi / 2)
    assert tip_heading(line[:2], 0.001) == pytest.approx(0.0)


def test_too_few_frames_are_refused() -> None:
    """A path of three tips has no pieces."""
    lines = [np.array([[0, 0], [0.1 + 0.01 * k, 0]]) for k in range(3)]
    with pytest.raises(ValueError, match="at least 4"):
        Track.of(lines, RADIUS, np.zeros(3))
