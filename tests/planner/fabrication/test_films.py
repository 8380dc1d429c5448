"""The films of body and strips: those of the tube, or assumptions that are stated."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.fabrication.assembly.build import CLAMP, HOLD, Build
from planner.fabrication.assembly.films import FILMS as ROWS
from planner.fabrication.assembly.films import SOURCES
from planner.fabrication.assembly.pressures import NoHeadRoom, check_head_room, pressure_content, yielding_lines
from planner.fabrication.assembly.vessel import content
from planner.fabrication.guide.guide import guide_pages
from planner.fabrication.lists.cut_list import cut_list
from planner.fabrication.lists.parts import STRIP, STRIPS, parts_table
from planner.fabrication.sofa import SofaBeam
from surrogate.films import FILMS, Film
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


def with_strips(build: Build, film: Film) -> Build:
    """The build with strips of a film, all else the same."""
    actuators = [replace(one, film=film) for one in build.design.params.actuators]
    params = replace(build.design.params, actuator=actuators[0], others=tuple(actuators[1:]))
    return Build(replace(build.design, params=params))


def test_strips_have_a_film_of_their_own(example: Build) -> None:
    """In the lists, the stress, the vessel and the guide; what is given is no assumption."""
    strong = with_strips(of_film(example, 50.0), FILMS["tpu-100"])
    body, *strips = (row for row in rows(cut_list(strong)) if row["part"] in ("body", "actuator"))
    assert body["material"] == "LDPE lay-flat tube, 50 um"
    assert {row["material"] for row in strips} == {"TPU lay-flat tube, 100 um"}
    parts = rows(parts_table(strong, None))
    assert parts[1]["specification"] == "54 mm lay-flat, 100 µm TPU"
    assert {row["specification"].split(",")[0] for row in parts if row["part"] == "film in all"} == {
        "50 µm LDPE",
        "100 µm TPU",
    }
    thin = of_film(example, 50.0)
    for line, double in zip(pressures(thin)["lines"][1:], pressures(strong)["lines"][1:], strict=True):
        assert double["hoop_stress_mpa"] == pytest.approx(line["hoop_stress_mpa"] / 2, abs=0.006)
    assert content(strong) - content(thin) == pytest.approx(50e-6 * sum(one.area for one in thin.actuators))
    assert strong.film_note == ""
    assert "MPa in film of 50 um for the body and 100 um for the actuators;" in pressures(strong)["note"]
    text = words(guide_pages(guide_of(strong), "a4"))
    assert "100 µm TPU" in text
    assert "assumed for" not in text
    for page in guide_pages(guide_of(strong), "letter"):
        check_page(page.figure)


def test_a_named_film_is_given(example: Build) -> None:
    """The guide gives the film of the body by name, with its thickness and material; strips of 50 um that are given are no assumption."""
    params = replace(example.design.params, film="hdpe-25")
    named = Build(replace(example.design, params=params))
    assert rows(cut_list(named))[0]["material"] == "HDPE lay-flat tube, 25 um"
    assert named.film_note.startswith("Film of the strips: 50 um (assumed). ")
    given = with_strips(example, FILMS["ldpe-50"])
    assert given.film_note.startswith("Film thickness not given: 50 um assumed for the body. ")
    assert {row["material"] for row in rows(cut_list(given)) if row["part"] == "actuator"} == {
        "LDPE lay-flat tube, 50 um"
    }


def test_films_of_a_guide_are_those_of_the_table() -> None:
    """A row for each material, with the ranges of its films, and the sources under the numbers that the guide cites."""
    assert [(row.thickness, row.temperature, row.time) for row in ROWS] == [
        ("40 to 100 µm", "140 to 190 °C", "0.2 to 1.5 s"),
        ("25 to 100 µm", "125 to 140 °C", "0.5 to 5 s"),
        ("50 to 200 µm", "170 to 220 °C", "1 to 5 s"),
        ("130 to 180 µm", "170 to 220 °C", "1 to 5 s"),
    ]
    assert [row.sources for row in ROWS] == [(1, 2, 3), (8, 9), (4,), (4,)]
    assert "Journal of Food Science" in SOURCES[1]
    assert SOURCES[4].startswith("Cheng")
    assert SOURCES[5].startswith("Perez")
    assert SOURCES[6].startswith("Mireles")
    assert len(set(SOURCES)) == len(SOURCES)
