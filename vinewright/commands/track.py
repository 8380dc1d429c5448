"""`vinewright track`: extract the centrelines of a growing vine from a video."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.output.text import plural
from vinewright.console.errors import BadInput, NothingKept, needs, readable_errors
from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.recording import Recording
    from planner.recordings.tracking.segmentation import Segmentation
    from planner.recordings.tracking.track import Base, Tracked
    from planner.recordings.tracking.video import VideoFile

SAMPLES = 25
"""Number of frames used for the median background and for finding the base."""
RADIUS_TOLERANCE = 0.15
"""Relative difference between given and measured radius above which a warning is printed [-]."""


VideoArgument = Annotated[
    Path,
    typer.Argument(metavar="VIDEO", help="A video from above, with constant frame rate and a fixed camera."),
]
ScaleOption = Annotated[float, typer.Option(metavar="MM_PER_PX", help="Millimetres per pixel in the tube's plane.")]
BaseOption = Annotated[
    str | None,
    typer.Option(metavar="X,Y", help="Pixel at the tube's base, from the upper left. Default: detected."),
]
BackgroundOption = Annotated[
    str | None,
    typer.Option(
        metavar="first|median|FILE",
        help="Find the tube by the difference from the first frame, from the median of all frames (if the tube covers "
        "each pixel in fewer than half of them), or from an image. Default: first, which must show no tube.",
    ),
]
ToleranceOption = Annotated[
    float | None,
    typer.Option(
        help="Threshold of the colour difference, in CIELAB units. Default: 25 for a colour, 15 for a background."
    ),
]
RadiusOption = Annotated[
    float | None, typer.Option(metavar="MM", help="Radius of the tube in mm. Default: measured in the video.")
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="Output file of the recording. Default: the first free one of VIDEO's name with .json, -2.json and so on.",
    ),
]
OverlayOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.mp4",
        help="Output video with the tracked centrelines. Default: the name of --out or VIDEO with -overlay.mp4, "
        "-2-overlay.mp4 and so on.",
    ),
]


@dataclass(frozen=True, slots=True)
class TrackingJob:
    """A video to track, the checked options, and the files to write."""

    video: VideoFile
    segmentation: Segmentation
    scale: float
    """Millimetres per pixel."""
    radius: float | None
    """Given radius of the tube [mm]."""
    every: int
    """Every n-th frame is tracked."""
    recorded: Path
    """File of the recording."""
    drawn: Path
    """File of the overlay video."""


def track(
    video: VideoArgument,
    scale: ScaleOption,
    base: BaseOption = None,
    color: Annotated[str | None, typer.Option(metavar="'#rrggbb'", help="Find the tube by its colour.")] = None,
    background: BackgroundOption = None,
    tolerance: ToleranceOption = None,
    radius: RadiusOption = None,
    every: Annotated[int, typer.Option(min=1, help="Track every N-th frame.")] = 1,
    out: OutOption = None,
    overlay: OverlayOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the files of --out and --overlay if they exist.")
    ] = False,
) -> int:
    """Track a tube in a video: centrelines in metres, and a video to check them. Exit code 3 if the background shows the tube.

    Ctrl-C keeps the frames so far.
    """
    console = make_console()
    for option, value, most in (("--scale", scale, 1000), ("--radius", radius, 1000), ("--tolerance", tolerance, 200)):
        if value is not None and not 0 < value <= most:
            raise BadInput(f"{option} {value:g} must be greater than 0 and at most {most}")
    if color is not None and background is not None:
        raise BadInput("--color and --background exclude each other; give one of them")
    rgb, pixel = parse_color(color), _parse_base(base)
    with readable_errors(), needs("video"), ExitStack() as held:
        from planner.recordings.tracking.video import InvalidVideo, VideoFile

        try:
            source = VideoFile.open(video)
            recorded, drawn = _claim_outputs(held, video, out, overlay, force)
            segmentation = _make_segmentation(source, rgb, background, tolerance)
        except InvalidVideo as error:
            raise BadInput(str(error)) from None
        return _run(console, TrackingJob(source, segmentation, scale, radius, every, recorded, drawn), pixel)


def _run(console: Console, job: TrackingJob, pixel: tuple[float, float] | None) -> int:
    """Track the video, write and report the recording, and return the exit code."""
    from dynamics.recording import write_recording
    from planner.output.claim import writing
    from planner.recordings.tracking.track import find_shrinking, median_radius, recording_of
    from vinewright.console.answer import end_command

    base = _find_base(console, job, pixel)
    with writing(job.drawn):
        tracked, skipped, complete = _follow(console, job, base)
    measured = 1e-3 * job.scale * median_radius(tracked)
    radius = 1e-3 * job.radius if job.radius else measured
    recording = recording_of(job.video.path.stem, tracked, base.pixel, 1e-3 * job.scale, radius)
    with writing(job.recorded):
        write_recording(recording, job.recorded)
    shrunk = find_shrinking(tracked)
    _report(console, tracked, skipped, recording, measured, base, shrunk)
    console.print(f"wrote {job.recorded} and {job.drawn}" if complete else f"wrote {job.recorded}")
    return end_command(console, _doubt(job.segmentation, len(shrunk), len(tracked)))


def _doubt(segmentation: Segmentation, shrunk: int, tracked: int) -> str:
    """Return a warning if the tube is too short in most frames, as it is where the background shows the tube; else ""."""
    from planner.recordings.tracking.segmentation import ByBackground

    if not isinstance(segmentation, ByBackground) or 2 * shrunk <= tracked:
        return ""
    return (
        f"in {shrunk} of {tracked} frames the tube is too short: the first frame, or what --background gives, probably shows "
        "the tube; give --color, or an image without the tube as --background"
    )


def parse_color(text: str | None) -> tuple[int, int, int] | None:
    """Parse `#rrggbb` into red, green and blue."""
    if text is None:
        return None
    if not re.fullmatch("#?[0-9a-fA-F]{6}", text):
        raise BadInput(f"--color {text} must be '#rrggbb', for example '#d04030'")
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def _parse_base(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"--base {text} must be two numbers separated by a comma, for example 120,340") from None
    return x, y


def _claim_outputs(
    held: ExitStack, video: Path, out: Path | None, overlay: Path | None, force: bool
) -> tuple[Path, Path]:
    """Lock and check the files of the recording and of the overlay before any computation, and return them."""
    from planner.output.claim import Occupied, claim_file

    for path, option, suffix in ((out, "--out", ".json"), (overlay, "--overlay", ".mp4")):
        if path and path.suffix.lower() != suffix:
            raise BadInput(f"{option} {path} must end in {suffix}")
        if path and os.path.realpath(path) == os.path.realpath(video):
            raise BadInput(f"{option} {path} is the video itself; give another {option}")
    if out:
        held.enter_context(claim_file(out, force, "--out"))
    if overlay:
        held.enter_context(claim_file(overlay, force, "--overlay"))
    named, number = out or video, 1
    while not (out and overlay):
        stem = named.stem if number == 1 else f"{named.stem}-{number}"
        recorded, drawn = out or video.with_name(f"{stem}.json"), overlay or named.with_name(f"{stem}-overlay.mp4")
        try:
            with ExitStack() as attempt:
                for path in {recorded, drawn} - {out, overlay}:
                    attempt.enter_context(claim_file(path, force=False))
                held.push(attempt.pop_all())
                out, overlay = recorded, drawn
        except Occupied:
            number += 1
    return out, overlay


def _make_segmentation(
    video: VideoFile, color: tuple[int, int, int] | None, background: str | None, tolerance: float | None
) -> Segmentation:
    from planner.recordings.tracking.segmentation import (
        BACKGROUND_TOLERANCE,
        COLOR_TOLERANCE,
        ByBackground,
        ByColor,
        median_image,
    )
    from planner.recordings.tracking.video import read_background

    if color:
        return ByColor(color, tolerance or COLOR_TOLERANCE)
    if background == "median":
        picture = median_image(video.samples(SAMPLES))
    elif background in (None, "first"):
        picture = next(video.images())[1]
    else:
        picture = read_background(Path(background), video)
    return ByBackground(picture, tolerance or BACKGROUND_TOLERANCE)


def _find_base(console: Console, job: TrackingJob, pixel: tuple[float, float] | None) -> Base:
    """Return the base of the option, or else detect it."""
    import numpy as np

    from planner.recordings.tracking.track import Base, find_base

    if pixel:
        if not (0 <= pixel[0] <= job.video.width - 1 and 0 <= pixel[1] <= job.video.height - 1):
            raise BadInput(
                f"--base {pixel[0]:g},{pixel[1]:g} lies outside the image: x must be from 0 to {job.video.width - 1}, "
                f"y from 0 to {job.video.height - 1}"
            )
        return Base(np.array(pixel), "as given")
    with console.status("finding the base"):
        found = find_base(job.video.samples(SAMPLES), job.segmentation)
    if not found:
        raise BadInput(_nothing_found(job.video.path, job.segmentation))
    return found


def _follow(console: Console, job: TrackingJob, base: Base) -> tuple[list[Tracked], int, bool]:
    """Track all frames and write the overlay, with a progress bar.

    Returns:
        The tubes, the number of frames without a tube, and whether the overlay was written.
    """
    from rich.progress import Progress

    from dynamics.recording import LEAST_FRAMES
    from planner.recordings.tracking.overlay import draw_overlay
    from planner.recordings.tracking.track import track_frame
    from planner.recordings.tracking.video import VideoWriter
    from vinewright.console.progress import handle_stop_signals, make_columns

    video, every = job.video, job.every
    tracked: list[Tracked] = []
    skipped = 0
    with Progress(*make_columns(), console=console, transient=True) as bar:
        task = bar.add_task("tracking", total=-(-video.frames // every))
        try:
            with handle_stop_signals(), VideoWriter(job.drawn, max(1.0, video.rate / every)) as writer:
                try:
                    for index, image in video.images(every):
                        time = index / video.rate
                        region, found = track_frame(image, time, job.segmentation, base.pixel)
                        if found:
                            tracked.append(found)
                        skipped += not found
                        caption = f"{job.scale * found.axis.length:.0f} mm" if found else "no tube"
                        axis = found.axis if found else None
                        writer.write(draw_overlay(image, region, axis, base.pixel, f"{time:.2f} s   {caption}"))
                        bar.advance(task)
                except KeyboardInterrupt:
                    if len(tracked) < LEAST_FRAMES:
                        raise NothingKept(
                            "interrupted before enough frames were tracked; nothing was written"
                        ) from None
                    console.print("interrupted; the frames so far are kept")
                if not tracked:
                    raise BadInput(_nothing_found(video.path, job.segmentation))
                if len(tracked) < LEAST_FRAMES:
                    few = f"{video.path} shows a tube in {plural(len(tracked), 'frame')} only"
                    raise BadInput(f"{few}; a recording needs {LEAST_FRAMES}. Give a smaller --every")
                # The encoder buffers the last frames and takes seconds to write them.
                bar.update(task, description="finishing the overlay")
        except KeyboardInterrupt:
            if len(tracked) < LEAST_FRAMES:
                raise
            console.print("interrupted; all tracked frames are kept, but there is no overlay")
            return tracked, skipped, False
    return tracked, skipped, True


def _nothing_found(video: Path, segmentation: Segmentation) -> str:
    from planner.recordings.tracking.segmentation import ByColor

    if isinstance(segmentation, ByColor):
        advice = f"pick --color from a frame, or give a --tolerance above {segmentation.tolerance:g}"
    else:
        advice = (
            "give --color, for example '#d04030', an image without the tube as --background, "
            f"or a --tolerance below {segmentation.tolerance:g}"
        )
    return f"{video} shows no tube in any examined frame; {advice}, and check --base if given"


def _report(
    console: Console,
    tracked: list[Tracked],
    skipped: int,
    recording: Recording,
    measured: float,
    base: Base,
    shrunk: list[float],
) -> None:
    import numpy as np

    first, last = recording.times[[0, -1]]
    console.print(
        f"a tube in {plural(len(tracked), 'frame')}, from {first:.2f} to {last:.2f} s; {skipped} without one skipped"
    )
    radius, measured = 1e3 * recording.tube_radius, 1e3 * measured
    if radius == measured:
        console.print(f"radius {radius:.1f} mm, measured (median half width)")
    else:
        console.print(f"radius {radius:.1f} mm, as given; measured {measured:.1f} mm (median half width)")
        if abs(measured / radius - 1) > RADIUS_TOLERANCE:
            console.print("warning: the two radii differ; check --scale, --tolerance and the overlay")
    lengths = [1e3 * np.hypot(*np.diff(line, axis=0).T).sum() for line in recording.centerlines]
    console.print(f"length {lengths[0]:.0f} mm in the first frame, at most {max(lengths):.0f} mm")
    if shrunk:
        console.print(
            f"warning: in {plural(len(shrunk), 'frame')} the tube is shorter than before by more than a radius, first at "
            f"{shrunk[0]:.2f} s; check the overlay there and remove wrong frames"
        )
    heading = np.degrees(recording.base[2])
    x, y = base.pixel
    console.print(
        f"base at pixel {x:.0f},{y:.0f}, {base.found}; heading {heading:.1f} deg, median of the centrelines' initial directions"
    )
    gap = float(np.median([1e3 * np.hypot(*line[0]) for line in recording.centerlines]))
    if gap > radius:
        console.print(f"warning: centrelines begin {gap:.0f} mm from the base (median); check --base")
