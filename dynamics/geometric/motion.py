"""Motion of a body that yields, up to the next event."""

from __future__ import annotations

import numpy as np

from dynamics.geometric.body import LinkedBody, rotate, tip_of
from dynamics.geometric.hinges import TINY, HingeTube, YieldMotion
from dynamics.geometric.touch import NEAR, NOTHING, Touch, fan_touch, first_touch, on_wall, turned
from dynamics.geometric.trace import FAN, Trace, sweep_link, sweep_rigid, triangle
from dynamics.geometric.walls import Walls
from surrogate.kernels.compiled import compiled

LENGTH, AT_END, UNBENT, UNLOCKED, FOLDED, AT_FOOT = 10, 11, 12, 13, 14, 15
"""Ends of a motion, in addition to the kinds of `Touch`: requested length reached, tip at the wall's end, bend sprung back,
friction overcome, turn folded up, or tip at the point where it reverses or where further turning would retract it."""
BACK = 1e-6
"""Distance by which a tip continues beyond the point where it reverses [m]."""
MOST_FOLDED = np.radians(150)
"""Largest angle between turn and tip, seen from the pivot [rad]."""


@compiled()
def swing(body: LinkedBody, walls: Walls, edge: int, motion: YieldMotion, room: float, trace: Trace) -> Touch:
    """Slide along an edge while the part beyond the hinge rotates about it, until an event or a growth of `room` [m]."""
    last, hinge, turn = body.nodes[0] - 1, motion.hinge, motion.turn
    before, end = body.grown[0], walls.following[edge] if motion.slide > 0 else edge
    kind, limit, after = course(body, walls, edge, motion, room)
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
def course(body: LinkedBody, walls: Walls, edge: int, motion: YieldMotion, room: float) -> tuple[int, float, float]:
    """End of a slide along an edge without contacts: its kind, the angle turned [rad], and the final length of the last link [m].

    Let s be the distance of the tip from the foot of the hinge on the wall, h the distance of the hinge from the wall, q its
    distance from the line of the last link, and w the position of the tip on that line, from the point nearest to the hinge.
    The distance of the tip from the hinge then gives w^2 = s^2 + h^2 - q^2. The tube grows while w increases: if w > 0, away
    from the foot; if w < 0, where the link points back at the hinge, towards the foot, as far as w exists.
    """
    last, hinge, slide = body.nodes[0] - 1, motion.hinge, motion.slide
    x, y = body.points[hinge, 0], body.points[hinge, 1]
    px, py = body.points[last, 0] - x, body.points[last, 1] - y
    ux, uy = np.cos(body.heading[last]), np.sin(body.heading[last])
    dx, dy = walls.direction[edge, 0], walls.direction[edge, 1]
    ax, ay = walls.corners[edge, 0] - x, walls.corners[edge, 1] - y
    along, aside, height = px * ux + py * uy, px * uy - py * ux, ax * dy - ay * dx
    foot, rest = -(ax * dx + ay * dy), height * height - aside * aside
    before, most = body.grown[0] + along, body.grown[0] + along + room
    end = slide * ((walls.length[edge] if slide > 0 else 0.0) - foot)
    if before > 0:
        kind, way = AT_END, np.sqrt(max(end * end + rest, 0.0))
        if way > most:
            kind, way, end = LENGTH, most, np.sqrt(max(most * most - rest, 0.0))
    else:
        nearest = -np.sqrt(max(-rest, 0.0))
        if end < nearest:
            kind, way = AT_END, -np.sqrt(max(end * end + rest, 0.0))
        elif rest >= 0:
            kind, end, way = AT_FOOT, 0.0, -np.sqrt(rest)
        else:  # here w is 0, and the tip reverses: go slightly beyond this point
            kind, end, way = AT_FOOT, -np.sqrt(BACK * BACK - rest), BACK
        if way > most:
            kind, way, end = LENGTH, most, -np.sqrt(max(most * most - rest, 0.0))
    after, part = way - along, foot + slide * end
    vx, vy = ax + part * dx, ay + part * dy
    qx, qy = px + after * ux, py + after * uy
    angle = motion.turn * np.arctan2(qx * vy - qy * vx, qx * vx + qy * vy)
    return kind, max(angle, 0.0), after


@compiled()
def fold(
    body: LinkedBody, walls: Walls, edge: int, tube: HingeTube, motion: YieldMotion, room: float, trace: Trace
) -> Touch:
    """Bend at pivot and last turn while friction holds the tip, until an event or a growth of `room` [m] (Eqs. 26-29)."""
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
def unlocking(
    walls: Walls, edge: int, tube: HingeTube, cx: float, cy: float, bx: float, by: float, turn: float
) -> float:
    """Angle by which a turn b moves about the pivot until friction no longer holds the tip c [rad]; infinite if it always does.

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
    return first + 100 * NEAR  # slightly more, so that the tip slides
