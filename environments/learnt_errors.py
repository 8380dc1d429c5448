"""Errors of one built tube in its environment, as learnt from its trials: `[uncertainty.learnt]` in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ERRORS = 200
"""Maximum number of errors."""
NEARLY = 1e-6
"""Smallest eigenvalue of correlations that are used [-]: rounded ones may have slightly negative eigenvalues."""
ROUNDED = 0.02
"""Eigenvalues of correlations may be negative by this, from rounding [-]."""


@dataclass(frozen=True, slots=True)
class LearntErrors:
    """Normal errors with their means and correlations, of one tube in one environment."""

    tube: str
    """Digest of the tube (`planner.uncertainty.causes.tube_digest`): errors of its sections are not those of another."""
    errors: tuple[str, ...]
    """Names with units, such as `base: heading [deg]`, see `planner.uncertainty.causes.Cause`."""
    mean: tuple[float, ...]
    """In the unit of each."""
    deviation: tuple[float, ...]
    """Standard deviations, in the unit of each."""
    correlation: tuple[tuple[float, ...], ...]
    """Correlations [-], shape (errors, errors)."""
    obstacles: str = ""
    """Digest of the obstacles (`environments.objects.obstacles_digest`): their errors are not those of others; "" if they are for all."""

    def __post_init__(self) -> None:
        """Check that all lists have the same length, and that there are such correlations.

        Raises:
            ValueError: They do not.
        """
        count = len(self.errors)
        if not 0 < count <= MOST_ERRORS:
            raise ValueError(f"errors has {count} names; from 1 to {MOST_ERRORS} are allowed")
        if len(set(self.errors)) < count:
            raise ValueError("errors has a name twice")
        for name in ("mean", "deviation", "correlation"):
            if len(getattr(self, name)) != count:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries, errors has {count}")
        if min(self.deviation) < 0:
            raise ValueError("deviation must not be negative")
        if any(len(row) != count for row in self.correlation):
            raise ValueError("correlation must have as many columns as rows")
        matrix = np.array(self.correlation)
        usual = np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1.0)
        if not usual or np.linalg.eigvalsh(matrix)[0] < -ROUNDED:
            raise ValueError(
                "correlation must be symmetric with ones on its diagonal, and no two rows may contradict each other"
            )

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> LearntErrors:
        """Make from a table of a file; `content` is the inverse.

        Raises:
            ValueError: As for the class.
        """
        mean, deviation = (tuple(map(float, content[name])) for name in ("mean", "deviation"))
        rows = tuple(tuple(map(float, row)) for row in content["correlation"])
        return cls(content["tube"], tuple(content["errors"]), mean, deviation, rows, content.get("obstacles") or "")

    def content(self) -> dict[str, Any]:
        """Return the content of the table."""
        return {
            "tube": self.tube,
            **({"obstacles": self.obstacles} if self.obstacles else {}),
            "errors": list(self.errors),
            "mean": list(self.mean),
            "deviation": list(self.deviation),
            "correlation": [list(row) for row in self.correlation],
        }

    def draw(self, normal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return errors in their units from standard normal numbers, both of shape (T, errors)."""
        values, directions = np.linalg.eigh(np.array(self.correlation))
        root = directions * np.sqrt(np.maximum(values, NEARLY))
        # Eigenvalues that were raised must not raise the deviations.
        root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
        return np.asarray(self.mean + (normal @ root.T) * self.deviation)
