"""Fits of the dynamic model to a motion with known stiffness and damping, and to the published wall experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynamics.recording import Recording
from planner.recordings.identification import RecordingFit, fit
from studies.fitting.cantilever import Cantilever

RATE, FRAMES, POINTS, NOISE, SEED = 120, 209, 21, 3e-3, 0
"""Synthetic recording: frames per second, number of frames, points per frame, their noise [m], and seed."""
STARTS = (0.03, 1e-3), (0.3, 1e-2), (1.0, 1e-4)
"""Initial K [N m/rad] and C [N m s/rad] of its fits."""
MOST_STIFFNESS_ERROR, MOST_DAMPING_ERROR = 1.0, 3.0
"""Maximum permitted errors of the fits [%]."""
PAPER_WALL_MM = 1.1
"""Mean absolute error of the tip's x in the paper's wall experiment [mm]."""


def record_oscillation() -> Recording:
    """Synthetic recording of a released cantilever with K and C of `Cantilever`."""
    return Cantilever().recording(np.arange(FRAMES) / RATE, POINTS, NOISE, np.random.default_rng(SEED))


def record_small_oscillation() -> Recording:
    """Make a recording with two links, few frames and few points, rounded to 0.1 mm, as stored with the tests."""
    times = np.round(np.arange(60) / 80, 6)
    seen = Cantilever(links=2).recording(times, 7, 1e-3, np.random.default_rng(SEED))
    return replace(seen, centerlines=tuple(np.round(line, 4) for line in seen.centerlines))


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticFit:
    """A fit of the synthetic recording, and its initial values."""

    stiffness: float
    """[N m/rad]"""
    damping: float
    """[N m s/rad]"""
    found: RecordingFit

    def errors(self) -> tuple[float, float]:
        """Errors of stiffness and damping [%]."""
        truth = Cantilever()
        pairs = (("stiffness", truth.stiffness), ("damping", truth.damping))
        stiffness, damping = (100 * (self.found.parameter(name).value / known - 1) for name, known in pairs)
        return float(stiffness), float(damping)

    @property
    def kept(self) -> bool:
        """Whether the errors are within their limits."""
        stiffness, damping = np.abs(self.errors())
        return bool(
            self.found.convergence.converged and stiffness <= MOST_STIFFNESS_ERROR and damping <= MOST_DAMPING_ERROR
        )


def run_fits(cases: Sequence[tuple[float, float] | Recording]) -> Iterator[SyntheticFit | RecordingFit]:
    """Fits of the synthetic recording from initial values, the last of `STARTS` with profiles, and fits of recordings.

    Args:
        cases: Initial K [N m/rad] and C [N m s/rad], or a recording.
    Raises:
        KeyboardInterrupt: A fit was interrupted; its result is not valid.
    """
    seen = record_oscillation()
    for case in cases:
        found = fit(case) if isinstance(case, Recording) else fit(seen, start=case, profiles=case == STARTS[-1])
        if found.interrupted:
            raise KeyboardInterrupt
        yield found if isinstance(case, Recording) else SyntheticFit(*case, found)


def split_fits(found: Sequence[SyntheticFit | RecordingFit]) -> tuple[list[SyntheticFit], RecordingFit | None]:
    """Separate the fits of the synthetic recording from that of a recording, if there is one."""
    others = [one for one in found if not isinstance(one, SyntheticFit)]
    return [one for one in found if isinstance(one, SyntheticFit)], others[0] if others else None
