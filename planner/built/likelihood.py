"""Likelihood of what was measured: how well each measurement fits growths that are predicted with given errors.

Whether growths reached the goal is compared elsewhere, with the share of growths that do, see `planner.built.posterior`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.stats import multivariate_t, norm

from dynamics.moved_scene import move_points
from environments.objects import object_of
from planner.built.predicting import BuiltTube, Predicted, Setting
from planner.built.trial import BendTest, Growth, MeasuredPoint, MeasurementErrors, Trials
from planner.design.design import Design
from planner.uncertainty.deviations import SectionErrors, WorldErrors, measured_bends
from surrogate.kernels.compiled import Floats

STRANGE = 0.02
"""Probability that a growth is one that no model predicts, such as of a tube that was knocked, and a number one that was misread [-]."""
TUBES, GROWTHS = 24, 4
"""Number of tubes, and of growths of each, from which the spread between growths of one tube is estimated."""
FREEDOM = 4.0
"""Degrees of freedom of the t distribution of tips and lengths [-]: growths of one tube that find another way lie far apart."""
MOST_POINTS = 6
"""Number of tips of a recording that count, evenly spaced: those between them say the same."""

ReadPath = Callable[[str], Floats]
"""Returns the lengths and tips of a recording in the folder of the run [m], shape (n, 3): x, y, length."""


class Fit(NamedTuple):
    """How well one measurement fits tubes, shape (tubes,) each."""

    value: Floats
    """Logarithm of the likelihood."""
    strange: Floats
    """Probability that the measurement is one that no model predicts [-]."""


class Likelihood:
    """Likelihood of the trials of a built tube as a function of its errors."""

    def __init__(self, tube: BuiltTube, trials: Trials, read: ReadPath | None = None, seed: int = 0) -> None:
        """Prepare what does not depend on the errors.

        Args:
            read: Needed where growths have recordings.
            seed: Of what differs between growths; it is common to all tubes.
        """
        self.tube, self.trials = tube, trials
        self.paths = {
            growth.recording: _thin(read(growth.recording)) for growth in trials.growths if growth.recording and read
        }
        self.grown = 0
        """Number of growths predicted so far."""
        self.spread = self._find_spread(np.random.default_rng([seed, 7])) if trials.growths else (0.0, 0.0)
        """Standard deviations between growths of one tube, of the tip along x and y and of the length grown [m]."""

    def _find_spread(self, rng: np.random.Generator) -> tuple[float, float]:
        """Estimate `spread` from tubes of the prior: the median over tubes."""
        lasting, passing = (rng.standard_normal((count, len(self.tube.unknowns))) for count in (TUBES, GROWTHS))
        predicted = self._grow(self.tube.repeat(lasting, passing), None)
        tips = predicted.tip.reshape(TUBES, GROWTHS, 2)
        variance = np.nanmedian(np.nan_to_num(tips).var(axis=1, ddof=1).mean(axis=1))
        return float(np.sqrt(variance)), float(np.median(predicted.length.reshape(TUBES, GROWTHS).std(axis=1, ddof=1)))

    def _grow(self, normal: Floats, pressures: tuple[float, ...] | None) -> Predicted:
        self.grown += len(normal)
        return self.tube.grow(normal, Setting(with_pressures(self.tube.design, pressures)))

    def of_growths(self, lasting: Floats) -> Floats:
        """Return the logarithm of the likelihood of all growths of each tube, shape (tubes,).

        Args:
            lasting: Standard normal numbers of the errors of tubes, shape (tubes, unknowns).
        """
        return _sum(self.fit_growths(lasting), lasting)

    def of_parts(self, lasting: Floats) -> Floats:
        """Return the logarithm of the likelihood of bends and points, for which nothing has to grow, shape (tubes,)."""
        return _sum(self.fit_parts(lasting), lasting)

    def fit_growths(self, lasting: Floats) -> dict[str, Fit]:
        """Return how well each growth of which more is known than its result fits, by its name: `growth 3`."""
        found: dict[str, Fit] = {}
        measured = [(number, one) for number, one in enumerate(self.trials.growths, 1) if has_measures(one)]
        for pressures in dict.fromkeys(growth.pressures for _, growth in measured):
            predicted = self._grow(lasting, pressures)
            for number, growth in measured:
                if growth.pressures == pressures:
                    found[f"growth {number}"] = self._of_growth(growth, predicted)
        return found

    def fit_parts(self, lasting: Floats) -> dict[str, Fit]:
        """Return how well each bend and point fits, by its name: `bend of section 1 at 20 kPa`."""
        found: dict[str, Fit] = {}
        if self.trials.bends or self.trials.points:
            world, sections = self.tube.errors(lasting)
            for bend in self.trials.bends:
                name = f"bend of section {bend.section} at {1e-3 * bend.pressure:g} kPa"
                found[_new(name, found)] = _of_bend(bend, self.trials.errors, self.tube.design, world, sections)
            for point in self.trials.points:
                name = f"{point.obstacle} at {1e3 * point.planned[0]:g}, {1e3 * point.planned[1]:g} mm"
                found[_new(name, found)] = self._of_point(point, world)
        return found

    def _of_growth(self, growth: Growth, predicted: Predicted) -> Fit:
        errors, whole = self.trials.errors, self.tube.design.length
        tip, length = (float(np.hypot(*pair)) for pair in zip((errors.tip, errors.length), self.spread, strict=True))
        area = float(np.log(np.pi * whole**2))
        fits, strange = np.zeros(len(predicted.length)), 0.0
        tips = np.where(np.isnan(predicted.tip), self.tube.environment.start[:2], predicted.tip)
        # The tip of a recording is the last of its path.
        if growth.tip is not None and not growth.recording:
            fits += _spread(np.asarray(growth.tip) - tips, tip)
            strange -= area
        if growth.length is not None:
            fits += _spread(growth.length - predicted.length[:, None], length)
            strange -= float(np.log(whole))
        for x, y, at in self.paths.get(growth.recording or "", ()):
            fits += _spread(np.array([x, y]) - tips_at(predicted, at), tip)
            strange -= area
        return _or_strange(fits, strange)

    def _of_point(self, point: MeasuredPoint, world: WorldErrors) -> Fit:
        environment = self.tube.environment
        labels = [environment.obstacles.label(k) for k in range(len(environment.obstacles))]
        one = np.array([object_of(environment, labels.index(point.obstacle) + 1)])
        moved = move_points(environment, world.motions(environment), one, np.array([point.planned]))[:, 0]
        fits = _normal(np.asarray(point.measured) - moved, self.trials.errors.obstacle)
        extent = environment.bounds[2:] - environment.bounds[:2]
        return _or_strange(fits, -float(np.log(extent.prod())))


def has_measures(growth: Growth) -> bool:
    """Whether more is known of a growth than whether it reached the goal."""
    return growth.tip is not None or growth.length is not None or growth.recording is not None


def _sum(fits: dict[str, Fit], lasting: Floats) -> Floats:
    return np.asarray(sum((fit.value for fit in fits.values()), np.zeros(len(lasting))))


def with_pressures(design: Design, pressures: tuple[float, ...] | None) -> Design:
    """Return a design with other constant pressures [Pa] of its actuated sections; None for its own."""
    if pressures is None:
        return design
    given = iter(pressures)
    sections = tuple(
        replace(section, pressure=next(given)) if section.actuated else section for section in design.sections
    )
    return replace(design, sections=sections, schedule=None, success=None)


def tips_at(predicted: Predicted, length: float) -> Floats:
    """Return where tips are at a grown length [m], shape (T, 2); where they ended if they did not grow so far."""
    lengths = predicted.path[..., 2]
    count = (~np.isnan(lengths)).sum(axis=1)
    after = np.clip((lengths < length).sum(axis=1), 1, np.maximum(count - 1, 1))
    rows = np.arange(len(lengths))
    low, high = predicted.path[rows, after - 1], predicted.path[rows, np.minimum(after, lengths.shape[1] - 1)]
    between = high[:, 2] - low[:, 2]
    share = np.clip((length - low[:, 2]) / np.where(between > 0, between, 1.0), 0.0, 1.0)
    return np.asarray(low[:, :2] + share[:, None] * (high - low)[:, :2])


def _of_bend(
    bend: BendTest,
    errors: MeasurementErrors,
    design: Design,
    world: WorldErrors,
    sections: SectionErrors,
) -> Fit:
    pressures = [section.pressure for section in design.actuated]
    pressures[bend.section - 1] = bend.pressure
    bends = measured_bends(with_pressures(design, tuple(pressures)), sections, world)[:, bend.section - 1]
    return _or_strange(_normal(bend.bend - bends[:, None], errors.bend), -float(np.log(np.pi)))


def _normal(off: Floats, deviation: float) -> Floats:
    """Logarithm of the normal density of components of equal deviation, shape (T,)."""
    return np.asarray(norm.logpdf(off, scale=deviation).sum(axis=-1))


def _spread(off: Floats, scale: float) -> Floats:
    """Logarithm of the density of the t distribution of `FREEDOM`, in one or two dimensions, shape (T,)."""
    count = off.shape[-1]
    return np.asarray(multivariate_t.logpdf(off, shape=scale**2 * np.eye(count), df=FREEDOM)).reshape(len(off))


def _or_strange(fits: Floats, strange: float) -> Fit:
    """Combine the logarithms of the likelihoods of a measurement: as predicted, and as one that no model predicts."""
    usual, other = np.log(1 - STRANGE) + np.nan_to_num(fits, nan=-np.inf), np.log(STRANGE) + strange
    value = np.logaddexp(usual, other)
    return Fit(value, np.exp(other - value))


def _new(name: str, known: Collection[str]) -> str:
    """Return a name that is not known yet: a measurement that was repeated is numbered."""
    again = (f"{name}, measured again ({k})" for k in itertools.count(2))
    return next(one for one in itertools.chain([name], again) if one not in known)


def _thin(path: Floats) -> Floats:
    """Return `MOST_POINTS` points of a recorded path, evenly spaced from its second half segment to its end."""
    chosen = np.unique(np.linspace(0, len(path) - 1, MOST_POINTS + 1).round().astype(int))[1:]
    return np.asarray(path[chosen])
