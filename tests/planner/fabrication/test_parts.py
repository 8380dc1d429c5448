"""The parts list: every quantity computed by hand."""

import csv
import io
from collections.abc import Callable

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.fabrication.build import Build
from planner.fabrication.parts import parts_table
from planner.fabrication.vessel import vessel_of
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
    assert found["soft tube"] == [pytest.approx(0.3 + 0.3 + 0.8 + 0.3)]
    assert (found["barbed fitting"], found["zip tie"]) == ([2], [4])
    assert found["pressure regulator"] == [1, 1]  # both actuators at 35 kPa, and the body
    assert (found["vessel"], found["clamp half"], found["bolt with nut and washers"]) == ([1], [2], [2])


def test_quantities_are_rounded_up(make_build: MakeBuild) -> None:
    """1.1204 m of body and 1.8 m of test strips are 2.93 m."""
    assert quantities(make_build(("none", 1.0004)))["tube of the body"] == [2.93]


def test_a_bare_tube_needs_no_actuator_parts(make_build: MakeBuild) -> None:
    """Only body, its regulator and the base are listed."""
    found = quantities(make_build(("none", 1.0)))
    assert found["pressure regulator"] == [1]
    assert (
        not {"tube of the actuators", "bracket", "double-sided tape", "soft tube", "barbed fitting", "zip tie"}
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
    assert "set to 10.3 kPa; range 0 to 15 kPa or more" in text
    assert "it is not printed" in text
