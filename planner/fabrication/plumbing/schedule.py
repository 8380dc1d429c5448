"""The pressures of all lines while the tube grows, as rows and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.design.schedule import VENTED
from planner.fabrication.assembly.build import Build
from planner.output.csv_table import csv_table
from surrogate.kernels.compiled import Floats

APART = 1e-9
"""Lengths no farther apart than this have one row [m]."""


@dataclass(frozen=True, slots=True)
class SetPoints:
    """Pressures of the actuators at a grown length."""

    grown: float
    """Length of tube that has everted [m]."""
    pressures: tuple[float, ...]
    """Pressure of each actuator from the base, in whole pascals [Pa]; 0 is vented."""
    out: tuple[bool, ...]
    """Whether the section of each actuator has begun to come out at the tip."""
    everted: tuple[str, ...]
    """Names of the actuators whose sections are out completely."""


def growth_schedule(build: Build) -> str:
    """Return the set points over the grown length as CSV: a row at every segment and wherever a section begins or ends to
    leave the tip.

    An actuator is put at its pressure when its section begins to leave the tip, as in the simulation, where each segment bends as
    soon as it has everted. The pressures of a design with a schedule follow it from then on: they change linearly between rows, and
    two rows with the same length are a step, at which the tube is held.
    """
    names = [actuator.name for actuator in build.actuators]
    columns = ["grown_mm", "time_s", "body_kpa", *(f"{name}_kpa" for name in names), "everted"]
    return csv_table(columns, [_cells(build, row) for row in set_points(build)])


def schedule_lengths(build: Build) -> Floats:
    """Return the grown lengths of the rows [m], increasing, from 0 to the length to which the tube grows; steps twice."""
    design = build.design
    every = np.arange(design.segments) * design.params.segment_length
    ends = [end for actuator in build.actuators for end in (actuator.section.start, actuator.section.end)]
    changes = [] if design.schedule is None else design.schedule.lengths.tolist()
    lengths = np.sort([*every, *(end for end in (*ends, *changes) if end < design.length), design.length])
    lengths = lengths[np.diff(lengths, prepend=-np.inf) > APART]
    steps = [] if design.schedule is None else [one for one in design.schedule.steps if one <= design.length + APART]
    return np.sort([*lengths, *(lengths[np.abs(lengths - step).argmin()] for step in steps)])


def set_points(build: Build) -> list[SetPoints]:
    """Return the rows of the schedule, at the lengths of `schedule_lengths`."""
    lengths, rows = schedule_lengths(build), []
    for grown, following in zip(lengths, np.append(lengths[1:], np.inf), strict=True):
        # Before a step, its pressures are those just short of it.
        set_to = build.design.stage_at(grown - 2 * APART if grown == following else grown + 2 * APART).actuated
        out = [one.section.start <= grown + APART for one in build.actuators]
        pressures = [
            float(round(one.pressure)) if everts and one.on and one.pressure > VENTED else 0.0
            for one, everts in zip(set_to, out, strict=True)
        ]
        everted = [one.name for one in build.actuators if one.section.end <= grown + APART]
        rows.append(SetPoints(float(grown), tuple(pressures), tuple(out), tuple(everted)))
    return rows


def growth_time(build: Build, grown: float) -> float:
    """Return the time that growth to a length [m] takes without resistance [s], rounded to milliseconds."""
    return round(grown / build.design.params.inertia.growth_rate, 3)


def _cells(build: Build, row: SetPoints) -> Sequence[object]:
    """Return a row in millimetres, seconds and kilopascals."""
    kilopascals = [round(pressure / 1e3, 3) for pressure in (build.design.params.growth_pressure, *row.pressures)]
    return round(1e3 * row.grown, 3), growth_time(build, row.grown), *kilopascals, " ".join(row.everted)
