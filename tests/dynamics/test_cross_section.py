"""The cross-section of an inflated tube: closed forms of its laws, and vines whose walls they must hold exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp, trapezoid
from scipy.optimize import root

from dynamics.chain import forward_kinematics
from dynamics.contact_rows import NO_KEY, Press, add, new_contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import (
    AT,
    COMPLIANCE,
    CORNER,
    FOLLOWS,
    LENGTH,
    MOST,
    RIGID,
    TIP,
    cross_section,
    dent_compliance,
)
from dynamics.dent_depth import dent_depths
from dynamics.impulse.propagator import Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import new_work
from dynamics.soft_contacts import neighbours, shared_compliance, shared_reach, too_deep
from dynamics.tube import InvalidTube, VineParams
from dynamics.tube_file import parse_tube, tube_content, tube_table
from dynamics.vine import Actuation, Rollout, Status, centerlines
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from surrogate.kernels.compiled import Floats

SOFT = VineParams(least_height=0.5)
SECTION = cross_section(SOFT)
R, P, SEGMENT = SOFT.radius, SOFT.growth_pressure, SOFT.segment_length


def _film(load: float) -> tuple[float, float]:
    """Height and area of an inextensible film of the circumference 2 pi that a wall presses with a load; pressure and radius are 1.

    From the edge of the flat, whose width is the load, to the top: angle, tension, x, y, and what the hold by shear, tension' =
    hold sin(angle), adds up to. Tension and hold are such that the film closes and the hold balances the load.
    """
    arc = np.pi - load / 2

    def slopes(_: float, film: Floats) -> list[float]:
        return [1 / film[1], hold * np.sin(film[0]), np.cos(film[0]), np.sin(film[0]), np.sin(film[0]) ** 2]

    def missed(unknown: Floats) -> list[float]:
        nonlocal hold
        tension, hold = unknown
        end = solve_ivp(slopes, (0, arc), [0, tension, load / 2, 0, 0], rtol=1e-9, atol=1e-11).y[:, -1]
        return [end[0] - np.pi, 2 * hold * end[4] - load]

    hold = 0.0
    tension, hold = root(missed, [1 - 1.5 * load / np.pi, load / np.pi], tol=1e-10).x
    at = np.linspace(0, arc, 4001)
    film = solve_ivp(slopes, (0, arc), [0, tension, load / 2, 0, 0], rtol=1e-9, atol=1e-11, t_eval=at).y
    assert film[2, -1] == pytest.approx(0, abs=1e-6)
    return float(film[3, -1]), float(2 * trapezoid(film[2] * np.sin(film[0]), at))


def _compliance(length: float, cap: float = 0.0) -> float:
    """Compliance of the cross-section [m/N] where a wall presses on a length of tube [m], or on the cap."""
    pressing = np.zeros(COMPLIANCE + 1)
    pressing[LENGTH], pressing[TIP], pressing[MOST] = length, cap, SECTION.most_dent
    return dent_compliance(SECTION, pressing)


@pytest.mark.parametrize(("load", "accuracy"), [(0.02, 2e-3), (0.4, 0.03), (1.0, 0.09)])
def test_load_of_a_plate(load: float, accuracy: float) -> None:
    """The film's height and area by its equilibrium, against the compliance: dent, what the opposite side gives, and work."""
    height, area = _film(load)
    dent = _compliance(1.0) * load * P * R
    assert 2 * R - dent * (1 + FOLLOWS) == pytest.approx(height * R, abs=accuracy * (2 - height) * R)
    assert 0.5 * load * P * R * dent == pytest.approx(P * R**2 * (np.pi - area), rel=accuracy)


@pytest.mark.parametrize("height", [0.95, 0.8, 0.5])
def test_two_walls_do_the_work_of_the_lost_area(height: float) -> None:
    """A stadium of the circumference 2 pi R: load per length P pi (R - H / 2), area pi R^2 h (2 - h)."""
    dent = (1 - height) * R
    load = dent / (_compliance(1.0) * (1 + FOLLOWS))
    assert load == pytest.approx(P * np.pi * (R - height * R))
    area = np.pi * (height * R) ** 2 + 2 * height * R * np.pi * (1 - height) * R
    assert area == pytest.approx(np.pi * R**2 * height * (2 - height))
    assert 2 * 0.5 * load * dent == pytest.approx(P * (np.pi * R**2 - area))


def test_cap() -> None:
    """A sphere of the radius R, pressed flat on a disc with the area pi 2 R dent: 11.5 mm at 25 N."""
    dent = 25.0 * _compliance(0.0, SECTION.cap)
    assert dent == pytest.approx(25.0 / (2 * np.pi * P * R))
    assert dent == pytest.approx(11.5e-3, abs=0.05e-3)


def test_compliance_of_contacts_is_positive_definite() -> None:
    """Contacts of a random vine in a narrow place share dents as the entries of a Gram matrix."""
    model = QuasiStatic(_corridor(0.7, 4e-3), SOFT, threads=1)
    work, rng = new_work(30), np.random.default_rng(2)
    forward_kinematics(work.chain, rng.normal(0, 0.02, 30), np.zeros(30), model.pose, 30, 0.01, SOFT.segment_length)
    count = find_contacts(model.scene, model.tube.section, model.tube.margin, work.chain, 30, work.contacts)
    reach = shared_reach(SECTION)
    matrix = np.array([[shared_compliance(work.contacts, k, m, reach) for m in range(count)] for k in range(count)])
    np.fill_diagonal(matrix, work.contacts.pressing[:count, COMPLIANCE])
    assert np.linalg.eigvalsh(matrix).min() > 0
    count = int((work.contacts.pressing[:count, RIGID] == 0).sum())  # the rigid contacts where dents end follow these
    matrix = matrix[:count, :count]
    assert count > 15
    assert (matrix == matrix.T).all()
    assert np.count_nonzero(matrix) > 3 * count
    assert np.linalg.eigvalsh(matrix).min() > 0


def test_a_corner_in_a_bend_is_one_dent() -> None:
    """A pin on the inner side of a bend presses on the segments before and after it: with one force it is held, on whichever."""
    pin = Environment("pin", "", (-1, -1, 2, 1), (0, 0, 0), (1.8, 0, 0.1), Obstacles(circles=[(0.298, 0.026, 0.001)]))
    model, work, bends = QuasiStatic(pin, SOFT, threads=1), new_work(20), np.zeros(20)
    bends[12] = 0.3
    forward_kinematics(work.chain, bends, np.zeros(20), model.pose, 20, SEGMENT, SEGMENT)
    count = find_contacts(model.scene, model.tube.section, model.tube.margin, work.chain, 20, work.contacts)
    count = int((work.contacts.pressing[:count, RIGID] == 0).sum())  # the rigid contacts where dents end follow these
    assert {11, 12} <= set(work.contacts.segment[:count].tolist())
    for k in range(count):
        for m in range(count):
            shared = shared_compliance(work.contacts, k, m, shared_reach(SECTION))
            assert shared == pytest.approx(_compliance(SECTION.cap), rel=1e-12)


def test_no_contact_hides_another(params: VineParams) -> None:
    """All contacts within a reach are neighbours, also where a corner presses behind those that precede it in the order of segments.

    The first case was a vine that never came to rest: whether a passage squeezed its tip changed where a corner passed the reach.
    """
    reach, rng = 2.0 * params.radius, np.random.default_rng(0)
    cases = [[(28, 0.6615), (28, 0.6361), (29, 0.6841), (30, 0.7029)]]
    for _ in range(50):
        segments = np.sort(rng.integers(0, 40, 60))
        cases.append([(int(i), float(params.segment_length * (i + rng.uniform(-0.25, 1.25)))) for i in segments])
    for case in cases:
        contacts, at = new_contacts(80), np.array([place for _, place in case])
        for count, (segment, place) in enumerate(case):
            ray, press = ((0.0, 0.0), (0.0, 1.0)), Press(0.0125, 0.0, place, -1.0, 0.01)
            add(contacts, count, (0, segment), count, -1e-3, ray, 0.0, press)
        for k in range(len(case)):
            first, end = neighbours(contacts, len(case), k, reach)
            near = np.flatnonzero(np.abs(at - at[k]) < reach)
            assert (first, end) == (near[0], near[-1] + 1)


@pytest.mark.parametrize(("heading", "low"), [(0.0, 0.21), (np.pi, 0.26)])
def test_an_edge_presses_where_it_lies(heading: float, low: float) -> None:
    """Joints near an end of an edge count only with the length of tube that lies on it, in either direction of growth."""
    params = replace(VineParams(), least_height=0.5)
    box = box_corners(0.21, -0.3, 0.34, 1e-3 - params.radius)
    start = np.array([0.0 if heading == 0.0 else 0.6, 0.0, heading])
    workspace = Environment("edge", "", np.array([-1, -1, 2, 1.0]), start, np.array([1.5, 0.5, 0.1]), Obstacles((box,)))
    propagator, count = QuasiStatic(workspace, params), 24
    tube, work, full = propagator.tube, new_work(count), params.segment_length
    forward_kinematics(work.chain, np.zeros(count), np.zeros(count), propagator.pose, count, full, full)
    found = find_contacts(propagator.scene, tube.section, tube.margin, work.chain, count, work.contacts)
    pressing = work.contacts.pressing[:found]
    edges = pressing[pressing[:, CORNER] < 0]
    first, last = edges[:, AT] - edges[:, LENGTH] / 2, edges[:, AT] + edges[:, LENGTH] / 2
    np.testing.assert_allclose([first.min(), last.max()], [low, low + 0.13], atol=1e-9)
    assert edges[:, LENGTH].sum() == pytest.approx(0.13)


def test_only_the_near_side_of_a_thin_plate_presses() -> None:
    """The far side is within reach of a soft tube, 4 mm beyond the near one; each joint presses once, by the depth in the near side."""
    params = replace(VineParams(), least_height=0.5)
    plate = box_corners(0.15, -4e-3 - params.radius, 0.9, 1e-3 - params.radius)
    workspace = Environment("plate", "", (-1, -1, 2, 1), (0, 0, 0), (1.5, 0.5, 0.1), Obstacles((plate,)))
    propagator, count = QuasiStatic(workspace, params, threads=1), 24
    work, full = new_work(count), params.segment_length
    forward_kinematics(work.chain, np.zeros(count), np.zeros(count), propagator.pose, count, full, full)
    tube = propagator.tube
    found = find_contacts(propagator.scene, tube.section, tube.margin, work.chain, count, work.contacts)
    edges = work.contacts.pressing[:found, CORNER] < 0
    assert edges.sum() == len(np.unique(work.contacts.segment[:found][edges])) > 10
    np.testing.assert_allclose(work.contacts.gap[:found][edges], -1e-3, atol=1e-12)


@pytest.mark.parametrize(("lacking", "deep"), [(0.9e-3, False), (1.1e-3, True)])
def test_a_dent_that_its_forces_do_not_hold_is_too_deep(lacking: float, deep: bool) -> None:
    """A tube 3 mm deep in a plate, with equal forces of which the worst placed holds all but some of it: 1 mm may be lacking."""
    plate = box_corners(-0.5, -0.5, 1.9, 3e-3 - R)
    workspace = Environment("plate", "", (-1, -1, 2, 1), (0, 0, 0), (1.5, 0.5, 0.1), Obstacles((plate,)))
    model, work, count = QuasiStatic(workspace, SOFT, threads=1), new_work(24), 24
    forward_kinematics(work.chain, np.zeros(count), np.zeros(count), model.pose, count, SEGMENT, SEGMENT)
    tube, rows = model.tube, work.contacts
    found = find_contacts(model.scene, tube.section, tube.margin, work.chain, count, rows)
    reach = shared_reach(tube.section)
    gives = [
        sum(rows.pressing[k, COMPLIANCE] if m == k else shared_compliance(rows, k, m, reach) for m in range(found))
        for k in range(found)
    ]
    forces = np.full(found, (3e-3 - lacking) / min(gives))
    keys = np.append(rows.key[:found], NO_KEY)
    assert too_deep(tube.section, rows, found, SOFT.penetration_tolerance, keys, forces) == deep
    assert too_deep(tube.section, rows, found, SOFT.penetration_tolerance, keys, 0.0 * forces)


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
    last = rollout.records[0] - 1
    force = rollout.contact_force[0, last, : len(joints) - 1][inside]
    assert force == pytest.approx(np.full(inside.sum(), 2 * P * np.pi * (1 - height) * R * SEGMENT), rel=0.02)
    middle = int(np.argmin(np.abs(joints[1:, 0] - 1.0)))
    found = dent_depths(joints[None], _corridor(height, aside), R)[0]
    assert found[middle] == pytest.approx((1 - height) * R, abs=0.1e-3)
    # Where the tip is in the corridor, its force is that of the area.
    assert rollout.needed_force is not None
    in_corridor = (rollout.tips[0, :last, 0] > 0.6) & (rollout.tips[0, :last, 0] < 1.4)
    lost = rollout.needed_force[0, :last][in_corridor] / SOFT.growth_force
    assert lost == pytest.approx(np.full(in_corridor.sum(), (1 - height) ** 2), rel=0.05)


@pytest.mark.parametrize("height", [0.9, 0.75])
def test_left_is_like_right(height: float) -> None:
    """A tube beside the middle of a corridor, and its mirror image: the order in which its walls are looked at does not count."""
    left, right = (_grown(_corridor(height, aside), SOFT, 0.8) for aside in (4e-3, -4e-3))
    mirrored = right[1] * np.array([1, -1])
    assert np.abs(left[1] - mirrored).max() < 1e-9
    assert left[0].needed_force == pytest.approx(right[0].needed_force, abs=1e-6)


def test_a_corridor_below_the_least_height_is_shut() -> None:
    rollout, joints = _grown(_corridor(0.45), SOFT, 1.8)
    assert rollout.status[0] == Status.STALLED
    assert joints[-1, 0] < 0.5
    rigid, _ = _grown(_corridor(0.9), VineParams(), 1.8)
    assert rigid.status[0] == Status.STALLED


@pytest.mark.parametrize(("tail", "passes"), [(14.0, True), (17.0, False)])
def test_a_squeeze_costs_growth_force(tail: float, passes: bool) -> None:
    """In a corridor of 0.7 diameters 0.3^2 of 25 N, 2.25 N, are lost, besides what the corners of its mouth take.

    Of what two tails leave, 11 and 8 N, one is enough; both would be if the squeeze gave 2.25 N instead.
    """
    params = replace(SOFT, tail_tension=tail)
    rollout, joints = _grown(_corridor(0.7), params, 1.2)
    assert rollout.status[0] == (Status.GROWN if passes else Status.STALLED)
    assert (joints[-1, 0] > 1.0) == passes


def test_a_tip_held_by_a_wall_is_as_flat_as_the_growth_force_makes_it() -> None:
    """A short tube does not buckle: it stalls with the cap pressed by the growth force."""
    rollout, joints = _grown(_facing(0.15), SOFT, 0.3)
    assert rollout.status[0] == Status.STALLED
    expected = SOFT.growth_force / (2 * np.pi * P * R)
    assert joints[-1, 0] == pytest.approx(0.15 - R + expected, abs=0.3e-3)


def _pressed(pieces: int, segment: float, top: float = 0.3) -> tuple[float, float]:
    """Largest dent [mm] and sum of the forces [N] of a bent tube pressed along a wall of so many pieces, with its far side at `top` [m]."""
    params = VineParams(least_height=0.5, segment_length=segment, thickness_share=0.0)
    parts = np.linspace(0.1, 1.4, pieces + 1)
    wall = np.column_stack([np.r_[parts, parts[::-1]], np.repeat([0.04, top], pieces + 1)])
    environment = Environment("wall", "", (-0.2, -0.6, 2, 0.5), (0, 0, 0), (1.8, 0, 0.1), Obstacles(polygons=[wall]))
    rollout, joints = _grown(environment, params, 0.6, pressure=15e3)
    assert rollout.status[0] == Status.GROWN
    deepest = dent_depths(joints[None], environment, R).max()
    return 1e3 * float(deepest), float(rollout.contact_force[0, rollout.records[0] - 1].sum())


def test_a_dent_does_not_depend_on_the_edges_of_a_wall_nor_much_on_segments() -> None:
    """Half of the segment's length is half of the error: the first segments of the contact are what it resolves."""
    dent, force = _pressed(1, SEGMENT)
    assert 3 < dent < 12
    assert _pressed(7, SEGMENT) == pytest.approx((dent, force), rel=0.02)
    assert _pressed(40, SEGMENT) == pytest.approx((dent, force), rel=0.06)
    assert _pressed(1, SEGMENT / 2) == pytest.approx((dent, force), rel=0.15)
    assert _pressed(1, SEGMENT, top=0.043) == pytest.approx((dent, force), rel=1e-6), (
        "the far side of a thin wall presses"
    )


def test_a_round_post_dents_alike_with_shorter_segments() -> None:
    """A tube that bends round a post wider than itself lies on it: each segment has its own length of it."""
    post = Obstacles(circles=[(0.2, 0.434, 0.4)])
    environment = Environment("post", "", (-0.4, -0.6, 2, 1.0), (0, 0, 0), (1.8, 0, 0.1), post)
    found = []
    for segment in (SEGMENT, SEGMENT / 2):
        params = VineParams(least_height=0.5, segment_length=segment, thickness_share=0.0)
        rollout, joints = _grown(environment, params, 0.7, pressure=35e3)
        assert rollout.status[0] == Status.GROWN
        force = float(rollout.contact_force[0, rollout.records[0] - 1].sum())
        found.append((1e3 * float(dent_depths(joints[None], environment, R).max()), force))
    assert found[0][0] > 2
    assert found[1] == pytest.approx(found[0], rel=0.05)


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
    deepest = []
    for b in range(count):
        states = rollout.state(np.full(rollout.records[b], b), np.arange(rollout.records[b]))
        lines = centerlines(states, environment.start, SOFT)
        deepest += dent_depths(lines, environment, R).max(axis=1).tolist()
    assert max(deepest) < SECTION.most_dent + SOFT.penetration_tolerance
    assert np.mean(np.array(deepest) > SOFT.penetration_tolerance) > 0.5, "walls hardly dent these vines"


@pytest.mark.parametrize("height", [0.9, 0.7])
def test_a_moving_tube_is_squeezed_alike(height: float) -> None:
    """`Impulse` has the same laws in another method: the same place, and the same forces where it rests."""
    environment = _corridor(height, 4e-3)
    rollout, joints = _grown(environment, SOFT, 1.2)
    model = Impulse(environment, SOFT, threads=1)
    most = 50
    moved = model.grow(model.start(1, most), Actuation(np.zeros((1, most)), np.full((1, most), 0.04)), 1.2, SEGMENT)
    assert moved.status[0] == Status.GROWN
    last = moved.records[0] - 1
    assert moved.tips[0, last] == pytest.approx([*joints[-1], 0.0], abs=0.2e-3)
    force = rollout.contact_force[0, rollout.records[0] - 1, 22:40]
    assert moved.contact_force[0, last, 22:40] == pytest.approx(force, rel=0.02)


@pytest.mark.parametrize(
    ("key", "said"), [("0", "greater than or equal to 0.05"), ("1.2", "less than or equal to 1"), ("nan", "finite")]
)
def test_impossible_heights(key: str, said: str) -> None:
    with pytest.raises(InvalidTube, match=f"least_height.*{said}"):
        parse_tube(f"schema = 1\nleast_height = {key}\n".encode())
    if key == "1.2":
        with pytest.raises(ValueError, match="at most 1, the diameter"):
            VineParams(least_height=1.2)


def test_tubes_written_before_are_rigid_across() -> None:
    content = tube_content(replace(VineParams(), least_height=0.7))
    assert content["least_height"] == 0.7
    del content["least_height"]
    whole = tube_table(whole=True, actuator=(Any, ...)).model_validate(content)
    assert whole.least_height == 1.0
