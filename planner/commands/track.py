"""`vinewright track`: from a video of a growing vine to a recording of its centrelines."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, needs, readable_errors
from planner.console.terminal import new_console

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.recording import Recording
    from planner.tracking.segmentation import Segmentation
    from planner.tracking.track import Base, Tracked
    from planner.tracking.video import VideoFile

SAMPLES = 25
"""Frames that are looked at for the median background, and for the base."""
NOTED = 0.15
"""A given radius that differs from the measured one by a larger part is told."""


def track(
    video: Annotated[
        Path,
        typer.Argument(
            metavar="VIDEO", help="A video seen from above, of constant frame rate, with the camera at rest."
        ),
    ],
    scale: Annotated[float, typer.Option(metavar="MM_PER_PX", help="Millimetres a pixel, in the tube's plane.")],
    base: Annotated[
        str | None,
        typer.Option(metavar="X,Y", help="Pixel where the tube begins, from the upper left.  [default: found]"),
    ] = None,
    color: Annotated[str | None, typer.Option(metavar="'#rrggbb'", help="Find the tube by its colour.")] = None,
    background: Annotated[
        str | None,
        typer.Option(
            metavar="first|median|FILE",
            help="Find the tube by what differs from the first frame, from the median of all (where the tube passes any "
            "place in fewer than half of them), or from a picture.  [default: first, which must show no tube]",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Difference in CIELAB that tells tube from not.  [default: 25 of a colour, 15 of a background]"
        ),
    ] = None,
    radius: Annotated[
        float | None, typer.Option(metavar="MM", help="The tube's radius.  [default: measured in the video]")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Track one frame in so many.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="The recording.  [default: VIDEO's name with .json]")
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(metavar="FILE.mp4", help="A video to check it by.  [default: VIDEO's name with -overlay.mp4]"),
    ] = None,
) -> None:
    """Track a growing tube in a video: centrelines in metres, and a video to check them by. Ctrl-C keeps what was tracked."""

    console = new_console()
    for option, value, most in (("--scale", scale, 1000), ("--radius", radius, 1000), ("--tolerance", tolerance, 200)):
        if value is not None and not 0 < value <= most:
            raise BadInput(f"{option} {value:g} must be greater than 0 and at most {most}")
    if color is not None and background is not None:
        raise BadInput("--color and --background are two ways to find the tube; give one of them")
    rgb, pixel = parsed_color(color), _parsed_base(base)
    with readable_errors(), needs("video"):
        from dynamics.recording import write_recording
        from planner.tracking.track import median_radius, recording_of
        from planner.tracking.video import InvalidVideo, VideoFile

        try:
            source = VideoFile.open(video)
            recorded = _output(out or video.with_suffix(".json"), "--out", ".json", video)
            drawn = _output(overlay or video.with_name(f"{video.stem}-overlay.mp4"), "--overlay", ".mp4", video)
            way = _segmentation(source, rgb, background, tolerance)
        except InvalidVideo as error:
            raise BadInput(str(error)) from None
        start = _base(console, source, way, pixel)
        try:
            tracked, skipped, shown = _follow(console, source, way, start, every, scale, drawn)
        except OSError as error:
            raise BadInput(f"--overlay {drawn} cannot be written: {error.strerror}") from None
        measured = 1e-3 * scale * median_radius(tracked)
        recording = recording_of(video.stem, tracked, start.pixel, 1e-3 * scale, 1e-3 * radius if radius else measured)
        try:
            write_recording(recording, recorded)
        except OSError as error:
            raise BadInput(f"--out {recorded} cannot be written: {error.strerror}") from None
        _report(console, tracked, skipped, recording, measured, start)
    console.print(f"wrote {recorded}" + f" and {drawn}" * shown)


def parsed_color(text: str | None) -> tuple[int, int, int] | None:
    """Red, green and blue of `#rrggbb`."""
    if text is None:
        return None
    if not re.fullmatch("#?[0-9a-fA-F]{6}", text):
        raise BadInput(f"--color {text} must be '#rrggbb', as '#d04030'")
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def _parsed_base(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"--base {text} must be two numbers with a comma between, as 120,340") from None
    return x, y


def _output(path: Path, option: str, suffix: str, video: Path) -> Path:
    """A file to write, checked before any work is done for it."""
    if path.suffix.lower() != suffix:
        raise BadInput(f"{option} {path} must end in {suffix}")
    if path.resolve() == video.resolve():
        raise BadInput(f"{option} {path} is the video itself; give another {option}")
    if path.is_dir():
        raise BadInput(f"{option} {path} is a folder; give another {option}")
    try:
        tempfile.TemporaryFile(dir=path.absolute().parent).close()
    except OSError as error:
        raise BadInput(f"{option} {path} cannot be written: {error.strerror}; give another {option}") from None
    return path


def _segmentation(
    video: VideoFile, color: tuple[int, int, int] | None, background: str | None, tolerance: float | None
) -> Segmentation:
    from planner.tracking.segmentation import (
        BACKGROUND_TOLERANCE,
        COLOR_TOLERANCE,
        ByBackground,
        ByColor,
        median_image,
    )
    from planner.tracking.video import read_background

    if color:
        return ByColor(color, tolerance or COLOR_TOLERANCE)
    if background == "median":
        picture = median_image(video.samples(SAMPLES))
    elif background in (None, "first"):
        picture = next(video.images())[1]
    else:
        picture = read_background(Path(background), video)
    return ByBackground(picture, tolerance or BACKGROUND_TOLERANCE)


def _base(console: Console, video: VideoFile, way: Segmentation, pixel: tuple[float, float] | None) -> Base:
    """The base that was given, else the one found in some frames."""
    import numpy as np

    from planner.tracking.track import Base, find_base

    if pixel:
        if not (0 <= pixel[0] <= video.width - 1 and 0 <= pixel[1] <= video.height - 1):
            raise BadInput(
                f"--base {pixel[0]:g},{pixel[1]:g} lies outside the picture: x must be from 0 to {video.width - 1}, "
                f"y from 0 to {video.height - 1}"
            )
        return Base(np.array(pixel), "as given")
    with console.status("looking for the base"):
        found = find_base(video.samples(SAMPLES), way)
    if not found:
        raise BadInput(_nothing_found(video.path, way))
    return found


def _follow(
    console: Console, video: VideoFile, way: Segmentation, base: Base, every: int, scale: float, drawn: Path
) -> tuple[list[Tracked], int, bool]:
    """Track all frames and write the overlay, with progress on the console.

    Returns:
        The tubes, how many frames had none, and whether there is an overlay.
    """
    from rich.progress import Progress

    from dynamics.recording import LEAST_FRAMES
    from planner.console.progress import columns, stoppable
    from planner.tracking.overlay import overlay
    from planner.tracking.track import track_frame
    from planner.tracking.video import VideoWriter

    tracked: list[Tracked] = []
    skipped = 0
    with Progress(*columns(), console=console, transient=True) as bar:
        task = bar.add_task("tracking", total=-(-video.frames // every))
        try:
            with stoppable(), VideoWriter(drawn, max(1.0, video.rate / every)) as writer:
                try:
                    for index, image in video.images(every):
                        time = index / video.rate
                        region, found = track_frame(image, time, way, base.pixel)
                        if found:
                            tracked.append(found)
                        skipped += not found
                        words = f"{scale * found.axis.length:.0f} mm" if found else "no tube"
                        axis = found.axis if found else None
                        writer.write(overlay(image, region, axis, base.pixel, f"{time:.2f} s   {words}"))
                        bar.advance(task)
                except KeyboardInterrupt:
                    if len(tracked) < LEAST_FRAMES:
                        raise BadInput("interrupted before enough was tracked; nothing was written") from None
                    console.print("interrupted; the frames so far are kept")
                if not tracked:
                    raise BadInput(_nothing_found(video.path, way))
                if len(tracked) < LEAST_FRAMES:
                    few = f"{video.path} shows a tube in {_frames(len(tracked))} only"
                    raise BadInput(f"{few}; a recording needs {LEAST_FRAMES}. Less --every looks at more")
                # The encoder holds the last frames back, and takes seconds for them.
                bar.update(task, description="ending the overlay")
        except KeyboardInterrupt:
            if len(tracked) < LEAST_FRAMES:
                raise
            console.print("interrupted; there is no overlay, but all that was tracked is kept")
            return tracked, skipped, False
    return tracked, skipped, True


def _nothing_found(video: Path, way: Segmentation) -> str:
    from planner.tracking.segmentation import ByColor

    if isinstance(way, ByColor):
        advice = f"pick --color from a frame, or give more --tolerance than {way.tolerance:g}"
    else:
        advice = (
            "give --color, as '#d04030', a picture of the place without a tube as --background, "
            f"or less --tolerance than {way.tolerance:g}"
        )
    return f"{video} shows no tube in any frame that was looked at; {advice}, and check --base if it was given"


def _report(
    console: Console, tracked: list[Tracked], skipped: int, recording: Recording, measured: float, base: Base
) -> None:
    import numpy as np

    from planner.tracking.track import shrinking

    first, last = recording.times[[0, -1]]
    console.print(f"a tube in {_frames(len(tracked))}, from {first:.2f} to {last:.2f} s; {skipped} skipped without one")
    radius, measured = 1e3 * recording.tube_radius, 1e3 * measured
    if radius == measured:
        console.print(f"radius {radius:.1f} mm, measured (median of half the width)")
    else:
        console.print(f"radius {radius:.1f} mm, as given; {measured:.1f} mm is measured (median of half the width)")
        if abs(measured / radius - 1) > NOTED:
            console.print("mind: these differ much; check --scale, --tolerance and the overlay")
    lengths = [1e3 * np.hypot(*np.diff(line, axis=0).T).sum() for line in recording.centerlines]
    console.print(f"length {lengths[0]:.0f} mm in the first of them, {max(lengths):.0f} mm at most")
    if shrunk := shrinking(tracked):
        console.print(
            f"mind: the tube is shorter by more than a radius than it was before in {_frames(len(shrunk))}, first at "
            f"{shrunk[0]:.2f} s; look at the overlay there and take out what is wrong"
        )
    heading = np.degrees(recording.base[2])
    x, y = base.pixel
    console.print(
        f"base at pixel {x:.0f},{y:.0f}, {base.found}; heading {heading:.1f} deg, the median of how the centrelines begin"
    )
    gap = float(np.median([1e3 * np.hypot(*line[0]) for line in recording.centerlines]))
    if gap > radius:
        console.print(f"mind: centrelines begin {gap:.0f} mm from the base (median); check --base")


def _frames(count: int) -> str:
    return "1 frame" if count == 1 else f"{count} frames"
