"""Contacts of a chain of round segments with thickened edges and corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.chain import Chain
from dynamics.cross_section import (
    AT,
    COMPLIANCE,
    CORNER,
    DENT,
    FOLLOWS,
    LAW,
    LENGTH,
    MOST,
    NEAREST,
    STOPPED,
    TIP,
    CrossSection,
    dent_compliance,
)
from dynamics.scene import Scene, cell_of
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

NO_KEY = -9
"""The key of no row of a step."""
NARROW = 0.1
"""A passage that is narrower than the tube by this share of the radius, or more, squeezes its tip [-]; by less, partly."""


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
    """How it presses on the tube, see `dynamics.cross_section.LENGTH` and the following, shape (capacity, 10)."""


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
        np.empty((capacity, 10)),
    )


class Press(NamedTuple):
    """How a contact presses on the tube."""

    length: float
    """Length of tube on which it presses [m]."""
    tip: float
    """The length of tube that is as stiff as the cap [m] if it presses on the cap at the tip, else 0."""
    at: float
    """Distance of the middle of that length from the base along the tube [m]."""
    corner: float
    """Index of the corner that presses; -1 for an edge."""
    most: float
    """Dent beyond which the cross-section is rigid there [m]."""


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
    press: Press,
) -> int:
    """Append the contact of a point [m] on a segment, pushed along a normal; return the new number of contacts."""
    if count < len(contacts.gap) - 4:  # four rows are reserved for tip friction and the bounds of the growth
        contacts.segment[count] = segment
        contacts.key[count] = key
        contacts.gap[count] = gap
        (px, py), (nx, ny) = point, normal
        contacts.alpha[count] = px * ny - py * nx
        contacts.beta[count] = -ny
        contacts.gamma[count] = nx
        contacts.growth[count] = growth
        pressing = contacts.pressing
        pressing[count, LENGTH], pressing[count, TIP] = press.length, press.tip
        pressing[count, AT], pressing[count, CORNER], pressing[count, MOST] = press.at, press.corner, press.most
        count += 1
    return count


@compiled(inline="always")
def _beside(press: Press, along: float, wall: float, beyond: float, ahead: bool) -> Press:
    """How an edge presses on the part of a joint's length that is beside it.

    Args:
        press: The same of an endless edge.
        along: Place of the joint along the edge [m].
        wall: Length of the edge [m].
        beyond: Half of the length of tube that belongs to the joint, along the edge [m].
        ahead: Whether the tube grows in the direction of the edge.
    """
    if beyond == 0.0:
        return press
    low, high = max(along - beyond, 0.0), min(along + beyond, wall)
    shift = 0.5 * (low + high) - along
    # Beyond the end of an edge, its corner limits the dent.
    most = press.most if 0.0 <= along <= wall else np.inf
    return Press(
        0.5 * (high - low) / beyond * press.length, press.tip, press.at + (shift if ahead else -shift), -1.0, most
    )


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
        ahead = 0.0 if last else 0.5 * films[i + 1]
        length, middle = 0.5 * films[i] + ahead, 0.5 * ahead - 0.25 * films[i]
        for item in range(edge_offsets[cell], edge_offsets[cell + 1]):
            edge = edge_items[item]
            rx, ry = x - edges[edge, 0], y - edges[edge, 1]
            ex, ey, wall = edges[edge, 5], edges[edge, 6], edges[edge, 7]
            along = rx * ex + ry * ey
            beyond = 0.5 * length * abs(ex * ux + ey * uy) if soft and not last else 0.0
            if along < -beyond or along > wall + beyond:
                continue
            offset = ex * ry - ey * rx
            gap = abs(offset) - radius - edges[edge, 4]
            # The far side of a thin obstacle, solid on its left, presses on a soft tube through the near one.
            if gap < margin and not reached < edges[edge, 8] and not (soft and offset > 0.0 and edges[edge, 4] == 0.0):
                flip = 1.0 if offset >= 0.0 else -1.0
                nx, ny = -flip * ey, flip * ex
                growth = nx * ux + ny * uy if last else 0.0
                press = Press(length, section.cap if last else 0.0, reached + middle, -1.0, section.most_dent)
                if soft:
                    press = _beside(press, along, wall, beyond, ex * ux + ey * uy > 0.0)
                count = _add(contacts, count, i, i * solids + edge, gap, (x, y), (nx, ny), growth, press)
        for item in range(corner_offsets[cell], corner_offsets[cell + 1]):
            corner = corner_items[item]
            rx, ry = corners[corner, 0] - x, corners[corner, 1] - y
            reach = radius + corners[corner, 2] + margin
            along = rx * ux + ry * uy
            key = i * solids + len(edges) + corner
            sharp = corners[corner, 2] <= radius
            long = section.cap if sharp else films[i]
            press = Press(long, 0.0, reached + min(along, 0.0), float(corner), section.most_dent)
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
                        count = _add(contacts, count, i - 1, key, gap, (xs[i], ys[i]), (nx, ny), 0.0, press)
                    continue
                flip, gap = -1.0 if offset >= 0.0 else 1.0, abs(offset) - reach + margin
                point, normal = (x + along * ux, y + along * uy), (-flip * uy, flip * ux)
                count = _add(contacts, count, i, key, gap, point, normal, 0.0, press)
            else:
                distance = np.sqrt(rx * rx + ry * ry)
                outside = last or rx * cosine[i + 1] + ry * sine[i + 1] < 0.0
                if distance < (reach if outside else reach - margin + fading) and not reached < corners[corner, 3]:
                    nx, ny = -rx / distance, -ry / distance
                    growth, gap = nx * ux + ny * uy if last else 0.0, distance - reach + margin
                    if last:
                        press = Press(0.0 if sharp else long, section.cap, reached, float(corner), section.most_dent)
                    count = _add(contacts, count, i, key, gap, (x, y), (nx, ny), growth, press)
    if soft:
        _give_way(section, contacts, count, chain)
    else:
        contacts.pressing[:count, COMPLIANCE] = section.compliance
        contacts.pressing[:count, DENT] = -contacts.gap[:count]
    return count


@compiled()
def _give_way(section: CrossSection, contacts: Contacts, count: int, chain: Chain) -> None:
    """Compute how each contact dents the tube, and let it give way."""
    pressing, gap = contacts.pressing, contacts.gap
    for k in range(count):
        pressing[k, DENT] = max(-gap[k], 0.0)
    for k in range(count):
        nearest = _nearest(section, contacts, count, k)
        pressing[k, NEAREST] = nearest
        pressing[k, LAW], pressing[k, STOPPED] = dent_compliance(section, pressing[nearest])
        pressing[k, COMPLIANCE] = section.compliance + (pressing[k, LAW] if pressing[k, STOPPED] == 0.0 else 0.0)
    for k in range(count):
        if pressing[k, STOPPED] == 0.0 and pressing[k, TIP] > 0.0 and gap[k] < 0.0:
            _turn_aside(contacts, k, chain, _squeezed(section, contacts, count, k))
    for k in range(count):
        if pressing[k, STOPPED] > 0.0:
            gap[k] += pressing[int(pressing[k, NEAREST]), MOST]
            if pressing[k, NEAREST] == k:
                _share_stop(section, contacts, count, k)


@compiled()
def _share_stop(section: CrossSection, contacts: Contacts, count: int, k: int) -> None:
    """Let a contact that dents the tube as far as possible take along its neighbours: their dents need no force of their own."""
    pressing, reach = contacts.pressing, shared_reach(section)
    for way in (-1, 1):
        m = k + way
        while 0 <= m < count and abs(pressing[m, AT] - pressing[k, AT]) < reach:
            if pressing[m, STOPPED] == 0.0:
                common = _common(contacts, k, int(pressing[m, NEAREST]), reach)
                contacts.gap[m] += common * np.sqrt(pressing[k, LAW] * pressing[m, LAW]) * pressing[k, STOPPED]
            m += way


@compiled()
def _nearest(section: CrossSection, contacts: Contacts, count: int, k: int) -> int:
    """The deepest contact of the corner that presses at contact k: its dent, of whichever segment is nearest, has one law."""
    pressing, reach, nearest = contacts.pressing, shared_reach(section), k
    corner, at = pressing[k, CORNER], pressing[k, AT]
    if corner >= 0.0:
        for way in (-1, 1):
            m = k + way
            while 0 <= m < count and abs(pressing[m, AT] - at) < reach:
                if pressing[m, CORNER] == corner and pressing[m, DENT] > pressing[nearest, DENT]:
                    nearest = m
                m += way
    return nearest


@compiled()
def _squeezed(section: CrossSection, contacts: Contacts, count: int, k: int) -> float:
    """Whether a passage squeezes the tube at a contact, from 0 to 1: by how much it is narrower than the tube, over `NARROW`.

    That depends on the width of the passage, not on where the tube is in it. Walls that press farther apart along the tube squeeze it
    less.
    """
    pressing, gap, largest, reach = contacts.pressing, contacts.gap, 0.0, 2.0 * section.radius
    for way in (-1, 1):
        m = k + way
        # Contacts are in the order of their segments.
        while 0 <= m < count and abs(pressing[m, AT] - pressing[k, AT]) < reach:
            against = -contacts.beta[m] * contacts.beta[k] - contacts.gamma[m] * contacts.gamma[k]
            if against > 0.0:
                narrower = min(-(gap[k] + gap[m]) / (NARROW * section.radius), 1.0)
                nearness = 1.0 - abs(pressing[m, AT] - pressing[k, AT]) / reach
                largest = max(largest, against * narrower * nearness)
            m += way
    return largest


@compiled()
def shared_reach(section: CrossSection) -> float:
    """Contacts share compliance if they are nearer to each other along the tube [m]: about as near as a corner can be to both."""
    return 3.0 * section.radius if section.most_dent > 0.0 else 0.0


@compiled()
def shared_compliance(contacts: Contacts, k: int, m: int, reach: float) -> float:
    """Dent of contact k by a unit force of another contact m, and the reverse [m/N].

    Both press on the lengths of tube that they have in common. So a dent is held once, however many edges and corners its wall has,
    and by whichever of them is nearest; and the opposite side recedes.

    Args:
        reach: See `shared_reach` [m].
    """
    pressing = contacts.pressing
    if pressing[k, STOPPED] > 0.0 or pressing[m, STOPPED] > 0.0:
        return 0.0
    common = _common(contacts, int(pressing[k, NEAREST]), int(pressing[m, NEAREST]), reach)
    return float(common * np.sqrt(pressing[k, LAW] * pressing[m, LAW]))


@compiled()
def _common(contacts: Contacts, one: int, other: int, reach: float) -> float:
    """Share of the tube that two contacts have in common [-]: of the lengths, in the same direction, and of the cap."""
    pressing = contacts.pressing
    apart = abs(pressing[one, AT] - pressing[other, AT])
    along = contacts.beta[one] * contacts.beta[other] + contacts.gamma[one] * contacts.gamma[other]
    if one == other:
        return 1.0
    if apart >= reach:
        return 0.0
    length, long, tip, cap = pressing[one, LENGTH], pressing[other, LENGTH], pressing[one, TIP], pressing[other, TIP]
    common = max(min(0.5 * (length + long) - apart, length, long), 0.0)
    share = -FOLLOWS * common if along < 0.0 else common + min(tip, cap)
    return float(along * share / np.sqrt((length + tip) * (long + cap)))


@compiled()
def _turn_aside(contacts: Contacts, k: int, chain: Chain, share: float) -> None:
    """Take a share of what holds the growth away from a contact of a tip that walls squeeze from both sides [-].

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
        if contacts.pressing[k, DENT] > tolerance and (
            rigid or not held(section, contacts, count, k, tolerance, keys, forces)
        ):
            return True
    return False


@compiled()
def held(
    section: CrossSection, contacts: Contacts, count: int, k: int, tolerance: float, keys: Integers, forces: Floats
) -> bool:
    """Whether the forces of the last step hold the dent of a contact, give or take a tolerance [m]; see `too_deep`."""
    if contacts.gap[k] >= -tolerance or contacts.pressing[k, NEAREST] != k:
        return True
    pressing, reach = contacts.pressing, shared_reach(section)
    given = contacts.gap[k] + pressing[k, COMPLIANCE] * carried_by(contacts.key[k], keys, forces)
    for way in (-1, 1):
        m = k + way
        # Contacts are in the order of their segments.
        while 0 <= m < count and abs(pressing[m, AT] - pressing[k, AT]) < reach:
            shared = shared_compliance(contacts, k, m, reach)
            if shared > 0.0:
                given += shared * carried_by(contacts.key[m], keys, forces)
            m += way
    return bool(given >= -tolerance)
