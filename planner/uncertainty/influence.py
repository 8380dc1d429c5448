"""How far the success of trials depends on each of the causes that vary in them all at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surrogate.kernels.compiled import Floats

LEVEL = 0.05
"""Probability that any cause without effect is taken for one with an effect [-]."""
PERMUTATIONS = 399
"""Number of permutations of the results of the trials."""
LEAST_BIN, MOST_BINS = 15, 40
"""Trials in a bin, at least; and number of bins of a cause, at most."""
CHUNK = 256
"""Number of causes compared at once, which bounds the memory."""
SAME = 1e-9
"""Difference of scores, or share of a feature left after projection, that is rounding [-]."""


def compute_chances(causes: Sequence[Floats], reached: NDArray[np.bool_]) -> Floats:
    """Compute the probability that chance alone relates any cause at least as strongly with success as each one is related.

    A relation is the share of the variance of success that a parabola in the components of a cause explains, so that a cause that
    fails trials on both sides counts like one that fails them on one. The probability holds for all causes together: success is
    permuted among the trials, and each relation compared with the strongest of every permutation (Westfall and Young 1993, max T).

    Args:
        causes: Values in all trials, each of shape (components, T), with 1 or 2 components.
        reached: Shape (T,).
    Returns:
        Shape (causes,).
    """
    labels = _permute(reached)
    observed, most = np.full(len(causes), -np.inf), np.full(PERMUTATIONS, -np.inf)
    for components in {len(one) for one in causes}:
        alike = [k for k, one in enumerate(causes) if len(one) == components]
        for first in range(0, len(alike), CHUNK):
            rows = alike[first : first + CHUNK]
            scores = _compute_scores(np.stack([causes[k] for k in rows]), labels)
            observed[rows] = scores[:, 0]
            np.maximum(most, scores[:, 1:].max(axis=0), out=most)
    return np.asarray((1 + (most >= observed[:, None] - SAME).sum(axis=1)) / (1 + PERMUTATIONS))


def _permute(reached: NDArray[np.bool_]) -> Floats:
    """Return success with mean 0 and norm 1, as it was and permuted, shape (1 + PERMUTATIONS, T)."""
    label = (reached - reached.mean()) / max(np.sqrt(len(reached)) * reached.std(), SAME)
    drawn = np.random.default_rng(0).permuted(np.tile(label, (PERMUTATIONS, 1)), axis=1)
    return np.concatenate([label[None], drawn])


def _compute_scores(values: Floats, labels: Floats) -> Floats:
    """Compute how strongly each cause is related with each row of labels, as a standard normal number without an effect.

    The statistic is chi-square distributed by its number of features; its cube root is nearly normal (Wilson and Hilferty 1931).

    Args:
        values: Shape (causes, components, T).
        labels: Shape (L, T).
    Returns:
        Shape (causes, L).
    """
    basis = _orthonormal(values)
    projected = (basis.reshape(-1, values.shape[-1]) @ labels.T).reshape(*basis.shape[:2], -1)
    statistic = (values.shape[-1] - 1) * (projected**2).sum(axis=1)
    degrees = np.maximum(basis.any(axis=-1).sum(axis=1), 1)[:, None]
    return np.asarray((np.cbrt(statistic / degrees) - 1 + 2 / (9 * degrees)) / np.sqrt(2 / (9 * degrees)))


def _orthonormal(values: Floats) -> Floats:
    """Return an orthonormal basis of the parabolas in the components: linear, squares, and the product of two.

    Returns:
        Shape (causes, features, T); 0 where a feature depends on those before it.
    """
    centred = values - values.mean(axis=-1, keepdims=True)
    product = [centred.prod(axis=1, keepdims=True)] if values.shape[1] == 2 else []
    basis = np.concatenate([centred, centred**2, *product], axis=1)
    basis -= basis.mean(axis=-1, keepdims=True)
    for k in range(basis.shape[1]):
        whole, before = np.linalg.norm(basis[:, k], axis=-1), basis[:, :k]
        for _ in range(2):  # once more, since rounding leaves a remainder
            basis[:, k] -= np.einsum("cf,cft->ct", np.einsum("cft,ct->cf", before, basis[:, k]), before)
        left = np.linalg.norm(basis[:, k], axis=-1)
        kept = left > SAME * whole
        basis[:, k] *= np.where(kept, 1 / np.where(kept, left, 1.0), 0.0)[:, None]
    return np.asarray(basis)


def estimate_share(values: Floats, reached: NDArray[np.bool_]) -> tuple[float, tuple[float, float]]:
    """Estimate the share of the variance of success that a cause explains alone: its first-order Sobol' index.

    Success is fitted by steps, in bins of as many trials each, and adjusted for their number. Two components are fitted as they are,
    and along and across the direction in which success changes most; the better fit counts. The interval is asymptotic, from the
    influence of each trial on the share. A sharp bound lies within a bin, so that an error which decides alone has a share of some
    0.9.

    Args:
        values: Shape (components, T).
        reached: Shape (T,), neither all true nor all false.
    Returns:
        The share and its 95 % interval [-], in 0 to 1.
    """
    result = reached - reached.mean()
    fits = [values, _turn(values, result)] if len(values) == 2 else [values]
    share, error = max((_fit(one, result) for one in fits), key=lambda fit: fit[0])
    low, middle, high = np.clip(share + 1.96 * error * np.array([-1, 0, 1]), 0.0, 1.0)
    return float(middle), (float(low), float(high))


def _fit(values: Floats, result: Floats) -> tuple[float, float]:
    """Fit a result of mean 0 by steps in each component; return the share of its variance explained, and its standard error."""
    trials = len(result)
    bins = int(np.clip(trials // LEAST_BIN, 2, MOST_BINS))
    ranks = np.argsort(np.argsort(values, axis=-1, kind="stable"), axis=-1, kind="stable")
    steps = (ranks * bins // trials)[:, :, None] == np.arange(1, bins)
    features = np.concatenate([np.ones((trials, 1)), *steps.astype(float)], axis=1)
    free = trials - features.shape[1]
    if free < 1:
        return 0.0, 1.0
    # Normal equations: steps are well conditioned, and so few numbers need no threads.
    left = result - features @ np.linalg.lstsq(features.T @ features, features.T @ result, rcond=None)[0]
    # Of a mean of `free` squares, since the fit takes one for each feature.
    parts, variance = left**2 * (trials - 1) / free, result.var()
    unexplained = parts.mean() / variance
    return 1 - unexplained, float(np.std((parts - unexplained * result**2) / variance) / np.sqrt(trials))


def _turn(values: Floats, result: Floats) -> Floats:
    """Turn two components so that one is that along which a parabola fitted to the result changes most.

    The directions are the eigenvectors of the mean product of the gradient with itself (Constantine 2014, active subspaces).

    Args:
        values: Shape (2, T).
    """
    x, y = (values - values.mean(axis=-1, keepdims=True)) / values.std(axis=-1, keepdims=True)
    features = np.stack([np.ones(len(x)), x, y, x**2, x * y, y**2], axis=1)
    _, *slope, xx, xy, yy = np.linalg.lstsq(features, result, rcond=None)[0]
    curvature = np.array([[2 * xx, xy], [xy, 2 * yy]])
    directions = np.linalg.eigh(np.outer(slope, slope) + curvature @ curvature)[1]
    return np.asarray(directions.T @ np.stack([x, y]))
