"""Conversion of a body of links to the segments of other propagators, whose joints lie on the links."""

from __future__ import annotations

import numpy as np

from dynamics.geometric.body import BASE, FREE
from dynamics.geometric.trace import Trace
from dynamics.links import link as bent_link
from surrogate.kernels.compiled import Floats, compiled

SHARE = 0.8
"""Share of the penetration tolerance that segments may use where they cut a corner [-]."""
TINY = 1e-14
"""Lengths agree when they differ by no more [m]: rounding."""
MOST_TRIES = 60
"""Maximum number of lengths tried for one segment; each is closer by a factor of about ten."""
HALVINGS = 60


@compiled()
def keep_off_corners(trace: Trace, segment_length: float, radius: float, tolerance: float) -> None:
    """Move nodes that are held by corners outwards, so that segments with joints on the links do not cut into the corners.

    A segment across a bend b passes the bend at a distance of at most half its length times sin(b / 2). The point of the
    inflated corner leaves a clearance of at least radius (1 / cos(b / 2) - 1).
    """
    count, nodes = trace.counts[0], trace.nodes
    before = np.arctan2(nodes[1, 1] - nodes[0, 1], nodes[1, 0] - nodes[0, 0])
    for i in range(1, count - 1):
        after = np.arctan2(nodes[i + 1, 1] - nodes[i, 1], nodes[i + 1, 0] - nodes[i, 0])
        half = (after - before + np.pi) % (2 * np.pi) / 2 - np.pi / 2
        side = trace.sides[i]
        if side != FREE and side != BASE:
            cut = segment_length / 2 * np.sin(abs(half)) - radius * (1 / np.cos(half) - 1) - SHARE * tolerance
            if cut > 0:
                nodes[i, 0] += side * cut * np.sin(before + half)
                nodes[i, 1] -= side * cut * np.cos(before + half)
        before = after


@compiled()
def lay_segments(
    trace: Trace, segment_length: float, most: int, heading: float, pivots: Floats, angles: Floats, along: Floats
) -> tuple[int, float]:
    """Place joints on the links of a body, the length of a bent segment's centreline apart, and the end of the last one at the tip.

    A segment bends by the angle between its chord and the one before; by that an actuator or a preformed bend shortens it.

    Args:
        segment_length: Length of a segment's film [m].
        most: Maximum number of segments.
        heading: Heading of the base [rad].
        pivots: Distance of each joint's pivot from the centreline [m], see `dynamics.links.link`, shape (>= most,).
        angles: Receives the bend of each joint [rad], same shape.
        along: Receives the distance of each joint from the base along the body [m], same shape.
    Returns:
        Number of segments, and length of the last one's film [m]; more than a segment length if the body is longer than `most` segments.
    """
    nodes, last = trace.nodes, trace.counts[0] - 1
    x, y, link, passed, segments = nodes[0, 0], nodes[0, 1], 0, 0.0, 0
    while True:
        distance, next_x, next_y, after, reached, away, angle = segment_length, x, y, link, False, 0.0, 0.0
        for _ in range(MOST_TRIES):
            next_x, next_y, after, reached = nodes[last, 0], nodes[last, 1], last, False
            if segments < most - 1:
                next_x, next_y, after, reached = point_at(trace, x, y, link, distance)
            away = np.hypot(next_x - x, next_y - y)
            toward = np.arctan2(next_y - y, next_x - x) if away > 0 else heading
            angle = (toward - heading + np.pi) % (2 * np.pi) - np.pi
            tried, distance = distance, bent_link(segment_length, angle, pivots[segments])[0]
            if abs(distance - tried) < TINY:
                break
        if away <= 1e-10 and segments > 0:
            return segments, segment_length
        angles[segments], along[segments] = angle, passed + np.hypot(x - nodes[link, 0], y - nodes[link, 1])
        heading, segments = toward, segments + 1
        if not reached:
            return segments, film_of(away, angle, pivots[segments - 1])
        while link < after:
            passed += np.hypot(nodes[link + 1, 0] - nodes[link, 0], nodes[link + 1, 1] - nodes[link, 1])
            link += 1
        x, y = next_x, next_y


@compiled()
def point_at(trace: Trace, x: float, y: float, link: int, distance: float) -> tuple[float, float, int, bool]:
    """Find the first point of a body beyond a joint that is a distance [m] away from it, or the tip if there is none.

    Args:
        x, y: The joint [m], on a link.
        link: Number of that link.
    Returns:
        x, y [m], the link of the point, and whether there is one.
    """
    nodes, last = trace.nodes, trace.counts[0] - 1
    while link < last:
        # Where the link leaves the circle about the joint; the joint is within it or on the link.
        px, py = nodes[link, 0] - x, nodes[link, 1] - y
        dx, dy = nodes[link + 1, 0] - nodes[link, 0], nodes[link + 1, 1] - nodes[link, 1]
        length = np.hypot(dx, dy)
        if length > 0:
            ux, uy = dx / length, dy / length
            along = px * ux + py * uy
            inside = along * along - px * px - py * py + distance**2
            part = np.sqrt(inside) - along if inside >= 0 else np.inf
            if part <= length:
                return nodes[link, 0] + part * ux, nodes[link, 1] + part * uy, link, True
        link += 1
    return nodes[last, 0], nodes[last, 1], last, False


@compiled()
def film_of(length: float, bend: float, pivot: float) -> float:
    """Length of a bent link's film [m], from that of its centreline: undoes `dynamics.links.link`, whose length rises with the film."""
    low, high = length, length + abs(pivot * bend)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if bent_link(middle, bend, pivot)[0] < length:
            low = middle
        else:
            high = middle
    return high
