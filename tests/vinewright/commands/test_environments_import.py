"""`vinewright environments import` and `export`: what is written, and what is said."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vinewright as vw
from environments import load_environment
from tests.environments.importing.maps import write_map

Vinewright = Callable[..., tuple[int, str, str]]
PLACED = "--start", "300,500,90", "--goal", "1700,500,100"


def room(folder: Path) -> Path:
    """A map of 2 m x 1 m with walls around it, a block in the middle, and unknown cells in a corner."""
    values = np.full((50, 100), 254, np.uint8)
    values[[0, -1]] = values[:, [0, -1]] = 0
    values[20:30, 45:55] = 0
    values[1:9, 1:9] = 205
    return write_map(folder, values, resolution=0.02)


def test_a_start_at_the_edge_of_a_map_gets_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """Half of the tubes that start at the edge of a map without walls begin outside, by the default errors."""
    made = write_map(tmp_path, np.full((50, 100), 254, np.uint8), resolution=0.02)
    start = "--start", "0,500,0", "--goal", "1700,500,100"
    code, out, _ = vinewright("environments", "import", made, *start, "--out", "edge.toml")
    assert code == 0
    assert "hint: the start is 0 mm from the left bound, and its error is 4 mm: about 50 % of the tubes" in out


def test_import_writes_an_environment_and_a_picture(vinewright: Vinewright, tmp_path: Path) -> None:
    """The file can be planned in; the report has what was read and changed; the picture shows the whole map."""
    (tmp_path / "maps").mkdir()
    code, out, errors = vinewright("environments", "import", room(tmp_path / "maps"), *PLACED)
    assert (code, errors) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "map of 100 x 50 cells of 20 mm"
    assert lines[1] == "7.9 % occupied, 90.8 % free, 1.3 % unknown, taken as obstacles"
    assert "bounds     (0, 0) to (2000, 1000) mm" in lines
    assert lines[-1] == "wrote map.toml and map-imported.png"
    assert "hint" not in out
    environment = load_environment("map.toml")
    assert environment.bounds.tolist() == [0, 0, 2, 1]
    assert environment.start.tolist() == pytest.approx([0.3, 0.5, np.pi / 2])
    assert environment.goal.tolist() == [1.7, 0.5, 0.1]
    assert environment.obstacles.clearance([1.0, 0.5]) == 0
    # The block reaches from row 20 to row 30 from the top of 50.
    assert environment.obstacles.clearance([0.8, 0.5]) == pytest.approx(0.1)
    assert environment.obstacles.clearance([0.17, 0.83]) == 0
    with Image.open("map-imported.png") as picture:
        assert picture.width > 1000
    assert sorted(path.name for path in Path().iterdir()) == ["map-imported.png", "map.toml", "maps"]


def test_without_start_or_goal_only_the_picture_is_written(vinewright: Vinewright, tmp_path: Path) -> None:
    """It is what start and goal are chosen in; without --picture, the message says so and nothing is written."""
    path = room(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, _, errors = vinewright("environments", "import", path)
    assert code == 2
    assert errors == (
        "error: map.yaml has no start and no goal; give --start X,Y,DEG and --goal X,Y,RADIUS, in mm; with --picture FILE.png "
        "instead, only a picture is written, to choose them in\n"
    )
    assert sorted(tmp_path.iterdir()) == before
    code, out, _ = vinewright("environments", "import", path, "--goal", "1700,500,100", "--picture", "look.png")
    assert code == 3
    assert (
        out.splitlines()[-1]
        == "not met: no environment was written: map.yaml has no start; give --start X,Y,DEG, in mm"
    )
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "look.png"])


def test_existing_files_are_replaced_only_with_force(vinewright: Vinewright, tmp_path: Path) -> None:
    """Neither of the two files is written if one of them exists."""
    path = room(tmp_path)
    (tmp_path / "map-imported.png").write_text("mine")
    code, _, errors = vinewright("environments", "import", path, *PLACED)
    assert code == 2
    assert "map-imported.png already exists" in errors
    assert not Path("map.toml").exists()
    assert vinewright("environments", "import", path, *PLACED, "--force")[0] == 0
    assert Path("map.toml").exists()
    code, _, errors = vinewright("environments", "import", path, "--picture", "map.yaml")
    assert (code, errors) == (2, "error: --picture map.yaml must end in .png\n")
    Image.new("L", (9, 9)).save("photo.png")
    code, _, errors = vinewright("environments", "import", "photo.png", "--picture", "photo.png", "--force")
    assert (code, errors) == (2, "error: --picture photo.png is the file that is imported; give another name\n")


def test_json_has_the_figures(vinewright: Vinewright, tmp_path: Path) -> None:
    """In millimetres, as one document, with the environment as `environments list` has it."""
    code, out, _ = vinewright("environments", "import", room(tmp_path), *PLACED, "--unknown", "free", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["wrote"] == ["map.toml", "map-imported.png"]
    assert document["bounds_mm"] == [0, 0, 2000, 1000]
    assert document["moved_mm"] == 0
    assert document["obstacles"]["circles"] == 0
    assert document["environment"]["goal_mm"] == [1700, 500]
    assert document["notes"][1].endswith("1.3 % unknown, taken as free")


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
<rect x="80" y="0" width="20" height="60"/><g id="posts"><circle cx="150" cy="50" r="5"/></g></svg>"""
GEOJSON = {
    "type": "Feature",
    "properties": {},
    "geometry": {"type": "Polygon", "coordinates": [[[80, 40], [100, 40], [100, 100], [80, 100], [80, 40]]]},
}


def test_drawings_are_read_in_their_unit(vinewright: Vinewright) -> None:
    """An SVG in units of 10 mm with y down, all of it or one layer, and the same block as GeoJSON in centimetres."""
    Path("a.svg").write_text(SVG)
    Path("b.geojson").write_text(json.dumps(GEOJSON))
    for name, options in (("a.svg", ["--mm-per-unit", "10"]), ("b.geojson", ["--unit", "cm"])):
        code, out, errors = vinewright("environments", "import", name, *PLACED, *options, "--out", "c.toml", "--force")
        assert (code, errors) == (0, ""), out
        obstacles = load_environment("c.toml").obstacles
        assert obstacles.clearance([0.9, 0.5]) == 0
        assert obstacles.clearance([0.9, 0.3]) == pytest.approx(0.1)
        assert (obstacles.clearance([1.5, 0.5]) == 0) == (name == "a.svg")
    ends = "--start", "1452,452,0", "--goal", "1548,548,2"
    layer = "--mm-per-unit", "10", "--solid", "posts"
    code, out, _ = vinewright("environments", "import", "a.svg", *ends, *layer, "--out", "d.toml")
    assert code == 0
    assert "shapes that match no --solid that were left out: 1" in out


def test_a_start_without_room_for_the_default_tube_is_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """A thinner tube may fit; inside an obstacle none does, and nothing is written."""
    path = room(tmp_path)
    code, out, _ = vinewright("environments", "import", path, "--start", "300,40,0", "--goal", "1700,500,100")
    assert code == 0
    assert "hint: the default tube does not fit: start.position = [300, 40] is 20 mm from polygon 2" in out
    code, _, errors = vinewright(
        "environments", "import", path, "--start", "1000,500,0", *PLACED[2:], "--force", "--out", "b.toml"
    )
    assert (code, errors) == (
        2,
        "error: map.yaml: start.position = [1000, 500] is inside an obstacle; if the base is mounted in it, give mount = wall, with "
        "the start at its surface\n",
    )
    assert not Path("b.toml").exists()


def test_a_map_much_larger_than_start_and_goal_need_is_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """The named rectangle can be given as it is, and the hint is gone."""
    path = room(tmp_path)
    ends = "--start", "500,800,0", "--goal", "600,800,10"
    _, out, _ = vinewright("environments", "import", path, *ends)
    (hint,) = [line for line in out.splitlines() if "--crop reach" in line]
    assert hint == (
        "hint: the map is 2 x 1 m, and start and goal are 0.1 m apart: --crop 390,690,710,910 keeps their surroundings, --crop reach what "
        "can be reached"
    )
    code, out, _ = vinewright("environments", "import", path, *ends, "--crop", "390,690,710,910", "--force")
    assert code == 0
    assert "--crop reach" not in out


def test_a_goal_in_metres_is_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """Its radius is then below 1 mm; one of 1 mm says nothing."""
    path = room(tmp_path)
    words = "hint: --goal 1.7,0.5,0.1 has a radius of less than 1 mm: --start and --goal are in mm"
    _, out, _ = vinewright("environments", "import", path, "--goal", "1.7,0.5,0.1", "--picture", "a.png")
    assert out.splitlines()[0] == words
    _, out, _ = vinewright("environments", "import", path, "--goal", "1700,500,1", "--picture", "b.png")
    assert "hint" not in out


def test_what_is_probably_noise_or_a_wrong_threshold_is_a_hint(vinewright: Vinewright, tmp_path: Path) -> None:
    """Five single cells, two of them unknown, but not the one at a corner of the block; a threshold that frees 6 % unknown cells."""
    values = np.full((50, 100), 254, np.uint8)
    values[[5, 30, 40], [10, 20, 30]], values[[10, 45], [80, 60]] = 0, 205
    values[20:30, 45:55] = values[19, 44] = values[45, 80:82] = 0  # two cells are 45 mm across
    small = "obstacles are less than 30 mm across"
    empty = write_map(tmp_path, np.full((50, 100), 254, np.uint8), resolution=0.02)
    assert "hint" not in vinewright("environments", "import", empty, "--picture", "empty.png")[1]
    path = write_map(tmp_path, values, resolution=0.02)
    _, out, _ = vinewright("environments", "import", path, "--picture", "a.png")
    assert f"hint: 5 {small}, 2 of them unknown cells: designs may lean on them; remove those that are" in out
    _, out, _ = vinewright("environments", "import", path, "--unknown", "free", "--picture", "b.png")
    assert f"hint: 3 {small}: designs may lean on them" in out
    values[20:50, :10] = 205
    for threshold, said in ((0.25, True), (0.196, False)):
        path = write_map(tmp_path, values, resolution=0.02, free_thresh=threshold)
        _, out, _ = vinewright("environments", "import", path, "--picture", f"{threshold}.png")
        words = "hint: 6.0 % of the cells have the value 205, usual for unknown ones (occupancy 0.196), and are free"
        assert (f"{words} with free_thresh = 0.25: with 0.196 they are unknown" in out) == said, out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--start", "1,2"], "--start 1,2 must be finite numbers: X,Y,DEG"),
        (["--goal", "1,2,nan"], "--goal 1,2,nan must be finite numbers: X,Y,RADIUS"),
        (["--simplify", "-1"], "--simplify -1 must be from 0 to 1e6"),
        (["--simplify", "nan"], "--simplify nan must be from 0 to 1e6"),
        (["--unknown", "wall"], "--unknown wall must be obstacle or free"),
        (["--size", "60"], "--size 60 must be finite numbers: WIDTHxHEIGHT"),
        (["--size", "0x3"], "--size 0x3 must be from 1 to 1e6 mm"),
        (["--corners", "1,2 3,4"], "--corners 1,2 3,4 must be four corners"),
        (["--color", "red"], "--color red must be '#rrggbb'"),
        (["--aruco"], "aruco is not for files such as map.yaml, which is imported as a map"),
        (["--tolerance", "3"], "tolerance is not for files such as map.yaml"),
        (["--unit", "mm"], "unit is not for files such as map.yaml"),
        (["--solid", "walls"], "solid is not for files such as map.yaml"),
        (["--crop", "1,2,1,4"], "--crop 1,2,1,4 must be a lower left and an upper right corner"),
        (["--known", "800mm 1,2"], "--known 800mm 1,2 must be a length and two points"),
        (["--known", "800mm 1,2 1,2"], "--known 800mm 1,2 1,2 must be a length and two points"),
        (["--known", "8e-+mm 1,2 3,4"], "--known 8e-+mm 1,2 3,4 must be a length and two points"),
        (["--mount", "table"], "--mount table must be free or wall"),
        (["--edge", "wal"], "--edge wal must be open or table or wall"),
        (["--out", "map.json"], "--out map.json must end in .toml"),
    ],
)
def test_wrong_options_are_named(vinewright: Vinewright, tmp_path: Path, options: list[str], words: str) -> None:
    """One line, exit code 2, nothing written."""
    path = room(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, _, errors = vinewright("environments", "import", path, *PLACED, *options)
    assert code == 2
    assert errors.startswith(f"error: {words}")
    assert errors.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_picture_of_too_many_pixels_is_refused_in_one_line(vinewright: Vinewright, tmp_path: Path) -> None:
    """Exit code 2, from the head of the file, before anything is decoded."""
    (tmp_path / "map.pgm").write_bytes(b"P5\n50000 50000\n255\n")
    code, _, errors = vinewright("environments", "import", write_map(tmp_path), *PLACED)
    assert code == 2
    assert errors == (
        "error: map.yaml: image map.pgm is a picture of too many pixels: at most 64 million pixels are allowed; make it smaller, or cut "
        "it\n"
    )


def test_files_that_are_taken_for_another_are_named(vinewright: Vinewright, tmp_path: Path) -> None:
    """The picture of a map, and a mapping session: the message says what to do."""
    room(tmp_path)
    code, _, errors = vinewright("environments", "import", tmp_path / "map.pgm", *PLACED)
    words = "map.pgm is the picture of a map: give the YAML file of the map, which names it"
    assert (code, errors) == (2, f"error: {words}\n")
    begun = "--base", "0,0,0", "--radius", "33", "--length", "1500"
    assert vinewright("map", "--session", "bench", "new", *begun)[0] == 0
    code, _, errors = vinewright("environments", "import", "bench/session.json", *PLACED)
    words = "is a mapping session, not GeoJSON: give it to vinewright show"
    assert (code, errors) == (2, f"error: bench/session.json: {words}\n")


def test_an_exported_import_is_no_map_for_the_robot(vinewright: Vinewright, tmp_path: Path) -> None:
    """Its unknown cells became obstacles; a map of another environment has none."""
    assert vinewright("environments", "import", room(tmp_path), *PLACED)[0] == 0
    _, out, _ = vinewright("environments", "export", "map.toml", "again.yaml")
    assert "hint: what was unknown in the imported map is occupied or free here: no robot should load" in out
    _, out, _ = vinewright("environments", "export", "maze", "maze.yaml")
    assert "hint" not in out


def test_export_writes_a_map_that_comes_back(vinewright: Vinewright) -> None:
    """The maze with its start and goal, to the same obstacles within half a cell and rounding."""
    code, out, _ = vinewright("environments", "export", "maze", "maze.yaml", "--resolution", "20")
    assert code == 0
    assert out.splitlines()[-1] == "wrote maze.yaml and maze.pgm"
    maze = load_environment("maze")
    x, y = 1e3 * maze.start[:2]
    assert f"# start [{x:g}, {y:g}] mm, heading" in Path("maze.yaml").read_text()
    found = vw.import_environment("maze.yaml", start=tuple(maze.start), goal=tuple(maze.goal))
    environment = found.environment("maze", 0.03)
    points = np.random.default_rng(0).uniform([0, 0], [2, 2], (2000, 2))
    # What is beyond the bounds is not in a map.
    edge = np.minimum(points, 2 - points).min(axis=1)
    one, other = (np.minimum(some.obstacles.clearance(points), edge) for some in (environment, maze))
    away = np.abs(one - other)
    assert away.max() <= 0.02 * np.sqrt(0.5) + 0.01 + 1e-6
    code, _, errors = vinewright("environments", "export", "maze", "maze.yaml")
    assert code == 2
    assert "maze.yaml already exists" in errors
    code, _, errors = vinewright("environments", "export", "maze", "other.yaml", "--resolution", "0.1")
    assert code == 2
    assert errors.startswith("error: --resolution 0.1 needs 20000 x 20000 cells; at most 64000000 are allowed")
    assert not list(Path().glob("other*"))
