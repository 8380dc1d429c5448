"""Studies of many planning runs, and their reports."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from dynamics.tube import VineParams
from environments import Environment
from planner.search.reverse.reverse_growth import ReverseGrowth
from planner.search.sst import Switches
from studies.planning_runs import RunCase, RunRecord, RunSummary, quartiles, run_case
from studies.random_environments import HELD_OUT, find_environment, make_random_environment
from studies.search_variants.comparisons import compare_unpaired
from studies.search_variants.plots import save_costs, save_success, save_trees
from studies.search_variants.report import ablations, make_report
from studies.search_variants.study import ABLATIONS, CONTACT, FREE, NONE, TABLE2, Variant, random_runs
from studies.search_variants.table2_report import table2
from vinewright.console.study import Report

FITTED = range(1000, 1040)
"""Seeds of the random environments that version 0.2.0 fitted the price of arcs along walls to."""


def record(case: RunCase, *history: tuple[float, float]) -> RunRecord:
    tree = (0.05, 80, True) if case.switches.heuristic else ()
    return RunRecord(case, list(history), 20, 5.1, *tree)


def table2_report(records: list[RunRecord]) -> Report:
    return make_report(TABLE2, table2, records)


@pytest.fixture
def records() -> list[RunRecord]:
    """Four runs of each kind in an environment, three solved with each tree, two without; and in two random ones."""
    cases = TABLE2.cases(TABLE2.runs(["maze"], 4) + random_runs([2000, 2001]), 5.0)
    firsts: dict[str, dict[int, float | None]] = {
        "contact-aware": {0: 1.0, 1: 2.0, 2: 4.0, 3: None, 2000: 2.0, 2001: 1.0},
        "contact-free": {0: 1.0, 1: 2.0, 2: 4.5, 3: None, 2000: 2.0, 2001: None},
        "none": {0: 3.0, 1: None, 2: 0.5, 3: None, 2000: 4.0, 2001: None},
    }
    kinds = {variant: kind for kind, variant in TABLE2.variants.items()}
    return [
        record(case, *([(first, 3.02), (first + 0.5, 2.01)] if first else []))
        for case in cases
        for first in [firsts[kinds[Variant.of(case)]][case.seed]]
    ]


def test_cost_over_time(records: list[RunRecord]) -> None:
    """The best cost is infinite before the first solution, and falls when a better one is found."""
    solved = TABLE2.group(records)["maze"]["contact-aware"][0]
    assert solved.cost_at(np.array([0.5, 1.0, 1.4, 1.5, 9.0])).tolist() == [math.inf, 3.02, 3.02, 2.01, 2.01]
    unsolved = TABLE2.group(records)["maze"]["none"][-1]
    assert (unsolved.first, unsolved.cost) == (math.inf, math.inf)
    assert np.isinf(unsolved.cost_at(np.array([1.0]))).all()


def test_summary_counts_the_unsolved_as_last(records: list[RunRecord]) -> None:
    """Quartiles are taken over all runs, means over those with a solution; the tree is no part of an iteration."""
    summary = RunSummary.of(TABLE2.group(records)["maze"]["contact-aware"])
    assert (summary.runs, summary.solved) == (4, 3)
    assert summary.first.tolist() == [1.0, 2.0, 4.0]
    assert summary.mean_first == pytest.approx(7 / 3)
    assert summary.iteration == pytest.approx((5.1 - 0.05) / 20)
    other = RunSummary.of(TABLE2.group(records)["maze"]["none"])
    assert other.first.tolist() == [0.5, 3.0, math.inf]
    assert quartiles(np.array([[1.0, 5.0], [2.0, np.inf]])).tolist() == [[1.0, 5.0], [1.0, 5.0], [2.0, np.inf]]


def test_table_2_has_all_kinds_and_the_paper(records: list[RunRecord]) -> None:
    """A row for each kind: shares solved by when, the paper's figures, and the size of the effect and how likely it is."""
    made = table2_report(records)
    text, content = made.text, made.content
    rows = {tuple(line.split(" | ")[:3]): line.split(" | ") for line in text.splitlines() if line.startswith("| maze")}
    guided, plain = rows["| maze", "contact-aware", "3 of 4"], rows["| maze", "none", "2 of 4"]
    assert guided[2:6] == ["3 of 4", "2.33", "2.00 (1.00 ... 4.00)", "25%, 50%, 75%"]
    assert plain[2:6] == ["2 of 4", "1.75", "3.00 (0.50 ... -)", "25%, 25%, 50%"]
    assert guided[9] == "-"
    assert rows["| maze", "contact-free", "3 of 4"][9] == "19.95"
    assert plain[9].startswith("23.64")
    compared = [line.split(" | ") for line in text.splitlines() if line.startswith("| maze | contact-aware | none")]
    times = [1, 2, 4, 9], [3, 9, 0.5, 9]
    ties = sum((a < b) + 0.5 * (a == b) for a in times[0] for b in times[1])
    assert compared[0][3].startswith(f"{ties / 16:.2f} (")
    assert compared[0][5] == f"{mannwhitneyu(*times).pvalue:.2g} |"
    assert ["| maze", "contact-free", "80", "0.05", "4 of 4 |"] in rows.values()
    assert "Solved of 2: none 1, contact-free 1, contact-aware 2." in text
    assert "| contact-aware | none | time to the first solution | 2 | 2 | 0 | 0.50 (0.50 ... 0.50) | 0.5 |" in text
    assert len(content["runs"]) == 18
    assert (content["runs"][0]["time_budget"], content["runs"][0]["seconds"]) == (5.0, 5.1)
    assert content["runs"][0]["switches"] == {
        "maximal_recording": True,
        "subset": True,
        "best_near": 4.0,
        "first_batch": 30,
        "levels": True,
        "aimed": True,
        "pinned": False,
        "heuristic": False,
        "lost": True,
        "contact": True,
        "preformed": None,
        "steer": 0,
    }


def test_an_effect_has_its_sign_and_size() -> None:
    """Runs that are all better have the share 1, and the same turned around 0; equal ones have a half; doubled ones the ratio 2."""
    rng = np.random.default_rng(1)
    low, high = rng.uniform(1, 2, 30), rng.uniform(3, 4, 30)
    assert (
        compare_unpaired(low, high).better,
        compare_unpaired(high, low).better,
        compare_unpaired(low, low).better,
    ) == (1.0, 0.0, 0.5)
    assert compare_unpaired(low, high).p < 1e-9 < compare_unpaired(low, low).p
    twice = compare_unpaired(2 * low, low)
    assert twice.ratio == pytest.approx(2.0)
    assert twice.ratio_interval[0] < 2.0 < twice.ratio_interval[1]
    none = compare_unpaired([math.inf] * 5, [math.inf] * 5)
    assert none.better == 0.5
    assert math.isnan(none.ratio)


def test_random_environments_are_held_out() -> None:
    """No environment that the price was fitted to is planned in, and names lead to the same environments again."""
    assert not set(HELD_OUT) & set(FITTED)
    names = {case.environment for case in TABLE2.cases(random_runs(HELD_OUT), 1.0)}
    assert len(names) == 30
    one = find_environment("random-2003")
    assert one.sha256 == make_random_environment(2003).sha256 != make_random_environment(2004).sha256
    assert find_environment("maze").name == "maze"


def test_an_environment_without_any_solution_is_shown() -> None:
    """Nothing solved, with or without, makes dashes and no error; an environment planned one way only is left out."""
    cases = TABLE2.cases(TABLE2.runs(["needle"], 2), 5.0)
    text = table2_report([*map(record, cases), record(RunCase("long", 0, 5.0))]).text
    assert "| needle | contact-aware | 0 of 2 | - | - (- ... -) | 0%, 0%, 0% | - |" in text
    assert "long" not in text


def test_ablations_tell_every_kind_apart() -> None:
    """Fifteen kinds, each changed in one thing, each with a row of its own runs."""
    cases = ABLATIONS.cases(ABLATIONS.runs(["maze"], 2), 5.0)
    kinds = {(case.batch, case.switches) for case in cases}
    assert len(cases) == 2 * len(kinds) == 30
    usual = (100, Switches())
    for batch, switches in kinds:
        changed = [
            batch != usual[0],
            *(getattr(switches, part) != getattr(usual[1], part) for part in switches.__slots__),
        ]
        assert sum(changed) <= 1
    text = make_report(ABLATIONS, ablations, [record(case, (case.batch / 100, 1.0)) for case in cases]).text
    rows = [line for line in text.splitlines() if line.startswith("| maze")]
    assert len(rows) == 15
    assert [row for row in rows if "| batch 300 | 2 of 2 | 3.00 (3.00 ... 3.00) |" in row]


@pytest.mark.slow
def test_runs_are_real_runs(tmp_path: Path) -> None:
    """They find a solution in the divider, two with a tree that took its time."""
    cases = TABLE2.cases(TABLE2.runs(["divider"], 1), 2.0)
    found = {Variant.of(r.case): r for r in map(run_case, cases)}
    assert set(found) == set(TABLE2.variants.values())
    for made in found.values():
        assert 0 < made.first <= 2.5
        assert made.cost < 4
        assert made.iterations > 2
    none, free, contact = (found[TABLE2.variants[kind]] for kind in (NONE, FREE, CONTACT))
    for guided in (free, contact):
        assert guided.tree_vertices
        assert guided.tree_seconds
    assert contact.tree_vertices != free.tree_vertices
    assert none.tree_vertices is None
    # The pictures of what was found can be drawn.
    save_success(tmp_path / "success.png", TABLE2.complete_groups(list(found.values())))
    save_costs(tmp_path / "costs.png", TABLE2.complete_groups(list(found.values())))
    assert (tmp_path / "success.png").stat().st_size > 5000
    assert (tmp_path / "costs.png").stat().st_size > 5000


def test_trees_are_drawn(tmp_path: Path, shipped: dict[str, Environment], params: VineParams) -> None:
    """The picture shows each tree in its place."""
    trees = [
        (shipped[name], "kind", ReverseGrowth(shipped[name], params, (0.7, 3.6)).grow_until(300))
        for name in ("maze", "spiral")
    ]
    save_trees(tmp_path / "trees.png", trees)
    assert (tmp_path / "trees.png").stat().st_size > 10_000
