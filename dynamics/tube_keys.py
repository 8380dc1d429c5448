"""The keys of tube files: the name, unit and range of each number, and its conversion."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple, get_args

from dynamics.tube import InvalidTube, Physics
from surrogate.films import FILMS
from surrogate.spam import LEAST_ELASTICITY


class Key(NamedTuple):
    """A number of a tube in a file."""

    name: str
    """Name of the key, including the unit."""
    power: int
    """The number in a file is 10^power times the number in SI units."""
    least: float
    most: float
    """`least` and `most` are allowed, and in the unit of the file."""
    meaning: str


class NamedChoice(NamedTuple):
    """A tube property in a file that is one of several words."""

    name: str
    """Name of the key."""
    allowed: tuple[str, ...]
    meaning: str


PHYSICS = NamedChoice("physics", get_args(Physics), "equations: corrected, or published, those of paper 002 as printed")
FILM = NamedChoice(
    "film", tuple(FILMS), "film of the tube, for its strength, and for its thickness if that is not given"
)
STRIP = NamedChoice("film", tuple(FILMS), "film of the actuator, whose numbers count where they are not given")
STRIP_FILM = {
    "thickness": Key("film_thickness_um", 6, 1, 5000, "thickness of the actuator's film, one layer"),
    "modulus": Key("film_modulus_mpa", -6, 0.01, 1e6, "Young's modulus of the actuator's film"),
    "yield_stress": Key("film_yield_mpa", -6, 0.01, 1e4, "stress from which the actuator's film yields"),
    "strength": Key("film_strength_mpa", -6, 0.01, 1e4, "tensile strength of the actuator's film"),
}
"""The numbers of `surrogate.films.Film`."""
LAYFLAT = Key("layflat_mm", 3, 1.6, 3140, "lay-flat width of the tube, pi R, in place of the radius")
DIAMETER = Key("diameter_mm", 3, 1, 2000, "inflated diameter of the tube, 2 R, in place of the radius")
TUBE = {
    "radius": Key("radius_mm", 3, 0.5, 1000, "inflated radius R of the tube"),
    "growth_pressure": Key("growth_pressure_kpa", -3, 0.1, 1000, "gauge pressure P in the tube while it grows"),
    "segment_length": Key("segment_length_mm", 3, 0.1, 1000, "length of a rigid segment of the model"),
    "hinge_length": Key("hinge_length_mm", 3, 0.1, 1000, "length of tube to whose bend the restoring moment refers"),
    "growth_share": Key("growth_share", 0, 1e-6, 1e6, "growth force as a share of P pi R^2"),
    "growth_viscosity": Key("growth_viscosity_n", 0, 0, 1e4, "resisting force at the full growth rate"),
    "tail_tension": Key("tail_tension_n", 0, 0, 1e5, "force that the tension of the tail at the base takes from the tip"),
    "tail_drag": Key("tail_drag_n_per_m", 0, 0, 1e5, "further force that the tail takes from the tip, per length of tube"),
    "tail_friction": Key("tail_friction", 0, 0, 10, "coefficient of friction of the tail at bends (capstan)"),
    "bending_viscosity": Key("bending_viscosity_n_m2", 0, 0, 1e3, "damping of a joint: moment over bend per grown length"),
    "contact_stiffness": Key("contact_stiffness_n_per_m", 0, 1, 1e9, "stiffness of a contact with a wall"),
    "penetration_tolerance": Key("penetration_tolerance_mm", 3, 1e-4, 1000, "maximum penetration of obstacles in accepted states"),
    "least_height": Key("least_height", 0, 0.05, 1, "height to which walls squeeze the tube, in diameters; 1 if it is rigid"),
    "collapse_share": Key("collapse_share", 0, 0.05, 1, "moment at which the tube folds, over pi P R^3; 1 if it does not"),
    "thickness_share": Key("thickness_share", 0, 0, 1, "share of the thickness of inflated actuators that walls meet; 0 for none"),
    "friction": Key("friction", 0, 0, 10, "kinetic Coulomb friction coefficient on walls"),
    "static_friction": Key("static_friction", 0, 0, 10, "coefficient up to which a contact sticks, at least friction"),
    "film_thickness": Key("film_thickness_um", 6, 1, 5000, "thickness of the tube's film"),
    "film_modulus": Key("film_modulus_mpa", -6, 0.01, 1e6, "Young's modulus of the tube's film; with the thickness it sets EI"),
    "bending_stiffness": Key("bending_stiffness_n_m2", 0, 1e-9, 1e6, "measured EI before the tube wrinkles"),
}  # fmt: skip
INERTIA = {
    "mass_per_length": Key("mass_g_per_m", 3, 1e-3, 1e6, "mass of the tube, its tail and its actuators, per length"),
    "damping_time": Key("damping_time_s", 0, 0, 1e3, "damping divided by stiffness of a joint"),
    "growth_rate": Key("growth_rate_mm_per_s", 3, 1e-3, 1e5, "growth rate without resistance"),
    "tip_mass": Key("tip_mass_g", 3, 0, 1e5, "mass that the tip carries, such as a camera and its mount"),
}
LIMITS = {
    "shortest_cell": Key("shortest_cell_mm", 3, 0.1, 1e4, "shortest cell, or pouch, that can be made"),
    "longest_cell": Key("longest_cell_mm", 3, 0.1, 1e4, "longest cell, or pouch, that can be made"),
    "cell_step": Key("cell_step_mm", 3, 1e-3, 1e4, "step between cell lengths"),
    "least_pressure": Key("least_pressure_kpa", -3, 1e-3, 1e3, "least pressure of an actuator"),
    "most_pressure": Key("most_pressure_kpa", -3, 1e-3, 1e3, "greatest pressure of an actuator"),
    "pressure_step": Key("pressure_step_kpa", -3, 1e-3, 1e3, "step between pressures"),
}
ACTUATORS = {
    "spam": {
        "constriction_radius": Key("constriction_radius_mm", 3, 0.01, 1000, "radius to which brackets close the actuator"),
        "tube_radius": Key("tube_radius_mm", 3, 0.01, 1000, "radius of the saturated actuator"),
        "film_elasticity": Key("film_elasticity", 0, LEAST_ELASTICITY, 1, "empirical constant a of the sPAM model, dimensionless"),
        "seam": Key("seam_mm", 3, 0, 100, "length that a bracket holds and that does not shorten"),
    },
    "pouch": {
        "width": Key("width_mm", 3, 0.1, 1000, "width of the pouches across the tube"),
        "taut_strain": Key("taut_strain", 0, 1e-4, 0.3, "strain below which the film stretches"),
        "seam": Key("seam_mm", 3, 0, 100, "width of the seal between two pouches, which does not shorten"),
    },
    "fpam": {
        "rest_radius": Key("rest_radius_mm", 3, 0.01, 1000, "radius of the inflated actuator at its full length"),
        "stroke": Key("stroke", 0, 0.01, 0.42, "strain of full contraction, which gives the angle of the threads"),
    },
    "cpam": {
        "width": Key("width_mm", 3, 0.1, 1000, "width of the folded pouches across the tube"),
        "taut_strain": Key("taut_strain", 0, 1e-4, 0.2, "strain below which the film stretches"),
        "seam": Key("seam_mm", 3, 0, 100, "width of the seal between two pouches, which does not shorten"),
    },
}  # fmt: skip
"""The numbers of each type of actuator, in addition to `LIMITS`."""
ORDER = (
    ("penetration_tolerance", "radius"),
    ("constriction_radius", "tube_radius"),
    ("shortest_cell", "longest_cell"),
    ("least_pressure", "most_pressure"),
    ("yield_stress", "strength"),
)
"""Pairs of numbers of which the first must not exceed the second."""


def check_order(values: Mapping[str, float], keys: Mapping[str, Key], table: str) -> None:
    """Refuse limits in the wrong order; the message uses the keys and units of the file.

    Args:
        values: In SI units, by field.
        table: Name of their table, with a dot behind it; "" for none.
    Raises:
        InvalidTube: They are in the wrong order.
    """
    for low, high in ORDER:
        if low in values and high in values and values[low] > values[high]:
            least, most = (f"{table}{keys[end].name} = {scale(values[end], keys[end].power):g}" for end in (low, high))
            raise InvalidTube(f"{least} must be at most {most}")


def translate_message(message: str) -> str:
    """Translate a message about fields of a tube, in SI units, to the keys and units of files.

    Fields are replaced before a number, and where their name is no word of English.
    """
    keys = TUBE | INERTIA | LIMITS | {field: key for some in ACTUATORS.values() for field, key in some.items()}

    def replaced(found: re.Match[str]) -> str:
        key = keys[found["field"]]
        if found["value"]:
            return f"{key.name} = {scale(float(found['value']), key.power):g}"
        return key.name if "_" in found["field"] or message.startswith(" =", found.end()) else found[0]

    fields = "|".join(keys)
    return re.sub(rf"\b(?P<field>{fields})\b(?: = (?P<value>-?\d[-+.\de]*))?", replaced, message)


def to_si(content: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, float]:
    """Convert numbers of a file to SI units, by their fields; missing numbers and None are left out."""
    found = {field: (content.get(key.name), key.power) for field, key in keys.items()}
    return {field: scale(value, -power) for field, (value, power) in found.items() if value is not None}


def to_file(thing: Any, keys: Mapping[str, Key]) -> dict[str, float]:
    """Convert fields of an object to the keys and units of a file, so that `to_si` gives them back exactly; unknown fields are left out."""
    values = {key.name: (getattr(thing, field), key.power) for field, key in keys.items()}
    return {name: _to_file_number(value, power) for name, (value, power) in values.items() if value is not None}


def scale(value: float, power: int) -> float:
    """Scale a number by 10^power, in decimal arithmetic: 33.35 mm is exactly 0.03335 m."""
    return float(Decimal(repr(float(value))).scaleb(power))


def _to_file_number(value: float, power: int) -> float:
    """Find the number of a file that reads back as a value: the value times 10^power, or a neighbour where rounding loses a digit."""
    nearest = scale(value, power)
    for number in (nearest, math.nextafter(nearest, math.inf), math.nextafter(nearest, -math.inf)):
        if scale(number, -power) == value:
            return number
    return nearest
