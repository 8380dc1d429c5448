"""Choice of the next deployment in an unknown environment, with its expected results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.mapping.belief import Belief
from planner.mapping.policies import PriorKnowledge, action_values, sample_outcomes
from surrogate.kernels.compiled import Floats

POLICIES = "monte-carlo", "information-gain", "random"
"""Policies that need no knowledge of the environment."""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A deployment, and its expected results: means over sampled environments."""

    launch: Floats
    """x, y [m], heading [rad], length, turn_at [m], turn [rad], as `Launch`; shape (6,)."""
    score: float
    """Gain of the score."""
    bits: float
    """Gain of information [bits]."""
    free: float
    """Number of cells found free for the first time."""
    hits: float
    """Number of cells found covered for the first time."""
    length: float
    """Length to which the tube grows [m]."""


def propose(known: PriorKnowledge, belief: Belief, policy: str, rng: np.random.Generator, threads: int = 1) -> Proposal:
    """Choose the next deployment as in the simulated study (`planner.mapping.policies.explore`).

    Args:
        policy: One of `POLICIES`.
        threads: Number of threads that simulate sampled environments.
    """
    sampled = sample_outcomes(known, belief, rng, threads)
    if policy == "random":
        worth = rng.random(len(known.actions.launches))
    else:
        worth = np.mean([action_values(policy, belief, *each) for each in sampled], axis=0)
    best, seen = int(worth.argmax()), belief.hits | belief.misses
    gains = [
        (
            belief.scores_after(found, sample.rubric)[best] - belief.score(sample.rubric),
            belief.information_gains(found)[best],
            (found.misses[best] & ~found.hits[best] & ~seen).sum(),
            (found.hits[best] & ~seen).sum(),
            found.length[best],
        )
        for sample, found in sampled
    ]
    return Proposal(known.actions.launches[best], *map(float, np.mean(gains, axis=0)))
