"""OMPL's control planners: those that the installed package can make, by name, and anyone's, by file or module."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ompl import base, control

from dynamics.propagator import CannotRun


class NoPlanner(CannotRun):
    """OMPL has no such planner, or cannot make it from Python."""


def planner_names() -> dict[str, str]:
    """Return the names of OMPL's control planners, and of their classes: `KPIECE1` is `kpiece`, `SyclopRRT` is `syclop-rrt`."""
    classes = [
        name for name, kind in vars(control).items() if isinstance(kind, type) and issubclass(kind, base.Planner)
    ]
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).rstrip("0123456789").lower(): name for name in sorted(classes)}


def make_planner(name: str, information: Any) -> Any:
    """Make a control planner.

    Args:
        name: One of `planner_names`, or a planner of the caller's, see `load_planner`.
        information: OMPL's `SpaceInformation`.
    Raises:
        NoPlanner: OMPL has none of this name, or it cannot be made from a space alone.
    """
    check_planner(name)
    if ":" not in name:
        return getattr(control, planner_names()[name])(information)
    try:
        planner = load_planner(name)(information)
    except Exception as error:
        raise NoPlanner(f"planner {name}: it cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(planner, base.Planner):
        raise NoPlanner(f"planner {name}: it makes a {type(planner).__name__}, which is not a planner of OMPL")
    return planner


def check_planner(name: str) -> None:
    """Check that OMPL can make a planner; the constructor of the caller's own is not called.

    Raises:
        NoPlanner: See `make_planner`.
    """
    if ":" in name:
        load_planner(name)
        return
    names, available = planner_names(), available_planners()
    if name in available:
        return
    known = f"available: {', '.join(available)}, the default, and your own as FILE.py:CLASS"
    if name not in names:
        raise NoPlanner(f"unknown planner {name!r}; {known}")
    raise NoPlanner(f"planner {name!r}: {names[name]} of ompl {version('ompl')} cannot be made in Python; {known}")


def load_planner(name: str) -> Callable[[Any], Any]:
    """Load the class of a planner, or a function that makes one of OMPL's `SpaceInformation`.

    Args:
        name: `FILE:CLASS` with a Python file or a compiled module, or `MODULE:CLASS` with an installed module.
    Raises:
        NoPlanner: It cannot be loaded.
    """
    source, _, attribute = name.rpartition(":")
    try:
        module = _load_file(Path(source)) if Path(source).suffix in (".py", ".so") else import_module(source)
        made = getattr(module, attribute)
    except Exception as error:
        raise NoPlanner(
            f"planner {name}: {type(error).__name__}: {error}; give FILE.py:CLASS or MODULE:CLASS"
        ) from error
    if not callable(made):
        raise NoPlanner(f"planner {name}: {attribute} is not a class or function that makes a planner of OMPL")
    return made


def _load_file(path: Path) -> ModuleType:
    """Import a file once; it is the same module each time, so that its classes are too."""
    key = f"planner of {path.resolve()}"
    if key not in sys.modules:
        specification = spec_from_file_location(path.name.partition(".")[0], path)
        if specification is None or specification.loader is None or not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        module = module_from_spec(specification)
        specification.loader.exec_module(module)
        sys.modules[key] = module
    return sys.modules[key]


def available_planners() -> list[str]:
    """Return the names of the planners that can be made from a space, tested with a space of one dimension.

    SST and PDST have no constructor in ompl 2.0.1. Syclop's needs a decomposition, whose `project` returns nothing to OMPL if it is
    written in Python: all states would be in one region.
    """
    states = base.RealVectorStateSpace(1)
    information = control.SpaceInformation(states, control.RealVectorControlSpace(states, 1))
    found = []
    for name, kind in planner_names().items():
        try:
            getattr(control, kind)(information)
        except TypeError:
            continue
        found.append(name)
    return found
