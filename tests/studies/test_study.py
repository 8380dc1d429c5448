"""The one way to run a study: what is written, what Ctrl-C and a killed worker leave, and where it says it comes from."""

import ast
import io
import json
import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from rich.console import Console

from dynamics.propagator import CannotRun
from planner.output.claim import Occupied
from planner.output.dependencies import ROOT, Dependencies, find_dependencies
from planner.output.markdown import markdown_table
from planner.output.provenance import Provenance, machine
from tests.waiting import wait_until
from vinewright.cluster.cluster import SETTINGS, WorkerKilled
from vinewright.console.errors import MachineFault, NothingKept
from vinewright.console.study import Report, Study, format_data, run_cases, run_study
from vinewright.console.study_options import command_line

CASES = [1, 2, 3, 4]


def squares(cases: Sequence[int]) -> Iterator[int]:
    yield from (case**2 for case in cases)


def report(found: list[int]) -> Report:
    return Report("Squares", markdown_table(("square",), [[str(one)] for one in found]), {"squares": found})


def draw(path: Path, found: list[int]) -> None:
    path.write_text(str(sum(found)))


def study(**changes: object) -> Study[int, int]:
    parts: dict[str, object] = {"name": "squares", "cases": CASES, "run": squares, "report": report, "module": ""}
    return Study(**(parts | {"draw": {"sum.png": draw}} | changes))  # type: ignore[arg-type]


def run(made: Study[int, int], out: Path | None, force: bool = True) -> tuple[int, str]:
    """Exit code, and what was printed."""
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    return run_study(made, "vinewright squares", out, console, force).code, printed.getvalue()


def square_late(folder: Path, case: int) -> int:
    """The first case ends after another one."""
    if case == 1:
        wait_until(lambda: os.listdir(folder))
    else:
        (folder / str(case)).touch()
    return case**2


def test_results_are_reported_and_drawn_in_the_order_of_the_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers finish in any order."""
    monkeypatch.setattr("surrogate.kernels.compiled.thread_count", lambda: 2)
    ended = tmp_path / "ended"
    ended.mkdir()

    def listed(path: Path, found: list[int]) -> None:
        path.write_text(str(found))

    made = study(run=partial(map, partial(square_late, ended)), parallel=True, draw={"list.png": listed})
    assert run(made, tmp_path)[0] == 0
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4, 9, 16]
    assert (tmp_path / "squares" / "list.png").read_text() == "[1, 4, 9, 16]"


def test_a_study_writes_report_data_and_pictures(tmp_path: Path) -> None:
    """Three files in a folder of its name; both texts say by what command, where, in which time and with which versions."""
    code, printed = run(study(), tmp_path, force=False)
    assert code == 0
    assert os.listdir(tmp_path) == ["squares"]
    assert sorted(os.listdir(tmp_path / "squares")) == ["README.md", "data.json", "sum.png"]
    text = (tmp_path / "squares" / "README.md").read_text()
    made = f"vinewright squares --out {tmp_path.name}"
    assert text.startswith(f"# Squares\n\nMade by `{made}` on {machine()}, in 0 s, with python ")
    assert text.endswith("| square |\n|---|\n| 1 |\n| 4 |\n| 9 |\n| 16 |\n")
    data = json.loads((tmp_path / "squares" / "data.json").read_text())
    assert (data["schema"], data["command"], data["squares"]) == (1, made, [1, 4, 9, 16])
    assert data["versions"]["numpy"]
    assert (tmp_path / "squares" / "sum.png").read_text() == "30"
    assert "README.md, data.json, sum.png" in printed


def test_data_say_what_they_depend_on(tmp_path: Path) -> None:
    """Hashes of what the study's module imports, as it is when the study begins, and of what the user gives; null without a module."""
    (tmp_path / "given.txt").write_text("1")

    def change(cases: Sequence[int]) -> Iterator[int]:
        (tmp_path / "given.txt").write_text("2")
        yield from squares(cases)

    inputs = {"FILE": tmp_path / "given.txt"}
    command, module = "vinewright squares", "studies.euler_lagrange.command"
    before = find_dependencies(module, command, inputs)
    run(study(module=module, inputs=inputs, run=change), tmp_path)
    data = json.loads((tmp_path / "squares" / "data.json").read_text())
    assert Dependencies.of(data["depends_on"]) == before
    assert {"dynamics.euler_lagrange.model", "studies.euler_lagrange.study"} <= before.modules.keys()
    assert data["date"] == f"{datetime.now(UTC):%Y-%m-%d}"
    run(study(), tmp_path)
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["depends_on"] is None


def test_every_study_names_its_own_module() -> None:
    """Otherwise a result would depend on another study's modules."""
    calls = [
        (path, node)
        for path in [*(ROOT / "studies").rglob("*.py"), *(ROOT / "vinewright").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Study"
    ]
    named = {
        path.relative_to(ROOT).as_posix(): ast.unparse(one.value)
        for path, node in calls
        for one in node.keywords
        if one.arg == "module"
    }
    assert {path.relative_to(ROOT).as_posix() for path, _ in calls} == named.keys()
    others = {path: module for path, module in named.items() if module != "__name__"}
    assert others.keys() == {"studies/planning_runs.py", "vinewright/sweeps/report/study.py"}


def interrupted_after(count: int) -> object:
    def some(cases: Sequence[int]) -> Iterator[int]:
        yield from squares(cases[:count])
        raise KeyboardInterrupt

    return some


def test_data_have_a_line_for_each_result() -> None:
    """Nothing is lost, numbers stay together, and what is not a number is refused."""
    content = {
        "schema": 1,
        "range": [1.0, 2.5],
        "none": [],
        "runs": [{"seed": 0, "history": [[0.5, 1.0]]}, {"seed": 1}],
    }
    text = format_data(content)
    assert json.loads(text) == content
    assert text.splitlines() == [
        *("{", ' "schema": 1,', ' "range": [1.0, 2.5],', ' "none": [],', ' "runs": ['),
        *('  {"seed": 0, "history": [[0.5, 1.0]]},', '  {"seed": 1}', " ]", "}"),
    ]
    with pytest.raises(ValueError, match="not JSON compliant"):
        format_data({"runs": [{"cost": float("nan")}]})


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    """The report is that of the cases that were over, and says that it was interrupted."""
    code, printed = run(study(run=interrupted_after(2)), tmp_path)
    assert code == 0
    assert "interrupted after 2 of 4 runs" in printed
    assert ", interrupted,` on" in (tmp_path / "squares" / "README.md").read_text()
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4]


def test_ctrl_c_with_too_little_writes_nothing(tmp_path: Path) -> None:
    """Where half of the cases make no report, exit code 130 and one line; what was there before is as it was."""
    run(study(), tmp_path)
    before = {file.name: file.read_bytes() for file in (tmp_path / "squares").iterdir()}
    half = study(run=interrupted_after(2), enough=lambda found: len(found) == 4, least="all squares were known")
    with pytest.raises(NothingKept, match=r"^interrupted before all squares were known; nothing was written$") as ended:
        run(half, tmp_path)
    assert ended.value.exit_code == 130
    assert {file.name: file.read_bytes() for file in (tmp_path / "squares").iterdir()} == before


def test_an_error_while_drawing_changes_no_file(tmp_path: Path) -> None:
    """Report and data are not replaced without the pictures."""
    run(study(), tmp_path)

    def broken(_path: Path, _found: list[int]) -> None:
        raise ValueError("no ink")

    with pytest.raises(ValueError, match="no ink"):
        run(study(cases=[7], draw={"sum.png": broken}), tmp_path)
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4, 9, 16]
    assert os.listdir(tmp_path) == ["squares"]


def test_a_report_links_only_pictures_that_were_drawn(tmp_path: Path) -> None:
    """Ctrl-C while drawing keeps what was measured, and the pictures that are whole."""

    def linked(found: list[int]) -> Report:
        return Report("Squares", ["![Sums](sum.png)", "![Halves](half.png)", "![Rest](rest.png)"], {"squares": found})

    def interrupted(path: Path, _found: list[int]) -> None:
        path.write_text("half a pict")
        raise KeyboardInterrupt

    pictures = {"sum.png": draw, "half.png": interrupted, "rest.png": draw}
    assert "pictures are missing" in run(study(cases=[7], report=linked, draw=pictures), tmp_path)[1]
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [49]
    assert sorted(os.listdir(tmp_path / "squares")) == ["README.md", "data.json", "sum.png"]
    lines = (tmp_path / "squares" / "README.md").read_text().splitlines()
    expected = ["![Sums](sum.png)", *(f"*{one}: not drawn, because it was interrupted*" for one in ("Halves", "Rest"))]
    assert lines[-3:] == expected


def test_files_of_other_commands_stay(tmp_path: Path) -> None:
    """A study can keep files that other commands wrote into its folder; its own of an earlier report are gone."""
    run(study(draw={"old.png": draw}), tmp_path)
    (tmp_path / "squares" / "fuzz.json").write_text("{}")
    run(study(kept=("fuzz.json",)), tmp_path)
    assert sorted(os.listdir(tmp_path / "squares")) == ["README.md", "data.json", "fuzz.json", "sum.png"]


def test_results_are_kept_when_memory_runs_out(tmp_path: Path) -> None:
    """The exit code is that of a fault of the machine, and the report says why it is incomplete."""

    def large(cases: Sequence[int]) -> Iterator[int]:
        yield from squares(cases[:2])
        yield int(np.empty((10**6, 10**6, 10**3))[0, 0, 0])

    code, printed = run(study(run=large), tmp_path)
    assert code == 4
    assert "out of memory after 2 of 4 runs" in printed
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4]


def test_a_report_is_replaced_only_with_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is measured; by default a report goes to `runs` and the next to another folder there."""
    run(study(), tmp_path)
    with pytest.raises(Occupied, match="squares contains the report of a study"):
        run(study(run=None), tmp_path, force=False)
    monkeypatch.chdir(tmp_path)
    assert "wrote runs/squares/: " in run(study(), None)[1]
    assert "wrote runs/squares-2/: " in run(study(), None)[1]
    assert "Made by `vinewright squares` on" in Path("runs/squares/README.md").read_text()


def test_ctrl_c_after_the_last_case_does_not_lose_the_report(tmp_path: Path) -> None:
    """While the report is made, the signal is noted but does not end the command."""

    def slow(found: list[int]) -> Report:
        os.kill(os.getpid(), signal.SIGINT)
        return report(found)

    assert run(study(report=slow), tmp_path)[0] == 0
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4, 9, 16]


def square_or_be_killed(case: int) -> int:
    """Ends its own process as the kernel ends one for memory."""
    if case == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return case**2


def double_unless_killed(folder: Path, case: int) -> int:
    """Enough processes are killed for Dask to give up three cases, each at once, and then the first that runs again alone."""
    if len(os.listdir(folder)) < 3:
        tempfile.mkstemp(dir=folder)
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * case


@pytest.mark.slow
def test_cases_that_shared_a_worker_with_a_killer_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that run again after it was found guilty."""
    monkeypatch.setattr("surrogate.kernels.compiled.thread_count", lambda: 1)
    monkeypatch.setitem(SETTINGS, "distributed.scheduler.allowed-failures", 0)
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    killed = study(cases=[1, 1, 1], run=partial(map, partial(double_unless_killed, deaths)), parallel=True)
    code, printed = run(killed, tmp_path)
    assert code == 4
    assert "after 2 of 3 runs" in printed
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [2, 2]


@pytest.mark.slow
def test_a_case_that_kills_its_workers_ends_the_study(tmp_path: Path) -> None:
    """One line, the exit code of its own, and a report of all other cases."""
    killed = study(cases=[1, 2, 3, *range(4, 200)], run=partial(map, square_or_be_killed), parallel=True)
    code, printed = run(killed, tmp_path)
    assert code == 4
    why = "a worker process was killed each time (possibly out of memory)"
    assert f"{why} after 198 of 199 runs" in printed
    squared = json.loads((tmp_path / "squares" / "data.json").read_text())["squares"]
    assert squared == [case**2 for case in (1, 2, *range(4, 200))]
    assert f", {why},` on" in (tmp_path / "squares" / "README.md").read_text()


def test_a_worker_killed_before_any_result_is_an_error(tmp_path: Path) -> None:
    """Nothing is written, and the exit code is not that of bad input."""

    def killed(_cases: Sequence[int]) -> Iterator[int]:
        raise WorkerKilled
        yield 0

    with pytest.raises(MachineFault, match=r"^a worker process was killed .* before .*; nothing was written$") as error:
        run(study(run=killed), tmp_path)
    assert error.value.exit_code == 4
    assert os.listdir(tmp_path) == []


def square_or_fail(case: int) -> int:
    if case == 3:
        raise CannotRun("the planner's case 3")
    return case**2


def test_a_case_that_fails_loses_no_other(tmp_path: Path) -> None:
    """Results of all other cases are reported, also of those that end later; the exit code is that of the error."""
    code, printed = run(study(run=partial(map, square_or_fail), parallel=True), tmp_path)
    assert code == 2
    assert "error: the planner's case 3\na case failed after 3 of 4 runs" in printed
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4, 16]
    assert ", a case failed,` on" in (tmp_path / "squares" / "README.md").read_text()


def test_a_case_that_fails_before_any_result_is_the_error(tmp_path: Path) -> None:
    """Nothing is written; in a sequence, the cases before the failure are kept."""
    with pytest.raises(CannotRun, match="the planner's case 3"):
        run(study(cases=[3, 4], run=partial(map, square_or_fail)), tmp_path)
    assert os.listdir(tmp_path) == []
    assert run(study(run=partial(map, square_or_fail)), tmp_path)[0] == 2
    assert json.loads((tmp_path / "squares" / "data.json").read_text())["squares"] == [1, 4]


def wait_for_ever(case: int) -> int:
    if case:
        Event().wait()
    return case


@pytest.mark.slow
def test_leaving_early_ends_the_cases_under_way() -> None:
    """After the first result the others are not waited for."""
    results = run_cases(study(cases=[0, 1, 2], run=partial(map, wait_for_ever), parallel=True), None)
    assert next(results) == (0, 0)
    results.close()


def test_provenance_leaves_out_what_was_not_kept() -> None:
    """Older data has neither time nor versions: the line is shorter, and no key is made up."""
    made = Provenance("vinewright x", "a machine")
    assert made.line() == "Made by `vinewright x` on a machine."
    assert made.content() == {"schema": 1, "command": "vinewright x", "machine": "a machine"}


def test_tables_have_as_many_cells_as_headings() -> None:
    """A row that is too short or too long is refused."""
    assert markdown_table(("a", "b"), [["1", "2"]]) == ["| a | b |", "|---|---|", "| 1 | 2 |"]
    with pytest.raises(ValueError, match="a row of 1 cells in a table of 2 columns"):
        markdown_table(("a", "b"), [["1"]])


def test_commands_are_written_as_they_are_typed() -> None:
    """Options without a value are left out, lists repeated, underscores written as hyphens."""
    line = command_line("reproduce x", runs=3, time_budget=2.0, env=["a", "b"], weights=None)
    assert line == "vinewright reproduce x --runs 3 --time-budget 2 --env a --env b"
