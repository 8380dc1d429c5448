"""Files and reloads in a real browser: what is saved, opened, kept and asked about."""

from pathlib import Path
from typing import Any

from tests.vinewright.studio.browser import Studio


def test_save_changes_only_what_was_changed(browser: Any, tmp_path: Path) -> None:
    """Ctrl+S writes the file with its comments; one moved box is one changed line."""
    text = (
        '# my bench\nschema = 2\nunit = "cm"  # as measured\n\n[bounds]\nmin = [0, 0]\nmax = [150.0, 100]\n\n[start]\n'
        "position = [15, 50]\nheading_deg = 0\n\n[goal]\nposition = [135, 50]\nradius = 6\n\n[obstacles]\nboxes = [\n"
        "  [40, 30, 50, 70],  # the crate\n  [80, 30, 90, 70],\n]\n"
    )  # fmt: skip
    file = tmp_path / "bench.toml"
    file.write_text(text)
    studio = Studio(tmp_path, browser, ["bench.toml"])
    try:
        with studio.page.expect_response("**/api/save"):
            studio.key("Control+s")
        assert file.read_text() == text
        studio.drag((850, 500), (950, 500))
        studio.key("Control+s")
        studio.wait_for("state.saved === state.check.text && state.saved.includes('[90, 30')")
        changed = [
            (one, other)
            for one, other in zip(text.splitlines(), file.read_text().splitlines(), strict=True)
            if one != other
        ]
        assert changed == [("  [80, 30, 90, 70],", "  [90, 30, 100, 70],")]
    finally:
        studio.close()


def test_broken_file_keeps_the_drawing(editor: Studio, tmp_path: Path) -> None:
    """A broken TOML file shows its one line, and the drawing stays."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    broken = tmp_path / "broken.toml"
    broken.write_text("schema = ")
    editor.page.set_input_files("#open-file", str(broken))
    editor.page.get_by_text("is not TOML").first.wait_for()
    assert len(editor.shapes()) == 1


def test_gallery(editor: Studio) -> None:
    """A shipped environment is opened from the gallery; what was drawn before is kept among the recent drawings."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.page.locator("#file-actions").get_by_text("Gallery").click()
    shipped = editor.page.get_by_role("group", name="Shipped environments")
    shipped.get_by_role("button", name="divider", exact=False).first.click()
    assert editor.state("state.doc.name") == "divider"
    assert len(editor.shapes()) > 1


def test_background_picture(editor: Studio, tmp_path: Path) -> None:
    """A picture lies beneath the drawing, encoded again by the server."""
    from PIL import Image

    picture = tmp_path / "plan.png"
    Image.new("RGB", (300, 200), (200, 180, 160)).save(picture)
    editor.key("i")
    editor.page.locator("input[type=file][accept*=image]").first.set_input_files(str(picture))
    editor.wait_for("state.background")
    assert editor.state("[state.background.width, state.background.height]") == [300, 200]
    assert editor.state("state.background.src").startswith("blob:")


def test_reload_keeps_the_drawing(editor: Studio) -> None:
    """A page that is loaded again shows the drawing as it was."""
    editor.key("b")
    editor.drag((400, 300), (500, 700))
    editor.read_content()
    editor.page.reload()
    editor.page.wait_for_selector("body[data-connected]")
    assert [shape["row"] for shape in editor.shapes()] == [[400, 300, 500, 700]]


def test_reload_keeps_undo_panel_and_unit(editor: Studio) -> None:
    """Each edit before is taken back, and made again, as if the page had not been loaded again; a new shape is none of the old ones."""
    for x in (400, 600, 800):
        editor.key("b")
        editor.drag((x, 300), (x + 100, 700))
    editor.key("Control+z")
    editor.page.evaluate("async () => (await import('/store.js')).set({ panel: 'tube', unit: 'cm' })")
    editor.read_content()
    editor.page.reload()
    editor.page.wait_for_selector("body[data-connected]")
    assert editor.state("[state.panel, state.unit]") == ["tube", "cm"]
    editor.page.evaluate("async () => (await import('/store.js')).set({ panel: 'draw', unit: 'mm' })")

    def lefts() -> list[float]:
        return [shape["row"][0] for shape in editor.shapes()]

    assert lefts() == [400, 600]
    editor.key("Control+Shift+z")
    assert lefts() == [400, 600, 800]
    for left in ([400, 600], [400], []):
        editor.key("Control+z")
        assert lefts() == left
    editor.key("Control+Shift+z")
    editor.key("c")
    editor.drag((1000, 500), (1100, 500))
    assert len({shape["id"] for shape in editor.shapes()}) == 2


def test_reload_keeps_what_is_wrong(editor: Studio) -> None:
    """A polygon that crosses itself is still there when the page is loaded again, whatever another tab has drawn."""
    editor.key("p")
    for corner in ((800, 200), (1000, 400), (1000, 200), (800, 400)):
        editor.click(*corner)
    editor.page.keyboard.press("Enter")
    editor.wait_for("state.check && state.check.problem")
    (before,) = editor.shapes()
    first = editor.page
    editor.page = editor.open()
    editor.page.evaluate("async () => (await import('/draw/files.js')).newDrawing()")
    editor.wait_for("state.check && !state.check.problem && state.doc.shapes.length === 0")
    editor.page.close()
    editor.page = first
    editor.page.reload()
    editor.page.wait_for_selector("body[data-connected]")
    assert [shape["corners"] for shape in editor.shapes()] == [before["corners"]]
    editor.wait_for("state.check && state.check.problem")
    assert editor.page.locator("#file .dirty").count() == 1


def test_recent_drawings_are_asked_about(studio: Studio) -> None:
    """Leaving the page asks while a drawing that was not saved is only in the gallery."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.read_content()
    studio.page.evaluate("async () => (await import('/draw/files.js')).newDrawing()")
    studio.read_content()
    assert studio.page.locator("#file .dirty").count() == 0
    assert studio.page.evaluate("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def test_a_failed_check_is_made_up_for(editor: Studio) -> None:
    """A change made while the server did not answer is checked as soon as the page is connected again."""
    fresh = "async () => (await import('/draw/check.js')).isFresh()"
    editor.read_content()
    editor.page.route("**/api/check", lambda route: route.abort())
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.wait_for("/does not answer/.test(state.message)")
    assert not editor.page.evaluate(fresh)
    editor.page.unroute("**/api/check")
    editor.page.evaluate("async () => (await import('/api.js')).listen()")
    editor.wait_for("state.check.text.includes('400')")
    assert editor.page.evaluate(fresh)
