"""A body that gives way, up to the next event."""

from __future__ import annotations

import numpy as np

from dynamics.geometric.body import Body, rotate, tip_of
from dynamics.geometric.hinges import TINY, Motion, Tube
from dynamics.geometric.touch import NEAR, NOTHING, Touch, fan_touch, first_touch, on_wall, turned
from dynamics.geometric.trace import FAN, Trace, sweep_link, sweep_rigid, triangle
from dynamics.geometric.walls import Walls
from surrogate.compiled import compiled

LENGTH, AT_END, UNBENT, UNLOCKED, FOLDED = 10, 11, 12, 13, 14
"""How a motion ends, beside the kinds of `Touch`: grown as asked, tip at the wall's end, a bend sprung back, friction
overcome, or a turn folded up."""
MOST_FOLDED = np.radians(150)
"""Seen from the pivot, a turn goes so far from the tip at most [rad]."""


@compiled()
def swing(body: Body, walls: Walls, edge: int, motion: Motion, room: float, trace: Trace) -> Touch:
    """Slide along an edge, all beyond the hinge turning about it, until something happens or `room` [m] is grown."""
    last, hinge, turn = body.nodes[0] - 1, motion.hinge, motion.turn
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    px, py = body.points[last, 0] - x, body.points[last, 1] - y
    ux, uy = np.cos(body.heading[last]), np.sin(body.heading[last])
    along, squared = px * ux + py * uy, px * px + py * py
    before = body.grown[0]
    # A tip that stays on the wall is as far from the hinge as the point of the wall that it is at.
    end = walls.following[edge] if motion.slide > 0 else edge
    vx, vy = walls.corners[end, 0] - x, walls.corners[end, 1] - y
    after = -along + np.sqrt(max(along * along - squared + vx * vx + vy * vy, 0.0))
    kind = AT_END
    if after > before + room:
        kind, after = LENGTH, before + room
        distance = squared + 2 * after * along + after * after
        dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
        ax, ay = walls.corners[edge, 0] - x, walls.corners[edge, 1] - y
        height = ax * dy - ay * dx
        part = -(ax * dx + ay * dy) + motion.slide * np.sqrt(max(distance - height * height, 0.0))
        vx, vy = ax + part * dx, ay + part * dy
    qx, qy = px + after * ux, py + after * uy
    limit = max(turn * np.arctan2(qx * vy - qy * vx, qx * vx + qy * vy), 0.0)
    excess = -turn * (body.bend[hinge] - body.natural[hinge])
    if TINY < excess < limit:
        kind, limit = UNBENT, excess
    touch = first_touch(body, walls, edge, hinge, last + 1, turn, limit)
    if touch.kind == NOTHING:
        touch = Touch(limit, kind, hinge, end, turn)
    if touch.kind != LENGTH and touch.kind != AT_END:
        after = on_wall(body, walls, edge, hinge, turn * touch.angle)
    steps = 1 if hinge == last or len(trace.swept) == 0 else int(touch.angle / FAN) + 1
    angle = turn * touch.angle / steps
    for step in range(steps):
        length = after if step == steps - 1 else on_wall(body, walls, edge, hinge, angle)
        sweep_rigid(trace, body, hinge, last, angle)
        sweep_link(trace, body, last, hinge, body.grown[0], length, angle)
        rotate(body, hinge, last, angle)
        body.heading[last] += angle
        body.grown[0] = length
    if touch.kind == UNBENT:
        body.bend[hinge] = body.natural[hinge]
    body.grown[1] += after - before
    return touch


@compiled()
def fold(body: Body, walls: Walls, edge: int, tube: Tube, motion: Motion, room: float, trace: Trace) -> Touch:
    """Bend at pivot and last turn while friction holds the tip, until something happens or `room` [m] is grown (Eqs. 26-29)."""
    last, pivot, turn = body.nodes[0] - 1, motion.hinge, motion.turn
    x, y = body.points[pivot, 0], body.points[pivot, 1]
    tip_x, tip_y = tip_of(body)
    cx, cy = tip_x - x, tip_y - y
    bx, by = body.points[last, 0] - x, body.points[last, 1] - y
    far, near = np.hypot(cx, cy), np.hypot(bx, by)
    apart = turned(cx, cy, bx, by, turn)
    limit, kind = max(MOST_FOLDED - apart, 0.0), FOLDED
    before = body.grown[0]
    cosine = (near * near + far * far - (before + room) ** 2) / (2 * near * far)
    if abs(cosine) <= 1 and np.arccos(cosine) - apart < limit:
        limit, kind = max(np.arccos(cosine) - apart, 0.0), LENGTH
    unlocked = unlocking(walls, edge, tube, cx, cy, bx, by, turn)
    if unlocked < limit:
        limit, kind = unlocked, UNLOCKED
    excess = -turn * (body.bend[pivot] - body.natural[pivot])
    if TINY < excess < limit:
        kind, limit = UNBENT, excess
    touch = fan_touch(first_touch(body, walls, -1, pivot, last, turn, limit), body, walls, pivot, turn)
    if touch.kind == NOTHING:
        touch = Touch(limit, kind, pivot, 0, turn)
    steps = 1 if len(trace.swept) == 0 else int(touch.angle / FAN) + 1
    angle = turn * touch.angle / steps
    for _ in range(steps):
        old_x, old_y = body.points[last, 0], body.points[last, 1]
        sweep_rigid(trace, body, pivot, last, angle)
        rotate(body, pivot, last, angle)
        dx, dy = tip_x - body.points[last, 0], tip_y - body.points[last, 1]
        ux, uy = np.cos(body.heading[last]), np.sin(body.heading[last])
        bend = np.arctan2(ux * dy - uy * dx, ux * dx + uy * dy)
        body.heading[last] += bend
        body.bend[last] += bend - angle
        triangle(trace, tip_x, tip_y, old_x, old_y, body.points[last, 0], body.points[last, 1])
        body.grown[0] = np.hypot(dx, dy)
    if touch.kind == UNBENT:
        body.bend[pivot] = body.natural[pivot]
    body.grown[1] += body.grown[0] - before
    return touch


@compiled()
def unlocking(walls: Walls, edge: int, tube: Tube, cx: float, cy: float, bx: float, by: float, turn: float) -> float:
    """Angle by which a turn b goes about the pivot until friction no longer holds the tip c [rad]; infinite if never.

    The tip's force passes midway between pivot and turn: friction is at its limit where 2 c - b is along n + tau d.
    """
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    nx, ny = dy, -dx
    first = np.inf
    for tau in (-tube.friction, tube.friction):
        fx, fy = nx + tau * dx, ny + tau * dy
        squared, along = fx * fx + fy * fy, 2 * (cx * fx + cy * fy)
        inside = along * along - squared * (4 * (cx * cx + cy * cy) - bx * bx - by * by)
        if inside < 0:
            continue
        for root in (-np.sqrt(inside), np.sqrt(inside)):
            part = (along + root) / squared
            angle = turned(bx, by, 2 * cx - part * fx, 2 * cy - part * fy, turn)
            if angle > 100 * NEAR:
                first = min(first, angle)
    return first + 100 * NEAR  # a little beyond, so that it slides
