"""The front: each number of actuators has its design, evaluated in trials of its own, and the choice among them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.uncertainty import PRESETS, Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.plan.choice.contest import Contest
from planner.plan.choice.front import Champion, Choice
from planner.plan.choice.refinement import Descent
from planner.plan.choice.selection import Progress, Selection
from planner.plan.choice.simplifying import merge_equal
from planner.plan.effort import Effort
from planner.search.run import Budget, Keep, Run
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success
from tests.planner.plan.choice.bent import mirrored

PARAMS = VineParams(thickness_share=0.0)
ERRORS = replace(PRESETS["workshop"], friction=None)
EFFORT = Effort(
    levels=(4, 8), heat=1, generations=3, patience=0, inserted=6, chosen_trials=60, other_trials=40, block=20
)


@pytest.fixture(scope="module")
def run() -> Run:
    """A search in a room with a wall in the way."""
    goal, start = np.array([1.1, 0.5, 0.1]), np.array([0.1, 0.5, 0.0])
    wall = Obstacles(boxes=[(0.5, 0.3, 0.6, 0.62)])
    room = Environment("room", "", np.array([0.0, 0.0, 1.4, 1.0]), start, goal, wall)
    made = Run.prepare(room, PARAMS, seed=7, batch=40, keep=Keep(20, 2.05, True))
    for _ in made.run(Budget(1e6, iterations=12)):
        pass
    assert made.best
    return made


def selection(run: Run, left: Callable[[], float] = lambda: np.inf, seen: list[Progress] | None = None) -> Selection:
    return Selection(run, ERRORS, left, (seen if seen is not None else []).append, effort=EFFORT)


def front_of(selection: Selection, run: Run) -> list[Champion]:
    """The front of all champions, fewest actuators first: of those whose equal neighbours were merged, the likeliest of each number."""
    choice = Choice("workshop", ERRORS, 0.9)
    for champion in selection.champions(designs_of(run)):
        choice.add(champion)
    return choice.front


def designs_of(run: Run) -> list[Design]:
    return [solution.design for solution in run.solutions.best]


def test_a_front_is_the_same_each_time_and_holds_in_fresh_trials(run: Run) -> None:
    """Fewest actuators first, each evaluated in trials that are those of its numbers; as likely as the best solution at least."""
    fronts = [front_of(selection(run), run) for _ in range(2)]
    fewest = min(design.actuators for design in designs_of(run))
    numbers = [one.design.actuators for one in fronts[0]]
    assert numbers[0] == fewest
    assert len(numbers) > 1
    assert set(numbers) <= {fewest, fewest + 1, fewest + 2}
    assert all(merge_equal(one.design) is one.design for one in fronts[0])
    for one, other in zip(*fronts, strict=True):
        assert one.design.sections == other.design.sections
        assert np.array_equal(one.reached, other.reached)
        trials = range(EVALUATING, EVALUATING + 20)
        assert one.estimate == estimate_success(one.design, run.environment, ERRORS, trials, run.seed, one.reached)
        assert (one.estimate.reached, one.estimate.trials) == (one.reached.sum(), 20)
        fresh = Worlds.draw(run.environment, PARAMS, ERRORS, trials, run.seed)
        assert np.array_equal(grow_trials(one.design, fresh).reached, one.reached)
    others = Worlds.draw(run.environment, PARAMS, ERRORS, range(150), run.seed)
    before = max(grow_trials(design, others).reached.mean() for design in designs_of(run) if design.actuators == fewest)
    assert grow_trials(fronts[0][0].design, others).reached.mean() >= before - 0.03


def test_without_time_the_first_design_is_evaluated_as_it_is(run: Run) -> None:
    """After Ctrl-C, or where the search took all the time: one design, that of a solution, with one block of trials."""
    seen: list[Progress] = []
    (only,) = selection(run, lambda: 0.0, seen).champions(designs_of(run))
    assert only.design.sections in [design.sections for design in designs_of(run)]
    assert only.estimate.trials == 20
    assert [one.trials for one in seen] == [20]


def test_without_refinement_the_front_has_the_designs_as_found(run: Run) -> None:
    """For each number of actuators the one of the first few that succeeds most often in the worlds of the comparison."""
    made, designs = selection(run), designs_of(run)
    assert len(made.worlds) == 1 + 8  # that as planned, and those of the last level
    front = list(made.as_found(designs))
    assert [one.design.actuators for one in front] == sorted({design.actuators for design in designs})
    for champion in front:
        few = [design for design in designs if design.actuators == champion.design.actuators][: EFFORT.compared]
        rates = {design.sections: float(grow_trials(design, made.worlds).reached.mean()) for design in few}
        assert rates[champion.design.sections] == max(rates.values())
        assert champion.estimate.trials == 20
        if len(set(rates.values())) > 1:
            break
    else:
        pytest.fail("all designs succeed equally often: the choice is not tested")


def test_the_chosen_design_gets_the_trials_that_are_left(run: Run) -> None:
    """Up to the final number while it is in doubt, and the first ones stay; a sure one as many as others, which need no more."""
    made = selection(run)
    before = front_of(made, run)
    for threshold in (0.99, 0.5):
        choice = Choice("workshop", ERRORS, threshold)
        for champion in reversed(before):
            choice.add(champion)
        assert choice.front == before
        made.add_trials(choice, last=False)
        assert not choice.sure or choice.chosen.estimate.trials == 20, "another round follows"
        made.add_trials(choice)
        doubtful = [one for one in choice.front if one.estimate.interval[0] < threshold <= one.estimate.interval[1]]
        assert choice.chosen.estimate.trials == (60 if choice.chosen in doubtful else 40)
        assert [one.estimate.trials for one in doubtful if one is not choice.chosen] == [40] * len(doubtful[1:])
        others = [one for one in choice.front if one not in doubtful and one is not choice.chosen]
        assert {one.estimate.trials for one in others} <= {20, 40}
        assert choice.sure == (choice.chosen.estimate.interval[0] >= threshold) == (threshold == 0.5)
    for one, champion in zip(before, choice.front, strict=True):
        assert np.array_equal(champion.reached[:20], one.reached)


def test_where_another_round_follows_only_what_may_be_chosen_is_tried(run: Run) -> None:
    """The most promising design, and others only while none is enough; what is missing comes with the trials of the last round."""
    made = selection(run)
    made.wanted = 0.05
    (first,) = made.champions(designs_of(run), last=False)
    choice = Choice("workshop", ERRORS, 0.05, [first])
    made.add_trials(choice, last=False)
    assert choice.front == [choice.chosen]
    made.add_trials(choice)
    assert made.contest
    refined = [one.design.actuators for one in made.contest.winners()]
    assert [one.design.actuators for one in choice.front] == sorted(refined)
    assert len(refined) > 1


def test_refinement_is_decided_once_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials may come to less than its worlds say: the next round goes on to the end."""
    wanted: list[float] = []

    def decided(_: Contest, share: float) -> bool:
        wanted.append(share)
        return share < 1.0

    monkeypatch.setattr(Contest, "is_decided", decided)
    made = selection(run)
    made.wanted = 0.9
    for expected in (0.9, 1.0):
        wanted.clear()
        list(made.champions(designs_of(run)))
        assert set(wanted) == {expected}
        assert made.rounds[-1].turns == 0 or expected == 1.0
    assert made.rounds[-1].turns > 0


def test_each_block_of_trials_is_another_one(run: Run) -> None:
    """Sixty trials, in three blocks, are the first sixty of their numbers, each once."""
    wild = ERRORS.scaled(3)
    made = Selection(run, wild, lambda: np.inf, lambda _: None, effort=EFFORT)
    design = designs_of(run)[0]
    champion = made.with_trials(Champion(design, Estimate(0, 0), 1), 60)
    fresh = Worlds.draw(run.environment, PARAMS, wild, range(EVALUATING, EVALUATING + 60), run.seed)
    expected = grow_trials(design, fresh).reached
    assert 5 < expected.sum() < 55
    assert np.array_equal(champion.reached, expected)


def test_a_refined_design_that_misses_gives_way_to_a_solution(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many actuators, of those that the search found: all of these end in the goal as planned."""
    winners = Contest.winners

    def missing(self: Contest) -> list[Descent]:
        found = winners(self)
        for one in found:
            one.found = [replace(one.best, design=mirrored(one.best.design))]
        return found

    monkeypatch.setattr(Contest, "winners", missing)
    made, designs = selection(run, lambda: 0.0), designs_of(run)
    (only,) = made.champions(designs)
    assert (only.outside, only.sound) == (0.0, True)
    assert only.design.sections in [design.sections for design in designs]
    monkeypatch.undo()
    (missed,) = selection(run, lambda: 0.0).champions([mirrored(designs[0])])
    goal = run.environment.goal
    assert missed.outside == pytest.approx(np.hypot(*(missed.design.tip[:2] - goal[:2])) - goal[2])
    assert missed.outside > 0.1
    assert not missed.sound


def test_refined_designs_are_tried_until_one_arrives(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time too: the most promising one misses, and no solution has as many actuators, so that the next one is tried."""
    winners, spent = Contest.winners, list[bool]()

    def missing(self: Contest) -> list[Descent]:
        fewest, more, *most = sorted(winners(self), key=lambda one: one.design.actuators)
        more.found = [replace(more.best, design=mirrored(more.best.design))]
        spent.append(True)
        return [more, fewest, *most]

    monkeypatch.setattr(Contest, "winners", missing)
    designs = designs_of(run)
    few = [one for one in designs if one.actuators == designs[0].actuators]
    found = list(selection(run, lambda: 0.0 if spent else np.inf).champions(few))
    assert [one.outside > 0 for one in found] == [True, False]
    assert found[1].design.actuators == few[0].actuators
    assert Choice("workshop", ERRORS, 0.9, found).chosen is found[1]


def test_designs_as_found_are_tried_until_one_arrives(run: Run) -> None:
    """Without time too, so that the chosen one is never one that misses although another was found."""
    designs = designs_of(run)
    fewest, more = designs[0], next(one for one in designs if one.actuators > designs[0].actuators)
    found = list(selection(run, lambda: 0.0).as_found([mirrored(fewest), more]))
    assert [one.outside > 0 for one in found] == [True, False]
    assert Choice("workshop", ERRORS, 0.9, found).chosen is found[1]
    assert len(list(selection(run, lambda: 0.0).as_found([fewest, more]))) == 1


def champion_of(actuators: int, reached: int, trials: int = 1000) -> Champion:
    section = Section(0.0, 0.1, "left", 1.0, 0.04, 5e3)
    design = Design("room", "", PARAMS, (section,) * actuators, np.zeros(3), np.zeros((1, 2)))
    return Champion(design, Estimate(reached, trials), 1)


def test_the_choice_has_the_fewest_actuators_of_those_that_suffice() -> None:
    """Above the threshold fewest actuators count; below it, success, unless the trials cannot distinguish two."""

    def chosen(threshold: float, *front: Champion) -> Champion:
        return Choice("none", Uncertainty(), threshold, list(front)).chosen

    one, two, three = (champion_of(n, reached) for n, reached in ((1, 600), (2, 910), (3, 990)))
    assert chosen(0.9, one, two, three) is two
    assert chosen(0.5, one, two, three) is one
    assert chosen(0.995, one, two, three) is three
    assert not Choice("none", Uncertainty(), 0.995, [one, two, three]).met
    assert Choice("none", Uncertainty(), 0.99, [one, two, three]).met
    assert chosen(0.95, one, two, champion_of(3, 920)) is two
    assert chosen(0.95, champion_of(1, 40, 100), champion_of(2, 45, 100)).design.actuators == 1


def test_the_content_is_what_was_measured() -> None:
    """For `run.json`: name and figures of the errors, the front, and the chosen design."""
    choice = Choice("workshop", ERRORS, 0.9, [champion_of(1, 300), champion_of(2, 950)])
    content = choice.content()
    assert content["errors"] == "workshop"
    assert content["uncertainty"] == ERRORS.content()
    assert [one["reached"] for one in content["front"]] == [300, 950]
    assert content["chosen"] == content["front"][1]
    assert content["chosen"]["interval"] == pytest.approx([0.9347, 0.9619], abs=2e-4)
