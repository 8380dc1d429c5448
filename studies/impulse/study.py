"""The experiments of papers 000/001 with the impulse simulator: its runtime over the number of bodies, and a cluttered environment."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from dynamics.moment import joint_moments
from dynamics.tube import Inertia, VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.design import Design, Section
from studies.impulse.telescope import Telescope, TelescopeMotion, simulate

SIZES = 20, 30, 50, 70, 100, 140, 200, 300
"""Numbers of bodies."""
SECONDS, STEP = 4.0, 0.01
"""Duration and time step of the runtime example [s]."""
PUBLISHED_MS = 3.0
"""Published time per step for 30 bodies (paper 000, section IV-A) [ms]."""
SOLVERS = {"banded": None, "OSQP, 1e-7": (1e-7, True), "OSQP, 1e-3": (1e-3, False)}
"""Tolerance of OSQP, and whether it polishes; the last is its default."""
INCH = 0.0254
CLUTTER = (5.5, -5, 4, 7), (4, -17, 7, 5), (13.5, -17, 8, 6), (13.5, -30, 4, 5), (20.5, -30, 4, 5), (13.5, -30, 10, 1)
"""Boxes of paper 000's cluttered environment: lower left corner, width and height [inch]."""
CLUTTER_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class StepTiming:
    """Computing time of the steps of one robot."""

    solver: str
    bodies: int
    milliseconds: float
    """Mean time per step in the fastest run [ms]."""
    tip: tuple[float, float]
    """Final position of the tip [m]."""


def make_circle_environment() -> Environment:
    """Make a circle in the way of a robot that grows along x (Fig. 4)."""
    circle = Obstacles(circles=np.array([[0.47, 0.025, 0.06]]))
    return _environment("circle", [-0.2, -0.4, 0.8, 0.3], [0, 0, 0], [0.56, -0.06, 0.02], circle)


def make_circle_robot(bodies: int) -> Telescope:
    """Make the robot for it: 24 mm wide, initially 400 mm long, growing by 40 mm/s, divided into any number of bodies.

    The papers give spring, damper, mass and inertia for 30 bodies.
    """
    finer = bodies / 30
    return Telescope(
        links=bodies // 2,
        half=0.2 / bodies,
        radius=0.012,
        mass=1e-3 / finer,
        inertia=2e-4 / finer,
        stiffness=0.5 * finer,
        damping=3e-5 * finer,
        growth_rate=0.04,
    )


def make_clutter_environment() -> Environment:
    """Paper 000's cluttered environment (section IV-C)."""
    boxes = INCH * np.array(CLUTTER)
    corners = [box_corners(x, y, x + width, y + height) for x, y, width, height in boxes]
    bay = [0.483, -0.69, 0.038]
    return _environment("clutter", [-0.06, -0.8, 0.66, 0.08], [0, 0, np.radians(-52)], bay, Obstacles(tuple(corners)))


def make_clutter_robot() -> Telescope:
    """Make the robot for it: 15 mm wide, 25 links, growing by 205 mm/s.

    The papers do not give its spring and masses; they are those of the moment model for a tube of this width, with the
    final length of the links. Nor do they give its initial length; with 300 mm it reaches the bay at the bottom in time.
    """
    params, known, links, rate, half = VineParams(radius=7.5e-3), Inertia(), 25, 0.205, 3e-3
    length = 4 * half + rate * CLUTTER_SECONDS / links
    joint = joint_moments(params)
    stiffness = joint.elasticity.stiffness * joint.length / length
    # For a given fabric, the mass of a tube is proportional to its circumference.
    mass = known.mass_per_length * params.radius / VineParams().radius * length / 2
    return Telescope(
        links=links,
        half=half,
        radius=params.radius,
        mass=mass,
        inertia=mass * (params.radius**2 / 2 + (length / 2) ** 2 / 12),
        stiffness=stiffness,
        damping=known.damping_time * stiffness,
        growth_rate=rate,
    )


def simulate_clutter(step: float = 5e-3) -> TelescopeMotion:
    """Growth of the robot through the cluttered environment, for 3 s."""
    return simulate(make_clutter_robot(), make_clutter_environment(), CLUTTER_SECONDS, step)


def make_design(motion: TelescopeMotion, robot: Telescope, environment: Environment) -> Design:
    """Make a design without actuators and with the robot's final length, for drawing."""
    length = float(np.hypot(*np.diff(motion.joints[-1], axis=0).T).sum())
    tip = np.append(motion.joints[-1, -1], motion.pose[-1, -1, 2])
    bare = (Section(0.0, length, "none", 0.0, 0.0, 0.0),)
    return Design(environment.name, environment.sha256, VineParams(radius=robot.radius), bare, tip, motion.joints[-1])


def cases(sizes: Sequence[int] = SIZES) -> list[tuple[int, str]]:
    """Return all combinations of a number of bodies and a solver."""
    return list(product(sizes, SOLVERS))


def measure(several: Sequence[tuple[int, str]]) -> Iterator[StepTiming]:
    """Time solvers for numbers of bodies, after compiling if necessary.

    Raises:
        ModuleNotFoundError: OSQP is not installed.
    """
    from dynamics.impulse.osqp_step import OsqpStep

    environment = make_circle_environment()
    simulate(make_circle_robot(several[0][0]), environment, STEP, STEP)
    for bodies, solver in several:
        seconds, tip, settings = [], np.zeros(2), SOLVERS[solver]
        for _ in range(1 if settings else 5):
            qp = OsqpStep(settings[0], polishing=settings[1]) if settings else None
            start = time.perf_counter()
            tip = simulate(make_circle_robot(bodies), environment, SECONDS, STEP, qp=qp).joints[-1, -1]
            seconds.append(time.perf_counter() - start)
        yield StepTiming(solver, bodies, 1e3 * min(seconds) * STEP / SECONDS, (float(tip[0]), float(tip[1])))


def of_solver(timings: Sequence[StepTiming], solver: str) -> list[StepTiming]:
    """Timings of one solver, in the order of their sizes."""
    return [timing for timing in timings if timing.solver == solver]


def exponent(timings: Sequence[StepTiming]) -> float | None:
    """Slope of log time over log bodies, from 100 bodies on: 1 is linear. None with fewer than two such sizes."""
    large = [timing for timing in of_solver(timings, "banded") if timing.bodies >= 100]
    if len(large) < 2:
        return None
    return float(
        np.polyfit(np.log([timing.bodies for timing in large]), np.log([timing.milliseconds for timing in large]), 1)[0]
    )


def _apart(one: StepTiming, other: StepTiming) -> float:
    return math.dist(one.tip, other.tip)


def _environment(
    name: str, bounds: Sequence[float], start: Sequence[float], goal: Sequence[float], obstacles: Obstacles
) -> Environment:
    return Environment(name, "", np.array(bounds, float), np.array(start, float), np.array(goal, float), obstacles)
