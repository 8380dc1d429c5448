"""Contacts of a batch of chains with thickened edges and corners, in tensors of a fixed shape."""

from __future__ import annotations

import torch
from torch import Tensor

from dynamics.contacts import SHORTEST
from dynamics.cross_section import CrossSection
from dynamics.penalty.chain import TensorChain
from dynamics.penalty.rows import FAR, Place, TensorContacts
from dynamics.penalty.section import TensorPress, TensorTouch, fade, give, squeezed_share, turn_aside
from dynamics.penalty.solids import TensorSolids
from dynamics.soft_contacts import FADING

STOPS = 16
"""Number of contacts, the deepest ones, whose dents are limited to the largest one in a step."""


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
    most = most_contacts(chain.cosine.shape[1], section.most_dent > 0)
    with torch.no_grad():  # the choice of contacts needs no gradients
        segment, item = _choose(solids, section, margin, chain, most)
    rigid, place = _touch(solids, section, margin, chain, segment, item)
    if section.most_dent == 0:
        return rigid
    press = _press(solids, section, chain, segment, item)
    # What presses on no length is no contact.
    gap = torch.where(press.length + press.tip < SHORTEST * section.radius, FAR, rigid.gap)
    return _give_way(section, chain, rigid, TensorTouch(gap, rigid.nx, rigid.ny), place, press, margin)


def _choose(
    solids: TensorSolids, section: CrossSection, margin: float, chain: TensorChain, most: int
) -> tuple[Tensor, Tensor]:
    """Choose the contacts with the smallest gaps, as many for each vine, some also beyond the margin.

    Returns:
        Segment, and edge or, after all edges, corner of each contact, sorted by gaps, shape (batch, contacts).
    """
    batch, segments = chain.cosine.shape
    cell = _cell(solids, chain.x[:, 1:], chain.y[:, 1:])
    edge, corner = solids.near_edges[cell].long(), solids.near_corners[cell].long()
    every = torch.arange(segments, device=cell.device).expand(batch, -1)[..., None]
    edge_gap = _against_edges(solids, section, chain, every.expand_as(edge), edge)[0]
    corner_gap = _against_corners(solids, section, chain, every.expand_as(corner), corner)[0]
    gaps = torch.cat([edge_gap, corner_gap], 2)
    looked_at = min(most, gaps[0].numel())
    near, nearest = torch.topk(gaps.flatten(1), looked_at, 1, largest=False)
    if near.device.type == "cpu" and len(near):  # a device is not asked, which would wait for it
        nearest = nearest[:, : max(int((near < margin).sum(1).max()), 1)]
    corner = torch.where(corner >= 0, len(solids.edges) + corner, corner)
    return nearest // gaps.shape[2], torch.cat([edge, corner], 2).flatten(1).gather(1, nearest)


def _touch(
    solids: TensorSolids, section: CrossSection, margin: float, chain: TensorChain, segment: Tensor, item: Tensor
) -> tuple[TensorContacts, Place]:
    """Contacts of a rigid cross-section, and where they are; differentiable."""
    edges, none = len(solids.edges), torch.full_like(item, -1)
    is_edge = item < edges
    with_edge = _against_edges(solids, section, chain, segment, torch.where(is_edge, item, none))
    with_corner = _against_corners(solids, section, chain, segment, torch.where(is_edge, none, item - edges))
    gap, px, py, nx, ny, at_end = (torch.where(is_edge, a, b) for a, b in zip(with_edge, with_corner, strict=True))
    found = gap < margin
    nx, ny = torch.where(found, nx, 0.0), torch.where(found, ny, 0.0)
    touch, place = TensorTouch(torch.where(found, gap, FAR), nx, ny), Place(px, py, at_end)
    return _rows(chain, segment, touch, place)._replace(item=torch.where(found, item, none)), place


def _rows(chain: TensorChain, segment: Tensor, touch: TensorTouch, place: Place) -> TensorContacts:
    """Contacts of a rigid cross-section, of which those at the end of the last segment move with it as it grows."""
    gap, nx, ny = touch
    alpha = (place.x * ny - place.y * nx)[..., None]
    jacobian = alpha - ny[..., None] * chain.pivot_x[:, None] + nx[..., None] * chain.pivot_y[:, None]
    moves = torch.arange(chain.cosine.shape[1], device=segment.device) <= segment[..., None]
    cosine, sine = chain.cosine.gather(1, segment), chain.sine.gather(1, segment)
    growth = torch.where(place.at_end & (segment == chain.last), nx * cosine + ny * sine, 0.0)
    jacobian = torch.where(moves, jacobian, 0.0)
    return TensorContacts(
        segment, gap, jacobian, growth, gap.new_zeros(*gap.shape, 0), segment, gap.new_zeros(len(gap)), nx, ny
    )


def _give_way(
    section: CrossSection,
    chain: TensorChain,
    rigid: TensorContacts,
    touch: TensorTouch,
    place: Place,
    press: TensorPress,
    margin: float,
) -> TensorContacts:
    """Contacts of a tube that gives way: the contacts of its dents, and the limits of the deepest dents."""
    segment, deepest = rigid.segment, slice(min(STOPS, rigid.gap.shape[1]))
    heading = chain.cosine.gather(1, segment), chain.sine.gather(1, segment)
    squeezing = fade(section, touch, press, FADING * margin)
    aside = turn_aside(section, touch, squeezing, rigid.growth, heading, margin)
    soft = _rows(chain, segment, aside, place)
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
    solids: TensorSolids, section: CrossSection, chain: TensorChain, segment: Tensor, item: Tensor
) -> TensorPress:
    """Pressing of contacts on soft tubes, as in `dynamics.contacts.find_contacts`."""
    edges = len(solids.edges)
    is_edge = (item >= 0) & (item < edges)
    edge, corner = solids.edges[torch.where(is_edge, item, 0)], solids.corners[(item - edges).clamp(min=0)]
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
