"""The base of a tube in figures."""

from __future__ import annotations

import math

import numpy as np

from dynamics.tube import VineParams
from planner.design.design import Design
from surrogate.kernels.compiled import Floats


def base_shapes(start: Floats, radius: float) -> list[Floats]:
    """Return corners [mm] of the bar and the arrow at a base: x, y [m] and heading [rad], for a tube of a radius [mm]."""
    ahead = np.array([math.cos(start[2]), math.sin(start[2])])
    plate = np.array([[-0.25, -1.25], [0.1, -1.25], [0.1, 1.25], [-0.25, 1.25]])
    arrow = np.array([[0.3, -0.1], [1.05, -0.1], [1.05, -0.38], [1.8, 0], [1.05, 0.38], [1.05, 0.1], [0.3, 0.1]])
    turned = radius * np.stack([ahead, [-ahead[1], ahead[0]]])
    return [1e3 * start[:2] + part @ turned for part in (plate, arrow)]


def drawn_radius(design: Design | None) -> float:
    """Return the radius of the tube [mm]; without a design, that of the default tube."""
    return 1e3 * (design.params if design else VineParams()).radius
