"""Paint of the fill and stroke of SVG shapes: their colours, and whether they can be seen.

Source: https://www.w3.org/TR/css-color-4/.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping
from functools import lru_cache

from PIL import ImageColor

NOTHING = "none"
"""Paint of what is not painted."""
_LONGEST = 200
"""Characters of a value that are read: some expressions take long on long ones."""
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\Z")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)\Z")
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(%|deg)?\Z")
_NO_WIDTH = re.compile(r"\s*0*\.?0+\s*[a-z%]*\s*\Z", re.I)
_REFERENCE = re.compile(r"(url\([^)]*\))")


def paint_of(styles: Mapping[str, str], what: str) -> str:
    """Return the paint of a fill or stroke in lower case: a colour as #rrggbb, or a reference to a gradient or pattern.

    It is `NOTHING` for none and for a paint that cannot be seen. A colour in another notation is returned as it is.

    Args:
        styles: The style of the shape, with all that it inherits.
        what: `fill` or `stroke`.
    """
    if opacity_of(styles[f"{what}-opacity"]) == 0:
        return NOTHING
    if what == "stroke" and _NO_WIDTH.match(styles["stroke-width"][:_LONGEST]):
        return NOTHING
    text = styles[what][:_LONGEST].strip()
    color, alpha = _parse(styles["color"][:_LONGEST].strip() if text.lower() == "currentcolor" else text)
    return NOTHING if alpha == 0 else color


def is_none(styles: Mapping[str, str], what: str) -> bool:
    """Return whether the style says that there is no fill or no stroke."""
    return styles[what][:_LONGEST].strip().lower() == NOTHING


def opacity_of(text: str) -> float:
    """Return an opacity from 0 to 1, written as a number or in percent; 1 if it cannot be read."""
    match = _NUMBER.match(text[:_LONGEST].strip().lower())
    if match is None or match[2] == "deg":
        return 1.0
    return min(max(float(match[1]) / (100 if match[2] else 1), 0.0), 1.0)


@lru_cache(1000)
def _parse(text: str) -> tuple[str, float]:
    """Return a colour in lower case, as #rrggbb where that is possible, and its opacity."""
    if match := _REFERENCE.match(text):
        return match[1], 1.0
    text = text.lower()
    if text in (NOTHING, "transparent"):
        return NOTHING, 0.0
    text = str(ImageColor.colormap.get(text, text)).lower()
    if _HEX.match(text):
        digits = text[1:] if len(text) > 5 else "".join(2 * digit for digit in text[1:])
        return f"#{digits[:6]}", int(digits[6:] or "ff", 16) / 255
    if match := _FUNCTION.match(text):
        return _parse_function(match[1], match[2]) or (text, 1.0)
    return text, 1.0


def _parse_function(name: str, arguments: str) -> tuple[str, float] | None:
    """Return the colour and opacity of rgb() or hsl() with these arguments; None if they cannot be read."""
    parts = [_NUMBER.match(part) for part in re.split(r"[\s,/]+", arguments.strip())]
    numbers = [(float(part[1]), part[2] == "%") for part in parts if part is not None]
    if len(numbers) != len(parts) or len(parts) not in (3, 4):
        return None
    if name == "rgb":
        channels = [number / (100 if percent else 255) for number, percent in numbers[:3]]
    else:
        hue, saturation, lightness = (number for number, _ in numbers[:3])
        saturation, lightness = (min(max(share / 100, 0.0), 1.0) for share in (saturation, lightness))
        channels = list(colorsys.hls_to_rgb(hue / 360 % 1, lightness, saturation))
    color = "".join(f"{round(255 * min(max(channel, 0.0), 1.0)):02x}" for channel in channels)
    alpha = opacity_of(f"{parts[3][0]}") if len(parts) == 4 and parts[3] is not None else 1.0
    return f"#{color}", alpha
