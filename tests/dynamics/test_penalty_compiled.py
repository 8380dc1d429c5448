"""The compiled Newton solver of the penalty propagator against the one that is not compiled."""

import logging
import math
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

import dynamics.penalty.contacts as contacts_module
import dynamics.penalty.propagator as penalty
import dynamics.penalty.rollout as rollout_module
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.solver_choice import COMPILED, INNER_STEPS, make_solver
from dynamics.penalty.solvers import CompiledNewton, newton, newton_step
from dynamics.penalty.solvers_on_cpu import SolverOnCpu
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, to_host
from environments import Environment
from studies.rollouts.study import make_random_actuation, tip_distance
from tests.dynamics.test_penalty_parts import random_objective

pytestmark = pytest.mark.usefixtures("single_thread")

SOFT = VineParams(least_height=0.5)
NeedsCompiler = pytest.mark.skipif(
    not any(map(shutil.which, (os.environ.get("CXX", "g++"), "clang++"))), reason="there is no C++ compiler"
)


def grown(propagator: Penalty, batch: int, length: float, compiled: CompiledNewton | None) -> Rollout:
    """Random vines that grow from two segments: one has a graph of its own; without a compiled solver by the plain one."""
    solver = partial(compiled, steps=INNER_STEPS["newton"]) if compiled else make_solver("newton")
    propagator.model = propagator.model._replace(solver=solver)
    carried = make_random_actuation(propagator.params, batch, length, seed=5)
    segments = round(length / propagator.params.segment_length)
    carried = Actuation(*(np.pad(part, ((0, 0), (1, 0)), mode="edge") for part in (carried.pressure, carried.l_0)))
    state = replace(propagator.start(batch, segments + 1), segments=np.full(batch, 2))
    return propagator.grow(state, carried, length, 0.1)


def assert_same_growth(one: Rollout, other: Rollout, within: float) -> None:
    """Both end in the same way after as many steps, with tips at most this far apart [m, rad]."""
    for name in ("status", "steps", "records"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.tips, other.tips, rtol=0, atol=within)


@NeedsCompiler
@pytest.mark.slow
def test_compiled_steps_grow_the_same_vines(
    shipped: dict[str, Environment], params: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the maze vines grow to 25 segments as with the plain solver, by one graph for a rigid tube and one for a soft one.

    The derivatives of tips need no third one. Sums in another order differ by a rounding, which contacts amplify to 1e-15 m.
    """
    from torch._dynamo.utils import counters  # here, since it takes seconds, and few tests need it

    # As on a device all vines are computed to the end, with as many contacts: a dimension of one has a graph of its own.
    monkeypatch.setattr(rollout_module, "MOST_LEFT", 0.0)
    choose = contacts_module._choose
    monkeypatch.setattr(contacts_module, "_choose", lambda *given: choose(*given[:2], math.inf, *given[3:]))
    torch._dynamo.reset()
    counters.clear()
    compiled = CompiledNewton()
    for graphs, tube in enumerate((params, SOFT), 1):
        propagator = Penalty(shipped["maze"], tube, "cpu")
        expected, found = (grown(propagator, 20, 0.6, solver) for solver in (None, compiled))
        assert (expected.contact_force.max(axis=(1, 2)) > 0.1).sum() > 5
        assert expected.segments.max() == 25
        assert_same_growth(found, expected, within=1e-12)
        assert compiled._step is not newton_step
        assert counters["stats"]["unique_graphs"] <= graphs
    propagator = Penalty(shipped["maze"], params, "cpu")
    slopes = []
    for solver in (make_solver("newton"), partial(compiled, steps=INNER_STEPS["newton"])):
        propagator.model = propagator.model._replace(solver=solver)
        pressure, l_0 = (torch.full((3, 7), value).double().requires_grad_() for value in (2e4, 0.04))
        start = replace(propagator.start(3, 7), segments=np.full(3, 2))
        tips = propagator.tips(start, pressure, l_0, 0.14)
        slopes.append(torch.cat(torch.autograd.grad(tips.sum(), (pressure, l_0))))
    torch.testing.assert_close(*slopes, rtol=1e-9, atol=0)
    assert counters["stats"]["unique_graphs"] <= graphs


@pytest.mark.slow
def test_compiled_steps_copy_nothing_to_the_host(
    shipped: dict[str, Environment], params: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph of a step is whole, and runs on a device whose tensors cannot be read."""
    for name, value in {"HELD_STEPS": 0, "ALLOWANCE": 0.0, "SPARE_STEPS": 2}.items():
        monkeypatch.setattr(penalty, name, value)
    monkeypatch.setattr(penalty, "find_device", lambda _: torch.device("meta"))
    propagator = Penalty(shipped["maze"], params)
    compiled = CompiledNewton()
    compiled._step = whole = torch.compile(
        newton_step, fullgraph=True, backend="eager"
    )  # no code is made for such tensors
    propagator.model = propagator.model._replace(solver=partial(compiled, steps=2))
    pressure, l_0 = (torch.full((3, 8), value, device="meta", dtype=torch.float64) for value in (1e4, 0.04))
    cells = propagator._cells(pressure, l_0)
    with torch.no_grad():
        _, tips = propagator._grow(propagator.start(3, 8), pressure, cells, np.array([0.03, 0.0, 0.02]), 0.025)
    assert tips.device.type == "meta"
    assert compiled._step is whole


@pytest.mark.parametrize("error", ["TorchDynamoException", "FailOnRecompileLimitHit"])
def test_steps_run_uncompiled_where_they_must(
    error: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the compiler fails, once and after some steps too, the result is that of the plain solver, and one line says why."""
    from torch._dynamo import exc

    objective = random_objective(6)
    start = torch.zeros_like(objective.viscosity)
    for good in (0, 3):
        calls: list[int] = []

        def step(*arguments: torch.Tensor, good: int = good, calls: list[int] = calls) -> torch.Tensor:
            calls.append(1)
            if len(calls) > good:
                raise getattr(exc, error)("no compiler:\nwhat the compiler says")
            return newton_step(*arguments)

        monkeypatch.setattr(torch, "compile", lambda _, step=step, **__: step)
        caplog.clear()
        compiled = CompiledNewton()
        with torch.no_grad(), caplog.at_level(logging.WARNING):
            for _ in range(2):
                torch.testing.assert_close(compiled(objective, start, 10), newton(objective, start, 10), rtol=0, atol=0)
        assert len(calls) == good + 1
        assert [record.getMessage() for record in caplog.records] == [
            "PyTorch cannot compile here, so steps take longer: no compiler:"
        ]


@pytest.mark.slow
def test_a_machine_without_a_compiler_grows_vines(tmp_path: Path) -> None:
    """PyTorch's own error, of a compiler that does not exist, is one line, and the vines grow."""
    program = """
import torch
from dynamics.penalty.solver_choice import make_solver
from tests.dynamics.test_penalty_parts import random_objective

objective = random_objective(6)
start = torch.zeros_like(objective.viscosity)
with torch.no_grad():
    plain, compiled = (make_solver("newton", device=device)(objective, start) for device in ("", "cuda"))
assert torch.equal(plain, compiled)
"""
    environ = {**os.environ, "CXX": str(tmp_path / "none"), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, cwd=root, capture_output=True, text=True, check=True
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "PyTorch cannot compile here, so steps take longer: InvalidCxxCompiler: No working C++ compiler"
    )


def test_a_copy_in_another_process_compiles_again() -> None:
    """A compiled kernel cannot be copied; its owner can."""
    compiled = CompiledNewton()
    compiled._step = lambda _, d: d  # which cannot be copied either
    assert pickle.loads(pickle.dumps(compiled))._step is None


def test_each_device_has_its_form_of_a_solver() -> None:
    """On a CUDA device only Newton's method has a form of its own, on a CPU both; all take at most as many steps."""
    for name, steps in INNER_STEPS.items():
        plain, on_cuda = (make_solver(name, device=device) for device in ("", "cuda"))
        assert plain.keywords == on_cuda.keywords == {"steps": steps}
        assert (on_cuda.func is plain.func) == (name == "gradient")
        assert make_solver(name, device="cpu") == SolverOnCpu(name == "newton", steps)


@pytest.mark.gpu
@pytest.mark.parametrize("tube", [VineParams(), SOFT], ids=["rigid", "soft"])
def test_compiled_steps_agree_on_cuda(shipped: dict[str, Environment], tube: VineParams) -> None:
    """One step from the same states, many in contact, as `test_single_steps_agree_on_cuda`; twice, once just compiled."""
    exact, carried = QuasiStatic(shipped["maze"], tube), make_random_actuation(tube, 40, 0.825, seed=5)
    before = exact.grow(exact.start(40, 33), carried, 0.8, 0.0171)
    vine, record = np.nonzero(np.arange(before.tips.shape[1]) < before.records[:, None])
    vine, record = vine[::7], record[::7]
    assert np.mean(before.contact_force[vine, record].sum(axis=1) > 0) > 0.1
    propagator = Penalty(shipped["maze"], tube, "cuda")
    assert isinstance(propagator.model.solver, partial)
    assert propagator.model.solver.func is COMPILED["newton"]
    plain = Penalty(shipped["maze"], tube, "cuda")
    plain.model = plain.model._replace(solver=make_solver("newton"))
    carrying, length = Actuation(carried.pressure[vine], carried.l_0[vine]), propagator.model.step
    expected, *found = (
        model.grow(before.state(vine, record), carrying, length, length) for model in (plain, propagator, propagator)
    )
    for one in found:
        assert_same_growth(one, expected, within=1e-8)
        np.testing.assert_allclose(to_host(one.angles), to_host(expected.angles), rtol=0, atol=1e-8)
        np.testing.assert_allclose(to_host(one.contact_force), to_host(expected.contact_force), rtol=0, atol=2e-4)
    assert COMPILED["newton"]._step is not newton_step
    assert COMPILED["newton"]._step is not None


@pytest.mark.gpu
def test_compiled_rollouts_agree_on_cuda(shipped: dict[str, Environment], params: VineParams) -> None:
    """Vines that grow through many shapes in the maze: three quarters of the tips within 1 mm, the same again when compiled."""
    carried = make_random_actuation(params, 40, 0.8, seed=5)
    plain, compiled = (Penalty(shipped["maze"], params, "cuda") for _ in range(2))
    plain.model = plain.model._replace(solver=make_solver("newton"))
    expected, *found = (model.grow(model.start(40, 32), carried, 0.8, 0.025) for model in (plain, compiled, compiled))
    for one in found:
        assert np.quantile(tip_distance(one, expected), 0.75) < 1e-3
        assert np.mean(one.status == expected.status) > 0.9
    assert COMPILED["newton"]._step is not newton_step
