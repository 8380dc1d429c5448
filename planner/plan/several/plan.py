"""From several environments to one tube that reaches the goal of each: searches, choice by success. Nothing here writes to a console."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.plan.choice.front import Choice
from planner.plan.choice.selection import Selection, keep_candidates
from planner.plan.enough import shortfall
from planner.plan.inputs import SEARCHING, Inputs
from planner.plan.problem import Problem
from planner.plan.run.stages import Stages
from planner.plan.run.success import with_trials
from planner.plan.searching import INTERRUPTED, search, search_with_friction
from planner.plan.several.selection import CommonChampion, JointSelection
from planner.plan.watcher import QUIET, Watcher
from planner.search.run import Budget, Run
from surrogate.kernels.interruption import Interruption

FAST_SEARCHING = 0.6
"""Share of the time budget for the searches if no trials follow, once they have solutions [-]."""


@dataclass(slots=True)
class CommonChoice:
    """The front of tubes for several environments, and the chosen one."""

    errors: list[tuple[str, Uncertainty]]
    """Name and uncertainty of each environment."""
    wanted: float
    """Required success rate in every environment [-]."""
    front: list[CommonChampion]
    """Fewest actuators first."""

    @property
    def chosen(self) -> int:
        """Index of the tube with the fewest actuators that is enough in its worst environment; see `Choice.chosen`."""
        if not self.front[0].each[0].estimate.trials:
            arriving = (k for k, one in enumerate(self.front) if not one.outside)
            return next((k for k, one in enumerate(self.front) if one.sound), next(arriving, 0))
        worst = [replace(one.worst, outside=one.outside) for one in self.front]
        return worst.index(Choice("", Uncertainty(), self.wanted, worst).chosen)

    @property
    def champion(self) -> CommonChampion:
        """The chosen tube."""
        return self.front[self.chosen]

    @property
    def tried(self) -> bool:
        """Whether its success was tried."""
        return self.champion.each[0].estimate.trials > 0

    @property
    def met(self) -> bool:
        """Whether the chosen tube is enough in every environment."""
        return not self.shortfall

    @property
    def shortfall(self) -> str:
        """Shortfall of the chosen tube from what is wanted, in each environment, as text; "" if it is enough."""
        each = (shortfall(self.wanted, one.outside, one.estimate, one.design.environment) for one in self.champion.each)
        return "; ".join(said for said in each if said)

    def of(self, k: int) -> Choice:
        """Return the front and the choice for the k-th environment."""
        name, uncertainty = self.errors[k]
        return Choice(name, uncertainty, self.wanted, [one.each[k] for one in self.front], picked=self.chosen)

    def add_trials(self, selections: Sequence[Selection]) -> None:
        """Try the chosen tube in each environment as often as the effort allows, and then the others, while there is time."""
        effort = selections[0].effort
        while selections[0].left() > 0:
            short = [self.champion] if self.champion.each[-1].estimate.trials < effort.chosen_trials else []
            short += [one for one in self.front if one.each[-1].estimate.trials < effort.other_trials]
            if not short:
                return
            tried = self.front.index(short[0])
            count = short[0].each[-1].estimate.trials + effort.block
            each = zip(selections, short[0].each, strict=True)
            made = tuple(own.with_trials(part, count) for own, part in each)
            counts = {one.estimate.trials for one in made}
            if len(counts) > 1:
                return  # time ran out between two environments: all keep the same number of trials
            self.front[tried] = CommonChampion(made)


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
    options = problems[0].options
    interruption, searches, reasons = Interruption(), list[list[Run]](), list[str]()
    for problem in problems:
        watcher.beginning(problem.environment, options)
        with watcher.compiling(options.propagator, options.heuristic):
            keep = keep_candidates(options.solutions, problem.effort)
            seed, batch, switches = options.seed, options.batch, problem.switches()
            run = Run.prepare(problem.environment, problem.tube, problem.make, seed, batch, keep, switches)
        watcher.prepared(run)
        budget = _budget(options, len(problems) * (1 if problem.friction is None else 2))
        reasons.append(search(run, budget, _nothing, watcher, interruption))
        if not run.best and not interruption.requested:
            longer = replace(options.budget, first=True, seconds=options.time_budget_s - _search_seconds(searches))
            reasons[-1] = search(run, longer, _nothing, watcher, interruption)
        searches.append([run])
        if not run.best:
            break
        if problem.friction is not None:
            stages = Stages(problem)
            search_with_friction(run, stages, budget, watcher, interruption)
            searches[-1] += stages.searches
    choice = None
    if len(searches) == len(problems) and run.best:
        choice = _choose(problems, searches, watcher, interruption)
    if interruption.requested:
        reasons[-1] = INTERRUPTED
    return CommonResult(options, [first for first, *_ in searches], reasons, choice)


def _budget(options: Inputs, searches: int) -> Budget:
    """Stop criteria of one of some searches while it has a solution."""
    return options.budget.part((FAST_SEARCHING if options.fast else SEARCHING) / searches)


def _nothing() -> None:
    """There are no checkpoints of several searches."""


def _search_seconds(searches: list[list[Run]]) -> float:
    """Time of all searches in each environment [s]."""
    return sum(run.seconds for both in searches for run in both)


def _preparation_seconds(runs: list[Run]) -> float:
    """Time that preparation for the first snap took [s]."""
    return sum(run.solutions.preparing for run in runs)


def _choose(
    problems: Sequence[Problem], searches: list[list[Run]], watcher: Watcher, interruption: Interruption
) -> CommonChoice | None:
    """Make tubes from the solutions of all environments, and choose by their success; None if none reaches every goal."""
    began, searched, runs = time.perf_counter(), _search_seconds(searches), [first for first, *_ in searches]
    prepared, problem = _preparation_seconds(runs), problems[0]
    options = problem.options

    def left() -> float:
        if interruption.requested:
            return 0.0
        unlimited = options.iterations is not None
        spent = (
            time.perf_counter() - began - (_preparation_seconds(runs) - prepared)
        )  # without what was compiled meanwhile
        return math.inf if unlimited else options.time_budget_s - searched - spent

    errors = [("none", Uncertainty())] * len(runs)
    if not options.fast:
        errors = [(one.errors, one.uncertainty) for one in problems]
    choice = CommonChoice(errors, options.wanted, [])
    with watcher.refining(left) as show, interruption.handling_signals():
        try:
            each = zip(runs, errors, strict=True)
            selections = [
                Selection(run, one, left, show, device=problem.device, effort=problem.effort) for run, (_, one) in each
            ]
            joint = JointSelection(searches, selections, left, show)
            contenders = joint.contenders()
            if not contenders:
                return None
            if options.fast:
                choice.front = [joint.champion(one) for one in contenders]
                return choice
            for champion in joint.champions(contenders):
                choice.front = sorted([*choice.front, champion], key=lambda one: one.actuators)
            choice.add_trials(selections)
        except KeyboardInterrupt:
            watcher.note("interrupted at once: tubes without enough trials are not in the front")
    return choice if choice.front else None
