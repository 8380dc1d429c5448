"""Learnt errors of a built tube as files state them: those of the samples, as a growth has them."""

from dataclasses import replace

import numpy as np
import pytest

from environments import Environment
from environments.learnt_errors import MOST_ERRORS, LearntErrors
from environments.objects import obstacles_digest
from environments.uncertainty import WORKSHOP, Uncertainty
from planner.built.learnt import learnt_errors
from planner.built.posterior import Posterior, infer
from planner.built.predicting import BuiltTube
from planner.built.trial import Trials
from planner.design.design import Design
from planner.uncertainty.causes import REPEATED, UNITS, combine, tube_digest
from planner.uncertainty.drawing import draw_sections, draw_world

MANY = range(4000)
UNCERTAINTY = replace(WORKSHOP, start_heading=0.05)


def posterior_of(design: Design, room: Environment, told: dict[str, tuple[float, float]]) -> Posterior:
    """Return a posterior with a mean and a standard deviation, in those before the trials, of the errors that are named."""
    tube = BuiltTube(design, room, UNCERTAINTY)
    names = [cause.name for cause in tube.unknowns]
    normal = np.random.default_rng(0).standard_normal((2000, len(names)))
    for name, (mean, deviation) in told.items():
        normal[:, names.index(name)] = mean + deviation * normal[:, names.index(name)]
    return Posterior(tube, normal, len(normal), {}, 0)


def entries(learnt: LearntErrors) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each error."""
    return dict(zip(learnt.errors, zip(learnt.mean, learnt.deviation, strict=True), strict=True))


def test_errors_that_were_not_told_are_not_stated(design: Design, room: Environment) -> None:
    """Nor those of the model, which are none of the environment or the tube; without any there is no table."""
    learnt = learnt_errors(posterior_of(design, room, {"base: x": (1.0, 0.3), "model: tip along x": (2.0, 0.2)}))
    assert learnt is not None
    assert learnt.errors == ("base: x [mm]",)
    assert learnt.tube == tube_digest(design)
    assert learnt.obstacles == obstacles_digest(room)
    assert learnt_errors(infer(BuiltTube(design, room, UNCERTAINTY), Trials(""))) is None
    assert learnt_errors(posterior_of(design, room, {"model: tip along x": (2.0, 0.2)})) is None


def test_a_growth_has_a_part_of_its_own(design: Design, room: Environment) -> None:
    """A base whose pose is known exactly is clamped again for each growth; a section that is glued stays as it is."""
    learnt = learnt_errors(posterior_of(design, room, {"base: heading": (2.0, 0.0), "section 1: place": (1.0, 0.0)}))
    assert learnt is not None
    found = entries(learnt)
    whole = np.degrees(UNCERTAINTY.start_heading)
    assert found["base: heading [deg]"] == pytest.approx(
        (2 * whole * np.sqrt(1 - REPEATED**2), whole * REPEATED), rel=1e-3
    )
    assert found["section 1: place [mm]"] == pytest.approx((3.0, 0.0), abs=1e-3)


def test_all_bends_of_a_kind_are_stated_together(design: Design, room: Environment) -> None:
    """A bend of one section needs the part in common, and the other sections' own."""
    learnt = learnt_errors(posterior_of(design, room, {"section 1: bend": (1.0, 0.5)}))
    assert learnt is not None
    kind = design.params.actuators[0].kind
    assert learnt.errors == (f"all {kind} actuators: bend [%]", "section 1: bend [%]", "section 2: bend [%]")


def test_trials_are_drawn_as_the_samples(design: Design, room: Environment) -> None:
    """With means, deviations and correlations of growths of the samples, of the environment, friction and sections."""
    told = {"base: heading": (1.5, 0.4), "polygon 1: along x": (-1.0, 0.5), "section 2: bend": (1.0, 0.6)}
    posterior = posterior_of(design, room, told | {"section 1: pressure": (0.5, 0.5), "friction": (0.4, 0.3)})
    causes = posterior.tube.unknowns
    at = {cause.name: k for k, cause in enumerate(causes)}
    # A longer bend came with a turn to the right and a higher pressure.
    for name in ("base: heading", "section 1: pressure"):
        posterior.normal[:, at[name]] -= 0.5 * (posterior.normal[:, at["section 2: bend"]] - 1.0)
    passing = np.random.default_rng(1).standard_normal(posterior.normal.shape)
    grown = combine(causes, posterior.normal, passing)
    values = {cause.name: cause.value(grown[:, k]) for k, cause in enumerate(causes)}
    learnt = learnt_errors(posterior)
    assert learnt is not None
    uncertainty = replace(UNCERTAINTY, learnt=learnt)
    world = draw_world(room, design.params, uncertainty, MANY, 3)
    sections = draw_sections(design, uncertainty, MANY, 3)
    common = values[f"all {design.params.actuators[0].kind} actuators: bend"]
    expected = {
        "heading": (values["base: heading"], world.start[:, 2]),
        "shift": (values["polygon 1: along x"], world.shift[:, 0, 0]),
        "friction": (values["friction"], world.friction),
        "pressure": (values["section 1: pressure"], sections.pressure[:, 0]),
        "bend": (common + values["section 2: bend"], sections.curvature[:, 1]),
    }
    for name, (one, other) in expected.items():
        assert other.mean() == pytest.approx(one.mean(), abs=0.07 * one.std()), name
        assert other.std() == pytest.approx(one.std(), rel=0.06), name
    for first, second in (("heading", "bend"), ("pressure", "bend"), ("heading", "pressure"), ("shift", "bend")):
        of_samples, drawn = (np.corrcoef(expected[first][k], expected[second][k])[0, 1] for k in (0, 1))
        assert drawn == pytest.approx(of_samples, abs=0.05), (first, second)
    assert sections.place.std(axis=0)[0] == pytest.approx(UNCERTAINTY.section_position, rel=0.06)


def test_numbers_are_rounded_and_still_those_of_errors(design: Design, room: Environment) -> None:
    """Few samples of many errors leave correlations that are barely possible: rounded, a file may have them."""
    posterior = posterior_of(design, room, {})
    names = [cause.name for cause in posterior.tube.causes]
    few = posterior_of(design, room, dict.fromkeys(names, (4.0, 0.5)))
    learnt = learnt_errors(replace(few, normal=few.normal[:6], different=6))
    assert learnt is not None
    assert 20 < len(learnt.errors) <= MOST_ERRORS
    assert all(round(one, 3) == one for row in learnt.correlation for one in row)
    assert all(float(f"{one:.4g}") == one for one in (*learnt.mean, *learnt.deviation))
    assert LearntErrors.of(learnt.content()) == learnt
    alike = replace(few, normal=np.repeat(few.normal[:1], 300, axis=0))
    assert learnt_errors(alike) is not None


def test_no_more_errors_than_a_file_may_have(
    design: Design, room: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors told most are kept, and of bends all of a kind or none."""
    monkeypatch.setattr("planner.built.learnt.MOST_ERRORS", 3)
    told = {
        "base: x": (4.0, 0.3),
        "section 1: bend": (3.0, 0.3),
        "base: y": (2.0, 0.3),
        "section 1: cell length": (1.0, 0.3),
    }
    learnt = learnt_errors(posterior_of(design, room, told))
    assert learnt is not None
    assert learnt.errors == ("base: x [mm]", "base: y [mm]", "section 1: cell length [mm]")
    assert set(UNITS) >= {name.rpartition("[")[2].rstrip("]") for name in learnt.errors}


def test_exact_errors_tell_nothing(design: Design, room: Environment) -> None:
    """A tube without errors has those of the model alone."""
    tube = BuiltTube(design, room, Uncertainty())
    assert learnt_errors(Posterior(tube, np.full((300, 2), 2.0), 300, {}, 0)) is None
