"""Texts that several commands share."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design, Section
from surrogate.cpam import Cpam
from surrogate.pouch import PouchMotor
from vinewright.console.terminal import rejection_text, section_table


@pytest.mark.parametrize(
    ("rejected", "ambiguous", "expected"),
    [
        (3, 0, "3 missed the goal"),
        (3, 1, "2 missed the goal and 1 needs an ambiguous snap"),
        (5, 5, "0 missed the goal and 5 need an ambiguous snap"),
    ],
)
def test_rejected_candidates_missed_the_goal_or_are_ambiguous(rejected: int, ambiguous: int, expected: str) -> None:
    """The two reasons add up to all that were rejected."""
    assert rejection_text(rejected, ambiguous) == expected


def test_sections_of_several_types_are_told_apart() -> None:
    """A column names the type of each; cells are called by the word that all types have for them, or else cells."""
    sections = (
        Section(0.0, 0.2, "left", 2.0, 0.04, 20e3, kind=1),
        Section(0.2, 0.4, "none", 0.0, 0.0, 0.0),
        Section(0.4, 0.6, "right", 2.0, 0.04, 20e3, kind=2),
    )
    params = VineParams(others=(PouchMotor(), Cpam()))
    design = Design("room", "0" * 64, params, sections, np.zeros(3), np.zeros((1, 2)))
    table = section_table(design)
    columns = {str(column.header): [*column.cells] for column in table.columns}
    assert columns["type"] == ["pouch", "-", "cpam"]
    assert columns["pouch mm"] == ["40", "-", "40"]
    spam = section_table(replace(design, sections=(replace(sections[0], kind=0), *sections[1:])))
    assert [column.header for column in spam.columns][3:5] == ["type", "cell mm"]
    alone = section_table(replace(design, sections=(*sections[:2], replace(sections[2], kind=1))))
    assert [column.header for column in alone.columns][3] == "pouch mm"
