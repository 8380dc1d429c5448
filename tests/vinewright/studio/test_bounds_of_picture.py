"""Bounds from the rectangle by which the perspective of a picture was corrected, in a real browser."""

from pathlib import Path

import pytest

from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_rectifying import CORNERS, SIZE, photo
from tests.vinewright.studio.test_tracing import fill, in_drawing, load, place, press


def test_bounds_become_the_rectangle(editor: Studio, tmp_path: Path) -> None:
    """One button sets them, with their edge as it was; undo brings them back; it is offered while the picture lies as it was corrected."""
    offer = editor.page.locator("#panel-draw").get_by_role("button", name="Set the bounds to the rectangle")
    before = load(editor, tmp_path, photo())
    assert offer.count() == 0
    editor.page.evaluate(
        "async () => (await import('/store.js')).edit((doc) => ({ ...doc, bounds: { ...doc.bounds, edge: 'table' } }))"
    )
    earlier = editor.state("state.doc.bounds")
    picked = [in_drawing(before, *corner) for corner in CORNERS.tolist()]
    press(editor, "Correct the perspective by four corners")
    for k in (2, 0, 3, 1):
        editor.click(*picked[k])
    fill(editor, "true width", f"{SIZE[0]:g}")
    fill(editor, "true height", f"{SIZE[1]:g}")
    press(editor, "Apply")
    offer.wait_for()
    assert (offer.get_attribute("title") or "").startswith(f"{SIZE[0]:g} mm × {SIZE[1]:g} mm, ")
    assert offer.is_enabled()
    assert editor.state("state.doc.bounds") == earlier
    corrected = place(editor)
    offer.click()
    editor.wait_for(f"state.doc.bounds.min[0] !== {earlier['min'][0]}")
    assert offer.is_disabled()
    found = editor.state("state.doc.bounds")
    assert found["min"] == pytest.approx(picked[0], abs=1.5)  # a click is at a whole pixel
    assert [high - low for low, high in zip(found["min"], found["max"], strict=True)] == pytest.approx(SIZE)
    assert found["edge"] == "table"
    assert place(editor) == corrected
    editor.key("Control+z")
    assert editor.state("state.doc.bounds") == earlier
    assert offer.is_enabled()
    editor.key("i")
    fill(editor, "angle", "10")
    offer.wait_for(state="hidden")
    editor.key("Control+z")
    offer.wait_for()
    editor.key("Control+z")  # the photo as it was taken
    offer.wait_for(state="hidden")
    assert place(editor) == before
