"""A floor of a building: corridors side by side, joined by one across, with rooms behind doors."""

from __future__ import annotations

import numpy as np
import shapely

MARGIN = 0.3
"""Thickness of the outer walls [m]."""


def make_corridors(rng: np.random.Generator, width: float, height: float) -> shapely.Geometry:
    """Return the free space of a floor [m]."""
    free: list[shapely.Geometry] = []
    rooms: list[shapely.Geometry] = []
    across, wall = float(rng.uniform(1.4, 2.4)), float(rng.uniform(0.1, 0.2))
    count = max(round((height - 2 * MARGIN) / rng.uniform(7.0, 10.0)), 1)
    pitch = (height - 2 * MARGIN) / count
    depth = (pitch - across) / 2 - 1.5 * wall
    crossing = rng.uniform(0.2, 0.8) * (width - across)
    if count > 1:
        free.append(shapely.box(crossing, MARGIN, crossing + across, height - MARGIN))
    for row in range(count):
        low = MARGIN + (row + 0.5) * pitch - across / 2
        free.append(shapely.box(MARGIN, low, width - MARGIN, low + across))
        for bottom, door in ((low + across + wall, low + across), (low - wall - depth, low - wall)):
            made, doors = _rooms(rng, width, (bottom, bottom + depth), (door, door + wall), wall)
            rooms, free = rooms + made, free + doors
    return shapely.union_all([*free, *rooms]).difference(shapely.union_all(_furniture(rng, rooms)))


def _rooms(
    rng: np.random.Generator, width: float, side: tuple[float, float], door: tuple[float, float], wall: float
) -> tuple[list[shapely.Geometry], list[shapely.Geometry]]:
    """Return rooms in a row, and their doors.

    Args:
        side: Lower and upper end of the rooms [m].
        door: Lower and upper end of the doors, in the wall of the corridor [m].
    """
    rooms: list[shapely.Geometry] = []
    doors: list[shapely.Geometry] = []
    x = MARGIN
    while width - MARGIN - x > 2.0:
        end = min(x + rng.uniform(2.5, 6.0), width - MARGIN)
        if width - MARGIN - end < 2.0:
            end = width - MARGIN
        opening = rng.uniform(0.75, 1.0)
        hinge = rng.uniform(x + 0.2, end - wall - 0.2 - opening)
        rooms.append(shapely.box(x, side[0], end - wall, side[1]))
        doors.append(shapely.box(hinge, door[0] - 0.01, hinge + opening, door[1] + 0.01))
        x = end
    return rooms, doors


def _furniture(rng: np.random.Generator, rooms: list[shapely.Geometry]) -> list[shapely.Geometry]:
    """Return tables and cupboards in most rooms, half a metre from the walls."""
    made: list[shapely.Geometry] = []
    for room in rooms:
        x0, y0, x1, y1 = room.bounds
        for _ in range(int(rng.integers(0, 5))):
            long, wide = rng.uniform(0.5, 1.6), rng.uniform(0.4, 0.8)
            if rng.random() < 0.5:
                long, wide = wide, long
            if (x1 - x0) - 1.0 > long and (y1 - y0) - 1.0 > wide:
                x, y = rng.uniform(x0 + 0.5, x1 - 0.5 - long), rng.uniform(y0 + 0.5, y1 - 0.5 - wide)
                made.append(shapely.box(x, y, x + long, y + wide))
    return made
