"""A plan of the studio that begins with the design of the run that is shown."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from dynamics.tube import VineParams
from dynamics.tube_file import tube_content
from environments import load_environment
from planner.design.design_file import load_design
from tests.vinewright.studio.browser import Studio
from vinewright.studio.jobs import plan_job
from vinewright.studio.session import StudioSession
from vinewright.studio.stop import Stop


@pytest.fixture
def shown(studio: Studio, planned: Path) -> Iterator[Studio]:
    """A studio that shows a run."""
    shutil.copytree(planned, studio.folder / "runs" / "known", dirs_exist_ok=True)
    studio.page.evaluate("async () => (await import('/panels/runs.js')).openRun('known')")
    studio.wait_for("state.run && state.run.name === 'known' && state.check && !state.check.problem")
    studio.page.click("#tab-plan")
    yield studio
    studio.page.unroute_all()
    shutil.rmtree(studio.folder / "runs" / "known")
    studio.begin_again()


def requests_of(studio: Studio) -> list[dict[str, Any]]:
    """Take the requests to plan, which are refused."""
    sent = list[dict[str, Any]]()

    def take(route: Any) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(status=400, json={"error": "--from needs --planner sst-star; not rrt"})

    studio.page.route("**/api/plan", take)
    return sent


def start(studio: Studio) -> None:
    studio.page.click("#plan-button")
    studio.wait_for("(await import('/panels/planning.js')).planning.refusal")


def test_the_field_names_the_run_to_the_server(shown: Studio) -> None:
    """Only if it is chosen, and while a run is shown; a refusal names the field as the page does."""
    field = shown.page.get_by_label("Begin with the design of this run")
    assert "from nothing" in (shown.page.locator("label", has=field).get_attribute("title") or "")
    sent = requests_of(shown)
    for chosen in (False, True):
        field.set_checked(chosen)
        start(shown)
    assert [one["begin"] for one in sent] == [None, "known"]
    assert "start_from" not in sent[1]["options"]
    told = shown.page.locator(".field", has=shown.page.locator("#plan-planner")).get_by_role("alert").inner_text()
    assert told.startswith("“Begin with the design of this run” needs “Planner” sst-star")
    shown.page.evaluate("async () => (await import('/store.js')).set({ run: null, design: null })")
    assert field.is_hidden()
    start(shown)
    assert sent[2]["begin"] is None


def test_a_plan_of_the_page_begins_with_the_run(shown: Studio) -> None:
    """One iteration is enough for its design, which says where it is from."""
    shown.page.get_by_label("Begin with the design of this run").check()
    options = {"iterations": 1, "fast": True}
    shown.page.evaluate(
        "async (options) => (await import('/store.js')).set({ options: { ...state().options, ...options } })".replace(
            "state()", "(await import('/store.js')).state"
        ),
        options,
    )
    shown.page.click("#plan-button")
    shown.wait_for("state.run && state.run.name !== 'known' && state.plan.phase === 'done'")
    folder = shown.folder_of_run()
    facts = json.loads((folder / "run.json").read_text())
    assert Path(facts["known"]["file"]).name == "known"
    assert facts["iterations"] == 1
    assert load_design(folder).actuators <= load_design(shown.folder / "runs" / "known").actuators
    shutil.rmtree(folder)


def test_runs_are_looked_up_by_name(client: TestClient, session: StudioSession, planned: Path) -> None:
    """No path of the page is opened; the job gets the folder of the run."""
    shutil.copytree(planned, session.root / "known")
    body = {"text": "", "tube": tube_content(VineParams()), "options": {}}
    for name in ("none", "../known", str(session.root / "known"), "x" * 201):
        answer = client.post("/api/plan", json={**body, "begin": name})
        assert answer.status_code in (400, 404), name
        assert client.post("/api/plan", json={**body, "learnt": name}).status_code in (400, 404), name
    asked = list[dict[str, Any]]()
    session.planning.submit = lambda _, given: asked.append(given) or 1  # type: ignore[assignment, func-returns-value, method-assign]
    assert client.post("/api/plan", json={**body, "begin": "known"}).status_code == 200
    assert client.post("/api/plan", json={**body, "learnt": "known"}).status_code == 200
    known = str(session.root / "known")
    assert [(one["begin"], one["learnt"]) for one in asked] == [(known, None), (None, known)]


def test_a_job_begins_with_the_folder(planned: Path, tmp_path: Path) -> None:
    given = {
        "text": (planned / "environment.toml").read_text(), "name": "small", "tube": tube_content(VineParams()), "root": str(tmp_path),
        "options": {"iterations": 1, "fast": True}, "begin": str(planned),
    }  # fmt: skip
    plan_job(given, lambda _: None, Stop())
    facts = json.loads((tmp_path / "small" / "run.json").read_text())
    assert facts["known"]["file"] == facts["inputs"]["start_from"] == str(planned)


def test_a_job_counts_with_what_was_learnt(planned: Path, tmp_path: Path) -> None:
    """Errors of the folder of a run count in place of those of the options, and stand in the environment of the new run."""
    run = tmp_path / "known"
    shutil.copytree(planned, run)
    learnt = {"tube": "x", "errors": ["base: heading [deg]"], "mean": [0.1], "deviation": [0.05]}
    lines = ["[uncertainty]", "preset = 'lasercut'", "[uncertainty.learnt]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**learnt, "correlation": [[1.0]]}.items()]
    (run / "uncertainty.toml").write_text("\n".join(lines) + "\n")
    given = {
        "text": (planned / "environment.toml").read_text(), "name": "small", "tube": tube_content(VineParams()), "root": str(tmp_path),
        "options": {"iterations": 1, "fast": True, "uncertainty": "workshop"},
        "begin": str(run), "learnt": str(run),
    }  # fmt: skip
    plan_job(given, lambda _: None, Stop())
    stated = load_environment(tmp_path / "small" / "environment.toml").uncertainty
    assert stated.preset == "lasercut"
    assert stated.learnt is not None
    assert stated.learnt.mean == (0.1,)
