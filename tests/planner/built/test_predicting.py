"""Predicted growths: those of the trials of a plan, and the error of the model."""

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import Uncertainty
from planner.built.likelihood import tips_at
from planner.built.predicting import MODEL, BuiltTube
from planner.design.design import Design
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.trials import Worlds, grow_trials


@pytest.fixture
def tube(design: Design, room: Environment) -> BuiltTube:
    return BuiltTube(design, room, Uncertainty(start_heading=0.05))


def test_growths_without_errors_are_those_of_the_plan(tube: BuiltTube) -> None:
    """Tip, distance from the goal and length, against the trials of a design."""
    found = tube.grow(np.zeros((1, 3)))
    planned = grow_trials(
        tube.design, Worlds(tube.environment, tube.design.params, WorldErrors.none(tube.environment, 1))
    )
    joints = planned.joints[0][~np.isnan(planned.joints[0, :, 0])]
    assert found.tip[0] == pytest.approx(joints[-1])
    assert found.nearest[0] == pytest.approx(planned.nearest[0])
    assert found.length[0] == pytest.approx(tube.design.length)


def test_the_error_of_the_model_rises_along_the_tube(tube: BuiltTube) -> None:
    """At the tip it is the whole one, half-way half of it, and the distance from the goal follows."""
    found = tube.grow(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, -2.0]]))
    whole = MODEL * tube.design.params.radius * np.array([1.0, -2.0])
    assert found.tip[1] - found.tip[0] == pytest.approx(whole)
    half = tips_at(found, tube.design.length / 2)
    assert half[1] - half[0] == pytest.approx(whole / 2, abs=1e-9)
    goal = tube.environment.goal
    path = found.path[1, ~np.isnan(found.path[1, :, 0]), :2]
    assert found.nearest[1] <= np.hypot(*(path - goal[:2]).T).min() - goal[2] + 1e-12


def test_errors_turn_growths(tube: BuiltTube) -> None:
    """A base that is turned turns the tip about it, where nothing is touched."""
    straight = BuiltTube(
        tube.design, Environment("free", "", [-3, -3, 3, 3], np.zeros(3), [2, 2, 0.1]), Uncertainty(start_heading=0.05)
    )
    found = straight.grow(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    turned = np.arctan2(*found.tip.T[::-1])
    assert turned[1] - turned[0] == pytest.approx(0.05)


def test_paths_are_interpolated_by_length(tube: BuiltTube) -> None:
    """Tips at recorded lengths are those of the records, and one beyond the end is where the tip ended."""
    found = tube.grow(np.zeros((1, 3)))
    for x, y, length in found.path[0, :5]:
        assert tips_at(found, length)[0] == pytest.approx([x, y])
    between = tips_at(found, (found.path[0, 2, 2] + found.path[0, 3, 2]) / 2)[0]
    assert between == pytest.approx(found.path[0, 2:4, :2].mean(axis=0))
    assert tips_at(found, 99.0)[0] == pytest.approx(found.tip[0])
