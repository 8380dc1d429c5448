"""`vinewright reproduce`, in a process of its own where that may matter."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studies.search_variants.study import ABLATIONS
from tests.waiting import LONGEST

REPRODUCE = [sys.executable, "-c", "from vinewright.cli import main; main()", "reproduce"]


def reproduce(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*REPRODUCE, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=LONGEST)


@pytest.mark.slow
def test_tip_steering_is_drawn_and_reported(tmp_path: Path) -> None:
    """A picture, and a row for each pressure: the tip turns left, comes back, turns right, nearly as in free space."""
    done = reproduce("tip-steering", "--out", "new/figures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "new" / "figures" / "tip-steering"
    assert (folder / "tip-steering.png").read_bytes()[:4] == b"\x89PNG"
    assert sorted(os.listdir(folder)) == ["README.md", "data.json", "tip-steering.png"]
    rows = np.array(re.findall(r"\|".join([""] + [r" (-?[\d.]+) "] * 6 + [" grown"]), done.stdout), float)
    pressure, length, _, y, turn, free = rows.T
    assert pressure.tolist() == [0, 5, 10, 15, 35, 15, 10, 5, 0, -5, -10, -15, -35, -35]
    assert length.tolist() == [800] * 13 + [1000]
    np.testing.assert_array_equal(np.sign(y), np.sign(pressure))
    assert np.all(np.abs(turn) <= np.abs(free) + 0.1)  # the passage holds on to a little of the steered part
    np.testing.assert_allclose(turn, free, atol=3)
    np.testing.assert_allclose(turn[5:9], turn[3::-1], atol=0.05)


@pytest.mark.slow
def test_tip_steering_takes_another_tube(tmp_path: Path) -> None:
    """With `--tube` the passage is as wide as that tube needs, and the report names it; a mistake is one line, exit code 2."""
    (tmp_path / "thin.toml").write_text("schema = 1\nradius_mm = 27\n")
    done = reproduce("tip-steering", "--tube", "thin.toml", "--out", "new", cwd=tmp_path)
    assert done.returncode in (0, 3), done.stderr
    assert (
        "reproduce tip-steering --tube thin.toml --out new`"
        in (tmp_path / "new" / "tip-steering" / "README.md").read_text()
    )
    (tmp_path / "thin.toml").write_text("schema = 1\nradius_mm = 0\n")
    done = reproduce("tip-steering", "--tube", "thin.toml", "--out", "other", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "radius_mm" in done.stderr


@pytest.mark.slow
def test_table_2_is_made_with_its_pictures(tmp_path: Path) -> None:
    """Runs without the reverse tree and with both kinds, in a table beside its data and three pictures."""
    options = ["--env", "divider", "--runs", 1, "--time-budget", 1, "--out", "new"]
    done = reproduce("table2", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path / "new" / "table2")) == [
        "README.md", "cost-vs-time.png", "data.json", "reverse-trees.png", "success-vs-time.png",
    ]  # fmt: skip
    content = json.loads((tmp_path / "new" / "table2" / "data.json").read_text())
    used = [(run["environment"], run["switches"]["heuristic"], run["switches"]["contact"]) for run in content["runs"]]
    assert used == [("divider", False, True), ("divider", True, False), ("divider", True, True)]
    table = (tmp_path / "new" / "table2" / "README.md").read_text()
    assert "`vinewright reproduce table2 --runs 1 --time-budget 1 --env divider --out new`" in table


@pytest.mark.slow
def test_an_interrupted_study_keeps_what_was_measured(tmp_path: Path) -> None:
    """Ctrl-C, which every process of the study gets, ends it with the table of the runs that were over.

    Also where it was begun in the background by a shell, which has it ignored.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    process = subprocess.Popen(
        [*REPRODUCE, "ablations", "--env", "divider", "--runs", "9", "--time-budget", "0.2", "--out", "out"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    assert process.stdout
    total = 9 * len(ABLATIONS.variants)
    for line in process.stdout:
        if f" of {total} runs" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    printed, errors = process.communicate(timeout=LONGEST)
    assert (process.returncode, errors) == (0, "")
    assert re.search(rf"interrupted after \d+ of {total} runs", printed)
    runs = json.loads((tmp_path / "out" / "ablations" / "data.json").read_text())["runs"]
    assert total // 10 <= len(runs) < total
    assert ", interrupted,` on" in (tmp_path / "out" / "ablations" / "README.md").read_text()


def test_a_walled_in_goal_cannot_be_studied(vinewright: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """Where no tree can grow, table 2 says so before it plans anything."""
    (tmp_path / "shut.toml").write_text(
        'schema = 1\nunit = "mm"\nbounds = { min = [0, 0], max = [900, 900] }\n'
        "start = { position = [200, 200], heading_deg = 0 }\ngoal = { position = [800, 800], radius = 50 }\n"
        "obstacles = { walls = [[600, 0, 600, 900, 0]] }\n"
    )
    code, printed, errors = vinewright("reproduce", "table2", "--env", "shut.toml", "--runs", 1)
    assert (code, printed) == (2, "")
    assert errors.startswith(
        "error: shut: the goal is walled in: no path as wide as the tube leads from the start to it"
    )
    assert errors.count("\n") == 1
