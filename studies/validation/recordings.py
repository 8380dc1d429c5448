"""Recorded growths of real vines, simulated with the propagators: the distance between the shapes at equal length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.ops import substring

from dynamics.propagator import PropagatorFactory
from dynamics.recording import InvalidRecording, Recording, load_recording
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines, grown_length
from environments import Environment, Obstacles
from surrogate.kernels.compiled import Floats

CLEAR = 2.0
"""Distance between tip and walls up to which frames are used for the start pose [tube radii]."""
LEAST_LENGTH = 4.0
"""Minimum visible length of the tube in frames used for the start pose [tube radii]."""
RECORD = 5e-3
"""Spacing of the lengths at which a simulated vine is recorded [m]."""
ROOM = 0.5
"""Margin of an environment's bounds around the recorded points [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedRecording:
    """A recorded growth and its simulation, with `frames` frames each."""

    recording: Recording
    model: str
    """Name of the propagator, or of the variant of the default."""
    start: Floats
    """Start pose x [m], y [m], heading [rad], shape (3,)."""
    lengths: Floats
    """Length of the tube in each frame, from the start pose [m], shape (frames,)."""
    errors: Floats
    """Root mean square distance between the recorded and the simulated centreline in each frame [m], shape (frames,)."""
    shapes: tuple[Floats, ...]
    """Simulated joints in each frame [m], shape (joints, 2)."""
    grown: float
    """Length to which the simulated vine grew [m]."""
    status: Status

    @property
    def mean(self) -> float:
        """Mean of the errors over the frames [m]."""
        return float(self.errors.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of the errors over the frames [m]."""
        return float(self.errors.std())

    def content(self) -> dict[str, Any]:
        """Content for a JSON file, without the shapes."""
        return {
            "recording": self.recording.name,
            "model": self.model,
            "start": [round(float(part), 5) for part in self.start],
            "mean_mm": round(1e3 * self.mean, 2),
            "std_mm": round(1e3 * self.deviation, 2),
            "mean_radii": round(self.mean / self.recording.tube_radius, 3),
            "grown_m": round(self.grown, 3),
            "status": self.status.name.lower(),
            "lengths_m": np.round(self.lengths, 4).tolist(),
            "errors_mm": np.round(1e3 * self.errors, 2).tolist(),
        }


def read_recordings(folder: Path) -> list[Recording]:
    """Return the recordings in a folder (its JSON files), sorted by file name.

    Raises:
        InvalidRecording: There is no recording, or one of them cannot be read.
    """
    try:
        paths = sorted(folder.glob("*.json"))
    except OSError as error:
        raise InvalidRecording(f"{folder} cannot be read: {error.strerror}") from None
    if not paths:
        raise InvalidRecording(
            f"{folder} contains no recordings (*.json), or is not a folder; their format is described in dynamics/recording.py"
        )
    # Shapes are compared at equal length, so any frame rate will do.
    return [load_recording(path, frames_per_second=1.0) for path in paths]


def start_pose(recording: Recording) -> Floats:
    """Start pose of the tube, because the marked base is inaccurate by a few degrees and millimetres.

    A line is fitted by total least squares to all points of the frames in which the tube is at least `LEAST_LENGTH` radii long and
    its tip has not yet come within `CLEAR` radii of a wall. The start is the projection of the marked base onto this line. Without
    such frames, it is the marked base.
    """
    walls = shapely.multilinestrings(recording.walls.reshape(-1, 2, 2))
    early: list[Floats] = []
    for line in recording.centerlines:
        if shapely.distance(shapely.Point(line[-1]), walls) < CLEAR * recording.tube_radius:
            break
        if shapely.length(shapely.LineString(line)) >= LEAST_LENGTH * recording.tube_radius:
            early.append(line)
    if not early:
        return recording.base
    points = np.concatenate(early)
    middle = points.mean(axis=0)
    along = np.linalg.svd(points - middle, full_matrices=False)[2][0]
    along *= np.sign(along @ (early[-1][-1] - early[-1][0]))
    foot = middle + along * ((recording.base[:2] - middle) @ along)
    return np.array([*foot, np.arctan2(along[1], along[0])])


def make_environment(recording: Recording, start: Floats) -> Environment:
    """Make the walls of a recording as an environment; its goal is at the last recorded tip."""
    seen = np.concatenate([*recording.centerlines, recording.walls.reshape(-1, 2), start[None, :2]])
    bounds = np.concatenate([seen.min(axis=0) - ROOM, seen.max(axis=0) + ROOM])
    walls = np.column_stack([recording.walls, np.zeros(len(recording.walls))])
    goal = np.array([*recording.centerlines[-1][-1], recording.tube_radius])
    return Environment(recording.name, "", bounds, start, goal, Obstacles(walls=walls))


def recorded_lengths(recording: Recording, start: Floats) -> Floats:
    """Length of the tube in each frame [m], shape (frames,): the recorded length plus that from the start to its first point."""
    heading = np.array([np.cos(start[2]), np.sin(start[2])])
    hidden = [max(float((line[0] - start[:2]) @ heading), 0.0) for line in recording.centerlines]
    return np.array(hidden) + [np.hypot(*np.diff(line, axis=0).T).sum() for line in recording.centerlines]


def deploy(
    recording: Recording, model: str, make: PropagatorFactory, params: VineParams | None = None
) -> SimulatedRecording:
    """Grow a passive vine between the walls of a recording, and compare its shapes with the recorded ones.

    A vine that ends early is compared in its final shape. Distances are measured from recorded points at intervals of 1 cm to the
    nearest point of the simulated centreline.

    Args:
        params: The tube; by default that of paper 002 with the recording's radius.
    Raises:
        CannotRun: The propagator does not support this.
    """
    params = params or VineParams(radius=recording.tube_radius)
    start = start_pose(recording)
    lengths = recorded_lengths(recording, start)
    segments = int(np.ceil(lengths.max() / params.segment_length)) + 1
    propagator = make(make_environment(recording, start), params)
    bare = Actuation(np.zeros((1, segments)), np.full((1, segments), 0.04))
    rollout = propagator.grow(propagator.start(1, segments), bare, lengths.max() + RECORD, RECORD)
    records = np.arange(rollout.records[0])
    states = rollout.state(np.zeros_like(records), records)
    grown = grown_length(states, params)
    joints = [line[~np.isnan(line[:, 0])] for line in centerlines(states, start, params)]
    if not joints:
        grown, joints = np.zeros(1), [np.array([start[:2], start[:2] + 1e-6])]
    following = np.minimum(np.searchsorted(grown, lengths), len(grown) - 1)
    shapes = tuple(_cut(joints[index], length) for index, length in zip(following, lengths, strict=True))
    errors = np.array([apart(line, shape) for line, shape in zip(recording.centerlines, shapes, strict=True)])
    return SimulatedRecording(
        recording, model, start, lengths, errors, shapes, float(grown[-1]), Status(int(rollout.status[0]))
    )


def _cut(line: Floats, length: float) -> Floats:
    """Return a line cut off at a length [m]; the cut part is at most `RECORD` long."""
    return np.asarray(substring(shapely.LineString(line), 0.0, length).coords)


def apart(line: Floats, shape: Floats) -> float:
    """Root mean square distance from a line's points to another line [m]."""
    distances = shapely.distance(shapely.points(line), shapely.LineString(shape))
    return float(np.sqrt(np.mean(distances**2)))


def simulate_recordings(
    recordings: Sequence[Recording], makers: Mapping[str, PropagatorFactory]
) -> Iterator[SimulatedRecording]:
    """Simulate every recording with every model, in sequence."""
    for recording in recordings:
        for model, make in makers.items():
            yield deploy(recording, model, make)
