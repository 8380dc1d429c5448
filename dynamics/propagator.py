"""The interface of propagators, which are models of growing vines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import joint_moments
from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState
from environments.environment import Environment
from surrogate.kernels.compiled import Floats

LEAST_RECORD = 1e-4
"""Minimum spacing of records [m]."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Features that a propagator supports; it refuses all others with a clear error."""

    contact: bool
    """Contact with obstacles."""
    sections: bool
    """Actuators that vary along the tube."""
    inertia: bool
    """Inertial dynamics (`VineParams.inertia`)."""
    friction: bool
    """Friction of the tip on walls, with one coefficient."""
    devices: tuple[str, ...]
    """Devices on which it can compute: some of "cpu" and "cuda"."""
    dents: bool = False
    """Walls dent and squeeze the tube (`dynamics.cross_section`); otherwise it is rigid across."""
    tail: bool = False
    """The drag of the tail reduces the growth force (`dynamics.drive`)."""
    body_friction: bool = False
    """Friction of the body too, and static friction (`VineParams.static_friction`)."""
    assumed_friction: float = 0.0
    """Coefficient of friction that it assumes where neither tube nor environment have one [-]."""
    own_body: bool = False
    """Whether a tube does not cross its own body."""
    rests: bool = False
    """Whether growth begins with the vine at rest, with the corrected physics, so that it need not be held before."""
    tip_mass: bool = False
    """A mass that the tip carries (`Inertia.tip_mass`)."""
    thickness: bool = False
    """Inflated actuators need room beside the tube (`dynamics.actuator_contacts`); in tensors, as on a device, "penalty" does not."""
    preformed: bool = True
    """Bends that were formed when the tube was built (`dynamics.preformed`)."""


class CannotRun(ValueError):
    """A propagator does not support a request, or its device or memory is not available; the message says what to do."""

    exit_code = 2


class OutOfMemory(CannotRun):
    """The device has not enough memory for a request."""

    exit_code = 4


class Propagator(Protocol):
    """A model of vines that grow in one environment; it computes whole batches."""

    capabilities: ClassVar[Capabilities]
    environment: Environment
    params: VineParams

    def __init__(self, environment: Environment, params: VineParams) -> None: ...

    @property
    def device_name(self) -> str:
        """Name of the device on which it computes."""
        ...

    @property
    def resumes(self) -> bool:
        """Whether growth from a recorded state is the continuation of the growth that recorded it, to the last bit."""
        ...

    def refined(self, parts: int = 2) -> Propagator:
        """Return this model with its step divided by `parts`, to check the convergence of its results."""
        ...

    def start(self, batch: int, max_segments: int) -> VineState:
        """Return a batch of vines of zero length at the environment's start pose, with capacity for `max_segments`."""
        ...

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """Grow each vine by a length [m], a scalar or one per vine; record it every `record_every` [m] and at the end.

        A vine with a length of 0 to grow is held, as when its steering is changed (paper 002, supplement, Fig. S.12): it
        keeps its length and bends until it is at rest under the given actuation. It has one record, of its final state:
        `GROWN` if it is at rest, `STALLED` if it still moves at the propagator's time limit. A vine of zero length is at
        rest. A vine that bends into a full circle, which some models do not support, has no record and is `COILED`.

        A vine whose state is or becomes non-finite ends as `NOT_FINITE`, and its non-finite values are not recorded.
        The other vines are not affected.

        `state` is not changed.

        Raises:
            ValueError: Arrays have wrong shapes.
            Interrupted: The growth was cut short, see `surrogate.kernels.interruption`.
        """
        ...


class OnHost:
    """Base class of propagators whose states are numpy arrays."""

    threads: int
    """Number of threads of a rollout."""

    @property
    def device_name(self) -> str:
        """See `Propagator`."""
        return "cpu, 1 thread" if self.threads == 1 else f"cpu, {self.threads} threads"

    @property
    def resumes(self) -> bool:
        """See `Propagator`."""
        return False

    def start(self, batch: int, max_segments: int) -> VineState:
        """See `Propagator`."""
        return VineState(np.zeros((batch, max_segments)), np.ones(batch, np.int64), np.zeros(batch))


PropagatorFactory = Callable[[Environment, VineParams], Propagator]
"""Creates a propagator for a tube in an environment."""


def friction_coefficients(
    params: VineParams, environment: Environment, given: float | None = None, assumed: float = 0.0
) -> tuple[float, float]:
    """Kinetic and static coefficient of friction of a tube in an environment [-].

    Args:
        given: Replaces both, and that of the environment; None for none.
        assumed: Where neither tube nor environment have one.
    Raises:
        CannotRun: The tube's static coefficient is less than the environment's, which is its kinetic one.
    """
    if given is not None:
        return given, given
    kinetic = params.friction if params.friction is not None else environment.friction
    kinetic = assumed if kinetic is None else kinetic
    static = kinetic if params.static_friction is None else params.static_friction
    if static < kinetic:
        raise CannotRun(
            f"static_friction = {static:g} of the tube must be at least the friction of the environment, {kinetic:g}"
        )
    return kinetic, static


def checked_lengths(
    state: VineState, actuation: Actuation, length: ArrayLike, record_every: float, params: VineParams
) -> Floats:
    """Check the arguments of `grow`; every propagator must do this before it calls its kernels.

    Returns:
        Length by which each vine grows [m], shape (batch,).
    Raises:
        ValueError: An argument is invalid; the message gives the allowed values.
    """
    shape = state.angles.shape
    if not shape[1]:
        raise ValueError("the vines have a capacity of 0 segments; start them with at least 1")
    for name in ("pressure", "l_0", "rest", "kind"):
        part = getattr(actuation, name)
        if part is not None and part.shape != shape:
            raise ValueError(f"actuation.{name} has the shape {part.shape}; the vines need {shape}")
    under_pressure, last = actuation.pressure != 0, len(params.actuators) - 1
    kind = actuation.kinds
    if not np.all((kind >= 0) & (kind <= last)):
        raise ValueError(f"actuation.kind must be from 0 to {last}, a number of the tube's actuators")
    tables = joint_moments(params).tables
    for number in np.unique(kind[under_pressure]):
        l_0, low, high = (
            actuation.l_0[under_pressure & (kind == number)],
            tables.shortest[number],
            tables.longest[number],
        )
        if not np.all((l_0 >= low) & (l_0 <= high)):
            raise ValueError(f"actuation.l_0 must be from {low * 1e3:g} to {high * 1e3:g} mm where there is pressure")
    if not np.isfinite(actuation.pressure).all():
        raise ValueError("actuation.pressure must be finite")
    if actuation.rest is not None and not np.all(np.abs(actuation.rest) <= largest_turn(params) * (1 + 1e-9)):
        raise ValueError(
            f"actuation.rest must be from {-largest_turn(params):.4g} to {largest_turn(params):.4g} rad per metre of film: the folds "
            "of a tighter preformed bend would overlap"
        )
    if not LEAST_RECORD <= record_every < np.inf:
        raise ValueError(f"record_every = {record_every:g} m must be finite and at least {LEAST_RECORD:g} m")
    lengths = np.broadcast_to(np.asarray(length, float), shape[:1])
    room = (shape[1] - state.segments + 1) * params.segment_length - state.last_length
    room = np.where(np.isfinite(state.last_length), room, np.inf)  # such a vine does not grow
    if not np.all((lengths >= 0) & (lengths <= room + 1e-9)):
        raise ValueError(
            f"length must be at least 0 and at most the remaining capacity of the states, {room.min(initial=np.inf):g} m"
        )
    return np.minimum(lengths, room)
