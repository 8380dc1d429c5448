"""Accessibility of all panels in both themes: contrast, names, headings, and what axe-core finds where it is installed."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.vinewright.studio.browser import Studio

PANELS = "draw", "tube", "plan", "look", "trust", "make"
THEMES = "light", "dark"
AXE = os.environ.get("VINEWRIGHT_AXE", "")


@pytest.fixture(scope="module")
def full(browser: Any, planned: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with a run, trials and a pack, in which all panels have all their parts; the tube was built and missed the goal."""
    folder = tmp_path_factory.mktemp("full")
    shutil.copytree(planned, folder / "planned")
    made = Studio(folder, browser, [str(folder / "planned")])
    made.page.click("#tab-look")
    made.wait_for("state.growths.length")
    made.page.click("#tab-trust")
    made.page.click("#trust-go")
    made.wait_for("state.trials && !state.trials.busy")
    made.page.click("#trust-built > summary")
    made.page.check('input[name="tried-reached"][value="false"]')
    made.page.click("#tried-add")
    made.wait_for("state.built && state.built.items.length")
    made.page.click("#learn-go")
    made.page.click("#adapt-options summary")
    made.page.fill("#adapt-seconds", "1")
    made.page.press("#adapt-seconds", "Tab")
    made.page.click("#adapt-go")
    made.wait_for("state.learning?.result && state.adapting && !state.adapting.busy")
    made.page.click("#tab-make")
    made.page.check("#make-limit")
    made.page.click("#make-pack")
    made.wait_for("state.pack")
    yield made
    made.close()


def show(studio: Studio, panel: str, theme: str) -> None:
    """Open a panel in a theme, with all that can be folded open."""
    studio.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    studio.page.click(f"#tab-{panel}")
    if panel == "draw":
        studio.page.keyboard.press("Control+a")
    studio.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    studio.page.mouse.move(5, 400)


@pytest.mark.skipif(not AXE, reason="no axe-core: npm install axe-core, and VINEWRIGHT_AXE=.../axe-core/axe.min.js")
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("panel", PANELS)
def test_axe_finds_nothing(full: Studio, panel: str, theme: str) -> None:
    """No rule of axe-core is broken."""
    show(full, panel, theme)
    full.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    found = full.page.evaluate("async () => (await axe.run()).violations")
    assert [(one["id"], [[node["target"], node["failureSummary"]] for node in one["nodes"]]) for one in found] == []


CONTRASTS = """() => {
    const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    // Colours as the browser puts them on each other, from the page to the element.
    const paint = (colours) => {
        context.fillStyle = '#fff';
        for (const colour of ['#fff', ...colours]) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (colour) => {
        const [r, g, b] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const text = walker.currentNode.textContent.trim();
        if (!text || !element.checkVisibility() || element.closest('svg, option, .unseen, :disabled, [aria-disabled="true"]')) continue;
        const chain = [];
        for (let one = element; one; one = one.parentElement) chain.unshift(getComputedStyle(one).backgroundColor);
        const colour = getComputedStyle(element).color;
        const [dark, light] = [luminance(paint(chain)), luminance(paint([...chain, colour]))].sort((a, b) => a - b);
        found.push([(light + 0.05) / (dark + 0.05), text, element.className || element.tagName]);
    }
    return found;
}"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("panel", PANELS)
def test_text_has_contrast_where_it_stands(full: Studio, panel: str, theme: str) -> None:
    """All text that is shown, also on the colour of a chosen design or run, has a contrast of 4.5 or more."""
    show(full, panel, theme)
    found = full.page.evaluate(CONTRASTS)
    assert len(found) > 20
    assert [one for one in found if one[0] < 4.5] == []


NAMES = """() => [...document.querySelectorAll('button, input, select, textarea, a, [role=tab], [role=toolbar], th, summary')]
    .filter((one) => one.checkVisibility())
    .map((one) => {
        const text = (one instanceof HTMLSelectElement ? '' : one.textContent).trim();
        const labels = [...(one.labels ?? [])].map((label) => label.textContent.trim()).join(' ');
        const name = one.getAttribute('aria-label') ?? (labels || text || one.title);
        return [name, text, one.outerHTML.slice(0, 120)];
    })"""


@pytest.mark.parametrize("panel", PANELS)
def test_controls_have_names(full: Studio, panel: str) -> None:
    """Controls and heads of tables have names, which contain the text that is seen, so that it can be spoken to a computer."""
    show(full, panel, "light")
    found = full.page.evaluate(NAMES)
    assert len(found) > 30
    for name, text, where in found:
        assert name, where
        assert text.lower() in name.lower() or not text[0].isalnum(), where


def test_the_page_has_one_title(full: Studio) -> None:
    """It is a heading, and is there for screen readers while a plan takes its place in a narrow bar, too."""
    full.page.set_viewport_size({"width": 1100, "height": 800})
    heading = full.page.get_by_role("heading", level=1)
    assert heading.all_inner_texts() == ["Vinewright"]
    full.page.evaluate("document.getElementById('bar-phase').textContent = 'Searching 12 s'")
    assert heading.count() == 1
    full.page.evaluate("document.getElementById('bar-phase').textContent = ''")
    full.page.set_viewport_size({"width": 1280, "height": 800})


def background(studio: Studio) -> str:
    """The colour behind the panels."""
    found: str = studio.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


def test_theme_is_chosen_and_kept(studio: Studio) -> None:
    """The switch goes from the theme of the system to light and dark, also on the canvas; a reload keeps it."""
    page, dark, light = studio.page, "rgb(19, 21, 24)", "rgb(238, 240, 242)"
    switch = page.locator('[data-action="theme"]')
    page.emulate_media(color_scheme="dark")
    assert (switch.get_attribute("aria-label"), background(studio)) == ("Theme: as the system", dark)
    switch.click()
    assert (switch.get_attribute("aria-label"), background(studio)) == ("Theme: light", light)
    page.emulate_media(color_scheme="light")
    switch.click()
    assert (switch.get_attribute("aria-label"), background(studio)) == ("Theme: dark", dark)
    page.reload()
    page.wait_for_selector("body[data-connected]")
    assert (switch.get_attribute("aria-label"), background(studio)) == ("Theme: dark", dark)
    colour = "async () => (await import('/panels/palette.js')).canvasColour('paper')"
    assert page.evaluate(colour) == "#1b1e22"
    switch.click()
    assert (switch.get_attribute("aria-label"), background(studio)) == ("Theme: as the system", light)
    assert page.evaluate(colour) == "#ffffff"


MANY = """async () => {
    const { edit, newId } = await import('/store.js');
    const shapes = Array.from({ length: 1000 }, (_, k) => ({ id: newId(), kind: 'box', row: [k, 0, k + 1, 1], corners: [], origin: null }));
    edit((doc) => ({ ...doc, shapes }));
}"""


def focused(studio: Studio) -> str:
    """The element that has the focus: its id, or else the text of its name."""
    found: str = studio.page.evaluate(
        "(({ id, textContent }) => id || textContent.trim())(document.activeElement)",
    )
    return found


def test_tab_leaves_many_objects_at_once(editor: Studio) -> None:
    """One press leaves the stage, another one the list of a thousand objects; other keys go through them."""
    editor.page.evaluate(MANY)
    ids = editor.state("state.doc.shapes.map(({ id }) => id)")
    selected = []
    for key in ("PageDown", "PageDown", "PageDown", "PageUp", "End", "PageDown", "PageUp", "Home", "PageUp"):
        editor.key(key)
        (one,) = editor.state("[...state.selection]")
        selected.append(one)
    assert selected == ["start", "goal", ids[0], "goal", "bounds", "bounds", ids[-1], "start", "start"]
    editor.page.keyboard.press("Tab")
    assert focused(editor) == "tab-draw"
    editor.page.keyboard.press("Shift+Tab")
    assert focused(editor) == "stage"
    editor.key("Escape")
    rows = editor.page.locator(".object-row")
    rows.nth(2).click()
    editor.key("Escape")
    rows.first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        editor.page.keyboard.press(key)
    assert focused(editor) == "bounds"
    editor.page.keyboard.press("Tab")
    assert not editor.page.evaluate("document.activeElement.closest('.objects')")
    editor.page.keyboard.press("Shift+Tab")
    assert focused(editor) == "bounds"
