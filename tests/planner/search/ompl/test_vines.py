"""Growth of one vine by one control: the same vines as the batched search grows."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Rollout, Status, VineState
from environments import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.replay import replay
from planner.search.aiming import LONGEST_BEND
from planner.search.ompl.vines import OmplVine, VineGrower


@pytest.fixture(scope="module")
def growth(quasistatic: Callable[[str], QuasiStatic]) -> VineGrower:
    return VineGrower(quasistatic("divider"))


def test_corners_of_the_control_space_are_the_first_and_last_control(growth: VineGrower) -> None:
    """Side, cell, pressure and length are rounded down to the grid; the upper bounds themselves belong to the last value."""
    last = len(growth.catalogue.l_0)
    assert growth.cells * growth.pressures == last
    assert growth.decode(0.0, 0.0, 0.0, 1.0) == (-1, 1)
    assert growth.decode(2.5, 0.0, 0.0, 1.999) == (1, 1)
    assert growth.decode(1.5, 3.2, 4.9, 7.5)[0] == 0
    assert growth.decode(3.0, growth.cells, growth.pressures, LONGEST_BEND + 1.0) == (last, LONGEST_BEND)


def test_a_control_is_the_cell_and_the_pressure_that_it_says(growth: VineGrower) -> None:
    """The third shortest cell at the second lowest pressure, to the left."""
    control, _ = growth.decode(2.1, 2.5, 1.5, 10.0)
    cells, pressures = np.unique(growth.catalogue.l_0), np.unique(growth.catalogue.pressure)
    assert growth.catalogue.l_0[control - 1] == cells[2]
    assert growth.catalogue.pressure[control - 1] == pressures[1]


def test_an_arc_in_free_space_is_that_of_its_curvature(params: VineParams) -> None:
    """A vine with one actuator ends on the circle of the catalogue's curvature, to the side of its control."""
    room = Environment("room", "", np.array([-3.0, -3.0, 3.0, 3.0]), np.zeros(3), np.array([2.9, 2.9, 0.05]))
    growth = VineGrower(QuasiStatic(room, params))
    entry = int(np.argmin(np.abs(growth.catalogue.curvature - 2.0)))
    curvature = growth.catalogue.curvature[entry]
    for side in (1, -1):
        vine = growth.extend(growth.start(), side * (entry + 1), 20)
        turn = vine.tip[2]
        assert np.sign(turn) == side
        assert vine.segments == 20
        circle = [np.sin(abs(turn)) / curvature, side * (1 - np.cos(turn)) / curvature]
        np.testing.assert_allclose(vine.tip[:2], circle, atol=0.02)


def test_growing_on_is_growing_at_once(growth: VineGrower) -> None:
    """Three extensions of a vine are one design, which ends where its vine does when it is grown from the start."""
    vine = growth.start()
    for control, segments in ((0, 5), (-40, 12), (0, 9)):
        vine = growth.extend(vine, control, segments)
        assert vine.status == Status.GROWN
    design = growth.design(vine)
    assert (vine.segments, vine.actuators, design.actuators) == (26, 1, 1)
    assert [section.side for section in design.sections] == ["none", "right", "none"]
    again = replay(design, growth.propagator)
    np.testing.assert_allclose(again.tips[0, again.records[0] - 1], vine.tip, atol=1e-3)
    np.testing.assert_allclose(design.centerline[-1], vine.tip[:2], atol=1e-12)


def test_an_actuator_goes_on_without_another(growth: VineGrower) -> None:
    """A repeated control continues its section; another one is a new actuator."""
    once = growth.extend(growth.start(), -40, 8)
    assert growth.extend(once, -40, 8).actuators == 1
    assert growth.extend(once, -41, 8).actuators == 2
    assert growth.extend(once, 0, 8).actuators == 1


def test_a_section_is_long_enough_to_be_made(growth: VineGrower) -> None:
    """One segment is asked for; a new section has at least two cells, one that goes on and a bare one have one segment."""
    longest = len(growth.catalogue.l_0)  # the longest cell at the highest pressure
    vine = growth.extend(growth.start(), longest, 1)
    length = vine.segments * growth.params.segment_length
    cell = growth.catalogue.l_0[-1]
    assert LEAST_CELLS * cell <= length < LEAST_CELLS * cell + growth.params.segment_length
    assert growth.extend(vine, longest, 1).segments == vine.segments + 1
    assert growth.extend(growth.start(), 0, 1).segments == 1


def test_growth_ends_in_the_goal(params: VineParams, environment: Callable[..., Environment]) -> None:
    """The tip stops at the first end of a segment inside the goal straight ahead, not at the length that is asked for."""
    ahead = replace(environment(), goal=np.array([1.0, 0.0, 0.1]))
    growth = VineGrower(QuasiStatic(ahead, params))
    vine = growth.extend(growth.start(), 0, 60)
    first = int(np.ceil((1.0 - 0.098) / params.segment_length))
    assert growth.has_arrived(vine)
    assert vine.segments == first
    assert not vine.controls[first:].any()
    turned = growth.extend(growth.start(), 40, 60)
    assert turned.controls[: turned.segments].all()
    assert not turned.controls[turned.segments :].any()
    assert not growth.has_arrived(growth.extend(growth.start(), 0, first - 1))


def test_a_vine_that_cannot_grow_is_not_valid(params: VineParams, environment: Callable[..., Environment]) -> None:
    """Between two walls that it cannot push apart, it grows to the wall ahead, and from there no further."""
    blocked = environment(boxes=[(0.5, -1.0, 0.7, 1.0)], walls=[])
    growth = VineGrower(QuasiStatic(blocked, params))
    vine = growth.extend(growth.start(), 0, 60)
    stuck = vine
    for _ in range(20):
        if stuck.status != Status.GROWN:
            break
        vine, stuck = stuck, growth.extend(stuck, 0, 60)
    assert stuck.status != Status.GROWN
    assert (stuck.segments, stuck.number) == (vine.segments, vine.number)


def test_the_longest_vine_does_not_grow(growth: VineGrower, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no room in a state for more segments than fit: nothing is asked of the propagator."""
    full = replace(growth.start(), segments=growth.max_segments)
    monkeypatch.setattr(growth, "_grow", None)
    assert growth.extend(full, 0, 1).status == Status.OUT_OF_BOUNDS


def test_start_is_bare(growth: VineGrower) -> None:
    """At the start pose, with no segments and no actuators."""
    vine = growth.start()
    assert (vine.segments, vine.actuators, vine.status) == (0, 0, Status.GROWN)
    assert not vine.angles.any()
    np.testing.assert_array_equal(vine.tip, growth.environment.start)
    assert isinstance(vine, OmplVine)
    assert VineState(vine.angles[None], np.ones(1, np.int64), np.zeros(1)).broken[0] == -1


def test_a_vine_that_broke_down_is_not_valid(growth: VineGrower, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of its records is kept, as in the batched search; its status says why."""
    grown = growth._grow

    def broken(vine: OmplVine, controls: np.ndarray, count: int) -> Rollout:
        return replace(grown(vine, controls, count), broken=np.array([3]), status=np.array([Status.NOT_FINITE]))

    assert growth.extend(growth.start(), 0, 8).status == Status.GROWN
    monkeypatch.setattr(growth, "_grow", broken)
    assert growth.extend(growth.start(), 0, 8).status == Status.NOT_FINITE
