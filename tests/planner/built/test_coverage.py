"""Intervals of success after trials, over many simulated benches whose truth is known."""

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import Uncertainty
from planner.built.posterior import Posterior, infer, predict_success
from planner.built.predicting import BuiltTube
from planner.built.trial import BendTest, Growth, MeasurementErrors, Trials
from planner.design.design import Design
from planner.uncertainty.deviations import measured_bends
from surrogate.kernels.compiled import Floats

BENCHES = 40
UNCERTAINTY = Uncertainty(
    start_position=8e-3, start_heading=0.06, pressure=700.0, cell=1e-3, section_position=3e-3, curvature_share=0.08
)


def measure(tube: BuiltTube, truth: Floats, rng: np.random.Generator) -> Trials:
    """Return two growths and a bend of a tube, measured with errors."""
    errors = MeasurementErrors()
    seen = tube.grow(tube.repeat(truth, rng.standard_normal((2, truth.shape[1]))))
    tips = seen.tip + rng.normal(0, errors.tip, (2, 2))
    growths = [
        Growth(bool(nearest <= 0), (float(x), float(y)), None, None, None, "")
        for nearest, (x, y) in zip(seen.nearest, tips, strict=True)
    ]
    world, sections = tube.errors(truth)
    bend = float(measured_bends(tube.design, sections, world)[0, 0] + rng.normal(0, errors.bend))
    return Trials("", errors, tuple(growths), (BendTest(1, tube.design.actuated[0].pressure, bend),))


@pytest.mark.slow
def test_intervals_of_success_cover_the_truth(design: Design, room: Environment) -> None:
    """Over 40 benches whose hidden errors have tails twice as wide for one in ten: 90 % intervals contain the success of 80 to 100 %."""
    tip = BuiltTube(design, room, Uncertainty()).grow(np.zeros((1, 2))).tip[0]
    near = Environment("near", "", room.bounds, room.start, [*tip, 0.05], room.obstacles)
    tube = BuiltTube(design, near, UNCERTAINTY)
    rng, covered, missed = np.random.default_rng(0), [], []
    for bench in range(BENCHES):
        count = len(tube.unknowns)
        truth = rng.standard_normal((1, count)) * np.where(rng.random(count) < 0.1, 2.0, 1.0)
        trials = measure(tube, truth, rng)
        success = predict_success(infer(tube, trials, samples=128, seed=bench), seed=bench)
        true = predict_success(Posterior(tube, truth, 1, {}, 0), growths=200, seed=1000 + bench).mean
        low, high = success.interval
        # The truth is that of 200 growths.
        error = 1.65 * np.sqrt(max(true * (1 - true), 0.005) / 200)
        covered.append(low - error <= true <= high + error)
        missed.append(abs(success.mean - true))
    print(
        f"{sum(covered)} of {BENCHES} intervals contain the truth; predictions are off by {100 * np.mean(missed):.0f} % on average"
    )
    assert sum(covered) >= 0.8 * BENCHES
    assert np.mean(missed) < 0.25
