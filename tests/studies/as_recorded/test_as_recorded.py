"""Recorded growths that predict another one: on recordings made by simulation, whose errors are known."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_t, norm

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.recording import Recording, write_recording
from planner.built.predicting import MODEL
from studies.as_recorded.growths import COMMON, IDEAS, Common, Idea, RecordedGrowth
from studies.as_recorded.learning import NOISE, RECORD, Likelihood, fit_shapes, learn, scale_of, split_common
from studies.as_recorded.plots import save_predictions
from studies.as_recorded.report import CHANCE, report
from studies.as_recorded.study import LeftOut, Prediction, find_ellipse, list_cases, predict
from studies.validation.recordings import apart, deploy, read_recordings
from surrogate.kernels.compiled import Floats

Vinewright = Callable[..., tuple[int, str, str]]
RADIUS = 0.03
ERRORS, FOLDS = IDEAS
WALLS = (
    [[0.4, -0.25, 0.75, 0.15]],
    [[0.45, 0.3, 0.7, -0.2], [0.3, 0.2, 0.42, 0.06]],
    [[0.35, -0.2, 0.62, 0.2]],
)
"""Walls of three recordings, which bend the tubes to either side."""
GUIDE, STIFF, FOLDING = 0.08, 3, 2
"""Errors of the tube of these recordings: the length along which it is held [m], and the indices of EI and folds."""
LONGER, SPACING, SHIFTED = 0.02, 0.01, 2e-3
"""Share by which zigzag makes the centrelines longer, distance of their points, and noise of each of them as a whole [m]."""


def straight(walls: list[list[float]], longest: float = 0.75) -> Recording:
    """Return a recording of a tube that grows straight through walls."""
    lengths = np.linspace(0.12, longest, 40)
    lines = tuple(
        np.stack([np.arange(0.03, length, SPACING), np.zeros(len(np.arange(0.03, length, SPACING)))], 1)
        for length in lengths
    )
    return Recording("made", RADIUS, None, np.zeros(3), lengths, lines, np.array(walls), ())


def numbers(idea: Idea, growth: float = 0.0, guide: float = 0.0) -> Floats:
    """Return standard normal numbers of common errors: EI and folds of the test's tube, friction 0, all else as planned."""
    found = np.zeros((1, len(COMMON) + 2))
    found[0, : len(COMMON)] = growth, -9.0, 9.0, 0.0, 0.0
    if idea.guide:
        share = np.array([(STIFF + 0.5) / len(idea.stiffness), (FOLDING + 0.5) / len(idea.folds), guide / idea.guide])
        found[0, 2:5] = norm.ppf(np.clip(share, 1e-9, 1 - 1e-9))
    found[0, -1] = -9.0
    return found


def made(name: str, walls: list[list[float]], rng: np.random.Generator) -> Recording:
    """Record a growth of the tube with known errors, and with those of its own drawn."""
    plan = straight(walls)
    growth = RecordedGrowth(plan, FOLDS)
    common, shared = split_common(FOLDS, numbers(FOLDS, guide=GUIDE))
    shapes = growth.grow(common, shared, 0.5 * rng.standard_normal((1, len(growth.own))))
    lines = []
    for length in np.linspace(0.12, plan.times[-1], 40):
        places = np.arange(0.03, length, SPACING)
        line = shapes.points(float(length), places)[0]
        way = np.gradient(line, axis=0)
        across = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.hypot(*way.T)[:, None]
        zigzag = 0.5 * SPACING * np.sqrt((1 + LONGER) ** 2 - 1) * (-1.0) ** np.arange(len(line))
        lines.append(line + zigzag[:, None] * across + rng.normal(0, SHIFTED, 2))
    return replace(plan, name=name, centerlines=tuple(lines))


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    """Three recordings of one tube."""
    rng = np.random.default_rng(1)
    return [made(name, walls, rng) for name, walls in zip("abc", WALLS, strict=True)]


@pytest.fixture(scope="module")
def predictions(recordings: list[Recording]) -> list[Prediction]:
    """The last recording, predicted from the others with the errors of each idea."""
    return [predict(LeftOut(recordings[-1], tuple(recordings[:-1]), idea), samples=64) for idea in IDEAS]


def test_without_errors_the_tube_is_the_one_that_is_validated() -> None:
    """Shapes at equal length are those of `deploy` along a wall, and so is the distance."""
    recording = straight(WALLS[0])
    growth, plain = RecordedGrowth(recording, ERRORS), deploy(recording, "", QuasiStatic)
    common, shared = split_common(ERRORS, numbers(ERRORS))
    shapes = growth.grow(common, shared, np.zeros((1, len(growth.own))))
    for frame in (5, 25, 39):
        length = float(growth.lengths[frame])
        line = shapes.points(length, np.append(np.arange(0, length, 5e-3), length))[0]
        assert apart(line, plain.shapes[frame]) < 0.5e-3
        assert apart(recording.centerlines[frame], line) == pytest.approx(plain.errors[frame], abs=0.5e-3)
    assert plain.errors[-1] > 10e-3


def test_held_tube_is_straight_up_to_the_end_of_its_guide() -> None:
    """A guide of 80 mm: straight up to there although the walls bend the tube, the tip as far along it as without."""
    growth = RecordedGrowth(straight(WALLS[0]), FOLDS)
    shapes = [
        growth.grow(*split_common(FOLDS, numbers(FOLDS, guide=guide)), np.zeros((1, len(growth.own))))
        for guide in (GUIDE, 1e-6)
    ]
    places = np.array([0.04, 0.079, 0.3, 0.7])
    held, free = (one.points(0.7, places)[0] for one in shapes)
    assert np.abs(held[:2] - np.stack([places[:2], np.zeros(2)], axis=1)).max() < 1e-6
    assert abs(free[1, 1]) > 1e-4
    start = [one.start[0, :2] for one in shapes]
    assert start[0][0] - start[1][0] == pytest.approx(GUIDE, abs=1e-5)
    # Both are 0.7 m long: the way along the tube is the same.
    steps = [np.hypot(*np.diff(one.points(0.7, np.linspace(0, 0.7, 400))[0], axis=0).T).sum() for one in shapes]
    assert steps == pytest.approx([0.7, 0.7], abs=1e-3)


def test_longer_recorded_centrelines_are_less_tube() -> None:
    """A growth of -2 %: the tip at a recorded 0.3 m, in free space, is at 0.294 m."""
    growth = RecordedGrowth(straight([[2.0, 2.0, 3.0, 2.0]]), ERRORS)
    common, shared = split_common(ERRORS, numbers(ERRORS, growth=-2 / 3))
    tip = growth.grow(common, shared, np.zeros((1, len(growth.own)))).points(0.3, np.array([0.15, 0.3]))[0]
    np.testing.assert_allclose(tip, [[0.147, 0], [0.294, 0]], atol=1e-6)


def test_errors_of_each_growth_move_its_base_and_walls() -> None:
    """By one standard deviation of heading: 1.5 degrees; errors in common are not among those of its own."""
    growth = RecordedGrowth(straight(WALLS[1]), ERRORS)
    assert {cause.name for cause in growth.shared} == {"stiffness of the tube", "friction"}
    names = [cause.name for cause in growth.own]
    assert {"base: x", "base: heading", "wall 1: along x"} <= set(names)
    own = np.zeros((1, len(names)))
    own[0, names.index("base: heading")] = 1.0
    common, shared = split_common(ERRORS, numbers(ERRORS))
    assert np.degrees(growth.grow(common, shared, own).start[0, 2]) == pytest.approx(1.5)


def test_scale_rises_along_the_tube() -> None:
    """Noise at the base, and with the error of the model at the longest length."""
    growth = RecordedGrowth(straight(WALLS[0]), ERRORS)
    common = Common.of(ERRORS, np.array([[0.0, 0.0, 0.0, 0.0, 0.0]]))
    longest = float(growth.lengths.max())
    found = scale_of(common, growth, np.array([0.0, longest / 2, longest]))[0]
    assert found == pytest.approx([NOISE, np.hypot(NOISE, MODEL * RADIUS / 2), np.hypot(NOISE, MODEL * RADIUS)])


def test_likelihood_is_higher_with_the_true_errors(recordings: list[Recording]) -> None:
    """Each recording fits better than with a base 16 mm aside, and all together better than without the guide."""
    total = np.zeros(3)
    for recording in recordings:
        growth, fits = RecordedGrowth(recording, FOLDS), []
        for guide, aside in ((GUIDE, 0.0), (1e-6, 0.0), (GUIDE, 4.0)):
            normal = numbers(FOLDS, -LONGER / (1 + LONGER) / 0.03, guide)
            normal[0, 1], own = 0.0, np.zeros((1, len(growth.own)))
            own[0, 1] = aside
            common, shared = split_common(FOLDS, normal)
            fits.append(float(fit_shapes(growth, growth.grow(common, shared, own))[0]))
        assert fits[0] > fits[2] + 0.5
        total += fits
    assert total[0] > total[1]


def test_likelihood_of_a_shape_counts_once() -> None:
    """By hand, in free space and 10 mm aside: the logarithms of the densities of four points are averaged, those of shapes added."""
    recording = straight([[2.0, 2.0, 3.0, 2.0]])
    growth = RecordedGrowth(recording, ERRORS)
    normal = numbers(ERRORS)
    normal[0, 1] = 0.0
    shapes = growth.grow(*split_common(ERRORS, normal), np.zeros((1, len(growth.own))))
    aside = replace(shapes, start=shapes.start + np.array([0.0, 0.01, 0.0]))
    expected = np.zeros(2)
    for frame in (6, 13, 20, 26, 32, 39):
        scale = np.hypot(
            NOISE, MODEL * RADIUS * np.array([0.25, 0.5, 0.75, 1.0]) * growth.lengths[frame] / growth.lengths.max()
        )
        for k, off in enumerate((0.0, 0.01)):
            expected[k] += multivariate_t_logpdf(off, scale).mean()
    found = [float(fit_shapes(growth, one)[0]) for one in (shapes, aside)]
    assert found == pytest.approx(expected.tolist(), rel=0.01)


def multivariate_t_logpdf(off: float, scale: Floats) -> Floats:
    """Logarithms of t densities of 4 degrees of freedom in two dimensions, each at a distance."""
    return np.array([multivariate_t.logpdf([off, 0.0], shape=one**2 * np.eye(2), df=4) for one in scale])


def test_growths_have_errors_of_their_own(recordings: list[Recording]) -> None:
    """The likelihood of two recordings is the sum of theirs, each with its own errors and those in common."""
    growths = [RecordedGrowth(one, ERRORS) for one in recordings[1:]]
    likelihood = Likelihood(growths, ERRORS)
    normal = np.random.default_rng(0).standard_normal((2, likelihood.unknowns))
    common, shared = split_common(ERRORS, normal[:, : likelihood.common])
    first = likelihood.common + len(growths[0].own)
    own = normal[:, likelihood.common : first], normal[:, first:]
    expected = sum(
        fit_shapes(growth, growth.grow(common, shared, numbers, RECORD))
        for growth, numbers in zip(growths, own, strict=True)
    )
    np.testing.assert_allclose(likelihood(normal), expected)
    assert likelihood.unknowns == first + len(growths[1].own)


def test_values_are_those_of_the_tube() -> None:
    """Indices of EI and folds give the fields of the tube and the numbers of the report alike."""
    assert FOLDS.tube(STIFF, FOLDING) == {"bending_stiffness": 1.3, "collapse_share": 0.7}
    growth = RecordedGrowth(straight(WALLS[0]), FOLDS)
    values = growth.values(*split_common(FOLDS, numbers(FOLDS, growth=1.0, guide=GUIDE)))
    assert {name: round(float(column[0]), 6) for name, column in values.items()} == {
        "stiffness of the tube [%]": 0.0,
        "friction": 0.0,
        "growth [%]": 3.0,
        "error of the model [radii]": round(MODEL * float(np.exp(-4.5)), 6),
        "EI [N m2]": 1.3,
        "folds at [pi P R^3]": 0.7,
        "guide [mm]": 80.0,
    }


def test_errors_in_common_are_found(recordings: list[Recording]) -> None:
    """From three recordings: guide, EI and growth, within two standard deviations, which are smaller than before."""
    normal, different = learn(recordings, FOLDS, 64, seed=0)
    common, _ = split_common(FOLDS, normal)
    assert different > 32
    assert abs(common.guide.mean() - GUIDE) < 2 * common.guide.std()
    assert common.guide.std() < 0.8 * FOLDS.guide / np.sqrt(12)
    assert common.growth.mean() == pytest.approx(-LONGER / (1 + LONGER), abs=0.008)
    assert common.growth.std() < 0.01
    assert (common.stiffness >= 2).mean() > 0.6
    assert common.model.mean() < 0.9 * MODEL


def test_recording_that_was_left_out_is_predicted(predictions: list[Prediction]) -> None:
    """Nearer than the default tube, with the errors that it has; intervals hold its tips, and are narrower than before."""
    one = predictions[-1]
    assert one.after.mean < 0.8 * one.plain.mean
    assert one.after.mean < one.before.mean
    assert one.after.inside.mean() >= 0.8
    assert one.after.radius < 0.9 * one.before.radius
    # Nine tenths of points with the noise of recordings, and with more at the end.
    radii = np.linalg.det(one.after.ellipses) ** 0.25
    assert radii[0] > 2.1 * NOISE
    assert radii[-1] > radii[0]
    assert "guide [mm]" not in predictions[0].after.common


def test_recording_that_was_left_out_teaches_nothing(recordings: list[Recording]) -> None:
    """Each is predicted from all others and from no more."""
    cases = list_cases(recordings)
    assert len(cases) == len(IDEAS) * len(recordings)
    for case in cases:
        assert {one.name for one in case.others} | {case.recording.name} == set("abc")
        assert case.recording not in case.others


def test_ellipse_holds_nine_tenths() -> None:
    """Points with different spread along x and y; half axes by hand from the normal distribution."""
    points = np.random.default_rng(0).normal(0, (0.02, 0.005), (20_000, 2)) + np.array([1.0, 2.0])
    middle, ellipse = find_ellipse(points)
    assert middle == pytest.approx([1.0, 2.0], abs=1e-3)
    factor = np.sqrt(-2 * np.log(0.1))
    assert np.sqrt(np.diag(ellipse)) == pytest.approx([0.02 * factor, 0.005 * factor], rel=0.03)
    off = points - middle
    assert (np.einsum("ni,ij,nj->n", off, np.linalg.inv(ellipse), off) <= 1).mean() == pytest.approx(0.9, abs=1e-3)


def test_report_and_picture(predictions: list[Prediction], tmp_path: Path) -> None:
    """A table for each idea with distances and shares, the errors found, and the data; a picture."""
    found = report(predictions)
    one = predictions[-1]
    cells = (1e3 * part.mean for part in (one.plain, one.before, one.after))
    assert f"| c | {' | '.join(f'{part:.1f}' for part in cells)} | " in found.text
    assert (
        f"{1e3 * one.after.mean:.1f} mm in the mean, with the default tube {1e3 * one.plain.mean:.1f} mm" in found.text
    )
    gain = 1e3 * (one.after.mean - one.before.mean)
    chance = " (within the chance of the samples)" if abs(gain) <= 1e3 * CHANCE else ""
    assert f"and {gain:+.1f} mm{chance} of what the other recordings say" in found.text
    alike = replace(one, before=one.after)
    assert "+0.0 mm (within the chance of the samples) of what" in report([alike]).text
    last = one.after.inside[one.lengths > 0.75 * one.lengths.max()]
    assert f"{100 * last.mean():.0f} % of {len(last)} tips from 75 to 100 %" in found.text
    assert found.text.count("| guide [mm] |") == 1
    assert found.content["predictions"][-1]["after_within"] == round(float(one.after.inside.mean()), 4)
    save_predictions(tmp_path / "drawn.png", predictions)
    assert (tmp_path / "drawn.png").read_bytes()[:4] == b"\x89PNG"


def test_one_recording_is_not_enough(vinewright: Vinewright, recordings: list[Recording], tmp_path: Path) -> None:
    """One line that says so, exit code 2; nothing is written."""
    write_recording(recordings[0], tmp_path / "a.json")
    code, _, error = vinewright("reproduce", "as-recorded", "--recordings", tmp_path, "--out", tmp_path / "results")
    assert code == 2
    assert "at least two are needed" in error
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_real_growths_are_predicted_from_others() -> None:
    """The mean distance is below that of the default tube, and four of five tips are within."""
    if "VINEWRIGHT_RECORDINGS" not in os.environ:
        pytest.skip("VINEWRIGHT_RECORDINGS names no folder with real-deployments/")
    recorded = read_recordings(Path(os.environ["VINEWRIGHT_RECORDINGS"]) / "real-deployments")
    found = [predict(case, samples=64) for case in list_cases(recorded) if case.idea is FOLDS]
    assert np.mean([one.after.mean for one in found]) < np.mean([one.plain.mean for one in found])
    assert np.mean([one.after.inside.mean() for one in found]) > 0.8
