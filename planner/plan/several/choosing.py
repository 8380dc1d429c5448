"""Making, refinement and trials of tubes for several environments, which go on from round to round."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from environments.uncertainty import Uncertainty
from planner.plan.choice.selection import Progress, Selection
from planner.plan.run.stages import Stages
from planner.plan.several.choice import CommonChoice
from planner.plan.several.selection import JointSelection
from planner.plan.watcher import Watcher
from planner.search.run import Budget, Run
from surrogate.kernels.interruption import Interruption


class CommonChooser:
    """Makes tubes from the solutions of all environments, and chooses by their success."""

    def __init__(
        self, runs: Sequence[Run], stages: Sequence[Stages], watcher: Watcher, interruption: Interruption
    ) -> None:
        """Prepare the choice.

        Args:
            runs: The first search in each environment.
            stages: The problem and the searches with friction of each environment.
        """
        self.runs, self.stages, self.watcher, self.interruption = runs, stages, watcher, interruption
        self.options = stages[0].problem.options
        self._joint: JointSelection | None = None
        self._seconds = 0.0

    @property
    def spent(self) -> float:
        """Time of searches, tubes and trials so far [s]."""
        return self._searched + self._seconds

    @property
    def _searches(self) -> list[list[Run]]:
        return [[run, *own.searches] for run, own in zip(self.runs, self.stages, strict=True)]

    @property
    def _searched(self) -> float:
        return sum(one.seconds for both in self._searches for one in both)

    @property
    def _preparing(self) -> float:
        """Time that preparation for the first snap took [s], which does not count."""
        return sum(run.solutions.preparing for run in self.runs)

    def choose(self, budget: Budget) -> CommonChoice | None:
        """Make tubes from what was found, refine them, and choose by their success; None if none reaches every goal.

        Args:
            budget: Of the plan up to the end of this round.
        """
        choice = CommonChoice(self._errors, self.options.wanted, [])
        with self._selecting(budget) as joint:
            contenders = joint.contenders()
            if contenders and self.options.fast:
                for one in contenders:
                    choice.add(joint.champion(one))
            elif contenders:
                for champion in joint.champions(contenders):
                    choice.add(champion)
                choice.add_trials(joint.selections, until_sure=budget.iterations is None)
        return choice if choice.front else None

    def add_trials(self, choice: CommonChoice, budget: Budget) -> None:
        """Try the tubes of a choice in more trials, until its success is certain; the arguments are those of `choose`."""
        with self._selecting(budget) as joint:
            choice.add_trials(joint.selections, until_sure=True)

    @property
    def _errors(self) -> list[tuple[str, Uncertainty]]:
        if self.options.fast:
            return [("none", Uncertainty())] * len(self.runs)
        return [(own.problem.errors, own.problem.uncertainty) for own in self.stages]

    @contextmanager
    def _selecting(self, budget: Budget) -> Iterator[JointSelection]:
        """Show what is done, note its time, and let Ctrl-C end it."""
        began, prepared, before, searched = time.perf_counter(), self._preparing, self._seconds, self._searched

        def passed() -> float:
            return before + time.perf_counter() - began - (self._preparing - prepared)

        def left() -> float:
            if self.interruption.requested:
                return 0.0
            return math.inf if budget.iterations is not None else budget.seconds - searched - passed()

        with self.watcher.refining(left) as show, self.interruption.handling_signals():
            try:
                yield self._begun(left, show)
            except KeyboardInterrupt:
                self.watcher.note("interrupted at once: tubes without enough trials are not in the front")
        self._seconds = passed()

    def _begun(self, left: Callable[[], float], show: Callable[[Progress], None]) -> JointSelection:
        """Return the selection of all rounds, which knows all searches so far."""
        if self._joint is None:
            selections = [
                Selection(run, errors, left, show, device=own.problem.device, effort=own.problem.effort)
                for run, own, (_, errors) in zip(self.runs, self.stages, self._errors, strict=True)
            ]
            self._joint = JointSelection(self._searches, selections, left, show)
        self._joint.go_on(self._searches, left, show)
        return self._joint
