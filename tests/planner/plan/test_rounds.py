"""Rounds of a plan: how long they are, when a plan ends, and that they go on where they were."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.plan.choice.front import Champion, Choice
from planner.plan.choice.selection import Selection
from planner.plan.choosing import Chooser
from planner.plan.effort import Effort
from planner.plan.inputs import SEARCHING, Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from planner.plan.rounds import (
    ENOUGH,
    FEWEST,
    FIRST_ROUND,
    NO_FEWER,
    end_of_round,
    end_of_trials,
    later_choice,
    later_searching,
    reason_to_end,
    reason_to_end_search,
)
from planner.plan.run.stages import Stages, read_known
from planner.plan.run.stored_rounds import StoredRound
from planner.plan.watcher import QUIET
from planner.search.run import Budget, HistoryEntry, Keep, Run
from planner.uncertainty.deviations import Trials
from planner.uncertainty.memo import TrialMemo
from planner.uncertainty.trials import Worlds
from surrogate.kernels.interruption import Interruption
from tests.planner.plan.run.stages import counted

PARAMS = VineParams()


def choice_of(*front: tuple[int, int, int]) -> Choice:
    """A choice with 90 % wanted.

    Args:
        front: Numbers of actuators, of trials that reach the goal and of all trials.
    """
    section = Section(0.0, 0.1, "left", 1.0, 0.04, 5e3)
    champions = [
        Champion(Design("room", "", PARAMS, (section,) * count, np.zeros(3), np.zeros((1, 2))), Estimate(*trials), 1)
        for count, *trials in front
    ]
    return Choice("none", Uncertainty(), 0.9, champions)


def test_each_round_doubles_the_time_up_to_the_limit() -> None:
    """The first one gives each search as much as the first solution took; a last round that would be short is part of another."""
    assert end_of_round(0.1, 0.1, 120.0) == FIRST_ROUND
    assert end_of_round(2.0, 2.0, 120.0) == pytest.approx(2 * 2.0 / SEARCHING)
    assert SEARCHING / 2 * end_of_round(2.0, 2.0, 120.0) == pytest.approx(2.0)
    ends = [FIRST_ROUND]
    for _ in range(5):
        ends.append(end_of_round(ends[-1], 0.1, 120.0))
    assert ends == [3.0, 6.0, 12.0, 24.0, 48.0, 120.0]
    assert end_of_round(0.0, 50.0, 30.0) == 30.0


def test_searches_that_bring_nothing_better_get_less_time() -> None:
    """Half of it in each round, down to a quarter; all of it again once they bring a better design."""
    shares = [1.0]
    for renewed in (False, False, False, True, False):
        shares.append(later_searching(shares[-1], renewed))
    assert shares == [1.0, 0.5, 0.25, 0.25, 1.0, 0.5]


def test_trials_between_rounds_take_a_share_of_the_time_until_then() -> None:
    assert [end_of_trials(spent, 120.0) for spent in (4.0, 40.0, 100.0)] == [5.0, 50.0, 120.0]


@pytest.mark.parametrize(
    ("before", "now", "least", "reason"),
    [
        (None, (2, 300, 300), 1, None),  # another round may bring fewer
        (None, (1, 300, 300), 1, FEWEST),
        (None, (1, 275, 300), 1, None),  # the interval reaches below 90 %
        ((2, 300, 300), (2, 300, 300), 1, ENOUGH),
        ((2, 290, 300), (2, 298, 300), 1, ENOUGH),  # more success than is wanted
        ((3, 300, 300), (2, 300, 300), 1, None),
        ((2, 200, 300), (2, 200, 300), 1, None),
    ],
)
def test_a_plan_ends_when_it_is_enough_and_has_no_fewer_actuators(
    before: tuple[int, int, int] | None, now: tuple[int, int, int], least: int, reason: str | None
) -> None:
    assert reason_to_end(before and choice_of(before), choice_of(now), least) == reason


def test_a_search_alone_ends_when_it_finds_no_fewer_actuators(room: Environment) -> None:
    """Shorter tubes do not count."""
    run = Run.prepare(room, PARAMS, seed=1)
    run.history = [HistoryEntry(1.0, 3, 0.5), HistoryEntry(10.0, 2, 0.6), HistoryEntry(19.0, 2, 0.5)]
    assert reason_to_end_search(run, 19.9) is None
    assert reason_to_end_search(run, 20.0) == NO_FEWER
    run.history = [HistoryEntry(0.1, 0, 0.5)]
    assert reason_to_end_search(run, FIRST_ROUND) is None
    assert reason_to_end_search(run, 2 * FIRST_ROUND) == NO_FEWER


def test_rounds_with_nothing_left_to_do_come_to_an_end(room: Environment) -> None:
    """A plan whose search has reached its target and whose designs are not refined ends, though its time is not over."""
    options = Inputs(seed=3, batch=20, time_budget_s=1e4, steer=1, first=True, success=100.0)
    result = plan(Problem.of(room, PARAMS, options))
    assert result.choice
    assert result.reason == "target reached"


def test_a_plan_releases_the_worlds_of_its_trials(room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end, not when Python looks for circles of references: in a large hall they take most of its memory."""
    made, draw = list[weakref.ref[Worlds]](), Selection._worlds

    def drawn(self: Selection, trials: Trials) -> Worlds:
        worlds = draw(self, trials)
        made.append(weakref.ref(worlds))
        return worlds

    monkeypatch.setattr(Selection, "_worlds", drawn)
    gc.disable()
    try:
        result = plan(Problem.of(room, PARAMS, Inputs(seed=3, batch=20, iterations=6)))
        assert result.choice
        assert made
        assert not any(one() for one in made)
    finally:
        gc.enable()


def test_after_ctrl_c_the_better_choice_stays() -> None:
    """A round that was interrupted may have tried less; one that ended knows more than those before."""
    good, poor = choice_of((2, 290, 300)), choice_of((1, 20, 50))
    assert later_choice(good, poor, interrupted=True) is good
    assert later_choice(poor, good, interrupted=True) is good
    assert later_choice(good, poor, interrupted=False) is poor
    assert later_choice(good, None, interrupted=False) is good
    assert later_choice(None, poor, interrupted=True) is poor


@pytest.fixture(scope="module")
def room(small_file: Path) -> Environment:
    return load_environment(str(small_file), PARAMS.radius)


def test_an_easy_plan_ends_before_its_limit(room: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sure design; its rounds are stored, and resumed it goes on with what they found."""
    monkeypatch.setattr("planner.plan.rounds.FIRST_ROUND", 0.5)
    options = Inputs(seed=3, batch=20, time_budget_s=600.0, success=60.0)
    result = plan(Problem.of(room, PARAMS, options))
    assert result.reason in (ENOUGH, FEWEST)
    assert result.choice
    assert result.choice.sure
    assert result.choice.chosen.estimate.trials >= result.problem.effort.other_trials
    result.save(tmp_path / "run")
    facts, known = read_known(tmp_path / "run" / "refinement.npz")
    assert result.stages
    assert [len(one.designs) for one in facts.rounds] == [len(one.designs) for one in result.stages.rounds]
    assert known.count == result.stages.known.count


def test_a_round_without_time_keeps_the_designs_that_were_tried_before(room: Environment) -> None:
    """It tries the most promising design only; those with other numbers of actuators stay as they were."""
    problem = replace(
        Problem.of(room, PARAMS, Inputs(seed=1, success=100.0)),
        effort=Effort(
            levels=(2, 4),
            generations=2,
            patience=1,
            restarts=0,
            inserted=4,
            block=20,
            chosen_trials=20,
            other_trials=20,
        ),
    )
    run = Run.prepare(room, PARAMS, seed=1, batch=20, keep=Keep(20, 2.05, True))
    for _ in run.run(Budget(1e6, iterations=6)):
        pass
    chooser = Chooser(run, Stages(problem), QUIET, Interruption())
    first = chooser.choose(Budget(1e5), last=True)
    assert first
    before = {one.design.actuators: one.reached for one in first.front}
    assert len(before) > 1
    later = chooser.choose(Budget(0.0), last=True)
    assert later
    assert {one.design.actuators for one in later.front} == set(before)
    assert all(np.array_equal(one.reached, before[one.design.actuators]) for one in later.front[1:])


def test_stored_rounds_are_repeated_from_their_trials(room: Environment) -> None:
    """Two rounds, the second with more designs: stored and repeated, the same designs are refined, and nothing is grown."""
    run = Run.prepare(room, PARAMS, seed=1, batch=20, keep=Keep(20, 2.05, True))
    for _ in run.run(Budget(1e6, iterations=6)):
        pass
    designs, known = [one.design for one in run.solutions.best], TrialMemo()
    assert len(designs) > 2
    effort = Effort(levels=(4, 8), heat=1, generations=2, patience=1, inserted=4, restarts=1)

    def selection() -> Selection:
        return Selection(run, Uncertainty.of_levels(0.0, 0.15), lambda: 1e9, lambda _: None, known, effort=effort)

    made = selection()
    for some in (designs[:2], designs):
        list(made.champions(some))
    assert len(made.rounds) == 2
    assert sum(one.turns for one in made.rounds) > 0
    stored = [StoredRound.of(one).restore(room, PARAMS) for one in made.rounds]
    again = selection()
    with counted() as done:
        again.repeat(stored)
    assert done["vines"] == 0
    assert made.contest
    assert again.contest
    found = [[one.best.design.sections for one in contest.refined] for contest in (made.contest, again.contest)]
    assert found[0] == found[1]
    assert [one.turns for one in again.rounds] == [one.turns for one in made.rounds]


def test_work_limits_refinement_where_iterations_limit_the_search(
    room: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less work, fewer trials; the clock has no say."""
    counts = []
    for work in (500, 5_000):
        monkeypatch.setattr("planner.plan.choosing.LEAST_WORK", work)
        result = plan(
            Problem.of(room, PARAMS, Inputs(seed=3, batch=20, iterations=4, success=100.0, time_budget_s=1e-6))
        )
        assert result.stages
        assert not result.stages.rounds
        counts.append(result.stages.known.asked)
    assert counts[0] < counts[1]
    assert counts[0] < 5_000
