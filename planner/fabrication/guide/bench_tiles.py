"""The bench at true size: outlines of obstacles, start and goal on sheets of paper to print, join and lay on the floor, and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib
import numpy as np
import shapely
from matplotlib.backends.backend_pdf import PdfPages

from environments.obstacles import box_corners
from environments.writing import atomic_path
from planner.fabrication.assembly.build import Build
from planner.fabrication.guide.bench import Bench, signed_mm
from planner.fabrication.guide.cover import draw_map, draw_ruler
from planner.fabrication.guide.flow import Flow
from planner.fabrication.guide.paper import Page, Paper, Template, Tile
from planner.fabrication.guide.template import REPRODUCIBLE, draw_sheet
from planner.fabrication.pattern.pattern import GAP, Layer, Line, Pattern, PatternPiece, Text
from planner.fabrication.pattern.svg import write_svg
from surrogate.kernels.compiled import Floats

PAPERS: tuple[Paper, ...] = "a4", "letter"
LETTER = 12.0
"""Height of capitals of the names [mm]."""
AXIS, HEAD = 300.0, 15.0
"""Length of the start's axis, and of its arrow head [mm]."""
CROSS = 20.0
"""Half the length of the cross at the datum and in the middle of the goal [mm]."""
MAP = 170.0
"""Maximum height of the map of the sheets [mm]."""
ROUND = 128
"""Corners of the goal's outline."""


def write_bench(out: Path, build: Build, bench: Bench) -> list[str]:
    """Write `bench-1to1-a4.pdf`, `bench-1to1-letter.pdf` and `bench-1to1.svg` into a folder; return their names.

    Raises:
        OSError: A file cannot be written.
    """
    pattern = bench_pattern(bench)
    names = []
    for paper in PAPERS:
        names.append(f"bench-1to1-{paper}.pdf")
        _write_tiles(out / names[-1], Template(paper, build, pattern, bench.environment, True))
    write_svg(out / "bench-1to1.svg", pattern)
    return [*names, "bench-1to1.svg"]


def bench_pattern(bench: Bench) -> Pattern:
    """Return everything on the bench at true size [mm], x from the datum, the upper edge of the bounds a gap below y = 0.

    Obstacles are drawn as far as they lie within the bounds. The first piece is the bounds with start and goal; its first line are the
    bounds.
    """
    bounds = shapely.box(0.0, 0.0, *bench.extent)
    pieces = [PatternPiece("bounds", tuple(_marks(bench)), tuple(_names(bench)))]
    for obstacle in bench.obstacles:
        seen = obstacle.shape.intersection(bounds)
        parts = [part for part in shapely.get_parts(seen) if part.area or (not obstacle.shape.area and part.length)]
        if parts:
            lines = tuple(line for part in parts for line in _outline(part, bench))
            at = shapely.get_coordinates(max(parts, key=lambda part: part.area).representative_point())[0]
            pieces.append(PatternPiece(obstacle.name, lines, (_text(bench, at, obstacle.name),)))
    return Pattern(tuple(pieces))


def _millimetres(bench: Bench, points: Floats) -> Floats:
    """Return points [m from the datum], shape (..., 2), in the pattern [mm]."""
    return np.asarray(1e3 * (np.asarray(points) - [0.0, bench.extent[1]]) - [0.0, GAP])


def _outline(part: shapely.Geometry, bench: Bench) -> Iterator[Line]:
    """Return the outlines of an area, or a line without thickness."""
    if not part.area:
        yield Line(Layer.CUT, _millimetres(bench, shapely.get_coordinates(part)))
        return
    for ring in (part.exterior, *part.interiors):
        yield Line(Layer.CUT, _millimetres(bench, shapely.get_coordinates(ring))[:-1], closed=True)


def _marks(bench: Bench) -> Iterator[Line]:
    """Return bounds, datum, start and goal."""
    yield Line(Layer.MARK, _millimetres(bench, box_corners(0.0, 0.0, *bench.extent)), closed=True)
    for point in (np.zeros(2), bench.goal[:2]):
        for arm in 1e-3 * CROSS * np.eye(2):
            yield Line(Layer.MARK, _millimetres(bench, np.array([point - arm, point + arm])))
    x, y, heading = bench.start
    start, ahead = np.array([x, y]), np.array([np.cos(heading), np.sin(heading)])
    aside = np.array([-ahead[1], ahead[0]])
    half = bench.design.params.radius * aside
    yield Line(Layer.SEAL, _millimetres(bench, np.array([start - half, start + half])))
    tip = start + 1e-3 * AXIS * ahead
    yield Line(Layer.SEAL, _millimetres(bench, np.array([start, tip])))
    barbs = [tip - 1e-3 * HEAD * (ahead + sign * aside / 2) for sign in (1, -1)]
    yield Line(Layer.SEAL, _millimetres(bench, np.array([barbs[0], tip, barbs[1]])))
    turn = np.linspace(0, 2 * np.pi, ROUND + 1)[:-1]
    goal = bench.goal[:2] + bench.goal[2] * np.column_stack([np.cos(turn), np.sin(turn)])
    yield Line(Layer.SEAL, _millimetres(bench, goal), closed=True)


def _names(bench: Bench) -> Iterator[Text]:
    """Return the names of datum, start and goal."""
    aside = 1e-3 * np.array([LETTER / 2, LETTER / 2])
    for name, point in (("datum", np.zeros(2)), ("start", bench.start[:2]), ("goal", bench.goal[:2])):
        x, y = _millimetres(bench, point + aside).tolist()
        yield Text((x, y), LETTER, name, "left")


def _text(bench: Bench, at: Floats, text: str) -> Text:
    x, y = _millimetres(bench, at).tolist()
    return Text((x, y), LETTER, text)


def _write_tiles(path: Path, template: Template) -> None:
    """Write a PDF to print at 100 %: a map of the sheets, and the sheets."""
    tiles = template.tiles()
    before = len(_cover(template, dict.fromkeys(tiles, 0)))
    pages: dict[Tile, int] = {tile: page for page, tile in enumerate(tiles, start=before + 1)}
    metadata = REPRODUCIBLE | {"Title": f"{template.name(200)}: bench at true size"}
    settings = matplotlib.rc_context({"pdf.fonttype": 42, "savefig.bbox": None})
    with atomic_path(path) as partial, settings, PdfPages(partial, metadata=metadata) as pdf:
        for page in _cover(template, pages):
            pdf.savefig(page.figure)
        for tile in tiles:
            pdf.savefig(draw_sheet(template, pages, tile).figure)


def _cover(template: Template, pages: dict[Tile, int]) -> list[Page]:
    """Draw the first pages: what the sheets are, how to print them, and which lies where."""
    flow = Flow(template.paper)
    flow.title("Bench at true size", f"Environment {template.name(60)}: outlines to lay on the floor.")
    width, height = (signed_mm(1e-3 * side) for side in np.ptp(np.reshape(template.pattern.bounds, (2, 2)), axis=0))
    draw_ruler(flow)
    flow.paragraph(
        f"The sheets lie as in the map, {width} mm wide and {height} mm high in all; sheets without lines are left out. Cut off each "
        "sheet's right and lower edge along its thin line and join it to its neighbours, crosses aligned. Full lines are outlines of "
        "obstacles, dashed ones the start (its line is as long as the tube is wide, its axis points ahead) and the goal, thin ones "
        "the bounds. Measure two long distances when all lie: paper stretches."
    )
    draw_map(flow, template, pages, MAP)
    return flow.pages
