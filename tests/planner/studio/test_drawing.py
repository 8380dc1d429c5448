"""The editor in a real browser: drawn with the mouse, and read from the file that it would save."""

import pytest

from tests.planner.studio.browser import Studio


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
    content = studio.saved()
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


@pytest.mark.slow
def test_a_hundred_steps_of_undo(studio: Studio) -> None:
    """A hundred edits are undone one by one and made again, to the same drawing."""
    studio.key("b")
    studio.drag((400, 300), (500, 400))
    for k in range(99):
        studio.key("ArrowRight" if k % 3 else "ArrowUp")
        studio.key("Escape", "Tab") if k % 10 == 9 else None
    last = studio.shapes()
    count = studio.page.evaluate("async () => (await import('/store.js')).steps().undo")
    assert count == 100
    studio.key(*["Control+z"] * count)
    assert studio.shapes() == []
    studio.key(*["Control+y"] * count)
    assert studio.shapes() == last


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
