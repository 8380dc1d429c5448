"""The output of a plan while it is made: progress, and messages about Ctrl-C."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dynamics.cuda import default_device, on_default_device
from planner.plan.plan import Result, plan
from planner.plan.watcher import QUIET, Watcher
from planner.search.planners import SST_STAR, search_of
from planner.uncertainty.errors import with_errors
from vinewright.console.compiling import compiling
from vinewright.console.errors import BadInput, needs
from vinewright.console.models import chosen_model, note_ignored, second_model, with_friction
from vinewright.console.progress import gather, handle_stop_signals
from vinewright.console.terminal import actuators_text

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import PropagatorFactory
    from dynamics.tube import VineParams
    from environments import Environment
    from planner.plan.choice.selection import Progress
    from planner.plan.options import Inputs
    from planner.plan.run.checkpoint import Checkpoint
    from planner.search.run import Budget, Run

PLAIN_EVERY = 2.0
"""Seconds between progress lines where there is no terminal."""
Item = TypeVar("Item")


class Shown(Watcher):
    """Shows a plan on a console while it is made."""

    def __init__(self, console: Console, checkpoint: Checkpoint | None = None) -> None:
        self.console, self.checkpoint = console, checkpoint

    def beginning(self, environment: Environment, options: Inputs) -> None:
        """Say what is planned."""
        by = f"{options.planner}, " * (options.planner != SST_STAR)
        self.console.print(
            f"planning {environment.name}: {options.actuator}, {options.propagator}, {by}seed {options.seed}, "
            f"{options.time_budget_s:g} s",
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
            line = _progress(run, budget)
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
            line = _refinement(progress, left())
            if self.console.is_terminal:
                live.update(Text(line), refresh=True)
            elif time.monotonic() >= shown + PLAIN_EVERY:
                shown = time.monotonic()
                self.console.print(line)

        with handle_stop_signals(), Live(console=self.console, auto_refresh=False, transient=True) as live:
            live.update(Text("comparing solutions in worlds with errors"), refresh=self.console.is_terminal)
            yield show

    def gathered(self, items: Iterable[Item], total: int, words: str) -> list[Item]:
        """Show a progress bar."""
        return gather(self.console, items, total, words)[0]

    def note(self, message: str) -> None:
        """Print it."""
        self.console.print(message)


def planned(
    environment: Environment,
    tube: VineParams,
    inputs: Inputs,
    checkpoint: Checkpoint | None = None,
    folder: Path | None = None,
    watcher: Watcher = QUIET,
) -> Result:
    """Plan with the models that the options choose, which are all checked before any computation; see `planner.plan.plan.plan`.

    Raises:
        BadInput: A choice is unknown, does not fit the others, or needs a library that is not installed.
    """
    make, tube = chosen_for(environment, tube, inputs)
    note_ignored(watcher.note, tube, inputs.propagator, environment)
    # record the chosen device, solver and surrogate, where there is a choice
    inputs = inputs.model_copy(update=getattr(make, "keywords", {}))
    second = second_model(tube, inputs, watcher.note, environment) if inputs.verify else None
    environment, uncertainty = with_errors(environment, inputs.uncertainty)
    inputs = inputs.model_copy(update={"uncertainty": uncertainty})
    # Trials and particles grow where the search does, also if a plan is resumed.
    named = inputs.device != "auto" and inputs.propagator == "quasistatic"
    with needs("ompl"), on_default_device(inputs.device if named else default_device()):
        return plan(environment, tube, inputs, make, second, checkpoint, folder, watcher)


def chosen_for(environment: Environment, tube: VineParams, inputs: Inputs) -> tuple[PropagatorFactory, VineParams]:
    """The propagator that plans, and the tube with the friction that it plans with.

    Raises:
        BadInput: As of `planned`.
    """
    _check_planner(inputs)
    make = chosen_model(tube, inputs.propagator, inputs.device, inputs.solver, inputs.surrogate)
    return make, with_friction(tube, inputs.friction, inputs.propagator, environment)


def _check_planner(inputs: Inputs) -> None:
    """Check that the planner can be made, and is not given together with options that only SST* has.

    Raises:
        BadInput: It is, or it needs OMPL, which is not installed.
        NoPlanner: OMPL cannot make it.
    """
    given = {"--heuristic": inputs.heuristic, "--particles": inputs.particles > 1}
    if inputs.planner != SST_STAR and (refused := [option for option, value in given.items() if value]):
        raise BadInput(f"{refused[0]} needs --planner {SST_STAR}; not {inputs.planner}")
    with needs("ompl"):
        search_of(inputs.planner)


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
    return f"{what} {run.search.iteration}  best: {best}  nodes {len(run.search.tree)}  {rate:,.0f} vine-steps/s  {left:.0f} s left"


def _refinement(progress: Progress, left: float) -> str:
    rest = f"  {max(left, 0.0):.0f} s left" if math.isfinite(left) else ""
    of = f"{progress.trials} reach the goal" if progress.trials else "worlds"
    rate = f": {100 * progress.rate:.0f} % of {of}" if progress.trials or progress.generation else ""
    return f"{progress.words}{rate}{rest}"
