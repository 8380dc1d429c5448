"""Groups, locks and hiding are kept with a drawing, though its file has none of them, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_arranging import draw_boxes, press
from tests.vinewright.studio.test_belonging import reload
from tests.vinewright.studio.test_never_lost import restart

BOXES = [(300, 100, 400, 200), (500, 100, 600, 200), (700, 100, 800, 200), (900, 100, 1000, 200), (300, 700, 400, 800)]
STATES = {
    "circle 1": (0, False, False),
    "box 1": (0, False, False),
    "box 2": (1, True, False),
    "box 3": (1, True, False),
    "box 4": (None, False, True),
    "box 5": (None, False, False),
}
"""Group, lock and hiding of each obstacle of `arrange`."""


def select(studio: Studio, *places: tuple[float, float]) -> None:
    studio.key("Escape")
    studio.page.keyboard.down("Shift")
    for place in places:
        studio.click(*place)
    studio.page.keyboard.up("Shift")


def arrange(studio: Studio) -> None:
    """Draw a circle and boxes; make two groups, one of them with the circle, lock the other one, hide a box, and wait for the server."""
    studio.key("c")
    studio.drag((350, 400), (400, 400))
    draw_boxes(studio, *BOXES)
    select(studio, (350, 150), (350, 400))
    studio.key("Control+g")
    select(studio, (550, 150), (750, 150))
    studio.key("Control+g")
    press(studio, "Lock")
    select(studio, (950, 150))
    press(studio, "Hide")
    studio.read_content()


def states(studio: Studio) -> dict[str, tuple[int | None, bool, bool]]:
    """Return the group, lock and hiding of each obstacle; groups are counted in the order of the first ones of them."""
    labels = studio.page.evaluate(
        """async () => {
            const { labelsOf } = await import('/draw/shapes.js');
            const { state } = await import('/store.js');
            const labels = labelsOf(state.doc.shapes);
            return state.doc.shapes.map((one) => [labels.get(one.id), one.group, one.locked, one.hidden]);
        }"""
    )
    labels.sort(key=lambda one: one[0] != "circle 1")
    order = list(dict.fromkeys(group for _, group, _, _ in labels if group is not None))
    return {
        label: (None if group is None else order.index(group), locked, hidden)
        for label, group, locked, hidden in labels
    }


def test_a_reload_keeps_groups_locks_and_hiding_with_their_steps(studio: Studio) -> None:
    """Undo takes back what was done before; a new group is none of the earlier ones."""
    arrange(studio)
    assert states(studio) == STATES
    reload(studio)
    assert states(studio) == STATES
    studio.key("Control+z")
    assert states(studio)["box 4"] == (None, False, False)
    studio.key("Control+z")
    assert states(studio)["box 3"] == (1, False, False)
    select(studio, (950, 150), (350, 750))
    studio.key("Control+g")
    assert len({group for group, _, _ in states(studio).values()}) == 3
    reload(studio)
    assert len({group for group, _, _ in states(studio).values()}) == 3


def test_a_later_studio_has_groups_locks_and_hiding(browser: Any, tmp_path: Path) -> None:
    """After a kill, in another browser; edits and undo go on from there, and the file has none of it."""
    studio = Studio(tmp_path, browser)
    try:
        arrange(studio)
        assert "group" not in studio.state("state.check.text")
        restart(studio, tmp_path)
        studio.page.context.close()
        studio.page = studio.open()
        assert states(studio) == STATES
        # The group moves as one, and what is locked or hidden is passed by.
        studio.drag((350, 400), (350, 500))
        assert studio.state("state.selection.size") == 2
        assert [shape["row"][1] for shape in studio.shapes() if shape["kind"] == "circle"] == [500]
        studio.click(550, 150)
        assert studio.state("state.selection.size") == 0
        assert studio.page.locator("#solids .shape.hidden").count() == 1
        studio.page.mouse.click(*studio.at(1200, 200), button="right")
        studio.page.get_by_role("menuitem", name="Show what is hidden").click()
        assert states(studio)["box 4"] == (None, False, False)
        studio.key("Control+z", "Control+z")
        assert states(studio) == STATES
        assert [shape["row"][1] for shape in studio.shapes() if shape["kind"] == "circle"] == [400]
        # The gallery has them for another drawing of the same page.
        studio.page.get_by_role("button", name="New", exact=True).click()
        draw_boxes(studio, (100, 100, 200, 200))
        assert states(studio) == {"box 1": (None, False, False)}
        studio.read_content()
        reload(studio)
        studio.page.locator("#file-actions").get_by_text("Gallery").click()
        studio.page.get_by_text("Kept on this computer").wait_for()
        studio.page.get_by_role("group", name="Kept on this computer").locator(".card").first.click()
        studio.wait_for("state.doc.shapes.length === 6")
        assert states(studio) == STATES
    finally:
        studio.close()


def test_a_lock_in_a_shipped_environment_is_kept(browser: Any, tmp_path: Path) -> None:
    """No file has changed, yet there is more than the file."""
    studio = Studio(tmp_path, browser)
    try:
        studio.page.get_by_role("button", name="Gallery").click()
        studio.page.locator("#gallery .card[data-name=divider]").click()
        studio.wait_for("state.doc.name === 'divider'")
        studio.key("Control+a")
        press(studio, "Lock")
        studio.read_content()
        restart(studio, tmp_path)
        studio.page.context.close()
        studio.page = studio.open()
        assert studio.state("[state.doc.name, state.doc.shapes.every((one) => one.locked), state.message]") == [
            "divider",
            True,
            "",
        ]
    finally:
        studio.close()


def test_states_of_obstacles_that_are_not_there(studio: Studio) -> None:
    """A record that names more than the drawing has, and none at all, leave it as it is."""
    draw_boxes(studio, BOXES[0])
    found = studio.page.evaluate(
        """async () => {
            const { withStates } = await import('/draw/object_states.js');
            const { state } = await import('/store.js');
            const states = { groups: [["box 9", "wall 1"]], locked: ["box 2"], hidden: ["circle 1"] };
            const [shape] = withStates(state.doc, states).shapes;
            return [withStates(state.doc, undefined) === state.doc, shape.group, shape.locked, shape.hidden];
        }"""
    )
    assert found == [True, None, False, False]
