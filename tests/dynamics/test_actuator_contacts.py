"""Mechanics of a tube with actuators that stand out from its side, in closed form."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from dynamics.moment import joint_moments, total_moment
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import load_propagator
from dynamics.thickness import largest_thickness
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment, Obstacles
from surrogate.force_table import cell
from surrogate.kernels.compiled import Floats
from tests.dynamics.actuator_profile import CELL, PRESSURE, THICK, Profile, R, T

MakeEnvironment = Callable[..., Environment]
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
