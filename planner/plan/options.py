"""The options of `vinewright plan`, as recorded in `run.json` and in a checkpoint."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from planner.search.planners import SST_STAR
from planner.search.run import Budget

SUCCESS = 0.9
"""Share of successful trials that a design should have unless the user says otherwise [-]."""
SEARCHING = 0.4
"""Share of the time budget for searches, once there is a solution [-]; the rest is for refinement and trials."""


class Inputs(BaseModel):
    """The options of a planning run, with the defaults of the command. With environment and tube they determine the result.

    New options need a default, because older runs do not have them.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    actuator: str = "spam"
    """Types of the actuators, separated by commas."""
    propagator: str = "quasistatic"
    """Model of the growing vine."""
    device: str = "auto"
    """Device of the computation: cpu, cuda or auto."""
    solver: str | None = None
    """Solver of the propagator penalty: newton or gradient."""
    surrogate: str | None = None
    """Force model of the actuator in the propagator penalty: table or network."""
    heuristic: bool = False
    """Whether the search is guided by cost-to-go."""
    planner: str = SST_STAR
    """What searches: SST*, or one of OMPL's planners."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the random numbers, dimensionless."""
    batch: Annotated[int, Field(ge=1, le=2000)] = 100
    """Number of vines grown in each iteration; at most 30 of them until the first solution."""
    time_budget_s: Annotated[float, Field(gt=0, lt=1e7)] = 30.0
    """Time limit of search, refinement and trials together, excluding compilation [s]."""
    iterations: Annotated[int, Field(ge=1)] | None = None
    """Maximum number of iterations of each search. The time limit is then one of each search; refinement and trials have none."""
    first: bool = False
    """Stop at the first solution."""
    target_actuators: Annotated[int, Field(ge=0)] | None = None
    """Stop at a solution with at most this number of actuators."""
    solutions: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of distinct solutions to keep."""
    fast: bool = False
    """Whether to stop at the design of lowest cost in a world as planned."""
    steer: Annotated[int, Field(ge=0, le=100)] = 0
    """Maximum number of actuators whose pressures may change while the tube grows."""
    particles: Annotated[int, Field(ge=1, le=64)] = 1
    """Number of worlds in which every vine of the search is grown; the first is as planned, the others have errors."""
    preformed: bool = False
    """Whether the tube may have preformed bends too."""
    preformed_cost: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Cost of one, in actuators."""
    success: Annotated[float, Field(gt=0, le=100)] | None = None
    """Required share of successful trials with errors [%]; None for the default, which is a wish and no requirement."""
    uncertainty: str | None = None
    """Errors of these trials: a preset, or a file; None for those of environment and tube, or else the default."""
    friction: float | None = None
    """Coulomb friction coefficient of the tip [-]."""
    verify: str | None = None
    """Second propagator, which verifies the designs."""

    @model_validator(mode="before")
    @classmethod
    def _older(cls, data: Any) -> Any:
        """Runs from before designs were refined searched only; their options for trials are not used any more."""
        if isinstance(data, dict) and "robust" in data:
            return {"fast": True, **{key: data[key] for key in data if key not in ("robust", "level", "threshold")}}
        return data

    @field_validator("preformed")
    @classmethod
    def _with_nothing_that_knows_actuators_only(cls, preformed: bool, known: ValidationInfo) -> bool:
        for option, given, why in (
            ("planner", known.data.get("planner") != SST_STAR, "OMPL's planners draw actuators only"),
            ("heuristic", known.data.get("heuristic"), "its cost-to-go prices every bend as an actuator"),
            ("particles", known.data.get("particles") != 1, "particles have errors of actuators only"),
        ):
            if preformed and given:
                raise PydanticCustomError("alone", f"cannot be combined with {option}: {why}")
        return preformed

    @property
    def wanted(self) -> float:
        """Share of successful trials from which on a design is not given more actuators [-]."""
        return SUCCESS if self.success is None else self.success / 100

    @property
    def budget(self) -> Budget:
        """Stop criteria of the whole plan, counted from the beginning of the search."""
        return Budget(self.time_budget_s, self.iterations, self.first, self.target_actuators)

    def searching(self, searches: int) -> Budget:
        """Stop criteria of one of some searches while it has a solution."""
        return self.budget if self.fast else self.budget.part(SEARCHING / searches)


class PlanOptions(TypedDict, total=False):
    """The options of `vinewright.plan` besides time and seed, with the defaults of `Inputs`."""

    propagator: str
    """Model used for planning: one of `propagators()`. A class of your own is for `vinewright.simulate` and `planner.search.run.Run`."""
    device: str
    """Device of the computation: "cpu", "cuda" or "auto"."""
    solver: str
    """Solver of "penalty": "newton" or "gradient"."""
    surrogate: str
    """Force model of the actuator in "penalty": "table" or "network"."""
    friction: float
    """Coulomb friction coefficient of the tip [-]."""
    batch: int
    """Vines grown in each iteration; at most 30 of them until the first solution."""
    iterations: int
    """Maximum number of iterations of each search. A plan limited by iterations is the same on every machine, unless one of its
    searches takes longer than the time limit."""
    first: bool
    """Stop at the first solution."""
    target_actuators: int
    """Stop at a solution with no more actuators than this."""
    solutions: int
    """Number of distinct solutions to keep."""
    heuristic: bool
    """Guide the search by a reverse tree of ways to the goal, which may use walls. Requires OMPL."""
    planner: str
    """What searches: "sst-star", or one of OMPL's control planners, such as "rrt", "est" and "kpiece"."""
    fast: bool
    """Stop at the design of lowest cost in a world as planned."""
    steer: int
    """Maximum number of actuators whose pressures may change while the tube grows."""
    particles: int
    """Number of worlds in which every vine of the search is grown; the first is as planned, the others have errors."""
    preformed: bool
    """Whether the tube may have preformed bends too, made when it is built."""
    preformed_cost: float
    """Cost of one [-], in actuators, from 0 to 1."""
    success: float
    """Required share of successful trials with errors [%]."""
    uncertainty: str
    """Errors of these trials: a preset, or a file."""
    verify: str
    """Second propagator; only designs that also reach the goal with it count as verified."""
