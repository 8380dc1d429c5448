"""The weakest error: named with its sign and size where success depends on it, and not where it does not."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import PRESETS
from planner.design.design import Design
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from planner.uncertainty.weakest import weakest_error

TRIALS, ERRORS = range(700, 1300), PRESETS["workshop"]
Depends = Callable[[WorldErrors, SectionErrors], np.ndarray]


@pytest.mark.parametrize(
    ("misses", "words"),
    [
        (lambda world, _: world.shift[:, 1, 0] < -3e-3, "circle 1, 5.* mm to the left"),
        (lambda world, _: world.shift[:, 2, 1] > 3e-3, "wall 1, 5.* mm up"),
        (lambda world, _: world.start[:, 2] < -0.03, "heading, 2.* degrees clockwise"),
        (lambda world, _: world.friction > 0.08, "friction, 0.0[456].* higher"),
        (lambda world, _: world.rotation[:, 0] > 0.005, "polygon 1, 0.[456].* degrees anticlockwise"),
        (lambda _, sections: sections.curvature[:, 1] < -0.05, r"section 2: curvature, [789].* % less"),
        (lambda _, sections: sections.pressure[:, 0] > 700, r"section 1: pressure, 1.* kPa more"),
    ],
)
def test_it_is_the_error_on_which_success_depends(
    design: Design, room: Environment, misses: Depends, words: str
) -> None:
    """Trials that miss where one error is beyond a bound: that error, its direction, and how far it is off there."""
    world = WorldErrors.draw(room, design.params, ERRORS, TRIALS, 4)
    sections = SectionErrors.draw(design.actuators, ERRORS, TRIALS, 4)
    reached = ~misses(world, sections)
    assert 0 < (~reached).sum() < 300
    assert re.fullmatch(words, str(weakest_error(design, room, ERRORS, TRIALS, 4, reached)))


def test_chance_is_not_named(design: Design, room: Environment) -> None:
    """Where success has nothing to do with any error, none is named; nor where there is no miss, or nothing else."""
    rng = np.random.default_rng(2)
    named = [weakest_error(design, room, ERRORS, TRIALS, 4, rng.random(600) < 0.9) for _ in range(20)]
    assert sum(name is not None for name in named) <= 3
    for same in (True, False):
        assert weakest_error(design, room, ERRORS, TRIALS, 4, np.full(600, same)) is None
    assert weakest_error(design, room, PRESETS["none"], TRIALS, 4, rng.random(600) < 0.9) is None
