"""First contact of a body while a part of it rotates about a hinge: of a link with a corner, of a node with a wall or the bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.geometric.body import LinkedBody, link_length, tip_of
from dynamics.geometric.walls import Walls
from surrogate.kernels.compiled import compiled

NEAR = 1e-9
"""Lengths [m] and angles [rad] below this are rounding errors."""
NOTHING, CORNER, WALL, BOUNDS = 0, 1, 2, 3
"""Kinds of contact."""


class Touch(NamedTuple):
    """A contact, and the angle at which it occurs."""

    angle: float
    """Angle turned before the contact [rad]."""
    kind: int
    node: int
    """The node that meets a wall, or the one whose link meets a corner."""
    corner: int
    """The corner, given by the edge that starts there; or the edge of the wall."""
    side: float
    """Side on which the body is held: 1 left, -1 right."""


@compiled()
def turned(ax: float, ay: float, bx: float, by: float, turn: float) -> float:
    """Angle from a to b [rad], anticlockwise (turn = 1) or clockwise (-1), from 0 to 2 pi; 0 if rounding makes it negative."""
    angle = turn * np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
    if angle < -NEAR:
        return angle + 2 * np.pi
    return max(angle, 0.0)


@compiled()
def on_wall(body: LinkedBody, walls: Walls, edge: int, hinge: int, angle: float) -> float:
    """Length of the last link [m] with which it ends on an edge's line after a rotation about the hinge by an angle [rad]."""
    last = body.nodes[0] - 1
    c, s = np.cos(angle), np.sin(angle)
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    dx, dy = body.points[last, 0] - x, body.points[last, 1] - y
    nx, ny = walls.direction[edge, 1], -walls.direction[edge, 0]
    heading = body.heading[last] + angle
    toward = np.cos(heading) * nx + np.sin(heading) * ny
    if toward >= 0:
        return np.inf
    height = (walls.corners[edge, 0] - x - c * dx + s * dy) * nx + (walls.corners[edge, 1] - y - s * dx - c * dy) * ny
    return height / toward


@compiled()
def first_touch(body: LinkedBody, walls: Walls, edge: int, hinge: int, last: int, turn: float, most: float) -> Touch:
    """First contact while the links from a hinge to before node `last` rotate about the hinge.

    Args:
        edge: Edge on which the tip slides if the links up to it rotate (`last` is the number of nodes); -1 if they do not.
        turn: 1 anticlockwise, -1 clockwise.
        most: Maximum angle of the rotation [rad].
    """
    touch = Touch(most, NOTHING, 0, 0, turn)
    for corner in range(len(walls.length)):
        if walls.convex[corner]:
            touch = corner_touch(touch, body, walls, edge, hinge, last, turn, corner)
    for node in range(hinge + 1, min(last + 1, body.nodes[0])):
        touch = bounds_touch(wall_touch(touch, body, walls, hinge, node, turn), body, walls, hinge, node, turn)
    return touch


@compiled()
def corner_touch(
    touch: Touch, body: LinkedBody, walls: Walls, edge: int, hinge: int, last: int, turn: float, corner: int
) -> Touch:
    """The earlier of a given contact and that of the rotating links with a corner."""
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    wx, wy = walls.corners[corner, 0] - x, walls.corners[corner, 1] - y
    squared = wx * wx + wy * wy
    if squared < NEAR**2:
        return touch
    for link in range(hinge, last):
        px, py = body.points[link, 0] - x, body.points[link, 1] - y
        ux, uy = np.cos(body.heading[link]), np.sin(body.heading[link])
        along = px * ux + py * uy
        inside = along * along - px * px - py * py + squared
        if inside < 0:
            continue
        for root in (-np.sqrt(inside), np.sqrt(inside)):
            part = root - along  # the point of the link as far from the hinge as the corner
            tip = edge >= 0 and link == last - 1
            if part < -NEAR or (not tip and part > link_length(body, link) + NEAR):
                continue
            angle = turned(px + part * ux, py + part * uy, wx, wy, turn)
            if angle >= touch.angle or (tip and part > on_wall(body, walls, edge, hinge, turn * angle) - NEAR):
                continue
            heading = body.heading[link] + turn * angle
            side = turn if root >= 0 else -turn  # a link that points back at the hinge moves the other way
            if solid_beside(walls, corner, np.cos(heading), np.sin(heading), side):
                touch = Touch(angle, CORNER, link, corner, side)
    return touch


@compiled()
def solid_beside(walls: Walls, corner: int, ux: float, uy: float, side: float) -> bool:
    """Whether the solid at a corner lies to the left (side = 1) or right (-1) of a line through it."""
    before = walls.preceding[corner]
    dx, dy = walls.direction[corner, 0], walls.direction[corner, 1]
    ex, ey = walls.direction[before, 0], walls.direction[before, 1]
    return side * (ux * dy - uy * dx) > -NEAR and side * (uy * ex - ux * ey) > -NEAR


@compiled()
def wall_touch(touch: Touch, body: LinkedBody, walls: Walls, hinge: int, node: int, turn: float) -> Touch:
    """The earlier of a given contact and that of a rotating node with an edge."""
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    px, py = body.points[node, 0] - x, body.points[node, 1] - y
    squared = px * px + py * py
    for edge in range(len(walls.length)):
        dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
        ax, ay = walls.corners[edge, 0] - x, walls.corners[edge, 1] - y
        height = ax * dy - ay * dx
        if height * height > squared:
            continue
        middle, half = -(ax * dx + ay * dy), np.sqrt(squared - height * height)
        for part in (middle - half, middle + half):
            if part < -NEAR or part > walls.length[edge] + NEAR:
                continue
            tx, ty = ax + part * dx, ay + part * dy
            # Into the solid, which is on the left of the edge.
            if turn * (dx * tx + dy * ty) <= NEAR:
                continue
            angle = turned(px, py, tx, ty, turn)
            if angle < touch.angle:
                touch = Touch(angle, WALL, node, edge, turn)
    return touch


@compiled()
def bounds_touch(touch: Touch, body: LinkedBody, walls: Walls, hinge: int, node: int, turn: float) -> Touch:
    """The earlier of a given contact and that of a rotating node with the bounds."""
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    px, py = body.points[node, 0] - x, body.points[node, 1] - y
    squared = px * px + py * py
    for side in range(4):
        outward = -1.0 if side < 2 else 1.0
        away = walls.bounds[side] - (x if side % 2 == 0 else y)
        if away * away > squared:
            continue
        half = np.sqrt(squared - away * away)
        for across in (-half, half):
            tx, ty = (away, across) if side % 2 == 0 else (across, away)
            speed = -turn * ty if side % 2 == 0 else turn * tx
            angle = turned(px, py, tx, ty, turn)
            if speed * outward > NEAR and angle < touch.angle:
                touch = Touch(angle, BOUNDS, node, 0, turn)
    return touch


@compiled()
def fan_touch(touch: Touch, body: LinkedBody, walls: Walls, pivot: int, turn: float) -> Touch:
    """The earlier of a given contact and that of the last link with a corner, as its node rotates about a pivot and the tip sticks."""
    last = body.nodes[0] - 1
    x, y = tip_of(body)
    cx, cy = x - body.points[pivot, 0], y - body.points[pivot, 1]
    bx, by = body.points[last, 0] - body.points[pivot, 0], body.points[last, 1] - body.points[pivot, 1]
    for corner in range(len(walls.length)):
        ex, ey = walls.corners[corner, 0] - x, walls.corners[corner, 1] - y
        away = np.hypot(ex, ey)
        if not walls.convex[corner] or away < NEAR:
            continue
        ex, ey = ex / away, ey / away
        along = cx * ex + cy * ey
        inside = along * along - cx * cx - cy * cy + bx * bx + by * by
        if inside < 0:
            continue
        for root in (-np.sqrt(inside), np.sqrt(inside)):
            part = root - along  # from the tip through the corner to the node
            if part <= away + NEAR:
                continue
            nx, ny = cx + part * ex, cy + part * ey
            angle = turned(bx, by, nx, ny, turn)
            # The link moves with its node, whose velocity is turn * z x n; its heading is -e.
            side = np.sign(turn * (ex * nx + ey * ny) * -1.0)
            if angle < touch.angle and solid_beside(walls, corner, -ex, -ey, side):
                touch = Touch(angle, CORNER, last, corner, side)
    return touch
