"""Errors of a built tube and its environment as the entries of one vector, which trials of that tube are evidence of.

Most errors were made once: when the tube was glued, its environment set up, its base clamped. They are equal in all growths of that tube.
A share of some, the pressures above all, differs from one growth to the next.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.objects import object_names
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.deviations import (
    OF_BENDS,
    OF_SECTIONS,
    SectionErrors,
    WorldErrors,
    world_deviations,
)
from surrogate.kernels.compiled import Floats

REPEATED = 0.3
"""Standard deviation of the part of an error that differs between growths of one tube, relative to that of all of it [-]; an assumption."""
REPEATING = {"start", "pressure", "pressure_share", "growth_pressure", "friction"}
"""Errors with such a part: the tube is mounted again, and regulators are set again."""
COMMON = 0.5
"""Share of the variance of the curvature of actuated sections that all those with one kind of actuator have in common [-]; an
assumption: the forces of a kind are off by its film and its model, those of a section by its gluing."""
UNITS = {"mm": 1e3, "deg": 180 / np.pi, "%": 100.0, "kPa": 1e-3, "": 1.0}
"""Factors from SI units to those that people read."""


@dataclass(frozen=True, slots=True)
class Cause:
    """An error that the growths of a tube have in common."""

    name: str
    """Name for people, such as `section 2: bend` or `wall 6: along x`."""
    unit: str
    """One of `UNITS`."""
    deviation: float
    """Standard deviation before any trial, in SI units; of friction half the width of its range [-]."""
    field: str
    """Field of `SectionErrors` if `made`, or else of `WorldErrors`."""
    at: tuple[Any, ...] = ()
    """Index there, without that of the trial."""
    middle: float = 0.0
    """Value before any trial, in SI units."""
    made: bool = False
    """Whether it is an error of a section of the tube."""

    @property
    def key(self) -> str:
        """Name with unit, which no other cause has."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def repeated(self) -> float:
        """Standard deviation of the part that differs between growths, relative to `deviation` [-]."""
        return REPEATED if self.field in REPEATING else 0.0

    @property
    def spread(self) -> float:
        """Standard deviation before any trial, in SI units."""
        return self.deviation / float(np.sqrt(3)) if self.field == "friction" else self.deviation

    def value(self, normal: Floats) -> Floats:
        """Return the error in SI units from standard normal numbers; of friction, which is uniform, the coefficient [-]."""
        scaled = 2 * norm.cdf(normal) - 1 if self.field == "friction" else normal
        return np.asarray(self.middle + self.deviation * scaled)

    def add(self, errors: WorldErrors | SectionErrors, values: Floats) -> None:
        """Add the error, shape (T,), in SI units; a coefficient of friction is set."""
        part = getattr(errors, self.field)
        if self.field == "friction":
            part[:] = np.maximum(values, 0.0)
        else:
            several = bool(self.at) and np.ndim(self.at[0]) > 0
            part[(slice(None), *self.at)] += values[:, None] if several else values

    def shown(self, value: float) -> float:
        """Convert a number from SI units to `unit`."""
        return float(value * UNITS[self.unit])


_START = ("x", "mm"), ("y", "mm"), ("heading", "deg")
_OF_WORLD = {
    "cell": ("all cells: length", "mm"),
    "growth_pressure": ("growth pressure", "kPa"),
    "moment": ("stiffness of the tube", "%"),
    "compliance": ("compliance of contacts", "%"),
}
_OF_OBJECT = {"rotation": ("turn", "deg"), "size": ("size", "mm"), "share": ("size", "%")}
OF_OBJECTS = {"shift", *_OF_OBJECT}
"""Errors of single objects."""
_OF_SECTION = {
    "pressure": ("pressure", "kPa"), "pressure_share": ("pressure", "%"), "cell": ("cell length", "mm"), "cell_share": ("cells", "%"),
    "place": ("place", "mm"), "stretch": ("length", "mm"), "turn": ("turn", "deg"), "curvature": ("bend", "%"),
    "bend_place": ("place", "mm"), "bend_turn": ("turn", "deg"),
}  # fmt: skip


def list_causes(design: Design, environment: Environment, uncertainty: Uncertainty) -> list[Cause]:
    """List the errors of a design's tube in an environment that are not exact, those of the environment first."""
    listed = [*world_causes(environment, design.params, uncertainty), *section_causes(design, uncertainty)]
    return [cause for cause in listed if cause.deviation > 0.0]


def world_causes(environment: Environment, params: VineParams, uncertainty: Uncertainty) -> list[Cause]:
    """List the errors of an environment, also those that are exact."""
    scales = world_deviations(environment, params, uncertainty)
    listed = [
        Cause(f"base: {name}", unit, float(scales["start"][k]), "start", (k,)) for k, (name, unit) in enumerate(_START)
    ]
    listed += [Cause(name, unit, float(scales[field]), field) for field, (name, unit) in _OF_WORLD.items()]
    low, high = uncertainty.friction or (0.0, 0.0)
    listed.append(Cause("friction", "", (high - low) / 2, "friction", (), (high + low) / 2))
    for k, name in enumerate(object_names(environment)):
        along = [
            Cause(f"{name}: along {'xy'[axis]}", "mm", float(scales["shift"][k, axis]), "shift", (k, axis))
            for axis in (0, 1)
        ]
        others = [
            Cause(f"{name}: {what}", unit, float(scales[field][k]), field, (k,))
            for field, (what, unit) in _OF_OBJECT.items()
        ]
        listed += [*along, *others]
    return listed


def section_causes(design: Design, uncertainty: Uncertainty, least: int = 2) -> list[Cause]:
    """List the errors of the sections of a design's tube, also those that are exact.

    Args:
        least: Number of actuators of a kind from which their bends have a part in common that is listed apart.
    """
    kinds = [section.kind for section in design.actuated]
    shared = {kind for kind in kinds if kinds.count(kind) >= least}
    whole = uncertainty.curvature_share
    listed = [
        Cause(
            f"all {design.params.actuators[kind].kind} actuators: bend",
            "%",
            np.sqrt(COMMON) * whole,
            "curvature",
            (np.flatnonzero(np.array(kinds) == kind),),
            made=True,
        )
        for kind in sorted(shared)
    ]
    for k, kind in enumerate(kinds):
        own = {field: getattr(uncertainty, name) for field, name in OF_SECTIONS.items()}
        own["curvature"] *= np.sqrt(1 - COMMON) if kind in shared else 1.0
        listed += [_of_section(f"section {k + 1}", field, own[field], k) for field in OF_SECTIONS]
    for k in range(len(design.preformed)):
        listed += [
            _of_section(f"bend F{k + 1}", field, getattr(uncertainty, name), k) for field, name in OF_BENDS.items()
        ]
    return listed


def _of_section(name: str, field: str, deviation: float, index: int) -> Cause:
    what, unit = _OF_SECTION[field]
    return Cause(f"{name}: {what}", unit, float(deviation), field, (index,), made=True)


def combine(causes: list[Cause], lasting: Floats, passing: Floats) -> Floats:
    """Return standard normal numbers of growths from those of what lasts and of what differs between growths.

    Args:
        lasting: Standard normal numbers of tubes, shape (..., causes).
        passing: Standard normal numbers of growths, shape (..., causes).
    """
    share = np.array([cause.repeated for cause in causes])
    return np.asarray(np.sqrt(1 - share**2) * lasting + share * passing)


def to_errors(
    causes: list[Cause], normal: Floats, design: Design, environment: Environment
) -> tuple[WorldErrors, SectionErrors]:
    """Return the errors of growths.

    Args:
        normal: Standard normal numbers, shape (T, causes).
    """
    trials = len(normal)
    world = WorldErrors.none(environment, trials)
    sections = SectionErrors.none(trials, design.actuators, len(design.preformed))
    for cause, numbers in zip(causes, normal.T, strict=True):
        cause.add(sections if cause.made else world, cause.value(numbers))
    sections.shift_following()
    return world, sections


def tube_digest(design: Design) -> str:
    """Return the digest of the sections of a tube as they are glued: all but their pressures."""
    parts = [
        (one.side, one.preformed, one.kind, round(1e6 * one.start), round(1e6 * one.end), round(1e6 * one.l_0))
        for one in design.sections
    ]
    return hashlib.sha256(repr((round(1e6 * design.params.radius), parts)).encode()).hexdigest()[:16]
