"""The reverse tree and its cost-to-go."""

import hashlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import networkx
import numpy as np
import pytest
import shapely

from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.reach import WalledIn
from planner.search.reverse.arc_collision import arc_scene, biarc_shares
from planner.search.reverse.arc_price import STRAIGHT, arc_is_possible, arc_price
from planner.search.reverse.biarc import Biarc, pose_on
from planner.search.reverse.cost_to_go import SPACING, CostToGo
from planner.search.reverse.reverse_growth import HEADINGS, ReverseGrowth
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.sst import LENGTH_COST
from tests.waiting import LONGEST

MakeEnvironment = Callable[..., Environment]
REACH = 0.7, 3.6


def grown(
    environment: Environment, params: VineParams, seed: int = 0, samples: int = 4000, contact: bool = True
) -> ReverseTree:
    return ReverseGrowth(environment, params, REACH, seed, contact).grow_until(samples)


@pytest.fixture(scope="module", params=[False, True], ids=["contact-free", "contact"])
def tree(shipped: dict[str, Environment], params: VineParams, request: pytest.FixtureRequest) -> ReverseTree:
    """The tree in the building, which reaches every room."""
    return grown(shipped["building"], params, seed=1, samples=5000, contact=request.param)


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
    assert len(children) > 150
    shares = biarc_shares(
        arc_scene(shipped["building"], tree.radius),
        tree.radius,
        tree.poses[children],
        tree.poses[tree.parent[children]],
    )
    assert np.isfinite(shares).all()
    for bend, length, share in zip(*map(np.ravel, (arcs.curvature, arcs.length, shares)), strict=True):
        assert arc_is_possible(tree.bends, bend, length, share if tree.bends.touching else 0.0)
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


def test_costs_are_those_of_the_path(tree: ReverseTree, shipped: dict[str, Environment]) -> None:
    """The cost of a vertex is the sum over the edges of its path to the goal in the graph: prices of arcs and length."""
    scene = arc_scene(shipped["building"], tree.radius)
    graph, roots = tree.graph(), set(np.flatnonzero(tree.parent < 0).tolist())
    assert networkx.is_directed_acyclic_graph(graph)
    children, arcs = tree.edges
    edge = dict(zip(children.tolist(), range(len(children)), strict=True))
    for vertex in np.random.default_rng(0).choice(len(tree.poses), 60, replace=False).tolist():
        way = [vertex, *networkx.descendants(graph, vertex)]
        assert roots.intersection(way)
        on_it = [edge[v] for v in way if v in edge]
        shares = biarc_shares(scene, tree.radius, tree.poses[children[on_it]], tree.poses[tree.parent[children[on_it]]])
        shares *= tree.bends.touching > 0
        curved = sum(
            arc_price(k[e] * s[e], share[at])
            for k, s, share in zip(arcs.curvature, arcs.length, shares, strict=True)
            for at, e in enumerate(on_it)
        )
        length = sum(s[e] for s in arcs.length for e in on_it)
        assert tree.cost[vertex] == pytest.approx(curved + LENGTH_COST * length)
        assert sum(graph[a][b]["cost"] for a, b in graph.subgraph(way).edges) == pytest.approx(tree.cost[vertex])


@pytest.mark.parametrize(("contact", "most"), [(False, 6000), (True, 12000)])
def test_more_samples_reduce_the_cost(
    shipped: dict[str, Environment], params: VineParams, contact: bool, most: int
) -> None:
    """RRT* improves: as the tree grows its vertices stay, no cost rises, and some fall."""
    growth = ReverseGrowth(shipped["building"], params, REACH, 0, contact)
    few, many = (
        {pose.tobytes(): cost for pose, cost in zip(tree.poses, tree.cost, strict=True)}
        for tree in (growth.grow_until(2000), growth.grow_until(most))
    )
    assert len(many) > 1.5 * len(few) > 60
    assert all(many[pose] <= cost + 1e-9 for pose, cost in few.items())
    assert any(many[pose] < cost - 1e-3 for pose, cost in few.items())


def test_the_same_seed_grows_the_same_tree(shipped: dict[str, Environment], params: VineParams) -> None:
    """Successive runs in one process are identical; another seed gives another tree."""
    one, other, again = (grown(shipped["needle"], params, seed, 1500) for seed in (5, 6, 5))
    assert one.poses.tobytes() == again.poses.tobytes()
    assert one.cost.tobytes() == again.cost.tobytes()
    assert not np.array_equal(one.poses, other.poses)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        *(pytest.param(end, "", marks=pytest.mark.slow) for end in ("", "raise SystemExit(3)")),
        ("raise RuntimeError", "RuntimeError\n"),
    ],
)
def test_ompl_prints_nothing(end: str, said: str, params: VineParams) -> None:
    """A new process that grows two trees prints no message of OMPL, however it ends, and grows the same trees."""
    code = (
        "import hashlib, sys; sys.tracebacklimit = 0; from dynamics.tube import VineParams; from environments import load_environment\n"
        "from planner.search.reverse.reverse_growth import ReverseGrowth\n"
        "trees = [ReverseGrowth(load_environment('maze'), VineParams(), (0.7, 3.6), seed).grow_until(300) for seed in (4, 1)]\n"
        f"print(hashlib.sha256(trees[1].poses.tobytes()).hexdigest()); {end}"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LONGEST)
    assert process.stderr == said
    tree = grown(load_environment("maze"), params, 1, 300)
    assert process.stdout.strip() == hashlib.sha256(tree.poses.tobytes()).hexdigest()


def test_a_tree_that_cannot_leave_the_goal_says_why(shipped: dict[str, Environment], params: VineParams) -> None:
    """With a curvature limit below rounding every biarc is out of reach."""
    tree = ReverseGrowth(shipped["divider"], params, (0.0, 1e-13), contact=False).grow_until(300)
    assert len(tree.poses) == HEADINGS
    assert tree.refused == (300, 0)
    assert tree.failure == "all 300 biarcs tried have curvatures outside the 0 to 1e-13 1/m that the actuators reach"
    assert grown(shipped["divider"], params, samples=300).failure is None


@pytest.mark.parametrize("reach", [(0.0, 0.0), (0.0, -1.0), (0.0, np.inf), (0.0, np.nan), (3.0, 2.0), (-1.0, 2.0)])
def test_curvatures_are_positive(
    reach: tuple[float, float], shipped: dict[str, Environment], params: VineParams
) -> None:
    """Invalid limits are refused, and the message gives the allowed range."""
    with pytest.raises(ValueError, match="at least 0, increasing and finite"):
        ReverseGrowth(shipped["divider"], params, reach)


def test_growth_may_stop_anywhere(shipped: dict[str, Environment], params: VineParams) -> None:
    """A tree grown in three parts is to the last bit the one grown at once, also if another grows between them."""
    growth, whole = ReverseGrowth(shipped["needle"], params, REACH, 3), grown(shipped["needle"], params, 3, 1500)
    for samples in (200, 900):
        part = growth.grow_until(samples)
        grown(shipped["maze"], params, 4, 100)
    assert part.samples == 900
    assert len(part.poses) < len(whole.poses)
    tree = growth.grow_until(1500)
    for name in ("poses", "parent", "cost"):
        assert getattr(tree, name).tobytes() == getattr(whole, name).tobytes()
    assert (tree.refused, tree.samples) == (whole.refused, whole.samples)
    assert tree.seconds > part.seconds


def corridor(environment: MakeEnvironment, tightest: float, radius: float) -> Environment:
    """A corridor with a right turn to the left, in which the largest turn of a tube is a tenth tighter than a curvature.

    A turn of radius R that touches both outer walls and the inner corner of a corridor of width w fits a tube of radius r if
    sqrt(2) (R + r - w) = R - r.
    """
    turn = 0.9 / tightest
    wide = turn + radius - (turn - radius) / np.sqrt(2)
    inner, far = 0.05 + wide, 0.95 - wide
    made = environment(
        boxes=[[0, 0, 1, 0.05], [0.95, 0, 1, 1], [0, inner, far, 1]],
        start=(0.15, 0.05 + wide / 2, 0.0),
        bounds=(0, 0, 1, 1),
    )
    return replace(made, goal=np.array([0.95 - wide / 2, 0.85, 0.04]))


def test_walls_lead_round_a_corner(environment: MakeEnvironment, params: VineParams) -> None:
    """A corner too tight for the actuators is passed along its outer walls, and not without contact."""
    place = corridor(environment, REACH[1], params.clearance)
    known = {}
    for contact in (False, True):
        tree = grown(place, params, 1, 8000, contact)
        known[contact] = CostToGo(tree)(place.start[None])[0]
        if not contact:
            assert tree.poses[:, 0].min() > 0.5, "no pose of the other leg"
    assert np.isinf(known[False])
    assert np.isfinite(known[True])


def test_the_least_curvature_counts(environment: MakeEnvironment, params: VineParams) -> None:
    """In an empty room no arc of a tree is curved less than an actuator can curve it, but for straight ones."""
    tree = grown(environment(), params, samples=600)
    arcs = tree.edges[1]
    bend, turn = np.abs(arcs.curvature), np.abs(arcs.sweep)
    assert (bend[turn > STRAIGHT] >= REACH[0]).all()
    assert (turn <= STRAIGHT).any()
    gentle = ReverseGrowth(environment(), params, (0.0, REACH[1])).grow_until(600).edges[1]
    assert (np.abs(gentle.curvature)[np.abs(gentle.sweep) > STRAIGHT] < REACH[0]).any()


def test_a_walled_in_goal_is_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """There is no reachable point to start from."""
    box = [[-0.3, -0.3, 0.3, -0.25], [-0.3, 0.25, 0.3, 0.3], [-0.3, -0.3, -0.25, 0.3], [0.25, -0.3, 0.3, 0.3]]
    with pytest.raises(WalledIn):
        grown(environment(boxes=box, start=(2.0, 0.0, 0.0)), params)


def test_time_ends_the_growth(shipped: dict[str, Environment], params: VineParams) -> None:
    """A tree without time has fewer vertices than one with all its samples."""
    assert len(ReverseGrowth(shipped["building"], params, REACH).grow_until(4000, seconds=0.0).poses) < 50


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
    tree = grown(environment(), params, samples=80)
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
    tree = grown(environment, params, samples=5000)
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
