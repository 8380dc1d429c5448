"""The belief about an environment's cells, its score and its information gain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.mapping.grid import CELLS, Cells, Outcomes
from surrogate.kernels.compiled import Floats

PRIOR = 0.2
"""Prior probability that a cell is covered. The paper does not state its value; this one means mostly empty space."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """The results of all deployments, and the prior for unseen cells."""

    hits: Cells
    """Cells found to be covered by an obstacle, shape (CELLS, CELLS)."""
    misses: Cells
    """Cells found to be free, the same shape; a cell that is also a hit counts as a hit."""
    prior: float

    @classmethod
    def blank(cls, prior: float = PRIOR) -> Belief:
        """Return the belief before any deployment."""
        return cls(np.zeros((CELLS, CELLS), bool), np.zeros((CELLS, CELLS), bool), prior)

    def after(self, found: Outcomes, action: int) -> Belief:
        """Return the belief after a deployment."""
        return Belief(self.hits | found.hits[action], self.misses | found.misses[action], self.prior)

    @property
    def occupancy(self) -> Floats:
        """Probability that each cell is covered (paper 003, Eq. 31), shape (CELLS, CELLS)."""
        return np.where(self.hits, 1.0, np.where(self.misses, 0.0, self.prior))

    def score(self, rubric: Cells) -> float:
        """Weighted score relative to the truth: 0 for the prior, 100 for the rubric (paper 003, Eqs. 32 and 33)."""
        return float(_scores(self.hits[None], self.misses[None], self.prior, rubric)[0])

    def scores_after(self, found: Outcomes, rubric: Cells) -> Floats:
        """Score after each deployment if it were the next, shape (n,)."""
        return _scores(self.hits | found.hits, self.misses | found.misses, self.prior, rubric)

    def information_gains(self, found: Outcomes) -> Floats:
        """Entropy of the cells that each deployment would see for the first time [bits], shape (n,).

        All unseen cells have the same prior, so this is their number times the entropy of the prior.
        """
        fresh = (found.hits | found.misses) & ~(self.hits | self.misses)
        return entropy(self.prior) * fresh.sum(axis=(1, 2))


def entropy(belief: float) -> float:
    """Entropy of a cell [bits]."""
    return -sum(p * math.log2(p) for p in (belief, 1 - belief) if p > 0)


def cumulative_scores(found: Outcomes, order: np.ndarray, prior: float, rubric: Cells) -> Floats:
    """Scores after each of a sequence of deployments, shape (len(order),)."""
    hits, misses = (np.logical_or.accumulate(part[order]) for part in (found.hits, found.misses))
    return _scores(hits, misses, prior, rubric)


def _scores(hits: Cells, misses: Cells, prior: float, rubric: Cells) -> Floats:
    """Scores of a batch of beliefs, as sums of each cell's gain over the prior's unweighted score."""
    unseen = np.where(rubric, prior, 1 - prior)
    known = np.where(rubric, 1.0, 0.0) - unseen, np.where(rubric, 0.0, 1.0) - unseen
    gained = [
        part.reshape(len(part), -1) @ each.ravel() for part, each in zip((hits, misses & ~hits), known, strict=True)
    ]
    # The denominator is the difference of the unweighted scores of rubric and prior.
    return 100 * (gained[0] + gained[1]) / (1 - unseen).sum()
