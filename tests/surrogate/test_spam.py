"""The analytic model of a sPAM cell, paper 002, Eq. 1."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad

from surrogate.actuators import Limits
from surrogate.force_table import ForceTable
from surrogate.spam import LEAST_ELASTICITY, Spam, cell_state, contraction, saturated_cell, unsaturated_cell

Reference = Callable[[str], dict[str, np.ndarray]]

GEOMETRY = Spam()


def test_cell_state_agrees_with_the_reference_table(reference: Reference) -> None:
    """Every column of the 40-digit reference is reproduced to 1e-9, on both sides of saturation."""
    table = reference("spam_reference")
    state = cell_state(table["m"], table["l0_m"], GEOMETRY)
    assert np.array_equal(state.saturated, table["saturated"] == 1)
    assert 20 < state.saturated.sum() < 106  # both branches are in the table
    np.testing.assert_allclose(state.phi, table["phi_rad"], rtol=1e-9)
    np.testing.assert_allclose(state.active_length, table["active_length_m"], rtol=1e-9)
    np.testing.assert_allclose(state.strain, table["strain"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state.force_per_pressure, table["force_per_pressure_m2"], rtol=1e-9, atol=1e-18)


@pytest.mark.parametrize("seed", range(4))
def test_cell_state_solves_the_equations_of_the_paper(seed: int) -> None:
    """Eqs. 1a, 1b and 1d hold for other geometries too, with the elliptic integrals taken by quadrature."""
    rng = np.random.default_rng(seed)
    geometry = Spam(rng.uniform(3e-3, 7e-3), rng.uniform(12e-3, 25e-3), 10 ** rng.uniform(-5, -3))
    r_c, a = geometry.constriction_radius, geometry.film_elasticity
    m, l_0 = rng.uniform(0.01, 0.5, 12), rng.uniform(0.02, 0.08, 12)
    state = cell_state(m, l_0, geometry)
    for k in range(len(m)):
        phi, l_a = state.phi[k], state.active_length[k]
        first = quad(lambda t, m=m[k]: 1 / np.sqrt(1 - m * np.sin(t) ** 2), 0, phi, epsabs=1e-13)[0]
        second = quad(lambda t, m=m[k]: np.sqrt(1 - m * np.sin(t) ** 2), 0, phi, epsabs=1e-13)[0]
        bottom = np.sqrt(m[k]) * np.cos(phi)
        assert (second - first / 2) / bottom == pytest.approx(
            l_a / (2 * r_c) * (1 - l_0[k] / l_a * state.strain[k]), rel=1e-9
        )
        assert first / bottom == pytest.approx(l_a / r_c * (1 + a / (2 * m[k] * np.cos(phi) ** 2)), rel=1e-9)
        assert state.force_per_pressure[k] == pytest.approx(np.pi * r_c**2 * (1 - 2 * m[k]) / (2 * bottom**2), rel=1e-9)
        if state.saturated[k]:
            assert np.cos(phi) == pytest.approx(r_c / geometry.tube_radius, rel=1e-12)
            assert l_a <= l_0[k]
        else:
            assert l_a == l_0[k]
            assert np.cos(phi) >= r_c / geometry.tube_radius


def test_strain_increases_and_force_decreases_with_m() -> None:
    """Both are strictly monotonic in m for every fabricable cell length, so the inverse is unique."""
    m = np.linspace(0.002, 0.5, 800)
    state = cell_state(m, np.arange(20, 81)[:, None] * 1e-3, GEOMETRY)
    assert state.saturated.any(axis=1).sum() > 30
    assert np.all(np.diff(state.strain, axis=1) > 0)
    assert np.all(np.diff(state.force_per_pressure, axis=1) < 0)
    np.testing.assert_array_equal(state.force_per_pressure[:, -1], 0.0)


def test_branches_meet_where_the_cell_saturates() -> None:
    """At saturation both branches give the same cell."""
    m = np.linspace(0.05, 0.45, 9)
    l_0 = saturated_cell(m, 1.0, GEOMETRY).active_length
    saturated, unsaturated = saturated_cell(m, l_0, GEOMETRY), unsaturated_cell(m, l_0, GEOMETRY)
    np.testing.assert_allclose(unsaturated.phi, saturated.phi, rtol=1e-9)
    np.testing.assert_allclose(unsaturated.strain, saturated.strain, rtol=1e-9)
    np.testing.assert_allclose(unsaturated.force_per_pressure, saturated.force_per_pressure, rtol=1e-9)


def test_contraction_inverts_the_reference_table(reference: Reference) -> None:
    """m of the reference is recovered from its strains."""
    table = reference("spam_reference")
    inside = table["m"] < 0.5  # at full contraction a rounded strain may lie outside
    m = contraction(table["strain"][inside], table["l0_m"][inside], GEOMETRY)
    np.testing.assert_allclose(m, table["m"][inside], rtol=1e-7)


@pytest.mark.parametrize("m", [0.1, 0.45])
def test_scalars_and_arrays_give_the_same(m: float) -> None:
    """Scalar m and l_0 give the same result as arrays of one element, for the model and its inverse."""
    state, alike = cell_state(m, 0.06, GEOMETRY), cell_state([m], [0.06], GEOMETRY)
    assert float(state.strain) == alike.strain[0]
    assert float(contraction(state.strain, 0.06, GEOMETRY)) == pytest.approx(m, rel=1e-9)


@pytest.mark.parametrize(
    ("strain", "l_0"), [([0.5], 0.04), ([-0.5], 0.04), ([0.1, 0.5], [0.04, 0.04]), ([np.nan], 0.04)]
)
def test_contraction_refuses_strains_out_of_range(strain: list[float], l_0: float | list[float]) -> None:
    """A strain beyond full contraction, or far below zero, raises a ValueError that gives the range."""
    with pytest.raises(ValueError, match=r"strain must lie between -0\..* and 0\."):
        contraction(strain, l_0, GEOMETRY)


@pytest.mark.parametrize("elasticity", [LEAST_ELASTICITY, 1e-5, 5e-4])
def test_films_from_stiff_to_soft(elasticity: float) -> None:
    """Every cell has a state from a stretched film to nearly full contraction; the table agrees with it where the film is not stretched."""
    geometry = Spam(film_elasticity=elasticity)
    l_0 = np.linspace(20e-3, 80e-3, 25)[:, None]
    slack = np.append(0.0, np.geomspace(1e-4, 0.98, 60)) * geometry.full_contraction(l_0)
    strain = np.concatenate([np.linspace(-0.03, -0.001, 7) * np.ones(l_0.shape), slack], axis=1)
    state = geometry.cell_at(strain, l_0)
    np.testing.assert_allclose(state.strain, strain, atol=1e-9)
    assert np.all(np.diff(state.force_per_pressure, axis=1) < 0)
    np.testing.assert_allclose(
        ForceTable(geometry.tabulate())(slack, l_0)[0], state.force_per_pressure[:, 7:], rtol=1.5e-3
    )


@pytest.mark.parametrize(
    ("shape", "cells", "words"),
    [
        ({"film_elasticity": 1e-7}, {}, r"spam\.film_elasticity = 1e-07 must be at least 1e-06: the forces of stiffer films"),
        ({"film_elasticity": 2e-3}, {}, r"spam\.film_elasticity = 0\.002 must be at most 0\.00165 for limits\.shortest_cell = 0\.02, "),
        ({"constriction_radius": 1e-3}, {"longest_cell": 0.2}, r"= 0\.0001 must be at most 1\.73e-05 for .* limits\.longest_cell = 0\.2 "),
        (
            {"film_elasticity": 1e-3},
            {"shortest_cell": 0.5e-3},
            r"must be at most 0\.000934 for limits\.shortest_cell = 0\.0005, .* spam\.constriction_radius = 0\.005$",
        ),
    ],
)  # fmt: skip
def test_films_without_a_state_are_refused(shape: dict[str, float], cells: dict[str, float], words: str) -> None:
    """The message gives the number, its limit, and what the limit depends on."""
    with pytest.raises(ValueError, match=words):
        Spam(**shape, limits=Limits(**cells))


@pytest.mark.parametrize(
    ("radius", "shortest", "longest"), [(5e-3, 20e-3, 80e-3), (8e-3, 2e-3, 3e-3), (1e-3, 5e-3, 0.3)]
)
def test_the_softest_film_that_is_allowed_can_be_tabulated(radius: float, shortest: float, longest: float) -> None:
    """At the limit of the message all tables are finite, and cells contract; a percent above it, the film is refused."""
    limits = Limits(shortest_cell=shortest, longest_cell=longest)

    def made(elasticity: float) -> Spam:
        return Spam(radius, film_elasticity=elasticity, limits=limits)

    with pytest.raises(ValueError, match="must be at most") as caught:
        made(1.0)
    most = float(str(caught.value).split("must be at most ")[1].split()[0])
    table = made(most).tabulate()
    assert all(np.isfinite(part).all() for part in table)
    assert (table.longest_strain > 0).all()
    with pytest.raises(ValueError, match="must be at most"):
        made(1.01 * most)
