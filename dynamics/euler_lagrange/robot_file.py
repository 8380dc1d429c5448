"""Reading and writing of robot files (`robot.toml`), and the shipped robots: the model of paper 004 and its controller.

Missing keys default to the paper's values. `robot_text` writes a file with every key, its unit and its meaning.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from pydantic import AfterValidator, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from dynamics.euler_lagrange.control import Controller
from dynamics.euler_lagrange.model import Robot, surrounds
from dynamics.euler_lagrange.robot_keys import ACTUATOR, CONTROLLER, GRAVITY, PLANES, ROBOT
from dynamics.file_table import FileTable, numbers_of
from dynamics.tube_keys import Key, to_file, to_si
from environments.file_model import Name, check_text, describe, hint
from environments.reading import UnreadableFile, read_file

Read = TypeVar("Read")
SUFFIX = ".toml"
SCHEMA = 1
DEFAULT_ROBOT = "el-hussieny"
"""The shipped robot of paper 004, whose values missing keys have."""
_MOST_BYTES = 100_000


class InvalidRobot(ValueError):
    """An unusable robot file; the one-line message names file, key, value and allowed range."""

    exit_code = 2


class ControlledRobot(NamedTuple):
    """A robot and its controller, as in a robot file."""

    robot: Robot
    controller: Controller


# ---- schema of a file ----


def _check_planes(planes: list[float]) -> list[float]:
    if not surrounds(np.radians(planes)):
        raise PydanticCustomError(
            "planes", "must be all around the tube: no gap between neighbours may be 180 deg or more"
        )
    return planes


def _three(key: tuple[str, float, str], *checks: Any) -> Any:
    name, most, meaning = key
    number = Annotated[float, Field(ge=-most, le=most)]
    return {
        name: (
            Annotated[list[number], Field(min_length=3, max_length=3), *checks] | None,
            Field(None, description=meaning),
        )
    }


def _table(name: str, keys: Mapping[str, Key], meaning: str) -> dict[str, Any]:
    model: Any = create_model(name, __base__=FileTable, **numbers_of(keys, whole=False))
    return {name: (model | None, Field(None, description=meaning))}


_NAME: Any = Name | None, Field(None, description="name of the robot; not used")
ROBOT_FILE: Any = create_model(
    "robot",
    __base__=FileTable,
    version=(int, Field(alias="schema", ge=SCHEMA, le=SCHEMA, description="schema of the file")),
    name=_NAME,
    description=(
        Annotated[str, Field(max_length=2000), AfterValidator(check_text)],
        Field(default="", description="for people; not used"),
    ),
    **numbers_of(ROBOT, whole=False),
    **_three(GRAVITY),
    **_three(PLANES, AfterValidator(_check_planes)),
    **_table("actuator", ACTUATOR, "the three sPAMs, which are alike"),
    **_table("controller", CONTROLLER, "the controller that follows a reference"),
)
"""Model of a robot file."""


# ---- conversion between the numbers of a file and a robot ----


def robot_content(made: ControlledRobot) -> dict[str, Any]:
    """All numbers of a robot and its controller in the units of files; limits that there are not, are left out."""
    robot, controller = made
    unwritten = {one.name for one in fields(Robot)} - {*ROBOT, "gravity", "planes", "actuator"}
    unwritten |= {one.name for one in fields(Controller)} - {*CONTROLLER}
    if unwritten:
        raise TypeError(f"robot files have no key for {', '.join(sorted(unwritten))}")
    limits = {key: value for key, value in to_file(controller, CONTROLLER).items() if math.isfinite(value)}
    return {
        **to_file(robot, ROBOT),
        GRAVITY[0]: [float(one) for one in robot.gravity],
        PLANES[0]: [round(math.degrees(one), 12) for one in robot.planes],
        "actuator": to_file(robot.actuator, ACTUATOR),
        "controller": limits,
    }


def _robot_of(content: Mapping[str, Any]) -> ControlledRobot:
    """The robot with validated numbers in the form of `robot_content`; missing ones are the paper's."""
    usual, given = Robot(), dict[str, Any](to_si(content, ROBOT))
    if gravity := content.get(GRAVITY[0]):
        given["gravity"] = tuple(gravity)
    if planes := content.get(PLANES[0]):
        given["planes"] = tuple(math.radians(one) for one in planes)
    given["actuator"] = replace(usual.actuator, **to_si(content.get("actuator") or {}, ACTUATOR))
    return ControlledRobot(replace(usual, **given), Controller(**to_si(content.get("controller") or {}, CONTROLLER)))


# ---- files ----


def known_robots() -> list[str]:
    """Sorted names of the shipped robots."""
    entries = (files("dynamics") / "euler_lagrange" / "robots").iterdir()
    return sorted(Path(entry.name).stem for entry in entries if entry.name.endswith(SUFFIX))


def load_robot(name_or_path: str | os.PathLike[str]) -> ControlledRobot:
    """Read and check a robot and its controller.

    Args:
        name_or_path: One of `known_robots()`, or the path of a TOML file.
    Raises:
        InvalidRobot: The file is missing, malformed or has a value out of its range.
    """
    return _read(name_or_path, _parse)


def robot_description(name_or_path: str | os.PathLike[str]) -> str:
    """The description of a robot; "" if it has none.

    Raises:
        InvalidRobot: As in `load_robot`.
    """
    return _read(name_or_path, lambda data: str(_check(data).get("description", "")))


def _read(name_or_path: str | os.PathLike[str], parse: Callable[[bytes], Read]) -> Read:
    """Return the result of a function for the content of a robot file; its errors begin with the file's name."""
    name, path = str(name_or_path), Path(name_or_path)
    try:
        if name in (known := known_robots()):
            return parse((files("dynamics") / "euler_lagrange" / "robots" / f"{name}{SUFFIX}").read_bytes())
        if not path.exists():
            choices = f"shipped robots: {', '.join(known)}; or give the path of a TOML file"
            raise InvalidRobot(f"not found{hint(path.stem, known)}; {choices}")
        return parse(read_file(path, _MOST_BYTES))
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except (InvalidRobot, UnreadableFile) as error:
        reason = str(error)
    raise InvalidRobot(" ".join(f"{path.name or path}: {reason}".split("\n")))


def _parse(data: bytes) -> ControlledRobot:
    return _robot_of(_check(data))


def _check(data: bytes) -> dict[str, Any]:
    """The checked content of a robot file."""
    try:
        content = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidRobot(f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}") from None
    except RecursionError:
        raise InvalidRobot("is nested too deeply") from None
    except ValueError as error:
        raise InvalidRobot(f"is not TOML: {str(error)[:200]}") from None
    try:
        checked: dict[str, Any] = ROBOT_FILE.model_validate(content).model_dump(exclude_none=True)
    except ValidationError as error:
        raise InvalidRobot(describe(error, ROBOT_FILE)) from None
    return checked


HEADER = "# A robot of `vinewright euler-lagrange`: every key but schema is optional. Missing keys have the values of paper 004."


def robot_text(made: ControlledRobot) -> str:
    """Text of a robot file with every number, its unit and its meaning; limits that there are not, are commented out."""
    content = robot_content(made)
    lines = [HEADER, "", f"schema = {SCHEMA}", ""]
    lines += [_line(key.name, key.meaning, content) for key in ROBOT.values()]
    lines += [_line(name, meaning, content) for name, _, meaning in (GRAVITY, PLANES)]
    for table, keys in (("actuator", ACTUATOR), ("controller", CONTROLLER)):
        lines += ["", f"[{table}]", *(_line(key.name, key.meaning, content[table]) for key in keys.values())]
    return "\n".join(lines) + "\n"


def _line(name: str, meaning: str, content: Mapping[str, Any]) -> str:
    given = name in content
    return f"{'' if given else '# '}{name} = {json.dumps(content[name]) if given else ''}  # {meaning}"
