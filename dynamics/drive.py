"""The force with which the tip of a tube everts, as a function of the path that it has grown.

Pressure times cross-section, P A, pays for everting the film, Y A, for the rate of growth, and for the drag of the tail: the
film that is still to be everted runs inside the tube from the base to the tip. Source of the terms: Blumenschein, Okamura and
Hawkes, "Modeling of Bioinspired Apical Extension in a Soft Robot" (2017). Here

* the yield of the film is what `VineParams.growth_share` leaves out, Y A = (1 - growth_share) P A;
* the term of the rate is linear (their exponent n is 1): `VineParams.growth_viscosity`, in `impulse` the growth rate without
  resistance;
* the tail is a rope through the tube. Its tension T is `tail_tension` at the base, grows by `tail_drag` per length, and at each
  bend by the factor exp(tail_friction |bend|) (capstan): to the left and to the right alike.

The force that is left at the tip is growth_share P A - T there, and not less than 0: a drag cannot pull a tube back.

T is counted as a force on the tip. For each length by which the tip advances, the tail advances by twice that length, one for
itself and one for the wall that it becomes; so T is twice the tension that a spring scale would show in the film.

Where walls squeeze the tip, its force is that of the area that is left, see `dynamics.soft_contacts.squeezed_share`.

The tail also presses on the inner side of each bend. That force on the body is left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats, compiled


class Tail(NamedTuple):
    """The drag of a tail, for kernels; see `VineParams.tail_tension`."""

    tension: float
    """At the base [N]."""
    drag: float
    """Per length of centreline [N/m]."""
    friction: float
    """Coefficient of friction at bends [-]."""


NO_TAIL = Tail(0.0, 0.0, 0.0)


def tail_of(params: VineParams) -> Tail:
    """Return the tail of a tube."""
    return Tail(params.tail_tension, params.tail_drag, params.tail_friction)


@compiled()
def tail_tension(tail: Tail, bends: Floats, lengths: Floats, count: int) -> float:
    """Tension of a tail where a path ends [N].

    Args:
        bends: Bend before each link of the path [rad], shape (>= count,).
        lengths: Length of the centreline of each link [m], same shape.
        count: Number of links.
    """
    tension = tail.tension
    if tension == 0.0 and tail.drag == 0.0:
        return 0.0
    for j in range(count):
        if tension > 0.0:  # a slack tail has no friction, however large the exponential
            tension *= math.exp(tail.friction * abs(bends[j]))
        tension += tail.drag * lengths[j]
    return tension


@compiled()
def available_force(full: float, tail: Tail, bends: Floats, lengths: Floats, count: int) -> float:
    """Force with which the tip everts where a path ends [N]; not a number if a bend is not.

    Args:
        full: Force without a tail [N], `VineParams.growth_force`.
        bends: See `tail_tension`, as the following arguments.
    """
    left = full - tail_tension(tail, bends, lengths, count)
    return 0.0 if left < 0.0 else left
