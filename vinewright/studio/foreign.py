"""Files that are opened for an environment, but are something else: their kind, and what to do with them."""

from __future__ import annotations

import json
import re
from typing import Any

from dynamics.tube_file import SCHEMA
from dynamics.tube_keys import DIAMETER, INERTIA, LAYFLAT, TUBE
from environments.file_model import ERRORS
from environments.reading import UnreadableFile, parse_toml

_FOLDER = "start the studio with its folder, vinewright studio FOLDER, where environment.toml is its environment"
_RENAME = "let its name end in {}, and open it again"
_HEADS = (
    (r"\s*(999\s*\n.*\n\s*)*0\s*\n\s*SECTION\b", "is a DXF drawing", _RENAME.format(".dxf")),
    (r"AutoCAD Binary DXF", "is a binary DXF drawing", "save it as an ASCII one"),
    (r"AC10\d\d", "is a DWG drawing", "save it as DXF in the program that it is of"),
    (r"\s*<(svg\b|[\s\S]*<svg\b)", "is an SVG drawing", _RENAME.format(".svg")),
    (r"\s*<", "is an XML or HTML file", "give a drawing as .svg or .dxf"),
    (r"%PDF-", "is a PDF file", "save it as .svg or .dxf, or as a picture to draw on"),
    (r"PK\x03\x04", "is a ZIP file", "unpack it, and open the file in it"),
    (r".?PNG\r|.{6,10}JFIF|.{6,10}Exif|RIFF.{4}WEBP", "is a picture", _RENAME.format(".png, .jpg or .webp")),
    (r"(?m)(?=[\s\S]*^image\s*:)(?=[\s\S]*^resolution\s*:)", "describes the map of a robot", _RENAME.format(".yaml")),
)
"""Beginnings of files: a pattern, what the file is, and what to do with it."""
_HEAD = 4000
"""Characters in which these are looked for."""
_JSON = (
    ({"environment", "sections", "predicted"}, "is the design of a plan", _FOLDER),
    ({"schema", "solutions"}, "has the solutions of a plan", _FOLDER),
    ({"inputs", "versions", "seed"}, "is the record of a plan", _FOLDER),
    ({"cells", "nbformat"}, "is a notebook", "open it in Jupyter"),
)
"""Keys of JSON files, what such a file is, and what to do with it."""
_GEOMETRY = (
    "FeatureCollection",
    "Feature",
    "GeometryCollection",
    "Polygon",
    "MultiPolygon",
    "LineString",
    "MultiLineString",
)
_TOML = (
    ({"project"}, "is the file of a Python project", "open an environment"),
    ({"build-system"}, "is the file of a Python project", "open an environment"),
    ({"tool"}, "is the file of a Python project", "open an environment"),
    ({"package"}, "is the file of a Rust project", "open an environment"),
    ({"environments"}, "is the file of a sweep", "run it with vinewright sweep"),
    ({"designs", "trials"}, "is the file of a sweep", "run it with vinewright sweep"),
    ({"mass_kg"}, "is the robot of an Euler-Lagrange model", "give it to vinewright euler-lagrange"),
    ({"arm_diameters"}, "is the robot of an Euler-Lagrange model", "give it to vinewright euler-lagrange"),
)
"""Keys of TOML files, what such a file is, and what to do with it."""
_OWN = {"bounds", "start", "goal", "obstacles"}
"""Keys of environments: a file with one of them is meant to be one."""


def describe_foreign(text: str) -> str | None:
    """Return what a file that is no environment is and what to do with it, as an end of a sentence; None if that is unknown.

    Args:
        text: Its content, as text.
    """
    if text.lstrip().startswith(("{", "[{")) and (found := _describe_json(text)):
        return found
    for pattern, what, advice in _HEADS:
        if re.match(pattern, text[:_HEAD]):
            return f"{what}: {advice}"
    keys = _toml(text).keys()
    if keys & _OWN:
        return None
    for needed, what, advice in _TOML:
        if needed <= keys:
            return f"{what}: {advice}"
    if keys & ({"uncertainty"} | ERRORS.model_fields.keys() - {"preset"}):
        return "has errors of building, and no environment: give it to vinewright plan with --uncertainty"
    return None


def tube_content_of(text: str) -> dict[str, Any] | None:
    """Return the content of a text that is meant to be a tube file, without its schema; None for any other text."""
    data = _toml(text)
    # Some keys are of errors, too.
    keys = {key.name for key in (*TUBE.values(), *INERTIA.values(), DIAMETER, LAYFLAT)} - ERRORS.model_fields.keys()
    is_robot = any(needed <= data.keys() for needed, what, _ in _TOML if "robot" in what)
    if (
        is_robot
        or data.keys() & _OWN
        or not data.keys() & (keys | {"actuator"})
        or data.get("schema", SCHEMA) != SCHEMA
    ):
        return None
    return {key: value for key, value in data.items() if key != "schema"}


def _describe_json(text: str) -> str | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return "is JSON, and no environment: give a TOML file"
    if data.get("type") in _GEOMETRY:
        return f"is GeoJSON: {_RENAME.format('.geojson')}"
    for needed, what, advice in _JSON:
        if needed <= data.keys():
            return f"{what}: {advice}"
    return "is JSON, and neither an environment nor GeoJSON"


def _toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; none of any other text."""
    try:
        return parse_toml(text.encode("utf-8", "surrogatepass"))
    except UnreadableFile:
        return {}
