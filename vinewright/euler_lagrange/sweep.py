"""Sweeps: the motions of a robot for every combination of some of its numbers, of its start and of its inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from numpy.typing import ArrayLike

from dynamics.euler_lagrange.control import STEP, Tracking, track
from dynamics.euler_lagrange.input_table import InputTable, simulate
from dynamics.euler_lagrange.model import check_start
from dynamics.euler_lagrange.motion import NotIntegrable, RobotMotion
from dynamics.euler_lagrange.reference_table import ReferenceTable
from dynamics.euler_lagrange.robot_file import ControlledRobot, change_robot, number_keys
from dynamics.euler_lagrange.time_table import (
    CORE,
    CORE_PRESSURE,
    POLAR,
    PRESSURES,
    TENSIONS,
    change_constant,
    check_range,
)
from environments.error_messages import hint
from surrogate.kernels.compiled import Floats
from vinewright.euler_lagrange.description import COILED, describe_motion

Drive = InputTable | ReferenceTable
Row = dict[str, float | str | None]
USUAL_START = 1.0, 0.0, 0.0
"""Start under given inputs: s [m], theta [rad], phi [rad]."""
USUAL_SECONDS = 10.0
"""Duration under constant inputs [s]: that of the figures of paper 004."""
MOST_MOTIONS = 1000
"""Largest number of motions of a sweep."""
INPUTS = CORE, CORE_PRESSURE, *TENSIONS, *PRESSURES
OF_CONTROLLER = "controller."
NOT_INTEGRABLE = "not integrable"
"""End of a motion that the integrator cannot continue."""
END = "end_s_m", "end_theta_rad", "end_phi_rad", "end_x_m", "end_y_m", "end_z_m"
ERRORS = "greatest_length_error_m", "greatest_bend_error_rad", "greatest_plane_error_rad", "greatest_tip_error_m"


class InvalidSweep(ValueError):
    """A sweep that cannot be computed; the one-line message names the key, the value and what is allowed."""

    exit_code = 2


@dataclass(frozen=True, slots=True, eq=False)
class SweepCase:
    """A motion of a sweep, before it is computed."""

    values: dict[str, float]
    """The values that distinguish it from the others, by their keys [in the unit of the key]."""
    made: ControlledRobot
    """The robot with these values, and its controller."""
    drive: Drive
    """Inputs, or a reference that the controller follows."""
    start: Floats
    """s [m], theta [rad], phi [rad], shape (3,)."""
    seconds: float
    """Duration [s]."""

    def compute(self) -> SweptMotion:
        """Compute the motion."""
        robot, controller = self.made
        if isinstance(self.drive, ReferenceTable):
            step = min(STEP, self.seconds)
            return SweptMotion(self, track(robot, controller, self.drive, self.start, self.seconds, step))
        try:
            return SweptMotion(self, simulate(robot, self.drive, self.start, self.seconds))
        except NotIntegrable:
            return SweptMotion(self, None)


@dataclass(frozen=True, slots=True, eq=False)
class SweptMotion:
    """A motion of a sweep."""

    case: SweepCase
    """The case that was computed."""
    motion: RobotMotion | Tracking | None
    """None if the integrator cannot continue it."""

    def row(self) -> Row:
        """Return its row of the table: the varied values, how it ended, and results in the units of their names; None where there is none.

        The columns are the same for all motions of a sweep.
        """
        tracked = isinstance(self.case.drive, ReferenceTable)
        names = (*ERRORS, "greatest_excess_length_m") if tracked else ("greatest_bend_rad", "without_growth_s")
        row: Row = {**self.case.values, "ended": NOT_INTEGRABLE}
        row |= dict.fromkeys(("computed_s", *names, "greatest_core_n", "greatest_tension_n", *END))
        if self.motion is None:
            return row
        if not len(self.motion.times):  # the first step of a controller bends the tube into a full circle
            return row | {"ended": COILED}
        content = describe_motion(self.motion, self.case.seconds)
        end = content["end"]
        found = content | {
            "greatest_bend_rad": float(self.motion.polar[:, 1].max()),
            "greatest_tension_n": max(content["greatest_tensions_n"]),
            "without_growth_s": math.fsum(until - since for since, until in content.get("growth_stood_still_s", [])),
        }
        found |= zip(END, (end["s_m"], end["theta_rad"], end["phi_rad"], *end["tip_m"]), strict=True)
        return row | {name: found[name] for name in row if name not in self.case.values}


def sweep(
    made: ControlledRobot,
    drive: Drive,
    vary: Mapping[str, Sequence[float]],
    start: ArrayLike | None = None,
    seconds: float | None = None,
) -> list[SweptMotion]:
    """Compute the motions of a robot for every combination of values, in the order of the keys.

    Args:
        drive: Inputs, or a reference that the controller follows.
        vary: Values by their keys [in the unit of the key]: numbers of a robot file, those inside a table with its name and a dot
            (`actuator.area_mm2`); `s_m`, `theta_rad` and `phi_rad` of the start; with constant inputs the columns of a table of
            inputs, such as `core_n`.
        start: s [m], theta [rad], phi [rad]. Default: that of the reference, or straight and 1 m long.
        seconds: Duration [s]. Default: that of the reference or of the table of inputs, or 10 s.
    Raises:
        InvalidSweep: A key is unknown or cannot be varied here, a value is out of its range, or there are more than 1000 combinations.
        InvalidTimeTable: The tip of a reference passes through the base.
    """
    return [case.compute() for case in list_cases(made, drive, vary, start, seconds)]


def list_cases(
    made: ControlledRobot,
    drive: Drive,
    vary: Mapping[str, Sequence[float]],
    start: ArrayLike | None = None,
    seconds: float | None = None,
) -> list[SweepCase]:
    """Check everything and list the motions of a sweep; arguments and errors are those of `sweep`."""
    _check_keys(vary, isinstance(drive, ReferenceTable))
    usual = drive.start if isinstance(drive, ReferenceTable) else USUAL_START
    begin = check_start(usual if start is None else start)
    lasts = drive.seconds or USUAL_SECONDS if seconds is None else seconds
    if (count := math.prod(map(len, vary.values()))) > MOST_MOTIONS:
        raise InvalidSweep(f"has {count} combinations of values; at most {MOST_MOTIONS} are allowed")
    try:
        return [
            _case(made, drive, dict(zip(vary, values, strict=True)), begin, lasts) for values in product(*vary.values())
        ]
    except ValueError as error:
        raise InvalidSweep(str(error)) from None


def _check_keys(vary: Mapping[str, Sequence[float]], tracked: bool) -> None:
    """Check that all keys can be varied, along a reference if `tracked`, and that each has distinct values."""
    known = [key for key in number_keys() if tracked or not key.startswith(OF_CONTROLLER)]
    known += [*POLAR, *(() if tracked else INPUTS)]
    if not vary:
        raise InvalidSweep(f"varies nothing; keys: {', '.join(known)}")
    for key, values in vary.items():
        if key in INPUTS and tracked:
            raise InvalidSweep(f"{key} cannot be varied along a reference, where the controller gives the inputs")
        if key.startswith(OF_CONTROLLER) and not tracked and key in number_keys():
            raise InvalidSweep(f"{key} has no effect under given inputs; give a reference")
        if key not in known:
            raise InvalidSweep(f"unknown key {key}{hint(key, known)}; allowed: {', '.join(known)}")
        if not len(values):
            raise InvalidSweep(f"{key} has no value")
        if twice := [value for k, value in enumerate(values) if value in values[:k]]:
            raise InvalidSweep(f"{key} has the value {twice[0]:g} twice")
    for forces, pressures in (((CORE,), (CORE_PRESSURE,)), (TENSIONS, PRESSURES)):
        both = [next((key for key in vary if key in names), None) for names in (forces, pressures)]
        if None not in both:
            raise InvalidSweep(f"{both[0]} and {both[1]} exclude each other; vary one of them")


def _case(made: ControlledRobot, drive: Drive, values: dict[str, float], begin: Floats, seconds: float) -> SweepCase:
    numbers = {key: value for key, value in values.items() if key not in (*POLAR, *INPUTS)}
    start = check_start([values.get(key, usual) for key, usual in zip(POLAR, begin.tolist(), strict=True)])
    for key, value in values.items():
        if key in POLAR:
            check_range(key, value)
        if key in INPUTS and isinstance(drive, InputTable):
            drive = change_constant(drive, key, value)
    return SweepCase(values, change_robot(made, numbers), drive, start, seconds)
