"""How pictures show the edge of the bounds and a mounted base."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from matplotlib.patches import Patch
from PIL import Image

from environments import Environment, Obstacles
from planner.drawing.bounds import bounds_patches
from planner.drawing.environment import save_environment


def room(**standing: Any) -> Environment:
    return Environment(
        "room",
        "",
        (0, 0, 1, 0.8),
        (0.4, 0.3, np.pi / 2),
        (0.9, 0.3, 0.05),
        Obstacles(boxes=[(0, 0, 1, 0.3)]),
        **standing,
    )


def extent(patch: Patch) -> np.ndarray:
    return patch.get_transform().transform_path(patch.get_path()).get_extents().extents


def test_edges_and_mounts_are_drawn_where_they_are() -> None:
    """A table has a line along its bounds, walls lie around them, and a mount lies behind the base; the rest has none of this."""
    assert bounds_patches(room(), 33.0) == []
    (table,) = bounds_patches(room(edge="table"), 33.0)
    assert table.get_gid() == "table"
    assert extent(table) == pytest.approx([0, 0, 1000, 800])
    wall, mount = bounds_patches(room(edge="wall", mount="wall"), 33.0)
    assert (wall.get_gid(), mount.get_gid()) == ("bounding wall", "mount")
    assert extent(wall) == pytest.approx([-12, -12, 1012, 812])
    hole = shapely.Polygon(wall.get_path().to_polygons()[1])
    assert hole.bounds == pytest.approx((0, 0, 1000, 800))
    left, low, right, high = extent(mount)
    assert (left + right) / 2 == pytest.approx(400)
    assert high == pytest.approx(300)
    assert low < 300 - 33 / 2


def test_pictures_of_edges_can_be_told_apart(tmp_path: Path) -> None:
    """Open bounds, a table, and walls with a mounted base give different pictures of the same size."""
    pixels = []
    for k, standing in enumerate(({}, {"edge": "table"}, {"edge": "wall", "mount": "wall"})):
        path = tmp_path / f"{k}.png"
        save_environment(path, room(**standing))
        pixels.append(np.asarray(Image.open(path).convert("RGB"), int))
    for i in range(3):
        for k in range(i):
            assert pixels[i].shape == pixels[k].shape
            assert (np.abs(pixels[i] - pixels[k]).max(axis=2) > 60).sum() > 300
