"""Posteriors of built tubes, against closed forms and hidden truths."""

import numpy as np
import pytest
from scipy.special import betaln
from scipy.stats import beta

from environments import Environment
from environments.uncertainty import Uncertainty
from planner.built.likelihood import STRANGE
from planner.built.posterior import LEARNT, LEAST_DIFFERENCE, WRONG, Posterior, SuccessRange, infer, predict_success
from planner.built.predicting import BuiltTube, Setting
from planner.built.tempering import Tempered
from planner.built.trial import BendTest, Growth, MeasuredPoint, MeasurementErrors, Trials
from planner.design.design import Design
from planner.uncertainty.causes import COMMON
from planner.uncertainty.deviations import SectionErrors, WorldErrors, measured_bends

NOTHING = (None, None, None, None, None, "")


@pytest.fixture
def near(design: Design, room: Environment) -> Environment:
    """The room with a small goal where the tip ends as planned."""
    tip = BuiltTube(design, room, Uncertainty()).grow(np.zeros((1, 2))).tip[0]
    return Environment("near", "", room.bounds, room.start, [*tip, 0.05], room.obstacles)


def values_of(posterior: Posterior, name: str) -> tuple[float, float]:
    """Mean and standard deviation of an error in SI units."""
    (index,) = (k for k, cause in enumerate(posterior.tube.unknowns) if cause.name == name)
    column = posterior.values()[:, index]
    return float(column.mean()), float(column.std())


def test_bends_measured_in_free_space(design: Design, room: Environment) -> None:
    """A bend 10 % too large by a precise protractor: the sum of what actuators have in common and of the section's own part is known."""
    share, error = 0.1, np.radians(0.1)
    planned = measured_bends(design, SectionErrors.none(1, 2), WorldErrors.none(room, 1))[0, 0]
    pressure = design.actuated[0].pressure
    trials = Trials("", MeasurementErrors(bend=error), bends=(BendTest(1, pressure, 1.1 * planned),))
    posterior = infer(BuiltTube(design, room, Uncertainty(curvature_share=share)), trials, samples=2000)
    kind = design.params.actuators[0].kind
    common, own = values_of(posterior, f"all {kind} actuators: bend"), values_of(posterior, "section 1: bend")
    # Normal with a linear observation: the parts share what is observed by their variances, and keep their difference.
    kept = share**2 / (share**2 + (error / planned) ** 2)
    assert common[0] == pytest.approx(COMMON * 0.1 * kept, abs=6e-3)
    assert own[0] == pytest.approx((1 - COMMON) * 0.1 * kept, abs=6e-3)
    assert common[1] == pytest.approx(share * np.sqrt(COMMON * (1 - COMMON)), rel=0.15)
    assert values_of(posterior, "section 2: bend")[0] == pytest.approx(0.0, abs=8e-3)
    assert posterior.traded()[0][2] < -0.9
    assert not posterior.doubted()


def test_points_of_obstacles(design: Design, room: Environment) -> None:
    """A corner 6 mm to the left: the box is there, nearly as exactly as it was measured, and other obstacles are where they were."""
    trials = Trials("", points=(MeasuredPoint("polygon 1", (0.3, -0.4), (0.294, -0.4)),))
    posterior = infer(BuiltTube(design, room, Uncertainty(obstacle_position=8e-3)), trials, samples=2000)
    mean, deviation = values_of(posterior, "polygon 1: along x")
    kept = 8.0**2 / (8.0**2 + 2.0**2)
    assert mean == pytest.approx(-6e-3 * kept, abs=0.3e-3)
    assert deviation == pytest.approx(2e-3 * np.sqrt(kept), rel=0.15)
    assert values_of(posterior, "circle 1: along x")[1] == pytest.approx(8e-3, rel=0.1)


def test_a_turned_base_is_found_from_tips(design: Design, room: Environment) -> None:
    """A heading 2 standard deviations off, from four tips measured with error; success before and after."""
    tube = BuiltTube(design, room, Uncertainty(start_heading=0.05, section_position=2e-3))
    rng, truth = np.random.default_rng(4), np.zeros((1, len(tube.unknowns)))
    truth[0, 0] = 2.0
    seen = tube.grow(tube.repeat(truth, rng.standard_normal((4, len(tube.unknowns)))))
    growths = tuple(
        Growth(None, (float(x), float(y)), None, None, None, "") for x, y in seen.tip + rng.normal(0, 5e-3, (4, 2))
    )
    posterior = infer(tube, Trials("", growths=growths))
    mean, deviation = values_of(posterior, "base: heading")
    assert 0.05 < mean < 0.14
    assert deviation < 0.03
    assert posterior.learnt()[0].cause.name == "base: heading"
    assert posterior.different > 100


def test_nothing_measured_is_the_prior(design: Design, near: Environment) -> None:
    """Without trials nothing is learnt, and success is that of tubes with all their errors."""
    posterior = infer(BuiltTube(design, near, Uncertainty(start_heading=0.15)), Trials(""))
    assert posterior.growths == 0
    assert not posterior.learnt()
    success = predict_success(posterior)
    assert 0.2 < success.mean < 0.9
    assert success.interval[0] < success.mean < success.interval[1]


def test_one_growth_leaves_wide_intervals(design: Design, near: Environment) -> None:
    """That a tube reached the goal once does not make it certain."""
    tube = BuiltTube(design, near, Uncertainty(start_heading=0.1))
    once = Trials("", growths=(Growth(True, *NOTHING[1:]),))
    before, after = predict_success(infer(tube, Trials(""))), predict_success(infer(tube, once))
    assert 0.1 < before.mean < 0.9
    assert before.mean < after.mean < 0.99
    assert after.interval[0] < 0.8


def test_measurements_that_no_model_explains_are_named(design: Design, room: Environment) -> None:
    """One of three tips is a metre beside the others: it is named, and the others count."""
    tube = BuiltTube(design, room, Uncertainty(start_heading=0.05))
    tip = tube.grow(np.zeros((1, 3))).tip[0]
    tips = [tip, tip + 3e-3, tip + np.array([0.0, 1.0])]
    growths = tuple(Growth(None, (float(x), float(y)), None, None, None, "") for x, y in tips)
    posterior = infer(tube, Trials("", growths=growths))
    assert posterior.doubted() == ["growth 3"]
    assert abs(values_of(posterior, "base: heading")[0]) < 0.03


def test_few_samples_that_differ_leave_wide_errors(
    design: Design, near: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the sampling ends with copies of some tubes, part of the samples are tubes as before the trials; where many differ, none is."""

    def end_with(different: int) -> None:
        def copies(*_: object) -> Tempered:
            found = np.repeat(
                np.full((different, 3), 3.0) + 1e-3 * np.arange(different)[:, None], 200 // different, axis=0
            )
            return Tempered(found, different, 1)

        monkeypatch.setattr("planner.built.posterior.temper", copies)

    tube = BuiltTube(design, near, Uncertainty(start_heading=0.1))
    once = Trials("", growths=(Growth(True, *NOTHING[1:]),))
    end_with(10)
    posterior = infer(tube, once, samples=200)
    assert posterior.different == 10
    assert (posterior.normal > 2.9).all(axis=1).sum() == 40
    assert 0.7 < posterior.normal.std() < 1.6
    end_with(50)
    assert (infer(tube, once, samples=200).normal > 2.9).all()


def test_fewer_samples_tell_less(design: Design, room: Environment) -> None:
    """An error counts as learnt by the number of samples that differ; one that has moved by chance alone does not."""
    tube = BuiltTube(design, room, Uncertainty(start_heading=0.05, start_position=2e-3))
    normal = np.random.default_rng(0).standard_normal((400, 5))
    normal[:, 2] += 0.4
    assert [one.cause.name for one in Posterior(tube, normal, 400, {}, 0).learnt()] == ["base: heading"]
    assert not Posterior(tube, normal, 50, {}, 0).learnt()
    many = np.random.default_rng(1).standard_normal((300, 300, 1))
    assert max(abs(one.mean()) for one in many) * np.sqrt(300) < LEARNT


def test_the_interval_of_success_is_that_of_tubes() -> None:
    """Over tubes with a beta distribution of success, each grown four times, and over tubes that are all alike."""
    rng = np.random.default_rng(2)
    true = rng.beta(4.0, 2.0, 1000)
    found = SuccessRange(rng.binomial(4, true) / 4, 4)
    assert found.mean == pytest.approx(2 / 3, abs=0.03)
    assert found.interval == pytest.approx(np.quantile(true, [0.05, 0.95]), abs=0.05)
    alike = SuccessRange(rng.binomial(4, 0.5, 1000) / 4, 4).interval
    size = 1 / LEAST_DIFFERENCE - 1
    assert alike == pytest.approx(beta.ppf([0.05, 0.95], size / 2, size / 2), abs=0.02)
    low, high = SuccessRange(np.ones(256), 4).interval
    assert 0.99 < low < 1.0 == high
    low, high = SuccessRange(np.repeat([0.0, 1.0], 128), 4).interval
    assert low < 0.01
    assert high > 0.99
    nearly = SuccessRange(np.repeat([0.5, 1.0], [8, 248]), 4)
    assert nearly.interval[0] <= nearly.mean <= nearly.interval[1]


def test_growths_of_known_tubes_differ(design: Design, near: Environment) -> None:
    """Tubes of which all is known but what differs between growths succeed equally often, and the interval contains that share."""
    tube = BuiltTube(design, near, Uncertainty(start_heading=0.3))
    known = np.zeros((200, 3))
    known[:, 0] = 0.3
    posterior = Posterior(tube, known, 200, {}, 0)
    success = predict_success(posterior, growths=4, seed=1)
    assert 0.1 < success.mean < 0.95
    true = predict_success(posterior, growths=20, seed=2).mean
    low, high = success.interval
    assert low <= true <= high
    assert high - low < 0.4


def test_results_against_the_model(design: Design, near: Environment) -> None:
    """Ten misses of a tube that no model lets miss: its success is known from the results alone, and its interval says so."""
    wide = Environment("wide", "", near.bounds, near.start, [*near.goal[:2], 0.3], near.obstacles)
    tube = BuiltTube(design, wide, Uncertainty(start_heading=1e-3))
    missed = Trials("", growths=(Growth(False, *NOTHING[1:]),) * 10)
    posterior = infer(tube, missed)
    success = predict_success(posterior)
    assert posterior.unexplained > 0.99
    assert success.each.mean() > 0.99
    assert success.mean == pytest.approx(0.5 / 11, abs=0.01)
    assert success.interval == pytest.approx(beta.ppf([0.05, 0.95], 0.5, 10.5), abs=0.01)
    # Of other settings no results are known.
    assert predict_success(posterior, Setting(design)).interval == pytest.approx(
        beta.ppf([0.05, 0.95], 0.5, 0.5), abs=0.02
    )


def test_results_weigh_tubes_by_how_often_they_succeed(design: Design, near: Environment) -> None:
    """Tubes that differ in nothing that lasts: six of eight successes are what the model predicts, and it is believed a little more."""
    tube = BuiltTube(design, near, Uncertainty(curvature_share=1e-4))
    trials = Trials("", growths=(Growth(True, *NOTHING[1:]),) * 8)
    posterior = infer(tube, trials)
    # Bayes: results that are certain if the model is right and no growth is strange, against a beta distribution.
    alone, right = np.exp(betaln(8.5, 0.5) - betaln(0.5, 0.5)), (1 - STRANGE / 2) ** 8
    assert posterior.unexplained == pytest.approx(WRONG * alone / (WRONG * alone + (1 - WRONG) * right), abs=2e-3)
    assert posterior.results == (8, 0)


def test_a_single_miss_may_be_of_a_knocked_tube(design: Design, near: Environment) -> None:
    """One miss in six of a tube that no model lets miss: a strange growth explains it better than a tube that nobody knows."""
    tube = BuiltTube(design, near, Uncertainty(curvature_share=1e-4))
    hit, miss = (Growth(reached, *NOTHING[1:]) for reached in (True, False))
    posterior = infer(tube, Trials("", growths=(hit,) * 5 + (miss,)))
    alone, right = np.exp(betaln(5.5, 1.5) - betaln(0.5, 0.5)), (1 - STRANGE / 2) ** 5 * STRANGE / 2
    assert posterior.unexplained == pytest.approx(WRONG * alone / (WRONG * alone + (1 - WRONG) * right), abs=0.05)


def test_results_tell_which_tubes_are_likely(design: Design, near: Environment) -> None:
    """One error decides success: after misses alone, tubes with small errors are unlikely, as Bayes says."""
    tube = BuiltTube(design, near, Uncertainty(start_heading=0.1))
    known = np.random.default_rng(6).standard_normal((400, len(tube.unknowns)))
    reached = predict_success(Posterior(tube, known, 400, {}, 0), growths=16, seed=4).each
    for hits, misses in ((0, 3), (2, 1)):
        chance = (1 - STRANGE) * reached + STRANGE / 2
        weights = chance**hits * (1 - chance) ** misses
        growths = (Growth(True, *NOTHING[1:]),) * hits + (Growth(False, *NOTHING[1:]),) * misses
        success = predict_success(infer(tube, Trials("", growths=growths), samples=300), seed=3)
        assert success.each.mean() == pytest.approx((weights * reached).sum() / weights.sum(), abs=0.08)
