"""The pack written by `vinewright export`: complete, and its files describe the same vine."""

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import ezdxf
import numpy as np
import pytest
import trimesh
from pypdf import PdfReader

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.design.replay import grow_designs
from surrogate.pouch import PouchMotor
from tests.command_line import vinewright

pytestmark = pytest.mark.usefixtures("small_pictures")

FILES = {
    "pack.json", "design.json", "pressures.json", "environment.toml", "parts.csv", "cut-list.csv", "sections.csv",
    "schedule.csv", "schedule.json", "pattern.dxf", "pattern.svg", "plumbing.svg",
    "template-a4.pdf", "template-letter.pdf", "vessel.stl", "clamp.stl", "bracket.stl",
}  # fmt: skip


def planned(environment: Environment, params: VineParams = VineParams(), fraction: float = 1.0) -> Design:  # noqa: B008
    """A design that touches the divider's blocks; the goal is placed at its tip."""
    sections = (
        Section(0.0, 0.2 * fraction, "none", 0.0, 0.0, 0.0),
        Section(0.2 * fraction, 0.725, "right", 3.0, 0.042, 32.5e3),
        Section(0.725, 0.9, "left", 2.0, 0.03, 20e3),
        Section(0.9, 1.0, "none", 0.0, 0.0, 0.0),
    )
    design = Design(environment.name, environment.sha256, params, sections, np.zeros(3), np.zeros((1, 2)))
    return grow_designs([design], environment, QuasiStatic(environment, params).refined())[0].design


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a design and its environment, as written by a planning run."""
    folder = tmp_path_factory.mktemp("run")
    divider = load_environment("divider")
    design = planned(divider)
    environment = replace(divider, name="bench", goal=np.array([*design.tip[:2], 0.05]))
    write_environment(environment, folder / "environment.toml")
    content = design_content(
        replace(design, environment="bench", sha256=load_environment(folder / "environment.toml").sha256)
    )
    (folder / "design.json").write_text(json.dumps(content))
    return folder


@pytest.fixture(scope="module")
def pack(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "pack"
    with pytest.MonkeyPatch.context() as patch:
        assert vinewright(patch, "export", run, "--out", out, "--trials", 20) == 0
    return out


def test_the_pack_is_complete(pack: Path) -> None:
    """All files of all formats are there, and no temporary file is left."""
    assert {entry.name for entry in pack.iterdir()} == FILES
    assert all(entry.stat().st_size > 100 for entry in pack.iterdir())


def test_the_template_contains_the_guide(pack: Path) -> None:
    """Between cover and sheets, on numbered pages; the other parts of the pack are named there."""
    for paper in ("a4", "letter"):
        texts = [page.extract_text() for page in PdfReader(pack / f"template-{paper}.pdf").pages]
        guide = [
            k
            for k, text in enumerate(texts, start=1)
            if "· builder's guide" in text and f"page {k} of {len(texts)}" in text
        ]
        assert guide == list(range(2, 2 + len(guide)))
        assert all(f"page {k} of {len(texts)}" in texts[k - 1] for k in range(guide[-1] + 1, len(texts) + 1))
        joined = "\n".join(texts[k - 1] for k in guide)
        for part in ("Parts and materials", "Test strips", "Order of work", "vessel.stl", "Acceptance test", "Sources"):
            assert part in joined


def test_prints_are_watertight(pack: Path) -> None:
    """The STL files as written are closed surfaces in millimetres."""
    for name in ("vessel.stl", "clamp.stl", "bracket.stl"):
        mesh = trimesh.load_mesh(pack / name)
        assert mesh.is_watertight, name
        assert 1 < mesh.extents.min() < mesh.extents.max() < 220, name


def test_a_set_point_at_its_limit_needs_permission(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 35 kPa, the limit of the regulators: exit code 2 and nothing is written; with --allow-limit a warning."""
    content = json.loads((run / "design.json").read_text())
    content["sections"][1]["pressure_kpa"] = 35.0
    (tmp_path / "design.json").write_text(json.dumps(content))
    arguments = "export", tmp_path / "design.json", "--env", run / "environment.toml", "--out", tmp_path / "pack"
    assert vinewright(monkeypatch, *arguments, "--formats", "csv") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "R1 is set to 35 kPa, at its limit of 35 kPa" in error
    assert not list((tmp_path / "pack").glob("*"))
    assert vinewright(monkeypatch, *arguments, "--formats", "csv", "--allow-limit") in (0, 3)
    assert "R1 is set to 35 kPa, without head room, at its limit" in " ".join(capsys.readouterr().out.split())


def test_the_pack_says_whether_the_goal_is_reached(pack: Path) -> None:
    """It holds the planned and the fabricated sections, and that the goal is reached."""
    content = json.loads((pack / "pack.json").read_text())
    assert content["reaches_goal"] is True
    assert content["planned_mm"] == [[200.0, 725.0], [725.0, 900.0]]
    made = load_design(pack)
    assert content["made_mm"] == [
        [round(1e3 * s.start, 3), round(1e3 * s.end, 3)] for s in made.sections if s.side != "none"
    ]
    assert all(
        round((end - start) / cell, 9) % 1 == 0 for (start, end), cell in zip(content["made_mm"], (42, 30), strict=True)
    )


def test_curvatures_are_those_of_the_arc_that_is_seen(pack: Path) -> None:
    """Recomputed from cells and pressures: the film turns by k per length, its outer wall has radius 1 / k, the centreline 1 / k - R."""
    made = load_design(pack)
    assert made.actuators == 2
    for section in made.actuated:
        film = float(free_curvature(joint_moments(made.params), section.pressure, section.l_0))
        assert 1 / section.curvature == pytest.approx(1 / film - made.params.radius)


def test_a_design_rebuilt_from_the_drawing_has_the_same_tip(pack: Path) -> None:
    """Sections measured on the DXF, at the pack's pressures, reach the predicted tip to 0.1 mm."""
    drawing = ezdxf.readfile(pack / "pattern.dxf")
    marks: dict[str, dict[int, np.ndarray]] = {}
    for line in drawing.modelspace().query('LWPOLYLINE[layer=="MARK"]'):
        if line.has_xdata("VINEWRIGHT"):
            (_, name), (_, number) = line.get_xdata("VINEWRIGHT")
            marks.setdefault(name, {})[number] = np.array(line.get_points("xy"))[0]
    pressures = {line["line"]: line["set_kpa"] for line in json.loads((pack / "pressures.json").read_text())["lines"]}
    with (pack / "sections.csv").open(newline="") as file:
        table = {row["name"]: row for row in csv.DictReader(file)}
    middle = np.mean([mark[1] for actuator in marks.values() for mark in actuator.values()])
    sections, end = [], 0.0
    for name, found in sorted(marks.items(), key=lambda item: item[1][0][0]):
        points = np.array([found[k] for k in range(len(found))])
        l_0 = float(np.diff(points[:, 0]).mean())
        assert np.diff(points[:, 0]) == pytest.approx(l_0, abs=1e-6)
        assert l_0 == pytest.approx(float(table[name]["l0_mm"]), abs=1e-6)
        side = "left" if points[0, 1] > middle else "right"
        assert side == table[name]["side"]
        start, stop = 1e-3 * points[0, 0], 1e-3 * points[-1, 0]
        if start > end + 1e-9:
            sections.append(Section(end, start, "none", 0.0, 0.0, 0.0))
        sections.append(Section(start, stop, side, 0.0, 1e-3 * l_0, 1e3 * pressures[name]))  # type: ignore[arg-type]
        end = stop
    made = load_design(pack)
    if made.length > end + 1e-9:
        sections.append(Section(end, made.length, "none", 0.0, 0.0, 0.0))
    environment = load_environment(pack / "environment.toml")
    rebuilt = replace(made, sections=tuple(sections))
    tip = grow_designs([rebuilt], environment, QuasiStatic(environment, made.params).refined())[0].design.tip
    assert np.hypot(*(tip[:2] - made.tip[:2])) < 1e-4
    assert tip[2] == pytest.approx(made.tip[2], abs=1e-3)


def test_the_goal_is_reached_at_the_limits_of_the_pressure_range(pack: Path) -> None:
    """Simulated at the ends of each range, one line at a time, the design reaches the goal."""
    made, environment = load_design(pack), load_environment(pack / "environment.toml")
    lines = json.loads((pack / "pressures.json").read_text())["lines"][1:]
    actuated = [k for k, section in enumerate(made.sections) if section.side != "none"]
    for k, line in zip(actuated, lines, strict=True):
        for key in ("goal_kept_from_kpa", "goal_kept_to_kpa"):
            sections = list(made.sections)
            sections[k] = replace(sections[k], pressure=1e3 * line[key])
            varied = replace(made, sections=tuple(sections))
            grown = grow_designs([varied], environment, QuasiStatic(environment, made.params))
            assert grown[0].reached, (line, key)


def test_formats_that_cannot_be_written_are_named_and_the_others_are_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the extra: exit code 2, one line with the pip command, and every other format is written."""
    for library in ("ezdxf", "trimesh", "manifold3d"):
        for name in [name for name in sys.modules if name.split(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, library, None)
    assert vinewright(monkeypatch, "export", run, "--out", tmp_path / "pack", "--formats", "dxf,csv,stl,svg") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "dxf, stl" in error
    assert "pip install -c constraints.txt -e '.[fab]'" in error
    assert {entry.name for entry in (tmp_path / "pack").iterdir()} == {
        "parts.csv",
        "cut-list.csv",
        "sections.csv",
        "schedule.csv",
        "pattern.svg",
        "plumbing.svg",
    }


def test_a_scene_is_written_on_request(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--formats sofa` writes the scene and its mesh, and --json lists them; without --force nothing is replaced."""
    arguments = "export", run, "--out", tmp_path / "pack", "--formats", "sofa", "--json"
    assert vinewright(monkeypatch, *arguments) == 0
    assert json.loads(capsys.readouterr().out)["files"] == ["sofa_scene.py", "sofa_obstacles.obj"]
    assert {entry.name for entry in (tmp_path / "pack").iterdir()} == {"sofa_scene.py", "sofa_obstacles.obj"}
    assert vinewright(monkeypatch, *arguments) == 2
    assert "--force to replace it" in capsys.readouterr().err


def test_pouches_make_a_pack_without_brackets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything except the bracket; if the rounded design misses the goal the exit code is 3, and the pack says so."""
    divider = load_environment("divider")
    (tmp_path / "design.json").write_text(
        json.dumps(design_content(planned(divider, VineParams(actuator=PouchMotor()))))
    )
    assert (
        vinewright(
            monkeypatch, "export", tmp_path / "design.json", "--out", tmp_path / "pack", "--formats", "json,stl,dxf"
        )
        == 3
    )
    assert {entry.name for entry in (tmp_path / "pack").iterdir()} == {
        "pack.json", "design.json", "pressures.json", "schedule.json", "environment.toml", "pattern.dxf", "vessel.stl", "clamp.stl",
    }  # fmt: skip
    assert json.loads((tmp_path / "pack" / "pack.json").read_text())["reaches_goal"] is False
    assert "MISSES the goal" in capsys.readouterr().out


def test_fabrication_warnings(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pack warns of a tip that leaves the goal, pressures above their limit, and feed ends without room."""
    content = json.loads((run / "design.json").read_text())
    content["sections"][1]["pressure_kpa"] = 36.0
    content["sections"][0]["end_mm"] = content["sections"][1]["start_mm"] = 100.0
    content["sections"][-1]["end_mm"] = content["tube"]["length_mm"] = content["cost"]["length_mm"] = 1120.0
    left = content["sections"].pop(2)
    parts = [
        left | {"start_mm": start, "end_mm": end} for start, end in ((725.0, 785.0), (785.0, 845.0), (845.0, 900.0))
    ]
    content["sections"][2:2] = parts
    content["cost"]["actuators"] = 4
    (tmp_path / "design.json").write_text(json.dumps(content))
    arguments = "export", tmp_path / "design.json", "--env", run / "environment.toml", "--out", tmp_path / "pack"
    vinewright(monkeypatch, *arguments, "--formats", "json", "--trials", 20, "--allow-limit")
    pack = json.loads((tmp_path / "pack" / "pack.json").read_text())
    assert pack["length_mm"]["planned"] == 1120.0
    printed = capsys.readouterr().out
    assert all(f"warning: {warning}" in printed for warning in pack["warnings"])
    assert any("above its limit of 35 kPa" in warning for warning in pack["warnings"])
    assert any("The feed end of L4 has no room beside L2 and L3" in warning for warning in pack["warnings"])
    assert any("leaves it again" in warning for warning in pack["warnings"]) == (
        pack["reaches_goal"] and not pack["ends_in_goal"]
    )


@pytest.mark.slow
def test_the_film_of_the_tube_reaches_the_pack(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Film of 25 um: stress and limit of the body, also in tube of another width, and the warnings; without it 50 um are assumed."""
    content = json.loads((run / "design.json").read_text())
    for film, stock in ((25.0, ()), (25.0, ("--stock", "54,100mm")), (None, ())):
        content["tube"].pop("film_thickness_um", None)
        content["tube"] |= {} if film is None else {"film_thickness_um": film}
        (tmp_path / "design.json").write_text(json.dumps(content))
        arguments = (
            "export",
            tmp_path / "design.json",
            "--env",
            run / "environment.toml",
            "--out",
            tmp_path / "pack",
            *stock,
        )
        assert vinewright(monkeypatch, *arguments, "--formats", "json", "--trials", 20, "--allow-limit", "--force") in (
            0,
            3,
        )
        pack, pressures = (
            json.loads((tmp_path / "pack" / f"{name}.json").read_text()) for name in ("pack", "pressures")
        )
        radius = 1e2 / np.pi if stock else 33.35
        body = pressures["lines"][0]
        assert body["hoop_stress_mpa"] == pytest.approx(10.342 * radius / (film or 50.0), abs=0.006)
        assert body["limit_kpa"] == pytest.approx(16e3 * 1e-3 * (film or 50.0) / radius, abs=0.006)
        stressed = f"{body['hoop_stress_mpa']:.3g} MPa, R1 "
        assert any(f"begins to yield: body {stressed}" in warning for warning in pack["warnings"]) == (film is not None)
        assert any(warning.startswith("Film thickness not given") for warning in pack["warnings"]) == (film is None)
        assert any("begins to yield: " in warning and "R1 11.2 MPa" in warning for warning in pack["warnings"])


def test_a_tip_that_leaves_the_goal_again_gives_a_warning(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With 150 mm more of bare tube the tip reaches the goal and leaves it again: exit code 0 and a warning."""
    content = json.loads((run / "design.json").read_text())
    content["sections"][-1]["end_mm"] = content["tube"]["length_mm"] = content["cost"]["length_mm"] = 1150.0
    (tmp_path / "design.json").write_text(json.dumps(content))
    arguments = "export", tmp_path / "design.json", "--env", run / "environment.toml", "--out", tmp_path / "pack"
    assert vinewright(monkeypatch, *arguments, "--formats", "json", "--trials", 20) == 0
    pack = json.loads((tmp_path / "pack" / "pack.json").read_text())
    assert (pack["reaches_goal"], pack["ends_in_goal"]) == (True, False)
    assert "leaves it again" in capsys.readouterr().out


def test_the_plan_is_not_overwritten(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pack is not written into the folder of its design, not even with --force."""
    before = (run / "design.json").read_bytes()
    assert vinewright(monkeypatch, "export", run, "--out", run, "--force") == 2
    assert "contains the design that is read; give another --out" in capsys.readouterr().err
    assert (run / "design.json").read_bytes() == before


def unprintable(run: Path, tmp_path: Path, **dimensions: float) -> tuple[object, ...]:
    """Arguments to export a design whose actuators have other dimensions, for which no bracket can be printed."""
    content = json.loads((run / "design.json").read_text())
    content["actuator"] |= dimensions
    (tmp_path / "design.json").write_text(json.dumps(content))
    arguments = "export", tmp_path / "design.json", "--env", run / "environment.toml", "--out", tmp_path / "pack"
    return *arguments, "--allow-limit"


def test_one_impossible_format_does_not_stop_the_others(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No bracket can be printed for such a wide tube: the other formats are written; exit code 2 and the allowed range."""
    arguments = unprintable(run, tmp_path, tube_radius_mm=100.0)
    assert vinewright(monkeypatch, *arguments, "--formats", "stl,csv") == 2
    assert "stl: tube_radius = 100 mm must be from 9 to 60 mm" in capsys.readouterr().err
    assert {entry.name for entry in (tmp_path / "pack").iterdir()} == {
        "parts.csv", "cut-list.csv", "sections.csv", "schedule.csv", "vessel.stl", "clamp.stl",
    }  # fmt: skip


@pytest.mark.slow
def test_a_pack_without_a_printable_bracket_is_complete(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --formats, a bracket that cannot be printed is a warning: exit code 0, and no bracket of an earlier pack is left."""
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "bracket.stl").write_text("another tube's")
    code = vinewright(monkeypatch, *unprintable(run, tmp_path, constriction_radius_mm=1.0), "--force")
    printed = capsys.readouterr()
    assert code == (0 if json.loads((tmp_path / "pack" / "pack.json").read_text())["reaches_goal"] else 3), printed.err
    assert "no bracket.stl: constriction_radius = 1 mm must be from 2 to" in " ".join(printed.out.split())
    assert {entry.name for entry in (tmp_path / "pack").iterdir()} == FILES - {"bracket.stl"}


@pytest.mark.parametrize("command", ["export", pytest.param("robustness", marks=pytest.mark.slow)])
def test_a_design_for_another_environment_needs_force(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """A changed environment gives one line and exit code 2; --force proceeds with a warning."""
    options = ["--env", "divider", "--formats", "csv"] if command == "export" else ["--trials", "1", "--no-sources"]
    arguments = [command, run] if command == "export" else [command, "divider", run]
    out = tmp_path / "out"
    assert vinewright(monkeypatch, *arguments, *options, "--out", out) == 2
    printed = capsys.readouterr()
    assert "another environment (bench)" in printed.err
    assert "--force" in printed.err
    assert not out.exists()
    assert vinewright(monkeypatch, *arguments, *options, "--out", out, "--force") in (0, 3)
    assert "warning: this design was made for another environment (bench)" in capsys.readouterr().out
    assert list(out.iterdir())


def test_an_unknown_environment_must_be_given(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A design without its environment file, and not for a shipped one, needs --env; a short section is refused."""
    alone = tmp_path / "design.json"
    alone.write_text((run / "design.json").read_text())
    assert vinewright(monkeypatch, "export", alone, "--out", tmp_path / "pack") == 2
    assert "--env FILE.toml" in capsys.readouterr().err
    content = json.loads(alone.read_text())
    content["sections"][1]["l0_mm"], content["sections"][1]["end_mm"] = 80.0, 225.0
    content["sections"][2]["start_mm"] = 225.0
    alone.write_text(json.dumps(content))
    assert vinewright(monkeypatch, "export", alone, "--out", tmp_path / "pack", "--env", run / "environment.toml") == 2
    assert "from 200 to 225 mm is shorter than one cell of 80 mm" in capsys.readouterr().err
