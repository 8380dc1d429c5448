"""A warehouse: rows of racks with aisles between them, some full and some of which only the posts are seen, and pallets."""

from __future__ import annotations

import numpy as np
import shapely
import shapely.affinity

MARGIN = 0.3
"""Thickness of the outer walls [m]."""
POST, BAY = 0.1, 2.7
"""Side of a post and length of a bay of a rack [m]."""


def make_racks(rng: np.random.Generator, width: float, height: float) -> shapely.Geometry:
    """Return the free space of a warehouse [m]."""
    solid: list[shapely.Geometry] = []
    around, deep = rng.uniform(1.8, 2.8), rng.uniform(0.9, 1.2)
    y = MARGIN + around
    while y + deep < height - MARGIN - 1.0:
        x = MARGIN + around
        while (bays := int((width - MARGIN - around - x) / BAY)) > 0:
            bays = min(bays, int(rng.integers(2, 6)))
            solid += _rack(rng, x, y, bays, deep)
            x += bays * BAY + rng.uniform(1.2, 2.0)
        y += deep + rng.uniform(1.3, 2.4)
    floor = shapely.box(MARGIN, MARGIN, width - MARGIN, height - MARGIN)
    return floor.difference(shapely.union_all([*solid, *_pallets(rng, width, height)]))


def _rack(rng: np.random.Generator, x: float, y: float, bays: int, deep: float) -> list[shapely.Geometry]:
    """Return a rack: each bay full of goods, or only its posts."""
    made: list[shapely.Geometry] = []
    for bay in range(bays + 1):
        at = x + bay * BAY
        made += [shapely.box(at, y + off, at + POST, y + off + POST) for off in (0.0, deep - POST)]
        if bay < bays and rng.random() < 0.6:
            made.append(shapely.box(at, y + 0.02, at + BAY, y + deep - rng.uniform(0.02, 0.3)))
    return made


def _pallets(rng: np.random.Generator, width: float, height: float) -> list[shapely.Geometry]:
    """Return pallets anywhere, at any angle: about one for each 40 m^2."""
    made = []
    for _ in range(int(width * height / 40)):
        (x, y), angle = rng.uniform([1.5, 1.5], [width - 1.5, height - 1.5]), rng.uniform(0, 180)
        made.append(shapely.affinity.rotate(shapely.box(x - 0.6, y - 0.4, x + 0.6, y + 0.4), angle))
    return made
