"""Tubes and environments of extreme sizes and shapes: a result, or one line that says what is wrong."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Vinewright = Callable[..., tuple[int, str, str]]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_pictures")]
PLAN = "plan", "room.toml", "--fast", "--iterations", 2, "--batch", 10, "--out", "run", "--force"


def room(side: float, obstacles: str = "", start: str = "", goal: str = "") -> str:
    """A square environment with the given side [mm]; start and goal are at a tenth and at half of it."""
    place = start or f"position = [{0.1 * side}, {0.5 * side}], heading_deg = 0"
    aim = goal or f"position = [{0.5 * side}, {0.55 * side}], radius = {0.1 * side}"
    return (
        f'schema = 1\nunit = "mm"\nbounds = {{ min = [0, 0], max = [{side}, {side}] }}\n'
        f"start = {{ {place} }}\ngoal = {{ {aim} }}\nobstacles = {{ {obstacles} }}\n"
    )


def discs(count: int) -> str:
    """Small discs on a grid in the upper half of an environment of 3 m."""
    side = int(np.ceil(np.sqrt(count)))
    rows = [f"[{10 + 2980 * (k % side) / side:.3f}, {2000 + 980 * (k // side) / side:.3f}, 2]" for k in range(count)]
    return f"circles = [{', '.join(rows)}]"


TUBES = {
    "thin": "schema = 1\nbase = 'prototype'\nradius_mm = 0.5\n",
    "thick": "schema = 1\nbase = 'prototype'\nradius_mm = 1000\n",
}
ROOMS = {
    "1 cm": room(10),
    "1 km": room(1e6),
    "2 000 obstacles": room(3000, discs(2000)),
    "start in the goal": room(1000, goal="position = [150, 500], radius = 100"),
    "start at the centre of the goal": room(1000, goal="position = [100, 500], radius = 50"),
    "coincident vertices": room(
        1000, "polygons = [[[300, 300], [300, 300], [400, 300], [400, 400], [300, 400], [300, 300]]]"
    ),
    "two vertices": room(1000, "polygons = [[[300, 300], [300, 300], [400, 300]]]"),
    "equal obstacles": room(1000, "boxes = [[300, 300, 400, 400], [300, 300, 400, 400]]"),
    "a wall of no length": room(1000, "walls = [[300, 300, 300, 300, 10]]"),
    "a box of no width": room(1000, "boxes = [[300, 300, 300, 400]]"),
}


def check(vinewright: Vinewright, *arguments: object) -> int:
    """Run a command: it succeeds or misses without a word on the error stream, or is refused in one line."""
    code, _, errors = vinewright(*arguments)
    assert code in (0, 2, 3), errors
    assert errors.count("\n") == (code == 2), errors
    return code


@pytest.mark.parametrize("name", ROOMS)
def test_an_extreme_environment(vinewright: Vinewright, tmp_path: Path, name: str) -> None:
    """It is shown, planned, grown and tried."""
    (tmp_path / "room.toml").write_text(ROOMS[name])
    if check(vinewright, "environments", "show", "room.toml") == 0 and check(vinewright, *PLAN) == 0:
        assert check(vinewright, "simulate", "room.toml", "run") == 0
        check(vinewright, "robustness", "room.toml", "run", "--trials", 3, "--no-sources")


@pytest.mark.parametrize("name", TUBES)
@pytest.mark.parametrize("side", [10, 1000, 1e5, 1e6])
def test_an_extreme_tube(vinewright: Vinewright, tmp_path: Path, name: str, side: float) -> None:
    """In environments from one centimetre to one kilometre."""
    (tmp_path / "room.toml").write_text(room(side))
    (tmp_path / "tube.toml").write_text(TUBES[name])
    check(vinewright, "tube", "check", "tube.toml")
    if check(vinewright, *PLAN, "--tube", "tube.toml") == 0:
        assert check(vinewright, "simulate", "room.toml", "run") == 0


def test_twenty_thousand_obstacles(vinewright: Vinewright, tmp_path: Path) -> None:
    """They are shown, a search among them ends, and its run is written and grown again."""
    (tmp_path / "room.toml").write_text(room(3000, discs(20_000)))
    assert check(vinewright, "environments", "show", "room.toml", "--picture", "room.png") == 0
    assert check(vinewright, *PLAN) in (0, 3)
    assert {"design.json", "plan.png", "solutions.png"} <= {file.name for file in (tmp_path / "run").iterdir()}
    assert check(vinewright, "simulate", "room.toml", "run") == 0
    check(vinewright, "robustness", "room.toml", "run", "--trials", 3, "--no-sources")
