"""`plan.png` with the trials of the chosen design and the front."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design, InvalidDesign
from planner.design.estimate import Success
from planner.drawing.front import CHART
from planner.drawing.insets import place_insets
from planner.drawing.plan import plan_figure, save_plan
from planner.drawing.search import TreeBranches
from planner.drawing.style import MISSED, REACHED
from planner.uncertainty.shown_trials import ShownTrials

MakeEnvironment = Callable[..., Environment]
Bent = Callable[..., Design]
PARAMS = VineParams()


def tried(design: Design) -> ShownTrials:
    """Five trials of a design: three as planned, which reach, and two far above, which miss; and a front of three designs."""
    line = design.centerline
    joints = np.stack([line, line + 0.01, line - 0.01, line + np.array([0.0, 0.5]), line + np.array([0.0, 0.6])])
    joints[4, -3:] = np.nan
    front = tuple(Success("workshop", reached, 200) for reached in (60, 184, 190))
    return ShownTrials(joints, np.array([True, True, True, False, False]), np.array([1, 2, 3]), front, 1, 0.9)


@pytest.fixture
def design(bent: Bent) -> Design:
    return bent(PARAMS, [4.0] * 12 + [-4.0] * 12, "lr", (-1.0, 0.0))


@pytest.fixture
def room(environment: MakeEnvironment) -> Environment:
    return environment(bounds=(-2.0, -2.0, 2.0, 2.0))


def clouds(figure: Figure) -> dict[str, LineCollection]:
    return {one.get_gid(): one for one in figure.axes[0].collections if one.get_gid() in ("reached", "missed")}


def lines_of(figure: Figure) -> dict[str, list]:
    """Lines of the chart by what they show."""
    (chart,) = figure.axes[0].child_axes
    found: dict[str, list] = {}
    for line in chart.lines:
        found.setdefault(line.get_gid(), []).append(line)
    return found


def test_reached_and_missed_are_told_apart(design: Design, room: Environment) -> None:
    """Trials that reached are solid and green where they grew, those that missed dashed and brown; the legend counts both."""
    shown = tried(design)
    figure = plan_figure(room, design, tried=shown)
    cloud = clouds(figure)
    for gid, rows, colour in (("reached", [0, 1, 2], REACHED), ("missed", [3, 4], MISSED)):
        segments = cloud[gid].get_segments()
        assert len(segments) == len(rows)
        for segment, row in zip(segments, rows, strict=True):
            there = shown.joints[row][~np.isnan(shown.joints[row, :, 0])]
            np.testing.assert_allclose(segment, 1e3 * there)
        assert to_hex(cloud[gid].get_color()[0]) == colour
        (tips,) = [line for line in figure.axes[0].lines if line.get_gid() == f"{gid} tips"]
        ends = [shown.joints[row][~np.isnan(shown.joints[row, :, 0])][-1] for row in rows]
        np.testing.assert_allclose(tips.get_xydata(), 1e3 * np.array(ends))
        assert to_hex(tips.get_color()) == colour
    dashes = {gid: one.get_linestyle()[0][1] for gid, one in cloud.items()}
    assert dashes["reached"] is None
    assert dashes["missed"] is not None
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"3 trials reach the goal", "2 miss it"} <= set(labels)
    handles = dict(zip(labels, figure.legends[0].legend_handles, strict=True))
    assert to_hex(handles["3 trials reach the goal"].get_color()) == REACHED
    assert handles["2 miss it"].get_linestyle() == "--"


def test_the_cloud_lies_beneath_the_tube(design: Design, room: Environment) -> None:
    """The tube covers the trials, which cover obstacles and the goal disc."""
    figure = plan_figure(room, design, tried=tried(design))
    tubes = [patch.get_zorder() for patch in figure.axes[0].patches if patch.get_gid() in ("goal",)]
    over = [one.get_zorder() for one in clouds(figure).values()]
    assert min(over) > 3
    assert max(over) < 4 <= min(tubes)


def test_the_front_is_drawn(design: Design, room: Environment) -> None:
    """Each design over its actuators with its interval, the wanted share as a line, and the chosen one marked."""
    lines = lines_of(plan_figure(room, design, tried=tried(design)))
    assert [line.get_ydata()[0] for line in lines["wanted"]] == [pytest.approx(90)]
    (chosen,) = lines["chosen"]
    assert (chosen.get_xdata()[0], chosen.get_ydata()[0]) == (2, pytest.approx(92))
    others = sorted((line.get_xdata()[0], line.get_ydata()[0]) for line in lines["other"])
    assert others == [(1, pytest.approx(30)), (3, pytest.approx(95))]
    assert chosen.get_marker() not in {line.get_marker() for line in lines["other"]}
    # Wilson's interval of 60 of 200 by its formula: (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z = 1.96.
    ends = sorted(tuple(line.get_ydata()) for line in lines["interval"])[0]
    assert ends == pytest.approx((24.07, 36.68), abs=0.02)


def test_the_chart_hides_nothing_that_matters(design: Design, room: Environment) -> None:
    """It stands in a corner away from tube, trials, goal and base; in an environment full of them, beside the drawing."""
    for shown in (tried(design), replace(tried(design), joints=_everywhere(design), reached=np.ones(4, bool))):
        figure = plan_figure(room, design, tried=shown)
        axes = figure.axes[0]
        (frame,) = [patch for patch in axes.patches if patch.get_gid() == "front"]
        corners = shapely.box(*frame.get_bbox().extents)
        goal = shapely.Point(1e3 * room.goal[:2]).buffer(1e3 * room.goal[2])
        vital = [design.centerline, *(line[~np.isnan(line[:, 0])] for line in shown.joints)]
        assert not any(corners.intersects(shapely.LineString(1e3 * line)) for line in vital)
        assert not corners.intersects(goal)
        assert not any(
            corners.intersects(shapely.transform(one, lambda xy: 1e3 * xy)) for one in room.obstacles.shapes()
        )
        beside = corners.bounds[0] >= axes.get_xlim()[1]
        assert beside == (shown.joints.shape[0] == 4)
        width = figure.get_size_inches()[0] * figure.dpi
        assert axes.transData.transform(corners.bounds[2:])[0] < width


def _everywhere(design: Design) -> np.ndarray:
    """Four trials, of which one ends in each corner of the room."""
    corners = np.array([[-1.9, -1.9], [1.9, -1.9], [1.9, 1.9], [-1.9, 1.9]])
    share = np.linspace(0, 1, len(design.centerline))[:, None]
    return np.stack([design.centerline * (1 - share) + corner * share for corner in corners])


def test_the_chart_takes_a_corner_with_nothing_in_it() -> None:
    """It takes the only free corner; without a free corner insets are beside the drawing, one below the other."""
    view = np.array([0.0, 0.0, 1000.0, 1000.0])
    right = shapely.box(900, 0, 1000, 1000)
    edges = shapely.LineString([(0, 950), (200, 950)])
    (box,) = place_insets(view, 100.0, [CHART], shapely.union(right, edges))
    assert box[0] < 100
    assert box[1] < 100
    assert box[2:] - box[:2] == pytest.approx(100 * CHART)
    first, second = place_insets(view, 100.0, [CHART, CHART], shapely.box(*view))
    assert min(first[0], second[0]) > view[2]
    assert first[3] == view[3]
    assert second[3] < first[1]


def test_without_trials_nothing_changes(design: Design, room: Environment, tmp_path: Path) -> None:
    """A plan with --fast has neither cloud nor chart, and the same size; with trials the picture differs."""
    bare = plan_figure(room, design)
    assert not clouds(bare)
    assert not bare.axes[0].child_axes
    for name, shown in (("bare", None), ("again", None), ("tried", tried(design))):
        save_plan(tmp_path / f"{name}.png", room, design, tried=shown)
    pictures = {name: (tmp_path / f"{name}.png").read_bytes() for name in ("bare", "again", "tried")}
    assert pictures["bare"] == pictures["again"] != pictures["tried"]


@pytest.mark.parametrize("width", [1.6, 4.0, 8.0])
def test_the_fullest_legend_fits_the_page(environment: MakeEnvironment, bent: Bent, width: float) -> None:
    """With all sides, an overlap, both parts of the search tree and both kinds of trials, clear of title and drawing."""
    room = environment(bounds=(-width / 2, -4.0, width / 2, 4.0))
    design = bent(PARAMS, [6.0] * 72, "lrn")
    figure = plan_figure(room, design, TreeBranches([design.centerline], [design.centerline]), tried(design))
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 11
    shown, page = legend.get_window_extent(), figure.bbox
    assert page.x0 <= shown.x0 < shown.x1 <= page.x1
    assert shown.y0 >= figure.axes[0].get_window_extent().y1
    assert shown.y1 <= min(text.get_window_extent().y0 for text in figure.texts[:3] if text.get_size() > 10)


def test_trials_are_read_back(design: Design, tmp_path: Path) -> None:
    """The file has all that the picture needs."""
    shown = tried(design)
    shown.write(tmp_path / "trials.npz")
    again = ShownTrials.read(tmp_path / "trials.npz")
    np.testing.assert_array_equal(again.joints, shown.joints)
    np.testing.assert_array_equal(again.reached, shown.reached)
    assert (again.front, again.chosen, again.wanted) == (shown.front, shown.chosen, shown.wanted)
    assert again.actuators.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "change",
    [
        {"joints": np.zeros((4, 2))},
        {"joints": np.zeros((2, 9, 2))},
        {"front": np.array([[3, 2], [0, 1], [0, 1]])},
        {"front": np.array([[0, 0], [0, 1], [0, 1]])},
        {"actuators": np.array([1, 2])},
        {"chosen": 3},
        {"wanted": np.nan},
        {"reached": None},
    ],
)
def test_wrong_trials_are_refused(design: Design, tmp_path: Path, change: dict[str, object]) -> None:
    """One line names the file."""
    tried(design).write(tmp_path / "trials.npz")
    with np.load(tmp_path / "trials.npz") as stored:
        content = {**stored, **change}
    np.savez(tmp_path / "trials.npz", **{key: value for key, value in content.items() if value is not None})
    with pytest.raises(InvalidDesign, match=r"^[^\n]*trials\.npz: cannot be read as the trials of a plan: [^\n]+$"):
        ShownTrials.read(tmp_path / "trials.npz")
    (tmp_path / "trials.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InvalidDesign, match=r"trials\.npz: cannot be read"):
        ShownTrials.read(tmp_path / "trials.npz")
