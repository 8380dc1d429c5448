"""Tubes for several environments: masks, given actuators, and what is left out."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from environments import Environment
from planner.design.catalogue import Catalogue
from planner.design.design import Design
from planner.plan.several.fixed_actuators import FixedActuators, runs_of
from planner.plan.several.tubes import Tube, all_masks, extend, in_environment, trim, without
from planner.search.run import Run
from planner.search.solutions import Solution


def ends(design: Design) -> list[tuple[float, float]]:
    return [(round(one.start, 9), round(one.end, 9)) for one in design.actuated]


def test_a_mask_is_for_the_actuators_in_order(design: Design, room: Environment) -> None:
    """Bare sections have none, and the environment's name and hash are the design's."""
    other = replace(room, name="other")
    used = in_environment(replace(design, stop=0.4), (False, True), other, stop=0.9)
    assert [section.on for section in used.sections] == [True, False, True, True]
    assert (used.environment, used.sha256, used.stop, used.off) == ("other", other.sha256, 0.9, [1])


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_every_mask_is_tried_once(count: int) -> None:
    """The given one first."""
    own = (False,) * count
    masks = list(all_masks(own))
    assert masks[0] == own
    assert sorted(masks) == sorted(product((True, False), repeat=count))


def test_of_many_actuators_one_changes_at_a_time() -> None:
    """Trying all of them would take too long."""
    own = (True, False) * 4
    masks = list(all_masks(own))
    assert masks[0] == own
    assert [sum(a != b for a, b in zip(mask, own, strict=True)) for mask in masks] == [0] + [1] * 8
    assert len(set(masks)) == 9


def test_an_actuator_is_left_out_with_its_masks(design: Design) -> None:
    """The tube between stays, bare."""
    fewer = without(Tube(design, ((True, False), (False, True))), 0)
    assert ends(fewer.design) == [(0.7, 1.0)]
    assert fewer.masks == ((False,), (True,))
    assert [(one.side, one.start, one.end) for one in fewer.design.sections] == [
        ("none", 0.0, 0.7),
        ("right", 0.7, 1.0),
    ]


def test_a_tube_is_extended_and_trimmed(design: Design) -> None:
    """Bare at the end; an actuator beyond the cut goes with its masks, and what is cut keeps room for two cells."""
    longer = extend(design, 1.5)
    assert (longer.built, longer.sections[-1].side, longer.actuators) == (1.5, "none", 2)
    assert extend(design, 0.3).built == 1.0
    tube = Tube(longer, ((True, True), (True, False)))
    cut = trim(tube, 0.65)
    assert (ends(cut.design), cut.masks) == ([(0.2, 0.6)], ((True,), (True,)))
    assert trim(tube, 0.85).design.built == pytest.approx(0.85)
    least = trim(tube, 0.71)
    assert least.design.built == pytest.approx(0.7 + 2 * design.actuated[1].l_0)
    assert least.masks == tube.masks


def solution(design: Design, *controls: int) -> Solution:
    return Solution(design, 0.0, np.array(controls, np.int32))


def test_actuators_are_runs_of_equal_controls() -> None:
    """Bare tube is none."""
    assert runs_of(np.array([0, 3, 3, -2, -2, 0, 0, 3], np.int32)) == [(1, 3), (3, 5), (7, 8)]
    assert runs_of(np.zeros(4, np.int32)) == []


def test_new_actuators_stay_off_where_they_are_not_needed(design: Design, room: Environment) -> None:
    """A given actuator is on in the second environment if the solution has it; the new ones are off in the first."""
    first = FixedActuators.of(solution(design, 0, 7, 7, 7, 0, 0, -4, -4, -4))
    assert first.masks == ((True, True),)
    both = first.with_solution(solution(design, 0, 7, 7, 7, 9, 9, 0, 0, 0, 0, -3, -3))
    assert both.controls.tolist() == [0, 7, 7, 7, 9, 9, -4, -4, -4, 0, -3, -3]
    assert both.masks == ((True, False, True, False), (True, True, False, True))
    third = both.with_solution(solution(design, 0, 0, 0, 0, 9))
    assert third.masks == (*both.masks, (False, True, False, False))
    run = Run.prepare(room, design.params)
    tube, swapped = third.tube(run, [0, 1, 2]), third.tube(run, [2, 0, 1])
    segment = design.params.segment_length
    assert ends(tube.design) == [
        (round(a * segment, 9), round(b * segment, 9)) for a, b in ((1, 4), (4, 6), (6, 9), (10, 12))
    ]
    assert [one.side for one in tube.design.actuated] == ["left", "left", "right", "right"]
    assert tube.design.actuated[0].pressure == Catalogue.of(design.params).pressure[6]
    assert swapped.masks == (both.masks[1], third.masks[2], both.masks[0])
