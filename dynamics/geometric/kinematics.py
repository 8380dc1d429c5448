"""How a vine with at most one turn gives way to a wall that its tip meets (paper 003, section 2).

The vine leaves its pivot A straight for L1, turns by phi at B, and is straight again for L2 to its tip C. The contact angle
theta is that between its heading at C and the wall, so that the wall lies at phi + theta to AB; the wall pushes to the left
where theta is small. A wall pushes along its normal, and along itself by at most the friction coefficient mu times that.

Two answers are given to where one behaviour ends and the next begins. `boundaries` are the paper's equations.
`hinge_boundaries` are those of limit analysis: rigid links, hinges at A and B that yield at one and the same moment, B only
in the direction of its turn, and a tip with Coulomb friction. By the theorem of limit analysis the hinges and the friction
resist the growth as long as they can, and what yields is what cannot any more.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from dynamics.vine import Integers
from surrogate.compiled import Floats


class Behaviour(IntEnum):
    """What gives way. Positive is the direction of the turn, or left where there is none; in order of contact angle."""

    POSITIVE_PIVOT = 0
    PIVOT_AT_TURN = 1
    FRICTION_LOCKED = 2
    NEGATIVE_PIVOT = 3

    @property
    def description(self) -> str:
        """What the vine does."""
        return {
            Behaviour.POSITIVE_PIVOT: "the whole vine pivots at its base, in the direction of its turn",
            Behaviour.PIVOT_AT_TURN: "the vine bends further at its turn; what is before it rests",
            Behaviour.FRICTION_LOCKED: "the tip stays: the vine bends at base and turn, or buckles if it is short",
            Behaviour.NEGATIVE_PIVOT: "the whole vine pivots at its base, against the direction of its turn",
        }[self]


def largest_moment(pressure: ArrayLike, radius: ArrayLike) -> Floats:
    """Moment at which an inflated tube bends without resisting any further [N m]: pi P R^3.

    Args:
        pressure: Growth pressure [Pa].
        radius: Tube radius [m], broadcast against it.
    Source: paper 003, Eq. 1.
    """
    return np.asarray(np.pi * np.asarray(pressure, float) * np.asarray(radius, float) ** 3)


def buckling_force(
    pressure: ArrayLike,
    radius: ArrayLike,
    length: ArrayLike,
    thickness: ArrayLike,
    young_modulus: ArrayLike,
    shear_modulus: ArrayLike,
) -> Floats:
    """Axial force at which an inflated tube, pinned at both ends, buckles [N].

    Args:
        pressure: Growth pressure [Pa].
        radius: Tube radius [m].
        length: Between the ends [m].
        thickness: Of the film [m].
        young_modulus: Of the film [Pa].
        shear_modulus: Of the film [Pa]. All are broadcast against each other.
    Source: paper 003, Eq. 2 (Fichter, NASA TN D-3464, 1966).
    """
    pressure, radius, length, thickness, young_modulus, shear_modulus = (
        np.asarray(value, float) for value in (pressure, radius, length, thickness, young_modulus, shear_modulus)
    )
    euler = young_modulus * np.pi * radius**3 * thickness * (np.pi / length) ** 2
    shear = np.pi * pressure * radius**2 + np.pi * shear_modulus * radius * thickness
    return np.asarray(euler * shear / (euler + shear))


def critical_angle(length_over_radius: ArrayLike, friction: ArrayLike) -> Floats:
    """Contact angle up to which a straight vine pivots, and above which it buckles [rad].

    At it the wall's force bends the tube with pi P R^3 just as the growth force pi P R^2 is spent. A contact angle of more
    than pi less this pivots to the other side.

    Args:
        length_over_radius: From the last pivot to the contact, over the tube's radius, L / R [-].
        friction: Coefficient mu [-], broadcast against it.
    Source: paper 003, Eq. 3.
    """
    return np.asarray(np.arctan(np.asarray(length_over_radius, float)) - np.arctan(np.asarray(friction, float)))


def boundaries(friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike = 0.0) -> Floats:
    """Contact angles at which the behaviours of `Behaviour` follow each other, by the paper [rad].

    Args:
        friction: Coefficient mu [-].
        turn: Of the heading at B, phi [rad], positive to the left. For one to the right all is mirrored: the angles then fall.
        ratio: Length before the turn over that after it, lambda = L1 / L2 [-].
        slenderness: Tube radius over the length after the turn, R / L2 [-]; 0 is the limit of a slender tube.
    Returns:
        Positive Pivot | Pivot-at-Turn, Pivot-at-Turn | Friction-Locked and Friction-Locked | Negative Pivot, shape (..., 3),
        with ... that of the arguments broadcast. Two that are equal have nothing between them.
    Raises:
        ValueError: The tip is not ahead of the pivot, or an argument is negative that must not be.
    Source: paper 003, Eqs. 12-15. Of the force at the tip the part along the heading is the growth force G = pi P R^2; the
    moments about A and B are pi P R^3 = G R at most. In (12) they are equal, whatever R; in (14) that about A is G R with
    the tip about to slide forwards; in (15) -G R, backwards.
    """
    slip, size, ahead, aside, thick = _geometry(friction, turn, ratio, slenderness)
    locked = np.arctan2(ahead, aside + thick) - slip
    pivot = np.minimum(np.pi / 2 - slip - size, locked)
    return _three(pivot, locked, np.arctan2(ahead, aside - thick) + slip, turn)


def hinge_boundaries(friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike = 0.0) -> Floats:
    """The same by limit analysis [rad]; arguments, result and errors are those of `boundaries`.

    With the force along the heading G and that across it T, the moments are T L2 about B and T (L2 + L1 cos phi) - G L1 sin phi
    about A, and friction lets T be from G cot(theta + atan mu) to G cot(theta - atan mu). The hinge with the larger moment
    yields, if that is G R; the growth takes the T within those limits that keeps the larger of the two least. That is where
    the moments are opposite, the line from the middle of AB to the tip being that of the force. So Pivot-at-Turn goes on, and
    Negative Pivot begins, where friction does not let the force have this line: not the line from A, as in the paper's
    slender limit. Short of this, a short tube stops pivoting where T is too small for G R: at A as in (14) and (15), at B at
    `critical_angle` of L2.

    Friction-Locked is then both hinges turning, or neither: the vine may buckle only where L1 sin phi <= R (2 + lambda cos phi).
    While both turn, the middle of AB moves about A, and the line from it to the tip turns, but never further from AC than by
    asin(L1 / (2 |AC|)). If friction gives way before that, Pivot-at-Turn follows; else the vine stays locked and folds.
    The line AC of the paper's slender limit does not move at all.
    """
    slip, size, ahead, aside, thick = _geometry(friction, turn, ratio, slenderness)
    middle = np.arctan2(1 + ahead, aside)
    pivot = np.minimum(np.pi / 2 - size, np.arctan2(ahead, aside + thick))
    at_turn = np.maximum(pivot, np.minimum(middle, np.arctan2(1.0, thick)))
    negative = np.maximum(middle, np.arctan2(ahead, aside - thick))
    return _three(pivot - slip, at_turn - slip, negative + slip, turn)


def behaviour(contact_angle: ArrayLike, boundaries: Floats) -> Integers:
    """What gives way: values of `Behaviour`, of the broadcast shape.

    Args:
        contact_angle: theta [rad], from 0 to pi.
        boundaries: What `boundaries` or `hinge_boundaries` returned, shape (..., 3), broadcast against it.
    """
    angle = np.asarray(contact_angle, float)[..., None]
    mirrored = boundaries[..., :1] > boundaries[..., 2:]
    return np.asarray(np.where(mirrored, angle < boundaries, angle > boundaries).sum(axis=-1))


def _geometry(
    friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Angle of friction and size of the turn [rad]; how far A is behind the tip and beside it, and R, all over L2."""
    friction, turn, ratio, slenderness = np.broadcast_arrays(
        *(np.asarray(value, float) for value in (friction, turn, ratio, slenderness))
    )
    for name, value in (("friction", friction), ("ratio", ratio), ("slenderness", slenderness)):
        if not np.all(value >= 0):
            raise ValueError(f"{name} must be at least 0")
    size = np.abs(turn)
    ahead, aside = 1 + ratio * np.cos(size), ratio * np.sin(size)
    if not np.all((size < np.pi) & (ahead > 0)):
        raise ValueError("the tip must be ahead of the pivot, 1 + ratio cos(turn) > 0: make the turn smaller")
    return np.arctan(friction), size, ahead, aside, slenderness


def _three(first: Floats, second: Floats, third: Floats, turn: ArrayLike) -> Floats:
    """The three beside each other, mirrored for a turn to the right."""
    angles = np.stack([first, second, third], axis=-1)
    return np.where(np.asarray(turn)[..., None] < 0, np.pi - angles, angles)
