"""Actuators in files: a table `actuator` for the first of a tube, and a list `other_actuators` of those that are mixed with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, create_model

from dynamics.file_table import FileTable, choice_of, numbers_of
from dynamics.film_file import film_content, film_of
from dynamics.tube import RADIUS, InvalidTube, VineParams
from dynamics.tube_keys import ACTUATORS, LIMITS, STRIP, STRIP_FILM, check_order, to_file, to_si
from environments.error_messages import describe
from surrogate.actuators import Actuator, Limits
from surrogate.films import Film
from surrogate.registry import actuators

OTHERS = "other_actuators"
"""Key of the list."""


def actuator_table(kind: str, whole: bool = False) -> Any:
    """Return the model of an actuator type; every key but those of its film is optional unless `whole`."""
    numbers = numbers_of(ACTUATORS[kind], whole) | choice_of(STRIP)
    numbers |= numbers_of(STRIP_FILM, whole=False) | numbers_of(LIMITS, whole)
    kinds: Any = Literal[kind]
    chosen = kinds, Field(... if whole else kind, description="type of the actuator")
    return create_model("actuator", __base__=FileTable, type=chosen, **numbers)


_TABLES = {kind: actuator_table(kind) for kind in ACTUATORS}
OTHERS_FIELD: Any = (
    Annotated[list[dict[str, Any]], Field(min_length=1, max_length=len(ACTUATORS))] | None,
    Field(
        None,
        description="actuators that are mixed with the first, all of other types; their keys are those of `actuator`",
    ),
)
"""The field `OTHERS` of a pydantic model; `actuators_of` checks what is in it."""


def actuator_kind(content: Any) -> str:
    """Return the actuator type of a parsed tube; the default if none is given.

    Raises:
        InvalidTube: The type is unknown.
    """
    match content:
        case {"actuator": {"type": kind}}:
            if not isinstance(kind, str) or kind not in ACTUATORS:
                raise InvalidTube(f"actuator.type = {kind!r:.40} must be one of {', '.join(ACTUATORS)}")
            return kind
    return next(iter(ACTUATORS))


def similar_actuator(kind: str, radius: float) -> Actuator:
    """Return an actuator of a type with its usual numbers, the lengths in proportion to the radius of the tube [m].

    A seam is as wide as the bar that seals it, whatever the tube.
    """
    usual, size = actuators()[kind](), radius / RADIUS
    shape = {
        key: getattr(usual, key) * (size if one.power and key != "seam" else 1.0)
        for key, one in ACTUATORS[kind].items()
    }
    lengths = {key: getattr(usual.limits, key) * size for key in ("shortest_cell", "longest_cell", "cell_step")}
    return _make_actuator(kind, shape, replace(usual.limits, **lengths), usual.film)


def actuators_of(content: Mapping[str, Any], radius: float) -> tuple[Actuator, ...]:
    """Make the actuators of a tube from numbers, validated except for `OTHERS`; missing numbers default to those of `similar_actuator`.

    Raises:
        InvalidTube: The numbers of one are in the wrong order, or one of `OTHERS` is invalid.
        ValueError: The numbers of one are inconsistent.
    """
    tables = [("actuator.", actuator_kind(content), content.get("actuator") or {})]
    for number, part in enumerate(content.get(OTHERS) or ()):
        table = f"{OTHERS}[{number}]."
        tables.append((table, part.get("type"), _check(table, part)))
    found = []
    for table, kind, part in tables:
        usual = similar_actuator(kind, radius)
        shape = {key: getattr(usual, key) for key in ACTUATORS[kind]} | to_si(part, ACTUATORS[kind])
        limits = {key: getattr(usual.limits, key) for key in LIMITS} | to_si(part, LIMITS)
        check_order(shape, ACTUATORS[kind], table)
        check_order(limits, LIMITS, table)
        found.append(_make_actuator(kind, shape, Limits(**limits), film_of(part, usual.film, table)))
    return tuple(found)


def _check(table: str, part: Mapping[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in ACTUATORS:
        given = f"{table}type = {kind!r:.40}" if "type" in part else f"{table}type"
        raise InvalidTube(f"{given} must be one of {', '.join(ACTUATORS)}")
    try:
        found: dict[str, Any] = _TABLES[kind].model_validate(part).model_dump(exclude_none=True)
    except ValidationError as error:
        raise InvalidTube(describe(error, _TABLES[kind], table)) from None
    return found


def replace_actuators(tube: VineParams, kinds: list[str]) -> VineParams:
    """Replace the actuators of a tube by actuators of given types, all different: its own, or else those of `similar_actuator`."""
    own = {one.kind: one for one in tube.actuators}
    first, *others = (own.get(kind) or similar_actuator(kind, tube.radius) for kind in kinds)
    return replace(tube, actuator=first, others=tuple(others))


def actuator_contents(params: VineParams) -> dict[str, Any]:
    """Return the actuators of a tube in the units of files; `actuators_of` is the inverse.

    Raises:
        TypeError: Files have no key for an actuator.
    """
    for one in params.actuators:
        if one.kind not in ACTUATORS:
            raise TypeError(
                f"tube files have no key for {type(one).__name__}: add it to surrogate/registry.py and dynamics/tube_keys.py"
            )
    first, *others = (
        {
            "type": one.kind,
            **to_file(one, ACTUATORS[one.kind]),
            **film_content(one.film),
            **to_file(one.limits, LIMITS),
        }
        for one in params.actuators
    )
    return {"actuator": first, **({OTHERS: others} if others else {})}


def _make_actuator(kind: str, shape: dict[str, float], limits: Limits, film: Film) -> Actuator:
    make: Any = actuators()[kind]
    made: Actuator = make(**shape, limits=limits, film=film)
    return made
