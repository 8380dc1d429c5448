"""Films to build from: their thickness in a build, and ranges of thickness, sealing temperature and time with their sources."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.tube import VineParams


@dataclass(frozen=True, slots=True)
class Thickness:
    """Thickness of a film, and whether it is an assumption."""

    metres: float
    assumed: bool = False

    def text(self, unit: str = "um") -> str:
        """Return the thickness with its unit, by default in ASCII."""
        return f"{1e6 * self.metres:g} {unit}{' (assumed)' if self.assumed else ''}"


STRIP_FILM = Thickness(50e-6, assumed=True)
"""Thickness of the film of the actuators, which no tube file gives (paper 002, supplement)."""


def body_film(params: VineParams) -> Thickness:
    """Return the thickness of the film of a tube's body; that of `STRIP_FILM` is assumed if the tube gives none."""
    return STRIP_FILM if params.film_thickness is None else Thickness(params.film_thickness)


@dataclass(frozen=True, slots=True)
class Film:
    """A kind of film. All numbers are starting points for a test strip."""

    name: str
    thickness: str
    temperature: str
    """Temperature of the sealing bar or iron."""
    time: str
    """Time under heat and pressure."""
    sources: tuple[int, ...]
    """Numbers of `SOURCES`, from 1; none for an assumption."""


FILMS = (
    Film("LDPE lay-flat tube, as in the model", "40 to 60 µm", "140 to 190 °C", "0.2 to 1.5 s", (1, 2, 3)),
    Film("TPU film, or nylon ripstop coated with TPU", "70 to 200 µm (assumed)", "170 to 220 °C", "1 to 5 s", (4,)),
)
SOURCES = (
    "Gao et al., Parallel Simulation of Contact and Actuation for Soft Growing Robots, supplement: body and sPAMs of LDPE tube "
    "of 50 µm, double-sided tape through slots of printed brackets, pressure regulators with feedback.",
    "Journal of Food Science and Technology 52(9), 2015, pp. 5456 to 5469, Table 1 (ASTM F88, 2 kg/cm²): LDPE of 40 µm seals at "
    "142 to 180 °C, of 60 µm at 150 to 190 °C; it breaks at 18.5 to 20.9 MPa and yields at 9.2 to 10.5 MPa.",
    "Maker's guide to foot-operated sealing machines (Gayanaga): films of 30 to 80 µm need 0.2 to 1.5 s of heat.",
    "Maker's note on hot-press welding of TPU film (Puxiong Group, 2025): 170 to 220 °C, 0.2 to 0.8 MPa, 1 to 5 s, cooled under "
    "pressure.",
    "Cheng, Hassan, Ghazali and Ismail, Heat Sealability of Laminated Films with LLDPE and LDPE as the Sealant Materials in Bar "
    "Sealing Application, Journal of Applied Polymer Science 104, 2007: temperature decides; time only has to be long enough to "
    "heat the interface, and pressure matters little beyond good contact.",
    "Perez et al., Investigation of Interlayer Interface Strength and Print Morphology Effects in Fused Deposition Modeling "
    "3D-Printed PLA, 3D Printing and Additive Manufacturing 8(1), 2021: 22.8 MPa across the layers.",
    "Mireles et al., Analysis of Sealing Methods for FDM-fabricated Parts, 2011: printed caps leak as printed; brushed with "
    "sealant they held up to about 276 kPa.",
)
"""Sources of the numbers of the guide; cited by their position, from 1."""
