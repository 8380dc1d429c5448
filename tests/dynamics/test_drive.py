"""The drag of the tail: its tension along a path against closed forms, and where growing tubes stall because of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.drive import NO_TAIL, Tail, available_force, tail_of, tail_tension
from dynamics.growth import STILL
from dynamics.impulse.rollout import PATIENCE
from dynamics.moment import free_curvature, joint_moments
from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment

MakeEnvironment = Callable[..., Environment]
MODELS = "quasistatic", "impulse", "geometric"
DRAGGED = replace(VineParams(), tail_tension=3.0, tail_drag=40.0, tail_friction=0.2)
FORCE = DRAGGED.growth_force
STEP = DRAGGED.segment_length / 6
L_0, PRESSURE = 0.04, 20e3


def along_arc(tension: float, tail: Tail, curvature: float, length: float) -> float:
    """dT = w ds + mu T |d theta| over an arc, solved: T e^(mu Theta) + w / (mu kappa) (e^(mu Theta) - 1)."""
    if curvature == 0:
        return tension + tail.drag * length
    rate = tail.friction * abs(curvature)
    return float(tension * np.exp(rate * length) + tail.drag / rate * np.expm1(rate * length))


def in_links(tail: Tail, path: list[tuple[float, float]], links: int) -> float:
    """Tension at the end of a path of arcs (curvature, length), each in so many links."""
    bends = np.concatenate([np.full(links, k * length / links) for k, length in path])
    lengths = np.concatenate([np.full(links, length / links) for _, length in path])
    return float(tail_tension(tail, bends, lengths, len(bends)))


PATHS = {
    "straight": [(0.0, 1.3)],
    "arc": [(2.5, 1.2)],
    "two arcs": [(2.5, 0.8), (0.0, 0.3), (1.5, 0.6)],
    "S": [(2.5, 0.8), (-2.5, 0.8)],
    "turn to the right": [(-3.0, 1.0)],
}


@pytest.mark.parametrize("name", PATHS)
def test_tension_converges_to_the_closed_form(name: str) -> None:
    """The error halves with the length of the links, as no link is dragged round its own bend; on straight paths there is none."""
    tail, expected = Tail(1.5, 7.0, 0.35), 1.5
    for curvature, length in PATHS[name]:
        expected = along_arc(expected, tail, curvature, length)
    errors = np.array([in_links(tail, PATHS[name], links) - expected for links in (20, 40, 80, 160)])
    if name == "straight":
        np.testing.assert_allclose(errors, 0.0, atol=1e-12)
        return
    np.testing.assert_allclose(errors[:-1] / errors[1:], 2.0, rtol=0.03)
    assert (errors < 0).all()
    assert abs(2 * errors[-1] - errors[-2]) < 2e-3 * expected / 160


def test_a_bend_comes_before_its_link() -> None:
    """Two links by hand: the bend at the base counts, and no link is dragged round its own bend."""
    tail, bends, lengths = Tail(2.0, 10.0, 0.5), np.array([0.3, -0.8, 9.0]), np.array([0.1, 0.25, 9.0])
    expected = (2.0 * np.exp(0.15) + 1.0) * np.exp(0.4) + 2.5
    assert tail_tension(tail, bends, lengths, 2) == pytest.approx(expected, rel=1e-14)
    assert available_force(20.0, tail, bends, lengths, 2) == pytest.approx(20.0 - expected, rel=1e-14)


def test_turning_is_paid_for_whatever_its_side() -> None:
    """An S of as much turning as a C has the same tension; T0 = 1 N grows by exp(mu turn), 9 N after 11 rad at 0.2."""
    tail = Tail(1.0, 3.0, 0.2)
    assert in_links(tail, [(2.0, 1.0), (-2.0, 1.0)], 50) == pytest.approx(in_links(tail, [(2.0, 2.0)], 100), rel=1e-13)
    assert in_links(Tail(1.0, 0.0, 0.2), [(2.2, 5.0)], 100) == pytest.approx(np.exp(2.2), rel=1e-12)


def test_the_force_is_never_negative_and_a_broken_bend_is_seen() -> None:
    """A drag beyond the force leaves none of it, even where the exponential overflows; what is not a number stays so."""
    one = np.ones(40)
    assert available_force(25.0, Tail(24.0, 10.0, 0.0), one, one, 40) == 0.0
    assert available_force(25.0, Tail(1.0, 0.0, 100.0), one, one, 40) == 0.0
    assert available_force(25.0, Tail(0.0, 0.1, 1e4), one, one, 1) == pytest.approx(24.9)
    assert np.isnan(available_force(25.0, Tail(1.0, 0.0, 0.2), one * np.nan, one, 40))
    assert available_force(25.0, NO_TAIL, one, one, 40) == 25.0


def free_growth(
    name: str, environment: Environment, params: VineParams, pressure: np.ndarray, length: float = 1.0
) -> Rollout:
    model: Any = load_propagator(name)(environment, params)
    actuation = Actuation(pressure[None], np.full((1, len(pressure)), L_0))
    rollout: Rollout = model.grow(model.start(1, len(pressure)), actuation, length, 0.025)
    return rollout


def film(rollout: Rollout, params: VineParams) -> float:
    last = rollout.records[0] - 1
    return float((rollout.segments[0, last] - 1) * params.segment_length + rollout.last_length[0, last])


def slack_of(name: str, params: VineParams, per_length: float) -> tuple[float, float]:
    """How far before and beyond the length at which its force is used up a model may stall [m].

    Quasi-static: within a step, and what viscosity makes of it. Impulse: a vine is stalled when it is slower than STILL in
    PATIENCE, for which it needs some force still.

    Args:
        per_length: Rise of the tail's tension per length at the end [N/m].
    """
    inertia = params.inertia
    slow = STILL / PATIENCE / inertia.growth_rate * params.growth_force / per_length
    return {"quasistatic": (STEP, STEP), "impulse": (1.2 * slow, 1e-4), "geometric": (1e-9, 1e-9)}[name]


@pytest.mark.parametrize("name", MODELS)
def test_a_straight_tube_stalls_where_its_tail_takes_all_force(environment: MakeEnvironment, name: str) -> None:
    """Free of contacts: tail_tension + tail_drag L = growth force, and there is no length beyond."""
    stalls = (FORCE - DRAGGED.tail_tension) / DRAGGED.tail_drag
    rollout = free_growth(name, environment(), DRAGGED, np.zeros(40))
    before, beyond = slack_of(name, DRAGGED, DRAGGED.tail_drag)
    assert rollout.status[0] == Status.STALLED
    assert stalls - before <= film(rollout, DRAGGED) <= stalls + beyond
    assert rollout.needed_force is not None
    assert rollout.needed_force[0, rollout.records[0] - 1] == 0.0


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("winding", [False, True])
def test_a_bent_tube_stalls_sooner(environment: MakeEnvironment, name: str, winding: bool) -> None:
    """In free space a steered tube has arcs, whether all to one side or winding: the closed form gives its length."""
    segments, full = 40, DRAGGED.segment_length
    side = np.where(np.arange(segments) // 6 % 2, -1.0, 1.0) if winding else np.ones(segments)
    rollout = free_growth(name, environment(), DRAGGED, PRESSURE * side)
    turn = float(free_curvature(joint_moments(DRAGGED), PRESSURE, L_0))
    shorter = 1 - DRAGGED.radius * turn
    tail = tail_of(DRAGGED)
    lengths = np.linspace(0, 1, 200001)
    tension = np.array([along_arc(tail.tension, tail, turn / shorter, shorter * one) for one in lengths])
    at = int(np.argmax(tension >= FORCE))
    stalls, per_length = lengths[at], (tension[at] - tension[at - 1]) / (lengths[at] - lengths[at - 1])
    before, beyond = slack_of(name, DRAGGED, per_length)
    # No link is dragged round its own bend, half of which it should be: a chain is late, by this to first order. A geometric
    # turn comes whole, before its link: that is early by at most one segment's capstan.
    late = 0.5 * full * shorter * tail.drag * np.expm1(tail.friction * turn * stalls) / per_length
    early = FORCE * np.expm1(tail.friction * turn * full) / per_length if name == "geometric" else 0.0
    assert rollout.status[0] == Status.STALLED
    assert stalls - before - early <= film(rollout, DRAGGED) - late <= stalls + beyond
    straight = (FORCE - DRAGGED.tail_tension) / DRAGGED.tail_drag
    assert film(rollout, DRAGGED) < straight - 0.04


def discrete_stall(bends: np.ndarray, lengths: np.ndarray, params: VineParams) -> float:
    """Length of centreline at which a chain of links uses up the force, links exact [m]."""
    tension, at = params.tail_tension, 0.0
    for bend, length in zip(bends, lengths, strict=True):
        tension *= np.exp(params.tail_friction * abs(bend))
        left = (params.growth_force - tension) / params.tail_drag
        if left <= length:
            return at + max(left, 0.0)
        tension, at = tension + params.tail_drag * length, at + length
    return np.inf


def test_the_geometric_length_is_exact(environment: MakeEnvironment) -> None:
    """Its steered tube is a chain of links with a turn before each: where T reaches the force, it ends, to a rounding error."""
    turn, full = float(free_curvature(joint_moments(DRAGGED), PRESSURE, L_0)), DRAGGED.segment_length
    expected = discrete_stall(np.full(40, turn * full), np.full(40, full * (1 - DRAGGED.radius * turn)), DRAGGED)
    room = environment()
    rollout = free_growth("geometric", room, DRAGGED, np.full(40, PRESSURE))
    joints = centerlines(rollout.state(np.array([0]), rollout.records - 1), room.start, DRAGGED)[0]
    assert np.nansum(np.hypot(*np.diff(joints, axis=0).T)) == pytest.approx(expected, abs=1e-9)


def test_the_published_physics_has_the_tail_too(environment: MakeEnvironment) -> None:
    """One solve per growth stalls at the same length."""
    params = replace(DRAGGED, physics="published")
    stalls = (FORCE - params.tail_tension) / params.tail_drag
    assert film(free_growth("quasistatic", environment(), params, np.zeros(40)), params) == pytest.approx(
        stalls, abs=STEP
    )


def test_a_smaller_step_stalls_nearer(environment: MakeEnvironment) -> None:
    """The force is that at the beginning of a step: a quarter of the step is at most a quarter of it too long."""
    model: Any = load_propagator("quasistatic")(environment(), DRAGGED).refined(4)
    rollout = model.grow(model.start(1, 40), Actuation(np.zeros((1, 40)), np.full((1, 40), L_0)), 1.0, 0.025)
    assert film(rollout, DRAGGED) == pytest.approx(0.55, abs=STEP / 4)


@pytest.mark.parametrize("name", MODELS)
def test_a_stalled_tube_presses_with_what_its_tail_leaves(environment: MakeEnvironment, name: str) -> None:
    """Head on against a wall 0.3 m ahead, the tip holds F - T0 - w L, no more and no less."""
    wall = environment(boxes=[(0.3 + DRAGGED.radius, -0.5, 0.5, 0.5)])
    rollout = free_growth(name, wall, DRAGGED, np.zeros(20), 0.45)
    last = rollout.records[0] - 1
    assert rollout.status[0] == Status.STALLED
    assert film(rollout, DRAGGED) == pytest.approx(0.3, abs=2e-4)
    left = FORCE - DRAGGED.tail_tension - DRAGGED.tail_drag * film(rollout, DRAGGED)
    assert rollout.contact_force[0, last].sum() == pytest.approx(left, rel=2e-3)
    assert rollout.needed_force is not None
    assert rollout.needed_force[0, last] == pytest.approx(left, rel=2e-3)


def test_impulse_grows_slower_by_the_share_of_its_tail(environment: MakeEnvironment) -> None:
    """A tail that takes 30 % of the force makes a free tube 30 % slower: it yields to the tail as to any other force."""
    plain, slowed = (replace(VineParams(), tail_tension=share * FORCE) for share in (0.0, 0.3))
    model: Any = load_propagator("impulse")
    steps = []
    for params in (plain, slowed):
        propagator = model(environment(), params)
        rollout = propagator.grow(
            propagator.start(1, 20), Actuation(np.zeros((1, 20)), np.full((1, 20), L_0)), 0.5, 0.5
        )
        assert rollout.status[0] == Status.GROWN
        steps.append(int(rollout.steps[0]))
    assert steps[0] / steps[1] == pytest.approx(0.7, abs=0.02)


def test_a_geometric_tube_sticks_where_the_force_left_no_longer_bends_it(environment: MakeEnvironment) -> None:
    """Sliding along a wall it turns about its base; at rest, moment / lever is what T0 e^(mu bend) + w L leaves."""
    params = replace(VineParams(), tail_tension=8.0, tail_drag=9.0, tail_friction=0.6, friction=0.1)
    wall, start = 0.35, 0.9
    rollout = free_growth(
        "geometric",
        environment(boxes=[(-1, wall + params.radius, 3, 1.5)], start=(0.0, 0.0, start)),
        params,
        np.zeros(80),
        2.0,
    )
    last = rollout.records[0] - 1
    x, y, heading = rollout.tips[0, last]
    assert rollout.status[0] == Status.STALLED
    assert y == pytest.approx(wall, abs=1e-6)
    assert 0.01 < start - heading < start - 0.05  # it has slid, and is not along the wall yet
    left = params.growth_force - params.tail_tension * np.exp(params.tail_friction * (start - heading))
    left -= params.tail_drag * np.hypot(x, y)
    # The wall pushes down and, by friction, back: N (-mu, -1).
    lever, along = abs(-x + params.friction * y), params.friction * np.cos(heading) + np.sin(heading)
    moment = np.pi * params.growth_pressure * params.radius**3
    assert moment / lever * along == pytest.approx(left, rel=1e-6)


def test_a_geometric_tube_sticks_at_once_where_too_little_force_is_left(environment: MakeEnvironment) -> None:
    """With 3 of 25 N it does not bend where a tube without a tail slides on; it presses with 3 N along its heading."""
    wall, start = 0.35, 0.9
    room = environment(boxes=[(-1, wall + DRAGGED.radius, 3, 1.5)], start=(0.0, 0.0, start))
    free, weak = (replace(VineParams(), friction=0.1, tail_tension=tension) for tension in (0.0, FORCE - 3.0))
    assert free_growth("geometric", room, free, np.zeros(80), 0.6).status[0] == Status.GROWN
    rollout = free_growth("geometric", room, weak, np.zeros(80), 0.6)
    last = rollout.records[0] - 1
    assert rollout.status[0] == Status.STALLED
    np.testing.assert_allclose(rollout.tips[0, last], [wall / np.tan(start), wall, start], atol=1e-9)
    assert rollout.contact_force[0, last].sum() == pytest.approx(3.0 / np.sin(start))
    assert rollout.needed_force is not None
    assert rollout.needed_force[0, last] == pytest.approx(3.0)


@pytest.mark.parametrize("name", MODELS)
def test_needed_force_of_a_sliding_tip(environment: MakeEnvironment, name: str) -> None:
    """Without friction growth needs the normal force's part against the heading, N sin(theta), the tail aside."""
    params = replace(VineParams(), friction=0.0)
    slope = environment(boxes=[(-1, 0.3 + params.radius, 3, 1.5)], start=(0.0, 0.0, 0.5))
    rollout = free_growth(name, slope, params, np.zeros(40), 0.7)
    assert rollout.needed_force is not None
    touching = [k for k in range(rollout.records[0]) if rollout.contact_force[0, k].max() > 0.04]
    assert len(touching) > 2
    for k in touching:
        normal, heading = rollout.contact_force[0, k].sum(), rollout.tips[0, k, 2]
        assert rollout.needed_force[0, k] == pytest.approx(normal * np.sin(heading), rel=0.01)


@pytest.mark.parametrize("name", ["quasistatic", "impulse"])
def test_a_wall_beside_the_body_needs_no_force(environment: MakeEnvironment, name: str) -> None:
    """A steered tube that leans on a post long before its tip presses on it, and grows freely all the same."""
    post = environment(circles=[(0.25, VineParams().radius + 0.06, 0.05)])
    rollout = free_growth(name, post, VineParams(), np.full(24, PRESSURE), 0.6)
    last = rollout.records[0] - 1
    assert rollout.needed_force is not None
    leaning = [
        k
        for k in range(last + 1)
        if rollout.contact_force[0, k].sum() > 0.5 and rollout.contact_force[0, k, rollout.segments[0, k] - 1] == 0
    ]
    assert len(leaning) > 5
    assert rollout.status[0] == Status.GROWN
    for k in leaning:
        assert rollout.needed_force[0, k] == 0.0


@pytest.mark.parametrize("name", ["quasistatic", "geometric"])
def test_friction_of_the_tip_is_needed_too(environment: MakeEnvironment, name: str) -> None:
    """A tip that slides along the wall at an angle theta needs N (sin(theta) + mu cos(theta))."""
    params = replace(VineParams(), friction=0.2)
    slope = environment(boxes=[(-1, 0.3 + params.radius, 3, 1.5)], start=(0.0, 0.0, 0.5))
    rollout = free_growth(name, slope, params, np.zeros(40), 0.7)
    assert rollout.needed_force is not None
    for k in range(rollout.records[0] - 2, rollout.records[0]):
        normal, heading = rollout.contact_force[0, k].sum(), rollout.tips[0, k, 2]
        assert normal > 0.04
        needed = normal * (np.sin(heading) + 0.2 * np.cos(heading))
        assert rollout.needed_force[0, k] == pytest.approx(needed, rel=0.02)


@pytest.mark.parametrize("name", MODELS)
def test_friction_of_a_tail_without_tension_changes_no_digit(environment: MakeEnvironment, name: str) -> None:
    """A slack tail has no friction at bends: rollouts into contact are bitwise those of a tube without a tail."""
    among = environment(boxes=[(0.25, 0.05, 0.4, 0.3)], start=(0.0, 0.0, 0.1))
    pressure = np.concatenate([np.zeros(6), np.full(18, PRESSURE)])
    plain, slack = (
        free_growth(name, among, replace(VineParams(), tail_friction=mu), pressure, 0.5) for mu in (0.0, 0.7)
    )
    for field in ("angles", "tips", "contact_force", "status", "steps", "needed_force"):
        np.testing.assert_array_equal(getattr(plain, field), getattr(slack, field))


def test_a_held_vine_does_not_feel_its_tail(environment: MakeEnvironment) -> None:
    """At constant length nothing everts: a vine longer than it could grow bends to the same rest."""
    room, carried = environment(), Actuation(np.full((1, 40), PRESSURE), np.full((1, 40), L_0))
    state = VineState(np.zeros((1, 40)), np.array([36]), np.array([0.01]))
    ends = []
    for params in (VineParams(), DRAGGED):
        model: Any = load_propagator("quasistatic")(room, params)
        ends.append(model.grow(state, carried, 0.0, 0.1))
    assert ends[0].status[0] == ends[1].status[0] == Status.GROWN
    np.testing.assert_array_equal(ends[0].angles, ends[1].angles)


def test_a_tube_that_cannot_drive_itself_is_refused() -> None:
    """The message says the pressure that would: the least one at which the tension at the base is not all of the force."""
    with pytest.raises(
        ValueError, match=r"^tail_tension = 50 N must be less than the growth force of 25 N: "
    ) as caught:
        VineParams(tail_tension=50.0)
    assert "a growth pressure of more than 20.68 kPa would drive it" in str(caught.value)
    assert VineParams(tail_tension=50.0, growth_pressure=20.7e3).growth_force > 50
