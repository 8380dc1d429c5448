"""The pattern as an SVG file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from environments.writing import atomic_path
from planner.fabrication.pattern.pattern import GAP, Layer, Pattern

COLOUR = {Layer.CUT: "#ff0000", Layer.SEAL: "#0000ff", Layer.MARK: "#008000", Layer.TEXT: "#404040"}
"""Pure colours, by which laser cutters distinguish their jobs."""
HAIRLINE = 0.1
"""Stroke width [mm]."""
CAPITAL = 0.72
"""Height of a capital letter relative to the font size [-], for Arial and similar fonts."""
ANCHOR = {"left": "start", "middle": "middle", "right": "end"}
NAMESPACES = {
    "xmlns": "http://www.w3.org/2000/svg",
    "xmlns:inkscape": "http://www.inkscape.org/namespaces/inkscape",
}


def write_svg(path: Path, pattern: Pattern) -> None:
    """Write a full-scale drawing in millimetres with a margin of 4 mm, atomically.

    Seals are outlines without a filling, which a laser cutter would engrave.

    Raises:
        OSError: The file cannot be written.
    """
    left, bottom, right, top = pattern.bounds
    x, y = GAP - left, GAP + top  # y goes down in SVG
    width, height = _number(right - left + 2 * GAP), _number(top - bottom + 2 * GAP)
    size = {"width": f"{width}mm", "height": f"{height}mm", "viewBox": f"0 0 {width} {height}"}
    root = ElementTree.Element("svg", NAMESPACES | size)
    groups = {layer: _group(root, layer) for layer in Layer}
    for line in pattern.lines():
        if line.diameter is not None:
            cx, cy = line.centre
            circle = {"cx": _number(x + cx), "cy": _number(y - cy), "r": _number(line.diameter / 2)}
            ElementTree.SubElement(groups[line.layer], "circle", circle)
            continue
        points = " ".join(f"{_number(x + px)},{_number(y - py)}" for px, py in line.points.tolist())
        ElementTree.SubElement(groups[line.layer], "polygon" if line.closed else "polyline", points=points)
    for text in pattern.texts():
        position = {"x": _number(x + text.at[0]), "y": _number(y - text.at[1])}
        style = {"font-size": _number(text.height / CAPITAL), "text-anchor": ANCHOR[text.align]}
        ElementTree.SubElement(groups[Layer.TEXT], "text", position | style).text = text.text
    ElementTree.indent(root)
    with atomic_path(path) as partial:
        ElementTree.ElementTree(root).write(partial, encoding="utf-8", xml_declaration=True)


def _group(root: ElementTree.Element, layer: Layer) -> ElementTree.Element:
    """Make a layer, marked such that Inkscape shows it as a layer too."""
    style = {"fill": "none", "stroke": COLOUR[layer], "stroke-width": f"{HAIRLINE:g}"}
    if layer is Layer.TEXT:
        style = {"fill": COLOUR[layer], "stroke": "none", "font-family": "Arial, Helvetica, sans-serif"}
    inkscape = {"inkscape:groupmode": "layer", "inkscape:label": layer.value}
    return ElementTree.SubElement(root, "g", {"id": layer.value} | inkscape | style)


def _number(value: float) -> str:
    """Format millimetres with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")
