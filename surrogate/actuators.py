"""What every actuator offers: the muscle along one side of the tube."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from surrogate.compiled import Floats
from surrogate.force_table import ForceRows


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What can be made and supplied."""

    l_0: Floats
    """Cell lengths that can be made [m], rising."""
    pressure: Floats = field(default_factory=lambda: np.arange(5.0, 35.1, 2.5) * 1e3)
    """Pressures that the regulators hold [Pa], rising."""


class Actuator(Protocol):
    """A muscle of cells in series whose pull is linear in its pressure; frozen and hashable, with defaults throughout.

    What curvature an actuator can reach depends on the tube that it bends: `planner.search.catalogue.Catalogue` knows that.
    """

    kind: ClassVar[str]
    """Its name in design files and on the command line."""
    cell_name: ClassVar[str]
    """What a maker calls one of its cells."""

    def __init__(self) -> None: ...

    @property
    def offset(self) -> float:
        """Distance of the line of pull from the tube's surface, outwards [m]."""
        ...

    @property
    def flat_width(self) -> float:
        """Width of the muscle's tube or film lying flat [m]."""
        ...

    @property
    def grid(self) -> Grid:
        """What is made of it unless somebody asks for something else."""
        ...

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Strain at which the pull ends [-], over cell length [m]; over the moment arm it bounds the curvature."""
        ...

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Pull over pressure F_t / P [m^2] by the analytic model, of the broadcast shape.

        Args:
            strain: Contraction over cell length [-], from 0 to full contraction.
            l_0: Cell length [m].
        """
        ...

    def tabulate(self) -> ForceRows:
        """The force as compiled kernels take it."""
        ...
