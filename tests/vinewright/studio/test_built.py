"""What the studio knows of a design that was built, without a browser: measurements, what is learnt from them, and changes."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from environments import load_environment
from environments.uncertainty import KEYS, PRESETS
from planner.built import posterior
from planner.built.trial import design_digest
from planner.built.trials_file import load_trials
from planner.design.design import Design
from planner.design.design_file import design_content, load_design
from planner.uncertainty.causes import list_causes
from planner.uncertainty.errors import read_errors
from tests.vinewright.commands.test_adapt import build, try_weak
from tests.vinewright.studio.test_attacks import CLIMBS
from vinewright.console.errors import BadInput
from vinewright.studio.built import built_view, in_words, sliders_of
from vinewright.studio.built_jobs import adapt_job, keep_job, learn_job
from vinewright.studio.hub import Hub
from vinewright.studio.jobs import trials_job
from vinewright.studio.session import StudioSession
from vinewright.studio.stop import Stop
from vinewright.studio.workers import Worker

pytestmark = pytest.mark.usefixtures("small_pictures")
ERRORS = {"preset": "lasercut", "numbers": {"curvature_percent": 15.0}, "learnt": False}
CHANGES = {"mount_shift_mm": 10.0, "mount_turn_deg": 3.0, "move_obstacles_mm": 0.0, "seconds": 8.0, "success": 0.8}
Event = dict[str, Any]


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors have a quarter of the usual samples: what is done with them is the same."""
    few = partial(posterior.infer, samples=64)
    monkeypatch.setattr(posterior, "infer", few)


@pytest.fixture
def run(session: StudioSession, planned: Path) -> Path:
    """The folder of a run, whose tip ends in the goal; `solutions.json` has another design, too."""
    folder = session.root / "small"
    shutil.copytree(planned, folder)
    design = load_design(folder)
    other = replace(design, sections=design.sections[:-1]) if len(design.sections) > 1 else design
    solutions = {"schema": 1, "solutions": [design_content(one) for one in (design, other)]}
    (folder / "solutions.json").write_text(json.dumps(solutions))
    return folder


def asked(folder: Path, **more: Any) -> Event:
    """What a job is given."""
    return {"run": folder.name, "folder": str(folder), "design": "best", "job": 7, "errors": ERRORS, **more}


def end_of(design: Design) -> list[float]:
    """Where the tip ends as planned [mm]."""
    return [round(1e3 * one, 1) for one in design.tip[:2].tolist()]


# ---- measuring ----


def test_a_growth_and_a_bend_are_added_listed_and_removed(client: TestClient, run: Path) -> None:
    """They are in `trials.toml`, as the command writes it; the view has their words, and the tips for the drawing."""
    empty = client.get("/api/runs/small/built").json()
    assert (empty["items"], empty["problem"], empty["designs"]) == ([], "", [])
    design = load_design(run)
    growth = {"reached": True, "tip_mm": end_of(design), "length_mm": 500.0, "note": "<b>by hand</b>"}
    assert client.post("/api/measured", json={"run": "small", "design": "best", "growth": growth}).json() == {
        "notes": []
    }
    bend = {"section": 1, "pressure_kpa": 10.0, "bend_deg": 4.0}
    assert client.post("/api/measured", json={"run": "small", "design": "best", "bend": bend}).status_code == 200
    trials = load_trials(run / "trials.toml")
    assert trials.design == design_digest(design)
    assert trials.growths[0].length == pytest.approx(0.5)
    assert trials.growths[0].note == "<b>by hand</b>"
    assert trials.bends[0].pressure == pytest.approx(10e3)
    view = client.get("/api/runs/small/built").json()
    assert view["designs"] == ["best", "1"]
    assert [one["what"] for one in view["items"]] == ["growth", "bend"]
    assert view["items"][0]["words"].startswith("reached, tip (")
    assert view["tips"] == [{"at": end_of(design), "reached": True}]
    assert view["summary"].startswith("1 growth, 1 of 1 reached the goal")
    body = {"run": "small", "design": "best", "number": 1}
    stale = client.post("/api/measured/remove", json={**body, "item": "growth: missed"})
    assert (stale.status_code, load_trials(run / "trials.toml")) == (422, trials)
    assert "look at the list again" in stale.json()["error"]
    item = f"growth: {view['items'][0]['words']}"
    assert client.post("/api/measured/remove", json={**body, "item": item}).status_code == 200
    assert load_trials(run / "trials.toml") == replace(trials, growths=())


@pytest.mark.parametrize(
    ("growth", "words"),
    [
        ({"reached": False}, "growth 1: it missed the goal, but its tip is"),
        ({"tip_mm": [9000.0, 0.0], "reached": None}, "the coordinates of the environment"),
        ({"reached": None, "tip_mm": None, "note": "nothing"}, "say whether it reached the goal"),
    ],
    ids=["contradictory", "far away", "empty"],
)
def test_what_cannot_be_is_refused_in_words(client: TestClient, run: Path, growth: Event, words: str) -> None:
    """The words are those of the page, without keys and options; nothing is written."""
    body = {"reached": True, "tip_mm": end_of(load_design(run)), **growth}
    answer = client.post("/api/measured", json={"run": "small", "design": "best", "growth": body})
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert not any(key in answer.json()["error"] for key in ("--", "_mm", "growths[", "trials.toml", "\n"))
    assert not (run / "trials.toml").exists()


def test_an_unlikely_growth_is_added_with_a_note(client: TestClient, run: Path) -> None:
    """One that reached the goal and ended outside of it may have left it again."""
    x, y = end_of(load_design(run))
    growth = {"reached": True, "tip_mm": [x - 90, y - 90]}
    (note,) = client.post("/api/measured", json={"run": "small", "design": "best", "growth": growth}).json()["notes"]
    assert note.startswith("growth 1: it reached the goal, but its tip ends")
    assert client.get("/api/runs/small/built").json()["notes"] == [note]


def test_trials_are_of_one_design(client: TestClient, run: Path) -> None:
    """A growth of another design is refused with the design that has trials; a file that cannot be used is a problem in words."""
    growth = {"reached": True}
    assert client.post("/api/measured", json={"run": "small", "design": "2", "growth": growth}).status_code == 200
    assert client.get("/api/runs/small/built").json()["designs"] == ["2"]
    refused = client.post("/api/measured", json={"run": "small", "design": "best", "growth": growth})
    assert (refused.status_code, refused.json()["error"]) == (
        422,
        "the trials in this run are of solution 2: choose that",
    )
    assert client.post("/api/measured", json={"run": "small", "design": "1", "growth": growth}).status_code == 422
    (run / "solutions.json").unlink()
    view = client.get("/api/runs/small/built").json()
    assert "is another design" in view["problem"]
    assert view["items"] == []
    (run / "trials.toml").write_text("schema = [")
    assert client.get("/api/runs/small/built").json()["problem"].startswith("trials.toml cannot be used")


def test_all_pages_are_told(client: TestClient, session: StudioSession, run: Path) -> None:
    """Another page that shows the run asks for its list again."""
    told = list[Event]()
    session.tell = told.append
    client.post("/api/measured", json={"run": run.name, "design": "best", "growth": {"reached": True}})
    assert told == [{"type": "measured", "run": "small"}]


def test_words_of_the_command_line_are_replaced() -> None:
    """The page has no options and no keys."""
    assert in_words("trials.toml: bends[0].bend_deg = -40 is too much") == "bend 1: the bend -40 is too much"
    assert in_words("State larger errors with --uncertainty") == "State larger errors with the sliders"


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("adapt", {"errors": {"preset": "none", "numbers": {}}, "seconds": 1e9}),
        ("adapt", {"errors": {"preset": "none", "numbers": {}}, "out": "/tmp"}),
        ("adapt/keep", {"search": 1, "proposal": 1, "folder": "/tmp"}),
        ("learn", {"errors": {"preset": "none", "numbers": {}}, "samples": 10**9}),
        ("measured", {"growth": {"reached": True, "recording": "../../etc/passwd"}}),
        ("measured", {"growth": {"tip_mm": [1e300, 0]}}),
        ("measured", {"growth": {"note": "x" * 10_000}}),
        ("measured", {"bend": {"section": 10**9, "pressure_kpa": 1, "bend_deg": 1}}),
        ("measured/remove", {"number": -1, "item": "growth"}),
    ],
)
def test_what_no_page_sends_of_a_built_tube(
    client: TestClient, session: StudioSession, planned: Path, path: str, more: Event
) -> None:
    """Numbers without end, paths and recordings are refused before anything is read or written."""
    shutil.copytree(planned, session.root / "divider")
    answer = client.post(f"/api/{path}", json={"run": "divider", "design": "best", **more})
    assert answer.status_code == 400
    assert not (session.root / "divider" / "trials.toml").exists()


@pytest.mark.parametrize("name", CLIMBS)
def test_no_path_leads_out_of_the_folders(
    client: TestClient, session: StudioSession, tmp_path: Path, name: str
) -> None:
    """Names of runs are looked up in all requests about a built tube, and designs are "best" or numbers."""
    session.root.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "run.json").write_text("{}")
    bodies: dict[str, Event] = {
        "measured": {"growth": {"reached": True}},
        "measured/remove": {"number": 1, "item": "growth: reached"},
        "learn": {"errors": ERRORS},
        "adapt": {"errors": ERRORS},
        "adapt/keep": {"search": 1, "proposal": 1},
    }
    assert client.get(f"/api/runs/{name}/built").status_code == 404
    for path, more in bodies.items():
        assert client.post(f"/api/{path}", json={"run": name, "design": "best", **more}).status_code == 404
        assert client.post(f"/api/{path}", json={"run": name, "design": "../../secret", **more}).status_code == 400
    assert {path.name for path in (tmp_path / "secret").iterdir()} == {"run.json"}


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
    assert told[-1]["success"]["reached"] < 30
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
def test_a_search_that_is_stopped_keeps_what_was_found(weak: Path) -> None:
    """Dearer changes are not tried; stopped while the errors are weighed there is nothing."""
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


# ---- pages ----


def test_a_page_that_is_opened_later_gets_what_was_learnt() -> None:
    """The last state of each job is kept, but none of a job that failed or of a run that is gone."""
    hub = Hub()
    for share in (0.1, 0.5):
        hub.tell({"type": "learning", "job": 1, "learning": {"run": "a", "share": share}})
    hub.tell({"type": "adapting", "job": 2, "adapting": {"run": "b"}})
    events = {event["type"]: event for event in hub.snapshot()}
    assert events["learning"]["learning"]["share"] == 0.5
    hub.tell({"type": "failed", "what": "look", "kind": "learn", "message": "", "job": 1})
    assert "learning" not in {event["type"] for event in hub.snapshot()}
    hub.tell({"type": "runs", "gone": "b", "now": "c"})
    assert "adapting" not in {event["type"] for event in hub.snapshot()}


def test_jobs_of_several_workers_have_different_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page knows its jobs by their numbers, whichever process runs them."""
    monkeypatch.setattr(Worker, "start", lambda _: None)
    monkeypatch.setattr(Worker, "_send", lambda *_: None)
    workers: list[Callable[..., int]] = [Worker("", print, False).submit for _ in range(3)]
    assert len({submit("look", {}) for submit in workers}) == 3
