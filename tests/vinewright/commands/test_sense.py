"""The commands `vinewright sense` and `vinewright map --session`, on recordings of the geometric propagator."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from PIL import Image

from dynamics.geometric.deployment import Launch
from dynamics.recording import Recording, write_recording
from planner.output.claim import lock
from tests.dynamics.grown import grown

Vinewright = Callable[..., tuple[int, str, str]]
CORNERS = [(0.4, -0.2), (0.9, 0.3), (1.2, 0.3), (1.2, -0.2)]
"""A block whose first edge is a wall at 45 degrees in front of the base."""
ENVIRONMENT = """
schema = 1
unit = "mm"
bounds = {min = [-100, -600], max = [1500, 900]}
start = {position = [0, 0], heading_deg = 0}
goal = {position = [200, 700], radius = 50}
[obstacles]
polygons = [[[400, -200], [900, 300], [1200, 300], [1200, -200]]]
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    made = grown([shapely.Polygon(CORNERS)], Launch(0, 0, 0, 0.85), 0.03, 40, (0.001, 0.002), np.random.default_rng(4))
    return replace(made.recording, name="slide", walls=np.array([[2.0, 2.0, 3.0, 2.0], [0.4, -0.2, 0.9, 0.3]]))


@pytest.fixture
def folder(recording: Recording, tmp_path: Path) -> Path:
    write_recording(recording, tmp_path / "slide.json")
    (tmp_path / "block.toml").write_text(ENVIRONMENT)
    return tmp_path


def test_sense_names_the_wall(vinewright: Vinewright, folder: Path) -> None:
    """The wall, its edge in the environment, interval, noise, free area, and a picture; then the recording's walls, or none."""
    code, out, _ = vinewright("sense", "slide.json", "block.toml", "--json", "--picture", "found.png")
    assert code == 0
    found = json.loads(out)
    (wall,) = found["walls"]
    assert wall["element"] == "polygon 1, edge 1"
    assert wall["apart_mm"] < 5
    assert wall["side"] == "right"
    assert abs(wall["heading_deg"] - 45) < 2 * wall["heading_within_deg"]
    assert found["confidence"] == 0.95
    assert 0.5 < found["noise"]["across_mm"] < 2
    assert found["free_mm2"] == pytest.approx(1e6 * area(found["free_mm"]), rel=0.01)
    assert found["wrote"] == ["found.png"]
    with Image.open(folder / "found.png") as picture:
        assert picture.width > 600
    own = json.loads(vinewright("sense", "slide.json", "--json")[1])
    assert own["walls"][0]["element"] == "walls_m[1]"
    alone = json.loads(vinewright("sense", "slide.json", "--unknown", "--json")[1])
    assert "element" not in alone["walls"][0]
    assert alone["walls"][0]["from_mm"] == wall["from_mm"]


def area(rings: list[list[list[list[float]]]]) -> float:
    return sum(shapely.Polygon(part[0], part[1:]).area for part in rings) * 1e-6


@pytest.mark.usefixtures("folder")
def test_sense_from_length_and_angle(vinewright: Vinewright) -> None:
    """The wall is found again, with a wider interval; the rule is stated."""
    code, out, _ = vinewright("sense", "slide.json", "--readings", "length-angle", "--rule", "published", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["rule"] == "published"
    (wall,) = found["walls"]
    assert abs(wall["heading_deg"] - 45) < 2 * wall["heading_within_deg"] + 2
    tracked = json.loads(vinewright("sense", "slide.json", "--json")[1])
    assert wall["within_mm"][1] > tracked["walls"][0]["within_mm"][1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.json"], "none.json"),
        (["block.toml"], "block.toml is not JSON"),
        (["slide.json", "block.toml", "--unknown"], "exclude each other"),
        (["slide.json", "nowhere"], "nowhere"),
        (["slide.json", "--readings", "video"], "--readings video must be one of centerlines, length-angle"),
        (["slide.json", "--rule", "guess"], "--rule guess must be one of limit-analysis, published"),
        (["slide.json", "--picture", "found.pdf"], "--picture found.pdf must end in .png"),
        (["few.json"], "few.json: 3 frames must be at least 4"),
    ],
)
def test_bad_input_is_one_line(
    vinewright: Vinewright, folder: Path, recording: Recording, arguments: list[str], said: str
) -> None:
    """Exit code 2, and what is allowed."""
    few = replace(recording, centerlines=recording.centerlines[:3], times=recording.times[:3])
    write_recording(few, folder / "few.json")
    code, _, errors = vinewright("sense", *arguments)
    assert code == 2
    assert errors.count("\n") == 1
    assert said in errors


def test_session_grows_with_deployments(vinewright: Vinewright, folder: Path) -> None:
    """add begins it and adds to it, next proposes, show prints and draws; the file is the only state."""
    code, out, _ = vinewright("map", "--session", "s", "add", "slide.json", "--json")
    assert code == 0
    begun = json.loads(out)
    assert begun["tube_radius_mm"] == 30
    assert [one["recording"] for one in begun["deployments"]] == ["slide"]
    assert begun["deployments"][0]["new_hits"] > 0
    stored = json.loads((folder / "s" / "session.json").read_text())
    assert {key: begun[key] for key in stored} == stored
    code, out, _ = vinewright("map", "--session=s", "next", "--policy", "information-gain", "--json")
    assert code == 0
    proposed = json.loads(out)
    assert proposed["bits"] > 0
    np.testing.assert_allclose(proposed["base_mm"], begun["bases"][0]["position_mm"], atol=1e-3)
    code, out, _ = vinewright("map", "--session", "s", "show")
    assert code == 0
    assert out.count("#") == sum(row.count("#") for row in stored["map"])
    with Image.open(folder / "s" / "session.png") as picture:
        assert picture.height > 300
    assert sorted(os.listdir(folder / "s")) == ["session.json", "session.png"]
    code, summary, _ = vinewright("show", "s", "--picture", "again.png")
    assert code == 0
    assert summary.startswith("mapping session s\n" + out.partition("wrote")[0])
    assert "pictures: s/session.png" in summary
    assert (folder / "again.png").read_bytes() == (folder / "s" / "session.png").read_bytes()


def test_new_session_has_its_bases_and_bounds(vinewright: Vinewright, folder: Path) -> None:
    """Two bases; the next deployment starts from one of them; a recording can be added."""
    code, _, errors = vinewright(
        *("map", "--session", "s", "new", "--base", "0,0,0", "--base", "0,100,10", "--radius", 30, "--length", 900),
        *("--bounds", "-100,-600,1500,900"),
    )
    assert code == 0, errors
    proposed = json.loads(vinewright("map", "--session", "s", "next", "--json")[1])
    assert proposed["base_mm"] in ([0, 0], [0, 100])
    assert proposed["length_mm"] == 900
    assert vinewright("map", "--session", "s", "add", "slide.json")[0] == 0
    assert len(json.loads((folder / "s" / "session.json").read_text())["deployments"]) == 1


def test_session_refuses_what_it_cannot_use(vinewright: Vinewright, folder: Path, recording: Recording) -> None:
    """Twice the same recording, another tube, a foreign folder, a damaged file, another process: one line each, nothing changed."""
    write_recording(replace(recording, name="thick", tube_radius=0.05), folder / "thick.json")
    assert vinewright("map", "--session", "s", "add", "slide.json")[0] == 0
    before = (folder / "s" / "session.json").read_bytes()

    def refused(said: str, *arguments: object) -> None:
        code, _, errors = vinewright("map", *arguments)
        assert code == 2
        assert errors.count("\n") == 1
        assert said in errors

    refused("already in the session", "--session", "s", "add", "slide.json")
    refused("tube_radius_m = 0.05 differs", "--session", "s", "add", "thick.json")
    refused("contains a session", "--session", "s", "new", "--base", "0,0,0", "--radius", 30, "--length", 900)
    refused("not part of a session", "--session", ".", "add", "slide.json")
    refused("slide.json is a file", "--session", "slide.json", "add", "slide.json")
    refused("begin the session", "--session", "slide.json", "show")
    refused("begin the session", "--session", "none", "next")
    refused("--base 0,0 must be 3 numbers", "--session", "t", "new", "--base", "0,0", "--radius", 30, "--length", 900)
    refused("--policy ideal must be one of", "--session", "s", "next", "--policy", "ideal")
    with lock(folder / "s"):
        refused("is being written by", "--session", "s", "add", "thick.json")
    assert (folder / "s" / "session.json").read_bytes() == before
    (folder / "s" / "session.json").write_text("{")
    refused("is not JSON", "--session", "s", "show")
    assert not (folder / "t").exists()
    assert not (folder / "none").exists()
