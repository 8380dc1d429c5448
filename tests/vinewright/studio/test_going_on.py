"""Drawings of an earlier studio, and of other pages: requests of the page without a browser."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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


def test_pages_that_draw_at_once(session: StudioSession) -> None:
    """Each drawing is kept: no thread of the server finds the files of another one half written."""

    def remember(number: int) -> None:
        drawing = {"id": f"drawing{number % 8}", "name": "mine", "file": None, "content": list(range(1000))}
        session.remember(drawing, True)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(remember, range(400)))
    assert len(session.drawings.list_drawings()) == 8
