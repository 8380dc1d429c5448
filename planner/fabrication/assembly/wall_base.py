"""The base of a tube that comes out of a wall: the hole, the rods that carry the vessel behind it, and how far the neck reaches in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from environments.environment import Environment
from planner.design.design import Side
from planner.fabrication.assembly import clamp
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.assembly.strips import layers
from planner.fabrication.assembly.vessel import NECK, SCREW_IN, Vessel
from surrogate.kernels.compiled import Floats

PLAY = 1e-3
"""Play of the tube in the hole, all around [m]."""
GROOVE, GROOVE_APART = 5e-3, 9e-3
"""Width and depth of the groove for a feed line 4 mm wide, and distance between the middles of two along the rim [m]."""
BEHIND = 6e-3
"""Distance between wall and clamp [m]: room for a feed line to turn outwards."""
THROUGH = NECK - clamp.WIDTH - BEHIND
"""Length of the neck that can stand in a wall, while the clamp sits at the neck's root behind it [m]."""
COUPLING, ENGAGED, SPARE = 30e-3, 15e-3, 15e-3
"""Length of a coupling nut, of the rod in it, and of the rod beyond the flange, for a nut and a washer [m]."""
STEEP = np.radians(3.0)
"""Angle between axis and normal of the wall from which wedges are needed [rad] (assumed: washers take less)."""


@dataclass(frozen=True, slots=True)
class WallBase:
    """Dimensions of a base in a wall [m]."""

    radius: float
    """Radius of the inflated tube: height of the axis above the floor."""
    hole: float
    """Diameter of the hole, without its grooves, rounded up to whole millimetres."""
    grooves: dict[Side, int]
    """Number of feed lines that leave through grooves on each side."""
    drawn: float | None
    """Thickness of the wall along the axis in the environment; None if the axis does not pass through it."""
    recess: float
    """Distance of the mouth behind the inner face, along the axis; negative in front of it."""
    tilt: float
    """Angle of the axis with the normal of the inner face [rad], positive to the left."""
    circle: float | None
    """Radius of the circle of the rods; None without a printed vessel."""
    reach: float | None
    """Distance of the flange's front from the inner face, along the axis; None without a printed vessel."""
    rod: float | None
    """Length of a rod plus thickness of the wall along the axis; None without a printed vessel."""
    push: float
    """Force with which the pressure pushes the vessel away from the wall [N]."""

    @property
    def thickest(self) -> float:
        """Largest thickness of a wall along the axis through which the neck reaches."""
        return THROUGH + self.recess

    @property
    def along(self) -> float:
        """Thickness along the axis over the thickness of the wall [-]."""
        return float(1 / max(np.cos(self.tilt), 1e-3))

    def groove_turns(self, side: Side) -> Floats:
        """Return the places of the grooves on a side: angles from the level line through the axis, upwards [rad], shape (grooves,)."""
        count = self.grooves[side]
        return np.asarray(2 * GROOVE_APART / self.hole * (np.arange(count) - (count - 1) / 2))


def wall_base_of(build: Build, environment: Environment, vessel: Vessel | None) -> WallBase | None:
    """Return the base of a tube that is mounted in a wall of its environment; None for a free base."""
    if environment.mount != "wall":
        return None
    behind, recess, tilt = _find_wall(environment)
    radius = build.design.params.radius
    across = [sum(_room(one, recess) for one in build.actuators if one.section.side == side) for side in SIDES]
    hole = 2 * (radius + PLAY + max(across))
    return WallBase(
        radius=radius,
        hole=float(np.ceil(round(1e3 * hole, 6)) / 1e3),
        grooves={side: sum(one.section.side == side for one in build.actuators) for side in SIDES},
        drawn=behind,
        recess=recess,
        tilt=tilt,
        circle=vessel.width / 2 - SCREW_IN if vessel else None,
        reach=vessel.height - vessel.floor + recess if vessel else None,
        # The rod ends in the coupling nut on the outer face and beyond the flange.
        rod=vessel.height + recess - COUPLING + ENGAGED + SPARE if vessel else None,
        push=float(build.design.params.growth_pressure * np.pi * radius**2),
    )


SIDES: tuple[Side, Side] = "left", "right"


def _room(actuator: ActuatorBuild, recess: float) -> float:
    """Return the room that an actuator needs in the hole, beside the tube [m]: inflated if it begins there, flat if its feed end does."""
    section = actuator.section
    if section.start < recess:
        return actuator.thickness
    return layers(actuator.actuator) * actuator.actuator.film.thickness if section.start < actuator.tail else 0.0


def _find_wall(environment: Environment) -> tuple[float | None, float, float]:
    """Find the wall on the axis: its thickness along it and the distance of the start behind its inner face [m], and the angle of the axis
    with the face's normal [rad]; None, 0 and 0 if the axis does not pass through it."""
    x, y, heading = environment.start
    ahead = np.array([np.cos(heading), np.sin(heading)])
    solid = shapely.union_all(environment.solids.part(environment.mounted).shapes())
    far = float(
        np.hypot(*np.ptp(np.array(solid.bounds).reshape(2, 2), axis=0)) + solid.distance(shapely.Point(x, y)) + 1
    )
    axis = shapely.LineString([(x, y) - far * ahead, (x, y) + far * ahead])
    spans = []
    for part in (part for part in shapely.get_parts(shapely.intersection(axis, solid)) if not part.is_empty):
        along = (shapely.get_coordinates(part) - (x, y)) @ ahead
        spans.append((float(along.min()), float(along.max())))
    if not spans:
        return None, 0.0, 0.0
    # The wall around the start, or else the nearest: a start lies at most a radius from its face.
    behind, front = min(spans, key=lambda span: max(span[0], -span[1], 0.0))
    return front - behind, front, _tilt(solid, np.array([x, y]) + front * ahead, heading)


def _tilt(solid: shapely.Geometry, face: Floats, heading: float) -> float:
    """Return the angle of a heading with the outward normal of the face of a solid at a point [rad], from -pi/2 to pi/2."""
    lines = [
        line for part in shapely.get_parts(solid) for line in shapely.get_parts(part.boundary if part.area else part)
    ]
    edges = [pair for line in lines for pair in zip(line.coords[:-1], line.coords[1:], strict=True)]
    away = shapely.distance(shapely.linestrings(edges), shapely.Point(face))
    (x0, y0), (x1, y1) = edges[int(away.argmin())]
    # A face has two normals: the outward one is that towards which the axis leaves it.
    turn = heading - (np.arctan2(y1 - y0, x1 - x0) + np.pi / 2)
    return float((turn + np.pi / 2) % np.pi - np.pi / 2)
