"""`plan` that finds a design that is not enough: exit code 3, what was reached, and how to go on."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import vinewright as vw
from planner.design.design import Design
from planner.plan.choice.refinement import Descent
from planner.plan.choice.selection import Selection
from planner.plan.more_time import Gain
from tests.command_line import vinewright, vinewright_in
from tests.planner.plan.choice.bent import mirrored
from vinewright.commands import plan_report

pytestmark = pytest.mark.usefixtures("small_pictures")
TINY = "plan", "small.toml", "--iterations", 3, "--batch", 20


@pytest.fixture
def folder(tmp_path: Path, small_environment: Callable[[str], str]) -> Path:
    """A folder with a small environment, one whose goal lies to the left, and errors under which few trials succeed."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    turned = small_environment("[]").replace("[500, 230], radius = 60", "[400, 400], radius = 60")
    (tmp_path / "turn.toml").write_text(turned)
    (tmp_path / "wild.toml").write_text("start_heading_deg = 40\n")
    return tmp_path


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refinement ends with a design that misses as planned, and the search knows no other."""

    def worst(self: Selection, one: Descent) -> tuple[Design, bool]:
        design = mirrored(one.best.design)
        return design, self.holds(design)

    monkeypatch.setattr(Selection, "_best_planned", worst)


def chosen_in(run: Path) -> dict[str, float]:
    content: dict[str, float] = json.loads((run / "run.json").read_text())["trials"]["chosen"]
    return content


def test_below_the_success_wanted_by_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --success, 90 % are wanted. The design is written, and the commands of the last line do what it says."""
    assert vinewright_in(folder, monkeypatch, *TINY, "--uncertainty", "wild.toml", "--out", "wild") == 3
    chosen = chosen_in(folder / "wild")
    assert 0 < chosen["reached"] < 0.9 * chosen["trials"]
    short = f"{chosen['reached']} of {chosen['trials']} trials reach the goal, 90 % wanted"
    longer, export = "vinewright plan --resume wild --iterations 6", "vinewright export wild --out pack"
    printed = capsys.readouterr().out
    assert (
        printed.splitlines()[-1] == f"not met: {short}. To go on, plan longer: {longer}; or make it as it is: {export}"
    )
    assert "resume with" not in printed
    assert vinewright(monkeypatch, "show", "wild") == 0
    assert f"not enough: {short}" in " ".join(capsys.readouterr().out.split())
    assert vinewright(monkeypatch, *shlex.split(longer)[1:]) == 3
    assert "6 iterations in" in " ".join(capsys.readouterr().out.split())
    assert vinewright(monkeypatch, *shlex.split(export)[1:], "--allow-limit", "--formats", "csv") in (0, 3)


def test_a_plan_that_ends_by_its_limit_says_what_more_time_brings(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line has the gain measured for plans with as much success; not if iterations are the limit."""
    monkeypatch.setattr(plan_report, "expected_gain", lambda rate: Gain(0.0, 0.9, 7, 0.1, rate, 0.8))
    options = "plan", "small.toml", "--batch", 20, "--uncertainty", "wild.toml"
    assert vinewright_in(folder, monkeypatch, *options, "--time-budget", 1) == 3
    chosen = chosen_in(folder / "runs" / "small")
    said = f"twice the time led to {100 * chosen['reached'] / chosen['trials']:.0f} % (median; quartiles 10 and 80 %). To go on"
    assert said in capsys.readouterr().out.splitlines()[-1]
    assert vinewright(monkeypatch, *options, "--iterations", 3, "--force") == 3
    assert "twice the time" not in capsys.readouterr().out


def test_what_is_enough_ends_with_0(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same trials, if less is wanted; and with --fast, which makes none, if the goal is reached as planned."""
    options = *TINY, "--uncertainty", "wild.toml", "--success", 1
    assert vinewright_in(folder, monkeypatch, *options, "--out", "little") == 0
    assert 0.01 <= chosen_in(folder / "little")["reached"] / chosen_in(folder / "little")["trials"] < 0.9
    assert "not met" not in capsys.readouterr().out
    assert vinewright(monkeypatch, *TINY, "--fast", "--out", "fast") == 0


@pytest.mark.usefixtures("missing")
def test_a_miss_as_planned_is_said_wherever_the_design_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The success wanted is in the last line, in run.json, in `show`, and in the picture that `show` draws."""
    options = "turn.toml", *TINY[2:], "--success", 1, "--out", "missed"
    assert vinewright_in(folder, monkeypatch, "plan", *options) == 3
    chosen, printed = chosen_in(folder / "missed"), " ".join(capsys.readouterr().out.split())
    environment, design = vw.load_environment(folder / "missed" / "environment.toml"), vw.load_design(folder / "missed")
    x, y, radius = environment.goal
    outside = 1e3 * (((design.tip[0] - x) ** 2 + (design.tip[1] - y) ** 2) ** 0.5 - radius)
    assert chosen["outside_goal_mm"] == pytest.approx(outside, abs=0.002)
    assert outside > 50
    words = f"ends {outside:.0f} mm outside the goal"
    assert f"; as planned, it {words}" in printed
    assert f"not met: as planned, the design {words}" in printed
    assert vinewright(monkeypatch, "show", "missed") == 0
    assert f"as planned, the design {words}" in " ".join(capsys.readouterr().out.split())


def test_the_python_interface_says_it_too(folder: Path) -> None:
    """`shortfall` of a result is the same text, and empty if the design is enough."""
    environment = vw.load_environment(folder / "small.toml")
    for wanted in (100.0, 1.0):
        result = vw.plan(environment, iterations=3, batch=20, success=wanted, uncertainty=str(folder / "wild.toml"))
        assert result.choice
        tried = result.choice.chosen.estimate
        short = f"{tried.reached} of {tried.trials} trials reach the goal, {wanted:g} % wanted"
        assert result.shortfall == (short if wanted == 100.0 else "")
    assert vw.plan(environment, iterations=3, batch=20, fast=True).shortfall == ""
