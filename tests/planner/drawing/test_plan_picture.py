"""Figures of plans and animations of growth."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from matplotlib.colors import to_rgb
from PIL import Image

from dynamics.tube import VineParams
from environments import Environment, known_environments
from planner.design.design import Design
from planner.design.replay import replay, trajectory
from planner.drawing.animation import save_animation
from planner.drawing.environment import save_environment
from planner.drawing.plan import PLAN_DPI, plan_figure, save_plan
from planner.drawing.search import TreeBranches
from planner.drawing.style import ACTUATOR, OBSTACLE, TUBE
from planner.plan.run.branches import select_branches
from planner.search.run import Budget, Run
from surrogate.actuators import Actuator
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

MakeEnvironment = Callable[..., Environment]
Bent = Callable[..., Design]


@pytest.fixture(scope="module", params=["plus", pytest.param("divider", marks=pytest.mark.slow)])
def run(request: pytest.FixtureRequest, shipped: dict[str, Environment], params: VineParams) -> Run:
    run = Run.prepare(shipped[request.param], params, seed=2)
    for _ in run.run(Budget(seconds=60, first=True)):
        pass
    assert run.best
    assert not run.best.design.crosses_itself  # otherwise one section hides another
    return run


@pytest.fixture(scope="module")
def grown(run: Run) -> np.ndarray:
    """Joints of a run's best design at the end of every segment [m]."""
    return trajectory(run.environment, run.best.design, replay(run.best.design, run.propagator))[0]


class Picture:
    """A PNG, and the transform from the environment to its pixels."""

    def __init__(self, path: Path, environment: Environment, design: Design | None) -> None:
        self.pixels = np.asarray(Image.open(path).convert("RGB"))
        figure = plan_figure(environment, design)
        figure.set_dpi(PLAN_DPI)
        self.axes = figure.axes[0]

    def at(self, points: np.ndarray) -> np.ndarray:
        """Colours at points [m], shape (n, 3), 0 to 255."""
        x, y = self.axes.transData.transform(1e3 * np.asarray(points)).T
        return self.pixels[(len(self.pixels) - y).astype(int), x.astype(int)].astype(int)


def rgb(colour: str) -> np.ndarray:
    return np.round(255 * np.array(to_rgb(colour))).astype(int)


@pytest.mark.parametrize("name", known_environments())
def test_the_drawing_has_the_aspect_of_the_bounds(name: str, shipped: dict[str, Environment], tmp_path: Path) -> None:
    """Both axes have the same scale; the drawing shows bounds and goal with a margin below 2 %."""
    save_environment(tmp_path / "environment.png", shipped[name])
    picture = Picture(tmp_path / "environment.png", shipped[name], None)
    assert picture.pixels.shape[:2] == tuple(picture.axes.figure.canvas.get_width_height()[::-1])
    low, high = 1e3 * shipped[name].bounds.reshape(2, 2)
    goal = 1e3 * shipped[name].goal
    low, high = np.minimum(low, goal[:2] - goal[2]), np.maximum(high, goal[:2] + goal[2])
    corners = picture.axes.transData.transform([low, high])
    across, up = (corners[1] - corners[0]) / (high - low)
    assert across == pytest.approx(up, rel=1e-6)
    (x_min, x_max), (y_min, y_max) = picture.axes.get_xlim(), picture.axes.get_ylim()
    margins = np.array([low[0] - x_min, low[1] - y_min, x_max - high[0], y_max - high[1]])
    assert (margins > 0).all()
    assert (margins < 0.02 * (high - low).max()).all()


def test_obstacles_are_solid_and_the_rest_is_free(
    shipped: dict[str, Environment], environment: MakeEnvironment, tmp_path: Path
) -> None:
    """Points inside obstacles are grey without seams; points outside are not, also inside a ring of walls."""
    round_things = environment(
        boxes=[(-3, -3, -2, -2), (-2, -3, -1, -2)],
        circles=[(1, 1, 1), (2, 1, 1)],
        walls=[(-3, 3, 3, 3, 0.4)],
        bounds=(-4.0, -4.0, 4.0, 4.0),
    )
    for scene in (shipped["divider"], shipped["tube"], replace(round_things, start=np.array([-3.5, -3.5, 0]))):
        save_plan(tmp_path / "environment.png", scene, None)  # without names
        picture = Picture(tmp_path / "environment.png", scene, None)
        axes = [np.linspace(scene.bounds[k], scene.bounds[k + 2], 150) for k in range(2)]
        points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        pixel = (scene.bounds[2] - scene.bounds[0]) / 1000
        away = np.hypot(*(points - scene.goal[:2]).T) > scene.goal[2] + 3 * pixel
        away &= np.hypot(*(points - scene.start[:2]).T) > 0.15
        solid = shapely.union_all(scene.obstacles.shapes()).buffer(1e-4)
        inside = shapely.contains(solid.buffer(-3 * pixel), shapely.points(points)) & away
        outside = (scene.obstacles.clearance(points) > 3 * pixel) & away
        outside &= (np.abs(points - scene.bounds[[0, 1]]) > 3 * pixel).all(axis=1)
        outside &= (np.abs(points - scene.bounds[[2, 3]]) > 3 * pixel).all(axis=1)
        assert (picture.at(points[inside]) == rgb(OBSTACLE["facecolor"])).all()
        assert (picture.at(points[outside]) == 255).all()
        assert inside.sum() > 500
        assert outside.sum() > 500


def test_sections_have_the_colour_of_their_side(run: Run, tmp_path: Path) -> None:
    """In the written picture the tube has its section's colour all along, but for thin lines where sections meet."""
    best = run.best.design
    save_plan(
        tmp_path / "plan.png", run.environment, best, select_branches(run.search.tree, run.environment, run.params)
    )
    picture = Picture(tmp_path / "plan.png", run.environment, best)
    line = shapely.LineString(best.centerline)
    along = np.linspace(0, line.length, 2000)
    points = shapely.get_coordinates(shapely.line_interpolate_point(line, along))
    goal, ends = run.environment.goal, np.array([section.end for section in best.sections])
    # The arrow at the base, the goal and what is marked in it lie on the tube.
    bare = (along > 0.1) & (np.hypot(*(points - goal[:2]).T) > goal[2] + 0.01)
    # Sections are measured along the film: the same for every segment, also where an actuator shortens the centreline.
    lengths = np.hypot(*np.diff(best.centerline, axis=0).T)
    film = best.params.segment_length * np.arange(len(best.centerline))
    along = np.interp(along, [0.0, *np.cumsum(lengths)], film)
    assert lengths.min() < 0.97 * best.params.segment_length
    own = np.array([rgb(TUBE[best.sections[k].side]) for k in np.searchsorted(ends, along[bare])])
    shown = picture.at(points[bare])
    other = np.abs(shown - own).max(axis=1) > 3
    assert (np.abs(along[bare][other, None] - ends).min(axis=1) < 0.01).all()
    assert (shown[other].max(axis=1) <= own.max()).all(), "something paler shines through between two sections"


@pytest.mark.slow
def test_growth_is_animated(run: Run, grown: np.ndarray, tmp_path: Path) -> None:
    """At most 80 frames, or one per record; the tube grows from first to last, and the last frame is held."""
    seen: list[tuple[int, int]] = []
    path = tmp_path / "growth.gif"
    save_animation(path, run.environment, run.best.design, grown, lambda done, total: seen.append((done, total)))
    frames = min(len(grown), 80)
    assert seen == [(k, frames) for k in range(1, frames + 1)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["growth.gif"]
    assert path.stat().st_size < 2e6
    sides = {section.side for section in run.best.design.sections}
    colours = [rgb(colour[side]) for colour in (TUBE, ACTUATOR) for side in sides & set(colour)]
    covered, durations = [], []
    with Image.open(path) as image:
        assert image.n_frames == frames
        for k in range(frames):
            image.seek(k)
            durations.append(image.info["duration"])
            if k in (0, frames // 2, frames - 1):
                pixels = np.asarray(image.convert("RGB"))
                covered.append(sum(int((pixels == colour).all(axis=-1).sum()) for colour in colours))
    swatches = covered[0]  # in the legend, and the first segment
    # Where a vine bends sharply it covers less than its length times its diameter.
    half, whole = (
        shapely.LineString(line[~np.isnan(line[:, 0])]).buffer(run.params.radius).area
        for line in (grown[len(grown) // 2], grown[-1])
    )
    assert covered[2] - swatches == pytest.approx(whole / half * (covered[1] - swatches), rel=0.1)
    assert covered[2] > 5 * swatches
    assert set(durations[:-1]) == {70}
    assert durations[-1] > 1000


def test_figures_are_written_atomically(
    environment: MakeEnvironment, params: VineParams, bent: Bent, tmp_path: Path
) -> None:
    """An interruption keeps the old file and leaves no other; a failure to write raises an error."""
    design, path = bent(params, [0.0] * 36, "lnr"), tmp_path / "growth.gif"
    path.write_text("old")

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_animation(path, environment(), design, design.centerline[None], stop)
    with pytest.raises(ValueError, match="at least one"):
        save_animation(path, environment(), design, np.zeros((0, 5, 2)))
    with pytest.raises(OSError, match="missing"):
        save_plan(tmp_path / "missing" / "plan.png", environment(), design)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["growth.gif"]


@pytest.mark.slow
def test_any_name_and_any_number_of_actuators_fit(
    environment: MakeEnvironment, params: VineParams, bent: Bent, tmp_path: Path
) -> None:
    """Names are shown verbatim, truncated; of many actuators the first are listed; the page's size is limited."""
    named = replace(environment(bounds=(-1, -6, 19, 6)), name=r"costs $5 and \frac{ " * 20)

    def tube(count: int) -> Design:
        return bent(params, [0.0] * 12 * max(count, 1), "lr" * (count // 2) + "l" * (count % 2) or "n")

    heights = []
    for count in (0, 1, 6, 60):
        save_plan(tmp_path / "plan.png", named, tube(count))
        heights.append(Image.open(tmp_path / "plan.png").height)
    assert heights == sorted(set(heights))
    assert heights[-1] < 2 * heights[0]
    texts = [text.get_text() for text in plan_figure(named, tube(60)).texts]
    assert any("more" in text for text in texts)


def test_the_legend_fits_the_page(environment: MakeEnvironment, params: VineParams, bent: Bent) -> None:
    """With all its entries on a narrow page, it takes two lines, clear of the title and the drawing."""
    design = bent(params, [6.0] * 72, "lrn")
    figure = plan_figure(
        environment(bounds=(-1.0, -4.0, 1.0, 4.0)), design, TreeBranches([design.centerline], [design.centerline])
    )
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 9
    shown, page, axes = legend.get_window_extent(), figure.bbox, figure.axes[0].get_window_extent()
    assert page.x0 <= shown.x0 < shown.x1 <= page.x1
    assert shown.y0 >= axes.y1
    assert shown.y1 <= min(text.get_window_extent().y0 for text in figure.texts[:3] if text.get_size() > 10)


def test_table_names_the_types(environment: MakeEnvironment, bent: Bent) -> None:
    """Where there are several, each before its length of a cell, clear of the column before; a type that is not built changes nothing."""
    design = bent(VineParams(others=(PouchMotor(),)), [0.0] * 36, "lnr")
    words = [text.get_text() for text in plan_figure(environment(), design).texts]
    alone = bent(VineParams(), [0.0] * 36, "lnr")
    assert words == [text.get_text() for text in plan_figure(environment(), alone).texts]
    first, bare, last = design.sections
    mixed = replace(design, sections=(first, bare, replace(last, kind=1)))
    pouches = replace(design, sections=(replace(first, kind=1), bare, replace(last, kind=1)))
    assert "pouch [mm]" in [text.get_text() for text in plan_figure(environment(), pouches).texts]
    figure = plan_figure(environment(), mixed)
    figure.draw_without_rendering()
    found = {text.get_text(): text.get_window_extent() for text in figure.texts}
    for name, section in (("spam", first), ("pouch", last)):
        kind = found[f"{name} {1e3 * section.l_0:.3g}"]
        assert found[section.side].x1 + 3 < kind.x0 < kind.x1 <= found["cell [mm]"].x1 + 1


@pytest.mark.parametrize(("actuator", "heading"), [(Spam(), "cell [mm]"), (PouchMotor(), "pouch [mm]")])
def test_table_uses_the_actuators_name_of_a_cell(
    environment: MakeEnvironment, bent: Bent, actuator: Actuator, heading: str
) -> None:
    """The column of cell lengths is headed by the actuator's name of a cell, clear of the neighbouring headings."""
    figure = plan_figure(environment(), bent(VineParams(actuator=actuator), [0.0] * 36, "lnr"))
    figure.draw_without_rendering()
    found = {text.get_text(): text.get_window_extent() for text in figure.texts}
    before, after = found["side"], found["pressure [kPa]"]
    assert before.x1 < found[heading].x0 < found[heading].x1 < after.x0


def test_table_has_whole_millimetres(environment: MakeEnvironment, bent: Bent) -> None:
    """Ends of sections that a refinement has moved by fractions of a millimetre are rounded to the nearest one."""
    design = bent(VineParams(), [0.0] * 36, "lnr")
    first, bare, last = design.sections
    middle = first.end + 1.6e-4
    moved = replace(design, sections=(replace(first, end=middle), replace(bare, start=middle), last))
    words = [text.get_text() for text in plan_figure(environment(), moved).texts]
    assert f"{1e3 * first.end:.0f}" in words
    assert not any(word.startswith(f"{1e3 * first.end:.0f}.") for word in words)
