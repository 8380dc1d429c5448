"""Ctrl-C in a plan with stages after its first search: what they have found is kept."""

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import load_environment
from planner.output.contents import FRICTION, REFINEMENT
from planner.plan.choice.refinement import Descent
from planner.plan.friction import PARTS, run_with_friction
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem
from planner.plan.run.stages import read_known
from planner.search.run import Run
from planner.search.sst import Search
from tests.command_line import vinewright_in
from tests.planner.plan.run.stages import OPTIONS, counted, front_of, resumed


def stored(path: Path) -> dict[str, Any]:
    """The content of a checkpoint, in whatever order, but for the time it took to prepare."""
    with np.load(path) as file:
        content: dict[str, Any] = {name: array.tobytes() for name, array in file.items()}
    content["facts"] = json.loads(content["facts"])
    del content["facts"]["prepare_seconds"]
    return content


@pytest.fixture(scope="module")
def whole(small_file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """A plan that nothing interrupted, and its folder."""
    room = load_environment(str(small_file), VineParams().radius)
    result = plan(Problem.of(room, VineParams(), OPTIONS))
    folder = tmp_path_factory.mktemp("whole") / "run"
    result.save(folder)
    return result, folder


@pytest.mark.parametrize(
    "iterations", [pytest.param(5, id="first search"), pytest.param(4, id="before those with friction")]
)
def test_ctrl_c_in_a_resumed_plan_keeps_its_later_stages(
    whole: tuple[Result, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, iterations: int
) -> None:
    """Before it has reached them again: the design is written without trials, and resumed once more it is the tried one."""
    folder = tmp_path / "run"
    shutil.copytree(whole[1], folder)
    grow, prepare = Search.grow, run_with_friction
    before = [stored(folder / name) for name in FRICTION[:PARTS]]

    def interrupted(self: Search) -> Any:
        signal.raise_signal(signal.SIGINT)
        return grow(self)

    def preparing(*arguments: Any) -> Run:
        signal.raise_signal(signal.SIGINT)
        return prepare(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Search, "grow", interrupted)
        patch.setattr("planner.plan.searching.run_with_friction", preparing)
        result = resumed(folder, iterations=iterations)
    assert (result.interrupted, result.choice, result.iterations) == (True, None, 4)
    result.save(folder, force=True)
    assert [stored(folder / name) for name in FRICTION[:PARTS]] == before
    with counted() as done:
        again = resumed(folder, iterations=4)
    assert (done["iterations"], done["vines"]) == (0, 0)
    assert front_of(again) == front_of(whole[0])


def test_ctrl_c_in_refinement_and_what_can_be_seen_then(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the command line: the plan keeps a design and says how to go on; resumed, it is as if it had not been interrupted."""
    folder, generation, seen = tmp_path, Descent.generation, list[int]()

    def interrupted(self: Descent, rows: np.ndarray[Any, Any]) -> int:
        seen.append(self.generations)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)
        return generation(self, rows)

    options = "plan", small_file, "--iterations", 4, "--batch", 20, "--seed", 5, "--out"
    assert vinewright_in(folder, monkeypatch, *options, "whole") == 0
    with monkeypatch.context() as patch:
        patch.setattr(Descent, "generation", interrupted)
        capsys.readouterr()
        assert vinewright_in(folder, patch, *options, "stopped") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "resume with: vinewright plan --resume stopped"
    assert (folder / "stopped" / "design.json").read_bytes() != (folder / "whole" / "design.json").read_bytes()
    count = read_known(folder / "stopped" / REFINEMENT)[1].count
    for name in (FRICTION[0], REFINEMENT):
        assert vinewright_in(folder, monkeypatch, "show", f"stopped/{name}") == 0
        assert f"searches with friction: 2; results of refinement and trials: {count}" in capsys.readouterr().out
    assert vinewright_in(folder, monkeypatch, "plan", "--resume", "stopped") == 0
    assert f"refinement and trials: {count} results are known" in capsys.readouterr().out
    for name in ("design.json", "solutions.json"):
        assert (folder / "stopped" / name).read_bytes() == (folder / "whole" / name).read_bytes()
    fronts = [json.loads((folder / name / "run.json").read_text())["trials"] for name in ("whole", "stopped")]
    assert fronts[0] == fronts[1]
    (folder / "stopped" / REFINEMENT).write_bytes(b"PK half")
    assert vinewright_in(folder, monkeypatch, "plan", "--resume", "stopped") == 2
    errors = capsys.readouterr().err
    assert (errors.count("\n"), "stopped/refinement.npz: is not a checkpoint, or is damaged" in errors) == (1, True)
