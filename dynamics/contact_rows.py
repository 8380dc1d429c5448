"""Contacts of a vine as rows of a step's problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.cross_section import AT, CORNER, LENGTH, MOST, TIP
from surrogate.kernels.compiled import Floats, compiled

NO_KEY = -(2**62)
"""The key of no row of a step."""
ACTUATOR_KEYS, STOP_KEYS = 2**59, 2**60
"""Keys of contacts of actuators are from the first of these up to the second: that of the rigid contact where a dent ends, less that
of the contact."""
SPARE_ROWS = 4
"""Number of rows that contacts leave free: for the friction of the tip and the bounds of the growth."""


class Contacts(NamedTuple):
    """Contact inequalities gap + J d >= 0, one per row; row k depends on the joints first[k] ... segment[k]."""

    segment: NDArray[np.int64]
    first: NDArray[np.int64]
    """0, or for a contact of the tube with itself the first joint beyond the inner part: both parts follow those before it."""
    key: NDArray[np.int64]
    """Identifies the pair of segment and solid, or of joint and segment, to recognise a contact in the next step."""
    gap: Floats
    """Distance between the surfaces [m], negative for a penetration."""
    alpha: Floats
    """Column j of J is alpha + beta x_j + gamma y_j, where (x_j, y_j) is the pivot of joint j."""
    beta: Floats
    gamma: Floats
    growth: Floats
    """Column of J for the growth of the last segment, without the bending due to growth."""
    pressing: Floats
    """Pressing of each contact on the tube, see `dynamics.cross_section.LENGTH` and the following, shape (capacity, 11)."""


def new_contacts(capacity: int) -> Contacts:
    """Allocate `capacity` contacts."""
    return Contacts(
        np.empty(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity),
        np.empty((capacity, 11)),
    )


class Press(NamedTuple):
    """Pressing of a contact on the tube."""

    length: float
    """Length of tube on which it presses [m]."""
    tip: float
    """The length of tube that is as stiff as the cap [m] if it presses on the cap at the tip, else 0."""
    at: float
    """Distance of the middle of that length from the base along the tube [m]."""
    corner: float
    """Index of the sharp corner that presses; -1 for an edge or a round corner."""
    most: float
    """Dent beyond which the cross-section is rigid there [m]."""


ALONE = Press(0.0, 0.0, np.inf, -1.0, np.inf)
"""Pressing of contacts that share no dents: of a tube with itself, to which it is rigid across, and of actuators, with their own law."""


@compiled(forceinline=True)
def is_of_actuator(contacts: Contacts, k: int) -> bool:
    """Whether a contact is one of an actuator with a wall."""
    return bool(ACTUATOR_KEYS <= contacts.key[k] < STOP_KEYS)


@compiled(forceinline=True)
def add(
    contacts: Contacts,
    count: int,
    joints: tuple[int, int],
    key: int,
    gap: float,
    ray: tuple[tuple[float, float], tuple[float, float]],
    growth: float,
    press: Press,
) -> int:
    """Append the contact of a point on a segment, pushed along a normal; return the new number of contacts.

    Args:
        joints: `Contacts.first`, and the segment.
        ray: The point [m] and the normal [-].
    """
    if count < len(contacts.gap) - SPARE_ROWS:
        contacts.first[count], contacts.segment[count] = joints
        contacts.key[count] = key
        contacts.gap[count] = gap
        (px, py), (nx, ny) = ray
        contacts.alpha[count] = px * ny - py * nx
        contacts.beta[count] = -ny
        contacts.gamma[count] = nx
        contacts.growth[count] = growth
        pressing = contacts.pressing
        pressing[count, LENGTH], pressing[count, TIP] = press.length, press.tip
        pressing[count, AT], pressing[count, CORNER], pressing[count, MOST] = press.at, press.corner, press.most
        count += 1
    return count
