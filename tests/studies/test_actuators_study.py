"""The study of all actuators."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from studies.actuators.plots import save_curvatures, save_forces, save_plans
from studies.actuators.report import compare_actuators, report
from studies.actuators.study import (
    CELL,
    MIXED,
    ActuatorCase,
    ActuatorOutcome,
    ActuatorRange,
    cases,
    make_tube,
    measure_range,
    run_case,
)
from surrogate.registry import actuators
from tests.conftest import Vinewright


@pytest.fixture(scope="module")
def bars() -> list[ActuatorRange]:
    return [measure_range(kind) for kind in actuators()]


def outcome(kind: str, environment: str, seed: int, number: int | None) -> ActuatorOutcome:
    return ActuatorOutcome(ActuatorCase(kind, environment, seed, 5), number, None if number is None else 1.25)


def test_bars_are_those_of_model_and_tube(bars: list[ActuatorRange]) -> None:
    """Force and work are those of the analytic model, the range of curvatures that of all cells of the grid at each pressure."""
    for one in bars:
        actuator, params = one.actuator, make_tube(one.kind)
        assert one.strain[-1] == pytest.approx(float(actuator.full_contraction(CELL)))
        assert one.at(0.1) == pytest.approx(float(actuator.force_per_pressure(0.1, CELL)))
        assert one.force[-1] == pytest.approx(0.0, abs=1e-12)
        joint = joint_moments(params)
        for k in (0, len(one.pressure) // 2, -1):
            curvature = centerline_curvature(free_curvature(joint, one.pressure[k], actuator.grid.l_0), params)
            assert one.curvature[k] == pytest.approx([curvature.min(), curvature.max()])
    pouch = next(one for one in bars if one.kind == "pouch")
    length = CELL - pouch.actuator.seam
    low = brentq(
        lambda t: np.sin(t) / t - (1 - 0.01 * CELL / length), 1e-3, 1.5
    )  # half angle of the lens at 1 % strain of the cell

    def area(t: float) -> float:
        return (2 * t - np.sin(2 * t)) / (4 * t * t) * length**2 / CELL

    assert pouch.work == pytest.approx(60e-3 * (area(np.pi / 2) - area(low)), rel=2e-3)


def test_every_actuator_is_planned_with_in_every_environment() -> None:
    """Each combination of actuator, environment and seed, once."""
    every = cases(["maze", "tube"], 3, 7)
    assert len(every) == len(set(every)) == 2 * 3 * (len(actuators()) + 1)
    assert {case.kind for case in every} == {*actuators(), MIXED}
    assert [one.kind for one in make_tube(MIXED).actuators] == [*actuators()]


def test_differences_are_between_plans_of_the_same_seed() -> None:
    """Over pairs that both solved: 2 - 1, 3 - 1 and 1 - 1; the one without a design does not count."""
    first = [outcome("spam", name, seed, 1) for name in ("maze", "tube") for seed in (0, 1)]
    other = [
        outcome("fpam", name, seed, n)
        for name, seed, n in (("maze", 0, 2), ("maze", 1, 3), ("tube", 0, 1), ("tube", 1, None))
    ]
    found = compare_actuators([*other, *first], "fpam", "spam")
    assert found is not None
    assert found.mean == pytest.approx(1.0)
    assert compare_actuators(first, "fpam", "spam") is None


def test_the_report_shows_every_plan(bars: list[ActuatorRange], tmp_path: Path) -> None:
    """Numbers by environment, in order of seeds, a dash without a design, and totals; the pictures are drawn."""
    numbers = {"spam": (1, 2), "pouch": (None, 1), "fpam": (3, 3), "cpam": (1, 1)}
    outcomes = [outcome(kind, "maze", seed, n) for kind, pair in numbers.items() for seed, n in enumerate(pair)]
    made = report(outcomes[::-1], bars)
    assert "| maze | 1, 2 | -, 1 | 3, 3 | 1, 1 |" in made.text
    assert "| solved | 2 of 2 | 1 of 2 | 2 of 2 | 2 of 2 |" in made.text
    assert "| mean | 1.50 | 1.00 | 3.00 | 1.00 |" in made.text
    assert "| fpam | +1.50 |" in made.text
    assert made.content["more_than_spam"]["pouch"]["mean"] == -1.0
    for name, draw, some in (
        ("a", save_forces, bars),
        ("b", save_curvatures, bars),
        ("c", save_plans, outcomes),
    ):
        draw(tmp_path / name, some)  # type: ignore[arg-type]
        assert (tmp_path / name).stat().st_size > 5000


def test_a_plan_is_repeatable() -> None:
    """Equal cases give equal outcomes; in `tube` straight growth suffices."""
    case = ActuatorCase("cpam", "tube", 1, 2)
    one = run_case(case)
    assert one == run_case(case)
    assert one.actuators is not None


@pytest.mark.slow
def test_the_command_writes_its_folder(vinewright: Vinewright, tmp_path: Path) -> None:
    """Report, data and three pictures."""
    done = vinewright("reproduce", "actuators", "--seeds", "1", "--iterations", "2", "--env", "tube")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "actuators"
    assert {entry.name for entry in folder.iterdir()} == {
        "README.md", "data.json", "actuators-force.png", "actuators-curvature.png", "actuators-plans.png",
    }  # fmt: skip
    assert len(json.loads((folder / "data.json").read_text())["plans"]) == len(actuators()) + 1
