"""The errors with which a tube and its environment are built: `[uncertainty]` in files, and presets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from environments.learnt_errors import LearntErrors


class ErrorKey(NamedTuple):
    """A number of `[uncertainty]` in a file."""

    name: str
    """Name of the key, including the unit."""
    factor: float
    """The number in a file is this times the number in SI units."""
    most: float
    """Largest number in the unit of the file; the smallest is 0."""
    meaning: str


class ObstacleError(NamedTuple):
    """A standard deviation of the object to which one obstacle belongs, in place of that of all objects."""

    obstacle: int
    """Its number, from 1 in the order of `Obstacles.shapes`."""
    field: str
    """A name of `OF_OBSTACLES`."""
    value: float
    """[m] or [rad]."""


OF_OBSTACLES = {
    "position_mm": "obstacle_position", "rotation_deg": "obstacle_rotation", "size_mm": "obstacle_size", "percent": "obstacle_share",
}  # fmt: skip
"""Fields of `Uncertainty` that files may give for single obstacles, by their key there."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Errors of what is built, as standard deviations of independent normal errors unless a field says otherwise.

    An object is a piece of the environment that moves as one: obstacles that touch one another, and each wall at the bounds by
    itself, see `environments.objects`.
    """

    obstacle_position: float = 0.0
    """x and y of each object [m]."""
    obstacle_rotation: float = 0.0
    """Turn of each object about its centre [rad]."""
    obstacle_size: float = 0.0
    """Outward offset of the outer faces of each object from the planned faces [m], equal for all faces of one object."""
    obstacle_share: float = 0.0
    """Size of each object, relative to its size, and x and y of its position, relative to its width or that of the tube, whichever is
    larger [-] (paper 002, section 6.3)."""
    start_position: float = 0.0
    """x and y of the base [m]."""
    start_heading: float = 0.0
    """Heading of the base [rad]."""
    pressure: float = 0.0
    """Pressure of each actuator [Pa]."""
    pressure_share: float = 0.0
    """Pressure of each actuator, relative to it [-]."""
    cell: float = 0.0
    """Cell length of each actuator [m]; its length stays as planned."""
    cell_common: float = 0.0
    """An error of the cell length that all actuators of a tube have in common [m]."""
    cell_share: float = 0.0
    """Cell length of each actuator, relative to it [-]; the length of the actuator changes by the same factor (paper 002)."""
    section_position: float = 0.0
    """Position of each actuator along the tube [m]."""
    section_length: float = 0.0
    """Length of each actuator [m]; the following ones are shifted by it."""
    section_turn: float = 0.0
    """Turn of each actuated section in free space [rad]."""
    curvature_share: float = 0.0
    """Curvature of each actuated section in free space, relative to it [-]."""
    preformed_position: float = 0.0
    """Position of each preformed bend along the tube [m]."""
    preformed_turn: float = 0.0
    """Turn of each preformed bend [rad]."""
    growth_pressure: float = 0.0
    """Growth pressure [Pa]."""
    moment_share: float = 0.0
    """Restoring moment of the tube, relative to it [-]: its film, and how it wrinkles."""
    contact_share: float = 0.0
    """Compliance of a contact with a wall, relative to it [-]."""
    friction: tuple[float, float] | None = None
    """Range of the coefficient of friction on walls, uniform [-]; None for that of the tube or the environment."""
    learnt: LearntErrors | None = None
    """Errors that trials of a built tube told, in place of those that the other fields say."""
    of_obstacles: tuple[ObstacleError, ...] = ()
    """Errors of single objects; if several obstacles of one object are named, the largest value counts."""

    def __post_init__(self) -> None:
        given = [(field, getattr(self, field)) for field in KEYS if field != "friction"]
        given += [("friction", number) for number in self.friction or ()]
        given += [(error.field, error.value) for error in self.of_obstacles]
        for field, number in given:
            key = KEYS[field]
            if not 0 <= number * key.factor <= key.most * (1 + 1e-12):
                raise ValueError(f"{key.name} = {number * key.factor:g} must be from 0 to {key.most:g}")
        if self.friction and self.friction[0] > self.friction[1]:
            raise ValueError(f"friction = {list(self.friction)} must have its smaller number first")

    def scaled(self, factor: float) -> Uncertainty:
        """All standard deviations times a factor [-]; the range of friction and learnt errors stay."""
        single = tuple(error._replace(value=factor * error.value) for error in self.of_obstacles)
        changes = {field: factor * getattr(self, field) for field in KEYS if field != "friction"}
        return replace(self, of_obstacles=single, **changes)

    @classmethod
    def of_levels(cls, obstacles: float, bending: float) -> Uncertainty:
        """Return the two axes of paper 002, Fig. 9 [-]: obstacles, and pressure and cell length of the actuators."""
        return cls(obstacle_share=obstacles, pressure_share=bending, cell_share=bending)

    def content(self) -> dict[str, Any]:
        """Content for a file, in its units; without what is exact."""
        found: dict[str, Any] = {}
        for field, key in KEYS.items():
            if value := getattr(self, field):
                found[key.name] = list(value) if field == "friction" else _to_file_unit(field, value)
        names = {field: name for name, field in OF_OBSTACLES.items()}
        for error in self.of_obstacles:
            single = found.setdefault("obstacle", {}).setdefault(str(error.obstacle), {})
            single[names[error.field]] = _to_file_unit(error.field, error.value)
        if self.learnt:
            found["learnt"] = self.learnt.content()
        return found


def _to_file_unit(field: str, value: float) -> float:
    return float(f"{value * KEYS[field].factor:.12g}")


_MM, _DEG, _PERCENT, _KPA = 1e3, 180 / math.pi, 100.0, 1e-3
KEYS = {
    "obstacle_position": ErrorKey("obstacle_position_mm", _MM, 1000, "x and y of each object"),
    "obstacle_rotation": ErrorKey("obstacle_rotation_deg", _DEG, 45, "turn of each object about its centre"),
    "obstacle_size": ErrorKey("obstacle_size_mm", _MM, 100, "outer faces of each object, outwards"),
    "obstacle_share": ErrorKey("obstacle_percent", _PERCENT, 100, "size of each object, and position relative to its width"),
    "start_position": ErrorKey("start_position_mm", _MM, 1000, "x and y of the base"),
    "start_heading": ErrorKey("start_heading_deg", _DEG, 45, "heading of the base"),
    "pressure": ErrorKey("pressure_kpa", _KPA, 1000, "pressure of each actuator"),
    "pressure_share": ErrorKey("pressure_percent", _PERCENT, 100, "pressure of each actuator, relative to it"),
    "cell": ErrorKey("cell_mm", _MM, 100, "cell length of each actuator"),
    "cell_common": ErrorKey("cell_common_mm", _MM, 100, "cell length of all actuators together"),
    "cell_share": ErrorKey("cell_percent", _PERCENT, 100, "cell length and length of each actuator, relative to them"),
    "section_position": ErrorKey("section_position_mm", _MM, 1000, "position of each actuator along the tube"),
    "section_length": ErrorKey("section_length_mm", _MM, 1000, "length of each actuator; those after it are shifted"),
    "section_turn": ErrorKey("section_turn_deg", _DEG, 90, "turn of each actuated section in free space"),
    "curvature_share": ErrorKey("curvature_percent", _PERCENT, 100, "curvature of each actuated section, relative to it"),
    "preformed_position": ErrorKey("preformed_position_mm", _MM, 1000, "position of each preformed bend along the tube"),
    "preformed_turn": ErrorKey("preformed_turn_deg", _DEG, 90, "turn of each preformed bend"),
    "growth_pressure": ErrorKey("growth_pressure_kpa", _KPA, 1000, "growth pressure"),
    "moment_share": ErrorKey("moment_percent", _PERCENT, 100, "restoring moment of the tube, relative to it"),
    "contact_share": ErrorKey("contact_percent", _PERCENT, 100, "compliance of contacts, relative to it"),
    "friction": ErrorKey("friction", 1.0, 10, "least and greatest coefficient of friction on walls, uniform between them"),
}  # fmt: skip
"""The keys of `[uncertainty]` by the fields of `Uncertainty`."""

WORKSHOP = Uncertainty(
    obstacle_position=3e-3,
    obstacle_rotation=math.radians(0.3),
    obstacle_size=0.5e-3,
    start_position=4e-3,
    start_heading=math.radians(1.5),
    pressure=700.0,
    cell=1e-3,
    cell_common=0.3e-3,
    section_position=3e-3,
    section_length=2e-3,
    curvature_share=0.05,
    preformed_position=3e-3,
    preformed_turn=math.radians(2.0),
    friction=(0.0, 0.1),
)
"""A careful maker with rulers and clamps. Base: recordings of six deployments stood 0 to 14 mm beside their plan and were 0 to 7
degrees off; friction: the range in which recordings are met best (`results/validation`). All other figures are assumptions. The turn of a
preformed bend is that of six folds on the prototype, each 0.5 mm too deep or shallow."""
HANDMADE = Uncertainty(
    section_turn=math.radians(0.12),
    section_length=0.36e-3,
    preformed_position=0.36e-3,
    preformed_turn=math.radians(0.12),
)
"""The best of six tubes with preformed bends, made by hand in a bench without errors (Agharese and Okamura, 2023): turn of each bend,
and length of each section. They are the least errors of any making, so no typical ones."""
LASERCUT = replace(
    WORKSHOP,
    obstacle_position=1e-3,
    obstacle_rotation=math.radians(0.1),
    obstacle_size=0.2e-3,
    start_position=1e-3,
    start_heading=math.radians(0.5),
    cell=0.3e-3,
    cell_common=0.1e-3,
    section_position=0.5e-3,
    section_length=0.5e-3,
    curvature_share=0.03,
    preformed_position=0.5e-3,
    preformed_turn=math.radians(0.7),
)
"""A bench and a tube cut by a machine, with a bracket for the base; assumptions. Pressures and friction are as in a workshop."""
FIELD = replace(
    WORKSHOP,
    obstacle_position=20e-3,
    obstacle_rotation=math.radians(3.0),
    obstacle_size=5e-3,
    start_position=10e-3,
    start_heading=math.radians(3.0),
    friction=(0.0, 0.3),
)
"""A tube from a workshop, in an environment that was paced out or read off a plan; assumptions."""
PAPER = Uncertainty.of_levels(0.1, 0.1)
"""Paper 002, Fig. 9 at 10 % of both. A percent of obstacles is one of the size of each object and, of its position, one of its width;
a percent of bending is one of the pressure and of the cell length of each actuator."""
PRESETS = {
    "workshop": WORKSHOP, "handmade": HANDMADE, "lasercut": LASERCUT, "field": FIELD, "paper": PAPER, "none": Uncertainty(),
}  # fmt: skip
"""Errors by name."""
DEFAULT = "workshop"


def uncertainty_of(preset: str, *given: Mapping[str, Any], friction_known: bool = False) -> Uncertainty:
    """Return a preset with the keys that files give; later ones take precedence.

    Args:
        preset: One of `PRESETS`.
        given: Keys of `[uncertainty]` with their values in the units of files.
        friction_known: Whether tube or environment have a coefficient of friction: the range of a preset is not used then.
    Raises:
        ValueError: A name is unknown, or a value out of its range.
    """
    if preset not in PRESETS:
        raise ValueError(f"uncertainty {preset!r:.40} must be one of {', '.join(PRESETS)}")
    fields_of, made = {key.name: field for field, key in KEYS.items()}, PRESETS[preset]
    if friction_known:
        made = replace(made, friction=None)
    changes: dict[str, Any] = {}
    for name, value in [pair for one in given for pair in one.items()]:
        if name not in fields_of:
            raise ValueError(f"unknown key {name:.40}; allowed: {', '.join(fields_of)}")
        field = fields_of[name]
        changes[field] = tuple(value) if field == "friction" else value / KEYS[field].factor
    return replace(made, **changes)
