"""`plan --resume`: a run that was stopped, or killed, ends as if it had not been."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.output.contents import CHECKPOINT, FILES
from vinewright.cli import main

KILLER = """
import os, random, shutil, signal, sys, time
import planner.drawing.plan, planner.plan.run.folder
from dynamics.tube import VineParams
from environments import load_environment
from vinewright.cli import main
import planner.plan.plan
from planner.plan import effort
from planner.search.run import Run
from planner.search.sst import Switches

effort.DEFAULT_EFFORT = effort.Effort(
    levels=(2, 4), heat=1, generations=2, patience=0, inserted=4, chosen_trials=40, other_trials=20, block=20
)
kills, *plan = int(sys.argv[1]), "plan", *sys.argv[2:]
planner.plan.searching.SAVED_EVERY = 0.0  # a checkpoint after every iteration
switches = Switches(heuristic="--heuristic" in plan)
Run.prepare(load_environment("divider"), VineParams(), switches=switches)  # once for all children


def child(*arguments, killed_after=None):
    pid = os.fork()
    if not pid:
        sys.stdout = sys.stderr = open(os.devnull, "w")
        sys.argv = ["vinewright", *arguments]
        main()
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


began = time.perf_counter()
assert child(*plan, "--out", "whole/run") == 0
lasted, moments = time.perf_counter() - began, random.Random(7)
for k in range(kills):
    out = f"run-{k}/run"
    os.mkdir(f"run-{k}")
    child(*plan, "--out", out, killed_after=moments.uniform((k + 0.2) / kills, (k + 1) / kills) * lasted)
    shutil.copytree(f"run-{k}", f"killed-{k}")
    if os.path.exists(f"{out}/checkpoint.npz"):
        assert child("plan", "--resume", out) == 0
    else:  # killed before its first checkpoint, or between the two renames of the folder
        assert child("plan", "--resume", out) == 2 or os.path.exists(f"{out}/checkpoint.npz")
        assert child(*plan, "--out", out, "--force") == 0
"""


def state_in(folder: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """All that a checkpoint holds but for times."""
    with np.load(folder / CHECKPOINT) as file:
        arrays = {name: file[name].tobytes() for name in file.files}
    facts = json.loads(arrays.pop("facts"))
    for timed in (facts, *facts["history"], facts["reverse_tree"] or {}):
        timed.pop("seconds", None)
    del facts["prepare_seconds"]
    return arrays, facts


@pytest.mark.parametrize(
    ("kills", "options"),
    [
        pytest.param(2, ["--fast"], marks=pytest.mark.slow),
        pytest.param(20, ["--fast"], marks=pytest.mark.slow),
        pytest.param(20, ["--fast", "--heuristic"], marks=pytest.mark.slow),
        pytest.param(20, [], marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_goes_on_to_the_same_end(tmp_path: Path, kills: int, options: list[str]) -> None:
    """Killed at random moments and resumed, a run ends to the last bit as one that was left alone; no file is ever half.

    Without `--fast` also in searches with friction, refinement and trials.
    """
    asked = ["divider", "--batch", "30", "--iterations", "5", "--seed", "1", *options]
    command = [sys.executable, "-c", KILLER, str(kills), *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    whole = tmp_path / "whole" / "run"
    gone_on = 0
    for k in range(kills):
        for entry in (tmp_path / f"killed-{k}").iterdir():
            assert entry.name == "run" or entry.name.startswith((".run.new.", ".run.old.", ".run.lock"))
        killed, run = tmp_path / f"killed-{k}" / "run", tmp_path / f"run-{k}" / "run"
        if killed.exists():
            assert {entry.name for entry in killed.iterdir()} <= set(FILES)
        if (killed / CHECKPOINT).exists():
            gone_on += state_in(killed)[1]["iteration"] < 5
        assert os.listdir(tmp_path / f"run-{k}") == ["run"]
        assert state_in(run) == state_in(whole)
        for name in ("design.json", "solutions.json"):
            assert (run / name).read_bytes() == (whole / name).read_bytes()
        fronts = [json.loads((folder / "run.json").read_text())["trials"] for folder in (run, whole)]
        assert fronts[0] == fronts[1]
    assert gone_on or kills < 20, "of so many moments some fall between two iterations"


@pytest.mark.slow
def test_a_run_that_ended_by_time_searches_on_to_more_iterations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that it had is no limit any more where only iterations are given again."""

    def iterations(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["vinewright", "plan", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        return int(json.loads((tmp_path / "run" / "run.json").read_text())["iterations"])

    run = tmp_path / "run"
    assert iterations("divider", "--fast", "--batch", 30, "--iterations", 5, "--time-budget", 1000, "--out", run) == 5
    assert iterations("--resume", run, "--time-budget", 1e-3) == 5
    assert iterations("--resume", run, "--iterations", 7) == 7


@pytest.mark.slow
def test_a_run_of_another_tube_is_resumed_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkpoint keeps the tube: in two goes as in one; another tube cannot be given later."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["vinewright", "plan", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    asked = "divider", "--tube", "el-hussieny-50mm", "--seed", 1, "--batch", 30, "--fast"
    run(*asked, "--iterations", 4, "--out", "whole")
    run(*asked, "--iterations", 2, "--out", "half")
    assert run("--resume", "half", "--tube", "prototype") == 2
    run("--resume", "half", "--iterations", 4)
    half, whole = state_in(tmp_path / "half"), state_in(tmp_path / "whole")
    assert half[0] == whole[0]
    assert half[1]["tube"] == whole[1]["tube"]
    assert half[1]["tube"]["radius_mm"] != 33.35
