"""Room that inflated actuators need, in words: narrow passages, and obstacles and parts of the tube that squeeze them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.self_contact import APART
from environments.environment import Environment
from planner.design.clearances import Clearance, clearances
from planner.design.design import Design, Section
from planner.drawing.course import DrawnCourse
from planner.drawing.profile import profile_of
from planner.output.text import plural
from surrogate.kernels.compiled import Floats

LEAST_DEPTH, LEAST_LENGTH = 1e-3, 10e-3
"""Depth to which an actuator must lie in an obstacle, and the length of film along which it must lie deeper, to be named [m]; one cell
is enough if it is shorter."""
MOST_NAMED = 3
"""Maximum number of obstacles that are named."""
OWN_BODY = "the tube's own body"
"""Name of the tube among what squeezes its actuators."""
PIECE = 0.5
"""Length of the pieces of a tube that its actuators are compared with, in tube radii."""


@dataclass(frozen=True, slots=True)
class Squeeze:
    """An obstacle, or another part of the tube, in which the inflated actuator of a section lies, at its thickness in free space."""

    section: int
    """Index of the section in the design."""
    obstacle: str
    """Name of the obstacle, as in its file: "box 6"; or `OWN_BODY`."""
    depth: float
    """Largest depth of the edge of the actuator in the obstacle, across the tube [m]."""
    at: Floats
    """Position of its edge where the actuator is deepest in it [m], shape (2,)."""


def room_notes(design: Design, environment: Environment, origin: Floats | None = None) -> list[str]:
    """Return sentences, without capital and stop, about places where a design has too little room for its inflated actuators.

    The narrowest passage of each section that needs more comes first, from the base on; then the obstacles that squeeze an actuator most.

    Args:
        design: With its centreline in this environment.
        origin: Position that places are told from [m], shape (2,); None for the origin of the environment.
    """
    tight, datum = _tight(design, environment), np.zeros(2) if origin is None else origin
    notes = []
    for k in dict.fromkeys(one.section for one in tight):
        narrow = sorted((one for one in tight if one.section == k), key=lambda one: one.spare)
        x, y = 1e3 * (narrow[0].passage.middle - datum)
        others = f" ({plural(len(narrow) - 1, 'other')} narrower than it needs)" if len(narrow) > 1 else ""
        notes.append(
            f"section {_number(design, k)} needs {1e3 * narrow[0].needed:.0f} mm with its actuator inflated, and the passage at "
            f"({x:.0f}, {y:.0f}) mm is {1e3 * narrow[0].passage.width:.0f} mm wide{others}: walls squeeze the actuator there; a section "
            "that ends, or is vented, before it is not"
        )
    found = _squeezes(design, environment, tight)
    for squeeze in found[:MOST_NAMED]:
        x, y = 1e3 * (squeeze.at - datum)
        notes.append(
            f"section {_number(design, squeeze.section)}'s inflated actuator is squeezed by {squeeze.obstacle} by up to "
            f"{1e3 * squeeze.depth:.0f} mm at ({x:.0f}, {y:.0f}) mm"
            f"{': the model lets it overlap there' if squeeze.obstacle == OWN_BODY else ''}"
        )
    if (more := len(found) - MOST_NAMED) > 0:
        notes[-1] += f"; {plural(more, 'more place')} by less"
    return notes


def _number(design: Design, k: int) -> int:
    """Number of the actuator of a section, as in pictures: counted from 1 at the base."""
    return sum(section.actuated for section in design.sections[: k + 1])


def squeezes(design: Design, environment: Environment) -> list[Squeeze]:
    """Return the obstacles, and other parts of the tube, that squeeze inflated actuators, from the deepest on.

    There is one for each section and obstacle, and one for each section and all other parts of the tube.

    The actuators are those of the picture of the design, at their thickness in free space, along its centreline. The sides of a
    passage that is too narrow for a section (`clearances`) are left out for that section, and what the base is mounted in along
    the first diameter of the tube.

    Args:
        design: With its centreline in this environment.
    """
    return _squeezes(design, environment, _tight(design, environment))


def _tight(design: Design, environment: Environment) -> list[Clearance]:
    """Return the passages that are too narrow for an inflated actuator."""
    bare = 2 * design.params.radius
    return [one for one in clearances(design, environment) if one.spare < 0 and one.needed > bare]


def _squeezes(design: Design, environment: Environment, tight: Sequence[Clearance]) -> list[Squeeze]:
    solids, drawn = environment.solids, design.drawn_at(design.length)
    if len(design.centerline) < 2 or not np.ptp(design.centerline, axis=0).any():
        return []
    course = DrawnCourse.of(drawn, design.centerline, float(environment.start[2]))
    shapes, mounted = np.array(solids.shapes(), dtype=object), environment.mounted
    noted = {(one.section, side) for one in tight for side in solids.nearest(one.passage.ends)}
    tree, pieces, found = shapely.STRtree(shapes), _pieces(drawn, course), []
    for k, section in enumerate(drawn.sections):
        rays = _rays(section, drawn, course)
        found += _on_own_body(k, section, rays, pieces, design.params.radius)
        ray, shape = tree.query(rays.lines, predicate="intersects")
        # What the base is mounted in does not touch the first diameter of the tube.
        touched = ~mounted[shape] | (rays.along[ray] >= 2 * design.params.radius)
        for one in np.unique(shape[touched]):
            hit = ray[touched & (shape == one)]
            entry = _first_points(rays.lines[hit], shapes[one])
            depth = _depths(rays.lines[hit], entry)
            long = rays.share[hit[depth > LEAST_DEPTH]].sum() > min(LEAST_LENGTH, section.l_0)
            if long and (k, one) not in noted:
                deepest = int(depth.argmax())
                found.append(Squeeze(k, solids.name(one), float(depth[deepest]), entry[deepest]))
    return sorted(found, key=lambda one: -one.depth)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Pieces of a tube, each with the inflated actuator that lies beside it."""

    tree: shapely.STRtree
    """The pieces [m], n of them."""
    first: Floats
    """Distance of the beginning of each from the base, along the film [m], shape (n,)."""
    last: Floats
    """Distance of its end [m], shape (n,)."""


def _pieces(design: Design, course: DrawnCourse) -> _Pieces:
    radius, whole = 1e3 * design.params.radius, float(course.along[-1])
    ends = np.linspace(0, whole, int(np.ceil(whole / (PIECE * radius))) + 1)
    lines = [shapely.LineString(course.between(*piece).points) for piece in pairwise(ends)]
    shapes = shapely.buffer(lines, radius, cap_style="flat")
    for section in design.sections:
        profile = profile_of(section, design.params)
        if profile is None or not profile.inflated:
            continue
        first, last = 1e3 * section.start, 1e3 * section.end
        for k in np.flatnonzero((ends[:-1] < last) & (first < ends[1:])):
            inner, outer = profile.between(max(ends[k], first), min(ends[k + 1], last)).along_course(course)
            shapes[k] = shapes[k].union(shapely.Polygon(np.concatenate([inner, outer[::-1]])).buffer(0))
    shapes = shapely.transform(shapes, lambda points: 1e-3 * points)
    return _Pieces(shapely.STRtree(shapes), 1e-3 * ends[:-1], 1e-3 * ends[1:])


def _on_own_body(k: int, section: Section, rays: _Rays, pieces: _Pieces, radius: float) -> list[Squeeze]:
    """Return where an actuator lies deepest in other parts of the tube: those as far along the film as parts that can touch."""
    ray, piece = pieces.tree.query(rays.lines, predicate="intersects")
    apart = np.maximum(pieces.first[piece] - rays.along[ray], rays.along[ray] - pieces.last[piece])
    ray, piece = ray[apart >= APART * radius], piece[apart >= APART * radius]
    if not ray.size:
        return []
    entry = _first_points(rays.lines[ray], pieces.tree.geometries[piece])
    depth = _depths(rays.lines[ray], entry)
    long = rays.share[np.unique(ray[depth > LEAST_DEPTH])].sum() > min(LEAST_LENGTH, section.l_0)
    deepest = int(depth.argmax())
    return [Squeeze(k, OWN_BODY, float(depth[deepest]), entry[deepest])] if long else []


@dataclass(frozen=True, slots=True)
class _Rays:
    """Lines across an inflated actuator, from the tube outwards."""

    lines: NDArray[np.object_]
    """Lines [m], shape (n,)."""
    along: Floats
    """Distance of each from the base, along the film [m], shape (n,)."""
    share: Floats
    """Length of film that each stands for [m], shape (n,)."""


def _rays(section: Section, design: Design, course: DrawnCourse) -> _Rays:
    """Return lines across the drawn actuator of a section, as far as the tube has grown; none without pressure."""
    profile, first, last = profile_of(section, design.params), 1e3 * section.start, 1e3 * section.end
    last = min(last, float(course.along[-1]))
    if profile is None or not profile.inflated or last <= first:
        return _Rays(np.empty(0, object), np.empty(0), np.empty(0))
    part = profile.between(first, last)
    lines = shapely.linestrings(1e-3 * np.stack(part.along_course(course), axis=1))
    along = 1e-3 * part.along
    return _Rays(lines, along, np.diff(along, prepend=along[0]) / 2 + np.diff(along, append=along[-1]) / 2)


def _depths(lines: NDArray[np.object_], entry: Floats) -> Floats:
    """Return the lengths of lines beyond points on them [m], shape (n,)."""
    return np.asarray(shapely.length(lines) - shapely.line_locate_point(lines, shapely.points(entry)))


def _first_points(lines: NDArray[np.object_], shape: shapely.Geometry | NDArray[np.object_]) -> Floats:
    """Return the points where lines first meet a shape, or each its own [m], shape (n, 2)."""
    nearest = shapely.shortest_line(shapely.get_point(lines, 0), shapely.intersection(lines, shape))
    return np.asarray(shapely.get_coordinates(shapely.get_point(nearest, 1)))
