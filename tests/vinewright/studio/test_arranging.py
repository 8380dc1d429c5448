"""Tools of the editor beyond drawing: turned boxes, names, arrangement, groups, locks, measures, menu and mount, in a real browser."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tests.vinewright.studio.browser import Studio
from tests.waiting import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def draw_boxes(editor: Studio, *boxes: tuple[float, float, float, float]) -> None:
    """Draw boxes with the mouse, each from corner to corner."""
    for x0, y0, x1, y1 in boxes:
        editor.key("b")
        editor.drag((x0, y0), (x1, y1))


def press(editor: Studio, name: str) -> None:
    """Press a button of the panel or the menu."""
    editor.page.get_by_role("button", name=name, exact=True).click()


def field(editor: Studio, label: str) -> Locator:
    """Find a field of the panel of the drawing."""
    return editor.page.locator("#panel-draw").get_by_label(label)


def rows(editor: Studio) -> Any:
    return [shape["row"] for shape in editor.shapes()]


def test_a_turned_box_keeps_its_angle_in_fields_handles_and_file(editor: Studio) -> None:
    """Its handles move a side along the turned axes; the opposite side stays where it is."""
    draw_boxes(editor, (400, 300, 600, 400))
    field(editor, "angle").fill("30")
    editor.page.keyboard.press("Enter")
    assert rows(editor) == [[400, 300, 600, 400, 30]]
    assert field(editor, "centre x").input_value() == "500"
    west, east = editor.page.evaluate(
        """async () => {
            const { currentHandles } = await import('/draw/overlay.js');
            return ["w", "e"].map((name) => currentHandles().find((one) => one.name === name).at);
        }"""
    )
    assert east == pytest.approx([500 + 100 * 0.8660254, 350 + 50], abs=1e-3)
    editor.page.keyboard.down("Control")  # without snapping
    editor.drag(tuple(east), (east[0] + 86.60254, east[1] + 50))
    editor.page.keyboard.up("Control")
    x0, y0, x1, y1, degrees = rows(editor)[0]
    assert (x1 - x0, y1 - y0, degrees) == pytest.approx((300, 100, 30), abs=1.0)
    after = editor.page.evaluate(
        "async () => (await import('/draw/overlay.js')).currentHandles().find((one) => one.name === 'w').at"
    )
    assert after == pytest.approx(west, abs=0.01)
    field(editor, "angle").fill("90")
    editor.page.keyboard.press("Enter")
    x0, y0, x1, y1 = rows(editor)[0]  # a right angle needs none
    assert (x1 - x0, y1 - y0) == pytest.approx((100, 300), abs=1.0)


def test_a_name_goes_into_the_file_and_into_messages(editor: Studio) -> None:
    """The list, the heading and the message of a check have it."""
    draw_boxes(editor, (400, 300, 600, 400), (100, 400, 300, 600))
    field(editor, "Name").fill("cabinet")
    editor.page.keyboard.press("Enter")
    editor.wait_for("state.check && state.check.problem")
    assert "box 2 (cabinet)" in editor.page.locator("#problem").inner_text()
    assert "box 2 (cabinet)" in editor.page.locator("#panel-draw h2").first.inner_text()
    editor.drag((200, 500), (600, 800))
    assert editor.read_content()["obstacles"]["names"] == {"box 2": "cabinet"}
    editor.click(420, 310)
    editor.key("Delete")
    assert editor.read_content()["obstacles"]["names"] == {"box 1": "cabinet"}


def test_errors_are_in_the_unit_of_the_user_and_passages_stay(editor: Studio) -> None:
    """Inches come after millimetres and centimetres; the mark of a gap does not go while something is wrong."""
    draw_boxes(editor, (700, 0, 800, 480), (700, 540, 800, 1000))
    editor.wait_for("state.check && state.check.passages.some((one) => one.narrow)")
    draw_boxes(editor, (160, 400, 300, 600))
    editor.wait_for("state.check && state.check.problem")
    assert "mm" in editor.page.locator("#problem").inner_text()
    assert editor.state("state.check.passages.some((one) => one.narrow)")
    editor.key("u", "u")
    editor.wait_for("state.check.problem.message.includes(' in ')")
    message = editor.page.locator("#problem").inner_text()
    assert "1.313 in (the tube radius)" in message
    assert field(editor, "width").input_value() == "5.51181"


def test_a_wall_has_length_and_angle(editor: Studio) -> None:
    """Its first end stays; what is typed in inches is converted."""
    editor.key("w")
    editor.drag((400, 300), (400, 500))
    assert field(editor, "length").input_value() == "200"
    field(editor, "angle").fill("0")
    editor.page.keyboard.press("Enter")
    field(editor, "length").fill("10 in")
    editor.page.keyboard.press("Enter")
    assert rows(editor)[0][:4] == [400, 300, 654, 300]


def test_align_distribute_and_mirror(editor: Studio) -> None:
    """Boxes of different sizes: aligned at the left, with equal gaps, and mirrored with their angle."""
    draw_boxes(editor, (400, 100, 500, 200), (520, 300, 600, 360), (620, 700, 800, 800))
    editor.key("Control+a")
    press(editor, "Align left")
    assert [row[0] for row in rows(editor)] == [400, 400, 400]
    press(editor, "Equal gaps upwards")
    low, middle, high = rows(editor)
    assert (low[1], high[3]) == (100, 800)
    assert middle[1] - low[3] == pytest.approx(high[1] - middle[3])
    editor.key("Control+z", "Control+z")
    press(editor, "Mirror left and right")
    assert rows(editor) == [[700, 100, 800, 200], [600, 300, 680, 360], [400, 700, 580, 800]]
    editor.key("Escape")
    editor.click(750, 150)
    editor.key(",")
    press(editor, "Mirror up and down")
    assert rows(editor)[0] == [700, 100, 800, 200, -5]
    press(editor, "Align right")
    angle = math.radians(5)  # in the bounds, with its turned width
    assert rows(editor)[0][0] == pytest.approx(1500 - 50 - 50 * (math.cos(angle) + math.sin(angle)))


def test_repeat_unite_and_subtract(editor: Studio) -> None:
    """Six boxes in a grid; two that overlap become one polygon, and one without the other."""
    draw_boxes(editor, (400, 100, 500, 200))
    editor.page.get_by_text("Repeat in columns and rows").click()
    for label, value in (("columns", "3"), ("rows", "2"), ("spacing along x", "150"), ("spacing along y", "300")):
        field(editor, label).fill(value)
        editor.page.keyboard.press("Enter")
    press(editor, "Repeat")
    assert rows(editor)[-1] == [700, 400, 800, 500]
    assert len(rows(editor)) == 6
    editor.key("Control+z")
    draw_boxes(editor, (450, 150, 600, 250))
    editor.key("Control+a")
    press(editor, "Unite")
    editor.wait_for("state.doc.shapes.length === 1")
    (shape,) = editor.shapes()
    assert (shape["kind"], len(shape["corners"])) == ("polygon", 8)
    editor.key("Control+z", "Escape")
    editor.click(420, 120)
    editor.page.keyboard.down("Control")
    editor.click(550, 230)
    editor.page.keyboard.up("Control")
    press(editor, "Subtract the others from the first one")
    editor.wait_for("state.doc.shapes.length === 1")
    (shape,) = editor.shapes()
    assert [450, 150] in shape["corners"]


def test_groups_locks_and_hidden_objects(editor: Studio) -> None:
    """A click selects the group; the pointer passes what is locked or hidden by; a copy of a group is a group of its own."""
    draw_boxes(editor, (400, 100, 500, 200), (600, 100, 700, 200))
    editor.key("Control+a", "Control+g", "Escape")
    editor.drag((450, 150), (450, 350))
    assert [row[1] for row in rows(editor)] == [300, 300]
    editor.key("Control+d")
    groups = {shape["group"] for shape in editor.shapes()}
    assert len(groups) == 2
    editor.key("Delete")
    editor.key("Control+a")
    press(editor, "Lock")
    editor.key("Escape")
    editor.drag((450, 350), (450, 550))
    assert [row[1] for row in rows(editor)] == [300, 300]
    editor.key("Control+a")
    assert editor.state("state.selection.size") == 0
    editor.page.mouse.click(*editor.at(900, 500), button="right")
    editor.page.get_by_role("menuitem", name="Select what is locked").click()
    editor.key("Delete")
    assert len(rows(editor)) == 2
    editor.page.mouse.click(*editor.at(900, 500), button="right")
    editor.page.get_by_role("menuitem", name="Unlock").click()
    press(editor, "Hide")
    assert editor.page.locator("#solids .shape").first.is_hidden()
    editor.click(450, 350)
    assert editor.state("state.selection.size") == 0
    assert len(editor.read_content()["obstacles"]["boxes"]) == 2
    editor.page.mouse.click(*editor.at(900, 500), button="right")
    editor.page.get_by_role("menuitem", name="Show what is hidden").click()
    assert editor.page.locator("#solids .shape").first.is_visible()


def test_alt_drag_copies_and_escape_takes_it_back(editor: Studio) -> None:
    """The original stays, and one step of undo removes the copy."""
    draw_boxes(editor, (400, 100, 500, 200))
    editor.page.keyboard.down("Alt")
    editor.drag((450, 150), (750, 150))
    editor.page.keyboard.up("Alt")
    assert rows(editor) == [[400, 100, 500, 200], [700, 100, 800, 200]]
    editor.key("Control+z")
    assert rows(editor) == [[400, 100, 500, 200]]


def test_a_movement_aligns_with_another_object(editor: Studio) -> None:
    """A box that comes near the centre line of another one snaps onto it, with a guide, though the grid is elsewhere."""
    draw_boxes(editor, (400, 100, 500, 220), (700, 500, 800, 600))
    step = editor.page.evaluate("async () => 1 / (await import('/store.js')).state.view.scale")  # mm per pixel
    editor.page.mouse.move(*editor.at(750, 550))
    editor.page.mouse.down()
    editor.page.mouse.move(*editor.at(1000, 160.0 + 2 * step), steps=5)
    guides = editor.page.evaluate("async () => (await import('/draw/live.js')).live.guides")
    editor.page.mouse.up()
    assert guides == [{"from": [400, 160.0], "to": [guides[0]["to"][0], 160.0], "centre": True}]
    assert rows(editor)[1][1] == pytest.approx(110.0)


@pytest.mark.parametrize(
    ("box", "by"),
    [
        ([[98, 0], [118, 40]], 2),  # its left edge comes onto the right edge of the other one
        ([[149, 0], [153, 40]], None),  # no edge is near, and its centre line is not near that of the other one
        ([[48, 0], [54, 40]], -1),  # centre onto centre
        ([[44, 0], [49, 40]], 3.5),  # not its right edge onto the centre
    ],
)
def test_edges_align_with_edges_and_centres_with_centres(editor: Studio, box: Any, by: float | None) -> None:
    """Along x, within 4 mm of a box from 0 to 100 mm."""
    found = editor.page.evaluate(
        """async ([[min, max]]) => {
            const { alignBox } = await import('/draw/guides.js');
            return alignBox({ min, max }, [{ min: [0, 500], max: [100, 600] }], 4, [true, false]).by[0];
        }""",
        [box],
    )
    assert found == by


def test_measure_changes_nothing(editor: Studio) -> None:
    """The distance between two corners is shown, and goes with Escape."""
    draw_boxes(editor, (400, 100, 500, 200), (800, 400, 900, 500))
    before = editor.shapes()
    editor.key("l")
    editor.drag((500, 200), (800, 600))
    assert "500 mm" in str(editor.page.locator(".dimension").first.text_content())
    editor.key("Escape")
    wait_until(lambda: editor.page.locator(".dimension").count() == 0)
    assert editor.shapes() == before


def test_a_start_at_a_wall_is_mounted_square_to_it(editor: Studio) -> None:
    """Dragged onto the left face of a turned box it heads away from it; dragged off it stands free again."""
    draw_boxes(editor, (600, 400, 800, 600))
    editor.key(",", ",", ",", ",", ",", ",")  # 30 degrees
    face = (700 - 100 * 0.8660254, 500 - 50)
    editor.key("Escape")
    editor.drag((150, 500), face, steps=8)
    start = editor.state("state.doc.start")
    assert start["mount"] == "wall"
    assert start["heading_deg"] == pytest.approx(-150, abs=0.01)
    assert start["position"] == pytest.approx(face, abs=4)
    content = editor.read_content()
    assert content["start"]["mount"] == "wall"
    editor.drag(tuple(start["position"]), (200, 200), steps=8)
    assert editor.state("state.doc.start.mount") == "free"


def test_the_menu_by_keyboard(editor: Studio) -> None:
    """Shift+F10 opens it at the selection; arrows and Enter choose; Escape goes back to the stage."""
    draw_boxes(editor, (400, 100, 500, 200))
    editor.key("Shift+F10")
    assert editor.page.get_by_role("menu").is_visible()
    editor.page.keyboard.press("Escape")
    assert editor.page.evaluate("document.activeElement.id") == "stage"
    editor.key("Shift+F10")
    editor.page.keyboard.press("ArrowDown")
    editor.page.keyboard.press("Enter")
    assert rows(editor) == []
