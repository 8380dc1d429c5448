"""The text of an environment file in the studio: only what is edited changes."""

import copy
import difflib
import json
import math
import re
from typing import Any

import pytest

from environments import InvalidEnvironment
from environments.environment_file import parse_environment
from tests.vinewright.studio.document_texts import (
    BENCH,
    BRACES,
    COMMA_FIRST,
    DOTTED,
    OWN,
    SHIPPED,
    TEXTS,
    identity,
    numbered,
)
from vinewright.studio.document import MOST_SHAPES, edit_text, parse_content


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that are gone, and lines that are new."""
    found = [*difflib.ndiff(before.splitlines(True), after.splitlines(True))]
    return [one[2:] for one in found if one[0] == "-"], [one[2:] for one in found if one[0] == "+"]


# ---- reading ----


@pytest.mark.parametrize("name", SHIPPED)
def test_content_is_that_of_the_environment(name: str) -> None:
    """Read independently: the parsed environment has the same numbers, in metres."""
    content, text = parse_content(SHIPPED[name]), SHIPPED[name]
    environment = parse_environment(text.encode(), name)
    bounds = [*content["bounds"]["min"], *content["bounds"]["max"]]
    assert bounds == pytest.approx(list(1e3 * environment.bounds))
    assert content["start"]["position"] == pytest.approx(list(1e3 * environment.start[:2]))
    assert math.radians(content["start"]["heading_deg"]) == pytest.approx(environment.start[2])
    shapes = content["obstacles"]
    assert len(shapes["boxes"]) + len(shapes["polygons"]) == len(environment.obstacles.polygons)
    for box, polygon in zip(shapes["boxes"], environment.obstacles.polygons, strict=False):
        assert [*polygon.min(0), *polygon.max(0)] == pytest.approx([one / 1e3 for one in box])
    json.dumps(content, allow_nan=False)


def test_content_is_in_millimetres_with_defaults() -> None:
    content = parse_content(COMMA_FIRST)
    assert content == {
        "name": "", "description": "", "tube": None,
        "bounds": {"min": [0, 0], "max": [2000, 1000], "edge": "open", "stacked": False},
        "start": {"position": [100, 100], "heading_deg": 0, "mount": "free"},
        "goal": {"position": [1800, 900], "radius": 100},
        "obstacles": {
            "boxes": [], "polygons": [], "circles": [], "ends": "round", "friction": None, "names": {},
            "walls": [
                [1500, 1000, 1500, 300, 12], [300, 500, 400, 500, 0], [310, 600, 410, 600, 5], [1600, 1000, 1600, 900, 0]
            ],
        },
    }  # fmt: skip
    assert parse_content(BRACES)["obstacles"]["ends"] == "flat"
    assert parse_content(BRACES.replace("0.7,", "0.7012345678912,"))["obstacles"]["boxes"][1][0] == 701.234567891
    assert parse_content(BENCH)["obstacles"]["polygons"] == [[[800, 100], [900, 100], [850, 250], [850, 250]]]
    assert type(content["goal"]["radius"]) is int


@pytest.mark.parametrize(
    "text", ["", "schema = ", "a\ud800", BENCH.replace("[400, 0", "[400, nan"), BENCH.replace("12]", "12, 1]"), "[[x]]"]
)
def test_a_malformed_file_is_refused(text: str) -> None:
    for read in (parse_content, lambda text: edit_text(text, parse_content(BENCH), identity(parse_content(BENCH)))):
        with pytest.raises(InvalidEnvironment) as error:
            read(text)
        assert str(error.value).isprintable()


# ---- single changes ----


@pytest.mark.parametrize("name", TEXTS)
def test_without_a_change_it_is_the_same_text(name: str) -> None:
    text = TEXTS[name]
    content = json.loads(json.dumps(parse_content(text)))
    assert edit_text(text, content, identity(content)) is text


@pytest.mark.parametrize(
    ("name", "path", "value", "line"),
    [
        ("bench", ("obstacles", "boxes", 0, 3), 612.5, "  [400, 0, 500.00, 612.5],  # <box 0>\n"),
        ("bench", ("obstacles", "circles", 1, 0), 1310, "  [1310, 500, 10]     # <circle 1>\n"),
        ("bench", ("obstacles", "polygons", 0, 0), [810, 105], "    [810, 105],  # a corner\n"),
        ("bench", ("start", "heading_deg"), 45.5, "heading_deg = 45.5\n"),
        ("bench", ("bounds", "max", 1), 1100, "max = [2_000, 1100]  # inner faces\n"),
        ("bench", ("name",), 'a "b"\tü', 'name = "a \\"b\\"\\tü"   # its name\n'),
        ("metres", ("goal", "radius"), 71.6, "radius = 0.0716\n"),
        ("crlf", ("goal", "radius"), 71.6, "radius = 71.6\r\n"),
        ("comma first", ("obstacles", "walls", 2, 4), 7, "  , [30, 50, 40, 50, 0], [31, 60, 41, 60, 0.7] # <wall 2>\n"),
        ("comma first", ("bounds", "min", 0), -1, "min = [-0.1, 0]"),
        ("braces", ("goal", "position", 1), 800, "goal = { position = [1.8, 0.8], radius = 0.1 }\n"),
    ],
)
def test_one_number_changes_one_line(name: str, path: tuple[Any, ...], value: Any, line: str) -> None:
    """In the unit of the file, beside numbers that keep their spelling."""
    content: Any = copy.deepcopy(parse_content(OWN[name]))
    part = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    result = edit_text(OWN[name], content, identity(content))
    gone, new = changed_lines(OWN[name], result)
    assert (len(gone), new) == (1, [line])
    assert parse_content(result) == content


def test_a_comment_goes_with_its_row() -> None:
    """That above rows stays while one of them is there."""
    content = parse_content(BENCH)
    origins = identity(content)

    def without(*rows: int) -> str:
        kept = [one for one in range(4) if one not in rows]
        fewer: Any = copy.deepcopy(content)
        fewer["obstacles"]["boxes"] = [content["obstacles"]["boxes"][one] for one in kept]
        result = edit_text(BENCH, fewer, origins | {"boxes": kept})
        gone, new = changed_lines(BENCH.split("friction")[0], result.split("friction")[0])
        assert not new
        return "".join(gone)

    fridge = "  # the fridge\n  [400, 0, 500.00, 600],  # <box 0>\n"
    table = [
        "  # the table: two parts\n",
        "  [700, 300, 800, 400],   # <box 1>\n",
        "  [+720, 400, 760, 450],  # <box 2>\n",
    ]
    assert without(0) == fridge
    assert without(1) == table[1]
    assert without(2) == table[2]
    assert without(1, 2) == "".join(table)
    assert without(3) == "\n  [1500, 0, 1520, 50],    # <box 3>\n"
    assert without(0, 1, 2, 3) == "".join([fridge, *table, "\n  [1500, 0, 1520, 50],    # <box 3>\n"])


def test_new_rows_look_like_the_others() -> None:
    content: Any = parse_content(BENCH)
    origins = identity(content)
    for kind, place, row in (
        ("boxes", 4, [1, 2, 3, 4]), ("circles", 2, [1, 2, 3]), ("walls", 0, [1, 2, 3, 4, 5]), ("walls", 3, [6, 7, 8, 9, 0.5]),
    ):  # fmt: skip
        content["obstacles"][kind].insert(place, row)
        origins[kind].insert(place, None)
    gone, new = changed_lines(BENCH, edit_text(BENCH, content, origins))
    wide = "walls = [[1, 2, 3, 4, 5], [1500, 1000, 1500, 300, 12], [1600, 1000, 1600, 900, 0], [6, 7, 8, 9, 0.5]]\n"
    assert new[:4] == ["  [1, 2, 3, 4],\n", "  [1300, 500, 10],     # <circle 1>\n", "  [1, 2, 3]\n", wide]
    assert gone[1].startswith("walls")
    # One wall more stands before the last wall that was in the file.
    assert new[4:] == ['[uncertainty.obstacle."wall 3"]\n']


@pytest.mark.parametrize("end", ["\n", ""])
def test_missing_tables_and_keys_are_written_as_in_a_new_file(end: str) -> None:
    text = SHIPPED["tube"].split("\n[obstacles]")[0].rstrip("\n") + end
    content: Any = parse_content(text)
    content["obstacles"] |= {"boxes": [[1, 2, 3, 4.5]], "walls": [[1, 2, 3, 4, 5]], "ends": "round", "friction": 0.25}
    content["bounds"] |= {"edge": "table", "stacked": True}
    content["tube"], content["start"]["mount"] = "prototype", "wall"
    gone, new = changed_lines(
        text, edit_text(text, content, identity(parse_content(text)) | {"boxes": [None], "walls": [None]})
    )
    boxes = "boxes = [  # [x_min, y_min, x_max, y_max]\n  [1, 2, 3, 4.5],\n]\n"
    walls = "walls = [  # [x1, y1, x2, y2, thickness]\n  [1, 2, 3, 4, 5],\n]\n"
    keys = 'tube = "prototype"\nedge = "table"\nstacked = true\nmount = "wall"\n'
    added = f'{keys}\n[obstacles]\n{boxes}{walls}ends = "round"\nfriction = 0.25' + end
    assert "".join(new) == (added if end else added.replace("\n\n[obst", "\nradius = 100\n\n[obst"))
    assert gone == ([] if end else ["radius = 100"])


def test_a_key_of_schema_2_keeps_the_walls_round() -> None:
    content: Any = parse_content(COMMA_FIRST)
    content["obstacles"]["friction"] = 0.5
    result = edit_text(COMMA_FIRST, content, identity(content))
    assert parse_content(result) == content
    gone, new = changed_lines(COMMA_FIRST, result)
    assert (gone, new) == (["schema = 1\n"], ["schema = 2\n", 'ends = "round"\n', "friction = 0.5\n"])
    content["obstacles"] |= {"ends": "flat"}
    assert parse_content(flat := edit_text(COMMA_FIRST, content, identity(content))) == content
    assert "ends" not in flat
    content["obstacles"] |= {"friction": None}
    assert changed_lines(COMMA_FIRST, edit_text(COMMA_FIRST, content, identity(content))) == ([], ['ends = "flat"\n'])


def test_numbers_of_obstacles_follow_their_rows() -> None:
    """Fridge deleted, a box added in front, triangle and table kept, circles swapped, a wall deleted."""
    content: Any = parse_content(BENCH)
    shapes = content["obstacles"]
    shapes["boxes"] = [[1, 2, 3, 4], *shapes["boxes"][1:]]
    shapes["walls"] = shapes["walls"][:1]
    shapes["circles"].reverse()
    origins = {"boxes": [None, 1, 2, 3], "polygons": [0], "circles": [1, 0], "walls": [0]}
    result = edit_text(BENCH, content, origins)
    assert numbered(result) == {"box 3": {"size_mm": 3.5}, "polygon 1": {"size_mm": 5.5}}
    assert "# of the fridge" not in result
    shapes["walls"], origins["walls"] = parse_content(BENCH)["obstacles"]["walls"][::-1], [1, 0]
    shapes["boxes"], origins["boxes"] = shapes["boxes"][1:2], [1]
    result = edit_text(BENCH, content, origins)
    assert numbered(result) == {"polygon 1": {"size_mm": 5.5}, "wall 1": {"size_mm": 9.5}}
    ending = '[uncertainty]\npreset = "workshop"\n# more of it\n'
    assert result.endswith(
        ending
        + '\n[uncertainty.obstacle."polygon 1"]  # the triangle\nsize_mm = 5.5\n'
        + '\n[uncertainty.obstacle."wall 1"]\nsize_mm = 9.5\n'
    )


@pytest.mark.parametrize("name", ["crlf", "dotted", "comma first"])
def test_what_is_added_fits_the_file(name: str) -> None:
    """Line ends, indentation, and one row on a line if that is how rows begin."""
    content: Any = parse_content(OWN[name])
    origins = identity(content)
    content["start"]["mount"], content["goal"]["position"] = "wall", [1800, 950]
    content["obstacles"]["walls"].append([1, 2, 3, 4, 0])
    origins["walls"].append(None)
    _, new = changed_lines(OWN[name], edit_text(OWN[name], content, origins))
    assert new == {
        "crlf": [
            'mount = "wall"\r\n', "position = [1800, 950]\r\n",
            "walls = [[1500, 1000, 1500, 300, 12], [1600, 1000, 1600, 900, 0], [1, 2, 3, 4, 0]]\r\n",
        ],
        "dotted": [
            "obstacles.walls = [  # [x1, y1, x2, y2, thickness]\n", "  [0.1, 0.2, 0.3, 0.4, 0],\n", "]\n",
            "goal.position = [180, 95]\n", '  mount = "wall"\n',
        ],
        "comma first": [
            "schema = 2\n", "  , [160, 100, 160, 90, 0], # <wall 3>\n", "    [0.1, 0.2, 0.3, 0.4, 0]\n", 'ends = "round"\n',
            "position = [180, 95]\n", 'mount = "wall"\n',
        ],
    }[name]  # fmt: skip


def test_lists_are_added_in_their_order() -> None:
    """Circles between boxes and walls, and both in braces that had nothing."""
    content: Any = parse_content(SHIPPED["spiral"])
    content["obstacles"]["circles"] = [[1, 2, 3]]
    result = edit_text(SHIPPED["spiral"], content, identity(parse_content(SHIPPED["spiral"])) | {"circles": [None]})
    assert re.findall(r"^(\w+) = .*$", result, re.MULTILINE)[-4:] == ["boxes", "circles", "walls", "ends"]
    empty = re.sub("obstacles = .*", "obstacles = { }", BRACES.split("uncertainty")[0])
    content = parse_content(empty)
    content["obstacles"] |= {"boxes": [[1, 2, 3, 4]], "circles": [[1, 2, 3]]}
    result = edit_text(empty, content, identity(parse_content(empty)) | {"boxes": [None], "circles": [None]})
    assert "\nobstacles = { boxes = [[0.001, 0.002, 0.003, 0.004]], circles = [[0.001, 0.002, 0.003]]}\n" in result


def test_a_corner_more_leaves_the_others() -> None:
    content: Any = parse_content(BENCH)
    content["obstacles"]["polygons"][0].insert(0, [810, 90])
    gone, new = changed_lines(BENCH, edit_text(BENCH, content, identity(content)))
    assert (gone, new) == ([], ["    [810, 90],\n"])
    content["obstacles"]["polygons"][0][2:4] = []
    gone, new = changed_lines(BENCH, edit_text(BENCH, content, identity(content)))
    assert (gone, new) == (
        ["    [800, 100],  # a corner\n", "    [900, 100],\n", "    [850, 250],\n"],
        ["    [810, 90],  # a corner\n", "    [800, 100],\n"],
    )


def test_numbers_keep_their_quotes() -> None:
    content: Any = parse_content(DOTTED)
    content["obstacles"]["circles"].insert(0, content["obstacles"]["circles"].pop())
    _, new = changed_lines(DOTTED, edit_text(DOTTED, content, identity(content) | {"circles": [2, 0, 1]}))
    assert [one for one in new if one.startswith("unc")] == [
        """uncertainty."obstacle".'circle 2'.size_mm = 1.5 # dotted\n""",
        'uncertainty.obstacle."circle 3" = {size_mm = 2.5}\n',
        'uncertainty.obstacle."circle 1".size_mm = 3.5\n',
    ]


@pytest.mark.parametrize(
    ("kept", "written"), [([1], '{ "box 1".size_mm = 2.5 }'), ([0], '{ "box 1" = { size_mm = 1.5 } }'), ([], "{  }")]
)
def test_numbers_in_braces_leave_with_their_rows(kept: list[int], written: str) -> None:
    content: Any = parse_content(BRACES)
    content["obstacles"]["boxes"] = [content["obstacles"]["boxes"][row] for row in kept]
    result = edit_text(BRACES, content, identity(parse_content(BRACES)) | {"boxes": kept})
    assert result.endswith(f"\nuncertainty = {{ obstacle = {written}, start_position_mm = 1.0 }}\n")


def test_what_would_not_read_back_is_refused() -> None:
    """In metres, the smallest number of all has no digits left."""
    content: Any = parse_content(BRACES)
    content["goal"]["radius"] = 5e-324
    with pytest.raises(InvalidEnvironment, match="cannot be changed here"):
        edit_text(BRACES, content, identity(content))


# ---- what a browser may send ----


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("polygons", []), ("polygons", [[1, 2], [3, 4]]), ("polygons", [[0, 0], [9, 9], [9, 0], [0, 9]]),
        ("boxes", [5, 5, 1, 1]), ("circles", [1, 1, -1]), ("walls", [1, 1, 1, 1, 0]), ("circles", [1e300, 1e-9, 1]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", OWN)
def test_a_drawing_may_be_wrong_for_a_moment(name: str, kind: str, row: Any) -> None:
    """It is written as it is; reading it says what is wrong."""
    content: Any = parse_content(OWN[name])
    origins = identity(content)
    content["obstacles"][kind].append(row)
    origins[kind].append(None)
    with pytest.raises(InvalidEnvironment, match=kind):
        parse_content(edit_text(OWN[name], content, origins))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((), [], "table"), ((), None, "table"), (("bounds",), {}, "missing"), (("goal",), "x" * 10**6, "goal"),
        (("start", "position", 0), math.nan, "start"), (("start", "position"), [1, 2, 3], "start.position"),
        (("start", "heading_deg"), "90\n", "heading"), (("start", "heading_deg"), True, "heading"),
        (("start", "mount"), "loose", "mount"), (("bounds", "edge"), None, "edge"), (("bounds", "stacked"), 1, "stacked"),
        (("goal", "radius"), 10**400, "radius"), (("goal", "x\ny"), 1, "unknown key"), (("name",), "a\x1b[2J", "control"),
        (("name",), "\ud800", "name"), (("name",), "n" * 201, "name"), (("tube",), "", "tube"), (("unit",), "m", "unknown key"),
        (("description",), "d" * 2001, "description"), (("obstacles", "ends"), [], "ends"),
        (("obstacles", "friction"), math.inf, "friction"), (("obstacles", "boxes"), {"0": [1, 2, 3, 4]}, "boxes"),
        (("obstacles", "boxes", 0), [1, 2, 3], "boxes"), (("obstacles", "boxes", 0), [[1], 2, 3, 4], "boxes"),
        (("obstacles", "boxes"), [[0, 0, 1, 1]] * (MOST_SHAPES + 1), "boxes"),
        (("obstacles", "walls"), [[0, 0, 1, 1, 1]] * 13_000, "corners"), (("obstacles", "boxes"), None, "boxes"),
        (("obstacles", "polygons"), [[[0, 0]] * 30_000] * 2, "corners"), (("obstacles", "polygons", 0, 0), ["1", 2], "polygons"),
        (("obstacles", "circles"), [[0, 0, 1]] * (MOST_SHAPES - 1), "shapes"),
    ],
)  # fmt: skip
def test_a_wrong_content_is_refused_in_one_line(path: tuple[Any, ...], value: Any, message: str) -> None:
    holder: Any = {"content": parse_content(BENCH)}
    part, keys = holder, ["content", *path]
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    with pytest.raises(InvalidEnvironment, match=message) as error:
        edit_text(BENCH, holder["content"], identity(parse_content(BENCH)))
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize(
    "origins",
    [
        None, [], {}, {"boxes": None}, {"boxes": [0, 1, 2]}, {"boxes": [0, 1, 2, 2]}, {"boxes": [0, 1, 2, 4]}, {"rooms": []},
        {"boxes": [0, 1, 2, -1]}, {"boxes": [0, 1, 2, 3.0]}, {"boxes": [0, 1, 2, True]}, {"boxes": [0, 1, 2, "3"]},
        {"circles": [None]}, {"walls": [0, [1]]}, {"walls": [None] * (MOST_SHAPES + 1)}, {"walls": [0, 10**400]},
    ],
)  # fmt: skip
def test_wrong_origins_are_refused_in_one_line(origins: Any) -> None:
    content = parse_content(BENCH)
    given = identity(content) | origins if isinstance(origins, dict) and origins else origins
    with pytest.raises(InvalidEnvironment, match=r"^origins") as error:
        edit_text(BENCH, content, given)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end\n"])
@pytest.mark.parametrize(
    ("table", "key", "value"), [("start", "mount", "wall"), ("bounds", "edge", "table"), ("bounds", "stacked", True)]
)
def test_a_new_table_follows_a_new_key_of_the_last_one(end: str, table: str, key: str, value: Any) -> None:
    """A file without obstacles gets a box and a key of its last table in one edit."""
    tables = {
        "bounds": "[bounds]\nmin = [0, 0]\nmax = [900, 900]",
        "start": "[start]\nposition = [100, 100]\nheading_deg = 0",
        "goal": "[goal]\nposition = [800, 800]\nradius = 50",
    }
    order = [*(name for name in tables if name != table), table]
    text = 'schema = 2\nunit = "mm"\n\n' + "\n\n".join(tables[name] for name in order) + end
    content: Any = parse_content(text)
    content[table][key] = value
    content["obstacles"]["boxes"] = [[300, 300, 400, 400]]
    origins = {"boxes": [None], "polygons": [], "circles": [], "walls": []}
    made = edit_text(text, content, origins)
    assert parse_content(made) == content
    assert made.startswith(text.removesuffix(end))
