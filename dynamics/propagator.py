"""What every model of a growing vine offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import joint_moments
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments.environment import Environment
from surrogate.compiled import Floats

LEAST_RECORD = 1e-4
"""Records may not follow each other more closely than this [m]."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a propagator can do; what it cannot, it refuses with a clear error."""

    contact: bool
    sections: bool
    """Actuators that differ along the tube."""
    inertia: bool
    """A mass (`VineParams.inertia`), which keeps moving by itself."""
    friction: bool
    """Of the tip on walls."""
    devices: tuple[str, ...]


class CannotRun(ValueError):
    """What is asked of a propagator is unknown to it, or its device or memory are not here; the message says what to do."""


class Propagator(Protocol):
    """A model of a vine growing in one environment, advancing whole batches."""

    capabilities: ClassVar[Capabilities]
    environment: Environment
    params: VineParams

    def __init__(self, environment: Environment, params: VineParams) -> None: ...

    @property
    def device_name(self) -> str:
        """The device it computes on, as text."""
        ...

    def refined(self) -> Propagator:
        """The same model at half the step, to check its results."""
        ...

    def start(self, batch: int, max_segments: int) -> VineState:
        """A batch of vines of no length at the environment's start pose, with room for `max_segments`."""
        ...

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """Grow each vine by a length [m] (one, or one a vine), recording it every so often [m] and at the end.

        A vine asked to grow by 0 is held, as when its steering is changed (paper 002, supplement, Fig. S.12): it keeps
        its length and bends until it rests under the actuation given. It has one record, of its end: `GROWN` when it
        is at rest, `STALLED` when it still moves after the propagator's patience. A vine of no length is at rest. One that
        swings into a full circle where a model ends has no record, and is `COILED`.

        A vine whose state is not finite, or becomes so, ends there as `NOT_FINITE`, and nothing of it that is not finite
        is recorded. The others grow as they would without it.

        `state` is not changed. Raises ValueError for arrays whose shapes do not fit.
        """
        ...


class OnHost:
    """What propagators share whose states are numpy arrays."""

    threads: int
    """Threads that a rollout uses."""

    @property
    def device_name(self) -> str:
        """See `Propagator`."""
        return f"cpu, {self.threads} thread{'s' * (self.threads != 1)}"

    def start(self, batch: int, max_segments: int) -> VineState:
        """See `Propagator`."""
        return VineState(np.zeros((batch, max_segments)), np.ones(batch, np.int64), np.zeros(batch))


PropagatorFactory = Callable[[Environment, VineParams], Propagator]
"""Makes a propagator for a tube in an environment."""


def checked_lengths(
    state: VineState, actuation: Actuation, length: ArrayLike, record_every: float, params: VineParams
) -> Floats:
    """Check the arguments of `grow`, as every propagator must before it lets kernels loose on them.

    Returns:
        Length to grow of each vine [m], shape (batch,).
    Raises:
        ValueError: Saying which argument does not fit, and what would.
    """
    shape = state.angles.shape
    if not shape[1]:
        raise ValueError("the vines have no room for a segment; start them with at least 1")
    for name in ("pressure", "l_0"):
        found = getattr(actuation, name).shape
        if found != shape:
            raise ValueError(f"actuation.{name} has the shape {found}; the vines need {shape}")
    l_0 = actuation.l_0[actuation.pressure != 0]
    if len(l_0):
        low, high = joint_moments(params).rows[-2:]
        if not np.all((l_0 >= low) & (l_0 <= high)):
            raise ValueError(f"actuation.l_0 must be from {low * 1e3:g} to {high * 1e3:g} mm where there is pressure")
    if not np.isfinite(actuation.pressure).all():
        raise ValueError("actuation.pressure must be finite")
    if not LEAST_RECORD <= record_every < np.inf:
        raise ValueError(f"record_every = {record_every:g} m must be finite and at least {LEAST_RECORD:g} m")
    lengths = np.broadcast_to(np.asarray(length, float), shape[:1])
    room = (shape[1] - state.segments + 1) * params.segment_length - state.last_length
    room = np.where(np.isfinite(state.last_length), room, np.inf)  # such a vine does not grow
    if not np.all((lengths >= 0) & (lengths <= room + 1e-9)):
        raise ValueError(
            f"length must be at least 0 and at most the room left in the states, {room.min(initial=np.inf):g} m"
        )
    return np.minimum(lengths, room)
