"""Recordings: reading, validation and writing; and the file of the published wall experiment."""

import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from dynamics.recording import (
    InvalidRecording,
    RecordedContact,
    Recording,
    check_recording,
    load_recording,
    write_recording,
)
from dynamics.recording_hdf5 import load_wall_growth

Content = dict[str, Any]


def content() -> Content:
    """Content of a valid recording."""
    frames = [{"time_s": 0.1 * k, "centerline_m": [[0.0, 0.0], [0.2, 0.0], [0.3 + 0.01 * k, 0.0]]} for k in range(4)]
    return {
        "name": "bench",
        "unit": "m",
        "tube_radius_m": 0.03,
        "base": {"position_m": [0.0, 0.0], "heading_rad": 0.1},
        "walls_m": [[[0.5, -1.0], [0.5, 1.0]]],
        "frames": frames,
    }


def written(folder: Path, data: object) -> Path:
    path = folder / "bench.json"
    path.write_text(json.dumps(data))
    return path


def recordings() -> Path:
    """Folder of recordings of real robots, which are not part of the repository."""
    if "VINEWRIGHT_RECORDINGS" not in os.environ:
        pytest.skip("VINEWRIGHT_RECORDINGS names no folder with real-deployments/ and wall-growth/")
    return Path(os.environ["VINEWRIGHT_RECORDINGS"])


def test_every_key_is_read(tmp_path: Path) -> None:
    """Numbers are read exactly; other keys are allowed; -1 is the tip."""
    data = content() | {"schema": 1, "mass_per_length_kg_per_m": 0.059, "scale_mm_per_px": 0.7}
    data["walls_m"] = [[[0.36, -1.0], [0.36, 1.0]], [[0.0, 0.03], [1.0, 0.03]]]
    data["frames"][2]["contacts"] = [{"wall": 0, "point": -1}, {"wall": 1, "point": 1}]
    data["frames"][1]["length_m"] = 99
    read = load_recording(written(tmp_path, data))
    assert (read.name, read.tube_radius, read.mass_per_length) == ("bench", 0.03, 0.059)
    assert read.base.tolist() == [0, 0, 0.1]
    assert read.walls.tolist() == [[0.36, -1, 0.36, 1], [0, 0.03, 1, 0.03]]
    np.testing.assert_allclose(read.times, [0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(read.centerlines[3], [[0, 0], [0.2, 0], [0.33, 0]])
    assert [(one.frame, one.wall, one.point) for one in read.contacts] == [(2, 0, 2), (2, 1, 1)]


def test_an_index_needs_a_rate(tmp_path: Path) -> None:
    """Times are index / rate, with the caller's rate or else the file's; without either the message gives advice."""
    data = content()
    for k, frame in enumerate(data["frames"]):
        del frame["time_s"]
        frame["index"] = 3 * k
    with pytest.raises(
        InvalidRecording, match=r"frames\[0\] has an index but no time_s; add frames_per_s .*--frames-per"
    ):
        load_recording(written(tmp_path, data))
    data["frames_per_s"] = 30
    np.testing.assert_allclose(load_recording(written(tmp_path, data)).times, [0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(load_recording(tmp_path / "bench.json", 60).times, [0, 0.05, 0.1, 0.15])
    for rate in (1e6, 3e-4):
        np.testing.assert_allclose(load_recording(tmp_path / "bench.json", rate).times, np.arange(0, 12, 3) / rate)
    for k, frame in enumerate(data["frames"]):
        frame["index"] = 10**6 + k
    assert len(load_recording(written(tmp_path, data), 1e6).times) == 4


def change(*keys: str | int, to: object) -> Callable[[Content], None]:
    """An edit of one value; None deletes it."""

    def edit(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        if to is None:
            del data[keys[-1]]
        else:
            data[keys[-1]] = to

    return edit


def scaled(factor: float, digits: int) -> Callable[[Content], None]:
    def edit(data: Any) -> None:
        for frame in data["frames"]:
            frame["centerline_m"] = [
                [round(factor * x, digits), round(factor * y, digits)] for x, y in frame["centerline_m"]
            ]

    return edit


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (change("frames", 2, "time_s", to=0.05), ["frames[2] is at 0.05 s", "in order of time"]),
        (change("frames", to=content()["frames"][:2]), ["frames", "at least 3"]),
        (change("frames", 1, "time_s", to=None), ["frames[1] has neither time_s nor index"]),
        (change("frames", 1, "centerline_m", to=[[0.0, 0.0]]), ["frames[1].centerline_m", "at least 2"]),
        (change("frames", 1, "centerline_m", to=[[0.1, 0.1]] * 3), ["frames[1]", "all its points are the same"]),
        (change("frames", 1, "centerline_m", 1, to=[0.1]), ["frames[1].centerline_m[1]", "at least 2"]),
        (change("frames", 1, "centerline_m", 1, 0, to=math.nan), ["frames[1].centerline_m[1][0]", "nan", "finite"]),
        (change("frames", 1, "centerline_m", 1, 0, to="0.1"), ["frames[1].centerline_m[1][0]", "'0.1'", "number"]),
        (scaled(1000.5, 3), ["frames[3].centerline_m", "330.2 long", "looks like millimetres", "in metres"]),
        (scaled(1000, 0), ["looks like pixels", "in metres"]),
        (scaled(9000, 0), ["looks like pixels", "in metres"]),
        (scaled(1e-3, 9), ["looks like kilometres", "in metres"]),
        (change("unit", to="mm"), ["unit = 'mm' must be 'm'"]),
        (change("unit", to=None), ["missing key unit"]),
        (change("schema", to=2), ["schema = 2 must be 1"]),
        (change("name", to=""), ["name", "at least 1"]),
        (change("tube_radius_m", to=0), ["tube_radius_m = 0", "greater than 0"]),
        (change("mass_per_length_kg_per_m", to=-1.0), ["mass_per_length_kg_per_m = -1.0", "from 0.0005 to 1 kg/m"]),
        (
            change("mass_per_length_kg_per_m", to=1e-300),
            ["mass_per_length_kg_per_m = 1e-300", "from 0.0005 to 1 kg/m"],
        ),
        (change("frames_per_s", to=1e-320), ["frames_per_s = 1e-320", "from 0.0001 to 1e+06"]),
        (change("frames", 1, "index", to=10**400), ["frames[1].index = 1000", "from -1e+09 to 1e+09"]),
        (change("frames", 1, "time_s", to=1e-300), ["frames[1] is 1e-300 s after", "from 1e-06 to 10000 s"]),
        (change("frames", 3, "time_s", to=1e5), ["frames[3] is 99999.8 s after", "from 1e-06 to 10000 s"]),
        (change("frames", 3, "time_s", to=1e17), ["frames[3].time_s = 1e+17", "from -1e+10 to 1e+10 s"]),
        (change("base", "position_m", 0, to=1e308), ["base.position_m[0] = 1e+308", "from -1000 to 1000 m"]),
        (change("base", "position_m", 0, to=10**400), ["base.position_m[0] = 1000", "must"]),
        (change("base", "heading_rad", to=1e9), ["base.heading_rad = 1000000000.0", "from -1000 to 1000 rad"]),
        (change("walls_m", 0, 1, 1, to=1e308), ["walls_m[0][1][1] = 1e+308", "from -1000 to 1000 m"]),
        (
            change("frames", 1, "centerline_m", 1, 0, to=-1e308),
            ["frames[1].centerline_m[1][0]", "from -1e+09 to 1e+09 m"],
        ),
        (change("base", "heading_rad", to="up"), ["base.heading_rad = 'up'", "number"]),
        (change("walls_m", 0, to=[[0.02, -1.0], [0.02, 1.0]]), ["walls_m[0] is 0.02 m from base", "0.03 m, is needed"]),
        (change("walls_m", 0, to=[[0.5, 1.0], [0.5, 1.0]]), ["walls_m[0]", "two ends are the same"]),
        (
            change("frames", 1, "contacts", to=[{"wall": 1, "point": -1}]),
            ["frames[1].contacts[0].wall = 1 does not exist"],
        ),
        (change("frames", 1, "contacts", to=[{"wall": 0, "point": 3}]), ["contacts[0].point = 3 does not exist"]),
        (change("frames", 1, "contacts", to=[{"wall": 0, "point": -4}]), ["contacts[0].point = -4 does not exist"]),
        # The tip is at x = 0.31 m, the wall at 0.5 m.
        (
            change("frames", 1, "contacts", to=[{"wall": 0, "point": -1}]),
            ["frames[1].contacts[0]: point -1 is 0.19 m from the line of walls_m[0]", "at most 3 are allowed"],
        ),
        (
            change("frames", 1, "contacts", to=[{"wall": 0, "point": 0}]),
            ["frames[1].contacts[0].point = 0 is 0 m from base.position_m", "at least a radius, 0.03 m, away"],
        ),
    ],
)
def test_errors_give_one_line(tmp_path: Path, edit: Callable[[Content], None], words: list[str]) -> None:
    """The message gives file, key, value and allowed range."""
    data = content()
    edit(data)
    with pytest.raises(InvalidRecording) as refused:
        load_recording(written(tmp_path, data))
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'bench.json'}: ")
    assert "\n" not in message
    for word in words:
        assert word in message


def test_a_contact_may_be_three_radii_from_its_wall(tmp_path: Path) -> None:
    """On either side of it and beyond its ends: tracking has errors, and a contact refers to the wall's infinite line."""
    for x, allowed in ((0.219, False), (0.221, True), (0.399, True), (0.401, False)):
        data = content() | {"walls_m": [[[x, 1.0], [x, 2.0]]]}
        data["frames"][1]["contacts"] = [{"wall": 0, "point": -1}]
        path = written(tmp_path, data)
        if allowed:
            assert len(load_recording(path).contacts) == 1
        else:
            with pytest.raises(InvalidRecording, match=r"is 0\.091 m from the line"):
                load_recording(path)


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    """Some editors write one at the start of a file."""
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(content()), encoding="utf-8-sig")
    assert load_recording(path).name == "bench"


@pytest.mark.parametrize("text", ["hello", "", "[" * 100_000, "{"])
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, text: str) -> None:
    """JSON without a table and a missing file are refused as well."""
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InvalidRecording, match=r"bad\.json is not JSON"):
        load_recording(tmp_path / "bad.json")
    with pytest.raises(InvalidRecording, match=r"none\.json cannot be read"):
        load_recording(tmp_path / "none.json")
    with pytest.raises(InvalidRecording, match="must be a table"):
        load_recording(written(tmp_path, [1, 2]))


def test_recordings_round_trip(tmp_path: Path) -> None:
    """A written recording is read exactly, including contacts; no other file is left."""
    random = np.random.default_rng(3)
    lines = tuple(np.cumsum(0.1 * random.random((points, 2)), axis=0) for points in (2, 5, 3))
    # Walls through a point of the first frame, and of the last.
    walls = np.array([[lines[2][2][0], 3.0, lines[2][2][0], 4.0], [1 / 3, lines[0][1][1], 0.7, lines[0][1][1]]])
    contacts = (RecordedContact(0, 1, 1), RecordedContact(2, 0, 2))
    before = Recording(
        "bench", 0.012, 0.0297, np.array([0.0, -0.1, 1.3]), np.array([0.0, 0.1 / 3, 0.7]), lines,
        walls, contacts,
    )  # fmt: skip
    write_recording(before, tmp_path / "bench.json")
    after = load_recording(tmp_path / "bench.json")
    assert os.listdir(tmp_path) == ["bench.json"]
    assert (after.name, after.tube_radius, after.mass_per_length) == (
        before.name,
        before.tube_radius,
        before.mass_per_length,
    )
    for one, other in zip((*before.centerlines, before.base, before.times, before.walls), (*after.centerlines, after.base, after.times, after.walls), strict=True):  # fmt: skip # noqa: E501
        np.testing.assert_array_equal(one, other)
    assert [(c.frame, c.wall, c.point) for c in after.contacts] == [(0, 1, 1), (2, 0, 2)]


def test_a_recording_is_written_atomically(tmp_path: Path) -> None:
    """An invalid recording does not change the existing file."""
    (tmp_path / "bench.json").write_text("before")
    lines = (np.eye(2), np.eye(2), np.full((2, 2), np.inf))
    broken = Recording("bench", 0.01, None, np.zeros(3), np.arange(3.0), lines, np.empty((0, 4)), ())
    with pytest.raises(InvalidRecording, match=r"bench\.json: frames\[2\]\.centerline_m\[0\]\[0\] = inf must be"):
        write_recording(broken, tmp_path / "bench.json")
    assert os.listdir(tmp_path) == ["bench.json"]
    assert (tmp_path / "bench.json").read_text() == "before"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"times": np.array([0.0, 0.2, 0.1, 0.3])}, "frames[2] is at 0.1 s, the frame before it at 0.2 s"),
        ({"name": "n" * 201}, "name = 'nnn"),
        ({"tube_radius": 0.51}, "walls_m[0] is 0.5 m from base.position_m"),
        ({"contacts": (RecordedContact(0, 0, 3),)}, "frames[0].contacts[0].point = 3 does not exist"),
        ({"contacts": (RecordedContact(4, 0, 2),)}, "a contact is in frame 4; there are 4 frames, numbered from 0"),
        ({"mass_per_length": 0.0}, "mass_per_length_kg_per_m = 0.0 must be from 0.0005"),
    ],
)
def test_invalid_recordings_are_not_written(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    """The message is that of reading its file; `check_recording` gives the same, and accepts a valid one."""
    good = load_recording(written(tmp_path, content()))
    check_recording(good)
    with pytest.raises(InvalidRecording) as checked:
        check_recording(replace(good, **changed))
    assert str(checked.value).startswith(words)
    with pytest.raises(InvalidRecording) as refused:
        write_recording(replace(good, **changed), tmp_path / "new.json")
    assert str(refused.value) == f"{tmp_path / 'new.json'}: {checked.value}"
    assert os.listdir(tmp_path) == ["bench.json"]


def wall_file(path: Path, frames: int = 4) -> Path:
    """A file of the same format: straight tubes with increasing inclination, in millimetres."""
    with h5py.File(path, "w") as file:
        for side, swing in (("x", np.cos), ("y", np.sin)):
            for number in range(1, frames + 1):
                file[f"{side}_vid/{side}_vid_{number}"] = np.linspace(0, 300, 7) * swing(1.3 - 0.01 * number)
    return path


def test_the_wall_experiment_is_converted_to_metres(tmp_path: Path) -> None:
    """Frames are in numerical order, also beyond the ninth, 1/30 s apart; the tip touches the wall in all."""
    read = load_wall_growth(wall_file(tmp_path / "wall.h5", 11))
    np.testing.assert_allclose(read.times, np.arange(11) / 30)
    for number, line in enumerate(read.centerlines, start=1):
        heading = 1.3 - 0.01 * number
        np.testing.assert_allclose(line[-1], [0.3 * math.cos(heading), 0.3 * math.sin(heading)], rtol=1e-12)
    assert [(one.frame, one.wall, one.point) for one in read.contacts] == [(frame, 0, 6) for frame in range(11)]


def test_other_files_are_refused_as_wall_experiment(tmp_path: Path) -> None:
    """With one line, whatever their content."""
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(InvalidRecording, match=r"text\.h5 is not HDF5"):
        load_wall_growth(tmp_path / "text.h5")
    with pytest.raises(InvalidRecording, match=r"none\.h5 cannot be read"):
        load_wall_growth(tmp_path / "none.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x_vid"] = np.arange(3.0)
    with pytest.raises(InvalidRecording, match="not the published wall experiment"):
        load_wall_growth(tmp_path / "other.h5")


def test_the_published_wall_experiment_is_read() -> None:
    """Eight frames of 21 points; the wall's face is one radius from every tip, within the error of the video."""
    read = load_wall_growth(recordings() / "wall-growth" / "fitting_problem_data.h5")
    assert (len(read.centerlines), {len(line) for line in read.centerlines}) == (8, {21})
    for line in read.centerlines:
        x1, y1, x2, y2 = read.walls[0]
        away = abs((x2 - x1) * (line[-1][1] - y1) - (y2 - y1) * (line[-1][0] - x1)) / math.hypot(x2 - x1, y2 - y1)
        assert away == pytest.approx(read.tube_radius, abs=1.5e-3)


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_recordings_of_real_robots_are_read(number: int) -> None:
    """They have an index only, so a rate must be given."""
    path = recordings() / "real-deployments" / f"pegboard-{number}.json"
    with pytest.raises(InvalidRecording, match="--frames-per-second"):
        load_recording(path)
    read = load_recording(path, 10)
    assert len(read.centerlines) > 100
    assert np.all(np.diff(read.times) > 0)
