"""From several environments to one tube that reaches the goal of each: searches, choice by success. Nothing here writes to a console."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.design.design import Design
from planner.plan.choice.selection import keep_candidates
from planner.plan.inputs import SEARCHING, Inputs
from planner.plan.problem import Problem
from planner.plan.rounds import FIRST_ROUND, end_of_round, end_of_trials, least_actuators
from planner.plan.run.stages import Stages
from planner.plan.run.success import with_trials
from planner.plan.searching import INTERRUPTED, search, search_with_friction
from planner.plan.several.choice import CommonChoice
from planner.plan.several.choosing import CommonChooser
from planner.plan.several.rounds import later_choice_of_all, reason_to_end_all
from planner.plan.watcher import QUIET, Watcher
from planner.search.run import TIME_SPENT, Budget, Run
from surrogate.kernels.interruption import Interruption

FAST_SEARCHING = 0.6
"""Share of the time budget for the searches if no trials follow, once they have solutions [-]."""


@dataclass(frozen=True, slots=True, eq=False)
class CommonResult:
    """The result of a plan for several environments."""

    options: Inputs
    runs: list[Run]
    """The search in each environment."""
    reasons: list[str]
    """Why each search ended."""
    choice: CommonChoice | None
    """The front; None if no tube reaches every goal as planned."""
    seconds: float
    """Time of searches, tubes and trials, excluding compilation [s]."""

    @property
    def designs(self) -> list[Design]:
        """The chosen tube in each environment."""
        if self.choice is None:
            return []
        if not self.choice.tried:
            return [one.design for one in self.choice.champion.each]
        return [with_trials(one.design, self.choice.of(k)) for k, one in enumerate(self.choice.champion.each)]

    @property
    def unsolved(self) -> list[str]:
        """Names of the environments in which the search found no solution."""
        return [run.environment.name for run in self.runs if run.best is None]

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return INTERRUPTED in self.reasons


def plan_same(problems: Sequence[Problem], watcher: Watcher = QUIET) -> CommonResult:
    """Find one tube that grows to the goal of each environment. Ctrl-C ends it early and keeps the best, if there is one.

    Args:
        problems: One for each of two or more environments, with the same tube and options; goals and starts may differ.
    Raises:
        CannotRun: The model cannot run on this machine, or ran out of memory before anything was found.
    """
    interruption, stages = Interruption(), [Stages(problem) for problem in problems]
    runs, reasons = _first_searches(problems, watcher, interruption)
    chooser = CommonChooser(runs, stages[: len(runs)], watcher, interruption)
    choice = None
    if len(runs) == len(problems) and runs[-1].best:
        reasons, choice = _search_and_choose(chooser, reasons)
    if interruption.requested:
        reasons[-1] = INTERRUPTED
    return CommonResult(problems[0].options, runs, reasons, choice, chooser.spent)


def _first_searches(
    problems: Sequence[Problem], watcher: Watcher, interruption: Interruption
) -> tuple[list[Run], list[str]]:
    """Search in each environment up to its first solution, or as many iterations as are wanted; up to the first without a solution.

    Returns:
        The searches, and why each ended.
    """
    runs, reasons = list[Run](), list[str]()
    for problem in problems:
        options = problem.options
        watcher.beginning(problem.environment, options)
        with watcher.compiling(options.propagator, options.heuristic):
            keep = keep_candidates(options.solutions, problem.effort)
            seed, batch, switches = options.seed, options.batch, problem.switches()
            run = Run.prepare(problem.environment, problem.tube, problem.make, seed, batch, keep, switches)
        watcher.prepared(run)
        budget = options.budget
        if options.iterations is None:
            left = options.time_budget_s - sum(one.seconds for one in runs)
            budget = replace(budget, first=True, seconds=left)
        reasons.append(search(run, budget, _nothing, watcher, interruption))
        runs.append(run)
        if not run.best:
            break
    return runs, reasons


def _search_and_choose(chooser: CommonChooser, reasons: list[str]) -> tuple[list[str], CommonChoice | None]:
    """Search and choose in rounds, each of which goes on where all searches, tubes and trials were.

    Where iterations limit a plan there is only one, whose searches without friction are done.

    Args:
        reasons: Why the search in each environment has ended so far.
    Returns:
        Why each ended, and the choice.
    """
    runs, watcher, interruption, options = chooser.runs, chooser.watcher, chooser.interruption, chooser.options
    timed, count = options.iterations is None, len(runs)
    choice: CommonChoice | None = None
    ended: str | None = None
    # Each environment gets as much of the first round as a plan for it alone.
    first, end = count * max(run.history[0].seconds for run in runs), count * FIRST_ROUND / 2
    while not ended:
        before, budget = choice, options.budget
        if timed:
            end = end_of_round(max(end, chooser.spent), first, options.time_budget_s)
            budget = replace(budget, seconds=end)
        reasons = _search_on(chooser, budget, reasons)
        if before and interruption.requested:
            break
        choice = later_choice_of_all(before, chooser.choose(budget), interruption.requested)
        if choice and choice.tried:
            watcher.chose(choice.worst)
        if not timed or end >= options.time_budget_s or interruption.requested:
            break
        if choice and choice.met:
            if choice.tried:
                # More trials may show that it is enough, and take less time than another round.
                until = end_of_trials(chooser.spent, options.time_budget_s)
                chooser.add_trials(choice, replace(options.budget, seconds=until))
            ended = reason_to_end_all(before, choice, max(least_actuators(run, options) for run in runs))
    return [ended if ended and reason == TIME_SPENT else reason for reason in reasons], choice


def _search_on(chooser: CommonChooser, budget: Budget, reasons: list[str]) -> list[str]:
    """Let the searches of all environments go on, each for its share of a budget; return why those without friction ended."""
    watcher, interruption, found = chooser.watcher, chooser.interruption, list[str]()
    share = (FAST_SEARCHING if chooser.options.fast else SEARCHING) / len(chooser.runs)
    for run, stages, reason in zip(chooser.runs, chooser.stages, reasons, strict=True):
        friction, timed = stages.problem.friction is not None, budget.iterations is None
        part = budget.part(share / 2 if friction else share)
        found.append(search(run, part, _nothing, watcher, interruption) if timed else reason)
        if friction:
            search_with_friction(run, stages, part, watcher, interruption)
    return found


def _nothing() -> None:
    """There are no checkpoints of several searches."""
