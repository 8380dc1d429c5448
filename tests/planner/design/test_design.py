"""Designs and their files."""

import copy
import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.links import LEAST_LINK
from dynamics.tube import VineParams
from dynamics.tube_keys import STRIP_FILM
from environments import load_environment
from environments.uncertainty_in_files import StatedUncertainty
from planner.design.catalogue import Catalogue
from planner.design.design import Design, InvalidDesign, Section, find_overlap
from planner.design.design_file import design_content, load_design
from planner.design.solutions_file import find_solution, load_solutions
from planner.search.controls import sections_of
from surrogate.actuators import Actuator, Limits
from surrogate.cpam import Cpam
from surrogate.films import OWN, Film
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

UNKNOWN = {"friction": 0.3, "film": "hdpe-50", "film_thickness": 50e-6, "film_modulus": 2e8}
"""Values of fields of a tube that are unknown by default."""


@pytest.fixture
def design() -> Design:
    environment = load_environment("divider")
    sections = (
        Section(0.0, 0.25, "none", 0.0, 0.0, 0.0),
        Section(0.25, 0.5, "left", 2.5, 0.03, 25e3),
        Section(0.5, 0.8, "right", 1.5, 0.03, 10e3),
    )
    line = np.array([[0.2, 0.2], [0.2, 0.3], [0.25, 0.4]])
    return Design("divider", environment.sha256, VineParams(), sections, np.array([0.25, 0.4, 1.1]), line)


def test_file_holds_what_a_maker_needs(design: Design) -> None:
    """Lengths in mm, pressures in kPa, angles in degrees, under the promised keys."""
    content = design_content(design)
    assert content["schema"] == 2
    assert content["tube"]["radius_mm"] == 33.35
    assert content["tube"]["growth_pressure_kpa"] == pytest.approx(10.3421359)
    assert content["tube"]["length_mm"] == 800.0
    assert (
        content["actuator"].items() >= {"type": "spam", "constriction_radius_mm": 5.0, "tube_radius_mm": 17.18}.items()
    )
    assert content["sections"][1] == {
        "start_mm": 250.0, "end_mm": 500.0, "side": "left", "curvature_per_m": 2.5, "l0_mm": 30.0, "pressure_kpa": 25.0,
    }  # fmt: skip
    assert content["sections"][0]["side"] == "none"
    assert content["predicted"]["tip_mm"] == [250.0, 400.0]
    assert content["predicted"]["heading_deg"] == pytest.approx(63.0254)
    assert content["cost"] == {"actuators": 2, "length_mm": 800.0}


def test_file_reads_back(design: Design, tmp_path: Path) -> None:
    """Written and read again it is the same design, also through the folder it lies in."""
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    for path in (tmp_path, tmp_path / "design.json"):
        again = load_design(path)
        assert design_content(again) == design_content(design)
        assert again.sha256 == design.sha256


@pytest.mark.parametrize(
    ("actuator", "content"),
    [
        (Spam(6e-3, 18e-3), {"type": "spam", "constriction_radius_mm": 6.0, "tube_radius_mm": 18.0}),
        (PouchMotor(45e-3), {"type": "pouch", "width_mm": 45.0}),
        (Fpam(12e-3, 0.25), {"type": "fpam", "rest_radius_mm": 12.0, "stroke": 0.25}),
        (Cpam(45e-3), {"type": "cpam", "width_mm": 45.0}),
    ],
)
def test_file_keeps_the_actuator(design: Design, tmp_path: Path, actuator: Actuator, content: dict[str, Any]) -> None:
    """Every actuator stands in the file by its type and its own measures, and reads back as it was."""
    written = design_content(replace(design, params=VineParams(actuator=actuator)))
    assert written["actuator"].items() >= content.items()
    (tmp_path / "design.json").write_text(json.dumps(written))
    again = load_design(tmp_path)
    assert again.params.actuator == actuator
    assert design_content(again) == written


@st.composite
def any_tube(draw: st.DrawFn) -> VineParams:
    """A tube none of whose numbers is that of the default tube, whatever fields there are."""

    def changed(made: Any) -> Any:
        new: dict[str, Any] = {}
        for field in fields(made):
            value = getattr(made, field.name)
            if field.name == "uncertainty":
                new[field.name] = StatedUncertainty.of(
                    {"preset": "field", "pressure_kpa": factor(), "friction": [0.1, factor()]}
                )
            elif isinstance(value, Film):
                new[field.name] = Film(OWN, *(float(f"{factor() * getattr(value, key):.9g}") for key in STRIP_FILM))
            elif is_dataclass(value):
                new[field.name] = changed(value)
            elif field.name == "others":
                new[field.name] = tuple(changed(one) for one in (Cpam(),))
            elif field.name == "physics":
                new[field.name] = "published"
            elif field.name in ("least_height", "collapse_share", "thickness_share"):
                new[field.name] = 0.93
            elif field.name == "seam":
                new[field.name] = float(f"{3e-3 * factor():.9g}")
            elif value == 0:
                new[field.name] = float(f"{factor():.9g}")
            elif value is None:
                new[field.name] = UNKNOWN.get(field.name, 2.5)
            else:
                new[field.name] = float(f"{value * factor():.9g}")
        return replace(made, **new)

    def factor() -> float:
        return draw(st.floats(1.01, 1.04) | st.floats(0.96, 0.99))

    return changed(replace(VineParams(), actuator=draw(st.sampled_from([Spam(), PouchMotor()]))))


@settings(max_examples=50, deadline=None)
@given(any_tube())
def test_a_file_keeps_every_number_of_the_tube(params: VineParams) -> None:
    """A tube and its actuator are read as they were written, with all their fields."""
    usual = VineParams(actuator=type(params.actuator)())
    for one, other in ((params, usual), (params.inertia, usual.inertia), (params.actuator, usual.actuator)):
        assert not [field.name for field in fields(one) if getattr(one, field.name) == getattr(other, field.name)]
    sections = (Section(0.0, 0.25, "none", 0.0, 0.0, 0.0), Section(0.25, 0.5, "left", 2.5, 0.03, 25e3))
    design = Design("somewhere", "0" * 64, params, sections, np.array([0.25, 0.4, 1.1]), np.zeros((2, 2)))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "design.json"
        file.write_text(json.dumps(design_content(design)))
        assert load_design(file).params == params


def test_a_section_says_which_of_the_actuators_it_has(tmp_path: Path) -> None:
    """The first of the tube is not written; a type that the tube does not have, and cells of another type, are refused."""
    params = VineParams(others=(Fpam(), PouchMotor()))
    bends = [(0.03, 25e3, 0), (0.15, 20e3, 1), (0.05, 20e3, 2)]
    sections = tuple(Section(k / 4, (k + 1) / 4, "left", 2.5, *own[:2], kind=own[2]) for k, own in enumerate(bends))
    design = Design("somewhere", "0" * 64, params, sections, np.array([0.25, 0.4, 1.1]), np.zeros((2, 2)))
    content = design_content(design)
    assert [one.get("actuator") for one in content["sections"]] == [None, "fpam", "pouch"]
    assert [one["type"] for one in content["other_actuators"]] == ["fpam", "pouch"]
    (tmp_path / "design.json").write_text(json.dumps(content))
    again = load_design(tmp_path)
    assert again.sections == sections
    assert again.params == params
    carried = again.actuation(40)
    assert carried.kind is not None
    np.testing.assert_array_equal(carried.kind[0, :30], np.repeat([0, 1, 2], 10))
    content["sections"][1]["actuator"] = "cpam"
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign, match=r"sections\[1\]\.actuator = 'cpam' must be spam or fpam or pouch"):
        load_design(tmp_path)
    del content["sections"][1]["actuator"]
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign, match=r"sections\[1\]\.l0_mm = 150 must be from 15 to 100"):
        load_design(tmp_path)
    content["other_actuators"][0]["width_mm"] = 3
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign, match=r"unknown key other_actuators\[0\]\.width_mm"):
        load_design(tmp_path)


@pytest.fixture
def run(design: Design, tmp_path: Path) -> Path:
    """The folder of a run with three solutions of different lengths, of which the second is the design."""
    every = [
        replace(design, sections=(*design.sections[:2], replace(design.sections[2], end=end)))
        for end in (0.7, 0.8, 0.9)
    ]
    folder = tmp_path / "run"
    folder.mkdir()
    content = [design_content(one) for one in every]
    (folder / "solutions.json").write_text(json.dumps({"schema": 1, "solutions": content}))
    (folder / "design.json").write_text(json.dumps(content[1]))
    return folder


def test_any_solution_can_be_read(run: Path) -> None:
    """By its number from the folder or the solutions file; without a number, the folder means its design, the file the first."""
    for number, length in enumerate((0.7, 0.8, 0.9), start=1):
        for path in (run, run / "solutions.json"):
            assert load_design(path, number).length == pytest.approx(length)
    assert load_design(run).length == load_design(run / "design.json").length == pytest.approx(0.8)
    assert load_design(run / "solutions.json").length == pytest.approx(0.7)
    assert [one.length for one in load_solutions(run / "solutions.json")] == pytest.approx([0.7, 0.8, 0.9])


def test_a_solution_that_is_not_there_is_refused(run: Path) -> None:
    """One line says how many there are, or what has none; a fault in a solution is named with its number."""
    for number in (0, 4, -1):
        words = rf"^{run} has 3 solutions; --solution {number} must be from 1 to 3$"
        with pytest.raises(InvalidDesign, match=words):
            load_design(run, number)
    with pytest.raises(
        InvalidDesign, match=r"design\.json has one design; --solution 1 is for the folder of a run or its"
    ):
        load_design(run / "design.json", 1)
    with pytest.raises(InvalidDesign, match=r"^design\.json: missing key solutions$"):
        load_solutions(run / "design.json")
    content = json.loads((run / "solutions.json").read_text())
    content["solutions"][2]["sections"][0]["side"] = "up"
    (run / "solutions.json").write_text(json.dumps(content))
    assert load_design(run, 2).length == pytest.approx(0.8)
    for read in (lambda: load_design(run, 3), lambda: load_solutions(run / "solutions.json")):
        with pytest.raises(InvalidDesign, match=r"^solutions\.json: solutions\[2\]: sections\[0\]\.side = 'up'"):
            read()
    (run / "solutions.json").write_text('{"schema": 1, "solutions": []}')
    with pytest.raises(InvalidDesign, match=rf"^{run} has no solutions; --solution 1$"):
        load_design(run, 1)
    (run / "solutions.json").unlink()
    with pytest.raises(
        InvalidDesign, match=rf"^{run} has no solutions\.json; --solution 1 is for the folder of a run$"
    ):
        load_design(run, 1)
    assert load_design(run).length == pytest.approx(0.8)


def test_a_run_knows_which_solution_its_design_is(run: Path, design: Design) -> None:
    """Its number and the number of solutions; none if it was changed, and no solutions if there is no such file."""
    assert find_solution(run) == (2, 3)
    (run / "design.json").write_text(json.dumps(design_content(replace(design, tip=np.zeros(3)))))
    assert find_solution(run) == (None, 3)
    (run / "solutions.json").write_text("{")
    assert find_solution(run) == (None, 0)


def test_a_design_of_schema_1_grows_as_it_grew(design: Design, tmp_path: Path) -> None:
    """A file from before kept radius and pressure: its tube pushes with 25 N, and all else is as it was then."""
    content = design_content(design)
    content["schema"] = 1
    content["tube"] = {"radius_mm": 20.0, "growth_pressure_kpa": 8.0, "length_mm": 800.0}
    content["actuator"] = {"type": "pouch", "width_mm": 45.0}
    (tmp_path / "design.json").write_text(json.dumps(content))
    params = load_design(tmp_path).params
    assert params.growth_force == 25.0
    assert (params.segment_length, params.growth_viscosity, params.penetration_tolerance) == (25e-3, 0.2, 1e-3)
    assert params.actuator == PouchMotor(45.0 * 1e-3)
    assert params.physics == "published"
    content["actuator"] = {"type": "fpam", "rest_radius_mm": 12.0, "stroke": 0.25}
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign, match=r"actuator\.type = 'fpam' must be 'spam' or 'pouch'"):
        load_design(tmp_path)


def test_a_design_keeps_its_physics(design: Design, tmp_path: Path) -> None:
    """It is in the file; a file of schema 2 without it is from before there was a choice, and grows as it grew."""
    content = design_content(design)
    for physics, expected in (("corrected", "corrected"), ("published", "published"), (None, "published")):
        content["tube"].pop("physics", None)
        content["tube"] |= {"physics": physics} if physics else {}
        (tmp_path / "design.json").write_text(json.dumps(content))
        assert load_design(tmp_path).params.physics == expected
    assert design_content(design)["tube"]["physics"] == design.params.physics


def test_segments_carry_the_section_that_covers_them(design: Design) -> None:
    """Left is positive pressure, right negative, none zero; there is nothing beyond the end."""
    carried = design.actuation(40)
    pressure = carried.pressure[0]
    assert pressure.shape == (40,)
    assert (pressure[:10] == 0).all()
    assert (pressure[10:20] == 25e3).all()
    assert (pressure[20:32] == -10e3).all()
    assert (pressure[32:] == 0).all()
    assert (carried.l_0[0, 10:32] == 0.03).all()


def test_a_crossing_is_noticed(design: Design) -> None:
    """A centreline that goes over itself is called crossing, one that only turns back is not."""
    loop = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0], [0.5, -1.0]])
    assert replace(design, centerline=loop).crosses_itself
    assert not replace(design, centerline=loop[:4]).crosses_itself


def test_bodies_that_overlap_are_noticed(design: Design) -> None:
    """Parallel parts nearer than a diameter share a strip of known width; those farther apart, or a sharp bend, share none."""
    radius = design.params.radius
    for gap, shared in ((1.5, 0.5), (2.1, 0.0)):
        away = gap * radius
        turn = np.array([[1.0, 0.0], [1.3, -0.3], [1.6, away / 2], [1.3, 0.3 + away], [1.0, away]])
        joints = np.array([[0.0, 0.0], *turn, [0.0, away]])
        strip = shapely.box(0.0, -1.0, 0.9, 1.0)
        assert find_overlap(joints, radius).intersection(strip).area == pytest.approx(0.9 * shared * radius, rel=1e-3)
        assert replace(design, centerline=joints).crosses_itself == (shared > 0)
    for bend in (0.5, 1.5):
        joints = np.array([[0.0, 0.0], [0.5, 0.0], [0.5 + 0.5 * np.cos(bend), 0.5 * np.sin(bend)]])
        assert find_overlap(joints, radius).is_empty
    assert find_overlap(joints[:1], radius).is_empty


def test_controls_become_sections() -> None:
    """Runs of one control are one section; neighbours with different controls are two."""
    catalogue = Catalogue.of(VineParams(actuator=Spam(limits=Limits(0.03, 0.04, 10e-3, 10e3, 12e3))))
    sections = sections_of(np.array([0, 0, 1, 1, 1, -2, 2], np.int32), 0.025, catalogue)
    assert [(s.side, round(s.start * 1e3), round(s.end * 1e3), s.l_0) for s in sections] == [
        ("none", 0, 50, 0.0),
        ("left", 50, 125, 0.03),
        ("right", 125, 150, 0.04),
        ("left", 150, 175, 0.04),
    ]


def change(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    content = copy.deepcopy(content)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at: Any = content
    for part in parents:
        at = at[part]
    at[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("schema", 3, ["schema", "3", "1 or 2"]),
        ("sections.1.start_mm", 200.0, ["sections[1].start_mm", "200", "overlaps sections[0]", "250"]),
        ("sections.1.start_mm", 260.0, ["sections[1].start_mm", "260", "gap"]),
        ("sections.0.start_mm", 10.0, ["sections[0].start_mm", "10", "must be 0"]),
        ("sections.1.side", "up", ["sections[1].side", "up", "left", "right", "none"]),
        ("sections.1.l0_mm", 300.0, ["sections[1].l0_mm", "300", "15 to 100"]),
        ("sections.1.pressure_kpa", 0.0, ["sections[1].pressure_kpa", "greater than 0"]),
        ("sections.1.pressure_kpa", -5.0, ["sections[1].pressure_kpa", "-5"]),
        ("sections.1.pressure_kpa", float("nan"), ["sections[1].pressure_kpa", "nan", "finite"]),
        ("sections.2.end_mm", 900.0, ["tube.length_mm", "800", "900"]),
        ("sections", [], ["sections", "at least 1"]),
        ("sections.0.colour", "red", ["unknown key sections[0].colour", "start_mm"]),
        ("tube.radius_mm", "thick", ["tube.radius_mm", "thick", "number"]),
        ("actuator.type", "balloon", ["actuator.type", "balloon", "'spam', 'pouch', 'fpam' or 'cpam'"]),
        ("actuator.type", ["spam"], ["actuator.type", "'spam', 'pouch', 'fpam' or 'cpam'"]),
        ("actuator.type", "pouch", ["unknown key actuator.constriction_radius_mm", "allowed: type, width_mm"]),
        ("actuator", {}, ["missing key actuator.type"]),
        ("actuator", {"type": "pouch"}, ["missing key actuator.width_mm"]),
        ("actuator", {"type": "pouch", "width_mm": -1.0}, ["actuator.width_mm", "-1", "greater than or equal to 0.1"]),
        ("actuator.constriction_radius_mm", 20.0, ["actuator.constriction_radius_mm = 20", "at most"]),
        ("environment.sha256", "abc", ["environment.sha256", "abc"]),
    ],
)
def test_wrong_files_are_refused(design: Design, tmp_path: Path, path: str, value: Any, words: list[str]) -> None:
    """One line names the file, the key, the value and what is allowed."""
    file = tmp_path / "design.json"
    file.write_text(json.dumps(change(design_content(design), path, value)))
    with pytest.raises(InvalidDesign) as error:
        load_design(file)
    message = str(error.value)
    assert "\n" not in message
    for word in ["design.json", *words]:
        assert word in message


@pytest.mark.parametrize("data", [b"", b"{", b"[1, 2]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_design_is_refused(tmp_path: Path, data: bytes) -> None:
    """Empty, broken, foreign, binary and deeply nested files are refused by name."""
    file = tmp_path / "thing.json"
    file.write_bytes(data)
    with pytest.raises(InvalidDesign, match=r"^thing\.json: "):
        load_design(file)


def test_film_is_longer_than_a_centreline_that_an_actuator_bends(design: Design) -> None:
    """Segments of 25 mm, two bare and two under an actuator, bent by 0.1 rad each, the last at 10 mm; one that contact folds; links
    that have kept their length."""
    bend, radius = 0.1, design.params.radius
    for film, shortened in (
        ([0.025] * 4, [0.025, 0.025, 0.025 - radius * bend, 0.025 - radius * bend]),
        ([0.025, 0.025, 0.025, 0.01], [0.025, 0.025, 0.025 - radius * bend, 0.01 - radius * bend]),
        ([0.025] * 4, [0.025] * 4),
    ):
        sections = (Section(0.0, 0.05, "none", 0.0, 0.0, 0.0), Section(0.05, 0.2, "left", 2.5, 0.03, 25e3))
        turned = bend * np.arange(1, 5)
        moves = np.array(shortened)[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
        joints = np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])
        assert replace(design, sections=sections).film(joints, 0.0) == pytest.approx(film)
    folded = np.array([[0.0, 0.0], [0.0, 0.025 * LEAST_LINK]])  # by 90 degrees, which would shorten it by 52 mm
    only = (Section(0.0, 0.2, "right", 2.5, 0.03, 25e3),)
    assert replace(design, sections=only).film(folded, 0.0) == pytest.approx([0.025])
    published = replace(design, sections=only, params=VineParams(physics="published"))
    assert published.film(folded, 0.0) == pytest.approx([0.025 * LEAST_LINK])
