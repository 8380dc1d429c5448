"""Solids as STL files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from environments.writing import atomic_path

if TYPE_CHECKING:
    from manifold3d import Manifold
    from trimesh import Trimesh


def mesh_of(solid: Manifold) -> Trimesh:
    """Return the surface of a solid in metres as a mesh in millimetres."""
    from trimesh import Trimesh

    mesh = solid.scale((1e3, 1e3, 1e3)).to_mesh()
    return Trimesh(mesh.vert_properties[:, :3], mesh.tri_verts)


def write_stl(path: Path, mesh: Trimesh) -> None:
    """Write a mesh as a binary STL, atomically.

    Raises:
        OSError: The file cannot be written.
    """
    with atomic_path(path) as partial:
        mesh.export(partial, file_type="stl")
