"""A real browser for tests of the page: headless Chromium, driven by Playwright, and the studio that it shows."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studies.studio.browser import BROWSERS
from tests.vinewright.studio.test_server import Running, start
from tests.waiting import LONGEST, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Point = tuple[float, float]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser; the test is skipped with a reason where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install -e '.[test]'")
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Studio:
    """A studio, and a page that shows it; it starts its own server unless one runs in the folder."""

    def __init__(
        self, folder: Path, browser: Browser, arguments: Sequence[str] = (), running: Running | None = None
    ) -> None:
        self.folder, self.browser, self.started = folder, browser, running is None
        self.running = running or Running(start(folder, *arguments))
        self.process = self.running.process
        self.faults: list[str] = []
        self.page = self.open()
        self.tube = self.state("state.tube")

    def open(self, **options: Any) -> Page:
        """Open a page, and wait until it is connected."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True, **options)
        page = context.new_page()
        page.set_default_timeout(1e3 * LONGEST)
        page.on("dialog", lambda dialog: dialog.accept())
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on(
            "console", lambda message: self.faults.append(message.text) if "Content Security" in message.text else None
        )
        page.goto(self.running.base + "#" + self.running.token)
        page.wait_for_selector("body[data-connected]")
        return page

    def close(self) -> None:
        """Close all pages, and end its own server; the page must have had no error."""
        for context in self.browser.contexts:
            context.close()
        if self.started:
            self.running.end()
        assert not self.faults, self.faults

    def begin_again(self) -> None:
        """Load the page again, with nothing of what it kept, and show an empty drawing."""
        for context in self.browser.contexts:
            if context != self.page.context:
                context.close()
        if self.page.is_closed():
            self.page = self.open()
        else:
            # What a page keeps when it is left would be there again.
            self.page.evaluate("() => { sessionStorage.clear(); Storage.prototype.setItem = () => {}; }")
            self.page.goto("about:blank")
            self.page.goto(self.running.base + "#" + self.running.token)
            self.page.wait_for_selector("body[data-connected]")
        self.clear()

    def clear(self) -> None:
        """Show an empty drawing, in millimetres, with the first tool and panel, and tube and options of plans as in a new studio."""
        self.page.evaluate(
            """async (tube) => {
                (await import('/draw/files.js')).newDrawing();
                document.activeElement?.blur();
                const { set, state } = await import('/store.js');
                const options = Object.fromEntries(Object.entries(state.known.planOptions).map(([name, one]) => [name, one.default]));
                set({ run: null, panel: 'draw', tool: 'select', unit: 'mm', message: '', options, tube });
            }""",
            self.tube,
        )

    # ---- the drawing ----

    def at(self, x: float, y: float) -> Point:
        """Return a point of the drawing [mm] in the window [px]."""
        point = self.page.evaluate(
            """async ([x, y]) => {
                const { toStage } = await import('/view.js');
                const box = document.getElementById('stage').getBoundingClientRect();
                const [left, top] = toStage([x, y]);
                return [box.left + left, box.top + top];
            }""",
            [x, y],
        )
        return float(point[0]), float(point[1])

    def drag(self, start: Point, end: Point, steps: int = 4) -> None:
        """Drag the mouse between two points of the drawing [mm]."""
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(*end), steps=steps)
        self.page.mouse.up()

    def click(self, x: float, y: float) -> None:
        """Click at a point of the drawing [mm]."""
        self.page.mouse.click(*self.at(x, y))

    def key(self, *keys: str) -> None:
        """Press keys while the drawing has the focus."""
        self.page.focus("#stage")
        for key in keys:
            self.page.keyboard.press(key)

    def state(self, expression: str) -> Any:
        """Return the value of an expression of `state`."""
        return self.page.evaluate(
            f"async () => {{ const {{ state }} = await import('/store.js'); return {expression}; }}"
        )

    def wait_for(self, expression: str) -> None:
        """Wait until an expression of `state` is true."""
        wait_until(lambda: self.state(f"Boolean({expression})"))

    def folder_of_run(self) -> Path:
        """Return the folder of the run that is shown."""
        return self.folder / "runs" / str(self.state("state.run.name"))

    def shapes(self) -> list[dict[str, Any]]:
        """Return the obstacles of the drawing."""
        shapes: list[dict[str, Any]] = self.state("state.doc.shapes")
        return shapes

    def read_content(self) -> dict[str, Any]:
        """Return the file as it would be saved; the drawing must have no fault."""
        assert self.page.evaluate("async () => (await import('/draw/check.js')).freshCheck()")
        assert self.state("!state.check.problem")
        return tomllib.loads(self.state("state.check.text"))
