"""The interface of actuators."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from surrogate.checks import check_positive
from surrogate.films import Film
from surrogate.force_table import LONGEST, SHORTEST, ForceRows
from surrogate.kernels.compiled import Floats

MOST_STEPS = 2000
"""Maximum number of cell lengths, and of pressures, on a grid."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Cell lengths that can be fabricated and pressures that can be supplied."""

    l_0: Floats
    """Cell lengths that can be fabricated [m], ascending."""
    pressure: Floats = field(default_factory=lambda: np.arange(5.0, 35.1, 2.5) * 1e3)
    """Pressures that the regulators can supply [Pa], ascending."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Evenly spaced ranges of the chamber lengths that can be fabricated and of the pressures that can be supplied."""

    shortest_cell: float = 20e-3
    """Minimum length of a chamber, a cell without its seam [m]."""
    longest_cell: float = 80e-3
    """Maximum length of a chamber [m]."""
    cell_step: float = 1e-3
    """Step of chamber lengths [m]."""
    least_pressure: float = 5e3
    """Minimum pressure [Pa]."""
    most_pressure: float = 35e3
    """Maximum pressure [Pa]."""
    pressure_step: float = 2.5e3
    """Step of pressures [Pa]."""

    def __post_init__(self) -> None:
        check_positive("limits", self, tuple(part.name for part in fields(self)))
        for least, most, step in (
            ("shortest_cell", "longest_cell", "cell_step"),
            ("least_pressure", "most_pressure", "pressure_step"),
        ):
            low, high, by = (getattr(self, name) for name in (least, most, step))
            if low > high:
                raise ValueError(f"limits.{least} = {low:g} must be at most limits.{most} = {high:g}")
            if (high - low) / by >= MOST_STEPS:
                raise ValueError(
                    f"limits.{step} = {by:g} must leave fewer than {MOST_STEPS} steps from {least} = {low:g} to {most} = {high:g}"
                )

    @property
    def grid(self) -> Grid:
        """All chamber lengths, as `l_0`, and pressures."""
        # Whole steps are exact in millimetres and kilopascals.
        return Grid(
            _steps(self.shortest_cell * 1e3, self.longest_cell * 1e3, self.cell_step * 1e3) * 1e-3,
            _steps(self.least_pressure * 1e-3, self.most_pressure * 1e-3, self.pressure_step * 1e-3) * 1e3,
        )

    @property
    def tabulated(self) -> tuple[float, float]:
        """Range of chamber lengths of the force table [m]: these chambers with a margin for perturbations."""
        low, high = self.shortest_cell / 20e-3, self.longest_cell / 80e-3
        return SHORTEST * low, LONGEST * max(low, high)


def _steps(low: float, high: float, step: float) -> Floats:
    return np.asarray(low + step * np.arange(int((high - low) / step + 1e-6) + 1), float)


class Actuator(Protocol):
    """A pneumatic actuator of cells in series whose force is linear in its pressure.

    Implementations are frozen, hashable and have defaults for all fields. The curvature that an actuator can reach depends
    on the tube that it bends; see `planner.design.catalogue.Catalogue`.
    """

    kind: ClassVar[str]
    """Name in design files and on the command line."""
    cell_name: ClassVar[str]
    """Name of a cell in fabrication files."""

    def __init__(self) -> None: ...

    def __hash__(self) -> int: ...

    @property
    def limits(self) -> Limits:
        """Ranges of the lengths of its chambers, which are its cells without their seams, and of its pressures."""
        ...

    @property
    def seam(self) -> float:
        """Length of a cell that is no chamber and does not shorten [m]: a seal, or what a bracket holds; see `chamber`."""
        ...

    @property
    def film(self) -> Film:
        """Film of its strips."""
        ...

    @property
    def offset(self) -> float:
        """Distance of the line of action from the tube's surface, positive outwards [m]."""
        ...

    @property
    def flat_width(self) -> float:
        """Lay-flat width of the actuator's tube or film [m]."""
        ...

    @property
    def grid(self) -> Grid:
        """Default grid of cell lengths and pressures."""
        ...

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Strain at which the force vanishes [-] for a cell length [m]; divided by the moment arm it bounds the curvature."""
        ...

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Force per pressure F_t / P [m^2] of the analytic model, of the broadcast shape.

        Args:
            strain: Contraction divided by cell length [-], from 0 to full contraction.
            l_0: Cell length [m].
        """
        ...

    def film_radius(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Radius of curvature of the inflated film [m], with which its hoop stress is P r / t, of the broadcast shape.

        Args:
            strain: Contraction divided by cell length [-], from 0 to full contraction.
            l_0: Cell length [m].
        """
        ...

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Distance by which an inflated cell stands out from the tube's surface [m]; arguments and shape as of `film_radius`."""
        ...

    def tabulate(self) -> ForceRows:
        """Return the force as a table for compiled kernels."""
        ...


def chamber(l_0: ArrayLike, actuator: Actuator) -> Floats:
    """Length of the chamber of cells [m]: their length without a seam."""
    return np.asarray(np.asarray(l_0, float) - actuator.seam)


def with_seams(chambers: ArrayLike, actuator: Actuator) -> Floats:
    """Length of the cells of chambers [m], whole nanometres."""
    return np.asarray(np.round(np.asarray(chambers, float) + actuator.seam, 9))


def cell_range(actuator: Actuator) -> tuple[float, float]:
    """Range of cell lengths of the force table [m]: that of `Limits.tabulated`, with a seam."""
    low, high = actuator.limits.tabulated
    return low + actuator.seam, high + actuator.seam
