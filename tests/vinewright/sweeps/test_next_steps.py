"""Messages of `make` and `collect` about a sweep: the commands that follow, and how many rows have a design."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.vinewright.sweeps.folders import made_in, study, toml
from vinewright.sweeps.folder import SweepFolder
from vinewright.sweeps.manifest import read_manifest
from vinewright.sweeps.shard import run_shard

Vinewright = Callable[..., tuple[int, str, str]]


def test_make_gives_the_command_of_a_job_array(vinewright: Vinewright, place: Path) -> None:
    """Its numbers are those of the shards, each of which its job computes; one shard needs no array."""
    (place / "study.toml").write_text(toml(study()))
    code, said, errors = vinewright("sweep", "make", "study.toml", "--out", "several", "--shard-seconds", 0.0001)
    assert (code, errors) == (0, "")
    assert said.endswith(
        "wrote several/; next: vinewright sweep run several\n"
        'or as a job array (docs/howto/sweeps.md): sbatch --array=0-5 --wrap "vinewright sweep work several"\n'
    )
    last = shlex.split(said.splitlines()[-1].partition("--wrap")[2])[0].split()[1:]
    assert vinewright(*last, "--shard", 5)[1].startswith("shard 5: 1 cases")
    assert vinewright(*last, "--shard", 6)[0] == 2
    said = vinewright("sweep", "make", "study.toml", "--out", "one", "--shard-seconds", 1000)[1]
    assert said.endswith("next: vinewright sweep run one\n")


def test_collect_counts_rows_with_a_design(vinewright: Vinewright, place: Path) -> None:
    """Cases without a design have a row too; trials of given designs all have one, of which nothing is said."""
    made = made_in(place, study(plan={"fast": True, "iterations": 2, "batch": 20, "seed": [0, 1, 2, 3]}))
    folder = SweepFolder(made, read_manifest(made))
    for number, outcome in enumerate(("design", "no design", "walled in", "below success")):
        done = run_shard(folder.manifest.shard(number))
        folder.keep(number, replace(done, rows=[{**row, "outcome": outcome} for row in done.rows]))
    assert vinewright("sweep", "collect", "sweep", "table.csv")[1] == "wrote table.csv: 4 rows, 2 with a design\n"
    for path in (made / "shards").iterdir():
        content = json.loads(path.read_text())
        path.write_text(json.dumps(content | {"rows": [{"reached": 1} for _ in content["rows"]]}))
    assert vinewright("sweep", "collect", "sweep", "table.csv", "--force")[1] == "wrote table.csv: 4 rows\n"
