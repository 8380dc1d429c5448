"""Words about what was learnt from trials."""

from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from environments.uncertainty import WORKSHOP
from planner.built.learning_report import Learning, around_text, mostly_explained, success_text
from planner.built.posterior import FEW, Posterior, SuccessRange
from planner.built.predicting import BuiltTube
from planner.built.trial import Growth, Trials
from planner.design.design import Design


@pytest.fixture
def posterior(design: Design, room: Environment) -> Posterior:
    """The errors of a tube before its trials."""
    tube = BuiltTube(design, room, WORKSHOP)
    return Posterior(tube, np.random.default_rng(0).standard_normal((1000, len(tube.unknowns))), 1000, {}, 4000)


def report(posterior: Posterior, growths: int = 1, reached: bool | None = True) -> tuple[Learning, str]:
    """Return what was learnt, and all its lines."""
    success = SuccessRange(np.full(1000, 0.75))
    trials = Trials("", growths=(Growth(reached, None, 0.5, None, None, ""),) * growths)
    learning = Learning(trials, posterior, success, success)
    return learning, "\n".join([*learning.lines(), *learning.notes()])


def set_pair(posterior: Posterior, first: str, second: str) -> None:
    """Make two errors opposite to each other, off by two standard deviations."""
    names = [cause.name for cause in posterior.tube.unknowns]
    one, other = names.index(first), names.index(second)
    posterior.normal[:, one] = 2 + 0.5 * posterior.normal[:, one]
    posterior.normal[:, other] = 2 - posterior.normal[:, one] + 0.1 * posterior.normal[:, other]


def test_success_is_never_rounded_up() -> None:
    """Down, and its interval outwards."""
    assert success_text(SuccessRange(np.repeat([0.5, 1.0], [8, 992]))) == "99 % (90 % interval 99 to 100 %)"
    some = SuccessRange(np.repeat([0.25, 1.0], [300, 700]))
    low, high = some.interval
    assert success_text(some) == f"77 % (90 % interval {int(100 * low)} to {int(100 * high) + 1} %)"
    assert success_text(SuccessRange(np.zeros(1000))) == "0 % (90 % interval 0 to 1 %)"


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("base: heading", "section 2: bend", "a growth with all actuators vented or the bend of section 2 in free space"),
        ("section 1: bend", "section 1: cell length", "bends of several actuators in free space, each at several pressures"),
        ("polygon 1: along x", "model: tip along x", "points of polygon 1 or growths at other pressures"),
        ("section 1: place", "friction", "growths at other pressures"),
        ("section 1: bend", "section 2: bend", "the bend of section 1 in free space or the bend of section 2 in free space"),
    ],
)  # fmt: skip
def test_errors_that_cannot_be_told_apart(posterior: Posterior, first: str, second: str, apart: str) -> None:
    """Named in words, with trials of another kind that tell them apart."""
    set_pair(posterior, first, second)
    learning, text = report(posterior)
    assert f"mainly their sum is known; trials of another kind tell them apart, such as {apart}" in text
    assert learning.content()["traded"][0]["correlation"] < -0.9
    assert f"{len(posterior.tube.unknowns) - 2} errors stayed as stated" in text
    assert ("it is no error of the tube" in text) == ("model" in first + second)


def test_nothing_learnt(posterior: Posterior) -> None:
    """All errors stay."""
    learning, text = report(posterior)
    assert (
        f"the trials say nothing measurable about any of {len(posterior.tube.unknowns)} errors: all stay as stated"
        in text
    )
    assert "measured: 1 of 1 growth reached the goal" in text
    assert "1000 samples, 1000 of them different, from 4000 simulated growths" in text
    assert "warning" not in text
    assert not learning.rows()
    assert "measured" not in report(posterior, reached=None)[1]


def test_rows_have_signs_units_and_two_digits(posterior: Posterior) -> None:
    """Before and now with as many decimals; friction has neither unit nor sign, and the standard deviation of its range before."""
    names = [cause.name for cause in posterior.tube.unknowns]
    for name in ("base: heading", "friction"):
        posterior.normal[:, names.index(name)] = 2.0 + 0.1 * posterior.normal[:, names.index(name)]
    rows = {one.cause.name: around_text(one) for one in posterior.learnt()}
    assert rows["base: heading"] == ("0.00 ± 1.50 deg", "+3.00 ± 0.15 deg")
    before, now = rows["friction"]
    assert before.startswith("0.050 ± 0.028") or before.startswith("0.0500 ± 0.0289")
    assert now.startswith("0.097")
    assert "+" not in now


def test_strange_measurements_and_few_samples_are_warned_of(posterior: Posterior) -> None:
    """Each by name with what to check; a warning if most growths are strange, and if few samples differ."""
    strange = {"growth 1": 0.9, "growth 2": 0.1, "bend of section 1 at 20 kPa": 0.7, "wall 6 at 1, 2 mm": 0.6}
    _, text = report(replace(posterior, strange=strange), 2)
    assert "no model explains growth 1 along with the others: check whether the tube was knocked" in text
    assert "growth 2 along" not in text
    assert (
        "warning: 1 of 2 growths went as no model explains; the success now is that of growths like the other 1" in text
    )
    assert "; now, in growths that errors explain: 75 %" in text
    assert "no model explains bend of section 1 at 20 kPa along with the others: check the gauge" in text
    assert "no model explains wall 6 at 1, 2 mm along with the others: check that it is the same point" in text
    assert "no errors of this size" not in text
    assert "samples differ" not in text
    _, text = report(replace(posterior, strange=strange | {"growth 2": 0.8}, different=FEW - 1), 3)
    assert "warning: no errors of this size explain 2 of 3 growths" in text
    assert f"warning: only {FEW - 1} samples differ" in text
    assert "widened towards those before the trials" in text
    _, text = report(replace(posterior, strange=strange), 1)
    assert "the success now is that of growths that it has not had" in text
    _, text = report(replace(posterior, strange={"bend of section 1 at 20 kPa": 0.7}), 1)
    assert "; now: 75 %" in text


@pytest.mark.parametrize(
    ("chances", "explained"),
    [((), True), ((0.02, 0.02), True), ((0.9, 0.02, 0.02), True), ((0.9, 0.02), False), ((0.45, 0.45, 0.45), False)],
)
def test_several_growths_that_are_nearly_doubted_count(
    posterior: Posterior, chances: tuple[float, ...], explained: bool
) -> None:
    """Three that each are strange with 45 % leave no success to rely on; a bend is no growth."""
    strange = {f"growth {k}": chance for k, chance in enumerate(chances, 1)} | {"bend of section 1 at 20 kPa": 0.9}
    made = replace(posterior, strange=strange)
    assert mostly_explained(made) == explained
    _, text = report(made, len(chances))
    assert ("now, in growths that errors explain" in text) == (max(chances, default=0.0) > 0.4)
    assert ("errors of this size hardly explain the growths" in text) == (chances == (0.45, 0.45, 0.45))


def test_results_that_no_errors_explain_are_warned_of(posterior: Posterior) -> None:
    """Success is then that of the results, nothing is recommended, and the document says how likely that is."""
    alone = replace(posterior, unexplained=0.97, results=(0, 10), strange={"growth 1": 0.1})
    learning, text = report(alone, reached=False)
    assert "warning: no errors of this size explain how often it reached the goal" in text
    assert "in growths that errors explain" not in text
    assert learning.content()["unexplained_success"] == 0.97
    assert not mostly_explained(alone)
    assert mostly_explained(replace(alone, unexplained=0.2))
