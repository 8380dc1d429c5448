"""Preformed bends in the pack: where to fold, by how much, and nothing that needs a valve."""

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.folding import fold_table, tape_length
from planner.fabrication.assembly.success import have_equal_sections
from planner.fabrication.lists.cut_list import cut_list
from planner.fabrication.lists.parts import parts_list
from planner.fabrication.pack import Pack
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Layer

pytestmark = pytest.mark.usefixtures("small_pictures")

BARE, LEFT = Section(0.0, 0.2, "none", 0.0, 0.0, 0.0), Section(0.2, 0.53, "left", 3.0, 0.0, 0.0, preformed=True)
RIGHT = Section(0.53, 0.7, "right", 5.0, 0.0, 0.0, preformed=True)
PRESSED = Section(0.7, 0.99, "right", 1.9, 0.04, 20e3)
TIP = Section(0.7, 0.8, "none", 0.0, 0.0, 0.0)


def room(goal: tuple[float, float] = (1.0, 1.0)) -> Environment:
    bounds = np.array([-2.0, -2, 2, 2])
    return Environment("room", "0" * 64, bounds, np.zeros(3), np.array([*goal, 0.1]), Obstacles())


def design(*sections: Section) -> Design:
    return Design("room", "0" * 64, VineParams(), sections, np.zeros(3), np.zeros((2, 2)))


@pytest.mark.parametrize(("section", "inner", "outer"), [(LEFT, 0.0, -1.0), (RIGHT, -1.0, 0.0)])
def test_marks_take_the_wedge_of_a_mitre_out_of_the_inner_wall(section: Section, inner: float, outer: float) -> None:
    """Each fold is marked at the edge on the side of the bend, twice its depth wide there and closed at the other edge; on both
    layers it takes depth times circumference out of the film, and all together the inner wall loses 2 R times the turn."""
    build = Build(design(BARE, LEFT, RIGHT, TIP))
    (bend,) = [one for one in build.bends if one.section == section]
    body = pattern_of(build).pieces[0].translate(0.0, 4.0)
    width, radius = 1e3 * build.body_width, 1e3 * VineParams().radius
    marks = [line for line in body.lines if line.tick and line.tick[0] == bend.name]
    assert [line.tick[1] for line in marks if line.tick] == list(range(1, len(bend.folds.at) + 1))
    lost = 0.0
    for line, at in zip(marks, 1e3 * bend.folds.at, strict=True):
        assert line.layer == Layer.MARK
        x, y = line.points.T
        wide = x[np.isclose(y, inner * width)]
        assert np.ptp(wide) == pytest.approx(2e3 * bend.folds.depth)
        assert np.ptp(x[np.isclose(y, outer * width)]) == pytest.approx(0.0, abs=1e-9)
        assert wide.mean() == pytest.approx(at)
        area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
        assert 2 * area == pytest.approx(1e3 * bend.folds.depth * 2 * math.pi * radius, rel=2e-3)
        lost += float(np.ptp(wide))
    length = 1e3 * (section.end - section.start)
    curvature = 1e-3 * section.curvature
    assert lost == pytest.approx(2 * radius * length * curvature / (1 + radius * curvature), rel=5e-3)


def test_pattern_labels_lie_between_folds() -> None:
    """No text of a preformed section crosses the middle line of a fold."""
    build = Build(design(BARE, replace(LEFT, curvature=7.0), RIGHT, TIP))
    body = pattern_of(build).pieces[0]
    for bend in build.bends:
        for text in (one for one in body.texts if one.text.startswith(f"{len(bend.folds.at)} folds")):
            half = 0.49 * text.height * len(text.text)
            assert not np.any(np.abs(1e3 * bend.folds.at - text.at[0]) < half)


def test_tables_say_where_to_fold() -> None:
    """One row a bend with its folds; the tape is enough for all of them; there is nothing to press."""
    build = Build(design(BARE, LEFT, RIGHT, TIP))
    rows = list(csv.DictReader(io.StringIO(fold_table(build))))
    assert [row["name"] for row in rows] == ["F1", "F2"]
    for row, bend in zip(rows, build.bends, strict=True):
        middles = [float(part) for part in row["middles_mm"].split()]
        np.testing.assert_allclose(middles, 1e3 * bend.folds.at, atol=0.051)
        assert float(row["turn_deg"]) == pytest.approx(len(middles) * float(row["turn_per_fold_deg"]), rel=1e-3)
        assert float(row["depth_mm"]) == pytest.approx(1e3 * bend.folds.depth, abs=0.051)
    parts = {part.name: part for part in parts_list(build, None)}
    count = sum(len(bend.folds.at) for bend in build.bends)
    assert parts["fold tape"].quantity == pytest.approx(count * tape_length(build))
    assert "soft tube" not in parts
    cut = list(csv.DictReader(io.StringIO(cut_list(build))))
    assert {row["part"] for row in cut} == {"body", "fold tape", "base tube"}
    regulators = [part for part in parts_list(build, None) if part.name == "pressure regulator"]
    assert [part.what.split(";")[0] for part in regulators] == ["set to 10.34 kPa"]
    assert sum(int(row["quantity"]) for row in cut if row["part"] == "fold tape") == count


@pytest.mark.slow
def test_a_pack_tells_how_to_make_bends(tmp_path: Path) -> None:
    """Cover, steps and acceptance name the bends; the made design keeps them, and its files have what the tables have."""
    planned = design(BARE, LEFT, RIGHT, PRESSED)
    (grown,) = grow_designs([planned], room(), QuasiStatic(room(), planned.params))
    place = room((float(grown.tip[0]), float(grown.tip[1])))
    pack = Pack.of(grown.design, place, QuasiStatic(place, planned.params))
    assert pack.grown.reached
    bent = [section.preformed for section in pack.grown.design.sections if section.side != "none"]
    assert bent == [True, True, False]
    assert [one.end - one.start for one in pack.grown.design.preformed] == pytest.approx([0.33, 0.17])
    files = pack.write("json", tmp_path) + pack.write("csv", tmp_path) + [pack._write_template(tmp_path, "a4")]
    assert "folds.csv" in files
    content = json.loads((tmp_path / "pack.json").read_text())
    assert [bend["name"] for bend in content["preformed"]] == ["F1", "F2"]
    read = json.loads((tmp_path / "design.json").read_text())
    assert sum(part.get("preformed", False) for part in read["sections"]) == 2
    text = "\n".join(page.extract_text() for page in PdfReader(tmp_path / "template-a4.pdf").pages)
    for part in ("Preformed bends", "Fold the bends", "Accept each preformed bend", "no actuator under pressure"):
        assert part in text
    (first, second) = pack.formed
    for bend, section in ((first, LEFT), (second, RIGHT)):
        turn = (section.end - section.start) / (1 / section.curvature + planned.params.radius)
        assert bend.angle == pytest.approx(turn)
        assert bend.accepted is not None
        assert bend.accepted[0] < turn < bend.accepted[1]
        assert bend.aside == pytest.approx((1 - math.cos(turn)) / section.curvature)


def test_a_pack_without_bends_has_none_of_it(tmp_path: Path) -> None:
    """Without preformed bends there is no table of folds and no key for them."""
    planned = design(replace(BARE, end=0.7), PRESSED)
    pack = Pack.of(planned, room(), QuasiStatic(room(), planned.params))
    assert "folds.csv" not in pack.write("csv", tmp_path)
    assert "preformed" not in pack.content()
    assert have_equal_sections(planned, planned)
    assert not have_equal_sections(design(BARE, LEFT), design(BARE, replace(LEFT, preformed=False)))
