"""The keyboard in a real browser: tools, numbers as people type them, and the fields of the panel."""

from typing import Any

import pytest

from tests.vinewright.studio.browser import Studio


def test_numbers_of_the_panel(editor: Studio) -> None:
    """Numbers are typed in mm or cm; a wrong one is marked and not applied."""
    editor.key("c")
    editor.drag((800, 500), (900, 500))
    field = editor.page.get_by_label("radius", exact=False).first
    field.fill("75")
    field.press("Enter")
    assert editor.shapes()[0]["row"] == [800, 500, 75]
    field.fill("-3")
    field.press("Enter")
    assert editor.shapes()[0]["row"] == [800, 500, 75]
    assert field.get_attribute("aria-invalid") == "true"
    editor.page.locator("#view-actions").get_by_text("mm", exact=True).click()
    assert editor.state("state.unit") == "cm"
    field = editor.page.get_by_label("radius", exact=False).first
    assert field.input_value() == "7.5"


def test_keyboard_only(editor: Studio) -> None:
    """Obstacles are placed, moved, selected and deleted, and another panel is reached, without a mouse."""
    editor.key("b", "Enter")
    (box,) = editor.shapes()
    editor.key("Shift+ArrowRight")
    assert editor.shapes()[0]["row"][0] > box["row"][0]
    editor.key("Escape", "PageDown")
    assert len(editor.state("[...state.selection]")) == 1
    for tool in ("c", "w", "p"):
        editor.key(tool, "Enter", "Escape")
    assert sorted(shape["kind"] for shape in editor.shapes()) == ["box", "circle", "polygon", "wall"]
    editor.key("Control+a", "Delete")
    assert editor.shapes() == []
    editor.page.focus("#tab-draw")
    editor.page.keyboard.press("ArrowRight")
    assert editor.state("state.panel") == "tube"
    assert editor.page.evaluate("document.activeElement.id") == "tab-tube"


def test_keys_are_not_taken_from_fields(editor: Studio) -> None:
    """Letters typed into a field are text, not tools."""
    name = editor.page.get_by_label("Name", exact=True)
    name.fill("")
    name.press_sequentially("bench with c, w and p")
    name.press("Enter")
    assert editor.state("state.doc.name") == "bench with c, w and p"
    assert editor.state("state.tool") == "select"


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("12.5", "mm", 12.5), ("12,5", "mm", 12.5), ("-3", "mm", -3), ("1 in", "mm", 25.4), ("15cm", "mm", 150), ("15", "cm", 15),
        ("150mm", "cm", 15), ("0.2 m + 5", "mm", 205), ("2*(30+4.5)", "mm", 69), ("10-2-3", "mm", 5), ("8/2/2", "mm", 2),
        ("45°", "", 45), (".5", "mm", 0.5), ("--2", "mm", 2), ("(1+1)cm", "mm", 20),
        *((wrong, "mm", None) for wrong in ("", "1.2.3", "abc", "1,2,3", "5 kg", "2*", "(1", "1)", "1 2", "45°", "1e5", "alert(1)")),
        *((ambiguous, "mm", None) for ambiguous in ("1,200", "3 + 12,500")),
        ("0,125", "mm", 0.125), ("1,2500", "mm", 1.25), ("1200,125", "mm", 1200.125),
        ("5 mm", "", None),
    ],
)  # fmt: skip
def test_numbers_as_people_type_them(shared: Studio, text: str, unit: str, value: float | None) -> None:
    """A decimal comma, units and small calculations are read; everything else is no number."""
    found = shared.page.evaluate(
        "async ([text, unit]) => (await import('/number.js')).parseNumber(text, unit)", [text, unit]
    )
    assert found == pytest.approx(value, nan_ok=True) if value is not None else found != found


def test_decimal_comma_in_the_panel(editor: Studio) -> None:
    """A size with a decimal comma is not ten times as large; one in another unit is converted."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    for typed, width in (("12,5", 12.5), ("15cm", 150), ("100+50", 150)):
        field = editor.page.locator("#panel-draw").get_by_label("width")
        field.fill(typed)
        field.press("Enter")
        (x_min, _, x_max, _) = editor.shapes()[0]["row"]
        assert x_max - x_min == pytest.approx(width)


def test_arrow_keys_step_a_number(editor: Studio) -> None:
    """An arrow adds one unit, Shift makes it ten; each is a step of undo, and limits hold."""
    editor.key("w")
    editor.drag((1000, 100), (1000, 300))
    field = editor.page.locator("#panel-draw").get_by_label("thickness")
    for keys, thickness in (("ArrowUp", 21), ("Shift+ArrowUp", 31), ("Shift+ArrowDown", 21)):
        field.press(keys)
        assert editor.shapes()[0]["row"][4] == thickness
    for _ in range(3):
        field.press("Shift+ArrowDown")
    assert editor.shapes()[0]["row"][4] == 0
    editor.key(*["Control+z"] * 6)
    assert editor.shapes()[0]["row"][4] == 20


@pytest.mark.parametrize(
    ("panel", "selector", "wrong", "message"),
    [
        ("draw", "#panel-draw [placeholder='as the tube']", "11", "must be at most 10"),
        ("tube", "#tube-radius_mm", "0,1", "must be at least 0.5 mm"),
        ("plan", "#plan-time", "1d", "must be a number, such as 12.5 or 40+25"),
    ],
)
def test_a_wrong_number_is_marked_until_escape(
    editor: Studio, panel: str, selector: str, wrong: str, message: str
) -> None:
    """In every panel a wrong number stays with its reason beneath it, and Escape restores the number before."""
    editor.page.click(f"#tab-{panel}")
    field = editor.page.locator(selector)
    before = field.input_value()
    field.fill(wrong)
    field.press("Enter")
    assert field.input_value() == wrong
    assert field.get_attribute("aria-invalid") == "true"
    assert editor.page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text() == message
    field.press("Escape")
    assert field.input_value() == before
    assert field.get_attribute("aria-invalid") is None
    assert editor.page.locator(f"#panel-{panel} .fault").count() == 0


def test_a_number_that_the_server_refuses_is_marked(editor: Studio) -> None:
    """The number stays with the message of the server beneath it, and the tube as it was."""
    editor.page.click("#tab-tube")
    before = editor.state("state.tube.content")
    field = editor.page.locator("#tube-radius_mm")
    field.fill("41")
    editor.page.route("**/api/tube", lambda route: route.fulfill(status=400, json={"error": "too wide"}))
    field.press("Enter")
    fault = editor.page.locator("#panel-tube .fault")
    fault.wait_for()
    assert field.input_value() == "41"
    assert editor.state("state.tube.content") == before
    editor.page.unroute("**/api/tube")
    field.press("Escape")
    assert fault.count() == 0


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
def test_keys_that_turn(editor: Studio, keys: dict[str, Any]) -> None:
    """The selection turns by a key that every layout has, and by a bracket that needs AltGr or Option."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    editor.page.evaluate(
        "keys => document.getElementById('stage').dispatchEvent("
        "new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...keys }))",
        keys,
    )
    assert editor.shapes()[0]["row"] == [400, 300, 500, 400, -5]
    editor.key(",")
    assert editor.shapes()[0]["row"] == [400, 300, 500, 400]


def test_list_of_keys(editor: Studio) -> None:
    """A question mark and F1 open the list of keys; Escape closes it and goes back to where one was."""
    for key in ("?", "F1"):
        editor.key(key)
        keys = editor.page.locator("#keys")
        assert "Ctrl+Enter" in keys.inner_text()
        editor.page.keyboard.press("Escape")
        assert keys.is_hidden()
        assert editor.page.evaluate("document.activeElement.id") == "stage"


def test_tab_goes_from_corner_to_corner(editor: Studio) -> None:
    """In the table of corners Tab goes through the numbers; the right arrow goes on to the buttons. What is turned is shown rounded."""
    editor.key("b")
    editor.drag((400, 300), (500, 700))
    editor.page.get_by_role("button", name="Make a polygon").click()
    editor.page.evaluate("async () => (await import('/draw/actions.js')).turnSelected(13)")
    editor.page.focus('[aria-label="corner 1 x"]')
    exact = editor.shapes()[0]["corners"][0][0]
    assert editor.page.locator('[aria-label="corner 1 x"]').input_value() == f"{exact:.1f}"
    names = []
    for key in ("Tab", "Tab", "Tab", "ArrowRight", "ArrowRight", "ArrowDown"):
        editor.page.keyboard.press(key)
        names.append(editor.page.evaluate("document.activeElement.getAttribute('aria-label')"))
    insert = "Insert a corner after corner"
    assert names == ["corner 1 y", "corner 2 x", "corner 2 y", "corner 2 y", f"{insert} 2", f"{insert} 3"]
    editor.page.keyboard.press("Enter")
    assert len(editor.shapes()[0]["corners"]) == 5
    assert editor.shapes()[0]["corners"][0][0] == exact


def test_position_follows_the_unit(editor: Studio) -> None:
    """The position of the pointer is written in the unit that is chosen."""
    editor.page.mouse.move(*editor.at(400, 300))
    assert "mm" in editor.page.locator("#position").inner_text()
    editor.key("u")
    assert editor.page.locator("#position").inner_text().endswith(" cm")
