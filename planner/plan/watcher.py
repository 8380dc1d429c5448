"""Watchers, which a plan notifies of its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from environments.environment import Environment
from planner.plan.choice.front import Choice
from planner.plan.choice.selection import Progress
from planner.plan.inputs import Inputs
from planner.search.run import Budget, Run

Item = TypeVar("Item")


class Watcher:
    """Shows a plan while it is made. This one shows nothing; a subclass overrides what it wants to show."""

    def beginning(self, environment: Environment, options: Inputs) -> None:
        """Called once the goal is known to be within reach of a tube."""

    def compiling(self, propagator: str, heuristic: bool = False) -> AbstractContextManager[None]:  # noqa: ARG002
        """Context manager around code that may compile kernels."""
        return nullcontext()

    def prepared(self, run: Run) -> None:
        """Called before the first iteration, after a checkpoint was restored."""

    def searching(self, run: Run, budget: Budget) -> AbstractContextManager[Callable[[], None]]:  # noqa: ARG002
        """Context manager around the search; yields a function that is called after every iteration."""
        return nullcontext(lambda: None)

    def refining(self, left: Callable[[], float]) -> AbstractContextManager[Callable[[Progress], None]]:  # noqa: ARG002
        """Context manager around refinement and trials; yields a function that is called with their progress.

        Args:
            left: Remaining time [s].
        """
        return nullcontext(lambda _: None)

    def chose(self, choice: Choice) -> None:
        """Called with the choice after each round of a plan."""

    def gather(self, items: Iterable[Item], total: int, words: str) -> list[Item]:  # noqa: ARG002
        """The items, whose computation takes long; fewer after Ctrl-C. `words` describes them."""
        found: list[Item] = []
        try:
            for item in items:
                found.append(item)  # the items before Ctrl-C are kept
        except KeyboardInterrupt:
            self.note(f"interrupted after {len(found)} {words}")
        return found

    def note(self, message: str) -> None:
        """Called with a message for the user."""


QUIET = Watcher()
