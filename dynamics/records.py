"""Growth of a batch of vines by a kernel on several threads, and the records of the vines."""

from __future__ import annotations

import math
import mmap
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain
from dynamics.propagator import CannotRun
from dynamics.vine import MOST_SNAPS, Actuation, Integers, Rollout, Status, VineState, pivots_of
from surrogate.kernels.compiled import Floats, compiled
from surrogate.kernels.interruption import CUT, Flag, check_cut
from surrogate.kernels.threads import map_on_threads

MOST_BYTES = 2_000_000_000
"""Maximum memory for the records of one batch [bytes]."""
SPARSE = 16_000_000
"""Size from which an array of records is allocated page by page [bytes]."""


class Records(NamedTuple):
    """Arrays of the records of a batch of vines, or of one of them; see `dynamics.vine.Rollout`."""

    angles: Floats
    segments: Integers
    last_length: Floats
    tips: Floats
    contact_force: Floats
    broken: Integers
    """Shape (batch, 1), or (1,) for one vine."""
    snaps: Floats
    snapping: Floats
    needed_force: Floats


def new_records(lengths: Floats, record_every: float, max_segments: int) -> Records:
    """Allocate the records of vines that grow by `lengths` [m], one every `record_every` [m]."""
    # A stalled vine has an additional record of its last state.
    batch, most = len(lengths), int(np.ceil(lengths.max(initial=0.0) / record_every - 1e-9)) + 1
    if (needed := 16 * batch * (most + MOST_SNAPS // 2) * max_segments) > MOST_BYTES:
        raise CannotRun(
            f"{batch} vines of up to {max_segments} segments with {most} records each take {needed / 1e9:.1f} GB; at most "
            f"{MOST_BYTES / 1e9:g} GB are allowed: grow fewer or shorter vines at once"
        )
    return Records(
        _sparse_zeros((batch, most, max_segments)),
        np.ones((batch, most), np.int64),
        np.zeros((batch, most)),
        np.zeros((batch, most, 3)),
        _sparse_zeros((batch, most, max_segments)),
        np.full((batch, 1), -1, np.int64),
        np.full((batch, MOST_SNAPS, 4), np.nan),
        np.zeros((batch, MOST_SNAPS, max_segments)),
        np.zeros((batch, most)),
    )


def _sparse_zeros(shape: tuple[int, int, int]) -> Floats:
    """Allocate zeros of which only what is written takes memory.

    NumPy advises the system to back large arrays with huge pages, which all become resident: most of the records of vines of different
    lengths are never written.
    """
    size = 8 * math.prod(shape)
    if size < SPARSE:
        return np.zeros(shape)
    private = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
    return np.frombuffer(mmap.mmap(-1, size, **private)).reshape(shape)


@compiled(borrowed=True)
def of_vine(records: Records, b: int) -> Records:
    """The records of vine b."""
    return Records(
        records.angles[b],
        records.segments[b],
        records.last_length[b],
        records.tips[b],
        records.contact_force[b],
        records.broken[b],
        records.snaps[b],
        records.snapping[b],
        records.needed_force[b],
    )


class Recorder(NamedTuple):
    """One vine's records, and the arrays from which they are written."""

    records: Records
    angles: Floats
    """Bends [rad], shape (max_segments,)."""
    chain: Chain
    forces: Floats
    """Normal force on each segment [N], shape (max_segments,)."""
    needed: Floats
    """Force that growth needs [N], see `dynamics.vine.Rollout.needed_force`, shape (1,)."""


@compiled()
def record(recorder: Recorder, index: int, segments: int, heading: float) -> int:
    """Write one record of a vine; return the next index.

    Args:
        heading: Heading of the tip [rad].
    """
    records, chain = recorder.records, recorder.chain
    for j in range(segments):
        records.angles[index, j] = recorder.angles[j]
        records.contact_force[index, j] = recorder.forces[j]
    records.segments[index] = segments
    records.last_length[index] = chain.film[segments - 1]
    records.tips[index, 0] = chain.x[segments]
    records.tips[index, 1] = chain.y[segments]
    records.tips[index, 2] = heading
    records.needed_force[index] = recorder.needed[0]
    return index + 1


class Batch(NamedTuple):
    """Vines to grow, one per row."""

    angles: Floats
    """Bends [rad], shape (batch, max_segments); a kernel updates the row of its vine in place."""
    segments: Integers
    """Number of segments of each vine, shape (batch,)."""
    last_length: Floats
    """Length of each vine's last segment [m], shape (batch,)."""
    pressure: Floats
    """Actuator pressures [Pa], signed by side, shape (batch, max_segments)."""
    l_0: Floats
    """Cell lengths [m], same shape."""
    rest: Floats
    """Preformed turns per length of film [1/m], same shape."""
    kind: Integers
    """Numbers of the actuators, see `Actuation.kind`, same shape."""
    length: Floats
    """Length by which each vine grows [m], shape (batch,); 0 holds a vine."""
    record_every: float
    """Spacing of the records [m]."""
    cut: Flag
    """`surrogate.kernels.interruption.CUT`: a kernel returns at its next step where it is set."""


def batch_of(state: VineState, actuation: Actuation, lengths: Floats, record_every: float) -> Batch:
    """Vines to grow, from the arguments of `Propagator.grow`."""
    pressure, l_0 = np.ascontiguousarray(actuation.pressure), np.ascontiguousarray(actuation.l_0)
    rest = np.zeros(pressure.shape) if actuation.rest is None else np.ascontiguousarray(actuation.rest)
    kind = np.ascontiguousarray(actuation.kinds)
    return Batch(state.angles, state.segments, state.last_length, pressure, l_0, rest, kind, lengths, record_every, CUT)


class Task(NamedTuple):
    """Initial size of one vine, and the length by which it grows."""

    segments: int
    last_length: float
    """Length of the last segment [m]."""
    length: float
    """Length by which the vine grows [m]; 0 holds it."""
    record_every: float
    """Spacing of the records [m]."""


@compiled()
def task_of(batch: Batch, b: int) -> Task:
    """The task of vine b."""
    return Task(batch.segments[b], batch.last_length[b], batch.length[b], batch.record_every)


LITTLE = 60
"""Growth in records, of all vines of a batch together, up to which it is not worth starting threads: OMPL's planners grow one vine
of at most so many at a time, and their searches in `divider` took 1.35 times as long with two threads."""
GrowOne = Callable[[int, Batch, Records, Integers], None]
"""Grows vine b of a batch. Arguments: b, the batch, its records, and its outcome, see `grow_batch`."""


def grow_batch(
    state: VineState,
    actuation: Actuation,
    lengths: Floats,
    record_every: float,
    threads: int,
    grow: GrowOne,
    pivot: float,
) -> Rollout:
    """Grow all vines of a batch whose state is finite, on `threads` threads, or on this one if there is little to grow.

    `state` is not changed.

    Args:
        pivot: Distance of a pivot from the centreline where an actuator or a preformed bend is [m].
        lengths: Length by which each vine grows [m], shape (batch,).
        grow: Grows one vine, and writes its row of the outcome: number of records, status, steps and steps at constant length.
    Raises:
        Interrupted: The growth was cut short.
    """
    records = new_records(lengths, record_every, state.angles.shape[1])
    outcome, angles = np.zeros((len(lengths), 4), np.int64), state.angles.copy()
    records.broken[:, 0] = state.broken
    outcome[records.broken[:, 0] >= 0, 1] = Status.NOT_FINITE
    batch = batch_of(replace(state, angles=angles), actuation, lengths, record_every)

    # Kernels release the GIL; the longest vines come first, so that no thread waits for a long one at the end.
    order = [b for b in np.argsort(-lengths, kind="stable").tolist() if records.broken[b, 0] < 0]
    held = not lengths.all()  # until it rests, which may take long
    if not held and lengths.sum() <= LITTLE * record_every:
        for b in order:
            grow(b, batch, records, outcome)
            check_cut()
    else:  # also with one thread: Python notes Ctrl-C on this one only, between steps that are not compiled
        map_on_threads(lambda b: grow(b, batch, records, outcome), order, threads)
        check_cut()
    return rollout_of(records, outcome, pivots_of(actuation.sides, pivot))


def rollout_of(records: Records, outcome: Integers, pivots: Floats) -> Rollout:
    """Return the records of a batch and how each vine ended.

    Args:
        outcome: Number of records, status, steps and steps at constant length of each vine, shape (batch, 4).
        pivots: See `VineState.pivots`.
    """
    return Rollout(
        *records[:5],
        records=outcome[:, 0],
        status=outcome[:, 1],
        steps=outcome[:, 2],
        broken=records.broken[:, 0],
        pivots=pivots,
        snaps=records.snaps,
        snapping=records.snapping,
        relaxations=outcome[:, 3],
        needed_force=records.needed_force,
    )
