"""The cases of a sweep: all combinations, in order, each in one shard."""

import json
import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynamics.actuator_file import similar_actuator
from dynamics.tube import VineParams
from dynamics.tube_file import similar, tube_content, tube_of
from environments import generate_environment, load_environment
from environments.environment_file import environment_text
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.output.folder import write_json
from tests.vinewright.sweeps.folders import study
from vinewright.sweeps.case import Case, CaseTrials
from vinewright.sweeps.errors import InvalidStudy
from vinewright.sweeps.grid import TESTING, CaseGrid, make_grid, split_into_shards
from vinewright.sweeps.study_file import check_study

NOWHERE = np.zeros(3), np.zeros((1, 2))
TUBES = [20.0, 25.0]
SHAPES = [(0.0, 60.0, 1), (0.0, 60.0, 0), (0.05, 60.0, 1), (0.05, 60.0, 0)]
"""Density, passage and seed of random environments, in the order of the file."""


@pytest.fixture
def full(place: Path) -> CaseGrid:
    """A grid in which everything varies."""
    random = {"density": [0.0, 0.05], "passage_mm": 60, "seed": [1, 0], "width_mm": 800, "height_mm": 900}
    content = study(
        environments={"files": ["small.toml"], "random": random},
        tubes={"radius_mm": TUBES},
        plan={"seed": [7, 3], "fast": [True, False], "iterations": 2, "batch": 20},
        trials={"number": 5, "uncertainty": ["workshop", "handmade"], "seed": 4},
    )
    return make_grid(check_study(content), place)


def test_every_combination_is_a_case_in_order(full: CaseGrid) -> None:
    """The last factor varies fastest: environments, tubes, options in the order of the command's, errors of trials."""
    names = ["small", *(f"random-{density:g}-{passage:g}-{seed}" for density, passage, seed in SHAPES)]
    expected = []
    for name in names:
        for radius in TUBES:
            for seed in (7, 3):
                for fast in (True, False):
                    for errors in ("workshop", "handmade"):
                        expected.append((name, radius, seed, fast, errors))
    keys = "environment", "radius_mm", "seed", "fast", "trials_uncertainty"
    assert [tuple(case.factors[key] for key in keys) for case in full.cases] == expected
    assert len(expected) == len(names) * 2 * 2 * 2 * 2 == len({json.dumps(case.content()) for case in full.cases})
    for case, (_, radius, seed, fast, errors) in zip(full.cases, expected, strict=True):
        assert case.tube
        assert full.inputs[case.tube].tube().radius == pytest.approx(radius * 1e-3)
        wanted = {"time_budget_s": 1e6, "seed": seed, "fast": fast, "iterations": 2, "batch": 20}
        assert case.plan == wanted
        assert case.trials == CaseTrials(TESTING, 5, errors, 4)
        assert full.inputs[case.environment].environment().name == case.factors["environment"]


def test_random_environments_are_those_of_their_factors(full: CaseGrid) -> None:
    """An environment from a file has none of them, and the columns are the same for all."""
    assert len({tuple(case.factors) for case in full.cases}) == 1
    names = "density", "passage_mm", "environment_seed"
    found = dict.fromkeys(tuple(case.factors[name] for name in names) for case in full.cases)
    assert list(found) == [(None, None, None), *SHAPES]
    environments = {full.inputs[case.environment].text for case in full.cases}
    assert len(environments) == len(found)
    for case in full.cases:
        density, passage, seed = (case.factors[name] for name in names)
        if seed is not None:
            found_here = full.inputs[case.environment].environment()
            same = generate_environment(
                np.random.default_rng(seed), size=(0.8, 0.9), density=density, tube_radius=passage / 2000
            )
            assert found_here.start == pytest.approx(same.start)
            assert environment_text(replace(same, name=found_here.name)) == full.inputs[case.environment].text


def test_values_that_differ_little_are_different_cases() -> None:
    """Also where their first six digits are the same."""
    random = {"density": [0.01, 0.010000001], "seed": [0, 1], "width_mm": 800, "height_mm": 800}
    grid = make_grid(check_study(study(environments={"random": random})), Path())
    assert len(grid.cases) == 2 * 2 * 6
    assert len({(case.factors["environment"], case.factors["seed"]) for case in grid.cases}) == len(grid.cases)


def test_files_are_found_beside_the_study(place: Path) -> None:
    """A glob stands for all files that match, sorted; a file that is named twice counts once."""
    for name in ("b", "a"):
        (place / f"{name}.toml").write_text((place / "small.toml").read_text())
    files = ["small.toml", "[ab].toml", "b.toml", "divider"]
    grid = make_grid(check_study(study(environments={"files": files}, plan={"fast": True})), place)
    assert [case.factors["environment"] for case in grid.cases] == ["small", "a", "b", "divider"]
    assert [case.plan["iterations"] for case in grid.cases] == [100] * 4
    assert "radius_mm" not in grid.cases[0].factors


def test_actuators_of_a_tube_scale_with_it(place: Path) -> None:
    """A tube of another radius has equal types, with the usual numbers in proportion; its own numbers stay."""
    text = "schema = 1\n[actuator]\ntype = 'pouch'\n[[other_actuators]]\ntype = 'fpam'\n[[other_actuators]]\ntype = 'cpam'\nwidth_mm = 50"
    (place / "two.toml").write_text(text)
    grid = make_grid(check_study(study(tubes={"files": "two.toml", "radius_mm": [30, 20]}, plan={"fast": True})), place)
    tubes = [grid.inputs[case.tube].tube() for case in grid.cases]
    for tube, radius in zip(tubes[:: len(tubes) // 2], (30e-3, 20e-3), strict=True):
        others = similar_actuator("fpam", radius), replace(similar_actuator("cpam", radius), width=50e-3)
        expected = replace(similar(radius, kind="pouch"), others=others)
        assert tube.actuators == tube_of(tube_content(expected)).actuators


def test_environments_of_one_name_stay_apart(place: Path) -> None:
    """The second is called by its path."""
    (place / "more").mkdir()
    (place / "more" / "small.toml").write_text((place / "small.toml").read_text().replace("700", "701"))
    files = ["small.toml", "more/small.toml"]
    grid = make_grid(check_study(study(environments={"files": files}, plan={"fast": True})), place)
    assert len({case.factors["environment"] for case in grid.cases}) == 2
    assert len({case.environment for case in grid.cases}) == 2


def test_a_random_environment_does_not_hide_a_file(place: Path) -> None:
    """Though both have the same name."""
    (place / "random-0-60-0.toml").write_text((place / "small.toml").read_text())
    part = {"density": 0, "passage_mm": 60, "width_mm": 800, "height_mm": 800}
    content = study(environments={"files": ["random-0-60-0.toml"], "random": part}, plan={"fast": True})
    grid = make_grid(check_study(content), place)
    assert len({case.factors["environment"] for case in grid.cases}) == len(grid.cases) == 2


def test_too_many_cases_are_refused(place: Path) -> None:
    """Exactly as many as allowed are not."""
    assert len(make_grid(check_study(study()), place, most_cases=6).cases) == 6
    with pytest.raises(InvalidStudy, match="has more than 5 cases; split it"):
        make_grid(check_study(study()), place, most_cases=5)


def test_limits_by_time_are_noted(place: Path) -> None:
    """Such plans depend on the machine; those by iterations do not."""
    for plan, timed in (({"time_budget_s": 3}, True), ({"iterations": 3}, False), ({"seed": 1}, False)):
        grid = make_grid(check_study(study(plan=plan)), place)
        assert grid.timed == timed
        assert grid.cases[0].plan["time_budget_s"] == (3.0 if timed else 1e6)


@given(st.integers(1, 3000), st.floats(0, 1e4), st.floats(0, 1e4))
@example(10, 1.0, 3.0)
@example(1, 0.0, 0.0)
def test_shards_have_every_case_once(cases: int, seconds: float, least: float) -> None:
    """In order, and all but the last take the time that is asked for, with as few cases as that needs."""
    shards = split_into_shards(cases, seconds, least)
    assert [k for one in shards for k in one] == list(range(cases))
    assert all(len(one) for one in shards)
    for one in shards[:-1]:
        assert len(one) * max(seconds, 1e-6) >= least * (1 - 1e-12)
        assert len(one) == len(shards[0])
        assert len(one) == 1 or (len(one) - 1) * max(seconds, 1e-6) < least


values = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text()
made = st.builds(
    Case,
    st.dictionaries(st.text(), values),
    st.text(),
    st.none() | st.text(),
    st.none() | st.text(),
    st.dictionaries(st.text(), values),
    st.none() | st.builds(CaseTrials, st.integers(0), st.integers(1), st.none() | st.text(), st.integers(0)),
)


@given(made)
def test_a_case_is_kept_in_a_file(case: Case) -> None:
    """A grid that was written is read again unchanged."""
    assert Case.of(json.loads(json.dumps(case.content()))) == case


def test_trials_of_designs_are_split_into_ranges(place: Path) -> None:
    """Each trial is in one case, also where their number is no multiple; the same for every preset and design."""
    environment = load_environment(place / "small.toml")
    one = Design("small", environment.sha256, VineParams(), (Section(0.0, 0.3, "none", 0.0, 0.0, 0.0),), *NOWHERE)
    for name in ("one", "two"):
        write_json(place / f"{name}.json", design_content(one))
    content = study(
        designs={"files": ["one.json", "two.json"]},
        trials={"number": 250, "together": 100, "uncertainty": ["handmade", "workshop"]},
    )
    del content["plan"]
    cases = make_grid(check_study(content), place).cases
    expected = list(product(["one.json", "two.json"], ["handmade", "workshop"], [(0, 100), (100, 100), (200, 50)]))
    assert len(cases) == len(expected) == math.prod((2, 2, 3))
    for case, (design, preset, (first, number)) in zip(cases, expected, strict=True):
        assert case.trials == CaseTrials(first, number, preset, 0)
        named = case.factors["design"], case.factors["trials_uncertainty"], case.factors["first_trial"]
        assert named == (design, preset, first)
        assert (case.tube, case.plan) == (None, {})
