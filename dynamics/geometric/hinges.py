"""Bending of a tube whose tip meets a wall: limit analysis of pivots and turns as plastic hinges (after paper 003).

The wall pushes the tip with F = N (n + tau d), where n is the wall's normal, d its tangent, and |tau| at most the friction
coefficient. Every hinge yields at the same moment, that of a wrinkled tube, independent of its bend. So the hinge with the
longest lever arm about F turns. A base turns in both directions, a node held by a corner only further around it, and a turn
only in its own direction. A node that has bent beyond its natural shape springs back first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.drive import NO_TAIL, Tail
from dynamics.geometric.body import FREE, LinkedBody, tip_of
from dynamics.geometric.walls import Walls
from surrogate.kernels.compiled import compiled

FRICTION = 0.3
"""Friction coefficient of a tip on a wall, as measured (paper 003) [-]."""
TINY = 1e-12
"""Bends [rad] and levers [m] below this are rounding errors."""
STUCK, SLIDES, LOCKED = 0, 1, 2
"""The tip cannot move; it slides while one hinge turns; it sticks while pivot and turn bend as the tube grows."""


class HingeTube(NamedTuple):
    """Properties that determine how a tube yields."""

    radius: float
    """Radius of the tube [m]."""
    friction: float
    """Friction coefficient of the tip on a wall [-]."""
    reach: float
    """Largest restoring moment divided by the growth force [m]: a shorter lever arm cannot bend the tube. The radius in paper 003."""
    tail: Tail = NO_TAIL
    """Its tail, with all forces as shares of the growth force; the force left at the tip makes the reach longer."""


class YieldMotion(NamedTuple):
    """Motion by which a tube yields."""

    kind: int
    hinge: int
    """The node that turns; the pivot, if two turn."""
    turn: float
    """1 if it turns to the left, -1 to the right."""
    slide: float
    """1 if the tip slides along the edge's direction, -1 against it, 0 if it stays."""
    lever: float
    """Moment at the hinge divided by the wall's normal force [m]; infinite if a bend springs back."""
    along: float
    """Force against the heading divided by the wall's normal force [-]; 0 if the tip is stuck."""


@compiled()
def give_way(body: LinkedBody, walls: Walls, edge: int, tube: HingeTube) -> YieldMotion:
    """Find the motion by which a tube yields whose tip presses on an edge as it grows."""
    for slide in (1.0, -1.0):
        hinge, turn, lever, along = yielding(body, walls, edge, tube, slide)
        if hinge >= 0:
            return YieldMotion(SLIDES, hinge, turn, slide, lever, along)
    return locked(body, walls, edge, tube)


@compiled()
def yielding(
    body: LinkedBody, walls: Walls, edge: int, tube: HingeTube, slide: float
) -> tuple[int, float, float, float]:
    """The hinge that turns, its direction, lever arm [m] and the force against the heading, divided by the normal force [-], if
    the tip slides to one side; -1 if it cannot slide there."""
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    nx, ny = dy, -dx
    fx, fy = nx - slide * tube.friction * dx, ny - slide * tube.friction * dy
    best, sign, longest = weakest(body, fx, fy, 0)
    # If the hinge presses the body onto a corner beyond it, the body bends there instead, to either side, as at a base.
    for i in range(body.nodes[0] - 1, best, -1):
        if best >= 0 and body.side[i] == sign:
            best, sign, longest = weakest(body, fx, fy, i)
            break
    if best < 0:
        return -1, 0.0, 0.0, 0.0
    x, y = tip_of(body)
    ux, uy = np.cos(body.heading[body.nodes[0] - 1]), np.sin(body.heading[body.nodes[0] - 1])
    rx, ry = x - body.points[best, 0], y - body.points[best, 1]
    # The tip stays on the wall: growth * (u n) + turn * (r x n) = 0, and its speed along the wall follows.
    growth = sign * (rx * ny - ry * nx) / -(ux * nx + uy * ny)
    speed = growth * (ux * dx + uy * dy) + sign * (rx * dy - ry * dx)
    along = fx * ux + fy * uy
    if growth <= 0 or speed * slide <= 0 or longest < -tube.reach * along:
        return -1, 0.0, 0.0, 0.0
    return best, sign, longest, -along


@compiled()
def weakest(body: LinkedBody, fx: float, fy: float, base: int) -> tuple[int, float, float]:
    """The hinge from node `base`, which is held like a base, to the tip that yields first to a force on the tip.

    Returns:
        The node, -1 if there is none; its direction; its lever arm [m], infinite if a bend springs back.
    """
    x, y = tip_of(body)
    best, sign, longest = -1, 0.0, 0.0
    for i in range(body.nodes[0] - 1, base - 1, -1):
        lever = (x - body.points[i, 0]) * fy - (y - body.points[i, 1]) * fx
        side = np.sign(lever)
        if abs(lever) < TINY:
            continue
        springs_back = (body.bend[i] - body.natural[i]) * side < -TINY
        held = i == base or body.side[i] == side
        length = np.inf if springs_back else abs(lever)
        if (springs_back or held or body.natural[i] * side > 0) and length > longest:
            best, sign, longest = i, side, length
        if held or (springs_back and body.side[i] != FREE):
            break  # nodes before this one cannot move
    return best, sign, longest


@compiled()
def locked(body: LinkedBody, walls: Walls, edge: int, tube: HingeTube) -> YieldMotion:
    """Pivot and last turn bend at the same time while friction holds the tip, or the tube is stuck.

    The two moments are equal and opposite, so F passes midway between the two nodes.
    """
    last = body.nodes[0] - 1
    sign = np.sign(body.natural[last])
    stuck = YieldMotion(STUCK, 0, 0.0, 0.0, 0.0, 0.0)
    pivot = last - 1
    while pivot > 0 and not (body.side[pivot] == -sign or (body.bend[pivot] - body.natural[pivot]) * sign > TINY):
        pivot -= 1
    if sign == 0 or pivot < 0 or body.side[pivot] == FREE or body.side[last] == -sign:
        return stuck
    x, y = tip_of(body)
    ax, ay = body.points[pivot, 0], body.points[pivot, 1]
    bx, by = body.points[last, 0], body.points[last, 1]
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    nx, ny = dy, -dx
    mx, my = x - (ax + bx) / 2, y - (ay + by) / 2
    across = mx * dy - my * dx
    tau = -(mx * ny - my * nx) / across if abs(across) > TINY else np.inf
    if abs(tau) > tube.friction:
        return stuck
    fx, fy = nx + tau * dx, ny + tau * dy
    lever = sign * ((x - bx) * fy - (y - by) * fx)
    ux, uy = np.cos(body.heading[last]), np.sin(body.heading[last])
    lengthens = -sign * ((bx - ax) * (y - by) - (by - ay) * (x - bx)) < 0
    # The pivot turns by -sign and moves the turn along -sign z x (b - a); the tube lengthens if this is away from the tip.
    along = fx * ux + fy * uy
    if lever < -tube.reach * along or not lengthens:
        return stuck
    return YieldMotion(LOCKED, pivot, -sign, 0.0, lever, -along)
