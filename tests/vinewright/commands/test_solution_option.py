"""`--solution`: every solution of a run can be simulated, tested and exported."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import load_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.output.folder import write_json

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
LENGTHS = 0.4, 0.45, 0.1
"""Lengths of straight tubes; the goal is 440 mm away, with a radius of 60 mm: the last misses it."""


@pytest.fixture
def run(small_environment: Callable[[str], str], tmp_path: Path) -> Path:
    """A folder with three straight designs as solutions, of which the third is the design of the run."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    folder = tmp_path / "run"
    folder.mkdir()
    environment = load_environment(tmp_path / "small.toml")
    (folder / "environment.toml").write_text((tmp_path / "small.toml").read_text())
    first = Design("small", environment.sha256, VineParams(), (), np.zeros(3), np.zeros((1, 2)))
    every = [
        replace(first, sections=(Section(0, end, "none", 0, 0, 0),), tip=np.array([0.06 + end, 0.2, 0]))
        for end in LENGTHS
    ]
    write_json(folder / "solutions.json", {"schema": 1, "solutions": [design_content(one) for one in every]})
    write_json(folder / "design.json", design_content(every[2]))
    return folder


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("path", ["run", "run/solutions.json"])
@pytest.mark.parametrize(("number", "code"), [(1, 0), (2, 0), (3, 3)])
def test_simulate_grows_the_chosen_solution(vinewright: Vinewright, path: str, number: int, code: int) -> None:
    """From the folder or the file of solutions; its length is that of the solution with this number."""
    ended, printed, errors = vinewright("simulate", "small.toml", path, "--solution", number)
    assert (ended, errors) == (code, "")
    assert f"{1e3 * LENGTHS[number - 1]:.0f} mm grown" in printed
    assert "note:" not in printed


def test_without_a_number_a_folder_means_its_design(vinewright: Vinewright, run: Path) -> None:
    """A note says which solution it is if it is a later one, and nothing of a refined one; a solutions file means its first."""
    _, printed, _ = vinewright("simulate", "small.toml", run)
    assert "note: the design of this run is solution 3 of 3; --solution 1 has the lowest cost\n" in printed
    assert "100 mm grown" in printed
    _, printed, _ = vinewright("simulate", "small.toml", "run/solutions.json")
    assert "400 mm grown" in printed
    assert "note:" not in printed
    write_json(run / "design.json", json.loads((run / "solutions.json").read_text())["solutions"][0])
    assert "note:" not in vinewright("simulate", "small.toml", run)[1]
    changed = replace(load_design(run), sections=(Section(0, 0.42, "none", 0, 0, 0),))
    write_json(run / "design.json", design_content(changed))
    _, printed, _ = vinewright("simulate", "small.toml", run)
    assert "note:" not in printed
    assert "420 mm grown" in printed


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "small.toml", "run", "--solution", 4],
        ["robustness", "small.toml", "run", "--solution", 4],
        ["export", "run", "--out", "pack", "--solution", 4],
    ],
)
def test_a_number_too_large_is_one_line(vinewright: Vinewright, arguments: list[object]) -> None:
    """It says how many solutions there are; exit code 2."""
    code, printed, errors = vinewright(*arguments)
    assert (code, printed) == (2, "")
    assert errors == "error: run has 3 solutions; --solution 4 must be from 1 to 3\n"


def test_export_and_robustness_take_the_chosen_solution(vinewright: Vinewright, run: Path) -> None:
    """The pack is made of it, and the report of the trials names its number and its length."""
    code, _, errors = vinewright("export", run, "--solution", 2, "--out", "pack", "--formats", "json")
    assert (code, errors) == (0, "")
    assert load_design("pack").length == pytest.approx(0.45)
    options = "--solution", 2, "--trials", 1, "--no-sources", "--out", "out"
    code, printed, errors = vinewright("robustness", "small.toml", "run", *options)
    assert (code, errors) == (0, "")
    assert "robustness small.toml run --no-sources --solution 2 " in printed
    assert "450 mm of tube" in printed
