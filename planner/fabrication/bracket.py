"""The printed bracket that closes a sPAM's tube between two cells, and is taped to the body (paper 002, supplement)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import shapely

from planner.drawing.style import whole
from surrogate.compiled import Floats
from surrogate.spam import Spam

if TYPE_CHECKING:
    from manifold3d import Manifold
    from trimesh import Trimesh

THICKNESS = 5e-3
"""Of the plate, along the tube [m]."""
RIM = 3e-3
"""Width of the ring around the hole [m]."""
CHAMFER, EASE = 1e-3, 0.5e-3
"""Of the hole's edges and of all others, at 45 degrees [m]: nothing cuts film or tape, and nothing needs support."""
SLOT_WIDTH, SLOT_HEIGHT, SLOT_CORNER = 13e-3, 2e-3, 0.5e-3
"""Slot for double-sided tape 12 mm wide, which is stuck to the body before and behind the plate; radius of its corners [m]."""
SOLE = 2e-3
"""Plate between the slot and the body, and above the slot [m]."""
EDGE = 4e-3
"""Plate on either side of the slot [m]."""
SHOULDER = 6.5e-3
"""By how much the foot is wider than the stem on either side [m]."""
FILLET = 2e-3
"""Radius of the foot's corners, and of those where the stem meets ring and foot [m]."""
LEAST_RADIUS, LARGEST_SHARE, LARGEST_TUBE = 2e-3, 0.8, 60e-3
"""Least constriction [m], its largest share of the tube's radius [-], and the largest tube [m]."""
ROUNDING = 1e-9
"""What a radius at its limit may be beyond it [m]."""
QUARTER = 32
"""Straight pieces that make a quarter of a circle."""


class NoBracket(ValueError):
    """Muscles for which no bracket can be printed; the message says what is allowed."""


def write_bracket(path: Path, muscle: Spam) -> None:
    """Write `bracket` as a binary STL in millimetres; the file appears whole or not at all.

    Raises:
        NoBracket: There is no bracket for this muscle.
        ModuleNotFoundError: The extra `fab` is not installed.
        OSError: The file cannot be written.
    """
    mesh = bracket(muscle)
    with whole(path) as partial:
        mesh.export(partial, file_type="stl")


def bracket(muscle: Spam) -> Trimesh:
    """The bracket as it lies on the printer's bed [mm]: the body's side at y = 0, the hole's axis at x = 0, z up.

    The axis lies the tube's radius off the body, as in the model's moment arm (paper 002, Eq. 3).

    Raises:
        NoBracket: There is no bracket for this muscle.
        ModuleNotFoundError: The extra `fab` is not installed.
    """
    from trimesh import Trimesh

    _check(muscle)
    hole = shapely.Point(0, muscle.tube_radius).buffer(muscle.constriction_radius, quad_segs=QUARTER)
    slot = _rounded(SLOT_WIDTH, SOLE, SOLE + SLOT_HEIGHT, SLOT_CORNER)
    solid = _plate(outline(muscle), EASE) - _plate(hole, CHAMFER, cut=True) - _plate(slot, EASE, cut=True)
    mesh = solid.scale((1e3, 1e3, 1e3)).to_mesh()
    return Trimesh(mesh.vert_properties[:, :3], mesh.tri_verts)


def outline(muscle: Spam) -> shapely.Polygon:
    """The plate seen along the tube, without hole and slot [m]: ring, stem and foot."""
    outer = muscle.constriction_radius + RIM
    width = max(SLOT_WIDTH + 2 * EDGE, outer)
    ring = shapely.Point(0, muscle.tube_radius).buffer(outer, quad_segs=QUARTER)
    stem = shapely.box(SHOULDER - width / 2, SOLE, width / 2 - SHOULDER, muscle.tube_radius)
    foot = _rounded(width, 0.0, 2 * SOLE + SLOT_HEIGHT, FILLET)
    # Widened and narrowed again, inner corners are round.
    return shapely.union_all([ring, stem, foot]).buffer(FILLET, QUARTER).buffer(-FILLET, QUARTER)


def _check(muscle: Spam) -> None:
    below = 2 * SOLE + SLOT_HEIGHT + CHAMFER
    tube, radius = muscle.tube_radius, muscle.constriction_radius
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


def _rounded(width: float, low: float, high: float, corner: float) -> shapely.Polygon:
    """A box about x = 0 with round corners [m]."""
    core = shapely.box(corner - width / 2, low + corner, width / 2 - corner, high - corner)
    return core.buffer(corner, quad_segs=QUARTER)


def _plate(shape: shapely.Polygon, chamfer: float, *, cut: bool = False) -> Manifold:
    """A solid that stands on an outline, as thick as the bracket, and narrower at both ends by a chamfer [m].

    Args:
        cut: It is what to cut out of another: wider at the ends, and beyond them, as no two faces may lie in one another.
    """
    from manifold3d import Manifold, Mesh, triangulate

    beyond, wider = (chamfer, 2 * chamfer) if cut else (0.0, -chamfer)
    middle = np.asarray(shapely.orient_polygons(shapely.remove_repeated_points(shape, 1e-6)).exterior.coords)[:-1]
    end = middle + wider * _outward(middle)
    rings = np.concatenate([end, middle, middle, end])
    heights = np.repeat([-beyond, chamfer, THICKNESS - chamfer, THICKNESS + beyond], len(middle))
    here = np.arange(3 * len(middle)).reshape(3, -1)
    beside = np.roll(here, -1, axis=1)
    above, across = here + len(middle), beside + len(middle)
    sides = np.stack([here, beside, across, here, across, above], axis=-1).reshape(-1, 3)
    cap = np.asarray(triangulate([end]))
    faces = np.concatenate([sides, cap[:, ::-1], cap + 3 * len(middle)])
    return Manifold(Mesh(np.column_stack([rings, heights]).astype(np.float32), faces.astype(np.uint32)))


def _outward(corners: Floats) -> Floats:
    """How far each corner moves where every edge of an anticlockwise outline moves outwards by 1, shape (n, 2)."""
    along = np.roll(corners, -1, axis=0) - corners
    after = np.stack([along[:, 1], -along[:, 0]], axis=-1) / np.hypot(*along.T)[:, None]
    before = np.roll(after, 1, axis=0)
    return (before + after) / (1 + (before * after).sum(axis=1, keepdims=True))
