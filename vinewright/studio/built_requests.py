"""The requests of the page about a design that was built, checked: everything that comes from it is untrusted."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from planner.plan.inputs import SUCCESS
from vinewright.studio.requests import CheckedRequest, DesignRequest, ErrorsRequest

_Coordinate = Annotated[float, Field(ge=-1e7, le=1e7)]
_Item = Annotated[str, Field(min_length=1, max_length=4000)]


class GrowthMeasured(CheckedRequest):
    """One growth, as far as it is known."""

    reached: bool | None = None
    tip_mm: Annotated[list[_Coordinate], Field(min_length=2, max_length=2)] | None = None
    length_mm: Annotated[float, Field(ge=0, le=1e6)] | None = None
    note: Annotated[str, Field(max_length=2000)] = ""


class BendMeasured(CheckedRequest):
    """The bend of one actuator in free space."""

    section: Annotated[int, Field(ge=1, le=2000)]
    pressure_kpa: Annotated[float, Field(ge=0, le=200)]
    bend_deg: Annotated[float, Field(ge=-3600, le=3600)]


class MeasuredRequest(DesignRequest):
    """A measurement to add: a growth or a bend."""

    growth: GrowthMeasured | None = None
    bend: BendMeasured | None = None


class RemovalRequest(DesignRequest):
    """A measurement to remove."""

    number: Annotated[int, Field(ge=1, le=100_000)]
    """Number in the list, from 1."""
    item: _Item
    """Words of the list for it: another page may have changed the list."""


class LearnRequest(DesignRequest):
    errors: ErrorsRequest


class AdaptRequest(DesignRequest):
    errors: ErrorsRequest
    mount_shift_mm: Annotated[float, Field(ge=0, le=1000)] = 10.0
    mount_turn_deg: Annotated[float, Field(ge=0, le=90)] = 3.0
    move_obstacles_mm: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    seconds: Annotated[float, Field(ge=0.1, le=3600)] = 30.0
    """Time for the search of all changes [s]."""
    success: Annotated[float, Field(ge=0.01, le=1)] = SUCCESS
    """Share of growths that must reach the goal [-]."""


class KeepAdaptedRequest(DesignRequest):
    """A proposal to write."""

    search: Annotated[int, Field(ge=1)]
    """Number of the job that found it."""
    proposal: Annotated[int, Field(ge=0, le=100)]
    """Place in the list, from 0."""
