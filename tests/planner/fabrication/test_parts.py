"""The parts list: every quantity computed by hand."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.schedule import Schedule
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressures import pressure_lines
from planner.fabrication.assembly.vessel import vessel_of
from planner.fabrication.lists.parts import parts_list, parts_table
from planner.fabrication.plumbing.plumbing import plumbing_of
from planner.fabrication.plumbing.schedule import set_points
from surrogate.pouch import PouchMotor

MakeBuild = Callable[..., Build]


def quantities(build: Build) -> dict[str, list[float]]:
    """Quantities by part."""
    found: dict[str, list[float]] = {}
    for row in csv.DictReader(io.StringIO(parts_table(build, vessel_of(build)))):
        found.setdefault(row["part"], []).append(float(row["quantity"]))
    return found


def test_quantities_include_allowances(example: Build) -> None:
    """Body: 100 clamp, 1300 tube, 20 seal; strips: 82.5 mm each besides cells and slack; 12 test strips of 150 mm from each tube."""
    found = quantities(example)
    strips = 2 * 0.0825 + 0.294 + 0.36 + sum(actuator.contraction for actuator in example.actuators) + 1.8
    assert found["tube of the body"] == [pytest.approx(1.42 + 1.8, abs=0.011)]
    assert found["tube of the actuators"] == [pytest.approx(strips, abs=0.011)]
    area = 2 * np.pi * (33.35e-3 * 3.22 + 17.18e-3 * strips)
    assert found["film in all"] == [pytest.approx(area, abs=0.011)]
    assert found["bracket"] == [8 + 13]
    assert found["double-sided tape"] == [pytest.approx(21 * 0.06)]
    # To the fitting, half its 40 mm and a third of the slack before the section, across a quarter of the tube, 300 mm to the valve.
    feed = 0.3 + 0.8 - sum(0.02 + one.contraction / 3 for one in example.actuators) + 2 * (np.pi / 2 * 33.35e-3 + 0.3)
    assert found["soft tube"] == [pytest.approx(feed, abs=0.011)]
    assert (found["barbed fitting"], found["zip tie"]) == ([2], [4])
    assert found["pressure regulator"] == [1, 1]  # both actuators at 35 kPa, and the body
    # One behind the supply and one before the body, each its own regulator with a relief valve, a valve for each actuator.
    assert (found["shut-off valve"], found["relief valve"], found["3/2-way valve"]) == ([1, 1], [1, 1], [2])
    assert found["manifold"] == [1, 1]
    assert found["tube at the base"] == [pytest.approx(0.2 * (3 + 1 + 1 + 2 + 1 + 0) + 0.3)]
    assert "tee" not in found
    assert found["push-in fitting"] == [1]
    assert (found["vessel"], found["clamp half"], found["bolt with nut and washers"]) == ([1], [2], [2])


def test_quantities_are_rounded_up(make_build: MakeBuild) -> None:
    """1.1204 m of body and 1.8 m of test strips are 2.93 m."""
    assert quantities(make_build(("none", 1.0004)))["tube of the body"] == [2.93]


def test_a_bare_tube_needs_no_actuator_parts(make_build: MakeBuild) -> None:
    """Only body, its regulator with relief and shut-off valves, and the base are listed."""
    found = quantities(make_build(("none", 1.0)))
    assert (found["pressure regulator"], found["relief valve"], found["shut-off valve"]) == ([1], [1], [1, 1])
    assert found["tube at the base"] == [pytest.approx(3 * 0.2 + 0.3)]
    assert (
        not {
            "tube of the actuators",
            "bracket",
            "double-sided tape",
            "soft tube",
            "barbed fitting",
            "zip tie",
            "manifold",
            "3/2-way valve",
        }
        & found.keys()
    )


def test_pouches_are_taped_along_their_length(make_build: MakeBuild) -> None:
    """No brackets, and as much tape as the actuators are long."""
    found = quantities(make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=PouchMotor())))
    assert "bracket" not in found
    assert found["double-sided tape"] == [pytest.approx(0.2)]


def test_regulators_have_head_room(example: Build) -> None:
    """1.25 times the set point, rounded up to 5 kPa: 45 kPa for 35, and 15 kPa for 10.3."""
    text = parts_table(example, None)
    assert "set to 35 kPa; range 0 to 45 kPa or more" in text
    assert "set to 10.34 kPa; range 0 to 15 kPa or more" in text
    assert "it is not printed" in text


def test_relief_valves_open_between_set_point_and_limit(example: Build) -> None:
    """The film of the body holds 24 kPa; at the limit of the actuators, 35 kPa, there is nothing between."""
    text = parts_table(example, None)
    body = pressure_lines(example)[0]["limit_kpa"]
    assert f"opens above 10.34, at most at {body:.4g} kPa" in text
    assert "opens as little above 35 kPa as it can" in text
    lower = [replace(one, pressure=20e3) if one.actuated else one for one in example.design.sections]
    assert "opens above 20, at most at 35 kPa" in parts_table(
        Build(replace(example.design, sections=tuple(lower))), None
    )


def test_lines_that_share_a_valve_have_a_tee(example: Build) -> None:
    """Both at 35 kPa from 1200 mm on: one valve, one tee, no manifold behind their regulator."""
    both = Schedule([0, 1.2, 1.2], 1e3 * np.array([[0, 0], [0, 0], [35, 35]]))
    found = quantities(Build(example.design.scheduled(both)))
    assert (found["3/2-way valve"], found["tee"], found["manifold"]) == ([1], [1], [1])


def test_gradual_pressures_have_proportional_regulators(example: Build) -> None:
    """Both actuators are steered: two proportional regulators besides that of the body, and no valve."""
    schedule = Schedule([0, 0.9, 1.2], 1e3 * np.array([[35, 20], [35, 20], [10, 30]]))
    found = quantities(Build(example.design.scheduled(schedule)))
    assert (found["proportional regulator"], found["pressure regulator"]) == ([1, 1], [1])
    assert found["relief valve"] == [1, 1, 1]
    assert "3/2-way valve" not in found


def test_parts_are_those_of_the_plumbing(operated: Build) -> None:
    """As many regulators, relief valves, valves, manifolds, tees, fittings as its structure has, and ranges for every set point."""
    plumbing, parts = plumbing_of(operated), parts_list(operated, None)
    count = {name: sum(part.quantity for part in parts if part.name == name) for name in {part.name for part in parts}}
    fixed = [one for one in plumbing.regulators if not one.proportional]
    assert count["pressure regulator"] == len(fixed)
    assert count.get("proportional regulator", 0) == len(plumbing.regulators) - len(fixed)
    assert count["relief valve"] == len(plumbing.regulators)
    assert count.get("3/2-way valve", 0) == len(plumbing.valves)
    outlets = [len(plumbing.regulators), *(len(one.branches) for one in plumbing.regulators)]
    assert count.get("manifold", 0) == sum(number > 1 for number in outlets)
    branches = [branch for one in plumbing.regulators for branch in one.branches]
    assert count.get("tee", 0) == sum(len(branch.lines) for branch in branches) - len(branches)
    assert count.get("barbed fitting", 0) == len(operated.actuators)
    assert (count["shut-off valve"], count["push-in fitting"]) == (2, 1)
    highest = np.max([row.pressures for row in set_points(operated)], axis=0, initial=0.0)
    for actuator, pressure in zip(operated.actuators, highest, strict=True):
        assert plumbing.feeding(actuator.name)[0].range >= 1.25 * pressure
