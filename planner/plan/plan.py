"""From an environment to a design: search, choice by success, verification. Nothing here writes to a console."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dynamics.propagator import CannotRun, Propagator, PropagatorFactory
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.reach import goal_within_reach
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.design.verification import Verification
from planner.output.claim import UnwritableFolder, claim
from planner.plan.choice.selection import CANDIDATES, SLACK, Choice, Progress, Selection
from planner.plan.friction import PARTS, run_with_friction, typical_friction
from planner.plan.options import Inputs
from planner.plan.run.checkpoint import Checkpoint
from planner.plan.run.folder import design_to_write, save_checkpoint, write_run
from planner.plan.run.stages import Later
from planner.plan.watcher import QUIET, Watcher
from planner.search.planners import SST_STAR, search_of
from planner.search.run import Budget, HistoryEntry, Keep, Run, warm_up
from planner.search.sst import Switches
from planner.uncertainty.errors import named_errors
from planner.uncertainty.trials import SEARCHING, Worlds
from surrogate.kernels.interruption import Interruption

SAVED_EVERY = 30.0
"""Seconds between checkpoints."""
INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result of a plan, and its inputs."""

    options: Inputs
    """The options of the plan."""
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
    later: Later | None = None
    """The stages after the first search, for `save`."""

    def __repr__(self) -> str:
        found = repr(self.best) if self.best else "no design"
        return f"<Result: {found}; {self.reason} after {self.seconds:.1f} s and {self.iterations} iterations>"

    @property
    def environment(self) -> Environment:
        """The environment of the plan."""
        return self.run.environment

    @property
    def best(self) -> Design | None:
        """The design to make; None if none reaches the goal."""
        return design_to_write(self.run, self.choice, self.verification) if self.run.best else None

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
        write_run(out, self.run, self.options, self.reason, self.choice, self.verification, full_tree, self.later)


def plan(
    environment: Environment,
    tube: VineParams,
    options: Inputs,
    make: PropagatorFactory,
    second: PropagatorFactory | None = None,
    checkpoint: Checkpoint | None = None,
    folder: Path | None = None,
    watcher: Watcher = QUIET,
) -> Result:
    """Find a design with the fewest actuators that grows to the goal. Ctrl-C ends the search early and keeps the best.

    Args:
        make: Makes the propagator that plans (`options.propagator`), with its settings.
        second: Makes the propagator that verifies (`options.verify`).
        checkpoint: Resume from this instead of beginning.
        folder: Where checkpoints are saved during the search; None saves none.
        watcher: Is notified of the progress.
    Raises:
        WalledIn: No passage as wide as the tube leads to the goal.
        CannotRun: The model cannot run on this machine, or ran out of memory before anything was found.
        KeyboardInterrupt: Ctrl-C was pressed while the first search was repeated up to its checkpoint, which knows more.
        InvalidCheckpoint: The checkpoint belongs to a run with other inputs, or that of a later stage is damaged.
    """
    goal_within_reach(environment, tube.radius, tube.clearance)
    verifier = second(environment, tube) if second else None
    watcher.beginning(environment, options)
    later = Later.of(environment, tube, options, folder, checkpoint, watcher.note)
    with watcher.compiling(options.propagator, options.heuristic):
        keep = Keep(options.solutions) if options.fast else Keep(max(options.solutions, CANDIDATES), SLACK, True)
        switches = switches_of(environment, tube, options)
        run = Run.prepare(environment, tube, make, options.seed, options.batch, keep, switches)
        if checkpoint:
            checkpoint.restore(run)
    watcher.prepared(run)

    def save() -> None:
        if folder:
            later.clear()
            save_checkpoint(folder, run, options)

    interruption, friction = Interruption(), typical_friction(environment, tube, options)
    reason = search(run, options.searching(1 if friction is None else 2), save, watcher, interruption)
    if run.past:
        raise KeyboardInterrupt  # the folder knows more than has been repeated
    if not run.best and not interruption.requested:
        reason = search(run, replace(options.budget, first=True), save, watcher, interruption)
    choice = None
    if run.best and not options.fast:
        if friction is not None:
            searches_with_friction(run, friction, options.searching(2), watcher, interruption, later)
        if not interruption.requested:
            choice = choose(run, later, watcher, interruption)
    verification = None
    if run.best and verifier:
        designs = [choice.chosen.design] if choice else [solution.design for solution in run.solutions.best]
        verification = Verification(str(options.verify), environment, designs, [])
        if not interruption.requested:
            verification = _verified(verification, verifier, watcher)
    return Result(options, run, reason, choice, verification, interruption.requested, later)


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


def switches_of(environment: Environment, tube: VineParams, options: Inputs) -> Switches:
    """Which search there is, what guides it, and in which worlds it grows every vine besides that as planned.

    Raises:
        CannotRun: Vines cannot be steered by such a search, or it takes one type of actuator only.
    """
    if tube.others and options.planner != SST_STAR:
        raise CannotRun(
            f"planner {options.planner} takes one type of actuator, not {tube.kinds}: choose one with --actuator, or the planner {SST_STAR}"
        )
    if options.steer and (options.planner != SST_STAR or options.particles > 1 or options.preformed):
        raise CannotRun(
            f"steer = {options.steer} is for the planner {SST_STAR}, without particles and preformed bends: leave one of them out"
        )
    switches = Switches(
        heuristic=options.heuristic,
        preformed=options.preformed_cost if options.preformed else None,
        steer=options.steer,
        search=search_of(options.planner),
    )
    if options.particles == 1:
        return switches
    _, uncertainty = named_errors(environment, tube, options.uncertainty)
    trials = range(SEARCHING, SEARCHING + options.particles - 1)
    return replace(switches, worlds=Worlds.draw(environment, tube, uncertainty, trials, options.seed))


def searches_with_friction(
    run: Run, friction: float, budget: Budget, watcher: Watcher, interruption: Interruption, later: Later
) -> None:
    """Search again with friction, in `PARTS` searches; fewer after Ctrl-C, or if one fails: they are not needed.

    While none has a solution up to `PARTS` more follow, unless the search without friction has taken their time.

    Args:
        budget: Of `PARTS` together.
        later: Gets the searches, and has those that began before the plan was resumed.
    """
    found, each = later.searches, budget.part(1 / PARTS)
    while not interruption.requested and len(found) < 2 * PARTS:
        spent = run.seconds + sum(one.seconds for one in found)
        late = budget.iterations is None and spent >= 3 * budget.seconds
        if len(found) >= PARTS and (late or any(one.best for one in found)):
            break
        with interruption.handling_signals():
            later.begin(run_with_friction(run, friction, len(found)))
        if interruption.requested:
            break
        try:
            search(found[-1], each, later.save_search, watcher, interruption)
        except (CannotRun, MemoryError) as error:
            watcher.note(f"note: no search with friction: {error}")
            break


def choose(run: Run, later: Later, watcher: Watcher, interruption: Interruption) -> Choice | None:
    """Refine the solutions for each number of actuators, and choose by their success in trials.

    Ctrl-C ends it with the designs evaluated so far, at least with the first; a second one ends it at once.

    Args:
        later: More searches in the same environment, and what is known of refinement and trials.
    """
    known, options, runs, told = later.known, later.options, [run, *later.searches], False

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
    name, uncertainty = named_errors(run.environment, run.params, options.uncertainty)
    choice = Choice(name, uncertainty, options.wanted)
    known.begin()
    saved = known.seconds
    with watcher.refining(left) as show, interruption.handling_signals():

        def showing(progress: Progress) -> None:
            nonlocal saved
            show(progress)
            if known.seconds >= saved + SAVED_EVERY:
                saved = known.seconds
                _attempt(later.save_known, watcher)

        try:
            selection = Selection(run, uncertainty, left, showing, known)
            designs = [solution.design for one in runs for solution in one.solutions.best]
            # Refinement changes sections one by one, which a schedule of their pressures does not survive.
            champions = selection.as_found(designs) if options.steer else selection.champions(designs)
            for champion in champions:
                choice.add(champion)
            choice.add_trials(selection)
        except KeyboardInterrupt:
            watcher.note("interrupted at once: designs without enough trials are not in the front")
        _attempt(later.save_known, watcher)
    if not choice.front:
        return None
    choice.friction_search_s = sum(one.seconds for one in later.searches)
    choice.refinement_s = selection.refinement_s
    choice.trials_s = known.seconds - choice.refinement_s
    return choice


def _verified(asked: Verification, verifier: Propagator, watcher: Watcher) -> Verification:
    """Grow designs with the second propagator; fewer after Ctrl-C."""
    designs = asked.designs
    try:
        with watcher.compiling(asked.propagator):
            warm_up(verifier)
    except KeyboardInterrupt:
        return asked
    one_by_one = (grow_designs([design], asked.environment, verifier)[0] for design in designs)
    return replace(asked, grown=watcher.gathered(one_by_one, len(designs), f"grown by {asked.propagator}"))
