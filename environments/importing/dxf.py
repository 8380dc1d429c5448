"""Environments from DXF drawings."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from environments.importing.curves import SAGITTA, apply_map, compose, largest_stretch
from environments.importing.dxf_shapes import EntityShape, placements, shape_of
from environments.importing.marks import WALL, goal_of, quote_name, role_names, start_of
from environments.importing.options import USUAL, ImportOptions
from environments.importing.sketch import MOST_POINTS, Sketch
from environments.importing.traced import Tracing, UnusableFile
from environments.importing.units import METRES, metres_in
from environments.reading import UnreadableFile, read_file

_MOST_BYTES = 64_000_000
_MOST_ENTITIES = 200_000
"""Entities in the file, and again those that it draws when its blocks are inserted."""
_DEEPEST = 16
_ENTITY = re.compile(rb"\n[ \t]*0[ \t]*\r?\n")
_IN_METRES = {1: 0.0254, 2: 0.3048, 4: 0.001, 5: 0.01, 6: 1.0, 7: 1000.0, 9: 2.54e-5, 10: 0.9144, 13: 1e-6, 14: 0.1,
              21: 1200 / 3937}  # fmt: skip
"""Metres in the units of $INSUNITS."""


def read_dxf(path: Path, options: ImportOptions = USUAL) -> Tracing:
    """Read a DXF drawing.

    Layer WALL is what stands in the way; without such a layer it is everything but START and GOAL. A line on layer START
    leads from the base in the direction of growth, a circle on layer GOAL is the goal.

    Args:
        path: An ASCII DXF file, of R12 or later.
        options: Those of drawings; others are not used.

    Raises:
        UnusableFile: The file is no such drawing, its unit is unknown, or a layer does not have what it should.
    """
    try:
        names = {"wall": WALL, **role_names(options.layers)}
        drawing = _load(read_file(path, _MOST_BYTES))
        scale = _metres(drawing.header.get("$INSUNITS", 0), options.unit)
        content = _DxfContent(drawing, scale)
        with np.errstate(all="ignore"):  # all points are checked
            content.walk(drawing.modelspace(), np.array([[scale, 0.0, 0.0], [0.0, scale, 0.0]]), "0", ())
            return content.trace(names, set(options.layers))
    except (UnreadableFile, UnusableFile) as error:
        raise UnusableFile(f"{path}: {error}") from None


def _load(data: bytes) -> Any:
    """Return the drawing in a file.

    Raises:
        UnusableFile: It is none, or has too many entities.
    """
    from ezdxf import recover

    if data[:4] == b"AC10":
        raise UnusableFile("is a DWG file; save it as DXF")
    if data.startswith(b"AutoCAD Binary DXF"):
        raise UnusableFile("is a binary DXF file; save it as an ASCII one")
    if sum(1 for _ in _ENTITY.finditer(data)) > _MOST_ENTITIES:
        raise UnusableFile(f"has more than {_MOST_ENTITIES} entities; delete layers that do not matter")
    try:
        return recover.read(io.BytesIO(data))[0]
    except MemoryError:
        raise
    except Exception as error:  # the library lets through whatever a broken file leads to
        reason = " ".join(str(error).split())[:100]
        raise UnusableFile(f"is not a readable DXF file ({reason or type(error).__name__})") from None


def _metres(code: Any, unit: str | None) -> float:
    """Metres in the unit of a drawing.

    Raises:
        UnusableFile: It is unknown, or is said in two different ways.
    """
    asked = None if unit is None else metres_in(unit)
    given = _IN_METRES.get(code)
    if given is None and asked is None:
        reason = f"does not say its unit ($INSUNITS is {code})" if not code else f"has the unit $INSUNITS = {code}"
        raise UnusableFile(f"{reason}; give --unit, one of {', '.join(METRES)}")
    if given is not None and asked is not None and not math.isclose(given, asked):
        own = next((name for name, metres in METRES.items() if metres == given), f"{given:g} m")
        raise UnusableFile(
            f"says that its unit is {own} ($INSUNITS = {code}), --unit says {unit}; leave --unit out, or correct the drawing"
        )
    return given if given is not None else float(asked or 0)


@dataclass(slots=True)
class _DxfContent:
    """The entities of a drawing, by layer, and what was left out."""

    drawing: Any
    scale: float
    shapes: list[tuple[str, EntityShape, np.ndarray, str]] = field(default_factory=list)
    """Layer, shape, map to metres, and the name of the entity in messages."""
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Entities without a shape, by layer and type."""
    hidden: set[str] = field(default_factory=set)
    visited: int = 0
    points: int = 0

    def walk(self, entities: Iterable[Any], to_metres: np.ndarray, outer: str, blocks: tuple[str, ...]) -> None:
        """Collect entities, and the entities of the blocks that they insert.

        Args:
            entities: Those of a layout or of a block.
            to_metres: Map from their coordinates, shape (2, 3).
            outer: The layer of the INSERT, for entities on layer 0.
            blocks: Names of the blocks around.
        """
        factor, _ = largest_stretch(to_metres)
        for entity in entities:
            self.visited += 1
            if self.visited > _MOST_ENTITIES:
                raise UnusableFile(f"draws more than {_MOST_ENTITIES} entities with its blocks; leave some out")
            layer = entity.dxf.get("layer", "0")
            layer = outer if layer == "0" else layer
            if entity.dxf.get("invisible", 0) or not self._is_visible(layer):
                continue
            kind = entity.dxftype()
            if kind == "INSERT":
                self._insert(entity, to_metres, layer, blocks)
                continue
            name = f"a {kind} (handle {entity.dxf.handle}) on layer {quote_name(layer)}"
            try:
                shape = shape_of(entity, SAGITTA / factor) if 0 < factor < math.inf else None
            except (UnusableFile, MemoryError):
                raise
            except Exception:  # values of a broken entity
                raise UnusableFile(f"{name} cannot be read; correct or delete it") from None
            if shape is None:
                self.skipped[layer, kind] += 1
            else:
                self.points += sum(map(len, shape[0].rings))
                if self.points > MOST_POINTS:
                    raise UnusableFile(f"has more than {MOST_POINTS} points along its curves; simplify it")
                self.shapes.append((layer, shape[0], compose(to_metres, shape[1]), name))

    def _insert(self, insert: Any, to_metres: np.ndarray, layer: str, blocks: tuple[str, ...]) -> None:
        block = insert.block()
        if block is None:
            self.skipped[layer, "INSERT of a missing block"] += 1
            return
        if block.name in blocks:
            raise UnusableFile(f"block {quote_name(block.name)} inserts itself; correct the drawing")
        if len(blocks) == _DEEPEST:
            raise UnusableFile(f"blocks are nested more than {_DEEPEST} deep; explode some of them")
        for place in placements(insert):
            self.visited += 1
            if self.visited > _MOST_ENTITIES:
                raise UnusableFile(f"draws more than {_MOST_ENTITIES} entities with its blocks; leave some out")
            self.walk(block, compose(to_metres, place), layer, (*blocks, block.name))

    def _is_visible(self, layer: str) -> bool:
        """Return whether a layer is drawn."""
        if layer.lower() == "defpoints":
            return False
        table = self.drawing.layers
        if layer in table and (table.get(layer).is_off() or table.get(layer).is_frozen()):
            self.hidden.add(layer)
            return False
        return True

    def trace(self, names: Mapping[str, str], chosen: set[str]) -> Tracing:
        """Return the content of the layers.

        Args:
            names: Lower-case layer names of wall, start and goal.
            chosen: Those of them that the user named.
        """
        used = {layer for layer, *_ in self.shapes} | {layer for layer, _ in self.skipped}
        for role in sorted(chosen):
            if names[role] not in {layer.lower() for layer in used}:
                found = ", ".join(quote_name(layer) for layer in sorted(used)[:20]) or "none"
                raise UnusableFile(f"has nothing on a layer {quote_name(names[role])}; layers with entities: {found}")
        others = {names["start"], names["goal"]}
        every = names["wall"] not in {layer.lower() for layer in used}
        sketch, starts, goals = Sketch(), Sketch(), Sketch()
        into = {names["start"]: starts, names["goal"]: goals}
        left_out: Counter[str] = Counter()
        for layer, shape, to_metres, name in self.shapes:
            key = layer.lower()
            if key in others or every or key == names["wall"]:
                _add(into.get(key, sketch), shape, to_metres, name)
            else:
                left_out[layer] += 1
        missing: Counter[str] = Counter()
        for (layer, kind), count in self.skipped.items():
            if layer.lower() not in others and (every or layer.lower() == names["wall"]):
                missing[kind] += count
        notes = [f"the unit of the drawing is {1000 * self.scale:.6g} mm"]
        if every:
            notes.append(
                f"there is no layer {quote_name(names['wall'].upper())}: everything but start and goal counts as walls"
            )
        if left_out:
            notes.append(
                f"layers left out: {', '.join(f'{quote_name(k)} ({n})' for k, n in sorted(left_out.items())[:20])}"
            )
        if self.hidden:
            notes.append(
                f"hidden layers left out: {', '.join(quote_name(layer) for layer in sorted(self.hidden)[:20])}"
            )
        if missing:
            notes.append(f"entities left out: {', '.join(f'{n} {kind}' for kind, n in sorted(missing.items())[:20])}")
        if not (sketch.outlines or sketch.lines or sketch.filled):
            raise UnusableFile("; ".join(["has no walls that can be read", *notes[1:]]))
        bare = {layer.lower() for layer, _ in self.skipped}
        return sketch.trace(
            start_of(starts, f"layer {quote_name(names['start'].upper())}", names["start"] in bare),
            goal_of(goals, f"layer {quote_name(names['goal'].upper())}", names["goal"] in bare),
            notes,
        )


def _add(sketch: Sketch, shape: EntityShape, to_metres: np.ndarray, name: str) -> None:
    """Add a shape to a sketch."""
    rings = [apply_map(to_metres, ring) for ring in shape.rings]
    factor, alike = largest_stretch(to_metres)
    sketch.curved |= shape.curved
    if shape.filled:
        sketch.add_area(rings, True, name)
        return
    for ring in rings:
        if shape.thickness > 0 or not shape.closed:
            sketch.add_line(ring, shape.thickness * factor, name)
            continue
        disc = None
        if shape.disc is not None and alike:
            x, y = apply_map(to_metres, np.array([shape.disc[:2]]))[0].tolist()
            disc = (x, y, shape.disc[2] * factor)
        sketch.add_outline(ring, name, disc)
