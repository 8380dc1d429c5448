"""The pattern as a DXF file, read back by ezdxf."""

from collections.abc import Callable
from pathlib import Path

import ezdxf
import numpy as np
import pytest
from ezdxf.document import Drawing
from ezdxf.entities import LWPolyline

from dynamics.tube import VineParams
from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.dxf import write_dxf
from planner.fabrication.pattern.layout import pattern_of
from surrogate.pouch import PouchMotor

MakeBuild = Callable[..., Build]
Marks = dict[str, dict[int, np.ndarray]]


@pytest.fixture(scope="module")
def drawing(example: Build, tmp_path_factory: pytest.TempPathFactory) -> Drawing:
    path = tmp_path_factory.mktemp("dxf") / "pattern.dxf"
    write_dxf(path, pattern_of(example))
    assert [file.name for file in path.parent.iterdir()] == ["pattern.dxf"]
    return ezdxf.readfile(path)


def outlines(drawing: Drawing) -> list[np.ndarray]:
    """Corners of the pieces [mm], from top to bottom, then from the left; two cuts across a tube bound a piece."""
    cut = [np.array(line.get_points("xy")) for line in drawing.modelspace().query('LWPOLYLINE[layer=="CUT"]')]
    cut.sort(key=lambda corners: (-round(corners[:, 1].max(), 6), corners[:, 0].min()))
    return [np.concatenate(pair) for pair in zip(cut[::2], cut[1::2], strict=True)]


def marks(drawing: Drawing) -> Marks:
    """Lines that carry an actuator's name and a number, shape (2, 2) [mm]."""
    found: Marks = {}
    for line in drawing.modelspace().query("LWPOLYLINE"):
        assert isinstance(line, LWPolyline)
        if line.has_xdata("VINEWRIGHT"):
            assert line.dxf.layer == "MARK"
            name, number = (tag.value for tag in line.get_xdata("VINEWRIGHT"))
            found.setdefault(name, {})[number] = np.array(line.get_points("xy"))
    return found


def test_file_is_valid_and_in_millimetres(drawing: Drawing) -> None:
    """The file is an R2010 drawing in millimetres, and an audit finds no errors."""
    audit = drawing.audit()
    assert not audit.errors
    assert not audit.fixes
    assert drawing.acad_release == "R2010"
    assert drawing.header["$INSUNITS"] == 4
    assert drawing.header["$MEASUREMENT"] == 1


def test_layers_have_different_colours(drawing: Drawing) -> None:
    """Every entity is on one of four layers, each with its own colour."""
    names = {"CUT", "SEAL", "MARK", "TEXT"}
    colours = {name: drawing.layers.get(name).color for name in names}
    assert len(set(colours.values())) == 4
    kinds = {(entity.dxf.layer, entity.dxftype()) for entity in drawing.modelspace()}
    assert kinds == {
        ("CUT", "LWPOLYLINE"),
        ("CUT", "CIRCLE"),
        ("SEAL", "LWPOLYLINE"),
        ("MARK", "LWPOLYLINE"),
        ("TEXT", "TEXT"),
    }


def test_brackets_are_l_0_apart(drawing: Drawing) -> None:
    """On the body, brackets are l_0 apart to a millionth of a millimetre; the first is at the section's start."""
    found = marks(drawing)
    assert set(found) == {"L1", "R2"}
    for name, start, cells, cell in (("L1", 300.0, 7, 42.0), ("R2", 800.0, 12, 30.0)):
        places = np.array([found[name][number][0] for number in range(cells + 1)])
        assert len(found[name]) == cells + 1
        assert places[0, 0] == pytest.approx(start, abs=1e-6)
        assert np.abs(np.diff(places[:, 0]) - cell).max() < 1e-6
        assert np.ptp(places[:, 1]) == 0


def test_brackets_lie_on_folds_that_are_half_a_circumference_apart(drawing: Drawing) -> None:
    """Left marks start on the body's upper fold, right ones on the lower fold, pi R below it; both point inwards."""
    body, found = outlines(drawing)[0], marks(drawing)
    high, low = body[:, 1].max(), body[:, 1].min()
    assert high - low == pytest.approx(np.pi * 33.35, abs=1e-6)
    assert {mark[0, 1] for mark in found["L1"].values()} == {high}
    assert {mark[0, 1] for mark in found["R2"].values()} == {low}
    assert all(low < mark[1, 1] < high for actuator in found.values() for mark in actuator.values())


def test_pieces_have_their_sizes(drawing: Drawing, example: Build) -> None:
    """Body and strips are cut to length across, never along their folds; the body's base is at x = 0."""
    for line in drawing.modelspace().query('LWPOLYLINE[layer=="CUT"]'):
        assert np.ptp(np.array(line.get_points("xy"))[:, 0]) == 0
        assert not line.closed
    sizes = [np.ptp(corners, axis=0) for corners in outlines(drawing)]
    strips = [[60 + 1e3 * actuator.contraction + length + 22.5, np.pi * 17.18]
              for actuator, length in zip(example.actuators, (294, 360), strict=True)]  # fmt: skip
    assert sizes == [pytest.approx(np.array(size), abs=1e-6) for size in ([1420, np.pi * 33.35], *strips)]
    assert outlines(drawing)[0][:, 0].min() == pytest.approx(-100, abs=1e-9)


def test_labels_are_at_their_marks(drawing: Drawing) -> None:
    """Names and numbers are texts a few millimetres high; each number is beside its bracket."""
    texts = list(drawing.modelspace().query("TEXT"))
    assert {"BODY", "LEFT", "RIGHT", "L1", "R2", "12 × 30 mm", "300 to 594 mm"} <= {text.dxf.text for text in texts}
    assert all(2 < text.dxf.height < 8 for text in texts)
    for number, mark in marks(drawing)["L1"].items():
        near = [t for t in texts if np.hypot(*(np.array(t.get_placement()[1].vec2) - mark.mean(axis=0))) < 5]
        assert [text.dxf.text for text in near] == [str(number)]


@pytest.mark.parametrize("parts", [[("none", 12.0)], [("left", 9, 0.04), ("right", 200, 0.0333), ("none", 5.0)]])
def test_other_builds_are_valid_too(make_build: MakeBuild, tmp_path: Path, parts: list[tuple]) -> None:
    """Builds without actuators, long tubes and pouches give valid files with a mark at every cell end."""
    build = make_build(*parts, params=VineParams(actuator=PouchMotor()))
    write_dxf(tmp_path / "pattern.dxf", pattern_of(build))
    drawing = ezdxf.readfile(tmp_path / "pattern.dxf")
    assert not drawing.audit().has_issues
    assert {name: len(each) for name, each in marks(drawing).items()} == ({"L1": 10, "R2": 201} if parts[1:] else {})
