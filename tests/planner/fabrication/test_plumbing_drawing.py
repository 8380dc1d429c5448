"""The drawing of the plumbing: complete, connected and legible, on pages and as an SVG file."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import shapely
from matplotlib.lines import Line2D

from planner.fabrication.assembly.build import Build
from planner.fabrication.guide.flow import Flow
from planner.fabrication.guide.operation_text import operation_rows
from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.plumbing_drawing import (
    ACROSS,
    END,
    SOURCE,
    draw_plumbing,
    drawing_height,
    line_lengths,
    rows_of,
    write_plumbing,
)
from planner.fabrication.guide.plumbing_page import write_plumbing_pages
from planner.fabrication.guide.sketch import PageSketch
from planner.fabrication.lists.plumbing_parts import kilopascals
from planner.fabrication.plumbing.plumbing import plumbing_of
from tests.planner.fabrication.operated import steered, with_pressures
from tests.planner.fabrication.test_guide import PAPERS, check_page

MakeBuild = Callable[..., Build]
TUBE_WIDTH = 0.8
"""Least width of the lines that are tubes [point]."""


def drawn(build: Build) -> Page:
    rows = rows_of(plumbing_of(build))
    page = Page(ACROSS + 20, drawing_height(rows) + 20)
    draw_plumbing(PageSketch(page, 10.0, 10.0), rows, line_lengths(build))
    return page


def tubes(page: Page) -> list[shapely.LineString]:
    """The lines that are tubes [mm]."""
    lines = [one for one in page.figure.artists if isinstance(one, Line2D) and one.get_linewidth() >= TUBE_WIDTH]
    return [shapely.LineString(list(zip(*one.get_data(), strict=True))) for one in lines]


def many(make_build: MakeBuild, count: int, *pressures: float) -> Build:
    """A build of equal sections on both sides in turn, at 35 kPa, or at pressures [Pa]."""
    parts = [part for k in range(count) for part in (("none", 0.15), ("left" if k % 2 else "right", 3, 0.04))]
    build = make_build(*parts, ("none", 0.2))
    return with_pressures(build, *pressures) if pressures else build


def test_it_shows_everything(operated: Build) -> None:
    """Each regulator with its pressure and relief valve, each valve, and each line with its length, once."""
    texts = [text.get_text() for text in drawn(operated).figure.texts]
    plumbing, lengths = plumbing_of(operated), line_lengths(operated)
    for regulator in plumbing.regulators:
        set_to = f"{'≤ ' * regulator.proportional}{kilopascals(regulator.pressure)} kPa"
        assert texts.count(f"{regulator.name}  {set_to}") == 1
        assert sum(text.startswith(f"{regulator.relief} ") for text in texts) == 1
    for name in ("C1", "C2", *(branch.valve for _, branch in plumbing.valves), *lengths):
        assert texts.count(name) == 1, name
    for name, length in lengths.items():
        assert any(f"{6 if name == 'body' else 4} mm tube, {1e3 * length:.0f} mm" == text for text in texts)


def test_all_lines_are_joined_to_the_supply(operated: Build) -> None:
    """The tubes are one net that reaches from the supply to the box of every line."""
    page = drawn(operated)
    net = shapely.union_all([shapely.buffer(one, 0.01) for one in tubes(page)])
    assert net.geom_type == "Polygon"
    assert net.bounds[0] == pytest.approx(10 + SOURCE, abs=0.02)
    ends = [one for one in tubes(page) if abs(one.bounds[2] - (10 + END)) < 1e-6]
    assert len(ends) == len(line_lengths(operated))


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("count", [0, 1, 3, 8, 30])
def test_pages_are_legible(make_build: MakeBuild, paper: str, count: int) -> None:
    """For few and many lines of equal pressure, and of different ones: no text overlaps another, nothing leaves its page."""
    builds = [many(make_build, count) if count else make_build(("none", 1.0))]
    if 1 < count <= 8:
        builds.append(many(make_build, count, *[1e3 * (12.5 + 2.5 * k) for k in range(count)]))
    for build in builds:
        flow = Flow(paper)  # type: ignore[arg-type]
        write_plumbing_pages(flow, build)
        for page in flow.pages:
            check_page(page.figure)
        texts = [text.get_text() for page in flow.pages for text in page.figure.texts]
        assert all(texts.count(one.name) >= 2 for one in build.actuators)  # drawing and table of feed lines


def test_pages_of_all_kinds_are_legible(operated: Build) -> None:
    """The pages of steered, preformed, mixed and other builds."""
    flow = Flow("letter")
    write_plumbing_pages(flow, operated)
    for page in flow.pages:
        check_page(page.figure)


def test_the_svg_file_is_the_same_drawing(operated: Build, tmp_path: Path) -> None:
    """It is XML with all texts as text, in millimetres, and written again it is the same."""
    write_plumbing(tmp_path / "plumbing.svg", operated)
    root = ElementTree.parse(tmp_path / "plumbing.svg").getroot()
    texts = {"".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts == {text.get_text() for text in drawn(operated).figure.texts}
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx((ACROSS + 8) * 72 / 25.4)
    first = (tmp_path / "plumbing.svg").read_bytes()
    write_plumbing(tmp_path / "plumbing.svg", operated)
    assert (tmp_path / "plumbing.svg").read_bytes() == first


def test_the_operation_says_what_to_open_at_which_mark(example: Build) -> None:
    """Two sections: the regulators before growth, a valve at each mark, and the end."""
    assert operation_rows(example) == [
        (
            "Before the growth",
            "0",
            "all valves closed, P1 at 0, C2 open; open C1; set P2 to 35 kPa; then raise P1 slowly to 10.34 kPa",
        ),
        ("When mark S1 comes out at the tip", "300", "open valve V1 (L1 to 35 kPa)"),
        ("When mark S2 comes out at the tip", "800", "open valve V2 (R2 to 35 kPa)"),
        ("At the end", "1300", "stop the growth: lower P1 until the tip stands still"),
    ]


def test_gradual_changes_and_steps_are_told(example: Build) -> None:
    """L1 falls from 26 to 20 kPa, and is vented by a step at 910 mm; 8 mm later R2, which was at 35 kPa, is set to 20 kPa."""
    lengths = [0.0, 0.5, 0.91, 0.91, 0.918, 0.918]
    build = steered(example, lengths, [[35, 35], [20, 35], [20, 35], [0, 35], [0, 35], [0, 20]])
    assert [row[1:] for row in operation_rows(build)[1:-1]] == [
        (
            "300",
            "set P2 (L1) to 26 kPa; from here on lower P2 (L1) in proportion to the grown length, to 23 kPa at mark S2",
        ),
        ("400", "P2 (L1) at 23 kPa: lower it on, to 20 kPa at mark S3"),
        ("500", "P2 (L1) at 20 kPa: leave it there"),
        ("800", "set P3 (R2) to 35 kPa"),
        ("910", "stop the growth; set P2 (L1) to 0 kPa; go on when the tube is at rest"),
        ("918", "stop the growth; set P3 (R2) to 20 kPa; go on when the tube is at rest"),
    ]
    assert operation_rows(build)[-2][0] == "When the film 8 mm past mark S5 comes out at the tip"


def test_lines_that_share_a_valve_are_named_together(example: Build) -> None:
    """Both are opened at 1200 mm and vented at 1250 mm."""
    build = steered(example, [0, 1.2, 1.2, 1.25, 1.25], [[0, 0], [0, 0], [35, 35], [35, 35], [0, 0]])
    assert [row[2] for row in operation_rows(build)[1:-1]] == [
        "stop the growth; open valve V1 (L1 and R2 to 35 kPa); go on when the tube is at rest",
        "stop the growth; close valve V1 (L1 and R2 are vented); go on when the tube is at rest",
    ]
