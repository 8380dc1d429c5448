"""The picture of trials of a built design: each measurement is where it was measured, told from the prediction."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from PIL import Image

from dynamics.vine import Status
from environments import Environment
from planner.built.trial import NOTHING, Growth, MeasuredPoint, Trials
from planner.design.design import Design
from planner.drawing.trials import PredictedTips, measured_shapes, save_trials_picture, trials_figure
from planner.uncertainty.trials import Outcome

NONE = PredictedTips(np.zeros((0, 2)), np.zeros(0, bool), "workshop")
TRIALS = Trials(
    "0" * 16,
    growths=(
        Growth(True, (0.81, 0.32), None, None, None, ""),
        Growth(False, (0.6, -0.1), None, None, None, ""),
        replace(NOTHING, length=0.5),
        replace(NOTHING, tip=(0.5, 0.0)),
    ),
    points=(MeasuredPoint("polygon 1", (0.3, -0.4), (0.31, -0.42)),),
)


@pytest.fixture
def grown(design: Design) -> Design:
    """The design with a predicted centreline."""
    return replace(design, centerline=np.column_stack([np.linspace(0, 0.8, 9), np.linspace(0, 0.3, 9)]))


def found(figure: Any, gid: str) -> Any:
    """The one artist that is drawn with an id."""
    (one,) = [artist for artist in figure.axes[0].get_children() if artist.get_gid() == gid]
    return one


def test_each_measurement_is_in_its_place(room: Environment, grown: Design) -> None:
    """Tips by their result, with the numbers of their growths; simulated tips, recordings, points and outlines."""
    tips = np.array([[0.8, 0.3], [0.79, 0.31], [0.2, 0.0], [np.nan, np.nan]])
    predicted = PredictedTips(tips, np.array([True, True, False, False]), "workshop")
    line = np.array([[0.0, 0.0], [0.4, 0.1], [0.81, 0.32]])
    figure = trials_figure(room, grown, TRIALS, [line, None, None, None], predicted)
    for gid, wanted in (
        ("measured True", [[810, 320]]),
        ("measured False", [[600, -100]]),
        ("measured None", [[500, 0]]),
        ("simulated True", [[800, 300], [790, 310]]),
        ("measured points", [[310, -420]]),
        ("prediction", 1e3 * grown.centerline),
    ):
        assert np.asarray(found(figure, gid).get_xydata(), float) == pytest.approx(np.array(wanted)), gid
    (recorded,) = found(figure, "recorded").get_segments()
    assert recorded == pytest.approx(1e3 * line)
    (outline,) = found(figure, "measured obstacles").get_segments()
    assert outline.min(axis=0) == pytest.approx([310, -420])
    texts = {text.get_text(): text.xy for text in figure.axes[0].texts if hasattr(text, "xy")}
    assert texts == {"1": pytest.approx((810, 320)), "2": pytest.approx((600, -100)), "4": pytest.approx((500, 0))}
    assert figure.axes[0].get_title(loc="left") == "room, built: 1 of 2 reached the goal"
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [
        "prediction", "2 simulated reach it", "2 simulated miss it", "obstacles as measured", "1 recorded",
        "1 measured, reached the goal", "1 measured, missed it", "1 measured, result unknown",
    ]  # fmt: skip


def test_all_that_is_measured_is_in_view(room: Environment, grown: Design) -> None:
    """Also a tip outside the bounds, and in a picture of the surroundings of a small design."""
    far = replace(room, bounds=np.array([-30.0, -30.0, 30.0, 30.0]))
    for place, tip in ((room, (2.1, 0.0)), (far, (-0.5, 1.5))):
        trials = Trials("0" * 16, growths=(replace(NOTHING, tip=tip),))
        axes = trials_figure(place, grown, trials, [None], NONE).axes[0]
        assert axes.get_xlim()[0] < 1e3 * tip[0] < axes.get_xlim()[1]
        assert axes.get_ylim()[0] < 1e3 * tip[1] < axes.get_ylim()[1]
    assert np.ptp(axes.get_xlim()) < 10_000


def test_nothing_measured_is_drawn_too(room: Environment, grown: Design, tmp_path: Path) -> None:
    """The prediction alone; the file is a picture."""
    save_trials_picture(tmp_path / "it.png", room, grown, Trials("0" * 16), [], NONE)
    assert Image.open(tmp_path / "it.png").width > 500


def test_an_object_lies_where_its_points_are(room: Environment) -> None:
    """One point moves it; two turn it; an object that was not measured is not drawn."""
    (moved,) = measured_shapes(room, TRIALS.points)
    assert moved.symmetric_difference(shapely.box(0.31, -0.42, 0.41, -0.22)).area == pytest.approx(0, abs=1e-12)
    corners = [(0.3, -0.4), (0.4, -0.4), (0.4, -0.2)]
    turned = [MeasuredPoint("polygon 1", (x, y), (1 - y, x)) for x, y in corners]
    (shape,) = measured_shapes(room, turned)
    assert shape.symmetric_difference(shapely.box(1.2, 0.3, 1.4, 0.4)).area == pytest.approx(0, abs=1e-12)
    both = measured_shapes(room, (*TRIALS.points, MeasuredPoint("circle 1", (0.6, 0.6), (0.6, 0.7))))
    assert both[1].centroid.y == pytest.approx(0.7)


def test_tips_of_simulated_trials() -> None:
    """The last point of each centreline; none where nothing grew."""
    joints = np.full((3, 4, 2), np.nan)
    joints[0, :3] = [[0, 0], [1, 0], [2, 1]]
    joints[1, :1] = [[0, 0]]
    outcome = Outcome(np.array([True, False, False]), np.zeros(3), np.full(3, int(Status.GROWN)), joints, {})
    tips = PredictedTips.of([outcome, outcome], "workshop")
    assert tips.tips[:3] == pytest.approx(np.array([[2, 1], [0, 0], [np.nan, np.nan]]), nan_ok=True)
    assert tips.reached.tolist() == [True, False, False] * 2
    assert tips.words.startswith("6 simulated with workshop errors: 33.3 % (")
