"""Reading and writing of tube files (`tube.toml`), and the shipped tubes.

Missing keys default to the prototype's values, scaled with the tube's radius and growth pressure (`similar`): lengths with R,
forces with P R^2, moments with P R^3. `template` writes a file with every key, its unit and its meaning.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any, Literal

from pydantic import Field, ValidationError, create_model

from dynamics.actuator_file import (
    OTHERS,
    OTHERS_FIELD,
    actuator_contents,
    actuator_kind,
    actuator_table,
    actuators_of,
    similar_actuator,
)
from dynamics.file_table import FileTable, choice_of, numbers_of
from dynamics.film_file import shown_film
from dynamics.moment import collapse_moment, wrinkling
from dynamics.shipped import ShippedFiles
from dynamics.tube import GROWTH_PRESSURE, Inertia, InvalidTube, VineParams
from dynamics.tube_keys import (
    ACTUATORS,
    DIAMETER,
    FILM,
    INERTIA,
    LAYFLAT,
    LIMITS,
    PHYSICS,
    STRIP,
    STRIP_FILM,
    TUBE,
    Key,
    NamedChoice,
    check_order,
    to_file,
    to_si,
    translate_message,
)
from dynamics.tube_size import SIZES, sizes_of, with_radius
from environments.error_messages import describe
from environments.file_model import ERRORS, Name
from environments.reading import parse_toml
from environments.uncertainty import DEFAULT, PRESETS
from environments.uncertainty_in_files import StatedUncertainty
from surrogate.films import FILMS

SCHEMA = 1


# ---- schema of a file ----


def tube_table(whole: bool = False, **extra: Any) -> Any:
    """The model of a tube without its actuator; every key is optional unless `whole`.

    Args:
        extra: Additional fields, in the form of pydantic's `create_model`.
    """
    numbers = numbers_of(TUBE, whole) | choice_of(FILM) | numbers_of(INERTIA, whole)
    words: Any = Literal[PHYSICS.allowed]
    # Tubes written whole before there was a choice have the published physics.
    default = Field("published" if whole else None, description=PHYSICS.meaning)
    physics = words if whole else words | None, default
    errors: Any = ERRORS | None, Field(None, description="errors with which the tube is built, as standard deviations")
    return create_model("tube", __base__=FileTable, **numbers, physics=physics, uncertainty=errors, **extra)


_FILE_MODELS = {
    kind: tube_table(
        **numbers_of({"layflat": LAYFLAT, "diameter": DIAMETER}, whole=False),
        version=(int, Field(alias="schema", ge=SCHEMA, le=SCHEMA, description="schema of the file")),
        name=(Name | None, Field(None, description="name of the tube; not used")),
        description=(str, Field(default="", max_length=2000, description="for people; not used")),
        actuator=(actuator_table(kind) | None, Field(None, description="the first, or only, actuator of the tube")),
        other_actuators=OTHERS_FIELD,
    )
    for kind in ACTUATORS
}


# ---- conversion between the numbers of a file and a tube ----


def similar(radius: float, growth_pressure: float = GROWTH_PRESSURE, kind: str = "spam") -> VineParams:
    """The prototype scaled to another radius and growth pressure, with the same film.

    Lengths scale with R, forces with P R^2, moments with P R^3, mass per length with the film's circumference.
    """
    usual = VineParams()
    size, press = radius / usual.radius, growth_pressure / usual.growth_pressure
    return VineParams(
        radius=radius,
        growth_pressure=growth_pressure,
        segment_length=usual.segment_length * size,
        hinge_length=usual.hinge_length * size,
        growth_share=usual.growth_share,
        growth_viscosity=usual.growth_viscosity * press * size**2,
        tail_tension=usual.tail_tension * press * size**2,
        tail_drag=usual.tail_drag * press * size,
        tail_friction=usual.tail_friction,
        bending_viscosity=usual.bending_viscosity * press * size**4,
        contact_stiffness=usual.contact_stiffness * press * size,
        penetration_tolerance=usual.penetration_tolerance * size,
        inertia=replace(usual.inertia, mass_per_length=usual.inertia.mass_per_length * size),
        actuator=similar_actuator(kind, radius),
    )


def tube_of(content: Mapping[str, Any]) -> VineParams:
    """The tube with validated numbers in the form of `tube_content`; missing ones default to those of `similar`.

    Raises:
        InvalidTube: The numbers are inconsistent.
    """
    given: dict[str, Any] = to_si(content, TUBE)
    usual = VineParams()
    radius, pressure = given.get("radius", usual.radius), given.get("growth_pressure", usual.growth_pressure)
    try:
        base, (actuator, *others) = similar(radius, pressure), actuators_of(content, radius)
        tolerance = given.get("penetration_tolerance", base.penetration_tolerance)
        check_order({"radius": radius, "penetration_tolerance": tolerance}, TUBE, "")
        made = replace(
            base,
            **given,
            physics=content.get(PHYSICS.name) or base.physics,
            film=content.get(FILM.name),
            inertia=replace(base.inertia, **to_si(content, INERTIA)),
            actuator=actuator,
            others=tuple(others),
            uncertainty=StatedUncertainty.of(content.get("uncertainty")),
        )
        check_bends(made)
    except InvalidTube:
        raise
    except ValueError as error:
        raise InvalidTube(translate_message(str(error))) from None
    return made


def check_bends(params: VineParams) -> None:
    """Check that the wrinkling model is valid for a tube.

    Raises:
        ValueError: It is not; the message gives a remedy.
    """
    critical, transition = wrinkling(params)
    if not (0 < critical < 0.5 and 0 < transition < math.pi / 2):
        raise ValueError(
            f"growth_pressure_kpa = {1e-3 * params.growth_pressure:g} must be within the range of the wrinkling measurements (Wang et al.),"
            " about 0.5 to 34 kPa; at other pressures, give film_thickness_um and film_modulus_mpa, or bending_stiffness_n_m2"
        )
    collapse_moment(params)


def tube_content(params: VineParams) -> dict[str, Any]:
    """All known numbers of a tube in the units of files; `tube_of` is the inverse."""
    apart = {"physics", "film", "inertia", "actuator", "others", "uncertainty"}
    unwritten = {field.name for field in fields(VineParams)} - {*TUBE} - apart
    unwritten |= {field.name for field in fields(Inertia)} - {*INERTIA}
    if unwritten:
        raise TypeError(f"tube files have no key for {', '.join(sorted(unwritten))}")
    content: dict[str, Any] = to_file(params, TUBE) | {PHYSICS.name: params.physics} | to_file(params.inertia, INERTIA)
    # Left out where nothing was given: files stay as they were before there was such a key or table.
    film = {FILM.name: params.film} if params.film else {}
    errors = {"uncertainty": params.uncertainty.content()} if params.uncertainty else {}
    return {**content, **film, **actuator_contents(params), **errors}


def difference(one: VineParams, other: VineParams) -> str:
    """Differences between two tubes in the keys of files: the first three, and the number of others; "" if they are equal."""
    here, there = (_flat(tube_content(params)) for params in (one, other))
    found = [key for key in {**here, **there} if here.get(key) != there.get(key)]
    differences = [f"{key} {_text(here.get(key))} there, {_text(there.get(key))} here" for key in found[:3]]
    more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    return "; ".join(differences) + more


def _flat(content: Mapping[str, Any], table: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        inside = {one["type"]: one for one in value} if key == OTHERS else value
        found |= _flat(inside, f"{table}{key}.") if isinstance(inside, dict) else {table + key: value}
    return found


def _text(value: float | str | list[float] | None) -> str:
    return "unknown" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


# ---- files ----


SHIPPED = ShippedFiles("tubes", ("tubes",), InvalidTube)


def known_tubes() -> list[str]:
    """Sorted names of the shipped tubes."""
    return SHIPPED.names()


def load_tube(name_or_path: str | os.PathLike[str]) -> VineParams:
    """Read and check a tube.

    Args:
        name_or_path: One of `known_tubes()`, or the path of a TOML file.
    Raises:
        InvalidTube: The file is missing, malformed or describes an impossible tube.
    """
    return SHIPPED.read(name_or_path, check_tube)


def given_keys(name_or_path: str | os.PathLike[str]) -> frozenset[str]:
    """The keys that a tube gives, without those inside its tables; all others have their defaults.

    Args:
        name_or_path: As in `load_tube`.
    Raises:
        InvalidTube: As in `load_tube`.
    """
    return SHIPPED.read(name_or_path, frozenset)


def parse_tube(data: bytes) -> VineParams:
    """Parse and check the content of a tube file.

    Raises:
        InvalidTube: As in `load_tube`, without the file's name.
    """
    return check_tube(parse_toml(data, InvalidTube))


def check_tube(content: dict[str, Any]) -> VineParams:
    """The tube in the parsed content of a tube file, checked.

    Raises:
        InvalidTube: As in `load_tube`, without the file's name.
    """
    model = _FILE_MODELS[actuator_kind(content)]
    try:
        checked = model.model_validate(_floats(content))
    except ValidationError as error:
        raise InvalidTube(describe(error, model)) from None
    # Scaled numbers have digits that a file cannot keep: as they read back, a run that is resumed has the same tube.
    made = tube_of(tube_content(tube_of(with_radius(checked.model_dump(exclude_none=True)))))
    if made.growth_share > 1:
        raise InvalidTube(
            f"growth_share = {made.growth_share:g} must be at most 1: no tube pushes with more than P pi R^2"
        )
    return made


def _floats(content: dict[str, Any]) -> dict[str, Any]:
    """Convert integers to floats, except that of `schema`."""

    def inside(value: Any) -> Any:
        of_list = isinstance(value, list) and all(isinstance(one, dict) for one in value)
        return _floats(value) if isinstance(value, dict) else [_floats(one) for one in value] if of_list else value

    made = {key: inside(value) for key, value in content.items()}
    whole = {
        key: float(value) for key, value in made.items() if type(value) is int and key != "schema" and abs(value) < 1e15
    }
    return {**made, **whole}


def tube_description(name: str) -> str:
    """The description of a shipped tube."""
    return SHIPPED.read(name, lambda content: str(content.get("description", "")))


HEADER = (
    "# A tube: every key is optional. Missing keys default to the prototype's, scaled with radius and growth pressure:",
    "# lengths with R, forces with P R^2, moments with P R^3. Give one of radius_mm, diameter_mm and layflat_mm.",
    f"# Films: {', '.join(FILMS)}.",
)


def _others_hint(kind: str) -> list[str]:
    """Lines for files of tubes with one type of actuator."""
    other = next(one for one in ("pouch", *ACTUATORS) if one != kind)
    return [
        "",
        f"# [[{OTHERS}]]  # another type that may be mixed with it along the tube, with its keys",
        f'# type = "{other}"',
    ]


ERRORS_HINT = [
    "",
    "# [uncertainty]  # standard deviations of the errors with which this tube is made, see docs/howto/uncertainty.md",
    f'# preset = "{DEFAULT}"  # {" or ".join(PRESETS)}',
]
"""In files of tubes that give none."""


def tube_text(params: VineParams, notes: Mapping[str, str] | None = None, left_out: Collection[str] = ()) -> str:
    """Text of a tube file with every known number and its meaning; what is unknown or assumed is commented out.

    Args:
        notes: Additions to the comments of keys, by the key's name.
        left_out: Names of keys to comment out although they are known.
    """
    content, notes = tube_content(params), notes or {}
    lines = [*HEADER, "", f"schema = {SCHEMA}", ""]
    lines.append(_line(TUBE["radius"], content, notes, left_out))
    sizes = {key: float(f"{value:.6g}") for key, value in sizes_of(params.radius).items()}
    lines += [_line(key, sizes, notes, SIZES) for key in (DIAMETER, LAYFLAT)]
    lines += [_line(key, content, notes, left_out) for key in (*_keys_but_radius(), PHYSICS, *INERTIA.values())]
    others = content.get(OTHERS, [])
    tables = ["[actuator]", *(f"[[{OTHERS}]]" for _ in others)]
    for table, part, actuator in zip(tables, [content["actuator"], *others], params.actuators, strict=True):
        own: list[Key | NamedChoice] = [
            *ACTUATORS[actuator.kind].values(),
            STRIP,
            *STRIP_FILM.values(),
            *LIMITS.values(),
        ]
        assumed = shown_film(actuator.film).keys() - part.keys()
        shown = shown_film(actuator.film) | part
        lines += ["", table, f'type = "{actuator.kind}"  # {" or ".join(ACTUATORS)}']
        lines += [_line(key, shown, notes, {*left_out, *assumed}) for key in own]
    if not others:
        lines += _others_hint(params.actuator.kind)
    return "\n".join(lines + (params.uncertainty.lines() or ERRORS_HINT)) + "\n"


def _keys_but_radius() -> list[Key | NamedChoice]:
    """Keys of the tube after its size, with the name of the film before the film's numbers."""
    keys: list[Key | NamedChoice] = [key for field, key in TUBE.items() if field != "radius"]
    keys.insert(keys.index(TUBE["film_thickness"]), FILM)
    return keys


def template(params: VineParams) -> str:
    """A file to edit with radius and growth pressure; all other keys are commented out, with this tube's values."""
    of_actuators = [key for one in params.actuators for key in ACTUATORS[one.kind].values()]
    numbers = (*TUBE.values(), *INERTIA.values(), *of_actuators, *STRIP_FILM.values(), *LIMITS.values())
    given = {"radius_mm", "growth_pressure_kpa"}
    return tube_text(params, left_out={FILM.name, PHYSICS.name, *(key.name for key in numbers)} - given)


def _line(
    key: Key | NamedChoice, content: Mapping[str, Any], notes: Mapping[str, str], left_out: Collection[str]
) -> str:
    value, note = content.get(key.name), f"; {notes[key.name]}" if key.name in notes else ""
    given = f"{key.name} = {'' if value is None else json.dumps(value)}"
    return f"{'# ' * (value is None or key.name in left_out)}{given}  # {key.meaning}{note}"
