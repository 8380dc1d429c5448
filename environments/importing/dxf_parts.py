"""Parts of a DXF drawing, and which of them are walls, start and goal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from environments.importing.curves import apply_map, largest_stretch
from environments.importing.dxf_clip import cut_shape
from environments.importing.dxf_look import Look
from environments.importing.dxf_shapes import EntityShape
from environments.importing.marks import WALL, goal_of, quote_name, role_names, start_of
from environments.importing.options import ImportOptions
from environments.importing.rooms import wall_outlines
from environments.importing.select import Properties, Selection
from environments.importing.sketch import Sketch
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_length


@dataclass(frozen=True, slots=True)
class Part:
    """An entity of a drawing, at one of the places where its block is inserted."""

    look: Look
    kind: str
    """Its type, such as LINE."""
    shape: EntityShape | None
    """None if it draws none that can be read."""
    to_metres: np.ndarray
    """Map from the coordinates of the shape, shape (2, 3)."""
    seen: shapely.Geometry | None
    """Area in which it is seen [m]; None if it is seen everywhere."""
    name: str
    """The entity in messages."""

    @property
    def layer(self) -> str:
        """Lower-case name of its layer."""
        return self.look.layer.lower()

    def properties(self) -> Properties:
        """Return what patterns can choose it by."""
        return {"layer": [self.look.layer], "color": [self.look.color], "type": [self.kind]}


def trace_parts(parts: Sequence[Part], options: ImportOptions, unit: Sequence[str], omitted: Sequence[str]) -> Tracing:
    """Trace the walls, the start and the goal of a drawing.

    Args:
        parts: All that it draws.
        options: Layers of start and goal, patterns of what is solid, and the thickness of walls.
        unit: Notes on its unit.
        omitted: Notes on what it does not draw.

    Raises:
        UnusableFile: There are no walls, a pattern matches nothing, or a layer does not have what it should.
    """
    names = role_names(options.layers)
    _check_marks(parts, {role: names[role] for role in options.layers})
    marked = {role: [part for part in parts if part.layer == name] for role, name in names.items()}
    chosen, told = _choose([part for part in parts if part.layer not in names.values()], options)
    sketch = Sketch()
    cut = sum(_add(sketch, part, options.wall_thickness or 0.0) for part in chosen)
    notes = [*unit, *told, *omitted]
    if cut:
        notes.append(f"entities that clipping paths of blocks cut or hide: {cut}")
    if missing := Counter(part.kind for part in chosen if part.shape is None):
        notes.append(f"entities left out: {', '.join(f'{n} {kind}' for kind, n in sorted(missing.items())[:20])}")
    if not (sketch.outlines or sketch.lines or sketch.filled):
        raise UnusableFile("; ".join(["has no walls that can be read", *notes[len(unit) :]]))
    if options.wall_thickness is not None:
        count, thickness = (
            wall_outlines(sketch, options.wall_thickness),
            format_length(1e3 * options.wall_thickness, "mm"),
        )
        notes.append(f"closed outlines without a fill that are walls {thickness} mm thick: {count}")
    ends = []
    for role, read in (("start", start_of), ("goal", goal_of)):
        marks = Sketch()
        for part in marked[role]:
            _add(marks, part)
        bare = any(part.shape is None for part in marked[role])
        ends.append(read(marks, f"layer {quote_name(names[role].upper())}", bare))
    return sketch.trace(ends[0], ends[1], notes, options=options)


def _check_marks(parts: Sequence[Part], names: Mapping[str, str]) -> None:
    """Check that there is something on the layers that the user named for start and goal."""
    used = {part.look.layer for part in parts}
    for _, name in sorted(names.items()):
        if name not in {layer.lower() for layer in used}:
            found = ", ".join(quote_name(layer) for layer in sorted(used)[:20]) or "none"
            raise UnusableFile(f"has nothing on a layer {quote_name(name)}; layers with entities: {found}")


def _choose(parts: Sequence[Part], options: ImportOptions) -> tuple[list[Part], list[str]]:
    """Choose the parts that are walls; return also notes on them and on the others.

    Raises:
        UnusableFile: A pattern matches nothing.
    """
    selection = Selection(options.solid, options.free)
    described = [part.properties() for part in parts]
    for properties in described:
        selection.count(properties)
    walled = any(part.layer == WALL for part in parts)
    chosen: list[Part] = []
    left_out: Counter[str] = Counter()
    for part, properties in zip(parts, described, strict=True):
        if options.solid:
            solid = selection.is_solid(properties)
        else:
            solid = not selection.is_free(properties) and (part.layer == WALL or not walled)
        if solid:
            chosen.append(part)
        elif part.shape is not None:
            left_out[part.look.layer] += 1
    selection.check()
    notes = []
    if parts and not options.solid and not walled:
        others = "start, goal and what --free leaves out" if options.free else "start and goal"
        notes.append(f"there is no layer {WALL.upper()}: everything but {others} counts as walls")
        notes.append("; ".join(filter(None, [f"layers: {selection.values('layer')}", selection.advice()])))
    if left_out:
        found = ", ".join(f"{quote_name(layer)} ({n})" for layer, n in sorted(left_out.items())[:20])
        notes.append(f"left out of layers: {found}")
    return chosen, notes


def _add(sketch: Sketch, part: Part, wall_thickness: float = 0.0) -> bool:
    """Add a part to a sketch; return whether a clipping path cuts it.

    Args:
        wall_thickness: Thickness of the walls that closed curves without a fill are [m]; 0 if what they enclose is solid.
    """
    if part.shape is None:
        return False
    whole = _in_metres(part.shape, part.to_metres)
    sketch.curved |= whole.curved
    shapes = [whole]
    if part.seen is not None:
        for ring in whole.rings:
            sketch.count(ring, part.name)
        shapes = cut_shape(whole, part.seen, wall_thickness, sketch.effort)
    for shape in shapes:
        if shape.filled:
            sketch.add_area(shape.rings, True, part.name)
            continue
        for ring in shape.rings:
            if shape.thickness > 0 or not shape.closed:
                sketch.add_line(ring, shape.thickness, part.name)
            else:
                sketch.add_outline(ring, part.name, shape.disc)
    return not (shapes and shapes[0] is whole)


def _in_metres(shape: EntityShape, to_metres: np.ndarray) -> EntityShape:
    """Map a shape; a circle stays one if the map changes all lengths alike."""
    factor, alike = largest_stretch(to_metres)
    disc = None
    if shape.disc is not None and alike:
        x, y = apply_map(to_metres, np.array([shape.disc[:2]]))[0].tolist()
        disc = (x, y, shape.disc[2] * factor)
    rings = [apply_map(to_metres, ring) for ring in shape.rings]
    return EntityShape(rings, shape.closed, shape.filled, shape.curved, shape.thickness * factor, disc)
