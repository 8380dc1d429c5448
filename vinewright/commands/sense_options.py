"""Options and the computation that commands share which sense an environment from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.errors import BadInput, NothingKept

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.recording import Recording
    from planner.mapping.sensing.found import SensedSurroundings

READINGS = "centerlines", "length-angle"
RecordingArgument = Annotated[
    Path, typer.Argument(metavar="RECORDING", help="A recording (.json), for example from `vinewright track`.")
]
ReadingsOption = Annotated[
    str,
    typer.Option(
        help="What is used of the recording: centerlines, or length-angle: only the tube's length and the angle between tip and wall."
    ),
]
RuleOption = Annotated[
    str,
    typer.Option(
        help="Which hinge gives way where length and angle leave it open: limit-analysis, or published (paper 003, Eqs. 13 to 15)."
    ),
]


def check_readings(readings: str, rule: str) -> None:
    """Check the values of `ReadingsOption` and `RuleOption`.

    Raises:
        BadInput: A value is unknown.
    """
    from planner.mapping.sensing.rules import RULES

    for option, given, known in (("--readings", readings, READINGS), ("--rule", rule, tuple(RULES))):
        if given not in known:
            raise BadInput(f"{option} {given} must be one of {', '.join(known)}")


def sense_recording(console: Console, path: Path, readings: str, rule: str) -> tuple[Recording, SensedSurroundings]:
    """Read a recording and sense the environment from it, with a progress bar for `length-angle`.

    Raises:
        InvalidRecording: The recording is invalid.
        BadInput: The recording has too few frames, or its tube does not grow.
        NothingKept: Ctrl-C came before the second estimate, which an interval needs.
    """
    import numpy as np

    from dynamics.recording import load_recording
    from planner.mapping.sensing.estimated import RESAMPLES, Sensor
    from planner.mapping.sensing.tracked import Track, sense_tracked
    from vinewright.console.progress import gather

    # Frames are compared at equal length, so any frame rate will do.
    recording = load_recording(path, frames_per_second=1.0)
    try:
        track = Track.of(recording.centerlines, recording.tube_radius, recording.base)
        if readings == "centerlines":
            return recording, sense_tracked(track)
        sensor = Sensor.of(track)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    estimates, interrupted = gather(
        console, sensor.resample(rule, np.random.default_rng(0)), RESAMPLES + 1, "estimates", transient=True
    )
    if interrupted and len(estimates) < 2:
        raise NothingKept("interrupted before a second estimate, which an interval needs; nothing was found")
    return recording, sensor.combine(estimates)
