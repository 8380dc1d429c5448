"""The obstacles of an environment in tensors of a fixed shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dynamics.scene import SPARED, Indices, Scene
from surrogate.kernels.compiled import Floats


class TensorSolids(NamedTuple):
    """A `Scene` on a device: every grid cell lists its edges and corners, padded with -1."""

    edges: Tensor
    corners: Tensor
    origin: Tensor
    shape: tuple[int, int]
    cell_size: float
    near_edges: Tensor
    """Shape (cells, most edges in a cell)."""
    near_corners: Tensor
    spared: float
    """Length of tube that the mount does not touch [m], see `Scene.edges`."""

    @classmethod
    def of(cls, scene: Scene, device: torch.device, dtype: torch.dtype) -> TensorSolids:
        """Copy a scene to a device."""
        return cls(
            torch.as_tensor(_fill_if_empty(scene.edges), dtype=dtype, device=device),
            torch.as_tensor(_fill_if_empty(scene.corners), dtype=dtype, device=device),
            torch.as_tensor(scene.bounds[:2], dtype=dtype, device=device),
            scene.grid_shape,
            scene.cell_size,
            torch.as_tensor(_pad(scene.edge_offsets, scene.edge_items), device=device),
            torch.as_tensor(_pad(scene.corner_offsets, scene.corner_items), device=device),
            float(scene.bounds[SPARED]),
        )


def _pad(offsets: Indices, items: Indices) -> Indices:
    """Pad the lists of a grid to a table, one row per cell, with -1."""
    counts = np.diff(offsets)
    table = np.full((len(counts), max(int(counts.max()), 1)), -1, np.int32)
    table[np.arange(table.shape[1]) < counts[:, None]] = items
    return table


def _fill_if_empty(solids: Floats) -> Floats:
    """Return the table or, if it is empty, a single row that no cell lists."""
    return solids if len(solids) else np.zeros((1, solids.shape[1]))
