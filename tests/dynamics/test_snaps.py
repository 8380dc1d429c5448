"""Snaps of growing vines: where they are, what they release, and vines that snap or do not come to rest."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.quasistatic.propagator import SNAP, QuasiStatic
from dynamics.relaxations import Relaxations
from dynamics.snaps import Snaps
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment
from surrogate.kernels.compiled import Floats
from tests.dynamics.reference.joints import tube_moment
from tests.dynamics.reference.store import stored
from tests.dynamics.test_random_rollouts import random_actuation

MakeEnvironment = Callable[..., Environment]
PARAMS = VineParams()
H = PARAMS.segment_length
SEGMENTS = 66
"""Number of segments of the tube in plus."""


def passive(segments: int, batch: int = 1) -> Actuation:
    return Actuation(np.zeros((batch, segments)), np.full((batch, segments), 0.04))


def last(rollout: Rollout) -> VineState:
    """The last recorded states."""
    return rollout.state(np.arange(len(rollout.records)), rollout.records - 1)


def up_the_plus(shipped: dict[str, Environment], physics: str, parts: int = 1) -> tuple[QuasiStatic, Rollout]:
    """A passive tube in plus that heads for where it could slide to either side."""
    plus, params = shipped["plus"], replace(PARAMS, physics=physics)
    model = QuasiStatic(replace(plus, start=np.array([*plus.start[:2], np.radians(29.5)])), params).refined(parts)
    return model, model.grow(model.start(1, SEGMENTS), passive(SEGMENTS), SEGMENTS * H, 0.05)


def bending_energy(state: VineState) -> Floats:
    """Energy of the joints of passive vines [J]: the moment of Eq. 2 summed over the bend of each, by the trapezoidal rule."""
    share = np.linspace(0, 1, 2001)
    lengths = np.where(np.arange(state.angles.shape[1]) == state.segments[:, None] - 1, state.last_length[:, None], H)
    bends = np.abs(state.angles) * H / np.maximum(lengths, 1e-9)
    moments = tube_moment(bends[..., None] * share, PARAMS)[0]
    return np.asarray((np.trapezoid(moments, share) * np.abs(state.angles)).sum(axis=1))


def test_snaps_are_recorded_with_length_place_and_energy(shipped: dict[str, Environment]) -> None:
    """The snaps of a passive tube in plus are those of the reference, within a step where it is, with what the joints lose in them."""
    model, rollout = up_the_plus(shipped, "corrected", parts=8)
    snaps, expected = Snaps.of(rollout, 0), stored("plus")[0]
    assert expected.case.passive
    assert (np.diff(snaps.length) > 0).all()
    for known in expected.snaps:
        nearest = int(np.abs(snaps.length - 1e-3 * known["length_mm"]).argmin())
        assert snaps.length[nearest] == pytest.approx(1e-3 * known["length_mm"], abs=2e-3)
        np.testing.assert_allclose(snaps.tip[nearest], 1e-3 * np.array(known["tip_before_mm"]), atol=1e-3)
    states = snaps.states(PARAMS)
    held = model.grow(states, passive(SEGMENTS, len(snaps.vine)), 0.0, H)
    lost = bending_energy(states) - bending_energy(last(held))
    lines = [centerlines(one, model.pose, PARAMS) for one in (states, last(held))]
    moved = np.nanmax(np.linalg.norm(lines[1] - lines[0], axis=-1), axis=1)
    assert (moved > SNAP - 1e-3).all()
    np.testing.assert_allclose(snaps.energy, lost, rtol=0.1)
    assert (snaps.energy > 0).all()


def test_published_physics_has_no_snaps(shipped: dict[str, Environment]) -> None:
    """With one solve a step a vine does not rest, so nothing tells a snap from growth."""
    rollout = up_the_plus(shipped, "published")[1]
    assert not len(Snaps.of(rollout, 0).vine)
    unknown = replace(rollout, snaps=None)
    assert not len(Snaps.of(unknown, 0).vine)


@pytest.mark.parametrize("segments", [12, 16])
def test_tube_that_meets_a_wall_head_on_gives_way_at_eulers_force(environment: MakeEnvironment, segments: int) -> None:
    """It holds pi^2 EI / (4 L^2) at most, clamped at the base and free to slide at the wall.

    The first joint turns at the base itself, half a segment before the base of an even beam.
    """
    length = segments * H
    place = environment(boxes=[[length + PARAMS.radius + 2e-5, -0.5, length + 0.5, 0.5]], start=(0, 0, 1e-3))
    stiffness = tube_moment(np.array([1e-3]), PARAMS)[0][0] / 1e-3 * H
    euler, model = np.pi**2 * stiffness / (4 * (length + H / 2) ** 2), QuasiStatic(place, PARAMS)
    rollout = model.grow(model.start(1, 24), passive(24), length + 0.02, 1e-3)
    most = rollout.contact_force[0, : rollout.records[0]].sum(axis=1).max()
    assert 0.8 * euler < most < 1.05 * euler
    assert most < PARAMS.growth_force / 2


@pytest.mark.parametrize("name", ["plus", "maze"])
def test_recorded_states_are_at_rest(shipped: dict[str, Environment], name: str) -> None:
    """Held, 97 of 100 recorded states of random vines move no joint by 1 mm."""
    model, batch, segments = QuasiStatic(shipped[name], PARAMS), 10, 60
    drawn = random_actuation(batch, segments, seed=11)
    rollout = model.grow(model.start(batch, segments), drawn, segments * H, 0.1)
    vine, record = np.nonzero(np.arange(rollout.tips.shape[1]) < rollout.records[:, None])
    states, carried = rollout.state(vine, record), Actuation(drawn.pressure[vine], drawn.l_0[vine])
    held = model.grow(states, carried, 0.0, 0.1)
    after = held.state(np.arange(len(vine)), np.zeros(len(vine), np.int64))
    moved = np.nanmax(
        np.linalg.norm(centerlines(after, model.pose, PARAMS) - centerlines(states, model.pose, PARAMS), axis=-1),
        axis=1,
    )
    moved[held.records == 0] = np.inf
    assert len(vine) > 60
    assert rollout.contact_force.max() > 1.0
    assert (moved < 1e-3).mean() >= 0.97


def test_vine_that_does_not_settle_ends_with_the_segment(environment: MakeEnvironment) -> None:
    """Where no step is small enough nothing is recorded, and the ending names a segment of the part that bends."""
    model = QuasiStatic(environment(), PARAMS)
    model.tube = model.tube._replace(
        relaxation=model.tube.relaxation._replace(growing=0.0, recorded=-1.0, trembling=-1.0)
    )
    pressure = np.where(np.arange(12) < 4, 0.0, 15e3)[None]
    rollout = model.grow(model.start(1, 12), Actuation(pressure, np.full((1, 12), 0.04)), 0.25, 0.25)
    assert rollout.status[0] == Status.UNSETTLED
    assert rollout.records[0] == 0
    assert rollout.broken[0] >= 0
    assert rollout.ending(0).startswith(
        f"not at rest at step {rollout.steps[0]}, segment {rollout.broken[0]}: did not come"
    )


def test_a_free_vine_ends_in_one_place_whatever_the_damping(environment: MakeEnvironment) -> None:
    """Examined as if it had snapped, it rests within 1 mm by all three relaxations; one that leaves the bounds has no rest."""
    place = environment(bounds=(-1.0, -1.0, 0.4, 1.0))
    relaxations = Relaxations(place, PARAMS)
    actuation = Actuation(np.array([[12e3] * 20, [0.0] * 20]), np.full((2, 20), 0.04))
    ends = np.array([0.2025, 0.4525])
    snaps = Snaps(np.arange(2), ends, np.zeros((2, 2)), np.ones(2), np.zeros((2, 20)), np.full(2, np.nan))
    np.testing.assert_array_equal(snaps.states(PARAMS).segments, [9, 19])
    np.testing.assert_allclose(snaps.states(PARAMS).last_length, 2.5e-3)
    assert not len(snaps.find_ambiguous(PARAMS))
    known = snaps.examine(actuation.of(snaps.vine), relaxations)
    assert known.apart[0] < 1e-3
    assert known.apart[1] == np.inf
    np.testing.assert_array_equal(known.find_ambiguous(PARAMS), [1])
    np.testing.assert_array_equal(known.length, ends)
    assert known.select(0).examine(actuation.of(known.vine[:1]), relaxations).apart == pytest.approx(
        known.apart[:1], abs=1e-9
    )


def test_the_second_snap_of_the_passive_tube_of_plus_is_ambiguous(shipped: dict[str, Environment]) -> None:
    """It slips from under a corner to one side or the other; the snaps before end in one place.

    In an independent solver, the tips of the viscous rest and of the others are 149 mm apart.
    """
    plus, segments = shipped["plus"], 70
    model = QuasiStatic(plus, PARAMS).refined(8)
    passive = Actuation(np.zeros((1, segments)), np.full((1, segments), 0.04))
    rollout = model.grow(model.start(1, segments), passive, segments * PARAMS.segment_length, PARAMS.segment_length)
    snaps = Snaps.of(rollout, 0)
    snaps = snaps.examine(passive.of(snaps.vine), Relaxations(plus, PARAMS))
    ambiguous = snaps.find_ambiguous(PARAMS)
    assert len(ambiguous) == 1
    second = ambiguous[0]
    assert second == len(snaps.vine) - 1 > 0
    assert snaps.length[second] == pytest.approx(1.734, abs=0.01)
    assert 0.1 < snaps.apart[second] < 0.2
    assert snaps.apart[:second].max() < 1e-3
