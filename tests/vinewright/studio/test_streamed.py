"""A plan as events: what a page that adds and drops branches as it is told has is the search tree."""

import signal
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from environments import load_environment
from planner.plan.choice.selection import Progress
from planner.search.run import Budget, Run
from planner.search.tree import branches_of
from surrogate.kernels.interruption import Interruption
from vinewright.studio.stop import Stop
from vinewright.studio.streamed import STRAIGHT, Streamed, TreeDelta


def corners(branch: list[Any]) -> np.ndarray:
    """The corners of a branch that was sent [m], shape (n, 2)."""
    return np.array(branch[2]).reshape(-1, 2) / 1e4


def take(tree: dict[int, Any], event: dict[str, Any]) -> int:
    """Change a tree as a page does; returns the number of branches that were dropped."""
    if event["reset"]:
        tree.clear()
    for slot in event["drop"]:
        del tree[slot]
    for branch in event["add"]:
        assert branch[0] not in tree
        tree[branch[0]] = branch
    return len(event["drop"])


def test_changes_add_up_to_the_tree(small_file: Path) -> None:
    """After every event so far, each branch leads from its parent's tip to its own, also where a slot was used again."""
    run = Run.prepare(load_environment(small_file, VineParams().radius), VineParams(), seed=1, batch=40)
    delta, shown, dropped = TreeDelta(run), dict[int, Any](), 0
    for _ in run.run(Budget(600.0, iterations=12)):
        event = delta.event(most=30)
        assert event
        assert len(event["add"]) <= 30
        dropped += take(shown, event)
    while event := delta.event(most=30):
        dropped += take(shown, event)
    tree = run.search.tree
    slots = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert sorted(shown) == slots.tolist()
    assert dropped > 0
    for slot, line in zip(slots.tolist(), branches_of(tree, run.environment.start, run.params, slots), strict=True):
        sent = corners(shown[slot])
        np.testing.assert_allclose(sent[[0, -1]], line[[0, -1]], atol=1e-4)
        np.testing.assert_allclose(sent[-1], tree.tips[slot, :2], atol=1e-4)
        length = np.hypot(*np.diff(sent, axis=0).T).sum()
        assert abs(length - np.hypot(*np.diff(line, axis=0).T).sum()) < 10 * STRAIGHT
        assert shown[slot][1] == tree.jumped[slot]


def test_a_slot_that_is_used_again_is_sent_again() -> None:
    """A branch that was replaced by another one in the same slot is dropped and added."""
    run = Run.prepare(load_environment("divider"), VineParams(), seed=1)
    delta, shown = TreeDelta(run), dict[int, Any]()
    for _ in run.run(Budget(600.0, iterations=2)):
        pass
    while event := delta.event():
        take(shown, event)
    tree = run.search.tree
    slot = int(np.flatnonzero(tree.used & (tree.parent >= 0))[0])
    tree.tips[slot, 0] += 0.01
    again = delta.event()
    assert again
    assert (again["drop"], [branch[0] for branch in again["add"]], again["reset"]) == ([slot], [slot], False)
    assert delta.event() is None


def test_a_stop_between_two_stages_ends_the_next_one() -> None:
    """The signal is sent again as soon as the next stage handles it: in a search and in refinement."""
    run = Run.prepare(load_environment("divider"), VineParams(), seed=1)
    stop = Stop()
    watcher = Streamed(lambda _: None, stop)
    before = signal.signal(signal.SIGINT, stop.deferred)
    try:
        for stage, arguments in (
            (watcher.searching(run, Budget(1.0)), ()),
            (watcher.refining(lambda: 1.0), (Progress(1, 0, 0.5),)),
        ):
            signal.raise_signal(signal.SIGINT)
            interruption = Interruption()
            with stage as show, interruption.handling_signals():
                assert not interruption.requested
                show(*arguments)  # type: ignore[operator]
                assert interruption.requested
    finally:
        signal.signal(signal.SIGINT, before)


def test_time_left_is_that_of_the_whole_plan() -> None:
    """The time left falls over all stages from the budget; a plan limited by iterations has none."""
    from planner.plan.inputs import Inputs

    run = Run.prepare(load_environment("divider"), VineParams(), seed=1)
    for options, budget in ((Inputs(time_budget_s=50.0), 50.0), (Inputs(time_budget_s=50.0, iterations=3), 0.0)):
        watcher = Streamed(lambda _: None, Stop())
        watcher.beginning(run.environment, options)
        watcher.prepared(run)
        times = watcher.times
        assert abs(times["seconds"] + times["left"] - max(budget, times["seconds"])) < 1e-6
        assert times["left"] <= budget
