"""Films of actuators in files: the name of a common film, and numbers that replace its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynamics.tube_keys import STRIP, STRIP_FILM, check_order, to_file, to_si
from surrogate.films import FILMS, OWN, Film


def film_of(part: Mapping[str, Any], usual: Film, table: str) -> Film:
    """Return the film of an actuator from validated keys; the usual one if none is given.

    Numbers replace those of the film that is named, or of the usual one; all four without a name are a film of their own.

    Args:
        part: Table of the actuator in the units of files.
        usual: Film of actuators of this type.
        table: Name of the table in messages, with a dot behind it.
    Raises:
        InvalidTube: It yields only above its strength.
    """
    numbers, name = to_si(part, STRIP_FILM), part.get(STRIP.name)
    if name is None and numbers.keys() == STRIP_FILM.keys():
        check_order(numbers, STRIP_FILM, table)
        return Film(OWN, numbers["thickness"], numbers["modulus"], numbers["yield_stress"], numbers["strength"])
    base = usual if name is None else FILMS[name]
    if not numbers:
        return base
    same = base.changed({key: value for key, value in numbers.items() if key == "thickness"})
    check_order({key: numbers.get(key, getattr(same, key)) for key in STRIP_FILM}, STRIP_FILM, table)
    return same.changed(numbers)


def film_content(film: Film) -> dict[str, Any]:
    """Return a film in the keys of files; `film_of` is the inverse. Nothing for an assumption."""
    if film.assumed:
        return {}
    numbers = to_file(film, STRIP_FILM)
    if film.name not in FILMS:
        return numbers
    usual = to_file(FILMS[film.name], STRIP_FILM)
    return {STRIP.name: film.name, **{key: value for key, value in numbers.items() if value != usual[key]}}


def shown_film(film: Film) -> dict[str, Any]:
    """Return every key of a film with its value, also those that `film_content` leaves out; None for the name of an own film."""
    return {STRIP.name: film.name if film.name in FILMS else None, **to_file(film, STRIP_FILM)}
