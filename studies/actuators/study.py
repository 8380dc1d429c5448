"""All actuators on the prototype's tube: force, curvature in free space, and the number that a plan needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import load_environment
from planner.design.catalogue import Catalogue
from planner.search.run import Budget, Run
from surrogate.actuators import Actuator
from surrogate.kernels.compiled import Floats
from surrogate.registry import actuators

CELL = 40e-3
"""Cell length at which forces are compared [m]: all actuators can have it."""
MIXED = "mixed"
"""Name of a tube on which all types of actuators may be mixed."""


@dataclass(frozen=True, slots=True)
class ActuatorCase:
    """One plan."""

    kind: str
    """Type of actuator, with its default dimensions, or `MIXED`."""
    environment: str
    """Name, or path of a file."""
    seed: int
    iterations: int
    """Number of iterations of the search, with which the result does not depend on the machine."""


@dataclass(frozen=True, slots=True)
class ActuatorOutcome:
    """Result of one plan."""

    case: ActuatorCase
    actuators: int | None
    """Fewest actuators of a design that reaches the goal, None without a design."""
    length: float | None
    """Length of its tube [m]."""

    @property
    def environment(self) -> str:
        """Name of the environment."""
        return Path(self.case.environment).stem

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "actuator": self.case.kind,
            "environment": self.environment,
            "seed": self.case.seed,
            "actuators": self.actuators,
            "length_mm": None if self.length is None else round(1e3 * self.length, 1),
        }

    def __str__(self) -> str:
        found = "no design" if self.actuators is None else f"{self.actuators} actuators"
        return f"{self.case.kind} in {self.environment}, seed {self.case.seed}: {found}"


@dataclass(frozen=True, slots=True, eq=False)
class ActuatorRange:
    """Force and curvatures of an actuator, without a plan."""

    actuator: Actuator
    strain: Floats
    """Strains from 0 to full contraction of a cell of `CELL` [-]."""
    force: Floats
    """F_t / P there [m^2], of the analytic model."""
    pressure: Floats
    """Pressures of its grid [Pa]."""
    curvature: Floats
    """Least and greatest curvature of the centreline at each pressure, over all its cells [1/m], shape (pressures, 2)."""

    @property
    def kind(self) -> str:
        """Type of actuator."""
        return self.actuator.kind

    @property
    def work(self) -> float:
        """Work per length of cell and pressure from 1 % of strain to full contraction [m^2]."""
        strain = np.linspace(0.01, self.strain[-1], 4001)
        return float(np.trapezoid(self.actuator.force_per_pressure(strain, CELL), strain))

    def at(self, strain: float) -> float:
        """F_t / P [m^2] at a strain [-]."""
        return float(self.actuator.force_per_pressure(min(strain, float(self.strain[-1])), CELL))

    def range_at(self, pressure: float) -> tuple[float, float]:
        """Least and greatest curvature [1/m] at the pressure of the grid that is nearest to one [Pa]."""
        low, high = self.curvature[np.argmin(np.abs(self.pressure - pressure))]
        return float(low), float(high)

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        every = max(len(self.strain) // 40, 1)
        return {
            "actuator": self.kind,
            "full_contraction": round(float(self.strain[-1]), 5),
            "strain": np.round(self.strain[::every], 5).tolist(),
            "force_per_pressure_mm2": np.round(1e6 * self.force[::every], 3).tolist(),
            "work_per_length_and_pressure_mm2": round(1e6 * self.work, 2),
            "pressure_kpa": np.round(1e-3 * self.pressure, 3).tolist(),
            "curvature_per_m": np.round(self.curvature, 4).tolist(),
        }


def make_tube(kind: str) -> VineParams:
    """Make the prototype's tube with another type of actuator of default dimensions, or with all of them."""
    if kind == MIXED:
        first, *others = (make() for make in actuators().values())
        return VineParams(actuator=first, others=tuple(others))
    return VineParams(actuator=actuators()[kind]())


def measure_range(kind: str) -> ActuatorRange:
    """Force and curvatures of one type of actuator."""
    params = make_tube(kind)
    actuator = params.actuator
    strain = np.linspace(0.0, float(actuator.full_contraction(CELL)), 401)
    catalogue = Catalogue.of(params)
    pressures = np.unique(catalogue.pressure)
    own = [catalogue.curvature[catalogue.pressure == pressure] for pressure in pressures]
    curvature = np.array([(some.min(), some.max()) for some in own])
    return ActuatorRange(actuator, strain, actuator.force_per_pressure(strain, CELL), pressures, curvature)


def cases(environments: Sequence[str], seeds: int, iterations: int) -> list[ActuatorCase]:
    """Every actuator, and all of them mixed, in every environment with seeds 0 ... seeds - 1: an interrupted study has all environments
    with the first seeds."""
    kinds = [*actuators(), MIXED]
    return [
        ActuatorCase(kind, name, seed, iterations) for seed in range(seeds) for name in environments for kind in kinds
    ]


def run_case(case: ActuatorCase) -> ActuatorOutcome:
    """Plan once, on one thread."""
    params, make = make_tube(case.kind), partial(QuasiStatic, threads=1)
    run = Run.prepare(load_environment(case.environment, params.radius), params, make, case.seed)
    for _ in run.run(Budget(math.inf, iterations=case.iterations)):
        pass
    best = run.best
    return ActuatorOutcome(case, best.design.actuators if best else None, best.design.length if best else None)
