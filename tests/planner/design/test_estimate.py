"""Trials of a design in its file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design, InvalidDesign, Section
from planner.design.design_file import design_content, load_design
from planner.design.estimate import NONE_STANDS_OUT, Estimate, Influence, Success
from planner.design.solutions_file import find_solution, load_solutions
from planner.fabrication.assembly.stock import with_stock

TRIALS = {
    "errors": "workshop",
    "reached": 950,
    "trials": 1000,
    "interval_95": [0.9347, 0.9619],
    "weakest": "obstacle 4",
}


@pytest.fixture
def design() -> Design:
    sections = Section(0.0, 0.4, "none", 0.0, 0.0, 0.0), Section(0.4, 0.7, "left", 2.5, 0.03, 25e3)
    made = Design("room", "0" * 64, VineParams(), sections, np.zeros(3), np.zeros((2, 2)))
    return replace(made, success=Success("workshop", 950, 1000, "obstacle 4"))


@pytest.mark.parametrize(
    ("reached", "trials", "words"),
    [
        # Wilson's intervals: Newcombe, Statistics in Medicine 17 (1998), Table I, and his formula.
        (81, 263, "in 30 % (25-37) of 263 trials"),
        (15, 148, "in 10 % (6-17) of 148 trials"),
        (0, 20, "in 0 % (0-17) of 20 trials"),
        (20, 20, "in 100 % (83-100) of 20 trials"),
        (29, 100, "in 29 % (21-39) of 100 trials"),
        (999, 1000, "in 99 % (99-100) of 1 000 trials"),
        (799, 1000, "in 79 % (77-83) of 1 000 trials"),
    ],
)
def test_the_words_never_say_more_than_the_trials(reached: int, trials: int, words: str) -> None:
    """The rate is rounded down and the interval outwards; 100 % is said only if none failed."""
    assert Success("workshop", reached, trials).words == f"reaches the goal {words} under workshop errors"


def test_the_words_fit_on_a_line() -> None:
    """Names and the weakest point stay on one line, with their commas."""
    told = Success("workshop,\n changed", 19, 20, "obstacle 4,\n3 mm to the left").words
    assert told.endswith(" under workshop, changed errors; weakest: obstacle 4, 3 mm to the left")
    assert Success("workshop", 61, 100, NONE_STANDS_OUT).words.endswith(
        " under workshop errors; no single error stands out"
    )


def test_errors_that_decide_are_a_list_of_five() -> None:
    """The first one is the weakest; the others beyond five are counted, and nothing is said where every trial succeeds."""
    every = tuple(Influence(f"section {k}: cells, 1 mm longer", 0.5 / k, (0.4 / k, 0.6 / k)) for k in range(1, 8))
    found = Estimate(61, 100, every)
    assert found.weakest == "section 1: cells, 1 mm longer"
    head, first, *_, fifth, more = found.influence_lines
    assert head.startswith("Errors that decide")
    assert first == "1. section 1: cells, 1 mm longer: 50 % (40 ... 60)"
    assert fifth.startswith("5. section 5")
    assert more == "... and 2 more"
    assert len(Estimate(61, 100, every[:5]).influence_lines) == 6
    assert Estimate(61, 100, ()).weakest == NONE_STANDS_OUT
    assert Estimate(61, 100).weakest is Estimate(100, 100, ()).weakest is Estimate(0, 100, ()).weakest is None
    assert every[1].content() == {"error": "section 2: cells, 1 mm longer", "share": 0.25, "interval_95": [0.2, 0.3]}


def test_trials_are_in_the_file(design: Design, tmp_path: Path) -> None:
    """Written under the promised keys, and read again from a design and from a list of solutions."""
    content = design_content(design)
    assert content["trials"] == TRIALS
    (tmp_path / "design.json").write_text(json.dumps(content))
    assert load_design(tmp_path).success == design.success
    (tmp_path / "solutions.json").write_text(json.dumps({"schema": 1, "solutions": [content]}))
    assert load_solutions(tmp_path / "solutions.json")[0].success == design.success


def test_a_file_without_trials_reads_as_before(design: Design, tmp_path: Path) -> None:
    """No table, no trials; and nothing is written for a design that was not tried."""
    content = design_content(replace(design, success=None))
    assert "trials" not in content
    (tmp_path / "design.json").write_text(json.dumps(content))
    assert load_design(tmp_path).success is None


def test_trials_do_not_hide_which_solution_a_design_is(design: Design, tmp_path: Path) -> None:
    """A solution that was tried is still that solution, although only the chosen design has trials."""
    other = replace(design, sections=(design.sections[0], replace(design.sections[1], end=0.76)), success=None)
    every = [design_content(other), design_content(replace(design, success=None))]
    (tmp_path / "solutions.json").write_text(json.dumps({"schema": 1, "solutions": every}))
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    assert find_solution(tmp_path) == (2, 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reached": 1001}, "trials.reached = 1001 must be at most trials.trials = 1000"),
        ({"reached": -1}, "trials.reached"),
        ({"reached": 9.5}, "trials.reached"),
        ({"trials": 0, "reached": 0}, "trials.trials"),
        ({"errors": ""}, "trials.errors"),
        ({"errors": "a\x1b[31m"}, "trials.errors"),
        ({"weakest": "\x07"}, "trials.weakest"),
        ({"weakest": 3}, "trials.weakest"),
        ({"interval_95": [0.9]}, "trials.interval_95"),
        ({"interval_95": [0.9, float("nan")]}, "trials.interval_95"),
        ({"colour": "red"}, "unknown key trials.colour"),
        ({"errors": None}, "trials.errors"),
    ],
)
def test_wrong_trials_are_refused(design: Design, tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    """One line names the file, the key and what is allowed."""
    content = design_content(design)
    content["trials"] |= changes
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign) as error:
        load_design(tmp_path)
    assert words in str(error.value)
    assert str(error.value).startswith("design.json: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("missing", ["errors", "reached", "trials"])
def test_trials_are_whole(design: Design, tmp_path: Path, missing: str) -> None:
    """A table without a number is refused; interval and weakest point may be missing."""
    content = design_content(design)
    del content["trials"][missing]
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign, match=rf"^design\.json: missing key trials\.{missing}"):
        load_design(tmp_path)
    content["trials"] = {key: TRIALS[key] for key in ("errors", "reached", "trials")}
    (tmp_path / "design.json").write_text(json.dumps(content))
    assert load_design(tmp_path).success == Success("workshop", 950, 1000)


def test_another_tube_has_no_trials(design: Design) -> None:
    """Trials of the planned tube say nothing of one from stock."""
    assert with_stock(design, [0.1, 0.055])[0].success is None
