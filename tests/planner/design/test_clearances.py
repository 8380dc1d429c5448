"""Room in passages, against widths that can be read off."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from environments import Environment
from environments.passages import narrowest_passages
from planner.design.clearances import clearances
from planner.design.design import Design, Section
from vinewright.console.terminal import THIN, thickness_notes

SECTIONS = (
    Section(0.0, 0.3, "none", 0.0, 0.0, 0.0),
    Section(0.3, 0.6, "left", 2.0, 0.04, 25e3),
    Section(0.6, 0.9, "right", 2.0, 0.04, 25e3, on=False),
)
WIDTH = 0.09


@pytest.fixture
def doors(environment: Callable[..., Environment]) -> Environment:
    """Three doors of 90 mm across a straight tube of 0.9 m, one in each section."""
    boxes = [[x, y, x + 0.02, y + 1] for x in (0.1, 0.4, 0.8) for y in (WIDTH / 2, -WIDTH / 2 - 1)]
    return environment(boxes=boxes, bounds=(-0.5, -0.5, 1.5, 0.5))


def straight(params: VineParams) -> Design:
    """A design whose tube is straight, as in a corridor."""
    joints = np.stack([np.linspace(0, 0.9, 37), np.zeros(37)], axis=1)
    return Design("doors", "0" * 64, params, SECTIONS, np.array([0.9, 0, 0]), joints)


def test_an_inflated_section_needs_its_thickness_more(doors: Environment, params: VineParams) -> None:
    """In doors of 90 mm a bare tube of 67 mm and a vented section have 23 mm to spare; an inflated section lacks the rest."""
    wide, found = 2 * params.radius, clearances(straight(params), doors)
    found = [one for one in found if one.passage.width < WIDTH + 1e-6]
    thickness = float(signed_thickness(params, 25e3, 0.04))
    assert thickness > 0.03
    assert [one.section for one in found] == [0, 1, 2]
    assert [one.spare for one in found] == pytest.approx([WIDTH - wide, WIDTH - wide - thickness, WIDTH - wide])


def test_passages_elsewhere_are_left_out(environment: Callable[..., Environment], params: VineParams) -> None:
    """A gap of 90 mm beside a tube whose last section is inflated is not one that it lies in."""
    beside = environment(boxes=[[0.4, 0.2, 0.5, 0.3], [0.4, 0.39, 0.5, 0.45]], bounds=(-0.5, -0.5, 1.5, 0.5))
    design = replace(straight(params), sections=SECTIONS[:2])
    assert len(narrowest_passages(beside)) == 1
    assert clearances(design, beside) == []


def test_notes_name_the_section_and_the_model_without_thickness(doors: Environment, params: VineParams) -> None:
    """A model with thickness says only which passage is too narrow. Others, tubes without and the published physics have none."""
    flat, design = straight(replace(params, thickness_share=0.0)), straight(params)
    assert thickness_notes(flat, doors, "quasistatic") == [THIN, *thickness_notes(design, doors, "quasistatic")]
    (tight,) = thickness_notes(design, doors, "quasistatic")
    assert "section 1 needs 101 mm" in tight
    assert "(410, 0) mm is 90 mm wide" in tight
    assert thickness_notes(design, doors, "impulse") == [THIN, tight]
    published = replace(design, params=VineParams(physics="published"))
    assert thickness_notes(published, doors, "quasistatic") == [THIN]
    bare = replace(design, sections=(Section(0.0, 0.9, "none", 0.0, 0.0, 0.0),))
    assert thickness_notes(bare, doors, "impulse") == []
