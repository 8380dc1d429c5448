"""Schema of the file of a sweep (`study.toml`), and its error messages.

A value may be single or a list; every combination of the lists is a case, in the order of the file's tables below.

schema = 1
description = "What a radius costs."   # optional
device = "cuda"                        # optional, else "cpu"

[environments]
files = ["maze", "benches/*.toml"]     # names of shipped environments, files, or globs, relative to this file

[environments.random]                  # random environments, as of `vinewright environments new`
density = [0.1, 0.2, 0.3]              # share of the area that obstacles cover
passage_mm = [70, 100]                 # width of a passage that is left open from start to goal
seed = { first = 0, last = 9 }         # or a list
width_mm = 2000                        # optional, as is height_mm

[tubes]                                # optional: else that of each environment, or the prototype
files = ["prototype", "thin.toml"]     # optional
radius_mm = [25, 33]                   # optional; any number of a tube file

[plan]                                 # options of `vinewright plan`
fast = [true, false]
iterations = 60
seed = [0, 1]

[designs]                              # instead of [plan]: designs that exist
files = ["run/design.json"]

[trials]                               # optional with [plan]: every design is grown with errors
number = 1000                          # of each design
uncertainty = "workshop"               # optional
seed = 0                               # optional
together = 1000                        # optional, for [designs]: number of trials of a case
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from dynamics.file_table import FileTable
from dynamics.tube_keys import INERTIA, TUBE
from environments.error_messages import describe
from environments.reading import UnreadableFile, parse_toml, read_file
from planner.plan.inputs import Inputs
from vinewright.sweeps.errors import InvalidStudy

_MOST_BYTES = 1_000_000
_MOST_VALUES = 100_000
"""Maximum number of values of a key."""
NOT_SWEPT = {"actuator", "device", "verify"}
"""Options of a plan that a sweep does not vary: actuators belong to the tube, and the device to the whole sweep."""
TUBES = "names of shipped tubes, or paths relative to this file"
Item = TypeVar("Item")


def _as_list(value: Any) -> Any:
    """Return a single value as a list, and `{ first = 0, last = 9 }` as the integers from first to last."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else [value]
    first, last = value.get("first"), value.get("last")
    if set(value) != {"first", "last"} or type(first) is not int or type(last) is not int or last < first:
        raise PydanticCustomError("range", "must be a list, or a table of two integers, first and last")
    if last - first >= _MOST_VALUES:
        raise PydanticCustomError("range", f"must have at most {_MOST_VALUES} values")
    return list(range(first, last + 1))


def _check_distinct(values: list[Any]) -> list[Any]:
    if len({repr(value) for value in values}) < len(values):
        raise PydanticCustomError("distinct", "must not contain a value twice")
    return values


def _one_or_several(of: Any) -> Any:
    """Return the type of a key that has a single value or a list of values."""
    return Annotated[
        list[of],
        Field(min_length=1, max_length=_MOST_VALUES),
        BeforeValidator(_as_list),
        AfterValidator(_check_distinct),
    ]


def _float(value: Any) -> Any:
    return float(value) if type(value) is int and abs(value) < 1e15 else value


def _number_type(**limits: Any) -> Any:
    """Return the type of a number that may be written as an integer."""
    return Annotated[float, Field(**limits), BeforeValidator(_float)]


Seed = Annotated[int, Field(ge=0, lt=2**32)]


class RandomPart(FileTable):
    """Random environments."""

    density: _one_or_several(_number_type(ge=0, le=0.6))  # type: ignore[valid-type]
    """Share of the area that obstacles cover, dimensionless."""
    passage_mm: _one_or_several(_number_type(ge=2, le=2000)) = Field(default_factory=lambda: [66.7])  # type: ignore[valid-type]
    """Width of a passage that is left open from start to goal."""
    seed: _one_or_several(Seed) = Field(default_factory=lambda: [0])  # type: ignore[valid-type]
    """Seed of the random obstacles, dimensionless."""
    width_mm: _number_type(gt=0, le=1e7) = 2000.0  # type: ignore[valid-type]
    """Width of the bounds."""
    height_mm: _number_type(gt=0, le=1e7) = 2000.0  # type: ignore[valid-type]
    """Height of the bounds."""


class EnvironmentsPart(FileTable):
    """Environments: shipped, from files, and random."""

    files: _one_or_several(str) = Field(default_factory=list)  # type: ignore[valid-type]
    """Names of shipped environments, files or globs, relative to this file."""
    random: RandomPart | None = None
    """Random environments, each combination of their values once."""


def _make_plan_model() -> Any:
    """Return the model of the options of a plan, each with a single value or several."""
    fields: dict[str, Any] = {}
    for name, field in Inputs.model_fields.items():
        if name not in NOT_SWEPT:
            kind = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
            kind = Annotated[kind, BeforeValidator(_float)] if field.annotation in (float, float | None) else kind
            fields[name] = (_one_or_several(kind) | None, None)
    return create_model("plan", __base__=FileTable, **fields)


def _make_tubes_model() -> Any:
    """Return the model of the tubes: files, and numbers that replace those of the files."""
    keys = (*TUBE.values(), *INERTIA.values())
    numbers: dict[str, Any] = {
        key.name: (
            _one_or_several(_number_type(ge=key.least, le=key.most)) | None,
            Field(None, description=key.meaning),
        )
        for key in keys
    }
    return create_model(
        "tubes", __base__=FileTable, files=(_one_or_several(str) | None, Field(None, description=TUBES)), **numbers
    )


class DesignsPart(FileTable):
    """Designs that exist."""

    files: _one_or_several(str)  # type: ignore[valid-type]
    """Design files or globs, relative to this file."""


class SweepTrialsPart(FileTable):
    """Growth with errors."""

    number: Annotated[int, Field(ge=1, le=10**9)]
    """Number of trials of each design."""
    uncertainty: _one_or_several(str) | None = None  # type: ignore[valid-type]
    """Presets of errors; without them, the errors of environment and tube."""
    seed: Seed = 0
    """Seed of the errors, dimensionless."""
    together: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Number of trials of one case, if designs are given."""


class StudyFile(FileTable):
    """A file of a sweep."""

    version: Annotated[int, Field(alias="schema", ge=1, le=1)]
    """Schema of the file."""
    description: Annotated[str, Field(max_length=2000)] = ""
    """For people; copied into the manifest."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Device on which everything is computed."""
    environments: EnvironmentsPart
    """Environments in which designs are planned or grown."""
    tubes: _make_tubes_model() | None = None  # type: ignore[valid-type]
    """Tubes; without them that of each environment, or the prototype."""
    plan: _make_plan_model() | None = None  # type: ignore[valid-type]
    """Options of plans; those of `vinewright plan` with the same meaning."""
    designs: DesignsPart | None = None
    """Designs that exist, instead of plans."""
    trials: SweepTrialsPart | None = None
    """Number of trials of each design, and their errors."""

    @model_validator(mode="after")
    def _one_task(self) -> StudyFile:
        if (self.plan is None) == (self.designs is None):
            raise PydanticCustomError("bare", "must have either a table [plan] or a table [designs]")
        if self.designs and not self.trials:
            raise PydanticCustomError("bare", "must have a table [trials] beside [designs]: how often each is grown")
        if self.designs and self.tubes:
            raise PydanticCustomError("bare", "must not have a table [tubes] beside [designs], which have tubes")
        if not self.environments.files and not self.environments.random:
            raise PydanticCustomError("bare", "names no environment: give environments.files or [environments.random]")
        return self


def check_study(content: Mapping[str, Any]) -> StudyFile:
    """Check the parsed content of the file of a sweep.

    Raises:
        InvalidStudy: The content is invalid; the message does not name the file.
    """
    try:
        return StudyFile.model_validate(content)
    except ValidationError as error:
        raise InvalidStudy(describe(error, StudyFile)) from None


def read_study(path: Path) -> StudyFile:
    """Read and check the file of a sweep.

    Raises:
        InvalidStudy: The file is missing or invalid.
    """
    try:
        return check_study(parse_toml(read_file(path, _MOST_BYTES)))
    except (InvalidStudy, UnreadableFile) as error:
        raise InvalidStudy(f"{path.name or path}: {error}") from None
