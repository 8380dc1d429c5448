"""The deployments to choose from: where a tube is launched, at what angle, where and how far it turns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely

from dynamics.geometric.walls import MITRE_LIMIT, polygons
from environments.environment import Environment
from surrogate.compiled import Floats

FAN = math.radians(75)
"""Launch angles go as far to either side of the start's heading [rad]."""
ANGLES = {"straight": 50, "turning": 15}
"""Launch angles at each launch point, by the kind of the actions."""
TURN_SHARES = 0.2, 0.4, 0.6
"""Where a turn may be, as a share of the tube's length."""
TURNS_DEG = -60, -40, -20, 20, 40, 60
"""How far it may turn; a turn of 0 is the straight tube, which is there once."""
LAUNCH_SHARES = 1 / 3, 2 / 3
"""Where launch points lie across the bounds."""


class NoLaunch(ValueError):
    """No tube can be launched, or one would leave at once; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Actions:
    """All deployments to choose from."""

    launches: Floats
    """Rows x, y [m], heading [rad], length, turn_at [m], turn [rad], as in `Launch`; shape (n, 6). Turn 0: a straight tube."""
    points: Floats
    """Launch points that are free [m], shape (p, 2)."""
    blocked: Floats
    """Launch points that were left out as an obstacle is in the way [m], shape (b, 2)."""

    @classmethod
    def of(cls, environment: Environment, kind: str, radius: float, length: float) -> Actions:
        """The actions in a place.

        Args:
            kind: A key of `ANGLES`.
            radius: Of the tube [m].
            length: Of the tube [m].
        Raises:
            NoLaunch: No launch point is free, or a tube would leave the bounds at once.
        Source: paper 003, section 4.1.1 and 4.2.
        """
        points = launch_points(environment)
        # As the simulator inflates them; a point that just touches is free.
        solids = polygons(environment.obstacles)
        wider = shapely.buffer(solids, radius - 1e-9, join_style="mitre", mitre_limit=MITRE_LIMIT)
        free = ~shapely.intersects(shapely.union_all(wider), shapely.points(points))
        if not free.any():
            places = " and ".join(_millimetres(point) for point in points)
            raise NoLaunch(
                f"{environment.name}: both launch points, {places}, are nearer to an obstacle than the tube's radius, "
                f"{1e3 * radius:g} mm; move the start, or give a smaller --radius"
            )
        angles = environment.start[2] + np.linspace(-FAN, FAN, ANGLES[kind])
        turns = [(0.0, 0.0)]
        if kind == "turning":
            turns += [(share * length, math.radians(turn)) for share in TURN_SHARES for turn in TURNS_DEG]
        launches = np.array([(*p, angle, length, *turn) for p in points[free] for angle in angles for turn in turns])
        _stay_inside(environment, launches, radius)
        return cls(launches, points[free], points[~free])


def launch_points(environment: Environment) -> Floats:
    """Points across the bounds at the start's depth, its heading taken to the nearest axis [m], shape (2, 2)."""
    low, high = environment.bounds[:2], environment.bounds[2:]
    along_y = abs(math.sin(environment.start[2])) > abs(math.cos(environment.start[2])) - 1e-9
    across = 0 if along_y else 1
    points = np.tile(environment.start[:2], (len(LAUNCH_SHARES), 1))
    points[:, across] = low[across] + np.array(LAUNCH_SHARES) * (high - low)[across]
    return points


def _stay_inside(environment: Environment, launches: Floats, radius: float) -> None:
    """Refuse tubes that have left the bounds before they are as long as they are thick."""
    heading = launches[:, 2]
    ahead = launches[:, :2] + radius * np.column_stack([np.cos(heading), np.sin(heading)])
    outside = ((ahead < environment.bounds[:2]) | (ahead > environment.bounds[2:])).any(axis=1)
    if outside.any():
        first = launches[outside.argmax()]
        raise NoLaunch(
            f"{environment.name}: a tube launched at {_millimetres(first)} under {math.degrees(first[2]):.0f} deg leaves "
            f"the bounds at once; launch angles go {math.degrees(FAN):.0f} deg to either side of the start's heading: "
            f"turn it to the inside, move the start, or give a smaller --radius than {1e3 * radius:g}"
        )


def _millimetres(point: Floats) -> str:
    return f"({1e3 * point[0]:.0f}, {1e3 * point[1]:.0f}) mm"
