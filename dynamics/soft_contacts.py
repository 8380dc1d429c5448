"""Contacts of a tube whose cross-section gives way: the dents that they share, and whether their forces hold them."""

from __future__ import annotations

import math

import numpy as np

from dynamics.chain import Chain
from dynamics.contact_rows import NO_KEY, SPARE_ROWS, STOP_KEYS, Contacts, is_of_actuator
from dynamics.cross_section import (
    ASIDE,
    AT,
    COMPLIANCE,
    CORNER,
    DENT,
    FOLLOWS,
    LAW,
    LENGTH,
    MOST,
    NEAREST,
    RIGID,
    TIP,
    CrossSection,
    dent_compliance,
)  # fmt: skip
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

NARROW = 0.1
"""A passage that is narrower than the tube by this share of the radius, or more, squeezes its tip [-]; by less, partly."""
FADING = 0.1
"""A corner that has slid past the end of a segment is a contact of it up to a gap of this share of the margin [-]."""
LEAST_LEFT = 1e-6
"""Share that is always left of a contact [-]: the compliance of none would be infinite."""


@compiled()
def neighbours(contacts: Contacts, count: int, k: int, reach: float) -> tuple[int, int]:
    """First and last, plus 1, of the contacts that press nearer to contact k along the tube than a reach [m], itself among them.

    Contacts are in the order of their segments, but a corner may press up to a segment before or behind a contact next to it in that
    order, and one that fades is listed after those of the next segment. So contacts between the first and the last may be farther away,
    and the search ends two segments beyond the nearest of those.
    """
    pressing, segment, at = contacts.pressing, contacts.segment, contacts.pressing[k, AT]
    first, end, least, most = k, k + 1, 0, len(pressing)
    for m in range(k - 1, -1, -1):
        if segment[m] < least:
            break
        if abs(pressing[m, AT] - at) < reach:
            first = m
        else:
            least = max(least, segment[m] - 2)
    for m in range(k + 1, count):
        if segment[m] > most:
            break
        if abs(pressing[m, AT] - at) < reach:
            end = m + 1
        else:
            most = min(most, segment[m] + 2)
    return first, end


@compiled()
def give_way(section: CrossSection, contacts: Contacts, count: int, chain: Chain, margin: float) -> int:
    """Compute how each contact dents the tube, let it give way, and append the contacts where dents end; return the number of all.

    A dent ends at a rigid contact of its own: so both hold the tube there, and nothing changes at once where it is reached.

    Args:
        margin: Contacts with a larger gap are not considered [m].
    """
    pressing, gap = contacts.pressing, contacts.gap
    for k in range(count):
        pressing[k, DENT], pressing[k, RIGID], pressing[k, ASIDE] = max(-gap[k], 0.0), 0.0, 0.0
    for k in range(count):
        nearest = _nearest(section, contacts, count, k)
        pressing[k, NEAREST], pressing[k, LAW] = nearest, dent_compliance(section, pressing[nearest])
        pressing[k, COMPLIANCE] = section.compliance + pressing[k, LAW]
    _fade(contacts, count, FADING * margin)
    every = _add_stops(contacts, count, margin)
    hold_rigid(section, contacts, count, every)
    for k in range(count):
        if contacts.growth[k] < 0.0:
            pressing[k, ASIDE] = _squeezed(section, contacts, count, k, margin)
    for k in range(count):
        # After all were looked at: to turn one changes what the others see.
        if pressing[k, ASIDE] > 0.0:
            _turn_aside(contacts, k, chain, pressing[k, ASIDE])
    return every


@compiled()
def _fade(contacts: Contacts, count: int, passed: float) -> None:
    """Take away what a corner squeezes where it has slid past the end of a segment: it does at the segment where it is nearest.

    Args:
        passed: By how much deeper it is there, for nothing to be left [m].
    """
    pressing, gap = contacts.pressing, contacts.gap
    for k in range(count):
        left = max(1.0 - (gap[k] - gap[int(pressing[k, NEAREST])]) / passed, LEAST_LEFT)
        if left < 1.0:
            pressing[k, LENGTH], pressing[k, TIP] = left * pressing[k, LENGTH], left * pressing[k, TIP]


@compiled()
def _add_stops(contacts: Contacts, count: int, margin: float) -> int:
    """Append the places where dents end; return the number of all rows."""
    pressing, every = contacts.pressing, count
    for k in range(count):
        stop = contacts.gap[k] + pressing[k, MOST]
        if stop < margin and every < len(contacts.gap) - SPARE_ROWS:
            contacts.first[every], contacts.segment[every] = contacts.first[k], contacts.segment[k]
            contacts.key[every], contacts.gap[every] = STOP_KEYS + contacts.key[k], stop
            contacts.alpha[every], contacts.beta[every] = contacts.alpha[k], contacts.beta[k]
            contacts.gamma[every], contacts.growth[every] = contacts.gamma[k], contacts.growth[k]
            pressing[every, AT], pressing[every, CORNER], pressing[every, MOST] = pressing[k, AT], -1.0, np.inf
            pressing[every, LENGTH] = pressing[every, TIP] = pressing[every, LAW] = pressing[every, ASIDE] = 0.0
            every += 1
    return every


@compiled()
def hold_rigid(section: CrossSection, contacts: Contacts, first: int, count: int) -> None:
    """Let contacts not give way, from the first of them on."""
    pressing = contacts.pressing
    for k in range(first, count):
        pressing[k, NEAREST], pressing[k, DENT], pressing[k, RIGID] = k, -contacts.gap[k], 1.0
        pressing[k, COMPLIANCE] = section.compliance


@compiled()
def _nearest(section: CrossSection, contacts: Contacts, count: int, k: int) -> int:
    """The deepest contact of the corner that presses at contact k: its dent, of whichever segment is nearest, has one law."""
    pressing, nearest = contacts.pressing, k
    if pressing[k, CORNER] >= 0.0:
        reach = shared_reach(section)
        first, end = neighbours(contacts, count, k, reach)
        for m in range(first, end):
            apart = abs(pressing[m, AT] - pressing[k, AT])
            if pressing[m, CORNER] == pressing[k, CORNER] and contacts.gap[m] < contacts.gap[nearest] and apart < reach:
                nearest = m
    return nearest


@compiled()
def _squeezed(section: CrossSection, contacts: Contacts, count: int, k: int, margin: float) -> float:
    """Whether a passage squeezes the tube at a contact, from 0 to 1: by how much it is narrower than the tube, over `NARROW`.

    That depends on the width of the passage, not on where the tube is in it. Walls that press farther apart along the tube squeeze it
    less, and so does one that presses on less than a corner does.
    """
    pressing, gap, largest, reach = contacts.pressing, contacts.gap, 0.0, 2.0 * section.radius
    first, end = neighbours(contacts, count, k, reach)
    for m in range(first, end):
        against = -contacts.beta[m] * contacts.beta[k] - contacts.gamma[m] * contacts.gamma[k]
        if against > 0.0:
            # A wall beyond the margin is not known: it begins to count from there on.
            narrower = min(min(-(gap[k] + gap[m]), margin - gap[m]) / (NARROW * section.radius), 1.0)
            nearness = max(1.0 - abs(pressing[m, AT] - pressing[k, AT]) / reach, 0.0)
            size = min((pressing[m, LENGTH] + pressing[m, TIP]) / section.cap, 1.0)
            largest = max(largest, against * narrower * nearness * size)
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
    if pressing[k, RIGID] > 0.0 or pressing[m, RIGID] > 0.0:
        return 0.0
    common = _common(contacts, int(pressing[k, NEAREST]), int(pressing[m, NEAREST]), reach)
    return float(common * math.sqrt(pressing[k, LAW] * pressing[m, LAW]))


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
    return float(along * share / math.sqrt((length + tip) * (long + cap)))


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
        length = math.sqrt(nx * nx + ny * ny)
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
        if contacts.pressing[k, DENT] > tolerance:
            gives_way = not rigid or is_of_actuator(contacts, k)
            if not (gives_way and held(section, contacts, count, k, tolerance, keys, forces)):
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
    first, end = neighbours(contacts, count, k, reach)
    for m in range(first, end):
        if m != k:
            given += shared_compliance(contacts, k, m, reach) * carried_by(contacts.key[m], keys, forces)
    return bool(given >= -tolerance)


@compiled()
def squeezed_share(section: CrossSection, contacts: Contacts, count: int) -> float:
    """Share of the cross-section that the tip lacks where walls squeeze it [-]: (1 - h)^2 of a stadium with the height h, in diameters.

    Where one wall dents the tip, its opposite side recedes by a third. So another wall there holds it only from so deep on; up to then
    the height is given in proportion.
    """
    pressing, narrowest = contacts.pressing, 0.0
    if section.most_dent == 0.0:
        return 0.0
    for k in range(count):
        if pressing[k, TIP] > 0.0 and pressing[k, DENT] > 0.0:
            for m in range(k):
                against = -contacts.beta[m] * contacts.beta[k] - contacts.gamma[m] * contacts.gamma[k]
                if pressing[m, TIP] > 0.0 and pressing[m, DENT] > 0.0 and against > 0.0:
                    one, other = pressing[k, DENT], pressing[m, DENT]
                    lacking = min(one + other, (1.0 + 1.0 / FOLLOWS) * min(one, other))
                    on_cap = min(pressing[k, TIP], pressing[m, TIP]) / section.cap
                    narrowest = max(narrowest, against * on_cap * lacking)
    return (0.5 * narrowest / section.radius) ** 2
