"""Studies of many planning runs, each on one thread and in parallel, and their statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from planner.search.planners import SST_STAR, search_of
from planner.search.run import Budget, Run
from planner.search.sst import DEFAULT_SWITCHES, LENGTH_COST, Switches
from studies.random_environments import find_environment
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report, Study


@dataclass(frozen=True, slots=True)
class RunCase:
    """One planning run to make."""

    environment: str
    """See `find_environment`."""
    seed: int
    time_budget: float
    """[s]"""
    batch: int = 100
    switches: Switches = DEFAULT_SWITCHES
    planner: str = SST_STAR
    first: bool = False
    """Whether the run ends at the first solution."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Results of one planning run."""

    case: RunCase
    history: list[tuple[float, float]]
    """Seconds and cost of each better solution."""
    iterations: int
    seconds: float
    tree_seconds: float | None = None
    """Computing time of the reverse tree [s], None without one."""
    tree_vertices: int | None = None
    tree_reaches_start: bool | None = None
    """Whether the tree's cost-to-go is known at the start."""
    vine_steps: int = 0
    """Growth steps of all vines, without replays."""
    first_steps: int | None = None
    """Growth steps of all vines up to the first solution; None without one."""
    changes: int = 0
    """Number of changes of pressure of the best solution at the end."""

    @property
    def first(self) -> float:
        """Seconds to the first solution; infinite without one."""
        return self.history[0][0] if self.history else math.inf

    @property
    def cost(self) -> float:
        """Cost of the best solution; infinite without one."""
        return self.history[-1][1] if self.history else math.inf

    def cost_at(self, seconds: Floats) -> Floats:
        """Cost of the best solution at some times; infinite before there is one."""
        times, costs = zip((-math.inf, math.inf), *self.history, strict=True)
        return np.array(costs)[np.searchsorted(times, seconds, side="right") - 1]

    def in_time(self) -> RunRecord:
        """Without what was found after the time budget, in the iteration in which it ended."""
        history = [better for better in self.history if better[0] <= self.case.time_budget]
        return replace(self, history=history, first_steps=self.first_steps if history else None)

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        switches = {
            name: value
            for name, value in asdict(self.case.switches).items()
            if name not in ("worlds", "search", "known")
        }
        case = {**asdict(self.case), "environment": Path(self.case.environment).stem, "switches": switches}
        return case | {name: value for name, value in asdict(self).items() if name != "case"}


def run_case(case: RunCase) -> RunRecord:
    """Plan on one thread."""
    params = VineParams()
    environment, make = find_environment(case.environment), partial(QuasiStatic, threads=1)
    switches = replace(case.switches, search=search_of(case.planner))
    run = Run.prepare(environment, params, make, case.seed, case.batch, switches=switches)
    first_steps = None
    for _ in run.run(Budget(case.time_budget, first=case.first)):
        if first_steps is None and run.best:
            first_steps = run.search.vine_steps
    history = [(round(m.seconds, 4), round(m.actuators + LENGTH_COST * m.length, 5)) for m in run.history]
    record = partial(RunRecord, case, history, run.search.iteration, round(run.seconds, 3))
    schedule = run.best.design.schedule if run.best else None
    changes = schedule.changes if schedule else 0
    record = partial(record, vine_steps=run.search.vine_steps, first_steps=first_steps, changes=changes)
    if (tree := run.reverse_tree) is None:
        return record()
    # The root is always the first node.
    known = math.isfinite(run.search.tree.to_go[0]) if not tree.failure else False
    return record(round(tree.seconds, 4), len(tree.poses), known)


def make_runs_study(
    name: str, cases: Sequence[RunCase], report: Callable[[list[RunRecord]], Report], module: str
) -> Study[RunCase, RunRecord]:
    """Make a study of planning runs, which a module defines."""
    return Study(
        name,
        cases,
        partial(map, run_case),
        report,
        parallel=True,
        prepare=lambda: run_case(replace(cases[0], time_budget=1e-3)),
        module=module,
    )


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Statistics of runs of one kind. A run without a solution counts as slower and costlier than any run with one."""

    runs: int
    solved: int
    first: Floats
    """Quartiles of the time to the first solution [s], shape (3,)."""
    mean_first: float
    """Mean time to the first solution over the solved runs [s]."""
    cost: Floats
    """Quartiles of the best cost at the end, shape (3,)."""
    mean_cost: float
    """Mean of the best cost over the solved runs."""
    iteration: float
    """Mean time of an iteration, excluding the reverse tree [s]."""

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> RunSummary:
        """Summarise at least one record."""
        first, cost = (np.array([getattr(record, name) for record in records]) for name in ("first", "cost"))
        solved = np.isfinite(first)
        searched = sum(record.seconds - (record.tree_seconds or 0.0) for record in records)
        return cls(
            len(records),
            int(solved.sum()),
            quartiles(first),
            float(first[solved].mean()) if solved.any() else math.inf,
            quartiles(cost),
            float(cost[solved].mean()) if solved.any() else math.inf,
            searched / max(sum(record.iterations for record in records), 1),
        )


def quartiles(values: Floats) -> Floats:
    """Lower quartile, median and upper quartile along the first axis, without interpolation because values may be infinite."""
    return np.quantile(values, [0.25, 0.5, 0.75], axis=0, method="inverted_cdf")


def number_text(value: float, digits: int = 2) -> str:
    """Return a number for a table, a dash if it is not finite."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"


def quartiles_text(values: Floats, digits: int = 2) -> str:
    """Median, and the other quartiles in brackets."""
    low, middle, high = (number_text(value, digits) for value in values)
    return f"{middle} ({low} ... {high})"
