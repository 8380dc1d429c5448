"""Reading SVG drawings: sizes, transforms, shapes and references."""

import math
from pathlib import Path

import numpy as np
import pytest

from environments.importing.svg import read_svg
from environments.importing.traced import UnusableFile
from tests.environments.importing.svg_drawings import MM, area, box, boxes, note, read

BAR = '<rect x="10" y="20" width="40" height="5"/><line x1="150" x2="151" stroke="#000"/>'


@pytest.mark.parametrize(
    ("size", "mm", "expected"),
    [
        ('width="200mm" height="100mm" viewBox="0 0 200 100"', None, (10, 75, 50, 80)),
        ('width="20cm" height="10cm" viewBox="0 0 200 100"', None, (10, 75, 50, 80)),
        ('width="20in" height="10in" viewBox="0 0 200 100"', None, (25.4, 190.5, 127, 203.2)),
        ('width="720pt" height="360pt" viewBox="0 0 200 100"', None, (12.7, 95.25, 63.5, 101.6)),
        ('width="200mm" viewBox="0 0 200 100"', None, (10, 75, 50, 80)),
        ('height="100mm" viewBox="0 0 200 100"', None, (10, 75, 50, 80)),
        ('width="200mm" height="100mm" viewBox="10 20 200 100"', None, (0, 95, 40, 100)),
        # no viewBox: units are pixels of 1/96 inch
        ('width="200mm" height="100mm"', None, (10 / 96 * 25.4, 100 - 25 / 96 * 25.4, 50 / 96 * 25.4, 100 - 20 / 96 * 25.4)),
        # a taller sheet: the drawing is centred, unless it is said otherwise
        ('width="200mm" height="300mm" viewBox="0 0 200 100"', None, (10, 175, 50, 180)),
        ('width="200mm" height="300mm" viewBox="0 0 200 100" preserveAspectRatio="xMinYMin"', None, (10, 275, 50, 280)),
        ('width="200mm" height="300mm" viewBox="0 0 200 100" preserveAspectRatio="none"', None, (10, 225, 50, 240)),
        ('width="200mm" height="300mm" viewBox="0 0 200 100" preserveAspectRatio="xMaxYMax slice"', None, (-370, 225, -250, 240)),
        ('width="200" height="100"', 2.0, (20, 150, 100, 160)),
        ('width="200px" height="100px" viewBox="0 0 200 100"', 0.5, (5, 37.5, 25, 40)),
        ('viewBox="0 0 200 100"', 1.0, (10, 75, 50, 80)),
        # a sheet drawn to the scale 1:10
        ('width="200mm" height="100mm" viewBox="0 0 200 100"', 10.0, (100, 750, 500, 800)),
    ],
)  # fmt: skip
def test_sizes(tmp_path: Path, size: str, mm: float | None, expected: tuple[float, ...]) -> None:
    """Millimetres for each unit from the size of the sheet and its viewBox, or as the user says; y points up."""
    assert box(read(tmp_path, BAR, size, mm_per_unit=mm)) == pytest.approx(expected, rel=1e-9)


INKSCAPE = 'width="200mm" height="100mm" inkscape:version='
AT_90 = (10 / 90 * 25.4, 100 - 25 / 90 * 25.4, 50 / 90 * 25.4, 100 - 20 / 90 * 25.4)
AT_96 = (10 / 96 * 25.4, 100 - 25 / 96 * 25.4, 50 / 96 * 25.4, 100 - 20 / 96 * 25.4)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (f'{INKSCAPE}"0.48.4 r9939"', AT_90),
        (f'{INKSCAPE}"0.91 r13725"', AT_90),
        (f'{INKSCAPE}"0.92.3 (2405546, 2018-03-11)"', AT_96),
        (f'{INKSCAPE}"1.3.2 (091e20e, 2023-11-25)"', AT_96),
        (f'{INKSCAPE}"unknown"', AT_96),
        # The viewBox says how long a unit is.
        (f'{INKSCAPE}"0.48.4 r9939" viewBox="0 0 200 100"', (10, 75, 50, 80)),
    ],
)
def test_pixels_of_old_inkscape_are_a_90th_of_an_inch(tmp_path: Path, size: str, expected: tuple[float, ...]) -> None:
    """Before version 0.92, where the page has millimetres but no viewBox; the page stays as large as it says, and a note tells it."""
    traced = read(tmp_path, BAR + '<rect x="50%" width="10%" height="1"/>', size)
    bar, half = sorted(traced.solid, key=lambda part: part.bounds[0])
    assert 1000 * np.array(bar.bounds) == pytest.approx(expected, rel=1e-9)
    assert (1000 * half.bounds[0], 1000 * half.bounds[2]) == pytest.approx((100, 120))
    assert traced.bounds == pytest.approx((0, 0, 0.2, 0.1))
    told = "a unit of the drawing is 0.282222 mm: pixels of 90 per inch, as Inkscape"
    assert note(traced, "unit").startswith(told) == (expected == AT_90)
    assert ("90 per inch" in note(traced, "unit")) == (expected == AT_90)


@pytest.mark.parametrize(
    ("size", "mm", "message"),
    [
        ('width="200" height="100"', None, r"does not say how large it is .*give --mm-per-unit.*0\.264583 .*0\.352778"),
        (
            'width="744.09" height="1052.36" inkscape:version="0.48.4 r9939"',
            None,
            r"0\.264583 .*, 0\.282222 for those of 90 per inch of Inkscape 0\.48\.4, which wrote it, 0\.352778 for points",
        ),
        ('width="744.09px" height="1052.36px" inkscape:version="1.2"', None, r"96 per inch, 0\.352778 for points"),
        ('width="100%" height="100%" viewBox="0 0 1 1"', None, "give --mm-per-unit"),
        ("", None, "give --mm-per-unit"),
        (MM, 0.0, "with 0 mm per unit; it must be above 0"),
        ('width="200mm" height="100mm" viewBox="0 0 0 100"', None, "has the viewBox '0 0 0 100'"),
        ('width="200mm" height="100mm" viewBox="0 0 100"', None, "has the viewBox '0 0 100'"),
        ('width="0mm" height="100mm"', None, "must be above 0"),
    ],
)
def test_sizes_that_are_not_known(tmp_path: Path, size: str, mm: float | None, message: str) -> None:
    """Pixels are no length of a bench: the message says how to give one."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, BAR, size, mm_per_unit=mm)


@pytest.mark.parametrize(
    ("transforms", "expected"),
    [
        (("translate(10 20)",), (10, 60, 20, 80)),
        (("translate(100,50) rotate(90)",), (80, 40, 100, 50)),
        (("rotate(90)", "translate(10,-30)"), (10, 80, 30, 90)),
        (("scale(2)", "translate(5)"), (10, 60, 30, 100)),
        (("matrix(1 0 0 2 3 4)",), (3, 56, 13, 96)),
        (("skewX(45)",), (0, 80, 30, 100)),
        (("rotate(180 50 50)",), (90, 0, 100, 20)),
        (("scale(-1 1) translate(-50 0)",), (40, 80, 50, 100)),
    ],
)
def test_transforms_of_groups_apply_from_inside_out(
    tmp_path: Path, transforms: tuple[str, ...], expected: tuple[float, ...]
) -> None:
    """On a rectangle of 10 x 20 mm at the upper left corner of the sheet."""
    groups = "".join(f'<g transform="{text}">' for text in transforms)
    body = f'{groups}<rect width="10" height="20"/>{"</g>" * len(transforms)}<line x1="150" x2="151" stroke="#000"/>'
    assert box(read(tmp_path, body)) == pytest.approx(expected, abs=1e-9)


SHAPES = {
    '<rect width="20" height="10"/>': 200,
    '<rect width="20" height="10" rx="3"/>': 200 - (4 - math.pi) * 9,
    '<rect width="20" height="10" rx="30" ry="5"/>': math.pi * 50,
    '<ellipse cx="50" cy="50" rx="20" ry="10"/>': math.pi * 200,
    '<polygon points="0,0 20,0 20,10"/>': 100,
    '<polyline points="0,0 20,0 20,10"/>': 100,
    '<path d="M0 0h20v10z"/>': 100,
    '<path d="M 0,0 20,0 20,10"/>': 100,
    '<path d="m50 50a20 10 0 1 0 40 0a20 10 0 1 0-40 0"/>': math.pi * 200,
    # rotated axes and a radius that is too small for its ends
    '<path d="M50,50 a 20,10 30 0 1 17.320508,10 a 20,10 30 0 1 -17.320508,-10" transform="translate(10)"/>': None,
    '<path d="M50 50 A 1 1 0 0 1 70 50 A 1 1 0 0 1 50 50z"/>': math.pi * 100,
    '<path d="M50 50 A 0 5 0 0 1 70 50 L 70 60 50 60z"/>': 200,
    # a parabola above its chord: two thirds of its box
    '<path d="M0 0 Q 10 20 20 0z"/>': 20 * 10 * 2 / 3,
    '<path d="M0 0 Q 10 20 20 0 T 40 0"/>': 2 * 20 * 10 * 2 / 3,
    # y = 60 t (1 - t) and dx = 120 t (1 - t) dt, integrated from 0 to 1
    '<path d="M0 0 C 0 20 20 20 20 0z"/>': 240,
    '<path d="M0 0h30v30h-30z M10 10h10v10h-10z" fill-rule="evenodd"/>': 800,
    '<path d="M0 0h30v30h-30z M10 10h10v10h-10z"/>': 900,
    '<path d="M0 0h30v30h-30z M10 10v10h10v-10z"/>': 800,
}  # fmt: skip


@pytest.mark.parametrize("shape", [shape for shape, expected in SHAPES.items() if expected is not None])
def test_filled_shapes_are_solid(tmp_path: Path, shape: str) -> None:
    """With the area of closed form, within 0.1 mm along the outline; open ones are closed to fill them."""
    traced = read(tmp_path, shape + '<line x1="150" x2="151" stroke="#000"/>')
    assert area(traced) == pytest.approx(SHAPES[shape], abs=0.1 * 100)
    assert area(traced) <= SHAPES[shape] * (1 + 1e-6)


def test_circles_are_exact_where_they_stay_circles(tmp_path: Path) -> None:
    """Under rotations, mirrors and even scales; otherwise they are polygons."""
    circle = '<circle cx="20" cy="10" r="5"/>'
    traced = read(
        tmp_path, f'<g transform="scale(2 -2) rotate(-90)">{circle}</g><g transform="scale(1 2)">{circle}</g>'
    )
    np.testing.assert_allclose(traced.circles, [[0.02, 0.06, 0.01]], atol=1e-12)
    assert area(traced) == pytest.approx(math.pi * 50, rel=0.02)


def test_strokes_of_open_paths_are_walls(tmp_path: Path) -> None:
    """With the width of the stroke under all transforms; a stroke of a closed path adds nothing to it."""
    body = (
        '<g transform="scale(3)" stroke="black" stroke-width="2">'
        '<path fill="none" d="M0 0L10 0 10 10"/><line x1="20" y1="0" x2="20" y2="5" style="stroke-width:.5mm"/></g>'
        '<rect x="100" y="0" width="10" height="10" stroke="red" stroke-width="4"/>'
    )
    traced = read(tmp_path, body)
    np.testing.assert_allclose(traced.walls * 1000, [[60, 100, 60, 85, 3 * 0.5 * 96 / 25.4]], atol=1e-9)
    assert area(traced) == pytest.approx(100 + 2 * 30 * 6)


def test_references_are_drawn_where_they_are_used(tmp_path: Path) -> None:
    """Shapes, groups and symbols with a viewBox, with the layer of the place; files are never fetched."""
    body = (
        '<defs><rect id="r" width="10" height="10"/></defs>'
        '<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="5"/></symbol>'
        '<g id="WALL"><use href="#r" x="20" transform="scale(2)"/><use xlink:href="#s" x="100" y="50" width="40" height="40"/>'
        '<use href="other.svg#r"/><image href="wall.png" width="50" height="50"/></g>'
    )
    traced = read(tmp_path, body)
    assert boxes(traced) == [(40, 80, 60, 100), (100, 30, 140, 50)]
    assert note(traced, "left out") == "left out: 1 image, 1 references to other files or to nothing"


def test_what_is_not_applied_is_told(tmp_path: Path) -> None:
    """Masks, and style sheets that need more than the element."""
    traced = read(tmp_path, f'<style>g > rect{{fill:none}}</style><g mask="url(#a)">{BAR}</g>')
    assert note(traced, "left out") == "left out: 1 clip paths and masks, 1 rules of style with compound selectors"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<rect width="5em" height="5"/>', "has the length '5em'"),
        ('<g transform="turn(5)"><rect width="5" height="5" transform="rotate(a)"/></g>', "has the transform"),
        ('<path d="M0 0 L 5 5 x"/>', "path data 'M0 0 L 5 5 x'"),
        ('<polygon points="0,0 a,5"/>', "points '0,0 a,5'"),
        ("<text>wall</text>", "no walls that can be read; .*left out: 1 text"),
        ("<rect", "is not valid XML"),
        ('<g id="START"><text>here</text></g>' + BAR, "layer START has 0 lines"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, body: str, message: str) -> None:
    """The message shows it."""
    with pytest.raises(UnusableFile, match=message):
        read(tmp_path, body)


def test_other_xml_is_refused(tmp_path: Path) -> None:
    """Also svg elements without their namespace."""
    path = tmp_path / "a.svg"
    for text in ("<html/>", "<svg/>", "", "hello", '<?xml version="1.0" encoding="nonsense"?><svg/>'):
        path.write_text(text)
        with pytest.raises(UnusableFile, match=r"a\.svg: (is not|cannot be decoded)"):
            read_svg(path)
