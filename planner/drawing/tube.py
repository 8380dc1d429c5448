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

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from planner.design.design import Design, Section, find_overlap
from planner.design.folds import Folds
from planner.drawing.style import ACTUATOR, FAINT, INK, OFF, OUTLINE, OVERLAP, TUBE
from surrogate.kernels.compiled import Floats

ROUNDED = 0.03
"""Maximum distance between a joint and the curve that rounds it, in tube radii."""
STEP, PIECE, FOOT = math.radians(4), math.radians(60), math.radians(20)
"""Maximum bend between two points of a rounded joint, of a piece, and of the first piece beyond its first joint [rad]."""
TOWARDS = math.radians(80)
"""Maximum angle between a piece and a cut that limits it [rad]: at a right angle it could lie beyond the cut."""
WEDGE = 0.2
"""Half the width of a drawn fold at the edge of the tube, in tube radii."""
NECK = 0.3
"""Thickness of a drawn actuator between two cells, as a share of that of a cell."""
SEAM = 0.02
"""Overlap of consecutive pieces, so that their union has no slit [mm]."""


@dataclass(frozen=True, slots=True)
class DrawnCourse:
    """The drawn centreline: the joints, each rounded over at most half of the segments next to it."""

    points: Floats
    """Shape (n, 2) [mm]."""
    along: Floats
    """Distance from the base, measured along the film as in the sections of a design [mm], shape (n,); increasing."""
    heading: Floats
    """Direction of the curve at each point [rad], continuous, shape (n,); at the base, that in which the tube leaves it."""

    @classmethod
    def of(cls, design: Design, joints: Floats, heading: float | None = None) -> DrawnCourse:
        """Round the joints.

        Args:
            design: The design whose joints they are.
            joints: Joints from the base to the tip, at least two [m], shape (n, 2).
            heading: Direction in which the tube leaves its base [rad]; None is that of the first segment.
        """
        radius, film = 1e3 * design.params.radius, 1e3 * design.film(joints, heading)
        joints = 1e3 * joints
        moves = np.diff(joints, axis=0)
        lengths = np.hypot(*moves.T)
        joints, film = joints[[True, *(lengths > 0)]], film[lengths > 0]
        moves, lengths = moves[lengths > 0], lengths[lengths > 0]
        headings = np.unwrap(np.arctan2(moves[:, 1], moves[:, 0]))
        if heading is not None:
            headings += 2 * np.pi * round((heading - headings[0]) / (2 * np.pi))
        first = headings[0] if heading is None else heading
        before, after = np.array([first, *headings[:-1]]), headings
        sharp = np.abs(np.sin((after - before) / 2))
        reach = np.minimum(np.array([lengths[0], *lengths[:-1]]), lengths) / 2
        reach = np.minimum(reach, 2 * ROUNDED * radius / np.maximum(sharp, 1e-9))
        along = np.concatenate([[0.0], np.cumsum(film)])
        counts = 2 * np.ceil(np.abs(after - before) / STEP / 2).astype(int) + 1
        counts[0] = 0
        parts = [np.array([[*joints[0], 0.0, first], [*joints[-1], along[-1], headings[-1]]])]
        for count in np.unique(counts[1:]):
            some = np.flatnonzero(counts == count)
            parts.append(_round_joint(joints[some], along[some], before[some], after[some], reach[some], count))
        rows = np.concatenate(parts)
        rows = rows[np.argsort(rows[:, 2], kind="stable")]
        rows = rows[[True, *(np.diff(rows[:, 2]) > 1e-9)]]
        return cls(rows[:, :2], rows[:, 2], rows[:, 3])

    def at(self, along: Floats) -> tuple[Floats, Floats]:
        """Return positions [mm] and left normals at distances from the base [mm]."""
        points = np.stack([np.interp(along, self.along, self.points[:, k]) for k in range(2)], axis=-1)
        heading = np.interp(along, self.along, self.heading)
        return points, np.stack([-np.sin(heading), np.cos(heading)], axis=-1)

    def between(self, first: float, last: float) -> DrawnCourse:
        """Return the course from one distance from the base to another [mm]."""
        inside = (self.along > first + 1e-6) & (self.along < last - 1e-6)
        along = np.concatenate([[first], self.along[inside], [last]])
        return DrawnCourse(self.at(along)[0], along, np.interp(along, self.along, self.heading))


def _round_joint(joints: Floats, along: Floats, before: Floats, after: Floats, reach: Floats, count: int) -> Floats:
    """Return parabolas from `reach` before each joint to `reach` after it, as rows x, y, distance from the base, heading.

    Args:
        count: Points of each parabola; odd, so that one of them is where the parabola passes its joint.
    """
    t = np.linspace(0, 1, count)[:, None] if count > 1 else np.array([[0.5]])
    (x, y), (u, v) = (np.cos(before), np.sin(before)), (np.cos(after), np.sin(after))
    behind, beyond = -reach * (1 - t) ** 2, reach * t**2
    places = joints[:, 0] + behind * x + beyond * u, joints[:, 1] + behind * y + beyond * v
    bend = after - before
    # Direction of a parabola between two tangents of equal length, relative to the first.
    turned = np.arctan2(t * np.sin(bend), 1 - t + t * np.cos(bend))
    return np.stack([*places, along + reach * (2 * t - 1), before + turned], axis=-1).reshape(-1, 4)


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
    parts = list(_parts(design, course, radius))
    for i, (k, part) in enumerate(parts):
        # Near a sharp bend, a piece may reach beyond the next but one cut on the inside of the bend.
        later = _limiting_parts(part, [other for _, other in parts[i:-1]], -1, radius)
        earlier = _limiting_parts(part, [other for _, other in parts[i::-1]], 0, radius)
        cuts = [(other.points[-1], other.heading[-1] + np.pi) for other in later]
        cuts += [(other.points[0], other.heading[0]) for other in earlier]
        yield _piece(part, cuts, k, design, tip=i == len(parts) - 1)


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


def _piece(part: DrawnCourse, cuts: Sequence[tuple[Floats, float]], k: int, design: Design, tip: bool) -> _Piece:
    """Make the piece along a part of the course, with the half disc at the tip.

    Args:
        cuts: A point of each cut that limits the piece, and the direction in which the piece lies.
    """
    params, section = design.params, design.sections[k]
    ends, radius = part.points[[0, -1]], 1e3 * params.radius
    ahead = np.stack([np.cos(part.heading), np.sin(part.heading)], axis=-1)[[0, -1]]
    across = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    far = 4 * radius + float(np.abs(ends[1] - ends[0]).sum())
    if part.along[0] == 0:
        edges = [_edge(ends + side * radius * across, ahead) for side in (1, -1)]
        body = shapely.make_valid(shapely.Polygon(np.concatenate([edges[0], edges[1][::-1]])))
    else:
        # The ends are lengthened before they are cut, so that the cut alone decides where they are.
        line = np.array([ends[0] - 0.1 * radius * ahead[0], *part.points, ends[1] + 0.1 * radius * ahead[1]])
        body = shapely.LineString(line).buffer(radius, cap_style="flat", quad_segs=16)
    for point, towards in cuts:
        body = body.intersection(_half_plane(point, np.array([math.cos(towards), math.sin(towards)]), far))
    if tip:
        body = body.intersection(_half_plane(ends[1], -ahead[1], far))
        body = body.union(shapely.Point(ends[1]).buffer(radius, quad_segs=32) & _half_plane(ends[1], ahead[1], far))
    cells, thickness = shapely.Polygon(), drawn_thickness(section, params)
    if section.actuated and thickness:
        cells = _inflated_cells(part, section, radius, thickness)
        for point, towards in cuts:
            ahead_of_cut = np.array([math.cos(towards), math.sin(towards)])
            cells = cells.intersection(_half_plane(point, ahead_of_cut, far + thickness))
    elif section.actuated:
        cells = shapely.make_valid(shapely.Polygon(_cells(part, section, radius))).intersection(body)
    elif section.preformed:
        cells = shapely.make_valid(shapely.MultiPolygon(_folds(part, section, params))).intersection(body)
    lines = list(shapely.linestrings(np.stack([ends - 2 * radius * across, ends + 2 * radius * across], axis=1)))
    return _Piece(body, k, cells, lines, begins=k > 0 and part.along[0] <= 1e3 * section.start)


def _half_plane(corner: Floats, ahead: Floats, far: float) -> shapely.Polygon:
    """Return the area ahead of a cut, up to a distance, and slightly more, so that the union of two pieces has no slit."""
    across, near = far * np.array([-ahead[1], ahead[0]]), corner - SEAM / 2 * ahead
    return shapely.Polygon([near + across, near - across, near - across + far * ahead, near + across + far * ahead])


def _edge(ends: Floats, ahead: Floats) -> Floats:
    """Return a cubic between two points with the given directions at its ends, shape (n, 2)."""
    t, chord = np.linspace(0, 1, 16)[:, None], float(np.hypot(*(ends[1] - ends[0])))
    straight = (1 + 2 * t) * (1 - t) ** 2 * ends[0] + (3 - 2 * t) * t**2 * ends[1]
    return np.asarray(straight + chord * t * (1 - t) * ((1 - t) * ahead[0] - t * ahead[1]))


def drawn_thickness(section: Section, params: VineParams) -> float:
    """Return how far the actuator of a section stands out from the tube [mm]; 0 without pressure."""
    if not (section.actuated and section.on):
        return 0.0
    return 1e3 * abs(float(signed_thickness(params, section.signed_pressure, section.l_0, section.kind)))


def _inflated_cells(part: DrawnCourse, section: Section, radius: float, thickness: float) -> shapely.Geometry:
    """Return a part of an inflated actuator beside the tube [mm]: a row of cells of true length and thickness."""
    cell = max(1e3 * section.l_0, 1.0)
    first, last = part.along[[0, -1]]
    along = np.linspace(first, last, int(np.clip(16 * (last - first) / cell, 2, 5000)))
    middle, normal = part.at(along)
    side = normal if section.side == "left" else -normal
    swell = np.sqrt(np.abs(np.sin(np.pi * (along - 1e3 * section.start) / cell)))[:, None]
    outer = middle + (radius + (NECK + (1 - NECK) * swell) * thickness) * side
    inner = middle + radius * side
    # Slice by slice: inside a sharp bend slices overlap.
    slices = shapely.polygons(np.stack([outer[:-1], outer[1:], inner[1:], inner[:-1]], axis=1))
    return shapely.union_all(shapely.make_valid(slices))


def _cells(part: DrawnCourse, section: Section, radius: float) -> Floats:
    """Return the outline [mm] of a part of an actuator without pressure: a row of cells of true length, inside the edge of the tube."""
    cell = max(1e3 * section.l_0, 1.0)
    first, last = part.along[[0, -1]]
    along = np.linspace(first, last, int(np.clip(16 * (last - first) / cell, 2, 5000)))
    middle, normal = part.at(along)
    side = radius * (normal if section.side == "left" else -normal)
    swell = np.abs(np.sin(np.pi * (along - 1e3 * section.start) / cell))[:, None]
    outer, inner = middle + (0.8 + 0.16 * swell) * side, middle + (0.72 - 0.16 * swell) * side
    return np.concatenate([outer, inner[::-1]])


def _folds(part: DrawnCourse, section: Section, params: VineParams) -> list[shapely.Polygon]:
    """Return the folds of a preformed section that meet a part of it, as wedges from the inner edge of the tube inwards
    [mm]."""
    radius, folds = 1e3 * params.radius, Folds.of(section, params)
    half = min(WEDGE * radius, 0.4e3 * (section.end - section.start) / len(folds.at))
    at = 1e3 * folds.at
    at = at[(at > part.along[0] - half) & (at < part.along[-1] + half)]
    ends = np.stack([at - half, at, at + half], axis=-1)
    middle, normal = part.at(np.clip(ends, *part.along[[0, -1]]))
    inner = (radius if section.side == "left" else -radius) * normal
    return [shapely.Polygon(middle[k] + np.array([[1.0], [0.25], [1.0]]) * inner[k]) for k in range(len(at))]


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
