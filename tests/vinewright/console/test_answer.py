"""How a command ends: its exit code, its last line, and its document."""

import json
from pathlib import Path

import pytest

from vinewright.console.answer import Answer


@pytest.mark.parametrize(
    ("missed", "code", "expected"), [("", 0, 0), ("64.6 %, 90 % were asked", 0, 3), ("", 4, 4), ("too few", 4, 4)]
)
@pytest.mark.parametrize("as_json", [False, True])
def test_the_end_of_a_command(
    as_json: bool, missed: str, code: int, expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """3 if something was asked and not met, unless another code takes precedence; the last line says what; one document at most."""
    answer = Answer(as_json)
    answer.console.print("a note")
    assert answer.end({"length_mm": 25.0}, [Path("runs/plus"), None], missed, code) == expected
    out, errors = capsys.readouterr()
    lines = ["a note"] + [f"not met: {missed}"] * bool(missed)
    assert (errors if as_json else out).splitlines() == lines
    if not as_json:
        assert errors == ""
        return
    document = json.loads(out)
    assert document == {"met": not missed, "reason": missed or None, "wrote": ["runs/plus"], "length_mm": 25.0}
