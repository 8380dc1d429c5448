"""Choice among designs by their success rate in trials with errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dynamics.propagator import Propagator
from environments.environment import Environment
from planner.design import Design, Section
from planner.replay import grow_designs
from planner.robustness.survey import Estimate
from planner.robustness.trials import Deviations, Spread, grow_trials
from planner.search.catalogue import Catalogue

LEVEL, THRESHOLD = 0.05, 0.9
"""Default level of the errors in trials, and default of the required success rate [-]."""
CANDIDATES = 40
"""Number of distinct solutions to choose from."""
MORE = 2
"""Maximum number of actuators of a candidate beyond that of the lowest-cost design."""
SLACK = MORE + 0.05
"""Maximum cost of a candidate above the lowest cost, in actuators: `MORE` actuators, plus 5 m of tube."""
FINAL = 1000
"""Number of trials that evaluate a chosen design."""
CHOOSING, EVALUATING = 2_000_000, 1_000_000
"""Number of the first trial for choosing, and for evaluating the choice; surveys use none of these trials."""
FIRST_RUNG, LAST_RUNG = 16, 128
"""Number of trials per design before the first halving: among all designs, and among the finalists."""
FINALISTS = 4
"""Number of finalists."""
VARIANTS, ROUNDS = 24, 3
"""Number of variants in each round of refinement, and number of rounds."""
SHIFT = 0.1
"""Standard deviation of the shift of a section's end in a variant [m]."""
BEND = 0.15
"""Standard deviation of the logarithm of a variant's curvature [-]."""
LEAST_CELLS = 2
"""Minimum number of cells of a section in a variant."""


@dataclass(frozen=True, slots=True, eq=False)
class Champion:
    """The most robust design with a given number of actuators, and its success in trials not used for its selection.

    The threshold is compared with the same estimate, so a rate that barely meets it is biased slightly upwards.
    """

    design: Design
    estimate: Estimate
    chosen_from: int
    """Number of designs that it was chosen from, including variants."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "actuators": self.design.actuators,
            "length_mm": round(1e3 * self.design.length, 3),
            "reached": self.estimate.reached,
            "trials": self.estimate.trials,
            "interval": [round(end, 4) for end in self.estimate.interval],
            "chosen_from": self.chosen_from,
        }


@dataclass(slots=True)
class Choice:
    """The chosen champion, and the criteria of the choice."""

    level: float
    """Level of obstacles and bending [-]."""
    threshold: float
    """Required success rate [-]."""
    lowest_cost: Champion
    """The planner's best design, found without trials."""
    champions: list[Champion] = field(default_factory=list)

    @property
    def evaluated(self) -> list[Champion]:
        """All designs to choose from, fewest actuators first."""
        return [self.lowest_cost, *self.champions]

    @property
    def met(self) -> bool:
        """Whether any design has the required success rate."""
        return any(champion.estimate.rate >= self.threshold for champion in self.evaluated)

    @property
    def chosen(self) -> Champion:
        """The first design with the required success rate, i.e. that with the fewest actuators.

        If there is none, the first whose confidence interval includes the highest rate of all.
        """
        highest = max(champion.estimate.rate for champion in self.evaluated)
        for champion in self.evaluated:
            if champion.estimate.rate >= self.threshold:
                return champion
        return next(champion for champion in self.evaluated if champion.estimate.interval[1] >= highest)

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "level": self.level,
            "threshold": self.threshold,
            "cheapest": self.lowest_cost.content(),
            "champions": [champion.content() for champion in self.champions],
            "chosen": self.chosen.content(),
        }


class Selection:
    """Successive halving (Karnin et al., 2013): a few trials of all designs, as many again of the better half, and so on."""

    def __init__(
        self,
        environment: Environment,
        spread: Spread,
        catalogue: Catalogue,
        seed: int,
        final: int,
        on_trials: Callable[[int], None],
        replayer: Propagator,
    ) -> None:
        """Prepare the selection.

        Args:
            replayer: Propagator that checks whether a variant ends in the goal without deviations.
            final: Number of trials that evaluate a champion, in addition to those that chose it.
            on_trials: Called with the number of trials after each batch.
        """
        self.environment, self.spread, self.catalogue = environment, spread, catalogue
        self.seed, self.final, self.on_trials = seed, final, on_trials
        self.rng, self.replayer = np.random.default_rng(seed), replayer
        self._next = CHOOSING

    def champions(self, designs: Sequence[Design]) -> Iterator[Champion]:
        """The most robust design for each number of actuators up to `MORE` above the minimum, fewest first."""
        counts = sorted({design.actuators for design in designs})
        # Solutions found before one of much lower cost may have more actuators than that.
        for actuators in [count for count in counts if count <= counts[0] + MORE]:
            some = [design for design in designs if design.actuators == actuators]
            best = self._halved(some, FINALISTS)
            for _ in range(ROUNDS):
                best = self._halved([*best, *self._variants(best)], FINALISTS)
            made = self._halved(best, 1, LAST_RUNG)[0]
            yield Champion(made, self.evaluate(made), len(some) + ROUNDS * VARIANTS)

    def evaluate(self, design: Design) -> Estimate:
        """Success of a design in the final trials."""
        return Estimate(self._reached(design, range(EVALUATING, EVALUATING + self.final)), self.final)

    def _reached(self, design: Design, trials: Sequence[int]) -> int:
        drawn = Deviations.drawn(design, self.environment, self.spread, trials, self.seed)
        reached = grow_trials(design, self.environment, drawn).reached
        self.on_trials(len(trials))
        return int(reached.sum())

    def _halved(self, designs: Sequence[Design], keep: int, rung: int = FIRST_RUNG) -> list[Design]:
        """The best `keep` designs, best first, by trials that were not used before.

        All designs are grown in the same trials. After each halving, the number of trials of the remaining ones is doubled.
        """
        left, reached, done = list(designs), [0] * len(designs), 0
        while len(left) > keep:
            trials = range(self._next, self._next + rung)
            reached = [count + self._reached(design, trials) for design, count in zip(left, reached, strict=True)]
            self._next += rung
            done, rung = done + rung, done + rung
            order = sorted(range(len(left)), key=lambda i: (-reached[i], left[i].length))[: max(keep, len(left) // 2)]
            left, reached = [left[i] for i in order], [reached[i] for i in order]
        return left

    def _variants(self, designs: Sequence[Design]) -> list[Design]:
        """Small variations of the given designs; only those that end in the goal without deviations."""
        drawn = [self._variant(designs[int(self.rng.integers(len(designs)))]) for _ in range(VARIANTS)]
        known = {design.sections for design in designs}
        made = {variant.sections: variant for variant in drawn if variant.sections not in known}
        grown = grow_designs([*made.values()], self.environment, self.replayer)
        return [one.design for one in grown if one.ends_in_goal]

    def _variant(self, design: Design) -> Design:
        """Move the end of one section, with or without the sections after it, or change the curvature of one section."""
        sections, segment = list(design.sections), design.params.segment_length
        k = int(self.rng.integers(len(sections)))
        changed, following = sections[k], sections[k + 1 :]
        shift = segment * round(self.rng.normal(0.0, SHIFT) / segment)
        if changed.side != "none" and self.rng.random() < 0.5:
            reachable = self.catalogue.reachable
            wanted = np.clip(changed.curvature * np.exp(self.rng.normal(0.0, BEND)), *reachable)
            sections[k] = _bent(changed, self.catalogue, float(wanted))
        else:
            moved = [replace(section, start=section.start + shift, end=section.end + shift) for section in following]
            if moved and self.rng.random() < 0.5:
                moved = [replace(following[0], start=following[0].start + shift), *following[1:]]
            sections[k:] = [replace(changed, end=changed.end + shift), *moved]
        least = [max(LEAST_CELLS * section.l_0, segment) for section in sections]
        fits = all(s.end - s.start > length - 1e-9 for s, length in zip(sections, least, strict=True))
        return replace(design, sections=tuple(sections)) if fits else design


def _bent(section: Section, catalogue: Catalogue, curvature: float) -> Section:
    """The same section with the actuator whose curvature is nearest to a given one [1/m]."""
    entry = int(catalogue.synthesise([curvature])[0][0])
    return replace(
        section,
        curvature=float(catalogue.curvature[entry]),
        l_0=float(catalogue.l_0[entry]),
        pressure=float(catalogue.pressure[entry]),
    )
