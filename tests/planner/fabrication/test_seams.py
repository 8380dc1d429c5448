"""Seams: an export is refused where the bar makes others than were planned."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles, load_environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.replay import grow_designs
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.seams import InvalidSeam, OtherSeam, check_seams, parse_seam
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

Vinewright = Callable[..., tuple[int, str, str]]
MakeBuild = Callable[..., Build]


@pytest.mark.parametrize("actuator", [PouchMotor, Cpam])
def test_seams_of_another_bar_are_refused(make_build: MakeBuild, actuator: type[PouchMotor | Cpam]) -> None:
    """Planned with 5 mm: 5 mm, and nothing said, are accepted; 8 mm are not, and the message says how to plan with them."""
    build = make_build(("left", 5, 0.04), params=VineParams(actuator=actuator()))
    for bar in (None, 5e-3, 5.04e-3):
        check_seams(build, bar)
    for bar in (8e-3, 0.0, 4.9e-3):
        with pytest.raises(
            OtherSeam, match=rf"planned with 5 mm.*seam_mm = {1e3 * bar:g} in \[actuator\] of the tube file"
        ):
            check_seams(build, bar)


@pytest.mark.parametrize("actuator", [PouchMotor, Cpam])
def test_no_seam_must_be_confirmed(make_build: MakeBuild, actuator: type[PouchMotor | Cpam]) -> None:
    build = make_build(("left", 5, 0.04), params=VineParams(actuator=actuator(seam=0.0)))
    with pytest.raises(OtherSeam, match=r"have no width.*plan with seam_mm.*--seam 0mm"):
        check_seams(build, None)
    check_seams(build, 0.0)


def test_only_sealed_actuators_that_are_built_have_seams(make_build: MakeBuild) -> None:
    """Brackets and threads need no bar; a pouch that the tube could have, but no section has, neither; one of several types does."""
    for actuator in (Spam(), Fpam()):
        check_seams(make_build(("left", 5, 0.04), params=VineParams(actuator=actuator)), 8e-3)
    mixed = make_build(("left", 5, 0.04), params=VineParams(others=(PouchMotor(seam=3e-3),)))
    check_seams(mixed, 8e-3)
    sections = tuple(replace(one, kind=1) for one in mixed.design.sections)
    with pytest.raises(
        OtherSeam, match=r"pouch actuators were planned with 3 mm.*seam_mm = 8 in its table of \[\[other_actuators\]\]"
    ):
        check_seams(Build(replace(mixed.design, sections=sections)), 8e-3)


@pytest.mark.parametrize(
    ("text", "metres"), [("5mm", 5e-3), ("8", 8e-3), ("0.5 cm", 5e-3), ("0mm", 0.0), ("0.1in", 2.54e-3)]
)
def test_widths_have_units(text: str, metres: float) -> None:
    assert parse_seam(text) == pytest.approx(metres, rel=1e-12)


@pytest.mark.parametrize("text", ["", "wide", "5 km", "-5mm", "101mm"])
def test_what_is_no_width_is_refused(text: str) -> None:
    with pytest.raises(InvalidSeam, match="--seam"):
        parse_seam(text)


@pytest.fixture
def pouches(tmp_path: Path) -> Path:
    """Folder of a design of pouches, in an empty room around its tip."""
    params = VineParams(actuator=PouchMotor())
    place = np.array([1.0, 0.0, 0.1])
    room = Environment("room", "", np.array([-0.5, -0.5, 1.5, 1.5]), np.zeros(3), place, Obstacles())
    sections = (
        Section(0.0, 0.4, "none", 0.0, 0.0, 0.0),
        Section(0.4, 0.8, "left", 1.5, 0.04, 20e3),
        Section(0.8, 1.0, "none", 0.0, 0.0, 0.0),
    )
    design = Design("room", "0" * 64, params, sections, np.zeros(3), np.zeros((1, 2)))
    grown = grow_designs([design], room, QuasiStatic(room, params))[0].design
    folder = tmp_path / "made"
    folder.mkdir()
    write_environment(replace(room, goal=np.array([*grown.tip[:2], 0.15])), folder / "environment.toml")
    sha256 = load_environment(folder / "environment.toml").sha256
    (folder / "design.json").write_text(json.dumps(design_content(replace(grown, sha256=sha256))))
    return folder


def test_export_refuses_seams_that_were_not_planned(vinewright: Vinewright, pouches: Path) -> None:
    """Exit code 2, one line, and nothing is written. A design file from before there were seams needs --seam 0mm."""
    arguments = "export", pouches, "--formats", "csv", "--trials", 20, "--out"
    code, _, errors = vinewright(*arguments, "wide", "--seam", "8mm")
    assert code == 2
    assert errors.count("\n") == 1
    assert "plan with seam_mm = 8 in [actuator] of the tube file" in errors
    assert not list(Path("wide").glob("*"))
    for extra in ((), ("--seam", "5mm")):
        code, _, errors = vinewright(*arguments, f"pack{len(extra)}", *extra)
        assert code == 0, errors
    content = json.loads((pouches / "design.json").read_text())
    assert content["actuator"].pop("seam_mm") == 5.0
    (pouches / "design.json").write_text(json.dumps(content))
    code, _, errors = vinewright(*arguments, "old")
    assert code == 2
    assert "--seam 0mm" in errors
    assert vinewright(*arguments, "old", "--seam", "0mm")[0] in (0, 3)
    assert vinewright(*arguments, "odd", "--seam", "wide")[0] == 2
