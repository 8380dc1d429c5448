"""Reading and writing of robot files (`robot.toml`), and the shipped robots: the model of paper 004 and its controller.

Missing keys default to the paper's values. `robot_text` writes a file with every key, its unit and its meaning.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from dynamics.euler_lagrange.control import Controller
from dynamics.euler_lagrange.model import Robot, surrounds
from dynamics.euler_lagrange.robot_keys import ACTUATOR, CONTROLLER, GRAVITY, PLANES, ROBOT
from dynamics.file_table import FileTable, numbers_of
from dynamics.shipped import ShippedFiles
from dynamics.tube_keys import Key, to_file, to_si
from environments.error_messages import describe
from environments.file_model import Name, check_text

SCHEMA = 1
DEFAULT_ROBOT = "el-hussieny"
"""The shipped robot of paper 004, whose values missing keys have."""


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


def number_keys() -> list[str]:
    """Keys of the numbers of a robot file, those inside a table with its name and a dot."""
    tables = (("", ROBOT), ("actuator.", ACTUATOR), ("controller.", CONTROLLER))
    return [f"{table}{key.name}" for table, keys in tables for key in keys.values()]


def change_robot(made: ControlledRobot, changes: Mapping[str, float]) -> ControlledRobot:
    """Return a robot with other numbers; those that are not given stay to the bit.

    Args:
        changes: Numbers in the units of files, by `number_keys()`.
    Raises:
        InvalidRobot: A key is unknown, or a number is out of its range.
    """
    content: dict[str, Any] = {"schema": SCHEMA}
    for key, value in changes.items():
        table, _, name = key.rpartition(".")
        (content.setdefault(table, {}) if table else content)[name] = value
    return _robot_of(_check(content), made)


def _robot_of(content: Mapping[str, Any], base: ControlledRobot) -> ControlledRobot:
    """The robot with validated numbers in the form of `robot_content`; missing ones are those of another robot."""
    given = dict[str, Any](to_si(content, ROBOT))
    if gravity := content.get(GRAVITY[0]):
        given["gravity"] = tuple(gravity)
    if planes := content.get(PLANES[0]):
        given["planes"] = tuple(math.radians(one) for one in planes)
    given["actuator"] = replace(base.robot.actuator, **to_si(content.get("actuator") or {}, ACTUATOR))
    controller = replace(base.controller, **to_si(content.get("controller") or {}, CONTROLLER))
    return ControlledRobot(replace(base.robot, **given), controller)


# ---- files ----


SHIPPED = ShippedFiles("robots", ("euler_lagrange", "robots"), InvalidRobot)


def known_robots() -> list[str]:
    """Sorted names of the shipped robots."""
    return SHIPPED.names()


def load_robot(name_or_path: str | os.PathLike[str]) -> ControlledRobot:
    """Read and check a robot and its controller.

    Args:
        name_or_path: One of `known_robots()`, or the path of a TOML file.
    Raises:
        InvalidRobot: The file is missing, malformed or has a value out of its range.
    """
    return SHIPPED.read(
        name_or_path, lambda content: _robot_of(_check(content), ControlledRobot(Robot(), Controller()))
    )


def robot_description(name_or_path: str | os.PathLike[str]) -> str:
    """The description of a robot; "" if it has none.

    Raises:
        InvalidRobot: As in `load_robot`.
    """
    return SHIPPED.read(name_or_path, lambda content: str(_check(content).get("description", "")))


def _check(content: dict[str, Any]) -> dict[str, Any]:
    """The checked content of a robot file."""
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
