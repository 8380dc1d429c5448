"""The fewest actuators that the planner finds, and an exhaustive search for designs with fewer."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import load_environment
from planner.design.design_file import design_content
from planner.search.run import Budget, Run
from studies.fewest.exhaustive import BestFound, Coverage, search_exhaustively

ITERATIONS = 40
"""Iterations of the plan, whose seed is 0: with a number of iterations its result does not depend on the machine."""


@dataclass(frozen=True, slots=True)
class FewestCase:
    """One environment."""

    environment: str
    """Name, or path of a file."""
    most_steps: int
    """Number of vine-steps of the exhaustive search, see `studies.fewest.exhaustive.search_exhaustively`."""
    iterations: int = ITERATIONS


@dataclass(frozen=True, slots=True, eq=False)
class FewestOutcome:
    """Results of plan and exhaustive search in one environment."""

    case: FewestCase
    planned: int | None
    """Fewest actuators that the plan found, None without a solution."""
    coverage: Coverage
    segment_length: float
    """Length of a segment of the tube [m]."""
    seconds: float
    """Time of the exhaustive search, on one thread [s]."""

    @property
    def environment(self) -> str:
        """Name of the environment."""
        return Path(self.case.environment).stem

    @property
    def least(self) -> int | None:
        """Fewest actuators of a design that is known; None if there is none."""
        found = self.coverage.best
        known = [self.planned] if self.planned is not None else []
        return min([*known, found.design.actuators] if found else known, default=None)

    @property
    def missed(self) -> bool:
        """Whether the exhaustive search found a design with fewer actuators than the plan."""
        return self.least is not None and self.least != self.planned

    @property
    def verdict(self) -> str:
        """Conclusion about the fewest actuators, as text."""
        if self.missed:
            found = "no solution" if self.planned is None else str(self.planned)
            return f"fewer exist: {self.least}, the plan found {found}"
        none = "no design found" if self.least is None else f"{self.least} found"
        if self.least is not None and self.least < 2:
            return f"proven: {self.least} is the fewest"
        if not self.coverage.settled:
            return f"{none}; no fewer on the grid, which leaves doubt"
        return "proven: 2 is the fewest" if self.least == 2 else f"{none}; at least 2 needed"

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        coverage = self.coverage
        best = coverage.best
        return {
            "environment": self.environment,
            "planned": self.planned,
            "without_actuator": _tried_content(coverage.straight),
            "with_one": _tried_content(coverage.one),
            "verdict": self.verdict,
            "vines": coverage.vines,
            "vine_steps": coverage.steps,
            "spacing_mm": round(1e3 * coverage.spacing * self.segment_length, 1),
            "spacing_entries": coverage.spacing,
            "curvature_step_per_m": round(coverage.curvature_step, 3),
            "largest_doubt": round(coverage.doubt, 4) if math.isfinite(coverage.doubt) else None,
            "doubtful_boxes": coverage.doubtful,
            "share_into_goal": round(coverage.share, 6),
            "seconds": round(self.seconds, 1),
            "design": design_content(best.design) if best else None,
            "nearest": [
                {"start_mm": round(1e3 * x, 1), "curvature_per_m": round(k, 4), "nearest_mm": round(1e3 * off, 1)}
                for x, k, off in coverage.nearest.tolist()
            ],
        }

    def __str__(self) -> str:
        return f"{self.environment}: {self.verdict} ({self.coverage.vines} vines, {self.seconds:.0f} s)"


def _tried_content(tried: BestFound) -> dict[str, Any]:
    return {"found": tried.best is not None, "rejected": tried.rejected, "ambiguous": tried.ambiguous}


def run_case(case: FewestCase) -> FewestOutcome:
    """Plan, then search exhaustively, both on one thread."""
    params, make = VineParams(), partial(QuasiStatic, threads=1)
    environment = load_environment(case.environment, params.radius)
    plan = Run.prepare(environment, params, make)
    for _ in plan.run(Budget(math.inf, iterations=case.iterations)):
        pass
    fresh = Run.prepare(environment, params, make)
    began = time.perf_counter()
    coverage = search_exhaustively(fresh.search, case.most_steps)
    seconds = time.perf_counter() - began
    planned = plan.best.design.actuators if plan.best else None
    return FewestOutcome(case, planned, coverage, params.segment_length, seconds)


def list_missed(outcomes: Sequence[FewestOutcome]) -> str:
    """List the environments with designs of fewer actuators than the plan found, as text; empty if there are none."""
    return "; ".join(f"{one.environment}: {one.verdict}" for one in outcomes if one.missed)
