"""Names of obstacles in figures: in or beside their own obstacle, not over one another or over what is taken."""

from itertools import combinations

import numpy as np
import pytest
import shapely

from environments import Environment, generate_environment
from planner.drawing.names import place_names


def check(environment: Environment, taken: shapely.Geometry, named: float) -> None:
    """Names are placed well for a drawing 9.6 inches wide, and at least this share of the obstacles has one."""
    view, solids = 1e3 * environment.bounds, environment.obstacles
    shapes = {solids.name(k): shapely.transform(shape, lambda mm: 1e3 * mm) for k, shape in enumerate(solids.shapes())}
    point = (view[2] - view[0]) / 9.6 / 72
    found = place_names(environment, view, point, taken)
    assert len(found) >= named * len(shapes)
    assert len({one.text for one in found}) == len(found)
    assert not any(one.area.intersects(other.area) for one, other in combinations(found, 2))
    assert not any(one.area.intersects(taken) for one in found)
    for one in found:
        own = shapes[one.text.replace("\n", " ")]
        if not own.contains(one.area):
            assert own.distance(one.area) < 8 * point
            assert not any(shape.intersects(one.area) for shape in shapes.values())
            assert shapely.box(*view).contains(one.area)


@pytest.mark.parametrize("name", ["divider", "maze", "building"])
def test_obstacles_of_shipped_environments_have_names(shipped: dict[str, Environment], name: str) -> None:
    """All of them."""
    check(shipped[name], shapely.Point(), 1.0)


def test_names_give_way() -> None:
    """To what is taken, and to other obstacles where these stand close together."""
    crowded = generate_environment(np.random.default_rng(3), size=(4, 3), density=0.3, tube_radius=0.02)
    assert len(crowded.obstacles) > 40
    check(crowded, shapely.Point(), 0.8)
    check(crowded, shapely.box(0, 0, 2000, 3000), 0.3)
    assert place_names(crowded, 1e3 * crowded.bounds, 5.0, shapely.box(*1e3 * crowded.bounds)) == []
