"""The base of a tube: the axis of its exit, its clearance, and faults of its position."""

import math

import shapely

from environments.environment import Environment
from environments.lengths import SHOWN_UNITS, format_length
from environments.obstacles import Obstacles


def exit_axis(environment: Environment, radius: float) -> shapely.LineString:
    """Return the axis of the first diameter of a tube that grows straight from the start [m]."""
    x, y, heading = environment.start
    return shapely.LineString([(x, y), (x + 2 * radius * math.cos(heading), y + 2 * radius * math.sin(heading))])


def base_clearance(environment: Environment) -> float:
    """Distance of the start from everything solid but its mount [m]."""
    return float(environment.solids.part(~environment.mounted).clearance(environment.start[:2]))


def find_base_fault(environment: Environment, radius: float, unit: str) -> str | None:
    """Find the fault of the position of the base, as the end of a sentence; None if there is none.

    Args:
        radius: Radius of the tube [m]; 0 if it is not known.
        unit: Unit of the lengths in the message.
    """

    def in_unit(length: float, other: float) -> str:
        return f"{format_length(length * SHOWN_UNITS[unit], unit, other * SHOWN_UNITS[unit])} {unit}"

    if environment.mount == "wall" and radius and (fault := _find_mount_fault(environment, radius)):
        problem, length = fault
        most = f"at most {in_unit(radius, length)} (the tube radius) is allowed"
        nearest = _nearest(environment.solids, environment)
        return problem.format(length=in_unit(length, radius), most=most, nearest=nearest)
    clearance = base_clearance(environment)
    if clearance < radius - 1e-9:  # tolerance for rounding: touching is allowed
        least = f"at least {in_unit(radius, clearance)} (the tube radius) is needed"
        if environment.edge == "wall" and float(environment.obstacles.clearance(environment.start[:2])) > clearance:
            return f'is {in_unit(clearance, radius)} from the bounds, which are a wall (bounds.edge = "wall"); {least}'
        nearest = _nearest(environment.solids.part(~environment.mounted), environment)
        if not clearance:
            return f"is inside {nearest}; {least}"
        return f"is {in_unit(clearance, radius)} from {nearest}; {least}"
    if environment.edge == "table" and environment.mount == "free" and (over := _overhang(environment, radius)) > 1e-9:
        return (
            f"lets the tube hang {in_unit(over, radius)} over the edge of the table within its first diameter "
            '(bounds.edge = "table"); move the start or turn it inwards'
        )
    return None


def _nearest(solids: Obstacles, environment: Environment) -> str:
    """Return the name of the solid nearest to the start, or the first that it is inside; "" without solids."""
    away = [shape.distance(shapely.Point(environment.start[:2])) for shape in solids.shapes()]
    return solids.name(away.index(min(away))) if away else ""


def _find_mount_fault(environment: Environment, radius: float) -> tuple[str, float] | None:
    """Find the fault of a base in a wall: a text with places for `length`, `most` and `nearest`, and the length [m]."""
    start = environment.start
    point = shapely.Point(start[:2])
    solid = shapely.union_all(environment.solids.part(environment.mounted).shapes())
    if solid.is_empty:
        return 'has no obstacle to stand at, but start.mount = "wall"', 0.0
    if (away := float(environment.solids.clearance(start[:2]))) > radius + 1e-9:
        return 'has start.mount = "wall", but {nearest}, the nearest obstacle, is {length} away; {most}', away
    depth = point.distance(solid.boundary) if solid.area and solid.contains(point) else 0.0
    if depth > radius + 1e-9:
        return 'has start.mount = "wall", but is {length} inside {nearest}; {most}', depth
    end = shapely.get_point(exit_axis(environment, radius), 1)
    if solid.area and solid.contains(end) and end.distance(solid.boundary) > 1e-9:
        return "has a heading into the obstacle that it is mounted in; turn start.heading_deg out of it", 0.0
    return None


def rooms(environment: Environment) -> tuple[float, float, float, float]:
    """Return the distance of the start from the left, lower, right and upper side of the bounds [m], negative outside."""
    x, y, _ = map(float, environment.start)
    low_x, low_y, high_x, high_y = map(float, environment.bounds)
    return x - low_x, y - low_y, high_x - x, high_y - y


def rooms_needed(environment: Environment, radius: float, heading: float) -> list[float]:
    """Return the distances from the sides, see `rooms`, that a base in bounds that are no walls has at least [m].

    The base of a free tube lies within the bounds, and on a table its sides and its cap do, within the first diameter of a tube
    that is straight; at the end of it, where it heads away from the edge, since it has no cap behind its base. A tube that comes
    out of a wall may be anywhere within that diameter.

    Args:
        radius: Radius of the tube [m].
        heading: Direction in which it leaves its base [rad].
    """
    table, free = environment.edge == "table", environment.mount == "free"
    if free and not table:
        return [0.0] * 4
    cosine, sine = math.cos(heading), math.sin(heading)
    wide, found = radius * table, list[float]()
    for along in (-cosine, -sine, cosine, sine):
        beside = wide if along >= 0 else wide * math.sqrt(max(1 - along**2, 0.0))
        need = 2 * radius * along + beside
        found.append(max(need, 0.0) if free else need)
    return found


def _overhang(environment: Environment, radius: float) -> float:
    """Length by which a straight tube hangs over an edge within, or at the end of, its first diameter [m]."""
    needed = rooms_needed(environment, radius, float(environment.start[2]))
    return max(need - room for need, room in zip(needed, rooms(environment), strict=True))
