"""Environments from SVG drawings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from environments.importing.curves import SAGITTA, apply_map, compose, largest_stretch
from environments.importing.marks import WALL, goal_of, quote_name, role_names, start_of
from environments.importing.options import USUAL, ImportOptions
from environments.importing.sketch import Sketch
from environments.importing.svg_shapes import (
    MM_PER_PX,
    PHYSICAL,
    curves_of,
    length,
    transform,
    unit_of,
    view_box,
    viewport,
)
from environments.importing.svg_tree import DEEPEST, INHERITED, INKSCAPE, XLINK, Element, Styles, read_tree
from environments.importing.traced import Tracing, UnusableFile
from environments.reading import UnreadableFile, read_file

_MOST_BYTES = 32_000_000
_MOST_DRAWN = 200_000
"""Elements that are drawn, those that `use` repeats included."""
_MOST_DATA = 4_000_000
"""Characters of the data of all paths, those that `use` repeats included."""
_GROUPS = ("svg", "g", "a", "switch", "use", "symbol")
_SHAPES = ("rect", "circle", "ellipse", "line", "polyline", "polygon", "path")
_NO_SHAPE = ("text", "image", "foreignObject")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{2,4})_")
_COPY = re.compile(r"_\d+_\Z")


def read_svg(path: Path, options: ImportOptions = USUAL) -> Tracing:
    """Read an SVG drawing.

    Layer WALL is what stands in the way; without such a layer it is everything but START and GOAL. A line on layer START
    leads from the base in the direction of growth, a circle on layer GOAL is the goal. A layer is a group, or a single
    shape, with that Inkscape label or id.

    Args:
        path: An SVG file.
        options: Those of drawings; others are not used.

    Raises:
        UnusableFile: The file is no such drawing, its unit is unknown, or a layer does not have what it should.
    """
    try:
        names = {"wall": WALL, **role_names(options.layers)}
        root = read_tree(read_file(path, _MOST_BYTES))
        drawing = _Drawing(root, names)
        scale = _Scale(root, options.mm_per_unit)
        styles = {**INHERITED, **drawing.styles.of(root)}
        with np.errstate(all="ignore"):  # all points are checked
            drawing.walk(root.children, _State(scale.to_metres, scale.size, styles, None, 1))
            return drawing.trace(scale, set(options.layers))
    except (UnreadableFile, UnusableFile) as error:
        raise UnusableFile(f"{path}: {error}") from None


class _Scale:
    """Length of the units of a drawing, and position of its page.

    Raises:
        UnusableFile: The file does not say how long a unit is, and the user does not either.
    """

    def __init__(self, root: Element, mm_per_unit: float | None) -> None:
        attributes, box = root.attributes, view_box(root.attributes)
        width, height = attributes.get("width"), attributes.get("height")
        physical = [unit_of(text) in PHYSICAL for text in (width, height)]
        self.notes: list[str] = []
        if mm_per_unit is None and not any(physical):
            raise UnusableFile(
                "does not say how large it is (its width and height have no unit such as mm); give --mm-per-unit, the length "
                f"of a unit of the drawing in mm: {MM_PER_PX:.6g} for pixels of 96 per inch, {25.4 / 72:.6g} for points"
            )
        if mm_per_unit is not None:
            if not 0 < mm_per_unit < math.inf:
                raise UnusableFile(f"cannot be read with {mm_per_unit:g} mm per unit; it must be above 0")
            x, y, w, h = box or (0.0, 0.0, length(_parse_absolute(width), 0.0), length(_parse_absolute(height), 0.0))
            self.size = w, h
            per = np.array([[mm_per_unit, 0.0, -x * mm_per_unit], [0.0, mm_per_unit, -y * mm_per_unit]])
            page = w * mm_per_unit, h * mm_per_unit
            self.notes.append(f"a unit of the drawing is {mm_per_unit:g} mm, as asked")
        else:
            ratio = box[3] / box[2] if box is not None else 1.0
            w = length(width, 0.0) if physical[0] else length(height, 0.0) / ratio
            h = length(height, 0.0) if physical[1] else w * ratio
            if not (w > 0 and h > 0):
                raise UnusableFile(f"has the size {width} x {height}, which must be above 0")
            self.size = (box[2], box[3]) if box is not None else (w, h)
            view = viewport(attributes, 0.0, 0.0, w, h)
            per = compose(np.array([[MM_PER_PX, 0.0, 0.0], [0.0, MM_PER_PX, 0.0]]), view)
            page = w * MM_PER_PX, h * MM_PER_PX
            self.notes.append(f"a unit of the drawing is {largest_stretch(per)[0]:.6g} mm")
        flip = np.array([[0.001, 0.0, 0.0], [0.0, -0.001, 0.001 * page[1]]])
        self.to_metres = compose(flip, per)
        self.page = (0.0, 0.0, 0.001 * page[0], 0.001 * page[1]) if min(page) > 0 else None


def _parse_absolute(text: str | None) -> str | None:
    """Return a length that is no percentage, or none."""
    return None if unit_of(text) == "%" else text


@dataclass(frozen=True, slots=True)
class _State:
    """State that elements inherit from the elements around them."""

    to_metres: np.ndarray
    """Map from their coordinates, shape (2, 3)."""
    size: tuple[float, float]
    """Width and height to which percentages refer."""
    styles: dict[str, str]
    role: str | None
    """Role of the layer around: "wall", "start", "goal", or None."""
    depth: int
    used: tuple[str, ...] = ()
    """Ids of the elements around that `use` repeats."""


@dataclass(slots=True)
class _Drawing:
    """The shapes of a drawing, by the role of their layer."""

    root: Element
    names: Mapping[str, str]
    sketches: dict[str | None, Sketch] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    styles: Styles = field(default_factory=Styles)
    layers: dict[str, None] = field(default_factory=dict)
    """Names of the groups, in the order of the file."""
    left_out: Counter[str] = field(default_factory=Counter)
    more: set[str | None] = field(default_factory=set)
    """Roles of layers with texts or images."""
    drawn: int = 0
    data: int = 0

    def __post_init__(self) -> None:
        for element in _descendants(self.root):
            if name := element.attributes.get("id"):
                self.elements.setdefault(name, element)
            if element.tag == "style":
                self.styles.read(element.text)
        if self.styles.other:
            self.left_out["rules of style with compound selectors"] = self.styles.other

    def walk(self, elements: list[Element], state: _State) -> None:
        """Collect the shapes of elements and of the elements within them."""
        for element in elements:
            self.drawn += 1
            if self.drawn > _MOST_DRAWN:
                raise UnusableFile(f"draws more than {_MOST_DRAWN} elements; leave out what does not matter")
            if state.depth > DEEPEST:
                raise UnusableFile(f"has elements nested more than {DEEPEST} deep; ungroup some of them")
            if element.tag in _GROUPS or element.tag in _SHAPES or element.tag in _NO_SHAPE:
                self._draw(element, state)

    def _draw(self, element: Element, state: _State) -> None:
        if element.tag == "symbol" and not state.used:
            return
        styles = {**state.styles, **self.styles.of(element)}
        if styles.pop("display", "") == "none":
            self.left_out["hidden layers or elements"] += 1
            return
        role = self._role(element) or state.role
        if element.tag in _NO_SHAPE:
            self.left_out[element.tag] += 1
            self.more.add(role)
            return
        if "clip-path" in element.attributes or "mask" in element.attributes:
            self.left_out["clip paths and masks"] += 1
        to_metres = compose(state.to_metres, transform(element.attributes.get("transform")))
        inner = replace(state, to_metres=to_metres, styles=styles, role=role, depth=state.depth + 1)
        if element.tag in _SHAPES:
            self._shape(element, inner)
        elif element.tag == "use":
            self._use(element, inner)
        elif element.tag == "svg":
            width, height = (length(element.attributes.get(key), size, size) for key, size in _sides(state.size))
            self.walk(element.children, _enter_view_box(element, inner, width, height))
        else:
            self.walk(element.children, inner)

    def _use(self, element: Element, state: _State) -> None:
        attributes = element.attributes
        target = attributes.get("href", attributes.get(f"{{{XLINK}}}href", ""))
        name = target.removeprefix("#")
        found = self.elements.get(name) if target.startswith("#") else None
        if found is None:
            self.left_out["references to other files or to nothing"] += 1
            return
        if name in state.used:
            raise UnusableFile(f"element {quote_name(name)} uses itself; correct the drawing")
        x, y = length(attributes.get("x"), 0.0, state.size[0]), length(attributes.get("y"), 0.0, state.size[1])
        place = compose(state.to_metres, np.array([[1.0, 0.0, x], [0.0, 1.0, y]]))
        state = replace(state, to_metres=place, used=(*state.used, name))
        if found.tag == "symbol":
            sizes = {
                key: length(attributes.get(key, found.attributes.get(key)), size, size)
                for key, size in _sides(state.size)
            }
            state = _enter_view_box(found, state, sizes["width"], sizes["height"])
        self.walk([found], state)

    def _shape(self, element: Element, state: _State) -> None:
        styles = state.styles
        if styles["visibility"] in ("hidden", "collapse"):
            self.left_out["hidden layers or elements"] += 1
            return
        factor, alike = largest_stretch(state.to_metres)
        if not 0 < factor < math.inf:
            self.left_out["elements without a size"] += 1
            return
        self.data += len(element.attributes.get("d", "")) + len(element.attributes.get("points", ""))
        if self.data > _MOST_DATA:
            raise UnusableFile(f"has more than {_MOST_DATA} characters of path data; simplify the paths")
        name = f"{element.tag} {quote_name(element.attributes.get('id', 'without id'))}"
        curves = curves_of(element.tag, element.attributes, state.size, SAGITTA / factor)
        curves = [(apply_map(state.to_metres, points), closed) for points, closed in curves]
        fill = _paints(styles, "fill") and element.tag != "line"
        stroke = _paints(styles, "stroke")
        if state.role in ("start", "goal"):  # marks count whichever way they are painted
            fill, stroke = False, True
        if not (fill or stroke):
            self.left_out["shapes without fill and stroke"] += 1
            return
        sketch = self.sketches.setdefault(state.role, Sketch())
        sketch.curved |= element.tag in ("circle", "ellipse", "path", "rect")
        disc = None
        if element.tag == "circle" and alike and curves:
            disc = self._disc(element, state, factor)
        if fill and len(curves) > 1:
            rings = [points for points, _ in curves if len(points) > 2]
            sketch.add_area(rings, styles["fill-rule"] == "evenodd", name)
            curves = [(points, closed) for points, closed in curves if not closed and len(points) < 3]
        # The mean of the two directions, where they are stretched differently.
        width = math.sqrt(abs(float(np.linalg.det(state.to_metres[:, :2]))))
        for points, closed in curves:
            if closed or (fill and len(points) > 2):
                sketch.add_outline(points, name, disc)
            elif stroke:
                across = length(styles["stroke-width"], 1.0, math.hypot(*state.size) / math.sqrt(2))
                sketch.add_line(points, across * width, name)

    def _disc(self, element: Element, state: _State, factor: float) -> tuple[float, float, float]:
        attributes, (w, h) = element.attributes, state.size
        centre = length(attributes.get("cx"), 0.0, w), length(attributes.get("cy"), 0.0, h)
        x, y = apply_map(state.to_metres, np.array([centre]))[0].tolist()
        return x, y, length(attributes.get("r"), 0.0, math.hypot(w, h) / math.sqrt(2)) * factor

    def _role(self, element: Element) -> str | None:
        """Return the role of the layer that an element is, if it is one."""
        label = element.attributes.get(f"{{{INKSCAPE}}}label", element.attributes.get("data-name"))
        id_ = element.attributes.get("id")
        if element.tag == "g" and (shown := label or id_) and len(self.layers) < 100:
            self.layers.setdefault(shown)
        own = {name.lower() for text in (label, id_) if text for name in _spellings(text)}
        return next((role for role, name in self.names.items() if name in own), None)

    def trace(self, scale: _Scale, chosen: set[str]) -> Tracing:
        """Return the content of the layers; those in `chosen` must exist."""
        for role in sorted(chosen):
            if role not in self.sketches and role not in self.more:
                found = ", ".join(quote_name(layer) for layer in list(self.layers)[:20]) or "none"
                raise UnusableFile(
                    f"has nothing on a layer {quote_name(self.names[role])}; groups with a name: {found}"
                )
        notes = [*scale.notes]
        walls, others = self.sketches.get("wall"), self.sketches.get(None)
        if walls is None:
            walls = others or Sketch()
            notes.append(
                f"there is no layer {quote_name(self.names['wall'].upper())}: all but start and goal counts as walls"
            )
        elif others is not None:
            count = len(others.outlines) + len(others.lines) + len(others.filled)
            notes.append(f"shapes on other layers that were left out: {count}")
        if self.left_out:
            notes.append(f"left out: {', '.join(f'{n} {what}' for what, n in sorted(self.left_out.items()))}")
        if not (walls.outlines or walls.lines or walls.filled):
            raise UnusableFile("; ".join(["has no walls that can be read", *notes[1:]]))
        where = {role: f"layer {quote_name(self.names[role].upper())}" for role in ("start", "goal")}
        return walls.trace(
            start_of(self.sketches.get("start", Sketch()), where["start"], "start" in self.more),
            goal_of(self.sketches.get("goal", Sketch()), where["goal"], "goal" in self.more),
            notes,
            scale.page,
        )


def _descendants(element: Element) -> Iterator[Element]:
    """Return an element and all within it, in the order of the file."""
    stack = [element]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(reversed(element.children))


def _sides(size: tuple[float, float]) -> tuple[tuple[str, float], tuple[str, float]]:
    return ("width", size[0]), ("height", size[1])


def _enter_view_box(element: Element, state: _State, width: float, height: float) -> _State:
    """Return the state within an element that has a viewBox."""
    x, y = (
        length(element.attributes.get("x"), 0.0, state.size[0]),
        length(element.attributes.get("y"), 0.0, state.size[1]),
    )
    box = view_box(element.attributes)
    view = viewport(element.attributes, x, y, width, height)
    return replace(
        state, to_metres=compose(state.to_metres, view), size=(width, height) if box is None else (box[2], box[3])
    )


def _paints(styles: Mapping[str, str], what: str) -> bool:
    return styles[what] not in ("none", "transparent") and styles[f"{what}-opacity"] not in ("0", "0.0", "0%")


def _spellings(text: str) -> set[str]:
    """Return a layer's name as it is, and as Illustrator escapes it in ids: `_x5F_` for an underscore, `_1_` for a copy."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), _COPY.sub("", text))
    return {text, plain, plain.replace("_", " ")}
