"""The scene that kernels query, and the contacts they find in it; shapely is the reference."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import shapely

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts, new_contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import rigid_section
from dynamics.propagator import CannotRun
from dynamics.scene import Scene, build_scene
from environments import Environment, Obstacles, known_environments
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]

RADIUS, MARGIN, SEGMENT = 33.35e-3, 12e-3, 25e-3


class Pose(NamedTuple):
    """A chain as its base, the bend at each joint and its segments' lengths."""

    base: Floats
    """x, y [m] and heading [rad]."""
    bends: Floats
    lengths: Floats

    def points(self) -> Floats:
        heading = self.base[2] + np.cumsum(self.bends)
        moves = self.lengths[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
        return np.vstack([self.base[:2], self.base[:2] + np.cumsum(moves, axis=0)])

    def chain(self) -> Chain:
        heading, points = self.base[2] + np.cumsum(self.bends), self.points()
        return Chain(
            points[:, 0].copy(),
            points[:, 1].copy(),
            np.cos(heading),
            np.sin(heading),
            *[self.lengths] * 2,
            *points[:-1].T.copy(),
            np.zeros(len(self.lengths)),
            np.ones(len(self.lengths)),
        )


def scene_of(environment: Environment, radius: float = RADIUS) -> Scene:
    return build_scene(environment, radius + MARGIN, radius + MARGIN + SEGMENT)


def random_pose(rng: np.random.Generator, bounds: Floats) -> Pose:
    """A bent chain with a shorter last segment, its base within the bounds."""
    count = rng.integers(1, 14)
    lengths = np.full(count, SEGMENT)
    lengths[-1] *= rng.uniform(0.05, 1.0)
    base = [*rng.uniform(bounds[:2], bounds[2:]), rng.uniform(-np.pi, np.pi)]
    return Pose(np.array(base), rng.normal(0.0, rng.choice([0.02, 0.2, 0.5]), count), lengths)


def exact_distance(obstacles: Obstacles, shape: shapely.Geometry) -> float:
    """Distance of a point or line to the nearest obstacle [m], with true circles and round wall ends."""
    distances = [np.inf]
    distances += [shapely.Polygon(points).distance(shape) for points in obstacles.polygons]
    distances += [shapely.Point(x, y).distance(shape) - radius for x, y, radius in obstacles.circles]
    distances += [shapely.LineString(wall[:4].reshape(2, 2)).distance(shape) - wall[4] / 2 for wall in obstacles.walls]
    return float(min(distances))


def contacts_of(scene: Scene, pose: Pose, radius: float = RADIUS) -> tuple[Contacts, int]:
    contacts = new_contacts(500)
    return contacts, find_contacts(scene, rigid_section(radius, 0.0), MARGIN, pose.chain(), len(pose.bends), contacts)


def check_against_shapely(environment: Environment, seed: int, wanted: int) -> int:
    """For random chains the smallest gap is shapely's distance less the radius whenever that is below the margin.

    Returns how many chains lay farther off and had no contact, besides the `wanted` ones that had.
    """
    rng = np.random.default_rng(seed)
    scene = scene_of(environment)
    near = far = 0
    while near < wanted:
        pose = random_pose(rng, environment.bounds)
        points = pose.points()
        if (points < environment.bounds[:2]).any() or (points > environment.bounds[2:]).any():
            continue
        distance = exact_distance(environment.obstacles, shapely.LineString(points))
        base = exact_distance(environment.obstacles, shapely.Point(points[0]))
        # A centreline in an obstacle has no distance. And the base cannot move: its own contacts are not considered.
        if distance <= 1e-9 or (base < distance + 1e-9 and base < RADIUS + MARGIN):
            continue
        contacts, count = contacts_of(scene, pose)
        if distance < RADIUS + MARGIN - 1e-9:
            assert count > 0
            assert contacts.gap[:count].min() == pytest.approx(distance - RADIUS, abs=1e-9)
            near += 1
        elif distance > RADIUS + MARGIN + 1e-9:
            assert count == 0
            far += 1
    return far


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one == "plus" else pytest.mark.slow) for one in known_environments()]
)
def test_grid_finds_what_shapely_finds_in_shipped_environments(shipped: dict[str, Environment], name: str) -> None:
    """The grid loses no contact: the smallest gap equals shapely's distance less the radius to 1e-9."""
    assert check_against_shapely(shipped[name], seed=known_environments().index(name), wanted=150) > 0


def test_grid_finds_what_shapely_finds_among_all_kinds_of_obstacles(environment: MakeEnvironment) -> None:
    """Circles, thick and bare walls, and concave polygons agree too, in an environment of their own."""
    comb = [[0.2, 0.1], [0.9, 0.1], [0.9, 0.5], [0.75, 0.5], [0.75, 0.25], [0.55, 0.3], [0.35, 0.25], [0.3, 0.6]]
    workspace = environment(
        polygons=[comb, [[1.5, 0.2], [1.2, 0.9], [1.55, 0.6], [1.9, 1.0]]],
        circles=[[0.4, 0.9, 0.11], [1.0, 0.7, 0.004], [1.75, 0.35, 0.08]],
        walls=[[0.7, 0.85, 1.1, 1.05, 0.06], [1.1, 0.2, 1.2, 0.5, 0.0], [0.05, 0.8, 0.2, 0.6, 0.012]],
        bounds=(0.0, 0.0, 2.0, 1.15),
    )
    assert check_against_shapely(workspace, seed=20, wanted=600) > 50


def test_smallest_gap_is_negative_when_too_deep(environment: MakeEnvironment) -> None:
    """A centreline 20 mm from a face, a circle or a wall of 30 mm has a gap of 20 mm less the radius."""
    for obstacle in (
        {"boxes": [[0, 0.05, 1, 1]]},
        {"circles": [[0.2, 0.15, 0.1]]},
        {"walls": [[0, 0.065, 1, 0.065, 0.03]]},
    ):
        scene = scene_of(environment(**obstacle))
        pose = Pose(np.array([0.01, 0.03, 0.0]), np.zeros(16), np.full(16, SEGMENT))
        contacts, count = contacts_of(scene, pose)
        assert contacts.gap[:count].min() == pytest.approx(0.02 - RADIUS, abs=1e-12)


def test_overlapping_boxes_are_merged(environment: MakeEnvironment) -> None:
    """Two boxes that overlap are one outline: as many edges and corners as their union, no face inside it."""
    scene = scene_of(environment(boxes=[[0, 0, 0.3, 0.1], [0.2, 0, 0.5, 0.1], [0.1, 0.05, 0.2, 0.4]]))
    edges = shapely.linestrings(scene.edges[:, :4].reshape(-1, 2, 2))
    union = shapely.union_all([shapely.box(0, 0, 0.5, 0.1), shapely.box(0.1, 0.05, 0.2, 0.4)])
    assert shapely.union_all(edges).length == pytest.approx(union.boundary.length, abs=1e-12)
    assert sum(edge.length for edge in edges) == pytest.approx(union.boundary.length, abs=1e-12)
    assert max(edge.hausdorff_distance(edge.intersection(union.boundary)) for edge in edges) < 1e-12
    # An upside-down T: six corners stick out, two lie in the crook.
    convex = {(0.0, 0.0), (0.5, 0.0), (0.5, 0.1), (0.2, 0.4), (0.1, 0.4), (0.0, 0.1)}
    assert {tuple(np.round(corner[:2], 9)) for corner in scene.corners} == convex


@pytest.mark.parametrize("clockwise", [False, True])
def test_only_convex_corners_are_kept(environment: MakeEnvironment, clockwise: bool) -> None:
    """A reflex corner can never be the nearest point, whichever way its polygon is given."""
    arrow = [[0, 0], [1, -1], [0.4, 0], [1, 1]]
    scene = scene_of(environment(polygons=[arrow[::-1] if clockwise else arrow]))
    assert {tuple(corner[:2]) for corner in scene.corners} == {(0.0, 0.0), (1.0, -1.0), (1.0, 1.0)}
    assert len(scene.edges) == 4


def test_room_between_boxes_has_faces_but_no_corners(environment: MakeEnvironment) -> None:
    """Boxes that enclose a room keep the room's faces, but its corners are reflex: only the outer four are left."""
    scene = scene_of(environment(boxes=[[0, 0, 1, 0.1], [0, 0.9, 1, 1], [0, 0, 0.1, 1], [0.9, 0, 1, 1]]))
    lengths = np.hypot(*(scene.edges[:, 2:4] - scene.edges[:, :2]).T)
    assert lengths.sum() == pytest.approx(4 * 1.0 + 4 * 0.8)
    assert {tuple(corner[:2]) for corner in scene.corners} == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}


def test_empty_environment_has_no_contacts(environment: MakeEnvironment) -> None:
    """Without obstacles every query is empty."""
    contacts, count = contacts_of(scene_of(environment()), Pose(np.zeros(3), np.zeros(8), np.full(8, SEGMENT)))
    assert count == 0
    assert len(contacts.gap) == 500


@pytest.mark.parametrize(
    "obstacle",
    [
        {"boxes": [[0.1, 0.05, 0.6, 0.5]]},
        {"polygons": [[[0.2, 0.05], [0.4, 0.3], [0.1, 0.4]]]},
        {"circles": [[0.2, 0.2, 0.1]]},
        {"walls": [[0.3, 0.1, 0.05, 0.3, 0.03]]},
        {"walls": [[0.05, -0.1, 0.3, 0.2, 0.0]]},
    ],
    ids=["box", "triangle", "circle", "thick wall", "bare wall"],
)
def test_rows_are_the_derivatives_of_the_distance(
    environment: MakeEnvironment, obstacle: dict[str, list[list[float]]]
) -> None:
    """J over joint j, alpha + beta x_j + gamma y_j, and J over growth are shapely's distance differentiated."""
    workspace = environment(**obstacle)
    scene, rng, h, checked = scene_of(workspace), np.random.default_rng(5), 1e-6, 0
    slopes: list[float] = []

    def distance(pose: Pose) -> float:
        return exact_distance(workspace.obstacles, shapely.LineString(pose.points()))

    while checked < 60:
        pose = random_pose(rng, np.array([-0.2, -0.3, 0.6, 0.6]))
        points = pose.points()
        near = distance(pose)
        if (
            not 1e-3 < near < RADIUS + MARGIN
            or exact_distance(workspace.obstacles, shapely.Point(points[0])) < near + 1e-4
        ):
            continue
        contacts, count = contacts_of(scene, pose)
        order = np.argsort(contacts.gap[:count])
        if count > 1 and contacts.gap[order[1]] - contacts.gap[order[0]] < 1e-5:
            continue  # two contacts equally near: the distance has a kink
        k = order[0]
        segments = len(pose.bends)
        expected = np.zeros(segments + 1)
        for j in range(segments + 1):
            ends = []
            for shift in (h, -h):
                bends, lengths = pose.bends.copy(), pose.lengths.copy()
                (bends if j < segments else lengths)[min(j, segments - 1)] += shift
                ends.append(distance(Pose(pose.base, bends, lengths)))
            expected[j] = (ends[0] - ends[1]) / (2 * h)
        row = np.zeros(segments + 1)
        moved = np.arange(segments) <= contacts.segment[k]
        row[:-1][moved] = (contacts.alpha[k] + contacts.beta[k] * points[:-1, 0] + contacts.gamma[k] * points[:-1, 1])[
            moved
        ]
        row[-1] = contacts.growth[k]
        np.testing.assert_allclose(row, expected, atol=3e-5)
        slopes.append(float(np.abs(expected).max()))
        checked += 1
    assert np.median(slopes) > 0.02


@pytest.mark.slow
def test_large_obstacles_over_one_another_are_refused(environment: MakeEnvironment) -> None:
    """Cells that would list more than there is memory for are refused; a tenth of the obstacles is not."""
    bounds, centres = (0.0, 0.0, 7.0, 7.0), np.random.default_rng(0).uniform(0, 7, (400, 2))
    every = [[x, y, 10.0] for x, y in centres]
    scene_of(environment(circles=every[:40], bounds=bounds))
    with pytest.raises(CannotRun, match="too many large overlapping obstacles"):
        scene_of(environment(circles=every, bounds=bounds))
