"""Walls from length and tip angle alone, read off recordings of the geometric propagator."""

from functools import cache

import numpy as np
import pytest
import shapely
from scipy.stats import binom

from dynamics.geometric.deployment import Launch
from planner.mapping.sensing.estimated import Sensor
from planner.mapping.sensing.found import SensedSurroundings
from planner.mapping.sensing.paths import PathPiece
from planner.mapping.sensing.tracked import Track
from tests.dynamics.grown import Grown, grown, two_walls

RADIUS = 0.02
WALL = shapely.Polygon([(0.4, -0.2), (0.9, 0.3), (1.2, 0.3), (1.2, -0.2)])
"""A wall at 45 degrees in front of the base."""


def sensor_of(made: Grown) -> Sensor:
    return Sensor.of(Track.of(made.recording.centerlines, RADIUS, made.recording.base))


@cache
def made(noise: tuple[float, float] = (0.0, 0.0)) -> Grown:
    return grown([WALL], Launch(0.0, 0.0, 0.0, 0.9), RADIUS, 45, noise, np.random.default_rng(5))


@cache
def found(noise: tuple[float, float] = (0.0, 0.0), resamples: int = 5) -> SensedSurroundings:
    sensor = sensor_of(made(noise))
    return sensor.combine(list(sensor.resample("limit-analysis", np.random.default_rng(1), resamples=resamples)))


def test_readings_are_those_of_a_sensor() -> None:
    """Lengths are the tube's; the angle is that from the heading to the wall, 45 degrees first; NaN while the tip is free."""
    readings, frames = sensor_of(made()).read()
    touching = np.hypot(*made().tips.T) > 0.6 - RADIUS * np.sqrt(2) + 0.02
    assert np.isnan(readings.angles[: int(touching.argmax()) - 3]).all()
    angles = readings.angles[~np.isnan(readings.angles)]
    tips = made().tips[frames][~np.isnan(readings.angles)]
    np.testing.assert_allclose(np.degrees(angles), 45 - np.degrees(np.arctan2(*tips.T[::-1])), atol=2)
    free = np.isnan(readings.angles)
    np.testing.assert_allclose(readings.lengths[free], np.hypot(*made().tips[frames][free].T), atol=1e-3)


def test_wall_is_recovered_within_its_interval() -> None:
    """One wall, at 45 degrees, on the right; both ends on it within the interval, which is less than a diameter at first contact."""
    for noise in ((0.0, 0.0), (0.001, 0.002)):
        (wall,) = found(noise).walls
        assert wall.side == -1
        assert abs(np.degrees(wall.heading) - 45) < 3 * np.degrees(wall.angle_within) + 2
        line = shapely.LineString([(0.4, -0.2), (0.95, 0.35)])
        assert (shapely.distance(line, shapely.points(wall.ends)) <= wall.within + 2e-3).all()
        assert wall.within[0] < 2 * RADIUS


def test_free_area_is_not_in_the_wall() -> None:
    """The area that is said to be free has no wall in it, and is not empty."""
    for noise in ((0.0, 0.0), (0.001, 0.002)):
        assert shapely.intersection(found(noise).free, WALL).area < 1e-6
        assert found(noise).free.area > 0.4 * 2 * RADIUS * 0.5


def test_more_noise_widens_the_intervals() -> None:
    """Five degrees of noise added to the angles: the interval at the end of the contact grows."""
    sensor = sensor_of(made())
    wide = sensor.combine(list(sensor.resample("limit-analysis", np.random.default_rng(1), np.radians(5), 5)))
    assert wide.walls[0].within[1] > 1.5 * found().walls[0].within[1]


def test_one_estimate_has_no_interval() -> None:
    """An interval needs resampled readings."""
    sensor = sensor_of(made())
    with pytest.raises(ValueError, match="at least one"):
        sensor.combine(list(sensor.resample("published", np.random.default_rng(0), resamples=0)))


def test_tube_that_does_not_grow_is_refused() -> None:
    """A centreline that is equal in every frame is no growth."""
    line = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.0]])
    with pytest.raises(ValueError, match="does not grow"):
        Sensor.of(Track.of([line] * 6, RADIUS, np.zeros(3)))


@pytest.mark.slow
def test_intervals_of_walls_cover_the_truth() -> None:
    """Both ends of each wall that the readings determine are within the stated 95 % interval, not less often than that."""
    inside = []
    for number in range(12):
        rng = np.random.default_rng([9, number])
        solids, launch = two_walls(rng)
        one = grown(solids, launch, RADIUS, 60, (0.001, 0.002), rng)
        estimates = list(sensor_of(one).resample("limit-analysis", rng))
        for wall in sensor_of(one).combine(estimates).walls:
            quarter = (wall.last - wall.first) // 4
            exact = one.tips[wall.first + quarter : wall.last - quarter + 1]
            if wall.determined and len(exact) > 3:
                line = PathPiece.of(exact, 0, len(exact))
                normal = np.array([-np.sin(line.heading), np.cos(line.heading)])
                inside += (abs((wall.ends - line.middle) @ normal - wall.side * RADIUS) <= wall.within).tolist()
    assert len(inside) >= 30
    assert binom.cdf(sum(inside), len(inside), 0.95) > 1e-3
