"""The printed bracket."""

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
import trimesh

from planner.fabrication.assembly.bracket import bracket_mesh, write_bracket
from surrogate.spam import Spam

# All in mm: plate, ring, chamfers; foot, its slot, stem and rounded corners.
THICK, RIM, CHAMFER, EASE = 5.0, 3.0, 1.0, 0.5
FOOT, HIGH, SLOT, SLOT_LOW, CORNER, STEM, ROUND = 21.0, 6.0, (13.0, 2.0), 2.0, 0.5, 8.0, 2.0

Ring = tuple[float, float]
"""Area [mm^2] and perimeter [mm] of an outline whose corners are all round."""


def spam(constriction: float, tube: float) -> Spam:
    return Spam(1e-3 * constriction, 1e-3 * tube)


def rounded_box(width: float, height: float, corner: float) -> Ring:
    return width * height - (4 - np.pi) * corner**2, 2 * (width + height) - (8 - 2 * np.pi) * corner


def circle(radius: float) -> Ring:
    return np.pi * radius**2, 2 * np.pi * radius


def whole_plate(constriction: float, tube: float) -> Ring:
    """Ring, straight stem and foot, with round corners between them."""
    outer, half = constriction + RIM, STEM / 2
    # The fillet at the ring is centred on a point beside the stem, `rise` below the ring's centre.
    rise = np.sqrt((outer + ROUND) ** 2 - (half + ROUND) ** 2)
    behind = np.arcsin((half + ROUND) / (outer + ROUND))
    turn, bare = np.pi / 2 - behind, tube - rise - HIGH
    assert bare >= ROUND, "the fillets must not overlap"
    foot_area, foot_edge = rounded_box(FOOT, HIGH, ROUND)
    area = foot_area + STEM * bare + (2 - np.pi / 2) * ROUND**2
    area += outer**2 * (np.pi - behind) + (half + ROUND) * rise - ROUND**2 * turn
    edge = foot_edge - STEM - 2 * ROUND + np.pi * ROUND + 2 * (bare - ROUND)
    edge += 2 * ROUND * turn + 2 * outer * (np.pi - behind)
    return area, edge


def moved(ring: Ring, out: float) -> float:
    """Area [mm^2] after the outline moves outwards (Steiner formula)."""
    return ring[0] + out * ring[1] + np.pi * out**2


def prism(ring: Ring, chamfer: float) -> float:
    """Volume [mm^3] of a ring that widens at both faces, at 45 degrees; a negative chamfer narrows it."""
    return THICK * ring[0] + chamfer * abs(chamfer) * ring[1] + 2 / 3 * np.pi * abs(chamfer) ** 3


def section(mesh: trimesh.Trimesh, z: float) -> shapely.Polygon:
    """Section by a plane parallel to the printer's bed [mm]."""
    ends = trimesh.intersections.mesh_plane(mesh, [0, 0, 1], [0, 0, z])[:, :, :2]
    lines = shapely.set_precision(shapely.linestrings(ends), 1e-4)
    rings = shapely.polygonize(lines[shapely.length(lines) > 0])
    return max(shapely.get_parts(rings), key=lambda face: face.convex_hull.area)


SIZES = [(5.0, 17.18), (2.0, 17.18), (3.5, 25.0), (8.0, 60.0)]
EXTREMES = [(2.0, 9.0), (10.18, 17.18), (2.0, 60.0), (48.0, 60.0), (28.0, 35.0)]


@pytest.mark.parametrize(("constriction", "tube"), SIZES + EXTREMES)
def test_a_bracket_is_one_printable_solid(constriction: float, tube: float) -> None:
    """Watertight, one piece with two holes, on the bed; nothing except the underside overhangs by more than 45 degrees."""
    mesh = bracket_mesh(spam(constriction, tube))
    assert mesh.is_watertight
    assert mesh.is_volume
    assert (mesh.body_count, mesh.euler_number) == (1, -2)
    assert mesh.volume > 0
    np.testing.assert_allclose(mesh.bounds[:, 2], [0, THICK], atol=1e-5)
    np.testing.assert_allclose(mesh.bounds[:, 1], [0, tube + constriction + RIM], atol=1e-2)
    lying = np.abs(mesh.triangles[:, :, 2]).max(axis=1) < 1e-5
    assert np.all(mesh.face_normals[lying, 2] < -0.999)
    steepest = np.degrees(np.arcsin(-mesh.face_normals[~lying, 2])).max()
    assert steepest < 45.1


@pytest.mark.parametrize(("constriction", "tube"), SIZES + EXTREMES)
def test_the_hole_is_where_the_model_constricts_the_tube(constriction: float, tube: float) -> None:
    """At mid-plane its area is that of the constriction, and its centre lies one tube radius above the foot."""
    middle = section(bracket_mesh(spam(constriction, tube)), THICK / 2)
    hole, slot = sorted((shapely.Polygon(ring) for ring in middle.interiors), key=lambda ring: -ring.centroid.y)
    assert hole.area == pytest.approx(np.pi * constriction**2, rel=2e-3)
    assert (hole.centroid.x, hole.centroid.y) == pytest.approx((0, tube), abs=1e-3)
    assert slot.bounds == pytest.approx((-SLOT[0] / 2, SLOT_LOW, SLOT[0] / 2, SLOT_LOW + SLOT[1]), abs=1e-3)
    # Tape 12 mm wide lies flat on the slot's floor.
    assert slot.intersection(shapely.box(-6, SLOT_LOW, 6, SLOT_LOW + 0.2)).area == pytest.approx(12 * 0.2, rel=1e-3)
    assert shapely.Polygon(middle.exterior).bounds[1] == pytest.approx(0, abs=1e-5)
    # The plate around hole and slot is wide enough to print.
    assert middle.exterior.distance(hole) > min(RIM, SLOT_LOW) - 0.01
    assert hole.distance(slot) > 2.9


@pytest.mark.parametrize(("constriction", "tube"), SIZES)
def test_volume_and_underside_are_those_of_the_closed_form(constriction: float, tube: float) -> None:
    """A prism with eased edges, less a cylinder with two frusta, less a slot with eased edges."""
    mesh = bracket_mesh(spam(constriction, tube))
    plate, hole, slot = whole_plate(constriction, tube), circle(constriction), rounded_box(*SLOT, CORNER)
    volume = prism(plate, -EASE) - prism(hole, CHAMFER) - prism(slot, EASE)
    assert mesh.volume == pytest.approx(volume, rel=1e-3)
    lying = np.abs(mesh.triangles[:, :, 2]).max(axis=1) < 1e-5
    underside = moved(plate, -EASE) - moved(hole, CHAMFER) - moved(slot, EASE)
    assert mesh.area_faces[lying].sum() == pytest.approx(underside, rel=1e-3)
    assert section(mesh, THICK / 2).area == pytest.approx(plate[0] - hole[0] - slot[0], rel=1e-3)
    # The frusta alone: at this height the hole is wider than the constriction by the rest of the chamfer.
    hole_above = max(
        (shapely.Polygon(ring) for ring in section(mesh, 0.25).interiors), key=lambda ring: ring.centroid.y
    )
    assert hole_above.area == pytest.approx(np.pi * (constriction + 0.75) ** 2, rel=2e-3)


def test_the_file_is_the_bracket_in_millimetres(tmp_path: Path) -> None:
    """A binary STL that reads back as the same solid; no other file is left in the folder."""
    write_bracket(tmp_path / "bracket.stl", Spam())
    mesh, read = bracket_mesh(Spam()), trimesh.load_mesh(tmp_path / "bracket.stl")
    assert [path.name for path in tmp_path.iterdir()] == ["bracket.stl"]
    assert (tmp_path / "bracket.stl").stat().st_size == 84 + 50 * len(mesh.faces)
    assert read.is_volume
    assert read.volume == pytest.approx(mesh.volume, rel=1e-6)
    np.testing.assert_allclose(read.bounds, mesh.bounds, atol=1e-5)
    np.testing.assert_allclose(read.bounds[1], [10.5, 17.18 + 8, 5], atol=1e-2)


@pytest.mark.parametrize(
    ("constriction", "tube", "message"),
    [
        (1.9, 17.18, "constriction_radius = 1.9 mm must be from 2 to 10.18 mm for a printed bracket on a tube of radius 17.18 mm"),
        (10.3, 17.18, "constriction_radius = 10.3 mm must be from 2 to 10.18 mm"),
        (48.1, 60.0, "constriction_radius = 48.1 mm must be from 2 to 48 mm"),
        (2.0, 8.9, "tube_radius = 8.9 mm must be from 9 to 60 mm for a printed bracket"),
        (5.0, 61.0, "tube_radius = 61 mm must be from 9 to 60 mm"),
        (np.nan, 17.18, "constriction_radius = nan must be greater than 0 and finite"),
        (5.0, np.nan, "tube_radius = nan must be greater than 0 and finite"),
    ],
)  # fmt: skip
def test_impossible_dimensions_are_refused(constriction: float, tube: float, message: str, tmp_path: Path) -> None:
    """The message names the dimension and the allowed range, and no file is written."""
    with pytest.raises(ValueError, match=message):
        write_bracket(tmp_path / "bracket.stl", spam(constriction, tube))
    assert not list(tmp_path.iterdir())


def test_a_missing_extra_reaches_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without manifold3d the error says which module is missing."""
    find = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name == "manifold3d":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return find(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match="manifold3d"):
        write_bracket(tmp_path / "bracket.stl", Spam())
