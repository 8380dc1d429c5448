"""The file `schedule.json`: read back and applied, it gives the pressures of schedule.csv."""

import copy
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.operation import operation_of
from planner.fabrication.plumbing.operation_file import InvalidOperation, load_operation, operation_content
from planner.fabrication.plumbing.plumbing import BODY, plumbing_of
from planner.fabrication.plumbing.schedule import growth_schedule


def test_applied_again_it_gives_the_schedule(operated: Build, tmp_path: Path) -> None:
    """At each row of schedule.csv, the events that are read, set on the plumbing that is read, deliver the pressures of the row."""
    (tmp_path / "schedule.json").write_text(json.dumps(operation_content(operated)))
    operation, plumbing = load_operation(tmp_path)
    rows = list(csv.DictReader(io.StringIO(growth_schedule(operated))))
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        before_step = after is not None and row["grown_mm"] == after["grown_mm"]
        pressures = operation.pressures_at(1e-3 * float(row["grown_mm"]), held=not before_step)
        for line, pressure in plumbing.deliver(plumbing.setting(pressures)).items():
            assert pressure == pytest.approx(1e3 * float(row[f"{line}_kpa"]), abs=1.01), (row, line)


def test_it_is_read_as_it_was_made(operated: Build, tmp_path: Path) -> None:
    """Events, marks, regulators and valves are those of the build, and the columns by which a simple driver works agree with them."""
    content = operation_content(operated)
    (tmp_path / "schedule.json").write_text(json.dumps(content))
    operation, plumbing = load_operation(tmp_path / "schedule.json")
    made = operation_of(operated)
    assert (operation.names, len(operation.events)) == (made.names, len(made.events))
    assert [(one.name, pytest.approx(one.at, abs=1e-6)) for one in made.marks] == [
        (m.name, m.at) for m in operation.marks
    ]
    assert [(one.name, one.branches) for one in plumbing.regulators] == [
        (one.name, one.branches) for one in plumbing_of(operated).regulators
    ]
    for event in content["events"]:
        for line in content["lines"][1:]:
            pressure, name = event["set_kpa"][line["line"]], line["regulator"]
            assert (event["regulators_kpa"].get(name, 0.0) if line["valve"] is None else pressure) == pressure
            assert line["valve"] is None or (line["valve"] in event["open"]) == (pressure > 0)
    used = {line["line"]: line["used"] for line in content["lines"]}
    assert used == {BODY: True, **{one: any(e["set_kpa"][one] for e in content["events"]) for one in made.names}}


def wrong(content: dict[str, Any], change: str) -> dict[str, Any]:
    """The content with one fault."""
    made = copy.deepcopy(content)
    match change:
        case "schema":
            made["schema"] = 2
        case "valve":
            made["events"][1]["open"] = ["V9"]
        case "order":
            made["events"].reverse()
        case "pressure":
            del made["events"][1]["set_kpa"]["L1"]
        case "negative":
            made["events"][0]["set_kpa"]["L1"] = -1.0
        case "key":
            made["events"][0]["ramps"] = []
        case "mark":
            made["events"][1]["mark"] = "S7"
    return made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("schema", r"schedule.json: schema = 2 must be less than or equal to 1"),
        ("valve", "unknown valve 'V9'; known: V1, V2"),
        ("order", "events must be in the order of their grown_mm"),
        ("pressure", "the event at 300 mm must set every line once: L1, R2, body"),
        ("negative", r"events\[0\].set_kpa.L1 = -1.0 must be greater than or equal to 0"),
        ("key", r"unknown key events\[0\].ramps \(did you mean ramp\?\)"),
        ("mark", "unknown mark 'S7'; known: S1, S2"),
    ],
)
def test_faults_are_named(example: Build, tmp_path: Path, change: str, message: str) -> None:
    """One line with the file, the key, the value and what is allowed."""
    (tmp_path / "schedule.json").write_text(json.dumps(wrong(operation_content(example), change)))
    with pytest.raises(InvalidOperation, match=message) as error:
        load_operation(tmp_path)
    assert "\n" not in str(error.value)


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """A missing file and one that is no JSON."""
    with pytest.raises(InvalidOperation, match=r"schedule\.json"):
        load_operation(tmp_path)
    (tmp_path / "schedule.json").write_text("{")
    with pytest.raises(InvalidOperation, match="is not JSON"):
        load_operation(tmp_path)
