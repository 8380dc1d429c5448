"""Errors of preformed bends: drawn apart from all others, exact in free space, and with margins of their own."""

from dataclasses import fields

import numpy as np
import pytest

from dynamics.preformed import largest_turn
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.uncertainty import PRESETS, Uncertainty, uncertainty_of
from planner.design.design import Design, Section
from planner.uncertainty.deviations import SectionErrors, WorldErrors, actuation_of
from planner.uncertainty.sensitivity import bend_parameters, compute_margin, parameters
from planner.uncertainty.trials import Worlds, grow_trials
from planner.uncertainty.weakest import estimate_success

BARE, LEFT = Section(0.0, 0.2, "none", 0.0, 0.0, 0.0), Section(0.2, 0.5, "left", 3.0, 0.0, 0.0, preformed=True)
PRESSED = Section(0.5, 0.75, "right", 1.9, 0.04, 20e3)
RIGHT = Section(0.75, 0.9, "right", 2.0, 0.0, 0.0, preformed=True)
ROOM = Environment("room", "0" * 64, np.array([-2.0, -2, 2, 2]), np.zeros(3), np.array([0.7, 0.3, 0.2]), Obstacles())
ERRORS = Uncertainty(section_position=2e-3, pressure=700.0, preformed_position=3e-3, preformed_turn=0.05)


def design(*sections: Section) -> Design:
    return Design("room", "0" * 64, VineParams(), sections, np.zeros(3), np.zeros((2, 2)))


ALL = design(BARE, LEFT, PRESSED, RIGHT)


def final_headings(sections: SectionErrors) -> np.ndarray:
    """Sum of the bends of each trial in free space, by the chain's joints [rad]."""
    count = len(sections.bend_turn)
    joints = grow_trials(ALL, Worlds(ROOM, ALL.params, WorldErrors.none(ROOM, count)), sections).joints
    moves = np.diff(joints, axis=1)
    last = np.isfinite(moves[..., 0]).sum(axis=1) - 1
    return np.unwrap(np.arctan2(moves[..., 1], moves[..., 0]), axis=1)[np.arange(count), last]


def test_an_error_of_turn_turns_the_tip_by_it() -> None:
    """In free space the heading changes by the error, towards the side of the bend; a shift along the tube does not change it."""
    errors = SectionErrors.none(5, 1, 2)
    errors.bend_turn[1:3, 0] = 0.1, -0.2
    errors.bend_turn[3, 1] = 0.1
    errors.bend_place[4] = 0.01, -0.02
    found = final_headings(errors)
    np.testing.assert_allclose(found - found[0], [0, 0.1, -0.2, -0.1, 0], atol=2e-3)


def test_a_shift_moves_the_bend() -> None:
    """A bend that is shifted by 10 mm begins and ends 10 mm later, with the same turn."""
    errors = SectionErrors.none(2, 1, 2)
    errors.bend_place[1, 0] = 0.01
    carried = actuation_of(ALL, errors, WorldErrors.none(ROOM, 2))
    assert carried.rest is not None
    turn = LEFT.rest(ALL.params)
    np.testing.assert_allclose(carried.rest[:, 8], [turn, 0.6 * turn])
    np.testing.assert_allclose(carried.rest[:, 20], [0.0, 0.4 * turn])
    np.testing.assert_allclose(carried.rest[:, :30].sum(axis=1), carried.rest[0, :30].sum(), rtol=1e-9)


def test_no_error_turns_a_bend_around_or_beyond_its_folds() -> None:
    """Large errors end at straight, and at the largest turn that can be folded."""
    errors = SectionErrors.none(2, 1, 2)
    errors.bend_turn[:, 0] = -5.0, 50.0
    carried = actuation_of(ALL, errors, WorldErrors.none(ROOM, 2))
    assert carried.rest is not None
    np.testing.assert_allclose(carried.rest[:, 10], [0.0, largest_turn(ALL.params)])


def test_bends_are_drawn_apart() -> None:
    """The errors of actuators are those of a tube without bends; those of a bend do not depend on how many follow."""
    plain, both = (SectionErrors.draw(1, ERRORS, range(400), 3, bends) for bends in (0, 2))
    more = SectionErrors.draw(1, ERRORS, range(400), 3, 5)
    for field in fields(SectionErrors):
        if not field.name.startswith("bend"):
            np.testing.assert_array_equal(getattr(plain, field.name), getattr(both, field.name))
    np.testing.assert_array_equal(more.bend_turn[:, :2], both.bend_turn)
    assert both.bend_turn.std() == pytest.approx(0.05, rel=0.1)
    assert both.bend_place.std() == pytest.approx(3e-3, rel=0.1)
    assert abs(np.corrcoef(both.bend_turn[:, 0], both.bend_place[:, 0])[0, 1]) < 0.15
    planned = SectionErrors.draw(1, ERRORS, [None], 3, 2)
    np.testing.assert_array_equal(planned.bend_turn, 0.0)


def test_worlds_draw_them_for_each_design() -> None:
    """Trials under these errors spread; without them they do not."""
    worlds = Worlds.draw(ROOM, ALL.params, Uncertainty(preformed_turn=0.05), range(12), 0)
    assert np.ptp(grow_trials(ALL, worlds).nearest) > 5e-3
    still = Worlds.draw(ROOM, ALL.params, Uncertainty(), range(3), 0)
    assert np.ptp(grow_trials(ALL, still).nearest) < 1e-9


def test_margins_of_each_bend() -> None:
    """A bend that must turn at least so far has a margin of that; all parameters of a design with bends are listed."""
    bare = design(BARE, LEFT, Section(0.5, 0.9, "none", 0.0, 0.0, 0.0))
    worlds = Worlds(ROOM, bare.params, WorldErrors.none(ROOM, 1))
    tip = grow_trials(bare, worlds).joints[0]
    end = tip[np.isfinite(tip[:, 0])][-1]
    # The goal is just to the left of the tip: turning less misses it soon, turning more later.
    heading = 0.3 / (1 / 3.0 + bare.params.radius)
    goal = end + 0.03 * np.array([-np.sin(heading), np.cos(heading)])
    near = Environment("near", "0" * 64, ROOM.bounds, np.zeros(3), np.array([*goal, 0.04]), Obstacles())
    turn, place = (compute_margin(bare, near, one) for one in bend_parameters(bare))
    assert turn.name == "preformed bend 1: turn"
    assert place.unit == "mm"
    # A turn of t moves the tip by about t times the 0.55 m from the middle of the bend, sideways.
    assert turn.less == pytest.approx(np.degrees(0.01 / 0.53), abs=0.4)
    assert turn.more == pytest.approx(np.degrees(0.07 / 0.53), abs=1.0)
    names = [one.name for one in parameters(ALL, ROOM)]
    assert [name for name in names if name.startswith("preformed")] == [
        f"preformed bend {k}: {part}" for k in (1, 2) for part in ("turn", "place")
    ]


def test_the_weakest_error_may_be_a_bend() -> None:
    """Where success depends on the turn of the second bend alone, that is named."""
    trials = range(200)
    drawn = SectionErrors.draw(1, ERRORS, trials, 5, 2)
    found = estimate_success(ALL, ROOM, ERRORS, trials, 5, drawn.bend_turn[:, 1] < 0.03).weakest
    assert found is not None
    assert found.startswith("preformed bend 2: turn, ")
    assert found.endswith("degrees more")


def test_files_have_keys_for_them() -> None:
    """Both keys are read in their units; the presets that build tubes have them."""
    made = uncertainty_of("none", {"preformed_position_mm": 2.0, "preformed_turn_deg": 1.5})
    assert (made.preformed_position, made.preformed_turn) == pytest.approx((2e-3, np.radians(1.5)))
    assert made.content() == {"preformed_position_mm": 2.0, "preformed_turn_deg": 1.5}
    for name in ("workshop", "handmade", "lasercut", "field"):
        assert PRESETS[name].preformed_turn > 0
        assert PRESETS[name].preformed_position > 0
