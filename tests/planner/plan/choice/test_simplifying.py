"""Simpler designs: what is made from a design, when its success suffers, and that a plan gives up actuators that it does not need."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from environments.uncertainty import PRESETS
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.design.schedule import Schedule
from planner.plan.choice.front import NO_TRIALS, Champion, Choice
from planner.plan.choice.selection import Selection
from planner.plan.choice.simplifying import (
    BRIDGED,
    SUFFERED,
    merge_equal,
    merge_equal_in_all,
    paired_loss,
    simpler_designs,
)
from planner.plan.effort import Effort
from planner.search.controls import sections_of
from planner.search.run import Run
from planner.uncertainty.trials import COMPARING, Worlds, grow_trials
from tests.planner.plan.choice.bent import CATALOGUE, PARAMS, bent, mirrored, room_around

ERRORS = replace(PRESETS["lasercut"], friction=None)
EFFORT = Effort(levels=(4, 8), block=20, other_trials=20, chosen_trials=20, simpler_generations=2, paired=150)
Z = 1.959963984540054


def results(lost: int, won: int, both: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    """Results of two designs, of which one alone reached the goal `lost` times, and the other one `won` times."""
    table = [(True, False)] * lost + [(False, True)] * won + [(True, True)] * both + [(False, False)] * neither
    before, after = np.array(table).T
    return before, after


def test_the_interval_of_a_loss() -> None:
    """Wald's interval of the table with half a trial added to each cell; without a difference it is 1.96 / (T + 2) wide to each side."""
    loss = paired_loss(*results(0, 0, 500, 100))
    assert loss == (0.0, pytest.approx(-Z / 602), pytest.approx(Z / 602))
    loss = paired_loss(*results(9, 3, 180, 8))
    lost, won = 9.5 / 202, 3.5 / 202
    assert loss.value == pytest.approx(6 / 202)
    assert loss.high - loss.value == pytest.approx(Z * np.sqrt((lost + won - (lost - won) ** 2) / 202))
    other = paired_loss(*reversed(results(9, 3, 180, 8)))
    assert (other.value, other.low, other.high) == pytest.approx((-loss.value, -loss.high, -loss.low))


def test_the_interval_covers_the_loss() -> None:
    """In 95 % of series of trials, to 2 %, for the success of which an actuator is given up or kept."""
    rng = np.random.default_rng(0)
    for lost, won in ((0.012, 0.005), (0.05, 0.02), (0.03, 0.03)):
        covered = 0
        for _ in range(1000):
            which = rng.choice(3, 600, p=(lost, won, 1 - lost - won))
            _, low, high = paired_loss(which != 1, which != 0)
            covered += low <= lost - won <= high
        assert covered / 1000 == pytest.approx(0.95, abs=0.02), (lost, won)


def split(design: Design, at: float, **changed: float) -> Design:
    """The design with its first actuator split in two at a length [m], the second part of which may differ."""
    one, *rest = design.sections
    parts = replace(one, end=at), replace(one, start=at, **changed)
    return replace(design, sections=(*parts, *rest))


def test_equal_neighbours_are_one_actuator() -> None:
    """Also three of them, and bare parts; not with a gap, on different sides, or with other cells, pressure or use."""
    whole = bent(0.5)
    assert merge_equal(split(split(whole, 0.3), 0.1)).sections == whole.sections
    bare = whole.sections[-1]
    parted = replace(whole, sections=(whole.sections[0], replace(bare, end=0.6), replace(bare, start=0.6)))
    assert merge_equal(parted).sections == whole.sections
    for changed in ({"pressure": 10e3}, {"l_0": 0.05}, {"on": False}, {"kind": 1}, {"side": "right"}):
        other = split(whole, 0.3, **changed)
        assert merge_equal(other) is other, changed
    first, second, last = split(whole, 0.3).sections
    gap = replace(whole, sections=(first, Section(0.3, 0.32, "none", 0, 0, 0), replace(second, start=0.32), last))
    assert merge_equal(gap) is gap
    scheduled = replace(split(whole, 0.3), schedule=Schedule([0.1, 0.1], [[10e3, 20e3], [20e3, 20e3]]))
    assert merge_equal(scheduled) is scheduled
    folds = Section(0.0, 0.1, "left", 1.0, 0.0, 0.0, preformed=True)
    formed = replace(
        whole, sections=(folds, replace(folds, start=0.1, end=0.3), replace(folds, start=0.3, end=0.4, curvature=2.0))
    )
    assert [one.end for one in merge_equal(formed).sections] == [0.3, 0.4]


def test_a_tube_for_several_environments_merges_what_is_alike_in_all() -> None:
    """Two parts of which one is off in an environment stay two in all of them; off in all, or in none, they are one."""
    one = split(bent(0.5), 0.3)
    off = replace(one, sections=tuple(replace(part, on=part.side == "none") for part in one.sections))
    partly = replace(one, sections=(one.sections[0], replace(one.sections[1], on=False), one.sections[2]))
    assert merge_equal_in_all([one, partly]) == [one, partly]
    merged = merge_equal_in_all([one, off])
    assert [[part.end for part in design.sections] for design in merged] == [[0.5, 0.7]] * 2
    assert [design.sections[0].on for design in merged] == [True, False]


def test_a_search_finds_no_equal_neighbours() -> None:
    """So a plan with --fast has none either: segments with the same control are one section."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        controls = rng.choice([0, 3, -3, 7], 12).astype(np.int32)
        sections = sections_of(controls, 0.025, CATALOGUE)
        design = Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
        assert merge_equal(design) is design


def chain(gap: float = 0.05) -> Design:
    """Three actuators: two to the left with a gap between them, and one to the right that touches the second."""
    entries = [np.argmin(np.abs(CATALOGUE.curvature - one)) for one in (1.2, 2.0, 2.8)]
    ends = [(0.0, 0.2), (0.2 + gap, 0.5 + gap), (0.5 + gap, 0.8 + gap)]
    parts = [
        Section(*at, side, *(float(part[k]) for part in (CATALOGUE.curvature, CATALOGUE.l_0, CATALOGUE.pressure)))
        for at, side, k in zip(ends, ("left", "left", "right"), entries, strict=True)
    ]
    between = Section(0.2, 0.2 + gap, "none", 0.0, 0.0, 0.0)
    last = Section(0.8 + gap, 1.0 + gap, "none", 0.0, 0.0, 0.0)
    return Design("room", "", PARAMS, (parts[0], between, *parts[1:], last), np.zeros(3), np.zeros((1, 2)))


def test_all_designs_with_one_actuator_fewer() -> None:
    """One merged on the same side, which turns as much; four in which one takes the place of a neighbour; three without an actuator."""
    design = chain()
    made = simpler_designs(design, CATALOGUE)
    assert len(made) == len({one.sections for one in made}) == 1 + 4 + 3
    for one in made:
        assert one.actuators == 2
        assert (one.sections[0].start, one.built) == (0.0, design.built)
        assert all(before.end == after.start for before, after in zip(one.sections, one.sections[1:], strict=False))
        assert merge_equal(one) is one
    merged = made[0].sections[0]
    assert (merged.start, merged.end, merged.side) == (0.0, pytest.approx(0.55), "left")
    first, _, second, third, _ = design.sections
    turn = first.curvature * 0.2 + second.curvature * 0.3
    assert merged.curvature * 0.55 == pytest.approx(turn, rel=0.02)
    assert made[0].sections[1] == third
    removed = [{one.curvature for one in two.actuated} for two in made[5:]]
    assert removed == [
        {second.curvature, third.curvature},
        {first.curvature, third.curvature},
        {first.curvature, second.curvature},
    ]


def test_neighbours_are_near() -> None:
    """With more bare tube between them than may be bridged, the first two are no neighbours."""
    assert len(simpler_designs(chain(BRIDGED * PARAMS.scale - 1e-3), CATALOGUE)) == 8
    assert len(simpler_designs(chain(BRIDGED * PARAMS.scale + 1e-3), CATALOGUE)) == 2 + 3


def champion(design: Design, reached: list[bool], outside: float = 0.0) -> Champion:
    return Champion(design, Estimate(sum(reached), len(reached)), 1, np.array(reached), outside=outside)


def test_the_front_keeps_the_likeliest_of_each_number() -> None:
    """In the trials of both; a design that misses as planned is never kept instead of one that does not."""
    poor, good = champion(bent(0.5), [True, False, True, True, True]), champion(bent(0.6), [True, True, True])
    missing = champion(bent(0.7), [True] * 5, outside=0.1)
    for order in ((poor, good, missing), (missing, good, poor), (good, missing, poor)):
        choice = Choice("workshop", ERRORS, 0.9)
        for one in order:
            choice.add(one)
        assert choice.front == [good]


@pytest.fixture
def select() -> Callable[[Design], tuple[Selection, Choice]]:
    """A selection in a room around a design's goal, and a choice of the design alone."""

    def make(design: Design) -> tuple[Selection, Choice]:
        room = room_around(design)
        made = Selection(
            Run.prepare(room, PARAMS, seed=3, batch=10), ERRORS, lambda: np.inf, lambda _: None, effort=EFFORT
        )
        choice = Choice("lasercut", ERRORS, 0.9)
        choice.add(made.with_trials(Champion(design, NO_TRIALS, 1), 20))
        return made, choice

    return make


def test_an_actuator_that_continues_another_is_given_up(select: Callable[[Design], tuple[Selection, Choice]]) -> None:
    """Two parts of one bend with other cells become one actuator that reaches the goal as often, in trials that chose nothing else."""
    entry, other = 300, 302
    design = split(
        bent(0.6, entry=entry), 0.3, l_0=float(CATALOGUE.l_0[other]), pressure=float(CATALOGUE.pressure[other]),
        curvature=float(CATALOGUE.curvature[other]),
    )  # fmt: skip
    made, choice = select(design)
    before = choice.chosen
    made.simplify(choice)
    assert [one.design.actuators for one in choice.front] == [1, 2]
    assert choice.chosen.design.actuators == 1
    assert choice.front[1] is before
    worlds = Worlds.draw(made.environment, PARAMS, ERRORS, range(COMPARING, COMPARING + EFFORT.paired), made.seed)
    reached = [grow_trials(one.design, worlds).reached for one in (before, choice.chosen)]
    assert paired_loss(*reached).high < SUFFERED


def test_an_actuator_that_is_needed_is_kept(select: Callable[[Design], tuple[Selection, Choice]]) -> None:
    """A bend, and one back that leads to the goal: no design with one of them is as likely. It is tried once only."""
    there, back = bent(0.3, 0.0), mirrored(bent(0.3, 0.0))
    first, second = there.sections[0], back.sections[0]
    design = replace(
        there, sections=(first, replace(second, start=0.3, end=0.6), Section(0.6, 0.8, "none", 0.0, 0.0, 0.0))
    )
    made, choice = select(design)
    made.simplify(choice)
    assert [one.design.actuators for one in choice.front] == [2]
    grown = made.known.count
    made.simplify(choice)
    assert made.known.count == grown


def test_a_design_in_doubt_is_not_as_likely(select: Callable[[Design], tuple[Selection, Choice]]) -> None:
    """Tubes that bend more and more reach the goal less and less: one is accepted only if the whole interval of its loss is
    below what counts, and not where the interval includes that.
    """
    design = bent(0.6)
    made, _ = select(design)
    worlds = Worlds.draw(made.environment, PARAMS, ERRORS, range(COMPARING, COMPARING + EFFORT.paired), made.seed)
    before, doubtful, accepted = grow_trials(design, worlds).reached, 0, 0
    stronger = np.argsort(CATALOGUE.curvature)
    stronger = stronger[np.flatnonzero(stronger == 300)[0] :][10:130:10]
    for entry in stronger.tolist():
        other = bent(0.6, entry=entry)
        loss = paired_loss(before, grow_trials(other, worlds).reached)
        assert made._is_as_likely(other, design, lambda: True) == (loss.high < SUFFERED)
        doubtful += loss.low < SUFFERED < loss.high
        accepted += loss.high < SUFFERED
    assert doubtful
    assert accepted


def test_without_time_nothing_is_simplified(select: Callable[[Design], tuple[Selection, Choice]]) -> None:
    made, choice = select(split(bent(0.6), 0.3))
    made.left = lambda: 0.0
    made.simplify(choice)
    assert [one.design.actuators for one in choice.front] == [2]
