"""The tube that a design was planned with is the tube that every later command judges it with."""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.geometric.propagator import Geometric
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import choose_friction
from dynamics.tube import VineParams
from dynamics.tube_file import load_tube, tube_text
from dynamics.tube_keys import STRIP_FILM
from environments import Environment
from environments.uncertainty_in_files import StatedUncertainty
from planner.design.design import Section
from planner.design.design_file import design_content, load_design
from planner.design.solutions_file import load_solutions
from surrogate.films import OWN, Film
from surrogate.pouch import PouchMotor

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]


def changed(made: Any) -> Any:
    """Make a copy of an object with another value of every number in it, at any depth."""
    unknown = {"friction": 0.3, "film": "ldpe-60", "film_thickness": 60e-6, "film_modulus": 2e8}
    zero = {
        "tail_tension": 0.5,
        "tail_drag": 0.3,
        "tail_friction": 0.1,
        "tip_mass": 0.05,
        "seam": 0.002,
    }
    new: dict[str, Any] = {}
    for field in fields(made):
        value = getattr(made, field.name)
        if field.name == "uncertainty":
            new[field.name] = StatedUncertainty.of({"preset": "field", "pressure_kpa": 0.3})
        elif field.name == "others":
            new[field.name] = (changed(PouchMotor()),)
        elif isinstance(value, Film):
            new[field.name] = Film(OWN, *(float(f"{1.02 * getattr(value, key):.9g}") for key in STRIP_FILM))
        elif is_dataclass(value):
            new[field.name] = changed(value)
        elif field.name == "physics":
            new[field.name] = "published"
        elif field.name in ("least_height", "collapse_share", "thickness_share"):
            new[field.name] = 0.97
        elif value == 0:
            new[field.name] = zero[field.name]
        else:
            new[field.name] = unknown.get(field.name, 2.5) if value is None else float(f"{1.02 * value:.9g}")
    return replace(made, **new)


def leaves(made: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(made):
        value = getattr(made, field.name)
        yield from (
            leaves(value)
            if is_dataclass(value) and not isinstance(value, StatedUncertainty)
            else [(f"{type(made).__name__}.{field.name}", value)]
        )


def test_every_field_of_the_tube_reaches_every_judge(
    vinewright: Vinewright, small_environment: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned with a tube none of whose fields is the default, a design is verified, simulated, tested and exported with it."""
    usual = VineParams()
    tube = changed(usual)
    assert [name for name, value in leaves(tube) if value == dict(leaves(usual))[name]] == []
    Path("small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    Path("tube.toml").write_text(tube_text(tube))
    assert load_tube("tube.toml") == tube
    grown: list[VineParams] = []
    for model in (QuasiStatic, Geometric):

        def noting(self: Any, *arguments: Any, init: Any = model.__init__, **options: Any) -> None:
            init(self, *arguments, **options)
            grown.append(self.params)

        monkeypatch.setattr(model, "__init__", noting)
    commands: list[list[object]] = [
        [
            "plan",
            "small.toml",
            "--tube",
            "tube.toml",
            "--fast",
            "--iterations",
            3,
            "--batch",
            40,
            "--verify",
            "geometric",
        ],
        ["simulate", "small.toml", "runs/small/solutions.json", "--propagator", "geometric"],
        ["robustness", "small.toml", "runs/small", "--trials", 1, "--no-sources"],
        ["export", "runs/small", "--out", "pack", "--trials", 20, "--formats", "json"],
        ["simulate", "small.toml", "pack"],
    ]
    for command in commands:
        grown.clear()
        code, printed, errors = vinewright(*command)
        assert code in (0, 3), printed + errors
        assert grown, f"{command[0]} grew nothing"
        assert {
            name for params in grown for name, value in leaves(params) if value != dict(leaves(tube))[name]
        } == set()
    for design in (*load_solutions("runs/small/solutions.json"), load_design("runs/small"), load_design("pack")):
        assert design.params == tube


STEEP = """
schema = 1
unit = "mm"
bounds = { min = [0, 0], max = [700, 500] }
start = { position = [200, 60], heading_deg = 80 }
goal = { position = [450, 330], radius = 60 }
obstacles = { boxes = [[0, 380, 640, 420]] }
"""
"""A straight tube meets the wall at 10 degrees from its normal: it sticks if the friction is above tan(10 deg) = 0.18."""


@pytest.fixture
def planned_with(vinewright: Vinewright) -> Callable[[float], Path]:
    """Plan with a friction, and replace the sections of the design by 400 mm of bare tube."""

    def make(friction: float) -> Path:
        Path("steep.toml").write_text(STEEP)
        options = "--friction", friction, "--fast", "--iterations", 2, "--batch", 10, "--out", "run"
        code, printed, errors = vinewright("plan", "steep.toml", *options)
        assert code == 0, printed + errors
        bare = replace(load_design("run"), sections=(Section(0.0, 0.4, "none", 0.0, 0.0, 0.0),))
        Path("run/design.json").write_text(json.dumps(design_content(bare)))
        return Path("run")

    return make


@pytest.mark.parametrize(("friction", "code"), [(0.3, 3), (0.1, 0)])
def test_a_design_is_exported_with_the_friction_it_was_planned_with(
    vinewright: Vinewright, planned_with: Callable[[float], Path], friction: float, code: int
) -> None:
    """With a friction of 0.3 the tip sticks to the wall and the pack misses the goal; with 0.1 it slides into the goal."""
    run = planned_with(friction)
    ended, printed, errors = vinewright("export", run, "--out", "pack", "--trials", 20, "--formats", "json")
    assert ended == code, printed + errors
    pack = json.loads(Path("pack/pack.json").read_text())
    assert (pack["reaches_goal"], pack["status"]) == ((True, "grown") if code == 0 else (False, "stalled"))
    made = load_design("pack")
    assert made.params.friction == friction
    stuck = np.hypot(*(made.tip[:2] - [0.2 + 0.287 / np.tan(np.radians(80)), 0.347])) < 2e-3
    assert stuck == (code == 3)
    assert vinewright("simulate", "steep.toml", run)[0] == code
    assert vinewright("simulate", "steep.toml", run, "--friction", 0.0)[0] == 0


@pytest.mark.parametrize(
    ("own", "given", "propagator", "kept"),
    [
        (None, None, "geometric", 0.3),
        (None, None, "quasistatic", None),
        (None, None, "impulse", None),
        (0.2, None, "geometric", 0.2),
        (0.0, None, "geometric", 0.0),
        (0.2, 0.0, "geometric", 0.0),
    ],
)
def test_a_design_keeps_the_friction_that_the_propagator_assumes(
    environment: Callable[..., Environment],
    own: float | None,
    given: float | None,
    propagator: str,
    kept: float | None,
) -> None:
    """Where neither user nor tube give a friction, that of the propagator goes with the design, so that others judge with it."""
    tube = choose_friction(VineParams(friction=own), given, propagator, environment())
    assert tube.friction == kept
    if propagator == "geometric":
        assert Geometric(environment(), VineParams(friction=own), given).tube.friction == kept


def test_a_geometric_plan_is_exported_with_its_friction(vinewright: Vinewright) -> None:
    """The friction that `plan --propagator geometric` assumed is in the design, and `export` judges with it."""
    Path("steep.toml").write_text(STEEP)
    options = "--propagator", "geometric", "--iterations", 2, "--batch", 10, "--out", "run"
    assert vinewright("plan", "steep.toml", *options)[0] == 0
    assert load_design("run").params.friction == 0.3
