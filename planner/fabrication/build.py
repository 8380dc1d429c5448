"""What has to be cut for a design: its body and its muscles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynamics.moment import free_curvature, joint_moments
from planner.design import Design, Section
from surrogate.compiled import Floats

SEAL = 20e-3
"""Film beyond every heat-sealed end, seam included [m]."""
FITTING = 40e-3
"""Film for the fitting through which a muscle is fed, at its end nearest the base [m]."""
CLAMP = 100e-3
"""Body film clamped onto the pressure vessel at the base [m]."""
LEAD = 300e-3
"""Feed line from the base to its regulator [m]."""
FILM = 50e-6
"""Thickness of the film [m] (paper 002, supplement)."""


@dataclass(frozen=True, slots=True)
class Muscle:
    """One actuator as it is cut and glued: a strip of lay-flat tube, held to the body wherever two cells meet."""

    number: int
    """From the base, beginning with 1."""
    section: Section
    contraction: float
    """By how much it shortens in free space [m]: as much slack is left at its feed."""

    @property
    def name(self) -> str:
        """What every drawing calls it, as `L2`: its side and its number."""
        return f"{self.section.side[0].upper()}{self.number}"

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return round((self.section.end - self.section.start) / self.section.l_0)

    @property
    def ends(self) -> Floats:
        """Where its cells end along the body, from the base [m], shape (cells + 1,): a bracket or seam at each."""
        return np.asarray(self.section.start + self.section.l_0 * np.arange(self.cells + 1))

    @property
    def tail(self) -> float:
        """Film before its first cell [m]: seal, fitting and slack."""
        return SEAL + FITTING + self.contraction

    @property
    def cut_length(self) -> float:
        """Length to cut its strip to [m]."""
        return self.tail + self.cells * self.section.l_0 + SEAL


@dataclass(frozen=True)
class Build:
    """A design of whole cells, and what has to be cut for it."""

    design: Design

    @cached_property
    def muscles(self) -> tuple[Muscle, ...]:
        """Its actuators, from the base."""
        joint = joint_moments(self.design.params)
        made = []
        for number, section in enumerate(self.design.actuated, start=1):
            strain = self.design.params.arm * float(free_curvature(joint, section.pressure, section.l_0))
            made.append(Muscle(number, section, strain * (section.end - section.start)))
        return tuple(made)

    @property
    def body_width(self) -> float:
        """Width of the body's tube lying flat [m]."""
        return float(np.pi * self.design.params.radius)

    @property
    def body_length(self) -> float:
        """Length to cut the body to [m]: what is clamped, the tube, and the seal at its tip."""
        return CLAMP + self.design.length + SEAL

    @property
    def muscle_width(self) -> float:
        """Width of a muscle's tube lying flat [m]."""
        return self.design.params.actuator.flat_width
