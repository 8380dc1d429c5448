"""Tips that stay in place while the tube grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynamics.pinned import LEAST_MOTION, follow_pinning, is_pinned, pinned_growth, records_between
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status
from environments.environment import Environment

PARAMS = VineParams()
FULL = PARAMS.segment_length


def tips_moving(shares: list[float]) -> Any:
    """Poses of a tip that moves along x by a share of each growth, shape (records, 3)."""
    return np.stack([np.cumsum(shares) * FULL, np.zeros(len(shares)), np.zeros(len(shares))], axis=1)


@pytest.mark.parametrize(
    ("share", "expected"), [(LEAST_MOTION - 0.01, True), (LEAST_MOTION + 0.01, False), (1.0, False)]
)
def test_a_tip_is_pinned_that_moves_by_less_than_a_share_of_its_growth(share: float, expected: bool) -> None:
    between = records_between(pinned_growth(PARAMS), FULL)
    tips = tips_moving([share] * (between + 1))
    assert is_pinned(tips, between + 1, between, FULL) == expected
    assert not is_pinned(tips, between, between, FULL), "it has not yet grown as far as tips are compared"


def test_a_tip_that_goes_forth_and_back_is_pinned() -> None:
    between = records_between(pinned_growth(PARAMS), FULL)
    forth = tips_moving([1.0] * (between // 2 + 1) + [-1.0] * (between // 2))
    assert is_pinned(forth, len(forth), between, FULL)


def test_no_tip_is_pinned_over_an_infinite_growth() -> None:
    assert records_between(np.inf, FULL) == 0
    assert not is_pinned(tips_moving([0.0] * 100), 100, 0, FULL)


def test_tips_are_compared_over_whole_records() -> None:
    assert records_between(0.25, 0.025) == 10
    assert records_between(0.25, 0.0625) == 4


@pytest.fixture(scope="module")
def grown(shipped: dict[str, Environment]) -> tuple[Rollout, Rollout, Environment]:
    """Vines that bend in all ways in `long`, grown on and stopped where they are pinned."""
    environment, bends, segments = shipped["long"], 12, 41
    pressure = np.zeros((bends, segments))
    pressure[:, 4:14] = np.linspace(-30e3, 30e3, bends)[:, None]
    carried = Actuation(pressure, np.full(pressure.shape, 0.05))
    model = QuasiStatic(environment, PARAMS)
    start = model.start(bends, segments)
    whole, stopped = (one.grow(start, carried, FULL * segments, FULL) for one in (model, model.stopping_where_pinned()))
    return whole, stopped, environment


def test_a_pinned_vine_stops_at_the_first_record_at_which_it_is_pinned(
    grown: tuple[Rollout, Rollout, Environment],
) -> None:
    whole, stopped, _ = grown
    pinned = follow_pinning(whole, PARAMS) & (np.arange(whole.tips.shape[1]) < whole.records[:, None])
    assert 2 < pinned.any(axis=1).sum() < len(pinned), "some are pinned and some are not"
    expected = np.where(pinned.any(axis=1), pinned.argmax(axis=1) + 1, whole.records)
    np.testing.assert_array_equal(stopped.records, expected)
    assert (stopped.status[pinned.any(axis=1)] == Status.STALLED).all()
    assert (stopped.status == whole.status)[~pinned.any(axis=1)].all()


def test_a_vine_that_stops_has_grown_as_one_that_goes_on(grown: tuple[Rollout, Rollout, Environment]) -> None:
    whole, stopped, _ = grown
    for b, records in enumerate(stopped.records.tolist()):
        np.testing.assert_array_equal(stopped.tips[b, :records], whole.tips[b, :records])
        np.testing.assert_array_equal(stopped.angles[b, :records], whole.angles[b, :records])
    assert stopped.steps.sum() < whole.steps.sum()


def test_finer_replays_go_on(grown: tuple[Rollout, Rollout, Environment]) -> None:
    """Whether a design reaches the goal is found out by its whole growth."""
    stopping = QuasiStatic(grown[2], PARAMS).stopping_where_pinned()
    assert stopping.tube.pinned == pinned_growth(PARAMS)
    assert stopping.refined().tube.pinned == np.inf
