"""Packs of a tube with actuators of several types: each is made as on a tube with its type alone."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from matplotlib.patches import Polygon
from pypdf import PdfReader

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import load_environment, write_environment
from planner.design.design import Design, InvalidDesign, Section, cell_name
from planner.design.design_file import design_content, load_design
from planner.design.replay import grow_designs
from planner.fabrication.assembly.acceptance import bends
from planner.fabrication.assembly.bracket import THICKNESS, outline, write_bracket
from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.assembly.pressures import check_head_room, pressure_content
from planner.fabrication.assembly.stock import with_stock
from planner.fabrication.assembly.strips import End
from planner.fabrication.assembly.success import have_equal_sections
from planner.fabrication.assembly.vessel import HOSE, content
from planner.fabrication.guide import sketch
from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.sketch import PageSketch
from planner.fabrication.guide.steps import steps
from planner.fabrication.lists.cut_list import TAPE, cut_list, section_table
from planner.fabrication.lists.parts import STRIP, STRIPS, parts_list
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.plumbing.operation_file import load_operation
from planner.uncertainty.bend_ranges import BendRange
from surrogate.films import STRIP_FILM
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam
from tests.command_line import vinewright

pytestmark = pytest.mark.usefixtures("small_pictures")

TYPES = ["pouch", "spam", "fpam", "pouch"]
"""Types of the actuators of `mixed`, from the base."""


def pairs(mixed: Build) -> Iterator[tuple[ActuatorBuild, Build]]:
    """Each actuator, and the build of a tube of the same length that has its type and only this section."""
    for one in mixed.actuators:
        params = replace(mixed.design.params, actuator=one.actuator, others=())
        start, end, built = one.section.start, one.section.end, mixed.design.built
        bare = [Section(low, high, "none", 0.0, 0.0, 0.0) for low, high in ((0.0, start), (end, built)) if high > low]
        sections = sorted([*bare, replace(one.section, kind=0)], key=lambda section: section.start)
        yield one, Build(replace(mixed.design, params=params, sections=tuple(sections)))


def rows(text: str, **wanted: str) -> list[dict[str, str]]:
    """Rows of a CSV with some values, without the name and the type."""
    found = [row for row in csv.DictReader(io.StringIO(text)) if wanted.items() <= row.items()]
    return [{key: value for key, value in row.items() if key not in ("name", "type")} for row in found]


def ranges(build: Build) -> list[BendRange]:
    return [BendRange(0.1, 0.3)] * len(build.actuators)


def test_strips_are_those_of_each_type_alone(mixed: Build) -> None:
    """Cut length, width, film, cells, seams and lines, on the pattern and in the tables; feed lines as well."""
    assert [one.actuator.kind for one in mixed.actuators] == TYPES
    assert len({one.width for one in mixed.actuators}) == 3
    for k, (one, alone) in enumerate(pairs(mixed), start=1):
        (strip,) = alone.actuators
        assert (one.cut_length, one.cut_width, one.area) == (strip.cut_length, strip.cut_width, strip.area)
        here, there = pattern_of(mixed).pieces[k], pattern_of(alone).pieces[1]
        here = here.translate(*np.subtract((there.bounds[0], there.bounds[3]), (here.bounds[0], here.bounds[3])))
        for line, other in zip(here.lines, there.lines, strict=True):
            assert (line.layer, line.closed, line.side) == (other.layer, other.closed, other.side)
            assert line.points == pytest.approx(other.points)
        expected = [one.name if text.text == strip.name else text.text for text in there.texts]
        assert [text.text for text in here.texts] == expected
        assert rows(cut_list(mixed), part="actuator", name=one.name) == rows(cut_list(alone), part="actuator")
        (feed,), (usual,) = (
            rows(cut_list(mixed), part="feed line", name=one.name),
            rows(cut_list(alone), part="feed line"),
        )
        assert feed["cut_length_mm"] == usual["cut_length_mm"]
        assert rows(section_table(mixed), name=one.name) == rows(section_table(alone))


def test_films_are_bought_by_type(mixed: Build) -> None:
    """The list has all tube or fabric for the strips of the type and its test strips; the specification is that of the type alone."""
    parts = {part.name: part for part in parts_list(mixed, None) if "of the " in part.name}
    names = {"spam": "tube", "pouch": "tube", "fpam": "fabric"}
    assert [*parts] == ["tube of the body", *(f"{what} of the {kind} actuators" for kind, what in names.items())]
    for one, alone in pairs(mixed):
        kind, made = one.actuator.kind, {part.name: part for part in parts_list(alone, None)}
        bought, usual = (
            parts[f"{names[kind]} of the {kind} actuators"],
            made[f"{names[kind]} of the actuators"],
        )
        assert bought.what == usual.what
        strips = [other.cut_length for other in mixed.actuators if other.actuator.kind == kind]
        assert bought.quantity == pytest.approx(sum(strips) + STRIP * STRIPS)
        assert bought.purpose.startswith(f"{len(strips)} strip")


def test_one_roll_is_enough_for_types_of_the_same_film(mixed: Build) -> None:
    """If sPAMs and pouches are of tube of one width, it is one part, with the test strips once."""
    stocked = Build(with_stock(mixed.design, [0.05, 0.1])[0])
    (tube, _) = [part for part in parts_list(stocked, None) if part.name.endswith(" actuators")]
    assert tube.name == "tube of the spam and pouch actuators"
    assert tube.what.startswith("50 mm lay-flat")
    strips = [one.cut_length for one in stocked.actuators if one.actuator.kind != "fpam"]
    assert tube.quantity == pytest.approx(sum(strips) + STRIP * STRIPS)


def test_only_spams_have_brackets(mixed: Build) -> None:
    """Eight for seven cells; the pouches are taped along their middle, the sPAM and the fPAM at each cell end."""
    (bracket,) = rows(cut_list(mixed), part="bracket")
    assert bracket["quantity"] == "8"
    parts = {part.name: part for part in parts_list(mixed, None)}
    assert parts["bracket"].quantity == 8
    tapes = [(row["quantity"], row["cut_length_mm"]) for row in rows(cut_list(mixed), part="tape")]
    assert tapes == [("8", "60"), ("1", "210"), ("1", "200"), ("6", "60")]
    assert parts["double-sided tape"].quantity == pytest.approx(0.41 + (8 + 6) * TAPE)


def test_the_vessel_holds_the_parts_of_each(mixed: Build) -> None:
    """Strips and hoses of all, and the eight brackets of the sPAM, whose plates count in full although they have holes."""
    bare = (Section(0.0, mixed.design.built, "none", 0.0, 0.0, 0.0),)
    body = content(Build(replace(mixed.design, sections=bare)))
    strips = sum(one.area * STRIP_FILM.thickness + HOSE * one.section.start for one in mixed.actuators)
    assert content(mixed) - body == pytest.approx(strips + 8 * outline(Spam()).area * THICKNESS)
    for one, alone in pairs(mixed):
        plates = 8 * outline(Spam()).area * THICKNESS * (one.actuator.kind == "spam")
        assert content(alone) - body == pytest.approx(
            one.area * STRIP_FILM.thickness + HOSE * one.section.start + plates
        )


def test_lines_have_the_limits_of_their_type(mixed: Build) -> None:
    """Set point, limit, head room, regulator and stress are those of the type alone: 20 kPa for these pouches, 35 kPa for the others."""
    lines = pressure_content(mixed, ranges(mixed))["lines"]
    assert [line.get("type") for line in lines] == [None, *TYPES]
    assert [line["limit_kpa"] for line in lines[1:]] == [20.0, 35.0, 35.0, 20.0]
    for line, (one, alone) in zip(lines[1:], pairs(mixed), strict=True):
        (_, usual) = pressure_content(alone, ranges(alone))["lines"]
        assert line == usual | {"line": one.name, "type": one.actuator.kind}


def test_head_room_is_that_of_the_type(mixed: Build) -> None:
    """25 kPa are too much for these pouches, where the sPAM has 30 kPa; the message says what to set."""
    check_head_room(mixed)
    sections = [replace(one, pressure=25e3) if one.kind == 1 else one for one in mixed.design.sections]
    with pytest.raises(InvalidDesign, match=r"R1 is set to 25 kPa, above its limit of 20 kPa.*set most_pressure_kpa"):
        check_head_room(Build(replace(mixed.design, sections=tuple(sections))))


def test_bends_are_accepted_by_type(mixed: Build) -> None:
    """Angle, radius and range of each actuator are those of its type alone."""
    for bend, (one, alone) in zip(bends(mixed, ranges(mixed)), pairs(mixed), strict=True):
        (usual,) = bends(alone, ranges(alone))
        assert bend == replace(usual, name=one.name)


def test_steps_name_the_strips_of_each_type(mixed: Build) -> None:
    """Each type is cut, closed and fixed as if it were alone; the text begins with the names of its strips."""
    named = {"spam": "L2: ", "pouch": "R1, L4: ", "fpam": "R3: "}
    found = {step.title: step.text for step in steps(mixed, None)}
    for one, alone in pairs(mixed):
        kind = one.actuator.kind
        usual = {step.title: step.text for step in steps(alone, None)}
        assert found[f"Make the {kind} strips"] == named[kind] + usual["Make the strips"]
        assert found[f"Fix the {kind} strips to the body"] == named[kind] + usual["Fix the strips to the body"]
    assert len([title for title in found if "strips" in title]) == 2 * len(named)
    for kind, made, fixed in (
        ("spam", "Slide one bracket per line", "Tape bracket 0"),
        ("pouch", "between pouches with the gap of 8 mm in the middle left open", "Tape seam 0"),
        ("fpam", "from coated fabric", "Pull the strip lengthwise"),
    ):
        assert made in found[f"Make the {kind} strips"]
        assert fixed in found[f"Fix the {kind} strips to the body"]


def test_steps_draw_what_is_at_the_cell_ends(mixed: Build) -> None:
    """The drawings of each type are those with its own brackets, seams or lines, all different."""
    for draw, title in (
        (sketch.draw_strip, "Make the {} strips"),
        (sketch.draw_attachment, "Fix the {} strips to the body"),
    ):
        by_end: dict[str, str] = {}
        for one in mixed.actuators[:3]:
            draw(PageSketch(page := Page(200.0, 200.0), 50.0, 100.0), one.end, one.bar / one.pitch)
            by_end[one.end] = drawn(page)
        assert by_end.keys() == {*get_args(End)}
        assert len(set(by_end.values())) == 3
        found = {step.title: step.draw for step in steps(mixed, None)}
        for kind, end in (("spam", "bracket"), ("pouch", "seam"), ("fpam", "line")):
            found[title.format(kind)](PageSketch(page := Page(200.0, 200.0), 50.0, 100.0))
            assert drawn(page) == by_end[end]


def drawn(page: Page) -> str:
    """All that is drawn on a page: words, and places and colours of shapes."""
    shapes = [(one.get_xy().round(6).tolist(), one.get_facecolor()) for one in page.figure.findobj(Polygon)]
    return repr((shapes, [text.get_text() for text in page.figure.texts]))


def test_a_type_that_is_not_built_changes_nothing(mixed: Build) -> None:
    """Pouches alone, second on their tube: guide, pattern and tables are those of a tube whose only actuators they are."""
    bare = [one if one.kind == 1 else replace(one, side="none", kind=0) for one in mixed.design.sections]
    here = Build(replace(mixed.design, sections=tuple(bare)))
    alone = [replace(one, kind=0) for one in bare]
    params = replace(mixed.design.params, actuator=mixed.design.params.actuators[1], others=())
    there = Build(replace(mixed.design, params=params, sections=tuple(alone)))
    for table in (cut_list, section_table, lambda build: parts_list(build, None)):
        assert table(here) == table(there)
    assert pressure_content(here, ranges(here)) == pressure_content(there, ranges(there))
    assert [(step.title, step.text) for step in steps(here, None)] == [
        (step.title, step.text) for step in steps(there, None)
    ]
    assert [text.text for text in pattern_of(here).texts()] == [text.text for text in pattern_of(there).texts()]
    assert cell_name(here.design) == cell_name(there.design) == "pouch"


def test_another_type_is_another_design(mixed: Build) -> None:
    """Its trials do not hold for the same sections with actuators of other types."""
    assert have_equal_sections(mixed.design, mixed.design)
    changed = [replace(one, kind=0) if one.kind == 2 else one for one in mixed.design.sections]
    assert not have_equal_sections(mixed.design, replace(mixed.design, sections=tuple(changed)))


def test_stock_is_chosen_by_type(mixed: Build) -> None:
    """The tubes of sPAMs and pouches become the nearest ones, those of fPAMs stay; types that are not built are not bought."""
    made, stock = with_stock(mixed.design, [0.045, 0.056, 0.1])
    assert [one.flat_width for one in made.params.actuators[:2]] == pytest.approx([0.056, 0.045])
    assert made.params.actuators[2] == mixed.design.params.actuators[2]
    assert made.sections == mixed.design.sections
    assert stock.content()["lay_flat_width_mm"] == {
        "body": {"planned": 104.772, "chosen": 100.0},
        "spam_actuators": {"planned": 53.973, "chosen": 56.0},
        "pouch_actuators": {"planned": 50.0, "chosen": 45.0},
    }
    for words in ("spam actuators 56 mm", "pouch actuators 45 mm", "fpam actuators as planned"):
        assert words in stock.text
    only = [replace(one, side="none") if one.kind != 1 else one for one in mixed.design.sections]
    made, stock = with_stock(replace(mixed.design, sections=tuple(only)), [0.045, 0.056, 0.1])
    assert made.params.actuator == mixed.design.params.actuator
    assert stock.content()["lay_flat_width_mm"]["actuators"] == {"planned": 50.0, "chosen": 45.0}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pack of a sPAM, a pouch and an fPAM section in all formats, by `vinewright export`."""
    run, divider = tmp_path_factory.mktemp("run"), load_environment("divider")
    params = VineParams(others=(PouchMotor(), Fpam()))
    sections = (
        Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
        Section(0.2, 0.4, "right", 2.0, 0.04, 22.5e3, kind=2),
        Section(0.4, 0.55, "left", 2.0, 0.03, 20e3, kind=1),
        Section(0.55, 0.76, "right", 2.0, 0.03, 17.5e3),
        Section(0.76, 0.85, "none", 0.0, 0.0, 0.0),
    )
    design = Design(divider.name, divider.sha256, params, sections, np.zeros(3), np.zeros((1, 2)))
    design = grow_designs([design], divider, QuasiStatic(divider, params).refined())[0].design
    write_environment(replace(divider, name="bench", goal=np.array([*design.tip[:2], 0.1])), run / "environment.toml")
    design = replace(design, environment="bench", sha256=load_environment(run / "environment.toml").sha256)
    (run / "design.json").write_text(json.dumps(design_content(design)))
    with pytest.MonkeyPatch.context() as patch:
        arguments = "--formats", "json,csv,dxf,svg,pdf,stl,sofa", "--trials", "20"
        assert vinewright(patch, "export", run, "--out", run / "pack", *arguments) == 0
    return run / "pack"


@pytest.mark.slow
def test_every_file_is_written(pack: Path, tmp_path: Path) -> None:
    """The bracket is that of the tube's sPAM; the design has the types of its sections, as pack, tables and pressures have."""
    write_bracket(tmp_path / "bracket.stl", Spam())
    assert (pack / "bracket.stl").read_bytes() == (tmp_path / "bracket.stl").read_bytes()
    assert {"pattern.dxf", "pattern.svg", "sofa_scene.py", "vessel.stl"} <= {file.name for file in pack.iterdir()}
    made = load_design(pack)
    assert [made.params.actuators[one.kind].kind for one in made.actuated] == ["fpam", "pouch", "spam"]
    assert json.loads((pack / "pack.json").read_text())["types"] == ["fpam", "pouch", "spam"]
    lines = json.loads((pack / "pressures.json").read_text())["lines"]
    assert [line.get("type") for line in lines] == [None, "fpam", "pouch", "spam"]
    with (pack / "sections.csv").open() as file:
        assert {row["name"]: row["type"] for row in csv.DictReader(file)} == {"R1": "fpam", "L2": "pouch", "R3": "spam"}
    with (pack / "cut-list.csv").open() as file:
        types = [(row["part"], row["name"], row["type"]) for row in csv.DictReader(file) if row["type"]]
    assert types == [
        ("actuator", "R1", "fpam"), ("actuator", "L2", "pouch"), ("actuator", "R3", "spam"),
        ("bracket", "", "spam"), ("tape", "", "spam"), ("tape", "L2", "pouch"), ("tape", "", "fpam"),
    ]  # fmt: skip
    for text in ("pouch, 5 × 30 mm", "fpam, 5 × 40 mm", "spam, 7 × 30 mm"):
        assert text in (pack / "pattern.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_curvatures_of_the_pack_are_those_of_each_type(pack: Path) -> None:
    """Each section bends as the same cells at the same pressure do on a tube with that type alone."""
    made = load_design(pack)
    for one in made.actuated:
        alone = replace(made.params, actuator=made.params.actuators[one.kind], others=())
        film = float(free_curvature(joint_moments(alone), one.pressure, one.l_0))
        assert one.curvature == pytest.approx(1 / (1 / film - made.params.radius))


@pytest.mark.slow
def test_the_guide_names_the_types(pack: Path) -> None:
    """On the cover, in the order of work and in the table of pressures; it says to print eight brackets for the sPAM of seven cells."""
    pages = [page.extract_text() for page in PdfReader(pack / "template-a4.pdf").pages]
    cover = pages[0].split()
    assert {"type", "spam", "pouch", "fpam"} <= {*cover}
    assert "cell [mm]" in pages[0]
    work = next(page for page in pages if "Order of work" in page)
    for words in ("Make the spam strips", "Make the pouch strips", "Make the fpam strips", "L2: Cut the strips"):
        assert words in work
    assert re.search(r"bracket\.stl\s+8\s", next(page for page in pages if "Print settings" in page))
    assert sum({"type", "fpam", "spam"} <= {*page.split()} for page in pages) >= 2


@pytest.mark.slow
def test_the_pack_can_be_operated(pack: Path) -> None:
    """The schedule.json of a pack, read and applied to its plumbing, gives schedule.csv; guide and pattern name the marks."""
    operation, plumbing = load_operation(pack)
    with (pack / "schedule.csv").open() as file:
        for row in csv.DictReader(file):
            reached = plumbing.deliver(plumbing.setting(operation.pressures_at(1e-3 * float(row["grown_mm"]))))
            assert reached == pytest.approx({name: 1e3 * float(row[f"{name}_kpa"]) for name in reached}, abs=1.01)
    text = "\n".join(page.extract_text() for page in PdfReader(pack / "template-letter.pdf").pages)
    assert [mark.name for mark in operation.marks] == ["S1", "S2", "S3"]
    for mark, valve in zip(operation.marks, ("V1", "V2", "V3"), strict=True):
        assert f"When mark {mark.name} comes out at the tip" in text
        assert f"open valve {valve}" in text
        assert f">{mark.name}</text>" in (pack / "pattern.svg").read_text(encoding="utf-8")
    assert ">V3</text>" in (pack / "plumbing.svg").read_text(encoding="utf-8")
