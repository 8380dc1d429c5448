"""Geometry and energy of the contacts of actuators, against exact shapes and closed forms."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import shapely

from dynamics.chain import forward_kinematics, new_chain
from dynamics.contact_rows import new_contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import rigid_section
from dynamics.scene import Scene, build_scene
from dynamics.thickness import signed_thickness
from environments import Environment, Obstacles
from surrogate.kernels.compiled import Floats
from tests.dynamics.actuator_profile import CELL, PRESSURE, THICK, Profile, R, T

MakeEnvironment = Callable[..., Environment]
MARGIN, COMPLIANCE = 12e-3, 5e-6


def random_obstacles(rng: np.random.Generator) -> Obstacles:
    """Two boxes, a circle and a wall with round ends."""
    low, size = rng.uniform(-0.4, 0.4, (2, 2)), rng.uniform(0.02, 0.2, (2, 2))
    circle = [*rng.uniform(-0.4, 0.4, 2), rng.uniform(5e-3, 0.05)]
    wall = [*rng.uniform(-0.4, 0.4, 4), 0.02]
    return Obstacles(boxes=np.hstack([low, low + size]), circles=[circle], walls=[wall], ends="round")


class Posed:
    """A chain of 16 segments with two actuators on its left and one on its right, all of full thickness, in a random pose."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.chain, self.rows = new_chain(16), new_contacts(400)
        pressure = np.repeat([0.0, PRESSURE, 0.0, -PRESSURE, PRESSURE, 0.0], [1, 4, 1, 3, 2, 5])
        self.thickness = signed_thickness(THICK, pressure, CELL)
        self.angles = rng.normal(0, rng.choice([0.03, 0.2]), 16)
        self.base = np.array([*rng.uniform(-0.3, 0.3, 2), rng.uniform(-np.pi, np.pi)])

    def joints(self, last_length: float = 0.025) -> Floats:
        forward_kinematics(self.chain, self.angles, np.zeros(16), self.base, 16, last_length, 0.025)
        return np.stack([self.chain.x, self.chain.y], axis=1)

    def touch(self, scene: Scene) -> dict[int, int]:
        """Rows of actuators by their key, after all other rows."""
        self.chain.thickness[:] = 0.0
        bare = find_contacts(scene, rigid_section(R, COMPLIANCE), MARGIN, self.chain, 16, self.rows)
        self.chain.thickness[:] = self.thickness
        every = find_contacts(scene, rigid_section(R, COMPLIANCE), MARGIN, self.chain, 16, self.rows)
        return {int(self.rows.key[k]): k for k in range(bare, every)}


def scenes(seed: int) -> Iterator[tuple[Scene, shapely.Geometry, np.random.Generator]]:
    """Random scenes, and their obstacles as one shape."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        environment = Environment("", "", (-1, -1, 1, 1), (0, 0, 0), (0.9, 0, 0.05), random_obstacles(rng))
        solid = shapely.union_all(environment.obstacles.shapes())
        yield build_scene(environment, R + MARGIN, R + MARGIN + 0.025), solid, rng


def test_gaps_are_the_distances_of_the_profile() -> None:
    """Wherever the tube is free, but at both ends of a section, whose contacts are those of the pieces alone."""
    met, within = 0, 0
    for scene, solid, rng in scenes(3):
        for _ in range(250):
            posed = Posed(rng)
            joints = posed.joints()
            if shapely.LineString(joints).distance(solid) < R:
                continue
            profile, found = Profile(joints, posed.thickness), posed.touch(scene)
            least = min((posed.rows.gap[k] for k in found.values()), default=np.inf)
            overlap = shapely.union_all(profile.pieces).intersection(solid)
            outlines = shapely.union_all(profile.outlines)
            touched = shapely.get_point(shapely.shortest_line(outlines, solid), 0) if overlap.is_empty else overlap
            if touched.distance(shapely.union_all(profile.ends)) < 1e-3:
                continue
            if not overlap.is_empty:
                within += 1
                assert least < (0.0 if overlap.area > 2e-6 else 2e-4)
            elif outlines.distance(solid) < MARGIN - 2e-4:
                met += 1
                assert least == pytest.approx(outlines.distance(solid), abs=2e-4)  # circles of less than 256 corners
    assert within > 80
    assert met > 60


def test_rows_are_the_derivatives_of_gaps() -> None:
    """For every bend; the supply inflates an actuator, so that growth alone moves none."""
    step, met = 1e-6, 0
    for scene, _, rng in scenes(4):
        for _ in range(20):
            posed = Posed(rng)
            posed.thickness = np.roll(posed.thickness, 4)  # up to the tip
            posed.joints(0.015)
            before = posed.touch(scene)
            gap, growth = posed.rows.gap.copy(), posed.rows.growth.copy()
            levers = [
                posed.rows.alpha.copy(),
                posed.rows.beta.copy(),
                posed.rows.gamma.copy(),
                posed.rows.segment.copy(),
            ]
            pivots = np.stack([np.ones(16), posed.chain.pivot_x, posed.chain.pivot_y])
            assert not growth[list(before.values())].any()
            for j in range(16):
                posed.angles[j] += step
                posed.joints(0.015)
                after = posed.touch(scene)
                posed.angles[j] -= step
                for key in before.keys() & after.keys():
                    k = before[key]
                    alpha, beta, gamma, segment = (part[k] for part in levers)
                    expected = np.array([alpha, beta, gamma]) @ pivots[:, j] if j <= segment else 0.0
                    assert (posed.rows.gap[after[key]] - gap[k]) / step == pytest.approx(expected, abs=1e-4)
                    met += 1
    assert met > 1000


def squeezed_energy(posed: Posed, scene: Scene) -> float:
    """Energy of the contacts of actuators [J]."""
    posed.chain.stiffness[:] = np.pi / 2 * PRESSURE
    posed.joints()
    rows = list(posed.touch(scene).values())
    return float(np.square(np.minimum(posed.rows.gap[rows], 0.0)).sum()) / 2 / COMPLIANCE


def test_energy_of_a_squeezed_actuator_is_continuous() -> None:
    """No small motion of a tube changes it at once, so that a vine can come to rest anywhere.

    On the way, corners pass from a piece to the next one and past the end of a section, and joints past the end of an edge.
    """
    parts, moved, looked = 400, 0, 0
    for scene, solid, rng in scenes(5):
        posed, before = Posed(rng), np.nan
        start, bent = posed.base, posed.angles
        way, bend = rng.normal(0, [0.02, 0.02, 0.1]), rng.normal(0, 0.1, 16)
        for i in range(parts):
            posed.angles = bent + i / parts * bend
            posed.base = start + i / parts * way
            if shapely.LineString(posed.joints()).distance(solid) < R:
                before = np.nan
                continue
            energy = squeezed_energy(posed, scene)
            moved += energy > 0.0
            if abs(energy - before) > 1e-3:
                looked += 1
                between = []
                for share in (i - np.arange(33) / 32) / parts:
                    posed.angles, posed.base = bent + share * bend, start + share * way
                    between.append(squeezed_energy(posed, scene))
                assert np.abs(np.diff(between)).max() < 0.2 * abs(energy - before)
            before = energy
    assert moved > 500
    assert looked > 50


@pytest.mark.parametrize(("joint", "bend"), [(5, 0.4), (5, -0.4), (12, 0.0)])
def test_corner_passes_a_joint_smoothly(environment: MakeEnvironment, joint: int, bend: float) -> None:
    """A spike that presses an actuator by 8 mm is moved past a bend and past its end: no step of 20 um changes its energy by 0.5 %."""
    spike = [[0.1, -R - T + 8e-3], [0.105, -R - T - 0.3], [0.095, -R - T - 0.3]]
    scene = build_scene(environment(polygons=[spike]), R + MARGIN, R + MARGIN + 0.025)
    posed = Posed(np.random.default_rng(0))
    posed.thickness = np.where(np.arange(16) < 12, -T, 0.0)
    posed.angles = np.where(np.arange(16) == joint, bend, 0.0)
    corner, energies = np.array([0.1, -R - T + 8e-3]), []
    for along in np.arange(-0.03, 0.03, 2e-5):
        # The joint above the corner, the bisector of its bend upright.
        posed.base = np.zeros(3)
        joints = posed.joints()
        half = -np.arctan2(*(joints[joint] - joints[joint - 1])[::-1]) - bend / 2
        turn = np.array([[np.cos(half), -np.sin(half)], [np.sin(half), np.cos(half)]])
        placed = corner + np.array([along, R + T - 8e-3]) - turn @ joints[joint]
        posed.base = np.array([*placed, half])
        energies.append(squeezed_energy(posed, scene))
    assert energies[-1] > 0.0
    assert (energies[0] == 0.0) == (joint == 12)
    assert np.abs(np.diff(energies)).max() < 5e-3 * max(energies)


@pytest.mark.parametrize(("from_tip", "from_end", "share"), [(R / 2, R / 2, 0.5), (0.2, T / 8, 0.25), (0.2, 0.1, 1.0)])
def test_actuators_are_soft_at_their_ends_and_behind_the_tip(
    environment: MakeEnvironment, from_tip: float, from_end: float, share: float
) -> None:
    """A spike that takes 8 mm of their height needs the energy of 3 t / 4 of length, or a share of that: over half of the thickness at an
    end, and over a radius behind the tip."""
    spike = [[0.2, -R - T + 8e-3], [0.205, -R - T - 0.3], [0.195, -R - T - 0.3]]
    scene = build_scene(environment(polygons=[spike]), R + MARGIN, R + MARGIN + 0.025)
    posed = Posed(np.random.default_rng(0))
    posed.base, posed.angles = np.array([0.2 + from_tip - 0.4, 0.0, 0.0]), np.zeros(16)
    bare = round((from_tip - from_end) / 0.025)
    posed.base[0] += 0.025 * bare - (from_tip - from_end)
    posed.thickness = np.where(np.arange(16) < 16 - bare, -T, 0.0)
    stiffness = np.pi / 2 * PRESSURE * 0.75 * T * share
    assert squeezed_energy(posed, scene) == pytest.approx(8e-3**2 / 2 / (COMPLIANCE + 1 / stiffness), rel=1e-6)


@pytest.mark.parametrize("bend", [-1e-15, 0.0, 1e-15])
def test_straight_actuators_touch_walls_however_they_are_rounded(environment: MakeEnvironment, bend: float) -> None:
    """Beside a wall that takes 5 mm of its height, each joint within has the energy of a segment's length, whichever way it bends by
    rounding."""
    scene = build_scene(environment(boxes=[[0.0, -1.0, 1.0, -R - T + 5e-3]]), R + MARGIN, R + MARGIN + 0.025)
    posed = Posed(np.random.default_rng(0))
    posed.base, posed.angles = np.array([0.3, 0.0, 0.0]), np.full(16, bend)
    posed.thickness = np.where(np.arange(16) < 10, -T, 0.0)
    joint = 5e-3**2 / 2 / (COMPLIANCE + 1 / (np.pi / 2 * PRESSURE * 0.025))
    assert squeezed_energy(posed, scene) == pytest.approx(9 * joint, rel=0.01)


def test_straight_joints_have_the_same_rows_whatever_their_rounding() -> None:
    """Rows of a straight joint do not depend on the sign of a remainder: fused multiplications leave one in place of 0."""
    met = 0
    for scene, _, rng in scenes(6):
        for _ in range(20):
            posed = Posed(rng)
            posed.angles[1:] = 0.0
            posed.joints()
            cosine = posed.chain.cosine.copy()
            found = []
            for towards in (np.inf, -np.inf):
                posed.chain.cosine[:] = cosine
                posed.chain.cosine[1::2] = np.nextafter(cosine[1::2], towards)
                found.append(set(posed.touch(scene)))
            assert found[0] == found[1]
            met += len(found[0])
    assert met > 100
