import math
import os
from pathlib import Path

import numpy as np
import pytest

from environments import InvalidEnvironment, known_environments, load_environment

ROOM = """\
schema = 1
unit = "mm"
[bounds]
min = [0, 0]
max = [1000, 800]
[start]
position = [100, 100]
heading_deg = 90
[goal]
position = [700, 600]
radius = 50
[obstacles]
boxes = [[300, 0, 400, 500]]
polygons = [[[500, 100], [600, 100], [600, 200], [550, 150], [500, 200]]]
circles = [[600, 400, 71.6]]
walls = [[200, 700, 400, 700, 0], [0, 600, 100, 600, 10]]
"""
EMPTY_ROOM = ROOM.partition("[obstacles]")[0]


def room(folder: Path, text: str | bytes, name: str = "room.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaint(path: str | os.PathLike[str], **arguments: float) -> str:
    with pytest.raises(InvalidEnvironment) as caught:
        load_environment(path, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


# ---- reading ----


@pytest.mark.parametrize(
    ("name", "shapes", "start", "heading_deg", "goal"),
    [
        ("divider", 20, (0.2, 0.2), 86.517, (1.325, 0.2, 0.1016)),
        ("long", 15, (0.06, 0.5), 0.0, (2.8, 0.5, 0.12)),
        ("maze", 33, (1.0, 0.1), 11.459, (1.0, 1.2, 0.115)),
        ("needle", 16, (0.05, 0.25), 74.485, (1.9, 0.75, 0.145)),
        ("pickone", 15, (0.05, 0.05), 97.403, (0.65, 0.95, 0.05)),
        ("plus", 26, (0.04, 0.04), 22.918, (0.152, 1.76, 0.16)),
        ("tube", 33, (0.0, 0.0), 86.517, (1.6, 0.01, 0.1)),
    ],
)
def test_shipped_environments(
    name: str, shapes: int, start: tuple[float, float], heading_deg: float, goal: tuple[float, float, float]
) -> None:
    """Every shipped environment loads by name, in metres and radians, with all its obstacles."""
    environment = load_environment(name)
    assert environment.name == name
    assert len(environment.obstacles.shapes()) == shapes
    np.testing.assert_allclose(environment.start, [*start, math.radians(heading_deg)], rtol=1e-12)
    np.testing.assert_allclose(environment.goal, goal, rtol=1e-12)


def test_known_environments() -> None:
    """The shipped environments are these nine, in alphabetical order."""
    names = ["building", "divider", "long", "maze", "needle", "pickone", "plus", "spiral", "tube"]
    assert known_environments() == names


def test_every_kind_of_obstacle_is_read(tmp_path: Path) -> None:
    """Boxes become polygons ahead of the polygons; circles and walls keep their rows; all in metres."""
    environment = load_environment(room(tmp_path, ROOM))
    assert environment.name == "room"
    assert environment.description == ""
    assert environment.bounds.tolist() == [0, 0, 1, 0.8]
    box, polygon = environment.obstacles.polygons
    np.testing.assert_allclose(box, [[0.3, 0], [0.4, 0], [0.4, 0.5], [0.3, 0.5]])
    np.testing.assert_allclose(polygon, [[0.5, 0.1], [0.6, 0.1], [0.6, 0.2], [0.55, 0.15], [0.5, 0.2]])
    np.testing.assert_allclose(environment.obstacles.circles, [[0.6, 0.4, 0.0716]])
    np.testing.assert_allclose(environment.obstacles.walls, [[0.2, 0.7, 0.4, 0.7, 0], [0, 0.6, 0.1, 0.6, 0.01]])


@pytest.mark.parametrize("obstacles", ["", "[obstacles]\n", "[obstacles]\nwalls = []\n"])
def test_obstacles_are_optional(tmp_path: Path, obstacles: str) -> None:
    """A file may omit the obstacles, or any kind of obstacle."""
    environment = load_environment(room(tmp_path, EMPTY_ROOM + obstacles))
    assert environment.obstacles.shapes() == []
    assert environment.obstacles.circles.shape == (0, 3)
    assert environment.obstacles.walls.shape == (0, 5)


def test_repeated_points_are_dropped(tmp_path: Path) -> None:
    """Repeated points of a polygon, and a repeated first point at its end, are removed."""
    closed = "[obstacles]\npolygons = [[[500, 100], [600, 100], [600, 100], [600, 200], [500, 100]]]\n"
    (polygon,) = load_environment(room(tmp_path, EMPTY_ROOM + closed)).obstacles.polygons
    assert sorted(map(tuple, polygon.tolist())) == [(0.5, 0.1), (0.6, 0.1), (0.6, 0.2)]


def test_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    """Files with a byte order mark and Windows line ends are read."""
    environment = load_environment(room(tmp_path, b"\xef\xbb\xbf" + ROOM.replace("\n", "\r\n").encode()))
    assert environment.sha256 == load_environment(room(tmp_path, ROOM)).sha256


def test_start_that_touches_an_obstacle_is_allowed(tmp_path: Path) -> None:
    """A start exactly one tube radius from an obstacle is accepted."""
    load_environment(room(tmp_path, EMPTY_ROOM + "[obstacles]\nboxes = [[133.35, 0, 200, 200]]"))


def test_clearance_of_the_start_depends_on_the_tube_radius(tmp_path: Path) -> None:
    """A thinner tube may start where the default one may not; the message gives both distances in the file's unit."""
    path = room(tmp_path, EMPTY_ROOM + "[obstacles]\nwalls = [[0, 130, 200, 130, 20]]")
    assert "is 20 mm from wall 1; at least 33.35 mm" in complaint(path)
    assert "at least 25 mm" in complaint(path, tube_radius=0.025)
    load_environment(path, tube_radius=0.015)
    for radius in (-0.01, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"tube_radius = .* at least 0 m"):
            load_environment(path, tube_radius=radius)


def test_goal_partly_free_is_allowed(tmp_path: Path) -> None:
    """A goal disc needs only a free part within the bounds."""
    for box in ("[600, 500, 740, 700]", "[740, 500, 800, 700]"):
        load_environment(room(tmp_path, EMPTY_ROOM + f"[obstacles]\nboxes = [{box}]"))
    load_environment(room(tmp_path, EMPTY_ROOM.replace("[700, 600]", "[1040, 600]")))


# ---- refusals ----

REPLACED = [
    # (part of ROOM, its replacement, words of the message)
    ("schema = 1", "schema = 3", ["schema = 3 must be 1 or 2"]),
    ("schema = 1", "schema = true", ["schema = True", "integer"]),
    ("schema = 1", "schema = '1'", ["schema = '1'", "integer"]),
    ("schema = 1\n", "", ["missing key schema"]),
    ('unit = "mm"', 'unit = "in"', ["unit = 'in' must be 'mm', 'cm' or 'm'"]),
    ('unit = "mm"', "unit = []", ["unit = [] must be 'mm', 'cm' or 'm'"]),
    ('unit = "mm"', 'unit = "mm"\nname = ""', ["name = '' must have at least 1 character"]),
    ('unit = "mm"', 'unit = "mm"\nname = 3', ["name = 3 must be a valid string"]),
    (
        'unit = "mm"',
        'unit = "mm"\nname = "\\u001b[2J"',
        ["name = '\\x1b[2J' must be without control characters, as 0x1b"],
    ),
    ('unit = "mm"', f'unit = "mm"\nname = "{"n" * 201}"', ["name = 'nnnn", "at most 200 characters"]),
    ('unit = "mm"', f'unit = "mm"\ndescription = "{"d" * 2001}"', ["description = 'dddd", "at most 2000 characters"]),
    ('unit = "mm"', f'unit = "mm"\n{".".join("abcdefghijkl")} = 1', ["is nested too deeply"]),
    ("radius = 50", "radius = 1e-9", ["goal.radius = 1e-09 must be at least 0.001 mm"]),
    ("[obstacles]", "[obstacle]", ["unknown key obstacle (did you mean obstacles?)", "allowed: schema, name, desc"]),
    ("radius = 50", "radus = 50", ["unknown key goal.radus (did you mean radius?); allowed: position, radius"]),
    ("boxes =", "bxoes =", ["unknown key obstacles.bxoes (did you mean boxes?)", "polygons, circles, walls"]),
    ("radius = 50", "'a\\n' = 50", ["unknown key goal.'a"]),
    ("radius = 50", "", ["missing key goal.radius"]),
    ("radius = 50", "radius = -5", ["goal.radius = -5 must be greater than 0"]),
    ("radius = 50", "radius = 0", ["goal.radius = 0 must be greater than 0"]),
    ("radius = 50", "radius = nan", ["goal.radius = nan must be a finite number"]),
    ("radius = 50", "radius = inf", ["goal.radius = inf must be a finite number"]),
    ("radius = 50", "radius = '50'", ["goal.radius = '50' must be a valid number"]),
    ("radius = 50", "radius = true", ["goal.radius = True must be a valid number"]),
    ("radius = 50", "radius = 2020-01-01", ["goal.radius = ", "must be a valid number"]),
    ("radius = 50", "radius = 0x" + "f" * 5000, ["goal.radius = a huge number"]),
    ("radius = 50", "radius = 1" + "0" * 5000, ["is not TOML", "integer"]),
    ("[700, 600]", "[700, -1e8]", ["goal.position[1] = -100000000.0 must be from -10000000 to 10000000 mm"]),
    ("[700, 600]", "[700]", ["goal.position = [700] must have at least 2 items"]),
    ("[700, 600]", "3", ["goal.position = 3 must be a valid list"]),
    (
        "[700, 600]",
        "[1051, 600]",
        ["goal at [1051, 600] with radius 50 mm must reach into the bounds [0, 0, 1000, 800]"],
    ),
    ("[700, 600]", "[350, 200]", ["goal at [350, 200] with radius 50 mm lies wholly inside box 1"]),
    ("[100, 100]", "[100, 801]", ["start.position = [100, 801] mm must lie within the bounds [0, 0, 1000, 800]"]),
    ("[100, 100]", "[350, 100]", ["start.position = [350, 100] is inside box 1; at least 33.35 mm"]),
    ("[100, 100]", "[290, 100]", ["start.position = [290, 100] is 10 mm from box 1", "33.35 mm"]),
    ("heading_deg = 90", "heading_deg = 361", ["start.heading_deg = 361", "360"]),
    ("max = [1000, 800]", "max = [1000, 0]", ["bounds is empty: max = [1000, 0] must be greater than min = [0, 0]"]),
    ("[300, 0, 400, 500]", "[300, 0, 300, 500]", ["obstacles.boxes[0] = [300, 0, 300, 500]", "x_min < x_max"]),
    ("[300, 0, 400, 500]", "[300, 9, 400, 5]", ["obstacles.boxes[0]", "y_min < y_max"]),
    ("[300, 0, 400, 500]", "[300, 0, 400]", ["obstacles.boxes[0]", "at least 4 items"]),
    ("600, 400, 71.6", "600, 400, 0", ["obstacles.circles[0] = [600, 400, 0] must have a radius greater than 0"]),
    ("600, 100, 600, 10", "600, 0, 600, 10", ["obstacles.walls[1] = [0, 600, 0, 600, 10]", "the same point"]),
    ("600, 100, 600, 10", "600, 100, 600, -1", ["obstacles.walls[1]", "thickness of 0 or more"]),
    ("[obstacles]", '[obstacles]\nends = "open"', ["obstacles.ends = 'open' must be 'flat' or 'round'"]),
    ("600, 100, 600, 10", "600, 100, 600", ["obstacles.walls[1]", "at least 5 items"]),
]


@pytest.mark.parametrize(("piece", "instead", "words"), REPLACED)
def test_wrong_values_are_refused(tmp_path: Path, piece: str, instead: str, words: list[str]) -> None:
    """A wrong value is refused with one line that gives file, key, value and allowed range."""
    assert piece in ROOM
    message = complaint(room(tmp_path, ROOM.replace(piece, instead)))
    assert message.startswith("room.toml: ")
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("polygon", "words"),
    [
        ("[]", "has 0 distinct points; at least 3"),
        ("[[500, 500], [600, 500]]", "has 2 distinct points; at least 3"),
        ("[[500, 500], [600, 500], [500, 500]]", "has 2 distinct points; at least 3"),
        ("[[500, 500], [600, 600], [700.1, 700.1]]", "has zero area"),
        (
            "[[400, 180], [420, 220], [420, 180], [400, 220]]",
            "crosses itself near (410, 200) mm",
        ),  # bow tie, no net area
        ("[[400, 400], [450, 450], [400, 500], [500, 500], [450, 450], [500, 400]]", "near (450, 450) mm"),  # touches
        ("[[400, 400], [500, 400], [500, 600], [500, 500], [400, 500]]", "crosses itself"),  # spike
    ],
)
def test_polygons_that_are_not_simple_are_refused(tmp_path: Path, polygon: str, words: str) -> None:
    """A polygon without area, or one that crosses or touches itself, is refused with its index and the position."""
    text = f"{EMPTY_ROOM}[obstacles]\npolygons = [[[500, 500], [510, 500], [510, 510]], {polygon}]"
    message = complaint(room(tmp_path, text))
    assert message.startswith("room.toml: obstacles.polygons[1] ")
    assert words in message


def test_messages_use_the_unit_of_the_file(tmp_path: Path) -> None:
    """For a file in metres, limits and distances are in metres."""
    text = EMPTY_ROOM.replace('"mm"', '"m"')
    near = room(tmp_path, text + "[obstacles]\ncircles = [[100.01, 100, 0.005]]")
    assert "is 0.005 m from circle 1; at least 0.03335 m" in complaint(near)
    near = room(tmp_path, text.replace('"m"', '"cm"') + "[obstacles]\ncircles = [[101.5, 100, 0.5]]")
    assert "is 1 cm from circle 1; at least 3.335 cm" in complaint(near)
    assert "from -10000 to 10000 m" in complaint(room(tmp_path, text.replace("radius = 50", "radius = 10001")))
    centimetres = EMPTY_ROOM.replace('"mm"', '"cm"').replace("radius = 50", "radius = 1000001")
    assert "from -1000000 to 1000000 cm" in complaint(room(tmp_path, centimetres))


def test_goal_in_a_union_of_obstacles_is_refused(tmp_path: Path) -> None:
    """A goal disc covered by two obstacles together, or by obstacles within the bounds, is refused."""
    boxes = "[obstacles]\nboxes = [[600, 500, 700, 700], [700, 500, 800, 700]]"
    assert "wholly inside boxes 1 and 2" in complaint(room(tmp_path, EMPTY_ROOM + boxes))
    text = EMPTY_ROOM.replace("[700, 600]", "[1000, 600]") + "[obstacles]\nboxes = [[900, 500, 1000, 700]]"
    assert "wholly inside box 1" in complaint(room(tmp_path, text))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"hello world", "is not TOML"),
        (b"", "missing key schema"),
        (EMPTY_ROOM.encode() + b"# caf\xe9", "is not UTF-8 text: byte"),
        (b"x = " + b"[" * 100_000, "is nested too deeply"),
        (EMPTY_ROOM.encode() + b"#" * 5_000_001, "is larger than the allowed 5 MB"),
    ],
    ids=["prose", "empty", "latin1", "nested", "large"],
)
def test_files_that_are_not_environments_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    """Content that is not TOML text of acceptable size is refused with the file's name and the reason."""
    message = complaint(room(tmp_path, content))
    assert message.startswith("room.toml: ")
    assert words in message


def test_number_of_obstacles_is_limited(tmp_path: Path) -> None:
    """20 000 obstacles of all kinds together are accepted; one more is refused."""
    boxes = "[obstacles]\nboxes = [" + "[500, 500, 600, 600], " * 19_999 + "]\ncircles = ["
    load_environment(room(tmp_path, EMPTY_ROOM + boxes + "[300, 300, 10]]"))
    message = complaint(room(tmp_path, EMPTY_ROOM + boxes + "[300, 300, 10], [300, 300, 10]]"))
    assert "obstacles has 20001 shapes; at most 20000 are allowed" in message


def test_missing_files_are_refused(tmp_path: Path) -> None:
    """For an unknown name or path the message lists the shipped names and suggests the closest."""
    for source in ("plsu", tmp_path / "plus2.toml"):
        message = complaint(source)
        assert "not found (did you mean plus?)" in message
        assert ", ".join(known_environments()) in message
    assert "did you mean" not in complaint("xyzzy")
    assert "not found" in complaint("a\0b")


def test_things_that_are_not_files_are_refused(tmp_path: Path) -> None:
    """A directory, a pipe and a name too long for the system are refused at once."""
    assert "is not a regular file" in complaint(tmp_path)
    assert "is not a regular file" in complaint("")
    os.mkfifo(tmp_path / "pipe.toml")
    assert "is not a regular file" in complaint(tmp_path / "pipe.toml")
    assert "cannot be read" in complaint("a" * 5000)


def test_unreadable_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without read permission is refused with the system's message."""
    path = room(tmp_path, ROOM)

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert complaint(path) == "room.toml: cannot be read: Permission denied"


# ---- the hash ----


def test_hash_ignores_the_layout(tmp_path: Path) -> None:
    """Spacing, order of tables, comments, 100 or 100.0, name, description and unit do not change the sha256."""
    expected = load_environment(room(tmp_path, ROOM)).sha256
    assert len(expected) == 64
    head, _, rest = ROOM.partition("[bounds]")
    bounds, _, rest = rest.partition("[start]")
    head = head.replace("1", "1  # the first")
    moved = head + "name = 'other'\ndescription = 'x'\n[start]" + rest + "[bounds]" + bounds.replace("1000", "1e3")
    spaced = ROOM.replace(", ", ",\n   ").replace("[100,", "[ 100.0,")
    metres = """
        schema = 1
        unit = "m"
        bounds = { min = [0, 0], max = [1, 0.8] }
        start = { position = [0.1, 0.1], heading_deg = 90 }
        goal = { position = [0.7, 0.6], radius = 0.05 }
        [obstacles]
        boxes = [[0.3, 0, 0.4, 0.5]]
        polygons = [[[0.5, 0.1], [0.6, 0.1], [0.6, 0.2], [0.55, 0.15], [0.5, 0.2]]]
        circles = [[0.6, 0.4, 0.0716]]
        walls = [[0.2, 0.7, 0.4, 0.7, 0], [0, 0.6, 0.1, 0.6, 0.01]]
    """
    for text in (moved, spaced, metres):
        assert load_environment(room(tmp_path, text, "other.toml")).sha256 == expected


@pytest.mark.parametrize(
    ("piece", "instead"),
    [
        ("min = [0, 0]", "min = [0, -0.001]"),
        ("[1000, 800]", "[1000.001, 800]"),
        ("[100, 100]", "[100, 100.001]"),
        ("heading_deg = 90", "heading_deg = 90.001"),
        ("[700, 600]", "[700.001, 600]"),
        ("radius = 50", "radius = 50.001"),
        ("[300, 0, 400, 500]", "[300, 0, 400, 500.001]"),
        ("[550, 150]", "[550.001, 150]"),
        ("71.6", "71.601"),
        ("700, 0]", "700, 0.001]"),
        ("600, 10]", "600, 10.001]"),
    ],
)
def test_hash_depends_on_every_number(tmp_path: Path, piece: str, instead: str) -> None:
    """A change of a micrometre or a thousandth of a degree anywhere changes the sha256."""
    assert ROOM.count(piece) == 1
    changed = load_environment(room(tmp_path, ROOM.replace(piece, instead)))
    assert changed.sha256 != load_environment(room(tmp_path, ROOM)).sha256


@pytest.mark.parametrize("part", ["bounds", "start", "goal", "polygon", "circle"])
def test_hash_is_that_of_the_arrays_as_they_are_now(tmp_path: Path, part: str) -> None:
    """An array that is changed in place, even by a millimetre, changes the sha256 that was computed before, and back."""
    environment = load_environment(room(tmp_path, ROOM))
    arrays = {"polygon": environment.obstacles.polygons[0], "circle": environment.obstacles.circles}
    array = arrays.get(part, getattr(environment, part, None))
    assert array is not None
    before, number = environment.sha256, array.flat[0]
    array.flat[0] = number + 1e-3
    assert environment.sha256 != before
    array.flat[0] = number
    assert environment.sha256 == before


def test_total_number_of_corners_is_limited(tmp_path: Path) -> None:
    """Two outlines of 25 000 corners are accepted, two of 25 001 are refused."""
    for corners, allowed in ((25_000, True), (25_001, False)):
        turn = 2 * math.pi * np.arange(corners) / corners
        outlines = [np.stack([x + 90 * np.cos(turn), 400 + 90 * np.sin(turn)], axis=1).tolist() for x in (350, 600)]
        path = room(tmp_path, EMPTY_ROOM + f"[obstacles]\npolygons = {outlines}")
        if allowed:
            load_environment(path)
        else:
            assert "obstacles has polygons of 50002 corners; at most 50000 are allowed" in complaint(path)
