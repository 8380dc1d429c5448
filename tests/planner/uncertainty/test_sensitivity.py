"""Margins: how far one number may stray, against closed forms in free space."""

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.design import Design, Section
from planner.uncertainty.report import margin_table
from planner.uncertainty.sensitivity import (
    Margin,
    compute_margin,
    environment_parameters,
    object_parameters,
    parameters,
    section_parameters,
    smallest_margin,
)

PARAMS = VineParams()
BARE = Section(0.0, 0.9, "none", 0.0, 0.0, 0.0)


def design_of(*sections: Section) -> Design:
    return Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


def room(goal: tuple[float, float, float], obstacles: Obstacles | None = None) -> Environment:
    bounds = np.array([-0.3, -0.5, 1.1, 0.9])
    return Environment("room", "", bounds, np.zeros(3), np.array(goal), obstacles or Obstacles())


def margins(design: Design, environment: Environment) -> list[Margin]:
    return [compute_margin(design, environment, parameter) for parameter in parameters(design, environment)]


def test_a_straight_tube_may_turn_until_it_passes_the_goal() -> None:
    """The way of the tip is a line: it meets a disc of radius r at distance D until its angle is asin(r / D)."""
    environment = room((0.8, 0.0, 0.06))
    sideways, heading = (
        compute_margin(design_of(BARE), environment, parameter) for parameter in environment_parameters(environment)
    )
    most = np.degrees(np.arcsin(0.06 / 0.8))
    assert heading.unit == "deg"
    for reach in (heading.less, heading.more):
        assert most - 0.25 < reach <= most
    assert (sideways.less, sideways.more) == pytest.approx((50, 50))  # all that is searched


def test_sides_are_distinguished() -> None:
    """A goal to the left of the way may be met from farther on the left: the base moves left by more than to the right."""
    environment = room((0.8, 0.0102, 0.0306))
    sideways = compute_margin(design_of(BARE), environment, environment_parameters(environment)[0])
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
    found = compute_margin(
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
    shifts = [f"polygon {k}: along {axis}" for k in (1, 2) for axis in "xy"]
    assert [m.name for m in found] == ["start: to the left", "start: heading", "obstacles: size", *shifts]
    # Blocks of 400 mm about 240 mm off the axis: half of them may be 240 - 33.35 + 1 mm, the tolerance, at most.
    assert found[2].more == pytest.approx(100 * ((240 - 33.35 + 1) / 200 - 1), abs=0.5)
    assert found[2].less == pytest.approx(20)


def test_shifts_of_an_object_are_those_that_block_the_way() -> None:
    """A gap of 74 mm is closed to 2 (33.35 - 1) mm, the tube less the tolerance, by the object on either side."""
    pair = box_corners(0.3, 0.04, 0.4, 0.24), box_corners(0.4, 0.04, 0.5, 0.1)
    below, far = box_corners(0.3, -0.44, 0.4, -0.034), box_corners(-0.2, 0.5, 0.9, 0.8)
    environment = room((0.8, 0.0, 0.05), Obstacles((below, *pair, far)))
    found = [
        compute_margin(design_of(BARE), environment, one) for one in object_parameters(design_of(BARE), environment)
    ]
    assert [one.name for one in found] == [
        f"{name}: along {axis}" for name in ("polygon 1", "polygons 2 and 3") for axis in "xy"
    ]
    along, up_or_down = found[2], found[3]
    assert (found[1].less, found[1].more) == pytest.approx((50, 8))
    assert (up_or_down.less, up_or_down.more) == pytest.approx((8, 50))
    assert up_or_down.missed[0] == pytest.approx(12)
    assert up_or_down.missed[1] is None
    assert up_or_down.words == "polygons 2 and 3, 12 mm down"
    assert found[1].words == "polygon 1, 12 mm up"
    assert along.missed == (None, None)  # along the tube
    assert along.words == "polygons 2 and 3, more than 50 mm"
    assert smallest_margin(found[2:]) is up_or_down


def test_walls_at_the_bounds_have_names() -> None:
    """Walls are named by their side, and obstacles after them in the arrays keep their numbers of the file."""
    solids = Obstacles(
        (box_corners(0.3, -0.3, 0.4, -0.04),), [[0.6, 0.1, 0.05]], [[0.2, 0.09, 0.3, 0.09, 0.01]], ends="round"
    )
    bounds, goal = np.array([-0.05, -0.5, 1.1, 0.08]), np.array([0.8, 0.0, 0.05])
    environment = Environment("room", "", bounds, np.zeros(3), goal, solids, edge="wall")
    names = {one.name.split(": ")[0] for one in object_parameters(design_of(BARE), environment)}
    sides = {"wall at the bounds, top", "wall at the bounds, left"}
    # The disc and the thin wall reach into the wall at the top, which is not built with them.
    assert names == {"polygon 1", "circle 1", "wall 1", *sides}


def test_the_weakest_is_named_with_its_direction() -> None:
    """By the smallest deviation that misses, relative to what was searched: of a section, of the start, of an object."""
    environment = room((0.8, 0.0102, 0.0306))
    listed = environment_parameters(environment)
    found = [compute_margin(design_of(BARE), environment, one) for one in listed]
    sideways, heading = found
    assert sideways.missed == pytest.approx((21.25, 41.25))
    assert sideways.words == "start, 21.2 mm to the right"
    assert heading.words == f"start: heading, {heading.missed[0]:.3g} deg clockwise"
    assert heading.missed[0] == pytest.approx(heading.less + 0.25)
    assert smallest_margin(found) is heading
    (pressure,) = section_parameters(design_of(Section(0.0, 0.4, "left", 2.0, 0.04, 25e3)), ["pressure"])
    short = Margin(pressure.name, "%", 3.5, 20.0, (4.0, None))
    assert short.words == "section 1: pressure, 4 % less"
    assert smallest_margin([*found, short]) is heading  # 1.5 of 10 degrees before 4 of 20 %
    lost = Margin("start: heading", "deg", 0.0, 0.0, (0.0, 0.0))
    assert smallest_margin([short, lost]) is lost
    assert lost.words == "the plan itself misses the goal"


def test_the_weakest_is_the_smallest_finite_margin() -> None:
    """It is the first row of the table, also where only the last deviation tried misses; without any miss there is none."""
    every = [Margin(f"section {k}: pressure", "%", 20.0, 20.0) for k in (1, 2)]
    last = Margin("obstacle 1: along y", "mm", 30.0, 50.0, (50.0, None), "obstacle 1", ("down", "up"))
    assert smallest_margin([*every, last]) is last
    near = Margin("obstacle 2: along y", "mm", 50.0, 24.0, (None, 30.0))
    assert smallest_margin([last, near, *every]) is near
    assert smallest_margin(every) is None
    told = "\n".join(margin_table([*every, last], 3))
    assert "misses the goal: obstacle 1, 50 mm down.\n" in told
    assert told.index("| obstacle 1: along y |") < told.index("| section 1: pressure |")
    told = "\n".join(margin_table(every, 2))
    assert "No single deviation that was tried misses the goal." in told
    assert "Weakest" not in told


def test_the_least_margin_counts() -> None:
    """Margins of different units are compared by their share of what was searched."""
    assert Margin("one", "mm", 5.0, 50.0).share == pytest.approx(0.1)
    assert Margin("other", "%", 20.0, 3.0).share == pytest.approx(0.15)
