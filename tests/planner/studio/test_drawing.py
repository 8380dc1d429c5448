"""The editor in a real browser: everything is drawn with mouse and keyboard, and read from the file that it would save."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.planner.studio.browser import Studio, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def shared(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for most tests of this file."""
    made = Studio(tmp_path_factory.mktemp("studio"), browser)
    yield made
    made.close()


@pytest.fixture
def studio(shared: Studio) -> Studio:
    """A studio with an empty drawing."""
    shared.begin_again()
    return shared


def saved(studio: Studio) -> dict[str, Any]:
    """The file as it would be saved."""
    studio.wait_for("state.check && !state.check.problem")
    studio.page.wait_for_timeout(400)  # until the last change has been checked
    studio.wait_for("state.check")
    return tomllib.loads(studio.state("state.check.text"))


def test_draw_every_kind_with_the_mouse(studio: Studio) -> None:
    """Box, circle, wall, polygon, start and goal are where they were drawn, snapped to the grid."""
    studio.key("b")
    studio.drag((400, 300), (500, 700))
    studio.key("c")
    studio.drag((800, 500), (900, 500))
    studio.key("w")
    studio.drag((1000, 100), (1000, 300))
    studio.key("p")
    for corner in ((1100, 700), (1200, 700), (1200, 900)):
        studio.click(*corner)
    studio.page.keyboard.press("Enter")
    studio.key("s")
    studio.click(200, 200)
    studio.key("g")
    studio.click(1400, 800)
    content = saved(studio)
    assert content["obstacles"]["boxes"] == [[400, 300, 500, 700]]
    assert content["obstacles"]["circles"] == [[800, 500, 100]]
    (wall,) = content["obstacles"]["walls"]
    assert wall[:4] == [1000, 100, 1000, 300]
    (polygon,) = content["obstacles"]["polygons"]
    assert sorted(polygon) == [[1100, 700], [1200, 700], [1200, 900]]
    assert content["start"]["position"] == [200, 200]
    assert content["goal"]["position"] == [1400, 800]


def test_move_rotate_duplicate_delete(studio: Studio) -> None:
    """A box is moved by mouse and arrows, turned into a polygon, duplicated and deleted; undo brings each step back."""
    studio.key("b")
    studio.drag((400, 300), (500, 700))
    studio.drag((450, 500), (650, 500))
    assert studio.shapes()[0]["row"] == [600, 300, 700, 700]
    studio.key("ArrowRight")
    step = studio.shapes()[0]["row"][0] - 600
    assert step > 0
    studio.key("Alt+ArrowUp")
    assert studio.shapes()[0]["row"] == [600 + step, 301, 700 + step, 701]
    studio.key("]")
    turned = studio.shapes()[0]
    assert turned["kind"] == "polygon"
    centre = [sum(corner[axis] for corner in turned["corners"]) / 4 for axis in (0, 1)]
    assert centre == pytest.approx([650 + step, 501])
    studio.key("Control+d")
    assert len(studio.shapes()) == 2
    studio.key("Delete")
    assert len(studio.shapes()) == 1
    studio.key(*["Control+z"] * 6)
    assert studio.shapes()[0]["row"] == [400, 300, 500, 700]
    studio.key("Control+z")
    assert studio.shapes() == []
    studio.key(*["Control+Shift+z"] * 7)
    assert len(studio.shapes()) == 1


def test_corners(studio: Studio) -> None:
    """A corner of a polygon is dragged, inserted at the middle of a side, and deleted with Alt and a click."""
    studio.key("p")
    for corner in ((400, 400), (800, 400), (600, 800)):
        studio.click(*corner)
    studio.page.keyboard.press("Enter")
    studio.drag((600, 800), (600, 600))
    assert [600, 600] in studio.shapes()[0]["corners"]
    studio.drag((600, 400), (600, 300))
    assert len(studio.shapes()[0]["corners"]) == 4
    assert [600, 300] in studio.shapes()[0]["corners"]
    studio.page.keyboard.down("Alt")
    studio.click(600, 300)
    studio.page.keyboard.up("Alt")
    assert sorted(studio.shapes()[0]["corners"]) == [[400, 400], [600, 600], [800, 400]]


def test_several_at_once(studio: Studio) -> None:
    """A rectangle selects what is inside; Shift adds; the selection moves together."""
    for x in (400, 600, 800):
        studio.key("b")
        studio.drag((x, 300), (x + 100, 400))
    studio.key("Escape")
    studio.drag((380, 250), (720, 450))
    assert len(studio.state("[...state.selection]")) == 2
    studio.page.keyboard.down("Shift")
    studio.click(850, 350)
    studio.page.keyboard.up("Shift")
    assert len(studio.state("[...state.selection]")) == 3
    studio.drag((450, 350), (450, 550))
    assert [shape["row"][1] for shape in studio.shapes()] == [500, 500, 500]


def test_a_hundred_steps_of_undo(studio: Studio) -> None:
    """A hundred edits are undone one by one and made again, to the same drawing."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    for k in range(99):
        studio.key("ArrowRight" if k % 3 else "ArrowUp")
        studio.key("Escape", "Tab") if k % 10 == 9 else None
    assert (
        studio.page.evaluate("async () => (await import('/store.js')).steps().undo") >= 100 or len(studio.shapes()) == 1
    )
    last = studio.shapes()
    count = studio.page.evaluate("async () => (await import('/store.js')).steps().undo")
    studio.key(*["Control+z"] * count)
    assert studio.shapes() == []
    studio.key(*["Control+y"] * count)
    assert studio.shapes() == last


def test_numbers_of_the_panel(studio: Studio) -> None:
    """Numbers are typed in mm or cm; a wrong one is marked and not applied."""
    studio.key("c")
    studio.drag((800, 500), (900, 500))
    field = studio.page.get_by_label("radius", exact=False).first
    field.fill("75")
    field.press("Enter")
    assert studio.shapes()[0]["row"] == [800, 500, 75]
    field.fill("-3")
    field.press("Enter")
    assert studio.shapes()[0]["row"] == [800, 500, 75]
    assert field.get_attribute("aria-invalid") == "true"
    studio.page.locator("#view-actions").get_by_text("mm", exact=True).click()
    assert studio.state("state.unit") == "cm"
    field = studio.page.get_by_label("radius", exact=False).first
    assert field.input_value() == "7.5"


def test_what_is_wrong_is_marked(studio: Studio) -> None:
    """A start inside a box is told with the message of the file format, which disappears when it is right again."""
    studio.key("b")
    studio.drag((100, 400), (300, 600))
    studio.wait_for("state.check && state.check.problem")
    words = studio.page.locator("#problem").inner_text()
    assert "start.position" in words
    studio.key("Control+z")
    studio.wait_for("state.check && !state.check.problem")
    assert studio.page.locator("#problem").inner_text() == ""


def test_a_narrow_passage_is_marked_while_drawing(studio: Studio) -> None:
    """A gap that is too narrow for the tube shows its width."""
    studio.key("b")
    studio.drag((700, 0), (800, 480))
    studio.key("b")
    studio.drag((700, 540), (800, 1000))
    studio.wait_for("state.check && state.check.passages.some((one) => one.narrow)")
    assert studio.state("state.check.passages[0].width") == 60
    assert "60" in str(studio.page.locator("#drawing").text_content())


def test_keyboard_only(studio: Studio) -> None:
    """An obstacle is placed, moved, measured and deleted, and a plan is reached, without a mouse."""
    studio.key("b", "Enter")
    (box,) = studio.shapes()
    studio.key("Shift+ArrowRight")
    assert studio.shapes()[0]["row"][0] > box["row"][0]
    studio.key("Escape", "Tab")
    assert len(studio.state("[...state.selection]")) == 1
    for tool in ("c", "w", "p"):
        studio.key(tool, "Enter", "Escape")
    assert sorted(shape["kind"] for shape in studio.shapes()) == ["box", "circle", "polygon", "wall"]
    studio.key("Control+a", "Delete")
    assert studio.shapes() == []
    studio.page.focus("#tab-draw")
    studio.page.keyboard.press("ArrowRight")
    assert studio.state("state.panel") == "tube"
    assert studio.page.evaluate("document.activeElement.id") == "tab-tube"


def test_keys_are_not_taken_from_fields(studio: Studio) -> None:
    """Letters typed into a field are text, not tools."""
    name = studio.page.get_by_label("Name", exact=True)
    name.fill("")
    name.press_sequentially("bench with c, w and p")
    name.press("Enter")
    assert studio.state("state.doc.name") == "bench with c, w and p"
    assert studio.state("state.tool") == "select"


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
        studio.key("Control+s")
        studio.page.wait_for_timeout(500)
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


def test_broken_file_keeps_the_drawing(studio: Studio, tmp_path: Path) -> None:
    """A broken TOML file shows its one line, and the drawing stays."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    broken = tmp_path / "broken.toml"
    broken.write_text("schema = ")
    studio.page.set_input_files("#open-file", str(broken))
    studio.page.get_by_text("is not TOML").first.wait_for()
    assert len(studio.shapes()) == 1


def test_gallery(studio: Studio) -> None:
    """A shipped environment is opened from the gallery; what was drawn before is kept among the recent drawings."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.page.locator("#file-actions").get_by_text("Gallery").click()
    studio.page.get_by_role("button", name="divider", exact=False).first.click()
    assert studio.state("state.doc.name") == "divider"
    assert len(studio.shapes()) > 1


def test_background_picture(studio: Studio, tmp_path: Path) -> None:
    """A picture lies beneath the drawing, encoded again by the server."""
    from PIL import Image

    picture = tmp_path / "plan.png"
    Image.new("RGB", (300, 200), (200, 180, 160)).save(picture)
    studio.key("i")
    studio.page.locator("input[type=file][accept*=image]").first.set_input_files(str(picture))
    studio.wait_for("state.background")
    assert studio.state("[state.background.width, state.background.height]") == [300, 200]
    assert studio.state("state.background.src").startswith("blob:")


def test_reload_keeps_the_drawing(studio: Studio) -> None:
    """A page that is loaded again shows the drawing as it was."""
    studio.key("b")
    studio.drag((400, 300), (500, 700))
    saved(studio)
    studio.page.on("dialog", lambda dialog: dialog.accept())
    studio.page.reload()
    studio.page.wait_for_selector("body[data-connected]")
    assert [shape["row"] for shape in studio.shapes()] == [[400, 300, 500, 700]]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("12.5", "mm", 12.5), ("12,5", "mm", 12.5), ("-3", "mm", -3), ("1 in", "mm", 25.4), ("15cm", "mm", 150), ("15", "cm", 15),
        ("150mm", "cm", 15), ("0.2 m + 5", "mm", 205), ("2*(30+4.5)", "mm", 69), ("10-2-3", "mm", 5), ("8/2/2", "mm", 2),
        ("45°", "", 45), (".5", "mm", 0.5), ("--2", "mm", 2), ("(1+1)cm", "mm", 20),
        *((wrong, "mm", None) for wrong in ("", "1.2.3", "abc", "1,2,3", "5 kg", "2*", "(1", "1)", "1 2", "45°", "1e5", "alert(1)")),
        ("5 mm", "", None),
    ],
)  # fmt: skip
def test_numbers_as_people_type_them(shared: Studio, text: str, unit: str, value: float | None) -> None:
    """A decimal comma, units and small calculations are read; everything else is no number."""
    found = shared.page.evaluate(
        "async ([text, unit]) => (await import('/draw/number.js')).numberFrom(text, unit)", [text, unit]
    )
    assert found == pytest.approx(value, nan_ok=True) if value is not None else found != found


def test_decimal_comma_in_the_panel(studio: Studio) -> None:
    """A size with a decimal comma is not ten times as large; one in another unit is converted."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    for typed, width in (("12,5", 12.5), ("15cm", 150), ("100+50", 150)):
        field = studio.page.locator("#panel-draw").get_by_label("width")
        field.fill(typed)
        field.press("Enter")
        (x_min, _, x_max, _) = studio.shapes()[0]["row"]
        assert x_max - x_min == pytest.approx(width)


def test_a_cancelled_drag_leaves_redo(studio: Studio) -> None:
    """Escape ends a drag as if it had not begun: redo makes again what was undone before, and nothing of the drag."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.key("ArrowRight")
    (nudged,) = studio.shapes()
    studio.key("Control+z")
    studio.page.mouse.move(*studio.at(450, 350))
    studio.page.mouse.down()
    studio.page.mouse.move(*studio.at(700, 600), steps=4)
    assert studio.shapes()[0]["row"] != [400, 300, 500, 400]
    studio.page.keyboard.press("Escape")
    studio.page.mouse.up()
    assert studio.shapes()[0]["row"] == [400, 300, 500, 400]
    studio.key("Control+y")
    assert studio.shapes()[0]["row"] == nudged["row"]
    studio.key("Control+y")
    assert studio.shapes()[0]["row"] == nudged["row"]


@pytest.mark.parametrize(
    "keys",
    [
        {"key": "."},
        {"key": "]"},
        {"key": "]", "ctrlKey": True, "altKey": True, "modifierAltGraph": True},
        {"key": "]", "altKey": True},
    ],
    ids=["period", "bracket", "AltGr", "Option"],
)
def test_keys_that_turn(studio: Studio, keys: dict[str, Any]) -> None:
    """The selection turns by a key that every layout has, and by a bracket that needs AltGr or Option."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.page.evaluate(
        "keys => document.getElementById('stage').dispatchEvent("
        "new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...keys }))",
        keys,
    )
    assert studio.shapes()[0]["kind"] == "polygon"
    studio.key(",")
    assert sorted(studio.shapes()[0]["corners"]) == [[400, 300], [400, 400], [500, 300], [500, 400]]


def test_reload_keeps_what_is_wrong(studio: Studio) -> None:
    """A polygon that crosses itself is still there when the page is loaded again, whatever another tab has drawn."""
    studio.key("p")
    for corner in ((800, 200), (1000, 400), (1000, 200), (800, 400)):
        studio.click(*corner)
    studio.page.keyboard.press("Enter")
    studio.wait_for("state.check && state.check.problem")
    (before,) = studio.shapes()
    first = studio.page
    studio.page = studio.open()
    studio.page.evaluate("async () => (await import('/draw/files.js')).newDrawing()")
    studio.wait_for("state.check && !state.check.problem && state.doc.shapes.length === 0")
    studio.page.close()
    studio.page = first
    studio.page.on("dialog", lambda dialog: dialog.accept())
    studio.page.reload()
    studio.page.wait_for_selector("body[data-connected]")
    assert [shape["corners"] for shape in studio.shapes()] == [before["corners"]]
    studio.wait_for("state.check && state.check.problem")
    assert studio.page.locator("#file .dirty").count() == 1


def test_recent_drawings_are_asked_about(studio: Studio) -> None:
    """Leaving the page asks while a drawing that was not saved is only in the gallery."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    saved(studio)
    studio.page.evaluate("async () => (await import('/draw/files.js')).newDrawing()")
    saved(studio)
    assert studio.page.locator("#file .dirty").count() == 0
    assert studio.page.evaluate("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def test_nothing_is_edited_where_a_run_is_looked_at(studio: Studio) -> None:
    """In Look, Trust and Make the drawing has no handles and keeps as it is; a drag moves the view."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.page.locator("#drawing .handle").first.wait_for(state="attached")
    for panel in ("look", "trust", "make"):
        studio.page.click(f"#tab-{panel}")
        studio.page.locator("#drawing .handle").first.wait_for(state="detached")
        assert studio.page.locator("#drawing .selected").count() == 0
        assert not studio.page.locator("#hint").is_visible()
        before, view = studio.state("JSON.stringify(state.doc)"), studio.state("state.view.x")
        studio.drag((450, 350), (600, 350))
        studio.key("Delete", "ArrowLeft", ".", "Control+d", "Control+z")
        assert studio.state("JSON.stringify(state.doc)") == before
        assert studio.state("state.view.x") != view
    studio.key("w")
    assert studio.state("[state.panel, state.tool]") == ["draw", "wall"]


def test_a_failed_check_is_made_up_for(studio: Studio) -> None:
    """What changed while the server did not answer is checked as soon as the page is connected again."""
    fresh = "async () => (await import('/draw/check.js')).isFresh()"
    saved(studio)
    studio.page.route("**/api/check", lambda route: route.abort())
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    studio.wait_for("/does not answer/.test(state.message)")
    assert not studio.page.evaluate(fresh)
    studio.page.unroute("**/api/check")
    studio.page.evaluate("async () => (await import('/api.js')).listen()")
    studio.wait_for("state.check.text.includes('400')")
    assert studio.page.evaluate(fresh)
