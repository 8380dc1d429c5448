"""The errors with which things are built: keys, presets, limits."""

import math
from dataclasses import fields
from typing import Any

import pytest

from environments.uncertainty import (
    DEFAULT,
    KEYS,
    PRESETS,
    WORKSHOP,
    ObstacleError,
    Uncertainty,
    uncertainty_of,
)
from environments.uncertainty_in_files import StatedUncertainty

IN_SI: dict[str, tuple[float, str, float]] = {
    "obstacle_position_mm": (7.3, "obstacle_position", 0.0073),
    "obstacle_rotation_deg": (2.0, "obstacle_rotation", 0.03490658503988659),
    "obstacle_size_mm": (0.7, "obstacle_size", 0.0007),
    "obstacle_percent": (12.0, "obstacle_share", 0.12),
    "start_position_mm": (4.1, "start_position", 0.0041),
    "start_heading_deg": (1.5, "start_heading", 0.026179938779914945),
    "pressure_kpa": (0.7, "pressure", 700.0),
    "pressure_percent": (3.0, "pressure_share", 0.03),
    "cell_mm": (1.1, "cell", 0.0011),
    "cell_common_mm": (0.3, "cell_common", 0.0003),
    "cell_percent": (2.0, "cell_share", 0.02),
    "section_position_mm": (3.3, "section_position", 0.0033),
    "section_length_mm": (2.2, "section_length", 0.0022),
    "section_turn_deg": (0.12, "section_turn", 0.0020943951023931952),
    "curvature_percent": (5.0, "curvature_share", 0.05),
    "preformed_position_mm": (3.1, "preformed_position", 0.0031),
    "preformed_turn_deg": (1.5, "preformed_turn", 0.026179938779914945),
    "growth_pressure_kpa": (0.4, "growth_pressure", 400.0),
    "moment_percent": (8.0, "moment_share", 0.08),
    "contact_percent": (20.0, "contact_share", 0.2),
}
"""Number in a file, field, and value in SI units."""


@pytest.mark.parametrize("name", IN_SI)
def test_every_key_is_converted_and_written_again(name: str) -> None:
    """The number of a file is that in SI units, and comes back as it was; nothing else changes."""
    number, field, value = IN_SI[name]
    made = uncertainty_of("none", {name: number})
    assert getattr(made, field) == pytest.approx(value, rel=1e-12)
    assert made == Uncertainty(**{field: getattr(made, field)})
    assert made.content() == {name: number}
    assert uncertainty_of("none", made.content()) == made
    assert StatedUncertainty.of({name: number}).content() == {name: number}


def test_the_keys_are_the_fields() -> None:
    """Every field but the two that are tables has a key, and the table above names them all; only friction is a range."""
    assert [*KEYS] == [field.name for field in fields(Uncertainty) if field.name not in ("learnt", "of_obstacles")]
    assert {key.name for key in KEYS.values()} == {*IN_SI, "friction"}
    made = uncertainty_of("none", {"friction": [0.1, 0.25]})
    assert made == Uncertainty(friction=(0.1, 0.25))
    assert made.content() == {"friction": [0.1, 0.25]}


def test_presets_are_those_that_are_documented() -> None:
    """The figures of each preset as numbers of a file; the default is a workshop."""
    workshop = {
        "obstacle_position_mm": 3.0,
        "obstacle_rotation_deg": 0.3,
        "obstacle_size_mm": 0.5,
        "start_position_mm": 4.0,
        "start_heading_deg": 1.5,
        "pressure_kpa": 0.7,
        "cell_mm": 1.0,
        "cell_common_mm": 0.3,
        "section_position_mm": 3.0,
        "section_length_mm": 2.0,
        "curvature_percent": 5.0,
        "preformed_position_mm": 3.0,
        "preformed_turn_deg": 2.0,
        "friction": [0.0, 0.1],
    }
    lasercut = {
        "obstacle_position_mm": 1.0,
        "obstacle_rotation_deg": 0.1,
        "obstacle_size_mm": 0.2,
        "start_position_mm": 1.0,
        "start_heading_deg": 0.5,
        "cell_mm": 0.3,
        "cell_common_mm": 0.1,
        "section_position_mm": 0.5,
        "section_length_mm": 0.5,
        "curvature_percent": 3.0,
        "preformed_position_mm": 0.5,
        "preformed_turn_deg": 0.7,
    }
    field = {
        "obstacle_position_mm": 20.0,
        "obstacle_rotation_deg": 3.0,
        "obstacle_size_mm": 5.0,
        "start_position_mm": 10.0,
        "start_heading_deg": 3.0,
        "friction": [0.0, 0.3],
    }
    assert DEFAULT == "workshop"
    assert {name: preset.content() for name, preset in PRESETS.items()} == {
        "workshop": workshop,
        "handmade": {
            "section_length_mm": 0.36,
            "section_turn_deg": 0.12,
            "preformed_position_mm": 0.36,
            "preformed_turn_deg": 0.12,
        },
        "lasercut": workshop | lasercut,
        "field": workshop | field,
        "paper": {"obstacle_percent": 10.0, "pressure_percent": 10.0, "cell_percent": 10.0},
        "none": {},
    }


def test_later_tables_take_precedence_and_friction_may_be_known() -> None:
    """Over the preset, key by key; the range of a preset gives way to a known coefficient, that of a table does not."""
    made = uncertainty_of("workshop", {"pressure_kpa": 1, "cell_mm": 0}, {"pressure_kpa": 2})
    assert (made.pressure, made.cell, made.start_position) == (2000.0, 0.0, 4e-3)
    assert made.friction == WORKSHOP.friction == (0.0, 0.1)
    assert uncertainty_of("workshop", friction_known=True).friction is None
    assert uncertainty_of("workshop", {"friction": [0, 0.2]}, friction_known=True).friction == (0.0, 0.2)


def test_scaled() -> None:
    """Every standard deviation is multiplied, those of single obstacles too; the range of friction stays."""
    single = ObstacleError(2, "obstacle_rotation", 0.1)
    made = Uncertainty(
        **{field: 0.02 for field in KEYS if field != "friction"}, friction=(0.1, 0.2), of_obstacles=(single,)
    )
    half = made.scaled(0.5)
    assert {getattr(half, field) for field in KEYS if field != "friction"} == {0.01}
    assert half.friction == (0.1, 0.2)
    assert half.of_obstacles == (ObstacleError(2, "obstacle_rotation", 0.05),)
    assert WORKSHOP.scaled(0.0) == Uncertainty(friction=(0.0, 0.1))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"pressure_kpa": -0.1}, "pressure_kpa = -0.1 must be from 0 to 1000"),
        ({"pressure_kpa": math.nan}, "pressure_kpa = nan must be from 0 to 1000"),
        ({"pressure_kpa": math.inf}, "pressure_kpa = inf must be from 0 to 1000"),
        ({"obstacle_rotation_deg": 46}, "obstacle_rotation_deg = 46 must be from 0 to 45"),
        ({"friction": [0.2, 0.1]}, "must have its smaller number first"),
        ({"friction": [0, 11]}, "friction = 11 must be from 0 to 10"),
        ({"friction": [-1, 1]}, "friction = -1 must be from 0 to 10"),
        ({"presure_kpa": 1}, "unknown key presure_kpa; allowed: obstacle_position_mm, "),
        ({"preset": "garage"}, "uncertainty 'garage' must be one of workshop, handmade, lasercut, field, paper, none"),
        ({"obstacle": {"1": {"position_mm": 1001}}}, "obstacle_position_mm = 1001 must be from 0 to 1000"),
        (
            {"obstacle": {"1": {"share": 1}}},
            "unknown key obstacle.1.share; allowed: position_mm, rotation_deg, size_mm, percent",
        ),
    ],
)
def test_bad_values_are_refused(content: dict[str, Any], words: str) -> None:
    """Names, and values with the range in the unit of files."""
    with pytest.raises(ValueError, match=words):
        StatedUncertainty.of(content)


def test_the_limits_themselves_are_allowed() -> None:
    """Also where the conversion to SI units rounds."""
    for key in KEYS.values():
        number = [0, key.most] if key.name == "friction" else key.most
        assert uncertainty_of("none", {key.name: number}).content() == {key.name: number}


def test_a_table_is_kept_as_it_was_given() -> None:
    """In any order, with single obstacles in the order of their numbers; an empty one is none."""
    content = {
        "obstacle": {"10": {"size_mm": 1}, "2": {"rotation_deg": 3, "position_mm": 2}},
        "cell_mm": 1,
        "preset": "field",
    }
    given = StatedUncertainty.of(content)
    assert given.content() == content
    assert given == StatedUncertainty.of(dict(reversed(content.items())))
    assert hash(given) == hash(StatedUncertainty.of(content))
    assert [one.obstacle for one in given.of_obstacles()] == [2, 2, 10]
    assert dict(given.of_obstacles()[i][1:] for i in range(2)) == {
        "obstacle_position": 2e-3,
        "obstacle_rotation": pytest.approx(math.radians(3)),
    }
    assert given
    assert not StatedUncertainty.of({})
    assert not StatedUncertainty.of(None)
    assert StatedUncertainty.of({}).lines() == []
