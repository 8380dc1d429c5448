"""The reverse tree and its cost-to-go."""

import hashlib
import subprocess
import sys
from collections.abc import Callable

import networkx
import numpy as np
import pytest
import shapely

from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.reach import WalledIn
from planner.search.biarc import Biarc, pose_on
from planner.search.cost_to_go import SPACING, CostToGo
from planner.search.reverse_tree import HEADINGS, STRAIGHT, ReverseTree
from planner.search.sst import LENGTH_COST

MakeEnvironment = Callable[..., Environment]
TIGHTEST = 3.6


@pytest.fixture(scope="module")
def tree(shipped: dict[str, Environment], params: VineParams) -> ReverseTree:
    """The tree in the building, which reaches every room."""
    return ReverseTree.grow(shipped["building"], params, TIGHTEST, seed=1, samples=2500)


def points_along(tree: ReverseTree, arcs: Biarc, children: np.ndarray) -> np.ndarray:
    """Poses along every edge, shape (edges, 2, points, 3)."""
    along = np.linspace(0, 1, 60)
    begin, parts = tree.poses[children], []
    for curvature, length in zip(arcs.curvature, arcs.length, strict=True):
        parts.append(pose_on(begin[:, None], curvature[:, None], length[:, None] * along))
        begin = parts[-1][:, -1]
    return np.stack(parts, axis=1)


def test_every_edge_is_a_valid_path_for_the_tube(tree: ReverseTree, shipped: dict[str, Environment]) -> None:
    """Edges lead from child to parent, respect the curvature limit, and keep the tube's radius from obstacles."""
    children, arcs = tree.edges
    assert len(children) > 300
    assert np.max(np.abs(arcs.curvature)) <= TIGHTEST
    points = points_along(tree, arcs, children)
    ends, parents = points[:, 1, -1], tree.poses[tree.parent[children]]
    assert np.allclose(ends[:, :2], parents[:, :2], atol=1e-9)
    assert np.allclose(np.exp(1j * ends[:, 2]), np.exp(1j * parents[:, 2]), atol=1e-9)
    assert shipped["building"].obstacles.clearance(points[..., :2]).min() > tree.radius - 1.1e-3


def test_roots_are_the_goal_in_all_headings(tree: ReverseTree, shipped: dict[str, Environment]) -> None:
    """Twelve vertices without a parent, at the goal, a twelfth of a turn apart, with cost 0; all paths end there."""
    roots = np.flatnonzero(tree.parent < 0)
    assert len(roots) == HEADINGS
    assert np.allclose(tree.poses[roots, :2], shipped["building"].goal[:2])
    assert np.allclose(np.diff(np.sort(np.mod(tree.poses[roots, 2], 2 * np.pi))), 2 * np.pi / HEADINGS)
    assert (tree.cost[roots] == 0).all()


def test_costs_are_those_of_the_path(tree: ReverseTree) -> None:
    """The cost of a vertex is the sum over the edges of its path to the goal in the graph: curved arcs and length."""
    graph, roots = tree.graph(), set(np.flatnonzero(tree.parent < 0).tolist())
    assert networkx.is_directed_acyclic_graph(graph)
    children, arcs = tree.edges
    edge = dict(zip(children.tolist(), range(len(children)), strict=True))
    for vertex in np.random.default_rng(0).choice(len(tree.poses), 60, replace=False).tolist():
        way = [vertex, *networkx.descendants(graph, vertex)]
        assert roots.intersection(way)
        on_it = [edge[v] for v in way if v in edge]
        curved = sum(
            abs(k[e] * s[e]) > STRAIGHT for k, s in zip(arcs.curvature, arcs.length, strict=True) for e in on_it
        )
        length = sum(s[e] for s in arcs.length for e in on_it)
        assert tree.cost[vertex] == pytest.approx(curved + LENGTH_COST * length)
        assert sum(graph[a][b]["cost"] for a, b in graph.subgraph(way).edges) == pytest.approx(tree.cost[vertex])


def test_more_samples_reduce_the_cost(shipped: dict[str, Environment], params: VineParams) -> None:
    """RRT* improves: the mean cost from the far end of the building decreases as the tree grows."""
    start = shipped["building"].start
    at = np.column_stack([np.linspace(0.5, 5.0, 40), np.full(40, 0.4), np.full(40, start[2])])
    found = []
    for samples in (2000, 8000):
        costs = CostToGo(ReverseTree.grow(shipped["building"], params, TIGHTEST, seed=0, samples=samples))(at)
        found.append(costs)
    few, many = found
    both = np.isfinite(few) & np.isfinite(many)  # a mean over all would reward a tree that knows the near poses only
    assert both.sum() > 20
    assert many[both].mean() < few[both].mean()
    assert np.isfinite(many).sum() >= np.isfinite(few).sum()


def test_the_same_seed_grows_the_same_tree(shipped: dict[str, Environment], params: VineParams) -> None:
    """Successive runs in one process are identical; another seed gives another tree."""
    one, other, again = (
        ReverseTree.grow(shipped["needle"], params, TIGHTEST, seed=seed, samples=1500) for seed in (5, 6, 5)
    )
    assert one.poses.tobytes() == again.poses.tobytes()
    assert one.cost.tobytes() == again.cost.tobytes()
    assert not np.array_equal(one.poses, other.poses)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("", ""),
        pytest.param("raise SystemExit(3)", "", marks=pytest.mark.slow),
        ("raise RuntimeError", "RuntimeError\n"),
    ],
)
def test_ompl_prints_nothing(end: str, said: str, params: VineParams) -> None:
    """A new process that grows two trees prints no message of OMPL, however it ends, and grows the same trees."""
    code = (
        "import hashlib, sys; sys.tracebacklimit = 0; from dynamics.tube import VineParams; from environments import load_environment\n"
        "from planner.search.reverse_tree import ReverseTree\n"
        "trees = [ReverseTree.grow(load_environment('maze'), VineParams(), 3.6, seed, samples=300) for seed in (4, 1)]\n"
        f"print(hashlib.sha256(trees[1].poses.tobytes()).hexdigest()); {end}"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert process.stderr == said
    tree = ReverseTree.grow(load_environment("maze"), params, TIGHTEST, 1, samples=300)
    assert process.stdout.strip() == hashlib.sha256(tree.poses.tobytes()).hexdigest()


def test_a_tree_that_cannot_leave_the_goal_says_why(shipped: dict[str, Environment], params: VineParams) -> None:
    """With a curvature limit below rounding every biarc is rejected as too tight."""
    tree = ReverseTree.grow(shipped["divider"], params, 1e-13, samples=300)
    assert len(tree.poses) == HEADINGS
    assert (tree.too_tight, tree.blocked) == (300, 0)
    assert tree.failure == "all 300 biarcs tried are tighter than the 1e-13 1/m that the actuators reach"
    assert ReverseTree.grow(shipped["divider"], params, TIGHTEST, samples=300).failure is None


@pytest.mark.parametrize("tightest", [0.0, -1.0, np.inf, np.nan])
def test_a_curvature_limit_is_positive(tightest: float, shipped: dict[str, Environment], params: VineParams) -> None:
    """Invalid limits are refused, and the message gives the allowed range."""
    with pytest.raises(ValueError, match="greater than 0"):
        ReverseTree.grow(shipped["divider"], params, tightest)


def test_a_walled_in_goal_is_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """There is no reachable point to start from."""
    box = [[-0.3, -0.3, 0.3, -0.25], [-0.3, 0.25, 0.3, 0.3], [-0.3, -0.3, -0.25, 0.3], [0.25, -0.3, 0.3, 0.3]]
    with pytest.raises(WalledIn):
        ReverseTree.grow(environment(boxes=box, start=(2.0, 0.0, 0.0)), params, TIGHTEST)


def test_time_ends_the_growth(shipped: dict[str, Environment], params: VineParams) -> None:
    """A tree without time has fewer vertices than one with all its samples."""
    assert len(ReverseTree.grow(shipped["building"], params, TIGHTEST, seconds=0.0).poses) < 50


def test_cost_to_go_is_known_along_the_tree(tree: ReverseTree) -> None:
    """At the vertices it is their cost, and it is known along all edges between them."""
    cost, (children, arcs) = CostToGo(tree), tree.edges
    assert np.allclose(cost(tree.poses), tree.cost)
    near = np.random.default_rng(1).choice(len(children), 50, replace=False)
    points = points_along(tree, Biarc(*(tuple(part[near] for part in field) for field in arcs)), children[near])
    for edge, child in enumerate(children[near]):
        on_edge = cost(points[edge].reshape(-1, 3))
        assert np.isfinite(on_edge).all()
        assert on_edge.min() >= 0
        assert on_edge[0] == pytest.approx(tree.cost[child])


def test_the_cost_of_an_actuator_applies_along_its_arc(environment: MakeEnvironment, params: VineParams) -> None:
    """Along the first arc of an edge the cost decreases with length only; at the joint it decreases by one actuator."""
    tree = ReverseTree.grow(environment(), params, TIGHTEST, samples=40)
    cost, (children, arcs) = CostToGo(tree), tree.edges
    after = tree.cost[tree.parent[children]]
    joints = pose_on(tree.poses[children], arcs.curvature[0], arcs.length[0])
    second = (np.abs(arcs.sweep[1]) > STRAIGHT) + LENGTH_COST * arcs.length[1]
    assert np.allclose(cost(joints), after + second)
    half = arcs.length[0] / 2
    first = (np.abs(arcs.sweep[0]) > STRAIGHT) + LENGTH_COST * half
    middles = pose_on(tree.poses[children], arcs.curvature[0], half)
    assert np.allclose(cost(middles), after + second + first, atol=LENGTH_COST * SPACING)


def test_cost_to_go_is_never_read_through_a_wall(shipped: dict[str, Environment], params: VineParams) -> None:
    """If the cost of a free pose is known, no obstacle lies between it and the point of the tree it was taken from."""
    environment = shipped["spiral"]
    tree = ReverseTree.grow(environment, params, TIGHTEST, samples=2500)
    cost, rng = CostToGo(tree), np.random.default_rng(0)
    tips = rng.uniform([0, 0, -4], [2.8, 2.8, 4], (4000, 3))
    tips = tips[environment.obstacles.clearance(tips[:, :2]) >= tree.radius]
    known = tips[np.isfinite(cost(tips))]
    assert 100 < len(known) < len(tips)
    solid = shapely.union_all(environment.obstacles.shapes())
    for tip in known:
        seen = cost.points[cost.costs == cost(tip[None])[0]]
        lines = [shapely.LineString([tip[:2], point[:2]]) for point in seen]
        assert any(not line.intersects(solid) for line in lines)
