"""The options of `vinewright plan`, as recorded in `run.json` and in a checkpoint."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from planner.search.run import Budget

Percent = Annotated[float, Field(ge=0, le=100)]


class Inputs(BaseModel):
    """The options of a planning run, with the defaults of the command. With environment and tube they determine the result.

    New options need a default, because older runs do not have them.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    actuator: str = "spam"
    """Type of the actuators."""
    propagator: str = "quasistatic"
    """Model of the growing vine."""
    device: str = "auto"
    solver: str | None = None
    surrogate: str | None = None
    heuristic: bool = False
    """Whether the search is guided by cost-to-go."""
    seed: Annotated[int, Field(ge=0)] = 0
    batch: Annotated[int, Field(ge=1, le=2000)] = 100
    """Vines grown in each iteration."""
    time_budget_s: Annotated[float, Field(gt=0, lt=1e7)] = 20.0
    """Time limit of the search, excluding compilation [s]."""
    iterations: Annotated[int, Field(ge=1)] | None = None
    """Maximum number of iterations."""
    first: bool = False
    """Stop at the first solution."""
    target_actuators: Annotated[int, Field(ge=0)] | None = None
    """Stop at a solution with no more actuators than this."""
    solutions: Annotated[int, Field(ge=1, le=1000)] = 5
    """Number of distinct solutions to keep."""
    robust: bool = False
    """Whether to choose the design by its success rate in trials with errors."""
    level: Percent | None = None
    """Standard deviation of these errors [%]; None is the default."""
    threshold: Percent | None = None
    """Required success rate [%]; None is the default."""
    friction: float | None = None
    """Coulomb friction coefficient of the tip [-]."""
    verify: str | None = None
    """Second propagator, which verifies the designs."""

    @property
    def budget(self) -> Budget:
        """Stop criteria, counted from the beginning of the search."""
        return Budget(self.time_budget_s, self.iterations, self.first, self.target_actuators)


class PlanOptions(TypedDict, total=False):
    """The options of `vinewright.plan` besides time and seed, with the defaults of `Inputs`."""

    propagator: str
    """Model used for planning: one of `propagators()`."""
    device: str
    """Device of the computation: "cpu", "cuda" or "auto"."""
    solver: str
    """Solver of "penalty": "newton" or "gradient"."""
    surrogate: str
    """Force model of the actuator in "penalty": "table" or "network"."""
    friction: float
    """Coulomb friction coefficient of the tip [-]."""
    batch: int
    """Vines grown in each iteration."""
    iterations: int
    """Maximum number of iterations. A plan limited by iterations instead of time is the same on every machine."""
    first: bool
    """Stop at the first solution."""
    target_actuators: int
    """Stop at a solution with no more actuators than this."""
    solutions: int
    """Number of distinct solutions to keep."""
    heuristic: bool
    """Guide the search by contact-free paths to the goal: for large environments with dead ends. Requires OMPL."""
    robust: bool
    """Choose the design by its success rate in trials with errors."""
    level: float
    """Standard deviation of these errors [%]."""
    threshold: float
    """Required success rate [%]."""
    verify: str
    """Second propagator; only designs that also reach the goal with it count as verified."""
