"""Built designs in the studio, without a browser: measurements, attacks, and pages that are opened later."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from planner.built.trial import design_digest
from planner.built.trials_file import load_trials
from planner.design.design import Design
from planner.design.design_file import design_content, load_design
from tests.vinewright.studio.test_attacks import CLIMBS
from vinewright.studio.built import in_words
from vinewright.studio.hub import Hub
from vinewright.studio.session import StudioSession
from vinewright.studio.workers import Worker

pytestmark = pytest.mark.usefixtures("small_pictures")
ERRORS = {"preset": "lasercut", "numbers": {"curvature_percent": 15.0}, "learnt": False}
Event = dict[str, Any]


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
