"""The contest of designs: who is refined next, who drops out, and that nothing is compared with fewer worlds than it should be."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.vine import Rollout, VineState
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.design.replay import grow_designs, make_simulation, replay
from planner.plan.choice.contest import ALIKE, SURE, Contest
from planner.plan.choice.refinement import BLUR, Candidate, Descent, grow_candidates, race
from planner.plan.choice.shortening import ending_in_goal, shorten
from planner.plan.effort import Effort
from planner.uncertainty.trials import Worlds
from tests.planner.plan.choice.bent import CATALOGUE, PARAMS, bent, room_around

SHORT_HEAT = Effort(levels=(4, 8), heat=1, generations=2, patience=0, inserted=4)


@pytest.fixture(scope="module")
def room() -> Environment:
    """The goal lies around the end of one design."""
    return room_around(bent(0.6))


@pytest.fixture(scope="module")
def worlds(room: Environment) -> Worlds:
    return Worlds.draw(room, PARAMS, Uncertainty.of_levels(0.0, 0.08), [None, *range(8)], seed=5)


def test_those_that_drop_out_did_worse_in_the_worlds_before(worlds: Worlds) -> None:
    """The others are what they are when grown in all worlds at once, to the bit; those that drop out have the worlds before only."""
    designs = [bent(length, 0.2) for length in (0.45, 0.6, 0.5, 0.62, 0.4)]
    rows = np.arange(9)
    grown = {count: grow_candidates(designs, worlds, rows[:count]) for count in (3, 6, 9)}
    found = race(designs, worlds, rows, keep=2, effort=Effort(world_factor=2, finalists=1))
    second = np.argsort([one.loss for one in grown[3]])[:2].tolist()
    assert sorted(second) == [1, 3]
    last = min(second, key=lambda k: grown[6][k].loss)
    for k, one in enumerate(found):
        expected = grown[9 if k == last else 6 if k in second else 3][k]
        assert np.array_equal(one.nearest, expected.nearest)
        assert one.planned == expected.planned


def test_what_drops_out_is_worse_for_the_optimiser_than_what_does_not(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However good it was in the few worlds in which it was grown, and the more the fewer; what cannot be made is worse still."""
    design, told = bent(0.6, 0.2), list[float]()
    made = Descent(Candidate(design, np.zeros(5), -1.0), worlds, CATALOGUE, 0, Effort())
    bad = Candidate(design, np.full(5, 0.5), 1.0)
    sooner, later = (Candidate(design, np.full(worlds, -0.01), -1.0) for worlds in (2, 4))
    candidates = iter([design, None, *[design] * 8])
    monkeypatch.setattr(made, "candidate", lambda _: next(candidates))
    monkeypatch.setattr(made, "compete", lambda *_: [sooner, later, *[bad] * 7])
    monkeypatch.setattr(made.evolution, "tell", lambda _, losses: told.extend(losses))
    assert made.generation(np.arange(5)) == 9
    assert told[3:] == [bad.loss] * 7
    assert bad.loss < told[2] < told[0] < told[1]


def test_a_tube_is_cut_where_it_is_deepest_in_the_goal(room: Environment, worlds: Worlds) -> None:
    """One that grows through the goal ends in it afterwards; those that end in it, or never come there, stay as they are."""
    far, there, never = bent(0.6, 0.55), bent(0.6, 0.2), bent(0.2, 0.3)
    assert not grow_designs([far], room, QuasiStatic(room, PARAMS))[0].ends_in_goal
    cut, same, other = ending_in_goal([far, there, never], worlds)
    assert (same, other) == (there, never)
    assert cut.sections[0] == far.sections[0]
    grown = make_simulation(far, room, replay(far, QuasiStatic(room, PARAMS)))
    tips = np.array([line[~np.isnan(line[:, 0])][-1] for line in grown.joints])
    nearest = np.hypot(*(tips - room.goal[:2]).T).argmin()
    assert cut.length == pytest.approx(grown.lengths[nearest], abs=1e-9)
    assert grow_designs([cut], room, QuasiStatic(room, PARAMS))[0].ends_in_goal


def test_tubes_to_be_cut_are_grown_a_few_at_a_time(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of all solutions of a search together would take hundreds of megabytes in a large hall; they are cut the same."""
    designs, asked = [bent(0.6, end) for end in (0.55, 0.2, 0.3, 0.5, 0.4)], list[int]()
    together = [one.sections for one in ending_in_goal(designs, worlds)]
    monkeypatch.setattr(worlds, "batch_size", lambda _: 2)
    grow = worlds.planned.grow

    def counted(state: VineState, *others: Any) -> Rollout:
        asked.append(len(state.angles))
        return grow(state, *others)

    monkeypatch.setattr(worlds.planned, "grow", counted)
    assert [one.sections for one in ending_in_goal(designs, worlds)] == together
    assert asked == [2, 2, 1]
    assert ending_in_goal([], worlds) == []


def test_a_shortened_tube_keeps_its_sections_and_none_that_is_too_short() -> None:
    whole = bent(0.6, 0.2)
    assert shorten(whole, 0.5).sections == (replace(whole.sections[0], end=0.5),)
    assert shorten(whole, 0.7).sections == (whole.sections[0], replace(whole.sections[1], end=0.7))
    assert shorten(whole, 0.61) is whole


def lose(one: Descent, loss: float) -> None:
    """Let the best design of a descent have a loss below a half."""
    distance = BLUR * np.log(loss / (1 - loss))
    one.found = [Candidate(one.design, np.full(9, distance), -1.0)]
    assert one.best.loss == pytest.approx(loss)


def test_what_promises_most_is_refined_next(worlds: Worlds) -> None:
    """Fewer actuators outweigh a slightly larger loss, those without a turn are hoped to improve, and the tired wait."""
    effort = Effort(heat=3, generations=16, patience=6)
    made = Contest([bent(0.6, 0.2)], worlds, CATALOGUE, 0, lambda: False, effort)
    made.fewest = 1
    whole = bent(0.6, 0.2)
    more = replace(whole, sections=(whole.sections[0], *whole.sections))
    one, two = (Descent(Candidate(it, np.zeros(9), -1.0), worlds, CATALOGUE, 0, effort) for it in (whole, more))
    lose(one, 0.3)
    lose(two, 0.3 - ALIKE / 2)
    one.generations = two.generations = effort.heat
    made.refined = [two, one]
    assert made.next() is one
    lose(two, 0.3 - 2 * ALIKE)
    assert made.next() is two
    two.idle = 4
    assert made.next() is one
    two.idle, one.generations = 0, 0
    assert made.next() is one  # it has its whole heat before it
    one.generations = effort.heat
    assert made.next() is two
    one.generations = two.generations = effort.generations
    assert made.next() is two  # both were better a moment ago
    two.idle = effort.patience
    assert made.next() is one
    one.idle = effort.patience
    assert made.next() is None


@pytest.mark.parametrize(
    ("one", "two", "decided"),
    [
        ((72, 72), (0, 8), True),
        ((8, 8), (72, 72), False),  # fewer actuators may do: too few worlds to tell
        ((3, 8), (72, 72), True),
        ((3, 8), (66, 72), False),  # 92 %, 83 to 96
        ((3, 8), (8, 8), False),
        ((50, 72), (60, 72), False),  # none does what is wanted
    ],
)
def test_refinement_is_decided_where_a_design_does_what_is_wanted_and_fewer_actuators_do_not(
    worlds: Worlds, one: tuple[int, int], two: tuple[int, int], decided: bool
) -> None:
    made = Contest([bent(0.6, 0.2)], worlds, CATALOGUE, 0, lambda: False, Effort())
    whole = bent(0.6, 0.2)
    more = replace(whole, sections=(whole.sections[0], *whole.sections))
    made.refined = []
    for design, (reached, grown) in ((more, two), (whole, one)):
        nearest = np.where(np.arange(grown + 1) <= reached, -0.1, 0.01)
        made.refined.append(Descent(Candidate(design, nearest, -1.0), worlds, CATALOGUE, 0, Effort()))
    assert made.is_decided(0.9) == decided
    if decided:
        best = min(made.refined, key=lambda some: -some.best.rate)
        best.found = [replace(best.best, planned=1.0)]
        assert not made.is_decided(0.9), "as planned, it misses"


@pytest.mark.parametrize(
    ("nearest", "last", "renewed"),
    [
        ((-0.1, -0.1), 0, True),  # the most promising one is that with fewer actuators
        ((-0.1, -0.1), 1, False),
        ((0.1, -0.1), 1, True),
        ((0.1, -0.1), 0, True),  # the best with fewer actuators than the most promising one
    ],
)
def test_a_contest_is_renewed_by_what_joined_last(
    worlds: Worlds, nearest: tuple[float, float], last: int, renewed: bool
) -> None:
    made = Contest([bent(0.6, 0.2)], worlds, CATALOGUE, 0, lambda: False, Effort())
    assert made.joined == made.refined
    whole = bent(0.6, 0.2)
    more = replace(whole, sections=(whole.sections[0], *whole.sections))
    made.refined = [
        Descent(Candidate(it, np.full(9, distance), -1.0), worlds, CATALOGUE, 0, Effort())
        for it, distance in zip((whole, more), nearest, strict=True)
    ]
    made.joined = [made.refined[last]]
    assert made.is_renewed == renewed


def test_what_joins_later_is_told_from_what_was_there(worlds: Worlds) -> None:
    made = Contest([bent(0.6, 0.2)], worlds, CATALOGUE, 0, lambda: True, SHORT_HEAT)
    (before,) = made.refined
    made.join([bent(0.62, 0.2)])
    assert len(made.joined) == 1
    assert before not in made.joined


@pytest.mark.parametrize(("reached", "generations"), [(4, 0), (3, 2), (1, None)])
def test_a_design_with_nothing_to_learn_goes_on_in_more_worlds(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch, reached: int, generations: int | None
) -> None:
    """At once if it reaches the goal in all, once it is stuck if in almost all, and never otherwise; others still have their heat."""
    effort = Effort(levels=(4, 6, 8), heat=9, generations=9, stuck=2)
    made = Contest([bent(0.6, 0.2), bent(0.5, 0.3)], worlds, CATALOGUE, 0, lambda: True, effort)
    one = made.refined[0]
    one.found = [Candidate(one.design, np.array([-0.1, *[-0.1] * reached, *[0.01] * (4 - reached)]), -1.0)]
    monkeypatch.setattr(one, "candidate", lambda _: None)
    monkeypatch.setattr(
        one, "grow", lambda designs, rows: [Candidate(it, np.full(len(rows), 0.01), -1.0) for it in designs]
    )
    for generation in range(4):
        made.advance(one)
        wide = generations is not None and generation >= generations
        assert one.worlds_used == (7 if wide else 5)  # one level at a time
    assert one.idle == (4 - generations if generations else 4)


def test_of_designs_that_do_the_same_one_is_refined(worlds: Worlds) -> None:
    """Designs that several searches find, or that differ only in what does not matter, are one: here, the tail in two parts."""
    one, other = bent(0.6, 0.2), bent(0.5, 0.3)
    bend, tail = one.sections
    parts = replace(one, sections=(bend, replace(tail, end=0.7), replace(tail, start=0.7)))
    effort = Effort(levels=(4, 8))
    made = Contest([one, *[replace(one)] * effort.kept, parts, other], worlds, CATALOGUE, 0, lambda: False, effort)
    assert [it.design.sections[0] for it in made.refined] == [bend, other.sections[0]]
    assert made.grown[1] == 3


def test_after_a_heat_the_better_one_goes_on_and_others_are_made_from_it(worlds: Worlds) -> None:
    """Two designs with one actuator compete; a design with two, made from the winner, enters."""
    designs = [bent(0.6, 0.2), bent(0.5, 0.3), bent(0.25, 0.2)]
    made = Contest(designs, worlds, CATALOGUE, 0, lambda: True, SHORT_HEAT)
    assert [one.worlds_used for one in made.refined] == [5, 5]
    first, second = made.refined
    assert first.best.loss < second.best.loss
    made.advance(second)
    assert made.refined == [first, second]
    made.advance(first)
    assert first in made.refined
    assert second not in made.refined
    assert [one.design.actuators for one in made.refined] == [1, 2]
    assert made.grown[1] > 3
    while made.turn(restarting=False):
        pass
    winners = made.winners()
    assert [one.design.actuators for one in winners] == [1, 2]
    assert all(one.worlds_used == len(worlds) for one in winners)


def test_without_time_nothing_more_is_compared_or_made(worlds: Worlds) -> None:
    """A generation that was begun ends; the heat that it ends, comparisons and new designs wait."""
    left = [True]
    made = Contest([bent(0.6, 0.2), bent(0.5, 0.3)], worlds, CATALOGUE, 0, lambda: left[0], SHORT_HEAT)
    before = list(made.refined)
    left[0] = False
    for one in before:
        one.generations = 1
        made.advance(one)
    assert made.refined == before
    assert [one.worlds_used for one in made.winners()] == [5]


def test_designs_that_have_converged_begin_again_where_they_are(worlds: Worlds) -> None:
    """With other random numbers, while the effort allows; those that are sure do not."""
    effort = Effort(levels=(8,), generations=1, patience=0, restarts=3)
    made = Contest([bent(0.6, 0.2), bent(0.5, 0.3)], worlds, CATALOGUE, 0, lambda: True, effort)
    one, other = made.refined
    asked = one.evolution.ask()
    lose(one, 0.2)
    other.found = [Candidate(other.design, np.full(9, -1.0), -1.0)]
    one.found[-1] = replace(one.found[-1], design=bent(0.55, 0.25))
    one.generations = other.generations = 1
    assert made.next() is None
    assert made.restart()
    assert made.next() is one
    assert (one.generations, other.generations) == (0, 1)
    assert one.design.sections == one.best.design.sections == bent(0.55, 0.25).sections
    assert not np.allclose(one.evolution.ask(), asked)
    lose(one, SURE / 2)
    assert not made.restart()
    lose(one, 0.2)
    assert made.restart()
    assert not made.restart()


def test_what_was_compared_in_more_worlds_wins(worlds: Worlds) -> None:
    """Without time to compare both in as many: a smaller loss in few worlds proves less. In as many worlds, the smaller loss wins."""
    made = Contest([bent(0.6, 0.2), bent(0.5, 0.3)], worlds, CATALOGUE, 0, lambda: False, Effort(levels=(4, 8)))
    one, other = made.refined
    lose(one, 0.3)
    other.found = [replace(one.best, nearest=np.full(5, -0.1))]
    assert other.best.loss < one.best.loss
    assert made.winners() == [one]
    lose(other, 0.2)
    assert made.winners() == [other]
