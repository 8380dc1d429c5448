"""The penalty propagator's kernels for a CPU, against its tensors for any device."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

import dynamics.penalty.rollout as rollout_module
from dynamics import contact_rows, contacts
from dynamics.chain import forward_kinematics as exact_kinematics
from dynamics.chain import new_chain
from dynamics.cross_section import cross_section
from dynamics.moment import joint_moments, new_actuated_vine
from dynamics.penalty.chain import forward_kinematics
from dynamics.penalty.contacts import find_contacts
from dynamics.penalty.dents_on_cpu import count_dents, give
from dynamics.penalty.objective import PenaltyWeights
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.pull import Cells, actuator_moments
from dynamics.penalty.pull_on_cpu import actuator_moment, pull_arrays
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solver_choice import SOLVERS, make_solver
from dynamics.penalty.solvers_on_cpu import SolverOnCpu
from dynamics.penalty.vines import rest_curvature
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.scene import build_scene
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState
from environments import Environment
from studies.rollouts.study import make_random_actuation
from surrogate.kernels.interruption import CUT, Interrupted
from tests.dynamics.test_penalty_parts import random_objective

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
CPU, DOUBLE = torch.device("cpu"), torch.float64
SOFT = VineParams(least_height=0.5, thickness_share=0.0)
SEGMENT = SOFT.segment_length
# In tensors actuators have no thickness.
TUBES = {
    "rigid": VineParams(thickness_share=0.0),
    "soft": SOFT,
    "published": VineParams(physics="published"),
    "tail": VineParams(tail_tension=3.0, tail_drag=2.0, tail_friction=0.2, thickness_share=0.0),
}


def in_tensors(propagator: Penalty) -> Penalty:
    """Make the model of a propagator without kernels but for the solver, which is hidden in a class that kernels do not know."""
    plain = Penalty(propagator.environment, propagator.params, "cpu", surrogate=propagator.surrogate)
    plain.model = plain.model._replace(solver=partial(SolverOnCpu(True, propagator.inner_steps or 10)))
    return plain


def grown(propagator: Penalty, carried: Actuation, lengths: np.ndarray) -> Rollout:
    return propagator.grow(propagator.start(*carried.pressure.shape), carried, lengths, SEGMENT)


def assert_same_ends(one: Rollout, other: Rollout, names: tuple[str, ...] = ("status", "records", "steps")) -> None:
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.tips, other.tips, rtol=0, atol=1e-6)
    np.testing.assert_allclose(one.angles, other.angles, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dents", [0, 4])
def test_minima_are_the_same(name: str, dents: int) -> None:
    """Both solvers end where Newton's method in tensors does, with any weights, and where the gradient vanishes."""
    objective = random_objective(5, dents=dents)._replace(weights=PenaltyWeights(200.0, 10.0, 1.5))
    found = expected = torch.zeros_like(objective.viscosity)
    with torch.no_grad():
        for _ in range(24):  # what one call leaves, the next one mends; 16 are enough
            expected = make_solver("newton")(objective, expected)
            found = make_solver(name, device="cpu")(objective, found)
        assert objective.gradient(found).abs().max() < 1e-5
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_a_vine_that_is_no_number_stays_alone() -> None:
    """NaN in one vine's objective leaves the minima of the others as they are, to the last digit."""
    objective = random_objective(7)
    start = torch.zeros_like(objective.viscosity)
    broken = objective._replace(bend=objective.bend.clone())
    broken.bend[3, 4] = torch.nan
    for name in SOLVERS:
        expected, found = (make_solver(name, device="cpu")(one, start) for one in (objective, broken))
        others = torch.arange(len(start)) != 3
        assert found[3].isnan().any()
        assert torch.equal(found[others], expected[others])


@pytest.mark.parametrize("surrogate", ["table", "network"])
@pytest.mark.parametrize("physics", ["corrected", "published"])
def test_moments_of_actuators_are_the_same(environment: MakeEnvironment, surrogate: str, physics: str) -> None:
    """Taut, within and slack, on both sides and without pressure; a bend that is no number has no moment."""
    params = VineParams(physics=physics)
    rng, shape = np.random.default_rng(9), (40, 50)
    bend, pressure = rng.uniform(-1.2, 1.2, shape), rng.choice([-2e4, 0.0, 3e4], shape)
    bend[0, 0], pressure[0, 0] = np.nan, 2e4
    l_0 = rng.uniform(20e-3, 80e-3, shape)
    pull = Penalty(environment(), params, "cpu", surrogate=surrogate).model.pull
    arrays = pull_arrays(pull, params)
    cells, exists = Cells.of(params, torch.tensor(l_0)), torch.ones(shape, dtype=torch.bool)
    expected = actuator_moments(pull, params, torch.tensor(bend), torch.tensor(pressure), cells, exists)
    found = np.empty((2, *shape))
    for v in range(shape[0]):
        vine = new_actuated_vine(joint_moments(params), bend[v], pressure[v], l_0[v])
        for j in range(shape[1]):
            found[:, v, j] = actuator_moment(arrays, vine, l_0[v], j, bend[v, j])
    assert np.isnan(found[0, 0, 0])
    known = np.isfinite(bend)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one[known], other.detach().numpy()[known], rtol=1e-6, atol=1e-9)
        assert np.abs(one[known]).max() > 0
        assert not one[pressure == 0].any()


def test_dents_are_the_same(environment: MakeEnvironment) -> None:
    """G G^T of a soft tube in a passage and at corners, whatever the order of its contacts, and where one corner has several."""
    place = environment(boxes=[[-0.5, 0.8 * SOFT.radius, 0.5, 0.2], [-0.5, -0.2, 0.5, -0.8 * SOFT.radius]])
    section, seen = cross_section(SOFT), 0
    scene = build_scene(place, 2 * SOFT.radius, 2 * SOFT.radius + SEGMENT)
    solids, total = TensorSolids.of(scene, CPU, DOUBLE), len(scene.edges) + len(scene.corners)
    rng = np.random.default_rng(3)
    for _ in range(250):
        bends, pose = rng.normal(0, 0.03, 6), np.array([-0.62, 0.0, 0.0]) + rng.uniform(-1, 1, 3) * [0.05, 4e-3, 0.03]
        films = np.full(6, SEGMENT)
        films[-1] = rng.uniform(0.1, 1) * SEGMENT
        arguments = [torch.tensor(part)[None] for part in (bends, films, 0 * bends, [5])]
        with torch.no_grad():
            tensors = find_contacts(solids, section, 12e-3, forward_kinematics(*arguments, torch.tensor(pose)))
        chain, rows = new_chain(6), contact_rows.new_contacts(400)
        exact_kinematics(chain, bends, np.zeros(6), pose, 6, films[-1], SEGMENT)
        count = contacts.find_contacts(scene, section, 12e-3, chain, 6, rows)
        dents, factor = count_dents(rows, count), np.zeros((400, 400))
        give(section, rows, dents, factor)
        found = np.tril(factor[:dents, :dents])
        keys = [
            segment * total + item
            for segment, item in zip(tensors.segment[0].tolist(), tensors.item[0].tolist(), strict=True)
        ]
        at = [keys.index(key) for key in rows.key[:dents].tolist() if key in keys]
        if len(at) == dents > 1:  # no corner has slid past the end of a segment
            dent = tensors.dents[0, at].numpy()
            np.testing.assert_allclose(found @ found.T, dent @ dent.T, rtol=1e-6, atol=1e-12)
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("share", [12.0, 0.1])
@pytest.mark.parametrize("surrogate", ["table", "network"])
@pytest.mark.parametrize("name", TUBES)
def test_steps_are_the_same(shipped: dict[str, Environment], name: str, surrogate: str, share: float) -> None:
    """From states in contact on, twelve steps or a tenth of one, with what vines relax, are the same to 1e-9 for nine in ten.

    The others are those of which a solver does not find the minimum in its steps, or which have more contacts than tensors look at.
    """
    tube = TUBES[name]
    exact, carried = QuasiStatic(shipped["maze"], tube), make_random_actuation(tube, 40, 0.825, seed=3)
    before = exact.grow(exact.start(40, 33), carried, 0.8, 0.0171)
    known = np.arange(before.tips.shape[1]) < np.minimum(before.records, 38)[:, None]  # with room to grow
    touched = before.contact_force.sum(axis=2) > 0
    at_tip = np.take_along_axis(before.contact_force, before.segments[..., None] - 1, 2)[..., 0] > 0
    vine, record = np.nonzero(known & at_tip)
    some, others = np.nonzero(known & touched & ~at_tip)
    vine, record = np.concatenate([vine[:60], some[::9]]), np.concatenate([record[:60], others[::9]])
    assert len(vine) > 60
    kernels = Penalty(shipped["maze"], tube, "cpu", surrogate=surrogate, inner_steps=40)
    carrying, length = Actuation(carried.pressure[vine], carried.l_0[vine]), share * kernels.model.step
    one, other = (
        model.grow(before.state(vine, record), carrying, length, length) for model in (kernels, in_tensors(kernels))
    )
    assert other.relaxations.max() > 2 or name == "published" or share < 1
    for what in ("status", "steps", "relaxations"):
        assert np.mean(getattr(one, what) == getattr(other, what)) > 0.97
    for what, within in (("angles", 1e-9), ("tips", 1e-9), ("contact_force", 1e-5)):
        apart = np.abs(getattr(one, what) - getattr(other, what)).max(axis=(1, 2))
        assert np.quantile(apart, 0.9) < within, what


@pytest.mark.parametrize("name", TUBES)
def test_vines_end_as_with_tensors(shipped: dict[str, Environment], name: str) -> None:
    """In divider nine in ten vines end in the same way, with the tip within 0.1 mm; those that touch nothing, all of them."""
    tube = TUBES[name]
    carried, lengths = make_random_actuation(tube, 20, 0.5, seed=2), np.full(20, 0.5)
    propagator = Penalty(shipped["divider"], tube, "cpu", inner_steps=40)
    found, expected = grown(propagator, carried, lengths), grown(in_tensors(propagator), carried, lengths)
    touched = expected.contact_force.max(axis=(1, 2)) > 0.1
    assert touched.sum() > 5
    ends = [one.tips[np.arange(20), one.records - 1, :2] for one in (found, expected)]
    apart = np.hypot(*(ends[0] - ends[1]).T)
    assert np.quantile(apart, 0.9) < 1e-4
    assert apart[~touched].max(initial=0.0) < 1e-6
    for what in ("status", "records", "segments", "last_length"):
        same = np.isclose(getattr(found, what), getattr(expected, what), rtol=0, atol=1e-4).reshape(20, -1)
        assert np.mean(same.all(axis=1)) > 0.9, what


def test_preformed_tubes_and_held_ones_are_the_same(environment: MakeEnvironment, params: VineParams) -> None:
    """With preformed bends, from a bent state on, at constant length and growing: as with tensors to 1e-6."""
    rng = np.random.default_rng(6)
    pressure, l_0 = rng.choice([-2e4, 0.0, 3e4], (8, 12)), rng.uniform(0.03, 0.07, (8, 12))
    carried = Actuation(pressure, l_0, rng.choice([-1.5, 0.0, 1.0], (8, 12)))
    state = VineState(rng.normal(0, 0.05, (8, 12)) * (np.arange(12) < 5), np.full(8, 5), np.full(8, 0.4 * SEGMENT))
    state.angles[:, 4] *= 0.3
    propagator, lengths = Penalty(environment(), params, "cpu"), np.array([0.0, 0.1] * 4)
    one, other = (model.grow(state, carried, lengths, 0.03) for model in (propagator, in_tensors(propagator)))
    assert_same_ends(one, other, ("status", "records", "steps", "relaxations"))
    assert set(one.status.tolist()) == {Status.GROWN}
    assert np.abs(one.angles[:, 0] - state.angles).max() > 0.05


def test_curvature_at_birth_is_that_of_free_space(environment: MakeEnvironment, params: VineParams) -> None:
    """A tube of one segment that has hardly grown has the curvature that tensors find by bisection, with the network too."""
    for surrogate in ("table", "network"):
        propagator = Penalty(environment(), params, "cpu", surrogate=surrogate)
        pressure, l_0 = np.array([[2e4], [-3e4]]), np.array([[0.04], [0.06]])
        rollout = grown(propagator, Actuation(pressure, l_0), np.full(2, 1e-3))
        expected = rest_curvature(propagator.model, torch.tensor(pressure), Cells.of(params, torch.tensor(l_0)))
        np.testing.assert_allclose(rollout.angles[:, 0] / 1e-3, expected.detach().numpy(), rtol=1e-6)


def test_each_vine_is_grown_by_itself(shipped: dict[str, Environment], params: VineParams) -> None:
    """A vine in a batch, on several threads, is the vine alone to the last bit; the given state is left as it is."""
    propagator, carried = Penalty(shipped["maze"], params, "cpu"), make_random_actuation(params, 6, 0.6, seed=3)
    state = propagator.start(6, 24)
    together = propagator.grow(state, carried, 0.6, SEGMENT)
    assert not state.angles.any()
    for b in range(6):
        alone = grown(propagator, Actuation(carried.pressure[b : b + 1], carried.l_0[b : b + 1]), np.full(1, 0.6))
        np.testing.assert_array_equal(alone.tips[0], together.tips[b])
        np.testing.assert_array_equal(alone.contact_force[0], together.contact_force[b])


def test_growth_can_be_cut_short(shipped: dict[str, Environment], params: VineParams) -> None:
    """Where Ctrl-C asks for it, growth ends with an error instead of a part of a result."""
    CUT[0] = True
    try:
        with pytest.raises(Interrupted):
            grown(
                Penalty(shipped["maze"], params, "cpu"), make_random_actuation(params, 2, 0.6, seed=1), np.full(2, 0.6)
            )
    finally:
        CUT[0] = False


@pytest.mark.parametrize("name", ["rigid", "soft"])
def test_tensors_leave_out_vines_that_have_ended(
    shipped: dict[str, Environment], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vines of several lengths in the maze end as if all were computed to the end of the last one, at their own places in the batch."""
    propagator, lengths = Penalty(shipped["maze"], TUBES[name], "cpu"), np.array([0.2, 0.05, 0.4, 0.1, 0.0, 0.4])
    plain, carried = in_tensors(propagator), make_random_actuation(TUBES[name], 6, 0.4, seed=3)
    found = grown(plain, carried, lengths)
    monkeypatch.setattr(rollout_module, "MOST_LEFT", 0.0)
    expected = grown(plain, carried, lengths)
    assert (expected.contact_force.max(axis=(1, 2)) > 0.1).any()
    assert_same_ends(found, expected)


def test_a_stalled_vine_ends(environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch) -> None:
    """Head-on against a wall a vine ends when it no longer moves, as it would after all steps that it may take; others grow on."""
    wall: dict[str, Any] = {"boxes": [[0.2, -0.3, 0.3, 0.3]]}
    propagator = Penalty(environment(**wall, bounds=(-0.5, -0.5, 0.5, 0.5)), params, "cpu")
    pressure = np.array([[0.0], [3e4]]).repeat(16, 1)
    carried = Actuation(pressure, np.full_like(pressure, 0.06))
    plain = in_tensors(propagator)
    found, in_steps = (grown(model, carried, np.array([0.4, 0.15])) for model in (propagator, plain))
    monkeypatch.setattr(rollout_module, "MOST_IDLE", 10_000)
    expected = grown(plain, carried, np.array([0.4, 0.15]))
    assert found.status.tolist() == [Status.STALLED, Status.GROWN]
    assert found.steps[0] == in_steps.steps[0] < 0.6 * expected.steps[0]
    assert_same_ends(found, expected, ("status", "records"))


def test_no_vines_are_grown_too(environment: MakeEnvironment, params: VineParams) -> None:
    """A batch without vines gives a rollout without any."""
    nothing = np.zeros((0, 4))
    rollout = grown(Penalty(environment(), params, "cpu"), Actuation(nothing, nothing), np.zeros(0))
    assert rollout.tips.shape[0] == len(rollout.status) == 0
