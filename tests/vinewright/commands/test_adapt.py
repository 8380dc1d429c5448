"""`vinewright adapt`: what to change at a tube that was built, and the folder of the adapted design."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dynamics.tube import VineParams
from environments import load_environment
from environments.uncertainty import Uncertainty
from planner.adapting.searching import Search
from planner.adapting.set_points import with_free_bends
from planner.built import posterior
from planner.built.predicting import BuiltTube
from planner.built.trial import Growth, Trials, design_digest
from planner.built.trials_file import save_trials
from planner.design.design import Design, Section
from planner.design.design_file import design_content, load_design
from planner.design.schedule import Schedule
from planner.output.folder import write_json
from planner.uncertainty.errors import named_errors
from planner.uncertainty.trials import Worlds, grow_trials

Vinewright = Callable[..., tuple[int, str, str]]
BARE = Section(0.0, 0.15, "none", 0, 0, 0)
SECTIONS = BARE, Section(0.15, 0.35, "left", 1.0, 0.03, 14e3), replace(BARE, start=0.35, end=0.6)
ROOT = Path(__file__).parents[3]
QUICK = "--time-budget", 1
pytestmark = pytest.mark.usefixtures("few_samples", "small_pictures")


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors have a quarter of the usual samples: what is done with them is the same."""
    monkeypatch.setattr(posterior, "infer", partial(posterior.infer, samples=64))


def build(
    folder: Path, sections: tuple[Section, ...] = SECTIONS, schedule: Schedule | None = None, goal: float = 30
) -> Design:
    """Write the folder of a design, with the goal where its tip ends; a block stands far from it."""
    text = (
        'schema = 2\nunit = "mm"\nbounds = {{ min = [0, 0], max = [900, 800] }}\n'
        "start = {{ position = [60, 200], heading_deg = 0 }}\ngoal = {{ position = [{}, {}], radius = {} }}\n"
        "obstacles = {{ boxes = [[300, 10, 400, 60]] }}\n"
    )
    folder.mkdir()
    file = folder / "environment.toml"
    file.write_text(text.format(700, 700, goal))
    design = Design("small", "", VineParams(), sections, np.zeros(3), np.zeros((1, 2)))
    design = design.scheduled(schedule) if schedule else with_free_bends(design, design.params)
    tip = BuiltTube(design, load_environment(file), Uncertainty()).grow(np.zeros((1, 2))).tip[0]
    file.write_text(text.format(*(1e3 * tip).round(1).tolist(), goal))
    line = np.array([[0.06, 0.2], tip])
    environment = load_environment(file, design.params.radius, "small")
    made = replace(design, sha256=environment.sha256, tip=np.array([*tip, 0.5]), centerline=line)
    write_json(folder / "design.json", design_content(made))
    return load_design(folder)


def try_weak(folder: Path, design: Design) -> None:
    """Add three growths of a tube whose bends are 25 % too weak."""
    environment = load_environment(folder / "environment.toml", design.params.radius, "small")
    tube = BuiltTube(design, environment, Uncertainty(curvature_share=0.25))
    truth = np.array([[-1.0 if "bend" in cause.name else 0.0 for cause in tube.unknowns]])
    grown = tube.grow(truth)
    assert grown.nearest[0] > 0
    x, y = grown.tip[0].round(3).tolist()
    growth = Growth(False, (x, y), None, None, None, "")
    save_trials(folder / "trials.toml", Trials(design_digest(design), growths=(growth,) * 3))


def errors_file(folder: Path) -> str:
    """Errors of which a weak bend is the largest."""
    (folder / "errors.toml").write_text("[uncertainty]\npreset = 'lasercut'\ncurvature_percent = 15\n")
    return "errors.toml"


def test_pressures_make_a_weak_tube_reach_its_goal(vinewright: Vinewright, tmp_path: Path) -> None:
    """Table, recommendation, folder and picture; `show` and `simulate` know the folder, and nothing in RUN changes."""
    design = build(tmp_path / "run")
    try_weak(tmp_path / "run", design)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    asked = "--time-budget", 12, "--success", 80, "--uncertainty", errors_file(tmp_path)
    code, printed, errors = vinewright("adapt", "run", *asked)
    assert (code, errors) == (0, "")
    assert "3 growths, 0 of 3 reached the goal" in printed
    assert "recommended: other pressures, the cheapest change that is enough" in printed
    assert "turn section 1" in printed
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    out = tmp_path / "run-adapted"
    assert {path.name for path in out.iterdir()} == {"adapted.json", "adapted.png", "design.json", "environment.toml"}
    adapted = load_design(out)
    assert adapted.actuated[0].pressure > design.actuated[0].pressure + 1e3
    assert adapted.success is not None
    assert adapted.success.rate >= 0.8
    assert "learnt" in tomllib.loads((out / "environment.toml").read_text())["uncertainty"]
    with Image.open(out / "adapted.png") as picture:
        assert min(picture.size) > 100
    code, printed, _ = vinewright("show", "run-adapted")
    assert code == 0
    assert "adapted design, other pressures: turn section 1 from 14.0 to" in printed
    code, printed, _ = vinewright("simulate", "run-adapted/environment.toml", "run-adapted")
    assert code in (0, 3)
    assert "0.0 mm from the design's prediction" in printed


def test_learnt_errors_go_with_the_adapted_design(vinewright: Vinewright, tmp_path: Path) -> None:
    """Trials in the folder succeed as `adapt` predicts; a second adaptation gets a folder of its own."""
    try_weak(tmp_path / "run", build(tmp_path / "run"))
    asked = "--uncertainty", errors_file(tmp_path), *QUICK
    assert vinewright("adapt", "run", *asked)[0] == 0
    adapted = load_design(tmp_path / "run-adapted")
    there = load_environment(tmp_path / "run-adapted" / "environment.toml", adapted.params.radius, "small")
    assert there.sha256 == adapted.sha256
    _, errors = named_errors(there, adapted.params, None)
    outcome = grow_trials(adapted, Worlds.draw(there, adapted.params, errors, range(100), 0))
    assert adapted.success is not None
    assert outcome.reached.mean() == pytest.approx(adapted.success.rate, abs=0.2)
    assert vinewright("adapt", "run", *asked)[0] == 0
    assert (tmp_path / "run-adapted-2" / "design.json").is_file()


def test_without_trials_the_stated_errors_count(vinewright: Vinewright, tmp_path: Path) -> None:
    """The command says so; a tube that reaches its goal often enough is left alone, and nothing is written."""
    build(tmp_path / "run", goal=100)
    code, printed, _ = vinewright("adapt", "run", *QUICK, "--success", 60)
    assert code == 0
    assert "nothing was measured of this design" in printed
    assert "recommended: leave the tube as it is" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_success_holds_for_growths_that_errors_explain(vinewright: Vinewright, tmp_path: Path) -> None:
    """A warning beside it if some have no explanation; if most have none, nothing is recommended, whatever is predicted."""
    design = build(tmp_path / "run", goal=60)
    good, bad = (Growth(reached, None, None, None, None, "") for reached in (True, False))
    far = replace(bad, tip=(0.2, 0.5))
    for growths, warned, recommended in (
        ((good,) * 5 + (far,), "1 of 6 growths went as no errors explain; every success below is that of growths like the other 5", 0),
        ((far, replace(bad, tip=(0.3, 0.1))), "no errors of this size explain how often the tube reached the goal", None),
    ):  # fmt: skip
        save_trials(tmp_path / "run" / "trials.toml", Trials(design_digest(design), growths=growths))
        asked = *QUICK, "--uncertainty", "lasercut", "--success", 50
        code, printed, errors = vinewright("adapt", "run", *asked, "--out", f"out-{len(growths)}", "--json")
        content = json.loads(printed)
        assert content["recommended"] == recommended
        assert code == (3 if recommended is None else 0)
        text = errors + printed
        assert ("explain too few of the growths" in text) == (recommended is None)
        code, printed, errors = vinewright("adapt", "run", *asked, "--out", f"more-{len(growths)}")
        assert warned in printed
        assert ("recommended: leave the tube as it is" in printed) == (recommended is not None)
        (tmp_path / "run" / "trials.toml").unlink()


def test_json_has_all_proposals(vinewright: Vinewright, tmp_path: Path) -> None:
    """Where nothing is enough the exit code is 3, and another plan is named; the best is written all the same."""
    design = build(tmp_path / "run")
    try_weak(tmp_path / "run", design)
    asked = "--uncertainty", errors_file(tmp_path), *QUICK, "--mount-shift", 2, "--mount-turn", 0.5
    code, printed, errors = vinewright("adapt", "run", *asked, "--success", 100, "--json", "--out", "best")
    content = json.loads(printed)
    names = [one["change"] for one in content["proposals"]]
    assert names[:2] == ["as it is", "other pressures"]
    keys = tomllib.loads((ROOT / "docs" / "reference" / "formats" / "keys" / "answers.toml").read_text())
    described = {re.split(r"[.\[]", key)[0] for key in keys["every command"] | keys["vinewright adapt"]}
    assert content.keys() <= described
    parts = {key.removeprefix("proposals[].").removesuffix("[]") for key in keys["vinewright adapt"] if "." in key}
    assert content["proposals"][0].keys() == parts
    assert len({*names}) == len(names)
    if code == 3:
        assert not content["met"]
        assert "vinewright plan run/environment.toml --from run --uncertainty run/uncertainty.toml" in errors
    assert content["wrote"] == ["best"]
    for one in content["proposals"]:
        assert max(map(abs, one["base_mm"])) <= 2
        assert abs(one["base_turn_deg"]) <= 0.5
        low, high = one["interval_90"]
        assert low <= one["success"] <= high


def test_a_tube_without_actuators(vinewright: Vinewright, tmp_path: Path) -> None:
    """Only base, growth pressure and one more actuator can be changed; also with preformed bends alone."""
    for name, sections in (
        ("bare", (replace(BARE, end=0.5),)),
        ("formed", (BARE, Section(0.15, 0.3, "left", 2.0, 0, 0, preformed=True), replace(BARE, start=0.3, end=0.5))),
    ):
        build(tmp_path / name, sections, goal=10)
        code, printed, errors = vinewright("adapt", name, "--time-budget", 0.5, "--json", "--uncertainty", "handmade")
        assert code in (0, 3), errors
        names = {one["change"] for one in json.loads(printed)["proposals"]}
        assert names <= {"as it is", "another growth pressure", "another pose of the base", "one more actuator"}
        assert len(names) > 1


def test_a_design_with_a_schedule(vinewright: Vinewright, tmp_path: Path) -> None:
    """Pressures are changed along the growth, and the schedule stays one of its design."""
    two = *SECTIONS, Section(0.6, 0.75, "right", 1.0, 0.03, 14e3)
    schedule = Schedule([0.0, 0.5, 0.5], [[14e3, 12e3], [14e3, 12e3], [0.0, 12e3]])
    design = build(tmp_path / "run", two, schedule, goal=6)
    try_weak(tmp_path / "run", design)
    asked = "--uncertainty", errors_file(tmp_path), *QUICK
    code, printed, errors = vinewright("adapt", "run", *asked, "--success", 99.9, "--json")
    assert code in (0, 3), errors
    names = [one["change"] for one in json.loads(printed)["proposals"]]
    assert "one more actuator" not in names
    assert "other pressures" in names
    adapted = load_design(tmp_path / "run-adapted")
    assert adapted.schedule is not None
    assert adapted.schedule.pressures[2, 0] == 0.0


def test_ctrl_c_keeps_what_was_found(vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table ends with what was found; nothing is written that is no better than the tube as it is."""
    try_weak(tmp_path / "run", build(tmp_path / "run"))
    run = Search.run

    def interrupted(self: Search, _: Callable[[int], bool]) -> None:
        run(self, lambda _: False)
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "run", interrupted)
    code, printed, _ = vinewright("adapt", "run", "--uncertainty", errors_file(tmp_path), *QUICK)
    assert code == 3
    assert "interrupted after 2 of 7 changes" in printed
    assert "% of 90 % wanted; costlier changes were not tried" in printed
    assert "another pose" not in printed
    assert not (tmp_path / "run-adapted").exists()


def test_what_cannot_be_used_is_one_line(vinewright: Vinewright, tmp_path: Path) -> None:
    """Options, folders and trials; nothing is written."""
    design = build(tmp_path / "run")
    save_trials(tmp_path / "run" / "trials.toml", Trials("0" * 16))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    for arguments, words in (
        (("adapt", "nowhere"), "does not exist"),
        (("adapt", "run"), "is another design, or one that was changed"),
        (("adapt", "run", "--success", 0), "--success"),
        (("adapt", "run", "--time-budget", 0), "--time-budget"),
        (("adapt", "run", "--mount-turn", -1), "--mount-turn"),
        (("adapt", "run", "--out", "run"), "contains the built design"),
    ):
        code, _, errors = vinewright(*arguments)
        assert code == 2
        assert words in errors
        assert errors.count("\n") == 1
    save_trials(tmp_path / "new.toml", Trials(design_digest(design)))
    (tmp_path / "new.toml").replace(tmp_path / "run" / "trials.toml")
    for arguments, words in (
        (("adapt", "run", "--uncertainty", "worst"), "must be one of"),
        (("adapt", "run", "--out", "full"), "mine.txt, which is not part of a run"),
    ):
        code, _, errors = vinewright(*arguments)
        assert (code, words in errors) == (2, True)
    (tmp_path / "run" / "trials.toml").unlink()
    file = tmp_path / "run" / "environment.toml"
    file.write_text(file.read_text().replace("radius = 30", "radius = 31"))
    code, _, errors = vinewright("adapt", "run")
    assert (code, errors) == (2, "error: run: its environment is not the one of its design, or was changed since\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "run"]
