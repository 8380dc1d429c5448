"""Search trees and solutions as graphs."""

import math
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment
from planner.plan.run.checkpoint import read_checkpoint
from planner.search.graphs import search_graph, solution_graph
from planner.search.run import Budget, Run
from tests.conftest import Vinewright


@pytest.fixture(scope="module")
def run(shipped: dict[str, Environment]) -> Run:
    """A search with solutions."""
    run = Run.prepare(shipped["divider"], VineParams(), seed=1, batch=60)
    for _ in run.run(Budget(math.inf, iterations=12)):
        pass
    return run


def test_the_graph_is_the_tree(run: Run) -> None:
    """It is a tree from the root: each node once, with its pose; vines grow along its edges, and actuators never become fewer."""
    tree, graph = run.search.tree, search_graph(run.search.tree.to_arrays())
    assert networkx.is_arborescence(graph)
    assert set(graph) == set(np.flatnonzero(tree.used).tolist())
    for slot, node in graph.nodes.items():
        assert (node["x"], node["y"], node["heading"]) == tuple(tree.tips[slot])
        assert node["active"] == tree.active[slot]
    for before, after in graph.edges:
        assert graph.nodes[before]["segments"] < graph.nodes[after]["segments"]
        assert graph.nodes[before]["actuators"] <= graph.nodes[after]["actuators"]
    (root,) = [slot for slot, count in graph.in_degree() if count == 0]
    assert graph.nodes[root]["segments"] == 0


def test_solutions_share_their_first_sections(run: Run) -> None:
    """Along the path from the base to the tip of each solution lie its sections; no two nodes are reached by the same sections."""
    solutions = run.solutions.best
    graph = solution_graph(solutions)
    assert networkx.is_arborescence(graph)
    tips = {node["solution"]: one for one, node in graph.nodes.items() if "solution" in node}
    assert set(tips) == set(range(1, len(solutions) + 1))
    for number, solution in enumerate(solutions, start=1):
        path = networkx.shortest_path(graph, 0, tips[number])
        assert [graph.edges[step]["side"] for step in pairwise(path)] == [
            section.side for section in solution.design.sections
        ]
        assert [graph.nodes[one]["length"] for one in path] == [
            0.0,
            *(section.end for section in solution.design.sections),
        ]
    prefixes = {one.design.sections[:count] for one in solutions for count in range(len(one.design.sections) + 1)}
    assert len(graph) == len(prefixes)


def test_the_tree_of_a_run_is_written(small_file: Path, tmp_path: Path, vinewright: Vinewright) -> None:
    """`show --tree` writes GraphML that networkx reads back, of the checkpoint's tree; never over a file without --force."""
    run, tree = tmp_path / "run", tmp_path / "tree.graphml"
    assert vinewright("plan", str(small_file), "--out", str(run), "--iterations", "3", "--fast")[0] == 0
    code, printed, _ = vinewright("show", str(run), "--tree", str(tree))
    assert code == 0
    assert f"wrote {tree}" in printed.replace("\n", "")
    graph = networkx.read_graphml(tree, node_type=int)
    stored = read_checkpoint(run).search_graph()
    assert dict(graph.nodes(data=True)) == dict(stored.nodes(data=True))
    assert set(graph.edges) == set(stored.edges)
    assert vinewright("show", str(run), "--tree", str(tree))[0] == 2
    assert vinewright("show", str(run), "--tree", str(tree), "--force")[0] == 0


@pytest.mark.parametrize(
    ("shown", "tree", "said"),
    [
        ("run", "tree.png", "must end in .graphml"),
        ("run/design.json", "tree.graphml", "a design has no search tree; give the folder of a run"),
        ("run", "none/tree.graphml", "the folder none does not exist"),
    ],
)
def test_what_has_no_tree_is_refused(
    shown: str, tree: str, said: str, small_file: Path, tmp_path: Path, vinewright: Vinewright
) -> None:
    """Exit code 2, one line, no file."""
    assert vinewright("plan", str(small_file), "--out", "run", "--iterations", "3", "--fast")[0] == 0
    code, _, error = vinewright("show", shown, "--tree", tree)
    assert code == 2
    assert said in error
    assert not list(tmp_path.rglob("tree.*"))


def test_an_ompl_planner_stores_no_tree(small_file: Path, vinewright: Vinewright) -> None:
    """The checkpoint of a search that is repeated has the root only, which is refused and not written as the tree."""
    arguments = ("--planner", "rrt", "--out", "run", "--iterations", "3", "--fast")
    assert vinewright("plan", str(small_file), *arguments)[0] == 0
    code, _, error = vinewright("show", "run", "--tree", "tree.graphml")
    assert (code, "only the root of the tree: planner rrt cannot store it" in error) == (2, True)
