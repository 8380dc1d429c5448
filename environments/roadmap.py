"""Roadmap of an environment: lines of sight between the corners of its inflated obstacles, and the shortest path of each homotopy class."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from environments.environment import Environment
from environments.homotopy import Islands, Word, reduce_word

if TYPE_CHECKING:
    import networkx

TOUCH = 1e-7
"""Lines may penetrate an obstacle by this [m], so that they may touch it and run along its sides."""
MOST_CORNERS = 400
"""Maximum number of corners of inflated obstacles; lines between more of them take seconds."""
MOST_STATES = 100_000
"""Maximum number of pairs of a corner and a word that are looked at."""
_ARC = 2
"""Edges per quarter turn of the round corners of inflated obstacles; inscribed, so that no passage is closed."""
_BEYOND = 0.01
"""Distance beyond the bounds to which inflated obstacles are kept [m]."""
_SMOOTHED = 1e-4
"""Maximum distance by which the simplified outlines of inflated obstacles differ from them [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """The shortest path of a homotopy class, for the axis of a tube without limits of curvature."""

    path: np.ndarray
    """Its corners from start to goal [m], shape (n, 2)."""
    length: float
    """Its length [m]."""
    word: Word
    """See `Islands.word`."""


def visibility_graph(solids: Sequence[shapely.Polygon], points: np.ndarray) -> networkx.Graph[int]:
    """Lines of sight between the corners of inflated obstacles, and other points such as a start and a goal.

    Args:
        solids: Inflated obstacles, merged.
        points: Points in addition to the corners [m], shape (n, 2); they come first.
    Returns:
        A graph of indices, with a `position` [m] at each node and a `length` [m] at each edge.
    """
    import networkx

    rings = [np.asarray(ring.coords)[:-1] for part in solids for ring in (part.exterior, *part.interiors)]
    nodes = np.concatenate([np.reshape(points, (-1, 2)), *rings])
    one, other = np.triu_indices(len(nodes), 1)
    lines = shapely.linestrings(np.stack([nodes[one], nodes[other]], axis=1))
    blocked, _ = shapely.STRtree(shapely.buffer(solids, -TOUCH)).query(lines, predicate="intersects")
    seen = np.setdiff1d(np.arange(len(lines)), blocked)
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from((int(i), {"position": position}) for i, position in enumerate(nodes))
    ends = one[seen].tolist(), other[seen].tolist(), shapely.length(lines[seen]).tolist()
    graph.add_weighted_edges_from(zip(*ends, strict=True), "length")
    return graph


def shortest_ways(environment: Environment, clearance: float, count: int = 4) -> list[Way]:
    """Return the shortest path from start to goal of each homotopy class without loops around obstacles, the shortest class first.

    Args:
        clearance: Least distance of the axis from obstacles [m].
        count: Maximum number of classes.
    Returns:
        Fewer if there are no more; none if the obstacles have too many corners, or no path leads to the goal.
    """
    import networkx

    solids = _inflated(environment, clearance)
    if sum(len(shapely.get_coordinates(part)) for part in solids) > MOST_CORNERS:
        return []
    graph = visibility_graph(solids, np.stack([environment.start[:2], environment.goal[:2]]))
    low, high = environment.bounds[:2], environment.bounds[2:]
    graph.remove_nodes_from(
        [node for node, at in graph.nodes(data="position") if (at < low).any() or (at > high).any()]
    )
    islands, position = Islands.of(environment, clearance), networkx.get_node_attributes(graph, "position")
    for one, other in graph.edges:
        line = np.stack([position[one], position[other]])
        graph.edges[one, other].update(word=islands.word(line), turns=islands.turns(line))
    found: list[Way] = []
    for length, nodes, word in _paths(graph, len(islands.members)):
        found.append(Way(np.array([position[node] for node in nodes]), length, word))
        if len(found) == count:
            break
    return found


def ways_content(environment: Environment, clearance: float) -> list[dict[str, Any]]:
    """Return `shortest_ways` for a JSON document: length [mm], and the names of the obstacles on both sides."""
    islands, content = Islands.of(environment, clearance), []
    for way in shortest_ways(environment, clearance):
        left, right = islands.passed(way.path)
        content.append({"length_mm": round(1e3 * way.length, 3), "obstacles_left": left, "obstacles_right": right})
    return content


def _paths(graph: networkx.Graph[int], islands: int) -> Iterator[tuple[float, tuple[int, ...], Word]]:
    """Paths from node 0 to node 1 with different words that turn about no island by more than a whole turn, the shortest first.

    This is Dijkstra's search over nodes and words (Bhattacharya, Likhachev and Kumar 2012).
    """
    done = set[tuple[int, Word]]()
    queue: list[tuple[float, tuple[int, ...], Word, np.ndarray]] = [(0.0, (0,), (), np.zeros(islands))]
    while queue and len(done) < MOST_STATES:
        length, nodes, word, turns = heapq.heappop(queue)
        node = nodes[-1]
        if (node, word) in done:
            continue
        done.add((node, word))
        if node == 1:
            yield length, nodes, word
            continue
        for after, edge in graph.adj[node].items():
            crossed, turned = edge["word"], turns + (edge["turns"] if node < after else -edge["turns"])
            if node > after:
                crossed = tuple(-one for one in reversed(crossed))
            state = after, reduce_word((*word, *crossed))
            if state not in done and (np.abs(turned) <= 2 * np.pi).all():
                heapq.heappush(queue, (length + edge["length"], (*nodes, after), state[1], turned))


def _inflated(environment: Environment, clearance: float) -> list[shapely.Polygon]:
    """Return the obstacles, inflated and merged, without what the base is mounted in."""
    shapes = [
        shape for shape, mounted in zip(environment.solids.shapes(), environment.mounted, strict=True) if not mounted
    ]
    # Beyond the bounds, so that no line passes between an obstacle that reaches them and the bounds.
    room = shapely.box(*environment.bounds).buffer(_BEYOND, join_style="mitre")
    merged = shapely.union_all(shapely.buffer(shapes, clearance - TOUCH, quad_segs=_ARC))
    return [part for part in shapely.get_parts(merged.simplify(_SMOOTHED).intersection(room)).tolist() if part.area > 0]
