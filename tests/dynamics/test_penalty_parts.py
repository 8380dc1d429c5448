"""The parts of the penalty propagator, each against the exact propagator's kernels or a closed form."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from dynamics import contact_rows, contacts
from dynamics.chain import Chain, new_chain
from dynamics.chain import forward_kinematics as exact_kinematics
from dynamics.cross_section import rigid_section
from dynamics.moment import free_curvature, joint_moments, linearise, new_actuated_vine, restoring_moment
from dynamics.penalty.chain import forward_kinematics
from dynamics.penalty.contacts import find_contacts
from dynamics.penalty.joints import Restoring
from dynamics.penalty.objective import Objective, PenaltyWeights
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.pull import Cells, TablePull, pull_of
from dynamics.penalty.relaxation import Relaxation
from dynamics.penalty.rows import FAR
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solver_choice import SOLVERS, make_solver
from dynamics.penalty.solvers import minimise
from dynamics.penalty.step import Limits, make_objective
from dynamics.penalty.vines import Vines, make_chain, pivots_at_joints, rest_curvature
from dynamics.scene import Scene, build_scene
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments import Environment
from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.force_table import ForceTable, stack
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

pytestmark = pytest.mark.usefixtures("single_thread")

MakeEnvironment = Callable[..., Environment]
Reference = Callable[[str], dict[str, np.ndarray]]

CPU = torch.device("cpu")
CLUTTER = {
    "polygons": [[[0.3, 0.1], [0.6, 0.15], [0.45, 0.4]]],
    "boxes": [[-0.5, -0.6, -0.1, -0.2], [0.2, -0.5, 0.3, -0.1]],
    "circles": [[-0.4, 0.4, 0.12], [0.05, 0.35, 0.05]],
    "walls": [[-0.8, 0.0, -0.3, 0.1, 0.02], [0.5, -0.4, 0.9, -0.3, 0.0]],
}


@pytest.fixture(scope="module")
def restoring(params: VineParams) -> Restoring:
    return Restoring.of(joint_moments(params), CPU, torch.float64)


def test_energy_is_the_potential_of_the_restoring_moment(restoring: Restoring, params: VineParams) -> None:
    """The derivative of U by automatic differentiation is Eq. 2 to the table's 1e-4 N m, and U is even and 0 when straight."""
    bend = torch.linspace(-3.0, 3.0, 4001, dtype=torch.float64, requires_grad=True)
    energy = restoring.energy(bend)
    (moment,) = torch.autograd.grad(energy.sum(), bend)
    expected = restoring_moment(bend.detach().numpy(), params)
    np.testing.assert_allclose(moment.numpy(), expected, atol=1e-4)
    np.testing.assert_allclose(energy.detach().numpy(), energy.detach().numpy()[::-1], rtol=1e-12)
    assert restoring.energy(torch.zeros(1, dtype=torch.float64)) == 0.0
    np.testing.assert_allclose(restoring.moment_and_slope(bend.detach())[0].numpy(), expected, atol=1e-4)


@pytest.mark.parametrize(
    "actuator",
    [Spam(), Spam(4e-3, 15e-3), PouchMotor(), Fpam(), Cpam()],
    ids=["spam", "thin spam", "pouch", "fpam", "cpam"],
)
def test_table_on_a_device_is_the_table(actuator: Actuator) -> None:
    """The look-up in tensors gives the kernels' force and slope, taut, within and slack, to rounding."""
    rng, rows = np.random.default_rng(1), actuator.tabulate()
    l_0 = rng.uniform(rows.shortest, rows.longest, 20_000)
    strain = rng.uniform(-0.1, 1.1, 20_000) * actuator.full_contraction(l_0)
    force, slope = ForceTable(rows)(strain, l_0)
    cells = Cells.of(VineParams(actuator=actuator), torch.tensor(l_0))
    found, found_slope = TablePull.of(stack([rows]), CPU, torch.float64)(torch.tensor(strain), cells)
    np.testing.assert_allclose(found.numpy(), force, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found_slope.numpy(), slope, rtol=1e-6, atol=1e-9)


def test_network_pulls_like_the_analytic_model(params: VineParams) -> None:
    """The network pulls like the analytic model where it was trained: within 3 % for 90 % of all working strains."""
    pull = pull_of(params, "network", CPU, torch.float64)
    rng = np.random.default_rng(6)
    l_0 = rng.uniform(20e-3, 80e-3, 4000)
    strain = rng.uniform(0.0, 0.9, 4000) * Spam().full_contraction(l_0)
    force = pull(torch.tensor(strain), Cells.of(params, torch.tensor(l_0)))[0].detach().numpy()
    assert np.quantile(np.abs(force / Spam().force_per_pressure(strain, l_0) - 1), 0.9) < 0.03


def test_pull_goes_on_taut_and_ends_slack() -> None:
    """Published, the network's force goes on along its slope below zero strain; beyond full contraction it is 0, and it never rises."""
    params = VineParams(physics="published")
    pull = pull_of(params, "network", CPU, torch.float64)
    l_0 = torch.linspace(20e-3, 80e-3, 13, dtype=torch.float64)[:, None]
    cells = Cells.of(params, l_0)
    full = torch.tensor(Spam().full_contraction(l_0.numpy()))
    at_zero, slope = pull(torch.zeros_like(l_0), cells)
    taut, taut_slope = pull(torch.full_like(l_0, -0.03), cells)
    torch.testing.assert_close(taut, at_zero - 0.03 * slope)
    torch.testing.assert_close(taut_slope, slope)
    assert (slope < 0).all()
    slack = pull(full * 1.01, cells)
    assert (slack[0] == 0).all()
    assert (slack[1] == 0).all()
    force, falling = pull(torch.linspace(-0.1, 1.1, 1201, dtype=torch.float64) * full, cells)
    assert (falling <= 0).all()
    assert (force.diff(dim=1) <= 1e-9).all()


def test_taut_network_pulls_like_the_analytic_model(params: VineParams) -> None:
    """Below zero strain it is within 7 % of Eq. 1 and never rises; beyond its training its slope is the limit of Eq. 1 for m -> 0."""
    pull = pull_of(params, "network", CPU, torch.float64)
    strain, l_0 = np.meshgrid(np.linspace(-0.12, 0.0, 121), np.linspace(20e-3, 80e-3, 13))
    with torch.no_grad():
        force, slope = (part.numpy() for part in pull(torch.tensor(strain), Cells.of(params, torch.tensor(l_0))))
    np.testing.assert_allclose(force, ForceTable(Spam().tabulate())(strain, l_0)[0], rtol=0.07)
    assert np.all(np.diff(force, axis=1) < 0)
    np.testing.assert_allclose(slope[:, strain[0] < -0.065], -np.pi * 5e-3**2 / 1e-4, rtol=1e-12)


@pytest.mark.parametrize(
    ("actuator", "physics", "segment"),
    [
        pytest.param(
            actuator, physics, segment, marks=() if quick else pytest.mark.slow, id=f"{name}-{physics}-{segment}"
        )
        for name, actuator in (("spam", Spam()), ("pouch", PouchMotor()))
        for physics in ("corrected", "published")
        for segment in (25e-3, 12.5e-3)
        for quick in [(name, physics, segment) in (("spam", "corrected", 12.5e-3), ("pouch", "published", 25e-3))]
    ],
)
def test_moments_are_those_of_the_kernels(
    environment: MakeEnvironment, actuator: Spam | PouchMotor, physics: str, segment: float
) -> None:
    """The objective's gradient and curvature in a vine's bends are moment and slope of its joints, bent with and against actuators."""
    params = VineParams(segment_length=segment, physics=physics, actuator=actuator)
    rng, count, joint = np.random.default_rng(7), 400, joint_moments(params)
    angles = rng.uniform(-0.15, 0.15, count) * segment / 25e-3
    pressure = rng.choice([-1.0, 0.0, 1.0], count) * rng.uniform(5e3, 35e3, count)
    l_0 = rng.uniform(20e-3, 60e-3, count)
    model = Penalty(environment(bounds=(-5, -5, 5, 5)), params, device="cpu").model
    row, cells = [torch.tensor(part)[None] for part in (angles, pressure)], Cells.of(params, torch.tensor(l_0)[None])
    one = torch.full((1,), segment, dtype=torch.float64)
    vines = Vines(
        row[0], torch.tensor([count]), one, row[1], cells, torch.zeros_like(row[0]), one, count * one,
        torch.zeros_like(row[0]), one, one, one > 0, torch.tensor([1]), torch.zeros(1, 0), row[0][:, :0],
        Relaxation.begin(row[0], segment), pivots_at_joints(params, row[1], None),
    )  # fmt: skip
    chain = make_chain(model, vines, count)
    contacts = find_contacts(model.solids, model.section, model.margin, chain)
    with torch.no_grad():
        objective, _ = make_objective(model, vines, chain, contacts, Limits(0 * one, 0 * one, 0 * one, one, one))
        still = torch.zeros_like(objective.viscosity)
        gradient, curvature = (part[0, :-1].numpy() for part in (objective.gradient(still), objective.curvature(still)))
    moment, slope = np.empty((2, count))
    spread = 25e-3 / segment if physics == "corrected" else 1.0
    linearise(joint, new_actuated_vine(joint, angles, pressure, l_0), count, spread, spread * angles[-1], moment, slope)
    slope[:-1] *= spread
    slope[-1] *= joint.length / segment
    np.testing.assert_allclose(gradient, moment, rtol=1e-9, atol=1e-9)
    damping = params.bending_viscosity / segment * spread
    np.testing.assert_allclose(curvature, slope + damping, rtol=1e-6)


@pytest.mark.parametrize(
    ("actuator", "surrogate", "typical", "worst"),
    [(Spam(), "table", 1e-6, 1e-6), (PouchMotor(), "table", 1e-6, 1e-6), (Spam(), "network", 5e-3, 2e-2)],
)
def test_rest_curvature_is_the_free_curvature(
    environment: MakeEnvironment, actuator: Spam | PouchMotor, surrogate: str, typical: float, worst: float
) -> None:
    """Over the whole grid curvatures are the compiled table's to 1e-6; with the network 80 % within 0.5 %, all within 2 %."""
    params = VineParams(actuator=actuator)
    model = Penalty(environment(), params, device="cpu", surrogate=surrogate).model
    pressure, l_0 = (part.ravel() for part in np.meshgrid(actuator.grid.pressure, actuator.grid.l_0))
    with torch.no_grad():
        cells = Cells.of(params, torch.tensor(l_0))
        found = rest_curvature(model, torch.tensor(pressure), cells).numpy()
        mirrored = rest_curvature(model, -torch.tensor(pressure), cells).numpy()
    expected = free_curvature(joint_moments(params), pressure, l_0)
    np.testing.assert_allclose(found, expected, rtol=worst)
    assert np.quantile(np.abs(found / expected - 1), 0.8) < typical
    np.testing.assert_array_equal(mirrored, -found)


def of_one(angles: np.ndarray, films: np.ndarray, pivots: np.ndarray, last: int) -> list[torch.Tensor]:
    """Arguments of `forward_kinematics` for one vine."""
    return [torch.tensor(part)[None] for part in (angles, films, pivots, [last])]


def without_ends(rows: contact_rows.Contacts, number: int, scene: Scene, chain: Chain, segments: int) -> int:
    """Take out the kernels' rows of corners next to an end of a segment onto which they do not project; returns how many are left."""
    edges, solids = len(scene.edges), len(scene.edges) + len(scene.corners)
    link, solid = np.divmod(rows.key[:number], solids)
    keep = link == rows.segment[:number]
    for k in np.flatnonzero(keep & (solid >= edges) & (link < segments - 1)):
        i = int(link[k])
        beyond = scene.corners[solid[k] - edges, :2] - [chain.x[i + 1], chain.y[i + 1]]
        keep[k] = not (
            beyond @ [chain.cosine[i], chain.sine[i]] > 0 and beyond @ [chain.cosine[i + 1], chain.sine[i + 1]] >= 0
        )
    for part in rows:
        part[: keep.sum()] = part[:number][keep]
    return int(keep.sum())


def test_contacts_are_those_of_the_exact_propagator(environment: MakeEnvironment, params: VineParams) -> None:
    """Gaps and their derivatives are the kernels', to rounding, among all four kinds of obstacles.

    The chains are random, with actuators on some of their links.
    """
    rng, segment, margin = np.random.default_rng(4), params.segment_length, 12e-3
    reach = params.radius + margin
    scene = build_scene(environment(**CLUTTER), reach, reach + segment)
    solids = TensorSolids.of(scene, CPU, torch.float64)
    batch, count = 400, 12
    last = rng.integers(0, count, batch)
    angles = rng.normal(0.0, 0.2, (batch, count)) * (np.arange(count) <= last[:, None])
    pivots = params.radius * rng.integers(-1, 2, (batch, count))
    films = np.where(np.arange(count) < last[:, None], segment, 0.0)
    films[np.arange(batch), last] = segment * rng.uniform(0.05, 1.0, batch)
    met, expected = 0, new_chain(count)
    for vine in range(batch):
        pose = np.array([*rng.uniform(-0.7, 0.7, 2), rng.uniform(-np.pi, np.pi)])
        chain = forward_kinematics(*of_one(angles[vine], films[vine], pivots[vine], last[vine]), torch.tensor(pose))
        found = find_contacts(solids, rigid_section(params.radius, 0.0), margin, chain)
        segments = int(last[vine]) + 1
        exact_kinematics(expected, angles[vine], pivots[vine], pose, segments, films[vine, segments - 1], segment)
        rows = contact_rows.new_contacts(400)
        number = contacts.find_contacts(scene, rigid_section(params.radius, 0.0), margin, expected, segments, rows)
        number = without_ends(rows, number, scene, expected, segments)
        there = found.gap[0].numpy() < FAR
        assert there.sum() == min(number, there.size)
        levers = np.column_stack([np.ones(count), expected.pivot_x, expected.pivot_y])
        levers = np.column_stack([rows.alpha, rows.beta, rows.gamma])[:number] @ levers.T
        levers = np.where(np.arange(count) <= rows.segment[:number, None], levers, 0.0)
        one = np.column_stack([rows.gap[:number], rows.growth[:number], levers])
        other = np.column_stack([part[0].numpy()[there] for part in (found.gap, found.growth, found.jacobian)])
        order = [np.lexsort(table.round(9).T) for table in (one, other)]
        np.testing.assert_allclose(other[order[1]], one[order[0]], atol=1e-12)
        met += number
    assert met > 500


def random_objective(seed: int, batch: int = 20, segments: int = 30, rows: int = 6, dents: int = 0) -> Objective:
    """A step as hard as real ones: levers of up to a metre, some contacts pressed, some not."""
    rng = torch.Generator().manual_seed(seed)

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return low + (high - low) * torch.rand(*shape, generator=rng, dtype=torch.float64)

    restoring = Restoring.of(joint_moments(VineParams()), CPU, torch.float64)
    jacobian = uniform(-1.0, 1.0, batch, rows + 2, segments + dents + 1)
    jacobian[:, -2:] = 0.0
    jacobian[:, -2, -1], jacobian[:, -1, -1] = -1.0, 1.0
    gap = torch.cat(
        [uniform(-1e-3, 8e-3, batch, rows), uniform(1e-3, 4e-3, batch, 1), torch.zeros(batch, 1).double()], 1
    )
    damping = uniform(0.2, 0.4, batch, segments), torch.ones(batch, dents).double(), uniform(40, 60, batch, 1)
    return Objective(
        restoring, uniform(-0.3, 0.3, batch, segments), uniform(1.0, 3.0, batch, segments),
        uniform(-0.5, 0.5, batch, segments), uniform(0.0, 4.0, batch, segments), torch.cat(damping, 1),
        uniform(20.0, 25.0, batch), gap, jacobian, torch.tensor(2e5).double(), PenaltyWeights(),
    )  # fmt: skip


@pytest.mark.parametrize("dents", [0, 5])
def test_gradient_is_the_derivative_of_the_energy(dents: int) -> None:
    """Automatic differentiation of Eq. 4 gives its gradient, and the derivatives of that, to 1e-12 of the largest; with any weights.

    The bends are elastic and wrinkled, on both sides; a part of the contacts is pressed.
    """
    objective = random_objective(0, dents=dents)._replace(weights=PenaltyWeights(200.0, 10.0, 1.5))
    rng = torch.Generator().manual_seed(1)
    d, way = 2e-2 * torch.randn(2, *objective.viscosity.shape, generator=rng, dtype=torch.float64)
    size = (objective.bend + objective.scale * d[:, : objective.bends]).abs()
    assert 0.1 < (size < objective.restoring.transition).double().mean() < 0.9
    assert 0.1 < (objective.gaps(d) < 0).double().mean() < 0.9
    parts = [part.requires_grad_() for part in (d, *objective[1:9])]
    (expected,) = torch.autograd.grad(objective.energy(d).sum(), d, create_graph=True)
    found = objective.gradient(d)
    assert_same(found, expected)
    second = [torch.autograd.grad((way * one).sum(), parts, retain_graph=True) for one in (found, expected)]
    for one, other in zip(*second, strict=True):
        assert_same(one, other)


def assert_same(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Both are the same to 1e-12 of the largest number, which is not 0."""
    largest = expected.abs().max().item()
    assert largest > 0
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12 * largest)


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_end_at_the_minimum(solver: str) -> None:
    """Both solvers end where the gradient vanishes, which a convex energy does at its minimum alone."""
    objective = random_objective(2)
    start = torch.zeros_like(objective.viscosity)
    with torch.no_grad():
        d = start
        for _ in range(8):  # what one call leaves, the next one mends
            d = minimise(objective, d, make_solver(solver))
        assert objective.gradient(start).abs().max() > 10
        assert objective.gradient(d).abs().max() < 1e-6
        assert (objective.energy(d) < objective.energy(start)).all()


@pytest.mark.slow
def test_solvers_agree_on_the_steps_of_a_rollout(shipped: dict[str, Environment], params: VineParams) -> None:
    """On real steps in the maze gradient and Newton find the same energy: to 1e-7 J in 19 of 20 steps."""
    steps: list[tuple[Objective, torch.Tensor]] = []

    def listening(objective: Objective, start: torch.Tensor) -> torch.Tensor:
        steps.append((objective, start))
        return make_solver("newton")(objective, start)

    propagator = Penalty(shipped["maze"], params, device="cpu")
    propagator.model = propagator.model._replace(solver=listening)
    rng = np.random.default_rng(5)
    pressure = np.repeat(rng.uniform(-25e3, 25e3, (8, 4)), 8, axis=1)
    propagator.grow(propagator.start(8, 32), Actuation(pressure, np.full((8, 32), 0.05)), 0.6, 0.1)
    with torch.no_grad():
        pairs = [[o.energy(make_solver(name)(o, s)) for name in ("newton", "gradient")] for o, s in steps[20::30]]
        pressed = sum(int((o.gap < 0).sum()) for o, _ in steps)
    differences = torch.cat([gradient - newton for newton, gradient in pairs])
    assert pressed > 100
    assert (differences.abs() < 1e-7).double().mean() > 0.95


def test_minimum_is_differentiable_in_what_it_depends_on() -> None:
    """The derivative of the minimum with respect to the actuators' moments is that of central differences, to 1e-5."""
    objective = random_objective(3, batch=4, segments=10, rows=5)
    with torch.no_grad():
        start = minimise(objective, torch.zeros_like(objective.viscosity), make_solver("newton"))

    def solve(pull: torch.Tensor) -> torch.Tensor:
        return minimise(objective._replace(pull=pull), start, make_solver("newton"))

    pull = objective.pull.clone().requires_grad_()
    way = torch.randn(4, 10, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    weights = torch.randn(4, 11, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    (gradient,) = torch.autograd.grad((weights * solve(pull)).sum(), pull)
    h = 1e-6
    with torch.no_grad():
        difference = (weights * (solve(objective.pull + h * way) - solve(objective.pull - h * way))).sum(1) / (2 * h)
    torch.testing.assert_close((gradient * way).sum(1), difference, rtol=1e-5, atol=1e-8)


def test_weights_scale_their_terms() -> None:
    """Each weight of Eq. 4 scales its own term: growth F_g d, contact k depth^2 / 2, and what is left the bending."""
    objective = random_objective(4)
    d = 1e-2 * torch.randn(*objective.viscosity.shape, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    paper = PenaltyWeights()
    assert paper == (160.0, 15.0, 1.0)
    depth = (-objective.gap - (objective.jacobian @ d[..., None])[..., 0]).clamp(min=0)
    damping, energy = 0.5 * (objective.viscosity * d**2).sum(1), objective.energy(d)
    terms = {"growth": -objective.growth_force * d[:, -1], "contact": 0.5 * objective.stiffness * (depth**2).sum(1)}
    terms["bending"] = energy - damping - terms["growth"] - terms["contact"]
    for term, value in terms.items():
        assert value.abs().max() > 0
        trebled = objective._replace(weights=paper._replace(**{term: 3 * getattr(paper, term)}))
        torch.testing.assert_close(trebled.energy(d) - energy, 2 * value)
        without = objective._replace(weights=paper._replace(**{term: 0.0}))
        torch.testing.assert_close(energy - without.energy(d), value)
