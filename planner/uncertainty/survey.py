"""Success rate under all errors together, under each of them alone, and on the grid of paper 002, Fig. 9."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from environments.environment import Environment
from environments.uncertainty import KEYS, Uncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.output.text import plural
from planner.uncertainty.trials import Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success

BATCH = 100
"""Number of trials in a batch."""
ALL = "all errors together"
"""Name of the uncertainty that is asked for."""
UNITS = {"mm": "mm", "deg": "deg", "percent": "%", "kpa": "kPa"}
"""Units by the last word of a key of `[uncertainty]`."""


def sources(uncertainty: Uncertainty) -> dict[str, Uncertainty]:
    """Return each source of error of an uncertainty alone, by a name with its figure; none if there is only one."""
    alone = {}
    for source in KEYS:
        value, single = getattr(uncertainty, source), [one for one in uncertainty.of_obstacles if one.field == source]
        if value or single:
            name = _source_name(source, value) + (", some obstacles differ" if single else "")
            alone[name] = replace(Uncertainty(of_obstacles=tuple(single)), **{source: value})
    if uncertainty.learnt:
        alone[f"{plural(len(uncertainty.learnt.errors), 'error')} learnt"] = Uncertainty(learnt=uncertainty.learnt)
    return alone if len(alone) > 1 else {}


def _source_name(source: str, value: float | tuple[float, float]) -> str:
    """Return the name of a source of error with its figure, for example `obstacle position 3 mm`."""
    key = KEYS[source]
    if isinstance(value, tuple):
        return f"{key.name} {value[0]:g} to {value[1]:g}"
    what, _, unit = key.name.rpartition("_")
    return f"{what.replace('_', ' ')} {float(f'{value * key.factor:.6g}'):g} {UNITS[unit]}"


@dataclass(slots=True)
class Survey:
    """The trials of a design and their results; iterate over `run` to grow them."""

    design: Design
    environment: Environment
    uncertainties: dict[str, Uncertainty]
    """Uncertainties by name: `ALL`, `sources`, and the cells of the grid by `cell_name`."""
    trials: int
    seed: int = 0
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """Number of trials of each uncertainty by result (`Outcome.counts`), including those in progress."""
    reached: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """Whether each trial of all errors together reached the goal, of those done."""
    broken: list[str] = field(default_factory=list)
    """Explanation of the end of growth in every trial with non-finite values."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Computing time of each uncertainty [s]."""

    @classmethod
    def of(
        cls,
        design: Design,
        environment: Environment,
        uncertainty: Uncertainty,
        trials: int,
        seed: int = 0,
        levels: Sequence[float] = (),
        alone: bool = True,
    ) -> Survey:
        """Make a survey of all errors together, followed by each source of error alone and the grid of levels.

        Args:
            levels: Levels of both obstacles and bending [-]; none for no grid.
            alone: Whether to try each source of error alone.
        """
        if not design.preformed:
            uncertainty = replace(uncertainty, preformed_position=0.0, preformed_turn=0.0)
        every = {ALL: uncertainty} | (sources(uncertainty) if alone else {})
        grid = {
            cell_name(obstacles, bending): Uncertainty.of_levels(obstacles, bending)
            for obstacles in levels
            for bending in levels
        }
        return cls(design, environment, every | grid, trials, seed)

    def run(self) -> Iterator[int]:
        """Grow all batches of trials; after each batch, yield its number of trials."""
        for name, rows in self.batches():
            start = time.perf_counter()
            outcome = grow_trials(self.design, self.worlds(name, rows))
            counts = outcome.counts()
            if name == ALL:
                self.reached = np.concatenate([self.reached, outcome.reached])
            self.broken += outcome.broken.values()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
            before = self.counts.get(name, {})
            self.counts[name] = {way: before.get(way, 0) + count for way, count in counts.items()}
            yield len(rows)

    def batches(self) -> list[tuple[str, range]]:
        """List batches of trials: the name of the uncertainty, and the trial numbers."""
        firsts = range(0, self.trials, BATCH)
        return [(name, range(one, min(one + BATCH, self.trials))) for name in self.uncertainties for one in firsts]

    def worlds(self, name: str, trials: Sequence[int]) -> Worlds:
        """Draw the worlds of an uncertainty by the numbers of their trials."""
        return Worlds.draw(self.environment, self.design.params, self.uncertainties[name], trials, self.seed)

    def estimate(self, name: str) -> Estimate | None:
        """Estimate the success rate of an uncertainty from the trials done so far; None without trials."""
        counts = self.counts.get(name)
        return Estimate(counts["reached"], sum(counts.values())) if counts else None

    def estimate_all(self) -> Estimate:
        """Estimate the success rate under all errors together, with the errors on which it depends."""
        some, errors = range(len(self.reached)), self.uncertainties[ALL]
        return estimate_success(self.design, self.environment, errors, some, self.seed, self.reached)

    def complete(self, name: str) -> bool:
        """Whether all trials of an uncertainty are done."""
        return sum(self.counts.get(name, {}).values()) == self.trials

    @property
    def done(self) -> int:
        """Number of trials done, of all uncertainties."""
        return sum(sum(counts.values()) for counts in self.counts.values())

    @property
    def asked(self) -> int:
        """Number of trials of all uncertainties."""
        return self.trials * len(self.uncertainties)


def cell_name(obstacles: float, bending: float) -> str:
    """Return the name of a cell of the grid."""
    return f"{100 * obstacles:g} % / {100 * bending:g} %"
