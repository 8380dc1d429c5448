"""The part of a search tree that pictures show."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from dynamics.tube import VineParams
from environments import Environment
from planner.drawing.plan import plan_figure
from planner.drawing.search import TreeBranches
from planner.drawing.style import JUMPED, SEARCHED
from planner.plan.run.branches import MOST_SHAPES, SPACING, select_branches
from planner.search.tree import Nodes, Tree

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
    tree = Tree(lambda *shape: np.zeros(shape))

    def add(parent: int, segments: int, bend: float) -> int:
        angles = np.zeros((1, 60))
        if parent >= 0:
            before = tree.segments[parent]
            angles[0, :before] = tree.pages.bends(np.array([parent]), int(before))[0]
            angles[0, before:segments] = bend
        heading = room.start[2] + np.cumsum(angles[0, :segments])
        moves = params.segment_length * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        tip = np.array([*(room.start[:2] + moves.sum(axis=0)), heading[-1] if segments else room.start[2]])
        none = np.zeros((1, 60), np.int32)
        count, no = np.array([segments]), np.array([False])
        return int(tree.add(Nodes(angles, none, count, tip[None], count * 0, no, no, np.array([parent])))[0])

    root = add(-1, 0, 0.0)
    slots = [add(root, 10, bend) for bend in np.linspace(-0.08, 0.08, 20)]
    for _ in range(600):
        add(int(rng.choice(slots)), int(rng.integers(20, 60)), float(rng.uniform(-0.1, 0.1)))
    return tree


def test_few_vines_stand_for_the_tree(tree: Tree, room: Environment, params: VineParams) -> None:
    """Whole vines of leaves, a limited number of them, apart from each other; the first ends nearest to the goal."""
    drawn, jumped = select_branches(tree, room, params)
    leaves = tree.tips[tree.used & (tree.children == 0), :2]
    assert not jumped
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
    drawn = select_branches(tree, room, params).steady
    whole = [line for line in select_branches(tree, room, params, full=True).steady if len(line) > 10]
    leaves = tree.tips[tree.used & (tree.children == 0), :2]

    def farthest(lines: list[np.ndarray]) -> float:
        points = np.concatenate(lines)
        return float(np.linalg.norm(leaves[:, None] - points, axis=-1).min(axis=1).max())

    some = np.random.default_rng(2)
    guessed = [farthest([whole[k] for k in some.choice(len(whole), len(drawn))]) for _ in range(5)]
    assert farthest(drawn) < 0.9 * min(guessed)


def test_the_full_tree_has_a_branch_for_every_node(tree: Tree, room: Environment, params: VineParams) -> None:
    """Every node except the root has a branch from its parent's tip to its own."""
    branches = select_branches(tree, room, params, full=True).steady
    nodes = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert len(branches) == len(nodes) == len(tree) - 1
    assert np.array([branch[-1] for branch in branches]) == pytest.approx(tree.tips[nodes, :2], abs=1e-9)
    for branch, node in zip(branches, nodes, strict=True):
        assert len(branch) == tree.segments[node] - tree.segments[tree.parent[node]] + 1
        steps = np.hypot(*np.diff(branch, axis=0).T)
        assert steps == pytest.approx(np.full(len(steps), params.segment_length))


@pytest.fixture
def leapt(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The tree with marks: of half of the nodes above the leaves, and so of their leaves, and of every third other leaf."""
    jumped = np.zeros(len(tree.used), bool)
    upper = np.flatnonzero(tree.used & (tree.segments == 10))
    jumped[upper[::2]] = True
    leaves = np.flatnonzero(tree.used & (tree.segments > 10))
    jumped[leaves] = jumped[tree.parent[leaves]] | (np.arange(len(leaves)) % 3 == 0)
    monkeypatch.setattr(tree, "jumped", jumped)
    return tree


def test_what_follows_a_jump_is_told_apart(leapt: Tree, room: Environment, params: VineParams) -> None:
    """From the last node that has not jumped on: the base, a node of 10 segments, or none of the vine."""
    plain = select_branches(leapt, room, params)
    lines = {tuple(line[-1].round(6)): line for line in plain.jumped}
    before = {tuple(line[-1].round(6)): line for line in plain.steady}
    counts = dict.fromkeys((0, 10, None), 0)
    for slot in np.flatnonzero(leapt.used & (leapt.children == 0)):
        tip, parent = tuple(leapt.tips[slot, :2].round(6)), leapt.parent[slot]
        if tip not in lines and tip not in before:
            continue
        since = None if not leapt.jumped[slot] else 0 if leapt.jumped[parent] else 10
        counts[since] += 1
        assert (tip in lines) == (since is not None)
        whole = lines[tip] if tip in lines else before[tip]
        assert len(whole) == leapt.segments[slot] - (since or 0) + 1
        if since == 0:
            assert whole[0] == pytest.approx(room.start[:2])
        elif since == 10:
            assert before[tuple(whole[0].round(6))][0] == pytest.approx(room.start[:2])
    assert min(counts.values()) > 2
    full = select_branches(leapt, room, params, full=True)
    assert len(full.jumped) == leapt.jumped[leapt.used].sum()
    assert len(full.steady) + len(full.jumped) == len(leapt) - 1


def test_the_legend_names_what_is_drawn(room: Environment) -> None:
    """Both parts of the tree have their colour, far apart in lightness; an entry stands there only if there are lines of it."""
    line = np.array([[0.0, -1.0], [0.3, -0.5]])
    for branches, labels in (
        (TreeBranches(), []),
        (TreeBranches([line]), ["search tree"]),
        (TreeBranches([], [line]), ["after a jump"]),
        (TreeBranches([line], [line]), ["search tree", "after a jump"]),
    ):
        figure = plan_figure(room, None, branches)
        shown = [text.get_text() for text in figure.legends[0].get_texts()]
        assert [label for label in shown if label in ("search tree", "after a jump")] == labels
        drawn = {one.get_gid(): one for one in figure.axes[0].collections if one.get_gid() in ("search", "jumped")}
        for gid, lines, colour in (("search", branches.steady, SEARCHED), ("jumped", branches.jumped, JUMPED)):
            assert len(drawn[gid].get_segments()) == len(lines)
            assert not lines or to_hex(drawn[gid].get_color()[0]) == colour
            assert all(np.allclose(one, 1e3 * line) for one in drawn[gid].get_segments())
    light, dark = (0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(to_rgb, (SEARCHED, JUMPED)))
    assert light - dark > 0.25
