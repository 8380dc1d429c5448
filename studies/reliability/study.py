"""Reliability: planning in many random environments, with checks of every state by shapely, and of memory use."""

from __future__ import annotations

import gc
import os
import traceback
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from environments.reach import WalledIn, goal_within_reach
from planner.search.run import Budget, Run
from studies.random_environments import make_clutter, soak_kind
from studies.reliability.checks import Checked, check_states


@dataclass(frozen=True, slots=True)
class ReliabilityCase:
    """A planning run in a random environment; environment and search have the same seed."""

    seed: int
    density: float
    size: tuple[float, float]
    """[m]"""
    time_budget: float
    """[s]"""

    def environment(self) -> Environment:
        """Return the environment, identical to that of `vinewright environments new` with these numbers."""
        return make_clutter(self.seed, self.density, self.size)

    @property
    def replayed_by(self) -> str:
        """The commands that repeat the run."""
        width, height = self.size
        new = f"vinewright environments new soak-{self.seed}.toml --seed {self.seed} --density {self.density:g}"
        again = f"vinewright plan soak-{self.seed}.toml --seed {self.seed} --time-budget {self.time_budget:g}"
        return f"{new} --width {width:g} --height {height:g} && {again}"


@dataclass(frozen=True, slots=True)
class ReliabilityRecord:
    """The result of a case."""

    case: ReliabilityCase
    walled_in: bool = False
    actuators: int | None = None
    """Number of actuators of the best solution; None without one."""
    iterations: int = 0
    checked: Checked | None = None
    """Result of the checks; None if there was no search."""
    crash: str = ""
    """The error that ended the run, with its location; empty if there was none."""
    process: int = 0
    """ID of the process that ran the case."""
    resident_mb: float | None = None
    """Resident memory of the process after the case [MB]; None if the system does not report it."""

    @property
    def faults(self) -> list[str]:
        """Violations, as text."""
        return ([self.crash] if self.crash else []) + (self.checked.faults if self.checked else [])

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self)


def cases(count: int, seconds: float) -> list[ReliabilityCase]:
    """Cases that alternate densities and sizes, so that memory growth over the runs is not confounded with their difficulty."""
    return [ReliabilityCase(seed, *soak_kind(seed), seconds) for seed in range(count)]


def run_case(case: ReliabilityCase) -> ReliabilityRecord:
    """Plan on one thread and check the states; an error is recorded as a result."""
    try:
        record = _plan(case)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        record = ReliabilityRecord(case, crash=f"{words} ({Path(where.filename).name}, line {where.lineno})")
    gc.collect()
    return replace(record, process=os.getpid(), resident_mb=_resident_mb())


def _plan(case: ReliabilityCase) -> ReliabilityRecord:
    params, environment = VineParams(), case.environment()
    try:
        goal_within_reach(environment, params.radius, params.clearance)
    except WalledIn:
        return ReliabilityRecord(case, walled_in=True)
    run = Run.prepare(environment, params, partial(QuasiStatic, threads=1), case.seed)
    for _ in run.run(Budget(case.time_budget)):
        pass
    actuators = run.best.design.actuators if run.best else None
    return ReliabilityRecord(case, actuators=actuators, iterations=run.search.iteration, checked=check_states(run))


def _resident_mb() -> float | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 2)


def record_death(case: ReliabilityCase) -> ReliabilityRecord:
    """Return the record of a case that killed every process that ran it."""
    return ReliabilityRecord(case, crash="the process died")
