"""Growth common to all chains, whatever moves them: its end, its records, and the detection of stalled vines."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.chain import Chain, finite, moved_since, outside
from dynamics.records import Recorder, Task, record
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

GROWN, STALLED, OUT_OF_BOUNDS, UNRESOLVED, COILED, NOT_FINITE, UNSETTLED, AMBIGUOUS = range(8)
"""The values of `Status`, as kernels know them: written out, so that the hash of the kernels' sources covers them."""
GROWING = -1
"""A vine that has not ended."""
SLACK = 1e-9
"""Lengths that differ by less are equal [m]."""
STILL = 0.3e-3
"""A vine whose length and joints have changed by no more than this since the last look [m] is stalled."""


class Span(NamedTuple):
    """Size of a vine when a step begins, and limits of the step."""

    segments: int
    last_length: float
    """Length of the growing segment [m]."""
    contacts: int
    """Number of contacts."""
    most_growth: float
    """Largest growth of the step [m]."""


class Watch(NamedTuple):
    """State at the last check of whether a growing vine has stalled."""

    due: float
    """Time of the next look, in the model's unit of time."""
    grown: float
    """Length grown at the last look [m]."""


@compiled()
def outcome_of_leaving(scene: Scene, chain: Chain, segments: int, forces: Floats, broken: Integers) -> int:
    """`OUT_OF_BOUNDS`, `NOT_FINITE` for a vine that has no position at all, or `GROWING` for one within the bounds.

    Args:
        forces: On each segment [N]; one that is not a number has moved the vine out of bounds.
        broken: Takes the first segment that is not finite, shape (1,).
    """
    if not outside(scene, chain, segments):
        return GROWING
    return OUT_OF_BOUNDS if finite(chain, segments, forces, broken) else NOT_FINITE


@compiled()
def look_at(
    watch: Watch, patience: float, time: float, grown: float, chain: Chain, segments: int, seen: Floats
) -> tuple[bool, Watch]:
    """Whether a vine has stalled since the last look; looks only once every `patience`.

    Args:
        patience: Time between two looks, in the model's unit of time.
        grown: Length grown so far [m].
        seen: Joints at the last look [m], replaced by the present ones, shape (max_segments + 1, 2).
    """
    if time < watch.due:
        return False, watch
    moved = moved_since(chain, segments, seen)
    return time > 0.0 and max(moved, grown - watch.grown) < STILL, Watch(time + patience, grown)


@compiled()
def next_stop(task: Task, recorded: int) -> float:
    """Length grown at which the next record is due, or the growth ends [m]."""
    return min((recorded + 1) * task.record_every, task.length)


@compiled()
def report(
    recorder: Recorder,
    recorded: int,
    task: Task,
    segments: int,
    heading: float,
    grown: float,
    deep: bool,
    stalled: bool,
) -> tuple[int, int]:
    """Record a growing vine where a record is due, and the last state of one that ends.

    Args:
        recorded: Records so far.
        heading: Of the tip [rad].
        grown: Length grown so far [m].
        deep: Whether the vine is deeper in an obstacle than tolerated; such a state is not recorded.
    Returns:
        Records there are now, and `GROWN`, `STALLED` or `GROWING`.
    """
    if stalled:
        if not deep and grown > recorded * task.record_every + SLACK:
            recorded = record(recorder, recorded, segments, heading)
        return recorded, STALLED
    if not deep and grown >= next_stop(task, recorded) - SLACK:
        recorded = record(recorder, recorded, segments, heading)
        if grown >= task.length - SLACK:
            return recorded, GROWN
    return recorded, GROWING
