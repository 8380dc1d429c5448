"""Analytic model of the series pneumatic artificial muscle (sPAM)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize.elementwise import find_root
from scipy.special import ellipeinc, ellipkinc

from surrogate.actuators import Grid, Limits, cell_range, chamber, with_seams
from surrogate.checks import check_positive
from surrogate.films import STRIP_FILM, Film
from surrogate.force_table import LINEAR, NODES, TAUT_COLUMNS, TAUT_STRAIN, ForceRows, row_lengths
from surrogate.kernels.compiled import Floats

SMALLEST_M = 1e-3
"""Lower limit of m in the inverse for the default film; there the film of every cell in range is taut (negative strain)."""
LEAST_ELASTICITY = 1e-6
"""Least film elasticity [-]: the force of stiffer films is so steep near zero strain that the table is off by more than 0.15 %."""
_MOST_STRETCH = 0.05
"""Elastic strain of the film, a / (2 m), at the lower limit of m in the inverse [-]: no cell contracts as much there."""


@dataclass(frozen=True, slots=True)
class Spam:
    """Dimensions of a sPAM, except the length of its cells."""

    kind: ClassVar[str] = "spam"
    cell_name: ClassVar[str] = "cell"

    constriction_radius: float = 5e-3
    """Radius R_c to which the brackets constrict the tube [m]."""
    tube_radius: float = 17.18e-3
    """Radius R_act of the saturated tube [m]."""
    film_elasticity: float = 1e-4
    """Empirical constant a of Eq. 1c [-]."""
    limits: Limits = field(default_factory=Limits)
    """Cells of 20 to 80 mm, as allowed by the brackets, and the regulators' pressures."""
    seam: float = 0.0
    """Length of tube that a bracket holds, beyond its constriction [m]: l_0 of Eq. 1 is measured between constrictions, which are lines."""
    film: Film = STRIP_FILM
    """Film of the tube."""

    def __post_init__(self) -> None:
        check_positive(self.kind, self, ("constriction_radius", "tube_radius", "film_elasticity"), or_zero=("seam",))
        if self.constriction_radius >= self.tube_radius:
            raise ValueError(
                f"{self.kind}.constriction_radius = {self.constriction_radius:g} must be less than "
                f"{self.kind}.tube_radius = {self.tube_radius:g}"
            )
        if self.film_elasticity < LEAST_ELASTICITY:
            raise ValueError(
                f"{self.kind}.film_elasticity = {self.film_elasticity:g} must be at least {LEAST_ELASTICITY:g}: "
                "the forces of stiffer films are not known"
            )
        shortest, longest = (length / self.constriction_radius for length in self.limits.tabulated)
        if self.film_elasticity > (most := _softest_film(shortest, longest)):
            cells = [f"limits.{name} = {getattr(self.limits, name):g}" for name in ("shortest_cell", "longest_cell")]
            raise ValueError(
                f"{self.kind}.film_elasticity = {self.film_elasticity:g} must be at most {most:g} for {cells[0]}, {cells[1]} and "
                f"{self.kind}.constriction_radius = {self.constriction_radius:g}"
            )

    @property
    def offset(self) -> float:
        """The actuator's axis lies one actuator tube radius outside the body [m] (paper 002, Eq. 3)."""
        return self.tube_radius

    @property
    def flat_width(self) -> float:
        """Half the circumference of the tube [m]."""
        return float(np.pi * self.tube_radius)

    @property
    def grid(self) -> Grid:
        """See `Actuator`."""
        grid = self.limits.grid
        return Grid(with_seams(grid.l_0, self), grid.pressure)

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Strain at m = 0.5, where the force vanishes [-]."""
        cell = np.asarray(l_0, float)
        return np.asarray(cell_state(0.5, chamber(l_0, self), self).strain * chamber(l_0, self) / cell)

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2] over strain; see `contraction` for the valid range."""
        return self.cell_at(strain, l_0).force_per_pressure

    def film_radius(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Radius of the saturated tube [m], which no cell exceeds."""
        return np.full(np.broadcast_shapes(np.shape(strain), np.shape(l_0)), self.tube_radius)

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Diameter of a cell in its middle [m]: R_c / cos(phi) is its radius by Eq. 1."""
        return np.asarray(2 * self.constriction_radius / np.cos(self.cell_at(strain, l_0).phi))

    def cell_at(self, strain: ArrayLike, l_0: ArrayLike) -> SpamState:
        """Return the state of cells at a strain, of which the seam has no part.

        Args:
            strain: Contraction divided by cell length [-], as for `contraction`.
            l_0: Cell length [m], broadcast against it.
        """
        length = chamber(l_0, self)
        of_chamber = np.asarray(strain, float) * np.asarray(l_0, float) / length
        return cell_state(contraction(of_chamber, length, self), length, self)

    def tabulate(self) -> ForceRows:
        """Tabulate both branches of Eq. 1 (takes about 0.3 s)."""
        # Contraction is smooth over sqrt(m): sample over it, invert, and evaluate the model at the result.
        roots = np.linspace(np.sqrt(_first_m(self.film_elasticity)), np.sqrt(0.5), 300)
        shortest, longest_cell = self.limits.tabulated
        coarse, fine = row_lengths(shortest, longest_cell)
        lengths = coarse[:, None]
        strain = unsaturated_cell(roots**2, lengths, self).strain
        wanted = NODES * strain[:, -1:]
        inverse = [PchipInterpolator(row, roots)(e) for row, e in zip(strain, wanted, strict=True)]
        unsaturated = unsaturated_cell(np.minimum(np.square(inverse), 0.5), lengths, self).force_per_pressure
        # All columns are shares of the full contraction, and so the same for a chamber and its cell.
        longest = unsaturated_cell(0.5, fine, self).strain * fine / with_seams(fine, self)

        # Saturated cells: contraction does not depend on l_0, so any length gives the same result.
        shortening = saturated_cell(roots**2, 1.0, self).strain
        inverse = PchipInterpolator(shortening, roots)(NODES * shortening[-1])
        saturated = saturated_cell(np.minimum(np.square(inverse), 0.5), 1.0, self).force_per_pressure
        table = np.ascontiguousarray(unsaturated)
        taut = self._taut(coarse, table[:, 0])
        return ForceRows(table, longest, saturated, float(shortening[-1]), *cell_range(self), taut)

    def _taut(self, lengths: Floats, at_zero: Floats) -> Floats:
        """F_t / P [m^2] of cells with taut film, see `ForceRows`, from the lengths of chambers [m] and the force at zero strain.

        `LINEAR` for cells that are so long and thin that Eq. 1 has no unsaturated solution in the range of the table.
        """
        # Eq. 1c strains a taut film by at least a / (2 m).
        m = np.geomspace(self.film_elasticity / (3 * TAUT_STRAIN), 0.25, 100)
        strain = unsaturated_cell(m, lengths[:, None], self).strain * (lengths / (lengths + self.seam))[:, None]
        if not np.all(strain[:, 0] < -TAUT_STRAIN):
            return LINEAR
        wanted = np.linspace(0.0, -TAUT_STRAIN, TAUT_COLUMNS + 1)
        inverse = [PchipInterpolator(row, np.log(m))(wanted) for row in strain]
        force = unsaturated_cell(np.exp(inverse), lengths[:, None], self).force_per_pressure
        force[:, 0] = at_zero
        # The limit of Eq. 1 for m -> 0, with which the look-up goes on: all strain is elastic.
        force[:, -1] = (
            force[:, -2]
            + np.pi
            * self.constriction_radius**2
            / self.film_elasticity
            * TAUT_STRAIN
            / TAUT_COLUMNS
            * (lengths + self.seam)
            / lengths
        )
        return np.ascontiguousarray(force)


@dataclass(frozen=True, slots=True)
class SpamState:
    """State of sPAM cells in equilibrium; every array has the broadcast shape of m and l_0."""

    saturated: NDArray[np.bool_]
    """Whether part of the cell has reached the tube's radius."""
    phi: Floats
    """Profile parameter phi_Rc [rad]."""
    active_length: Floats
    """Length l_a of curved film [m]; l_0 where not saturated."""
    strain: Floats
    """Contraction divided by l_0 [-], negative where the film is stretched."""
    force_per_pressure: Floats
    """Pulling force per actuator pressure, F_t / P [m^2]."""


def cell_state(m: ArrayLike, l_0: ArrayLike, geometry: Spam) -> SpamState:
    """State of a cell at contraction parameter m.

    Args:
        m: Extent of contraction, in (0, 0.5], any shape.
        l_0: Distance between constrictions [m], broadcast against m.
    Source: paper 002, Eq. 1. Saturated cells have a closed form; for the others phi is the unique root of Eq. 1b.
    """
    m, l_0 = np.broadcast_arrays(np.asarray(m, float), np.asarray(l_0, float))
    saturated = saturated_cell(m, l_0, geometry)
    open_cells = ~saturated.saturated
    if not open_cells.any():
        return saturated
    unsaturated = unsaturated_cell(m[open_cells], l_0[open_cells], geometry)
    for name in ("phi", "active_length", "strain", "force_per_pressure"):
        getattr(saturated, name)[open_cells] = getattr(unsaturated, name)
    return saturated


def saturated_cell(m: ArrayLike, l_0: ArrayLike, geometry: Spam) -> SpamState:
    """Return the saturated branch of Eq. 1, in closed form; valid where its active length does not exceed l_0."""
    m, l_0 = np.broadcast_arrays(np.asarray(m, float), np.asarray(l_0, float))
    phi = np.full(m.shape, np.arccos(geometry.constriction_radius / geometry.tube_radius))
    length = _active_length(phi, m, geometry)
    return _state(np.asarray(length <= l_0), phi, m, length, l_0, geometry)


def unsaturated_cell(m: ArrayLike, l_0: ArrayLike, geometry: Spam) -> SpamState:
    """Return the unsaturated branch of Eq. 1, for a tube of unlimited radius."""
    m, l_0 = np.broadcast_arrays(np.asarray(m, float), np.asarray(l_0, float))
    # Due to the film's stretch, the active length increases with phi only up to cos^2 phi = a / (2 m).
    widest = np.arccos(np.sqrt(geometry.film_elasticity / (2 * m)))
    root = find_root(lambda phi, m, l_0: _active_length(phi, m, geometry) - l_0, (0 * m, widest), args=(m, l_0))
    return _state(np.zeros(m.shape, bool), np.asarray(root.x, float), m, l_0, l_0, geometry)


def contraction(strain: ArrayLike, l_0: ArrayLike, geometry: Spam) -> Floats:
    """Parameter m at which a cell has the given strain; unique, because strain increases strictly with m.

    Raises:
        ValueError: A strain is above that of a fully contracted cell of this l_0, or too far below zero.
    """
    strain, l_0 = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))
    taut = geometry.film_elasticity / (2 * _MOST_STRETCH)
    low, high = (cell_state(m, l_0, geometry).strain for m in (taut, 0.5))
    if not np.all((strain >= low) & (strain <= high)):
        raise ValueError(f"strain must lie between {np.max(low):.4g} and {np.min(high):.4g} for these cell lengths")
    root = find_root(lambda m, e, length: cell_state(m, length, geometry).strain - e, (taut, 0.5), args=(strain, l_0))
    return np.asarray(root.x, float)


def _first_m(film_elasticity: float) -> float:
    """Return the smallest m of the table: its elastic strain is 1 % or more, so that no cell contracts there."""
    return min(0.005, film_elasticity / 0.02)


@lru_cache(maxsize=64)
def _softest_film(shortest: float, longest: float) -> float:
    """Return the greatest film elasticity with which all chambers contract and have a solution of Eq. 1 where the table begins [-].

    Args:
        shortest, longest: Lengths of chambers in the table over the radius of constrictions [-].
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):  # phi of the shortest chamber with the film that only just does not contract at m = 0.5
        phi = (low + high) / 2
        first, second = ellipkinc(phi, 0.5), ellipeinc(phi, 0.5)
        low, high = (phi, high) if (2 * second - first) / (math.sqrt(0.5) * math.cos(phi)) < shortest else (low, phi)
    contracting = 2 * math.cos(low) ** 2 * (first - second) / (2 * second - first)
    low, high = 1e-15, 1.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _longest_chamber(middle) > longest else (low, middle)
    most = float(min(contracting, low))
    unit = 10.0 ** (math.floor(math.log10(most)) - 2)
    return float(f"{math.floor(most / unit) * unit:.3g}")


def _longest_chamber(film_elasticity: float) -> float:
    """Return the longest chamber that has a solution of Eq. 1 where the table begins, over the radius of its constrictions [-]."""
    m = _first_m(film_elasticity)
    cosine_squared = min(film_elasticity / (2 * m), 1.0)  # of the widest one, see `unsaturated_cell`
    return float(ellipkinc(math.acos(math.sqrt(cosine_squared)), m) / math.sqrt(2 * film_elasticity))


def _active_length(phi: ArrayLike, m: Floats, geometry: Spam) -> Floats:
    """Active length that satisfies Eq. 1b [m]."""
    cosine = np.cos(phi)
    stretch = 1 + geometry.film_elasticity / (2 * m * cosine**2)
    return np.asarray(geometry.constriction_radius * ellipkinc(phi, m) / (np.sqrt(m) * cosine * stretch))


def _state(
    saturated: NDArray[np.bool_], phi: Floats, m: Floats, length: Floats, l_0: Floats, geometry: Spam
) -> SpamState:
    """Strain by Eq. 1a and force by Eq. 1d of cells whose phi and active length satisfy Eq. 1b."""
    half_span = (ellipeinc(phi, m) - 0.5 * ellipkinc(phi, m)) / (np.sqrt(m) * np.cos(phi))
    strain = (length - 2 * geometry.constriction_radius * half_span) / l_0
    force = np.pi * geometry.constriction_radius**2 * (1 - 2 * m) / (2 * m * np.cos(phi) ** 2)
    # cell_state writes into these arrays: scalars must be arrays too, and `length` must not be a view of the caller's l_0.
    return SpamState(saturated, phi, length.copy(), np.asarray(strain), np.asarray(force))
