"""Dead actuators: trials of a design that has lost the pressure of one of them."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.uncertainty import PRESETS
from planner.design.design import Design, Section
from planner.design.schedule import Schedule
from planner.uncertainty.dead import ASSUMED, dead_table, try_dead_actuators, without_pressure
from planner.uncertainty.report import robustness_report
from planner.uncertainty.survey import ALL, Survey
from planner.uncertainty.trials import grow_trials

ERRORS = replace(PRESETS["lasercut"], friction=None)
BARE = Section(0.7, 0.8, "none", 0.0, 0.0, 0.0)
SECTIONS = (Section(0.0, 0.1, "left", 0.3, 0.05, 5e3), Section(0.1, 0.7, "left", 2.0, 0.04, 25e3), BARE)
"""A weak actuator, which hardly bends, and one that the goal depends on."""


@pytest.fixture(scope="module")
def survey() -> Survey:
    room = Environment(
        "room", "", np.array([-0.4, -0.6, 1.3, 1.3]), np.zeros(3), np.array([0.4, 0.5, 0.1]), Obstacles()
    )
    design = Design("room", "", VineParams(), SECTIONS, np.zeros(3), np.zeros((1, 2)))
    made = Survey.of(design, room, ERRORS, 30, seed=2, alone=False)
    whole = grow_trials(design, made.worlds(ALL, range(1)))
    tip = whole.joints[0, design.segments]
    made = Survey.of(design, replace(room, goal=np.array([*tip, 0.15])), ERRORS, 30, seed=2, alone=False)
    list(made.run())
    return made


def test_what_depends_on_an_actuator_is_found(survey: Survey) -> None:
    """Without the weak one most trials reach the goal, without the other none; the numbers count from the base."""
    assert survey.estimate_all().rate == 1.0
    first, second = try_dead_actuators(survey)
    assert (first.number, second.number) == (1, 2)
    assert (first.place, second.place) == ("0 to 100 mm left", "100 to 700 mm left")
    assert first.estimate.rate > 0.9
    assert (second.estimate.reached, second.estimate.trials) == (0, 30)


def test_a_dead_actuator_leaves_the_tube_as_if_it_were_bare(survey: Survey) -> None:
    """It neither pulls nor shortens the centreline: in each trial the tube ends where one without it does."""
    dead = without_pressure(survey.design, 2)
    assert [one.on for one in dead.actuated] == [True, False]
    bare = replace(survey.design, sections=(SECTIONS[0], replace(BARE, start=0.1)))
    worlds = survey.worlds(ALL, range(5))
    ends = [grow_trials(one, worlds).nearest for one in (dead, bare)]
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def test_a_schedule_does_not_bring_it_back(survey: Survey) -> None:
    schedule = Schedule([0.3, 0.3], [[5e3, 0.0], [5e3, 25e3]])
    steered = replace(survey.design, schedule=schedule)
    worlds = survey.worlds(ALL, range(3))
    tips = [grow_trials(without_pressure(one, 2), worlds).nearest for one in (steered, survey.design)]
    assert tips[0] == pytest.approx(tips[1], abs=1e-3)


def test_the_report_says_what_is_assumed(survey: Survey) -> None:
    """Success with its interval for each actuator; an actuator that is off here is not tried, and without any there is no table."""
    dead = list(try_dead_actuators(survey))
    lines, content = robustness_report(survey, [], 0, (), dead)
    text = "\n".join(lines)
    assert "## Dead actuators" in text
    assert ASSUMED in text
    assert f"| 2 | 100 to 700 mm left | {dead[1].estimate.words()} | 30 |" in text
    assert content["dead_actuators"][1] == {"actuator": 2, "reached": 0, "trials": 30, "interval_95": [0.0, 0.1135]}
    assert dead_table([]) == []
    off = replace(survey.design, sections=(SECTIONS[0], replace(SECTIONS[1], on=False), BARE))
    assert [one.number for one in try_dead_actuators(replace(survey, design=off))] == [1]
