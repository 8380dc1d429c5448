"""Yielding of a vine with at most one turn when its tip meets a wall (paper 003, section 2).

The vine is straight from its pivot A to B (length L1), turns by phi at B, and is straight from B to its tip C (length L2). The
contact angle theta is the angle between its heading at C and the wall, so the wall is at phi + theta to AB. For small theta the
wall pushes to the left. Its force along the tangent is at most the friction coefficient mu times the normal force.

Two functions give the contact angles at which the behaviour changes. `boundaries` evaluates the paper's equations.
`hinge_boundaries` uses limit analysis: rigid links, hinges at A and B that yield at the same moment, B only in the direction of
its turn, and a tip with Coulomb friction. By the theorems of limit analysis the vine resists growth as long as moments and
friction within their limits can balance the growth force; beyond that it yields.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats


class Behaviour(IntEnum):
    """Yielding part, in order of contact angle. Positive is the direction of the turn, or left if there is none."""

    POSITIVE_PIVOT = 0
    PIVOT_AT_TURN = 1
    FRICTION_LOCKED = 2
    NEGATIVE_PIVOT = 3

    @property
    def description(self) -> str:
        """Motion of the vine."""
        return {
            Behaviour.POSITIVE_PIVOT: "the whole vine pivots at its base, in the direction of its turn",
            Behaviour.PIVOT_AT_TURN: "the vine bends further at its turn; the part before it does not move",
            Behaviour.FRICTION_LOCKED: "the tip sticks: the vine bends at base and turn, or buckles if it is short",
            Behaviour.NEGATIVE_PIVOT: "the whole vine pivots at its base, against the direction of its turn",
        }[self]


def largest_moment(pressure: ArrayLike, radius: ArrayLike) -> Floats:
    """Largest restoring moment of an inflated tube [N m]: pi P R^3.

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
        length: Distance between the ends [m].
        thickness: Thickness of the film [m].
        young_modulus: Young's modulus of the film [Pa].
        shear_modulus: Shear modulus of the film [Pa]. All arguments are broadcast against each other.
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

    At this angle the wall's force bends the tube with pi P R^3 exactly when it balances the growth force pi P R^2. At contact
    angles above pi minus this angle, the vine pivots to the other side.

    Args:
        length_over_radius: Length from the last pivot to the contact, divided by the tube's radius, L / R [-].
        friction: Coefficient mu [-], broadcast against it.
    Source: paper 003, Eq. 3.
    """
    return np.asarray(np.arctan(np.asarray(length_over_radius, float)) - np.arctan(np.asarray(friction, float)))


def boundaries(friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike = 0.0) -> Floats:
    """Contact angles at which one value of `Behaviour` changes to the next, by the paper's equations [rad].

    Args:
        friction: Coefficient mu [-].
        turn: Turn of the heading at B, phi [rad], positive to the left. A turn to the right is mirrored: its angles decrease.
        ratio: Length before the turn divided by that after it, lambda = L1 / L2 [-].
        slenderness: Tube radius divided by the length after the turn, R / L2 [-]; 0 is the limit of a slender tube.
    Returns:
        Positive Pivot | Pivot-at-Turn, Pivot-at-Turn | Friction-Locked and Friction-Locked | Negative Pivot, shape (..., 3),
        where ... is the broadcast shape of the arguments. If two boundaries are equal, the behaviour between them does not occur.
    Raises:
        ValueError: The tip is not ahead of the pivot, or friction, ratio or slenderness is negative.
    Source: paper 003, Eqs. 12-15. The component of the tip force along the heading is the growth force G = pi P R^2; the
    moments about A and B are at most pi P R^3 = G R. In (12) they are equal, independent of R; in (14) the moment about A is
    G R with the tip about to slide forwards; in (15) it is -G R with the tip about to slide backwards.
    """
    slip, size, ahead, aside, thick = _geometry(friction, turn, ratio, slenderness)
    locked = np.arctan2(ahead, aside + thick) - slip
    pivot = np.minimum(np.pi / 2 - slip - size, locked)
    return _three(pivot, locked, np.arctan2(ahead, aside - thick) + slip, turn)


def hinge_boundaries(friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike = 0.0) -> Floats:
    """Contact angles of `boundaries` by limit analysis [rad]; arguments, result and errors are those of `boundaries`.

    Let G be the force along the heading and T the force across it. The moments are T L2 about B and T (L2 + L1 cos phi) -
    G L1 sin phi about A, and friction limits T to the range from G cot(theta + atan mu) to G cot(theta - atan mu). T takes the
    value in this range that minimises the larger of the two moments, and the hinge with the larger moment yields if that is G R.
    Without the limits of friction the moments would be opposite, and the force would act along the line from the middle of AB to
    the tip. Pivot-at-Turn ends where friction begins to permit a force along this line, and Negative Pivot begins where friction
    no longer permits it; in the paper's slender limit it is the line from A. A short tube stops pivoting earlier, where T is too
    small for G R: at A as in (14) and (15), at B at the `critical_angle` of L2.

    In Friction-Locked both hinges turn, or neither: the vine can buckle only if L1 sin phi <= R (2 + lambda cos phi). While both
    turn, the middle of AB moves about A, and the line from it to the tip turns, but never further from AC than by
    asin(L1 / (2 |AC|)). If friction is overcome before that, Pivot-at-Turn follows; else the vine stays locked and folds.
    The line AC of the paper's slender limit does not move at all.
    """
    slip, size, ahead, aside, thick = _geometry(friction, turn, ratio, slenderness)
    middle = np.arctan2(1 + ahead, aside)
    pivot = np.minimum(np.pi / 2 - size, np.arctan2(ahead, aside + thick))
    at_turn = np.maximum(pivot, np.minimum(middle, np.arctan2(1.0, thick)))
    negative = np.maximum(middle, np.arctan2(ahead, aside - thick))
    return _three(pivot - slip, at_turn - slip, negative + slip, turn)


def behaviour(contact_angle: ArrayLike, boundaries: Floats) -> Integers:
    """Behaviour at a contact angle: values of `Behaviour`, of the broadcast shape.

    Args:
        contact_angle: theta [rad], from 0 to pi.
        boundaries: Result of `boundaries` or `hinge_boundaries`, shape (..., 3), broadcast against it.
    """
    angle = np.asarray(contact_angle, float)[..., None]
    mirrored = boundaries[..., :1] > boundaries[..., 2:]
    return np.asarray(np.where(mirrored, angle < boundaries, angle > boundaries).sum(axis=-1))


def _geometry(
    friction: ArrayLike, turn: ArrayLike, ratio: ArrayLike, slenderness: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Friction angle and size of the turn [rad]; distances of A behind the tip and beside it, and R, all divided by L2."""
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
    """Return the three boundaries, stacked along the last axis and mirrored for a turn to the right."""
    angles = np.stack([first, second, third], axis=-1)
    return np.where(np.asarray(turn)[..., None] < 0, np.pi - angles, angles)
