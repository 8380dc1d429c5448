"""Contest of the designs that are refined, and how long: the time goes to those that promise most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.design.catalogue import Catalogue
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.plan.choice.refinement import NOT_IN_GOAL, Descent, race, with_another
from planner.plan.effort import Effort
from planner.uncertainty.trials import Worlds

MORE = 2
"""Maximum number of actuators of a design beyond the fewest."""
ALMOST = 0.7
"""Success rate from which on a design that does not improve any more is refined in more worlds [-]."""
SURE = 1e-3
"""Loss of a design that needs no more refinement [-]."""
ALIKE = 0.1
"""Difference in success that is worth one actuator while designs are refined [-]."""
HOPE = 0.8
"""Factor by which a generation of a heat is expected to reduce the loss [-], so that every design has its turn."""
TIRED = 0.05
"""Loss that a design seems to have in addition for each generation without a better one [-]: another one takes its turn."""


def gains(one: Descent) -> bool:
    """Whether more refinement in its worlds may improve a design."""
    return one.best.loss > SURE and (one.generations < one.effort.generations or one.idle < one.effort.patience)


def _proven_loss(one: Descent) -> tuple[int, float]:
    """Key that sorts designs: those compared in more worlds first, because few worlds flatter, and then by their loss."""
    return -one.worlds_used, one.best.loss


@dataclass(slots=True)
class Round:
    """Designs that joined a contest together, and how long it went on until others joined."""

    designs: list[Design]
    turns: int = 0
    """Number of calls of `Contest.turn`."""


class Contest:
    """Designs that are refined, and those that they came from."""

    def __init__(
        self,
        designs: Sequence[Design],
        worlds: Worlds,
        catalogue: Catalogue,
        seed: int,
        going: Callable[[], bool],
        effort: Effort,
    ) -> None:
        """Begin with some designs, see `join`.

        Args:
            worlds: Of which the first is as planned.
            going: Whether there is time left; without, only designs with the fewest actuators are compared.
        """
        self.worlds, self.catalogue, self.seed, self.going, self.effort = worlds, catalogue, seed, going, effort
        self.rng = np.random.default_rng(seed)
        self.levels = sorted({min(level + 1, len(worlds)) for level in effort.levels})
        """Numbers of worlds in which designs are compared, with that as planned."""
        self.refined: list[Descent] = []
        """Designs that are still refined, or were until they needed no more."""
        self.joined: list[Descent] = []
        """Descents in `refined` that came from the designs that joined last."""
        self.grown: Counter[int] = Counter()
        """Number of designs grown, by their number of actuators."""
        self._inserted: set[int] = set()
        self._restarts = 0
        self.fewest = min(design.actuators for design in designs)
        self.join(designs)

    def join(self, designs: Sequence[Design]) -> None:
        """Compare designs, and refine the best for each number of actuators up to `MORE` above the fewest, beside those before.

        Designs before may begin again and be given another actuator again: there is new time.
        """
        self._restarts = 0
        self._inserted.clear()
        self.fewest = min([self.fewest, *(design.actuators for design in designs)])
        self.refined = before = [one for one in self.refined if one.design.actuators <= self.fewest + MORE]
        for actuators in range(self.fewest, self.fewest + MORE + 1):
            if not self.refined or self.going():
                self._enter([design for design in designs if design.actuators == actuators], self.effort.starts)
        self.joined = self.refined[len(before) :]

    def _enter(self, designs: list[Design], count: int) -> None:
        """Compare designs with the same number of actuators, and refine the best `count` of them."""
        designs = list({design.sections: design for design in designs}.values())
        compared = race(designs, self.worlds, np.arange(self.levels[0]), self.effort.kept, self.effort)
        whole = [one for one in compared if len(one.nearest) == self.levels[0]]
        # Of designs that differ only beyond the goal one is enough.
        _, best = np.unique([one.loss for one in whole], return_index=True)
        for k in best[:count].tolist():
            self.refined = [*self.refined, Descent(whole[k], self.worlds, self.catalogue, self.seed, self.effort)]
        self.grown.update(design.actuators for design in designs)

    def turn(self, restarting: bool) -> Descent | None:
        """Refine what promises most, or compare it in more worlds where nothing is to be refined; returns it, or None at the end.

        Args:
            restarting: Whether designs may begin again.
        """
        one = self.next()
        if one is None and restarting and self.restart():
            one = self.next()
        if one is not None:
            self.advance(one)
            return one
        enough = self.levels[min(1, len(self.levels) - 1)]
        few = [one for one in sorted(self.refined, key=_proven_loss) if one.worlds_used < enough]
        if not few or not self.going():
            return None
        self._compare(few[0], enough)
        return few[0]

    def next(self) -> Descent | None:
        """The design to refine next; None if none needs it."""
        some = (one for one in self.refined if gains(one) or self._ready(one))
        return min(some, key=self._seeming_loss, default=None)

    def is_decided(self, wanted: float) -> bool:
        """Whether a design reaches the goal in the share of its worlds that is wanted, with its whole confidence interval, and those
        with fewer actuators certainly do not."""
        for one in sorted(self.refined, key=lambda one: one.design.actuators):
            worlds = one.worlds_used - 1
            low, high = Estimate(round(one.best.rate * worlds), worlds).interval
            if high >= wanted or one.best.loss >= NOT_IN_GOAL:
                return low >= wanted and one.best.loss < NOT_IN_GOAL
        return False

    def restart(self) -> bool:
        """Let all designs that are not sure begin again where they are; returns whether any does."""
        again = [one for one in self.refined if one.best.loss > SURE and self._restarts < self.effort.restarts]
        self._restarts += 1
        for one in again:
            one.restart()
        return bool(again)

    def _seeming_loss(self, one: Descent) -> float:
        hoped = one.best.loss * HOPE ** max(self.effort.heat - one.generations, 0)
        return hoped + ALIKE * (one.design.actuators - self.fewest) + TIRED * one.idle

    def _ready(self, one: Descent) -> bool:
        """Whether a design is to be refined in more worlds than so far."""
        sure = one.best.rate == 1.0 or (one.best.rate >= ALMOST and one.idle >= self.effort.stuck)
        return sure and one.worlds_used < self.levels[-1]

    def _compare(self, one: Descent, worlds: int) -> None:
        """Compare what was found last in so many worlds, if it was not and while there is time."""
        if one.worlds_used < worlds and self.going():
            one.compare_in(np.arange(worlds))

    def advance(self, one: Descent) -> None:
        """Grow one generation of a design; where it ends a heat, only the winner goes on, and others are made from it.

        In many worlds each part of this may take seconds, so it ends where the time does.
        """
        if self._ready(one):
            self._compare(one, next(level for level in self.levels if level > one.worlds_used))
        if gains(one) and self.going():
            self.grown[one.design.actuators] += one.generation(np.arange(one.worlds_used))
        rivals = [other for other in self.refined if other.design.actuators == one.design.actuators]
        if not any(other.generations < self.effort.heat and gains(other) for other in rivals) and self.going():
            self._end_heat(rivals)

    def _end_heat(self, rivals: list[Descent]) -> None:
        """Refine only the best of designs with the same number of actuators further; once, make designs with one more from it."""
        most, actuators = max(other.worlds_used for other in rivals), rivals[0].design.actuators
        for other in rivals:
            self._compare(other, most)
        winner = min(rivals, key=_proven_loss)
        self.refined = [other for other in self.refined if other is winner or other not in rivals]
        if actuators < self.fewest + MORE and actuators not in self._inserted and self.going():
            self._inserted.add(actuators)
            more = [with_another(winner.best.design, self.catalogue, self.rng) for _ in range(self.effort.inserted)]
            self._enter([design for design in more if design is not None], 1)

    @property
    def is_renewed(self) -> bool:
        """Whether a design that joined last became the most promising one, or the best one with fewer actuators than that."""
        leading, *others = self.winners()
        return leading in self.joined or any(
            one in self.joined and one.design.actuators < leading.design.actuators for one in others
        )

    def winners(self) -> list[Descent]:
        """The best design for each number of actuators, the most promising first."""
        best: dict[int, Descent] = {}
        for one in sorted(self.refined, key=_proven_loss):
            best.setdefault(one.design.actuators, one)
        leading = max(one.best.rate for one in best.values())
        return sorted(best.values(), key=lambda one: (one.best.rate < leading - ALIKE, one.design.actuators))
