"""Posteriors of built tubes, against closed forms and hidden truths."""

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import Uncertainty
from planner.built.posterior import Posterior, infer, predict_success
from planner.built.predicting import BuiltTube
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
    """Of three tips, one is a metre beside the others: it is named, and the others count."""
    tube = BuiltTube(design, room, Uncertainty(start_heading=0.05))
    tip = tube.grow(np.zeros((1, 3))).tip[0]
    tips = [tip, tip + 3e-3, tip + np.array([0.0, 1.0])]
    growths = tuple(Growth(None, (float(x), float(y)), None, None, None, "") for x, y in tips)
    posterior = infer(tube, Trials("", growths=growths))
    assert posterior.doubted() == ["growth 3"]
    assert abs(values_of(posterior, "base: heading")[0]) < 0.03
