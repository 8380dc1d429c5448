"""A plan as events: its progress, the changes of its search tree and its best design."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import shapely

from dynamics.cuda import default_device
from dynamics.registry import kernels_are_cached
from dynamics.vine import Integers
from environments.environment import Environment
from planner.design.design import Design
from planner.plan.choice.selection import Progress
from planner.plan.inputs import Inputs
from planner.plan.watcher import Watcher
from planner.search.run import Budget, Run
from planner.search.tree import branches_of
from vinewright.studio.events import IDLE, Send
from vinewright.studio.stop import Stop
from vinewright.studio.views import design_view, front_view

EVERY = 0.15
"""Seconds between two events of a search."""
MOST_ADDED = 400
"""Maximum number of branches in an event; further branches follow in the next events."""
STRAIGHT = 0.5e-3
"""Tolerance to which branches are simplified before they are sent [m]."""


class TreeDelta:
    """The part of a search tree that has not been sent yet."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.sent = np.zeros(0, bool)
        self.tips = np.zeros((0, 3))
        self.fresh = True

    def event(self, most: int = MOST_ADDED) -> dict[str, Any] | None:
        """Return the next event; None if nothing has changed.

        Args:
            most: Maximum number of branches to add.
        """
        tree = self.run.search.tree
        grown = len(tree.used) - len(self.sent)
        sent = np.concatenate([self.sent, np.zeros(grown, bool)])
        tips = np.concatenate([self.tips, np.zeros((grown, 3))])
        wanted = tree.used & (tree.parent >= 0)
        # A slot that was freed and used again has another tip.
        stale = sent & (~wanted | (tips != tree.tips).any(axis=1))
        sent[stale] = False
        new = np.flatnonzero(wanted & ~sent)[:most]
        sent[new], tips[new] = True, tree.tips[new]
        self.sent, self.tips = sent, tips
        if not (self.fresh or stale.any() or len(new)):
            return None
        event = {"type": "tree", "reset": self.fresh, "drop": np.flatnonzero(stale).tolist(), "add": self._added(new)}
        self.fresh = False
        return event

    def _added(self, slots: Integers) -> list[list[Any]]:
        run = self.run
        branches = branches_of(run.search.tree, run.environment.start, run.params, slots)
        # Straight parts need two points.
        lines = shapely.simplify([shapely.LineString(line) for line in branches], STRAIGHT)
        jumped = run.search.tree.jumped[slots].astype(int).tolist()
        corners = [np.rint(1e4 * shapely.get_coordinates(line)).astype(int).ravel().tolist() for line in lines]
        return [list(row) for row in zip(slots.tolist(), jumped, corners, strict=True)]


class EventWatcher(Watcher):
    """Sends the progress of a plan as events."""

    def __init__(self, send: Send, stop: Stop) -> None:
        self.send, self.stop = send, stop
        self.state: dict[str, Any] = {**IDLE, "phase": "starting"}
        self.best: Design | None = None
        self.began = self.budget = 0.0

    def tell(self, **changes: Any) -> None:
        """Send the state of the plan after changes."""
        self.state |= changes
        self.send({"type": "plan", "plan": dict(self.state)})

    def beginning(self, environment: Environment, options: Inputs) -> None:  # noqa: ARG002
        """Note the time budget; a plan that is limited by iterations has none."""
        self.budget = options.time_budget_s if options.iterations is None else 0.0

    def prepared(self, run: Run) -> None:  # noqa: ARG002
        """Start to measure time, after compilation."""
        self.began = time.monotonic()

    @property
    def times(self) -> dict[str, float]:
        """Time since the search began, and time left of the budget [s]."""
        spent = time.monotonic() - self.began
        return {"seconds": spent, "left": max(self.budget - spent, 0.0)}

    @contextmanager
    def compiling(self, propagator: str, heuristic: bool = False) -> Iterator[None]:
        """Send the time spent on compilation every half second, if kernels must be compiled."""
        if kernels_are_cached(propagator, heuristic, default_device()):
            self.tell(phase="starting")
            yield
            return
        with self.report_compilation("compiling the kernels, only this once (about 15 seconds)"):
            yield

    @contextmanager
    def report_compilation(self, message: str) -> Iterator[None]:
        """Send a message, and the time spent on compilation every half second."""
        began, ended = time.monotonic(), threading.Event()

        def tick() -> None:
            while not ended.wait(0.5):
                self.tell(phase="compiling", seconds=time.monotonic() - began)

        self.tell(phase="compiling", seconds=0.0, message=message)
        ticking = threading.Thread(target=tick, daemon=True)
        ticking.start()
        try:
            yield
        finally:
            ended.set()
            ticking.join()
            self.tell(message="")

    @contextmanager
    def searching(self, run: Run, budget: Budget) -> Iterator[Callable[[], None]]:  # noqa: ARG002
        """Send the tree as it grows, and the best design when it changes."""
        delta, sent_at = TreeDelta(run), -math.inf
        # Only a search with friction sets the friction of the propagator itself.
        friction = getattr(run.propagator, "friction", None)
        message = "" if friction is None else f"with friction {friction:g}"

        def show() -> None:
            nonlocal sent_at
            self.stop.deferred.resend()
            now = time.monotonic()
            if now < sent_at + EVERY:
                return
            sent_at = now
            self._show(run, delta, message)

        self.tell(phase="searching", message=message)
        yield show
        while rest := delta.event():
            self.send(rest)
        self._show(run, delta, message)

    def _show(self, run: Run, delta: TreeDelta, message: str) -> None:
        if event := delta.event():
            self.send(event)
        best = run.best
        if best and best.design is not self.best and (self.best is None or message == ""):
            self.best = best.design
            heading = float(run.environment.start[2])
            self.send({"type": "best", "design": design_view(best.design, "best", "Best so far", heading)})
        found = {"actuators": self.best.actuators, "length": round(1e3 * self.best.built, 3)} if self.best else None
        self.tell(
            phase="searching",
            **self.times,
            iterations=run.search.iteration,
            nodes=len(run.search.tree),
            best=found,
            message=message,
        )

    @contextmanager
    def refining(self, left: Callable[[], float]) -> Iterator[Callable[[Progress], None]]:  # noqa: ARG002
        """Send the progress of the refinement, and the front as far as it is known."""
        front: dict[int, dict[str, Any]] = {}

        def show(progress: Progress) -> None:
            self.stop.deferred.resend()
            if progress.trials:
                reached = round(progress.rate * progress.trials)
                front[progress.actuators] = front_view(progress.actuators, reached, progress.trials, False)
            self.tell(
                phase="refining",
                **self.times,
                message=progress.words,
                success=progress.rate if progress.trials or progress.generation else None,
                front=[front[count] for count in sorted(front)],
            )

        self.tell(phase="refining", message="comparing solutions in worlds with errors")
        yield show

    def note(self, message: str) -> None:
        """Send a message for the user."""
        self.tell(message=message)
