"""Samples of the analytic sPAM model: what networks are trained on and judged by."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

import numpy as np

from surrogate.compiled import Floats
from surrogate.spam import SMALLEST_M, Spam, cell_state

SHORTEST_CELL, LONGEST_CELL = 20e-3, 80e-3
"""Cell lengths that can be fabricated [m] (paper 002)."""
COUNT = 40_000
"""Samples that a network is made from; paper 002 takes as many."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Cells in equilibrium; every array has the shape (n,)."""

    m: Floats
    """Extent of contraction [-]."""
    l_0: Floats
    """Cell length [m]."""
    strain: Floats
    """Contraction over cell length [-]; negative, down to about -0.06, where m is under about 0.02."""
    phi: Floats
    """Profile parameter phi_Rc [rad]."""
    force_per_pressure: Floats
    """F_t / P [m^2]."""

    def __len__(self) -> int:
        return len(self.m)

    def __getitem__(self, some: slice | np.ndarray) -> Samples:
        return Samples(*(getattr(self, field.name)[some] for field in fields(self)))

    def parts(self) -> tuple[Samples, Samples, Samples]:
        """Four fifths to train on, a tenth to validate with, a tenth to test with."""
        train, validate = len(self) * 8 // 10, len(self) * 9 // 10
        return self[:train], self[train:validate], self[validate:]

    def sha256(self) -> str:
        """Hash of all numbers in single precision: the last bits differ between machines."""
        numbers = np.stack([getattr(self, field.name) for field in fields(self)]).astype("<f4")
        return hashlib.sha256(numbers.tobytes()).hexdigest()


def draw_samples(seed: int, geometry: Spam, count: int = COUNT) -> Samples:
    """Draw m and l_0 uniformly, as paper 002 (section 4.3) does, and solve Eq. 1 at each.

    m runs from `SMALLEST_M`, where the film is stretched by 5 to 6 %, to 0.5, where the cell is fully contracted.
    """
    rng = np.random.default_rng(seed)
    m = 0.5 - (0.5 - SMALLEST_M) * rng.random(count)
    l_0 = rng.uniform(SHORTEST_CELL, LONGEST_CELL, count)
    cells = cell_state(m, l_0, geometry)
    return Samples(m, l_0, cells.strain, cells.phi, cells.force_per_pressure)
