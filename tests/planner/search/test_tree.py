"""The search tree and its witnesses."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.tube import VineParams
from dynamics.vine import centerlines
from planner.search.tree import Nodes, Tree, branches_of
from planner.search.witnesses import HEADING_WEIGHT, Witnesses


def grow(tree: Tree, parents: list[int]) -> np.ndarray:
    """Add a child to each of some slots."""
    count = len(parents)
    slots = np.array(parents)
    segments = np.where(slots < 0, 0, tree.segments[np.maximum(slots, 0)] + 1 if len(tree.segments) else 0)
    nothing = np.zeros((count, int(segments.max())))
    tips, no = np.zeros((count, 3)), np.zeros(count, bool)
    return tree.add(Nodes(nothing, nothing.astype(np.int32), segments, tips, np.zeros(count, int), no, no, slots))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_the_tree_stays_consistent(seed: int) -> None:
    """After any additions and removals: child counts are right, only inactive leaves are freed, parents outlive children."""
    rng = np.random.default_rng(seed)
    tree = Tree(lambda *shape: np.zeros(shape))
    grow(tree, [-1])
    for _ in range(30):
        active = np.flatnonzero(tree.active)
        grow(tree, rng.choice(active, rng.integers(1, 5)).tolist())
        active = np.setdiff1d(np.flatnonzero(tree.active), [0])
        tree.retire(rng.choice(active, min(len(active), rng.integers(0, 5)), replace=False))
        used = np.flatnonzero(tree.used)
        counts = np.bincount(tree.parent[used][tree.parent[used] >= 0], minlength=len(tree.used))
        assert np.array_equal(counts[used], tree.children[used])
        assert tree.used[tree.parent[used][tree.parent[used] >= 0]].all()
        assert not (tree.used & ~tree.active & (tree.children == 0)).any()
        assert len(tree) == len(used)


def test_retiring_a_chain_frees_it_from_the_leaf() -> None:
    """An inactive node is kept while it has children, and freed with the last one."""
    tree = Tree(lambda *shape: np.zeros(shape))
    root = grow(tree, [-1])[0]
    child = grow(tree, [root])[0]
    leaf = grow(tree, [child])[0]
    tree.retire(np.array([child]))
    assert tree.used[child]
    tree.retire(np.array([leaf]))
    assert not tree.used[child]
    assert not tree.used[leaf]
    assert tree.used[root]


def test_descendants_are_all_below_a_node() -> None:
    """A branch consists of the node and all its descendants."""
    tree = Tree(lambda *shape: np.zeros(shape))
    root = grow(tree, [-1])[0]
    left, right = grow(tree, [root, root])
    below = grow(tree, [left, left, right])
    deep = grow(tree, [below[0]])
    assert set(tree.descendants(left)) == {left, below[0], below[1], deep[0]}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_angles_on_a_device_are_restored(device: str) -> None:
    """For a propagator with PyTorch arrays, a stored tree is restored to the same device and precision, bit for bit."""
    bends = torch.linspace(-1.0, 1.0, 9, dtype=torch.float32, device=device).reshape(3, 3)

    def unbent(count: int, segments: int) -> torch.Tensor:
        return torch.zeros(count, segments, dtype=torch.float32, device=device)

    tree, again = Tree(unbent), Tree(unbent)
    nothing = np.zeros(3, np.int64)
    controls = np.arange(9, dtype=np.int32).reshape(3, 3)
    segments, tips, no = np.array([0, 2, 3]), np.zeros((3, 3)), nothing > 0
    tree.add(Nodes(bends, controls, segments, tips, nothing, no, no, np.array([-1, 0, 1])))
    again.restore(tree.to_arrays())
    grown = torch.tensor([[0, 0, 0], [1, 1, 0], [1, 1, 1]], device=device)
    restored = again.pages.bends(np.arange(3), 3)
    assert torch.equal(restored, bends * grown)
    assert restored.dtype == torch.float32
    assert restored.device.type == device
    assert np.array_equal(again.pages.controls(np.arange(3), 3), controls * grown.numpy(force=True))


def test_one_candidate_for_each_neighbourhood() -> None:
    """Kept candidates are apart; every other candidate has one of lower cost within the radius."""
    rng = np.random.default_rng(0)
    poses = rng.uniform([0, 0, -4], [1, 1, 4], (400, 3))
    costs = rng.uniform(0, 1, 400)
    chosen, witness = Witnesses().best(poses, costs, 0.2)
    turn = np.abs(np.angle(np.exp(1j * (poses[:, None, 2] - poses[None, :, 2]))))
    distance = np.sqrt(((poses[:, None, :2] - poses[None, :, :2]) ** 2).sum(-1) + (HEADING_WEIGHT * turn) ** 2)
    assert len(set(witness)) == len(chosen)
    apart = distance[np.ix_(chosen, chosen)] + np.eye(len(chosen))
    assert apart.min() > 0.2
    for k in set(range(400)) - set(chosen):
        near = chosen[distance[k, chosen] <= 0.2]
        assert costs[near].min() <= costs[k]


def test_only_a_node_of_lower_cost_takes_over_a_witness() -> None:
    """A second candidate near a witness is kept if and only if its cost is below that of the witness's node."""
    witnesses = Witnesses()
    pose = np.array([[0.5, 0.5, 3.1]])
    chosen, witness = witnesses.best(pose, np.array([1.0]), 0.1)
    witnesses.represent(witness, np.array([7]), np.array([1.0]))
    across = np.array([[0.5, 0.5, -3.1]])  # 0.08 rad further, across the wrap at half a turn
    assert len(witnesses.best(across, np.array([1.5]), 0.1)[0]) == 0
    chosen, again = witnesses.best(across, np.array([0.5]), 0.1)
    assert list(chosen) == [0]
    assert list(again) == list(witness)


def test_a_pruned_node_frees_its_witness() -> None:
    """After the node of a witness is pruned, any candidate near it is accepted."""
    witnesses = Witnesses()
    pose = np.array([[0.5, 0.5, 0.0]])
    _, witness = witnesses.best(pose, np.array([1.0]), 0.1)
    witnesses.represent(witness, np.array([2]), np.array([1.0]))
    witnesses.forget(np.array([False, False, True]))
    assert len(witnesses.best(pose, np.array([9.0]), 0.1)[0]) == 1


def test_a_node_ends_at_the_end_of_its_centreline() -> None:
    """Two segments of 100 mm that an actuator bends by 0.2 rad, and one without: links of 96, 96 and 100 mm, as in its picture."""
    tree, params = Tree(lambda *shape: np.zeros(shape), pivot=0.02), VineParams(segment_length=0.1)
    (root,) = grow(tree, [-1])
    bends, controls = np.array([[-0.2, -0.2, 0.0, 0.0]]), np.array([[-5, -5, 0, 0]], np.int32)
    end = 0.096 * np.exp(-0.2j) + 0.196 * np.exp(-0.4j)
    tip = np.array([[end.real, end.imag, -0.4]])
    one = np.ones(1, int)
    (node,) = tree.add(Nodes(bends, controls, 3 * one, tip, one, one.astype(bool), one < 1, np.array([root])))
    (line,) = centerlines(tree.state(np.array([node]), 0.1, 4), np.zeros(3), params)
    assert line[3] == pytest.approx(tip[0, :2])
    assert np.isnan(line[4]).all()
    (branch,) = branches_of(tree, np.zeros(3), params)
    assert branch == pytest.approx(line[:4])
