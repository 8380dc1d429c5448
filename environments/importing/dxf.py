"""Environments from DXF drawings."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from environments.importing.curves import SAGITTA, compose, largest_stretch
from environments.importing.dxf_clip import InexactClip, clip_area, clipping_path
from environments.importing.dxf_look import Look, attributes, hides, look_of
from environments.importing.dxf_parts import Part, trace_parts
from environments.importing.dxf_shapes import placements, shape_of
from environments.importing.marks import quote_name
from environments.importing.options import USUAL, ImportOptions
from environments.importing.rings import CrossingCount
from environments.importing.sketch import MOST_POINTS
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

    Layer WALL is what stands in the way; without such a layer it is everything but START and GOAL, unless patterns of
    `layer`, `color` (number, or #rrggbb) or `type` (as HATCH) choose. A line on layer START leads from the base in the
    direction of growth, a circle on layer GOAL is the goal.

    Args:
        path: An ASCII DXF file, of R12 or later.
        options: Those of drawings; others are not used.

    Raises:
        UnusableFile: The file is no such drawing, its unit is unknown, or a layer does not have what it should.
    """
    try:
        drawing = _load(read_file(path, _MOST_BYTES))
        scale, notes = _metres(drawing.header.get("$INSUNITS", 0), options)
        content = _DxfContent(drawing)
        with np.errstate(all="ignore"):  # all points are checked
            content.walk(drawing.modelspace(), np.array([[scale, 0.0, 0.0], [0.0, scale, 0.0]]), Look(), (), None)
            return replace(trace_parts(content.parts, options, notes, content.notes()), unit=scale)
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


def _metres(code: Any, options: ImportOptions) -> tuple[float, list[str]]:
    """Return the metres in the unit of a drawing, with notes.

    Args:
        code: The $INSUNITS of the drawing.
        options: With a known length or a unit, which count more: many programs write a unit that nobody chose.

    Raises:
        UnusableFile: It is unknown.
    """
    unit = options.unit
    if options.metres_per_unit is not None:
        return options.metres_per_unit, [
            f"the unit of the drawing is {1000 * options.metres_per_unit:.6g} mm, by the known length"
        ]
    asked = None if unit is None else metres_in(unit)
    given = _IN_METRES.get(code)
    metres = given if asked is None else asked
    if metres is None:
        reason = f"does not say its unit ($INSUNITS is {code})" if not code else f"has the unit $INSUNITS = {code}"
        raise UnusableFile(f"{reason}; give --unit, one of {', '.join(METRES)}, or --known")
    notes = [f"the unit of the drawing is {1000 * metres:.6g} mm"]
    if given is not None and not math.isclose(given, metres):
        own = next((name for name, size in METRES.items() if size == given), f"{given:g} m")
        notes.append(
            f"the header says {own} ($INSUNITS = {code}), which many programs write without being asked: "
            f"taken as {unit}, as asked"
        )
    return metres, notes


@dataclass(slots=True)
class _DxfContent:
    """The entities of a drawing, and what was left out."""

    drawing: Any
    parts: list[Part] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    """Layers that are off or frozen."""
    invisible: int = 0
    """Number of entities that are hidden themselves."""
    unclipped: Counter[str] = field(default_factory=Counter)
    """Clipping paths that were not followed, by reason."""
    effort: CrossingCount = field(default_factory=CrossingCount)
    visited: int = 0
    points: int = 0

    def walk(
        self,
        entities: Iterable[Any],
        to_metres: np.ndarray,
        outer: Look,
        blocks: tuple[str, ...],
        seen: shapely.Geometry | None,
    ) -> None:
        """Collect entities, and the entities of the blocks that they insert.

        Args:
            entities: Those of a layout or of a block.
            to_metres: Map from their coordinates, shape (2, 3).
            outer: Look of the INSERT, for entities that take theirs from it.
            blocks: Names of the blocks around.
            seen: Area in which they are seen [m]; None if they are seen everywhere.
        """
        for entity in entities:
            self.visited += 1
            if self.visited > _MOST_ENTITIES:
                raise UnusableFile(f"draws more than {_MOST_ENTITIES} entities with its blocks; leave some out")
            try:
                self._add(entity, to_metres, outer, blocks, seen)
            except (UnusableFile, MemoryError):
                raise
            except Exception:  # values of a broken entity
                name = f"a {entity.dxftype()} (handle {entity.dxf.handle})"
                raise UnusableFile(f"{name} cannot be read; correct or delete it") from None

    def _add(
        self, entity: Any, to_metres: np.ndarray, outer: Look, blocks: tuple[str, ...], seen: shapely.Geometry | None
    ) -> None:
        kind = entity.dxftype()
        look = look_of(entity, self.drawing.layers, outer)
        if not self._is_visible(entity, look, kind == "INSERT"):
            return
        if kind == "INSERT":
            self._insert(entity, to_metres, look, blocks, seen)
            return
        factor, _ = largest_stretch(to_metres)
        shape = shape_of(entity, SAGITTA / factor) if 0 < factor < math.inf else None
        name = f"a {kind} (handle {entity.dxf.handle}) on layer {quote_name(look.layer)}"
        if shape is None:
            self.parts.append(Part(look, kind, None, to_metres, seen, name))
            return
        self.points += sum(map(len, shape[0].rings))
        if self.points > MOST_POINTS:
            raise UnusableFile(f"has more than {MOST_POINTS} points along its curves; simplify it")
        self.parts.append(Part(look, kind, shape[0], compose(to_metres, shape[1]), seen, name))

    def _insert(
        self, insert: Any, to_metres: np.ndarray, look: Look, blocks: tuple[str, ...], seen: shapely.Geometry | None
    ) -> None:
        block = insert.block()
        if block is None:
            self.parts.append(Part(look, "INSERT of a missing block", None, to_metres, seen, ""))
            return
        if block.name in blocks:
            raise UnusableFile(f"block {quote_name(block.name)} inserts itself; correct the drawing")
        if len(blocks) == _DEEPEST:
            raise UnusableFile(f"blocks are nested more than {_DEEPEST} deep; explode some of them")
        path = None
        try:
            path = clipping_path(insert)
        except InexactClip as reason:
            self.unclipped[str(reason)] += 1
        for place in placements(insert):
            self.visited += 1
            if self.visited > _MOST_ENTITIES:
                raise UnusableFile(f"draws more than {_MOST_ENTITIES} entities with its blocks; leave some out")
            placed = compose(to_metres, place)
            within = seen if path is None else clip_area(*path, placed, seen, self.effort)
            self.walk(block, placed, look, (*blocks, block.name), within)

    def _is_visible(self, entity: Any, look: Look, block: bool) -> bool:
        """Return whether an entity is drawn; of a block, whether anything of it may be."""
        if attributes(entity)("invisible", 0) or (look.clear and not block):
            self.invisible += 1
            return False
        if hides(look.layer, self.drawing.layers, block):
            self.hidden.add(look.layer)
            return False
        return block or look.layer.lower() != "defpoints"

    def notes(self) -> list[str]:
        """Return notes on what is hidden or not drawn as it should be."""
        notes = []
        if self.hidden:
            names = ", ".join(quote_name(layer) for layer in sorted(self.hidden)[:20])
            notes.append(f"hidden layers left out: {names}")
        if self.invisible:
            notes.append(f"invisible entities left out: {self.invisible}")
        for reason, count in self.unclipped.items():
            notes.append(f"clipping paths {reason} are not followed, so their blocks are whole: {count}")
        return notes
