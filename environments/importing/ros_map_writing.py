"""Writing an environment as a map of a robot (`ros_map` has the format)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray

from environments.environment import Environment
from environments.importing.pixels import MOST_PIXELS
from environments.importing.ros_map import FREE, OCCUPIED, UNKNOWN
from environments.lengths import format_length, format_lengths
from environments.writing import atomic_path

_LEAST_WIDTH = math.sqrt(2)
"""A strip of this width covers the centres of cells that are connected through their edges [cells]."""
_SHADES = {OCCUPIED: 0, FREE: 254, UNKNOWN: 205}
"""The values that map_saver writes."""


def occupancy(environment: Environment, resolution: float) -> tuple[NDArray[np.uint8], tuple[float, float]]:
    """Return the cells of an environment: `OCCUPIED` if an obstacle covers the centre, `FREE` within the bounds, `UNKNOWN` beyond them.

    The outline of the cells is within half a diagonal of a cell of that of the obstacles. Obstacles thinner than 1.41 cells are
    widened to that, because no thin wall may get lost.

    Args:
        resolution: Side of a cell [m].
    Returns:
        The cells, the lowest row first, and x, y of the lower left corner [m]. Walls at the bounds are one cell wide.
    Raises:
        ValueError: There would be more than `MOST_PIXELS` cells.
    """
    low, high = environment.bounds[:2], environment.bounds[2:]
    if environment.edge == "wall":
        low, high = low - resolution, high + resolution
    # Without the last digits, which would add a row of cells for nothing.
    columns, rows = (max(1, math.ceil(side)) for side in ((high - low) / resolution - 1e-9))
    if columns * rows > MOST_PIXELS:
        least = resolution * math.sqrt(columns * rows / MOST_PIXELS)
        raise ValueError(
            f"needs {columns} x {rows} cells; at most {MOST_PIXELS} are allowed: at least {1e3 * least:.3g} mm"
        )
    x, y = (start + resolution * (np.arange(count) + 0.5) for start, count in zip(low, (columns, rows), strict=True))
    grid = np.where((y[:, None] < high[1]) & (x < high[0]), FREE, UNKNOWN).astype(np.uint8)
    solids = environment.solids
    thin = np.maximum(_LEAST_WIDTH * resolution - solids.widths(), 0.0) / 2
    for shape, more in zip(solids.shapes(), thin, strict=True):
        wide = shape.buffer(float(more), join_style="mitre", cap_style="square") if more else shape
        bounds = np.array(wide.bounds).reshape(2, 2)
        first, last = np.clip(np.round((bounds - low) / resolution).astype(int), 0, [columns, rows])
        window = grid[first[1] : last[1], first[0] : last[0]]
        shapely.prepare(wide)
        window[shapely.intersects_xy(wide, *np.meshgrid(x[first[0] : last[0]], y[first[1] : last[1]]))] = OCCUPIED
    return grid, (float(low[0]), float(low[1]))


def write_ros_map(environment: Environment, path: Path, resolution: float) -> tuple[int, int]:
    """Write the YAML file and, beside it, the picture (.pgm), each whole or not at all.

    A map has no start and no goal: they are in comments.

    Args:
        path: The YAML file.
        resolution: Side of a cell [m].
    Returns:
        Numbers of columns and rows of cells.
    Raises:
        ValueError: There would be too many cells.
        OSError: The files cannot be written.
    """
    grid, (x, y) = occupancy(environment, resolution)
    shades = np.zeros(3, np.uint8)
    for value, shade in _SHADES.items():
        shades[value] = shade
    rows, columns = grid.shape
    picture = path.with_suffix(".pgm")
    degrees = math.degrees(environment.start[2])
    lines = [
        f"# {' '.join(environment.name.split())}",
        f"# start {format_lengths(1e3 * environment.start[:2], 'mm')} mm, heading {degrees:g} deg",
        f"# goal {format_lengths(1e3 * environment.goal[:2], 'mm')} mm, radius {format_length(1e3 * float(environment.goal[2]), 'mm')} mm",
        f"image: {_quote(picture.name)}",
        f"resolution: {resolution:.12g}",
        f"origin: [{x:.12g}, {y:.12g}, 0.0]",
        "negate: 0",
        "occupied_thresh: 0.65",
        "free_thresh: 0.196",
        "mode: trinary",
    ]
    with atomic_path(path) as yaml_file, atomic_path(picture) as picture_file:
        picture_file.write_bytes(f"P5\n{columns} {rows}\n255\n".encode() + shades[grid[::-1]].tobytes())
        yaml_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return columns, rows


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
