"""The commands in an environment with a mounted base and the edge of a table."""

import json
from collections.abc import Callable
from pathlib import Path

from environments import load_environment

ENVIRONMENT = """\
schema = 2
unit = "mm"
bounds = { min = [0, 0], max = [700, 500], edge = "table" }
start = { position = [60, 200], heading_deg = 0, mount = "wall" }
goal = { position = [500, 230], radius = 60 }
obstacles = { boxes = [[0, 100, 60, 300]] }
"""


def test_from_a_plan_to_trials(vinewright: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """A plan starts in the wall, resumes there, and grows in trials with errors of its start, none of which lacks room."""
    (tmp_path / "bench.toml").write_text(ENVIRONMENT)
    code, printed, _ = vinewright("environments", "show", "bench.toml")
    assert code == 0
    assert "(700, 500) mm, the edge of a table" in printed
    assert "heading 0.0 deg, mounted in a wall" in printed
    assert vinewright("plan", "bench.toml", "--iterations", 2, "--heuristic", "--fast", "--out", "run")[0] == 0
    planned = load_environment("bench.toml")
    assert load_environment("run/environment.toml").sha256 == planned.sha256
    assert vinewright("plan", "--resume", "run", "--iterations", 3)[0] == 0
    trials = "--trials", 10, "--levels", "0,10"
    assert vinewright("robustness", "bench.toml", "run", "--out", "trials", *trials)[0] == 0
    counts = json.loads((tmp_path / "trials" / "robustness-bench" / "data.json").read_text())["counts"]
    assert {"start position 4 mm", "start heading 1.5 deg", "10 % / 0 %"} < counts.keys()
    assert all(count["no room"] == count["left the bounds"] == 0 for count in counts.values())


def test_mapping_refuses_what_its_launches_do_not_know(
    vinewright: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """It launches free tubes within open bounds, and says so."""
    for old, new in ((', mount = "wall"', ""), (', edge = "table"', "")):
        (tmp_path / "bench.toml").write_text(
            ENVIRONMENT.replace(old, new).replace("[60, 200]", "[100, 200]" if "mount" in old else "[60, 200]")
        )
        code, _, errors = vinewright("map", "bench.toml", "--deployments", 1)
        assert code == 2
        assert 'bench: mapping launches free tubes within open bounds; it needs start.mount = "free" and' in errors
