"""Sections of designs as they are stored in the files of a run: exact, where a design file rounds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dynamics.tube import VineParams
from environments.environment import Environment
from planner.design.design import Design, Section, Side

LARGEST = 1e6
"""Upper limit of poses [m, rad], bends [rad] and costs."""
NotNegative = Annotated[float, Field(ge=0)]
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


StoredDesign = Annotated[list[StoredSection], Field(min_length=1)]
"""A design as its sections."""


def store_sections(sections: Iterable[Section]) -> list[StoredSection]:
    """Store the sections of a design."""
    return [StoredSection(**asdict(one)) for one in sections]


def restore_sections(sections: Iterable[StoredSection]) -> tuple[Section, ...]:
    """Return the sections of a design."""
    return tuple(Section(**one.model_dump()) for one in sections)


def restore_design(sections: Iterable[StoredSection], environment: Environment, tube: VineParams) -> Design:
    """Return a design of a tube in an environment; it has no shape until it is grown again."""
    made = restore_sections(sections)
    return Design(environment.name, environment.sha256, tube, made, np.zeros(3), np.zeros((1, 2)))
