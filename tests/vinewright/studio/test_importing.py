"""Uploads of drawings and maps: what the page gets of them, and what is refused."""

import base64
import multiprocessing
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
from starlette.testclient import TestClient

from environments.environment_file import parse_environment
from environments.importing.options import ImportOptions
from environments.importing.traced import UnusableFile
from vinewright.studio import importing
from vinewright.studio.importing import import_uploaded

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="1000mm" height="600mm" viewBox="0 0 1000 600">'
    '<rect x="400" y="0" width="100" height="400"/></svg>'
)
MAP = b"image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"


def post(client: TestClient, files: dict[str, bytes], **options: Any) -> Any:
    """Send the request of the page."""
    encoded = [{"name": name, "data": base64.b64encode(data).decode()} for name, data in files.items()]
    return client.post("/api/import", json={"files": encoded, **options})


def drawing_of_box(tmp_path: Path, unit: int) -> bytes:
    """A DXF drawing with a box of 200 x 300 units and a line of letters beside it."""
    made = ezdxf.new(units=unit)
    space = made.modelspace()
    space.add_lwpolyline([(100, 50), (300, 50), (300, 350), (100, 350)], close=True, dxfattribs={"layer": "WALL"})
    space.add_lwpolyline([(500, 50), (510, 50), (510, 60)], close=True, dxfattribs={"layer": "LETTERS"})
    made.saveas(tmp_path / "bench.dxf")
    return (tmp_path / "bench.dxf").read_bytes()


def corners_of(found: Any) -> list[tuple[float, float]]:
    """Corners of the only obstacle [mm], in ascending order."""
    obstacles = found["content"]["obstacles"]
    if obstacles["boxes"]:
        ((x0, y0, x1, y1),) = obstacles["boxes"]
        return [(x0, y0), (x0, y1), (x1, y0), (x1, y1)]
    (polygon,) = obstacles["polygons"]
    return sorted(map(tuple, polygon))


def test_a_drawing_with_its_unit_and_layers(client: TestClient, tmp_path: Path) -> None:
    """The content that the page opens, in millimetres; unit and layers are those that the page asks for."""
    data = drawing_of_box(tmp_path, 4)
    found = post(client, {"bench.dxf": data}).json()
    assert corners_of(found) == [(100, 50), (100, 350), (300, 50), (300, 350)]
    assert found["missing"] == ["start", "goal"]
    assert any("wide" in note for note in found["notes"])
    inches = post(client, {"bench.dxf": data}, unit="in").json()
    assert corners_of(inches) == [(2540, 1270), (2540, 8890), (7620, 1270), (7620, 8890)]
    letters = post(client, {"bench.dxf": data}, solid=["LETTERS"]).json()
    assert corners_of(letters) == [(500, 50), (510, 50), (510, 60)]
    without = post(client, {"bench.dxf": data}, solid=["*"], least_size=50).json()
    assert corners_of(without) == corners_of(found)


WAVE = " ".join(f"{400 + 10 * (k % 2)},{5 * k}" for k in range(60))
ROUGH = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 600"><polygon points="{WAVE} 600,295 600,0"/></svg>'
"""An SVG drawing without a size, whose outline has teeth of 10 units."""


def test_a_known_length_sets_the_scale(client: TestClient, tmp_path: Path) -> None:
    """A length in units of the drawing and in millimetres sets the unit, whatever the file says; the answer has the unit."""
    data = drawing_of_box(tmp_path, 4)
    found = post(client, {"bench.dxf": data}, known={"mm": 500, "units": 200}).json()
    assert corners_of(found) == [(250, 125), (250, 875), (750, 125), (750, 875)]
    assert (found["mm_per_unit"], found["is_assumed"]) == (2.5, False)
    found = post(client, {"plan.svg": SVG.encode()}, known={"mm": 50, "units": 100}).json()
    assert found["content"]["bounds"]["max"] == [500, 300]
    assert found["mm_per_unit"] == pytest.approx(0.5)
    assert post(client, {"bench.dxf": data}, known={"mm": 0, "units": 200}).status_code == 400
    assert post(client, {"map.yaml": MAP}, known={"mm": 1, "units": 1}).status_code == 422


def test_drawings_without_a_unit_are_shown(client: TestClient, tmp_path: Path) -> None:
    """The usual unit is assumed, and the answer says so; other faults of such a file are told."""
    data = drawing_of_box(tmp_path, 0)
    found = post(client, {"bench.dxf": data}).json()
    assert corners_of(found) == [(100, 50), (100, 350), (300, 50), (300, 350)]
    assert (found["mm_per_unit"], found["is_assumed"]) == (1, True)
    assert not post(client, {"bench.dxf": data}, unit="mm").json()["is_assumed"]
    assert "parsec" in post(client, {"bench.dxf": data}, unit="parsec").json()["error"]
    found = post(client, {"plan.svg": ROUGH.encode()}).json()
    assert found["is_assumed"]
    assert found["mm_per_unit"] == pytest.approx(25.4 / 96)
    answer = post(client, {"bench.dxf": data}, solid=["NOWHERE"])
    assert answer.status_code == 422
    assert "does not say its unit" in answer.json()["error"]


def test_outlines_are_simplified(client: TestClient) -> None:
    """The teeth of an outline go within a tolerance above their depth; the answer has the corners before and after."""
    files = {"plan.svg": ROUGH.encode()}
    assert post(client, files, mm_per_unit=1).json()["corners"] == [62, 62]
    before, after = post(client, files, mm_per_unit=1, simplify=12).json()["corners"]
    assert before == 62
    assert 4 <= after < 10
    # The tolerance is a length, not a number of units.
    assert post(client, files, mm_per_unit=10, simplify=12).json()["corners"] == [62, 62]


def test_options_have_the_names_of_the_page(client: TestClient, tmp_path: Path) -> None:
    """Errors of the importers name fields, not options of the command line."""
    error = post(client, {"bench.dxf": drawing_of_box(tmp_path, 0)}, solid=["NOWHERE"]).json()["error"]
    assert "give “unit”, one of mm" in error


def test_start_and_goal_are_placed_where_there_is_room(client: TestClient) -> None:
    """The environment can be planned in as it is: neither is in an obstacle, the start is at the left, the goal at the right."""
    found = post(client, {"plan.svg": SVG.encode()}).json()
    made = parse_environment(found["text"].encode(), "plan", 0.03)
    assert made.start[0] < 0.4 < 0.5 < made.goal[0]
    assert np.all(made.obstacles.clearance([made.start[:2], made.goal[:2]]) > importing.ROOM)
    assert found["content"]["bounds"]["max"] == [1000, 600]


def test_obstacles_alone_get_room_beside_them(client: TestClient, tmp_path: Path) -> None:
    """A drawing of one block ends with it: the bounds are wider, and what the file gives as start and goal stays."""
    found = post(client, {"bench.dxf": drawing_of_box(tmp_path, 4)}).json()["content"]
    assert found["bounds"] == {"min": [-200, -250], "max": [600, 650], "edge": "open", "stacked": False}
    x, y = found["start"]["position"]
    assert -200 + 1e3 * importing.ROOM <= x < 100 - 1e3 * importing.ROOM
    # As near to the middle as the grid of places is: a third of a row of 900 mm.
    assert abs(y - 200) <= 900 / importing.GRID
    x, y = found["goal"]["position"]
    assert 300 + 1e3 * importing.ROOM < x <= 600 - 1e3 * importing.ROOM
    assert abs(y - 200) <= 900 / importing.GRID


def test_a_map_with_its_picture(client: TestClient) -> None:
    """Both are uploaded; without the picture, the message names it."""
    cells = np.full((20, 40), 254, np.uint8)
    cells[5:10, 10:14] = 0
    files = {"map.pgm": b"P5 40 20 255\n" + cells.tobytes(), "map.yaml": MAP}
    found = post(client, files).json()
    # Row 5 from the top of 20 is from 0.5 to 0.75 m from the bottom.
    assert found["content"]["obstacles"]["boxes"] == [[500, 500, 700, 750]]
    answer = post(client, {"map.yaml": MAP})
    assert answer.status_code == 422
    assert "map.pgm" in answer.json()["error"]
    assert "/" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("plan.dwg", b"AC1032", "plan.dwg is a DWG drawing: save it as DXF"),
        ("plan.txt", b"walls", "must end in one of"),
        ("plan.dxf", b"not a drawing", "plan.dxf"),
        ("plan.svg", b"<svg", "plan.svg"),
        ("plan.geojson", b"[", "plan.geojson"),
    ],
)
def test_what_cannot_be_read_is_named(client: TestClient, name: str, data: bytes, words: str) -> None:
    """By the name of the file, in one line, without the folder in which it was read."""
    answer = post(client, {name: data})
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert "vinewright-import" not in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("name", ["../plan.svg", "a/b.svg", "..", "", "a\\b.svg", "a\x00.svg"])
def test_names_with_folders_are_refused(client: TestClient, name: str) -> None:
    assert post(client, {name: SVG.encode()}).status_code == 400


def test_limits() -> None:
    """An import that takes too long, or more memory than it may, ends with a message, and its process is gone."""
    with pytest.raises(UnusableFile, match=r"plan\.svg takes longer than 0\.001 s"):
        import_uploaded({"plan.svg": SVG.encode()}, ImportOptions(), seconds=1e-3)
    with pytest.raises(UnusableFile, match="memory"):
        import_uploaded({"plan.svg": SVG.encode()}, ImportOptions(), memory=300_000_000)
    with pytest.raises(UnusableFile, match="one drawing, or the YAML file"):
        import_uploaded({"one.svg": b"", "other.svg": b""}, ImportOptions())
    assert multiprocessing.active_children() == []
