"""The planners that can search: SST*, and those of OMPL that can be made here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.search.sst import Search

SST_STAR = "sst-star"
"""The default, `planner.search.sst`; the others are OMPL's."""


def search_of(planner: str) -> Callable[..., Search] | None:
    """Return the class or factory that makes the search of a planner, for `Switches.search`; None for SST*.

    Raises:
        NoPlanner: It is unknown, or OMPL cannot make it.
        ModuleNotFoundError: It needs OMPL, which is not installed.
    """
    if planner == SST_STAR:
        return None
    from planner.search.ompl.planners import check_planner
    from planner.search.ompl.search import OmplSearch

    check_planner(planner)
    return partial(OmplSearch, planner=planner)
