"""`vinewright simulate`: the reasons given for a miss occur in the growth that misses."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import largest_turn
from dynamics.propagator import PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import load_propagator
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.comparison.growths import RecordedGrowth, grow_recorded, record_growth
from planner.design.design import Design, Section
from planner.design.replay import replay
from tests.conftest import MakeEnvironment
from vinewright.commands.simulate_why import Miss

PARAMS = VineParams()
CONTACT = re.compile(r"wall|contact|friction|buckl|touch|obstacle|polygon|circle|stuck|slide")
FAR = (1.3, 1.3, 1.4, 1.4)
"""A box that no tube of these tests reaches [m]."""
CELL = 0.042


def section(start: float, end: float, sense: int, pressure: float, formed: bool = False) -> Section:
    """A section that bends to one side by an actuator or, preformed, by half of the largest turn; straight if `sense` is 0."""
    side = ("none", "left", "right")[sense]
    if not sense:
        return Section(start, end, "none", 0.0, 0.0, 0.0)
    turn = 0.5 * largest_turn(PARAMS) if formed else float(free_curvature(joint_moments(PARAMS), pressure, CELL))
    curvature = float(centerline_curvature(turn, PARAMS))
    if formed:
        return Section(start, end, side, curvature, 0.0, 0.0, preformed=True)
    return Section(start, end, side, curvature, CELL, pressure)


def design_of(*sections: Section) -> Design:
    return Design("bare", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


def random_design(rng: np.random.Generator, one: bool) -> Design:
    """Three sections of tube to random sides, some preformed or straight; or one with an actuator all along."""
    if one:
        return design_of(section(0.0, 0.75, int(rng.choice([-1, 1])), rng.uniform(15e3, 25e3)))
    places, side = (0.0, 0.25, 0.5, 0.75), int(rng.choice([-1, 1]))
    senses, formed = (side, int(rng.integers(-1, 2)), -side), rng.integers(3)
    return design_of(
        *(section(*places[k : k + 2], sense, rng.uniform(15e3, 25e3), k == formed) for k, sense in enumerate(senses))
    )


def model_of(name: str) -> PropagatorFactory:
    """The model by its name. PyTorch is slow: in few, long steps."""
    return partial(load_propagator(name), step=25e-3 / 2, inner_steps=4) if name == "penalty" else load_propagator(name)


def reasons(room: Environment, design: Design, name: str, changed: dict[str, Any]) -> tuple[str, RecordedGrowth]:
    """Explain the miss of a goal that only the default propagator reaches; return the line and the growth that misses."""
    made, make = replace(design, params=replace(design.params, **changed)), model_of(name)
    rollout = replay(made, make(room, made.params))
    tips = [
        record_growth(room, made, rollout).lines[-1][-1],
        grow_recorded(room, design, QuasiStatic(room, design.params)).lines[-1][-1],
    ]
    room = replace(room, goal=np.array([*tips[1], 0.5 * np.hypot(*(tips[0] - tips[1]))]))
    printed = io.StringIO()
    design, made = (replace(one, tip=np.array([*tips[1], 0.0])) for one in (design, made))
    content = Miss(room, design, made, name, make, rollout).explain(Console(file=printed, width=10_000))
    assert content is not None
    assert content["default_reaches_goal"]
    return printed.getvalue(), record_growth(room, made, rollout)


TUBES: list[dict[str, Any]] = [
    {},
    {"physics": "published"},
    {"radius": 0.03},
    {"friction": 0.4, "static_friction": 0.5},
    {"tail_tension": 1.0, "tail_drag": 2.0, "tail_friction": 0.2},
    {"segment_length": 0.0125, "physics": "published"},
    {"inertia": Inertia(growth_rate=0.5)},
]
CASES = [
    (name, number)
    for name in ("quasistatic", "impulse", "geometric", "penalty", "euler-lagrange")
    for number in range(len(TUBES))
    if not (name == "quasistatic" and number == 0)
]
SLOW = ("penalty", "impulse")


@pytest.mark.parametrize(
    ("name", "number"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case[0] in SLOW and case[1] > 0)) for case in CASES],
)
@pytest.mark.parametrize("far", [False, True])
def test_without_a_wall_no_contact_is_named(name: str, number: int, far: bool, environment: MakeEnvironment) -> None:
    """Nothing is touched, for all differences of model, tube and design, and nothing that needs contact is a reason."""
    rng = np.random.default_rng([number, far, len(name)])
    has_contact = load_propagator(name).capabilities.contact
    room = environment(boxes=[FAR] if far and has_contact else [], start=(0, 0, rng.uniform(-0.5, 0.5)))
    line, growth = reasons(room, random_design(rng, name == "euler-lagrange"), name, TUBES[number])
    assert growth.touched == []
    assert line.startswith("why: ")
    assert CONTACT.search(line) is None, line


def test_a_tube_out_of_bounds_is_not_on_an_obstacle(environment: MakeEnvironment) -> None:
    """With published physics it is longer and leaves the bounds: the box beside it is not what stops it."""
    design = design_of(section(0.0, 0.75, 1, 20e3))
    x, y = grow_recorded(environment(), design, QuasiStatic(environment(), PARAMS)).lines[-1][-1]
    room = environment(boxes=[(x + 0.2, y - 0.1, x + 0.3, y)], bounds=(-1, -1, 1, y + 0.01))
    line, growth = reasons(room, design, "geometric", {"physics": "published"})
    assert growth.status == Status.OUT_OF_BOUNDS
    assert f": out of bounds at {1e3 * growth.length:.0f} mm" in line
    assert CONTACT.search(line) is None, line


def slides(heading: float, friction: float) -> bool:
    """Whether a straight tube slides on a wall that it meets at 0.45 m: the force on its tip bends it at its base."""
    lever = (0.45 - PARAMS.radius) / np.cos(heading) * (np.sin(heading) - friction * np.cos(heading))
    reach = np.pi * PARAMS.growth_pressure * PARAMS.radius**3 / PARAMS.growth_force
    return bool(lever >= reach * (np.cos(heading) + friction * np.sin(heading)))


@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("heading", [0.02, 0.1, 0.2, 0.3, 0.4])
def test_a_wall_that_is_touched_is_named(heading: float, friction: float, environment: MakeEnvironment) -> None:
    """A straight tube that meets a wall, not square: stuck on it, or apart from the default after it has touched it."""
    room = environment(boxes=[FAR, (0.45, -0.3, 0.6, 0.9)], start=(0, 0, heading), bounds=(-2, -2, 2, 2))
    line, growth = reasons(room, design_of(section(0.0, 0.7, 0, 0.0)), "geometric", {"friction": friction})
    assert [index for index, _ in growth.touched] == [1]
    assert "box 2" in line
    assert "box 1" not in line
    held, held_freely = (not slides(heading, coefficient) for coefficient in (friction, 0.0))
    assert (growth.status == Status.STALLED) == ("° into box 2" in line) == held
    assert ("does not buckle" in line) == (held and held_freely)
    matters = held and not held_freely
    assert ("The friction is 0.2, in the plan 0" in line) == matters
    assert ("without friction it ends in the goal" in line) == matters
