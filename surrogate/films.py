"""Films of which tubes and strips are made: the common ones with the sources of their numbers, and films of own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from surrogate.checks import check_positive

LOADED = 0.8
"""Largest share of its strength to which a film is loaded [-] (assumed)."""
OWN = "own"
"""Name of a film that is known by its numbers alone."""
SOURCES = {
    "gao": "Gao et al., Parallel Simulation of Contact and Actuation for Soft Growing Robots, supplement: body and sPAMs of LDPE tube "
    "of 50 µm, double-sided tape through slots of printed brackets, pressure regulators with feedback.",
    "food": "Journal of Food Science and Technology 52(9), 2015, pp. 5456 to 5469, Table 1 (ASTM F88, 2 kg/cm²): LDPE of 40 µm seals "
    "at 142 to 180 °C, of 60 µm at 150 to 190 °C; it breaks at 18.5 to 20.9 MPa and yields at 9.2 to 10.5 MPa.",
    "gayanaga": "Maker's guide to foot-operated sealing machines (Gayanaga): films of 30 to 80 µm need 0.2 to 1.5 s of heat.",
    "puxiong": "Maker's note on hot-press welding of TPU film (Puxiong Group, 2025): 170 to 220 °C, 0.2 to 0.8 MPa, 1 to 5 s, cooled "
    "under pressure.",
    "laleh": "Data sheet of the LDPE grade 1922T (Laleh Petrochemical): tensile modulus 175 MPa.",
    "ilong": "Data sheet of an HDPE film resin of 0.950 g/cm³ (Ilong Chem; ASTM D882, blown film of 12.7 µm): secant modulus at 1 % "
    "strain 827 MPa along and 965 MPa across the film.",
    "poly-flex": "Data sheet of smooth HDPE sheet of 0.940 g/cm³ (Poly-Flex; ASTM D6693): yields at 126 lb/in where it is 0.060 in "
    "thick, 14.5 MPa.",
    "is-10889": "IS 10889:2004, high density polyethylene film, as quoted by a maker (Climax India): breaks at no less than "
    "300 kg/cm² along and 250 kg/cm² across.",
    "hdpe-cast": "The Relationships between Crystallization Characteristics and Heat Sealing Properties of High-Density Polyethylene "
    "Films, abstract: films of 50 µm sealed at 125 and 128 °C in 0.5 to 2 s.",
    "hdpe-blown": "Effect of Polyolefin Addition on the Heat Seal Strength of HDPE Blown Films, abstract: sealed at 140 °C in 1 to 5 s.",
    "platilon": "Product information Platilon U, 2015 (DIN EN ISO 527, films of 50 µm), grade 4201 AU: TPU breaks at 60 MPa and carries "
    "5 to 7 MPa at 50 % strain; sold in 25 to 1000 µm.",
    "mil-c-7020": "MIL-C-7020H, 1992, nylon ripstop of type III, 1.6 oz/yd² and 0.004 in thick: breaks at no less than 50 lb/in, at no "
    "less than 25 % strain.",
}
"""Sources of the numbers of `MATERIALS`, by the names that these use."""


class Quantity(NamedTuple):
    """A number of a material, and where it is from."""

    value: float
    """In SI units."""
    sources: tuple[str, ...] = ()
    """Keys of `SOURCES`; none for an assumption."""
    note: str = ""
    """How the number follows from them, or what is assumed."""


class Sealing(NamedTuple):
    """Ranges within which a film is sealed: starting points for a test strip."""

    temperature: tuple[float, float]
    """Temperature of the sealing bar or iron [degrees Celsius]."""
    time: tuple[float, float]
    """Under heat and pressure [s]."""
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """A material of films."""

    title: str
    """Name in lists of parts."""
    thicknesses: tuple[float, ...]
    """Common thicknesses [m]."""
    modulus: Quantity
    """Young's modulus [Pa]."""
    yield_stress: Quantity
    """Stress from which it yields [Pa]."""
    strength: Quantity
    """Tensile strength [Pa]."""
    sealing: Sealing
    cloth: float | None = None
    """Thickness to which the stresses refer [m], of a cloth whose coating carries no load; None for a film."""

    def film(self, name: str, thickness: float) -> Film:
        """Make a film of this material with a thickness [m]."""
        share = 1.0 if self.cloth is None else self.cloth / thickness
        modulus, yield_stress, strength = (
            share * one.value for one in (self.modulus, self.yield_stress, self.strength)
        )
        return Film(name, thickness, modulus, yield_stress, strength)

    @property
    def sources(self) -> tuple[str, ...]:
        """Keys of `SOURCES` of all its numbers, each once."""
        parts = (self.modulus, self.yield_stress, self.strength, self.sealing)
        return tuple(dict.fromkeys(source for part in parts for source in part.sources))


@dataclass(frozen=True, slots=True)
class Film:
    """A film, for the pressures that it holds."""

    name: str
    """Name in tube files: one of `FILMS`, of which some numbers may be different; or `OWN`."""
    thickness: float
    """Thickness of one layer [m]."""
    modulus: float
    """Young's modulus [Pa]."""
    yield_stress: float
    """Hoop stress from which it yields [Pa]."""
    strength: float
    """Tensile strength [Pa]."""
    assumed: bool = False
    """Whether nobody has said that it is this film."""

    def __post_init__(self) -> None:
        check_positive("film", self, ("thickness", "modulus", "yield_stress", "strength"))
        if self.yield_stress > self.strength:
            raise ValueError(
                f"film.yield_stress = {self.yield_stress:g} must be at most film.strength = {self.strength:g}"
            )

    @property
    def material(self) -> str:
        """Name of its material in lists of parts."""
        made = material_of(self.name)
        return "own film" if made is None else made.title

    @property
    def most_stress(self) -> float:
        """Largest hoop stress of a set point [Pa]."""
        return LOADED * self.strength

    def most_pressure(self, radius: float) -> float:
        """Largest pressure of a set point [Pa] for the radius of the inflated film [m]: hoop stress P r / t."""
        return self.most_stress * self.thickness / radius

    def changed(self, numbers: Mapping[str, float]) -> Film:
        """Return a film of the same material for which some numbers are given, so that it is no assumption.

        Args:
            numbers: New values of its fields [m, Pa]; the load that a coated cloth carries does not change with its thickness.
        """
        other = numbers.get("thickness", self.thickness)
        made = self if other == self.thickness else self._of_thickness(other)
        given: dict[str, Any] = {**numbers, "assumed": False}
        return replace(made, **given)

    def _of_thickness(self, thickness: float) -> Film:
        """Return a film of the same material with another thickness [m]."""
        made = material_of(self.name)
        return replace(self, thickness=thickness) if made is None else made.film(self.name, thickness)


_NYLON_STRENGTH = 50 * 4.4482216152605 / 25.4e-3 / 0.1016e-3
MATERIALS = {
    "ldpe": Material(
        "LDPE",
        (40e-6, 50e-6, 60e-6, 100e-6),
        Quantity(0.2e9, ("laleh",), "175 MPa, rounded up: assumed"),
        Quantity(9.2e6, ("food",), "the least value"),
        Quantity(20e6, ("food",)),
        Sealing((140, 190), (0.2, 1.5), ("gao", "food", "gayanaga")),
    ),
    "hdpe": Material(
        "HDPE",
        (25e-6, 50e-6, 100e-6),
        Quantity(0.827e9, ("ilong",), "along the film, the lesser value"),
        Quantity(14.5e6, ("poly-flex",), "of thick sheet: assumed for film"),
        Quantity(24.5e6, ("is-10889",), "across the film, the lesser value"),
        Sealing((125, 140), (0.5, 5), ("hdpe-cast", "hdpe-blown")),
    ),
    "tpu": Material(
        "TPU",
        (50e-6, 100e-6, 200e-6),
        Quantity(12e6, ("platilon",), "secant at 50 % strain, 6 MPa over 0.5"),
        Quantity(5e6, ("platilon",), "it has no yield point: assumed as the least stress at 50 % strain"),
        Quantity(60e6, ("platilon",)),
        Sealing((170, 220), (1, 5), ("puxiong",)),
    ),
    "ripstop-tpu": Material(
        "nylon ripstop coated with TPU",
        (130e-6, 180e-6),
        Quantity(_NYLON_STRENGTH / 0.25, ("mil-c-7020",), "secant to the break, of the cloth"),
        Quantity(_NYLON_STRENGTH, ("mil-c-7020",), "threads do not yield: assumed as the strength"),
        Quantity(
            _NYLON_STRENGTH, ("mil-c-7020",), "of the cloth; its coating, assumed as 28 and 78 µm, carries no load"
        ),
        Sealing((170, 220), (1, 5), ("puxiong",)),
        cloth=0.1016e-3,
    ),
}
"""Materials by the first part of the names of their films. Rolls differ, in Platilon U by up to 30 %: test a sample of yours."""
FILMS = {
    name: made.film(name, thickness)
    for material, made in MATERIALS.items()
    for thickness in made.thicknesses
    for name in (f"{material}-{round(1e6 * thickness)}",)
}
"""Common films by their names in tube files, which end in the thickness in micrometres."""
STRIP_FILM = replace(FILMS["ldpe-50"], assumed=True)
"""Film of the actuators of paper 002 (supplement): LDPE of 50 um."""
COATED_FABRIC = STRIP_FILM
"""Fabric of an fPAM, which counts as that film (assumed)."""


def material_of(name: str) -> Material | None:
    """Return the material of the film with a name; None for an own film."""
    return MATERIALS[name.rpartition("-")[0]] if name in FILMS else None
