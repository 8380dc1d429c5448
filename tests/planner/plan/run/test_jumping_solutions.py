"""Solutions whose tips jump: the run, its files and what is printed of them say so."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dynamics.jumps import Jump, largest_jump
from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import InvalidDesign
from planner.design.estimate import Estimate
from planner.design.replay import replay
from planner.design.solutions_file import find_solution, load_solutions, load_solutions_with_jumps
from planner.output.contents import CHECKPOINT
from planner.plan.choice.front import Champion, Choice
from planner.plan.inputs import Inputs
from planner.plan.plan import Result
from planner.plan.problem import Problem
from planner.plan.run.arrays import InvalidCheckpoint
from planner.plan.run.checkpoint import read_checkpoint
from planner.plan.run.success import jump_of, success
from planner.search.run import Budget, Keep, Run
from vinewright.commands.plan_report import report

Vinewright = Callable[..., tuple[int, str, str]]
PUBLISHED = VineParams(physics="published")
"""With this tube, vines that spring off walls are accepted as solutions in `plus`."""
INPUTS = Inputs(
    actuator="spam", propagator="quasistatic", device="auto", solver=None, surrogate=None, heuristic=False, seed=2, batch=60,
    time_budget_s=600.0, iterations=9, first=False, target_actuators=None, solutions=5, fast=True,
)  # fmt: skip


def prepared(environment: Environment) -> Run:
    return Run.prepare(environment, PUBLISHED, seed=INPUTS.seed, batch=INPUTS.batch, keep=Keep(5, 2.0))


@pytest.fixture(scope="module")
def result(shipped: dict[str, Environment]) -> Result:
    run = prepared(shipped["plus"])
    for _ in run.run(Budget(600, INPUTS.iterations)):
        pass
    return Result(Problem.of(run.environment, run.params, INPUTS), run, "iterations done")


@pytest.fixture(scope="module")
def folder(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("jumping") / "run"
    result.save(out)
    return out


def test_solutions_know_the_jumps_of_their_replays(result: Result) -> None:
    """Grown again from its sections, each has the same largest jump, or none; some of these solutions jump."""
    found = result.run.solutions
    again = [largest_jump(replay(one.design, found.replayer), 0, PUBLISHED) for one in found.best]
    assert [one.jump and one.jump.content() for one in found.best] == [jump and jump.content() for jump in again]
    assert len([jump for jump in again if jump]) > 1
    for one in found.best:
        assert found.jump_of(one.controls) == one.jump


def test_files_say_which_solutions_jump(result: Result, folder: Path) -> None:
    """`jump_mm` of each solution has the form of that in the front; `run.json` counts the nodes of the tree that are marked."""
    jumps = [one.jump for one in result.run.solutions.best]
    every = json.loads((folder / "solutions.json").read_text())["solutions"]
    assert [one["jump_mm"] for one in every] == [jump and [round(1e3 * part, 1) for part in jump] for jump in jumps]
    tree = result.run.search.tree
    marked = np.flatnonzero(tree.used & tree.jumped)
    assert json.loads((folder / "run.json").read_text())["tree"] == {"nodes": len(tree), "jumped": len(marked)}
    assert 0 < len(marked) < len(tree)
    for jump, (_, read) in zip(jumps, load_solutions_with_jumps(folder / "solutions.json"), strict=True):
        assert read == (None if jump is None else pytest.approx(jump, abs=1e-4))
    assert find_solution(folder) == (1, len(every))


def test_older_solutions_say_nothing(folder: Path, tmp_path: Path) -> None:
    """Files without the key are read; a wrong value is refused by name."""
    content = json.loads((folder / "solutions.json").read_text())
    for one in content["solutions"]:
        del one["jump_mm"]
    (tmp_path / "solutions.json").write_text(json.dumps(content))
    assert {jump for _, jump in load_solutions_with_jumps(tmp_path / "solutions.json")} == {None}
    content["solutions"][0]["jump_mm"] = [1.0, 2.0]
    (tmp_path / "solutions.json").write_text(json.dumps(content))
    for read in (load_solutions_with_jumps, load_solutions):
        with pytest.raises(InvalidDesign, match=r"solutions\[0\]: jump_mm"):
            read(tmp_path / "solutions.json")


def test_show_marks_solutions_that_jump(vinewright: Vinewright, result: Result, folder: Path, tmp_path: Path) -> None:
    """In its table, with the motion and the length of the vine before; and in the picture that it draws."""
    code, printed, errors = vinewright("show", folder)
    assert (code, errors) == (0, "")
    rows = [line for line in printed.splitlines() if "mm" not in line and "(" in line]
    for row, solution in zip(rows[-len(result.designs) :], result.run.solutions.best, strict=True):
        jump = solution.jump
        assert (" at " in row) == (jump is not None)
        assert jump is None or f" {round(1e3 * jump.motion, 1):.0f} at {1e3 * jump.length:.0f} " in row
    picture = tmp_path / "solutions.png"
    assert vinewright("show", folder / "solutions.json", "--picture", picture)[0] == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_a_design_without_trials_says_that_it_jumps(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --fast no closing line tells it, so the line of the design does."""
    first, *others = result.run.solutions.best
    for jump in (Jump(1.2, 0.025, 0.31), None):
        monkeypatch.setattr(result.run.solutions, "best", [replace(first, jump=jump), *others])
        printed = io.StringIO()
        report(Console(file=printed, width=400), result, Path("out"))
        told = " s; its tip jumps 310 mm within 25 mm of growth, at 1200 mm\n" in printed.getvalue()
        assert told == (jump is not None)


def test_captions_say_it_in_a_few_words(result: Result) -> None:
    """A solution is judged by its replay; a design of the front by its own growth, which was refined since."""
    solutions = result.run.solutions.best
    words, _ = success(None, None, solutions)
    for one in solutions:
        said = [f"tip jumps {1e3 * one.jump.motion:.0f} mm"] if one.jump else []
        assert words(one.design) == ["replay ✓", *said]
    front = [Champion(solutions[0].design, Estimate(9, 10), 1, jump=Jump(1.0, 0.025, 0.2))]
    choice = Choice("workshop", Uncertainty(), 0.9, front)
    assert success(choice, None, solutions)[0](solutions[0].design)[-1] == "tip jumps 200 mm"
    assert jump_of(solutions[1].design, choice, solutions) == solutions[1].jump


def test_a_checkpoint_keeps_the_jumps(result: Result, folder: Path, tmp_path: Path) -> None:
    """To the last bit; solutions of an older one are replayed for them; numbers that mean nothing are refused."""
    jumps = [one.jump for one in result.run.solutions.best]
    with np.load(folder / CHECKPOINT) as file:
        arrays = dict(file)
    facts = json.loads(arrays["facts"].tobytes())
    for known in (True, False):
        for part in facts["solutions"]:
            assert known or part.pop("jump", 0) != 0
        arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        np.savez(tmp_path / CHECKPOINT, **arrays)  # type: ignore[arg-type]
        checkpoint = read_checkpoint(tmp_path)
        run = prepared(checkpoint.environment)
        checkpoint.restore(run)
        assert [one.jump for one in run.solutions.best] == jumps
    facts["solutions"][0]["jump"] = [1.0, -1.0, 2.0]
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez(tmp_path / CHECKPOINT, **arrays)  # type: ignore[arg-type]
    with pytest.raises(InvalidCheckpoint, match=r"solutions\[0\]\.jump\[1\]"):
        read_checkpoint(tmp_path)
