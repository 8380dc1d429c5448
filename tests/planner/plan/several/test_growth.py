"""Growth of one tube in several environments."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, Obstacles
from environments.uncertainty import WORKSHOP
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.plan.choice.refinement import Candidate, grow_candidates
from planner.plan.several.growth import PLANNED, Common, best_masked, grow_tubes
from planner.plan.several.tubes import Tube, in_environment
from planner.search.goal import GOAL_MARGIN
from planner.uncertainty.trials import Worlds

PARAMS = VineParams()
ROWS = np.arange(4)


def worlds_of(environment: Environment) -> Worlds:
    return Worlds.draw(environment, PARAMS, WORKSHOP, [None, 0, 1, 2], seed=1)


@pytest.fixture(scope="module")
def open_room(room: Environment) -> Environment:
    """The room without obstacles."""
    return replace(room, obstacles=Obstacles())


def with_goal_at(
    environment: Environment, design: Design, mask: tuple[bool, ...], length: float, name: str
) -> Environment:
    """The environment with a goal where the tip of a design with a mask is at a length."""
    cut = in_environment(design, mask, environment, stop=length)
    (grown,) = grow_designs([cut], environment, worlds_of(environment).planned)
    assert grown.status == Status.GROWN
    return replace(environment, name=name, goal=np.array([*grown.tip[:2], 0.08]))


@pytest.fixture(scope="module")
def places(open_room: Environment, design: Design) -> tuple[Environment, Environment]:
    """Two environments whose goals the design reaches with different masks and lengths."""
    first = with_goal_at(open_room, design, (True, True), 1.0, "long")
    return first, with_goal_at(open_room, design, (False, True), 0.8, "short")


def test_the_best_masks_are_found_and_growth_stops_in_the_goal(
    design: Design, places: tuple[Environment, Environment]
) -> None:
    """Each design ends in the goal of its environment when it is grown again, as planned and in worlds with errors."""
    worlds = [worlds_of(one) for one in places]
    planned = best_masked(design, [(True, True)] * 2, worlds, PLANNED)
    assert planned.reached
    assert planned.tube.masks == ((True, True), (False, True))
    for one, environment, own in zip(planned.each, places, worlds, strict=True):
        (grown,) = grow_designs([one.design], environment, own.planned)
        assert grown.ends_in_goal
        distance = np.hypot(*(grown.tip - environment.goal)[:2]) - environment.goal[2]
        assert distance == pytest.approx(one.planned)
    assert planned.each[1].design.length < 0.9 < planned.each[0].design.length
    tried = best_masked(design, planned.tube.masks, worlds, ROWS)
    for one, own in zip(tried.each, worlds, strict=True):
        (alone,) = grow_candidates([one.design], own, ROWS)
        assert (one.nearest == alone.nearest).all()
        assert 0 <= one.rate <= 1


def test_a_tube_that_misses_as_planned_is_not_grown_in_other_worlds(
    design: Design, places: tuple[Environment, Environment]
) -> None:
    """It counts as missing in all of them by as much, and its loss is more than that of any tube that reaches the goal."""
    worlds = [worlds_of(one) for one in places]
    good, bad = grow_tubes(
        [Tube(design, ((True, True), (False, True))), Tube(design, ((True, True), (True, False)))], worlds, ROWS
    )
    assert good.reached
    assert not bad.reached
    assert (bad.each[0].nearest == good.each[0].nearest).all()
    assert (bad.each[1].nearest == bad.each[1].planned).all()
    assert bad.each[1].planned > 0
    assert bad.loss > good.loss
    assert bad.rate == 0


def test_growth_does_not_go_on_while_something_holds_the_tip_in_the_goal(
    open_room: Environment, design: Design
) -> None:
    """A wall behind the goal holds the tip: growth stops after at most the goal's diameter."""
    straight = replace(design, sections=(replace(design.sections[0], end=1.6),))
    box = np.array([[0.6, -0.3], [0.65, -0.3], [0.65, 0.3], [0.6, 0.3]])
    goal = np.array([0.55, 0.0, 0.06])
    held = replace(open_room, goal=goal, obstacles=Obstacles([box]))
    worlds = worlds_of(held)
    whole = grow_designs([straight], held, worlds.planned)[0]
    (grown,) = grow_tubes([Tube(straight, ((),))], [worlds], PLANNED)
    assert grown.reached
    assert whole.design.length == 1.6
    assert 0.49 < grown.each[0].design.length < 0.49 + 2 * goal[2] + 2 * PARAMS.segment_length


def test_the_worst_environment_decides(design: Design) -> None:
    """Its rate is the tube's; its loss counts twice, besides its share of the mean."""
    inside, outside = -2 * GOAL_MARGIN, 0.01

    def candidate(missed: int, planned: float) -> Candidate:
        return Candidate(design, np.array([inside] + [0.03] * missed + [-0.03] * (4 - missed)), planned)

    good, fair, bad = candidate(0, inside), candidate(1, inside), candidate(2, outside)
    both = Common.of(design, [good, fair])
    assert (both.rate, both.reached) == (0.75, True)
    assert both.loss == pytest.approx(0.75 * fair.loss + 0.25 * good.loss)
    assert not Common.of(design, [good, bad]).reached
    for order in ([good, bad], [bad, good]):
        worst = Common.of(design, order)
        assert worst.planned == bad.planned
        assert np.array_equal(worst.nearest, bad.nearest)
