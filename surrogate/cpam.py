"""Analytic model of the cylindrical pneumatic artificial muscle (cPAM): pouches in series whose sides are folded inwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline
from scipy.optimize.elementwise import find_root

from surrogate.actuators import Grid, Limits, cell_range, chamber, with_seams
from surrogate.checks import check_positive
from surrogate.films import STRIP_FILM, Film
from surrogate.force_table import COLUMNS, NODES, ForceRows, row_lengths
from surrogate.kernels.compiled import Floats
from surrogate.pouch import FULL_CONTRACTION, SEAM, half_angle, lens_height, lens_radius

SIDE = 2 / np.pi
"""Length of film across each side of a pouch over its length l_0 [-]: the diameter of the pouch when it is a cylinder."""
ROUND = 2 * SIDE / np.pi
"""Thickness of a pouch over l_0 up to which its sides are half circles [-]."""
LEAST_ANGLE, LARGEST_ANGLE = 1e-2, np.pi / 2 - 1e-6
"""Range of half angles for which the force of the sides is tabulated [rad]; beyond it the force falls like a logarithm."""
ANGLES, NODES_PER_PART = 3000, 48
"""Half angles at which the force of the sides is computed, and nodes of the quadrature in each of its two parts."""


@dataclass(frozen=True, slots=True)
class Cpam:
    """Dimensions of a cPAM, except the length of a pouch.

    A pouch is a piece of tube that is sealed across at both ends, with its sides folded inwards by l_0 / pi. Inflated, its section
    along the tube is a lens of two arcs, each as long as the flat pouch l_0, as in a pouch motor, and the sides unfold. Fully
    inflated it would be a cylinder across the tube with flat ends. A cell is a pouch and one seam, which does not shorten.

    Source of the actuator: Kübler et al., "A Comparison of Pneumatic Actuators for Soft Growing Vine Robots", Soft Robotics 11(5), 2024.
    Their dimensions of 60 x 60 mm are the default. The model was derived here, and compared with no measurement: the film does not
    stretch, and F = -P dV/dL. Of the volume V, the middle part is that of the pouch motor. At each cross-section, a side bulges as an arc
    over the local thickness: a half circle while the film of the fold suffices, then an arc of all of it, 2 l_0 / pi long. No
    meridian of such a side is longer than l_0. So the sides add force at small strains, and take some away near full contraction.
    The model neglects wrinkles, the passage for air, and the wall of the tube behind.
    """

    kind: ClassVar[str] = "cpam"
    cell_name: ClassVar[str] = "pouch"

    width: float = 60e-3
    """Width of the folded pouches across the tube [m]."""
    taut_strain: float = 1e-2
    """Strain below which the film stretches [-]; below it the force is extrapolated linearly, see `PouchMotor`."""
    limits: Limits = field(default_factory=lambda: Limits(longest_cell=60e-3))
    """Pouches of 20 to 60 mm, as for pouch motors, and the regulators' pressures."""
    seam: float = SEAM
    """Width of the seal between two pouches [m]."""
    film: Film = STRIP_FILM
    """Film of the pouches."""

    def __post_init__(self) -> None:
        check_positive(self.kind, self, ("width", "taut_strain"), or_zero=("seam",))
        most = float(self._contraction_of_pouch(np.pi / 2 * self.width))
        if self.taut_strain >= most:
            raise ValueError(f"{self.kind}.taut_strain = {self.taut_strain:g} must be less than {most:.4g}")
        if self.limits.shortest_cell >= np.pi / 2 * self.width + 1e-9:
            raise ValueError(
                f"{self.kind}.width = {self.width:g} must be at least 2 / pi of limits.shortest_cell = {self.limits.shortest_cell:g}: "
                "the folds of a pouch do not overlap"
            )

    @property
    def offset(self) -> float:
        """Zero: the seams, which transmit the force, are bonded to the tube's surface [m]."""
        return 0.0

    @property
    def flat_width(self) -> float:
        """Width of the folded pouches [m]; their tube is wider by two folds, see `fold_depth`."""
        return self.width

    @property
    def grid(self) -> Grid:
        """See `Actuator`; pouches so long that their two folds would overlap are left out."""
        grid = self.limits.grid
        return Grid(with_seams(grid.l_0[grid.l_0 < np.pi / 2 * self.width + 1e-9], self), grid.pressure)

    def fold_depth(self, l_0: float) -> float:
        """Depth to which each side is folded inwards [m] for a cell length [m]."""
        return SIDE / 2 * float(chamber(l_0, self))

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Strain at which the force vanishes [-], below 1 - 2 / pi, as the sides hold the pouch back."""
        pouch = chamber(l_0, self)
        return np.asarray(self._contraction_of_pouch(pouch) * pouch / np.asarray(l_0, float))

    def _contraction_of_pouch(self, pouch: ArrayLike) -> Floats:
        """Strain of a pouch without its seam at which the force vanishes [-], for its length [m]."""
        ratio = np.asarray(pouch, float) / self.width
        low, high = np.broadcast_arrays(0.5 + 0 * ratio, LARGEST_ANGLE)
        root = find_root(
            lambda theta, ratio: np.cos(theta) / theta + ratio * _sides()(theta), (low, high), args=(ratio,)
        )
        return np.asarray(1 - np.sinc(root.x / np.pi), float)

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2] at any strain: taut below `taut_strain`, zero (slack) beyond full contraction."""
        strain, l_0 = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))
        pouch = chamber(l_0, self)
        of_pouch, full = strain * l_0 / pouch, self._contraction_of_pouch(pouch)
        within = np.clip(of_pouch, self.taut_strain, full)
        theta, sides = half_angle(within), _sides()
        middle, side = self.width * pouch, np.square(pouch)
        force = middle * np.cos(theta) / theta + side * sides(theta)
        rise = -middle * (theta * np.sin(theta) + np.cos(theta)) + side * np.square(theta) * sides(theta, 1)
        slope = rise / (np.sin(theta) - theta * np.cos(theta))
        return np.asarray(np.where(of_pouch < full, force + slope * np.minimum(of_pouch - within, 0.0), 0.0))

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
        full = self.full_contraction(coarse)[:, None]
        force = self.force_per_pressure(NODES * full, coarse[:, None])
        return ForceRows(force, self.full_contraction(fine), np.zeros(COLUMNS + 1), np.inf, shortest, longest)


@cache
def _sides() -> CubicSpline:
    """Return the force of both sides over P l_0^2 [-], as a function of the half angle theta [rad]."""
    # Dense near full contraction, where the slope grows without bound.
    theta = LARGEST_ANGLE - (LARGEST_ANGLE - LEAST_ANGLE) * np.linspace(1.0, 0.0, ANGLES) ** 3
    return CubicSpline(theta, side_force(theta))


def side_force(theta: Floats) -> Floats:
    """Force of both sides over P l_0^2 [-] at half angles theta [rad], shape (n,): -dV/dL of their volume.

    With lengths in l_0, the arcs have the radius 1 / (2 theta). A place at the angle u along them has the thickness
    t = (cos u - cos theta) / theta, where a side encloses the area A(t). As A vanishes at both seams, dV / dtheta is the integral of
    2 A'(t) dt/dtheta at a fixed place, over the length of the pouch.
    """
    theta = np.asarray(theta, float)
    node, weight = np.polynomial.legendre.leggauss(NODES_PER_PART)
    node, weight = (node + 1) / 2, weight / 2
    # From the middle, where the slope of A is steepest, to where the sides begin to be half circles, and on to the seam.
    switch = np.arccos(np.clip(np.cos(theta) + ROUND * theta, None, 1.0))
    inner, outer = switch * node[:, None] ** 3, switch + (theta - switch) * node[:, None]
    total = np.zeros(theta.shape)
    for u, share in (
        (inner, 3 * weight[:, None] * node[:, None] ** 2 * switch),
        (outer, weight[:, None] * (theta - switch)),
    ):
        thickness = (np.cos(u) - np.cos(theta)) / theta
        growth = (np.cos(u) * (np.cos(theta) / theta + np.sin(theta)) - 1 / theta) / (2 * theta**2)
        total += 4 * (_area_slope(thickness) * growth * share).sum(axis=0)
    length_slope = (theta * np.cos(theta) - np.sin(theta)) / theta**2
    return np.asarray(-total / length_slope)


def _area_slope(thickness: Floats) -> Floats:
    """Derivative of the area between a side and its chord with respect to the chord [-], both in l_0."""
    psi = half_angle(np.clip(1 - thickness / SIDE, 0.0, FULL_CONTRACTION))
    return np.where(thickness < ROUND, np.pi / 4 * thickness, -SIDE / 2 * np.cos(psi) / np.maximum(psi, 1e-12))
