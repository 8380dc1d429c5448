"""The option `--physics` of the commands that grow vines, and the physics that a design is grown with afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[VineParams]:
    """The tubes of all propagators made since."""
    seen: list[VineParams] = []

    def noting(self: Any, *arguments: Any, init: Any = QuasiStatic.__init__, **options: Any) -> None:
        init(self, *arguments, **options)
        seen.append(self.params)

    monkeypatch.setattr(QuasiStatic, "__init__", noting)
    return seen


@pytest.mark.slow
def test_physics_travels_with_the_design(
    vinewright: Vinewright,
    small_environment: Callable[[str], str],
    grown: list[VineParams],
) -> None:
    """Planned and resumed with the published physics, a design is simulated and tested with it, unless the option says otherwise."""
    Path("small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    tests = [
        "robustness",
        "small.toml",
        "runs/small",
        "--trials",
        1,
        "--no-sources",
        "--physics",
        "corrected",
    ]
    commands: list[tuple[list[object], str, bool]] = [
        (["plan", "small.toml", "--physics", "published", "--iterations", 2, "--batch", 40], "published", False),
        (["plan", "--resume", "runs/small", "--iterations", 3], "published", False),
        (["simulate", "small.toml", "runs/small"], "published", False),
        (["simulate", "small.toml", "runs/small", "--physics", "corrected"], "corrected", True),
        (tests, "corrected", True),
        (["bench", "rollouts", "small.toml", "--batch", 2, "--length", 0.1, "--physics", "published"], "published", False),
    ]  # fmt: skip
    for command, physics, announced in commands:
        grown.clear()
        code, printed, errors = vinewright(*command)
        assert code in (0, 3), printed + errors
        assert {params.physics for params in grown} == {physics}, command
        note = "note: --physics corrected is not the tube this design was made for: physics published there, corrected here"
        assert (note in printed) is announced
        assert json.loads(Path("runs/small/design.json").read_text())["tube"]["physics"] == "published"


def test_an_unknown_physics_is_one_line(vinewright: Vinewright, small_environment: Callable[[str], str]) -> None:
    """It names the option and the choices; a run that is resumed keeps its own."""
    Path("small.toml").write_text(small_environment("[]"))
    for command, words in (
        (("plan", "small.toml", "--physics", "newton"), "--physics newton must be corrected or published"),
        (("tube", "show", "prototype", "--physics", "Published"), "--physics Published must be corrected or published"),
        (("plan", "--resume", "runs", "--physics", "published"), "--physics cannot be given with --resume"),
    ):
        code, _, errors = vinewright(*command)
        assert (code, errors.count("\n")) == (2, 1)
        assert words in errors


def test_show_tells_the_arc_that_is_seen(vinewright: Vinewright) -> None:
    """The least turning radius is that of the centreline: with the published physics 1 / k, corrected less by the tube's radius.

    Both at 32.5 kPa: published, up to the limit of the regulators; corrected, with head room below it.
    """
    Path("limited.toml").write_text("schema = 1\n[actuator]\nmost_pressure_kpa = 32.5\n")
    radii = []
    for physics, tube in (("published", "limited.toml"), ("corrected", "prototype")):
        code, printed, _ = vinewright("tube", "show", tube, "--physics", physics, "--json")
        assert code == 0
        made = json.loads(printed)
        assert made["tube"]["physics"] == physics
        radii.append(made["derived"]["least_turning_radius_mm"])
    assert radii[0] - radii[1] == pytest.approx(33.35)
