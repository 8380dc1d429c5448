"""A vine as a chain of straight segments: positions of its joints, their displacements, and whether they are in bounds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.links import link
from dynamics.scene import SPARED, TABLE, Scene
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

OVERHANG = 1e-6
"""A tube that hangs over the edge of a table by less [m], or heads towards it by less [-], does not: rounding."""


class Chain(NamedTuple):
    """Joint positions and segment headings of a vine."""

    x: Floats
    """Joints from the base to the tip [m], shape (max_segments + 1,)."""
    y: Floats
    cosine: Floats
    """Heading of each segment, shape (max_segments,)."""
    sine: Floats
    length: Floats
    """Length of each segment's centreline [m], shape (max_segments,)."""
    film: Floats
    """Length of each segment's film [m], same shape: longer where an actuator shortens the centreline."""
    pivot_x: Floats
    """Point about which the tube beyond each joint turns when the joint bends [m], same shape: the joint or, under an actuator, the
    wall of the tube on the outer side of the bend."""
    pivot_y: Floats


def new_chain(max_segments: int) -> Chain:
    """Allocate a chain."""
    return Chain(
        np.empty(max_segments + 1),
        np.empty(max_segments + 1),
        np.empty(max_segments),
        np.empty(max_segments),
        np.empty(max_segments),
        np.empty(max_segments),
        np.empty(max_segments),
        np.empty(max_segments),
    )


@compiled()
def forward_kinematics(
    chain: Chain,
    angles: Floats,
    pivots: Floats,
    start: Floats,
    segments: int,
    last_length: float,
    segment_length: float,
) -> float:
    """Compute joint positions and segment headings from the bends; return the tip's heading [rad].

    Args:
        pivots: Distance of each joint's pivot from the centreline [m], see `link`, shape (max_segments,).
        last_length: Length of the last segment's film [m].
        segment_length: Length of the other segments' film [m].
    """
    xs, ys, cosine, sine, lengths = chain.x, chain.y, chain.cosine, chain.sine, chain.length
    films, pivot_x, pivot_y = chain.film, chain.pivot_x, chain.pivot_y
    x, y, heading = start[0], start[1], start[2]
    for j in range(segments):
        xs[j], ys[j] = x, y
        heading += angles[j]
        c, s = math.cos(heading), math.sin(heading)
        film = last_length if j == segments - 1 else segment_length
        length, change, _ = link(film, angles[j], pivots[j])
        cosine[j], sine[j], lengths[j], films[j] = c, s, length, film
        pivot_x[j], pivot_y[j] = x - change * s, y + change * c
        x, y = x + length * c, y + length * s
    xs[segments], ys[segments] = x, y
    return heading


@compiled()
def moved_since(chain: Chain, segments: int, seen: Floats) -> float:
    """Largest displacement of a joint since the last call [m]; updates `seen` to the present positions."""
    xs, ys = chain.x, chain.y
    farthest = 0.0
    for i in range(segments + 1):
        farthest = max(farthest, math.hypot(xs[i] - seen[i, 0], ys[i] - seen[i, 1]))
        seen[i, 0], seen[i, 1] = xs[i], ys[i]
    return farthest


@compiled(forceinline=True)
def hangs_over(scene: Scene, chain: Chain, segments: int) -> bool:
    """Whether a side or the tip of the tube hangs over the edge of a table.

    The tube has flat sides along its segments, a round cap at the tip and at bends, and none at its base: its first
    diameter may hang over an edge that it heads away from.
    """
    bounds = scene.bounds
    radius, spared = bounds[TABLE], bounds[SPARED]
    for side in range(4):
        outward = -1.0 if side < 2 else 1.0
        at, heading, across = (
            (chain.x, chain.cosine, chain.sine) if side % 2 == 0 else (chain.y, chain.sine, chain.cosine)
        )
        most, reached = outward * bounds[side] + OVERHANG, 0.0
        for i in range(segments):
            before, along = reached, outward * heading[i]
            reached += chain.length[i]
            if before < max(spared, 2.0 * radius if along < -OVERHANG else 0.0):
                continue
            wide = radius * abs(across[i])
            ahead = along >= 0.0 and (i == segments - 1 or outward * heading[i + 1] <= 0.0)
            if outward * at[i] + wide > most or outward * at[i + 1] + (radius if ahead else wide) > most:
                return True
    return False


@compiled()
def outside(scene: Scene, chain: Chain, segments: int) -> bool:
    """Whether a joint has left the bounds or, on a table, a side or the tip of the tube hangs over its edge.

    The first length of a tube that a mount spares may be anywhere. All calls are inlined: a function that calls others counts
    a reference to each of its arrays, which is measurable here.
    """
    xs, ys, lengths, bounds = chain.x, chain.y, chain.length, scene.bounds
    low_x, low_y, high_x, high_y = bounds[0], bounds[1], bounds[2], bounds[3]
    for i in range(segments + 1):
        if not (low_x <= xs[i] <= high_x and low_y <= ys[i] <= high_y):
            reached = 0.0
            for j in range(i):
                reached += lengths[j]
            if not reached < bounds[SPARED]:
                return True
    return bounds[TABLE] > 0.0 and hangs_over(scene, chain, segments)


@compiled()
def finite(chain: Chain, segments: int, forces: Floats, broken: Integers) -> bool:
    """Whether all joints and contact forces of a vine are finite; its joints must be computed before.

    Args:
        forces: Contact force on each segment [N].
        broken: Receives the first segment with a non-finite value, shape (1,).
    """
    xs, ys = chain.x, chain.y
    for j in range(segments):
        if not math.isfinite(xs[j + 1] + ys[j + 1] + forces[j]):
            broken[0] = j
            return False
    return True
