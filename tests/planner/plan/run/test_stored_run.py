"""A run and a pack as they were once written are read by today's code.

They were made by `vinewright plan plus --batch 20 --iterations 8 --solutions 2 --out tests/data/run-v1` and
`vinewright export tests/data/run-v1 --out tests/data/pack-v1 --formats json,csv`. Once released they stay as they are: a
file of another form gets another schema and a folder of its own beside these.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube import GROWTH_PRESSURE, RADIUS, VineParams
from environments import Environment, load_environment
from planner.design.design_file import design_content, load_design
from planner.output.contents import CHECKPOINT, FILES
from planner.plan.run.checkpoint import read_checkpoint
from planner.search.run import Budget, Keep, Run

DATA = Path(__file__).parents[3] / "data"
RUN, PACK = DATA / "run-v1", DATA / "pack-v1"
Vinewright = Callable[..., tuple[int, str, str]]


def content(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def test_designs_and_places_are_read(shipped: dict[str, Environment]) -> None:
    """Design and environment of run and pack belong together and to the shipped environment; what is read is what is written."""
    assert {entry.name for entry in RUN.iterdir()} <= set(FILES)
    for folder in (RUN, PACK):
        design = load_design(folder)
        assert design.actuators == 3
        assert load_environment(folder / "environment.toml").sha256 == design.sha256 == shipped["plus"].sha256
        assert _made(design_content(design)) == _made(content(folder / "design.json"))
        assert design.params.growth_force == 25.0
        assert replace(design.params, radius=RADIUS, growth_pressure=GROWTH_PRESSURE, growth_share=1.0) == VineParams(
            growth_share=1.0, physics="published"
        )


def _made(design: dict[str, Any]) -> dict[str, Any]:
    """All of a design but its tube, of which schema 1 keeps less."""
    return {key: value for key, value in design.items() if key not in ("schema", "tube", "actuator")}


def test_the_other_files_have_a_schema() -> None:
    """Files that are not read again state their schema too, and holds the keys that the documentation speaks of."""
    design, solutions, run = (content(RUN / f"{name}.json") for name in ("design", "solutions", "run"))
    assert {solutions["schema"], run["schema"], design["schema"]} == {1}
    assert solutions["solutions"][0] == design
    inputs = {"environment", "sha256", "actuator", "propagator", "seed", "batch", "iterations", "stopped", "robust"}
    assert run["inputs"].keys() >= inputs
    assert run["history"][-1][1:] == [design["cost"]["actuators"], design["cost"]["length_mm"]]
    assert content(PACK / "pack.json")["schema"] == content(PACK / "pressures.json")["schema"] == 1
    with np.load(RUN / "trajectory.npz") as file:
        assert file["length"][-1] == pytest.approx(1e-3 * design["tube"]["length_mm"])
        assert file["points"].shape == (len(file["length"]), design["tube"]["length_mm"] / 25 + 1, 2)


def test_a_stored_run_goes_on() -> None:
    """The checkpoint's solutions are those of `solutions.json`, and the search grows from where it was, with the published physics."""
    checkpoint = read_checkpoint(RUN)
    inputs, params = checkpoint.inputs, checkpoint.tube
    assert params == VineParams(physics="published")
    run = Run.prepare(checkpoint.environment, params, seed=inputs.seed, batch=inputs.batch, keep=Keep(inputs.solutions))
    checkpoint.restore(run)
    assert run.search.iteration == inputs.iterations == 8
    found = [design_content(solution.design) for solution in run.solutions.best]
    assert [*map(_made, found)] == [*map(_made, content(RUN / "solutions.json")["solutions"])]
    steps = run.search.vine_steps
    for _ in run.run(Budget(600.0, 9)):
        pass
    assert run.search.vine_steps > steps


@pytest.mark.parametrize("folder", [RUN, PACK])
def test_stored_designs_are_grown(vinewright: Vinewright, folder: Path) -> None:
    """`simulate` takes the run and the pack, and they still reach the goal."""
    code, printed, errors = vinewright("simulate", "plus", folder)
    assert (code, errors) == (0, "")
    assert "reaches the goal" in printed


@pytest.mark.slow
def test_stored_designs_are_made_and_judged(vinewright: Vinewright) -> None:
    """`export` takes the run, `robustness` the pack."""
    code, _, errors = vinewright("export", RUN, "--out", "pack", "--trials", 20, "--formats", "json,csv")
    assert (code, errors) == (0, "")
    assert load_design("pack").actuators == load_design(PACK).actuators
    code, _, errors = vinewright("robustness", "plus", PACK, "--trials", 4, "--no-sources", "--out", "out")
    assert (code, errors) == (0, "")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("design.json", ["simulate", "plus", "run"]),
        ("environment.toml", ["simulate", "run/environment.toml", "run"]),
        (CHECKPOINT, ["plan", "--resume", "run"]),
    ],
)
def test_another_schema_is_one_line(vinewright: Vinewright, tmp_path: Path, name: str, arguments: list[str]) -> None:
    """A file of a version to come is refused by its schema, in one line with exit code 2."""
    shutil.copytree(RUN, tmp_path / "run")
    path = tmp_path / "run" / name
    if name == CHECKPOINT:
        with np.load(path) as file:
            arrays = dict(file)
        facts = json.loads(arrays["facts"].tobytes()) | {"schema": 2}
        np.savez(path, **{**arrays, "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8)})
    else:
        text = path.read_text()
        path.write_text(text.replace('"schema": 1', '"schema": 3').replace("schema = 1", "schema = 3"))
        assert path.read_text() != text
    code, printed, errors = vinewright(*arguments)
    assert (code, printed) == (2, "")
    assert errors.count("\n") == 1
    assert name in errors
    assert re.search("schema = [23] must be 1", errors)
