"""Mounted bases, and edges of the bounds: their keys, their checks, and what they mean for reaching the goal."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments import (
    Environment,
    InvalidEnvironment,
    Obstacles,
    check_environment,
    load_environment,
    write_environment,
)
from environments.reach import WalledIn, goal_within_reach

R = 0.03335
WALL = (0.3, 0.0, 0.4, 0.7)
FILE = """\
schema = {schema}
unit = "mm"
bounds = {{ min = [0, 0], max = [1000, 800]{edge} }}
start = {{ position = [400, 300], heading_deg = 0{mount} }}
goal = {{ position = [900, 300], radius = 50 }}
obstacles = {{ boxes = [[300, 0, 400, 700]] }}
"""


def room(start: Any = (0.4, 0.3, 0.0), boxes: Any = (WALL,), **standing: Any) -> Environment:
    return Environment("room", "", (0, 0, 1, 0.8), start, (0.9, 0.3, 0.05), Obstacles(boxes=boxes), **standing)


def complaint(environment: Environment) -> str:
    with pytest.raises(InvalidEnvironment) as caught:
        check_environment(environment)
    return str(caught.value)


@pytest.mark.parametrize("mount", ["free", "wall"])
@pytest.mark.parametrize("edge", ["open", "table", "wall"])
@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("friction", [None, 0.0, 0.35])
def test_keys_are_written_and_read(
    tmp_path: Path, mount: str, edge: str, stacked: bool, friction: float | None
) -> None:
    """All keys survive a file; the hash of their defaults is that of files without the keys, and differs for all others."""
    path = tmp_path / "room.toml"
    environment = room(
        **({"start": (0.5, 0.3, 0.0)} if mount == "free" else {}),
        mount=mount,
        edge=edge,
        stacked=stacked,
        friction=friction,
    )
    write_environment(environment, path)
    again = load_environment(path)
    assert (again.mount, again.edge, again.stacked, again.sha256) == (mount, edge, stacked, environment.sha256)
    assert again.friction == friction
    plain = replace(environment, mount="free", edge="open", stacked=False, friction=None)
    assert (environment.sha256 == plain.sha256) == ((mount, edge, stacked, friction) == ("free", "open", False, None))
    text = path.read_text()
    assert ("friction" in text) == (friction is not None)
    assert ("mount" in text, "edge" in text, "stacked" in text) == (mount != "free", edge != "open", stacked)


def test_keys_need_the_newer_schema(tmp_path: Path) -> None:
    """Files of schema 1 mean a free base and open bounds, and may not say otherwise; unknown words are refused."""
    path = tmp_path / "room.toml"
    for schema, edge, mount, words in (
        (1, ', edge = "table"', "", "bounds.edge needs schema = 2"),
        (1, "", ', mount = "wall"', "start.mount needs schema = 2"),
        (2, "", ', mount = "floor"', "start.mount = 'floor' must be 'free' or 'wall'"),
        (2, ', edge = "sea"', "", "bounds.edge = 'sea' must be 'open', 'table' or 'wall'"),
        (1, ", stacked = true", "", "bounds.stacked needs schema = 2"),
        (2, ', stacked = "yes"', "", "bounds.stacked = 'yes' must be a valid boolean"),
        (2, "", ", stacked = true", "unknown key start.stacked; allowed: position, heading_deg, mount"),
    ):
        path.write_text(FILE.format(schema=schema, edge=edge, mount=mount))
        with pytest.raises(InvalidEnvironment, match=words):
            load_environment(path)
    path.write_text(FILE.format(schema=2, edge=', edge = "wall"', mount=', mount = "wall"'))
    assert load_environment(path).mounted.tolist() == [True] * 5  # the box stands on the bounding wall
    with pytest.raises(InvalidEnvironment, match="mount = 'floor' must be 'free' or 'wall'"):
        room(mount="floor")
    with pytest.raises(InvalidEnvironment, match="edge = 'sea' must be 'open' or 'table' or 'wall'"):
        room(edge="sea")
    with pytest.raises(InvalidEnvironment, match="stacked = 'yes' must be True or False"):
        room(stacked="yes")
    for friction in (-0.1, np.nan, np.inf):
        with pytest.raises(InvalidEnvironment, match=f"friction = {friction:g} must be at least 0 and finite"):
            room(friction=friction)
    for schema, friction, words in (
        (1, "0.2", "obstacles.friction needs schema = 2"),
        (2, "-0.1", "obstacles.friction = -0.1 must be greater than or equal to 0"),
        (2, "11", "obstacles.friction = 11"),
        (2, "nan", "obstacles.friction = nan must be a finite number"),
    ):
        path.write_text(FILE.format(schema=schema, edge="", mount="").replace("700]]", f"700]], friction = {friction}"))
        with pytest.raises(InvalidEnvironment, match=words):
            load_environment(path)
    with pytest.raises(TypeError, match="unexpected keyword argument 'mont'"):
        room(mont="wall")


def test_mount_is_the_obstacle_at_the_start() -> None:
    """The nearest one or the one around the start, with all pieces that touch it, directly or through others."""
    boxes = [WALL, (0.3, 0.7, 0.6, 0.75), (0.6, 0.7, 0.65, 0.8), (0.41, 0.1, 0.5, 0.2), (0.7, 0.1, 0.8, 0.2)]
    assert room(boxes=boxes, mount="wall").mounted.tolist() == [True, True, True, False, False]
    assert room((0.395, 0.3, 0), boxes, mount="wall").mounted.tolist() == [True, True, True, False, False]
    assert room((0.45, 0.21, 0), boxes, mount="wall").mounted.tolist() == [False, False, False, True, False]
    assert room(boxes=boxes).mounted.sum() == 0
    assert room(boxes=boxes, edge="wall", mount="wall").mounted.tolist() == [True] * 3 + [False] * 2 + [True] * 4
    circle = Obstacles(
        boxes=[WALL], circles=[(0.5, 0.3, 0.1)], walls=[(0.6, 0.3, 0.8, 0.3, 0.02), (0.7, 0.5, 0.8, 0.5, 0)]
    )
    assert replace(room(mount="wall"), obstacles=circle).mounted.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (room((0.712, 0.3, 0), mount="wall"), 'start.mount = "wall", but box 1, the nearest obstacle, is 0.312 m away; at most 0.03335 m'),
        (room(boxes=(), mount="wall"), 'has no obstacle to stand at, but start.mount = "wall"'),
        (room((0.366, 0.3, 0), mount="wall"), "but is 0.034 m inside box 1; at most 0.03335 m"),
        (room((0.4, 0.3, 3.0), mount="wall"), "has a heading into the obstacle that it is mounted in"),
        (room(boxes=(WALL, (0.42, 0.1, 0.5, 0.2801)), mount="wall"), "is 0.02821 m from box 2; at least 0.03335 m"),
        (room(), "is inside box 1; at least 0.03335 m"),
        (room((0.98, 0.4, 3.0), edge="wall"), 'is 0.02 m from the bounds, which are a wall (bounds.edge = "wall"); at least'),
        (room((0.98, 0.4, np.pi / 2), edge="table"), "hang 0.01335 m over the edge of the table within its first diameter"),
        (room((1 - 0.03335, 0.4, 0), edge="table"), "hang 0.0667 m over the edge of the table within its first diameter"),
        (room((0.5, 0, 0.3), edge="table"), 'over the edge of the table within its first diameter (bounds.edge = "table")'),
    ],
)  # fmt: skip
def test_base_that_does_not_fit_is_refused(environment: Environment, words: str) -> None:
    """One line says what is wrong and what is allowed."""
    message = complaint(environment)
    assert message.startswith("start.position = [")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "environment",
    [
        room(mount="wall"),
        room((0.4 + R, 0.3, 0)),
        room((0.4 - R, 0.3, 0), mount="wall"),
        room((0.4 + R, 0.3, 0), mount="wall"),
        room((0.4, 0.3, np.radians(70)), mount="wall"),
        room((1, 0.4, np.pi), edge="wall", mount="wall"),
        room((1 - R, 0.4, np.pi), edge="wall"),
        room((1, 0.4, np.pi), edge="table"),
        room((1, 0.4, np.radians(180 - 60)), edge="table"),
        room((1 - R, 0.4, np.pi / 2), edge="table"),
    ],
)
def test_base_that_fits_is_accepted(environment: Environment) -> None:
    """At most a radius from the mount's surface on either side; on the edge of a table heading inwards; free ones as before."""
    check_environment(environment)


def test_mounted_base_reaches_what_a_free_one_does() -> None:
    """From its wall, 5 mm inside it, or the wall around the bounds, all of the goal is within reach; through its wall nothing is."""
    whole = goal_within_reach(room((0.5, 0.3, 0)), R).area
    for environment in (
        room(mount="wall"),
        room((0.395, 0.3, 0), mount="wall"),
        room((1.0, 0.5, np.pi), mount="wall", edge="wall"),
        room((0.4, 0.3, np.radians(75)), mount="wall"),
    ):
        assert goal_within_reach(environment, R).area == pytest.approx(whole)
    shut = (WALL, (0.3, 0.7, 0.4, 0.8))
    with pytest.raises(WalledIn):
        goal_within_reach(room((0.3, 0.3, np.pi), boxes=shut, mount="wall"), R)
    with pytest.raises(WalledIn):  # other obstacles near the base count
        goal_within_reach(room(boxes=(WALL, (0.45, 0, 0.5, 0.8)), mount="wall"), R)


def test_table_and_walls_keep_the_axis_a_radius_from_the_bounds() -> None:
    """The part of a goal at the corner that is nearer than a radius to the edge cannot be reached; a base on the edge reaches the rest."""
    goal = np.array([1.0, 0.8, 0.1])
    inside = shapely.Point(1, 0.8).buffer(0.1, quad_segs=64).intersection(shapely.box(0, 0, 1 - R, 0.8 - R)).area
    quarter = np.pi * 0.1**2 / 4
    for start, edge, area in (
        ((0.6, 0.4, 0.0), "open", quarter),
        ((0.6, 0.4, 0.0), "table", inside),
        ((0.6, 0.4, 0.0), "wall", inside),
        ((0.6, 0.0, np.pi / 2), "table", inside),
    ):
        assert goal_within_reach(replace(room(start, edge=edge), goal=goal), R).area == pytest.approx(area, rel=2e-3)
    with pytest.raises(WalledIn, match="nor may it hang over the edge of the table"):
        goal_within_reach(replace(room((0.6, 0.4, 0.0), edge="table"), goal=np.array([1.0, 0.8, R])), R)
