"""`vinewright simulate` with a model that knows one arc in free space."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.moment import JointMoments, free_curvature, joint_moments
from dynamics.registry import LAST_KERNEL, propagators
from dynamics.tube import VineParams
from environments import Environment, Obstacles, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.output.folder import write_json
from surrogate.pouch import PouchMotor
from vinewright.cli import main

pytestmark = pytest.mark.usefixtures("small_pictures")

PRESSURE, CELL, LENGTH = 20e3, 42e-3, 0.8


@pytest.fixture
def folder(tmp_path: Path, params: VineParams, joint: JointMoments, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty environment, one with a post far away, and designs of one section and of two."""
    monkeypatch.chdir(tmp_path)
    film = float(free_curvature(joint, PRESSURE, CELL))
    turn, curvature = film * LENGTH, 1 / (1 / film - params.radius)
    tip = np.array([np.sin(turn) / curvature, (1 - np.cos(turn)) / curvature, turn])
    bounds, start, goal = np.array([-2.0, -2.0, 2.0, 2.0]), np.zeros(3), np.array([*tip[:2], 0.05])
    empty = Environment("bench", "", bounds, start, goal, Obstacles())
    write_environment(empty, tmp_path / "bench.toml")
    post = Obstacles(circles=np.array([[-1.5, -1.5, 0.1]]))
    write_environment(Environment("post", "", bounds, start, goal, post), tmp_path / "post.toml")
    whole = Section(0.0, LENGTH, "left", curvature, CELL, PRESSURE)
    straight = Section(0.0, 0.4, "none", 0.0, 0.0, 0.0)
    rest = Section(0.4, LENGTH, "left", curvature, CELL, PRESSURE)
    first = Section(0.0, 0.4, "left", curvature, CELL, PRESSURE)
    for name, sections in (("one", (whole,)), ("two", (straight, rest)), ("alike", (first, rest))):
        design = Design(empty.name, empty.sha256, params, sections, tip, np.array([[0.0, 0.0], tip[:2]]))
        write_json(tmp_path / f"{name}.json", design_content(design))
    return tmp_path


def simulate(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["vinewright", "simulate", *arguments, "--propagator", "euler-lagrange"])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_simulate_compares_curvatures(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    params: VineParams,
    joint: JointMoments,
) -> None:
    """The arc reaches the goal; the curvature of its centreline, with inertia, is within 1 % of that at rest, and both are reported."""
    assert simulate("bench.toml", "one.json", "--out", "sim", monkeypatch=monkeypatch) == 0
    found = json.loads((folder / "sim" / "simulation.json").read_text())
    assert found["status"] == "grown"
    rest = 1 / (1 / float(free_curvature(joint, PRESSURE, CELL)) - params.radius)
    assert found["curvature"]["at_rest_per_m"] == pytest.approx(rest, abs=1e-6)
    assert 0.99 * rest < found["curvature"]["grown_per_m"] < rest
    assert f"quasi-static, at rest in free space, {rest:.4f} /m" in capsys.readouterr().out
    assert (folder / "sim" / "plan.png").exists()


def test_the_curvature_at_rest_is_that_of_the_sections_type(
    folder: Path, monkeypatch: pytest.MonkeyPatch, params: VineParams
) -> None:
    """A section of pouches on a tube whose first actuators are sPAMs bends as on a tube with pouches alone."""
    film = float(free_curvature(joint_moments(replace(params, actuator=PouchMotor())), PRESSURE, CELL))
    rest = 1 / (1 / film - params.radius)
    section = Section(0.0, LENGTH, "left", rest, CELL, PRESSURE, kind=1)
    made = load_design(folder / "one.json")
    design = replace(made, params=replace(params, others=(PouchMotor(),)), sections=(section,))
    write_json(folder / "pouches.json", design_content(design))
    assert simulate("bench.toml", "pouches.json", "--out", "sim", monkeypatch=monkeypatch) in (0, 3)
    found = json.loads((folder / "sim" / "simulation.json").read_text())
    assert found["curvature"]["at_rest_per_m"] == pytest.approx(rest, abs=1e-6)


@pytest.mark.usefixtures("folder")
def test_sections_alike_are_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two sections of the same actuator, one behind the other, are an arc too."""
    for _ in range(2):
        assert simulate("bench.toml", "alike.json", monkeypatch=monkeypatch) == 0
        printed = capsys.readouterr().out
        assert "quasi-static, at rest" in printed
    assert "compiling" not in printed  # the second time its kernels are there


def test_last_kernel_of_every_propagator_is_known() -> None:
    """For every choice it is known whether there is something to compile."""
    assert set(LAST_KERNEL) == set(propagators())


@pytest.mark.parametrize(
    ("environment", "design", "words"),
    [
        ("post.toml", "one.json", "post has obstacles, which euler-lagrange does not support (contact=False"),
        ("bench.toml", "two.json", "one arc (sections=False)"),
    ],
)
def test_simulate_refuses_what_an_arc_cannot(
    folder: Path,
    environment: str,
    design: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Obstacles anywhere, and sections that differ, end with one line that names the capability; nothing is written."""
    assert simulate(environment, design, "--out", "sim", monkeypatch=monkeypatch) == 2
    printed = capsys.readouterr()
    error = printed.err
    assert printed.out.count("\n") <= 1  # at most the note that the design was made elsewhere
    assert error.count("\n") == 1
    assert words in error
    assert not (folder / "sim").exists()
