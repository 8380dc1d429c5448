"""Pictures of every panel of the studio, light and dark, with a real plan."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from PIL import Image

from environments import load_environment
from planner.drawing.style import few_colours
from studies.studio.study import browser_path, studio

if TYPE_CHECKING:
    from playwright.sync_api import Page

ENVIRONMENT = "maze"
SECONDS = 12
"""Time of the plan [s]."""
VIEWS = "draw", "tube", "search", "plan", "look", "trust", "make"
THEMES = "light", "dark"
NAMES = [f"{view}-{theme}.png" for view in VIEWS for theme in THEMES]


def save_picture(name: str) -> Callable[[Path, Any], object]:
    """A function that writes one of `NAMES`."""
    return lambda path, _: path.write_bytes(pictures()[name])


@lru_cache(maxsize=1)
def pictures() -> dict[str, bytes]:
    """All pictures, by their names."""
    from playwright.sync_api import sync_playwright

    environment = load_environment(ENVIRONMENT)
    with (
        TemporaryDirectory() as parent,
        studio(environment, Path(parent)) as (_, listener),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(listener.address)
        page.wait_for_selector("body[data-connected]")
        found = {f"{view}-{theme}.png": data for view, theme, data in _taken(page)}
        browser.close()
    return found


def _taken(page: Page) -> Iterator[tuple[str, str, bytes]]:
    """Go through the panels as a user would; yields view, theme and picture."""
    for view in VIEWS:
        _go_to(page, view)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.wait_for_timeout(400)
            yield view, theme, with_few_colours(page.screenshot())


def _go_to(page: Page, view: str) -> None:
    tab = "plan" if view == "search" else view
    page.click(f"#tab-{tab}")
    match view:
        case "draw":
            _select_box(page)
        case "search":
            page.fill("#plan-time", str(SECONDS))
            page.press("#plan-time", "Tab")
            page.click("#plan-button")
            _wait_for(page, "state.plan.nodes > 500 && state.plan.best")
        case "plan":
            _wait_for(page, "state.run && state.plan.phase === 'done'")
        case "look":
            _wait_for(page, "state.growths.length")
            page.check("#look-propagators input[value=impulse]")
            _wait_for(page, "state.growths.length > 1")
            page.fill("#film-time", "2200")
        case "trust":
            page.select_option("#trust-preset", "workshop")
            _wait_for(page, "state.trials && !state.trials.busy")
        case "make":
            page.check("#make-limit")
            page.click("#make-pack")
            _wait_for(page, "state.pack")
            page.wait_for_timeout(500)


def _select_box(page: Page) -> None:
    page.evaluate(
        """async () => {
            const { set, state } = await import('/store.js');
            set({ selection: new Set([state.doc.shapes[12].id]) });
        }"""
    )


def _wait_for(page: Page, expression: str, seconds: float = 240.0) -> None:
    """Wait until an expression of the page's state is true; strings that wait by themselves are refused by its policy."""
    until = time.monotonic() + seconds
    while not page.evaluate(
        f"async () => {{ const {{ state }} = await import('/store.js'); return Boolean({expression}); }}"
    ):
        if time.monotonic() > until:
            raise TimeoutError(f"{expression} has not come true in {seconds:g} s")
        page.wait_for_timeout(100)


def with_few_colours(data: bytes) -> bytes:
    """A picture with few colours: a third of the size."""
    out = io.BytesIO()
    few_colours(Image.open(io.BytesIO(data)).convert("RGB")).save(out, "PNG", optimize=True)
    return out.getvalue()
