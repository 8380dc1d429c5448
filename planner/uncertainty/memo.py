"""Memo of trials: how near designs came to the goal. A result depends on the design and the trial alone, not on the other vines of
its batch, so no result is computed twice: a resumed plan repeats its decisions in almost no time from the memo."""

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
"""Number of bytes of the digest of a design."""
AS_PLANNED = -1
"""Stands for the number of the trial in which everything is as planned."""
MOST_TRIALS = 2**53
"""Numbers of trials are below this: results hold them as floats, exactly."""
TRIAL, NEAREST, LAST, WHEN = range(4)
"""Rows of the results of a design: number of the trial, distances from the goal's edge [m], and when it was grown [s]."""
SIDES = {"left": 1.0, "right": -1.0, "none": 0.0}


class TrialMemo:
    """Distances from the goal that designs came to in trials, and a clock of the time that the trials took.

    The clock stands until `begin`, which starts it at the time that had passed before the present budget. A result
    that an earlier process grew moves it forward to when it was grown, so that what depends on the time is decided as it was
    then. Before anything new is grown it moves forward by all the time of that process.
    """

    def __init__(self) -> None:
        self._of: dict[bytes, Floats] = {}
        self.base = self._before = 0.0
        """Time of the budgets before the present budget [s]."""
        self._began = 0.0
        self._paused: float | None = 0.0
        """Reading of the clock while it stands still [s]; None while it runs."""
        self.asked = 0
        """Number of segments of all vines whose results were asked for, known ones too: work, whatever the machine."""

    def begin(self) -> None:
        """Start the clock, or let it go on."""
        self._began = time.perf_counter() - max(self.base, self.seconds)
        self._paused = None

    def pause(self) -> None:
        """Stop the clock until it is started again."""
        self._paused = self.seconds

    @property
    def seconds(self) -> float:
        """Reading of the clock [s]."""
        return time.perf_counter() - self._began if self._paused is None else self._paused

    @property
    def spent(self) -> float:
        """Time of this process, or of an earlier one if that was longer [s]."""
        return max(self._before, self.seconds)

    @property
    def count(self) -> int:
        """Number of results."""
        return sum(results.shape[1] for results in self._of.values())

    def evaluate(
        self, designs: Sequence[Design], trials: Sequence[int | None], grow: Callable[[NDArray[np.bool_]], Floats]
    ) -> Floats:
        """Return the distances from the goal of designs in trials; grow only designs whose results are missing.

        Args:
            trials: Their numbers, None for as planned.
            grow: Grows the pairs of design and trial that are set in a mask of shape (designs, trials); returns their `nearest`
                and `last` [m], shape (2, number of pairs).
        Returns:
            `nearest` and `last` of `planner.uncertainty.trials.compute_goal_distances`, shape (2, designs, trials) [m].
        """
        numbers = np.array([AS_PLANNED if one is None else one for one in trials], float)
        keys = [digest(design) for design in designs]
        values, missing = np.empty((2, len(keys), len(numbers))), np.ones((len(keys), len(numbers)), bool)
        self.asked += len(numbers) * sum(design.segments for design in designs)
        grown = 0.0
        for k, key in enumerate(keys):
            if key in self._of:
                results = self._of[key]
                at, which = np.nonzero(results[TRIAL][:, None] == numbers)
                values[:, k, which] = results[[NEAREST, LAST]][:, at]
                missing[k, which] = False
                grown = max(grown, results[WHEN, at].max(initial=0.0))
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

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return arrays for a file: digests of the N designs, number of results of each, and of all M results number of the trial,
        distances [m] and time [s], shapes (N, `DIGEST`), (N,) and (M,)."""
        every = np.concatenate([np.empty((4, 0)), *self._of.values()], axis=1)
        return {
            "designs": np.frombuffer(b"".join(self._of), np.uint8).reshape(-1, DIGEST),
            "counts": np.array([results.shape[1] for results in self._of.values()], np.int64),
            "trials": every[TRIAL].astype(np.int64),
            "nearest": every[NEAREST],
            "last": every[LAST],
            "when": every[WHEN],
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], spent: float, base: float) -> TrialMemo:
        """Restore a memo from the arrays of `to_arrays`, with its `spent` and `base` [s]."""
        made, ends = cls(), np.cumsum(arrays["counts"])[:-1]
        every = np.vstack([arrays[name] for name in ("trials", "nearest", "last", "when")])
        parts = np.split(every, ends, axis=1) if len(arrays["counts"]) else []
        made._of = {one.tobytes(): part.copy() for one, part in zip(arrays["designs"], parts, strict=True)}
        made._before, made.base = spent, base
        return made


def digest(design: Design) -> bytes:
    """Return the digest of all numbers that decide how a design grows, except its tube."""
    rows = [
        (one.start, one.end, one.curvature, one.l_0, one.pressure, SIDES[one.side], float(one.on))
        for one in design.sections
    ]
    schedule = () if design.schedule is None else (design.schedule.lengths, np.ravel(design.schedule.pressures))
    numbers = np.concatenate([[design.length], np.ravel(rows), *schedule])
    return blake2b(numbers.tobytes(), digest_size=DIGEST).digest()
