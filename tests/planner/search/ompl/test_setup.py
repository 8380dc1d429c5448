"""OMPL's control space of vines."""

import gc
import mmap
import weakref
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import vinewright as vw
from dynamics.vine import Status
from environments import Environment
from planner.search.ompl.vines import OmplVine

pytest.importorskip("ompl")
from ompl import base, control

from planner.search.ompl.setup import VineSetup, read_vine, write_vine
from planner.search.reverse.seeded_ompl import quiet_ompl
from planner.search.sst import LENGTH_COST
from planner.search.witnesses import HEADING_WEIGHT

STATM = Path("/proc/self/statm")


@pytest.fixture
def setup(shipped: dict[str, Environment], params: vw.VineParams) -> VineSetup:
    return vw.ompl.space(shipped["divider"], params)


def test_a_space_without_a_planner_can_be_printed(setup: VineSetup) -> None:
    """A prompt of Python prints it without a fault."""
    assert str(setup) == repr(setup) == f"<VineSetup divider: up to {setup.growth.max_segments} segments>"


def memory() -> float:
    """Return the memory of the process [MiB]."""
    if not STATM.exists():
        pytest.skip("only Linux tells in a file how much memory a process has")
    return int(STATM.read_text().split()[1]) * mmap.PAGESIZE / 2**20


def some_vine(count: int) -> OmplVine:
    rng = np.random.default_rng(0)
    bends, controls = rng.normal(size=count), rng.integers(-90, 90, count).astype(np.int32)
    return OmplVine(np.array([0.3, 0.7, 2.0]), bends, controls, 17, 3, Status.STALLED, 12345)


def test_a_state_is_the_whole_vine(setup: VineSetup) -> None:
    """A written state is read again, to the last bit, also from a copy that OMPL made; the heading within half a turn."""
    count, information = setup.growth.max_segments, setup.getSpaceInformation()
    one, other = information.allocState(), information.allocState()
    for heading, expected in ((2.0, 2.0), (2.0 + 4 * np.pi, 2.0), (-4.0, 2 * np.pi - 4.0)):
        vine = some_vine(count)
        vine.tip[2] = heading
        write_vine(one, vine)
        information.copyState(other, one)
        again = read_vine(other, count)
        np.testing.assert_array_equal(again.angles, vine.angles)
        np.testing.assert_array_equal(again.controls, vine.controls)
        np.testing.assert_allclose(again.tip, [0.3, 0.7, expected], atol=1e-12)
        assert (again.segments, again.actuators, again.status, again.number) == (17, 3, Status.STALLED, 12345)


def test_distance_is_that_of_the_tips(setup: VineSetup) -> None:
    """Position, and heading with the weight of the search's neighbourhoods; the rest of the vine has none."""
    space = setup.getStateSpace()
    one, other = space.allocState(), space.allocState()
    vine = some_vine(setup.growth.max_segments)
    write_vine(one, vine)
    write_vine(other, OmplVine(vine.tip + np.array([0.03, 0.04, 0.5]), vine.angles + 1, vine.controls, 5, 1))
    assert space.distance(one, other) == pytest.approx(0.05 + 0.5 * HEADING_WEIGHT)


def test_propagation_is_growth(setup: VineSetup) -> None:
    """OMPL grows the vine that `VineGrower` grows, and knows by its status whether it is valid."""
    information, growth = setup.getSpaceInformation(), setup.growth
    start, after, steer = information.allocState(), information.allocState(), information.allocControl()
    write_vine(start, growth.start())
    for axis, value in enumerate((0.5, 45.5, 12.5, 9.5)):
        steer[axis] = value
    information.propagate(start, steer, 1, after)
    expected = growth.extend(growth.start(), *growth.decode(0.5, 45.5, 12.5, 9.5))
    grown = read_vine(after, growth.max_segments)
    np.testing.assert_array_equal(grown.angles, expected.angles)
    np.testing.assert_allclose(grown.tip, expected.tip, atol=1e-12)
    assert grown.segments == 9
    assert information.isValid(after)
    write_vine(after, some_vine(growth.max_segments))
    assert not information.isValid(after)


def test_sampled_states_are_valid(setup: VineSetup) -> None:
    """They are directions for planners, some of which draw again until a state is valid."""
    information = setup.getSpaceInformation()
    sampler, state = information.allocStateSampler(), information.allocState()
    for _ in range(50):
        sampler.sampleUniform(state)
        assert information.isValid(state)


def test_the_goal_is_the_disc(setup: VineSetup) -> None:
    """A tip inside has arrived, by the margin for the replay; planners may sample its centre with any heading."""
    goal, state = setup.getGoal(), setup.getSpaceInformation().allocState()
    x, y, radius = setup.growth.environment.goal
    for away, arrived in ((0.0, True), (radius - 0.0021, True), (radius - 0.0019, False), (radius + 0.1, False)):
        vine = some_vine(setup.growth.max_segments)
        vine.tip[:2] = x + away, y
        write_vine(state, vine)
        assert goal.isSatisfied(state) is arrived
    headings = []
    for _ in range(20):
        goal.sampleGoal(state)
        assert goal.isSatisfied(state)
        headings.append(state[0].getYaw())
    assert np.ptp(headings) > np.pi


def test_cost_of_a_path_is_its_actuators_and_its_length(setup: VineSetup) -> None:
    """Summed over the motions of a solution, it is the cost of its last vine."""
    with quiet_ompl(3):
        setup.setPlanner(control.RRT(setup.getSpaceInformation()))
        assert setup.solve(base.PlannerTerminationCondition(lambda: setup.growth.asked > 3000))
    design = setup.best()
    assert design is not None
    objective = setup.getProblemDefinition().getOptimizationObjective()
    states = setup.getSolutionPath().getStates()
    costs = [objective.motionCost(one, other).value() for one, other in pairwise(states)]
    assert len(costs) > 1
    assert sum(costs) == pytest.approx(design.actuators + LENGTH_COST * design.length)


def test_a_design_of_ompl_reaches_the_goal(setup: VineSetup, shipped: dict[str, Environment]) -> None:
    """The design of a planner of OMPL is one like any other."""
    assert setup.best() is None
    with quiet_ompl(3):
        setup.setPlanner(control.EST(setup.getSpaceInformation()))
        setup.solve(base.PlannerTerminationCondition(lambda: setup.growth.asked > 3000))
    assert vw.simulate(setup.best(), shipped["divider"]).reached


def test_states_are_freed(setup: VineSetup) -> None:
    """A hundred thousand states, far more than fit in what the process takes in addition."""
    information = setup.getSpaceInformation()
    for _ in range(1000):
        information.allocState()
    before = memory()
    for _ in range(100_000):
        information.allocState()
    size = 8 * (4 + 2 * setup.growth.max_segments) / 2**20
    assert 100_000 * size > 200
    assert memory() - before < 20


def test_a_setup_is_freed(shipped: dict[str, Environment], params: vw.VineParams) -> None:
    """OMPL's objects and Python's functions do not hold each other."""
    one = vw.ompl.space(shipped["divider"], params)
    with quiet_ompl():
        one.setPlanner(control.RRT(one.getSpaceInformation()))
        one.solve(0.05)
    growth = weakref.ref(one.growth)
    del one
    gc.collect()
    assert growth() is None


def test_an_environment_built_in_code_is_checked(params: vw.VineParams) -> None:
    """A start within an obstacle is refused, as by `plan`."""
    block = vw.Obstacles(circles=np.array([[0.1, 0.5, 0.2]]))
    room = vw.Environment(
        "room", "", np.array([0.0, 0, 2, 1]), np.array([0.1, 0.5, 0]), np.array([1.8, 0.5, 0.1]), block
    )
    with pytest.raises(vw.InvalidEnvironment, match="inside circle 1"):
        vw.ompl.space(room, params)


@pytest.mark.parametrize(("name", "why"), [("bullet", "must be one of"), ("euler-lagrange", "one arc")])
def test_only_propagators_that_can_are_accepted(
    shipped: dict[str, Environment], params: vw.VineParams, name: str, why: str
) -> None:
    """Unknown ones, and those that grow tubes of one section, are refused."""
    with pytest.raises(ValueError, match=why):
        vw.ompl.space(shipped["divider"], params, name)


def test_an_error_in_a_callback_is_told(setup: VineSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes out of `solve` as the same exception; the process and the setup live on."""
    setup.setPlanner(control.RRT(setup.getSpaceInformation()))

    def fail(*_: object) -> None:
        raise FloatingPointError("by the test")

    with quiet_ompl(), monkeypatch.context() as patch:
        patch.setattr(setup.growth, "extend", fail)
        with pytest.raises(FloatingPointError, match="by the test"):
            setup.solve(1.0)
    with quiet_ompl():
        setup.solve(base.PlannerTerminationCondition(lambda: setup.growth.asked > 20))
    assert setup.growth.asked > 20


@pytest.mark.slow
def test_thousands_of_extensions_leak_nothing(setup: VineSetup) -> None:
    """Random vines grow from each other, a thousand at a time, in the memory of the first ones; a state of each is far more."""
    information, growth = setup.getSpaceInformation(), setup.growth
    sampler, steer = information.allocControlSampler(), information.allocControl()

    def extend(times: int) -> float:
        rng, states = np.random.default_rng(0), [setup.start()]
        for _ in range(times):
            sampler.sample(steer)
            steer[3] = 1.0  # short growth is quick; its states are as large as any
            after = information.allocState()
            information.propagate(states[rng.integers(len(states))], steer, 1, after)
            states = [*states[-999:], after] if information.isValid(after) else states
        return memory()

    before = extend(5_000)
    assert extend(25_000) - before < 1
    assert growth.asked == 30_000
    assert 25_000 * 8 * (4 + 2 * growth.max_segments) / 2**20 > 100
