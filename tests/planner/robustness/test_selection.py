"""Choosing by success."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design import Design, Section
from planner.replay import grow_designs
from planner.robustness.estimate import Estimate
from planner.robustness.selection import Champion, Choice, Selection
from planner.robustness.trials import Spread
from planner.search.catalogue import Catalogue

PARAMS = VineParams()


def bent(length: float, entry: int, tail: float = 0.2) -> Design:
    """A tube that is bent to the left along its first part."""
    catalogue = Catalogue.of(PARAMS)
    numbers = catalogue.curvature[entry], catalogue.l_0[entry], catalogue.pressure[entry]
    sections = Section(0.0, length, "left", *map(float, numbers)), Section(length, length + tail, "none", 0, 0, 0)
    return Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


@pytest.fixture(scope="module")
def good() -> Design:
    return bent(0.6, 300)


@pytest.fixture(scope="module")
def room(good: Design) -> Environment:
    """The goal lies around the end of one design."""
    empty = Environment("room", "", np.array([-0.3, -0.5, 1.1, 0.9]), np.zeros(3), np.array([0, 0, 0.1]), Obstacles())
    tip = grow_designs([good], empty, QuasiStatic(empty, PARAMS))[0].design.tip
    return replace(empty, goal=np.array([*tip[:2], 0.1]))


def selection(room: Environment, counted: list[int], final: int = 200) -> Selection:
    replayer = QuasiStatic(room, PARAMS).refined()
    return Selection(room, Spread.of_levels(0.0, 0.05), Catalogue.of(PARAMS), 0, final, counted.append, replayer)


def test_the_likeliest_is_found_and_bettered(good: Design, room: Environment) -> None:
    """Of designs that end at the goal's edge and one in its middle, or its variants, the champion is as likely as that one."""
    # Shorter tails end at the edge of the goal, where an error carries them out of it.
    poor = [bent(0.6, 300, 0.2 - cut) for cut in (0.095, 0.0975)]
    counted: list[int] = []
    chooser = selection(room, counted)
    champions = list(chooser.champions([*poor, good]))
    assert len(champions) == 1
    best, edge = chooser.evaluate(good), chooser.evaluate(poor[0])
    assert edge.rate < best.rate - 0.05
    assert champions[0].estimate.rate >= best.rate - 0.02
    assert champions[0].estimate.trials == 200
    # The champion's variants end in the goal as planned.
    assert grow_designs([champions[0].design], room, QuasiStatic(room, PARAMS))[0].ends_in_goal
    assert sum(counted) < 1000 + 30 * 64 * 3


def test_poor_designs_cost_little(good: Design, room: Environment) -> None:
    """Of eight designs the better half gets as many trials again each time: 8, 4, 2 times 16, 16, 32."""
    counted: list[int] = []
    designs = [bent(0.3 + 0.05 * k, 300) for k in range(6)] + [good, bent(0.2, 300)]
    left = selection(replace(room, goal=np.array([*room.goal[:2], 0.05])), counted)._halved(designs, 1)
    assert left == [good]
    assert counted == [16] * 8 + [16] * 4 + [32] * 2


def test_each_number_of_actuators_has_its_champion(good: Design, room: Environment) -> None:
    """Fewest first, each with as many actuators as it stands for, up to two more than the fewest."""
    two = replace(good, sections=(*good.sections, Section(0.8, 0.9, "right", 1.0, 0.03, 10e3)))
    bare = replace(good, sections=(Section(0.0, 0.8, "none", 0, 0, 0),))
    three = replace(two, sections=(*two.sections, Section(0.9, 1.0, "left", 1.0, 0.03, 10e3)))
    champions = list(selection(room, [], final=50).champions([three, two, bare, good]))
    assert [champion.design.actuators for champion in champions] == [0, 1, 2]
    assert champions[0].estimate.reached == 0


def champion_of(design: Design, actuators: int, reached: int) -> Champion:
    sections = (*[design.sections[0]] * actuators, design.sections[1])
    return Champion(replace(design, sections=sections), Estimate(reached, 1000), 1)


def test_the_choice_has_the_fewest_actuators_of_those_that_suffice(good: Design) -> None:
    """Above the threshold fewest actuators count; below it, success, unless the trials cannot distinguish two."""
    lowest = champion_of(good, 1, 300)
    one, two, three = (champion_of(good, n, reached) for n, reached in ((1, 600), (2, 910), (3, 990)))
    assert Choice(0.05, 0.9, lowest, [one, two, three]).chosen is two
    assert Choice(0.05, 0.5, lowest, [one, two, three]).chosen is one
    assert Choice(0.05, 0.995, lowest, [one, two, three]).chosen is three
    assert not Choice(0.05, 0.995, lowest, [one, two, three]).met
    alike = champion_of(good, 3, 920)
    assert Choice(0.05, 0.95, lowest, [one, two, alike]).chosen is two
    assert Choice(0.05, 0.95, lowest, []).chosen is lowest
    assert Choice(0.05, 0.9, champion_of(good, 1, 700), [one]).chosen.estimate.reached == 700
    # The design of lowest cost may suffice; then nothing else is needed.
    enough = champion_of(good, 1, 950)
    assert Choice(0.05, 0.9, enough).met
    assert Choice(0.05, 0.9, enough, [three]).chosen is enough


def test_no_trial_is_used_twice(good: Design, room: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every halving grows trials that none before it has seen, and the last few get 128 at least; the evaluation has its own."""
    seen: list[tuple[Design, range]] = []

    def note(_: Selection, design: Design, trials: range) -> int:
        seen.append((design, trials))
        return 0

    monkeypatch.setattr(Selection, "_reached", note)
    assert len(list(selection(room, []).champions([good, bent(0.5, 300), bent(0.4, 300)]))) == 1
    ranges = sorted({(trials.start, trials.stop) for _, trials in seen})
    assert all(one[1] <= two[0] for one, two in pairwise(ranges))
    choosing = [trials for _, trials in seen[:-1]]
    assert min(trials.start for trials in choosing) >= 2_000_000
    assert len(choosing[-1]) >= 128
    assert seen[-1][1] == range(1_000_000, 1_000_200)


def test_variants_end_in_the_goal_and_can_be_made(good: Design, room: Environment) -> None:
    """Variants differ, end in the goal as planned, follow on without gaps, and have two cells a section at least."""
    environment = replace(room, goal=np.array([*room.goal[:2], 0.05]))
    variants = selection(environment, [])._variants([good])
    assert len({variant.sections for variant in [good, *variants]}) == len(variants) + 1 > 3
    assert all(
        grown.ends_in_goal for grown in grow_designs(variants, environment, QuasiStatic(environment, PARAMS).refined())
    )
    for variant in variants:
        assert variant.sections[0].start == 0.0
        assert all(one.end == two.start for one, two in pairwise(variant.sections))
        assert all(s.end - s.start >= 2 * s.l_0 - 1e-9 and s.end - s.start >= 0.025 - 1e-9 for s in variant.sections)
