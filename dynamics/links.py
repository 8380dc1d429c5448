"""Links of a chain: how bends under actuators shorten their centreline."""

from __future__ import annotations

import math

import numpy as np

from surrogate.kernels.compiled import Floats, compiled

LEAST_LINK = 0.5
"""Share of its film's length to which actuators may shorten a link's centreline [-]; beyond, contact folds it."""
STRAIGHT = 0.02
"""Curvature times radius up to which both walls of a tube are taut [-]; every actuator bends it farther in free space."""


@compiled(forceinline=True)
def link(film: float, bend: float, pivot: float) -> tuple[float, float, float]:
    """Length of a bent link's centreline [m], and its first and second derivatives [m/rad, m/rad^2].

    A tube bent by an actuator turns about the wall on the outer side of the bend, whose film keeps its length: the
    centreline, a radius R nearer to the actuator, shortens by R |bend| (paper 002, Eq. 3, which takes moments about that wall).
    Near straight, both walls are taut and the pivot walks from one to the other (`STRAIGHT`). A link that folds to less than
    `LEAST_LINK` of its film shortens less and less, down to half of that.

    Args:
        film: Length of its film [m].
        bend: Bend at its joint [rad].
        pivot: Distance of the wall from the centreline [m], with the sign of the actuator's side; 0 without an actuator.
    """
    wall, shortening, least = abs(pivot), abs(pivot * bend), LEAST_LINK * film
    # Of a link that has no length yet, the actuator decides the bend.
    change = -wall if bend > 0.0 or (film == 0.0 and pivot > 0.0) else wall
    part = shortening / (STRAIGHT * film) if film > 0.0 else 2.0
    if part < 1.0:
        stiff = -wall * wall / (STRAIGHT * film) * (4.0 - 6.0 * part) if wall > 0.0 else 0.0
        return film - shortening * part * (2.0 - part), change * part * (4.0 - 3.0 * part), stiff
    if film - shortening >= least:
        return film - shortening, change, 0.0
    folded = math.exp(2.0 * (film - shortening - least) / least) if film > 0.0 else 0.0
    return 0.5 * least * (1.0 + folded), change * folded, 2.0 * wall * wall / max(least, 1e-9) * folded


def link_lengths(film: Floats, bend: Floats, pivots: Floats) -> Floats:
    """Lengths of bent links' centrelines [m], see `dynamics.links.link`; of the broadcast shape of the arguments.

    Args:
        film: Lengths of their film [m].
        bend: Bends at their joints [rad].
        pivots: See `VineState.pivots` [m].
    """
    shortening, least = np.abs(pivots * bend), LEAST_LINK * film
    part = np.minimum(shortening / np.where(film > 0, STRAIGHT * film, 1.0), 1.0)
    length = film - shortening * part * (2 - part)
    folded = np.exp(2 * np.minimum(length - least, 0.0) / np.where(least > 0, least, 1.0))
    return np.where(length >= least, length, 0.5 * least * (1 + folded))
