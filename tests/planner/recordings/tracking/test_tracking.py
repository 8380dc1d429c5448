"""Tracking of a tube with a known axis that is drawn into a video."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from scipy.spatial import cKDTree

from planner.recordings.tracking.centerline import Axis, skeleton_path, tube_axis
from planner.recordings.tracking.segmentation import Image, median_image, tube_region
from planner.recordings.tracking.track import Tracked, base_heading, find_base, find_shrinking
from planner.recordings.tracking.video import VideoFile, VideoWriter
from studies.fitting.cantilever import Cantilever
from vinewright.cli import main

Array = np.ndarray
WIDTH, HEIGHT, RADIUS, RATE = 460, 320, 16.0, 20.0
TUBE, CLUTTER = (60, 70, 225), (200, 60, 60)  # blue, green, red
START = (40.3, 180.7, 0.2)
PARTS = (100, 0.0), (80, -1 / 60), (70, 1 / 50), (110, 1 / 36)
"""Lengths and curvatures of the arcs of the tube [pixel]; a pixel is a millimetre."""
LENGTHS = 0, 60, 150, 205, 0, 260, 315, 355, 300
"""Length of the tube in each frame; 0 means no tube; the tube is retracted slightly at the end."""
STEP = 0.5


def along(parts: Any, x: float, y: float, heading: float) -> Array:
    """Points every `STEP` along arcs, in closed form; shape (n, 2)."""
    points = [np.array([[x, y]])]
    for length, curvature in parts:
        arc = STEP * np.arange(1, round(length / STEP) + 1)
        bend = curvature * arc / 2
        chord = arc * np.sinc(bend / np.pi)
        points.append(
            points[-1][-1] + np.column_stack([chord * np.cos(heading + bend), chord * np.sin(heading + bend)])
        )
        heading += curvature * length
    return np.concatenate(points)


def coverage(axis: Array, width: int = WIDTH, height: int = HEIGHT) -> Array:
    """Share of each pixel within a radius of the axis, from 2 x 2 samples per pixel."""
    y, x = (np.mgrid[0 : 2 * height, 0 : 2 * width] + 0.5) / 2 - 0.5
    away, _ = cKDTree(axis).query(np.column_stack([x.ravel(), y.ravel()]), distance_upper_bound=RADIUS + 1)
    fine = np.clip(0.5 + 2 * (RADIUS - np.minimum(away, RADIUS + 1)), 0, 1)
    return fine.reshape(height, 2, width, 2).mean(axis=(1, 3))


def distance_apart(one: Array, other: Array) -> float:
    """Hausdorff distance of two polylines."""
    dense = []
    for line in (one, other):
        arc = np.concatenate([[0.0], np.hypot(*np.diff(line, axis=0).T).cumsum()])
        at = np.linspace(0, arc[-1], 4000)
        dense.append(np.column_stack([np.interp(at, arc, column) for column in line.T]))
    return max(cKDTree(dense[0]).query(dense[1])[0].max(), cKDTree(dense[1]).query(dense[0])[0].max())


@pytest.fixture(scope="module")
def axis() -> Array:
    return along(PARTS, *START)


@pytest.fixture(scope="module")
def pictures(axis: Array) -> list[Image]:
    """Images of the growing tube in a textured, noisy scene with clutter of another colour, in changing light."""
    rng = np.random.default_rng(3)
    scene = cv2.GaussianBlur(rng.normal(0, 60, (HEIGHT, WIDTH, 3)), (0, 0), 3) + np.array([150, 140, 130])
    cv2.circle(scene, (400, 60), 40, CLUTTER, -1)
    cv2.rectangle(scene, (60, 250), (160, 300), (60, 170, 60), -1)
    made = []
    for frame, length in enumerate(LENGTHS):
        share = coverage(axis[: round(length / STEP) + 1])[..., None] if length else 0.0
        light = 1 + 0.1 * np.sin(frame)
        picture = light * (scene * (1 - share) + np.array(TUBE) * share) + rng.normal(0, 6, scene.shape)
        made.append(np.clip(picture, 0, 255).astype(np.uint8))
    return made


@pytest.fixture(scope="module")
def video(pictures: list[Image], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the images into a compressed video file."""
    path = tmp_path_factory.mktemp("video") / "growth.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), RATE, (WIDTH, HEIGHT))
    for picture in pictures:
        writer.write(picture)
    writer.release()
    return path


@dataclass(frozen=True)
class Ran:
    """Output of a run of the command."""

    code: int
    said: str
    errors: str
    folder: Path

    @property
    def content(self) -> Any:
        return json.loads((self.folder / "made.json").read_text())

    @property
    def lines(self) -> list[Array]:
        """Centrelines [mm]."""
        return [1e3 * np.array(frame["centerline_m"]) for frame in self.content["frames"]]

    @property
    def overlay(self) -> VideoFile:
        return VideoFile.open(self.folder / "made.mp4")


AT_BASE = "--base", f"{START[0]},{START[1]}"


def track(video: Path, folder: Path, *options: str) -> Ran:
    files = ["--out", str(folder / "made.json"), "--overlay", str(folder / "made.mp4")]
    said, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(errors):
        patch.setattr("sys.argv", ["vinewright", "track", str(video), "--scale", "1", *files, *options])
        patch.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            main()
    return Ran(int(ended.value.code or 0), said.getvalue(), errors.getvalue(), folder)


@pytest.fixture(scope="module")
def by_color(video: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return track(video, tmp_path_factory.mktemp("color"), *AT_BASE, "--color", "#e1463c")


@pytest.fixture(scope="module")
def by_background(video: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return track(video, tmp_path_factory.mktemp("background"), *AT_BASE)


@pytest.fixture(scope="module", params=["by_color", pytest.param("by_background", marks=pytest.mark.slow)])
def ran(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def test_tracked_centrelines_are_within_a_millimetre_of_the_truth(ran: Ran, axis: Array) -> None:
    """By colour and by background, in every frame, including the tip: within 1 mm at 1 mm per pixel, ordered, in metres."""
    assert (ran.code, ran.errors) == (0, "")
    shown = [(frame, length) for frame, length in enumerate(LENGTHS) if length]
    assert [frame["time_s"] for frame in ran.content["frames"]] == pytest.approx([f / RATE for f, _ in shown])
    for line, (_, length) in zip(ran.lines, shown, strict=True):
        # From pixels, y down, to the base's frame, y up.
        truth = (axis[: round(length / STEP) + 1] - axis[0]) * (1, -1)
        assert distance_apart(line, truth) < 1.0
        assert np.hypot(*(line[0] - truth[0])) < 1.0
        assert np.hypot(*(line[-1] - truth[-1])) < 1.0
        steps = np.hypot(*np.diff(line, axis=0).T)
        assert steps.sum() == pytest.approx(length, abs=1.5)
        assert np.ptp(steps) < 0.05 * steps.mean()


def test_radius_and_heading_are_measured(ran: Ran) -> None:
    """The drawn radius to 0.3 mm, and the direction of the first, straight part to one degree, y up."""
    assert ran.content["tube_radius_m"] == pytest.approx(1e-3 * RADIUS, abs=0.3e-3)
    assert ran.content["base"]["position_m"] == [0, 0]
    assert ran.content["base"]["heading_rad"] == pytest.approx(-START[2], abs=np.radians(1))
    assert "measured" in ran.said
    assert "as given" in ran.said


def test_frames_without_a_tube_are_skipped_and_shrinking_gives_a_warning(ran: Ran) -> None:
    """Two frames show no tube, and one a tube shorter than before: both are reported, and no other frame is lost."""
    assert "a tube in 7 frames, from 0.05 to 0.40 s; 2 without one skipped" in ran.said
    assert "warning: in 1 frame the tube is shorter than before by more than a radius, first at 0.40 s" in ran.said


@pytest.mark.parametrize(
    "background", ["first", *(pytest.param(name, marks=pytest.mark.slow) for name in ("median", "color"))]
)
def test_a_background_that_shows_the_tube_is_not_met(tmp_path: Path, background: str) -> None:
    """A tube that swings is in every frame: exit code 3 with what to do, the files are kept; by colour all is well."""
    video, swing = tmp_path / "swing.mp4", Cantilever(links=2, stiffness=0.3, length=0.2, release=0.8)
    motion = swing.recording(np.arange(14) / 140, 20, 0.0, np.random.default_rng(0))
    with VideoWriter(video, RATE) as writer:
        for line in motion.centerlines:
            share = coverage(line * [1e3, -1e3] + [30, 150], 260, 300)[..., None]
            writer.write((200 * (1 - share) + share * [60, 70, 225]).astype(np.uint8))
    given = ["--color", "#e1463c"] if background == "color" else ["--background", background]
    ran = track(video, tmp_path, *given)
    met = background == "color"
    assert (ran.code, ran.errors) == (0 if met else 3, "")
    assert ("probably shows the tube; give --color, or an image without the tube" in " ".join(ran.said.split())) != met
    assert len(ran.lines) >= 13
    assert ran.said.count("wrote") == 1


def test_overlay_can_be_read_back(ran: Ran) -> None:
    """An image for each frame, with or without a tube, at the video's rate, in a codec for browsers."""
    made = ran.overlay
    assert (made.width, made.height, made.rate) == (WIDTH, HEIGHT, pytest.approx(RATE))
    assert len(list(made.images())) == len(LENGTHS)
    code = int(cv2.VideoCapture(str(made.path)).get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little")
    assert code.upper() in (b"VP09", b"VP90")


def test_a_given_radius_is_kept_and_a_wrong_one_gives_a_warning(video: Path, tmp_path: Path) -> None:
    """The recording has the given radius, even if the video contradicts it; every second frame is tracked."""
    ran = track(video, tmp_path, *AT_BASE, "--color", "#e1463c", "--radius", "25", "--every", "2")
    assert ran.content["tube_radius_m"] == 0.025
    assert "warning: the two radii differ" in ran.said
    assert [frame["time_s"] for frame in ran.content["frames"]] == pytest.approx([2 / RATE, 6 / RATE, 8 / RATE])
    assert ran.overlay.rate == pytest.approx(RATE / 2, rel=0.01)


def test_ctrl_c_keeps_what_was_tracked(video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted at the fifth frame, recording and overlay contain the frames before it."""
    whole = VideoFile.images

    def cut_short(self: VideoFile, every: int = 1) -> Iterator[tuple[int, Image]]:
        for index, image in whole(self, every):
            if index == 4:
                raise KeyboardInterrupt
            yield index, image

    with monkeypatch.context() as patch:
        patch.setattr(VideoFile, "images", cut_short)
        ran = track(video, tmp_path, *AT_BASE)
    assert ran.code == 0
    assert "interrupted" in ran.said
    assert len(ran.lines) == 3  # the first frame shows no tube
    assert len(list(ran.overlay.images())) == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--base", "460,10"], ["--base 460,10 lies outside", "0 to 459"]),
        (["--base", "-1,10"], ["--base -1,10 lies outside", "0 to 459"]),
        (["--color", "#00ff00"], ["no tube", "--tolerance", "--color"]),
        (["--color", "#e1463c", "--every", "3", *AT_BASE], ["in 2 frames only", "needs 3", "--every"]),
        (["--radius", "2000"], ["--radius 2000", "at most 1000"]),
        (["--color", "#00ff00", "--every", "4", *AT_BASE], ["no tube", "--tolerance", "--base"]),
        (["--background", "mean"], ["--background mean", "first, median"]),
        (["--background", "small.png"], ["small.png is 8 x 4 pixels", "460 x 320"]),
        (["--out", "made.txt"], ["--out made.txt", ".json"]),
        (["--overlay", "made.avi"], ["--overlay made.avi", ".mp4"]),
        (["--out", "no/such/made.json"], ["--out", "cannot be written"]),
    ],
)
def test_invalid_input_gives_one_line(video: Path, tmp_path: Path, options: list[str], words: list[str]) -> None:
    """One line on the error stream, and no file is written."""
    cv2.imwrite(str(tmp_path / "small.png"), np.zeros((4, 8, 3), np.uint8))
    ran = track(video, tmp_path, *options)
    assert ran.code == 2
    assert ran.errors.count("\n") == 1
    for word in words:
        assert word in ran.errors
    assert os.listdir(tmp_path) == ["small.png"]


def test_the_video_is_never_overwritten(video: Path, tmp_path: Path) -> None:
    """An overlay with the path of the video is refused, and the video is unchanged."""
    before = video.read_bytes()
    ran = track(video, tmp_path, "--overlay", str(video))
    assert ran.code == 2
    assert "is the video itself" in ran.errors
    assert video.read_bytes() == before


def as_likeness(share: Array) -> Any:
    return (40 * (share - 0.5)).astype(np.float32)


@pytest.mark.parametrize("gap", [7.0, 12.0])
def test_a_hairpin_that_nearly_touches_itself_is_followed(gap: float) -> None:
    """Two strands of a tube are a few pixels apart: the axis follows the bend and does not cross the gap."""
    bend = RADIUS + gap / 2
    truth = along([(150, 0.0), (np.pi * bend, 1 / bend), (120, 0.0)], 40.0, 60.0, 0.0)
    region = tube_region(as_likeness(coverage(truth, 280, 160)), truth[0])
    assert region is not None
    found = tube_axis(region, truth[0])
    assert found is not None
    assert distance_apart(found.points, truth) < 1.0


def test_axis_starts_at_the_base_inside_the_region() -> None:
    """A tube that is visible behind its base is followed from the base."""
    truth = along([(250, 0.0)], 30.0, 50.0, 0.0)
    region = tube_region(as_likeness(coverage(truth, 320, 100)), None)
    assert region is not None
    found = tube_axis(region, np.array([100.0, 52.0]))
    assert found is not None
    assert distance_apart(found.points, np.array([[100.0, 50.0], [280.0, 50.0]])) < 0.5


def test_spurs_of_the_skeleton_are_omitted() -> None:
    """The longest path from the base, in order, without the side branch."""
    skeleton = np.zeros((20, 60), bool)
    skeleton[10, 5:50] = True
    skeleton[4:10, 30] = True
    path = skeleton_path(skeleton, np.array([4.0, 12.0]))
    assert np.array_equal(path, np.column_stack([np.arange(5, 50), np.full(45, 10)]))


def test_the_region_is_the_one_at_the_base() -> None:
    """A larger region of the same colour elsewhere and a speck beside the base are ignored, and so are distant regions."""
    likeness = np.full((200, 300), -20, np.float32)
    likeness[20:40, 10:110] = 20
    likeness[100:200, 150:300] = 20
    likeness[50:53, 4:7] = 20
    region = tube_region(likeness, np.array([8.0, 48.0]))
    assert region is not None
    assert abs(int(region.sum()) - 2000) < 30  # the morphological opening removes the corners
    assert not region[60:].any()
    assert tube_region(likeness, np.array([60.0, 150.0])) is None


class Drawn:
    """A segmentation of images whose pixels are the coverage by the tube."""

    tolerance = 0.5

    def likeness(self, image: Image) -> Any:
        return as_likeness(image[..., 0] / 255)


def grown(axis: Array, lengths: list[int]) -> list[Image]:
    shares = [coverage(axis[: round(length / STEP) + 1], 300, 140) for length in lengths]
    return [np.repeat((255 * share).astype(np.uint8)[..., None], 3, axis=2) for share in shares]


def test_base_is_where_the_tube_meets_the_border() -> None:
    """The base of a tube that crosses the left border is the middle of the crossing."""
    found = find_base(grown(along([(300, 0.0)], -20.0, 70.0, 0.0), [90, 200]), Drawn())
    assert found is not None
    assert found.pixel == pytest.approx([0.0, 70.0], abs=1.0)
    assert "border" in found.found


@pytest.mark.parametrize("heading", [0.0, np.pi])
def test_base_is_the_end_that_does_not_move(heading: float) -> None:
    """Without a border it is the end shared with later frames, one radius behind the axis's first point."""
    truth = along([(200, 0.0)], 150 - 100 * np.cos(heading), 70.0, heading)
    found = find_base(grown(truth, [0, 80, 140]), Drawn())
    assert found is not None
    assert found.pixel == pytest.approx([150 - (100 + RADIUS) * np.cos(heading), 70.0], abs=1.5)


def test_heading_is_the_median_across_the_wrap_of_angles() -> None:
    """The median of directions on both sides of the wrap, with one outlier."""
    lines = [np.array([[0.0, 0.0], [np.cos(a), np.sin(a)]]) for a in np.radians([178.0, 179.0, -179.0, -178.0, 90.0])]
    assert np.degrees(base_heading(lines, 0.2)) % 360 == pytest.approx(179.0)


def test_median_image_has_no_moving_tube() -> None:
    """An object that covers a pixel in fewer than half of the images is removed."""
    pictures = [np.full((4, 5, 3), 90, np.uint8) for _ in range(5)]
    pictures[0][1], pictures[1][1], pictures[2][3] = 200, 210, 10
    assert np.array_equal(median_image(pictures), np.full((4, 5, 3), 90))


def test_shrinking_frames_are_those_shorter_than_before() -> None:
    """Only frames whose tube is shorter by more than a radius than the longest before."""
    lengths = [50.0, 100.0, 92.0, 80.0, 120.0]
    tracked = [Tracked(time, Axis(np.array([[0.0, 0.0], [length, 0.0]]), 10.0)) for time, length in enumerate(lengths)]
    assert find_shrinking(tracked) == [3]
