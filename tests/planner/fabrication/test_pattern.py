"""The flat pattern."""

from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
import shapely
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox

from dynamics.tube import VineParams
from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Layer, Line, Pattern, PatternPiece, Text
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.registry import actuators
from surrogate.spam import Spam

MakeBuild = Callable[..., Build]
WIDTH = np.pi * 33.35
"""Width of the body's lay-flat tube: half the circumference of a tube of radius 33.35 mm."""
STRIP = np.pi * 17.18
LEFT_MARKS, RIGHT_MARKS = 300 + 42.0 * np.arange(8), 800 + 30.0 * np.arange(13)
"""Cell ends of the example [mm]."""
CAPITAL = 1493 / 2048
"""Height of capitals relative to the font size in DejaVu Sans."""


@pytest.fixture(scope="module")
def pattern(example: Build) -> Pattern:
    return pattern_of(example)


def on(piece: PatternPiece, layer: Layer) -> list[Line]:
    return [line for line in piece.lines if line.layer is layer]


def across(piece: PatternPiece, layer: Layer) -> list[float]:
    """Positions of a layer's lines from one long edge to the other [mm]."""
    _, low, _, high = piece.bounds
    ends = [line.points for line in on(piece, layer) if len(line.points) == 2]
    return sorted(p[0, 0] for p in ends if p[0, 0] == p[1, 0] and np.allclose(sorted(p[:, 1]), [low, high]))


def bands(piece: PatternPiece, layer: Layer = Layer.SEAL) -> list[tuple[float, float]]:
    """Left and right edges of the closed outlines from one long edge to the other [mm]."""
    _, low, _, high = piece.bounds
    closed = [line.points for line in on(piece, layer) if line.closed]
    whole = [p[:, 0] for p in closed if np.allclose(sorted(set(np.round(p[:, 1], 6))), [low, high], atol=1e-5)]
    return sorted((float(x.min()), float(x.max())) for x in whole)


@cache
def letters(text: str) -> Bbox:
    """Extent of a text in DejaVu Sans with capitals 1 mm high [mm]."""
    return TextPath((0, 0), text, size=1 / CAPITAL, prop=FontProperties(family="DejaVu Sans")).get_extents()


def box_of(text: Text) -> shapely.Polygon:
    """Extent of a text [mm]."""
    bounds = letters(text.text)
    left = text.at[0] - {"left": 0.0, "middle": 0.5, "right": 1.0}[text.align] * text.height * bounds.width
    x, y = (left, left + text.height * bounds.width), (bounds.y0, bounds.y1)
    return shapely.box(x[0], text.at[1] + text.height * y[0], x[1], text.at[1] + text.height * y[1])


def test_body_is_as_wide_as_half_the_tube(pattern: Pattern) -> None:
    """The body is cut pi R wide, from 100 mm of clamped film before the base to 20 mm of sealed film beyond the tube."""
    body = pattern.pieces[0]
    left, low, right, high = body.bounds
    assert across(body, Layer.CUT) == pytest.approx([-100, 1320], abs=1e-9)
    assert len(on(body, Layer.CUT)) == 2  # its long edges are folds
    assert (left, right) == (pytest.approx(-100, abs=1e-9), pytest.approx(1320, abs=1e-9))
    assert high - low == pytest.approx(WIDTH, abs=1e-9)


def test_actuator_lines_lie_on_the_folds(pattern: Pattern) -> None:
    """Seen from above, the left line is the upper fold and the right line the lower fold, over the full length."""
    body = pattern.pieces[0]
    _, low, _, high = body.bounds
    along = [line for line in on(body, Layer.MARK) if line.points[0, 1] == line.points[-1, 1]]
    lines = {line.side: line.points for line in along if line.side != "none"}
    assert sorted(lines) == ["left", "right"]
    assert lines["left"] == pytest.approx(np.array([[-100, high], [1320, high]]), abs=1e-9)
    assert lines["right"] == pytest.approx(np.array([[-100, low], [1320, low]]), abs=1e-9)


def test_cell_ends_are_marked_on_the_fold_of_their_side(pattern: Pattern) -> None:
    """Every cell end has a mark that starts on its fold, from the start of the section on at intervals of l_0."""
    body = pattern.pieces[0]
    _, low, _, high = body.bounds
    for name, expected, edge, side in (("L1", LEFT_MARKS, high, "left"), ("R2", RIGHT_MARKS, low, "right")):
        marks = {line.tick[1]: line for line in body.lines if line.tick and line.tick[0] == name}
        assert sorted(marks) == list(range(len(expected)))
        for number, mark in marks.items():
            assert mark.layer is Layer.MARK
            assert mark.side == side
            assert mark.points[0] == pytest.approx([expected[number], edge], abs=1e-9)
            assert mark.points[1, 0] == pytest.approx(expected[number], abs=1e-9)
            assert low < mark.points[1, 1] < high
    assert sum(line.tick is not None for line in pattern.lines()) == 8 + 13


def test_numbers_are_at_their_marks(pattern: Pattern) -> None:
    """On body and strips the numbers count from 0 at the base; each is nearer to its own line than to any other."""
    body, left, right = pattern.pieces
    for piece, side, marks in (
        (body, "left", LEFT_MARKS),
        (body, "right", RIGHT_MARKS),
        (left, "left", across(left, Layer.MARK)),
        (right, "right", across(right, Layer.MARK)),
    ):
        numbers = [text for text in piece.texts if text.text.isdigit() and text.side == side]
        assert [text.text for text in numbers] == [str(k) for k in range(len(marks))]
        for text in numbers:
            away = shapely.distance(box_of(text), shapely.linestrings([[(x, -1e4), (x, 1e4)] for x in marks]))
            assert away.argmin() == int(text.text)
            assert 0.3 < away.min() < 2


def test_sections_are_marked_across(pattern: Pattern) -> None:
    """Lines cross the body at the base and at the end of every section, and nowhere else."""
    assert across(pattern.pieces[0], Layer.MARK) == pytest.approx([0, 300, 594, 800, 1160, 1300], abs=1e-9)


def test_tip_is_sealed_beyond_the_tube(pattern: Pattern) -> None:
    """The body has one seal, a band as wide as a usual bar of 5 mm, which begins where the tube of 1300 mm ends."""
    (seal,) = bands(pattern.pieces[0])
    assert seal == pytest.approx((1300, 1305), abs=1e-9)
    assert len(on(pattern.pieces[0], Layer.SEAL)) == 1


def test_sections_are_labelled(pattern: Pattern) -> None:
    """Each section shows name, range, length, cells and pressure; LEFT at the upper fold, RIGHT at the lower."""
    body = pattern.pieces[0]
    _, low, _, high = body.bounds

    def within(start: float, end: float) -> set[str]:
        return {text.text for text in body.texts if start < text.at[0] < end and not text.text.isdigit()}

    assert within(0, 300) == {"no actuator", "0 to 300 mm", "300 mm", "LEFT", "RIGHT"}
    assert within(300, 594) == {"S1", "L1", "300 to 594 mm", "294 mm", "7 × 42 mm", "35 kPa", "LEFT", "RIGHT"}
    assert within(800, 1160) == {"S2", "R2", "800 to 1160 mm", "360 mm", "12 × 30 mm", "35 kPa", "LEFT", "RIGHT"}
    assert "growth" in within(-100, 0)
    heights = {side: {text.at[1] for text in body.texts if text.text == side} for side in ("LEFT", "RIGHT")}
    assert min(heights["LEFT"]) > (low + high) / 2 + 20 > max(heights["RIGHT"]) + 40


def test_strip_has_a_line_at_every_cell_end(example: Build, pattern: Pattern) -> None:
    """A sPAM's strip is pi R_act wide: 60 mm for seal and fitting, the slack, n cells, half a bracket of 5 mm, then 20 mm of film."""
    for piece, cells, cell, slack in zip(
        pattern.pieces[1:],
        (7, 12),
        (42.0, 30.0),
        [1e3 * actuator.contraction for actuator in example.actuators],
        strict=True,
    ):
        left, low, right, high = piece.bounds
        assert high - low == pytest.approx(STRIP, abs=1e-9)
        assert right - left == pytest.approx(60 + slack + cells * cell + 22.5, abs=1e-9)
        first = left + 60 + slack
        assert across(piece, Layer.MARK) == pytest.approx(first + cell * np.arange(cells + 1), abs=1e-9)
        last = first + cells * cell + 2.5
        assert np.array(bands(piece)) == pytest.approx(np.array([[left + 15, left + 20], [last, last + 5]]), abs=1e-9)


def test_hole_of_the_fitting_lies_between_seal_and_first_cell(pattern: Pattern) -> None:
    """It is cut 5 mm wide, for an M5 thread, in the middle of the 40 mm after the seal at the feed end, with a cross at its centre."""
    for piece in pattern.pieces[1:]:
        left, low, _, high = piece.bounds
        (hole,) = (line for line in on(piece, Layer.CUT) if line.closed)
        assert hole.diameter == 5.0
        assert np.ptp(hole.points, axis=0) == pytest.approx([5, 5], abs=0.02)
        assert hole.centre[0] == pytest.approx(left + 40)
        assert low + 10 < hole.centre[1] < high - 10
        middles = [line.points.mean(axis=0) for line in on(piece, Layer.MARK) if np.ptp(line.points, axis=0).max() < 20]
        assert sum(np.allclose(middle, hole.centre) for middle in middles) == 2


SEALED = {"pouch": PouchMotor(45e-3, seam=4e-3), "cpam": Cpam(seam=8e-3), "wide bar": PouchMotor(seam=15e-3)}


@pytest.mark.parametrize("actuator", SEALED.values(), ids=SEALED)
def test_seams_are_bands_between_chambers(make_build: MakeBuild, actuator: PouchMotor | Cpam) -> None:
    """Each seam lies half on either side of a cell end, so that every chamber, also the first and the last, is a cell less a seam
    long; there are 15 mm of film to hold beyond the outer seals, and a gap in the middle of all seams but the last two."""
    build = make_build(("right", 5, 0.04), ("none", 0.1), params=VineParams(actuator=actuator))
    _, strip = pattern_of(build).pieces
    left, low, right, high = strip.bounds
    seam, slack = 1e3 * actuator.seam, 1e3 * build.actuators[0].contraction
    found = bands(strip)
    assert len(found) == 2
    assert found[0] == pytest.approx((left + 15, left + 15 + seam), abs=1e-9)
    assert right - found[1][1] == pytest.approx(15, abs=1e-9)
    halves = sorted(
        shapely.Polygon(line.points).bounds
        for line in on(strip, Layer.SEAL)
        if np.ptp(line.points[:, 1]) < high - low - 1
    )
    assert len(halves) == 2 * 5
    edges = [*sorted({(round(x0, 6), round(x1, 6)) for x0, _, x1, _ in halves}), found[1]]
    assert [x1 - x0 for x0, x1 in edges] == pytest.approx([seam] * 6, abs=1e-6)
    chambers = [after[0] - before[1] for before, after in pairwise(edges)]
    assert chambers == pytest.approx([40 - seam] * 5, abs=1e-6)
    assert edges[0][0] - found[0][1] == pytest.approx(40 + slack, abs=1e-6)  # the fitting and the slack
    for bottom, top in zip(halves[::2], halves[1::2], strict=True):
        assert (bottom[1], top[3]) == (pytest.approx(low), pytest.approx(high))
        assert top[1] - bottom[3] == pytest.approx(8.0)
        assert (top[1] + bottom[3]) / 2 == pytest.approx((low + high) / 2)
    assert build.actuators[0].cut_length == pytest.approx(
        1e-3 * (15 + seam + 40 + slack + seam / 2 + 200 + seam / 2 + 15)
    )
    assert bands(pattern_of(build).pieces[0])[0] == pytest.approx((300, 300 + seam), abs=1e-9)


def test_pouches_without_a_seam_are_sealed_along_lines(make_build: MakeBuild) -> None:
    """Where the width of a seam is not known, it is a line at the cell end; the body's tip is sealed with a usual bar."""
    build = make_build(("right", 5, 0.04), ("none", 0.1), params=VineParams(actuator=PouchMotor(45e-3, seam=0.0)))
    body, strip = pattern_of(build).pieces
    assert bands(strip) == []
    first = strip.bounds[0] + 55 + 1e3 * build.actuators[0].contraction
    assert across(strip, Layer.SEAL) == pytest.approx([strip.bounds[0] + 15, first + 200])
    assert bands(body) == [pytest.approx((300, 305))]
    gaps = [line.points[0, 0] for line in on(strip, Layer.SEAL) if np.ptp(line.points[:, 1]) < 40]
    assert sorted(gaps) == pytest.approx(np.repeat(first + 40 * np.arange(5), 2))


def test_a_bracket_that_holds_a_length_is_a_band(make_build: MakeBuild) -> None:
    """The length that a bracket holds is drawn half on either side of the cell end; the seal lies beyond the last one."""
    actuator = Spam(seam=12e-3)
    build = make_build(("left", 4, 0.05), ("none", 0.1), params=VineParams(actuator=actuator))
    strip = pattern_of(build).pieces[1]
    first = strip.bounds[0] + 66 + 1e3 * build.actuators[0].contraction
    held = bands(strip, Layer.MARK)
    assert np.array(held) == pytest.approx(np.array([[x - 6, x + 6] for x in first + 50 * np.arange(5)]), abs=1e-9)
    assert bands(strip)[1] == pytest.approx((first + 206, first + 211), abs=1e-9)


@pytest.mark.parametrize("kind", actuators())
def test_centring_marks_meet(make_build: MakeBuild, kind: str) -> None:
    """Every 100 mm of the body has a mark on both folds, and so has the strip: laid cell end on cell end, a strip's marks are at
    those of the body, or, if it is pulled, at the same share of its cells. Each cell end is marked on the middle line."""
    build = make_build(
        ("none", 0.17), ("left", 7, 0.062), ("none", 0.3), params=VineParams(actuator=actuators()[kind]())
    )
    body, strip = pattern_of(build).pieces
    for piece in (body, strip):
        _, low, _, high = piece.bounds
        short = [
            line.points for line in on(piece, Layer.MARK) if 1 < np.ptp(line.points[:, 1]) < 2.5 and not line.closed
        ]
        short = [points for points in short if high in points[:, 1] or low in points[:, 1]]
        folds = [sorted(points[0, 0] for points in short if edge in points[:, 1]) for edge in (low, high)]
        assert folds[0] == folds[1]
        if piece is body:
            assert folds[0] == pytest.approx(100 * np.arange(10))
            continue
        (made,) = build.actuators
        on_body = 170 + (np.array(folds[0]) - strip.bounds[0] - 1e3 * made.tail) * made.stretch
        regular = [200.0, 300, 400, 500, 600]
        ends = 170 + 62.0 * np.arange(8)
        assert on_body == pytest.approx(np.sort([*regular, *ends]) if made.end == "seam" else regular)
        level = [line.points for line in on(piece, Layer.MARK) if np.allclose(line.points[:, 1], (low + high) / 2)]
        at = (
            170
            + (np.array([points[:, 0].mean() for points in level]) - strip.bounds[0] - 1e3 * made.tail) * made.stretch
        )
        assert np.sort(at) == pytest.approx(ends)


SHORT = [("left" if k % 2 else "right", 1 + k % 3, 0.015) for k in range(40)]
MANY = {
    "example": (
        [("none", 0.3), ("left", 7, 0.042), ("none", 0.206), ("right", 12, 0.03), ("none", 0.14)],
        VineParams(),
    ),
    "bare": ([("none", 1.0)], VineParams()),
    "one after another": (
        [("left", 3, 0.02), ("left", 2, 0.015), ("left", 1, 0.1), ("right", 1, 0.0151)],
        VineParams(),
    ),
    "short": ([*SHORT, ("none", 0.05)], VineParams()),
    "long": ([("none", 3.0), ("left", 110, 0.04), ("none", 4.6)], VineParams()),
    "pouches": ([("left", 9, 0.04), ("none", 0.05), ("right", 3, 0.0205)], VineParams(actuator=PouchMotor())),
    "bars of 15 mm": ([("left", 9, 0.04), ("right", 3, 0.0355)], VineParams(actuator=Cpam(seam=15e-3))),
    "held": ([("left", 9, 0.04), ("right", 3, 0.0355)], VineParams(actuator=Spam(seam=10e-3))),
    "fabric": ([("left", 9, 0.04), ("none", 0.05), ("right", 3, 0.04)], VineParams(actuator=Fpam())),
    "narrow strips": ([("left", 9, 0.04), ("right", 3, 0.0205)], VineParams(actuator=PouchMotor(width=25e-3))),
    "wide": ([("left", 9, 0.04), ("right", 3, 0.02)], VineParams(radius=1.0)),
    "thin": ([("left", 9, 0.04), ("right", 3, 0.02)], VineParams(radius=1e-3, penetration_tolerance=1e-4)),
    "wide strips": ([("left", 9, 0.04), ("right", 3, 0.02)], VineParams(actuator=Spam(10e-3, 70e-3))),
}


@pytest.fixture(scope="module", params=MANY)
def any_build(request: pytest.FixtureRequest, make_build: MakeBuild) -> Build:
    parts, params = MANY[request.param]
    return make_build(*parts, params=params)


def test_pieces_keep_apart_and_in_their_rows(any_build: Build) -> None:
    """No pieces overlap. None crosses a row's boundary unless it is wider than a row; then it starts at the row's top."""
    pattern = pattern_of(any_build)
    boxes = [shapely.box(*piece.bounds) for piece in pattern.pieces]
    assert [piece.name for piece in pattern.pieces] == ["body", *(actuator.name for actuator in any_build.actuators)]
    assert min((a.distance(b) for a, b in combinations(boxes, 2)), default=9) > 2
    for piece in pattern.pieces:
        _, low, _, high = piece.bounds
        top = 180 * np.ceil(high / 180)
        if high - low < 170:
            assert low > top - 180 + 1
        else:
            assert top - high < 10
    assert pattern.rows == np.ceil(-min(box.bounds[1] for box in boxes) / 180)
    assert min(box.bounds[0] for box in boxes) == pytest.approx(-100)


def test_strips_share_a_lane(make_build: MakeBuild) -> None:
    """Short strips of a long tube share a lane below the body: one row is enough."""
    pattern = pattern_of(make_build(("left", 9, 0.04), ("none", 1.0), ("right", 9, 0.04), ("none", 1.0)))
    assert pattern.rows == 1
    first, second = (piece.bounds for piece in pattern.pieces[1:])
    assert first[1] == second[1]
    assert first[2] < second[0]


def test_labels_are_legible(any_build: Build) -> None:
    """Measured in a real font, no text overlaps another text or a line, and none leaves its piece."""
    for piece in pattern_of(any_build).pieces:
        boxes = [box_of(text) for text in piece.texts]
        assert shapely.box(*piece.bounds).contains(shapely.union_all(boxes))
        lines = [(shapely.polygons if line.closed else shapely.linestrings)(line.points) for line in piece.lines]
        for others in (boxes, lines):
            tree = shapely.STRtree(others)
            for k, box in enumerate(boxes):
                hits = [i for i in tree.query(box, "intersects") if others is lines or i != k]
                assert not hits, f"{piece.name}: {piece.texts[k].text} overlaps something"


def test_labels_are_large_enough(pattern: Pattern) -> None:
    """On pieces of usual size no text is smaller than 2.4 mm."""
    assert min(text.height for text in pattern.texts()) > 2.4
