"""Contacts of a batch of chains with thickened edges and corners, in tensors of a fixed shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dynamics.contacts import SHORTEST
from dynamics.cross_section import CrossSection
from dynamics.links import LEAST_LINK, STRAIGHT
from dynamics.penalty.section import TensorPress, TensorTouch, fade, give, squeezed_share, turn_aside
from dynamics.scene import SPARED, Indices, Scene
from dynamics.soft_contacts import FADING
from surrogate.kernels.compiled import Floats

FAR = 1e3
"""Gap where there is no contact [m]."""
STOPS = 16
"""Number of contacts, the deepest ones, whose dents are limited to the largest one in a step."""


class TensorChain(NamedTuple):
    """Joint positions and segment headings of the vines."""

    x: Tensor
    """Joints from the base to the tip [m], shape (batch, segments + 1); those beyond a vine's tip lie at its tip."""
    y: Tensor
    cosine: Tensor
    """Heading of each segment, shape (batch, segments)."""
    sine: Tensor
    length: Tensor
    """Length of each segment's centreline [m], 0 beyond the tip."""
    film: Tensor
    """Length of each segment's film [m], 0 beyond the tip."""
    pivot_x: Tensor
    """Point about which the tube beyond each joint turns when the joint bends [m], shape (batch, segments), see `dynamics.chain.Chain`."""
    pivot_y: Tensor
    last: Tensor
    """Index of each vine's last segment, shape (batch, 1)."""


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


def links(films: Tensor, angles: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]:
    """Lengths of bent links' centrelines [m], and their changes per bend [m/rad], by the law of `dynamics.chain.link`."""
    # Of a link that has no length yet, the actuator decides the bend: it turns about the wall from the first.
    born = films == 0
    change = torch.where((angles > 0) | (born & (pivots > 0)), -pivots.abs(), pivots.abs())
    shortening, least = -change * angles, LEAST_LINK * films
    part = torch.where(born, 1.0, (shortening / (STRAIGHT * films).clamp(min=1e-12)).clamp(max=1.0))
    length = films - shortening * part * (2.0 - part)
    # Nor does its pivot move with its bend: as a link of almost no film, it would be folded by the smallest one.
    folded = torch.where(born, 1.0, torch.exp(2.0 * (length - least).clamp(max=0.0) / torch.where(born, 1.0, least)))
    length = torch.where(length < least, 0.5 * least * (1.0 + folded), length)
    return length, change * part * (4.0 - 3.0 * part) * folded


def forward_kinematics(angles: Tensor, films: Tensor, pivots: Tensor, last: Tensor, pose: Tensor) -> TensorChain:
    """Compute joint positions and segment headings from the bends.

    Args:
        angles: Bends [rad], shape (batch, segments).
        films: Lengths of the segments' film [m], same shape, 0 beyond the tip.
        pivots: Distance of each joint's pivot from the centreline [m], same shape, see `dynamics.chain.link`.
        last: Index of each vine's last segment, shape (batch, 1).
        pose: Base x [m], y [m], heading [rad].
    """
    heading = pose[2] + torch.cumsum(angles, 1)
    cosine, sine = torch.cos(heading), torch.sin(heading)
    lengths, change = links(films, angles, pivots)
    base = torch.zeros_like(angles[:, :1])
    x = torch.cat([base + pose[0], pose[0] + torch.cumsum(lengths * cosine, 1)], 1)
    y = torch.cat([base + pose[1], pose[1] + torch.cumsum(lengths * sine, 1)], 1)
    return TensorChain(x, y, cosine, sine, lengths, films, x[:, :-1] - change * sine, y[:, :-1] + change * cosine, last)


def most_contacts(segments: int, soft: bool) -> int:
    """Maximum number of contacts that are considered for a vine: those with the smallest gaps.

    Few random vines of up to 4 m in the shipped environments have more contacts within 2 mm, and a step rarely closes 2 mm. A soft
    tube lies on walls joint by joint, in a corridor on both sides.
    """
    return max(48, 3 * segments // 2) if soft else max(32, 2 * segments // 5)


def find_contacts(solids: TensorSolids, section: CrossSection, margin: float, chain: TensorChain) -> TensorContacts:
    """Find the contacts with the smallest gaps below the margin.

    As in the exact propagator: joints against edges, and corners against segments, or against the joint itself where a
    corner projects beyond one segment and before the next. The mount does not touch the length of tube that it spares.
    """
    batch, segments = chain.cosine.shape
    soft = section.most_dent > 0
    with torch.no_grad():  # the choice of contacts needs no gradients
        cell = _cell(solids, chain.x[:, 1:], chain.y[:, 1:])
        edge, corner = solids.near_edges[cell].long(), solids.near_corners[cell].long()
        every = torch.arange(segments, device=cell.device).expand(batch, -1)[..., None]
        edge_gap = _against_edges(solids, section, chain, every.expand_as(edge), edge)[0]
        corner_gap = _against_corners(solids, section, chain, every.expand_as(corner), corner)[0]
        gaps = torch.cat([edge_gap, corner_gap], 2)
        most = gaps.shape[2]
        looked_at = min(most_contacts(segments, soft), segments * most)
        nearest = torch.topk(gaps.flatten(1), looked_at, 1, largest=False).indices
        segment = nearest // most
        items = torch.cat([edge, corner], 2).flatten(1).gather(1, nearest)
        is_edge = nearest % most < edge.shape[2]
    no_item = torch.full_like(items, -1)
    with_edge = _against_edges(solids, section, chain, segment, torch.where(is_edge, items, no_item))
    with_corner = _against_corners(solids, section, chain, segment, torch.where(is_edge, no_item, items))
    gap, px, py, nx, ny, at_end = (torch.where(is_edge, a, b) for a, b in zip(with_edge, with_corner, strict=True))
    found = gap < margin
    gap = torch.where(found, gap, FAR)
    nx, ny = torch.where(found, nx, 0.0), torch.where(found, ny, 0.0)
    rigid = _rows(chain, segment, TensorTouch(gap, nx, ny), (px, py), at_end)._replace(
        item=torch.where(found, torch.where(is_edge, items, len(solids.edges) + items), no_item)
    )
    if not soft:
        return rigid
    press = _press(solids, section, chain, segment, items, is_edge)
    # What presses on no length is no contact.
    gap = torch.where(press.length + press.tip < SHORTEST * section.radius, FAR, gap)
    return _give_way(section, chain, rigid, TensorTouch(gap, nx, ny), (px, py, at_end), press, margin)


def _rows(
    chain: TensorChain, segment: Tensor, touch: TensorTouch, point: tuple[Tensor, Tensor], at_end: Tensor
) -> TensorContacts:
    """Contacts of a rigid cross-section at points [m], of which those at the end of the last segment move with it as it grows."""
    gap, nx, ny = touch
    px, py = point
    alpha = (px * ny - py * nx)[..., None]
    jacobian = alpha - ny[..., None] * chain.pivot_x[:, None] + nx[..., None] * chain.pivot_y[:, None]
    moves = torch.arange(chain.cosine.shape[1], device=segment.device) <= segment[..., None]
    cosine, sine = chain.cosine.gather(1, segment), chain.sine.gather(1, segment)
    growth = torch.where(at_end & (segment == chain.last), nx * cosine + ny * sine, 0.0)
    jacobian = torch.where(moves, jacobian, 0.0)
    return TensorContacts(
        segment, gap, jacobian, growth, gap.new_zeros(*gap.shape, 0), segment, gap.new_zeros(len(gap)), nx, ny
    )


def _give_way(
    section: CrossSection,
    chain: TensorChain,
    rigid: TensorContacts,
    touch: TensorTouch,
    place: tuple[Tensor, Tensor, Tensor],
    press: TensorPress,
    margin: float,
) -> TensorContacts:
    """Contacts of a tube that gives way: the contacts of its dents, and the limits of the deepest dents."""
    px, py, at_end = place
    segment, deepest = rigid.segment, slice(min(STOPS, rigid.gap.shape[1]))
    heading = chain.cosine.gather(1, segment), chain.sine.gather(1, segment)
    squeezing = fade(section, touch, press, FADING * margin)
    aside = turn_aside(section, touch, squeezing, rigid.growth, heading, margin)
    soft = _rows(chain, segment, aside, (px, py), at_end)
    dents = give(section, aside, press)
    limit = torch.where(press.stops & (touch.gap < FAR), touch.gap + section.most_dent, FAR)
    return TensorContacts(
        torch.cat([segment, segment[:, deepest]], 1),
        torch.cat([soft.gap, limit[:, deepest]], 1),
        torch.cat([soft.jacobian, rigid.jacobian[:, deepest]], 1),
        torch.cat([soft.growth, rigid.growth[:, deepest]], 1),
        torch.cat([dents, torch.zeros_like(dents[:, deepest])], 1),
        torch.cat([rigid.item, torch.full_like(rigid.item[:, deepest], -1)], 1),
        squeezed_share(section, aside, squeezing),
        torch.cat([soft.nx, rigid.nx[:, deepest]], 1),
        torch.cat([soft.ny, rigid.ny[:, deepest]], 1),
    )


def _joints(chain: TensorChain) -> tuple[Tensor, Tensor]:
    """Length of tube that each joint at a segment's end holds, and its middle along the tube [m], shape (batch, segments)."""
    length = torch.cat([chain.film[:, 1:], torch.zeros_like(chain.film[:, :1])], 1)
    return length, torch.cumsum(chain.length, 1)


def _length_beyond(
    section: CrossSection, chain: TensorChain, segment: Tensor, ex: Tensor, ey: Tensor
) -> Tensor | float:
    """Half of the length of tube that belongs to a joint, along an edge [m]: so far beyond its ends an edge presses on a soft tube."""
    if section.most_dent == 0:
        return 0.0
    along = ex * _take(chain.cosine, segment) + ey * _take(chain.sine, segment)
    half = 0.5 * _take(_joints(chain)[0], segment) * along.abs()
    return torch.where(segment < _last(chain, segment), half, 0.0)


def _press(
    solids: TensorSolids, section: CrossSection, chain: TensorChain, segment: Tensor, item: Tensor, is_edge: Tensor
) -> TensorPress:
    """Pressing of contacts on soft tubes, as in `dynamics.contacts.find_contacts`."""
    edge, corner = (
        solids.edges[torch.where(is_edge, item, 0)],
        solids.corners[torch.where(is_edge, 0, item).clamp(min=0)],
    )
    length, middle = (_take(part, segment) for part in _joints(chain))
    x, y = _take(chain.x, segment + 1), _take(chain.y, segment + 1)
    ux, uy = _take(chain.cosine, segment), _take(chain.sine, segment)
    ex, ey, wall = edge[..., 5], edge[..., 6], edge[..., 7]
    along = (x - edge[..., 0]) * ex + (y - edge[..., 1]) * ey
    beyond = torch.as_tensor(_length_beyond(section, chain, segment, ex, ey))
    low, high = (along - beyond).clamp(min=0.0), torch.minimum(along + beyond, wall)
    shift = torch.where(beyond > 0, (0.5 * (low + high) - along) * torch.where(ex * ux + ey * uy > 0, 1.0, -1.0), 0.0)
    part = torch.where(beyond > 0, 0.5 * (high - low) / torch.where(beyond > 0, beyond, 1.0), 1.0)
    sharp = ~is_edge & (corner[..., 2] <= section.radius)
    rx, ry = corner[..., 0] - x, corner[..., 1] - y
    at = middle + torch.maximum(rx * ux + ry * uy, -_take(chain.length, segment)).clamp(max=0.0)
    # How far the nearest point of the wall is ahead of the joint at the tip, see `dynamics.contacts`.
    offset, distance = ex * (y - edge[..., 1]) - ey * (x - edge[..., 0]), torch.hypot(rx, ry).clamp(min=1e-12)
    beside = torch.where(is_edge, offset * (ey * ux - ex * uy), (rx * ux + ry * uy) * (1.0 - corner[..., 2] / distance))
    ahead = torch.where(sharp, at - chain.length.sum(1, keepdim=True), beside)
    cap = (section.cap + 2.0 * ahead.clamp(max=0.0)).clamp(min=0.0)
    tip = torch.where(sharp | (segment == chain.last), cap, 0.0)
    return TensorPress(
        torch.where(sharp, section.cap - cap, torch.where(is_edge, part * length, length)),
        tip,
        torch.where(sharp, at, middle + torch.where(is_edge, shift, 0.0)),
        torch.where(sharp, item, -1),
        ~is_edge | (beyond == 0) | ((along >= 0) & (along <= wall)),
    )


def _against_edges(
    solids: TensorSolids, section: CrossSection, chain: TensorChain, segment: Tensor, item: Tensor
) -> tuple[Tensor, ...]:
    """Gap, point and normal of a joint beside an edge, and whether the point is the segment's end, which it always is here."""
    edge = solids.edges[item.clamp(min=0)]
    x, y = _take(chain.x, segment + 1), _take(chain.y, segment + 1)
    rx, ry, ex, ey = x - edge[..., 0], y - edge[..., 1], edge[..., 5], edge[..., 6]
    along, offset = rx * ex + ry * ey, ex * ry - ey * rx
    beyond = _length_beyond(section, chain, segment, ex, ey)
    beside = (item >= 0) & (segment <= _last(chain, segment)) & (along >= -beyond) & (along <= edge[..., 7] + beyond)
    if solids.spared:
        beside = beside & (_reached_length(chain, segment) >= edge[..., 8])
    if section.most_dent > 0:  # the far side of a thin obstacle would press on a soft tube through the near one
        beside = beside & ~((offset > 0) & (edge[..., 9] > 0))
    gap = torch.where(beside, offset.abs() - section.radius - edge[..., 4], FAR)
    flip = torch.where(offset >= 0, 1.0, -1.0)
    return gap, x, y, -flip * ey, flip * ex, beside


def _against_corners(
    solids: TensorSolids, section: CrossSection, chain: TensorChain, segment: Tensor, item: Tensor
) -> tuple[Tensor, ...]:
    """Gap, point and normal of the segment, or the joint at its end, at a corner; on a round corner a soft tube lies joint by joint."""
    corner, last = solids.corners[item.clamp(min=0)], _last(chain, segment)
    x, y = _take(chain.x, segment + 1), _take(chain.y, segment + 1)
    ux, uy, length = _take(chain.cosine, segment), _take(chain.sine, segment), _take(chain.length, segment)
    following = torch.minimum(segment + 1, last)
    rx, ry = corner[..., 0] - x, corner[..., 1] - y
    along, offset = rx * ux + ry * uy, ux * ry - uy * rx
    ahead = rx * _take(chain.cosine, following) + ry * _take(chain.sine, following)
    exists = (item >= 0) & (segment <= last)
    if solids.spared:
        exists = exists & (_reached_length(chain, segment) + along.clamp(max=0.0) >= corner[..., 3])
    beside = exists & (along <= 0) & (along >= -length)
    at_end = exists & (along > 0) & ((segment == last) | (ahead < 0))
    if section.most_dent > 0:
        round_one = corner[..., 2] > section.radius
        beside, at_end = beside & ~round_one, torch.where(round_one, exists, at_end)
    # A joint at the corner itself, as the first one is at the one that stands for no corner, has no normal, nor its derivative.
    apart = (rx != 0) | (ry != 0)
    far = torch.where(apart, torch.hypot(torch.where(apart, rx, 1.0), ry), 0.0)
    distance = torch.where(beside, offset.abs(), far)
    divisor = torch.where(distance > 0, distance, 1.0)
    gap = torch.where(beside | at_end, distance - section.radius - corner[..., 2], FAR)
    flip = torch.where(offset >= 0, 1.0, -1.0)
    nx, ny = torch.where(beside, flip * uy, -rx / divisor), torch.where(beside, -flip * ux, -ry / divisor)
    px, py = torch.where(beside, x + along * ux, x), torch.where(beside, y + along * uy, y)
    return gap, px, py, nx, ny, at_end


def _reached_length(chain: TensorChain, segment: Tensor) -> Tensor:
    """Length of tube up to the end of a segment [m]."""
    return _take(torch.cumsum(chain.length, 1), segment)


def _take(values: Tensor, index: Tensor) -> Tensor:
    """values[vine, index], shape of the index."""
    return values.gather(1, index.flatten(1)).view(index.shape)


def _last(chain: TensorChain, index: Tensor) -> Tensor:
    return chain.last.view(-1, *[1] * (index.dim() - 1))


def _cell(solids: TensorSolids, x: Tensor, y: Tensor) -> Tensor:
    """Grid cell of points; for points outside the bounds, the nearest cell."""
    columns, rows = solids.shape
    column = ((x - solids.origin[0]) / solids.cell_size).long().clamp(0, columns - 1)
    row = ((y - solids.origin[1]) / solids.cell_size).long().clamp(0, rows - 1)
    return column * rows + row


def _pad(offsets: Indices, items: Indices) -> Indices:
    """Pad the lists of a grid to a table, one row per cell, with -1."""
    counts = np.diff(offsets)
    table = np.full((len(counts), max(int(counts.max()), 1)), -1, np.int32)
    table[np.arange(table.shape[1]) < counts[:, None]] = items
    return table


def _fill_if_empty(solids: Floats) -> Floats:
    """Return the table or, if it is empty, a single row that no cell lists."""
    return solids if len(solids) else np.zeros((1, solids.shape[1]))
