"""Preformed bends: made when the tube is built, by folds that shorten the wall on the inner side of the bend.

A fold of depth d takes the length 2 d out of the inner wall, and the opposite wall keeps its length, so that a tube of radius R turns
by 2 d / (2 R) there. Folds in even distances p are a turn of d / (R p) per length of film, which the model spreads evenly, as it does
the bend of an actuator. (Agharese and Okamura, "Configuration and fabrication of preformed vine robots", 2023, make bends of such
folds, held by tape, welds or fasteners.)

The tube resists a bend away from there as a straight one resists a bend of that size (`dynamics.moment.restoring_moment`). Nobody has
measured how much softer the folds are, most of all where they are pulled open.

As under an actuator, the wall on the outer side is taut: the tube turns about it, and the centreline is shorter than the film by
R times the bend (`dynamics.links.link`). That is exact in free space. A bend that contact opens lengthens the centreline again in this
model, where the folds would hold the inner wall short.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats


def largest_turn(params: VineParams) -> float:
    """Largest angle by which a length of film can be preformed [1/m]: 1 / (3 R).

    A fold of depth d that lies flat on the film must end before the next one: d <= p - 2 d, where p is their distance along the
    unfolded film, so d / (R p) <= 1 / (3 R). The centreline then has the radius 2 R.
    """
    return 1.0 / (3.0 * params.radius)


@overload
def turn_of_film(curvature: float, params: VineParams) -> float: ...


@overload
def turn_of_film(curvature: Floats, params: VineParams) -> Floats: ...


def turn_of_film(curvature: float | Floats, params: VineParams) -> float | Floats:
    """Angle by which a length of film turns [1/m], from the curvature of the centreline [1/m].

    Undoes `dynamics.moment.centerline_curvature`.

    Args:
        curvature: Positive to the left, any shape.
    """
    return curvature / (1.0 + params.pivot * np.abs(curvature))
