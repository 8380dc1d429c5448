"""The gallery in a real browser: own drawings first."""

from pathlib import Path
from typing import Any

import pytest

from tests.vinewright.studio.browser import Studio
from tests.waiting import wait_until

KEEP = """async (count) => {
    const [{ post }, { state }, { contentOf, originsOf }] =
        await Promise.all(['/api.js', '/store.js', '/draw/shapes.js'].map((one) => import(one)));
    const { doc, text, tube } = state;
    for (let k = 0; k < count; k += 1) {
        const name = `bench ${k}`;
        const body = { text, content: { ...contentOf(doc), name }, origins: originsOf(doc), tube: tube?.content ?? {}, name };
        await post('/api/check', { ...body, id: `a1b2c3d4${10 + k}` });
    }
}"""
"""Keeps so many drawings on disk, one after the other."""


def parts(studio: Studio) -> list[str]:
    """Headings of the gallery, from above."""
    studio.page.get_by_role("button", name="Gallery").click()
    studio.page.get_by_role("group", name="Shipped environments").wait_for()
    titles: list[str] = studio.page.locator("#gallery h2").all_inner_texts()
    return titles


def names(studio: Studio, part: str) -> list[str]:
    texts: list[str] = studio.page.get_by_role("group", name=part).locator(".card b").all_inner_texts()
    return texts


def test_own_drawings_come_first(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Newest first, those of this page above those on disk, and nine of these until more are asked for; then what is shipped."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    studio = Studio(tmp_path, browser)
    page = studio.page
    focused = "document.activeElement.dataset.name"
    try:
        assert parts(studio) == ["Shipped environments"]
        shipped = names(studio, "Shipped environments")
        assert page.evaluate(focused) == shipped[0]
        page.keyboard.press("Escape")
        page.evaluate(KEEP, 11)
        for name in ("older", "newer"):
            page.evaluate(
                """async (name) => {
                    (await import('/store.js')).edit((doc) => ({ ...doc, name }));
                    (await import('/draw/files.js')).newDrawing();
                }""",
                name,
            )
        assert parts(studio) == ["Recent, not saved", "Kept on this computer", "Shipped environments"]
        assert names(studio, "Recent, not saved") == ["newer", "older"]
        assert names(studio, "Shipped environments") == shipped
        assert page.evaluate(focused) == "newer"
        kept = [f"bench {k}" for k in range(10, -1, -1)]
        assert names(studio, "Kept on this computer") == kept[:9]
        page.get_by_role("button", name="Show 2 more").click()
        assert names(studio, "Kept on this computer") == kept
        assert page.evaluate(focused) == kept[9]
        last = page.get_by_role("group", name="Kept on this computer").locator(".card").last
        last.locator("svg .goal").wait_for(state="attached")
        assert page.get_by_role("button", name="Show 2 more").count() == 0
        last.click()
        studio.wait_for("state.doc.name === 'bench 0'")
    finally:
        studio.close()


def test_the_gallery_opens_without_the_list_of_drawings(editor: Studio) -> None:
    """Shipped environments are there, once, with the reason at the bottom, also where it was closed before the list had come."""
    page = editor.page
    held: list[Any] = []

    page.route("**/api/drawings", lambda route: held.append(route))
    try:
        page.get_by_role("button", name="Gallery").click()
        page.wait_for_function("() => !document.getElementById('gallery').hidden")
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.getElementById('gallery').hidden")
        page.get_by_role("button", name="Gallery").click()
        wait_until(lambda: page.evaluate("1") and len(held) == 2)
        for route in held:
            route.abort()
        page.get_by_role("group", name="Shipped environments").first.wait_for()
        page.wait_for_load_state("networkidle")
        titles = page.locator("#gallery h2").all_inner_texts()
        assert "Kept on this computer" not in titles
        assert titles.count("Shipped environments") == 1
        assert editor.state("state.message") != ""
        page.keyboard.press("Escape")
    finally:
        page.unroute("**/api/drawings")
