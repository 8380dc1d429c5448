"""Sensitivity: how far each parameter may deviate, the others as planned, before the goal is lost."""

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
"""Deviations searched on either side of the plan."""
MOST = {"%": 0.2, "mm": 50e-3, "deg": np.radians(10.0)}
"""Greatest deviation searched, by its unit [-, m, rad]."""
SHOWN = {"%": 100.0, "mm": 1e3, "deg": 180 / np.pi}
"""What a deviation is multiplied by to be in its unit."""


@dataclass(frozen=True, slots=True)
class Margin:
    """How far one parameter may deviate to either side."""

    name: str
    unit: str
    less: float
    """Greatest deviation downwards from which the goal is still reached, and from all before it; in `unit`, at least 0."""
    more: float
    """The same upwards."""

    @property
    def most(self) -> float:
        """The greatest deviation that was searched, in `unit`."""
        return float(MOST[self.unit] * SHOWN[self.unit])

    @property
    def share(self) -> float:
        """The lesser of the two margins, over the greatest searched: the smallest share loses the goal first."""
        return min(self.less, self.more) / self.most


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a design or an environment that may deviate."""

    name: str
    unit: str
    change: Callable[[Deviations, Floats], None]
    """Writes deviations, one per trial, into the fields that they change."""


def parameters(design: Design, environment: Environment) -> list[Parameter]:
    """All parameters that may deviate."""
    return [*section_parameters(design), *environment_parameters(environment)]


def margin(design: Design, environment: Environment, parameter: Parameter) -> Margin:
    """How far a parameter may deviate, to `STEPS` steps; 0 to both sides where the design itself misses."""
    deviations = np.linspace(-MOST[parameter.unit], MOST[parameter.unit], 2 * STEPS + 1)
    rows = Deviations.none(design, environment, len(deviations))
    parameter.change(rows, deviations)
    reached = grow_trials(design, environment, rows).reached
    step = SHOWN[parameter.unit] * MOST[parameter.unit] / STEPS
    less, more = (max(_run(side) - 1, 0) * step for side in (reached[STEPS::-1], reached[STEPS:]))
    return Margin(parameter.name, parameter.unit, less, more)


def _run(reached: NDArray[np.bool_]) -> int:
    """How many are true before the first that is not."""
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
    """Parameters of the start, and of the obstacles, all of them together."""
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
