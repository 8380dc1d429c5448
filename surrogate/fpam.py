"""Analytic model of the fabric pneumatic artificial muscle (fPAM): a tube of bias-cut fabric, whose threads are its braid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from surrogate.actuators import Grid, Limits
from surrogate.checks import check_positive
from surrogate.films import COATED_FABRIC, Film
from surrogate.force_table import COLUMNS, NODES, ForceRows, row_lengths
from surrogate.kernels.compiled import Floats

LARGEST_STROKE = float(1 - 1 / np.sqrt(3))
"""Full contraction of threads that run along the tube before it contracts [-]: a limit that no fabric reaches."""
BIAS = np.pi / 4
"""Angle of the threads to the tube's axis as cut, and where the fabric is neither stretched nor inflated [rad]."""


@dataclass(frozen=True, slots=True)
class Fpam:
    """Dimensions of an fPAM.

    A tube of coated fabric, cut on the bias, so that its threads cross at 45 degrees to the axis. Pulled lengthwise it becomes longer
    and narrower, up to the length at which it is fixed to the body; inflated it shortens until the threads are at 54.7 degrees.
    It has no cells: the force depends on its strain alone, and l_0 is the distance between two points at which it is fixed.

    Source: Naclerio and Hawkes, "Simple, Low-Hysteresis, Foldable, Fabric Pneumatic Artificial Muscle", IEEE Robotics and Automation
    Letters 5(2), 2020, for the actuator, and for its force the ideal braided (McKibben) actuator, F = pi r^2 P (a (1 - strain)^2 - b)
    with a = 3 / tan^2(angle), b = 1 / sin^2(angle) and the angle of the threads at zero strain. The model neglects the fabric's
    resistance to shear, friction between its threads, and the tapered ends. Assumed: both defaults (full contractions of about 0.3 are
    usual for braided actuators; the radius gives the lay-flat width of the other actuators, 60 mm), and the linear force below zero
    strain, where the threads lock.
    """

    kind: ClassVar[str] = "fpam"
    cell_name: ClassVar[str] = "pitch"

    rest_radius: float = 15e-3
    """Radius of the inflated tube at zero strain, its full length [m]."""
    stroke: float = 0.3
    """Strain of full contraction [-], which a free tube shows when inflated; it gives the angle of the threads."""
    limits: Limits = field(default_factory=lambda: Limits(shortest_cell=40e-3, longest_cell=40e-3, pressure_step=0.5e3))
    """One pitch, as the force does not depend on it, and finer steps of pressure, which alone sets the curvature."""
    film: Film = COATED_FABRIC
    """Fabric of the tube."""
    seam: ClassVar[float] = 0.0
    """Zero: it has no cells."""

    def __post_init__(self) -> None:
        check_positive(self.kind, self, ("rest_radius", "stroke"))
        if self.stroke >= LARGEST_STROKE:
            raise ValueError(f"{self.kind}.stroke = {self.stroke:g} must be less than {LARGEST_STROKE:.4g}")

    @property
    def offset(self) -> float:
        """The axis lies one radius outside the body [m]; the radius at zero strain is taken, the least one."""
        return self.rest_radius

    @property
    def thread_angle(self) -> float:
        """Angle of the threads to the axis at zero strain [rad]: those that are at 54.7 degrees at full contraction."""
        return float(np.arccos(1 / (np.sqrt(3) * (1 - self.stroke))))

    @property
    def stretch(self) -> float:
        """Length at zero strain over the length as cut, with threads at 45 degrees [-]; below 1 the fabric is never stretched."""
        return float(np.cos(self.thread_angle) / np.cos(BIAS))

    @property
    def flat_width(self) -> float:
        """Half the circumference of the tube as cut, with threads at 45 degrees [m]."""
        return float(np.pi * self.rest_radius * np.sin(BIAS) / np.sin(self.thread_angle))

    def film_radius(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Radius of the inflated tube [m]: its threads keep their length and their number of turns."""
        strain = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))[0]
        narrowed = 1 - np.square((1 - strain) * np.cos(self.thread_angle))
        return np.asarray(self.rest_radius * np.sqrt(narrowed) / np.sin(self.thread_angle))

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Diameter of the inflated tube [m]."""
        return 2 * self.film_radius(strain, l_0)

    @property
    def grid(self) -> Grid:
        """See `Actuator`."""
        return self.limits.grid

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Return the stroke for every pitch [-]."""
        return np.full(np.shape(l_0), self.stroke)

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2] at any strain: linear below zero, zero (slack) beyond full contraction."""
        strain = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))[0]
        rest = 1 - self.stroke
        # With the threads' angle at full contraction, a = 3 / (3 rest^2 - 1) and b = a rest^2.
        share = 3 * (np.square(1 - np.maximum(strain, 0.0)) - rest**2 - 2 * np.minimum(strain, 0.0)) / (3 * rest**2 - 1)
        return np.asarray(np.pi * self.rest_radius**2 * np.where(strain < self.stroke, share, 0.0))

    def tabulate(self) -> ForceRows:
        """Tabulate the force; all rows are equal, and it does not saturate."""
        shortest, longest = self.limits.tabulated
        coarse, fine = row_lengths(shortest, longest)
        force = self.force_per_pressure(NODES * self.stroke, coarse[:, None])
        return ForceRows(force, self.full_contraction(fine), np.zeros(COLUMNS + 1), np.inf, shortest, longest)
