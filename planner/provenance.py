"""What a result depends on beside its inputs."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib.metadata import version
from platform import python_version
from typing import Any

from surrogate.compiled import thread_count


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    packages = ["vinewright", "numpy", "numba", "scipy", "shapely"]
    packages += [package for package in ("ompl", "torch", "casadi", "osqp") if package in sys.modules]
    return {"python": python_version(), **{package: version(package) for package in packages}}


def machine() -> str:
    """The machine in words."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {thread_count()} threads"


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a result, and on what."""

    command: str
    """As it is typed, and whether it was interrupted."""
    machine: str
    seconds: float | None = None
    """What it took [s]; None where that was not kept."""
    versions: dict[str, str] | None = None
    """Of what the result depends on, by package; None where they were not kept."""

    @classmethod
    def here(cls, command: str, seconds: float) -> Provenance:
        """Of what this process has made."""
        return cls(command, machine(), round(seconds, 1), versions())

    def line(self) -> str:
        """The first line of a report."""
        took = "" if self.seconds is None else f", in {self.seconds:.0f} s"
        with_versions = ", ".join(f"{package} {number}" for package, number in (self.versions or {}).items())
        return f"Made by `{self.command}` on {self.machine}{took}{f', with {with_versions}' * bool(with_versions)}."

    def content(self) -> dict[str, Any]:
        """The first keys of a result's data; what was not kept is left out."""
        known = {"seconds": self.seconds, "versions": self.versions}
        kept = {key: value for key, value in known.items() if value is not None}
        return {"schema": 1, "command": self.command, "machine": self.machine, **kept}
