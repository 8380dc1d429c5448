"""The base of a tube that comes out of a wall: its dimensions follow from the environment, and its page says them."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Circle

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.vessel import vessel_of
from planner.fabrication.assembly.wall_base import WallBase, wall_base_of
from planner.fabrication.guide.guide import Guide, guide_pages
from planner.fabrication.guide.steps import steps
from planner.fabrication.lists.parts import parts_list
from planner.fabrication.pack import Pack
from tests.planner.fabrication.test_guide import check_page, guide_of, words

MakeBuild = Callable[..., Build]
HEADING = 0.3


def room(start: Sequence[float], obstacles: Obstacles, mount: str = "wall", edge: str = "open") -> Environment:
    """A room of 2 by 1 m."""
    return Environment("room", "", (0, 0, 2, 1), start, (1.8, 0.5, 0.1), obstacles, mount=mount, edge=edge)


def base_of(build: Build, environment: Environment) -> WallBase:
    found = wall_base_of(build, environment, vessel_of(build))
    assert found is not None
    return found


LEFT = Obstacles(boxes=[(0.08, 0.0, 0.1, 1.0)])
"""A wall 20 mm thick, its inner face at x = 100 mm."""


@pytest.mark.parametrize(
    ("start", "recess"), [(0.1, 0.0), (0.09, 10e-3), (0.105, -5e-3)], ids=["flush", "behind", "before"]
)
def test_the_wall_is_measured_along_the_axis(example: Build, start: float, recess: float) -> None:
    """Thickness and recess over the cosine of the tilt, which is the start's heading for an upright wall."""
    found = base_of(example, room((start, 0.5, HEADING), LEFT))
    assert found.tilt == pytest.approx(HEADING)
    assert found.drawn == pytest.approx(20e-3 / np.cos(HEADING))
    assert found.recess == pytest.approx(recess / np.cos(HEADING))
    assert found.along == pytest.approx(1 / np.cos(HEADING))
    vessel = vessel_of(example)
    assert vessel is not None
    # The mouth is as far from the flange's front as the vessel is high above it, and that is the reach but for the recess.
    assert found.reach == pytest.approx(vessel.height - vessel.floor + found.recess)


def test_tilt_is_measured_from_the_normal_into_the_room(example: Build) -> None:
    """On a wall on the right, a heading to the left of its normal, which points to -x, is anticlockwise from that."""
    right = Obstacles(boxes=[(1.9, 0.0, 1.95, 1.0)])
    for turn in (-0.4, 0.0, 0.2):
        found = base_of(example, room((1.9, 0.5, np.pi + turn), right))
        assert found.tilt == pytest.approx(turn, abs=1e-9)
    split = Obstacles(boxes=[(0.08, 0.0, 0.1, 0.5), (0.08, 0.5, 0.1, 1.0)])
    assert base_of(example, room((0.1, 0.5, HEADING), split)).tilt == pytest.approx(HEADING)
    line = Obstacles(walls=[(0.1, 0.0, 0.1, 1.0, 0.0)])
    bare = base_of(example, room((0.1, 0.5, HEADING), line))
    assert (bare.tilt, bare.drawn) == (pytest.approx(HEADING), pytest.approx(0.0, abs=1e-9))


def test_walls_at_the_bounds_and_walls_beside_the_axis(example: Build) -> None:
    """A wall at the bounds is as thick as its frame; an axis along a wall has none."""
    found = base_of(example, room((0.0, 0.5, 0.0), Obstacles(), edge="wall"))
    assert found.drawn is not None
    assert found.drawn > 0
    assert found.recess == pytest.approx(0.0)
    beside = base_of(example, room((0.12, 0.5, np.pi / 2), LEFT))
    assert beside.drawn is None


def test_the_hole_passes_the_tube_and_what_lies_on_it(make_build: MakeBuild) -> None:
    """2 (33.35 + 1) mm and two layers of 50 um of feed ends, up to whole millimetres; inflated cells in a hole behind the face."""
    far, near = make_build(("none", 0.5), ("left", 7, 0.042)), make_build(("left", 7, 0.042), ("right", 5, 0.03))
    flush, behind = (room((x, 0.5, 0.0), LEFT) for x in (0.1, 0.08))
    assert base_of(far, flush).hole == pytest.approx(69e-3)
    assert base_of(near, flush).hole == pytest.approx(69e-3)
    first = near.actuators[0]
    inflated = float(first.actuator.thickness(first.contraction / 0.294, 0.042))
    assert base_of(near, behind).hole == pytest.approx(2 * (34.35e-3 + inflated), abs=1e-3)
    assert base_of(near, behind).hole > 2 * (34.35e-3 + inflated)
    assert base_of(near, flush).grooves == {"left": 1, "right": 1}
    wide = make_build(("left", 7, 0.042), params=VineParams(radius=33.95e-3))
    # 69.9 mm without, 70.1 mm with the film.
    assert base_of(wide, flush).hole == pytest.approx(71e-3)


def test_grooves_lie_apart_on_their_side(make_build: MakeBuild) -> None:
    """Three lines on one side are 9 mm apart along the rim, the middle one level."""
    build = make_build(*[("left", 1, 0.04)] * 3, ("none", 0.4))
    found = base_of(build, room((0.1, 0.5, 0.0), LEFT))
    assert found.groove_turns("left") * found.hole / 2 == pytest.approx([-9e-3, 0.0, 9e-3])
    assert found.groove_turns("right").size == 0


def test_the_push_is_pressure_times_area(example: Build) -> None:
    """10.34 kPa over a circle of 33.35 mm are 36.1 N."""
    params = example.design.params
    found = base_of(example, room((0.1, 0.5, 0.0), LEFT))
    assert found.push == pytest.approx(params.growth_pressure * np.pi * 33.35e-3**2)


def wall_guide(build: Build, environment: Environment) -> Guide:
    return replace(guide_of(build), wall=wall_base_of(build, environment, vessel_of(build)))


def test_the_mount_chooses_the_page(example: Build) -> None:
    """In a wall: hole, rods and no board, in the guide, the steps and the parts; free: as without a wall."""
    free, wall = room((0.1, 0.5, 0.0), LEFT, mount="free"), room((0.1, 0.5, 0.0), LEFT)
    assert wall_base_of(example, free, vessel_of(example)) is None
    one, other = (words(guide_pages(wall_guide(example, each), "a4")) for each in (wall, free))
    vessel, base = vessel_of(example), base_of(example, wall)
    for part in ("Base in the wall", "hole 69 mm", "threaded rod", "coupling nut", "− T", "20 mm along the axis"):
        assert part in one, part
        assert part not in other, part
    assert "upright board" not in one
    assert "upright board" in other
    assert not any("board" in step.text for step in steps(example, vessel, True))
    named = [part.name for part in parts_list(example, vessel, base)]
    assert "screw" not in named
    assert named.count("threaded rod") == 1
    assert "threaded rod" not in [part.name for part in parts_list(example, vessel)]


def test_a_pack_in_a_wall_has_its_base(tmp_path: Path) -> None:
    """A real pack: the guide has the page, and the parts list the rods, with the numbers of the pack's vessel."""
    place = room((0.1, 0.5, 0.0), LEFT)
    design = Design(
        "room", place.sha256, VineParams(), (Section(0, 0.9, "none", 0, 0, 0),), np.zeros(3), np.zeros((1, 2))
    )
    pack = Pack.of(design, place, QuasiStatic(place, design.params), trials=20)
    assert pack.vessel is not None
    assert pack.wall is not None
    assert pack.write("csv", tmp_path)[0] == "parts.csv"
    with (tmp_path / "parts.csv").open(newline="") as file:
        rows = {row["part"]: row for row in csv.DictReader(file)}
    # A rod is in its coupling nut for half of the nut's 30 mm, and 15 mm long beyond the flange.
    assert rows["threaded rod"]["specification"] == f"M5 x ({1e3 * pack.vessel.height:.1f} mm - T)"
    assert rows["threaded rod"]["quantity"] == "3"
    assert "screw" not in rows
    text = words(guide_pages(pack.guide, "a4"))
    assert "Base in the wall" in text
    free = Pack.of(
        design,
        replace(place, mount="free", start=np.array([0.2, 0.5, 0.0])),
        QuasiStatic(place, design.params),
        trials=20,
    )
    assert free.wall is None


def test_a_base_that_is_not_square_to_its_wall_says_so(example: Build) -> None:
    """17.2 degrees to the left; the hole of 69 mm is an oval of 72.2 mm."""
    text = words(guide_pages(wall_guide(example, room((0.1, 0.5, HEADING), LEFT)), "a4"))
    assert "turned by 17.2° to the left" in text
    assert "69 mm high and 72.2 mm long" in text
    square = words(guide_pages(wall_guide(example, room((0.1, 0.5, 0.0), LEFT)), "a4"))
    assert "wedges" not in square


def test_the_view_is_true_to_scale(example: Build) -> None:
    """Rods lie on a circle about the hole, left, right and above, at the distance that is written, relative to the tube's circle."""
    base = base_of(example, room((0.1, 0.5, 0.0), LEFT))
    pages = guide_pages(wall_guide(example, room((0.1, 0.5, 0.0), LEFT)), "a4")
    circles = [one for page in pages for one in page.figure.artists if isinstance(one, Circle)]
    tube, ring, *rods = circles
    assert base.circle is not None
    assert ring.radius / tube.radius == pytest.approx(base.circle / base.radius)
    away = np.subtract([rod.center for rod in rods], tube.center) / ring.radius
    assert away == pytest.approx(np.array([[-1, 0], [1, 0], [0, 1]]), abs=1e-9)


QUICK = ("letter", "thick"), ("a4", "tilted"), ("a4", "narrow")


@pytest.mark.parametrize(
    ("paper", "kind"),
    [
        pytest.param(paper, kind, marks=[pytest.mark.slow] * ((paper, kind) not in QUICK))
        for paper in ("a4", "letter")
        for kind in ("bare", "example", "mixed", "tilted", "narrow", "thick")
    ],
)
def test_pages_of_a_wall_base_are_legible(
    example: Build, mixed: Build, make_build: MakeBuild, kind: str, paper: str
) -> None:
    """Without actuators, with several, with a tilt, for a tube too narrow for a printed vessel, and with 12 lines."""
    made = {
        "bare": make_build(("none", 1.0)),
        "mixed": mixed,
        "narrow": make_build(("none", 1.0), params=VineParams(radius=8e-3)),
        "thick": make_build(*[("left", 1, 0.03)] * 12, ("none", 0.4)),
    }.get(kind, example)
    environment = room((0.1, 0.5, HEADING if kind == "tilted" else 0.0), LEFT)
    for page in guide_pages(wall_guide(made, environment), paper):  # type: ignore[arg-type]
        check_page(page.figure)


def test_steps_of_a_wall_base_stay_in_their_frame(example: Build) -> None:
    """The drawings that differ from those of a free base lie within their frame too."""
    from planner.fabrication.guide import sketch
    from planner.fabrication.guide.paper import Page
    from planner.fabrication.guide.sketch import PageSketch

    for step in steps(example, vessel_of(example), True):
        page = Page(200.0, 200.0)
        step.draw(PageSketch(page, 50.0, 100.0))
        points = np.concatenate([np.reshape(one.get_xydata() if hasattr(one, "get_xydata") else one.get_xy(), (-1, 2))
                                 for one in page.figure.artists])  # fmt: skip
        assert (points.min(axis=0) >= (50, 100)).all(), step.title
        assert (points.max(axis=0) <= (50 + sketch.WIDTH, 100 + sketch.HEIGHT)).all(), step.title
