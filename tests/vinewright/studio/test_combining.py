"""Union and difference of obstacles."""

from typing import Any

import pytest
import shapely

from environments.file_model import InvalidEnvironment
from vinewright.studio.combining import combine_shapes


def box(*row: float) -> dict[str, Any]:
    return {"kind": "box", "row": list(row), "corners": []}


def area(polygons: Any) -> float:
    return sum(float(shapely.Polygon(corners).area) for corners in polygons)


def test_a_union_and_a_difference_have_their_areas() -> None:
    """Two boxes of 100 by 100 mm that share a quarter; the order of a difference counts."""
    one, other = box(0, 0, 100, 100), box(50, 50, 150, 250)
    (joined,) = combine_shapes("union", [one, other], "flat")
    assert area([joined]) == pytest.approx(10_000 + 20_000 - 2_500)
    assert len(joined) == 8
    assert area(combine_shapes("difference", [one, other], "flat")) == pytest.approx(7_500)
    assert area(combine_shapes("difference", [other, one], "flat")) == pytest.approx(17_500)
    assert combine_shapes("difference", [one, box(-1, -1, 101, 101)], "flat") == []


def test_a_hole_is_cut_open() -> None:
    """A disc out of a box leaves simple polygons without the disc's area; a turned box counts as it is turned."""
    disc = {"kind": "circle", "row": [50, 50, 20], "corners": []}
    pieces = combine_shapes("difference", [box(0, 0, 100, 100, 45), disc], "flat")
    assert len(pieces) > 1
    assert area(pieces) == pytest.approx(10_000 - 3.14159 * 400, rel=1e-3)
    assert all(shapely.Polygon(corners).is_valid for corners in pieces)
    assert max(x for corners in pieces for x, _ in corners) == pytest.approx(50 + 50 * 2**0.5, abs=0.01)


@pytest.mark.parametrize(("ends", "expected"), [("flat", 1000.0), ("round", 1000.0 + 3.14159 * 25)])
def test_ends_of_walls_count(ends: Any, expected: float) -> None:
    """Round ends reach beyond the wall."""
    wall = {"kind": "wall", "row": [0, 0, 100, 0, 10], "corners": []}
    assert area(combine_shapes("union", [wall, wall], ends)) == pytest.approx(expected, rel=3e-3)


@pytest.mark.parametrize(
    "shape",
    [
        {"kind": "wall", "row": [0, 0, 100, 0, 0], "corners": []},
        {"kind": "wall", "row": [0, 0, 0, 0, 10], "corners": []},
        {"kind": "polygon", "row": [], "corners": [[0, 0], [10, 10], [10, 0], [0, 10]]},
    ],
)
def test_what_has_no_area_is_refused(shape: dict[str, Any]) -> None:
    """Bare lines and outlines that cross themselves."""
    with pytest.raises(InvalidEnvironment, match="cannot be combined"):
        combine_shapes("union", [box(0, 0, 1, 1), shape], "flat")
