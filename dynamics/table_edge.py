"""Overhang of tubes over the edge of a table, for batches of chains in numpy arrays or tensors (see `dynamics.chain`)."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.chain import OVERHANG
from dynamics.vine import Array


class TableEdge(NamedTuple):
    """The edge of a table, and the tube on the table."""

    bounds: Array
    """min x, min y, max x, max y [m]."""
    radius: float
    """Radius of the tube [m]."""
    spared: float = 0.0
    """First length of the tube that may hang over any edge [m]."""


def overhangs(table: TableEdge, x: Array, y: Array, cosine: Array, sine: Array, length: Array, last: Array) -> Array:
    """Mask of the segments that hang over an edge with a side, their end or, at the tip, the cap; shape (batch, segments).

    Args:
        x: Joints from the base to the tip [m], shape (batch, segments + 1); those beyond the tip have any finite position.
        y: Joints along y [m], same shape.
        cosine: Heading of each segment, shape (batch, segments).
        sine: Heading of each segment, same shape.
        length: Length of each segment [m], 0 beyond the tip, shape (batch, segments).
        last: Index of each vine's last segment, shape (batch, 1).
    """
    radius, before = table.radius, length.cumsum(1) - length
    index = (0 * length + 1).cumsum(1) - 1
    over = index < 0  # none
    for side in range(4):
        outward = -1.0 if side < 2 else 1.0
        at, heading, across = (x, cosine, sine) if side % 2 == 0 else (y, sine, cosine)
        along, wide = outward * heading, radius * abs(across)
        ahead = (along >= 0) & (index == last)
        ahead[:, :-1] |= (along[:, :-1] >= 0) & (along[:, 1:] <= 0) & (index[:, :-1] < last)
        most = outward * table.bounds[side] + OVERHANG
        out = (outward * at[:, :-1] + wide > most) | (outward * at[:, 1:] + wide + ahead * (radius - wide) > most)
        base = (before < table.spared) | ((before < 2 * radius) & (along < -OVERHANG))
        over = over | (out & ~base & (index <= last))
    return over
