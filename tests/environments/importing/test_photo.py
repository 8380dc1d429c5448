"""Obstacles on photographs of a bench."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely.affinity import translate

from environments.importing.build import Imported
from environments.importing.choose import import_environment
from environments.importing.traced import UnusableFile
from tests.environments.importing.photographs import FINE, OBSTACLES, SHOWN, SIZE, VIEW, bench, photographed, save

DARK, RED = (60, 60, 60), (200, 50, 40)
CORNERS = tuple(tuple(corner) for corner in VIEW.tolist())
WITHIN = {"dark": 1.0, "red": 2.0, "markers": 1.0}
"""Largest distance of an outline from the true one that is allowed [mm]; a pixel is 0.52 mm."""


@cache
def photo(
    color: tuple[int, int, int], markers: float = 0.0, shapes: Sequence[shapely.Polygon] = OBSTACLES
) -> np.ndarray:
    return photographed(bench(color, shapes, markers))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A photograph of dark obstacles: to write it takes as long as to read it."""
    return save(tmp_path_factory.mktemp("photographs") / "bench.png", photo(DARK))


def pairs(found: Imported) -> list[tuple[shapely.Polygon, shapely.Polygon]]:
    """The nearest obstacle that was found to each true one, and that."""
    return [(min(found.outlines, key=lambda one: one.symmetric_difference(true).area), true) for true in OBSTACLES]


def off(found: Imported) -> list[float]:
    """Hausdorff distance of each true obstacle from the nearest one that was found, in both directions [mm]."""
    both = [(one.boundary, true.boundary) for one, true in pairs(found)]
    return [1e3 * shapely.hausdorff_distance(one, true, densify=0.05) for one, true in both]


@pytest.mark.parametrize("way", ["dark", "red", "markers"])
def test_obstacles_are_found_to_a_millimetre_or_two(tmp_path: Path, way: str) -> None:
    """In light that falls by half across the bench, with noise, seen at an angle: all of them, and nothing else, with y up."""
    options = {"corners": CORNERS, "size": SIZE}
    if way == "red":
        path = save(tmp_path / "bench.png", photo(RED))
        options["color"] = RED
    elif way == "dark":
        path = save(tmp_path / "bench.jpg", photo(DARK))
    else:
        path = save(tmp_path / "bench.jpeg", photo(DARK, markers=0.05))
        options = {"aruco": True, "size": SIZE}
    found = import_environment(path, **options)
    assert found.bounds == (0, 0, *SIZE)
    assert len(found.outlines) == len(OBSTACLES)
    assert max(off(found)) < WITHIN[way]
    assert found.moved < 0.53e-3
    if way != "red":
        # Nothing is shifted by half a pixel; the light moves outlines by colour more than that.
        shifts = [np.subtract(one.centroid.coords[0], true.centroid.coords[0]) for one, true in pairs(found)]
        assert np.abs(np.mean(shifts, axis=0)).max() < 0.3 * found.backdrop.pixel


def test_the_error_of_markers_is_known_from_their_shape(tmp_path: Path) -> None:
    """Markers of 50 mm are measured to 0.5 mm; in a photograph through a lens that bends straight lines, they are not squares."""
    options = {"aruco": True, "size": SIZE}
    error = []
    for bend in (0.0, 0.3):
        picture = photo(DARK, markers=0.05)
        x, y = np.meshgrid(np.linspace(-1, 1, 1600), np.linspace(-1, 1, 1200))
        stretch = 1 + bend * (x**2 + y**2) / 2
        column, row = (
            np.clip(np.round((side * stretch + 1) / 2 * count), 0, count) for side, count in ((x, 1599), (y, 1199))
        )
        path = save(tmp_path / "bench.png", picture[row.astype(int), column.astype(int)])
        note = next(note for note in import_environment(path, **options).notes if "markers" in note)
        side, within = (float(number) for number in re.findall(r"([\d.]+) mm", note))
        assert side == pytest.approx(50, abs=0.5 if not bend else 5)
        error.append(within)
    assert error[0] < 0.3
    assert error[1] > 4 * error[0]


def test_a_turned_order_of_corners_turns_the_environment(saved: Path) -> None:
    """With the lower right corner first, the rectangle of 400 mm x 600 mm begins there: what was at (x, y) is at (y, 600 - x)."""
    turned = import_environment(saved, corners=(*CORNERS[1:], CORNERS[0]), size=SIZE[::-1])
    true = [
        shapely.transform(one, lambda points: np.column_stack([points[:, 1], 0.6 - points[:, 0]])) for one in OBSTACLES
    ]
    for one in true:
        assert min(shapely.hausdorff_distance(one.boundary, found.boundary) for found in turned.outlines) < 2e-3


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ((0, 2, 1, 3), "cross"),
        ((3, 2, 1, 0), "run clockwise"),
        ((0, 1, 2, 2), "convex"),
        ((0, 1, 1, 0), "cross|convex"),
    ],
)
def test_corners_in_a_wrong_order_are_refused(saved: Path, corners: tuple[int, ...], words: str) -> None:
    """Crossing sides, a mirrored rectangle and repeated corners: the message gives the right order."""
    with pytest.raises(UnusableFile, match=words):
        import_environment(saved, corners=tuple(CORNERS[one] for one in corners), size=SIZE)


@pytest.mark.parametrize(("x", "y"), [(-5, 1000), (1600, 1000), (100, 1200), (100, -1)])
def test_corners_outside_the_photograph_are_refused(saved: Path, x: int, y: int) -> None:
    """The message gives the corner, and the range of its pixels."""
    words = f"corner {x}, {y} is outside of the photograph of 1600 x 1200 pixels: x must be from 0 to 1599, and y from 0 to 1199"
    with pytest.raises(UnusableFile, match=words):
        import_environment(saved, corners=((x, y), *CORNERS[1:]), size=SIZE)


def test_a_file_that_is_no_photograph(tmp_path: Path) -> None:
    """The message says how to save it, without names from within the program."""
    (tmp_path / "bench.png").write_bytes(b"hello")
    with pytest.raises(UnusableFile) as raised:
        import_environment(tmp_path / "bench.png", corners=CORNERS, size=SIZE)
    assert str(raised.value) == "bench.png is not a whole picture that can be read: save it as PNG or JPEG"


def test_a_photograph_without_markers_or_obstacles_is_refused(saved: Path, tmp_path: Path) -> None:
    """Markers that are not seen are named; an empty bench has no threshold."""
    with pytest.raises(UnusableFile, match=r"markers 0, 1, 2 and 3 .* seen: none"):
        import_environment(saved, aruco=True, size=SIZE)
    empty = save(tmp_path / "empty.png", photo(DARK, shapes=()))
    with pytest.raises(UnusableFile, match="nothing on it is much darker"):
        import_environment(empty, corners=CORNERS, size=SIZE)
    with pytest.raises(UnusableFile, match="no obstacles were found"):
        import_environment(saved, corners=CORNERS, size=SIZE, color=(0, 255, 0))
    for more in ({"tolerance": 10.0}, {"tolerance": float("nan"), "color": RED}):
        with pytest.raises(
            UnusableFile, match=r"--tolerance \S+ must be greater than 0 and at most 200, and needs --color"
        ):
            import_environment(saved, corners=CORNERS, size=SIZE, **more)
    with pytest.raises(UnusableFile, match="rectangle of known size"):
        import_environment(saved, corners=CORNERS)


def test_a_photograph_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    """A picture stored on its side, with the turn in its EXIF data, is read as a viewer shows it."""
    from PIL import Image

    upright = Image.fromarray(photo(DARK))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter clockwise
    upright.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "side.jpg", exif=exif, quality=92)
    found = import_environment(tmp_path / "side.jpg", corners=CORNERS, size=SIZE)
    assert max(off(found)) < WITHIN["dark"]


def test_a_scan_needs_one_known_length(tmp_path: Path) -> None:
    """From straight above, without a rectangle: obstacles to a millimetre, three pixels, and the whole picture as the bounds."""
    picture = bench(DARK)
    height, width = picture.shape[:2]
    # From the left margin to the right edge of the bench: 0.6 m are 1800 pixels.
    known = 0.6, (240.0, 100.0), (2040.0, 100.0)
    found = import_environment(save(tmp_path / "scan.png", picture), known=known)
    assert found.bounds == pytest.approx((0, 0, width / FINE, height / FINE))
    for one, true in zip(
        sorted(found.outlines, key=lambda one: one.bounds), sorted(OBSTACLES, key=lambda one: one.bounds), strict=True
    ):
        there = translate(true, SHOWN, SHOWN)
        assert shapely.hausdorff_distance(one.boundary, there.boundary, densify=0.05) < 1e-3
    with pytest.raises(
        UnusableFile, match=rf"ends at \(3000, 5\), which is not in the photograph: x from 0 to {width - 1}"
    ):
        import_environment(tmp_path / "scan.png", known=(0.6, (0.0, 5.0), (3000.0, 5.0)))
    with pytest.raises(UnusableFile, match="needs a known length"):
        import_environment(tmp_path / "scan.png", known=known, size=SIZE, corners=CORNERS)
