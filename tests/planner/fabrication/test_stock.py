"""Stock sizes of lay-flat tube: what is read, what is chosen, and what the design does with it."""

import json
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from dynamics.tube_file import load_tube, similar
from environments import Environment, Obstacles, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.stock import parse_widths, with_stock
from vinewright.cli import main


@pytest.mark.parametrize(
    ("text", "millimetres"),
    [
        ("50,75,100mm", [50, 75, 100]),
        ("10cm, 5 cm", [50, 100]),
        ("2,4in", [50.8, 101.6]),
        ("75mm,4in,0.2m", [75, 101.6, 200]),
        ("50mm,50mm", [50]),
    ],
)
def test_widths_are_read_with_their_units(text: str, millimetres: list[float]) -> None:
    """A unit holds for the numbers before it, up to the next unit; the widths are ascending and distinct."""
    assert parse_widths(text) == pytest.approx([1e-3 * width for width in millimetres])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("50,75", "has no unit"),
        ("50mm,75", "has no unit"),
        ("50,,75mm", "is not a width"),
        ("50 furlongs", "is not a width"),
        ("-50mm", "is not a width"),
        ("5mm", "must be from 10 mm to 3 m"),
        ("5,50m", "must be from 10 mm to 3 m"),
    ],
)
def test_bad_widths_are_refused(text: str, reason: str) -> None:
    """The message says what is wrong and what is allowed."""
    with pytest.raises(ValueError, match=reason):
        parse_widths(text)


def test_the_nearest_width_replaces_each_tube(example: Build) -> None:
    """104.8 mm becomes 100 mm and 54.0 mm becomes 50 mm; the growth force changes with the square of the radius."""
    made, stock = with_stock(example.design, [0.05, 0.075, 0.1])
    assert made.params.radius == pytest.approx(0.1 / np.pi)
    assert made.params.actuator.flat_width == pytest.approx(0.05)
    assert made.sections == example.design.sections
    force = 25.0 * (0.1 / (np.pi * 33.35e-3)) ** 2
    assert stock.content() == {
        "lay_flat_width_mm": {
            "body": {"planned": 104.772, "chosen": 100.0},
            "actuators": {"planned": 53.973, "chosen": 50.0},
        },
        "growth_force_n": {"planned": 25.0, "chosen": pytest.approx(force, abs=1e-3)},
    }
    assert "100 mm lay-flat (planned 104.8 mm), 63.7 mm (planned 66.7 mm) across" in stock.text


def test_the_tube_is_scaled_like_a_tube_file(example: Build) -> None:
    """Without a measured stiffness, a tube of 80 mm is the prototype scaled to that radius; only its segments and contacts stay."""
    made, scaled = with_stock(example.design, [0.08, 0.054])[0].params, similar(0.08 / np.pi)
    for name in ("radius", "hinge_length", "growth_share", "growth_viscosity", "bending_viscosity", "growth_force"):
        assert getattr(made, name) == pytest.approx(getattr(scaled, name)), name
    assert made.inertia.mass_per_length == pytest.approx(scaled.inertia.mass_per_length)
    assert made.segment_length == example.design.params.segment_length


@pytest.fixture
def straight(tmp_path: Path) -> Path:
    """A design of 500 mm of bare tube that starts 300 mm from both walls of a room and ends in its goal."""
    goal = np.array([0.5, 0.0, 0.05])
    room = Environment("room", "", np.array([-0.3, -0.3, 1.0, 0.3]), np.zeros(3), goal, Obstacles())
    write_environment(room, tmp_path / "environment.toml")
    from environments import load_environment

    read = load_environment(tmp_path / "environment.toml")
    sections = (Section(0.0, 0.5, "none", 0.0, 0.0, 0.0),)
    design = Design(
        "room", read.sha256, VineParams(), sections, np.array([0.5, 0.0, 0.0]), np.array([[0, 0], [0.5, 0]])
    )
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    return tmp_path


def export(patch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run `vinewright export` in this process and return its exit code."""
    patch.setattr("sys.argv", ["vinewright", "export", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_export_grows_the_design_with_the_stock(
    straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what changes, and writes it to pack.json together with a tube file for a new plan; without --stock there is none."""
    out = tmp_path / "pack"
    assert export(monkeypatch, straight, "--out", out, "--stock", "75") == 2
    assert "--stock: '75' has no unit" in capsys.readouterr().err
    assert export(monkeypatch, straight, "--out", out, "--formats", "json,csv", "--stock", "75mm,4in") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "nearest stock: body 101.6 mm lay-flat (planned 104.8 mm)" in printed
    assert "its tip ends 0 mm from the planned position" in printed
    pack = json.loads((out / "pack.json").read_text())
    assert pack["stock"]["lay_flat_width_mm"] == {"body": {"planned": 104.772, "chosen": 101.6}}
    assert load_tube(out / "stock-tube.toml").radius == pytest.approx(0.1016 / np.pi, rel=1e-6)
    assert "101.6 mm lay-flat" in (out / "parts.csv").read_text()
    assert export(monkeypatch, straight, "--out", out, "--formats", "json", "--force") == 0
    assert not (out / "stock-tube.toml").exists()
    assert json.loads((out / "pack.json").read_text())["stock"] is None


def test_a_stock_that_misses_the_goal_gives_exit_code_3(
    straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tube 191 mm wide does not pass between blocks 150 mm apart, where the planned one passes: 3, and a plan with it is advised."""
    from environments import load_environment

    read = load_environment(straight / "environment.toml")
    blocks = Obstacles(tuple(np.array([[0.2, y], [0.3, y], [0.3, y + 0.1], [0.2, y + 0.1]]) for y in (0.075, -0.175)))
    write_environment(
        Environment("room", "", read.bounds, read.start, read.goal, blocks), straight / "environment.toml"
    )
    common = straight, "--out", tmp_path / "pack", "--formats", "json", "--force", "--allow-limit"
    assert export(monkeypatch, *common) == 0
    capsys.readouterr()
    assert export(monkeypatch, *common, "--stock", "300mm") == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "MISSES the goal" in printed
    assert "Plan again with the stock's tube: vinewright plan ENV --tube" in printed
