"""Provenance of a result: command, machine, duration and package versions."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

from surrogate.kernels.compiled import thread_count


@cache  # a search records versions with each checkpoint, and reading one takes a millisecond
def find_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed, or imported from a folder."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def find_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    return {package: number for package in packages if (number := find_version(package))}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that affect results, without those that are imported from a folder."""
    packages = ["vinewright", "numpy", "numba", "scipy", "shapely"]
    packages += [package for package in ("ompl", "torch", "casadi", "osqp") if package in sys.modules]
    return {"python": python_version(), **find_versions(packages)}


def machine() -> str:
    """Return the processor name and number of threads, as text."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {thread_count()} threads"


@dataclass(frozen=True, slots=True)
class Provenance:
    """The command that produced a result, and its machine."""

    command: str
    """The command line, with a note if it was interrupted."""
    machine: str
    seconds: float | None = None
    """Duration [s]; None if it was not recorded."""
    versions: dict[str, str] | None = None
    """Versions by package; None if they were not recorded."""
    date: str | None = None
    """Day on which it was made, in UTC, as 2026-11-27; None if it was not recorded."""

    @classmethod
    def here(cls, command: str, seconds: float) -> Provenance:
        """Return the provenance of a result of this process."""
        return cls(command, machine(), round(seconds, 1), versions(), f"{datetime.now(UTC):%Y-%m-%d}")

    def line(self) -> str:
        """Return the first line of a report."""
        took = "" if self.seconds is None else f", in {self.seconds:.0f} s"
        with_versions = ", ".join(f"{package} {number}" for package, number in (self.versions or {}).items())
        packages = f", with {with_versions}" if with_versions else ""
        return f"Made by `{self.command}` on {self.machine}{took}{packages}."

    def content(self) -> dict[str, Any]:
        """Return the first keys of a result's data, without those that were not recorded."""
        known = {"date": self.date, "seconds": self.seconds, "versions": self.versions}
        kept = {key: value for key, value in known.items() if value is not None}
        return {"schema": 1, "command": self.command, "machine": self.machine, **kept}
