"""A program of somebody else, which uses the public names with full types, a propagator and an actuator of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

import vinewright as vw
from dynamics.propagator import Capabilities, Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.vine import Actuation, Rollout, VineState
from planner.design.replay import grow_designs
from surrogate.actuators import Actuator, Grid, Limits
from surrogate.films import STRIP_FILM, Film
from surrogate.force_table import COLUMNS, NODES, ForceRows, row_lengths

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ramp:
    """An actuator whose force falls linearly to zero at a contraction of 30 %."""

    kind: ClassVar[str] = "ramp"
    cell_name: ClassVar[str] = "cell"
    area: float = 2e-3
    """Force per pressure without contraction [m^2]."""
    limits: Limits = field(default_factory=Limits)
    film: Film = STRIP_FILM
    seam: float = 0.0

    @property
    def offset(self) -> float:
        """On the surface of the tube [m]."""
        return 0.0

    @property
    def flat_width(self) -> float:
        """Width of the film [m]."""
        return 0.05

    @property
    def grid(self) -> Grid:
        """All cells and pressures."""
        return self.limits.grid

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """One value for all cells [-]."""
        return np.full(np.shape(l_0), 0.3)

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2]."""
        strain, l_0 = np.broadcast_arrays(np.asarray(strain, float), np.asarray(l_0, float))
        return np.maximum(self.area * (1 - strain / self.full_contraction(l_0)), 0.0)

    def film_radius(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """One radius [m]."""
        return np.full(np.broadcast_shapes(np.shape(strain), np.shape(l_0)), 0.02)

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Twice that radius [m]."""
        return 2 * self.film_radius(strain, l_0)

    def tabulate(self) -> ForceRows:
        """A table of the force; it does not saturate."""
        shortest, longest = self.limits.tabulated
        coarse, fine = row_lengths(shortest, longest)
        force = self.force_per_pressure(NODES * 0.3, coarse[:, None])
        return ForceRows(force, self.full_contraction(fine), np.zeros(COLUMNS + 1), np.inf, shortest, longest)


class Counted:
    """Quasi-static growth that counts how many vines were grown."""

    capabilities: ClassVar[Capabilities] = QuasiStatic.capabilities

    def __init__(self, environment: vw.Environment, params: vw.VineParams) -> None:
        self.environment, self.params = environment, params
        self.inner: Propagator = QuasiStatic(environment, params)
        self.vines = 0

    @property
    def device_name(self) -> str:
        """Name of the model inside."""
        return self.inner.device_name

    @property
    def resumes(self) -> bool:
        return False

    def refined(self, parts: int = 2) -> Propagator:
        """The model inside, refined."""
        return self.inner.refined(parts)

    def start(self, batch: int, max_segments: int) -> VineState:
        """Vines of zero length."""
        return self.inner.start(batch, max_segments)

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """Grow, and count."""
        self.vines += state.angles.shape[0]
        return self.inner.grow(state, actuation, length, record_every)


def planned(environment: vw.Environment, tube: vw.VineParams) -> vw.Design:
    """A design, or a SystemExit that says why there is none."""
    result: vw.Result = vw.plan(environment, tube, seed=1, iterations=10, fast=True)
    design: vw.Design | None = result.best
    if design is None:
        raise SystemExit(result.reason)
    return design


def judged(design: vw.Design, environment: vw.Environment) -> tuple[bool, float, Floats]:
    """Whether a design reaches the goal as planned, how often with errors, and where its tip ends."""
    simulation: vw.Simulation = vw.simulate(design, environment, propagator="quasistatic", friction=0.0)
    errors = vw.Uncertainty(pressure=300.0)
    estimate: vw.Estimate = vw.robustness(design, environment, trials=20, uncertainty=errors)
    low, high = estimate.interval
    assert low <= estimate.rate <= high
    tip: Floats = simulation.tip
    return simulation.reached, estimate.rate, tip


def exported(design: vw.Design, environment: vw.Environment, folder: Path) -> list[str]:
    """Remarks for building a design."""
    return list(vw.export(design, environment, folder, formats=["csv"], allow_limit=True).warnings)


def swept(folder: Path) -> list[dict[str, object]]:
    """Two plans, by two workers."""
    study = {
        "schema": 1,
        "environments": {"files": ["divider"]},
        "plan": {"fast": True, "iterations": 4, "seed": [0, 1]},
    }
    return [dict(row) for row in vw.sweep(study, folder, workers=2)]


def main() -> None:
    """Plan with two tubes, grow a design with two models, and try it under errors."""
    environment = vw.load_environment("divider")
    design = planned(environment, vw.load_tube("prototype"))
    reached, rate, tip = judged(design, environment)
    print(f"reached {reached}, rate {rate:.2f}, tip ({tip[0]:.2f}, {tip[1]:.2f}) m")
    make: PropagatorFactory = Counted
    counted = Counted(environment, design.params)
    (grown,) = grow_designs([design], environment, counted)
    print(f"counted {counted.vines} vine, reached {grown.reached}; {make.__name__}")
    own: Actuator = Ramp()
    tube = vw.VineParams(actuator=own, friction=0.05)
    force: Floats = own.force_per_pressure([0.0, 0.15, 0.3], 0.04)
    print(f"{tube.kinds}: {force.round(6).tolist()} m^2, growth force {tube.growth_force:.1f} N")


if __name__ == "__main__":
    main()
