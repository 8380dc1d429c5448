"""OMPL's control planners: names of the planners that the installed package can make."""

from __future__ import annotations

import re
from importlib.metadata import version
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
    """Make a control planner of OMPL.

    Args:
        name: One of `planner_names`.
        information: OMPL's `SpaceInformation`.
    Raises:
        NoPlanner: OMPL has none of this name, or it cannot be made from a space alone.
    """
    check_planner(name)
    return getattr(control, planner_names()[name])(information)


def check_planner(name: str) -> None:
    """Check that OMPL can make a planner.

    Raises:
        NoPlanner: See `make_planner`.
    """
    names, available = planner_names(), available_planners()
    if name in available:
        return
    known = f"available: {', '.join(available)}, and the default"
    if name not in names:
        raise NoPlanner(f"unknown planner {name!r}; {known}")
    raise NoPlanner(f"planner {name!r}: {names[name]} of ompl {version('ompl')} cannot be made in Python; {known}")


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
