"""Collapse of the cross-section: a tube that bends too far folds at one place, where its moment falls.

Before the collapse the moment is one of curvature (`dynamics.moment.restoring_moment`), that is of bend per length. A fold is a
point: its moment is one of the fold's angle, however short the segments are. A joint that folds is both in series: its segment
bends evenly under the moment that the fold still carries, and the fold takes the rest of the bend.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surrogate.kernels.compiled import Floats

FOLDS = 20_000
"""Intervals of fold angles over which the bend of a joint is tabulated."""


def remaining_share(fold: ArrayLike) -> Floats:
    """Moment of a fold over that at which it began [-].

    Two straight halves that turn about the outer wall would overlap at the inner wall, by 2 R tan(fold / 2) each. That film tucks
    into the tube and leaves it the height H = 2 R (1 - tan(fold / 2)) at the fold. A tube of circumference 2 pi R squeezed to
    h = H / 2 R has the area pi R^2 h (2 - h), whose centre is R h from the outer wall, so the pressure bends it straight with
    pi P R^3 h^2 (2 - h): pi P R^3 for an open tube (Comer and Levy, 1963), and nothing beyond a right angle, where it is closed.
    This law is an assumption of this project; results/validation compares it with recorded tubes.

    Args:
        fold: Fold angle [rad], at least 0, any shape.
    """
    height = 1.0 - np.tan(np.minimum(np.asarray(fold, float), np.pi / 2) / 2)
    return np.asarray(height**2 * (2.0 - height))


def folding_moment(bends: Floats, moments: Floats, most: float, ratio: float) -> Floats:
    """Moment of joints that may fold [N m].

    Where the fold sheds moment faster than its segment straightens, the joint folds in one jump: no bend in between is an
    equilibrium.

    Args:
        bends: Bend of `JointMoments.length` of tube [rad], rising, shape (n,).
        moments: Moment there without a fold [N m], rising, shape (n,).
        most: Moment at which the cross-section collapses [N m].
        ratio: `JointMoments.length` over the length of a segment [-].
    Returns:
        Moments [N m], shape (n,), those of `moments` up to the collapse.
    """
    if most >= moments[-1]:  # the moment stays just below pi P R^3
        return moments
    fold = np.linspace(0.0, np.pi, FOLDS + 1)
    falling = most * remaining_share(fold)
    # Below the transition, where the table begins, the moment is proportional to the bend.
    even = np.interp(falling, np.concatenate([[0.0], moments]), np.concatenate([[0.0], bends]))
    folded = np.maximum.accumulate(even + ratio * fold)
    return np.where(bends < folded[0], moments, np.interp(bends, folded, falling))
