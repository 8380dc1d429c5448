"""The list of runs: small pictures, new names, removal, comparison, and runs that are opened with all their options."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from planner.output.claim import Locked, lock
from planner.output.contents import CHECKPOINT
from tests.vinewright.studio.browser import Studio
from tests.waiting import wait_until
from vinewright.studio.folders import ForeignRun, NoRun, RunFolders, UnusableName, small_picture
from vinewright.studio.session import StudioSession


@pytest.fixture
def folders(planned: Path, tmp_path: Path) -> RunFolders:
    """Two runs in the folder of runs, and one elsewhere with which the studio was started."""
    for name in ("one", "two"):
        shutil.copytree(planned, tmp_path / "runs" / name)
    shutil.copytree(planned, tmp_path / "elsewhere" / "mine")
    return RunFolders(tmp_path / "runs", tmp_path / "elsewhere" / "mine")


def test_a_run_gets_another_name(folders: RunFolders) -> None:
    """Its folder has the name, with all that is in it; a run with which the studio was started is found again."""
    files = {file.name for file in (folders.root / "one").iterdir()}
    assert folders.rename("one", "bench 2, no: 3".replace(", no:", ".")) == "bench 2. 3"
    assert {file.name for file in (folders.root / "bench 2. 3").iterdir()} == files
    assert set(folders.find_plans()) == {"bench 2. 3", "two", "mine (elsewhere)"}
    started = RunFolders(folders.root, folders.root / "two")
    assert started.rename("two", "größer") == "größer"
    assert started.given == folders.root.resolve() / "größer"
    assert not [one for one in folders.root.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "a/b", "../one", "a\\b", "two", "x" * 81, "a ", "a.", "a\n", "a\x00", "-x"]
)
def test_names_that_a_run_cannot_have(folders: RunFolders, name: str) -> None:
    """Nothing leaves the folder of runs, is hidden, or replaces another run."""
    with pytest.raises(UnusableName):
        folders.rename("one", name)
    assert set(folders.find_plans()) == {"one", "two", "mine (elsewhere)"}


def test_plans_that_were_killed_are_listed_with_their_command(client: TestClient, session: StudioSession) -> None:
    """A folder with a checkpoint and no design; not one that is being planned in, nor a run, nor anything else."""
    assert client.get("/api/unfinished").json() == []
    for name, file in (("my bench", CHECKPOINT), ("busy", CHECKPOINT), ("done", "run.json"), ("other", "notes.txt")):
        (session.root / name).mkdir(parents=True)
        (session.root / name / file).write_bytes(b"")
    with lock(session.root / "busy"):
        (command,) = client.get("/api/unfinished").json()
    assert command == f"vinewright plan --resume '{session.root / 'my bench'}'"


def test_only_runs_are_removed(folders: RunFolders, tmp_path: Path) -> None:
    """A folder outside, one with other files, one that is being written, and a link stay, as does every folder that is no run."""
    folders.remove("one")
    assert not (folders.root / "one").exists()
    for name in ("one", "../elsewhere/mine", "", ".", "runs"):
        with pytest.raises(NoRun):
            folders.remove(name)
    with pytest.raises(ForeignRun, match="not in the folder runs"):
        folders.remove("mine (elsewhere)")
    (folders.root / "two" / "notes.txt").write_text("mine")
    with pytest.raises(ForeignRun, match=r"two contains notes\.txt"):
        folders.remove("two")
    (folders.root / "two" / "notes.txt").unlink()
    with lock(folders.root / "two"), pytest.raises(Locked, match="being written"):
        folders.remove("two")
    os.symlink(tmp_path / "elsewhere" / "mine", folders.root / "link")
    with pytest.raises(NoRun):
        folders.remove("link")
    assert (tmp_path / "elsewhere" / "mine" / "design.json").is_file()
    (folders.root / "notes").mkdir()
    with pytest.raises(NoRun):
        folders.remove("notes")
    assert (folders.root / "two" / "design.json").is_file()
    folders.remove("two")
    assert {one.name for one in folders.root.iterdir()} == {"link", "notes"}


def test_small_pictures_of_large_drawings_have_no_obstacles(folders: RunFolders) -> None:
    """A list of many runs stays quick."""
    found = small_picture(folders["one"])
    assert found["content"]["obstacles"]["boxes"] == [[250, 0, 300, 150]]
    assert found["line"][0] == [*map(float, found["content"]["start"]["position"])]
    assert found["radius"] > 0
    file = folders["one"] / "environment.toml"
    rows = ", ".join("[250, 0, 300, 150]" for _ in range(1001))
    file.write_text(file.read_text().replace("[250, 0, 300, 150]", rows))
    assert small_picture(folders["one"])["content"]["obstacles"]["boxes"] == []


def test_requests_about_runs(client: TestClient, session: StudioSession, planned: Path) -> None:
    """All pages are told; what a later page gets has the new name; the reason of a refusal is one line."""
    shutil.copytree(planned, session.root / "one")
    page = session.hub.attach()
    session.hub.plan = {**session.hub.plan, "phase": "done", "run": "one"}
    session.hub.document = {"id": "a1b2c3d4e5", "beside": {"run": "one", "design": "1"}}
    session.hub.trials = {"run": "one"}
    assert (
        client.get("/api/runs/one/thumbnail").json()["content"]["name"]
        == client.get("/api/runs/one").json()["content"]["name"]
    )
    assert client.post("/api/runs/one/rename", json={"name": "a/b"}).status_code == 422
    assert client.post("/api/runs/one/rename", json={"name": "b"}).json() == {"name": "b"}
    assert session.hub.plan["run"] == "b"
    assert session.hub.document["beside"] == {"run": "b", "design": "1"}
    assert session.hub.trials is None
    (session.root / "b" / "notes.txt").write_text("mine")
    answer = client.post("/api/runs/b/delete", json={})
    assert (answer.status_code, answer.json()["error"].split(",")[0]) == (409, "b contains notes.txt")
    (session.root / "b" / "notes.txt").unlink()
    assert client.post("/api/runs/b/delete", json={}).json() == {}
    assert session.hub.plan["run"] is None
    assert client.post("/api/runs/b/delete", json={}).status_code == 404
    events = [page.get_nowait() for _ in range(page.qsize())]
    told = [event for event in events if event and event["type"] == "runs"]
    assert told == [{"type": "runs", "gone": "one", "now": "b"}, {"type": "runs", "gone": "b", "now": None}]


# ---- in the page ----


@pytest.fixture
def listed(studio: Studio, planned: Path) -> Iterator[Studio]:
    """A page with two runs in its list, the second one made with other options and a longer tube."""
    runs = studio.folder / "runs"
    for name in ("one", "two"):
        shutil.copytree(planned, runs / name)
    file = runs / "two" / "run.json"
    facts = json.loads(file.read_text())
    asked = {
        "time_budget_s": 77.0,
        "success": 65.0,
        "uncertainty": "lasercut",
        "seed": 9,
        "fast": True,
        "iterations": None,
    }
    file.write_text(json.dumps({**facts, "inputs": {**facts["inputs"], **asked}}))
    studio.page.click("#tab-plan")
    studio.page.locator('[data-run="two"]').wait_for()
    yield studio
    for folder in runs.iterdir():
        shutil.rmtree(folder)


def act(studio: Studio, name: str, action: str) -> None:
    """Choose one of the actions of a run."""
    studio.page.get_by_role("button", name=f"Compare, rename or delete {name}").click()
    studio.page.get_by_role("button", name=action).click()


def test_small_pictures_come_with_their_rows(listed: Studio) -> None:
    """Each run shows its obstacles and its tube."""
    for name in ("one", "two"):
        picture = listed.page.locator(f'[data-run="{name}"] .picture')
        picture.scroll_into_view_if_needed()  # pictures of rows that are out of sight are not drawn
        picture.locator("path.small-tube").wait_for(state="attached")
        assert picture.locator("path.shape").get_attribute("d")
        assert (picture.locator("path.small-tube").get_attribute("d") or "").count("L") > 5


def test_a_run_is_opened_with_all_its_options(listed: Studio) -> None:
    """The panel has the options with which the run was planned, and the drawing is that of the run, as text."""
    text = (listed.folder / "runs" / "two" / "environment.toml").read_text()
    listed.page.locator('[data-run="two"]').click()
    listed.wait_for("state.run?.name === 'two'")
    script = "async () => (await import('/panels/options.js')).planOptions()"
    found = listed.page.evaluate(script)
    expected = {"time_budget_s": 77, "success": 65, "uncertainty": "lasercut", "seed": 9, "fast": True}
    assert {name: found[name] for name in expected} == expected
    assert listed.page.locator("#plan-time").input_value() == "77"
    assert listed.page.locator("#plan-errors").input_value() == "lasercut"
    assert listed.state("state.text") == text
    listed.read_content()
    assert listed.state("state.check.text") == text


def test_reload_keeps_the_run_and_the_design(listed: Studio) -> None:
    """The design that was chosen is chosen again; a run that was removed meanwhile leaves the drawing without one."""
    listed.page.locator('[data-run="one"]').click()
    listed.wait_for("state.run?.name === 'one'")
    listed.page.locator('#designs input[value="1"]').check()
    listed.page.reload()
    listed.page.wait_for_selector("body[data-connected]")
    assert listed.state("[state.run?.name, state.design]") == ["one", "1"]
    assert listed.page.locator('#designs input[value="1"]').is_checked()
    shutil.rmtree(listed.folder / "runs" / "one")
    listed.page.reload()
    listed.page.wait_for_selector("body[data-connected]")
    assert listed.state("[state.run, state.design, state.doc.shapes.length]") == [None, "best", 1]


def test_rename_in_the_list(listed: Studio) -> None:
    """The run that is shown has the new name, also after a reload; a name that cannot be used is told, and the field stays."""
    listed.page.locator('[data-run="one"]').click()
    listed.wait_for("state.run?.name === 'one'")
    act(listed, "one", "Rename…")
    field = listed.page.get_by_role("textbox", name="New name of one")
    field.fill("two")
    field.press("Enter")
    listed.wait_for("state.message === 'there is a two already'")
    field.fill("kitchen bench")
    with listed.page.expect_response("**/api/check"):
        field.press("Enter")
        listed.wait_for("state.run?.name === 'kitchen bench'")
    listed.page.locator('[data-run="kitchen bench"][aria-current="true"]').wait_for()
    focused = "document.activeElement.getAttribute('data-focus')"
    wait_until(lambda: listed.page.evaluate(focused) == "more kitchen bench")
    assert {one.name for one in (listed.folder / "runs").iterdir()} == {"kitchen bench", "two"}
    listed.page.reload()
    listed.page.wait_for_selector("body[data-connected]")
    assert listed.state("state.run.name") == "kitchen bench"


def test_delete_in_the_list(listed: Studio) -> None:
    """It asks first; the run is then shown no more, in no page."""
    listed.page.locator('[data-run="one"]').click()
    listed.wait_for("state.run?.name === 'one'")
    act(listed, "one", "Delete…")
    assert listed.page.evaluate("document.activeElement.textContent") == "Keep"
    listed.page.keyboard.press("Enter")
    assert (listed.folder / "runs" / "one").is_dir()
    act(listed, "one", "Delete…")
    listed.page.get_by_role("button", name="Delete", exact=True).click()
    listed.page.locator('[data-run="one"]').wait_for(state="detached")
    wait_until(lambda: listed.page.evaluate("document.activeElement.getAttribute('data-run')") == "two")
    assert listed.state("state.run") is None
    assert {one.name for one in (listed.folder / "runs").iterdir()} == {"two"}


def test_two_runs_are_compared(listed: Studio) -> None:
    """Their numbers are side by side, what differs is marked, and the other tube is painted over the first one."""
    listed.page.get_by_role("button", name="Compare, rename or delete two").click()
    assert listed.page.get_by_role("button", name="Compare", exact=True).is_disabled()
    listed.page.locator('[data-run="one"]').click()
    listed.wait_for("state.run?.name === 'one'")
    before = painted(listed)
    listed.page.get_by_role("button", name="Compare", exact=True).click()
    listed.wait_for("state.compared?.name === 'two'")
    table = listed.page.locator("#comparison table")
    assert table.locator("th").all_inner_texts() == ["", "one", "two"]
    rows = {row[0]: row[1:] for row in (one.locator("td").all_inner_texts() for one in table.locator("tbody tr").all())}
    design = listed.state("state.run.designs[0]")
    assert rows["Length"][0] == rows["Length"][1] == f"{round(design['length'])} mm"
    assert rows["Seed"] == ["1", "9"]
    assert rows["Wanted success"][1] == "search only"
    differing = table.locator("tr:has(.differs) td:first-child").all_inner_texts()
    assert "Seed" in differing
    assert "Length" not in differing
    assert painted(listed) != before
    listed.page.locator("#comparison-close").click()
    listed.page.locator("#comparison").wait_for(state="hidden")
    assert painted(listed) == before


def painted(studio: Studio) -> Any:
    """Return the upper canvas as text, once it has been painted."""
    return studio.page.evaluate(
        """async () => {
            for (let k = 0; k < 3; k += 1) await new Promise((done) => requestAnimationFrame(done));
            return document.getElementById("over").toDataURL();
        }"""
    )
