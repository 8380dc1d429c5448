"""Contacts of a chain of round segments with thickened edges and corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.chain import Chain
from dynamics.cross_section import (
    COMPLIANCE,
    DENT,
    LENGTH,
    OPPOSITE,
    TIP,
    CrossSection,
    dent_compliance,
    holds,
)
from dynamics.scene import Scene, cell_of
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

NO_KEY = -9
"""The key of no row of a step."""
OPEN = 1e3
"""Gap of a contact that is not one [m]."""


class Contacts(NamedTuple):
    """Contact inequalities gap + J d >= 0, one per row; row k depends on the joints 0 ... segment[k]."""

    segment: NDArray[np.int64]
    key: NDArray[np.int64]
    """Identifies the pair of segment and solid, to recognise a contact in the next step."""
    gap: Floats
    """Distance between the surfaces [m], negative for a penetration."""
    alpha: Floats
    """Column j of J is alpha + beta x_j + gamma y_j, where (x_j, y_j) is the pivot of joint j."""
    beta: Floats
    gamma: Floats
    growth: Floats
    """Column of J for the growth of the last segment, without the bending due to growth."""
    pressing: Floats
    """Length of tube on which it presses [m], 1 for a contact of the tip, its dent and the dent of the opposite side [m], and the
    compliance [m/N], in the order of `dynamics.cross_section`, shape (capacity, 5)."""


@compiled()
def new_contacts(capacity: int) -> Contacts:
    """Allocate `capacity` contacts."""
    return Contacts(
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty((capacity, 5)),
    )


@compiled(inline="always")
def _add(
    contacts: Contacts,
    count: int,
    segment: int,
    key: int,
    gap: float,
    point: tuple[float, float],
    normal: tuple[float, float],
    growth: float,
    length: float,
    tip: bool,
) -> int:
    """Append the contact of a point [m] on a segment, pushed along a normal; return the new number of contacts.

    Args:
        length: Length of tube on which it presses [m].
        tip: Whether it presses on the cap at the tip.
    """
    if count < len(contacts.gap) - 4:  # four rows are reserved for tip friction and the bounds of the growth
        contacts.segment[count] = segment
        contacts.key[count] = key
        contacts.gap[count] = gap
        (px, py), (nx, ny) = point, normal
        contacts.alpha[count] = px * ny - py * nx
        contacts.beta[count] = -ny
        contacts.gamma[count] = nx
        contacts.growth[count] = growth
        contacts.pressing[count, LENGTH], contacts.pressing[count, TIP] = length, tip
        count += 1
    return count


@compiled()
def find_contacts(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, segments: int, contacts: Contacts
) -> int:
    """Find all contacts with a gap below the margin; return their number.

    The closest points of two straight pieces include an end of one of them. So it is sufficient to test joints against
    edges, and corners against segments, or against the joint itself where a corner projects beyond one segment and
    before the next. The mount does not touch the first length of the tube that it spares.
    """
    soft, radius = section.most_dent > 0.0, section.radius
    # In a soft tube, a contact that has passed to the next segment would hold the dent twice.
    count, fading = 0, -np.inf if soft else 0.1 * margin
    # Unpacking an array from a tuple takes as long as a look-up in it: unpack each array once.
    xs, ys, cosine, sine, lengths, films = chain.x, chain.y, chain.cosine, chain.sine, chain.length, chain.film
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
            # The far side of a thin obstacle, solid on its left, presses on a soft tube through the near one.
            if gap < margin and not reached < edges[edge, 8] and not (soft and offset > 0.0 and edges[edge, 4] == 0.0):
                flip = 1.0 if offset >= 0.0 else -1.0
                nx, ny = -flip * ey, flip * ex
                growth = nx * ux + ny * uy if last else 0.0
                length = 0.5 * (films[i] if last else films[i] + films[i + 1])
                count = _add(contacts, count, i, i * solids + edge, gap, (x, y), (nx, ny), growth, length, last)
        for item in range(corner_offsets[cell], corner_offsets[cell + 1]):
            corner = corner_items[item]
            rx, ry = corners[corner, 0] - x, corners[corner, 1] - y
            reach = radius + corners[corner, 2] + margin
            along = rx * ux + ry * uy
            key = i * solids + len(edges) + corner
            length = section.corner_length if corners[corner, 2] <= radius else films[i]
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
                        normal = (-sx / distance, -sy / distance)
                        count = _add(contacts, count, i - 1, key, gap, (xs[i], ys[i]), normal, 0.0, length, False)
                    continue
                flip, gap = -1.0 if offset >= 0.0 else 1.0, abs(offset) - reach + margin
                point, normal = (x + along * ux, y + along * uy), (-flip * uy, flip * ux)
                count = _add(contacts, count, i, key, gap, point, normal, 0.0, length, False)
            else:
                distance = np.sqrt(rx * rx + ry * ry)
                outside = last or rx * cosine[i + 1] + ry * sine[i + 1] < 0.0
                if distance < (reach if outside else reach - margin + fading) and not reached < corners[corner, 3]:
                    nx, ny = -rx / distance, -ry / distance
                    growth, gap = nx * ux + ny * uy if last else 0.0, distance - reach + margin
                    # A sharp corner at the tip presses on the cap alone.
                    length = 0.0 if last and corners[corner, 2] <= radius else length
                    count = _add(contacts, count, i, key, gap, (x, y), (nx, ny), growth, length, last)
    if soft:
        _keep_nearest(scene, section, contacts, count)
        _give_way(section, contacts, count, chain)
    else:
        contacts.pressing[:count, COMPLIANCE] = section.compliance
        contacts.pressing[:count, DENT] = -contacts.gap[:count]
    return count


@compiled()
def _keep_nearest(scene: Scene, section: CrossSection, contacts: Contacts, count: int) -> None:
    """Open all contacts of a sharp corner with neighbouring segments but that of the nearest: together they are one dent."""
    segment, key, gap = contacts.segment, contacts.key, contacts.gap
    edges, corners = len(scene.edges), scene.corners
    solids = edges + len(corners)
    for k in range(count):
        corner = key[k] % solids - edges
        if gap[k] >= 0.0 or corner < 0 or corners[corner, 2] > section.radius:
            continue
        for m in range(k + 1, count):
            if segment[m] > segment[k] + 2:
                break
            if key[m] % solids == corner + edges and gap[m] < 0.0:
                if gap[m] < gap[k]:
                    gap[k] = OPEN
                    break
                gap[m] = OPEN


@compiled()
def _give_way(section: CrossSection, contacts: Contacts, count: int, chain: Chain) -> None:
    """Compute how each contact dents the tube, and let it give way."""
    pressing, gap = contacts.pressing, contacts.gap
    for k in range(count):
        pressing[k, DENT] = max(-gap[k], 0.0)
    for k in range(count):
        pressing[k, OPPOSITE] = _opposite_dent(contacts, count, k) if gap[k] < 0.0 else 0.0
    for k in range(count):
        pressing[k, COMPLIANCE], taken_up = dent_compliance(section, pressing[k])
        gap[k] += taken_up
        squeezed = pressing[k, OPPOSITE] / pressing[k, DENT] if gap[k] < 0.0 else 0.0
        if taken_up == 0.0 and pressing[k, TIP] > 0.0 and squeezed > 0.0:
            _turn_aside(contacts, k, chain, min(squeezed, 1.0))


@compiled()
def _opposite_dent(contacts: Contacts, count: int, k: int) -> float:
    """Dent of the side opposite to a contact, on its segment or a neighbour of it [m]: the largest, times the cosine between the
    directions."""
    segment, pressing, largest = contacts.segment, contacts.pressing, 0.0
    for way in (-1, 1):
        m = k + way
        # Contacts are in the order of their segments.
        while 0 <= m < count and abs(segment[m] - segment[k]) <= 1:
            against = -contacts.beta[m] * contacts.beta[k] - contacts.gamma[m] * contacts.gamma[k]
            largest = max(largest, against * pressing[m, DENT])
            m += way
    return largest


@compiled()
def _turn_aside(contacts: Contacts, k: int, chain: Chain, share: float) -> None:
    """Take a share of what holds the growth away from a contact of a tip that walls squeeze from both sides.

    The tip everts into a narrower cross-section there. What that costs is the area that it lacks, not a force against the cap.
    """
    last = contacts.segment[k]
    ux, uy, nx, ny = chain.cosine[last], chain.sine[last], contacts.gamma[k], -contacts.beta[k]
    along = nx * ux + ny * uy
    if along < 0.0:
        nx, ny = nx - share * along * ux, ny - share * along * uy
        length = np.sqrt(nx * nx + ny * ny)
        if length > 0.0:
            nx, ny, x, y = nx / length, ny / length, chain.x[last + 1], chain.y[last + 1]
            contacts.alpha[k], contacts.beta[k], contacts.gamma[k] = x * ny - y * nx, -ny, nx
            contacts.growth[k] = nx * ux + ny * uy


@compiled()
def carried_by(key: int, keys: Integers, forces: Floats) -> float:
    """Force that a contact carried in the last step [N].

    Args:
        keys: Of the contacts that carried one, `NO_KEY` beyond them.
        forces: Their forces [N].
    """
    for i in range(len(keys)):
        if keys[i] == key:
            return float(forces[i])
        if keys[i] == NO_KEY:
            break
    return 0.0


@compiled()
def too_deep(
    section: CrossSection, contacts: Contacts, count: int, tolerance: float, keys: Integers, forces: Floats
) -> bool:
    """Whether any of the first `count` contacts penetrates deeper than the tolerance [m] and than the tube gives way to its force.

    Args:
        keys: See `carried_by`.
        forces: The same.
    """
    rigid = section.most_dent == 0.0
    for k in range(count):
        pressing = contacts.pressing[k]
        if pressing[DENT] > tolerance and (
            rigid or not holds(section, pressing, carried_by(contacts.key[k], keys, forces), tolerance)
        ):
            return True
    return False
