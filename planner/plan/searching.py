"""Searches of a plan, with their checkpoints. Nothing here writes to a console."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dynamics.propagator import CannotRun
from planner.output.claim import UnwritableFolder
from planner.plan.friction import PARTS, run_with_friction
from planner.plan.run.stages import Stages
from planner.plan.watcher import QUIET, Watcher
from planner.search.run import Budget, Run
from surrogate.kernels.interruption import Interruption

SAVED_EVERY = 30.0
"""Seconds between checkpoints."""
INTERRUPTED = "interrupted"
"""Why a search has ended after Ctrl-C."""


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
                    attempt(save, watcher)
        except (CannotRun, MemoryError) as error:
            if run.best is None or run.past:
                raise
            return str(error) or "out of memory"  # what was found is kept
        if not run.past:
            attempt(save, watcher)
    return run.ended(budget) or INTERRUPTED


def attempt(save: Callable[[], None], watcher: Watcher) -> None:
    """Save a checkpoint if the folder can be written; the disk may be full only temporarily, so the plan goes on."""
    try:
        save()
    except UnwritableFolder as error:
        watcher.note(f"note: no checkpoint: {error}")


def search_with_friction(
    run: Run, stages: Stages, budget: Budget, watcher: Watcher, interruption: Interruption
) -> None:
    """Search with friction too, in `PARTS` searches that go on where they were; fewer after Ctrl-C, or if one fails: they are not needed.

    While none has a solution up to `PARTS` more follow, unless the search without friction has taken their time.

    Args:
        stages: Gets the searches, and has those that began before the plan was resumed.
        budget: Of `PARTS` together.
    """
    found, each, number = stages.searches, budget.part(1 / PARTS), 0
    while not interruption.requested and number < 2 * PARTS:
        spent = run.seconds + sum(one.seconds for one in found)
        late = budget.iterations is None and spent >= 3 * budget.seconds
        if number >= PARTS and (late or any(one.best for one in found)):
            break
        if number == len(found):
            with interruption.handling_signals():
                stages.begin(run_with_friction(run, stages.problem, number))
            if interruption.requested:
                break
        try:
            search(found[number], each, partial(stages.save_search, number), watcher, interruption)
            number += 1
        except (CannotRun, MemoryError) as error:
            watcher.note(f"note: no search with friction: {error}")
            break
