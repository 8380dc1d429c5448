"""Inflated actuators that lie in other parts of the tube, against a hairpin of two straight parts at a known distance."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.self_contact import APART
from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design, Section
from planner.drawing.room import OWN_BODY, room_notes, squeezes
from vinewright.console.terminal import thickness_notes

CELL, PRESSURE, LEG, TURN = 0.04, 25e3, 0.8, 0.2
"""Film of a cell [m], pressure [Pa], and length of each leg and of the turn between them [m]."""
LEFT = Section(0.2, 0.52, "left", 2.0, CELL, PRESSURE)
BACK = Section(2 * LEG + TURN - 0.52, 2 * LEG + TURN - 0.2, "left", 2.0, CELL, PRESSURE)
"""Sections beside each other in the two legs, on their inner sides; the cells of one are opposite to those of the other."""


@pytest.fixture
def free(environment: Callable[..., Environment]) -> Environment:
    return environment(bounds=(-0.5, -0.5, 1.5, 0.5))


@pytest.fixture
def thickness(params: VineParams) -> float:
    return float(signed_thickness(params, PRESSURE, CELL))


def hairpin(params: VineParams, apart: float, *sections: Section) -> Design:
    """A tube along the x axis, then to the left across it, and back at a distance between its axes; that distance is film, too."""
    out = np.stack([np.linspace(0, LEG, 33), np.zeros(33)], axis=1)
    across = np.stack([np.full(9, LEG), np.linspace(0, apart, 9)], axis=1)
    joints = np.concatenate([out, across[1:], (out[::-1] + np.array([0, apart]))[1:]])
    placed = [
        replace(one, start=one.start + apart - TURN, end=one.end + apart - TURN) if one is BACK else one
        for one in sections
    ]
    ends = [0.0, *(end for one in placed for end in (one.start, one.end)), 2 * LEG + apart]
    bare = [Section(first, last, "none", 0.0, 0.0, 0.0) for first, last in zip(ends[::2], ends[1::2], strict=True)]
    every = tuple(sorted([*bare, *placed], key=lambda one: one.start))
    return Design("free", "0" * 64, params, every, np.array([0, apart, np.pi]), joints)


def test_an_actuator_lies_as_deep_as_the_other_part_is_near(
    free: Environment, params: VineParams, thickness: float
) -> None:
    """Its thickness less the distance of the two bodies, in the middle of a cell."""
    (found,) = squeezes(hairpin(params, 2 * params.radius + 0.6 * thickness, LEFT), free)
    assert (found.section, found.obstacle) == (1, OWN_BODY)
    assert found.depth == pytest.approx(0.4 * thickness, abs=1e-5)
    assert found.at[1] == pytest.approx(params.radius + 0.6 * thickness)
    assert squeezes(hairpin(params, 2 * params.radius + thickness, LEFT), free) == []
    outside = replace(LEFT, side="right")
    assert squeezes(hairpin(params, 2 * params.radius + 0.6 * thickness, outside), free) == []
    assert squeezes(hairpin(params, 2 * params.radius + 0.6 * thickness, replace(LEFT, on=False)), free) == []


def test_two_actuators_need_room_for_both(free: Environment, params: VineParams, thickness: float) -> None:
    """Facing each other, each lies in the other where their thicknesses are more than the distance of the bodies."""
    apart = 2 * params.radius + 1.5 * thickness
    assert squeezes(hairpin(params, apart, LEFT), free) == []
    assert squeezes(hairpin(params, apart, BACK), free) == []
    found = squeezes(hairpin(params, apart, LEFT, BACK), free)
    assert sorted(one.section for one in found) == [1, 3]
    assert [one.depth for one in found] == pytest.approx(2 * [0.5 * thickness], abs=2e-4)


@pytest.mark.parametrize(("share", "count"), [(0.93, 0), (1.12, 1)])
def test_only_parts_that_can_touch(free: Environment, params: VineParams, share: float, count: int) -> None:
    """An actuator as far along the film from the other leg as two parts must be that touch, less and more."""
    apart = 2 * params.radius + 2e-3
    end = LEG - 0.5 * (share * APART * params.radius - apart)
    # Opposite to the end of the section lies film that is the turn and twice the rest of the leg farther on.
    design = hairpin(params, apart, replace(LEFT, start=end - 0.011, end=end, l_0=0.011))
    assert len(squeezes(design, free)) == count


def test_the_note_says_that_the_model_lets_them(free: Environment, params: VineParams, thickness: float) -> None:
    """The words of a passage or of an obstacle would not be true: no wall is there."""
    design = hairpin(params, 2 * params.radius + 0.6 * thickness, LEFT)
    (note,) = room_notes(design, free)
    assert note.startswith(
        f"section 1's inflated actuator is squeezed by {OWN_BODY} by up to {400 * thickness:.0f} mm at ("
    )
    assert note.endswith("mm: the model lets it overlap there")
    assert thickness_notes(design, free, "quasistatic") == [f"note: {note}"]
