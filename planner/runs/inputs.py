"""What `vinewright plan` was asked to do, as it stands in `run.json` and in a checkpoint."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from planner.search.run import Budget

Percent = Annotated[float, Field(ge=0, le=100)]


class Inputs(BaseModel):
    """The options of a planning run; beside the environment they decide what is found.

    One that is added later needs a default: runs from before do not have it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    actuator: str
    propagator: str
    device: str
    solver: str | None
    surrogate: str | None
    heuristic: bool
    seed: Annotated[int, Field(ge=0)]
    batch: Annotated[int, Field(ge=1, le=2000)]
    time_budget_s: Annotated[float, Field(gt=0, lt=1e7)]
    iterations: Annotated[int, Field(ge=1)] | None
    first: bool
    target_actuators: Annotated[int, Field(ge=0)] | None
    solutions: Annotated[int, Field(ge=1, le=1000)]
    robust: bool
    level: Percent | None
    threshold: Percent | None
    friction: float | None = None
    """Of the tip [-]."""
    verify: str | None = None
    """The second propagator, which judges what was found."""

    @property
    def budget(self) -> Budget:
        """When the search is to stop, counted from its beginning."""
        return Budget(self.time_budget_s, self.iterations, self.first, self.target_actuators)
