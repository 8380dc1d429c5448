"""The penalty propagator against the exact one, against designs, and against finite differences."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import shapely
import torch

import dynamics.penalty.propagator as penalty
import dynamics.penalty.solvers as solvers
import dynamics.penalty.vines as vines
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.pull import Cells
from dynamics.penalty.vines import rest_curvature
from dynamics.propagator import CannotRun, OutOfMemory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines, grown_length, to_host
from environments import Environment, known_environments
from planner.design.catalogue import Catalogue
from planner.search.controls import actuation
from planner.search.sst import Search
from studies.rollouts.study import UNEXPLAINED, make_random_actuation, measure_agreement, tip_distance
from surrogate.pouch import PouchMotor

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]

EverySolver = pytest.mark.parametrize("solver", ["newton", "gradient"])
EveryQuickSolver = pytest.mark.parametrize("solver", ["newton", pytest.param("gradient", marks=pytest.mark.slow)])
CLUTTER: dict[str, Any] = {
    "polygons": [[[0.35, 0.1], [0.65, 0.15], [0.5, 0.4]]],
    "boxes": [[0.2, -0.6, 0.3, -0.08], [0.9, -0.5, 1.0, 0.3]],
    "circles": [[0.7, -0.25, 0.12], [0.35, 0.45, 0.05]],
    "walls": [[-0.2, 0.12, 0.2, 0.3, 0.02], [0.4, -0.7, 0.9, -0.6, 0.0]],
}


def uniform(pressure: float, l_0: float, segments: int, batch: int = 1) -> Actuation:
    return Actuation(np.full((batch, segments), pressure), np.full((batch, segments), l_0))


@EveryQuickSolver
def test_designed_curvature_is_grown(environment: MakeEnvironment, params: VineParams, solver: str) -> None:
    """Curvature to design and back: what is synthesised for a curvature grows to that curvature, within 1 %, either side.

    The designs miss the wanted curvature by up to half a step of the grid; that much is allowed on top.
    """
    catalogue = Catalogue.of(params)
    wanted = np.linspace(*catalogue.reachable, 30)
    entry, error = catalogue.synthesise(wanted)
    controls = np.repeat((np.array([1, -1])[:, None] * (entry + 1)).reshape(-1, 1), 6, axis=1)
    propagator = Penalty(environment(), params, "cpu", solver)
    rollout = propagator.grow(propagator.start(60, 6), actuation(controls.astype(np.int32), catalogue), 0.15, 0.15)
    assert (rollout.status == Status.GROWN).all()
    film = np.reshape([1.0, -1.0], (2, 1, 1)) * rollout.angles[:, 0].reshape(2, 30, 6) / params.segment_length
    curvature = film / (1 - params.radius * film)  # of the centreline, which is what is asked for
    missed = np.abs(curvature - wanted[:, None]).max(axis=(0, 2))  # every segment, the growing one too
    np.testing.assert_array_less(missed, 0.01 * wanted + np.abs(error))


def fewest_steps(length: float, record_every: float, params: VineParams, step: float) -> int:
    """Number of steps of growth, none longer than a step [m], that end at each end of a segment, at each record and at the length."""
    ends = [params.segment_length * np.arange(1, length / params.segment_length)]
    ends += [record_every * np.arange(1, length / record_every), np.array([length])]
    parts = np.diff(np.sort(np.concatenate(ends)), prepend=0.0)
    return int(np.ceil(parts / step - 1e-6).sum())


def test_free_curvature_is_the_exact_propagators(environment: MakeEnvironment, params: VineParams) -> None:
    """A steered tube takes the quasi-static propagator's curvature within 1 %, wherever its growth ends, with no step too many."""
    rng = np.random.default_rng(0)
    pressure = np.repeat(rng.uniform(5e3, 35e3, (40, 1)) * rng.choice([-1, 1], (40, 1)), 6, axis=1)
    actuated = Actuation(pressure, np.repeat(rng.uniform(0.02, 0.08, (40, 1)), 6, axis=1))
    lengths = rng.uniform(0.05, 0.15, 40)
    one, other = Penalty(environment(), params, "cpu"), QuasiStatic(environment(), params)
    rollouts = [m.grow(m.start(40, 6), actuated, lengths, 0.5) for m in (one, other)]
    np.testing.assert_allclose(rollouts[0].tips[:, 0, 2], rollouts[1].tips[:, 0, 2], rtol=1e-2)
    for rollout, step in zip(rollouts, (params.segment_length / 6, other.tube.most_motion), strict=True):
        assert rollout.steps.tolist() == [fewest_steps(length, 0.5, params, step) for length in lengths]


Grown = tuple[Environment, Rollout, Rollout]


@pytest.fixture(scope="module", params=["newton", pytest.param("gradient", marks=pytest.mark.slow)])
def in_clutter(request: pytest.FixtureRequest, environment: MakeEnvironment, params: VineParams) -> Grown:
    """Random vines among all four kinds of obstacles, by a solver and by the exact propagator."""
    workspace = environment(**CLUTTER)
    carried = make_random_actuation(params, 24, 0.8, seed=2)
    step = 25e-3 / 4
    one, other = Penalty(workspace, params, "cpu", request.param, step), QuasiStatic(workspace, params, step)
    return workspace, *(model.grow(model.start(24, 32), carried, 0.8, 0.025) for model in (one, other))


def test_nothing_is_entered(in_clutter: Grown, params: VineParams) -> None:
    """Among polygons, boxes, circles and walls no recorded vine is deeper than 1 mm (2 mm are allowed)."""
    workspace, rollout, _ = in_clutter
    vine, record = np.nonzero(np.arange(rollout.segments.shape[1]) < rollout.records[:, None])
    joints = centerlines(rollout.state(vine, record), workspace.start, params)
    solid = shapely.union_all(workspace.obstacles.shapes())
    lines = [shapely.LineString(line[~np.isnan(line[:, 0])]) for line in joints]
    clearance = min(line.distance(solid) for line in lines)
    assert params.radius - params.penetration_tolerance - 1e-4 < clearance < params.radius  # 1e-4: shapely's circles
    assert (rollout.contact_force.max(axis=(1, 2)) > 0).sum() > 12
    assert len(lines) > 24 * 15


def test_agrees_with_the_exact_propagator_in_contact(in_clutter: Grown) -> None:
    """Three quarters of the vines end within 1 mm of the exact propagator's, and nine in ten in the same way."""
    _, rollout, reference = in_clutter
    assert np.quantile(tip_distance(rollout, reference), 0.75) < 1e-3
    assert (rollout.status == reference.status).mean() > 0.9
    assert (reference.contact_force.max(axis=(1, 2)) > 0).sum() > 12


@pytest.mark.slow
@pytest.mark.parametrize("name", known_environments())
def test_random_rollouts_end_where_the_exact_ones_do(name: str) -> None:
    """In each shipped environment 90 % of 200 random vines end within 1 mm, and 98 % have not parted; none is deeper than 1 mm.

    Those that part are sensitive under the exact propagator alone, or do not part with four times the inner steps.
    """
    make, closer = partial(Penalty, device="cpu"), partial(Penalty, device="cpu", inner_steps=40)
    agreement = measure_agreement(name, VineParams(), make, closer, "penalty", vines=200, length=1.0)
    assert agreement.median_mm < 0.1
    assert agreement.p90_mm < 1.0
    assert agreement.same_end >= 0.99
    assert len(agreement.parted) <= 4
    assert agreement.count(UNEXPLAINED) == 0
    assert agreement.deepest_mm <= 1.0


SEGMENTS, LENGTH = 6, 0.14
CEILING = {"boxes": [[-1.0, 0.045, 1.0, 0.2]]}
EverySurrogate = pytest.mark.parametrize("surrogate", ["table", "network"])


def three_vines() -> tuple[torch.Tensor, torch.Tensor]:
    """Pressures and cell lengths of vines that curve towards the ceiling."""
    pressure = torch.tensor([20e3, 28e3, 24e3], dtype=torch.float64, requires_grad=True)
    return pressure, torch.tensor([0.033, 0.046, 0.061], dtype=torch.float64, requires_grad=True)


def tips(propagator: Penalty, pressure: torch.Tensor, l_0: torch.Tensor) -> torch.Tensor:
    """Where uniformly steered vines end."""
    wide = (x[:, None].expand(-1, SEGMENTS) for x in (pressure, l_0))
    return propagator.tips(propagator.start(len(pressure), SEGMENTS), *wide, LENGTH)


def slopes(tip: torch.Tensor, argument: torch.Tensor) -> np.ndarray:
    """Derivatives of each vine's tip by automatic differentiation, shape (batch, 3)."""
    columns = (torch.autograd.grad(column.sum(), argument, retain_graph=True)[0] for column in tip.unbind(1))
    return torch.stack(list(columns), 1).numpy()


def differences(propagator: Penalty, pressure: torch.Tensor, l_0: torch.Tensor, over: torch.Tensor) -> np.ndarray:
    """Differences of the tips of the first and the second half of some vines, over a number for each; shape (batch, 3)."""
    with torch.no_grad():
        ahead, behind = tips(propagator, pressure, l_0).chunk(2)
        return ((ahead - behind) / over[:, None]).numpy()


def check_slopes(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("surrogate", ["table", pytest.param("network", marks=pytest.mark.slow)])
def test_tip_is_differentiable_in_pressure(environment: MakeEnvironment, params: VineParams, surrogate: str) -> None:
    """In contact the tip's derivatives with respect to pressure are those of central differences, within 1 %.

    These are small, so that no bend crosses a node of the table, where the slope steps.
    """
    propagator = Penalty(environment(**CEILING), params, "cpu", surrogate=surrogate, step=25e-3 / 2)
    pressure, l_0 = three_vines()
    carried = Actuation(*(x.detach().numpy()[:, None].repeat(SEGMENTS, 1) for x in (pressure, l_0)))
    rollout = propagator.grow(propagator.start(3, SEGMENTS), carried, LENGTH, LENGTH)
    assert (rollout.contact_force.max(axis=(1, 2)) > 0.1).all()
    found, step = slopes(tips(propagator, pressure, l_0), pressure), 1e-5 * pressure.detach()
    expected = differences(propagator, torch.cat([pressure + step, pressure - step]), torch.cat([l_0, l_0]), 2 * step)
    check_slopes(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "surrogate"), [("free", "network"), ("contact", "table")])
def test_tip_is_differentiable_in_curvature(
    environment: MakeEnvironment, params: VineParams, kind: str, surrogate: str
) -> None:
    """The derivative with respect to curvature agrees too; at a given pressure it is had by the length of the cells.

    In free space the heading turns by the vine's length for each unit of curvature.
    """
    obstacles = CEILING if kind == "contact" else {}
    propagator = Penalty(environment(**obstacles), params, "cpu", surrogate=surrogate, step=25e-3 / 2)
    pressure, l_0 = three_vines()
    curvature = rest_curvature(propagator.model, pressure.detach(), Cells.of(params, l_0))
    (per_length,) = torch.autograd.grad(curvature.sum(), l_0)
    found = slopes(tips(propagator, pressure, l_0), l_0) / per_length.numpy()[:, None]
    step, every = 1e-5 * curvature.detach(), pressure.detach().repeat(2)
    wanted, cells = torch.cat([curvature + step, curvature - step]).detach(), l_0.detach().repeat(2)
    with torch.no_grad():
        for _ in range(6):  # cells of that curvature, by Newton's method
            missed = rest_curvature(propagator.model, every, Cells.of(params, cells)) - wanted
            cells -= missed / per_length.repeat(2)
    assert (missed.abs() < 1e-3 * step.repeat(2)).all()
    check_slopes(found, differences(propagator, every, cells, 2 * step))
    if kind == "free":
        np.testing.assert_allclose(found[:, 2], LENGTH, rtol=1e-2)


@pytest.mark.parametrize(
    "params", [pytest.param(VineParams(), marks=pytest.mark.slow), VineParams(least_height=0.5, tail_tension=2.0)]
)
def test_nothing_is_copied_to_the_host(
    shipped: dict[str, Environment], params: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole rollout runs on a device whose tensors cannot be read: nothing is copied, and no tensor is elsewhere."""
    monkeypatch.setattr(penalty, "find_device", lambda _: torch.device("meta"))
    # Such tensors are slow; a few steps of everything will do.
    monkeypatch.setattr(penalty, "HELD_STEPS", 0)
    monkeypatch.setattr(penalty, "ALLOWANCE", 0.0)
    monkeypatch.setattr(penalty, "SPARE_STEPS", 6)
    monkeypatch.setattr(vines, "BISECTIONS", 2)
    monkeypatch.setattr(solvers, "LINE_STEPS", 2)
    for solver in ("newton", "gradient"):
        propagator = Penalty(shipped["maze"], params, solver=solver, inner_steps=2)
        pressure, l_0 = (torch.full((3, 8), value, device="meta", dtype=torch.float64) for value in (1e4, 0.04))
        cells = propagator._cells(pressure, l_0)
        state = propagator.start(3, 8)
        with torch.no_grad():
            records, tips = propagator._grow(state, pressure, cells, np.array([0.03, 0.0, 0.02]), 0.025)
        assert records.angles.device.type == tips.device.type == "meta"
    with pytest.raises(RuntimeError, match="cannot be called on meta tensors"):
        tips.sum().item()  # what the rollout would have met with


@pytest.mark.slow
def test_single_precision_comes_close(environment: MakeEnvironment, params: VineParams) -> None:
    """In float32 free vines end within 0.1 mm, and three quarters of the vines in contact within 5 mm."""
    for obstacles, quantile, most in (({}, 1.0, 1e-4), (CLUTTER, 0.75, 5e-3)):
        carried = make_random_actuation(params, 16, 0.45, seed=4)
        rollouts = []
        for dtype in (torch.float64, torch.float32):
            propagator = Penalty(environment(**obstacles), params, "cpu", step=25e-3 / 3, dtype=dtype)
            rollouts.append(propagator.grow(propagator.start(16, 18), carried, 0.3, 0.1))
        assert rollouts[1].angles.dtype == np.float32
        assert np.quantile(tip_distance(*rollouts), quantile) < most


@pytest.mark.parametrize(
    ("dtype", "record_every", "segments"),
    [
        (torch.float32, 0.0171, 20),
        pytest.param(torch.float32, 0.0171, 60, marks=pytest.mark.slow),
        pytest.param(torch.float64, 0.025, 60, marks=pytest.mark.slow),
    ],
)
def test_roundings_do_not_add_up(
    environment: MakeEnvironment, params: VineParams, dtype: torch.dtype, record_every: float, segments: int
) -> None:
    """A long vine reaches its length in no step too many, whether records fall on segments or not."""
    step, carried, length = 25e-3 / 7.3, uniform(0.0, 0.04, segments), segments * 25e-3
    exact = QuasiStatic(environment(), params, step)
    propagator = Penalty(environment(), params, "cpu", step=step, dtype=dtype, inner_steps=1)
    expected, rollout = (m.grow(m.start(1, segments), carried, length, record_every) for m in (exact, propagator))
    assert rollout.status[0] == Status.GROWN
    assert rollout.steps[0] == fewest_steps(length, record_every, params, step)
    assert expected.steps[0] == fewest_steps(length, record_every, params, exact.tube.most_motion)
    ends = rollout.state(np.arange(1), rollout.records - 1)
    assert grown_length(ends, params)[0] == pytest.approx(length, abs=1e-6)


def test_search_keeps_what_the_device_has(shipped: dict[str, Environment], params: VineParams) -> None:
    """The search and its tree work with tensors as they do with arrays, and find the same nodes."""

    class OnDevice(Penalty):
        def _to_output(self, tensor: torch.Tensor) -> torch.Tensor:
            return tensor

    trees = []
    for make in (Penalty, OnDevice):
        model = make(shipped["divider"], params, "cpu", step=25e-3 / 2, inner_steps=3)
        model.model = model.model._replace(solver=partial(model.model.solver))  # which is none of the kernels'
        search = Search(shipped["divider"], model, params, np.random.default_rng(0), 16)
        for _ in range(2):
            search.iterate()
        assert np.isfinite(search.tree.tips).all()
        trees.append(search.tree)
    assert len(trees[0]) == len(trees[1]) > 20
    rows, width = np.flatnonzero(trees[0].used), int(trees[0].segments.max())
    on_host, on_device = (tree.pages.bends(rows, width) for tree in trees)
    assert isinstance(on_device, torch.Tensor)
    assert np.abs(on_host).max() > 0.01
    np.testing.assert_array_equal(on_host, on_device.numpy())


def test_refuses_what_it_cannot_do(environment: MakeEnvironment, params: VineParams) -> None:
    """An unknown solver or device, cells the network was not trained for, and CUDA where there is none: one line each."""
    with pytest.raises(CannotRun, match="unknown solver 'guess'; known: newton, gradient"):
        Penalty(environment(), params, "cpu", "guess")
    with pytest.raises(CannotRun, match="unknown device 'tpu'; known: auto, cpu, cuda"):
        Penalty(environment(), params, "tpu")
    if not torch.cuda.is_available():
        with pytest.raises(CannotRun, match="no CUDA device here; use --device cpu or auto"):
            Penalty(environment(), params, "cuda")
    with pytest.raises(CannotRun, match="unknown surrogate 'guess'; known: table, network"):
        Penalty(environment(), params, "cpu", surrogate="guess")
    with pytest.raises(CannotRun, match=r"trained for Spam\(.*use --surrogate table here"):
        Penalty(environment(), VineParams(actuator=PouchMotor()), "cpu", surrogate="network")
    propagator = Penalty(environment(), params, "cpu", surrogate="network")
    with pytest.raises(CannotRun, match="20 to 80 mm long, for which the actuator's force is known"):
        propagator.grow(propagator.start(1, 4), uniform(1e4, 0.09, 4), 0.1, 0.05)


def test_too_little_memory_names_the_batch_to_try(environment: MakeEnvironment, params: VineParams) -> None:
    """Out of memory, the message says which batch to try."""
    propagator = Penalty(environment(), params, "cpu")

    def exhausted(*_: object) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory")

    propagator.model = propagator.model._replace(solver=exhausted)
    with pytest.raises(OutOfMemory, match="ran out of memory growing 7 vines at once; try --batch 3"):
        propagator.grow(propagator.start(7, 4), uniform(1e4, 0.04, 4, batch=7), 0.1, 0.05)


@pytest.mark.gpu
@EverySolver
@EverySurrogate
def test_cpu_and_cuda_agree(shipped: dict[str, Environment], params: VineParams, solver: str, surrogate: str) -> None:
    """Both devices grow the vines alike: 75 % of the tips within 1 mm, and the tree's arrays stay where they were made."""
    carried = make_random_actuation(params, 40, 0.8, seed=5)
    rollouts = []
    for device in ("cpu", "cuda"):
        propagator = Penalty(shipped["maze"], params, device, solver, surrogate=surrogate)
        rollouts.append(propagator.grow(propagator.start(40, 32), carried, 0.8, 0.025))
    assert rollouts[1].angles.device.type == "cuda"
    assert np.quantile(tip_distance(*rollouts), 0.75) < 1e-3


@pytest.mark.gpu
@EverySolver
def test_single_steps_agree_on_cuda(shipped: dict[str, Environment], params: VineParams, solver: str) -> None:
    """One step from the same states, many of them in contact: bends and tips within 1e-8 rad and m, forces within 2e-4 N.

    A thousand times what gradient steps make of the rounding of the states on the CPU: 1e-11 and 2e-7.
    """
    exact, carried = QuasiStatic(shipped["maze"], params), make_random_actuation(params, 40, 0.825, seed=5)
    grown = exact.grow(exact.start(40, 33), carried, 0.8, 0.0171)
    vine, record = np.nonzero(np.arange(grown.tips.shape[1]) < grown.records[:, None])
    vine, record = vine[::7], record[::7]
    assert np.mean(grown.contact_force[vine, record].sum(axis=1) > 0) > 0.1
    carrying, steps = Actuation(carried.pressure[vine], carried.l_0[vine]), []
    for device in ("cpu", "cuda"):
        propagator = Penalty(shipped["maze"], params, device, solver)
        length = propagator.model.step
        steps.append(propagator.grow(grown.state(vine, record), carrying, length, length))
    one, other = steps
    for name in ("status", "records", "steps"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name, within in (("angles", 1e-8), ("tips", 1e-8), ("last_length", 1e-8), ("contact_force", 2e-4)):
        np.testing.assert_allclose(to_host(getattr(other, name)), getattr(one, name), rtol=0, atol=within)


@pytest.mark.gpu
@EverySurrogate
def test_derivatives_agree_on_cuda(environment: MakeEnvironment, params: VineParams, surrogate: str) -> None:
    """Derivatives of the tip in contact are the same on both devices."""
    found = []
    for device in ("cpu", "cuda"):
        propagator = Penalty(environment(**CEILING), params, device, surrogate=surrogate, step=25e-3 / 2)
        pressure, l_0 = (x.detach().to(device).requires_grad_() for x in three_vines())
        tip = tips(propagator, pressure, l_0)
        columns = [torch.autograd.grad(c.sum(), (pressure, l_0), retain_graph=True) for c in tip.unbind(1)]
        found.append(np.array([[slope.numpy(force=True) for slope in column] for column in columns]))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-3, atol=1e-6 * np.abs(found[0]).max())
