"""The set of possible deployments: launch point, launch angle, and position and angle of a turn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely

from dynamics.geometric.walls import MITRE_LIMIT, to_polygons
from environments.environment import Environment
from surrogate.kernels.compiled import Floats

FAN = math.radians(75)
"""Maximum launch angle to either side of the start's heading [rad]."""
ANGLES = {"straight": 50, "turning": 15}
"""Number of launch angles at each launch point, by kind of actions."""
TURN_SHARES = 0.2, 0.4, 0.6
"""Possible positions of a turn, as shares of the tube's length."""
TURNS_DEG = -60, -40, -20, 20, 40, 60
"""Possible angles of a turn; the straight tube (turn 0) is included once."""
LAUNCH_SHARES = 1 / 3, 2 / 3
"""Positions of the launch points across the bounds, as shares of their width."""


class NoLaunch(ValueError):
    """No tube can be launched, or one would leave the bounds at once; the message gives advice."""

    exit_code = 2


@dataclass(frozen=True, slots=True, eq=False)
class Actions:
    """The set of possible deployments."""

    launches: Floats
    """Rows x, y [m], heading [rad], length, turn_at [m], turn [rad], as in `Launch`; shape (n, 6). Turn 0: a straight tube."""
    points: Floats
    """Free launch points [m], shape (p, 2)."""
    blocked: Floats
    """Launch points that are blocked by an obstacle [m], shape (b, 2)."""

    @classmethod
    def of(cls, environment: Environment, kind: str, radius: float, length: float) -> Actions:
        """Return the actions in an environment.

        Args:
            kind: A key of `ANGLES`.
            radius: Radius of the tube [m].
            length: Length of the tube [m].
        Raises:
            NoLaunch: No launch point is free, or a tube would leave the bounds immediately, or the bounds are not open or
                the base is mounted in a wall, which the launches of mapping do not know.
        Source: paper 003, section 4.1.1 and 4.2.
        """
        if environment.mount != "free" or environment.edge != "open":
            raise NoLaunch(
                f'{environment.name}: mapping launches free tubes within open bounds; it needs start.mount = "free" and '
                'bounds.edge = "open"'
            )
        points = launch_points(environment)
        # Inflated as in the simulator; a point that only touches is free.
        solids = to_polygons(environment.obstacles)
        wider = shapely.buffer(solids, radius - 1e-9, join_style="mitre", mitre_limit=MITRE_LIMIT)
        free = ~shapely.intersects(shapely.union_all(wider), shapely.points(points))
        if not free.any():
            listed = " and ".join(_millimetres(point) for point in points)
            raise NoLaunch(
                f"{environment.name}: both launch points, {listed}, are closer to an obstacle than the tube's radius, "
                f"{1e3 * radius:g} mm; move the start, or give a smaller --radius"
            )
        headings = np.full(free.sum(), environment.start[2])
        launches = _launches(np.column_stack([points[free], headings]), kind, length)
        if (first := _leaving(environment.bounds, launches, radius)) is not None:
            raise NoLaunch(
                f"{environment.name}: a tube launched at {_millimetres(first)} at {math.degrees(first[2]):.0f} deg leaves the "
                f"bounds immediately; launch angles extend {math.degrees(FAN):.0f} deg to either side of the start's heading: "
                f"turn it inwards, move the start, or give a smaller --radius than {1e3 * radius:g}"
            )
        return cls(launches, points[free], points[~free])

    @classmethod
    def from_bases(cls, bases: Floats, bounds: Floats, kind: str, radius: float, length: float) -> Actions:
        """Return the actions from given bases.

        Args:
            bases: x, y [m] and heading [rad] of each base; launch angles extend to either side of its heading; shape (p, 3).
            bounds: min x, min y, max x, max y [m], shape (4,).
            kind: A key of `ANGLES`.
            radius: Radius of the tube [m].
            length: Length of the tube [m].
        Raises:
            NoLaunch: A tube would leave the bounds immediately.
        """
        launches = _launches(bases, kind, length)
        if (first := _leaving(bounds, launches, radius)) is not None:
            raise NoLaunch(
                f"a tube launched at {_millimetres(first)} at {math.degrees(first[2]):.0f} deg leaves the bounds immediately; launch "
                f"angles extend {math.degrees(FAN):.0f} deg to either side of a base's heading: give other bases, or wider bounds"
            )
        return cls(launches, bases[:, :2], np.empty((0, 2)))


def launch_points(environment: Environment) -> Floats:
    """Return points across the bounds through the start, perpendicular to the axis nearest to its heading [m], shape (2, 2)."""
    low, high = environment.bounds[:2], environment.bounds[2:]
    along_y = abs(math.sin(environment.start[2])) > abs(math.cos(environment.start[2])) - 1e-9
    across = 0 if along_y else 1
    points = np.tile(environment.start[:2], (len(LAUNCH_SHARES), 1))
    points[:, across] = low[across] + np.array(LAUNCH_SHARES) * (high - low)[across]
    return points


def _launches(bases: Floats, kind: str, length: float) -> Floats:
    """Return all launches from bases x, y [m], heading [rad], shape (p, 3): rows as in `Actions.launches`."""
    turns = [(0.0, 0.0)]
    if kind == "turning":
        turns += [(share * length, math.radians(turn)) for share in TURN_SHARES for turn in TURNS_DEG]
    fan = np.linspace(-FAN, FAN, ANGLES[kind])
    return np.array(
        [(x, y, heading + angle, length, *turn) for x, y, heading in bases for angle in fan for turn in turns]
    )


def _leaving(bounds: Floats, launches: Floats, radius: float) -> Floats | None:
    """Find the first launch of a tube that leaves the bounds before its length reaches the tube's radius; None if none does."""
    heading = launches[:, 2]
    ahead = launches[:, :2] + radius * np.column_stack([np.cos(heading), np.sin(heading)])
    outside = ((ahead < bounds[:2]) | (ahead > bounds[2:])).any(axis=1)
    return launches[outside.argmax()] if outside.any() else None


def _millimetres(point: Floats) -> str:
    return f"({1e3 * point[0]:.0f}, {1e3 * point[1]:.0f}) mm"
