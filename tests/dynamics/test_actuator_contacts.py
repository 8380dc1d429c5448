"""Contacts of actuators: their geometry against exact shapes, and the mechanics of a tube with a thick side in closed form."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from dynamics.chain import forward_kinematics, new_chain
from dynamics.contact_rows import new_contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import rigid_section
from dynamics.moment import joint_moments, total_moment
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import load_propagator
from dynamics.scene import Scene, build_scene
from dynamics.thickness import largest_thickness, signed_thickness
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment, Obstacles
from surrogate.force_table import cell
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
THICK = VineParams()
R = THICK.radius
CELL, PRESSURE = 0.04, 20e3
T = abs(float(signed_thickness(THICK, PRESSURE, CELL)))
MARGIN, COMPLIANCE = 12e-3, 5e-6
pytestmark = pytest.mark.usefixtures("single_thread")


def actuated(pressure: Floats) -> Actuation:
    """One vine with these pressures."""
    return Actuation(pressure[None], np.full((1, len(pressure)), CELL))


def sections(segments: int, first: int, end: int, pressure: float = PRESSURE) -> Actuation:
    """One vine, actuated from one segment up to another."""
    along = np.arange(segments)
    return actuated(np.where((along >= first) & (along < end), pressure, 0.0))


def grow(model: Any, actuation: Actuation, length: float) -> Rollout:
    rollout: Rollout = model.grow(model.start(1, actuation.pressure.shape[1]), actuation, length, 0.0125)
    return rollout


def last_line(rollout: Rollout, model: QuasiStatic) -> Floats:
    """The last centreline [m], shape (n, 2)."""
    state = rollout.state(np.zeros(1, int), rollout.records - 1)
    line = centerlines(state, model.environment.start, model.params)[0]
    return np.asarray(line[~np.isnan(line[:, 0])])


class Profile:
    """The actuators of a chain as shapes: beside each segment straight, and arcs where it bends away from them.

    The first and the last segment have none.
    """

    def __init__(self, joints: Floats, thickness: Floats) -> None:
        self.outlines: list[shapely.Geometry] = []
        self.pieces: list[shapely.Geometry] = []
        self.ends: list[shapely.Geometry] = []
        """Where sections begin and end."""
        along = np.diff(joints, axis=0)
        normals = (
            np.stack([-along[:, 1], along[:, 0]], axis=1) / np.hypot(*along.T)[:, None] * np.sign(thickness)[:, None]
        )
        for i in np.flatnonzero(thickness):
            self._add(joints[i : i + 2], normals[[i, i]], abs(thickness[i]))
            goes_on, begins = thickness[i + 1] == thickness[i], thickness[i - 1] != thickness[i]
            for joint, at_end in ((joints[i], begins), (joints[i + 1], not goes_on)):
                sides = joint + np.array([[R], [R + abs(thickness[i])]]) * normals[i]
                self.ends += [shapely.LineString(sides)] if at_end else []
            if goes_on and (along[i, 0] * along[i + 1, 1] - along[i, 1] * along[i + 1, 0]) * thickness[i] < 0:
                ways = normals[i] + np.linspace(0, 1, 33)[:, None] * (normals[i + 1] - normals[i])
                self._add(joints[i + 1], ways / np.hypot(*ways.T)[:, None], abs(thickness[i]))

    def _add(self, axis: Floats, ways: Floats, thickness: float) -> None:
        outline = axis + (R + thickness) * ways
        self.outlines.append(shapely.LineString(outline))
        self.pieces.append(shapely.Polygon([*(axis + R * ways), *outline[::-1]]))


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


def profile_of(joints: Floats, actuation: Actuation) -> shapely.Geometry:
    """The actuators of a vine of `sections` as one shape."""
    return shapely.union_all(Profile(joints, T * np.sign(actuation.pressure[0])).pieces)


def post_beside(side: int, angle: float, along: float, radius: float) -> list[float]:
    """A post that the thick side of a first segment touches, once it has turned by an angle."""
    out = R + T + radius
    x, y = along * np.cos(angle) - out * np.sin(angle), along * np.sin(angle) + out * np.cos(angle)
    return [x, side * y, radius]


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("angle", [0.1, 0.2])
def test_held_segment_leans_on_a_post_with_its_actuator(environment: MakeEnvironment, side: int, angle: float) -> None:
    """It stops where the actuator touches, and the force times its lever is what its moment lacks there."""
    params, post = replace(THICK, segment_length=0.1), post_beside(side, angle, 0.05, 0.01)
    model = QuasiStatic(environment(circles=[post]), params)
    straight = VineState(np.zeros((1, 2)), np.full(1, 2), np.full(1, 0.1))
    rollout = model.grow(straight, sections(2, 0, 1, side * PRESSURE), 0.0, 0.1)
    assert rollout.status[0] == Status.GROWN
    found, force = side * float(rollout.angles[0, 0, 0]), float(rollout.contact_force[0, 0, 0])
    compliance = 1 / params.contact_stiffness + 1 / (np.pi / 2 * PRESSURE * 0.75 * T)
    assert 0.0 < found - angle < 1.2 * force * compliance / 0.05
    cosine, sine = np.cos(found), np.sin(found)
    along, across = post[0] * cosine + side * post[1] * sine, side * post[1] * cosine - post[0] * sine
    assert across - R - T - post[2] == pytest.approx(-force * compliance, abs=1e-6)
    joint = joint_moments(params)
    moment = -total_moment(joint, 0.25 * found, PRESSURE, cell(joint.tables, 0, CELL))[0]
    assert moment > 0.1
    assert force * along == pytest.approx(moment, rel=1e-4)


def face(side: int, distance: float) -> list[float]:
    """A block 0.08 m long beside a tube that grows along x, at a distance from its axis."""
    low, high = sorted([side * distance, side * (distance + 0.2)])
    return [0.1, low, 0.18, high]


@pytest.mark.parametrize("name", ["quasistatic", "penalty"])
@pytest.mark.parametrize("side", [1, -1])
def test_section_that_bends_towards_a_wall_leans_on_it_with_its_actuator(
    environment: MakeEnvironment, name: str, side: int
) -> None:
    """Where a wall leaves half of its thickness, the actuator pushes the tube away: it touches, and no other part does."""
    pressed = sections(12, 2, 9, side * PRESSURE)
    model = load_propagator(name)(environment(boxes=[face(side, R + T / 2)]), THICK)
    rollout = grow(model, pressed, 0.3)
    assert rollout.status[0] == Status.GROWN
    actuators = profile_of(last_line(rollout, model), pressed)
    (wall,) = model.environment.obstacles.shapes()
    assert actuators.distance(wall) < 1e-4
    forces = rollout.contact_force[0, rollout.records[0] - 1]
    # Each newton per metre takes 2 / (pi P) of its height; joints and corners that press share the wall's length only roughly.
    dented = actuators.intersection(wall).area / (forces.sum() / (np.pi / 2 * PRESSURE))
    assert 0.3 < dented < 1.0
    assert forces[2:9].sum() > 1.0
    assert np.delete(forces, np.arange(2, 9)).sum() == 0.0


def test_sides_are_mirror_images(environment: MakeEnvironment) -> None:
    """A vine on the right of its wall does what one on the left does."""
    left, right = (
        grow(
            QuasiStatic(environment(boxes=[face(side, R + T / 2)]), THICK),
            sections(12, 2, 9, side * PRESSURE),
            0.3,
        )
        for side in (1, -1)
    )
    np.testing.assert_allclose(right.tips[..., 0], left.tips[..., 0], atol=1e-9)
    np.testing.assert_allclose(right.tips[..., 1:], -left.tips[..., 1:], atol=1e-9)
    np.testing.assert_allclose(right.contact_force, left.contact_force, atol=1e-6)


def test_wall_on_the_other_side_touches_the_tube_alone(environment: MakeEnvironment) -> None:
    """A tube that slides along a wall with its bare side grows as if its actuators did not stand out."""
    pressed, wall = sections(16, 2, 9, 5e3), [[-0.1, -0.3, 0.5, -0.06]]
    model = QuasiStatic(environment(boxes=wall, start=(0, 0, -0.5)), THICK)
    thick, thin = grow(model, pressed, 0.4), grow(without_thickness(model), pressed, 0.4)
    assert thick.contact_force.max() > 0.1
    np.testing.assert_array_equal(thick.angles, thin.angles)


def without_thickness(model: QuasiStatic) -> QuasiStatic:
    """A copy of a model, of actuators that do not stand out."""
    thin = QuasiStatic(model.environment, model.params)
    thin.joint = model.joint._replace(thickness=0 * model.joint.thickness)
    return thin


@pytest.mark.parametrize("first", [0, 2])
def test_head_on_walls_meet_the_cap(environment: MakeEnvironment, first: int) -> None:
    """An actuator ends at the tip with no thickness: a wall ahead stops the tip as if there were none."""
    model, pressed = QuasiStatic(environment(boxes=[[0.2, -0.5, 0.4, 0.5]]), THICK), sections(8, first, 8, 2e3)
    thick, thin = grow(model, pressed, 0.2), grow(without_thickness(model), pressed, 0.2)
    np.testing.assert_array_equal(thick.tips, thin.tips)
    assert thin.contact_force.max() > 1.0


@pytest.mark.parametrize("depth", [0.0, 5e-3, R])
def test_actuator_that_begins_in_the_wall_of_its_mount(depth: float) -> None:
    """The mount spares the first diameter of the tube and its actuator, which bends out of it as in free space."""
    boxes = Obstacles(boxes=[(-0.2, -0.5, 0.0, 0.5)])
    mounted = Environment("wall", "", (-1, -1, 1, 1), (-depth, 0, 0), (0.5, 0, 0.1), boxes, mount="wall")
    free = Environment("free", "", (-1, -1, 1, 1), (-depth, 0, 0), (0.5, 0, 0.1), Obstacles())
    pressed = sections(8, 0, 4, 10e3)
    grown = [grow(QuasiStatic(place, THICK), pressed, 0.2) for place in (mounted, free)]
    np.testing.assert_allclose(grown[0].tips, grown[1].tips, atol=1e-4)  # contacts within the margin shorten the steps


def test_published_physics_has_no_thickness(environment: MakeEnvironment) -> None:
    """A wall where there is room for the tube, and not for its actuator, is as in paper 002."""
    published = replace(THICK, physics="published")
    assert largest_thickness(published) == 0.0
    model, pressed = QuasiStatic(environment(boxes=[face(1, R + T / 2)]), published), sections(12, 2, 9)
    wall = model.environment.obstacles.shapes()[0]
    rollout = grow(model, pressed, 0.3)
    assert profile_of(last_line(rollout, model), pressed).intersection(wall).area > 1e-4


CORRIDOR = 2 * R + T / 2


def corridor(width: float) -> list[list[float]]:
    """Two walls that begin 0.2 m ahead of the base, with a free width between them."""
    return [[0.2, -0.5, 1.3, -width / 2], [0.2, width / 2, 1.3, 0.5]]


@pytest.mark.parametrize("name", ["quasistatic", "penalty"])
@pytest.mark.parametrize("pressure", [PRESSURE, -PRESSURE])
def test_corridor_flattens_an_inflated_section(environment: MakeEnvironment, name: str, pressure: float) -> None:
    """In a corridor that leaves half of its thickness, both walls press on the tube and it grows on; nothing else presses on it."""
    model = load_propagator(name)(environment(boxes=corridor(CORRIDOR)), THICK)
    rollout = grow(model, sections(40, 16, 24, pressure), 1.0)
    assert rollout.status[0] == Status.GROWN
    forces = rollout.contact_force[0, rollout.records[0] - 1]
    assert forces[17:23].min() > np.pi / 2 * PRESSURE * (T / 4) * 0.025
    assert forces[:15].sum() + forces[25:].sum() < 0.05 * forces.sum()


@pytest.mark.parametrize("name", ["quasistatic", "penalty"])
def test_vented_section_passes_untouched(environment: MakeEnvironment, name: str) -> None:
    model = load_propagator(name)(environment(boxes=corridor(CORRIDOR)), THICK)
    rollout = grow(model, sections(32, 16, 24, 0.0), 0.8)
    assert rollout.status[0] == Status.GROWN
    assert rollout.tips[0, rollout.records[0] - 1, 0] == pytest.approx(0.8)


def test_wider_corridor_lets_an_inflated_section_pass(environment: MakeEnvironment) -> None:
    model = QuasiStatic(environment(boxes=corridor(2 * R + T + 0.02)), THICK)
    rollout = grow(model, sections(32, 16, 24), 0.8)
    assert rollout.status[0] == Status.GROWN
