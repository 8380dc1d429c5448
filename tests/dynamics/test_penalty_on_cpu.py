"""The forms that parts of the penalty propagator have on a CPU, against those in tensors for any device."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import dynamics.penalty.rollout as rollout_module
from dynamics.cross_section import cross_section
from dynamics.penalty.chain import TensorChain, forward_kinematics, place_each
from dynamics.penalty.contacts import _choose_at_once, find_contacts, most_contacts
from dynamics.penalty.contacts_on_cpu import list_nearest
from dynamics.penalty.objective import PenaltyWeights
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.pull import Cells, actuator_moments
from dynamics.penalty.rows import FAR
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solver_choice import SOLVERS, make_solver
from dynamics.scene import build_scene
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status
from environments import Environment
from studies.rollouts.study import make_random_actuation
from tests.dynamics.test_penalty_parts import CLUTTER, random_objective

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
CPU, DOUBLE = torch.device("cpu"), torch.float64
SEGMENT = 25e-3
TUBES = pytest.mark.parametrize("tube", [VineParams(), VineParams(least_height=0.5)], ids=["rigid", "soft"])


def random_chains(radius: float, batch: int = 200, count: int = 20) -> tuple[TensorChain, TensorChain]:
    """Chains of random lengths under actuators, in tensors and vine by vine; some links folded, newborn ones too."""
    rng = np.random.default_rng(8)
    angles = torch.tensor(rng.normal(0.0, 0.12, (batch, count)))
    angles[::5] *= 4.0
    pivots = torch.tensor(radius * rng.choice([-1.0, 0.0, 1.0], (batch, count)))
    last = torch.tensor(rng.integers(0, count, (batch, 1)))
    length = torch.tensor(rng.choice([0.0, 0.3, 1.0], batch) * SEGMENT)
    index = torch.arange(count)
    films = torch.where(index == last, length[:, None], SEGMENT * (index < last).double())
    angles = torch.where(films == 0, 0.0, angles)  # what has no length has not bent yet
    pose = torch.tensor([0.05, -0.1, 0.1], dtype=DOUBLE)
    return (
        forward_kinematics(angles, films, pivots, last, pose),
        place_each(angles, (length, SEGMENT), pivots, last, pose),
    )


def test_chains_are_the_same(params: VineParams) -> None:
    """Joints, lengths, and headings and pivots of what has grown are the same to 1e-12, with joints beyond the tip at the tip."""
    expected, found = random_chains(params.radius)
    grown = torch.arange(expected.cosine.shape[1]) <= expected.last
    for name in ("x", "y", "length", "film"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name), rtol=0, atol=1e-12)
    for name in ("cosine", "sine", "pivot_x", "pivot_y"):
        one, other = (getattr(chain, name)[grown] for chain in (found, expected))
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


@TUBES
def test_contacts_are_the_same(environment: MakeEnvironment, tube: VineParams) -> None:
    """Each vine has the same contacts in the same order, with the same gaps and derivatives, whether derivatives are asked for or not.

    What a device chooses, as many contacts for each vine, begins with these.
    """
    scene = build_scene(environment(**CLUTTER), 2 * tube.radius, 2 * tube.radius + SEGMENT, radius=tube.radius)
    solids, section = TensorSolids.of(scene, CPU, DOUBLE), cross_section(tube)
    chain, _ = random_chains(tube.radius)
    expected = find_contacts(solids, section, 12e-3, chain)
    with torch.no_grad():
        found = find_contacts(solids, section, 12e-3, chain)
    assert (expected.gap < FAR).sum() > 100
    for name in ("segment", "item", "gap", "jacobian", "growth", "dents", "lost", "nx", "ny"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-12, msg=name)
    most = most_contacts(20, section.most_dent > 0)
    one, other = list_nearest(solids, section, 12e-3, chain, most), _choose_at_once(solids, section, chain, most)
    listed = one[1] >= 0
    for here, there in zip(one, other, strict=True):
        # Equal gaps may be in another order.
        pairs = zip(here, there[:, : here.shape[1]], listed, strict=True)
        assert all(sorted(a[which].tolist()) == sorted(b[which].tolist()) for a, b, which in pairs)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("dents", [0, 4])
def test_minima_are_the_same(name: str, dents: int) -> None:
    """Both solvers end where Newton's method in tensors does, with any weights, and where the gradient vanishes."""
    objective = random_objective(5, dents=dents)._replace(weights=PenaltyWeights(200.0, 10.0, 1.5))
    found = expected = torch.zeros_like(objective.viscosity)
    with torch.no_grad():
        for _ in range(12):  # what one call leaves, the next one mends
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


@pytest.mark.parametrize("physics", ["corrected", "published"])
def test_moments_of_actuators_are_the_same(environment: MakeEnvironment, physics: str) -> None:
    """Taut, within and slack, on both sides, without pressure and beyond the tip; a bend that is no number has no moment."""
    params = VineParams(physics=physics)
    rng, shape = np.random.default_rng(9), (40, 50)
    bend = torch.tensor(rng.uniform(-1.2, 1.2, shape))
    bend[0, 0] = torch.nan
    pressure = torch.tensor(rng.choice([-2e4, 0.0, 3e4], shape))
    pressure[0, 0] = 2e4
    cells = Cells.of(params, torch.tensor(rng.uniform(20e-3, 80e-3, shape)))
    pull = Penalty(environment(), params, "cpu").model.pull
    exists = torch.arange(50) <= torch.arange(40)[:, None]
    expected = actuator_moments(pull, params, bend, pressure, cells, exists)
    with torch.no_grad():
        found = actuator_moments(pull, params, bend, pressure, cells, exists)
    assert found[0][0, 0].isnan()
    for one, other in zip(found, expected, strict=True):
        known = exists & bend.isfinite()
        torch.testing.assert_close(one[known], other[known], rtol=1e-6, atol=1e-9)
        assert one[known].abs().max() > 0
        assert not one[~exists].any()


def grown(propagator: Penalty, carried: Actuation, lengths: np.ndarray) -> Rollout:
    return propagator.grow(propagator.start(*carried.pressure.shape), carried, lengths, SEGMENT)


def assert_same_ends(one: Rollout, other: Rollout, names: tuple[str, ...] = ("status", "records", "steps")) -> None:
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.tips, other.tips, rtol=0, atol=1e-6)
    np.testing.assert_allclose(one.angles, other.angles, rtol=0, atol=1e-6)


@TUBES
def test_vines_that_have_ended_are_left_out(
    shipped: dict[str, Environment], tube: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vines of several lengths in the maze end as if all were computed to the end of the last one, at their own places in the batch."""
    propagator, lengths = Penalty(shipped["maze"], tube, "cpu"), np.array([0.3, 0.05, 0.6, 0.1, 0.0, 0.6, 0.25, 0.5])
    carried = make_random_actuation(tube, 8, 0.6, seed=3)
    found = grown(propagator, carried, lengths)
    monkeypatch.setattr(rollout_module, "MOST_LEFT", 0.0)
    expected = grown(propagator, carried, lengths)
    assert (expected.contact_force.max(axis=(1, 2)) > 0.1).any()
    assert_same_ends(found, expected)


def test_a_stalled_vine_ends(environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch) -> None:
    """Head-on against a wall a vine ends when it no longer moves, as it would after all steps that it may take; others grow on."""
    wall: dict[str, Any] = {"boxes": [[0.2, -0.3, 0.3, 0.3]]}
    propagator = Penalty(environment(**wall, bounds=(-0.5, -0.5, 0.5, 0.5)), params, "cpu")
    pressure = np.array([[0.0], [3e4]]).repeat(16, 1)
    carried = Actuation(pressure, np.full_like(pressure, 0.06))
    found = grown(propagator, carried, np.array([0.4, 0.15]))
    monkeypatch.setattr(rollout_module, "MOST_IDLE", 10_000)
    expected = grown(propagator, carried, np.array([0.4, 0.15]))
    assert found.status.tolist() == [Status.STALLED, Status.GROWN]
    assert found.steps[0] < 0.6 * expected.steps[0]
    assert_same_ends(found, expected, ("status", "records"))


def test_vines_end_as_with_steps_in_tensors(shipped: dict[str, Environment], params: VineParams) -> None:
    """In divider each vine ends as with the solver in tensors that takes all its steps; nine in ten of the tips within 0.1 mm."""
    carried = make_random_actuation(params, 20, 0.5, seed=2)
    propagator = Penalty(shipped["divider"], params, "cpu")
    found = grown(propagator, carried, np.full(20, 0.5))
    propagator.model = propagator.model._replace(solver=make_solver("newton"))
    expected = grown(propagator, carried, np.full(20, 0.5))
    assert (expected.contact_force.max(axis=(1, 2)) > 0.1).sum() > 5
    np.testing.assert_array_equal(found.status, expected.status)
    ends = [one.tips[np.arange(20), one.records - 1, :2] for one in (found, expected)]
    assert np.quantile(np.hypot(*(ends[0] - ends[1]).T), 0.9) < 1e-4


def test_no_vines_are_grown_too(environment: MakeEnvironment, params: VineParams) -> None:
    """A batch without vines gives a rollout without any."""
    nothing = np.zeros((0, 4))
    rollout = grown(Penalty(environment(), params, "cpu"), Actuation(nothing, nothing), np.zeros(0))
    assert rollout.tips.shape[0] == len(rollout.status) == 0
