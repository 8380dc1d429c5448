"""The tube that is built, in the panel Trust of a real browser: measuring, learning, adapting."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.built.trial import Growth, Trials, design_digest
from planner.built.trials_file import load_trials, save_trials
from planner.design.design import Design
from planner.design.design_file import design_content, load_design
from tests.vinewright.studio.browser import Studio
from tests.waiting import wait_until

OPEN = "async (name) => (await import('/panels/runs.js')).openRun(name)"


def end_of(design: Design) -> list[float]:
    """Where the tip ends as planned [mm]."""
    return [round(1e3 * one, 1) for one in design.tip[:2].tolist()]


@pytest.fixture
def tried(studio: Studio, planned: Path) -> Iterator[Studio]:
    """The panel Trust with a run of two designs; the part of the tube that is built is open."""
    folder = studio.folder / "runs" / "built"
    shutil.copytree(planned, folder)
    design = load_design(folder)
    other = replace(design, sections=design.sections[:-1])
    solutions = {"schema": 1, "solutions": [design_content(one) for one in (design, other)]}
    (folder / "solutions.json").write_text(json.dumps(solutions))
    show(studio)
    yield studio
    for path in (studio.folder / "runs").glob("built*"):
        shutil.rmtree(path, ignore_errors=True)


def show(studio: Studio) -> None:
    """Open the run, and the part of the panel about the tube that is built."""
    studio.page.evaluate(OPEN, "built")
    studio.wait_for("state.run && state.run.name === 'built'")
    studio.page.click("#tab-trust")
    studio.wait_for("state.built && state.built.run === 'built'")
    studio.page.evaluate("() => { document.getElementById('trust-built').open = true; }")


def measure(studio: Studio, *growths: tuple[bool | None, list[float] | None]) -> None:
    """Write growths into the folder of the run, as a command does, and open the run again."""
    folder = studio.folder_of_run()
    made = [
        Growth(reached, None if tip is None else (1e-3 * tip[0], 1e-3 * tip[1]), None, None, None, "")
        for reached, tip in growths
    ]
    save_trials(folder / "trials.toml", Trials(design_digest(load_design(folder)), growths=tuple(made)))
    studio.page.evaluate("async () => (await import('/panels/built.js')).refreshBuilt()")
    studio.wait_for(f"state.built.items.length === {len(made)}")


def text(studio: Studio, place: str) -> str:
    """Return the visible text of an element."""
    return " ".join(studio.page.locator(place).inner_text().split())


def colour_at(studio: Studio, x: float, y: float) -> list[int]:
    """Return the colour of the canvas over the obstacles at a point of the drawing [mm]."""
    found: list[int] = studio.page.evaluate(
        """async ([x, y]) => {
            const { toStage } = await import('/view.js');
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const [left, top] = toStage([x, y]).map((value) => Math.round(value * devicePixelRatio));
            return [...document.getElementById('over').getContext('2d').getImageData(left, top, 1, 1).data];
        }""",
        [x, y],
    )
    return found


# ---- I tried it ----


def test_a_growth_is_added_by_a_click_on_the_drawing(tried: Studio) -> None:
    """The click gives the tip, which is marked there; the growth is in the file of the command, and in the list."""
    page = tried.page
    assert "Nothing was measured of this design yet" in text(tried, "#tried-summary")
    assert page.locator("#tried-items").is_hidden()
    design = load_design(tried.folder_of_run())
    x, y = end_of(design)
    view = tried.state("state.view")
    before = colour_at(tried, x, y)
    page.check('input[name="tried-reached"][value="true"]')
    page.click("#tried-point")
    assert page.locator("#tried-point").get_attribute("aria-pressed") == "true"
    tried.click(x, y)
    assert page.locator("#tried-point").get_attribute("aria-pressed") == "false"
    assert float(page.input_value("#tried-x")) == pytest.approx(x, abs=2)
    page.fill("#tried-length", "500")
    page.fill("#tried-note", "<img src=x>")
    page.click("#tried-add")
    tried.wait_for("state.built.items.length === 1")
    (growth,) = load_trials(tried.folder_of_run() / "trials.toml").growths
    assert growth.reached is True
    assert growth.tip == pytest.approx(design.tip[:2].tolist(), abs=2e-3)
    assert growth.length == pytest.approx(0.5)
    assert growth.note == "<img src=x>"
    assert "1. growth reached" in f"1. {text(tried, '#tried-items')}"
    assert "<img src=x>" in text(tried, "#tried-items")
    assert "One growth says little" in text(tried, "#tried-summary")
    assert [page.input_value(f"#tried-{name}") for name in ("x", "y", "length", "note")] == [""] * 4
    assert page.locator('input[name="tried-reached"]:checked').count() == 0
    assert tried.state("state.view") == view
    assert colour_at(tried, x, y) != before
    page.click("#tab-look")
    tried.wait_for("state.panel === 'look'")
    page.click("#tab-trust")
    page.get_by_role("button", name="Remove growth 1").click()
    tried.wait_for("state.built.items.length === 0")
    assert load_trials(tried.folder_of_run() / "trials.toml").growths == ()


def test_a_bend_and_a_tip_in_inches(tried: Studio) -> None:
    """Lengths are typed in the unit of the page; a bend is that of one section at a pressure."""
    page = tried.page
    x, y = end_of(load_design(tried.folder_of_run()))
    page.evaluate("async () => (await import('/store.js')).set({ unit: 'in' })")
    wait_until(lambda: page.locator(".field:has(#tried-x) .unit").inner_text() == "in")
    page.fill("#tried-x", f"{x / 25.4:.3f}")
    page.fill("#tried-y", f"{y / 25.4:.3f}")
    page.press("#tried-y", "Tab")
    page.click("#tried-add")
    tried.wait_for("state.built.items.length === 1")
    page.click("#tried-bends summary")
    page.fill("#tried-pressure", "10")
    page.fill("#tried-angle", "4")
    page.press("#tried-angle", "Tab")
    page.click("#tried-add-bend")
    tried.wait_for("state.built.items.length === 2")
    trials = load_trials(tried.folder_of_run() / "trials.toml")
    assert trials.growths[0].tip == pytest.approx([1e-3 * x, 1e-3 * y], abs=1e-4)
    assert trials.growths[0].reached is None
    assert (trials.bends[0].section, trials.bends[0].pressure) == (1, pytest.approx(10e3))
    assert "bend actuator 1 at 10 kPa: 4.0 deg, model" in text(tried, "#tried-items")


def test_what_cannot_be_is_said_beside_the_form(tried: Studio) -> None:
    """Nothing said, half a tip, and a miss inside the goal: what was typed stays."""
    page, fault = tried.page, "#tried-fault"
    page.click("#tried-add")
    assert "Say whether it reached the goal" in text(tried, fault)
    page.fill("#tried-x", "100")
    page.press("#tried-x", "Tab")
    page.click("#tried-add")
    assert "Give both x and y" in text(tried, fault)
    x, y = end_of(load_design(tried.folder_of_run()))
    page.check('input[name="tried-reached"][value="false"]')
    for name, value in (("x", x), ("y", y)):
        page.fill(f"#tried-{name}", str(value))
        page.press(f"#tried-{name}", "Tab")
    page.click("#tried-add")
    wait_until(lambda: "inside the goal" in text(tried, fault))
    assert page.input_value("#tried-x") == str(x)
    assert not (tried.folder_of_run() / "trials.toml").exists()


def test_escape_and_another_panel_end_the_pointing(tried: Studio) -> None:
    """A click on the drawing then moves nothing and gives no tip."""
    page = tried.page
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.click("#tab-look")):
        page.click("#tried-point")
        leave()
        page.click("#tab-trust")
        assert page.locator("#tried-point").get_attribute("aria-pressed") == "false"
        tried.click(200, 200)
        assert page.input_value("#tried-x") == ""


def test_a_drag_moves_the_view_while_a_tip_is_asked_for(tried: Studio) -> None:
    """Only a click is an answer."""
    tried.page.click("#tried-point")
    view = tried.state("state.view")
    tried.drag((200, 200), (260, 240))
    assert tried.state("state.view") != view
    assert tried.page.locator("#tried-point").get_attribute("aria-pressed") == "true"
    assert tried.page.input_value("#tried-x") == ""


def test_a_tip_is_tapped(tried: Studio) -> None:
    """A tap of a finger gives the tip, too."""
    page = tried.open(has_touch=True)
    page.evaluate(OPEN, "built")
    page.locator("#tab-trust").tap()
    page.evaluate("() => { document.getElementById('trust-built').open = true; }")
    page.locator("#tried-point").tap()
    page.touchscreen.tap(400, 300)
    wait_until(lambda: page.input_value("#tried-x") != "" != page.input_value("#tried-y"))
    page.context.close()


def test_trials_of_another_design_are_named(tried: Studio) -> None:
    """The form is hidden there, and a button leads to the design that was measured."""
    page = tried.page
    measure(tried, (True, None))
    page.evaluate("async () => (await import('/panels/designs.js')).chooseDesign('2')")
    wait_until(lambda: page.locator("#tried-elsewhere").is_visible())
    assert "is of another design: Design to make" in text(tried, "#tried-elsewhere")
    assert page.locator("#tried-form").is_hidden()
    assert page.locator("#tried-items").is_hidden()
    assert page.locator("#learn-go").get_attribute("aria-disabled") == "true"
    page.click("#tried-other")
    tried.wait_for("state.design === 'best'")
    assert page.locator("#tried-form").is_visible()
    assert page.locator("#tried-items li").count() == 1
    (tried.folder_of_run() / "trials.toml").write_text("schema = [")
    page.evaluate("async () => (await import('/panels/built.js')).refreshBuilt()")
    tried.wait_for("state.built.problem")
    assert "cannot be used" in text(tried, "#tried-elsewhere")
    assert page.locator("#tried-form").is_hidden()


def test_other_pages_follow(tried: Studio) -> None:
    """A growth that is added in one page is in the list of another one that shows the run."""
    other = tried.open()
    other.evaluate(OPEN, "built")
    built = "async () => (await import('/store.js')).state.built?.items.length"
    wait_until(lambda: other.evaluate(built) == 0)
    tried.page.check('input[name="tried-reached"][value="true"]')
    tried.page.click("#tried-add")
    wait_until(lambda: other.evaluate(built) == 1)
    other.context.close()


# ---- learn and adapt ----


def weak_growths(studio: Studio) -> list[tuple[bool | None, list[float] | None]]:
    """Growths that ended below the goal, whose radius is 60 mm at most."""
    x, y = end_of(load_design(studio.folder_of_run()))
    return [(False, [x + dx, y - 75 + dy]) for dx, dy in ((5, 0), (0, -4), (3, 3))]


def test_what_is_learnt_is_shown_and_can_be_used(tried: Studio) -> None:
    """Success as promised and as learnt, errors before and now, posteriors beside the sliders; trials use them when accepted."""
    page = tried.page
    assert page.locator("#learn-go").get_attribute("aria-disabled") == "true"
    assert "Add a growth or a bend first" in text(tried, "#learn-line")
    assert page.locator("#learn-use").is_hidden()
    measure(tried, *weak_growths(tried))
    page.select_option("#trust-preset", "field")
    page.click("#learn-go")
    tried.wait_for("state.learning && !state.learning.busy && state.built.learnt")
    folder = tried.folder_of_run()
    assert (folder / "uncertainty.toml").is_file()
    assert (folder / "learnt.png").is_file()
    result = tried.state("state.learning.result")
    assert result["now"]["mean"] < result["before"]["mean"]
    shown = text(tried, "#learn-result")
    for name in ("Success promised", "Success as learnt"):
        assert f"{name} " in shown
    assert page.locator("#learn-result table tbody tr").count() == len(result["rows"]) > 0
    learnt = tried.state("state.built.learnt.errors")
    assert learnt
    for one in learnt:
        beside = page.locator(f'[data-error="{one["slider"]}"] .learnt')
        assert f"{one['error']}: " in (beside.text_content() or "")
        assert " ± " in (beside.text_content() or "")
    page.check("#learn-use")
    tried.wait_for("state.trials && !state.trials.busy && state.trials.success?.errors.endsWith(' and learnt')")
    assert "used" in (page.locator(f'[data-error="{learnt[0]["slider"]}"] .learnt').text_content() or "")
    with_learnt = tried.state("state.trials.success.reached")
    page.uncheck("#learn-use")
    tried.wait_for("state.trials && !state.trials.busy && !state.trials.success.errors.endsWith('learnt')")
    assert tried.state("state.trials.success.reached") > with_learnt
    assert page.locator("#learn-older").is_hidden()
    page.check('input[name="tried-reached"][value="false"]')
    page.click("#tried-add")
    tried.wait_for("state.built.items.length === 4 && state.built.learnt.older")
    assert "learn again" in text(tried, "#learn-older")
    page.click("#tab-plan")
    page.check("#plan-learnt")
    asked = page.evaluate("async () => (await import('/panels/beginning.js')).beginsWith()")
    assert asked == {"begin": None, "learnt": tried.state("state.run.name")}
    page.reload()
    page.wait_for_selector("body[data-connected]")
    tried.wait_for("state.learning && state.learning.result && state.run")


def test_learning_can_be_stopped(tried: Studio) -> None:
    """The page says so, and nothing is written; it can be started again."""
    page = tried.page
    measure(tried, *weak_growths(tried))
    page.click("#learn-go")
    wait_until(lambda: text(tried, "#learn-go") != "Learn from what was measured")
    page.click("#learn-go")
    tried.wait_for("state.learning && !state.learning.busy")
    if not tried.state("state.learning.stopped"):  # it had ended before
        return
    assert "Stopped: nothing was learnt" in text(tried, "#learn-line")
    assert not (tried.folder_of_run() / "uncertainty.toml").exists()
    assert text(tried, "#learn-go") == "Learn from what was measured"


def test_a_proposal_is_chosen_drawn_and_saved(tried: Studio) -> None:
    """Proposals come one by one; the chosen one has its pressures and its tube on the drawing; Save writes the folder of the command."""
    page = tried.page
    assert "Nothing was measured: changes are then sought" in text(tried, "#adapt-line")
    measure(tried, *weak_growths(tried))
    page.select_option("#trust-preset", "field")
    page.click("#adapt-options summary")
    for name, value in (("seconds", 4), ("success", 100)):
        page.fill(f"#adapt-{name}", str(value))
        page.press(f"#adapt-{name}", "Tab")
    page.click("#adapt-go")
    tried.wait_for("state.adapting && state.adapting.busy && state.adapting.proposals.length > 0")
    tried.wait_for("!state.adapting.busy")
    proposals = tried.state("state.adapting.proposals")
    rows = page.locator("#adapt-proposals label")
    assert rows.count() == len(proposals) > 1
    assert "As it is" in rows.nth(0).inner_text()
    assert proposals[1]["to_do"][0] in rows.nth(1).inner_text()
    page.check('#adapt-proposals input[value="0"]')
    assert page.locator("#adapt-save").is_hidden()
    page.check('#adapt-proposals input[value="1"]')
    tried.wait_for("state.adapting.chosen === 1")
    (old, new), *_ = proposals[1]["pressures"]
    cells = page.locator("#adapt-pressures tbody tr").first.locator("td").all_inner_texts()
    assert [float(cell) for cell in cells[2:]] == pytest.approx([old, new], rel=1e-3)
    drawn: list[Any] = page.evaluate(
        "async () => (await import('/panels/builtlayer.js')).drawnProposal().design.line.at(-1)"
    )
    assert drawn == proposals[1]["design"]["line"][-1]
    page.click("#adapt-save")
    tried.wait_for("state.adapting.kept")
    assert "Saved as built-adapted" in text(tried, "#adapt-kept")
    out = tried.folder / "runs" / "built-adapted"
    assert {path.name for path in out.iterdir()} == {"adapted.json", "adapted.png", "design.json", "environment.toml"}
    assert load_design(out).actuated[0].pressure == pytest.approx(1e3 * new, rel=1e-3)


def test_a_search_is_stopped_or_lost(tried: Studio) -> None:
    """Stop keeps what was found; a process that is killed is said, and the search can be made again."""
    page = tried.page
    measure(tried, *weak_growths(tried))
    page.select_option("#trust-preset", "field")
    page.click("#adapt-options summary")
    for name, value in (("seconds", 600), ("success", 100)):
        page.fill(f"#adapt-{name}", str(value))
        page.press(f"#adapt-{name}", "Tab")
    page.click("#adapt-go")
    tried.wait_for("state.adapting && state.adapting.proposals.length > 0")
    page.click("#adapt-go")
    tried.wait_for("!state.adapting.busy")
    assert tried.state("state.adapting.stopped")
    assert "costlier changes were not tried" in text(tried, "#adapt-line")
    assert text(tried, "#adapt-go") == "Search again"


def processes_of(studio: Studio) -> set[int]:
    """Return the processes of a studio, whichever of its threads started them."""
    tasks = Path(f"/proc/{studio.process.pid}/task").iterdir()
    return {int(one) for task in tasks for one in (task / "children").read_text().split()}


@pytest.mark.slow
def test_a_process_that_is_killed_is_told(browser: Any, planned: Path, tmp_path: Path) -> None:
    """The page says why the search ended, keeps what was found, and can search again in a new process."""
    shutil.copytree(planned, tmp_path / "runs" / "built")
    studio = Studio(tmp_path, browser)
    before = processes_of(studio)
    show(studio)
    measure(studio, *weak_growths(studio))
    studio.page.click("#adapt-go")
    studio.wait_for("state.adapting && state.adapting.busy")
    (worker,) = processes_of(studio) - before
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: "was killed" in text(studio, "#adapt-fault"))
    assert text(studio, "#adapt-go").startswith("Search")
    studio.page.click("#adapt-options summary")
    studio.page.fill("#adapt-seconds", "1")
    studio.page.press("#adapt-seconds", "Tab")
    studio.page.click("#adapt-go")
    studio.wait_for("state.adapting && !state.adapting.busy && state.adapting.proposals.length > 0")
    assert studio.page.locator("#adapt-fault").is_hidden()
    studio.close()
