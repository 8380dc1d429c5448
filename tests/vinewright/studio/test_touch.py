"""The page on tablets and phones: fingers on the drawing, and a layout in which nothing is cut off."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.vinewright.studio.browser import Point, Studio
from tests.waiting import LONGEST, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE, TABLET, LYING = (390, 844), (820, 1180), (844, 390)


@pytest.fixture(scope="module")
def host(browser: Any, planned: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio whose folder has a run."""
    folder = tmp_path_factory.mktemp("touch")
    shutil.copytree(planned, folder / "runs" / "small")
    made = Studio(folder, browser)
    yield made
    made.close()


def open_device(host: Studio, size: tuple[int, int]) -> "Page":
    """A page on a device with a touch screen."""
    context = host.browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=True, is_mobile=True, accept_downloads=True
    )
    page = context.new_page()
    page.set_default_timeout(1e3 * LONGEST)
    page.on("pageerror", lambda error: host.faults.append(str(error)))
    page.goto(host.running.base + "#" + host.running.token)
    page.wait_for_selector("body[data-connected]")
    host.page = page
    page.tap("#tab-plan")
    page.tap('[data-run="small"]')
    host.wait_for("state.run")
    return page


def touch(page: "Page", *steps: list[Point]) -> None:
    """Put fingers down, move them through the points of each step, and lift them; a step with more points puts another one down."""
    session = page.context.new_cdp_session(page)

    def send(kind: str, points: list[Point]) -> None:
        fingers = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    before: list[Point] = []
    for points in steps:
        send("touchStart" if len(points) > len(before) else "touchMove", points)
        before = points
    send("touchEnd", [])


def test_fingers_move_and_zoom(host: Studio) -> None:
    """One finger moves the view, two zoom about the point between them; neither changes the drawing."""
    page = open_device(host, PHONE)
    page.tap("#tab-look")
    before, drawing = host.state("state.view"), host.state("state.doc")
    x, y = host.at(350, 300)
    touch(page, [(x, y)], [(x + 20, y)], [(x + 40, y - 30)])
    wait_until(lambda: host.at(350, 300) == pytest.approx((x + 40, y - 30), abs=0.5))
    assert host.state("state.view.scale") == before["scale"]
    x, y = host.at(350, 300)
    touch(page, [(x - 30, y), (x + 30, y)], [(x - 45, y), (x + 45, y)], [(x - 60, y + 10), (x + 60, y + 10)])
    wait_until(lambda: host.state("state.view.scale") == pytest.approx(2 * before["scale"], rel=1e-3))
    assert host.at(350, 300) == pytest.approx((x, y + 10), abs=0.5)
    assert host.state("state.doc") == drawing
    page.context.close()


def test_fingers_edit(host: Studio) -> None:
    """A tap selects and deselects, a finger on an object moves it and beside it the view; a second finger takes the movement back."""
    page = open_device(host, TABLET)
    page.tap("#tab-draw")
    host.wait_for("state.check && !state.check.problem")
    row = host.shapes()[0]["row"]
    page.touchscreen.tap(*host.at(275, 75))
    host.wait_for("state.selection.size === 1")
    page.touchscreen.tap(*host.at(600, 150))
    host.wait_for("state.selection.size === 0")
    x, y = host.at(275, 75)
    touch(page, [(x, y)], [(x, y - 40)], [(x + 30, y - 60)])
    wait_until(lambda: host.shapes()[0]["row"] != row)
    page.tap('[aria-label^="Undo"]')
    wait_until(lambda: host.shapes()[0]["row"] == row)
    before = host.state("state.view")
    touch(page, [(x, y)], [(x, y - 60)], [(x, y - 60), (x + 50, y)], [(x, y - 60), (x + 100, y - 60)])
    wait_until(lambda: host.state("state.view.scale") > 1.1 * before["scale"])
    assert host.shapes()[0]["row"] == row
    before = host.state("state.view")
    x, y = host.at(600, 150)
    touch(page, [(x, y)], [(x - 25, y)], [(x - 50, y)])
    wait_until(lambda: host.state("state.view.x") == pytest.approx(before["x"] + 50 / before["scale"], rel=1e-3))
    assert host.shapes()[0]["row"] == row
    page.context.close()


CUT_OFF = """() => {
    const wide = document.scrollingElement.scrollWidth - innerWidth;
    const found = [...document.querySelectorAll('#bar *, #tools *, #tabs *, #film *, #hint *, [role=tabpanel]:not([hidden]) *, #status *')]
        .filter((one) => one.checkVisibility() && !one.closest('svg, .pattern, .sheet, .unseen, #canvas'))
        .filter((one) => {
            const { left, right, width } = one.getBoundingClientRect();
            return width && (left < -0.5 || right > innerWidth + 0.5);
        })
        .map((one) => one.outerHTML.slice(0, 100));
    const panel = document.getElementById('panel').getBoundingClientRect();
    const stage = document.getElementById('stage').getBoundingClientRect();
    const bottom = document.getElementById('status').getBoundingClientRect().bottom;
    return { wide, found, panel: [panel.width, panel.height], stage: [stage.width, stage.height], below: bottom - innerHeight };
}"""


@pytest.mark.parametrize("size", [PHONE, TABLET, LYING], ids=["phone", "tablet", "lying"])
def test_nothing_is_cut_off(host: Studio, size: tuple[int, int]) -> None:
    """On every panel all controls are within the width, and drawing and panel both have room."""
    page = open_device(host, size)
    for panel in ("draw", "tube", "plan", "look", "trust", "make"):
        page.tap(f"#tab-{panel}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        seen = page.evaluate(CUT_OFF)
        assert seen["found"] == [], panel
        assert seen["wide"] <= 0
        assert seen["below"] <= 0.5
        assert min(*seen["stage"], *seen["panel"]) >= (200 if size != LYING else 180), (panel, seen)
    for flyout, button in (("gallery", "Gallery"), ("keys", "Keys (F1)")):
        if (opener := page.get_by_role("button", name=button)).is_visible():
            opener.tap()
            box = page.locator(f"#{flyout}").bounding_box()
            assert box
            assert 0 <= box["x"] <= box["x"] + box["width"] <= size[0]
            page.keyboard.press("Escape")
    page.context.close()


def test_look_trust_and_download_on_a_phone(host: Studio, tmp_path: Path) -> None:
    """A run is looked at, tried and downloaded with taps only."""
    page = open_device(host, PHONE)
    page.tap("#tab-look")
    host.wait_for("state.growths.length")
    assert page.locator("#film").is_visible()
    page.tap("#tab-trust")
    page.tap("#trust-go")
    host.wait_for("state.trials && !state.trials.busy")
    assert "%" in page.locator("#trust-success").inner_text()
    page.tap("#tab-make")
    page.tap("#make-limit")
    page.tap("#make-pack")
    host.wait_for("state.pack")
    with page.expect_download() as waiting:
        page.tap("#make-download")
    waiting.value.save_as(tmp_path / "pack.zip")
    assert any(name.endswith("pattern.svg") for name in zipfile.ZipFile(tmp_path / "pack.zip").namelist())
    assert page.evaluate(CUT_OFF)["found"] == []
    page.context.close()
