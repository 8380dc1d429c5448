"""Tables of files as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dynamics.tube import VineParams
from dynamics.tube_keys import Key, NamedChoice

UNKNOWN = {field.name for field in fields(VineParams) if field.default is None}
"""Fields of a tube that may be None, for unknown."""
LATER = {
    "least_height": 1.0,
    "collapse_share": 1.0,
    "tail_tension": 0.0,
    "tail_drag": 0.0,
    "tail_friction": 0.0,
    "tip_mass": 0.0,
    "thickness_share": 0.0,
    "seam": 0.0,
}
"""Fields of tubes that were written whole before these existed."""


class FileTable(BaseModel):
    """A table of a file: only known keys and finite numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def numbers_of(keys: Mapping[str, Key], whole: bool) -> dict[str, Any]:
    """Numbers as fields of a pydantic model, optional unless `whole`."""
    found: dict[str, Any] = {}
    for field, key in keys.items():
        number = Annotated[float, Field(ge=key.least, le=key.most)]
        needed = LATER.get(field, ...)
        known = whole and field not in UNKNOWN
        value = Field(needed if known else None, description=key.meaning)
        found[key.name] = (number if known else number | None, value)
    return found


def choice_of(choice: NamedChoice) -> dict[str, Any]:
    """Choice of words as a field of a pydantic model, None if it is missing."""
    words: Any = Literal[choice.allowed]
    return {choice.name: (words | None, Field(None, description=choice.meaning))}
