"""Known trials of designs are not grown again, and are equal to those that are."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty import trials
from planner.uncertainty.memo import TrialMemo
from planner.uncertainty.trials import Worlds, compute_goal_distances
from tests.planner.plan.choice.bent import PARAMS, bent, room_around

NUMBERS = [None, *range(40, 52)]


@pytest.fixture(scope="module")
def room() -> Environment:
    """The goal lies around the end of one design."""
    return room_around(bent(0.6))


def worlds_of(room: Environment, known: TrialMemo | None = None, numbers: list[int | None] = NUMBERS) -> Worlds:
    made = Worlds.draw(room, PARAMS, Uncertainty.of_levels(0.0, 0.08), numbers, seed=5)
    made.known = known
    return made


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of vines of every batch that is grown."""
    found, grow = list[int](), trials.grow_rows
    monkeypatch.setattr(
        trials, "grow_rows", lambda worlds, rows, *rest: (found.append(len(rows)), grow(worlds, rows, *rest))[1]
    )
    return found


DESIGNS = [bent(0.6), bent(0.45, 0.3), bent(0.7, 0.1), bent(0.6, 0.4)]


def test_a_design_comes_as_near_alone_as_in_a_batch(room: Environment) -> None:
    """To the bit, in each trial by its number: of longer and shorter designs, and of other trials grown with it."""
    nearest, last = compute_goal_distances(DESIGNS, worlds_of(room), np.arange(13))
    assert len(np.unique(nearest)) > 40
    assert not np.array_equal(nearest, last)
    for k, design in enumerate(DESIGNS):
        for row, number in enumerate(NUMBERS):
            alone = compute_goal_distances([design], worlds_of(room, numbers=[number]), np.arange(1))
            assert (alone[0][0, 0], alone[1][0, 0]) == (nearest[k, row], last[k, row])


def test_only_what_is_not_known_is_grown(room: Environment, grown: list[int]) -> None:
    """Asked for other designs and rows, in another order, from other worlds with the same trials: each is grown once."""
    whole = compute_goal_distances(DESIGNS, worlds_of(room), np.arange(13))
    known = TrialMemo()
    some, rows = worlds_of(room, known), np.array([0, 3, 7])
    grown.clear()
    for values, expected in zip(compute_goal_distances(DESIGNS[:2], some, rows), whole, strict=True):
        assert np.array_equal(values, expected[:2][:, rows])
    assert sum(grown) == 6
    for values, expected in zip(compute_goal_distances(DESIGNS[::-1], some, np.arange(13)), whole, strict=True):
        assert np.array_equal(values, expected[::-1])
    assert sum(grown) == 4 * 13
    other = worlds_of(room, known, NUMBERS[::-1])
    for values, expected in zip(compute_goal_distances(DESIGNS, other, np.arange(13)), whole, strict=True):
        assert np.array_equal(values, expected[:, ::-1])
    assert sum(grown) == 4 * 13
    assert known.count == 4 * 13


@pytest.mark.parametrize("number", [None, 40])
def test_another_design_is_not_known(room: Environment, grown: list[int], number: int | None) -> None:
    """Any difference counts: a boundary, a pressure, a cell, a side, a section without pressure, or where growth stops."""
    known, first = TrialMemo(), bent(0.6)
    one, *rest = first.sections
    others = [
        replace(one, end=np.nextafter(0.6, 1)),
        replace(one, pressure=one.pressure + 1),
        replace(one, side="right"),
    ]
    others += [replace(one, l_0=one.l_0 * 1.01), replace(one, on=False)]
    designs: list[Design] = [replace(first, sections=(other, *rest)) for other in others]
    designs.append(replace(first, stop=0.7))
    for count, design in enumerate([first, *designs], start=1):
        compute_goal_distances([design], worlds_of(room, known, [number]), np.arange(1))
        assert known.count == sum(grown) == count
    compute_goal_distances([first], worlds_of(room, known, [number, 77]), np.array([1]))
    assert known.count == sum(grown) == count + 1


def test_finer_models_of_the_same_worlds_know_nothing(room: Environment, grown: list[int]) -> None:
    """They check the results: what was grown with larger steps must not be their answer."""
    some = worlds_of(room, TrialMemo())
    compute_goal_distances(DESIGNS[:1], some, np.arange(3))
    compute_goal_distances(DESIGNS[:1], some.refined(2), np.arange(3))
    assert grown == [3, 3]


def test_what_was_stored_is_known_with_its_time(
    room: Environment, grown: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restored, nothing is grown; the time passes as it did when it was, and all of it has passed before anything else is grown."""
    now = [100.0]
    monkeypatch.setattr("planner.uncertainty.memo.time", SimpleNamespace(perf_counter=lambda: now[0]))
    known = TrialMemo()
    now[0] += 7.0  # the clock stands until it begins
    known.begin()
    compute_goal_distances(DESIGNS[:1], worlds_of(room, known), np.arange(13))
    now[0] += 20.0
    expected = compute_goal_distances(DESIGNS[:3], worlds_of(room, known), np.arange(13))
    now[0] += 5.0
    assert (known.seconds, known.spent, known.count) == (25.0, 25.0, 3 * 13)
    restored, some = TrialMemo.from_arrays(known.to_arrays(), known.spent, 0.0), worlds_of(room)
    some.known = restored
    grown.clear()
    now[0] += 1000.0
    restored.begin()
    compute_goal_distances(DESIGNS[:1], some, np.arange(13))
    now[0] += 2.0
    assert (restored.seconds, restored.spent) == (2.0, 25.0)
    for values, before in zip(compute_goal_distances(DESIGNS[:3], some, np.arange(13)), expected, strict=True):
        assert np.array_equal(values, before)
    assert not grown
    now[0] += 1.0
    assert (restored.seconds, restored.spent) == (21.0, 25.0)
    compute_goal_distances(DESIGNS, some, np.arange(13))
    assert grown == [13]
    now[0] += 1.0
    assert (restored.seconds, restored.spent, restored.count) == (26.0, 26.0, 4 * 13)
    longer, some.known = (TrialMemo.from_arrays(restored.to_arrays(), restored.spent, 26.0),) * 2
    longer.begin()
    assert compute_goal_distances(DESIGNS, some, np.arange(13))[0].shape == (4, 13)
    assert (longer.seconds, grown) == (26.0, [13])
