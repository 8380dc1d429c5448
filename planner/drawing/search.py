"""Which part of a search tree a picture shows."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import centerlines
from environments.environment import Environment
from planner.search.tree import Tree, branches_of
from surrogate.compiled import Floats

MOST_SHAPES = 40
"""Maximum number of vines that a picture shows."""
NEAREST = 5
"""Number of vines that are chosen because they end nearest to the goal."""
SPACING = 0.03
"""Minimum distance of a shown tip from all vines chosen before, relative to the larger side of the bounds."""


def branches_to_draw(tree: Tree, environment: Environment, params: VineParams, full: bool = False) -> list[Floats]:
    """Lines of a search tree for a picture [m], each of shape (n, 2).

    By default these are the vines of few leaves, from the base to the tip: those that end nearest to the goal, then again and
    again the one whose tip is farthest from all vines chosen before. They cover what was searched.

    Args:
        full: Whether to return all branches instead (see `branches_of`).
    """
    if full:
        return branches_of(tree, environment.start, params)
    leaves = np.flatnonzero(tree.used & (tree.children == 0) & (tree.parent >= 0))
    bounds = environment.bounds
    spacing = SPACING * float((bounds[2:] - bounds[:2]).max())
    # One leaf in each cell of a grid is enough, which limits time and memory.
    _, first = np.unique(np.floor(tree.tips[leaves, :2] / spacing), axis=0, return_index=True)
    leaves = leaves[np.sort(first)]
    joints = centerlines(tree.state(leaves, params.segment_length), environment.start, params)
    tips = tree.tips[leaves, :2]
    to_goal, to_drawn = np.hypot(*(tips - environment.goal[:2]).T), np.full(len(leaves), np.inf)
    drawn: list[Floats] = []
    while len(drawn) < MOST_SHAPES and (free := to_drawn >= spacing).any():
        nearest = np.where(free, to_goal, np.inf).argmin()
        k = nearest if len(drawn) < NEAREST else to_drawn.argmax()
        drawn.append(joints[k][~np.isnan(joints[k, :, 0])])
        distances = np.linalg.norm(tips[:, None] - drawn[-1][::-2], axis=-1)
        to_drawn = np.minimum(to_drawn, distances.min(axis=1))
    return drawn
