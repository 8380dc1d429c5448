"""Growth aimed at the goal, and environments in which none or one actuator is enough."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from planner.design.catalogue import LEAST_CELLS, Catalogue
from planner.search.aiming import INSIDE, LONGEST_BEND, aim
from planner.search.controls import actuation
from planner.search.run import Budget, Run
from planner.search.sst import Search, Switches

MakeEnvironment = Callable[..., Environment]


def plan_in(environment: Environment, params: VineParams, seed: int, iterations: int) -> Run:
    """A search of a few iterations, or up to its first solution."""
    run = Run.prepare(environment, params, QuasiStatic, seed)
    for _ in run.run(Budget(1e9, iterations=iterations, first=True)):
        pass
    return run


def wide(environment: MakeEnvironment, goal: tuple[float, float, float], size: float = 1.0) -> Environment:
    """An environment of 60 m without obstacles, with the start in its middle."""
    made = environment(bounds=(-30.0 * size, -30.0 * size, 30.0 * size, 30.0 * size))
    return replace(made, goal=size * np.array(goal))


def test_an_aimed_vine_grows_into_the_goal(environment: MakeEnvironment, params: VineParams) -> None:
    """Rolled out in free space from the start, its tip passes as near to the goal's centre as the closed form says."""
    catalogue, rng, full = Catalogue.of(params), np.random.default_rng(1), params.segment_length
    model, goals = QuasiStatic(environment(bounds=(-30.0, -30.0, 30.0, 30.0)), params), 0
    for angle in np.linspace(-2.5, 2.5, 21):
        goal = np.array([2.0 * np.cos(angle), 2.0 * np.sin(angle), 0.06])
        aims = aim(np.zeros((5, 3)), goal, catalogue, params, rng)
        found = np.flatnonzero(aims.controls)
        entry = np.abs(aims.controls[found]) - 1
        assert (aims.bent[found] * full >= LEAST_CELLS * catalogue.l_0[entry]).all()
        assert (aims.bent <= LONGEST_BEND).all()
        if not len(found):
            continue
        most = int(aims.segments.max())
        at = np.arange(most)
        controls = np.where(at < aims.bent[:, None], aims.controls[:, None], 0).astype(np.int32)
        grown = model.grow(model.start(5, most), actuation(controls, catalogue), most * full, full)
        for k in found:
            tips = grown.tips[k, : aims.segments[k], :2]
            heading = grown.tips[k, aims.segments[k] - 1, 2]
            along = np.array([np.cos(heading), np.sin(heading)])
            rest = goal[:2] - tips[-1]
            off, ahead = abs(along[0] * rest[1] - along[1] * rest[0]), rest @ along
            # At the far edge of the goal, or up to a segment beyond it.
            assert -goal[2] - full <= ahead <= -goal[2] + 1e-6
            goals += off <= INSIDE * goal[2]
    assert goals > 50  # of 105; where the goal is almost ahead, few actuators bend so little


def test_aims_turn_with_the_tip_and_are_mirrored_with_the_goal(params: VineParams) -> None:
    """A turned frame leaves the chosen section as it is; the mirror image of the goal changes its side only."""
    catalogue, goal = Catalogue.of(params), np.array([1.4, 0.7, 0.05])
    turn, shift = 0.8, np.array([0.3, -0.2])
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    one = aim(np.zeros((20, 3)), goal, catalogue, params, np.random.default_rng(2))
    turned = aim(
        np.tile([*shift, turn], (20, 1)),
        np.array([*(rotation @ goal[:2] + shift), goal[2]]),
        catalogue,
        params,
        np.random.default_rng(2),
    )
    for a, b in zip(one, turned, strict=True):
        assert np.array_equal(a, b)
    mirrored = aim(np.zeros((20, 3)), goal * [1, -1, 1], catalogue, params, np.random.default_rng(2))
    assert (one.controls > 0).any()
    assert (one.controls[one.controls != 0] > 0).mean() == (mirrored.controls[mirrored.controls != 0] < 0).mean() == 1.0


def test_no_section_turns_to_a_goal_within_its_arcs(params: VineParams) -> None:
    """Beside the tip, nearer than the smallest arc, the goal cannot be ahead."""
    catalogue = Catalogue.of(params)
    least = 1 / catalogue.curvature.max()
    aims = aim(np.zeros((50, 3)), np.array([0.0, 0.5 * least, 0.01]), catalogue, params, np.random.default_rng(3))
    missed = aims.controls == 0
    assert (aims.segments[missed] == 0).all()
    assert (aims.bent[missed] == 0).all()


@pytest.mark.parametrize("away", [1.0, 5.0, pytest.param(20.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [0, 1])
def test_straight_ahead_needs_no_actuator(
    environment: MakeEnvironment, params: VineParams, away: float, seed: int
) -> None:
    """However far the goal is; the first vine of the search finds it."""
    run = plan_in(wide(environment, (away, 0.0, 0.06)), params, seed, 1)
    assert run.best
    assert run.best.design.actuators == 0


def test_what_is_far_from_the_tube_adds_no_actuator(environment: MakeEnvironment, params: VineParams) -> None:
    """Neither an obstacle beside the way, nor its mirror image, nor larger empty bounds."""
    goal, found = np.array([2.0, 1.2, 0.06]), {}
    for name, boxes, end in (
        ("bare", [], goal),
        ("mirrored", [], goal * [1, -1, 1]),
        ("beside", [(-1.0, 1.0, -0.5, 1.4)], goal),
    ):
        made = environment(boxes=boxes, bounds=(-3.0, -3.0, 3.0, 3.0))
        run = plan_in(replace(made, goal=end), params, 5, 3)
        assert run.best
        found[name] = run.best.design.actuators
    assert found == {"bare": 1, "mirrored": 1, "beside": 1}


def test_no_vine_is_aimed_where_none_is_asked_for(params: VineParams) -> None:
    """A batch of which no vine was drawn to be aimed."""
    aims = aim(np.zeros((0, 3)), np.array([1.0, 0.0, 0.1]), Catalogue.of(params), params, np.random.default_rng(1))
    assert [len(part) for part in aims] == [0, 0, 0]


@pytest.mark.parametrize("aimed", [False, True])
def test_aiming_can_be_disabled(environment: MakeEnvironment, params: VineParams, aimed: bool) -> None:
    """Then no vine is straight behind a new section, and the first batch is one of many vines."""
    place, rng = wide(environment, (5.0, 3.0, 0.06)), np.random.default_rng(0)
    search = Search(place, QuasiStatic(place, params), params, rng, 30, Switches(aimed=aimed))
    first = search._sample(np.zeros(30, np.int64))
    assert len(first.nodes) == (1 if aimed else 30)
    search.iterate()
    drawn = search._sample(np.zeros(30, np.int64))
    assert (drawn.bent < drawn.segments).any() == aimed
    assert aimed or (drawn.bent == drawn.segments).all()
