"""The study of deployments by geometry: what it counts, and what it says."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.walls import inflate_to_walls
from dynamics.vine import Status
from studies.geometric.report import report
from studies.geometric.study import LENGTH, OBSTACLES, RADIUS, ActionTiming, VinePair, lies_on_graph, make_polygons


def test_environments_are_as_described() -> None:
    """Ten convex polygons in a unit square, clear of each other and of where tubes are launched."""
    environment = make_polygons(np.random.default_rng(2))
    shapes = [shapely.Polygon(corners) for corners in environment.obstacles.polygons]
    assert len(shapes) == OBSTACLES
    for k, shape in enumerate(shapes):
        assert shapely.convex_hull(shape).area == pytest.approx(shape.area)
        assert shapely.box(0, 0, 1, 1).contains(shape)
        assert not any(shape.intersects(other) for other in shapes[:k])


def test_shape_through_an_obstacle_is_not_on_the_graph() -> None:
    """A deployment is on it, and not if its first pivot is left out."""
    shapes = [shapely.box(0.6, -1, 0.9, 1), shapely.box(0.2, 0.27, 0.3, 0.9)]
    bounds = np.array([-1.0, -1, 1, 2])
    launch = Launch(0, 0, 0.5, LENGTH)
    done = deploy(inflate_to_walls(shapes, bounds, RADIUS), HingeTube(RADIUS, 0.3, RADIUS), launch)
    assert len(done.shape) == 3
    assert lies_on_graph(shapes, bounds, launch, done)
    assert not lies_on_graph(shapes, bounds, launch, replace(done, shape=done.shape[[0, 2]]))


def test_shape_with_a_bend_in_free_space_is_not_on_the_graph() -> None:
    """A bend that no corner makes is on the graph only where the launch asks for a turn: nodes are not taken from the shape."""
    bounds = np.array([-1.0, -1, 1, 2])
    bent = np.array([[0.0, 0.0], [0.3, 0.0], [0.5, 0.2]])
    length = float(np.hypot(*np.diff(bent, axis=0).T).sum())
    made = Deployment(bent, np.empty((0, 3, 2)), np.empty((0, 4)), length, np.nan, Status.GROWN)
    shapes = [shapely.box(0.6, -1, 0.9, 1)]
    assert lies_on_graph(shapes, bounds, Launch(0, 0, 0, length, 0.3, np.pi / 4), made)
    assert not lies_on_graph(shapes, bounds, Launch(0, 0, 0, length), made)
    assert not lies_on_graph(shapes, bounds, Launch(0, 0, 0, length, 0.2, np.pi / 4), made)


def test_report_counts() -> None:
    """Means over environments; shares of those vines that met a wall and have a record in common."""
    timings = [ActionTiming(2.0, 8.0, (1, 2, 3, 0), 4, 4, 0, 0), ActionTiming(4.0, 16.0, (2, 1, 3, 0), 4, 3, 1, 2)]
    grown, stuck = int(Status.GROWN), int(Status.STALLED)
    pairs = [
        VinePair(False, 0.002, True, (grown, grown)),
        VinePair(False, 0.05, True, (stuck, grown)),
        VinePair(False, 0.0, False, (grown, grown)),
        VinePair(True, np.nan, True, (stuck, stuck)),
        VinePair(True, 0.02, True, (grown, grown)),
    ]
    made = report(timings, pairs)
    text, content = made.text, made.content
    assert "12 ms (8 to 16), 2000 microseconds a deployment" in text
    assert "3.0 ms. 3 grown, 3 stalled, 6 out of bounds." in text
    assert "Of 8 shapes, 7 lie on the visibility graph of the environment" in text
    assert "Of all shapes, 1 cross an obstacle, and 2 do not have the length" in text
    assert "| passive | 2 | 50.0 | 50.0 | 26.0 | 50.0 | 50.0 |" in text
    assert "| steered | 1 | 100.0 | 0.0 | 20.0 | 0.0 | 100.0 |" in text
    assert len(content["pairs"]) == 5
