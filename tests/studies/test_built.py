"""The study of built tubes: its benches have the hidden errors that they are said to have, and its figures are those of its results."""

from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import WORKSHOP
from planner.adapting.actuators import errors_of
from planner.built.predicting import BuiltTube, Setting
from planner.design.design import Design
from planner.uncertainty.deviations import measured_bends
from studies.built import study
from studies.built.bench import BIAS, FRICTION, WIDER, Bench
from studies.built.report import report
from studies.built.study import BEST, BenchCase, BenchResult, Prediction, Rescue, coverage, log_score, rescued, run_case


def result(true: float, *predicted: tuple[float, float, float], rescues: tuple[Rescue, ...] = ()) -> BenchResult:
    predictions = tuple(Prediction(n, *one, 100) for n, one in zip((0, 5, 10), predicted, strict=True))
    return BenchResult(BenchCase("room", 0, 128, 30.0), true, predictions, rescues)


SURE = (0.9, 0.8, 0.95)


def test_coverage_counts_intervals_that_hold_the_truth() -> None:
    """Two of four tubes lie within the interval after five growths, one of them at its end."""
    results = [
        result(0.9, SURE, (0.5, 0.2, 0.8), SURE),
        result(0.5, SURE, (0.5, 0.2, 0.8), SURE),
        result(0.8, SURE, (0.5, 0.2, 0.8), SURE),
        result(0.1, SURE, (0.5, 0.2, 0.8), SURE),
    ]
    assert coverage(results, 5) == (0.5, 4)
    assert coverage(results, 10) == (0.5, 4)


def test_the_log_score_is_that_of_further_growths() -> None:
    """A coin of 3 in 4 that was taken for 1 in 2, and a certain one that was taken for nearly certain."""
    results = [result(0.75, SURE, (0.5, 0.2, 0.8), SURE), result(1.0, SURE, (0.9, 0.8, 1.0), SURE)]
    assert log_score(results, 5) == pytest.approx((np.log(0.5) + np.log(0.9)) / 2)
    never = result(0.0, SURE, (1.0, 0.9, 1.0), SURE)
    assert np.isfinite(log_score([never], 5))


def test_rescued_tubes_truly_work() -> None:
    """A change counts for a tube if the tube then truly reaches the goal often enough, whatever was predicted."""
    works, fails = Rescue("pressures", 0.7, 0.9, 10.0), Rescue("pressures", 0.95, 0.3, 12.0)
    later = Rescue("one more actuator", 0.9, 0.85, 20.0)
    results = [
        result(0.1, SURE, SURE, SURE, rescues=(works,)),
        result(0.2, SURE, SURE, SURE, rescues=(fails, later)),
        result(0.9, SURE, SURE, SURE),
    ]
    # The best of the second tube by its prediction is the one that fails.
    assert rescued(results) == [("pressures", 1, 2), ("one more actuator", 1, 2), (BEST, 1, 2)]
    assert rescued(results[2:]) == []
    text = report(results).text
    assert "| pressures | 1 | 50 |" in text
    assert "3 benches" in text


def test_hidden_errors_are_wider_than_those_expected(design: Design, room: Environment) -> None:
    """Over many benches: the median size of an error against that of a normal one, the common shift of bends, and friction."""
    benches = [Bench(design, room, WORKSHOP, number) for number in range(300)]
    causes = benches[0].tube.unknowns
    positions = [k for k, cause in enumerate(causes) if cause.field not in ("curvature", "friction")]
    bends = [k for k, cause in enumerate(causes) if cause.made and cause.field == "curvature"]
    hidden = np.concatenate([bench.truth.normal for bench in benches])
    sizes = np.abs(hidden[:, positions])
    # Median of |t| with four degrees of freedom.
    assert np.median(sizes) == pytest.approx(WIDER * 0.7407, rel=0.05)
    means = hidden[:, bends].mean(axis=1)
    unshifted = WIDER * np.sqrt(2.0 / len(bends))
    assert np.std(means) == pytest.approx(np.hypot(BIAS, unshifted), rel=0.2)
    frictions = np.concatenate([bench.tube.errors(bench.truth.normal)[0].friction for bench in benches])
    assert frictions.min() >= FRICTION[0]
    assert FRICTION[1] / 2 < frictions.max() <= FRICTION[1]


def test_every_other_bench_is_another_model(design: Design, room: Environment) -> None:
    """Odd benches grow in half segments; the bends that are measured are those of the hidden tube, not those planned."""
    coarse, fine = (Bench(design, room, WORKSHOP, number) for number in (2, 3))
    assert coarse.tube.design.params.segment_length == design.params.segment_length
    assert fine.tube.design.params.segment_length == design.params.segment_length / 2
    trials = coarse.measure(design, 3)
    world, sections = coarse.tube.errors(coarse.truth.normal)
    true = measured_bends(coarse.tube.design, sections, world)[0]
    assert [bend.bend for bend in trials.bends] == pytest.approx(true, abs=4 * trials.errors.bend)
    assert len(trials.growths) == 3


def test_growths_of_a_bench_repeat_its_hidden_errors(design: Design, room: Environment) -> None:
    """Growths differ by what differs between growths alone: their mean is that of the hidden tube, not that of the design."""
    bench = Bench(design, room, replace(WORKSHOP, start_heading=0.3), 4)
    tips = bench.grow(Setting(design), 40)[1]
    lasting = bench.truth.normal
    hidden = bench.tube.grow(lasting).tip[0]
    planned = BuiltTube(design, room, WORKSHOP).grow(np.zeros((1, lasting.shape[1]))).tip[0]
    assert np.linalg.norm(np.median(tips, axis=0) - hidden) < np.linalg.norm(np.median(tips, axis=0) - planned)


def test_a_bench_from_the_design_to_the_adapted_tube(
    design: Design, room: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tube whose goal is where no tube ends fails, is predicted to fail after its growths, and is adapted."""
    missed = Environment("missed", "", room.bounds, room.start, [0.9, -0.4, 0.08], room.obstacles)
    there = replace(design, sha256=missed.sha256)
    monkeypatch.setattr(study, "find_design", lambda _: (there, missed))
    study.promise.cache_clear()
    found = run_case(BenchCase("missed", 0, 32, 1.0))
    study.promise.cache_clear()
    assert found.true < 0.2
    assert [one.growths for one in found.predictions] == [0, 5, 10]
    assert found.predictions[0].simulated == 0 < found.predictions[1].simulated
    assert found.predictions[2].mean < 0.3
    assert found.rescues[0].name == "as it is"
    assert found.content()["rescues"][0]["change"] == "as it is"


def test_a_new_actuator_leaves_the_errors_of_the_others(design: Design, room: Environment) -> None:
    """A bench whose tube gets an actuator more bends the old ones as before, and the new one by an error of its own."""
    single = replace(design, sections=(*design.sections[:2], replace(design.sections[2], end=design.length)))
    bench = Bench(single, room, WORKSHOP, 6)
    tube = bench.true_tube(design)
    before = bench.tube.errors(bench.truth.normal)[1].curvature
    after = tube.errors(errors_of(bench.truth, tube, "", bench.number).normal)[1].curvature
    assert after[0, 0] == pytest.approx(before[0, 0])
    assert after[0, 1] != pytest.approx(before[0, 0], rel=1e-3)
    first, again = (bench.grow(Setting(design), 5)[1].shape for _ in range(2))
    assert first == again == (5, 2)
