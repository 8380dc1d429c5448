"""Sensitivity: how far each parameter may deviate, the others as planned, before the goal is missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from environments.environment import Environment
from planner.design import Design
from planner.robustness.trials import Deviations, grow_trials
from surrogate.compiled import Floats

STEPS = 40
"""Number of deviations tested on either side of the plan."""
MOST = {"%": 0.2, "mm": 50e-3, "deg": np.radians(10.0)}
"""Maximum deviation tested, by unit [-, m, rad]."""
SHOWN = {"%": 100.0, "mm": 1e3, "deg": 180 / np.pi}
"""Factor that converts a deviation to its unit."""


@dataclass(frozen=True, slots=True)
class Margin:
    """How far one parameter may deviate to either side."""

    name: str
    unit: str
    less: float
    """Maximum decrease such that it and all smaller ones reach the goal, in `unit`, at least 0."""
    more: float
    """The same for an increase."""

    @property
    def most(self) -> float:
        """The maximum deviation tested, in `unit`."""
        return float(MOST[self.unit] * SHOWN[self.unit])

    @property
    def share(self) -> float:
        """The smaller margin, relative to the maximum deviation tested; parameters are ranked by it."""
        return min(self.less, self.more) / self.most


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a design or an environment that may deviate."""

    name: str
    unit: str
    change: Callable[[Deviations, Floats], None]
    """Function that writes deviations, one per trial, into the fields that they change."""


def parameters(design: Design, environment: Environment) -> list[Parameter]:
    """All parameters that may deviate."""
    return [*section_parameters(design), *environment_parameters(environment)]


def margin(design: Design, environment: Environment, parameter: Parameter) -> Margin:
    """How far a parameter may deviate, with a resolution of `STEPS` steps; 0 on both sides if the design misses as planned."""
    deviations = np.linspace(-MOST[parameter.unit], MOST[parameter.unit], 2 * STEPS + 1)
    rows = Deviations.none(design, environment, len(deviations))
    parameter.change(rows, deviations)
    reached = grow_trials(design, environment, rows).reached
    step = SHOWN[parameter.unit] * MOST[parameter.unit] / STEPS
    less, more = (max(_leading(side) - 1, 0) * step for side in (reached[STEPS::-1], reached[STEPS:]))
    return Margin(parameter.name, parameter.unit, less, more)


def _leading(reached: NDArray[np.bool_]) -> int:
    """Number of leading true values."""
    return len(reached) if np.all(reached) else int(np.argmin(reached))


def section_parameters(design: Design, parts: Sequence[str] = ("pressure", "cell length", "place")) -> list[Parameter]:
    """Parameters of each actuated section."""
    fields = {"pressure": "%", "cell length": "%", "place": "mm"}

    def change(part: str, k: int, rows: Deviations, deviations: Floats) -> None:
        getattr(rows, part.split()[0])[:, k] = deviations

    return [
        Parameter(f"section {k + 1}: {part}", fields[part], partial(change, part, k))
        for k in range(design.actuators)
        for part in parts
    ]


def environment_parameters(environment: Environment) -> list[Parameter]:
    """Parameters of the start, and of all obstacles together."""
    left = environment.start[2] + np.pi / 2

    def change_heading(rows: Deviations, deviations: Floats) -> None:
        rows.start[:, 2] = deviations

    def change_sideways(rows: Deviations, deviations: Floats) -> None:
        rows.start[:, :2] = deviations[:, None] * [np.cos(left), np.sin(left)]

    def change_size(rows: Deviations, deviations: Floats) -> None:
        rows.size[:] = deviations[:, None]

    listed = [
        Parameter("start: to the left", "mm", change_sideways),
        Parameter("start: heading", "deg", change_heading),
    ]
    return listed + [Parameter("obstacles: size", "%", change_size)] * bool(len(environment.obstacles))
