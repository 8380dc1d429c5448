"""Names of obstacles: kind and number in the user's text; and that text, which is kept byte for byte."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles, generate_environment, load_environment, write_environment
from environments.environment_file import parse_environment, restate_errors
from environments.objects import object_name, object_names, objects_of
from environments.uncertainty_in_files import StatedUncertainty

TEXT = """\
# odd order, odd   spacing
schema = 2
unit   =  "mm"
bounds = {{ min = [0, 0], max = [1500, 1000], edge = "{edge}" }}
start = {{ position = [100, 500], heading_deg = 0 }}
goal = {{ position = [1400, 500], radius = 60 }}
[obstacles]
walls = [
  [300, 100, 300, 400, 0],       # a bare line
  [500, 600, 500, 900, 20],
  [700, 100, 700.3, 380.7, 18],
]
circles = [[900, 700, 80], [900, 300, 60]]
ends = "{ends}"
polygons = [[[1100, 600], [1200, 600], [1200, 900], [1100, 900]]]
boxes = [[1100, 100, 1200, 400]]
"""
PLACES = {
    "box 1": (1.15, 0.25), "polygon 1": (1.15, 0.75), "circle 1": (0.9, 0.7), "circle 2": (0.9, 0.3),
    "wall 1": (0.3, 0.25), "wall 2": (0.5, 0.75), "wall 3": (0.7, 0.24),
}  # fmt: skip


def check_names(environment: Environment) -> None:
    """Each name is that of the shape at its place, alone and as an object."""
    solids, shapes = environment.solids, environment.solids.shapes()
    for name, place in PLACES.items():
        (index,) = (k for k, shape in enumerate(shapes) if shape.distance(shapely.Point(place)) < 1e-3)
        assert solids.name(index) == name
        assert object_name(environment, int(objects_of(environment)[index])) == name


@pytest.mark.parametrize("edge", ["open", "wall"])
@pytest.mark.parametrize("ends", ["flat", "round"])
def test_names_are_those_of_the_text(tmp_path: Path, ends: str, edge: str) -> None:
    """Walls stay walls, polygons polygons: as loaded, with part of them, after a change in code, written and read again."""
    (path := tmp_path / "odd.toml").write_text(TEXT.format(ends=ends, edge=edge))
    environment = load_environment(path)
    check_names(environment)
    walls = environment.solids.labels[:, 0] == 3
    assert [environment.solids.part(walls).name(k) for k in range(3)].count("wall 2") == 1
    changed = replace(environment, description="another")
    assert changed.source is None
    write_environment(changed, path)
    again = load_environment(path)
    assert again.sha256 == environment.sha256
    check_names(again)
    assert path.read_text().count("[500, 600, 500, 900, 20]") == 1


@pytest.mark.parametrize(
    "data",
    [
        TEXT.format(ends="flat", edge="open").encode(),
        TEXT.format(ends="round", edge="wall").replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.format(ends="flat", edge="table").encode().rstrip(),
    ],
)
def test_a_file_is_written_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    """With comments, spacing, line ends, and the mark at the beginning; and again from what was written."""
    (tmp_path / "0.toml").write_bytes(data)
    for number in (1, 2):
        write_environment(load_environment(tmp_path / f"{number - 1}.toml"), tmp_path / f"{number}.toml")
        assert (tmp_path / f"{number}.toml").read_bytes() == data
    named = load_environment(tmp_path / "2.toml", name="kitchen")
    assert (named.name, named.sha256) == ("kitchen", load_environment(tmp_path / "0.toml").sha256)


def test_a_changed_environment_has_no_text(tmp_path: Path) -> None:
    """Neither a replaced field nor an array that was changed in place is lost, though the file is another then."""
    environment = parse_environment(TEXT.format(ends="flat", edge="open").encode(), "odd")
    moved = replace(environment, goal=np.array([1.3, 0.5, 0.06]))
    environment.goal[0] = 1.3
    for one in (moved, environment):
        write_environment(one, tmp_path / "moved.toml")
        again = load_environment(tmp_path / "moved.toml")
        assert again.goal.tolist() == [1.3, 0.5, 0.06]
        check_names(again)
    environment.obstacles.polygons[-1][0] += 0.01
    write_environment(environment, tmp_path / "moved.toml")
    assert load_environment(tmp_path / "moved.toml").sha256 == environment.sha256


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_errors_are_added_to_the_text(line_end: str) -> None:
    """All before them keeps its bytes; a file that has such a table is written again, with the same names."""
    text = TEXT.format(ends="flat", edge="open").replace("\n", line_end)
    errors = StatedUncertainty.of({"preset": "field", "start_heading_deg": 8})
    restated = restate_errors(parse_environment(text.encode(), "odd"), errors)
    assert restated.uncertainty == errors
    assert restated.source
    added = f'[uncertainty]{line_end}preset = "field"{line_end}start_heading_deg = 8.0{line_end}'
    assert restated.source.text == text + line_end + added
    twice = restate_errors(restated, StatedUncertainty.of({"preset": "none"}))
    assert (twice.uncertainty.preset, twice.source) == ("none", None)
    check_names(twice)


def test_an_older_schema_has_no_errors_to_add() -> None:
    """It is written again, in the schema that has them."""
    text = TEXT.format(ends="round", edge="open").replace("schema = 2", "schema = 1").replace(', edge = "open"', "")
    restated = restate_errors(parse_environment(text.encode(), "odd"), StatedUncertainty.of({"preset": "field"}))
    assert (restated.uncertainty.preset, restated.source) == ("field", None)


def test_walls_of_any_numbers_stay_walls(tmp_path: Path) -> None:
    """Written in millimetres they have the same corners to the last bit of the hash, whatever their numbers."""
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.uniform(0.3, 2.7, (300, 4)), rng.uniform(0.001, 0.05, 300)])
    room = Environment("room", "", (0, 0, 3, 3), (0.1, 0.1, 0), (2.9, 2.9, 0.05), Obstacles(walls=rows))
    write_environment(room, tmp_path / "room.toml")
    again = load_environment(tmp_path / "room.toml")
    assert again.sha256 == room.sha256
    assert [again.obstacles.name(k) for k in range(300)] == [f"wall {k + 1}" for k in range(300)]


def test_random_environments_keep_their_names(tmp_path: Path) -> None:
    """Boxes are boxes as soon as they are made, not only once they were written."""
    made = generate_environment(np.random.default_rng(2), density=0.2)
    write_environment(made, tmp_path / "made.toml")
    again = load_environment(tmp_path / "made.toml")
    assert again.sha256 == made.sha256
    names = [[one.obstacles.name(k) for k in range(len(one.obstacles))] for one in (made, again)]
    assert names[0] == names[1]
    assert {name.split()[0] for name in names[0]} == {"box", "polygon", "circle"}


def test_objects_of_several_obstacles_name_them() -> None:
    """By kind and number, in the order of a file; of more than three, the first."""
    row = [(0.1 * k, 2, 0.1 * k + 0.1, 2.1) for k in range(5)]
    walls = [(1, 1, 1.5, 1, 0.02), (2.5, 0.3, 2.5, 0.6, 0.02), (1.5, 1, 1.5, 1.5, 0.02), (0.7, 0.5, 0.9, 0.5, 0.02)]
    obstacles = Obstacles(boxes=row, walls=walls, circles=[(2.5, 0.65, 0.1), (0.5, 0.5, 0.21)])
    room = Environment("room", "", (0, 0, 3, 3), (0.1, 1.1, 0), (2.9, 2.9, 0.05), obstacles, edge="wall")
    assert set(object_names(room)) == {
        "box 1 and 4 more", "walls 1 and 3", "circle 1 and wall 2", "circle 2 and wall 4",
        *(f"wall at the bounds, {side}" for side in ("bottom", "top", "left", "right")),
    }  # fmt: skip
    assert obstacles.names(range(2, 5)) == "boxes 3, 4 and 5"
