"""Designs that `plan` finds can be exported, without any further option: set points have head room, and seams are those of the plan."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from environments import known_environments
from surrogate.registry import actuators

pytestmark = pytest.mark.usefixtures("small_pictures")
Vinewright = Callable[..., tuple[int, str, str]]
KINDS = pytest.mark.parametrize("kind", actuators())


def turned(small_environment: Callable[[str], str]) -> str:
    """A small environment whose goal lies to the side, so that every design has an actuator."""
    return small_environment("[]").replace("[500, 230], radius = 60", "[400, 400], radius = 60")


def check_pack(folder: Path) -> None:
    """Every line is set below its limit, and the design was tried as it is made."""
    lines = json.loads((folder / "pressures.json").read_text())["lines"]
    assert len(lines) > 1
    assert all(line["set_kpa"] < line["limit_kpa"] for line in lines)
    assert all(line["head_room_kpa"] > 0 for line in lines)
    assert json.loads((folder / "pack.json").read_text())["trials_as_made"]["trials"]


@KINDS
@pytest.mark.parametrize("supply", [(), ("--supply", "100kPa")])
def test_a_small_plan_can_be_exported(
    vinewright: Vinewright, tmp_path: Path, small_environment: Callable[[str], str], kind: str, supply: tuple[str, ...]
) -> None:
    """With each actuator; the pressure at hand is in run.json, and in the tube of the design, so that the export needs no option."""
    (tmp_path / "small.toml").write_text(turned(small_environment))
    few = "--iterations", 3, "--batch", 20
    code, _, errors = vinewright("plan", tmp_path / "small.toml", "--actuator", kind, *few, "--out", "run", *supply)
    assert code in (0, 3), errors
    given = json.loads(Path("run/run.json").read_text())["inputs"]["supply"]
    limit = json.loads(Path("run/design.json").read_text())["actuator"]["most_pressure_kpa"]
    assert (given, limit) == (("100kPa", 100.0) if supply else (None, 35.0))
    code, _, errors = vinewright("export", "run", "--out", "pack", "--formats", "csv,json", "--trials", 20)
    assert code in (0, 3), errors
    check_pack(Path("pack"))


def test_steered_pressures_can_be_exported(
    vinewright: Vinewright, tmp_path: Path, small_environment: Callable[[str], str]
) -> None:
    (tmp_path / "small.toml").write_text(turned(small_environment))
    few = "--iterations", 3, "--batch", 20, "--steer", 1, "--fast"
    code, _, errors = vinewright("plan", tmp_path / "small.toml", *few, "--out", "run")
    assert code in (0, 3), errors
    for number in range(1, 1 + len(json.loads(Path("run/solutions.json").read_text())["solutions"])):
        arguments = "--solution", number, "--formats", "csv,json", "--trials", 20, "--force"
        code, _, errors = vinewright("export", "run", "--out", "pack", *arguments)
        assert code in (0, 3), errors
        check_pack(Path("pack"))


def test_an_older_design_is_exported_with_more_supply(
    vinewright: Vinewright, tmp_path: Path, small_environment: Callable[[str], str]
) -> None:
    """At 35 kPa, its limit, it is refused; with 40 kPa at hand it is not, and with 100 kPa films are the limit."""
    (tmp_path / "small.toml").write_text(turned(small_environment))
    assert vinewright("plan", tmp_path / "small.toml", "--iterations", 3, "--fast", "--out", "run")[0] == 0
    content = json.loads(Path("run/design.json").read_text())
    for section in content["sections"]:
        section["pressure_kpa"] *= 35 / 32.5
    assert max(section["pressure_kpa"] for section in content["sections"]) == pytest.approx(35)
    Path("run/design.json").write_text(json.dumps(content))
    arguments = "export", "run", "--formats", "csv,json", "--trials", 20, "--force", "--out", "pack"
    code, _, errors = vinewright(*arguments)
    assert code == 2
    assert "give --supply" in errors
    for supply, limit in (("40kPa", 40.0), ("100", 46.57)):
        code, _, errors = vinewright(*arguments, "--supply", supply)
        assert code in (0, 3), errors
        check_pack(Path("pack"))
        lines = json.loads(Path("pack/pressures.json").read_text())["lines"]
        assert {line["limit_kpa"] for line in lines[1:]} == {limit}
    assert vinewright(*arguments, "--supply", "lots")[0] == 2


def test_a_supply_that_cannot_be_used_is_refused(vinewright: Vinewright) -> None:
    """Before anything is planned: exit code 2, and one line that says what to give."""
    for supply, said in (("lots", "give one such as 100kPa"), ("8kPa", "must be above the growth pressure")):
        code, _, errors = vinewright("plan", "divider", "--supply", supply)
        assert code == 2
        assert said in errors
        assert errors.count("\n") == 1


@pytest.mark.slow
@KINDS
@pytest.mark.parametrize("environment", known_environments())
def test_every_plan_of_a_shipped_environment_can_be_exported(
    vinewright: Vinewright, environment: str, kind: str
) -> None:
    """By the commands, with their defaults but for time and trials; where no design is found there is nothing to export."""
    code, _, errors = vinewright("plan", environment, "--actuator", kind, "--time-budget", 20, "--out", "run")
    assert code in (0, 3), errors
    if not Path("run/design.json").exists():
        pytest.skip("no design was found in 20 s")
    code, _, errors = vinewright("export", "run", "--out", "pack", "--trials", 20)
    assert code in (0, 3), errors
    check_pack(Path("pack"))
