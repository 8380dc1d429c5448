"""The JSON part of a checkpoint, validated when it is read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynamics.actuator_file import OTHERS_FIELD, actuator_kind, actuator_table
from dynamics.tube import InvalidTube, VineParams
from dynamics.tube_file import tube_of, tube_table
from dynamics.tube_keys import ACTUATORS
from environments.error_messages import describe
from planner.plan.inputs import Inputs
from planner.plan.run.stored_sections import LARGEST, NotNegative, StoredDesign
from surrogate.registry import actuators


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


Count = Annotated[int, Field(ge=0, lt=2**62)]
Bits = Annotated[int, Field(ge=0, lt=2**128)]
Length = Annotated[float, Field(ge=0, lt=LARGEST)]
Coordinate = Annotated[float, Field(gt=-LARGEST, lt=LARGEST)]
Pose = Annotated[list[Coordinate], Field(min_length=3, max_length=3)]
Joint = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]


class _Pcg64(_Part):
    state: Bits
    """State of the generator, dimensionless."""
    inc: Bits
    """Increment of the generator, dimensionless."""


class _Generator(_Part):
    """The state of NumPy's default random generator."""

    bit_generator: Literal["PCG64"]
    """Its algorithm."""
    state: _Pcg64
    """Its numbers."""
    has_uint32: Literal[0, 1]
    """1 if half of a number is left over, else 0; dimensionless."""
    uinteger: Annotated[int, Field(ge=0, lt=2**32)]
    """The half that is left over, dimensionless."""


class SolutionPart(_Part):
    """A solution in `facts`."""

    controls: Annotated[list[int], Field(min_length=1)]
    """Control of each segment from the base, dimensionless."""
    tip: Pose
    """x, y [m] and heading [rad] of the tip."""
    joints: list[Joint]
    """x, y of the joints from base to tip [m]."""
    jump: Annotated[list[Length], Field(min_length=3, max_length=3)] | None = None
    """The largest jump in its replay [m], see `dynamics.jumps.Jump`; older checkpoints do not say whether there is one."""
    sections: StoredDesign | None = None
    """Sections of a known design, which may end within segments; None for those that follow from the controls."""


class _HistoryEntryPart(_Part):
    seconds: NotNegative
    """Time since the start of the search [s]."""
    actuators: Count
    """Number of actuators of the best design then."""
    length: NotNegative
    """Its length [m]."""


class _TreePart(_Part):
    too_tight: Count
    """Number of rejected arcs that bend too much."""
    blocked: Count
    """Number of rejected arcs that meet obstacles."""
    seconds: NotNegative
    """Time that it took [s]."""
    samples: Count | None = None
    """Number of poses that were sampled; None in older checkpoints, whose trees were grown before the search, and use no walls."""


class KnownPart(_Part):
    """The design with which a plan began, in `facts`."""

    file: str
    """Path from which it was read."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Hash of that file."""
    changes: list[str]
    """Changes that made it a design of the tube, as text."""
    sections: StoredDesign
    """Its sections after that."""


class Facts(_Part):
    """`facts` of a checkpoint."""

    # pydantic keeps the name `schema` for itself
    version: Literal[1] = Field(alias="schema")
    """Schema of the file."""
    versions: dict[str, str]
    """Versions of Python and the packages that affect results."""
    inputs: Inputs
    """Options of the plan."""
    name: Annotated[str, Field(min_length=1)]
    """Name of the environment."""
    environment: str
    """Content of the environment's file."""
    sha256: str
    """Hash of the environment."""
    iteration: Count
    """Number of iterations done."""
    vine_steps: Count
    """Number of growth steps of all vines."""
    shrinks: Annotated[int, Field(ge=1, le=100)]
    """Number of radii of the search so far, the first included."""
    next_shrink: Annotated[int, Field(ge=1)]
    """Iteration at which the radius shrinks again, dimensionless."""
    generator: _Generator
    """The state of the random numbers."""
    seconds: NotNegative
    """Time of the search so far [s]."""
    prepare_seconds: NotNegative
    """Time before the search [s]."""
    history: list[_HistoryEntryPart]
    """When better designs were found."""
    replayed: Count
    """Number of candidates grown again."""
    rejected: Count
    """Number of candidates that then missed the goal."""
    ambiguous: Count = 0
    """Number of candidates whose growth depends on chance."""
    waited: Count = 0
    """Number of steps of candidates grown again that could have waited; 0 in a file of an older version."""
    solutions: list[SolutionPart]
    """The designs that are kept, lowest cost first."""
    reverse_tree: _TreePart | None
    """The reverse tree, if the plan has a heuristic."""
    known: KnownPart | None = None
    """The design with which the plan began, if any."""
    tube: dict[str, Any] | None = None
    """All parameters of the tube, in the units of tube files; None in older checkpoints, which have the default tube."""

    def params(self) -> VineParams:
        """The tube of the run.

        Raises:
            InvalidTube: The parameters are not those of a valid tube.
        """
        if self.tube is None:
            known = actuators()
            if self.inputs.actuator not in known:
                raise InvalidTube(f"inputs.actuator = {self.inputs.actuator!r:.40} must be one of {', '.join(known)}")
            return VineParams(physics="published", actuator=known[self.inputs.actuator]())
        model = _TUBES[actuator_kind(self.tube)]
        try:
            return tube_of(model.model_validate(self.tube).model_dump(exclude_none=True))
        except ValidationError as error:
            raise InvalidTube(describe(error, model)) from None


_TUBES = {
    kind: tube_table(whole=True, actuator=(actuator_table(kind, whole=True), ...), other_actuators=OTHERS_FIELD)
    for kind in ACTUATORS
}
"""Models of the tube by type of actuator."""
