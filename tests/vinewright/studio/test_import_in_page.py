"""Drawings and maps of other programs in a real browser: dropped, previewed with another unit, opened, and planned in."""

import math
from pathlib import Path
from typing import Any

import pytest

from environments import load_environment
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_importing import MAP, ROUGH, SVG, drawing_of_box

ROOM = {"min": [-200, -250], "max": [600, 650], "edge": "open", "stacked": False}


def result(editor: Studio) -> Any:
    return editor.page.locator("#import .import-result")


def paste(editor: Studio, files: dict[str, bytes], text: str = "", mime: str = "") -> None:
    """Paste files and a text, as a browser does that has them on its clipboard."""
    editor.page.focus("#stage")
    editor.page.evaluate(
        """([files, text, type]) => {
            const clipboardData = new DataTransfer();
            if (text) clipboardData.setData('text/plain', text);
            for (const [name, bytes] of files) clipboardData.items.add(new File([new Uint8Array(bytes)], name, { type }));
            const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
            document.activeElement.dispatchEvent(event);
        }""",
        [[[name, list(data)] for name, data in files.items()], text, mime],
    )


def picture(tmp_path: Path, size: tuple[int, int] = (300, 200)) -> bytes:
    """A grey picture, as a PNG file."""
    from PIL import Image

    Image.new("RGB", size, (90, 90, 90)).save(tmp_path / "grey.png")
    return (tmp_path / "grey.png").read_bytes()


def test_paste_of_files(editor: Studio, tmp_path: Path) -> None:
    """Copied files are opened as those that are dropped: drawings with a preview, environments, and pictures to draw on."""
    paste(editor, {"bench.dxf": drawing_of_box(tmp_path, 4)}, text="bench.dxf")
    result(editor).get_by_text("0.800 x 0.900 m, obstacles: 1").wait_for()
    editor.page.locator("#import").get_by_role("button", name="Open").click()
    editor.wait_for("state.doc.name === 'bench' && state.doc.shapes.length === 1")
    own = editor.state("state.text").replace('name = "bench"', 'name = "own"')
    paste(editor, {"own.toml": own.encode()})
    editor.wait_for("state.doc.name === 'own'")
    paste(editor, {"image.png": picture(tmp_path)}, mime="image/png")
    editor.wait_for("state.background && state.background.width === 300")
    paste(editor, {"notes.docx": b"PK"})
    editor.wait_for("state.message.startsWith('notes.docx is none of')")


def test_paste_of_obstacles_stays(editor: Studio, tmp_path: Path) -> None:
    """Obstacles that were copied in the page are pasted, also where a program has put a picture of the text beside it."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    text = editor.page.evaluate(
        """() => {
            const clipboardData = new DataTransfer();
            document.getElementById('stage').dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true }));
            return clipboardData.getData('text/plain');
        }"""
    )
    paste(editor, {}, text)
    editor.wait_for("state.doc.shapes.length === 2")
    paste(editor, {"image.png": picture(tmp_path)}, text, "image/png")
    editor.wait_for("state.doc.shapes.length === 3")
    assert editor.state("state.background") is None
    paste(editor, {}, "something else")
    assert len(editor.shapes()) == 3


def test_a_drawing_from_drop_to_a_file_without_a_fault(editor: Studio, tmp_path: Path) -> None:
    """The preview says size and notes; another unit reads it again; what is opened has a start and a goal that can be planned with."""
    data = drawing_of_box(tmp_path, 4)
    drop = editor.page.evaluate_handle(
        """bytes => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'bench.dxf'));
            return data;
        }""",
        list(data),
    )
    editor.page.dispatch_event("#stage", "drop", {"dataTransfer": drop})
    result(editor).get_by_text("0.800 x 0.900 m, obstacles: 1").wait_for()
    assert "LETTERS" in result(editor).inner_text()
    assert "no start and no goal" in result(editor).inner_text()
    editor.page.locator("#import select[name=unit]").select_option("cm")
    result(editor).get_by_text("2.60 x 3.60 m").wait_for()
    editor.page.locator("#import input[name=solid]").fill("LETTERS, WALL")
    editor.page.keyboard.press("Tab")
    result(editor).get_by_text("obstacles: 2").wait_for()
    editor.page.locator("#import").get_by_role("button", name="Open").click()
    editor.wait_for("state.doc.shapes.length === 2")
    assert editor.state("state.doc.name") == "bench"
    assert sorted(editor.state("[...state.selection]")) == ["goal", "start"]
    content = editor.read_content()
    assert content["name"] == "bench"
    assert content["obstacles"]["boxes"] == [[1000, 500, 3000, 3500]]
    assert len(content["obstacles"]["polygons"]) == 1


def test_what_is_wrong_stays_in_the_preview(editor: Studio, tmp_path: Path) -> None:
    """A map without its picture cannot be opened; the drawing stays, also after Cancel. With both files it is."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    description, picture = tmp_path / "map.yaml", tmp_path / "map.pgm"
    description.write_bytes(MAP)
    rows = [bytes([254] * 40)] * 20
    rows[5] = bytes([254] * 10 + [0] * 4 + [254] * 26)
    picture.write_bytes(b"P5 40 20 255\n" + b"".join(rows))
    editor.page.set_input_files("#open-file", str(description))
    result(editor).get_by_role("alert").wait_for()
    assert "map.pgm" in result(editor).inner_text()
    assert editor.page.locator("#import").get_by_role("button", name="Open").is_disabled()
    editor.page.locator("#import").get_by_role("button", name="Cancel").click()
    assert [shape["row"] for shape in editor.shapes()] == [[400, 300, 500, 400]]
    editor.page.set_input_files("#open-file", [str(description), str(picture)])
    result(editor).get_by_text("2.00 x 1.00 m, obstacles: 1").wait_for()
    editor.page.locator("#import").get_by_role("button", name="Open").click()
    editor.wait_for("state.doc.name === 'map'")
    editor.read_content()


def test_other_files_are_named(editor: Studio, tmp_path: Path) -> None:
    """A file of another kind is not read as TOML: the message names it, what can be opened, and what to do."""
    drawing = tmp_path / "plan.dwg"
    drawing.write_bytes(b"AC1032")
    editor.page.set_input_files("#open-file", str(drawing))
    editor.wait_for("state.message.startsWith('plan.dwg is none of .toml, .dxf')")
    assert editor.state("state.message").endswith("save it as DXF in the program that it is of")


def at(editor: Studio, x: float, y: float) -> tuple[float, float]:
    """A point of the preview [mm] in the window [px]."""
    place = editor.page.evaluate(
        """([x, y]) => {
            const place = new DOMPoint(x, -y).matrixTransform(document.querySelector('#import svg').getScreenCTM());
            return [place.x, place.y];
        }""",
        [x, y],
    )
    return float(place[0]), float(place[1])


def aim(editor: Studio, mode: str) -> None:
    editor.page.locator(f"#import [data-mode={mode}]").click()


def opened(editor: Studio) -> Any:
    """Open what is previewed, and return start and goal."""
    editor.page.locator("#import").get_by_role("button", name="Open").click()
    editor.wait_for("state.doc.name === 'bench'")
    return editor.state("({ start: state.doc.start, goal: state.doc.goal, selection: [...state.selection] })")


def click_length(editor: Studio, *points: tuple[float, float]) -> Any:
    """Click at two points of the preview, and return the field of their distance."""
    aim(editor, "scale")
    for x, y in points:
        editor.page.mouse.click(*at(editor, x, y))
    return editor.page.locator("#import .import-hint input")


def test_scale_by_two_clicks(editor: Studio, tmp_path: Path) -> None:
    """A file without a unit is shown as if in mm, and says so; clicks near two corners and their distance set its scale."""
    bench = tmp_path / "bench.dxf"
    bench.write_bytes(drawing_of_box(tmp_path, 0))
    editor.page.set_input_files("#open-file", str(bench))
    result(editor).get_by_text("a unit of it is taken as 1 mm").wait_for()
    # The diagonal of 200 x 300 units.
    field = click_length(editor, (102, 52), (299, 351))
    assert float(field.input_value()) == pytest.approx(360.6)
    field.fill("no number")
    field.press("Enter")
    assert editor.page.locator("#import .import-hint").get_by_text("must be a number").is_visible()
    field.fill("72.111 cm")
    field.press("Enter")
    result(editor).get_by_text("the unit of the drawing is 2 mm, by the known length").wait_for()
    assert "taken as" not in result(editor).inner_text()
    opened(editor)
    assert editor.read_content()["obstacles"]["boxes"] == [pytest.approx([200, 100, 600, 700], abs=0.01)]


def test_a_unit_that_is_chosen_replaces_the_scale(editor: Studio, tmp_path: Path) -> None:
    """The last choice counts; start and goal that were placed keep their places in the drawing."""
    bench = tmp_path / "bench.dxf"
    bench.write_bytes(drawing_of_box(tmp_path, 4))
    editor.page.set_input_files("#open-file", str(bench))
    result(editor).get_by_text("0.800 x 0.900 m").wait_for()
    aim(editor, "start")
    editor.page.mouse.click(*at(editor, 80, 200))
    field = click_length(editor, (100, 50), (300, 50))
    field.fill("400")
    field.press("Enter")
    result(editor).get_by_text("1.00 x 1.20 m").wait_for()
    editor.page.locator("#import select[name=unit]").select_option("cm")
    result(editor).get_by_text("2.60 x 3.60 m").wait_for()
    found = opened(editor)
    assert found["start"]["position"] == pytest.approx([800, 2000], abs=25)
    assert found["selection"] == ["goal"]


def test_start_and_goal_are_clicked(editor: Studio, tmp_path: Path) -> None:
    """A click places each; the heading leads to the goal unless it is dragged; nothing is left to be placed."""
    bench = tmp_path / "bench.dxf"
    bench.write_bytes(drawing_of_box(tmp_path, 4))

    def begin() -> None:
        editor.page.set_input_files("#open-file", str(bench))
        result(editor).get_by_text("0.800 x 0.900 m").wait_for()

    begin()
    aim(editor, "goal")
    editor.page.mouse.click(*at(editor, 200, 600))
    found = opened(editor)
    start = found["start"]["position"]
    heading = math.degrees(math.atan2(600 - start[1], 200 - start[0]))
    assert found["goal"]["position"] == pytest.approx([200, 600], abs=3)
    assert found["start"]["heading_deg"] == pytest.approx(heading, abs=1)
    assert found["selection"] == ["start"]
    begin()
    aim(editor, "start")
    editor.page.mouse.click(*at(editor, 500, -100))
    aim(editor, "goal")
    editor.page.mouse.click(*at(editor, -100, 500))
    found = opened(editor)
    assert found["start"]["position"] == pytest.approx([500, -100], abs=3)
    assert found["start"]["heading_deg"] == pytest.approx(135, abs=1)
    assert found["selection"] == []
    begin()
    aim(editor, "start")
    editor.page.mouse.move(*at(editor, 500, 0))
    editor.page.mouse.down()
    editor.page.mouse.move(*at(editor, 500, 300), steps=4)
    editor.page.mouse.up()
    editor.page.mouse.move(*at(editor, 0, 0))
    aim(editor, "goal")
    editor.page.mouse.click(*at(editor, -100, 500))
    found = opened(editor)
    assert found["start"]["heading_deg"] == pytest.approx(90, abs=2)
    assert editor.read_content()["start"]["heading_deg"] == found["start"]["heading_deg"]


def test_corners_before_and_after(editor: Studio, tmp_path: Path) -> None:
    """The field of the tolerance reads the file again, and the preview has the numbers of corners."""
    plan = tmp_path / "plan.svg"
    plan.write_text(ROUGH)
    editor.page.set_input_files("#open-file", str(plan))
    result(editor).get_by_text("obstacles: 1, corners: 62").wait_for()
    editor.page.locator("#import input[name=simplify]").fill("4 mm")
    editor.page.keyboard.press("Tab")
    result(editor).get_by_text("instead of 62").wait_for()
    editor.page.locator("#import").get_by_role("button", name="Cancel").click()


@pytest.mark.parametrize(("text", "words"), [("12 apples", "no length in mm"), ("0,5", "0.500 x 0.300 m")])
def test_lengths_are_read_as_typed(editor: Studio, tmp_path: Path, text: str, words: str) -> None:
    """A decimal comma is one; what is no length is said."""
    plan = tmp_path / "plan.svg"
    plan.write_text(SVG)
    editor.page.set_input_files("#open-file", str(plan))
    result(editor).get_by_text("1.00 x 0.600 m").wait_for()
    editor.page.locator("#import input[name=mm_per_unit]").fill(text)
    editor.page.keyboard.press("Tab")
    result(editor).get_by_text(words).wait_for()
    editor.page.locator("#import").get_by_role("button", name="Cancel").click()


@pytest.mark.slow
def test_from_a_drawing_of_another_program_to_a_plan(studio: Studio, tmp_path: Path) -> None:
    """A DXF file without a unit is dropped; two clicks set its scale, others start and goal; what is opened is planned as it is."""
    import ezdxf

    made = ezdxf.new(units=0)
    space = made.modelspace()
    # A hall of 60 x 40 units, 50 mm each, with two walls, around which there is a way.
    for x0, y0, x1, y1 in ((0, 0, 60, 40), (20, 0, 24, 25), (40, 15, 44, 40)):
        space.add_lwpolyline([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], close=True)
    made.saveas(tmp_path / "hall.dxf")
    drop = studio.page.evaluate_handle(
        """bytes => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'hall.dxf'));
            return data;
        }""",
        list((tmp_path / "hall.dxf").read_bytes()),
    )
    studio.page.dispatch_event("#stage", "drop", {"dataTransfer": drop})
    result(studio).get_by_text("a unit of it is taken as 1 mm").wait_for()
    aim(studio, "scale")
    for x, y in ((20, 0), (24, 0)):
        studio.page.mouse.click(*at(studio, x, y))
    field = studio.page.locator("#import .import-hint input")
    field.fill("20 cm")
    field.press("Enter")
    result(studio).get_by_text("3.00 x 2.00 m").wait_for()
    aim(studio, "start")
    studio.page.mouse.click(*at(studio, 400, 400))
    aim(studio, "goal")
    studio.page.mouse.click(*at(studio, 2600, 1600))
    studio.page.locator("#import").get_by_role("button", name="Open").click()
    studio.wait_for("state.check && !state.check.problem && state.doc.name === 'hall'")
    assert [shape["kind"] for shape in studio.shapes()].count("box") >= 2
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-time").fill("4")
    studio.page.locator("#plan-time").press("Tab")
    studio.page.locator("#plan-options summary").click()
    studio.page.locator("#plan-fast").check()
    studio.page.locator("#plan-button").click()
    studio.wait_for("state.run && state.plan.phase === 'done'")
    found = load_environment(studio.folder_of_run() / "environment.toml")
    assert found.start[:2] == pytest.approx([0.4, 0.4], abs=0.02)
    assert found.goal[:2] == pytest.approx([2.6, 1.6], abs=0.02)
    assert found.bounds == pytest.approx((0, 0, 3, 2))
