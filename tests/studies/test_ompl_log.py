"""Planning runs in OMPL's benchmark format."""

import sqlite3
import sys
from pathlib import Path

import pytest

pytest.importorskip("ompl")
from ompl import control, tools

import vinewright as vw
from planner.search.reverse.seeded_ompl import quiet_ompl
from studies.planning.ompl_log import EXACT, STATUSES, TIMEOUT, benchmark_text, write_database
from studies.planning.study import PlanningOutcome
from tests.conftest import Vinewright

SOLVED = PlanningOutcome("a b", "rrt", 3, 0.5, 2, 1, 1.25, 4, 1, 17, 900, 2.0, [(0.5, 2.014), (1.5, 1.0125)])
UNSOLVED = PlanningOutcome("a b", "rrt", 4, None, None, None, None, 0, 0, 18, 800, 2.01, [])
OTHER = PlanningOutcome("c", "sst-star", 3, 0.25, 1, 1, 1.0, 1, 0, 5, 700, 2.0, [(0.25, 1.01)])


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as database:
        return database.execute(query).fetchall()


def test_the_database_has_every_run(tmp_path: Path) -> None:
    """OMPL's reader finds each experiment, planner, run and better solution, with its numbers."""
    path = tmp_path / "benchmark.db"
    write_database(path, [SOLVED, UNSOLVED, OTHER], 2.0)
    assert rows(path, "SELECT name, timelimit, runcount FROM experiments ORDER BY id") == [("a_b", 2, 2), ("c", 2, 1)]
    assert rows(path, "SELECT name FROM plannerConfigs ORDER BY id") == [("rrt",), ("sst-star",)]
    columns = "experimentid, plannerid, seed, solved, status, time, solution_cost, solution_actuators, vine_steps"
    assert rows(path, f"SELECT {columns} FROM runs ORDER BY id") == [
        (1, 1, 3, 1, EXACT, 0.5, 1.0125, 1, 900),
        (1, 1, 4, 0, TIMEOUT, 2.01, None, None, 800),
        (2, 2, 3, 1, EXACT, 0.25, 1.01, 1, 700),
    ]
    assert rows(path, "SELECT time, best_cost FROM progress ORDER BY runid, time") == [
        (0.5, 2.014),
        (1.5, 1.0125),
        (0.25, 1.01),
    ]
    assert rows(path, "SELECT description FROM enums WHERE value = 6") == [("Exact solution",)]


def test_lines_are_those_that_ompl_writes(tmp_path: Path) -> None:
    """The log of a benchmark by OMPL itself has the same lines in the same order, but for names, numbers and free text."""
    setup = vw.ompl.space(vw.load_environment("divider"), vw.load_tube("prototype"))
    with quiet_ompl():
        benchmark = tools.Benchmark(setup, "divider")
        benchmark.addPlanner(control.RRT(setup.getSpaceInformation()))
        benchmark.benchmark(tools.Request(0.2, 4096.0, 1, 0.05, False, False, False))
        benchmark.saveResultsToFile(str(tmp_path / "theirs.log"))

    def skeleton(log: str) -> list[str]:
        """The fixed words of the lines outside free text, up to the planners."""
        kept, inside = [], False
        for line in log.splitlines():
            inside = inside and not line.startswith("|>>>")
            if not inside:
                words = [word for word in line.split("|")[0].split() if word.isalpha()]
                kept.append(" ".join(words))
            inside = inside or line.startswith("<<<|")
        return kept

    theirs, ours = (tmp_path / "theirs.log").read_text(), benchmark_text("c", [OTHER], 2.0)
    head = ["version", "Experiment", "Running on", "Starting at", "is the random seed", "seconds per run", "MB per run"]
    head += ["runs per planner", "seconds spent to collect the data", "enum type", "status", "planners"]
    for log in (theirs, ours):
        found = skeleton(log)
        at = -1
        for words in head:
            at = next(k for k in range(at + 1, len(found)) if words in found[k])
    assert "|".join(["\nstatus", *STATUSES]) in theirs
    assert theirs.rstrip().endswith("\n.")
    assert ours.rstrip().endswith("\n.")


def test_bench_plan_writes_them(vinewright: Vinewright, small_file: Path) -> None:
    """A log of the environment, and a database with the runs of both planners."""
    options = ("--seeds", "2", "--time-budget", "0.1", "--planner", "sst-star", "--planner", "rrt", "--format", "ompl")
    code, _, _ = vinewright("bench", "plan", "--env", small_file, *options, "--out", "found")
    assert code == 0
    folder = Path("found/planning")
    assert "\nsst-star\n" in (folder / "benchmark-small.log").read_text()
    assert rows(folder / "benchmark.db", "SELECT COUNT(*), COUNT(DISTINCT plannerid) FROM runs") == [(4, 2)]
    assert "| small | rrt |" in (folder / "README.md").read_text()
    assert vinewright("bench", "plan", "--env", small_file, *options, "--out", "found", "--force")[0] == 0


def test_bench_plan_knows_one_format(vinewright: Vinewright, small_file: Path) -> None:
    """Others, and planners that cannot be made, are refused in one line."""
    for arguments, said in ((("--format", "csv"), "--format csv"), (("--planner", "pdst"), "PDST of ompl")):
        code, _, error = vinewright("bench", "plan", "--env", small_file, *arguments, "--out", "found")
        assert code == 2
        assert said in error
        assert len(error.strip().splitlines()) == 1


def test_the_format_needs_ompl_before_the_runs(
    vinewright: Vinewright, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without OMPL it is refused in one line, and so are its planners; nothing is planned."""
    monkeypatch.setitem(sys.modules, "ompl", None)
    for module in [name for name in sys.modules if name.startswith("planner.search.ompl")]:
        monkeypatch.delitem(sys.modules, module)
    for command in (("bench", "plan", "--format", "ompl", "--env"), ("plan", "--planner", "rrt")):
        code, told, error = vinewright(*command, small_file, "--out", "found")
        assert code == 2
        assert error == "error: this needs OMPL: pip install -c constraints.txt ompl\n"
        assert "seed 0" not in told
        assert not Path("found").exists()
