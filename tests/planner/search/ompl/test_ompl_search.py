"""Searches by OMPL's planners: solutions, costs, seeds and files as those of SST*."""

import gc
import json
import os
import signal
import weakref
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.plan.problem import Problem
from tests.planner.plan.run.stages import fingerprint_of

pytest.importorskip("ompl")

from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.replay import replay
from planner.output.contents import CHECKPOINT, FRICTION
from planner.plan.friction import run_with_friction
from planner.plan.inputs import Inputs
from planner.plan.run import stages
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.ompl.search import OmplSearch
from planner.search.ompl.vines import OmplVine
from planner.search.planners import search_of
from planner.search.run import Budget, Run
from planner.search.sst import Switches
from tests.conftest import Vinewright
from tests.run_state import state_of

pytestmark = pytest.mark.usefixtures("small_pictures")

NAMES = ["rrt", "est", "kpiece"]


@pytest.fixture(scope="module")
def room(small_file: Path) -> Environment:
    return load_environment(str(small_file), VineParams().radius)


def run_by(planner: str, environment: Environment, seed: int = 1, batch: int = 30) -> Run:
    return Run.prepare(
        environment, VineParams(), QuasiStatic, seed, batch, switches=Switches(search=search_of(planner))
    )


def ran(run: Run, iterations: int) -> Run:
    for _ in run.run(Budget(600.0, iterations)):
        pass
    return run


@pytest.mark.parametrize("planner", NAMES)
def test_each_planner_finds_designs(planner: str, room: Environment) -> None:
    """They reach the goal again at a finer step; the history improves; vines and steps are counted."""
    run = ran(run_by(planner, room), 40)
    assert run.best
    design = run.best.design
    rollout = replay(design, QuasiStatic(room, VineParams()))
    tip = rollout.tips[0, rollout.records[0] - 1]
    assert np.hypot(*(tip[:2] - room.goal[:2])) <= room.goal[2]
    costs = [entry.actuators + 0.01 * entry.length for entry in run.history]
    assert costs == sorted(costs, reverse=True)
    assert run.search.vine_steps > 1000
    assert len(run.search.tree) > 20


@pytest.mark.parametrize("planner", NAMES)
def test_a_seed_gives_the_same_search(planner: str, room: Environment) -> None:
    """To the last bit, also after another one in the same process; another seed gives another."""
    first = state_of(ran(run_by(planner, room), 6))
    other = state_of(ran(run_by(planner, room, seed=2), 6))
    assert state_of(ran(run_by(planner, room), 6)) == first
    assert other[0] != first[0]


def test_two_searches_by_turns_are_those_alone(room: Environment) -> None:
    """OMPL's random numbers belong to each of them, not to the process."""
    alone = [state_of(ran(run_by("rrt", room, seed), 4)) for seed in (1, 2)]
    both = [run_by("rrt", room, seed) for seed in (1, 2)]
    for iteration in range(1, 5):
        for run in both:
            ran(run, iteration)
    assert [state_of(run) for run in both] == alone


def test_a_tree_is_one_of_vines_that_grow(room: Environment) -> None:
    """Every node continues its parent's controls, is longer, and has at least its actuators; each is an extension in OMPL."""
    search = ran(run_by("kpiece", room), 8).search
    tree = search.tree
    slots = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert len(slots) > 50
    for slot in slots:
        parent = tree.parent[slot]
        old = tree.segments[parent]
        assert tree.segments[slot] > old
        assert tree.actuators[slot] >= tree.actuators[parent]
        controls, above = tree.pages.controls(np.array([slot, parent]), int(tree.segments[slot]))
        np.testing.assert_array_equal(controls[:old], above[:old])
        assert len(set(controls[old:].tolist())) == 1
        assert not tree.jumped[parent] or tree.jumped[slot]


def test_a_better_solution_bounds_the_vines(room: Environment) -> None:
    """Vines that cannot lead to a better solution are not kept, and known ones do not grow on."""
    run = run_by("rrt", room)
    search = ran(run, 40).search
    assert isinstance(search, OmplSearch)
    assert run.best
    assert search.bound == run.solutions.bound
    search.tighten(-1.0)  # no vine fits
    before, asked = len(search.tree), search.growth.asked
    search.iterate()
    assert search.growth.asked > asked
    assert len(search.tree) == before


def test_pruned_vines_do_not_grow(room: Environment) -> None:
    """A branch that a replay has rejected gets no more vines, and its slots are not given to others."""
    search = ran(run_by("rrt", room), 2).search
    assert isinstance(search, OmplSearch)
    slots = np.flatnonzero(search.tree.used & (search.tree.segments > 0))
    search.prune(slots)
    assert search.tree.used[slots].all()
    assert search.tree.active[0]  # the root
    steps = search.growth.vine_steps
    vine = OmplVine(
        search.tree.tips[slots[0]],
        search.tree.pages.bends(slots[:1], search.max_segments)[0],
        search.tree.pages.controls(slots[:1], search.max_segments)[0],
        number=int(slots[0]),
    )
    assert search.growth.extend(vine, 0, 1).status != 0
    assert search.growth.vine_steps == steps


def test_what_follows_a_jump_is_marked(room: Environment) -> None:
    """A vine that grows from one that has jumped has jumped too."""
    search = ran(run_by("rrt", room), 1).search
    assert isinstance(search, OmplSearch)
    start = search.growth.start()
    assert not search.tree.jumped[search.growth.extend(start, 0, 2).number]
    search.tree.jumped[0] = True
    assert search.tree.jumped[search.growth.extend(start, 0, 2).number]


def test_stages_of_older_versions_are_still_used(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """They knew no other planner than SST*: what identifies a plan by it does not name it; another planner is another plan."""
    hashed = []
    monkeypatch.setattr(stages, "sha256", lambda content: hashed.append(json.loads(content)) or sha256(content))
    prints = {planner: fingerprint_of(room, VineParams(), Inputs(planner=planner)) for planner in ("sst-star", "rrt")}
    assert "planner" not in hashed[0]["options"]
    assert hashed[1]["options"]["planner"] == "rrt"
    assert prints["sst-star"] != prints["rrt"]


def test_a_stored_search_is_repeated(room: Environment, tmp_path: Path) -> None:
    """From a checkpoint it makes its iterations again, whatever the budget, in no counted time, and then goes on to the same bits."""
    inputs = Inputs(planner="rrt", seed=1, batch=30, iterations=9, fast=True)
    whole = ran(run_by("rrt", room), 9)
    part = ran(run_by("rrt", room), 5)
    part.seconds = 123.4
    write_checkpoint(tmp_path / CHECKPOINT, part, inputs)
    again = run_by("rrt", room)
    read_checkpoint(tmp_path).restore(again)
    for _ in again.run(Budget(1e-3)):
        pass
    assert again.search.iteration == 5
    assert state_of(again) == state_of(part)
    assert 123.4 <= again.seconds < 124.4
    assert again.history == part.history
    assert state_of(ran(again, 9)) == state_of(whole)


def test_a_planner_that_cannot_begin_is_told(room: Environment) -> None:
    """OMPL's own exceptions have its words."""
    search = run_by("rrt", room).search
    assert isinstance(search, OmplSearch)
    search.setup.getProblemDefinition().clearStartStates()
    search.setup.getPlanner().clear()
    with pytest.raises(CannotRun, match="failed: RuntimeError: RRT: No start states"):
        search.iterate()


def test_a_planner_that_has_ended_is_told(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """If OMPL returns without trying anything, the search does not wait for ever."""
    search = run_by("rrt", room).search
    assert isinstance(search, OmplSearch)
    monkeypatch.setattr(search.setup, "solve", lambda _: None)
    with pytest.raises(CannotRun, match=r"has ended: .*; use another --planner"):
        search.iterate()


def test_an_error_while_a_vine_grows_keeps_what_was_found(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception in a function that OMPL calls does not end the process: the best design is written, and the error told."""
    keep, left = OmplSearch.keep, iter(range(300))

    def fail(self: OmplSearch, *arguments: Any) -> OmplVine:
        if next(left, None) is None:
            raise FloatingPointError("by the test")
        return keep(self, *arguments)

    monkeypatch.setattr(OmplSearch, "keep", fail)
    code, told, _ = vinewright("plan", small_file, "--planner", "rrt", "--fast", "--iterations", "500", "--out", "run")
    assert code == 0
    assert "OMPL's planner failed: FloatingPointError: by the test" in " ".join(told.split())
    assert (Path("run") / "design.json").exists()


def test_a_plan_by_ompl_is_a_run_like_any_other(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its files, its planner in `run.json`, and resumed to the same design as one that was not stopped."""
    options = ("--planner", "kpiece", "--fast", "--batch", "30")
    assert vinewright("plan", small_file, *options, "--iterations", "12", "--out", "whole")[0] == 0
    assert vinewright("plan", small_file, *options, "--iterations", "8", "--out", "part")[0] in (0, 3)
    assert len(np.load(Path("part", CHECKPOINT))["slots"]) == 1, "the tree is not restored, so it is not stored"
    monkeypatch.setattr("planner.plan.run.checkpoint.versions", lambda: {"numpy": "0.1"})
    code, told, _ = vinewright("plan", "--resume", "part", "--iterations", "12")
    assert code == 0
    assert "repeating 8 iterations" in told
    assert "started with numpy" in told
    content = json.loads(Path("whole/run.json").read_text())
    assert content["inputs"]["planner"] == "kpiece"
    assert {entry.name for entry in Path("whole").iterdir()} >= {
        "plan.png",
        "solutions.json",
        "trajectory.npz",
        CHECKPOINT,
    }
    for name in ("design.json", "solutions.json"):
        assert Path("part", name).read_bytes() == Path("whole", name).read_bytes()
    assert vinewright("show", "whole")[0] == 0


def test_ctrl_c_while_a_search_is_repeated_changes_nothing(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder knows more than has been repeated: no checkpoint is saved before that, and Ctrl-C leaves it as it is."""
    assert vinewright("plan", small_file, "--planner", "rrt", "--fast", "--iterations", "20", "--out", "run")[0] == 0
    before = {entry.name: entry.read_bytes() for entry in Path("run").iterdir()}
    grow = OmplSearch.grow

    def interrupted(self: OmplSearch) -> Any:
        if self.iteration == 12:
            os.kill(os.getpid(), signal.SIGINT)
        return grow(self)

    monkeypatch.setattr(OmplSearch, "grow", interrupted)
    monkeypatch.setattr("planner.plan.searching.SAVED_EVERY", 0.0)
    assert vinewright("plan", "--resume", "run", "--iterations", "30")[0] == 130
    assert {entry.name: entry.read_bytes() for entry in Path("run").iterdir()} == before


@pytest.mark.parametrize(("error", "code"), [(CannotRun("by the test"), 2), (MemoryError("by the test"), 4)])
def test_an_error_while_a_search_is_repeated_changes_nothing(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    """It is told, although a design is known by then: the folder has a better one."""
    assert vinewright("plan", small_file, "--planner", "rrt", "--fast", "--iterations", "20", "--out", "run")[0] == 0
    before = {entry.name: entry.read_bytes() for entry in Path("run").iterdir()}
    grow, bounds = OmplSearch.grow, list[float]()

    def failing(self: OmplSearch) -> Any:
        bounds.append(self.bound)
        if self.iteration == 19:
            raise error
        return grow(self)

    monkeypatch.setattr(OmplSearch, "grow", failing)
    ended, _, told = vinewright("plan", "--resume", "run", "--iterations", "30")
    assert (ended, "by the test" in told) == (code, True)
    assert np.isfinite(bounds[-1])
    assert {entry.name: entry.read_bytes() for entry in Path("run").iterdir()} == before


def test_an_iteration_that_fails_does_not_count(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is repeated later ends before it."""
    search = ran(run_by("rrt", room), 3).search
    steps = search.vine_steps
    monkeypatch.setattr(OmplSearch, "keep", lambda *_: 1 / 0)
    with pytest.raises(CannotRun, match="division by zero"):
        search.iterate()
    assert (search.iteration, search.vine_steps) == (3, steps)


def test_ctrl_c_while_a_search_with_friction_is_repeated_keeps_what_it_had(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The design is written with all that the first search has found now; the searches with friction are as before."""
    options = ("--planner", "rrt", "--batch", "30", "--iterations")
    assert vinewright("plan", small_file, *options, "12", "--out", "run")[0] == 0
    grow, before = OmplSearch.grow, [dict(np.load(Path("run", name))) for name in FRICTION[:2]]

    def interrupted(self: OmplSearch) -> Any:
        if self.propagator.friction and self.iteration == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return grow(self)

    with monkeypatch.context() as patch:
        patch.setattr(OmplSearch, "grow", interrupted)
        code, told, _ = vinewright("plan", "--resume", "run", "--iterations", "14")
    assert (code, "not tried under errors: the plan was interrupted before" in told) == (3, True)
    assert json.loads(Path("run/run.json").read_text())["iterations"] == 14
    for arrays, name in zip(before, FRICTION[:2], strict=True):
        np.testing.assert_equal(dict(np.load(Path("run", name))), arrays)


@pytest.mark.parametrize("planner", NAMES)
def test_a_search_is_freed(planner: str, room: Environment) -> None:
    """Although OMPL's functions, which it owns, hold it."""
    search = weakref.ref(ran(run_by(planner, room), 1).search)
    gc.collect()
    assert search() is None


def test_searches_with_friction_have_the_same_planner(room: Environment) -> None:
    """All searches of a plan are by the planner that was chosen."""
    search = run_with_friction(
        run_by("est", room), replace(Problem.of(room, VineParams(), Inputs()), friction=0.2), 0
    ).search
    assert isinstance(search, OmplSearch)
    assert search.setup.getPlanner().getName() == "EST"


def test_same_design_is_for_sst_star(vinewright: Vinewright, small_file: Path) -> None:
    """Another planner is refused."""
    other = Path("other.toml")
    other.write_text(small_file.read_text())
    code, _, error = vinewright("plan", small_file, other, "--same-design", "--planner", "rrt")
    assert code == 2
    assert "--planner is for one environment; it cannot be given with --same-design" in error


def test_another_planner_cannot_resume(vinewright: Vinewright, small_file: Path) -> None:
    """One line, exit code 2, and the folder as it was."""
    assert vinewright("plan", small_file, "--planner", "rrt", "--fast", "--iterations", "20", "--out", "run")[0] == 0
    before = {entry.name: entry.read_bytes() for entry in Path("run").iterdir()}
    code, _, error = vinewright("plan", "--resume", "run", "--planner", "est")
    assert code == 2
    assert error.startswith("error: --planner cannot be given with --resume")
    assert len(error.strip().splitlines()) == 1
    assert {entry.name: entry.read_bytes() for entry in Path("run").iterdir()} == before


def test_ctrl_c_ends_a_plan_by_ompl(vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The iteration under way does not count and no other begins; the best design so far is written."""
    grow, begun = OmplSearch.grow, list[int]()

    def interrupted(self: OmplSearch) -> Any:
        begun.append(self.iteration)
        if np.isfinite(self.bound):  # there is a solution
            os.kill(os.getpid(), signal.SIGINT)
        return grow(self)

    monkeypatch.setattr(OmplSearch, "grow", interrupted)
    assert vinewright("plan", small_file, "--planner", "rrt", "--fast", "--iterations", "900", "--out", "run")[0] == 0
    assert json.loads(Path("run/run.json").read_text())["iterations"] == begun[-1] == len(begun) - 1
    assert (Path("run") / "design.json").exists()
