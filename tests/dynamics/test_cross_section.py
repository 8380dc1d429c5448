"""The cross-section of an inflated tube: closed forms of its laws, and vines whose walls they must hold exactly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import shapely
from scipy.integrate import quad
from scipy.optimize import brentq

from dynamics.cross_section import cross_section
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from surrogate.compiled import Floats

SOFT = VineParams(least_height=0.5)
SECTION = cross_section(SOFT)
R, P, LENGTH = SOFT.radius, SOFT.growth_pressure, SOFT.segment_length


def _flat(dent: float) -> tuple[float, float]:
    """Width of the flat of a film of circumference 2 pi R on a plate [m], and its area [m2], without approximation.

    The film is an arc of the radius rho with the flat as its chord: 2 R - dent = rho (1 + cos a).
    """

    def height(a: float) -> float:
        return 2 * R - dent - np.pi * R / (np.pi - a + np.sin(a)) * (1 + np.cos(a))

    a = brentq(height, 1e-9, 2.5)
    rho = np.pi * R / (np.pi - a + np.sin(a))
    return 2 * rho * np.sin(a), rho**2 * (np.pi - a + np.sin(a) * np.cos(a))


@pytest.mark.parametrize(("dent", "load"), [(1e-3, 172.0), (5e-3, 389.0), (10e-3, 547.0), (20e-3, 755.0)])
def test_load_of_a_plate(dent: float, load: float) -> None:
    """The exact geometry gives the loads [N/m]; the law is that of its first order, within 3 %."""
    width, _ = _flat(dent)
    assert P * width == pytest.approx(load, rel=5e-3)
    assert dent_force(SECTION, dent, 0.0, 1.0, 0.0) == pytest.approx(P * width, rel=0.03)


def test_first_touch_has_the_chord_of_the_plate() -> None:
    start = START * R
    whole = dent_force(SECTION, start, 0.0, 1.0, 0.0)
    assert whole == pytest.approx(P * np.sqrt(8 * R * start))
    assert dent_force(SECTION, start / 3, 0.0, 1.0, 0.0) == pytest.approx(whole / 3)


@pytest.mark.parametrize("height", [0.95, 0.8, 0.5])
def test_two_walls_do_the_work_of_the_lost_area(height: float) -> None:
    """A stadium of the circumference 2 pi R: load per length P pi (R - H / 2), area pi R^2 h (2 - h)."""
    dent = (1 - height) * R
    area = np.pi * (height * R) ** 2 + 2 * height * R * np.pi * (1 - height) * R
    assert area == pytest.approx(np.pi * R**2 * height * (2 - height))
    assert dent_force(SECTION, dent, 1.0, 1.0, 0.0) == pytest.approx(P * np.pi * (R - height * R))
    work = 2 * quad(lambda d: dent_force(SECTION, d, 1.0, 1.0, 0.0), 0, dent)[0]
    assert work == pytest.approx(P * (np.pi * R**2 - area))


def test_the_plate_does_the_work_of_the_lost_area() -> None:
    """Its first order; the exact area confirms the factor within a few percent."""
    for dent in (2e-3, 8e-3):
        work = quad(lambda d: dent_force(SECTION, d, 0.0, 1.0, 0.0), 0, dent, points=[START * R])[0]
        assert work == pytest.approx(P * (np.pi * R**2 - _flat(dent)[1]), rel=0.06)


def test_cap() -> None:
    """A sphere of the radius R, pressed flat on a disc with the area pi 2 R dent: 11.5 mm at 25 N."""
    dent = 25.0 / (2 * np.pi * P * R)
    assert dent == pytest.approx(11.5e-3, abs=0.05e-3)
    assert dent_force(SECTION, dent, 0.0, 0.0, 1.0) == pytest.approx(25.0)


# ---- vines ----


def _grown(
    environment: Environment, params: VineParams, length: float, pressure: float = 0.0
) -> tuple[Rollout, Floats]:
    """A vine with one actuator all along, and its last joints [m]."""
    model = QuasiStatic(environment, params, threads=1)
    most = int(np.ceil(length / params.segment_length)) + 1
    vine = Actuation(np.full((1, most), pressure), np.full((1, most), 0.04))
    rollout = model.grow(model.start(1, most), vine, length, params.segment_length)
    last = rollout.state(np.zeros(1, np.int64), rollout.records - 1)
    joints = centerlines(last, environment.start, params)[0]
    return rollout, joints[~np.isnan(joints[:, 0])]


def _corridor(height: float, aside: float = 0.0) -> Environment:
    """A corridor of a height, in diameters, that begins after 0.5 m; the tube starts beside its middle [m]."""
    half = height * R
    walls = [box_corners(0.5, half, 1.5, 0.3), box_corners(0.5, -0.3, 1.5, -half)]
    return Environment("corridor", "", (-0.2, -0.5, 2, 0.5), (0, aside, 0), (1.8, 0, 0.1), Obstacles(polygons=walls))


def _facing(distance: float, tilt: float = 0.0) -> Environment:
    """A wall across the way of the tip."""
    wall = [box_corners(distance, -0.4, distance + 0.2, 0.4)]
    return Environment("wall", "", (-0.2, -0.5, 2, 0.5), (0, 0, tilt), (1.8, 0, 0.1), Obstacles(polygons=wall))


@pytest.mark.parametrize("height", [0.9, 0.75, 0.55])
@pytest.mark.parametrize("aside", [0.0, 4e-3])
def test_passes_a_corridor_narrower_than_the_tube(height: float, aside: float) -> None:
    """In its middle, and both walls hold each segment there with the load of a stadium."""
    rollout, joints = _grown(_corridor(height, aside), SOFT, 1.8)
    assert rollout.status[0] == Status.GROWN
    inside = (joints[1:, 0] > 0.7) & (joints[1:, 0] < 1.3)
    assert np.abs(joints[1:, 1][inside]).max() < 0.1e-3
    force = rollout.contact_force[0, rollout.records[0] - 1, : len(joints) - 1][inside]
    assert force == pytest.approx(np.full(inside.sum(), 2 * P * np.pi * (1 - height) * R * LENGTH), rel=0.02)


def test_a_corridor_below_the_least_height_is_shut() -> None:
    rollout, joints = _grown(_corridor(0.45), SOFT, 1.8)
    assert rollout.status[0] == Status.STALLED
    assert joints[-1, 0] < 0.5
    rigid, _ = _grown(_corridor(0.9), VineParams(), 1.8)
    assert rigid.status[0] == Status.STALLED


def test_a_tip_held_by_a_wall_is_as_flat_as_the_growth_force_makes_it() -> None:
    """A short tube does not buckle: it stalls with the cap pressed by the growth force."""
    rollout, joints = _grown(_facing(0.15), SOFT, 0.3)
    assert rollout.status[0] == Status.STALLED
    expected = SOFT.growth_force / (2 * np.pi * P * R)
    assert joints[-1, 0] == pytest.approx(0.15 - R + expected, abs=0.3e-3)


@pytest.mark.parametrize("pieces", [1, 7, 40])
@pytest.mark.parametrize("segment", [LENGTH, LENGTH / 2])
def test_a_dent_does_not_depend_on_edges_and_segments(pieces: int, segment: float) -> None:
    """A bent tube pressed along a wall, in one piece or of many, with segments of two lengths."""
    params = VineParams(least_height=0.5, segment_length=segment)
    parts = np.linspace(0.2, 1.4, pieces + 1)
    x = np.concatenate([parts, parts[::-1]])
    wall = np.column_stack([x, np.concatenate([np.full(pieces + 1, 0.05), np.full(pieces + 1, 0.3)])])
    environment = Environment("wall", "", (-0.2, -0.6, 2, 0.5), (0, 0, 0), (1.8, 0, 0.1), Obstacles(polygons=[wall]))
    rollout, joints = _grown(environment, params, 1.0, pressure=15e3)
    assert rollout.status[0] == Status.GROWN
    line = shapely.LineString(joints)
    dent = R - line.distance(shapely.Polygon(wall))
    pressed = float(rollout.contact_force[0, rollout.records[0] - 1].sum())
    assert (1e3 * dent, pressed) == pytest.approx(DENT_AND_FORCE, rel=0.05)


DENT_AND_FORCE = (0.0, 0.0)


def test_random_vines_are_held_by_their_law(quasistatic: Callable[[str], QuasiStatic]) -> None:
    """No state is deeper than the largest dent, and most vines grow on as in a rigid tube."""
    environment = quasistatic("maze").environment
    rng, count, most = np.random.default_rng(5), 30, 72
    pressure, l_0 = np.zeros((count, most)), np.full((count, most), 0.04)
    for b in range(count):
        for first in range(0, most, 9):
            pressure[b, first : first + 9] = rng.choice([-1, 0, 1]) * rng.uniform(8e3, 30e3)
    model = QuasiStatic(environment, SOFT, threads=2)
    rollout = model.grow(model.start(count, most), Actuation(pressure, l_0), 1.8, 0.05)
    assert np.isin(rollout.status, (Status.GROWN, Status.STALLED)).mean() > 0.9
    solid = shapely.union_all(environment.solids.shapes())
    shapely.prepare(solid)
    deepest = []
    for b in range(count):
        states = rollout.state(np.full(rollout.records[b], b), np.arange(rollout.records[b]))
        for line in centerlines(states, environment.start, SOFT):
            deepest.append(R - shapely.LineString(line[~np.isnan(line[:, 0])]).distance(solid))
    assert max(deepest) < SECTION.most_dent + SOFT.penetration_tolerance
    assert np.mean(np.array(deepest) > SOFT.penetration_tolerance) > 0.5, "walls hardly dent these vines"
