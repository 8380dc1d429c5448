"""Rows of contact, and the contacts of a chain of round segments with thickened edges and corners."""

from __future__ import annotations

import math

import numpy as np

from dynamics.actuator_contacts import add_actuator_contacts
from dynamics.chain import Chain
from dynamics.contact_rows import Contacts, Press, add
from dynamics.cross_section import CrossSection
from dynamics.scene import Scene, cell_of
from dynamics.soft_contacts import FADING, give_way, hold_rigid
from surrogate.kernels.compiled import compiled

SHORTEST = 1e-6
"""Shortest length of a soft tube on which a contact presses, over its radius [-]: on none, its compliance would be infinite."""


@compiled(forceinline=True)
def _on_cap(section: CrossSection, ahead: float) -> float:
    """Length of tube that is as stiff as the part of the cap on which a wall presses [m].

    A sharp corner dents as much of the tube as the cap is stiff. So a corner that the tip passes has the more of the tube and the less
    of the cap in the dent the farther it is behind.

    Args:
        ahead: How far the wall's nearest point is ahead of the joint at the tip, along its heading [m].
    """
    return max(section.cap + 2.0 * min(ahead, 0.0), 0.0)


@compiled(forceinline=True)
def _beside(press: Press, along: float, wall: float, beyond: float, ahead: bool) -> Press:
    """Pressing of an edge on the part of a joint's length that is beside it.

    Args:
        press: The same of an endless edge.
        along: Place of the joint along the edge [m].
        wall: Length of the edge [m].
        beyond: Half of the length of tube that belongs to the joint, along the edge [m].
        ahead: Whether the tube grows in the direction of the edge.
    """
    if beyond == 0.0:
        return press
    low, high = max(along - beyond, 0.0), min(along + beyond, wall)
    shift = 0.5 * (low + high) - along
    # Beyond the end of an edge, its corner limits the dent.
    most = press.most if 0.0 <= along <= wall else np.inf
    return Press(
        0.5 * (high - low) / beyond * press.length, press.tip, press.at + (shift if ahead else -shift), -1.0, most
    )


@compiled()
def find_contacts(
    scene: Scene, section: CrossSection, margin: float, chain: Chain, segments: int, contacts: Contacts
) -> int:
    """Find all contacts with a gap below the margin; return their number.

    The closest points of two straight pieces include an end of one of them. So it is sufficient to test joints against
    edges, and corners against segments, or against the joint itself where a corner projects beyond one segment and
    before the next. The mount does not touch the first length of the tube that it spares. The contacts of actuators come last, see
    `dynamics.actuator_contacts`.
    """
    soft, radius = section.most_dent > 0.0, section.radius
    count, fading, whole, thickness = 0, FADING * margin, 0.0, 0.0
    for i in range(segments):
        whole += chain.length[i]
        thickness = max(thickness, abs(chain.thickness[i]))
    # Unpacking an array from a tuple takes as long as a look-up in it: unpack each array once.
    xs, ys, cosine, sine, lengths, films = chain.x, chain.y, chain.cosine, chain.sine, chain.length, chain.film
    edges, edge_offsets, edge_items = scene.edges, scene.edge_offsets, scene.edge_items
    corners, corner_offsets, corner_items = scene.corners, scene.corner_offsets, scene.corner_items
    solids, reached = len(edges) + len(corners), 0.0
    for i in range(segments):
        reached += lengths[i]
        x, y = xs[i + 1], ys[i + 1]
        ux, uy = cosine[i], sine[i]
        last = i == segments - 1
        cell = cell_of(scene, x, y)
        # Each joint holds the tube half of the next segment's length before and behind it; the one at the tip holds the cap.
        length = 0.0 if last else films[i + 1]
        for item in range(edge_offsets[cell], edge_offsets[cell + 1]):
            edge = edge_items[item]
            rx, ry = x - edges[edge, 0], y - edges[edge, 1]
            ex, ey, wall = edges[edge, 5], edges[edge, 6], edges[edge, 7]
            along = rx * ex + ry * ey
            beyond = 0.5 * length * abs(ex * ux + ey * uy) if soft and not last else 0.0
            if along < -beyond or along > wall + beyond:
                continue
            offset = ex * ry - ey * rx
            gap = abs(offset) - radius - edges[edge, 4]
            # The far side of a thin obstacle would press on a soft tube through the near one.
            if gap < margin and not reached < edges[edge, 8] and not (soft and offset > 0.0 and edges[edge, 9] > 0.0):
                flip = 1.0 if offset >= 0.0 else -1.0
                nx, ny = -flip * ey, flip * ex
                growth = nx * ux + ny * uy if last else 0.0
                cap = _on_cap(section, -growth * abs(offset)) if last else 0.0
                press = Press(length, cap, reached, -1.0, section.most_dent)
                if soft:
                    press = _beside(press, along, wall, beyond, ex * ux + ey * uy > 0.0)
                    if press.length + press.tip < SHORTEST * radius:
                        continue
                count = add(contacts, count, (0, i), i * solids + edge, gap, ((x, y), (nx, ny)), growth, press)
        for item in range(corner_offsets[cell], corner_offsets[cell + 1]):
            corner = corner_items[item]
            rx, ry = corners[corner, 0] - x, corners[corner, 1] - y
            reach = radius + corners[corner, 2] + margin
            along = rx * ux + ry * uy
            key = i * solids + len(edges) + corner
            sharp = corners[corner, 2] <= radius
            at = reached + min(max(along, -lengths[i]), 0.0)
            cap = _on_cap(section, at - whole)
            press = Press(section.cap - cap, cap, at, float(corner), section.most_dent)
            if soft and not sharp:
                # A soft tube lies on a round obstacle as on an edge: each joint has its own length of it.
                distance = math.sqrt(rx * rx + ry * ry)
                if distance < reach and not reached < corners[corner, 3]:
                    nx, ny, gap = -rx / distance, -ry / distance, distance - reach + margin
                    growth = nx * ux + ny * uy if last else 0.0
                    cap = _on_cap(section, -growth * (gap + radius)) if last else 0.0
                    if length + cap < SHORTEST * radius:
                        continue
                    press = Press(length, cap, reached, -1.0, section.most_dent)
                    count = add(contacts, count, (0, i), key, gap, ((x, y), (nx, ny)), growth, press)
                continue
            if along <= 0.0:
                offset = ux * ry - uy * rx
                if abs(offset) >= reach or reached + along < corners[corner, 3]:
                    continue
                if along < -lengths[i]:
                    # A pressed contact that slides past an end of a segment fades instead of vanishing.
                    sx, sy = corners[corner, 0] - xs[i], corners[corner, 1] - ys[i]
                    distance = math.sqrt(sx * sx + sy * sy)
                    gap = distance - reach + margin
                    if gap < fading and i > 0:
                        nx, ny = -sx / distance, -sy / distance
                        count = add(contacts, count, (0, i - 1), key, gap, ((xs[i], ys[i]), (nx, ny)), 0.0, press)
                    continue
                flip, gap = -1.0 if offset >= 0.0 else 1.0, abs(offset) - reach + margin
                point, normal = (x + along * ux, y + along * uy), (-flip * uy, flip * ux)
                count = add(contacts, count, (0, i), key, gap, (point, normal), 0.0, press)
            else:
                distance = math.sqrt(rx * rx + ry * ry)
                outside = last or rx * cosine[i + 1] + ry * sine[i + 1] < 0.0
                if distance < (reach if outside else reach - margin + fading) and not reached < corners[corner, 3]:
                    nx, ny = -rx / distance, -ry / distance
                    growth, gap = nx * ux + ny * uy if last else 0.0, distance - reach + margin
                    count = add(contacts, count, (0, i), key, gap, ((x, y), (nx, ny)), growth, press)
    if soft:
        count = give_way(section, contacts, count, chain, margin)
    else:
        hold_rigid(section, contacts, 0, count)
    return (
        count if thickness == 0.0 else add_actuator_contacts(scene, section, margin, chain, segments, contacts, count)
    )
