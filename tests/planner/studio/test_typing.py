"""The keyboard in a real browser: tools, numbers as people type them, and the fields of the panel."""

from typing import Any

import pytest

from tests.planner.studio.browser import Studio


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


def test_keyboard_only(studio: Studio) -> None:
    """Obstacles are placed, moved, selected and deleted, and another panel is reached, without a mouse."""
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


def test_list_of_keys(studio: Studio) -> None:
    """A question mark and F1 open the list of keys; Escape closes it and goes back to where one was."""
    for key in ("?", "F1"):
        studio.key(key)
        keys = studio.page.locator("#keys")
        assert "Ctrl+Enter" in keys.inner_text()
        studio.page.keyboard.press("Escape")
        assert keys.is_hidden()
        assert studio.page.evaluate("document.activeElement.id") == "stage"


def test_tab_goes_from_corner_to_corner(studio: Studio) -> None:
    """In the table of corners Tab goes through the numbers; the right arrow goes on to the buttons. What is turned is shown rounded."""
    studio.key("b")
    studio.drag((400, 300), (500, 700))
    studio.page.evaluate("async () => (await import('/draw/actions.js')).turnSelected(13)")
    studio.page.focus('[aria-label="corner 1 x"]')
    exact = studio.shapes()[0]["corners"][0][0]
    assert studio.page.locator('[aria-label="corner 1 x"]').input_value() == f"{exact:.1f}"
    names = []
    for key in ("Tab", "Tab", "Tab", "ArrowRight", "ArrowRight", "ArrowDown"):
        studio.page.keyboard.press(key)
        names.append(studio.page.evaluate("document.activeElement.getAttribute('aria-label')"))
    insert = "Insert a corner after corner"
    assert names == ["corner 1 y", "corner 2 x", "corner 2 y", "corner 2 y", f"{insert} 2", f"{insert} 3"]
    studio.page.keyboard.press("Enter")
    assert len(studio.shapes()[0]["corners"]) == 5
    assert studio.shapes()[0]["corners"][0][0] == exact


def test_position_follows_the_unit(studio: Studio) -> None:
    """The position of the pointer is written in the unit that is chosen."""
    studio.page.mouse.move(*studio.at(400, 300))
    assert "mm" in studio.page.locator("#position").inner_text()
    studio.key("u")
    assert studio.page.locator("#position").inner_text().endswith(" cm")
