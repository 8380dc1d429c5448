"""Variants of shipped environments in `examples/same-design`: no best design for one of them does for the other."""

from itertools import permutations
from pathlib import Path

import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.plan.inputs import Inputs
from planner.plan.plan import plan
from planner.plan.problem import Problem
from planner.plan.several.plan import plan_same
from planner.plan.several.tubes import all_masks, extend, in_environment

PARAMS = VineParams()
VARIANTS = Path(__file__).parents[4] / "examples" / "same-design"
LONGEST = 5.0
"""Bare tube is added to a design up to this length [m], so that no goal is missed for want of tube."""


def grown_with_any_mask(design: Design, environment: Environment) -> list[bool]:
    """Whether the tip reaches the goal with each mask."""
    tube = extend(design, LONGEST)
    used = [in_environment(tube, mask, environment) for mask in all_masks((True,) * tube.actuators)]
    return [one.reached for one in grow_designs(used, environment, QuasiStatic(environment, PARAMS).refined(8))]


def variants(names: tuple[str, str]) -> list[Environment]:
    return [load_environment(VARIANTS / f"{name}.toml", PARAMS.radius) for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("names", [("divider-low", "divider-left"), ("needle-low", "needle-high")])
def test_the_best_design_for_one_misses_in_the_other(names: tuple[str, str]) -> None:
    """With every mask, although the tube may be as long as it likes."""
    for own, other in permutations(variants(names)):
        best = plan(Problem.of(own, PARAMS, Inputs(iterations=20, fast=True))).best
        assert best
        assert any(grown_with_any_mask(best, own))
        assert not any(grown_with_any_mask(best, other))


@pytest.mark.slow
def test_one_tube_is_found_for_two_variants() -> None:
    """It reaches both goals when it is grown again at a finer step."""
    environments = variants(("divider-low", "divider-left"))
    options = Inputs(time_budget_s=60.0, fast=True)
    found = plan_same([Problem.of(environment, PARAMS, options) for environment in environments])
    assert found.choice
    assert found.choice.champion.sound
    one, other = found.designs
    assert [(s.start, s.end, s.side, s.l_0, s.pressure) for s in one.sections] == [
        (s.start, s.end, s.side, s.l_0, s.pressure) for s in other.sections
    ]
    for design, environment in zip(found.designs, environments, strict=True):
        assert grow_designs([design], environment, QuasiStatic(environment, PARAMS).refined(8))[0].ends_in_goal
