"""Paper 002, Fig. 8: solutions of one environment, and their shapes in free space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.design import Design
from planner.design.replay import GrowthEnd, grow_designs
from planner.search.run import Budget, Run

ENVIRONMENTS = "plus", "maze", "pickone", "needle", "long", "tube"
"""The environments of Fig. 8, in the order of section 6.2."""
SHOWN = 3
"""Maximum number of solutions shown of each environment."""


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Solutions of one environment, and their shapes in free space."""

    environment: Environment
    iterations: int
    """Number of iterations of the search, fewer than allowed if nothing better was left to try."""
    found: int
    """Number of solutions that were kept."""
    shown: list[Design]
    """Solutions that differ most in shape, the one of lowest cost first."""
    free: list[GrowthEnd]
    """Their designs, grown without obstacles."""

    def free_gap(self, number: int) -> float:
        """Return the distance from the goal at which a shown design ends in free space [m], 0 within the goal."""
        x, y, radius = self.environment.goal
        return max(math.hypot(*(self.free[number].tip[:2] - (x, y))) - float(radius), 0.0)

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        shown = [
            {
                "actuators": design.actuators,
                "length_mm": round(1e3 * design.length, 3),
                "free_tip_mm": np.round(1e3 * free.tip[:2], 3).tolist(),
                "free_gap_mm": round(1e3 * self.free_gap(number), 3),
            }
            for number, (design, free) in enumerate(zip(self.shown, self.free, strict=True))
        ]
        found = {"environment": self.environment.name, "iterations": self.iterations, "solutions": self.found}
        return found | {"shown": shown}


def empty_environment(environment: Environment, length: float) -> Environment:
    """Return free space around the start of an environment that no tube of a length [m] can leave."""
    x, y = environment.start[:2]
    reach = length + 1.0
    return Environment(
        name=environment.name,
        bounds=(x - reach, y - reach, x + reach, y + reach),
        start=environment.start,
        goal=environment.goal,
    )


def grow_freely(designs: Sequence[Design], environment: Environment) -> list[GrowthEnd]:
    """Grow designs with the same tube from the start of an environment, without its obstacles and bounds."""
    free = empty_environment(environment, max(design.length for design in designs))
    return grow_designs(designs, free, QuasiStatic(free, designs[0].params))


def choose_different(designs: Sequence[Design], count: int) -> list[Design]:
    """Return the first design, then again and again the one whose centreline is farthest from all chosen before, in their order.

    The distance of two centrelines is that of Hausdorff: of the farthest point of one to the nearest of the other.
    """
    lines = [shapely.LineString(design.centerline) for design in designs]
    chosen = [0][: len(designs)]
    while len(chosen) < min(count, len(designs)):
        away = [
            -1.0 if k in chosen else min(shapely.hausdorff_distance(line, lines[other]) for other in chosen)
            for k, line in enumerate(lines)
        ]
        chosen.append(int(np.argmax(away)))
    return [designs[k] for k in sorted(chosen)]


def solve(name: str, iterations: int, seed: int) -> Solved:
    """Search for solutions of a shipped environment, and grow those shown in free space."""
    params = VineParams()
    environment = load_environment(name, params.radius)
    run = Run.prepare(environment, params, seed=seed)
    for _ in run.run(Budget(math.inf, iterations=iterations)):
        pass
    designs = [solution.design for solution in run.solutions.best]
    shown = choose_different(designs, SHOWN)
    free = grow_freely(shown, environment) if shown else []
    return Solved(environment, run.search.iteration, len(designs), shown, free)
