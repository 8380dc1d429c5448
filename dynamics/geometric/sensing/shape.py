"""The axis of a tube as straight links, and how it moves while its tip is on a flat wall: in closed form, without obstacles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.geometric.body import BASE, FREE
from dynamics.vine import Integers
from surrogate.compiled import Floats

SAME = 1e-9
"""Nodes closer than this along the tube are merged [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Straight links from node to node; the last one ends at the tip."""

    points: Floats
    """Nodes, and the tip [m], shape (nodes + 1, 2)."""
    arcs: Floats
    """Length of tube from the base to each of them [m], shape (nodes + 1,)."""
    headings: Floats
    """That of the launch, then of each link [rad], shape (nodes + 1,)."""
    natural: Floats
    """Bend of each node by itself: its turn [rad], shape (nodes,)."""
    side: Integers
    """Where an obstacle holds each node: 1 on the left, -1 on the right, or `BASE`, or `FREE`; shape (nodes,)."""

    @classmethod
    def launched(cls, start: Floats) -> Shape:
        """A tube of no length at x, y [m] and heading [rad]."""
        position, heading = np.asarray(start[:2], float), float(start[2])
        return cls(
            np.array([position, position]),
            np.zeros(2),
            np.array([heading, heading]),
            np.zeros(1),
            np.full(1, BASE, np.int64),
        )

    @property
    def length(self) -> float:
        """[m]"""
        return float(self.arcs[-1])

    @property
    def heading(self) -> float:
        """Of the tip [rad]."""
        return float(self.headings[-1])

    @property
    def tip(self) -> Floats:
        """[m], shape (2,)."""
        return self.points[-1]

    @property
    def bends(self) -> Floats:
        """Of each node, beyond its natural one [rad], shape (nodes,)."""
        return np.diff(self.headings) - self.natural

    def at(self, arc: Floats | float) -> Floats:
        """Points on the axis at lengths from the base [m], shape (..., 2)."""
        return np.stack([np.interp(arc, self.arcs, side) for side in self.points.T], axis=-1)

    def node(self, arc: float) -> int:
        """Which node is there; -1 where there is none."""
        nearest = int(np.argmin(abs(self.arcs[:-1] - arc)))
        return nearest if abs(self.arcs[nearest] - arc) < SAME else -1

    def grown(self, length: float) -> Shape:
        """The same, its last link as long as the whole length requires."""
        points, arcs = self.points.copy(), self.arcs.copy()
        points[-1] = points[-2] + (length - arcs[-2]) * unit(self.heading)
        arcs[-1] = length
        return replace(self, points=points, arcs=arcs)

    def held(self, arc: float, side: int) -> Shape:
        """The same with a node at an arc, held by an obstacle on one side."""
        if (known := self.node(arc)) >= 0:
            sides = self.side.copy()
            sides[known] = side if self.side[known] != BASE else BASE
            return replace(self, side=sides)
        k = int(np.searchsorted(self.arcs[1:-1], arc)) + 1
        return Shape(
            np.insert(self.points, k, self.at(arc), axis=0),
            np.insert(self.arcs, k, arc),
            np.insert(self.headings, k, self.headings[k]),
            np.insert(self.natural, k, 0.0),
            np.insert(self.side, k, side),
        )

    def turned_at_tip(self, turn: float) -> Shape:
        """The same with its turn [rad] just grown, at the tip."""
        return Shape(
            np.concatenate([self.points, self.points[-1:]]),
            np.append(self.arcs, self.length),
            np.append(self.headings, self.heading + turn),
            np.append(self.natural, turn),
            np.append(self.side, FREE),
        )

    @property
    def turn_node(self) -> int:
        """The node that is the turn, if the tube is straight from there to the tip; else -1."""
        turns = np.flatnonzero(self.natural)
        return int(turns[0]) if len(turns) and (abs(self.bends[turns[0] + 1 :]) < 1e-7).all() else -1

    def let_go(self, arc: float) -> Shape:
        """The same without what held it beyond an arc: straight nodes there are no more."""
        straight = (self.arcs[:-1] > arc + SAME) & (self.natural == 0) & (abs(np.diff(self.headings)) < 1e-7)
        kept = np.flatnonzero(~straight)
        ends = np.append(kept, len(straight))
        side = np.where(self.arcs[kept] > arc + SAME, FREE, self.side[kept])
        headings = np.append(self.headings[0], self.headings[kept + 1])
        return Shape(self.points[ends], self.arcs[ends], headings, self.natural[kept], side)

    def rotated(self, arc: float, angle: float) -> Shape:
        """The same, all beyond an arc turned about the point there."""
        shape = self if self.node(arc) >= 0 else self.held(arc, FREE)
        k = shape.node(arc)
        c, s = np.cos(angle), np.sin(angle)
        points, headings = shape.points.copy(), shape.headings.copy()
        points[k + 1 :] = points[k] + (points[k + 1 :] - points[k]) @ np.array([[c, s], [-s, c]])
        headings[k + 1 :] += angle
        return replace(shape, points=points, headings=headings)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How a tube whose tip is on a flat wall moves as it grows: one hinge turns, or pivot and turn do and the tip stays."""

    shape: Shape
    """At its begin."""
    wall: float
    """Heading of the wall's tangent [rad], from the tip's heading anticlockwise by 0 to pi."""
    arc: float
    """Length from the base to the hinge; of two, to the pivot [m]."""
    locked: bool = False

    @classmethod
    def of(cls, shape: Shape, wall: float, arc: float, locked: bool = False) -> Motion:
        """One that begins: what held the tube beyond the hinge no longer does."""
        return cls(shape.let_go(arc), wall, arc, locked)

    def angles(self, lengths: Floats) -> Floats:
        """Contact angles at whole lengths [rad].

        Source: paper 003, Eqs. 17 and 23 to 25, solved for the angle; locked, Eqs. 26 to 29.
        """
        growth = np.asarray(lengths) - self.shape.length
        if self.locked:
            return self.wall - self._locked_headings(growth)
        across, along = self.lever()
        return slide_angle(along, across, self.wall - self.shape.heading, growth)

    def lever(self) -> tuple[float, float]:
        """Across and along the tip's heading, from the hinge to the tip [m]."""
        reach = self.shape.tip - self.shape.at(self.arc)
        ahead = unit(self.shape.heading)
        return float(ahead[0] * reach[1] - ahead[1] * reach[0]), float(reach @ ahead)

    def shape_at(self, length: float) -> Shape:
        """The tube at a length [m]."""
        heading = self.wall - float(self.angles(np.array([length]))[0])
        if not self.locked:
            return self.shape.rotated(self.arc, heading - self.shape.heading).grown(length)
        tip, turn = self.shape.tip, self.shape.arcs[-2]
        joint = tip - (length - turn) * unit(heading)
        pivot, before = self.shape.at(self.arc), self.shape.points[-2]
        angle = wrapped(bearing(joint - pivot) - bearing(before - pivot))
        moved = self.shape.rotated(self.arc, angle)
        headings = moved.headings.copy()
        headings[-1] = heading
        return replace(moved, headings=headings).grown(length)

    def end(self) -> float:
        """Whole length at which the hinge has sprung back to its natural bend [m]; inf where it does not."""
        k = self.shape.node(self.arc)
        if self.locked or k < 0:
            return np.inf
        bend = float(self.shape.bends[k])
        across, along = self.lever()
        angle = self.wall - self.shape.heading
        turns = self.sense()
        if bend * turns >= -1e-12:
            return np.inf
        straight = angle + bend  # the tube turns by -bend, the contact angle by +bend
        if not 0 < straight < np.pi:
            return np.inf
        height = along * np.sin(angle) - across * np.cos(angle)
        return self.shape.length + float((height + across * np.cos(straight)) / np.sin(straight) - along)

    def sense(self) -> int:
        """1 if the tip's heading turns to the left, -1 to the right."""
        now = self.wall - self.shape.heading
        soon = self.angles(np.array([self.shape.length + 1e-6]))[0]
        return 1 if soon < now else -1

    def _locked_headings(self, growth: Floats) -> Floats:
        """The turn is where a circle about the pivot and the sensed line through the tip meet: law of cosines."""
        tip, joint, pivot = self.shape.tip, self.shape.points[-2], self.shape.at(self.arc)
        from_pivot, arm = np.hypot(*(tip - pivot)), np.hypot(*(joint - pivot))
        last = self.shape.length - self.shape.arcs[-2]
        side = np.sign(wrapped(self.shape.heading - bearing(tip - pivot)))

        def opened(length: Floats | float) -> Floats:
            cosine = (from_pivot**2 + length**2 - arm**2) / np.maximum(2 * from_pivot * length, 1e-300)
            return np.arccos(np.clip(cosine, -1, 1))

        return self.shape.heading + side * (opened(last + growth) - opened(last))


def slide_angle(along: Floats | float, across: Floats | float, angle: float, growth: Floats) -> Floats:
    """Contact angle of a body that turns about a hinge while its last link grows and its tip stays on a flat wall.

    With (along, across) from the hinge to the tip in axes of the tip's heading, the distance of the hinge from the wall,
    along sin(angle) - across cos(angle), stays; along grows.

    Args:
        along: [m], any shape.
        across: To the left [m], same shape.
        angle: Contact angle at the begin [rad].
        growth: Since then [m], a shape that broadcasts.
    Returns:
        [rad], broadcast.
    Source: paper 003, Eqs. 17 and 23 to 25; across = 0 is l sin(angle) = const of a straight tube.
    """
    height = along * np.sin(angle) - across * np.cos(angle)
    ahead = along + growth
    reach, offset = np.hypot(ahead, across), np.arctan2(across, ahead)
    ahead_first = np.cos(angle - np.arctan2(across, along)) >= 0
    rise = np.arcsin(np.clip(height / np.maximum(reach, 1e-300), -1, 1))
    found = offset + np.where(ahead_first, rise, np.pi - rise)
    # The same angle, in the turn next to that of the begin.
    return found + 2 * np.pi * np.round((angle - found) / (2 * np.pi))


def hinge(shape: Shape, wall: float, friction: float) -> tuple[float, bool] | None:
    """Where a tube bends first by limit analysis, all its hinges yielding at one moment; of a slender tube.

    The base bends both ways, a body on a corner further around it, a turn in its own direction; and what has bent beyond
    its natural shape springs back first.

    Returns:
        Arc [m], and whether friction holds the tip (then the arc is the pivot's, and the turn bends too); None: it is stuck.
    """
    tangent = unit(wall)
    into = np.array([tangent[1], -tangent[0]])  # the heading is within 0 to pi right of the tangent
    reaches, ahead = shape.tip - shape.points[:-1], unit(shape.heading)
    for slide in (1, -1):
        levers = cross(reaches, -into - slide * friction * tangent)
        chosen = _longest(shape, levers)
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


def _longest(shape: Shape, levers: Floats) -> int:
    """The node that yields under levers about it [m], shape (nodes,); -1 if none does."""
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


def unit(heading: float) -> Floats:
    """Unit vector of a heading [rad]."""
    return np.array([np.cos(heading), np.sin(heading)])


def bearing(vector: Floats) -> float:
    """Heading of a vector [rad]."""
    return float(np.arctan2(vector[1], vector[0]))


def wrapped(angle: float) -> float:
    """The same angle from -pi to pi [rad]."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Third component of cross products, along the last axis."""
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
