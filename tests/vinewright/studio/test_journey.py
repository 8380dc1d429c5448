"""From an empty drawing to the files, in a real browser: draw, plan, look, try errors, download; and what may go wrong on the way."""

import io
import json
import signal
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.design.design import Design
from planner.design.design_file import load_design
from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.layout import pattern_of
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_server import workers_of
from tests.vinewright.studio.test_workers import alive
from tests.waiting import wait_until

BENCH = (
    ((500, 0), (600, 350)),
    ((500, 650), (600, 1000)),
    ((900, 200), (1000, 500)),
    ((250, 800), (350, 900)),
    ((1150, 750), (1250, 850)),
)


def draw_bench(studio: Studio) -> None:
    """Draw five blocks."""
    for one, other in BENCH:
        studio.key("b")
        studio.drag(one, other)
    studio.wait_for("state.check && !state.check.problem && state.doc.shapes.length === 5")


def plan(studio: Studio, seconds: float = 4.0, fast: bool = False) -> None:
    """Press Plan."""
    studio.page.click("#tab-plan")
    field = studio.page.locator("#plan-time")
    field.fill(f"{seconds:g}")
    field.press("Tab")
    if fast:
        studio.page.locator("#plan-options summary").click()
        studio.page.locator("#plan-fast").check()
    studio.page.locator("#plan-button").click()


def download(studio: Studio, press: str) -> bytes:
    """Press a button and return the file that it downloads."""
    with studio.page.expect_download() as waiting:
        studio.page.click(press)
    return Path(waiting.value.path()).read_bytes()


@pytest.mark.slow
def test_from_drawing_to_pattern(studio: Studio, tmp_path: Path) -> None:
    """A bench of five blocks is drawn and planned; errors are tried; the DXF of the pack is the pattern of its design."""
    import ezdxf

    draw_bench(studio)
    plan(studio)
    studio.wait_for("state.plan.nodes > 0")
    studio.wait_for("state.run && state.plan.phase === 'done'")
    design = load_design(studio.folder_of_run())
    assert len(design.sections) == studio.state("state.run.designs[0].sections.length")
    words = studio.page.locator("#result").inner_text()
    assert f"{design.actuators} actuator" in words or "no actuator" in words
    assert len(studio.page.locator("#plan-front .point").all()) == studio.state("state.run.front.length")

    studio.page.click("#tab-look")
    studio.wait_for("state.growths.length > 0")
    studio.page.locator("#film-time").fill("300")
    assert studio.state("state.time") == pytest.approx(300, abs=30)

    studio.page.click("#tab-trust")
    slider = studio.page.locator("#error-obstacle_position_mm-slider")
    slider.focus()
    for _ in range(3):
        slider.press("PageUp")
    studio.wait_for("state.trials && !state.trials.busy && state.trials.reached.length > 0")
    reached = studio.state("state.trials.reached")
    assert len(reached) == studio.state("state.trials.lines.length") == studio.state("state.trials.asked")
    assert f"{len(reached)}" in studio.page.locator("#trust-interval").inner_text()

    studio.page.click("#tab-make")
    studio.page.check("#make-limit")
    studio.page.locator("#make-pack").click()
    studio.wait_for("state.pack")
    archive = zipfile.ZipFile(io.BytesIO(download(studio, "#make-download")))
    (name,) = [one for one in archive.namelist() if one.endswith("/design.json")]
    made = tmp_path / "made.json"
    made.write_bytes(archive.read(name))
    (drawing,) = [one for one in archive.namelist() if one.endswith(".dxf")]
    check_dxf(ezdxf.read(io.StringIO(archive.read(drawing).decode())), load_design(made))
    rows = studio.page.locator("#panel-make table").first.locator("tbody tr").count()
    assert rows == len(studio.state("state.pack.cuts")) - 1
    assert download(studio, "#make-png").startswith(b"\x89PNG")
    assert b"<svg" in download(studio, "#make-svg")[:2000]
    folder = zipfile.ZipFile(io.BytesIO(download(studio, "#make-folder")))
    assert (
        json.loads(folder.read(f"{studio.folder_of_run().name}/design.json"))["cost"]["actuators"] == design.actuators
    )


def check_dxf(drawn: Any, design: Design) -> None:
    """A DXF drawing has the lines of the design's pattern, in millimetres, and the body is as long as the tube at least."""
    found = [np.array([point[:2] for point in line.get_points()]) for line in drawn.modelspace().query("LWPOLYLINE")]
    lines = [*pattern_of(Build(design)).lines()]
    expected = [np.array(line.points) for line in lines if line.diameter is None]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    holes = [(one.dxf.center.x, one.dxf.center.y, 2 * one.dxf.radius) for one in drawn.modelspace().query("CIRCLE")]
    round_lines = [(*line.centre, line.diameter) for line in lines if line.diameter is not None]
    np.testing.assert_allclose(holes, np.reshape(round_lines, (-1, 3)), atol=1e-6)
    longest = max(float(np.ptp(line[:, 0])) for line in found)
    assert 1e3 * design.built <= longest < 1e3 * design.built + 500


@pytest.mark.slow
def test_stop_keeps_the_best_and_plan_again(studio: Studio) -> None:
    """Stop in mid-search keeps the best design; the drawing is changed and planned again, into another folder."""
    draw_bench(studio)
    plan(studio, 600)
    studio.wait_for("state.plan.best")
    studio.page.locator("#plan-stop").click()
    studio.wait_for("state.run && state.plan.phase === 'done'")
    assert load_design(studio.folder_of_run()).actuators >= 0
    first = studio.state("state.run.name")
    studio.page.click("#tab-draw")
    studio.key("b")
    studio.drag((700, 40), (760, 100))
    studio.wait_for("state.check && !state.check.problem && state.check.text.includes('760')")
    plan(studio, 2, fast=True)
    studio.wait_for(f"state.run && state.run.name !== '{first}'")


@pytest.mark.slow
def test_reload_in_mid_search(studio: Studio) -> None:
    """A page that is loaded again shows the plan under way, its tree and its best design; a closed page stops nothing."""
    draw_bench(studio)
    plan(studio, 600)
    studio.wait_for("state.plan.best")
    studio.page.reload()
    studio.page.wait_for_selector("body[data-connected]")
    studio.wait_for("state.plan.best && state.doc.shapes.length === 5")
    iterations = studio.state("state.plan.iterations")
    studio.wait_for(f"state.plan.iterations > {iterations}")
    studio.page.close()
    assert studio.running.ask("api/state")["plan"]["phase"] in ("searching", "refining")
    studio.page = studio.open()
    studio.page.click("#tab-plan")
    studio.page.locator("#plan-stop").click()
    studio.wait_for("state.plan.phase === 'done' && state.run")


@pytest.mark.slow
def test_two_tabs(studio: Studio) -> None:
    """The other page, which has a copy of the drawing, cannot start a second plan; it can stop the first one, and does not show it."""
    draw_bench(studio)
    first = studio.page
    studio.page = other = studio.open()
    assert len(studio.shapes()) == 5
    studio.page = first
    plan(studio, 600)
    studio.wait_for("state.plan.best")
    studio.page = other
    other.click("#tab-plan")
    other.locator("#plan-elsewhere").wait_for()
    assert other.locator("#plan-stop").get_attribute("aria-disabled") == "true"
    answer = other.evaluate(
        """async () => {
            const { state } = await import('/store.js');
            const { post } = await import('/api.js');
            const body = { text: state.check.text, tube: state.tube.content, options: {} };
            return post('/api/plan', body).catch((error) => [error.status, error.message]);
        }"""
    )
    assert answer == [409, "a plan is under way: stop it first"]
    other.locator("#plan-elsewhere-stop").click()
    other.locator("#plan-elsewhere").wait_for(state="hidden")
    studio.page = first
    studio.wait_for("state.run && state.plan.phase === 'done'")
    studio.page = other
    assert studio.state("[state.run, state.plan.best]") == [None, None]


@pytest.mark.slow
def test_killed_server_is_told(browser: Any, tmp_path: Path) -> None:
    """When the server is gone the page says so and keeps the drawing, and no process is left."""
    studio = Studio(tmp_path, browser)
    draw_bench(studio)
    children = workers_of(studio.process.pid)
    assert children
    plan(studio, 600)
    studio.wait_for("state.plan.nodes > 0")
    studio.process.send_signal(signal.SIGKILL)
    studio.wait_for("/connection/i.test(state.message) || /stopped/.test(state.message)")
    assert len(studio.shapes()) == 5
    wait_until(lambda: not any(map(alive, children)))
    studio.close()


@pytest.mark.slow
def test_plan_with_the_keyboard(studio: Studio) -> None:
    """An obstacle is placed and a design found and made without a mouse."""
    studio.key("b", "Enter", "ArrowUp", "Escape")
    studio.wait_for("state.check && !state.check.problem && state.doc.shapes.length === 1")
    studio.page.focus("#tab-draw")
    for _ in range(2):
        studio.page.keyboard.press("ArrowRight")
    assert studio.state("state.panel") == "plan"
    for _ in range(20):
        if studio.page.evaluate("document.activeElement.id") == "plan-time":
            break
        studio.page.keyboard.press("Tab")
    studio.page.keyboard.press("Control+a")
    studio.page.keyboard.type("3")
    for _ in range(20):
        if studio.page.evaluate("document.activeElement.id") == "plan-button":
            break
        studio.page.keyboard.press("Tab")
    assert studio.page.evaluate("document.activeElement.id") == "plan-button"
    studio.page.keyboard.press("Enter")
    studio.wait_for("state.run && state.plan.phase === 'done'")
    assert (studio.folder_of_run() / "design.json").exists()


def test_failing_search_shows_its_message(studio: Studio) -> None:
    """An environment without a way to the goal fails with one line, not with a stack."""
    studio.key("b")
    studio.drag((700, 0), (800, 1000))
    studio.wait_for("state.check && !state.check.problem && state.doc.shapes.length === 1")
    plan(studio, 3)
    studio.wait_for("state.plan.phase === 'failed'")
    words = studio.state("state.plan.message")
    assert words
    assert "Traceback" not in words
    assert "\n" not in words
    assert words[:40] in studio.page.locator("#panel-plan").inner_text()


@pytest.mark.slow
def test_run_of_the_command_line(browser: Any, tmp_path: Path) -> None:
    """A run made elsewhere opens with its drawing, designs and trials."""
    import vinewright as vw

    folder = tmp_path / "elsewhere" / "mine"
    vw.plan(vw.load_environment("divider"), seed=1, iterations=8, fast=True).save(folder)
    studio = Studio(tmp_path, browser, [str(folder)])
    try:
        studio.wait_for("state.run && state.run.name === 'mine (elsewhere)'")
        assert studio.state("state.doc.name") == "divider"
        assert studio.state("state.panel") == "plan"
        assert "actuator" in studio.page.locator("#result").inner_text()
        assert studio.page.locator("#plan-fast").is_checked()
        assert studio.page.locator("#plan-seed").input_value() == "1"
    finally:
        studio.close()


def text_of(studio: Studio, selector: str) -> str:
    """The text of an element, also of one that is hidden."""
    return studio.page.locator(selector).text_content() or ""


@pytest.mark.slow
def test_plan_from_every_panel(studio: Studio) -> None:
    """The bar has buttons that plan and stop, as have keys; a button keeps the focus, and Plan never stops."""
    draw_bench(studio)
    assert studio.page.locator("#bar-phase").inner_text() == ""
    studio.key("Control+Enter")
    assert studio.state("state.panel") == "plan"
    studio.wait_for("state.plan.best")
    assert "Searching" in studio.page.locator("#bar-phase").inner_text()
    studio.page.click("#tab-draw")
    studio.page.click("#bar-stop")
    studio.wait_for("state.run && state.plan.phase === 'done'")
    assert studio.state("state.panel") == "draw"
    studio.page.click("#tab-plan")
    studio.page.focus("#plan-button")
    studio.page.keyboard.press("Enter")
    studio.wait_for("state.plan.best")
    studio.page.keyboard.press("Enter")
    studio.page.keyboard.press("Control+Enter")
    studio.page.dblclick("#bar-plan", force=True)
    iterations = studio.state("state.plan.iterations")
    studio.wait_for(f"state.plan.iterations > {iterations} && state.plan.phase === 'searching'")
    studio.page.focus("#plan-stop")
    studio.page.keyboard.press("Enter")
    studio.wait_for("state.plan.phase === 'done'")
    assert studio.page.evaluate("document.activeElement.id") == "plan-stop"


@pytest.mark.slow
def test_nothing_stays_on_another_drawing(studio: Studio) -> None:
    """A new drawing has no run and no picture of the one before, which the recent ones keep; and its name is told."""
    draw_bench(studio)
    plan(studio, 2, fast=True)
    studio.wait_for("state.run && state.plan.phase === 'done'")
    name = studio.state("state.run.name")
    studio.page.evaluate(
        """async () => {
            const canvas = document.createElement("canvas");
            const picture = await new Promise((done) => canvas.toBlob(done));
            await (await import("/draw/background.js")).loadBackground(picture);
        }"""
    )
    source = studio.state("state.background.src")
    studio.page.get_by_role("button", name="New", exact=True).click()
    assert studio.state("[state.run, state.background, state.growths.length]") == [None, None, 0]
    assert studio.page.locator("#message").inner_text() == "bench was not saved: Gallery > Recent has it."
    studio.key("b", "Enter")  # an edit: the message is no longer of interest
    assert text_of(studio, "#message") == ""
    studio.page.get_by_role("button", name="Gallery").click()
    studio.page.get_by_role("group", name="Recent, not saved").locator(".card").first.click()
    assert len(studio.shapes()) == 5
    assert studio.state("state.background.src") == source
    studio.page.click("#tab-plan")
    studio.page.locator(f'[data-run="{name}"]').click()
    studio.wait_for(f"state.run && state.run.name === '{name}'")


@pytest.mark.slow
def test_errors_of_a_plan_go_away(studio: Studio) -> None:
    """A wrong option is told above the run that is shown, which is named; both lines go when the option is right."""
    draw_bench(studio)
    plan(studio, 2, fast=True)
    studio.wait_for("state.run && state.plan.phase === 'done'")
    field = studio.page.locator("#plan-time")
    field.fill("0")
    field.press("Tab")
    studio.page.click("#plan-button")
    assert "options" in studio.page.locator("#plan-reason").inner_text()
    assert (
        studio.page.locator("#plan-earlier").inner_text() == f"Shown: the earlier run {studio.state('state.run.name')}."
    )
    field.fill("2,5")
    field.press("Tab")
    assert field.input_value() == "2.5"
    assert studio.page.locator("#plan-earlier").is_hidden()
    assert text_of(studio, "#plan-reason") == ""


@pytest.mark.slow
def test_failure_goes_away_when_the_drawing_changes(studio: Studio) -> None:
    """The line of a plan that failed is about the drawing as it was."""
    studio.key("b")
    studio.drag((700, 0), (800, 1000))
    studio.page.evaluate(
        """async () => {
            const { edit } = await import("/store.js");
            edit((doc) => ({ ...doc, bounds: { ...doc.bounds, edge: "wall" } }));
        }"""
    )
    studio.wait_for("state.check && !state.check.problem && state.check.text.includes('wall')")
    plan(studio, 3)
    studio.wait_for("state.plan.phase === 'failed'")
    assert "walled in" in studio.page.locator("#plan-phase").inner_text()
    studio.page.click("#tab-draw")
    studio.key("Control+a", "Delete")
    studio.page.click("#tab-plan")
    assert text_of(studio, "#plan-phase") == ""
