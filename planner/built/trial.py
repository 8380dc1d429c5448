"""Trials of a design that was built: what was measured on a bench, in SI units."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.file_table import LATER
from dynamics.tube_keys import ACTUATORS, INERTIA, TUBE
from planner.design.design import Design
from planner.design.design_file import design_content
from surrogate.kernels.compiled import Floats

DIGITS = 16
"""Number of characters of the digest of a design."""
_LATER = {
    keys[field].name: value
    for keys in (TUBE, INERTIA, *ACTUATORS.values())
    for field, value in LATER.items()
    if field in keys
}
"""Keys that tubes did not always have, with the values that hold without them, in the units of files."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One growth of the built tube in its environment; None where something was not measured."""

    reached: bool | None
    """Whether the tip was in the goal at some time [-]."""
    tip: tuple[float, float] | None
    """x and y of the tip where it ended [m], on the tube's axis, in the coordinates of the environment."""
    length: float | None
    """Length grown when it ended or stalled [m], along the film."""
    pressures: tuple[float, ...] | None
    """Set points of the actuated sections in order, from the base [Pa]; None for those of the design."""
    recording: str | None
    """Name of a recording in the folder of the run [-], see `dynamics.recording`."""
    note: str
    """Text for people [-]."""


NOTHING = Growth(None, None, None, None, None, "")
"""A growth of which nothing is known."""


@dataclass(frozen=True, slots=True)
class BendTest:
    """One actuator measured in free space, alone, as in the acceptance test of the builder's guide."""

    section: int
    """Number of the section among the actuated ones, from 1 at the base [-]."""
    pressure: float
    """Pressure of its actuator [Pa]."""
    bend: float
    """Angle between the tube before the section and that behind it [rad]: positive to the side of its actuator, left or right, and
    negative to the other side, as in the acceptance test and `planner.uncertainty.deviations.measured_bends`."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """A point of an obstacle as it was planned, and where it is."""

    obstacle: str
    """Kind and number of the obstacle, as in `Obstacles.label` [-]: "wall 6"."""
    planned: tuple[float, float]
    """x and y where the point should be [m]."""
    measured: tuple[float, float]
    """x and y where it is [m]."""


@dataclass(frozen=True, slots=True)
class MeasurementErrors:
    """Standard deviations of what is measured."""

    tip: float = 5e-3
    """Standard deviation of x and of y of a tip [m]."""
    length: float = 10e-3
    """Standard deviation of a grown length [m]."""
    bend: float = math.radians(1)
    """Standard deviation of a bend [rad]."""
    obstacle: float = 2e-3
    """Standard deviation of x and of y of a point of an obstacle [m]."""


@dataclass(frozen=True, slots=True)
class Trials:
    """All that was measured of one design."""

    design: str
    """Digest of the design, see `design_digest` [-]."""
    errors: MeasurementErrors = MeasurementErrors()
    """Standard deviations of the measurements [m, m, rad, m]."""
    growths: tuple[Growth, ...] = ()
    """Growths in the environment, in the order in which they were added."""
    bends: tuple[BendTest, ...] = ()
    """Tests of single actuators in free space."""
    points: tuple[MeasuredPoint, ...] = ()
    """Points of obstacles."""

    @property
    def empty(self) -> bool:
        """Whether nothing was measured."""
        return not (self.growths or self.bends or self.points)


def place_centerline(line: Floats, base: Floats, start: Floats) -> Floats:
    """Return a recorded centreline in an environment [m], shape (n, 2): its base lies at the start, and leaves it in its direction.

    Args:
        line: In the coordinates of the recording [m], shape (n, 2).
        base: x, y [m] and heading [rad] of the base there.
        start: Those of the start of the environment.
    """
    turn = start[2] - base[2]
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(start[:2] + (line - base[:2]) @ np.array([[cos, sin], [-sin, cos]]))


def design_digest(design: Design) -> str:
    """Return the digest of all numbers of a design's file that decide how it grows: its tube, sections, schedule and environment.

    It is the same for a design in memory and as it is read from its file. The errors that are stated for the tube do not count.
    """
    content = design_content(design)
    wanted = "tube", "actuator", "other_actuators", "sections", "grow_mm", "schedule"
    parts = {key: _without_defaults(content[key]) for key in wanted if key in content}
    parts["tube"].pop("uncertainty", None)
    text = json.dumps({**parts, "environment": design.sha256}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _without_defaults(content: Any) -> Any:
    """Return a part of a file without keys that say what holds without them: so a key that tubes get later changes no digest."""
    if isinstance(content, list):
        return [_without_defaults(one) for one in content]
    if not isinstance(content, dict):
        return content
    return {
        key: _without_defaults(value) for key, value in content.items() if key not in _LATER or value != _LATER[key]
    }
