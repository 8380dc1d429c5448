"""`vinewright simulate`: why a design misses the goal with another propagator, or another tube, than that of the plan."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles, write_environment
from environments.obstacles import box_corners
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.replay import grow_designs
from planner.output.folder import write_json
from vinewright.commands.simulate_why import HEADING, PAGE

pytestmark = pytest.mark.usefixtures("small_pictures")

PARAMS = VineParams()
LENGTH = 0.7
Vinewright = Callable[..., tuple[int, str, str]]


def scene(folder: Path, heading: float) -> Design:
    """A wall ahead, and a straight tube of 700 mm whose goal is where its tip ends by the default propagator.

    Args:
        heading: Direction of the base [degrees]; 0 is head-on.
    """
    wall = Obstacles((box_corners(0.5, -0.6, 0.6, 0.6),))
    start = np.array([0.0, 0.0, np.radians(heading)])
    room = Environment("room", "", np.array([-1.0, -1.0, 1.0, 1.0]), start, np.array([0.8, 0.0, 0.05]), wall)
    section = Section(0.0, LENGTH, "none", 0.0, 0.0, 0.0)
    design = Design(room.name, room.sha256, PARAMS, (section,), np.zeros(3), np.zeros((1, 2)))
    grown = grow_designs([design], room, QuasiStatic(room, PARAMS))[0].design
    room = replace(room, goal=np.array([*grown.tip[:2], 0.05]))
    write_environment(room, folder / "room.toml")
    design = replace(grown, sha256=room.sha256)
    write_json(folder / "design.json", design_content(design))
    return design


def why(printed: str) -> str:
    (line,) = [line for line in printed.splitlines() if line.startswith("why: ")]
    return line


def test_a_tube_that_does_not_buckle_is_stuck(vinewright: Vinewright, tmp_path: Path) -> None:
    """geometric head-on: where and on what it is stuck, that no change helps, and the page to read; without friction it is stuck too."""
    scene(tmp_path, 2.0)
    code, printed, _ = vinewright("simulate", "room.toml", "design.json", "--propagator", "geometric", "--out", "sim")
    assert code == 3
    line = why(printed)
    content = json.loads((tmp_path / "sim" / "simulation.json").read_text())["why"]
    goal = json.loads((tmp_path / "design.json").read_text())["predicted"]["tip_mm"]
    stuck = 1e3 * (0.5 - PARAMS.radius)  # the tip touches the wall, at a height of tan(2 degrees) times that
    away = np.hypot(stuck - goal[0], stuck * np.tan(np.radians(2)) - goal[1])
    assert line.startswith(f"why: the plan ends 0 mm from the goal's centre, geometric {away:.0f} mm: stuck at 467 mm")
    assert content["tip_from_goal_centre_mm"] == pytest.approx(away, abs=0.5)
    assert "it also misses with 10 % less growth force, with 10 % more growth force, without friction" in line
    assert "half its step" not in line  # it has none
    assert "stuck at 467 mm, heading at 88° into polygon 1; " in line
    assert "does not buckle: a tip that cannot slide along a wall is stuck, here on polygon 1" in line
    assert "The friction" not in line
    assert "inertia" not in line
    assert line.endswith(f'See "{HEADING}" in {PAGE} of the repository')
    assert printed.splitlines()[-1].startswith("not met: with geometric the design ends ")


def test_the_page_is_there() -> None:
    """The heading that the line names stands in the page."""
    page = (Path(__file__).parents[3] / PAGE).read_text(encoding="utf-8")
    assert f"\n## {HEADING}\n" in page


def test_a_change_that_helps_is_named(vinewright: Vinewright, tmp_path: Path) -> None:
    """quasistatic with friction: the tube no longer slides along the wall; without friction it ends in the goal again."""
    scene(tmp_path, 30.0)
    arguments = "simulate", "room.toml", "design.json"
    assert vinewright(*arguments)[0] == 0
    code, printed, _ = vinewright(*arguments, "--friction", 3)
    assert code == 3
    assert "; without friction it ends in the goal. " in why(printed)
    assert "The friction is 3, in the plan 0. " in why(printed)
    assert "it also misses" not in printed


def test_what_is_not_a_disagreement_is_not_explained(vinewright: Vinewright, tmp_path: Path) -> None:
    """Nothing is said of a design that misses with the default too as it stands, or that was made for another environment."""
    design = scene(tmp_path, 2.0)
    shorter = replace(design, sections=(replace(design.sections[0], end=0.4),))
    write_json(tmp_path / "shorter.json", design_content(shorter))
    assert "why:" not in vinewright("simulate", "room.toml", "shorter.json")[1]
    code, printed, _ = vinewright("simulate", "room.toml", "shorter.json", "--propagator", "geometric")
    assert code == 3
    assert ": quasistatic, the default propagator, does not end in the goal either. " in why(printed)
    write_json(tmp_path / "other.json", design_content(replace(design, sha256="0" * 64)))
    code, printed, _ = vinewright("simulate", "room.toml", "other.json", "--propagator", "geometric")
    assert (code, "why:" in printed) == (3, False)
