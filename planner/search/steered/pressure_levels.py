"""Pressures between which an actuator can change: its cells stay as they are built."""

from __future__ import annotations

import numpy as np

from dynamics.vine import Integers
from planner.design.catalogue import Catalogue
from planner.design.schedule import VENTED


class PressureLevels:
    """Controls (see `planner.search.controls.actuation`) that differ in their pressure alone."""

    def __init__(self, catalogue: Catalogue) -> None:
        cells, first, cell = np.unique(
            np.stack([catalogue.kind, catalogue.l_0]), axis=1, return_index=True, return_inverse=True
        )
        count = cells.shape[1]
        self.catalogue = Catalogue(
            np.concatenate([catalogue.l_0, catalogue.l_0[first]]),
            np.concatenate([catalogue.pressure, np.full(count, VENTED)]),
            np.concatenate([catalogue.curvature, np.zeros(count)]),
            catalogue.turn,
            np.concatenate([catalogue.kind, catalogue.kind[first]]),
        )
        """Entries of the controls: the catalogue, followed by a vented entry of each actuator and cell length."""
        self._same_cell = [np.flatnonzero(cell == k) for k in range(count)]
        self._cell = np.append(cell, np.arange(count))
        self._first_vented = len(cell)

    def pressurised(self, control: int) -> Integers:
        """Return the entries with the cell of a control, without the vented entry."""
        return self._same_cell[self._cell[abs(control) - 1]]

    def vented(self, control: int) -> int:
        """Return the control on its side with the same cell and no pressure."""
        return int(np.sign(control)) * (self._first_vented + int(self._cell[abs(control) - 1]) + 1)

    def is_vented(self, control: int) -> bool:
        """Return whether a control has no pressure."""
        return abs(control) > self._first_vented

    def nearest(self, control: int, curvature: float) -> int:
        """Return the control on its side with the same cell, under pressure, whose curvature is nearest to a given one
        [1/m]."""
        entries = self.pressurised(control)
        nearest = entries[np.argmin(np.abs(self.catalogue.curvature[entries] - curvature))]
        return int(np.sign(control)) * (int(nearest) + 1)
