"""The centreline of the penalty propagator: links that actuators shorten, and pivots on the wall of the tube."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from dynamics.links import LEAST_LINK, STRAIGHT
from dynamics.moment import free_curvature, joint_moments
from dynamics.penalty.chain import TensorChain, forward_kinematics
from dynamics.penalty.contacts import find_contacts
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.pull import Cells
from dynamics.penalty.relaxation import Relaxation
from dynamics.penalty.rollout import _outside
from dynamics.penalty.rows import FAR, TensorContacts
from dynamics.penalty.step import Limits, make_objective, most_motion
from dynamics.penalty.vines import Vines
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines
from environments import Environment

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]

CPU, DOUBLE = torch.device("cpu"), torch.float64
SEGMENTS, CELL = 4, 0.04
CLUTTER: dict[str, Any] = {
    "boxes": [[0.02, 0.04, 0.1, 0.08]],
    "circles": [[0.16, 0.03, 0.02], [0.1, -0.06, 0.02]],
    "walls": [[0.12, 0.08, 0.22, 0.1, 0.01]],
}
"""Around a vine of 0.2 m that starts at the origin to the right."""


def arc(bends: list[float], films: list[float], radius: float) -> np.ndarray:
    """Where links of h - R |theta| end, by the definition."""
    x = y = heading = 0.0
    for bend, film in zip(bends, films, strict=True):
        heading += bend
        x += (film - radius * abs(bend)) * np.cos(heading)
        y += (film - radius * abs(bend)) * np.sin(heading)
    return np.array([x, y, heading])


def grown(propagator: Penalty | QuasiStatic, pressure: np.ndarray, length: float) -> Any:
    """One vine, with its pressures given."""
    carried = Actuation(pressure[None], np.full((1, len(pressure)), CELL))
    return propagator.grow(propagator.start(1, len(pressure)), carried, length, length)


@pytest.mark.parametrize(
    ("physics", "segment"),
    [
        ("corrected", 25e-3),
        pytest.param("corrected", 12.5e-3, marks=pytest.mark.slow),
        pytest.param("published", 25e-3, marks=pytest.mark.slow),
    ],
)
def test_a_free_vine_ends_on_the_arc_of_shortened_links(
    environment: MakeEnvironment, physics: str, segment: float
) -> None:
    """Left, bare and right parts end where links of h - R |theta|, h and h - R |theta| do, to 1e-6; published, all keep h."""
    params = VineParams(physics=physics, segment_length=segment)
    pressure = np.array([18e3, 18e3, 0.0, -12e3, -12e3])
    length = 4.5 * segment
    rollout = grown(Penalty(environment(), params, "cpu", step=segment / 2), pressure, length)
    assert rollout.status[0] == Status.GROWN
    curvature = free_curvature(joint_moments(params), pressure, CELL)
    films = [segment] * 4 + [segment / 2]
    shortened = params.radius if physics == "corrected" else 0.0
    expected = arc(list(curvature * films), films, shortened)
    np.testing.assert_allclose(rollout.tips[0, 0], expected, rtol=0, atol=1e-6)
    assert rollout.last_length[0, 0] == pytest.approx(segment / 2)
    line = centerlines(rollout.state(np.arange(1), np.zeros(1, int)), np.zeros(3), params)[0]
    np.testing.assert_allclose(line[5], expected[:2], rtol=0, atol=1e-6)


def chain_of(angles: torch.Tensor, films: torch.Tensor, pivots: torch.Tensor, model: Any) -> TensorChain:
    last = torch.full((len(angles), 1), angles.shape[1] - 1)
    return forward_kinematics(angles, films, pivots, last, model.pose)


def gaps(
    propagator: Penalty, angles: torch.Tensor, films: torch.Tensor, pivots: torch.Tensor
) -> tuple[TensorChain, TensorContacts]:
    """A chain and its contacts within 12 mm."""
    chain = chain_of(angles, films, pivots, propagator.model)
    return chain, find_contacts(propagator.model.solids, propagator.model.section, 12e-3, chain)


@pytest.fixture(scope="module")
def touching(environment: MakeEnvironment, params: VineParams) -> tuple[Penalty, torch.Tensor, torch.Tensor]:
    """Bends and pressures of 60 vines of 8 segments among obstacles, bent with and against their actuators."""
    rng = np.random.default_rng(3)
    angles = torch.tensor(rng.normal(0.0, 0.15, (60, 8)))
    pressure = torch.tensor(rng.integers(-1, 2, (60, 8)) * 2e4)
    return Penalty(environment(**CLUTTER), params, "cpu"), angles, pressure


def test_jacobian_is_that_of_the_gaps(touching: tuple[Penalty, torch.Tensor, torch.Tensor], params: VineParams) -> None:
    """Under actuators every column of the contacts' Jacobian, and of a step's for growth, is the gaps' central difference."""
    propagator, angles, pressure = touching
    pivots, h = torch.sign(pressure) * params.radius, 1e-7
    films = torch.full_like(angles, params.segment_length)
    films[:, -1] = 0.6 * params.segment_length
    chain, found = gaps(propagator, angles, films, pivots)
    there = found.gap < FAR
    assert there.sum() > 150

    def difference(bend: torch.Tensor, film: torch.Tensor) -> torch.Tensor:
        ahead, behind = (gaps(propagator, angles + k * bend, films + k * film, pivots)[1] for k in (h, -h))
        for other in (ahead, behind):  # the contacts are listed by their gaps: the same ones in the same order
            assert torch.equal(other.segment[there], found.segment[there])
        return ((ahead.gap - behind.gap) / (2 * h))[there]

    for joint in range(8):
        bend = torch.zeros_like(angles)
        bend[:, joint] = 1.0
        torch.testing.assert_close(found.jacobian[..., joint][there], difference(bend, 0 * films), rtol=1e-5, atol=1e-6)
    one = torch.ones(len(angles), dtype=DOUBLE)
    cells = Cells.of(propagator.params, torch.full_like(angles, CELL))
    vines = Vines(
        angles, torch.full((len(angles),), 8), films[:, -1], pressure, cells, 0 * angles, one,
        0 * one, 0 * angles, one, one, one > 0, torch.ones(len(angles)), torch.zeros(len(angles), 0), angles[:, :0],
        Relaxation.begin(angles, 1.0), pivots,
    )  # fmt: skip
    with torch.no_grad():
        objective, curvature = make_objective(
            propagator.model, vines, chain, found, Limits(1e-3 * one, 1e-3 * one, 0 * one, one, one)
        )
    bend, film = torch.zeros_like(angles), torch.zeros_like(films)
    bend[:, -1], film[:, -1] = curvature, 1.0
    # A link that is nearly straight or folded does not lengthen by what its film grows; a step neglects that.
    share = (params.radius * angles[:, -1] / films[:, -1]).abs()
    linear = ((share > STRAIGHT) & (share < 1 - LEAST_LINK))[:, None].expand_as(there)[there]
    assert linear.sum() > 100
    growth = objective.jacobian[:, : found.gap.shape[1], -1][there][linear]
    torch.testing.assert_close(growth, difference(bend, film)[linear], rtol=1e-5, atol=1e-5)
    assert growth.abs().max() > 0.3


def test_motion_of_a_step_is_that_of_the_joints(
    touching: tuple[Penalty, torch.Tensor, torch.Tensor], params: VineParams
) -> None:
    """Under actuators the motion of a small step is the displacement of the joint that it moves farthest, or 50 mm for each radian."""
    propagator, angles, pressure = touching
    films, pivots = torch.full_like(angles, params.segment_length), torch.sign(pressure) * params.radius
    step = 1e-6 * torch.randn(angles.shape, generator=torch.Generator().manual_seed(1), dtype=DOUBLE)
    growth, longer = torch.full((len(angles),), 1e-8, dtype=DOUBLE), films.clone()
    longer[:, -1] += growth
    chain = chain_of(angles, films, pivots, propagator.model)
    after = chain_of(angles + step, longer, pivots, propagator.model)
    moved = torch.hypot(after.x - chain.x, after.y - chain.y).amax(1)
    moved = torch.maximum(moved, 0.05 * step.abs().amax(1))
    torch.testing.assert_close(most_motion(chain, step, growth)[1], moved, rtol=1e-4, atol=1e-12)


def test_links_fold_at_half_of_their_film(params: VineParams, environment: MakeEnvironment) -> None:
    """A link bent by 0.8 h / R, beyond 1/2 h / R, keeps h / 4 (1 + q) and turns about a pivot at q R: q = exp(-(0.8 - 0.5) / 0.25)."""
    model, film = Penalty(environment(), params, "cpu").model, params.segment_length
    angles = torch.tensor([[0.8 * film / params.radius, 0.0]], dtype=DOUBLE, requires_grad=True)
    films, pivots = torch.tensor([[film, 0.0]], dtype=DOUBLE), torch.tensor([[-params.radius] * 2], dtype=DOUBLE)
    chain = chain_of(angles, films, pivots, model)
    assert LEAST_LINK == 0.5
    bend, q = 0.8 * film / params.radius, np.exp(-1.2)
    pivot = [q * params.radius * np.sin(bend), -q * params.radius * np.cos(bend)]
    assert chain.length[0, 0].item() == pytest.approx(film / 4 * (1 + q))
    assert [chain.pivot_x[0, 0].item(), chain.pivot_y[0, 0].item()] == pytest.approx(pivot)
    (slope,) = torch.autograd.grad(chain.y[0, 1], angles)
    assert slope[0, 0].item() == pytest.approx(film / 4 * (1 + q) * np.cos(bend) - q * params.radius * np.sin(bend))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_straight_link_turns_about_its_joint(params: VineParams, environment: MakeEnvironment, side: float) -> None:
    """Straight, both walls are taut: a link's end moves by h for each radian across it, and not along it."""
    model = Penalty(environment(), params, "cpu").model
    angles = torch.zeros(1, 1, dtype=DOUBLE, requires_grad=True)
    films, pivots = torch.full_like(angles, 25e-3), torch.full_like(angles, side * params.radius)
    chain = chain_of(angles, films.detach(), pivots.detach(), model)
    slopes = [torch.autograd.grad(end[0, 1], angles, retain_graph=True)[0].item() for end in (chain.x, chain.y)]
    assert slopes == pytest.approx([0.0, 25e-3])
    assert chain.pivot_y[0, 0].item() == 0.0


@pytest.mark.slow
def test_tips_move_with_pressure_along_the_arc(environment: MakeEnvironment, params: VineParams) -> None:
    """In free space the tip's derivatives with respect to pressure are those of the arc of shortened links, within 0.1 %."""
    propagator = Penalty(environment(), params, "cpu", step=params.segment_length)
    value, length = 18e3, 3.5 * params.segment_length
    pressure = torch.full((1, SEGMENTS), value, dtype=DOUBLE, requires_grad=True)
    tip = propagator.tips(propagator.start(1, SEGMENTS), pressure, torch.full_like(pressure, CELL).detach(), length)
    found = [torch.autograd.grad(tip[0, k], pressure, retain_graph=True)[0].sum().item() for k in range(3)]
    films = np.array([params.segment_length] * 3 + [params.segment_length / 2])
    ends = [
        arc(list(free_curvature(joint_moments(params), at, CELL) * films), list(films), params.radius)
        for at in (value + 1.0, value - 1.0)
    ]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2.0, rtol=1e-3)


def test_agrees_with_the_exact_propagator_on_a_smooth_contact(environment: MakeEnvironment, params: VineParams) -> None:
    """A vine that its actuators press against a long wall ends within 1 mm of the quasi-static propagator's, with pivots alike."""
    workspace, pressure, step = environment(boxes=[[-1.0, 0.04, 1.0, 0.2]]), np.full(7, 24e3), params.segment_length / 4
    models = Penalty(workspace, params, "cpu", step=step), QuasiStatic(workspace, params, step)
    rollouts = [grown(model, pressure, 0.17) for model in models]
    assert all(one.status[0] == Status.GROWN and one.contact_force[0, 0].sum() > 0.1 for one in rollouts)
    np.testing.assert_allclose(rollouts[0].tips[0, 0, :2], rollouts[1].tips[0, 0, :2], rtol=0, atol=1e-3)
    np.testing.assert_array_equal(rollouts[0].pivots, rollouts[1].pivots)


def test_a_shortened_vine_stays_on_the_table(environment: MakeEnvironment, params: VineParams) -> None:
    """A vine is out of bounds by where its shortened links end: 1 mm inside, and outside if its links kept their length."""
    bends, films = [0.2] * 6, [params.segment_length] * 6
    reach = [arc(bends, films, radius)[1] for radius in (params.radius, 0.0)]
    assert reach[1] - reach[0] > 0.01
    model = Penalty(environment(bounds=(-1.0, -1.0, 1.0, reach[0] + 1e-3)), params, "cpu").model
    angles, lengths = torch.tensor([bends, bends], dtype=DOUBLE), torch.tensor([films, films], dtype=DOUBLE)
    pivots = torch.tensor([[params.radius], [0.0]], dtype=DOUBLE).expand(2, 6)
    assert _outside(model, chain_of(angles, lengths, pivots, model)).tolist() == [False, True]
