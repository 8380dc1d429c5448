"""The study of OMPL's planners beside SST*."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import mannwhitneyu

from studies.planning_runs import RunCase, RunRecord, run_case
from studies.search_variants import plots
from studies.search_variants.plots import save_costs, save_success
from studies.search_variants.report import ompl_planners
from studies.search_variants.study import with_planners
from tests.conftest import Vinewright

BOTH = with_planners(["sst-star", "rrt"])
FIRSTS = {
    ("maze", "sst-star"): [2.0, 3.0, 4.0],
    ("maze", "rrt"): [1.0, 1.5, None],
    ("plus", "sst-star"): [None, None, 1.0],
}
COSTS = {
    ("maze", "sst-star"): [1.01, 1.02, 1.03],
    ("maze", "rrt"): [3.0, 2.0, None],
    ("plus", "sst-star"): [None, None, 2.5],
}


def record(case: RunCase) -> RunRecord:
    kind = Path(case.environment).stem, case.planner
    first, cost = FIRSTS[kind][case.seed], COSTS[kind][case.seed]
    history = [] if first is None or cost is None else [(first, 9.0), (first + 0.5, cost)]
    return RunRecord(
        case,
        history,
        20,
        5.0,
        vine_steps=1000 * (case.seed + 1),
        first_steps=None if first is None else int(100 * first),
    )


@pytest.fixture
def records() -> list[RunRecord]:
    both = [record(case) for case in BOTH.cases(BOTH.runs(["maze"], 3), 5.0)]
    return both + [record(case) for case in with_planners(["sst-star"]).cases(BOTH.runs(["plus"], 3), 5.0)]


def cells(lines: list[str], *begin: str) -> list[str]:
    (row,) = [line for line in lines if line.startswith("| " + " | ".join(begin) + " |")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_cases_alternate() -> None:
    """All planners in all environments with the first seed, then with the next: an interrupted study is balanced."""
    every = BOTH.cases(BOTH.runs(["maze", "plus"], 2), 5.0)
    assert [(case.seed, case.environment, case.planner) for case in every[:5]] == [
        (0, "maze", "sst-star"),
        (0, "maze", "rrt"),
        (0, "plus", "sst-star"),
        (0, "plus", "rrt"),
        (1, "maze", "sst-star"),
    ]


def test_a_row_has_the_runs_of_one_planner(records: list[RunRecord]) -> None:
    """Solved runs, quartiles over all, mean cost over the solved ones, and vine-steps: to the first solution, and in all."""
    lines = ompl_planners(BOTH, records)
    row = cells(lines, "maze", "rrt", "2 of 3")
    assert row[3:] == ["1.50 (1.00 ... -)", "125", "3.00 (2.00 ... -)", "2.50", "2,000"]
    assert cells(lines, "plus", "sst-star")[2] == "1 of 3"


def test_what_is_found_too_late_does_not_count(records: list[RunRecord]) -> None:
    """A first solution after the time budget leaves a run unsolved, a later better one its cost; how late runs end is said."""
    kind = [one for one in records if (one.case.environment, one.case.planner) == ("maze", "rrt")]
    late = [replace(kind[0], history=[(5.01, 3.0)], seconds=6.25), replace(kind[1], history=[(1.5, 4.0), (5.01, 2.0)])]
    lines = ompl_planners(BOTH, [*late, kind[2]])
    row = cells(lines, "maze", "rrt", "1 of 3")
    assert row[3:7] == ["- (1.50 ... -)", "150", "- (4.00 ... -)", "4.00"]
    assert "1.2 s later; solutions that it finds then do not count." in lines
    assert late[1].in_time().first_steps == 150


def test_differences_are_theirs_beside_ours(records: list[RunRecord]) -> None:
    """A ratio below 1 is sooner, a difference above 0 is costlier; p-values are those of the ranks, unsolved runs last."""
    lines = ompl_planners(BOTH, records)
    row = next(
        row
        for line in lines
        if (row := [cell.strip() for cell in line.strip("|").split("|")])[:2] == ["maze", "rrt"] and len(row) == 6
    )
    p_first = mannwhitneyu([1.0, 1.5, 1e9], [2.0, 3.0, 4.0]).pvalue
    p_cost = mannwhitneyu([3.0, 2.0, 1e9], [1.01, 1.02, 1.03]).pvalue
    assert row[2:] == ["0.50", f"{p_first:.2g}", "1.48", f"{p_cost:.2g}"]
    text = "\n".join(lines)
    assert (
        "`rrt` has its median first solution sooner than `sst-star` in 1 of 1 environments, and a lower median cost at the end in 0."
        in text
    )


def test_figures_have_a_panel_for_each_environment(records: list[RunRecord], tmp_path: Path) -> None:
    """Also for environments that not every planner has runs in, or that nobody solved."""
    kinds = BOTH.group(records)
    assert {name: list(own) for name, own in kinds.items()} == {"maze": ["sst-star", "rrt"], "plus": ["sst-star"]}
    for number, save in enumerate((save_success, save_costs)):
        save(tmp_path / f"{number}.png", kinds)
        assert (tmp_path / f"{number}.png").stat().st_size > 10_000


@pytest.mark.parametrize("save", [save_success, save_costs])
def test_a_planner_has_the_same_line_everywhere(
    records: list[RunRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[..., None]
) -> None:
    """Also where another one came first, or where it is the only one; the legend names every planner once, with its line."""
    drawn: list[Figure] = []
    monkeypatch.setattr(plots, "save_figure", lambda _path, figure, _dpi: drawn.append(figure))
    save(tmp_path / "lines.png", with_planners(["rrt", "sst-star"]).group(records))
    (figure,) = drawn
    maze, plus = ({line.get_label(): line for line in axes.lines} for axes in figure.axes)
    assert (list(maze), list(plus)) == (["rrt", "sst-star"], ["sst-star"])
    assert maze["sst-star"].get_color() == plus["sst-star"].get_color() != maze["rrt"].get_color()
    (legend,) = figure.legends
    named = {text.get_text(): line for text, line in zip(legend.get_texts(), legend.get_lines(), strict=True)}
    assert {name: line.get_color() for name, line in named.items()} == {
        name: line.get_color() for name, line in maze.items()
    }


def test_a_panel_without_a_median_says_so(
    records: list[RunRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In `plus` one run of three has a solution: no cost to draw, and no scale; the share solved is drawn."""
    drawn: list[Figure] = []
    monkeypatch.setattr(plots, "save_figure", lambda _path, figure, _dpi: drawn.append(figure))
    for save in (save_costs, save_success):
        save(tmp_path / "panels.png", BOTH.group(records))
    said = [[[text.get_text() for text in axes.texts] for axes in figure.axes] for figure in drawn]
    assert said == [[[], [plots.EMPTY]], [[], []]]
    assert [bool(len(axes.get_yticks())) for axes in drawn[0].axes] == [True, False]


def test_the_costliest_curve_is_inside_its_panel(
    records: list[RunRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it is not that of the first planner."""
    drawn: list[Figure] = []
    monkeypatch.setattr(plots, "save_figure", lambda _path, figure, _dpi: drawn.append(figure))
    kinds = BOTH.group([record for record in records if record.case.environment == "maze"])
    kinds["maze"]["rrt"] = [
        replace(one, history=[(time, cost + 10) for time, cost in one.history]) for one in kinds["maze"]["rrt"]
    ]
    save_costs(tmp_path / "costs.png", kinds)
    (axes,) = drawn[0].axes
    low, high = axes.get_ylim()
    highest = max(np.nanmax(line.get_ydata()) for line in axes.lines)
    assert highest > np.nanmax(axes.lines[0].get_ydata())
    assert low == 0 < highest < high


@pytest.mark.slow
def test_runs_of_every_planner_are_measured_alike(small_file: Path) -> None:
    """Both count vine-steps, those to the first solution among them, and improve the cost."""
    pytest.importorskip("ompl")
    for planner in ("sst-star", "rrt"):
        found = run_case(RunCase(str(small_file), 0, 0.5, planner=planner))
        assert found.first < math.inf
        assert 0 < (found.first_steps or 0) <= found.vine_steps
        assert found.cost <= found.history[0][1]
        assert found.content()["planner"] == planner


@pytest.mark.slow
def test_the_study_writes_its_report(vinewright: Vinewright, small_file: Path) -> None:
    """Tables, data and two figures."""
    pytest.importorskip("ompl")
    options = ("--runs", "1", "--time-budget", "0.3", "--env", small_file, "--out", "found")
    assert vinewright("reproduce", "ompl-planners", *options)[0] == 0
    assert {entry.name for entry in Path("found/ompl-planners").iterdir()} == {
        *("README.md", "data.json", "success-vs-time.png", "cost-vs-time.png")
    }
