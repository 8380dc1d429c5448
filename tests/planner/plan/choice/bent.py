"""A bent tube, and an environment with the goal around its end."""

from dataclasses import replace

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section, Side
from planner.design.replay import grow_designs

PARAMS = VineParams()
CATALOGUE = Catalogue.of(PARAMS)


def bent(length: float, tail: float = 0.2, entry: int = 300) -> Design:
    """A tube that is bent to the left along its first part, and bare along its tail; both lengths in metres."""
    numbers = CATALOGUE.curvature[entry], CATALOGUE.l_0[entry], CATALOGUE.pressure[entry]
    sections = Section(0.0, length, "left", *map(float, numbers)), Section(length, length + tail, "none", 0, 0, 0)
    return Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


def room_around(design: Design) -> Environment:
    """An empty room with the goal around the end of a design."""
    empty = Environment("room", "", np.array([-0.4, -0.6, 1.3, 1.1]), np.zeros(3), np.array([0, 0, 0.1]), Obstacles())
    tip = grow_designs([design], empty, QuasiStatic(empty, PARAMS))[0].design.tip
    return replace(empty, goal=np.array([*tip[:2], 0.1]))


def mirrored(design: Design) -> Design:
    """Mirror bends to the other side, which lead elsewhere."""
    other: dict[str, Side] = {"left": "right", "right": "left", "none": "none"}
    return replace(design, sections=tuple(replace(one, side=other[one.side]) for one in design.sections))
