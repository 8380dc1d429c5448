"""Seams between chambers: lengths of a cell that do not shorten."""

from typing import Any

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from surrogate.actuators import cell_range
from surrogate.cpam import Cpam
from surrogate.force_table import ForceTable
from surrogate.pouch import PouchMotor, half_angle
from surrogate.spam import Spam

SEALED: list[Any] = [PouchMotor, Cpam, Spam]


@pytest.mark.parametrize("make", SEALED)
def test_a_cell_pulls_as_its_chamber_does(make: Any) -> None:
    """One contraction [m] gives one force, with or without a seam in series, in the model and in the table."""
    plain, sealed = make(seam=0.0), make(seam=6e-3)
    chamber = np.array([0.022, 0.04, 0.058])[:, None]
    cell, share = chamber + 6e-3, np.linspace(0.02, 0.97, 25)
    strain = share * plain.full_contraction(chamber)
    expected = plain.force_per_pressure(strain, chamber)
    shortened = strain * chamber / cell
    np.testing.assert_allclose(sealed.force_per_pressure(shortened, cell), expected, rtol=1e-9)
    np.testing.assert_allclose(ForceTable(sealed.tabulate())(shortened, cell)[0], expected, rtol=1e-3)


@pytest.mark.parametrize("make", SEALED)
def test_the_work_of_a_cell_does_not_depend_on_its_seam(make: Any) -> None:
    """The work per pressure over the stroke is the gain of volume of the chamber, whatever the seam: by quadrature over contraction."""
    found = []
    for seam in (0.0, 3e-3, 8e-3):
        actuator, cell = make(seam=seam), 0.04 + seam
        strain = np.linspace(0.02 * 0.04 / cell, float(actuator.full_contraction(cell)), 4001)
        found.append(cell * np.trapezoid(actuator.force_per_pressure(strain, cell), strain))
    assert found[1:] == pytest.approx(found[:1] * 2, rel=1e-4)


@pytest.mark.parametrize("make", SEALED)
def test_taut_cells_stretch_over_their_chamber(make: Any) -> None:
    """Bent against its pull, a cell with a seam is stiffer than without, as only its chamber stretches."""
    plain, sealed = make(seam=0.0), make(seam=6e-3)
    forces = [ForceTable(one.tabulate())(-0.02, 0.04 + one.seam)[0] for one in (plain, sealed)]
    at_chamber = ForceTable(plain.tabulate())(-0.02 * 0.046 / 0.04, 0.04)[0]
    assert forces[1] == pytest.approx(at_chamber, rel=5e-3)
    assert forces[1] > forces[0]


@pytest.mark.parametrize("make", SEALED)
def test_the_least_cell_is_the_least_chamber_and_a_seam(make: Any) -> None:
    """All cells of the grid, and the range of the table, are longer by the seam."""
    plain, sealed = make(seam=0.0), make(seam=6e-3)
    assert sealed.grid.l_0 == pytest.approx(plain.grid.l_0 + 6e-3)
    assert cell_range(sealed) == pytest.approx([end + 6e-3 for end in cell_range(plain)])


@pytest.mark.parametrize("make", [PouchMotor, Cpam])
def test_a_seam_straightens_the_tube(make: Any) -> None:
    """The tube's curvature falls with the seam, at equal cells and pressure; in the limit of a full contraction by the chamber's share."""
    bends = []
    for seam in (0.0, 2e-3, 5e-3, 8e-3):
        params = VineParams(actuator=make(seam=seam))
        bends.append(float(free_curvature(joint_moments(params), 3e4, 0.045)))
    assert np.all(np.diff(bends) < -0.02)


def test_the_default_bar_is_five_millimetres() -> None:
    """Sealed actuators have a seam of 5 mm, brackets and fabric none."""
    assert [PouchMotor().seam, Cpam().seam, Spam().seam] == [5e-3, 5e-3, 0.0]


@pytest.mark.parametrize("theta", [0.2, 0.8, 1.5])
def test_a_pouch_stands_out_by_twice_its_sagitta(theta: float) -> None:
    """A lens of two arcs with the half angle theta is 2 r (1 - cos(theta)) high, of the radius r = l / (2 theta)."""
    for make in (PouchMotor, Cpam):
        one = make(seam=4e-3)
        chamber, cell = 0.04, 0.044
        strain = (1 - np.sin(theta) / theta) * chamber / cell
        radius = chamber / (2 * theta)
        assert float(half_angle(1 - np.sin(theta) / theta)) == pytest.approx(theta, rel=1e-9)
        assert float(one.film_radius(strain, cell)) == pytest.approx(radius, rel=1e-9)
        assert float(one.thickness(strain, cell)) == pytest.approx(2 * radius * (1 - np.cos(theta)), rel=1e-9)


def test_a_spam_is_as_thick_as_its_tube_where_it_is_saturated() -> None:
    """Long cells reach the tube's radius; short ones at small strains do not, and none is thinner than its constriction."""
    spam = Spam()
    assert float(spam.thickness(0.15, 0.08)) == pytest.approx(2 * spam.tube_radius, rel=1e-9)
    thin = spam.thickness([0.02, 0.1, 0.2], 0.02)
    assert np.all(np.diff(thin) > 0)
    assert 2 * spam.constriction_radius < thin[0]
    assert thin[-1] < 2 * spam.tube_radius
