"""Preformed bends: the folds that make them, and the rules for them in design files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dynamics.moment import centerline_curvature
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from planner.design.design import Section, Side
from surrogate.kernels.compiled import Floats

FOLD_TURN = math.radians(10.0)
"""Largest turn of one fold [rad]: the more folds, the nearer is the tube to the arc of the model."""
LEAST_DEPTH = 3e-3
"""Folds are fewer and deeper rather than shallower than this [m], which is hard to crease and to tape."""


@dataclass(frozen=True, slots=True)
class Folds:
    """Folds of one preformed section: all of the same size, evenly spaced, on the inner side of its bend."""

    at: Floats
    """Distance of each from the base, along the film [m], shape (folds,)."""
    depth: float
    """Depth of each at the inner edge [m]: it takes twice as much out of the inner wall."""
    turn: float
    """Turn of each [rad]."""

    @classmethod
    def of(cls, section: Section, params: VineParams) -> Folds:
        """Compute the folds of a preformed section.

        A fold joins two cuts across the tube whose planes meet on its outer wall. If they enclose the angle t, the wall on the
        inner side is shorter by 2 d = 4 R tan(t / 2), and the outer wall keeps its length.
        """
        total, length = abs(section.rest(params)) * (section.end - section.start), section.end - section.start
        most = max(math.floor(total / (2 * math.atan(LEAST_DEPTH / (2 * params.radius))) + 1e-9), 1)
        count = min(math.ceil(total / FOLD_TURN - 1e-9), most)
        turn = total / count
        at = section.start + length * (np.arange(count) + 0.5) / count
        return cls(at, 2 * params.radius * math.tan(turn / 2), turn)

    def half_width(self, share: Floats) -> Floats:
        """Half of the length that a fold takes out of the wall [m], across the flat tube.

        Args:
            share: Distance from the edge on the outer side, relative to the width of the flat tube [-].
        """
        return self.depth / 2 * (1 - np.cos(np.pi * share))


class SectionInFile(Protocol):
    """A section of a file."""

    side: Side
    curvature_per_m: float
    l0_mm: float
    pressure_kpa: float
    pressurised: bool
    preformed: bool


def check_preformed(sections: Iterable[SectionInFile], params: VineParams) -> None:
    """Check the sections that are preformed.

    Raises:
        ValueError: One has no side or curvature, or a tighter one than can be folded, or has an actuator; the message names section
            and key.
    """
    most = float(centerline_curvature(largest_turn(params), params))
    for i, section in enumerate(sections):
        if not section.preformed:
            continue
        if section.side == "none":
            raise ValueError(f'sections[{i}].side = "none" must be "left" or "right": the section is preformed')
        if not 0 < section.curvature_per_m <= most * (1 + 1e-9):
            raise ValueError(
                f"sections[{i}].curvature_per_m = {section.curvature_per_m:g} must be greater than 0 and at most {most:.4g}: the folds "
                "of a tighter preformed bend would overlap"
            )
        for key in ("l0_mm", "pressure_kpa"):
            if getattr(section, key) != 0:
                raise ValueError(
                    f"sections[{i}].{key} = {getattr(section, key):g} must be 0: a preformed section has no actuator"
                )
        if not section.pressurised:
            raise ValueError(
                f"sections[{i}].pressurised = false is for a section with an actuator, not a preformed one"
            )
