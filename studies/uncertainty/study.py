"""Success of planned designs under errors, in trials that no plan has seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import Any

from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.design.replay import grow_designs
from planner.plan.choice.front import Choice, Passed
from planner.plan.inputs import Inputs
from planner.plan.plan import Result
from planner.search.solutions import REFINED
from studies.uncertainty.fresh_trials import FreshTrials, count_pair, grow_in_trials, make_fresh_worlds, plan_in_full

TARGETS = {
    "plus": (85, 3),
    "maze": (90, 3),
    "pickone": (90, 3),
    "needle": (90, 3),
    "long": (85, 6),
    "tube": (98, 0),
    "divider": (90, 3),
}
"""Environments of paper 002, and what the chosen designs should have there under the errors of a workshop: success [%], and actuators
at most."""
ENVIRONMENTS = *TARGETS, "spiral", "building"
"""Environments in which designs are planned."""
FINE = 100
"""Number of trials that are grown again with an eighth of the step."""
OTHER_ERRORS: dict[str, dict[str, Any]] = {
    "no friction": {"friction": (0.0, 0.0)},
    "compliance of contacts 30 %": {"contact_share": 0.3},
}
"""Changes of the errors, to learn which of them matter; no preset has an error of the compliance, and 30 % is an assumption."""
VERIFYING = "impulse", "penalty"
"""Propagators with which the chosen designs are grown too."""
LONGEST = {"penalty": 6.0}
"""Length of the longest tube that a propagator grows here [m]: `penalty` takes minutes for longer ones."""


@dataclass(frozen=True, slots=True)
class AblationStages:
    """Time of the stages of a plan [s]."""

    first: float
    """From the beginning to the first solution as planned."""
    search: float
    """Both searches, without friction and with the typical one."""
    refinement: float
    trials: float

    @classmethod
    def of(cls, result: Result, choice: Choice) -> AblationStages:
        """Return the stages of a plan that has a solution."""
        return cls(
            result.history[0].seconds, result.seconds + choice.friction_search_s, choice.refinement_s, choice.trials_s
        )

    def content(self) -> dict[str, float]:
        """Content for a JSON file."""
        return {f"{stage}_s": round(seconds, 3) for stage, seconds in asdict(self).items()}


@dataclass(frozen=True, slots=True, eq=False)
class DesignsUnderErrors:
    """The designs of one plan, and their success in fresh trials."""

    design: Design
    """The chosen design."""
    stages: AblationStages
    lowest: FreshTrials
    """The design of lowest cost that the search found, which `--fast` looks for."""
    chosen: FreshTrials
    """The chosen design."""
    fine: FreshTrials
    """The chosen one in the first `FINE` trials, with an eighth of the growth step."""
    other_errors: dict[str, FreshTrials]
    """The chosen one in the same trials with the changes of `OTHER_ERRORS`."""
    front: dict[int, Estimate]
    """Success of each number of actuators in the trials of the plan."""
    rounds: list[Passed]
    """Success after each round of the plan."""
    ended: str
    """Why the plan ended."""
    verified: dict[str, bool] = field(default_factory=dict)
    """Whether the chosen one, as planned, reaches the goal with other propagators too; found for all seeds together, see `_verify`."""

    @property
    def coarse(self) -> FreshTrials:
        """The chosen one in the trials of `fine`."""
        return replace(self.chosen, reached=self.chosen.reached[: len(self.fine.reached)])

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "stages": self.stages.content(),
            "lowest_cost": {"actuators": self.lowest.actuators, "reached_of": count_pair(self.lowest.estimate)},
            "chosen": {"actuators": self.chosen.actuators, "reached_of": count_pair(self.chosen.estimate)},
            "chosen_at_the_step": count_pair(self.coarse.estimate),
            "chosen_at_an_eighth_of_the_step": count_pair(self.fine.estimate),
            "chosen_with_other_errors": {name: count_pair(one.estimate) for name, one in self.other_errors.items()},
            "front": {str(actuators): count_pair(one) for actuators, one in self.front.items()},
            "rounds": [one.content() for one in self.rounds],
            "ended": self.ended,
            "verified": self.verified,
        }


@dataclass(frozen=True, slots=True, eq=False)
class PlanOutcome:
    """One plan of the study."""

    environment: str
    seed: int
    designs: DesignsUnderErrors | None
    """None if no design was found."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file; without a design, `stages` and what follows is missing."""
        return {"environment": self.environment, "seed": self.seed, **(self.designs.content() if self.designs else {})}

    def __str__(self) -> str:
        found = self.designs.chosen.words if self.designs else "no design"
        return f"{self.environment}, seed {self.seed}: {found}"


def run_cases(cases: Sequence[tuple[str, int]], seconds: float, errors: str) -> Iterator[PlanOutcome]:
    """Plan each case, and grow its designs in fresh trials.

    Args:
        cases: Environments and seeds, those of one environment one after the other.
        seconds: Time budget of each plan [s].
        errors: Name of the uncertainty.
    """
    for name, some in groupby(cases, key=lambda case: case[0]):
        environment, found = load_environment(name, VineParams().radius), list[DesignsUnderErrors]()
        for _, seed in some:
            result = plan_in_full(environment, Inputs(seed=seed, time_budget_s=seconds, uncertainty=errors))
            designs = _test_designs(environment, result) if result.choice else None
            found += [designs] if designs else []
            yield PlanOutcome(environment.name, seed, designs)
        _verify(found, environment)


def _test_designs(environment: Environment, result: Result) -> DesignsUnderErrors:
    choice, best = result.choice, result.run.best
    assert choice is not None  # the caller has checked it, and a choice needs a solution
    assert best is not None
    worlds, chosen = make_fresh_worlds(environment, choice.uncertainty), choice.chosen.design
    return DesignsUnderErrors(
        chosen,
        AblationStages.of(result, choice),
        grow_in_trials(best.design, worlds),
        grow_in_trials(chosen, worlds),
        grow_in_trials(chosen, worlds.refined(REFINED), FINE),
        {
            name: _grow_with_changes(chosen, environment, choice.uncertainty, changes)
            for name, changes in OTHER_ERRORS.items()
        },
        {one.design.actuators: one.estimate for one in choice.front},
        choice.rounds,
        result.reason,
    )


def _grow_with_changes(
    design: Design, environment: Environment, errors: Uncertainty, changes: dict[str, Any]
) -> FreshTrials:
    return grow_in_trials(design, make_fresh_worlds(environment, replace(errors, **changes)))


def _verify(found: Sequence[DesignsUnderErrors], environment: Environment) -> None:
    """Grow the chosen designs of all seeds with the other propagators: by `penalty`, ten take little longer than one."""
    for name in VERIFYING:
        some = [one for one in found if one.design.length <= LONGEST.get(name, math.inf)]
        if some:
            other = load_propagator(name)(environment, VineParams())
            for one, grown in zip(some, grow_designs([one.design for one in some], environment, other), strict=True):
                one.verified[name] = grown.reached
