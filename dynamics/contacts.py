"""Rows of contact, and the contacts of a chain of round segments with thickened edges and corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.chain import Chain
from dynamics.scene import Scene, cell_of
from surrogate.compiled import Floats, compiled


class Contacts(NamedTuple):
    """Contact inequalities gap + J d >= 0, one per row; row k depends on the joints first[k] ... segment[k]."""

    segment: NDArray[np.int64]
    first: NDArray[np.int64]
    """0, or for a contact of the tube with itself the first joint beyond the inner part: both parts follow those before it."""
    key: NDArray[np.int64]
    """Identifies the pair of segment and solid, or of joint and segment, to recognise a contact in the next step."""
    gap: Floats
    """Distance between the surfaces [m], negative for a penetration."""
    alpha: Floats
    """Column j of J is alpha + beta x_j + gamma y_j, where (x_j, y_j) is the pivot of joint j."""
    beta: Floats
    gamma: Floats
    growth: Floats
    """Column of J for the growth of the last segment, without the bending due to growth."""


@compiled()
def new_contacts(capacity: int) -> Contacts:
    """Allocate `capacity` contacts."""
    return Contacts(
        np.empty(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
    )


@compiled(inline="always")
def add_contact(
    contacts: Contacts,
    count: int,
    joints: tuple[int, int],
    key: int,
    gap: float,
    point: tuple[float, float],
    normal: tuple[float, float],
    growth: float,
) -> int:
    """Append the contact of a point [m] on a segment, pushed along a normal; return the new number of contacts.

    Args:
        joints: `Contacts.first`, and the segment.
    """
    if count < len(contacts.gap) - 4:  # four rows are reserved for tip friction and the bounds of the growth
        contacts.first[count], contacts.segment[count] = joints
        contacts.key[count] = key
        contacts.gap[count] = gap
        (px, py), (nx, ny) = point, normal
        contacts.alpha[count] = px * ny - py * nx
        contacts.beta[count] = -ny
        contacts.gamma[count] = nx
        contacts.growth[count] = growth
        count += 1
    return count


@compiled()
def find_contacts(scene: Scene, radius: float, margin: float, chain: Chain, segments: int, contacts: Contacts) -> int:
    """Find all contacts with a gap below the margin; return their number.

    The closest points of two straight pieces include an end of one of them. So it is sufficient to test joints against
    edges, and corners against segments, or against the joint itself where a corner projects beyond one segment and
    before the next. The mount does not touch the first length of the tube that it spares.
    """
    count, fading = 0, 0.1 * margin
    # Unpacking an array from a tuple takes as long as a look-up in it: unpack each array once.
    xs, ys, cosine, sine, lengths = chain.x, chain.y, chain.cosine, chain.sine, chain.length
    edges, edge_offsets, edge_items = scene.edges, scene.edge_offsets, scene.edge_items
    corners, corner_offsets, corner_items = scene.corners, scene.corner_offsets, scene.corner_items
    solids, reached = len(edges) + len(corners), 0.0
    for i in range(segments):
        reached += lengths[i]
        x, y = xs[i + 1], ys[i + 1]
        ux, uy = cosine[i], sine[i]
        last = i == segments - 1
        cell = cell_of(scene, x, y)
        for item in range(edge_offsets[cell], edge_offsets[cell + 1]):
            edge = edge_items[item]
            rx, ry = x - edges[edge, 0], y - edges[edge, 1]
            ex, ey = edges[edge, 5], edges[edge, 6]
            along = rx * ex + ry * ey
            if along < 0.0 or along > edges[edge, 7]:
                continue
            offset = ex * ry - ey * rx
            gap = abs(offset) - radius - edges[edge, 4]
            if gap < margin and not reached < edges[edge, 8]:
                flip = 1.0 if offset >= 0.0 else -1.0
                nx, ny = -flip * ey, flip * ex
                growth = nx * ux + ny * uy if last else 0.0
                count = add_contact(contacts, count, (0, i), i * solids + edge, gap, (x, y), (nx, ny), growth)
        for item in range(corner_offsets[cell], corner_offsets[cell + 1]):
            corner = corner_items[item]
            rx, ry = corners[corner, 0] - x, corners[corner, 1] - y
            reach = radius + corners[corner, 2] + margin
            along = rx * ux + ry * uy
            key = i * solids + len(edges) + corner
            if along <= 0.0:
                offset = ux * ry - uy * rx
                if abs(offset) >= reach or reached + along < corners[corner, 3]:
                    continue
                if along < -lengths[i]:
                    # A pressed contact that slides past an end of a segment fades instead of vanishing.
                    sx, sy = corners[corner, 0] - xs[i], corners[corner, 1] - ys[i]
                    distance = np.sqrt(sx * sx + sy * sy)
                    gap = distance - reach + margin
                    if gap < fading and i > 0:
                        nx, ny = -sx / distance, -sy / distance
                        count = add_contact(contacts, count, (0, i - 1), key, gap, (xs[i], ys[i]), (nx, ny), 0.0)
                    continue
                flip = -1.0 if offset >= 0.0 else 1.0
                point, normal = (x + along * ux, y + along * uy), (-flip * uy, flip * ux)
                count = add_contact(contacts, count, (0, i), key, abs(offset) - reach + margin, point, normal, 0.0)
            else:
                distance = np.sqrt(rx * rx + ry * ry)
                outside = last or rx * cosine[i + 1] + ry * sine[i + 1] < 0.0
                if distance < (reach if outside else reach - margin + fading) and not reached < corners[corner, 3]:
                    nx, ny = -rx / distance, -ry / distance
                    growth = nx * ux + ny * uy if last else 0.0
                    count = add_contact(
                        contacts, count, (0, i), key, distance - reach + margin, (x, y), (nx, ny), growth
                    )
    return count


@compiled()
def too_deep(contacts: Contacts, count: int, tolerance: float) -> bool:
    """Whether any of the first `count` contacts penetrates deeper than the tolerance [m]."""
    return contacts.gap[:count].min() < -tolerance if count else False
