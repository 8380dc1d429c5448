"""Drawings of a tube on the page, in a real browser: actuators at their true thickness as in pictures, and notes about their room."""

import math

import numpy as np
import pytest
import shapely
from matplotlib.patches import Patch

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from planner.design.design import Design, Section, Side
from planner.design.folds import Folds
from planner.drawing.tube import tube_patches
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_modules import in_page
from vinewright.studio.views import design_view

CURVATURE = 2.0
"""Curvature of the arc of `bent` [1/m]."""


def bent(*sections: Section) -> Design:
    """A tube of 0.8 m along an arc to the left, as it leaves its base along the x axis."""
    params = VineParams()
    angles = CURVATURE * params.segment_length * np.arange(33)
    line = np.column_stack([np.sin(angles), 1 - np.cos(angles)]) / CURVATURE
    return Design("arc", "0" * 64, params, sections, np.array([*line[-1], angles[-1]]), line)


def drawn_cells(shared: Studio, design: Design, k: int) -> list[list[float]]:
    """The outline [mm] of what the page draws along a section of a design, from what the server sends about it."""
    found: list[list[float]] = in_page(
        shared,
        """const { cellsOf, courseOf, partsOf } = await import('/panels/tubeshape.js');
        const { line, film, radius, sections } = given.design;
        const [part] = partsOf(courseOf(line, film, radius), sections, 0, 1e6).filter(({ section }) => section === given.k);
        return cellsOf(part.course, sections[given.k].profile);""",
        {"design": design_view(design, "best", "Design", 0.0), "k": k},
    )
    return found


def polygon_of(patch: Patch) -> shapely.Geometry:
    """The area of a patch."""
    return shapely.union_all([shapely.Polygon(ring) for ring in patch.get_path().to_polygons()])


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("side", ["left", "right"])
def test_an_actuator_is_drawn_as_in_pictures(shared: Studio, side: Side, on: bool) -> None:
    """The page has the shape of `plan.png`: beside the tube at its true thickness, or within it without pressure."""
    design = bent(Section(0.0, 0.4, side, 2.0, 0.04, 25e3, on=on), Section(0.4, 0.8, "none", 0.0, 0.0, 0.0))
    cells = shapely.make_valid(shapely.Polygon(drawn_cells(shared, design, 0)))
    pictured = shapely.union_all(
        [polygon_of(patch) for patch in tube_patches(design, design.centerline, 0.0) if patch.get_gid() == "actuator 0"]
    )
    assert cells.symmetric_difference(pictured).area < 0.02 * pictured.area
    radius, thickness = 1e3 * design.params.radius, 1e3 * float(signed_thickness(design.params, 25e3, 0.04))
    left = 1e3 / CURVATURE - np.hypot(*(shapely.get_coordinates(cells) - [0.0, 1e3 / CURVATURE]).T)
    beside = left if side == "left" else -left
    assert thickness > 30
    assert beside.max() == pytest.approx(radius + thickness if on else 0.96 * radius, abs=0.5)
    assert beside.min() == pytest.approx(radius if on else 0.56 * radius, abs=0.5)


def test_an_actuator_grows_with_its_tube(shared: Studio) -> None:
    """Cells end where the part of the tube ends that is drawn, between two points of their profile."""
    profile = [[0.0, 30.0, 40.0], [10.0, 30.0, 60.0], [20.0, 30.0, 40.0]]
    cells = in_page(
        shared,
        """const { cellsOf, courseOf, cutCourse } = await import('/panels/tubeshape.js');
        const course = courseOf([[0, 0], [100, 0]], [0, 100], 30);
        return [[0, 15], [5, 30]].map(([first, last]) => cellsOf(cutCourse(course, first, last), given));""",
        profile,
    )
    np.testing.assert_allclose(cells[0], [[0, 40], [10, 60], [15, 50], [15, 30], [10, 30], [0, 30]])
    np.testing.assert_allclose(cells[1], [[5, 50], [10, 60], [20, 40], [30, 40], [30, 30], [20, 30], [10, 30], [5, 30]])


@pytest.mark.parametrize(
    ("side", "on", "above", "below"), [("left", True, 1, 0), ("right", True, 0, 1), ("left", False, 0, 0)]
)
def test_an_inflated_actuator_is_painted_beside_its_tube(
    shared: Studio, side: Side, on: bool, above: int, below: int
) -> None:
    """In the middle of a cell, 5 mm within its thickness, the canvas has paint, and on the other side of the tube it has none."""
    line = np.column_stack([np.linspace(0, 0.4, 17), np.zeros(17)])
    sections = (Section(0.0, 0.4, side, 2.0, 0.04, 25e3, on=on),)
    design = Design("straight", "0" * 64, VineParams(), sections, np.array([0.4, 0.0, 0.0]), line)
    edge = 1e3 * (design.params.radius + float(signed_thickness(design.params, 25e3, 0.04)))
    painted = in_page(
        shared,
        """const { courseOf } = await import('/panels/tubeshape.js');
        const { paintTube } = await import('/panels/tubepaint.js');
        const { line, film, radius, sections } = given.design;
        const context = Object.assign(document.createElement('canvas'), { width: 500, height: 300 }).getContext('2d');
        context.setTransform(1, 0, 0, -1, 0, 150);
        paintTube(context, courseOf(line, film, radius), sections, radius);
        const at = (y) => context.getImageData(220, 150 - Math.round(y), 1, 1).data[3];
        return [given.edge - 5, 5 - given.edge, given.edge + 5, -given.edge - 5].map(at);""",
        {"design": design_view(design, "best", "Design", 0.0), "edge": edge},
    )
    assert [alpha > 0 for alpha in painted] == [bool(above), bool(below), False, False]


def test_a_tube_lies_over_obstacles_and_under_handles(shared: Studio) -> None:
    """An actuator that overlaps an obstacle is seen, as in pictures: the canvas with the tube lies between both parts of the drawing."""
    design = bent(Section(0.0, 0.8, "left", 2.0, 0.04, 25e3))
    found = in_page(
        shared,
        """const { set, state } = await import('/store.js');
        const { toStage } = await import('/view.js');
        const before = { run: state.run, design: state.design, panel: state.panel };
        const obstacles = { boxes: [], polygons: [], circles: [], walls: [], ends: 'flat', friction: null };
        set({ run: { name: 'laid', designs: [given], front: [], content: { ...state.doc, obstacles } }, design: 'best', panel: 'make' });
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        for (let k = 0; k < 3; k += 1) await frame();
        const [x, y] = toStage(given.line[4]).map((part) => Math.round(part * devicePixelRatio));
        const alpha = document.getElementById('over').getContext('2d').getImageData(x, y, 1, 1).data[3];
        set(before);
        return [alpha, [...document.getElementById('stage').children].map((child) => child.id)];""",
        design_view(design, "best", "Design", 0.0),
    )
    assert found[0] > 0
    assert found[1][:4] == ["canvas", "solids", "over", "drawing"]
    for part, name in (("solids", "shapes"), ("drawing", "overlay")):
        assert shared.page.locator(f"#{part} .{name}").count() == 1


ALONG = 0.0, 400.0


@pytest.mark.parametrize(
    ("side", "wall", "along", "sides"),
    [
        ("left", 34.0, ALONG, [1]),
        ("left", -34.0, ALONG, [-1]),
        ("left", 55.0, ALONG, [1]),
        ("left", -55.0, ALONG, [1, -1]),
        ("right", -55.0, ALONG, [-1]),
        ("left", 55.0, (0.0, 202.0), [1]),
        ("left", -34.0, (223.0, 400.0), [-1]),
        ("left", 34.0, (226.0, 400.0), [1, -1]),
    ],
)
def test_forces_come_from_where_the_wall_is(
    shared: Studio, side: Side, wall: float, along: tuple[float, float], sides: list[int]
) -> None:
    """On a segment from 200 to 225 mm: at the tube, or at an inflated actuator on its side, also of a corner; both sides for no wall."""
    line = np.column_stack([np.linspace(0, 0.4, 17), np.zeros(17)])
    sections = (Section(0.0, 0.4, side, 2.0, 0.04, 25e3),)
    design = Design("straight", "0" * 64, VineParams(), sections, np.array([0.4, 0.0, 0.0]), line)
    (left, right), (low, high) = along, sorted((wall, math.copysign(300.0, wall)))
    found = in_page(
        shared,
        """const { set, state } = await import('/store.js');
        const { sidesOf } = await import('/panels/forcelayer.js');
        const before = state.run;
        const bounds = { min: [-500, -500], max: [900, 900], edge: 'open', stacked: false };
        const obstacles = { boxes: [given.box], polygons: [], circles: [], walls: [], ends: 'flat', friction: null };
        set({ run: { content: { bounds, obstacles }, tube: { segment_length_mm: 25 } } });
        const found = sidesOf(given.design.line, 8, given.design);
        set({ run: before });
        return found;""",
        {"design": design_view(design, "best", "Design", 0.0), "box": [left, low, right, high]},
    )
    assert found == sides


def test_folds_are_drawn_as_in_pictures(shared: Studio) -> None:
    """Wedges from the inner edge of the tube inwards, as many as its folds."""
    design = bent(
        Section(0.0, 0.4, "left", CURVATURE, 0.0, 0.0, preformed=True), Section(0.4, 0.8, "none", 0.0, 0.0, 0.0)
    )
    cells = shapely.make_valid(shapely.Polygon(drawn_cells(shared, design, 0))).buffer(0)
    (pictured,) = [
        polygon_of(patch) for patch in tube_patches(design, design.centerline, 0.0) if patch.get_gid() == "folds 0"
    ]
    assert shapely.get_num_geometries(cells) == len(Folds.of(design.sections[0], design.params).at)
    assert cells.symmetric_difference(pictured).area < 0.03 * pictured.area


def test_notes_are_listed(shared: Studio) -> None:
    """Panels Plan and Look list the notes of the design that is shown, as sentences."""
    note = "section 1's inflated actuator is squeezed by box 6 by up to 7 mm at (100, 200) mm"
    design = bent(Section(0.0, 0.8, "left", 2.0, 0.04, 25e3))
    views = [design_view(design, "best", "Design", 0.0, notes=[note]), design_view(design, "1", "Other", 0.0)]
    shown = shared.page.evaluate(
        """async (designs) => {
            const { notesList } = await import('/panels/designs.js');
            const { set, state } = await import('/store.js');
            const before = { run: state.run, design: state.design };
            const list = notesList('tried-notes');
            const obstacles = { boxes: [], polygons: [], circles: [], walls: [], ends: 'flat', friction: null };
            const run = { name: 'noted', designs, front: [], content: { ...state.doc, obstacles } };
            const found = [];
            for (const { id } of designs) {
                set({ run, design: id });
                await Promise.resolve();  // subscribers are told then
                found.push([...list.children].map((line) => line.textContent));
            }
            set(before);
            return found;
        }""",
        views,
    )
    assert shown == [[f"S{note[1:]}."], []]
    for panel in ("plan", "look"):
        assert shared.page.locator(f"#panel-{panel} #{panel}-notes").count() == 1
