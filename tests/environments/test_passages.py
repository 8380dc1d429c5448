"""The narrowest passages, against widths that can be read off the files."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles
from environments.passages import Passage, narrowest_passages, passages_along


def room(bounds: tuple[float, ...] = (0, 0, 1, 0.6), **obstacles: object) -> Environment:
    return Environment(bounds=bounds, start=(0.1, 0.3, 0), goal=(0.9, 0.3, 0.05), obstacles=Obstacles(**obstacles))  # type: ignore[arg-type]


def found(environment: Environment, count: int = 3) -> list[tuple[float, float, float]]:
    """Width, and x and y of the middle, of each passage [mm], to a micrometre."""
    passages = narrowest_passages(environment, count)
    return [(*np.round(1e3 * np.array([one.width, *one.middle]), 3).tolist(),) for one in passages]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # boxes [-160, -160, 2080, 0] and [640, -160, 1120, 160] next to [1280, -160, 1760, 160]: 160 mm, 160 mm deep
        ("plus", [(160, 1200, 80), (160, 1840, 80), (160, 880, 560)]),
        # boxes [-100, -100, 0, 2100] and [100, 100, 200, 500], closed by [-100, 400, 200, 500]
        ("maze", [(100, 50, 250), (100, 1950, 250), (100, 50, 1450)]),
        ("needle", [(100, 1000, 450), (100, 1650, 750), (100, 400, 850)]),
        # blocks of 101.6 mm, from 599.9 to 701.5 and from 817.5 on, about a wall from 711.9 to 813.5 or so
        ("divider", [(10.4, 706.75, 433.3), (13, 818.45, 445.8), (23.4, 1125.8, 363.3)]),
    ],
)
def test_passages_of_shipped_environments(
    name: str, expected: list[tuple[float, float, float]], shipped: dict[str, Environment]
) -> None:
    """Their widths and positions follow from the coordinates in the files; of equal ones the longest comes first."""
    np.testing.assert_allclose(found(shipped[name]), expected, atol=0.1)


@pytest.mark.parametrize("most", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("name", ["maze", "needle", "spiral"])
def test_wider_ones_are_left_out(name: str, most: float, shipped: dict[str, Environment]) -> None:
    """With a maximum width only those up to it are found: the same as among all."""
    every, limit = narrowest_passages(shipped[name], 20), most + 1e-6
    expected = [(one.width, *one.middle) for one in every if one.width <= limit]
    np.testing.assert_allclose(
        [(one.width, *one.middle) for one in narrowest_passages(shipped[name], 20, limit)],
        np.array(expected).reshape(-1, 3) if expected else [],
    )


def test_passages_along_a_line_are_those_between_obstacles_near_it() -> None:
    """A door across the line, and one farther away that is narrower; the post in a third, across the line, divides it."""
    boxes = [(0.3, 0.0, 0.32, 0.26), (0.3, 0.34, 0.32, 0.6), (0.6, 0.0, 0.62, 0.25), (0.6, 0.35, 0.62, 0.6)]
    away = [(0.8, 0.5, 0.82, 0.53), (0.8, 0.56, 0.82, 0.6)]
    place = room(boxes=[*boxes, *away], circles=[(0.61, 0.3, 0.01)])
    line = shapely.LineString([(0.1, 0.3), (0.7, 0.3)])
    widths = [one.width for one in passages_along(place, line, 0.1, 9, 0.1)]
    assert widths == pytest.approx([0.04, 0.04, 0.08])
    assert found(place, 1)[0][0] == 30
    assert [one.width for one in passages_along(place, line, 0.1, 1)] == pytest.approx([0.04])
    assert [one.width for one in passages_along(place, shapely.Point(0.3, 0.3), 0.1)] == pytest.approx([0.08])


def test_a_doorway_is_as_wide_as_it_is_written() -> None:
    """Between flat walls the passage is in the middle of the doorway; the walls and the bounds make none."""
    walls = [(0.5, 0, 0.5, 0.26, 0.018), (0.5, 0.34, 0.5, 0.6, 0.018)]
    assert found(room(walls=walls)) == [(80, 500, 300)]
    assert found(room(walls=walls, ends="round")) == [(62, 500, 300)]
    bare = [(x1, y1, x2, y2, 0) for x1, y1, x2, y2, _ in walls]
    assert found(room(walls=bare)) == [(80, 500, 300)]


def test_the_bounds_are_open() -> None:
    """Gaps beside the bounds and outside of them do not count."""
    assert found(room(boxes=[(0.4, 0.02, 0.5, 0.58)])) == []
    outside = [(0.4, -0.3, 0.5, -0.2), (0.4, -0.15, 0.5, -0.05)]
    assert found(room(boxes=outside)) == []
    assert found(room(boxes=outside, bounds=(0, -1, 1, 1))) == [(50, 450, -175)]
    assert found(room()) == []


def test_walls_of_the_bounds_count() -> None:
    """The gap of 70 mm between a block and a wall of the bounds is a passage, and none if the bounds are open."""
    open_room = room(boxes=[(0.4, 0.07, 0.6, 0.45)])
    assert found(open_room) == []
    assert found(replace(open_room, edge="wall")) == [(70, 500, 35), (150, 500, 525)]


def test_circles_are_exact() -> None:
    """Between circles of radii 30 and 20 mm, 100 mm apart at an angle, the gap is 50 mm, nearer to the smaller one."""
    circles = [(0.3, 0.3, 0.03), (0.36, 0.38, 0.02)]
    ((width, x, y),) = found(room(circles=circles))
    assert (width, x, y) == pytest.approx((50, 300 + 0.6 * 55, 300 + 0.8 * 55))


def test_what_lies_between_closes_a_passage() -> None:
    """Two gaps beside a post count, the wide one across it does not; overlapping obstacles have no gap."""
    sides = [(0.4, 0, 0.5, 0.2), (0.4, 0.4, 0.5, 0.6)]
    assert found(room(boxes=sides)) == [(200, 450, 300)]
    post = found(room(boxes=sides, circles=[(0.45, 0.28, 0.03)]))
    assert post == [(50, 450, 225), (90, 450, 355)]
    closed = room(boxes=[*sides, (0.45, 0.1, 0.48, 0.5)])
    assert found(closed) == []


def test_an_obstacle_and_itself() -> None:
    """The mouth of a U-shaped polygon is a passage; its corners and its solid arms are not."""
    arms = [(0.3, 0.1), (0.7, 0.1), (0.7, 0.5), (0.6, 0.5), (0.6, 0.2), (0.42, 0.2), (0.42, 0.5), (0.3, 0.5)]
    assert found(room(polygons=[arms])) == [(180, 510, 350)]


def test_a_corridor_is_one_passage() -> None:
    """Tiles along a corridor of 100 mm do not make it several; a part of 90 mm and another corridor are others."""
    tiles = [(0.1 * k, y, 0.1 * k + 0.099, y + 0.05) for k in range(2, 8) for y in (0.1, 0.25)]
    assert found(room(boxes=tiles))[:1] == [(1, 299.5, 125)]
    joined = [(k / 10, y, (k + 1) / 10, y + 0.05) for k in range(2, 8) for y in (0.1, 0.25)]
    assert found(room(boxes=joined)) == [(100, 500, 200)]
    overlapping = [(0.2 + 0.2 * k, y, 0.5 + 0.2 * k, y + 0.05) for k in range(2) for y in (0.1, 0.25)]
    bump = room(boxes=[*overlapping, (0.4, 0.15, 0.42, 0.16), (0.2, 0.45, 0.7, 0.5)])
    assert [width for width, *_ in found(bump)] == [90, 100, 150]


def test_seams_are_no_passages() -> None:
    """A gap of less than 0.1 mm is a seam, one of more is a passage."""
    assert found(room(boxes=[(0.3, 0.1, 0.4, 0.5), (0.40009, 0.1, 0.5, 0.5)])) == []
    assert found(room(boxes=[(0.3, 0.1, 0.4, 0.5), (0.40011, 0.1, 0.5, 0.5)])) == [(0.11, 400.055, 300)]


def test_passages_of_many_random_obstacles_are_gaps() -> None:
    """Among 300 obstacles of all kinds none of the ends is inside one, and a disc between them touches nothing else."""
    rng = np.random.default_rng(4)
    at = rng.uniform(0, 1, (300, 2))
    boxes = [(x, y, x + 0.01, y + 0.02) for x, y in at[:100]]
    walls = [(x, y, x + 0.02, y + 0.01, 0.003) for x, y in at[100:200]]
    circles = [(x, y, 0.008) for x, y in at[200:]]
    for ends in ("flat", "round"):
        crowd = room(bounds=(0, 0, 1, 1), boxes=boxes, walls=walls, circles=circles, ends=ends)
        passages = narrowest_passages(crowd, 12)
        assert len(passages) == 12
        widths = [one.width for one in passages]
        assert widths == sorted(widths)
        for one in passages:
            assert crowd.obstacles.clearance(one.ends) == pytest.approx([0, 0], abs=1e-9)
            assert crowd.obstacles.clearance(one.middle) == pytest.approx(one.width / 2, abs=1e-6)
        # Turned upside down they are the same.
        mirrored = Obstacles(
            [corners * [1, -1] for corners in crowd.obstacles.polygons],
            crowd.obstacles.circles * [1, -1, 1],
            crowd.obstacles.walls * [1, -1, 1, -1, 1],
            ends="round",
        )
        again = narrowest_passages(replace(crowd, bounds=(0, -1, 1, 0), obstacles=mirrored), 12)
        np.testing.assert_allclose([one.width for one in again], widths, atol=1e-9)


def test_twenty_thousand_obstacles_take_no_minute() -> None:
    """The narrowest of 20 000 gaps in a grid is found, where one post is larger than the others."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(200) * 0.05, np.arange(100) * 0.05))
    circles = np.column_stack([x, y, np.full(len(x), 0.01)])
    circles[9_050, 2] = 0.02
    passages = narrowest_passages(room(bounds=(-1, -1, 11, 6), circles=circles), 4)
    assert [one.width for one in passages] == pytest.approx([0.02] * 4)
    assert np.hypot(*(np.mean([one.middle for one in passages], axis=0) - circles[9_050, :2])) < 1e-9
    assert isinstance(passages[0], Passage)


def rough(corners: int) -> Environment:
    """A corridor between two walls whose faces are rough, as robots measure them."""
    rng, x = np.random.default_rng(0), np.linspace(0.0, 1.0, corners)
    low, high = 0.2 + 0.01 * rng.random(corners), 0.4 + 0.01 * rng.random(corners)
    walls = [np.vstack([np.column_stack([x, y]), [(1.0, end), (0.0, end)]]) for y, end in ((low, 0.0), (high, 0.6))]
    return room(polygons=walls)


def test_few_clearances_are_computed_between_rough_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes long, and nearly all discs between two edges contain a corner; what is found is as narrow as all free discs."""
    environment, asked, clearance = rough(60), list[int](), Obstacles.clearance

    def counted(self: Obstacles, points: np.ndarray) -> np.ndarray:
        asked.append(len(points))
        return clearance(self, points)

    monkeypatch.setattr(Obstacles, "clearance", counted)
    passages = narrowest_passages(environment)
    assert sum(asked) < 5000  # of 40 times as many discs
    for one in passages:
        assert clearance(environment.obstacles, one.middle) == pytest.approx(one.width / 2, abs=1e-7)
    corners = [polygon[:-2] for polygon in environment.obstacles.polygons]
    least = np.hypot(*(corners[0][:, None] - corners[1][None]).reshape(-1, 2).T).min()
    assert 0.9 * least < passages[0].width <= least + 1e-9
