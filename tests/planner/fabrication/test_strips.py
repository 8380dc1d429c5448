"""Strips of actuators that are not bought tube of one width: fPAMs and cPAMs."""

import csv
import io
from collections.abc import Callable

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from planner.fabrication.assembly.build import FITTING, HOLD, Build
from planner.fabrication.assembly.pressures import film_radius, pressure_content
from planner.fabrication.assembly.stock import with_stock
from planner.fabrication.assembly.strips import LAP, end_of, layers, material, piece_width
from planner.fabrication.guide.steps import steps
from planner.fabrication.lists.cut_list import cut_list, section_table
from planner.fabrication.lists.parts import parts_list
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Layer
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import SEAM, PouchMotor
from surrogate.registry import actuators

MakeBuild = Callable[..., Build]


@pytest.fixture
def fabric(make_build: MakeBuild) -> Build:
    return make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=Fpam()))


@pytest.fixture
def folded(make_build: MakeBuild) -> Build:
    return make_build(("left", 5, 0.04), ("none", 0.2), ("right", 9, 0.025), params=VineParams(actuator=Cpam()))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("kind", actuators())
def test_every_actuator_can_be_made(make_build: MakeBuild, kind: str) -> None:
    """Its strips have a width, a material, a way to be fixed, a film radius and a pattern with a number for every cell end."""
    actuator = actuators()[kind]()
    build = make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=actuator))
    assert piece_width(actuator, 0.04) >= build.actuators[0].width
    assert end_of(actuator) in ("bracket", "seam", "line")
    assert layers(actuator) in (1, 2)
    assert material(actuator, "film")
    assert pressure_content(build, [None])["lines"][1]["hoop_stress_mpa"] > 0
    strip = pattern_of(build).pieces[1]
    assert {text.text for text in strip.texts} >= {str(k) for k in range(6)}
    assert any("strip" in step.title for step in steps(build, None))


def test_fabric_is_cut_shorter_and_pulled_to_length(fabric: Build) -> None:
    """Its lines on the strip as cut are nearer to one another than on the body, by sqrt(2) cos of the angle of the stretched threads."""
    angle = np.arccos(1 / (np.sqrt(3) * 0.7))
    (strip,) = fabric.actuators
    assert strip.pitch == pytest.approx(0.04 / (np.sqrt(2) * np.cos(angle)))
    slack = (
        fabric.design.params.arm()
        * 0.2
        * float(free_curvature(joint_moments(fabric.design.params), strip.section.pressure, 0.04))
    )
    assert strip.cut_length == pytest.approx(2 * (HOLD + SEAM) + FITTING + slack + 5 * strip.pitch)
    assert np.diff(strip.ends) == pytest.approx(0.04)  # on the body
    piece = pattern_of(fabric).pieces[1]
    wide = 1e3 * strip.width
    across = [
        line.points[0, 0] for line in piece.lines if line.layer == Layer.MARK and np.ptp(line.points[:, 1]) > 0.9 * wide
    ]
    assert np.diff(sorted(across)) == pytest.approx(1e3 * strip.pitch)
    assert any(text.text == "pull to 117 %" for text in piece.texts)
    assert any("117" in step.text or "by 17 %" in step.text for step in steps(fabric, None))


def test_fabric_is_a_sheet_around_a_tube(fabric: Build) -> None:
    """The sheet is as wide as the circumference as cut and the lap; its area counts once, and it is taped at every line."""
    angle = np.arccos(1 / (np.sqrt(3) * 0.7))
    wide = 2 * np.pi * 15e-3 / (np.sqrt(2) * np.sin(angle)) + LAP
    part = next(row for row in rows(cut_list(fabric)) if row["part"] == "actuator")
    assert float(part["width_mm"]) == pytest.approx(1e3 * wide, abs=0.05)
    assert "threads at 45 degrees" in part["material"]
    assert f"pulled to {np.sqrt(2) * np.cos(angle):.3f} times" in part["made_up_of"]
    assert fabric.actuators[0].area == pytest.approx(wide * fabric.actuators[0].cut_length)
    names = [part.name for part in parts_list(fabric, None)]
    assert "fabric of the actuators" in names
    assert "bracket" not in names
    tape = next(row for row in rows(cut_list(fabric)) if row["part"] == "tape")
    assert (tape["quantity"], tape["cut_length_mm"]) == ("6", "60")


def test_radius_of_the_contracted_fabric(fabric: Build) -> None:
    """Threads keep length and turns: from 15 mm at rest to 15 sin(54.7 degrees) / sin(34.4 degrees) = 21.7 mm at full contraction."""
    fpam, (strip,) = Fpam(), fabric.actuators
    assert float(fpam.film_radius(0.0, 0.04)) == pytest.approx(15e-3)
    at_rest = np.arccos(1 / (np.sqrt(3) * 0.7))
    assert float(fpam.film_radius(fpam.stroke, 0.04)) == pytest.approx(15e-3 * np.sqrt(2 / 3) / np.sin(at_rest))
    assert 15e-3 < film_radius(strip) < float(fpam.film_radius(fpam.stroke, 0.04))


def test_folded_tube_is_wider_for_longer_pouches(folded: Build) -> None:
    """Each strip is of tube 2 l / pi wider than its pouches of length l, cells without seams; tubes of different widths are different
    parts."""
    widths = [1e3 * (0.06 + 2 * (length - Cpam().seam) / np.pi) for length in (0.04, 0.025)]
    strips = [row for row in rows(cut_list(folded)) if row["part"] == "actuator"]
    assert [float(row["width_mm"]) for row in strips] == pytest.approx(widths, abs=0.05)
    assert "folded inwards by 11.1 to 60 wide" in strips[0]["made_up_of"]
    tubes = [part for part in parts_list(folded, None) if part.name == "tube of the actuators"]
    assert [float(part.what.split(" mm")[0]) for part in tubes] == pytest.approx(sorted(widths), abs=0.05)
    for piece, depth in zip(pattern_of(folded).pieces[1:], ("11.1", "6.4"), strict=True):
        low, high = piece.bounds[1], piece.bounds[3]
        assert high - low == pytest.approx(60.0)
        assert any(text.text == f"fold {depth} mm" for text in piece.texts)


def test_steps_say_how_wide_to_seal(make_build: MakeBuild, fabric: Build) -> None:
    """The bar of the strips and of the tip, the gap for the air, and the four layers of a cPAM; a usual bar without pouches."""
    made = [("left", 5, 0.04), ("none", 0.2)]
    for actuator, bar, gap in ((PouchMotor(24e-3, seam=8e-3), "8", "6"), (Cpam(seam=2.5e-3), "2.5", "8")):
        build = make_build(*made, params=VineParams(actuator=actuator))
        text = {step.title: step.text for step in steps(build, None)}
        for title in ("Seal the tip", "Make the strips"):
            assert f"with a bar {bar} mm wide" in text[title]
        assert f"the gap of {gap} mm in the middle" in text["Make the strips"]
        assert ("all four layers" in text["Make the strips"]) == isinstance(actuator, Cpam)
        table = {row["part"]: row["seam_mm"] for row in rows(cut_list(build))}
        assert (table["body"], table["actuator"], table["tape"]) == (bar, bar, "")
        assert [row["seam_mm"] for row in rows(section_table(build))] == [bar]
    text = {step.title: step.text for step in steps(fabric, None)}
    assert "Seal both ends on the bands, with a bar 5 mm wide." in text["Make the strips"]
    assert [row["seam_mm"] for row in rows(section_table(fabric))] == ["0"]
    unknown = make_build(*made, params=VineParams(actuator=PouchMotor(seam=0.0)))
    text = {step.title: step.text for step in steps(unknown, None)}
    assert "along the dashed lines" in text["Make the strips"]


def test_stock_leaves_them_as_planned(fabric: Build, folded: Build) -> None:
    """Only the body is chosen from the stock, and the text says so."""
    for build in (fabric, folded):
        made, stock = with_stock(build.design, [0.1, 0.05])
        assert made.params.actuator == build.design.params.actuator
        assert stock.actuators == {}
        assert "actuators as planned" in stock.text
