"""Errors that recorded growths have in common, inferred from some of them; another growth is predicted with these."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.recording import Recording
from planner.built.likelihood import FREEDOM, MOST_POINTS
from planner.built.tempering import temper
from studies.as_recorded.growths import COMMON, Common, GrownShapes, Idea, RecordedGrowth
from surrogate.kernels.compiled import Floats

NOISE = 5e-3
"""Standard deviation of x and of y of a recorded point [m]."""
PARTS = 0.25, 0.5, 0.75, 1.0
"""Places of the points of a shape that count, along the recorded tube [-]; together as one point: they say nearly the same."""


def scale_of(common: Common, growth: RecordedGrowth, places: Floats) -> Floats:
    """Return the scale of the distance of recorded points from simulated ones, in x and in y [m], shape (T, places).

    The error of the model rises along the tube, to that of its end at the longest recorded length.
    """
    off = common.model[:, None] * growth.recording.tube_radius * places / growth.lengths.max()
    return np.asarray(np.hypot(NOISE, off))


RECORD = 12.5e-3
"""Length between two records of tubes that are compared [m]."""


class Likelihood:
    """Likelihood of recorded growths of one tube: points of `MOST_POINTS` frames each, evenly spaced along the growth.

    Distances are t-distributed, as those of tips in `planner.built.likelihood`: a tube that takes another way lies far off.
    """

    def __init__(self, growths: Sequence[RecordedGrowth], idea: Idea) -> None:
        """List the unknowns: what the growths have in common comes first."""
        self.growths, self.idea = growths, idea
        self.common = len(COMMON) + len(growths[0].shared)
        """Number of unknowns that the growths have in common."""
        ends = self.common + np.cumsum([len(one.own) for one in growths])
        self.columns = [slice(end - len(one.own), end) for one, end in zip(growths, ends.tolist(), strict=True)]
        self.unknowns = int(ends[-1])

    def __call__(self, normal: Floats) -> Floats:
        """Return the logarithm of the likelihood of each row of standard normal numbers."""
        common, shared = split_common(self.idea, normal[:, : self.common])
        fits = np.zeros(len(normal))
        for growth, columns in zip(self.growths, self.columns, strict=True):
            fits += fit_shapes(growth, growth.grow(common, shared, normal[:, columns], RECORD))
        return fits


def split_common(idea: Idea, normal: Floats) -> tuple[Common, Floats]:
    """Return common errors, and the standard normal numbers of those that growths share, shape (T, ...)."""
    return Common.of(idea, normal[:, : len(COMMON)]), normal[:, len(COMMON) :]


def fit_shapes(growth: RecordedGrowth, shapes: GrownShapes) -> Floats:
    """Return the logarithm of the likelihood of a recorded growth for each simulated one, shape (T,)."""
    fits = np.zeros(len(shapes.lengths))
    for frame in np.unique(np.linspace(0, len(growth.lengths) - 1, MOST_POINTS + 1).round().astype(int))[1:].tolist():
        length = float(growth.lengths[frame])
        places = length * np.array(PARTS)
        off = growth.recorded_points(frame, places) - shapes.points(length, places)
        scale = scale_of(shapes.common, growth, places)
        squared = (off**2).sum(axis=-1) / scale**2
        fits -= ((FREEDOM / 2 + 1) * np.log1p(squared / FREEDOM) + np.log(2 * np.pi * scale**2)).mean(axis=1)
    return fits


def learn(recordings: Sequence[Recording], idea: Idea, samples: int, seed: int) -> tuple[Floats, int]:
    """Infer the errors that recorded growths have in common.

    Returns:
        Standard normal numbers of samples of equal weight, shape (samples, ...), as in `split_common`, and how many of them differ.
    """
    likelihood = Likelihood([RecordedGrowth(one, idea) for one in recordings], idea)
    found = temper(likelihood, likelihood.unknowns, samples, np.random.default_rng([seed, 15]))
    return found.normal[:, : likelihood.common], found.different
