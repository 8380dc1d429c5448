"""Contact of a tube with its own body: rows of the same problem as those of walls.

The body is the union of its segments, each thickened by the radius. Two parts touch where their axes are a diameter apart, and the
closest points of two segments include an end of one: so joints are tested against segments, outer joints against inner
segments and inner joints against outer segments. Bends of joints before the inner part turn both parts: a row depends only on the
joints between them.

Parts nearer along the film than `APART` do not touch. A tube bends at most about its own wall, its axis with the radius R. Parts
less than pi R of axis apart are then nearer than a diameter without touching; they take up to 2 pi R of film under an actuator, which
shortens the axis to a half. And no axis of that curvature crosses itself within 2 pi R. The film counts, not the axis: where a pair of
parts touched or not as links shorten, a vine would never come to rest.
"""

from __future__ import annotations

import math

import numpy as np

from dynamics.chain import Chain
from dynamics.contact_rows import ALONE, Contacts, add
from dynamics.nearby import Blocks, near_segments
from surrogate.kernels.compiled import compiled

APART = 2 * np.pi
"""Least length of film between two parts of a tube that can touch, in radii [-]."""
CROSSED = -1
"""Returned instead of a number of contacts: axes of the tube cross, so no normal tells on which side its parts should be."""
FADING = 0.1
"""Share of the margin up to which a contact is kept that slides past an end of a segment [-], as at a corner of a wall."""
SELF_KEY = -5
"""Keys of contacts of the tube with itself are this or less; other rows have keys above."""


def segments_apart(radius: float, full: float) -> int:
    """Least number of segments between a joint and a segment that can touch.

    Args:
        full: Length of a segment's film [m].
    """
    return int(np.ceil(APART * radius / full))


@compiled(forceinline=True)
def _at_corner(chain: Chain, joint: int, x: float, y: float, segments: int) -> bool:
    """Whether a point lies beyond the end of the segment before a joint, and before the start of the one after it."""
    rx, ry = x - chain.x[joint], y - chain.y[joint]
    beyond = joint == 0 or rx * chain.cosine[joint - 1] + ry * chain.sine[joint - 1] > 0.0
    return beyond and (joint == segments or rx * chain.cosine[joint] + ry * chain.sine[joint] < 0.0)


@compiled()
def _crossed(chain: Chain, a: int, b: int) -> bool:
    """Whether the axes of two segments cross."""
    ux, uy, vx, vy = chain.cosine[a], chain.sine[a], chain.cosine[b], chain.sine[b]
    rx, ry, turn = chain.x[b] - chain.x[a], chain.y[b] - chain.y[a], ux * vy - uy * vx
    # Where each axis meets the line of the other, times the sine of the angle between them.
    on_a, on_b = rx * vy - ry * vx, rx * uy - ry * ux
    if turn < 0.0:
        turn, on_a, on_b = -turn, -on_a, -on_b
    return turn > 0.0 and 0.0 <= on_a <= turn * chain.length[a] and 0.0 <= on_b <= turn * chain.length[b]


@compiled()
def _add_pair(
    chain: Chain, contacts: Contacts, count: int, joint: int, segment: int, segments: int, radius: float, margin: float
) -> int:
    """Add the contact of a joint with a segment of another part of the tube; returns the number of contacts.

    Where the nearest point of the segment is one of its ends, the two joints are nearest to each other only if both are at a corner
    of their part; otherwise another row holds the two parts apart. Each distance has one row: two equal ones would be stiffer.
    """
    xs, ys, ux, uy, length = chain.x, chain.y, chain.cosine[segment], chain.sine[segment], chain.length[segment]
    rx, ry, most = xs[joint] - xs[segment], ys[joint] - ys[segment], 2.0 * radius + margin
    along, outer = rx * ux + ry * uy, joint > segment
    first, last, x, y = segment + 1, segment, xs[segment] + along * ux, ys[segment] + along * uy
    if not 0.0 <= along <= length:
        end = segment + 1 if along > length else segment
        first, last, x, y = end, end - 1, xs[end], ys[end]
        if not _at_corner(chain, end, xs[joint], ys[joint], segments):
            # A pressed contact that slides past an end of a segment fades instead of vanishing, as at a corner of a wall.
            most = 2.0 * radius + FADING * margin
        elif not (outer and _at_corner(chain, joint, x, y, segments)):
            return count
    nx, ny = xs[joint] - x, ys[joint] - y
    distance = math.sqrt(nx * nx + ny * ny)
    if not 0.0 < distance < most:
        return count
    key, gap, nx, ny = SELF_KEY - (joint * len(xs) + segment), distance - 2.0 * radius, nx / distance, ny / distance
    if not outer:
        return add(contacts, count, (joint, last), key, gap, ((x, y), (-nx, -ny)), 0.0, ALONE)
    growth = nx * chain.cosine[joint - 1] + ny * chain.sine[joint - 1] if joint == segments else 0.0
    return add(contacts, count, (first, joint - 1), key, gap, ((xs[joint], ys[joint]), (nx, ny)), growth, ALONE)


@compiled(forceinline=True)
def _add_some(
    chain: Chain,
    contacts: Contacts,
    count: int,
    some: tuple[int, int],
    b: int,
    segments: int,
    radius: float,
    margin: float,
) -> int:
    """Add the contacts of segment b with those from some[0] up to some[1]; returns the number of contacts, or `CROSSED`.

    Pairs that are clearly not in contact are passed over here: a call takes longer.
    """
    # Unpacking an array from a tuple takes longer than a look-up in it: unpack each array once.
    xs, ys, cosine, sine, lengths = chain.x, chain.y, chain.cosine, chain.sine, chain.length
    reach, fading = 2.0 * radius + margin, (2.0 * radius + FADING * margin) ** 2
    for a in range(some[0], some[1]):
        # Twice the distance of their middles, and twice their half lengths.
        dx, dy = xs[b] + xs[b + 1] - xs[a] - xs[a + 1], ys[b] + ys[b + 1] - ys[a] - ys[a + 1]
        apart, both = dx * dx + dy * dy, lengths[a] + lengths[b]
        if apart >= (2.0 * reach + both) ** 2:
            continue
        if apart <= both * both and _crossed(chain, a, b):
            return CROSSED
        for way in range(2):
            joint, segment = (b + 1, a) if way == 0 else (a, b)
            rx, ry, ux, uy = xs[joint] - xs[segment], ys[joint] - ys[segment], cosine[segment], sine[segment]
            along = rx * ux + ry * uy
            if 0.0 <= along <= lengths[segment]:
                if abs(ux * ry - uy * rx) >= reach:
                    continue
            else:
                end, after, sign = (segment, segment - 1, 1.0) if along < 0.0 else (segment + 1, segment + 1, -1.0)
                rx, ry = xs[joint] - xs[end], ys[joint] - ys[end]
                apart = rx * rx + ry * ry
                if apart >= reach * reach:
                    continue
                if apart >= fading and 0 <= after < segments and sign * (rx * cosine[after] + ry * sine[after]) <= 0.0:
                    continue
            count = _add_pair(chain, contacts, count, joint, segment, segments, radius, margin)
    return count


@compiled()
def add_self_contacts(
    chain: Chain,
    segments: int,
    radius: float,
    margin: float,
    least: int,
    contacts: Contacts,
    count: int,
    blocks: Blocks,
) -> int:
    """Append all contacts of a tube with itself with a gap below the margin; returns the number of contacts, or `CROSSED`.

    Args:
        margin: More than the largest motion of a step, twice: each of two parts may move so far towards the other.
        least: See `segments_apart`.
        blocks: For this tube, margin and `least` only.
    """
    if segments <= least:
        return count
    near, runs, numbers = blocks.near, blocks.runs, blocks.numbers
    for m in range(near_segments(chain, segments, 2.0 * radius + margin, radius, least, blocks)):
        b = near[m]
        for r in range(numbers[b]):
            some = runs[b, r, 0], runs[b, r, 1]
            count = _add_some(chain, contacts, count, some, b, segments, radius, margin)
            if count == CROSSED:
                return CROSSED
    return count
