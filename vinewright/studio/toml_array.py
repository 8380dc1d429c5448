"""Changing an array in the text of a TOML file: what stays keeps its text, its line and its comment."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

_TOKEN = re.compile(r"[\[\],]|#[^\n]*|[^\s\[\],#]+")
_LINE_END = re.compile(r"\r?\n")
_LAST_LINE = re.compile(r"\r?\n[^\n]*\Z")


class Style(NamedTuple):
    """How numbers and lines are written."""

    number: Callable[[float], str]
    newline: str


@dataclass(frozen=True, slots=True)
class _Item:
    """A value in an array, with what stands around it."""

    heading: str = ""
    """Blank lines and comments above its line: of this item and those after it, up to the next heading."""
    lead: str = ""
    """Between the line above, or the item before on the same line, and its text."""
    text: str = ""
    gap: str = ""
    """Between its text and its comma."""
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


def edited_array(
    text: str, old: Sequence[Any], new: Sequence[Any], origins: Sequence[int | None] | None, style: Style
) -> str:
    """The text of an array with other items.

    A deleted item takes the comment on its line with it. A comment above items stays until all of them are deleted, which
    are those up to the next comment or blank line.

    Args:
        text: An array of numbers, or of such arrays, from bracket to bracket.
        old: Its items, as many as in the text.
        new: What is to stand there.
        origins: For each new item, the index of the old one that it comes from, or None; None to find them.

    >>> edited_array("[1, 2.50,  3]", [1, 2.5, 3], [1, 2.5, 4], None, Style(str, "\\n"))
    '[1, 2.50,  4]'
    """
    parts = _parts(text)
    origins = _aligned(old, new) if origins is None else origins
    items = _inherited(parts.items, {one for one in origins if one is not None})
    first, fresh = _leads(parts, style.newline)
    made = []
    for place, (value, origin) in enumerate(zip(new, origins, strict=True)):
        if origin is None:
            item = _Item(lead=fresh, text=_written(value, style))
        elif old[origin] == value:
            item = items[origin]
        else:
            item = items[origin]
            nested = isinstance(value, list)
            changed = edited_array(item.text, old[origin], value, None, style) if nested else style.number(value)
            item = replace(item, text=changed)
        if place == 0 and not item.heading and not ("\n" in first and "\n" in item.lead):
            item = replace(item, lead=first)
        elif place > 0 and origin == 0 and "\n" not in item.lead:
            item = replace(item, lead=fresh)
        made.append(item)
    return _joined(replace(parts, items=made), style.newline)


def fresh_array(values: Sequence[Any], style: Style) -> str:
    """An array on one line.

    >>> fresh_array([[1, 2], [3, 4]], Style(str, "\\n"))
    '[[1, 2], [3, 4]]'
    """
    return f"[{', '.join(_written(one, style) for one in values)}]"


def is_bare(text: str) -> bool:
    """Whether an array has neither items nor lines nor comments."""
    return not text[1:-1].strip(" \t")


def _aligned(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """Origins of new items: those that are equal at both ends, and between them one after the other."""
    shorter = min(len(old), len(new))
    left = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    right = 0
    while right < shorter - left and old[-1 - right] == new[-1 - right]:
        right += 1
    common = shorter - left - right
    middle: list[int | None] = [*range(left, left + common), *[None] * (len(new) - shorter)]
    return [*range(left), *middle, *range(len(old) - right, len(old))]


def _written(value: Any, style: Style) -> str:
    return fresh_array(value, style) if isinstance(value, list) else style.number(value)


def _leads(parts: _Parts, newline: str) -> tuple[str, str]:
    """What stands before the first item, and before a new one anywhere else."""
    if not parts.items:
        # Only the brackets, perhaps with lines between them.
        found = _LAST_LINE.search(parts.tail)
        indented = newline + found[0].lstrip("\r\n") + "  " if found else " "
        return indented if found else "", indented
    lines = [one.lead for one in parts.items if "\n" in one.lead]
    between = parts.items[1].lead if len(parts.items) > 1 else " "
    return parts.items[0].lead, lines[-1] if lines else between


def _inherited(items: list[_Item], kept: set[int]) -> list[_Item]:
    """The items, where one that follows deleted ones has their heading, and their place on the line."""
    found, above = list(items), _Item()
    for place, item in enumerate(items):
        lead = item.lead if "\n" in item.lead or "\n" not in above.lead else above.lead
        found[place] = replace(item, heading=item.heading or above.heading, lead=lead)
        above = _Item() if place in kept else found[place]
    return found


def _parts(text: str) -> _Parts:
    tokens = [one for one in _TOKEN.finditer(text) if not one[0].startswith("#")]
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
    """What stands between two values: the rest of the line, and what begins with the line end; all of it on one line."""
    found = _LINE_END.search(blank)
    return (blank[: found.start()], blank[found.start() :]) if found else ("", blank)


def _joined(parts: _Parts, newline: str) -> str:
    """The array; a comment is never followed by anything on its line."""
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
