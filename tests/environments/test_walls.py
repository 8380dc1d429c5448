"""Walls with flat and with round ends, in code and in files of both schemas."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from environments import Environment, InvalidEnvironment, Obstacles, load_environment, write_environment
from environments.file_model import check_data
from environments.reach import WalledIn, goal_within_reach

SHA256 = {
    "building": "d9847bfe86f16674ea03a4f57b8ab84b3eea6eafdeeda1e43ef107505edcdaf5",
    "divider": "fbbc16c456192b1ffee25372408cd77cc108554b457ace994ee075b82b0ea4a2",
    "long": "70a8e3cedee565d9b8bb3d100c26c1a24fb8a8924de331317985e9c9fecb51d4",
    "maze": "113949df9ce9bc79dfa3a758f9989826e2157f3c5bc99ab282a07df9deeaf3b2",
    "needle": "3a68573b82c09a188e8786505e6b9402789f5a996697799ccd69ca9f2c58ab56",
    "pickone": "e48a3781750e84d599bdd21e923a985eb8cd7ffb89536cb75ee2a20e5cacc9dc",
    "plus": "bb751d5db222e7f868440fb6e0c3f7e52f80dde76dedaa8d7c97125d8d78c93d",
    "spiral": "9af0a34614380f5fa4111877dbc2c51cccc4f4af34acd1a1d8fd6376734b57b8",
    "tube": "3b6fa28569320b2a4336ce0bf64aeafe6f3164f98958a126457b15e15c7823af",
}
DOORWAY = """schema = {schema}
unit = "mm"
bounds = {{ min = [0, 0], max = [1000, 600] }}
start = {{ position = [150, 300], heading_deg = 0 }}
goal = {{ position = [850, 300], radius = 50 }}
[obstacles]
walls = [[500, 0, 500, 260, 18], [500, 340, 500, 600, 18]]
{ends}
"""


def doorway(folder: Path, schema: int = 2, ends: str = "") -> Environment:
    """Two halves of a room and a doorway of 80 mm in the wall of 18 mm between them."""
    path = folder / "doorway.toml"
    path.write_text(DOORWAY.format(schema=schema, ends=ends))
    return load_environment(path)


@pytest.mark.parametrize("name", SHA256)
def test_shipped_environments_keep_their_hash(name: str, shipped: dict[str, Environment]) -> None:
    """Designs and runs that were stored with schema 1 belong to the same environments as before."""
    assert shipped[name].sha256 == SHA256[name]


@pytest.mark.parametrize(
    ("schema", "ends", "width", "flat"),
    [
        (2, "", 80, True),
        (2, 'ends = "flat"', 80, True),
        (2, 'ends = "round"', 62, False),
        (1, "", 62, False),
        (1, 'ends = "flat"', 80, True),
    ],
)
def test_the_width_of_a_doorway(tmp_path: Path, schema: int, ends: str, width: float, flat: bool) -> None:
    """Between flat ends it is the distance of the end points; round ends, the only ones of schema 1, are half as thick each."""
    obstacles = doorway(tmp_path, schema, ends).obstacles
    one, other = obstacles.shapes()
    assert 1e3 * shapely.distance(one, other) == pytest.approx(width, abs=1e-9)
    assert (len(obstacles.polygons), len(obstacles.walls)) == ((2, 0) if flat else (0, 2))


def test_a_tube_passes_a_doorway_of_its_width(tmp_path: Path) -> None:
    """Through a doorway of 80 mm a tube of 78 mm leads to the goal, and one of 82 mm does not."""
    assert goal_within_reach(doorway(tmp_path), 0.039).area > 0
    with pytest.raises(WalledIn, match=r"the widest way in is 80 mm wide at \(500, 300\) mm, the tube is 82 mm wide"):
        goal_within_reach(doorway(tmp_path), 0.041)


def test_walls_in_code_are_flat_as_in_files() -> None:
    """The default is that of a file; a wall at an angle is the rectangle around its middle line; bare lines stay lines."""
    rows = [[0.0, 0.0, 0.3, 0.4, 0.1], [1.0, 0.0, 1.0, 1.0, 0.0]]
    made = Obstacles(polygons=[[(2, 0), (3, 0), (2, 1)]], walls=rows)
    assert made.walls.tolist() == [rows[1]]
    triangle, wall, line = made.shapes()
    assert triangle.area == 0.5
    assert wall.area == pytest.approx(0.5 * 0.1, rel=1e-9)
    assert wall.exterior.is_ccw
    expected = shapely.LineString([(0, 0), (0.3, 0.4)]).buffer(0.05, cap_style="flat")
    assert wall.symmetric_difference(expected).area < 1e-9
    assert line.equals(shapely.LineString([(1, 0), (1, 1)]))
    rounded = Obstacles(walls=rows, ends="round")
    assert rounded.walls.tolist() == rows
    assert not rounded.polygons
    # 10 mm beyond the end of the thick wall: free by 10 mm, or inside the round cap.
    beyond = np.array([0.3, 0.4]) * (1 + 0.01 / 0.5)
    assert made.clearance(beyond) == pytest.approx(0.01)
    assert rounded.clearance(beyond) == 0


def test_walls_that_cannot_be_flat_are_refused() -> None:
    """An unknown kind of ends, and a wall without a direction."""
    with pytest.raises(ValueError, match="ends = 'square' must be 'flat' or 'round'"):
        Obstacles(ends="square")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no length"):
        Obstacles(walls=[(1, 1, 1, 1, 0.1)])


coordinate = st.floats(-0.8, 0.8)
row = st.tuples(coordinate, coordinate, coordinate, coordinate, st.sampled_from([0.0, 1e-8, 1e-5, 0.018, 0.05]))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(row.filter(lambda row: math.dist(row[:2], row[2:4]) > 1e-4), max_size=4),
    st.sampled_from(["flat", "round"]),
)
def test_written_walls_load_with_the_same_hash(tmp_path_factory: pytest.TempPathFactory, rows: list, ends: str) -> None:  # type: ignore[type-arg]
    """Walls at any angle, of any thickness, are the same when they are read again."""
    obstacles = Obstacles(walls=rows, ends=ends)  # type: ignore[arg-type]
    room = Environment(bounds=(-2, -1, 1, 1), start=(-1.5, 0, 0), goal=(-1.5, 0.5, 0.1), obstacles=obstacles)
    path = tmp_path_factory.mktemp("walls") / "room.toml"
    write_environment(room, path)
    assert path.read_text().startswith("schema = 2\n")
    again = load_environment(path)
    assert again.sha256 == room.sha256
    assert [one.area for one in again.obstacles.shapes()] == pytest.approx(
        [one.area for one in obstacles.shapes()], rel=1e-6
    )


def test_the_hash_of_a_flat_wall_is_that_of_any_unit(tmp_path: Path) -> None:
    """A room in millimetres, centimetres and metres is one environment."""
    hashes, rows = set(), np.array([[300, 100, 470, 330, 18], [700, 0, 700, 250, 12]])
    for unit, size in (("mm", 1), ("cm", 10), ("m", 1000)):
        text = f'schema = 2\nunit = "{unit}"\nbounds = {{ min = [0, 0], max = [{1000 / size}, {600 / size}] }}\n'
        text += f"start = {{ position = [{150 / size}, {300 / size}], heading_deg = 0 }}\n"
        text += f"goal = {{ position = [{850 / size}, {300 / size}], radius = {50 / size} }}\n"
        text += f"obstacles = {{ walls = {(rows / size).tolist()} }}\n"
        (tmp_path / f"{unit}.toml").write_text(text)
        environment = load_environment(tmp_path / f"{unit}.toml")
        assert environment.bounds.tolist() == [0, 0, 1, 0.6]
        hashes.add(environment.sha256)
    assert len(hashes) == 1


def test_what_cannot_be_written_again_is_not_read() -> None:
    """Flat walls count as four corners each, since they are written as polygons; round ones do not."""
    table = tomllib.loads(DOORWAY.format(schema=2, ends=""))
    table["obstacles"]["walls"] *= 6251
    with pytest.raises(InvalidEnvironment, match="polygons and walls of 50008 corners; at most 50000 are allowed"):
        check_data(table)
    table["obstacles"]["ends"] = "round"
    assert len(check_data(table).obstacles.walls) == 12_502
