"""The front of a plan: for each number of actuators the design that reaches the goal most often, and the one to make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.relaxations import Relaxations
from dynamics.snaps import Snaps
from environments.uncertainty import Uncertainty
from planner.design import Design
from planner.replay import grow_designs, replay
from planner.robustness.deviations import Trials
from planner.robustness.estimate import Estimate
from planner.robustness.refinement import POPULATION, Candidate, Descent, grown_candidates, with_another
from planner.robustness.trials import Worlds, nearest_to_goal
from planner.search.run import Run

CANDIDATES = 40
"""Number of distinct solutions to choose from."""
MORE = 2
"""Maximum number of actuators of a design beyond that of the lowest-cost one."""
SLACK = MORE + 0.05
"""Maximum cost of a solution above the lowest cost, in actuators: `MORE` actuators, plus 5 m of tube."""
FINAL, FEW, BLOCK = 1000, 300, 100
"""Maximum number of trials that evaluate the chosen design, each other design of the front, and of trials grown together."""
NO_TRIALS = Estimate(0, 0)
CHOOSING, EVALUATING = 2_000_000, 1_000_000
"""Number of the first trial for refinement, and for evaluation; surveys use none of these trials."""
WORLDS, FIRST = 24, 8
"""Number of worlds with errors in which designs are refined, and of those in which all are compared first."""
STARTS = 2
"""Number of designs that are refined for each number of actuators."""
HEATS, GENERATIONS = 3, 16
"""Number of generations after which the best of them is refined alone, and of all generations."""
SURE = 1e-3
"""Loss of a design that needs no more refinement [-]."""
INSERTED = 24
"""Number of designs with one more actuator that are made from the best one."""
REFINING = 0.7
"""Share of the time for one number of actuators that is spent on refinement; the rest is for trials."""


@dataclass(frozen=True, slots=True, eq=False)
class Champion:
    """The design of the front with a given number of actuators, and its success in trials not used for its selection."""

    design: Design
    estimate: Estimate
    grown: int
    """Number of designs that it was chosen from."""
    reached: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """Whether it reached the goal in each of those trials, shape (trials,)."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "actuators": self.design.actuators,
            "length_mm": round(1e3 * self.design.length, 3),
            "reached": self.estimate.reached,
            "trials": self.estimate.trials,
            "interval": [round(end, 4) for end in self.estimate.interval],
            "chosen_from": self.grown,
        }


@dataclass(slots=True)
class Choice:
    """The front, and the criteria of the choice."""

    errors: str
    """Name of the uncertainty."""
    uncertainty: Uncertainty
    threshold: float
    """Required success rate [-]."""
    front: list[Champion] = field(default_factory=list)
    """Fewest actuators first."""

    @property
    def met(self) -> bool:
        """Whether any design has the required success rate."""
        return any(champion.estimate.rate >= self.threshold for champion in self.front)

    @property
    def chosen(self) -> Champion:
        """The first design with the required success rate, i.e. that with the fewest actuators.

        If there is none, the first whose confidence interval includes the highest rate of all.
        """
        highest = max(champion.estimate.rate for champion in self.front)
        for champion in self.front:
            if champion.estimate.rate >= self.threshold:
                return champion
        return next(champion for champion in self.front if champion.estimate.interval[1] >= highest)

    def add_trials(self, selection: Selection) -> None:
        """Evaluate the chosen design in more trials, while there is time; by these, another one may become the chosen one."""
        while self.chosen.estimate.trials < FINAL and selection.left() > 0:
            k = self.front.index(self.chosen)
            self.front[k] = selection.with_more_trials(self.front[k])

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "errors": self.errors,
            "uncertainty": self.uncertainty.content(),
            "threshold": self.threshold,
            "front": [champion.content() for champion in self.front],
            "chosen": self.chosen.content(),
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """What a selection does at the moment."""

    actuators: int
    generation: int
    """0 while solutions are compared."""
    rate: float
    """Share of the worlds of the refinement in which the best design reaches the goal [-]."""
    trials: int = 0
    """Number of trials that evaluated the refined design."""


class Selection:
    """Refines solutions for each number of actuators, and evaluates the best one in trials that chose nothing."""

    def __init__(
        self, run: Run, uncertainty: Uncertainty, left: Callable[[], float], show: Callable[[Progress], None]
    ) -> None:
        """Prepare the selection.

        Args:
            run: The search that found the solutions.
            left: Remaining time [s]; infinite for a result that does not depend on the machine.
            show: Called with the progress, often.
        """
        self.environment, self.params, self.uncertainty = run.environment, run.params, uncertainty
        self.catalogue, self.replayer, self.seed = run.search.catalogue, run.solutions.replayer, run.seed
        self.left, self.show = left, show
        self.rng = np.random.default_rng(run.seed)
        self.worlds = self._worlds([None, *range(CHOOSING, CHOOSING + WORLDS)])
        self._blocks: dict[int, Worlds] = {}

    def _worlds(self, trials: Trials) -> Worlds:
        return Worlds.drawn(self.environment, self.params, self.uncertainty, trials, self.seed)

    @cached_property
    def _relaxations(self) -> Relaxations:
        return Relaxations(self.environment, self.params)

    def champions(self, designs: Sequence[Design]) -> Iterator[Champion]:
        """The design of the front for each number of actuators up to `MORE` above the minimum, fewest first.

        The first one comes also if there is no time left, refined as far as there was time.
        """
        compared = self._grown(designs, range(FIRST + 1))
        fewest = min(design.actuators for design in designs)
        best: Candidate | None = None
        for actuators in range(fewest, fewest + MORE + 1):
            began = self.left()
            until = began - began / (fewest + MORE + 1 - actuators) if np.isfinite(began) else -np.inf
            starts = [one for one in compared if one.design.actuators == actuators]
            if best and began > 0:
                more = [with_another(best.design, self.catalogue, self.rng) for _ in range(INSERTED)]
                starts += self._grown([design for design in more if design is not None], range(FIRST + 1))
            if starts and (best is None or self.left() > 0):
                best, grown = self._refined(
                    starts, REFINING * until + (1 - REFINING) * began if np.isfinite(began) else -np.inf
                )
                yield self._evaluated(Champion(best.design, NO_TRIALS, len(starts) + grown), until, FEW)

    def _grown(self, designs: Sequence[Design], rows: range) -> list[Candidate]:
        """Candidates in order of their loss."""
        if not designs:
            return []
        return sorted(grown_candidates([*designs], self.worlds, np.array(rows)), key=lambda one: one.loss)

    def _refined(self, starts: list[Candidate], until: float) -> tuple[Candidate, int]:
        """The best design made from some, and the number of designs grown for it.

        The first generations of the best of `starts` are grown in few worlds; only the winner continues, in all of them.

        Args:
            until: Remaining time at which to stop [s].
        """
        few, every = np.arange(FIRST + 1), np.arange(len(self.worlds))
        ordered = sorted(starts, key=lambda one: one.loss)[:STARTS]
        descents = [Descent(one, self.worlds, self.catalogue, self.seed) for one in ordered]
        generation = grown = 0
        while generation < GENERATIONS and self.left() > until:
            generation += 1
            if generation == HEATS + 1:
                winner = min(descents, key=lambda one: one.best.loss)
                winner.compare_in(every)
                descents = [winner]
            for descent in descents:
                descent.generation(few if generation <= HEATS else every)
                grown += POPULATION
            best = min((one.best for one in descents), key=lambda one: one.loss)
            self.show(Progress(best.design.actuators, generation, best.rate))
            if generation > HEATS and best.loss < SURE:
                break
        ordered = sorted((one for descent in descents for one in descent.found), key=lambda one: one.loss)
        return next((one for one in ordered if self._holds(one.design)), ordered[-1]), grown

    def _holds(self, design: Design) -> bool:
        """Whether a design ends in the goal as planned, at a finer step and without a snap that only its damping decides."""
        if not grow_designs([design], self.environment, self.replayer)[0].ends_in_goal:
            return False
        snaps = Snaps.of(replay(design, self.replayer), 0)
        if not len(snaps.vine) or self.params.physics == "published":
            return True
        carried = design.actuation(design.segments)
        return not len(snaps.examined(carried, self._relaxations).ambiguous(self.params))

    def with_more_trials(self, champion: Champion) -> Champion:
        """The same design with more trials, as many of `FINAL` as there is time for."""
        return self._evaluated(champion, 0.0, FINAL)

    def _evaluated(self, champion: Champion, until: float, most: int) -> Champion:
        """A design with trials added up to `most`: at least one block, and more while there is time.

        Args:
            until: Remaining time at which to stop [s].
        """
        reached, design = champion.reached, champion.design
        while len(reached) < most and (not len(reached) or self.left() > until):
            reached = np.concatenate([reached, self._block(design, len(reached) // BLOCK)])
            self.show(Progress(design.actuators, GENERATIONS, float(reached.mean()), len(reached)))
        planned = grow_designs([design], self.environment, self.replayer)[0].design
        return Champion(planned, Estimate(int(reached.sum()), len(reached)), champion.grown, reached)

    def _block(self, design: Design, block: int) -> NDArray[np.bool_]:
        if block not in self._blocks:
            first = EVALUATING + block * BLOCK
            self._blocks[block] = self._worlds(range(first, first + BLOCK))
        return np.asarray(nearest_to_goal([design], self._blocks[block], np.arange(BLOCK))[0][0] <= 0.0)
