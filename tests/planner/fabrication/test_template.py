"""The printed template: its pages are read back as drawing commands."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from pypdf import PageObject, PdfReader
from pypdf.generic import ContentStream

from environments import Environment
from planner.design.estimate import Success
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.success import PackSuccess
from planner.fabrication.guide.paper import Paper, Template
from planner.fabrication.guide.template import write_template
from planner.fabrication.pattern.layout import pattern_of

MakeBuild = Callable[..., Build]
POINT = 25.4 / 72
RULER = 283.4646
"""100 mm [point]."""
PAPERS: dict[Paper, tuple[float, float]] = {"a4": (841.8898, 595.2756), "letter": (792.0, 612.0)}
"""Long and short edge [point]."""
PITCH: dict[Paper, float] = {"a4": 260.0, "letter": 240.0}
MARGIN: dict[Paper, float] = {"a4": (297 - 260) / 2, "letter": (279.4 - 240) / 2}
"""Left edge of a tile on its sheet [mm]."""
RARE = PackSuccess(Success("workshop", 512, 1000, "obstacle 4, 3 mm to the left"), True)
LEFT, TOP = -104.0, 198.0
"""Left edge of the first tile, 4 mm before the film, and upper edge of a tile on its sheet [mm]."""


class Printed:
    """A template that was written to a file."""

    def __init__(self, path: Path, paper: Paper, build: Build, environment: Environment, reached: bool = True) -> None:
        self.paper, self.path = paper, path
        write_template(path, Template(paper, build, pattern_of(build), environment, reached))
        self.reader = PdfReader(path)
        self.texts = [page.extract_text() for page in self.reader.pages]
        self.tiles = [k for k, text in enumerate(self.texts) if re.search(r"row \d+, sheet", text)]


def segments(page: PageObject) -> np.ndarray:
    """Straight lines of a page in page coordinates [point], shape (n, 2, 2)."""
    at, stack, found, last, first = np.eye(3), [], [], np.zeros(3), np.zeros(3)
    for operands, operator in ContentStream(page["/Contents"].get_object(), page.pdf).operations:
        if operator == b"q":
            stack.append(at)
        elif operator == b"Q":
            at = stack.pop()
        elif operator == b"cm":
            a, b, c, d, e, f = map(float, operands)
            at = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ at
        elif operator in (b"m", b"l"):
            here = np.array([float(operands[0]), float(operands[1]), 1]) @ at
            found += [(last[:2], here[:2])] if operator == b"l" else []
            first, last = (here if operator == b"m" else first), here
        elif operator == b"h":
            found.append((last[:2], first[:2]))
    return np.array(found)


def vertical(page: PageObject, x: float) -> np.ndarray:
    """Lower and upper ends of a page's vertical lines at x from the left edge of the sheet, all in millimetres."""
    lines = segments(page) * POINT
    here = lines[(np.abs(lines[:, :, 0] - x) < 1e-3).all(axis=1)]
    return np.sort(here[:, :, 1], axis=1)


@pytest.fixture(scope="module", params=["a4", pytest.param("letter", marks=pytest.mark.slow)])
def printed(
    request: pytest.FixtureRequest,
    example: Build,
    shipped: dict[str, Environment],
    tmp_path_factory: pytest.TempPathFactory,
) -> Printed:
    path = tmp_path_factory.mktemp("template") / "template.pdf"
    made = Printed(path, request.param, example, shipped["plus"])
    assert [file.name for file in path.parent.iterdir()] == ["template.pdf"]
    return made


def test_pages_have_the_size_of_the_paper(printed: Printed) -> None:
    """The cover is portrait, every tile landscape, on A4 or Letter to a tenth of a point."""
    long, short = PAPERS[printed.paper]
    for k, page in enumerate(printed.reader.pages):
        size = (long, short) if k in printed.tiles else (short, long)
        assert [float(edge) for edge in page.mediabox] == pytest.approx([0, 0, *size], abs=0.1)
        assert page.get("/UserUnit", 1) == 1
        assert page.rotation == 0
    # 1420 mm of body behind a gap of 4 mm, in tiles of 260 or 240 mm.
    assert len(printed.tiles) == 6
    assert printed.tiles == list(range(len(printed.texts) - 6, len(printed.texts)))


def test_every_page_has_a_ruler_of_100_mm(printed: Printed) -> None:
    """The cover and every tile have one line of exactly 283.4646 points, with a tick every tenth of it."""
    for k in [0, *printed.tiles]:
        lines = segments(printed.reader.pages[k])
        lengths = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
        level = np.abs(lines[:, 1, 1] - lines[:, 0, 1]) < 1e-6
        rulers = lines[level & (np.abs(lengths - RULER) < 1e-3)]
        assert len(rulers) == 1, f"page {k + 1}"
        (x, y), _ = rulers[0]
        ticks = lines[(np.abs(lines[:, 0, 1] - y) < 1e-6) & ~level]
        assert np.sort(ticks[:, 0, 0]) == pytest.approx(x + RULER / 10 * np.arange(11), abs=1e-3)
        assert "100 mm" in printed.texts[k]
    assert "100 %" in printed.texts[0]


@pytest.mark.parametrize(
    ("name", "position", "fold"), [("L1", 300 + 5 * 42.0, 4.0), ("R2", 800 + 11 * 30.0, 4 + np.pi * 33.35)]
)
def test_bracket_is_printed_at_its_position(printed: Printed, name: str, position: float, fold: float) -> None:
    """Brackets 5 of L1 and 11 of R2 are on the sheet, and at the position on it, that follow from the tile's pitch."""
    column, beyond = divmod(position - LEFT, PITCH[printed.paper])
    page = printed.reader.pages[printed.tiles[int(column)]]
    marks = vertical(page, MARGIN[printed.paper] + beyond)
    edge = TOP - fold
    inwards = (edge - 8, edge) if name == "L1" else (edge, edge + 8)
    assert any(np.allclose(mark, inwards, atol=1e-3) for mark in marks)


def test_marks_are_as_far_apart_as_cells(printed: Printed) -> None:
    """The marks on the folds of all sheets together are those of the design, each once except in the overlap."""
    found: dict[str, set[float]] = {"left": set(), "right": set()}
    for column, k in enumerate(printed.tiles):
        lines = segments(printed.reader.pages[k]) * POINT
        marks = lines[(lines[:, 0, 0] == lines[:, 1, 0]) & (np.abs(np.ptp(lines[..., 1], axis=1) - 8) < 1e-3)]
        # Marks point inwards from the fold; the crosses at the corners point outwards there.
        marks = marks[(marks[:, 1, 1] > TOP - 4 - np.pi * 33.35) & (marks[:, 1, 1] < TOP - 4)]
        x = marks[:, 0, 0] - MARGIN[printed.paper] + column * PITCH[printed.paper] + LEFT
        for side, fold in (("left", TOP - 4), ("right", TOP - 4 - np.pi * 33.35)):
            found[side] |= set(np.round(x[np.abs(marks[:, 0, 1] - fold) < 1e-3], 2).tolist())
    assert sorted(found["left"]) == pytest.approx([300 + 42 * k for k in range(8)], abs=0.01)
    assert sorted(found["right"]) == pytest.approx([800 + 30 * k for k in range(13)], abs=0.01)


def test_crosses_of_neighbours_coincide(printed: Printed) -> None:
    """The corners of a tile have crosses; those at its right edge coincide with those at the left edge of the next tile."""
    long, short = (edge * POINT for edge in PAPERS[printed.paper])
    x = MARGIN[printed.paper], MARGIN[printed.paper] + PITCH[printed.paper]
    assert x[0] + x[1] == pytest.approx(long, abs=1e-3)
    for k in printed.tiles:
        page = printed.reader.pages[k]
        for edge in x:
            crosses = [line for line in vertical(page, edge) if line[1] - line[0] == pytest.approx(8, abs=1e-3)]
            assert sorted(np.mean(crosses, axis=1)) == pytest.approx([TOP - 180, TOP], abs=1e-3)
    assert short - 5 > TOP + 4


def test_nothing_is_drawn_in_the_unprintable_margin(printed: Printed) -> None:
    """On tiles the pattern is clipped at least 8 mm from the edges of the paper."""
    long, short = PAPERS[printed.paper]
    for k in printed.tiles:
        page = printed.reader.pages[k]
        clips = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\s+W n", page.get_contents().get_data())
        windows = [np.array(clip, float) * POINT for clip in clips]
        for x, y, width, height in windows:
            assert min(x, y, long * POINT - x - width, short * POINT - y - height) > 8


def test_sheets_are_numbered(printed: Printed) -> None:
    """Every tile shows its row, its number in the row, its page, and the pages of its neighbours."""
    for k, index in enumerate(printed.tiles):
        text = printed.texts[index]
        assert f"row 1, sheet {k + 1} of 6 · page {index + 1} of {len(printed.texts)}" in text
        assert (f"◂ page {index}" in text) == (k > 0)
        assert (f"page {index + 2} ▸" in text) == (k < 5)
        assert str(index + 1) in printed.texts[0]


def test_cover_describes_the_build(printed: Printed, example: Build) -> None:
    """The cover has the key figures, and a row per actuator; the file has a title and no date."""
    cover = printed.texts[0]
    for part in ("plus", "2 actuators", "1300 mm of tube", "reaches the goal", "Sheets"):
        assert part in cover
    strips = [f"{60 + 1e3 * actuator.contraction + length + 22.5:.1f}"
              for actuator, length in zip(example.actuators, (294, 360), strict=True)]  # fmt: skip
    rows = f"L1 left 300 594 42 7 35 {strips[0]}", f"R2 right 800 1160 30 12 35 {strips[1]}"
    assert set(rows) <= set(cover.split("\n"))
    assert printed.reader.metadata
    assert "plus" in str(printed.reader.metadata.title)
    assert printed.reader.metadata.creation_date is None


def test_fonts_are_embedded(printed: Printed) -> None:
    """Every font is embedded in the file."""
    for page in printed.reader.pages:
        for font in page["/Resources"]["/Font"].values():
            (inner,) = font.get("/DescendantFonts", [font])
            assert "/FontFile2" in inner.get_object()["/FontDescriptor"]


@pytest.mark.slow
def test_file_is_deterministic(example: Build, shipped: dict[str, Environment], tmp_path: Path) -> None:
    """A build gives equal files, even if the user's settings trim figures by default."""
    one = Printed(tmp_path / "one.pdf", "a4", example, shipped["plus"])
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        other = Printed(tmp_path / "other.pdf", "a4", example, shipped["plus"])
    assert one.path.read_bytes() == other.path.read_bytes()
    assert float(other.reader.pages[-1].mediabox.width) == pytest.approx(841.89, abs=0.1)


def figures_of(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> list[Figure]:
    """All pages as figures; only the first is written to the file."""
    figures: list[Figure] = []
    save = PdfPages.savefig

    def keep(pdf: PdfPages, figure: Figure) -> None:
        if not figures:
            save(pdf, figure)
        figures.append(figure)

    with monkeypatch.context() as patch:
        patch.setattr(PdfPages, "savefig", keep)
        write_template(*arguments)
    return figures


@pytest.mark.parametrize("paper", ["a4", pytest.param("letter", marks=pytest.mark.slow)])
def test_text_stays_on_the_page(
    paper: Paper,
    make_build: MakeBuild,
    shipped: dict[str, Environment],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many actuators, a warning and a long unusual name: no text leaves its page or overlaps another; the table is complete."""
    parts = [("left" if k % 2 else "right", 1, 0.02) for k in range(45)]
    build = make_build(*parts, ("none", 0.3))
    environment = replace(shipped["plus"], name="$x_1$ & <b>\n" + "Long \\name " * 20 + "名")
    template = Template(paper, build, pattern_of(build), environment, False, success=RARE)
    figures = figures_of(monkeypatch, tmp_path / "t.pdf", template)
    for figure in figures:
        renderer = FigureCanvasAgg(figure).get_renderer()
        # Clipped texts belong to the pattern.
        texts = [text for text in figure.texts if text.get_text() and text.get_clip_box() is None]
        boxes = [text.get_window_extent(renderer) for text in texts]
        for text, box in zip(texts, boxes, strict=True):
            assert figure.bbox.x0 < box.x0 < box.x1 < figure.bbox.x1, text.get_text()
            assert figure.bbox.y0 < box.y0 < box.y1 < figure.bbox.y1, text.get_text()
        for (a, one), (b, other) in combinations(zip(texts, boxes, strict=True), 2):
            assert not one.overlaps(other), f"{a.get_text()} overlaps {b.get_text()}"
    written = [text.get_text() for figure in figures for text in figure.texts]
    assert {f"{'LR'[k % 2 == 0]}{k + 1}" for k in range(45)} <= set(written)
    assert "This design does not reach its goal in the model." in written


def test_wide_tubes_take_several_rows(make_build: MakeBuild, shipped: dict[str, Environment], tmp_path: Path) -> None:
    """A body 471 mm wide spans three rows of tiles, which show their neighbours above and below; empty tiles are omitted."""
    build = make_build(("none", 1.0))
    wide = Build(replace(build.design, params=replace(build.design.params, radius=0.15)))
    printed = Printed(tmp_path / "template.pdf", "a4", wide, shipped["plus"])
    # 1120 mm by 471 mm: five by three tiles; each has a part of the outline, a label or a line across.
    sheets = [re.findall(r"row (\d), sheet (\d) of (\d)", printed.texts[k])[0] for k in printed.tiles]
    assert {row for row, _, _ in sheets} == {"1", "2", "3"}
    assert all("▾ page" in printed.texts[k] for k in printed.tiles if "row 1," in printed.texts[k])
    assert all("▴ page" in printed.texts[k] for k in printed.tiles if "row 3," in printed.texts[k])


@pytest.mark.slow
def test_long_tubes_and_bare_ones_are_printed(
    make_build: MakeBuild, shipped: dict[str, Environment], tmp_path: Path
) -> None:
    """12 m of tube without an actuator fill 47 sheets of A4; the map shows all of them."""
    printed = Printed(tmp_path / "template.pdf", "a4", make_build(("none", 12.0)), shipped["plus"])
    assert len(printed.tiles) == 47
    cover = " ".join(text for k, text in enumerate(printed.texts) if k not in printed.tiles)
    assert {str(k + 1) for k in printed.tiles} <= set(cover.split())
