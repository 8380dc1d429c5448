"""Attacks on the studio, each by its name: none reads, writes or computes anything."""

import io
import json
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.vinewright.studio.conftest import HOST, TOKEN
from vinewright.studio.app import make_app
from vinewright.studio.guard import MOST_BYTES, TOKEN_HEADER
from vinewright.studio.session import OpenedFile, StudioSession
from vinewright.studio.workers import MOST_WAITING, Worker

EVENTS = f"ws://{HOST}/api/events"
EVIL = "http://evil.example"
PATHS = (
    "/api/state",
    "/api/runs",
    "/api/unfinished",
    "/api/drawings",
    "/api/drawings/a1b2c3d4e5",
    "/api/runs/divider",
    "/api/runs/divider/folder.zip",
    "/api/runs/divider/thumbnail",
    "/api/runs/divider/built",
    "/api/pictures/0",
    "/api/packs/1.zip",
    "/api/nothing",
)
POSTS = (
    *("open", "check", "save", "tube", "image", "plan", "stop", "look", "trials", "pack"),
    *("import", "combine", "rectify"),
    *("runs/divider/rename", "runs/divider/delete"),
    *("measured", "measured/remove", "learn", "adapt", "adapt/keep"),
)
CLIMBS = "..%2f..%2fetc%2fpasswd", "..%2fsecret", "%2e%2e%2fsecret", "..", "%2fetc%2fpasswd", "..%5csecret", "secret%00"


def test_every_request_is_attacked(client: TestClient) -> None:
    """A request that is added to the application is added here, too."""
    app: Any = client.app
    routes = [route for route in app.app.routes if isinstance(route, Route) and "POST" in (route.methods or ())]
    assert {route.path.removeprefix("/api/").replace("{name}", "divider") for route in routes} == set(POSTS)


def test_dns_rebinding(client: TestClient) -> None:
    """A page of another host whose name leads to this machine is refused, for files, requests and the socket."""
    for host in ("evil.example", "evil.example:8737", "127.0.0.1", "127.0.0.1:80", "localhost:8737", ""):
        for path in ("/", "/main.js", "/api/state"):
            assert client.get(path, headers={"Host": host}).status_code == 421, host
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(EVENTS, headers={"Host": host, "Origin": f"http://{host}"}),
        ):
            pass


def test_cross_site_request(client: TestClient) -> None:
    """A request that another page makes is refused, even with the token."""
    for origin in (EVIL, "null", "http://127.0.0.1:8738", "https://127.0.0.1:8737", f"http://{HOST}.evil.example"):
        assert client.get("/api/state", headers={"Origin": origin}).status_code == 403, origin
        assert client.post("/api/stop", json={"what": "plan"}, headers={"Origin": origin}).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert (
        client.get("/api/runs", headers={"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}).status_code
        == 200
    )


def test_link_to_the_page(client: TestClient) -> None:
    """The address that the terminal shows can be followed from anywhere; what needs the token cannot."""
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=followed).status_code == 200
    assert client.get("/api/runs", headers=followed).status_code == 403


def test_preflight_of_another_page(client: TestClient) -> None:
    """No answer allows another page anything."""
    asked = {"Origin": EVIL, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": TOKEN_HEADER}
    answer = client.options("/api/plan", headers=asked)
    assert answer.status_code == 403
    for one in (answer, client.get("/"), client.get("/api/runs")):
        assert not [name for name in one.headers if name.startswith("access-control")]


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "token-ä"])
def test_missing_or_wrong_token(stranger: TestClient, token: str) -> None:
    """Without the token every request is refused, those of unknown addresses included; it is not taken from the address."""
    headers = {TOKEN_HEADER: token.encode("latin-1")} if token else {}
    for path in PATHS:
        assert stranger.get(path, headers=headers).status_code == 401, path
        assert stranger.get(f"{path}?token={TOKEN}", headers=headers).status_code == 401
    for name in POSTS:
        assert stranger.post(f"/api/{name}", headers=headers, content=b"{}").status_code == 401, name


def test_socket_of_another_page(client: TestClient) -> None:
    """The socket is closed for another page, and for a client that sends no origin."""
    for headers in ({"Origin": EVIL}, {}):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(EVENTS, headers=headers):
            pass


@pytest.mark.parametrize(
    "first",
    [
        '{"token": "wrong"}',
        '{"token": "\\ud800"}',
        "[" * 60_000,
        "{}",
        "[]",
        "no JSON",
        "1",
        '{"token": 5}',
        '{"token": null}',
    ],
)
def test_socket_without_token(client: TestClient, session: StudioSession, first: str) -> None:
    """A socket whose first message is not the token gets nothing."""
    with client.websocket_connect(EVENTS, headers={"Origin": f"http://{HOST}"}) as socket:
        socket.send_text(first)
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()
    assert not session.hub.pages


def test_silent_socket(session: StudioSession) -> None:
    """A socket that sends nothing is closed."""
    app = make_app(session, TOKEN, [HOST], first_message=0.05)
    client = TestClient(app.state.guard, base_url=f"http://{HOST}", raise_server_exceptions=False)
    with (
        client.websocket_connect(EVENTS, headers={"Origin": f"http://{HOST}"}) as socket,
        pytest.raises(WebSocketDisconnect),
    ):
        socket.receive_json()


def test_socket_with_token(client: TestClient) -> None:
    """The page itself gets the present state."""
    with client.websocket_connect(EVENTS, headers={"Origin": f"http://{HOST}"}) as socket:
        socket.send_json({"token": TOKEN})
        assert socket.receive_json() == {"type": "connected"}
        assert socket.receive_json()["plan"]["phase"] == "idle"


@pytest.mark.parametrize("name", CLIMBS)
def test_path_traversal(client: TestClient, session: StudioSession, tmp_path: Path, name: str) -> None:
    """Names of runs, designs and packs are looked up: no path leads out of the folders."""
    session.root.mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "run.json").write_text("{}")
    (tmp_path / "secret.zip").write_text("secret")
    for path in (
        f"/api/runs/{name}",
        f"/api/runs/{name}/folder.zip",
        f"/api/runs/{name}/thumbnail",
        f"/api/pictures/{name}",
        f"/api/packs/{name}.zip",
        f"/{name}" if name != ".." else "/nothing",
    ):
        assert client.get(path).status_code == 404, path
    assert client.get(f"/api/runs/{name}/best/picture.png").status_code == 404
    assert client.post(f"/api/runs/{name}/rename", json={"name": "mine"}).status_code in (404, 405)
    assert client.post(f"/api/runs/{name}/delete", json={}).status_code in (404, 405)
    assert (tmp_path / "secret" / "run.json").is_file()
    for what in ("look", "trials", "pack"):
        body = {"run": name, "design": "best"} | {
            "look": {"propagator": "quasistatic"},
            "trials": {"errors": {"preset": "none", "numbers": {}}, "trials": 1, "seed": 0},
            "pack": {},
        }[what]
        assert client.post(f"/api/{what}", json=body).status_code == 404
        body["design"] = "../../secret"
        assert client.post(f"/api/{what}", json=body).status_code == 400


def test_hidden_and_foreign_folders(client: TestClient, session: StudioSession, planned: Path) -> None:
    """Only folders of plans are runs: no hidden ones, none without a plan; a zip file has only files of a run, and no links."""
    session.root.mkdir()
    for name in (".hidden", "divider"):
        (session.root / name).symlink_to(planned) if name == ".hidden" else None
    copy = session.root / "divider"
    copy.mkdir()
    for path in planned.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    (copy / "private.txt").write_text("private")
    (copy / "plan.png").unlink()
    (copy / "plan.png").symlink_to("/etc/passwd")
    (session.root / "notes").mkdir()
    assert [row["name"] for row in client.get("/api/runs").json()] == ["divider"]
    assert client.get("/api/runs/.hidden").status_code == 404
    assert client.get("/api/runs/notes/folder.zip").status_code == 404
    data = client.get("/api/runs/divider/folder.zip").content
    import zipfile

    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert "divider/design.json" in names
    assert not {"divider/private.txt", "divider/plan.png"} & set(names)


def test_content_security_policy(client: TestClient) -> None:
    """Every answer, a refusal included, forbids inline scripts, other hosts, framing and guessing of types."""
    answers = [client.get("/"), client.get("/main.js"), client.get("/api/runs"), client.get("/nothing")]
    answers.append(client.get("/", headers={"Origin": EVIL}))
    assert [answer.status_code for answer in answers] == [200, 200, 200, 404, 403]
    for answer in answers:
        rules = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == rules["style-src"] == "'self'"
        assert rules["connect-src"] == f"'self' ws://{HOST}"
        assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_too_large_request(client: TestClient) -> None:
    """Too large requests are refused, also those that do not say how large they are or lie about it."""
    announced = client.post("/api/check", content=b"{}", headers={"Content-Length": str(MOST_BYTES + 1)})
    assert announced.status_code == 413
    assert client.post("/api/check", content=b"{}", headers={"Content-Length": "-1"}).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(MOST_BYTES // 1_000_000 + 2):
            yield bytes(1_000_000)

    assert client.post("/api/image", content=endless(), headers={"Content-Type": "image/png"}).status_code == 413
    assert client.post("/api/check", content=endless()).status_code == 413


@pytest.mark.parametrize("name", POSTS)
@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b'{"a": 1}', b"[" * 100_000, b'"\xff"', b"1e999"])
def test_malformed_request(client: TestClient, name: str, body: bytes) -> None:
    """A malformed request is refused in one line, never with a fault of the server."""
    answer = client.post(f"/api/{name}", content=body)
    assert answer.status_code in (400, 415), answer.text
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_other_methods(client: TestClient, method: str) -> None:
    """Requests that compute or write are answered by POST only."""
    for name in POSTS:
        assert client.request(method, f"/api/{name}").status_code in (404, 405)


def png(width: int, height: int) -> bytes:
    """A tiny file of a huge grey picture."""
    row = zlib.compress(bytes(1000))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", row) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
        ("image/png", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("text/html", b"<script>alert(1)</script>"),
        ("image/png", b"<html>"),
        ("image/png", b""),
        ("image/png", png(30_000, 30_000)),
        ("image/png", png(2**31 - 1, 2**31 - 1)),
        ("image/gif", b"GIF89a"),
        ("", b"\x89PNG\r\n\x1a\n"),
        ("image/jpeg", b"\xff\xd8\xff" + bytes(100)),
    ],
)
def test_hostile_picture(client: TestClient, kind: str, data: bytes) -> None:
    """A file that is no picture, of another type, or has too many pixels is refused."""
    answer = client.post("/api/image", content=data, headers={"Content-Type": kind})
    assert answer.status_code == 415, answer.text
    assert "\n" not in answer.json()["error"]


def test_picture_with_too_many_pixels(client: TestClient) -> None:
    """A small file of a sound picture with too many pixels is refused before it is decoded."""
    out = io.BytesIO()
    Image.new("1", (8000, 8000)).save(out, "PNG")
    assert len(out.getvalue()) < 20_000
    answer = client.post("/api/image", content=out.getvalue(), headers={"Content-Type": "image/png"})
    assert answer.status_code == 415
    assert "million pixels" in answer.json()["error"]


def test_picture_with_a_payload(client: TestClient) -> None:
    """A picture comes back as its pixels alone: no notes, no position, nothing behind its end."""
    image = Image.new("RGB", (40, 30), (10, 200, 30))
    exif = Image.Exif()
    exif[0x9286] = "where I live"
    out = io.BytesIO()
    image.save(out, "PNG", exif=exif)
    answer = client.post(
        "/api/image", content=out.getvalue() + b"<script>payload</script>", headers={"Content-Type": "image/png"}
    )
    assert answer.status_code == 200
    assert b"payload" not in answer.content
    assert b"where I live" not in answer.content
    clean = Image.open(io.BytesIO(answer.content))
    assert (clean.format, clean.size, clean.info) == ("PNG", (40, 30), {})
    assert clean.convert("RGB").getpixel((5, 5)) == (10, 200, 30)


def test_path_of_a_tube_in_a_file(client: TestClient, tmp_path: Path) -> None:
    """A file that a page opens may name a tube file, which is not read."""
    secret = tmp_path / "tube.toml"
    secret.write_text("schema = 1\nradius_mm = 20.0\n")
    state = client.get("/api/state").json()
    text = state["known"]["environments"][0]["text"].replace(
        'unit = "mm"', f'unit = "mm"\ntube = {json.dumps(str(secret))}'
    )
    answer = client.post("/api/open", json={"text": text, "name": "x.toml"}).json()
    assert answer["content"]["tube"] == str(secret)
    assert answer["tube"]["name"] == "prototype"


def test_save_where_the_page_wants(client: TestClient, session: StudioSession, tmp_path: Path) -> None:
    """Saving writes the file the studio was started with or nothing, and never over what someone else wrote."""
    text = client.get("/api/state").json()["known"]["environments"][0]["text"]

    def save(text: str, saved: str, **more: str) -> Any:
        return client.post("/api/save", json={"text": text, "saved": saved, **more})

    assert save(text, text).status_code == 409
    assert save(text, text, path=str(tmp_path / "x")).status_code == 400
    file = tmp_path / "bench.toml"
    file.write_text(text)
    session.file = OpenedFile(file)
    assert save(text + "# mine\n", text).status_code == 200
    assert file.read_text() == text + "# mine\n"
    assert save("no environment", text + "# mine\n").status_code == 422
    # Another page that opened the file before that, and another program.
    assert save(text + "# other page\n", text).status_code == 409
    file.write_text(text + "# theirs\n")
    answer = save(text, text + "# mine\n")
    assert (answer.status_code, file.read_text()) == (409, text + "# theirs\n")
    assert "has changed" in answer.json()["error"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench.toml"]


def test_save_keeps_links_permissions_and_marks(client: TestClient, session: StudioSession, tmp_path: Path) -> None:
    """A link still leads to the file, which keeps its permissions and its byte order mark."""
    text = "\ufeff" + client.get("/api/state").json()["known"]["environments"][0]["text"]
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "bench.toml", tmp_path / "bench.toml"
    real.write_text(text)
    real.chmod(0o600)
    link.symlink_to(real)
    session.file = OpenedFile(link)
    assert client.get("/api/state").json()["document"]["text"] == text
    assert client.post("/api/save", json={"text": text + "# mine\n", "saved": text}).status_code == 200
    assert link.is_symlink()
    assert real.read_bytes() == (text + "# mine\n").encode()
    assert real.stat().st_mode & 0o777 == 0o600


def test_flood_of_jobs(
    client: TestClient, session: StudioSession, planned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One plan at a time and a few other jobs: more are refused at once."""
    monkeypatch.setattr(Worker, "start", lambda _: None)
    monkeypatch.setattr(Worker, "_send", lambda *_: None)
    shutil.copytree(planned, session.root / "divider")
    state = client.get("/api/state").json()
    body = {"text": state["known"]["environments"][0]["text"], "tube": state["tube"]["content"], "options": {}}
    assert [client.post("/api/plan", json=body).status_code for _ in range(3)] == [200, 409, 409]
    look = {"run": "divider", "design": "best", "propagator": "quasistatic"}
    codes = [client.post("/api/look", json=look).status_code for _ in range(MOST_WAITING + 2)]
    assert codes == [200] * MOST_WAITING + [409] * 2


def test_options_out_of_range(client: TestClient, drawing: Callable[..., dict[str, Any]]) -> None:
    """A plan has no options but those of the page, and no trials without end."""
    body = {key: drawing()[key] for key in ("text", "tube")}
    for options in (
        {"time_budget_s": 1e9},
        {"time_budget_s": float("nan")},
        {"uncertainty": "/etc/passwd"},
        {"seed": -1},
        {"out": "/tmp"},
    ):
        data = json.dumps({**body, "options": options})
        assert client.post("/api/plan", content=data).status_code == 400, options
    trials = {"run": "x", "design": "best", "errors": {"preset": "none", "numbers": {}}, "trials": 10**9, "seed": 0}
    assert client.post("/api/trials", json=trials).status_code == 400
