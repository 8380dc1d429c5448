"""Designs grown by several propagators: how two growths are compared, and what is said of those that miss the goal."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.registry import propagators
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.comparison.growths import Comparison, RecordedGrowth
from planner.design.design import Design, Section
from studies.validation import cross_checks
from studies.validation.cross_checks import ENVIRONMENTS, check_design, columns, plan_best, report
from studies.validation.cross_checks_plots import save_cross_checks
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
PNG = b"\x89PNG"
NAMES = ("quasistatic", "impulse", "geometric")


def straight(length: float, goal: Floats) -> Design:
    """A tube without actuators."""
    section = Section(0.0, length, "none", 0.0, 0.0, 0.0)
    return Design("bare", "", VineParams(), (section,), np.append(goal[:2], 0.0), np.array([[0.0, 0.0], [length, 0.0]]))


def to_goal(environment: Environment, x: float, y: float, radius: float) -> Environment:
    """The environment with another goal [m]."""
    return replace(environment, goal=np.array([x, y, radius]))


def test_all_agree_in_free_space(environment: MakeEnvironment) -> None:
    """A tube without actuator is straight whatever grows it: the tip is where the base points to, and nothing is touched."""
    workspace = to_goal(environment(start=(0.0, 0.0, 0.5)), 0.4 * np.cos(0.5), 0.4 * np.sin(0.5), 0.01)
    found = list(check_design(workspace, straight(0.4, workspace.goal), NAMES))
    assert [one.propagator for one in found] == columns(NAMES)
    for one in found:
        np.testing.assert_allclose(one.own.lines[-1][-1], workspace.goal[:2], atol=1e-6)
        assert one.own.reached
        assert one.own.status == Status.GROWN
        assert (one.parts, one.contacts, one.same_class, one.fails) == (None, "same", True, False)
        assert one.apart.max() < 1e-6
        assert not one.own.touched


def test_a_design_that_others_miss_is_reported(environment: MakeEnvironment) -> None:
    """A tube grown straight at a wall: geometry is stuck there, by moments it buckles and ends elsewhere; the report says which and why."""
    workspace = environment(boxes=[(0.5, -0.6, 0.6, 0.6)], start=(0.0, 0.0, np.radians(2)))
    free = next(check_design(workspace, straight(0.7, workspace.goal), ("quasistatic",)))
    workspace = to_goal(workspace, *free.own.lines[-1][-1], 0.05)
    found = {
        one.propagator: one
        for one in check_design(workspace, straight(0.7, workspace.goal), ("quasistatic", "geometric"))
    }
    stuck = found["geometric"]
    assert found["quasistatic"].own.reached
    assert stuck.fails
    assert stuck.own.status == Status.STALLED
    assert stuck.own.length == pytest.approx((0.5 - VineParams().radius) / np.cos(np.radians(2)), abs=2e-3)
    assert "heading at 88° into box 1" in stuck.causes()[0]
    assert not found["quasistatic"].causes()
    text = "\n".join(report(list(found.values())))
    assert "- bare, `geometric`: stuck at 467 mm" in text
    assert "- bare, `quasistatic`" not in text


def test_checks_are_written_and_drawn(environment: MakeEnvironment, tmp_path: Path) -> None:
    """A row for each propagator, JSON without NaN, and a picture, also of what has no record."""
    workspace = to_goal(environment(circles=[(0.3, 0.05, 0.02)]), 0.4, 0.0, 0.01)
    found = list(check_design(workspace, straight(0.4, workspace.goal), NAMES))
    nothing = RecordedGrowth(np.empty(0), [], [], Status.UNRESOLVED, False, False)
    found.append(Comparison(workspace, straight(0.4, workspace.goal), "penalty", nothing, found[0].own))
    assert found[-1].same_class is None
    assert sum(line.startswith("| bare") for line in report(found)) == len(found)
    json.dumps([one.content() for one in found], allow_nan=False)
    save_cross_checks(tmp_path / "checks.png", found)
    assert (tmp_path / "checks.png").read_bytes()[:4] == PNG


@pytest.mark.slow
def test_planning_does_not_depend_on_the_time() -> None:
    """Equal numbers of iterations with one seed find the same design again."""
    first = plan_best("pickone", 4)[1]
    plan_best.cache_clear()
    again = plan_best("pickone", 4)[1]
    assert first.sections == again.sections
    np.testing.assert_array_equal(first.centerline, again.centerline)


@pytest.mark.slow
def test_designs_of_every_environment_survive_half_the_step() -> None:
    """They touch the same obstacles: the models that know moments agree wherever the motion is not sensitive to initial conditions."""
    found = [
        one for environment in ENVIRONMENTS for one in check_design(*plan_best(environment), ("quasistatic", "impulse"))
    ]
    assert {one.environment.name for one in found} == set(ENVIRONMENTS)
    for one in found:
        if one.propagator.endswith(cross_checks.HALVED):
            assert one.own.reached
            assert one.contacts in ("same", "other order")
            assert one.same_class
    impulse = [one for one in found if one.propagator == "impulse"]
    assert sum(one.own.reached for one in impulse) >= len(ENVIRONMENTS) / 2
    assert columns(propagators())[2:] == ["penalty", "impulse", "geometric"]
