"""Contacts of the actuators of a tube with its own body, where two of its parts lie beside each other.

The part of a tube beside the middle of a segment is a line: that of each segment there, which counts the less the farther the middle is
from its own. An actuator on the side of either part that faces the other keeps them apart by its thickness, and gives way as it does to
a wall, see `dynamics.actuator_contacts`; two of them are springs in series. Each part holds the other on half of its length. Where a
section or the tube ends, the thickness tapers off instead of the stiffness: without one, the tubes themselves touch, see
`dynamics.self_contact`. So the energy is continuous in the pose.
"""

from __future__ import annotations

import math

from dynamics.chain import Chain
from dynamics.contact_rows import ACTUATOR_KEYS, ALONE, Contacts, add
from dynamics.cross_section import CrossSection
from dynamics.nearby import Blocks
from dynamics.soft_contacts import LEAST_LEFT, scale_row
from surrogate.kernels.compiled import compiled

WIDE = 2
"""Lengths of a segment up to which its line counts beside its middle [-]: with 1, twice as many vines that coil find no rest."""


@compiled(forceinline=True)
def reach_with_actuators(apart: float, thickness: float, full: float) -> float:
    """How far from each other two segments can be that are in contact [m], without actuators and with those of a thickness.

    Args:
        apart: Without actuators [m].
        thickness: Of the thickest [m]; 0 for none.
        full: Length of a segment's film [m].
    """
    return math.hypot(apart + 2.0 * thickness, WIDE * full) if thickness > 0.0 else apart


@compiled(forceinline=True)
def _weight(chain: Chain, segment: int, along: float) -> float:
    """Weight of the line of a segment beside a point [-]: 1 beside its middle, nothing from `WIDE` of its lengths beside it on."""
    length = chain.length[segment]
    return max(1.0 - abs(along - 0.5 * length) / (WIDE * length), 0.0) if length > 0.0 else 0.0


@compiled()
def _share(chain: Chain, segments: int, segment: int, x: float, y: float) -> float:
    """Share of the line of a segment in the part of the tube beside a point [-]."""
    own = whole = 0.0
    for k in range(max(segment - 2 * WIDE + 1, 0), min(segment + 2 * WIDE, segments)):
        weight = _weight(chain, k, (x - chain.x[k]) * chain.cosine[k] + (y - chain.y[k]) * chain.sine[k])
        own, whole = weight if k == segment else own, whole + weight
    return own / max(whole, 1.0)


@compiled()
def _tapered(chain: Chain, segments: int, segment: int, radius: float) -> float:
    """Share of its thickness that the actuator of a segment has at its middle [-]."""
    thickness = chain.thickness[segment]
    before = after = ahead = 0.5 * chain.length[segment]
    k = segment - 1
    while k >= 0 and chain.thickness[k] == thickness and 2.0 * before < abs(thickness):
        before, k = before + chain.length[k], k - 1
    k = segment + 1
    while k < segments and chain.thickness[k] == thickness and 2.0 * after < abs(thickness):
        after, k = after + chain.length[k], k + 1
    k = segment + 1
    while k < segments and ahead < radius:
        ahead, k = ahead + chain.length[k], k + 1
    return min(2.0 * min(before, after) / abs(thickness), ahead / radius, 1.0)


@compiled()
def _standing(chain: Chain, segments: int, segment: int, towards: tuple[float, float], radius: float) -> float:
    """Share of its thickness by which the actuator of a segment stands out in a direction [-]; 0 without one on that side."""
    thickness = chain.thickness[segment]
    facing = towards[1] * chain.cosine[segment] - towards[0] * chain.sine[segment]
    if thickness * facing <= 0.0:
        return 0.0
    return min(2.0 * abs(facing), 1.0) * _tapered(chain, segments, segment, radius)


@compiled()
def _add_middle(
    section: CrossSection,
    margin: float,
    chain: Chain,
    segments: int,
    contacts: Contacts,
    count: int,
    pair: tuple[int, int],
) -> int:
    """Add the contact of the middle of the first segment of a pair with the line of the other; return the number of contacts."""
    middle, line = pair
    half = 0.5 * chain.length[middle]
    x, y = chain.x[middle] + half * chain.cosine[middle], chain.y[middle] + half * chain.sine[middle]
    rx, ry, ux, uy = x - chain.x[line], y - chain.y[line], chain.cosine[line], chain.sine[line]
    along, offset = rx * ux + ry * uy, ux * ry - uy * rx
    if half == 0.0 or _weight(chain, line, along) == 0.0:
        return count
    flip = 1.0 if offset >= 0.0 else -1.0
    nx, ny = -flip * uy, flip * ux
    own = _standing(chain, segments, middle, (-nx, -ny), section.radius)
    other = _standing(chain, segments, line, (nx, ny), section.radius)
    between = own * abs(chain.thickness[middle]) + other * abs(chain.thickness[line])
    gap = abs(offset) - 2.0 * section.radius - between
    if between == 0.0 or gap >= margin:
        return count
    inner, outer = min(middle, line), max(middle, line)
    if inner == middle:
        # A row holds the outer part away from the inner one.
        nx, ny = -nx, -ny
    key, before = -ACTUATOR_KEYS - (middle * segments + line), count
    count = add(contacts, count, (inner + 1, outer), key, gap, ((x, y), (nx, ny)), 0.0, ALONE)
    if count > before:
        # Without pressure a segment has neither thickness nor stiffness.
        compliance = own / chain.stiffness[middle] if own > 0.0 else 0.0
        compliance += other / chain.stiffness[line] if other > 0.0 else 0.0
        length = max(_share(chain, segments, line, x, y), LEAST_LEFT) * half
        scale_row(section, contacts, before, compliance / length)
    return count


@compiled()
def add_actuator_self_contacts(
    section: CrossSection, margin: float, chain: Chain, segments: int, contacts: Contacts, count: int, blocks: Blocks
) -> int:
    """Append all contacts of the actuators of a tube with its own body with a gap below the margin; return the number of contacts.

    Args:
        margin: As of `dynamics.self_contact.add_self_contacts` [m].
        blocks: With the lists of that.
    """
    near, runs, numbers, xs, ys, lengths = blocks.near, blocks.runs, blocks.numbers, chain.x, chain.y, chain.length
    for m in range(blocks.listed[1]):
        b = near[m]
        for r in range(numbers[b]):
            for a in range(runs[b, r, 0], runs[b, r, 1]):
                thickness = abs(chain.thickness[a]) + abs(chain.thickness[b])
                # Twice the distance of their middles, against twice the farthest of those that touch.
                dx, dy = xs[b] + xs[b + 1] - xs[a] - xs[a + 1], ys[b] + ys[b + 1] - ys[a] - ys[a + 1]
                apart, along = 2.0 * section.radius + thickness + margin, WIDE * max(lengths[a], lengths[b])
                if thickness == 0.0 or dx * dx + dy * dy >= 4.0 * (apart * apart + along * along):
                    continue
                count = _add_middle(section, margin, chain, segments, contacts, count, (b, a))
                count = _add_middle(section, margin, chain, segments, contacts, count, (a, b))
    return count
