"""The output of a plan while it is made: progress, and messages about Ctrl-C."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from planner.plan.watcher import Watcher
from planner.search.planners import SST_STAR
from vinewright.console.compiling import compiling
from vinewright.console.progress import gather, handle_stop_signals
from vinewright.console.terminal import actuators_text

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.plan.choice.front import Choice
    from planner.plan.choice.selection import Progress
    from planner.plan.inputs import Inputs
    from planner.plan.run.checkpoint import Checkpoint
    from planner.search.run import Budget, Run

PLAIN_EVERY = 2.0
"""Seconds between progress lines where there is no terminal."""
Item = TypeVar("Item")


class ConsoleWatcher(Watcher):
    """Shows a plan on a console while it is made."""

    def __init__(self, console: Console, checkpoint: Checkpoint | None = None) -> None:
        self.console, self.checkpoint = console, checkpoint
        self.so_far = ""
        """Success of the design that the last round chose, as text."""

    def beginning(self, environment: Environment, options: Inputs) -> None:
        """Say what is planned."""
        by = "" if options.planner == SST_STAR else f"{options.planner}, "
        self.console.print(
            f"planning {environment.name}: {options.actuator}, {options.propagator}, {by}seed {options.seed}, "
            f"{options.time_budget_s:g} s at most",
            style="bold",
        )

    @contextmanager
    def compiling(self, propagator: str, heuristic: bool = False) -> Iterator[None]:
        """Say why the first start takes longer."""
        with compiling(self.console, propagator, heuristic):
            yield

    def prepared(self, run: Run) -> None:
        """Say where a run is resumed."""
        caution = self.checkpoint.caution if self.checkpoint else ""
        if run.past:
            self.console.print(
                f"repeating {run.past.iterations} iterations, because OMPL's planners cannot be stored; they took "
                f"{run.past.seconds:.1f} s{caution}"
            )
        elif self.checkpoint:
            self.console.print(f"resumed after iteration {run.search.iteration}, {run.seconds:.1f} s{caution}")

    @contextmanager
    def searching(self, run: Run, budget: Budget) -> Iterator[Callable[[], None]]:
        """Show a line that is updated on a terminal, or a new line every two seconds elsewhere."""
        from rich.live import Live
        from rich.text import Text

        shown = 0.0

        def show() -> None:
            nonlocal shown
            line = _progress(run, budget) + self.so_far
            if self.console.is_terminal:
                live.update(Text(line), refresh=True)
            elif run.seconds >= shown + PLAIN_EVERY:
                shown = run.seconds
                self.console.print(line)

        with handle_stop_signals(), Live(console=self.console, auto_refresh=False, transient=True) as live:
            live.update(Text("growing the first vines"), refresh=self.console.is_terminal)
            yield show

    @contextmanager
    def refining(self, left: Callable[[], float]) -> Iterator[Callable[[Progress], None]]:
        """Show a line that is updated on a terminal, or a new line every two seconds elsewhere."""
        from rich.live import Live
        from rich.text import Text

        shown = time.monotonic()

        def show(progress: Progress) -> None:
            nonlocal shown
            line = _refinement(progress, left()) + self.so_far
            if self.console.is_terminal:
                live.update(Text(line), refresh=True)
            elif time.monotonic() >= shown + PLAIN_EVERY:
                shown = time.monotonic()
                self.console.print(line)

        with handle_stop_signals(), Live(console=self.console, auto_refresh=False, transient=True) as live:
            live.update(Text("comparing solutions in worlds with errors"), refresh=self.console.is_terminal)
            yield show

    def chose(self, choice: Choice) -> None:
        """Keep the success so far for the lines that follow, so that Ctrl-C is an informed choice."""
        one = choice.chosen
        rate = f"{100 * one.estimate.rate:.0f} % of {one.estimate.trials} trials"
        self.so_far = f"  so far: {actuators_text(one.design)}, {rate}"

    def gather(self, items: Iterable[Item], total: int, words: str) -> list[Item]:
        """Show a progress bar."""
        return gather(self.console, items, total, words)[0]

    def note(self, message: str) -> None:
        """Print it."""
        self.console.print(message)


def _progress(run: Run, budget: Budget) -> str:
    best = "no solution yet"
    if run.best:
        best = f"{actuators_text(run.best.design)}, {run.best.design.length:.2f} m"
    left = max(budget.seconds - run.seconds, 0.0)
    rate = run.search.vine_steps / max(run.seconds, 1e-9)
    # Friction of the propagator itself, not of its tube or environment: a search with friction.
    friction = getattr(run.propagator, "friction", None)
    what = "iteration" if friction is None else f"with friction {friction:g}: iteration"
    what = f"repeating {what}" if run.past else what
    rest = f"{left:.0f} s left in this round"
    return (
        f"{what} {run.search.iteration}  best: {best}  nodes {len(run.search.tree)}  {rate:,.0f} vine-steps/s  {rest}"
    )


def _refinement(progress: Progress, left: float) -> str:
    rest = f"  {max(left, 0.0):.0f} s left in this round" if math.isfinite(left) else ""
    of = f"{progress.trials} reach the goal" if progress.trials else "worlds"
    rate = f": {100 * progress.rate:.0f} % of {of}" if progress.trials or progress.generation else ""
    return f"{progress.words}{rate}{rest}"
