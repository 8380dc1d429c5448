"""Validation of numbers on construction of a record."""

from __future__ import annotations

import math
from typing import Any


def check_positive(owner: str, thing: Any, fields: tuple[str, ...], or_zero: tuple[str, ...] = ()) -> None:
    """Raise if a number of a record is not positive and finite.

    Args:
        owner: Name of the record in the message; with "" only the field's name is given.
        fields: Names of the fields to check; None as a value is accepted.
        or_zero: Names of further fields that may also be 0.
    Raises:
        ValueError: The one-line message gives field, value and allowed range.
    """
    for name in (*fields, *or_zero):
        value = getattr(thing, name)
        if value is not None and not (0 < value < math.inf or (value == 0 and name in or_zero)):
            least = "at least" if name in or_zero else "greater than"
            raise ValueError(f"{owner}{'.' * bool(owner)}{name} = {value:g} must be {least} 0 and finite")
