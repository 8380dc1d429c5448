"""From what a file contains to an environment."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments import load_environment, write_environment
from environments.environment import content_of
from environments.importing.build import build_obstacles
from environments.importing.choose import import_environment
from environments.importing.options import ImportOptions
from environments.importing.traced import Tracing, UnusableFile
from tests.environments.importing.maps import write_map

START, GOAL = (0.1, 0.1, 0.5), (1.8, 0.8, 0.1)
RING = shapely.box(0.5, 0.2, 1.5, 0.9).difference(shapely.box(0.7, 0.4, 1.3, 0.8))


def test_an_imported_environment_is_the_one_that_its_file_holds(tmp_path: Path) -> None:
    """Polygons without holes that cover the ring, discs and walls, written and loaded with the same hash."""
    circles, walls = np.array([[0.3, 0.7, 0.05]]), np.array([[1.6, 0.1, 1.9, 0.1, 0.02], [1.6, 0.3, 1.9, 0.4, 0.0]])
    traced = Tracing((RING,), circles, walls, (0, 0, 2, 1), START, GOAL)
    environment = build_obstacles("ring.dxf", traced).environment()
    assert environment.name == "ring"
    solid = environment.obstacles.shapes()
    assert shapely.union_all(solid[: len(environment.obstacles.polygons) - 1]).symmetric_difference(RING).area < 1e-9
    assert environment.obstacles.circles.tolist() == circles.tolist()
    assert environment.obstacles.walls.tolist() == walls[1:].tolist()
    write_environment(environment, tmp_path / "ring.toml")
    assert load_environment(tmp_path / "ring.toml").sha256 == environment.sha256


def test_pieces_are_rounded_to_a_micrometre_and_stay_valid() -> None:
    """Also needles and slivers that are thinner than that, which may vanish."""
    generator = np.random.default_rng(0)
    fine = shapely.Polygon([(0.100001, 0.95), (0.2000004, 0.95), (0.15, 0.9999996)])
    needles = [shapely.Polygon(generator.random((3, 2)) * [1, 1e-6]) for _ in range(50)]
    found = build_obstacles("needles.svg", Tracing((RING, fine, *needles), start=START, goal=GOAL))
    for polygon in found.obstacles.polygons:
        assert (np.round(polygon, 6) == polygon).all()
        assert shapely.Polygon(polygon).is_valid
    assert [[0.100001, 0.95], [0.2, 0.95], [0.15, 1.0]] in [polygon.tolist() for polygon in found.obstacles.polygons]
    found.environment()


def test_rectangles_are_boxes_wherever_they_are() -> None:
    """Whichever corner is the first and whichever way they run, also behind other outlines; others stay polygons."""
    corners = np.array([[0.2, 0.1], [0.4, 0.1], [0.4, 0.3], [0.2, 0.3]])
    others = [
        shapely.Polygon([(1, 0.5), (1.2, 0.5), (1.1, 0.7), (1.05, 0.6)]),
        shapely.Polygon([(1.5, 0.1), (1.6, 0.2), (1.5, 0.3), (1.4, 0.2)]),
    ]
    for k in range(4):
        for way in (1, -1):
            turned = np.roll(corners, k, axis=0)[::way]
            found = build_obstacles(
                "box.svg", Tracing((others[0], shapely.Polygon(turned), others[1]), start=START, goal=GOAL)
            )
            content = content_of(found.environment())["obstacles"]
            assert content["boxes"] == [[200, 100, 400, 300]]
            assert len(content["polygons"]) == 2


def test_bounds_are_those_of_all_content_if_the_file_has_none() -> None:
    """Shapes, the start and the goal disc."""
    found = build_obstacles("ring.svg", Tracing((RING,), start=START, goal=GOAL))
    assert found.bounds == pytest.approx((0.1, 0.1, 1.9, 0.9))
    with pytest.raises(UnusableFile, match=r"empty.svg has no shapes"):
        build_obstacles("empty.svg", Tracing(start=START, goal=GOAL))


def test_start_and_goal_come_from_the_caller_or_from_the_file() -> None:
    """Arguments of the caller go first; without either, the message says what is missing."""
    traced = Tracing((RING,), start=START)
    found = build_obstacles("ring.svg", traced, options=ImportOptions(start=(0.2, 0.15, 0.0)))
    assert found.start == (0.2, 0.15, 0.0)
    assert found.missing == ["goal"]
    with pytest.raises(UnusableFile, match=r"ring.svg has no goal; give goal"):
        found.environment()
    with pytest.raises(UnusableFile, match=r"ring.svg: start.position = \[600, 300\] is inside an obstacle"):
        build_obstacles("ring.svg", traced, options=ImportOptions(start=(0.6, 0.3, 0.0), goal=GOAL)).environment()
    with pytest.raises(UnusableFile, match=r"ring.svg: goal at \[5000, 800\] .* must reach into the bounds"):
        build_obstacles(
            "ring.svg", replace(traced, bounds=(0, 0, 2, 1)), options=ImportOptions(goal=(5.0, 0.8, 0.1))
        ).environment()


def test_too_many_corners_name_the_option_that_helps() -> None:
    """A disc of 60 000 corners: the message says which tolerance leaves few enough, and with that it is imported."""
    disc = Tracing(
        (shapely.Point(0, 0).buffer(1, quad_segs=15_000),),
        bounds=(-2, -2, 2, 2),
        start=(-1.5, 0, 0),
        goal=(1.5, 0, 0.1),
    )
    with pytest.raises(
        UnusableFile, match=r"60000 corners; at most 50000 are allowed: --simplify 0.1 leaves 256 corners"
    ):
        build_obstacles("disc.svg", disc)
    # Teeth that are 0.1 mm wide: 0.02 mm removes nothing, and a suggestion is larger than what was tried.
    turn = np.arange(60_000) * np.pi / 30_000
    radius = np.where(np.arange(60_000) // 2 % 2, 1.0, 1.01)
    gear = replace(disc, solid=(shapely.Polygon(np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])),))
    with pytest.raises(UnusableFile, match=r"corners; at most 50000 are allowed: --simplify 0.5 leaves 30000 corners"):
        build_obstacles("gear.svg", gear, options=ImportOptions(simplify=2e-5))
    found = build_obstacles("disc.svg", disc, options=ImportOptions(simplify=1e-4))
    assert sum(map(len, found.obstacles.polygons)) == 256
    assert found.moved < 1e-4
    specks = [shapely.box(x, y, x + 0.01, y + 0.01) for x in range(150) for y in range(150)]
    with pytest.raises(
        UnusableFile,
        match="22500 obstacles; at most 20000 are allowed: leave out those that do not matter with --least-size MM",
    ):
        build_obstacles("specks.svg", Tracing(tuple(specks)))


def test_what_was_changed_is_said_with_figures() -> None:
    """The distance of simplification, of curves that became lines, and the number of cuts."""
    notched = RING.difference(shapely.box(0.5, 0.5, 0.505, 0.51))
    found = build_obstacles(
        "ring.svg", Tracing((notched,), moved=2e-5, notes=("one ring",)), options=ImportOptions(simplify=0.01)
    )
    assert found.notes[0] == "one ring"
    assert "outlines of 12 corners simplified to 8: nowhere moved by more than 5 mm (allowed: 10 mm)" in found.notes
    assert "curves became lines, at most 0.02 mm from them" in found.notes
    assert found.notes[-1].startswith("1 outlines with 1 holes cut into 2 polygons")
    assert found.moved == pytest.approx(5.02e-3)


def test_options_for_other_files_are_refused(tmp_path: Path) -> None:
    """An option that would be ignored is named, as are unknown endings, missing files and impossible distances."""
    path = write_map(tmp_path, np.zeros((2, 2), np.uint8))
    with pytest.raises(UnusableFile, match=r"unit is not for files such as map.yaml, which is imported as a map"):
        import_environment(path, unit="mm")
    with pytest.raises(UnusableFile, match=r"must end in one of .yaml"):
        import_environment(tmp_path / "map.gif")
    with pytest.raises(UnusableFile, match=r"nothing.svg does not exist"):
        import_environment(tmp_path / "nothing.svg")
    with pytest.raises(UnusableFile, match="simplify = nan m must be finite"):
        import_environment(path, simplify=float("nan"))
    point = (1.0, 2.0)
    wrong = {"least_size": -1.0, "wall_thickness": 0.0, "known": (0.0, point, (3.0, 4.0))}
    for name, value in (*wrong.items(), ("known", (1.0, point, point))):
        with pytest.raises(UnusableFile, match=f"{name} = .* must be"):
            ImportOptions(**{name: value}).check()
    with pytest.raises(TypeError):
        import_environment(path, scale=1)
