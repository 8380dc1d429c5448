"""Builds with other set points, and with schedules."""

from dataclasses import replace

import numpy as np

from planner.design.schedule import Schedule
from planner.fabrication.assembly.build import Build


def with_pressures(build: Build, *pressures: float) -> Build:
    """The build with other set points [Pa] of its actuators."""
    each = iter(pressures)
    sections = [replace(one, pressure=next(each)) if one.actuated else one for one in build.design.sections]
    return Build(replace(build.design, sections=tuple(sections)))


def steered(build: Build, lengths: list[float], kilopascals: list[list[float]]) -> Build:
    """The build with a schedule [m, kPa]."""
    return Build(build.design.scheduled(Schedule(lengths, 1e3 * np.array(kilopascals))))
