"""Events that jobs send to the page, without a server."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from environments import load_environment
from environments.objects import object_names
from planner.design.design_file import load_design
from planner.drawing.room import room_notes
from vinewright.studio.document import parse_content
from vinewright.studio.jobs import plan_job
from vinewright.studio.stop import Stop
from vinewright.studio.views import run_view

pytestmark = pytest.mark.usefixtures("small_pictures")


def request(text: str, options: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return the page's request for a plan in an environment."""
    return {"text": text, "name": "small", "tube": tube_content(VineParams()), "options": options, "root": str(root)}


MEASURED = """# Measured by hand
schema = 2
unit = "cm"

[bounds]
min = [0, 0]
max = [150.0, 100.00]  # the table

[start]
position = [15.5, 50.25]
heading_deg = 0

[goal]
position = [135, 50.0]
radius = 6.0

[obstacles]
boxes = [[50.10, 0, 52.30, 25.05], [20, 10, 25.5, 15, 12.5]]   # the crate, and one askew
polygons = [[[80, 90.5], [90.25, 99], [70.0, 99.0]]]
circles = [[110.0, 20.5, 4.25]]
walls = [
  [30, 80.5, 45.5, 80.5, 1.8],  # left
  [60.0, 10, 60, 35.5, 0.9],
  [95, 60, 95.0, 75.25, 1.25],
]

[obstacles.names]
"wall 2" = "door"  # to the kitchen
"""
"""A drawing in centimetres with every kind of obstacle, decimals as typed, and comments."""


def test_a_run_keeps_the_drawing_as_drawn(tmp_path: Path) -> None:
    """Walls stay walls, numbers and comments stay as they were typed, and obstacles have the numbers of the drawing."""
    told = list[dict[str, Any]]()
    asked = request(MEASURED, {"seed": 1, "iterations": 4, "fast": True, "uncertainty": "workshop"}, tmp_path)
    plan_job(asked, told.append, Stop())
    name = [event["plan"]["run"] for event in told if event["type"] == "plan"][-1]
    assert (tmp_path / name / "environment.toml").read_bytes() == MEASURED.encode()
    view = run_view(tmp_path / name, name)
    assert view["text"] == MEASURED
    assert view["content"] == parse_content(MEASURED)
    walls = [[300, 805, 455, 805, 18], [600, 100, 600, 355, 9], [950, 600, 950, 752.5, 12.5]]
    assert view["content"]["obstacles"]["walls"] == walls
    assert view["content"]["obstacles"]["boxes"][1] == [200, 100, 255, 150, 12.5]
    names = {"box 1", "box 2", "polygon 1", "circle 1", "wall 1", "wall 2 (door)", "wall 3"}
    environment = load_environment(tmp_path / name / "environment.toml")
    assert set(object_names(environment)) == names
    written = json.loads((tmp_path / name / "solutions.json").read_text())["solutions"][0]
    assert {*written["obstacles_left"], *written["obstacles_right"]} <= names


def test_a_plan_that_is_not_enough_says_what_it_reached(
    tmp_path: Path, small_environment: Callable[[str], str]
) -> None:
    """The last message is that of the command; the run is written and can be used."""
    text = small_environment("[[250, 300, 300, 500]]").replace("schema = 1", "schema = 2")
    text += "[uncertainty]\nstart_heading_deg = 40\n"
    for wanted in (90.0, 1.0):
        told = list[dict[str, Any]]()
        options = {"seed": 0, "iterations": 3, "batch": 20, "success": wanted}
        plan_job(request(text, options, tmp_path), told.append, Stop())
        last = [event["plan"] for event in told if event["type"] == "plan"][-1]
        view = run_view(tmp_path / last["run"], last["run"])
        success = view["designs"][0]["success"]
        short = f"{success['reached']} of {success['trials']} trials reach the goal, 90 % wanted"
        advice = "allow more time, or go on with this design as it is"
        assert last["message"] == (f"{short}: {advice}" if wanted == 90.0 else "")
        assert view["designs"][0]["missed"] == ""


def test_a_run_whose_design_misses_says_so(tmp_path: Path, small_environment: Callable[[str], str]) -> None:
    """By the environment in the folder of the run: the goal is moved away from all its designs."""
    text, told = small_environment("[[250, 300, 300, 500]]"), list[dict[str, Any]]()
    options = {"seed": 0, "iterations": 3, "batch": 20, "fast": True}
    plan_job(request(text, options, tmp_path), told.append, Stop())
    run = tmp_path / [event["plan"] for event in told if event["type"] == "plan"][-1]["run"]
    moved = (run / "environment.toml").read_text().replace("230", "130")
    (run / "environment.toml").write_text(moved)
    x, y = run_view(run, "small")["designs"][0]["line"][-1]
    outside = ((x - 500) ** 2 + (y - 130) ** 2) ** 0.5 - 60
    assert 1 < outside < 200
    assert run_view(run, "small")["designs"][0]["missed"] == f"ends {outside:.0f} mm outside the goal"


def test_a_run_has_notes_on_the_room_of_its_designs(tmp_path: Path, planned: Path) -> None:
    """The sentences of `plan`, for each of its designs, by the environment in its folder: a box is put beside the tube."""
    run = Path(shutil.copytree(planned, tmp_path / "run"))
    assert not any(one["notes"] for one in run_view(run, "run")["designs"])
    file = run / "environment.toml"
    box = "[250, 0, 300, 150]"
    assert box in file.read_text()
    file.write_text(file.read_text().replace(box, f"{box}, [100, 250, 190, 500]"))
    environment, (best, *others) = load_environment(file), run_view(run, "run")["designs"]
    (note,) = room_notes(load_design(run), environment)
    assert "squeezed by box 2" in note
    assert best["notes"] == [f"S{note[1:]}."]
    for number, one in enumerate(others, start=1):
        assert len(one["notes"]) == len(room_notes(load_design(run, number), environment))
