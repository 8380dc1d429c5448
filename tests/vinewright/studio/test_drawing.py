"""The editor in a real browser: drawn with the mouse, and read from the file that it would save."""

import pytest

from tests.vinewright.studio.browser import Studio


def test_draw_every_kind_with_the_mouse(editor: Studio) -> None:
    """Box, circle, wall, polygon, start and goal are where they were drawn, snapped to the grid."""
    editor.key("b")
    editor.drag((400, 300), (500, 700))
    editor.key("c")
    editor.drag((800, 500), (900, 500))
    editor.key("w")
    editor.drag((1000, 100), (1000, 300))
    editor.key("p")
    for corner in ((1100, 700), (1200, 700), (1200, 900)):
        editor.click(*corner)
    editor.page.keyboard.press("Enter")
    editor.key("s")
    editor.click(200, 200)
    editor.key("g")
    editor.click(1400, 800)
    content = editor.read_content()
    assert content["obstacles"]["boxes"] == [[400, 300, 500, 700]]
    assert content["obstacles"]["circles"] == [[800, 500, 100]]
    (wall,) = content["obstacles"]["walls"]
    assert wall[:4] == [1000, 100, 1000, 300]
    (polygon,) = content["obstacles"]["polygons"]
    assert sorted(polygon) == [[1100, 700], [1200, 700], [1200, 900]]
    assert content["start"]["position"] == [200, 200]
    assert content["goal"]["position"] == [1400, 800]


def test_move_rotate_duplicate_delete(editor: Studio) -> None:
    """A box is moved by mouse and arrows, turned, duplicated and deleted; undo brings each step back."""
    editor.key("b")
    editor.drag((400, 300), (500, 700))
    editor.drag((450, 500), (650, 500))
    assert editor.shapes()[0]["row"] == [600, 300, 700, 700]
    editor.key("ArrowRight")
    step = editor.shapes()[0]["row"][0] - 600
    assert step > 0
    editor.key("Alt+ArrowUp")
    assert editor.shapes()[0]["row"] == [600 + step, 301, 700 + step, 701]
    editor.key("]")
    turned = editor.shapes()[0]
    assert turned["kind"] == "box"
    assert turned["row"] == [600 + step, 301, 700 + step, 701, -5]
    assert editor.read_content()["obstacles"]["boxes"] == [[600 + step, 301, 700 + step, 701, -5]]
    editor.key("Control+d")
    assert len(editor.shapes()) == 2
    editor.key("Delete")
    assert len(editor.shapes()) == 1
    editor.key(*["Control+z"] * 6)
    assert editor.shapes()[0]["row"] == [400, 300, 500, 700]
    editor.key("Control+z")
    assert editor.shapes() == []
    editor.key(*["Control+Shift+z"] * 7)
    assert len(editor.shapes()) == 1


def test_corners(editor: Studio) -> None:
    """A corner of a polygon is dragged, inserted at the middle of a side, and deleted with Alt and a click."""
    editor.key("p")
    for corner in ((400, 400), (800, 400), (600, 800)):
        editor.click(*corner)
    editor.page.keyboard.press("Enter")
    editor.drag((600, 800), (600, 600))
    assert [600, 600] in editor.shapes()[0]["corners"]
    editor.drag((600, 400), (600, 300))
    assert len(editor.shapes()[0]["corners"]) == 4
    assert [600, 300] in editor.shapes()[0]["corners"]
    editor.page.keyboard.down("Alt")
    editor.click(600, 300)
    editor.page.keyboard.up("Alt")
    assert sorted(editor.shapes()[0]["corners"]) == [[400, 400], [600, 600], [800, 400]]


def test_several_at_once(editor: Studio) -> None:
    """A rectangle selects what is inside; Shift adds; the selection moves together."""
    for x in (400, 600, 800):
        editor.key("b")
        editor.drag((x, 300), (x + 100, 400))
    editor.key("Escape")
    editor.drag((380, 250), (720, 450))
    assert len(editor.state("[...state.selection]")) == 2
    editor.page.keyboard.down("Shift")
    editor.click(850, 350)
    editor.page.keyboard.up("Shift")
    assert len(editor.state("[...state.selection]")) == 3
    editor.drag((450, 350), (450, 550))
    assert [shape["row"][1] for shape in editor.shapes()] == [500, 500, 500]


@pytest.mark.slow
def test_a_hundred_steps_of_undo(editor: Studio) -> None:
    """A hundred edits are undone one by one and made again, to the same drawing."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    for k in range(99):
        editor.key("ArrowRight" if k % 3 else "ArrowUp")
        editor.key("Escape", "Tab") if k % 10 == 9 else None
    last = editor.shapes()
    count = editor.page.evaluate("async () => (await import('/store.js')).steps().undo")
    assert count == 100
    editor.key(*["Control+z"] * count)
    assert editor.shapes() == []
    editor.key(*["Control+y"] * count)
    assert editor.shapes() == last


def test_what_is_wrong_is_marked(editor: Studio) -> None:
    """A start inside a box is told in words, without the keys of the file, which disappears when it is right again."""
    editor.key("b")
    editor.drag((100, 400), (300, 600))
    editor.wait_for("state.check && state.check.problem")
    words = editor.page.locator("#problem").inner_text()
    assert words.startswith("the start is inside box 1") or words.startswith("the start lies"), words
    editor.key("Control+z")
    editor.wait_for("state.check && !state.check.problem")
    assert editor.page.locator("#problem").inner_text() == ""


def test_a_narrow_passage_is_marked_while_drawing(editor: Studio) -> None:
    """A gap that is too narrow for the tube shows its width."""
    editor.key("b")
    editor.drag((700, 0), (800, 480))
    editor.key("b")
    editor.drag((700, 540), (800, 1000))
    editor.wait_for("state.check && state.check.passages.some((one) => one.narrow)")
    assert editor.state("state.check.passages[0].width") == 60
    assert "60" in str(editor.page.locator("#drawing").text_content())


def test_a_cancelled_drag_leaves_redo(editor: Studio) -> None:
    """Escape ends a drag as if it had not begun: redo makes again what was undone before, and nothing of the drag."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.key("ArrowRight")
    (nudged,) = editor.shapes()
    editor.key("Control+z")
    editor.page.mouse.move(*editor.at(450, 350))
    editor.page.mouse.down()
    editor.page.mouse.move(*editor.at(700, 600), steps=4)
    assert editor.shapes()[0]["row"] != [400, 300, 500, 400]
    editor.page.keyboard.press("Escape")
    editor.page.mouse.up()
    assert editor.shapes()[0]["row"] == [400, 300, 500, 400]
    editor.key("Control+y")
    assert editor.shapes()[0]["row"] == nudged["row"]
    editor.key("Control+y")
    assert editor.shapes()[0]["row"] == nudged["row"]


def test_a_new_drawing_has_nothing_to_undo_or_redo(editor: Studio) -> None:
    """Steps of undo and redo of the drawing before do not apply to the new one."""
    steps = "async () => (await import('/store.js')).steps()"
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.key("ArrowRight", "Control+z")
    assert editor.page.evaluate(steps) == {"undo": 1, "redo": 1}
    editor.clear()
    assert editor.page.evaluate(steps) == {"undo": 0, "redo": 0}


def test_nothing_is_edited_where_a_run_is_looked_at(editor: Studio) -> None:
    """In Look, Trust and Make the drawing has no handles and keeps as it is; a drag moves the view."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.page.locator("#drawing .handle").first.wait_for(state="attached")
    for panel in ("look", "trust", "make"):
        editor.page.click(f"#tab-{panel}")
        editor.page.locator("#drawing .handle").first.wait_for(state="detached")
        assert editor.page.locator("#stage .selected").count() == 0
        assert not editor.page.locator("#hint").is_visible()
        before, view = editor.state("JSON.stringify(state.doc)"), editor.state("state.view.x")
        editor.drag((450, 350), (600, 350))
        editor.key("Delete", "ArrowLeft", ".", "Control+d", "Control+z")
        assert editor.state("JSON.stringify(state.doc)") == before
        assert editor.state("state.view.x") != view
    editor.key("w")
    assert editor.state("[state.panel, state.tool]") == ["draw", "wall"]
