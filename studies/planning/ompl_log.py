"""Planning runs as benchmark logs of OMPL, and the SQLite database of them that its Planner Arena reads.

The format is that of `ompl::tools::Benchmark::saveResultsToStream` (OMPL 2.0); OMPL's own reader makes the database.
"""

from __future__ import annotations

import contextlib
import io
import platform
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from studies.planning.study import PlanningOutcome, PlanningResult

STATUSES = (
    *("Unknown status", "Invalid start", "Invalid goal", "Unrecognized goal type", "Timeout", "Approximate solution"),
    *("Exact solution", "Crash"),
)
"""OMPL's statuses, in the order of their numbers."""
TIMEOUT, EXACT = 4, 6
PROPERTIES = (
    *("iterations INTEGER", "seed INTEGER", "solution actuators INTEGER", "solution cost REAL", "solution length REAL"),
    *("solved BOOLEAN", "status ENUM", "time REAL", "vine steps INTEGER"),
)
"""Properties of each run, in the order of its values. `time` is that of the first solution, or of the whole run [s]."""
PROGRESS = ("time REAL", "best cost REAL")
"""Properties of each better solution of a run."""


def benchmark_text(environment: str, outcomes: Sequence[PlanningOutcome], time_budget: float) -> str:
    """Return the runs in one environment as an experiment in OMPL's format.

    Args:
        time_budget: Time limit of each run [s].
    """
    own = [one for one in outcomes if one.environment == environment]
    planners = {one.planner: [other for other in own if other.planner == one.planner] for one in own}
    lines = [
        f"Vinewright version {version('vinewright')}",
        f"Experiment {'_'.join(environment.split())}",
        f"Running on {platform.node() or 'unknown'}",
        f"Starting at {datetime.now(UTC):%Y-%m-%d %H:%M:%S}",
        "<<<|",
        f"A vine in the environment {environment}; cost is actuators + length / 100 m",
        "|>>>",
        "0 is the random seed",
        f"{time_budget:g} seconds per run",
        "0 MB per run",
        f"{max(map(len, planners.values()), default=0)} runs per planner",
        f"{sum(one.seconds for one in own):g} seconds spent to collect the data",
        "1 enum type",
        "|".join(["status", *STATUSES]),
        f"{len(planners)} planners",
    ]
    for planner, runs in planners.items():
        lines += [planner, "0 common properties", f"{len(PROPERTIES)} properties for each run", *PROPERTIES]
        lines += [f"{len(runs)} runs", *map(_run, runs)]
        lines += [f"{len(PROGRESS)} progress properties for each run", *PROGRESS]
        lines += [f"{len(runs)} runs", *map(_progress, runs), "."]
    return "\n".join(lines) + "\n"


def write_database(path: Path, outcomes: Sequence[PlanningOutcome], time_budget: float) -> None:
    """Write the runs in all environments as one SQLite database.

    Raises:
        ModuleNotFoundError: OMPL is not installed.
    """
    from ompl.tools import readBenchmarkLog

    with tempfile.TemporaryDirectory() as folder:
        logs = []
        for number, environment in enumerate(dict.fromkeys(one.environment for one in outcomes)):
            logs.append(Path(folder) / f"{number}.log")
            logs[-1].write_text(benchmark_text(environment, outcomes, time_budget), encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):  # it tells of every planner
            readBenchmarkLog(str(path), [str(log) for log in logs], False)


def log_writers(
    environments: Sequence[str], time_budget: float
) -> dict[str, Callable[[Path, Sequence[PlanningResult]], None]]:
    """Return the functions that write the log of each environment, and the database, by file name."""
    logs = {f"benchmark-{name}.log": partial(_write_log, name, time_budget) for name in environments}
    return {**logs, "benchmark.db": partial(_write_database, time_budget)}


def _write_log(environment: str, time_budget: float, path: Path, found: Sequence[PlanningResult]) -> None:
    path.write_text(benchmark_text(environment, [one.outcome for one in found], time_budget), encoding="utf-8")


def _write_database(time_budget: float, path: Path, found: Sequence[PlanningResult]) -> None:
    write_database(path, [one.outcome for one in found], time_budget)


def _run(one: PlanningOutcome) -> str:
    """Values of `PROPERTIES`."""
    solved = one.first_s is not None
    cost = one.history[-1][1] if one.history else None
    time = one.first_s if solved else one.seconds
    values = [one.iterations, one.seed, one.actuators, cost, one.length_m]
    values += [int(solved), EXACT if solved else TIMEOUT, time, one.vine_steps]
    return "".join(f"{'' if value is None else value}; " for value in values)


def _progress(one: PlanningOutcome) -> str:
    """Values of `PROGRESS`."""
    return "".join(f"{seconds},{cost},;" for seconds, cost in one.history)
