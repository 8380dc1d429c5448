"""Designs grown again, to see where they get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynamics.propagator import Propagator
from dynamics.vine import Actuation, Rollout, Status, centerlines
from environments.environment import Environment
from planner.design import Design
from surrogate.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A design, and where its growth ends."""

    design: Design
    """Its prediction is made anew."""
    status: Status
    ending: str
    """What that means, and what to do about it."""
    reached: bool
    """Whether the tip comes into the goal while it grows."""
    ends_in_goal: bool
    """Whether it grows to its full length and ends there."""


def grow_designs(designs: Sequence[Design], environment: Environment, propagator: Propagator) -> list[Grown]:
    """Grow designs of one tube from the start, all at once; predicts tip and centreline of each anew.

    A design of which nothing grew is predicted at the start.
    """
    if not designs:
        return []
    segment, lengths = designs[0].params.segment_length, [design.length for design in designs]
    most = max(design.segments for design in designs)
    each = [design.actuation(most) for design in designs]
    carried = Actuation(np.concatenate([a.pressure for a in each]), np.concatenate([a.l_0 for a in each]))
    rollout = propagator.grow(propagator.start(len(designs), most), carried, lengths, segment)
    reached = rollout.enters(environment.goal)
    last = rollout.records - 1
    lines = centerlines(rollout.state(np.arange(len(designs)), last), environment.start, designs[0].params)
    grown = []
    for i, design in enumerate(designs):
        tip, line = environment.start, environment.start[None, :2]
        if last[i] >= 0:
            tip, line = rollout.tips[i, last[i]], lines[i][~np.isnan(lines[i, :, 0])]
        status = Status(rollout.status[i])
        ends = status == Status.GROWN and np.hypot(*(tip[:2] - environment.goal[:2])) <= environment.goal[2]
        predicted = replace(design, tip=tip.copy(), centerline=line)
        grown.append(Grown(predicted, status, rollout.ending(i), bool(reached[i]), bool(ends)))
    return grown


def replay(design: Design, propagator: Propagator) -> Rollout:
    """Grow one vine of a design from the start, recorded at the end of every segment."""
    start, carried = propagator.start(1, design.segments), design.actuation(design.segments)
    return propagator.grow(start, carried, design.length, design.params.segment_length)


def trajectory(environment: Environment, design: Design, rollout: Rollout) -> tuple[Floats, Floats]:
    """Joints of the first vine at every record [m], shape (T, N + 1, 2), NaN beyond the tip, and its length [m], shape (T,)."""
    records = np.arange(rollout.records[0])
    state = rollout.state(np.zeros_like(records), records)
    length = (state.segments - 1) * design.params.segment_length + state.last_length
    return centerlines(state, environment.start, design.params), length
