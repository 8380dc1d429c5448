"""Clip paths of SVG drawings: only what is within them is solid."""

import math
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments.importing.traced import UnusableFile
from tests.environments.importing.svg_drawings import area, boxes, note, read

FAR = '<line x1="190" x2="191" y1="1" y2="1" stroke="red"/><path id="start" d="M100 90h5"/><circle id="goal" cx="150" cy="90" r="5"/>'
"""A wall far from the shapes, and marks outside of them."""
SQUARE = '<rect x="10" y="10" width="20" height="20"/>'
HALF = '<clipPath id="a"><rect x="20" y="0" width="50" height="50"/></clipPath>'
IN_HALF = [(20, 70, 30, 90)]

CUTS = [
    (HALF, f'<g clip-path="url(#a)">{SQUARE}</g>', IN_HALF),
    (HALF, f'<g style="clip-path:url(&quot;#a&quot;)">{SQUARE}</g>', IN_HALF),
    (f"{HALF}<style>.c{{clip-path:url(#a)}}</style>", f'<g class="c"><g>{SQUARE}</g></g>', IN_HALF),
    (HALF, SQUARE.replace("<rect", '<rect clip-path="url(#a)"'), IN_HALF),
    (HALF, f'<g clip-path="none">{SQUARE}</g>', [(10, 70, 30, 90)]),
    # The clip path is in the coordinates of the element, with its transform.
    (HALF, f'<g clip-path="url(#a)" transform="translate(100)">{SQUARE}</g>', [(120, 70, 130, 90)]),
    (HALF, f'<g clip-path="url(#a)"><g transform="translate(5)">{SQUARE}</g></g>', [(20, 70, 35, 90)]),
    (HALF.replace("<clipPath", '<clipPath transform="translate(5)"'), f'<g clip-path="url(#a)">{SQUARE}</g>', [(25, 70, 30, 90)]),
    # Two parts of a clip path, hidden ones, and one within another.
    ('<clipPath id="a"><rect x="10" y="10" width="5" height="5"/><rect x="25" y="25" width="9" height="9"/>'
     '<rect width="99" height="99" display="none"/><rect width="99" height="99" visibility="hidden"/></clipPath>',
     f'<g clip-path="url(#a)">{SQUARE}</g>', [(10, 85, 15, 90), (25, 70, 30, 75)]),
    (HALF + '<clipPath id="b"><rect width="25" height="15"/></clipPath>',
     f'<g clip-path="url(#a)"><g clip-path="url(#b)">{SQUARE}</g></g>', [(20, 85, 25, 90)]),
    (HALF + '<clipPath id="b" clip-path="url(#a)"><rect width="25" height="15"/></clipPath>',
     f'<g clip-path="url(#b)">{SQUARE}</g>', [(20, 85, 25, 90)]),
    (HALF + '<clipPath id="b"><rect width="25" height="15" clip-path="url(#a)"/></clipPath>',
     f'<g clip-path="url(#b)">{SQUARE}</g>', [(20, 85, 25, 90)]),
    ('<defs><rect id="r" width="5" height="5"/></defs><clipPath id="a"><use href="#r" x="10" y="10" transform="translate(3)"/></clipPath>',
     f'<g clip-path="url(#a)">{SQUARE}</g>', [(13, 85, 18, 90)]),
    ('<clipPath id="a"/>', f'<g clip-path="url(#a)">{SQUARE}</g><rect x="50" width="9" height="9"/>', [(50, 91, 59, 100)]),
    # In parts of the box around the element.
    ('<clipPath id="a" clipPathUnits="objectBoundingBox"><rect x=".5" width=".5" height=".25"/></clipPath>',
     SQUARE.replace("<rect", '<rect clip-path="url(#a)" transform="translate(100)"'), [(120, 85, 130, 90)]),
    ('<clipPath id="a" clipPathUnits="objectBoundingBox"><rect width=".5" height="1"/></clipPath>',
     f'<g clip-path="url(#a)">{SQUARE}<g transform="translate(20)">{SQUARE}</g><g display="none"><rect width="99" height="99"/></g></g>',
     [(10, 70, 30, 90)]),
]  # fmt: skip


@pytest.mark.parametrize(("clip", "body", "expected"), CUTS)
def test_only_what_is_within_a_clip_path_is_solid(
    tmp_path: Path, clip: str, body: str, expected: list[tuple[float, ...]]
) -> None:
    """Rectangles along the axes, with their boxes by hand."""
    traced = read(tmp_path, clip + body + FAR)
    assert boxes(traced) == expected
    assert area(traced) == pytest.approx(sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in expected))


ROUND = '<clipPath id="a"><circle cx="50" cy="50" r="20"/></clipPath>'


@pytest.mark.parametrize(
    ("clip", "shape", "expected"),
    [
        (ROUND, '<rect x="50" y="50" width="99" height="99"/>', math.pi * 100),
        (ROUND, '<path d="M50 50h99v99h-99z M0 0h9v9h-9z"/>', math.pi * 100),
        # A square with a hole, of which the circle leaves both.
        (ROUND, '<path fill-rule="evenodd" d="M20 20h60v60h-60z M45 45h10v10h-10z"/>', math.pi * 400 - 100),
        # The clip path has a hole.
        ('<clipPath id="a"><path clip-rule="evenodd" d="M0 0h90v90h-90z M40 40h20v20h-20z"/></clipPath>',
         '<rect x="30" y="30" width="40" height="40"/>', 1200),
        ('<clipPath id="a"><path d="M0 0h90v90h-90z M40 40h20v20h-20z"/></clipPath>',
         '<rect x="30" y="30" width="40" height="40"/>', 1600),
        # Outlines without a fill are solid too; strokes are cut with their width, here at an angle of 45 degrees.
        (ROUND, '<rect x="50" y="50" width="99" height="99" fill="none" stroke="red"/>', math.pi * 100),
        ('<clipPath id="a"><path d="M0 0h60l-30 30h-30z"/></clipPath>',
         '<line x1="5" y1="15" x2="90" y2="15" stroke="red" stroke-width="4"/>', 160),
        ('<clipPath id="a"><path d="M0 0h60v10h-60z"/></clipPath>',
         '<path fill="none" d="M5 5h20v30" stroke="red" stroke-width="4"/>', 22 * 4 + 4 * 3),
    ],
)  # fmt: skip
def test_shapes_are_cut_exactly(tmp_path: Path, clip: str, shape: str, expected: float) -> None:
    """Areas by hand, within 0.1 mm along the circle."""
    traced = read(tmp_path, f'{clip}<g clip-path="url(#a)">{shape}</g>{FAR}')
    assert area(traced) == pytest.approx(expected, abs=0.1 * 126 if "circle" in clip else 1e-6)
    assert len(traced.walls) == 1


def test_what_is_within_a_clip_path_stays_as_it_is(tmp_path: Path) -> None:
    """Circles stay circles, and lines stay lines, whose ends may lie on its edge, or beyond it by rounding; marks are not cut."""
    body = (
        '<clipPath id="a"><rect width="100" height="100"/></clipPath><g clip-path="url(#a)"><circle cx="50" cy="50" r="10"/>'
        '<line x1="-0.00000001" y1="50" x2="30" y2="50" stroke="red" stroke-width="4"/><path id="start" d="M150 50h5"/>'
        '<circle id="goal" cx="100" cy="10" r="5"/></g>'
    )
    traced = read(tmp_path, body)
    np.testing.assert_allclose(traced.circles, [[0.05, 0.05, 0.01]], atol=1e-12)
    np.testing.assert_allclose(traced.walls * 1000, [[0, 50, 30, 50, 4]], atol=1e-7)
    assert traced.start == pytest.approx((0.15, 0.05, 0))
    assert traced.goal == pytest.approx((0.1, 0.09, 0.005))
    assert not traced.solid


def test_lines_of_walls_are_cut(tmp_path: Path) -> None:
    """Outlines that stand for walls end at the clip path."""
    outline = '<rect x="10" y="10" width="20" height="20" fill="none" stroke="red"/>'
    traced = read(tmp_path, f'{HALF}<g clip-path="url(#a)">{outline}</g>{FAR}', wall_thickness=0.002)
    assert area(traced) == pytest.approx(2 * 11 * 2 + 2 * 18)
    assert shapely.area(shapely.union_all(traced.solid).envelope) == pytest.approx(0.011 * 0.022)


def test_what_is_outside_is_counted(tmp_path: Path) -> None:
    """Areas, circles and lines of which nothing is left."""
    shapes = '<rect x="80" width="9" height="9"/><circle cx="90" cy="50" r="5"/><line x1="80" x2="90" stroke="red"/>'
    traced = read(tmp_path, f'{HALF}<g clip-path="url(#a)">{shapes}{SQUARE}</g>{FAR}')
    assert boxes(traced) == IN_HALF
    assert not len(traced.circles)
    assert note(traced, "left out") == "left out: 3 shapes outside of their clip paths"


NOT_APPLIED = [
    ("", 'clip-path="url(#missing)"'),
    ("", 'clip-path="circle(5)"'),
    ("", 'clip-path="url(other.svg#a)"'),
    ('<rect id="a" width="5" height="5"/>', 'clip-path="url(#a)"'),
    ('<clipPath id="a"><text>wall</text></clipPath>', 'clip-path="url(#a)"'),
    ('<clipPath id="a"><use href="#g"/></clipPath><defs><g id="g"/></defs>', 'clip-path="url(#a)"'),
    ('<clipPath id="a" clip-path="url(#a)"><rect width="5" height="5"/></clipPath>', 'clip-path="url(#a)"'),
    ("", 'mask="url(#m)"'),
    ("", 'style="mask:url(#m)"'),
]  # fmt: skip


@pytest.mark.parametrize(("clip", "how"), NOT_APPLIED)
def test_what_is_not_cut_is_told(tmp_path: Path, clip: str, how: str) -> None:
    """Clip paths of another kind, and masks: the shapes are solid as a whole."""
    traced = read(tmp_path, f"<defs>{clip}</defs><g {how}>{SQUARE}</g>{FAR}")
    assert boxes(traced) == [(10, 70, 30, 90)]
    assert note(traced, "left out") == "left out: 1 clip paths and masks"


def test_clip_paths_that_take_too_long_are_refused(tmp_path: Path) -> None:
    """Each of them within ten of the next one."""
    parts = [f'<rect width="9" height="9" clip-path="url(#c{k + 1})"/>' * 10 for k in range(9)]
    clips = "".join(f'<clipPath id="c{k}">{part}</clipPath>' for k, part in enumerate(parts))
    with pytest.raises(UnusableFile, match="clip paths that cut more than 20000000 points"):
        read(
            tmp_path,
            f'{clips}<clipPath id="c9"><rect width="9" height="9"/></clipPath><g clip-path="url(#c0)">{SQUARE}</g>',
        )
