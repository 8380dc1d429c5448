"""The measurements of the study: random vines with and without rests, planned designs, and times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from dynamics.tube import Physics, VineParams
from dynamics.vine import Actuation, Rollout
from environments import Environment, known_environments, load_environment
from planner.search.run import warm_up
from studies.snaps.agreement import ImpulseAgreement, measure_agreement
from studies.snaps.branches import BranchShares, grow_vines, make_model, make_random_vines, measure_branches
from studies.snaps.designs import Snapped, Unsolved, measure_designs

SEGMENTS = {"plus": 140, "maze": 140, "pickone": 70, "needle": 110, "long": 140, "tube": 100, "divider": 90}
"""Environments of the random vines, and the number of segments that they grow there."""
OTHER_SEGMENTS = 100
"""Number of segments in other environments."""
SEED = 0
ROUNDS = 3
"""Each rollout is timed this often, in turn with the others."""
Kind = Literal["branches", "designs", "cost"]


@dataclass(frozen=True, slots=True)
class SnapCase:
    """One measurement in one environment."""

    kind: Kind
    environment: str
    physics: Physics = "corrected"


@dataclass(frozen=True, slots=True)
class RestCost:
    """Times of rollouts of the same vines."""

    environment: str
    physics: Physics
    rests: bool
    vines: int
    seconds: tuple[float, ...]
    """Time of each round [s]."""
    steps: int
    """Steps of growth of all vines."""
    relaxations: int
    """Their steps at constant length."""
    ratios: tuple[float, ...]
    """Time of each round divided by that of the published physics in the same round [-]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment,
            "physics": self.physics,
            "rests": self.rests,
            "vines": self.vines,
            "seconds": [round(one, 4) for one in self.seconds],
            "growth_steps": self.steps,
            "steps_at_constant_length": self.relaxations,
            "time_over_published_without_rests": [round(one, 4) for one in self.ratios],
        }


Found = BranchShares | Snapped | Unsolved | ImpulseAgreement | RestCost


def cases(environments: Sequence[str] | None = None) -> list[SnapCase]:
    """Return all measurements; times first, before the machine is warm from the others."""
    random, planned = environments or list(SEGMENTS), environments or known_environments()
    times = [SnapCase("cost", name) for name in random]
    branches = [SnapCase("branches", name, physics) for physics in get_args(Physics) for name in random]
    return [*times, *branches, *(SnapCase("designs", name) for name in planned)]


def run_cases(several: Sequence[SnapCase], vines: int, iterations: int) -> Iterator[list[Found]]:
    """Measure cases in sequence.

    Args:
        vines: Number of random vines in each environment.
        iterations: Number of iterations of each search.
    """
    for case in several:
        params = VineParams(physics=case.physics)
        environment = load_environment(case.environment, params.radius)
        if case.kind == "designs":
            designs = measure_designs(environment, params, iterations)
            best = [one for one in designs if isinstance(one, Snapped) and one.which.endswith("best")]
            yield [*designs, *map(measure_agreement, best)]
            continue
        carried = make_random_vines(params, vines, SEGMENTS.get(environment.name, OTHER_SEGMENTS), SEED)
        if case.kind == "branches":
            yield [*measure_branches(environment, params, carried)]
        else:
            yield [*measure_cost(environment, carried)]


def measure_cost(environment: Environment, vines: Actuation, rounds: int = ROUNDS) -> list[RestCost]:
    """Time rollouts at the default step: as published without rests, and corrected without and with them, in turn."""
    kinds: list[tuple[Physics, bool]] = [("published", False), ("corrected", False), ("corrected", True)]
    models = [make_model(environment, VineParams(physics=physics), rests) for physics, rests in kinds]
    warm_up(models[0])
    seconds, rollouts = np.empty((rounds, len(models))), list[Rollout]()
    for turn in seconds:
        rollouts.clear()
        for k, model in enumerate(models):
            begun = time.perf_counter()
            rollouts.append(grow_vines(model, vines))
            turn[k] = time.perf_counter() - begun
    found = []
    for k, (rollout, (physics, rests)) in enumerate(zip(rollouts, kinds, strict=True)):
        assert rollout.relaxations is not None
        counts = int(rollout.steps.sum()), int(rollout.relaxations.sum())
        ratios = tuple((seconds[:, k] / seconds[:, 0]).tolist())
        name = environment.name
        found.append(
            RestCost(name, physics, rests, len(vines.pressure), tuple(seconds[:, k].tolist()), *counts, ratios)
        )
    return found


def prepare() -> None:
    """Compile the kernels of growing and of held vines."""
    params = VineParams()
    environment = load_environment("divider", params.radius)
    measure_cost(environment, make_random_vines(params, 2, 4, SEED), rounds=1)
