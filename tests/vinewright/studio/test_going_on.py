"""Drawings of an earlier studio, and of other pages: requests of the page without a browser."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from vinewright.studio.session import OpenedFile, StudioSession

Drawing = Callable[..., dict[str, Any]]


def test_a_later_studio_goes_on_with_what_is_in_no_file(
    client: TestClient, session: StudioSession, drawing: Drawing, tmp_path: Path
) -> None:
    """With the file as it was, or without one; not with a file that has changed since, another one, an environment or what was saved."""
    file, other = tmp_path / "bench.toml", tmp_path / "other.toml"
    text = client.get("/api/state").json()["known"]["environments"][0]["text"]
    for one in (file, other):
        one.write_text(text)
    session.file = OpenedFile(file)
    body = {**drawing(goal={"position": [700, 500], "radius": 44}), "id": "a1b2c3d4e5", "name": "mine"}
    body |= {"text": text, "saved": text, "file": "bench.toml"}

    def goes_on(**given: Any) -> bool:
        later = StudioSession(session.root, drawings=session.drawings, **given)
        later.packs.cleanup()
        return (later.document() or {}).get("id") == "a1b2c3d4e5"

    assert client.post("/api/check", json=body).json()["not_kept"] == ""
    assert goes_on()
    assert goes_on(file=OpenedFile(file))
    assert not goes_on(file=OpenedFile(other))
    assert not goes_on(shipped="divider")
    file.write_text(text + "# changed by another program\n")
    assert not goes_on(file=OpenedFile(file))
    file.write_text(text)
    changed = client.post("/api/check", json=body).json()["text"]
    client.post("/api/check", json={**body, "saved": changed})
    assert not goes_on()
    stored = client.get("/api/drawings").json()
    assert [(one["id"], one["name"], one["is_changed"]) for one in stored] == [("a1b2c3d4e5", "mine", False)]
    assert client.get("/api/drawings/a1b2c3d4e5").json()["content"]["goal"]["radius"] == 44
    assert client.get("/api/drawings/../../etc").status_code == 404
    assert client.get("/api/drawings/a1b2c3d4e5/1234").json()["error"] == "this drawing is not kept any more"
    assert client.post("/api/check", json={**body, "id": "../x"}).status_code == 400


def test_a_drawing_of_another_page_is_copied(client: TestClient, session: StudioSession, drawing: Drawing) -> None:
    """A page that is opened while another one is connected has the drawing without its id, so that neither overwrites the other."""
    client.post("/api/check", json={**drawing(), "id": "a1b2c3d4e5", "name": "mine"})
    assert client.get("/api/state").json()["document"]["id"] == "a1b2c3d4e5"
    page = session.hub.attach()
    assert client.get("/api/state").json()["document"]["id"] is None
    session.hub.detach(page)
    assert client.get("/api/state").json()["document"]["id"] == "a1b2c3d4e5"


PLACE = {"x": 1.5, "y": -2, "scale": 2.5, "turn": 30.0, "opacity": 0.3, "cover": 0.7}
BESIDE = {
    "background": {"key": "ab" * 32, "width": 30, "height": 20, **PLACE},
    "options": {"seed": 7, "fast": True, "success": None, "of_a_later_version": "x"},
    "run": "divider-2",
    "design": "3",
    "objects": {"groups": [["wall 1", "wall 2"]], "locked": ["wall 1"], "hidden": []},
}
"""Picture, groups and locks, options and run of a drawing, which are not in its file."""


def test_what_belongs_to_a_drawing_is_kept_with_it(
    client: TestClient, session: StudioSession, drawing: Drawing
) -> None:
    """A later page and a later studio have it, also where nothing is drawn; a further page has all but the run, which is of the first."""
    body = {**drawing(), "id": "a1b2c3d4e5", "name": "mine", "beside": BESIDE}
    assert client.post("/api/check", json=body).json()["not_kept"] == ""
    assert client.get("/api/state").json()["document"]["beside"] == BESIDE
    page = session.hub.attach()
    assert client.get("/api/state").json()["document"]["beside"] == {**BESIDE, "run": None}
    session.hub.detach(page)
    assert client.get("/api/drawings/a1b2c3d4e5").json()["beside"] == BESIDE
    later = StudioSession(session.root, drawings=session.drawings)
    later.packs.cleanup()
    assert (later.document() or {})["beside"] == BESIDE
    for part in ({"x": "here"}, {"key": "../../etc/passwd"}, {"opacity": 2}, {"scale": 0}, {"src": "http://elsewhere"}):
        wrong = {**BESIDE, "background": {**BESIDE["background"], **part}}  # type: ignore[dict-item]
        assert client.post("/api/check", json={**body, "beside": wrong}).status_code == 400
    for objects in (
        {"locked": ["wall 0"]},
        {"hidden": ["../x 1"]},
        {"groups": [["wall 1\n"]]},
        {"moved": []},
        {"locked": ["box 1"] * 200_001},
    ):
        assert client.post("/api/check", json={**body, "beside": {**BESIDE, "objects": objects}}).status_code == 400
    # Without the picture and the lock, the shipped environment has all of it.
    plain = {**BESIDE, "background": None, "objects": None}
    client.post("/api/check", json={**body, "id": "b1b2c3d4e5", "beside": plain})
    assert session.drawings.last() is None


def test_only_the_drawing_is_checked_again(
    client: TestClient, drawing: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of what belongs to a drawing is kept without the checks, which may take a second."""
    body = {**drawing(), "id": "a1b2c3d4e5", "name": "mine", "beside": BESIDE}
    first = client.post("/api/check", json=body).json()
    monkeypatch.setattr("vinewright.studio.app.check_drawing", None)
    assert client.post("/api/check", json={**body, "beside": {**BESIDE, "design": "4"}}).json() == first
    assert client.get("/api/state").json()["document"]["beside"]["design"] == "4"
    moved = {**body["content"], "goal": {"position": [700, 500], "radius": 44}}
    assert client.post("/api/check", json={**body, "content": moved}).status_code == 500


def test_pages_that_draw_at_once(session: StudioSession) -> None:
    """Each drawing is kept: no thread of the server finds the files of another one half written."""

    def remember(number: int) -> None:
        drawing = {"id": f"drawing{number % 8}", "name": "mine", "file": None, "content": list(range(1000))}
        session.remember(drawing, True)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(remember, range(400)))
    assert len(session.drawings.list_drawings()) == 8
