"""Each recorded growth predicted from the others: how near the prediction is, and how often its interval holds the tip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.recording import Recording
from planner.built.likelihood import FREEDOM
from planner.built.posterior import LEVEL
from studies.as_recorded.growths import IDEAS, GrownShapes, Idea, RecordedGrowth
from studies.as_recorded.learning import Lesson, learn, scale_of, split_common
from studies.validation.recordings import apart, deploy
from surrogate.kernels.compiled import Floats

SAMPLES = 128
"""Number of samples of a posterior."""
SPACING = 10e-3
"""Spacing of the points of a shape [m]."""
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """A recording to be predicted from others."""

    recording: Recording
    others: tuple[Recording, ...]
    idea: Idea


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """A recorded growth as predicted by samples of errors."""

    shapes: tuple[Floats, ...]
    """Mean of the predicted centrelines in each frame [m], shape (points, 2)."""
    errors: Floats
    """Root mean square distance of each recorded centreline from it [m], shape (frames,)."""
    tips: Floats
    """Predicted tips as they would be recorded [m], shape (frames, samples, 2)."""
    inside: Floats
    """Whether each recorded tip is in the interval (1 or 0), shape (frames,)."""
    radius: Floats
    """Radius of the circle with the area of each interval [m], shape (frames,)."""

    @property
    def mean(self) -> float:
        """Mean of the errors over the frames [m]."""
        return float(self.errors.mean())


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """A recording that was left out, and its predictions."""

    case: LeftOut
    lengths: Floats
    """Length of the tube in each frame [m]."""
    plain: Floats
    """Errors of the tube as in `vinewright validate` [m], shape (frames,)."""
    plain_shapes: tuple[Floats, ...]
    before: Forecast
    """From the errors that are stated, without any recording."""
    after: Forecast
    """From the errors that the other recordings leave."""
    lesson: Lesson


def list_cases(recordings: Sequence[Recording]) -> list[LeftOut]:
    """List each recording with the others, for each idea."""
    return [
        LeftOut(one, tuple(other for other in recordings if other is not one), idea)
        for idea in IDEAS
        for one in recordings
    ]


def run_cases(cases: Sequence[LeftOut]) -> Iterator[Prediction]:
    """Run cases in sequence."""
    for case in cases:
        yield predict(case)


def predict(case: LeftOut, samples: int = SAMPLES) -> Prediction:
    """Infer the common errors from the other recordings, and predict the one that is left out."""
    lesson = learn(case.others, case.idea, samples, SEED)
    growth = RecordedGrowth(case.recording, case.idea)
    plain = deploy(case.recording, "quasistatic", QuasiStatic)
    rng = np.random.default_rng([SEED, 16])
    unknown = rng.standard_normal(lesson.normal.shape)
    return Prediction(
        case,
        growth.lengths,
        plain.errors,
        plain.shapes,
        forecast(growth, unknown, rng),
        forecast(growth, lesson.normal, rng),
        lesson,
    )


def forecast(growth: RecordedGrowth, normal: Floats, rng: np.random.Generator) -> Forecast:
    """Predict a growth from common errors; those of its own are as stated.

    Args:
        normal: Standard normal numbers of the common errors, shape (samples, causes).
    """
    common, shared = split_common(growth.idea, normal)
    grown = growth.grow(common, shared, rng.standard_normal((len(normal), len(growth.own))))
    shapes, tips, errors, held = [], [], [], []
    for length, line in zip(growth.lengths.tolist(), growth.recording.centerlines, strict=True):
        places = np.append(np.arange(0.0, length, SPACING), length)
        points = grown.points(length, places)
        shapes.append(points.mean(axis=0))
        errors.append(apart(line, shapes[-1]))
        tips.append(_as_recorded(growth, grown, points[:, -1], length, rng))
        held.append(holds(tips[-1], line[-1]))
    inside, radius = np.array(held, float).T
    return Forecast(tuple(shapes), np.array(errors), np.array(tips), inside, radius)


def _as_recorded(
    growth: RecordedGrowth, grown: GrownShapes, tips: Floats, length: float, rng: np.random.Generator
) -> Floats:
    """Add the error of the model and of the recording to tips, shape (samples, 2)."""
    scale = scale_of(grown.common, growth, np.array([length]))
    wide = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, (len(tips), 1)))
    return np.asarray(tips + scale * wide * rng.standard_normal(tips.shape))


def holds(samples: Floats, point: Floats) -> tuple[bool, float]:
    """Say whether a point is in the ellipse that holds the share `LEVEL` of samples, and the radius of a circle of its area [m].

    The ellipse has the axes of the samples' covariance.
    """
    middle = np.median(samples, axis=0)
    covariance = np.cov((samples - middle).T)
    inverse = np.linalg.inv(covariance)
    squared = np.einsum("ni,ij,nj->n", samples - middle, inverse, samples - middle)
    limit = float(np.quantile(squared, LEVEL))
    own = float((point - middle) @ inverse @ (point - middle))
    return own <= limit, float(np.sqrt(limit * np.sqrt(np.linalg.det(covariance))))
