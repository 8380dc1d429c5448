"""The picture of what was imported."""

from typing import Any

import numpy as np
import pytest
import shapely
from matplotlib.figure import Figure

from dynamics.tube import VineParams
from environments.importing.backdrop import Backdrop
from environments.importing.build import build_obstacles
from environments.importing.traced import Tracing
from planner.drawing.imported import imported_figure

RING = shapely.box(0.5, 0.2, 1.5, 0.9).difference(shapely.box(0.7, 0.4, 1.3, 0.8))
TRACED = Tracing((RING,), np.array([[0.2, 0.8, 0.1]]), bounds=(0.0, 0.0, 2.0, 1.0))


def parts(figure: Figure, gid: str) -> list[Any]:
    return [one for one in figure.axes[0].get_children() if one.get_gid() == gid]


def test_start_and_goal_are_drawn_at_true_size() -> None:
    """The bar of the base is 2.5 radii of the default tube long, across the heading; the goal is its disc."""
    figure = imported_figure(build_obstacles("ring.svg", TRACED, start=(0.1, 0.2, np.pi / 2), goal=(1.8, 0.7, 0.08)))
    bar, arrow = (part.get_path().vertices for part in parts(figure, "start"))
    assert np.ptp(bar[:, 0]) == pytest.approx(2.5 * 1e3 * VineParams().radius)
    assert bar[:, 0].mean() == pytest.approx(100, abs=10)
    assert arrow[:, 1].max() > 200 + 1e3 * VineParams().radius
    (goal,) = parts(figure, "goal")
    assert goal.center == pytest.approx((1800, 700))
    assert goal.radius == pytest.approx(80)


def test_what_is_filled_is_what_is_in_the_file() -> None:
    """The faces together have the area of all obstacles; before start and goal are known, the title says so."""
    found = build_obstacles("ring.svg", TRACED)
    figure = imported_figure(found)
    (faces,) = parts(figure, "obstacles")
    polygons = [shapely.Polygon(corners) for corners in faces.get_path().to_polygons()]
    assert sum(one.area for one in polygons) == pytest.approx(1e6 * (RING.area + 0.1**2 * np.pi), rel=1e-3)
    assert figure.axes[0].get_title() == f"ring.svg: {len(found.obstacles)} obstacles (no start and no goal yet)"


@pytest.mark.parametrize("size", [7, 4100])
def test_pixels_are_drawn_where_they_are(size: int) -> None:
    """The corners of a rotated picture, also of one that is drawn with fewer pixels."""
    pixel = 1.0 / size
    backdrop = Backdrop(np.zeros((size, 2 * size), np.uint8), pixel, (0.3, -0.2, 0.5))
    figure = imported_figure(build_obstacles("map.yaml", TRACED, backdrop))
    (image,) = figure.axes[0].get_images()
    left, right, bottom, top = image.get_extent()
    placed = image.get_transform() - figure.axes[0].transData
    shown = placed.transform([(left, bottom), (right, bottom), (right, top), (left, top)])
    height, width = image.get_size()
    cut = np.array([0, 0]) if size == 7 else np.array([width * 5 - 2 * size, height * 5 - size])
    cosine, sine = np.cos(0.5), np.sin(0.5)
    corners = np.array([(0, -cut[1]), (2 * size + cut[0], -cut[1]), (2 * size + cut[0], size), (0, size)]) * pixel
    expected = corners @ [[cosine, sine], [-sine, cosine]] + [0.3, -0.2]
    assert shown == pytest.approx(1e3 * expected, abs=1e-6)
