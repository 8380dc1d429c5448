"""The robot of papers 000/001: links of two bodies each, all of which lengthen simultaneously instead of growing at the tip.

Its state has a constant size and its spring is linear, so there are closed-form solutions to test the time step with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.chain import Chain
from dynamics.contacts import find_contacts
from dynamics.cross_section import CrossSection, rigid_section
from dynamics.impulse.bodies import Bodies, advance, assemble, lay
from dynamics.impulse.impact import ImpactNumbers, contact_rows, solve
from dynamics.impulse.model import ImpulseWork, new_work
from dynamics.propagator import CannotRun
from dynamics.scene import MARGIN, Scene, build_scene
from environments.environment import Environment
from surrogate.kernels.compiled import Floats, compiled


@dataclass(frozen=True, slots=True)
class Telescope:
    """A robot of telescoping links. The length of a body is twice `half`; the bodies of a link are initially end to end."""

    links: int
    half: float
    """Distance from a body's centre to its ends [m]."""
    radius: float
    """Radius of the tube [m]."""
    mass: float
    """Mass of a body [kg]."""
    inertia: float
    """Moment of inertia of a body about its centre [kg m2]."""
    stiffness: float
    """Stiffness of the spring in each pin [N m / rad]."""
    damping: float
    """Damping of each pin [N m s / rad]."""
    growth_rate: float
    """Growth rate of the whole robot [m/s]."""
    compliance: float = 1e-7
    """Compliance of contacts [m/N]."""


@dataclass(frozen=True, slots=True)
class TelescopeMotion:
    """Motion of a robot, with a record at the start and after each step."""

    pose: Floats
    """Centre x, y [m] and heading [rad] of each body, shape (steps + 1, bodies, 3)."""
    velocity: Floats
    """Time derivative of `pose` [m/s, rad/s], of the same shape."""
    joints: Floats
    """Pins and tip, from the base [m], shape (steps + 1, links + 1, 2)."""
    deepest: Floats
    """Maximum penetration of obstacles [m], at least 0, shape (steps + 1,)."""


def simulate(
    robot: Telescope,
    environment: Environment,
    seconds: float,
    step: float,
    bends: Floats | None = None,
    qp: Any = None,
) -> TelescopeMotion:
    """Release a robot from rest at the start of an environment.

    Args:
        step: Length of the time steps [s].
        bends: Initial angle at each pin [rad], shape (links,); straight by default.
        qp: Solver of the steps, such as an `OsqpStep`; by default the Schur complement.
    Raises:
        CannotRun: A step could not be solved.
    """
    count, base = 2 * robot.links, np.asarray(environment.start, float)
    work = new_work(robot.links, count)
    bodies, drive = work.bodies, work.drive
    bodies.mass[:], bodies.inertia[:] = robot.mass, robot.inertia
    bodies.slides[1::2] = True
    bodies.back[0::2] = bodies.front[1::2] = robot.half
    bodies.reach[1::2] = 2 * robot.half
    bodies.pose[:, 2] = np.repeat(base[2] + np.cumsum(np.zeros(robot.links) if bends is None else bends), 2)
    lay(bodies, count, base)
    work.holder[:] = 2 * np.arange(robot.links) + 1
    drive.stiffness[:], drive.damping[:], drive.rate[:] = (
        robot.stiffness,
        robot.damping,
        robot.growth_rate / robot.links,
    )
    margin = min(MARGIN, 0.36 * robot.radius)
    longest = 4 * robot.half + robot.growth_rate * seconds / robot.links
    scene = build_scene(environment, robot.radius + margin, robot.radius + margin + longest)
    steps = round(seconds / step)
    motion = TelescopeMotion(
        np.empty((steps + 1, count, 3)),
        np.empty((steps + 1, count, 3)),
        np.empty((steps + 1, robot.links + 1, 2)),
        np.empty(steps + 1),
    )
    run = _run if qp is None else _run.py_func
    solved = run(
        scene, work, base, rigid_section(robot.radius, robot.compliance), margin, step, steps,
        motion.pose, motion.velocity, motion.joints, motion.deepest, qp,
    )  # fmt: skip
    if not solved:
        raise CannotRun("the contacts of a step could not be solved; take a smaller step")
    return motion


@compiled()
def chain_of(bodies: Bodies, links: int, chain: Chain) -> None:
    """The links as segments of a chain."""
    for i in range(links):
        first, second = 2 * i, 2 * i + 1
        cosine, sine = np.cos(bodies.pose[first, 2]), np.sin(bodies.pose[first, 2])
        back, front = bodies.back[first], bodies.front[second]
        chain.cosine[i], chain.sine[i] = cosine, sine
        chain.length[i] = back + bodies.reach[second] + front
        chain.x[i], chain.y[i] = bodies.pose[first, 0] - back * cosine, bodies.pose[first, 1] - back * sine
        chain.x[i + 1], chain.y[i + 1] = bodies.pose[second, 0] + front * cosine, bodies.pose[second, 1] + front * sine


@compiled(counted=True, nogil=True)
def _run(
    scene: Scene,
    work: ImpulseWork,
    base: Floats,
    section: CrossSection,
    margin: float,
    step: float,
    steps: int,
    pose: Floats,
    velocity: Floats,
    joints: Floats,
    deepest: Floats,
    qp: Any,
) -> bool:
    bodies, drive, rows, chain, contacts, impact = (
        work.bodies, work.drive, work.rows, work.chain, work.contacts, work.impact,
    )  # fmt: skip
    count = len(bodies.mass)
    links, solved = count // 2, True
    for s in range(steps + 1):
        chain_of(bodies, links, chain)
        number = find_contacts(scene, section, margin, chain, links, contacts)
        pose[s], velocity[s] = bodies.pose, bodies.velocity
        joints[s, :, 0], joints[s, :, 1] = chain.x, chain.y
        deepest[s] = max(-contacts.gap[:number].min(), 0.0) if number else 0.0
        if s == steps:
            break
        for k in range(0, count, 2):
            drive.moment[k] = drive.stiffness[k] * (bodies.pose[k, 2] - (bodies.pose[k - 1, 2] if k else base[2]))
        assemble(bodies, drive, count, step, base, rows)
        contact_rows(bodies, contacts, number, work.holder, impact)
        numbers = ImpactNumbers(count, number, step, 0.0)
        if qp is None:
            solved = solve(bodies, rows, contacts, work.factor, impact, numbers)
        else:
            qp.solve(bodies, rows, contacts, impact, numbers)
        if not solved:
            return False
        advance(bodies, impact.velocity, count, step, base)
    return True
