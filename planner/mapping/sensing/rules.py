"""Rules for the hinge that yields when the tip of a tube meets a wall: limit analysis, or the equations of paper 003."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynamics.geometric.body import BASE
from dynamics.geometric.kinematics import Behaviour, behaviour, boundaries
from planner.mapping.sensing.shape import SAME, TubeShape, cross, unit, wrap
from surrogate.kernels.compiled import Floats

Hinge = tuple[float, bool]
"""Arc of the hinge [m], and whether friction holds the tip (then it is the pivot's arc, and the turn bends too)."""
Rule = Callable[[TubeShape, float, float], Hinge | None]
"""Shape of a slender tube, heading of the wall's tangent, at 0 to pi anticlockwise from the tip's [rad], and friction [-]; None if
the tube is stuck."""


def limit_analysis(shape: TubeShape, wall: float, friction: float) -> Hinge | None:
    """Return the hinge with the longest lever arm, all hinges having the same yield moment.

    The base bends in both directions, a node held by a corner only further around it, and a turn only in its own direction.
    A node that has bent beyond its natural shape springs back first.
    """
    tangent = unit(wall)
    into = np.array([tangent[1], -tangent[0]])  # the heading is within 0 to pi right of the tangent
    reaches, ahead = shape.tip - shape.points[:-1], unit(shape.heading)
    for slide in (1, -1):
        levers = cross(reaches, -into - slide * friction * tangent)
        chosen = _yielding_node(shape, levers)
        if chosen < 0:
            continue
        side, reach = np.sign(levers[chosen]), reaches[chosen]
        growth = side * float(cross(reach, -into)) / max(float(ahead @ into), SAME)
        speed = growth * float(ahead @ tangent) + side * float(cross(reach, tangent))
        if growth > 0 and speed * slide > 0:
            return float(shape.arcs[chosen]), False
    turn = shape.turn_node
    held = [k for k in range(turn) if shape.side[k] in (BASE, -np.sign(shape.natural[turn]))]
    return (float(shape.arcs[held[-1]]), True) if held else None


def paper_rule(shape: TubeShape, wall: float, friction: float) -> Hinge | None:
    """Return the hinge by the contact angle alone.

    A straight tube turns about the last contact that can hold it, to the side of the larger contact angle, and buckles in the
    place, that is, is stuck, where friction holds the tip. Beyond a turn, the four behaviours follow one another.

    Source: paper 003, section 2.1 (after Greer et al.), Eq. 3 and Eqs. 13 to 15 for a slender tube.
    """
    angle, slip = wall - shape.heading, np.arctan(friction)
    turn = shape.turn_node
    if turn < 0:
        if abs(angle - np.pi / 2) <= slip:
            return None
        return float(shape.arcs[_holding_node(shape, len(shape.side), 1 if angle < np.pi / 2 else -1)]), False
    bent = 1 if shape.natural[turn] > 0 else -1
    negative = _holding_node(shape, turn, -bent)
    found = _find_behaviour(shape, turn, negative, angle, friction)
    if found is None:
        return None
    if found == Behaviour.PIVOT_AT_TURN:
        return float(shape.arcs[turn]), False
    if found == Behaviour.POSITIVE_PIVOT:
        return float(shape.arcs[_holding_node(shape, turn, bent)]), False
    return float(shape.arcs[negative]), found == Behaviour.FRICTION_LOCKED


RULES: dict[str, Rule] = {"limit-analysis": limit_analysis, "published": paper_rule}
"""All rules, by name."""


def _holding_node(shape: TubeShape, before: int, side: int) -> int:
    """Return the last node before node `before` about which the tube can turn to a side: the base, or a corner on that side."""
    return max(k for k in range(before) if shape.side[k] in (BASE, side))


def _find_behaviour(shape: TubeShape, turn: int, pivot: int, angle: float, friction: float) -> Behaviour | None:
    """Return the behaviour of a tube with a turn; None if the tip is not ahead of the pivot, for which there are no
    equations."""
    before = shape.points[turn] - shape.points[pivot]
    first = float(np.hypot(*before))
    bend = wrap(shape.heading - float(np.arctan2(before[1], before[0]))) if first > SAME else shape.natural[turn]
    ratio = first / max(shape.length - float(shape.arcs[turn]), SAME)
    if 1 + ratio * np.cos(bend) <= 0:
        return None
    return Behaviour(int(behaviour(angle, boundaries(friction, bend, ratio))))


def _yielding_node(shape: TubeShape, levers: Floats) -> int:
    """Return the node that yields for given lever arms about the nodes [m], shape (nodes,); -1 if none does."""
    chosen, longest = -1, 0.0
    for k in range(len(levers) - 1, -1, -1):
        side = np.sign(levers[k])
        if abs(levers[k]) < SAME:
            continue
        if shape.bends[k] * side < -1e-7:
            return k
        held = shape.side[k] in (BASE, side)
        if (held or shape.natural[k] * side > 0) and abs(levers[k]) > longest:
            chosen, longest = k, abs(levers[k])
        if held:
            break
    return chosen
