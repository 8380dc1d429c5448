"""The picture of what trials told: all that it says is what was learnt."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from environments import Environment
from environments.uncertainty import WORKSHOP
from planner.built.learning_report import Learning
from planner.built.posterior import Posterior, SuccessRange
from planner.built.predicting import BuiltTube
from planner.built.trial import Trials
from planner.design.design import Design
from planner.drawing.learnt import HALF, SHOWN, learnt_figure, save_learnt_picture


def learning_of(design: Design, room: Environment, told: dict[str, tuple[float, float]]) -> Learning:
    """Return what was learnt, with a mean and a deviation of some errors in those before the trials."""
    tube = BuiltTube(design, room, WORKSHOP)
    names = [cause.name for cause in tube.unknowns]
    normal = np.random.default_rng(0).standard_normal((1000, len(names)))
    for name, (mean, deviation) in told.items():
        normal[:, names.index(name)] = mean + deviation * normal[:, names.index(name)]
    before, now = SuccessRange(np.full(1000, 0.5)), SuccessRange(np.full(1000, 0.75))
    return Learning(Trials(""), Posterior(tube, normal, 1000, {}, 900), before, now)


def test_each_error_has_its_row(design: Design, room: Environment) -> None:
    """Names from the top, means and intervals before and after in the deviations before, friction about its middle; success below."""
    told = {"base: heading": (2.0, 0.3), "section 1: place": (-1.0, 0.5), "friction": (0.8, 0.5)}
    figure = learnt_figure(learning_of(design, room, told), "a\nroom")
    errors, success = figure.axes
    assert [one.get_text() for one in errors.get_yticklabels()] == ["base: heading", "section 1: place", "friction"]
    assert errors.get_ylim()[0] > errors.get_ylim()[1]
    before, now = (one.get_children()[0] for one in errors.containers)
    assert before.get_xdata() == pytest.approx(0.0)
    assert now.get_xdata()[:2] == pytest.approx([2.0, -1.0], abs=0.05)
    assert now.get_xdata()[2] == pytest.approx(1.0, abs=0.2)
    ends = np.array([bar.get_segments() for bar in (errors.containers[1].lines[2][0],)])[0, :, :, 0]
    assert np.diff(ends[0]) / 2 == pytest.approx(0.3 * HALF, rel=0.05)
    assert errors.texts[0].get_text().startswith("+3.0")
    assert [text.get_text() for text in success.texts] == ["50 %", "75 %"]
    assert success.get_xlim() == (0, 100)
    assert errors.get_title(loc="left") == "a room, built: what its trials tell"


def test_many_errors_and_none(design: Design, room: Environment, tmp_path: Path) -> None:
    """The first of many; without any, a sentence."""
    learning = learning_of(design, room, {})
    names = [cause.name for cause in learning.posterior.tube.unknowns]
    many = learning_of(design, room, dict.fromkeys(names, (1.0, 0.5)))
    assert len(learnt_figure(many, "room").axes[0].get_yticklabels()) == SHOWN < len(names)
    none = learnt_figure(learning, "room")
    assert none.axes[0].texts[0].get_text() == "the trials say nothing measurable about any error"
    save_learnt_picture(tmp_path / "it.png", replace(learning, now=learning.before), "room")
    assert Image.open(tmp_path / "it.png").width > 500
