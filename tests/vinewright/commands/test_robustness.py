"""`robustness`, as a user meets it."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import load_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.output.folder import write_json
from planner.uncertainty.survey import ALL, Survey
from planner.uncertainty.trials import Outcome, Worlds, grow_trials

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
SOURCES = 12
"""Number of sources of error of a workshop."""


@pytest.fixture(autouse=True)
def small(small_environment: Callable[[str], str], tmp_path: Path) -> Path:
    """A folder with a small environment and a design that reaches its goal past a block, with one weak actuator."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 260, 300, 500]]"))
    write_design(tmp_path, Section(0.0, 0.2, "none", 0, 0, 0), Section(0.2, 0.4, "left", 0.3, 0.03, 8e3))
    return tmp_path


def write_design(folder: Path, *sections: Section) -> None:
    """A design for the small environment."""
    environment = load_environment(folder / "small.toml")
    design = Design("small", environment.sha256, VineParams(), sections, np.zeros(3), np.zeros((1, 2)))
    write_json(folder / "design.json", design_content(design))


COMMAND = "robustness", "small.toml", "design.json"


def test_tables_and_pictures_are_written(vinewright: Vinewright, small: Path) -> None:
    """Table, data and both pictures; the first row are all errors of a workshop, with its interval."""
    code, printed, errors = vinewright(*COMMAND, "--trials", 60, "--levels", "0,5", "--out", "out")
    assert (code, errors) == (0, "")
    names = {entry.name for entry in (small / "out" / "robustness-small").iterdir()}
    assert names == {"README.md", "data.json", "robustness-small.png", "robustness-small-margins.png"}
    content = json.loads((small / "out" / "robustness-small" / "data.json").read_text())
    assert content["levels"] == [0.0, 0.05]
    assert content["counts"]["0 % / 0 %"]["reached"] == 60
    assert next(iter(content["counts"])) == ALL
    assert len(content["counts"]) == 1 + SOURCES + 4
    assert content["spreads"][ALL]["obstacle_position_mm"] == 3
    # Three of a section, two of the start, the size and two shifts of the one block.
    assert len(content["margins"]) == 3 + 2 + 1 + 2
    assert "wrote out/robustness-small/: README.md" in printed
    table = (small / "out" / "robustness-small" / "README.md").read_text()
    assert f"| **{ALL}** | " in table
    assert "Smallest margin, by the smallest deviation tried that misses the goal: " in table


@pytest.mark.parametrize(
    ("options", "surveys"),
    [
        ([], 1 + SOURCES),
        (["--no-sources"], 1),
        (["--uncertainty", "none"], 1),
        pytest.param(["--uncertainty", "handmade"], 1 + 2, marks=pytest.mark.slow),
        pytest.param(["--levels", "5", "--no-sources"], 1 + 1, marks=pytest.mark.slow),
        pytest.param(["--uncertainty", "paper", "--levels", "0,5"], 1 + 3 + 4, marks=pytest.mark.slow),
    ],
)
def test_only_what_was_asked_is_grown(
    vinewright: Vinewright, small: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], surveys: int
) -> None:
    """All errors together always; each of them alone unless it is refused, and a grid only where levels are given."""
    from planner.uncertainty import survey

    grown: list[int] = []

    def counting(design: Design, worlds: Worlds) -> Outcome:
        outcome = grow_trials(design, worlds)
        grown.append(len(outcome.reached))
        return outcome

    monkeypatch.setattr(survey, "grow_trials", counting)
    monkeypatch.setattr("vinewright.commands.robustness.DRAWN", 2)
    assert vinewright(*COMMAND, "--trials", 3, *options, "--out", "asked")[0] == 0
    assert grown == [3] * surveys
    content = json.loads((small / "asked" / "robustness-small" / "data.json").read_text())
    assert len(content["counts"]) == surveys
    table = (small / "asked" / "robustness-small" / "README.md").read_text()
    assert ("variation" in table) == ("--levels" in options)
    assert f"`{content['command']}`" in table
    assert all(part in content["command"] for part in options)
    if "none" in options:
        assert content["counts"][ALL]["reached"] == 3


def test_interrupted_trials_are_kept(vinewright: Vinewright, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while trials grow: what was grown is written; the rest is called not evaluated, and nothing is said about it."""
    whole = Survey.run

    def broken(self: Survey):  # type: ignore[no-untyped-def]
        for k, grown in enumerate(whole(self)):
            if k == 3:
                signal.raise_signal(signal.SIGINT)
            yield grown

    monkeypatch.setattr(Survey, "run", broken)
    assert vinewright(*COMMAND, "--trials", 5, "--levels", "0,5", "--out", "part")[0] == 0
    content = json.loads((small / "part" / "robustness-small" / "data.json").read_text())
    assert len(content["counts"]) == 4  # the fourth was grown, though not yet reported
    assert "interrupted" in content["command"]
    assert content["interrupted"] is True
    table = (small / "part" / "robustness-small" / "README.md").read_text()
    assert f"**Interrupted** after 20 of {5 * (1 + SOURCES + 4)} trials" in table
    assert "| **0 %** | not evaluated | not evaluated |" in table
    assert "no verdict on obstacles variation" in table
    assert "at no level" not in table


def test_interrupted_pictures_leave_the_tables(
    vinewright: Vinewright, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while pictures are drawn: table and data are there already."""

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planner.drawing.robustness.save_robustness", broken)
    assert vinewright(*COMMAND, "--trials", 5, "--levels=-0,5,5.0000001", "--no-sources", "--out", "drawn")[0] == 0
    drawn = small / "drawn" / "robustness-small"
    assert {entry.name for entry in drawn.iterdir()} == {"README.md", "data.json"}
    assert json.loads((drawn / "data.json").read_text())["levels"] == [0.0, 0.05]


def test_a_design_that_misses_is_announced(vinewright: Vinewright, small: Path) -> None:
    """Where the design misses as planned a note says so, and no margin is left."""
    write_design(small, Section(0.0, 0.2, "none", 0, 0, 0))
    code, printed, _ = vinewright(*COMMAND, "--trials", 3, "--no-sources", "--out", "out")
    assert code == 0
    assert "note: this design misses the goal even without errors" in printed
    table = (small / "out" / "robustness-small" / "README.md").read_text()
    assert (
        "Smallest margin, by the smallest deviation tried that misses the goal: the plan itself misses the goal."
        in table
    )


def test_a_start_from_which_tubes_begin_outside(vinewright: Vinewright, small: Path) -> None:
    """`robustness` and `simulate` say which share begins outside by the errors that are tried; trials bear it out."""
    file = small / "small.toml"
    file.write_text(file.read_text().replace("[60, 200]", "[1.6, 200]"))
    write_design(small, Section(0.0, 0.2, "none", 0, 0, 0))
    told = "hint: the start is 1.6 mm from the left bound, and its error is {}: about {} % of the tubes begin outside"
    code, printed, _ = vinewright(*COMMAND, "--trials", 60, "--no-sources", "--out", "out")
    assert code == 0
    assert told.format("4 mm", 34) in printed
    counts = json.loads((small / "out" / "robustness-small" / "data.json").read_text())["counts"][ALL]
    assert counts["left the bounds"] == pytest.approx(0.34 * 60, abs=11)
    code, printed, _ = vinewright(*COMMAND, "--trials", 1, "--no-sources", "--uncertainty", "field", "--out", "field")
    assert told.format("10 mm", 44) in printed
    code, printed, _ = vinewright("simulate", "small.toml", "design.json")
    assert (code, told.format("4 mm", 34) in printed) == (3, True)


def test_an_unknown_uncertainty_is_one_line(vinewright: Vinewright) -> None:
    """It names the known ones; exit code 2."""
    code, printed, errors = vinewright(*COMMAND, "--uncertainty", "none such")
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert "'none such' must be one of workshop, handmade" in errors
