"""Another plan with the options of an earlier one, which may be one of the command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.plan.options import BY_NAME
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_belonging import reload
from tests.vinewright.studio.test_plan_options import sent_options
from vinewright.studio.again import MOST_SHOWN, options_again
from vinewright.studio.requests import Options, check_options, offered_options

USUAL = {name: one["default"] for name, one in offered_options().items()}


def test_options_of_an_earlier_version() -> None:
    """Options that it did not have are as usual, and options that are gone are left out; actuators are those of the tube."""
    again, unusable = options_again({"seed": 4, "gone": 1, "actuator": "pouch", "iterations": 500})
    assert again == {**USUAL, "seed": 4, "iterations": 500}
    assert [*again] == [name for name in BY_NAME if name != "start_from"]
    assert unusable == []


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("planner", "mine.py:Mine", "--planner mine.py:Mine"),
        ("uncertainty", "errors.toml", "--uncertainty errors.toml"),
        ("verify", "a-plugin", "--verify a-plugin"),
        ("start_from", "runs/known", "--from runs/known"),
        ("time_budget_s", 200_000.0, "--time-budget 200000"),
        ("seed", 2**53 + 1, "--seed 9007199254740993"),  # a page cannot count so far
        ("batch", "many", "--batch many"),
        ("batch", {"x": ["y" * 9999]}, None),
        ("time_budget_s", float("nan"), "--time-budget nan"),
        ("time_budget_s", float("inf"), "--time-budget inf"),
    ],
)
def test_what_the_page_cannot_ask_for_is_named(name: str, value: Any, shown: str | None) -> None:
    """The usual value stands for it, so that all others can be used."""
    again, (text,) = options_again({name: value, "steer": 2})
    assert again == {**USUAL, "steer": 2}
    assert len(text) <= MOST_SHOWN
    assert shown is None or text == shown
    check_options(Options(**again))


# ---- in the page ----

ASKED = {
    "iterations": 500,
    "planner": "mine.py:Mine",
    "time_budget_s": 2e5,
    "preformed": True,
    "friction": 0.25,
    "seed": 7,
}


@pytest.fixture
def opened(studio: Studio, planned: Path) -> Iterator[Studio]:
    """A page that had other options, and has opened a run of the command line."""
    folder = studio.folder / "runs" / "far"
    shutil.copytree(planned, folder)
    file = folder / "run.json"
    facts = json.loads(file.read_text())
    del facts["inputs"]["steer"]  # it is of an earlier version
    file.write_text(json.dumps({**facts, "inputs": {**facts["inputs"], **ASKED}}))
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-options summary").click()
    for name, text in (("steer", "2"), ("actuator", "pouch")):
        studio.page.fill(f"#plan-{name}", text)
        studio.page.press(f"#plan-{name}", "Tab")
    studio.page.locator("#plan-options summary").click()
    assert also(studio) == ["Actuators: pouch ×", "Steered actuators: 2 ×"]
    studio.page.locator('[data-run="far"]').click()
    studio.wait_for("state.run?.name === 'far'")
    yield studio
    shutil.rmtree(folder)


def also(studio: Studio) -> list[str]:
    """Return the options that are shown though their fields are not."""
    return studio.page.locator("#plan-also button:visible").all_inner_texts()


def test_a_run_is_planned_again_with_its_options(opened: Studio) -> None:
    """All that can be asked for is shown and sent, nothing of the drawing before; what cannot be asked for is named."""
    assert also(opened) == ["Iterations: 500 ×", "Seed: 7 ×", "Friction: 0.25 ×", "Preformed bends ×"]
    words = opened.page.locator("#plan-unusable").inner_text()
    assert words == "Planned with --time-budget 200000, --planner mine.py:Mine, which only the command line takes."
    assert opened.page.locator("#panel-plan").evaluate("(one) => one.scrollTop") == 0
    expected = {**USUAL, "iterations": 500, "preformed": True, "friction": 0.25, "seed": 7}
    assert sent_options(opened) == expected
    reload(opened)
    assert also(opened)[0] == "Iterations: 500 ×"
    assert opened.page.locator("#plan-unusable").inner_text() == words
    assert sent_options(opened) == expected
    opened.page.get_by_role("button", name="New", exact=True).click()
    opened.page.click("#tab-plan")
    opened.page.locator("#plan-unusable").wait_for(state="hidden")


def test_an_option_that_is_shown_is_removed(opened: Studio) -> None:
    """The field is as usual again, the focus goes on, and the plan has the option no more; beside the fields there is no list of them."""
    page = opened.page
    page.locator("#plan-also [data-option=iterations]").focus()
    page.keyboard.press("Enter")
    page.locator("#plan-also [data-option=iterations]").wait_for(state="detached")
    assert page.evaluate("document.activeElement.dataset.option") == "seed"
    for _ in range(3):
        page.keyboard.press("Enter")
    page.locator("#plan-also").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert sent_options(opened) == USUAL
    page.locator("#plan-options summary").click()
    assert page.locator("#plan-iterations").input_value() == ""
    page.fill("#plan-iterations", "9")
    page.press("#plan-iterations", "Tab")
    assert also(opened) == []
    page.locator("#plan-options summary").click()
    assert also(opened) == ["Iterations: 9 ×"]
