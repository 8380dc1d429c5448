"""`vinewright simulate`: the snaps of a design, and whether its damping decides where they end."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.relaxations import Equilibria, Relaxations
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, Obstacles, write_environment
from environments.obstacles import box_corners
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.replay import grow_designs, replay
from planner.output.folder import write_json

pytestmark = pytest.mark.usefixtures("small_pictures")

PARAMS = VineParams()
LENGTH = 0.9
Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def caught() -> tuple[Environment, Design]:
    """A wall with a lip, behind which the tip of a tube that bends to the left is caught until it snaps out."""
    wall = Obstacles([box_corners(0.5, -0.12, 0.55, 0.12), box_corners(0.47, 0.1, 0.5, 0.12)])
    bounds = np.array([-1.0, -1.0, 1.0, 1.0])
    room = Environment("lip", "", bounds, np.zeros(3), np.array([0.5, 0.5, 0.05]), wall)
    bend = Section(0.35, LENGTH, "left", 2.0, 0.04, 15e3)
    design = Design(
        room.name, "", PARAMS, (Section(0.0, 0.35, "none", 0.0, 0.0, 0.0), bend), np.zeros(3), np.zeros((1, 2))
    )
    grown = grow_designs([design], room, QuasiStatic(room, PARAMS))[0].design
    room = replace(room, goal=np.array([*grown.tip[:2], 0.05]))
    return room, replace(grown, sha256=room.sha256)


@pytest.fixture
def folder(caught: tuple[Environment, Design], tmp_path: Path) -> Path:
    room, design = caught
    write_environment(room, tmp_path / "lip.toml")
    write_json(tmp_path / "design.json", design_content(design))
    return tmp_path


def simulated(vinewright: Vinewright, *options: str) -> tuple[list[dict[str, Any]] | None, list[str]]:
    """The snaps of the design that is caught, and what is said of them; it reaches the goal."""
    code, printed, told = vinewright("simulate", "lip.toml", "design.json", "--json", *options)
    assert code == 0
    lines = [line for line in told.splitlines() if "snap" in line]
    return json.loads(printed)["snaps"], lines


def test_a_snap_is_told_with_length_place_and_energy(
    vinewright: Vinewright, folder: Path, caught: tuple[Environment, Design]
) -> None:
    """It is where the tip jumps from one record to the next, and releases the bending energy that the tube has lost."""
    room, design = caught
    model = QuasiStatic(room, PARAMS)
    rollout = replay(design, model.refined(8))
    moves = np.hypot(*np.diff(rollout.tips[0, : rollout.records[0], :2], axis=0).T)
    jump = int(moves.argmax())
    assert moves[jump] > 0.3 > 5 * np.sort(moves)[-2]
    content, lines = simulated(vinewright, "--out", "sim")
    assert content is not None
    (snap,) = content
    before = (jump + 1) * PARAMS.segment_length
    assert 1e3 * before < snap["length_mm"] <= 1e3 * (before + PARAMS.segment_length)
    assert snap["tip_mm"] == pytest.approx(1e3 * rollout.tips[0, jump, :2], abs=20)
    assert 100 < snap["energy_mj"] < 1e3 * PARAMS.growth_force * LENGTH
    assert (snap["ambiguous"], snap["apart_mm"]) == (False, pytest.approx(0.0, abs=1.0))
    x, y = snap["tip_mm"]
    assert lines == [
        f"snap at {snap['length_mm']:.0f} mm, tip at ({x:.0f}, {y:.0f}) mm: releases {snap['energy_mj']:.1f} mJ; not ambiguous"
    ]
    assert json.loads((folder / "sim" / "simulation.json").read_text())["snaps"] == content


@pytest.mark.parametrize(
    ("apart", "written", "words"),
    [
        (0.0101, 10.1, "ambiguous: rests up to 10 mm apart, depending on the damping"),
        (np.inf, None, "ambiguous: not every way of moving ends at rest"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_an_ambiguous_snap_is_warned_of(
    vinewright: Vinewright, monkeypatch: pytest.MonkeyPatch, apart: float, written: float | None, words: str
) -> None:
    """It is said in its line, with what to do in another; the exit code stays that of the growth."""

    def relax(*_: Any) -> Equilibria:
        return Equilibria(np.zeros((3, 1, 1, 2)), np.array([apart]))

    monkeypatch.setattr(Relaxations, "relax", relax)
    content, lines = simulated(vinewright)
    assert content is not None
    assert (content[0]["ambiguous"], content[0]["apart_mm"]) == (True, written)
    assert lines[0].endswith(f"mJ; {words}")
    assert lines[1:] == [f"warning: this design {Status.AMBIGUOUS.advice}"]


@pytest.mark.usefixtures("folder")
def test_no_snaps_and_not_looked_for_differ(vinewright: Vinewright, caught: tuple[Environment, Design]) -> None:
    """A tube that does not snap has an empty list; with the published physics, which does not look for snaps, there is null."""
    short = replace(caught[1], sections=caught[1].sections[:1])
    write_json(Path("short.json"), design_content(short))
    for options, expected in (((), []), (("--physics", "published"), None)):
        _, printed, told = vinewright("simulate", "lip.toml", "short.json", "--json", *options)
        assert (json.loads(printed)["snaps"], "snap" in told) == (expected, False)
