"""`plan A B --same-design` as a user meets it."""

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from environments import load_environment
from planner.design.design_file import load_design
from planner.design.replay import grow_designs
from planner.plan import effort
from planner.plan.choice.refinement import Descent
from planner.plan.effort import SharedEffort, default_effort
from planner.plan.several import selection as joint
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.trials import Worlds
from tests.command_line import vinewright_in
from tests.planner.plan.several.bent_rooms import ROOM

SEARCH = "--iterations", 5, "--batch", 40


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Few and short searches with fixed actuators."""
    quicker = replace(default_effort(), shared=SharedEffort(solutions=3, fixed=2, fixed_iterations=6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effort, "DEFAULT_EFFORT", quicker)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three environments whose goals need a bend up, a bend down, or none."""
    made = tmp_path_factory.mktemp("same")
    (made / "up.toml").write_text(ROOM)
    (made / "down.toml").write_text(ROOM.replace('"up"', '"down"').replace("400", "100"))
    (made / "straight.toml").write_text(ROOM.replace('"up"', '"straight"').replace("400", "250"))
    (made / "again.toml").write_text(ROOM.replace("400", "100"))
    (made / "narrow.toml").write_text('tube = "jitosho-24mm"\n' + ROOM.replace('"up"', '"narrow"'))
    walls = "obstacles = { boxes = [[350, 0, 360, 800]] }"
    (made / "walled.toml").write_text(ROOM.replace('"up"', '"walled"') + walls)
    return made


def summary(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "same-design.json").read_text())
    return content


@pytest.fixture(scope="module")
def planned(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        assert vinewright_in(folder, patch, "plan", "up.toml", "down.toml", "--same-design", *SEARCH) == 0
    return folder / "runs" / "up+down"


def test_one_tube_reaches_both_goals(planned: Path) -> None:
    """Built the same, used differently, and grown again at a finer step."""
    designs = [load_design(planned / name) for name in ("up", "down")]
    built = [[(one.start, one.end, one.side, one.l_0, one.pressure) for one in design.sections] for design in designs]
    assert built[0] == built[1]
    assert summary(planned)["front"][0]["actuators"] == 2
    assert designs[0].off != designs[1].off
    for name, design in zip(("up", "down"), designs, strict=True):
        environment = load_environment(planned / name / "environment.toml", design.params.radius)
        assert environment.sha256 == design.sha256
        model = Worlds(environment, design.params, WorldErrors.none(environment, 1)).planned
        assert grow_designs([design], environment, model.refined(8))[0].ends_in_goal


def test_the_summary_has_front_masks_and_success(planned: Path) -> None:
    """The chosen tube has the trials that the designs' files have, and its success is that of its worst environment."""
    content = summary(planned)
    assert [one["name"] for one in content["environments"]] == ["up", "down"]
    counts = [one["actuators"] for one in content["front"]]
    assert counts == sorted(set(counts))
    chosen = content["front"][content["chosen"]]
    worst = min(one["reached"] / one["trials"] for one in chosen["environments"])
    assert worst >= content["wanted"] == 0.9
    for one in chosen["environments"]:
        design = load_design(planned / one["environment"])
        assert design.success
        assert (one["reached"], one["trials"], one["off"]) == (
            design.success.reached,
            design.success.trials,
            design.off,
        )
        assert one["trials"] == default_effort().chosen_trials
        run = json.loads((planned / one["environment"] / "run.json").read_text())
        assert run["trials"]["chosen"] == run["trials"]["front"][content["chosen"]]


def test_each_folder_is_a_run_that_other_commands_read(
    planned: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`simulate` reaches the goal, `show` tells of all and of one, `robustness` counts the errors of both actuators."""
    assert vinewright_in(folder, monkeypatch, "simulate", "down.toml", planned / "down") == 0
    assert "reaches the goal" in capsys.readouterr().out
    assert vinewright_in(folder, monkeypatch, "show", planned) == 0
    told = capsys.readouterr().out
    assert told.startswith("one design for up, down; a run for each in down, up\n")
    assert "32.5 off" in told
    assert vinewright_in(folder, monkeypatch, "show", planned / "up") == 0
    assert capsys.readouterr().out.startswith("run: up,")
    assert (
        vinewright_in(folder, monkeypatch, "robustness", "up.toml", planned / "up", "--trials", 8, "--out", "robust")
        == 0
    )
    assert (
        vinewright_in(
            folder,
            monkeypatch,
            "export",
            next(planned / name for name in ("up", "down") if load_design(planned / name).off),
            "--trials",
            20,
            "--formats",
            "json",
            "--allow-limit",
            "--out",
            "pack",
        )
        == 0
    )
    warnings = json.loads((folder / "pack" / "pack.json").read_text())["warnings"]
    assert any("without pressure in this environment" in warning for warning in warnings)


@pytest.mark.slow
def test_the_same_plan_again_is_the_same(planned: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of iterations; a taken folder is not replaced, and with --force it is."""
    options = "plan", "up.toml", "down.toml", "--same-design", *SEARCH
    before = [(planned / name / "design.json").read_text() for name in ("up", "down")]
    assert vinewright_in(folder, monkeypatch, *options, "--out", "runs/up+down") == 2
    assert vinewright_in(folder, monkeypatch, *options, "--out", "runs/up+down", "--force") == 0
    assert [(planned / name / "design.json").read_text() for name in ("up", "down")] == before
    (planned / "notes.txt").write_text("mine")
    assert vinewright_in(folder, monkeypatch, *options, "--out", "runs/up+down", "--force") == 2
    (planned / "notes.txt").rename(planned / "up" / "notes.txt")
    assert vinewright_in(folder, monkeypatch, *options, "--out", "runs/up+down", "--force") == 2
    (planned / "up" / "notes.txt").unlink()


@pytest.mark.slow
def test_three_environments_and_no_trials(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--fast` counts the tubes as planned; the document has the front, and one folder for each environment."""
    options = "--same-design", *SEARCH, "--fast", "--json", "--out", "three"
    assert vinewright_in(folder, monkeypatch, "plan", "up.toml", "down.toml", "straight.toml", *options) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert document["found"]
    assert document["wrote"] == ["three"]
    chosen = document["front"][document["chosen"]]
    assert [one["trials"] for one in chosen["environments"]] == [0, 0, 0]
    assert len({tuple(one["off"]) for one in chosen["environments"]}) > 1
    assert re.search(
        r"^\d actuators for all 3: up reaches the goal as planned(, actuators? .* off)?; down ", printed.err, re.M
    )
    assert load_design(folder / "three" / "straight").success is None
    assert not (folder / "three" / "straight" / "checkpoint.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["up.toml", "down.toml"], "2 ENV given: add --same-design"),
        (["up.toml", "--same-design"], "--same-design needs two or more ENV; 1 given"),
        (["--same-design"], "--same-design needs two or more ENV; none given"),
        (["down.toml", "up.toml", "again.toml", "--same-design"], "two environments are called up"),
        (["up.toml", "down.toml", "--same-design", "--resume", "x"], "a plan with --same-design cannot be resumed"),
        (["up.toml", "down.toml", "--same-design", "--first"], "--first is for one environment"),
        (["up.toml", "down.toml", "--same-design", "--target-actuators", "1"], "--target-actuators is for one"),
        (["up.toml", "down.toml", "--same-design", "--particles", "4"], "--particles is for one environment"),
        (["up.toml", "down.toml", "--same-design", "--verify", "impulse"], "--verify is for one environment"),
        (["up.toml", "down.toml", "--same-design", "--propagator", "impulse"], "needs --propagator quasistatic"),
        (["up.toml", "narrow.toml", "--same-design"], "up and narrow name different tubes; choose one with --tube"),
        (["up.toml", "nothing.toml", "--same-design"], "nothing.toml"),
        (["up.toml", "down.toml", "--same-design", "--success", "0"], "--success 0 must be greater than 0"),
    ],
)
def test_bad_input_gives_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """Exit code 2 before anything is searched."""
    assert vinewright_in(folder, monkeypatch, "plan", *arguments, "--out", "bad") == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (folder / "bad").exists()


def test_nothing_is_written_without_a_tube(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A goal that is walled in is said before the search; exit code 3."""
    assert vinewright_in(folder, monkeypatch, "plan", "up.toml", "walled.toml", "--same-design", "--out", "none") == 3
    assert capsys.readouterr().out.splitlines()[-1].startswith("not met: no solution: ")
    assert not (folder / "none").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_tube_so_far(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """During refinement: the tube is tried once in each environment and written; before there is one: code 130, nothing."""
    generation, grown = Descent.generation, list[int]()

    def interrupted(self: Descent, rows: np.ndarray) -> int:
        count = generation(self, rows)
        grown.append(len(rows))
        signal.raise_signal(signal.SIGINT)
        return count

    options = "plan", "up.toml", "down.toml", "--same-design", *SEARCH
    with monkeypatch.context() as patch:
        patch.setattr(Descent, "generation", interrupted)
        # A tube that is hardly refined need not be likely.
        assert vinewright_in(folder, patch, *options, "--success", 50, "--out", "early") == 0
    assert len(grown) == 1
    content = summary(folder / "early")
    assert content["stopped"][-1] == "interrupted"
    assert [one["trials"] for one in content["front"][0]["environments"]] == [default_effort().block] * 2

    def none(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    capsys.readouterr()
    for stage in ("_try_solutions", "_search_given"):
        monkeypatch.setattr(joint.JointSelection, stage, none)
    assert vinewright_in(folder, monkeypatch, *options, "--out", "sooner") == 130
    assert "interrupted before a tube reached every goal" in capsys.readouterr().err
    assert not (folder / "sooner").exists()
