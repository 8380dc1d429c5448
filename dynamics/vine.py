"""State, actuation and rollout of a batch of vines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynamics.links import link_lengths
from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats

Integers = NDArray[np.int64]
Array = Any
"""A numpy array, or a torch tensor on the device of the propagator that made it; `to_host` converts tensors to numpy arrays."""


MOST_SNAPS = 16
"""Maximum number of snap-throughs of one vine that are recorded."""


class Status(IntEnum):
    """Outcome of a vine's growth."""

    GROWN = 0
    STALLED = 1
    OUT_OF_BOUNDS = 2
    UNRESOLVED = 3
    COILED = 4
    NOT_FINITE = 5
    UNSETTLED = 6
    AMBIGUOUS = 7

    @property
    def advice(self) -> str:
        """Meaning of the status, and what to do about it."""
        return {
            Status.GROWN: "grown to the full length",
            Status.STALLED: "stalled: the tip is wedged, or the tail takes all of the growth force, and the tube no longer moves; steer "
            "away earlier, bend less or end before this point",
            Status.OUT_OF_BOUNDS: "left the bounds of the environment or, on a table, hangs over its edge; add a wall there, or steer back",
            Status.UNRESOLVED: "contact could not be resolved within the penetration tolerance; try a smaller growth step",
            Status.COILED: "bent into a full circle, the limit of this model; end before this point, or lower the pressure",
            Status.UNSETTLED: "did not come to rest at constant length; try a smaller growth step, or steer away earlier",
            Status.AMBIGUOUS: "snaps to where only its unknown damping decides; steer before it meets the wall, or press less on it",
            Status.NOT_FINITE: "a bend, length or force is not a finite number; check for extreme pressures or tube parameters",
        }[self]


@dataclass(frozen=True, slots=True)
class VineState:
    """A batch of planar vines at rest in their environment."""

    angles: Array
    """Bend at the joint before each segment [rad], shape (batch, max_segments); zero beyond `segments`."""
    segments: Integers
    """Number of segments grown, shape (batch,)."""
    last_length: Floats
    """Length of the distal, growing segment [m], shape (batch,)."""
    pivots: Floats | None = None
    """Distance of each joint's pivot from the centreline [m], shape (batch, max_segments), see `dynamics.links.link`: by it actuators
    and preformed bends shorten the links. None where no link is shortened."""

    @property
    def broken(self) -> Integers:
        """First segment of each vine with a non-finite bend or length, -1 if there is none; shape (batch,)."""
        wrong = ~np.isfinite(to_host(self.angles))
        growing = np.where(np.isfinite(self.last_length), -1, self.segments - 1)
        return np.where(wrong.any(axis=1), wrong.argmax(axis=1), growing)


@dataclass(frozen=True, slots=True)
class Actuation:
    """Bending of each segment of a batch of vines: pressure and cell length of actuators, and preformed bends."""

    pressure: Floats
    """Actuator pressure [Pa], shape (batch, segments): positive bends left, negative right, 0 means no actuator."""
    l_0: Floats
    """Cell length [m], same shape; ignored where the pressure is 0."""
    rest: Floats | None = None
    """Angle per length of film by which a segment is preformed [1/m], same shape, positive to the left, see `dynamics.preformed`;
    None if no segment is."""
    kind: Integers | None = None
    """Number of the actuator of each segment in `VineParams.actuators`, same shape; None if all are the first."""

    @property
    def sides(self) -> Floats:
        """Pressure [Pa] of each segment, or its preformed turn per length [1/m]; positive to the left; shape (batch, segments)."""
        return self.pressure if self.rest is None else np.where(self.pressure != 0, self.pressure, self.rest)

    @property
    def kinds(self) -> Integers:
        """`kind` as an array where it is None too, shape (batch, segments)."""
        return np.zeros(self.pressure.shape, np.int64) if self.kind is None else self.kind

    def of(self, vines: Any) -> Actuation:
        """Select the actuation of vines of the batch, by their numbers or a mask."""
        return self._each(lambda part: part[vines])

    def padded(self, segments: int) -> Actuation:
        """Append bare segments at the end, up to a number of segments."""
        wide = ((0, 0), (0, segments - self.pressure.shape[1]))
        return self._each(lambda part: np.pad(part, wide))

    def _each(self, made: Callable[[Any], Any]) -> Actuation:
        """Replace each array."""
        rest, kind = (None if part is None else made(part) for part in (self.rest, self.kind))
        return Actuation(made(self.pressure), made(self.l_0), rest, kind)

    @classmethod
    def joined(cls, batches: Sequence[Actuation]) -> Actuation:
        """Join batches with the same number of segments into one, in this order."""
        pressure, l_0 = (np.concatenate([getattr(batch, part) for batch in batches]) for part in ("pressure", "l_0"))
        rest = kind = None
        if any(batch.rest is not None for batch in batches):
            straight = (np.zeros_like(batch.pressure) if batch.rest is None else batch.rest for batch in batches)
            rest = np.concatenate(list(straight))
        if any(batch.kind is not None for batch in batches):
            kind = np.concatenate([batch.kinds for batch in batches])
        return cls(pressure, l_0, rest, kind)


@dataclass(frozen=True, slots=True)
class Rollout:
    """States of a batch of vines recorded while they grew, all finite and within the penetration tolerance."""

    angles: Array
    """Shape (batch, records, max_segments) [rad]."""
    segments: Integers
    """Shape (batch, records)."""
    last_length: Floats
    """Shape (batch, records) [m]."""
    tips: Floats
    """Tip x [m], y [m] and heading [rad], shape (batch, records, 3)."""
    contact_force: Array
    """Sum of the normal forces on each segment [N], shape (batch, records, max_segments)."""
    records: Integers
    """Number of records of each vine, shape (batch,)."""
    status: Integers
    """`Status` of each vine, shape (batch,)."""
    steps: Integers
    """Number of steps of each vine, shape (batch,)."""
    broken: Integers
    """Segment, counted from 0 at the base, at which each vine became `NOT_FINITE` or, `UNSETTLED`, still bends most; -1 for
    other vines; shape (batch,)."""
    pivots: Floats | None = None
    """See `VineState.pivots` [m], shape (batch, max_segments)."""
    snaps: Floats | None = None
    """Snap-throughs of each vine, shape (batch, MOST_SNAPS, 4), NaN beyond the last: its length [m], tip x and y before [m], and the
    bending energy released [J]. None from propagators that do not look for them."""
    snapping: Floats | None = None
    """Bends of each vine just before each snap-through [rad], shape (batch, MOST_SNAPS, max_segments)."""
    relaxations: Integers | None = None
    """Number of steps of each vine at constant length, shape (batch,); None from propagators without such steps."""
    needed_force: Floats | None = None
    """Force that growth needs against the contacts and the friction of a tip that slides on; growth viscosity, inertia and tail are
    left out [N], shape (batch, records). None from propagators that do not compute it."""
    held: NDArray[np.bool_] | None = None
    """Whether a vine was held since its record before, shape (batch, records); None if no vine was held."""

    def ending(self, vine: int) -> str:
        """Describe how the growth of one vine ended, and what to do about it."""
        status = Status(self.status[vine])
        if status not in (Status.NOT_FINITE, Status.UNSETTLED):
            return status.advice
        what = "not finite" if status == Status.NOT_FINITE else "not at rest"
        return f"{what} at step {self.steps[vine]}, segment {self.broken[vine]}: {status.advice}"

    def state(self, vines: Integers, records: Integers) -> VineState:
        """Select the recorded states (vines[k], records[k]) as a batch."""
        pivots = None if self.pivots is None else self.pivots[vines]
        return VineState(
            self.angles[vines, records], self.segments[vines, records], self.last_length[vines, records], pivots
        )

    def nearest(self, disc: Floats) -> Floats:
        """Distance from the edge of a disc to each tip where it comes nearest while it grows, also between two records [m].

        Of a hold only the end counts, because a held tip does not move straight. Negative inside the disc; inf for a vine without
        a record; shape (batch,).

        Args:
            disc: x, y and radius [m].
        """
        tips = self.tips[..., :2] - disc[:2]
        # Beyond a vine's last record, its tip stays in place.
        index = np.minimum(np.arange(tips.shape[1]), np.maximum(self.records - 1, 0)[:, None])
        here = np.take_along_axis(tips, index[..., None], axis=1)
        before = np.concatenate([here[:, :1], here[:, :-1]], axis=1)
        if self.held is not None:
            before = np.where(self.held[..., None], here, before)
        move = here - before
        squared = (move**2).sum(axis=-1)
        part = np.clip(-(before * move).sum(axis=-1) / np.where(squared, squared, 1.0), 0.0, 1.0)
        nearest = np.hypot(*np.moveaxis(before + part[..., None] * move, -1, 0))
        return np.where(self.records > 0, nearest.min(axis=1, initial=np.inf) - disc[2], np.inf)

    def enters(self, disc: Floats) -> NDArray[np.bool_]:
        """Return whether each tip enters a disc (x, y and radius [m]) while it grows, see `nearest`, shape (batch,)."""
        return np.asarray(self.nearest(disc) <= 0.0)


def to_host(array: Array) -> Floats:
    """Convert an array to a numpy array in host memory."""
    return array if isinstance(array, np.ndarray) else np.asarray(array.numpy(force=True), float)


def convert_like(array: Array, values: Floats) -> Array:
    """Convert values from host memory to the type, device and precision of another array."""
    return values if isinstance(array, np.ndarray) else array.new_tensor(values)


def pivots_of(sides: ArrayLike, pivot: float) -> Floats:
    """`VineState.pivots` of vines with actuators or preformed bends.

    Args:
        sides: Positive where the tube is bent to the left, negative to the right, 0 where by nothing, any shape; see `Actuation.sides`.
        pivot: See `VineParams.pivot` [m].
    """
    return np.asarray(pivot * np.sign(sides))


def grown_length(vines: VineState | Rollout, params: VineParams) -> Floats:
    """Length of each vine's film [m], shape (batch,), or at each record of a rollout, shape (batch, records)."""
    return (vines.segments - 1) * params.segment_length + vines.last_length


def centerlines(state: VineState, start: Floats, params: VineParams) -> Floats:
    """Joints of each vine from base to tip [m], shape (batch, max_segments + 1, 2), NaN beyond the tip.

    Args:
        start: Base pose x [m], y [m], heading [rad], one for all or one per vine.
    """
    start, count = np.atleast_2d(start), state.angles.shape[1]
    index = np.arange(count)
    lengths = np.where(index < state.segments[:, None] - 1, params.segment_length, np.nan)
    lengths[np.arange(len(lengths)), state.segments - 1] = state.last_length
    if state.pivots is not None:
        lengths = link_lengths(lengths, to_host(state.angles), state.pivots)
    heading = start[:, 2:] + np.cumsum(to_host(state.angles), axis=1)
    moves = lengths[..., None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    points = np.concatenate([np.broadcast_to(start[:, None, :2], (len(moves), 1, 2)), moves], axis=1)
    return np.cumsum(points, axis=1)
