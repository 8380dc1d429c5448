"""Rounds of refinement as they are stored in the file of what refinement and trials have found."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from dynamics.tube import VineParams
from environments.environment import Environment
from planner.plan.choice.contest import Round
from planner.plan.run.stored_sections import StoredDesign, restore_design, store_sections


class StoredRound(BaseModel):
    """Designs that joined the contest together, each as its sections, and the number of turns that followed."""

    model_config = ConfigDict(strict=True, extra="forbid")

    designs: list[StoredDesign]
    """Designs that joined, each as its sections."""
    turns: Annotated[int, Field(ge=0)]
    """Number of turns of refinement that followed, dimensionless."""

    @classmethod
    def of(cls, made: Round) -> StoredRound:
        """Store a round."""
        return cls(designs=[store_sections(design.sections) for design in made.designs], turns=made.turns)

    def restore(self, environment: Environment, tube: VineParams) -> Round:
        """Return the round with designs of a tube in an environment; what is chosen of them is grown again for its shape."""
        return Round([restore_design(sections, environment, tube) for sections in self.designs], self.turns)
