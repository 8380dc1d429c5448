"""Growth that stops and rests: a check of results that should not depend on how fast a vine grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.propagator import Propagator
from dynamics.vine import Actuation, Integers, Rollout, Status, VineState, to_host
from surrogate.kernels.compiled import Floats


class Rested(NamedTuple):
    """Where a batch of vines ended."""

    state: VineState
    """The last recorded state of each vine, on the host."""
    tips: Floats
    """Tip x [m], y [m] and heading [rad], shape (batch, 3)."""
    status: Integers
    """`Status` of each vine, shape (batch,): of the piece that it could not grow, or `GROWN`."""


def grow_with_rests(propagator: Propagator, actuation: Actuation, length: float, every: float) -> Rested:
    """Grow vines from the start pose in pieces, and hold each vine until it is at rest after each piece.

    A vine that ends in a piece keeps its last recorded state. One that still moves at the propagator's time limit of a rest
    goes on from where it is.

    Args:
        length: Length to grow [m].
        every: Length of a piece [m]; 25 mm, a segment of the default tube, or less.
    """
    batch, room = actuation.pressure.shape
    state = propagator.start(batch, room)
    tips = np.tile(np.asarray(propagator.environment.start, float), (batch, 1))
    rested = Rested(state, tips, np.full(batch, int(Status.GROWN)))
    pieces = max(int(np.ceil(length / every - 1e-9)), 1)
    for piece in np.diff(np.append(every * np.arange(pieces), length)):
        for step in (piece, 0.0):
            growing = rested.status == Status.GROWN
            # Those that have ended are computed again, and not looked at.
            rollout = propagator.grow(rested.state, actuation, np.where(growing, step, 0.0), every)
            ends = (Status.GROWN, Status.STALLED) if step == 0.0 else (Status.GROWN,)
            rested = _updated(rested, rollout, growing, np.isin(rollout.status, ends))
    return rested


def _updated(rested: Rested, rollout: Rollout, growing: np.ndarray, sound: np.ndarray) -> Rested:
    """The last records of the vines that were growing and have one, and the status of those that ended."""
    batch, known = np.arange(len(growing)), growing & (rollout.records > 0)
    last = np.maximum(rollout.records - 1, 0)
    found, before = rollout.state(batch, last), rested.state
    state = VineState(
        np.where(known[:, None], to_host(found.angles), to_host(before.angles)),
        np.where(known, found.segments, before.segments),
        np.where(known, found.last_length, before.last_length),
        found.pivots,
    )
    tips = np.where(known[:, None], rollout.tips[batch, last], rested.tips)
    return Rested(state, tips, np.where(growing & ~sound, rollout.status, rested.status))
