"""The solver of one step against other ways to solve the same quadratic programme, with dense matrices."""

from itertools import chain as chained
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls

import dynamics.cross_section as columns
from dynamics.chain import Chain
from dynamics.contact_rows import Contacts, new_contacts
from dynamics.quasistatic.complementarity import solve_step
from dynamics.quasistatic.dual import ContactNumbers, Dual, QuadraticStep, new_dual
from dynamics.quasistatic.factor import CREEP
from surrogate.kernels.compiled import Floats

COMPLIANCE = 1 / 2e5
GROWTH_FORCE, GROWTH_DAMPING = 25.0, 48.0


class Problem(NamedTuple):
    """minimise 1/2 (d - free)' D (d - free) + 1/2 s' s / compliance under gap + J d + s >= 0.

    d holds the bends and, last, the growth. The last two rows bound the growth and have no slack s.
    """

    jacobian: Floats
    gap: Floats
    stiffness: Floats
    """Diagonal of D."""
    free: Floats
    compliance: Floats
    """Compliance of each row; 0 for the last two."""
    contacts: Contacts
    chain: Chain


def random_problem(rng: np.random.Generator, most_contacts: int, nearly_dependent: bool = False) -> Problem:
    """A vine as it lies against things, with a dense J built from contact points and normals, not from prefix sums."""
    segments, count = int(rng.integers(1, 30)), int(rng.integers(1, most_contacts + 1))
    heading = rng.uniform(-np.pi, np.pi) + np.cumsum(rng.normal(0, 0.2, segments))
    direction = np.column_stack([np.cos(heading), np.sin(heading)])
    joints = rng.uniform(-1, 1, 2) + np.vstack([np.zeros(2), np.cumsum(0.025 * direction, axis=0)])
    segment = rng.integers(0, segments, count)
    point = joints[segment] + rng.uniform(0, 0.025, (count, 1)) * direction[segment]
    angle = rng.uniform(-np.pi, np.pi, count)
    gap = rng.uniform(-2e-3, 8e-3, count)
    if nearly_dependent:  # rows in twos and threes, a micrometre and a microradian apart
        source = rng.integers(0, max(count // 3, 1), count)
        segment, point = segment[source], point[source] + rng.normal(0, 1e-6, (count, 2))
        angle, gap = angle[source] + rng.normal(0, 1e-6, count), gap[source] + rng.normal(0, 1e-7, count)
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    tip = segment == segments - 1
    advance = np.where(tip, (normal * direction[segment]).sum(axis=1), 0.0)

    jacobian = np.zeros((count + 2, segments + 1))
    for k in range(count):
        for j in range(segment[k] + 1):
            lever = point[k] - joints[j]
            jacobian[k, j] = normal[k] @ np.array([-lever[1], lever[0]])
    jacobian[:count, -1] = advance
    jacobian[count:, -1] = -1.0, 1.0

    contacts = new_contacts(count + 2)
    contacts.segment[:] = [*segment, 0, 0]
    contacts.alpha[:] = [*(point[:, 0] * normal[:, 1] - point[:, 1] * normal[:, 0]), 0, 0]
    contacts.beta[:] = [*(-normal[:, 1]), 0, 0]
    contacts.gamma[:] = [*normal[:, 0], 0, 0]
    contacts.growth[:] = [*advance, -1, 1]
    contacts.pressing[:, columns.COMPLIANCE] = COMPLIANCE
    contacts.gap[:] = [*gap, rng.choice([0.0, 4e-3]), 0.0]
    return Problem(
        jacobian,
        contacts.gap.copy(),
        np.append(10 ** rng.uniform(-0.5, 1.2, segments), GROWTH_DAMPING),
        np.append(rng.normal(0, 0.03, segments), GROWTH_FORCE / GROWTH_DAMPING),
        np.append(np.full(count, COMPLIANCE), [0.0, 0.0]),
        contacts,
        Chain(
            joints[:, 0].copy(),
            joints[:, 1].copy(),
            direction[:, 0].copy(),
            direction[:, 1].copy(),
            np.full(segments, 0.025),
            np.full(segments, 0.025),
            joints[:-1, 0].copy(),
            joints[:-1, 1].copy(),
            np.zeros(segments),
            np.ones(segments),
        ),
    )


def solve(problem: Problem, guess: NDArray[np.int64] | None = None) -> tuple[Floats, Floats]:
    """Bends and growth, and the force on every row, by the code under test."""
    guess = np.empty(0, np.int64) if guess is None else guess
    segments, rows = len(problem.free) - 1, len(problem.gap)
    dual: Dual = new_dual(rows, segments)
    dual.active[: len(guess)] = guess
    step = QuadraticStep(1 / problem.stiffness[:-1], problem.free[:-1].copy(), np.empty(segments))
    numbers = ContactNumbers(rows, rows - 2, segments, problem.free[-1], 1 / problem.stiffness[-1], 0.0)
    growth, active, solved = solve_step(problem.contacts, problem.chain, step, dual, numbers, len(guess), True, 0)
    assert solved
    force = np.zeros(rows)
    force[dual.active[:active]] = dual.force[dual.active[:active]]
    np.testing.assert_array_equal(force, dual.force)
    return np.append(step.bend, growth), force


def least_distance(problem: Problem) -> Floats:
    """Solve it by Lawson and Hanson's least distance programming: one non-negative least squares in the primal.

    In u = (sqrt(D) (d - free), s / sqrt(compliance)) the objective is |u|^2 / 2 and the rows are G u >= h.
    """
    root = np.sqrt(problem.stiffness)
    rows = np.hstack([problem.jacobian / root, np.diag(np.sqrt(problem.compliance))[:, problem.compliance > 0]])
    right = -(problem.gap + problem.jacobian @ problem.free)
    scale = np.abs(right).max()  # u / scale solves the problem with h / scale: keeps nnls well conditioned
    matrix = np.vstack([rows.T, right / scale])
    target = np.zeros(len(matrix))
    target[-1] = 1.0
    weights, _ = nnls(matrix, target, maxiter=100 * len(right))
    residual = matrix @ weights - target
    u = -scale * residual[:-1] / residual[-1]
    return problem.free + u[: len(root)] / root


def best_active_set(problem: Problem) -> Floats:
    """Solve it by trying every set of rows: the one whose forces push and whose gaps stay open solves the problem."""
    rows = len(problem.gap)
    delassus = (problem.jacobian / problem.stiffness) @ problem.jacobian.T + np.diag(problem.compliance)
    open_gap = problem.gap + problem.jacobian @ problem.free
    for active in chained.from_iterable(combinations(range(rows), size) for size in range(rows + 1)):
        chosen = list(active)
        if rows - 2 in chosen and rows - 1 in chosen:
            continue  # growth cannot be at both its bounds, unless they coincide; then one of them will do
        force = np.zeros(rows)
        force[chosen] = np.linalg.solve(delassus[np.ix_(chosen, chosen)], -open_gap[chosen])
        if (force >= 0).all() and (open_gap + delassus @ force >= -1e-10).all():
            return problem.free + problem.jacobian.T @ force / problem.stiffness
    raise AssertionError("no set of rows solves the problem")


@pytest.mark.parametrize("nearly_dependent", [False, True])
def test_step_agrees_with_least_distance_programming(nearly_dependent: bool) -> None:
    """On 200 random problems of up to 40 contacts growth and bends agree with SciPy's nnls to 1e-7."""
    rng = np.random.default_rng(10 + nearly_dependent)
    touching = 0
    for _ in range(200):
        problem = random_problem(rng, 40, nearly_dependent)
        found, force = solve(problem)
        np.testing.assert_allclose(found, least_distance(problem), atol=1e-7)
        touching += (force[:-2] > 0).sum() >= 2
    assert touching > 80


def test_step_agrees_with_enumeration() -> None:
    """On 100 random problems of up to 6 contacts growth and bends agree with the best of all active sets to 1e-7."""
    rng = np.random.default_rng(12)
    for _ in range(100):
        problem = random_problem(rng, 6)
        np.testing.assert_allclose(solve(problem)[0], best_active_set(problem), atol=1e-7)


@pytest.mark.parametrize("nearly_dependent", [False, True])
def test_forces_push_and_close_gaps(nearly_dependent: bool) -> None:
    """Forces never pull, gaps never end below their compliance, and only closed gaps carry a force."""
    rng = np.random.default_rng(13)
    for _ in range(200):
        problem = random_problem(rng, 40, nearly_dependent)
        found, force = solve(problem)
        gap = problem.gap + problem.jacobian @ found + problem.compliance * force
        assert (force >= 0).all()
        assert gap.min() >= -2e-8
        assert np.abs(gap[force > 0]).max(initial=0.0) < 2e-8
        expected = problem.free + problem.jacobian.T @ force / problem.stiffness
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("nearly_dependent", [False, True])
def test_guess_changes_nothing(nearly_dependent: bool) -> None:
    """Growth and bends do not depend on the rows that the solver starts from, to 1e-7."""
    rng = np.random.default_rng(14)
    for _ in range(200):
        problem = random_problem(rng, 20, nearly_dependent)
        cold, force = solve(problem)
        rows = len(problem.gap)
        for guess in (np.flatnonzero(force > 0), rng.permutation(rows)[: rng.integers(1, rows + 1)]):
            np.testing.assert_allclose(solve(problem, guess)[0], cold, atol=1e-7)


def test_without_contacts_nothing_holds_the_vine() -> None:
    """Gaps far open leave every bend as it wants to be and the growth at its bound."""
    problem = random_problem(np.random.default_rng(15), 5)
    problem.contacts.gap[:] = problem.gap[:] = [*np.full(len(problem.gap) - 2, 10.0), 4e-3, 0.0]
    found, force = solve(problem)
    np.testing.assert_allclose(found, [*problem.free[:-1], 4e-3], atol=1e-8)
    assert not force[:-2].any()
    assert force[-2] == pytest.approx(GROWTH_FORCE - 4e-3 * GROWTH_DAMPING)


def test_wall_ahead_holds_the_tip_with_the_growth_force() -> None:
    """A straight tube head-on against a wall it touches does not grow, and the wall holds the whole growth force."""
    problem = random_problem(np.random.default_rng(16), 1)
    contacts, chain = new_contacts(3), problem.chain
    tip, along = np.array([chain.x[-1], chain.y[-1]]), np.array([chain.cosine[-1], chain.sine[-1]])
    contacts.segment[:] = [len(chain.cosine) - 1, 0, 0]
    contacts.alpha[:] = [-tip[0] * along[1] + tip[1] * along[0], 0, 0]
    contacts.beta[:], contacts.gamma[:] = [along[1], 0, 0], [-along[0], 0, 0]
    contacts.growth[:], contacts.gap[:] = [-1, -1, 1], [0, 4e-3, 0]
    stiff = problem._replace(contacts=contacts, stiffness=np.append(np.full(len(chain.cosine), 1e12), GROWTH_DAMPING))
    stiff = stiff._replace(free=np.append(np.zeros(len(chain.cosine)), problem.free[-1]), gap=contacts.gap.copy())
    found, force = solve(stiff)
    # What is left of the force pushes the tip by its compliance: lambda = F_g / (1 + compliance * damping).
    assert force[0] == pytest.approx(GROWTH_FORCE / (1 + COMPLIANCE * GROWTH_DAMPING), rel=1e-6)
    assert found[-1] == pytest.approx(COMPLIANCE * force[0], rel=1e-4)


@pytest.mark.parametrize("nearly_dependent", [False, True])
def test_rows_between_two_bounds_agree_with_bounded_least_squares(nearly_dependent: bool) -> None:
    """Half of the rows may pull as well as push, up to a bound: as the dual, solved with dense matrices by scipy's `lsq_linear`.

    Their residual is 0 inside the bounds, and has the sign with which the force resists at a bound.
    """
    rng, inside, at_bound = np.random.default_rng(17), 0, 0
    for _ in range(300):
        problem = random_problem(rng, 24, nearly_dependent)
        rows, segments = len(problem.gap) - 2, len(problem.free) - 1
        soft = rows // 2
        bound = np.concatenate(
            [np.full(soft, np.inf), rng.choice([0.0, 1.0, 10.0], rows - soft) * rng.uniform(0, 1, rows - soft)]
        )
        dual: Dual = new_dual(rows, segments)
        dual.lower[soft:], dual.upper[soft:] = -bound[soft:], bound[soft:]
        dual.force[soft:] = rng.choice([-1.0, 1.0], rows - soft)
        guess = np.flatnonzero((rng.uniform(size=rows) < 0.4) & (bound > 0))
        dual.active[: len(guess)] = guess
        step = QuadraticStep(1 / problem.stiffness[:-1], problem.free[:-1].copy(), np.empty(segments))
        numbers = ContactNumbers(rows, soft, segments, problem.free[-1], 1 / GROWTH_DAMPING, 0.0, rows - soft)
        growth, _, solved = solve_step(problem.contacts, problem.chain, step, dual, numbers, len(guess), True, 0)
        assert solved

        compliance = np.where(np.arange(rows) < soft, COMPLIANCE, CREEP)
        root = np.vstack([(problem.jacobian[:rows] / np.sqrt(problem.stiffness)).T, np.diag(np.sqrt(compliance))])
        right = -(problem.gap + problem.jacobian @ problem.free)[:rows]
        force, motion = dual.force, problem.gap[:rows] + problem.jacobian[:rows] @ np.append(step.bend, growth)
        residual, boxed = motion + compliance * force, np.arange(rows) >= soft
        assert (np.abs(force[boxed]) <= bound[boxed]).all()
        stuck = boxed & (np.abs(force) < bound)
        np.testing.assert_allclose(residual[stuck], 0.0, atol=2e-8)
        assert (residual * np.sign(force))[boxed & ~stuck].max(initial=0.0) <= 1e-8
        assert residual[~boxed].min(initial=0.0) >= -1e-8
        np.testing.assert_allclose(residual[~boxed] * force[~boxed], 0.0, atol=1e-6)
        inside, at_bound = inside + stuck.sum(), at_bound + (boxed & ~stuck).sum()

        free = bound > 0  # lsq_linear needs bounds apart
        target = np.linalg.lstsq(root[:, free].T, right[free])[0]
        limits = np.where(boxed, -bound, 0.0)[free], bound[free]
        found = lsq_linear(root[:, free], target, limits, method="bvls", tol=1e-14, max_iter=1000)
        other = np.zeros(rows)
        other[free] = found.x
        # Rows that are nearly dependent share forces in many ways: the motion is unique.
        moved = problem.free + (problem.jacobian[:rows].T @ other) / problem.stiffness
        np.testing.assert_allclose(np.append(step.bend, growth), moved, atol=1e-6)
    assert inside > 200
    assert at_bound > 200
