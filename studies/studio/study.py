"""Pictures of all views of the studio, and the time of what people wait for: opening it, and changes of many objects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.studio.browser import PATIENCE, Screen, open_page, start_browser, start_studio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ENVIRONMENT = "divider"
"""The environment that is planned in."""
PLAN_SECONDS = 20
"""Time budget of its plan [s]."""
OBJECTS = 1000
"""Number of obstacles that are dragged and turned at once."""
BRANCHES = 30_000
"""Number of branches of the search tree that is panned."""
FRAMES = 40
"""Number of steps of a drag, a turn or a pan."""
VIEWS = {
    "draw-light": "the drawing, with what is selected",
    "draw-dark": "the same in the dark theme",
    "search-dark": "a search under way",
    "plan-light": "the plan",
    "look-light": "the growth of its design",
    "trust-light": "trials of it under errors, and what decides them",
    "make-light": "the files to make it",
    "phone-look": "the growth on a phone",
    "tablet-trust": "trials on a tablet",
}
"""Pictures, by the names of their files, with what they show."""


@dataclass(frozen=True)
class StudioRecord:
    """Times and pictures of one case."""

    case: str
    seconds: dict[str, float]
    """Times by what was done [s]."""
    pictures: dict[str, bytes] = field(default_factory=dict)
    """Pictures by the names of their files (PNG)."""

    def content(self) -> dict[str, Any]:
        """Return what the file of data has."""
        return {"case": self.case, "seconds": self.seconds, "pictures": sorted(self.pictures)}

    def __str__(self) -> str:
        return f"{self.case}: {', '.join(f'{what} {seconds:.3g} s' for what, seconds in self.seconds.items())}"


def run_cases(cases: Sequence[str]) -> Iterator[StudioRecord]:
    """Run cases, by their names in `CASES`."""
    with start_browser() as browser:
        for case in cases:
            yield CASES[case](browser)


# ---- opening ----


def measure_opening(browser: Browser) -> StudioRecord:
    """Measure how long it takes from the command to the first words on the page, and to the editor."""
    with start_studio() as studio:
        page = open_page(browser, Screen())
        began = time.perf_counter()
        page.goto(studio.address, wait_until="commit")
        wait_until(page, "document.body && document.body.innerText.trim().length > 20")
        first = time.perf_counter() - began
        page.wait_for_selector("body[data-connected]")
        ready = time.perf_counter() - began
        page.context.close()
    return StudioRecord(
        "opening", {"address printed": studio.seconds, "first words on the page": first, "editor ready": ready}
    )


# ---- many objects ----

FRAME = "const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
"""A function of the page that waits until a frame has been painted."""
FILL = """async (count) => {
    const [{ edit, set }, { addShapes, newShape }] = await Promise.all([import('/store.js'), import('/draw/shapes.js')]);
    const made = Array.from({ length: count }, (_, k) => {
        const [x, y] = [300 + 25 * (k % 40), 50 + 35 * Math.floor(k / 40)];
        if (k % 4 === 0) return newShape('box', [x, y, x + 15, y + 12]);
        if (k % 4 === 1) return newShape('circle', [x + 6, y + 6, 6]);
        if (k % 4 === 2) return newShape('wall', [x, y, x + 15, y + 10, 3]);
        return newShape('polygon', [], [[x, y], [x + 14, y], [x + 7, y + 12]]);
    });
    edit((doc) => addShapes(doc, made));
    set({ selection: new Set(made.map(({ id }) => id)) });
}"""
TURN = f"""async (count) => {{
    {FRAME}
    const {{ turnSelected }} = await import('/draw/actions.js');
    const times = [];
    for (let k = 0; k < count; k += 1) {{
        const began = performance.now();
        turnSelected(5);
        await frame();
        times.push(performance.now() - began);
    }}
    return times;
}}"""
DRAG = f"""async (count) => {{
    {FRAME}
    const stage = document.getElementById('stage');
    stage.setPointerCapture = () => {{}};
    const {{ toStage }} = await import('/view.js');
    const {{ left, top }} = stage.getBoundingClientRect();
    const [x, y] = toStage([306, 56]);
    const send = (type, k) => stage.dispatchEvent(new PointerEvent(type, {{
        bubbles: true, pointerId: 1, button: 0, buttons: 1, clientX: left + x + 2 * k, clientY: top + y - k,
    }}));
    const times = [];
    send('pointerdown', 0);
    for (let k = 1; k <= count; k += 1) {{
        const began = performance.now();
        send('pointermove', k);
        await frame();
        times.push(performance.now() - began);
    }}
    send('pointerup', count);
    return times;
}}"""
PAN = f"""async ([branches, count]) => {{
    {FRAME}
    const [{{ set, state }}, {{ changeTree }}] = await Promise.all([import('/store.js'), import('/panels/treelayer.js')]);
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const add = Array.from({{ length: branches }}, (_, slot) => {{
        let [x, y, angle] = [1500 + 12000 * random(), 10000 * random(), 6.28 * random()];
        const line = [x, y];
        for (let k = 0; k < 6; k += 1) {{
            angle += random() - 0.5;
            [x, y] = [x + 200 * Math.cos(angle), y + 200 * Math.sin(angle)];
            line.push(Math.round(x), Math.round(y));
        }}
        return [slot, slot % 10 ? 0 : 1, line];
    }});
    set({{ panel: 'plan' }});
    changeTree({{ reset: true, drop: [], add }});
    for (let k = 0; k < 10; k += 1) await frame();
    const times = [];
    for (let k = 0; k < count; k += 1) {{
        const began = performance.now();
        set({{ view: {{ ...state.view, x: state.view.x + 5 }} }});
        await frame();
        times.push(performance.now() - began);
    }}
    return times;
}}"""


def measure_many(browser: Browser) -> StudioRecord:
    """Measure the time of a frame while many obstacles are dragged and turned, and a large search tree is panned."""
    found: dict[str, float] = {}
    with start_studio() as studio:
        page = open_studio(browser, studio.address, Screen())
        page.evaluate(FILL, OBJECTS)
        page.wait_for_timeout(3000)  # the check of the drawing is over
        for what, script, given in (
            (f"drag {OBJECTS} objects", DRAG, FRAMES),
            (f"turn {OBJECTS} objects", TURN, FRAMES),
            (f"pan {BRANCHES} branches", PAN, [BRANCHES, FRAMES]),
        ):
            times = 1e-3 * np.array(page.evaluate(script, given))
            found[f"{what}, median frame"], found[f"{what}, longest frame"] = (
                float(np.median(times)),
                float(times.max()),
            )
        page.context.close()
    return StudioRecord("many objects", found)


# ---- views ----


def take_views(browser: Browser) -> StudioRecord:
    """Plan, look, try and make, with a picture of each view."""
    pictures: dict[str, bytes] = {}
    with start_studio(ENVIRONMENT) as studio:
        page = open_studio(browser, studio.address, Screen())
        set_state(page, "selection: new Set([state.doc.shapes[0].id])")
        pictures["draw-light"] = take(page)
        page.emulate_media(color_scheme="dark")
        pictures["draw-dark"] = take(page)
        began = time.perf_counter()
        set_state(page, "panel: 'plan', selection: new Set()")
        page.locator("#plan-time").fill(str(PLAN_SECONDS))
        page.locator("#plan-time").blur()
        page.locator("#plan-button").click()
        wait_for(page, "state.plan.phase === 'searching' && state.plan.nodes > 300")
        pictures["search-dark"] = take(page)
        page.emulate_media(color_scheme="light")
        wait_for(page, "state.plan.phase === 'done' && state.run")
        planned = time.perf_counter() - began
        pictures["plan-light"] = take(page)
        set_state(page, "panel: 'look'")
        wait_for(page, "state.growths.length")
        pictures["look-light"] = take(page)
        set_state(page, "panel: 'trust'")
        page.locator("#trust-go").click()
        wait_for(page, "state.trials && state.trials.reached.length === state.trials.asked")
        page.wait_for_timeout(1000)
        pictures["trust-light"] = take(page)
        set_state(page, "panel: 'make'")
        page.get_by_role("button", name="Make the pack").click()
        wait_for(page, "state.pack")
        pictures["make-light"] = take(page)
        page.context.close()
        pictures |= take_small(browser, studio.address)
    return StudioRecord("views", {"plan": planned}, pictures)


def take_small(browser: Browser, address: str) -> dict[str, bytes]:
    """Take pictures of the last run on a phone and on a tablet."""
    pictures = {}
    for name, panel, screen in (
        ("phone-look", "look", Screen(390, 844, touch=True)),
        ("tablet-trust", "trust", Screen(820, 1180, touch=True)),
    ):
        page = open_studio(browser, address, screen)
        wait_for(page, "state.run")
        set_state(page, f"panel: '{panel}'")
        wait_for(page, "state.growths.length" if panel == "look" else "true")
        pictures[name] = take(page)
        page.context.close()
    return pictures


def open_studio(browser: Browser, address: str, screen: Screen) -> Page:
    """Open the studio and wait until its editor is ready."""
    page = open_page(browser, screen)
    page.goto(address)
    page.wait_for_selector("body[data-connected]")
    return page


def set_state(page: Page, changes: str) -> None:
    """Set parts of the page's state, given as in an object of JavaScript."""
    page.evaluate(f"async () => {{ const {{ set, state }} = await import('/store.js'); set({{ {changes} }}); }}")


def wait_for(page: Page, expression: str) -> None:
    """Wait until an expression of the page's state is true."""
    wait_until(page, f"import('/store.js').then(({{ state }}) => Boolean({expression}))")


def wait_until(page: Page, expression: str) -> None:
    """Wait until an expression is true; the page forbids what Playwright has for it, evaluation of text within the page.

    Raises:
        TimeoutError: It does not become true.
    """
    until = time.monotonic() + PATIENCE
    while not page.evaluate(f"() => {expression}"):
        if time.monotonic() > until:
            raise TimeoutError(f"the page of the studio did not come to {expression}")
        time.sleep(0.01)


def take(page: Page) -> bytes:
    """Take a picture of a page once it is painted."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(800)
    return page.screenshot()


CASES: dict[str, Callable[[Browser], StudioRecord]] = {
    "opening": measure_opening,
    "many objects": measure_many,
    "views": take_views,
}
"""Functions of the cases, by their names."""
