"""Search with preformed bends: what may be sampled, what it costs, and that nothing changes without them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from dynamics.preformed import largest_turn
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section
from planner.output.contents import CHECKPOINT
from planner.plan.choice.refinement import vary, with_another
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.controls import actuation, sections_of
from planner.search.prices import BENDS, Prices
from planner.search.run import Budget, Run
from planner.search.sst import LENGTH_COST, Switches
from tests.run_state import state_of

PARAMS = VineParams(thickness_share=0.0)
PLAIN, BENT = Catalogue.of(PARAMS), Catalogue.of(PARAMS, bends=8)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Environment:
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(small_environment("[[250, 100, 300, 300]]"))
    return load_environment(path)


def prepared(environment: Environment, preformed: float | None, seed: int = 1) -> Run:
    return Run.prepare(environment, PARAMS, QuasiStatic, seed, 30, switches=Switches(preformed=preformed))


def searched(run: Run, iterations: int) -> Run:
    for _ in run.run(Budget(600.0, iterations)):
        pass
    return run


def test_actuators_stay_what_they_are() -> None:
    """Bends follow the actuators in the catalogue; what is synthesised from a curvature is always an actuator."""
    assert BENT.actuators == PLAIN.actuators == len(PLAIN.l_0)
    for name in ("l_0", "pressure", "curvature"):
        np.testing.assert_array_equal(getattr(BENT, name)[: BENT.actuators], getattr(PLAIN, name))
    assert BENT.reachable == PLAIN.reachable
    np.testing.assert_array_equal(BENT.synthesise_all(), PLAIN.synthesise_all())
    wanted = np.linspace(*PLAIN.reachable, 50)
    np.testing.assert_array_equal(BENT.synthesise(wanted)[0], PLAIN.synthesise(wanted)[0])
    np.testing.assert_allclose(BENT.turn, largest_turn(PARAMS) * np.arange(1, 9) / 8)
    assert BENT.curvature[-1] == pytest.approx(1 / (2 * PARAMS.radius))


def test_controls_are_the_sections_that_they_become() -> None:
    """Bends and actuators by control give the segments what the design gives them, on both sides."""
    first = BENT.actuators + 1
    controls = np.array([0, 0, first + 2, first + 2, -5, -5, -5, -first, 0, first + 7], np.int32)
    sections = sections_of(controls, PARAMS.segment_length, BENT)
    assert [one.preformed for one in sections] == [False, True, False, True, False, True]
    assert [one.side for one in sections] == ["none", "left", "right", "right", "none", "left"]
    design = Design("", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    one, other = actuation(controls[None], BENT), design.actuation(len(controls))
    assert one.rest is not None
    assert other.rest is not None
    np.testing.assert_allclose(one.rest, other.rest, rtol=1e-12)
    np.testing.assert_allclose(one.pressure, other.pressure)
    assert actuation(controls[None, :2], PLAIN).rest is None
    prices = Prices(PARAMS, 0.25)
    assert prices.of_design(design) == 1 + 3 * 0.25
    each = [0.0, *[1.0] * BENT.actuators, *[0.25] * BENDS]
    np.testing.assert_array_equal(prices.of_entry, each)
    scaled = np.where(np.abs(controls) >= first, np.sign(controls) * (prices.catalogue.actuators + 3), controls)
    np.testing.assert_allclose(prices.of_vines(scaled[None].repeat(3, 0), np.array([10, 4, 0])), [1.75, 0.25, 0.0])


def test_a_search_finds_bends_where_they_cost_less(small: Environment) -> None:
    """An obstacle needs one bend: with a low price it is preformed; every node has the price of its controls."""
    run = searched(prepared(small, 0.1), 12)
    assert run.best
    design = run.best.design
    assert (design.actuators, len(design.preformed) > 0) == (0, True)
    cost = 0.1 * len(design.preformed) + LENGTH_COST * design.length
    assert run.best.cost == pytest.approx(cost)
    tree = run.search.tree
    used = np.flatnonzero(tree.used)
    controls = tree.pages.controls(used, run.search.max_segments)
    np.testing.assert_array_equal(tree.actuators[used], run.search.prices.of_vines(controls, tree.segments[used]))
    entries = np.abs(controls)
    assert (entries > run.search.catalogue.actuators).any()
    assert ((entries > 0) & (entries <= run.search.catalogue.actuators)).any()


def test_a_search_with_bends_goes_on_to_the_last_bit(small: Environment, tmp_path: Path) -> None:
    """Resumed from a checkpoint it does what it would have done, although prices are not stored."""
    whole, run = searched(prepared(small, 0.1), 6), searched(prepared(small, 0.1), 3)
    inputs = Inputs(preformed=True, seed=1, batch=30, fast=True)
    write_checkpoint(tmp_path / CHECKPOINT, run, inputs)
    again = prepared(small, 0.1)
    read = read_checkpoint(tmp_path)
    assert (read.inputs.preformed, read.inputs.preformed_cost) == (True, 0.1)
    read.restore(again)
    used = run.search.tree.used
    np.testing.assert_array_equal(again.search.tree.actuators[used], run.search.tree.actuators[used])
    assert state_of(searched(again, 6)) == state_of(whole)


def test_free_bends_and_none(small: Environment) -> None:
    """Bends may cost nothing. Without the switch there are none, and prices are whole numbers."""
    run = searched(prepared(small, 0.0), 8)
    assert run.best
    assert run.best.cost == pytest.approx(run.best.design.actuators + LENGTH_COST * run.best.design.length)
    plain = searched(prepared(small, None), 8)
    assert plain.search.tree.actuators.dtype == np.int64
    assert plain.best
    assert not plain.best.design.preformed
    assert len(plain.search.catalogue.turn) == 0


def test_options_become_the_switch(small: Environment) -> None:
    """The price is that of the options, and nothing that knows actuators only goes with it."""
    assert Problem.of(small, PARAMS, Inputs()).switches().preformed is None
    assert Problem.of(small, PARAMS, Inputs(preformed=True, preformed_cost=0.3)).switches().preformed == 0.3
    assert len(prepared(small, 0.3).search.catalogue.turn) == BENDS
    for other in ({"heuristic": True}, {"particles": 3}, {"planner": "rrt"}):
        with pytest.raises(ValidationError, match="cannot be combined with"):
            Inputs(**other, preformed=True)  # type: ignore[arg-type]


def test_refinement_bends_what_is_preformed() -> None:
    """Its curvature changes freely up to the tightest that can be folded; it is neither split nor counted as an actuator."""
    formed = Section(0.2, 0.5, "left", 3.0, 0.0, 0.0, preformed=True)
    sections = Section(0.0, 0.2, "none", 0, 0, 0), formed, Section(0.5, 0.8, "none", 0, 0, 0)
    design = Design("", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    made = vary(design, PLAIN, np.zeros(3), np.array([1.0]))
    assert made is not None
    assert made.sections[1].curvature == pytest.approx(3.0 * np.exp(0.12))
    assert made.sections[1].preformed
    tight = vary(design, PLAIN, np.zeros(3), np.array([50.0]))
    assert tight is not None
    assert tight.sections[1].curvature == pytest.approx(1 / (2 * PARAMS.radius))
    rng = np.random.default_rng(0)
    more = [one for one in (with_another(design, PLAIN, rng) for _ in range(40)) if one is not None]
    assert more
    assert all(one.actuators == 1 and len(one.preformed) == 1 for one in more)
