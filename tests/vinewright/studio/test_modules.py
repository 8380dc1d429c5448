"""Modules of the page, in a real browser: tubes, sections, forces and views, against closed forms; actuators of several types."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Obstacles
from planner.design.design import Design, Section
from surrogate.pouch import PouchMotor
from tests.vinewright.studio.browser import Studio
from vinewright.studio.tubes import tube_view
from vinewright.studio.views import design_view

RADIUS, TURN, JOINTS = 500.0, math.pi / 2, 90


def in_page(shared: Studio, body: str, argument: Any) -> Any:
    """Return the value of a function of the page's modules."""
    return shared.page.evaluate(f"async (given) => {{ {body} }}", argument)


@pytest.fixture(scope="module")
def quarter() -> dict[str, Any]:
    """Joints of a tube along a quarter circle to the left, and the film at them, one percent longer than the centreline."""
    angles = np.linspace(0, TURN, JOINTS + 1)
    line = np.column_stack([RADIUS * np.sin(angles), RADIUS * (1 - np.cos(angles))])
    return {"line": line.tolist(), "film": (1.01 * RADIUS * angles).tolist(), "tube": 30.0}


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_a_length_of_film_is_where_it_is_on_the_circle(shared: Studio, quarter: dict[str, Any], share: float) -> None:
    """Position and heading at a length of film are those of the circle."""
    place = in_page(
        shared,
        """const { courseOf, placeAt } = await import('/panels/tubeshape.js');
        return placeAt(courseOf(given.line, given.film, given.tube), given.length);""",
        {**quarter, "length": share * quarter["film"][-1]},
    )
    angle = share * TURN
    assert place["point"] == pytest.approx([RADIUS * math.sin(angle), RADIUS * (1 - math.cos(angle))], abs=0.1)
    assert place["heading"] == pytest.approx(angle, abs=0.01)


def test_sections_are_cut_where_they_end(shared: Studio, quarter: dict[str, Any]) -> None:
    """Parts follow each other without gap or overlap, at the ends of the sections, up to the grown length."""
    ends = [0.0, 200.0, 500.0, quarter["film"][-1] + 0.2]
    sections = [{"start_mm": one, "end_mm": other} for one, other in pairwise(ends)]
    parts = in_page(
        shared,
        """const { courseOf, lengthOf, partsOf } = await import('/panels/tubeshape.js');
        const parts = partsOf(courseOf(given.line, given.film, given.tube), given.sections, 0, given.grown);
        return parts.map(({ section, course, begins }) => [section, course.along[0], lengthOf(course), begins]);""",
        {**quarter, "sections": sections, "grown": 600.0},
    )
    assert parts == [[0, 0, 200, False], [1, 200, 500, True], [2, 500, 600, True]]


@pytest.mark.parametrize(("time", "record"), [(0, 0), (99, 0), (100, 1), (250, 2), (299.9, 2), (300, 3), (1e9, 3)])
def test_the_film_shows_the_last_record_before_its_time(shared: Studio, time: float, record: int) -> None:
    """Records are at 50, 100, 200 and 300 mm of grown length."""
    found = in_page(
        shared,
        """const { set } = await import('/store.js');
        const { recordOf } = await import('/panels/growths.js');
        set({ time: given });
        return recordOf({ lengths: [50, 100, 200, 300], joints: [[], [], [], []] });""",
        time,
    )
    assert found == record


def test_a_touch_is_where_the_tube_touches(shared: Studio) -> None:
    """A tube of four segments of 25 mm touches box 2 with its third and fourth segment: 3 N together, the stronger one at 87.5 mm."""
    boxes = [[0, 500, 100, 600], [50, 30, 110, 40]]
    none = {"polygons": [], "circles": [], "walls": [], "ends": "flat"}
    bounds = {"min": [-500, -500], "max": [900, 900], "edge": "open", "stacked": False}
    growth = {"lengths": [100], "joints": [[[25 * k, 0] for k in range(5)]], "forces": [[0, 0, 1, 2]]}
    lines = in_page(
        shared,
        """const { set, state } = await import('/store.js');
        const { touchLines } = await import('/panels/touches.js');
        const before = state.run;
        set({ time: Infinity, run: { content: given.content, tube: { segment_length_mm: 25 } } });
        const lines = touchLines(given.growth).map((line) => line.textContent);
        set({ run: before });
        return lines;""",
        {"growth": growth, "content": {"bounds": bounds, "obstacles": {**none, "boxes": boxes}}},
    )
    assert lines == ["touches box 2 at 0.09 m: 3 N"]


@pytest.mark.parametrize("point", [[0, 0], [123.4, -56.7], [1500, 1000]])
def test_stage_and_drawing_are_inverse(shared: Studio, point: list[float]) -> None:
    """A point of the drawing and its pixel lead back to each other; y points up in the drawing and down on the stage."""
    back, [one, above] = in_page(
        shared,
        """const { toDrawing, toStage } = await import('/view.js');
        return [toDrawing(...toStage(given)), [toStage(given), toStage([given[0], given[1] + 100])]];""",
        point,
    )
    assert back == pytest.approx(point, abs=1e-9)
    assert above[1] < one[1]
    assert above[0] == pytest.approx(one[0])


@pytest.mark.parametrize("degrees", [30, -30, 90, 135, 200, -365])
def test_turns_are_anticlockwise(shared: Studio, degrees: float) -> None:
    """A point about a centre, by a positive angle, goes anticlockwise, as headings in files do."""
    found = in_page(
        shared, "return (await import('/draw/geometry.js')).turnPoint([110, 20], [10, 20], given);", degrees
    )
    angle = math.radians(degrees)
    # The page rounds coordinates to a tenth of a micrometre.
    assert found == pytest.approx([10 + 100 * math.cos(angle), 20 + 100 * math.sin(angle)], abs=0.51e-4)


def test_obstacles_have_the_names_of_the_program(shared: Studio) -> None:
    """Kind and number in the text, in the order boxes, polygons, circles, walls."""
    names = shared.page.evaluate(
        """async () => {
            const { obstacleNames } = await import("/panels/obstacles.js");
            const obstacles = { boxes: [[]], polygons: [[]], circles: [[], []], walls: [[]], ends: "flat", friction: null };
            return obstacleNames({ obstacles });
        }"""
    )
    bare, square = (0.2, 0.1, 0.2, 0.4, 0.0), [(0.1, 0.1), (0.2, 0.1), (0.2, 0.2)]
    circles = [(0.5, 0.5, 0.1), (0.7, 0.5, 0.1)]
    solids = Obstacles([square], circles, [bare], [(0.8, 0.8, 0.9, 0.9)])
    assert names == [solids.name(index) for index in solids.in_file]


# ---- designs that miss the goal ----


def test_a_design_that_misses_is_not_shown_as_if_it_arrived(shared: Studio) -> None:
    """Its line says by how much, its row has a tag, and its tip is crossed out; one that arrives has neither."""
    missing = {**view_of(0), "missed": "ends 34 mm outside the goal"}
    success = {"errors": "workshop", "reached": 5, "trials": 10, "low": 0.2, "high": 0.8, "weakest": None}
    tried = {**missing, "success": success}
    shown = shared.page.evaluate(
        """async (designs) => {
            const { designWords } = await import('/panels/words.js');
            const { designList } = await import('/panels/designs.js');
            const { missedTip } = await import('/panels/tubelayer.js');
            const { set, state } = await import('/store.js');
            const before = { run: state.run, design: state.design, panel: state.panel, growths: state.growths };
            const obstacles = { boxes: [], polygons: [], circles: [], walls: [], ends: 'flat', friction: null };
            const content = { ...state.doc, obstacles };
            const list = designList();
            const found = [];
            for (const design of designs) {
                set({ run: { name: 'tried', designs: [design, { ...design, id: '1' }], front: [], content }, design: 'best' });
                await Promise.resolve();  // subscribers are told then
                found.push([designWords(design), list.querySelector('.tag.bad')?.textContent ?? '', missedTip()]);
            }
            set(before);
            return found;
        }""",
        [view_of(0), missing, tried],
    )
    words = "1 actuator, 200 mm, ends 34 mm outside the goal as planned"
    arrives = "1 actuator, 200 mm, reaches the goal if everything is as planned; no trials yet"
    assert shown[0] == [arrives, "", None]
    assert shown[1] == [words, "ends 34 mm outside the goal", [200, 0]]
    assert shown[2][0].startswith(f"{words}, reaches the goal in 50 %")


# ---- tubes with actuators of several types ----


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
