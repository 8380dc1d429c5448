"""Plans in random halls: solved or not, time to the first solution, memory, and time before the search."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, load_environment, write_environment
from environments.halls.hall import generate_hall
from environments.obstacles import Obstacles
from planner.plan.choice.selection import keep_candidates
from planner.plan.inputs import Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from planner.search.run import Run
from studies.memory import largest_memory, run_apart

HALLS: tuple[tuple[str, tuple[float, float], int], ...] = (
    ("corridors", (14.0, 10.0), 700),
    ("corridors", (24.0, 18.0), 6000),
    ("corridors", (60.0, 40.0), 20_000),
    ("racks", (14.0, 10.0), 500),
    ("racks", (24.0, 18.0), 4000),
    ("racks", (60.0, 40.0), 20_000),
    ("caves", (10.0, 9.0), 900),
    ("caves", (20.0, 16.0), 6000),
    ("caves", (40.0, 30.0), 20_000),
    ("tracks", (12.0, 10.0), 500),
    ("tracks", (20.0, 16.0), 3000),
    ("tracks", (40.0, 30.0), 12_000),
)
"""Kind, width and height [m], and about the number of corners of the walls."""
FIRST_SEED = 4000
"""Seed of the first map of each hall; none of them was used to choose anything."""


@dataclass(frozen=True, slots=True)
class HallCase:
    """One plan to make."""

    kind: str
    size: tuple[float, float]
    """Width and height [m]."""
    corners: int
    """About the number of corners."""
    seed: int
    """Seed of the map, and of the plan."""
    time_budget: float
    """[s]"""
    fast: bool = False
    """Whether the plan ends after the search, without refinement and trials."""

    @property
    def name(self) -> str:
        """Name for tables."""
        return f"{self.kind} {self.size[0]:g} m x {self.size[1]:g} m"

    def environment(self) -> Environment:
        """Make the hall."""
        rng = np.random.default_rng(self.seed)
        return generate_hall(self.kind, rng, size=self.size, corners=self.corners, name=f"{self.kind}-{self.seed}")


@dataclass(frozen=True, slots=True)
class HallRecord:
    """Outcome of one plan."""

    case: HallCase
    corners: int
    """Number of corners."""
    away: float
    """Distance of the goal from the start, in a straight line [m]."""
    first: float | None
    """Search time to the first solution [s]; None without one."""
    actuators: int | None
    """Actuators of the chosen design."""
    length: float | None
    """Its length [m]."""
    success: float | None
    """Share of its trials that reach the goal [-]; None without trials."""
    seconds: float
    """Time of the whole plan, without `start` [s]."""
    start: float
    """CPU time from the file to the first iteration of the search, without compilation [s]."""
    memory: float
    """Largest memory of the process [MB]."""

    @property
    def solved(self) -> bool:
        """Whether the first search found a design."""
        return self.first is not None

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self)

    def __str__(self) -> str:
        first = "no design" if self.first is None else f"first design after {self.first:.2f} s"
        return f"{self.case.name}, seed {self.case.seed}: {first}; start {self.start:.1f} s, {self.memory:.0f} MB"


def make_cases(runs: int, time_budget: float, fast: bool) -> list[HallCase]:
    """Return the plans of a study: so many maps of each hall."""
    return [HallCase(*hall, FIRST_SEED + run, time_budget, fast) for run in range(runs) for hall in HALLS]


def run_cases(cases: Sequence[HallCase]) -> Iterator[HallRecord]:
    """Yield the outcome of each plan, made in a process of its own, whose memory is that of the plan."""
    return run_apart(run_case, cases)


def run_case(case: HallCase) -> HallRecord:
    """Plan in one hall, with the default options but for the time."""
    options = Inputs(seed=case.seed, time_budget_s=case.time_budget, fast=case.fast)
    warm_up(options)
    made = case.environment()
    with tempfile.TemporaryDirectory() as folder:
        write_environment(made, file := Path(folder) / "hall.toml")
        began = time.process_time()
        environment = load_environment(file)
        problem = Problem.of(environment, VineParams(), options)
        prepare(problem)
        start = time.process_time() - began
    began = time.perf_counter()
    result = plan(problem)
    seconds, best = time.perf_counter() - began, result.best
    tried = best.success if best else None
    return HallRecord(
        case,
        sum(map(len, environment.obstacles.polygons)),
        round(float(np.hypot(*(environment.goal[:2] - environment.start[:2]))), 3),
        round(result.history[0].seconds, 3) if result.history else None,
        best.actuators if best else None,
        round(best.length, 3) if best else None,
        round(tried.rate, 4) if tried else None,
        round(seconds, 2),
        round(start, 2),
        round(largest_memory(), 1),
    )


def warm_up(options: Inputs) -> None:
    """Compile the kernels of a search in a room with a wall, or load them."""
    bounds, walls = np.array([0.0, 0.0, 11.0, 11.0]), Obstacles(boxes=[(3.0, 0.0, 3.1, 2.0)])
    room = Environment("room", "", bounds, np.array([0.3, 0.3, 0.0]), np.array([5.0, 1.0, 0.1]), walls)
    prepare(Problem.of(room, VineParams(), options)).search.iterate()


def prepare(problem: Problem) -> Run:
    """Do what a plan does up to its first iteration."""
    options, keep = problem.options, keep_candidates(problem.options.solutions, problem.effort)
    return Run.prepare(
        problem.environment, problem.tube, problem.make, options.seed, options.batch, keep, problem.switches()
    )
