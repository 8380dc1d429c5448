"""What is known of designs in trials: how near they came to the goal. It depends on the design and the trial only, not on what else
was grown with them, so nothing needs to be grown twice: a resumed plan passes again through what it knows in almost no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.design.design import Design
from surrogate.kernels.compiled import Floats

DIGEST = 16
"""Number of bytes by which a design is known."""
AS_PLANNED = -1
"""Stands for the number of the trial in which everything is as planned."""
TRIAL, NEAREST, LAST, WHEN = range(4)
"""Rows of the results of a design: number of the trial, distances from the goal's edge [m], and when it was grown [s]."""
SIDES = {"left": 1.0, "right": -1.0, "none": 0.0}


class Known:
    """How near designs came to the goal in trials, and a clock of the time that this took.

    The clock begins when the object is made, or with `begin`, at the time that had passed before the present budget. A result
    that an earlier process grew moves it forward to when it was grown, so that what depends on the time is decided as it was
    then. Before anything new is grown it moves forward by all the time of that process.
    """

    def __init__(self) -> None:
        self._of: dict[bytes, Floats] = {}
        self.base = self._before = 0.0
        """The time of budgets before the present one [s]."""
        self._began = time.perf_counter()

    def begin(self) -> None:
        """Start the clock."""
        self._began = time.perf_counter() - self.base

    @property
    def seconds(self) -> float:
        """The time [s]."""
        return time.perf_counter() - self._began

    @property
    def spent(self) -> float:
        """Time of this process, or of an earlier one if that was longer [s]."""
        return max(self._before, self.seconds)

    @property
    def count(self) -> int:
        """Number of results."""
        return sum(found.shape[1] for found in self._of.values())

    def asked(
        self, designs: Sequence[Design], trials: Sequence[int | None], grow: Callable[[NDArray[np.bool_]], Floats]
    ) -> Floats:
        """How near designs come to the goal in trials; only what is not known is grown.

        Args:
            trials: Their numbers, None for as planned.
            grow: Grows some designs in some trials, given which, shape (designs, trials); returns a row of `nearest` and one of
                `last`, shape (2, number of those).
        Returns:
            `nearest` and `last` of `planner.uncertainty.trials.nearest_to_goal`, shape (2, designs, trials) [m].
        """
        numbers = np.array([AS_PLANNED if one is None else one for one in trials], float)
        keys = [digest(design) for design in designs]
        values, missing = np.empty((2, len(keys), len(numbers))), np.ones((len(keys), len(numbers)), bool)
        grown = 0.0
        for k, key in enumerate(keys):
            if key in self._of:
                found = self._of[key]
                at, which = np.nonzero(found[TRIAL][:, None] == numbers)
                values[:, k, which] = found[[NEAREST, LAST]][:, at]
                missing[k, which] = False
                grown = max(grown, found[WHEN, at].max(initial=0.0))
        self._forward(grown)
        if missing.any():
            self._forward(self._before)
            values[:, missing] = grow(missing)
            for k in np.flatnonzero(missing.any(axis=1)).tolist():
                self._add(keys[k], numbers[missing[k]], values[:, k, missing[k]])
        return values

    def _forward(self, seconds: float) -> None:
        self._began -= max(seconds - self.seconds, 0.0)

    def _add(self, key: bytes, numbers: Floats, values: Floats) -> None:
        before = self._of.get(key, np.empty((4, 0)))
        new = ~np.isin(numbers, before[TRIAL])  # the same design may be asked for twice at once
        made = np.vstack([numbers, values, np.full(len(numbers), self.seconds)])[:, new]
        self._of[key] = np.concatenate([before, made], axis=1)

    def stored(self) -> dict[str, NDArray[Any]]:
        """Arrays for a file: digests of the N designs, number of results of each, and of all M results number of the trial,
        distances [m] and time [s], shapes (N, `DIGEST`), (N,) and (M,)."""
        every = np.concatenate([np.empty((4, 0)), *self._of.values()], axis=1)
        return {
            "designs": np.frombuffer(b"".join(self._of), np.uint8).reshape(-1, DIGEST),
            "counts": np.array([found.shape[1] for found in self._of.values()], np.int64),
            "trials": every[TRIAL].astype(np.int64),
            "nearest": every[NEAREST],
            "last": every[LAST],
            "when": every[WHEN],
        }

    @classmethod
    def restored(cls, arrays: dict[str, NDArray[Any]], spent: float, base: float) -> Known:
        """What `stored` gave, with `spent` and `base` at that time [s]."""
        made, ends = cls(), np.cumsum(arrays["counts"])[:-1]
        every = np.vstack([arrays[name] for name in ("trials", "nearest", "last", "when")])
        parts = np.split(every, ends, axis=1) if len(arrays["counts"]) else []
        made._of = {one.tobytes(): part.copy() for one, part in zip(arrays["designs"], parts, strict=True)}
        made._before, made.base = spent, base
        return made


def digest(design: Design) -> bytes:
    """What a design is known by: everything that decides how it grows, besides its tube."""
    rows = [
        (one.start, one.end, one.curvature, one.l_0, one.pressure, SIDES[one.side], float(one.on))
        for one in design.sections
    ]
    schedule = () if design.schedule is None else (design.schedule.lengths, np.ravel(design.schedule.pressures))
    numbers = np.concatenate([[design.length], np.ravel(rows), *schedule])
    return blake2b(numbers.tobytes(), digest_size=DIGEST).digest()
