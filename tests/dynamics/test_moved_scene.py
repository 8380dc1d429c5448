"""Scenes whose objects stand off, against environments that are built where these objects stand."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest
import shapely
from shapely import affinity

from dynamics.moved_scene import ObjectMotions, _widen, build_moved_scenes, farthest_motion, move_solids
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.scene import CELL_SIZE, Scene, build_scene, scene_reach
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status
from dynamics.world import BuiltWorlds
from environments import Environment, Obstacles
from environments.objects import objects_of
from surrogate.kernels.compiled import Floats

PARAMS = VineParams()
BOUNDS = (0.0, 0.0, 1.6, 1.2)
WORLDS = 3


def still(environment: Environment, worlds: int = 1) -> ObjectMotions:
    """Motions by which nothing moves, to be changed in place."""
    count = int(objects_of(environment).max(initial=-1)) + 1
    rotation, size, share = np.zeros((3, worlds, count))
    return ObjectMotions(np.zeros((worlds, count, 2)), rotation, size, share, np.tile(environment.start, (worlds, 1)))


def random_motions(environment: Environment, rng: np.random.Generator) -> ObjectMotions:
    """Up to some centimetres and some tenths of a radian, larger and smaller."""
    motions = still(environment, WORLDS)
    for part, scale in zip(motions, (0.02, 0.2, 4e-3, 0.05, (0.01, 0.01, 0.1)), strict=True):
        part += np.asarray(scale) * rng.uniform(-1.0, 1.0, part.shape)
    return motions


def separate(rng: np.random.Generator) -> Environment:
    """Convex polygons, discs, walls with round ends and bare lines at any angle, each in a cell of its own; 12 objects."""
    cells = rng.permutation([(x, y) for x in (0.2, 0.6, 1.0, 1.4) for y in (0.2, 0.6, 1.0)])
    polygons, circles, walls = [], [], []
    for k, centre in enumerate(cells):
        angle, length = rng.uniform(0, np.pi), rng.uniform(0.05, 0.1)
        along = length * np.array([np.cos(angle), np.sin(angle)])
        match k % 4:
            case 0:
                turns = np.sort(rng.uniform(0, 2 * np.pi, 7))
                polygons.append(centre + length * np.column_stack([np.cos(turns), np.sin(turns)]))
            case 1:
                circles.append([*centre, length])
            case 2:
                walls.append([*(centre - along), *(centre + along), rng.uniform(0.01, 0.04)])
            case _:
                walls.append([*(centre - along), *(centre + along), 0.0])
    return bare(Obstacles(polygons, circles, walls, ends="round"))


def bare(obstacles: Obstacles, start: Sequence[float] = (0.02, 0.02, 0.8), **standing: Any) -> Environment:
    return Environment("bare", "", BOUNDS, start, (1.5, 1.1, 0.05), obstacles, **standing)


def _placed(centre: Sequence[float], angle: float, shift: Floats, factor: Sequence[float], shape: Any) -> Floats:
    """Points of a shape, scaled along x and y and turned about a centre, and shifted; shape (n, 2)."""
    scaled = affinity.scale(shape, *factor, origin=centre)
    turned = affinity.rotate(scaled, float(angle), origin=centre, use_radians=True)
    return np.asarray(shapely.get_coordinates(affinity.translate(turned, *shift)))


def rebuilt(environment: Environment, motions: ObjectMotions, world: int) -> Environment:
    """An environment with one piece per object where these stand, each moved by shapely."""
    assert objects_of(environment).tolist() == [*range(len(environment.obstacles))]
    polygons, circles, walls = [], [], []
    for k, shape in enumerate(environment.obstacles.shapes()):
        x0, y0, x1, y1 = shape.bounds
        share, size = 1 + motions.share[world, k], motions.size[world, k]
        placed = partial(_placed, ((x0 + x1) / 2, (y0 + y1) / 2), motions.rotation[world, k], motions.shift[world, k])
        circle = k - len(environment.obstacles.polygons)
        wall = circle - len(environment.obstacles.circles)
        if circle < 0:
            out = 1 + 2 * size / (x1 - x0), 1 + 2 * size / (y1 - y0)
            polygons.append(placed(share * np.array(out), shapely.Polygon(environment.obstacles.polygons[k]))[:-1])
        elif wall < 0:
            *middle, radius = environment.obstacles.circles[circle]
            circles.append([*placed([share, share], shapely.Point(middle))[0], share * radius + size])
        else:
            *ends, thickness = environment.obstacles.walls[wall]
            spine = placed([share, share], shapely.LineString(np.reshape(ends, (2, 2))))
            walls.append([*spine.ravel(), share * thickness + 2 * size if thickness else 0.0])
    return bare(Obstacles(polygons, circles, walls, ends="round"), motions.start[world])


def same_rows(one: Floats, other: Floats) -> None:
    """Check that rows are equal in any order, within 1e-12."""
    assert one.shape == other.shape
    away = np.abs(one[:, None] - other[None]).max(axis=2)
    assert away.min(axis=1).max(initial=0.0) < 1e-12
    assert sorted(away.argmin(axis=1)) == [*range(len(one))]


def unlisted(scene: Scene, reach: tuple[float, float]) -> int:
    """Edges and corners that a cell within their reach does not list, by brute force."""
    size, (columns, rows), missing = scene.cell_size, scene.grid_shape, 0
    low = scene.bounds[:2] + size * np.array([(i, j) for i in range(columns) for j in range(rows)])
    cells = shapely.box(low[:, 0], low[:, 1], low[:, 0] + size, low[:, 1] + size)
    lines, points = shapely.linestrings(scene.edges[:, :4].reshape(-1, 2, 2)), shapely.points(scene.corners[:, :2])
    for shapes, radius, within, offsets, items in (
        (lines, scene.edges[:, 4], reach[0], scene.edge_offsets, scene.edge_items),
        (points, scene.corners[:, 2], reach[1], scene.corner_offsets, scene.corner_items),
    ):
        near = shapely.distance(cells[:, None], shapes[None]) <= within + radius
        listed = np.zeros_like(near)
        listed[np.repeat(np.arange(len(cells)), np.diff(offsets)), items] = True
        missing += int((near & ~listed).sum())
    return missing


@pytest.mark.parametrize("seed", range(6))
def test_moved_scenes_are_those_of_moved_environments(seed: int) -> None:
    """Edges and corners of each world are those of an environment that is built there; its cells list all that is near."""
    rng = np.random.default_rng(seed)
    environment = separate(rng)
    motions = random_motions(environment, rng)
    scenes, margin = build_moved_scenes(environment, PARAMS, motions)
    reach = scene_reach(PARAMS)
    assert margin == reach[1]
    assert len(scenes.edges) == len(scenes.corners) == len(scenes.bounds) == WORLDS
    for world in range(WORLDS):
        scene = scenes.of_world(world)
        there = rebuilt(environment, motions, world)
        reference = build_scene(there, reach[0], reach[0] + PARAMS.segment_length, CELL_SIZE, PARAMS.radius)
        same_rows(scene.edges, reference.edges)
        same_rows(scene.corners, reference.corners)
        np.testing.assert_allclose(scene.bounds, reference.bounds, atol=1e-15)
        assert numba.typeof(scene) == numba.typeof(reference)  # or the kernels would be compiled for each
        assert unlisted(scene, (reach[0], reach[0] + PARAMS.segment_length)) == 0
        for one, other in zip(move_solids(environment, motions, world), there.solids.shapes(), strict=True):
            assert shapely.hausdorff_distance(one, other) < 1e-12


@pytest.mark.parametrize("length", [0.05, 0.6, 3.0])
def test_scenes_of_a_short_tube_have_what_it_can_touch(length: float) -> None:
    """They are those of all obstacles, in their order, without some that are farther from the base than it grows, in every world."""
    rng = np.random.default_rng(4)
    environment = separate(rng)
    motions = random_motions(environment, rng)
    near, every = (build_moved_scenes(environment, PARAMS, motions, one)[0] for one in (length, np.inf))
    for some, full, columns in ((near.edges, every.edges, (0, 2)), (near.corners, every.corners, (0,))):
        kept = [np.flatnonzero((row == full[0]).all(axis=1))[0] for row in some[0]]
        assert (np.diff(kept) > 0).all()
        assert np.array_equal(some, full[:, kept])
        left = np.delete(full, kept, axis=1)
        lines = shapely.linestrings(np.stack([left[..., k : k + 2] for k in (columns[0], columns[-1])], axis=2))
        base = shapely.points(motions.start[:, None, :2])
        assert (shapely.distance(lines, base) - left[..., 4 if len(columns) > 1 else 2] > length + PARAMS.radius).all()
    assert (len(near.edges[0]) < len(every.edges[0])) == (length < 1.0)


def test_kernels_get_one_type_for_any_number_of_worlds() -> None:
    """Also where NumPy orders the numbers of several worlds otherwise than those of one; else each would be compiled twice."""
    environment, types = separate(np.random.default_rng(3)), set()
    radius, item = np.array([0.1, 0.0, 0.2]), np.array([2, 0, 1])
    for worlds in (1, 4):
        motions = still(environment, worlds)
        wide, scenes = _widen(radius, item, motions), build_moved_scenes(environment, PARAMS, motions)[0]
        types.add((numba.typeof(wide), *map(numba.typeof, scenes)))
    assert len(types) == 1


def test_nothing_moves_without_motions() -> None:
    """The scene is that of the environment, within the rounding of its centres."""
    environment = separate(np.random.default_rng(8))
    scenes, _ = build_moved_scenes(environment, PARAMS, still(environment))
    reach = scene_reach(PARAMS)[0]
    reference = build_scene(environment, reach, reach + PARAMS.segment_length, CELL_SIZE, PARAMS.radius)
    same_rows(scenes.edges[0], reference.edges)
    same_rows(scenes.corners[0], reference.corners)


def actuation(worlds: int, pressure: float) -> Actuation:
    return Actuation(np.full((worlds, 32), pressure), np.full((worlds, 32), 0.05))


def grown(model: QuasiStatic, pressure: float) -> Rollout:
    return model.grow(model.start(1, 32), actuation(1, pressure), 0.8, PARAMS.segment_length)


def grown_in_all(environment: Environment, motions: ObjectMotions, pressure: float) -> Rollout:
    """One vine in each world, where only the obstacles and the base are not as planned."""
    model, start = QuasiStatic(environment, PARAMS), motions.start
    scenes, _ = build_moved_scenes(environment, PARAMS, motions)
    models = model.in_worlds(BuiltWorlds.starting(model.scene, start)._replace(scenes=scenes))
    every = np.arange(WORLDS)
    return model.grow_in(
        models, every, model.start(WORLDS, 32), actuation(WORLDS, pressure), 0.8, PARAMS.segment_length
    )


@pytest.mark.parametrize(("seed", "pressure", "heading"), [(0, 0.0, 0.25), (1, 12e3, 0.5), (2, -12e3, 0.5)])
def test_vines_grow_there_as_in_moved_environments(seed: int, pressure: float, heading: float) -> None:
    """Along walls and past corners, to the same tips within a nanometre; in other worlds to others."""
    rng = np.random.default_rng(seed)
    blocks = [(0.45, 0.0, 0.6, 0.28), (0.1, 0.5, 0.4, 0.7)]
    obstacles = Obstacles(boxes=blocks, circles=[(0.85, 0.62, 0.1)], walls=[(0.9, 0.1, 1.3, 0.15, 0.02)], ends="round")
    environment = bare(obstacles, (0.1, 0.2, heading))
    motions = random_motions(environment, rng)
    moved = grown_in_all(environment, motions, pressure)
    tips, forces = [], []
    for world in range(WORLDS):
        there = grown(QuasiStatic(rebuilt(environment, motions, world), PARAMS), pressure)
        assert moved.status[world] == there.status[0]
        assert moved.records[world] == there.records[0]
        count = int(moved.records[world])
        assert count > 10
        np.testing.assert_allclose(moved.tips[world, :count], there.tips[0, :count], atol=1e-9)
        forces.append(np.max(moved.contact_force[world, :count]))
        tips.append(moved.tips[world, count - 1, :2])
    assert min(forces) > 0, "one touches nothing"
    assert max(forces) > 1
    assert np.ptp(tips, axis=0).max() > 1e-3


BOX = (0.9, 0.45, 1.1, 0.55)


def corners_of(scene: Scene) -> list[list[float]]:
    return sorted((scene.corners[:, :2].round(12) + 0.0).tolist())


def test_rotation_is_anticlockwise_about_the_centre() -> None:
    """The whole object turns: a lying L of two boxes, turned by a quarter, stands where it should."""
    environment = bare(Obstacles(boxes=[BOX, (0.9, 0.55, 0.95, 0.65)]))
    motions = still(environment)
    motions.rotation[:] = np.pi / 2
    # The centre of the object is (1, 0.55), and (1 + dx, 0.55 + dy) turns to (1 - dy, 0.55 + dx).
    expected = [[1.1, 0.45], [1.1, 0.65], [1.0, 0.65], [0.9, 0.45], [0.9, 0.5]]
    scene = build_moved_scenes(environment, PARAMS, motions)[0].of_world(0)
    assert corners_of(scene) == pytest.approx(np.array(sorted(expected)), abs=1e-12)
    whole = shapely.union_all(move_solids(environment, motions, 0))
    truth = shapely.union(shapely.box(1.0, 0.45, 1.1, 0.65), shapely.box(0.9, 0.45, 1.0, 0.5))
    assert whole.symmetric_difference(truth).area < 1e-12


@pytest.mark.parametrize("size", [7e-3, -4e-3])
def test_size_moves_the_outer_faces(size: float) -> None:
    """Every outer face of a box, and of an object of two boxes, by exactly that length; discs and thick walls too."""
    boxes = [BOX, (0.2, 0.2, 0.3, 0.3), (0.3, 0.2, 0.5, 0.4)]
    obstacles = Obstacles(boxes=boxes, circles=[(1.3, 0.9, 0.1)], walls=[(0.3, 0.9, 0.6, 0.9, 0.03)], ends="round")
    environment = bare(obstacles)
    motions = still(environment)
    motions.size[:] = size
    shapes = move_solids(environment, motions, 0)
    out = size * np.array([-1, -1, 1, 1])
    np.testing.assert_allclose(shapes[0].bounds, BOX + out, atol=1e-12)
    np.testing.assert_allclose(shapely.union(*shapes[1:3]).bounds, np.array([0.2, 0.2, 0.5, 0.4]) + out, atol=1e-12)
    scene = build_moved_scenes(environment, PARAMS, motions)[0].of_world(0)
    assert scene.edges[:, :4].reshape(-1, 2).min(axis=0) == pytest.approx(np.array([0.2, 0.2]) - size, abs=1e-12)
    assert sorted(scene.corners[-3:, 2]) == pytest.approx([0.015 + size, 0.015 + size, 0.1 + size], abs=1e-12)


def test_share_scales_about_the_centre() -> None:
    """A box that is 10 % larger has its centre where it was, also where it moves besides."""
    environment = bare(Obstacles(boxes=[BOX]))
    motions = still(environment)
    motions.share[:], motions.shift[:] = 0.1, [[[0.02, -0.03]]]
    moved = move_solids(environment, motions, 0)[0]
    np.testing.assert_allclose(moved.bounds, (0.91, 0.415, 1.13, 0.525), atol=1e-12)


def test_bare_lines_and_tiny_objects_stay_what_they_are() -> None:
    """A line has no thickness, and nothing shrinks below a tenth."""
    environment = bare(
        Obstacles(boxes=[BOX], circles=[(0.3, 0.3, 2e-3)], walls=[(0.5, 0.9, 0.7, 0.9, 0.0)], ends="round")
    )
    motions = still(environment)
    motions.size[:], motions.share[:] = -0.09, -0.9
    scene = build_moved_scenes(environment, PARAMS, motions)[0].of_world(0)
    assert sorted(scene.corners[-3:, 2]) == pytest.approx([0.0, 0.0, 2e-4])
    box, disc, line = move_solids(environment, motions, 0)
    assert box.is_valid
    assert (box.area > 0, disc.area > 0, line.length > 0) == (True, True, True)


def test_the_bound_of_motions_holds() -> None:
    """No point of any shape is farther from where it was than `farthest_motion` says."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        environment = separate(rng)
        motions = random_motions(environment, rng)
        bound = farthest_motion(environment, motions)
        for world in range(WORLDS):
            moved = move_solids(environment, motions, world)
            pairs = zip(moved, environment.solids.shapes(), strict=True)
            assert max(shapely.hausdorff_distance(one, other) for one, other in pairs) <= bound[world]


@pytest.fixture(scope="module")
def mounted() -> Environment:
    """A base in the face of a wall that has a block ahead of it, and another box."""
    boxes = [(0.0, 0.2, 0.2, 1.0), (0.9, 0.4, 1.1, 0.8)]
    return bare(Obstacles(boxes=boxes), (0.2, 0.6, 0.0), mount="wall")


def test_a_mount_stays_spared(mounted: Environment) -> None:
    """Wherever it stands, the wall of the base does not touch the first diameter, and the other box does."""
    rng = np.random.default_rng(5)
    motions = random_motions(mounted, rng)
    assert mounted.mounted.tolist() == [True, False]
    scenes, rollout = build_moved_scenes(mounted, PARAMS, motions)[0], grown_in_all(mounted, motions, 0.0)
    for world in range(WORLDS):
        scene = scenes.of_world(world)
        left = scene.edges[:, [0, 2]].max(axis=1) < 0.5
        assert left.sum() == 4
        np.testing.assert_array_equal(scene.edges[:, 8], np.where(left, 2 * PARAMS.radius, 0.0))
        np.testing.assert_array_equal(scene.corners[:, 3], np.where(scene.corners[:, 0] < 0.5, 2 * PARAMS.radius, 0.0))
        count = int(rollout.records[world])
        assert count > 10
        free = rollout.tips[world, :count, 0] < 0.8
        assert np.max(rollout.contact_force[world, :count][free]) < 1e-6, "the mount holds it"
        assert rollout.status[world] == Status.STALLED or np.max(rollout.contact_force[world, :count]) > 0.1


def test_a_wall_around_the_bounds_moves_too() -> None:
    """Each of the four by itself; the grid remains that of the frame as planned."""
    environment = bare(Obstacles(), edge="wall")
    motions = still(environment)
    motions.shift[0, 3] = [5e-3, 0.0]
    scene = build_moved_scenes(environment, PARAMS, motions)[0].of_world(0)
    x = np.unique(scene.edges[:, [0, 2]].round(12))
    assert 1.605 in x
    assert 1.7 in x  # the corners of the others remain
    assert scene.grid_shape == build_scene(environment, 0.1, 0.1).grid_shape


def test_no_obstacles() -> None:
    """There is nothing to move but the base."""
    environment = bare(Obstacles())
    motions = still(environment, 2)
    motions.start[1] += [0.1, 0.2, 0.3]
    scenes, _ = build_moved_scenes(environment, PARAMS, motions)
    assert scenes.edges.shape == (2, 0, 10)
    assert scenes.corners.shape == (2, 0, 4)
    np.testing.assert_allclose(scenes.bounds[1, 6:], [0.12, 0.22, np.cos(1.1), np.sin(1.1)])
    assert farthest_motion(environment, motions).tolist() == [0.0, 0.0]
    assert move_solids(environment, motions, 0) == []
