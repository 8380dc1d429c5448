"""Event-driven deployment of a tube among walls: collision, slide, new pivot, corner, turn (paper 003, section 3).

The body is a chain of straight links. While the tip slides on a wall, the part beyond one hinge rotates rigidly about it, and
the tip grows to stay on the wall. So every event has a closed form, and no time steps are needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynamics.geometric.body import BASE, FREE, LinkedBody, insert, let_go, link_length, new_body, tip_of
from dynamics.geometric.hinges import LOCKED, SLIDES, HingeTube, give_way
from dynamics.geometric.motion import AT_END, FOLDED, fold
from dynamics.geometric.tail import share_left, slide_driven, straight_room, with_force
from dynamics.geometric.touch import BOUNDS, CORNER, NEAR, NOTHING, WALL, Touch
from dynamics.geometric.trace import Trace, finish, full, new_trace, touched, touched_corner
from dynamics.geometric.walls import Walls
from dynamics.growth import GROWN, OUT_OF_BOUNDS, STALLED, UNRESOLVED
from dynamics.vine import Status
from surrogate.kernels.compiled import Floats, compiled

MOST_IDLE = 12
"""A tube that yields this many times in succession without moving is stuck."""
MOST_EVENTS = 1000
"""Maximum number of events; more than any tube can have."""


class Launch(NamedTuple):
    """Start pose, length and turn of a tube with at most one turn."""

    x: float
    """[m]"""
    y: float
    heading: float
    """[rad]"""
    length: float
    """Final length [m]."""
    turn_at: float = 0.0
    """Distance of the turn from the base along the tube [m]."""
    turn: float = 0.0
    """Angle of the turn, positive to the left [rad]; 0 for a straight tube."""


class TipContact(NamedTuple):
    """Contact of the tip."""

    edge: int
    """Edge on which the tip presses; -1 if it is free."""
    corner: float
    """0, or at a wall's end the direction along the edge that leads away from the end."""
    left: int
    """Edge that a free tip has just left at its end, and cannot meet again from there."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """Final shape of a tube, and its contacts on the way."""

    shape: Floats
    """Base, pivots, turn and tip [m], shape (nodes, 2)."""
    swept: Floats
    """Triangles that the axis swept through [m], shape (triangles, 3, 2)."""
    contacts: Floats
    """Touched pieces of the surfaces of the obstacles, not inflated: x1, y1, x2, y2 [m], shape (contacts, 4)."""
    length: float
    """Grown length [m]."""
    contact_angle: float
    """Angle from the tip's heading anticlockwise to the wall's tangent [rad], 0 to pi; NaN if the tip is free."""
    status: Status


def deploy(walls: Walls, tube: HingeTube, launch: Launch) -> Deployment:
    """Grow a tube from a launch outside the inflated obstacles, until it has its length, is stuck, or is out of bounds."""
    trace = new_trace(1)
    status = Status(grow(walls, tube, Launch(*map(float, launch)), trace))
    nodes, triangles, contacts = trace.counts
    length, angle = float(trace.ends[0]), float(trace.ends[1])
    return Deployment(trace.nodes[:nodes], trace.swept[:triangles], trace.contacts[:contacts], length, angle, status)


def grow(walls: Walls, tube: HingeTube, launch: Launch, trace: Trace) -> int:
    """Grow a tube with at most one turn; returns its `Status`."""
    x, y, heading, length, turn_at, turn = launch
    at, turns = (np.array([turn_at]), np.array([turn])) if turn != 0 else (np.empty(0), np.empty(0))
    return int(grow_turns(walls, tube, (x, y, heading), length, at, turns, trace))


@compiled(counted=True, nogil=True)
def grow_turns(
    walls: Walls,
    tube: HingeTube,
    start: tuple[float, float, float],
    length: float,
    turns_at: Floats,
    turns: Floats,
    trace: Trace,
) -> int:
    """Grow a tube with any number of turns; returns its `Status`.

    Args:
        start: x, y [m], heading [rad].
        length: Final length [m].
        turns_at: Distances of the turns from the base along the tube, ascending [m], shape (turns,).
        turns: Angles [rad], same shape.
    """
    body = new_body(len(turns))
    trace.counts[:] = 0
    insert(body, 0, start[0], start[1], start[2], 0.0, BASE)
    contact, next_turn, idle, status = TipContact(-1, 0.0, -1), 0, 0, STALLED
    for _ in range(MOST_EVENTS):
        if out_of(walls, body):
            status = OUT_OF_BOUNDS
            break
        upcoming = turns_at[next_turn] if next_turn < len(turns) else np.inf
        room = min(length, upcoming) - body.grown[1]
        if room <= NEAR:
            if upcoming > length - NEAR:
                status = GROWN
                break
            contact = turn_tip(body, walls, contact, turns[next_turn])
            next_turn += 1
            continue
        ahead = straight_room(tube, share_left(body, tube))
        if ahead <= NEAR or full(trace) or body.nodes[0] > len(body.side) - 2:
            break
        room = min(room, ahead)
        if contact.edge < 0:
            contact = run_free(body, walls, contact, room)
            continue
        contact, met = push(body, walls, tube, contact, room, trace)
        if met.kind == BOUNDS:
            status = OUT_OF_BOUNDS
            break
        idle = 0 if met.angle > NEAR else idle + 1
        if met.kind == NOTHING or met.kind == FOLDED or idle > MOST_IDLE:
            break
    x, y = tip_of(body)
    finish(trace, body, x, y)
    whole = 0.0
    for i in range(body.nodes[0]):
        whole += link_length(body, i)
    if not (body.grown[0] > -NEAR and abs(whole - body.grown[1]) < 1e-7):
        status = UNRESOLVED
    trace.ends[1] = contact_angle(body, walls, contact.edge)
    trace.ends[2], trace.ends[3] = tip_load(body, walls, contact.edge, tube)
    return UNRESOLVED if full(trace) else status


@compiled()
def tip_load(body: LinkedBody, walls: Walls, edge: int, tube: HingeTube) -> tuple[float, float]:
    """Lever arm of the force on the tip about the hinge that bends [m], and share of the growth force that growth needs [-]."""
    if edge < 0:
        return np.nan, 0.0
    left = share_left(body, tube)
    if left <= 0.0:
        return 0.0, 0.0
    motion = give_way(body, walls, edge, with_force(tube, left))
    return motion.lever, tube.reach * motion.along / motion.lever if motion.lever > 0.0 else left


@compiled()
def out_of(walls: Walls, body: LinkedBody) -> bool:
    """Whether the tip is out of bounds."""
    x, y = tip_of(body)
    bounds = walls.first_bounds if body.grown[1] < walls.spared - NEAR else walls.bounds
    low_x, low_y, high_x, high_y = bounds[0], bounds[1], bounds[2], bounds[3]
    return not (low_x <= x <= high_x and low_y <= y <= high_y)


@compiled()
def contact_angle(body: LinkedBody, walls: Walls, edge: int) -> float:
    """Angle from the tip's heading anticlockwise to the tangent of the edge on which it presses [rad]; NaN if it is free."""
    if edge < 0:
        return np.nan
    heading = body.heading[body.nodes[0] - 1]
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    ux, uy = np.cos(heading), np.sin(heading)
    return abs(np.arctan2(uy * dx - ux * dy, -ux * dx - uy * dy))


@compiled()
def turn_tip(body: LinkedBody, walls: Walls, contact: TipContact, turn: float) -> TipContact:
    """Add the next turn at the tip; it may turn the tip away from the edge on which it presses."""
    x, y = tip_of(body)
    heading = body.heading[body.nodes[0] - 1] + turn
    insert(body, body.nodes[0], x, y, heading, turn, FREE)
    body.grown[0] = 0.0
    if contact.edge < 0 or into(walls, contact.edge, heading) > -NEAR:
        return TipContact(-1, 0.0, -1)
    return contact


@compiled()
def into(walls: Walls, edge: int, heading: float) -> float:
    """Component of a heading along an edge's normal: negative if it points into the solid."""
    return np.cos(heading) * walls.direction[edge, 1] - np.sin(heading) * walls.direction[edge, 0]


@compiled()
def run_free(body: LinkedBody, walls: Walls, contact: TipContact, room: float) -> TipContact:
    """Grow straight until the tip meets a wall or the bounds, or has grown by `room` [m]."""
    last = body.nodes[0] - 1
    x, y = tip_of(body)
    ux, uy = np.cos(body.heading[last]), np.sin(body.heading[last])
    first, met = room, -1
    for edge in range(len(walls.length)):
        dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
        toward = ux * dy - uy * dx
        if toward > -NEAR or edge == contact.left:
            continue
        ax, ay = walls.corners[edge, 0] - x, walls.corners[edge, 1] - y
        distance = (ax * dy - ay * dx) / toward
        part = (distance * ux - ax) * dx + (distance * uy - ay) * dy
        if -NEAR < distance < first and -NEAR <= part <= walls.length[edge] + NEAR:
            first, met = max(distance, 0.0), edge
    near_base = body.grown[1] < walls.spared - NEAR
    bounds = walls.first_bounds if near_base else walls.bounds
    low_x, low_y, high_x, high_y = bounds[0], bounds[1], bounds[2], bounds[3]
    leaves = min(
        ((high_x if ux > 0 else low_x) - x) / ux if ux != 0 else np.inf,
        ((high_y if uy > 0 else low_y) - y) / uy if uy != 0 else np.inf,
    )
    if leaves < first:
        first, met = leaves + NEAR, -1  # just outside
    if near_base and walls.spared - body.grown[1] < first:
        first, met = walls.spared - body.grown[1], -1  # from here on, the bounds are others
    body.grown[0] += first
    body.grown[1] += first
    return TipContact(met, 0.0, -1)


@compiled()
def push(
    body: LinkedBody, walls: Walls, tube: HingeTube, contact: TipContact, room: float, trace: Trace
) -> tuple[TipContact, Touch]:
    """Grow against a wall up to the next event; return the new contact and the event, `NOTHING` if the tube is stuck."""
    edge = contact.edge
    motion = give_way(body, walls, edge, with_force(tube, share_left(body, tube)))
    x, y = tip_of(body)
    at_corner = contact.corner != 0
    if motion.kind == SLIDES and (not at_corner or motion.slide == contact.corner):
        let_go(body, motion.hinge)
        met = slide_driven(body, walls, edge, tube, motion, room, trace)
        tip_x, tip_y = tip_of(body)
        touched(trace, walls, edge, x, y, tip_x, tip_y)
    elif motion.kind == LOCKED and not at_corner:
        let_go(body, motion.hinge)
        met = fold(body, walls, edge, tube, motion, room, trace)
        touched(trace, walls, edge, x, y, x, y)
    else:
        met = Touch(0.0, NOTHING, 0, 0, 0.0)
        touched(trace, walls, edge, x, y, x, y)
    hold(body, walls, met, trace)
    if met.kind == AT_END:
        return at_end(body, walls, edge, motion.slide), met
    return TipContact(edge, 0.0 if met.angle > NEAR else contact.corner, -1), met


@compiled()
def hold(body: LinkedBody, walls: Walls, met: Touch, trace: Trace) -> None:
    """Make a touched corner or wall hold the body."""
    if met.kind == CORNER:
        x, y = walls.corners[met.corner, 0], walls.corners[met.corner, 1]
        gone = np.hypot(x - body.points[met.node, 0], y - body.points[met.node, 1])
        if met.node == body.nodes[0] - 1:
            body.grown[0] -= gone
        insert(body, met.node + 1, x, y, body.heading[met.node], 0.0, int(met.side))
        touched_corner(trace, walls, met.corner)
    elif met.kind == WALL:
        x, y = body.points[met.node, 0], body.points[met.node, 1]
        body.side[met.node] = int(met.side)
        touched(trace, walls, met.corner, x, y, x, y)


@compiled()
def at_end(body: LinkedBody, walls: Walls, edge: int, slide: float) -> TipContact:
    """New contact of a tip that has slid to the end of a wall: it is free, or on the next wall, where it slides or is stuck."""
    following = walls.following[edge] if slide > 0 else walls.preceding[edge]
    corner = following if slide > 0 else edge
    if walls.convex[corner] and into(walls, following, body.heading[body.nodes[0] - 1]) > -NEAR:
        return TipContact(-1, 0.0, edge)
    return TipContact(following, slide, -1)
