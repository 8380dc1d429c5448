"""Samples of the analytic sPAM model for training and evaluating networks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

import numpy as np

from surrogate.kernels.compiled import Floats
from surrogate.spam import SMALLEST_M, Spam, cell_state

SHORTEST_CELL, LONGEST_CELL = 20e-3, 80e-3
"""Range of fabricable cell lengths [m] (paper 002)."""
COUNT = 40_000
"""Number of samples for a network, as in paper 002."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Cells in equilibrium; every array has shape (n,)."""

    m: Floats
    """Extent of contraction [-]."""
    l_0: Floats
    """Cell length [m]."""
    strain: Floats
    """Contraction divided by cell length [-]; negative, down to about -0.06, for m below about 0.02."""
    phi: Floats
    """Profile parameter phi_Rc [rad]."""
    force_per_pressure: Floats
    """F_t / P [m^2]."""

    def __len__(self) -> int:
        return len(self.m)

    def __getitem__(self, some: slice | np.ndarray) -> Samples:
        return Samples(*(getattr(self, field.name)[some] for field in fields(self)))

    def split(self) -> tuple[Samples, Samples, Samples]:
        """Split into 80 % for training, 10 % for validation and 10 % for testing."""
        train, validate = len(self) * 8 // 10, len(self) * 9 // 10
        return self[:train], self[train:validate], self[validate:]

    def sha256(self) -> str:
        """Hash of all numbers in single precision, because the last bits differ between machines."""
        numbers = np.stack([getattr(self, field.name) for field in fields(self)]).astype("<f4")
        return hashlib.sha256(numbers.tobytes()).hexdigest()


def draw_samples(seed: int, geometry: Spam, count: int = COUNT) -> Samples:
    """Draw m and l_0 uniformly, as in paper 002 (section 4.3), and solve Eq. 1 for each sample.

    m ranges from `SMALLEST_M`, where the film is stretched by 5 to 6 %, to 0.5, where the cell is fully contracted.
    """
    rng = np.random.default_rng(seed)
    m = 0.5 - (0.5 - SMALLEST_M) * rng.random(count)
    l_0 = rng.uniform(SHORTEST_CELL, LONGEST_CELL, count)
    cells = cell_state(m, l_0, geometry)
    return Samples(m, l_0, cells.strain, cells.phi, cells.force_per_pressure)
