"""Ranges of the acceptance test: closed form of a tube whose limit is known, and cost in success among other trials."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.uncertainty import PRESETS, Uncertainty
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.uncertainty.bend_ranges import ONE, TOGETHER, Acceptance, BendRange, find_ranges
from planner.uncertainty.deviations import SectionErrors, measured_bends, with_bend
from planner.uncertainty.trials import Worlds, grow_trials

PARAMS = VineParams()
TAIL, HIT = 1.2, 0.1
"""Straight tube after the bend, and radius of the goal [m]."""
LEFT = Section(0.2, 0.41, "left", 0.0, 0.042, 25e3)
FORMED = Section(0.2, 0.5, "left", 2.0, 0.0, 0.0, preformed=True)


def tube(*bent: Section, tail: float = TAIL, hit: float = HIT, aside: float = 0.0) -> tuple[Design, Environment]:
    """A tube in free space, and an environment whose goal is around its tip, or beside it to the left by some distance [m]."""
    between, at = [], 0.0
    for section in bent:
        between += [Section(at, section.start, "none", 0.0, 0.0, 0.0), section]
        at = section.end
    sections = (*between, Section(at, at + tail, "none", 0.0, 0.0, 0.0))
    room = Environment(
        "room", "", np.array([-3.0, -3.0, 3.0, 3.0]), np.zeros(3), np.array([2.5, 2.5, 0.1]), Obstacles()
    )
    design = Design("room", room.sha256, PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    (grown,) = grow_designs([design], room, QuasiStatic(room, PARAMS))
    x, y, heading = grown.design.tip
    goal = np.array([x - aside * np.sin(heading), y + aside * np.cos(heading), hit])
    place = replace(room, goal=goal)
    return replace(grown.design, sha256=place.sha256), place


def turn_of(section: Section) -> float:
    """Angle between the tube before and behind an actuator in free space [rad]."""
    curvature = float(free_curvature(joint_moments(PARAMS), section.pressure, section.l_0, section.kind))
    return curvature * (section.end - section.start)


PLANNED = 0.3 / (1 / 2.0 + PARAMS.radius)
"""Turn of `FORMED` [rad]."""


def reach(sections: list[Section], turns: np.ndarray, tail: float) -> np.ndarray:
    """Tips of tubes with preformed bends to the left [m], shape (tubes, 2): arcs whose outer wall keeps its length, and straight tube.

    Args:
        turns: Of each bend [rad], shape (tubes, bends).
    """
    place, heading, at = np.zeros((len(turns), 2)), np.zeros(len(turns)), 0.0
    for section, turn in zip(sections, turns.T, strict=True):
        place += (section.start - at) * np.stack([np.cos(heading), np.sin(heading)], axis=1)
        radius = (section.end - section.start) / turn - PARAMS.radius
        after = heading + turn
        place += radius[:, None] * np.stack([np.sin(after) - np.sin(heading), np.cos(heading) - np.cos(after)], axis=1)
        heading, at = after, section.end
    return place + tail * np.stack([np.cos(heading), np.sin(heading)], axis=1)


def misses(sections: list[Section], turns: np.ndarray, tail: float, aside: float) -> np.ndarray:
    """Whether tips of the closed form are outside of the goal that `tube` places, shape (tubes,)."""
    planned = np.full((1, len(sections)), PLANNED)
    ahead = PLANNED * len(sections)
    goal = reach(sections, planned, tail) + aside * np.array([-np.sin(ahead), np.cos(ahead)])
    return np.hypot(*(reach(sections, turns, tail) - goal).T) > HIT


def test_without_errors_a_range_ends_where_the_tube_misses() -> None:
    """A preformed bend and straight tube, the goal beside the tip: the angles with which the closed form reaches it."""
    design, environment = tube(FORMED, aside=0.03)
    found = find_ranges(design, environment, Uncertainty(), trials=20)
    (accepted,) = found.bends
    assert isinstance(accepted, BendRange)
    turns = PLANNED + np.radians(np.linspace(-10, 10, 4001))
    inside = turns[~misses([FORMED], turns[:, None], TAIL, 0.03)]
    # The goal is farther to the left: 2.5 degrees less or 5.3 more are left. The steps of the margin are a quarter of a degree.
    assert np.degrees(accepted.low - inside[0]) == pytest.approx(0.13, abs=0.2)
    assert np.degrees(accepted.high - inside[-1]) == pytest.approx(-0.13, abs=0.2)
    assert accepted.open == (False, False)
    assert (found.trials, found.reached, found.passed, found.good) == (20, 20, 20, 20)


def test_several_ranges_are_reduced_until_all_together_cost_little() -> None:
    """Two preformed bends without errors: in the closed form, bends anywhere in both ranges miss in about 5 %, in wider ones more."""
    pair = [FORMED, replace(FORMED, start=0.7, end=1.0)]
    design, environment = tube(*pair, tail=0.8, aside=0.03)
    found = find_ranges(design, environment, Uncertainty(), trials=100)
    low, high = np.array([(one.low, one.high) for one in found.bends if one]).T
    spread = np.random.default_rng(5).uniform(size=(20_000, 2))

    def cost_of(factor: float) -> float:
        turns = PLANNED + factor * (low - PLANNED + spread * (high - low))
        return float(misses(pair, turns, 0.8, 0.03).mean())

    assert cost_of(1.0) < TOGETHER + 0.015
    assert cost_of(1.3) > TOGETHER
    assert [one.open for one in found.bends if one] == [(False, False)] * 2


def test_a_bend_that_hardly_matters_is_open_on_both_sides() -> None:
    """With a goal that the tip cannot leave, all that was tried is accepted, and the range says that nothing failed."""
    design, environment = tube(FORMED, hit=1.0)
    (accepted,) = find_ranges(design, environment, Uncertainty(), trials=20).bends
    assert accepted is not None
    assert accepted.open == (True, True)
    assert np.degrees(accepted.high - accepted.low) == pytest.approx(20, rel=0.06)


def cost(design: Design, environment: Environment, found: Acceptance, which: list[int]) -> float:
    """Success that tubes with some bends anywhere in their ranges lose, in trials of their own [-]."""
    rng, trials = np.random.default_rng(7), range(1000)
    worlds = Worlds.draw(environment, design.params, PRESETS["workshop"], trials, 3)
    usual = worlds.sections(design)
    bent = usual
    for k in which:
        accepted = found.sections[k]
        assert accepted is not None
        bent = with_bend(design, bent, worlds.errors, k, rng.uniform(accepted.low, accepted.high, len(trials)))
    return float(
        np.mean(grow_trials(design, worlds, usual).reached) - np.mean(grow_trials(design, worlds, bent).reached)
    )


@pytest.mark.slow
def test_ranges_cost_what_they_may_and_are_no_narrower() -> None:
    """Two actuators under the errors of a workshop: what one range costs, and both together, in trials with another seed."""
    right = replace(LEFT, start=0.7, end=0.91, side="right")
    design, environment = tube(LEFT, right, tail=0.8, hit=0.17)
    found = find_ranges(design, environment, PRESETS["workshop"])
    assert found.reached > 0.95 * found.trials
    for k in range(2):
        assert cost(design, environment, found, [k]) < ONE + 0.015
    assert cost(design, environment, found, [0, 1]) < TOGETHER + 0.02
    wide = [replace(one, low=one.low - 0.12, high=one.high + 0.12) for one in found.sections if one]
    assert cost(design, environment, replace(found, sections=tuple(wide)), [0, 1]) > TOGETHER
    # Most tubes pass, not one in five, and those that pass are as good as before.
    assert found.good > 0.9 * found.reached
    assert found.good / found.passed >= found.reached / found.trials


def test_a_bend_is_forced_whatever_the_errors() -> None:
    """In free space the tube turns by the given angle for all errors of cell, pressure and length; the other bend keeps its own."""
    design, environment = tube(LEFT, replace(LEFT, start=0.7, end=0.91, side="right"))
    worlds = Worlds.draw(environment, PARAMS, PRESETS["workshop"], range(40), 0)
    errors = worlds.sections(design)
    drawn = measured_bends(design, errors, worlds.errors)
    assert measured_bends(design, SectionErrors.none(2, 2), worlds.errors.none(environment, 2))[0] == pytest.approx(
        turn_of(LEFT)
    )
    assert drawn.std(axis=0) == pytest.approx(0.055 * turn_of(LEFT), rel=0.4)
    wanted = turn_of(LEFT) * np.linspace(0.85, 1.0, 40)
    bent = with_bend(design, errors, worlds.errors, 1, wanted)
    made = measured_bends(design, bent, worlds.errors)
    np.testing.assert_allclose(made[:, 1], wanted, rtol=1e-6)
    np.testing.assert_allclose(made[:, 0], drawn[:, 0], rtol=1e-9)
    # It is the vine that turns so: its tip's heading is the sum of its bends.
    outcome = grow_trials(design, worlds, bent)
    ahead = np.array([line[~np.isnan(line[:, 0])][-1] - line[~np.isnan(line[:, 0])][-3] for line in outcome.joints])
    heading = np.arctan2(ahead[:, 1], ahead[:, 0]) - worlds.errors.start[:, 2]
    np.testing.assert_allclose(heading, made[:, 0] - made[:, 1], atol=0.02)
