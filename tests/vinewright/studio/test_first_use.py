"""Walks of a person who has never seen the studio: what buttons promise, what stays invisible, and what a full disk says."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from planner.design.estimate import Success
from planner.fabrication.assembly.success import PackSuccess
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_belonging import PICTURE, place
from tests.vinewright.studio.test_explained import SHOW, success_of
from tests.vinewright.studio.test_modules import view_of
from tests.waiting import wait_until
from vinewright.studio.jobs import in_words_of_panels
from vinewright.studio.session import OpenedFile, StudioSession


def test_undo_buttons_follow_the_picture(editor: Studio) -> None:
    """A picture that is added and removed is taken back with the buttons, too, not only with the keys."""
    undo, redo = (editor.page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    assert undo.is_disabled()
    editor.page.evaluate(PICTURE)
    assert undo.is_enabled()
    undo.click()
    assert place(editor) is None
    assert (undo.is_disabled(), redo.is_enabled()) == (True, True)
    redo.click()
    assert place(editor) is not None


def test_buttons_say_what_they_open(editor: Studio) -> None:
    """A person with a photo finds the button for it, and one whose drawing is gone the list of drawings."""
    bar = editor.page.locator("#file-actions")
    assert "photo" in (bar.get_by_text("Open", exact=True).get_attribute("title") or "")
    assert "recent drawings" in (bar.get_by_text("Gallery", exact=True).get_attribute("title") or "")


def test_faults_are_in_line_with_the_fields(editor: Studio) -> None:
    """The box with a fault begins and ends where headings and fields do."""
    editor.page.get_by_label("x max").fill("900")
    editor.page.get_by_label("x max").press("Enter")
    fault = editor.page.locator("#panel-draw .note.error")
    fault.wait_for()
    box, field = fault.bounding_box(), editor.page.get_by_label("Name", exact=True).bounding_box()
    assert box
    assert field
    assert (box["x"], box["width"]) == (field["x"], field["width"])


def test_a_comma_of_thousands_is_not_taken_for_decimals(editor: Studio) -> None:
    """A width of 1,200 mm becomes neither 1.2 nor 1200 by a guess: both are offered."""
    field = editor.page.get_by_label("x max")
    field.fill("1,200")
    field.press("Enter")
    fault = editor.page.locator("#panel-draw .fault")
    assert fault.inner_text() == "1,200 can mean 1200 or 1.2: type one of them"
    assert editor.state("state.doc.bounds.max[0]") == 1500
    field.press("ArrowUp")
    assert field.input_value() == "1,200"
    field.fill("1200")
    field.press("Enter")
    assert editor.state("state.doc.bounds.max[0]") == 1200


@pytest.mark.parametrize(("typed", "fault"), [("-1", "must be at least 0"), ("11", "must be at most 10")])
def test_limits_of_friction_are_said_before_a_plan(editor: Studio, typed: str, fault: str) -> None:
    """The field says what is wrong, in place of a plan that fails with the name of an option of the command line."""
    editor.page.get_by_role("tab", name="Plan").click()
    editor.page.locator("#panel-plan details").evaluate("(details) => { details.open = true; }")
    field = editor.page.locator("#panel-plan").get_by_label("Friction", exact=True)
    field.fill(typed)
    field.press("Enter")
    editor.page.locator("#panel-plan .fault", has_text=fault).wait_for()
    assert editor.state("state.options?.friction ?? null") is None
    field.press("Escape")


def test_a_wider_panel_hides_nothing(editor: Studio) -> None:
    """A drawing that is shown as a whole stays so in Make and after it; a view that a person chose stays."""
    window = "async () => { const { state } = await import('/store.js'); return [state.view.x, state.view.scale]; }"
    editor.key("0")
    before = editor.page.evaluate(window)
    editor.page.get_by_role("tab", name="Make").click()
    editor.wait_for(f"state.view.scale < {before[1]}")
    for x in (0, 1500):
        left, _ = editor.at(x, 500)
        assert 48 <= left <= editor.page.locator("#panel").evaluate("(panel) => panel.getBoundingClientRect().left")
    editor.page.get_by_role("tab", name="Draw").click()
    editor.wait_for(f"state.view.scale === {before[1]}")
    editor.key("+")
    chosen = editor.page.evaluate(window)
    stage = "document.getElementById('stage').clientWidth"
    width = editor.page.evaluate(stage)
    editor.page.get_by_role("tab", name="Make").click()
    wait_until(lambda: editor.page.evaluate(stage) < width)
    assert editor.page.evaluate(window) == chosen


def test_hints_for_fingers(shared: Studio) -> None:
    """Without a mouse the line at the top of the drawing speaks of fingers, not of clicks and keys."""
    page = shared.open(has_touch=True, is_mobile=True)
    try:
        page.evaluate("async () => (await import('/draw/files.js')).newDrawing()")
        page.get_by_role("button", name="Box (B)").tap()
        page.locator("#stage").focus()
        page.keyboard.press("Enter")
        hint = page.locator("#hint")
        hint.get_by_text("box 1: drag it or its handles").wait_for()
        page.evaluate("async () => (await import('/store.js')).set({ selection: new Set() })")
        hint.get_by_text("Tap to select; one finger moves the view, two zoom.").wait_for()
    finally:
        page.context.close()


@pytest.mark.parametrize("lines", [[], [[[150, 500], [300, 500]]]], ids=["none begins", "one begins"])
def test_trials_that_cannot_begin_are_seen(studio: Studio, lines: Any) -> None:
    """A trial without a line is crossed out at the start, and the panel says how many there are and why."""
    reached = [True] * len(lines)
    success = success_of(len(lines), 2 + len(lines))
    trials = {
        "run": "tried", "design": "best", "busy": False, "lines": lines, "reached": reached, "success": success, "asked": 3,
        "weakest": None, "influences": [],
    }  # fmt: skip
    design = {**view_of(0), "success": None}
    studio.page.evaluate(SHOW, [design, trials, None])
    before = crosses(studio)
    studio.page.evaluate(
        SHOW, [design, {**trials, "lines": [*lines, [], []], "reached": [*reached, False, False]}, None]
    )
    assert crosses(studio) > before
    words = "2 trials could not begin: the base was outside the bounds or in an obstacle."
    assert studio.page.locator("#trust-drawn").inner_text() == words


def test_lines_about_trials_belong_to_what_is_drawn(studio: Studio) -> None:
    """While the next plan is under way, the panel Plan says nothing of trials that are not drawn."""
    trials = {"lines": [[[150, 500], [300, 500]], []], "reached": [True, False]}
    design = {**view_of(0), "success": success_of(1, 9)}
    studio.page.evaluate(SHOW, [design, None, None])
    script = """async ([trials, phase]) => {
        const { set, state } = await import('/store.js');
        set({ panel: 'plan', run: { ...state.run, trials }, plan: { ...state.plan, phase, drawing: state.id } });
        await Promise.resolve();
    }"""
    studio.page.evaluate(script, [trials, "idle"])
    line = studio.page.locator("#plan-drawn")
    assert line.inner_text().startswith("2 of 9 trials are drawn. 1 trial could not begin: ")
    studio.page.evaluate(script, [trials, "searching"])
    assert line.is_hidden()
    studio.page.evaluate(script, [trials, "idle"])
    assert line.is_visible()


def test_long_names_stay_in_their_cards(editor: Studio) -> None:
    """A name without spaces is broken in the gallery; it does not lie over other cards."""
    editor.page.evaluate(
        """async () => {
            const { edit } = await import('/store.js');
            edit((doc) => ({ ...doc, name: 'W'.repeat(200) }));
            (await import('/draw/files.js')).newDrawing();
        }"""
    )
    editor.page.get_by_role("button", name="Gallery").click()
    card = editor.page.locator("#gallery .card", has_text="WWW").first
    card.wait_for()
    edges = "(node) => [node, node.querySelector('b')].map((one) => one.getBoundingClientRect().right)"
    outer, inner = card.evaluate(edges)
    assert inner < outer
    editor.page.keyboard.press("Escape")


def crosses(studio: Studio) -> int:
    """Count the pixels of the colour of misses around the start."""
    count: int = studio.page.evaluate(
        """async ([x, y]) => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const { canvasColour } = await import('/panels/palette.js');
            const wanted = canvasColour('missed').match(/[0-9a-f]{2}/g).map((one) => parseInt(one, 16));
            let found = 0;
            for (const canvas of document.querySelectorAll('canvas')) {
                const box = canvas.getBoundingClientRect();
                const { data } = canvas.getContext('2d').getImageData(x - box.left - 12, y - box.top - 12, 24, 24);
                for (let k = 0; k < data.length; k += 4) found += wanted.every((one, c) => one === data[k + c]) && data[k + 3] > 0;
            }
            return found;
        }""",
        studio.at(150, 500),
    )
    return count


def test_purposes_of_all_files_of_a_pack(editor: Studio) -> None:
    """No file of a pack is listed without what it is for."""
    known = {"schedule.json": "controller", "schedule.csv": "pressure of every line", "plumbing.svg": "valves"}
    rows = editor.page.evaluate(
        """async (files) => {
            const { fileList } = await import('/panels/packlists.js');
            return [...fileList(files).querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));
        }""",
        [*known, "template-a4.pdf"],
    )
    assert {name for name, _ in rows} == {*known, "template-a4.pdf"}
    assert all(known.get(name, "guide") in text for name, text in rows)


def test_warnings_of_a_pack_name_no_options() -> None:
    """The advice for a low success is in words of the panels: the page has no command line."""
    warning = in_words_of_panels(PackSuccess(Success("workshop", 63, 100), rounded=True).warning)
    assert "Plan again with more time or, if you can build with smaller errors, with the errors “lasercut”;" in warning
    assert "--" not in warning


def test_saving_on_a_full_disk(client: TestClient, session: StudioSession, tmp_path: Path, monkeypatch: Any) -> None:
    """The answer names the file, the reason and what to do; the file stays as it was."""
    text = client.get("/api/state").json()["known"]["environments"][0]["text"]
    file = tmp_path / "bench.toml"
    file.write_text(text)
    session.file = OpenedFile(file)

    def fill(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fill)
        answer = client.post("/api/save", json={"text": text + "# mine\n", "saved": text})
    message = "bench.toml is not saved: No space left on device; make room, or save a copy"
    assert (answer.status_code, answer.json()) == (409, {"error": message})
    assert file.read_text() == text


def test_saving_over_a_file_that_is_no_text_any_more(
    client: TestClient, session: StudioSession, tmp_path: Path
) -> None:
    """A program may have written anything in its place, which stays."""
    text = client.get("/api/state").json()["known"]["environments"][0]["text"]
    file = tmp_path / "bench.toml"
    file.write_bytes(b"\xff\xfe")
    session.file = OpenedFile(file)
    answer = client.post("/api/save", json={"text": text, "saved": text})
    assert answer.status_code == 409
    assert "has changed since" in answer.json()["error"]
    assert file.read_bytes() == b"\xff\xfe"


def test_numbers_that_make_no_actuator(client: TestClient) -> None:
    """The panel Tube says that the numbers do not fit together, without the name of an exception."""
    content = client.get("/api/state").json()["tube"]["content"]
    for elasticity, words in (
        (1e-7, "actuator.film_elasticity = 1e-07 must be"),
        (0.01, "spam.film_elasticity = 0.01 must be at most"),
    ):
        content["actuator"]["film_elasticity"] = elasticity
        answer = client.post("/api/tube", json={"content": content})
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(words)
