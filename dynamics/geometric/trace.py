"""What a deployment leaves behind: its shape, what it swept through, and what it touched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.geometric.body import FREE, MOST_CONTACTS, Body, link_length
from dynamics.geometric.walls import Walls
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

MOST_TOUCHED = 500
FAN = np.radians(6)
"""Bodies with turns sweep in steps of this [rad]; the arcs of their nodes are cut by 0.2 % of their radius at most."""


class Trace(NamedTuple):
    """Buffers for all that one deployment leaves behind, reused for the next one."""

    nodes: Floats
    """Base, pivots, turns and tip [m], shape (room, 2)."""
    sides: Integers
    """Where a corner holds each node: 1 on the left, -1 on the right; others 0 or `BASE`; shape (room,)."""
    swept: Floats
    """Triangles that the axis swept through [m], shape (room, 3, 2)."""
    contacts: Floats
    """Pieces of the obstacles' own surface known to be there: x1, y1, x2, y2 [m], shape (room, 4)."""
    counts: Integers
    """How many nodes, triangles and contacts there are, shape (3,)."""
    ends: Floats
    """Length grown [m]; contact angle at the end [rad], NaN where the tip is free; lever of its force on what bends [m], 0 where
    it is stuck; shape (3,)."""


@compiled()
def new_trace(turns: int = 1, triangles: int = 2000) -> Trace:
    """Buffers for a tube with this many turns and triangles; with none, no triangles are kept."""
    return Trace(
        np.empty((MOST_CONTACTS + turns + 1, 2)),
        np.empty(MOST_CONTACTS + turns + 1, np.int64),
        np.empty((triangles, 3, 2)),
        np.empty((MOST_TOUCHED, 4)),
        np.zeros(3, np.int64),
        np.empty(3),
    )


@compiled()
def full(trace: Trace) -> bool:
    """Whether a triangle did not fit, or the next contacts may not fit."""
    return 0 < len(trace.swept) < trace.counts[1] or trace.counts[2] > MOST_TOUCHED - 3


@compiled()
def touched(trace: Trace, walls: Walls, edge: int, x1: float, y1: float, x2: float, y2: float) -> None:
    """Note the piece of an obstacle behind a piece of an edge."""
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    x, y = walls.behind[edge, 0], walls.behind[edge, 1]
    most = (walls.behind[edge, 2] - x) * dx + (walls.behind[edge, 3] - y) * dy
    first = min(max((x1 - x) * dx + (y1 - y) * dy, 0.0), most)
    second = min(max((x2 - x) * dx + (y2 - y) * dy, 0.0), most)
    row = trace.contacts[trace.counts[2]]
    row[0], row[1], row[2], row[3] = x + first * dx, y + first * dy, x + second * dx, y + second * dy
    trace.counts[2] += 1


@compiled()
def touched_corner(trace: Trace, walls: Walls, corner: int) -> None:
    """Note an obstacle's corner."""
    row = trace.contacts[trace.counts[2]]
    row[0] = row[2] = walls.surface[corner, 0]
    row[1] = row[3] = walls.surface[corner, 1]
    trace.counts[2] += 1


@compiled()
def triangle(trace: Trace, ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> None:
    """Note a swept triangle."""
    if trace.counts[1] < len(trace.swept):
        corners = trace.swept[trace.counts[1]]
        corners[0, 0], corners[0, 1] = ax, ay
        corners[1, 0], corners[1, 1] = bx, by
        corners[2, 0], corners[2, 1] = cx, cy
    trace.counts[1] += 1


@compiled()
def sweep_link(trace: Trace, body: Body, link: int, hinge: int, before: float, after: float, angle: float) -> None:
    """Note what a link sweeps while all turns about a hinge by an angle [rad]; its length goes from before to after [m]."""
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    px, py = body.points[link, 0] - x, body.points[link, 1] - y
    ux, uy = np.cos(body.heading[link]), np.sin(body.heading[link])
    qx, qy = px + before * ux, py + before * uy
    rx, ry = px + after * ux, py + after * uy
    c, s = np.cos(angle), np.sin(angle)
    ex, ey = x + c * rx - s * ry, y + s * rx + c * ry
    triangle(trace, x + px, y + py, x + qx, y + qy, ex, ey)
    if link != hinge:
        triangle(trace, x + px, y + py, ex, ey, x + c * px - s * py, y + s * px + c * py)


@compiled()
def finish(trace: Trace, body: Body, tip_x: float, tip_y: float) -> None:
    """Note the body's shape."""
    count = body.nodes[0]
    for i in range(count):
        trace.nodes[i, 0], trace.nodes[i, 1] = body.points[i, 0], body.points[i, 1]
        trace.sides[i] = body.side[i]
    trace.sides[count] = FREE
    trace.nodes[count, 0], trace.nodes[count, 1] = tip_x, tip_y
    trace.counts[0] = count + 1
    trace.ends[0] = body.grown[1]


@compiled()
def sweep_rigid(trace: Trace, body: Body, hinge: int, last: int, angle: float) -> None:
    """Note what the links from a hinge to before node `last` sweep as they turn about the hinge by an angle [rad]."""
    for link in range(hinge, last):
        length = link_length(body, link)
        sweep_link(trace, body, link, hinge, length, length, angle)
