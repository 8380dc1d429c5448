"""The page of messages quotes the program: every message there is in the source, and none is quoted twice."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import Vinewright

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "troubleshooting.md"
PACKAGES = "environments", "surrogate", "dynamics", "planner", "vinewright", "studies"
HEAD = "| message | cause | what to do |\n|---|---|---|\n"
FILLED = "\0"
"""Stands for what an f-string fills in; no message contains it."""


def quoted() -> list[str]:
    """The first cell of each row of the tables of messages, as written; `...` stands for what is filled in."""
    tables = [part.split("\n\n", 1)[0] for part in PAGE.read_text(encoding="utf-8").split(HEAD)[1:]]
    return [row.split(" | ")[0].removeprefix("| ").strip("` ") for table in tables for row in table.splitlines()]


@cache
def texts() -> list[str]:
    """All strings and f-strings of the packages, with `FILLED` for each value that is filled in."""
    paths = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]
    assert len(paths) > 300
    return [text for path in paths for text in strings(path.read_text(encoding="utf-8"))]


def strings(source: str) -> Iterator[str]:
    """The strings and f-strings of a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=parts):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else FILLED for part in parts)


def has(text: str, message: str) -> bool:
    """Whether the fixed pieces of a message stand in a text, in their order."""
    pieces = [re.escape(piece.strip(" ")) for piece in message.split("...")]
    return bool(re.search(".*".join(pieces), text, re.DOTALL))


@pytest.mark.parametrize("message", quoted())
def test_a_message_is_in_the_source(message: str) -> None:
    """Its fixed pieces stand in one string or f-string, with at least one word of three letters."""
    assert re.search(r"[A-Za-z]{3}", message)
    assert any(has(text, message) for text in texts()), message


def test_no_message_is_quoted_twice() -> None:
    """Each has one row, and the page has those of all topics."""
    assert len({*quoted()}) == len(quoted()) > 60


def test_every_row_has_three_cells() -> None:
    """A message, its cause, and what to do."""
    rows = [
        row
        for row in PAGE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| `[^|]+ \| [^|]+ \| [^|]+ \|$", row)
    ]
    assert len(rows) == len(quoted())


def test_a_changed_word_is_found() -> None:
    """Pieces must stand in one text, in their order; a value that is filled in is no word of a message."""
    text = next(strings('f"{path} contains {count} files; give another folder"'))
    assert has(text, "... contains ... files; give another folder")
    assert not has(text, "... contains ... files; give another file")
    assert not has(text, "... files; give ... contains ...")


@pytest.mark.parametrize(
    "command",
    [
        "plan maz",
        "plan plus --actuator spam,spam",
        "plan plus --propagator geometric --device cuda",
        "plan plus --fast --success 90",
        "plan plus maze",
        "tube check nowhere.toml",
        "map next",
        "sweep status nowhere",
    ],
)
def test_what_a_bad_command_prints_is_on_the_page(command: str, vinewright: Vinewright) -> None:
    """The line on stderr fits a message of the page."""
    code, _, errors = vinewright(*command.split())
    assert code == 2
    assert any(has(" ".join(errors.split()), message) for message in quoted()), errors
