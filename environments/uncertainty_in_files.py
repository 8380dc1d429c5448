"""Errors as stated in files and options: the table `[uncertainty]` in the units of files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from environments.learnt_errors import LearntErrors
from environments.uncertainty import DEFAULT, KEYS, OF_OBSTACLES, ObstacleError, Uncertainty, uncertainty_of

Number = float | tuple[float, float]
"""A standard deviation, or the range of friction."""


@dataclass(frozen=True, slots=True)
class StatedUncertainty:
    """A table `[uncertainty]`, in the units of files. It can be hashed, as the tubes that contain it."""

    preset: str | None = None
    """A name of `PRESETS`; None if none is stated."""
    numbers: tuple[tuple[str, Number], ...] = ()
    """Names of `KEYS` and their values."""
    learnt: LearntErrors | None = None
    """The table `[uncertainty.learnt]`; None without one."""
    obstacles: tuple[tuple[int, tuple[tuple[str, float], ...]], ...] = ()
    """Errors of single obstacles, by their number from 1 in the order of `Obstacles.shapes`: names of `OF_OBSTACLES` and their values."""

    @classmethod
    def of(cls, content: Mapping[str, Any] | None) -> StatedUncertainty:
        """Make from a table of a file; None is an empty table.

        Raises:
            ValueError: A name is unknown, or a value out of its range.
        """
        rest = dict(content or {})
        preset, single, learnt = rest.pop("preset", None), rest.pop("obstacle", {}), rest.pop("learnt", None)
        uncertainty_of(DEFAULT if preset is None else preset, rest)
        names = [key.name for key in KEYS.values() if key.name in rest]
        found = cls(
            preset,
            tuple((name, _number(rest[name])) for name in names),
            LearntErrors.of(learnt) if learnt else None,
            tuple(
                (int(number), tuple((name, float(value)) for name, value in sorted(part.items())))
                for number, part in sorted(single.items(), key=lambda one: int(one[0]))
                if part
            ),
        )
        found.of_obstacles()
        return found

    def __bool__(self) -> bool:
        return self != UNSTATED

    def of_obstacles(self) -> tuple[ObstacleError, ...]:
        """Convert the errors of single obstacles to SI units.

        Raises:
            ValueError: A name is unknown, or a value out of its range.
        """
        found = []
        for number, part in self.obstacles:
            for name, value in part:
                if name not in OF_OBSTACLES:
                    raise ValueError(f"unknown key obstacle.{number}.{name:.40}; allowed: {', '.join(OF_OBSTACLES)}")
                field = OF_OBSTACLES[name]
                found.append(ObstacleError(number, field, value / KEYS[field].factor))
        return Uncertainty(of_obstacles=tuple(found)).of_obstacles

    def content(self) -> dict[str, Any]:
        """Return the content of the table; `of` is the inverse."""
        found: dict[str, Any] = {} if self.preset is None else {"preset": self.preset}
        found |= {name: list(value) if isinstance(value, tuple) else value for name, value in self.numbers}
        single = {str(number): dict(part) for number, part in self.obstacles}
        if self.learnt:
            found["learnt"] = self.learnt.content()
        return found | ({"obstacle": single} if single else {})

    def lines(self, names: Mapping[int, str] = MappingProxyType({})) -> list[str]:
        """Format the table as lines of a TOML file, each table after an empty line.

        Args:
            names: Names of the obstacles in the order of the file, by their number from 1 in the order of `Obstacles.shapes`; none
                where there are no obstacles, as in the file of a tube.
        """
        content, found = self.content(), []
        single = content.pop("obstacle", {})
        learnt = {"uncertainty.learnt": content.pop("learnt", {})}
        tables = learnt | {
            f'uncertainty.obstacle."{name}"': single.get(str(number), {}) for number, name in names.items()
        }
        for name, part in {"uncertainty": content, **tables}.items():
            if part:
                found += ["", f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in part.items())]
        return found


UNSTATED = StatedUncertainty()


def _number(value: Any) -> Number:
    return (float(value[0]), float(value[1])) if isinstance(value, list | tuple) else float(value)
