"""What a result depends on beside its inputs."""

from __future__ import annotations

import sys
from importlib.metadata import version
from platform import python_version


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    packages = ["vinewright", "numpy", "numba", "scipy", "shapely"]
    packages += [package for package in ("ompl", "torch", "casadi", "osqp") if package in sys.modules]
    return {"python": python_version(), **{package: version(package) for package in packages}}
