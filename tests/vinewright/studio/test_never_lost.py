"""Drawings that were never saved, after a kill, a restart, in another browser and without a server: in a real browser."""

import os
import tomllib
from pathlib import Path
from typing import Any

from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_server import Running, start
from tests.waiting import wait_until

BOX = [400, 300, 500, 700]


def draw_box(studio: Studio) -> None:
    """Draw it, and wait until the server has it."""
    studio.key("b")
    studio.drag((BOX[0], BOX[1]), (BOX[2], BOX[3]))
    studio.wait_for("state.check && state.check.text.includes('boxes') && state.check.written")
    studio.read_content()


def rows(studio: Studio) -> list[list[float]]:
    return [shape["row"] for shape in studio.shapes()]


def restart(studio: Studio, folder: Path, *arguments: str) -> None:
    """Kill the studio with all it has in memory, and start it again."""
    studio.running.end()
    studio.running = Running(start(folder, *arguments))


def test_a_kill_loses_nothing(browser: Any, tmp_path: Path) -> None:
    """The next studio in the folder shows the drawing in a new browser, says so, and undo and edits go on."""
    studio = Studio(tmp_path, browser)
    try:
        draw_box(studio)
        restart(studio, tmp_path)
        studio.page.context.close()
        studio.page = studio.open()
        assert rows(studio) == [BOX]
        assert studio.state("state.message").startswith("Restored: changes of ")
        studio.page.locator("#file .dirty").wait_for()
        # A further page while this one is open has a copy, which is another drawing; the gallery has the first one.
        own = studio.state("state.id")
        studio.drag((450, 500), (650, 500))
        studio.read_content()
        studio.page = studio.open()
        assert rows(studio) == [[600, 300, 700, 700]]
        assert studio.state("state.id") != own
        studio.key("Control+a", "Delete")
        studio.wait_for("state.doc.shapes.length === 0")
        studio.page.locator("#file-actions").get_by_text("Gallery").click()
        studio.page.get_by_text("Kept on this computer").wait_for()
        cards = studio.page.get_by_role("group", name="Kept on this computer").locator(".card")
        cards.first.click()
        studio.wait_for("state.doc.shapes.length === 1")
        assert rows(studio) == [[600, 300, 700, 700]]
        assert studio.state("state.id") == own
    finally:
        studio.close()


def test_changes_of_a_file_come_back_with_the_file(browser: Any, tmp_path: Path, small_environment: Any) -> None:
    """Save then writes the file."""
    file = tmp_path / "bench.toml"
    file.write_text(small_environment("[]"))
    studio = Studio(tmp_path, browser, ["bench.toml"])
    try:
        draw_box(studio)
        restart(studio, tmp_path, "bench.toml")
        studio.page.context.close()
        studio.page = studio.open()
        assert rows(studio) == [BOX]
        with studio.page.expect_response("**/api/save"):
            studio.key("Control+s")
        studio.wait_for("state.saved === state.check.text")
        assert tomllib.loads(file.read_text())["obstacles"]["boxes"] == [BOX]
    finally:
        studio.close()


def test_without_a_server(browser: Any, tmp_path: Path) -> None:
    """Save downloads what the page has; the address of the next studio, given to the same page, goes on with all of it."""
    studio = Studio(tmp_path, browser)
    try:
        draw_box(studio)
        studio.running.end()
        studio.key("c")
        studio.drag((800, 500), (850, 500))
        both = rows(studio)
        assert len(both) == 2
        with studio.page.expect_download() as waiting:
            studio.key("Control+s")
        written = tomllib.loads(Path(waiting.value.path()).read_text())
        assert written["obstacles"]["boxes"] == [BOX]
        assert written["obstacles"]["circles"] == both[1:]
        assert written["goal"] == {"position": [1350, 500], "radius": 60}
        assert "does not answer" in studio.state("state.message")
        assert studio.page.locator("#file .dirty").count() == 1
        port = str(studio.running.port)
        studio.running = Running(start(tmp_path, "--port", port))
        assert studio.running.port == int(port)
        studio.page.evaluate("token => { location.hash = token; }", studio.running.token)
        studio.page.wait_for_selector("body[data-connected]")
        wait_until(lambda: studio.state("state.doc.shapes.length") == 2)
        assert rows(studio) == both
    finally:
        studio.close()


def test_a_full_disk_is_said(editor: Studio) -> None:
    """A folder in place of the file that is written stands for a disk that takes nothing."""
    data = Path(os.environ["XDG_DATA_HOME"]) / "vinewright" / "drawings"
    editor.clear()
    own = data / editor.state("state.id")
    data.mkdir(parents=True, exist_ok=True)
    own.write_text("in the way")
    editor.key("b")
    editor.drag((BOX[0], BOX[1]), (BOX[2], BOX[3]))
    editor.wait_for("state.message.includes('not kept on disk, save it')")
    own.unlink()
    editor.drag((450, 500), (650, 500))
    editor.read_content()
    wait_until(lambda: bool(list(own.glob("*.json"))) if own.is_dir() else False)
