"""Rounds of a plan for several environments: when it ends, and that they go on where they were."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.plan.choice.front import NO_TRIALS, Champion
from planner.plan.choice.selection import Selection, keep_candidates
from planner.plan.effort import SharedEffort, default_effort
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.plan.rounds import ENOUGH, FEWEST, NO_FEWER
from planner.plan.run.stages import Stages
from planner.plan.several import plan as several
from planner.plan.several import selection as joint
from planner.plan.several.choice import CommonChoice
from planner.plan.several.choosing import CommonChooser
from planner.plan.several.plan import plan_same
from planner.plan.several.rounds import later_choice_of_all, reason_to_end_all
from planner.plan.several.selection import CommonChampion, JointSelection
from planner.plan.watcher import QUIET
from planner.search.run import Budget, Run
from surrogate.kernels.interruption import Interruption
from tests.planner.plan.run.stages import counted
from tests.planner.plan.several.bent_rooms import ROOM
from vinewright.commands.plan_several import ended_line

PARAMS = VineParams()
WIDE = ROOM.replace("radius = 60", "radius = 80")
NONE = "none", Uncertainty()


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> list[Environment]:
    """Two environments whose goals need a bend up, and a bend down."""
    made, found = tmp_path_factory.mktemp("rooms"), []
    for name, text in (("up", WIDE), ("down", WIDE.replace('"up"', '"down"').replace("400", "100"))):
        (made / f"{name}.toml").write_text(text)
        found.append(load_environment(str(made / f"{name}.toml"), PARAMS.radius))
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short first rounds, and few searches with fixed actuators."""
    for module in ("planner.plan.rounds", "planner.plan.several.plan"):
        monkeypatch.setattr(f"{module}.FIRST_ROUND", 0.5)
    quicker = replace(default_effort(), shared=SharedEffort(solutions=3, fixed=2, fixed_iterations=6))
    monkeypatch.setattr("planner.plan.effort.DEFAULT_EFFORT", quicker)


def choice_of(*front: tuple[int, tuple[int, ...], int], outside: float = 0.0) -> CommonChoice:
    """A choice with 90 % wanted.

    Args:
        front: Numbers of actuators, of trials that reach the goal in each environment, and of all trials there.
    """
    section = Section(0.0, 0.1, "left", 1.0, 0.04, 5e3)
    champions = []
    for count, each, trials in front:
        design = Design("room", "", PARAMS, (section,) * count, np.zeros(3), np.zeros((1, 2)))
        estimates = [Estimate(reached, trials) if trials else NO_TRIALS for reached in each]
        champions.append(CommonChampion(tuple(Champion(design, one, 1, outside=outside) for one in estimates)))
    return CommonChoice([NONE, NONE], 0.9, champions)


@pytest.mark.parametrize(
    ("before", "now", "least", "reason"),
    [
        (None, (2, (300, 300), 300), 1, None),  # another round may bring fewer
        (None, (1, (300, 300), 300), 1, FEWEST),
        ((2, (300, 300), 300), (2, (300, 300), 300), 1, ENOUGH),
        ((2, (300, 300), 300), (2, (300, 275), 300), 1, None),  # in one of them the interval reaches below 90 %
        ((3, (300, 300), 300), (2, (300, 300), 300), 1, None),
        (None, (1, (0, 0), 0), 1, None),  # without trials
        ((2, (0, 0), 0), (2, (0, 0), 0), 1, NO_FEWER),
        ((3, (0, 0), 0), (2, (0, 0), 0), 1, None),
    ],
)
def test_a_plan_ends_when_it_is_enough_in_every_environment(
    before: tuple[int, tuple[int, ...], int] | None,
    now: tuple[int, tuple[int, ...], int],
    least: int,
    reason: str | None,
) -> None:
    """As a plan for one does, by the success in the worst."""
    assert reason_to_end_all(before and choice_of(before), choice_of(now), least) == reason


def test_a_plan_without_trials_goes_on_until_every_goal_is_reached() -> None:
    """A tube that ends outside one is not enough."""
    assert reason_to_end_all(choice_of((2, (0, 0), 0)), choice_of((2, (0, 0), 0), outside=0.01), 1) is None


def test_after_ctrl_c_the_better_choice_stays() -> None:
    """A round that was interrupted may have tried less; one that ended knows more than those before."""
    good, poor = choice_of((2, (290, 295), 300)), choice_of((1, (50, 20), 50))
    assert later_choice_of_all(good, poor, interrupted=True) is good
    assert later_choice_of_all(poor, good, interrupted=True) is good
    assert later_choice_of_all(good, poor, interrupted=False) is poor
    assert later_choice_of_all(good, None, interrupted=False) is good
    assert later_choice_of_all(None, poor, interrupted=True) is poor


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fast", [False, True])
def test_an_easy_plan_ends_before_its_limit(
    rooms: list[Environment], fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tube that is sure in both environments, whose trials end then; the last line says why."""
    ends = list[float]()

    def end_of_round(spent: float, first: float, limit: float) -> float:
        ends.append(min(max(2 * spent, first), limit))
        return ends[-1]

    monkeypatch.setattr(several, "end_of_round", end_of_round)
    options = Inputs(seed=3, batch=20, time_budget_s=200.0, success=60.0, fast=fast)
    result = plan_same([Problem.of(room, PARAMS, options) for room in rooms])
    assert result.choice
    assert result.choice.met
    (reason,) = set(result.reasons)
    assert reason in ((NO_FEWER,) if fast else (ENOUGH, FEWEST))
    assert ends[-1] < options.time_budget_s
    assert ended_line(result) == f"ended after {result.seconds:.1f} s: {reason}"
    if not fast:
        assert all(result.choice.of(k).sure for k in range(2))
        assert result.choice.worst.chosen.estimate.trials < default_effort().chosen_trials


@pytest.fixture
def searched(rooms: list[Environment], quick: None) -> list[Run]:  # noqa: ARG001
    """A short search in each."""
    runs = [Run.prepare(room, PARAMS, seed=1, batch=40, keep=keep_candidates()) for room in rooms]
    for run in runs:
        for _ in run.run(Budget(math.inf, iterations=5)):
            pass
    return runs


def test_a_second_round_goes_on(searched: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    """It tries no solution again, refines the same tubes further, and does not grow their trials again."""
    selections = [
        Selection(run, Uncertainty.of_levels(0.0, 0.15), lambda: math.inf, lambda _: None) for run in searched
    ]
    selection = JointSelection([[run] for run in searched], selections, lambda: math.inf, lambda _: None)
    extend, tried = joint.extend, list[Design]()

    def extending(design: Design, length: float) -> Design:
        tried.append(design)
        return extend(design, length)

    monkeypatch.setattr(joint, "extend", extending)
    first = selection.contenders()
    assert tried
    front = list(selection.champions(first))
    assert front
    refined, searches = list(selection.refined), dict(selection._given_now)
    assert refined
    assert searches
    tried.clear()
    again = selection.contenders()
    assert not tried
    assert all(one in again for one in refined)
    assert all(selection._given_now[key] is run for key, run in searches.items())
    with counted() as done:
        for own, part in zip(selections, front[0].each, strict=True):
            own.with_trials(replace(part, reached=np.zeros(0, bool)), default_effort().block)
    assert done["vines"] == 0


@pytest.mark.parametrize(("fast", "share"), [(False, 0.4), (True, 0.6)])
def test_searches_in_several_environments_share_the_time(
    rooms: list[Environment], monkeypatch: pytest.MonkeyPatch, fast: bool, share: float
) -> None:
    """Searches without friction and, except with `--fast`, searches with friction get equal parts of it."""
    asked: list[float] = []
    monkeypatch.setattr(several, "search", lambda _, budget, *__: asked.append(budget.seconds) or "time budget spent")
    monkeypatch.setattr(several, "search_with_friction", lambda _, __, budget, *___: asked.append(budget.seconds))
    problems = [Problem.of(room, PARAMS, Inputs(time_budget_s=30.0, fast=fast)) for room in rooms]
    runs = [Run.prepare(room, PARAMS) for room in rooms]
    chooser = CommonChooser(runs, [Stages(problem) for problem in problems], QUIET, Interruption())
    several._search_on(chooser, problems[0].options.budget, ["", ""])
    assert sum(asked) == pytest.approx(share * 30.0)
    assert asked == [asked[0]] * (2 if fast else 4)
