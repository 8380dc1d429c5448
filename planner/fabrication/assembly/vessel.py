"""The printed pressure vessel at the base, which holds the inverted tube and carries its clamped end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

from planner.fabrication.assembly.bracket import THICKNESS, outline
from planner.fabrication.assembly.build import CLAMP, Build
from planner.fabrication.assembly.stl import mesh_of
from surrogate.kernels.compiled import Floats
from surrogate.spam import Spam

if TYPE_CHECKING:
    from trimesh import Trimesh

SLIP, LIP = 0.5e-3, 1.0e-3
"""Play of the tube around the lip of the neck, and height of the lip, behind which the clamp sits [m]."""
NECK = 60e-3
"""Length of the neck [m]."""
THINNEST, THINNEST_FLOOR = 2.4e-3, 5e-3
"""Minimum thickness of the wall, six lines of 0.4 mm, and of the floor [m]."""
LAYER_STRENGTH = 22.8e6
"""Tensile strength of printed PLA across its layers [Pa] (Perez et al., "Investigation of Interlayer Interface Strength and Print
Morphology Effects in Fused Deposition Modeling 3D-Printed PLA", 3D Printing and Additive Manufacturing 8(1), 2021)."""
SAFETY = 10.0
"""Assumed factor between that strength and the stress at `PROOF` times the growth pressure [-]."""
PROOF = 2.0
"""Pressure of the proof test, relative to the growth pressure [-]."""
FILLED = 0.25
"""Assumed share of the vessel's volume that the folded tube fills [-]."""
HOSE = np.pi * 2e-3**2
"""Cross-section of a feed line, 4 mm wide [m^2]."""
FLANGE, SCREW, SCREW_IN = 16e-3, 5.5e-3, 8e-3
"""Width of the flange beyond the wall, diameter of its four holes for M5, and their distance from the flange's edge [m]."""
PORT, PORT_UP, PORT_WIDE, PORT_OUT = 8.8e-3, 11e-3, 22e-3, 8e-3
"""Diameter of the air inlet, to be tapped G 1/8; its height above the floor; width of its boss, and how far it stands out [m]."""
NARROWEST = 5e-3
"""Minimum radius of the neck's bore [m]."""
BED, SPARE = 220e-3, 10e-3
"""Edge of the bed, and height, of common printers, and the part of both that is left free [m]."""
PLA = 1240.0
"""Density of PLA [kg/m^3]."""
WIDEST = 0.3
"""Maximum radius of the chamber that is considered [m]."""
SEGMENTS = 128
"""Straight segments per turn."""
BEYOND = 1e-3
"""Distance by which solids that are cut away extend beyond the faces they cut [m]."""


@dataclass(frozen=True, slots=True)
class Vessel:
    """Dimensions of the vessel [m]: a chamber on a flange, a cone of 45 degrees, and a neck with a lip."""

    lip: float
    """Radius of the lip at the neck's mouth."""
    bore: float
    """Inner radius of the neck."""
    chamber: float
    """Inner radius of the chamber."""
    depth: float
    """Length of the chamber up to the cone."""
    wall: float
    floor: float

    @property
    def neck(self) -> float:
        """Outer radius of the neck behind the lip."""
        return self.lip - LIP

    @property
    def height(self) -> float:
        """Height as printed, from the flange to the mouth."""
        return self.shoulder + (2**0.5 - 1) * self.wall + (self.chamber + self.wall - self.neck) + NECK

    @property
    def width(self) -> float:
        """Diameter of the flange."""
        return 2 * (self.chamber + self.wall + FLANGE)

    @property
    def shoulder(self) -> float:
        """Height of the inner edge between chamber and cone."""
        return self.floor + self.depth

    @property
    def fits(self) -> bool:
        """Whether common printers can print the vessel."""
        return max(self.height, self.width) <= BED - SPARE

    @property
    def mass(self) -> float:
        """Mass of the solid print in PLA without the air inlet's boss [kg] (Pappus)."""
        outside, inside = shapely.Polygon(outside_of(self)), shapely.Polygon(inside_of(self))
        section = outside.difference(inside)
        return float(PLA * 2 * np.pi * section.centroid.x * section.area)


def vessel_of(build: Build) -> Vessel | None:
    """Return the narrowest vessel that holds the tube and that common printers can print; else the one with the shortest
    longest edge.

    None if the tube is too narrow for a printed neck.
    """
    lip = build.design.params.radius - SLIP
    pressure, strength = PROOF * build.design.params.growth_pressure, LAYER_STRENGTH / SAFETY
    thin = max(THINNEST, _round_up(pressure * lip / strength))
    if lip - LIP - thin < NARROWEST - 1e-9:
        return None
    needed, vessels = content(build) / FILLED, []
    for chamber in np.arange(round(lip, 3) + 10e-3, WIDEST, 1e-3).tolist():
        wall = max(THINNEST, _round_up(pressure * chamber / strength))
        # Largest bending stress of a circular plate with a clamped edge: 3/4 P (r / t)^2.
        floor = max(THINNEST_FLOOR, _round_up(chamber * np.sqrt(0.75 * pressure / strength)))
        bore = lip - LIP - thin
        cone = np.pi / 3 * (chamber**3 - bore**3)  # as high as its radius decreases
        depth = max((needed - cone) / (np.pi * chamber**2), PORT_UP + PORT_WIDE / 2)
        vessel = Vessel(lip, bore, chamber, _round_up(depth), wall, floor)
        if vessel.fits:
            return vessel
        vessels.append(vessel)
    return min(vessels, key=lambda one: max(one.height, one.width))


def content(build: Build) -> float:
    """Compute the volume of the film, brackets and feed lines that are folded into the vessel [m^3]."""
    body = 2 * build.body_width * (build.body_length - CLAMP) * build.film.metres
    strips = sum(one.area * one.actuator.film.thickness for one in build.actuators)
    lines = sum(HOSE * actuator.section.start for actuator in build.actuators)
    brackets = [
        outline(one.actuator).area * THICKNESS * len(one.ends)
        for one in build.actuators
        if isinstance(one.actuator, Spam)
    ]
    return float(body + strips + lines + sum(brackets))


def vessel_mesh(vessel: Vessel) -> Trimesh:
    """Make the vessel as it stands on the printer's bed [mm]: its flange at z = 0, its axis along z, the air inlet at y = 0.

    Raises:
        ModuleNotFoundError: The extra `fab` is not installed.
    """
    from manifold3d import CrossSection, Manifold

    outside = CrossSection([outside_of(vessel)]).revolve(SEGMENTS)
    inside = CrossSection([inside_of(vessel)]).revolve(SEGMENTS)
    out, up = vessel.chamber + vessel.wall + PORT_OUT, vessel.floor + PORT_UP
    boss = Manifold.cube((out, PORT_WIDE, up + PORT_WIDE / 2)).translate((0.0, -PORT_WIDE / 2, 0.0))
    inlet = Manifold.cylinder(out, PORT / 2, PORT / 2, SEGMENTS).rotate((0.0, 90.0, 0.0)).translate((BEYOND, 0.0, up))
    made = outside + boss - inside - inlet
    at = vessel.width / 2 - SCREW_IN
    for turn in np.pi / 4 + np.pi / 2 * np.arange(4):
        hole = Manifold.cylinder(vessel.floor + 2 * BEYOND, SCREW / 2, SCREW / 2, SEGMENTS)
        made -= hole.translate((at * np.cos(turn), at * np.sin(turn), -BEYOND))
    return mesh_of(made)


def outside_of(vessel: Vessel) -> Floats:
    """Return the outline of the outer surface, radius and height [m], anticlockwise; the mouth is a half circle, so that film
    slides."""
    round_ = (vessel.lip - vessel.bore) / 2
    wide, top = vessel.chamber + vessel.wall, vessel.height
    # Outer and inner cone are a wall apart, perpendicular to both.
    cone = vessel.chamber + vessel.shoulder + 2**0.5 * vessel.wall
    turn = np.linspace(0.0, np.pi, 17)
    mouth = np.column_stack([vessel.bore + round_ * (1 + np.cos(turn)), top - round_ + round_ * np.sin(turn)])
    below = [
        (0.0, 0.0), (vessel.width / 2, 0.0), (vessel.width / 2, vessel.floor), (wide, vessel.floor), (wide, cone - wide),
        (vessel.neck, cone - vessel.neck), (vessel.neck, top - round_ - LIP - 1e-3), (vessel.lip, top - round_ - 1e-3),
    ]  # fmt: skip
    return np.concatenate([below, mouth, [(0.0, top - round_)]])


def inside_of(vessel: Vessel) -> Floats:
    """Return the outline of the inner surface, radius and height [m], anticlockwise, extended beyond the mouth."""
    round_ = (vessel.lip - vessel.bore) / 2
    neck = vessel.shoulder + vessel.chamber - vessel.bore
    return np.array([
        (0.0, vessel.floor), (vessel.chamber, vessel.floor), (vessel.chamber, vessel.shoulder), (vessel.bore, neck),
        (vessel.bore, vessel.height - round_), (vessel.bore, vessel.height + BEYOND), (0.0, vessel.height + BEYOND),
    ])  # fmt: skip


def _round_up(length: float) -> float:
    """Round a length up to a tenth of a millimetre [m]."""
    return float(np.ceil(round(1e4 * length, 6)) / 1e4)
