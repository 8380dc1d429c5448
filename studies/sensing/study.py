"""Accuracy of walls, pivots and shapes recovered from length and contact angle, with and without noise (paper 003, section 2.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely

from dynamics.geometric.deployment import Deployment, Launch, deploy
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.kinematics import Behaviour
from dynamics.geometric.walls import Walls, inflate_to_walls, to_polygons
from dynamics.vine import Status
from environments.environment import Environment
from environments.generate import generate_environment
from planner.mapping.sensing import Readings, Sensed, sense
from surrogate.kernels.compiled import Floats

RADIUS, LENGTH, SPACING = 0.02, 1.6, 0.01
"""Radius of the tube, its total length, and the spacing of regular readings [m]."""
DENSITY, SHORTEST, LEAST_NODES = 0.2, 0.5, 4
"""Density of obstacles [-]; minimum final length [m] and minimum number of nodes of the deployments used."""
TURNS, TURNS_AT = (-60, -40, -20, 20, 40, 60), (0.2, 0.4, 0.6)
"""Angles [deg] and positions [m] of turns."""
NOISES = (0, 1, 3, 5)
"""Standard deviations of the noise of the contact angle [deg]."""
DEPLOYMENTS, SEED = {False: 10, True: 40}, 0
"""Number of straight deployments, and of deployments with a turn, enough for several occurrences of each behaviour."""
KEPT = 1e-3
"""A deployment is recovered if the errors of all tips and of the final shape are less than this [m]."""
AT_ONCE = 1e-9
"""Spacing of the readings just before and just after a change of contact [m]."""


class SensingCase(NamedTuple):
    """One deployment."""

    turning: bool
    number: int


class Reading(NamedTuple):
    """State of a deployment at one length."""

    length: float
    angle: float
    heading: float
    shape: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SensingTrial:
    """A deployment, and its reconstruction at each noise level."""

    case: SensingCase
    environment: Environment
    launch: Launch
    readings: list[Reading]
    sensed: list[Sensed]

    def tip_errors(self, level: int) -> Floats:
        """Error of the tip position at each reading [m]."""
        tips = np.array([reading.shape[-1] for reading in self.readings])
        return np.hypot(*(self.sensed[level].tips - tips).T)

    def recovered(self, level: int) -> bool:
        """Return whether all errors are less than `KEPT`."""
        true, found = shapely.LineString(self.readings[-1].shape), shapely.LineString(self.sensed[level].shapes[-1])
        return bool(self.tip_errors(level).max() < KEPT and shapely.hausdorff_distance(true, found) < KEPT)

    def determined(self, level: int) -> bool:
        """Return whether the method reports that the readings determine the result."""
        return all(contact.determined for contact in self.sensed[level].contacts)

    def errors(self, level: int) -> Iterator[tuple[str, float, float, Floats]]:
        """For each contact: its kind, median error of its wall points [m], error of the wall angle [rad], and of the pivots [m].

        The kind is determined from the noise-free readings.
        """
        noisy, exact, points = self.sensed[level], self.sensed[0], self.tip_errors(level)
        for clean in exact.contacts:
            kind = words(clean.behaviours[0]) if clean.behaviours else "straight"
            at = slice(clean.first, clean.last + 1)
            reading = self.readings[clean.first]
            off = np.sin(noisy.walls[clean.first] - reading.heading - reading.angle)
            yield kind, float(np.median(points[at])), float(np.arcsin(abs(off))), self._pivot_errors(level, at)

    def _pivot_errors(self, level: int, at: slice) -> Floats:
        """Distances from the nodes that the true shape gained during a contact to the nearest recovered nodes [m]."""
        begin, end = self.readings[at.start].shape, self.readings[at.stop - 1].shape
        known = begin[:-1]
        headings = np.unwrap(np.arctan2(*np.diff(end, axis=0).T[::-1]))
        bends = end[1:-1][abs(np.diff(headings)) > 1e-6]
        new = [node for node in bends if np.hypot(*(known - node).T).min() > 1e-6]
        found = self.sensed[level].shapes[at.stop - 1][1:-1]
        return np.array([np.hypot(*(found - node).T).min() for node in new if len(found)])


def words(behaviour: Behaviour) -> str:
    """Displayed name of a behaviour."""
    return behaviour.name.replace("_", "-").lower()


def take_readings(walls: Walls, tube: HingeTube, launch: Launch) -> list[Reading]:
    """Readings at regular lengths, at the turn, and just before and just after the contact begins, ends or changes."""

    def reading(length: float) -> Reading:
        done = deploy(walls, tube, launch._replace(length=length))
        return Reading(length, done.contact_angle % (2 * np.pi), _heading(done), done.shape)

    def between(before: Reading, after: Reading) -> list[Reading]:
        if not _has_changed(before, after):
            return []
        if after.length - before.length < AT_ONCE:
            return [before, after]
        middle = reading((before.length + after.length) / 2)
        return between(before, middle) + between(middle, after)

    whole = deploy(walls, tube, launch)
    end = whole.length - (1e-5 if whole.status == Status.OUT_OF_BOUNDS else 0.0)
    lengths = np.linspace(SPACING, end, max(2, int(end / SPACING)))
    if launch.turn and launch.turn_at < end:
        lengths = np.unique([*lengths, launch.turn_at, launch.turn_at + 100 * AT_ONCE])
    regular = [reading(length) for length in lengths]
    seen = {one.length: one for one in regular}
    for before, after in pairwise(regular):
        seen |= {one.length: one for one in between(before, after)}
    return [seen[length] for length in sorted(seen)]


def _heading(done: Deployment) -> float:
    """Heading of the tip [rad]."""
    links = np.diff(done.shape, axis=0)
    longer = links[np.hypot(*links.T) > 1e-10]
    return float(np.arctan2(*longer[-1][::-1]))


def _has_changed(before: Reading, after: Reading) -> bool:
    """Return whether the tip is free in only one state, or the angle of its wall differs, or a contact in between turned its heading."""
    if np.isnan(before.angle) != np.isnan(after.angle):
        return True
    walls = [one.heading + (0.0 if np.isnan(one.angle) else one.angle) for one in (before, after)]
    return abs(np.sin(walls[0] - walls[1])) > 1e-6


def deploy_long_enough(case: SensingCase) -> tuple[Environment, Walls, HingeTube, Launch]:
    """Return an environment, and a launch whose final shape has at least `LEAST_NODES` nodes and length `SHORTEST`."""
    random = np.random.default_rng([SEED, case.turning, case.number])
    tube = HingeTube(RADIUS, FRICTION, RADIUS)
    while True:
        environment = generate_environment(
            random, size=(1, 1), density=DENSITY, kinds=("polygons",), tube_radius=RADIUS
        )
        walls = inflate_to_walls(to_polygons(environment.obstacles), environment.bounds, RADIUS)
        heading, at, turn = random.uniform(-np.pi, np.pi), random.choice(TURNS_AT), np.radians(random.choice(TURNS))
        launch = Launch(
            environment.start[0], environment.start[1], heading, LENGTH, *((at, turn) if case.turning else (0.0, 0.0))
        )
        done = deploy(walls, tube, launch)
        if len(done.shape) >= LEAST_NODES and done.length >= SHORTEST:
            return environment, walls, tube, Launch(*map(float, launch))


def run_case(case: SensingCase) -> SensingTrial:
    """Deploy a tube, take readings, and reconstruct the shape at each noise level."""
    environment, walls, tube, launch = deploy_long_enough(case)
    readings = take_readings(walls, tube, launch)
    random = np.random.default_rng([SEED, case.turning, case.number, 1])
    lengths, angles = np.array([one.length for one in readings]), np.array([one.angle for one in readings])
    errors, start = random.standard_normal(len(angles)), np.array(launch[:3])
    sensed = [
        sense(
            Readings(lengths, angles + noise * errors),
            start,
            launch.turn_at,
            launch.turn,
            noise=noise,
        )
        for noise in np.radians(NOISES)
    ]
    return SensingTrial(case, environment, launch, readings, sensed)


def cases() -> list[SensingCase]:
    """Return all cases, the straight ones first."""
    return [SensingCase(turning, number) for turning in (False, True) for number in range(DEPLOYMENTS[turning])]
