"""The pattern as an SVG file."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.svg import write_svg

SVG = "{http://www.w3.org/2000/svg}"
LAYERS = ["CUT", "SEAL", "MARK", "TEXT"]


@pytest.fixture(scope="module")
def drawing(example: Build, tmp_path_factory: pytest.TempPathFactory) -> ElementTree.Element:
    path = tmp_path_factory.mktemp("svg") / "pattern.svg"
    write_svg(path, pattern_of(example))
    assert [file.name for file in path.parent.iterdir()] == ["pattern.svg"]
    return ElementTree.parse(path).getroot()


def lines(drawing: ElementTree.Element, layer: str) -> list[np.ndarray]:
    """Corners of each line of a layer [mm], y downwards."""
    group = drawing.find(f"{SVG}g[@id='{layer}']")
    assert group is not None
    return [
        np.array([pair.split(",") for pair in line.attrib["points"].split()], float)
        for line in group
        if "points" in line.attrib
    ]


def outlines(drawing: ElementTree.Element) -> list[np.ndarray]:
    """Corners of the pieces [mm], from top to bottom, then from the left; two cuts across a tube bound a piece."""
    cut = sorted(lines(drawing, "CUT"), key=lambda corners: (round(corners[:, 1].min(), 3), corners[0, 0]))
    return [np.concatenate(pair) for pair in zip(cut[::2], cut[1::2], strict=True)]


def test_drawing_is_full_scale(drawing: ElementTree.Element) -> None:
    """One unit of the drawing is a millimetre; its size is that of the pattern, 1420 mm of body, plus a small margin."""
    assert drawing.tag == f"{SVG}svg"
    width, height = (float(drawing.attrib[key].removesuffix("mm")) for key in ("width", "height"))
    assert drawing.attrib["width"].endswith("mm")
    assert drawing.attrib["height"].endswith("mm")
    assert [float(part) for part in drawing.attrib["viewBox"].split()] == [0, 0, width, height]
    corners = np.concatenate([points for layer in LAYERS[:3] for points in lines(drawing, layer)])
    assert width == pytest.approx(1420, abs=20)
    assert np.ptp(corners[:, 0]) == pytest.approx(1420, abs=2e-4)
    assert (corners > 0).all()
    assert (corners < [width, height]).all()
    assert not any("transform" in element.attrib for element in drawing.iter())


def test_layers_are_groups_with_hairlines_of_their_own_colours(drawing: ElementTree.Element) -> None:
    """Each layer is one named group, which Inkscape shows as a layer; lines are thin and not filled."""
    groups = list(drawing)
    assert [group.attrib["id"] for group in groups] == LAYERS
    inkscape = "{http://www.inkscape.org/namespaces/inkscape}"
    assert [group.attrib[f"{inkscape}label"] for group in groups] == LAYERS
    assert {group.attrib[f"{inkscape}groupmode"] for group in groups} == {"layer"}
    assert len({group.attrib["stroke"] for group in groups[:3]}) == 3
    assert {group.attrib["fill"] for group in groups[:3]} == {"none"}
    assert all(float(group.attrib["stroke-width"]) <= 0.2 for group in groups[:3])


def test_pieces_and_marks_have_their_sizes(drawing: ElementTree.Element) -> None:
    """Body and strips have their sizes; short marks are 42 mm apart at the upper fold and 30 mm at the lower."""
    body, *strips = outlines(drawing)
    assert np.ptp(body, axis=0) == pytest.approx([1420, np.pi * 33.35], abs=2e-4)
    assert [np.ptp(strip[:, 1]) for strip in strips] == pytest.approx([np.pi * 17.18] * 2, abs=2e-4)
    base, high, low = body[:, 0].min() + 100, body[:, 1].min(), body[:, 1].max()
    short = [line for line in lines(drawing, "MARK") if len(line) == 2 and 5 < abs(line[1, 1] - line[0, 1]) < 10]
    upper, lower = (sorted(line[0, 0] - base for line in short if line[0, 1] == fold) for fold in (high, low))
    assert upper == pytest.approx(300 + 42 * np.arange(8), abs=2e-4)
    assert lower == pytest.approx(800 + 30 * np.arange(13), abs=2e-4)


def test_holes_are_circles_of_their_size(drawing: ElementTree.Element, example: Build) -> None:
    """Each strip has one circle to cut, 5 mm wide, 40 mm from its feed end."""
    circles = list(drawing.iter(f"{SVG}circle"))
    group = drawing.find(f"{SVG}g[@id='CUT']")
    assert group is not None
    assert [one for one in group if one.tag == f"{SVG}circle"] == circles
    assert [float(one.attrib["r"]) for one in circles] == [2.5] * len(example.actuators)
    for strip, circle in zip(outlines(drawing)[1:], circles, strict=True):
        assert float(circle.attrib["cx"]) == pytest.approx(strip[:, 0].min() + 40, abs=2e-4)
        assert strip[:, 1].min() + 15 < float(circle.attrib["cy"]) < strip[:, 1].max() - 15


def test_seals_are_outlines(drawing: ElementTree.Element) -> None:
    """The two seals of each strip, and that of the body's tip, are closed outlines, 5 mm wide; nothing is filled."""
    group = drawing.find(f"{SVG}g[@id='SEAL']")
    assert group is not None
    assert [one.tag for one in group] == [f"{SVG}polygon"] * 5
    assert [np.ptp(corners[:, 0]) for corners in lines(drawing, "SEAL")] == pytest.approx([5.0] * 5, abs=2e-4)
    assert not any("fill" in one.attrib for one in group)


def test_left_is_up(drawing: ElementTree.Element) -> None:
    """Texts are at their positions: LEFT near the upper fold, RIGHT near the lower, each number at its mark."""
    body = outlines(drawing)[0]
    base, high, low = body[:, 0].min() + 100, body[:, 1].min(), body[:, 1].max()
    texts = [(e.text, float(e.attrib["x"]) - base, float(e.attrib["y"])) for e in drawing.iter(f"{SVG}text")]
    assert all(high < y < high + 30 for text, _, y in texts if text == "LEFT")
    assert all(low - 30 < y < low for text, _, y in texts if text == "RIGHT")
    numbers = [(int(text), x) for text, x, y in texts if text and text.isdigit() and y < high + 10]
    assert [number for number, _ in numbers] == list(range(8))
    assert [x for _, x in numbers] == pytest.approx([300 + 42 * k for k in range(8)], abs=2)


def test_file_is_deterministic(example: Build, tmp_path: Path) -> None:
    """A build gives equal files."""
    for name in ("one", "two"):
        write_svg(tmp_path / name, pattern_of(example))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
