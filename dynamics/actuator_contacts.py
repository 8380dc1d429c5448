"""Contacts of the actuators of a tube, which stand out from its side where they are inflated.

The profile of an actuated segment is that of the tube and, on the actuator's side, the hull of two discs at its ends. The diameter of a
disc is its thickness t there, the distance of its middle from the axis R + t / 2. Where the tube bends away from an actuator that goes on
over a joint, the disc moves along an arc about the joint. All parts are convex, so that it is sufficient to test discs against edges, and
the corners of obstacles against hulls.

An actuator inflates as it everts: its thickness rises from nothing at the tip to t a radius of the tube behind it (an assumption), and at
joints in proportion. So it adds nothing to the cap at the tip. Its supply inflates it, not the growth: no contact of it holds the tip back.

The actuator gives way as an inflated tube does, by its own pressure: each contact has the compliance of a segment's length of it in
addition to that of a contact. Its row is scaled by the root of the share of the contact's own compliance in both, and then has that alone:
what a solver takes for the force of a row is `force_share` of it. A dent of any depth is accepted that the force holds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dynamics.chain import Chain
from dynamics.contact_rows import ACTUATOR_KEYS, ALONE, Contacts, add, is_of_actuator
from dynamics.cross_section import CrossSection
from dynamics.scene import Scene, cell_of
from dynamics.soft_contacts import FADING, hold_rigid
from surrogate.kernels.compiled import compiled


class End(NamedTuple):
    """An end of an actuated segment."""

    segment: int
    x: float
    """The joint there [m]."""
    y: float
    nx: float
    """Direction of the actuator from the axis [-]."""
    ny: float
    thickness: float
    """Thickness of the inflated actuator [m]."""
    reached: float
    """Distance of the joint from the base along the tube [m]."""
    whole: float
    """Length of the tube [m]."""
    begins: bool
    """Whether it is the beginning of the segment."""
    goes_on: bool
    """Whether the next segment has the same actuator."""
    key: int
    """Key of the contact with the first edge."""
    solids: int
    """Number of edges and corners."""


class Spot(NamedTuple):
    """A corner of an obstacle next to the disc at an end."""

    point: tuple[float, float]
    """[m]"""
    radius: float
    """[m]"""
    key: int
    """Key of the contact with the side of the segment."""
    nearer: float
    """Gap of that contact [m], inf if there is none."""


class Hull(NamedTuple):
    """The hull of the discs of an actuated segment, and a point beside it."""

    along: float
    """Place of the point along the straight side, from its beginning on [m]."""
    length: float
    """Length of the straight side [m]."""
    gap: float
    """Distance of the point from the line of that side [m]."""
    nx: float
    """Normal of the side [-]."""
    ny: float


@compiled(forceinline=True)
def _inflated(section: CrossSection, end: End, at: float) -> float:
    """Thickness of an actuator at a distance from the base along the tube [m]."""
    return end.thickness * min(max(end.whole - at, 0.0) / section.radius, 1.0)


@compiled(forceinline=True)
def _side_of_edge(offset: float, axis: float, along: float, axis_along: float, wall: float) -> float:
    """Side of an edge on which a disc belongs: 1 on its left, -1 on its right.

    It is that of the disc or, where the edge lies between the disc and the tube's axis, that of the axis.

    Args:
        offset: Distance of the disc from the line of the edge, positive on its left [m].
        axis: The same of the axis [m].
        along: Place of the disc along the edge [m].
        axis_along: The same of the axis [m].
        wall: Length of the edge [m].
    """
    if offset * axis < 0.0 and 0.0 <= axis_along + (along - axis_along) * axis / (axis - offset) <= wall:
        offset = axis
    return 1.0 if offset >= 0.0 else -1.0


@compiled(forceinline=True)
def _towards(chain: Chain, end: End, dx: float, dy: float) -> tuple[float, float, int]:
    """Where the disc at an end is next to what lies in a direction: its own direction from the joint, and the segment that holds it."""
    i, nx, ny = end.segment, end.nx, end.ny
    if not end.goes_on:
        return nx, ny, i
    ux, uy, vx, vy = chain.cosine[i], chain.sine[i], chain.cosine[i + 1], chain.sine[i + 1]
    side = 1.0 if nx * -uy + ny * ux > 0.0 else -1.0
    if dx * nx + dy * ny > 0.0 and dx * ux + dy * uy > 0.0 and dx * vx + dy * vy < 0.0:
        long = math.sqrt(dx * dx + dy * dy)
        return dx / long, dy / long, i
    if side * (dy * vx - dx * vy) > dx * nx + dy * ny:
        return -side * vy, side * vx, i + 1
    return nx, ny, i


@compiled()
def _add_edges(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, contacts: Contacts, count: int, end: End
) -> int:
    """Add the contacts of the disc at an end with edges; return the number of contacts."""
    thickness, edges = _inflated(section, end, end.reached), scene.edges
    half, out = 0.5 * thickness, section.radius + 0.5 * thickness
    cell = cell_of(scene, end.x + out * end.nx, end.y + out * end.ny)
    for item in range(scene.edge_offsets[cell], scene.edge_offsets[cell + 1]):
        edge = scene.edge_items[item]
        if thickness <= 0.0 or end.reached < edges[edge, 8]:
            continue
        ex, ey, wall = edges[edge, 5], edges[edge, 6], edges[edge, 7]
        rx, ry, nx, ny = end.x - edges[edge, 0], end.y - edges[edge, 1], end.nx, end.ny
        axis, axis_along = ex * ry - ey * rx, rx * ex + ry * ey
        offset, along = axis + out * (ex * ny - ey * nx), axis_along + out * (nx * ex + ny * ey)
        flip = _side_of_edge(offset, axis, along, axis_along, wall)
        dx, dy = flip * ey, -flip * ex
        mx, my, segment = _towards(chain, end, dx, dy)
        offset, along = axis + out * (ex * my - ey * mx), axis_along + out * (mx * ex + my * ey)
        gap = flip * offset - half - edges[edge, 4]
        if 0.0 <= along <= wall and gap < margin:
            ray = (end.x + out * mx, end.y + out * my), (-dx, -dy)
            count = add(contacts, count, (0, segment), end.key + edge, gap, ray, 0.0, ALONE)
    return count


@compiled()
def _beside(section: CrossSection, chain: Chain, end: End, i: int, at: float, point: tuple[float, float]) -> Hull:
    """Place of a point beside the hull of a segment.

    Args:
        i: The segment.
        at: Distance of its beginning from the base along the tube [m].
        point: The point [m].
    """
    ux, uy, length = chain.cosine[i], chain.sine[i], chain.length[i]
    side = 1.0 if end.nx * -chain.sine[end.segment] + end.ny * chain.cosine[end.segment] > 0.0 else -1.0
    first, last = 0.5 * _inflated(section, end, at), 0.5 * _inflated(section, end, at + length)
    rx, ry = point[0] - chain.x[i], point[1] - chain.y[i]
    x, y = rx * ux + ry * uy, side * (ry * ux - rx * uy) - section.radius - first
    # From disc to disc, and from there to the side that touches both.
    apart = math.hypot(length, last - first)
    cosine, sine = length / apart, (last - first) / apart
    x, y = cosine * x + sine * y, cosine * y - sine * x
    tilt_sine = (first - last) / apart
    tilt = math.sqrt(1.0 - tilt_sine * tilt_sine)
    along, across = tilt_sine * cosine - tilt * sine, tilt_sine * sine + tilt * cosine
    nx, ny = along * ux - across * side * uy, along * uy + across * side * ux
    return Hull(tilt * x - tilt_sine * y, tilt * apart, tilt_sine * x + tilt * y - first, nx, ny)


@compiled()
def _add_disc(
    section: CrossSection, margin: float, chain: Chain, contacts: Contacts, count: int, end: End, spot: Spot
) -> int:
    """Add the contact of the disc at an end with a corner, if no side next to it is clearly nearer; return the number of contacts."""
    thickness, nearer, key = _inflated(section, end, end.reached), spot.nearer, spot.key + end.solids
    if end.goes_on:
        after = _beside(section, chain, end, end.segment + 1, end.reached, spot.point)
        if 0.0 <= after.along <= after.length:
            nearer = min(nearer, after.gap - spot.radius)
    mx, my, segment = _towards(chain, end, spot.point[0] - end.x, spot.point[1] - end.y)
    out = section.radius + 0.5 * thickness
    x, y = end.x + out * mx, end.y + out * my
    dx, dy = spot.point[0] - x, spot.point[1] - y
    distance = math.sqrt(dx * dx + dy * dy)
    gap = distance - 0.5 * thickness - spot.radius
    if distance > 0.0 and gap < min(nearer + FADING * margin, margin):
        dx, dy = dx / distance, dy / distance
        count = add(contacts, count, (0, segment), key, gap, ((x, y), (-dx, -dy)), 0.0, ALONE)
    return count


@compiled()
def _add_corners(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, contacts: Contacts, count: int, end: End
) -> int:
    """Add the contacts with corners of the discs at an end of a segment and, at its last end, of its side; return their number."""
    i, corners, length, begins = end.segment, scene.corners, chain.length[end.segment], end.begins
    far, at = section.radius + 0.5 * end.thickness, end.reached if begins else end.reached - length
    cell = cell_of(scene, end.x + far * end.nx, end.y + far * end.ny)
    for item in range(scene.corner_offsets[cell], scene.corner_offsets[cell + 1]):
        corner = scene.corner_items[item]
        point = corners[corner, 0], corners[corner, 1]
        rx, ry, near = point[0] - end.x, point[1] - end.y, margin + corners[corner, 2]
        aside = rx * end.nx + ry * end.ny
        # A quick look: a hull reaches no farther than its largest disc.
        if length <= 0.0 or aside <= 0.0 or aside > section.radius + end.thickness + near:
            continue
        if rx * rx + ry * ry > (length + section.radius + end.thickness + near) ** 2:
            continue
        hull, key = _beside(section, chain, end, i, at, point), end.key + len(scene.edges) + corner
        gap, share = hull.gap - corners[corner, 2], hull.along / hull.length
        beside = 0.0 <= share <= 1.0
        if beside and not begins and gap < margin and not at + share * length < corners[corner, 3]:
            count = add(contacts, count, (0, i), key, gap, (point, (-hull.nx, -hull.ny)), 0.0, ALONE)
        aside_of_disc = share <= 1.0 if begins else share >= 0.0
        if aside_of_disc and end.reached < end.whole and not end.reached < corners[corner, 3]:
            spot = Spot(point, corners[corner, 2], key, gap if beside else math.inf)
            count = _add_disc(section, margin, chain, contacts, count, end, spot)
    return count


@compiled()
def add_actuator_contacts(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, segments: int, contacts: Contacts, count: int
) -> int:
    """Append all contacts of the actuators of a vine with a gap below the margin; return the number of contacts.

    The mount does not touch the first length of the tube that it spares, nor an actuator there. A contact is rigidly on its segment.
    """
    first, solids, whole, reached = count, len(scene.edges) + len(scene.corners), 0.0, 0.0
    for i in range(segments):
        whole += chain.length[i]
    for i in range(segments):
        before, thickness = reached, chain.thickness[i]
        reached += chain.length[i]
        if thickness == 0.0:
            continue
        side = 1.0 if thickness > 0.0 else -1.0
        nx, ny, last = -side * chain.sine[i], side * chain.cosine[i], i == segments - 1
        goes_on, key = not last and chain.thickness[i + 1] == thickness, ACTUATOR_KEYS + 4 * i * solids
        x, y, thickness = chain.x[i + 1], chain.y[i + 1], abs(thickness)
        end = End(i, x, y, nx, ny, thickness, reached, whole, False, goes_on, key, solids)
        count = _add_edges(scene, section, margin, chain, contacts, count, end)
        count = _add_corners(scene, section, margin, chain, contacts, count, end)
        if i == 0 or chain.thickness[i - 1] != chain.thickness[i]:
            x, y, key = chain.x[i], chain.y[i], key + 2 * solids
            beginning = End(i, x, y, nx, ny, thickness, before, whole, True, False, key, solids)
            count = _add_edges(scene, section, margin, chain, contacts, count, beginning)
            count = _add_corners(scene, section, margin, chain, contacts, count, beginning)
    for k in range(first, count):
        dented = section.compliance + 1.0 / chain.stiffness[contacts.segment[k]]
        share = math.sqrt(section.compliance / dented)
        contacts.gap[k], contacts.alpha[k] = share * contacts.gap[k], share * contacts.alpha[k]
        contacts.beta[k], contacts.gamma[k] = share * contacts.beta[k], share * contacts.gamma[k]
    hold_rigid(section, contacts, first, count)
    return count


@compiled(forceinline=True)
def force_share(contacts: Contacts, k: int) -> float:
    """Force of a contact over what a solver takes for it [-], see above: the length of the normal of an actuator's row, 1 of others."""
    if is_of_actuator(contacts, k):
        return math.sqrt(contacts.beta[k] ** 2 + contacts.gamma[k] ** 2)
    return 1.0
