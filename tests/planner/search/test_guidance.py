"""The search guided by cost-to-go, and its switches."""

from collections.abc import Callable
from copy import deepcopy

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from planner.search.guidance import FIRST_SAMPLES, UNGUIDED
from planner.search.reverse.cost_to_go import CostToGo
from planner.search.run import Budget, Run
from planner.search.sst import DEFAULT_SWITCHES, Search, Switches
from planner.search.witnesses import embed, pose_tree

Guide = Callable[[np.ndarray], np.ndarray]


ALWAYS = Switches(heuristic=True, levels=False)
"""Nodes are selected by the guide, if there is one, and never by their distance to the goal."""


@pytest.fixture(scope="module")
def search(shipped: dict[str, Environment], params: VineParams) -> Callable[..., Search]:
    """A search in the maze after several iterations; unguided ones are made once and copied."""
    unguided: dict[tuple[Switches, int, int], Search] = {}

    def make(
        guide: Guide | None = None, switches: Switches = DEFAULT_SWITCHES, iterations: int = 4, batch: int = 80
    ) -> Search:
        key = switches, iterations, batch
        if not guide and key in unguided:
            return deepcopy(unguided[key])
        model, rng = QuasiStatic(shipped["maze"], params), np.random.default_rng(7)
        made = Search(shipped["maze"], model, params, rng, batch, switches)
        if guide:
            made.guide(guide)
        for _ in range(iterations):
            made.iterate()
        if not guide:
            unguided[key] = deepcopy(made)
        return made

    return make


def test_nodes_have_their_cost_to_go(search: Callable[..., Search]) -> None:
    """The root and every later node have the guide's cost of their tips."""
    guided = search(lambda poses: 1.0 + poses[:, 0] + poses[:, 2] ** 2)
    used = guided.tree.used
    assert used.sum() > 100
    tips = guided.tree.tips[used]
    assert np.array_equal(guided.tree.to_go[used], 1.0 + tips[:, 0] + tips[:, 2] ** 2)


def test_cost_to_go_prunes_nothing(search: Callable[..., Search]) -> None:
    """A cost-to-go above every bound removes no node that would have been kept without it."""
    guided, plain = search(iterations=5), search(iterations=5)
    guided.guide(lambda poses: np.full(len(poses), 1e9))
    for one in (guided, plain):
        one.tighten(2.0)
    assert np.array_equal(guided.tree.active, plain.tree.active)
    assert np.array_equal(guided._growable_nodes(), plain._growable_nodes())


def test_nodes_without_promise_are_still_selected(search: Callable[..., Search]) -> None:
    """Nodes that guidance ignores are selected at least a quarter as often as without guidance."""
    plain = search(switches=ALWAYS)
    left = plain.tree.tips[:, 0] < 1.0
    counts = {}
    for guide in (None, lambda poses: np.where(poses[:, 0] < 1.0, np.inf, 0.0)):
        if guide:
            plain.guide(guide)
        plain.rng = np.random.default_rng(3)
        counts[guide is None] = sum(int(left[plain._select()].sum()) for _ in range(80))
    assert counts[True] > 400
    assert 0.25 * 0.9 * counts[True] < counts[False] < 0.6 * counts[True]


def selected(search: Search, guide: Guide | None = None) -> np.ndarray:
    """Nodes that a search selects in many batches."""
    if guide:
        search.guide(guide)
    search.rng = np.random.default_rng(4)
    return np.concatenate([search._select() for _ in range(60)])


def test_guided_selection_adds_both_costs(search: Callable[..., Search]) -> None:
    """With a constant cost-to-go the lowest cost-to-come wins; with a large one, the nodes closer to the goal win."""
    one = search(switches=ALWAYS)
    cost = one.cost(one.tree.actuators, one.tree.segments)
    distance = np.hypot(*(one.tree.tips[:, :2] - [1.0, 1.2]).T)
    plain = selected(one)
    cheap = selected(one, lambda poses: np.zeros(len(poses)))
    near = selected(one, lambda poses: 100 * np.hypot(*(poses[:, :2] - [1.0, 1.2]).T))
    assert cost[cheap].mean() < 0.8 * cost[plain].mean()
    assert distance[near].mean() < 0.8 * min(distance[plain].mean(), distance[cheap].mean())


@pytest.mark.parametrize("to_go", [(np.inf, np.inf), pytest.param((50.0, 500.0), marks=pytest.mark.slow)])
def test_a_useless_guide_does_not_change_the_selection(
    search: Callable[..., Search], to_go: tuple[float, float]
) -> None:
    """If the cost-to-go is unknown or above the bound everywhere, nodes are selected as often as without a guide."""
    one = search()
    one.bound = 40.0
    plain = selected(one)
    guided = selected(one, lambda poses: np.where(poses[:, 0] < 1.0, *to_go))
    counts = [np.bincount(chosen, minlength=len(one.tree.used)) for chosen in (plain, guided)]
    assert np.corrcoef(*counts)[0, 1] > 0.9
    assert (one.tree.tips[guided, 0] < 1.0).mean() == pytest.approx((one.tree.tips[plain, 0] < 1.0).mean(), abs=0.05)


@pytest.mark.slow
def test_same_seed_same_guided_search(shipped: dict[str, Environment], params: VineParams) -> None:
    """Runs with the reverse tree in one process are identical; its time counts and is at most a tenth.

    It grows before the search and after 1, 2, 4 ... iterations.
    """
    trees = []
    for _ in range(2):
        run, grown = Run.prepare(shipped["tube"], params, seed=2, batch=40, switches=Switches(heuristic=True)), []
        for _ in run.run(Budget(600, iterations=6)):
            assert run.reverse_tree
            grown.append(run.reverse_tree.samples)
        assert grown == [FIRST_SAMPLES * (k + 1) for k in (0, 1, 2, 2, 4, 4)]
        known = CostToGo(run.reverse_tree)(run.search.tree.tips)
        assert np.array_equal(run.search.tree.to_go[run.search.tree.used], known[run.search.tree.used])
        assert run.reverse_tree
        assert run.seconds > run.reverse_tree.seconds > 0
        assert np.isfinite(run.search.tree.to_go[run.search.tree.used]).any()
        trees.append(run.search.tree)
    assert trees[0].to_arrays()["angles"].tobytes() == trees[1].to_arrays()["angles"].tobytes()
    hurried = Run.prepare(shipped["building"], params, switches=Switches(heuristic=True))
    for _ in hurried.run(Budget(0.1)):
        pass
    assert hurried.reverse_tree
    assert len(hurried.reverse_tree.poses) < 400


def test_only_last_states_become_nodes(search: Callable[..., Search]) -> None:
    """Without maximal recording, an iteration adds at most one node per vine."""
    small = search(switches=Switches(maximal_recording=False), iterations=3)
    assert 1 < len(small.tree) <= 1 + 3 * 80
    assert len(search(iterations=3).tree) > len(small.tree)


def test_nodes_overlap_without_the_subset(search: Callable[..., Search]) -> None:
    """New nodes are at least one neighbourhood apart, unless `subset` is disabled."""

    def nearest(one: Search) -> float:
        tips = one.tree.tips[one.tree.active]
        return float(pose_tree(tips).query(embed(tips), k=2)[0][:, 1].min())

    assert nearest(search(iterations=1)) > nearest(search(switches=Switches(subset=False), iterations=1))
    assert nearest(search(iterations=1)) >= search(iterations=0).radius


def test_best_near_with_radius_0_is_the_nearest(search: Callable[..., Search]) -> None:
    """With radius 0 nodes are selected by distance only; with a larger radius nodes of lower cost are selected."""
    means = []
    for factor in (0.0, 6.0):
        one = search(switches=Switches(best_near=factor))
        one.rng = np.random.default_rng(6)
        chosen = np.concatenate([one._select() for _ in range(20)])
        means.append(one.cost(one.tree.actuators[chosen], one.tree.segments[chosen]).mean())
    assert means[1] < means[0]


def test_a_search_that_finds_nothing_is_guided_until_it_has_a_solution(
    shipped: dict[str, Environment], params: VineParams
) -> None:
    """From the fifth iteration on; an easy one never is, nor one that must not be."""
    pytest.importorskip("ompl")
    hard, easy = shipped["long"], shipped["divider"]
    lost, found, alone = (
        Run.prepare(one, params, seed=3, switches=switches)
        for one, switches in ((hard, Switches()), (easy, Switches()), (hard, Switches(lost=False)))
    )
    for run in (lost, alone):
        for _ in run.run(Budget(1e3, iterations=UNGUIDED)):
            pass
        assert not run.best
        assert run.reverse_tree is None
        for _ in run.run(Budget(1e3, iterations=UNGUIDED + 1)):
            pass
    assert lost.reverse_tree
    assert alone.reverse_tree is None
    for _ in found.run(Budget(1e3, iterations=9)):
        pass
    assert found.best
    assert found.reverse_tree is None
    lost.search.tighten(3.0)
    lost.search.rng = np.random.default_rng(4)
    alone_now = deepcopy(lost.search)
    alone_now._cost_to_go = None
    assert np.array_equal(lost.search._select(), alone_now._select())


def test_a_tree_may_take_a_tenth_of_the_time(shipped: dict[str, Environment], params: VineParams) -> None:
    """Less what it has taken already; without limit where iterations limit the search, which is to be reproducible."""
    run = Run.prepare(shipped["divider"], params, seed=1, batch=20, switches=Switches(heuristic=True))
    next(run.run(Budget(60.0)))
    assert run.reverse_tree
    assert run._tree_seconds(Budget(50.0)) == pytest.approx(5.0 - run.reverse_tree.seconds)
    assert run._tree_seconds(Budget(50.0, iterations=3)) == np.inf
