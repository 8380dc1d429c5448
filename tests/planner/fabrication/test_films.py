"""The thickness of the film: that of the tube for the body, an assumption that is stated for everything else."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.fabrication.build import CLAMP, HOLD, Build
from planner.fabrication.cut_list import cut_list
from planner.fabrication.guide import guide_pages
from planner.fabrication.parts import STRIP, STRIPS, parts_table
from planner.fabrication.pressures import NoHeadRoom, check_head_room, pressure_content, yielding_lines
from planner.fabrication.sofa import SofaBeam
from planner.fabrication.vessel import content
from surrogate.fpam import Fpam
from surrogate.pouch import SEAM
from tests.planner.fabrication.test_guide import check_page, guide_of, words

MakeBuild = Callable[..., Build]
PARAMS = VineParams()
R, P = PARAMS.radius, PARAMS.growth_pressure


def of_film(build: Build, micrometres: float) -> Build:
    """The build with a body of film of a thickness [um]."""
    params = replace(build.design.params, film_thickness=1e-6 * micrometres)
    return Build(replace(build.design, params=params))


def pressures(build: Build) -> dict:
    return pressure_content(build, [None] * len(build.actuators))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("micrometres", [12.5, 25.0, 50.0, 120.0])
def test_limit_and_stress_of_the_body_are_those_of_its_film(example: Build, micrometres: float) -> None:
    """Hoop stress P R / t and limit 16 MPa t / R; the strips keep theirs, P r / 50 um."""
    body, *strips = pressures(of_film(example, micrometres))["lines"]
    assert body["hoop_stress_mpa"] == pytest.approx(P * R / micrometres, abs=0.006)
    assert body["limit_kpa"] == pytest.approx(16e3 * 1e-6 * micrometres / R, abs=0.006)
    assert body["head_room_kpa"] == pytest.approx(16e3 * 1e-6 * micrometres / R - 1e-3 * P, abs=0.006)
    assert strips == pressures(example)["lines"][1:]
    assert strips[0]["hoop_stress_mpa"] == pytest.approx(35e3 * 17.18e-3 / 50, abs=0.006)


def test_film_that_would_burst_is_refused(example: Build) -> None:
    """In film of 20 um the body bursts at 9.6 kPa, below its 10.3 kPa; 25 um hold 12 kPa."""
    gentle = Build(
        replace(
            example.design,
            sections=tuple(replace(one, pressure=10e3) if one.actuated else one for one in example.design.sections),
        )
    )
    check_head_room(of_film(gentle, 25.0))
    with pytest.raises(NoHeadRoom, match=r"^body is set to 10\.342 kPa, above its limit of 9\.6 kPa.*film of 20 um;"):
        check_head_room(of_film(gentle, 20.0))


def test_every_table_names_the_film(example: Build) -> None:
    """Body and strips with their own thickness; one area of film for each, two layers of body, strips and test strips."""
    thin = of_film(example, 25.0)
    body, *strips = (row for row in rows(cut_list(thin)) if row["part"] in ("body", "actuator"))
    assert body["material"] == "LDPE lay-flat tube, 25 um"
    assert {row["material"] for row in strips} == {"LDPE lay-flat tube, 50 um (assumed)"}
    parts = rows(parts_table(thin, None))
    assert parts[0]["specification"] == "104.8 mm lay-flat, 25 µm LDPE"
    assert parts[1]["specification"] == "54 mm lay-flat, 50 µm (assumed) LDPE"
    areas = {row["specification"][:5]: float(row["quantity"]) for row in parts if row["part"] == "film in all"}
    tested, length = STRIP * STRIPS, CLAMP + thin.design.built + SEAM + HOLD
    assert areas == {
        "25 µm": pytest.approx(2 * np.pi * R * (length + tested), abs=0.011),
        "50 µm": pytest.approx(
            2 * np.pi * 17.18e-3 * (sum(one.cut_length for one in thin.actuators) + tested), abs=0.011
        ),
    }
    (whole,) = (row for row in rows(parts_table(example, None)) if row["part"] == "film in all")
    assert float(whole["quantity"]) == pytest.approx(sum(areas.values()), abs=0.011)
    assert "MPa in film of 25 um for the body and 50 um (assumed) for the actuators;" in pressures(thin)["note"]


def test_what_is_assumed_is_stated(example: Build, make_build: MakeBuild) -> None:
    """Without a thickness for body and strips, with one for the strips, and never where nothing is assumed."""
    bare = make_build(("none", 1.0))
    fabric = make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=Fpam()))
    assert example.film_note.startswith("Film thickness not given: 50 um assumed for body and strips.")
    assert bare.film_note.startswith("Film thickness not given: 50 um assumed for the body.")
    assert fabric.film_note == bare.film_note
    assert of_film(example, 50.0).film_note.startswith("Film of the strips: 50 um (assumed). Pressures that")
    assert of_film(bare, 50.0).film_note == of_film(fabric, 50.0).film_note == ""
    for build in (example, bare):
        assert rows(cut_list(build))[0]["material"] == "LDPE lay-flat tube, 50 um (assumed)"
        assert "MPa in film of 50 um (assumed);" in pressures(build)["note"]


def test_the_guide_has_the_film_of_the_tube(example: Build) -> None:
    """Parts, stress and what is assumed; pages stay legible."""
    pages = guide_pages(guide_of(of_film(example, 25.0)), "a4")
    text = words(pages)
    assert "25 µm LDPE" in text
    assert "Film of the strips: 50 um (assumed)" in text
    assert "begins to yield (source 2): body, L1, R2" in text
    for page in pages[:2]:
        check_page(page.figure)
    assert "Film thickness not given: 50 um assumed" in words(guide_pages(guide_of(example), "a4"))


def test_film_that_yields_is_found_with_its_stress(example: Build) -> None:
    """12 MPa in the strips; 13.8 MPa in a body of 25 um, and 6.9 MPa, below the yield, in one of 50 um."""
    assert yielding_lines(pressures(example)["lines"]) == {"L1": 12.03, "R2": 12.03}
    assert yielding_lines(pressures(of_film(example, 25.0))["lines"]) == {"body": 13.8, "L1": 12.03, "R2": 12.03}
    limit = [{"line": name, "hoop_stress_mpa": stress} for name, stress in (("L1", 9.2), ("R2", 9.21))]
    assert yielding_lines(limit) == {"R2": 9.21}


def test_volumes_have_the_film_of_the_tube(example: Build, make_build: MakeBuild) -> None:
    """Half the film fills half of the vessel, apart from the strips, and is the wall of SOFA's beam."""
    body = 2 * example.body_width * (example.design.built + SEAM + HOLD)
    assert content(example) - content(of_film(example, 20.0)) == pytest.approx(30e-6 * body)
    bare = make_build(("none", 1.0))
    assert content(of_film(bare, 25.0)) == pytest.approx(content(bare) / 2)
    thin = SofaBeam.of(of_film(bare, 25.0).design.params)
    assert thin.outer - thin.inner == pytest.approx(25e-6)
