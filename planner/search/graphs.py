"""Search trees and solutions as graphs of networkx, for its algorithms and for files that other programs read (GraphML)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from planner.search.solutions import Solution

if TYPE_CHECKING:
    import networkx


def search_graph(nodes: Mapping[str, NDArray[Any]]) -> networkx.DiGraph[int]:
    """Return a search tree as a graph from the root to its leaves.

    Args:
        nodes: Arrays of the tree, see `Tree.to_arrays`; a checkpoint has them too.
    Returns:
        A graph of slots; each node has the pose of its tip (`x` and `y` [m], `heading` [rad]), its numbers of `segments` and
        `actuators` [-], whether it is `active`, and whether its vine has `jumped` on the way.
    """
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    for row, slot in enumerate(nodes["slots"].tolist()):
        x, y, heading = nodes["tips"][row].tolist()
        counts = {name: int(nodes[name][row]) for name in ("segments", "actuators")}
        marks = {name: bool(nodes[name][row]) for name in ("active", "jumped")}
        graph.add_node(slot, x=x, y=y, heading=heading, **counts, **marks)
        if (parent := int(nodes["parent"][row])) >= 0:
            graph.add_edge(parent, slot)
    return graph


def solution_graph(solutions: Sequence[Solution]) -> networkx.DiGraph[int]:
    """Return solutions as a graph of their sections: those that begin with the same sections share nodes.

    Returns:
        A graph from node 0, the base, to the tips; each node is the end of a section, with its `length` from the base [m]. A tip has the
        `solution`, its number in the list, counted from 1. Each edge is a section, with its `side`.
    """
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_node(0, length=0.0)
    known: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    for number, solution in enumerate(solutions, start=1):
        sections: tuple[tuple[int, int], ...] = ()
        for (control, run), section in zip(groupby(solution.controls.tolist()), solution.design.sections, strict=True):
            before, sections = known[sections], (*sections, (control, len(list(run))))
            if sections not in known:
                known[sections] = len(known)
                graph.add_node(known[sections], length=section.end)
                graph.add_edge(before, known[sections], side=section.side)
        graph.nodes[known[sections]]["solution"] = number
    return graph
