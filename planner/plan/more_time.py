"""Success that twice the time brought to plans, as measured: what a plan may expect that ends below the success wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from planner.plan.choice.front import Passed

MEASURED = Path(__file__).with_name("more_time.json")
"""Gains of the plans of the study `uncertainty`; `python -m studies.uncertainty.more_time` writes it."""
EDGES = 0.0, 0.2, 0.5, 0.8, 0.9
"""Success rates between which plans are counted together [-]."""
FEWEST_ROUNDS = 5
"""Minimum number of rounds for a statement."""
DOUBLED = 1.4, 2.9
"""Time after a round over the time after the round before within which it counts as doubled [-]."""


class Gain(NamedTuple):
    """Success after twice the time of plans that had a success in some range, all as shares of trials [-]."""

    least: float
    below: float
    rounds: int
    """Number of rounds of plans."""
    lower: float
    """Lower quartile."""
    median: float
    upper: float
    """Upper quartile."""

    @property
    def words(self) -> str:
        """The gain as a sentence."""
        least, below, lower, median, upper = (f"{100 * part:.0f}" for part in (*self[:2], *self[3:]))
        return (
            f"in {self.rounds} measured rounds of plans at {least} to {below} %, twice the time led to {median} % (median; "
            f"quartiles {lower} and {upper} %)"
        )


def measure_gains(plans: Iterable[Sequence[Passed]]) -> list[Gain]:
    """Return the gain between rounds of plans whose time about doubled, for each range of success that some had."""
    pairs = np.array(
        [
            (one.reached / one.trials, later.reached / later.trials)
            for rounds in plans
            for one, later in pairwise(rounds)
            if DOUBLED[0] <= later.seconds / one.seconds <= DOUBLED[1]
        ]
    ).reshape(-1, 2)
    found = []
    for least, below in pairwise(EDGES):
        later = pairs[(pairs[:, 0] >= least) & (pairs[:, 0] < below), 1]
        if len(later):
            found.append(Gain(least, below, len(later), *np.quantile(later, (0.25, 0.5, 0.75)).round(3).tolist()))
    return found


@cache
def _measured() -> list[Gain]:
    return [Gain(*row) for row in json.loads(MEASURED.read_text())]


def expected_gain(success: float) -> Gain | None:
    """Return the measured gain of plans with a success [-]; None if too few were measured."""
    alike = (one for one in _measured() if one.least <= success < one.below and one.rounds >= FEWEST_ROUNDS)
    return next(alike, None)
