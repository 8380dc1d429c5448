"""Choice of the parts of a drawing that are solid, by patterns of layers, colours or properties."""

from __future__ import annotations

import re
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
        return self._match(self.solid, properties) and not self.is_free(properties)

    def is_free(self, properties: Properties) -> bool:
        """Return whether a part matches a pattern of those that are left out."""
        return self._match(self.free, properties)

    def _match(self, patterns: Iterable[str], properties: Properties) -> bool:
        found = False
        for text in patterns:
            key, _, pattern = text.rpartition("=")
            values = properties.get(key.strip().lower() or "layer", ())
            if any(fnmatchcase(value.lower(), pattern.strip().lower()) for value in values):
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
                    raise UnusableFile(
                        f"has nothing that matches --{option} {quote_name(text)}; it has {self.listing()}"
                    )

    def listing(self, keys: Sequence[str] = ()) -> str:
        """Return the values of each key with their counts, for a message; the most frequent first.

        Args:
            keys: Keys to list, in this order; all if empty.
        """
        parts = []
        for key in keys or dict.fromkeys(key for key, _ in self.counts):
            values = sorted(
                ((n, value) for (one, value), n in self.counts.items() if one == key), key=lambda one: (-one[0], one[1])
            )
            if values:
                shown = ", ".join(f"{quote_name(value)} ({n})" for n, value in values[:_MOST_LISTED])
                more = f" and {len(values) - _MOST_LISTED} more" if len(values) > _MOST_LISTED else ""
                parts.append(f"{key} {shown}{more}")
        return "; ".join(parts) or "no layers or properties"

    def likely(self, key: str = "layer") -> list[str]:
        """Return the values of a key that sound like walls, the most frequent first."""
        found = [(n, value) for (one, value), n in self.counts.items() if one == key and _WALL.search(value)]
        return [value for _, value in sorted(found, key=lambda one: (-one[0], one[1]))]
