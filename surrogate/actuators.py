"""The interface of actuators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from surrogate.compiled import Floats
from surrogate.force_table import ForceRows


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Cell lengths that can be fabricated and pressures that can be supplied."""

    l_0: Floats
    """Cell lengths that can be fabricated [m], ascending."""
    pressure: Floats = field(default_factory=lambda: np.arange(5.0, 35.1, 2.5) * 1e3)
    """Pressures that the regulators can supply [Pa], ascending."""


class Actuator(Protocol):
    """A pneumatic actuator of cells in series whose force is linear in its pressure.

    Implementations are frozen, hashable and have defaults for all fields. The curvature that an actuator can reach depends
    on the tube that it bends; see `planner.search.catalogue.Catalogue`.
    """

    kind: ClassVar[str]
    """Name in design files and on the command line."""
    cell_name: ClassVar[str]
    """Name of a cell in fabrication files."""

    def __init__(self) -> None: ...

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

    def tabulate(self) -> ForceRows:
        """The force as a table for compiled kernels."""
        ...
