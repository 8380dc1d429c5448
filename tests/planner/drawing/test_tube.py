"""The drawn tube: its outline, its sections and where it overlaps itself."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import shapely
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design
from planner.drawing.animation import save_animation
from planner.drawing.plan import draw_in_axes, plan_figure
from planner.drawing.style import ACTUATOR, OVERLAP
from planner.drawing.tube import tube_patches

Bent = Callable[..., Design]
MakeEnvironment = Callable[..., Environment]
SECTION = [0.0] * 12


def shapes(design: Design, heading: float | None = None) -> list[tuple[str, shapely.Polygon]]:
    """Filled polygons [mm] by name, from back to front."""
    patches = tube_patches(design, design.centerline, heading)
    names = [(str(patch.get_gid()), patch) for patch in patches]
    return [(name, shapely.Polygon(patch.get_path().vertices)) for name, patch in names if name[-1].isdigit()]


def body(design: Design, heading: float | None = None) -> shapely.Polygon:
    """All that is drawn of the tube."""
    return shapely.union_all([shape for name, shape in shapes(design, heading) if name.startswith("section")])


def test_the_tube_has_its_true_width(params: VineParams, bent: Bent) -> None:
    """A straight tube covers its length times its diameter, plus half a disc at the tip."""
    design = bent(params, 3 * SECTION, "lnr")
    length, radius = 1e3 * design.length, 1e3 * params.radius
    assert body(design).area == pytest.approx(2 * length * radius + math.pi / 2 * radius**2, rel=1e-3)
    assert body(design).bounds == pytest.approx((0, -radius, length + radius, radius), abs=1e-6)


def test_sections_end_at_their_position_without_gaps(params: VineParams, bent: Bent) -> None:
    """A section ends perpendicular to the axis, where the next one begins."""
    drawn, radius = dict(shapes(bent(params, 3 * SECTION, "lrn"))), 1e3 * params.radius
    for k, end in enumerate((300, 600)):
        assert drawn[f"section {k}"].bounds == pytest.approx((end - 300, -radius, end, radius), abs=0.05)
        assert drawn[f"section {k + 1}"].bounds[0] == pytest.approx(end, abs=0.05)


@pytest.mark.parametrize("bend", [0, 20, -60, 75, -90])
@pytest.mark.parametrize("sides", ["".join(pair) for pair in product("lrn", repeat=2)])
def test_sections_meet_along_a_straight_line(params: VineParams, bent: Bent, sides: str, bend: float) -> None:
    """At bends up to a right angle the sections are all that lies within a radius of the axis, parted by the line that halves the bend."""
    design, radius = bent(params, [*[5] * 12, bend, *[-5] * 11], sides), 1e3 * params.radius
    drawn, joints = dict(shapes(design)), 1e3 * design.centerline
    first, second = drawn["section 0"], drawn["section 1"]
    whole, truth = shapely.union(first, second), shapely.LineString(joints).buffer(radius, cap_style="flat")
    tip = shapely.Point(joints[-1]).buffer(radius)
    assert whole.geom_type == "Polygon"
    assert not whole.interiors
    assert whole.symmetric_difference(truth.union(tip)).buffer(-0.04 * radius).is_empty, "a notch, or too wide"
    heading = math.radians(60 + bend / 2)
    across = np.array([-math.sin(heading), math.cos(heading)])
    cut = shapely.LineString([joints[12] - 60 * across, joints[12] + 60 * across])
    shared = first.buffer(0.05).intersection(second.buffer(0.05))
    assert shared.distance(shapely.Point(joints[12])) < 0.06 * radius
    assert shared.area / 0.12 >= 2 * radius
    near = cut.buffer(0.06 * radius)
    assert near.contains(shared)
    (outline,) = [patch for patch in tube_patches(design, design.centerline) if patch.get_gid() == "outline"]
    ends = [line for line in outline.get_path().to_polygons(closed_only=False) if len(line) == 2]
    assert len(ends) == 1
    assert shapely.LineString(ends[0]).length >= 2 * radius - 1


def test_any_tube_is_drawn_whole(params: VineParams, bent: Bent) -> None:
    """Also where it crosses itself, it is what lies within a radius of the axis; a folded tube is drawn without an error."""
    rng, radius = np.random.default_rng(0), 1e3 * params.radius
    for k in range(40):
        bends = rng.normal(0, 3, int(rng.integers(8, 100)))
        if k % 4 == 0:
            bends[rng.integers(0, len(bends), 2)] = rng.uniform(-179, 179, 2)
        design = bent(params, bends.tolist(), "".join(rng.choice(list("lrn"), int(rng.integers(1, 5)))))
        truth = shapely.LineString(1e3 * design.centerline).buffer(radius, cap_style="flat")
        truth = truth.union(shapely.Point(1e3 * design.centerline[-1]).buffer(radius))
        wrong = body(design, 0.1).symmetric_difference(truth).difference(shapely.Point(0, 0).buffer(4 * radius))
        assert k % 4 == 0 or wrong.buffer(-0.04 * radius).is_empty


@pytest.mark.parametrize("bend", [15, -15, 30])
def test_the_tube_leaves_its_base_squarely(params: VineParams, bent: Bent, bend: float) -> None:
    """Its end at the base is perpendicular to the heading and as wide as the tube; farther on, nothing has moved."""
    heading = math.radians(40)
    design, radius = bent(params, [40 + bend, *[2] * 11], "l"), 1e3 * params.radius
    ahead, left = np.array([[math.cos(heading), math.sin(heading)], [-math.sin(heading), math.cos(heading)]])
    tube = body(design, heading)
    corners = shapely.get_coordinates(tube)
    foot = corners[np.abs(corners @ ahead) < 1e-6]
    assert (corners @ ahead).min() > -1e-6
    assert sorted((foot @ left).tolist())[:: len(foot) - 1] == pytest.approx([-radius, radius])
    for side in (-1, 1):  # both edges begin along the heading
        near = tube.boundary.intersection(shapely.Point(side * radius * left).buffer(4))
        away = shapely.get_coordinates(near) @ ahead > 1e-6
        assert np.abs(shapely.get_coordinates(near)[away] @ left - side * radius).max() < 4 * math.tan(
            math.radians(abs(bend)) / 2
        )
    rim = shapely.get_coordinates(tube.exterior.simplify(0.01)) @ np.stack([ahead, left], axis=-1) @ (1, 1j)
    turns = np.degrees(np.angle(np.diff(rim)[1:] / np.diff(rim)[:-1]))
    near_base = (rim[1:-1].real > 1) & (np.abs(rim[1:-1]) < 4 * radius)
    assert near_base.sum() > 10
    assert np.abs(turns[near_base]).max() < 15
    beyond = shapely.Point(0, 0).buffer(2.5 * radius)
    assert tube.difference(beyond).symmetric_difference(body(design).difference(beyond)).area < 1e-3


def test_actuators_lie_on_their_side(params: VineParams, bent: Bent) -> None:
    """A left actuator is left of the tube, a right one right, as thick as inflated cells and as long as its section."""
    drawn, radius = dict(shapes(bent(params, 3 * SECTION, "lnr"))), 1e3 * params.radius
    reach = radius + 1e3 * float(signed_thickness(params, 3e4, 0.03))
    assert set(drawn) == {"section 0", "section 1", "section 2", "actuator 0", "actuator 2"}
    for name, (start, end), (low, high) in (
        ("actuator 0", (0, 300), (radius, reach)),
        ("actuator 2", (600, 900), (-reach, -radius)),
    ):
        x_min, y_min, x_max, y_max = drawn[name].bounds
        assert (x_min, x_max) == pytest.approx((start, end), abs=0.05)
        assert (y_min, y_max) == pytest.approx((low, high), rel=0.01)


def test_actuators_have_the_colour_of_their_side(params: VineParams, bent: Bent) -> None:
    """Left and right actuators can be told apart by their colours, which differ from that of their tube."""
    design = bent(params, 3 * SECTION, "lnr")
    patches = {str(patch.get_gid()): to_hex(patch.get_facecolor()) for patch in tube_patches(design, design.centerline)}
    assert patches["actuator 0"] == ACTUATOR["left"]
    assert patches["actuator 2"] == ACTUATOR["right"]
    assert len({patches[name] for name in ("actuator 0", "actuator 2", "section 0", "section 1", "section 2")}) == 5


def test_a_stalled_tube_is_drawn_up_to_its_tip(environment: MakeEnvironment, params: VineParams, bent: Bent) -> None:
    """With a centreline shorter than the design, later sections are omitted; with a single point, the whole tube."""
    design = bent(params, 4 * SECTION, "lnrl")
    short = replace(design, centerline=design.centerline[:19])  # 0.45 m
    drawn = dict(shapes(short))
    assert set(drawn) == {"section 0", "section 1", "actuator 0"}
    assert drawn["section 1"].bounds[2] == pytest.approx(450 + 1e3 * params.radius)
    for centerline in (short.centerline, design.centerline[:1], design.centerline[:0]):
        plan_figure(environment(), replace(design, centerline=centerline))


def crossing(bent: Bent, params: VineParams, angle: float) -> Design:
    """A tube that runs along the x axis, turns back in a loop and crosses its own first section at x = 0.6 m."""
    design, slant = bent(params, 8 * SECTION, "lrnl"), math.radians(angle)
    away = 0.7 * np.array([math.cos(slant), math.sin(slant)])
    corners = np.array([[0, 0], [1.2, 0], [1.2, away[1]], [0.6 + away[0], away[1]], [0.6 - away[0], -away[1]]])
    line = shapely.LineString(corners)
    joints = shapely.get_coordinates(shapely.line_interpolate_point(line, np.arange(0, line.length, 0.025)))
    ends = np.array([0, 0.3, 1.0, 1.5, line.length])
    sections = [replace(one, start=ends[k], end=ends[k + 1]) for k, one in enumerate(design.sections)]
    return replace(design, sections=tuple(sections), centerline=joints)


@pytest.mark.parametrize("angle", [90, 60])
def test_where_a_tube_overlaps_itself_is_marked(
    environment: MakeEnvironment, params: VineParams, bent: Bent, angle: float
) -> None:
    """Two straight parts that cross have a rhombus in common; it is marked, explained, and the later part lies on top."""
    design, radius = crossing(bent, params, angle), 1e3 * params.radius
    patches = tube_patches(design, design.centerline)
    (mark,) = [patch for patch in patches if patch.get_gid() == "overlap"]
    rhombus = shapely.Polygon(mark.get_path().vertices)
    assert rhombus.area == pytest.approx((2 * radius) ** 2 / math.sin(math.radians(angle)), rel=1e-3)
    assert (rhombus.centroid.x, rhombus.centroid.y) == pytest.approx((600, 0), abs=0.1)
    assert to_hex(mark.get_edgecolor()) == OVERLAP["edgecolor"]
    over = [name for name, shape in shapes(design) if shape.contains(rhombus.centroid)]
    assert over == ["section 1", "section 3"]
    figure = plan_figure(environment(), design)
    assert "overlaps itself" in [text.get_text() for text in figure.legends[0].get_texts()]
    plain = plan_figure(environment(), bent(params, SECTION, "l"))
    assert "overlaps itself" not in [text.get_text() for text in plain.legends[0].get_texts()]


def test_an_overlap_is_marked_once_it_is_grown(
    environment: MakeEnvironment, params: VineParams, bent: Bent, tmp_path: Path
) -> None:
    """In an animation, the mark appears when the tip reaches the tube's own side."""
    design = crossing(bent, params, 90)
    points = np.full((2, *design.centerline.shape), np.nan)
    points[0, :60], points[1] = design.centerline[:60], design.centerline
    save_animation(tmp_path / "growth.gif", environment(bounds=(-0.2, -1.0, 1.5, 1.0)), design, points)
    seen = []
    with Image.open(tmp_path / "growth.gif") as image:
        for k in range(2):
            image.seek(k)
            pixels = np.asarray(image.convert("RGB")).astype(int)
            colour = [int(OVERLAP["edgecolor"][i : i + 2], 16) for i in (1, 3, 5)]
            seen.append(int((np.abs(pixels - colour).max(axis=-1) < 40).sum()))
    assert seen[1] > seen[0] + 200


def test_nothing_is_cropped(environment: MakeEnvironment, params: VineParams, bent: Bent) -> None:
    """The tube, its base and the goal lie in view with both, also beyond the bounds, in a figure and in axes in metres."""
    room = replace(environment(bounds=(0.0, 0.0, 0.5, 0.4)), start=np.array([0.02, 0.2, 0.0]))
    room = replace(room, goal=np.array([0.45, 0.38, 0.1]))
    design = bent(params, [*SECTION, *[6] * 20], "lr", (0.02, 0.2))
    axes = Figure().subplots()
    draw_in_axes(axes, room, design)
    for drawn, unit in ((plan_figure(room, design).axes[0], 1.0), (axes, 1e3)):
        view = shapely.box(*unit * np.array([drawn.get_xlim(), drawn.get_ylim()]).T.ravel())
        for name, shape in shapes(design, 0.0):
            assert view.contains(shape), name
        assert view.contains(shapely.Point(450, 380).buffer(100))
        assert view.contains(shapely.LineString([(20, 200 - 1250 * params.radius), (20, 200 + 1250 * params.radius)]))
        lines = [line for collection in drawn.collections for line in collection.get_segments()]
        edge = shapely.union_all([shapely.LineString(line) for line in lines if len(line) > 1])
        assert edge.length == pytest.approx(1800), "the bounds are drawn"


def test_nothing_is_cropped_while_it_grows(
    environment: MakeEnvironment, params: VineParams, bent: Bent, tmp_path: Path
) -> None:
    """An animation shows all of the tube also at times when it is farther outside than at the end."""
    straight, curled = bent(params, SECTION, "n"), bent(params, [10] * 12, "n")
    room = environment(bounds=(-0.1, -0.1, 0.2, 0.3))
    design = replace(curled, centerline=curled.centerline)
    save_animation(tmp_path / "growth.gif", room, design, np.stack([straight.centerline, curled.centerline]))
    covered = []
    with Image.open(tmp_path / "growth.gif") as image:
        for k in range(2):
            image.seek(k)
            pixels = np.asarray(image.convert("RGB")).astype(int)
            covered.append(int((np.abs(pixels - (0xF3, 0xEA, 0xD2)).max(axis=-1) < 8).sum()))
    assert covered[0] == pytest.approx(covered[1], rel=0.1)
