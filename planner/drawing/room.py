"""Room that the inflated actuators of a design need, in words: narrow passages, and obstacles that actuators are squeezed by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class Squeeze:
    """An obstacle in which the inflated actuator of a section lies, at its thickness in free space."""

    section: int
    """Index of the section in the design."""
    obstacle: str
    """Name of the obstacle, as in its file: "box 6"."""
    depth: float
    """Largest depth of the edge of the actuator in the obstacle, across the tube [m]."""
    at: Floats
    """Position of the edge of the obstacle where it is deepest [m], shape (2,)."""


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
        )
    if (more := len(found) - MOST_NAMED) > 0:
        notes[-1] += f"; {plural(more, 'more place')} by less"
    return notes


def _number(design: Design, k: int) -> int:
    """Number of the actuator of a section, as in pictures: counted from 1 at the base."""
    return sum(section.actuated for section in design.sections[: k + 1])


def squeezes(design: Design, environment: Environment) -> list[Squeeze]:
    """Return the obstacles that squeeze inflated actuators, one for each section and obstacle, from the deepest on.

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
    if not len(solids) or len(design.centerline) < 2 or not np.ptp(design.centerline, axis=0).any():
        return []
    course = DrawnCourse.of(drawn, design.centerline, float(environment.start[2]))
    shapes, mounted = np.array(solids.shapes(), dtype=object), environment.mounted
    noted = {(one.section, side) for one in tight for side in solids.nearest(one.passage.ends)}
    tree, found = shapely.STRtree(shapes), []
    for k, section in enumerate(drawn.sections):
        rays = _rays(section, drawn, course)
        ray, shape = tree.query(rays.lines, predicate="intersects")
        # What the base is mounted in does not touch the first diameter of the tube.
        touched = ~mounted[shape] | (rays.along[ray] >= 2 * design.params.radius)
        for one in np.unique(shape[touched]):
            hit = ray[touched & (shape == one)]
            entry = _first_points(rays.lines[hit], shapes[one])
            depth = shapely.length(rays.lines[hit]) - shapely.line_locate_point(rays.lines[hit], shapely.points(entry))
            long = rays.share[hit[depth > LEAST_DEPTH]].sum() > min(LEAST_LENGTH, section.l_0)
            if long and (k, one) not in noted:
                deepest = int(depth.argmax())
                found.append(Squeeze(k, solids.name(one), float(depth[deepest]), entry[deepest]))
    return sorted(found, key=lambda one: -one.depth)


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


def _first_points(lines: NDArray[np.object_], shape: shapely.Geometry) -> Floats:
    """Return the points where lines first meet a shape [m], shape (n, 2)."""
    nearest = shapely.shortest_line(shapely.get_point(lines, 0), shapely.intersection(lines, shape))
    return np.asarray(shapely.get_coordinates(shapely.get_point(nearest, 1)))
