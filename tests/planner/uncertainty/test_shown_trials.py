"""The folder of a plan with trials: the design and the picture know of them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import PRESETS, Uncertainty
from planner.design.design import Design, Section
from planner.design.design_file import load_design
from planner.design.estimate import Estimate, Success
from planner.design.replay import grow_designs
from planner.design.solutions_file import load_solutions
from planner.plan.choice.front import Champion, Choice
from planner.plan.inputs import Inputs
from planner.plan.run.folder import write_run
from planner.search.run import Budget, Run
from planner.uncertainty.shown_trials import DRAWN, ShownTrials

Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def run(shipped: dict[str, Environment], params: VineParams) -> Run:
    made = Run.prepare(shipped["plus"], params, seed=2)
    for _ in made.run(Budget(seconds=60, first=True)):
        pass
    assert made.best
    return made


@pytest.fixture
def choice(run: Run) -> Choice:
    """A front of one design, which is the best solution."""
    design = run.solutions.best[0].design
    champion = Champion(design, Estimate(70, 100), 3, np.arange(100) < 70)
    return Choice("workshop", PRESETS["workshop"], 0.9, [champion])


def written(folder: Path, run: Run, choice: Choice | None) -> Path:
    write_run(folder, run, Inputs(seed=run.seed, fast=choice is None), "the test ended", choice)
    return folder


def test_a_plan_writes_what_it_tried(run: Run, choice: Choice, vinewright: Vinewright, tmp_path: Path) -> None:
    """The chosen design holds its success, the solutions do not; the folder has the trials, and `show` draws them again."""
    folder = written(tmp_path / "tried", run, choice)
    assert load_design(folder).success == Success("workshop", 70, 100)
    assert {one.success for one in load_solutions(folder / "solutions.json")} == {None}
    stored = ShownTrials.read(folder / "trials.npz")
    assert len(stored.reached) == DRAWN
    assert (stored.front, stored.wanted) == ((Success("workshop", 70, 100),), 0.9)
    code, out, errors = vinewright("show", folder, "--picture", "again.png")
    assert code == 0, errors
    assert (
        out.count("this design, as planned, reaches the goal in 70 % (60-79) of 100 trials under workshop errors") == 1
    )
    assert "success by number of actuators under workshop errors" in out
    assert "90 % wanted" in out
    _, _, _ = vinewright("show", folder / "design.json", "--picture", "bare.png")
    again, bare = (np.asarray(Image.open(name).convert("RGB")).reshape(-1, 3) for name in ("again.png", "bare.png"))
    assert again.shape != bare.shape or (again != bare).any()
    (folder / "trials.npz").write_bytes(b"nothing")
    code, _, errors = vinewright("show", folder, "--picture", "broken.png")
    assert code == 2
    assert "trials.npz: cannot be read as the trials of a plan" in " ".join(errors.split())
    assert not Path("broken.png").exists()


def test_a_fast_plan_is_as_before(run: Run, tmp_path: Path) -> None:
    """Without a choice there are neither trials nor their file."""
    folder = written(tmp_path / "fast", run, None)
    assert not (folder / "trials.npz").exists()
    assert "trials" not in json.loads((folder / "design.json").read_text())
    assert json.loads((folder / "run.json").read_text())["trials"] is None


def test_reached_trials_are_those_whose_tips_came_to_the_goal(
    params: VineParams, environment: Callable[..., Environment]
) -> None:
    """Told from the lines alone: those that reached pass through the goal disc, the others do not."""
    sections = Section(0.0, 0.5, "left", 2.0, 0.03, 25e3), Section(0.5, 0.9, "none", 0.0, 0.0, 0.0)
    room = environment(bounds=(-2.0, -2.0, 2.0, 2.0))
    design = Design("bare", "0" * 64, params, sections, np.zeros(3), np.zeros((1, 2)))
    design = grow_designs([design], room, QuasiStatic(room, params))[0].design
    # The goal is so small that about half of the trials miss it.
    room = replace(room, goal=np.array([*design.tip[:2], 0.03]))
    errors = Uncertainty(start_heading=np.radians(3.0))
    champion = Champion(design, Estimate(50, 100), 1, np.arange(100) < 50)
    shown = Choice("test", errors, 0.9, [champion]).show(design, room, 4)
    # The tip comes as near while it grows as the final line does, but for what the line moves afterwards and the step of growth.
    away = np.linalg.norm(shown.joints - room.goal[:2], axis=2)
    nearest = np.nanmin(away, axis=1)
    clear = np.abs(nearest - room.goal[2]) > 3e-3
    assert clear.sum() > 45
    assert 5 < shown.reached[clear].sum() < 40
    np.testing.assert_array_equal(shown.reached[clear], nearest[clear] <= room.goal[2])
