"""A studio with its own process, and a headless Chromium that shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vinewright.console.errors import BadInput

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = "chromium", "chromium-browser", "google-chrome"
"""Names of programs, in the order in which they are looked for."""
PATIENCE = 300.0
"""Longest time that is waited for anything on a page [s]."""


class RunningStudio(NamedTuple):
    """A studio that answers."""

    address: str
    """Address of its page, with the token."""
    seconds: float
    """Time from the start of the process until the address was printed [s]."""


class Screen(NamedTuple):
    """The screen that a page is shown on."""

    width: int = 1280
    """Width [px]."""
    height: int = 800
    """Height [px]."""
    dark: bool = False
    """Whether its user prefers dark pages."""
    touch: bool = False
    """Whether it is touched, as that of a phone."""


def find_browser() -> str:
    """Return the path of Chromium.

    Raises:
        BadInput: There is none, or nothing to drive it with.
    """
    if find_spec("playwright") is None:
        raise BadInput("needs Playwright: pip install -c constraints.txt -e '.[test]' in a copy of the repository")
    if (path := next((found for name in BROWSERS if (found := shutil.which(name))), None)) is None:
        raise BadInput("needs Chromium, which is not in the PATH")
    return path


@contextmanager
def start_browser() -> Iterator[Browser]:
    """Start a headless Chromium.

    Raises:
        BadInput: There is none.
    """
    from playwright.sync_api import sync_playwright

    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def start_studio(*arguments: str) -> Iterator[RunningStudio]:
    """Start `vinewright studio` in an empty folder, with an empty folder for drawings."""
    command = [str(Path(sys.executable).with_name("vinewright")), "studio", "--no-browser", *arguments]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_DATA_HOME": folder}
        )
        try:
            assert process.stdout
            address = next(
                line.removeprefix("studio: ").strip() for line in process.stdout if line.startswith("studio: ")
            )
            yield RunningStudio(address, time.perf_counter() - started)
        finally:
            process.kill()
            process.wait()


def open_page(browser: Browser, screen: Screen) -> Page:
    """Open an empty page on a screen."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height},
        color_scheme="dark" if screen.dark else "light",
        has_touch=screen.touch,
        is_mobile=screen.touch,
    )
    page = context.new_page()
    page.set_default_timeout(1e3 * PATIENCE)
    return page
