"""Deployments among walls, against closed forms, a visibility graph, and shapely's opinion of what touches what."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.walls import POLYGON_TOLERANCE, Walls, inflate_obstacles, inflate_to_walls, to_polygons
from dynamics.vine import Status
from environments import Obstacles
from environments.roadmap import visibility_graph

BOUNDS = np.array([-2.0, -2.0, 2.0, 2.0])
RADIUS = 0.03
TUBE = HingeTube(RADIUS, 0.3, RADIUS)


def among(*shapes: shapely.Geometry) -> Walls:
    return inflate_to_walls(shapes, BOUNDS, RADIUS)


def length_of(deployment: Deployment) -> float:
    return float(shapely.LineString(deployment.shape).length)


@dataclass(frozen=True)
class Trial:
    """A deployment in an environment of star-shaped obstacles, most of them concave, that may overlap and leave the bounds."""

    stars: list[tuple[float, float, float, list[float]]]
    launch: Launch
    radius: float
    friction: float

    @property
    def shapes(self) -> list[shapely.Polygon]:
        shapes = []
        for x, y, first, spokes in self.stars:
            angles = first + 2 * np.pi * np.arange(len(spokes)) / len(spokes)
            corners = np.array(spokes)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
            shapes.append(shapely.Polygon(corners + np.array([x, y])))
        return shapes

    def deployed(self, length: float | None = None) -> Deployment:
        launch = self.launch if length is None else self.launch._replace(length=length)
        tube = HingeTube(self.radius, self.friction, self.radius)
        return deploy(inflate_to_walls(self.shapes, SQUARE, self.radius), tube, launch)


SQUARE = np.array([0.0, 0.0, 1.0, 1.0])
Within = st.floats(0.02, 0.98)
Stars = st.tuples(Within, Within, st.floats(0, 2), st.lists(st.floats(0.02, 0.2), min_size=3, max_size=8))
Launches = st.builds(
    Launch, Within, Within, st.floats(-3.2, 3.2), st.floats(0.1, 3.0), st.floats(0, 1.0),
    st.one_of(st.just(0.0), st.floats(-1.1, 1.1), st.floats(-3.0, 3.0)),
)  # fmt: skip
Trials = st.builds(
    Trial, st.lists(Stars, min_size=1, max_size=10), Launches, st.sampled_from([1e-3, 0.01, 0.03]), st.floats(0, 1)
).filter(
    lambda trial: (
        not any(shapely.distance(shape, shapely.Point(trial.launch[:2])) < 2.1 * trial.radius for shape in trial.shapes)
    )
)
"""Deployments from a free base: straight, with a turn as the mapper's, or a sharp one; often with no friction."""


# ---- any deployment ----


@settings(max_examples=60, deadline=None, derandomize=True)
@given(Trials)
def test_shape_lies_on_the_visibility_graph(trial: Trial) -> None:
    """All links are lines of sight between corners, the base, one turn, and the tip."""
    shape = trial.deployed().shape
    graph = visibility_graph(inflate_obstacles(trial.shapes, SQUARE, trial.radius), shape)
    positions = np.array([position for _, position in graph.nodes(data="position")])
    for i in range(len(shape) - 1):
        assert graph.has_edge(i, i + 1) or np.allclose(shape[i], shape[i + 1], atol=1e-9)
    corners = positions[len(shape) :]
    others = [node for node in shape[1:-1] if np.hypot(*(corners - node).T).min(initial=np.inf) > 1e-9]
    turn = trial.launch.turn != 0
    assert len(np.unique(np.round(others, 9), axis=0)) <= turn


@settings(max_examples=100, deadline=None, derandomize=True)
@given(Trials)
def test_nothing_crosses_an_obstacle(trial: Trial) -> None:
    """The final shape never comes nearer to an obstacle than the tube's radius, nor what was swept but for the arcs' chords."""
    deployment = trial.deployed()
    solid = shapely.union_all(inflate_obstacles(trial.shapes, SQUARE, trial.radius))
    assert shapely.LineString(deployment.shape).intersection(solid.buffer(-1e-6)).length < 1e-5
    swept = shapely.make_valid(shapely.polygons(deployment.swept))
    assert shapely.area(shapely.intersection(swept, solid.buffer(-5e-3))).sum() < 1e-6


@settings(max_examples=100, deadline=None, derandomize=True)
@given(Trials)
def test_robot_is_as_long_as_it_has_grown(trial: Trial) -> None:
    """The shape has the length that is reported: never more than was asked, and just that unless it is stuck or out."""
    deployment = trial.deployed()
    assert length_of(deployment) == pytest.approx(deployment.length, abs=1e-7)
    assert deployment.length <= trial.launch.length + 1e-8
    assert deployment.status != Status.UNRESOLVED
    assert (deployment.status == Status.GROWN) == (deployment.length > trial.launch.length - 1e-8)
    inside = shapely.box(*SQUARE).buffer(2e-6).covers(shapely.LineString(deployment.shape))
    assert inside


@settings(max_examples=80, deadline=None, derandomize=True)
@given(Trials)
def test_what_was_touched_is_there(trial: Trial) -> None:
    """Every piece noted as touched lies on an obstacle's outline."""
    outline = shapely.union_all(trial.shapes).boundary.buffer(1e-6)
    for x1, y1, x2, y2 in trial.deployed().contacts:
        assert outline.covers(shapely.LineString([(x1, y1), (x2, y2)]))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(Trials, st.floats(0.1, 0.99))
def test_growth_does_not_jump(trial: Trial, part: float) -> None:
    """A little more length moves the tip a little: nowhere is a shape reached that the one before does not lead to."""
    short = trial.deployed().length * part
    before, after = trial.deployed(short), trial.deployed(short + 1e-6)
    # Where a slide begins, the tip moves faster than it grows by 1 / cos of the contact angle.
    assert np.hypot(*(after.shape[-1] - before.shape[-1])) < 1e-3


@settings(max_examples=60, deadline=None, derandomize=True)
@given(Trials, st.floats(0.05, 1.0))
def test_every_shape_on_the_way_is_swept(trial: Trial, part: float) -> None:
    """The tube at any length lies in the area that it is said to have swept, or in its final shape."""
    deployment = trial.deployed()
    before = trial.deployed(part * deployment.length)
    swept = [*shapely.make_valid(shapely.polygons(deployment.swept)), shapely.LineString(deployment.shape)]
    # Arcs of turns are drawn in steps of six degrees: they bulge by 0.14 % of at most 3 m.
    # Buffered one by one: a union of areas and lines may lose an area that a line crosses.
    assert shapely.LineString(before.shape).difference(shapely.union_all(shapely.buffer(swept, 5e-3))).length < 1e-9


# ---- collisions whose outcome is known ----


def test_slides_along_a_wall_about_its_base() -> None:
    """On one flat wall the tip is where a circle of the grown length about the base meets the wall."""
    walls = among(shapely.box(0.5, -3, 1, 3))
    distance = 0.5 - RADIUS
    for length in (0.6, 0.8, 1.5):
        deployment = deploy(walls, TUBE, Launch(0, 0, 0.6, length))
        np.testing.assert_allclose(deployment.shape, [[0, 0], [distance, np.sqrt(length**2 - distance**2)]], atol=1e-9)
        assert deployment.contact_angle == pytest.approx(np.arcsin(distance / length), abs=1e-9)


@pytest.mark.parametrize("side", [1, -1])
def test_sticks_within_the_critical_angle(side: int) -> None:
    """Nearer to perpendicular than Eq. 3's critical angle the tube is stuck; a little beyond it slides."""
    walls = among(shapely.box(0.5, -3, 1, 3))
    for beyond, status in ((-1e-3, Status.STALLED), (1e-3, Status.GROWN)):
        # Eq. 3 with the length at contact, which depends on the angle: by bisection.
        low, high = 0.0, 1.0
        for _ in range(60):
            aside = (low + high) / 2
            length = (0.5 - RADIUS) / np.cos(aside)
            slides = np.pi / 2 - aside < np.arctan(length / TUBE.reach) - np.arctan(TUBE.friction)
            low, high = (low, aside) if slides else (aside, high)
        deployment = deploy(walls, TUBE, Launch(0, 0, side * (low + beyond), 1.0))
        assert deployment.status == status


def test_skims_off_the_end_of_a_wall() -> None:
    """At a convex corner the tube goes straight on where nothing is in its way, hanging on the corner."""
    deployment = deploy(among(shapely.box(0.5, -3, 1, 0.5)), TUBE, Launch(0, 0, 0.6, 1.2))
    corner = np.array([0.5 - RADIUS, 0.5 + RADIUS])
    np.testing.assert_allclose(deployment.shape[-1], 1.2 * corner / np.hypot(*corner), atol=1e-9)
    assert np.isnan(deployment.contact_angle)


def test_slides_on_around_a_blunt_corner() -> None:
    """At a corner whose next wall is still in its way the tube slides on along that wall, to its end."""
    shape = shapely.Polygon([(0.5, -1), (0.5, 0.3), (0.7, 0.6), (1.5, 0.6), (1.5, -1)])
    walls = among(shape)
    launch = Launch(0, 0, 0.45, 0.0)
    at_corner = deploy(walls, TUBE, launch._replace(length=0.56)).shape[-1]
    beyond = deploy(walls, TUBE, launch._replace(length=0.75)).shape[-1]
    assert at_corner[0] == pytest.approx(0.5 - RADIUS)
    assert shapely.Point(beyond).distance(shape.boundary) == pytest.approx(RADIUS, abs=1e-9)
    assert beyond[0] > 0.5


def test_is_stuck_in_a_corner_between_walls() -> None:
    """Where each of two walls pushes it into the other, the tube stays."""
    shape = shapely.union(shapely.box(0.5, -1, 1, 1), shapely.box(0, 0.3, 1, 1))
    deployment = deploy(among(shape), TUBE, Launch(0, 0, 0.4, 1.0))
    assert deployment.status == Status.STALLED
    np.testing.assert_allclose(deployment.shape, [[0, 0], [0.5 - RADIUS, 0.3 - RADIUS]], atol=1e-9)


def test_wraps_around_a_corner_beside_it() -> None:
    """A body that comes against a corner while its tip slides bends there: its length is that of the way around it."""
    walls = among(shapely.box(0.6, -3, 1, 3), shapely.box(0.2, 0.3, 0.3, 1.9))
    deployment = deploy(walls, TUBE, Launch(0, 0, 0.5, 1.2))
    pivot = np.array([0.3 + RADIUS, 0.3 - RADIUS])
    np.testing.assert_allclose(deployment.shape[1], pivot, atol=1e-9)
    across = 0.6 - RADIUS - pivot[0]
    rise = np.sqrt((1.2 - np.hypot(*pivot)) ** 2 - across**2)
    np.testing.assert_allclose(deployment.shape[2], [0.6 - RADIUS, pivot[1] + rise], atol=1e-9)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(Trials)
def test_mirrored_environments_give_mirrored_deployments(trial: Trial) -> None:
    """A tube that is mirrored about the middle of the square grows mirrored: with equal length and shape."""
    flipped = [(x, 1 - y, -first, spokes[:1] + spokes[:0:-1]) for x, y, first, spokes in trial.stars]
    launch = trial.launch
    mirrored = launch._replace(y=1 - launch.y, heading=-launch.heading, turn=-launch.turn)
    one, other = trial.deployed(), replace(trial, stars=flipped, launch=mirrored).deployed()
    assert other.length == pytest.approx(one.length, abs=1e-6)
    np.testing.assert_allclose(other.shape, one.shape * [1, -1] + [0, 1], atol=1e-6)


# ---- obstacles as polygons ----


@pytest.mark.parametrize("radius", [1e-4, 0.02, 0.3, 3.0])
def test_circles_become_polygons_around_them(radius: float) -> None:
    """A circle's polygon holds all of it, and goes beyond it by the tolerance at most."""
    (polygon,) = to_polygons(Obstacles(circles=np.array([[0.2, 0.1, radius]])))
    rim = np.hypot(*(shapely.get_coordinates(polygon) - [0.2, 0.1]).T)
    assert rim.max() <= radius + POLYGON_TOLERANCE
    assert shapely.Point(0.2, 0.1).distance(polygon.exterior) >= radius - 1e-12


@pytest.mark.parametrize("thickness", [0.0, 0.02, 0.5])
def test_walls_become_polygons_around_them(thickness: float) -> None:
    """A wall's polygon holds all of it, bare ones too, and goes beyond it by the tolerance at most."""
    (polygon,) = to_polygons(Obstacles(walls=[[0, 0, 1, 0.5, thickness]], ends="round"))
    line = shapely.LineString([(0, 0), (1, 0.5)])
    assert polygon.contains(line)
    assert line.distance(polygon.exterior) >= thickness / 2 - 1e-12
    corners = shapely.points(shapely.get_coordinates(polygon))
    assert shapely.distance(line, corners).max() <= thickness / 2 + POLYGON_TOLERANCE


def test_empty_environment_stops_no_tube() -> None:
    """Without obstacles a tube grows straight, but for its turn, and leaves the bounds where it must."""
    walls = among()
    bent = deploy(walls, TUBE, Launch(0, 0, 0.5, 1.0, 0.4, 0.7))
    first = 0.4 * np.array([np.cos(0.5), np.sin(0.5)])
    np.testing.assert_allclose(
        bent.shape, [[0, 0], first, first + 0.6 * np.array([np.cos(1.2), np.sin(1.2)])], atol=1e-12
    )
    out = deploy(walls, TUBE, Launch(0, 0, 0.0, 3.0))
    assert out.status == Status.OUT_OF_BOUNDS
    assert out.length == pytest.approx(2.0)
