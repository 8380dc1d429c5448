"""OMPL's planner interface: that of the package `ompl`, or of the stand-in where it is not published (Windows, Python 3.14)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any

from dynamics.propagator import Propagator

__all__ = ["AVAILABLE", "base", "make_setup", "without_log"]
AVAILABLE = find_spec("ompl") is not None
"""Whether the package `ompl` is installed."""

if AVAILABLE:
    from ompl import base
else:
    from planner.search.ompl import stand_in as base


def make_setup(propagator: Propagator) -> Any:
    """Make the `SimpleSetup` in which a propagator grows vines: OMPL's, with the space of vines, or the stand-in."""
    if not AVAILABLE:
        return base.SimpleSetup()
    from planner.search.ompl.setup import VineSetup
    from planner.search.ompl.vines import VineGrower

    return VineSetup(VineGrower(propagator))


def without_log() -> AbstractContextManager[None]:
    """Context manager in which OMPL logs nothing."""
    if not AVAILABLE:
        return nullcontext()
    from planner.search.reverse.seeded_ompl import quiet_ompl

    return quiet_ompl()
