"""Branches of a search tree for a picture, and their parts after a jump of the tip."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import centerlines
from environments.environment import Environment
from planner.drawing.search import TreeBranches
from planner.search.tree import Tree, branches_of
from surrogate.kernels.compiled import Floats

MOST_SHAPES = 40
"""Maximum number of vines that a picture shows."""
NEAREST = 5
"""Number of vines that are chosen because they end nearest to the goal."""
SPACING = 0.03
"""Minimum distance of a shown tip from all vines chosen before, relative to the larger side of the bounds."""


def select_branches(tree: Tree, environment: Environment, params: VineParams, full: bool = False) -> TreeBranches:
    """Select lines of a search tree for a picture.

    By default these are the vines of few leaves, from the base to the tip: those that end nearest to the goal, then again and
    again the one whose tip is farthest from all vines chosen before. They cover what was searched.

    Args:
        full: Whether to return all branches instead (see `branches_of`).
    """
    if full:
        marked, lines = tree.jumped[tree.used & (tree.parent >= 0)], branches_of(tree, environment.start, params)
        sides = ([line for line, mark in zip(lines, marked, strict=True) if mark == side] for side in (False, True))
        return TreeBranches(*sides)
    leaves = np.flatnonzero(tree.used & (tree.children == 0) & (tree.parent >= 0))
    bounds = environment.bounds
    spacing = SPACING * float((bounds[2:] - bounds[:2]).max())
    # One leaf in each cell of a grid is enough, which limits time and memory.
    _, first = np.unique(np.floor(tree.tips[leaves, :2] / spacing), axis=0, return_index=True)
    leaves = leaves[np.sort(first)]
    tips = tree.tips[leaves, :2]
    to_goal, to_drawn = np.hypot(*(tips - environment.goal[:2]).T), np.full(len(leaves), np.inf)
    drawn, steady, jumped = list[Floats](), list[Floats](), list[Floats]()
    while len(drawn) < MOST_SHAPES and (free := to_drawn >= spacing).any():
        nearest = np.where(free, to_goal, np.inf).argmin()
        k = nearest if len(drawn) < NEAREST else to_drawn.argmax()
        line = centerlines(tree.state(leaves[[k]], params.segment_length), environment.start, params)[0]
        drawn.append(line[~np.isnan(line[:, 0])])
        since = _steady(tree, int(leaves[k]))
        steady.append(drawn[-1][: since + 1])
        jumped.append(drawn[-1][since:])
        distances = np.linalg.norm(tips[:, None] - drawn[-1][::-2], axis=-1)
        to_drawn = np.minimum(to_drawn, distances.min(axis=1))
    return TreeBranches(*([line for line in lines if len(line) > 1] for lines in (steady, jumped)))


def _steady(tree: Tree, slot: int) -> int:
    """Return the number of segments of the last node on the way to a node whose vine has not jumped; the root's has not."""
    while tree.jumped[slot]:
        slot = int(tree.parent[slot])
    return int(tree.segments[slot])
