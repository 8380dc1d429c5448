"""The axis of a growing tube as straight links between nodes, where it bends or is held by a corner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

STRAIGHT = 1e-12
"""Smaller bends are rounding errors [rad]."""
BASE, FREE = 2, 0
"""Values of `LinkedBody.side` for a base, which holds the body on both sides, and for a turn that touches nothing."""
MOST_CONTACTS = 60
"""Capacity for nodes in addition to the turns."""


class LinkedBody(NamedTuple):
    """Nodes from the base to the last one before the tip; each starts a link, the last node's ends at the tip."""

    points: Floats
    """Nodes [m], shape (room, 2)."""
    heading: Floats
    """Heading of the link after each node [rad], shape (room,)."""
    natural: Floats
    """Natural bend of each node, its turn [rad], shape (room,)."""
    bend: Floats
    """Bend of each node [rad], shape (room,)."""
    side: Integers
    """Side on which an obstacle holds each node: 1 left, -1 right, or `BASE`, or `FREE`; shape (room,)."""
    nodes: Integers
    """Number of nodes, shape (1,)."""
    grown: Floats
    """Length of the last link, and of the whole body [m], shape (2,)."""


@compiled(counted=True)
def new_body(turns: int) -> LinkedBody:
    """An empty body with capacity for this many turns."""
    room = MOST_CONTACTS + turns
    return LinkedBody(
        np.empty((room, 2)),
        np.empty(room),
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int64),
        np.zeros(1, np.int64),
        np.zeros(2),
    )


@compiled()
def insert(body: LinkedBody, at: int, x: float, y: float, heading: float, turn: float, side: int) -> bool:
    """Insert a node before node `at`; return whether there was capacity for it."""
    count = body.nodes[0]
    if count == len(body.side):
        return False
    for i in range(count, at, -1):
        copy(body, i - 1, i)
    body.points[at, 0], body.points[at, 1] = x, y
    body.heading[at] = heading
    body.natural[at] = body.bend[at] = turn
    body.side[at] = side
    body.nodes[0] = count + 1
    return True


@compiled()
def let_go(body: LinkedBody, after: int) -> None:
    """Release the nodes after node `after` from their contacts: turns and bends remain, straight nodes are removed."""
    x, y = tip_of(body)
    kept = after + 1
    for i in range(after + 1, body.nodes[0]):
        if body.natural[i] != 0 or abs(body.bend[i]) > STRAIGHT:
            copy(body, i, kept)
            body.side[kept] = FREE
            kept += 1
    body.nodes[0] = kept
    body.grown[0] = np.hypot(x - body.points[kept - 1, 0], y - body.points[kept - 1, 1])


@compiled()
def copy(body: LinkedBody, source: int, target: int) -> None:
    """Copy one node to another."""
    body.points[target, 0], body.points[target, 1] = body.points[source, 0], body.points[source, 1]
    body.heading[target] = body.heading[source]
    body.natural[target], body.bend[target] = body.natural[source], body.bend[source]
    body.side[target] = body.side[source]


@compiled()
def tip_of(body: LinkedBody) -> tuple[float, float]:
    """Position of the tip [m]."""
    last = body.nodes[0] - 1
    heading, length = body.heading[last], body.grown[0]
    return body.points[last, 0] + length * np.cos(heading), body.points[last, 1] + length * np.sin(heading)


@compiled()
def link_length(body: LinkedBody, i: int) -> float:
    """Length of the link after node i [m]."""
    if i == body.nodes[0] - 1:
        return body.grown[0]
    return np.hypot(body.points[i + 1, 0] - body.points[i, 0], body.points[i + 1, 1] - body.points[i, 1])


@compiled()
def rotate(body: LinkedBody, hinge: int, last: int, angle: float) -> None:
    """Rotate the nodes after a hinge up to `last`, and the links between them, about the hinge by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    for i in range(hinge + 1, last + 1):
        dx, dy = body.points[i, 0] - x, body.points[i, 1] - y
        body.points[i, 0], body.points[i, 1] = x + c * dx - s * dy, y + s * dx + c * dy
    for i in range(hinge, last):
        body.heading[i] += angle
    body.bend[hinge] += angle
