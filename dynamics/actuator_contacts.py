"""Contacts of the actuators of a tube, which stand out from its side where they are inflated.

The profile of an actuated section lies beside the tube at the distance of its thickness t. Where the tube bends away from an actuator, the
profile is an arc about the joint. Edges meet it at joints, corners anywhere.

The actuator gives way as a tube does that is squeezed between a wall and the tube behind it: its height loses 2 f / (pi P) by the load f
per length, for every height (`dynamics.cross_section`). An edge presses at each joint on half of both segments, a corner on the length of
the cap of a tube as thick (an assumption), which its contacts with pieces next to each other share. These lengths fade to nothing over half
of the thickness where a section or an edge ends, and over a radius of the tube where the tip is: an actuator inflates as it everts (an
assumption). So the energy is continuous in the pose, and a vine comes to rest. The supply inflates the actuator, not the growth: no
contact of it holds the tip back.

The row of a contact is scaled by the root of the share of the contact's own compliance in all of it, and then has that alone: what a
solver takes for the force of a row is `force_share` of it. A dent of any depth is accepted that the force holds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dynamics.chain import Chain
from dynamics.contact_rows import ACTUATOR_KEYS, Contacts, Press, add, is_of_actuator
from dynamics.cross_section import CAP, CORNER, LENGTH, TIP, CrossSection
from dynamics.scene import Scene, cell_of
from dynamics.soft_contacts import LEAST_LEFT, hold_rigid
from surrogate.kernels.compiled import compiled

NEXT = 2
"""Contacts of a corner share its length if their segments are at most this many apart."""
LEAST_TURN = 1e-12
"""A joint bends away from the actuator by more than this [rad]. Where it is straight, as a new one is, a device that fuses multiplications
and additions computes a remainder of rounding in place of 0."""


class Section(NamedTuple):
    """A section of a vine with one actuator."""

    side: float
    """1 on the left of the tube, -1 on its right."""
    thickness: float
    """Thickness of the inflated actuator [m]."""
    begin: float
    """Distance of its beginning from the base along the tube [m]."""
    end: float
    """Distance of its end from the base along the tube [m]."""
    whole: float
    """Length of the tube [m]."""


class Spot(NamedTuple):
    """A segment of a section, and one of its joints: that where it ends or, for edges, also that where it begins."""

    segment: int
    nx: float
    """Direction of the actuator from the axis [-]."""
    ny: float
    x: float
    """The joint [m]."""
    y: float
    reached: float
    """Distance of the joint from the base along the tube [m]."""
    length: float
    """Length of the actuator that an edge presses there [m]; 0 if the section ends there."""
    is_arc: bool
    """Whether the tube bends away from the actuator there."""
    is_after: bool
    """Whether the segment begins at the joint."""
    other_nx: float
    """Direction of the actuator on the other side of the joint [-]."""
    other_ny: float
    key: int
    """Key of the contact with the first edge."""


@compiled(forceinline=True)
def _inflated(section: CrossSection, actuator: Section, at: float) -> float:
    """Share of its stiffness that an actuator has at a distance from the base along the tube [-]."""
    from_end = 2.0 * min(at - actuator.begin, actuator.end - at) / actuator.thickness
    return max(min(from_end, (actuator.whole - at) / section.radius, 1.0), LEAST_LEFT)


@compiled(forceinline=True)
def _meets_at(offset: float, axis: float, along: float, axis_along: float) -> float:
    """Place along an edge where it meets the actuator [m]: where it lies between a point of the profile and the tube's axis, if it does.

    Args:
        offset: Distance of the point from the line of the edge, positive on its left [m].
        axis: The same of the axis [m].
        along: Place of the point along the edge [m].
        axis_along: The same of the axis [m].
    """
    return axis_along + (along - axis_along) * axis / (axis - offset) if offset * axis < 0.0 else along


@compiled(forceinline=True)
def _is_on_arc(spot: Spot, dx: float, dy: float) -> bool:
    """Whether a direction from a joint is that of its arc."""
    nx, ny, mx, my = spot.nx, spot.ny, spot.other_nx, spot.other_ny
    turn = nx * my - ny * mx
    return bool(dx * nx + dy * ny > 0.0 and (nx * dy - ny * dx) * turn > 0.0 and (dx * my - dy * mx) * turn > 0.0)


@compiled()
def _add_edges(
    scene: Scene,
    section: CrossSection,
    margin: float,
    contacts: Contacts,
    count: int,
    place: tuple[Section, Spot],
) -> int:
    """Add the contacts of edges with the profile at a joint, on one side of it; return the number of contacts.

    Where the tube bends towards the actuator, each side has an end of its own; where it bends away, they share the arc between them.
    """
    (actuator, spot), edges = place, scene.edges
    out, middle = section.radius + actuator.thickness, section.radius + 0.5 * actuator.thickness
    cell = cell_of(scene, spot.x + middle * spot.nx, spot.y + middle * spot.ny)
    for item in range(scene.edge_offsets[cell], scene.edge_offsets[cell + 1]):
        edge = int(scene.edge_items[item])
        if spot.length == 0.0 or spot.reached < edges[edge, 8]:
            continue
        ex, ey, wall = edges[edge, 5], edges[edge, 6], edges[edge, 7]
        rx, ry, mx, my = spot.x - edges[edge, 0], spot.y - edges[edge, 1], spot.nx, spot.ny
        axis, axis_along = ex * ry - ey * rx, rx * ex + ry * ey
        offset, along = axis + out * (ex * my - ey * mx), axis_along + out * (mx * ex + my * ey)
        met = _meets_at(offset, axis, along, axis_along)
        # Beyond an edge, the profile belongs on the side of the axis.
        flip = 1.0 if (axis if offset * axis < 0.0 and 0.0 <= met <= wall else offset) >= 0.0 else -1.0
        dx, dy = flip * ey, -flip * ex
        share, facing = 1.0, dx * mx + dy * my
        if spot.is_arc:
            if _is_on_arc(spot, dx, dy):
                # Both sides of the joint have this place on it.
                share, facing, mx, my = 0.5, 1.0, dx, dy
                offset, along = axis + out * (ex * my - ey * mx), axis_along + out * (mx * ex + my * ey)
                met = _meets_at(offset, axis, along, axis_along)
            else:
                # Only the side that is nearer has an end; where both are, that after the joint.
                other = dx * spot.other_nx + dy * spot.other_ny
                if other > facing or (other == facing and not spot.is_after):
                    continue
        gap = flip * offset - edges[edge, 4]
        if 0.0 <= along <= wall and gap < margin:
            # At its ends an edge hands over to its corners, and none presses from behind.
            share *= min(2.0 * min(along, wall - along, met, wall - met) / actuator.thickness, 2.0 * facing, 1.0)
            press = Press(max(share, LEAST_LEFT) * spot.length, 0.0, math.inf, -1.0, math.inf)
            ray = (spot.x + out * mx, spot.y + out * my), (-dx, -dy)
            count = add(contacts, count, (0, spot.segment), spot.key + edge, gap, ray, 0.0, press)
    return count


@compiled()
def _add_corners(
    scene: Scene,
    section: CrossSection,
    margin: float,
    chain: Chain,
    contacts: Contacts,
    count: int,
    place: tuple[Section, Spot],
) -> int:
    """Add the contacts of corners with the profile along a segment, and with the arc where it ends; return the number of contacts."""
    (actuator, spot), i, corners, edges = place, place[1].segment, scene.corners, len(scene.edges)
    ux, uy, length, thickness = chain.cosine[i], chain.sine[i], chain.length[i], actuator.thickness
    out, middle = section.radius + thickness, section.radius + 0.5 * thickness
    cell = cell_of(scene, spot.x + middle * spot.nx, spot.y + middle * spot.ny)
    for item in range(scene.corner_offsets[cell], scene.corner_offsets[cell + 1]):
        corner = int(scene.corner_items[item])
        point, far = (corners[corner, 0], corners[corner, 1]), out + corners[corner, 2]
        rx, ry = point[0] - spot.x, point[1] - spot.y
        along, aside = rx * ux + ry * uy, rx * spot.nx + ry * spot.ny
        at = spot.reached + min(along, 0.0)
        if aside <= 0.0 or along < -length or at < corners[corner, 3]:
            continue
        gap, left, ray = aside - far, LEAST_LEFT * thickness, (point, (-spot.nx, -spot.ny))
        if along <= 0.0:
            left = max(min(length + along, -along), left)
        elif spot.is_arc and _is_on_arc(spot, rx, ry):
            distance = math.sqrt(rx * rx + ry * ry)
            gap, ray = distance - far, ((spot.x, spot.y), (-rx / distance, -ry / distance))
        else:
            continue
        if gap < margin:
            # In place of a tip: the weight of the contact among those of the corner.
            press = Press(
                0.5 * CAP * thickness * _inflated(section, actuator, at), left, math.inf, float(corner), math.inf
            )
            count = add(contacts, count, (0, i), spot.key + edges + corner, gap, ray, 0.0, press)
    return count


@compiled()
def _share_lengths(contacts: Contacts, first: int, count: int) -> None:
    """Divide the length on which each corner presses by its contacts with pieces next to each other, in proportion to their weights.

    Args:
        first: First contact of actuators.
    """
    segment, pressing, begins, ends = contacts.segment, contacts.pressing, first, first
    for k in range(first, count):
        while segment[begins] < segment[k] - NEXT:
            begins += 1
        while ends < count and segment[ends] <= segment[k] + NEXT:
            ends += 1
        whole = 0.0
        for m in range(begins, ends):
            whole += pressing[m, TIP] if pressing[m, CORNER] == pressing[k, CORNER] else 0.0
        pressing[k, LENGTH] *= pressing[k, TIP] / whole if pressing[k, CORNER] >= 0.0 else 1.0
    for k in range(first, count):
        pressing[k, TIP] = 0.0


@compiled()
def add_actuator_contacts(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, segments: int, contacts: Contacts, count: int
) -> int:
    """Append all contacts of the actuators of a vine with a gap below the margin; return the number of contacts.

    The mount does not touch the first length of the tube that it spares, nor an actuator there. A contact is rigidly on its segment.
    """
    first, solids, whole, reached, end, begin = count, len(scene.edges) + len(scene.corners), 0.0, 0.0, -1.0, 0.0
    for i in range(segments):
        whole += chain.length[i]
    for i in range(segments):
        before, thickness = reached, chain.thickness[i]
        reached += chain.length[i]
        if thickness == 0.0:
            continue
        side = 1.0 if thickness > 0.0 else -1.0
        if i == 0 or chain.thickness[i - 1] != thickness:
            begin, end = before, reached
            for j in range(i + 1, segments):
                if chain.thickness[j] != thickness:
                    break
                end += chain.length[j]
        actuator = Section(side, abs(thickness), begin, end, whole)
        nx, ny, x, y = -side * chain.sine[i], side * chain.cosine[i], chain.x[i + 1], chain.y[i + 1]
        mx, my, length, after, away = nx, ny, 0.0, 0.0, False
        if i + 1 < segments and chain.thickness[i + 1] == thickness:
            mx, my = -side * chain.sine[i + 1], side * chain.cosine[i + 1]
            away = side * (nx * my - ny * mx) < -LEAST_TURN
            inflated = 0.5 * _inflated(section, actuator, reached)
            length, after = inflated * chain.length[i], inflated * chain.length[i + 1]
            if away:
                length = after = length + after
        key = ACTUATOR_KEYS + 4 * i * solids
        spot = Spot(i, nx, ny, x, y, reached, length, away, False, mx, my, key)
        count = _add_corners(scene, section, margin, chain, contacts, count, (actuator, spot))
        count = _add_edges(scene, section, margin, contacts, count, (actuator, spot))
        if after > 0.0:
            spot = Spot(i + 1, mx, my, x, y, reached, after, away, True, nx, ny, key + 2 * solids)
            count = _add_edges(scene, section, margin, contacts, count, (actuator, spot))
    _share_lengths(contacts, first, count)
    for k in range(first, count):
        dented = section.compliance + 1.0 / (contacts.pressing[k, LENGTH] * chain.stiffness[contacts.segment[k]])
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
