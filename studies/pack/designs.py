"""Designs of all types of actuator, free and in contact, of which packs are made: each ends in its goal in a room of its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section, Side
from planner.design.replay import grow_designs
from planner.design.schedule import Schedule
from surrogate.actuators import Limits
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

BOUNDS = np.array([-1.5, -1.5, 1.5, 1.5])
"""Bounds of the room [m]; no example is longer than 1.2 m."""
GOAL, POST, DEEP = 0.08, 0.06, 8e-3
"""Radius of the goal, radius of a post, and how far a post is in the way of the free tube [m]."""


@dataclass(frozen=True, slots=True)
class Actuated:
    """A section with an actuator."""

    side: Side
    cells: int
    cell: float
    """Cell length [mm]."""
    pressure: float
    """[kPa]"""
    kind: int = 0
    """Number of its type."""


@dataclass(frozen=True, slots=True)
class Formed:
    """A preformed section."""

    side: Side
    length: float
    """[mm]"""
    curvature: float
    """[1/m]"""


@dataclass(frozen=True)
class Example:
    """A tube and its sections from the base on."""

    parts: tuple[float | Actuated | Formed, ...]
    """A number is the length of a section without an actuator [mm]."""
    params: VineParams = field(default_factory=VineParams)
    schedule: tuple[tuple[float, ...], ...] = ()
    """Grown length [mm], and the pressure of each actuator at it [kPa]; empty for constant pressures."""
    touches: bool = False
    """Whether a post stands in its way."""
    stop: float | None = None
    """Length at which it is stopped [m]; None for its whole length."""
    off: int | None = None
    """Number of the section that is off."""
    seam: float | None = None
    """Width of the seams as confirmed with `export --seam` [m]; None if it is not."""


MIXED = VineParams(others=(PouchMotor(width=55e-3, seam=8e-3, limits=Limits(longest_cell=50e-3)), Fpam(), Cpam()))
EXAMPLES = {
    "spam": Example((250, Actuated("left", 7, 42, 20), 120, Actuated("right", 9, 30.5, 22.5), 180)),
    "spam in contact": Example((300, Actuated("right", 8, 40, 25), 500), touches=True),
    "spam that is held": Example((180, Actuated("left", 6, 55, 25), 300), VineParams(actuator=Spam(seam=7e-3))),
    "spam off": Example((150, Actuated("left", 5, 40, 20), 100, Actuated("right", 6, 45, 20), 200), off=1),
    "stopped": Example((150, Actuated("left", 5, 40, 20), 700), stop=0.8),
    "pouch": Example(
        (200, Actuated("left", 6, 45, 15), Actuated("right", 7, 38, 17.5), 250), VineParams(actuator=PouchMotor())
    ),
    "pouch, narrow bar": Example(
        (200, Actuated("right", 9, 33, 12.5), 250), VineParams(actuator=PouchMotor(width=48e-3, seam=2e-3))
    ),
    "pouch without seams": Example(
        (120, Actuated("left", 6, 41, 15), 300), VineParams(actuator=PouchMotor(seam=0.0)), seam=0.0
    ),
    "pouch in contact": Example(
        (320, Actuated("left", 8, 45, 15), 450), VineParams(actuator=PouchMotor()), touches=True
    ),
    "cpam": Example(
        (200, Actuated("right", 5, 52, 10), 130, Actuated("left", 6, 45, 12.5), 150), VineParams(actuator=Cpam())
    ),
    "cpam, wide bar": Example((Actuated("left", 5, 64, 12.5), 400), VineParams(actuator=Cpam(seam=15e-3))),
    "fpam": Example(
        (200, Actuated("left", 8, 40, 12.5), 90, Actuated("right", 5, 40, 10), 260), VineParams(actuator=Fpam())
    ),
    "fpam in contact": Example((300, Actuated("right", 9, 40, 12.5), 500), VineParams(actuator=Fpam()), touches=True),
    "mixed": Example(
        (
            100,
            Actuated("left", 6, 42, 20, 0),
            Actuated("right", 5, 43, 15, 1),
            60,
            Actuated("left", 5, 40, 10, 2),
            Actuated("right", 5, 52, 12.5, 3),
            150,
        ),
        MIXED,
    ),
    "mixed in contact": Example(
        (250, Actuated("right", 6, 40, 12.5, 2), 200, Actuated("left", 5, 43, 15, 1), 300), MIXED, touches=True
    ),
    "preformed": Example(
        (150, Formed("left", 330, 3.0), 100, Formed("right", 170, 5.0), Actuated("left", 5, 40, 20), 160)
    ),
    "preformed alone": Example((200, Formed("right", 400, 2.2), 300), touches=True),
    "scheduled": Example(
        (200, Actuated("left", 7, 42, 20), 150, Actuated("right", 6, 40, 20), 200),
        schedule=((0, 20, 20), (494, 20, 20), (494, 12.5, 20), (900, 17.5, 7.5)),
    ),
    "scheduled pouches": Example(
        (150, Actuated("right", 7, 45, 15), 100, Actuated("left", 6, 40, 12.5), 300),
        VineParams(actuator=PouchMotor()),
        schedule=((0, 5, 0), (300, 15, 0), (600, 10, 12.5)),
    ),
    "no actuators": Example((900,), VineParams(radius=40e-3, growth_pressure=8e3)),
}
"""Examples by name."""


def design_of(example: Example) -> Design:
    """Make the design of an example."""
    sections: list[Section] = []
    for number, part in enumerate(example.parts):
        start = sections[-1].end if sections else 0.0
        match part:
            case Actuated():
                end, on = start + 1e-3 * part.cells * part.cell, number != example.off
                cell, pressure = 1e-3 * part.cell, 1e3 * part.pressure
                sections.append(Section(start, end, part.side, 1.0, cell, pressure, on, kind=part.kind))
            case Formed():
                end = start + 1e-3 * part.length
                sections.append(Section(start, end, part.side, part.curvature, 0.0, 0.0, preformed=True))
            case _:
                sections.append(Section(start, start + 1e-3 * part, "none", 0.0, 0.0, 0.0))
    tip, line = np.zeros(3), np.zeros((1, 2))
    made = Design("room", "0" * 64, example.params, tuple(sections), tip, line, stop=example.stop)
    if not example.schedule:
        return made
    rows = np.array(example.schedule, float)
    return made.scheduled(Schedule(1e-3 * rows[:, 0], 1e3 * rows[:, 1:]))


def place_of(design: Design, touches: bool) -> Environment:
    """Make a room in which a design ends in its goal.

    Args:
        touches: Whether a post stands `DEEP` in the way of the free tube, at four fifths of its length.
    """
    room = Environment("room", "0" * 64, BOUNDS, np.zeros(3), np.array([0.0, 0.0, GOAL]), Obstacles())
    (end,) = grow_designs([design], room, QuasiStatic(room, design.params))
    if touches:
        line, along = end.centerline, 4 * len(end.centerline) // 5
        ahead = line[along] - line[along - 1]
        aside = np.array([-ahead[1], ahead[0]]) / np.hypot(*ahead)
        side = {"left": 1.0, "right": -1.0}[next(one.side for one in design.sections if one.side != "none")]
        post = *(line[along] + side * (POST + design.params.radius - DEEP) * aside), POST
        room = replace(room, obstacles=Obstacles(circles=[post]))
        (end,) = grow_designs([design], room, QuasiStatic(room, design.params))
    return replace(room, goal=np.array([*end.tip[:2], GOAL]))
