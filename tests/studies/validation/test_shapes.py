"""Folds, first contacts and tips of recorded and simulated shapes, and numbers chosen on other recordings."""

import numpy as np
import pytest

from dynamics.recording import Recording
from dynamics.vine import Status
from studies.validation.left_out import TubeError, choose_without, list_combinations, report
from studies.validation.recordings import SimulatedRecording
from studies.validation.shapes import compare_shapes, contact_order, find_fold

RADIUS = 0.03


def bent(angle: float, before: float = 0.4, after: float = 0.3, turned: float = 0.0) -> np.ndarray:
    """Two straight pieces that meet at an angle, a point each 7 mm, turned as a whole about the base."""
    along, on = np.arange(0.0, before, 7e-3), np.arange(0.0, after, 7e-3)
    first = np.column_stack([along, 0 * along])
    second = [before, 0.0] + on[:, None] * [np.cos(angle), np.sin(angle)]
    cosine, sine = np.cos(turned), np.sin(turned)
    return np.asarray(np.concatenate([first, second]) @ [[cosine, sine], [-sine, cosine]])


def recording(lines: list[np.ndarray], walls: list[list[float]]) -> Recording:
    return Recording("made", RADIUS, None, np.zeros(3), np.arange(float(len(lines))), tuple(lines), np.array(walls), ())


def grown(recorded: Recording, shapes: list[np.ndarray]) -> SimulatedRecording:
    """A simulated growth with these shapes."""
    blank = np.zeros(len(shapes))
    return SimulatedRecording(recorded, "made", np.zeros(3), blank, blank, tuple(shapes), 1.0, Status.GROWN)


@pytest.mark.parametrize("angle", [0.6, -0.6, 2.0, -2.0])
@pytest.mark.parametrize("turned", [0.0, 1.0, 2.5, -3.0])
def test_fold_of_two_straight_pieces_is_their_angle(angle: float, turned: float) -> None:
    """Within the spacing of the points, to the left and to the right, whatever the direction of the tube."""
    found, place = find_fold(bent(angle, turned=turned), RADIUS)
    assert found == pytest.approx(angle, rel=0.03)
    np.testing.assert_allclose(place, [0.4 * np.cos(turned), 0.4 * np.sin(turned)], atol=0.015)


def test_an_arc_folds_less_than_a_corner() -> None:
    """Straight lines fitted to two arcs of 2 radii that touch differ by their length times the curvature: by 2 R k."""
    angles = np.linspace(0.0, 1.0, 200)
    arc = np.column_stack([np.sin(angles), 1 - np.cos(angles)]) * 0.5
    assert find_fold(arc, RADIUS)[0] == pytest.approx(2 * RADIUS * 2.0, rel=0.05)
    assert find_fold(arc[:20], RADIUS)[0] == 0.0, "too short for two pieces"


def test_walls_count_in_the_order_of_their_first_contact() -> None:
    """By frame, not by number; a wall that is never near does not count."""
    walls = [[0.68, -1.0, 0.68, 1.0], [0.1, RADIUS, 0.2, RADIUS], [0.0, 1.0, 1.0, 1.0]]
    lines = [bent(0.0, length, 0.05) for length in (0.02, 0.2, 0.6)]
    assert contact_order(recording(lines, walls), lines) == (1, 0)


def test_agreement_counts_what_differs() -> None:
    """A fold of 0.8 for one of 0.5 is 0.3 too much, on either side; one of 0.2 is too little; its tips are apart by hand."""
    for side in (1.0, -1.0):
        made = recording([bent(0.01 * side), bent(0.5 * side), bent(0.5 * side)], [[5.0, 5.0, 6.0, 6.0]])
        found = compare_shapes(grown(made, [bent(0.01 * side), bent(0.8 * side), bent(0.2 * side)]))
        assert found.folds == 2
        assert found.fold_angle == pytest.approx(0.3, abs=0.02)
        assert found.fold_excess == pytest.approx(0.0, abs=0.02)
        assert found.fold_place < 0.015
        reach = np.hypot(*(bent(0.0)[-1] - [0.4, 0.0]))
        assert found.tip == pytest.approx(2 / 3 * 2 * reach * np.sin(0.15), rel=1e-3)
        assert found.same_contacts
    less = compare_shapes(grown(made, [bent(0.0)] * 3))
    assert less.fold_excess == pytest.approx(-0.5, abs=0.03)
    assert less.fold_angle == pytest.approx(0.5, abs=0.03)


def test_numbers_are_chosen_without_the_recording_that_judges_them() -> None:
    """The one of three tubes that is best on b and c judges a, even if it is the worst there."""
    usual, *_ = list_combinations()
    one, two = list_combinations()[1:3]
    errors = {
        "a": {usual: 10e-3, one: 30e-3, two: 1e-3},
        "b": {usual: 10e-3, one: 2e-3, two: 11e-3},
        "c": {usual: 10e-3, one: 2e-3, two: 12e-3},
    }
    far = dict.fromkeys(list_combinations(), 50e-3)
    trials = [TubeError(name, numbers, error) for name in errors for numbers, error in (far | errors[name]).items()]
    assert choose_without(trials, "a") == one
    assert choose_without(trials, "b") == two
    text = "\n".join(report(trials))
    assert "30.0 | 10.0 | 1.0 |" in text
    assert "nearer in 0 of 3 recordings" in text
