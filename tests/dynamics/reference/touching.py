"""Contacts for the reference solver: all joints against all faces, all corners against all links, nothing left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from environments.environment import Environment
from tests.dynamics.reference.shape import Floats, Shape, left

FACE, POINT, SIDE = range(3)
"""A joint at a face, a joint at a corner or circle, and a side of a link at one."""
END = 1_000_000
"""Added to the index of a face, once or twice, for a joint at its beginning or end."""


@dataclass(frozen=True, slots=True)
class Solids:
    """Faces and points of everything solid, thickened by a radius."""

    begin: Floats
    """Where each face begins [m], shape (faces, 2)."""
    face: Floats
    """Unit vector along each face, shape (faces, 2)."""
    extent: Floats
    """Length of each face [m]."""
    thick: Floats
    """Radius of each face [m]: half the thickness of a wall, 0 of a polygon's."""
    both: NDArray[np.bool_]
    """Whether a face has two sides, as walls do; those of polygons face right of their direction."""
    points: Floats
    """Convex corners, centres of circles, ends of walls [m], shape (points, 2)."""
    round: Floats
    """Radius about each point [m]."""


def solids_of(environment: Environment) -> Solids:
    """Faces and points of an environment in which no mount or table counts."""
    if environment.mount != "free" or environment.edge == "table":
        raise ValueError(
            f"{environment.name} has a mount or is a table: the reference solves only vines with a free base"
        )
    obstacles = environment.solids
    faces, points = [np.empty((0, 6))], [np.empty((0, 3))]
    union = shapely.unary_union([shapely.Polygon(corners) for corners in obstacles.polygons]).normalize()
    for part in shapely.get_parts(union):
        for ring, solid_left in [(part.exterior, True), *((hole, False) for hole in part.interiors)]:
            corners = shapely.get_coordinates(ring)[:-1]
            if shapely.is_ccw(ring) != solid_left:
                corners = corners[::-1]
            onward = np.roll(corners, -1, axis=0) - corners
            arriving = np.roll(onward, 1, axis=0)
            faces.append(np.column_stack([corners, corners + onward, np.zeros((len(corners), 2))]))
            sine = arriving[:, 0] * onward[:, 1] - arriving[:, 1] * onward[:, 0]
            convex = sine > 1e-9 * np.hypot(*arriving.T) * np.hypot(*onward.T)
            points.append(np.column_stack([corners[convex], np.zeros(convex.sum())]))
    walls = obstacles.walls
    faces.append(np.column_stack([walls[:, :4], walls[:, 4] / 2, np.ones(len(walls))]))
    points += [np.column_stack([walls[:, k : k + 2], walls[:, 4] / 2]) for k in (0, 2)]
    points.append(obstacles.circles)
    rows, discs = np.vstack(faces), np.vstack(points)
    onward = rows[:, 2:4] - rows[:, :2]
    extent = np.hypot(*onward.T)
    return Solids(
        rows[:, :2],
        onward / extent[:, None],
        extent,
        rows[:, 4],
        rows[:, 5] > 0,
        discs[:, :2].copy(),
        discs[:, 2].copy(),
    )


@dataclass(frozen=True, slots=True)
class Touching:
    """Contacts of a vine, one per row."""

    kind: NDArray[np.int64]
    link: NDArray[np.int64]
    """The contact moves with the bends 0 ... link."""
    solid: NDArray[np.int64]
    """Index of the face or point, or of the face plus `END`."""
    gap: Floats
    """Between the surfaces [m]."""
    normal: Floats
    """Out of the solid, shape (rows, 2)."""
    place: Floats
    """The point of the tube's axis that touches [m], shape (rows, 2)."""
    away: Floats
    """Distance of that point from the centre of a corner [m]; of no meaning at a face."""

    @property
    def keys(self) -> list[tuple[int, int, int]]:
        """Identity of each contact from one step to the next."""
        return list(zip(self.kind.tolist(), self.link.tolist(), self.solid.tolist(), strict=True))


def touching(solids: Solids, shape: Shape, radius: float, margin: float) -> Touching:
    """All contacts with a gap below the margin [m], of a tube of a radius [m].

    Each joint has a distance to each face, each link to each point, ends included: so no gap jumps where a vine slides past an
    end, though several contacts may then describe the same place.
    """
    ends, starts, along = shape.joints[1:], shape.joints[:-1], shape.along
    reach = radius + margin
    low, high = shape.joints.min(axis=0) - reach, shape.joints.max(axis=0) + reach

    def close(one: Floats, other: Floats, thick: Floats) -> NDArray[np.int64]:
        over = np.minimum(one, other) - thick[:, None] < high
        return np.flatnonzero((over & (np.maximum(one, other) + thick[:, None] > low)).all(axis=1))

    def between(joint: NDArray[np.int64], centre: Floats, thick: Floats, name: NDArray[np.int64]) -> tuple[Floats, ...]:
        """Rows of joints (by number, the base is 0) at points."""
        apart = shape.joints[joint] - centre
        away = np.hypot(apart[:, 0], apart[:, 1])
        some = (away < reach + thick) & (joint > 0)
        joint, apart, away = joint[some], apart[some], away[some]
        kind, gap = np.full(len(joint), POINT), away - radius - thick[some]
        return kind, joint - 1, name[some], gap, apart / away[:, None], shape.joints[joint], away

    near = close(solids.begin, solids.begin + solids.extent[:, None] * solids.face, solids.thick)
    begin, face, extent = solids.begin[near], solids.face[near], solids.extent[near]
    to_end_x, to_end_y = (ends[:, k, None] - begin[:, k] for k in (0, 1))
    run = to_end_x * face[:, 0] + to_end_y * face[:, 1]
    # The right of a face is out of the solid.
    off = to_end_x * face[:, 1] - to_end_y * face[:, 0]
    side = np.where(solids.both[near] & (off < 0), -1.0, 1.0)
    # What is far behind a face is on another side of the solid.
    height = side * off - solids.thick[near]
    level = (height < reach) & (height > -radius / 2)
    found = level & (run >= 0) & (run <= extent)
    link, solid = np.nonzero(found)
    outward, gap = -left(face)[solid] * side[found][:, None], height[found] - radius
    parts = [(np.full(len(link), FACE), link, near[solid], gap, outward, ends[link], np.ones(len(link)))]
    for last, past in enumerate((run < 0, run > extent)):
        link, solid = np.nonzero(level & past & (np.abs(run - last * extent) < reach + solids.thick[near]))
        centre = begin[solid] + last * extent[solid, None] * face[solid]
        parts.append(between(link + 1, centre, solids.thick[near[solid]], END * (1 + last) + near[solid]))

    near = close(solids.points, solids.points, solids.round)
    thick = solids.round[near]
    to_x, to_y = (solids.points[near, k] - starts[:, k, None] for k in (0, 1))
    run = to_x * along[:, 0, None] + to_y * along[:, 1, None]
    off = along[:, 0, None] * to_y - along[:, 1, None] * to_x
    level = np.abs(off) < reach + thick
    found = level & (run >= 0) & (run <= shape.length[:, None])
    link, solid = np.nonzero(found)
    away = np.abs(off[found])
    outward = -np.sign(off[found])[:, None] * left(along)[link]
    foot = starts[link] + run[found][:, None] * along[link]
    parts.append((np.full(len(link), SIDE), link, near[solid], away - radius - thick[solid], outward, foot, away))
    for last, past in enumerate((run < 0, run > shape.length[:, None])):
        link, solid = np.nonzero(level & past & (np.abs(run - last * shape.length[:, None]) < reach + thick))
        parts.append(between(link + last, solids.points[near[solid]], thick[solid], near[solid]))
    return Touching(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def directions(shape: Shape, contacts: Touching) -> Floats:
    """Derivative of each gap by each bend [m/rad], shape (rows, n)."""
    place, normal = contacts.place, contacts.normal
    lever = place[:, None] - shape.joints[:-1]
    turn = normal[:, 1, None] * lever[..., 0] - normal[:, 0, None] * lever[..., 1]
    turn += (normal @ shape.along.T) * shape.stretch
    return np.where(np.arange(len(shape.length)) <= contacts.link[:, None], turn, 0.0)


def curvature_of_gaps(shape: Shape, contacts: Touching, force: Floats) -> Floats:
    """Second derivative by the bends of the gaps, each times its force, summed [N m/rad], shape (n, n)."""
    count = len(shape.length)
    total, diagonal, by_later = np.zeros((count, count)), np.zeros(count), np.zeros(count)
    normals = left(shape.along)
    pivots = shape.joints[:-1] + shape.stretch[:, None] * normals
    for k in np.flatnonzero(force > 0):
        link, normal, load = contacts.link[k], contacts.normal[k], force[k]
        point, last = contacts.place[k], link
        if contacts.kind[k] == SIDE:
            # The line of the link counts, not a point of it: its start, its direction, and how they go together.
            point, last = shape.joints[link], link - 1
            along = shape.along[link]
            start = np.zeros(link + 1)
            if link:
                start[:link] = shape.moves(point, last) @ along
            side = -np.sign(normal @ left(along))
            total[: link + 1, : link + 1] += load * (side * (start[:, None] + start) - contacts.away[k])
        elif contacts.kind[k] == POINT:
            across = shape.moves(point, link) @ left(normal)
            total[: link + 1, : link + 1] += load / contacts.away[k] * np.outer(across, across)
        some = slice(0, last + 1)
        by_later[some] -= load * ((point - pivots[some]) @ normal)
        diagonal[some] += load * shape.stretch[some] * (normals[some] @ normal)
        diagonal[some] += load * shape.stretch_slope[some] * (shape.along[some] @ normal)
    index = np.arange(count)
    total += by_later[np.maximum(index[:, None], index)]
    total[index, index] += diagonal
    return total
