"""A line of the parts list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartsListEntry:
    """A line of the parts list."""

    name: str
    quantity: float
    unit: str
    """m, m2, kg or pieces."""
    what: str
    """Specification."""
    purpose: str

    @property
    def amount(self) -> str:
        """The quantity, rounded up to two decimals."""
        return f"{-(-round(100 * self.quantity, 6) // 1) / 100:g}"
