"""A problem of planning is resolved and checked once."""

from dataclasses import replace

import pytest

from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from environments.reach import WalledIn
from environments.uncertainty import PRESETS
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.uncertainty.errors import InvalidErrors


def test_it_has_what_the_options_decide(room: Environment) -> None:
    """Settings of the propagator that were chosen are recorded; friction is the mean of the errors of trials."""
    problem = Problem.of(room, VineParams(), Inputs(uncertainty="handmade", friction=0.2, verify="impulse"))
    assert problem.tube.friction == 0.2
    assert problem.errors == "handmade"
    assert problem.uncertainty == replace(PRESETS["handmade"], friction=None)
    assert problem.friction is None, "where it is known, there is no other to search with"
    assert problem.second is not None
    assert [note for note in problem.notes if "impulse has no friction" in note]
    penalty = Problem.of(room, VineParams(), Inputs(propagator="penalty", device="cpu"))
    assert (penalty.options.solver, penalty.options.surrogate) == ("newton", "table")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"propagator": "nothing"}, "unknown propagator 'nothing'"),
        ({"propagator": "euler-lagrange"}, "models a tube as one arc"),
        ({"solver": "newton"}, "--solver newton is for --propagator penalty"),
        ({"friction": -1.0}, "must be from 0 to 10"),
        ({"friction": 0.1, "propagator": "impulse"}, "impulse has no friction"),
        ({"verify": "quasistatic"}, "is the propagator that plans"),
        ({"verify": "nothing"}, "--verify nothing: unknown propagator"),
        ({"heuristic": True, "planner": "rrt"}, "--heuristic needs --planner sst-star"),
        ({"steer": 2, "particles": 2}, "steer = 2 is for the planner sst-star"),
        ({"device": "tpu"}, "--device tpu"),
    ],
)
def test_what_cannot_be_is_refused_before_any_computation(
    room: Environment, changes: dict[str, object], words: str
) -> None:
    """Every fault is the user's, in one line."""
    with pytest.raises(CannotRun, match=words) as error:
        Problem.of(room, VineParams(), Inputs(**changes))  # type: ignore[arg-type]
    assert error.value.exit_code == 2


def test_errors_and_reachability_are_checked_too(room: Environment) -> None:
    with pytest.raises(InvalidErrors):
        Problem.of(room, VineParams(), Inputs(uncertainty="nothing.toml"))
    wall = Obstacles((*room.obstacles.polygons, box_corners(0.4, -1.5, 0.45, 1.5)))
    with pytest.raises(WalledIn):
        Problem.of(replace(room, obstacles=wall), VineParams(), Inputs())
