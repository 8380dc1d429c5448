"""Obstacles in figures."""

import numpy as np
import pytest
import shapely
from matplotlib.figure import Figure
from matplotlib.path import Path

from environments import Environment, Obstacles
from planner.drawing.solids import draw_solids

OBSTACLES = Obstacles(
    # Two boxes with a seam, one that overlaps the second, one that is cut by the view, and one around a hole.
    polygons=[
        [(0.1, 0.1), (0.2, 0.1), (0.2, 0.2), (0.1, 0.2)],
        [(0.2 + 1e-5, 0.1), (0.3, 0.1), (0.3, 0.2), (0.2 + 1e-5, 0.2)],
        [(0.25, 0.15), (0.35, 0.15), (0.35, 0.3), (0.25, 0.3)],
        [(0.9, 0.5), (1.0, 0.5), (1.0, 0.6), (0.9, 0.6)],
    ],
    # One alone, two that overlap, and one within the frame of walls.
    circles=[(0.6, 0.2, 0.05), (0.5, 0.5, 0.1), (0.6, 0.55, 0.1), (0.25, 0.75, 0.02)],
    walls=[(0.1, 0.65, 0.4, 0.65, 0.02), (0.4, 0.65, 0.4, 0.85, 0.02), (0.4, 0.85, 0.1, 0.85, 0.02),
           (0.1, 0.85, 0.1, 0.65, 0.02), (0.7, 0.8, 0.9, 0.9, 0.0)],
)  # fmt: skip
ROOM = Environment(bounds=(0, 0, 1, 1), start=(0.05, 0.5, 0), goal=(0.7, 0.3, 0.05), obstacles=OBSTACLES)
VIEW = np.array([0.0, 0.0, 950.0, 1000.0])


def drawn(room: Environment) -> list[Path]:
    """The paths of the solids in a figure."""
    axes = Figure().subplots()
    draw_solids(axes, room, VIEW)
    return [one.get_path() for one in axes.get_children() if one.get_gid() == "obstacles"]


def test_solids_are_the_union_of_obstacles() -> None:
    """Outlines go anticlockwise, those of holes clockwise, and are closed; bare walls are not among them."""
    (path,) = drawn(ROOM)
    rings = [shapely.LinearRing(corners) for corners in path.to_polygons()]
    assert sum(path.codes == Path.CLOSEPOLY) == len(rings)
    holes = [ring for ring in rings if not ring.is_ccw]
    found = shapely.union_all([shapely.Polygon(ring) for ring in rings if ring.is_ccw])
    found = found.difference(shapely.union_all([shapely.Polygon(ring) for ring in holes]))
    disc = shapely.Point(250, 750).buffer(20, quad_segs=64)
    expected = [shapely.transform(one, lambda corners: 1e3 * corners) for one in OBSTACLES.shapes()[:-1]]
    expected = shapely.union_all(expected).intersection(shapely.box(*VIEW))
    assert len(holes) == 1
    # The disc lies in the hole, and was cut away with it above. The seam is 0.01 mm wide, and 0.1 mm is missing beside the view.
    assert found.union(disc).symmetric_difference(expected).area == pytest.approx(0.01 * 100 + 0.1 * 100, rel=0.01)
    assert len(rings) == 7


def test_there_may_be_no_solids() -> None:
    """Nothing is drawn for them."""
    bare = Environment(bounds=(0, 0, 1, 1), start=(0.05, 0.5, 0), goal=(0.7, 0.3, 0.05), obstacles=Obstacles())
    assert drawn(bare) == []
