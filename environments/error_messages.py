"""Messages of errors in files: one line that names the key, the value and the allowed range."""

import re
import reprlib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from environments.obstacles import plural


def make_bare_error(text: str) -> PydanticCustomError:
    """Return an error whose message does not show the value, because it is too long or already in the text."""
    return PydanticCustomError("bare", text)


def check_names(names: Iterable[str], counts: Mapping[str, int]) -> None:
    """Check that obstacles are there.

    Args:
        names: Kind and number of each.
        counts: Number of obstacles of each kind.
    Raises:
        PydanticCustomError: One is not there.
    """
    for name in names:
        kind, _, number = name.rpartition(" ")
        if kind in counts and re.fullmatch("[1-9][0-9]{0,5}", number) and int(number) <= counts[kind]:
            continue
        raise make_bare_error(
            f"names obstacle {_word(name)}, which is not there; those of this file: {list_obstacles(counts)}"
        )


def list_obstacles(counts: Mapping[str, int]) -> str:
    """Return the obstacles that are there in words, from the number of obstacles of each kind."""
    some = [f"{kind} 1" if count == 1 else f"{plural(kind)} 1 to {count}" for kind, count in counts.items() if count]
    return ", ".join(some) or "none"


def hint(word: str, known: list[str]) -> str:
    """` (did you mean ...?)` with the closest known word, or "" if none is close."""
    close = get_close_matches(word, known, 1)
    return f" (did you mean {close[0]}?)" if close else ""


def describe(error: ValidationError, model: type[BaseModel], table: str = "") -> str:
    """One-line message for the most informative of pydantic's errors.

    Args:
        table: Key of the table that was validated, with a dot behind it; "" for a whole file.
    """
    errors = error.errors(include_url=False)
    # A wrong schema explains unknown keys, and an unknown key explains a missing one.
    first = min(errors, key=lambda one: (one["loc"] != ("schema",), one["type"] != "extra_forbidden"))
    key, kind = table + _key(first["loc"]), first["type"]
    if kind == "extra_forbidden":
        allowed = _allowed_keys(first, model)
        return f"unknown key {key}{hint(str(first['loc'][-1]), allowed)}; allowed: {', '.join(allowed)}"
    if kind == "missing":
        return f"missing key {key}"
    message = re.sub(r"^\w+ should", "must", first["msg"]).replace(" after validation", "")
    if kind in ("model_type", "dict_type"):
        message = "must be a table"
    # An error of a whole file does not show the file.
    return f"{key} {message}".lstrip() if kind == "bare" or not key else f"{key} = {_value(first['input'])} {message}"


def _allowed_keys(error: ErrorDetails, model: type[BaseModel]) -> list[str]:
    table: Any = model
    for part in error["loc"][:-1]:
        # A part that is not a field is a key of a table of tables.
        if isinstance(part, str) and part in table.model_fields:
            table = table.model_fields[part].annotation
        while not hasattr(table, "model_fields"):  # a list or table of tables, perhaps annotated or optional
            table = get_args(table)[1 if get_origin(table) is dict else 0]
    return [field.alias or name for name, field in table.model_fields.items()]


def _key(loc: Iterable[int | str]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{_word(part)}" for part in loc)
    return "".join(parts).removeprefix(".")


def _word(key: str) -> str:
    return key if (key.isidentifier() or key.isdecimal()) and len(key) < 40 else reprlib.repr(key)


def _value(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # Python prints no integer of more than 4300 digits
        return "a huge number"
