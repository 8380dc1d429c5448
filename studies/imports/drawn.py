"""Floor-plan drawings as SVG: walls filled dark, rooms painted light, with hidden parts and letters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from studies.imports.floors import Floor, Written
from surrogate.kernels.compiled import Floats

INKSCAPE_048 = 25.4 / 90
"""Millimetres in a unit of Inkscape before 0.92."""
VARIANTS: dict[str, dict[str, Any]] = {
    "layer Walls": {"options": {"solid": ("Walls",)}},
    "by fill": {"options": {"solid": ("fill=#222222",)}},
    "layer WALL, hidden and transparent parts": {"label": "WALL", "hidden": True},
    "1:50, --mm-per-unit 50": {"scale": 50.0, "size": "", "options": {"solid": ("Walls",), "mm_per_unit": 50.0}},
    "one known length": {"scale": 50.0, "size": "", "known": True, "options": {"solid": ("Walls",)}},
    "Inkscape 0.48": {"scale": INKSCAPE_048, "old": True, "options": {"solid": ("Walls",)}},
    "clipped": {"clip": True, "options": {"solid": ("Walls",)}},
    "letters, --least-size 150": {"letters": True, "options": {"solid": ("Walls",), "least_size": 0.15}},
}
"""Properties of the drawings by their description."""


def write_drawn(floor: Floor, variant: str, folder: Path) -> Written:
    """Write an SVG file."""
    how = VARIANTS[variant]
    scale = 1e3 / how.get("scale", 1.0)
    width, height = (side * scale for side in floor.size)
    rings = [np.column_stack([ring[:, 0], floor.size[1] - ring[:, 1]]) * scale for ring in floor.rings()]
    label, extra = how.get("label", "Walls"), ""
    if how.get("hidden"):
        box = f'x="{0.3 * width:.3f}" y="{0.3 * height:.3f}" width="{0.4 * width:.3f}" height="{0.4 * height:.3f}"'
        extra = f'<g opacity="0"><rect {box}/></g><rect {box} fill-opacity="0"/><rect {box} style="display:none"/>'
    if how.get("letters"):
        extra = "".join(
            f'<rect x="{x:.3f}" y="{y:.3f}" width="{0.08 * scale:.3f}" height="{0.1 * scale:.3f}"/>'
            for x, y in _free_places(floor, 30, scale)
        )
    clip = ""
    if how.get("clip"):
        # Walls reach out of the page, and the page clips them.
        rings.append(np.array([[-width, 0], [0, 0], [0, height], [-width, height], [-width, 0]]))
        clip = ' clip-path="url(#page)"'
        extra = f'<clipPath id="page"><rect width="{width:.6f}" height="{height:.6f}"/></clipPath>'
    view = f'viewBox="0 0 {width:.6f} {height:.6f}"'
    size = how.get("size", f'width="{1e3 * floor.size[0]:.6f}mm" height="{1e3 * floor.size[1]:.6f}mm"')
    version = 'inkscape:version="0.48.4 r9939"' if how.get("old") else ""
    (folder / "plan.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" {size} '
        f"{'' if how.get('old') else view} {version}>"
        f'<g inkscape:label="Rooms" fill="#eeeeff"><path d="{_data([np.array([[0, 0], [width, 0], [width, height], [0, height]])])}"/></g>'
        f'<g inkscape:label="{label}" fill="#222222"><path fill-rule="evenodd"{clip} d="{_data(rings)}"/>{extra}</g></svg>'
    )
    options = dict(how.get("options", {}))
    if how.get("known"):
        options["known"] = (floor.size[0], (0.0, 0.0), (width, 0.0))
    return Written(folder / "plan.svg", options)


def _data(rings: Iterable[Floats]) -> str:
    return " ".join("M" + "L".join(f"{x:.6f},{y:.6f}" for x, y in ring) + "Z" for ring in rings)


def _free_places(floor: Floor, count: int, scale: float) -> list[tuple[float, float]]:
    """Return places in free space, away from walls and each other, in units of the drawing."""
    rng, room, places = np.random.default_rng(floor.seed), floor.free.buffer(-0.3), list[tuple[float, float]]()
    while len(places) < count:
        x, y = rng.uniform(0, floor.size)
        if shapely.contains_xy(room, x, y):
            room = room.difference(shapely.Point(x, y).buffer(0.3))
            places.append((x * scale, (floor.size[1] - y) * scale))
    return places
