"""Tubes with actuators of several types on the page, in a real browser."""

from dataclasses import replace
from typing import Any

import numpy as np

from dynamics.tube import VineParams
from planner.design import Design, Section
from planner.studio.tubes import tube_view
from planner.studio.views import design_view
from surrogate.pouch import PouchMotor
from tests.planner.studio.browser import Studio


def view_of(*kinds: int) -> dict[str, Any]:
    """The view of a design with a section to the left for each number of an actuator."""
    ends = enumerate(kinds)
    sections = tuple(Section(0.2 * k, 0.2 * k + 0.2, "left", 2.0, 0.04, 20e3, kind=kind) for k, kind in ends)
    params = VineParams(others=(PouchMotor(),))
    line = np.array([[0.0, 0.0], [0.2 * len(kinds), 0.0]])
    return design_view(Design("room", "0" * 64, params, sections, np.zeros(3), line), "best", "Design", 0.0)


def rows_of(shared: Studio, design: dict[str, Any]) -> list[list[str]]:
    """The cells of the table of pressures of a design."""
    found: list[list[str]] = shared.page.evaluate(
        """async (design) => {
            const { pressureTable } = await import('/panels/pressures.js');
            const place = pressureTable('tried-pressures', () => design);
            (await import('/store.js')).set({ design });
            return [...place.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
        }""",
        design,
    )
    return found


def test_table_of_pressures_names_the_types(shared: Studio) -> None:
    """In a column if there are several; a design with one has none, whatever its tube might have."""
    mixed = view_of(1, 0)
    assert [section["type"] for section in mixed["sections"]] == ["pouch", "spam"]
    heads, first, second = rows_of(shared, mixed)
    assert heads[1:3] == ["Type", "Side"]
    assert first == ["1", "pouch", "left", "0–200", "40", "20"]
    assert second == ["2", "spam", "left", "200–400", "40", "20"]
    alone = view_of(1, 1)
    assert not any("type" in section for section in alone["sections"])
    assert rows_of(shared, alone)[1] == ["1", "left", "0–200", "40", "20"]


def test_panel_of_the_tube_says_what_is_mixed(shared: Studio) -> None:
    """The other types are named, and are still there after a change of a number in the panel."""
    mixed = tube_view(replace(VineParams(), others=(PouchMotor(width=0.05),)))
    shared.page.evaluate("async (tube) => (await import('/store.js')).set({ tube, panel: 'tube' })", mixed)
    others = shared.page.locator("#tube-others")
    assert others.inner_text() == "May be mixed with pouch along the tube."
    shared.page.locator("#tube-radius_mm").fill("30")
    shared.page.locator("#tube-radius_mm").press("Enter")
    shared.wait_for("state.tube.content.radius_mm === 30")
    assert shared.state("state.tube.content.other_actuators") == mixed["content"]["other_actuators"]
    shared.page.evaluate(
        "async () => { const { set, state } = await import('/store.js'); set({ tube: state.known.tubes[0].tube }); }"
    )
    assert not others.is_visible()
