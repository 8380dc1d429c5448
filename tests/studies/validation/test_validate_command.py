"""`vinewright validate`: all parts in one report; what was done before Ctrl-C is kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from dynamics.recording import Recording, write_recording
from dynamics.vine import Status
from studies.validation.friction import COEFFICIENTS, report, run_friction
from studies.validation.study import ValidationItem, ValidationPart, run_parts
from studies.validation.study import report as report_parts
from vinewright.cli import main
from vinewright.console.study import Study, run_study


class One(str):
    """An item that has content."""

    def content(self) -> dict[str, str]:
        return {"name": self}


def test_interrupted_parts_keep_what_was_done(tmp_path: Path) -> None:
    """The items before Ctrl-C are kept, of that part and of those before; the parts after it are not begun."""

    def until_interrupted() -> Iterator[str]:
        yield One("second")
        raise KeyboardInterrupt

    def never() -> Iterator[str]:
        raise AssertionError("begun after Ctrl-C")
        yield ""

    parts = [
        ValidationPart("a", "a", lambda: iter([One("first")]), 1, list),
        ValidationPart("b", "b", until_interrupted, 3, list),
        ValidationPart("c", "c", never, 1, list),
    ]
    study = Study("validation", parts, run_parts, lambda found: report_parts(parts, found), module="")
    found = run_study(study, "vinewright validate", tmp_path, Console())
    assert found.results == [ValidationItem("a", "first"), ValidationItem("b", "second")]
    data = json.loads((tmp_path / "validation" / "data.json").read_text())
    assert (data["command"], data["a"], data["b"]) == (
        f"vinewright validate --out {tmp_path.name}, interrupted,",
        [{"name": "first"}],
        [{"name": "second"}],
    )
    assert "c" not in data


@pytest.mark.slow
def test_all_parts_stand_in_one_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a folder of recordings and one propagator: tables, data (also on stdout), and every picture that the report shows."""
    lines = tuple(np.column_stack([np.linspace(0.03, end, 20), np.zeros(20)]) for end in (0.3, 0.4, 0.5))
    made = Recording("made", 0.0323, None, np.zeros(3), np.arange(3.0), lines, np.array([[0.8, -0.5, 0.8, 0.5]]), ())
    (tmp_path / "recordings").mkdir()
    write_recording(made, tmp_path / "recordings" / "made.json")
    arguments = "validate --recordings recordings --propagator geometric --out out --json"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["vinewright", *arguments.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    text, content = (
        (tmp_path / "out" / "validation" / "README.md").read_text(),
        json.loads((tmp_path / "out" / "validation" / "data.json").read_text()),
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed.items() >= content.items()
    assert printed["wrote"] == ["out/validation"]
    for part in ("Recorded growths", "Contacts with one obstacle", "The same designs", "Refinement"):
        assert f"## {part}" in text
    assert "Friction on the best designs" not in text, "it is the default's"
    assert {"recordings", "contacts", "cross_checks", "refinement"} <= set(content)
    assert content["recordings"][0]["mean_mm"] < 0.01
    pictures = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) == 5
    assert all((tmp_path / "out" / "validation" / picture).stat().st_size > 10_000 for picture in pictures)


@pytest.mark.slow
def test_friction_is_reported_by_environment() -> None:
    """Without friction the design of an environment ends in the goal, unmoved; with it a row says what becomes of it."""
    found = list(run_friction(["divider"]))
    assert [one.friction for one in found] == list(COEFFICIENTS)
    assert found[0].growth.reached
    assert found[0].moved == 0
    assert all(one.growth.status == Status.GROWN or one.moved > 0 for one in found)
    row = next(line for line in report(found) if line.startswith("| divider |"))
    assert row.count("|") == len(COEFFICIENTS) + 3
