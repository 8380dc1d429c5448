"""A scene for the simulator SOFA: the tube as a beam along its centreline, among the obstacles as triangles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np
import shapely

from dynamics.moment import free_curvature, joint_moments, restoring_moment, wrinkling
from dynamics.tube import VineParams
from dynamics.vine import VineState, centerlines, pivots_of
from environments.environment import Environment
from environments.writing import atomic_path
from planner.design.design import Design, link_headings
from planner.fabrication.assembly.films import body_film
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from trimesh import Trimesh

SCENE, OBSTACLES = "sofa_scene.py", "sofa_obstacles.obj"
"""Names of the files."""
HEIGHT = 2.0
"""Height of the obstacles, relative to the diameter of the tube [-]: it touches them at a quarter of it."""
BARE = 1e-3
"""Thickness of walls that have none [m]."""


def write_scene(out: Path, design: Design, environment: Environment) -> list[str]:
    """Write the scene of a design at the end of its growth and the mesh of its environment, each atomically.

    Args:
        design: With the centreline that it has in the environment.
    Returns:
        Names of the files; none if the tube has no length.
    Raises:
        ModuleNotFoundError: The extra `fab` is not installed.
    """
    if len(design.centerline) < 2:
        return []
    files, mesh = [SCENE], obstacle_mesh(environment, design.params.radius)
    if mesh is not None:
        files.append(OBSTACLES)
        with atomic_path(out / OBSTACLES) as partial:
            mesh.export(partial, file_type="obj", include_normals=False)
    with atomic_path(out / SCENE) as partial:
        partial.write_text(scene_text(design, environment, mesh is not None), encoding="utf-8")
    return files


def obstacle_mesh(environment: Environment, radius: float) -> Trimesh | None:
    """Make the closed surface of everything solid [m], from z = 0 up; None if there is nothing.

    Args:
        radius: Radius of the tube [m].
    """
    from manifold3d import CrossSection, FillRule
    from trimesh import Trimesh

    shapes = [shape if shape.area else shape.buffer(BARE / 2) for shape in environment.solids.shapes()]
    union = shapely.union_all(shapes)
    rings = [ring for part in shapely.get_parts(union) for ring in (part.exterior, *part.interiors)]
    if not rings:
        return None
    outlines = [shapely.get_coordinates(ring)[:-1] for ring in rings]
    solid = CrossSection(outlines, FillRule.EvenOdd).extrude(HEIGHT * 2 * radius).to_mesh()
    return Trimesh(solid.vert_properties[:, :3], solid.tri_verts)


def free_shape(design: Design, start: Floats) -> Floats:
    """Joints of the tube at its grown length where nothing touches it [m], shape (n, 2), as many as its centreline has.

    Args:
        start: x [m], y [m] and heading [rad] of the base, shape (3,).
    """
    params, links = design.params, len(design.centerline) - 1
    carried, joint = design.stage_at(design.length).actuation(design.segments), joint_moments(params)
    pressure, l_0 = carried.pressure[:, :links], carried.l_0[:, :links]
    kind = carried.kinds[:, :links]
    cells = np.where(pressure, l_0, joint.tables.shortest[kind])
    formed = 0.0 if carried.rest is None else carried.rest[:, :links]
    angles = params.segment_length * np.where(pressure, free_curvature(joint, pressure, cells, kind), formed)
    last = design.film(design.centerline, float(start[2]))[-1:]
    return centerlines(
        VineState(angles, np.array([links]), last, pivots_of(carried.sides[:, :links], params.pivot)), start, params
    )[0]


def node_poses(joints: Floats, heading: float) -> Floats:
    """Poses of a beam's nodes, x [m], y [m] and heading [rad], shape (n, 3).

    The beam has the direction of the base there, and the mean of two links between them, as an arc through the joints has; at
    the tip it ends as such an arc.

    Args:
        joints: Joints from base to tip [m], shape (n, 2), n at least 2.
        heading: Direction in which the tube leaves its base [rad].
    """
    links = link_headings(joints, heading)
    inner = (links[1:] + links[:-1]) / 2
    before = inner[-1] if len(inner) else heading
    return np.column_stack([joints, [heading, *inner, 2 * links[-1] - before]])


def bending_stiffness(params: VineParams) -> float:
    """EI of the tube before it wrinkles [N m^2]: the moment there over the curvature."""
    bend = wrinkling(params)[1]
    return float(restoring_moment(bend, params) / bend * params.moment_length)


@dataclass(frozen=True, slots=True)
class SofaBeam:
    """A thin-walled beam with the bending stiffness of a tube."""

    outer: float
    """Outer radius, that of the tube [m]."""
    inner: float
    """Inner radius [m]."""
    modulus: float
    """Young's modulus [Pa]."""

    @classmethod
    def of(cls, params: VineParams) -> SofaBeam:
        """Make the beam of a tube; its wall is `body_film`."""
        outer, inner = params.radius, params.radius - body_film(params).metres
        second_moment = np.pi / 4 * (outer**4 - inner**4)
        return cls(outer, inner, bending_stiffness(params) / float(second_moment))


def scene_text(design: Design, environment: Environment, solid: bool) -> str:
    """Return the scene as Python text.

    Args:
        solid: Whether there is a mesh of obstacles.
    """
    params, start = design.params, environment.start
    heading, beam = float(start[2]), SofaBeam.of(params)
    nodes = node_poses(design.centerline, heading)
    rest = node_poses(free_shape(design, start), heading)
    film = np.concatenate([[0.0], np.cumsum(design.film(design.centerline, heading))])
    # A mount does not touch the first diameter of a tube that comes out of it.
    spared = 2 * params.radius * (environment.mount == "wall")
    length = float(film[-1]) / len(nodes)
    # Of a ring, per mass: about its axis, and across it.
    twist, sway = beam.outer**2, beam.outer**2 / 2 + length**2 / 12
    return _SCENE.substitute(
        design=f"{design.environment}: {1e3 * film[-1]:.0f} mm of tube, {design.actuators} actuators",
        radius=f"{beam.outer:.9g}",
        inner=f"{beam.inner:.9g}",
        modulus=f"{beam.modulus:.9g}",
        mass=f"{params.inertia.mass_per_length * length:.9g}",
        inertia=f"{twist:.9g} 0 0 0 {sway:.9g} 0 0 0 {sway:.9g}",
        damping=f"{params.inertia.damping_time:.9g}",
        contact=f"{params.penetration_tolerance:.9g}",
        stiffness=f"{params.contact_stiffness:.9g}",
        first=int(np.searchsorted(film, spared)),
        nodes=_poses_text(nodes),
        rest=_poses_text(rest),
        obstacles=_OBSTACLES.substitute(file=OBSTACLES, height=f"{HEIGHT * 2 * params.radius:.3g} m") if solid else "",
    )


_SCENE = Template('''"""Scene for SOFA, written by Vinewright: a vine robot at the end of its growth, among its obstacles.

$design. Units: m, kg, s, rad, N, Pa; heights along z, the table is z = 0.
For SOFA v24.06 to v25.12 with SofaPython3:  runSofa -l SofaPython3 sofa_scene.py
Later versions call EulerImplicitSolver EulerImplicitIntegrationScheme, and its plugin Sofa.Component.IntegrationScheme.Backward.

The tube is a thin-walled elastic beam with the bending stiffness that it has before it wrinkles. NODES is where it is, REST is
the shape to which its actuators bend it where nothing touches it, so that it presses on the obstacles. It moves in the plane
only, without friction, and does not grow. SOFA moves it to its own equilibrium from here.
"""

from math import cos, sin, sqrt
from pathlib import Path

RADIUS, RADIUS_INNER = $radius, $inner
YOUNG_MODULUS = $modulus
NODE_MASS = $mass
NODE_INERTIA = "$inertia"  # per mass
DAMPING_TIME = $damping  # damping over stiffness
CONTACT_DISTANCE, CONTACT_STIFFNESS = $contact, $stiffness  # stiffness of one contact
FIRST_TOUCHING = $first  # nodes before it are in the mount of the base, and touch nothing

# x, y and heading of each node, from the base to the tip
NODES = [
$nodes
]
REST = [
$rest
]

PLUGINS = [
    "Sofa.Component.Collision.Detection.Algorithm",
    "Sofa.Component.Collision.Detection.Intersection",
    "Sofa.Component.Collision.Geometry",
    "Sofa.Component.Collision.Response.Contact",
    "Sofa.Component.Constraint.Projective",
    "Sofa.Component.IO.Mesh",
    "Sofa.Component.LinearSolver.Direct",
    "Sofa.Component.Mapping.NonLinear",
    "Sofa.Component.Mass",
    "Sofa.Component.ODESolver.Backward",
    "Sofa.Component.SolidMechanics.FEM.Elastic",
    "Sofa.Component.StateContainer",
    "Sofa.Component.Topology.Container.Constant",
    "Sofa.Component.Topology.Container.Dynamic",
    "Sofa.Component.Visual",
]


def frames(poses):
    """Positions and quaternions, as Rigid3d has them; the axis of the tube is a radius above the table."""
    return [[x, y, RADIUS, 0.0, 0.0, sin(turn / 2), cos(turn / 2)] for x, y, turn in poses]


def createScene(rootNode):
    rootNode.dt = 0.01
    rootNode.gravity = [0.0, 0.0, 0.0]  # the table carries the tube
    for plugin in PLUGINS:
        rootNode.addObject("RequiredPlugin", pluginName=plugin)
    rootNode.addObject("DefaultAnimationLoop")
    rootNode.addObject("VisualStyle", displayFlags="showBehaviorModels showCollisionModels")
    rootNode.addObject("CollisionPipeline")
    rootNode.addObject("BruteForceBroadPhase")
    rootNode.addObject("BVHNarrowPhase")
    rootNode.addObject(
        "MinProximityIntersection", alarmDistance=5 * CONTACT_DISTANCE, contactDistance=CONTACT_DISTANCE
    )
    rootNode.addObject("CollisionResponse", response="PenalityContactForceField")
    # SOFA multiplies the stiffness of both sides and divides by the distance at which they touch.
    stiffness = sqrt(CONTACT_STIFFNESS * (CONTACT_DISTANCE + RADIUS))

    tube = rootNode.addChild("tube")
    tube.addObject("EulerImplicitSolver", rayleighStiffness=DAMPING_TIME, rayleighMass=0.0)
    tube.addObject("BTDLinearSolver", template="BTDMatrix6d")
    tube.addObject(
        "EdgeSetTopologyContainer",
        position=[frame[:3] for frame in frames(NODES)],
        edges=[[node, node + 1] for node in range(len(NODES) - 1)],
    )
    tube.addObject("MechanicalObject", template="Rigid3d", position=frames(NODES), rest_position=frames(REST))
    tube.addObject("UniformMass", vertexMass=f"{NODE_MASS} 1 {NODE_INERTIA}")
    tube.addObject(
        "BeamFEMForceField", radius=RADIUS, radiusInner=RADIUS_INNER, youngModulus=YOUNG_MODULUS, poissonRatio=0.3
    )
    tube.addObject("FixedProjectiveConstraint", indices=[0])
    tube.addObject(
        "PartialFixedProjectiveConstraint",
        indices=list(range(1, len(NODES))),
        fixedDirections=[0, 0, 1, 1, 1, 0],  # stays in its plane
    )

    touching = list(range(FIRST_TOUCHING, len(NODES)))
    spheres = tube.addChild("spheres")
    spheres.addObject("MechanicalObject", template="Vec3d", position=[[0.0, 0.0, 0.0] for _ in touching])
    spheres.addObject("RigidMapping", rigidIndexPerPoint=touching, globalToLocalCoords=False)
    spheres.addObject("SphereCollisionModel", radius=RADIUS, contactStiffness=stiffness)
$obstacles    return rootNode
''')
_OBSTACLES = Template("""
    obstacles = rootNode.addChild("obstacles")  # $height high
    obstacles.addObject("MeshOBJLoader", name="loader", filename=str(Path(__file__).with_name("$file")))
    obstacles.addObject("MeshTopology", src="@loader")
    obstacles.addObject("MechanicalObject", template="Vec3d", src="@loader")
    obstacles.addObject("TriangleCollisionModel", moving=False, simulated=False, contactStiffness=stiffness)
""")


def _poses_text(poses: Floats) -> str:
    return "\n".join(f"    ({x:.6f}, {y:.6f}, {heading:.6f})," for x, y, heading in poses)
