"""The builder's guide: complete, legible, and nothing leaves its page."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from dynamics.tube import VineParams
from planner.fabrication.assembly.acceptance import bends
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.films import FILMS, SOURCES
from planner.fabrication.assembly.pressures import pressure_content
from planner.fabrication.assembly.strips import End
from planner.fabrication.assembly.tolerance import Placement
from planner.fabrication.assembly.vessel import vessel_of
from planner.fabrication.guide import sketch
from planner.fabrication.guide.checklist import QUESTIONS
from planner.fabrication.guide.flow import Column, Flow, text_width, wrap
from planner.fabrication.guide.guide import Guide, guide_pages
from planner.fabrication.guide.paper import Page, Paper
from planner.fabrication.guide.sketch import PageSketch
from planner.fabrication.guide.steps import BuildStep, steps
from planner.uncertainty.bend_ranges import BendRange
from planner.uncertainty.sensitivity import Margin
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.registry import actuators
from surrogate.spam import Spam

MakeBuild = Callable[..., Build]
PAPERS: dict[Paper, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
LEAST_SIZE = 7.0
"""Smallest font [point]."""
PALE = to_rgba(sketch.SEALED)


def guide_of(build: Build, reached: bool = True, stock: str | None = None) -> Guide:
    """The guide of a build, with assumed ranges and margins."""
    ranges = [BendRange(0.1, 0.3, (True, False)) if reached else None] * len(build.actuators)
    places = Placement(
        [Margin("", "mm", 0.0, 50.0)] * len(build.actuators),
        Margin("", "mm", 2.5, 10.0),
        Margin("", "deg", 0.5, 10.0),
        switched=[False] * len(build.actuators),
    )
    lines = pressure_content(build, ranges)["lines"]
    made = bends(build, ranges)
    return Guide(
        build,
        lines,
        made,
        places if reached else None,
        vessel_of(build),
        stock,
        meaning="Accepted: angles." if made else "",
    )


def words(pages: list[Page]) -> str:
    """All text of the pages, without line breaks."""
    return " ".join(text.get_text() for page in pages for text in page.figure.texts)


def check_page(figure: Figure) -> None:
    """No text or line leaves the page, no two texts overlap, and no font is tiny."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [(text, text.get_window_extent(renderer)) for text in figure.texts if text.get_text()]
    for text, box in boxes:
        assert figure.bbox.x0 + 10 < box.x0 < box.x1 < figure.bbox.x1 - 10, text.get_text()
        assert figure.bbox.y0 + 10 < box.y0 < box.y1 < figure.bbox.y1 - 10, text.get_text()
        assert text.get_fontsize() >= LEAST_SIZE, text.get_text()
    for (a, one), (b, other) in combinations(boxes, 2):
        assert not one.overlaps(other), f"{a.get_text()} overlaps {b.get_text()}"
    for artist in figure.artists:
        box = artist.get_window_extent(renderer)
        assert figure.bbox.x0 < box.x0 <= box.x1 < figure.bbox.x1
        assert figure.bbox.y0 < box.y0 <= box.y1 < figure.bbox.y1


# The least of the pages that differ: the cover with steps of all kinds, without any, and of a design that misses.
QUICK = (("letter", "mixed"), ("a4", "bare"), ("a4", "missed"))


@pytest.mark.parametrize(
    ("paper", "kind"),
    [
        pytest.param(paper, kind, marks=[pytest.mark.slow] * ((paper, kind) not in QUICK))
        for paper in PAPERS
        for kind in [*actuators(), "mixed", "bare", "missed"]
    ],
)
def test_pages_are_legible(example: Build, mixed: Build, make_build: MakeBuild, paper: Paper, kind: str) -> None:
    """For every actuator, several, none, and a design that misses, on both papers: portrait pages without cut or overlapping text."""
    if kind in actuators():
        cell = 0.04 if kind == "fpam" else 0.03
        example = make_build(("left", 9, cell), ("none", 0.2), params=VineParams(actuator=actuators()[kind]()))
    elif kind == "mixed":
        example = mixed
    elif kind == "bare":
        example = make_build(("none", 1.0))
    pages = guide_pages(guide_of(example, reached=kind != "missed", stock="nearest stock" * (kind == "pouch")), paper)
    for page in pages:
        assert (page.width, page.height) == PAPERS[paper]
        check_page(page.figure)


def test_many_actuators_continue_on_further_pages(make_build: MakeBuild) -> None:
    """The tables of 40 actuators go on, with a row for each and their heads repeated."""
    build = make_build(*[("left" if k % 2 else "right", 1, 0.02) for k in range(40)], ("none", 0.3))
    pages = guide_pages(guide_of(build), "letter")
    written = [text.get_text() for page in pages for text in page.figure.texts]
    assert all(written.count(actuator.name) >= 3 for actuator in build.actuators)
    assert written.count("nearer to the tip [mm]") >= 2
    for page in pages[-3:]:
        check_page(page.figure)


def test_the_guide_says_what_is_needed(example: Build) -> None:
    """Films with ranges and sources, test strips, the steps, print settings, head room, tolerance and the acceptance table."""
    text = words(guide_pages(guide_of(example, stock="nearest stock: 100 mm"), "a4"))
    for film in FILMS:
        assert film.temperature in text
        assert all(1 <= number <= len(SOURCES) for number in film.sources)
    for part in (
        "vessel.stl", "clamp.stl", "bracket.stl", "peeled by hand", "Proof test", "20.7 kPa", "head room", "Acceptance test",
        "nearest stock: 100 mm", "2.5 mm to the right", "10 mm to the left", "0.5° to the right", "≥ 10° to the left",
    ):  # fmt: skip
        assert part in text, part
    assert text.count("☐") == len(QUESTIONS) + 2 + 3 * 2
    angle = bends(example, [None, None])[0].angle
    # From 0.1 to 0.3 rad, rounded inwards: 5.7 and 17.2 degrees; nothing failed at the lower end.
    assert f" {np.degrees(angle):.0f} 6* 17 " in text
    assert "Accepted: angles." in text
    for k, step in enumerate(steps(example, vessel_of(example)), start=1):
        assert f"{k}  {step.title}" in text


def test_stretched_film_is_named(example: Build) -> None:
    """35 kPa in a tube of 17.18 mm are 12 MPa, above the yield of LDPE; at 10 kPa nothing is said."""
    assert "begins to yield (source 2): L1, R2" in words(guide_pages(guide_of(example), "a4"))
    sections = tuple(replace(s, pressure=10e3) if s.side != "none" else s for s in example.design.sections)
    gentle = Build(replace(example.design, sections=sections))
    assert "begins to yield" not in words(guide_pages(guide_of(gentle), "a4"))


def test_a_bare_tube_has_no_actuator_steps(make_build: MakeBuild) -> None:
    """Six steps instead of eleven."""
    build = make_build(("none", 1.0))
    assert len(steps(build, vessel_of(build))) == 6


def test_drawings_stay_in_their_frame(mixed: Build) -> None:
    """Every line and shape of every step lies within 84 by 34 mm, with brackets, seams and lines."""
    assert {one.end for one in mixed.actuators} == {*get_args(End)}
    for step in steps(mixed, vessel_of(mixed)):
        page = Page(200.0, 200.0)
        step.draw(PageSketch(page, 50.0, 100.0))
        points = [np.column_stack(line.get_data()) for line in page.figure.artists if isinstance(line, Line2D)]
        points += [patch.get_xy() for patch in page.figure.artists if isinstance(patch, Polygon)]
        low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
        assert (low >= (50, 100)).all(), step.title
        assert (high <= (50 + sketch.WIDTH, 100 + sketch.HEIGHT)).all(), step.title


def seals(step: BuildStep) -> list[np.ndarray]:
    """Left, lower, right and upper edge of each seal in the drawing of a step [mm], lines included, from the left."""
    step.draw(PageSketch(page := Page(200.0, 200.0), 50.0, 100.0))
    found = [one.get_xy() for one in page.figure.artists if isinstance(one, Polygon) and one.get_facecolor() == PALE]
    found += [
        np.column_stack(one.get_data())
        for one in page.figure.artists
        if isinstance(one, Line2D) and one.get_color() == sketch.SEAL
    ]
    edges = [np.concatenate([points.min(axis=0), points.max(axis=0)]) - (50, 100, 50, 100) for points in found]
    return sorted(edges, key=lambda edge: tuple(edge))


@pytest.mark.parametrize("seam", [0.0, 5e-3, 12e-3])
@pytest.mark.parametrize("actuator", [PouchMotor, Cpam])
def test_seals_of_pouches_are_drawn_as_wide_as_the_bar(
    make_build: MakeBuild, actuator: type[PouchMotor | Cpam], seam: float
) -> None:
    """In proportion to a cell of 40 mm, a line for no width; open in the middle, but for the feed end and the last one."""
    made = make_build(("left", 9, 0.04), ("none", 0.2), params=VineParams(actuator=actuator(seam=seam)))
    found = {step.title: step for step in steps(made, None)}
    feed, *between, last = seals(found["Make the strips"])
    assert len(between) == 2 * 3
    assert [feed[1], feed[3]] == [last[1], last[3]] == [11, 23]
    assert all(edge[3] - edge[1] < 6 for edge in between)
    ends = np.unique([edge[[0, 2]].mean() for edge in (*between, last)])
    cells = np.diff(ends)
    assert cells == pytest.approx(cells[0])
    for edge in (feed, *between, last):
        assert edge[2] - edge[0] == pytest.approx(cells[0] * seam / 0.04)
    fixed = seals(found["Fix the strips to the body"])
    pitch = np.diff([edge[0] for edge in fixed])
    assert pitch == pytest.approx(pitch[0])
    assert [edge[2] - edge[0] for edge in fixed] == pytest.approx([pitch[0] * seam / 0.04] * 4)


def test_seals_of_other_strips_are_at_both_ends(make_build: MakeBuild) -> None:
    """A sPAM and an fPAM have two bands, behind the last bracket or line; the tip of the body has one."""
    for actuator in (Spam(), Fpam()):
        made = make_build(("left", 9, 0.04), ("none", 0.2), params=VineParams(actuator=actuator))
        found = {step.title: step for step in steps(made, None)}
        feed, last = seals(found["Make the strips"])
        assert feed[2] - feed[0] == pytest.approx(last[2] - last[0])
        assert last[0] >= 30 + 3 * 14
        assert not seals(found["Fix the strips to the body"])
        assert len(seals(found["Seal the tip"])) == 1


def test_drawings_of_wide_seals_stay_in_their_frame(make_build: MakeBuild) -> None:
    """A seam of 38 of 40 mm is drawn narrower, and touches neither the fitting nor the next seam."""
    made = make_build(("left", 9, 0.04), ("none", 0.2), params=VineParams(actuator=PouchMotor(seam=38e-3)))
    edges = seals(next(step for step in steps(made, None) if step.title == "Make the strips"))
    assert edges[0][2] < 15 - 2.6
    assert edges[-1][2] + 3 <= sketch.WIDTH
    assert np.diff(np.unique([edge[0] for edge in edges])).min() > edges[0][2] - edges[0][0]


def test_lines_are_broken_at_their_width() -> None:
    """No line is wider than asked, every line but the last is full, and nothing is lost; a long word is broken."""
    text = "Cut the strips from lay-flat tube 54 mm wide; " * 5
    lines = wrap(text, 60.0, 8.5)
    assert " ".join(lines) == " ".join(text.split())
    assert all(text_width(line, 8.5) <= 60.2 for line in lines)
    following = [line.split()[0] for line in lines[1:]]
    assert all(text_width(f"{line} {word}", 8.5) > 59.8 for line, word in zip(lines, following, strict=False))
    broken = wrap("a " + "x" * 80 + " b", 30.0, 8.5)
    assert "".join(broken).replace(" ", "") == "a" + "x" * 80 + "b"
    assert all(text_width(line, 8.5) <= 30.2 for line in broken)
    assert wrap("", 30.0, 8.5) == [""]
    assert wrap("3: parts\n5: steps 1, 2", 60.0, 8.5) == ["3: parts", "5: steps 1, 2"]


def test_tables_continue_on_the_next_page() -> None:
    """100 rows fill several pages; each page begins with the heads, and all rows are above the margin."""
    flow = Flow("a4")
    flow.table([Column("name", 1.0), Column("number", 1.0, "right")], [(f"row {k}", str(k)) for k in range(100)])
    texts = [[text.get_text() for text in page.figure.texts] for page in flow.pages]
    assert len(texts) > 1
    assert all(page[:2] == ["name", "number"] for page in texts)
    assert [name for page in texts for name in page[2::2]] == [f"row {k}" for k in range(100)]
    assert all(text.get_position()[1] >= 15.0 for page in flow.pages for text in page.figure.texts)
