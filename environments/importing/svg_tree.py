"""The elements of an SVG file and their styles, before anything is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from environments.importing.traced import UnusableFile

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
INKSCAPE = "http://www.inkscape.org/namespaces/inkscape"
_MOST_ELEMENTS = 200_000
DEEPEST = 100
"""Elements one within another, those that `use` refers to included."""
_MOST_RULES = 10_000
_MOST_EXPANDED = 1_000_000
"""Characters that all references to entities may become."""


@dataclass(slots=True)
class Element:
    """One element of the SVG namespace."""

    tag: str
    """Local name; empty for elements of other namespaces, which draw nothing."""
    attributes: dict[str, str]
    """Names without the SVG namespace; others as `{namespace}name`."""
    children: list[Element] = field(default_factory=list)
    text: str = ""
    """Only of style sheets."""


def target_of(element: Element) -> str:
    """Return the id of the element that a `use` repeats; "" if it is in another file."""
    target = element.attributes.get("href", element.attributes.get(f"{{{XLINK}}}href", ""))
    return target[1:] if target.startswith("#") else ""


def read_tree(data: bytes) -> Element:
    """Return the root element of a file. Nothing that the file refers to is fetched.

    Raises:
        UnusableFile: It is no SVG file, has too many elements, or declares entities that may grow without limit.
    """
    builder = _Builder(data)
    try:
        builder.parser.Parse(data, True)
    except UnusableFile:
        raise
    except expat.ExpatError as error:
        raise UnusableFile(f"is not valid XML: {error}") from None
    except (ValueError, LookupError) as error:  # an encoding that the parser does not know
        raise UnusableFile(f"cannot be decoded: {error}") from None
    if builder.root is None or builder.root.tag != "svg":
        raise UnusableFile(f"is not an SVG file: its root element must be svg in the namespace {SVG}")
    return builder.root


class _Builder:
    """Builds the tree from the parser's calls."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.expanded = 0
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.entity

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > _MOST_ELEMENTS:
            raise UnusableFile(f"has more than {_MOST_ELEMENTS} elements; leave out what does not matter")
        if len(self.open) >= DEEPEST:
            raise UnusableFile(f"has elements nested more than {DEEPEST} deep; ungroup some of them")
        space, _, local = name.rpartition("}")
        named = {("{" + key if "}" in key else key): value for key, value in attributes.items()}
        element = Element(local if space == SVG else "", named)
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and self.open[-1].tag == "style":
            self.open[-1].text += text

    def entity(self, name: str, parameter: bool, value: str | None, *_: str | None) -> None:
        # Old versions of Illustrator declare their namespaces as entities, which is harmless.
        if parameter or value is None or "&" in value or "%" in value:
            raise UnusableFile("declares entities that refer to others or to files; save it as plain SVG")
        self.expanded += len(value) * self.data.count(f"&{name};".encode())
        if self.expanded > _MOST_EXPANDED:
            raise UnusableFile("declares entities that make it too long; save it as plain SVG")


_SIMPLE = re.compile(r"(\*|[\w-]+)?([.#][\w-]+)?\Z")
INHERITED = {"fill": "black", "stroke": "none", "stroke-width": "1", "fill-rule": "nonzero", "visibility": "visible",
             "fill-opacity": "1", "stroke-opacity": "1", "color": "black", "clip-rule": "nonzero"}  # fmt: skip
"""Style of the root, from which all elements inherit."""
_STYLED = *INHERITED, "display", "opacity", "clip-path", "mask"
"""Properties that are read; the last ones are not inherited."""


def _parse_declarations(text: str) -> dict[str, str]:
    """Return the properties in a style attribute or in a rule."""
    found = {}
    for part in text.split(";"):
        key, _, value = part.partition(":")
        if key.strip() in _STYLED:
            found[key.strip()] = value.replace("!important", "").strip()
    return found


@dataclass(slots=True)
class Styles:
    """Style sheets with selectors of one element, class or id each, as drawing programs write them."""

    rules: dict[str, list[tuple[int, str, dict[str, str]]]] = field(default_factory=dict)
    """Rules by `.class`, `#id` or element name: position in the file, element name or `*`, and properties."""
    count: int = 0
    other: int = 0
    """Selectors that are not read."""

    def read(self, text: str) -> None:
        """Add the rules of a style sheet.

        Raises:
            UnusableFile: There are too many.
        """
        first, *after = text.split("/*")
        plain = first + "".join(part.partition("*/")[2] for part in after)
        for rule in plain.split("}"):
            selectors, _, body = rule.partition("{")
            properties = _parse_declarations(body)
            # What comes before is a statement such as @import.
            for selector in selectors.rpartition(";")[2].split(",") if properties else ():
                match = _SIMPLE.match(selector.strip())
                if match is None or not match[0]:
                    self.other += 1
                    continue
                tag, mark = match[1] or "*", match[2] or ""
                self.count += 1
                self.rules.setdefault(mark or tag, []).append((self.count, tag if mark else "*", properties))
                if self.count > _MOST_RULES:
                    raise UnusableFile(f"has more than {_MOST_RULES} rules of style; save it as plain SVG")

    def of(self, element: Element) -> dict[str, str]:
        """Return the properties that an element has itself: of its attributes, of rules and of its style attribute."""
        attributes = element.attributes
        own = {key: attributes[key].strip() for key in _STYLED if key in attributes}
        classes = attributes.get("class", "").split()
        keys = ["*"], [element.tag], [f".{name}" for name in classes], [f"#{attributes.get('id', '')}"]
        for level in keys:  # from the least to the most specific selector
            rules = sorted((rule for key in level for rule in self.rules.get(key, ())), key=lambda rule: rule[0])
            for _, tag, properties in rules:
                if tag in ("*", element.tag):
                    own.update(properties)
        own.update(_parse_declarations(attributes.get("style", "")))
        return {key: value for key, value in own.items() if value != "inherit"}
