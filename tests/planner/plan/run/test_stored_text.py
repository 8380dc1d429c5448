"""A run stores the text that it was planned in, so that its obstacles keep their names."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

import vinewright as vw
from environments.uncertainty import PRESETS
from planner.plan.run.checkpoint import read_checkpoint
from planner.uncertainty.sensitivity import object_parameters
from planner.uncertainty.trials import Worlds

TEXT = (
    "\ufeff# walls before circles\r\nschema = 2\r\nunit   =  'cm'\r\nbounds = { min = [0, 0], max = [90, 60] }\r\n"
    "start = { position = [6, 30], heading_deg = 0 }\r\ngoal = { position = [60, 32], radius = 6 }\r\n"
    "[obstacles]\r\nwalls = [[40, 40, 40, 55, 0], [25, 10, 25, 24, 1.8], [70, 5, 80.05, 15.1, 2.2]]\r\n"
    "circles = [[30, 50, 4]]\r\nboxes = [[45, 5, 50, 20]] # the last"
)
PLACES = {
    "box 1": (0.475, 0.1),
    "circle 1": (0.3, 0.5),
    "wall 1": (0.4, 0.5),
    "wall 2": (0.25, 0.2),
    "wall 3": (0.75, 0.1),
}


def names_at_places(obstacles: vw.Obstacles, shapes: list[shapely.Geometry]) -> dict[str, str]:
    """The name of the shape nearest to each place."""
    nearest = {name: np.argmin([shape.distance(shapely.Point(at)) for shape in shapes]) for name, at in PLACES.items()}
    return {name: obstacles.name(int(index)) for name, index in nearest.items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in a file without a name, with its file beside it."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "bench.toml").write_bytes(TEXT.encode())
    result = vw.plan(vw.load_environment(folder / "bench.toml"), seed=1, iterations=8, fast=True)
    result.save(folder / "run")
    return folder / "run"


def test_a_run_stores_the_text_that_was_planned(run: Path) -> None:
    """Byte for byte, in its folder and in the checkpoint from which it is resumed; the name is that of the design."""
    assert (run / "environment.toml").read_bytes() == (run.parent / "bench.toml").read_bytes()
    resumed = read_checkpoint(run).environment
    assert resumed.source
    assert (resumed.source.text.encode(), resumed.name) == (TEXT.encode(), "bench")
    assert vw.load_design(run).environment == "bench"


def test_names_are_the_same_in_all_that_is_read_back(run: Path) -> None:
    """In the folder, the checkpoint, the worlds of trials, and the margins of a design."""
    design = vw.load_design(run)
    resumed, stored = read_checkpoint(run).environment, vw.load_environment(run / "environment.toml")
    same = {name: name for name in PLACES}
    for environment in (resumed, stored):
        assert environment.sha256 == design.sha256
        assert names_at_places(environment.solids, environment.solids.shapes()) == same
    errors = replace(PRESETS["workshop"], obstacle_position=1e-3)
    worlds = Worlds.draw(stored, design.params, errors, range(2), 0)
    assert names_at_places(stored.solids, worlds.shapes(1)) == same
    near = {one.name.split(":")[0] for one in object_parameters(design, stored)}
    assert near
    assert near <= PLACES.keys()


def test_an_environment_made_in_code_keeps_its_names(run: Path, tmp_path: Path) -> None:
    """It has no text, but its walls are walls in the folder of the run."""
    made = replace(vw.load_environment(run / "environment.toml"), name="made")
    vw.plan(made, seed=1, iterations=8, fast=True).save(tmp_path / "run")
    stored = vw.load_environment(tmp_path / "run" / "environment.toml")
    assert (stored.name, stored.sha256) == ("made", made.sha256)
    assert names_at_places(stored.solids, stored.solids.shapes()) == {name: name for name in PLACES}
    resumed = read_checkpoint(tmp_path / "run").environment
    assert names_at_places(resumed.solids, resumed.solids.shapes()) == {name: name for name in PLACES}
