"""Trace of a deployment: its final shape, the area that it swept, and its contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.geometric.body import FREE, MOST_CONTACTS, LinkedBody, link_length
from dynamics.geometric.walls import Walls
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

MOST_TOUCHED = 500
FAN = np.radians(6)
"""Angular step of the swept area of bodies with turns [rad]; the chords deviate from arcs by at most 0.2 % of the radius."""


class Trace(NamedTuple):
    """Buffers for the trace of one deployment, reused for the next one."""

    nodes: Floats
    """Base, pivots, turns and tip [m], shape (room, 2)."""
    sides: Integers
    """Side on which a corner holds each node: 1 left, -1 right; others 0 or `BASE`; shape (room,)."""
    swept: Floats
    """Triangles that the axis swept through [m], shape (room, 3, 2)."""
    contacts: Floats
    """Touched pieces of the surfaces of the obstacles, not inflated: x1, y1, x2, y2 [m], shape (room, 4)."""
    counts: Integers
    """Numbers of nodes, triangles and contacts, shape (3,)."""
    ends: Floats
    """Grown length [m]; contact angle at the end [rad], NaN if the tip is free; lever arm of its force about the hinge that
    bends [m], 0 if the tube is stuck; force that growth needs as a share of the growth force [-]; shape (4,)."""


@compiled(counted=True)
def new_trace(turns: int = 1, triangles: int = 2000) -> Trace:
    """Allocate buffers for a number of turns and triangles; with 0 triangles the swept area is not recorded."""
    return Trace(
        np.empty((MOST_CONTACTS + turns + 1, 2)),
        np.empty(MOST_CONTACTS + turns + 1, np.int64),
        np.empty((triangles, 3, 2)),
        np.empty((MOST_TOUCHED, 4)),
        np.zeros(3, np.int64),
        np.empty(4),
    )


@compiled()
def full(trace: Trace) -> bool:
    """Whether a triangle did not fit, or the next contacts may not fit."""
    return 0 < len(trace.swept) < trace.counts[1] or trace.counts[2] > MOST_TOUCHED - 3


@compiled()
def touched(trace: Trace, walls: Walls, edge: int, x1: float, y1: float, x2: float, y2: float) -> None:
    """Record the piece of an obstacle behind a piece of an edge."""
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
    """Record an obstacle's corner."""
    row = trace.contacts[trace.counts[2]]
    row[0] = row[2] = walls.surface[corner, 0]
    row[1] = row[3] = walls.surface[corner, 1]
    trace.counts[2] += 1


@compiled()
def triangle(trace: Trace, ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> None:
    """Record a swept triangle."""
    if trace.counts[1] < len(trace.swept):
        corners = trace.swept[trace.counts[1]]
        corners[0, 0], corners[0, 1] = ax, ay
        corners[1, 0], corners[1, 1] = bx, by
        corners[2, 0], corners[2, 1] = cx, cy
    trace.counts[1] += 1


@compiled()
def sweep_link(
    trace: Trace, body: LinkedBody, link: int, hinge: int, before: float, after: float, angle: float
) -> None:
    """Record the area that a link sweeps in a rotation about a hinge by an angle [rad]; its length changes from before to after [m]."""
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
def finish(trace: Trace, body: LinkedBody, tip_x: float, tip_y: float) -> None:
    """Record the body's shape."""
    count = body.nodes[0]
    for i in range(count):
        trace.nodes[i, 0], trace.nodes[i, 1] = body.points[i, 0], body.points[i, 1]
        trace.sides[i] = body.side[i]
    trace.sides[count] = FREE
    trace.nodes[count, 0], trace.nodes[count, 1] = tip_x, tip_y
    trace.counts[0] = count + 1
    trace.ends[0] = body.grown[1]


@compiled()
def sweep_rigid(trace: Trace, body: LinkedBody, hinge: int, last: int, angle: float) -> None:
    """Record the area that the links from a hinge to before node `last` sweep in a rotation about the hinge by an angle [rad]."""
    for link in range(hinge, last):
        length = link_length(body, link)
        sweep_link(trace, body, link, hinge, length, length, angle)
