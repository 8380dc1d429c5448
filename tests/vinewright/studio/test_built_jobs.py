"""Jobs about a built design, without a browser: what is learnt from its trials, and how it is adapted."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from environments import load_environment
from environments.uncertainty import KEYS, PRESETS
from planner.built import posterior
from planner.built.trials_file import load_trials, save_trials
from planner.design.design_file import design_content, load_design
from planner.uncertainty.causes import list_causes
from planner.uncertainty.errors import read_errors
from tests.vinewright.commands.test_adapt import build, try_weak
from vinewright.console.errors import BadInput
from vinewright.studio.built import built_view, sliders_of
from vinewright.studio.built_jobs import adapt_job, keep_job, learn_job
from vinewright.studio.jobs import trials_job
from vinewright.studio.stop import Stop

pytestmark = pytest.mark.usefixtures("small_pictures")
ERRORS = {"preset": "lasercut", "numbers": {"curvature_percent": 15.0}, "learnt": False}
CHANGES = {"mount_shift_mm": 10.0, "mount_turn_deg": 3.0, "move_obstacles_mm": 0.0, "seconds": 8.0, "success": 0.8}
Event = dict[str, Any]


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors have a quarter of the usual samples: what is done with them is the same."""
    few = partial(posterior.infer, samples=64)
    monkeypatch.setattr(posterior, "infer", few)


def asked(folder: Path, **more: Any) -> Event:
    """Request of a job."""
    return {"run": folder.name, "folder": str(folder), "design": "best", "job": 7, "errors": ERRORS, **more}


# ---- learning ----


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    """The folder of a design whose three growths ended beside the goal, since its bends are too weak."""
    try_weak(tmp_path / "weak", build(tmp_path / "weak"))
    return tmp_path / "weak"


def test_learning_writes_the_files_of_the_command(weak: Path) -> None:
    """The page gets progress, the success before and now, and what was learnt; the view has it beside the sliders."""
    told = list[Event]()
    learn_job(asked(weak), told.append, Stop())
    shares = [event["learning"]["share"] for event in told]
    assert len(shares) > 3
    assert told[-1]["learning"]["busy"] is False
    result = told[-1]["learning"]["result"]
    assert result["now"]["mean"] < result["before"]["mean"] - 0.3
    assert any(row[0] == "section 1: bend" for row in result["rows"])
    assert any("0 of 3 growths reached the goal" in line for line in result["lines"])
    learnt = read_errors(str(weak / "uncertainty.toml"))
    assert learnt.preset == "lasercut"
    assert dict(learnt.numbers)["curvature_percent"] == 15
    assert (weak / "learnt.png").is_file()
    view = built_view(weak, "weak")["learnt"]
    (bend,) = (one for one in view["errors"] if one["error"] == "section 1: bend")
    assert (bend["unit"], bend["slider"], view["older"]) == ("%", "curvature_percent", False)
    assert bend["mean"] < -3 * 15 / 5
    # Again: the files are replaced, but never one that is not of errors.
    learn_job(asked(weak), told.append, Stop())
    (weak / "uncertainty.toml").write_text("mine = 1\n")
    with pytest.raises(BadInput, match="no file of errors alone"):
        learn_job(asked(weak), told.append, Stop())
    assert (weak / "uncertainty.toml").read_text() == "mine = 1\n"


def test_learning_can_be_stopped(weak: Path) -> None:
    """Nothing is written then, and the page is told."""
    stop, told = Stop(), list[Event]()

    def send(event: Event) -> None:
        told.append(event)
        stop.requested = len(told) > 2

    learn_job(asked(weak), send, stop)
    assert told[-1]["learning"] | {"stopped": True, "busy": False, "result": None} == told[-1]["learning"]
    assert len(told) < 6
    assert not (weak / "uncertainty.toml").exists()


def test_nothing_can_be_learnt_from_nothing(weak: Path) -> None:
    """Without trials, of another design, or where all is exact the job says so."""
    design = load_design(weak)
    (weak / "solutions.json").write_text(json.dumps({"schema": 1, "solutions": [design_content(design)] * 2}))
    exact = {"preset": "none", "numbers": {}, "learnt": False}
    with pytest.raises(BadInput, match="choose errors that are not all zero"):
        learn_job(asked(weak, errors=exact), lambda _: None, Stop())
    text = (weak / "trials.toml").read_text()
    (weak / "trials.toml").write_text(text[: text.index("[[growths]]")])
    with pytest.raises(BadInput, match="add a growth or a bend first"):
        learn_job(asked(weak), lambda _: None, Stop())


def test_trials_use_what_was_learnt(weak: Path) -> None:
    """Where it is accepted, trials miss the goal as the built tube does; where nothing was learnt they are refused."""
    given = asked(weak, trials=40, seed=0, preset="lasercut", numbers={}, learnt=True)
    with pytest.raises(BadInput, match="learn again"):
        trials_job(given, lambda _: None, Stop())
    learn_job(asked(weak), lambda _: None, Stop())
    told = list[Event]()
    trials_job(given, told.append, Stop())
    assert told[-1]["success"]["errors"].endswith(" and learnt")
    assert told[-1]["success"]["reached"] < 36
    trials_job({**given, "learnt": False}, told.append, Stop())
    assert told[-1]["success"]["reached"] == 40


def test_each_error_belongs_to_a_slider(weak: Path) -> None:
    """No error that can be learnt is without one, and all but those of shares have one of their unit."""
    design = load_design(weak)
    environment = load_environment(weak / "environment.toml", design.params.radius)
    sliders = sliders_of(design, environment)
    for preset in PRESETS.values():
        assert {cause.key for cause in list_causes(design, environment, preset)} <= sliders.keys()
    assert {*sliders.values()} <= {key.name for key in KEYS.values()}
    units = {"mm": "_mm", "deg": "_deg", "kPa": "_kpa", "%": "_percent"}
    for error, slider in sliders.items():
        unit = error.partition(" [")[2].rstrip("]")
        assert slider.endswith(units.get(unit, "friction")), error


# ---- adapting ----


@pytest.mark.usefixtures("few_samples")
def test_proposals_come_one_by_one_and_can_be_saved(weak: Path) -> None:
    """Cheapest first, with the pressures before and after and the tube as it then grows; what is saved is what the command writes."""
    told, design = list[Event](), load_design(weak)
    adapt_job(asked(weak, **CHANGES), told.append, Stop())
    counts = [len(event["adapting"]["proposals"]) for event in told]
    assert counts == sorted(counts)
    assert counts[-1] >= 2
    last = told[-1]["adapting"]
    assert last["busy"] is False
    assert [one["change"] for one in last["proposals"]][:2] == ["as it is", "other pressures"]
    one = last["proposals"][last["recommended"]]
    assert last["recommended"] == 1
    assert one["success"]["low"] <= one["success"]["mean"] <= one["success"]["high"]
    (before, after), *_ = one["pressures"]
    assert before == pytest.approx(1e-3 * design.actuated[0].pressure, abs=0.01)
    assert after > before + 1
    assert len(one["design"]["line"]) == len(one["design"]["film"]) > 3
    assert one["tips"]
    files = {path.name for path in weak.iterdir()}
    kept = list[Event]()
    keep_job(asked(weak, search=7, proposal=1), kept.append, Stop())
    assert kept[0]["kept"]["folder"] == "weak-adapted"
    out = weak.with_name("weak-adapted")
    assert {path.name for path in out.iterdir()} == {"adapted.json", "adapted.png", "design.json", "environment.toml"}
    assert load_design(out).actuated[0].pressure == pytest.approx(1e3 * after, abs=10)
    assert json.loads((out / "adapted.json").read_text())["best"] == 1
    assert {path.name for path in weak.iterdir()} == files
    for wrong in ({"search": 6, "proposal": 1}, {"search": 7, "proposal": 0}, {"search": 7, "proposal": 99}):
        with pytest.raises(BadInput, match="search again"):
            keep_job(asked(weak, **wrong), kept.append, Stop())
    with pytest.raises(BadInput, match="search again"):
        keep_job({**asked(weak, search=7, proposal=1), "folder": str(out)}, kept.append, Stop())


@pytest.mark.usefixtures("few_samples")
def test_any_proposal_can_be_saved(weak: Path) -> None:
    """The folder has the proposal that was chosen, also if it is not the best: its pressures, and its place in the list."""
    told, never = list[Event](), 2.0
    adapt_job(asked(weak, job=8, **{**CHANGES, "seconds": 4.0, "success": never}), told.append, Stop())
    last = told[-1]["adapting"]
    assert last["recommended"] is None
    (other,) = [k for k in range(1, len(last["proposals"])) if k != last["best"]][:1]
    kept = list[Event]()
    keep_job(asked(weak, search=8, proposal=other), kept.append, Stop())
    out = Path(kept[0]["kept"]["path"])
    content = json.loads((out / "adapted.json").read_text())
    assert content["best"] == other
    one = last["proposals"][other]
    assert content["proposals"][other]["change"] == one["change"]
    design = load_design(out)
    if design.schedule is None:
        marks, rows = [0.0], [[section.pressure for section in design.actuated]]
    else:  # a step has two rows at its length
        marks, rows = (1e3 * design.schedule.lengths[[0, 2]]).tolist(), design.schedule.pressures[[0, 2]].tolist()
    assert one["marks"] == pytest.approx(marks, abs=0.1)
    assert [then for _, *then in one["pressures"]] == [
        pytest.approx(np.array(row) / 1e3, abs=0.01) for row in np.transpose(rows)
    ]


@pytest.mark.usefixtures("few_samples")
def test_nothing_is_recommended_for_another_tube(weak: Path) -> None:
    """Where the errors explain none of the growths the page is warned, in its own words."""
    told, trials = list[Event](), load_trials(weak / "trials.toml")
    far = replace(trials.growths[0], tip=(0.45, 0.08))
    save_trials(weak / "trials.toml", replace(trials, growths=(far,) * 3))
    tiny = {"preset": "none", "numbers": {"start_position_mm": 0.1}, "learnt": False}
    adapt_job(asked(weak, **{**CHANGES, "errors": tiny, "seconds": 1.0, "success": 0.01}), told.append, Stop())
    last = told[-1]["adapting"]
    assert last["recommended"] is None
    (warning,) = (note for note in last["notes"] if note.startswith("warning: "))
    assert "larger errors with the sliders" in warning


@pytest.mark.usefixtures("few_samples")
def test_a_search_that_is_stopped_keeps_what_was_found(weak: Path) -> None:
    """Costlier changes are not tried; stopped while the errors are weighed there is nothing."""
    stop, told = Stop(), list[Event]()

    def send(event: Event) -> None:
        told.append(event)
        stop.requested = bool(event["adapting"]["proposals"])

    adapt_job(asked(weak, **{**CHANGES, "seconds": 600.0, "success": 1.0}), send, stop)
    last = told[-1]["adapting"]
    assert (last["stopped"], last["busy"], len(last["proposals"])) == (True, False, 1)

    def send_at_once(event: Event) -> None:
        told.append(event)
        stop.requested = True

    adapt_job(asked(weak, **CHANGES), send_at_once, stop)
    assert (told[-1]["adapting"]["stopped"], told[-1]["adapting"]["proposals"]) == (True, [])
