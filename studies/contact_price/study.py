"""Pairs of vines, one grown from the other, and the biarcs between their tips."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Integers
from environments import Environment
from planner.search.reverse.arc_collision import arc_scene, biarc_shares
from planner.search.reverse.arc_price import STRAIGHT
from planner.search.reverse.biarc import biarcs
from planner.search.sst import Search
from planner.search.tree import Tree
from studies.random_environments import make_random_environment
from surrogate.kernels.compiled import Floats

ITERATIONS, BATCH = 15, 100
"""Iterations of each search, and vines in each."""
SEGMENTS = 4, 40
"""Least and largest number of segments from one vine of a pair to the other."""
DRAWN = 1500
"""Number of vines drawn in each environment, each with one of its ancestors."""
MOST = 60
"""Maximum number of pairs that are kept of each kind, with a wall along an arc and without, in each environment."""
COLUMNS = "turn 1 [rad]", "share 1", "turn 2 [rad]", "share 2", "curvature [1/m]", "actuators", "length ratio"
"""Columns of the data: the angle of both arcs of a pair and the share of each along a wall on its outside; the larger curvature of its
curved arcs along a wall, or of all its curved arcs if none is; actuators of the vine, and its length over that of the biarc."""


def stored_pairs(path: Path) -> list[dict[str, Any]]:
    """Results of `pairs_of` from the data of an earlier report.

    Raises:
        ValueError: The file cannot be read, or is no such data.
    """
    try:
        environments = json.loads(path.read_text(encoding="utf-8"))["environments"]
        return [
            one | {"rows": [[float(value) for value in row.split()] for row in one["rows"]]} for one in environments
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: no data of `vinewright reproduce contact-price`: {error}") from None


def pairs_of(seed: int) -> dict[str, Any]:
    """Search in a random environment for a few iterations, and take pairs from its tree (see `pairs_in`).

    Returns:
        `seed`; `blocked`, the number of pairs whose biarc meets an obstacle, of `pairs`; `rows`, one of `COLUMNS` for each pair kept.
    """
    environment, params, rng = make_random_environment(seed), VineParams(), np.random.default_rng(seed)
    search = Search(environment, partial(QuasiStatic, threads=1)(environment, params), params, rng, BATCH)
    for _ in range(ITERATIONS):
        search.iterate()
    older, younger = _related(search.tree, rng)
    rows, free = pairs_in(search.tree, older, younger, environment, params)
    walled = (rows[:, [1, 3]] > 0).any(axis=1)
    kept = np.concatenate([np.flatnonzero(walled)[:MOST], np.flatnonzero(~walled)[:MOST]])
    return {
        "seed": seed,
        "pairs": len(free),
        "blocked": int((~free).sum()),
        "rows": [[float(f"{value:.4g}") for value in row] for row in rows[kept]],
    }


def _related(tree: Tree, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Random nodes, and of each a random ancestor within `SEGMENTS`; nodes without one are left out."""
    nodes = np.flatnonzero(tree.used & (tree.parent >= 0))
    older, younger = [], []
    for node in rng.permutation(nodes)[:DRAWN].tolist():
        ancestors, one = [], int(tree.parent[node])
        while one >= 0 and tree.segments[node] - tree.segments[one] <= SEGMENTS[1]:
            if tree.segments[node] - tree.segments[one] >= SEGMENTS[0]:
                ancestors.append(one)
            one = int(tree.parent[one])
        # A vine that snaps has left its biarc.
        if ancestors and not tree.jumped[node]:
            older.append(int(rng.choice(ancestors)))
            younger.append(node)
    return np.array(older, np.int64), np.array(younger, np.int64)


def pairs_in(
    tree: Tree, older: Integers, younger: Integers, environment: Environment, params: VineParams
) -> tuple[Floats, Any]:
    """The biarcs between the tips of vines and of their descendants.

    Returns:
        One row of `COLUMNS` for each pair whose biarc meets no obstacle; which of all pairs these are, shape (pairs,).
    """
    start, end = tree.tips[older], tree.tips[younger]
    arcs = biarcs(start, end)
    shares = biarc_shares(arc_scene(environment, params.clearance), params.clearance, start, end)
    free = np.isfinite(shares).all(axis=0)
    turn, bend = np.abs(arcs.sweep), np.abs(arcs.curvature)
    walled = (shares > 0) & (turn > STRAIGHT)
    counted = np.where(walled.any(axis=0), walled, turn > STRAIGHT)
    curvature = np.where(counted, bend, 0.0).max(axis=0)
    length = (tree.segments[younger] - tree.segments[older]) * params.segment_length
    actuators = (tree.actuators[younger] - tree.actuators[older]).astype(float)
    ratio = length / np.sum(arcs.length, axis=0)
    rows = np.column_stack([turn[0], shares[0], turn[1], shares[1], curvature, actuators, ratio])
    return rows[free], free
