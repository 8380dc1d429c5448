"""`vinewright studio` as a process: its address, its port, how it ends, and what it says of bad input."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from surrogate.kernels.stop_signals import STOPS
from tests.vinewright.studio.test_workers import alive, request
from tests.waiting import LONGEST, wait_until
from vinewright.studio.guard import TOKEN_HEADER
from vinewright.studio.server import NoPort, is_loopback, serve, take_port
from vinewright.studio.session import StudioSession
from vinewright.studio.starting import Starting

Vinewright = Callable[..., tuple[int, str, str]]
STUDIO = Path(sys.executable).with_name("vinewright")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


class Running:
    """A studio under way."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process, self.lines = process, []
        assert process.stdout
        for line in process.stdout:
            self.lines.append(line.strip())
            if line.startswith("studio: "):
                break
        address = self.lines[-1].removeprefix("studio: ")
        self.base, _, self.token = address.partition("#")
        self.port = int(self.base.rstrip("/").rpartition(":")[2])

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()

    def ask(self, path: str, content: Any = None) -> Any:
        """The JSON of a request."""
        data = None if content is None else json.dumps(content).encode()
        asked = urllib.request.Request(self.base + path, data, {TOKEN_HEADER: self.token})
        with urllib.request.urlopen(asked, timeout=LONGEST) as answer:
            return json.loads(answer.read())

    def plan(self) -> dict[str, Any]:
        """The state of the plan."""
        plan: dict[str, Any] = self.ask("api/state")["plan"]
        return plan

    def wait_for(self, phases: Sequence[str]) -> dict[str, Any]:
        """The state of the plan when it is in one of some phases."""
        wait_until(lambda: self.plan()["phase"] in phases, self.process)
        return self.plan()


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command in a folder, without a browser."""
    command = [str(STUDIO), "studio", "--no-browser", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def studio(served: tuple[Path, Running]) -> Running:
    """The studio that tests share."""
    return served[1]


def workers_of(pid: int) -> list[int]:
    """The child processes of a process."""
    with contextlib.suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def test_address_has_the_token_in_its_fragment(studio: Running) -> None:
    """The page is served without the token, which browsers keep to themselves; requests need it."""
    assert studio.base.startswith("http://127.0.0.1:")
    assert len(studio.token) >= 32
    with urllib.request.urlopen(studio.base, timeout=LONGEST) as page:
        assert b"Vinewright studio" in page.read()
    assert isinstance(studio.ask("api/runs"), list)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(studio.base + "api/runs", timeout=LONGEST)


@pytest.mark.slow
def test_taken_port_is_passed_over(studio: Running, tmp_path: Path) -> None:
    """A second studio takes the next free port and says so."""
    process = start(tmp_path, "--port", str(studio.port))
    try:
        other = Running(process)
        assert other.port > studio.port
        assert other.lines[0] == f"port {studio.port} is taken: using {other.port}"
    finally:
        process.kill()
        process.communicate()


def test_only_this_machine(studio: Running) -> None:
    """It listens at 127.0.0.1 only."""
    with socket.socket() as other, pytest.raises(OSError, match=r"refused|unreachable|assign"):
        other.connect(("127.0.0.2", studio.port))
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")


def test_answers_are_sent_at_once() -> None:
    """Small packets do not wait for the acknowledgement of earlier ones, which takes 40 ms."""
    listener, delays = take_port("127.0.0.1", 0), []

    class Connection(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            delays.append(not transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def connect() -> None:
        server = await asyncio.get_running_loop().create_server(Connection, sock=listener.socket)
        async with server:
            _, writer = await asyncio.open_connection(*listener.socket.getsockname())
            while not delays:
                await asyncio.sleep(0)
            writer.close()

    asyncio.run(asyncio.wait_for(connect(), LONGEST))
    assert delays == [False]


def test_no_port_left() -> None:
    """Without a free port, or at an address of another machine, the message says what to do."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        with pytest.raises(NoPort, match=f"{port} to {port} are taken: give another --port"):
            take_port("127.0.0.1", port, ports=1)
    with pytest.raises(NoPort, match=r"--host 192\.0\.2\.1"):
        take_port("192.0.2.1", 8737)


def test_the_page_needs_none_of_the_libraries_that_compute() -> None:
    """Imports of the command before its address is printed are light."""
    code = "import sys, vinewright.studio.server, vinewright.commands.studio as s; s.check_argument(None); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONGEST, check=True)
    assert not {"numpy", "scipy", "numba", "shapely", "pydantic"} & set(done.stdout.split())


async def ask(starting: Starting, path: str, token: str = "") -> tuple[int, bytes]:
    """Status and body of the answer to a request."""
    sent: list[Any] = []
    received: list[None] = []

    async def receive() -> Any:
        if received:
            await asyncio.Event().wait()  # the client stays
        received.append(None)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"studio"), (TOKEN_HEADER.encode(), token.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "query_string": b"", "headers": headers}
    await starting.guard(scope, receive, send)
    assert b"content-security-policy" in dict(sent[0]["headers"])
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_page_is_served_while_the_program_is_loaded(session: StudioSession) -> None:
    """The page comes at once, its requests when the program is there; a stranger is refused without waiting."""
    may_load = threading.Event()

    def make() -> StudioSession:
        assert may_load.wait(LONGEST)
        return session

    async def open_page() -> None:
        starting = Starting(make, "secret", ["studio"])
        loading = asyncio.create_task(starting.load())
        status, page = await ask(starting, "/")
        assert status == 200
        assert b"The studio is starting." in page
        assert (await ask(starting, "/main.js"))[0] == 200
        assert (await ask(starting, "/api/state"))[0] == 401
        state = asyncio.create_task(ask(starting, "/api/state", "secret"))
        assert await ask(starting, "/") == (200, page)
        assert not state.done()
        may_load.set()
        assert json.loads((await state)[1])["known"]["tubes"]
        await loading
        assert await ask(starting, "/") == (200, page)

    try:
        asyncio.run(open_page())
    finally:
        may_load.set()
        session.close()


def test_a_program_that_cannot_be_loaded_ends_the_server() -> None:
    """The error is that of the command, after the server has ended."""

    def make() -> StudioSession:
        raise NoPort("it cannot be loaded")

    with pytest.raises(NoPort, match="it cannot be loaded"):
        serve(make, take_port("127.0.0.1", 0), lambda _: None)


@pytest.fixture
def ending(tmp_path: Path) -> Iterator[Running]:
    """A studio that its test ends; the browser it opens writes its argument to a file, and the page it gets to another."""
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {seen}.new\nsed "s/file:..//" {seen}.new | xargs cat > {seen}.page\nmv {seen}.new {seen}\n'
    )
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser)}
    process = subprocess.Popen(
        [str(STUDIO), "studio"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    running = Running(process)
    yield running
    running.end()


def page_file(running: Running, folder: Path) -> Path:
    """The file that the browser got; the token is in its text only, and only this user can read it."""
    wait_until((folder / "seen").exists, running.process)
    address = (folder / "seen").read_text().strip()
    assert address.startswith("file:///")
    assert running.token not in address
    file = Path(address.removeprefix("file://"))
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert f"url={running.base}#{running.token}" in (folder / "seen.page").read_text()
    return file


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in STOPS if one != signal.SIGINT)]
)
def test_ctrl_c_ends_search_and_server_and_keeps_the_best(ending: Running, tmp_path: Path, number: int) -> None:
    """Ctrl-C in mid-search ends everything, and the best design so far is in its folder; no file with the token is left.

    The token is on no command line: the browser opens a file, which leads to the page.
    """
    studio, file = ending, page_file(ending, tmp_path)
    studio.ask("api/plan", request(time_budget_s=900.0))
    wait_until(lambda: studio.plan()["best"] is not None, studio.process)
    children = workers_of(studio.process.pid)
    assert children
    studio.process.send_signal(number)
    out, _ = studio.process.communicate(timeout=LONGEST)
    assert studio.process.returncode == 0, out
    assert "Traceback" not in out
    assert not file.exists()
    wait_until(lambda: not any(map(alive, children)))  # helpers of Python's multiprocessing end by themselves
    assert (tmp_path / "runs" / "divider" / "design.json").exists()
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["divider"]


@pytest.mark.slow
def test_a_closed_terminal_ends_it_as_ctrl_c_does(tmp_path: Path) -> None:
    """A plan under way keeps its best design, and no process, lock or half folder is left."""
    import fcntl
    import pty
    import termios

    master, terminal = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [str(STUDIO), "studio", "--no-browser"], cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal, text=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(terminal)
    process.stdout = os.fdopen(master)
    studio = Running(process)
    studio.ask("api/plan", request(time_budget_s=900.0))
    wait_until(lambda: studio.plan()["best"] is not None, process)
    children = workers_of(process.pid)
    assert children
    process.stdout.close()
    assert process.wait(LONGEST) == 0
    wait_until(lambda: not any(map(alive, children)))
    assert (tmp_path / "runs" / "divider" / "design.json").exists()
    assert [path.name for path in tmp_path.rglob("*") if path.name[0] == "."] == []
    assert os.listdir(tmp_path / "runs") == ["divider"]


def answers(port: int) -> bool:
    """Whether a server of this machine takes requests at a port."""
    with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=LONGEST) as page:
        return bool(page.read())
    return False


@pytest.mark.slow
def test_closed_pipe(tmp_path: Path) -> None:
    """A studio whose output is closed goes on or ends, without a stack."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(STUDIO), "studio", "--no-browser", "--port", str(port)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    process.stdout.close()
    wait_until(lambda: process.poll() is not None or answers(port))
    process.send_signal(signal.SIGINT)
    assert process.stderr
    words = process.stderr.read()
    process.wait(LONGEST)
    process.stderr.close()
    assert "Traceback" not in words


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("missing.toml", "not found"),
        ("broken.toml", "broken.toml: is not TOML"),
        ("empty", "design.json"),
        ("bench.json", "bench.json"),
    ],
)
def test_bad_input(
    vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, words: str
) -> None:
    """A file or folder that cannot be shown ends the command with one line and code 2, before there is a server."""
    served: list[object] = []
    monkeypatch.setattr("vinewright.studio.server.serve", lambda *given: served.extend(given))
    (tmp_path / "broken.toml").write_text("schema = ")
    (tmp_path / "bench.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    code, _, errors = vinewright("studio", "--no-browser", argument)
    assert (code, served) == (2, [])
    assert words in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.slow
def test_without_its_libraries(tmp_path: Path) -> None:
    """Without the extra, the command says how to install it."""
    (tmp_path / "starlette.py").write_text("raise ModuleNotFoundError(name='starlette')")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [str(STUDIO), "studio"], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, check=False, env=env
    )
    assert done.returncode == 2
    assert "[studio]" in done.stderr
