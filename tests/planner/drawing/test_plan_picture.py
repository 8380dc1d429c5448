"""Figures of plans and animations of growth."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from matplotlib.colors import to_hex, to_rgb
from PIL import Image

from dynamics.tube import VineParams
from environments import Environment, known_environments
from planner.design import Design, Section
from planner.drawing.animation import save_animation
from planner.drawing.environment import save_environment
from planner.drawing.plan import PLAN_DPI, plan_figure, save_plan, tube_patches
from planner.drawing.style import ACTUATOR, OBSTACLE, TUBE
from planner.replay import replay, trajectory
from planner.search.run import Budget, Run
from planner.search.tree import branches_of
from surrogate.actuators import Actuator
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

MakeEnvironment = Callable[..., Environment]


@pytest.fixture(scope="module", params=["plus", "divider"])
def run(request: pytest.FixtureRequest, shipped: dict[str, Environment], params: VineParams) -> Run:
    run = Run.prepare(shipped[request.param], params, seed=1)
    for _ in run.run(Budget(seconds=60, first=True)):
        pass
    assert run.best
    return run


@pytest.fixture(scope="module")
def grown(run: Run) -> np.ndarray:
    """Joints of a run's best design at the end of every segment [m]."""
    return trajectory(run.environment, run.best.design, replay(run.best.design, run.propagator))[0]


def straight(params: VineParams, sides: str = "lnr") -> Design:
    """A straight tube along the x axis from the origin, with sections of 0.3 m."""
    names = {"l": "left", "r": "right", "n": "none"}
    sections = tuple(
        Section(0.3 * k, 0.3 * (k + 1), names[side], *((0.0,) * 3 if side == "n" else (2.0, 0.03, 3e4)))
        for k, side in enumerate(sides)
    )
    joints = np.stack([np.linspace(0, 0.3 * len(sides), 12 * len(sides) + 1), np.zeros(12 * len(sides) + 1)], axis=-1)
    return Design("bare", "0" * 64, params, sections, np.array([*joints[-1], 0.0]), joints)


def shapes(design: Design) -> dict[str, shapely.Polygon]:
    """Polygons [mm] of the drawn patches, by name."""
    patches = tube_patches(design, design.centerline)
    return {str(patch.get_gid()): shapely.Polygon(patch.get_path().vertices) for patch in patches[:-1]}


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
    """Both axes have the same scale, and the drawing shows the bounds with a margin below 2 %."""
    save_environment(tmp_path / "environment.png", shipped[name])
    picture = Picture(tmp_path / "environment.png", shipped[name], None)
    assert picture.pixels.shape[:2] == tuple(picture.axes.figure.canvas.get_width_height()[::-1])
    low, high = 1e3 * shipped[name].bounds.reshape(2, 2)
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
        boxes=[(-3, -3, -2, -2), (-2, -3, -1, -2)], circles=[(1, 1, 1), (2, 1, 1)], walls=[(-3, 3, 3, 3, 0.4)]
    )
    for scene in (shipped["divider"], shipped["tube"], replace(round_things, start=np.array([-3.5, -3.5, 0]))):
        save_environment(tmp_path / "environment.png", scene)
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


def test_the_tube_has_its_true_width(params: VineParams) -> None:
    """A straight tube covers its length times its diameter, plus half a disc at the tip."""
    design = straight(params)
    length, radius = 1e3 * design.length, 1e3 * params.radius
    drawn = shapes(design)
    whole = shapely.union_all([drawn[f"section {k}"] for k in range(3)])
    assert whole.area == pytest.approx(2 * length * radius + math.pi / 2 * radius**2, rel=1e-4)
    assert whole.bounds == pytest.approx((0, -radius, length + radius, radius), abs=1e-6)


def test_sections_end_at_their_position_without_gaps(params: VineParams) -> None:
    """A section ends perpendicular to the axis; the next one continues below it."""
    design = straight(params, "lrn")
    drawn, radius = shapes(design), 1e3 * params.radius
    for k, end in enumerate((300, 600)):
        section, following = drawn[f"section {k}"], drawn[f"section {k + 1}"]
        assert section.bounds == pytest.approx((max(end - 300 - 2 * radius, 0), -radius, end, radius))
        assert section.intersection(following).area == pytest.approx((2 * radius) ** 2)
    order = [name for name in drawn if name.startswith("section")]
    assert order == ["section 2", "section 1", "section 0"]


def test_actuators_lie_on_their_side(params: VineParams) -> None:
    """A left actuator is left of the centreline, a right one right, within the tube and as long as its section."""
    drawn = shapes(straight(params))
    assert set(drawn) == {"section 0", "section 1", "section 2", "actuator 0", "actuator 2"}
    radius = 1e3 * params.radius
    for name, (start, end), (low, high) in (
        ("actuator 0", (0, 300), (0, radius)),
        ("actuator 2", (600, 900), (-radius, 0)),
    ):
        x_min, y_min, x_max, y_max = drawn[name].bounds
        assert (x_min, x_max) == pytest.approx((start, end))
        assert low < y_min < y_max < high


def test_actuators_have_the_colour_of_their_side(params: VineParams) -> None:
    """Left and right actuators can be told apart by their colours, which differ from that of their tube."""
    design = straight(params)
    patches = {str(patch.get_gid()): to_hex(patch.get_facecolor()) for patch in tube_patches(design, design.centerline)}
    assert patches["actuator 0"] == ACTUATOR["left"]
    assert patches["actuator 2"] == ACTUATOR["right"]
    assert len({patches[name] for name in ("actuator 0", "actuator 2", "section 0", "section 1", "section 2")}) == 5


def test_sections_have_the_colour_of_their_side(run: Run, tmp_path: Path) -> None:
    """In the written picture the tube has its section's colour all along, but for thin lines where sections meet."""
    best = run.best.design
    save_plan(
        tmp_path / "plan.png", run.environment, best, branches_of(run.search.tree, run.environment.start, run.params)
    )
    picture = Picture(tmp_path / "plan.png", run.environment, best)
    line = shapely.LineString(best.centerline)
    along = np.linspace(0, line.length, 2000)
    points = shapely.get_coordinates(shapely.line_interpolate_point(line, along))
    goal, ends = run.environment.goal, np.array([section.end for section in best.sections])
    # The arrow at the base, the goal and what is marked in it lie on the tube.
    bare = (along > 0.1) & (np.hypot(*(points - goal[:2]).T) > goal[2] + 0.01)
    own = np.array([rgb(TUBE[best.sections[k].side]) for k in np.searchsorted(ends, along[bare])])
    shown = picture.at(points[bare])
    other = np.abs(shown - own).max(axis=1) > 3
    assert (np.abs(along[bare][other, None] - ends).min(axis=1) < 0.01).all()
    assert (shown[other].max(axis=1) <= own.max()).all(), "something paler shines through between two sections"


def test_a_stalled_tube_is_drawn_up_to_its_tip(environment: MakeEnvironment, params: VineParams) -> None:
    """With a centreline shorter than the design, later sections are omitted; with a single point, the whole tube."""
    design = straight(params, "lnrl")
    short = replace(design, centerline=design.centerline[:19])  # 0.45 m
    drawn = shapes(short)
    assert set(drawn) == {"section 0", "section 1", "actuator 0"}
    assert drawn["section 1"].bounds[2] == pytest.approx(450 + 1e3 * params.radius)
    for centerline in (short.centerline, design.centerline[:1], design.centerline[:0]):
        plan_figure(environment(), replace(design, centerline=centerline))


def test_branches_end_at_the_tips_of_their_nodes(run: Run) -> None:
    """Every node except the root has a branch from its parent's tip to its own."""
    tree = run.search.tree
    branches = branches_of(tree, run.environment.start, run.params)
    nodes = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert len(branches) == len(nodes) == len(tree) - 1
    assert np.array([branch[-1] for branch in branches]) == pytest.approx(tree.tips[nodes, :2], abs=1e-9)
    for branch, node in zip(branches, nodes, strict=True):
        assert len(branch) == tree.segments[node] - tree.segments[tree.parent[node]] + 1
        steps = np.hypot(*np.diff(branch, axis=0).T)
        assert steps == pytest.approx(np.full(len(steps), run.params.segment_length))


def test_growth_is_animated(run: Run, grown: np.ndarray, tmp_path: Path) -> None:
    """At most 80 frames, or one per record; the tube grows from first to last, and the last frame is held."""
    seen: list[tuple[int, int]] = []
    path = tmp_path / "growth.gif"
    save_animation(path, run.environment, run.best.design, grown, lambda done, total: seen.append((done, total)))
    frames = min(len(grown), 80)
    assert seen == [(k, frames) for k in range(1, frames + 1)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["growth.gif"]
    assert path.stat().st_size < 2e6
    colours = [rgb(TUBE[side]) for side in {section.side for section in run.best.design.sections}]
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
    assert covered[2] - swatches == pytest.approx(2 * (covered[1] - swatches), rel=0.1)
    assert covered[2] > 5 * swatches
    assert set(durations[:-1]) == {70}
    assert durations[-1] > 1000


def test_figures_are_written_atomically(environment: MakeEnvironment, params: VineParams, tmp_path: Path) -> None:
    """An interruption keeps the old file and leaves no other; a failure to write raises an error."""
    design, path = straight(params), tmp_path / "growth.gif"
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


def test_any_name_and_any_number_of_actuators_fit(
    environment: MakeEnvironment, params: VineParams, tmp_path: Path
) -> None:
    """Names are shown verbatim, truncated; of many actuators the first are listed; the page size is constant."""
    named = replace(environment(), name=r"costs $5 and \frac{ " * 20)
    heights = []
    for count in (0, 1, 6, 60):
        save_plan(tmp_path / "plan.png", named, straight(params, "lr" * (count // 2) + "l" * (count % 2) or "n"))
        heights.append(Image.open(tmp_path / "plan.png").height)
    assert heights == sorted(set(heights))
    assert heights[-1] < 2 * heights[0]
    texts = [text.get_text() for text in plan_figure(named, straight(params, "lr" * 30)).texts]
    assert any("more" in text for text in texts)


@pytest.mark.parametrize(("actuator", "heading"), [(Spam(), "cell [mm]"), (PouchMotor(), "pouch [mm]")])
def test_table_uses_the_actuators_name_of_a_cell(
    environment: MakeEnvironment, actuator: Actuator, heading: str
) -> None:
    """The column of cell lengths is headed by the actuator's name of a cell, clear of the neighbouring headings."""
    figure = plan_figure(environment(), straight(VineParams(actuator=actuator)))
    figure.draw_without_rendering()
    found = {text.get_text(): text.get_window_extent() for text in figure.texts}
    before, after = found["side"], found["pressure [kPa]"]
    assert before.x1 < found[heading].x0 < found[heading].x1 < after.x0
