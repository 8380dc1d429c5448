"""Environments from SVG drawings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote

import numpy as np
import shapely

from environments.importing.curves import SAGITTA, apply_map, compose, largest_stretch
from environments.importing.marks import WALL, goal_of, quote_name, role_names, start_of
from environments.importing.options import USUAL, ImportOptions
from environments.importing.select import Selection
from environments.importing.sketch import Sketch
from environments.importing.svg_clip import Clips, NotApplied
from environments.importing.svg_names import Names, is_text, names_of
from environments.importing.svg_paint import NOTHING, is_none, opacity_of, paint_of
from environments.importing.svg_painted import Painted
from environments.importing.svg_scale import Scale
from environments.importing.svg_shapes import SHAPES, curves_of, length, transform, view_box, viewport
from environments.importing.svg_tree import DEEPEST, INHERITED, Element, Styles, read_tree, target_of
from environments.importing.traced import Tracing, UnusableFile
from environments.reading import UnreadableFile, read_file

_MOST_BYTES = 32_000_000
_MOST_DRAWN = 200_000
"""Elements that are drawn, those that `use` repeats included."""
_MOST_DATA = 4_000_000
"""Characters of the data of all paths, those that `use` repeats included."""
_MOST_NAMES = 20_000_000
"""Names and classes of all elements, those of the groups around each included."""
_GROUPS = ("svg", "g", "a", "switch", "use", "symbol")
_NO_SHAPE = ("text", "image", "foreignObject")
_MARKS = ("start", "goal")


def read_svg(path: Path, options: ImportOptions = USUAL) -> Tracing:
    """Read an SVG drawing.

    Solid is what the patterns `options.solid` match: of layers, colours (`fill`, `stroke`), classes or types of shapes. Without
    patterns it is layer WALL, and without such a layer everything but START and GOAL. A line on layer START leads from the base
    in the direction of growth, a circle on layer GOAL is the goal. A layer is a group, or a single shape, with that Inkscape
    label or id. What cannot be seen is left out.

    Args:
        path: An SVG file.
        options: Those of drawings; others are not used.

    Raises:
        UnusableFile: The file is no such drawing, its unit is unknown, a layer does not have what it should, or a pattern
            matches nothing.
    """
    try:
        roles = {"wall": WALL, **role_names(options.layers)}
        root = read_tree(read_file(path, _MOST_BYTES))
        drawing = _Drawing(root, roles, Selection(options.solid, options.free), options.wall_thickness)
        scale = Scale(root, options)
        with np.errstate(all="ignore"):  # all points are checked
            drawing.draw(scale)
            return replace(drawing.trace(scale, options), unit=largest_stretch(scale.to_metres)[0])
    except (UnreadableFile, UnusableFile) as error:
        raise UnusableFile(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True)
class _State:
    """State that elements inherit from the elements around them."""

    to_metres: np.ndarray
    """Map from their coordinates, shape (2, 3)."""
    size: tuple[float, float]
    """Width and height to which percentages refer."""
    styles: dict[str, str]
    depth: int = 1
    role: str | None = None
    """Role of the layer around: "wall", "start", "goal", or None."""
    names: Names = field(default_factory=Names)
    used: tuple[str, ...] = ()
    """Ids of the elements around that `use` repeats."""
    unseen: bool = False
    """Whether an element around has the opacity 0."""
    text: bool = False
    """Whether this is text that became paths."""
    clip: shapely.Geometry | None = None
    """Area within which they are seen [m]; None if there is no clip path."""


@dataclass(slots=True)
class _Drawing:
    """The shapes of a drawing, by the role of their layer."""

    root: Element
    roles: Mapping[str, str]
    """Lower-case name of the layer of each role."""
    selection: Selection
    wall_thickness: float | None
    sketches: dict[str | None, Sketch] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    styles: Styles = field(default_factory=Styles)
    clips: Clips = field(init=False)
    left_out: Counter[str] = field(default_factory=Counter)
    more: set[str | None] = field(default_factory=set)
    """Roles of layers with texts or images."""
    drawn: int = 0
    data: int = 0
    named: int = 0

    def __post_init__(self) -> None:
        for element in _descendants(self.root):
            if name := element.attributes.get("id"):
                self.elements.setdefault(name, element)
            if element.tag == "style":
                self.styles.read(element.text)
        if self.styles.other:
            self.left_out["rules of style with compound selectors"] = self.styles.other
        self.clips = Clips(self.elements, self.styles)

    def draw(self, scale: Scale) -> None:
        """Collect all shapes."""
        state = _State(scale.to_metres, scale.size, INHERITED)
        inner = self._enter(self.root, state)
        if inner is not None:
            self._walk(self.root.children, replace(inner, names=state.names, role=None, depth=1, text=False))

    def _walk(self, elements: list[Element], state: _State) -> None:
        """Collect the shapes of elements and of the elements within them."""
        for element in elements:
            self.drawn += 1
            if self.drawn > _MOST_DRAWN:
                raise UnusableFile(f"draws more than {_MOST_DRAWN} elements; leave out what does not matter")
            if state.depth > DEEPEST:
                raise UnusableFile(f"has elements nested more than {DEEPEST} deep; ungroup some of them")
            if element.tag in _GROUPS or element.tag in SHAPES or element.tag in _NO_SHAPE:
                self._draw(element, state)

    def _draw(self, element: Element, state: _State) -> None:
        if element.tag == "symbol" and not state.used:
            return
        to_metres = compose(state.to_metres, transform(element.attributes.get("transform")))
        inner = self._enter(element, replace(state, to_metres=to_metres))
        if inner is None:
            return
        if element.tag in _NO_SHAPE:
            self.left_out[element.tag] += 1
            self.more.add(inner.role)
        elif element.tag in SHAPES:
            self._shape(element, inner)
        elif element.tag == "use":
            self._use(element, inner)
        elif element.tag == "svg":
            width, height = (length(element.attributes.get(key), size, size) for key, size in _sides(state.size))
            self._walk(element.children, _enter_view_box(element, inner, width, height))
        else:
            self._walk(element.children, inner)

    def _enter(self, element: Element, state: _State) -> _State | None:
        """Return the state within an element; None if it is not displayed."""
        own = self.styles.of(element)
        if own.get("display") == "none":
            self.left_out["hidden layers or elements"] += 1
            return None
        role, names = self._role(element), state.names.with_element(element)
        self.named += len(names.layers) + len(names.classes)
        if self.named > _MOST_NAMES:
            raise UnusableFile(f"has more than {_MOST_NAMES} names of groups around its elements; ungroup some of them")
        return replace(
            state,
            styles={**state.styles, **{key: value for key, value in own.items() if key in INHERITED}},
            depth=state.depth + 1,
            role=role or state.role,
            names=names,
            unseen=state.unseen or opacity_of(own.get("opacity", "1")) == 0,
            text=state.text or (role is None and is_text(element)),
            clip=self._clip(element, own, state),
        )

    def _clip(self, element: Element, own: Mapping[str, str], state: _State) -> shapely.Geometry | None:
        """Return the area within which an element is seen."""
        self.left_out["clip paths and masks"] += own.get("mask", "none") != "none"
        value = own.get("clip-path", "none")
        if value == "none":
            return state.clip
        try:
            area = self.clips.area(element, value, state.to_metres, state.size)
        except NotApplied:
            self.left_out["clip paths and masks"] += 1
            return state.clip
        if state.clip is not None:
            area = shapely.intersection(area, state.clip)
        shapely.prepare(area)
        return area

    def _use(self, element: Element, state: _State) -> None:
        attributes, name = element.attributes, target_of(element)
        found = self.elements.get(name)
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
        self._walk([found], state)

    def _shape(self, element: Element, state: _State) -> None:
        if state.styles["visibility"] in ("hidden", "collapse"):
            self.left_out["hidden layers or elements"] += 1
            return
        if state.text:
            self.left_out["outlines of text"] += 1
            self.more.add(state.role)
            return
        if not 0 < largest_stretch(state.to_metres)[0] < math.inf:
            self.left_out["elements without a size"] += 1
            return
        self.data += len(element.attributes.get("d", "")) + len(element.attributes.get("points", ""))
        if self.data > _MOST_DATA:
            raise UnusableFile(f"has more than {_MOST_DATA} characters of path data; simplify the paths")
        if state.role in _MARKS:  # marks count whichever way they are painted
            self._add(element, replace(state, clip=None), state.role, (NOTHING, "#000000"))
            return
        paints = ("fill",) if element.tag != "line" else ()
        fill, stroke = (
            paint_of(state.styles, what) if what in (*paints, "stroke") and not state.unseen else NOTHING
            for what in ("fill", "stroke")
        )
        if (fill, stroke) == (NOTHING, NOTHING):
            bare = all(is_none(state.styles, what) for what in (*paints, "stroke"))
            self.left_out["shapes without fill and stroke" if bare else "transparent shapes"] += 1
            return
        role = self._choose(element, state, fill, stroke)
        if role != "free":
            self._add(element, state, role, (fill, stroke))

    def _choose(self, element: Element, state: _State, fill: str, stroke: str) -> str | None:
        """Return the role of a shape that is painted: "wall", None, or "free" if it is left out."""
        paints = {"fill": [fill], "stroke": [stroke], "class": state.names.classes, "type": [element.tag]}
        self.selection.count({"layer": state.names.shown, **paints})
        properties = {"layer": state.names.layers, **paints}
        if self.selection.is_free(properties):
            self.left_out["shapes that --free names"] += 1
            return "free"
        if self.selection.solid:
            return "wall" if self.selection.is_solid(properties) else None
        return state.role

    def _add(self, element: Element, state: _State, role: str | None, paints: tuple[str, str]) -> None:
        """Add a shape to the sketch of its role."""
        factor, alike = largest_stretch(state.to_metres)
        curves = curves_of(element.tag, element.attributes, state.size, SAGITTA / factor)
        stroke = None
        if paints[1] != NOTHING and any(
            not closed and (len(one) < 3 or paints[0] == NOTHING) for one, closed in curves
        ):
            across = length(state.styles["stroke-width"], 1.0, math.hypot(*state.size) / math.sqrt(2))
            # The mean of the two directions, where they are stretched differently.
            stroke = across * math.sqrt(abs(float(np.linalg.det(state.to_metres[:, :2]))))
        shape = Painted(
            name=f"{element.tag} {quote_name(element.attributes.get('id', 'without id'))}",
            curves=[(apply_map(state.to_metres, points), closed) for points, closed in curves],
            fill=paints[0] != NOTHING,
            even_odd=state.styles["fill-rule"] == "evenodd",
            stroke=stroke,
            wall=None if role in _MARKS else self.wall_thickness,
            disc=_disc(element, state, factor) if element.tag == "circle" and alike and curves else None,
        )
        if state.clip is not None:
            self.clips.spend(int(shapely.get_num_coordinates(state.clip)) + sum(len(points) for points, _ in curves))
        sketch = self.sketches.setdefault(role, Sketch())
        sketch.curved |= element.tag in ("circle", "ellipse", "path", "rect")
        if not shape.add_to(sketch, state.clip):
            self.left_out["shapes outside of their clip paths"] += 1

    def _role(self, element: Element) -> str | None:
        """Return the role of the layer that an element is, if it is one."""
        own = {name.lower() for name in names_of(element)}
        return next((role for role, name in self.roles.items() if name in own), None)

    def trace(self, scale: Scale, options: ImportOptions) -> Tracing:
        """Return what is solid, start and goal; the layers of those that the user named must exist."""
        for role in sorted(options.layers):
            if role not in self.sketches and role not in self.more:
                found = self.selection.listing(["layer"])
                raise UnusableFile(f"has nothing on a layer {quote_name(self.roles[role])}; it has {found}")
        self.selection.check()
        notes = [*scale.notes]
        walls, others = self.sketches.get("wall"), self.sketches.get(None)
        if walls is None and not self.selection.solid:
            walls = others
            notes.append(_offer(self.selection))
        elif others is not None:
            count = len(others.outlines) + len(others.lines) + len(others.filled)
            where = "that match no --solid" if self.selection.solid else "on other layers"
            notes.append(f"shapes {where} that were left out: {count}")
        if told := [f"{n} {what}" for what, n in sorted(self.left_out.items()) if n]:
            notes.append(f"left out: {', '.join(told)}")
        if walls is None or not (walls.outlines or walls.lines or walls.filled):
            raise UnusableFile("; ".join(["has no walls that can be read", *notes[1:]]))
        where_of = {role: f"layer {quote_name(self.roles[role].upper())}" for role in _MARKS}
        return walls.trace(
            start_of(self.sketches.get("start", Sketch()), where_of["start"], "start" in self.more),
            goal_of(self.sketches.get("goal", Sketch()), where_of["goal"], "goal" in self.more),
            notes,
            scale.page,
            options,
        )


def _offer(selection: Selection) -> str:
    """Return the note that everything counts as walls, with what could be chosen instead."""
    text = f"there is no layer {WALL.upper()}: all but start and goal counts as walls"
    kinds = Counter(key for key, _ in selection.counts)
    if keys := [key for key, least in (("layer", 1), ("fill", 2)) if kinds[key] >= least]:
        text += f": {selection.listing(keys)}"
    if likely := selection.likely():
        chosen = " ".join(f"--solid {quote(quote_name(name))}" for name in likely)
        text += f"; {chosen} takes only {'this' if len(likely) == 1 else 'these'}"
    return text


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


def _disc(element: Element, state: _State, factor: float) -> tuple[float, float, float]:
    """Return the centre and radius of a circle, x, y, radius [m]."""
    attributes, (w, h) = element.attributes, state.size
    centre = length(attributes.get("cx"), 0.0, w), length(attributes.get("cy"), 0.0, h)
    x, y = apply_map(state.to_metres, np.array([centre]))[0].tolist()
    return x, y, length(attributes.get("r"), 0.0, math.hypot(w, h) / math.sqrt(2)) * factor
