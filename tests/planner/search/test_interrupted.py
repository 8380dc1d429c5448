"""Searches whose growth is cut short: the iteration has not taken place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.impulse.propagator import Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from planner.output.contents import CHECKPOINT
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.planners import search_of
from planner.search.run import Budget, Run
from planner.search.sst import DEFAULT_SWITCHES, Switches
from surrogate.kernels.interruption import CUT, Interrupted
from tests.run_state import state_of


class Growths:
    """Counts growths, and cuts one of them short."""

    def __init__(self) -> None:
        self.count, self.cut_at, self.was_cut = 0, 0, list[str]()

    def begin(self, cut_at: int) -> None:
        self.count, self.cut_at, CUT[0] = 0, cut_at, False

    def called(self, model: Any) -> None:
        self.count += 1
        if self.count == self.cut_at:
            CUT[0] = True
            finer = isinstance(model, QuasiStatic) and model.tube.growth_step < 0.9 * VineParams().segment_length / 6
            self.was_cut.append("replay" if finer else type(model).__name__)


@pytest.fixture
def growths(monkeypatch: pytest.MonkeyPatch) -> Iterator[Growths]:
    """The growths of the models that search, replay and relax."""
    growths = Growths()
    for model in (QuasiStatic, Impulse):

        def grow(self: Any, *arguments: Any, before: Any = model.grow) -> Any:
            growths.called(self)
            return before(self, *arguments)

        monkeypatch.setattr(model, "grow", grow)
    yield growths
    CUT[0] = False


def prepared(environment: Environment, switches: Switches = DEFAULT_SWITCHES) -> Run:
    return Run.prepare(environment, VineParams(), QuasiStatic, seed=3, batch=20, switches=switches)


def advance(run: Run, iterations: int) -> None:
    for _ in run.run(Budget(600.0, iterations)):
        pass


def test_an_iteration_that_was_cut_short_leaves_no_trace(shipped: dict[str, Environment], growths: Growths) -> None:
    """Each growth of each iteration is cut short once, in search, replay and relaxation: the result is that without."""
    iterations, whole, cut = 5, prepared(shipped["plus"]), prepared(shipped["plus"])
    advance(whole, iterations)
    assert whole.best
    number = 1
    while cut.search.iteration < iterations:
        before = state_of(cut)
        growths.begin(number)
        advance(cut, cut.search.iteration + 1)
        number = number + 1 if CUT[0] else 1
        assert (state_of(cut) == before) == bool(CUT[0])
    assert state_of(cut) == state_of(whole)
    assert len(growths.was_cut) > 2 * iterations, "some iterations grow vines several times"
    assert set(growths.was_cut) == {"QuasiStatic", "replay", "Impulse"}


def test_a_radius_with_which_nothing_grows_is_reduced_once(shipped: dict[str, Environment], growths: Growths) -> None:
    """Also if the growth with the next one is cut short."""
    whole, cut = prepared(shipped["plus"]), prepared(shipped["plus"])
    for run in (whole, cut):
        run.search.iterate()
        run.search.tree.straight[:] = True
        run.search.bound = 0.9
    growths.begin(1)
    with pytest.raises(Interrupted):
        cut.search.iterate()
    growths.begin(0)
    for run in (whole, cut):
        run.search.iterate()
    assert whole.search.shrinks == 2
    assert (cut.search.shrinks, cut.search.next_shrink) == (whole.search.shrinks, whole.search.next_shrink)
    assert state_of(cut) == state_of(whole)


def test_a_search_by_ompl_that_was_cut_short_is_repeated(
    shipped: dict[str, Environment], growths: Growths, tmp_path: Path
) -> None:
    """The iteration does not count: from the checkpoint follows what would have followed without."""
    pytest.importorskip("ompl")
    switches, room = Switches(search=search_of("rrt")), shipped["tube"]
    whole, cut, resumed = (prepared(room, switches) for _ in range(3))
    growths.begin(0)
    advance(cut, 4)
    growths.begin(17)
    advance(cut, 9)
    assert CUT[0]
    assert 4 <= cut.search.iteration < 9
    CUT[0] = False
    write_checkpoint(tmp_path / CHECKPOINT, cut, Inputs(planner="rrt"))
    read_checkpoint(tmp_path).restore(resumed)
    for run in (whole, resumed):
        advance(run, 9)
    assert state_of(resumed) == state_of(whole)


def test_a_reverse_tree_that_was_cut_short_guides_nothing(shipped: dict[str, Environment]) -> None:
    """The search ends before its first iteration."""
    pytest.importorskip("ompl")
    run = Run.prepare(shipped["plus"], VineParams(), QuasiStatic, switches=Switches(heuristic=True))
    CUT[0] = True
    try:
        advance(run, 3)
    finally:
        CUT[0] = False
    assert (run.search.iteration, run.reverse_tree) == (0, None)
    advance(run, 1)
    assert run.reverse_tree is not None
    assert np.isfinite(run.reverse_tree.cost).any()
