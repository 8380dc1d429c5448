"""The drag of the tail in the geometric model: the force that it leaves at the tip, and where a tube sticks for lack of it."""

from __future__ import annotations

import numpy as np

from dynamics.drive import available_force
from dynamics.geometric.body import LinkedBody, link_length, tip_of
from dynamics.geometric.hinges import HingeTube, YieldMotion
from dynamics.geometric.motion import swing
from dynamics.geometric.touch import Touch
from dynamics.geometric.trace import Trace
from dynamics.geometric.walls import Walls
from surrogate.kernels.compiled import compiled

HALVINGS = 45
"""Halvings of a slide to find where the tube sticks; what is left of 10 m is less than a rounding error."""


@compiled(counted=True)
def share_left(body: LinkedBody, tube: HingeTube) -> float:
    """Share of the growth force that the tail leaves at the tip [-]."""
    if tube.tail.tension == 0.0 and tube.tail.drag == 0.0:
        return 1.0
    count = body.nodes[0]
    lengths = np.empty(count)
    for i in range(count):
        lengths[i] = link_length(body, i)
    return available_force(1.0, tube.tail, body.bend, lengths, count)


@compiled()
def straight_room(tube: HingeTube, left: float) -> float:
    """Length by which a tip can still grow straight ahead [m].

    Args:
        left: See `share_left`.
    """
    if left <= 0.0:
        return 0.0
    return left / tube.tail.drag if tube.tail.drag > 0.0 else np.inf


@compiled()
def with_force(tube: HingeTube, left: float) -> HingeTube:
    """The tube with the reach that a share of its growth force gives it [-], more than 0."""
    return HingeTube(tube.radius, tube.friction, tube.reach / left, tube.tail)


@compiled()
def _drives(body: LinkedBody, walls: Walls, edge: int, tube: HingeTube, motion: YieldMotion) -> bool:
    """Whether the force left at the tip of a sliding tube still turns its hinge."""
    left = share_left(body, tube)
    if left <= 0.0 or motion.lever == np.inf:
        return left > 0.0
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    fx, fy = dy - motion.slide * tube.friction * dx, -dx - motion.slide * tube.friction * dy
    x, y = tip_of(body)
    heading, px, py = body.heading[body.nodes[0] - 1], body.points[motion.hinge, 0], body.points[motion.hinge, 1]
    along = fx * np.cos(heading) + fy * np.sin(heading)
    return bool(abs((x - px) * fy - (y - py) * fx) >= -tube.reach / left * along)


@compiled(counted=True)
def slide_driven(
    body: LinkedBody, walls: Walls, edge: int, tube: HingeTube, motion: YieldMotion, room: float, trace: Trace
) -> Touch:
    """Slide as `swing` does, but no farther than the tail leaves the force for; there the tube sticks.

    Both the length and the bends add to the drag, so the place has no closed form: it is found by halving the growth.
    """
    if tube.tail.tension == 0.0 and tube.tail.drag == 0.0:
        return swing(body, walls, edge, motion, room, trace)
    points, heading, bend, grown = body.points.copy(), body.heading.copy(), body.bend.copy(), body.grown.copy()
    triangles, low = trace.counts[1], 0.0
    met = swing(body, walls, edge, motion, room, trace)
    high = body.grown[1] - grown[1]
    if _drives(body, walls, edge, tube, motion):
        return met
    for halving in range(HALVINGS + 1):
        body.points[:], body.heading[:], body.bend[:], body.grown[:] = points, heading, bend, grown
        trace.counts[1] = triangles
        way = low if halving == HALVINGS else 0.5 * (low + high)
        met = swing(body, walls, edge, motion, way, trace)
        if _drives(body, walls, edge, tube, motion):
            low = way
        else:
            high = way
    return met
