"""Texts that several commands share."""

import pytest

from planner.console.terminal import rejections


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
    assert rejections(rejected, ambiguous) == expected
