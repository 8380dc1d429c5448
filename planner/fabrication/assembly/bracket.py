"""The printed bracket that constricts a sPAM between two cells and is taped to the body (paper 002, supplement)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import shapely

from planner.fabrication.assembly.stl import mesh_of, write_stl
from surrogate.kernels.compiled import Floats
from surrogate.spam import Spam

if TYPE_CHECKING:
    from manifold3d import Manifold
    from trimesh import Trimesh

THICKNESS = 5e-3
"""Thickness of the plate, along the tube [m]."""
RIM = 3e-3
"""Width of the ring around the hole [m]."""
CHAMFER, EASE = 1e-3, 0.5e-3
"""45-degree chamfers of the hole's edges and of all other edges [m]. They protect film and tape and print without support."""
SLOT_WIDTH, SLOT_HEIGHT, SLOT_CORNER = 13e-3, 2e-3, 0.5e-3
"""Slot for double-sided tape 12 mm wide, stuck to the body on both sides of the plate; last: its corner radius [m]."""
SOLE = 2e-3
"""Thickness of the plate between the slot and the body, and above the slot [m]."""
EDGE = 4e-3
"""Width of the plate on either side of the slot [m]."""
SHOULDER = 6.5e-3
"""Overhang of the foot beyond the stem on either side [m]."""
FILLET = 2e-3
"""Radius of the foot's corners and of the fillets where the stem meets ring and foot [m]."""
LEAST_RADIUS, LARGEST_SHARE, LARGEST_TUBE = 2e-3, 0.8, 60e-3
"""Minimum constriction radius [m], its maximum share of the tube's radius [-], and the maximum tube radius [m]."""
ROUNDING = 1e-9
"""Tolerance on the limits of radii [m]."""
QUARTER = 32
"""Straight segments per quarter circle."""


class NoBracket(ValueError):
    """No bracket can be printed for this actuator; the message gives the allowed range.

    The second argument, if given, lists the files that were written without it.
    """

    @property
    def message(self) -> str:
        """The first argument."""
        return str(self.args[0])

    @property
    def written(self) -> list[str]:
        """The second argument."""
        return list(self.args[1]) if len(self.args) > 1 else []


def write_bracket(path: Path, actuator: Spam) -> None:
    """Write `bracket_mesh` as a binary STL in millimetres, atomically.

    Raises:
        NoBracket: No bracket can be printed for this actuator.
        ModuleNotFoundError: The extra `fab` is not installed.
        OSError: The file cannot be written.
    """
    write_stl(path, bracket_mesh(actuator))


def bracket_mesh(actuator: Spam) -> Trimesh:
    """Make the bracket as it lies on the printer's bed [mm]: the side facing the body at y = 0, the hole's axis at x = 0, z up.

    The axis is one actuator tube radius away from the body, as in the model's moment arm (paper 002, Eq. 3).

    Raises:
        NoBracket: No bracket can be printed for this actuator.
        ModuleNotFoundError: The extra `fab` is not installed.
    """
    check_bracket(actuator)
    hole = shapely.Point(0, actuator.tube_radius).buffer(actuator.constriction_radius, quad_segs=QUARTER)
    slot = _rounded_box(SLOT_WIDTH, SOLE, SOLE + SLOT_HEIGHT, SLOT_CORNER)
    solid = _plate(outline(actuator), EASE) - _plate(hole, CHAMFER, cut=True) - _plate(slot, EASE, cut=True)
    return mesh_of(solid)


def outline(actuator: Spam) -> shapely.Polygon:
    """Return the outline of the plate seen along the tube, without hole and slot [m]: ring, stem and foot."""
    outer = actuator.constriction_radius + RIM
    width = max(SLOT_WIDTH + 2 * EDGE, outer)
    ring = shapely.Point(0, actuator.tube_radius).buffer(outer, quad_segs=QUARTER)
    stem = shapely.box(SHOULDER - width / 2, SOLE, width / 2 - SHOULDER, actuator.tube_radius)
    foot = _rounded_box(width, 0.0, 2 * SOLE + SLOT_HEIGHT, FILLET)
    # Buffering outwards and back rounds the inner corners.
    return shapely.union_all([ring, stem, foot]).buffer(FILLET, QUARTER).buffer(-FILLET, QUARTER)


def check_bracket(actuator: Spam) -> None:
    """Check that a bracket can be printed.

    Raises:
        NoBracket: It cannot.
    """
    below = 2 * SOLE + SLOT_HEIGHT + CHAMFER
    tube, radius = actuator.tube_radius, actuator.constriction_radius
    if not LEAST_RADIUS + below - ROUNDING <= tube <= LARGEST_TUBE + ROUNDING:
        raise NoBracket(
            f"tube_radius = {1e3 * tube:g} mm must be from {1e3 * (LEAST_RADIUS + below):g} to {1e3 * LARGEST_TUBE:g} mm "
            "for a printed bracket"
        )
    most = min(LARGEST_SHARE * tube, tube - below)
    if not LEAST_RADIUS - ROUNDING <= radius <= most + ROUNDING:
        raise NoBracket(
            f"constriction_radius = {1e3 * radius:g} mm must be from {1e3 * LEAST_RADIUS:g} to {1e3 * most:g} mm "
            f"for a printed bracket on a tube of radius {1e3 * tube:g} mm"
        )


def _rounded_box(width: float, low: float, high: float, corner: float) -> shapely.Polygon:
    """Return a box centred on x = 0 with rounded corners [m]."""
    core = shapely.box(corner - width / 2, low + corner, width / 2 - corner, high - corner)
    return core.buffer(corner, quad_segs=QUARTER)


def _plate(shape: shapely.Polygon, chamfer: float, *, cut: bool = False) -> Manifold:
    """Extrude an outline to the bracket's thickness, with both ends narrowed by a chamfer [m].

    Args:
        cut: The solid is to be subtracted from another: it widens at the ends and extends beyond them, because coincident
            faces must be avoided.
    """
    from manifold3d import Manifold, Mesh, triangulate

    beyond, wider = (chamfer, 2 * chamfer) if cut else (0.0, -chamfer)
    middle = np.asarray(shapely.orient_polygons(shapely.remove_repeated_points(shape, 1e-6)).exterior.coords)[:-1]
    end = middle + wider * _outward_displacement(middle)
    rings = np.concatenate([end, middle, middle, end])
    heights = np.repeat([-beyond, chamfer, THICKNESS - chamfer, THICKNESS + beyond], len(middle))
    here = np.arange(3 * len(middle)).reshape(3, -1)
    beside = np.roll(here, -1, axis=1)
    above, across = here + len(middle), beside + len(middle)
    sides = np.stack([here, beside, across, here, across, above], axis=-1).reshape(-1, 3)
    cap = np.asarray(triangulate([end]))
    faces = np.concatenate([sides, cap[:, ::-1], cap + 3 * len(middle)])
    return Manifold(Mesh(np.column_stack([rings, heights]).astype(np.float32), faces.astype(np.uint32)))


def _outward_displacement(corners: Floats) -> Floats:
    """Displacement of each corner when every edge of an anticlockwise outline moves outwards by 1, shape (n, 2)."""
    along = np.roll(corners, -1, axis=0) - corners
    after = np.stack([along[:, 1], -along[:, 0]], axis=-1) / np.hypot(*along.T)[:, None]
    before = np.roll(after, 1, axis=0)
    return (before + after) / (1 + (before * after).sum(axis=1, keepdims=True))
