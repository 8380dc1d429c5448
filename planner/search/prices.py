"""Prices of bends in the search: 1 for each actuator, and a set price for each preformed bend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from dynamics.vine import Integers
from planner.design.catalogue import Catalogue
from planner.design.design import Design

BENDS = 20
"""Number of preformed bends in the catalogue of a search with them."""
PREFORMED = 0.5
"""Share of them among the bends that are sampled."""


class Prices:
    """Prices of the entries of a catalogue, in actuators. Without preformed bends they are whole numbers."""

    def __init__(self, params: VineParams, bend: float | None = None) -> None:
        """Make the catalogue of a search.

        Args:
            bend: Price of a preformed bend; None for a search without.
        """
        self.bend, self.catalogue = bend, Catalogue.of(params, bends=0 if bend is None else BENDS)
        catalogue = self.catalogue
        self.least = 1 if bend is None else min(1.0, bend)
        """The lowest price of a bend."""
        self.of_entry: NDArray[Any] = np.ones(len(catalogue.curvature) + 1, np.int64 if bend is None else float)
        """Price of each control without its sign, 0 for a straight segment, shape (entries + 1,)."""
        self.of_entry[0] = 0
        if bend is not None:
            self.of_entry[catalogue.actuators + 1 :] = bend

    def replace_by_preformed(self, entry: Integers, needed: NDArray[np.bool_], rng: np.random.Generator) -> Integers:
        """Replace a share of entries of the catalogue by preformed bends.

        Args:
            entry: Actuators, shape (n,).
            needed: Whether an entry must be replaced, shape (n,).
        """
        drawn = self.catalogue.actuators + rng.integers(0, len(self.catalogue.turn), len(entry))
        return np.where((rng.random(len(entry)) < PREFORMED) | needed, drawn, entry)

    def price_added(self, controls: NDArray[np.int32], new: NDArray[np.bool_]) -> NDArray[Any]:
        """Return the price that vines pay for controls that begin a new section.

        Args:
            new: Whether a control begins a new section, of the same shape.
        """
        return np.asarray(self.of_entry[np.abs(controls)] * new)

    def of_design(self, design: Design) -> float:
        """Return the price of all bends of a design."""
        return design.actuators + (0 if self.bend is None else self.bend * len(design.preformed))

    def of_vines(self, controls: NDArray[np.int32], segments: Integers) -> NDArray[Any]:
        """Return the price of all bends of vines, shape (n,).

        Args:
            controls: Of each segment, shape (n, width).
            segments: Number of segments, shape (n,).
        """
        grown = np.where(np.arange(controls.shape[1]) < segments[:, None], controls, 0)
        each = self.price_added(grown, np.diff(grown, axis=1, prepend=0) != 0)
        # One after the other, as a growing vine adds them: a sum in another order may differ by rounding.
        return np.asarray(np.cumsum(each, axis=1)[:, -1])
