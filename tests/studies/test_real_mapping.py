"""The study of real environments mapped from recordings: its measures on known cases, and the recordings where they are given."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from dynamics.geometric.deployment import Launch
from dynamics.geometric.kinematics import Behaviour
from dynamics.recording import Recording
from planner.mapping.sensing.found import FoundCorner, FoundWall, Noise, SensedSurroundings
from planner.mapping.sensing.tracked import Track
from planner.mapping.session import MappingSession
from studies.real_mapping.hinges import find_turns
from studies.real_mapping.measures import compare_walls, measure_corner_errors, measure_wall_errors
from studies.real_mapping.report import report
from studies.real_mapping.study import RecordingCase, bends_of, cases, run_cases
from studies.validation.recordings import read_recordings
from tests.dynamics.grown import grown

RADIUS = 0.03
WALLS = np.array([[0.5, -0.5, 0.5, 0.5], [0.0, 2.0, 1.0, 2.0]])
"""Two walls of 1 m; the second is far away."""


def found(off: float = 0.01, slope: float = 0.0) -> SensedSurroundings:
    """A wall of 0.2 m found near the first one, from (0.5 + off, 0) upwards, and a corner at its upper end."""
    ends = np.array([[0.5 + off, 0.0], [0.5 + off + 0.2 * slope, 0.2]])
    wall = FoundWall(0, 9, ends, -1, np.full(2, 0.02), 0.1)
    corner = FoundCorner(0, 9, np.array([0.45, 0.5]), 0.4, 1, np.array([0.49, 0.5]), 0.02)
    shape = np.array([[0.0, 0.0], [0.46, 0.0], [0.46, 0.2]])
    free = shapely.box(0, -0.03, 0.6, 0.03)
    return SensedSurroundings(np.zeros(3), 0.66, Noise(0.003, 0.005, 0.05), (wall,), (corner,), free, (shape,))


def test_precision_and_recall_are_shares_of_lengths() -> None:
    """By hand: the found wall is near a true one; 0.2 m, one radius to either side, and the corner's part, of 2 m are found."""
    session = MappingSession.begin(RADIUS, 1.0, np.zeros((1, 3)), np.array([-0.2, -0.6, 1.2, 2.2]))
    seen = compare_walls(found(), WALLS, RADIUS, session)
    reach = np.sqrt(RADIUS**2 - 0.01**2)
    assert seen.precision == 1.0
    assert seen.recall == pytest.approx((0.2 + 3 * reach) / 2, abs=3e-3)
    reached = 0.2 + 2 * np.sqrt(4 * RADIUS**2 - 0.04**2)
    assert seen.touchable == pytest.approx((0.2 + 2 * reach) / reached, abs=0.01)
    assert seen.corner_precision == 1.0
    assert seen.corners_held == 1
    assert seen.free_wrong == pytest.approx(0.06)
    assert compare_walls(found(0.04), WALLS, RADIUS, session).precision == 0.0
    half = compare_walls(found(0.0, 2 * RADIUS / 0.2), WALLS, RADIUS, session).precision
    assert half == pytest.approx(0.5, abs=0.02)


def test_errors_of_a_wall_have_signs() -> None:
    """A wall found 10 mm too far from the tube, and turned by 2 degrees."""
    (one,) = measure_wall_errors("made", found(0.01, np.tan(np.radians(2))), WALLS)
    assert one.wall == 0
    assert one.off == pytest.approx(0.01 + 0.1 * np.tan(np.radians(2)))
    assert np.degrees(one.turned) == pytest.approx(-2)
    assert measure_wall_errors("made", found(-0.02), WALLS)[0].off == pytest.approx(-0.02)


def test_errors_of_a_corner_are_distances() -> None:
    """By hand: a pivot 50 mm beside the upper end of a wall, its touched point 10 mm; no wall within 9 mm, one within 11 mm."""
    (one,) = measure_corner_errors("made", found(), WALLS)
    assert (one.pivot, one.touch, one.off, one.within) == pytest.approx((0.05, 0.01, 0.01, 0.02))
    assert one.held
    below = replace(found().corners[0], touch=np.array([0.49, 0.4]), within=0.009)
    (other,) = measure_corner_errors("made", replace(found(), corners=(below,)), WALLS)
    assert (other.touch, other.off) == pytest.approx((np.hypot(0.01, 0.1), 0.01))
    assert not other.held
    assert replace(other, within=0.011).held


def test_bends_are_where_straight_pieces_meet() -> None:
    """A line with two bends: both, within 1 mm, with 1 mm of noise."""
    corners = np.array([[0, 0], [0.4, 0], [0.7, 0.3], [1.0, 0.2]])
    axis = shapely.LineString(corners)
    line = shapely.get_coordinates(axis.interpolate(np.arange(0, axis.length, 0.01)))
    found = bends_of(line + np.random.default_rng(0).normal(0, 1e-3, line.shape), 1e-3)
    assert len(found) == 2
    assert np.hypot(*(found - corners[1:-1]).T).max() < 3e-3


def test_body_that_turns_about_a_corner_is_seen() -> None:
    """A tube slides on a wall and hangs on the corner of a block: it bends further there, as limit analysis with the corner says."""
    ahead = shapely.Polygon([(0.5, -0.2), (0.9, 0.6), (1.2, 0.6), (1.2, -0.2)])
    made = grown([ahead, shapely.box(0.1, 0.045, 0.3, 0.3)], Launch(0, 0, 0, 0.95), 0.02, 250)
    track = Track.of(made.recording.centerlines, 0.02, made.recording.base)
    (one,) = find_turns("made", track, np.array([[0.3, 0.3, 0.3, 0.045]]))
    assert one.seen == Behaviour.PIVOT_AT_TURN
    assert one.predicted["limit analysis with the corner"] == Behaviour.PIVOT_AT_TURN
    assert one.further > 5 * abs(one.base)
    assert one.bend > 0


def test_report_of_a_made_recording() -> None:
    """Centrelines, and length and angle: all sections; the tube and its simulation agree, because both are the same propagator."""
    wall = np.array([[0.4, -0.2, 0.9, 0.3]])
    made = grown([shapely.LineString(wall.reshape(2, 2)).buffer(1e-4)], Launch(0, 0, 0, 0.85), RADIUS, 60)
    lines, times = made.recording.centerlines, made.recording.times
    recording = Recording("made", RADIUS, None, np.zeros(3), times, lines, wall, ())
    several = list(run_cases([RecordingCase(recording), RecordingCase(recording, 0)]))
    assert several[0].stages[-1].precision > 0.95
    assert several[0].vertices.max() < RADIUS
    text = report(several).text
    for part in (
        "after each stage",
        "intervals",
        "Corners and vertices",
        "length and contact angle",
        "Which hinge turned",
    ):
        assert part in text
    assert "| made | 100% | 1 |" in text
    assert len(cases([recording])) == 6


def test_report_has_the_corners() -> None:
    """A body that hangs on the corner of a block, which is a measured wall: one row, and one corner held of one."""
    ahead = shapely.Polygon([(0.5, -0.2), (0.9, 0.6), (1.2, 0.6), (1.2, -0.2)])
    made = grown([ahead, shapely.box(0.1, 0.045, 0.3, 0.3)], Launch(0, 0, 0, 0.95), 0.02, 250)
    times, lines, wall = made.recording.times, made.recording.centerlines, np.array([[0.3, 0.3, 0.3, 0.045]])
    (one,) = run_cases([RecordingCase(Recording("made", 0.02, None, np.zeros(3), times, lines, wall, ()))])
    (corner,) = one.corners
    text = report([one]).text
    assert f"| made | {1e3 * corner.pivot:.0f} | {1e3 * corner.touch:.0f} | {1e3 * corner.off:.0f} |" in text
    assert "holds 1 of 1 corners" in text
    assert [part["within_mm"] for part in one.content()["corners"]] == [round(1e3 * corner.within, 1)]


@pytest.mark.slow
def test_corners_of_real_tubes_are_at_walls() -> None:
    """From centrelines: a wall is in the stated interval of each corner after each stage, and within one tube radius at the end."""
    if "VINEWRIGHT_RECORDINGS" not in os.environ:
        pytest.skip("VINEWRIGHT_RECORDINGS names no folder with real-deployments/")
    recordings = read_recordings(Path(os.environ["VINEWRIGHT_RECORDINGS"]) / "real-deployments")
    done = list(run_cases([RecordingCase(one) for one in recordings]))
    stages = [stage for one in done for stage in one.stages]
    assert sum(stage.corners for stage in stages) >= 8
    assert all(stage.corners_held == stage.corners for stage in stages)
    assert all(one.off <= recordings[0].tube_radius for mapped in done for one in mapped.corners)


@pytest.mark.slow
def test_walls_of_real_tubes_are_found() -> None:
    """From centrelines: of what is found, at least nine tenths are at walls; of the walls reached, at least two thirds are found."""
    if "VINEWRIGHT_RECORDINGS" not in os.environ:
        pytest.skip("VINEWRIGHT_RECORDINGS names no folder with real-deployments/")
    recordings = read_recordings(Path(os.environ["VINEWRIGHT_RECORDINGS"]) / "real-deployments")
    last = [one.stages[-1] for one in run_cases([RecordingCase(one) for one in recordings])]
    assert min(one.precision for one in last) >= 0.9
    assert np.mean([one.touchable for one in last]) >= 2 / 3
