"""The pattern in tiles for the bed of a cutter: read back and laid together by the marks of the joints, they are the pattern."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import ezdxf
import numpy as np
import pytest
import shapely
from ezdxf.document import Drawing

from dynamics.tube import VineParams
from planner.design.design import Section
from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.bed import Bed, UnfitBed, divide, write_tiles
from planner.fabrication.pattern.dxf import write_dxf
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Layer, Line, PatternPiece
from planner.fabrication.pattern.svg import write_svg
from planner.output.contents import foreign_files
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from tests.command_line import vinewright

MakeBuild = Callable[..., Build]
PARTS = [("none", 0.3), ("left", 7, 0.042), ("none", 0.206), ("right", 12, 0.03), ("none", 0.14)]
BUILDS = {
    "spam": VineParams(),
    "pouch": VineParams(actuator=PouchMotor()),
    "cpam": VineParams(actuator=Cpam(seam=8e-3)),
    "fpam": VineParams(actuator=Fpam()),
}
BEDS = Bed(600.0, 400.0), Bed(300.0, 150.0), Bed(200.0, 120.0), Bed(150.0, 113.0)


@pytest.fixture(params=[*BUILDS, "preformed"])
def build(request: pytest.FixtureRequest, make_build: MakeBuild) -> Build:
    if request.param != "preformed":
        return make_build(*PARTS, params=BUILDS[request.param])
    made = make_build(("none", 0.3), ("left", 7, 0.042)).design
    bend = Section(made.built, made.built + 0.5, "right", 4.0, 0.0, 0.0, preformed=True)
    return Build(type(made)("plus", "0" * 64, made.params, (*made.sections, bend), made.tip, made.centerline))


def edges(piece: PatternPiece) -> list[Line]:
    """The two long edges of a tile or piece."""
    left, _, right, _ = piece.bounds
    level = [line for line in piece.lines if np.ptp(line.points[:, 1]) == 0]
    return [line for line in level if np.ptp(line.points[:, 0]) == pytest.approx(right - left)]


@pytest.mark.parametrize("bed", BEDS, ids=str)
def test_tiles_fit_and_together_are_the_piece(build: Build, bed: Bed) -> None:
    """Each tile lies on the bed with 4 mm around it; each line and text is on one tile, whole; the long edges meet without overlap."""
    for piece in pattern_of(build).pieces:
        tiles = divide(piece, bed)
        left, low, right, high = piece.bounds
        assert len(tiles) >= (right - left) / (bed.longer - 8)
        drawn: Counter[tuple[object, ...]] = Counter()
        texts: Counter[tuple[str, float]] = Counter()
        begin = left
        for tile in tiles:
            x0, y0, x1, y1 = tile.bounds
            assert (x0, y0) == pytest.approx((4, 4))
            assert y1 - y0 == pytest.approx(high - low)
            assert x1 <= bed.longer - 4 + 1e-9
            assert y1 <= bed.shorter - 4 + 1e-9
            assert sorted(line.points[:, 0].max() for line in edges(tile)) == pytest.approx([x1, x1])
            back = tile.translate(begin - 4, low - 4)
            own = [
                line for line in back.lines if not is_joint(line, back) and not any(line is one for one in edges(back))
            ]
            drawn.update(key(line) for line in own)
            texts.update((t.text, round(t.at[0], 6)) for t in back.texts if not t.text.startswith("J"))
            begin += x1 - x0
        assert begin == pytest.approx(right)
        assert drawn == Counter(key(line) for line in piece.lines if not any(line is one for one in edges(piece)))
        assert texts == Counter((text.text, round(text.at[0], 6)) for text in piece.texts)


def key(line: Line) -> tuple[object, ...]:
    return (
        line.layer,
        line.closed,
        line.tick,
        line.side,
        line.diameter,
        tuple(np.round(line.points, 6).ravel().tolist()),
    )


def is_joint(line: Line, tile: PatternPiece) -> bool:
    """Whether a line is a mark of a joint, or its arm."""
    if line.tick and line.tick[0] == "joint":
        return True
    at = [one.points[0, 0] for one in tile.lines if one.tick and one.tick[0] == "joint"]
    middles = [one.points[:, 1].mean() for one in tile.lines if one.tick and one.tick[0] == "joint"]
    (x, y), (_, other) = line.points[:2].tolist()
    return y == other and any(abs(x - one) < 1e-9 for one in at) and any(abs(y - one) < 1e-9 for one in middles)


@pytest.mark.parametrize("bed", BEDS, ids=str)
def test_labels_of_joints_are_legible(build: Build, bed: Bed) -> None:
    """The number of each joint is on both of its tiles, and overlaps nothing there; it is at least 1.7 mm high."""
    for piece in pattern_of(build).pieces:
        tiles = divide(piece, bed)
        for k, tile in enumerate(tiles):
            numbers = [text for text in tile.texts if text.text.startswith("J")]
            expected = [f"J{n}" for n in (k, k + 1) if 1 <= n < len(tiles)]
            assert sorted(text.text for text in numbers) == sorted(expected)
            others = [(shapely.polygons if one.closed else shapely.linestrings)(one.points) for one in tile.lines]
            others += [shapely.box(*text.bounds) for text in tile.texts if text not in numbers]
            for text in numbers:
                box = shapely.box(*text.bounds)
                assert shapely.box(*tile.bounds).contains(box)
                assert not shapely.intersects(box, others).any()
                assert text.height > 1.7


def joints(drawing: Drawing) -> dict[int, np.ndarray]:
    """Middles of the marks of each joint of a DXF file [mm], shape (2, 2), from the lower edge."""
    found: dict[int, list[np.ndarray]] = {}
    for line in drawing.modelspace().query("LWPOLYLINE"):
        if line.has_xdata("VINEWRIGHT"):
            name, number = (tag.value for tag in line.get_xdata("VINEWRIGHT"))
            if name == "joint":
                found.setdefault(number, []).append(np.mean(np.array(line.get_points("xy")), axis=0))
    return {number: np.array(sorted(each, key=lambda at: at[1])) for number, each in found.items()}


def test_files_are_aligned_by_their_joints(build: Build, tmp_path: Path) -> None:
    """Laid joint on joint, the cell ends on the tiles of the body in the files are where they are on the body."""
    pattern, bed = pattern_of(build), Bed(300.0, 150.0)
    names = write_tiles(pattern, bed, tmp_path, write_dxf, "dxf")
    assert sorted(names) == sorted(f"bed/{path.name}" for path in (tmp_path / "bed").iterdir())
    body = [name for name in names if name.startswith("bed/body-")]
    assert body == [f"bed/body-{k}of{len(body)}.dxf" for k in range(1, len(body) + 1)]
    drawings = [ezdxf.readfile(tmp_path / name) for name in body]
    shift, found = np.array(pattern.pieces[0].bounds[:2]) - 4, {}
    for k, drawing in enumerate(drawings):
        assert not drawing.audit().has_issues
        if k:
            shift = shift + np.mean(joints(drawings[k - 1])[k] - joints(drawing)[k], axis=0)
            assert joints(drawings[k - 1])[k] - joints(drawing)[k] == pytest.approx(
                np.tile(joints(drawings[k - 1])[k][0] - joints(drawing)[k][0], (2, 1))
            )
        for line in drawing.modelspace().query("LWPOLYLINE"):
            if line.has_xdata("VINEWRIGHT"):
                name, number = (tag.value for tag in line.get_xdata("VINEWRIGHT"))
                if name != "joint":
                    found[name, number] = np.array(line.get_points("xy")) + shift
    ticks = {line.tick: line.points for line in pattern.pieces[0].lines if line.tick}
    assert found.keys() == ticks.keys()
    for tick, points in ticks.items():
        assert found[tick] == pytest.approx(points, abs=1e-6)


def test_a_tile_as_svg_fits_the_bed(make_build: MakeBuild, tmp_path: Path) -> None:
    """With its margin, the drawing is at most as large as the bed."""
    from xml.etree import ElementTree

    names = write_tiles(pattern_of(make_build(*PARTS)), Bed(300.0, 150.0), tmp_path, write_svg, "svg")
    for name in names:
        root = ElementTree.parse(tmp_path / name).getroot()
        assert float(root.attrib["width"].removesuffix("mm")) <= 300
        assert float(root.attrib["height"].removesuffix("mm")) <= 150


def test_a_wide_piece_lies_across(make_build: MakeBuild) -> None:
    """Film of 314 mm does not fit along a bed of 600 by 300 mm, and lies across; film of 628 mm does not fit at all."""
    piece = pattern_of(make_build(("none", 1.0), params=VineParams(radius=0.1))).pieces[0]
    assert max(tile.bounds[2] for tile in divide(piece, Bed(600.0, 300.0))) <= 296
    wide = pattern_of(make_build(("none", 1.0), params=VineParams(radius=0.2))).pieces[0]
    with pytest.raises(UnfitBed, match=r"body is 628.3 mm wide, .* at least 636.3 mm wide"):
        divide(wide, Bed(600.0, 300.0))


def test_joints_are_in_order(make_build: MakeBuild) -> None:
    """The cut ends are on the first and the last tile only, and no tile but the last is shorter than a quarter of the bed."""
    for piece in pattern_of(make_build(*PARTS)).pieces:
        tiles = divide(piece, Bed(300.0, 150.0))
        cut = [sum(line.layer is Layer.CUT and line.diameter is None for line in tile.lines) for tile in tiles]
        assert cut == [1, *[0] * (len(tiles) - 2), 1] if len(tiles) > 1 else [2]
        assert all(one.bounds[2] > 75 for one, _ in pairwise(tiles))


@pytest.mark.parametrize("text", ["600", "600x", "600x400x3", "30x400", "600x20000", "-600x400", "axb"])
def test_bad_beds_are_refused(text: str) -> None:
    """The message says what a bed looks like, or which sides it may have."""
    with pytest.raises(ValueError, match=r"such as 600x400|must be from 50 to 10000 mm"):
        Bed.parse(text)
    assert Bed.parse("400 x 600 mm") == Bed(600.0, 400.0)


def test_only_a_folder_of_tiles_is_replaced(tmp_path: Path) -> None:
    """A folder or file of that name with anything else in it is not one that `export` wrote."""
    assert foreign_files(tmp_path) == []
    (tmp_path / "bed").write_text("")
    assert foreign_files(tmp_path) == ["bed"]
    (tmp_path / "bed").unlink()
    (tmp_path / "bed").mkdir()
    (tmp_path / "bed" / "L1-1of2.dxf").write_text("")
    assert foreign_files(tmp_path) == []
    (tmp_path / "bed" / "notes.txt").write_text("")
    assert foreign_files(tmp_path) == ["bed"]


def test_export_writes_tiles(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --bed the pack has the tiles too, and such a pack can be replaced; a bed that is too narrow leaves it as it is."""
    monkeypatch.chdir(tmp_path)
    assert vinewright(monkeypatch, "plan", "plus", "--first", "--seed", 1, "--fast", "--out", "run") == 0
    common = "export", "run", "--out", "pack", "--formats", "dxf,svg", "--allow-limit", "--force", "--trials", 20
    assert vinewright(monkeypatch, *common, "--bed", "600x400") in (0, 3)
    names = {path.relative_to("pack").as_posix() for path in Path("pack").rglob("*") if path.is_file()}
    assert {"pattern.dxf", "pattern.svg"} < names
    tiles = {name.removesuffix(".dxf") for name in names if name.startswith("bed/") and name.endswith(".dxf")}
    assert tiles == {name.removesuffix(".svg") for name in names if name.startswith("bed/") and name.endswith(".svg")}
    assert len([name for name in tiles if name.startswith("bed/body-")]) > 1
    capsys.readouterr()
    assert vinewright(monkeypatch, *common, "--bed", "100x60") == 2
    assert "body is 104.8 mm wide" in " ".join(capsys.readouterr().err.split())
    assert names == {path.relative_to("pack").as_posix() for path in Path("pack").rglob("*") if path.is_file()}
    assert vinewright(monkeypatch, *common, "--bed", "600") == 2
    assert vinewright(monkeypatch, *common) in (0, 3)
    assert sorted(path.name for path in Path("pack").iterdir()) == ["pattern.dxf", "pattern.svg", "plumbing.svg"]
