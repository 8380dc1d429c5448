"""Collision checks of a tube along arcs, in steps as long as the distance to the nearest obstacle."""

from __future__ import annotations

import numpy as np

from dynamics.scene import BASE_X, BASE_Y, COSINE, SINE, SPARED, TABLE, Scene, build_scene, cell_of
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.search.biarc import arc_point, biarc
from surrogate.compiled import compiled

LOOK_AHEAD = 0.1
"""Upper limit of gaps; larger ones are clipped to it [m]."""
LEAST_STEP = 2e-3
"""Minimum step along an arc for the prototype [m], scaled with the tube; every deeper penetration than half is detected."""
PROTOTYPE_CLEARANCE = VineParams().clearance
"""Minimum distance of the prototype's axis from obstacles [m]."""
FREE, TOO_TIGHT, BLOCKED = 0, 1, 2


def arc_scene(environment: Environment, radius: float) -> Scene:
    """Build the scene in which `gap` finds all obstacles near a tube of a radius [m]."""
    return build_scene(environment, radius + LOOK_AHEAD, radius + LOOK_AHEAD, radius=radius)


@compiled()
def leaves_base(scene: Scene, radius: float, x: float, y: float) -> bool:
    """Whether a point lies within the first diameter of a tube that grows straight from the base."""
    bounds = scene.bounds
    dx, dy, cosine, sine = x - bounds[BASE_X], y - bounds[BASE_Y], bounds[COSINE], bounds[SINE]
    along, aside = dx * cosine + dy * sine, dx * sine - dy * cosine
    return 0.0 <= along <= 2.0 * radius and abs(aside) <= radius


@compiled()
def gap(scene: Scene, radius: float, x: float, y: float) -> float:
    """Distance between a disc and the nearest outline [m]; negative if they intersect, also from inside an obstacle.

    Near a base that is mounted in a wall, that wall does not count, and the distance is at most 0.
    """
    leaving = scene.bounds[SPARED] > 0.0 and leaves_base(scene, radius, x, y)
    reach = radius if leaving else radius + LOOK_AHEAD
    cell = cell_of(scene, x, y)
    edges, edge_offsets, edge_items = scene.edges, scene.edge_offsets, scene.edge_items
    for item in range(edge_offsets[cell], edge_offsets[cell + 1]):
        edge = edge_items[item]
        if leaving and edges[edge, 8] > 0.0:
            continue
        rx, ry = x - edges[edge, 0], y - edges[edge, 1]
        ex, ey = edges[edge, 5], edges[edge, 6]
        along = min(max(rx * ex + ry * ey, 0.0), edges[edge, 7])
        reach = min(reach, np.hypot(rx - along * ex, ry - along * ey) - edges[edge, 4])
    corners, corner_offsets, corner_items = scene.corners, scene.corner_offsets, scene.corner_items
    for item in range(corner_offsets[cell], corner_offsets[cell + 1]):
        corner = corner_items[item]
        if leaving and corners[corner, 3] > 0.0:
            continue
        reach = min(reach, np.hypot(x - corners[corner, 0], y - corners[corner, 1]) - corners[corner, 2])
    return reach - radius


@compiled()
def arc_is_free(
    scene: Scene, radius: float, x: float, y: float, heading: float, curvature: float, length: float
) -> bool:
    """Whether a disc can move along an arc from a pose without contact and within the bounds.

    The pose must be outside all obstacles: an arc that starts inside one is reported free unless it meets an outline.
    """
    low_x, low_y, high_x, high_y = scene.bounds[0], scene.bounds[1], scene.bounds[2], scene.bounds[3]
    table, at, least = scene.bounds[TABLE], 0.0, LEAST_STEP * (radius / PROTOTYPE_CLEARANCE)
    while True:
        px, py = arc_point(x, y, heading, curvature, at)
        off = 0.0 if table == 0.0 or leaves_base(scene, radius, px, py) else table
        if not (low_x + off <= px <= high_x - off and low_y + off <= py <= high_y - off):
            return False
        left = gap(scene, radius, px, py)
        if left < 0.0:
            return False
        if at >= length:
            return True
        at = min(at + max(left, least), length)


@compiled()
def biarc_status(
    scene: Scene,
    radius: float,
    tightest: float,
    x0: float,
    y0: float,
    heading0: float,
    x1: float,
    y1: float,
    heading1: float,
) -> int:
    """FREE, TOO_TIGHT if an arc's curvature exceeds `tightest` [1/m], or BLOCKED."""
    k0, s0, k1, s1 = biarc(x0, y0, heading0, x1, y1, heading1)
    if not (abs(k0) <= tightest and abs(k1) <= tightest):
        return TOO_TIGHT
    if not arc_is_free(scene, radius, x0, y0, heading0, k0, s0):
        return BLOCKED
    jx, jy = arc_point(x0, y0, heading0, k0, s0)
    return FREE if arc_is_free(scene, radius, jx, jy, heading0 + k0 * s0, k1, s1) else BLOCKED
