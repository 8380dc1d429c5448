"""Analytic model of the serial pouch motor: flat pouches of film in series, which shorten when inflated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize.elementwise import find_root

from surrogate.actuators import Actuator, Grid, Limits, cell_range, chamber, with_seams
from surrogate.checks import check_positive
from surrogate.films import STRIP_FILM, Film
from surrogate.force_table import COLUMNS, NODES, ForceRows, row_lengths
from surrogate.kernels.compiled import Floats

FULL_CONTRACTION = 1 - 2 / np.pi
"""Strain of a fully inflated, cylindrical pouch [-]."""
SEAM = 5e-3
"""Usual width of a heat sealer's bar [m]. Hand-operated impulse sealers have elements of 2 or 5 mm, for example the models AIE-300 and
AIE-305 of American International Electric. That most workshops have one of 5 mm is assumed."""


@dataclass(frozen=True, slots=True)
class PouchMotor:
    """Dimensions of a serial pouch motor, except the length of a pouch.

    A cell l_0 is a pouch and one seam, which does not shorten. The section of an inflated pouch along the tube is a lens of two
    circular arcs, each as long as the flat pouch. Across the tube the pouch is straight. The model neglects the pouch's ends, so
    pouches should be no longer than wide, and the wall of the tube behind them.

    Source: Niiyama et al., "Pouch Motors: Printable Soft Actuators Integrated with Computational Design", Soft Robotics
    2(2), 2015: strain 1 - sin(theta) / theta and force P D l_0 cos(theta) / theta, with theta half the angle of an arc.
    """

    kind: ClassVar[str] = "pouch"
    cell_name: ClassVar[str] = "pouch"

    width: float = 60e-3
    """Width D of the pouches across the tube [m]; the grid needs at least 20 mm."""
    taut_strain: float = 1e-2
    """Strain below which the film stretches [-]; below it the force is extrapolated linearly.

    The model's film is inextensible, so its force grows without bound towards zero strain. With 1e-2, a pouch of 40 mm at
    20 kPa is as stiff as two layers of 0.1 mm film of 0.8 GPa, and every bend in free space has a larger strain. Below 1e-3
    the table is coarse.
    """
    limits: Limits = field(default_factory=lambda: Limits(longest_cell=60e-3))
    """Pouches of 20 to 60 mm that are no longer than wide, and the regulators' pressures."""
    seam: float = SEAM
    """Width of the seal between two pouches [m]."""
    film: Film = STRIP_FILM
    """Film of the pouches."""

    def __post_init__(self) -> None:
        check_positive(self.kind, self, ("width", "taut_strain"), or_zero=("seam",))
        if self.taut_strain >= FULL_CONTRACTION:
            raise ValueError(f"{self.kind}.taut_strain = {self.taut_strain:g} must be less than {FULL_CONTRACTION:.4g}")
        if self.limits.shortest_cell >= self.width + 1e-9:
            raise ValueError(
                f"{self.kind}.width = {self.width:g} must be at least limits.shortest_cell = {self.limits.shortest_cell:g}: "
                "pouches are not longer than wide"
            )

    @property
    def offset(self) -> float:
        """Zero: the seams, which transmit the force, are bonded to the tube's surface [m]."""
        return 0.0

    @property
    def flat_width(self) -> float:
        """Width of the pouches without the seams along their sides [m]."""
        return self.width

    @property
    def grid(self) -> Grid:
        """See `Actuator`; pouches longer than wide are left out."""
        grid = self.limits.grid
        return Grid(with_seams(grid.l_0[grid.l_0 < self.width + 1e-9], self), grid.pressure)

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """1 - 2 / pi of the pouch, which is less of its cell [-]."""
        return np.asarray(FULL_CONTRACTION * chamber(l_0, self) / np.asarray(l_0, float))

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2] at any strain: taut below `taut_strain`, zero (slack) beyond full contraction."""
        pouch = chamber(l_0, self)
        of_pouch = np.asarray(strain, float) * np.asarray(l_0, float) / pouch
        within = np.clip(of_pouch, self.taut_strain, FULL_CONTRACTION)
        theta = half_angle(within)
        share = np.cos(theta) / theta
        slope = -(theta * np.sin(theta) + np.cos(theta)) / (np.sin(theta) - theta * np.cos(theta))
        share = np.where(of_pouch < FULL_CONTRACTION, share + slope * np.minimum(of_pouch - within, 0.0), 0.0)
        return self.width * pouch * share

    def film_radius(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Radius of the lens [m]; infinite at zero strain, where the pouch is flat."""
        return lens_radius(strain, l_0, self)

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Height of the lens [m], which lies on the tube's surface with its seams."""
        return lens_height(strain, l_0, self)

    def tabulate(self) -> ForceRows:
        """Tabulate the force; a pouch does not saturate."""
        shortest, longest = cell_range(self)
        coarse, fine = row_lengths(shortest, longest)
        force = self.force_per_pressure(NODES * self.full_contraction(coarse)[:, None], coarse[:, None])
        return ForceRows(force, self.full_contraction(fine), np.zeros(COLUMNS + 1), np.inf, shortest, longest)


def lens_radius(strain: ArrayLike, l_0: ArrayLike, actuator: Actuator) -> Floats:
    """Radius of the arcs of an inflated pouch [m], l / (2 theta); arguments as of `lens_height`."""
    pouch = chamber(l_0, actuator)
    with np.errstate(divide="ignore"):
        return np.asarray(pouch / (2 * half_angle(np.asarray(strain, float) * np.asarray(l_0, float) / pouch)))


def lens_height(strain: ArrayLike, l_0: ArrayLike, actuator: Actuator) -> Floats:
    """Height of the lens of an inflated pouch [m], l (1 - cos(theta)) / theta with l the length of the pouch.

    Args:
        strain: Contraction divided by cell length [-], from 0 to full contraction.
        l_0: Cell length [m], broadcast against it.
    """
    pouch = chamber(l_0, actuator)
    theta = half_angle(np.asarray(strain, float) * np.asarray(l_0, float) / pouch)
    # 1 - cos(theta) is theta sin(theta / 2) sinc(theta / 2), without the division by an angle of zero.
    return np.asarray(pouch * np.sin(theta / 2) * np.sinc(theta / (2 * np.pi)))


def half_angle(strain: ArrayLike) -> Floats:
    """Half the angle of a pouch's arcs, theta [rad], for strain in [0, 1 - 2 / pi]; strain increases strictly with theta.

    Raises:
        ValueError: A strain is outside this range.
    """
    strain = np.asarray(strain, float)
    if not np.all((strain >= 0) & (strain <= FULL_CONTRACTION)):
        raise ValueError(f"strain must lie between 0 and {FULL_CONTRACTION:.4g}")
    # np.sinc(x) is sin(pi x) / (pi x).
    root = find_root(lambda turns, e: 1 - np.sinc(turns) - e, (0 * strain, 0 * strain + 0.5), args=(strain,))
    return np.asarray(np.pi * root.x, float)
