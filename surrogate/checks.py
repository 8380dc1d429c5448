"""Numbers that are checked as soon as something is made of them."""

from __future__ import annotations

import math
from typing import Any


def check_positive(owner: str, thing: Any, fields: tuple[str, ...], or_zero: tuple[str, ...] = ()) -> None:
    """Refuse a record with a number that is not positive and finite.

    Args:
        owner: What the record is called in the message; "" leaves the field's name alone.
        fields: Names of its numbers; one that is None is not looked at.
        or_zero: Names of those that may be 0 too.
    Raises:
        ValueError: One line that names field, value and allowed range.
    """
    for name in (*fields, *or_zero):
        value = getattr(thing, name)
        if value is not None and not (0 < value < math.inf or (value == 0 and name in or_zero)):
            least = "at least" if name in or_zero else "greater than"
            raise ValueError(f"{owner}{'.' * bool(owner)}{name} = {value:g} must be {least} 0 and finite")
