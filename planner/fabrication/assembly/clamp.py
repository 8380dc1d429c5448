"""The printed clamp that presses the body's film onto the neck of the vessel: two equal halves and two bolts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.fabrication.assembly.stl import mesh_of
from planner.fabrication.assembly.vessel import SEGMENTS, Vessel

if TYPE_CHECKING:
    from trimesh import Trimesh

WIDTH, THICKNESS = 20e-3, 6e-3
"""Width along the tube, and radial thickness [m]."""
PLAY = 0.8e-3
"""Space between neck and clamp for film and one layer of rubber tape [m]."""
OPEN = 2e-3
"""Distance between the halves before the bolts are tightened [m]."""
LUG, LUG_THICK, BOLT = 16e-3, 7e-3, 5.5e-3
"""Length and thickness of the lugs, and diameter of their holes for M5 [m]."""
BEYOND = 1e-3


def clamp_mesh(vessel: Vessel) -> Trimesh:
    """Make half of the clamp as it lies on the printer's bed [mm]: the neck's axis along z, the gap between the halves at y =
    0.

    Raises:
        ModuleNotFoundError: The extra `fab` is not installed.
    """
    from manifold3d import CrossSection, Manifold

    inner = vessel.neck + PLAY
    outer = inner + THICKNESS
    ring = CrossSection.circle(outer, SEGMENTS)
    lugs = CrossSection.square((2 * (outer + LUG), LUG_THICK)).translate((-outer - LUG, OPEN / 2))
    above = CrossSection.square((2 * (outer + LUG), outer + BEYOND)).translate((-outer - LUG, OPEN / 2))
    half = ((ring ^ above) + lugs - CrossSection.circle(inner, SEGMENTS)).extrude(WIDTH)
    for side in (-1, 1):
        hole = Manifold.cylinder(LUG_THICK + 2 * BEYOND, BOLT / 2, BOLT / 2, SEGMENTS).rotate((-90.0, 0.0, 0.0))
        half -= hole.translate((side * (outer + LUG / 2), OPEN / 2 - BEYOND, WIDTH / 2))
    return mesh_of(half)


def bolt_length() -> float:
    """Length of the bolts [m]: two lugs, the gap, and 8 mm for washer and nut, rounded up to 5 mm."""
    return float(np.ceil((2 * LUG_THICK + OPEN + 8e-3) / 5e-3) * 5e-3)
