"""Policies that choose the next deployment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.walls import inflate_to_walls, to_polygons
from environments.environment import Environment
from planner.mapping.actions import Actions
from planner.mapping.belief import PRIOR, Belief, cumulative_scores
from planner.mapping.grid import CellGrid, Cells, Outcomes, covered_cells, simulate_outcomes
from planner.mapping.sampling import Sample, kept_free, sample_environment
from surrogate.kernels.compiled import Floats
from surrogate.kernels.threads import map_on_threads

POLICIES = "monte-carlo", "ideal", "random", "information-gain"
INFORMATION = "nominal", "area only", "wall only"
"""Information used from a deployment: free and touched cells, free cells only, or touched cells only."""
SAMPLES = 5
"""Number of environments sampled before each deployment (paper 003, section 4.1.5)."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorKnowledge:
    """Knowledge of an environment before any deployment, and the possible deployments."""

    bounds: Floats
    """min x, min y, max x, max y [m], shape (4,)."""
    tube: HingeTube
    actions: Actions
    grid: CellGrid
    information: str
    """One of `INFORMATION`."""
    closed: list[shapely.Polygon]
    """Obstacles that only touch the bounds [m]; they close the environment there, which is known from the start."""

    @classmethod
    def open(cls, bounds: Floats, actions: Actions, radius: float) -> PriorKnowledge:
        """Make the knowledge of open bounds [m], shape (4,), for tubes of a radius [m]."""
        return cls(bounds, HingeTube(radius, FRICTION, radius), actions, CellGrid.of(bounds), INFORMATION[0], [])

    def simulate_in(self, sample: Sample) -> Outcomes:
        """Return the outcome of each action in a sampled environment."""
        walls = inflate_to_walls([*sample.shapes, *self.closed], self.bounds, self.tube.radius)
        every = simulate_outcomes(walls, self.tube, self.actions.launches, self.grid, sample.rubric)
        return _restrict(every, self.information)

    def kept_free(self) -> shapely.Geometry:
        """Return the regions around the launch points that are known to be free."""
        return kept_free(self.actions.points, self.tube.radius)


@dataclass(frozen=True, slots=True, eq=False)
class MappingTask(PriorKnowledge):
    """An environment to map, and the outcome of each possible deployment in it."""

    environment: Environment
    rubric: Cells
    """Cells covered by the environment's obstacles."""
    found: Outcomes
    """Outcome of each action in the environment."""

    @classmethod
    def of(cls, environment: Environment, actions: Actions, radius: float) -> MappingTask:
        """Simulate all actions in an environment with tubes of a radius [m]."""
        solids = to_polygons(environment.obstacles)
        tube, grid = HingeTube(radius, FRICTION, radius), CellGrid.of(environment.bounds)
        rubric = covered_cells(grid, solids)
        walls = inflate_to_walls(solids, environment.bounds, radius)
        found = simulate_outcomes(walls, tube, actions.launches, grid, rubric)
        closed = [solid for solid in solids if not covered_cells(grid, [solid]).any()]
        return cls(environment.bounds, tube, actions, grid, INFORMATION[0], closed, environment, rubric, found)

    def restrict(self, information: str) -> MappingTask:
        """Return the task with only a part of the information of each deployment."""
        return replace(self, found=_restrict(self.found, information), information=information)

    def implied_by(self, action: int) -> NDArray[np.bool_]:
        """Return the actions whose outcome follows from that of an action, including itself, shape (n,).

        A tube that ends before its turn grows like all others with the same launch that turn no earlier.
        """
        launches, length = self.actions.launches, self.found.length[action]
        turns_at = np.where(launches[:, 5] != 0, launches[:, 4], np.inf)
        same = (
            (launches[:, :3] == launches[action, :3]).all(axis=1) & (turns_at >= length) & (turns_at[action] >= length)
        )
        same[action] = True
        return np.asarray(same)


@dataclass(frozen=True, slots=True, eq=False)
class DeploymentStep:
    """A completed deployment."""

    action: int
    """Row of the action in the task's actions."""
    belief: Belief
    """Belief after it."""
    score: float
    """Score of that belief."""


def explore(
    task: MappingTask, policy: str, deployments: int, rng: np.random.Generator, threads: int = 1, prior: float = PRIOR
) -> Iterator[DeploymentStep]:
    """Deploy one tube after the other, skipping those whose outcome is already implied; stop when none is left.

    Args:
        policy: One of `POLICIES`. They maximise the score after the next deployment in sampled environments (monte-carlo)
            or in the true one (ideal), or the information gain in sampled ones, or choose at random.
        deployments: Maximum number of deployments, at most the number of actions.
        threads: Number of threads that simulate sampled environments.
    """
    belief = Belief.blank(prior)
    left = np.ones(len(task.actions.launches), bool)
    for _ in range(deployments):
        if not left.any():
            return
        values = _compute_values(task, policy, belief, rng, threads)
        action = int(np.where(left, values, -np.inf).argmax())
        left &= ~task.implied_by(action)
        belief = belief.after(task.found, action)
        yield DeploymentStep(action, belief, belief.score(task.rubric))


def random_scores(
    task: MappingTask, deployments: int, repeats: int, rng: np.random.Generator, prior: float = PRIOR
) -> Floats:
    """Return scores of random sequences of deployments, shape (repeats, deployments)."""
    count = len(task.actions.launches)
    orders = [rng.permutation(count)[:deployments] for _ in range(repeats)]
    return np.array([cumulative_scores(task.found, order, prior, task.rubric) for order in orders])


def _compute_values(task: MappingTask, policy: str, belief: Belief, rng: np.random.Generator, threads: int) -> Floats:
    """Compute the value of each action for a policy, shape (n,)."""
    if policy == "random":
        return rng.random(len(task.actions.launches))
    if policy == "ideal":
        return belief.scores_after(task.found, task.rubric)

    compute = partial(action_values, policy, belief)
    return np.mean([compute(*each) for each in sample_outcomes(task, belief, rng, threads)], axis=0)


def sample_outcomes(
    known: PriorKnowledge, belief: Belief, rng: np.random.Generator, threads: int
) -> list[tuple[Sample, Outcomes]]:
    """Sample environments from a belief, and simulate each action in them."""
    free = known.kept_free()
    samples = [sample_environment(belief, known.grid, free, rng) for _ in range(SAMPLES)]

    def outcome(sample: Sample) -> Outcomes:
        found = known.simulate_in(sample)
        # Hulls may overlap cells that were found free. Hits there would be valued too highly.
        return found._replace(hits=found.hits & ~belief.misses)

    return list(zip(samples, map_on_threads(outcome, samples, threads), strict=True))


def action_values(policy: str, belief: Belief, sample: Sample, found: Outcomes) -> Floats:
    """Return the value of each action in a sampled environment for the policy monte-carlo or information-gain, shape (n,)."""
    if policy == "information-gain":
        return belief.information_gains(found)
    return belief.scores_after(found, sample.rubric)


def _restrict(found: Outcomes, information: str) -> Outcomes:
    nothing = np.zeros_like(found.hits)
    if information == "area only":
        return found._replace(hits=nothing)
    if information == "wall only":
        return found._replace(misses=nothing)
    return found
