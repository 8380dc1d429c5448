"""Films of which tubes and strips are made."""

from __future__ import annotations

from dataclasses import dataclass

from surrogate.checks import check_positive

LOADED = 0.8
"""Largest share of its strength to which a film is loaded [-] (assumed)."""


@dataclass(frozen=True, slots=True)
class Film:
    """A film, for the pressures that it holds."""

    name: str
    """Name in tube files."""
    thickness: float
    """Thickness of one layer [m]."""
    modulus: float
    """Young's modulus [Pa]."""
    yield_stress: float
    """Hoop stress from which it yields [Pa]."""
    strength: float
    """Tensile strength [Pa]."""

    def __post_init__(self) -> None:
        check_positive("film", self, ("thickness", "modulus", "yield_stress", "strength"))

    @property
    def most_stress(self) -> float:
        """Largest hoop stress of a set point [Pa]."""
        return LOADED * self.strength

    def most_pressure(self, radius: float) -> float:
        """Largest pressure of a set point [Pa] for the radius of the inflated film [m]: hoop stress P r / t."""
        return self.most_stress * self.thickness / radius


STRIP_FILM = Film("ldpe-50", 50e-6, 0.2e9, 9.2e6, 20e6)
"""Film of the actuators of paper 002 (supplement): LDPE of 50 um."""
COATED_FABRIC = STRIP_FILM
"""Fabric of an fPAM, which counts as that film (assumed)."""
