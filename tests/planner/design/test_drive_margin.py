"""The margin of a design's growth force, by hand, and what the commands tell of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import ignored_properties, load_propagator
from dynamics.tube import VineParams
from dynamics.vine import Rollout, Status
from environments import Environment, write_environment
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.drive_margin import DriveMargin, design_drive_margin, drive_margin, force_at_tip
from planner.design.replay import replay

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
FORCE, PRESSURE = VineParams().growth_force, VineParams().growth_pressure


def tube(tension: float = 0.0, drag: float = 0.0, friction: float = 0.0) -> VineParams:
    return VineParams(tail_tension=tension, tail_drag=drag, tail_friction=friction)


def straight(length: float, params: VineParams) -> Design:
    line = np.array([[0.0, 0.0], [length, 0.0]])
    section = Section(0.0, length, "none", 0.0, 0.0, 0.0)
    return Design("bare", "", params, (section,), np.array([length, 0.0, 0.0]), line)


def made(tension: list[float], needed: list[float], blocked: bool = False) -> DriveMargin:
    count = len(tension)
    lengths = 0.1 * np.arange(1, count + 1)
    return DriveMargin(tube(), lengths, np.zeros((count, 2)), np.array(tension), np.array(needed), blocked)


def test_the_least_margin_and_its_place() -> None:
    """Compute the least share of the whole force that tail and contacts leave."""
    margin = made([5.0, 10.0, 12.0], [2.0, 7.5, 0.0])
    np.testing.assert_allclose(margin.available, [20.0, 15.0, 13.0])
    np.testing.assert_allclose(margin.margin, [18 / 25, 7.5 / 25, 13 / 25])
    content = margin.content()
    assert (content["margin"], content["length_mm"], content["available_n"], content["needed_n"]) == (0.3, 200, 15, 7.5)


@pytest.mark.parametrize(
    ("tension", "needed", "share"),
    [
        ([10.0, 5.0], [0.0, 0.0], 10 / 25),  # the tail alone: the force must be 10 N
        ([0.0, 0.0], [8.0, 4.0], 8 / 25),  # walls alone, at most as much as now
        ([10.0, 5.0], [8.0, 0.0], 18 / 25),  # more than enough: the walls take no more than now
        ([20.0, 5.0], [10.0, 0.0], 20 / 15),  # too little: the walls take more of a stiffer tube, 2/5 of its force
        ([30.0, 5.0], [0.0, 0.0], 30 / 25),
    ],
)
def test_the_pressure_that_is_needed(tension: list[float], needed: list[float], share: float) -> None:
    """The tail's drag does not depend on the pressure; force and, at the most, walls are in proportion to it."""
    assert made(tension, needed).needed_pressure == pytest.approx(share * PRESSURE)


def test_no_pressure_is_enough_for_a_blocked_tip() -> None:
    """Where the walls take all force at any pressure, or stop the vine without a tail."""
    assert made([1.0], [25.0]).needed_pressure is None
    assert made([0.0], [25.0], blocked=True).needed_pressure is None
    assert made([1.0], [25.0]).content()["needed_pressure_kpa"] is None


def test_a_straight_design_by_hand(environment: Callable[..., Environment]) -> None:
    """In free space nothing is needed; the force left falls by the drag per length, and is least at the end."""
    params = tube(2.0, 10.0, 0.5)
    design = straight(0.63, params)
    rollout = replay(design, QuasiStatic(environment(), params))
    margin = drive_margin(rollout, params)
    assert margin is not None
    np.testing.assert_allclose(margin.available, FORCE - 2.0 - 10.0 * margin.lengths, rtol=1e-9)
    assert margin.lengths[-1] == pytest.approx(0.63)
    np.testing.assert_array_equal(margin.needed, 0.0)
    assert margin.least == len(margin.lengths) - 1
    assert margin.margin[-1] == pytest.approx(1 - 8.3 / FORCE)
    assert margin.needed_pressure == pytest.approx(8.3 / FORCE * PRESSURE)
    assert force_at_tip(design) == pytest.approx(FORCE - 8.3)


def test_a_bent_design_is_as_long_as_its_centreline(environment: Callable[..., Environment]) -> None:
    """Under an actuator the drag is that of the shorter centreline, and no friction needs a turn: T0 + w (1 - R k) s."""
    params = tube(2.0, 10.0)
    turn = float(free_curvature(joint_moments(params), 20e3, 0.04))
    bent = replace(straight(0.61, params), sections=(Section(0.0, 0.61, "right", turn, 0.04, 20e3),))
    margin = drive_margin(replay(bent, QuasiStatic(environment(), params)), params)
    assert margin is not None
    expected = 2.0 + 10.0 * (1 - params.radius * turn) * margin.lengths
    np.testing.assert_allclose(margin.tension[1:], expected[1:], rtol=1e-3)
    assert margin.tension[-1] < 2.0 + 10.0 * 0.61 - 0.5


def test_a_predicted_shape_costs_its_turning() -> None:
    """A right angle to the left and back: T0 exp(mu pi), whatever the side, and the drag after it."""
    line = np.array([[0.0, 0.0], [0.4, 0.0], [0.4, 0.4], [0.8, 0.4]])
    design = replace(straight(1.2, tube(2.0, 5.0, 0.3)), centerline=line)
    grown = np.exp(0.15 * np.pi)
    assert force_at_tip(design) == pytest.approx(FORCE - ((2.0 + 2.0) * grown + 2.0) * grown - 2.0)
    assert force_at_tip(replace(design, centerline=line[:1])) == pytest.approx(FORCE - 2.0)


@pytest.mark.parametrize("name", ["quasistatic", "geometric", "impulse"])
def test_a_design_that_stalls_says_what_it_lacks(environment: Callable[..., Environment], name: str) -> None:
    """Stalled at 0.575 m of 0.8 m, it lacks 9 N at its end, and would grow with the pressure that gives them."""
    params = tube(2.0, 40.0)
    design, make = straight(0.8, params), load_propagator(name)
    rollout = replay(design, make(environment(), params))
    assert rollout.status[0] == Status.STALLED
    margin = design_drive_margin(design, environment(), make, rollout)
    assert margin is not None
    assert margin.margin.min() == pytest.approx((FORCE - 34.0) / FORCE, abs=1e-4)
    assert margin.needed_pressure == pytest.approx(34.0 / FORCE * PRESSURE, rel=1e-4)
    enough = replace(params, growth_pressure=1.01 * margin.needed_pressure)
    grown: Rollout = replay(replace(design, params=enough), make(environment(), enough))
    assert grown.status[0] == Status.GROWN


def test_a_wall_ahead_leaves_no_margin(environment: Callable[..., Environment]) -> None:
    """Head-on the wall takes all that is left, and no pressure helps, with a tail or without."""
    wall = environment(boxes=[(0.5, -0.5, 0.7, 0.5)])
    for params in (tube(), tube(2.0, 10.0)):
        design = straight(0.6, params)
        margin = design_drive_margin(design, wall, QuasiStatic, replay(design, QuasiStatic(wall, params)))
        assert margin is not None
        assert margin.margin[-1] <= 1e-3
        assert margin.needed[-1] == pytest.approx(FORCE, rel=1e-3)
        assert margin.needed_pressure is None


def test_models_without_a_tail_say_so(environment: Callable[..., Environment]) -> None:
    """Euler-lagrange ignores it, and tells; the others have nothing to tell. A slack tail needs no note."""
    notes = list[str]()
    for name in ("quasistatic", "impulse", "geometric", "penalty", "euler-lagrange"):
        notes += ignored_properties(tube(1.0, 0.5, 0.2), name, environment())
        notes += ignored_properties(tube(friction=0.5), name, environment())
    assert notes == [
        "note: euler-lagrange has a constant growth force; it ignores the drag of this tube's tail (1 N, 0.5 N/m, friction 0.2)"
    ]


def test_models_without_friction_say_whose_they_ignore(environment: Callable[..., Environment]) -> None:
    """The friction is that of the tube or, if it has none, of the walls; a tube that slides freely needs no note beside rough walls."""
    notes, rough = list[str](), replace(environment(), friction=0.3)
    for friction in (0.2, None, 0.0):
        for name in ("impulse", "quasistatic", "geometric"):
            notes += ignored_properties(replace(VineParams(), friction=friction), name, rough)
    assert notes == [
        "note: impulse has no friction; it ignores the friction of this tube (0.2)",
        "note: impulse has no friction; it ignores the friction of this environment (0.3)",
    ]


@pytest.fixture
def folder(environment: Callable[..., Environment], tmp_path: Path) -> None:
    """An environment with its goal at 0.6 m, a straight design that gets there, and a tube with too much drag."""
    room = replace(environment(bounds=(-1.0, -1.0, 1.0, 1.0)), goal=np.array([0.6, 0.0, 0.05]))
    write_environment(room, tmp_path / "bare.toml")
    design = replace(straight(0.6, VineParams()), sha256=room.sha256)
    (tmp_path / "design.json").write_text(json.dumps(design_content(design)))
    (tmp_path / "winded.toml").write_text("schema = 1\ntail_tension_n = 2\ntail_drag_n_per_m = 45\n")


@pytest.mark.usefixtures("folder")
def test_simulate_and_show_tell_the_drive(vinewright: Vinewright) -> None:
    """The answer and simulation.json have it, and `show` tells the same line; with a tail that is too much, the design misses."""
    code, printed, told = vinewright("simulate", "bare.toml", "design.json", "--out", "sim", "--json")
    assert code == 0, told
    read: dict[str, Any] = json.loads(printed)["drive"]
    assert (read["margin"], read["needed_n"], read["needed_pressure_kpa"]) == (1.0, 0.0, 0.0)
    assert read == json.loads(Path("sim/simulation.json").read_text())["drive"]
    code, shown, _ = vinewright("show", "sim")
    assert code == 0
    assert "drive: least margin 100 % of 25.0 N" in " ".join(shown.split())
    code, printed, told = vinewright("simulate", "bare.toml", "design.json", "--tube", "winded.toml", "--json")
    assert code == 3
    read = json.loads(printed)["drive"]
    assert read["margin"] == pytest.approx((FORCE - 29.0) / FORCE, abs=1e-3)
    assert read["needed_pressure_kpa"] == pytest.approx(29.0 / FORCE * 1e-3 * PRESSURE, rel=1e-3)
    assert "growth pressure needed 12.0 kPa, given 10.3 kPa" in " ".join(told.split())
    assert "without the drag of the tail" in " ".join(told.split())


@pytest.mark.usefixtures("folder")
def test_a_run_keeps_the_margin_of_its_design(vinewright: Vinewright) -> None:
    """`simulate` finds the margin that `plan` writes into run.json, and `show` tells it; older runs have none."""
    options = "--iterations", 10, "--batch", 30, "--tube", "some.toml", "--out", "run"
    Path("some.toml").write_text("schema = 1\ntail_tension_n = 2\ntail_drag_n_per_m = 10\ntail_friction = 0.2\n")
    code, printed, errors = vinewright("plan", "bare.toml", *options)
    assert code == 0, printed + errors
    run = json.loads(Path("run/run.json").read_text())
    found = run["drive"]
    assert 0.5 < found["margin"] < 1 - (2 + 10 * 0.5) / FORCE
    code, printed, _ = vinewright("simulate", "bare.toml", "run", "--json")
    assert code == 0
    assert json.loads(printed)["drive"]["margin"] == pytest.approx(found["margin"], abs=1e-3)
    line = f"drive: least margin {100 * found['margin']:.0f} % of 25.0 N"
    assert line in " ".join(vinewright("show", "run")[1].split())
    del run["drive"]
    Path("run/run.json").write_text(json.dumps(run))
    code, printed, _ = vinewright("show", "run")
    assert code == 0
    assert "drive:" not in printed


@pytest.mark.usefixtures("folder")
def test_show_tells_the_force_left_at_the_tip(vinewright: Vinewright) -> None:
    """The margin follows the predicted shape of a design; one from before there were tails has all of it."""
    content = json.loads(Path("design.json").read_text())
    for key in ("tail_tension_n", "tail_drag_n_per_m", "tail_friction"):
        del content["tube"][key]
    Path("design.json").write_text(json.dumps(content))
    assert "25.0 N of 25.0 N of growth force left at the tip" in " ".join(vinewright("show", "design.json")[1].split())
    content["tube"].update(tail_tension_n=2.0, tail_drag_n_per_m=10.0)
    Path("design.json").write_text(json.dumps(content))
    assert "17.0 N of 25.0 N of growth force left at the tip" in " ".join(vinewright("show", "design.json")[1].split())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tail_tension_n = 40", "a growth pressure of more than 16.55 kPa would drive it"),
        ("tail_drag_n_per_m = -1", "tail_drag_n_per_m = -1.0 must be greater than or equal to 0"),
        ("tail_friction = nan", "tail_friction = nan must be a finite number"),
    ],
)
def test_bad_tails_are_one_line(vinewright: Vinewright, line: str, words: str) -> None:
    """In a tube file and in a design: exit code 2."""
    Path("bad.toml").write_text(f"schema = 1\n{line}")
    content = json.loads(Path("design.json").read_text())
    key, value = line.split(" = ")
    content["tube"][key] = float(value)
    Path("bad.json").write_text(json.dumps(content))
    for arguments in (("tube", "check", "bad.toml"), ("simulate", "bare.toml", "bad.json")):
        code, printed, errors = vinewright(*arguments)
        assert (code, printed, errors.count("\n")) == (2, "", 1), printed + errors
        assert words in errors
