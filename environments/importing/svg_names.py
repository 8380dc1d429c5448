"""Names of the elements of an SVG drawing, by which parts of it are chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from environments.importing.svg_shapes import SHAPES
from environments.importing.svg_tree import INKSCAPE, Element

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{2,4})_")
_COPY = re.compile(r"_\d+_\Z")
_GIVEN = re.compile(rf"(?:{'|'.join(SHAPES)})[\d-]+\Z")
"""Ids of shapes that Inkscape made up."""
_TEXT = re.compile(r"texts?(?![a-z])", re.I)
"""Beginning of the names of text that became paths, as in text12-3, but not in texture."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of a shape and of the elements around it, the outermost first."""

    layers: tuple[str, ...] = ()
    """Labels and ids, in all spellings."""
    shown: tuple[str, ...] = ()
    """One name of each element that has one that a person can have given."""
    classes: tuple[str, ...] = ()

    def with_element(self, element: Element) -> Names:
        """Return these names and those of an element within."""
        shown = _label(element) or element.attributes.get("id", "")
        if element.tag not in (*SHAPES, "g") or (element.tag != "g" and _GIVEN.match(shown)):
            shown = ""
        return Names(
            (*self.layers, *names_of(element)),
            (*self.shown, shown) if shown else self.shown,
            (*self.classes, *element.attributes.get("class", "").split()),
        )


def names_of(element: Element) -> list[str]:
    """Return the label and the id of an element, as they are, and without the escapes of Illustrator.

    These are `_x5F_` for an underscore, `_1_` for a copy, and an underscore for a space.
    """
    names = []
    for text in filter(None, (_label(element), element.attributes.get("id"))):
        plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), _COPY.sub("", text))
        names += [text, plain, plain.replace("_", " ")]
    return list(dict.fromkeys(names))


def is_text(element: Element) -> bool:
    """Return whether an element is text that became paths: Inkscape keeps its letters as `aria-label`."""
    return "aria-label" in element.attributes or any(_TEXT.match(name) for name in names_of(element))


def _label(element: Element) -> str:
    return element.attributes.get(f"{{{INKSCAPE}}}label", element.attributes.get("data-name", ""))
