"""The page of the studio in headless Chromium: frames while the view is moved and a shape is dragged, and traffic of a search."""

from __future__ import annotations

import json
import queue
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.environment_file import environment_text
from planner.search.run import Budget, Run
from vinewright.console.errors import BadInput, remedy
from vinewright.studio.server import Listener, serve, take_port
from vinewright.studio.session import OpenedFile, StudioSession
from vinewright.studio.streamed import TreeDelta

if TYPE_CHECKING:
    import uvicorn
    from playwright.sync_api import Page

BROWSERS = "chromium", "chromium-browser", "google-chrome"
MOVES = 120
"""Number of positions of the mouse in a measured movement."""
SPACING, RADIUS = 0.4, 0.05
"""Distance and radius of the round obstacles [m]."""


@dataclass(frozen=True, slots=True)
class Case:
    """What the page shows."""

    obstacles: int
    nodes: int
    """Nodes of the search tree."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured with a case."""

    case: Case
    start_ms: float
    """Time from pressing Plan to the first nodes of the search in the page, with compiled kernels [ms]."""
    pan_fps: float
    """Frames a second while the view is moved."""
    pan_worst_ms: float
    """Longest time between two frames meanwhile [ms]."""
    drag_fps: float
    """Frames a second while an obstacle is dragged."""
    drag_worst_ms: float
    drag_ms: float
    """Median time from a movement of the mouse to the frame that shows it [ms]."""
    check_ms: float
    """Time of the server for a check of the drawing [ms]."""
    tree_kb: float
    """Size of the events with the whole tree [kB]."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self)


def browser_path() -> str:
    """The browser to measure with.

    Raises:
        BadInput: There is none, or nothing to drive it with.
    """
    if find_spec("playwright") is None:
        raise BadInput(f"this needs Playwright: {remedy('test')}")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise BadInput("this needs Chromium: apt-get install chromium")
    return found


def environment_with(obstacles: int) -> Environment:
    """A room with so many round obstacles on a grid, a little displaced."""
    columns = int(np.ceil(np.sqrt(obstacles)))
    size = max(SPACING * (columns + 2), 2.0)
    random = np.random.default_rng(0)
    places = np.array([divmod(k, columns) for k in range(obstacles)]).reshape(-1, 2)
    centres = SPACING * (places + 1.5) + random.uniform(-0.05, 0.05, (obstacles, 2))
    circles = np.column_stack([centres, np.full(obstacles, RADIUS)])
    middle = size / 2
    return Environment(
        name="room",
        bounds=(0, 0, size, size),
        start=(0.2, middle, 0),
        goal=(size - 0.2, middle, 0.1),
        obstacles=Obstacles(circles=circles),
    )


def tree_events(environment: Environment, nodes: int) -> list[dict[str, Any]]:
    """The events of a real search up to a number of nodes."""
    run = Run.prepare(environment, VineParams())
    delta, events = TreeDelta(run), list[dict[str, Any]]()
    for _ in run.run(Budget(3600.0)) if nodes else ():
        if len(run.search.tree) >= nodes:
            break
    while event := delta.event():
        events.append(event)
    return events


@contextmanager
def studio(environment: Environment, folder: Path) -> Iterator[tuple[StudioSession, Listener]]:
    """A studio under way in this process, with the file of an environment in a folder."""
    file = folder / f"{environment.name}.toml"
    file.write_text(environment_text(environment), encoding="utf-8")
    session, listener = StudioSession(folder / "runs", OpenedFile(file)), take_port("127.0.0.1", 8900)
    servers: queue.SimpleQueue[uvicorn.Server] = queue.SimpleQueue()
    serving = threading.Thread(target=serve, args=(session, listener, servers.put))
    serving.start()
    server = servers.get()
    try:
        yield session, listener
    finally:
        server.should_exit = True
        serving.join()


def measure(cases: Sequence[Case]) -> Iterator[Result]:
    """Measure every case in a new browser."""
    from playwright.sync_api import sync_playwright

    path = browser_path()
    for case in cases:
        environment = environment_with(case.obstacles)
        events = tree_events(environment, case.nodes)
        with (
            TemporaryDirectory() as parent,
            studio(environment, Path(parent)) as (session, listener),
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(listener.address)
            page.wait_for_selector("body[data-connected]")
            yield _measured(page, session, case, events)
            browser.close()


def _measured(page: Page, session: StudioSession, case: Case, events: list[dict[str, Any]]) -> Result:
    started = _start_ms(page)
    plan = {**session.hub.plan, "phase": "searching", "nodes": case.nodes}
    for event in [{"type": "plan", "plan": plan}, *events]:
        session.tell(event)
    page.wait_for_timeout(1000)  # until the page has the whole tree
    checking = _check_ms(page)
    box = page.locator("#stage").bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    pan = _frames(page, middle, "middle")
    shape = page.evaluate(
        """async () => {
            const { state } = await import('/store.js');
            const { toStage } = await import('/view.js');
            const rows = state.doc.shapes.map((shape) => toStage([shape.row[0], shape.row[1]]));
            const { width, height } = document.getElementById('stage').getBoundingClientRect();
            rows.sort((a, b) => Math.hypot(a[0] - width / 2, a[1] - height / 2) - Math.hypot(b[0] - width / 2, b[1] - height / 2));
            return rows[0];
        }"""
    )
    drag = _frames(page, (box["x"] + shape[0], box["y"] + shape[1]), "left")
    session.tell({"type": "plan", "plan": {**plan, "phase": "idle"}})
    kilobytes = sum(len(json.dumps(event, separators=(",", ":"))) for event in events) / 1e3
    return Result(case, started, *pan[:2], *drag, checking, kilobytes)


def _frames(page: Page, at: tuple[float, float], button: Any) -> tuple[float, float, float]:
    """Frames a second, the longest time between two [ms], and the median time from a move to its frame [ms]."""
    page.evaluate(
        """() => {
            window.waits = [];
            document.getElementById('stage').addEventListener('pointermove', (event) => {
                requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - event.timeStamp)));
            }, { capture: true });
            window.frames_ = [];
            const step = (now) => { window.frames_.push(now); window.going && requestAnimationFrame(step); };
            window.going = true;
            requestAnimationFrame(step);
        }"""
    )
    page.mouse.move(*at)
    page.mouse.down(button=button)
    for k in range(MOVES):
        angle = 2 * np.pi * k / 40
        page.mouse.move(at[0] + 60 * np.sin(angle), at[1] + 40 * (1 - np.cos(angle)))
    found = page.evaluate("() => { window.going = false; return [window.frames_, window.waits]; }")
    page.mouse.up(button=button)
    times, waits = np.array(found[0]), np.array(found[1])
    between = np.diff(times)
    return 1e3 / float(between.mean()), float(between.max()), float(np.median(waits))


def _start_ms(page: Page) -> float:
    """Time from pressing Plan to the first nodes in the page [ms]; the plan is then stopped."""
    page.click("#tab-plan")
    page.wait_for_timeout(3000)  # until kernels are loaded and the drawing has been checked
    return float(
        page.evaluate(
            """async () => {
                const { state } = await import('/store.js');
                const { post } = await import('/api.js');
                const frame = () => new Promise(requestAnimationFrame);
                const began = performance.now();
                document.getElementById('plan-button').click();
                while (state.plan.nodes === 0) await frame();
                const found = performance.now() - began;
                await post('/api/stop', { what: 'plan' });
                while (!['done', 'failed'].includes(state.plan.phase)) await frame();
                return found;
            }"""
        )
    )


def _check_ms(page: Page) -> float:
    """Time of the server for a check of the drawing [ms]."""
    return float(
        page.evaluate(
            """async () => {
                const { state } = await import('/store.js');
                const { contentOf, originsOf } = await import('/draw/shapes.js');
                const { post } = await import('/api.js');
                const body = { text: state.text, content: contentOf(state.doc), origins: originsOf(state.doc), tube: state.tube.content };
                const began = performance.now();
                await post('/api/check', body);
                return performance.now() - began;
            }"""
        )
    )
