"""Batched SST* and its solutions."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dynamics.cuda import DeviceLost
from dynamics.geometric.propagator import Geometric
from dynamics.propagator import CannotRun, Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, Status, VineState, centerlines
from environments import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.replay import make_simulation, replay
from planner.plan.searching import search
from planner.search.controls import actuation
from planner.search.run import Budget, Run
from planner.search.solutions import Solutions, sides_of
from planner.search.sst import LENGTH_COST, Search, Switches
from planner.search.tree import Candidates, Tree

MakeEnvironment = Callable[..., Environment]
PUBLISHED = VineParams(physics="published")
"""The tube whose solutions, found with a few seeded iterations, are known."""
EVERY_STATE = Switches(subset=False)
"""Every recorded state of the first batch becomes a node."""


def run_of(environment: Environment, params: VineParams, iterations: int, seed: int = 0) -> Run:
    run = Run.prepare(environment, params, seed=seed, batch=40)
    for _ in run.run(Budget(seconds=600, iterations=iterations)):
        pass
    return run


@pytest.fixture(scope="module")
def divider_run(shipped: dict[str, Environment]) -> Run:
    return run_of(shipped["divider"], PUBLISHED, 6)


@pytest.fixture(scope="module")
def maze_search(shipped: dict[str, Environment], params: VineParams) -> Search:
    """A search in the maze without any solution."""
    model = QuasiStatic(shipped["maze"], params)
    search = Search(shipped["maze"], model, params, np.random.default_rng(5), 100)
    for _ in range(8):
        search.iterate()
    return search


def test_nodes_are_vines_grown_from_the_start(maze_search: Search) -> None:
    """Grown from the start in one run with its controls, nearly every node's vine ends at the node's tip."""
    tree, length = maze_search.tree, maze_search.params.segment_length
    nodes = np.flatnonzero(tree.active & (tree.segments > 0))[::4]
    assert len(nodes) > 100
    model = maze_search.propagator
    rollout = model.grow(
        model.start(len(nodes), maze_search.max_segments),
        actuation(tree.pages.controls(nodes, maze_search.max_segments), maze_search.catalogue),
        tree.segments[nodes] * length,
        length,
    )
    tips = rollout.tips[np.arange(len(nodes)), np.minimum(tree.segments[nodes], rollout.records) - 1]
    distance = np.hypot(*(tips[:, :2] - tree.tips[nodes, :2]).T)
    assert np.median(distance) < 1e-6
    assert np.mean(distance < 5e-3) > 0.95


@pytest.mark.parametrize("model", [QuasiStatic, Geometric])
def test_every_centreline_ends_at_its_tip(
    environment: MakeEnvironment,
    params: VineParams,
    model: Callable[..., Propagator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The vines of nodes, candidates, solutions and their replays end at their tips, with links that bends shorten."""
    room = replace(environment(bounds=(-0.2, -0.8, 1.6, 0.8)), goal=np.array([0.9, 0.5, 0.1]))
    run = Run.prepare(room, params, model, seed=1, batch=60)
    for _ in run.run(Budget(seconds=600, iterations=4)):
        pass
    tree = run.search.tree
    nodes = np.flatnonzero(tree.used & (tree.actuators > 0))
    lines = centerlines(tree.state(nodes, params.segment_length), room.start, params)
    ends = lines[np.arange(len(nodes)), tree.segments[nodes]]
    assert len(nodes) > 10
    assert ends == pytest.approx(tree.tips[nodes, :2], abs=1e-9)
    assert run.best is not None
    design = run.best.design
    assert design.actuators > 0
    assert design.centerline[-1] == pytest.approx(design.tip[:2], abs=1e-9)
    again = make_simulation(design, room, replay(design, run.propagator.refined()))
    assert again.joints[-1, : design.segments + 1] == pytest.approx(design.centerline, abs=1e-9)
    lengths = np.hypot(*np.diff(design.centerline, axis=0).T) / params.segment_length
    assert 0.0 < lengths.min() < 0.99
    assert lengths.max() < 1.0 + 1e-9
    assert design.film(design.centerline, room.start[2]) == pytest.approx(params.segment_length)
    compared: list[np.ndarray] = []
    monkeypatch.setattr(Solutions, "_similar_solutions", lambda _, joints, __: compared.append(joints) or [])
    run.search.bound, run.solutions.best = np.inf, []
    candidates = next(found for _ in range(9) if len((found := run.search.iterate()).segments))
    run.solutions._select_promising(candidates)
    assert len(compared) > 0
    assert [line[-1] for line in compared] == pytest.approx(candidates.tips[: len(compared), :2], abs=1e-9)
    assert (candidates.actuators[: len(compared)] > 0).any()


def test_the_search_bound_ends_at_the_goals_rim(environment: MakeEnvironment, params: VineParams) -> None:
    """A vine needs to grow only as far as the rim of the goal: a bound that fits no vine to its centre prunes nothing on the way."""
    room = replace(environment(), goal=np.array([1.0, 0.0, 0.3]))
    search = Search(room, QuasiStatic(room, params), params, np.random.default_rng(0), 8)
    search.bound = LENGTH_COST * 0.76  # a straight vine is in the goal at 0.725 m, and at its centre at 1 m
    reached = search.iterate()
    assert len(reached.segments) > 0
    assert reached.actuators.max() == 0
    assert params.segment_length * reached.segments.max() < 0.76
    assert params.segment_length * reached.segments.min() == pytest.approx(0.725)


@pytest.mark.parametrize("degrees", [0.0, 60.0, -90.0])
def test_a_node_is_pruned_where_a_straight_line_to_the_goals_rim_ends_at_the_bound(
    environment: MakeEnvironment, params: VineParams, degrees: float
) -> None:
    """The bound of a passive node at p after a length s is 0.01 / m times s + |p - goal| - r, or s inside the goal: no less, no more.

    A straight vine has p = s (cos, sin) of its heading. Towards a goal at 1 m with r = 0.3 m the sum is 0.7 m up to the rim, and
    then s; at another heading it is s + sqrt(1 - 2 s cos + s^2) - 0.3 m. Each node is kept by a bound a millionth above its
    own, and pruned by one as far below it.
    """
    turned = np.radians(degrees)
    room = replace(environment(start=(0.0, 0.0, turned)), goal=np.array([1.0, 0.0, 0.3]))
    model = QuasiStatic(room, params)
    grown = np.array([0.2, 0.6, 0.9])
    to_goal = np.sqrt(1 - 2 * grown * np.cos(turned) + grown**2)
    bounds = LENGTH_COST * (grown + np.maximum(to_goal - 0.3, 0.0))
    for wanted, bound in zip(grown, bounds, strict=True):
        for nudge in (1e-6, -1e-6):
            search = Search(room, model, params, np.random.default_rng(0), 1, EVERY_STATE)
            search.bound = 0.5  # no actuator, which costs 1
            search.iterate()
            tree = search.tree
            node = np.flatnonzero(np.isclose(tree.segments * params.segment_length, wanted) & tree.active)
            assert len(node) == 1
            search.tighten(bound + nudge)
            assert tree.active[node[0]] == (nudge > 0)


@pytest.mark.parametrize(("radius", "margin"), [(0.3, 2e-3), (1e-3, 0.5e-3)])
def test_a_tip_arrives_2_mm_inside_the_rim_or_halfway_in_a_tiny_goal(
    environment: MakeEnvironment, params: VineParams, radius: float, margin: float
) -> None:
    """A straight vine of 0.5 m arrives in a goal whose centre is beside its tip by no more than the radius less the margin."""
    for beyond, arrives in ((radius - margin - 1e-6, True), (radius - margin + 1e-6, False)):
        room = replace(environment(), goal=np.array([0.5, beyond, radius]))
        search = Search(room, QuasiStatic(room, params), params, np.random.default_rng(0), 1)
        search.bound = 0.5  # no actuator, which costs 1
        reached = search.iterate()
        assert np.isclose(reached.segments * params.segment_length, 0.5).any() == arrives


def test_a_search_grows_every_selected_vine(
    environment: MakeEnvironment, params: VineParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vines of maximum length are not grown by zero: every requested length is at least one segment."""
    empty, asked = environment(), []
    monkeypatch.setattr("planner.search.sst.LONGEST_TUBE", 24 * params.segment_length)

    class Listening(QuasiStatic):
        def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
            asked.append(np.asarray(length))
            return super().grow(state, actuation, length, record_every)

    search = Search(empty, Listening(empty, params), params, np.random.default_rng(2), 50)
    for _ in range(6):
        search.iterate()
    assert (search.tree.segments[search.tree.active] == 24).any()
    assert np.concatenate(asked).min() >= params.segment_length


def _rewrite(tree: Tree, slots: Integers, more: float) -> None:
    """Add to the first bend of some vines of a tree [rad]."""
    for slot in slots.tolist():
        row, segments = np.array([slot]), tree.segments[[slot]]
        bends, controls = (part(row, int(segments[0])) for part in (tree.pages.bends, tree.pages.controls))
        bends[0, 0] += more
        tree.pages.free(slot)
        tree.pages.put(row, bends, controls, segments)


def test_non_finite_states_never_become_nodes(environment: MakeEnvironment, params: VineParams) -> None:
    """No vine grown from a node with NaN is kept; the search continues from the others."""
    empty = environment(bounds=(-4.0, -4.0, 4.0, 4.0))
    search = Search(empty, QuasiStatic(empty, params), params, np.random.default_rng(3), 60)
    search.iterate()
    tree = search.tree
    poisoned = np.flatnonzero(tree.active & (tree.segments > 0))[::2]
    _rewrite(tree, poisoned, np.nan)
    known = len(tree)
    for _ in range(3):
        search.iterate()
    new = np.flatnonzero(tree.used)[known:]
    assert len(new) > 20
    assert np.isfinite(tree.pages.bends(new, search.max_segments)).all()
    assert np.isfinite(tree.tips[new]).all()
    assert not np.isin(tree.parent[new], poisoned).any()


def test_a_vine_that_broke_down_leaves_no_node(environment: MakeEnvironment, params: VineParams) -> None:
    """Not even its finite records: if every vine breaks down, only the root remains."""
    empty, broke = environment(), []

    class Breaking(QuasiStatic):
        def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
            rollout = super().grow(state, actuation, length, record_every)
            broke.append(int(rollout.records.sum()))
            every = np.ones_like(rollout.status)
            return replace(rollout, status=Status.NOT_FINITE * every, broken=every)

    search = Search(empty, Breaking(empty, params), params, np.random.default_rng(3), 20)
    for _ in range(2):
        search.iterate()
    assert min(broke) > 0
    assert len(search.tree) == 1


def test_cost_counts_sections(maze_search: Search) -> None:
    """A node's actuators are the sections of its controls, each at least two cells long; children never cost less."""
    tree = maze_search.tree
    for node in np.flatnonzero(tree.used & (tree.segments > 0)):
        controls, above = tree.pages.controls(np.array([node, tree.parent[node]]), int(tree.segments[node]))
        starts = np.flatnonzero(np.diff(controls, prepend=0) != 0)
        starts = starts[controls[starts] != 0]
        assert tree.actuators[node] == len(starts)
        for start in starts:
            run = np.argmax(np.append(controls[start:] != controls[start], True))
            cell = maze_search.catalogue.l_0[abs(controls[start]) - 1]
            assert run * maze_search.params.segment_length >= LEAST_CELLS * cell - 1e-9
        parent = tree.parent[node]
        assert tree.actuators[parent] <= tree.actuators[node]
        assert tree.segments[parent] < tree.segments[node]
        assert np.array_equal(controls[: tree.segments[parent]], above[: tree.segments[parent]])


def test_pruning_keeps_only_nodes_that_can_improve(shipped: dict[str, Environment], params: VineParams) -> None:
    """With a known solution of one actuator, no active node has more, and the root is kept."""
    model = QuasiStatic(shipped["needle"], params)
    search = Search(shipped["needle"], model, params, np.random.default_rng(0), 60)
    for _ in range(4):
        search.iterate()
    active = search.tree.active
    assert (search.tree.actuators[active] > 1).any()
    search.tighten(1.02)
    active = search.tree.active
    assert (search.tree.actuators[active] <= 1).all()
    assert (active & (search.tree.segments == 0)).sum() == 1
    search.iterate()


@pytest.mark.slow
def test_same_seed_same_search(shipped: dict[str, Environment], divider_run: Run) -> None:
    """Equal seeds and iterations give bitwise equal designs; another seed gives others."""
    again = run_of(shipped["divider"], PUBLISHED, 6)
    assert len(again.solutions.best) == len(divider_run.solutions.best)
    for one, other in zip(again.solutions.best, divider_run.solutions.best, strict=True):
        assert one.design.sections == other.design.sections
        assert one.design.centerline.tobytes() == other.design.centerline.tobytes()
    third = run_of(shipped["divider"], PUBLISHED, 6, seed=1)
    assert third.solutions.best[0].design.sections != divider_run.solutions.best[0].design.sections


def test_solutions_reach_the_goal_at_half_and_quarter_step(shipped: dict[str, Environment], params: VineParams) -> None:
    """Every solution, also costlier ones, ends in the goal when replayed by a new propagator; the best needs one actuator."""
    run = run_of(shipped["divider"], params, 5)
    assert len(run.solutions.best) > 1
    assert run.solutions.best[0].design.actuators == 1
    assert run.solutions.best[-1].design.actuators > 1
    for solution in run.solutions.best:
        for step in (25e-3 / 12, 25e-3 / 24):
            rollout = replay(solution.design, QuasiStatic(run.environment, params, step=step))
            tip = rollout.tips[0, rollout.records[0] - 1]
            assert rollout.status[0] == Status.GROWN
            assert np.hypot(*(tip[:2] - run.environment.goal[:2])) <= run.environment.goal[2] + 1e-3
            assert np.hypot(*(tip[:2] - solution.design.tip[:2])) < 5e-3


@pytest.mark.slow
def test_solutions_are_distinct_and_sorted(shipped: dict[str, Environment]) -> None:
    """Sorted by cost, and every two with the same sides differ by at least a tube diameter somewhere along the shorter one."""
    best = run_of(shipped["needle"], PUBLISHED, 30).solutions.best
    assert len(best) >= 2
    assert [s.cost for s in best] == sorted(s.cost for s in best)
    for i, one in enumerate(best):
        assert one.cost == pytest.approx(one.design.actuators + 1e-2 * one.design.length)
        for other in best[:i]:
            if not np.array_equal(sides_of(one.controls), sides_of(other.controls)):
                continue
            short, long = sorted([one.design.centerline, other.design.centerline], key=len)
            dense = np.vstack([np.linspace(a, b, 20) for a, b in pairwise(long)])
            gaps = np.sqrt(((short[:, None] - dense[None]) ** 2).sum(-1)).min(1)
            assert gaps.max() > 2 * PUBLISHED.radius - 2e-3


def test_a_candidate_that_misses_on_replay_is_rejected(shipped: dict[str, Environment], params: VineParams) -> None:
    """A candidate in the goal whose replay does not reach it is not a solution; its branch is pruned."""
    run = Run.prepare(shipped["maze"], params, seed=0)
    for _ in range(3):
        run.search.iterate()
    tree = run.search.tree
    claim = np.flatnonzero(tree.active & (tree.children > 0) & (tree.segments > 40))[:1]
    tree.tips[claim] = [*shipped["maze"].goal[:2], 0.0]
    _rewrite(tree, claim, 0.3)
    tree.parent[tree.parent == claim[0]] = claim[0]
    candidate = Candidates(
        tree.pages.bends(claim, int(tree.segments[claim[0]])),
        tree.pages.controls(claim, int(tree.segments[claim[0]])),
        tree.segments[claim],
        tree.tips[claim],
        tree.actuators[claim],
        tree.straight[claim],
        tree.jumped[claim],
        claim,
        *np.zeros((2, 1), np.int64),
        np.zeros((1, 0), bool),
    )
    assert not run.solutions.offer(candidate)
    assert (run.solutions.replayed, run.solutions.rejected) == (1, 1)
    assert run.best is None
    assert not tree.active[tree.descendants(claim[0])].any()


def test_history_only_improves(divider_run: Run) -> None:
    """Along the history times increase and costs decrease; its last entry is the best design."""
    history = divider_run.history
    assert [m.seconds for m in history] == sorted(m.seconds for m in history)
    costs = [m.actuators + 1e-2 * m.length for m in history]
    assert costs == sorted(costs, reverse=True)
    assert divider_run.best is not None
    assert history[-1].actuators == divider_run.best.design.actuators


def test_budget_ends_the_run(shipped: dict[str, Environment], params: VineParams, divider_run: Run) -> None:
    """`first` stops at the first solution, a target at its number of actuators, iterations at their count."""
    run = Run.prepare(shipped["maze"], params, seed=2, batch=40)
    for _ in run.run(Budget(seconds=300, first=True)):
        pass
    assert len(run.history) == 1
    assert run.history[0].actuators > 1
    for _ in run.run(Budget(seconds=300, target_actuators=1)):
        pass
    assert run.history[-1].actuators <= 1
    assert all(m.actuators > 1 for m in run.history[:-1])
    assert divider_run.search.iteration == 6


def test_search_ends_when_nothing_better_is_left(environment: MakeEnvironment, params: VineParams) -> None:
    """The bare corridor needs no actuator: once that is found and all straight growth was tried, the run ends."""
    room = replace(environment(bounds=(-0.1, -0.15, 0.9, 0.15)), goal=np.array([0.7, 0.0, 0.06]))
    run = Run.prepare(room, params, seed=0, batch=50)
    for _ in run.run(Budget(seconds=600, iterations=200)):
        pass
    assert run.search.exhausted
    assert run.search.iteration < 200
    assert run.history[-1].actuators == 0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CannotRun("out of memory; try --batch 50"), "out of memory; try --batch 50"),
        (DeviceLost("the CUDA device failed (lost)"), "the CUDA device failed (lost)"),
        (MemoryError(), "out of memory"),
    ],
)
def test_solutions_survive_a_lack_of_memory(
    shipped: dict[str, Environment], params: VineParams, error: Exception, reason: str
) -> None:
    """If the propagator cannot continue, the search ends with its reason if there is a solution, else with an error."""
    run = Run.prepare(shipped["divider"], params)
    grow = run.search.grow

    def fail_once_solved() -> Any:
        if run.best:
            raise error
        return grow()

    run.search.grow = fail_once_solved  # type: ignore[method-assign]
    assert search(run, Budget(60.0), lambda: None) == reason
    assert run.best
    run.solutions.best.clear()
    run.search.grow = lambda: (_ for _ in ()).throw(error)  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        search(run, Budget(60.0), lambda: None)
