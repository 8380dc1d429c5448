"""Changes of values in the text of a TOML file that keep every other byte.

A value is found by its path, whether its table has a header, dotted keys or braces. All changes refer to the text as it
was read, and are made together by `TomlText.result`. Only for text that `tomllib` has accepted, without arrays of tables.
"""

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from itertools import pairwise

Path = tuple[str, ...]
"""Names of tables and key, from the root of the file."""
Span = tuple[int, int]

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = re.compile(r"""[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|[\w-]+)[ \t]*""")
_STRING = r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_VALUE = re.compile(rf"{_STRING}|[^\s,\]}}#\[]+", re.DOTALL)
_IN_ARRAY = re.compile(rf"{_STRING}|#[^\n]*|[\[\]]", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n?")


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A key with its value, or the header of a table."""

    path: Path
    keys: tuple[Span, ...]
    """Spans of the last parts of the path; the first parts come from the table around the entry."""
    start: int
    end: int
    """Start and end of the entry's lines with the line end; in braces, of key and value."""
    value: Span | None
    """None for a header."""
    braces: Path | None
    """The table in braces that contains the entry; None outside braces."""


class TomlText:
    """The text of a TOML file, and changes of it.

    >>> file = TomlText("a = 1  # one\\n[t]\\nb = 2\\n")
    >>> file.set(("a",), "7")
    >>> file.set(("t", "c"), "8", after=["b"])
    >>> file.result()
    'a = 7  # one\\n[t]\\nb = 2\\nc = 8\\n'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
        self._first = int(text.startswith("\ufeff"))
        self._entries: list[_Entry] = []
        self._changes: list[tuple[int, int, str]] = []
        self._opened: set[Path] = set()
        self._tables: list[str] = []
        """Lines of new tables, without line ends."""
        self._scan()
        self._entries.sort(key=lambda one: one.start)
        self._values = {one.path: one for one in self._entries if one.value}
        self._headers = {one.path: one for one in self._entries if not one.value}

    def value(self, path: Path) -> str | None:
        """Return the text of a value, or None if the file does not have the key."""
        entry = self._values.get(path)
        return self.text[slice(*entry.value)] if entry and entry.value else None

    def in_braces(self, path: Path) -> bool:
        """Return whether a value is or would be in a table in braces, and must fit on its line."""
        if path in self._values:
            return self._values[path].braces is not None
        return path[:-1] in self._values or any(one.braces for one in self._entries_of(path[:-1]))

    def set(self, path: Path, value: str, after: Collection[str] = ()) -> None:
        """Return change a value, or add the key, and its table if there is none.

        Args:
            value: Text of the value.
            after: Keys of the same table that a new key follows.
        """
        table, siblings = path[:-1], self._entries_of(path[:-1])
        before = [one for one in siblings if one.path[-1] in after]
        anchor = before[-1] if before else self._headers.get(table) or (siblings[-1] if siblings else None)
        pair = f"{write_key(path[-1])} = {value}"
        if (entry := self._values.get(path)) and entry.value:
            self._changes.append((*entry.value, value))
        elif anchor and anchor.value:
            line = self.text[anchor.keys[0][0] : anchor.keys[-1][0]] + pair
            if anchor.braces is not None:
                self._changes.append((anchor.end, anchor.end, f", {line}"))
            else:
                indentation = self.text[max(anchor.start, self._first) : anchor.keys[0][0]]
                self._add_line(anchor.end, indentation + line)
        elif anchor:
            self._add_line(anchor.end, pair)
        elif (braces := self._values.get(table)) and braces.value:
            # Empty braces.
            separator = ", " if table in self._opened else ""
            self._changes.append((braces.value[1] - 1, braces.value[1] - 1, separator + pair))
            self._opened.add(table)
        else:
            # New tables follow all other changes, also those of a table at the end of the text.
            if table not in self._opened:
                self._tables += ["", f"[{'.'.join(table)}]"]
                self._opened.add(table)
            self._tables.append(pair)

    def remove(self, path: Path) -> None:
        """Remove a key with its line, if the file has it."""
        if path in self._values:
            self._remove({self._values[path]})

    def rename(self, parent: Path, names: Mapping[str, str | None]) -> None:
        """Rename the tables in a table, wherever they are written; remove the tables whose new name is None."""
        removed, depth = set[_Entry](), len(parent)
        for one in self._entries:
            own = depth - (len(one.path) - len(one.keys))
            if len(one.path) <= depth or one.path[:depth] != parent or own < 0 or one.path[depth] not in names:
                continue
            name, (start, end) = names[one.path[depth]], one.keys[own]
            quote = self.text[start] if self.text[start] in "\"'" else ""
            if name is None:
                removed.add(one)
            elif name != one.path[depth]:
                self._changes.append((start, end, f"{quote}{name}{quote}"))
        self._remove(removed)

    def result(self) -> str:
        """Make all changes, and return the text."""
        parts, at = [], 0
        for start, end, new in sorted(self._changes, key=lambda change: change[:2]):
            parts += [self.text[at:start], new]
            at = max(at, end)
        changed = "".join([*parts, self.text[at:]])
        if not self._tables:
            return changed
        ended = changed.endswith("\n")
        tables = self.newline.join(self._tables)
        return changed + ("" if ended else self.newline) + tables + (self.newline if ended else "")

    # ---- reading ----

    def _scan(self) -> None:
        text = self.text
        table: Path = ()
        at = self._next(self._first)
        while at < len(text):
            start = max(text.rfind("\n", 0, at) + 1, self._first)
            if text[at] == "[":
                table, keys, at = self._key(at + 1, ())
                at = self._line_end(at)
                self._entries.append(_Entry(table, keys, start, at, None, None))
            else:
                at = self._pair(at, start, table, None)
            at = self._next(at)

    def _pair(self, at: int, start: int, table: Path, braces: Path | None) -> int:
        """Read a key with its value; return the position after it, or after its line."""
        path, keys, at = self._key(at, table)
        at = self._next(at + 1)
        end = self._in_braces(at, path) if self.text[at] == "{" else _value_end(self.text, at)
        last = end if braces is not None else self._line_end(end)
        self._entries.append(_Entry(path, keys, start, last, (at, end), braces))
        return last

    def _in_braces(self, at: int, table: Path) -> int:
        at = self._next(at + 1)
        while self.text[at] != "}":
            at = self._next(at + 1 if self.text[at] == "," else self._pair(at, at, table, table))
        return at + 1

    def _key(self, at: int, table: Path) -> tuple[Path, tuple[Span, ...], int]:
        """Read a key with dots; return its path, the spans of its parts, and the position after it."""
        spans, names = [], []
        while True:
            found = _KEY.match(self.text, at)
            assert found  # the text is TOML
            spans.append(found.span(1))
            names.append(str(tomllib.loads(f"x={found[1]}")["x"]) if found[1][0] in "\"'" else found[1])
            at = found.end()
            if self.text[at] != ".":
                return (*table, *names), tuple(spans), at
            at += 1

    def _next(self, at: int) -> int:
        """Return the next position that is neither blank nor comment."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _line_end(self, at: int) -> int:
        found = _LINE.match(self.text, at)
        return found.end() if found else at

    def _entries_of(self, table: Path) -> list[_Entry]:
        """Return the entries of a table that have a value, in order."""
        return [one for one in self._entries if one.value and one.path[:-1] == table]

    # ---- writing ----

    def _add_line(self, at: int, line: str) -> None:
        complete = at <= self._first or self.text[at - 1] == "\n"
        self._changes.append((at, at, line + self.newline if complete else self.newline + line))

    def _remove(self, removed: Set[_Entry]) -> None:
        for number, one in enumerate(self._entries):
            if one in removed and one.value is None:
                self._changes.append((*self._section(number), ""))
            elif one in removed and one.braces is None:
                self._changes.append((one.start, one.end, ""))
        for braces in {one.braces for one in removed if one.braces is not None}:
            # Keys with dots stand in the same braces, though in another table.
            inside = [one for one in self._entries if one.braces == braces]
            kept = [number for number, one in enumerate(inside) if one not in removed]
            last = kept[-1] if kept else -1
            for one, following in pairwise(inside[: last + 1]):
                if one in removed:
                    self._changes.append((one.start, following.start, ""))
            if last + 1 < len(inside):
                start = inside[last].end if kept else inside[0].start
                self._changes.append((start, inside[-1].end, ""))

    def _section(self, number: int) -> Span:
        """Return the span of a table: its lines, the comment right above its header and the blank lines above the comment."""
        header, last, before = self._entries[number], number, number - 1
        while last + 1 < len(self._entries) and self._entries[last + 1].value:
            last += 1
        while before >= 0 and self._entries[before].braces is not None:
            before -= 1
        end = max(one.end for one in self._entries[number : last + 1])
        # A line before that is part of a value, as the end of a string, is not a comment.
        bound = self._entries[before].end if before >= 0 else self._first
        # `splitlines` would also split at characters that a comment may contain.
        lines = [one for one in _LINE.findall(self.text[bound : header.start]) if one]
        while lines and lines[-1].lstrip().startswith("#"):
            lines.pop()
        while lines and not lines[-1].strip():
            lines.pop()
        return bound + len("".join(lines)), end


def write_key(name: str) -> str:
    """Return a key as it is written: with quotes if it needs them."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value_end(text: str, at: int) -> int:
    """Return the position after a value that is not a table."""
    if text[at] != "[":
        found = _VALUE.match(text, at)
        assert found  # the text is TOML
        return found.end()
    depth = 0
    for token in _IN_ARRAY.finditer(text, at):
        depth += {"[": 1, "]": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    raise AssertionError("an array of valid TOML ends")
