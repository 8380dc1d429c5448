"""Choice of the parts of a drawing that are solid, by patterns of layers, colours or properties."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from environments.importing.marks import quote_name
from environments.importing.traced import UnusableFile

_WALL = re.compile(
    r"(?:^|[^a-z])(?:int|ext)?(wall|walls|wand|waende|wände|mauer|mur|murs|muro|muros|pared|paredes|parete)(?:[^a-z]|$)",
    re.I,
)
"""Names of layers that are those of walls, as in A-WALL or Wall_ext."""
_MOST_LISTED = 20
"""Values of one key in a message."""
_MOST_KEYS = 6
"""Keys in a message."""
_MOST_ADVISED = 5

Properties = Mapping[str, Sequence[str]]
"""Values of a part of a drawing by key, such as `{"layer": ["A-WALL"], "color": ["7"]}`; a part may be on layers within layers."""


@dataclass(slots=True)
class Selection:
    """Patterns KEY=PATTERN of parts that are solid and of parts that are left out; a pattern alone is one of layers.

    `*` and `?` in a pattern stand for any characters and any one; capitals do not matter.
    """

    solid: Sequence[str] = ()
    free: Sequence[str] = ()
    matched: set[str] = field(default_factory=set)
    """Patterns that matched a part."""
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of parts that were asked for, by key and value."""

    def count(self, properties: Properties) -> None:
        """Count a part, for messages."""
        for key, values in properties.items():
            for value in dict.fromkeys(values):
                self.counts[key, value] += 1

    def is_solid(self, properties: Properties) -> bool:
        """Return whether a part matches a pattern of solid parts, and none of those that are left out."""
        left_out = self.is_free(properties)  # looked at first: its patterns match also parts that are not solid
        return self._match(self.solid, properties) and not left_out

    def is_free(self, properties: Properties) -> bool:
        """Return whether a part matches a pattern of those that are left out."""
        return self._match(self.free, properties)

    def _match(self, patterns: Iterable[str], properties: Properties) -> bool:
        found = False
        for text in patterns:
            key, pattern = _split(text)
            if any(fnmatchcase(value.lower(), pattern) for value in properties.get(key, ())):
                self.matched.add(text)
                found = True
        return found

    def check(self) -> None:
        """Check that every pattern matched a part.

        Raises:
            UnusableFile: One did not; the message lists what could be matched.
        """
        for option, patterns in (("solid", self.solid), ("free", self.free)):
            for text in patterns:
                if text not in self.matched:
                    key, _ = _split(text)
                    keys = [key] if any(key == one for one, _ in self.counts) else []
                    raise UnusableFile(
                        f"has nothing that matches --{option} {quote_name(text)}; it has {self.listing(keys)}"
                    )

    def values(self, key: str) -> str:
        """Return the values of a key with their counts, for a message; the most frequent first."""
        found = sorted((-n, value) for (one, value), n in self.counts.items() if one == key)
        shown = ", ".join(f"{quote_name(value)} ({-n})" for n, value in found[:_MOST_LISTED])
        return f"{shown} and {len(found) - _MOST_LISTED} more" if len(found) > _MOST_LISTED else shown

    def listing(self, keys: Sequence[str] = ()) -> str:
        """Return the values of several keys with their counts, for a message; the most frequent first.

        Args:
            keys: Keys to list, in this order; all if empty.
        """
        found = list(keys or dict.fromkeys(key for key, _ in self.counts))
        parts = [f"{quote_name(key)} {self.values(key)}" for key in found[:_MOST_KEYS]]
        if len(found) > _MOST_KEYS:
            parts.append(
                f"{len(found) - _MOST_KEYS} more: {', '.join(map(quote_name, found[_MOST_KEYS:_MOST_LISTED]))}"
            )
        return "; ".join(parts) or "no layers or properties"

    def likely(self, key: str = "layer") -> list[str]:
        """Return the values of a key that sound like walls, the most frequent first."""
        found = [(n, value) for (one, value), n in self.counts.items() if one == key and _WALL.search(value)]
        return [value for _, value in sorted(found, key=lambda one: (-one[0], one[1]))]

    def advice(self, key: str = "layer") -> str:
        """Return the option that takes only the values of a key that sound like walls, for a message; empty if none does."""
        names = self.likely(key)[:_MOST_ADVISED]
        if not names:
            return ""
        before = "" if key == "layer" else f"{key}="
        asked = " ".join(f"--solid {shlex.quote(before + name)}" for name in names)
        return f"those named like walls: {', '.join(map(quote_name, names))}: {asked} takes only these"


def _split(text: str) -> tuple[str, str]:
    """Split KEY=PATTERN into the key and the pattern in lower case; brackets in a pattern stand for themselves."""
    key, equals, pattern = text.partition("=")
    if not equals:
        key, pattern = "layer", text
    return key.strip().lower() or "layer", pattern.strip().lower().replace("[", "[[]")
