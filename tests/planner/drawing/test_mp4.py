"""Animations as MP4: what players and other programs read from them, and what is said where none can be written."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design
from planner.drawing.animation import save_animation
from planner.drawing.mp4 import NoEncoder, write_mp4
from tests.full_disk import largest_file

COLOURS = (142, 192, 228), (243, 232, 210), (200, 40, 60)


def pictures(width: int = 121, height: int = 83) -> list[Image.Image]:
    """Four frames of each colour; both sides are odd."""
    return [Image.new("RGB", (width, height), colour) for colour in COLOURS for _ in range(4)]


def frames_of(path: Path) -> list[np.ndarray]:
    """The frames of a video as OpenCV reads them, RGB."""
    capture, found = cv2.VideoCapture(str(path)), []
    while True:
        read, image = capture.read()
        if not read:
            return found
        found.append(image[..., ::-1].astype(int))


def test_a_video_is_read_back(tmp_path: Path) -> None:
    """H.264 with every frame, the rate, an even size and the colours that went in; its index precedes the frames."""
    path = tmp_path / "film.mp4"
    write_mp4(path, iter(pictures()), 12.5)
    capture = cv2.VideoCapture(str(path))
    assert int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little") in (b"h264", b"avc1")
    assert capture.get(cv2.CAP_PROP_FPS) == pytest.approx(12.5)
    frames = frames_of(path)
    assert [frame.shape for frame in frames] == [(82, 120, 3)] * 12
    for k, frame in enumerate(frames):
        assert np.abs(frame - COLOURS[k // 4]).max() <= 4, k
    content = path.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")
    assert b"avc1" in content
    matrix = content[content.index(b"colrnclx") + 12 :][:2]
    assert int.from_bytes(matrix) == 1, "BT.709, so that no player has to guess"
    assert os.listdir(tmp_path) == ["film.mp4"]


@pytest.mark.slow
def test_growth_is_a_video(
    design: Design, room: Environment, params: VineParams, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The suffix decides, also in capitals, after any name; one frame per record, the last is held for 2.5 s; the tube grows."""
    joints = np.stack([2 * params.segment_length * np.arange(9), np.zeros(9)], axis=1)
    points = np.stack([np.where(np.arange(9)[:, None] <= k, joints, np.nan) for k in range(1, 9)])
    seen: list[tuple[int, int]] = []
    path = Path("a:b %d.MP4")
    monkeypatch.chdir(tmp_path)
    save_animation(path, room, design, points, lambda done, total: seen.append((done, total)))
    assert seen == [(k, 8) for k in range(1, 9)]
    path = path.rename("growth.mp4")  # OpenCV does not read any name
    frames, rate = frames_of(path), cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FPS)
    held = len(frames) - 8
    assert (held + 1) / rate == pytest.approx(2.5, abs=0.5 / rate)
    assert 1 / rate == pytest.approx(0.07, rel=1e-3)
    moved = [np.abs(frame - frames[0]).max(axis=-1) > 30 for frame in frames]
    covered = np.array([int(frame.sum()) for frame in moved])
    assert (np.diff(covered[:8]) > 0).all()
    assert np.ptp(covered[7:]) < 0.01 * covered[7]


def test_a_video_is_whole_or_absent(tmp_path: Path) -> None:
    """Ctrl-C and a full disk leave the old file and nothing else; the error of the disk is of the machine."""
    path = tmp_path / "film.mp4"
    path.write_text("old")

    def stopped() -> Iterator[Image.Image]:
        yield from pictures()[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_mp4(path, stopped(), 10.0)
    noise = np.random.default_rng(1).integers(0, 255, (30, 200, 300, 3), dtype=np.uint8)
    with largest_file(20_000), pytest.raises(OSError, match="File too large") as raised:
        write_mp4(path, map(Image.fromarray, noise), 10.0)
    assert raised.value.errno == errno.EFBIG
    with pytest.raises(OSError, match=r"No such file or directory|FFmpeg failed"):
        write_mp4(tmp_path / "missing" / "film.mp4", pictures(), 10.0)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["film.mp4"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo \"Unknown encoder 'libx264'\" >&2; exit 1", "no encoder for H.264"),
        (None, "cannot be started"),
    ],
)
def test_without_an_encoder_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, words: str
) -> None:
    """An FFmpeg without H.264, or that is not there: one line with the remedy, and no file."""
    program = tmp_path / "ffmpeg"
    if script:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    with pytest.raises(NoEncoder, match=words) as raised:
        write_mp4(tmp_path / "film.mp4", pictures(), 10.0)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.glob("*.mp4*"))
    assert not list(tmp_path.glob(".*"))
