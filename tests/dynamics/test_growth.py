"""Functions that the growth of every chain shares."""

import numpy as np
import pytest

from dynamics import growth
from dynamics.chain import new_chain
from dynamics.growth import GROWING, GROWN, STALLED, Watch, look_at, next_stop, report
from dynamics.records import Recorder, Task, new_records, of_vine
from dynamics.vine import Status


def test_kernels_know_the_numbers_of_status() -> None:
    """They are written out where the kernels' hash covers them, so both places must say the same."""
    assert {one.name: int(one) for one in Status} == {one.name: getattr(growth, one.name) for one in Status}
    assert GROWING not in set(Status)


def test_next_record_is_due_one_interval_on_and_no_later_than_the_end() -> None:
    """The first record is one interval on, not at the start; the last one is at the requested length."""
    task = Task(1, 0.0, 0.25, 0.1)
    assert [next_stop(task, recorded) for recorded in range(4)] == pytest.approx([0.1, 0.2, 0.25, 0.25])


@pytest.mark.parametrize(("share", "stalled"), [(0.9, True), (1.1, False)])
@pytest.mark.parametrize("what", ["length", "joint"])
def test_a_vine_is_stalled_if_neither_length_nor_joints_change(share: float, stalled: bool, what: str) -> None:
    """A change of 0.3 mm since the last check, and no less, is progress; between two checks nothing is decided."""
    chain, seen = new_chain(3), np.zeros((4, 2))
    for part in chain:
        part[:] = 0.0
    _, watch = look_at(Watch(0.0, 0.0), 0.5, 0.0, 0.0, chain, 3, seen)
    assert watch == Watch(0.5, 0.0)
    if what == "joint":
        chain.y[3] = share * 0.3e-3
    grown = share * 0.3e-3 if what == "length" else 0.0
    assert look_at(watch, 0.5, 0.4, grown, chain, 3, seen) == (False, watch)
    assert look_at(watch, 0.5, 0.5, grown, chain, 3, seen) == (stalled, Watch(1.0, grown))


def test_a_state_too_deep_is_not_recorded_and_an_end_is_recorded_once() -> None:
    """A record is written where it is due, and at a stall if anything has grown since the last one."""
    records = of_vine(new_records(np.array([0.2]), 0.1, 3), 0)
    recorder = Recorder(records, np.zeros(3), new_chain(3), np.zeros(3), np.zeros(1))
    task = Task(1, 0.0, 0.2, 0.1)
    assert report(recorder, 0, task, 1, 0.0, 0.1, True, False) == (0, GROWING)
    assert report(recorder, 0, task, 1, 0.0, 0.09, False, False) == (0, GROWING)
    assert report(recorder, 0, task, 1, 0.0, 0.1, False, False) == (1, GROWING)
    assert report(recorder, 1, task, 1, 0.0, 0.1, False, True) == (1, STALLED)
    assert report(recorder, 1, task, 1, 0.0, 0.15, False, True) == (2, STALLED)
    assert report(recorder, 1, task, 1, 0.0, 0.15, True, True) == (1, STALLED)
    assert report(recorder, 1, task, 2, 0.7, 0.2, False, False) == (2, GROWN)
    assert records.segments.tolist()[:2] == [1, 2]
    assert records.tips[1, 2] == 0.7
