"""The problem of one implicit step and the work space of its solver, see `dynamics.quasistatic.complementarity`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surrogate.kernels.compiled import Floats

MOST_ACTIVE = 128
"""Maximum number of contacts that carry a force at the same time."""


class Dual(NamedTuple):
    """Work space of the solver; `capacity` rows, `max_segments` joints."""

    moments: Floats
    """Prefix sums of 1/D times (1, x, y, xx, xy, yy), shape (max_segments + 1, 6)."""
    table: Floats
    """Numbers of each row: alpha, beta, gamma, growth and, over the joints up to its segment, the sums of 1/D times the lever of its force
    times (1, x, y), shape (capacity, 7)."""
    turns: Floats
    """Prefix sums of d times (1, x, y), shape (max_segments + 1, 3)."""
    free_turns: Floats
    """Prefix sums of the step without contact forces times (1, x, y), same shape."""
    loads: Floats
    """Forces times (alpha, beta, gamma) by segment and, at the inner segments of contacts of the tube with itself, times the
    distance of the two parts, shape (max_segments, 4)."""
    free_gap: Floats
    """Gap after the step without contact forces [m], shape (capacity,): of the active rows, or of all if some are boxed."""
    force: Floats
    """Contact forces lambda [N], shape (capacity,)."""
    lower: Floats
    """Bounds of the forces [N], shape (capacity,): 0 and infinite except for rows of friction."""
    upper: Floats
    shared: Floats
    """Dent of each contact by the forces of its neighbours [m], shape (capacity,)."""
    is_active: NDArray[np.bool_]
    active: NDArray[np.int64]
    """Rows whose force is between its bounds, in the order of the factor, shape (MOST_ACTIVE,)."""
    factor: Floats
    """Cholesky factor of A over the active rows, shape (MOST_ACTIVE, MOST_ACTIVE)."""
    scale: Floats
    """1 over its diagonal, shape (MOST_ACTIVE,)."""
    trial: Floats
    """Forces that close all active gaps, shape (MOST_ACTIVE,)."""


class QuadraticStep(NamedTuple):
    """Bends of a step and their quadratic model; for the growth see `ContactNumbers`."""

    inverse: Floats
    """1 / D of each joint [rad / N m], shape (max_segments,)."""
    free: Floats
    """Bend of each joint in the step without contact [rad], shape (max_segments,)."""
    bend: Floats
    """Bend of each joint in the step [rad], shape (max_segments,)."""


class ContactNumbers(NamedTuple):
    """Scalars of one step's problem; its arrays are `Contacts`, `Chain`, `QuadraticStep` and `Dual`.

    Kernels take them as separate arguments: unpacking an array from nested tuples takes longer than the sums over it.
    """

    rows: int
    """Number of rows in `Contacts`."""
    soft: int
    """Number of leading rows that are contacts, with compliance."""
    segments: int
    free_growth: float
    """Growth without any constraint [m]."""
    inverse_growth: float
    """1 / D of the growth [m/N]."""
    shared_reach: float
    """Contacts that are nearer to each other share compliance [m], see `dynamics.soft_contacts.shared_compliance`."""
    boxed: int = 0
    """Number of rows after those of contacts whose force has a finite lower and upper bound."""


def new_dual(capacity: int, max_segments: int) -> Dual:
    """Allocate the work space."""
    return Dual(
        np.empty((max_segments + 1, 6)),
        np.empty((capacity, 7)),
        np.empty((max_segments + 1, 3)),
        np.empty((max_segments + 1, 3)),
        np.zeros((max_segments, 4)),
        np.empty(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.full(capacity, np.inf),
        np.zeros(capacity),
        np.zeros(capacity, np.bool_),
        np.empty(MOST_ACTIVE, np.int64),
        np.empty((MOST_ACTIVE, MOST_ACTIVE)),
        np.empty(MOST_ACTIVE),
        np.empty(MOST_ACTIVE),
    )
