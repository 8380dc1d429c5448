"""What kernels record of growing vines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled


class Records(NamedTuple):
    """Where records go, for a batch of vines or for one of them; see `dynamics.vine.Rollout`."""

    angles: Floats
    segments: Integers
    last_length: Floats
    tips: Floats
    contact_force: Floats


def new_records(lengths: Floats, record_every: float, max_segments: int) -> Records:
    """Room for the records of vines that grow by `lengths` [m], one every `record_every` [m]."""
    # A stalled vine's last state is one more.
    batch, most = len(lengths), int(np.ceil(lengths.max(initial=0.0) / record_every - 1e-9)) + 1
    return Records(
        np.zeros((batch, most, max_segments)),
        np.ones((batch, most), np.int64),
        np.zeros((batch, most)),
        np.zeros((batch, most, 3)),
        np.zeros((batch, most, max_segments)),
    )


@compiled()
def of_vine(records: Records, b: int) -> Records:
    """The records of vine b."""
    return Records(
        records.angles[b], records.segments[b], records.last_length[b], records.tips[b], records.contact_force[b]
    )


@compiled()
def record(
    records: Records, index: int, angles: Floats, chain: Chain, segments: int, heading: float, forces: Floats
) -> int:
    """Write one record of a vine; returns the next index.

    Args:
        heading: Of the tip [rad].
        forces: On each segment [N].
    """
    for j in range(segments):
        records.angles[index, j] = angles[j]
        records.contact_force[index, j] = forces[j]
    records.segments[index] = segments
    records.last_length[index] = chain.length[segments - 1]
    records.tips[index, 0] = chain.x[segments]
    records.tips[index, 1] = chain.y[segments]
    records.tips[index, 2] = heading
    return index + 1
