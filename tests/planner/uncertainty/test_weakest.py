"""The errors that decide: named with side, size and share where success depends on them, and not where it does not."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from environments.uncertainty import PRESETS, Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import NONE_STANDS_OUT, Estimate
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from planner.uncertainty.report import robustness_report
from planner.uncertainty.survey import Survey
from planner.uncertainty.weakest import estimate_success

TRIALS, ERRORS = range(700, 1300), PRESETS["workshop"]
Depends = Callable[[WorldErrors, SectionErrors], np.ndarray]


def ranked(design: Design, room: Environment, misses: Depends, errors: Uncertainty = ERRORS) -> Estimate:
    """The estimate from trials that miss where a function of the errors that they draw says so."""
    world = WorldErrors.draw(room, design.params, errors, TRIALS, 4)
    sections = SectionErrors.draw(design.actuators, errors, TRIALS, 4)
    return estimate_success(design, room, errors, TRIALS, 4, ~misses(world, sections))


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
        (lambda world, _: world.shift[:, 0] @ [1, 1] > 4e-3, r"polygon 1, .* mm to the right and .* mm up"),
        # Either way: the mean size beyond a bound of 0.5 standard deviations is 1.14 of them, here of 1.5 degrees.
        (
            lambda world, _: abs(world.start[:, 2]) > np.radians(0.75),
            r"heading, 1\.[67] degrees clockwise or anticlockwise",
        ),
        # Far more often on one side than on the other: that side.
        (lambda world, _: abs(world.start[:, 2] - 0.017) > 0.043, r"heading, [12]\.\d degrees clockwise"),
        (lambda world, _: abs(world.shift[:, 1, 1]) > 3e-3, r"circle 1, 4.* mm down or up"),
        (
            lambda _, sections: abs(sections.pressure[:, 0]) < 100,
            r"section 1: pressure, within 0.0[45]\d* kPa of its mean",
        ),
    ],
)
def test_it_is_the_error_on_which_success_depends(
    design: Design, room: Environment, misses: Depends, words: str
) -> None:
    """Trials that miss where one error is beyond a bound: that error alone, its side, and how far it is off there."""
    found = ranked(design, room, misses)
    assert 0 < found.reached < 600
    assert re.fullmatch(words, str(found.weakest))
    assert len(found.influences or ()) == 1


def test_several_are_ranked_by_their_share(design: Design, room: Environment) -> None:
    """Two that act together are both listed, first the one with the lower bound; each has a share and its interval."""
    found = ranked(design, room, lambda world, _: (world.start[:, 2] > -0.01) & (abs(world.shift[:, 1, 0]) > 2.5e-3))
    first, second = found.influences or ()
    assert first.words.startswith("circle 1, ")
    assert first.words.endswith("mm to the left or to the right")
    assert second.words.startswith("heading, ")
    assert second.words.endswith("anticlockwise")
    assert found.weakest == first.words
    # With a = 0.648 of the headings and b = 0.405 of the shifts, shares are b(1 - b) a^2 and a(1 - a) b^2 over ab(1 - ab).
    miss = (a := 0.648) * (b := 0.405)
    for one, share in ((first, b * (1 - b) * a**2), (second, a * (1 - a) * b**2)):
        assert one.share == pytest.approx(share / (miss * (1 - miss)), abs=0.1)
        assert one.interval[0] < one.share < one.interval[1] < one.interval[0] + 0.2
    head, *lines = found.influence_lines
    assert head.endswith("explains alone (95 % interval):")
    assert re.fullmatch(r"1\. circle 1, .* right: \d+ % \(\d+ \.\.\. \d+\)", lines[0])
    assert lines[1].startswith("2. heading")


def test_a_longer_section_is_not_told_as_places_of_others(design: Design, room: Environment) -> None:
    """The length of the first section moves all behind it; only its length is named."""
    errors = replace(ERRORS, section_length=3e-3)
    found = ranked(design, room, lambda _, sections: sections.stretch[:, 0] > 2e-3, errors)
    assert [one.words.split(",")[0] for one in found.influences or ()] == ["section 1: length"]


def test_chance_is_not_named(design: Design, room: Environment) -> None:
    """Where success has nothing to do with any error, that is said; nothing where there is no miss, or nothing else."""
    rng = np.random.default_rng(2)
    named = [estimate_success(design, room, ERRORS, TRIALS, 4, rng.random(600) < 0.9).weakest for _ in range(20)]
    # At a rate of 5 %, more than 4 of 20 occur once in 390 times.
    assert sum(name != NONE_STANDS_OUT for name in named) <= 4
    for same in (True, False):
        assert estimate_success(design, room, ERRORS, TRIALS, 4, np.full(600, same)).weakest is None
    none = estimate_success(design, room, PRESETS["none"], TRIALS, 4, rng.random(600) < 0.9)
    assert (none.weakest, none.influence_lines) == (NONE_STANDS_OUT, [])
    assert Estimate(3, 4).weakest is None  # not looked for
    assert estimate_success(design, room, ERRORS, range(0), 4, np.zeros(0, bool)).weakest is None


def doorway(degrees: float) -> Survey:
    """A straight tube without actuators that grows through a gap 20 mm wider than itself, 0.5 m ahead, to a goal behind it."""
    params = VineParams()
    half = params.radius + 0.01
    walls = Obstacles((box_corners(0.5, half, 0.52, 0.5), box_corners(0.5, -0.5, 0.52, -half)))
    bounds, goal = np.array([-0.1, -0.6, 1.2, 0.6]), np.array([0.8, 0.0, 0.1])
    environment = Environment("doorway", "0" * 64, bounds, np.zeros(3), goal, walls)
    section = Section(0.0, 0.85, "none", 0, 0, 0)
    design = Design("doorway", environment.sha256, params, (section,), np.zeros(3), np.zeros((1, 2)))
    errors = Uncertainty(
        start_heading=np.radians(degrees), start_position=1e-3, obstacle_position=1e-3, moment_share=0.05
    )
    return Survey.of(design, environment, errors, 200, 1, alone=False)


def test_a_straight_doorway_names_the_heading() -> None:
    """The heading may be off either way, and its signed errors average out; report and data have one ranked list."""
    survey = doorway(8.8)
    list(survey.run())
    found = survey.estimate_all()
    assert 0.05 < found.rate < 0.95
    assert re.fullmatch(r"heading, \d.* degrees clockwise or anticlockwise", str(found.weakest))
    assert (found.influences or ())[0].share > 0.5
    lines, content = robustness_report(survey, [], 0)
    assert [line for line in lines if line in found.influence_lines] == found.influence_lines != []
    assert content["weakest"] == found.weakest
    assert content["influences"][0]["error"] == found.weakest
    assert "no single error" not in "\n".join(lines)
    again = estimate_success(
        survey.design, survey.environment, next(iter(survey.uncertainties.values())), range(200), 1, survey.reached
    )
    assert again == found
