"""The options for another plan like an earlier one, which may be one of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from planner.plan.options import BY_NAME
from vinewright.studio.requests import Options, offered_options

MOST_SHOWN = 120
"""Longest text of an option that the page cannot ask for [characters]."""


def options_again(inputs: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the options for another plan like an earlier one, and those of it that the page cannot ask for, as on the command line.

    Such are files of this machine, and numbers beyond the limits of the page; the default stands for each, and for each option that an
    older plan did not have.

    Args:
        inputs: The options of the earlier plan.
    """
    again, unusable = {}, []
    for name, offered in offered_options().items():
        again[name] = offered["default"]
        # Its tube has the actuators already.
        if name not in inputs or name == "actuator":
            continue
        value, most = inputs[name], offered["most"]
        try:
            value = getattr(Options(**{name: value}), name)
            is_usable = value is None or most is None or value <= most
        except ValidationError:
            is_usable = False
        if is_usable:
            again[name] = value
        else:
            shown = int(value) if isinstance(value, float) and value.is_integer() else value
            unusable.append(f"{offered['flag']} {shown}"[:MOST_SHOWN])
    if begun := inputs.get("start_from"):
        unusable.append(f"{BY_NAME['start_from'].flag} {begun}"[:MOST_SHOWN])
    return again, unusable
