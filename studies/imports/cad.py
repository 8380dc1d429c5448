"""CAD plans of a floor: walls on a layer of their own, with doors, texts and dimensions around them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np

from environments.importing.units import METRES
from studies.imports.floors import Floor, Written
from surrogate.kernels.compiled import Floats

CODES = {"mm": 4, "cm": 5, "m": 6, "in": 1, "ft": 2}
VARIANTS: dict[str, dict[str, Any]] = {
    "hatches on A-WALL": {},
    "outlines on A-WALL, around start and goal": {"draw": "polylines"},
    "header mm, drawn in inches": {"unit": "in", "header": "mm", "options": {"unit": "in"}},
    "metres": {"unit": "m"},
    "block, turned and scaled": {"block": True},
    "far from the origin": {"offset": (500_000.0, 5_400_000.0), "unit": "m"},
    "single lines": {"draw": "lines"},
    "no unit, one known length": {"unit": "ft", "header": None, "known": True},
}
"""Properties of the drawings by their description."""


def write_cad(floor: Floor, variant: str, folder: Path) -> Written:
    """Write a DXF file."""
    how = VARIANTS[variant]
    unit, offset = how.get("unit", "mm"), np.array(how.get("offset", (0.0, 0.0)))
    scale = 1 / METRES[unit]
    drawing = ezdxf.new("R2010")  # type: ignore[attr-defined]
    header = how.get("header", unit)
    drawing.header["$INSUNITS"] = CODES[header] if header else 0
    space: Any = drawing.modelspace()
    rings = [(ring + offset) * scale for ring in floor.rings()]
    into = space
    if how.get("block"):
        # The block is half as large and turned back by a quarter: the insert undoes both.
        into = drawing.blocks.new("FLOOR")
        rings = [0.5 * ring @ np.array([[0.0, -1.0], [1.0, 0.0]]) for ring in rings]
        space.add_blockref("FLOOR", (0, 0), dxfattribs={"rotation": 90, "xscale": 2, "yscale": 2, "layer": "A-WALL"})
    _draw_walls(into, rings, how.get("draw", "hatch"))
    _draw_others(space, floor, scale, offset)
    drawing.saveas(folder / "plan.dxf")
    options: dict[str, Any] = {"solid": ("A-WALL",), **how.get("options", {})}
    if how.get("known"):
        width = floor.size[0]
        options["known"] = (width, (0.0, 0.0), (width * scale, 0.0))
    return Written(folder / "plan.dxf", options)


def _draw_walls(space: Any, rings: list[Floats], draw: str) -> None:
    where = {"layer": "A-WALL"}
    if draw == "hatch":
        hatch = space.add_hatch(dxfattribs=where)
        for ring in rings:
            hatch.paths.add_polyline_path(ring[:-1], is_closed=True)
        return
    for ring in rings:
        if draw == "polylines":
            space.add_lwpolyline(ring[:-1], close=True, dxfattribs=where)
            continue
        for one, other in pairwise(ring):
            space.add_line(one, other, dxfattribs=where)


def _draw_others(space: Any, floor: Floor, scale: float, offset: Floats) -> None:
    """Draw what stands in no way: room outlines, doors, texts and a hidden layer."""
    rng = np.random.default_rng(floor.seed)
    for k, (x, y) in enumerate((rng.uniform(0.1, 0.9, (8, 2)) * floor.size + offset) * scale):
        space.add_text(f"ROOM {k}", height=0.2 * scale, dxfattribs={"layer": "A-ANNO"}).set_placement((x, y))
        space.add_arc((x, y), 0.9 * scale, 0, 90, dxfattribs={"layer": "A-DOOR"})
        corners = np.array([[0, 0], [2, 0], [2, 1.5], [0, 1.5]]) * scale + [x, y]
        space.add_lwpolyline(corners, close=True, dxfattribs={"layer": "A-AREA"})
