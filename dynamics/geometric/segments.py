"""Conversion of a body of links to the segments of other propagators, whose joints lie on the links."""

from __future__ import annotations

import numpy as np

from dynamics.geometric.body import BASE, FREE
from dynamics.geometric.trace import Trace
from surrogate.kernels.compiled import Floats, compiled

SHARE = 0.8
"""Share of the penetration tolerance that segments may use where they cut a corner [-]."""


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
def lay_segments(trace: Trace, segment_length: float, most: int, heading: float, angles: Floats) -> tuple[int, float]:
    """Place joints on the links of a body, one segment length apart, and the end of the last segment at the tip.

    Args:
        most: Maximum number of segments.
        heading: Heading of the base [rad].
        angles: Receives the bend of each joint [rad].
    Returns:
        Number of segments, and length of the last one [m]; more than a segment length if the body is longer than `most` segments.
    """
    nodes, last = trace.nodes, trace.counts[0] - 1
    x, y, link = nodes[0, 0], nodes[0, 1], 0
    segments = 0
    while True:
        next_x, next_y, reached = nodes[last, 0], nodes[last, 1], False
        if segments < most - 1:
            while link < last and not reached:
                # Where the link leaves the circle about the joint; the joint is within it or on the link.
                px, py = nodes[link, 0] - x, nodes[link, 1] - y
                dx, dy = nodes[link + 1, 0] - nodes[link, 0], nodes[link + 1, 1] - nodes[link, 1]
                length = np.hypot(dx, dy)
                if length > 0:
                    ux, uy = dx / length, dy / length
                    along = px * ux + py * uy
                    inside = along * along - px * px - py * py + segment_length**2
                    part = np.sqrt(inside) - along if inside >= 0 else np.inf
                    if part <= length:
                        next_x, next_y, reached = nodes[link, 0] + part * ux, nodes[link, 1] + part * uy, True
                        break
                link += 1
        away = np.hypot(next_x - x, next_y - y)
        if away <= 1e-10 and segments > 0:
            return segments, segment_length
        toward = np.arctan2(next_y - y, next_x - x) if away > 0 else heading
        angles[segments] = (toward - heading + np.pi) % (2 * np.pi) - np.pi
        heading, segments = toward, segments + 1
        if not reached:
            return segments, away
        x, y = next_x, next_y
