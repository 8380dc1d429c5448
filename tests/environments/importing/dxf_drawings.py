"""DXF drawings for the tests of their import."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezdxf
import shapely

from environments.importing.dxf import read_dxf
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing

WALL = {"layer": "WALL"}
Draw = Callable[[Any], object]


def read(
    tmp_path: Path, draw: Draw, units: int = 4, version: str = "R2018", posts: str = "WALL", **options: Any
) -> Tracing:
    """Read a drawing in mm with two far posts, so that nothing in between is the bounds; a layer may be given for them."""
    drawing = ezdxf.new(version)
    drawing.header["$INSUNITS"] = units
    space = drawing.modelspace()
    draw(space)
    for x in (-5000, 5000):
        space.add_circle((x, 0), 10, dxfattribs={"layer": posts})
    text = io.StringIO()
    drawing.write(text)
    path = tmp_path / "drawing.dxf"
    path.write_text(text.getvalue())
    return read_dxf(path, ImportOptions(**options))


def area(traced: Tracing) -> float:
    return float(shapely.union_all(list(traced.solid)).area)


def block(space: Any, draw: Draw = lambda _: None, name: str = "BLOCK", base: tuple[float, float] = (0, 0)) -> Any:
    made = space.doc.blocks.new(name, base_point=base)
    draw(made)
    return made
