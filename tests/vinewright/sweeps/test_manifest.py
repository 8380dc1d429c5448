"""Manifests and results: what was changed is refused or computed again, and rows are those of a plan or of trials."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import vinewright as vw
from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from environments import load_environment
from planner.design.design_file import design_content
from planner.design.drive_margin import drive_margin
from planner.design.replay import replay
from planner.output.folder import write_json
from planner.uncertainty.errors import named_errors
from planner.uncertainty.survey import ALL, Survey
from tests.full_disk import largest_file
from tests.vinewright.sweeps.folders import done_in, made_in, study
from vinewright.sweeps.case import Input, run_case
from vinewright.sweeps.errors import OtherProgram
from vinewright.sweeps.execution import SweepProgress
from vinewright.sweeps.folder import ShardResult, SweepFolder
from vinewright.sweeps.manifest import Manifest, program, program_difference, read_manifest
from vinewright.sweeps.shard import run_shard

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
Change = Callable[[Path], object]


@pytest.fixture
def made(place: Path) -> Path:
    """A sweep of six plans in three shards, of which nothing is done."""
    return made_in(place, study(), 2)


def edited(**changes: Any) -> Change:
    """Change entries of the manifest."""

    def change(folder: Path) -> None:
        content = json.loads((folder / "sweep.json").read_text())
        (folder / "sweep.json").write_text(json.dumps(content | changes))

    return change


def other_case(folder: Path) -> None:
    content = json.loads((folder / "sweep.json").read_text())
    content["cases"][3]["plan"]["seed"] = 77
    (folder / "sweep.json").write_text(json.dumps(content))


def other_input(folder: Path) -> None:
    path = min((folder / "inputs").iterdir())
    path.write_text(path.read_text().replace("0", "1", 1))


CHANGES: list[tuple[str, Change, str]] = [
    ("schema", edited(schema=2), "schema = 2 must be 1; it is of another version"),
    ("no schema", edited(schema=None), "schema = None must be 1"),
    ("a case", other_case, "the cases in sweep.json were changed"),
    ("no cases", edited(cases=[]), "the cases in sweep.json were changed"),
    ("a case missing", edited(shards=[[0, 2], [2, 4], [4, 5]]), "do not have every case once"),
    ("a case twice", edited(shards=[[0, 2], [1, 4], [4, 6]]), "do not have every case once"),
    ("shards out of order", edited(shards=[[2, 4], [0, 2], [4, 6]]), "do not have every case once"),
    ("shards of text", edited(shards=["all"]), "sweep.json is damaged"),
    ("time", edited(case_seconds="long"), "sweep.json is damaged"),
    ("an input", other_input, "is missing or was changed since the sweep was made"),
    ("no inputs", lambda folder: shutil.rmtree(folder / "inputs"), "is missing or was changed"),
    ("version", edited(program=program() | {"vinewright": "0.0.9"}), "was made for vinewright 0.0.9, and this is "),
    ("source", edited(program=program() | {"source": "0"}), "was made for another version of Vinewright's source"),
    ("no JSON", lambda folder: (folder / "sweep.json").write_text("{"), "sweep.json is not JSON"),
    ("a list", lambda folder: (folder / "sweep.json").write_text("[]"), "schema = None must be 1"),
    ("no manifest", lambda folder: (folder / "sweep.json").unlink(), "contains no sweep"),
]


@pytest.mark.parametrize(("change", "words"), [one[1:] for one in CHANGES], ids=[one[0] for one in CHANGES])
def test_a_folder_that_was_changed_is_refused(vinewright: Vinewright, made: Path, change: Change, words: str) -> None:
    """In one line that says what to do; exit code 2, and nothing is computed."""
    change(made)
    for command in (("run", "sweep"), ("work", "sweep", "--shard", 0)):
        code, said, errors = vinewright("sweep", *command)
        assert (code, said, errors.count("\n")) == (2, "", 1)
        assert words in errors
        assert "make" in errors
    assert done_in(made) == []


def test_results_of_another_program_can_be_looked_at(vinewright: Vinewright, made: Path) -> None:
    """Its status and its table; but nothing is added to them."""
    assert vinewright("sweep", "work", "sweep", "--shard", 0)[0] == 0
    manifest = read_manifest(made)
    edited(program=program() | {"numpy": "1.0"})(made)
    assert vinewright("sweep", "status", "sweep")[0] == 0
    assert vinewright("sweep", "work", "sweep", "--shard", 1)[0] == 2
    older = replace(manifest.shard(1), program=program() | {"numpy": "1.0"})
    with pytest.raises(OtherProgram, match=r"the sweep was made for numpy 1\.0, and this is "):
        run_shard(older)
    assert program_difference(program()) == ""
    assert program_difference({"a package that is not here": "1"}) == ""


def test_the_digest_of_a_shard_depends_on_all_that_it_reads(made: Path) -> None:
    """Environment, tube, options, trials and program; a result with another digest is not one of its own."""
    manifest = read_manifest(made)
    first = manifest.grid.cases[0]
    assert first.trials
    changes = [
        {"environment": manifest.grid.cases[0].tube},
        {"tube": first.environment},
        {"plan": first.plan | {"seed": 9}},
        {"trials": replace(first.trials, number=6)},
        {"trials": replace(first.trials, seed=1)},
        {"trials": None},
        {"factors": first.factors | {"seed": 9}},
        {"device": "cuda"},
    ]
    found = {manifest.shard(0).digest}
    for change in changes:
        cases = [replace(first, **change), *manifest.grid.cases[1:]]  # type: ignore[arg-type]
        found.add(replace(manifest, grid=replace(manifest.grid, cases=cases)).shard(0).digest)
    for name in program():
        found.add(replace(manifest, program=program() | {name: "other"}).shard(0).digest)
    assert len(found) == 1 + len(changes) + len(program())
    assert manifest.shard(0).digest == read_manifest(made).shard(0).digest
    assert replace(manifest, name="other", case_seconds=7.0).shard(0).digest == manifest.shard(0).digest


def damaged(text: str) -> Change:
    return lambda path: path.write_text(text)


def of_another(path: Path) -> None:
    shutil.copy(path.with_name("000002.json"), path)


def without_a_row(path: Path) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"rows": content["rows"][:1]}))


DAMAGES: list[Change] = [damaged(""), damaged('{"shard": 1, '), damaged("[]"), damaged("{}"), of_another, without_a_row]


def test_damaged_results_are_computed_again(vinewright: Vinewright, made: Path) -> None:
    """Also one of another shard; until then they are missing, and `collect` leaves their rows out."""
    for k in range(3):
        assert vinewright("sweep", "work", "sweep", "--shard", k)[0] == 0
    assert vinewright("sweep", "collect", "sweep", "whole.csv")[0] == 0
    whole = Path("whole.csv").read_bytes()
    path = made / "shards" / "000001.json"
    (made / "shards" / ".000001.partial").write_text("left by a process that was killed")
    (made / "shards" / "notes.json").write_text("{}")
    (made / "shards" / "000007.json").write_text("{}")
    for damage in DAMAGES:
        damage(path)
        assert "done 2, missing 1, set aside 0" in vinewright("sweep", "status", "sweep")[1]
        code, said, _ = vinewright("sweep", "collect", "sweep", "part.csv", "--force")
        assert code == 3
        assert "part.csv: 4 rows, 4 with a design\nnot met: 1 of 3 shards are not done" in said
        lines = whole.splitlines(keepends=True)
        assert Path("part.csv").read_bytes() == b"".join([*lines[:3], *lines[5:]])
        assert vinewright("sweep", "work", "sweep", "--shard", 1)[1].startswith("shard 1: 2 cases in ")
        assert vinewright("sweep", "collect", "sweep", "again.csv", "--force")[0] == 0
        assert Path("again.csv").read_bytes() == whole
    assert vinewright("sweep", "work", "sweep", "--shard", 1)[1] == "shard 1 is done already\n"
    code, _, errors = vinewright("sweep", "collect", "sweep", "again.csv")
    assert (code, errors.count("\n")) == (2, 1)
    assert "again.csv already exists" in errors


def test_a_damaged_note_of_a_failure_does_not_hide_its_shard(made: Path) -> None:
    """The shard is missing again; other files in that folder do not count."""
    folder = SweepFolder(made, read_manifest(made))
    folder.set_aside(1, "no luck")
    assert (folder.state().failures, folder.state().missing) == ({1: "no luck"}, [0, 2])
    for text in ("", "[]", "{}"):
        (made / "failed" / "000001.json").write_text(text)
        assert (folder.state().failures, folder.state().missing) == ({}, [0, 1, 2])


def test_a_shard_that_raises_in_work_is_set_aside(
    vinewright: Vinewright, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job ends with the error; the next `work` tries again, and a result lifts the note."""

    def broken(*_: object) -> None:
        raise CannotRun("no such luck")

    with monkeypatch.context() as patch:
        patch.setattr("vinewright.sweeps.shard.run_case", broken)
        code, _, errors = vinewright("sweep", "work", "sweep", "--shard", 2)
    assert (code, errors) == (2, "error: no such luck\n")
    folder = SweepFolder(made, read_manifest(made))
    assert list(folder.state().failures) == [2]
    assert folder.state().failures[2].startswith("no such luck (test_manifest.py, line ")
    assert vinewright("sweep", "work", "sweep", "--shard", 2)[0] == 0
    assert (folder.state().failures, folder.state().missing) == ({}, [0, 1])
    assert os.listdir(made / "failed") == []


def test_a_full_disk_leaves_no_part_of_a_result(vinewright: Vinewright, made: Path) -> None:
    """Exit code 4 and one line; it is no fault of the shard, which is computed again later, and earlier results stay."""
    assert vinewright("sweep", "work", "sweep", "--shard", 0)[0] == 0
    with largest_file(300):
        code, said, errors = vinewright("sweep", "work", "sweep", "--shard", 1)
    assert (code, said, errors.count("\n")) == (4, "", 1)
    assert "sweep/shards cannot be written: File too large" in errors
    assert os.listdir(made / "shards") == ["000000.json"]
    folder, kept = SweepFolder(made, read_manifest(made)), (made / "shards" / "000000.json").read_bytes()
    with largest_file(300), pytest.raises(vw.UnwritableFolder, match="File too large"):
        folder.keep(0, dict(folder.results())[0])
    assert (made / "shards" / "000000.json").read_bytes() == kept
    assert not (made / "failed").exists()
    assert vinewright("sweep", "work", "sweep", "--shard", 1)[0] == 0


def test_an_array_gives_the_number_of_a_shard(
    vinewright: Vinewright, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm's or that of Kubernetes."""
    for number, name in enumerate(("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX")):
        monkeypatch.setenv(name, str(number))
        assert vinewright("sweep", "work", "sweep")[1].startswith(f"shard {number}: 2 cases")
        monkeypatch.delenv(name)
    assert done_in(made) == ["000000.json", "000001.json"]


@pytest.mark.parametrize("command", [["collect", "sweep", "table.csv"], ["report", "sweep", "--out", "reports"]])
def test_a_table_and_what_it_lacks_are_of_one_moment(
    vinewright: Vinewright, made: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Another process ends a shard as soon as the results have been read: it is neither in the table nor counted as done."""
    results, last = SweepFolder.results, run_shard(read_manifest(made).shard(2))
    for number in range(2):
        SweepFolder(made, read_manifest(made)).keep(number, run_shard(read_manifest(made).shard(number)))

    def read(folder: SweepFolder) -> Iterator[tuple[int, ShardResult]]:
        yield from results(folder)
        folder.keep(2, last)

    monkeypatch.setattr(SweepFolder, "results", read)
    code, said, errors = vinewright("sweep", *command)
    assert (code, errors) == (3, "")
    assert "1 of 3 shards are not done" in said
    assert "wrote table.csv: 4 rows, 4 with a design" in said or "4 of 6 cases are done" in said
    rows, _ = SweepFolder(made, read_manifest(made)).table()
    assert [(row["case"], row["seed"]) for row in rows] == [(case, case) for case in range(6)]


def test_both_kinds_of_tables_hold_the_same(vinewright: Vinewright, place: Path) -> None:
    """In CSV, nothing is empty, and truth is a word; the rows of Python are the same too."""
    plan = {"fast": [True, False], "iterations": 2, "batch": 20, "solutions": 1}
    made = made_in(place, study(environments={"files": ["small.toml"]}, plan=plan, trials={"number": 3}))
    for k in range(2):
        assert vinewright("sweep", "work", "sweep", "--shard", k)[0] == 0
    for name in ("table.csv", "table.parquet"):
        assert f"wrote {name}: 2 rows, 2 with a design\n" in vinewright("sweep", "collect", "sweep", name)[1]
    rows, _ = SweepFolder(made, read_manifest(made)).table()
    assert pyarrow.parquet.read_table("table.parquet").to_pylist() == rows
    names, *lines = Path("table.csv").read_text().splitlines()
    assert names.split(",") == list(rows[0]) == list(rows[1])
    for line, row in zip(lines, rows, strict=True):
        words = {None: "", True: "true", False: "false"}
        texts = [words[one] if one is None or isinstance(one, bool) else str(one) for one in row.values()]
        assert line.split(",") == texts
    assert [row["case"] for row in rows] == [0, 1]
    assert [row["fast"] for row in rows] == [True, False]
    assert rows[0]["own_trials"] is None
    assert rows[1]["own_trials"] is not None


def test_a_row_is_what_a_plan_says(made: Path) -> None:
    """A design has the options of its plan; its trials are those that no plan uses."""
    manifest = read_manifest(made)
    environment = load_environment(made.parent / "small.toml")
    for case in manifest.grid.cases[:2]:
        row = run_case(case, manifest.grid.inputs)
        planned = vw.plan(environment, seed=case.plan["seed"], iterations=2, batch=20, fast=True)
        assert planned.best
        found = row["actuators"], row["length_mm"], row["iterations_done"], row["nodes"]
        length = round(planned.best.length * 1e3, 3)
        assert found == (planned.best.actuators, length, planned.iterations, len(planned.run.search.tree))
        assert row["outcome"] == "design"
        assert {name: row[name] for name in case.factors} == case.factors
        assert list(row)[: len(case.factors)] == list(case.factors)
        assert sum(int(row[name] or 0) for name in list(row)[-7:]) == row["trials"] == 5


def test_a_row_says_how_a_design_touches_walls(place: Path) -> None:
    """The part of growth in contact, and the greatest force and the least margin on the way."""
    environment = load_environment("divider")
    best = vw.plan(environment, seed=0, iterations=8, batch=20, fast=True).best
    assert best
    write_json(place / "one.json", design_content(best))
    content = study(environments={"files": ["divider"]}, designs={"files": ["one.json"]})
    del content["plan"]
    grid = read_manifest(made_in(place, content)).grid
    row = run_case(grid.cases[0], grid.inputs)
    forces = vw.simulate(best, environment).contact_force
    touching = [bool((forces_then > 0).any()) for forces_then in forces]
    assert row["contact_share"] == pytest.approx(sum(touching) / len(touching), abs=1e-4)
    assert row["greatest_contact_force_n"] == pytest.approx(max(map(max, forces.tolist())), abs=1e-4)
    margin = drive_margin(replay(best, QuasiStatic(environment, best.params)), best.params)
    assert margin
    least, *_, greatest = sorted(margin.margin.tolist())
    assert row["drive_margin"] == pytest.approx(least, abs=1e-6)
    assert greatest > least + 0.1


def test_the_state_of_a_sweep_counts_cases_and_hours(made: Path) -> None:
    """One shard of an hour is done: its hours, and for the cases that are left as many as it took for its own."""
    folder = SweepFolder(made, read_manifest(made))
    shard = folder.manifest.shard(0)
    folder.keep(0, ShardResult(shard.digest, [{} for _ in shard.cases], 3600.0))
    content = folder.state().content()
    cases, left = len(shard.cases), len(folder.manifest.grid.cases) - len(shard.cases)
    assert (content["done"], content["missing"]) == (1, len(folder.manifest.shards) - 1)
    assert content["core_hours"] == 1
    assert content["core_hours_left"] == pytest.approx(left / cases, abs=1e-4)


def test_the_time_left_is_that_of_all_threads() -> None:
    """Ten shards of 10 s on two threads take 50 s; nothing is known before the first, or without a worker."""
    progress = SweepProgress(total=20, done=8, failed=2, seconds=50.0, finished=5)
    assert progress.seconds_left(2) == 50
    assert progress.seconds_left(0) is None
    assert SweepProgress(20, 8, 2).seconds_left(2) is None


def test_plans_without_a_design_have_the_same_columns(made: Path) -> None:
    """Where no way leads out, and where too little was searched; what is not known is empty."""
    manifest = read_manifest(made)
    case = manifest.grid.cases[0]
    columns = list(run_case(case, manifest.grid.inputs))
    text = (made.parent / "small.toml").read_text()
    walls = "[[150, 0, 170, 500]]"
    walled = {case.environment: Input("small", text.replace("[[250, 300, 300, 500]]", walls))}
    far = {case.environment: Input("small", text.replace("[500, 230], radius = 60", "[680, 20], radius = 1"))}
    for inputs, outcome in ((walled, "walled in"), (far, "no design")):
        row = run_case(case, {**manifest.grid.inputs, **inputs})
        assert (row["outcome"], list(row)) == (outcome, columns)
        assert row["actuators"] is row["length_mm"] is row["reached"] is row["trials"] is None


@pytest.mark.parametrize("together", [40, 100, 150])
def test_trials_of_a_design_are_those_of_robustness(place: Path, together: int) -> None:
    """Errors depend on number and seed only, however they are split into cases."""
    environment = load_environment(place / "small.toml")
    best = vw.plan(environment, seed=1, iterations=2, batch=20, fast=True).best
    assert best
    write_json(place / "one.json", design_content(best))
    content = study(
        designs={"files": ["one.json"]},
        trials={"number": 130, "together": together, "uncertainty": "workshop", "seed": 3},
    )
    del content["plan"]
    manifest: Manifest = read_manifest(made_in(place, content))
    rows = [run_case(case, manifest.grid.inputs) for case in manifest.grid.cases]
    _, errors = named_errors(environment, best.params, "workshop")
    survey = Survey.of(best, environment, errors, 130, 3, alone=False)
    assert sum(survey.run()) == 130
    counted = {name.replace(" ", "_"): count for name, count in survey.counts[ALL].items()}
    assert {name: sum(int(row[name] or 0) for row in rows) for name in counted} == counted
    assert sum(int(row["trials"] or 0) for row in rows) == 130
    assert len(rows) == -(-130 // together)
    assert 0 < counted["reached"] < 130


def test_python_computes_what_is_missing(place: Path) -> None:
    """On a cluster of this machine; a second call computes nothing, and the rows are those of the folder."""
    path = made_in(place, study(plan={"fast": True, "iterations": 2, "batch": 20, "seed": [0, 1]}))
    folder = SweepFolder(path, read_manifest(path))
    folder.keep(1, run_shard(folder.manifest.shard(1)))
    rows = vw.sweep(place / "study.toml", path, workers=1)
    assert [(row["case"], row["seed"], row["outcome"]) for row in rows] == [(0, 0, "design"), (1, 1, "design")]
    before = [(path / "shards" / name).stat().st_mtime_ns for name in done_in(path)]
    assert vw.sweep(place / "study.toml", path) == rows == folder.table()[0]
    assert before == [(path / "shards" / name).stat().st_mtime_ns for name in done_in(path)]
