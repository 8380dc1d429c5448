"""The part of a search tree that pictures show."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment
from planner.drawing.search import MOST_SHAPES, SPACING, branches_to_draw
from planner.search.tree import Tree

MakeEnvironment = Callable[..., Environment]
Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def room(environment: MakeEnvironment) -> Environment:
    return replace(
        environment(start=(0.0, -2.0, np.pi / 2), bounds=(-1.5, -2.1, 1.5, 0.9)), goal=np.array([0.5, -1.0, 0.1])
    )


@pytest.fixture(scope="module")
def tree(room: Environment, params: VineParams) -> Tree:
    """A tree with 600 leaves of 10 to 60 segments, each of another curvature, on 20 nodes above the root."""
    rng, slots = np.random.default_rng(1), []
    tree = Tree(lambda count: np.zeros((count, 60)))

    def add(parent: int, segments: int, bend: float) -> int:
        angles = np.zeros((1, 60))
        if parent >= 0:
            before = tree.segments[parent]
            angles[0, :before] = tree.angles[parent, :before]
            angles[0, before:segments] = bend
        heading = room.start[2] + np.cumsum(angles[0, :segments])
        moves = params.segment_length * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        tip = np.array([*(room.start[:2] + moves.sum(axis=0)), heading[-1] if segments else room.start[2]])
        none = np.zeros((1, 60), np.int32)
        count, no = np.array([segments]), np.array([False])
        return int(tree.add(angles, none, count, tip[None], count * 0, no, no, np.array([parent]))[0])

    root = add(-1, 0, 0.0)
    slots = [add(root, 10, bend) for bend in np.linspace(-0.08, 0.08, 20)]
    for _ in range(600):
        add(int(rng.choice(slots)), int(rng.integers(20, 60)), float(rng.uniform(-0.1, 0.1)))
    return tree


def test_few_vines_stand_for_the_tree(tree: Tree, room: Environment, params: VineParams) -> None:
    """Whole vines of leaves, a limited number of them, apart from each other; the first ends nearest to the goal."""
    drawn = branches_to_draw(tree, room, params)
    leaves = tree.tips[tree.used & (tree.children == 0), :2]
    assert len(drawn) == MOST_SHAPES
    tips = np.array([line[-1] for line in drawn])
    for line, tip in zip(drawn, tips, strict=True):
        assert line[0] == pytest.approx(room.start[:2])
        assert np.hypot(*(leaves - tip).T).min() < 1e-9
    nearest = np.hypot(*(leaves - room.goal[:2]).T).min()
    # One leaf stands for its cell of a grid.
    assert np.hypot(*(tips[0] - room.goal[:2])) < nearest + 2**0.5 * SPACING * 3
    apart = np.hypot(*(tips[:, None] - tips[None]).transpose(2, 0, 1)) + 9 * np.eye(len(tips))
    assert apart.min() >= SPACING * 3 - 1e-9


def test_the_vines_cover_what_was_searched(tree: Tree, room: Environment, params: VineParams) -> None:
    """Every leaf is near a drawn vine: nearer than to the same number of random vines."""
    drawn = branches_to_draw(tree, room, params)
    whole = [line for line in branches_to_draw(tree, room, params, full=True) if len(line) > 10]
    leaves = tree.tips[tree.used & (tree.children == 0), :2]

    def farthest(lines: list[np.ndarray]) -> float:
        points = np.concatenate(lines)
        return float(np.linalg.norm(leaves[:, None] - points, axis=-1).min(axis=1).max())

    some = np.random.default_rng(2)
    guessed = [farthest([whole[k] for k in some.choice(len(whole), len(drawn))]) for _ in range(5)]
    assert farthest(drawn) < 0.9 * min(guessed)


def test_the_full_tree_has_a_branch_for_every_node(tree: Tree, room: Environment, params: VineParams) -> None:
    """Every node except the root has a branch from its parent's tip to its own."""
    branches = branches_to_draw(tree, room, params, full=True)
    nodes = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert len(branches) == len(nodes) == len(tree) - 1
    assert np.array([branch[-1] for branch in branches]) == pytest.approx(tree.tips[nodes, :2], abs=1e-9)
    for branch, node in zip(branches, nodes, strict=True):
        assert len(branch) == tree.segments[node] - tree.segments[tree.parent[node]] + 1
        steps = np.hypot(*np.diff(branch, axis=0).T)
        assert steps == pytest.approx(np.full(len(steps), params.segment_length))
