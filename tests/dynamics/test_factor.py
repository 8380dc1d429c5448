"""The matrix of a step's contacts, and its factor when rows leave, against dense matrices."""

import numpy as np
import pytest

from dynamics.quasistatic.dual import ContactNumbers, Dual, new_dual
from dynamics.quasistatic.factor import CREEP, factor_from, remove, solve_active, sum_moments, tabulate
from surrogate.kernels.compiled import Floats
from tests.dynamics.test_complementarity import Problem, random_problem


def prepared(problem: Problem, boxed: int) -> tuple[Dual, ContactNumbers, Floats]:
    """Work space with all rows active, and the dense matrix of a problem of which the last contacts are rows of friction."""
    segments, rows = len(problem.free) - 1, len(problem.gap)
    dual: Dual = new_dual(rows, segments)
    soft = rows - 2 - boxed
    numbers = ContactNumbers(rows, soft, segments, problem.free[-1], 1 / problem.stiffness[-1], 0.0, boxed)
    sum_moments(dual.moments, 1 / problem.stiffness[:-1], problem.chain, segments)
    tabulate(problem.contacts, dual, rows)
    compliance = problem.compliance.copy()
    compliance[soft : rows - 2] = CREEP
    return dual, numbers, (problem.jacobian / problem.stiffness) @ problem.jacobian.T + np.diag(compliance)


@pytest.mark.parametrize("seed", range(5))
def test_the_factor_is_that_of_the_rows_that_are_left(seed: int) -> None:
    """After rows at the front, in the middle and at the end were removed one after the other."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 12)
    rows = len(problem.gap)
    dual, numbers, dense = prepared(problem, min(rng.integers(0, 4), rows - 2))
    count = rows - 1
    active = rng.permutation(count)
    dual.active[:count] = active
    factor_from(problem.contacts, dual, numbers, 0, count)
    left = active.tolist()
    for position in [0, count // 2, count - 3, 0]:
        if 0 <= position < count:
            count = remove(dual, position, count)
            del left[position]
        assert dual.active[:count].tolist() == left
        factor = np.tril(dual.factor[:count, :count])
        wanted = dense[np.ix_(left, left)]
        np.testing.assert_allclose(factor @ factor.T, wanted, rtol=1e-9, atol=1e-12 * np.abs(dense).max())
        np.testing.assert_allclose(dual.scale[:count], 1 / np.diag(factor), rtol=1e-12)


def test_active_gaps_are_closed() -> None:
    """The forces of the active rows times their matrix are minus their gaps."""
    rng = np.random.default_rng(7)
    problem = random_problem(rng, 8)
    dual, numbers, dense = prepared(problem, 0)
    count = len(problem.gap) - 1
    dual.active[:count] = rng.permutation(count)
    dual.free_gap[:] = rng.normal(0, 1e-3, len(dual.free_gap))
    factor_from(problem.contacts, dual, numbers, 0, count)
    solve_active(dual, count)
    rows = dual.active[:count]
    np.testing.assert_allclose(
        dense[np.ix_(rows, rows)] @ dual.trial[:count], -dual.free_gap[rows], rtol=1e-6, atol=1e-12
    )
