"""Files that are opened for an environment or a drawing, but are something else: each is named, with what to do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from environments.environment_file import known_environments
from tests.vinewright.studio.browser import Studio
from tests.vinewright.studio.test_importing import MAP, SVG, drawing_of_box
from tests.vinewright.studio.test_importing import post as post_import
from vinewright.studio.foreign import describe_foreign

TUBE = 'schema = 1\nname = "thin"\nradius_mm = 25\n\n[actuator]\ntype = "spam"\n'
POLYGON = '{"type": "Polygon", "coordinates": []}'
SWEEP = 'schema = 1\n[environments]\nfiles = ["maze"]\n[plan]\niterations = 60\n'
ROBOT = "schema = 1\nmass_kg = 0.1\ndiameter_mm = 50.0\n[actuator]\ncontraction = 0.3\n"


def open_text(client: TestClient, text: str) -> Any:
    """Send the request that opens a file."""
    return client.post("/api/open", json={"text": text, "name": "bench.toml"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[build-system]\nrequires = []\n", "is the file of a Python project"),
        ('[project]\nname = "x"\n', "is the file of a Python project"),
        (SWEEP, "vinewright sweep"),
        (ROBOT, "vinewright euler-lagrange"),
        ('[uncertainty]\npreset = "workshop"\n', "--uncertainty"),
        ("obstacle_position_mm = 3\n", "--uncertainty"),
        (json.dumps({"schema": 1, "solutions": []}), "vinewright studio FOLDER"),
        (POLYGON, "is GeoJSON: let its name end in .geojson"),
        ("[]", None),
        ("[{}]", "is JSON, and no environment"),
        ('{"a": 1}', "neither an environment nor GeoJSON"),
        (SVG, "is an SVG drawing: let its name end in .svg"),
        (f'<?xml version="1.0"?>\n<!-- by hand -->\n{SVG}', "is an SVG drawing"),
        ("<html><body></body></html>", "is an XML or HTML file"),
        ("  0\nSECTION\n  2\nHEADER\n", "is a DXF drawing: let its name end in .dxf"),
        ("999\nby a program\n  0\nSECTION\n", "is a DXF drawing"),
        (MAP.decode(), "describes the map of a robot: let its name end in .yaml"),
        ("%PDF-1.7\n", "is a PDF file"),
        ("PK\x03\x04", "is a ZIP file"),
        ("AC1032", "save it as DXF"),
        ("\ufffdPNG\r\n\x1a\n", "is a picture"),
        ("schema = ", None),
        ("", None),
        ("[" * 5000, None),
        ('{"a":' * 5000, None),
        ("<!---->" * 5000, "is an XML or HTML file"),
        ("a.b.c.d.e.f.g.h.i.j.k.l.m = 1", None),
    ],
)
def test_kinds_of_files(client: TestClient, text: str, words: str | None) -> None:
    """Each kind has its name and an advice, also in the answer to the page; what is unknown keeps the error of its reader."""
    found = describe_foreign(text)
    answer = open_text(client, text)
    assert answer.status_code == 422
    if words is None:
        assert found is None
        assert answer.json()["error"]
    else:
        assert words in answer.json()["error"] == found


def test_an_environment_is_none_of_them() -> None:
    """A wrong key in an environment is told as such, whatever else the file has."""
    wrong = '[project]\nname = "x"\n[bounds]\nmin = [0, 0]\n'
    assert describe_foreign(wrong) is None
    assert describe_foreign('schema = 2\nunit = "mm"\n[start]\nposition = [0, 0]\n') is None


@pytest.mark.parametrize("name", known_environments())
def test_shipped_environments_open(client: TestClient, drawing: Callable[..., Any], name: str) -> None:
    assert open_text(client, drawing(name)["text"]).json()["content"]


def test_a_tube_file_is_a_tube(client: TestClient) -> None:
    """The answer has the tube and no environment; a wrong number in it is told."""
    answer = open_text(client, TUBE).json()
    assert answer["content"] is None
    assert answer["tube"]["content"]["radius_mm"] == 25
    wrong = open_text(client, TUBE.replace("25", "-25"))
    assert wrong.status_code == 422
    assert "radius_mm" in wrong.json()["error"]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("design.json", b'{"environment": {}, "sections": [], "predicted": {}}', "design.json is the design of a plan: start"),
        ("book.json", b'{"cells": [], "nbformat": 4}', "book.json is a notebook"),
        ("plan.svg", b"%PDF-1.7", "plan.svg is a PDF file"),
        ("plan.dxf", SVG.encode(), "plan.dxf is an SVG drawing: let its name end in .svg"),
        ("plan.json", b'{"type": "Polygon", "coordinates": []}', "plan.json: "),
        ("map.yml", MAP, "map.yml: image = 'map.pgm' must be"),
    ],
)  # fmt: skip
def test_imports_of_other_kinds(client: TestClient, name: str, data: bytes, words: str) -> None:
    """A file whose name says another kind is named; a fault of the kind that it has is told by the importer."""
    answer = post_import(client, {name: data})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(words)


def test_other_files_in_the_page(editor: Studio, tmp_path: Path) -> None:
    """A tube file goes into the panel of the tube, and the drawing stays; a DXF file that is called TOML is named."""
    editor.key("b")
    editor.drag((400, 300), (500, 400))
    tube, drawing = tmp_path / "thin.toml", tmp_path / "hall.toml"
    tube.write_text(TUBE)
    drawing.write_bytes(drawing_of_box(tmp_path, 4))
    editor.page.set_input_files("#open-file", str(tube))
    editor.wait_for("state.panel === 'tube' && state.tube.content.radius_mm === 25")
    assert editor.state("state.message").startswith("thin.toml is a tube file")
    assert [shape["row"] for shape in editor.shapes()] == [[400, 300, 500, 400]]
    editor.page.set_input_files("#open-file", str(drawing))
    editor.wait_for("state.message.startsWith('hall.toml: is a DXF drawing: let its name end in .dxf')")
