"""The drag of the tail in the penalty propagator: the kernels' tension, its derivatives, and where growing tubes stall."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from dynamics.drive import available_force as exact_force
from dynamics.drive import tail_of
from dynamics.drive import tail_tension as exact_tension
from dynamics.penalty.chain import forward_kinematics
from dynamics.penalty.drive import available_force, tail_tension
from dynamics.penalty.propagator import Penalty
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status
from environments import Environment

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
DRAGGED = VineParams(tail_tension=3.0, tail_drag=110.0, tail_friction=0.3)
FORCE, SEGMENT = DRAGGED.growth_force, DRAGGED.segment_length
STEP = SEGMENT / 6
DOUBLE = torch.float64


def tension(params: VineParams, angles: torch.Tensor, films: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
    chain = forward_kinematics(angles, films, torch.zeros_like(angles), last, torch.zeros(3, dtype=DOUBLE))
    return tail_tension(params, angles, chain)


@pytest.mark.parametrize(
    ("base", "drag", "friction"), [(2.0, 7.0, 0.4), (0.0, 7.0, 0.4), (2.0, 0.0, 0.4), (2.0, 7.0, 0)]
)
def test_tension_is_that_of_the_kernels(base: float, drag: float, friction: float) -> None:
    """For vines of different lengths with bends to both sides, to rounding; beyond the tip no bend counts."""
    params = replace(DRAGGED, tail_tension=base, tail_drag=drag, tail_friction=friction)
    rng, last = np.random.default_rng(1), np.array([[0], [4], [11]])
    angles = rng.normal(0, 0.4, (3, 12))
    films = np.where(np.arange(12) <= last, SEGMENT, 0.0)
    found = tension(params, torch.tensor(angles), torch.tensor(films), torch.tensor(last)).numpy()
    expected = [exact_tension(tail_of(params), angles[b], films[b], last[b, 0] + 1) for b in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_tension_is_differentiable_in_bends_and_growth() -> None:
    """Derivatives in every bend, and in the length of the last link, are those of central differences."""
    rng, last = np.random.default_rng(2), torch.tensor([[5], [3]])
    angles = torch.tensor(rng.normal(0, 0.3, (2, 6)), requires_grad=True)
    films = torch.tensor(np.where(np.arange(6) <= last.numpy(), SEGMENT, 0.0), requires_grad=True)
    assert torch.autograd.gradcheck(lambda bends: tension(DRAGGED, bends, films.detach(), last), (angles,))
    (slope,) = torch.autograd.grad(tension(DRAGGED, angles, films, last).sum(), films)
    ends = [(b, int(last[b])) for b in range(2)]
    for vine, end in ends:
        longer = films.detach().clone()
        longer[vine, end] += 1e-6
        rise = tension(DRAGGED, angles, longer, last) - tension(DRAGGED, angles, films, last)
        assert slope[vine, end].item() == pytest.approx(rise[vine].item() / 1e-6, rel=1e-5)
        assert slope[vine, end].item() == pytest.approx(DRAGGED.tail_drag)


def test_the_force_is_never_negative_and_a_broken_bend_is_seen() -> None:
    """The force that a tail and a squeeze leave is at least 0, even where the exponential overflows; what is not a number stays so."""
    films, last = torch.full((3, 40), SEGMENT, dtype=DOUBLE), torch.tensor([[39]] * 3)
    angles = torch.zeros(3, 40, dtype=DOUBLE)
    angles[1], angles[2, 3] = 100.0, torch.nan
    chain = forward_kinematics(angles, films, torch.zeros_like(angles), last, torch.zeros(3, dtype=DOUBLE))
    lost = torch.tensor([0.09, 0.0, 0.0], dtype=DOUBLE)
    params = replace(DRAGGED, tail_drag=5.0)
    force = available_force(params, lost, angles, chain)
    assert float(force[0]) == pytest.approx(0.91 * FORCE - 3.0 - 5.0 * 40 * SEGMENT)
    assert float(force[1]) == 0.0
    assert torch.isnan(force[2])
    bends, lengths = np.zeros(40), films[0].numpy()
    assert float(force[0]) == pytest.approx(exact_force(0.91 * FORCE, tail_of(params), bends, lengths, 40))


def grown(model: Any, length: float, pressure: np.ndarray | float = 0.0) -> Rollout:
    most = int(np.ceil(length / SEGMENT)) + 1
    carried = Actuation(np.broadcast_to(pressure, (1, most)).copy(), np.full((1, most), 0.04))
    rollout: Rollout = model.grow(model.start(1, most), carried, length, SEGMENT)
    return rollout


def film(rollout: Rollout) -> float:
    last = rollout.records[0] - 1
    return float((rollout.segments[0, last] - 1) * SEGMENT + rollout.last_length[0, last])


def test_a_straight_tube_stalls_where_its_tail_takes_all_force(environment: MakeEnvironment) -> None:
    """tail_tension + tail_drag L = growth force, within a step, as in the exact propagator."""
    stalls = (FORCE - DRAGGED.tail_tension) / DRAGGED.tail_drag
    rollouts = [grown(m(environment(), DRAGGED), 0.3) for m in (QuasiStatic, Penalty)]
    for rollout in rollouts:
        assert rollout.status[0] == Status.STALLED
        assert film(rollout) == pytest.approx(stalls, abs=STEP)
    assert film(rollouts[1]) == pytest.approx(film(rollouts[0]), abs=1e-4)


@pytest.mark.slow
def test_a_winding_tube_stalls_sooner(environment: MakeEnvironment) -> None:
    """Steered to both sides it has less turn in sum than in absolute values; those count, as in the exact propagator."""
    params = replace(DRAGGED, tail_tension=8.0, tail_friction=0.8)
    pressure = np.where(np.arange(12) // 3 % 2, -30e3, 30e3)[:13]
    pressure = np.append(pressure, pressure[-1])
    one, other = (grown(m(environment(), params), 0.3, pressure) for m in (QuasiStatic, Penalty))
    assert one.status[0] == other.status[0] == Status.STALLED
    assert film(other) == pytest.approx(film(one), abs=2e-4)
    assert film(other) < (FORCE - 8.0) / params.tail_drag - STEP


def test_a_stalled_tube_presses_with_what_its_tail_leaves(environment: MakeEnvironment) -> None:
    """Head on against a wall, the tip holds F - T0 - w L."""
    ahead = 0.12 + DRAGGED.radius
    rollout = grown(Penalty(environment(boxes=[(ahead, -0.5, ahead + 0.2, 0.5)]), DRAGGED, "cpu"), 0.16)
    last = rollout.records[0] - 1
    assert rollout.status[0] == Status.STALLED
    left = FORCE - DRAGGED.tail_tension - DRAGGED.tail_drag * film(rollout)
    assert rollout.contact_force[0, last].sum() == pytest.approx(left, rel=0.02)
