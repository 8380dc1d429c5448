"""The contacts of a batch of vines as inequalities, in tensors."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

FAR = 1e3
"""Gap where there is no contact [m]."""


class Place(NamedTuple):
    """Where contacts are, shape (batch, contacts)."""

    x: Tensor
    """[m]"""
    y: Tensor
    at_end: Tensor
    """Whether that is the end of the segment."""


class TensorContacts(NamedTuple):
    """Contact inequalities gap + J d >= 0 over bends, dents and growth d, shape (batch, contacts) unless noted.

    Of a tube that gives way, the rows where the largest dents end follow those of the contacts.
    """

    segment: Tensor
    """Row k depends on the joints 0 ... segment[k]."""
    gap: Tensor
    """Distance between the surfaces [m], negative for a penetration; FAR in rows without contact."""
    jacobian: Tensor
    """Columns of J for the bends [m/rad], shape (batch, contacts, segments)."""
    growth: Tensor
    """Column of J for the growth of the last segment, without the bending due to growth."""
    dents: Tensor
    """Columns of J for the dents, see `dynamics.penalty.section.give`, shape (batch, contacts, dents); none if the tube is rigid."""
    item: Tensor
    """Edge, or corner after all edges, of each contact; with the segment it identifies the contact. -1 where there is none."""
    lost: Tensor
    """Share of the growth force that a squeezed tip lacks [-], shape (batch,)."""
    nx: Tensor
    """Normals, from the wall to the tube [-]; both parts are 0 where there is no contact."""
    ny: Tensor
