"""What files and options say of errors: the table `[uncertainty]`, kept as it was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from environments.uncertainty import DEFAULT, KEYS, OF_OBSTACLES, ObstacleError, Uncertainty, uncertainty_of

Number = float | tuple[float, float]
"""A standard deviation, or the range of friction."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table `[uncertainty]`, in the units of files. It can be hashed, as the tubes that contain it."""

    preset: str | None = None
    """One of `PRESETS`."""
    numbers: tuple[tuple[str, Number], ...] = ()
    """Names of `KEYS` and their values."""
    obstacles: tuple[tuple[int, tuple[tuple[str, float], ...]], ...] = ()
    """For single obstacles, by their number from 1 in the order of `Obstacles.shapes`: names of `OF_OBSTACLES` and their values."""

    @classmethod
    def of(cls, content: Mapping[str, Any] | None) -> Given:
        """From a table of a file; None is an empty one.

        Raises:
            ValueError: A name is unknown, or a value out of its range.
        """
        rest = dict(content or {})
        preset, single = rest.pop("preset", None), rest.pop("obstacle", {})
        uncertainty_of(DEFAULT if preset is None else preset, rest)
        names = [key.name for key in KEYS.values() if key.name in rest]
        found = cls(
            preset,
            tuple((name, _number(rest[name])) for name in names),
            tuple(
                (int(number), tuple((name, float(value)) for name, value in sorted(part.items())))
                for number, part in sorted(single.items(), key=lambda one: int(one[0]))
                if part
            ),
        )
        found.of_obstacles()
        return found

    def __bool__(self) -> bool:
        return self != NOTHING

    def of_obstacles(self) -> tuple[ObstacleError, ...]:
        """What is given for single obstacles, in SI units.

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
        """The table of a file; `of` is the inverse."""
        found: dict[str, Any] = {} if self.preset is None else {"preset": self.preset}
        found |= {name: list(value) if isinstance(value, tuple) else value for name, value in self.numbers}
        single = {str(number): dict(part) for number, part in self.obstacles}
        return found | ({"obstacle": single} if single else {})

    def lines(self) -> list[str]:
        """The same as lines of a TOML file, each table after an empty line."""
        content, found = self.content(), []
        tables = {f"uncertainty.obstacle.{number}": part for number, part in content.pop("obstacle", {}).items()}
        for name, part in {"uncertainty": content, **tables}.items():
            if part:
                found += ["", f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in part.items())]
        return found


NOTHING = Given()


def _number(value: Any) -> Number:
    return (float(value[0]), float(value[1])) if isinstance(value, list | tuple) else float(value)
