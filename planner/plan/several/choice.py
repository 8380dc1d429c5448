"""The front of tubes for several environments, and the one to make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from environments.uncertainty import Uncertainty
from planner.plan.choice.front import Choice
from planner.plan.choice.selection import Selection
from planner.plan.effort import Effort
from planner.plan.enough import shortfall
from planner.plan.several.selection import CommonChampion


@dataclass(slots=True)
class CommonChoice:
    """The front of tubes for several environments, and the chosen one."""

    errors: list[tuple[str, Uncertainty]]
    """Name and uncertainty of each environment."""
    wanted: float
    """Required success rate in every environment [-]."""
    front: list[CommonChampion]
    """Fewest actuators first."""

    @property
    def worst(self) -> Choice:
        """The front and the choice by the success of each tube in its worst environment, after trials."""
        worst = [replace(one.worst, outside=one.outside) for one in self.front]
        return Choice("", Uncertainty(), self.wanted, worst)

    @property
    def chosen(self) -> int:
        """Index of the tube with the fewest actuators that is enough in its worst environment; see `Choice.chosen`."""
        if not self.front[0].each[0].estimate.trials:
            arriving = (k for k, one in enumerate(self.front) if not one.outside)
            return next((k for k, one in enumerate(self.front) if one.sound), next(arriving, 0))
        worst = self.worst
        return worst.front.index(worst.chosen)

    @property
    def champion(self) -> CommonChampion:
        """The chosen tube."""
        return self.front[self.chosen]

    @property
    def tried(self) -> bool:
        """Whether its success was tried."""
        return self.champion.each[0].estimate.trials > 0

    @property
    def met(self) -> bool:
        """Whether the chosen tube is enough in every environment."""
        return not self.shortfall

    @property
    def shortfall(self) -> str:
        """Shortfall of the chosen tube from what is wanted, in each environment, as text; "" if it is enough."""
        each = (shortfall(self.wanted, one.outside, one.estimate, one.design.environment) for one in self.champion.each)
        return "; ".join(said for said in each if said)

    def of(self, k: int) -> Choice:
        """Return the front and the choice for the k-th environment."""
        name, uncertainty = self.errors[k]
        return Choice(name, uncertainty, self.wanted, [one.each[k] for one in self.front], picked=self.chosen)

    def add(self, champion: CommonChampion) -> None:
        """Add a tube to the front, which keeps one of those with as many actuators: of those that end in every goal as planned the
        likeliest in its worst environment."""
        alike = [one for one in (*self.front, champion) if one.actuators == champion.actuators]
        best = max(alike, key=lambda one: (not one.outside, one.worst.estimate.reached))
        others = [one for one in self.front if one.actuators != champion.actuators]
        self.front = sorted([*others, best], key=lambda one: one.actuators)

    def add_trials(self, selections: Sequence[Selection], until_sure: bool) -> None:
        """Try tubes in each environment, block by block, while there is time and one needs it.

        Args:
            until_sure: Whether trials end once the success of the chosen tube is certain, see `Choice.next_to_try`; otherwise it is
                tried as often as the effort allows, and then the others.
        """
        effort = selections[0].effort
        while selections[0].left() > 0:
            tried = self._certain_after(effort) if until_sure else self._untried(effort)
            if tried is None:
                return
            one = self.front[tried]
            count = one.each[-1].estimate.trials + effort.block
            each = zip(selections, one.each, strict=True)
            made = tuple(own.with_trials(part, count) for own, part in each)
            counts = {part.estimate.trials for part in made}
            if len(counts) > 1:
                return  # time ran out between two environments: all keep the same number of trials
            self.front[tried] = CommonChampion(made)

    def _certain_after(self, effort: Effort) -> int | None:
        """Index of the tube whose trials are to go on until all is certain; None if none needs it."""
        worst = self.worst
        following = worst.next_to_try(effort.chosen_trials, effort.other_trials, effort.other_trials)
        return None if following is None else worst.front.index(following)

    def _untried(self, effort: Effort) -> int | None:
        """Index of a tube that has fewer trials than the effort allows, the chosen one first; None if none has."""
        order = [self.chosen, *range(len(self.front))]
        limits = [effort.chosen_trials, *[effort.other_trials] * len(self.front)]
        pairs = zip(order, limits, strict=True)
        return next((k for k, limit in pairs if self.front[k].each[-1].estimate.trials < limit), None)
