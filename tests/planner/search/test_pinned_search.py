"""A search does not go on from where a tip is pinned."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.pinned import follow_pinning
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments import Environment
from planner.search.candidates import GrowingVines, find_candidates
from planner.search.controls import actuation
from planner.search.sst import Search, Switches
from planner.search.steered.search import SteeredSearch

PARAMS = VineParams()


def searched(environment: Environment, switches: Switches, stopping: bool = True) -> Search:
    """A search after a few iterations.

    Args:
        stopping: Whether growth stops where tips are pinned; if not, only what grew beyond is left out.
    """
    kind = SteeredSearch if switches.steer else Search
    search = kind(environment, QuasiStatic(environment, PARAMS), PARAMS, np.random.default_rng(3), 20, switches)
    if not stopping:
        search._grower = search.propagator
    for _ in range(3):
        search.iterate()
    return search


def pinned_nodes(search: Search) -> int:
    """Number of nodes whose tip is pinned in the growth from their parent."""
    tree, full, count = search.tree, PARAMS.segment_length, 0
    for slot in np.flatnonzero(tree.used & (tree.parent >= 0)).tolist():
        parent = tree.parent[slot : slot + 1]
        grown = np.array([tree.segments[slot] - tree.segments[parent[0]]])
        width = int(tree.segments[slot])
        carried = tree.pages.controls(np.array([slot]), width)
        state = tree.state(parent, full, width)
        rollout = search.propagator.grow(state, actuation(carried, search.catalogue), grown * full, full)
        count += bool(follow_pinning(rollout, PARAMS)[0, rollout.records[0] - 1])
    return count


def test_no_node_is_pinned(shipped: dict[str, Environment]) -> None:
    assert pinned_nodes(searched(shipped["long"], Switches())) == 0
    assert pinned_nodes(searched(shipped["long"], Switches(pinned=True))) > 10


@pytest.mark.parametrize(("name", "steer"), [("long", 0), ("divider", 0), ("divider", 1)])
def test_a_growth_that_stops_leaves_the_tree_as_one_that_goes_on(
    shipped: dict[str, Environment], name: str, steer: int
) -> None:
    """Where the growth stops only saves steps."""
    one, other = (searched(shipped[name], Switches(steer=steer), stopping) for stopping in (True, False))
    for array in ("segments", "tips", "actuators", "parent", "active", "straight"):
        np.testing.assert_array_equal(getattr(one.tree, array), getattr(other.tree, array))
    assert one.vine_steps < other.vine_steps


def test_steered_vines_go_on_from_pinned_tips_only_if_asked(shipped: dict[str, Environment]) -> None:
    free, search = (searched(shipped["long"], Switches(steer=1, pinned=pinned)) for pinned in (True, False))
    assert free.vine_steps > search.vine_steps
    assert pinned_nodes(search) == 0 < pinned_nodes(free)


def test_a_vine_that_ends_pinned_is_not_grown_on_straight(shipped: dict[str, Environment]) -> None:
    """Also if it has grown to its end: near that, other vines may go on."""
    environment, full = shipped["long"], PARAMS.segment_length
    model = QuasiStatic(environment, PARAMS)
    start, pressure = model.start(1, 80), np.zeros((1, 80))
    pressure[:, 4:14] = -30e3
    carried = Actuation(pressure, np.full(pressure.shape, 0.05))
    whole = model.grow(start, carried, 80 * full, full)
    first = int(follow_pinning(whole, PARAMS)[0].argmax()) + 1
    assert 10 < first < whole.records[0]
    for records, on in ((first - 1, True), (first, False)):
        rollout = model.grow(start, carried, records * full, full)
        none = np.zeros(1, np.int64)
        batch = GrowingVines(
            none,
            none,
            np.zeros((1, 80), np.int32),
            np.ones(1, bool),
            np.zeros(1),
            none,
            environment.start[None, :2],
            none > 0,
        )
        found = find_candidates(rollout, batch, PARAMS, lambda tips, *_: np.ones(len(tips), bool))
        assert found.segments.tolist() == list(range(1, first))
        assert found.straight.all() == (not on)
