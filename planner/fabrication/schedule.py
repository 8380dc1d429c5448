"""The pressures of all lines while the tube grows, as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.fabrication.build import Build
from planner.fabrication.csv_table import csv_table
from surrogate.compiled import Floats

APART = 1e-9
"""Lengths no farther apart than this have one row [m]."""


def growth_schedule(build: Build) -> str:
    """What to set when, as CSV: one row per length, at every segment and wherever a section begins or ends to leave the tip.

    A pressure holds from the length of its row on. An actuator is put at its pressure when its section begins to leave the tip,
    as in the simulation, where each segment bends as soon as it has everted.
    """
    names = [actuator.name for actuator in build.actuators]
    columns = ["grown_mm", "time_s", "body_kpa", *(f"{name}_kpa" for name in names), "everted"]
    return csv_table(columns, _rows(build))


def schedule_lengths(build: Build) -> Floats:
    """Grown lengths of the rows [m], increasing, from 0 to the length to which the tube grows."""
    design = build.design
    every = np.arange(design.segments) * design.params.segment_length
    ends = [end for actuator in build.actuators for end in (actuator.section.start, actuator.section.end)]
    lengths = np.sort([*every, *(end for end in ends if end < design.length), design.length])
    return np.asarray(lengths[np.diff(lengths, prepend=-np.inf) > APART])


def _rows(build: Build) -> Iterator[Sequence[object]]:
    params = build.design.params
    for grown in schedule_lengths(build):
        out = [actuator for actuator in build.actuators if actuator.section.start <= grown + APART]
        pressures = [
            actuator.section.pressure if actuator in out and actuator.section.on else 0.0
            for actuator in build.actuators
        ]
        everted = [actuator.name for actuator in out if actuator.section.end <= grown + APART]
        kilopascals = [round(pressure / 1e3, 3) for pressure in (params.growth_pressure, *pressures)]
        yield (
            round(1e3 * float(grown), 3),
            round(float(grown) / params.inertia.growth_rate, 3),
            *kilopascals,
            " ".join(everted),
        )
