"""The front of a plan: for each number of actuators the design that reaches the goal most often, and the one to make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynamics.jumps import Jump
from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate, Success
from planner.plan.enough import is_enough, shortfall
from planner.uncertainty.shown_trials import DRAWN, ShownTrials
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials

NO_TRIALS = Estimate(0, 0)


def _likelier(one: Champion, other: Champion) -> bool:
    """Whether a design ends in the goal as planned where another does not, or else reaches it more often in the trials of both."""
    if bool(one.outside) != bool(other.outside):
        return not one.outside
    both = min(len(one.reached), len(other.reached))
    return bool(one.reached[:both].sum() > other.reached[:both].sum())


@dataclass(frozen=True, slots=True, eq=False)
class Champion:
    """The design of the front with a given number of actuators, and its success in trials not used for its selection."""

    design: Design
    estimate: Estimate
    grown: int
    """Number of designs that it was chosen from."""
    reached: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """Whether it reached the goal in each of those trials, shape (trials,)."""
    sound: bool = True
    """Whether, as planned, it ends in the goal at a finer step too, without a snap whose outcome only its damping decides."""
    jump: Jump | None = None
    """The largest jump that it needs as planned; None if it needs none."""
    outside: float = 0.0
    """Distance from the goal's edge to its tip as planned, at a finer step [m]; 0 if it ends in the goal."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "actuators": self.design.actuators,
            "length_mm": round(1e3 * self.design.length, 3),
            "reached": self.estimate.reached,
            "trials": self.estimate.trials,
            "interval": [round(end, 4) for end in self.estimate.interval],
            "chosen_from": self.grown,
            "weakest": self.estimate.weakest,
            "influences": [one.content() for one in self.estimate.influences or ()],
            "sound": self.sound,
            "outside_goal_mm": round(1e3 * self.outside, 3),
            "jump_mm": self.jump.content() if self.jump else None,
        }


@dataclass(frozen=True, slots=True)
class Passed:
    """Success of the design that a round of a plan chose."""

    seconds: float
    """Time of the plan up to the end of the round [s]."""
    actuators: int
    reached: int
    """Number of trials that reached the goal."""
    trials: int
    """Number of all trials."""

    def content(self) -> list[float]:
        """Content for a JSON file, in the order of the fields."""
        return [round(self.seconds, 3), self.actuators, self.reached, self.trials]

    @property
    def words(self) -> str:
        """Success and time as text."""
        return f"{100 * self.reached / self.trials:.0f} % after {self.seconds:.0f} s"


@dataclass(slots=True)
class Choice:
    """The front, and the criteria of the choice."""

    errors: str
    """Name of the uncertainty."""
    uncertainty: Uncertainty
    """The errors of the trials."""
    threshold: float
    """Required success rate [-]."""
    front: list[Champion] = field(default_factory=list)
    """Fewest actuators first."""
    friction_search_s: float = 0.0
    """Time for the search with friction [s]."""
    refinement_s: float = 0.0
    """Time for refinement [s]."""
    trials_s: float = 0.0
    """Time for trials [s]."""
    device: str | None = None
    """Device on which trials grow; None for the default of `QuasiStatic`."""
    rounds: list[Passed] = field(default_factory=list)
    """Rounds of the plan so far, the last one included; none where iterations limit the plan."""
    picked: int | None = None
    """Index of the chosen design in the front if something else than its own success decides; None if that does."""

    @property
    def met(self) -> bool:
        """Whether the chosen design is enough."""
        return not self.shortfall

    @property
    def shortfall(self) -> str:
        """Shortfall of the chosen design from what is wanted, as text; "" if it is enough."""
        return shortfall(self.threshold, self.chosen.outside, self.chosen.estimate)

    @property
    def chosen(self) -> Champion:
        """The first design that is enough, i.e. that with the fewest actuators.

        If there is none, the first whose confidence interval includes the highest rate of all. A design that misses the goal as
        planned is chosen only if all do.
        """
        if self.picked is not None:
            return self.front[self.picked]
        some = [champion for champion in self.front if not champion.outside] or self.front
        for champion in some:
            if is_enough(self.threshold, champion.outside, champion.estimate):
                return champion
        highest = max(champion.estimate.rate for champion in some)
        return next(champion for champion in some if champion.estimate.interval[1] >= highest)

    def add(self, champion: Champion) -> None:
        """Add a design to the front, which keeps the likeliest of those with as many actuators."""
        best: dict[int, Champion] = {}
        for one in (*self.front, champion):
            other = best.setdefault(one.design.actuators, one)
            if _likelier(one, other):
                best[one.design.actuators] = one
        self.front = [best[actuators] for actuators in sorted(best)]

    def next_to_try(self, most: int, most_others: int, least: int) -> Champion | None:
        """Return the design that is tried next; None if none needs it.

        That is the chosen one first, and then the others, until their success is certainly above or below the one that is wanted.
        Once the chosen one is sure, those with more actuators need no trials.

        Args:
            most: Maximum number of trials of the chosen design.
            most_others: That of others.
            least: Minimum number of trials of the chosen design.
        """
        if self._doubtful(self.chosen, most, least):
            return self.chosen
        fewest = self.chosen.design.actuators if self.sure else np.inf
        some = (one for one in self.front if one.design.actuators <= fewest)
        return next((one for one in some if self._doubtful(one, most_others)), None)

    def _doubtful(self, one: Champion, most: int, least: int = 0) -> bool:
        """Whether a design needs more trials, of at most `most` and at least `least`."""
        low, high = one.estimate.interval
        sure = low >= self.threshold or high < self.threshold
        return one.estimate.trials < (least if sure else most)

    @property
    def sure(self) -> bool:
        """Whether the chosen design is enough, with its whole confidence interval."""
        return self.met and self.chosen.estimate.interval[0] >= self.threshold

    def show(self, design: Design, environment: Environment, seed: int) -> ShownTrials:
        """Grow the design that is written again, in the first of the trials that evaluated the chosen one."""
        first = range(EVALUATING, EVALUATING + min(DRAWN, self.chosen.estimate.trials))
        outcome = grow_trials(
            design, Worlds.draw(environment, design.params, self.uncertainty, first, seed, self.device)
        )
        return ShownTrials(
            outcome.joints,
            outcome.reached,
            np.array([champion.design.actuators for champion in self.front]),
            tuple(Success(self.errors, found.estimate.reached, found.estimate.trials) for found in self.front),
            self.front.index(self.chosen),
            self.threshold,
        )

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "errors": self.errors,
            "uncertainty": self.uncertainty.content(),
            "threshold": self.threshold,
            "front": [champion.content() for champion in self.front],
            "chosen": self.chosen.content(),
            "rounds": [one.content() for one in self.rounds],
        }
