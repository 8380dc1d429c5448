"""The bodies of a vine that grows at its tip.

Every full segment is a body; the growing one has a body at either end, which a prismatic joint parts.
"""

from __future__ import annotations

import numpy as np

from dynamics.impulse.bodies import Bodies, lay
from dynamics.impulse.model import ImpulseTube, ImpulseWork
from dynamics.moment import Vine
from surrogate.kernels.compiled import Floats, compiled

LIGHTEST = 1e-3
"""The growing segment weighs as if it were no shorter than this [m]."""


@compiled()
def dimension(bodies: Bodies, tube: ImpulseTube, segments: int, last_length: float) -> None:
    """Masses and lengths: a body for each full segment, and for the growing one a body at either end; the last has the tip's mass too."""
    for k in range(segments + 1):
        whole = k < segments - 1
        length = tube.segment if whole else 0.5 * max(last_length, LIGHTEST)
        bodies.mass[k] = tube.mass_per_length * length
        bodies.inertia[k] = bodies.mass[k] * (tube.gyration + (length**2 / 12.0 if whole else 0.0))
        bodies.back[k] = bodies.front[k] = 0.5 * length if whole else 0.0
        bodies.slides[k] = k == segments
    bodies.mass[segments] += tube.tip_mass
    bodies.inertia[segments] += tube.tip_mass * tube.gyration
    bodies.reach[segments] = last_length


@compiled()
def start(work: ImpulseWork, tube: ImpulseTube, vine: Vine, base: Floats, segments: int, last_length: float) -> None:
    """Lay the bodies at rest where the bends say."""
    heading, angles, pivots = base[2], vine.angles, vine.pivots
    for j in range(len(pivots)):
        work.bodies.pivot[j] = pivots[j]
    for j in range(segments):
        heading += angles[j]
        work.bodies.pose[j, 2] = heading
        work.holder[j] = j
    work.holder[segments - 1] = segments
    for k in range(segments + 1):
        for i in range(3):
            work.bodies.velocity[k, i] = 0.0
    dimension(work.bodies, tube, segments, last_length)
    lay(work.bodies, segments + 1, base)


@compiled()
def add_segment(work: ImpulseWork, tube: ImpulseTube, angles: Floats, base: Floats, segments: int) -> None:
    """Let the segment that has grown to its full length be followed by a new one, of no length; velocities stay."""
    bodies, full = work.bodies, tube.segment
    last, tip = segments - 1, segments
    cosine, sine = np.cos(bodies.pose[last, 2]), np.sin(bodies.pose[last, 2])
    pin_x, pin_y, turn = bodies.velocity[last]
    growth = (bodies.velocity[tip, 0] - pin_x) * cosine + (bodies.velocity[tip, 1] - pin_y) * sine
    bodies.velocity[last, 0], bodies.velocity[last, 1] = (
        pin_x - 0.5 * full * turn * sine,
        pin_y + 0.5 * full * turn * cosine,
    )
    for k in range(tip, tip + 2):
        bodies.pose[k, 2] = bodies.pose[last, 2]
        bodies.velocity[k, 0], bodies.velocity[k, 1] = pin_x - full * turn * sine, pin_y + full * turn * cosine
        bodies.velocity[k, 2] = turn
    bodies.velocity[tip + 1, 0] += growth * cosine
    bodies.velocity[tip + 1, 1] += growth * sine
    angles[tip] = 0.0
    work.holder[last], work.holder[tip] = last, tip + 1
    dimension(bodies, tube, segments + 1, 0.0)
    lay(bodies, segments + 2, base)


@compiled()
def fastest(bodies: Bodies, velocity: Floats, count: int) -> float:
    """Speed of the fastest end of a body [m/s]."""
    fastest = 0.0
    for k in range(count):
        turn = velocity[k, 2]
        for arm in (-bodies.back[k], bodies.front[k]):
            vx = velocity[k, 0] - turn * arm * np.sin(bodies.pose[k, 2])
            vy = velocity[k, 1] + turn * arm * np.cos(bodies.pose[k, 2])
            fastest = max(fastest, np.hypot(vx, vy))
    return fastest


@compiled()
def relative_growth(bodies: Bodies, velocity: Floats, segments: int) -> float:
    """Rate at which the last segment grows by these velocities [m/s]."""
    heading = bodies.pose[segments, 2]
    apart_x = velocity[segments, 0] - velocity[segments - 1, 0]
    apart_y = velocity[segments, 1] - velocity[segments - 1, 1]
    return apart_x * np.cos(heading) + apart_y * np.sin(heading)


@compiled()
def copy_state(of: Bodies, to: Bodies, count: int) -> None:
    """Copy what a step changes."""
    for k in range(count):
        to.reach[k] = of.reach[k]
        for i in range(3):
            to.pose[k, i], to.velocity[k, i] = of.pose[k, i], of.velocity[k, i]
