"""The tube: its parameters, and what a moving one has beyond them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surrogate.actuators import Actuator
from surrogate.spam import Spam


@dataclass(frozen=True, slots=True)
class VineParams:
    """The tube and its actuators. Defaults: paper 002; growth and viscosities as measured on a prototype."""

    radius: float = 33.35e-3
    """Tube radius R_vine [m]."""
    growth_pressure: float = 1.5 * 6894.757293168
    """Growth pressure P_vine [Pa]."""
    segment_length: float = 25e-3
    """Length of a rigid segment, l_seg [m]."""
    growth_force: float = 25.0
    """Force with which the tip everts [N]."""
    growth_viscosity: float = 0.2
    """Force that growing at full rate costs [N]."""
    bending_viscosity: float = 1.2e-3
    """Moment over bend and grown length: damping of a joint while the tip grows [N m / rad * m]."""
    contact_stiffness: float = 2e5
    """Stiffness of a contact [N/m]."""
    penetration_tolerance: float = 1e-3
    """No accepted state is deeper in an obstacle [m]."""
    actuator: Actuator = field(default_factory=Spam)

    @property
    def clearance(self) -> float:
        """What the axis keeps from every obstacle [m]."""
        return self.radius - self.penetration_tolerance

    @property
    def arm(self) -> float:
        """Moment arm of an actuator about the far wall of the tube [m] (paper 002, Eq. 3)."""
        return 2 * self.radius + self.actuator.offset


@dataclass(frozen=True, slots=True)
class Inertia:
    """What a moving tube has beyond `VineParams`."""

    mass_per_length: float = 0.04
    """Of the default tube [kg/m]: coated fabric of 70 g/m2, for the body, its tail inside and a muscle, and the air."""
    damping_time: float = 0.01
    """Damping over stiffness of a joint, C / K [s], as the beam of papers 000/001 has it."""
    growth_rate: float = 0.1
    """Growth when nothing resists [m/s]."""

    def __post_init__(self) -> None:
        for name, least in (
            ("mass_per_length", "greater than"),
            ("damping_time", "at least"),
            ("growth_rate", "greater than"),
        ):
            value = getattr(self, name)
            if not (value > 0 or (value == 0 and least == "at least")) or value == np.inf:
                raise ValueError(f"inertia.{name} = {value:g} must be {least} 0 and finite")
