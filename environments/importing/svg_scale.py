"""Length of the units of an SVG drawing, and the position of its page."""

from __future__ import annotations

import math
import re

import numpy as np

from environments.importing.curves import compose, largest_stretch
from environments.importing.options import ImportOptions
from environments.importing.svg_shapes import MM_PER_PX, PHYSICAL, length, unit_of, view_box, viewport
from environments.importing.svg_tree import INKSCAPE, Element
from environments.importing.traced import UnusableFile

_OLD_PX = 25.4 / 90
"""Length of a pixel of Inkscape before version 0.92 [mm]; source: https://wiki.inkscape.org/wiki/Release_notes/0.92."""
_VERSION = re.compile(r"\s*(\d{1,4})\.(\d{1,4})[\w.]*")


class Scale:
    """Length of the units of a drawing, and position of its page.

    Raises:
        UnusableFile: The file does not say how long a unit is, and the user does not either.
    """

    def __init__(self, root: Element, options: ImportOptions) -> None:
        known = options.metres_per_unit
        mm_per_unit = options.mm_per_unit if known is None else 1e3 * known
        attributes, box = root.attributes, view_box(root.attributes)
        width, height = attributes.get("width"), attributes.get("height")
        physical = [unit_of(text) in PHYSICAL for text in (width, height)]
        old = _old_inkscape(root)
        self.notes: list[str] = []
        if mm_per_unit is None and not any(physical):
            of_old = f"{_OLD_PX:.6g} for those of 90 per inch of Inkscape {old}, which wrote it, " if old else ""
            raise UnusableFile(
                "does not say how large it is (its width and height have no unit such as mm); give --mm-per-unit, the length "
                f"of a unit of the drawing in mm: {MM_PER_PX:.6g} for pixels of 96 per inch, {of_old}{25.4 / 72:.6g} for points"
            )
        if mm_per_unit is not None:
            if not 0 < mm_per_unit < math.inf:
                raise UnusableFile(f"cannot be read with {mm_per_unit:g} mm per unit; it must be above 0")
            x, y, w, h = box or (0.0, 0.0, length(_parse_absolute(width), 0.0), length(_parse_absolute(height), 0.0))
            self.size = w, h
            per = np.array([[mm_per_unit, 0.0, -x * mm_per_unit], [0.0, mm_per_unit, -y * mm_per_unit]])
            page = w * mm_per_unit, h * mm_per_unit
            by = "as asked" if known is None else "by the known length"
            self.notes.append(f"a unit of the drawing is {mm_per_unit:g} mm, {by}")
        else:
            ratio = box[3] / box[2] if box is not None else 1.0
            w = length(width, 0.0) if physical[0] else length(height, 0.0) / ratio
            h = length(height, 0.0) if physical[1] else w * ratio
            if not (w > 0 and h > 0):
                raise UnusableFile(f"has the size {width} x {height}, which must be above 0")
            page = w * MM_PER_PX, h * MM_PER_PX
            mm_per_px = _OLD_PX if old and box is None else MM_PER_PX
            w, h = page[0] / mm_per_px, page[1] / mm_per_px
            self.size = (box[2], box[3]) if box is not None else (w, h)
            per = compose(
                np.array([[mm_per_px, 0.0, 0.0], [0.0, mm_per_px, 0.0]]), viewport(attributes, 0.0, 0.0, w, h)
            )
            reason = (
                f": pixels of 90 per inch, as Inkscape {old}, which wrote it, had them" if mm_per_px == _OLD_PX else ""
            )
            self.notes.append(f"a unit of the drawing is {largest_stretch(per)[0]:.6g} mm{reason}")
        flip = np.array([[0.001, 0.0, 0.0], [0.0, -0.001, 0.001 * page[1]]])
        self.to_metres = compose(flip, per)
        self.page = (0.0, 0.0, 0.001 * page[0], 0.001 * page[1]) if min(page) > 0 else None


def _old_inkscape(root: Element) -> str:
    """Return the version of Inkscape that wrote a drawing, if its pixels were 90 per inch; otherwise ""."""
    match = _VERSION.match(root.attributes.get(f"{{{INKSCAPE}}}version", ""))
    return match[0].strip()[:20] if match and (int(match[1]), int(match[2])) < (0, 92) else ""


def _parse_absolute(text: str | None) -> str | None:
    """Return a length that is no percentage, or none."""
    return None if unit_of(text) == "%" else text
