"""Choice of the parts of a drawing by patterns."""

import pytest

from environments.importing.select import Selection
from environments.importing.traced import UnusableFile

WALL = {"layer": ["A-WALL"], "color": ["7"], "type": ["LINE"]}
CHAIR = {"layer": ["FURN", "A-FURN[2]"], "color": ["#ff0000"], "type": ["HATCH"]}


@pytest.mark.parametrize(
    ("pattern", "wall", "chair"),
    [
        ("A-WALL", True, False),
        ("a-wall", True, False),
        ("A-W*", True, False),
        ("?-WALL", True, False),
        ("WALL", False, False),
        ("*", True, True),
        ("layer=A-WALL", True, False),
        ("=A-WALL", True, False),
        (" Layer = A-WALL ", True, False),
        ("color=#FF0000", False, True),
        ("type=hatch", False, True),
        ("type=line", True, False),
        ("A-FURN[2]", False, True),
        ("A-FURN?2?", False, True),
        ("[A-F]*", False, False),
        ("name=A-WALL", False, False),
    ],
)
def test_patterns(pattern: str, wall: bool, chair: bool) -> None:
    """A pattern alone is one of layers; capitals do not matter; brackets stand for themselves; a part may be on several layers."""
    for properties, expected in ((WALL, wall), (CHAIR, chair)):
        assert Selection((pattern,)).is_solid(properties) is expected
        assert Selection((), (pattern,)).is_free(properties) is expected
        assert Selection(("*",), (pattern,)).is_solid(properties) is not expected


def test_the_first_equals_sign_ends_the_key() -> None:
    """Values may have such signs."""
    assert Selection(("url=a?b=c",)).is_solid({"url": ["a?b=c"]})
    assert not Selection(("url=a?b=c",)).is_solid({"url": ["c"]})


def test_a_pattern_that_leaves_out_what_is_not_solid_anyway_has_matched() -> None:
    """It names a part of the drawing, so it is no slip."""
    selection = Selection(("A-WALL",), ("FURN",))
    assert [selection.is_solid(properties) for properties in (WALL, CHAIR)] == [True, False]
    selection.check()


@pytest.mark.parametrize(
    ("solid", "free", "message"),
    [
        (("A-WALL", "B*"), (), r"has nothing that matches --solid B\*; it has layer A-WALL \(2\), A-FURN\[2\] \(1\), FURN \(1\)$"),
        (("A-WALL",), ("color=8",), r"has nothing that matches --free color=8; it has color 7 \(2\), #ff0000 \(1\)$"),
        (("colour=7",), (), r"--solid colour=7; it has layer A-WALL \(2\), .*; color 7 \(2\), .*; type LINE \(2\), HATCH \(1\)$"),
    ],
)  # fmt: skip
def test_a_pattern_that_matches_nothing_is_told(solid: tuple[str, ...], free: tuple[str, ...], message: str) -> None:
    """The message lists the values of its key, or all keys if there is no such one."""
    selection = Selection(solid, free)
    for properties in (WALL, WALL, CHAIR):
        selection.count(properties)
        selection.is_solid(properties)
    with pytest.raises(UnusableFile, match=message):
        selection.check()


def test_long_lists_are_cut() -> None:
    """Twenty values of a key and six keys are listed, the rest is counted."""
    selection = Selection()
    for k in range(23):
        selection.count({"layer": [f"L{k:02d}"]})
    assert selection.values("layer").endswith("L18 (1), L19 (1) and 3 more")
    selection.count({f"key{k}": ["a"] for k in range(7)})
    assert selection.listing().endswith("key4 a (1); 2 more: key5, key6")
    assert selection.listing(["key6"]) == "key6 a (1)"
    assert Selection().listing() == "no layers or properties"


@pytest.mark.parametrize(
    ("name", "wall"),
    [("A-WALL", True), ("Wall_ext", True), ("extwall", True), ("Waende 2", True), ("MUROS", True), ("pared", True),
     ("WALLPAPER", False), ("FIREWALL", False), ("0", False)],
)  # fmt: skip
def test_names_like_walls_are_advised(name: str, wall: bool) -> None:
    """As an option that can be pasted, with its key."""
    selection = Selection()
    selection.count({"layer": [name], "class": [name]})
    assert selection.likely() == ([name] if wall else [])
    quoted = f"'{name}'" if " " in name else name
    advice = f"those named like walls: {name}: --solid {quoted} takes only these"
    assert selection.advice() == (advice if wall else "")
    assert ("--solid " in selection.advice("class")) is wall
    assert ("class=" in selection.advice("class")) is wall
