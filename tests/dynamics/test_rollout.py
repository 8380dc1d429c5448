"""Properties of a rollout."""

import numpy as np
import pytest

from dynamics.vine import Rollout


def rollout_of(tips: list[list[tuple[float, float]]]) -> Rollout:
    """A rollout with the given tips and nothing else; shorter ones are filled up with zeros, as kernels leave them."""
    most = max(map(len, tips))
    recorded = np.zeros((len(tips), most, 3))
    for row, line in zip(recorded, tips, strict=True):
        row[: len(line), :2] = line if line else np.zeros((0, 2))
    empty, counts = np.zeros((len(tips), most, 1)), np.array([len(line) for line in tips])
    return Rollout(
        empty, np.ones((len(tips), most), int), empty[..., 0], recorded, empty,
        counts, 0 * counts, 0 * counts, 0 * counts - 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tips", "enters"),
    [
        ([(0, 0), (1, 0)], False),  # ends 0.2 before the disc
        ([(0, 0), (1.3, 0)], True),  # ends in it
        ([(0, 0), (4, 0)], True),  # through it between two records
        ([(0, 0.5), (4, 0.5)], True),
        ([(0, 0.9), (4, 0.9)], False),  # past it
        ([(1.5, 0.1)], True),  # one record, in it
        ([(3, 0), (4, 0)], False),  # on the line through it, but beyond
        ([], False),
    ],
)
def test_a_tip_enters_a_disc_between_records_too(tips: list[tuple[float, float]], enters: bool) -> None:
    """The way between two records counts, what lies beyond a vine's records does not."""
    disc = np.array([2.0, 0.0, 0.8])
    assert rollout_of([tips]).enters(disc).tolist() == [enters]
    # Beside a longer vine, whose records the shorter one does not have; the disc lies where unwritten records are.
    both = rollout_of([tips, [(9, 9)] * 5])
    assert both.enters(disc).tolist() == [enters, False]


def test_records_that_were_never_written_are_not_in_the_goal() -> None:
    """A disc around the origin is not entered by the zeros that follow a vine's last record."""
    assert rollout_of([[(5, 5)], [(9, 9)] * 4]).enters(np.array([0.0, 0.0, 1.0])).tolist() == [False, False]
