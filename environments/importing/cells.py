"""The outlines of the solid cells of a grid, exactly along the edges of cells."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage

from environments.importing.traced import UnusableFile

_MOST_RUNS = 1_000_000
"""Edges along rows, and edges along columns."""
Mask = NDArray[np.bool_]
"""Whether a cell is solid, shape (rows, columns), the lowest row first."""


def outline_cells(solid: Mask, name: str = "the grid") -> list[shapely.Polygon]:
    """Outline the solid cells as valid polygons with holes; each is one piece, connected through edges of cells.

    Two pieces, two holes, or a piece and its hole may touch at a corner.

    Args:
        solid: Which cells are solid.
        name: The file, for messages.
    Returns:
        Polygons in cells: the cell in row r and column c reaches from (c, r) to (c + 1, r + 1).
    Raises:
        UnusableFile: They have so many corners that nothing could be done with them.
    """
    padded = np.pad(solid, 1)
    tails, heads, inside = _edges(padded, name)
    if not len(tails):
        return []
    pieces = ndimage.label(padded)[0].ravel()[inside]
    shells: dict[int, shapely.LinearRing] = {}
    holes: dict[int, list[shapely.LinearRing]] = {}
    width = padded.shape[1]
    corners = np.stack([tails % width - 1, tails // width - 1], axis=1).astype(float)
    for ring in _rings(tails, heads, width):
        outline, piece = shapely.LinearRing(corners[ring]), int(pieces[ring[0]])
        if outline.is_ccw:
            shells[piece] = outline
        else:
            holes.setdefault(piece, []).append(outline)
    return [shapely.Polygon(shell, holes.get(piece)) for piece, shell in shells.items()]


def _edges(padded: Mask, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Straight edges between solid and free cells, from corner to corner, with the solid cells on their left.

    A corner has the flat index of the cell whose lower left corner it is.

    Returns:
        Corners where they begin and end, and the flat index of the solid cell at the beginning, each of shape (n,): first the
        edges along rows, then those along columns.
    """
    solid, width = padded.astype(np.int8), padded.shape[1]
    # Along a row, +1 is an edge below a solid cell, to be followed in +x; -1 is one above a solid cell.
    first, last, signs = _runs(solid[1:] - solid[:-1], name)
    row, start, end = first // width + 1, first % width, last % width + 1
    along = np.where(signs > 0, start, end), np.where(signs > 0, end, start)
    cell = np.where(signs > 0, row * width + start, (row - 1) * width + end - 1)
    tails, heads, cells = [row * width + along[0]], [row * width + along[1]], [cell]
    # Along a column, +1 is an edge to the left of a solid cell, to be followed in -y.
    height = padded.shape[0]
    first, last, signs = _runs(np.ascontiguousarray((solid[:, 1:] - solid[:, :-1]).T), name)
    column, start, end = first // height + 1, first % height, last % height + 1
    along = np.where(signs > 0, end, start), np.where(signs > 0, start, end)
    cell = np.where(signs > 0, (end - 1) * width + column, start * width + column - 1)
    tails, heads, cells = (
        [*tails, along[0] * width + column],
        [*heads, along[1] * width + column],
        [*cells, cell],
    )
    return np.concatenate(tails), np.concatenate(heads), np.concatenate(cells)


def _runs(signs: NDArray[np.int8], name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    """Runs of equal numbers other than 0 along rows: flat indices of the first and last of each, and the number."""
    changes = signs[:, 1:] != signs[:, :-1]
    begins = signs != 0
    begins[:, 1:] &= changes
    ends = signs != 0
    ends[:, :-1] &= changes
    if np.count_nonzero(begins) > _MOST_RUNS:
        most = f"more than {2 * _MOST_RUNS // 1_000_000} million corners between solid and free cells"
        raise UnusableFile(f"{name} has {most}; remove the noise from it, or make its cells larger")
    first = np.flatnonzero(begins)
    return first, np.flatnonzero(ends), signs.ravel()[first]


def _rings(tails: NDArray[np.int64], heads: NDArray[np.int64], width: int) -> list[list[int]]:
    """Indices of the edges of each ring, in order: no ring passes a corner twice."""
    order = np.argsort(tails, kind="stable")
    place = np.searchsorted(tails[order], heads)
    following = order[place]
    # Where two edges begin, two pieces touch: the turn to the left stays at the same piece.
    twice = np.append(np.diff(tails[order]) == 0, False)
    direction = _direction(tails, heads, width)
    left = (direction[following] - direction) % 4 == 1
    following = np.where(twice[place] & ~left, order[np.minimum(place + 1, len(order) - 1)], following)
    double = np.zeros(len(tails), bool)
    double[order] = twice | np.append(False, twice[:-1])
    return _split(following.tolist(), double.tolist(), tails.tolist())


def _split(following: list[int], double: list[bool], tails: list[int]) -> list[list[int]]:
    """Return the cycles of edges, split where one comes back to a corner.

    Args:
        following: The edge after each edge.
        double: Whether another edge begins at the same corner.
        tails: Corner where each edge begins.
    """
    seen, rings = bytearray(len(following)), []
    for edge in range(len(following)):
        ring: list[int] = []
        at: dict[int, int] = {}
        while True:
            if double[edge] and ring and (since := at.get(tails[edge])) is not None:
                rings.append(ring[since:])
                del ring[since:]
                at = {corner: index for corner, index in at.items() if index < since}
            if seen[edge]:
                break
            if double[edge]:
                at[tails[edge]] = len(ring)
            seen[edge] = 1
            ring.append(edge)
            edge = following[edge]
        if ring:
            rings.append(ring)
    return rings


def _direction(tails: NDArray[np.int64], heads: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Quarter turns from the x axis, anticlockwise."""
    moved = heads - tails
    upright = tails % width == heads % width
    return np.where(upright, np.where(moved > 0, 1, 3), np.where(moved > 0, 0, 2))
