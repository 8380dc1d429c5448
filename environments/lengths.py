"""Units of length in files, and lengths in messages."""

import math
from collections.abc import Iterable

UNITS = {"mm": 1000.0, "cm": 100.0, "m": 1.0}
"""Units of length in a file, per metre."""
SHOWN_UNITS = {**UNITS, "in": 1 / 0.0254, "ft": 1 / 0.3048}
"""Units of length in messages, per metre."""
_MOST_DECIMALS = 12


def format_length(value: float, unit: str, other: float | None = None) -> str:
    """Format a length without its unit: to 0.1 mm or to four digits, whichever is finer.

    Args:
        value: Length, in the unit.
        unit: One of `SHOWN_UNITS`.
        other: A length that the message compares it with, in the same unit: with as many digits more as it takes to
            tell the two apart.

    >>> rounded(26.2488095, "mm"), rounded(1.05, "m"), rounded(66.69999, "mm", 66.7)
    ('26.25', '1.05', '66.69999')
    """
    size = abs(value) if math.isfinite(value) else 0.0
    decimals = 4 - round(math.log10(SHOWN_UNITS[unit]))
    if size:
        decimals = min(max(decimals, 3 - math.floor(math.log10(size))), _MOST_DECIMALS)
    text = _format_finest(value, decimals)
    while (
        other is not None and value != other and text == _format_finest(other, decimals) and decimals < _MOST_DECIMALS
    ):
        decimals += 1
        text = _format_finest(value, decimals)
    return text


def format_lengths(values: Iterable[float], unit: str) -> str:
    """Format lengths as in a file: in brackets, each by `format_length`."""
    return f"[{', '.join(format_length(float(value), unit) for value in values)}]"


def format_position(point: Iterable[float]) -> str:
    """Format a position in metres as `(x, y) mm`, in whole millimetres."""
    return f"({', '.join(f'{round(1e3 * float(value)):d}' for value in point)}) mm"


def _format_finest(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
