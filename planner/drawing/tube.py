"""The drawn tube: its outline at true width, its coloured sections and the cells of their actuators, in millimetres.

The tube is cut across into pieces that bend too little to overlap themselves; every piece is a plain polygon. Consecutive
pieces form a strand, which has one outline, until a piece overlaps an earlier one of the strand: there a new strand begins,
which is drawn over the earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

import numpy as np
import shapely
from matplotlib.patches import Circle, Patch, PathPatch
from matplotlib.path import Path
from shapely.plotting import patch_from_polygon

from planner.design.design import Design, Section, find_overlap
from planner.drawing.course import DrawnCourse
from planner.drawing.profile import Profile, profile_of
from planner.drawing.style import ACTUATOR, FAINT, INK, OFF, OUTLINE, OVERLAP, TUBE
from surrogate.kernels.compiled import Floats

PIECE, FOOT = math.radians(60), math.radians(20)
"""Maximum bend of a piece, and of the first piece beyond its first joint [rad]."""
TOWARDS = math.radians(80)
"""Maximum angle between a piece and a cut that limits it [rad]: at a right angle it could lie beyond the cut."""
SEAM = 0.02
"""Overlap of consecutive pieces, so that their union has no slit [mm]."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of tube between two straight cuts across it."""

    body: shapely.Polygon
    section: int
    cells: shapely.Geometry
    """The part of its actuator, or its folds; empty without them."""
    cuts: list[shapely.LineString]
    """Lines through its first and last cut, longer than the tube is wide."""
    begins: bool
    """Whether a section other than the first begins with it."""


def tube_patches(design: Design, joints: Floats, heading: float | None = None) -> list[Patch]:
    """Return the tube along a centreline at its true width, with coloured sections and the cells of their actuators.

    Args:
        joints: Joints from base to tip [m], shape (n, 2); may be shorter than the design.
        heading: Direction in which the tube leaves its base [rad]; None is that of the first segment.
    Returns:
        Patches in millimetres, from back to front, by gid: `section k`, k from 0, and `actuator k` or `folds k`, both more than once
        if the tube lies over the section; `outline`, once for each strand, with a line where two sections meet; `find_overlap`, where the
        tube overlaps itself; and `tip`, the point that must reach the goal.
    """
    if len(joints) < 2 or not np.ptp(joints, axis=0).any():
        return []
    radius = 1e3 * design.params.radius
    course = DrawnCourse.of(design, joints, heading)
    strands, patches = _strands(_cut_pieces(design, course, radius), radius), list[Patch]()
    for strand in strands:
        for section, some in groupby(strand, lambda piece: piece.section):
            own, made = list(some), design.sections[section]
            body = _union(piece.body for piece in own)
            patches.append(_fill(body, f"section {section}", TUBE[made.side if made.on else "none"]))
            cells, gid = _union(piece.cells for piece in own), f"{'folds' if made.preformed else 'actuator'} {section}"
            if cells.area and made.on:
                patches.append(_fill(cells, gid, colour_of(made)))
            elif cells.area:
                patches.append(patch_from_polygon(cells, gid=gid, zorder=5, **OFF))
        path = _outline(strand, first=strand is strands[0], last=strand is strands[-1])
        patches.append(PathPatch(path, gid="outline", zorder=5, fill=False, **OUTLINE))
    doubled = shapely.transform(find_overlap(joints, design.params.radius), lambda corners: 1e3 * corners)
    if doubled.area:
        patches.append(patch_from_polygon(doubled, gid="overlap", zorder=6, **OVERLAP))
    tip = course.points[-1]
    return [*patches, Circle((tip[0], tip[1]), 0.14 * radius, gid="tip", zorder=6, facecolor=INK, linewidth=0)]


def colour_of(section: Section) -> str:
    """Return the colour of a section's actuator or folds, and of its number."""
    return ACTUATOR[section.side] if section.on else FAINT


def _union(shapes: Iterable[shapely.Geometry]) -> shapely.Geometry:
    """Return the union, without the points and lines that an intersection may leave."""
    return shapely.union_all(list(shapes)).buffer(0)


def _fill(shape: shapely.Geometry, gid: str, colour: str) -> Patch:
    return patch_from_polygon(shape, gid=gid, zorder=5, facecolor=colour, linewidth=0)


def _cut_pieces(design: Design, course: DrawnCourse, radius: float) -> Iterator[_Piece]:
    """Cut the tube into pieces, from the base to the tip."""
    parts, profiles = list(_parts(design, course, radius)), [profile_of(one, design.params) for one in design.sections]
    for i, (k, part) in enumerate(parts):
        # Near a sharp bend, a piece may reach beyond the next but one cut on the inside of the bend.
        later = _limiting_parts(part, [other for _, other in parts[i:-1]], -1, radius)
        earlier = _limiting_parts(part, [other for _, other in parts[i::-1]], 0, radius)
        cuts = [(other.points[-1], other.heading[-1] + np.pi) for other in later]
        cuts += [(other.points[0], other.heading[0]) for other in earlier]
        body = _body(part, cuts, radius, tip=i == len(parts) - 1)
        across = _across(part)
        ends, beside = part.points[[0, -1]], profiles[k]
        lines = shapely.linestrings(np.stack([ends - 2 * radius * across, ends + 2 * radius * across], axis=1))
        cells = shapely.Polygon() if beside is None else _beside(part, cuts, beside, body)
        begins = k > 0 and part.along[0] <= 1e3 * design.sections[k].start
        yield _Piece(body, k, cells, list(lines), begins)


def _parts(design: Design, course: DrawnCourse, radius: float) -> Iterator[tuple[int, DrawnCourse]]:
    """Return the course between cuts, with its section: cut where a section ends, and wherever it has bent by `PIECE`."""
    length = float(course.along[-1])
    for k, section in enumerate(design.sections):
        first, end = 1e3 * section.start, min(1e3 * section.end, length)
        if first >= length - 1e-6:
            return
        if end > length - 1e-6 or k == len(design.sections) - 1:
            end = length
        part = course.between(first, end)
        bent = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(part.heading)))])
        count = max(math.ceil(bent[-1] / PIECE - 1e-9), 1)
        ends = [first, *part.along[np.searchsorted(bent, bent[-1] * np.arange(1, count) / count)], end]
        if k == 0:
            foot = min(_foot(course, radius), end)
            ends = [first, foot, *[one for one in ends if one > foot]]
        yield from ((k, course.between(a, b)) for a, b in pairwise(ends) if b > a)


def _limiting_parts(part: DrawnCourse, others: Sequence[DrawnCourse], end: int, radius: float) -> list[DrawnCourse]:
    """Return the parts, of a part and its neighbours, whose cut at one end limits it: near cuts, towards which all of it
    runs."""
    near = takewhile(lambda other: abs(other.along[end] - part.along[end]) < 2 * radius, others)
    return [one for one in near if one is part or np.abs(part.heading - one.heading[end]).max() < TOWARDS]


def _foot(course: DrawnCourse, radius: float) -> float:
    """Return the distance from the base to the end of the first piece [mm], whose edges turn from the base's heading to the
    tube's."""
    turned = np.abs(course.heading - course.heading[1])
    turned[0] = 0
    return float(min(1.5 * radius, course.along[int(np.argmax(turned > FOOT))] or np.inf))


def _across(part: DrawnCourse) -> Floats:
    """Return the left normals at both ends of a part, shape (2, 2)."""
    return np.stack([-np.sin(part.heading), np.cos(part.heading)], axis=-1)[[0, -1]]


def _body(part: DrawnCourse, cuts: Sequence[tuple[Floats, float]], radius: float, tip: bool) -> shapely.Geometry:
    """Return the tube along a part of the course [mm], with the half disc at the tip.

    Args:
        cuts: A point of each cut that limits the piece, and the direction in which the piece lies.
    """
    ends, across = part.points[[0, -1]], _across(part)
    ahead = np.stack([across[:, 1], -across[:, 0]], axis=-1)
    far = _far(part, radius)
    if part.along[0] == 0:
        edges = [_edge(ends + side * radius * across, ahead) for side in (1, -1)]
        body = shapely.make_valid(shapely.Polygon(np.concatenate([edges[0], edges[1][::-1]])))
    else:
        # The ends are lengthened before they are cut, so that the cut alone decides where they are.
        line = np.array([ends[0] - 0.1 * radius * ahead[0], *part.points, ends[1] + 0.1 * radius * ahead[1]])
        body = shapely.LineString(line).buffer(radius, cap_style="flat", quad_segs=16)
    body = _cut(body, cuts, far)
    if tip:
        body = body.intersection(_half_plane(ends[1], -ahead[1], far))
        body = body.union(shapely.Point(ends[1]).buffer(radius, quad_segs=32) & _half_plane(ends[1], ahead[1], far))
    return body


def _beside(
    part: DrawnCourse, cuts: Sequence[tuple[Floats, float]], profile: Profile, body: shapely.Geometry
) -> shapely.Geometry:
    """Return what lies along a part of the course [mm]: beside the tube as far as the cuts, or within its body."""
    inner, outer = profile.between(*part.along[[0, -1]]).along_course(part)
    # Slice by slice: inside a sharp bend slices overlap.
    slices = shapely.polygons(np.stack([outer[:-1], outer[1:], inner[1:], inner[:-1]], axis=1))
    found = shapely.union_all(shapely.make_valid(slices))
    return _cut(found, cuts, _far(part, float(profile.outer.max()))) if profile.inflated else found.intersection(body)


def _far(part: DrawnCourse, reach: float) -> float:
    """Return a length that is more than the size of a part that reaches so far to its sides [mm]."""
    return 4 * reach + float(np.abs(part.points[-1] - part.points[0]).sum())


def _cut(shape: shapely.Geometry, cuts: Sequence[tuple[Floats, float]], far: float) -> shapely.Geometry:
    """Return the part of a shape within its cuts: see `_body`."""
    for point, towards in cuts:
        shape = shape.intersection(_half_plane(point, np.array([math.cos(towards), math.sin(towards)]), far))
    return shape


def _half_plane(corner: Floats, ahead: Floats, far: float) -> shapely.Polygon:
    """Return the area ahead of a cut, up to a distance, and slightly more, so that the union of two pieces has no slit."""
    across, near = far * np.array([-ahead[1], ahead[0]]), corner - SEAM / 2 * ahead
    return shapely.Polygon([near + across, near - across, near - across + far * ahead, near + across + far * ahead])


def _edge(ends: Floats, ahead: Floats) -> Floats:
    """Return a cubic between two points with the given directions at its ends, shape (n, 2)."""
    t, chord = np.linspace(0, 1, 16)[:, None], float(np.hypot(*(ends[1] - ends[0])))
    straight = (1 + 2 * t) * (1 - t) ** 2 * ends[0] + (3 - 2 * t) * t**2 * ends[1]
    return np.asarray(straight + chord * t * (1 - t) * ((1 - t) * ahead[0] - t * ahead[1]))


def _strands(pieces: Iterable[_Piece], radius: float) -> list[list[_Piece]]:
    """Group consecutive pieces that do not overlap one another."""
    strands: list[list[_Piece]] = []
    for piece in pieces:
        earlier = [other.body for other in strands[-1][:-1]] if strands else []
        over = shapely.area(shapely.intersection(earlier, piece.body)) > 0.25 * radius**2
        if not strands or np.any(over):
            strands.append([])
        strands[-1].append(piece)
    return strands


def _outline(strand: Sequence[_Piece], first: bool, last: bool) -> Path:
    """Return the outline of a strand, open where the tube continues in another one, and the lines where two sections meet."""
    edge = _union(piece.body for piece in strand).boundary
    passages = [*([] if first else [strand[0].cuts[0]]), *([] if last else [strand[-1].cuts[1]])]
    edge = edge.difference(shapely.union_all(passages).buffer(2 * SEAM))
    parts = [edge if shapely.get_num_geometries(edge) == 1 else shapely.line_merge(edge)]
    parts += [piece.cuts[0].intersection(piece.body.buffer(SEAM)) for piece in strand if piece.begins]
    lines = shapely.get_parts(parts)
    return Path.make_compound_path(*[Path(np.array(line.coords), closed=line.is_closed) for line in lines])
