"""`plan --verify`: a design counts if a second propagator reaches the goal with it too."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.geometric.propagator import Geometric
from dynamics.impulse.propagator import Impulse
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.design import Design, Section
from planner.design.design_file import load_design
from planner.design.replay import grow_designs
from planner.design.verification import Verification
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from vinewright.cli import main
from vinewright.commands.plan_verify import verdict

pytestmark = pytest.mark.usefixtures("small_pictures")

OPEN, DEFLECTING = "[[250, 300, 300, 500]]", "[[300, 225, 320, 500]]"
"""A block that is in no tube's way, and one whose corner the straight tube runs into: it bends past it, and is in the goal, or is stuck."""


@pytest.fixture
def vinewright(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_environment: Callable[[str], str]
) -> Callable[..., tuple[int, Path]]:
    """Plan an environment in this process; gives the exit code and the run's folder."""

    def run(boxes: str, *options: object) -> tuple[int, Path]:
        (tmp_path / "small.toml").write_text(small_environment(boxes))
        monkeypatch.chdir(tmp_path)
        arguments = ["plan", "small.toml", "--iterations", 4, *options]
        monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), tmp_path / "runs" / "small"

    return run


FREE = """schema = 2
name = "free"
unit = "mm"
bounds = {min = [0, 0], max = [1500, 1500]}
start = {position = [200, 200], heading_deg = 0}
goal = {position = [700, 900], radius = 60}
"""


def test_geometric_confirms_a_design_in_free_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no obstacle, it has the shape that was planned."""
    (tmp_path / "free.toml").write_text(FREE)
    monkeypatch.chdir(tmp_path)
    arguments = "plan free.toml --fast --first --seed 1 --iterations 4 --verify geometric"
    monkeypatch.setattr("sys.argv", ["vinewright", *arguments.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    found = json.loads((tmp_path / "runs" / "free" / "run.json").read_text())["verification"]
    assert found["verified"]
    assert "reaches the goal there too, and ends 0 mm from the planned position" in capsys.readouterr().out


def test_a_design_that_the_second_propagator_confirms(
    vinewright: Callable[..., tuple[int, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0; the design written is the one that was confirmed, and grown again by that propagator it gets there."""
    code, folder = vinewright(OPEN, "--verify", "impulse")
    assert code == 0
    assert "verified by impulse: its tip reaches the goal there too" in capsys.readouterr().out
    run = json.loads((folder / "run.json").read_text())
    found = run["verification"]
    assert (run["inputs"]["verify"], found["propagator"], found["verified"]) == ("impulse", "impulse", True)
    assert found["solutions"][found["chosen"]]["reached"]
    design = load_design(folder)
    environment = load_environment(folder / "environment.toml", design.params.radius)
    (again,) = grow_designs([design], environment, Impulse(environment, design.params))
    assert again.reached
    assert found["solutions"][found["chosen"]]["from_planned_mm"] == pytest.approx(
        1e3 * np.hypot(*(again.design.tip[:2] - design.tip[:2])), abs=0.01
    )


def test_a_design_that_it_does_not_confirm(
    vinewright: Callable[..., tuple[int, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3; it is said where the second propagator ends and why, and what was found is written, unverified."""
    code, folder = vinewright(DEFLECTING, "--fast", "--verify", "geometric", "--target-actuators", 0)
    printed = capsys.readouterr().out
    assert code == 3, printed
    assert "NOT verified by geometric" in printed
    assert "stalled" in printed
    found = json.loads((folder / "run.json").read_text())["verification"]
    assert (found["verified"], found["chosen"]) == (False, 0)
    assert not any(solution["reached"] for solution in found["solutions"])
    assert found["solutions"][0]["outside_goal_mm"] > 1
    assert load_design(folder).actuators == found["solutions"][0]["actuators"]


@pytest.mark.parametrize(
    ("given", "verify", "friction"),
    [(0.8, "geometric", 0.8), (0.0, "geometric", 0.0), (None, "geometric", 0.3), (0.5, "impulse", None)],
)
def test_the_second_propagator_has_the_same_friction(
    environment: Callable[..., Environment],
    given: float | None,
    verify: str,
    friction: float | None,
) -> None:
    """Where it has any; otherwise a note says that it verifies without."""
    params, bare = VineParams(friction=given), environment()
    problem = Problem.of(bare, params, Inputs(verify=verify))
    assert problem.second is not None
    second = problem.second(bare, params)
    if isinstance(second, Geometric):
        assert second.tube.friction == friction
    assert any("impulse has no friction" in note for note in problem.notes) == (friction is None)


def straight(length: float) -> Design:
    return Design(
        "bare",
        "",
        VineParams(),
        (Section(0.0, length, "none", 0.0, 0.0, 0.0),),
        np.array([length, 0, 0]),
        np.zeros((1, 2)),
    )


@pytest.mark.parametrize(
    ("lengths", "chosen", "words"),
    [
        ([0.3, 0.6, 0.7], 1, "verified by impulse: .* ends 0 mm from .*; 1 lower-cost solution does not"),
        (
            [0.3, 0.4],
            0,
            "NOT verified by impulse: none of 2 solutions reaches the goal; the best ends 200 mm outside",
        ),
        ([0.3], 0, "NOT verified by impulse: the design ends 200 mm outside the goal, 0 mm from"),
        ([], 0, "NOT verified by impulse: interrupted before any design was grown"),
    ],
)
def test_the_best_confirmed_design_is_chosen(
    environment: Callable[..., Environment], lengths: list[float], chosen: int, words: str
) -> None:
    """The first that reaches the goal; if none does, or none was grown, the first of all, and it is said so."""
    workspace = replace(environment(), goal=np.array([0.6, 0.0, 0.1]))
    designs = [straight(length) for length in lengths]
    grown = grow_designs(designs, workspace, Impulse(workspace, VineParams()))
    verification = Verification("impulse", workspace, designs or [straight(0.3)], grown)
    assert verification.chosen == chosen
    assert verification.verified == (not words.startswith("NOT"))
    assert verification.design is verification.designs[chosen]
    assert re.match(words, verdict(verification))
