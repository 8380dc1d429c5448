"""Errors as one vector: their sizes are those that are stated, however they are divided."""

from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import FIELD, Uncertainty
from planner.design.design import Design
from planner.uncertainty.causes import COMMON, REPEATED, combine, list_causes, to_errors
from planner.uncertainty.deviations import OF_SECTIONS, world_deviations


def test_errors_have_the_deviations_that_are_stated(design: Design, room: Environment) -> None:
    """Over 4000 tubes, for the environment, for friction, and for sections whose bends have a part in common."""
    uncertainty = replace(FIELD, growth_pressure=500.0, moment_share=0.05, contact_share=0.1, section_turn=0.02)
    causes = list_causes(design, room, uncertainty)
    normal = np.random.default_rng(0).standard_normal((4000, len(causes)))
    world, sections = to_errors(causes, normal, design, room)
    for field, scale in world_deviations(room, design.params, uncertainty).items():
        assert getattr(world, field).std(axis=0) == pytest.approx(scale, rel=0.06), field
    assert (world.friction.min(), world.friction.max()) == pytest.approx((0.0, 0.3), abs=1e-3)
    assert world.friction.std() == pytest.approx(0.3 / np.sqrt(12), rel=0.05)
    for field, name in OF_SECTIONS.items():
        expected = getattr(uncertainty, name)
        if field == "place":  # sections are shifted by the lengths that are added before them
            expected = np.hypot(expected, uncertainty.section_length * np.sqrt(np.arange(design.actuators)))
        assert getattr(sections, field).std(axis=0) == pytest.approx(expected, rel=0.06), field
    bends = sections.curvature
    assert np.corrcoef(bends.T)[0, 1] == pytest.approx(COMMON, abs=0.05)


def test_what_is_exact_is_no_cause(design: Design, room: Environment) -> None:
    """Errors without a deviation are not listed, and each cause changes its own field alone."""
    (heading,) = list_causes(design, room, Uncertainty(start_heading=0.1))
    assert (heading.name, heading.unit) == ("base: heading", "deg")
    assert heading.shown(heading.deviation) == pytest.approx(np.degrees(0.1))
    world, sections = to_errors([heading], np.array([[2.0]]), design, room)
    assert world.start.tolist() == [[0.0, 0.0, 0.2]]
    assert not sections.curvature.any()
    assert np.isnan(world.friction).all()


def test_growths_of_one_tube_differ_by_a_part_of_some_errors(design: Design, room: Environment) -> None:
    """Each growth has the deviation that is stated; growths of one tube share all of an error that was made once."""
    causes = list_causes(design, room, Uncertainty(start_heading=0.1, section_position=3e-3))
    rng = np.random.default_rng(1)
    lasting, passing = rng.standard_normal((2, 4000, len(causes)))
    found = combine(causes, lasting, passing)
    assert found.std(axis=0) == pytest.approx(1.0, abs=0.05)
    shares = {cause.name: np.corrcoef(found[:, k], passing[:, k])[0, 1] for k, cause in enumerate(causes)}
    assert shares.pop("base: heading") == pytest.approx(REPEATED, abs=0.05)
    assert np.abs(list(shares.values())).max() < 0.05
