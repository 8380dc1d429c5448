"""Names of obstacles in the text of an environment file, whose obstacles change their numbers."""

from __future__ import annotations

import json
from typing import Any

from environments.obstacles import KINDS, plural
from vinewright.studio.toml_text import TomlText

_BEFORE = (*map(plural, KINDS[:4]), "ends", "friction")
"""Keys that stand before the names."""


def new_labels(old: Any, moved: dict[str, list[int | None]]) -> dict[str, str | None]:
    """Return the new names of obstacles by their old names, None for deleted obstacles."""
    names: dict[str, str | None] = {}
    for kind, key in zip(KINDS[:4], map(plural, KINDS), strict=False):
        names |= {f"{kind} {index + 1}": None for index in range(len(old["obstacles"][key]))}
        names |= {f"{kind} {k + 1}": f"{kind} {number}" for number, k in enumerate(moved[key], 1) if k is not None}
    return names


def errors_with_labels(data: dict[str, Any], names: dict[str, str | None]) -> dict[str, Any]:
    """Return the table `[uncertainty]` with new names of obstacles."""
    found = dict(data.get("uncertainty", {}))
    single = {names.get(name, name): part for name, part in found.pop("obstacle", {}).items()}
    single.pop(None, None)
    return {**found, "obstacle": single}


def set_names(text: str, old: dict[str, str], new: dict[str, str]) -> str:
    """Change the names of obstacles in the text of a file, and return it.

    Args:
        old: The names by the obstacles of the file.
        new: The names by the obstacles of the drawing.
    """
    if old == new:
        return text
    file, table = TomlText(text), ("obstacles", "names")
    if file.in_braces(table) or (old and file.in_braces((*table, next(iter(old))))):
        pairs = ", ".join(f"{json.dumps(label)} = {_quote(name)}" for label, name in new.items())
        file.set(table, f"{{ {pairs} }}" if pairs else "{}", _BEFORE)
        return file.result()
    for label in old.keys() - new.keys():
        file.remove((*table, label))
    for label, name in new.items():
        if old.get(label) != name:
            file.set((*table, label), _quote(name))
    return file.result()


def _quote(name: str) -> str:
    # A JSON string is a TOML string where control characters are refused.
    return json.dumps(name, ensure_ascii=False)
