"""The statistics of a sweep's report against closed forms and SciPy, and what the report says."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from vinewright.console.study import Study
from vinewright.sweeps.case import Row
from vinewright.sweeps.folder import ShardResult, SweepFolder, SweepState
from vinewright.sweeps.make import load_grid, make_manifest
from vinewright.sweeps.manifest import read_manifest
from vinewright.sweeps.report.analysis import SweepTable
from vinewright.sweeps.report.study import make_report_study

FACTORS = ["environment", "density", "passage_mm", "environment_seed", "tube", "radius_mm", "fast", "seed"]


def row(density: float, radius: float, fast: bool, actuators: int | None, reached: int | None, **more: object) -> Row:
    """A row as of a plan in a random environment, tried ten times; each density has a seed of its own."""
    given: Row = {
        "environment": f"random-{density}",
        "density": density,
        "passage_mm": 80.0,
        "environment_seed": round(100 * density),
    }
    given |= {"tube": "prototype", "radius_mm": radius, "fast": fast, "seed": 0}
    found: Row = {"outcome": "design" if actuators is not None else "no design", "actuators": actuators}
    tried: Row = {"trials": None if reached is None else 10, "reached": reached}
    return given | found | tried | {name: value for name, value in more.items() if isinstance(value, float)}


@pytest.fixture
def data() -> SweepTable:
    """Actuators are 1 + 20 density + 0.5 radius; success falls with the radius; with fast = false it is 20 % higher."""
    rows = [
        row(
            density,
            radius,
            fast,
            round(1 + 20 * density + 0.5 * radius),
            9 - int(radius) - 2 * fast,
            contact_share=radius / 10,
        )
        for density in (0.05, 0.1, 0.15, 0.2, 0.25)
        for radius in (2.0, 4.0, 6.0)
        for fast in (True, False)
    ]
    return SweepTable(rows, FACTORS)


def test_what_varies_is_found(data: SweepTable) -> None:
    """Seeds, and environments that are made from quantities, are no factors of interest."""
    assert data.varied == ["density", "radius_mm", "fast"]
    assert data.numeric == ["density", "radius_mm"]
    assert list(data.groups) == ["fast = true", "fast = false"]
    assert [int(which.sum()) for which in data.groups.values()] == [15, 15]


def test_means_over_a_factor(data: SweepTable) -> None:
    """Success in percent and actuators, over the cases with the value."""
    cells = data.cells("radius_mm", data.groups["fast = true"])
    assert [cell.value for cell in cells] == [2.0, 4.0, 6.0]
    assert [cell.success.value for cell in cells if cell.success] == pytest.approx([50, 30, 10])
    assert [(cell.cases, cell.found) for cell in cells] == [(5, 5)] * 3
    assert cells[0].actuators
    assert cells[0].actuators.value == pytest.approx((3 + 4 + 5 + 6 + 7) / 5)


def test_cases_without_a_design_count_as_cases_only() -> None:
    """They are in the number of cases, not in the means."""
    data = SweepTable([row(0.1, 2.0, True, None, None), row(0.2, 2.0, True, 3, 5)], FACTORS)
    cell = data.cell(None, data.everything)
    assert (cell.cases, cell.found) == (2, 1)
    assert cell.success
    assert cell.success.value == 50
    assert np.isnan(cell.success.interval).all()  # of one environment nothing is known about others


def test_slopes_are_those_of_the_plane(data: SweepTable) -> None:
    """The fit recovers the plane from which the actuators were made, with an interval of no width."""
    slopes = data.slopes(data.everything)
    assert slopes["density"].value == pytest.approx(20)
    assert slopes["radius_mm"].value == pytest.approx(0.5)
    assert slopes["radius_mm"].interval == pytest.approx((0.5, 0.5))


def test_shipped_environments_beside_random_ones(data: SweepTable) -> None:
    """They have no density: the fit leaves them out, and a single density is no factor, whereas the environment is one."""
    shipped: list[Row] = [
        {**one, "environment": "maze", "density": None, "passage_mm": None, "actuators": 40} for one in data.rows
    ]
    both = SweepTable([*data.rows, *shipped], FACTORS)
    assert both.varied == ["environment", *data.varied]
    assert both.slopes(both.everything)["density"].value == pytest.approx(20)
    of_one_density = SweepTable([one for one in both.rows if one["density"] in (None, 0.1)], FACTORS)
    assert of_one_density.varied == ["environment", "radius_mm", "fast"]
    assert of_one_density.slopes(of_one_density.everything)["radius_mm"].value == pytest.approx(
        0.5 * 6 / 36
    )  # six of 36 cases vary


def test_pairs_differ_in_nothing_but_their_group(data: SweepTable) -> None:
    """Second group less first: success + 20 %, actuators the same, in all 15 pairs."""
    found = data.paired_effects(data.groups["fast = true"], data.groups["fast = false"])
    effect, count = found["success"]
    assert (count, effect.mean) == (15, pytest.approx(20))
    assert effect.interval == pytest.approx((20, 20))
    assert effect.p == pytest.approx(2 / 2**5)  # five environments
    assert found["actuators"][0].mean == 0


def test_random_environments_of_one_start_and_goal_count_as_one() -> None:
    """Those with the same passage and seed, whatever their density."""
    rows = [
        row(density, 2.0, True, 1, 5) | {"environment_seed": seed} for density in (0.1, 0.2, 0.3) for seed in (0, 1)
    ]
    assert SweepTable(rows, FACTORS).environments.tolist() == [0, 1] * 3
    files: list[Row] = [{"environment": name, "density": None, "actuators": 1} for name in ("maze", "plus", "maze")]
    assert SweepTable(files, FACTORS).environments.tolist() == [0, 1, 0]


def test_slopes_within_an_environment_leave_out_its_difficulty() -> None:
    """Four actuators more in the dense environment, in which only wide tubes reach the goal, do not count; the true slope is 0.25."""
    dense = [row(0.3, radius, True, int(4 + 0.25 * radius), 5) for radius in (8.0, 12.0)]
    sparse = [row(0.1, radius, True, int(0.25 * radius), 5) for radius in (0.0, 4.0, 8.0)]
    data = SweepTable([*sparse, *dense], FACTORS)
    slope = data.slope_within("radius_mm", data.everything)
    assert slope
    assert slope.value == pytest.approx(0.25)
    assert data.slope_within("density", data.everything) is None


def test_correlations_are_spearmans() -> None:
    """The value is SciPy's, with ties too; the interval contains it."""
    rng = np.random.default_rng(0)
    rows = [
        row(round(float(rng.uniform(0.01, 0.3)), 2), float(rng.integers(20, 26)), True, 1, int(rng.integers(0, 11)))
        for _ in range(60)
    ]
    data = SweepTable(rows, FACTORS)
    found = data.correlation("radius_mm", data.everything)
    assert found
    expected = spearmanr(data.column("radius_mm"), data.column("success")).statistic
    assert found.value == pytest.approx(expected)
    assert found.interval[0] < expected < found.interval[1]
    assert data.correlation("passage_mm", data.everything) is None  # it does not vary
    assert data.correlation("radius_mm", np.arange(60) < 4) is None  # too few


def test_the_bootstrap_draws_environments() -> None:
    """Cases in one environment are alike: the interval is that of five values, however many cases there are."""
    rows = [
        row(density, float(radius), True, 1, reached)
        for density, reached in ((0.05, 2), (0.1, 8), (0.15, 2), (0.2, 8), (0.25, 5))
        for radius in range(50)
    ]
    data = SweepTable(rows, FACTORS)
    mean = data.mean("success", data.everything)
    assert mean
    assert mean.value == 50
    low, high = mean.interval
    assert 20 < low < 35  # with 250 independent cases the interval would be 46.5 to 53.5
    assert 65 < high < 80


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    """A sweep of eight cases whose results are made up; its last shard is missing."""
    random = {"density": [0.02, 0.05], "passage_mm": 70, "width_mm": 1000, "height_mm": 1000}
    plan = {"fast": [True, False], "seed": [0, 1], "iterations": 5}
    study = {"schema": 1, "environments": {"random": random}, "plan": plan, "trials": {"number": 10}}
    name, checked, grid = load_grid(study)
    make_manifest(name, checked, grid, 1.0, 1.0).write(tmp_path)
    made = SweepFolder(tmp_path, read_manifest(tmp_path))
    for number in range(7):
        shard = made.manifest.shard(number)
        result: Row = {"outcome": "design", "actuators": number % 3, "length_mm": 900.0, "contact_share": 0.1 * number}
        tried: Row = {"trials": 10, "reached": number}
        made.keep(number, ShardResult(shard.digest, [shard.cases[0].factors | result | tried], 2.0))
    return made


def test_a_report_says_what_is_missing_and_holds_every_row(folder: SweepFolder, tmp_path: Path) -> None:
    """Text, rows and pictures; numbers are those of the rows."""
    rows, state = folder.table()
    study: Study[SweepState, SweepTable] = make_report_study(state, rows)
    assert study.module == "vinewright.sweeps.case"
    state.manifest.program["source"] = "another"
    assert make_report_study(state, rows).module == "", "what another program computed depends on that"
    (data,) = study.run(study.cases)
    report = study.report([data])
    assert "7 of 8 cases are done, in 0.0039 core hours." in report.text
    assert "Outcomes: 7 design." in report.text
    assert "| fast = true | 4 of 4 | 30.0" in report.text
    assert report.content["rows"] == rows
    json.dumps(report.content, allow_nan=False)
    for name, draw in study.draw.items():
        draw(tmp_path / name, [data])
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
