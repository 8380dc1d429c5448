"""The derived model of a cPAM; its work is compared with its volume in `test_conformance`."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from surrogate.cpam import Cpam, _sides, side_force
from surrogate.pouch import FULL_CONTRACTION, PouchMotor

CPAM = Cpam(seam=0.0)


def test_a_wide_pouch_is_a_pouch_motor() -> None:
    """The force of the sides does not depend on the width: the error of the pouch motor's law falls with its inverse."""
    strain, l_0 = np.linspace(0.02, 0.33, 30), 0.03
    errors = []
    for width in (0.3, 3.0, 30.0):
        plain = PouchMotor(width, seam=0.0).force_per_pressure(strain, l_0)
        errors.append(np.abs(Cpam(width, seam=0.0).force_per_pressure(strain, l_0) / plain - 1).max())
        assert Cpam(width, seam=0.0).full_contraction(l_0) < FULL_CONTRACTION
    assert errors[1] == pytest.approx(errors[0] / 10, rel=1e-3)
    assert errors[2] == pytest.approx(errors[0] / 100, rel=1e-3)
    assert Cpam(30.0, seam=0.0).full_contraction(l_0) == pytest.approx(FULL_CONTRACTION, abs=1e-3)


def test_sides_of_a_flat_pouch() -> None:
    """Both sides that are half circles form a spindle of revolution, of volume pi l_0^3 b / (4 theta^3).

    With b = sin - sin^3 / 3 - theta cos; so the force of both begins at P pi l_0^2 / 5.
    """
    theta = np.linspace(0.05, 0.85, 30)
    b = np.sin(theta) - np.sin(theta) ** 3 / 3 - theta * np.cos(theta)
    volume_slope = np.pi / 4 * (theta * (theta * np.sin(theta) - np.sin(theta) ** 2 * np.cos(theta)) - 3 * b) / theta**4
    length_slope = (theta * np.cos(theta) - np.sin(theta)) / theta**2
    np.testing.assert_allclose(side_force(theta), -volume_slope / length_slope, rtol=1e-7)
    assert side_force(np.array([1e-2]))[0] == pytest.approx(np.pi / 5, rel=1e-3)


@pytest.mark.parametrize("theta", [0.5, 0.95, 1.3, 1.5, 1.56, 1.5705])
def test_force_of_the_sides_by_adaptive_quadrature(theta: float) -> None:
    """The quadrature and its spline agree with an adaptive one, to where the film of the fold is taut across the pouch."""
    film = 2 / np.pi

    def integrand(u: float) -> float:
        t = (np.cos(u) - np.cos(theta)) / theta
        if t < 2 * film / np.pi:
            slope = np.pi * t / 4
        else:
            psi = brentq(lambda p: np.sinc(p / np.pi) - t / film, 0, np.pi / 2 + 1e-9)
            slope = -film * np.cos(psi) / (2 * psi)
        return float(slope * (np.cos(u) * (np.cos(theta) / theta + np.sin(theta)) - 1 / theta) * 2 / theta**2)

    breaks = [np.arccos(min(np.cos(theta) + 2 * film / np.pi * theta, 1.0)), 0.01 * theta, 0.1 * theta]
    total = quad(integrand, 0, theta, points=sorted(breaks), epsabs=1e-11, limit=400)[0]
    expected = -total * theta**2 / (theta * np.cos(theta) - np.sin(theta))
    assert side_force(np.array([theta]))[0] == pytest.approx(expected, abs=1e-6)
    assert float(_sides()(theta)) == pytest.approx(expected, abs=1e-5)


def test_sides_hold_the_pouch_back() -> None:
    """They add force where the pouch is flat, and full contraction is the less the longer the pouch is for its width."""
    l_0 = np.array([0.02, 0.04, 0.06])
    full = CPAM.full_contraction(l_0)
    assert np.all(np.diff(full) < 0)
    assert full[0] < FULL_CONTRACTION
    plain = PouchMotor(CPAM.width, seam=0.0)
    assert np.all(CPAM.force_per_pressure(0.05, l_0) > plain.force_per_pressure(0.05, l_0))
    assert np.all(CPAM.force_per_pressure(0.98 * full, l_0) < plain.force_per_pressure(0.98 * full, l_0))


def test_force_of_taut_film_is_linear() -> None:
    """Force and slope are continuous at the taut strain; below it the force is linear."""
    h, taut = 1e-6, CPAM.taut_strain
    at, above, below = (CPAM.force_per_pressure(taut + shift, 0.04) for shift in (0.0, h, -h))
    slope = (above - at) / h
    assert (at - below) / h == pytest.approx(slope, rel=1e-3)
    assert CPAM.force_per_pressure(-0.1, 0.04) == pytest.approx(at + slope * (-0.1 - taut), rel=1e-3)


def test_folds_do_not_overlap() -> None:
    """Each side is folded by l_0 / pi, at most half the width: the grid ends there."""
    for width in (20e-3, 30e-3, 60e-3):
        longest = Cpam(width, seam=0.0).grid.l_0[-1]
        assert Cpam(width, seam=0.0).fold_depth(longest) <= width / 2
    assert Cpam(20e-3, seam=0.0).fold_depth(Cpam(20e-3, seam=0.0).grid.l_0[-1] + 1e-3) > 10e-3
    assert Cpam(60e-3, seam=0.0).grid.l_0[-1] == pytest.approx(0.06)
