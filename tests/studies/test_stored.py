"""Stored results: which are current, which pages quote them, and measuring stale ones again."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planner.output.dependencies import find_dependencies
from studies import remaking
from studies.remaking import Choice, choose, make_again
from studies.status import measure_stale, print_status
from studies.stored import (
    ROOT,
    State,
    StoredResult,
    find_pages,
    find_quotes,
    plain_command,
    quoted,
    read_results,
    read_rows,
)
from tests.waiting import wait_until
from vinewright.console.errors import BadInput

MODULE = "studies.euler_lagrange.command"
COMMAND = "vinewright reproduce euler-lagrange"


def store(results: Path, name: str, command: str = COMMAND, **data: object) -> Path:
    """A folder of results with data that depend on the source as it is; other data replace these."""
    known = find_dependencies(MODULE, command).content()
    content = {"schema": 1, "command": f"{command} --out results", "date": "2026-11-20", "seconds": 60.0}
    content |= {"versions": {"vinewright": "0.3.0"}, "depends_on": known} | data
    (results / name).mkdir(parents=True)
    (results / name / "data.json").write_text(json.dumps(content))
    (results / name / "README.md").write_text(f"# {name}\n")
    return results / name


def changed(*names: str) -> dict[str, object]:
    """Make the dependencies of a result, with other hashes of some modules."""
    content = find_dependencies(MODULE, COMMAND).content()
    assert content
    return content | {"modules": content["modules"] | dict.fromkeys(names, "another")}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Four results: a current one, a stale one, one without dependencies, and one that is missing."""
    folder = tmp_path / "results"
    store(folder, "good")
    store(folder, "old", depends_on=changed("dynamics.euler_lagrange.model", "gone"), date="2026-11-19", seconds=1800.0)
    store(folder, "older", depends_on=None, date="", seconds=3600.0)
    rows = "".join(
        f"| [{name}]({name}/README.md) | whether | `{COMMAND}` |\n" for name in ("good", "old", "older", "new")
    )
    (folder / "README.md").write_text(f"# Results\n\n| Study | Question | Command |\n|---|---|---|\n{rows}")
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Of 10 vines 9 arrive ([good](results/good/README.md)).\n")
    (tmp_path / "docs" / "page.md").write_text("Of 10 vines 9 arrive ([old](../results/old/README.md)).\n")
    return folder


def test_results_are_current_stale_or_missing(results: Path) -> None:
    """By the hashes that they store; the reason names what changed."""
    found = {one.name: one for one in read_results(results)}
    assert {name: one.state for name, one in found.items()} == {
        "good": State.CURRENT, "old": State.STALE, "older": State.STALE, "new": State.MISSING,
    }  # fmt: skip
    assert found["good"].reason == ""
    assert found["old"].changes == ["dynamics.euler_lagrange.model", "gone"]
    assert found["old"].reason == "changed since: dynamics.euler_lagrange.model, gone"
    assert found["older"].reason == "it does not say what it depends on"
    assert (found["old"].command, found["old"].seconds, found["old"].version) == (COMMAND, 1800.0, "0.3.0")


def test_status_says_what_is_stale_and_who_quotes_it(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line with date, version, time and command; exit code 3 while a page quotes a stale result."""
    assert print_status(results) == 3
    printed = capsys.readouterr().out
    assert f"current  good   2026-11-20  0.3.0      60 s  {COMMAND}\n" in printed
    assert f"stale    old    2026-11-19  0.3.0    30 min  {COMMAND}\n" in printed
    assert "changed since: dynamics.euler_lagrange.model, gone; quoted by docs/page.md\n" in printed
    assert "1 current, 2 stale, 1 missing\nnot met: pages quote results that are not current: old\n" in printed
    (results.parent / "docs" / "page.md").unlink()
    assert print_status(results) == 0


def test_outside_the_source_tree_status_says_so(tmp_path: Path) -> None:
    """One line, exit code 2."""
    with pytest.raises(BadInput, match="in the source tree only"):
        print_status(tmp_path / "results")


def test_the_oldest_are_chosen_as_far_as_the_time_reaches(results: Path) -> None:
    """Those without a date first; current and missing ones never."""
    stored = read_results(results)

    def chosen(hours: float) -> list[tuple[str, bool]]:
        return [(one.result.name, not one.skipped) for one in choose(stored, hours, {}, results.parent)]

    assert chosen(1.5) == [("older", True), ("old", True)]
    assert chosen(1.4) == [("older", True), ("old", False)]
    assert chosen(0.9) == [("older", False), ("old", True)]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("vinewright validate --recordings DIR", "needs --recordings DIR"),
        ("vinewright robustness divider runs/divider", "needs runs/divider, which is not here"),
        ("vinewright reproduce snaps", ""),
    ],
)
def test_what_lacks_an_input_is_left_out(tmp_path: Path, command: str, reason: str) -> None:
    """With a reason; a folder of recordings that is given takes its place in the command."""
    result = StoredResult("one", command, State.STALE, [], "", "", 1.0)
    assert [one.skipped for one in choose([result], 1.0, {}, tmp_path)] == [reason]
    (given,) = choose([result], 1.0, {"--recordings": Path("/data/real")}, tmp_path)
    assert given.command == command.replace("DIR", "/data/real")


def test_a_time_that_is_unknown_is_left_out(tmp_path: Path) -> None:
    """It might take all night."""
    (one,) = choose([StoredResult("one", COMMAND, State.STALE, [])], 1e3, {}, tmp_path)
    assert one.skipped == "the time that it took was not recorded"


def test_stored_commands_are_plain() -> None:
    """Without --out and the note of an interruption; lists of numbers stay."""
    assert plain_command("vinewright bench gpu --out results, interrupted,") == "vinewright bench gpu"
    assert (
        plain_command("vinewright robustness a b --levels 0,5 --out x --seed 0")
        == "vinewright robustness a b --levels 0,5 --seed 0"
    )


def fake(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run this code, with the arguments, in place of Vinewright."""
    monkeypatch.setattr(remaking, "RUN", [sys.executable, "-c", code])


WRITE = "import json, sys; open(f'results/old/data.json', 'w').write(json.dumps({'command': 'vinewright x'%s, 'arguments': sys.argv[1:]}))"


def test_a_stale_result_is_measured_again(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its command, into its folder; also if it ends with exit code 3, which is a result."""
    fake(monkeypatch, f"{WRITE % ''}; sys.exit(3)")
    choice = Choice(read_results(results)[1], f"{COMMAND} --runs 3")
    assert make_again(choice, results) == ""
    assert json.loads((results / "old" / "data.json").read_text())["arguments"] == [
        *("reproduce", "euler-lagrange", "--runs", "3", "--out", "results", "--force")
    ]


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (f"{WRITE % ''}; print('error: full', file=sys.stderr); sys.exit(4)", "exit code 4: error: full"),
        (WRITE % " + ', interrupted,'", "interrupted"),
    ],
)
def test_a_result_is_not_replaced_by_a_part_of_it(
    results: Path, monkeypatch: pytest.MonkeyPatch, code: str, failure: str
) -> None:
    """After a failure, or if the study ended early, its folder is as it was."""
    before = {file.name: file.read_bytes() for file in (results / "old").iterdir()}
    fake(monkeypatch, code)
    assert make_again(Choice(read_results(results)[1], COMMAND), results) == failure
    assert {file.name: file.read_bytes() for file in (results / "old").iterdir()} == before


def test_a_line_for_each_and_what_is_left(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line says how many are as they were."""
    fake(monkeypatch, WRITE % "")
    assert measure_stale(0.6, {}, results) == 3
    printed = capsys.readouterr().out
    assert "older: left out: it took 1 h, and 0.6 h are left\n" in printed
    assert f"1 of 1: old, took 30 min: {COMMAND}\n" in printed
    assert "not met: 1 of 2 stale results are as they were\n" in printed


def test_ctrl_c_leaves_the_folder_as_it_was(results: Path) -> None:
    """The study gets it, may end, and what it wrote is put back."""
    before = {file.name: file.read_bytes() for file in (results / "old").iterdir()}
    study = (
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    open('results/old/data.json', 'w').write('half')\n"
        "    open('ended', 'w').close()\n"
        "    sys.exit(0)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "open('begun', 'w').close()\n"
        "time.sleep(60)\n"
    )
    code = (
        "import signal, sys; from pathlib import Path; from studies import remaking; from studies.stored import read_results\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"remaking.RUN = [sys.executable, '-c', {study!r}]\n"
        f"results = Path({str(results)!r})\n"
        f"remaking.make_again(remaking.Choice(read_results(results)[1], {COMMAND!r}), results)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    wait_until((results.parent / "begun").exists, process)
    process.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in process.communicate()[1]
    assert (results.parent / "ended").exists()
    assert {file.name: file.read_bytes() for file in (results / "old").iterdir()} == before


def test_figures_beside_a_link_are_quotes() -> None:
    """Pictures are quotes too; digits in names, paths and code are no figures, and another paragraph is another quote."""
    assert [
        names
        for _, names in quoted("Of 10 vines 9 arrive ([a](results/a/README.md)).\n\nMore: [b](results/b/README.md).")
    ] == [["a"]]
    assert [
        names
        for _, names in quoted("* `--runs 3`, H200, [b](results/b2/README.md)\n* 3: [c](../results/c/README.md#x)")
    ] == [["c"]]
    assert [names for _, names in quoted("![A vine](../../results/d/vine.png)")] == [["d"]]


def test_the_readme_quotes_current_results_only() -> None:
    """A figure in it is one that this program would measure again."""
    rows = {name: command for name, _, command in read_rows(ROOT / "results")}
    names = find_quotes(ROOT)
    quotes = [name for name, pages in names.items() if "README.md" in pages]
    stored = [StoredResult.of(ROOT / "results" / name, rows[name]) for name in quotes]
    assert not [f"{one.name}: {one.reason}" for one in stored if one.state is not State.CURRENT]


def test_every_result_is_listed_and_quoted_results_exist() -> None:
    """The table has a row for each folder, and pages quote no other."""
    rows = [name for name, _, _ in read_rows(ROOT / "results")]
    assert sorted(rows) == sorted(path.parent.name for path in (ROOT / "results").glob("*/data.json"))
    assert find_quotes(ROOT).keys() <= set(rows)
    assert len([*find_pages()]) > 50
