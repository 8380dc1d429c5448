"""Fixtures of the studio: a session in an empty folder, and a client that knows the token."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import vinewright as vw
from tests.vinewright.studio.browser import Studio, chromium
from tests.vinewright.studio.test_server import Running, start
from vinewright.studio.app import make_app
from vinewright.studio.drawings import Drawings
from vinewright.studio.guard import TOKEN_HEADER
from vinewright.studio.session import StudioSession
from vinewright.studio.workers import Worker

HOST = "127.0.0.1:8737"
TOKEN = "the-token-of-these-tests"
Event = dict[str, Any]


@pytest.fixture(scope="session")
def planned(small_environment: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short plan in a small environment, whose goal is reached with a bend."""
    folder = tmp_path_factory.mktemp("planned") / "small"
    file = folder.with_suffix(".toml")
    file.write_text(small_environment("[[250, 0, 300, 150]]").replace("[500, 230]", "[500, 320]"))
    vw.plan(vw.load_environment(file), seed=1, iterations=5).save(folder)
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Iterator[StudioSession]:
    """A session whose processes have not been started."""
    made = StudioSession(tmp_path / "runs", drawings=Drawings(tmp_path / "data", str(tmp_path)))
    made.planning, made.looking = Worker("", made.hub.tell, True), Worker("", made.hub.tell, False)
    made.building = Worker("", made.hub.tell, False)
    yield made
    made.packs.cleanup()


@pytest.fixture
def stranger(session: StudioSession) -> TestClient:
    """A client that does not know the token."""
    app = make_app(session, TOKEN, [HOST])
    return TestClient(app.state.guard, base_url=f"http://{HOST}", raise_server_exceptions=False)


@pytest.fixture
def client(stranger: TestClient) -> TestClient:
    """A client that knows it."""
    stranger.headers[TOKEN_HEADER] = TOKEN
    return stranger


@pytest.fixture
def drawing(client: TestClient) -> Callable[..., Event]:
    """Makes the body of a check of a shipped environment, with changes of its content."""

    def made(name: str = "divider", **changes: Any) -> Event:
        known = client.get("/api/state").json()
        shipped = next(one for one in known["known"]["environments"] if one["name"] == name)
        obstacles = shipped["content"]["obstacles"]
        origins = {kind: list(range(len(obstacles[kind]))) for kind in ("boxes", "polygons", "circles", "walls")}
        content = {**shipped["content"], **changes}
        return {"text": shipped["text"], "content": content, "origins": origins, "tube": known["tube"]["content"]}

    return made


@pytest.fixture(scope="session", autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Studios that tests start as processes keep drawings in a folder of the tests, on Linux."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Running]]:
    """A folder and the studio that runs in it, with all its processes: one for most tests in a browser."""
    folder = tmp_path_factory.mktemp("studio")
    running = Running(start(folder))
    yield folder, running
    running.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of a file: while there is one, no other code of this process can use asyncio."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shared(browser: Any, served: tuple[Path, Running]) -> Iterator[Studio]:
    """One page for most tests of a file."""
    folder, running = served
    made = Studio(folder, browser, running=running)
    yield made
    made.close()


@pytest.fixture
def studio(shared: Studio) -> Studio:
    """A studio with an empty drawing."""
    shared.begin_again()
    return shared


@pytest.fixture
def editor(shared: Studio) -> Studio:
    """An empty drawing in the page of the tests before, which has been left as with the button New."""
    shared.clear()
    return shared
