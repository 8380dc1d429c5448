"""Videos as MP4."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
from PIL import Image

from environments.writing import atomic_path

CODEC, QUALITY = "libx264", 18
"""H.264, which browsers, slides and players show, and its constant rate factor: lower is better, at 18 no loss is seen."""


REMEDY = "name another with IMAGEIO_FFMPEG_EXE, or write a .gif"


class NoEncoder(ValueError):
    """FFmpeg is missing or cannot encode H.264; the message says what to do."""


def write_mp4(path: Path, images: Iterable[Image.Image], rate: float) -> None:
    """Write images of one size as a video, atomically; an odd width or height is cut by one pixel.

    FFmpeg runs as a process of its own: that of the package imageio-ffmpeg, or the one that IMAGEIO_FFMPEG_EXE names.

    Args:
        images: At least one.
        rate: Frames a second [1/s].
    Raises:
        ModuleNotFoundError: imageio-ffmpeg is not installed.
        NoEncoder: There is no FFmpeg, or it has no encoder for H.264.
        OSError: The file cannot be written.
    """
    program = _ffmpeg()
    with atomic_path(path) as partial, tempfile.TemporaryFile() as said:
        frames = (_even(image) for image in images)
        first = next(frames)
        command = _command(program, first.shape[1], first.shape[0], rate, partial)
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stderr=said,
                start_new_session=True,  # so that Ctrl-C is for this process alone
                restore_signals=False,  # so that a file that must not grow is an error, as in this process, and no signal
            )
        except OSError as error:
            raise NoEncoder(
                f"FFmpeg ({program}) cannot be started: {error.strerror}; name another with IMAGEIO_FFMPEG_EXE, or write a .gif"
            ) from None
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # it has ended, and says why
                process.stdin.write(first.tobytes())
                for frame in frames:
                    process.stdin.write(frame.tobytes())
                process.stdin.close()
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            with suppress(BrokenPipeError):
                process.stdin.close()
        if code:
            said.seek(0)
            raise _fault(said.read().decode(errors="replace"))


def _ffmpeg() -> str:
    """Return the path of FFmpeg."""
    from imageio_ffmpeg import get_ffmpeg_exe

    try:
        return str(get_ffmpeg_exe())
    except RuntimeError:
        raise NoEncoder(f"no FFmpeg was found; {REMEDY}") from None


def _command(program: str, width: int, height: int, rate: float, path: Path) -> list[str]:
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:.6f}", "-i", "-"]
    # Without tags, players guess what the colours mean, and some guess wrong.
    tags = ":".join(f"{name}=bt709" for name in ("colorspace", "color_primaries", "color_trc"))
    colours = ["-vf", f"scale=out_color_matrix=bt709:out_range=tv,setparams={tags}"]
    # Many players show 4:2:0 only. With `faststart`, a browser begins before it has the whole file.
    wanted = ["-c:v", CODEC, "-crf", str(QUALITY), "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
    # Without `file:`, a colon in the name would end a protocol.
    return [program, "-y", "-v", "error", *given, *colours, *wanted, f"file:{path}"]


def _even(image: Image.Image) -> np.ndarray:
    """Return the pixels of an image, shape (height, width, 3), both even as 4:2:0 needs."""
    pixels = np.asarray(image.convert("RGB"))
    return pixels[: pixels.shape[0] // 2 * 2, : pixels.shape[1] // 2 * 2]


def _fault(said: str) -> Exception:
    """Make the exception for FFmpeg's error messages."""
    if "Unknown encoder" in said:
        return NoEncoder(f"this FFmpeg has no encoder for H.264; {REMEDY}")
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EIO):
        if os.strerror(number) in said:
            return OSError(number, os.strerror(number))
    last = said.strip().splitlines()[-1:]
    return OSError(errno.EIO, ": ".join(["FFmpeg failed", *last]))
