"""One bench as several programs write it."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shapely

from environments.importing.dxf import read_dxf
from environments.importing.options import ImportOptions
from environments.importing.svg import read_svg
from environments.importing.traced import Tracing

DATA = Path("tests/data/import")
READ: dict[str, Callable[[], Tracing]] = {
    "dxfwrite.dxf": lambda: read_dxf(DATA / "dxfwrite.dxf", ImportOptions(unit="mm")),
    "minimal.dxf": lambda: read_dxf(DATA / "minimal.dxf", ImportOptions(unit="in")),
    "inkscape.svg": lambda: read_svg(DATA / "inkscape.svg"),
    "illustrator.svg": lambda: read_svg(
        DATA / "illustrator.svg", ImportOptions(mm_per_unit=25.4 / 72, solid=("bench_wall",))
    ),
}
THICKNESS = {"inkscape.svg": 0.01, "illustrator.svg": 0.01}
"""Width of the stroke of the short wall [m]; CAD lines have none."""


@pytest.mark.parametrize("name", READ)
def test_a_bench_is_what_was_drawn(name: str) -> None:
    """A room, a block of 100 x 700 mm, a post, a straight and a curved wall, in metres and with y upwards."""
    bench = READ[name]()
    assert bench.bounds == pytest.approx((0, 0, 2.4, 1.6))
    assert bench.start == pytest.approx((0.1, 0.1, math.pi / 2))
    assert bench.goal == pytest.approx((2.2, 0.2, 0.1), abs=5e-5)
    block, *arcs = sorted(bench.solid, key=lambda part: -part.area)
    assert shapely.symmetric_difference(block, shapely.box(1.2, 0, 1.3, 0.7)).area < 1e-8
    np.testing.assert_allclose(bench.circles, [[0.6, 0.8, 0.1]], atol=1e-8)
    straight = [wall for wall in bench.walls if np.allclose(wall[[0, 2]], 0.6)]
    assert len(straight) == 1
    assert sorted(straight[0][[1, 3]]) == pytest.approx([1.0, 1.2])
    assert straight[0][4] == pytest.approx(THICKNESS.get(name, 0.0))
    # Illustrator has Bezier curves only: a quarter of a circle is within 0.03 % of its radius.
    if arcs:
        assert arcs[0].area == pytest.approx(math.pi * 0.3 * 0.01, rel=1e-3)
        off = np.hypot(*(shapely.get_coordinates(arcs[0]) - [1.8, 0.8]).T) - 0.3
        np.testing.assert_allclose(np.abs(off), 0.005, atol=1.5e-4)
    else:
        ends = bench.walls[:, :4].reshape(-1, 2)
        curved = ends[(np.abs(ends[:, 1] - 0.8) <= 0.3) & (ends[:, 0] >= 1.8 - 1e-7) & (ends[:, 0] < 2.2)]
        assert len(curved) > 60
        np.testing.assert_allclose(np.hypot(*(curved - [1.8, 0.8]).T), 0.3, atol=1e-4)
    around = bench.walls[(bench.walls[:, 0] * (bench.walls[:, 0] - 2.4)).round(6) == 0]
    assert np.hypot(*(around[:, 2:4] - around[:, :2]).T).sum() == pytest.approx(8)
    assert bench.moved == 1e-4


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("dxfwrite.dxf", "1 TEXT"),
        ("inkscape.svg", "1 hidden layers or elements, 1 text"),
        ("illustrator.svg", "1 hidden layers or elements"),
    ],
)
def test_what_is_left_out_is_told(name: str, told: str) -> None:
    """Texts and hidden layers, by number."""
    assert any(told in note for note in READ[name]().notes)
