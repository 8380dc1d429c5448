"""Distances between centre lines while an object is moved, drawn or resized, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import pytest

from tests.vinewright.studio.browser import Point, Studio
from tests.vinewright.studio.test_arranging import draw_boxes, rows
from tests.waiting import wait_until

BOXES = ((400, 100, 500, 220), (700, 500, 800, 600))
"""The second one is moved; the centre of the first one is at 450, 160."""


@contextmanager
def dragging(editor: Studio, start: Point, end: Point) -> Iterator[None]:
    """Drag from one point of the drawing [mm] to another, and let go at the end."""
    editor.page.mouse.move(*editor.at(*start))
    editor.page.mouse.down()
    editor.page.mouse.move(*editor.at(*end), steps=5)
    try:
        yield
    finally:
        editor.page.mouse.up()
        editor.page.keyboard.up("Alt")


def shown(editor: Studio) -> list[str]:
    """Return the distances between centre lines in the drawing."""
    return editor.page.locator("#drawing .dimension.centres .figure").all_text_contents()


def all_shown(editor: Studio) -> list[str]:
    return editor.page.locator("#drawing .dimension .figure").all_text_contents()


def pixel(editor: Studio) -> float:
    """Return the size of a pixel [mm]."""
    return 1.0 / float(editor.state("state.view.scale"))


def test_on_a_centre_line_the_distance_along_it_is_shown(editor: Studio) -> None:
    """Beside the distances between outlines, from centre to centre, dashed; elsewhere there is none."""
    draw_boxes(editor, *BOXES)
    with dragging(editor, (750, 550), (1000, 160 + 2 * pixel(editor))):
        wait_until(lambda: shown(editor) != [])
        x = float(rows(editor)[1][0]) + 50
        assert shown(editor) == [f"centres {x - 450:g} mm"]
        assert f"{x - 550:g} mm" in all_shown(editor)
        assert any(text.startswith("x +") for text in all_shown(editor))
        line = editor.page.locator(".dimension.centres .dimension-line").first
        assert line.evaluate("(one) => getComputedStyle(one).strokeDasharray") != "none"
        ends = editor.page.evaluate(
            "async () => (await import('/draw/live.js')).live.dimensions.find((one) => one.centres).centres"
        )
        assert ends == [[450, 160], [x, 160]]
        editor.page.mouse.move(*editor.at(1000, 340), steps=3)
        wait_until(lambda: shown(editor) == [])
    wait_until(lambda: all_shown(editor) == [])


def test_with_alt_all_centre_lines_count(editor: Studio) -> None:
    """The nearest neighbour along each axis, and the bounds, in place of outlines; the key counts without a movement."""
    draw_boxes(editor, *BOXES)
    with dragging(editor, (750, 550), (800, 380)):
        assert shown(editor) == []
        editor.page.keyboard.down("Alt")
        wait_until(lambda: shown(editor) != [])
        x, y = (float(value) + 50 for value in rows(editor)[1][:2])
        # The start and the goal are as high as the bounds' centre: no box is beside the moved one, and the first one is nearest.
        expected = {f"centres {x - 450:g} mm", f"centres {y - 160:g} mm"}
        expected |= {f"centre of bounds {abs(x - 750):g} mm", f"centre of bounds {500 - y:g} mm"}
        assert set(shown(editor)) == expected
        assert len(all_shown(editor)) == 4
        editor.page.keyboard.up("Alt")
        wait_until(lambda: shown(editor) == [] and len(all_shown(editor)) > 1)
    assert len(rows(editor)) == 2


def test_a_copy_shows_how_far_it_is_from_its_original(editor: Studio) -> None:
    """A drag that begins with Alt moves a copy; the original is its neighbour."""
    draw_boxes(editor, (700, 100, 800, 200))
    editor.page.keyboard.down("Alt")
    with dragging(editor, (750, 150), (950, 150)):
        wait_until(lambda: shown(editor) != [])
        x = float(rows(editor)[1][0]) + 50
        assert f"centres {x - 750:g} mm" in shown(editor)


def test_drawing_and_resizing_with_alt(editor: Studio) -> None:
    """The centre of the box so far; its size stays in the drawing. Figures do not lie on each other."""
    draw_boxes(editor, BOXES[0])
    editor.key("b")
    with dragging(editor, (500, 360), (620, 420)):
        assert shown(editor) == []
        editor.page.keyboard.down("Alt")
        expected = {"centres 110 mm", "centres 230 mm", "centre of bounds 190 mm", "centre of bounds 110 mm"}
        wait_until(lambda: set(shown(editor)) == expected)
        assert {"120 mm", "60 mm"} < set(all_shown(editor))
        figures = editor.page.locator("#drawing .dimension .figure").all()
        boxes = [box for one in figures if (box := one.bounding_box())]
        assert len(boxes) == 6
        for one, other in combinations(boxes, 2):
            beside = (
                abs(one["x"] - other["x"] + (one["width"] - other["width"]) / 2) >= (one["width"] + other["width"]) / 2
            )
            assert beside or abs(one["y"] - other["y"]) >= 0.9 * one["height"], (one, other)
    assert rows(editor)[1] == [500, 360, 620, 420]
    with dragging(editor, (620, 390), (700, 390)):
        editor.page.keyboard.down("Alt")
        wait_until(lambda: "centres 150 mm" in shown(editor))
        assert "centre of bounds 150 mm" in shown(editor)
    assert rows(editor)[1] == [500, 360, 700, 420]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        # One that the box would meet along x comes before a nearer one that it would pass by.
        ([[[300, 0], [400, 100]], [[110, 300], [150, 340]]], [300]),
        ([[[110, 300], [150, 340]]], [80]),  # none beside it: the nearest one
        ([[[0, 300], [100, 400]]], []),  # on the same centre line there is no distance along x
    ],
)
def test_the_neighbour_of_a_centre_line(editor: Studio, others: list[list[list[float]]], expected: list[float]) -> None:
    """Along x, of a box from 0 to 100 mm."""
    found = editor.page.evaluate(
        """async (others) => {
            const { centreMeasures } = await import('/draw/centres.js');
            const made = centreMeasures({ min: [0, 0], max: [100, 100] }, others.map(([min, max]) => ({ min, max })));
            return made.filter(({ from, to }) => from[1] === to[1]).map(({ from, to }) => to[0] - from[0]);
        }""",
        others,
    )
    assert found == expected


def test_hidden_obstacles_are_no_neighbours(editor: Studio) -> None:
    """The gap beside a moved box is that to the obstacle behind a hidden one."""
    draw_boxes(editor, (200, 450, 300, 650), (400, 450, 500, 650), (700, 500, 800, 600))
    editor.click(450, 550)
    editor.page.get_by_role("button", name="Hide", exact=True).click()
    with dragging(editor, (750, 550), (840, 560)):
        wait_until(lambda: all_shown(editor) != [])
        x = float(rows(editor)[2][0])
        assert f"{x - 300:g} mm" in all_shown(editor)
        assert f"{x - 500:g} mm" not in all_shown(editor)
