"""Drawings designed to hang a program or to exhaust its memory, each read by its own process."""

import itertools
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MOST_SECONDS, MOST_BYTES = 60, 2**31
"""Limits of processor time and of memory in use."""
READ = """
import sys
from importlib import import_module
from pathlib import Path
from environments.importing.options import ImportOptions
from environments.importing.traced import UnusableFile
path = Path(sys.argv[1])
kind = path.suffix[1:]
options = {"dxf": {"unit": "mm"}, "svg": {"mm_per_unit": 1.0}, "geojson": {"unit": "m"}}[kind]
try:
    getattr(import_module(f"environments.importing.{kind}"), f"read_{kind}")(path, ImportOptions(**options))
except UnusableFile as error:
    print(error)
    sys.exit(2)
"""


def dxf(*tags: object, blocks: str = "") -> str:
    """A minimal DXF file with entities, given as code, value, code, value, ..."""
    head = "0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1015\n0\nENDSEC\n" if 100 in tags else ""
    return f"{head}{blocks}0\nSECTION\n2\nENTITIES\n" + "".join(f"{tag}\n" for tag in tags) + "0\nENDSEC\n0\nEOF\n"


def block(name: str, *tags: object) -> str:
    inside = "".join(f"{tag}\n" for tag in tags)
    return f"0\nBLOCK\n8\n0\n2\n{name}\n70\n0\n10\n0\n20\n0\n3\n{name}\n{inside}0\nENDBLK\n8\n0\n"


def with_blocks(*blocks: str, first: str) -> str:
    section = "0\nSECTION\n2\nBLOCKS\n" + "".join(blocks) + "0\nENDSEC\n"
    return dxf(*insert(first), blocks=section)


def insert(name: str, *more: object) -> tuple[object, ...]:
    return (0, "INSERT", 8, "WALL", 2, name, 10, 0, 20, 0, *more)


def line(*ends: object) -> tuple[object, ...]:
    return (0, "LINE", 8, "WALL", 10, ends[0], 20, ends[1], 11, ends[2], 21, ends[3])


def spline(size: str) -> str:
    knots = [tag for knot in (0, 0, 0, 0, 1, 1, 1, 1) for tag in (40, knot)]
    points = [tag for x, y in ((0, 0), (0, size), (size, 0), (1, 1)) for tag in (10, x, 20, y, 30, 0)]
    return dxf(
        0, "SPLINE", 100, "AcDbEntity", 8, "WALL", 100, "AcDbSpline", 70, 8, 71, 3, 72, 8, 73, 4, *knots, *points
    )


def doubling(levels: int) -> str:
    """Blocks each of which inserts the next one ten times."""
    names = [f"B{k}" for k in range(levels)]
    last = block(names[-1], *line(0, 0, 1, 1))
    return with_blocks(*(block(a, *(insert(b) * 10)) for a, b in itertools.pairwise(names)), last, first=names[0])


def svg(body: str, head: str = "") -> str:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<?xml version="1.0"?>{head}<svg {names} width="100" height="100"><g id="WALL">{body}</g></svg>'


def laughs() -> str:
    entities = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
    return svg('<path d="&a9;"/>', f'<!DOCTYPE svg [<!ENTITY a0 "M0 0L1 1">{entities}]>')


def repeated_entity() -> str:
    return svg("&a;" * 3_000_000, f'<!DOCTYPE svg [<!ENTITY a "{"x" * 10_000}">]>')


def uses(levels: int) -> str:
    """Groups each of which uses the next one ten times."""
    groups = [f'<g id="u{k}">{f"<use href={chr(34)}#u{k + 1}{chr(34)}/>" * 10}</g>' for k in range(levels)]
    return svg("<defs>" + "".join(groups) + f'<rect id="u{levels}" width="1" height="1"/></defs><use href="#u0"/>')


def star(corners: int) -> str:
    """Each side crosses nearly all others."""
    turn = math.tau * (corners // 2) / corners
    return " ".join(f"{100 + 50 * math.cos(turn * k):.6f},{100 + 50 * math.sin(turn * k):.6f}" for k in range(corners))


def geojson(coordinates: str, kind: str = "Polygon") -> str:
    return f'{{"type": "{kind}", "coordinates": {coordinates}}}'


FILES: dict[str, tuple[Callable[[], str], str]] = {
    "million.dxf": (lambda: dxf(*(line(0, 0, 1, 1) * 1_000_000)), "more than 200000 entities"),
    "itself.dxf": (lambda: with_blocks(block("A", *insert("A")), first="A"), "inserts itself"),
    "two.dxf": (lambda: with_blocks(block("A", *insert("B")), block("B", *insert("A")), first="A"), "inserts itself"),
    "nested.dxf": (lambda: doubling(12), "draws more than 200000 entities"),
    "deep.dxf": (lambda: doubling(20), "nested more than 16 deep"),
    "array.dxf": (
        lambda: with_blocks(block("A"), first="A").replace("INSERT", "INSERT\n70\n30000\n71\n30000"),
        "draws more than 200000",
    ),
    "nan.dxf": (lambda: dxf(*line("nan", 0, 1, 1)), "not a number"),
    "inf.dxf": (lambda: dxf(*line(0, "1e400", 1, 1)), "not a number"),
    "nan circle.dxf": (lambda: dxf(0, "CIRCLE", 8, "WALL", 10, 0, 20, 0, 40, "nan"), "not a number"),
    "planet.dxf": (lambda: dxf(0, "CIRCLE", 8, "WALL", 10, 0, 20, 0, 40, "1e10"), "more than 100000 points"),
    "moons.dxf": (lambda: dxf(*((0, "CIRCLE", 8, "WALL", 10, 0, 20, 0, 40, "1e8") * 1000)), "more than 2000000 points"),
    "galaxy.dxf": (lambda: dxf(0, "CIRCLE", 8, "WALL", 10, 0, 20, 0, 40, "1e300"), "more than 100000 points"),
    "spline.dxf": (lambda: spline("1e8"), ""),
    "large spline.dxf": (lambda: spline("1e200"), "not a number"),
    "concentric.dxf": (
        lambda: dxf(*(tag for k in range(15_000) for tag in (0, "CIRCLE", 8, "WALL", 10, 0, 20, 0, 40, 20 + k / 100))),
        "",
    ),
    "bulge.dxf": (
        lambda: dxf(0, "LWPOLYLINE", 100, "AcDbEntity", 8, "WALL", 100, "AcDbPolyline", 90, 2, 70, 1, 10, 0, 20, 0, 42, "1e-300",
                    10, 1, 20, 1, 42, "1e300"),
        "",
    ),
    "binary.dxf": (lambda: "\x00\x01" * 1_000_000, "DXF"),
    "text.dxf": (lambda: "hello\n" * 1000, "DXF"),
    "1 GB.dxf": (lambda: "", "larger than the allowed 64 MB"),
    "1 GB.svg": (lambda: "", "larger than the allowed 32 MB"),
    "1 GB.geojson": (lambda: "", "larger than the allowed 32 MB"),
    "laughs.svg": (laughs, "declares entities"),
    "repeated.svg": (repeated_entity, "declares entities"),
    "file.svg": (
        lambda: svg("&a;", '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "declares entities that refer to others or to files",
    ),
    "cycle.svg": (lambda: svg('<g id="a"><use href="#b"/></g><g id="b"><use xlink:href="#a"/></g>'), "uses itself"),
    "own.svg": (lambda: svg('<use id="a" href="#a"/>'), "uses itself"),
    "uses.svg": (lambda: uses(12), "draws more than 200000 elements"),
    "external.svg": (lambda: svg('<use href="http://127.0.0.1:9/a.svg#a"/><image href="/dev/zero"/>'), "no walls"),
    "long path.svg": (lambda: svg(f'<path d="M0 0{"L1 2" * 2_100_000}"/>'), "more than 4000000 characters"),
    "long paths.svg": (lambda: svg(f'<path fill="none" stroke="red" d="M0 0{"L1 2" * 700_000}"/>' * 6), "more than 4000000 characters"),
    "repeated path.svg": (
        lambda: svg(f'<defs><path id="a" d="{"M0 0" * 100_000}"/></defs>' + '<use href="#a"/>' * 1000),
        "more than 4000000 characters",
    ),
    "elements.svg": (lambda: svg("<g/>" * 1_000_000), "more than 200000 elements"),
    "deep.svg": (lambda: svg("<g>" * 100_000 + "</g>" * 100_000), "nested more than 100 deep"),
    "nan.svg": (lambda: svg('<path d="M0 0L nan 3"/>'), "path data"),
    "huge.svg": (lambda: svg('<path d="M0 0L 1e400 3 4 5z"/>'), "not a number"),
    "huge curve.svg": (lambda: svg('<path d="M0 0C 1e300 3 4 1e300 6 6z"/>'), "more than 100000 points"),
    "arc.svg": (lambda: svg('<path d="M0 0A 1e300 1e300 0 0 0 1 1z"/>'), ""),
    "scale.svg": (lambda: svg('<g transform="scale(1e200) scale(1e200)"><rect width="1" height="1"/></g>'), "no walls"),
    "star.svg": (lambda: svg(f'<polygon points="{star(20_001)}"/>'), "cross themselves"),
    "stars.svg": (lambda: svg(f'<polygon points="{star(101)}"/>' * 1000), "cross themselves"),
    "strokes.svg": (
        lambda: svg(f'<polyline fill="none" stroke="red" stroke-width="30" points="{star(101)}"/>' * 1000), "thick lines"
    ),
    "long stroke.svg": (lambda: svg(f'<polyline fill="none" stroke="red" points="{star(4001)}"/>'), "thick lines"),
    "style.svg": (lambda: svg(f"<style>{'.a{fill:none}' * 100_000}</style>"), "more than 10000 rules"),
    "open style.svg": (lambda: svg(f"<style>{'a' * 1_000_000}{'/*' * 1_000_000}</style>"), "no walls"),
    "transform.svg": (lambda: svg(f'<g transform="{"rotate(" * 500_000}"><rect width="1" height="1"/></g>'), ""),
    "clips.svg": (
        lambda: svg(f'<clipPath id="a"><polygon points="{star(1001)}"/></clipPath>'
                    + '<rect clip-path="url(#a)" width="99" height="99"/>' * 900),
        "cross themselves",
    ),
    "round clips.svg": (
        lambda: svg('<clipPath id="a"><circle cx="50000" cy="50000" r="50000"/></clipPath><g clip-path="url(#a)">'
                    + '<rect width="20000" height="20000"/>' * 100_000 + "</g>"),
        "clip paths that cut more than 20000000 points",
    ),
    "many clips.svg": (
        lambda: svg('<clipPath id="a" clipPathUnits="objectBoundingBox"><path d="M0 0h.5v.5h-.5z"/></clipPath>'
                    + '<g clip-path="url(#a)">' * 90 + '<rect width="9" height="9"/>' * 90_000 + "</g>" * 90),
        "clip paths that cut more than 20000000 points",
    ),
    "classes.svg": (
        lambda: svg(f'<g class="{" ".join(map(str, range(100_000)))}">' + '<rect width="9" height="9"/>' * 100_000 + "</g>"),
        "more than 20000000 names",
    ),
    "names.svg": (
        lambda: svg('<g id="a_b">' * 30 + '<rect width="9" height="9"/>' * 190_000 + "</g>" * 30), ""
    ),
    "paints.svg": (
        lambda: svg(f'<g fill="{"0" * 5_000_000}" fill-opacity="{"0" * 5_000_000}x" stroke="red" stroke-width="{"0" * 5_000_000}x">'
                    + '<rect width="9" height="9"/>' * 100_000 + "</g>"),
        "",
    ),
    "brackets.geojson": (lambda: geojson("[" * 1_000_000), "brackets nested too deep"),
    "lists.geojson": (lambda: geojson("[" + "[]," * 10_000_000 + "[]]"), "positions"),
    "numbers.geojson": (lambda: geojson(f"[[[0, 0], [{'9' * 5000}, 0], [1, 1], [0, 0]]]"), "not valid JSON"),
    "large.geojson": (lambda: geojson(f"[[[0, 0], [{'9' * 400}, 0], [1, 1], [0, 0]]]"), "positions"),
    "infinite.geojson": (lambda: geojson("[[[0, 0], [1e999, 0], [1, 1], [0, 0]]]"), "not a number"),
    "nan.geojson": (lambda: geojson("[[[0, 0], [NaN, 0], [1, 1], [0, 0]]]"), "NaN"),
    "points.geojson": (lambda: geojson(f"[{'[0,0],' * 3_000_000}[1,1]]", "LineString"), "more than 2000000 points"),
    "star.geojson": (
        lambda: geojson("[[" + ",".join(f"[{pair}]" for pair in star(20_001).split(" ")) + "]]"), "cross themselves"
    ),
    "collections.geojson": (
        lambda: '{"type": "GeometryCollection", "geometries": [' * 400 + "]}" * 400, "collections at most 16 deep"
    ),
    "keys.geojson": (
        lambda: '{"type": "FeatureCollection", "features": [' + ",".join(
            f'{{"type": "Feature", "properties": {{"k{k}": "wall", "l{k}": {k}}}, "geometry": {geojson("[[0,0],[1,1]]", "LineString")}}}'
            for k in range(150_000)
        ) + "]}",
        "",
    ),
    "features.geojson": (
        lambda: '{"type": "FeatureCollection", "features": [' + "0," * 10_000_000 + "0]}", "more than 200000 features"
    ),
}  # fmt: skip
SLOW = "planet.dxf", "million.dxf", "long paths.svg", "points.geojson", "nested.dxf", "uses.svg", "lists.geojson"


def limited() -> None:
    """Set the process limits; the limit of reserved memory is above that of used memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_BYTES, 4 * MOST_BYTES))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_hostile_drawings_end_in_one_line(tmp_path: Path, name: str) -> None:
    """Within one minute of processor time and 2 GiB a drawing is read or refused, for the reason that is wrong with it."""
    make, reason = FILES[name]
    path = tmp_path / name
    if name.startswith("1 GB"):
        with path.open("wb") as file:
            file.truncate(1_000_000_000)
    else:
        path.write_text(make())
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", READ, str(path)], stdout=said, stderr=said, preexec_fn=limited
        )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    text = (tmp_path / "said").read_text()
    assert process.returncode == (2 if reason else process.returncode), text[-2000:]
    assert process.returncode in (0, 2), text[-2000:]
    assert text.count("\n") <= 1
    assert len(text) < 600
    assert any(part in text for part in reason.split("|")), text
    assert used.ru_maxrss * 1024 < MOST_BYTES
