"""Figures of a small design in a large map: its surroundings, and the whole map beside or within."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design
from planner.design.estimate import Success
from planner.drawing import solutions
from planner.drawing.animation import _make_page
from planner.drawing.plan import plan_figure
from planner.drawing.solutions import save_solutions
from planner.drawing.view import whole_view, zoomed_view
from planner.uncertainty.shown_trials import ShownTrials

MakeEnvironment = Callable[..., Environment]
Bent = Callable[..., Design]
PARAMS = VineParams()
BOUNDS = 0.0, 0.0, 60.0, 40.0
BASE = 20.0, 15.0


@pytest.fixture
def design(bent: Bent) -> Design:
    """A vine of 1.5 m in two arcs."""
    return bent(PARAMS, [1.2] * 30 + [-1.2] * 30, "lr", BASE)


@pytest.fixture
def hall(environment: MakeEnvironment, design: Design) -> Environment:
    """A hall of 60 x 40 m with pillars every 4 m, one of which is near the vine, and the goal at the vine's tip."""
    pillars = [(x, y, 0.3) for x in np.arange(2.0, 60.0, 4.0) for y in np.arange(3.4, 40.0, 4.0)]
    made = environment(circles=pillars, start=(*BASE, 0.0), bounds=BOUNDS)
    return replace(made, goal=np.array([*design.tip[:2], 0.1]))


def extent(axes: Axes) -> np.ndarray:
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    return np.array([left, low, right, high])


def frame(figure: Figure, gid: str) -> shapely.Polygon:
    (patch,) = [one for one in figure.axes[0].patches if one.get_gid() == gid]
    return shapely.box(*patch.get_bbox().extents)


def outlined(axes: Axes) -> np.ndarray:
    """Limits of the window in a map [mm]."""
    (window,) = [one for one in axes.patches if one.get_gid() == "window"]
    return np.asarray(window.get_bbox().extents)


def vital(environment: Environment, design: Design, boxes: Sequence[Sequence[float]]) -> shapely.Geometry:
    """The tube, the goal and boxes [mm]."""
    tube = shapely.LineString(1e3 * design.centerline).buffer(1e3 * design.params.radius)
    goal = shapely.Point(1e3 * environment.goal[:2]).buffer(1e3 * environment.goal[2])
    return shapely.union_all([tube, goal, *(shapely.box(*1e3 * np.array(box)) for box in boxes)])


def test_the_surroundings_of_a_small_design_are_shown(hall: Environment, design: Design) -> None:
    """The view is centred on base, tube and goal, with a margin of 15 % of their length; the map in it shows the hall and the view."""
    figure = plan_figure(hall, design)
    seen, radius = extent(figure.axes[0]), 1e3 * PARAMS.radius
    left, right = 1e3 * BASE[0] - radius, 1e3 * (hall.goal[0] + hall.goal[2])
    # The tube reaches to its sides by its radius and by actuators of less than a diameter.
    assert 0.15 * (right - left) < left - seen[0] < 0.16 * (right - left) + 2 * radius
    assert seen[[0, 2]].mean() == pytest.approx((left + right) / 2, abs=2 * radius)
    assert seen[[1, 3]].mean() == pytest.approx(500 * (BASE[1] + hall.goal[1]), abs=2 * radius)
    assert 0.15 * (right - left) < 1e3 * BASE[1] - radius - seen[1] < 0.16 * (right - left) + 2 * radius
    (inset,) = figure.axes[0].child_axes
    assert outlined(inset) == pytest.approx(seen)
    assert extent(inset) == pytest.approx([-720, -720, 60720, 40720])
    assert inset.get_title(loc="left") == "the map: 60 x 40 m"
    assert "obstacles" in [one.get_gid() for one in inset.patches]
    assert "200 mm" in [text.get_text() for text in figure.texts]  # the scale bar


@pytest.mark.parametrize("free", [None, 0, 1, 2, 3])
def test_the_map_hides_nothing(hall: Environment, design: Design, free: int | None) -> None:
    """Its frame is in the corner of the view that obstacles leave free, and beside the view where they leave none."""
    seen = extent(plan_figure(hall, design).axes[0])
    (x0, y0, x1, y1), block = 1e-3 * seen, 0.1
    corners = [(x0, y0), (x1 - block, y0), (x0, y1 - block), (x1 - block, y1 - block)]
    boxes = [(x, y, x + block, y + block) for k, (x, y) in enumerate(corners) if k != free]
    figure = plan_figure(replace(hall, obstacles=Obstacles(boxes=boxes)), design)
    figure.draw_without_rendering()
    box = frame(figure, "overview")
    assert not box.intersects(vital(hall, design, boxes))
    assert extent(figure.axes[0]) == pytest.approx(seen)
    inside = shapely.box(*seen).contains(box)
    # Near two of the corners is the tube.
    assert inside == (free in (1, 2))
    assert inside or box.bounds[0] > seen[2]
    paper = figure.axes[0].transData.transform(np.reshape(box.bounds, (2, 2)))
    assert (paper[0] > 0).all()
    assert (paper[1] < [figure.bbox.width, figure.bbox.height]).all()
    (inset,) = figure.axes[0].child_axes
    assert inset.get_window_extent().y0 > paper[0, 1]
    assert inset.get_window_extent().x1 < paper[1, 0]


def test_the_map_and_the_chart_keep_apart(hall: Environment, design: Design) -> None:
    """With trials the view shows these too, and chart and map have a place each."""
    joints = np.stack([design.centerline, design.centerline + np.array([0.0, 0.5]), design.centerline - [0.0, 0.4]])
    joints[2, -9:] = np.nan
    front = tuple(Success("workshop", reached, 200) for reached in (60, 184))
    figure = plan_figure(hall, design, tried=ShownTrials(joints, np.arange(3) < 1, np.array([1, 2]), front, 1, 0.9))
    seen, boxes = extent(figure.axes[0]), [frame(figure, gid) for gid in ("front", "overview")]
    lines = [shapely.LineString(1e3 * line[~np.isnan(line[:, 0])]) for line in joints]
    assert shapely.box(*seen).contains(shapely.MultiLineString(lines))
    assert not boxes[0].intersects(boxes[1])
    assert not any(box.intersects(line) for box in boxes for line in lines)


def test_figures_of_small_maps_show_all_of_them(environment: MakeEnvironment, bent: Bent) -> None:
    """The view is the bounds with a margin of 1.2 %, and there is no map in it."""
    figure = plan_figure(environment(bounds=(-1.0, -1.0, 2.0, 1.0)), bent(PARAMS, [2.0] * 30, "lr"))
    assert extent(figure.axes[0]) == pytest.approx([-1036, -1036, 2036, 1036])
    assert not figure.axes[0].child_axes


@pytest.mark.parametrize(("width", "height", "zoomed"), [(4.1, 2.1, True), (4.0, 2.1, False), (4.1, 2.0, False)])
def test_a_third_of_the_width_and_of_the_height_is_little(
    environment: MakeEnvironment, bent: Bent, width: float, height: float, zoomed: bool
) -> None:
    """A straight bare tube of 0.9 m is 1.03 m long with the goal around its base and its cap, and 1.34 m with margins."""
    room, tube = environment(), bent(PARAMS, [0.0] * 36, "n")
    whole = 1e3 * np.array([-0.5, -0.5 * height, width - 0.5, 0.5 * height])
    seen = zoomed_view(room, [tube], [tube.centerline], whole)
    assert (seen is not None) == zoomed


def test_surroundings_stay_within_the_whole(environment: MakeEnvironment, bent: Bent) -> None:
    """A tube in the corner of a map of 6 x 4 m has a view of full size, which ends at the margin of the map."""
    tube = bent(PARAMS, [0.0] * 36, "n", (0.1, 3.9))
    room = replace(environment(start=(0.1, 3.9, 0.0), bounds=(0.0, 0.0, 6.0, 4.0)), goal=np.array([1.0, 3.9, 0.05]))
    seen = zoomed_view(room, [tube], [tube.centerline], whole_view(room, tube, tube.centerline))
    assert seen is not None
    assert seen[[0, 3]] == pytest.approx([-72, 4072])
    assert seen[3] - seen[1] == pytest.approx((seen[2] - seen[0]) / 2)


def test_all_solutions_have_one_view(
    hall: Environment, design: Design, bent: Bent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds each of their tubes; the last drawing of the page is the map, with this view."""
    kept: list[Figure] = []
    monkeypatch.setattr(solutions, "save_figure", lambda _path, figure, _dpi: kept.append(figure))
    other = bent(PARAMS, [-1.0] * 50, "r", BASE)
    save_solutions(tmp_path / "solutions.png", hall, [design, other])
    *panels, whole = kept[0].axes
    assert len(panels) == 2
    for axes, one in zip(panels, (design, other), strict=True):
        seen = 1e3 * extent(axes)
        assert seen == pytest.approx(outlined(whole))
        assert shapely.box(*seen).contains(shapely.LineString(1e3 * one.centerline))
    assert "the map: 60 x 40 m" in [text.get_text() for text in kept[0].texts]


def test_an_animation_shows_all_of_a_growth(hall: Environment, design: Design) -> None:
    """Its map hides no moment of it, also where the tube is elsewhere than predicted."""
    moments = np.stack([design.centerline, design.centerline + np.array([0.0, 0.7])])
    figure = _make_page(hall, design, moments, table=False).figure
    lines = [shapely.LineString(1e3 * line) for line in moments]
    assert all(shapely.box(*extent(figure.axes[0])).contains(line) for line in lines)
    assert not any(frame(figure, "overview").intersects(line) for line in lines)
