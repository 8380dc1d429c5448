"""Recorded growths of real vines, grown again."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynamics.geometric.propagator import Geometric
from dynamics.impulse.propagator import Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.recording import InvalidRecording, Recording, write_recording
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines
from environments import Environment
from planner.design.tube_figures import TubeFigures
from studies.validation.recordings import deploy, read_recordings, recorded_lengths, start_pose
from studies.validation.recordings_report import CHANGES, mean_of, report
from studies.validation.variants import TELLING, make_variants

MakeEnvironment = Callable[..., Environment]
RADIUS = 0.0323
START = np.array([0.01, -0.02, 0.1])
FOLDER = "VINEWRIGHT_RECORDINGS"
"""Environment variable with the folder of recordings of real vines."""


def recording(
    lines: list[np.ndarray], walls: np.ndarray, base: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Recording:
    return Recording("made", RADIUS, None, np.array(base), np.arange(float(len(lines))), tuple(lines), walls, ())


def ray(length: float, start: np.ndarray = START, hidden: float = 0.03, aside: float = 0.0) -> np.ndarray:
    """A straight centreline, a point a centimetre, first seen a little outside the base, and moved aside."""
    heading = np.array([np.cos(start[2]), np.sin(start[2])])
    along = np.linspace(hidden, length, max(int(length / 0.01), 2))
    return start[:2] + along[:, None] * heading + aside * np.array([-heading[1], heading[0]])


def test_start_pose_is_where_early_frames_point_back_to() -> None:
    """A line through all early frames finds start and heading through the noise of tracking; later frames do not count."""
    rng, wall = np.random.default_rng(0), np.array([[0.8, -1.0, 0.8, 1.0]])
    lines = [ray(length) + rng.normal(0, 2e-3, ray(length).shape) for length in np.linspace(0.05, 0.7, 60)]
    bent = [ray(0.75) + np.column_stack([np.zeros(75), np.linspace(0, 0.2, 75)]) for _ in range(60)]
    found = start_pose(recording([*lines, *bent], wall))
    heading = np.array([np.cos(START[2]), np.sin(START[2])])
    foot = START[:2] + heading * (-START[:2] @ heading)
    np.testing.assert_allclose(found[:2], foot, atol=1e-3)
    assert found[2] == pytest.approx(START[2], abs=2e-3)


def test_without_early_frames_the_base_is_as_marked() -> None:
    """A tube that is near a wall from the first frame on gives nothing; there is only the mark."""
    marked = (0.0, 0.1, 0.3)
    found = start_pose(recording([ray(0.3)] * 3, np.array([[0.3, -0.5, 0.3, 0.5]]), marked))
    np.testing.assert_array_equal(found, marked)


def test_error_of_a_shifted_frame_is_its_shift() -> None:
    """Straight frames lie on the simulated tube; what is moved aside by a centimetre is off by that."""
    # The wall is passed, not touched: it ends the early frames.
    side = ray(2.0, hidden=0.5, aside=1.5 * RADIUS)[[0, -1]].ravel()[None]
    lengths = np.linspace(0.2, 0.48, 30)
    lines = [ray(length) for length in lengths] + [ray(length, aside=-0.01) for length in (0.6, 0.7)]
    made = recording(lines, side)
    found = deploy(made, "quasistatic", QuasiStatic)
    assert found.status == Status.GROWN
    np.testing.assert_allclose(found.errors[:-2], 0.0, atol=1e-6)
    np.testing.assert_allclose(found.errors[-2:], 0.01, atol=1e-6)
    np.testing.assert_allclose(
        recorded_lengths(made, found.start)[:-2] - lengths, np.hypot(*found.start[:2] - START[:2]), atol=1e-4
    )


def test_a_growth_recorded_from_another_propagator_is_met(environment: MakeEnvironment) -> None:
    """A recording that impulse grows along a wall is met by quasistatic within 2 mm a frame."""
    params = VineParams(radius=RADIUS)
    wall = [0.45, -0.35, 0.75, 0.35]
    workspace = environment(start=START, walls=[[*wall, 0.0]])
    propagator = Impulse(workspace, params)
    rollout = propagator.grow(propagator.start(1, 34), Actuation(np.zeros((1, 34)), np.full((1, 34), 0.04)), 0.8, 0.02)
    records = np.arange(rollout.records[0])
    lines = centerlines(rollout.state(np.zeros_like(records), records), workspace.start, params)
    made = recording([line[~np.isnan(line[:, 0])] for line in lines[2:]], np.array([wall]))
    found = deploy(made, "quasistatic", QuasiStatic)
    assert rollout.contact_force.any()
    assert found.errors.max() < 2e-3
    straight = deploy(recording(list(made.centerlines), np.array([[0.9, 3.0, 1.0, 3.0]])), "quasistatic", QuasiStatic)
    assert straight.errors.max() > 5e-3


def test_a_vine_that_ends_early_is_compared_as_it_ended() -> None:
    """Geometric sticks at a wall it meets head-on; frames beyond that are held against its last shape."""
    lines = [ray(length, np.zeros(3)) for length in (0.2, 0.3, 0.5)]
    found = deploy(recording(lines, np.array([[0.4, -1.0, 0.4, 1.0]])), "geometric", Geometric)
    assert found.status == Status.STALLED
    assert found.grown == pytest.approx(0.4 - RADIUS, abs=1e-3)
    expected = np.clip(np.linspace(0.03, 0.5, 50) - found.grown, 0, None)
    assert found.errors[2] == pytest.approx(np.sqrt(np.mean(expected**2)), rel=0.01)
    assert "stalled at 36" in "\n".join(report([found], ["geometric"], ["euler-lagrange"]))


def test_recordings_are_read_by_name_from_a_folder(tmp_path: Path) -> None:
    """Every JSON file of the folder is one; a folder without says what to give."""
    for name in ("b", "a"):
        made = recording([ray(length) for length in (0.1, 0.2, 0.3)], np.zeros((0, 4)))
        write_recording(
            Recording(name, *[getattr(made, key) for key in Recording.__slots__[1:]]), tmp_path / f"{name}.json"
        )
    assert [one.name for one in read_recordings(tmp_path)] == ["a", "b"]
    with pytest.raises(InvalidRecording, match="contains no recordings"):
        read_recordings(tmp_path / "none")


@pytest.mark.skipif(
    FOLDER not in os.environ, reason=f"recordings of real vines are not shipped: give their folder in {FOLDER}"
)
def test_real_vines_are_met_within_half_a_radius() -> None:
    """The default propagator comes as near to real tubes as published models do to theirs, and nearer: half a radius."""
    found = [deploy(one, "quasistatic", QuasiStatic) for one in read_recordings(Path(os.environ[FOLDER]))]
    assert mean_of(found, "quasistatic") < 0.5 * RADIUS


def test_drawn_changes_are_among_those_tried() -> None:
    """The legend of the picture has the names of the table."""
    assert set(TELLING) <= set(make_variants())


def test_stiffness_of_the_report_is_that_of_the_tube(params: VineParams) -> None:
    """EI of the default tube in the report is what `tube show` prints, which is the slope of the kernels' moment."""
    assert f"is the default, has {TubeFigures.of(params).bending_stiffness:.2f}. " in " ".join(CHANGES)
