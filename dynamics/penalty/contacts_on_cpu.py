"""The contacts of a batch on a CPU: vine by vine and joint by joint, only as many as there are."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dynamics.cross_section import CrossSection
from dynamics.penalty.chain import TensorChain
from dynamics.penalty.rows import FAR, Place, TensorContacts
from dynamics.penalty.solids import TensorSolids
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled


class SolidArrays(NamedTuple):
    """The arrays of `TensorSolids`, and its grid."""

    edges: Floats
    corners: Floats
    near_edges: Integers
    near_corners: Integers
    x: float
    """Lower left corner [m]."""
    y: float
    cell_size: float
    """[m]"""
    columns: int
    rows: int


class ChainArrays(NamedTuple):
    """The arrays of `TensorChain`."""

    x: Floats
    y: Floats
    cosine: Floats
    sine: Floats
    length: Floats
    film: Floats
    pivot_x: Floats
    pivot_y: Floats
    last: Integers


class RowArrays(NamedTuple):
    """Contacts of a rigid cross-section, as in `TensorContacts`, and their places; shape (batch, contacts) unless noted."""

    gap: Floats
    nx: Floats
    ny: Floats
    growth: Floats
    x: Floats
    y: Floats
    jacobian: Floats
    """Shape (batch, contacts, segments)."""
    at_end: NDArray[np.bool_]


class Touch(NamedTuple):
    """Contact of a joint or segment with an edge or corner."""

    gap: float
    """[m]; `FAR` if there is none."""
    x: float
    """Where it is [m]."""
    y: float
    nx: float
    """Normal [-]."""
    ny: float
    at_end: bool
    """Whether it is at the segment's end."""


@compiled()
def _against_edge(
    solids: SolidArrays, chain: ChainArrays, radius: float, soft: bool, vine: int, i: int, reached: float, edge: int
) -> Touch:
    """Contact of the joint at the end of segment i with an edge; see `dynamics.contacts.find_contacts`.

    Args:
        reached: Length of tube up to the joint [m].
    """
    edges, x, y = solids.edges, chain.x[vine, i + 1], chain.y[vine, i + 1]
    rx, ry, ex, ey = x - edges[edge, 0], y - edges[edge, 1], edges[edge, 5], edges[edge, 6]
    along, offset, beyond = rx * ex + ry * ey, ex * ry - ey * rx, 0.0
    flip, gap = 1.0 if offset >= 0.0 else -1.0, abs(offset) - radius - edges[edge, 4]
    if soft:
        if i < chain.last[vine, 0]:
            beyond = 0.5 * chain.film[vine, i + 1] * abs(ex * chain.cosine[vine, i] + ey * chain.sine[vine, i])
        if offset > 0.0 and edges[edge, 9] > 0.0:
            gap = FAR
    if not -beyond <= along <= edges[edge, 7] + beyond or reached < edges[edge, 8]:
        gap = FAR
    return Touch(gap, x, y, -flip * ey, flip * ex, True)


@compiled()
def _against_corner(
    solids: SolidArrays, chain: ChainArrays, radius: float, soft: bool, vine: int, i: int, reached: float, corner: int
) -> Touch:
    """Contact of segment i, or of the joint at its end, with a corner; see `_against_edge`."""
    x, y, ux, uy = chain.x[vine, i + 1], chain.y[vine, i + 1], chain.cosine[vine, i], chain.sine[vine, i]
    corners, last = solids.corners, chain.last[vine, 0]
    rx, ry, thick = corners[corner, 0] - x, corners[corner, 1] - y, corners[corner, 2]
    along, distance = rx * ux + ry * uy, math.sqrt(rx * rx + ry * ry)
    spared = reached + max(along, 0.0) < corners[corner, 3]
    joint = (soft and thick > radius) or (
        along > 0.0 and (i == last or rx * chain.cosine[vine, i + 1] + ry * chain.sine[vine, i + 1] < 0.0)
    )
    if joint:
        gap, away = FAR if spared else distance - radius - thick, max(distance, 1e-300)
        return Touch(gap, x, y, -rx / away, -ry / away, True)
    offset = ux * ry - uy * rx
    flip, gap = 1.0 if offset >= 0.0 else -1.0, abs(offset) - radius - thick
    if along > 0.0 or along < -chain.length[vine, i] or spared:
        gap = FAR
    return Touch(gap, x + along * ux, y + along * uy, flip * uy, -flip * ux, False)


@compiled()
def _insert(gaps: Floats, segments: Integers, items: Integers, count: int, gap: float, segment: int, item: int) -> int:
    """Insert a contact into a list that is sorted by gaps, and drops the largest when it is full; return its length."""
    if count == len(gaps):
        if not gap < gaps[count - 1]:
            return count
        count -= 1
    at = count
    while at > 0 and gaps[at - 1] > gap:
        gaps[at], segments[at], items[at] = gaps[at - 1], segments[at - 1], items[at - 1]
        at -= 1
    gaps[at], segments[at], items[at] = gap, segment, item
    return count + 1


@compiled()
def _list_nearest(
    solids: SolidArrays,
    chain: ChainArrays,
    radius: float,
    soft: bool,
    margin: float,
    gaps: Floats,
    segment: Integers,
    item: Integers,
) -> int:
    """List the contacts with gaps below the margin; return the largest number of them at a vine."""
    most, edges = 0, len(solids.edges)
    for vine in range(len(chain.x)):
        count, reached = 0, 0.0
        mine = gaps[vine], segment[vine], item[vine]
        for i in range(chain.last[vine, 0] + 1):
            x, y = chain.x[vine, i + 1], chain.y[vine, i + 1]
            if not (math.isfinite(x) and math.isfinite(y)):  # in no cell
                break
            reached += chain.length[vine, i]
            cell = min(max(int((x - solids.x) / solids.cell_size), 0), solids.columns - 1) * solids.rows
            cell += min(max(int((y - solids.y) / solids.cell_size), 0), solids.rows - 1)
            for k in range(solids.near_edges.shape[1]):
                near = solids.near_edges[cell, k]
                if near < 0:
                    break
                gap = _against_edge(solids, chain, radius, soft, vine, i, reached, near).gap
                if gap < margin:
                    count = _insert(*mine, count, gap, i, near)
            for k in range(solids.near_corners.shape[1]):
                near = solids.near_corners[cell, k]
                if near < 0:
                    break
                gap = _against_corner(solids, chain, radius, soft, vine, i, reached, near).gap
                if gap < margin:
                    count = _insert(*mine, count, gap, i, edges + near)
        most = max(most, count)
    return most


@compiled()
def _fill_rows(
    solids: SolidArrays,
    chain: ChainArrays,
    radius: float,
    soft: bool,
    segment: Integers,
    item: Integers,
    reached: Floats,
    rows: RowArrays,
) -> None:
    """Fill in the rows of listed contacts; `reached` is the length of tube up to the end of each segment [m]."""
    edges, (vines, contacts) = len(solids.edges), item.shape
    for vine in range(vines):
        for k in range(contacts):
            i, near = segment[vine, k], item[vine, k]
            if near < 0:
                rows.gap[vine, k] = FAR
                continue
            if near < edges:
                touch = _against_edge(solids, chain, radius, soft, vine, i, reached[vine, i], near)
            else:
                touch = _against_corner(solids, chain, radius, soft, vine, i, reached[vine, i], near - edges)
            nx, ny = touch.nx, touch.ny
            rows.gap[vine, k], rows.nx[vine, k], rows.ny[vine, k] = touch.gap, nx, ny
            rows.x[vine, k], rows.y[vine, k], rows.at_end[vine, k] = touch.x, touch.y, touch.at_end
            if touch.at_end and i == chain.last[vine, 0]:
                rows.growth[vine, k] = nx * chain.cosine[vine, i] + ny * chain.sine[vine, i]
            alpha = touch.x * ny - touch.y * nx
            for j in range(i + 1):
                rows.jacobian[vine, k, j] = alpha - ny * chain.pivot_x[vine, j] + nx * chain.pivot_y[vine, j]


def list_nearest(
    solids: TensorSolids, section: CrossSection, margin: float, chain: TensorChain, most: int
) -> tuple[Tensor, Tensor]:
    """Choose the contacts with the smallest gaps below a margin.

    Args:
        margin: [m]
        most: Maximum number of contacts of a vine.
    Returns:
        Segment, and edge or, after all edges, corner of each contact, sorted by gaps, shape (batch, contacts), with no more contacts
        than a vine has; 0 and -1 where there is none.
    """
    batch = len(chain.x)
    segment, item = np.zeros((batch, most), np.int64), np.full((batch, most), -1)
    number = _list_nearest(
        _solid_arrays(solids), _chain_arrays(chain), section.radius, section.most_dent > 0, margin,
        np.empty((batch, most)), segment, item,
    )  # fmt: skip
    number = max(number, 1)
    return torch.from_numpy(segment[:, :number]), torch.from_numpy(item[:, :number])


def touch_each(
    solids: TensorSolids, section: CrossSection, chain: TensorChain, segment: Tensor, item: Tensor
) -> tuple[TensorContacts, Place]:
    """Contacts of a rigid cross-section, of the chosen segments and items, and where they are."""
    shape, kind, arrays = segment.shape, chain.x.numpy().dtype, _chain_arrays(chain)
    gap, nx, ny, growth, x, y = (np.zeros(shape, kind) for _ in range(6))
    jacobian, at_end = np.zeros((*shape, chain.cosine.shape[1]), kind), np.zeros(shape, np.bool_)
    rows = RowArrays(gap, nx, ny, growth, x, y, jacobian, at_end)
    reached = np.cumsum(arrays.length, axis=1)
    _fill_rows(
        _solid_arrays(solids), arrays, section.radius, section.most_dent > 0, segment.numpy(), item.numpy(), reached, rows
    )  # fmt: skip
    found = {name: torch.from_numpy(part) for name, part in rows._asdict().items()}
    place = Place(found.pop("x"), found.pop("y"), found.pop("at_end"))
    none = place.x.new_zeros(*shape, 0)
    return TensorContacts(segment=segment, item=item, dents=none, lost=none.new_zeros(len(none)), **found), place


def _solid_arrays(solids: TensorSolids) -> SolidArrays:
    x, y = solids.origin.tolist()
    edges, corners, near_edges, near_corners = (
        part.detach().numpy() for part in (solids.edges, solids.corners, solids.near_edges, solids.near_corners)
    )
    return SolidArrays(edges, corners, near_edges, near_corners, x, y, solids.cell_size, *solids.shape)


def _chain_arrays(chain: TensorChain) -> ChainArrays:
    return ChainArrays(*(getattr(chain, name).detach().numpy() for name in ChainArrays._fields))
