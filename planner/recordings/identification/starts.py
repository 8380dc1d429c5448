"""Starting points of K and C: a very soft tube, a scaled prototype, and the oscillation in the recording if there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dynamics.moment import restoring_moment, wrinkling
from dynamics.tube_file import similar
from planner.recordings.identification.bounds import mean_beam
from planner.recordings.identification.model import LENGTH
from planner.recordings.identification.unknowns import Unknowns

SOFT_PERIOD, SOFT_DECAY = 30.0, 0.01
"""Period of the first mode of the very soft tube, in durations of the recording, and the exponent of its decay within it."""
SAMPLES, PADDING = 1024, 8
"""Samples of the tip's angle over the recording, and the factor by which the spectrum is padded."""
LEAST_CYCLES, LEAST_SHARE = 1.25, 0.4
"""Minimum number of cycles, and minimum share of the power near the largest frequency, of an oscillation."""
LEAST_LEFT, MOST_LEFT = 0.05, 0.98
"""Limits of the amplitude in the second half of the recording relative to the first."""


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """Initial values of K and C."""

    name: str
    stiffness: float
    """[N m/rad]"""
    damping: float
    """[N m s/rad]"""


def starting_points(unknowns: Unknowns) -> list[StartingPoint]:
    """Return the starting points for a recording, all between the bounds of K and C."""
    beam = mean_beam(unknowns.model, float(unknowns.observed.lengths.mean()))
    duration = unknowns.model.duration
    soft = beam.stiffness(2 * math.pi / (SOFT_PERIOD * duration)), beam.damping(SOFT_DECAY / duration)
    made = [("a very soft tube", *soft)]
    usual = similar(unknowns.model.radius)
    bend = wrinkling(usual)[1]
    stiffness = float(restoring_moment(bend, usual)) / bend * usual.moment_length / beam.spacing
    made.append(("the prototype scaled to this radius", stiffness, usual.inertia.damping_time * stiffness))
    if swing := oscillation(unknowns):
        made.append(("the oscillation of the tip", beam.stiffness(swing[0]), beam.damping(swing[1])))
    low, high = np.exp(unknowns.bounds[:LENGTH]).T
    return [StartingPoint(name, *np.clip(values, 2 * low, high / 2).tolist()) for name, *values in made]


def oscillation(unknowns: Unknowns) -> tuple[float, float] | None:
    """Fit angular frequency [rad/s] and decay rate [1/s] of the tip's angle seen from the base; None without an oscillation.

    The frequency is that of the largest amplitude of the spectrum, after subtraction of a straight line. The decay is that of
    the amplitude from the first half of the recording to the second.
    """
    observed, duration = unknowns.observed, unknowns.model.duration
    x, y, heading = unknowns.model.base
    tips = np.array([points[-1] for points in observed.points]) - [x, y]
    angles = np.unwrap(np.arctan2(tips[:, 1], tips[:, 0]) - heading)
    even = np.linspace(0, duration, SAMPLES)
    swing = np.interp(even, observed.times[observed.frames], angles)
    swing = swing - np.polyval(np.polyfit(even, swing, 1), even)
    power = np.abs(np.fft.rfft(swing, PADDING * SAMPLES)) ** 2
    cycles = np.arange(len(power)) / PADDING
    largest = int(power.argmax())
    share = power[np.abs(cycles - cycles[largest]) <= 1].sum() / max(power.sum(), 1e-300)
    if cycles[largest] < LEAST_CYCLES or share < LEAST_SHARE:
        return None
    first, second = (float(np.sqrt(np.mean(half**2))) for half in np.split(swing, 2))
    left = float(np.clip(second / first, LEAST_LEFT, MOST_LEFT))
    return 2 * math.pi * float(cycles[largest]) / duration, -2 * math.log(left) / duration
