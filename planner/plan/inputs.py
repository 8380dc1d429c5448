"""The options of `vinewright plan`, as recorded in `run.json` and in a checkpoint."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from planner.design.supply import parse_supply
from planner.plan.options import BY_NAME
from planner.search.planners import SST_STAR
from planner.search.run import Budget

SUCCESS = 0.9
"""Share of successful trials that a design should have unless the user says otherwise [-]."""
SEARCHING = 0.4
"""Share of the time budget for searches, once there is a solution [-]; the rest is for refinement and trials."""


def field_of(name: str) -> Any:
    """Make the field of an option, with its default, limits and meaning."""
    option = BY_NAME[name]
    limits = {"ge": option.least, "le": option.most, "gt": option.above, "lt": option.below}
    given: dict[str, Any] = {limit: value for limit, value in limits.items() if value is not None}
    return Field(option.default, description=option.help, **given)


class Inputs(BaseModel):
    """The options of a planning run (`planner.plan.options.OPTIONS`), checked. With environment and tube they determine the result."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)

    actuator: str = field_of("actuator")
    propagator: str = field_of("propagator")
    device: str = field_of("device")
    solver: str | None = field_of("solver")
    surrogate: str | None = field_of("surrogate")
    heuristic: bool = field_of("heuristic")
    planner: str = field_of("planner")
    seed: int = field_of("seed")
    batch: int = field_of("batch")
    time_budget_s: float = field_of("time_budget_s")
    iterations: int | None = field_of("iterations")
    start_from: str | None = field_of("start_from")
    first: bool = field_of("first")
    target_actuators: int | None = field_of("target_actuators")
    solutions: int = field_of("solutions")
    fast: bool = field_of("fast")
    steer: int = field_of("steer")
    particles: int = field_of("particles")
    preformed: bool = field_of("preformed")
    preformed_cost: float = field_of("preformed_cost")
    success: float | None = field_of("success")
    uncertainty: str | None = field_of("uncertainty")
    supply: str | None = field_of("supply")
    friction: float | None = field_of("friction")
    verify: str | None = field_of("verify")

    @model_validator(mode="before")
    @classmethod
    def _older(cls, data: Any) -> Any:
        """Runs from before designs were refined searched only; their options for trials are not used any more."""
        if isinstance(data, dict) and "robust" in data:
            return {"fast": True, **{key: data[key] for key in data if key not in ("robust", "level", "threshold")}}
        return data

    @field_validator("supply")
    @classmethod
    def _is_a_pressure(cls, supply: str | None) -> str | None:
        if supply is not None:
            parse_supply(supply)
        return supply

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
