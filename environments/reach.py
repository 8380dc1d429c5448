"""Reachability: whether a path wide enough for the tube connects start and goal, and where the widest path is narrowest."""

from collections.abc import Sequence

import numpy as np
import shapely

from environments.base import exit_axis
from environments.environment import Environment
from environments.lengths import format_length, format_position
from environments.obstacles import Obstacles
from environments.sure_ways import MANY, reachable_cells

_PIECE = 4
"""Maximum number of edges of an outline that are buffered at once."""
SQUEEZED = 0.9
"""A tube that may be pressed to less than this share of its diameter [-] is squeezed; more than that is a tolerance."""
_THIN = 1e-6
"""Half the width of the passage through an obstacle in which the base is mounted [m]."""
_ARC, _FINE_ARC = 16, 64
"""Number of edges per quarter turn of round corners, in the search for a path and in that for the widest one."""
_NARROWEST = 5e-5
"""Half the width of the narrowest opening that counts as one [m]: narrower ones are seams between touching obstacles."""
_EXACT = 2e-6
"""Accuracy of the width of the widest path [m]."""
_AROUND = 8
"""Width of the surroundings of a goal in which its free parts are found, where there are many corners, in radii of the tube [-]."""
_MOST_SHAPES = 500
"""Maximum number of obstacles among which the widest path is looked for, which takes about 15 times as long as the check."""


class WalledIn(Exception):
    """Error: no path wide enough for the tube leads to the goal."""

    exit_code = 2


def goal_within_reach(environment: Environment, tube_radius: float, clearance: float | None = None) -> shapely.Geometry:
    """Return the part of the goal disc that the axis of a tube without curvature limits can reach from the start.

    Round corners are approximated by inscribed polygons, so no reachable point is missed; but parts of the disc may be left out, if
    there are many corners, that can be reached only from outside its surroundings.

    Args:
        tube_radius: Radius of the tube [m].
        clearance: Least distance of the axis from obstacles, which may press into the tube [m]; default: the radius.
    Returns:
        The region, in metres, limited by the bounds of the environment.
    Raises:
        WalledIn: The region is empty; with up to 500 obstacles the message says how wide the widest path is, and where.
    """
    radius = tube_radius if clearance is None else clearance
    region = _surely_within_reach(environment, radius)
    if region.is_empty:
        region = _reachable_area(environment, radius, radius, _ARC).intersection(_goal_disc(environment))
    if region.is_empty:
        raise WalledIn(_walled_in_message(environment, radius, 2 * tube_radius))
    return region


def _goal_disc(environment: Environment) -> shapely.Geometry:
    x, y, radius = environment.goal
    return shapely.Point(x, y).buffer(radius, quad_segs=64)


def _surely_within_reach(environment: Environment, radius: float) -> shapely.Geometry:
    """Return the part of the goal disc that `reachable_cells` proves to be within reach; nothing if that is not worth it, or fails."""
    corners, disc = sum(map(len, environment.obstacles.polygons)), _goal_disc(environment)
    cells = reachable_cells(environment, radius) if corners > MANY else None
    if cells is None:
        return shapely.Polygon()
    around = shapely.box(*shapely.bounds(disc.buffer(_AROUND * radius))).intersection(shapely.box(*environment.bounds))
    free = _free_parts(environment, radius, radius, _ARC, around)
    return shapely.union_all([part for part in free if shapely.contains_xy(part, *cells.T).any()]).intersection(disc)


def _reachable_area(environment: Environment, radius: float, base: float, arc: int) -> shapely.Geometry:
    """Area that the axis of a tube of a radius [m] can reach from the start."""
    passages = _free_parts(environment, radius, base, arc)
    return shapely.union_all(passages[shapely.intersects(passages, shapely.Point(environment.start[:2]))])


def _free_parts(
    environment: Environment, radius: float, base: float, arc: int, around: shapely.Geometry | None = None
) -> np.ndarray:
    """Return the connected parts of the bounds that are at least a radius [m] from everything solid, and from the edge of a table.

    Args:
        base: Radius of the tube that leaves the base [m]; its first diameter may be near to the mount and the edge.
        arc: Number of edges per quarter turn of round corners.
        around: A rectangle within the bounds, to which the parts are limited; None for the bounds.
    """
    solids, mounted, box = environment.solids, environment.mounted, shapely.box(*environment.bounds)
    solid, axis = _widen(solids.part(~mounted), radius, arc, around), exit_axis(environment, base)
    path = axis.buffer(base, cap_style="flat")
    if mounted.any():
        mount = solids.part(mounted)
        # The tube's axis leaves the obstacle even where that is solid.
        out = path.difference(shapely.union_all(mount.shapes())).union(axis.buffer(_THIN))
        solid = solid.union(_widen(mount, radius, arc).difference(out))
    if environment.edge == "table":
        box = box.buffer(-radius, join_style="mitre").union(path.intersection(box))
    return np.asarray(shapely.get_parts((box if around is None else box.intersection(around)).difference(solid)))


def _widen(solids: Obstacles, radius: float, arc: int, around: shapely.Geometry | None = None) -> shapely.Geometry:
    """Widen obstacles by a radius [m]; with `around`, only what reaches into that rectangle."""
    shapes, polygons = solids.shapes(), len(solids.polygons)
    pieces = [piece for shape in shapes[:polygons] for piece in _pieces(shape)]
    outlines, inner = np.array([*pieces, *shapes[polygons:]], dtype=object), np.array(shapes[:polygons], dtype=object)
    if around is not None:
        outlines = outlines[shapely.dwithin(outlines, around, radius)]
        inner = shapely.intersection(inner[shapely.intersects(inner, around)], around)
    return shapely.union_all([*shapely.buffer(outlines, radius, quad_segs=arc), *inner])


def _pieces(polygon: shapely.Polygon) -> list[shapely.Geometry]:
    """Return the geometries to buffer for a polygon: itself, or the pieces of a long outline.

    Time and memory of buffering grow with the square of the number of corners within one radius of each other.
    """
    corners = shapely.get_coordinates(polygon)
    if len(corners) <= 4 * _PIECE:
        return [polygon]
    return [shapely.LineString(corners[k : k + _PIECE + 1]) for k in range(0, len(corners) - 1, _PIECE)]


# ---- the widest path, where none is wide enough ----


def _walled_in_message(environment: Environment, radius: float, diameter: float) -> str:
    """Return the message for a goal that cannot be reached at a distance of `radius` from the obstacles [m]."""
    tube = f"{format_length(1e3 * diameter, 'mm')} mm"
    said = f"{environment.name}: the goal is walled in: no path as wide as the tube leads from the start to it"
    if 2 * radius < SQUEEZED * diameter:
        least = f"{format_length(2e3 * radius, 'mm')} mm"
        said = f"{environment.name}: the goal is walled in: no path of {least}, to which the tube is squeezed, leads from the start to it"
    if environment.edge == "table":
        said += ", nor may it hang over the edge of the table"
    if len(environment.obstacles) > _MOST_SHAPES:
        return f"{said}; open a passage wider than {tube}, the diameter of the tube, or move the start or the goal"
    if (found := widest_path(environment, radius)) is None:
        return f"{said}, and no narrower one either; open a passage wider than {tube}, or move the start or the goal"
    width = f"{format_length(1e3 * found[0], 'mm', 1e3 * diameter)} mm"
    advice = "widen it, take a thinner tube, or move the start or the goal"
    return (
        f"{said}; the widest way in is {width} wide at {format_position(found[1])}, the tube is {tube} wide: {advice}"
    )


def widest_path(environment: Environment, most: float) -> tuple[float, np.ndarray] | None:
    """Width of the widest path from start to goal where it is narrowest [m], and that position [m], shape (2,).

    The width is that of the widest tube that fits. Beside open bounds, half of a tube may be outside.

    Args:
        most: A distance to all obstacles at which no path leads to the goal [m].
    Returns:
        None if there is no path of at least 0.1 mm.
    """
    goal, low, high = _goal_disc(environment), _NARROWEST, most
    if high <= low or not _reachable_area(environment, low, most, _FINE_ARC).intersects(goal):
        return None
    while high - low > _EXACT:
        middle = (low + high) / 2
        if _reachable_area(environment, middle, most, _FINE_ARC).intersects(goal):
            low = middle
        else:
            high = middle
    return low + high, _narrowest_part(environment, low, high, most)


def _narrowest_part(environment: Environment, low: float, high: float, base: float) -> np.ndarray:
    """Position [m] at which the path to the goal closes between two distances to the obstacles [m], the first one open.

    What is free at the first distance and not near to what is free at the second are the necks: thin pieces, of which
    one or more in turn connect the start's part to the goal's.
    """
    start, goal, near = shapely.Point(environment.start[:2]), _goal_disc(environment), 3 * (high - low)
    region = _reachable_area(environment, low, base, _FINE_ARC)
    wide = shapely.intersection(_free_parts(environment, high, base, _FINE_ARC), region)
    wide = wide[shapely.area(wide) > 0]
    necks = shapely.get_parts(region.difference(shapely.union_all(shapely.buffer(wide, near))))
    necks = necks[np.argsort(shapely.distance(necks, start))]
    neck = _first_neck(necks, wide, start, goal, 2 * near)
    # The part that contains the start may contain the goal as well: then the goal itself is too near to an obstacle.
    position = region.intersection(goal) if neck is None else neck
    return shapely.get_coordinates(position.representative_point())[0]


def _first_neck(
    necks: Sequence[shapely.Geometry], parts: np.ndarray, start: shapely.Point, goal: shapely.Geometry, near: float
) -> shapely.Geometry | None:
    """Return the first neck on a path from the start through necks and parts to the goal; None if there is none on it.

    Args:
        necks: From the nearest to the start to the farthest.
        near: Distance at which a neck and a part are connected [m].
    """
    starts = shapely.intersects(parts, start)
    if not starts.any():  # the start itself is too near to an obstacle
        return start
    first: dict[int, shapely.Geometry | None] = dict.fromkeys(np.flatnonzero(starts).tolist())
    joined = [shapely.distance(parts, neck) <= near for neck in necks]
    queue, left = list(first), list(range(len(necks)))
    while queue:
        part = queue.pop(0)
        if parts[part].intersects(goal):
            return first[part]
        for neck in [one for one in left if joined[one][part]]:
            left.remove(neck)
            entered = first[part] or necks[neck]
            if necks[neck].intersects(goal):
                return entered
            fresh = [one for one in np.flatnonzero(joined[neck]).tolist() if one not in first]
            first.update(dict.fromkeys(fresh, entered))
            queue += fresh
    return None
