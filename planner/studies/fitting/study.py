"""Fitting the dynamic model: to a motion whose stiffness and damping are known, and to the published wall experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynamics.identification import Fit, fit
from dynamics.recording import Recording
from planner.studies.fitting.cantilever import Cantilever

RATE, FRAMES, POINTS, NOISE, SEED = 120, 209, 21, 3e-3, 0
"""Of the synthetic recording: frames a second, frames, points of each, and their noise [m]."""
STARTS = (0.03, 1e-3), (0.3, 1e-2), (1.0, 1e-4)
"""K [N m/rad] and C [N m s/rad] that the fits of it start with."""
MOST_STIFFNESS_ERROR, MOST_DAMPING_ERROR = 1.0, 3.0
"""Largest errors that the fits may have [%]."""
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
    """A fit of the synthetic recording, and what it started with."""

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


def fits(cases: Sequence[tuple[float, float] | Recording]) -> Iterator[Start | Fit]:
    """Fits of the synthetic recording from starts, the last of `STARTS` with profiles; and fits of recordings.

    Args:
        cases: K [N m/rad] and C [N m s/rad] to start with, or a recording.
    Raises:
        KeyboardInterrupt: Ctrl-C came: a fit that it ended early says nothing of the method.
    """
    seen = oscillation()
    for case in cases:
        found = fit(case) if isinstance(case, Recording) else fit(seen, start=case, profiles=case == STARTS[-1])
        if found.interrupted:
            raise KeyboardInterrupt
        yield found if isinstance(case, Recording) else Start(*case, found)


def split(found: Sequence[Start | Fit]) -> tuple[list[Start], Fit | None]:
    """Fits of the synthetic recording, and that of a recording where there is one."""
    others = [one for one in found if not isinstance(one, Start)]
    return [one for one in found if isinstance(one, Start)], others[0] if others else None
