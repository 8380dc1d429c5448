"""From an environment to a design: search, choice by success, verification. Nothing here writes to a console."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dynamics.propagator import CannotRun, Propagator
from environments.environment import Environment
from planner.design.arrival import outside_goal
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.design.verification import Verification
from planner.output.claim import UnwritableFolder, claim
from planner.plan.choice.selection import Choice, Progress, Selection, keep_candidates
from planner.plan.enough import shortfall
from planner.plan.friction import PARTS, run_with_friction
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.plan.run.checkpoint import Checkpoint
from planner.plan.run.folder import design_to_write, save_checkpoint, write_run
from planner.plan.run.stages import Stages
from planner.plan.watcher import QUIET, Watcher
from planner.search.run import Budget, HistoryEntry, Keep, Run, warm_up
from surrogate.kernels.interruption import Interruption

SAVED_EVERY = 30.0
"""Seconds between checkpoints."""
INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result of a plan, and its inputs."""

    problem: Problem
    """The environment, the tube and the options of the plan, resolved."""
    run: Run
    """The search, with everything that it found."""
    reason: str
    """Why the search ended, as text."""
    choice: Choice | None = None
    """The front of designs and the chosen one; None with `fast`, or without a solution."""
    verification: Verification | None = None
    """Results of the second propagator."""
    interrupted: bool = False
    """Whether Ctrl-C ended search, refinement or trials early."""
    stages: Stages | None = None
    """The stages after the first search, for `save`."""

    def __repr__(self) -> str:
        found = repr(self.best) if self.best else "no design"
        return f"<Result: {found}; {self.reason} after {self.seconds:.1f} s and {self.iterations} iterations>"

    @property
    def environment(self) -> Environment:
        """The environment of the plan."""
        return self.problem.environment

    @property
    def options(self) -> Inputs:
        """The options of the plan."""
        return self.problem.options

    @property
    def best(self) -> Design | None:
        """The design to make; None if none reaches the goal."""
        return design_to_write(self.run, self.choice, self.verification) if self.run.best else None

    @property
    def shortfall(self) -> str:
        """Shortfall of the best design from the success wanted, as text; "" if it is enough.

        With `fast` enough is a design that ends in the goal as planned.
        """
        best, wanted = self.best, self.options.wanted
        if best is None:
            return f"no design reaches the goal: {self.reason}"
        if self.choice:
            return self.choice.shortfall
        if not self.options.fast:
            return f"not tried under errors, {100 * wanted:g} % wanted: the plan was interrupted before"
        return shortfall(wanted, outside_goal(self.environment.goal, best.tip), None)

    @property
    def designs(self) -> list[Design]:
        """All distinct designs that were kept, the one of lowest cost first."""
        return [solution.design for solution in self.run.solutions.best]

    @property
    def seconds(self) -> float:
        """Search time, excluding compilation [s]."""
        return self.run.seconds

    @property
    def iterations(self) -> int:
        """Number of iterations of the search."""
        return self.run.search.iteration

    @property
    def history(self) -> list[HistoryEntry]:
        """When the best design improved, and to what."""
        return self.run.history

    def save(self, folder: str | Path, force: bool = False, full_tree: bool = False) -> None:
        """Write the folder of the run: design, picture, trajectory, solutions and a checkpoint to resume from.

        Args:
            force: Whether to replace earlier results in the folder. Other files are never replaced.
            full_tree: Whether the picture shows every branch of the search tree.
        Raises:
            UnwritableFolder: It contains results or other files, another process is writing it, or it cannot be written.
            ValueError: There is no design to write.
        """
        if not self.run.best:
            raise ValueError(f"no design was found ({self.reason}): there is nothing to save")
        with claim(Path(folder), Path(folder), force) as out:
            self.write(out, full_tree)

    def write(self, out: Path, full_tree: bool = False) -> None:
        """Write the folder as `save` does, for a caller that has claimed it (`planner.output.claim`)."""
        write_run(out, self.run, self.options, self.reason, self.choice, self.verification, full_tree, self.stages)


def plan(
    problem: Problem, checkpoint: Checkpoint | None = None, folder: Path | None = None, watcher: Watcher = QUIET
) -> Result:
    """Find a design with the fewest actuators that grows to the goal. Ctrl-C ends the search early and keeps the best.

    Args:
        checkpoint: Resume from this instead of beginning.
        folder: Where checkpoints are saved during the search; None saves none.
        watcher: Is notified of the progress.
    Raises:
        CannotRun: The model cannot run on this machine, or ran out of memory before anything was found.
        KeyboardInterrupt: Ctrl-C was pressed while the first search was repeated up to its checkpoint, which knows more.
        InvalidCheckpoint: The checkpoint belongs to a run with other inputs, or that of a later stage is damaged.
    """
    environment, tube, options = problem.environment, problem.tube, problem.options
    for note in problem.notes:
        watcher.note(note)
    verifier = problem.second(environment, tube) if problem.second else None
    watcher.beginning(environment, options)
    stages = Stages.of(problem, folder, checkpoint, watcher.note)
    with watcher.compiling(options.propagator, options.heuristic):
        keep = Keep(options.solutions) if options.fast else keep_candidates(options.solutions, problem.effort)
        run = Run.prepare(environment, tube, problem.make, options.seed, options.batch, keep, problem.switches())
        if checkpoint:
            checkpoint.restore(run)
    watcher.prepared(run)

    def save() -> None:
        if folder:
            stages.clear()
            save_checkpoint(folder, run, options)

    interruption = Interruption()
    reason = search(run, options.searching(1 if problem.friction is None else 2), save, watcher, interruption)
    if run.past:
        raise KeyboardInterrupt  # the folder knows more than has been repeated
    if not run.best and not interruption.requested:
        reason = search(run, replace(options.budget, first=True), save, watcher, interruption)
    choice = None
    if run.best and not options.fast:
        if problem.friction is not None:
            search_with_friction(run, stages, options.searching(2), watcher, interruption)
        if not interruption.requested:
            choice = choose(run, stages, watcher, interruption)
    verification = None
    if run.best and verifier:
        designs = [choice.chosen.design] if choice else [solution.design for solution in run.solutions.best]
        verification = Verification(str(options.verify), environment, designs, [])
        if not interruption.requested:
            verification = _verify(verification, verifier, watcher)
    return Result(problem, run, reason, choice, verification, interruption.requested, stages)


def search(
    run: Run,
    budget: Budget,
    save: Callable[[], None],
    watcher: Watcher = QUIET,
    interruption: Interruption | None = None,
) -> str:
    """Search until the budget is spent or Ctrl-C is pressed; returns why the search ended.

    Args:
        save: Writes a checkpoint; called every `SAVED_EVERY` seconds, and at the end.
        interruption: Notes Ctrl-C.
    Raises:
        CannotRun: The model cannot continue, and nothing was found, or less than its checkpoint has.
        MemoryError: The same where memory ran out.
    """
    saved, interruption = run.seconds, interruption or Interruption()
    with watcher.searching(run, budget) as show, interruption.handling_signals(cut=True):
        try:
            for _ in run.run(budget):
                show()
                if interruption.requested:
                    break
                if not run.past and run.seconds >= saved + SAVED_EVERY:
                    saved = run.seconds
                    _attempt(save, watcher)
        except (CannotRun, MemoryError) as error:
            if run.best is None or run.past:
                raise
            return str(error) or "out of memory"  # what was found is kept
        if not run.past:
            _attempt(save, watcher)
    return run.ended(budget) or INTERRUPTED


def _attempt(save: Callable[[], None], watcher: Watcher) -> None:
    """Save a checkpoint if the folder can be written; the disk may be full only temporarily, so the plan goes on."""
    try:
        save()
    except UnwritableFolder as error:
        watcher.note(f"note: no checkpoint: {error}")


def search_with_friction(
    run: Run, stages: Stages, budget: Budget, watcher: Watcher, interruption: Interruption
) -> None:
    """Search again with friction, in `PARTS` searches; fewer after Ctrl-C, or if one fails: they are not needed.

    While none has a solution up to `PARTS` more follow, unless the search without friction has taken their time.

    Args:
        stages: Gets the searches, and has those that began before the plan was resumed.
        budget: Of `PARTS` together.
    """
    found, each = stages.searches, budget.part(1 / PARTS)
    while not interruption.requested and len(found) < 2 * PARTS:
        spent = run.seconds + sum(one.seconds for one in found)
        late = budget.iterations is None and spent >= 3 * budget.seconds
        if len(found) >= PARTS and (late or any(one.best for one in found)):
            break
        with interruption.handling_signals():
            stages.begin(run_with_friction(run, stages.problem, len(found)))
        if interruption.requested:
            break
        try:
            search(found[-1], each, stages.save_search, watcher, interruption)
        except (CannotRun, MemoryError) as error:
            watcher.note(f"note: no search with friction: {error}")
            break


def choose(run: Run, stages: Stages, watcher: Watcher, interruption: Interruption) -> Choice | None:
    """Refine the solutions for each number of actuators, and choose by their success in trials.

    Ctrl-C ends it with the designs evaluated so far, at least with the first; a second one ends it at once.

    Args:
        stages: More searches in the same environment, and what is known of refinement and trials.
    """
    problem, known, runs, told = stages.problem, stages.known, [run, *stages.searches], False
    options = problem.options

    def left() -> float:
        nonlocal told
        if interruption.requested:
            if not told:
                watcher.note("interrupted: the plan ends when its best design has been tried; Ctrl-C again ends it now")
            told = True
            return 0.0
        unlimited = options.iterations is not None
        compiling = run.solutions.preparing - prepared
        return math.inf if unlimited else options.time_budget_s - searched - known.seconds + compiling

    searched, prepared = sum(one.seconds for one in runs), run.solutions.preparing
    choice = Choice(problem.errors, problem.uncertainty, options.wanted, device=problem.device)
    known.begin()
    saved = known.seconds
    with watcher.refining(left) as show, interruption.handling_signals():

        def showing(progress: Progress) -> None:
            nonlocal saved
            show(progress)
            if known.seconds >= saved + SAVED_EVERY:
                saved = known.seconds
                _attempt(stages.save_known, watcher)

        try:
            selection = Selection(run, problem.uncertainty, left, showing, known, problem.device, problem.effort)
            designs = [solution.design for one in runs for solution in one.solutions.best]
            # Refinement changes sections one by one, which a schedule of their pressures does not survive.
            champions = selection.as_found(designs) if options.steer else selection.champions(designs)
            for champion in champions:
                choice.add(champion)
            choice.add_trials(selection)
        except KeyboardInterrupt:
            watcher.note("interrupted at once: designs without enough trials are not in the front")
        _attempt(stages.save_known, watcher)
    if not choice.front:
        return None
    choice.friction_search_s = sum(one.seconds for one in stages.searches)
    choice.refinement_s = selection.refinement_s
    choice.trials_s = known.seconds - choice.refinement_s
    return choice


def _verify(asked: Verification, verifier: Propagator, watcher: Watcher) -> Verification:
    """Grow designs with the second propagator; fewer after Ctrl-C."""
    designs = asked.designs
    try:
        with watcher.compiling(asked.propagator):
            warm_up(verifier)
    except KeyboardInterrupt:
        return asked
    one_by_one = (grow_designs([design], asked.environment, verifier)[0] for design in designs)
    return replace(asked, grown=watcher.gather(one_by_one, len(designs), f"grown by {asked.propagator}"))
