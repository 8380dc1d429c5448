"""The table that rollouts use instead of the analytic model."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from surrogate.force_table import LINEAR, ForceTable
from surrogate.kernels.compiled import Floats
from surrogate.spam import Spam, SpamState, cell_state, contraction, saturated_cell, unsaturated_cell

Reference = Callable[[str], dict[str, np.ndarray]]

GEOMETRY = Spam()


@pytest.fixture(scope="module")
def table() -> ForceTable:
    return ForceTable(GEOMETRY.tabulate())


def working_points(count: int, seed: int) -> tuple[Floats, Floats]:
    """Random strains and cell lengths of the working range: 20 to 80 mm, 0 to 98 % of full contraction."""
    rng = np.random.default_rng(seed)
    l_0 = rng.uniform(20e-3, 80e-3, count)
    return rng.uniform(0.0, 0.98, count) * cell_state(0.5, l_0, GEOMETRY).strain, l_0


def exact_force(strain: Floats, l_0: Floats) -> Floats:
    """F_t / P by the analytic model."""
    return cell_state(contraction(strain, l_0, GEOMETRY), l_0, GEOMETRY).force_per_pressure


def test_table_agrees_with_the_analytic_model(table: ForceTable) -> None:
    """The relative error to the analytic model is below 1e-3 at 10 000 random points of the working range."""
    strain, l_0 = working_points(10_000, seed=0)
    np.testing.assert_allclose(table(strain, l_0)[0], exact_force(strain, l_0), rtol=1e-3)


def test_table_agrees_with_the_reference(table: ForceTable, reference: Reference) -> None:
    """The table agrees with the 40-digit reference to 1e-3 over the working range, including saturated cells."""
    known = reference("spam_reference")
    full = dict(zip(known["l0_m"][known["m"] == 0.5], known["strain"][known["m"] == 0.5], strict=True))
    limit = np.array([0.98 * full[l_0] for l_0 in known["l0_m"]])
    use = (known["strain"] >= 0) & (known["strain"] <= limit)
    assert use.sum() > 70
    force, _ = table(known["strain"][use], known["l0_m"][use])
    np.testing.assert_allclose(force, known["force_per_pressure_m2"][use], rtol=1e-3)


def test_force_decreases_with_strain(table: ForceTable) -> None:
    """From taut to slack the force decreases strictly, for every cell length."""
    l_0 = np.linspace(20e-3, 80e-3, 61)[:, None]
    full = cell_state(0.5, l_0, GEOMETRY).strain
    force, slope = table(np.linspace(-0.2, 0.999, 3000) * full, l_0)
    assert np.all(np.diff(force, axis=1) < 0)
    assert np.all(slope < 0)
    assert np.all(force > 0)


def test_slope_is_the_derivative_of_the_force(table: ForceTable) -> None:
    """The slope is the finite difference of the table's force, and within 2 % that of the analytic model."""
    strain, l_0 = working_points(1000, seed=1)
    strain = np.clip(strain, 0.01, None)
    strain = np.minimum(strain, 0.97 * cell_state(0.5, l_0, GEOMETRY).strain)
    h = 1e-8
    slope = table(strain, l_0)[1]
    difference = (table(strain + h, l_0)[0] - table(strain - h, l_0)[0]) / (2 * h)
    # The table is piecewise linear: some differences span a node.
    close = np.isclose(difference, slope, rtol=1e-5)
    assert close.mean() > 0.99
    np.testing.assert_allclose(difference, slope, rtol=0.05)
    h = 1e-4
    exact = (exact_force(strain + h, l_0) - exact_force(strain - h, l_0)) / (2 * h)
    # The slope is discontinuous where the branches meet.
    assert np.isclose(slope, exact, rtol=0.02).mean() > 0.99


def test_taut_film_pulls_by_equation_1(table: ForceTable) -> None:
    """Below zero strain the relative error to the unsaturated branch of Eq. 1 is below 1e-3, at 10 000 points down to a strain of -0.5."""
    rng = np.random.default_rng(3)
    l_0, m = rng.uniform(20e-3, 80e-3, 10_000), np.geomspace(1e-4, 0.05, 10_000)
    taut = unsaturated_cell(m, l_0, GEOMETRY)
    use = taut.strain < 0
    assert np.count_nonzero(use & (taut.strain > -0.05)) > 3000
    assert taut.strain.min() < -0.5
    np.testing.assert_allclose(table(taut.strain[use], l_0[use])[0], taut.force_per_pressure[use], rtol=1e-3)


def test_taut_film_is_elastic_in_the_end(table: ForceTable) -> None:
    """The closed limit of Eq. 1 for m -> 0 is pi R_c^2 / a per strain: of the model within 1e-3, of the table's end exactly."""
    limit, l_0 = np.pi * 5e-3**2 / 1e-4, np.linspace(20e-3, 80e-3, 25)
    taut = unsaturated_cell(6e-5, l_0, GEOMETRY)
    np.testing.assert_allclose(taut.force_per_pressure / -taut.strain, limit, rtol=1e-3)
    for strain in (-0.081, -0.5, -10.0, -1e300):
        np.testing.assert_allclose(table(strain, l_0)[1], -limit, rtol=1e-9)


def test_film_becomes_taut_without_a_jump(table: ForceTable) -> None:
    """The force is continuous at zero strain, where it is the analytic one, and at the end of the table of taut film."""
    l_0 = np.linspace(20e-3, 80e-3, 25)
    np.testing.assert_allclose(table(0.0, l_0)[0], exact_force(np.zeros(25), l_0), rtol=1e-3)
    for strain in (0.0, -0.08):
        before, after = (table(strain + side, l_0)[0] for side in (-1e-12, 1e-12))
        np.testing.assert_allclose(before, after, rtol=1e-7)


def test_thin_long_cells_have_no_table_of_taut_film() -> None:
    """Eq. 1 has no unsaturated solution for them while the film stretches: their force is extrapolated linearly."""
    assert Spam(1e-3, 6e-3).tabulate().taut.size == 0


def test_without_a_table_of_taut_film_the_force_is_extrapolated_linearly(table: ForceTable) -> None:
    """The force is continuous at zero strain; below it increases with the slope at zero, which is bounded."""
    table = ForceTable(table.rows._replace(taut=LINEAR))
    l_0 = np.linspace(20e-3, 80e-3, 25)
    at_zero, slope = table(0.0, l_0)
    np.testing.assert_allclose(at_zero, exact_force(np.zeros(25), l_0), rtol=1e-3)
    for side in (-1e-12, 1e-12):
        np.testing.assert_allclose(table(side, l_0)[0], at_zero, rtol=1e-7)
    for strain in (-1e-3, -0.05, -1.0):
        force, steepness = table(strain, l_0)
        np.testing.assert_allclose(steepness, slope, rtol=1e-12)
        np.testing.assert_allclose(force, at_zero + strain * slope, rtol=1e-12)


def test_force_ends_at_full_contraction(table: ForceTable) -> None:
    """Beyond full contraction the cell is slack, with zero force and slope; just before it the force is positive."""
    l_0 = np.linspace(20e-3, 80e-3, 200)
    full = cell_state(0.5, l_0, GEOMETRY).strain
    for beyond in (1.0001, 1.1, 3.0):
        force, slope = table(beyond * full, l_0)
        assert not force.any()
        assert not slope.any()
    assert np.all(table(0.999 * full, l_0)[0] > 0)


def test_lower_branch_is_the_physical_one(table: ForceTable) -> None:
    """The force is the smaller of the saturated and unsaturated solutions, in the model and in the table."""
    strain, l_0 = working_points(150, seed=2)
    strain = np.clip(strain, 0.01, None)
    forces = np.empty((2, len(strain)))
    for row, branch in enumerate((saturated_cell, unsaturated_cell)):
        for k in range(len(strain)):

            def excess(m: float, branch: Callable[..., SpamState] = branch, k: int = k) -> float:
                return float(branch(m, l_0[k], GEOMETRY).strain) - strain[k]

            # A branch that cannot contract this far, although the other can, has zero force.
            m = brentq(excess, 1e-3, 0.5, xtol=1e-14) if excess(0.5) > 0 else 0.5
            forces[row, k] = branch(m, l_0[k], GEOMETRY).force_per_pressure
    weaker = forces.min(axis=0)
    assert 30 < (forces[0] < forces[1]).sum() < 120  # both occur
    np.testing.assert_allclose(exact_force(strain, l_0), weaker, rtol=1e-7)
    np.testing.assert_allclose(table(strain, l_0)[0], weaker, rtol=1e-3)


@pytest.mark.parametrize("l_0", [0.0149, 0.1001, -0.04, np.nan, [0.04, 0.2]])
def test_table_refuses_cells_outside_its_range(table: ForceTable, l_0: float | list[float]) -> None:
    """A cell length outside the table raises a ValueError with the allowed range."""
    with pytest.raises(ValueError, match="l_0 must lie between 15 and 100 mm"):
        table(0.1, l_0)
