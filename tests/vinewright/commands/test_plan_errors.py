"""`plan` under errors, as a user meets it."""

import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.jumps import Jump
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.design_file import load_design
from planner.design.estimate import Estimate
from planner.design.replay import grow_designs
from planner.plan.choice.front import Champion, Choice
from planner.plan.choice.refinement import Descent
from planner.plan.choice.selection import Selection
from planner.plan.friction import BATCH
from planner.plan.inputs import Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from planner.plan.run.stages import Stages
from planner.plan.searching import search, search_with_friction
from planner.plan.watcher import Watcher
from planner.search.run import Budget, Keep, Run
from planner.search.sst import Search
from surrogate.kernels.interruption import Interruption
from tests.command_line import vinewright_in
from vinewright.commands.plan_report import success_line

pytestmark = pytest.mark.usefixtures("small_pictures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A folder with a small environment."""
    made = tmp_path_factory.mktemp("small")
    (made / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    return made


@pytest.fixture(scope="module")
def room(folder: Path) -> Environment:
    return load_environment(str(folder / "small.toml"), VineParams().radius)


def run_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return content


@pytest.fixture(scope="module")
def planned(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        assert vinewright_in(folder, patch, "plan", "small.toml", "--iterations", "4") == 0
    return folder / "runs" / "small"


def test_a_plan_keeps_what_it_was_chosen_by(planned: Path) -> None:
    """The run has the front, the errors and their figures; the design is the chosen one, and its environment lies beside it."""
    run, design = run_of(planned), load_design(planned)
    trials = run["trials"]
    assert trials["errors"] == "workshop"
    assert trials["uncertainty"]["obstacle_position_mm"] == 3.0
    assert trials["threshold"] == 0.9
    assert trials["chosen"] in trials["front"]
    assert [one["actuators"] for one in trials["front"]] == sorted({one["actuators"] for one in trials["front"]})
    assert trials["chosen"]["actuators"] == design.actuators == run["cost"]["actuators"]
    assert trials["chosen"]["length_mm"] == pytest.approx(1e3 * design.length)
    assert trials["chosen"]["trials"] == 40
    assert run["inputs"]["fast"] is False
    assert min(run["timings"][stage] for stage in ("search_s", "refinement_s", "trials_s")) > 0
    assert (planned / "environment.toml").exists()


@pytest.mark.slow
def test_what_follows_the_search_has_its_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search says that it had its share of the time budget, and a line says how long refinement and trials took."""
    options = "plan", "small.toml", "--time-budget", 3, "--batch", 20, "--success", 1, "--out", "timed"
    assert vinewright_in(folder, monkeypatch, *options) == 0
    printed, timings = " ".join(capsys.readouterr().out.split()), run_of(folder / "timed")["timings"]
    assert (
        f"search: {run_of(folder / 'timed')['iterations']} iterations in {timings['search_s']:.1f} s, its share"
        in printed
    )
    assert "time budget spent" not in printed
    later = timings["refinement_s"] + timings["trials_s"]
    assert (
        f"searches with friction: {timings['friction_search_s']:.1f} s; refinement and trials: {later:.1f} s" in printed
    )


def test_a_fast_plan_makes_no_trials(planned: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The design of lowest cost, and nothing is said of its success."""
    assert vinewright_in(folder, monkeypatch, "plan", "small.toml", "--fast", "--iterations", 4, "--out", "fast") == 0
    assert run_of(folder / "fast")["trials"] is None
    assert load_design(folder / "fast").actuators <= load_design(planned).actuators


@pytest.mark.slow
@pytest.mark.parametrize("particles", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_resumed_plan_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch, particles: int) -> None:
    """Two iterations and two more give the design of four in one go, to the last digit: with particles, or a search with friction."""
    whole, half = f"whole-{particles}", f"half-{particles}"
    options = "plan", "small.toml", "--particles", particles, "--batch", 20, "--seed", 5
    assert vinewright_in(folder, monkeypatch, *options, "--iterations", 4, "--out", whole) == 0
    assert vinewright_in(folder, monkeypatch, *options, "--iterations", 2, "--out", half) in (0, 3)
    assert vinewright_in(folder, monkeypatch, "plan", "--resume", half, "--iterations", 4) == 0
    assert (folder / whole / "design.json").read_text() == (folder / half / "design.json").read_text()
    assert run_of(folder / whole)["trials"] == run_of(folder / half)["trials"]
    assert (run_of(folder / whole)["timings"]["friction_search_s"] > 0) == (particles == 1)


def test_a_plan_searches_with_the_mean_friction_of_its_errors_too(room: Environment) -> None:
    """Not where friction is known, where there are no errors, or where particles meet friction already."""
    asked = Inputs(iterations=2, batch=20)
    assert Problem.of(room, VineParams(), asked).friction == pytest.approx(0.05)
    rough = Problem.of(room, VineParams(), asked.model_copy(update={"uncertainty": "field"}))
    assert rough.friction == pytest.approx(0.15)
    for update in (
        {"uncertainty": "none"},
        {"fast": True},
        {"particles": 3},
        {"propagator": "impulse"},
        {"first": True},
    ):
        assert Problem.of(room, VineParams(), asked.model_copy(update=update)).friction is None
    assert Problem.of(room, VineParams(friction=0.1), asked).friction is None


def test_iterations_limit_each_search_instead_of_a_share_of_the_time(
    room: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a plan limited by iterations would differ between machines. Without them each search has its share."""
    budgets: list[Budget] = []

    def noted(run: Run, budget: Budget, *others: Any) -> str:
        budgets.append(budget)
        return search(run, replace(budget, iterations=4), *others)

    for module in ("plan", "searching"):
        monkeypatch.setattr(f"planner.plan.{module}.search", noted)
    monkeypatch.setattr("planner.plan.choosing.Chooser.choose", lambda *_: None)
    monkeypatch.setattr("planner.plan.plan.end_of_round", lambda *_: 30.0)
    for iterations in (14, None):
        plan(Problem.of(room, VineParams(), Inputs(iterations=iterations, batch=20, time_budget_s=30.0)))
    assert budgets[:3] == [Budget(30.0, iterations=14)] * 3
    assert budgets[3] == Budget(30.0, first=True)
    assert [one.seconds for one in budgets[4:7]] == pytest.approx([6.0, 3.0, 3.0])
    assert {one.iterations for one in budgets[3:]} == {None}


def test_iterations_limit_each_of_several_searches() -> None:
    """The whole time budget is then the limit of each search; without iterations the searches share it."""
    limited = Inputs(iterations=14, time_budget_s=30.0)
    assert limited.budget.part(0.2).seconds == 30.0
    assert limited.model_copy(update={"iterations": None}).budget.part(0.2).seconds == pytest.approx(6.0)


@pytest.mark.slow
def test_searches_with_friction_begin_again_elsewhere(room: Environment) -> None:
    """With other random numbers each time; more of them while none has a solution, unless the time for them is spent."""
    hard = load_environment("needle", VineParams().radius)
    easy, barren = (Run.prepare(one, VineParams(), QuasiStatic, 3, 100, Keep(4)) for one in (room, hard))

    def searches(run: Run, budget: Budget) -> list[Run]:
        stages = Stages(Problem.of(run.environment, run.params, Inputs()))
        assert stages.problem.friction == pytest.approx(0.05)
        search_with_friction(run, stages, budget, Watcher(), Interruption())
        return stages.searches

    found = searches(easy, Budget(600.0, iterations=2))
    assert [one.best is None for one in found] == [False, False]
    assert {one.search.batch for one in found} == {BATCH}
    none = searches(barren, Budget(600.0, iterations=1))
    assert [one.best for one in none] == [None] * 4
    assert len({one.search.tree.tips.tobytes() for one in none}) == 4
    barren.seconds = 10.0
    assert len(searches(barren, Budget(1e-3))) == 2


def test_solutions_of_both_searches_are_refined(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Designs of the search with friction grow to the goal with that friction, at a finer step too."""
    offered: list[Design] = []
    champions = Selection.champions

    def seen(self: Selection, designs: list[Design], last: bool) -> Iterator[Champion]:
        offered.extend(designs)
        return champions(self, designs, last)

    def noted(run: Run, *others: Any) -> str:
        frictions.append(getattr(run.propagator, "friction", None))
        return search(run, *others)

    frictions: list[float | None] = []
    for module in ("plan", "searching"):
        monkeypatch.setattr(f"planner.plan.{module}.search", noted)
    monkeypatch.setattr(Selection, "champions", seen)
    result = plan(Problem.of(room, VineParams(), Inputs(iterations=4, batch=20, solutions=3)))
    assert frictions == [None, 0.05, 0.05]
    again = offered[len(result.designs) :]
    assert [one.sections for one in offered[: len(result.designs)]] == [one.sections for one in result.designs]
    rubbing = QuasiStatic(room, VineParams(), friction=0.05).refined(2)
    assert again
    assert all(grown.ends_in_goal for grown in grow_designs(again, room, rubbing))


def test_a_design_that_needs_a_jump_says_so(planned: Path) -> None:
    """In the line that a plan closes with, and in its file."""
    champion = Champion(load_design(planned), Estimate(19, 20), 5, jump=Jump(1.2, 0.025, 0.31))
    choice = Choice("workshop", Uncertainty(), 0.9, [champion])
    assert "; its tip jumps 310 mm within 25 mm of growth, at 1200 mm" in success_line(choice)
    assert champion.content()["jump_mm"] == [1200.0, 25.0, 310.0]
    assert "jump" not in success_line(Choice("workshop", Uncertainty(), 0.9, [replace(champion, jump=None)]))


@pytest.mark.slow
def test_errors_of_a_file_stay_with_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--uncertainty FILE`: its numbers are used, and kept in the environment of the run, which can be resumed without the file."""
    (folder / "errors.toml").write_text('preset = "none"\nstart_heading_deg = 8\n')
    options = "plan", "small.toml", "--iterations", 3, "--uncertainty", "errors.toml", "--success", 1, "--out", "filed"
    assert vinewright_in(folder, monkeypatch, *options) == 0
    (folder / "errors.toml").unlink()
    assert run_of(folder / "filed")["trials"]["uncertainty"] == {"start_heading_deg": 8.0}
    assert "start_heading_deg = 8" in (folder / "filed" / "environment.toml").read_text()
    assert vinewright_in(folder, monkeypatch, "plan", "--resume", "filed", "--iterations", 4) == 0
    assert run_of(folder / "filed")["trials"]["uncertainty"] == {"start_heading_deg": 8.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--success", "0"], "--success 0 must be greater than 0 and at most 100, in percent"),
        (["--success", "101"], "--success 101 must be greater than 0 and at most 100, in percent"),
        (["--success", "nan"], "--success nan must be greater than 0 and at most 100, in percent"),
        (["--particles", "0"], "Invalid value for '--particles'"),
        (["--particles", "65"], "Invalid value for '--particles'"),
        (["--particles", "2", "--propagator", "impulse"], "--particles 2 needs --propagator quasistatic"),
        (["--fast", "--uncertainty", "field"], "--fast plans without errors"),
        (["--fast", "--particles", "2"], "--fast plans without errors"),
        (["--uncertainty", "workshp"], "(did you mean workshop?)"),
    ],
)
def test_bad_options_give_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """Exit code 2 before anything is searched."""
    assert vinewright_in(folder, monkeypatch, "plan", "small.toml", "--out", "bad", *options) == 2
    assert message in " ".join(capsys.readouterr().err.split()).replace("│ ", "")
    assert not (folder / "bad").exists()


def test_ctrl_c_during_refinement_keeps_a_design_with_its_success(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The generation is finished, the best design so far is tried once, and nothing else is."""
    generation, seen = Descent.generation, list[int]()

    def interrupted(self: Descent, rows: np.ndarray) -> int:
        grown = generation(self, rows)
        seen.append(self.generations)
        if len(seen) == 1:
            signal.raise_signal(signal.SIGINT)
        return grown

    monkeypatch.setattr(Descent, "generation", interrupted)
    assert vinewright_in(folder, monkeypatch, "plan", "small.toml", "--iterations", "3", "--out", "kept") == 0
    assert seen == [1]
    (only,) = run_of(folder / "kept")["trials"]["front"]
    assert only["trials"] == 20
    printed = " ".join(capsys.readouterr().out.split())
    assert "of 20 trials under workshop errors" in printed
    assert printed.count("the plan ends when its best design has been tried; Ctrl-C again ends it now") == 1


def test_ctrl_c_during_the_search_ends_it_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Growth is cut short, and nothing is grown after it: no search with friction, no trials, no verification. All of it can follow."""
    grow, calls = Search.grow, 0

    def interrupted(self: Search) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            signal.raise_signal(signal.SIGINT)
        return grow(self)

    options = ("plan", "small.toml", "--iterations", "6", "--verify", "impulse", "--out", "cut")
    with monkeypatch.context() as patch:
        patch.setattr(Search, "grow", interrupted)
        assert vinewright_in(folder, patch, *options) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "not tried under errors: the plan was interrupted before" in printed
    assert "NOT verified by impulse: interrupted before any design was grown" in printed
    run = run_of(folder / "cut")
    assert (calls, run["iterations"], run["trials"], run["inputs"]["stopped"]) == (4, 3, None, "interrupted")
    assert vinewright_in(folder, monkeypatch, "plan", "--resume", "cut", "--iterations", "6") == 0
    assert run_of(folder / "cut")["trials"] is not None


@pytest.mark.slow
def test_a_second_ctrl_c_keeps_the_design_of_lowest_cost(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before any trial: the search's best design is written; that it was not tried is said, and is not enough."""

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planner.plan.choice.selection.Selection.with_trials", broken)
    assert vinewright_in(folder, monkeypatch, "plan", "small.toml", "--iterations", "3", "--out", "lowest") == 3
    printed = capsys.readouterr().out
    assert "interrupted at once" in printed
    assert printed.splitlines()[-1] == (
        "not met: not tried under errors, 90 % wanted: the plan was interrupted before. To go on, plan longer: "
        "vinewright plan --resume lowest --iterations 6; or make it as it is: vinewright export lowest --out pack"
    )
    assert run_of(folder / "lowest")["trials"] is None


@pytest.mark.slow
def test_a_design_that_does_not_hold_as_planned_says_so(
    planned: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no refined design is sound, the likeliest one that ends in the goal is written with a warning."""
    assert run_of(planned)["trials"]["chosen"]["sound"] is True
    monkeypatch.setattr("planner.plan.choice.selection.Selection.holds", lambda *_: False)
    assert vinewright_in(folder, monkeypatch, "plan", "small.toml", "--iterations", 3, "--out", "doubt") == 0
    assert "as planned, it stalls in the goal or snaps where only its damping decides" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run_of(folder / "doubt")["trials"]["chosen"]["sound"] is False


def test_an_older_run_without_trials_can_be_resumed() -> None:
    """Its options named errors in percent; it searches on as it did, and makes no trials."""
    old = {"actuator": "spam", "seed": 4, "robust": False, "level": None, "threshold": None}
    assert Inputs.model_validate(old) == Inputs(seed=4, fast=True)


def test_designs_are_those_of_the_front(planned: Path) -> None:
    """The file of the chosen design can be read, and has its tube."""
    assert isinstance(load_design(planned), Design)
