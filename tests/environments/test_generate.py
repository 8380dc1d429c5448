import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments import Environment, generate_environment, load_environment, write_environment

RADIUS = 0.03335
SETTINGS = [(seed, density) for density in (0.1, 0.3, 0.5) for seed in range(4)]


def clutter(seed: int, **arguments: Any) -> Environment:
    return generate_environment(np.random.default_rng(seed), **arguments)


def test_same_seed_same_environment() -> None:
    """A seed gives one environment; other seeds give others."""
    assert clutter(7).sha256 == clutter(7).sha256
    assert len({clutter(seed).sha256 for seed in range(5)}) == 5


@pytest.mark.parametrize(("seed", "density"), SETTINGS)
def test_density_is_met(seed: int, density: float) -> None:
    """The union of the obstacles covers the requested share of the area, within 0.003."""
    environment = clutter(seed, size=(2.0, 1.5), density=density)
    union = shapely.union_all(environment.obstacles.shapes())
    assert shapely.box(*environment.bounds).buffer(1e-4).covers(union)
    assert union.area / 3.0 == pytest.approx(density, abs=0.003)


@pytest.mark.parametrize(("seed", "density"), SETTINGS)
def test_start_and_goal_are_free_and_connected(seed: int, density: float) -> None:
    """Start and goal are free and far apart, with free space ahead of the start and a path as wide as the tube."""
    environment = clutter(seed, density=density)
    x, y, heading = environment.start
    goal, goal_radius = environment.goal[:2], environment.goal[2]
    clearance = environment.obstacles.clearance
    assert clearance(np.array([x, y])) >= 2 * RADIUS
    assert clearance(goal) >= goal_radius
    assert math.dist((x, y), goal) >= 0.5 * math.hypot(2, 2)
    ahead = np.array([x, y]) + np.linspace(0, 6 * RADIUS, 50)[:, None] * [math.cos(heading), math.sin(heading)]
    assert (clearance(ahead) >= RADIUS).all()
    assert ((ahead >= 0) & (ahead <= 2)).all()
    solid = shapely.union_all(environment.obstacles.shapes())
    room = shapely.box(*environment.bounds).difference(solid).buffer(-RADIUS)
    ends = shapely.points([[x, y], goal])
    assert any(shapely.covers(way, ends).all() for way in shapely.get_parts(room))


@pytest.mark.parametrize("seed", range(5))
def test_generated_environments_are_valid_files(tmp_path: Path, seed: int) -> None:
    """A generated environment is accepted by the reader and loads back with the same sha256."""
    environment = clutter(seed, density=0.4, name="thicket")
    write_environment(environment, tmp_path / "file.toml")
    again = load_environment(tmp_path / "file.toml")
    assert (again.sha256, again.name) == (environment.sha256, "thicket")


def test_kinds_are_those_requested() -> None:
    """Only the requested kinds appear; some polygons are concave, others convex."""
    circles = clutter(0, kinds=("circles",)).obstacles
    assert not circles.polygons
    assert len(circles.circles) > 0
    boxes = clutter(0, kinds=("boxes",)).obstacles
    assert len(boxes.circles) == 0
    assert all(shape.equals(shape.envelope) for shape in boxes.shapes())
    polygons = clutter(0, kinds=("polygons",)).obstacles.shapes()
    assert {shape.convex_hull.area > 1.001 * shape.area for shape in polygons} == {True, False}


def test_no_clutter() -> None:
    """Density 0 gives an empty environment."""
    assert clutter(0, density=0.0).obstacles.shapes() == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"density": -0.1}, "density = -0.1 must be from 0 to 0.6"),
        ({"density": 0.61}, "density = 0.61 must be from 0 to 0.6"),
        ({"density": math.nan}, "density = nan must be from 0 to 0.6"),
        ({"size": (2.0, 0.5)}, r"size = .* must be from 0.667"),
        ({"size": (math.inf, 2.0)}, r"size = .* to 10000 m"),
        ({"size": (100.0, 1.0)}, r"size = .* 10 times"),
        ({"kinds": ()}, "kinds = .* boxes, polygons, circles"),
        ({"kinds": ("boxes", "stars")}, "kinds = .* boxes, polygons, circles"),
        ({"tube_radius": 0.0}, "tube_radius = 0.0 must be from 0.001 to 1 m"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], words: str) -> None:
    """An argument out of its range is refused with its value and the range."""
    with pytest.raises(ValueError, match=words):
        clutter(0, **arguments)
