"""Collision checks of a tube along arcs, in steps as long as the distance to the nearest obstacle."""

from __future__ import annotations

import numpy as np

from dynamics.scene import BASE_X, BASE_Y, COSINE, SINE, SPARED, TABLE, Scene, build_scene, cell_of
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.search.reverse.arc_price import ArcCurvatures, arc_is_possible, arc_price
from planner.search.reverse.biarc import arc_point, biarc
from surrogate.kernels.compiled import Floats, compiled

LOOK_AHEAD = 0.1
"""Upper limit of gaps; larger ones are clipped to it [m]."""
LEAST_STEP = 2e-3
"""Minimum step along an arc for the prototype [m], scaled with the tube; every deeper penetration than half is detected."""
PROTOTYPE_CLEARANCE = VineParams().clearance
"""Minimum distance of the prototype's axis from obstacles [m]."""
TOUCH_STEP = 0.5
"""Step along an arc at which contact on its outside is looked for, relative to the tube's radius."""
FREE, UNREACHED, BLOCKED = 0, 1, 2
Pose = tuple[float, float, float]
"""x [m], y [m] and heading [rad]."""


def arc_scene(environment: Environment, radius: float) -> Scene:
    """Build the scene in which `gap` finds all obstacles near a tube of a radius [m]."""
    return build_scene(environment, radius + LOOK_AHEAD, radius + LOOK_AHEAD, radius=radius)


@compiled()
def leaves_base(scene: Scene, radius: float, x: float, y: float) -> bool:
    """Return whether a point lies within the first diameter of a tube that grows straight from the base."""
    bounds = scene.bounds
    dx, dy, cosine, sine = x - bounds[BASE_X], y - bounds[BASE_Y], bounds[COSINE], bounds[SINE]
    along, aside = dx * cosine + dy * sine, dx * sine - dy * cosine
    return 0.0 <= along <= 2.0 * radius and abs(aside) <= radius


@compiled()
def gap(scene: Scene, radius: float, x: float, y: float) -> float:
    """Return the distance between a disc and the nearest outline [m]; negative if they intersect, also from inside an obstacle.

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
    """Return whether a disc can move along an arc from a pose without contact and within the bounds.

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
def touching_share(
    scene: Scene, radius: float, x: float, y: float, heading: float, curvature: float, length: float
) -> float:
    """Return the share of an arc along whose outside an obstacle is within one radius of the tube's side; 0 for a straight
    line.

    The arc must be free. Nothing on the inside of the bend counts, because only a wall on the outside pushes into the bend.
    """
    if curvature == 0.0 or length == 0.0:
        return 0.0
    count = int(np.ceil(length / (TOUCH_STEP * radius)))
    touching, outwards = 0, radius if curvature < 0.0 else -radius
    for k in range(count):
        at = (k + 0.5) / count * length
        px, py = arc_point(x, y, heading, curvature, at)
        along = heading + curvature * at
        # A disc whose edge is on the axis: it lies on the outside of the bend.
        touching += gap(scene, radius, px - outwards * np.sin(along), py + outwards * np.cos(along)) < 0.0
    return touching / count


@compiled()
def touching_shares(scene: Scene, radius: float, start: Pose, end: Pose) -> tuple[float, float]:
    """Return the shares of both arcs of a biarc that `touching_share` counts; NaN unless the biarc is free."""
    x0, y0, heading0 = start
    k0, s0, k1, s1 = biarc(x0, y0, heading0, end[0], end[1], end[2])
    if not (s0 < np.inf and s1 < np.inf) or not arc_is_free(scene, radius, x0, y0, heading0, k0, s0):
        return np.nan, np.nan
    jx, jy = arc_point(x0, y0, heading0, k0, s0)
    middle = heading0 + k0 * s0
    if not arc_is_free(scene, radius, jx, jy, middle, k1, s1):
        return np.nan, np.nan
    first = touching_share(scene, radius, x0, y0, heading0, k0, s0)
    return first, touching_share(scene, radius, jx, jy, middle, k1, s1)


@compiled()
def biarc_status(scene: Scene, radius: float, bends: ArcCurvatures, start: Pose, end: Pose) -> tuple[int, float, float]:
    """Return whether a vine can grow along a biarc: FREE, UNREACHED or BLOCKED, and the prices of its arcs in actuators.

    UNREACHED means that the actuators do not reach an arc's curvature, and that no wall makes up for it. The prices are infinite
    unless it is FREE.
    """
    k0, s0, k1, s1 = biarc(start[0], start[1], start[2], end[0], end[1], end[2])
    wall = 1.0 if bends.touching > 0.0 else 0.0
    # Most are out of reach even along a wall, and looking for one takes time.
    if not (arc_is_possible(bends, k0, s0, wall) and arc_is_possible(bends, k1, s1, wall)):
        return UNREACHED, np.inf, np.inf
    first, second = touching_shares(scene, radius, start, end)
    if np.isnan(first):
        return BLOCKED, np.inf, np.inf
    first, second = wall * first, wall * second
    if not (arc_is_possible(bends, k0, s0, first) and arc_is_possible(bends, k1, s1, second)):
        return UNREACHED, np.inf, np.inf
    return FREE, arc_price(k0 * s0, first), arc_price(k1 * s1, second)


@compiled()
def biarc_cost(scene: Scene, radius: float, bends: ArcCurvatures, length_cost: float, start: Pose, end: Pose) -> float:
    """Return the price of a biarc in actuators plus `length_cost` per metre; infinite unless it is FREE."""
    status, first, second = biarc_status(scene, radius, bends, start, end)
    if status != FREE:
        return np.inf
    _, s0, _, s1 = biarc(start[0], start[1], start[2], end[0], end[1], end[2])
    return first + second + length_cost * (s0 + s1)


def biarc_prices(scene: Scene, radius: float, bends: ArcCurvatures, start: Floats, end: Floats) -> Floats:
    """Return the prices of the arcs of biarcs in actuators, infinite unless they are FREE, shape (2, n); poses of shape (n,
    3)."""
    prices = np.empty((2, len(start)))
    _prices(scene, radius, bends, start, end, prices)
    return prices


@compiled()
def _prices(scene: Scene, radius: float, bends: ArcCurvatures, start: Floats, end: Floats, prices: Floats) -> None:
    for i in range(len(start)):
        one, other = (start[i, 0], start[i, 1], start[i, 2]), (end[i, 0], end[i, 1], end[i, 2])
        _, prices[0, i], prices[1, i] = biarc_status(scene, radius, bends, one, other)


def biarc_shares(scene: Scene, radius: float, start: Floats, end: Floats) -> Floats:
    """Return the shares of the arcs of biarcs with a wall along their outside, NaN unless free; shape (2, n), poses (n, 3)."""
    shares = np.empty((2, len(start)))
    _shares(scene, radius, start, end, shares)
    return shares


@compiled()
def _shares(scene: Scene, radius: float, start: Floats, end: Floats, shares: Floats) -> None:
    for i in range(len(start)):
        one, other = (start[i, 0], start[i, 1], start[i, 2]), (end[i, 0], end[i, 1], end[i, 2])
        shares[0, i], shares[1, i] = touching_shares(scene, radius, one, other)
