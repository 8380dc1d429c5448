"""Nodes that an iteration grows: which, how many, and how far."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from planner.output.contents import CHECKPOINT
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.run import Budget, Run
from planner.search.sst import LONGEST_TUBE, Search, Switches

MakeEnvironment = Callable[..., Environment]


def begun(room: Environment, params: VineParams, batch: int = 20, switches: Switches | None = None) -> Search:
    """A search after its first iteration."""
    search = Search(
        room,
        QuasiStatic(room, params),
        params,
        np.random.default_rng(4),
        batch,
        switches or Switches(first_batch=batch),
    )
    search.iterate()
    return search


@pytest.mark.parametrize("factor", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("size", [1.0, 0.6])
def test_best_near_is_a_multiple_of_the_witness_radius(
    environment: MakeEnvironment, params: VineParams, factor: float, size: float
) -> None:
    """The node of lower cost is selected up to that distance from the draw, in lengths of the prototype; beyond it the nearest."""
    search = begun(environment(), params, 2, Switches(best_near=factor))
    search.size = size
    nodes, cost = np.array([0, 1]), np.array([2.0, 1.0])
    for beyond, chosen in ((-1e-6, 1), (1e-6, 0)):
        away = size * (factor * search.radius + beyond)
        search.tree.tips[nodes] = [[0.001, 0.0, 0.0], [away, 0.0, 0.0]]
        search.rng = SimpleNamespace(uniform=lambda *_: np.zeros((1, 3)))  # type: ignore[assignment]
        assert search._best_near(nodes, cost, 1).tolist() == [chosen]


@pytest.mark.parametrize("guided", [False, True])
def test_the_batch_is_small_until_there_is_a_solution(
    environment: MakeEnvironment, params: VineParams, guided: bool
) -> None:
    """The first batch, unless the batch itself is smaller; the batch from the iteration after the first solution."""
    for batch, first, before in ((20, 8, 8), (20, 50, 20)):
        search = begun(environment(), params, batch, Switches(first_batch=first))
        if guided:
            search.guide(lambda poses: np.hypot(*poses[:, :2].T))
        assert len(search._select()) == before
        search.tighten(9.0)
        assert len(search._select()) == batch


def test_a_run_changes_its_batch_once_and_resumes_across_the_change(
    shipped: dict[str, Environment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after every iteration a run grows as many vines in each as one that is left alone, to the same nodes."""
    counts: list[int] = []
    select, inputs = Search._select, Inputs(batch=40, fast=True)

    def counted(self: Search) -> np.ndarray:
        nodes = select(self)
        counts.append(len(nodes))
        return nodes

    monkeypatch.setattr(Search, "_select", counted)

    def fresh() -> Run:
        params = VineParams(physics="published")
        return Run.prepare(shipped["divider"], params, QuasiStatic, 5, 40, switches=Switches(first_batch=9))

    def searched(run: Run, iterations: int) -> Run:
        for _ in run.run(Budget(600.0, iterations)):
            pass
        return run

    whole, solved = fresh(), []
    for iteration in range(1, 7):
        solved.append(bool(searched(whole, iteration).best))
    expected = [40 if already else 9 for already in [False, *solved[:-1]]]
    assert counts == expected
    assert {9, 40} == set(expected)
    counts.clear()
    stopped = fresh()
    for iteration in range(1, 7):
        write_checkpoint(tmp_path / CHECKPOINT, stopped, inputs)
        stopped = fresh()
        read_checkpoint(tmp_path).restore(stopped)
        searched(stopped, iteration)
    assert counts == expected
    for name, array in whole.search.tree.to_arrays().items():
        assert array.tobytes() == stopped.search.tree.to_arrays()[name].tobytes(), name
    assert whole.search.bound == stopped.search.bound
    assert [one.cost for one in whole.solutions.best] == [one.cost for one in stopped.solutions.best]


@pytest.mark.parametrize(("side", "longest"), [(1.5, 12.0), (40.0, LONGEST_TUBE)])
def test_a_vine_may_be_as_long_as_the_bounds_are_twice_around(
    environment: MakeEnvironment, params: VineParams, side: float, longest: float
) -> None:
    """Twice the circumference, at most 50 m: the way along a spiral is longer than once around."""
    search = begun(environment(bounds=(-side / 2, -side / 2, side / 2, side / 2)), params)
    assert search.max_segments == pytest.approx(longest / params.segment_length, abs=1)


def test_the_way_along_the_spiral_fits(shipped: dict[str, Environment], params: VineParams) -> None:
    """Along the middle of its corridors the goal is 13.1 m away; the bounds are 11.2 m around."""
    way = np.array([
        [0.25, 0.1], [0.25, 2.55], [2.55, 2.55], [2.55, 0.25], [0.75, 0.25], [0.75, 2.05], [2.05, 2.05], [2.05, 1.35], [1.55, 1.35],
    ])  # fmt: skip
    length = np.hypot(*np.diff(way, axis=0).T).sum()
    bounds = shipped["spiral"].bounds
    assert length > 2 * (bounds[2:] - bounds[:2]).sum()
    search = begun(shipped["spiral"], params, 2)
    assert search.max_segments * params.segment_length > 1.3 * length
