"""OMPL with a seed, and without its log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_ompl(seed: int | None = None) -> Iterator[None]:
    """Suppress OMPL's log, and seed the random generators that its objects make from now on.

    OMPL logs an error for a second seed in one process but accepts it: the same seed gives the same result. It also warns
    that RRT* needs symmetric distances. Ours are not symmetric, but because validity is checked in the order of costs
    (the default), a neighbour is rewired only along a motion that was checked in that direction.

    Args:
        seed: Any integer that is not negative; None leaves the generators as they are.
    """
    from ompl import util

    before = util.getLogLevel()
    util.setLogLevel(util.LOG_NONE)
    try:
        if seed is not None:
            util.RNG.setSeed(1 + seed % (2**32 - 2))
        yield
    finally:
        util.setLogLevel(before)
