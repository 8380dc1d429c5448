"""Words for numbers and lists."""

from collections.abc import Sequence


def plural(count: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def duration_text(seconds: float) -> str:
    """Return a time [s] as text, in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def join(words: Sequence[str], last: str) -> str:
    """Join words with commas, and the last two with a word such as `and`."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def millimetres(length: float) -> str:
    """Format a length [m] in millimetres with at most one decimal."""
    return f"{round(1e3 * length, 1):.12g}"
