"""The walls around a base that is mounted in one of them, and around a table."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.chain import OVERHANG
from dynamics.geometric.walls import Walls, merge, outline_inflated, room_of, to_polygons, widen
from environments.conditions import FRAME
from environments.environment import Environment
from surrogate.kernels.compiled import Floats

OUTWARDS = np.array([-1, -1, 1, 1])


NUDGE = 1e-5
"""Angle by which a pressed tube heads farther from its mount than it must [rad]: rounding."""


def walls_around(environment: Environment, radius: float) -> tuple[Walls, list[shapely.Polygon], float]:
    """Return the outlines that the axis of a tube must not cross in an environment, the inflated obstacles, and the heading of the tube.

    The mount is not inflated within one diameter of the base, which is where the first diameter of the tube is; so it does not
    hold a tip either that comes back there. On a table, the bounds are smaller by the radius, except for the first diameter of
    a tube, on the sides that it heads away from.

    Args:
        radius: Radius of the tube [m].
    Returns:
        Walls, inflated obstacles, and the heading of the first link [rad]: that of the start, or that with which a mounted tube
        just lies on its mount, if it leaves it too obliquely.
    """
    shapes, mounted, bounds = (
        to_polygons(environment.solids),
        environment.mounted,
        np.asarray(environment.bounds, float),
    )
    # Slightly wider, because it is an inscribed polygon: a tube from a radius deep in its mount must get out.
    near = shapely.Point(environment.start[:2]).buffer(1.001 * 2 * radius, quad_segs=32)
    wider, room = widen(shapes, radius), room_of(bounds)
    wider[mounted] = shapely.difference(wider[mounted], near)
    if environment.edge == "wall":
        bounds = bounds + FRAME * OUTWARDS
        room = room_of(bounds)
    elif environment.edge == "table":
        bounds = bounds - (radius - OVERHANG) * OUTWARDS
        room = room_of(bounds).union(near.intersection(room))
    parts = merge(wider, room)
    heading = np.array([np.cos(environment.start[2]), np.sin(environment.start[2])])
    away = OUTWARDS * np.tile(heading, 2) < -OVERHANG
    spared = mounted.any() | (away & (environment.edge == "table"))
    first = bounds + np.where(spared, 3 * radius, 0.0) * OUTWARDS
    walls = outline_inflated(parts, shapes, bounds, radius)
    walls = walls._replace(first_bounds=first, spared=2 * radius if spared.any() else 0.0)
    return walls, parts, _pressed_heading(environment.start, near, wider[mounted])


def _pressed_heading(start: Floats, near: shapely.Polygon, mount: NDArray[np.object_]) -> float:
    """Return the heading nearest to the start's with which the first diameter of a tube ends outside its inflated mount [rad]."""
    heading = float(start[2])
    free = near.exterior.difference(shapely.union_all(mount))
    away = shapely.get_coordinates(near)[0] - start[:2]
    tip = start[:2] + np.hypot(*away) * np.array([np.cos(heading), np.sin(heading)])
    nearest = shapely.get_coordinates(shapely.shortest_line(free, shapely.Point(tip)))
    if not len(nearest) or np.hypot(*(nearest[0] - tip)) < 1e-3 * np.hypot(*away):  # the circle is a polygon
        return heading
    turn = np.arctan2(*(nearest[0] - start[:2])[::-1]) - heading
    turn = float((turn + np.pi) % (2 * np.pi) - np.pi)
    return heading + turn + NUDGE * np.sign(turn)
