"""From an environment to a design: search, choice by success, verification. Nothing here writes to a console."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dynamics.propagator import Propagator
from environments.environment import Environment
from planner.design.arrival import outside_goal
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.design.verification import Verification
from planner.output.claim import claim
from planner.plan.choice.front import Choice
from planner.plan.choice.selection import keep_candidates
from planner.plan.choosing import Chooser
from planner.plan.enough import shortfall
from planner.plan.inputs import SEARCHING, Inputs
from planner.plan.problem import Problem
from planner.plan.rounds import (
    end_of_round,
    end_of_trials,
    later_choice,
    least_actuators,
    reason_to_end,
    reason_to_end_search,
)
from planner.plan.run.checkpoint import Checkpoint
from planner.plan.run.folder import design_to_write, save_checkpoint, write_run
from planner.plan.run.stages import Stages
from planner.plan.searching import search, search_with_friction
from planner.plan.watcher import QUIET, Watcher
from planner.search.graphs import search_graph, solution_graph
from planner.search.run import TIME_SPENT, HistoryEntry, Keep, Run, warm_up
from surrogate.kernels.interruption import Interruption

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result of a plan, and its inputs."""

    problem: Problem
    """The environment, the tube and the options of the plan, resolved."""
    run: Run
    """The search, with everything that it found."""
    reason: str
    """Why the plan ended, as text."""
    choice: Choice | None = None
    """The front of designs and the chosen one; None with `fast`, or without a solution."""
    verification: Verification | None = None
    """Results of the second propagator."""
    interrupted: bool = False
    """Whether Ctrl-C ended search, refinement or trials early."""
    stages: Stages | None = None
    """The stages after the first search, for `save`."""
    ways: int = 0
    """Number of ways around the obstacles that the kept designs take [-]: of their homotopy classes."""

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

    def search_graph(self) -> networkx.DiGraph[int]:
        """Return the search tree as a graph, see `planner.search.graphs.search_graph`."""
        return search_graph(self.run.search.tree.to_arrays())

    def solution_graph(self) -> networkx.DiGraph[int]:
        """Return all kept designs as a graph of their sections, see `planner.search.graphs.solution_graph`."""
        return solution_graph(self.run.solutions.best)

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

    interruption = Interruption()
    chooser = Chooser(run, stages, watcher, interruption)
    reason, choice = _search_and_choose(chooser, folder)
    chooser.close()
    if not interruption.requested:
        run.planner.publish()
    verification = None
    if run.best and verifier:
        designs = [choice.chosen.design] if choice else [solution.design for solution in run.solutions.best]
        verification = Verification(str(options.verify), environment, designs, [])
        if not interruption.requested:
            verification = _verify(verification, verifier, watcher)
    ways = len({run.solutions.word(one.design) for one in run.solutions.best})
    return Result(problem, run, reason, choice, verification, interruption.requested, stages, ways)


def _search_and_choose(chooser: Chooser, folder: Path | None) -> tuple[str, Choice | None]:
    """Search up to the first solution, and then search and choose in rounds; return why the plan ended, and the choice.

    Each round goes on where all searches, refinement and trials were. Where iterations limit a plan there is only one.
    """
    run, stages, watcher, interruption = chooser.run, chooser.stages, chooser.watcher, chooser.interruption
    options, friction = stages.problem.options, stages.problem.friction is not None

    def save() -> None:
        if folder:
            stages.clear()
            save_checkpoint(folder, run, options)

    timed = options.iterations is None
    reason = search(run, replace(options.budget, first=timed or options.first), save, watcher, interruption)
    if run.past:
        raise KeyboardInterrupt  # the folder knows more than has been repeated
    choice: Choice | None = None
    ended: str | None = None
    end = 0.0
    while run.best and not interruption.requested and not ended:
        before, budget = choice, options.budget
        share = 1.0 if options.fast else SEARCHING / (2 if friction else 1)
        if timed:
            end = end_of_round(max(end, chooser.spent), run.history[0].seconds, options.time_budget_s)
            budget = replace(budget, seconds=end)
            share *= chooser.searching
            reason = search(run, budget.part(share), save, watcher, interruption)
        if friction:
            search_with_friction(run, stages, budget.part(share), watcher, interruption)
        if not options.fast and not interruption.requested:
            last = not timed or end >= options.time_budget_s
            choice = later_choice(before, chooser.choose(budget, last), interruption.requested)
            if choice:
                watcher.chose(choice)
        if not timed or end >= options.time_budget_s:
            break
        if options.fast:
            ended = reason_to_end_search(run, end)
        elif choice and choice.met:
            ended = _end_with_trials(before, choice, chooser)
    return (ended if ended and reason == TIME_SPENT else reason), choice


def _end_with_trials(before: Choice | None, choice: Choice, chooser: Chooser) -> str | None:
    """Return why a plan ends after a round whose design meets what is wanted, after more trials; None if it goes on.

    Trials may show that the design is enough, and take less time than another round. Only one that is written needs many of them.
    """
    options = chooser.stages.problem.options
    least = least_actuators(chooser.run, options)
    until = end_of_trials(chooser.spent, options.time_budget_s)
    chooser.add_trials(choice, replace(options.budget, seconds=until), last=False)
    if reason_to_end(before, choice, least) is None:
        return None
    chooser.add_trials(choice, options.budget, last=True)
    return reason_to_end(before, choice, least)


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
