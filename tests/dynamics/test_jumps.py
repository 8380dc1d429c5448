"""Jumps of a tip: a vine that springs past the end of a wall has one, a vine that only bends has none."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.jumps import JUMP, follows_jump, largest_jump
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.snaps import Snaps
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout
from environments import Environment, Obstacles

PARAMS = VineParams()
FULL = PARAMS.segment_length


def grown(obstacles: Obstacles, heading: float = 0.35) -> Rollout:
    """A tube that is bent to the right all along."""
    start, goal = np.array([0.0, 0.0, heading]), np.array([1.9, 1.4, 0.05])
    model = QuasiStatic(Environment("room", "", np.array([-0.5, -1.0, 2.0, 1.5]), start, goal, obstacles), PARAMS)
    carried = Actuation(np.full((1, 60), -6e3), np.full((1, 60), 0.04))
    return model.grow(model.start(1, 60), carried, 1.4, FULL)


def test_a_vine_that_only_bends_does_not_jump() -> None:
    """Its tip moves about as far as it grows."""
    assert largest_jump(grown(Obstacles()), 0, PARAMS) is None


def test_a_vine_that_springs_out_of_a_corner_jumps_there() -> None:
    """It is caught between a wall and a block, bows as it grows on, and springs out: the model's own snap is at that length."""
    caught = grown(Obstacles(boxes=[(0.6, -0.5, 0.7, 0.5), (0.5, -0.2, 0.6, -0.07)]))
    jump = largest_jump(caught, 0, PARAMS)
    assert jump
    assert jump.growth == pytest.approx(FULL)
    assert jump.motion > JUMP * FULL
    snapped = Snaps.of(caught, 0)
    assert ((snapped.length >= jump.length - 1e-9) & (snapped.length <= jump.length + jump.growth + 1e-9)).any()
    k = round(jump.length / FULL) - 1
    assert jump.motion == pytest.approx(np.hypot(*(caught.tips[0, k + 1, :2] - caught.tips[0, k, :2])))
    assert jump.words.startswith(f"its tip jumps {1e3 * jump.motion:.0f} mm within 25 mm of growth, at ")


def test_motion_counts_relative_to_growth() -> None:
    """Just below the limit there is none; the last record may follow less growth than the others."""
    rollout = grown(Obstacles())
    tips, last = rollout.tips.copy(), rollout.last_length.copy()
    tips[0, 20:, 0] += tips[0, 19, 0] - tips[0, 20, 0] + 0.99 * JUMP * FULL
    tips[0, 20:, 1] += tips[0, 19, 1] - tips[0, 20, 1]
    assert largest_jump(replace(rollout, tips=tips), 0, PARAMS) is None
    last[0, 20:] = 0.9 * FULL
    jump = largest_jump(replace(rollout, tips=tips, last_length=last), 0, PARAMS)
    assert jump
    assert jump.growth == pytest.approx(0.9 * FULL)
    assert jump.motion == pytest.approx(0.99 * JUMP * FULL)


def test_records_follow_a_jump_from_its_record_on() -> None:
    """The second of two vines jumps, at a known record: only this one and those after it follow a jump."""
    rollout = grown(Obstacles())
    records = int(rollout.records[0])
    tips = np.repeat(rollout.tips, 2, axis=0)
    tips[1, 20:, :2] += tips[1, 19, :2] - tips[1, 20, :2] + [1.01 * JUMP * FULL, 0.0]
    segments, last = (np.repeat(part, 2, axis=0) for part in (rollout.segments, rollout.last_length))
    both = replace(rollout, tips=tips, segments=segments, last_length=last, records=rollout.records.repeat(2))
    after = follows_jump(both, np.zeros((2, 2)), np.zeros(2), PARAMS)[:, :records]
    assert after.tolist() == [[False] * records, [k >= 20 for k in range(records)]]


def test_the_first_record_follows_the_state_before() -> None:
    """It counts how far the tip has moved from there, and by how much the vine has grown since."""
    rollout = grown(Obstacles())
    begin = rollout.tips[:, 0, :2] - [JUMP * FULL * 0.99, 0.0]
    for length, follows in ((0.0, False), (0.1 * FULL, True)):
        after = follows_jump(rollout, begin, np.array([length]), PARAMS)[0, : rollout.records[0]]
        assert after.tolist() == [follows] * len(after)


def test_growth_of_a_part_of_a_segment_counts_as_such() -> None:
    """The last record of a vine that stalls ends within a segment: the same motion is a jump if less was grown."""
    rollout = grown(Obstacles())
    tips, last, end = rollout.tips.copy(), rollout.last_length.copy(), int(rollout.records[0]) - 1
    tips[0, end, :2] = tips[0, end - 1, :2] + [0.0, 0.8 * JUMP * FULL]
    for part, follows in ((1.0, False), (0.9, False), (0.7, True)):
        last[0, end] = part * FULL
        some = replace(rollout, tips=tips, last_length=last)
        assert follows_jump(some, np.zeros((1, 2)), np.zeros(1), PARAMS)[0, end] == follows
        assert (largest_jump(some, 0, PARAMS) is not None) == follows
