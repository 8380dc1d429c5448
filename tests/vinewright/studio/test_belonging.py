"""Runs and plans belong to a drawing, and a page that is loaded again goes on with all that does, in a real browser."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_never_lost import restart
from tests.waiting import wait_until

PICTURE = """async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 200 });
    const picture = await new Promise((done) => canvas.toBlob(done));
    await (await import("/draw/background.js")).loadBackground(picture);
}"""
"""Loads a picture of 300 by 200 pixels beneath the drawing."""


def reload(studio: Studio) -> None:
    """Load the page again."""
    studio.page.reload()
    studio.page.wait_for_selector("body[data-connected]")


def place(studio: Studio) -> Any:
    """Return where the picture is, how large and how faint; None without one."""
    return studio.state(
        "state.background && [state.background.x, state.background.y, state.background.scale, state.background.opacity]"
    )


def change(studio: Studio, changes: dict[str, float]) -> None:
    """Change the picture as its fields do."""
    script = "async (changes) => (await import('/draw/background.js')).changeBackground(changes)"
    studio.page.evaluate(script, changes)


def draw_box(studio: Studio, x: float = 400) -> None:
    """Draw a box, and wait until the server has it."""
    studio.key("b")
    studio.drag((x, 300), (x + 100, 700))
    studio.read_content()


# ---- the picture beneath the drawing ----


def test_undo_takes_back_pictures_and_edits_in_turn(editor: Studio) -> None:
    """Adding, moving, scaling and removing a picture are steps of the same history as edits of the drawing."""
    draw_box(editor)
    editor.page.evaluate(PICTURE)
    added = place(editor)
    editor.drag((700, 500), (800, 600))
    moved = place(editor)
    assert moved[:2] != added[:2]
    draw_box(editor, 600)
    editor.page.evaluate("async () => (await import('/draw/background.js')).scaleBackground(2, [0, 0])")
    scaled = place(editor)
    assert scaled[2] == 2 * added[2]
    editor.page.evaluate("async () => (await import('/draw/background.js')).removeBackground()")
    expected = [(scaled, 2), (moved, 2), (moved, 1), (added, 1), (None, 1), (None, 0)]
    for one in expected:
        editor.key("Control+z")
        assert (place(editor), len(editor.shapes())) == one
    for one in [*expected[-2::-1], (None, 2)]:
        editor.key("Control+Shift+z")
        assert (place(editor), len(editor.shapes())) == one


def test_a_cancelled_drag_of_a_picture_leaves_no_step(editor: Studio) -> None:
    """Escape in mid-drag puts the picture back, as if it had not been dragged."""
    editor.page.evaluate(PICTURE)
    before = place(editor)
    editor.page.mouse.move(*editor.at(700, 500))
    editor.page.mouse.down()
    editor.page.mouse.move(*editor.at(800, 600), steps=4)
    assert place(editor) != before
    editor.page.keyboard.press("Escape")
    editor.page.mouse.up()
    assert place(editor) == before
    editor.key("Control+z")
    assert place(editor) is None


def test_reload_keeps_the_picture_and_its_steps(editor: Studio) -> None:
    """Scale, position and opacity are as before; undo takes back what was done to it before, and what was removed is there again."""
    editor.page.evaluate(PICTURE)
    change(editor, {"x": 120, "y": 80, "scale": 2.5, "opacity": 0.3})
    key = editor.state("state.background.key")
    reload(editor)
    assert place(editor) == [120, 80, 2.5, 0.3]
    assert editor.state("state.background.key") == key
    size = "(async () => { const i = new Image(); i.src = state.background.src; await i.decode(); return i.naturalWidth; })()"
    assert editor.state(f"await {size}") == 300
    editor.page.evaluate("async () => (await import('/draw/background.js')).removeBackground()")
    reload(editor)
    assert place(editor) is None
    editor.key("Control+z")
    assert place(editor) == [120, 80, 2.5, 0.3]
    assert editor.state(f"await {size}") == 300
    editor.key("Control+z")
    assert place(editor)[0] != 120


def test_a_picture_that_is_not_kept_is_told_of(editor: Studio) -> None:
    """A file in place of the folder stands for a disk that takes nothing: the picture is shown, and lost with the page."""
    folder = Path(os.environ["XDG_DATA_HOME"]) / "vinewright" / "drawings" / "background-pictures"
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    try:
        editor.page.evaluate(PICTURE)
        editor.wait_for("state.message.startsWith('the picture is not kept on disk: ')")
        assert place(editor) is not None
        reload(editor)
        assert place(editor) is None
    finally:
        folder.unlink()


# ---- plans and runs ----

TELL = """async (changes) => {
    const { IDLE } = await import("/store.js");
    (await import("/panels/ownplan.js")).notePlan({ ...IDLE, ...changes });
}"""
"""Tells the page of a plan, as the server does."""


def test_the_plan_of_another_drawing_is_only_told_of(editor: Studio) -> None:
    """Its progress, best design, tree and run are not shown; it can be stopped; the own drawing's plan is shown as ever."""
    own = editor.state("state.id")
    editor.page.click("#tab-plan")
    other = {"phase": "searching", "iterations": 40, "drawing": "anotherdrawing1", "name": "kitchen"}
    editor.page.evaluate(TELL, other)
    editor.page.locator("#plan-elsewhere").wait_for()
    assert "another drawing, kitchen, is under way" in editor.page.locator("#plan-elsewhere").inner_text()
    assert editor.page.locator("#plan-button").inner_text() == "Plan"
    assert editor.page.locator("#plan-button").get_attribute("aria-disabled") == "true"
    assert editor.page.locator("#bar-plan").get_attribute("title") == "A plan of another drawing is under way."
    assert "iteration" not in editor.page.locator("#panel-plan").inner_text()
    with editor.page.expect_response("**/api/stop"):
        editor.page.click("#plan-elsewhere-stop")
    editor.page.evaluate(TELL, {**other, "phase": "done", "run": "kitchen"})
    editor.page.locator("#plan-elsewhere").wait_for(state="hidden")
    assert editor.state("[state.run, state.plan.phase, state.message]") == [None, "idle", ""]
    editor.page.evaluate(TELL, {**other, "drawing": own})
    editor.page.locator("#plan-facts").wait_for()
    assert editor.page.locator("#plan-stop").get_attribute("aria-disabled") == "false"
    # Another drawing in this page: the plan goes on, and is shown again with its drawing.
    draw_box(editor)
    editor.page.get_by_role("button", name="New", exact=True).click()
    editor.page.click("#tab-plan")
    editor.page.locator("#plan-elsewhere").wait_for()
    editor.page.get_by_role("button", name="Gallery").click()
    editor.page.get_by_role("group", name="Recent, not saved").locator(".card").first.click()
    editor.page.click("#tab-plan")
    editor.page.locator("#plan-facts").wait_for()
    assert editor.page.locator("#plan-elsewhere").is_hidden()
    editor.page.evaluate(TELL, {})


def test_two_drawings_in_two_tabs(studio: Studio) -> None:
    """The run of one is not shown with the other, nor in a new tab; each tab goes on with its own when it is loaded again."""
    draw_box(studio)
    first = studio.page
    second = studio.open()
    studio.page = first
    start_plan(studio)
    studio.page = second
    second.locator("#tab-plan").click()
    second.locator("#plan-elsewhere").wait_for()
    studio.page = first
    studio.wait_for("state.run && state.plan.phase === 'done'")
    name = studio.state("state.run.name")
    studio.page = second
    second.locator(f'[data-run="{name}"]').wait_for()
    assert studio.state("[state.run, state.plan.phase]") == [None, "idle"]
    studio.page = studio.open()
    assert studio.state("state.run") is None
    for page, wanted in ((second, None), (first, name)):
        studio.page = page
        with page.expect_response("**/api/check"):
            reload(studio)
        assert studio.state("state.run?.name ?? null") == wanted
    assert studio.state("[state.plan.phase, state.panel]") == ["done", "plan"]


def test_a_plan_that_ends_elsewhere_waits_for_its_drawing(studio: Studio) -> None:
    """Its run is shown when its drawing is opened again in the same page, and no sooner."""
    draw_box(studio)
    start_plan(studio)
    studio.wait_for("state.plan.nodes > 0")
    studio.page.get_by_role("button", name="New", exact=True).click()
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-elsewhere").wait_for()
    studio.page.locator("#plan-elsewhere").wait_for(state="hidden")
    assert studio.state("[state.run, state.plan.phase]") == [None, "idle"]
    studio.page.get_by_role("button", name="Gallery").click()
    studio.page.get_by_role("group", name="Recent, not saved").locator(".card").first.click()
    studio.wait_for("state.run && state.plan.phase === 'done' && state.plan.run === state.run.name")


def start_plan(studio: Studio) -> None:
    """Start a short plan."""
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-options details").evaluate("one => { one.open = true; }")
    studio.page.locator("#plan-fast").check()
    studio.page.locator("#plan-time").fill("2")
    studio.page.locator("#plan-time").press("Tab")
    studio.page.locator("#plan-button").click()
    wait_until(lambda: studio.state("state.plan.phase !== 'idle'") or studio.page.locator("#plan-reason").is_visible())
    assert studio.page.locator("#plan-reason").is_hidden(), studio.page.locator("#plan-reason").inner_text()


# ---- options ----

OPTIONS = {"plan-time": "12.5", "plan-success": "75", "plan-errors": "lasercut", "plan-seed": "7", "plan-fast": True}
"""Values of fields of the panel."""


def choose_options(studio: Studio) -> None:
    """Set the options in the panel."""
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-options details").evaluate("one => { one.open = true; }")
    for name in ("plan-time", "plan-success", "plan-seed"):
        studio.page.locator(f"#{name}").fill(str(OPTIONS[name]))
        studio.page.locator(f"#{name}").press("Tab")
    studio.page.locator("#plan-errors").select_option(OPTIONS["plan-errors"])
    studio.page.locator("#plan-fast").check()


def options_in(studio: Studio) -> dict[str, Any]:
    """Return the options in the panel."""
    script = (
        "names => Object.fromEntries(names.map((id) => [id, document.getElementById(id)])"
        ".map(([id, one]) => [id, one.type === 'checkbox' ? one.checked : one.value]))"
    )
    found: dict[str, Any] = studio.page.evaluate(script, [*OPTIONS])
    return found


def test_reload_keeps_the_options_of_plans(studio: Studio) -> None:
    """Every option is as it was chosen."""
    choose_options(studio)
    before = studio.page.evaluate("async () => (await import('/panels/options.js')).planOptions()")
    reload(studio)
    assert options_in(studio) == OPTIONS
    assert studio.page.evaluate("async () => (await import('/panels/options.js')).planOptions()") == before


# ---- a studio of its own: it closes all pages ----


def test_a_later_studio_has_the_run_of_a_page_that_was_closed(
    browser: Any, tmp_path: Path, small_environment: Any
) -> None:
    """The plan ends while no page is open; the next studio with the same file shows it, with its options."""
    file = tmp_path / "bench.toml"
    file.write_text(small_environment("[[250, 0, 300, 150]]").replace("[500, 230]", "[500, 320]"))
    studio = Studio(tmp_path, browser, ["bench.toml"])
    try:
        with studio.page.expect_response("**/api/check"):
            choose_options(studio)
        # A search only has no trials, and no errors.
        studio.page.fill("#plan-success", "")
        studio.page.press("#plan-success", "Tab")
        studio.page.select_option("#plan-errors", "")
        start_plan(studio)
        studio.wait_for("state.plan.nodes > 0")
        name = studio.state("state.plan.name")
        studio.page.context.close()
        wait_until((tmp_path / "runs" / name / "run.json").is_file)
        wait_until(lambda: studio.running.ask("api/state")["plan"]["phase"] == "done")
        restart(studio, tmp_path, "bench.toml")
        studio.page = studio.open()
        assert studio.state("[state.run?.name, state.message]") == [name, ""]
        assert options_in(studio)["plan-seed"] == "7"
        restart(studio, tmp_path)
        studio.page.context.close()
        studio.page = studio.open()
        assert studio.state("state.run") is None
    finally:
        studio.close()


def test_a_later_studio_has_picture_and_options(browser: Any, tmp_path: Path) -> None:
    """All of it is on disk beside the drawing, also beneath an empty drawing; a picture that was removed from the disk is told of."""
    studio = Studio(tmp_path, browser)
    try:
        studio.page.evaluate(PICTURE)
        change(studio, {"x": 120, "y": 80, "scale": 2.5, "opacity": 0.3})
        choose_options(studio)
        with studio.page.expect_response("**/api/check"):
            change(studio, {"x": 130})
        restart(studio, tmp_path)
        studio.page.context.close()
        studio.page = studio.open()
        assert place(studio) == [130, 80, 2.5, 0.3]
        assert options_in(studio) == OPTIONS
        # The gallery has it for another drawing of the same page.
        studio.page.get_by_role("button", name="New", exact=True).click()
        draw_box(studio)
        assert place(studio) is None
        reload(studio)
        studio.page.locator("#file-actions").get_by_text("Gallery").click()
        studio.page.get_by_text("Kept on this computer").wait_for()
        studio.page.get_by_role("group", name="Kept on this computer").locator(".card").first.click()
        studio.wait_for("state.background")
        assert place(studio) == [130, 80, 2.5, 0.3]
        shutil.rmtree(Path(os.environ["XDG_DATA_HOME"]) / "vinewright" / "drawings" / "background-pictures")
        reload(studio)
        assert place(studio) is None
        assert studio.state("state.message") == "The picture beneath this drawing is not kept any more."
    finally:
        studio.close()


def test_a_duplicated_tab_is_a_drawing_of_its_own(studio: Studio) -> None:
    """A browser copies what a tab keeps; the copy gets an id of its own, and a page that is loaded again keeps its id."""
    draw_box(studio)
    own = studio.state("state.id")
    studio.page.evaluate("async () => (await import('/draw/keeping.js')).keepAll()")
    kept = studio.page.evaluate("() => ({ ...sessionStorage })")
    tab = studio.page.context.new_page()
    tab.add_init_script(
        f"if (!sessionStorage.length) for (const [key, value] of Object.entries({json.dumps(kept)})) sessionStorage.setItem(key, value);"
    )
    tab.goto(studio.running.base + "#" + studio.running.token)
    tab.wait_for_selector("body[data-connected]")
    script = "async () => { const { state } = await import('/store.js'); return [state.id, state.doc.shapes.length]; }"
    wait_until(lambda: tab.evaluate(script)[0] != own)
    assert tab.evaluate(script)[1] == 1
    assert studio.state("state.id") == own
    copied = tab.evaluate(script)[0]
    for page, expected in ((tab, copied), (studio.page, own)):
        page.reload()
        page.wait_for_selector("body[data-connected]")
        page.wait_for_timeout(1500)  # longer than a drawing is waited for
        assert page.evaluate(script)[0] == expected
    tab.close()
