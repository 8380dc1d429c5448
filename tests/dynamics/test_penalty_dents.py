"""The cross-section of the penalty propagator: closed forms of its energies, the kernels' laws, and the exact propagator's vines."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from dynamics import contact_rows, contacts
from dynamics.chain import forward_kinematics as exact_kinematics
from dynamics.chain import new_chain
from dynamics.cross_section import ASIDE, COMPLIANCE, LENGTH, RIGID, TIP, cross_section
from dynamics.moment import joint_moments
from dynamics.penalty.chain import TensorChain, forward_kinematics
from dynamics.penalty.contacts import find_contacts
from dynamics.penalty.joints import Restoring
from dynamics.penalty.objective import Objective, PenaltyWeights
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.rows import TensorContacts
from dynamics.penalty.section import SHORTEST, SPARE
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solver_choice import make_solver
from dynamics.penalty.solvers import minimise
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.scene import build_scene
from dynamics.soft_contacts import squeezed_share
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState
from environments import Environment

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
SOFT = VineParams(least_height=0.5)
SECTION = cross_section(SOFT)
R, P, SEGMENT = SOFT.radius, SOFT.growth_pressure, SOFT.segment_length
CPU, DOUBLE = torch.device("cpu"), torch.float64
LINKS = 8
SERIES = (1 + SPARE) / SOFT.contact_stiffness
"""Compliance of a contact besides that of the film [m/N]."""


def touching(environment: Environment, bends: Sequence[float] = (0.0,) * LINKS, tip: float = SEGMENT) -> TensorContacts:
    """Contacts of a soft tube of whole segments but for the last [m]."""
    scene = build_scene(environment, 2 * R, 2 * R + SEGMENT, radius=R)
    angles = torch.tensor(bends, dtype=DOUBLE)[None]
    films = torch.full_like(angles, SEGMENT)
    films[0, -1] = tip
    last, pose = torch.tensor([[len(bends) - 1]]), torch.as_tensor(environment.start, dtype=DOUBLE)
    chain = forward_kinematics(angles, films, torch.zeros_like(angles), last, pose)
    return find_contacts(TensorSolids.of(scene, CPU, DOUBLE), SECTION, 12e-3, chain)


def held(found: TensorContacts) -> tuple[np.ndarray, float]:
    """Forces of the contacts [N], and the energy of the cross-section [J], of a tube whose axis does not move."""
    unknowns = found.dents.shape[2]
    one = torch.zeros(1, 1, dtype=DOUBLE)
    viscosity = torch.ones(1, unknowns + 2, dtype=DOUBLE)
    viscosity[0, 0] = viscosity[0, -1] = 1e15
    still = found.dents.new_zeros(1, len(found.gap[0]), 1)
    objective = Objective(
        Restoring.of(joint_moments(SOFT), CPU, DOUBLE), one, one + 1, one, one, viscosity, torch.zeros(1, dtype=DOUBLE),
        found.gap, torch.cat([still, found.dents, still], 2), torch.tensor(SOFT.contact_stiffness), PenaltyWeights(),
    )  # fmt: skip
    with torch.no_grad():
        d = torch.zeros_like(viscosity)
        for _ in range(3):
            d = minimise(objective, d, make_solver("newton"))
        assert objective.gradient(d).abs().max() < 1e-7
        force = objective.contact_stiffness * torch.relu(-objective.gaps(d))
        return force[0].numpy(), float(objective.energy(d))


def by_joint(found: TensorContacts, force: np.ndarray) -> np.ndarray:
    return np.bincount(found.segment[0].numpy(), weights=force, minlength=LINKS)


def between(environment: MakeEnvironment, below: float, above: float) -> Environment:
    """Long plates that dent a straight tube by so much on each side [m]."""
    return environment(boxes=[[-1, -1, 1, -R + below], [-1, R - above, 1, 1]])


@pytest.mark.parametrize("dent", [2e-3, 7e-3, 15e-3])
def test_a_plate_needs_the_load_of_the_film(environment: MakeEnvironment, dent: float) -> None:
    """One wall: 4/3 pi P d per length, with the energy 2/3 pi P d^2; the compliance of the contact itself is 0.6 %."""
    found = touching(between(environment, dent, -0.1))
    force, energy = held(found)
    film = 3 / (4 * np.pi * P * SEGMENT)
    load = by_joint(found, force)[: LINKS - 1]
    assert load == pytest.approx(np.full(LINKS - 1, dent / (film + SERIES)), rel=1e-6)
    assert load == pytest.approx(np.full(LINKS - 1, 4 / 3 * np.pi * P * dent * SEGMENT), rel=0.01)
    length = (LINKS - 1) * SEGMENT + 1.5 * R  # each joint holds the next segment's length, the last one the cap
    assert energy == pytest.approx(2 / 3 * np.pi * P * dent**2 * length, rel=0.01)


@pytest.mark.parametrize("height", [0.9, 0.7, 0.55])
def test_two_walls_do_the_work_of_the_lost_area(environment: MakeEnvironment, height: float) -> None:
    """P pi (R - H / 2) per length from each; the energy is P times the area that the stadium lacks. Caps of the tip are apart."""
    dent = (1 - height) * R
    found = touching(between(environment, dent, dent))
    force, energy = held(found)
    assert by_joint(found, force)[: LINKS - 1] == pytest.approx(2 * P * np.pi * dent * SEGMENT, rel=0.01)
    area = np.pi * R**2 * (1 - height * (2 - height))
    tip = 0.5 * by_joint(found, force)[-1] * dent
    assert energy - tip == pytest.approx(P * area * (LINKS - 1) * SEGMENT, rel=0.01)
    assert float(found.lost[0]) == pytest.approx((1 - height) ** 2)


def test_unequal_walls(environment: MakeEnvironment) -> None:
    """The compliance of the film, 3 / (4 pi P) by (1, 1/3; 1/3, 1), inverted; a side that recedes by itself is not touched."""
    found = touching(between(environment, 8e-3, 5e-3))
    force, _ = held(found)
    middle = (force > 0) & (found.segment[0].numpy() == 3)
    compliance = 3 / (4 * np.pi * P * SEGMENT) * np.array([[1, 1 / 3], [1 / 3, 1]]) + SERIES * np.eye(2)
    expected = np.linalg.solve(compliance, [8e-3, 5e-3])
    assert np.sort(force[middle]) == pytest.approx(np.sort(expected), rel=1e-6)
    alone, beside, squeezed = (
        by_joint(found, held(found)[0])[3]
        for found in (touching(between(environment, 8e-3, other)) for other in (-0.1, 2.6e-3, 4e-3))
    )
    assert beside == pytest.approx(alone, rel=1e-6)
    assert squeezed > 1.1 * alone


@pytest.mark.parametrize("dent", [3e-3, 11e-3])
def test_cap(environment: MakeEnvironment, dent: float) -> None:
    """Head on, 2 pi P R d and pi P R d^2: the tip of a tube whose last segment has just begun."""
    ahead = (LINKS - 1) * SEGMENT + R - dent
    found = touching(environment(boxes=[[ahead, -1, ahead + 1, 1]]), tip=1e-6)
    force, energy = held(found)
    tip = found.segment[0].numpy() == LINKS - 1
    assert force[tip].max() == pytest.approx(2 * np.pi * P * R * dent, rel=0.02)
    assert 0.5 * force[tip].max() * dent == pytest.approx(np.pi * P * R * dent**2, rel=0.02)
    assert energy == pytest.approx(0.5 * force.sum() * dent, rel=0.02)


def test_beyond_the_largest_dent_the_tube_is_rigid(environment: MakeEnvironment) -> None:
    """0.2 mm more than half of the diameter less the least height: the stiff penalty of 0.2 mm is added to the film's load."""
    found = touching(between(environment, SECTION.most_dent + 0.2e-3, -0.1))
    load = by_joint(found, held(found)[0])[: LINKS - 1]
    film = 4 / 3 * np.pi * P * SEGMENT * SECTION.most_dent
    assert load == pytest.approx(np.full(LINKS - 1, film + 40.0), rel=0.01)


CLUTTER: dict[str, Any] = {
    "polygons": [[[0.3, 0.1], [0.6, 0.15], [0.45, 0.4]]],
    "boxes": [[-0.5, -0.6, -0.1, -0.2], [0.2, -0.5, 0.3, -0.1]],
    "circles": [[-0.4, 0.4, 0.12], [0.05, 0.35, 0.01]],
}
PASSAGE = [[-0.5, -0.9 + 0.8 * R, 0.5, -0.75], [-0.5, -1.05, 0.5, -0.9 - 0.8 * R]]
"""0.8 diameters high."""


def test_contacts_are_those_of_the_kernels(environment: MakeEnvironment) -> None:
    """Gaps, compliances and derivatives of soft tubes among obstacles are those of `dynamics.contacts`, also of squeezed tips."""
    rng, met, turned, known = np.random.default_rng(4), 0, 0, 0
    place = environment(**{**CLUTTER, "boxes": CLUTTER["boxes"] + PASSAGE})
    scene = build_scene(place, 2 * R, 2 * R + SEGMENT)
    solids, total = TensorSolids.of(scene, CPU, DOUBLE), len(scene.edges) + len(scene.corners)
    for vine in range(1200):
        bends, pose = rng.normal(0, 0.1, 6), np.array([*rng.uniform(-0.6, 0.6, 2), rng.uniform(-np.pi, np.pi)])
        if vine % 6 == 0:  # at the mouth of the passage
            bends, pose = 0.05 * bends, np.array([-0.65, -0.9, 0.0]) + rng.uniform(-1, 1, 3) * [0.03, 4e-3, 0.02]
        films = np.full(6, SEGMENT)
        films[-1] = rng.uniform(0.1, 1) * SEGMENT
        arguments = [torch.tensor(part)[None] for part in (bends, films, 0 * bends, [5])]
        chain: TensorChain = forward_kinematics(*arguments, torch.tensor(pose))
        found = find_contacts(solids, SECTION, 12e-3, chain)
        exact, rows = new_chain(6), contact_rows.new_contacts(400)
        exact_kinematics(exact, bends, np.zeros(6), pose, 6, films[-1], SEGMENT)
        number = contacts.find_contacts(scene, SECTION, 12e-3, exact, 6, rows)
        pressing = rows.pressing[:number]
        key = {int(k): n for n, k in enumerate(rows.key[:number]) if k // total == rows.segment[n]}
        soft_rows = int((pressing[:, RIGID] == 0).sum())
        if int((found.item[0] >= 0).sum()) == soft_rows:  # no corner has slid past the end of a segment
            lost, known = squeezed_share(SECTION, rows, number), known + 1
            assert float(found.lost[0]) == pytest.approx(lost, abs=1e-9)
        for n, item in enumerate(found.item[0].tolist()):
            k = key.get(int(found.segment[0, n]) * total + item)
            if item < 0 or k is None:
                continue
            assert float(found.gap[0, n]) == pytest.approx(rows.gap[k], abs=1e-12)
            soft = float((found.dents[0, n] ** 2).sum()) - SPARE * SECTION.compliance
            if pressing[k, LENGTH] + pressing[k, TIP] > SHORTEST * R:
                assert soft == pytest.approx(pressing[k, COMPLIANCE] - SECTION.compliance, rel=1e-6)
            assert float(found.growth[0, n]) == pytest.approx(rows.growth[k], abs=1e-9)
            lever = rows.alpha[k] + rows.beta[k] * exact.pivot_x[0] + rows.gamma[k] * exact.pivot_y[0]
            assert float(found.jacobian[0, n, 0]) == pytest.approx(lever, abs=1e-9)
            met, turned = met + 1, turned + (pressing[k, ASIDE] > 0)
    assert met > 300
    assert known > 300
    assert turned > 3


def test_the_energys_gradient_is_its_derivative(environment: MakeEnvironment) -> None:
    """The derivatives of a squeezed tube, in bends, dents and growth, agree with central differences to 1e-6 of the largest."""
    model = Penalty(corridor(environment, 0.8), SOFT, "cpu")
    steps: list[tuple[Objective, torch.Tensor]] = []

    def listening(objective: Objective, start: torch.Tensor) -> torch.Tensor:
        steps.append((objective, make_solver("newton")(objective, start)))
        return steps[-1][1]

    model.model = model.model._replace(solver=listening)
    grown(model, 0.2)
    objective, d = steps[-1]
    assert objective.growth_force[0] < SOFT.growth_force
    gradient, h = objective.gradient(d).detach(), 1e-7
    bends = objective.bends
    for k in [0, 3, bends - 2, bends, bends + 1, bends + 4, d.shape[1] - 1]:
        step = torch.zeros_like(d[0])
        step[k] = h
        difference = (objective.energy(d + step) - objective.energy(d - step)) / (2 * h)
        assert float(gradient[0, k]) == pytest.approx(float(difference[0]), rel=1e-4, abs=1e-4)


def corridor(environment: MakeEnvironment, height: float, aside: float = 0.0) -> Environment:
    """A corridor of a height, in diameters, that begins after 0.12 m; the tube starts beside its middle [m]."""
    half = height * R
    return environment(boxes=[[0.12, half, 0.6, 0.3], [0.12, -0.3, 0.6, -half]], start=(0, aside, 0))


def grown(model: Any, length: float, pressure: float = 0.0) -> Rollout:
    most = int(np.ceil(length / SEGMENT)) + 1
    carried = Actuation(np.full((1, most), pressure), np.full((1, most), 0.04))
    rollout: Rollout = model.grow(model.start(1, most), carried, length, SEGMENT)
    return rollout


PLACES: dict[str, tuple[dict[str, Any], float]] = {
    "post": ({"circles": [(0.2, 0.434, 0.4)]}, 35e3),
    "corner": ({"boxes": [(0.16, 0.045, 0.5, 0.3)]}, 30e3),
}


@pytest.mark.parametrize("tail", [pytest.param(0.0, marks=pytest.mark.slow), 6.0])
@pytest.mark.parametrize("name", ["post", pytest.param("corner", marks=pytest.mark.slow)])
def test_agrees_with_the_exact_propagator(environment: MakeEnvironment, name: str, tail: float) -> None:
    """Steered on to a round post and a corner, with and without a tail: tips within 0.6 mm, and the sum of forces within 2 %."""
    params = replace(SOFT, tail_tension=tail, tail_drag=4 * tail, tail_friction=0.2)
    obstacles, pressure = PLACES[name]
    rollouts = [grown(m(environment(**obstacles), params), 0.3, pressure) for m in (QuasiStatic, Penalty)]
    ends = [rollout.records[0] - 1 for rollout in rollouts]
    tips = [rollout.tips[0, end] for rollout, end in zip(rollouts, ends, strict=True)]
    force = [rollout.contact_force[0, end].sum() for rollout, end in zip(rollouts, ends, strict=True)]
    assert rollouts[0].status[0] == rollouts[1].status[0] == Status.GROWN
    assert np.hypot(*(tips[1] - tips[0])[:2]) < 0.6e-3
    assert force[0] > 2.0
    assert force[1] == pytest.approx(force[0], rel=0.02)


@pytest.mark.parametrize("height", [pytest.param(0.9, marks=pytest.mark.slow), 0.7])
def test_is_squeezed_like_the_exact_propagators(environment: MakeEnvironment, height: float) -> None:
    """In a corridor, from beside its middle: the same place, and each joint behind the tip is held by the same force."""
    place = corridor(environment, height, 3e-3)
    one, other = (grown(m(place, SOFT), 0.3) for m in (QuasiStatic, Penalty))
    assert one.status[0] == other.status[0] == Status.GROWN
    ends = [rollout.records[0] - 1 for rollout in (one, other)]
    assert other.tips[0, ends[1]] == pytest.approx(one.tips[0, ends[0]], abs=0.1e-3)
    force = other.contact_force[0, ends[1], 6:10]
    assert force == pytest.approx(one.contact_force[0, ends[0], 6:10], rel=0.02)
    assert force == pytest.approx(np.full(4, 2 * P * np.pi * (1 - height) * R * SEGMENT), rel=0.02)


@pytest.mark.parametrize(("share", "status"), [(0.9, Status.GROWN), (0.92, Status.STALLED)])
def test_a_squeezed_tip_lacks_the_force_of_its_lost_area(
    environment: MakeEnvironment, share: float, status: Status
) -> None:
    """With its tip in a corridor of 0.7 diameters a tube lacks (1 - 0.7)^2 of its force: a tail that takes 92 % stops it, 90 % do not."""
    params = replace(SOFT, tail_tension=share * SOFT.growth_force)
    state = VineState(np.zeros((1, 16)), np.array([10]), np.array([0.5 * SEGMENT]))
    carried = Actuation(np.zeros((1, 16)), np.full((1, 16), 0.04))
    for make in (QuasiStatic, Penalty):
        rollout = make(corridor(environment, 0.7), params).grow(state, carried, 0.06, SEGMENT)
        assert rollout.status.tolist() == [status]


def test_a_corridor_below_the_least_height_is_shut(environment: MakeEnvironment) -> None:
    rollout = grown(Penalty(corridor(environment, 0.45), SOFT, "cpu"), 0.2)
    assert rollout.status[0] == Status.STALLED
    assert rollout.tips[0, rollout.records[0] - 1, 0] < 0.12


def test_a_rigid_tube_has_no_dents(environment: MakeEnvironment) -> None:
    """With a least height of 1, a step has no further unknowns, and no share of the growth force is lost."""
    model = Penalty(between(environment, 0.0, 0.0), VineParams(), "cpu").model
    angles, one = torch.zeros(1, 4, dtype=DOUBLE), torch.full((1, 4), SEGMENT, dtype=DOUBLE)
    chain = forward_kinematics(angles, one, angles, torch.tensor([[3]]), model.pose)
    found = find_contacts(model.solids, model.section, model.margin, chain)
    assert found.dents.shape[2] == 0
    assert float(found.lost[0]) == 0.0


@pytest.mark.slow
def test_tips_are_differentiable_in_a_squeeze_with_a_tail(environment: MakeEnvironment) -> None:
    """Against a ceiling, soft and with a tail: derivatives in pressure are those of central differences, within 1 %."""
    params = replace(SOFT, tail_tension=2.0, tail_drag=10.0, tail_friction=0.3)
    ceiling = environment(boxes=[[-1.0, 0.04, 1.0, 0.3]])
    model = Penalty(ceiling, params, "cpu", step=SEGMENT / 2)
    value, length = 22e3, 0.19

    def tip(pressure: torch.Tensor) -> torch.Tensor:
        spread = pressure[:, None].expand(-1, LINKS)
        return model.tips(model.start(len(pressure), LINKS), spread, torch.full_like(spread, 0.04).detach(), length)

    assert grown(model, length, value).contact_force.max() > 0.3
    pressure = torch.full((1,), value, dtype=DOUBLE, requires_grad=True)
    at = tip(pressure)
    found = [torch.autograd.grad(at[0, k], pressure, retain_graph=True)[0].item() for k in range(3)]
    with torch.no_grad():
        ahead, behind = tip(torch.tensor([value * (1 + 1e-5), value * (1 - 1e-5)], dtype=DOUBLE))
    expected = ((ahead - behind) / (2e-5 * value)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-3 * np.abs(expected).max())
