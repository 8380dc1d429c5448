"""Visibility in SVG drawings: only what can be seen is solid."""

from pathlib import Path

import pytest

from environments.importing.svg_paint import NOTHING, paint_of
from environments.importing.svg_tree import INHERITED
from environments.importing.traced import UnusableFile
from tests.environments.importing.svg_drawings import MM, boxes, note, read

STYLES = [
    ("", '<rect width="9" height="9"/>', True),
    ("", '<rect width="9" height="9" fill="none"/>', False),
    ("", '<g fill="none"><rect width="9" height="9"/></g>', False),
    ("", '<g fill="none"><rect width="9" height="9" fill="red"/></g>', True),
    ("", '<rect width="9" height="9" fill="red" style="fill:none"/>', False),
    (".st0{fill:none;}", '<rect width="9" height="9" class="st1 st0"/>', False),
    (".st0,.st1{fill:none;}.st0{fill:red}", '<rect width="9" height="9" class="st0"/>', True),
    ("rect{fill:red}.st0{fill:none}", '<rect width="9" height="9" class="st0"/>', False),
    ("#a{fill:red}.st0{fill:none}", '<rect width="9" height="9" class="st0" id="a"/>', True),
    ("circle.st0{fill:none}", '<rect width="9" height="9" class="st0"/>', True),
    ("/* .st0{fill:red} */ .st0{fill:none}", '<rect width="9" height="9" class="st0"/>', False),
    ("@import url(a.css); .st0{fill:none}", '<rect width="9" height="9" class="st0"/>', False),
    ("* {fill:none !important}", '<rect width="9" height="9"/>', False),
    ("", '<g display="none"><rect width="9" height="9"/></g>', False),
    ("", '<g style="visibility:hidden"><rect width="9" height="9"/></g>', False),
    ("", '<g style="visibility:hidden"><rect width="9" height="9" visibility="visible"/></g>', True),
    ("", '<defs><rect width="9" height="9"/></defs>', False),
    ("", '<symbol><rect width="9" height="9"/></symbol>', False),
    ("", '<clipPath><rect width="9" height="9"/></clipPath>', False),
    ("", '<a><switch><rect width="9" height="9"/></switch></a>', True),
    ("", '<rect width="9" height="9" fill-opacity="0"/>', False),
    ("", '<rect width="9" height="9" fill-opacity="0.00" stroke-opacity="0" stroke="red"/>', False),
    ("", '<rect width="9" height="9" fill-opacity="0%"/>', False),
    ("", '<rect width="9" height="9" fill-opacity="-1"/>', False),
    ("", '<rect width="9" height="9" fill-opacity="0.01"/>', True),
    ("", '<rect width="9" height="9" fill-opacity="0" stroke="red"/>', True),
    ("", '<rect width="9" height="9" fill="none" stroke="red" stroke-width="0px"/>', False),
    ("", '<rect width="9" height="9" fill="none" stroke="red" stroke-width="0.5"/>', True),
    ("", '<rect width="9" height="9" opacity="0"/>', False),
    ("", '<rect width="9" height="9" style="opacity:0;fill:#000"/>', False),
    ("", '<g opacity="0.0"><g opacity="1"><rect width="9" height="9"/></g></g>', False),
    ("", '<g opacity="0.5"><rect width="9" height="9"/></g>', True),
    (".a{opacity:0}", '<g class="a"><rect width="9" height="9"/></g>', False),
    ("", '<rect width="9" height="9" fill="rgba(0,0,0,0)"/>', False),
    ("", '<rect width="9" height="9" fill="rgb(0 0 0 / 0%)"/>', False),
    ("", '<rect width="9" height="9" fill="hsla(120, 100%, 50%, .0)"/>', False),
    ("", '<rect width="9" height="9" fill="#12345600"/>', False),
    ("", '<rect width="9" height="9" fill="#1230"/>', False),
    ("", '<rect width="9" height="9" fill="#1234"/>', True),
    ("", '<rect width="9" height="9" fill="Transparent"/>', False),
    ("", '<rect width="9" height="9" fill="None"/>', False),
    ("", '<g color="transparent"><rect width="9" height="9" fill="currentColor"/></g>', False),
    ("", '<rect width="9" height="9" fill="currentColor"/>', True),
    ("", '<rect width="9" height="9" fill="white"/>', True),
    ("", '<rect width="9" height="9" fill="url(#gradient)"/>', True),
    ("", '<rect width="9" height="9" fill="url(#gradient) none"/>', True),
    ("", '<defs><rect id="r" width="9" height="9"/></defs><use href="#r" opacity="0"/>', False),
]


@pytest.mark.parametrize(("sheet", "body", "drawn"), STYLES)
def test_styles_say_what_is_drawn(tmp_path: Path, sheet: str, body: str, drawn: bool) -> None:
    """Attributes, style sheets by specificity, style attributes, and what is hidden or only defined."""
    traced = read(tmp_path, f'<style>{sheet}</style>{body}<path d="M99 99l1 0" fill="none" style="stroke:red"/>')
    assert len(traced.solid) == int(drawn)


def test_what_cannot_be_seen_is_counted(tmp_path: Path) -> None:
    """By the reason; a mark counts even if it is transparent, since it is no obstacle."""
    body = (
        '<g opacity="0"><rect width="9" height="9"/><rect width="9" height="9"/><g visibility="hidden"><circle r="5"/></g>'
        '<path id="start" d="M10 50h5"/></g><rect fill="none" width="9" height="9"/><line x2="9"/>'
        '<rect fill-opacity="0" width="9" height="9"/><g display="none"><rect/></g><rect x="50" width="9" height="9"/>'
        '<circle id="goal" cx="100" cy="50" r="5" fill="#0000"/>'
    )
    traced = read(tmp_path, body)
    assert boxes(traced) == [(50, 91, 59, 100)]
    expected = "left out: 2 hidden layers or elements, 2 shapes without fill and stroke, 3 transparent shapes"
    assert note(traced, "left out") == expected
    assert traced.start == pytest.approx((0.01, 0.05, 0))
    assert traced.goal == pytest.approx((0.1, 0.05, 0.005))


@pytest.mark.parametrize("root", ["opacity:0", "display:none", "visibility:hidden"])
def test_a_drawing_that_cannot_be_seen_has_no_walls(tmp_path: Path, root: str) -> None:
    """Where the style of the page hides everything."""
    with pytest.raises(UnusableFile, match=r"no walls that can be read.*(transparent|hidden)"):
        read(tmp_path, '<rect width="9" height="9" style="display:inline"/>', f'{MM} style="{root}"')


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("black", "#000000"),
        ("RebeccaPurple", "#663399"),
        ("#AbC", "#aabbcc"),
        ("#abc8", "#aabbcc"),
        ("#A1B2C3", "#a1b2c3"),
        ("#a1b2c3ff", "#a1b2c3"),
        ("rgb(1,20,255)", "#0114ff"),
        ("rgb(0.4, 300, -5)", "#00ff00"),
        ("RGBA( 1 , 2 , 3 , 10% )", "#010203"),
        ("rgb(100% 50% 0% / 0.5)", "#ff8000"),
        ("hsl(120,100%,50%)", "#00ff00"),
        ("hsl(-120deg 100% 25%)", "#000080"),
        ("url(#Gradient1) red", "url(#Gradient1)"),
        ("rgb(1,2)", "rgb(1,2)"),
        ("icc-color(a)", "icc-color(a)"),
        ("none", NOTHING),
        ("transparent", NOTHING),
    ],
)
def test_colours_are_six_digits(written: str, expected: str) -> None:
    """Named, in digits, as functions and in capitals; half a channel is rounded to even, and what cannot be read stays as it is."""
    assert paint_of({**INHERITED, "fill": written}, "fill") == expected
