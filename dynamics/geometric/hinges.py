"""Where a tube bends when its tip meets a wall: limit analysis of pivots and turns as plastic hinges (after paper 003).

The tip is pressed by F = N (n + tau d), n the wall's normal, d its tangent, |tau| at most the friction. Every hinge yields at
the same moment, that of a wrinkled tube, whatever its bend: so the one with the longest lever about F turns. A base turns
both ways, a body that hangs on a corner bends further around it, a turn in its own direction; and whatever has bent beyond
its natural shape springs back first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.geometric.body import FREE, Body, tip_of
from dynamics.geometric.walls import Walls
from surrogate.compiled import compiled

FRICTION = 0.3
"""Of a tip on a wall, as measured (paper 003) [-]."""
TINY = 1e-12
"""Bends [rad] and levers [m] below this are rounding errors."""
STUCK, SLIDES, LOCKED = 0, 1, 2
"""The tip cannot move; it slides, one hinge turning; it stays, pivot and turn bending as the tube grows on."""


class HingeTube(NamedTuple):
    """What decides how a tube gives way."""

    radius: float
    """[m]"""
    friction: float
    """Of the tip on a wall [-]."""
    reach: float
    """Largest restoring moment over growth force [m]: a shorter lever cannot bend the tube. The radius in paper 003."""


class Motion(NamedTuple):
    """How a tube gives way."""

    kind: int
    hinge: int
    """The node that turns; of two, the pivot."""
    turn: float
    """1 if it turns to the left, -1 to the right."""
    slide: float
    """1 if the tip slides along the edge's direction, -1 against it, 0 if it stays."""
    lever: float
    """Moment at the hinge over the wall's normal force [m]; infinite where a bend springs back."""


@compiled()
def give_way(body: Body, walls: Walls, edge: int, tube: HingeTube) -> Motion:
    """How a tube whose tip is pressed on an edge gives way as it grows on."""
    for slide in (1.0, -1.0):
        hinge, turn, lever = yielding(body, walls, edge, tube, slide)
        if hinge >= 0:
            return Motion(SLIDES, hinge, turn, slide, lever)
    return locked(body, walls, edge, tube)


@compiled()
def yielding(body: Body, walls: Walls, edge: int, tube: HingeTube, slide: float) -> tuple[int, float, float]:
    """The hinge that turns, to which side, and its lever [m], if the tip slides to one side; -1 if it cannot slide there."""
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
        return -1, 0.0, 0.0
    x, y = tip_of(body)
    ux, uy = np.cos(body.heading[body.nodes[0] - 1]), np.sin(body.heading[body.nodes[0] - 1])
    rx, ry = x - body.points[best, 0], y - body.points[best, 1]
    # The tip stays on the wall: growth * (u n) + turn * (r x n) = 0, and its speed along it is as below.
    growth = sign * (rx * ny - ry * nx) / -(ux * nx + uy * ny)
    speed = growth * (ux * dx + uy * dy) + sign * (rx * dy - ry * dx)
    if growth <= 0 or speed * slide <= 0 or longest < -tube.reach * (fx * ux + fy * uy):
        return -1, 0.0, 0.0
    return best, sign, longest


@compiled()
def weakest(body: Body, fx: float, fy: float, base: int) -> tuple[int, float, float]:
    """The hinge beyond and with node `base`, held like a base, that yields first to a force on the tip.

    Returns:
        The node, -1 if none; to which side it turns; its lever [m], infinite where a bend springs back.
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
            break  # what is behind cannot move
    return best, sign, longest


@compiled()
def locked(body: Body, walls: Walls, edge: int, tube: HingeTube) -> Motion:
    """Pivot and last turn bending at once while friction holds the tip; or stuck.

    Their moments are equal and opposite, so F passes midway between them.
    """
    last = body.nodes[0] - 1
    sign = np.sign(body.natural[last])
    stuck = Motion(STUCK, 0, 0.0, 0.0, 0.0)
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
    # The pivot turns by -sign, carrying the turn at -sign z x (b - a); away from the tip is where the tube lengthens.
    if lever < -tube.reach * (fx * ux + fy * uy) or not lengthens:
        return stuck
    return Motion(LOCKED, pivot, -sign, 0.0, lever)
