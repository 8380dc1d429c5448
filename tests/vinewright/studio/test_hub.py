"""The state that pages share: what a page that is opened later, or is slow, gets to know."""

import asyncio
from typing import Any

import pytest

from vinewright.studio.events import IDLE
from vinewright.studio.hub import MOST_WAITING, Hub
from vinewright.studio.stop import Stop
from vinewright.studio.workers import Worker


def events_in(page: "asyncio.Queue[Any]") -> list[Any]:
    """The events that wait for a page."""
    return [page.get_nowait() for _ in range(page.qsize())]


def branch(slot: int) -> list[Any]:
    """A branch of a search tree."""
    return [slot, 0, [0, 0, slot, slot]]


def searching(hub: Hub, count: int) -> None:
    """A plan under way with so many branches."""
    hub.tell({"type": "plan", "plan": {**IDLE, "phase": "searching", "nodes": count}})
    hub.tell({"type": "tree", "reset": True, "drop": [], "add": [branch(slot) for slot in range(count)]})


def test_a_later_page_gets_the_tree_of_all_changes() -> None:
    """The snapshot has every branch that was added and not dropped, as it was last sent."""
    hub = Hub()
    searching(hub, 5)
    hub.tell({"type": "tree", "reset": False, "drop": [1, 3], "add": [[1, 1, [7, 7, 8, 8]], branch(9)]})
    (tree,) = [event for event in events_in(hub.attach()) if event["type"] == "tree"]
    assert tree["reset"]
    assert sorted(tree["add"]) == [branch(0), [1, 1, [7, 7, 8, 8]], branch(2), branch(4), branch(9)]


def test_a_slow_page_loses_no_answer() -> None:
    """A page that does not keep up gets the present state once, and every growth and failure."""
    hub = Hub()
    page = hub.attach()
    events_in(page)
    hub.tell({"type": "growth", "growth": {}, "job": 1})
    for k in range(MOST_WAITING + 10):
        hub.tell({"type": "plan", "plan": {**IDLE, "phase": "searching", "iterations": k}})
    hub.tell({"type": "failed", "what": "look", "kind": "pack", "message": "x", "job": 2})
    found = events_in(page)
    assert len(found) < MOST_WAITING
    assert [event["job"] for event in found if event["type"] in ("growth", "failed")] == [1, 2]
    assert [event["plan"]["iterations"] for event in found if event["type"] == "plan"][-1] == MOST_WAITING + 9


def test_the_end_reaches_a_slow_page() -> None:
    """The event that closes a page is not lost either."""
    hub = Hub()
    page = hub.attach()
    hub.close()
    for k in range(MOST_WAITING + 10):
        hub.tell({"type": "plan", "plan": {**IDLE, "iterations": k}})
    assert None in events_in(page)


def test_failed_trials_are_not_busy() -> None:
    """A page that is opened after trials have failed does not wait for them."""
    hub = Hub()
    trials = {"type": "trials", "busy": True, "lines": [[1]], "reached": [True], "first": True}
    hub.tell(trials)
    hub.tell({**trials, "first": False, "lines": [[2]]})
    hub.tell({"type": "failed", "what": "look", "kind": "trials", "message": "x", "job": 1})
    (found,) = [event for event in events_in(hub.attach()) if event["type"] == "trials"]
    assert not found["busy"]
    assert found["lines"] == [[1], [2]]


def test_a_run_goes_to_its_drawing() -> None:
    """A page that is opened after a plan has ended has the run with the drawing that was planned, not with another one."""
    hub = Hub()
    for drawing, expected in (("other", "before"), ("mine", "bench")):
        hub.document = {"id": "mine", "beside": {"run": "before", "design": "2", "options": None}}
        hub.tell({"type": "plan", "plan": {**IDLE, "phase": "done", "run": "bench", "drawing": drawing}})
        assert hub.document["beside"]["run"] == expected
        assert hub.document["beside"]["design"] == ("best" if drawing == "mine" else "2")


def test_a_second_stop_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan gets the signal once: a second one would end it without its best design."""
    sent: list[int] = []
    monkeypatch.setattr("vinewright.studio.stop.signal.pthread_kill", lambda _, number: sent.append(number))
    stop = Stop()
    for _ in range(3):
        stop.request(True)
    assert len(sent) == 1


def test_a_job_after_a_kill_is_not_lost_with_it() -> None:
    """Only the jobs of the process that was killed are reported as lost."""
    told: list[Any] = []
    worker = Worker("", told.append, False)
    killed, present = Ended(), Ended()
    worker.jobs, worker.workers = {1: "look", 2: "pack"}, {1: killed, 2: present}  # type: ignore[dict-item]
    worker._receive(killed, killed)  # type: ignore[arg-type]
    assert [(event["job"], event["type"]) for event in told] == [(1, "failed"), (1, "ended")]
    assert worker.jobs == {2: "pack"}


class Ended:
    """The pipe, and the process, of a worker that was killed."""

    def recv(self) -> Any:
        raise EOFError

    def join(self) -> None:
        """Nothing to wait for."""
