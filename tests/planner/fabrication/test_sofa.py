"""The scene for SOFA: what its file builds, with a recorder in the place of SOFA's nodes, which cannot be installed here."""

import runpy
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
import trimesh

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.fabrication.sofa import OBSTACLES, SCENE, SofaBeam, free_shape, node_poses, obstacle_mesh, write_scene

DOCUMENTED = {
    "RequiredPlugin": ("", {"pluginName"}),
    "DefaultAnimationLoop": ("", set()),
    "VisualStyle": ("Visual", {"displayFlags"}),
    "CollisionPipeline": ("Collision.Detection.Algorithm", {"depth", "verbose", "draw"}),
    "BruteForceBroadPhase": ("Collision.Detection.Algorithm", set()),
    "BVHNarrowPhase": ("Collision.Detection.Algorithm", set()),
    "MinProximityIntersection": ("Collision.Detection.Intersection", {"alarmDistance", "contactDistance"}),
    "CollisionResponse": ("Collision.Response.Contact", {"response", "responseParams"}),
    "EulerImplicitSolver": ("ODESolver.Backward", {"rayleighStiffness", "rayleighMass"}),
    "BTDLinearSolver": ("LinearSolver.Direct", {"template"}),
    "EdgeSetTopologyContainer": ("Topology.Container.Dynamic", {"position", "edges"}),
    "MechanicalObject": ("StateContainer", {"template", "src", "position", "rest_position"}),
    "UniformMass": ("Mass", {"vertexMass", "totalMass"}),
    "BeamFEMForceField": (
        "SolidMechanics.FEM.Elastic",
        {"radius", "radiusInner", "youngModulus", "poissonRatio"},
    ),
    "FixedProjectiveConstraint": ("Constraint.Projective", {"indices"}),
    "PartialFixedProjectiveConstraint": ("Constraint.Projective", {"indices", "fixedDirections"}),
    "RigidMapping": ("Mapping.NonLinear", {"rigidIndexPerPoint", "globalToLocalCoords"}),
    "SphereCollisionModel": ("Collision.Geometry", {"radius", "contactStiffness"}),
    "MeshOBJLoader": ("IO.Mesh", {"name", "filename"}),
    "MeshTopology": ("Topology.Container.Constant", {"src"}),
    "TriangleCollisionModel": ("Collision.Geometry", {"moving", "simulated", "contactStiffness"}),
}
"""Plugin, after `Sofa.Component.`, and data of components, from the pages and examples of SOFA's documentation."""


@dataclass
class Recorder:
    """Records what a scene does with a node of SOFA; refuses what SOFA's documentation does not know."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    children: dict[str, "Recorder"] = field(default_factory=dict)
    plugins: list[str] = field(default_factory=list)
    dt: float = 0.0
    gravity: Any = None

    def addObject(self, kind: str, **data: Any) -> None:
        assert data.keys() <= DOCUMENTED[kind][1], kind
        if kind == "RequiredPlugin":
            self.plugins.append(data["pluginName"])
        else:
            assert kind not in self.objects
            self.objects[kind] = data

    def addChild(self, name: str) -> "Recorder":
        return self.children.setdefault(name, Recorder())

    @property
    def kinds(self) -> set[str]:
        return self.objects.keys() | {kind for child in self.children.values() for kind in child.kinds}


def scene_of(folder: Path) -> Recorder:
    """Build the scene in a folder."""
    root = Recorder()
    assert runpy.run_path(str(folder / SCENE))["createScene"](root) is root
    return root


@pytest.fixture(scope="module")
def grown(design: Design, room: Environment) -> Design:
    """A tube that leans on the disc of the room, with the shape that it has there."""
    return grow_designs([design], room, QuasiStatic(room, design.params))[0].design


@pytest.fixture(scope="module")
def folder(grown: Design, room: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scene")
    assert write_scene(out, grown, room) == [SCENE, OBSTACLES]
    assert {entry.name for entry in out.iterdir()} == {SCENE, OBSTACLES}
    return out


@pytest.fixture(scope="module")
def root(folder: Path) -> Recorder:
    return scene_of(folder)


def test_everything_that_is_used_is_documented_and_loaded(root: Recorder) -> None:
    """The recorder refuses unknown types and data; the plugins are those of the types, each once, and no other."""
    wanted = {f"Sofa.Component.{DOCUMENTED[kind][0]}" for kind in root.kinds if DOCUMENTED[kind][0]}
    assert sorted(root.plugins) == sorted(wanted)
    assert root.gravity == [0.0, 0.0, 0.0]
    assert 0 < root.dt <= 0.02
    assert root.children["tube"].objects["FixedProjectiveConstraint"] == {"indices": [0]}


def test_the_tube_is_where_it_is(root: Recorder, grown: Design, room: Environment) -> None:
    """Its nodes are the joints, a radius above the table; their x axis is the tangent; the beams join them in order."""
    objects = root.children["tube"].objects
    frames = np.array(objects["MechanicalObject"]["position"])
    count, radius = len(grown.centerline), grown.params.radius
    assert np.abs(frames[:, :2] - grown.centerline).max() < 1e-6
    assert frames[:, 2] == pytest.approx(radius)
    assert np.hypot(*frames[:, 5:].T) == pytest.approx(1.0)
    assert not frames[:, 3:5].any()
    z, w = frames[:, 5:].T
    axis = np.column_stack([1 - 2 * z**2, 2 * z * w])  # of the x axis, turned by the quaternion
    links = np.diff(grown.centerline, axis=0)
    links /= np.hypot(*links.T)[:, None]
    chords = links[1:] + links[:-1]
    chords /= np.hypot(*chords.T)[:, None]
    assert np.abs(axis[1:-1] - chords).max() < 1e-5
    assert axis[0] == pytest.approx([np.cos(room.start[2]), np.sin(room.start[2])], abs=1e-6)
    assert objects["EdgeSetTopologyContainer"]["edges"] == [[k, k + 1] for k in range(count - 1)]
    assert np.array(objects["EdgeSetTopologyContainer"]["position"]).shape == (count, 3)
    held = objects["PartialFixedProjectiveConstraint"]
    assert (held["indices"], held["fixedDirections"]) == (list(range(1, count)), [0, 0, 1, 1, 1, 0])


def test_the_rest_shape_is_that_of_free_space(root: Recorder, design: Design, grown: Design, room: Environment) -> None:
    """It ends where `quasistatic` grows the tube without obstacles, which differs from where it is."""
    empty = replace(room, obstacles=Obstacles())
    free = grow_designs([design], empty, QuasiStatic(empty, design.params))[0].design.centerline
    rest = np.array(root.children["tube"].objects["MechanicalObject"]["rest_position"])[:, :2]
    assert np.abs(rest - free).max() < 1e-4
    assert np.hypot(*(grown.centerline[-1] - free[-1])) > 5e-3
    shorter = replace(grown, centerline=grown.centerline[:21])
    assert free_shape(shorter, room.start) == pytest.approx(free[:21], abs=1e-4)


def test_the_beam_is_as_stiff_as_the_tube() -> None:
    """E I is the measured EI of a tube, and with the film known that of a thin-walled tube, whose modulus is the film's."""
    measured = SofaBeam.of(VineParams(bending_stiffness=3.0))
    assert measured.modulus * np.pi / 4 * (measured.outer**4 - measured.inner**4) == pytest.approx(3.0)
    film = SofaBeam.of(VineParams(film_thickness=100e-6, film_modulus=300e6))
    assert film.outer - film.inner == pytest.approx(100e-6)
    assert film.modulus == pytest.approx(300e6, rel=0.01)


def test_an_arc_has_the_moment_of_its_curvature() -> None:
    """With the stiffness of a Bernoulli beam as SOFA takes it, from the frame of the first node: M = EI kappa at both ends."""
    params, kappa, step = VineParams(bending_stiffness=2.0), 1.5, 25e-3
    turn = kappa * step * (np.arange(8) + 0.5)
    joints = np.concatenate([np.zeros((1, 2)), np.cumsum(step * np.column_stack([np.cos(turn), np.sin(turn)]), axis=0)])
    poses = node_poses(joints, 0.0)
    for (x0, y0, before), (x1, y1, after) in pairwise(poses[1:]):
        up = -np.sin(before) * (x1 - x0) + np.cos(before) * (y1 - y0)
        moment = 2.0 / step * (4 * (after - before) - 6 * up / step)
        assert moment == pytest.approx(2.0 * kappa, rel=2e-3)
    assert params.elastic_stiffness == 2.0


def test_contacts_are_those_of_the_tube(root: Recorder, grown: Design, room: Environment) -> None:
    """Spheres of the tube's radius on every node; two sides give the stiffness of a contact; none is deep in an obstacle."""
    spheres, params = root.children["tube"].children["spheres"], grown.params
    touching = spheres.objects["RigidMapping"]["rigidIndexPerPoint"]
    assert touching == list(range(len(grown.centerline)))
    assert np.array(spheres.objects["MechanicalObject"]["position"]).shape == (len(touching), 3)
    assert spheres.objects["SphereCollisionModel"]["radius"] == params.radius
    near = root.objects["MinProximityIntersection"]["contactDistance"]
    sides = [
        spheres.objects["SphereCollisionModel"]["contactStiffness"],
        root.children["obstacles"].objects["TriangleCollisionModel"]["contactStiffness"],
    ]
    assert sides[0] * sides[1] / (near + params.radius) == pytest.approx(params.contact_stiffness)
    gaps = room.obstacles.clearance(grown.centerline) - params.radius
    assert -params.penetration_tolerance - 1e-6 < gaps.min() < near
    mass = root.children["tube"].objects["UniformMass"]["vertexMass"].split()
    assert len(mass) == 11
    assert float(mass[0]) * len(touching) == pytest.approx(params.inertia.mass_per_length * 1.0)


def test_the_obstacles_are_closed_solids(folder: Path, root: Recorder, room: Environment, params: VineParams) -> None:
    """The mesh in the file: watertight, outwards, from the table to two diameters, over the obstacles and nothing else; in metres."""
    loader = root.children["obstacles"].objects["MeshOBJLoader"]
    assert loader["filename"] == str(folder / OBSTACLES)
    mesh = trimesh.load_mesh(loader["filename"], process=False)
    union, height = shapely.union_all(room.obstacles.shapes()), 4 * params.radius
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume == pytest.approx(union.area * height, rel=1e-5)
    assert mesh.bounds[:, 2] == pytest.approx([0.0, height], abs=1e-6)
    assert shapely.distance(union.boundary, shapely.points(mesh.vertices[:, :2])).max() < 1e-6
    assert mesh.bounds[:, :2].ravel() == pytest.approx(union.bounds, abs=1e-6)
    assert mesh.body_count == 3


def test_walls_frames_and_overlaps_are_solid(environment: Any) -> None:
    """A bare wall gets a millimetre, bounds that are walls their frame; what overlaps or has a hole is one closed surface."""
    overlapping = environment(boxes=[(0, 0, 1, 0.2), (0.8, 0, 1, 1), (0, 0.8, 1, 1), (0, 0, 0.2, 1)])
    mesh = obstacle_mesh(overlapping, 0.05)
    assert mesh is not None
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx((1 - 0.6**2) * 0.2, rel=1e-5)
    wall = obstacle_mesh(environment(walls=[(0, 0, 1, 0, 0)]), 0.05)
    assert wall is not None
    assert wall.is_watertight
    assert np.ptp(wall.bounds[:, 1]) == pytest.approx(1e-3, abs=1e-6)
    framed = obstacle_mesh(replace(environment(bounds=(0, 0, 2, 1)), edge="wall"), 0.05)
    assert framed is not None
    assert framed.volume == pytest.approx((2.2 * 1.2 - 2.0) * 0.2, rel=1e-5)


def test_a_mount_does_not_touch_the_tube_that_comes_out_of_it(grown: Design, room: Environment, tmp_path: Path) -> None:
    """The spheres begin a diameter from the base."""
    wall = Obstacles((box_corners(-0.2, -1.0, 0.0, 1.0),))
    assert write_scene(tmp_path, grown, replace(room, obstacles=wall, mount="wall")) == [SCENE, OBSTACLES]
    spheres = scene_of(tmp_path).children["tube"].children["spheres"]
    first = spheres.objects["RigidMapping"]["rigidIndexPerPoint"][0]
    assert (first - 1) * 25e-3 < 2 * grown.params.radius <= first * 25e-3


def test_without_obstacles_there_is_no_mesh(grown: Design, room: Environment, tmp_path: Path) -> None:
    """The scene has the tube alone; a tube that did not grow has no scene."""
    empty = replace(room, obstacles=Obstacles())
    assert write_scene(tmp_path, grown, empty) == [SCENE]
    assert scene_of(tmp_path).children.keys() == {"tube"}
    none = tmp_path / "none"
    none.mkdir()
    assert write_scene(none, replace(grown, centerline=grown.centerline[:1]), room) == []
    assert not list(none.iterdir())
