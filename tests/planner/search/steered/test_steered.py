"""The search for steered vines: what nodes carry, what they cost, and that their schedules lead to where they are."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.jumps import largest_jump
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.catalogue import Catalogue
from planner.design.replay import grow_designs, replay
from planner.design.schedule import VENTED
from planner.search.run import Budget, Keep, Run
from planner.search.sst import Switches
from planner.search.steered.carried import ActuatorHistory, FittedActuator, PressureChange
from planner.search.steered.search import CHANGE_COST, SteeredSearch

PARAMS = VineParams()
CATALOGUE = Catalogue(
    np.array([0.03, 0.03, 0.05, 0.03, 0.05]),
    np.array([20e3, 35e3, 10e3, VENTED, VENTED]),
    np.array([1.0, 2.0, 1.5, 0.0, 0.0]),
    np.zeros(0),
    np.zeros(5, np.int64),
)
"""Controls 1 and 2 have cells of 30 mm, 3 of 50 mm; 4 and 5 are vented."""


# ---- what a vine carries ----


def test_actuators_continue_or_begin() -> None:
    """Growth with the present control of an actuator at the tip continues it; another control, or a gap, begins a new one."""
    carried = ActuatorHistory().with_growth(0, 4, 0).with_growth(4, 10, 1)
    assert carried.actuators == (FittedActuator(4, 10, 1),)
    assert carried.with_growth(10, 12, 1).actuators == (FittedActuator(4, 12, 1),)
    assert carried.with_growth(10, 12, 2).actuators == (FittedActuator(4, 10, 1), FittedActuator(10, 12, 2))
    assert carried.with_growth(12, 14, 1).actuators == (FittedActuator(4, 10, 1), FittedActuator(12, 14, 1))
    vented = carried.with_change(PressureChange(10, 0, 4))
    assert vented.control(0) == 4
    assert vented.with_growth(10, 12, 4).actuators == (FittedActuator(4, 12, 1),)
    assert vented.with_growth(10, 12, 1).actuators == (FittedActuator(4, 10, 1), FittedActuator(10, 12, 1))
    assert carried.with_growth(10, 10, 1) == carried
    assert vented.steered == {0}
    assert vented.ends_with_actuator(10)
    assert not vented.ends_with_actuator(11)


def test_sections_have_the_highest_pressure_and_the_schedule_the_others() -> None:
    """Two actuators with a gap; the first is raised and vented, the second is constant."""
    carried = ActuatorHistory(
        (FittedActuator(4, 10, -1), FittedActuator(12, 20, 3)), (PressureChange(10, 0, -2), PressureChange(15, 0, -4))
    )
    sections = carried.sections(24, 0.025, CATALOGUE)
    assert [(one.side, round(one.start, 9), round(one.end, 9)) for one in sections] == [
        ("none", 0.0, 0.1), ("right", 0.1, 0.25), ("none", 0.25, 0.3), ("left", 0.3, 0.5), ("none", 0.5, 0.6),
    ]  # fmt: skip
    assert [(one.l_0, one.pressure, one.curvature) for one in sections if one.side != "none"] == [
        (0.03, 35e3, 2.0),
        (0.05, 10e3, 1.5),
    ]
    schedule = carried.schedule(0.025, CATALOGUE)
    assert schedule is not None
    np.testing.assert_allclose(schedule.lengths, [0.25, 0.25, 0.375, 0.375])
    np.testing.assert_allclose(schedule.pressures[:, 0], [20e3, 35e3, 35e3, 0.0])
    np.testing.assert_allclose(schedule.pressures[:, 1], 10e3)
    assert ActuatorHistory(carried.actuators).schedule(0.025, CATALOGUE) is None


def test_what_it_was_at_a_length() -> None:
    """Up to 15 segments: the actuators that have begun, as far as they had grown, and the changes before that length."""
    carried = ActuatorHistory(
        (FittedActuator(4, 10, 1), FittedActuator(12, 20, 3), FittedActuator(21, 22, 1)),
        (PressureChange(10, 0, 2), PressureChange(15, 0, 4)),
    )
    assert carried.truncate(15) == ActuatorHistory(
        (FittedActuator(4, 10, 1), FittedActuator(12, 15, 3)), (PressureChange(10, 0, 2),)
    )


# ---- the search ----


@pytest.fixture(scope="module")
def searched(environment: Callable[..., Environment]) -> SteeredSearch:
    """A search of some iterations around a block, with a goal that it does not reach."""
    room = replace(
        environment(boxes=[[0.5, -0.2, 0.7, 0.05]], bounds=[-0.5, -1.0, 2.0, 1.0]), goal=np.array([-0.4, -0.9, 0.05])
    )
    rng = np.random.default_rng(3)
    search = SteeredSearch(room, QuasiStatic(room, PARAMS), PARAMS, rng, 30, Switches(steer=1))
    for _ in range(12):
        search.iterate()
    return search


def test_nodes_are_where_their_schedules_lead(searched: SteeredSearch) -> None:
    """Every tenth node: its design, grown from the start by its schedule, ends at its tip within 3 mm, with few exceptions."""
    tree = searched.tree
    slots = np.flatnonzero(tree.used & (tree.segments > 0))[::10]
    carried = [searched.carried_by(slot) for slot in slots.tolist()]
    designs = [searched.design(one, int(tree.segments[slot])) for one, slot in zip(carried, slots, strict=True)]
    assert sum(one.schedule is not None for one in designs) > 10
    assert any(one.schedule is not None and (one.schedule.pressures[-1] == 0).any() for one in designs)
    grown = grow_designs(designs, searched.environment, searched.propagator)
    off = np.array([np.hypot(*(one.tip - tree.tips[slot])[:2]) for one, slot in zip(grown, slots, strict=True)])
    assert np.mean(off < 3e-3) > 0.95
    assert {one.status for one in grown} == {Status.GROWN}


def test_a_change_of_pressure_is_no_jump(searched: SteeredSearch) -> None:
    """A node is marked as jumped where its replay jumps while it grows; the swing of a tip whose pressure changes does not count."""
    tree = searched.tree
    slots = np.flatnonzero(tree.used & (tree.segments > 0)).tolist()
    steered = [slot for slot in slots if searched.carried_by(slot).changes][::8]
    agree = []
    for slot in steered:
        design = searched.design(searched.carried_by(slot), int(tree.segments[slot]))
        jumps = largest_jump(replay(design, searched.propagator), 0, PARAMS) is not None
        agree.append(jumps == bool(tree.jumped[slot]))
    assert len(agree) > 10
    assert np.mean(agree) > 0.95


def test_a_change_costs_a_part_of_an_actuator(searched: SteeredSearch) -> None:
    """Each node costs its actuators and its changes; at most one actuator is steered, and at a length at most once."""
    tree = searched.tree
    for slot in np.flatnonzero(tree.used).tolist():
        carried = searched.carried_by(slot)
        assert tree.actuators[slot] == pytest.approx(len(carried.actuators) + CHANGE_COST * len(carried.changes))
        assert len(carried.steered) <= 1
        lengths = [one.segments for one in carried.changes]
        assert lengths == sorted(set(lengths))
        for before, after in zip(carried.changes, carried.changes[1:], strict=False):
            assert before.control != after.control
            assert (
                searched.levels.catalogue.l_0[abs(before.control) - 1]
                == searched.levels.catalogue.l_0[abs(after.control) - 1]
            )


@pytest.mark.slow
def test_a_run_finds_designs_that_reach_the_goal(shipped: dict[str, Environment]) -> None:
    """In `divider`: solutions that reach the goal again at a fine step, sorted by cost; the same for the same seed."""
    divider = shipped["divider"]

    def followed(iterations: int) -> tuple[Run, list[object]]:
        run = Run.prepare(divider, PARAMS, seed=1, batch=30, keep=Keep(5, 3.0), switches=Switches(steer=2))
        after = [
            (one.search.tree.tips.tobytes(), [(best.cost, repr(best.design)) for best in one.solutions.best])
            for one in run.run(Budget(1e6, iterations=iterations))
        ]
        return run, after

    run, after = followed(10)
    assert followed(4)[1] == after[:4]
    costs = [one.cost for one in run.solutions.best]
    assert costs == sorted(costs)
    model = QuasiStatic(divider, PARAMS).refined(8)
    steered = [one.design for one in run.solutions.best if one.design.schedule is not None]
    for one in grow_designs([one.design for one in run.solutions.best], divider, model):
        assert one.ends_in_goal
    for solution in run.solutions.best:
        changes = solution.design.schedule.changes if solution.design.schedule else 0
        length = solution.design.length
        assert solution.cost == pytest.approx(solution.design.actuators + CHANGE_COST * changes + 1e-2 * length)
    assert steered
