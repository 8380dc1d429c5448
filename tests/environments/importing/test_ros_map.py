"""Maps of robots."""

import math
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from environments.importing.choose import import_environment
from environments.importing.ros_map import FREE, OCCUPIED, SHADES, UNKNOWN, read_ros_map
from environments.importing.traced import UnusableFile
from tests.environments.importing.maps import write_map, write_pgm


def state(path: Path) -> list[int]:
    """The state of each cell of a map of one row, by what is solid if unknown cells are obstacles, and if they are free."""
    solid = []
    for unknown_free in (False, True):
        traced, backdrop = read_ros_map(path, unknown_free)
        area = shapely.union_all(traced.solid)
        width = backdrop.pixels.shape[1]
        solid.append(shapely.contains_xy(area, backdrop.pixel * (np.arange(width) + 0.5), backdrop.pixel / 2))
    return [OCCUPIED if sure else UNKNOWN if maybe else FREE for maybe, sure in zip(*solid, strict=True)]


def test_one_cell_lies_where_the_conventions_say(tmp_path: Path) -> None:
    """Corners of the cell in column 3 and row 1 from the top of 4, for an origin with yaw, by hand."""
    values = np.full((4, 6), 254, np.uint8)
    values[1, 3] = 0
    yaw = 0.3
    path = write_map(tmp_path, values, resolution=0.2, origin=[-1.5, 2.5, yaw])
    traced, _ = read_ros_map(path, unknown_free=True)
    # From the lower left corner of the map, along its own axes: columns 3 to 4, rows 2 to 3 from below.
    along, across = np.array([0.6, 0.8, 0.8, 0.6]), np.array([0.4, 0.4, 0.6, 0.6])
    x = -1.5 + along * math.cos(yaw) - across * math.sin(yaw)
    y = 2.5 + along * math.sin(yaw) + across * math.cos(yaw)
    (cell,) = traced.solid
    assert shapely.hausdorff_distance(cell, shapely.Polygon(np.column_stack([x, y]))) < 1e-12
    # The box around the rotated map of 1.2 m x 0.8 m.
    wide = 1.2 * math.cos(yaw), 0.8 * math.cos(yaw), 1.2 * math.sin(yaw), 0.8 * math.sin(yaw)
    assert traced.bounds == pytest.approx((-1.5 - wide[3], 2.5, -1.5 + wide[0], 2.5 + wide[2] + wide[1]))


def test_what_is_beside_a_rotated_map_is_unknown(tmp_path: Path) -> None:
    """The four corners of the bounds that the map does not cover are obstacles, unless unknown cells are free."""
    path = write_map(tmp_path, np.full((4, 6), 254, np.uint8), resolution=0.2, origin=[0, 0, math.pi / 6])
    traced, _ = read_ros_map(path)
    x0, y0, x1, y1 = traced.bounds or ()
    assert len(traced.solid) == 4
    assert sum(one.area for one in traced.solid) == pytest.approx((x1 - x0) * (y1 - y0) - 1.2 * 0.8)
    assert not read_ros_map(path, unknown_free=True)[0].solid


VALUES = [
    # Occupancy (255 - value) / 255 against 0.65 and 0.196: 89 is 0.651, 90 is 0.647, 205 is 0.19608, 206 is 0.192.
    ("trinary", 0, [0, 89, 90, 205, 206, 255], [OCCUPIED, OCCUPIED, UNKNOWN, UNKNOWN, FREE, FREE]),
    # value / 255: 166 is 0.65098, 165 is 0.647, 50 is 0.19608, 49 is 0.192.
    ("trinary", 1, [255, 166, 165, 50, 49, 0], [OCCUPIED, OCCUPIED, UNKNOWN, UNKNOWN, FREE, FREE]),
    # A cost below 50 %, an occupancy below 0.423, is free: 148 is 0.41961, 147 is 0.42353.
    ("scale", 0, [0, 89, 90, 147, 148, 205, 206, 255], [OCCUPIED] * 4 + [FREE] * 4),
    ("scale", 1, [255, 166, 165, 108, 107, 50, 49, 0], [OCCUPIED] * 4 + [FREE] * 4),
    # Percent; above 100 unknown; without regard to negate.
    (
        "raw",
        0,
        [0, 19, 20, 64, 65, 66, 100, 101, 255],
        [FREE, FREE, UNKNOWN, UNKNOWN, *[OCCUPIED] * 3, UNKNOWN, UNKNOWN],
    ),
    ("raw", 1, [0, 100, 101, 255], [FREE, OCCUPIED, UNKNOWN, UNKNOWN]),
]


@pytest.mark.parametrize(("mode", "negate", "values", "states"), VALUES)
def test_values_mean_what_map_server_takes_them_for(
    tmp_path: Path, mode: str, negate: int, values: list[int], states: list[int]
) -> None:
    """The table of thresholds by hand, on both sides of each."""
    assert state(write_map(tmp_path, np.array([values], np.uint8), mode=mode, negate=negate)) == states


THRESHOLDS = [
    ("trinary", 0, 1.0, 0.0, [0, 1, 254, 255], [OCCUPIED, UNKNOWN, UNKNOWN, FREE]),
    ("trinary", 1, 1.0, 0.0, [0, 1, 254, 255], [FREE, UNKNOWN, UNKNOWN, OCCUPIED]),
    ("scale", 0, 1.0, 0.0, [0, 1, 127, 128, 254, 255], [OCCUPIED] * 3 + [FREE] * 3),
    # 51 is an occupancy of 0.8, and 204 of 0.2; 153 is one of 0.4, which is 0.39999998 in single precision.
    ("trinary", 0, 0.8, 0.2, [50, 51, 52, 203, 204, 205], [OCCUPIED, OCCUPIED, UNKNOWN, UNKNOWN, FREE, FREE]),
    ("trinary", 1, 0.8, 0.2, [205, 204, 203, 52, 51, 50], [OCCUPIED, OCCUPIED, UNKNOWN, UNKNOWN, FREE, FREE]),
    ("trinary", 0, 0.4, 0.2, [152, 153, 204], [OCCUPIED, UNKNOWN, FREE]),
    # Of two thresholds that are equal that of free cells counts.
    ("trinary", 0, 0.4, 0.4, [152, 153, 154], [OCCUPIED, FREE, FREE]),
    ("scale", 0, 0.4, 0.4, [152, 153, 154], [OCCUPIED, FREE, FREE]),
]


@pytest.mark.parametrize(("mode", "negate", "occupied", "free", "values", "states"), THRESHOLDS)
def test_a_value_at_a_threshold_is_within_it(
    tmp_path: Path, mode: str, negate: int, occupied: float, free: float, values: list[int], states: list[int]
) -> None:
    """As in map_server, which compares in single precision."""
    changes = {"mode": mode, "negate": negate, "occupied_thresh": occupied, "free_thresh": free}
    assert state(write_map(tmp_path, np.array([values], np.uint8), **changes)) == states


def test_a_map_of_costs_is_free_where_they_are_zero(tmp_path: Path) -> None:
    """White is the cost 0 and black 100 %; a note has the number of those between, which are neither."""
    values = np.full((40, 60), 255, np.uint8)
    values[10:30, 30:33] = 0
    changes = {"mode": "scale", "occupied_thresh": 1.0, "free_thresh": 0.0}
    traced, _ = read_ros_map(write_map(tmp_path, values, **changes))
    assert traced.notes[1:] == ("2.5 % occupied, 97.5 % free, 0.0 % unknown, taken as obstacles",)
    assert not traced.hints
    assert [one.bounds for one in traced.solid] == [pytest.approx((1.5, 0.5, 1.65, 1.5))]
    values[0, :10], values[1, :4] = 200, 100
    traced, _ = read_ros_map(write_map(tmp_path, values, **changes))
    assert traced.notes[2:] == (
        "14 cells have a cost between 0 and 100 %: 10 below 50 % are free, 4 others are occupied",
    )


@pytest.mark.parametrize("mode", ["Trinary", " TRINARY ", "trinary"])
def test_capitals_of_the_mode_do_not_matter(tmp_path: Path, mode: str) -> None:
    """As in map_server; blanks around it neither."""
    values = np.array([[0, 90, 255]], np.uint8)
    assert state(write_map(tmp_path, values, mode=f'"{mode}"')) == [OCCUPIED, UNKNOWN, FREE]
    assert state(write_map(tmp_path, values, mode=mode.replace("r", "R"))) == [OCCUPIED, UNKNOWN, FREE]


def test_pictures_of_all_kinds_give_the_same_cells(tmp_path: Path) -> None:
    """PGM in decimal, in bytes and in two bytes; PNG of grey values of 8 and 16 bits, of colours, and with a palette."""
    grey = np.array([[0, 80, 150, 230, 255]], np.uint8)
    expected = [OCCUPIED, OCCUPIED, UNKNOWN, FREE, FREE]
    write_pgm(tmp_path / "plain.pgm", grey, plain=True)
    write_pgm(tmp_path / "bytes.pgm", grey)
    write_pgm(tmp_path / "two.pgm", 257 * grey.astype(int), most=65535)
    write_pgm(tmp_path / "scaled.pgm", np.array([[0, 31, 59, 90, 100]]), most=100)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    Image.fromarray(257 * grey.astype(np.uint16)).save(tmp_path / "two.png")
    # The mean of the colours counts: 80 = (0 + 100 + 140) / 3.
    colours = np.array([[[0, 0, 0], [0, 100, 140], [150, 140, 160], [255, 205, 230], [255, 255, 255]]], np.uint8)
    Image.fromarray(colours).save(tmp_path / "colours.png")
    Image.fromarray(colours).convert("P", palette=Image.Palette.ADAPTIVE).save(tmp_path / "palette.png")
    Image.fromarray(colours).save(tmp_path / "colours.bmp")
    for picture in sorted(tmp_path.glob("*.*")):
        if picture.suffix != ".yaml":
            assert state(write_map(tmp_path, image=picture.name)) == expected, picture.name


@pytest.mark.parametrize("kind", ["RGBA", "LA"])
def test_transparent_cells(tmp_path: Path, kind: str) -> None:
    """Cells that are not opaque are unknown whatever their value; in the mode raw only those of which nothing is seen."""
    grey = [(0, 255), (0, 254), (205, 255), (255, 255), (255, 128), (0, 0)]
    pixels = [[(value, value, value, alpha) for value, alpha in grey]] if kind == "RGBA" else [grey]
    Image.fromarray(np.array(pixels, np.uint8), kind).save(tmp_path / "map.png")
    expected = [OCCUPIED, UNKNOWN, UNKNOWN, FREE, UNKNOWN, UNKNOWN]
    path = write_map(tmp_path, image="map.png")
    assert state(path) == expected
    assert "cells that are partly transparent, taken as unknown: 2" in read_ros_map(path)[0].notes
    expected[2] = FREE  # a cost of almost 0
    assert state(write_map(tmp_path, image="map.png", mode="scale")) == expected
    path = write_map(tmp_path, image="map.png", mode="raw")
    assert state(path) == [FREE, FREE, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]
    assert not any("transparent" in note for note in read_ros_map(path)[0].notes)


NEARLY_ALL = [
    ([0] * 96 + [255] * 4, {}, "96.0 % of the cells are occupied:"),
    ([150] * 96 + [255] * 4, {}, "96.0 % of the cells are unknown:"),
    ([150] * 50 + [0] * 46 + [255] * 4, {}, "96.0 % of the cells are occupied or unknown:"),
    ([255] * 96 + [0] * 4, {"negate": 1}, "96.0 % of the cells are occupied:"),
    ([255] * 100, {"mode": "raw"}, "100.0 % of the cells are unknown:"),
    ([0] * 95 + [255] * 5, {}, None),
    ([255] * 96 + [0] * 4, {}, None),
]


@pytest.mark.parametrize(("values", "changes", "words"), NEARLY_ALL)
def test_a_map_without_free_cells_gets_a_hint(
    tmp_path: Path, values: list[int], changes: dict[str, object], words: str | None
) -> None:
    """At the keys of the file that may be wrong, from 95 % on, whether unknown cells are free or not."""
    for unknown_free in (False, True):
        hints = read_ros_map(write_map(tmp_path, np.array([values], np.uint8), **changes), unknown_free)[0].hints
        expected = (
            () if words is None else (f"{words} check negate, occupied_thresh, free_thresh and mode in map.yaml",)
        )
        assert hints == expected


def test_usual_values_of_unknown_cells_that_are_free_get_a_hint(tmp_path: Path) -> None:
    """By a threshold that is too high, or in the mode scale; also in pictures of colours and of 16 bits."""
    grey = np.array([[205] * 2 + [255] * 98], np.uint8)
    Image.fromarray(grey).convert("RGB").save(tmp_path / "colours.png")
    write_pgm(tmp_path / "two.pgm", 257 * grey.astype(int), most=65535)
    for changes in ({}, {"image": "colours.png"}, {"image": "two.pgm"}):
        (hint,) = read_ros_map(write_map(tmp_path, grey, free_thresh=0.25, **changes))[0].hints
        assert hint.startswith("2.0 % of the cells have the value 205")
        assert hint.endswith("are free with free_thresh = 0.25: with 0.196 they are unknown")
    (hint,) = read_ros_map(write_map(tmp_path, grey, mode="scale"))[0].hints
    assert hint.endswith(
        "with mode: scale and free_thresh = 0.196: with mode: trinary and free_thresh: 0.196 they are unknown"
    )
    assert not read_ros_map(write_map(tmp_path, grey))[0].hints
    assert not read_ros_map(write_map(tmp_path, grey, mode="scale"), unknown_free=True)[0].hints


def test_pictures_of_other_formats(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The message says how to save them, and nothing else is written."""
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(tmp_path / "map.tif")
    with pytest.raises(UnusableFile) as raised:
        read_ros_map(write_map(tmp_path, image="map.tif"))
    expected = "map.yaml: image map.tif is not a whole picture that can be read: save it as PNG, PGM or BMP"
    assert str(raised.value) == expected
    assert capfd.readouterr() == ("", "")


def test_the_pixel_around_a_point(tmp_path: Path) -> None:
    """The centre of each cell, in metres, leads back to the shade of its state, also on a rotated map."""
    values = np.array([[0, 254, 205], [205, 0, 254]], np.uint8)
    backdrop = import_environment(write_map(tmp_path, values, resolution=0.05, origin=[-3.2, 1.7, 0.4])).backdrop
    assert backdrop is not None
    row, column = np.mgrid[:2, :3]
    right, up = 0.05 * (column + 0.5), 0.05 * (1.5 - row)
    x = -3.2 + right * math.cos(0.4) - up * math.sin(0.4)
    y = 1.7 + right * math.sin(0.4) + up * math.cos(0.4)
    found = backdrop.pixels_at(np.stack([x, y], axis=-1).reshape(-1, 2))
    assert found.tolist() == SHADES[[OCCUPIED, FREE, UNKNOWN, UNKNOWN, OCCUPIED, FREE]].tolist()


GRIDS = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.sampled_from([0, 205, 254]), fill=st.nothing())
)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(values=GRIDS, yaw=st.sampled_from([0.0, 0.4, -2.0]), unknown_free=st.booleans())
def test_a_map_comes_back_from_its_obstacles(
    tmp_path_factory: pytest.TempPathFactory, values: np.ndarray, yaw: float, unknown_free: bool
) -> None:
    """The centres of cells are in the imported obstacles, without holes and rounded, exactly where the map says."""
    path = write_map(tmp_path_factory.mktemp("map"), values, resolution=0.05, origin=[-3.2, 1.7, yaw])
    found = import_environment(path, simplify=0.0, unknown_free=unknown_free)
    rows, columns = values.shape
    column, row = np.meshgrid(0.05 * (np.arange(columns) + 0.5), 0.05 * (rows - np.arange(rows) - 0.5))
    x = -3.2 + column * math.cos(yaw) - row * math.sin(yaw)
    y = 1.7 + column * math.sin(yaw) + row * math.cos(yaw)
    area = shapely.union_all(found.obstacles.shapes())
    assert (shapely.contains_xy(area, x, y) == ((values == 0) if unknown_free else (values != 254))).all()
    assert all(shapely.Polygon(polygon).is_valid for polygon in found.obstacles.polygons)
