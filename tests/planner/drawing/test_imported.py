"""The picture of what was imported."""

from typing import Any

import numpy as np
import pytest
import shapely
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynamics.tube import VineParams
from environments.importing.backdrop import Backdrop
from environments.importing.build import build_obstacles
from environments.importing.cut import extract_polygons
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing
from planner.drawing.imported import imported_figure

RING = shapely.box(0.5, 0.2, 1.5, 0.9).difference(shapely.box(0.7, 0.4, 1.3, 0.8))
TRACED = Tracing((RING,), np.array([[0.2, 0.8, 0.1]]), bounds=(0.0, 0.0, 2.0, 1.0))

ENDS = ImportOptions(start=(0.1, 0.2, np.pi / 2), goal=(1.8, 0.7, 0.08))


def parts(figure: Figure, gid: str) -> list[Any]:
    return [one for one in figure.axes[0].get_children() if one.get_gid() == gid]


def test_start_and_goal_are_drawn_at_true_size() -> None:
    """The bar of the base is 2.5 radii of the default tube long, across the heading; the goal is its disc."""
    figure = imported_figure(build_obstacles("ring.svg", TRACED, options=ENDS))
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
    # Holes run the other way round.
    rings = [shapely.LinearRing(corners) for corners in faces.get_path().to_polygons()]
    areas = [shapely.Polygon(ring).area * (1 if ring.is_ccw else -1) for ring in rings]
    assert sum(areas) == pytest.approx(1e6 * (RING.area + 0.1**2 * np.pi), rel=1e-3)
    assert figure.axes[0].get_title() == f"ring.svg: {len(found.obstacles)} obstacles (no start and no goal yet)"
    single = Tracing((shapely.box(0.5, 0.2, 1.5, 0.9),), bounds=(0.0, 0.0, 2.0, 1.0))
    title = imported_figure(build_obstacles("box.svg", single, options=ENDS)).axes[0].get_title()
    assert title == "box.svg: 1 obstacle"


@pytest.mark.parametrize("seed", range(4))
def test_pixels_of_the_picture_are_those_of_points_in_obstacles(seed: int) -> None:
    """Rings of both directions, holes, circles and walls that overlap: each pixel is shaded if its middle is in an obstacle."""
    rng, solid = np.random.default_rng(seed), []
    for _ in range(12):
        x, y, size = *rng.uniform([0.2, 0.2], [1.8, 0.8]), rng.uniform(0.05, 0.25)
        shape = shapely.box(x - size, y - size, x + size, y + size).intersection(shapely.box(0.0, 0.0, 2.0, 1.0))
        hole = shapely.box(x - size / 3, y - size / 3, x + size / 3, y + size / 3)
        shape = shape.difference(hole) if rng.random() < 0.5 else shape
        solid += [part if rng.random() < 0.5 else part.reverse() for part in extract_polygons(shape)]
    circles, walls = rng.uniform([0.2, 0.2, 0.05], [1.8, 0.8, 0.2], (3, 3)), np.array([[0.1, 0.1, 1.7, 0.8, 0.06]])
    found = build_obstacles("any.svg", Tracing(tuple(solid), circles, walls, (0.0, 0.0, 2.0, 1.0)))
    figure = imported_figure(found)
    axes = figure.axes[0]
    for part in axes.get_children():
        if part.get_gid() != "obstacles":
            part.set_visible(False)
    (faces,) = parts(figure, "obstacles")
    faces.set(alpha=1.0, facecolor="black")
    figure.set_dpi(50)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    grey = np.asarray(canvas.buffer_rgba())[..., 0]
    rows, columns = np.mgrid[0 : grey.shape[0], 0 : grey.shape[1]]
    middles = np.column_stack([columns.ravel() + 0.5, grey.shape[0] - rows.ravel() - 0.5])
    places = axes.transData.inverted().transform(middles) / 1e3
    clearance, pixel = (
        found.obstacles.clearance(places),
        2.0 / np.ptp(axes.transData.transform([(0, 0), (2000, 0)])[:, 0]),
    )
    union = shapely.union_all([shape for shape in found.obstacles.shapes() if shape.area])
    depth = shapely.distance(union.boundary, shapely.points(places))
    sure = ((places > 0) & (places < [2.0, 1.0])).all(axis=1) & (depth > pixel)
    np.testing.assert_array_equal(grey.ravel()[sure] == 0, clearance[sure] == 0)
    assert 0.1 < (clearance[sure] == 0).mean() < 0.95


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
