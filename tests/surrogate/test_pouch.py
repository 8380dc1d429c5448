"""The analytic model of a pouch motor, Niiyama et al. 2015, and its table."""

import numpy as np
import pytest

from surrogate.force_table import ForceTable
from surrogate.kernels.compiled import Floats
from surrogate.pouch import PouchMotor, half_angle

POUCH = PouchMotor(seam=0.0)


def lens(theta: Floats, l_0: float, width: float) -> tuple[Floats, Floats]:
    """Length (chord) and volume of a pouch between two arcs of length l_0 and half angle theta."""
    radius = l_0 / (2 * theta)
    return 2 * radius * np.sin(theta), width * 2 * (radius**2 / 2 * (2 * theta - np.sin(2 * theta)))


@pytest.mark.parametrize(("l_0", "width"), [(0.02, 0.06), (0.05, 0.06), (0.03, 0.1)])
def test_force_is_the_work_of_the_pressure(l_0: float, width: float) -> None:
    """At the lens's strain the force is -P dV/dL, differentiated by a complex step: energy is conserved."""
    theta = np.linspace(0.3, 1.57, 200)
    h = 1e-30
    length, volume = lens(theta + 1j * h, l_0, width)
    expected = -volume.imag / length.imag
    force = PouchMotor(width, seam=0.0).force_per_pressure(1 - length.real / l_0, l_0)
    np.testing.assert_allclose(force, expected, rtol=1e-9, atol=1e-16)


def test_work_over_the_stroke_is_that_of_the_volume() -> None:
    """From 2 % of strain to full contraction the work of the force is P times the increase of volume, by quadrature."""
    l_0, strain = 0.04, np.linspace(0.02, 1 - 2 / np.pi, 200_001)
    work = l_0 * np.trapezoid(POUCH.force_per_pressure(strain, l_0), strain)
    ends = [half_angle(strain[0]), np.pi / 2]
    gain = np.diff([lens(theta, l_0, POUCH.width)[1] for theta in ends])
    assert work == pytest.approx(float(gain[0]), rel=1e-7)


def test_half_angle_inverts_the_strain() -> None:
    """Angles from nearly flat to round are recovered from their strains, for numbers and arrays."""
    theta = np.linspace(0.01, 0.99999 * np.pi / 2, 500)
    np.testing.assert_allclose(half_angle(1 - np.sin(theta) / theta), theta, rtol=1e-10)
    assert half_angle(0.0) == 0
    assert half_angle(1 - 2 / np.pi) == pytest.approx(np.pi / 2, rel=1e-12)


@pytest.mark.parametrize("strain", [-1e-9, 0.37, np.nan, [0.1, 0.5]])
def test_half_angle_refuses_strains_out_of_range(strain: float | list[float]) -> None:
    """A strain below zero or beyond full contraction raises a ValueError that gives the range."""
    with pytest.raises(ValueError, match=r"strain must lie between 0 and 0\.3634"):
        half_angle(strain)


def test_force_of_taut_film_is_linear() -> None:
    """Force and slope are continuous at the taut strain; below it the force is linear."""
    h, taut = 1e-6, POUCH.taut_strain
    at, above, below = (POUCH.force_per_pressure(taut + shift, 0.04) for shift in (0.0, h, -h))
    slope = (above - at) / h
    assert (at - below) / h == pytest.approx(slope, rel=1e-3)
    for strain in (0.0, -0.1):
        assert POUCH.force_per_pressure(strain, 0.04) == pytest.approx(at + slope * (strain - taut), rel=1e-3)


def test_slack_pouch_has_no_force() -> None:
    """The force is zero beyond full contraction and positive just before it."""
    force = POUCH.force_per_pressure([0.363, 1 - 2 / np.pi, 0.4, 2.0], 0.04)
    assert force[0] > 0
    np.testing.assert_array_equal(force[1:], 0.0)


@pytest.mark.parametrize("taut_strain", [1e-3, 1e-2])
def test_table_agrees_with_the_closed_form(taut_strain: float) -> None:
    """Up to 98 % of full contraction the table's error is below 1e-3; with the default taut strain, below 3e-4."""
    rng = np.random.default_rng(0)
    theta = np.concatenate([rng.uniform(0.07, 1.57, 20_000), np.geomspace(0.078, 0.3, 20_000)])
    strain = 1 - np.sin(theta) / theta
    use = (strain > taut_strain) & (strain < 0.98 * (1 - 2 / np.pi))
    theta, strain = theta[use], strain[use]
    l_0 = rng.uniform(0.015, 0.1, len(theta))
    force, _ = ForceTable(PouchMotor(taut_strain=taut_strain, seam=0.0).tabulate())(strain, l_0)
    np.testing.assert_allclose(force, 60e-3 * l_0 * np.cos(theta) / theta, rtol=1e-3 if taut_strain < 1e-2 else 3e-4)


def test_table_extrapolates_like_the_model() -> None:
    """The table agrees with the model for stretched film and beyond full contraction."""
    table = ForceTable(POUCH.tabulate())
    strain, l_0 = np.array([-1.0, -0.1, 0.0, 5e-3])[:, None], np.array([0.02, 0.033, 0.06])
    np.testing.assert_allclose(table(strain, l_0)[0], POUCH.force_per_pressure(strain, l_0), rtol=1e-9)
    for part in table([0.3635, 1.0], 0.04):
        np.testing.assert_array_equal(part, 0.0)


def test_no_pouch_is_longer_than_wide() -> None:
    """The grid ends at the pouch's width, or at 60 mm."""
    assert PouchMotor(40e-3, seam=0.0).grid.l_0[[0, -1]] == pytest.approx([0.02, 0.04])
    assert PouchMotor(90e-3, seam=0.0).grid.l_0[[0, -1]] == pytest.approx([0.02, 0.06])
