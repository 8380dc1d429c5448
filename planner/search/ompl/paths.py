"""Solutions and search trees of SST* as OMPL's paths and planner data."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from ompl import base, control

from dynamics.vine import Status, to_host
from planner.search.aiming import LONGEST_BEND
from planner.search.ompl.setup import write_vine
from planner.search.ompl.vines import OmplVine, VineGrower
from planner.search.solutions import Solution
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    from planner.search.sst import Search


def solution_path(information: Any, growth: VineGrower, solution: Solution) -> Any:
    """Return a solution as a `PathControl`: grown again by one control after the other, each of a section or a part of it.

    At this normal step it may miss the goal, or fail, although its replay at a smaller step does not. Then the states are those of the
    replay, and OMPL's check of the path says that they do not follow from the controls.

    Args:
        information: OMPL's `SpaceInformation` of a `VineSetup`.
    Returns:
        The path; None if the space does not contain its actuators: it has those of one type, at constant pressures.
    """
    design = solution.design
    if len(growth.params.actuators) > 1 or design.schedule or design.preformed:
        return None
    runs = [(value, len(list(run))) for value, run in groupby(solution.controls.tolist())]
    steps = [(value, min(LONGEST_BEND, count - at)) for value, count in runs for at in range(0, count, LONGEST_BEND)]
    vines = [growth.start()]
    for value, count in steps:
        vines.append(growth.extend(vines[-1], value, count))
        if vines[-1].status != Status.GROWN:
            break
    if len(vines) <= len(steps) or not growth.has_arrived(vines[-1]):
        vines = _replayed(growth, solution, [0, *np.cumsum([count for _, count in steps]).tolist()])
    path = control.PathControl(information)
    for vine, step in zip(vines, steps, strict=False):
        steer = information.allocControl()
        for axis, position in enumerate(growth.encode(*step)):
            steer[axis] = position
        path.append(_state(information, vine), steer, 1.0)
    path.append(_state(information, vines[-1]))
    return path


def _replayed(growth: VineGrower, solution: Solution, segments: list[int]) -> list[OmplVine]:
    """Return the vine of a solution's replay at some numbers of segments."""
    line = solution.design.centerline
    links = np.diff(line, axis=0)
    headings = np.unwrap([growth.environment.start[2], *np.arctan2(links[:, 1], links[:, 0])])
    tips = np.column_stack([line, headings])
    tips[-1] = solution.design.tip
    return [_vine(growth, tips[count], np.diff(headings), solution.controls, count) for count in segments]


def tree_data(information: Any, growth: VineGrower, search: Search) -> Any:
    """Return a search tree as OMPL's `PlannerData`, with costs as in the search.

    Args:
        information: OMPL's `SpaceInformation` of a `VineSetup`.
    """
    tree = search.tree
    slots = np.flatnonzero(tree.used)
    slots = slots[np.argsort(tree.segments[slots], kind="stable")]  # parents before their children
    data, states = base.PlannerData(information), []
    costs = search.cost(tree.actuators, tree.segments)
    bends, controls = (
        to_host(tree.pages.bends(slots, growth.max_segments)),
        tree.pages.controls(slots, growth.max_segments),
    )
    for row, slot in enumerate(slots.tolist()):
        vine = _vine(growth, tree.tips[slot], bends[row], controls[row], int(tree.segments[slot]))
        states.append(_state(information, vine))
        vertex, parent = base.PlannerDataVertex(states[-1], slot), int(tree.parent[slot])
        if parent < 0:
            data.addStartVertex(vertex)
        else:
            data.addVertex(vertex)
    index = {slot: row for row, slot in enumerate(slots.tolist())}
    for slot in slots.tolist():
        if (parent := int(tree.parent[slot])) >= 0:
            data.addEdge(
                index[parent], index[slot], base.PlannerDataEdge(), base.Cost(float(costs[slot] - costs[parent]))
            )
    data.decoupleFromPlanner()  # copies the states, which Python frees
    return data


def _vine(growth: VineGrower, tip: Floats, bends: Floats, controls: NDArray[np.int32], segments: int) -> OmplVine:
    """Return a vine of a number of segments."""
    angles, carried = np.zeros(growth.max_segments), np.zeros(growth.max_segments, np.int32)
    angles[:segments], carried[:segments] = bends[:segments], controls[:segments]
    begun = np.diff(carried[:segments], prepend=0) != 0
    return OmplVine(tip, angles, carried, segments, int((begun & (carried[:segments] != 0)).sum()))


def _state(information: Any, vine: OmplVine) -> Any:
    """Return a new state with a vine."""
    state = information.allocState()
    write_vine(state, vine)
    return state
