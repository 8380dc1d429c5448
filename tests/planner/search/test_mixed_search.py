"""Planning with several types of actuators along one tube."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import load_environment
from environments.uncertainty import PRESETS, Uncertainty
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section
from planner.design.design_file import design_content, parse_design
from planner.design.schedule import VENTED
from planner.plan.choice.refinement import replace_curvature, with_another
from planner.search.controls import actuation, sections_of
from planner.search.run import Budget, Run
from planner.search.sst import Switches
from planner.search.steered.carried import ActuatorHistory
from planner.search.steered.search import SteeredSearch
from planner.uncertainty.deviations import SectionErrors, WorldErrors, actuation_of
from surrogate.actuators import cell_range
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.registry import UnknownActuator, parse_actuators

PARAMS = VineParams(others=(PouchMotor(), Fpam(), Cpam()))
CATALOGUE = Catalogue.of(PARAMS)


def test_the_catalogue_is_those_of_the_types_one_after_the_other() -> None:
    alone = [Catalogue.of(VineParams(actuator=one)) for one in PARAMS.actuators]
    assert CATALOGUE.kind.tolist() == np.repeat(range(4), [len(one.l_0) for one in alone]).tolist()
    for part in ("l_0", "pressure", "curvature"):
        np.testing.assert_allclose(
            getattr(CATALOGUE, part), np.concatenate([getattr(one, part) for one in alone]), rtol=1e-9
        )
    assert CATALOGUE.ranges == pytest.approx(np.array([one.reachable for one in alone]), rel=1e-9)
    assert CATALOGUE.reachable == (CATALOGUE.ranges.min(), CATALOGUE.ranges.max())


@pytest.mark.parametrize("kind", range(4))
def test_an_actuator_for_a_curvature_is_the_one_that_its_type_alone_would_have(kind: int) -> None:
    alone = Catalogue.of(VineParams(actuator=PARAMS.actuators[kind]))
    wanted = np.linspace(*alone.reachable, 200)[1:-1]
    entry, error = CATALOGUE.synthesise(wanted, kind)
    own, own_error = alone.synthesise(wanted)
    assert set(CATALOGUE.kind[entry]) == {kind}
    np.testing.assert_array_equal(CATALOGUE.l_0[entry], alone.l_0[own])
    np.testing.assert_array_equal(CATALOGUE.pressure[entry], alone.pressure[own])
    np.testing.assert_allclose(error, own_error, atol=1e-9)
    high = CATALOGUE.ranges[kind, 1]
    with pytest.raises(ValueError, match="cannot be reached"):
        CATALOGUE.synthesise(1.01 * high, kind)


def test_every_type_is_drawn_as_often() -> None:
    """A tube with one type draws the curvatures that it drew before there were several."""
    entry = CATALOGUE.draw(np.random.default_rng(0), 4000)
    counts = np.bincount(CATALOGUE.kind[entry], minlength=4)
    assert counts.min() > 900
    for kind, (low, high) in enumerate(CATALOGUE.ranges):
        own = CATALOGUE.curvature[entry[CATALOGUE.kind[entry] == kind]]
        assert np.quantile(own, 0.5) == pytest.approx((low + high) / 2, rel=0.1)
    alone = Catalogue.of(VineParams())
    expected = alone.synthesise(np.random.default_rng(3).uniform(*alone.reachable, 50))[0]
    np.testing.assert_array_equal(alone.draw(np.random.default_rng(3), 50), expected)
    assert {*CATALOGUE.kind[CATALOGUE.synthesise_all()]} == {0, 1, 2, 3}


def test_controls_keep_the_type() -> None:
    entries = [int(np.flatnonzero(CATALOGUE.kind == kind)[7]) for kind in (2, 0, 3)]
    controls = np.repeat([entries[0] + 1, 0, -entries[1] - 1, entries[2] + 1], 5).astype(np.int32)
    sections = sections_of(controls, 0.025, CATALOGUE)
    assert [one.kind for one in sections] == [2, 0, 0, 3]
    carried = actuation(controls[None], CATALOGUE)
    assert carried.kind is not None
    assert carried.kind[0, controls != 0].tolist() == np.repeat([2, 0, 3], 5).tolist()
    design = Design("somewhere", "0" * 64, PARAMS, sections, np.zeros(3), np.zeros((2, 2)))
    built = design.actuation(20)
    np.testing.assert_array_equal(built.pressure, carried.pressure)
    assert built.kind is not None
    np.testing.assert_array_equal(built.kind[carried.pressure != 0], carried.kind[carried.pressure != 0])


def three() -> Design:
    sections = (
        Section(0.0, 0.3, "left", 2.0, 0.04, 20e3, kind=1),
        Section(0.3, 0.6, "none", 0.0, 0.0, 0.0),
        Section(0.6, 0.9, "right", 2.0, 0.04, 15e3, kind=2),
        Section(0.9, 1.2, "left", 2.0, 0.05, 25e3),
    )
    return Design("somewhere", "0" * 64, PARAMS, sections, np.zeros(3), np.zeros((2, 2)))


def test_a_world_without_errors_is_the_one_that_was_planned() -> None:
    """With errors every cell stays within the table of its own type, and is bent by its own force."""
    design, trials = three(), [None, *range(40)]
    planned, environment = design.actuation(design.segments), load_environment("plus", PARAMS.radius)
    wild = replace(PRESETS["workshop"], cell=0.1)
    for uncertainty, rows in ((Uncertainty(), slice(None)), (wild, slice(0, 1))):
        world = WorldErrors.draw(environment, PARAMS, uncertainty, trials, 0)
        sections = SectionErrors.draw(len(design.actuated), uncertainty, trials, 0)
        found = actuation_of(design, sections, world)
        for part in ("pressure", "l_0"):
            expected = np.broadcast_to(getattr(planned, part), (len(trials), design.segments))
            np.testing.assert_allclose(getattr(found, part)[rows], expected[rows], rtol=1e-6, err_msg=part)
    assert found.kind is not None
    for kind in (0, 1, 2):
        own = found.l_0[(found.kind == kind) & (found.pressure != 0)]
        assert (own.min(), own.max()) == pytest.approx(cell_range(PARAMS.actuators[kind]))


def test_refinement_keeps_the_type_of_a_section() -> None:
    """Its cells and pressure change within what its type reaches; a new actuator is of any type."""
    section = three().actuated[1]
    for curvature in (0.1, 2.0, 50.0):
        made = replace_curvature(section, CATALOGUE, curvature)
        entry = np.flatnonzero(
            (CATALOGUE.kind == 2) & (CATALOGUE.pressure == made.pressure) & (CATALOGUE.l_0 == made.l_0)
        )
        assert CATALOGUE.curvature[entry].tolist() == [made.curvature]
        assert made.kind == 2
    rng = np.random.default_rng(0)
    grown = [with_another(three(), CATALOGUE, rng) for _ in range(300)]
    added = [one.sections[2].kind for one in grown if one and len(one.sections) == 6 and one.sections[1].side == "none"]
    assert {*added} == {0, 1, 2, 3}


@pytest.mark.slow
def test_a_plan_may_mix_types() -> None:
    """Its designs are the same from the file, and grow to the goal with the propagator that planned them."""
    environment = load_environment("needle", PARAMS.radius)
    run = Run.prepare(environment, PARAMS, partial(QuasiStatic, threads=1), 1)
    for _ in run.run(Budget(np.inf, iterations=25)):
        pass
    kinds = {one.kind for solution in run.solutions.best for one in solution.design.actuated}
    assert len(kinds) > 1
    best = run.solutions.best[0].design
    again = parse_design(design_content(best), "design.json")
    assert [one.kind for one in again.sections] == [one.kind for one in best.sections]
    length = best.length
    exact = QuasiStatic(environment, PARAMS, threads=1)
    rollout = exact.grow(exact.start(1, again.segments), again.actuation(again.segments), length, PARAMS.segment_length)
    tip = rollout.tips[0, rollout.records[0] - 1]
    assert np.hypot(*(tip[:2] - environment.goal[:2])) < environment.goal[2] + 0.02


def test_a_vented_actuator_keeps_its_type() -> None:
    """Two types with cells of one length have each a vented one."""
    params = replace(VineParams(), others=(PouchMotor(),))
    environment = load_environment("plus", params.radius)
    rng = np.random.default_rng(0)
    search = SteeredSearch(environment, QuasiStatic(environment, params, threads=1), params, rng, 10, Switches(steer=1))
    every, levels = Catalogue.of(params), search.levels
    vented = np.flatnonzero(levels.catalogue.pressure == VENTED)
    assert len(vented) == len(np.unique(np.stack([every.kind, every.l_0]), axis=1).T)
    for entry in (0, len(every.l_0) - 1):
        same = [*levels.pressurised(-entry - 1), -levels.vented(-entry - 1) - 1]
        assert set(levels.catalogue.kind[same]) == {every.kind[entry]}
        assert set(levels.catalogue.l_0[same]) == {every.l_0[entry]}
        assert same[-1] in vented
        assert levels.is_vented(same[-1] + 1)
        (section,) = ActuatorHistory().with_growth(0, 12, entry + 1).sections(12, 0.025, levels.catalogue)
        assert section.kind == every.kind[entry]


def test_types_on_the_command_line() -> None:
    assert parse_actuators("spam, cpam") == ["spam", "cpam"]
    for wrong, said in (
        ("spam,spam", "given twice"),
        ("spam,", "unknown actuator ''"),
        ("air", "unknown actuator 'air'"),
    ):
        with pytest.raises(UnknownActuator, match=said):
            parse_actuators(wrong)
