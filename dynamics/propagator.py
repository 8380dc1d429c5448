"""What every model of a growing vine offers, and the list of those there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from numpy.typing import ArrayLike

from dynamics.vine import Actuation, Rollout, VineParams, VineState
from environments.environment import Environment


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a propagator can do; what it cannot, it refuses with a clear error."""

    contact: bool
    sections: bool
    """Actuators that differ along the tube."""
    inertia: bool
    spatial: bool
    differentiable: bool
    devices: tuple[str, ...]


class Propagator(Protocol):
    """A model of a vine growing in one environment, advancing whole batches."""

    capabilities: ClassVar[Capabilities]

    def __init__(self, environment: Environment, params: VineParams) -> None: ...

    def refined(self) -> Propagator:
        """The same model at half the step, to check its results."""
        ...

    def start(self, batch: int, max_segments: int) -> VineState:
        """A batch of vines of no length at the environment's start pose, with room for `max_segments`."""
        ...

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """Grow each vine by a length [m] (one, or one a vine), recording it every so often [m] and at the end.

        `state` is left as it is. Raises ValueError for arrays whose shapes do not fit.
        """
        ...


def propagators() -> dict[str, type[Propagator]]:
    """The known propagators by name; the first is the default."""
    from dynamics.quasistatic import QuasiStatic

    return {"quasistatic": QuasiStatic}
