"""Refinement and trials of a plan, which go on from round to round."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planner.plan import searching
from planner.plan.choice.front import Champion, Choice, Passed
from planner.plan.choice.selection import Progress, Selection
from planner.plan.rounds import later_searching
from planner.plan.run.stages import Stages
from planner.plan.watcher import Watcher
from planner.search.run import Budget, Run
from surrogate.kernels.interruption import Interruption

WORK = 1.5
"""Segments that refinement and trials grow for each vine-step of the searches, where iterations limit a plan [-]: about the share of the
time that they have otherwise."""
LEAST_WORK = 200_000
"""Minimum number of these segments."""


def _show_nothing(_: Progress) -> None:
    """Show no progress."""


class Chooser:
    """Refines the solutions of a plan for each number of actuators, and chooses by their success in trials."""

    def __init__(self, run: Run, stages: Stages, watcher: Watcher, interruption: Interruption) -> None:
        """Prepare the choice.

        Args:
            stages: More searches in the same environment, and what is known of refinement and trials.
        """
        self.run, self.stages, self.watcher, self.interruption = run, stages, watcher, interruption
        self._selection: Selection | None = None
        self._front: list[Champion] = []
        """The front of the round before: where a round has no time to try a design with as many actuators, that one stays."""
        self._passed: list[Passed] = []
        self._prepared, self._told = 0.0, False
        self.searching = 1.0
        """Time for searches in the next round, over that in the first [-]."""

    @property
    def spent(self) -> float:
        """Time of searches, refinement and trials so far [s]."""
        return self._searched + self.stages.known.spent

    @property
    def _searched(self) -> float:
        return sum(one.seconds for one in (self.run, *self.stages.searches))

    def choose(self, budget: Budget, last: bool) -> Choice | None:
        """Refine what was found, and choose; Ctrl-C ends that with the designs evaluated so far, at least with the first, and a
        second one at once.

        Args:
            budget: Of the plan up to the end of this round. With a limit of iterations refinement and trials are limited by their
                work instead of the time, so that they are the same on every machine.
            last: Whether no round follows, see `Selection.add_trials`.
        Returns:
            The choice; None if no design has enough trials.
        """
        problem, runs = self.stages.problem, [self.run, *self.stages.searches]
        choice = Choice(problem.errors, problem.uncertainty, problem.options.wanted, device=problem.device)
        with self._selecting(budget, choice) as selection:
            selection.given = problem.known.design if problem.known else None
            designs = selection.entering([solution.design for one in runs for solution in one.solutions.best])
            selection.add_given(choice)
            # Refinement changes sections one by one, which a schedule of their pressures does not survive.
            as_found = problem.options.steer > 0
            for champion in selection.as_found(designs) if as_found else selection.champions(designs, last):
                choice.add(champion)
            tried = {one.design.actuators for one in choice.front}
            for champion in [one for one in self._front if one.design.actuators not in tried]:
                choice.add(champion)
            if choice.front and not as_found and (last or choice.met):
                selection.simplify(choice)
            selection.add_trials(choice, last)
            if selection.contest:
                self.searching = later_searching(self.searching, selection.contest.is_renewed)
        if not choice.front:
            return None
        self._front = choice.front
        if budget.iterations is None:
            one = choice.chosen
            self._passed.append(Passed(self.spent, one.design.actuators, one.estimate.reached, one.estimate.trials))
            choice.rounds = list(self._passed)
        return choice

    def add_trials(self, choice: Choice, budget: Budget, last: bool) -> None:
        """Try the designs of a choice in more trials, see `Selection.add_trials`; the arguments are those of `choose`."""
        with self._selecting(budget, choice) as selection:
            selection.add_trials(choice, last)

    def close(self) -> None:
        """Release the worlds of all trials, which references in circles would keep until long after the plan."""
        self._selection = None
        gc.collect()

    @contextmanager
    def _selecting(self, budget: Budget, choice: Choice) -> Iterator[Selection]:
        """Let the clock go on, show and save what is done, and note its time in a choice."""
        known, timed = self.stages.known, budget.iterations is None
        self._prepared = self.run.solutions.preparing
        known.begin()
        saved, selection, left = known.seconds, self._begun(), self._left(budget)
        with self.watcher.refining(left if timed else lambda: math.inf) as show, self.interruption.handling_signals():

            def showing(progress: Progress) -> None:
                nonlocal saved
                show(progress)
                if known.seconds >= saved + searching.SAVED_EVERY:
                    saved = known.seconds
                    searching.attempt(self.stages.save_known, self.watcher)

            selection.left, selection.show = left, showing
            try:
                yield selection
            except KeyboardInterrupt:
                self.watcher.note("interrupted at once: designs without enough trials are not in the front")
            known.pause()
            searching.attempt(self.stages.save_known, self.watcher)
        choice.friction_search_s = sum(one.seconds for one in self.stages.searches)
        choice.refinement_s = selection.refinement_s
        choice.trials_s = known.seconds - choice.refinement_s

    def _begun(self) -> Selection:
        """Return the selection of all rounds, in which those of an earlier process are repeated."""
        if self._selection is None:
            problem, stages = self.stages.problem, self.stages
            arguments = (
                problem.uncertainty,
                lambda: math.inf,
                _show_nothing,
                stages.known,
                problem.device,
                problem.effort,
            )
            self._selection = Selection(self.run, *arguments)
            self._selection.wanted = problem.options.wanted
            if problem.options.iterations is None:
                self._selection.repeat(stages.rounds)
                stages.rounds = self._selection.rounds
        return self._selection

    def _left(self, budget: Budget) -> Callable[[], float]:
        """Return what tells the time that is left [s], or the work that is left [segments]; none after Ctrl-C."""
        known, searched = self.stages.known, self._searched
        steps = sum(one.search.vine_steps for one in (self.run, *self.stages.searches))

        def left() -> float:
            if self.interruption.requested:
                if not self._told:
                    self.watcher.note(
                        "interrupted: the plan ends when its best design has been tried; Ctrl-C again ends it now"
                    )
                self._told = True
                return 0.0
            if budget.iterations is not None:
                return max(LEAST_WORK, WORK * steps) - known.asked
            compiling = self.run.solutions.preparing - self._prepared
            return budget.seconds - searched - known.seconds + compiling

        return left
