"""The batched search as a planner of OMPL."""

import gc
import itertools
import json
import math
import subprocess
import sys
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ompl import base, control, tools

import vinewright as vw
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.search.ompl.paths import solution_path
from planner.search.ompl.planners import make_planner
from planner.search.ompl.setup import VineSetup, read_vine
from planner.search.ompl.vine_planner import VinePlanner
from planner.search.reverse.seeded_ompl import quiet_ompl
from planner.search.run import Budget, Run
from planner.search.sst import LENGTH_COST, Switches

ITERATIONS = 6
ROOT = Path(__file__).parents[4]


@pytest.fixture
def setup(shipped: dict[str, Environment], params: VineParams) -> VineSetup:
    """The space of `divider`."""
    return vw.ompl.space(shipped["divider"], params)


def solve(setup: VineSetup, planner: VinePlanner, iterations: int = ITERATIONS) -> base.PlannerStatus:
    """Search through OMPL's `SimpleSetup`."""
    setup.setPlanner(planner)
    with quiet_ompl():
        return setup.solve(base.PlannerTerminationCondition(lambda: planner.search.iteration >= iterations))


def test_a_plan_is_a_solve_of_ompl(shipped: dict[str, Environment], params: VineParams) -> None:
    """A search by OMPL's `solve` alone, in one call, ends as that of a plan, in one call for each iteration, to the last bit."""
    setup = vw.ompl.space(shipped["divider"], params)
    alone = vw.ompl.sst_star(setup, seed=3, batch=40)
    assert solve(setup, alone)
    run = Run.prepare(shipped["divider"], params, seed=3, batch=40)
    assert isinstance(run.setup.getPlanner(), VinePlanner)
    for _ in run.run(Budget(math.inf, iterations=ITERATIONS)):
        pass
    for name, array in alone.search.tree.to_arrays().items():
        np.testing.assert_array_equal(array, run.search.tree.to_arrays()[name], err_msg=name)
    assert [one.cost for one in alone.solutions.best] == [one.cost for one in run.solutions.best]


def test_the_solution_path_is_the_best_design(setup: VineSetup) -> None:
    """It begins at the start and ends in the goal; its states and controls give the design, and its motions add up to its cost."""
    planner = vw.ompl.sst_star(setup, seed=1)
    assert solve(setup, planner)
    best, path = planner.solutions.best[0], setup.getSolutionPath()
    states, growth = path.getStates(), setup.growth
    assert setup.getGoal().isSatisfied(states[-1])
    np.testing.assert_allclose(read_vine(states[0], growth.max_segments).tip, growth.environment.start)
    found = setup.best()
    assert found is not None
    assert found.sections == best.design.sections
    np.testing.assert_allclose(
        found.centerline, best.design.centerline, atol=1e-3
    )  # that of a replay at a smaller step
    objective = setup.getProblemDefinition().getOptimizationObjective()
    motions = [objective.motionCost(one, other).value() for one, other in itertools.pairwise(states)]
    assert sum(motions) == pytest.approx(best.cost)
    assert best.cost == pytest.approx(found.actuators + LENGTH_COST * found.length)
    applied = [growth.decode(*(steer[axis] for axis in range(4))) for steer in path.getControls()]
    assert [value for value, segments in applied for _ in range(segments)] == best.controls.tolist()


def test_its_controls_grow_the_path_again(setup: VineSetup) -> None:
    """OMPL's own check propagates each control from the state before, and finds the next state."""
    solve(setup, vw.ompl.sst_star(setup, seed=1))
    assert setup.getSolutionPath().check()


def test_a_solution_that_only_its_replay_reaches_has_its_states(setup: VineSetup) -> None:
    """Where growth at the normal step fails, each state is the vine of the replay, as long as the sections up to there."""
    planner = vw.ompl.sst_star(setup, seed=1)
    solve(setup, planner)
    best, growth = planner.solutions.best[0], setup.growth
    growth.extend = lambda vine, *_: replace(vine, status=Status.STALLED)  # type: ignore[method-assign]
    states = solution_path(setup.getSpaceInformation(), growth, best).getStates()
    vines = [read_vine(state, growth.max_segments) for state in states]
    ends = [round(section.end / growth.params.segment_length) for section in best.design.sections]
    assert {0, *ends} <= {vine.segments for vine in vines}
    for vine in vines:
        np.testing.assert_allclose(
            growth.design(vine).centerline, best.design.centerline[: vine.segments + 1], atol=1e-9
        )
        np.testing.assert_array_equal(vine.controls[: vine.segments], best.controls[: vine.segments])
    assert vines[-1].tip == pytest.approx(best.design.tip)


def test_a_cost_threshold_ends_the_search(setup: VineSetup) -> None:
    """A search ends at the first solution that costs less than the threshold of the objective."""
    objective = setup.getProblemDefinition().getOptimizationObjective()
    objective.setCostThreshold(base.Cost(3.0))
    planner = vw.ompl.sst_star(setup, seed=1)
    setup.setPlanner(planner)
    with quiet_ompl():
        assert setup.solve(base.PlannerTerminationCondition(lambda: planner.search.iteration >= 50))
    assert planner.search.iteration < 50
    assert planner.solutions.best[0].cost < 3


def test_planner_data_is_the_tree(setup: VineSetup) -> None:
    """It has a vertex for each node, and an edge for each but the root; from the longest vine shorter ones lead to the start."""
    planner = vw.ompl.sst_star(setup, seed=1)
    solve(setup, planner)
    data, tree = planner.planner_data(), planner.search.tree
    gc.collect()  # what Python has allocated is no longer needed
    assert (data.numVertices(), data.numEdges(), data.numStartVertices()) == (len(tree), len(tree) - 1, 1)
    leaf = max(
        range(data.numVertices()),
        key=lambda vertex: read_vine(state_of(data, vertex), setup.growth.max_segments).segments,
    )
    vine = read_vine(state_of(data, leaf), setup.growth.max_segments)
    assert vine.segments == tree.segments[tree.used].max()
    assert tree.tips[tree.used & (tree.segments == vine.segments)][:, :2].tolist().count(vine.tip[:2].tolist()) >= 1
    segments, vertex = vine.segments, leaf
    while before := list(data.getIncomingEdges(vertex)):
        (vertex,) = before
        above = read_vine(state_of(data, vertex), setup.growth.max_segments).segments
        assert above < segments
        segments = above
    assert segments == 0


def state_of(data: base.PlannerData, vertex: int) -> base.State:
    """State of a vertex."""
    return data.getVertex(vertex).getState()


def test_only_the_best_solution_has_a_path(setup: VineSetup) -> None:
    """A better solution replaces the path: OMPL would take the one with the fewest controls."""
    planner = vw.ompl.sst_star(setup, seed=1)
    solve(setup, planner)
    problem = setup.getProblemDefinition()
    planner.solutions.best = [replace(one, cost=one.cost - 1) for one in planner.solutions.best]
    planner.publish()
    assert problem.getSolutionCount() == 1


def test_clear_begins_again_elsewhere(setup: VineSetup) -> None:
    """After `clear` there is a new tree with the root only, no path, and the next search is another one."""
    planner = vw.ompl.sst_star(setup, seed=1)
    solve(setup, planner)
    before = planner.search.tree.tips.copy()
    setup.clear()
    assert (len(planner.search.tree), planner.search.iteration, planner.solutions.best) == (1, 0, [])
    assert not setup.haveSolutionPath()
    assert solve(setup, planner)
    assert not np.array_equal(before, planner.search.tree.tips)


def test_progress_is_that_of_the_search(setup: VineSetup) -> None:
    """Names end with a type as OMPL's do, and texts are numbers: the cost is infinite before the first solution."""
    planner = vw.ompl.sst_star(setup, seed=1)
    assert {name.split()[-1] for name in planner.progress()} == {"REAL", "INTEGER"}
    assert float(planner.progress()["best cost REAL"]()) == math.inf
    solve(setup, planner)
    found = {name: float(of()) for name, of in planner.progress().items()}
    assert found["best cost REAL"] == planner.solutions.best[0].cost
    assert found["iterations INTEGER"] == ITERATIONS
    assert found["graph states INTEGER"] == len(planner.search.tree)


def test_ompl_benchmarks_it(setup: VineSetup, tmp_path: Path) -> None:
    """OMPL's own benchmark runs it beside RRT; each run begins again, and both solve `divider`."""
    benchmark = tools.Benchmark(setup, "vines")
    benchmark.addPlanner(vw.ompl.sst_star(setup, seed=1, batch=30))
    benchmark.addPlanner(make_planner("rrt", setup.getSpaceInformation()))
    with quiet_ompl():
        benchmark.benchmark(tools.Request(5.0, 8192.0, 2, 0.05, False, False))
        benchmark.saveResultsToFile(str(tmp_path / "vines.log"))
    log = (tmp_path / "vines.log").read_text()
    assert "2 planners" in log
    for name in ("SST*", "RRT"):
        lines = log.partition(f"\ncontrol_{name}\n")[2].splitlines()
        columns = lines[(first := next(k for k, line in enumerate(lines) if "properties for each run" in line)) + 1 :]
        names = columns[: int(lines[first].split()[0])]
        rows = [line.split("; ") for line in columns[len(names) + 1 : len(names) + 3]]
        assert [row[names.index("solved BOOLEAN")] for row in rows] == ["1", "1"], (name, log)


def test_an_infeasible_search_ends(setup: VineSetup) -> None:
    """An exhausted search ends `solve` although its termination condition is never met."""
    planner = vw.ompl.sst_star(setup, seed=1)
    solve(setup, planner)
    planner.search.tree.active[:] = False
    planner.search.radius = 1e-6
    setup.setPlanner(planner)
    with quiet_ompl():
        assert setup.solve(base.PlannerTerminationCondition(lambda: False))


def test_a_run_is_freed(shipped: dict[str, Environment], params: VineParams) -> None:
    """A plan's objects and OMPL's do not hold each other."""
    run = Run.prepare(shipped["divider"], params, seed=1, batch=20)
    for _ in run.run(Budget(math.inf, iterations=3)):
        pass
    planner, growth = weakref.ref(run.planner), weakref.ref(run.setup.growth)
    del run, _
    gc.collect()
    assert (planner(), growth()) == (None, None)


def test_vines_of_other_actuators_have_no_path(shipped: dict[str, Environment], params: VineParams) -> None:
    """The controls of the space have no preformed bends: such a solution is kept, and no path claims to grow it."""
    run = Run.prepare(shipped["plus"], params, seed=1, batch=40, switches=Switches(preformed=0.1))
    for _ in run.run(Budget(math.inf, iterations=12)):
        pass
    run.planner.publish()
    assert run.best is not None
    assert run.best.design.preformed
    assert not run.setup.haveSolutionPath()


WITHOUT = """
import sys
if sys.argv[1] == "without":
    sys.modules["ompl"] = None
import json
import vinewright as vw
result = vw.plan(vw.load_environment("divider"), seed=2, iterations=5, fast=True)
print(json.dumps({
    "ompl": sys.modules.get("ompl") is not None,
    "designs": [[[one.start, one.end, one.side, one.l_0, one.pressure] for one in design.sections] for design in result.designs],
    "tips": [design.tip.tolist() for design in result.designs],
    "best": repr(result.best),
}))
"""


def test_the_stand_in_plans_the_same() -> None:
    """Where OMPL is not published, a plan with the stand-in has the same designs, to the last bit."""
    both = []
    for asked in ("with", "without"):
        said = subprocess.run(
            [sys.executable, "-c", WITHOUT, asked], cwd=ROOT, check=True, capture_output=True, text=True
        )
        assert said.stderr == ""
        both.append(json.loads(said.stdout))
    assert [one.pop("ompl") for one in both] == [True, False]
    assert both[0] == both[1]
    assert len(both[0]["designs"]) > 0


def test_ompl_calls_a_solve_without_its_log(setup: VineSetup, capfd: pytest.CaptureFixture[str]) -> None:
    """A plan prints none of OMPL's messages."""
    run = Run.prepare(setup.growth.environment, setup.growth.params, seed=1, batch=20)
    for _ in run.run(Budget(math.inf, iterations=2)):
        pass
    assert capfd.readouterr() == ("", "")
    assert isinstance(run.setup, control.SimpleSetup)
