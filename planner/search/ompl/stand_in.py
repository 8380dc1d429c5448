"""A stand-in for OMPL's planner interface, with which a plan runs where OMPL is not published.

It has the names and calls of `ompl.base` and `ompl.control` that `VinePlanner` and `Run` use, and nothing else: no space, no paths, no
planner data. A search makes the same decisions with it as with OMPL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class PlannerTerminationCondition:
    """A function without arguments that says whether a planner is to stop."""

    def __init__(self, is_met: Callable[[], bool]) -> None:
        """Keep the function."""
        self._is_met = is_met

    def __call__(self) -> bool:
        """Return whether the planner is to stop."""
        return self._is_met()


class PlannerStatus:
    """Outcome of a call of a planner."""

    def __init__(self, has_solution: bool, is_approximate: bool) -> None:
        """Note whether a solution was found, and whether it only comes near the goal."""
        self.has_solution, self.is_approximate = has_solution, is_approximate

    def __bool__(self) -> bool:
        """Return whether a solution was found."""
        return self.has_solution


class Planner:
    """Base class of planners."""

    def __init__(self, information: Any, name: str) -> None:
        """Note the name; the space information is None."""
        self._information, self._name = information, name

    def getName(self) -> str:
        """Return the name of the planner."""
        return self._name

    def getSpaceInformation(self) -> Any:
        """Return the space information."""
        return self._information

    def getProblemDefinition(self) -> None:
        """Return None: there is no problem definition that takes paths."""

    def clear(self) -> None:
        """Forget nothing: this class knows nothing of the search."""


class SimpleSetup:
    """Holds a planner and calls it."""

    def getSpaceInformation(self) -> None:
        """Return None: there is no space."""

    def setPlanner(self, planner: Planner) -> None:
        """Set the planner that `solve` calls."""
        self._planner = planner

    def solve(self, until: PlannerTerminationCondition) -> Any:
        """Let the planner search until the condition is met; return its status."""
        return self._planner.solve(until)  # type: ignore[attr-defined]  # of the subclass
