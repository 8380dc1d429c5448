"""Variants of steered vines with fewer actuators, or fewer changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.design.catalogue import Catalogue
from planner.design.replay import grow_designs
from planner.search.sst import Switches
from planner.search.steered.carried import ActuatorHistory, FittedActuator, PressureChange
from planner.search.steered.merging import Merging
from planner.search.steered.pressure_levels import PressureLevels
from planner.search.steered.search import CHANGE_COST, SteeredSearch
from planner.search.steered.solutions import SteeredSolution, SteeredSolutions

PARAMS = VineParams()
LEVELS = PressureLevels(Catalogue.of(PARAMS))
FULL = PARAMS.segment_length


def control(pressure: float, l_0: float, side: int = 1) -> int:
    every = LEVELS.catalogue
    return side * (int(np.argmin(np.abs(every.pressure - pressure) + 1e6 * np.abs(every.l_0 - l_0))) + 1)


HIGH, LOW, OTHER = control(30e3, 0.04), control(15e3, 0.04), control(20e3, 0.03)


def variants(carried: ActuatorHistory, most: int = 3, count: int = 60, **settings: Any) -> list[ActuatorHistory]:
    made = Merging(LEVELS, FULL, most, np.random.default_rng(0), **settings)
    return [one for one in (made.make_variant(carried) for _ in range(count)) if one is not None]


def exact_variants(carried: ActuatorHistory, most: int = 3) -> list[ActuatorHistory]:
    """Variants whose curvatures and lengths are those of the vine, vented between the two parts."""
    return variants(carried, most, spreads=(0.0,), vented=1.0)


def test_levels_of_a_control_have_its_cell() -> None:
    """On its side, vented or under one of the pressures of the catalogue; the nearest curvature is the nearest of these."""
    entries = LEVELS.pressurised(-HIGH)
    assert {float(one) for one in LEVELS.catalogue.l_0[entries]} == {0.04}
    assert len(entries) == len(np.unique(Catalogue.of(PARAMS).pressure))
    assert LEVELS.vented(-HIGH) == -LEVELS.vented(HIGH) < 0
    assert LEVELS.is_vented(LEVELS.vented(HIGH))
    assert not any(LEVELS.is_vented(int(one) + 1) for one in entries)
    wanted = float(LEVELS.catalogue.curvature[LOW - 1])
    assert LEVELS.nearest(HIGH, wanted) == LOW
    assert LEVELS.nearest(-HIGH, wanted) == -LOW


def test_neighbours_become_one_that_is_vented_between_them() -> None:
    """It begins as the first, is vented where that ended, and has the pressure of the second from where that began."""
    vent = LEVELS.vented(HIGH)
    found = {*exact_variants(ActuatorHistory((FittedActuator(4, 24, HIGH), FittedActuator(34, 54, LOW))))}
    assert found == {
        ActuatorHistory((FittedActuator(4, 54, HIGH),), (PressureChange(24, 0, vent), PressureChange(34, 0, LOW)))
    }


def test_neighbours_without_a_gap_change_once() -> None:
    """To the same pressure not at all."""
    assert {*exact_variants(ActuatorHistory((FittedActuator(4, 24, HIGH), FittedActuator(24, 44, LOW))))} == {
        ActuatorHistory((FittedActuator(4, 44, HIGH),), (PressureChange(24, 0, LOW),))
    }
    assert {*exact_variants(ActuatorHistory((FittedActuator(4, 24, HIGH), FittedActuator(24, 44, HIGH))))} == {
        ActuatorHistory((FittedActuator(4, 44, HIGH),))
    }


def test_an_actuator_between_two_is_left_out() -> None:
    """Those that follow keep their place and changes; only vines that bend to the same side are merged."""
    last = FittedActuator(60, 80, -HIGH)
    carried = ActuatorHistory(
        (FittedActuator(0, 20, HIGH), FittedActuator(20, 34, -LOW), FittedActuator(34, 54, LOW), last),
        (PressureChange(70, 3, -LOW),),
    )
    vented, vented_right = LEVELS.vented(HIGH), LEVELS.vented(-LOW)
    left = PressureChange(20, 0, vented), PressureChange(34, 0, LOW), PressureChange(70, 1, -LOW)
    right = PressureChange(34, 1, vented_right), PressureChange(60, 1, -HIGH), PressureChange(70, 1, -LOW)
    assert {*exact_variants(carried, 2)} == {
        ActuatorHistory((FittedActuator(0, 54, HIGH), last), left),
        ActuatorHistory((FittedActuator(0, 20, HIGH), FittedActuator(20, 80, -LOW)), right),
    }
    assert all(len(one.steered) == 1 for one in exact_variants(carried, 1))
    assert not exact_variants(ActuatorHistory((FittedActuator(0, 20, HIGH), FittedActuator(20, 40, -LOW))))
    assert not exact_variants(ActuatorHistory((FittedActuator(0, 20, HIGH),)))


@pytest.mark.parametrize("vented", [0.0, 1.0])
def test_changes_of_both_are_kept(vented: float) -> None:
    """Those of the first until it ends, those of the second after it began; a vented one stays so until then."""
    vent = LEVELS.vented(HIGH)
    changes = (
        PressureChange(15, 0, LOW),
        PressureChange(18, 0, vent),
        PressureChange(22, 0, HIGH),
        PressureChange(50, 1, vent),
    )
    carried = ActuatorHistory((FittedActuator(0, 20, HIGH), FittedActuator(34, 60, LOW)), changes)
    merged = (
        PressureChange(15, 0, LOW),
        PressureChange(18, 0, vent),
        PressureChange(34, 0, LOW),
        PressureChange(50, 0, vent),
    )
    assert {*variants(carried, spreads=(0.0,), vented=vented)} == {
        ActuatorHistory((FittedActuator(0, 60, HIGH),), merged)
    }


def test_variants_can_be_built() -> None:
    """With random curvatures and lengths: one cell for each actuator, enough of them, and every change at its own length."""
    carried = ActuatorHistory(
        (
            FittedActuator(0, 20, HIGH),
            FittedActuator(30, 50, OTHER),
            FittedActuator(52, 70, -LOW),
            FittedActuator(75, 95, -OTHER),
        ),
        (PressureChange(60, 2, -HIGH),),
    )
    found = variants(carried, 2, 400)
    assert len({*found}) > 200
    cells = set()
    for one in found:
        assert len(one.actuators) == 3
        assert len(one.steered) <= 2
        assert len({change.segments for change in one.changes}) == len(one.changes)
        for k, fitted in enumerate(one.actuators):
            own = [fitted.control, *(change.control for change in one.changes if change.actuator == k)]
            lengths = {float(LEVELS.catalogue.l_0[abs(each) - 1]) for each in own}
            assert len(lengths) == 1
            assert len({each > 0 for each in own}) == 1
            assert (fitted.after - fitted.first) * FULL >= 3 * max(lengths) - 1e-9
            cells |= lengths
        for before, after in zip(one.actuators, one.actuators[1:], strict=False):
            assert before.after <= after.first
    assert cells == {0.03, 0.04}


def test_fewer_changes() -> None:
    """One less, or an actuator at one of its pressures; those of others stay."""
    vent = LEVELS.vented(HIGH)
    changes = PressureChange(10, 0, vent), PressureChange(20, 0, LOW), PressureChange(40, 1, -LOW)
    carried = ActuatorHistory((FittedActuator(0, 30, HIGH), FittedActuator(30, 50, -HIGH)), changes)
    made = Merging(LEVELS, FULL, 2, np.random.default_rng(0))
    found = {one for one in (made.simplify(carried) for _ in range(200)) if one}
    left_out = {ActuatorHistory(carried.actuators, tuple(one for one in changes if one != out)) for out in changes}
    at_one = {ActuatorHistory((FittedActuator(0, 30, one), carried.actuators[1]), changes[2:]) for one in (HIGH, LOW)}
    second = {
        ActuatorHistory((carried.actuators[0], FittedActuator(30, 50, one)), changes[:2]) for one in (-HIGH, -LOW)
    }
    assert found == left_out | at_one | second
    assert made.simplify(ActuatorHistory(carried.actuators)) is None


# ---- among the solutions of a search ----


@pytest.mark.parametrize(
    ("carried", "actuators"),
    [
        (ActuatorHistory((FittedActuator(4, 24, HIGH), FittedActuator(24, 48, HIGH))), 1),
        (
            ActuatorHistory(
                (FittedActuator(4, 48, HIGH),),
                (PressureChange(20, 0, LEVELS.vented(HIGH)), PressureChange(40, 0, HIGH)),
            ),
            1,
        ),
    ],
    ids=["merged", "simpler"],
)
def test_solutions_are_varied(
    environment: Callable[..., Environment], carried: ActuatorHistory, actuators: int
) -> None:
    """In free space two equal neighbours do what one does, and a change that is undone what none does: the constant design is found.

    It reaches the goal when it is grown by its design, and what it costs counts its actuators and changes.
    """
    room = environment(bounds=[-2.0, -2.0, 2.0, 2.0])
    model = QuasiStatic(room, PARAMS)
    search = SteeredSearch(room, model, PARAMS, np.random.default_rng(1), 10, Switches(steer=1))
    (end,) = grow_designs([search.design(carried, 48)], room, model)
    room = replace(room, goal=np.array([*end.design.tip[:2], 0.12]))
    search = SteeredSearch(room, QuasiStatic(room, PARAMS), PARAMS, np.random.default_rng(1), 10, Switches(steer=1))
    solutions = SteeredSolutions(search, 5)
    known = solutions._replay(carried, 48, -1, solutions.replayer)
    assert known.solution is not None
    solutions.take([known])
    assert solutions.best[0].cost == pytest.approx(
        len(carried.actuators) + CHANGE_COST * len(carried.changes) + 0.01 * 1.2
    )
    for _ in range(6):
        solutions.take(list(solutions._vary()))
    best = solutions.best[0]
    assert isinstance(best, SteeredSolution)
    assert best.carried.changes == ()
    assert best.design.actuators == len(best.carried.actuators) == actuators
    assert best.design.schedule is None
    # A variant ends where it first enters the goal.
    assert len(best.controls) < 48
    assert max(one.after for one in best.carried.actuators) <= len(best.controls) == best.design.segments
    (grown,) = grow_designs([best.design], room, QuasiStatic(room, PARAMS).refined(8))
    assert grown.ends_in_goal
