"""Files of sweeps that cannot be used: one line that says what is wrong, exit code 2, and nothing is computed."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.vinewright.sweeps.folders import made_in, study, toml
from vinewright.sweeps.api import sweep
from vinewright.sweeps.errors import InvalidManifest, InvalidStudy
from vinewright.sweeps.study_file import check_study

Vinewright = Callable[..., tuple[int, str, str]]
PLAN = {"fast": True, "iterations": 2}
DESIGNS = {"schema": 1, "environments": {"files": ["small.toml"]}, "designs": {"files": ["one.json"]}}
RANDOM = {"density": 0.1, "width_mm": 500, "height_mm": 500}
BAD: list[tuple[dict[str, Any], str]] = [
    ({"schema": 2}, "schema"),
    ({"environments": {}}, "names no environment: give environments.files or [environments.random]"),
    ({"environments": {"files": []}}, "environments.files"),
    ({"environments": {"files": ["maze", "maze"]}}, "must not contain a value twice"),
    ({"environments": {"files": ["none*.toml"]}}, "'none*.toml' matches no file"),
    ({"environments": {"files": ["none.toml"]}}, "none.toml"),
    ({"environments": {"files": ["small.toml", "broken.toml"]}}, "broken.toml"),
    ({"environments": {"files": ["nowhere"]}}, "nowhere"),
    ({"environments": {"random": {"passage_mm": 70}}}, "density"),
    ({"environments": {"random": {"density": []}}}, "density"),
    ({"environments": {"random": {"density": 0.7}}}, "density"),
    ({"environments": {"random": {"density": 0.1, "width_mm": 1, "height_mm": 1}}}, "environments.random, density 0.1"),
    ({"environments": {"random": {**RANDOM, "seed": {"first": 3, "last": 2}}}}, "two integers, first and last"),
    ({"environments": {"random": {**RANDOM, "seed": {"first": 0, "last": 100_000}}}}, "at most 100000 values"),
    ({"environments": {"random": {**RANDOM, "seed": -1}}}, "seed"),
    ({"environments": {"random": {"density": 0.1, "seeds": 3}}}, "seeds"),
    ({"plans": {}}, "plans"),
    ({"plan": {"fats": True}}, "fats"),
    ({"plan": {"seed": []}}, "plan.seed"),
    ({"plan": {"seed": [0, 0]}}, "must not contain a value twice"),
    ({"plan": {"seed": 0.5}}, "plan.seed"),
    ({"plan": {"batch": [10, 3000]}}, "batch"),
    ({"plan": {"actuator": "spam"}}, "actuator"),
    ({"plan": {"propagator": "magic"}}, "magic"),
    ({"plan": {"uncertainty": "none such"}}, "plan.uncertainty = 'none such' must be one of "),
    ({"plan": {"planner": "rrt", "heuristic": [False, True]}}, "--heuristic needs --planner"),
    ({"trials": {"number": 5, "uncertainty": "none such"}}, "trials.uncertainty = 'none such' must be one of "),
    ({"trials": {"number": 0}}, "number"),
    ({"trials": {}}, "number"),
    (
        {"environments": {"files": ["small.toml", "tight.toml"]}, "tubes": {"radius_mm": [25, 60]}},
        "tight, with tube prototype: start.position = [60, 200] is 45 mm from box 1; at least 60 mm",
    ),
    ({"tubes": {"radius_mm": -1}}, "radius_mm"),
    ({"tubes": {"files": ["none.toml"]}}, "none.toml"),
    ({"tubes": {"colour": "red"}}, "colour"),
    ({"designs": {"files": ["one.json"]}}, "must have either a table [plan] or a table [designs]"),
    ({"plan": None}, "must have either a table [plan] or a table [designs]"),
    ({**DESIGNS, "plan": None, "trials": None}, "must have a table [trials] beside [designs]"),
    ({**DESIGNS, "plan": None, "tubes": {"radius_mm": 25}}, "must not have a table [tubes] beside [designs]"),
    ({**DESIGNS, "plan": None}, "one.json"),
    ({**DESIGNS, "plan": None, "designs": {"files": ["no*.json"]}}, "'no*.json' matches no file"),
]


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here no case must be computed."""

    def refused(*_: object) -> None:
        raise AssertionError("a case was computed")

    for name in ("make", "shard"):
        monkeypatch.setattr(f"vinewright.sweeps.{name}.run_case", refused)


@pytest.mark.parametrize(("changed", "words"), BAD, ids=lambda value: value[:30] if isinstance(value, str) else "")
def test_a_bad_file_is_refused_in_one_line(
    vinewright: Vinewright, place: Path, changed: dict[str, Any], words: str
) -> None:
    """Before anything runs or is written; the line names what is wrong."""
    (place / "broken.toml").write_text("schema = 1\nbounds = 7\n")
    (place / "tight.toml").write_text((place / "small.toml").read_text().replace("[250, 300, ", "[50, 245, "))
    content = {key: value for key, value in (study() | changed).items() if value is not None}
    (place / "study.toml").write_text(toml(content))
    code, said, errors = vinewright("sweep", "make", "study.toml", "--out", "out")
    assert (code, said, errors.count("\n")) == (2, "", 1), errors
    assert words in errors
    assert sorted(os.listdir(place)) == ["broken.toml", "small.toml", "study.toml", "tight.toml"]


@pytest.mark.parametrize("text", [b"", b"schema = ", b"\xff\xfe", b"schema = 1"])
def test_a_file_that_is_none_is_refused(vinewright: Vinewright, place: Path, text: bytes) -> None:
    """Neither TOML nor complete; the line begins with its name. So does that of a file that does not exist."""
    (place / "study.toml").write_bytes(text)
    for name in ("study.toml", "none.toml"):
        code, said, errors = vinewright("sweep", "make", name, "--out", "out")
        assert (code, said, errors.count("\n")) == (2, "", 1)
        assert errors.startswith(f"error: {name}: ")


def test_one_value_is_a_list_of_one() -> None:
    """A table of two integers is all from first to last, and integers may stand for numbers."""
    content = study(environments={"random": {"density": 0, "seed": {"first": 2, "last": 4}}})
    found = check_study(content)
    assert found.environments.random
    assert (found.environments.random.density, found.environments.random.seed) == ([0.0], [2, 3, 4])
    assert found.plan.fast == [True]  # type: ignore[attr-defined]
    assert found.trials
    assert (found.trials.number, found.trials.together) == (5, 1000)


def test_results_are_not_replaced_unasked(vinewright: Vinewright, place: Path) -> None:
    """Another sweep in the folder needs --force, and a folder with other files is never replaced."""
    made_in(place, study())
    before = (place / "sweep" / "sweep.json").read_bytes()
    code, _, errors = vinewright("sweep", "make", "study.toml", "--out", "sweep")
    assert (code, errors.count("\n")) == (2, 1)
    assert "sweep contains a sweep; give another --out, or --force to replace it" in errors
    (place / "sweep" / "notes.txt").write_text("mine")
    code, _, errors = vinewright("sweep", "make", "study.toml", "--out", "sweep", "--force")
    assert (code, errors.count("\n")) == (2, 1)
    assert "notes.txt" in errors
    assert (place / "sweep" / "sweep.json").read_bytes() == before


def test_python_refuses_the_same(place: Path) -> None:
    """`sweep` raises; it does not mix the sweeps of two studies in a folder."""
    with pytest.raises(InvalidStudy, match="must have either"):
        sweep({"schema": 1, "environments": {"files": ["maze"]}}, place / "out")
    assert not (place / "out").exists()
    folder = made_in(place, study())
    (place / "other.toml").write_text(toml(study(trials={"number": 6})))
    with pytest.raises(InvalidManifest, match="contains the sweep of another study; give another folder"):
        sweep(place / "other.toml", folder)


def test_the_options_of_commands_are_checked(
    vinewright: Vinewright, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards that do not exist, jobs without a number, formats, and schedulers that do not answer."""
    monkeypatch.setattr("vinewright.cluster.cluster.CONNECTING", 0.5)
    for name in ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"):
        monkeypatch.delenv(name, raising=False)
    made_in(place, study())
    for arguments, words in (
        (("run", "sweep", "--scheduler", "tcp://127.0.0.1:9"), "no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (("run", "sweep", "--scheduler", "x", "--workers", 2), "--workers is for this machine"),
        (("work", "sweep"), "give --shard, or start this as a job of an array"),
        (("work", "sweep", "--shard", 6), "--shard 6 must be from 0 to 5"),
        (("collect", "sweep", "table.txt"), "table.txt must end in .csv or .parquet"),
        (("report", "sweep"), "sweep has no results yet; next: vinewright sweep run sweep"),
        (("retry", "sweep", "--shard", 0), "--shard 0 was not set aside"),
        (("status", "nowhere"), "nowhere contains no sweep; make one with `vinewright sweep make`"),
        (("work", "small.toml", "--shard", 0), "small.toml"),
    ):
        code, said, errors = vinewright("sweep", *arguments)
        assert (code, errors.count("\n")) == (2, 1), (arguments, errors)
        assert words in errors
        assert not said
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "-1")
    assert "SLURM_ARRAY_TASK_ID = '-1' must be the number of a shard, from 0" in vinewright("sweep", "work", "sweep")[2]
    status = json.loads(vinewright("sweep", "status", "sweep", "--json")[1])
    assert (status["done"], status["missing"], status["set_aside"], status["cancelled"]) == (0, 6, [], False)
