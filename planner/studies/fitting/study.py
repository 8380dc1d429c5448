"""Fitting the dynamic model: to a motion whose stiffness and damping are known, and to the published wall experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dynamics.identification import Fit, fit
from dynamics.recording import Recording
from planner.studies.fitting.cantilever import Cantilever

RATE, FRAMES, POINTS, NOISE, SEED = 120, 209, 21, 3e-3, 0
"""Of the synthetic recording: frames a second, frames, points of each, and their noise [m]."""
STARTS = (0.03, 1e-3), (0.3, 1e-2), (1.0, 1e-4)
"""K [N m/rad] and C [N m s/rad] that the fits of it begin with."""
MOST_STIFFNESS_ERROR, MOST_DAMPING_ERROR = 1.0, 3.0
"""What the fits must keep to [%]."""
PAPER_WALL_MM = 1.1
"""Mean absolute error of the tip's x in the paper's wall experiment [mm]."""


def oscillation() -> Recording:
    """A released cantilever as a camera sees it: K and C are those of `Cantilever`."""
    return Cantilever().recording(np.arange(FRAMES) / RATE, POINTS, NOISE, np.random.default_rng(SEED))


def small_oscillation() -> Recording:
    """The same of two links, with few frames and points, rounded to a tenth of a millimetre, as kept beside the tests."""
    times = np.round(np.arange(60) / 80, 6)
    seen = Cantilever(links=2).recording(times, 7, 1e-3, np.random.default_rng(SEED))
    return replace(seen, centerlines=tuple(np.round(line, 4) for line in seen.centerlines))


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """A fit of the synthetic recording, and what it began with."""

    stiffness: float
    """[N m/rad]"""
    damping: float
    """[N m s/rad]"""
    found: Fit

    def errors(self) -> tuple[float, float]:
        """Of stiffness and damping [%]."""
        truth = Cantilever()
        pairs = (("stiffness", truth.stiffness), ("damping", truth.damping))
        stiffness, damping = (100 * (self.found.parameter(name).value / known - 1) for name, known in pairs)
        return float(stiffness), float(damping)

    @property
    def kept(self) -> bool:
        """Whether the errors are as small as they must be."""
        stiffness, damping = np.abs(self.errors())
        return bool(
            self.found.convergence.converged and stiffness <= MOST_STIFFNESS_ERROR and damping <= MOST_DAMPING_ERROR
        )


def oscillation_fits(on_progress: Callable[[str], None]) -> list[Start]:
    """Fits from every start, the last of them with profiles.

    Raises:
        KeyboardInterrupt: Ctrl-C came: a fit that it ended early says nothing of the method.
    """
    seen = oscillation()
    starts = []
    for stiffness, damping in STARTS:
        last = (stiffness, damping) == STARTS[-1]
        found = fit(seen, start=(stiffness, damping), profiles=last, on_progress=on_progress)
        if found.interrupted:
            raise KeyboardInterrupt
        starts.append(Start(stiffness, damping, found))
    return starts
