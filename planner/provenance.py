"""What a result depends on beside its inputs."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from platform import python_version

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
