"""The buttons that start and stop a plan, with a server that takes every request and computes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.vinewright.studio.browser import Studio

BUTTONS = "#bar-plan", "#bar-stop", "#plan-button", "#plan-stop"


@pytest.fixture
def asked(studio: Studio) -> Iterator[list[str]]:
    """The requests to plan and to stop, which do not reach the server."""
    asked: list[str] = []

    def take(route: Any) -> None:
        asked.append(route.request.url.rpartition("/")[2])
        route.fulfill(json={"job": 1})

    for path in ("plan", "stop"):
        studio.page.route(f"**/api/{path}", take)
    studio.wait_for("state.check && !state.check.problem")
    yield asked
    studio.page.unroute_all()
    studio.begin_again()


def enabled(studio: Studio) -> list[str]:
    """The buttons that do something."""
    return [one for one in BUTTONS if studio.page.locator(one).get_attribute("aria-disabled") == "false"]


@pytest.mark.parametrize("place", ["bar", "panel"])
def test_a_double_click_on_plan_starts_one_plan(studio: Studio, asked: list[str], place: str) -> None:
    """A second click, later ones and Ctrl+Enter neither stop it nor say anything; no button moves beneath the pointer."""
    page, start = studio.page, {"bar": "#bar-plan", "panel": "#plan-button"}[place]
    page.click("#tab-plan")
    assert enabled(studio) == ["#bar-plan", "#plan-button"]
    before = [page.locator(one).bounding_box() for one in BUTTONS]
    page.dblclick(start)
    studio.wait_for("(await import('/panels/planning.js')).planning.sending === false")
    page.click(start, force=True)
    page.keyboard.press("Control+Enter")
    assert asked == ["plan"]
    assert enabled(studio) == ["#bar-stop", "#plan-stop"]
    assert [page.locator(one).bounding_box() for one in BUTTONS] == before
    assert page.evaluate("document.activeElement.id") == start[1:]
    assert studio.state("state.message") == ""
    assert page.locator("#bar-phase").inner_text() == "Starting"


@pytest.mark.parametrize("way", ["#bar-stop", "#plan-stop", "Control+Shift+Enter"])
def test_stop_stops_once_and_only_a_plan(studio: Studio, asked: list[str], way: str) -> None:
    """Without a plan it does nothing; with one, it is sent once, and keeps the focus."""

    def stop() -> None:
        if way.startswith("#"):
            studio.page.click(way, force=True)
        else:
            studio.page.keyboard.press(way)

    studio.page.click("#tab-plan")
    stop()
    assert asked == []
    studio.page.click("#plan-button")
    studio.wait_for("(await import('/panels/planning.js')).planning.sending === false")
    stop()
    stop()
    studio.wait_for("(await import('/panels/planning.js')).planning.stopping")
    assert asked == ["plan", "stop"]
    assert enabled(studio) == []
    if way.startswith("#"):
        assert studio.page.evaluate("document.activeElement.id") == way[1:]
