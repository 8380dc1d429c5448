"""Machines as they are: without a home, in other languages, on narrow terminals."""

import sys
from pathlib import Path

import pytest

from tests.campaign.runs import PLAN, command, ran

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="limits and variables as on Linux")]


@pytest.mark.parametrize(
    "changed",
    [
        {"HOME": None, "XDG_CACHE_HOME": None, "MPLCONFIGDIR": None},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
        {"TERM": "dumb"},
        {"COLUMNS": "20", "LINES": "2"},
        {"PYTHONOPTIMIZE": "1"},
        {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"},
    ],
    ids=lambda changed: " ".join(changed)[:20],
)
def test_the_same_design_in_other_surroundings(place: Path, usual: bytes, changed: dict[str, str | None]) -> None:
    """Without a word on the error stream; what was planned can be shown and grown."""
    code, said, errors = ran(place, command(*PLAN), **changed)
    assert (code, errors) == (0, ""), errors
    assert "wrote run/" in said.replace("\n", " ")
    assert (place / "run" / "design.json").read_bytes() == usual
    assert ran(place, command("show", "run"), **changed)[::2] == (0, "")
    assert ran(place, command("simulate", "small.toml", "run"), **changed)[::2] == (0, "")


def test_a_working_folder_that_was_removed(place: Path, usual: bytes) -> None:
    """One line and exit code 2, where results would lie in it; with absolute paths the plan is as usual."""
    gone = place / "gone"
    inside = ["bash", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "bash"]
    code, _, errors = ran(place, [*inside, *command("plan", place / "small.toml", *PLAN[2:])])
    assert (code, errors.count("\n")) == (2, 1), errors
    assert "run cannot be written: the working folder has been removed; change to another" in errors
    code, _, errors = ran(place, [*inside, *command("plan", place / "small.toml", *PLAN[2:-1], place / "run")])
    assert (code, errors) == (0, "")
    assert (place / "run" / "design.json").read_bytes() == usual
    assert not gone.exists()
