"""Changes of an array in the text of a TOML file: items that stay keep their text, line and comment."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

_TOKEN = re.compile(r"[\[\],]|#[^\n]*|[^\s\[\],#]+")
_LINE_END = re.compile(r"\r?\n")
_LAST_LINE = re.compile(r"\r?\n[^\n]*\Z")


class Style(NamedTuple):
    """Format of numbers and line ends."""

    number: Callable[[float], str]
    newline: str


@dataclass(frozen=True, slots=True)
class _Item:
    """A value in an array, with the blanks and comments around it."""

    heading: str = ""
    """Blank lines and comments above the line: they belong to all items up to the next heading."""
    lead: str = ""
    """Blanks between the line above, or the item before on the same line, and the text."""
    text: str = ""
    gap: str = ""
    """Blanks between text and comma."""
    trail: str = ""
    """The rest of the line, with its comment."""


@dataclass(frozen=True, slots=True)
class _Parts:
    head: str
    """The rest of the line after the opening bracket."""
    items: list[_Item]
    tail: str
    """The lines after the last item, up to the closing bracket."""
    comma: bool
    """Whether there is a comma after the last item."""


def edit_array(
    text: str, old: Sequence[Any], new: Sequence[Any], origins: Sequence[int | None] | None, style: Style
) -> str:
    """Change the items of an array in its text.

    The comment on the line of a deleted item is deleted too. A comment above items stays until all items up to the next
    comment or blank line are deleted.

    Args:
        text: An array of numbers or of arrays of numbers, from bracket to bracket.
        old: Its items, as many as in the text.
        new: The new items.
        origins: For each new item, the index of the old item that it comes from, or None; None to find them.

    >>> edited_array("[1, 2.50,  3]", [1, 2.5, 3], [1, 2.5, 4], None, Style(str, "\\n"))
    '[1, 2.50,  4]'
    """
    parts = _split_items(text)
    origins = _align(old, new) if origins is None else origins
    items = _inherit_places(parts.items, {origin for origin in origins if origin is not None})
    first, fresh = _leads(parts, style.newline)
    written = []
    for place, (value, origin) in enumerate(zip(new, origins, strict=True)):
        if origin is None:
            item = _Item(lead=fresh, text=_write_value(value, style))
        elif old[origin] == value:
            item = items[origin]
        else:
            item = items[origin]
            nested = isinstance(value, list)
            changed = edit_array(item.text, old[origin], value, None, style) if nested else style.number(value)
            item = replace(item, text=changed)
        if place == 0 and not item.heading and not ("\n" in first and "\n" in item.lead):
            item = replace(item, lead=first)
        elif place > 0 and origin == 0 and "\n" not in item.lead:
            item = replace(item, lead=fresh)
        written.append(item)
    return _join(replace(parts, items=written), style.newline)


def write_array(values: Sequence[Any], style: Style) -> str:
    """Write an array on one line.

    >>> fresh_array([[1, 2], [3, 4]], Style(str, "\\n"))
    '[[1, 2], [3, 4]]'
    """
    return f"[{', '.join(_write_value(value, style) for value in values)}]"


def is_bare(text: str) -> bool:
    """Return whether an array has neither items nor lines nor comments."""
    return not text[1:-1].strip(" \t")


def _align(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """Find the origins of new items: equal items at both ends, then the items between them in order."""
    shorter = min(len(old), len(new))
    left = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    right = 0
    while right < shorter - left and old[-1 - right] == new[-1 - right]:
        right += 1
    common = shorter - left - right
    middle: list[int | None] = [*range(left, left + common), *[None] * (len(new) - shorter)]
    return [*range(left), *middle, *range(len(old) - right, len(old))]


def _write_value(value: Any, style: Style) -> str:
    return write_array(value, style) if isinstance(value, list) else style.number(value)


def _leads(parts: _Parts, newline: str) -> tuple[str, str]:
    """Return the blanks before the first item, and before a new item elsewhere."""
    if not parts.items:
        # Only brackets, perhaps with lines between them.
        found = _LAST_LINE.search(parts.tail)
        indented = newline + found[0].lstrip("\r\n") + "  " if found else " "
        return indented if found else "", indented
    lines = [item.lead for item in parts.items if "\n" in item.lead]
    between = parts.items[1].lead if len(parts.items) > 1 else " "
    return parts.items[0].lead, lines[-1] if lines else between


def _inherit_places(items: list[_Item], kept: set[int]) -> list[_Item]:
    """Return the items; an item after deleted items gets their heading and their place on the line."""
    found, above = list(items), _Item()
    for place, item in enumerate(items):
        lead = item.lead if "\n" in item.lead or "\n" not in above.lead else above.lead
        found[place] = replace(item, heading=item.heading or above.heading, lead=lead)
        above = _Item() if place in kept else found[place]
    return found


def _split_items(text: str) -> _Parts:
    tokens = [token for token in _TOKEN.finditer(text) if not token[0].startswith("#")]
    spans, commas, depth, start = [], [], 0, 0
    for token in tokens[1:-1]:
        if token[0] == "[":
            start = token.start() if depth == 0 else start
            depth += 1
        elif token[0] == "]":
            depth -= 1
            if depth == 0:
                spans.append((start, token.end()))
        elif depth == 0 and token[0] == ",":
            commas.append(token.start())
        elif depth == 0:
            spans.append(token.span())
    head, lead = _split(text[1 : spans[0][0] if spans else -1])
    if not spans:
        return _Parts(head, [], lead, bool(lead.strip(" \t")))
    items = []
    for place, (start, end) in enumerate(spans):
        comma = commas[place] if place < len(commas) else None
        following = spans[place + 1][0] if place + 1 < len(spans) else len(text) - 1
        trail, after = _split(text[end if comma is None else comma + 1 : following])
        gap = "" if comma is None else text[end:comma]
        found = _LAST_LINE.search(lead)
        cut = found.start() if found else 0
        items.append(_Item(lead[:cut], lead[cut:], text[start:end], gap, trail))
        lead = after
    return _Parts(head, items, lead, len(commas) == len(spans))


def _split(blank: str) -> tuple[str, str]:
    """Split the blanks and comments between two values at the first line end; without a line end all go to the second part."""
    found = _LINE_END.search(blank)
    return (blank[: found.start()], blank[found.start() :]) if found else ("", blank)


def _join(parts: _Parts, newline: str) -> str:
    """Join the parts into the text of the array; nothing follows a comment on its line."""
    blanks_and_texts = [parts.head, ""]
    for place, item in enumerate(parts.items):
        comma = "," if parts.comma or place + 1 < len(parts.items) else ""
        blanks_and_texts += [item.heading, "", item.lead, item.text, item.gap, comma, item.trail, ""]
    pieces, in_comment = ["["], False
    for place, piece in enumerate([*blanks_and_texts, parts.tail, "]"]):
        if in_comment and piece and not _LINE_END.match(piece):
            pieces.append(newline)
        if piece:
            in_comment = place % 2 == 0 and "#" in piece[piece.rfind("\n") + 1 :]
        pieces.append(piece)
    return "".join(pieces)
