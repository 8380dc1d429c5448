"""Which tube to deploy next."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.walls import inflate, polygons
from environments.environment import Environment
from planner.mapping.actions import Actions
from planner.mapping.belief import PRIOR, Belief, cumulative_scores
from planner.mapping.grid import Cells, Grid, Outcomes, covered, outcomes
from planner.mapping.sampling import Sample, kept_free, sampled
from surrogate.compiled import Floats

POLICIES = "monte-carlo", "ideal", "random", "information-gain"
INFORMATION = "nominal", "area only", "wall only"
"""What is taken from a deployment: both, where it was free alone, or where it touched alone."""
SAMPLES = 5
"""Places drawn before each deployment (paper 003, section 4.1.5)."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A place to map, the tubes to do it with, and what each of them would find."""

    environment: Environment
    tube: HingeTube
    actions: Actions
    grid: Grid
    rubric: Cells
    """Cells that the place's obstacles cover."""
    found: Outcomes
    """What each action finds in the place."""
    information: str
    """One of `INFORMATION`."""
    closed: list[shapely.Polygon]
    """Obstacles that only come up to the bounds [m]: they close the place there, which is known from the start."""

    @classmethod
    def of(cls, environment: Environment, actions: Actions, radius: float) -> Task:
        """Everything there is to find in a place by tubes of a radius [m]."""
        solids = polygons(environment.obstacles)
        tube, grid = HingeTube(radius, FRICTION, radius), Grid.of(environment.bounds)
        rubric = covered(grid, solids)
        walls = inflate(solids, environment.bounds, radius)
        found = outcomes(walls, tube, actions.launches, grid, rubric)
        closed = [solid for solid in solids if not covered(grid, [solid]).any()]
        return cls(environment, tube, actions, grid, rubric, found, INFORMATION[0], closed)

    def restricted(self, information: str) -> Task:
        """The same where only a part of what a deployment finds is taken from it."""
        return replace(self, found=_part(self.found, information), information=information)

    def found_in(self, sample: Sample) -> Outcomes:
        """What each action would find in a sampled place."""
        walls = inflate([*sample.shapes, *self.closed], self.environment.bounds, self.tube.radius)
        every = outcomes(walls, self.tube, self.actions.launches, self.grid, sample.rubric)
        return _part(every, self.information)

    def told_by(self, action: int) -> NDArray[np.bool_]:
        """Which actions an action tells all of, itself among them, shape (n,).

        One that has ended before its turn has grown as every other does that starts like it and turns no earlier.
        """
        launches, length = self.actions.launches, self.found.length[action]
        turns_at = np.where(launches[:, 5] != 0, launches[:, 4], np.inf)
        same = (
            (launches[:, :3] == launches[action, :3]).all(axis=1) & (turns_at >= length) & (turns_at[action] >= length)
        )
        same[action] = True
        return np.asarray(same)

    def kept_free(self) -> shapely.Geometry:
        """Where tubes are launched."""
        return kept_free(self.actions.points, self.tube.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A deployment that was made."""

    action: int
    """Row of the actions."""
    belief: Belief
    """What is known after it."""
    score: float
    """Of that belief."""


def explore(
    task: Task, policy: str, deployments: int, rng: np.random.Generator, threads: int = 1, prior: float = PRIOR
) -> Iterator[Step]:
    """Deploy one tube after the other, none twice, nor one of which an earlier one has told all; end when none is left.

    Args:
        policy: One of `POLICIES`: the best score after the next deployment, in places drawn from the belief or (ideal)
            in the true one; the most information in the drawn ones; or any.
        deployments: At most as many as there are actions.
        threads: On which the drawn places are explored.
    """
    belief = Belief.blank(prior)
    left = np.ones(len(task.actions.launches), bool)
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(deployments):
            if not left.any():
                return
            values = _values(task, policy, belief, rng, pool)
            action = int(np.where(left, values, -np.inf).argmax())
            left &= ~task.told_by(action)
            belief = belief.after(task.found, action)
            yield Step(action, belief, belief.score(task.rubric))


def random_scores(task: Task, deployments: int, repeats: int, rng: np.random.Generator, prior: float = PRIOR) -> Floats:
    """Scores of many random orders, shape (repeats, deployments)."""
    count = len(task.actions.launches)
    orders = [rng.permutation(count)[:deployments] for _ in range(repeats)]
    return np.array([cumulative_scores(task.found, order, prior, task.rubric) for order in orders])


def _values(task: Task, policy: str, belief: Belief, rng: np.random.Generator, pool: ThreadPoolExecutor) -> Floats:
    """What each action is worth to a policy, shape (n,)."""
    if policy == "random":
        return rng.random(len(task.actions.launches))
    if policy == "ideal":
        return belief.scores_after(task.found, task.rubric)

    def value(sample: Sample) -> Floats:
        found = task.found_in(sample)
        # Hulls may lie over cells that were found free: a tube that touches one there would seem to learn most of all.
        found = found._replace(hits=found.hits & ~belief.misses)
        if policy == "information-gain":
            return belief.information_gains(found)
        return belief.scores_after(found, sample.rubric)

    free = task.kept_free()
    samples = [sampled(belief, task.grid, free, rng) for _ in range(SAMPLES)]
    return np.mean(list(pool.map(value, samples)), axis=0)


def _part(found: Outcomes, information: str) -> Outcomes:
    nothing = np.zeros_like(found.hits)
    if information == "area only":
        return found._replace(hits=nothing)
    if information == "wall only":
        return found._replace(misses=nothing)
    return found
