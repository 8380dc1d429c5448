"""Judgement whether a design is enough, and its words: one for commands, folders and pages."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.tube import VineParams
from environments.uncertainty import Uncertainty
from planner.design.arrival import miss_words, outside_goal
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.plan.choice.front import Champion, Choice
from planner.plan.enough import is_enough, shortfall
from planner.plan.several.choice import CommonChoice
from planner.plan.several.selection import CommonChampion


def test_a_tip_is_outside_the_goal_by_the_distance_from_its_edge() -> None:
    """A tip 5 cm from the centre of a disc of 2 cm ends 3 cm outside; rounding to a micrometre in a file does not count."""
    goal = np.array([0.5, 0.5, 0.02])
    assert outside_goal(goal, (0.53, 0.54)) == pytest.approx(0.03)
    assert [outside_goal(goal, (0.5, 0.5 + away, 1.0)) for away in (0.0, 0.02, 0.02 + 9e-7)] == [0.0, 0.0, 0.0]
    assert miss_words(goal, (0.53, 0.54)) == "ends 30 mm outside the goal"
    assert miss_words(goal, (0.5, 0.5204)) == "ends less than 1 mm outside the goal"
    assert miss_words(goal, (0.5, 0.51)) == ""


@pytest.mark.parametrize("percent", [0.1, 7, 28, 29, 57, 90, 99.9, 100])
def test_the_rate_that_is_wanted_is_enough_and_one_trial_less_is_not(percent: float) -> None:
    """The rounding of the percentage as a binary fraction does not matter."""
    needed = round(10 * percent)
    assert is_enough(percent / 100, 0.0, Estimate(needed, 1000))
    assert not is_enough(percent / 100, 0.0, Estimate(needed - 1, 1000))
    assert not is_enough(percent / 100, 1e-3, Estimate(1000, 1000))


def test_what_a_design_lacks_is_said() -> None:
    """The trials, the miss, or both; nothing without trials, as with --fast, if the goal is reached as planned."""
    few = Estimate(62, 100)
    assert shortfall(0.9, 0.0, few) == "62 of 100 trials reach the goal, 90 % wanted"
    assert shortfall(0.62, 0.0, few) == shortfall(0.9, 0.0, None) == shortfall(0.9, 0.0, Estimate(0, 0)) == ""
    missed = "as planned, the design ends 34 mm outside the goal in attic"
    assert shortfall(0.5, 0.034, few, "attic") == shortfall(0.5, 0.034, None, "attic") == missed
    assert shortfall(0.9, 0.034, few, "attic") == f"{missed}; 62 of 100 trials reach the goal in attic, 90 % wanted"


def champion(actuators: int, reached: int, trials: int, outside: float) -> Champion:
    section = Section(0.0, 0.1, "left", 1.0, 0.04, 5e3)
    design = Design("room", "", VineParams(), (section,) * actuators, np.zeros(3), np.zeros((1, 2)))
    return Champion(design, Estimate(reached, trials), 1, sound=not outside, outside=outside)


COUNTS = st.tuples(st.integers(0, 1000), st.integers(1, 1000)).map(sorted)
CHAMPIONS = st.tuples(COUNTS, st.sampled_from([0.0, 0.034]))


@settings(max_examples=200, deadline=None)
@given(some=st.lists(CHAMPIONS, min_size=1, max_size=4), wanted=st.sampled_from([0.01, 0.5, 0.9, 1.0]))
def test_a_design_that_misses_as_planned_is_not_chosen_while_another_exists(
    some: list[tuple[list[int], float]], wanted: float
) -> None:
    """A miss is chosen only if all miss, with any trials; and the plan is enough only if the chosen design is."""
    front = [champion(k, *counts, outside) for k, (counts, outside) in enumerate(some, start=1)]
    choice = Choice("none", Uncertainty(), wanted, front)
    assert bool(choice.chosen.outside) == all(one.outside for one in front)
    enough = [one for one in front if not one.outside and one.estimate.reached >= wanted * one.estimate.trials]
    assert choice.met == bool(enough)
    assert not enough or choice.chosen is enough[0]


@pytest.mark.parametrize(("tried", "places"), [*product((True, False), ([0.034, 0.0], [0.0, 0.034]))])
def test_a_tube_that_misses_in_one_environment_is_not_chosen_while_another_exists(
    tried: bool, places: list[float]
) -> None:
    """Although it has fewer actuators and succeeds more often, where there are trials; alone, it is chosen and not enough."""
    trials = 100 if tried else 0
    bad = CommonChampion(tuple(champion(1, trials, trials, outside) for outside in places))
    good = CommonChampion(tuple(champion(2, 4 * trials // 100, trials, 0.0) for _ in places))
    none = [("none", Uncertainty())] * 2
    assert CommonChoice(none, 0.9, [bad, good]).champion is good
    assert CommonChoice(none, 0.9, [bad, good]).met == (not tried)
    assert CommonChoice(none, 0.9, [bad]).shortfall == "as planned, the design ends 34 mm outside the goal in room"
