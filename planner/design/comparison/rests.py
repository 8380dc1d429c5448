"""Growth in pieces with a hold after each: a check of results that should not depend on the growth rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.propagator import Propagator
from dynamics.vine import Actuation, Integers, Rollout, Status, VineState, to_host
from surrogate.kernels.compiled import Floats


class RestedVines(NamedTuple):
    """Final states of a batch of vines."""

    state: VineState
    """The last recorded state of each vine, on the host."""
    tips: Floats
    """Tip x [m], y [m] and heading [rad], shape (batch, 3)."""
    status: Integers
    """`Status` of each vine, shape (batch,): of the piece that it could not grow, or `GROWN`."""


def grow_with_rests(propagator: Propagator, actuation: Actuation, length: float, every: float) -> RestedVines:
    """Grow vines from the start pose in pieces, and hold each vine until it is at rest after each piece.

    A vine that ends in a piece keeps its last recorded state. A vine that still moves at the propagator's time limit for a hold
    resumes from its state then.

    Args:
        length: Length to grow [m].
        every: Length of a piece [m]; 25 mm, a segment of the default tube, or less.
    """
    batch, room = actuation.pressure.shape
    state = propagator.start(batch, room)
    tips = np.tile(np.asarray(propagator.environment.start, float), (batch, 1))
    rested = RestedVines(state, tips, np.full(batch, int(Status.GROWN)))
    pieces = max(int(np.ceil(length / every - 1e-9)), 1)
    for piece in np.diff(np.append(every * np.arange(pieces), length)):
        for step in (piece, 0.0):
            growing = rested.status == Status.GROWN
            # Vines that have ended are computed again, and ignored.
            rollout = propagator.grow(rested.state, actuation, np.where(growing, step, 0.0), every)
            ends = (Status.GROWN, Status.STALLED) if step == 0.0 else (Status.GROWN,)
            rested = _update(rested, rollout, growing, np.isin(rollout.status, ends))
    return rested


def _update(rested: RestedVines, rollout: Rollout, growing: np.ndarray, sound: np.ndarray) -> RestedVines:
    """Replace the states of growing vines by their last records, if there are any, and set the status of vines that ended."""
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
    return RestedVines(state, tips, np.where(growing & ~sound, rollout.status, rested.status))
