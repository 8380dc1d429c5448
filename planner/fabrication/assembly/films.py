"""Films to build from: those of a build, and the ranges of thickness, sealing temperature and time with their sources."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.tube import VineParams
from surrogate.actuators import Actuator
from surrogate.films import MATERIALS, Film, Material
from surrogate.films import SOURCES as OF_FILMS


@dataclass(frozen=True, slots=True)
class Thickness:
    """Thickness of a film of a build, its material, and whether it is an assumption."""

    metres: float
    assumed: bool = False
    material: str = MATERIALS["ldpe"].title

    @classmethod
    def of(cls, film: Film) -> Thickness:
        """Return that of a film."""
        return cls(film.thickness, film.assumed, film.material)

    def text(self, unit: str = "um") -> str:
        """Return the thickness with its unit, by default in ASCII."""
        return f"{1e6 * self.metres:g} {unit}{' (assumed)' if self.assumed else ''}"


def body_film(params: VineParams) -> Thickness:
    """Return the thickness of the film of a tube's body; assumed if the tube gives none."""
    return Thickness.of(params.wall)


def strip_film(actuator: Actuator) -> Thickness:
    """Return the thickness of the film of an actuator's strips; assumed if the tube gives none."""
    return Thickness.of(actuator.film)


def number_of(source: str) -> int:
    """Return the number under which the guide cites a source, from 1."""
    return SOURCES.index(source) + 1


@dataclass(frozen=True, slots=True)
class FilmRow:
    """A material in the guide's table of films. All numbers are starting points for a test strip."""

    name: str
    thickness: str
    temperature: str
    """Temperature of the sealing bar or iron."""
    time: str
    """Time under heat and pressure."""
    sources: tuple[int, ...]
    """Numbers of `SOURCES`, from 1."""

    @classmethod
    def of(cls, material: Material) -> FilmRow:
        """Return the row of a material."""
        low, high = (f"{1e6 * end:g}" for end in (min(material.thicknesses), max(material.thicknesses)))
        sealing = material.sealing
        return cls(
            f"{material.title}{', as in the model' if material is MATERIALS['ldpe'] else ''}",
            f"{low} to {high} µm",
            "{:g} to {:g} °C".format(*sealing.temperature),
            "{:g} to {:g} s".format(*sealing.time),
            tuple(number_of(OF_FILMS[source]) for source in sealing.sources),
        )


SOURCES = (
    *(OF_FILMS[key] for key in ("gao", "food", "gayanaga", "puxiong")),
    "Cheng, Hassan, Ghazali and Ismail, Heat Sealability of Laminated Films with LLDPE and LDPE as the Sealant Materials in Bar "
    "Sealing Application, Journal of Applied Polymer Science 104, 2007: temperature decides; time only has to be long enough to "
    "heat the interface, and pressure matters little beyond good contact.",
    "Perez et al., Investigation of Interlayer Interface Strength and Print Morphology Effects in Fused Deposition Modeling "
    "3D-Printed PLA, 3D Printing and Additive Manufacturing 8(1), 2021: 22.8 MPa across the layers.",
    "Mireles et al., Analysis of Sealing Methods for FDM-fabricated Parts, 2011: printed caps leak as printed; brushed with "
    "sealant they held up to about 276 kPa.",
    *(OF_FILMS[key] for key in ("hdpe-cast", "hdpe-blown")),
)
"""Sources of the numbers of the guide; cited by their position, from 1."""
FILMS = tuple(FilmRow.of(material) for material in MATERIALS.values())
"""Rows of the guide's table of films."""
