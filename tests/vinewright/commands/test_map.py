"""The command `vinewright map`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from planner.mapping import policies
from vinewright.cli import main

ENVIRONMENT = """
schema = 1
unit = "mm"
bounds = {min = [0, 0], max = [1000, 1000]}
start = {position = [500, 0], heading_deg = HEADING}
goal = {position = [500, 950], radius = 50}
[obstacles]
boxes = [[200, 300, 360, 460], [600, 600, 760, 760]BLOCK]
circles = [[200, 780, 90]]
"""


def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: object, heading: str = "90", block: str = ""
) -> int:
    file = tmp_path / "environment.toml"
    file.write_text(ENVIRONMENT.replace("HEADING", heading).replace("BLOCK", block))
    words = ["vinewright", "map", str(file), "--radius", "10", *map(str, arguments)]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_map_is_printed_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table, map.json with the same content, and a figure; a note says that circles become polygons."""
    out = tmp_path / "out"
    assert run(monkeypatch, tmp_path, "--deployments", 3, "--seed", 4, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "note: 1 circle or wall is replaced by a circumscribed polygon, at most 1 mm larger" in printed
    content = json.loads((out / "map.json").read_text())
    assert (
        content["command"]
        == "vinewright map environment.toml --actions straight --deployments 3 --policy monte-carlo --seed 4 --radius 10"
    )
    assert content["tube"] == {"radius_mm": 10, "length_mm": 1200}
    scores = [one["score"] for one in content["deployments"]]
    assert scores == sorted(scores)
    assert all(f"{score:.1f}" in printed for score in scores)
    assert len(content["ideal"]) == len(content["random"]["mean"]) == 3
    # The lowest row is the last. No tube can be in the cells of a box; the cell of a launch point is always seen.
    rows = np.array([list(row) for row in content["map"]])[::-1]
    assert rows.shape == (35, 35)
    assert set(np.unique(rows)) <= {"#", ".", "?"}
    assert (rows[11:16, 8:12] != ".").all()
    assert rows[0, 11] == "." or rows[0, 23] == "."
    assert min(Image.open(out / "map.png").size) > 500


def test_interrupted_keeps_what_was_mapped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After Ctrl-C the deployments so far are written, and the command says so."""
    whole = policies.explore

    def until(task: policies.MappingTask, policy: str, *rest: Any) -> Iterator[policies.DeploymentStep]:
        steps = whole(task, policy, *rest)
        yield from (next(steps) for _ in range(2))
        if policy == "random":
            raise KeyboardInterrupt

    monkeypatch.setattr(policies, "explore", until)
    out = tmp_path / "out"
    assert run(monkeypatch, tmp_path, "--policy", "random", "--deployments", 9, "--out", out) == 0
    assert "interrupted after 2 of 9 deployments" in capsys.readouterr().out
    content = json.loads((out / "map.json").read_text())
    assert len(content["deployments"]) == 2
    assert content["command"].endswith(", interrupted,")
    assert (out / "map.png").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"heading": "-90"}, "a tube launched at (333, 0) mm at -165 deg leaves the bounds immediately"),
        ({"block": ", [300, 0, 360, 100], [640, 0, 700, 100]"}, "both launch points, (333, 0) mm and (667, 0) mm"),
    ],
)
def test_no_launch_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, str],
    words: str,
) -> None:
    """If no tube can be launched, one line gives the position and advice; exit code 2."""
    assert run(monkeypatch, tmp_path, **change) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert words in printed.err


def test_a_blocked_launch_point_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All tubes are then launched at the other point."""
    assert run(monkeypatch, tmp_path, "--policy", "ideal", "--deployments", 2, block=", [300, 0, 360, 100]") == 0
    printed = capsys.readouterr().out
    assert "note: no tube is launched at (333, 0) mm: an obstacle is in the way" in printed
    assert printed.count("(666.7, 0)") == 2
