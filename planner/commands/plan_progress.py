"""The search of `vinewright plan` as it is seen: its progress, its checkpoints, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from planner.design import Design
    from planner.search.run import Budget, Run

PLAIN_EVERY = 2.0
"""Seconds between progress lines where there is no terminal."""
SAVED_EVERY = 30.0
"""Seconds between checkpoints."""
INTERRUPTED = "interrupted"


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM instead of breaking off; a second Ctrl-C breaks off."""
    caught: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        if len(caught) > 1:
            signal.default_int_handler(number, frame)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def search(console: Console, run: Run, budget: Budget, save: Callable[[], None]) -> str:
    """Search with progress on the console; returns why it ended.

    Args:
        save: Writes a checkpoint; called now and then, and at the end.
    """
    from rich.live import Live
    from rich.text import Text

    from dynamics.propagator import CannotRun
    from planner.runs.folder import UnwritableFolder

    def checkpoint() -> None:
        try:
            save()
        except UnwritableFolder as error:  # a full disk, perhaps for a while: no reason to lose the search
            console.print(f"note: no checkpoint: {error}")

    shown, saved = 0.0, run.seconds
    with _interruptible() as caught, Live(console=console, auto_refresh=False, transient=True) as live:
        live.update(Text("growing the first vines"), refresh=console.is_terminal)
        try:
            for _ in run.run(budget):
                line = _progress(run, budget)
                if console.is_terminal:
                    live.update(Text(line), refresh=True)
                elif run.seconds >= shown + PLAIN_EVERY:
                    shown = run.seconds
                    console.print(line)
                if caught:
                    break
                if run.seconds >= saved + SAVED_EVERY:
                    saved = run.seconds
                    checkpoint()
        except CannotRun as error:
            if run.best is None:
                raise
            return str(error)  # what was found is kept
        checkpoint()
    return run.ended(budget) or INTERRUPTED


def _progress(run: Run, budget: Budget) -> str:
    best = "no solution yet"
    if run.best:
        best = f"{actuators_of(run.best.design)}, {run.best.design.length:.2f} m"
    left = max(budget.seconds - run.seconds, 0.0)
    rate = run.search.vine_steps / max(run.seconds, 1e-9)
    return f"iteration {run.search.iteration}  best: {best}  nodes {len(run.search.tree)}  {rate:,.0f} vine-steps/s  {left:.0f} s left"


def actuators_of(design: Design) -> str:
    """How many a design has, in words."""
    return f"{design.actuators} actuator{'s' * (design.actuators != 1)}"
