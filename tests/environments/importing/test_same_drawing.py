"""One drawing in every format, unit and pose."""

import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely.affinity import affine_transform

from environments.importing.curves import SAGITTA
from environments.importing.dxf import read_dxf
from environments.importing.geojson import read_geojson
from environments.importing.options import ImportOptions
from environments.importing.svg import read_svg
from environments.importing.traced import Tracing

CODES = {"mm": 4, "m": 6, "in": 1}
METRES = {"mm": 0.001, "m": 1.0, "in": 0.0254}


@dataclass(frozen=True)
class Drawing:
    """Polygons, whose first ring is the outline, and circles, in metres before the map."""

    polygons: list[list[list[tuple[float, float]]]]
    circles: list[tuple[float, float, float]]
    matrix: np.ndarray
    """Affine map, shape (2, 3)."""

    def polygonal(self) -> Any:
        """The polygons after the map."""
        (a, b, e), (c, d, f) = self.matrix.tolist()
        parts = [shapely.Polygon(rings[0], rings[1:]) for rings in self.polygons]
        return affine_transform(shapely.union_all(parts), [a, b, c, d, e, f])

    def whole(self) -> Any:
        """Polygons and circles after the map."""
        (a, b, e), (c, d, f) = self.matrix.tolist()
        discs = [shapely.Point(x, y).buffer(radius, quad_segs=400) for x, y, radius in self.circles]
        return shapely.union_all([self.polygonal(), affine_transform(shapely.union_all(discs), [a, b, c, d, e, f])])


def cells(count: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=count, max_size=count, unique=True)


tenths = st.integers(2, 9).map(lambda number: number / 20)


@st.composite
def drawings(draw: Callable[..., Any], even: bool = True) -> Drawing:
    """Stars with and without holes and circles, each in its own square metre, under a similarity or an affine map."""
    places = draw(cells(4))
    polygons: list[list[list[tuple[float, float]]]] = []
    for k, (x, y) in enumerate(places[:3]):
        corners = draw(st.lists(tenths, min_size=3, max_size=7))
        turn = np.arange(len(corners)) * math.tau / len(corners)
        points = np.array(corners)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
        rings = [points, points[::-1] * 0.5] if k == 0 else [points]
        polygons.append([[(float(p), float(q)) for p, q in ring + np.array([x, y])] for ring in rings])
    x, y = places[3]
    angle, size = draw(st.floats(0, math.tau)), draw(st.floats(0.3, 3))
    stretch = size if even else draw(st.floats(0.3, 3))
    mirror = draw(st.sampled_from([1, -1]))
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    matrix = np.column_stack([turned @ np.diag([size, mirror * stretch]), draw(st.tuples(tenths, tenths))])
    return Drawing(polygons, [(x, y, draw(tenths))], matrix)


def as_dxf(drawing: Drawing, unit: str, path: Path) -> Tracing:
    """Drawn in a block, which is inserted with the map."""
    document = ezdxf.new("R2010", units=CODES[unit])
    block = document.blocks.new("PART")
    for outline, *holes in drawing.polygons:
        if holes:
            hatch = block.add_hatch(dxfattribs={"layer": "0"})
            for ring in (outline, *holes):
                hatch.paths.add_polyline_path(ring, is_closed=True)
        else:
            block.add_lwpolyline(outline, close=True, dxfattribs={"layer": "WALL"})
    for x, y, radius in drawing.circles:
        block.add_circle((x, y), radius, dxfattribs={"layer": "WALL"})
    across, up = drawing.matrix[:, 0], drawing.matrix[:, 1]
    turned = up @ [-across[1], across[0]] < 0
    scale = 1 / METRES[unit]
    document.modelspace().add_blockref("PART", drawing.matrix[:, 2] * scale, dxfattribs={
        "layer": "WALL", "rotation": math.degrees(math.atan2(across[1], across[0])), "zscale": scale,
        "xscale": math.hypot(*across) * scale, "yscale": math.hypot(*up) * scale * (-1 if turned else 1),
    })  # fmt: skip
    text = io.StringIO()
    document.write(text)
    path.with_suffix(".dxf").write_text(text.getvalue())
    return read_dxf(path.with_suffix(".dxf"))


def as_svg(drawing: Drawing, unit: str, path: Path) -> Tracing:
    """Drawn in a group with the map; the sheet is 40 m high, with the origin in its middle."""
    parts = []
    for rings in drawing.polygons:
        data = "".join("M" + "L".join(f"{x!r},{y!r}" for x, y in ring) + "z" for ring in rings)
        parts.append(f'<path d="{data}"/>')
    parts += [f'<circle cx="{x!r}" cy="{y!r}" r="{r!r}"/>' for x, y, r in drawing.circles]
    (a, b, e), (c, d, f) = drawing.matrix.tolist()
    scale = 1 / METRES[unit]
    suffix = {"mm": "mm", "in": "in", "m": "cm"}[unit]
    side = 40 * (100 if unit == "m" else scale)
    box = f"{-20 * scale} {-20 * scale} {40 * scale} {40 * scale}"
    path.with_suffix(".svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}{suffix}" height="{side}{suffix}" viewBox="{box}">'
        f'<g id="WALL" transform="scale({scale} {-scale})"><g transform="matrix({a} {c} {b} {d} {e} {f})">{"".join(parts)}</g></g></svg>'
    )
    traced = read_svg(path.with_suffix(".svg"))
    return Tracing(
        solid=tuple(affine_transform(part, [1, 0, 0, 1, -20, -20]) for part in traced.solid),
        circles=traced.circles - [20, 20, 0],
        moved=traced.moved,
    )


def as_geojson(drawing: Drawing, unit: str, path: Path) -> Tracing:
    """Drawn under the map; circles are discs only under similarities."""
    a = drawing.matrix

    def mapped(points: Sequence[tuple[float, float]]) -> list[list[float]]:
        return ((np.array(points) @ a[:, :2].T + a[:, 2]) / METRES[unit]).tolist()

    features: list[dict[str, Any]] = []
    for rings in drawing.polygons:
        closed = [mapped([*ring, ring[0]]) for ring in rings]
        features.append({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": closed}})
    for x, y, radius in drawing.circles:
        size = {"radius": radius * math.hypot(*a[:, 0]) / METRES[unit]}
        centre = {"type": "Point", "coordinates": mapped([(x, y)])[0]}
        features.append({"type": "Feature", "properties": size, "geometry": centre})
    path.with_suffix(".geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return read_geojson(path.with_suffix(".geojson"), ImportOptions(unit=unit))


def assert_same(traced: Tracing, drawing: Drawing) -> None:
    """Exact discs, and an area that differs by no more than curves that became lines may."""
    size = float(np.linalg.norm(drawing.matrix[:, :2], 2))
    allowed, expected = 1e-9, drawing.polygonal()
    if len(traced.circles):
        centres = np.array([row[:2] for row in drawing.circles]) @ drawing.matrix[:, :2].T + drawing.matrix[:, 2]
        radii = np.array([row[2:] for row in drawing.circles]) * size
        np.testing.assert_allclose(traced.circles, np.column_stack([centres, radii]), atol=1e-9)
    else:
        expected = drawing.whole()
        ((*_, radius),) = drawing.circles
        # the chords of the reading, and those of the polygon with 1600 corners that stands for the exact ellipse
        allowed += math.tau * radius * size * (SAGITTA + radius * size * (1 - math.cos(math.pi / 1600)))
    assert shapely.symmetric_difference(shapely.union_all(list(traced.solid)), expected).area <= allowed


FORMATS = {"dxf": as_dxf, "svg": as_svg, "geojson": as_geojson}
quiet = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("kind", FORMATS)
@quiet
@given(drawing=drawings(), unit=st.sampled_from(sorted(CODES)))
def test_a_drawing_is_the_same_in_every_format_and_unit(tmp_path: Path, kind: str, drawing: Drawing, unit: str) -> None:
    """Polygons with holes and circles that are turned, mirrored and scaled; circles stay exact discs."""
    traced = FORMATS[kind](drawing, unit, tmp_path / "drawing")
    assert len(traced.circles) == len(drawing.circles)
    assert_same(traced, drawing)


@pytest.mark.parametrize("kind", ["dxf", "svg"])
@quiet
@given(drawing=drawings(even=False), unit=st.sampled_from(sorted(CODES)))
def test_stretched_circles_are_ellipses(tmp_path: Path, kind: str, drawing: Drawing, unit: str) -> None:
    """Within the stated distance between curves and lines."""
    assert_same(FORMATS[kind](drawing, unit, tmp_path / "drawing"), drawing)
