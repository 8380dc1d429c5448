"""Scores and information gain of beliefs."""

import numpy as np
import pytest

from planner.mapping.belief import Belief, cumulative_scores, entropy
from planner.mapping.grid import CELLS, Outcomes

SHAPE = CELLS, CELLS


def drawn(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.random((*shape, *SHAPE)) < 0.2


def unweighted(matrix: np.ndarray, rubric: np.ndarray) -> float:
    """Paper 003, Eq. 33, as printed."""
    return float((rubric * matrix).sum() + ((1 - rubric) * (1 - matrix)).sum())


@pytest.mark.parametrize("prior", [0.1, 0.2, 0.5])
def test_score_of_prior_and_rubric(prior: float) -> None:
    """The prior scores 0, the rubric 100."""
    rubric = drawn(np.random.default_rng(1))
    assert Belief.blank(prior).score(rubric) == 0
    assert Belief(rubric, ~rubric, prior).score(rubric) == pytest.approx(100, abs=1e-10)


def test_scores_are_those_of_the_equations() -> None:
    """Scores after each deployment, and of a sequence, agree with Eqs. 31 to 33 for the full matrices."""
    rng = np.random.default_rng(2)
    rubric, belief = drawn(rng), Belief(drawn(rng), drawn(rng), 0.2)
    found = Outcomes(drawn(rng, 4), drawn(rng, 4), np.zeros(4, np.int64), np.zeros(4))
    prior = unweighted(np.full(SHAPE, 0.2), rubric)

    def expected(hits: np.ndarray, misses: np.ndarray) -> float:
        matrix = np.full(SHAPE, 0.2)
        matrix[misses] = 0
        matrix[hits] = 1
        return 100 * (unweighted(matrix, rubric) - prior) / (unweighted(rubric, rubric) - prior)

    after = [expected(belief.hits | found.hits[k], belief.misses | found.misses[k]) for k in range(4)]
    assert belief.scores_after(found, rubric) == pytest.approx(after, abs=1e-9)
    assert belief.after(found, 2).score(rubric) == pytest.approx(after[2], abs=1e-9)
    order = np.array([3, 0, 2])
    both = [expected(found.hits[order[:k]].any(axis=0), found.misses[order[:k]].any(axis=0)) for k in (1, 2, 3)]
    assert cumulative_scores(found, order, 0.2, rubric) == pytest.approx(both, abs=1e-9)


def test_a_cell_seen_again_gives_no_information() -> None:
    """The information gain is the entropy of the prior of the cells that are seen for the first time."""
    rng = np.random.default_rng(3)
    found = Outcomes(drawn(rng, 2), drawn(rng, 2), np.zeros(2, np.int64), np.zeros(2))
    blank = Belief.blank(0.2)
    bits = -(0.2 * np.log2(0.2) + 0.8 * np.log2(0.8))
    first = blank.information_gains(found)
    assert first == pytest.approx(bits * (found.hits | found.misses).sum(axis=(1, 2)))
    known = blank.after(found, 0)
    assert known.information_gains(found)[0] == 0
    assert known.information_gains(found)[1] < first[1]
    assert (entropy(0.5), entropy(0.0), entropy(1.0)) == (1, 0, 0)
