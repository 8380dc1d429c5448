"""Environments as maps of robots, and back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from environments import Environment, Obstacles, load_environment
from environments.importing.build import Imported
from environments.importing.choose import import_environment
from environments.importing.ros_map_writing import occupancy, write_ros_map

CELL = 0.02
LENGTHS = st.floats(0.1, 0.5)
PLACES = st.tuples(st.floats(0.5, 1.4), st.floats(0.3, 0.9))


def room(**obstacles: object) -> Environment:
    bounds, goal = (0.013, -0.2, 2.0, 1.5), (1.9, 1.4, 0.05)
    return Environment("room", bounds=bounds, start=(0.1, 0.1, 0), goal=goal, obstacles=Obstacles(**obstacles))


def back(environment: Environment, folder: Path, **options: object) -> Imported:
    """The obstacles of its map."""
    write_ros_map(environment, folder / "room.yaml", CELL)
    return import_environment(folder / "room.yaml", unknown_free=True, **options)


def apart(found: Imported, environment: Environment) -> float:
    """Hausdorff distance of the outlines of all obstacles together, in cells."""
    one, other = (shapely.union_all(shapes) for shapes in (found.outlines, environment.obstacles.shapes()))
    return float(shapely.hausdorff_distance(one.boundary, other.boundary, densify=0.01)) / CELL


@settings(max_examples=25, derandomize=True, deadline=None)
@given(PLACES, LENGTHS, LENGTHS)
def test_boxes_come_back_within_half_a_cell(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[float, float], width: float, height: float
) -> None:
    """Each side of a box is at the nearest edge of cells, and its corners are where two sides meet."""
    x, y = place
    made = room(boxes=[(x, y, x + width, y + height)])
    found = back(made, tmp_path_factory.mktemp("map"), simplify=0.0)
    assert apart(found, made) <= np.hypot(0.5, 0.5) + 1e-9
    (outline,) = found.outlines
    assert np.abs(np.subtract(outline.bounds, (x, y, x + width, y + height))).max() <= CELL * (0.5 + 1e-9)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(PLACES, LENGTHS, st.floats(0, 3), st.booleans())
def test_slanted_and_round_outlines_come_back_within_half_a_diagonal(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[float, float], size: float, turn: float, is_round: bool
) -> None:
    """The outline of the cells is nowhere farther from the true one; simplified, by half a cell more."""
    folder = tmp_path_factory.mktemp("map")
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size / 2
    turned = square @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]] + place
    made = room(circles=[[*place, size / 2]]) if is_round else room(polygons=[turned])
    true = shapely.union_all(made.obstacles.shapes()).boundary
    for options, allowed in (({"simplify": 0.0}, np.hypot(0.5, 0.5)), ({}, np.hypot(0.5, 0.5) + 0.5)):
        found = back(made, folder, **options)
        away = [shapely.distance(true, shapely.points(shapely.get_coordinates(one))).max() for one in found.outlines]
        assert max(away) <= CELL * (allowed + 0.01)
        if is_round:
            assert apart(found, made) <= allowed + 0.05


@pytest.mark.parametrize("thickness", [0.0, 0.002, 0.015, 0.025])
@pytest.mark.parametrize("turn", [0.0, 0.2, 0.785, 1.3])
def test_thin_walls_stay_closed(tmp_path: Path, thickness: float, turn: float) -> None:
    """A wall thinner than a cell is one piece from end to end, and its cells are within 1.71 cells of its line."""
    ends = np.array([0.9, 0.6]) + 0.5 * np.outer([-1, 1], [np.cos(turn), np.sin(turn)])
    made = room(walls=[[*ends[0], *ends[1], thickness]])
    found = back(made, tmp_path, simplify=0.0)
    assert len(found.outlines) == 1
    line = shapely.LineString(ends)
    assert shapely.hausdorff_distance(found.outlines[0], line, densify=0.01) <= 1.71 * CELL
    assert shapely.Polygon(found.outlines[0]).covers(shapely.LineString(ends * 0.98 + 0.02 * ends.mean(axis=0)))


def test_cells_beyond_the_bounds_are_unknown_and_walls_at_the_bounds_are_occupied(tmp_path: Path) -> None:
    """The map begins at the lower left corner of the bounds, and is up to a cell larger; walls need a cell more on each side."""
    made = room()
    grid, corner = occupancy(made, CELL)
    assert corner == (0.013, -0.2)
    assert grid.shape == (85, 100)
    assert not grid[:, :99].any()
    assert (grid[:, 99] == 2).all()  # its centres are at 2.003
    write_ros_map(made, tmp_path / "room.yaml", CELL)
    assert import_environment(tmp_path / "room.yaml").bounds == pytest.approx((0.013, -0.2, 2.013, 1.5))
    grid, corner = occupancy(replace(made, edge="wall"), CELL)
    assert corner == pytest.approx((-0.007, -0.22))
    assert (grid[0] == 1).all()
    assert (grid[:, -1] == 1).all()
    assert not grid[1:-1, 1:-2].any()


def test_a_shipped_environment_comes_back(tmp_path: Path) -> None:
    """The maze: the same start and goal can be used, and the area of obstacles is the same to 1 %."""
    maze = load_environment("maze")
    write_ros_map(maze, tmp_path / "maze.yaml", 0.005)
    options = {"start": tuple(maze.start), "goal": tuple(maze.goal), "unknown_free": True}
    found = import_environment(tmp_path / "maze.yaml", **options).environment("maze", 0.03)
    within = shapely.box(*maze.bounds)
    one, other = (shapely.union_all(some.obstacles.shapes()).intersection(within) for some in (maze, found))
    assert one.symmetric_difference(other).area < 0.01 * one.area


def test_too_many_cells_are_refused(tmp_path: Path) -> None:
    """The message gives the smallest cell that is allowed; nothing is written."""
    with pytest.raises(ValueError, match=r"at most 64000000 are allowed: at least 0\.23 mm"):
        write_ros_map(room(), tmp_path / "room.yaml", 1e-6)
    assert not list(tmp_path.iterdir())
