"""`plan --robust` and the study of what it gains, as a user meets them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planner.studies.robust_planning.report import report
from planner.studies.robust_planning.study import Evaluated

from dynamics.tube import VineParams
from planner.cli import main
from planner.design import Design, Section
from planner.design_file import load_design
from planner.robustness.estimate import Estimate
from planner.robustness.selection import Champion, Choice


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A folder with a small environment."""
    made = tmp_path_factory.mktemp("small")
    (made / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    return made


def vinewright(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: object) -> int:
    """Run a command in this process; returns its exit code."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def planned(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        assert (
            vinewright(patch, folder, "plan", "small.toml", "--robust", "--threshold", "80", "--iterations", "4") == 0
        )
    return folder / "runs" / "small"


def test_a_robust_plan_keeps_what_it_was_chosen_by(planned: Path) -> None:
    """The run says what was evaluated, the design is the one that was chosen, and its environment lies beside it."""
    run, design = json.loads((planned / "run.json").read_text()), load_design(planned)
    robust = run["robust"]
    assert robust["level"] == 0.05
    assert robust["threshold"] == 0.8
    assert robust["chosen"] in [robust["cheapest"], *robust["champions"]]
    assert robust["chosen"]["actuators"] == design.actuators == run["cost"]["actuators"]
    assert robust["chosen"]["length_mm"] == pytest.approx(1e3 * design.length)
    assert robust["chosen"]["reached"] >= 800
    assert run["inputs"]["robust"] is True
    assert (planned / "environment.toml").exists()


def test_a_plan_is_kept_whose_judging_is_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C before any design is evaluated: the design of lowest cost is written, and it is said that success was asked."""

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planner.robustness.selection.Selection.evaluate", broken)
    assert vinewright(monkeypatch, folder, "plan", "small.toml", "--robust", "--iterations", "3", "--out", "kept") == 3
    printed = capsys.readouterr().out
    assert "interrupted before any design was evaluated" in printed
    assert printed.splitlines()[-1] == "not met: no trials were done, 90 % were asked"
    assert json.loads((folder / "kept" / "run.json").read_text())["robust"] is None


@pytest.mark.slow
def test_the_study_plans_and_evaluates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`reproduce robust-planning` in a small environment: a table with the gain, and every champion in the data."""
    arguments = "reproduce", "robust-planning", "--env", "small.toml", "--runs", 1, "--time-budget", 1, "--out", "study"
    assert vinewright(monkeypatch, folder, *arguments) == 0
    content = json.loads((folder / "study" / "robust-planning" / "data.json").read_text())
    assert len(content["runs"]) == 1
    assert content["runs"][0]["trials"] > 1000 * len(content["runs"][0]["champions"])
    assert "points with as many actuators" in (folder / "study" / "robust-planning" / "README.md").read_text()


def test_gains_are_those_of_the_figures() -> None:
    """Points gained over the design of lowest cost, by the price in actuators, over the runs that have such a design."""
    sections = Section(0.0, 0.2, "left", 1.0, 0.04, 5e3), Section(0.2, 0.4, "none", 0, 0, 0)
    one = Design("small", "", VineParams(), sections, np.zeros(3), np.zeros((1, 2)))
    two = replace(one, sections=(*sections, Section(0.4, 0.6, "right", 1.0, 0.04, 5e3)))

    def evaluated(seed: int, lowest: int, *champions: Champion) -> Evaluated:
        return Evaluated(
            "small", seed, Choice(0.05, 0.9, Champion(one, Estimate(lowest, 1000), 1), list(champions)), 20.0, 9
        )

    runs = [
        evaluated(0, 300, Champion(one, Estimate(500, 1000), 80), Champion(two, Estimate(950, 1000), 80)),
        evaluated(1, 400, Champion(one, Estimate(500, 1000), 80)),
    ]
    made = report(runs, 20.0)
    table, content = "\n".join(made.lines), made.content
    assert (
        "from 35 % on average +15 points with as many actuators (2 of 2 runs), +65 points with one more (1 of 2 runs)"
        in table
    )
    assert "90 % is reached in 1 of 2 runs" in table
    assert content["runs"][0]["chosen"]["actuators"] == 2
    assert content["runs"][1]["chosen"]["reached"] == 500
