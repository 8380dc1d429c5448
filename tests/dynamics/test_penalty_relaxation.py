"""Relaxation of the penalty propagator at constant length, against exact contact and by its definition."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from dynamics.links import link
from dynamics.penalty.chain import forward_kinematics, links
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.relaxation import Relaxation, _link_curvature, stiffen
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status
from environments import Environment
from studies.rollouts.study import make_random_actuation, tip_distance

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
POSE = torch.tensor([0.1, -0.2, 0.4], dtype=torch.float64)


def test_vines_at_a_wall_go_on_as_in_exact_contact(shipped: dict[str, Environment], params: VineParams) -> None:
    """Vines that press on a wall head-on grow along it, and end where those of exact contact do, within 1 mm.

    Some need more than the growth force at the beginning of a segment if it does not turn about its wall from the first, and all
    are too deep for a while and would turn back and forth in full steps.
    """
    some = make_random_actuation(params, 200, 1.0, seed=1).of(np.array([1, 22, 34, 49, 60, 173]))
    carried, place = Actuation(some.pressure[:, :14], some.l_0[:, :14]), replace(shipped["divider"], stacked=True)
    found, expected = (
        model.grow(model.start(6, 14), carried, 0.35, params.segment_length)
        for model in (Penalty(place, params, "cpu"), QuasiStatic(place, params))
    )
    assert (expected.contact_force.max(axis=(1, 2)) > 10).all()
    assert (found.status == Status.GROWN).all()
    assert (expected.status == Status.GROWN).all()
    assert tip_distance(found, expected).max() < 1e-3
    np.testing.assert_array_less(0, found.relaxations)


def test_links_of_any_length_are_those_of_the_kernels() -> None:
    """Length, first and second derivative of straight, bent, folded and newborn links are the kernel's, on either side."""
    films = torch.tensor([0.0, 0.0, 25e-3, 25e-3, 25e-3, 25e-3, 25e-3, 4e-3], dtype=torch.float64)
    bends = torch.tensor([0.0, 0.0, 0.0, 0.008, 0.2, -0.2, 0.6, 0.05], dtype=torch.float64)
    for radius in (0.033, -0.033):
        pivots = torch.full_like(films, radius)
        length, change = links(films, bends, pivots)
        found = torch.stack([length, change, _link_curvature(films, bends, pivots)], 1)
        expected = [link(*one) for one in zip(films.tolist(), bends.tolist(), pivots.tolist(), strict=True)]
        # A link without length has none to lose: only its pivot matters.
        np.testing.assert_allclose(found[:, :2], np.array(expected)[:, :2], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found[2:, 2], np.array(expected)[2:, 2], rtol=1e-12, atol=1e-15)


def test_geometric_stiffness_is_the_second_derivative_of_the_forces_work() -> None:
    """Two forces on a chain stiffen each joint by minus the second derivative of their work over its bend, where that is positive.

    Pivots are taken as fixed, as in exact contact: the part of that derivative with which they walk is not in it.
    """
    rng = np.random.default_rng(3)
    angles = torch.tensor(rng.uniform(0.1, 0.3, (4, 6)))
    films, last = torch.full_like(angles, 25e-3), torch.full((4, 1), 5)
    pivots = torch.tensor(rng.choice([-0.033, 0.0, 0.033], (4, 6)))
    push = torch.zeros(2, 4, 6, dtype=torch.float64)
    push[:, :, [3, 5]] = torch.tensor(rng.uniform(-20, 20, (2, 4, 2)))

    def work(angles: torch.Tensor) -> torch.Tensor:
        chain = forward_kinematics(angles, films, pivots, last, POSE)
        return (push[0] * chain.x[:, 1:] + push[1] * chain.y[:, 1:]).sum()

    hessian = torch.autograd.functional.hessian(work, angles).reshape(24, 24).diagonal().reshape(4, 6)
    state, chain = Relaxation.begin(angles, 0.025), forward_kinematics(angles, films, pivots, last, POSE)
    state.push_x, state.push_y = push
    found = stiffen(state, chain, angles, pivots)
    across = push.flip(2).cumsum(2).flip(2)  # of the forces beyond each joint
    walking = links(films, angles, pivots)[1] * (across[1] * chain.cosine - across[0] * chain.sine)
    assert (hessian > 0.1).any()
    assert (hessian < -0.1).any()
    torch.testing.assert_close(found, (walking - hessian).clamp(min=0.0), rtol=1e-9, atol=1e-12)


def test_long_steps_are_cut_before_contacts_are_missed(environment: MakeEnvironment, params: VineParams) -> None:
    """No step moves the tip beyond the margin of the contacts that it knows, and vines still have the steps to grow to their length."""
    pressure = np.full((1, 14), 2e4)
    propagator = Penalty(environment(), params, "cpu", step=params.segment_length)
    rollout = propagator.grow(propagator.start(1, 14), Actuation(pressure, np.full_like(pressure, 0.04)), 0.35, 0.35)
    assert rollout.status[0] == Status.GROWN
    assert rollout.steps[0] * propagator.model.margin > 0.35
