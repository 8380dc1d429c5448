"""Errors that trials of a built tube told, as a normal distribution for files and trials: `[uncertainty.learnt]`."""

from __future__ import annotations

import numpy as np

from environments.learnt_errors import MOST_ERRORS, ROUNDED, LearntErrors
from environments.objects import obstacles_digest
from planner.built.posterior import Posterior
from planner.uncertainty.causes import UNITS, Cause, tube_digest
from surrogate.kernels.compiled import Floats

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
"""Standard normal numbers, and their weights, over which what differs between growths is averaged (Gauss-Hermite quadrature)."""
SHRINK = 0.99
"""Factor on correlations that rounding has made impossible [-], until they are possible."""


def learnt_errors(posterior: Posterior) -> LearntErrors | None:
    """Return the errors of which trials say something, as one growth of the tube has them; None if trials say nothing.

    Means, deviations and correlations are those of the samples, with the part of each error that differs between growths. The errors of the
    model are left out: they are none of the environment or the tube.
    """
    chosen = _told_causes(posterior)
    if not chosen:
        return None
    causes = [posterior.tube.unknowns[k] for k in chosen]
    known, differing = zip(
        *(_over_growths(cause, posterior.normal[:, k]) for cause, k in zip(causes, chosen, strict=True)), strict=True
    )
    middle = np.stack(known, axis=1)
    covariance = np.cov(middle.T, ddof=0).reshape(len(chosen), len(chosen)) + np.diag([one.mean() for one in differing])
    deviation = np.sqrt(np.diag(covariance))
    scale = np.where(deviation > 0, deviation, 1.0)
    return LearntErrors(
        tube_digest(posterior.tube.design),
        tuple(cause.key for cause in causes),
        tuple(_rounded(mean) for mean in middle.mean(axis=0).tolist()),
        tuple(_rounded(one) for one in deviation.tolist()),
        _possible(covariance / np.outer(scale, scale)),
        obstacles_digest(posterior.tube.environment),
    )


def _told_causes(posterior: Posterior) -> list[int]:
    """Return the numbers of the unknowns that a file states, in their order: at most as many as it may have, those told most."""
    unknowns, chosen = posterior.tube.unknowns, set[int]()
    for one in posterior.learnt():
        if one.cause.field != "model":
            more = chosen | _along(one.cause, unknowns)
            chosen = more if len(more) <= MOST_ERRORS else chosen
    return sorted(chosen)


def _along(cause: Cause, unknowns: list[Cause]) -> set[int]:
    """Return the numbers of a cause and of those that a file must state with it: of a bend all those with a part in common."""
    if cause.field != "curvature":
        return {k for k, one in enumerate(unknowns) if one.key == cause.key}
    sections = {k: set(np.atleast_1d(one.at[0]).tolist()) for k, one in enumerate(unknowns) if one.field == "curvature"}
    own = set(np.atleast_1d(cause.at[0]).tolist())
    kind = max((some for some in sections.values() if own <= some), key=len)
    return {k for k, some in sections.items() if some <= kind}


def _over_growths(cause: Cause, lasting: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of an error over the growths of each tube, in its unit, shape (samples,)."""
    share = cause.repeated
    normal = np.sqrt(1 - share**2) * lasting + share * NODES[:, None]
    values, weights = cause.value(normal) * UNITS[cause.unit], (WEIGHTS / WEIGHTS.sum())[:, None]
    mean = (weights * values).sum(axis=0)
    return mean, (weights * (values - mean) ** 2).sum(axis=0)


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")


def _possible(correlation: Floats) -> tuple[tuple[float, ...], ...]:
    """Round correlations so that there still are such errors."""
    found = np.array(correlation)
    while True:
        np.fill_diagonal(found, 1.0)
        rounded = np.round(np.clip(found, -1.0, 1.0), 3) + 0.0
        if np.linalg.eigvalsh(rounded)[0] >= -ROUNDED / 2:
            return tuple(tuple(row) for row in rounded.tolist())
        found *= SHRINK
