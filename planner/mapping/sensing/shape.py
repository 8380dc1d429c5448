"""The axis of a tube as straight links, and its closed-form motion while its tip is on a flat wall, without other obstacles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.geometric.body import BASE, FREE
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats

SAME = 1e-9
"""Nodes closer than this along the tube are merged [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class TubeShape:
    """Axis of a tube as straight links from node to node; the last one ends at the tip."""

    points: Floats
    """Nodes, and the tip [m], shape (nodes + 1, 2)."""
    arcs: Floats
    """Distance of each of them from the base along the tube [m], shape (nodes + 1,)."""
    headings: Floats
    """Heading of the launch, then of each link [rad], shape (nodes + 1,)."""
    natural: Floats
    """Natural bend of each node, its turn [rad], shape (nodes,)."""
    side: Integers
    """Side on which an obstacle holds each node: 1 left, -1 right, or `BASE`, or `FREE`; shape (nodes,)."""

    @classmethod
    def at_launch(cls, start: Floats) -> TubeShape:
        """Return a tube of zero length at x, y [m] and heading [rad]."""
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
        """Length of the tube [m]."""
        return float(self.arcs[-1])

    @property
    def heading(self) -> float:
        """Heading of the tip [rad]."""
        return float(self.headings[-1])

    @property
    def tip(self) -> Floats:
        """Position of the tip [m], shape (2,)."""
        return self.points[-1]

    @property
    def bends(self) -> Floats:
        """Bend of each node in addition to its natural one [rad], shape (nodes,)."""
        return np.diff(self.headings) - self.natural

    def at(self, arc: Floats | float) -> Floats:
        """Return points on the axis at distances from the base along the tube [m], shape (..., 2)."""
        return np.stack([np.interp(arc, self.arcs, side) for side in self.points.T], axis=-1)

    def node(self, arc: float) -> int:
        """Return the index of the node at an arc; -1 if there is none."""
        nearest = int(np.argmin(abs(self.arcs[:-1] - arc)))
        return nearest if abs(self.arcs[nearest] - arc) < SAME else -1

    def extend(self, length: float) -> TubeShape:
        """Return the shape with its last link extended to a total length [m]."""
        points, arcs = self.points.copy(), self.arcs.copy()
        points[-1] = points[-2] + (length - arcs[-2]) * unit(self.heading)
        arcs[-1] = length
        return replace(self, points=points, arcs=arcs)

    def hold(self, arc: float, side: int) -> TubeShape:
        """Return the shape with a node at an arc, held by an obstacle on one side."""
        if (known := self.node(arc)) >= 0:
            sides = self.side.copy()
            sides[known] = side if self.side[known] != BASE else BASE
            return replace(self, side=sides)
        k = int(np.searchsorted(self.arcs[1:-1], arc)) + 1
        return TubeShape(
            np.insert(self.points, k, self.at(arc), axis=0),
            np.insert(self.arcs, k, arc),
            np.insert(self.headings, k, self.headings[k]),
            np.insert(self.natural, k, 0.0),
            np.insert(self.side, k, side),
        )

    def with_turn_at_tip(self, turn: float) -> TubeShape:
        """Return the shape with its turn [rad] just grown, at the tip."""
        return TubeShape(
            np.concatenate([self.points, self.points[-1:]]),
            np.append(self.arcs, self.length),
            np.append(self.headings, self.heading + turn),
            np.append(self.natural, turn),
            np.append(self.side, FREE),
        )

    @property
    def turn_node(self) -> int:
        """Index of the node that is the turn, if the tube is straight from there to the tip; else -1."""
        turns = np.flatnonzero(self.natural)
        return int(turns[0]) if len(turns) and (abs(self.bends[turns[0] + 1 :]) < 1e-7).all() else -1

    def release(self, arc: float) -> TubeShape:
        """Return the shape released from contacts beyond an arc; straight nodes there are removed."""
        straight = (self.arcs[:-1] > arc + SAME) & (self.natural == 0) & (abs(np.diff(self.headings)) < 1e-7)
        kept = np.flatnonzero(~straight)
        ends = np.append(kept, len(straight))
        side = np.where(self.arcs[kept] > arc + SAME, FREE, self.side[kept])
        headings = np.append(self.headings[0], self.headings[kept + 1])
        return TubeShape(self.points[ends], self.arcs[ends], headings, self.natural[kept], side)

    def rotate(self, arc: float, angle: float) -> TubeShape:
        """Return the shape with the part beyond an arc rotated about the point there."""
        shape = self if self.node(arc) >= 0 else self.hold(arc, FREE)
        k = shape.node(arc)
        c, s = np.cos(angle), np.sin(angle)
        points, headings = shape.points.copy(), shape.headings.copy()
        points[k + 1 :] = points[k] + (points[k + 1 :] - points[k]) @ np.array([[c, s], [-s, c]])
        headings[k + 1 :] += angle
        return replace(shape, points=points, headings=headings)


@dataclass(frozen=True, slots=True, eq=False)
class WallMotion:
    """Motion of a growing tube whose tip is on a flat wall: one hinge turns, or pivot and turn bend while the tip sticks."""

    shape: TubeShape
    """Shape at the start of the motion."""
    wall: float
    """Heading of the wall's tangent [rad], at 0 to pi anticlockwise from the tip's heading."""
    arc: float
    """Distance from the base to the hinge along the tube [m]; to the pivot, if two hinges turn."""
    locked: bool = False

    @classmethod
    def of(cls, shape: TubeShape, wall: float, arc: float, locked: bool = False) -> WallMotion:
        """Begin a motion: the tube is released from contacts beyond the hinge."""
        return cls(shape.release(arc), wall, arc, locked)

    def angles(self, lengths: Floats) -> Floats:
        """Return contact angles at lengths of the whole tube [rad].

        Source: paper 003, Eqs. 17 and 23 to 25, solved for the angle; locked, Eqs. 26 to 29.
        """
        growth = np.asarray(lengths) - self.shape.length
        if self.locked:
            return self.wall - self._locked_headings(growth)
        across, along = self.lever()
        return slide_angle(along, across, self.wall - self.shape.heading, growth)

    def lever(self) -> tuple[float, float]:
        """Return components across and along the tip's heading of the vector from the hinge to the tip [m]."""
        reach = self.shape.tip - self.shape.at(self.arc)
        ahead = unit(self.shape.heading)
        return float(ahead[0] * reach[1] - ahead[1] * reach[0]), float(reach @ ahead)

    def shape_at(self, length: float) -> TubeShape:
        """Return the tube at a length [m]."""
        heading = self.wall - float(self.angles(np.array([length]))[0])
        if not self.locked:
            return self.shape.rotate(self.arc, heading - self.shape.heading).extend(length)
        tip, turn = self.shape.tip, self.shape.arcs[-2]
        joint = tip - (length - turn) * unit(heading)
        pivot, before = self.shape.at(self.arc), self.shape.points[-2]
        angle = wrap(bearing(joint - pivot) - bearing(before - pivot))
        moved = self.shape.rotate(self.arc, angle)
        headings = moved.headings.copy()
        headings[-1] = heading
        return replace(moved, headings=headings).extend(length)

    def end(self) -> float:
        """Return the length of the whole tube at which the hinge has sprung back to its natural bend [m]; inf if it does
        not."""
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
        """Return 1 if the tip's heading turns to the left, -1 to the right."""
        now = self.wall - self.shape.heading
        soon = self.angles(np.array([self.shape.length + 1e-6]))[0]
        return 1 if soon < now else -1

    def _locked_headings(self, growth: Floats) -> Floats:
        """Heading of the last link, by the law of cosines: the turn is on a circle about the pivot and on a line through the tip."""
        tip, joint, pivot = self.shape.tip, self.shape.points[-2], self.shape.at(self.arc)
        from_pivot, arm = np.hypot(*(tip - pivot)), np.hypot(*(joint - pivot))
        last = self.shape.length - self.shape.arcs[-2]
        side = np.sign(wrap(self.shape.heading - bearing(tip - pivot)))

        def opened(length: Floats | float) -> Floats:
            cosine = (from_pivot**2 + length**2 - arm**2) / np.maximum(2 * from_pivot * length, 1e-300)
            return np.arccos(np.clip(cosine, -1, 1))

        return self.shape.heading + side * (opened(last + growth) - opened(last))


def slide_angle(along: Floats | float, across: Floats | float, angle: float, growth: Floats) -> Floats:
    """Contact angle of a body that rotates about a hinge while its last link grows and its tip stays on a flat wall.

    The vector from the hinge to the tip has the components (along, across) with respect to the tip's heading. The distance of
    the hinge from the wall, along sin(angle) - across cos(angle), is constant, while along increases with the growth.

    Args:
        along: Initial component along the heading [m], any shape.
        across: Component to the left [m], same shape.
        angle: Initial contact angle [rad].
        growth: Growth since then [m], of a shape that broadcasts.
    Returns:
        Contact angles [rad], of the broadcast shape.
    Source: paper 003, Eqs. 17 and 23 to 25; across = 0 is l sin(angle) = const of a straight tube.
    """
    height = along * np.sin(angle) - across * np.cos(angle)
    ahead = along + growth
    reach, offset = np.hypot(ahead, across), np.arctan2(across, ahead)
    ahead_first = np.cos(angle - np.arctan2(across, along)) >= 0
    rise = np.arcsin(np.clip(height / np.maximum(reach, 1e-300), -1, 1))
    found = offset + np.where(ahead_first, rise, np.pi - rise)
    # The equivalent angle that is nearest to the initial one.
    return found + 2 * np.pi * np.round((angle - found) / (2 * np.pi))


def unit(heading: float) -> Floats:
    """Unit vector of a heading [rad]."""
    return np.array([np.cos(heading), np.sin(heading)])


def bearing(vector: Floats) -> float:
    """Heading of a vector [rad]."""
    return float(np.arctan2(vector[1], vector[0]))


def wrap(angle: float) -> float:
    """The equivalent angle from -pi to pi [rad]."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Third component of cross products, along the last axis."""
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
