"""Tables in terminals of any width."""

import io
import re

import pytest
from rich.table import Table

from vinewright.console.tables import Terminal

HEADERS = "from mm", "to mm", "side", "pressure kPa", "description"
ROWS = [
    ("0", "1625", "right", "12.5", "a corner that is turned"),
    ("1625", "99999", "left", "-", "incomprehensibility"),
]
WORDS = {word for row in (HEADERS, *ROWS) for text in row for word in text.split()}


def printed(width: int, header: bool = True) -> str:
    table = Table(*HEADERS, title="sections of a tube", show_header=header)
    for row in ROWS:
        table.add_row(*row)
    text = io.StringIO()
    Terminal(file=text, width=width, soft_wrap=True, markup=False, highlight=False).print(table)
    return text.getvalue()


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("width", [200, 100, 80, 71, 60, 50, 45, 40, 30, 22])
def test_no_word_is_broken_or_cut(width: int, header: bool) -> None:
    """At any width down to that of the longest word, every word is there, and no line is longer than the width."""
    text = printed(width, header)
    expected = WORDS if header else WORDS - {word for text in HEADERS for word in text.split()}
    assert expected <= set(re.split(r"[\s│┃]+", text))
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


def test_what_fits_is_not_wrapped() -> None:
    """A wide terminal gets one line a row, with lines between columns, no wider than its text."""
    text = printed(200)
    assert re.search(r"│ 1625 +│ 99999 +│ left +│ - +│ incomprehensibility +│", text)
    assert max(map(len, text.splitlines())) < 80


def test_columns_are_wrapped_before_rows_are_split() -> None:
    """Where the longest words fit beside each other there are columns, without lines if these need the room; else one text a row."""
    assert "│" in printed(57)
    assert "│" not in printed(50)
    assert re.search(r"^ *1625 +99999 +left +- +incomprehensibility", printed(50), re.MULTILINE)
    assert "from mm 1625  to mm 99999" in printed(40)


def test_a_word_longer_than_the_terminal_is_not_broken() -> None:
    """It is left to the terminal, so that it can be copied."""
    table = Table(show_header=False, box=None)
    table.add_row("kernel cache", "/a/very/long/path/" + "x" * 50)
    text = io.StringIO()
    Terminal(file=text, width=30, soft_wrap=True).print(table)
    assert "/a/very/long/path/" + "x" * 50 in text.getvalue()
