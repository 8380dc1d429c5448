"""The errors that decide, in the panel Trust: ranked with bars, or why there is nothing to rank."""

import json
from pathlib import Path
from typing import Any

import pytest

from planner.design.design import InvalidDesign
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_modules import view_of
from vinewright.studio.views import run_view

HEADING = {"error": "heading, 8.8 degrees clockwise or anticlockwise", "share": 0.62, "interval_95": [0.5, 0.74]}
SHIFT = {"error": "box 2, 12 mm to the left", "share": 0.08, "interval_95": [0.0, 0.2]}
SHOW = """async ([design, trials, influences]) => {
    const { set, state } = await import('/store.js');
    const obstacles = { boxes: [], polygons: [], circles: [], walls: [], ends: 'flat', friction: null, names: {} };
    const about = { name: 'tried', front: [], trials: null, options: {}, wanted: null };
    const run = { ...about, designs: [design], content: { ...state.doc, obstacles }, influences };
    set({ run, design: 'best', trials, panel: 'trust' });
    await Promise.resolve();
}"""


def success_of(reached: int, trials: int, weakest: str | None = None) -> dict[str, Any]:
    """The view of a rate of success."""
    return {"errors": "workshop", "reached": reached, "trials": trials, "low": 0.1, "high": 0.9, "weakest": weakest}


def show(studio: Studio, success: Any, influences: Any, own: bool = True, busy: bool = False) -> tuple[str, list[str]]:
    """Show trials, made in the page or those of the plan; return the sentence and the lines of the list."""
    design = {**view_of(0), "success": None if own else success}
    trials = {
        "run": "tried", "design": "best", "busy": busy, "lines": [], "reached": [], "success": success, "asked": 100, "weakest": None,
        "influences": influences,
    }  # fmt: skip
    studio.page.evaluate(SHOW, [design, trials if own else None, None if own else influences])
    reason = studio.page.locator("#trust-reason")
    return (reason.inner_text() if reason.is_visible() else ""), studio.page.locator(
        "#trust-influences li"
    ).all_inner_texts()


@pytest.mark.parametrize("own", [True, False], ids=["of the page", "of the plan"])
def test_errors_are_ranked_with_bars(studio: Studio, own: bool) -> None:
    """One error is a list, too, also one that fails trials either way; a bar is as long as the share, its line as the interval."""
    reason, lines = show(studio, success_of(50, 100), [HEADING], own)
    assert reason == ""
    assert len(lines) == 1
    reason, lines = show(studio, success_of(50, 100), [HEADING, SHIFT], own)
    assert reason == ""
    assert [" ".join(line.split()) for line in lines] == [
        "heading, 8.8 degrees clockwise or anticlockwise 62 % (50–74)", "box 2, 12 mm to the left 8 % (0–20)",
    ]  # fmt: skip
    widths = studio.page.evaluate(
        """() => [...document.querySelectorAll('#trust-influences .bar')].map((bar) => {
            const [ground, value, line] = ['.ground', '.value', '.whisker'].map((name) => bar.querySelector(name).getBoundingClientRect());
            return [value.width / ground.width, (line.left - ground.left) / ground.width, (line.right - ground.left) / ground.width];
        })"""
    )
    for found, one in zip(widths, (HEADING, SHIFT), strict=True):
        assert found == pytest.approx([one["share"], *one["interval_95"]], abs=0.01)  # type: ignore[misc]
    assert "variance" in studio.page.locator("#trust-explained").inner_text()


@pytest.mark.parametrize("own", [True, False], ids=["of the page", "of the plan"])
@pytest.mark.parametrize(
    ("success", "influences", "words"),
    [
        (success_of(100, 100), [], "All 100 trials reach the goal"),
        (success_of(0, 100), [], "None of 100 trials reaches the goal"),
        (success_of(50, 100), [], "by several errors together, or by chance"),
        (None, None, "Make trials to see"),
    ],
    ids=["all", "none", "no single one", "not tried"],
)
def test_it_is_said_why_nothing_is_ranked(studio: Studio, success: Any, influences: Any, words: str, own: bool) -> None:
    """There is always a list or a sentence."""
    reason, lines = show(studio, success, influences, own and success is not None)
    assert words in reason
    assert lines == []


def test_nothing_is_ranked_before_the_end(studio: Studio) -> None:
    """While trials come, it is said that the list follows; a run of an earlier version asks for trials."""
    assert show(studio, success_of(5, 10), [], busy=True) == ("Ranked when the trials have ended.", [])
    assert show(studio, success_of(5, 10), None, own=False) == ("Make trials to rank all errors.", [])


def test_influences_of_a_run(planned: Path, tmp_path: Path) -> None:
    """They are those of the design that the plan chose; earlier versions had none; what is no share is refused in one line."""
    folder = tmp_path / "run"
    folder.mkdir()
    for path in planned.iterdir():
        (folder / path.name).write_bytes(path.read_bytes()) if path.is_file() else None
    facts = json.loads((folder / "run.json").read_text())
    chosen = facts["trials"]["front"].index(facts["trials"]["chosen"])
    assert run_view(folder, "run")["influences"] == facts["trials"]["chosen"]["influences"][:5]

    def written(influences: Any) -> Any:
        front = facts["trials"]["front"][chosen]
        front["influences"] = influences
        if influences is None:
            del front["influences"]
        (folder / "run.json").write_text(json.dumps(facts))
        return run_view(folder, "run")["influences"]

    assert written([HEADING, SHIFT]) == [HEADING, SHIFT]
    with pytest.raises(InvalidDesign, match=r"run\.json is damaged"):
        written([{**HEADING, "share": "<b>"}])
    with pytest.raises(InvalidDesign, match=r"run\.json is damaged"):
        written([{"error": "x"}])
    assert written(None) is None
