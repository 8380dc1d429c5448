"""Rounds of refinement as they are stored in the file of what refinement and trials have found."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dynamics.tube import VineParams
from environments.environment import Environment
from planner.design.design import Design, Section, Side
from planner.plan.choice.contest import Round
from planner.plan.run.facts import LARGEST, NotNegative

Number = Annotated[float, Field(ge=0, lt=LARGEST)]


class StoredSection(BaseModel):
    """A section of a design, see `Section`."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    start: NotNegative
    """Distance of its start from the base, along the film [m]."""
    end: NotNegative
    """Distance of its end from the base, along the film [m]."""
    side: Side
    """Side of its actuator; `none` without one."""
    curvature: Number
    """Curvature of the centreline in free space [1/m]."""
    l_0: Number
    """Cell length [m], 0 without actuator."""
    pressure: Number
    """Actuator pressure [Pa], 0 without actuator."""
    on: bool
    """Whether its actuator is pressurised."""
    preformed: bool
    """Whether it is bent by folds made when the tube is built."""
    kind: Annotated[int, Field(ge=0)]
    """Number of its actuator among those of the tube, dimensionless."""


class StoredRound(BaseModel):
    """Designs that joined the contest together, each as its sections, and the number of turns that followed."""

    model_config = ConfigDict(strict=True, extra="forbid")

    designs: list[Annotated[list[StoredSection], Field(min_length=1)]]
    """Designs that joined, each as its sections."""
    turns: Annotated[int, Field(ge=0)]
    """Number of turns of refinement that followed, dimensionless."""

    @classmethod
    def of(cls, made: Round) -> StoredRound:
        """Store a round."""
        designs = [[StoredSection(**asdict(one)) for one in design.sections] for design in made.designs]
        return cls(designs=designs, turns=made.turns)

    def restore(self, environment: Environment, tube: VineParams) -> Round:
        """Return the round with designs of a tube in an environment; what is chosen of them is grown again for its shape."""
        designs = []
        for sections in self.designs:
            made = tuple(Section(**one.model_dump()) for one in sections)
            designs.append(Design(environment.name, environment.sha256, tube, made, np.zeros(3), np.zeros((1, 2))))
        return Round(designs, self.turns)
