"""Maps of robots of a floor, as map servers write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from environments.importing.ros_map import FREE, OCCUPIED, UNKNOWN
from environments.importing.ros_map_writing import occupancy
from studies.imports.floors import Floor, Written

VARIANTS: dict[str, dict[str, Any]] = {
    "trinary, PGM": {},
    "20 mm cells, PNG": {"resolution": 0.02},
    "negate: 1": {"negate": 1},
    "mode: Scale, thresholds 1.0 and 0.0": {"mode": "Scale", "occupied": 1.0, "free": 0.0, "known": True},
    "transparent unknown cells": {"alpha": True},
    "turned by 0.3 rad": {"turn": 0.3},
    "a tenth unknown": {"hidden": 0.1},
    "specks, --least-size 120": {"specks": 40, "options": {"least_size": 0.12}},
}
"""Properties of the maps by their description."""
RESOLUTION = 0.05
"""Side of a cell [m]."""
SHADES = {FREE: 254, OCCUPIED: 0, UNKNOWN: 205}


def write_map(floor: Floor, variant: str, folder: Path) -> Written:
    """Write a map: a YAML file and a picture."""
    how = VARIANTS[variant]
    resolution, turn = how.get("resolution", RESOLUTION), how.get("turn", 0.0)
    grid, (x, y) = occupancy(floor.environment, resolution)
    rng = np.random.default_rng(floor.seed)
    if share := how.get("hidden"):
        grid[:, : int(share * grid.shape[1])] = UNKNOWN
    _add_specks(grid, how.get("specks", 0), rng)
    values = np.select([grid == FREE, grid == OCCUPIED], [SHADES[FREE], SHADES[OCCUPIED]], SHADES[UNKNOWN])[
        ::-1
    ].astype(np.uint8)
    if how.get("known"):
        values[values == SHADES[FREE]] = 255
    if how.get("negate"):
        values = 255 - values
    picture = Image.fromarray(values)
    if how.get("alpha"):
        opaque = np.where(grid[::-1] == UNKNOWN, 0, 255).astype(np.uint8)
        picture = Image.merge("LA", (picture, Image.fromarray(opaque)))
    name = "map.pgm" if picture.mode == "L" and resolution == RESOLUTION else "map.png"
    picture.save(folder / name)
    origin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ [x, y]
    (folder / "map.yaml").write_text(
        f"image: {name}\nresolution: {resolution}\norigin: [{origin[0]:.9g}, {origin[1]:.9g}, {turn}]\nnegate: {how.get('negate', 0)}\n"
        f"occupied_thresh: {how.get('occupied', 0.65)}\nfree_thresh: {how.get('free', 0.196)}\n"
        + (f"mode: {how['mode']}\n" if "mode" in how else "")
    )
    return Written(folder / "map.yaml", how.get("options", {}), turn)


def _add_specks(grid: NDArray[np.uint8], count: int, rng: np.random.Generator) -> None:
    """Make single cells occupied that are free, with free cells around them."""
    while count:
        row, column = rng.integers(2, np.array(grid.shape) - 2)
        if (grid[row - 2 : row + 3, column - 2 : column + 3] == FREE).all():
            grid[row, column] = OCCUPIED
            count -= 1
