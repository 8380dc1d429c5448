"""Reading and writing of videos and images."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import cv2
import numpy as np

from planner.output.claim import find_destination, temporary_prefix
from planner.recordings.tracking.segmentation import Image

CODEC = "vp09"
"""VP9 in an MP4: OpenCV's wheels can encode it without a licence, and browsers can play it."""
WIDEST = 960
"""Maximum width of written images [pixel]; the encoder takes a quarter of a second for an image of this width."""


class InvalidVideo(ValueError):
    """An unusable video or image; the one-line message gives its name and advice."""


@dataclass(frozen=True, slots=True)
class VideoFile:
    """A readable video."""

    path: Path
    width: int
    """[pixel]"""
    height: int
    """[pixel]"""
    frames: int
    """Number of frames according to the file, which may be slightly too high."""
    rate: float
    """Frames a second [1/s]."""

    @classmethod
    def open(cls, path: Path) -> VideoFile:
        """Read the properties of a video and check its first frame.

        Raises:
            InvalidVideo: The file does not exist, is not a video, or has no frame rate.
        """
        if not path.is_file():
            raise InvalidVideo(f"{path} cannot be read: {'not a file' if path.exists() else 'no such file'}")
        capture = _capture(path)
        found, image = capture.read()
        if not found:
            raise InvalidVideo(
                f"{path} is not a video that OpenCV can read; convert it to .mp4, for example with ffmpeg"
            )
        rate = float(capture.get(cv2.CAP_PROP_FPS))
        if not 0 < rate < 1e5:
            raise InvalidVideo(f"{path} has no frame rate; convert it to .mp4, for example with ffmpeg")
        frames = max(1, int(capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        capture.release()
        return cls(path, image.shape[1], image.shape[0], frames, rate)

    def images(self, every: int = 1) -> Iterator[tuple[int, Image]]:
        """Generate the index, from 0, and image of every `every`-th frame."""
        capture = _capture(self.path)
        try:
            index = 0
            while capture.grab():
                if index % every == 0:
                    read, image = capture.retrieve()
                    if not read:
                        return
                    yield index, image
                index += 1
        finally:
            capture.release()

    def samples(self, count: int) -> list[Image]:
        """Return at most `count` frames at equal intervals over the video."""
        capture, found = _capture(self.path), []
        for index in np.unique(np.linspace(0, self.frames - 1, count).astype(int)):
            capture.set(cv2.CAP_PROP_POS_FRAMES, float(index))
            read, image = capture.read()
            if read:
                found.append(image)
        capture.release()
        return found


def _capture(path: Path) -> Any:
    # OpenCV's and FFmpeg's messages would be printed in addition to our one-line error.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    return cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)


def read_background(path: Path, video: VideoFile) -> Image:
    """Read an image of the scene without the tube.

    Raises:
        InvalidVideo: It cannot be read, or its size differs from that of the video.
    """
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path.is_file() else None
    if image is None:
        raise InvalidVideo(f"--background {path} must be first, median or a readable image (.png, .jpg)")
    if image.shape[:2] != (video.height, video.width):
        size = f"{image.shape[1]} x {image.shape[0]}"
        raise InvalidVideo(f"--background {path} is {size} pixels; the video is {video.width} x {video.height}")
    return np.asarray(image, np.uint8)


@dataclass(slots=True)
class VideoWriter:
    """Writes a video atomically: to a temporary file that is moved to `path` at the end."""

    path: Path
    rate: float
    """Frames a second [1/s]."""
    _partial: Path = field(init=False, default=Path())
    _writer: Any = field(init=False, default=None)
    _written: int = field(init=False, default=0)

    def __enter__(self) -> VideoWriter:
        target = find_destination(self.path)
        handle, partial = tempfile.mkstemp(target.suffix, temporary_prefix(target, "new"), target.parent)
        os.close(handle)
        self._partial = Path(partial)
        return self

    def write(self, image: Image) -> None:
        """Add an image; all must have the same size.

        Raises:
            OSError: This OpenCV has no encoder for `CODEC`.
        """
        scale = min(1.0, WIDEST / image.shape[1])
        # The encoder needs an even width and height.
        width, height = (max(2, int(scale * side) // 2 * 2) for side in (image.shape[1], image.shape[0]))
        if (width, height) != (image.shape[1], image.shape[0]):
            image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        if self._writer is None:
            fourcc = cv2.VideoWriter.fourcc(*CODEC)
            self._writer = cv2.VideoWriter(str(self._partial), cv2.CAP_FFMPEG, fourcc, self.rate, (width, height))
            if not self._writer.isOpened():
                raise OSError(0, f"OpenCV {cv2.__version__} has no encoder for {CODEC}")
        self._writer.write(image)
        self._written += 1

    def _check(self) -> None:
        """Check that the encoder has written all images: it reports no errors, for example of a full disk."""
        capture = _capture(self._partial)
        complete = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) == self._written
        capture.release()
        if not complete:
            raise OSError(errno.EIO, "the video is incomplete; the disk may be full")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self._writer is not None:
                self._writer.release()
                if kind is None:
                    self._check()
                    self._partial.chmod(0o644)
                    self._partial.replace(find_destination(self.path))
        finally:
            self._partial.unlink(missing_ok=True)
