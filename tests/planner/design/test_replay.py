"""Designs grown again: where they get, each as if it were alone."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.design.schedule import Schedule

PARAMS = VineParams()


def straight(length: float) -> Design:
    section = Section(0.0, length, "none", 0.0, 0.0, 0.0)
    return Design("bare", "", PARAMS, (section,), np.zeros(3), np.zeros((1, 2)))


@pytest.fixture(scope="module")
def room(environment: Callable[..., Environment]) -> Environment:
    """A wall across the way at 1 m, and a goal of 100 mm at 0.6 m."""
    return replace(
        environment(boxes=[[1.0, -0.5, 1.1, 0.5]], bounds=[-0.5, -1.0, 2.0, 1.0]), goal=np.array([0.6, 0.0, 0.1])
    )


def test_designs_of_different_lengths_get_where_they_end(room: Environment) -> None:
    """Short of the goal, in it, through it, and against the wall: tip, status, and whether the goal was met, each by hand."""
    lengths = [0.4, 0.4875, 0.6, 0.8, 1.2]
    grown = grow_designs([straight(length) for length in lengths], room, QuasiStatic(room, PARAMS))
    assert [one.reached for one in grown] == [False, False, True, True, True]
    assert [one.ends_in_goal for one in grown] == [False, False, True, False, False]
    assert [one.status for one in grown] == [Status.GROWN] * 4 + [Status.STALLED]
    for one, length in zip(grown[:4], lengths, strict=False):
        assert one.design.tip == pytest.approx([length, 0, 0], abs=1e-9)
        assert one.design.centerline[-1] == pytest.approx([length, 0], abs=1e-9)
        assert one.design.sections[-1].end == length
    # The wall stops the tip's front, a tube radius ahead of the tip.
    assert grown[4].design.tip[0] <= 1.0 - PARAMS.clearance + 1e-6


@pytest.mark.parametrize("scheduled", [False, True])
def test_nothing_grows_out_of_a_wall(room: Environment, scheduled: bool) -> None:
    """A base in a wall has no record: it is predicted where it starts, and reaches nothing."""
    environment = replace(room, start=np.array([1.05, 0.49, 0.0]), goal=np.array([1.05, 0.49, 0.3]))
    design = replace(straight(0.5), sections=(Section(0.0, 0.5, "left", 0.5, 0.04, 10e3),))
    design = design.scheduled(Schedule([0.0, 0.2], [[0.0], [10e3]])) if scheduled else design
    (one,) = grow_designs([design], environment, QuasiStatic(environment, PARAMS))
    assert one.status != Status.GROWN
    assert not one.reached
    assert not one.ends_in_goal
    assert one.design.tip == pytest.approx(environment.start)
    assert one.design.centerline.shape == (1, 2)


def test_no_designs_are_no_work(room: Environment) -> None:
    """An empty list gives an empty list."""
    assert grow_designs([], room, QuasiStatic(room, PARAMS)) == []
