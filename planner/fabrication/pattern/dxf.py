"""The pattern as a DXF file."""

from __future__ import annotations

from pathlib import Path

from environments.writing import atomic_path
from planner.fabrication.pattern.pattern import Layer, Pattern

COLOUR = {Layer.CUT: 1, Layer.SEAL: 5, Layer.MARK: 3, Layer.TEXT: 8}
"""AutoCAD colour indices: red, blue, green and grey."""
APPLICATION = "VINEWRIGHT"
"""Application name of the extended data of a bracket's mark: the actuator's name and the mark's number, 0 at the base."""
FONT = "arial.ttf"
"""A font with a multiplication sign, which AutoCAD's default font lacks."""


def write_dxf(path: Path, pattern: Pattern) -> None:
    """Write a full-scale drawing in millimetres, version R2010, atomically.

    Raises:
        ModuleNotFoundError: The extra `fab` is not installed.
        OSError: The file cannot be written.
    """
    from ezdxf.enums import TextEntityAlignment
    from ezdxf.filemanagement import new
    from ezdxf.units import MM

    drawing = new("R2010", units=MM)
    drawing.styles.add(APPLICATION, font=FONT)
    drawing.appids.add(APPLICATION)
    for layer, colour in COLOUR.items():
        drawing.layers.add(layer.value, color=colour)
    space = drawing.modelspace()
    for line in pattern.lines():
        if line.diameter is not None:
            space.add_circle(line.centre, line.diameter / 2, dxfattribs={"layer": line.layer.value})
            continue
        entity = space.add_lwpolyline(line.points, close=line.closed, dxfattribs={"layer": line.layer.value})
        if line.tick:
            entity.set_xdata(APPLICATION, [(1000, line.tick[0]), (1071, line.tick[1])])
    align = {"left": TextEntityAlignment.LEFT, "middle": TextEntityAlignment.CENTER, "right": TextEntityAlignment.RIGHT}
    style = {"layer": Layer.TEXT.value, "style": APPLICATION}
    for text in pattern.texts():
        space.add_text(text.text, height=text.height, dxfattribs=style).set_placement(text.at, align=align[text.align])
    with atomic_path(path) as partial:
        drawing.saveas(partial)
