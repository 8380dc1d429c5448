"""Exhaustive search for designs with at most one actuator."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.replay import grow
from planner.search.controls import actuation
from planner.search.goal import goal_radius
from planner.search.one_actuator import OneActuator, OneBend
from planner.search.run import Run
from planner.search.sst import Search
from studies.fewest import exhaustive
from studies.fewest.exhaustive import BoxGrid, box_doubt, search_exhaustively
from surrogate.actuators import Limits
from surrogate.spam import Spam

MakeEnvironment = Callable[..., Environment]
ALL = 10**9
"""More steps than any of these searches takes."""


@pytest.fixture(scope="module")
def few() -> VineParams:
    """A tube of long segments with three actuators to choose from."""
    limits = Limits(
        shortest_cell=0.03,
        longest_cell=0.07,
        cell_step=0.02,
        least_pressure=30e3,
        most_pressure=31e3,
        pressure_step=1e3,
    )
    return VineParams(segment_length=0.05, actuator=Spam(limits=limits))


def search_in(environment: Environment, params: VineParams) -> Search:
    return Run.prepare(environment, params).search


def with_goal(environment: Environment, x: float, y: float, radius: float) -> Environment:
    return replace(environment, goal=np.array([x, y, radius]))


def test_a_goal_straight_ahead_needs_no_actuator(environment: MakeEnvironment, few: VineParams) -> None:
    """The straight vine is a design if its tip ends in the goal."""
    room = environment(bounds=(-0.2, -0.4, 1.2, 0.4))
    covered = search_exhaustively(search_in(with_goal(room, 0.8, 0.0, 0.1), few), 1)
    assert covered.straight.words == "yes"
    assert covered.best is not None
    assert covered.best.design.actuators == 0
    assert abs(covered.best.design.length - 0.8) <= 0.1
    # What passes the goal before its actuator begins does not count as a vine with one actuator in the goal.
    start, _, nearest = covered.nearest.T
    assert nearest[start > 1.0].min() > 0.0


def test_a_goal_on_an_arc_needs_one_actuator(environment: MakeEnvironment, few: VineParams) -> None:
    """In free space an actuator of curvature k, from the base, passes the point at a quarter turn, (1/k, 1/k); straight misses it."""
    room = environment(bounds=(-0.2, -0.8, 0.8, 0.8))
    radius = 1 / search_in(room, few).catalogue.reachable[1]
    for side in (1, -1):
        covered = search_exhaustively(search_in(with_goal(room, radius, side * radius, 0.05), few), 1)
        assert (covered.straight.words, covered.one.words) == ("no", "yes")
        assert covered.best is not None
        assert [section.sense for section in covered.best.design.actuated] == [side]
        start, curvature, nearest = covered.nearest.T
        from_base = nearest[(start == 0.0) & (np.sign(curvature) == side)]
        assert from_base.min() < 0.0


def test_a_goal_behind_two_turns_needs_two(environment: MakeEnvironment, few: VineParams) -> None:
    """Where a passage turns left and then right, every vine with one actuator is grown, and none comes to the goal."""
    walls = [(0.0, 0.1, 0.55, 0.75), (0.0, -0.3, 0.75, -0.1), (0.75, -0.3, 1.0, 0.35), (0.55, 0.55, 0.6, 0.75)]
    room = environment(boxes=walls, bounds=(-0.1, -0.3, 1.4, 0.75))
    covered = search_exhaustively(search_in(with_goal(room, 1.3, 0.0, 0.08), few), ALL)
    assert (covered.straight.words, covered.one.words) == ("no", "no")
    assert covered.best is None
    assert (covered.spacing, covered.doubt, covered.settled) == (1, 0.0, True)
    assert covered.nearest[:, 2].min() > 0.0


def small(environment: MakeEnvironment, heading: float = -0.09) -> Environment:
    """A narrow room with a block that many vines touch; by default it bends the straight one."""
    block, start = (0.45, -0.3, 0.6, -0.05), (0.0, 0.0, heading)
    return with_goal(environment(boxes=[block], start=start, bounds=(-0.1, -0.3, 0.8, 0.3)), 0.7, 0.15, 0.08)


@pytest.mark.parametrize("heading", [pytest.param(0.0, marks=pytest.mark.slow), -0.09])
def test_no_vine_is_left_out(environment: MakeEnvironment, few: VineParams, heading: float) -> None:
    """With steps enough the grid holds each start, side, entry and length, and designs are those of growing each from the base."""
    search = search_in(small(environment, heading), few)
    covered = search_exhaustively(search, ALL, enough=ALL)
    assert covered.spacing == 1
    family = OneActuator(search)
    grid = BoxGrid(family)
    while grid.boxes:
        grid.halve(list(grid.boxes))
    controls = [side * (entry + 1) for side in (1, -1) for entry in range(len(search.catalogue.l_0))]
    bends = {
        OneBend(start, control, length)
        for start, control in product(range(family.last_start + 1), controls)
        for length in range(family.longest(start, control) + 1)
    }
    assert set(family.tips) == bends
    reached = {bend for bend in bends if bend.length and enters(search, family.tips[bend][bend.start :])}
    alone = {bend for bend in bends if bend.length and enters(search, grown_alone(search, bend)[bend.start :])}
    assert len(reached) > 20
    assert len(reached ^ alone) <= 0.05 * len(reached)
    assert covered.share == pytest.approx(len(reached) / sum(bend.length > 0 for bend in bends))


def enters(search: Search, tips: np.ndarray) -> bool:
    return bool(
        (np.hypot(*(tips - search.environment.goal[:2]).T) <= goal_radius(search.environment, search.params)).any()
    )


def grown_alone(search: Search, bend: OneBend) -> np.ndarray:
    """x, y of the tip of a vine that is grown from the base in one go, at the end of each segment [m]."""
    full, most = search.params.segment_length, search.max_segments
    index = np.arange(most)
    bent = (index >= bend.start) & (index < bend.start + bend.length)
    carried = actuation(np.where(bent, bend.control, 0).astype(np.int32)[None], search.catalogue)
    rollout = grow(search.propagator, carried, most * full, full)
    whole = np.isclose(rollout.last_length[0, : rollout.records[0]], full)
    return np.asarray(rollout.tips[0, : whole.sum(), :2])


def test_vines_end_where_they_end_when_grown_alone(environment: MakeEnvironment, params: VineParams) -> None:
    """A sample of vines of the prototype, grown from the base in one go, passes the same places as on shared stems."""
    search = search_in(small(environment), params)
    family, rng = OneActuator(search), np.random.default_rng(3)
    arcs = [
        (int(rng.integers(0, family.last_start + 1)), int(rng.choice([-1, 1]) * (rng.choice(family.entries) + 1)))
        for _ in range(30)
    ]
    family.grow_arcs(arcs)
    bends = [OneBend(*arc, int(rng.integers(0, family.longest(*arc) + 1))) for arc in arcs]
    family.grow(bends)
    apart = []
    for bend in bends:
        one, other = family.tips[bend], grown_alone(search, bend)
        same = min(len(one), len(other))
        assert abs(len(one) - len(other)) <= 1
        apart.append(np.linalg.norm(one[:same] - other[:same], axis=1).max())
    assert np.quantile(apart, 0.9) < 2e-3


def test_vines_branch_off_where_they_part(
    environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bent part sets out from the straight vine as it was at its start, and what is straight behind from the bent part there."""
    search = search_in(small(environment), params)
    family, start, length, control = OneActuator(search), 20, 6, int(search.catalogue.curvature.argmin()) + 1
    model, grow_on, begun, ends = search.propagator, search.propagator.grow, list[VineState](), list[Rollout]()

    def spied(state: VineState, actuation: Actuation, length: np.ndarray, every: float) -> Rollout:
        begun.append(state)
        ends.append(grow_on(state, actuation, length, every))
        return ends[-1]

    monkeypatch.setattr(model, "grow", spied)
    assert OneActuator(search).trunk.tips.shape == family.trunk.tips.shape
    family.grow_arcs([(start, control)])
    family.grow([OneBend(start, control, length)])
    for k, segments, record in ((1, start, start - 1), (2, start + length, length - 1)):
        assert begun[k].segments.tolist() == [segments]
        assert begun[k].last_length.tolist() == [params.segment_length]
        np.testing.assert_array_equal(begun[k].angles, ends[k - 1].angles[:, record])
    assert np.abs(begun[1].angles).max() > 1e-3


def test_what_arrives_obeys_the_search(environment: MakeEnvironment, few: VineParams) -> None:
    """States in the goal have tips within its reach, sections of enough cells, and the controls of a vine with one actuator."""
    room = environment(bounds=(-0.1, -0.2, 0.8, 0.2))
    search = search_in(with_goal(room, 0.6, 0.0, 0.06), few)
    family = OneActuator(search)
    assert family.straight is not None
    assert (family.straight.actuators == 0).all()
    grid = BoxGrid(family)
    while grid.boxes:
        grid.halve(list(grid.boxes))
    arrived = family.take_arrived()
    assert arrived is not None
    assert family.take_arrived() is None
    off = np.hypot(*(arrived.tips[:, :2] - search.environment.goal[:2]).T)
    assert off.max() <= goal_radius(search.environment, search.params)
    assert goal_radius(search.environment, search.params) < search.environment.goal[2]
    for controls, segments, actuators in zip(arrived.controls, arrived.segments, arrived.actuators, strict=True):
        grown = controls[:segments]
        bent = np.flatnonzero(grown)
        assert actuators == 1
        assert len(bent) == bent[-1] - bent[0] + 1
        entry = abs(grown[bent[0]]) - 1
        assert len(bent) * few.segment_length >= LEAST_CELLS * search.catalogue.l_0[entry]
    assert (np.diff(search.cost(arrived.actuators, arrived.segments)) >= 0).all()


def test_doubt_compares_how_far_tips_part_with_the_goal() -> None:
    """By hand: tips that part by (3, 4) = 5, where the nearer one has 8 left to the goal, make 5 / 8."""
    one, other = np.array([[20.0, 0.0], [10.0, 0.0]]), np.array([[20.0, 0.0], [13.0, 4.0]])
    left, further = np.array([18.0, 8.0]), np.array([18.0, 11.0])
    assert box_doubt([one, other], [left, further]) == pytest.approx(5 / 8)
    assert box_doubt([one, one], [left, left]) == 0.0
    # Where they part most and where they have least left are different lengths.
    near, last = np.vstack([one, [[3.0, 0.0]]]), np.vstack([other, [[3.0, 0.0]]])
    assert box_doubt([near, last], [np.array([18.0, 8.0, 1.0]), np.array([18.0, 11.0, 1.0])]) == pytest.approx(5 / 8)
    # A tip that has stopped stays: (20, 0) beside (13, 4).
    assert box_doubt([one[:1], other], [left[:1], further]) == pytest.approx(np.hypot(7.0, 4.0) / 11.0)
    assert box_doubt([one, other], [np.array([18.0, 0.0]), further]) == math.inf
    assert box_doubt([np.empty((0, 2))], [np.empty(0)]) == 0.0


def test_a_grid_is_refined_where_it_leaves_doubt(environment: MakeEnvironment, few: VineParams) -> None:
    """The most doubtful boxes are halved first, into boxes that fill them, and known corners are not grown again."""
    search = search_in(with_goal(small(environment), 0.7, 1.0, 0.08), few)
    family = OneActuator(search)
    grid = BoxGrid(family)
    grid.halve(list(grid.boxes))
    assert len(set(grid.boxes.values())) > 2
    assert max(grid.boxes.values()) < math.inf
    chosen = grid.most_doubtful(1)
    assert grid.boxes[chosen[0]] == max(grid.boxes.values())
    before, grown = set(grid.corners(chosen[0])), dict(family.tips)
    grid.halve(chosen)
    halves = [box for box in grid.boxes if box.size < chosen[0].size]
    assert {box.size for box in halves} == {chosen[0].size // 2}
    assert before <= {corner for box in halves for corner in grid.corners(box)}
    assert all(family.tips[bend] is tips for bend, tips in grown.items())


def test_doubt_counts_from_the_start_of_the_actuator(environment: MakeEnvironment, few: VineParams) -> None:
    """A goal that the straight vine passes leaves doubt only about boxes in which it passes there with an actuator yet to come."""
    room = environment(bounds=(-0.1, -0.2, 1.6, 0.2))
    grid = BoxGrid(OneActuator(search_in(with_goal(room, 0.3, 0.0, 0.06), few)))
    before = [value for box, value in grid.boxes.items() if box.start == 0 and box.length == 0]
    after = [value for box, value in grid.boxes.items() if box.start > 0 and box.length == 0]
    assert set(before) == {math.inf}
    assert max(after) < math.inf


def test_doubtful_boxes_lead_to_a_design(environment: MakeEnvironment, few: VineParams) -> None:
    """Where the first grid has no design, halving only the most doubtful boxes finds the one that there is; without, they are counted."""
    search = search_in(with_goal(small(environment), 0.68, 0.2, 0.04), few)
    coarse = search_exhaustively(search, 1, share=ALL, together=1)
    boxes = BoxGrid(OneActuator(search)).boxes
    assert coarse.one.words == "no"
    assert (coarse.doubt, coarse.spacing) == (max(boxes.values()), exhaustive.COARSEST)
    assert coarse.doubtful == sum(value >= 1.0 for value in boxes.values()) > 0
    assert not coarse.settled
    fine = search_exhaustively(search, ALL - 1, share=ALL, together=1)
    assert fine.one.words == "yes"
    assert fine.settled
    assert fine.steps > coarse.steps


def test_the_entries_are_those_that_the_search_draws(params: VineParams) -> None:
    """No entry that a fine scan of curvatures draws is missing, and each is drawn for some curvature."""
    catalogue = Run.prepare(free_room(), params).search.catalogue
    entries = catalogue.synthesise_all()
    drawn, _ = catalogue.synthesise(np.linspace(*catalogue.reachable, 100_001))
    assert set(drawn) <= set(entries)
    assert len(entries) <= len(set(drawn)) + 2
    assert (np.diff(catalogue.curvature[entries]) >= 0).all()


def free_room() -> Environment:
    from environments import Obstacles

    return Environment("free", "", np.array([-0.2, -0.2, 1, 1]), np.zeros(3), np.array([0.8, 0.8, 0.1]), Obstacles())
