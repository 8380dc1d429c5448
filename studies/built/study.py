"""How well success is known after trials of built tubes, and how often tubes that fail can be made to work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from environments.environment import Environment
from environments.uncertainty import WORKSHOP
from planner.adapting.adapting import adapt
from planner.adapting.searching import Limit
from planner.built.posterior import Posterior, infer, predict_success
from planner.built.predicting import BuiltTube, Setting
from planner.built.trial import Trials
from planner.design.design import Design
from studies.built.bench import Bench
from studies.random_environments import find_environment
from vinewright.api import plan

ITERATIONS = 20
"""Iterations of the plans, whose seed is 0: with a number of iterations their results do not depend on the machine."""
KNOWN, TRIED = 200, 100
"""Numbers of growths from which the true success of a tube is known, as it is and after a change."""
TRIALS = (5, 10)
"""Numbers of growths after which success is predicted."""
FAILS = 0.5
"""A tube fails if it reaches the goal in less than this share of its growths [-], and works from `WORKS` on."""
WORKS = 0.8
BEST = "the one predicted to be best"
LEAST = 0.01
"""Least probability of a result, for its logarithm [-]."""


@dataclass(frozen=True, slots=True)
class BenchCase:
    """One bench."""

    environment: str
    number: int
    samples: int
    """Number of samples of the posterior."""
    budget: float
    """Time to adapt a tube that fails [s]; 0 to adapt none."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Success as predicted after some growths."""

    growths: int
    mean: float
    low: float
    high: float
    simulated: int
    """Number of growths simulated for the inference."""


@dataclass(frozen=True, slots=True)
class Rescue:
    """A change, and the success that it truly brings."""

    name: str
    predicted: float
    true: float
    seconds: float


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Results of one bench."""

    case: BenchCase
    true: float
    """Success of the tube as it is [-]."""
    predictions: tuple[Prediction, ...]
    """Before any growth, and after `TRIALS`."""
    rescues: tuple[Rescue, ...] = ()

    def __str__(self) -> str:
        told = ", ".join(f"{100 * one.mean:.0f}" for one in self.predictions)
        return f"{self.case.environment} {self.case.number}: {told} % predicted, {100 * self.true:.0f} % true"

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.case.environment,
            "bench": self.case.number,
            "true": self.true,
            "predictions": [
                {
                    "growths": one.growths,
                    "mean": round(one.mean, 4),
                    "low": round(one.low, 4),
                    "high": round(one.high, 4),
                    "simulated": one.simulated,
                }
                for one in self.predictions
            ],
            "rescues": [
                {
                    "change": one.name,
                    "predicted": round(one.predicted, 4),
                    "true": one.true,
                    "seconds": round(one.seconds, 1),
                }
                for one in self.rescues
            ],
        }


@lru_cache(maxsize=8)
def find_design(name: str) -> tuple[Design, Environment]:
    """Plan the design that is built in an environment."""
    environment = find_environment(name)
    best = plan(environment, iterations=ITERATIONS, seed=0).best
    if best is None:
        raise ValueError(f"no design for {name} in {ITERATIONS} iterations")
    return best, environment


@lru_cache(maxsize=8)
def promise(name: str, samples: int) -> Prediction:
    """Predict the success of a design before any of its tubes has grown."""
    design, environment = find_design(name)
    return _predict(infer(BuiltTube(design, environment, WORKSHOP), Trials(""), samples=samples), 0)


def _predict(posterior: Posterior, growths: int, seed: int = 0) -> Prediction:
    success = predict_success(posterior, seed=seed)
    return Prediction(growths, success.mean, *success.interval, posterior.growths)


def run_case(case: BenchCase) -> BenchResult:
    """Build, measure, predict, and adapt one tube."""
    design, environment = find_design(case.environment)
    bench = Bench(design, environment, WORKSHOP, case.number)
    measured = bench.measure(design, max(TRIALS))
    true = float(bench.grow(Setting(design), KNOWN)[0].mean())
    tube = BuiltTube(design, environment, WORKSHOP)
    predictions, rescues = [promise(case.environment, case.samples)], []
    for growths in TRIALS:
        known = replace(measured, growths=measured.growths[:growths])
        posterior = infer(tube, known, samples=case.samples, seed=case.number)
        predictions.append(_predict(posterior, growths, case.number))
    if true < FAILS and case.budget:
        for one in adapt(posterior, limit=Limit(case.budget), seed=case.number):
            reached = float(bench.grow(one.setting, TRIED)[0].mean())
            rescues.append(Rescue(one.name, one.success.mean, reached, one.seconds))
    return BenchResult(case, true, tuple(predictions), tuple(rescues))


def coverage(results: Sequence[BenchResult], growths: int) -> tuple[float, int]:
    """Return the share of benches whose true success lies within the interval predicted after some growths, and their number."""
    within = [
        one.low - 0.5 / KNOWN <= result.true <= one.high + 0.5 / KNOWN
        for result in results
        for one in result.predictions
        if one.growths == growths
    ]
    return float(np.mean(within)), len(within)


def log_score(results: Sequence[BenchResult], growths: int) -> float:
    """Return the mean logarithm of the probability that was predicted for the outcome of further growths; 0 is perfect."""
    scores = []
    for result in results:
        for one in result.predictions:
            if one.growths == growths:
                chance = float(np.clip(one.mean, LEAST, 1 - LEAST))
                scores.append(result.true * np.log(chance) + (1 - result.true) * np.log(1 - chance))
    return float(np.mean(scores))


def rescued(results: Sequence[BenchResult]) -> list[tuple[str, int, int]]:
    """Return for each change how many tubes that fail it makes work, and how many there are; last for the one predicted to be best."""
    failed = [result for result in results if result.rescues]
    names = list(dict.fromkeys(one.name for result in failed for one in result.rescues))
    best = [max(result.rescues, key=lambda one: one.predicted) for result in failed]
    alone = [
        (
            name,
            sum(any(one.name == name and one.true >= WORKS for one in result.rescues) for result in failed),
            len(failed),
        )
        for name in names
    ]
    return [*alone, (BEST, sum(one.true >= WORKS for one in best), len(failed))] if failed else []
