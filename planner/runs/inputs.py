"""What `vinewright plan` was asked to do, as recorded in `run.json` and in a checkpoint."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from planner.search.run import Budget

Percent = Annotated[float, Field(ge=0, le=100)]


class Inputs(BaseModel):
    """The options of a planning run; with environment and tube they decide what is found. Defaults: those of the command.

    An option that is added later needs a default: older runs do not have it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    actuator: str = "spam"
    """Kind of actuator that bends the tube."""
    propagator: str = "quasistatic"
    """The model of the growing vine."""
    device: str = "auto"
    solver: str | None = None
    surrogate: str | None = None
    heuristic: bool = False
    """Whether the search is guided by cost-to-go."""
    seed: Annotated[int, Field(ge=0)] = 0
    batch: Annotated[int, Field(ge=1, le=2000)] = 100
    """Vines grown in each iteration."""
    time_budget_s: Annotated[float, Field(gt=0, lt=1e7)] = 20.0
    """Time to search, excluding compilation [s]."""
    iterations: Annotated[int, Field(ge=1)] | None = None
    """Most iterations."""
    first: bool = False
    """Stop at the first solution."""
    target_actuators: Annotated[int, Field(ge=0)] | None = None
    """Stop at a solution with no more actuators than this."""
    solutions: Annotated[int, Field(ge=1, le=1000)] = 5
    """How many distinct solutions are kept."""
    robust: bool = False
    """Choose by success in trials with errors."""
    level: Percent | None = None
    """Standard deviation of these errors [%]; None is the default."""
    threshold: Percent | None = None
    """Success that is required [%]; None is the default."""
    friction: float | None = None
    """Of the tip [-]."""
    verify: str | None = None
    """The second propagator, which checks what was found."""

    @property
    def budget(self) -> Budget:
        """When the search is to stop, counted from its beginning."""
        return Budget(self.time_budget_s, self.iterations, self.first, self.target_actuators)


class PlanOptions(TypedDict, total=False):
    """The options of `vinewright.plan` beside time and seed, with the defaults of `Inputs`."""

    propagator: str
    """The model that plans: one of `propagators()`."""
    device: str
    """Where it computes: "cpu", "cuda" or "auto"."""
    solver: str
    """How "penalty" solves its steps: "newton" or "gradient"."""
    surrogate: str
    """What "penalty" knows the actuator's force by: "table" or "network"."""
    friction: float
    """Coulomb's coefficient of the tip [-]."""
    batch: int
    """Vines grown in each iteration."""
    iterations: int
    """Most iterations. A plan that ends by iterations, not by time, is the same on every machine."""
    first: bool
    """Stop at the first solution."""
    target_actuators: int
    """Stop at a solution with no more actuators than this."""
    solutions: int
    """How many distinct solutions to keep."""
    heuristic: bool
    """Be guided by ways to the goal without contact: for large environments with dead ends. Needs OMPL."""
    robust: bool
    """Choose by success in trials with errors."""
    level: float
    """Standard deviation of these errors [%]."""
    threshold: float
    """Success that is asked for [%]."""
    verify: str
    """Count only designs that this other propagator reaches the goal with too."""
