"""Definition of a solution: a replay at an eighth of the step that needs no snap whose outcome depends on damping."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from dynamics.relaxations import PARTED, Equilibria, Relaxations
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments import Environment
from planner.design.design import Design, Section
from planner.search.run import Budget, Keep, Run
from planner.search.solutions import PARTED as DIVERGED
from planner.search.solutions import ReplayResult, Solution, segments_to, sides_of
from planner.search.tree import Candidates

MakeEnvironment = Callable[..., Environment]
SNAPPED, STEM = 0.3, 12
"""Length at which every vine of these tests snaps [m], and its segments."""


class Examined:
    """Makes every replay report a snap, and answers how far apart the rests of a vine are."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
        self.apart = 0.0
        """The answer for all vines [m]."""
        self.stems: list[bytes] = []
        """Actuation of the segments up to the snap of each vine that was examined."""
        replayer, grow = run.solutions.replayer, run.solutions.replayer.grow

        def snapping(state: VineState, actuation: Actuation, length: np.ndarray, every: float) -> Rollout:
            rollout = grow(state, actuation, length, every)
            assert rollout.snaps is not None
            rollout.snaps[:, 0] = SNAPPED, 0.1, 0.0, 1e-3
            return rollout

        def relax(_: Relaxations, state: VineState, actuation: Actuation) -> Equilibria:
            assert state.segments.tolist() == [STEM]
            assert state.last_length == pytest.approx(SNAPPED - (STEM - 1) * run.params.segment_length)
            for pressure, l_0 in zip(actuation.pressure, actuation.l_0, strict=True):
                self.stems.append(pressure[:STEM].tobytes() + l_0[:STEM].tobytes())
            return Equilibria(np.zeros((3, 1, 1, 2)), np.full(len(actuation.pressure), self.apart))

        assert run.solutions.relaxations  # prepared by a hold of its own
        monkeypatch.setattr(replayer, "grow", snapping)
        monkeypatch.setattr(Relaxations, "relax", relax)


@pytest.fixture
def run(environment: MakeEnvironment, params: VineParams) -> Run:
    """A search in an empty environment, nothing of which has been replayed yet."""
    room = replace(environment(bounds=(-0.2, -0.8, 1.6, 0.8)), goal=np.array([0.9, 0.5, 0.1]))
    return Run.prepare(room, params, seed=1, batch=60)


def found(run: Run) -> Iterator[Candidates]:
    """Return the solutions of a few iterations."""
    for _ in range(16):
        candidates = run.search.iterate()
        if len(candidates.segments):
            yield candidates


def test_a_replay_takes_an_eighth_of_the_step(run: Run) -> None:
    """In the same environment, with the same tube."""
    replayer, model = run.solutions.replayer, run.propagator
    finer = model.refined(8).tube
    assert replayer.tube == finer
    assert finer.growth_step == model.tube.growth_step / 8
    assert (replayer.environment, replayer.params) == (model.environment, model.params)


@pytest.mark.parametrize("apart", [PARTED + 1e-6, np.inf])
def test_a_vine_that_needs_an_ambiguous_snap_is_no_solution(
    run: Run, monkeypatch: pytest.MonkeyPatch, apart: float
) -> None:
    """It is counted and rejected, and its branch ends at the last node before the snap."""
    Examined(monkeypatch, run).apart = apart
    solutions, tree, length = run.solutions, run.search.tree, run.params.segment_length
    for candidates in found(run):
        slot, branch = int(candidates.parents[0]), []
        while slot >= 0:
            branch.append(slot)
            slot = int(tree.parent[slot])
        before = tree.active.copy()
        beyond = np.array([one for one in branch if tree.segments[one] * length > SNAPPED], np.int64)
        short = np.flatnonzero(before & (tree.segments * length <= SNAPPED))
        assert not solutions.offer(candidates)
        assert not tree.active[beyond].any()
        assert tree.active[short].all()
        if before[beyond].any() and len(branch) > len(beyond) + 1:
            break
    else:
        pytest.fail("no branch has nodes before and beyond the snap")
    assert solutions.best == []
    assert solutions.replayed == solutions.ambiguous == solutions.rejected > 0


def test_a_snap_with_one_outcome_is_accepted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rests closer than the threshold make a solution; the candidates that share its branch do not have its snap examined again."""
    examined = Examined(monkeypatch, run)
    examined.apart = PARTED - 1e-6
    for candidates in found(run):
        run.solutions.offer(candidates)
    solutions = run.solutions
    assert solutions.best
    assert solutions.ambiguous == 0
    assert len(examined.stems) == len(set(examined.stems))
    assert 1 < len(examined.stems) < solutions.replayed - solutions.rejected


def test_only_vines_that_reach_the_goal_are_examined(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate whose replay misses the goal is rejected, but not as ambiguous."""
    examined = Examined(monkeypatch, run)
    examined.apart = np.inf
    candidates = next(found(run))
    run.search.environment.goal[:2] = 0.3, -0.5
    run.solutions.offer(candidates)
    assert (run.solutions.ambiguous, examined.stems) == (0, [])
    assert run.solutions.rejected == run.solutions.replayed > 0


@pytest.mark.parametrize(("missing", "off", "cut"), [(0, 0.99, 0), (1, 0.0, 1), (0, 1.01, 2)])
def test_a_branch_ends_where_its_replay_leaves_it(run: Run, missing: int, off: float, cut: int) -> None:
    """At the first node that the replay does not reach, or passes farther away than the distance at which they have diverged.

    Args:
        missing: Segments of the last node that the replay does not reach.
        off: Distance of the replay from the last node but one, over that distance.
        cut: Number of nodes that are pruned.
    """
    for _ in range(6):
        run.search.iterate()
    tree, branch = run.search.tree, list[int]()
    slot = int(np.argmax(tree.actuators * tree.active))
    while slot >= 0:
        branch.append(slot)
        slot = int(tree.parent[slot])
    assert len(branch) > 3
    last, before, *rest, _ = branch
    tips = np.full((tree.segments[last] - missing, 3), 9.0)
    for node in (last, before, *rest):
        if tree.segments[node] <= len(tips):
            tips[tree.segments[node] - 1] = tree.tips[node]
    tips[tree.segments[before] - 1, 0] += off * DIVERGED
    active, controls = tree.active.copy(), tree.pages.controls(np.array([last]), int(tree.segments[last]))[0]
    run.solutions.take([ReplayResult(controls, last, tips, None, np.inf)])
    gone = [node for node in branch if active[node] and not tree.active[node]]
    assert gone == [node for node in branch[:cut] if active[node]]
    assert len(gone) >= min(cut, 1)


def test_many_solutions_are_kept_that_differ(environment: MakeEnvironment, params: VineParams) -> None:
    """In an empty room ten are found, of nearly every number of actuators, and never fewer from one iteration to the next.

    They are sorted by cost, and of every two the sides of the actuators differ, or the shorter one leaves the longer one by a
    diameter; each reaches the goal.
    """
    room = replace(environment(bounds=(-0.2, -0.8, 1.6, 0.8)), goal=np.array([0.9, 0.5, 0.1]))
    run = Run.prepare(room, params, seed=1, batch=60, keep=Keep(10))
    counts = [0]
    for _ in run.run(Budget(600.0, 12)):
        counts.append(len(run.solutions.best))
        assert run.search.bound == expected_bound(run, 10)
    best = run.solutions.best
    assert counts == sorted(counts)
    assert counts[-1] == 10
    assert [one.cost for one in best] == sorted(one.cost for one in best)
    assert best[-1].design.actuators > best[0].design.actuators
    for i, one in enumerate(best):
        assert np.hypot(*(one.design.tip[:2] - room.goal[:2])) <= room.goal[2]
        for other in best[:i]:
            sides = [[section.side for section in each.design.sections if section.side] for each in (one, other)]
            short, long = sorted([one.design.centerline, other.design.centerline], key=len)
            away = shapely.LineString(long).distance(shapely.points(short)) if sides[0] == sides[1] else np.inf
            assert np.max(away) >= 2 * params.radius


def expected_bound(run: Run, count: int) -> float:
    """Half a metre of tube above the best once there are so many; two actuators and 5 m before; none without a solution."""
    costs = [one.cost for one in run.solutions.best]
    return min(costs) + (0.005 if len(costs) == count else 2.05) if costs else np.inf


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_solutions_are_kept_as_asked(environment: MakeEnvironment, params: VineParams, count: int) -> None:
    """No more, and the best of them is the best of all that were found."""
    room = replace(environment(bounds=(-0.2, -0.8, 1.6, 0.8)), goal=np.array([0.9, 0.5, 0.1]))
    run = Run.prepare(room, params, seed=1, batch=60, keep=Keep(count))
    for _ in run.run(Budget(600.0, 9)):
        assert run.search.bound == expected_bound(run, count)
    assert len(run.solutions.best) == count
    assert run.solutions.best[0].cost == pytest.approx(min(m.actuators + 0.01 * m.length for m in run.history))


def test_sides_are_those_of_the_actuators() -> None:
    """One for each run of segments with the same control; the same side twice where the controls differ or a gap parts them."""
    controls = np.array([0, 0, 3, 3, -1, -1, 0, -1, 2, 5, 0], np.int32)
    assert sides_of(controls).tolist() == [1, -1, -1, 1, 1]
    assert sides_of(np.zeros(4, np.int32)).tolist() == []
    assert sides_of(np.array([7], np.int32)).tolist() == [1]


def test_the_search_does_not_pay_for_the_first_snap(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examination of snaps is prepared, and compiled, at the first of them, once; that time is none of the search."""
    prepared, prepare, clock, late = [], Relaxations.__init__, time.perf_counter, [0.0]

    def slowly(self: Relaxations, *arguments: Any) -> None:
        prepared.append(self)
        late[0] += 1e6
        prepare(self, *arguments)

    monkeypatch.setattr(Relaxations, "__init__", slowly)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + late[0])
    for _ in run.run(Budget(seconds=1e5, iterations=2)):
        if run.search.iteration == 1:
            assert prepared == []
            assert run.solutions.relaxations is run.solutions.relaxations
    assert len(prepared) == 1
    assert run.search.iteration == 2
    assert run.solutions.preparing >= 1e6
    assert run.seconds < 1e5


@pytest.mark.parametrize(
    ("length", "count"), [(0.0, 0), (0.01, 1), (0.025, 1), (0.0250001, 2), (0.05, 2), (12 * 0.025, 12), (0.31, 13)]
)
def test_a_length_has_as_many_segments_as_it_begins(length: float, count: int) -> None:
    """A whole number of segments is not one more by rounding: 12 * 0.025 / 0.025 is a little above 12."""
    assert segments_to(length, 0.025) == count


def test_a_full_set_keeps_each_way_around_the_obstacles(environment: MakeEnvironment, params: VineParams) -> None:
    """If there are more solutions than are kept, the costliest that shares its way with another one goes; without such the costliest."""
    room = replace(
        environment(bounds=(-0.2, -0.8, 1.6, 0.8), boxes=((0.6, -0.1, 0.8, 0.1),)), goal=np.array([1.4, 0.0, 0.1])
    )
    solutions = Run.prepare(room, params, seed=1, keep=Keep(3)).solutions

    def keep(cost: float, height: float, sides: str) -> None:
        """Keep a solution that passes the box at a height [m], with its actuators on these sides."""
        line = np.array([[0.0, 0.0], [0.7, height], [1.4, 0.0]])
        controls = np.concatenate([[0, 1 if side == "l" else -1] for side in sides]).astype(np.int32)
        sections = (Section(0.0, 1.4, "none", 0.0, 0.0, 0.0),)
        design = Design("room", "0" * 64, params, sections, np.array([1.4, 0.0, 0.0]), line)
        solutions._keep(Solution(design, cost, controls))

    def kept() -> list[float]:
        return [one.cost for one in solutions.best]

    for cost, height, sides in ((1.0, 0.3, "l"), (1.1, 0.3, "lr"), (2.0, -0.3, "rl")):
        keep(cost, height, sides)
    keep(1.2, 0.3, "ll")
    assert kept() == [1.0, 1.1, 2.0]  # the only one below the box stays
    keep(1.5, -0.3, "rr")
    assert kept() == [1.0, 1.1, 1.5]  # now there are two below it
    keep(3.0, -0.3, "lrl")
    assert kept() == [1.0, 1.1, 1.5]
