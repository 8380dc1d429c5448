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
ROUNDING = 1.5 * 2.0**52
"""A number that leaves no digits behind the point to a smaller one that is added to it."""
MOST_TURN = 1e5
"""Largest heading for `cosine_and_sine` [rad]: in larger ones, of vines that break down, it would lose digits."""


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
    thickness: Floats
    """How far the actuator of each segment stands out from the tube's side [m], positive on the left, same shape: 0 without one, and in
    propagators without thickness."""
    stiffness: Floats
    """Load per lost height of the actuator of each segment and per length [N/m2], same shape; not used without one."""


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
        np.zeros(max_segments),
        np.full(max_segments, np.inf),
    )


@compiled(forceinline=True)
def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle [rad] up to `MOST_TURN`, to the last bit but one: without branches, so that a loop takes several at once.

    Source: the polynomials between -pi/4 and pi/4 and the first parts of pi/2 are those of fdlibm (Sun Microsystems, 1993).
    """
    quarters = (angle * (2.0 / math.pi) + ROUNDING) - ROUNDING
    r = ((angle - quarters * 1.57079632673412561417e00) - quarters * 6.07710050630396597660e-11) - (
        quarters * 2.02226624879595063154e-21
    )
    z = r * r
    s = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    s = -1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s))
    s = r + r * z * s
    c = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
    c = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c))
    c = 1.0 - (0.5 * z - z * z * c)
    turn = abs(quarters - 4.0 * ((0.25 * quarters + ROUNDING) - ROUNDING))
    back = quarters - 4.0 * ((0.25 * quarters + ROUNDING) - ROUNDING) < 0.0
    cosine, sine = (s, c) if turn == 1.0 else (c, s)
    return -cosine if turn == 2.0 or (turn == 1.0 and not back) else cosine, -sine if turn == 2.0 or back else sine


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
    heading, farthest = start[2], 0.0
    for j in range(segments):
        heading += angles[j]
        sine[j], farthest = heading, max(farthest, abs(heading))
    if farthest < MOST_TURN:
        for j in range(segments):
            cosine[j], sine[j] = cosine_and_sine(sine[j])
    else:
        for j in range(segments):
            cosine[j], sine[j] = math.cos(sine[j]), math.sin(sine[j])
    x, y = start[0], start[1]
    for j in range(segments):
        xs[j], ys[j], c, s = x, y, cosine[j], sine[j]
        film = last_length if j == segments - 1 else segment_length
        length, change = (film, 0.0) if pivots[j] == 0.0 and film > 0.0 else link(film, angles[j], pivots[j])[:2]
        lengths[j], films[j] = length, film
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
