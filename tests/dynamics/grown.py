"""Recordings made by the geometric propagator, among known walls, with known noise."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely

from dynamics.geometric.deployment import Launch, deploy
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.walls import inflate_to_walls
from dynamics.recording import Recording
from surrogate.kernels.compiled import Floats

SPACING = 0.01
"""Spacing of the points of a centreline [m]."""
FIRST = 0.06
"""Length in the first frame [m]."""


class Grown(NamedTuple):
    """A recording, and what is exact about it."""

    recording: Recording
    tips: Floats
    """Tip in each frame, without noise [m], shape (frames, 2)."""
    shape: Floats
    """Nodes of the last shape [m], shape (nodes, 2)."""


def grown(
    solids: Sequence[shapely.Geometry],
    launch: Launch,
    radius: float,
    frames: int = 120,
    noise: tuple[float, float] = (0.0, 0.0),
    rng: np.random.Generator | None = None,
) -> Grown:
    """Grow a tube among obstacles and record it, until it has its length or is stuck.

    Args:
        noise: Standard deviations [m]: of every point in x and y, and of the tip along its heading.
        rng: For the noise.
    """
    rng = rng or np.random.default_rng(0)
    box = shapely.union_all([*solids, shapely.Point(launch[:2])]).bounds
    bounds = np.array(box) + 2.0 * np.array([-1, -1, 1, 1])
    walls, tube = inflate_to_walls(solids, bounds, radius), HingeTube(radius, FRICTION, radius)
    lines, tips, shape = [], [], np.empty((0, 2))
    for length in np.linspace(FIRST, launch.length, frames):
        done = deploy(walls, tube, launch._replace(length=float(length)))
        if done.length < length - 1e-6:
            break
        shape = done.shape
        axis = shapely.LineString(shape)
        tip = shape[-1] - shape[-2]
        tip = rng.normal(0, noise[1]) * tip / np.hypot(*tip) if noise[1] else 0.0 * tip
        points = shapely.get_coordinates(shapely.line_interpolate_point(axis, np.arange(0, axis.length, SPACING)))
        line = np.concatenate([points, shape[-1:] + tip])
        lines.append(line + rng.normal(0, 1, line.shape) * noise[0])
        tips.append(shape[-1])
    times = np.arange(float(len(lines)))
    base = np.array(launch[:3])
    return Grown(
        Recording("grown", radius, None, base, times, tuple(lines), np.empty((0, 4)), ()), np.array(tips), shape
    )


def two_walls(rng: np.random.Generator) -> tuple[list[shapely.Geometry], Launch]:
    """A wall at a random angle in front of a base at the origin, a second one that the tube reaches from its end, and the launch."""
    side = rng.choice([-1, 1])
    first, second = np.radians(rng.uniform(25, 65)), np.radians(rng.uniform(-65, -25))
    met = np.array([rng.uniform(0.35, 0.45), 0.0])
    end = met + rng.uniform(0.12, 0.2) * _way(first)
    across = end + np.array([rng.uniform(0.25, 0.35), 0.2])
    walls = [
        _slab(met - 0.2 * _way(first), end, -1),
        _slab(across - 0.3 * _way(second), across + 0.4 * _way(second), 1),
    ]
    mirrored = [shapely.transform(wall, lambda points: points * [1, side]) for wall in walls]
    return mirrored, Launch(0.0, 0.0, 0.0, 1.1)


def _way(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def _slab(start: Floats, end: Floats, side: int) -> shapely.Geometry:
    """A wall 50 mm thick, on one side of the line from start to end: 1 left, -1 right."""
    along = (end - start) / np.hypot(*(end - start))
    aside = 0.05 * side * np.array([-along[1], along[0]])
    return shapely.Polygon([start, end, end + aside, start + aside])
