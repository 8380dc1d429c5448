"""Drawing over a picture in a real browser: seen through, turned, straightened, and its perspective corrected."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_rectifying import CORNERS, SIZE, photo
from vinewright.studio.document import parse_content

Point = tuple[float, float]


def load(editor: Studio, tmp_path: Path, data: bytes) -> dict[str, Any]:
    """Load a picture beneath the drawing, and return its place."""
    file = tmp_path / "picture.png"
    file.write_bytes(data)
    editor.key("i")
    editor.page.set_input_files("#background-file", str(file))
    editor.wait_for("state.background")
    return place(editor)


def place(editor: Studio) -> dict[str, Any]:
    """Return the picture with its place."""
    found: dict[str, Any] = editor.state("state.background")
    return found


def halves() -> bytes:
    """A picture of 300 x 200 pixels whose left half is red."""
    pixels = np.full((200, 300, 3), 255, np.uint8)
    pixels[:, :150] = (255, 0, 0)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def in_drawing(shown: dict[str, Any], x: float, y: float) -> Point:
    """The point of the drawing at a pixel of a picture."""
    turn = np.deg2rad(shown["turn"])
    east, north = x * shown["scale"], (shown["height"] - y) * shown["scale"]
    return (
        float(shown["x"] + np.cos(turn) * east - np.sin(turn) * north),
        float(shown["y"] + np.sin(turn) * east + np.cos(turn) * north),
    )


def is_red(editor: Studio, point: Point) -> bool:
    """Whether the picture is red at a point of the drawing, as it is painted beneath the obstacles."""
    x, y = editor.at(*point)
    red, green, _ = editor.page.evaluate(
        """async ([x, y]) => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const canvas = document.getElementById('canvas');
            const box = canvas.getBoundingClientRect();
            const k = canvas.width / box.width;
            return [...canvas.getContext('2d').getImageData((x - box.left) * k, (y - box.top) * k, 1, 1).data].slice(0, 3);
        }""",
        [x, y],
    )
    return bool(red > green + 60)


def press(editor: Studio, name: str) -> None:
    editor.page.locator("#panel-draw").get_by_role("button", name=name).click()


def fill(editor: Studio, label: str, text: str) -> None:
    field = editor.page.locator("#panel-draw label.number", has_text=label).locator("input")
    field.fill(text)
    field.press("Tab")


def fill_opacity(editor: Studio) -> float:
    """The opacity of the inside of the first obstacle, as the browser computes it."""
    return float(editor.page.evaluate("() => getComputedStyle(document.querySelector('#solids .shape')).fillOpacity"))


def test_obstacles_over_a_picture_are_seen_through(editor: Studio, tmp_path: Path) -> None:
    """By half, or as the slider says, while there is a picture; undo takes it back."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    assert fill_opacity(editor) == 1
    load(editor, tmp_path, halves())
    assert fill_opacity(editor) == 0.5
    slider = editor.page.locator("#panel-draw label", has_text="Opacity of obstacles").locator("input")
    slider.fill("0.2")
    editor.wait_for("state.background.cover === 0.2")
    assert fill_opacity(editor) == pytest.approx(0.2)
    editor.key("Control+z")
    assert fill_opacity(editor) == 0.5
    press(editor, "Remove")
    editor.wait_for("!state.background")
    assert fill_opacity(editor) == 1


def test_a_picture_is_turned(editor: Studio, tmp_path: Path) -> None:
    """By a number, by keys and by its handle, about its centre; it is painted so, and undo takes each back."""
    before = load(editor, tmp_path, halves())
    centre = in_drawing(before, 150, 100)
    low, left = (centre[0], centre[1] - 200), (centre[0] - 200, centre[1])
    assert is_red(editor, left)
    assert not is_red(editor, (centre[0] + 200, centre[1]))
    fill(editor, "angle", "90")
    assert in_drawing(place(editor), 150, 100) == pytest.approx(centre, abs=0.01)
    # What was at the left is below now.
    assert is_red(editor, low)
    assert not is_red(editor, (centre[0], centre[1] + 200))
    editor.key("]")
    assert place(editor)["turn"] == 85
    editor.key("Control+z", "Control+z")
    assert place(editor) == before
    grip = editor.page.locator('#drawing [data-handle="picture"] .grip').bounding_box()
    assert grip
    editor.page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    editor.page.mouse.down()
    # From above the centre to the left of it.
    editor.page.mouse.move(*editor.at(centre[0] - 300, centre[1]), steps=5)
    editor.page.mouse.up()
    assert place(editor)["turn"] == pytest.approx(90, abs=0.5)
    assert in_drawing(place(editor), 150, 100) == pytest.approx(centre, abs=0.01)
    assert is_red(editor, low)
    editor.key("Control+z")
    assert place(editor) == before


def test_a_turned_picture_is_there_after_a_reload(editor: Studio, tmp_path: Path) -> None:
    """With its angle, and the opacity of the obstacles over it."""
    load(editor, tmp_path, halves())
    fill(editor, "angle", "30")
    editor.page.locator("#panel-draw label", has_text="Opacity of obstacles").locator("input").fill("0.75")
    editor.wait_for("state.background.cover === 0.75")
    before = {**place(editor), "src": ""}
    editor.read_content()
    editor.page.reload()
    editor.page.wait_for_selector("body[data-connected]")
    editor.wait_for("state.background")
    assert {**place(editor), "src": ""} == before


@pytest.mark.parametrize(("name", "turned"), [("Horizontal", (1, 0)), ("Vertical", (0, 1))])
def test_a_line_is_made_level(editor: Studio, tmp_path: Path, name: str, turned: Point) -> None:
    """The line through two points is level, or upright, whichever is clicked first; the first one stays where it is."""
    before = load(editor, tmp_path, halves())
    pixels = [(200.0, 50.0), (100.0, 80.0)]
    press(editor, "Straighten by two points")
    for pixel in pixels:
        editor.click(*in_drawing(before, *pixel))
    angle = editor.page.locator("#drawing .dimension .figure").text_content() or ""
    # Towards a point 100 pixels to the left and 30 below.
    assert float(angle.replace("−", "-").rstrip("°")) == pytest.approx(np.rad2deg(np.arctan2(-30, -100)), abs=1)
    press(editor, name)
    one, other = (np.array(in_drawing(place(editor), *pixel)) for pixel in pixels)
    along = (other - one) / np.hypot(*(other - one))
    assert np.abs(along) == pytest.approx(turned, abs=0.01)
    assert one == pytest.approx(in_drawing(before, *pixels[0]), abs=3)
    assert abs(place(editor)["turn"]) <= 90
    assert place(editor)["scale"] == before["scale"]
    assert editor.page.evaluate("async () => (await import('/draw/live.js')).live.picks") is None


@pytest.mark.parametrize("degrees", [-40, -20, 0, 20, 40])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_corners_are_put_in_order(editor: Studio, degrees: float, order: list[int]) -> None:
    """Anticlockwise from the left end of the lowest side, also of a long rectangle that is turned."""
    turn = np.exp(1j * np.deg2rad(degrees))
    corners = [[float(one.real), float(one.imag)] for one in np.array([-4 - 1j, 4 - 1j, 4 + 1j, -4 + 1j]) * turn]
    found = editor.page.evaluate(
        "async (corners) => (await import('/draw/picture.js')).sortCorners(corners)", [corners[k] for k in order]
    )
    assert found == corners


@pytest.mark.parametrize(("order", "turn"), [([0, 1, 2, 3], 0), ([2, 1, 0, 3], -15), ([1, 3, 0, 2], 10)])
def test_perspective_by_four_corners(editor: Studio, tmp_path: Path, order: list[int], turn: float) -> None:
    """The corners in any order and the true size: the rectangle is one in the drawing, to scale; undo brings the photo back.

    The photo may have been turned before.
    """
    load(editor, tmp_path, photo())
    if turn:
        fill(editor, "angle", str(turn))
    before = place(editor)
    picked = [in_drawing(before, *corner) for corner in CORNERS.tolist()]
    press(editor, "Correct the perspective by four corners")
    for k in order:
        editor.click(*picked[k])
    fill(editor, "true width", f"{SIZE[0] / 10:g} cm")
    fill(editor, "true height", f"{SIZE[1]:g}")
    press(editor, "Apply")
    editor.wait_for(f"state.background.key !== '{before['key']}'")
    shown = place(editor)
    assert shown["turn"] == 0
    picture = np.asarray(Image.open(io.BytesIO(fetch(editor))))
    assert picture.shape[:2] == (shown["height"], shown["width"])
    # The squares of the board lie in the drawing as on the board, from the corner that was picked as the lower left one.
    for column in range(8):
        for row in range(6):
            x, y = picked[0][0] + 50 * column + 25, picked[0][1] + 50 * row + 25
            pixel = picture[
                int(shown["height"] - (y - shown["y"]) / shown["scale"]), int((x - shown["x"]) / shown["scale"])
            ]
            assert (pixel[0] < 128) == ((column + row) % 2 == 0)
    editor.key("Control+z")
    assert place(editor) == before


def fetch(editor: Studio) -> bytes:
    """The picture that the page shows."""
    data = editor.page.evaluate(
        """async () => {
            const { fetchBlob } = await import('/api.js');
            const { state } = await import('/store.js');
            return [...new Uint8Array(await (await fetchBlob(`/api/pictures/${state.background.key}`)).arrayBuffer())];
        }"""
    )
    return bytes(data)


def test_picking_ends(editor: Studio, tmp_path: Path) -> None:
    """Escape and Cancel end the picking; corners that are no rectangle are told, and the picture and the corners stay."""
    before = load(editor, tmp_path, photo())
    press(editor, "Correct the perspective by four corners")
    editor.click(300, 300)
    assert editor.page.get_by_text("1 of 4 are picked").is_visible()
    editor.key("Escape")
    assert editor.page.locator("#panel-draw").get_by_role("button", name="Straighten by two points").is_visible()
    press(editor, "Correct the perspective by four corners")
    for x, y in ((200, 200), (600, 200), (400, 203), (400, 700)):
        editor.click(x, y)
    press(editor, "Apply")
    editor.wait_for("state.message.includes('must be those of a rectangle')")
    assert place(editor) == before
    press(editor, "Cancel")
    assert editor.page.evaluate("async () => (await import('/draw/live.js')).live.picks") is None


def test_from_a_photo_to_a_drawing_with_scale(editor: Studio) -> None:
    """A photo is dropped and corrected by a rectangle of known size; what is drawn over it has its true size in the file."""
    drop = editor.page.evaluate_handle(
        """bytes => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'bench.png', { type: 'image/png' }));
            return data;
        }""",
        list(photo()),
    )
    editor.page.dispatch_event("#stage", "drop", {"dataTransfer": drop})
    editor.wait_for("state.background")
    before = place(editor)
    press(editor, "Correct the perspective by four corners")
    for corner in CORNERS.tolist():
        editor.click(*in_drawing(before, *corner))
    fill(editor, "true width", f"{SIZE[0]:g}")
    fill(editor, "true height", f"{SIZE[1]:g}")
    press(editor, "Apply")
    editor.wait_for(f"state.background.key !== '{before['key']}'")
    # Two dark squares of 50 mm on the board, as they lie in the drawing.
    x, y = in_drawing(before, *CORNERS[0].tolist())
    editor.key("b")
    editor.drag((x + 100, y + 100), (x + 150, y + 150))
    (box,) = editor.shapes()
    assert [box["row"][2] - box["row"][0], box["row"][3] - box["row"][1]] == pytest.approx([50, 50], abs=15)
    content = editor.read_content()
    assert len(content["obstacles"]["boxes"]) == 1
    assert parse_content(editor.state("state.check.text"))["obstacles"]["boxes"] == [box["row"]]
