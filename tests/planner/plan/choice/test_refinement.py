"""Refinement: its surrogate, the designs that it makes, and that they reach the goal in more worlds."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.design.catalogue import LEAST_CELLS
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.plan.choice.refinement import BLUR, Candidate, Descent, grow_candidates, vary, with_another
from planner.plan.effort import Effort
from planner.uncertainty.trials import Worlds, compute_goal_distances, grow_trials
from tests.planner.plan.choice.bent import CATALOGUE, PARAMS, bent, room_around


@pytest.fixture(scope="module")
def good() -> Design:
    return bent(0.6)


@pytest.fixture(scope="module")
def room(good: Design) -> Environment:
    """The goal lies around the end of one design."""
    return room_around(good)


@pytest.fixture(scope="module")
def worlds(room: Environment) -> Worlds:
    return Worlds.draw(room, PARAMS, Uncertainty.of_levels(0.0, 0.08), [None, *range(12)], seed=5)


def test_the_surrogate_is_the_share_of_failures_far_from_the_edge(good: Design) -> None:
    """Tips well inside and well outside of the goal count 0 and 1, one at its edge a half; nearer misses are better."""

    def loss(*nearest: float) -> float:
        return Candidate(good, np.array(nearest), -0.05).loss

    assert loss(-0.3, -0.3) == pytest.approx(0.0, abs=1e-6)
    assert loss(0.0, -0.3) == pytest.approx(0.25, abs=1e-6)
    assert loss(0.2, -0.3) == pytest.approx((1 + 0.05 * np.log1p(0.2 / BLUR)) / 2, abs=1e-4)
    assert loss(0.3, -0.3) > loss(0.2, -0.3) > loss(0.1, -0.3)
    assert loss(np.inf, -0.3) < 1.0


def test_a_design_that_does_not_end_in_the_goal_as_planned_is_worse_than_any_that_does(good: Design) -> None:
    """Its success does not matter: one that only passes through the goal would miss when it is grown to its end."""
    everywhere, nowhere = np.full(5, -0.1), np.full(5, 0.02)
    assert Candidate(good, everywhere, 0.01).loss > Candidate(good, nowhere, -0.01).loss
    assert Candidate(good, everywhere, -0.001).loss > 1.0  # as near to the edge as a replay may differ


def test_the_rate_leaves_out_the_world_as_planned(good: Design) -> None:
    assert Candidate(good, np.array([-1.0, -1.0, 1.0, 1.0, 1.0]), -1.0).rate == 0.25


def test_designs_grown_together_end_as_they_do_alone(good: Design, worlds: Worlds) -> None:
    """Designs of different length and number of actuators, in one call: the same as `grow_trials` of each, to the bit."""
    bare = replace(good, sections=(Section(0.0, 0.9, "none", 0, 0, 0),))
    rows = np.array([0, 3, 7])
    nearest, last = compute_goal_distances([bare, good], worlds, rows)
    for k, design in enumerate((bare, good)):
        assert np.array_equal(nearest[k], grow_trials(design, worlds).nearest[rows])
    planned = grow_designs([good], worlds.environment, QuasiStatic(worlds.environment, PARAMS))[0]
    goal = worlds.environment.goal
    assert last[1, 0] == pytest.approx(np.hypot(*(planned.tip[:2] - goal[:2])) - goal[2], abs=1e-9)


def test_a_varied_design_is_what_was_asked_for(good: Design) -> None:
    """Ends move by their shifts, curvatures by their factors, sections stay contiguous, and pressure and cells follow the curvature."""
    made = vary(good, CATALOGUE, np.array([0.5, -1.0]), np.array([1.0]))
    assert made
    assert [section.end for section in made.sections] == pytest.approx([0.63, 0.74])
    assert made.sections[0].curvature == pytest.approx(good.sections[0].curvature * np.exp(0.12), rel=0.02)
    entry = int(
        np.flatnonzero((CATALOGUE.l_0 == made.sections[0].l_0) & (CATALOGUE.pressure == made.sections[0].pressure))[0]
    )
    assert CATALOGUE.curvature[entry] == made.sections[0].curvature
    assert all(one.end == two.start for one, two in pairwise(made.sections))
    assert vary(good, CATALOGUE, np.array([0.0, -3.0]), np.zeros(1)) is None  # the second section would be 20 mm long
    same = vary(made, CATALOGUE, np.zeros(2), np.zeros(1))
    assert same
    assert same.sections == made.sections


def test_another_actuator_is_put_in_or_split_off(good: Design) -> None:
    """Always one more, on tube of the same length, every section long enough; a split actuator keeps what it does."""
    rng, made = np.random.default_rng(1), []
    while len(made) < 40:
        one = with_another(good, CATALOGUE, rng)
        made += [one] if one else []
    for design in made:
        assert design.actuators == good.actuators + 1
        assert design.length == good.length
        assert all(one.end == two.start for one, two in pairwise(design.sections))
        assert all(s.end - s.start > max(LEAST_CELLS * s.l_0, PARAMS.segment_length) - 1e-9 for s in design.sections)
    split = [design for design in made if len(design.sections) == 3]
    assert 0 < len(split) < len(made)
    assert all(design.sections[0].curvature == design.sections[1].curvature for design in split)


def test_a_descent_finds_the_way_back_to_the_middle_of_the_goal(room: Environment, worlds: Worlds) -> None:
    """From a design that ends at the goal's edge, and often outside of it, to one that does so rarely; the same each time."""
    start = grow_candidates([bent(0.6, 0.105)], worlds, np.arange(13))[0]
    assert start.planned < -0.002
    found = []
    for _ in range(2):
        descent = Descent(start, worlds, CATALOGUE, 3, Effort())
        for _ in range(5):
            descent.generation(np.arange(13))
        found.append(descent.best)
    (again,) = grow_candidates([found[0].design], worlds, np.arange(13))
    assert (again.loss, again.planned) == (found[0].loss, found[0].planned)
    assert found[0].loss < 0.75 * start.loss
    assert found[0].rate >= start.rate
    assert found[0].design.sections == found[1].design.sections
    fresh = Worlds.draw(room, PARAMS, Uncertainty.of_levels(0.0, 0.08), range(100, 160), seed=5)
    before, after = (grow_trials(one.design, fresh).reached.mean() for one in (start, found[0]))
    assert after > before + 0.05
