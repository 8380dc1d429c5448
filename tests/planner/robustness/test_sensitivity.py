"""Margins: how far one number may stray, against closed forms in free space."""

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design import Design, Section
from planner.robustness.sensitivity import Margin, environment_parameters, margin, parameters, section_parameters

PARAMS = VineParams()
BARE = Section(0.0, 0.9, "none", 0.0, 0.0, 0.0)


def design_of(*sections: Section) -> Design:
    return Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


def room(goal: tuple[float, float, float], obstacles: Obstacles | None = None) -> Environment:
    bounds = np.array([-0.3, -0.5, 1.1, 0.9])
    return Environment("room", "", bounds, np.zeros(3), np.array(goal), obstacles or Obstacles())


def margins(design: Design, environment: Environment) -> list[Margin]:
    return [margin(design, environment, parameter) for parameter in parameters(design, environment)]


def test_a_straight_tube_may_turn_until_it_passes_the_goal() -> None:
    """The way of the tip is a line: it meets a disc of radius r at distance D until its angle is asin(r / D)."""
    environment = room((0.8, 0.0, 0.06))
    sideways, heading = (
        margin(design_of(BARE), environment, parameter) for parameter in environment_parameters(environment)
    )
    most = np.degrees(np.arcsin(0.06 / 0.8))
    assert heading.unit == "deg"
    for reach in (heading.less, heading.more):
        assert most - 0.25 < reach <= most
    assert (sideways.less, sideways.more) == pytest.approx((50, 50))  # all that is searched


def test_sides_are_distinguished() -> None:
    """A goal to the left of the way may be met from farther on the left: the base moves left by more than to the right."""
    environment = room((0.8, 0.0102, 0.0306))
    sideways = margin(design_of(BARE), environment, environment_parameters(environment)[0])
    assert (sideways.less, sideways.more) == pytest.approx((20, 40))


def test_an_actuated_section_may_stray_by_as_much_as_its_turn() -> None:
    """A section bends the tube, a bare tail follows: the pressure's margin ends where the tail's line leaves the disc."""
    section = Section(0.0, 0.4, "left", 2.0, 0.04, 25e3)
    joint = joint_moments(PARAMS)

    def tail(pressure: float) -> tuple[np.ndarray, np.ndarray]:
        bend = float(free_curvature(joint, pressure, 0.04)) * 0.025
        turns = np.cumsum(np.full(16, bend))
        way = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        # The wall on the outer side of the bend keeps its length.
        return (0.025 - PARAMS.radius * bend) * way.sum(axis=0), way[-1]

    end, along = tail(25e3)
    goal = end + 0.3 * along
    environment = room((*goal, 0.02))
    found = margin(
        design_of(section, Section(0.4, 0.8, "none", 0, 0, 0)), environment, section_parameters(design_of(section))[0]
    )
    assert found.name == "section 1: pressure"
    # The same by the line of the tail, at every step that is searched.
    for sign, reach in ((-1, found.less), (1, found.more)):
        held = 0
        while held < 40:
            end, along = tail(25e3 * (1 + sign * 0.005 * (held + 1)))
            normal = np.array([-along[1], along[0]])
            if abs((goal - end) @ normal) > 0.02:
                break
            held += 1
        assert 0 < held < 40
        assert reach == pytest.approx(0.5 * held)


def test_a_design_that_misses_has_no_margin() -> None:
    """Where the goal is not reached as planned, both margins are 0."""
    environment = room((-0.2, 0.0, 0.05))
    assert all((m.less, m.more) == (0, 0) for m in margins(design_of(BARE), environment))


def test_every_number_is_looked_at() -> None:
    """Three for each section, two of the start, and the obstacles' size where there are some, which closes a gap."""
    gap = Obstacles((box_corners(0.3, 0.04, 0.4, 0.44), box_corners(0.3, -0.44, 0.4, -0.04)))
    sections = Section(0.0, 0.4, "left", 2.0, 0.04, 25e3), Section(0.4, 0.8, "right", 2.0, 0.04, 25e3)
    assert len(margins(design_of(*sections), room((0.8, 0.0, 0.05)))) == 8
    found = margins(design_of(BARE), room((0.8, 0.0, 0.05), gap))
    assert [m.name for m in found] == ["start: to the left", "start: heading", "obstacles: size"]
    # Blocks of 400 mm about 240 mm off the axis: half of them may be 240 - 33.35 + 1 mm, the tolerance, at most.
    assert found[2].more == pytest.approx(100 * ((240 - 33.35 + 1) / 200 - 1), abs=0.5)
    assert found[2].less == pytest.approx(20)


def test_the_least_margin_counts() -> None:
    """Margins of different units are compared by their share of what was searched."""
    assert Margin("one", "mm", 5.0, 50.0).share == pytest.approx(0.1)
    assert Margin("other", "%", 20.0, 3.0).share == pytest.approx(0.15)
