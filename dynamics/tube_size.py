"""Sizes of a tube: inflated radius, diameter and lay-flat width, of which a tube file gives one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dynamics.tube import InvalidTube
from dynamics.tube_keys import DIAMETER, LAYFLAT, TUBE

_RADIUS = TUBE["radius"].name
SIZES = {_RADIUS: 1.0, DIAMETER.name: 2.0, LAYFLAT.name: math.pi}
"""Keys of the sizes, and their values over the radius [-]: a flat tube is half as wide as its circumference."""


def with_radius(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers of a tube file with the radius in place of a diameter or a lay-flat width.

    Raises:
        InvalidTube: Several of the three are given.
    """
    given = [key for key in SIZES if content.get(key) is not None]
    if len(given) > 1:
        values = " and ".join(f"{key} = {content[key]:g}" for key in given)
        raise InvalidTube(f"{values} are sizes of the same tube: give only one of {', '.join(SIZES)}")
    found = {key: value for key, value in content.items() if key not in SIZES}
    if given:
        found[_RADIUS] = content[given[0]] / SIZES[given[0]]
    return found


def sizes_of(radius: float) -> dict[str, float]:
    """Return the sizes [mm] of a tube with a radius [m], by their keys in files."""
    return {key: 1e3 * radius * share for key, share in SIZES.items()}
