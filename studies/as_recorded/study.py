"""Each recorded growth predicted from the others: how near the prediction is, and how often its interval holds the tip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.recording import Recording
from planner.built.likelihood import FREEDOM
from planner.built.posterior import LEVEL
from studies.as_recorded.growths import IDEAS, GrownShapes, Idea, RecordedGrowth
from studies.as_recorded.learning import learn, scale_of, split_common
from studies.validation.recordings import SimulatedRecording, apart, deploy
from surrogate.kernels.compiled import Floats

SAMPLES = 128
"""Number of samples of a posterior."""
GROWTHS = 4
"""Number of growths that are predicted with each sample, each with errors of its own."""
SPACING = 10e-3
"""Spacing of the points of a predicted shape [m]."""
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """A recording to be predicted from others."""

    recording: Recording
    others: tuple[Recording, ...]
    idea: Idea


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """A recorded growth as predicted by tubes with errors."""

    common: dict[str, Floats]
    """Errors of the tubes that all growths have in common, see `RecordedGrowth.values`."""
    shapes: tuple[Floats, ...]
    """Mean of the predicted centrelines in each frame [m], shape (points, 2)."""
    errors: Floats
    """Root mean square distance of each recorded centreline from it [m], shape (frames,)."""
    middles: Floats
    """Middle of the ellipse of each predicted tip [m], shape (frames, 2)."""
    ellipses: Floats
    """Matrix of the ellipse: half axes are the square roots of its eigenvalues [m2], shape (frames, 2, 2)."""
    inside: Floats
    """Whether each recorded tip is in it (1 or 0), shape (frames,)."""

    @property
    def mean(self) -> float:
        """Mean of the errors over the frames [m]."""
        return float(self.errors.mean())

    @property
    def radius(self) -> float:
        """Mean radius of circles with the areas of the ellipses [m]."""
        return float((np.linalg.det(self.ellipses) ** 0.25).mean())


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """A recording that was left out, and its predictions."""

    case: LeftOut
    lengths: Floats
    """Length of the tube in each frame [m]."""
    plain: SimulatedRecording
    """The default tube, as in `vinewright validate`."""
    before: Forecast
    """From the errors that are stated, without any recording."""
    after: Forecast
    """From the errors that the other recordings leave."""
    different: int
    """Number of samples of these errors that differ."""

    def __str__(self) -> str:
        numbers = (self.plain.mean, self.before.mean, self.after.mean)
        told = ", ".join(f"{1e3 * one:.1f}" for one in numbers)
        return f"{self.case.recording.name}, {self.case.idea.name}: {told} mm"

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "recording": self.case.recording.name,
            "idea": self.case.idea.name,
            "default_mm": round(1e3 * self.plain.mean, 2),
            "before_mm": round(1e3 * self.before.mean, 2),
            "after_mm": round(1e3 * self.after.mean, 2),
            "before_within": round(float(self.before.inside.mean()), 4),
            "after_within": round(float(self.after.inside.mean()), 4),
            "before_radius_mm": round(1e3 * self.before.radius, 1),
            "after_radius_mm": round(1e3 * self.after.radius, 1),
            "different_samples": self.different,
            "lengths_m": np.round(self.lengths, 4).tolist(),
            "default_errors_mm": np.round(1e3 * self.plain.errors, 2).tolist(),
            "after_errors_mm": np.round(1e3 * self.after.errors, 2).tolist(),
            "tip_within": self.after.inside.astype(int).tolist(),
        }


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
    learnt, different = learn(case.others, case.idea, samples, SEED)
    growth = RecordedGrowth(case.recording, case.idea)
    unknown = np.random.default_rng([SEED, 16]).standard_normal(learnt.shape)
    return Prediction(
        case,
        growth.lengths,
        deploy(case.recording, "quasistatic", QuasiStatic),
        forecast(growth, unknown),
        forecast(growth, learnt),
        different,
    )


def forecast(growth: RecordedGrowth, normal: Floats) -> Forecast:
    """Predict a growth from common errors; those of its own are as stated.

    Args:
        normal: Standard normal numbers of the common errors, shape (samples, ...).
    """
    rng = np.random.default_rng([SEED, 17])
    common, shared = split_common(growth.idea, np.repeat(normal, GROWTHS, axis=0))
    grown = growth.grow(common, shared, rng.standard_normal((len(shared), len(growth.own))))
    shapes, errors, found = [], [], []
    for length, line in zip(growth.lengths.tolist(), growth.recording.centerlines, strict=True):
        places = np.append(np.arange(0.0, length, SPACING), length)
        points = grown.points(length, places)
        shapes.append(points.mean(axis=0))
        errors.append(apart(line, shapes[-1]))
        found.append(find_ellipse(_as_recorded(growth, grown, points[:, -1], length, rng)))
    middles, ellipses = (np.array(part) for part in zip(*found, strict=True))
    off = np.array([line[-1] for line in growth.recording.centerlines]) - middles
    inside = np.einsum("ni,nij,nj->n", off, np.linalg.inv(ellipses), off) <= 1.0
    return Forecast(
        growth.values(common, shared), tuple(shapes), np.array(errors), middles, ellipses, inside.astype(float)
    )


def _as_recorded(
    growth: RecordedGrowth, grown: GrownShapes, tips: Floats, length: float, rng: np.random.Generator
) -> Floats:
    """Add the error of the model and of the recording to tips, shape (tubes, 2)."""
    scale = scale_of(grown.common, growth, np.array([length]))
    wide = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, (len(tips), 1)))
    return np.asarray(tips + scale * wide * rng.standard_normal(tips.shape))


def find_ellipse(points: Floats) -> tuple[Floats, Floats]:
    """Return middle and matrix of the ellipse that holds the share `LEVEL` of points, shape (n, 2), with the axes of their covariance."""
    middle = np.median(points, axis=0)
    covariance = np.cov((points - middle).T)
    squared = np.einsum("ni,ij,nj->n", points - middle, np.linalg.inv(covariance), points - middle)
    return middle, float(np.quantile(squared, LEVEL)) * covariance
