"""Recorded growths of real tubes, each as one mapping session: what is found of measured walls, and how exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dynamics.geometric.deployment import Launch, deploy
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.walls import inflate_to_walls, to_polygons
from dynamics.recording import Recording
from planner.mapping.sensing.estimated import Sensor
from planner.mapping.sensing.found import SensedSurroundings
from planner.mapping.sensing.paths import straight_pieces
from planner.mapping.sensing.rules import RULES
from planner.mapping.sensing.tracked import Track, sense_tracked
from planner.mapping.session import MappingSession
from studies.real_mapping.hinges import Turned, find_turns
from studies.real_mapping.measures import (
    CornerError,
    WallAgreement,
    WallError,
    compare_walls,
    measure_corner_errors,
    measure_wall_errors,
)
from studies.validation.recordings import make_environment, recorded_lengths, start_pose
from surrogate.kernels.compiled import Floats

STAGES = 0.2, 0.4, 0.6, 0.8, 1.0
"""Shares of the frames after which the belief is compared."""
NOISES = 0, 1, 3, 5
"""Standard deviations of noise that is added to the contact angle [deg], as in the sensing study."""
RESAMPLES = 1
"""Number of resamples; this study compares estimates with measured walls, not with their own intervals."""
SEED = 0


@dataclass(frozen=True, slots=True)
class RecordingCase:
    """A recording, and what to do with it."""

    recording: Recording
    noise: int | None = None
    """None to use the centrelines; else length and angle, with noise of this standard deviation added [deg]."""
    rule: str = "limit-analysis"


@dataclass(frozen=True, slots=True, eq=False)
class MappedRecording:
    """Walls and errors found in one recording."""

    case: RecordingCase
    stages: tuple[WallAgreement, ...]
    """After each of `STAGES`; after the whole growth only, from length and angle."""
    found: SensedSurroundings
    """After the whole growth."""
    errors: tuple[WallError, ...]
    corners: tuple[CornerError, ...]
    vertices: Floats
    """Distances of simulated bends and tip from recorded ones [m], shape (n,); empty from length and angle."""
    turned: tuple[Turned, ...]

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "recording": self.case.recording.name,
            "noise_deg": self.case.noise,
            "rule": self.case.rule,
            "stages": [one.content() for one in self.stages],
            "walls": [one.content() for one in self.errors],
            "corners": [one.content() for one in self.corners],
            "vertices_mm": np.round(1e3 * self.vertices, 1).tolist(),
            "turned": [one.content() for one in self.turned],
        }


def cases(recordings: Sequence[Recording]) -> list[RecordingCase]:
    """Centrelines of all recordings; length and angle with each noise, and by each rule without noise."""
    several = [RecordingCase(one) for one in recordings]
    several += [RecordingCase(one, noise) for noise in NOISES for one in recordings]
    return several + [RecordingCase(one, 0, rule) for rule in RULES if rule != "limit-analysis" for one in recordings]


def run_cases(several: Sequence[RecordingCase]) -> Iterator[MappedRecording]:
    """Run cases in sequence."""
    for case in several:
        yield _map_tracked(case) if case.noise is None else _map_readings(case)


def _map_tracked(case: RecordingCase) -> MappedRecording:
    """From centrelines, after each stage."""
    recording = case.recording
    whole = Track.of(recording.centerlines, recording.tube_radius, recording.base)
    founds = []
    for share in STAGES:
        lines = recording.centerlines[: round(share * len(recording.centerlines))]
        founds.append(sense_tracked(Track.of(lines, recording.tube_radius, recording.base)))
    last = founds[-1]
    session = _session(recording, last)
    stages = tuple(compare_walls(found, recording.walls, recording.tube_radius, session) for found in founds)
    bent = tuple(find_turns(recording.name, whole, recording.walls))
    errors = tuple(measure_wall_errors(recording.name, last, recording.walls))
    corners = tuple(measure_corner_errors(recording.name, last, recording.walls))
    vertices = _vertices(recording, whole)
    return MappedRecording(case, stages, last, errors, corners, vertices, bent)


def _map_readings(case: RecordingCase) -> MappedRecording:
    """From length and contact angle alone, after the whole growth."""
    recording = case.recording
    sensor = Sensor.of(Track.of(recording.centerlines, recording.tube_radius, recording.base))
    rng = np.random.default_rng(SEED)
    found = sensor.combine(list(sensor.resample(case.rule, rng, np.radians(case.noise or 0), RESAMPLES)))
    stage = compare_walls(found, recording.walls, recording.tube_radius, _session(recording, found))
    errors = tuple(measure_wall_errors(recording.name, found, recording.walls))
    corners = tuple(measure_corner_errors(recording.name, found, recording.walls))
    return MappedRecording(case, (stage,), found, errors, corners, np.empty(0), ())


def _session(recording: Recording, found: SensedSurroundings) -> MappingSession:
    """Return a session over everything recorded, with the margin of a tube's diameter."""
    seen = np.concatenate([*recording.centerlines, recording.walls.reshape(-1, 2)])
    margin = 2 * recording.tube_radius
    bounds = np.concatenate([seen.min(axis=0) - margin, seen.max(axis=0) + margin])
    return MappingSession.begin(recording.tube_radius, found.length, found.start[None], bounds)


def _vertices(recording: Recording, track: Track) -> Floats:
    """Distances of the bends and of the tip of a simulated tube from those of the recorded one in its last frame [m].

    The simulated tube grows among the measured walls, from the start pose and to the length of the recorded one. Its bends are
    compared with the nearest of the recorded bends, which are where straight pieces of the centreline meet.

    Source: paper 003, section 3.3.
    """
    start, radius = start_pose(recording), recording.tube_radius
    environment = make_environment(recording, start)
    walls = inflate_to_walls(to_polygons(environment.obstacles), environment.bounds, radius)
    length = float(recorded_lengths(recording, start)[-1])
    made = deploy(walls, HingeTube(radius, FRICTION, radius), Launch(*map(float, (*start, length))))
    bends = bends_of(recording.centerlines[-1], track.noise.across)
    places = [float(np.hypot(*(bends - node).T).min()) for node in made.shape[1:-1] if len(bends)]
    return np.array([*places, float(np.hypot(*(made.shape[-1] - recording.centerlines[-1][-1])))])


def bends_of(line: Floats, noise: float) -> Floats:
    """Points at which the lines of successive straight pieces of a centreline meet [m], shape (bends, 2).

    Args:
        noise: Standard deviation of its points [m].
    """
    found = []
    for one, other in pairwise(straight_pieces(line, noise)):
        ways = [np.array([np.cos(piece.heading), np.sin(piece.heading)]) for piece in (one, other)]
        matrix = np.column_stack([ways[0], -ways[1]])
        if abs(np.linalg.det(matrix)) > 1e-6:
            found.append(one.point(float(np.linalg.solve(matrix, other.middle - one.middle)[0])))
    return np.array(found).reshape(-1, 2)
