"""Nodes of the search tree whose vines have jumped on the way."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dynamics.jumps import JUMP, largest_jump
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments import Environment
from planner.design.replay import grow
from planner.search.controls import actuation
from planner.search.sst import Search, Switches

MakeEnvironment = Callable[..., Environment]
EVERY_STATE = Switches(subset=False)
"""Every recorded state of the first batch becomes a node."""


@pytest.fixture(scope="module")
def searched(shipped: dict[str, Environment], params: VineParams) -> Search:
    """A small search in `plus`, where vines without actuators spring off walls."""
    model = QuasiStatic(shipped["plus"], params)
    search = Search(shipped["plus"], model, params, np.random.default_rng(4), 60)
    for _ in range(5):
        search.iterate()
    return search


@pytest.mark.slow
def test_nodes_are_marked_where_their_vines_jump(searched: Search) -> None:
    """A vine that is grown again from the start to the length of a node jumps if and only if the node is marked."""
    tree, params = searched.tree, searched.params
    nodes = np.flatnonzero(tree.used & (tree.segments > 0))
    carried = actuation(tree.pages.controls(nodes, searched.max_segments), searched.catalogue)
    rollout = grow(searched.propagator, carried, tree.segments[nodes] * params.segment_length, params.segment_length)
    assert rollout.records.tolist() == tree.segments[nodes].tolist()
    jumps = np.array([largest_jump(rollout, vine, params) is not None for vine in range(len(nodes))])
    assert min(jumps.sum(), (~jumps).sum()) > 50
    assert tree.jumped[nodes].tolist() == jumps.tolist()


def test_descendants_of_a_marked_node_are_marked(searched: Search) -> None:
    """Also those that have not jumped since; some nodes are the first on their way."""
    tree = searched.tree
    below = np.flatnonzero(tree.used & (tree.parent >= 0))
    above = tree.jumped[tree.parent[below]]
    assert tree.jumped[below][above].all()
    assert above.sum() > 50
    assert (tree.jumped[below] & ~above).sum() > 10
    assert not tree.jumped[tree.segments == 0].any()


class Leaping(QuasiStatic):
    """The tip of every vine leaps between two of its records: beyond the limit from `at` segments of growth on."""

    at, share = 0, 1.01

    def grow(self, state: VineState, carried: Actuation, length: ArrayLike, every: float) -> Rollout:
        """Move the tips of all records from the leap on, to just beyond or below the limit from the record before."""
        rollout = super().grow(state, carried, length, every)
        tips = rollout.tips.copy()
        before = np.zeros(2) if self.at == 0 else tips[:, self.at - 1, :2]
        move = before + np.array([self.share * JUMP * every, 0.0]) - tips[:, self.at, :2]
        tips[:, self.at :, :2] += move[:, None]
        return replace(rollout, tips=tips)


@pytest.mark.parametrize("at", [0, 3])
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_marks_begin_at_the_record_of_the_jump(
    environment: MakeEnvironment, params: VineParams, at: int, share: float
) -> None:
    """Vines that leap at a known record, also at the first, against the tip of the node from which they grow."""
    room = environment(bounds=(-9.0, -9.0, 9.0, 9.0))
    model = Leaping(room, params)
    model.at, model.share = at, share
    search = Search(room, model, params, np.random.default_rng(0), 20, EVERY_STATE)
    search.iterate()
    tree = search.tree
    assert (tree.segments > at + 3).any()
    assert tree.jumped[tree.used].tolist() == ((tree.segments[tree.used] > at) & (share > 1)).tolist()
