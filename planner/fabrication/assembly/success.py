"""Success of the design of a pack under errors, in words for its documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.design_file import trials_content
from planner.design.estimate import UNTRIED, Success
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success

LEAST = 0.8
"""Success rate below which a pack warns."""
BLOCK = 100
"""Number of trials that are grown together."""
SEED = 0
"""Seed of the trials, that of the acceptance test."""

Watch = Callable[[int, int], None]
"""Called with the number of trials grown so far, and of all."""


def try_design(
    design: Design,
    environment: Environment,
    errors: tuple[str, Uncertainty],
    trials: int,
    watch: Watch | None = None,
) -> Success:
    """Grow a design in trials with errors, which are those of the acceptance test (`planner.uncertainty.bend_ranges`).

    Args:
        errors: Their name, and their numbers.
        trials: Number of trials.
    """
    name, uncertainty = errors
    numbers, reached = range(EVALUATING, EVALUATING + trials), np.zeros(0, bool)
    for first in range(0, trials, BLOCK):
        worlds = Worlds.draw(environment, design.params, uncertainty, numbers[first : first + BLOCK], SEED)
        reached = np.concatenate([reached, grow_trials(design, worlds).reached])
        if watch:
            watch(len(reached), trials)
    found = estimate_success(design, environment, uncertainty, numbers, SEED, reached)
    return Success(name, found.reached, found.trials, found.weakest)


@dataclass(frozen=True, slots=True)
class PackSuccess:
    """Success of a planned design, whether the pack differs from that design, and the success of the pack."""

    planned: Success | None
    """Trials of the planned design; None if it was not tried."""
    rounded: bool
    """Whether the sections of the pack differ from the planned ones."""
    made: Success | None = None
    """Trials of the design of the pack; None if it was not tried itself."""

    @classmethod
    def of(cls, planned: Design, made: Design) -> PackSuccess:
        """Take the success of a planned and of a made design, and compare their sections."""
        return cls(planned.success, not have_equal_sections(planned, made), made.success)

    @property
    def known(self) -> Success | None:
        """Success of the design of the pack, or else of the planned design; None if neither was tried."""
        return self.made or self.planned

    @property
    def text(self) -> str:
        """Success in sentences."""
        if self.made:
            if not self.rounded:
                return f"This design {self.made.words}."
            planned = f" As planned, it {self.planned.words}." if self.planned else ""
            return f"Rounded to whole cells, as in this pack, the design {self.made.words}.{planned}"
        if self.planned is None:
            return f"{UNTRIED[0].upper()}{UNTRIED[1:]}."
        if not self.rounded:
            return f"This design {self.planned.words}."
        return f"The planned design {self.planned.words}. Rounded to whole cells, as in this pack, it was not tried itself."

    @property
    def warning(self) -> str:
        """Advice for a low success; empty for a rate of at least `LEAST`, and without trials."""
        if self.known is None or self.known.rate >= LEAST:
            return ""
        return (
            f"{self.heading} Plan again with a longer --time-budget or, if you can build with smaller errors, with --uncertainty "
            "lasercut; otherwise place everything and cut with more care than usual."
        )

    @property
    def heading(self) -> str:
        """Warning in short."""
        return f"Less than {100 * LEAST:.0f} % of the trials of this design reach the goal."

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON file."""
        planned, made = (trials_content(one) if one else None for one in (self.planned, self.made))
        return {"trials": planned, "rounded": self.rounded, "trials_as_made": made}


def have_equal_sections(planned: Design, made: Design) -> bool:
    """Return whether two designs of the same tube have the same sections, to the rounding of a file."""
    first, second = ([(one.side, one.on, one.preformed, one.kind) for one in each.sections] for each in (planned, made))
    if first != second:
        return False
    pairs = zip(planned.sections, made.sections, strict=True)
    lengths = all(
        abs(getattr(one, part) - getattr(other, part)) < 1e-6
        for one, other in pairs
        for part in ("start", "end", "l_0")
    )
    pairs = zip(planned.sections, made.sections, strict=True)
    return lengths and all(abs(one.pressure - other.pressure) < 0.1 for one, other in pairs)
