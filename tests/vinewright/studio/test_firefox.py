"""The editor in Firefox, driven by WebDriver BiDi: the page has nothing that only Chromium knows."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.vinewright.studio.test_server import Running
from tests.waiting import LONGEST, wait_until

NAMES = "firefox-esr", "firefox"


class Firefox:
    """A headless Firefox, and a page in it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection, self.numbers = connection, itertools.count(1)
        self.faults: list[str] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": 1280, "height": 800})

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command, and return its result; errors of the page that come meanwhile are kept."""
        number = next(self.numbers)
        self.connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.recv(timeout=LONGEST))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.faults.append(str(answer["params"]["text"]))

    def run(self, body: str) -> Any:
        """Return what the body of an asynchronous function returns, which must be JSON."""
        asked = {"expression": f"(async () => JSON.stringify(await (async () => {{ {body} }})()))()"}
        found = self.send("script.evaluate", **asked, target={"context": self.context}, awaitPromise=True)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def key(self, key: str) -> None:
        """Press a key while the drawing has the focus."""
        self.run("document.getElementById('stage').focus(); return null;")
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.act([{"type": "key", "id": "keys", "actions": actions}])

    def drag(self, start: list[float], end: list[float]) -> None:
        """Drag the mouse between two points of the drawing [mm]."""
        body = """const { toStage } = await import('/view.js');
            const { left, top } = document.getElementById('stage').getBoundingClientRect();
            return POINTS.map((point) => toStage(point).map((value, k) => Math.round(value + (k ? top : left))));"""
        (x0, y0), (x1, y1) = self.run(body.replace("POINTS", json.dumps([start, end])))
        moves = [
            {"type": "pointerMove", "x": round(x0 + k * (x1 - x0) / 4), "y": round(y0 + k * (y1 - y0) / 4)}
            for k in range(5)
        ]
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self.act([{"type": "pointer", "id": "mouse", "actions": [moves[0], down, *moves[1:], up]}])

    def act(self, actions: list[dict[str, Any]]) -> None:
        """Perform actions of devices."""
        self.send("input.performActions", context=self.context, actions=actions)


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    """Start Firefox; the test is skipped with a reason where there is none."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Firefox: apt-get install firefox-esr")
    command = [path, "--headless", "--no-remote", "--profile", str(tmp_path), "--remote-debugging-port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        address = next(match[0] for line in process.stderr if (match := re.search(r"ws://\S+", line)))
        with connect(f"{address}/session", max_size=None) as connection:
            yield Firefox(connection)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_draw_move_turn_and_undo(firefox: Firefox, served: tuple[Path, Running]) -> None:
    """A box is drawn, moved, turned, undone, checked by the server, and there after a reload; the page has no error."""
    running = served[1]
    firefox.send(
        "browsingContext.navigate", context=firefox.context, url=f"{running.base}#{running.token}", wait="complete"
    )
    connected = "return document.body.hasAttribute('data-connected');"
    wait_until(lambda: firefox.run(connected))
    firefox.run("(await import('/draw/files.js')).newDrawing(); return null;")
    rows = "return (await import('/store.js')).state.doc.shapes.map((shape) => shape.row);"
    firefox.key("b")
    firefox.drag([400, 300], [500, 700])
    assert firefox.run(rows) == [[400, 300, 500, 700]]
    firefox.drag([440, 500], [640, 500])
    assert firefox.run(rows) == [[600, 300, 700, 700]]
    firefox.key(",")
    assert firefox.run(rows) == [[600, 300, 700, 700, 5]]
    firefox.run("(await import('/draw/actions.js')).undoEdit(); return null;")
    assert firefox.run("return (await import('/draw/check.js')).freshCheck();")
    assert "[600, 300, 700, 700]" in firefox.run("return (await import('/store.js')).state.check.text;")
    firefox.send("browsingContext.reload", context=firefox.context, wait="complete")
    wait_until(lambda: firefox.run(connected))
    assert firefox.run(rows) == [[600, 300, 700, 700]]
    assert not firefox.faults
